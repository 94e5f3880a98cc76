//! Many rigid bodies of any shape in hard contact with friction: [`Bodies`].
//!
//! A body has a [`Form`] of convex parts: a clump of balls, a box, a hull, or several of them. One step has
//! the equations of [`World`](crate::World), with contacts from [`percussion_collision`] and either
//! friction law of [`percussion_complementarity::friction`]:
//!
//! ```math
//! v' = v + \delta t\, g + M^{-1} J^T p,\qquad
//! 0 \le \tfrac{\max(0,\xi)}{\delta t} + u_n' \perp p_n \ge 0,\qquad
//! \|p_t\| \le \mu p_n \text{ by the law}.
//! ```
//!
//! Then bodies move with `v'` and rotate freely for `δt` by a midpoint rule that conserves energy and angular
//! momentum, so that the energy balance in [`Report`] holds as it does for spheres. Overlaps are removed by
//! displacements and rotations, which also rotate the angular velocity.
//!
//! Contacts bounce, and those of balls resist rolling, by [`Materials`]; walls may be driven by a
//! [`Servo`].
//!
//! - **Contacts** are identified by bodies, parts and features; impulses are carried over by these names.
//! - **Pairs** that are apart are passed over until both bodies together have traveled as far as their gap. This changes
//!   the time of a step and no bit of it, so that a clone, or a run that forgets the gaps, goes on in the same way.
//! - **Sweeps** process slabs of space in parallel, alternately up and down, as those of
//!   [`World`](crate::World), and eight contacts of a slab at once; a slab has at least 64 bodies.
//! - **Does not** detect surfaces that pass through each other within a step; a body moves by at most the
//!   radius of a ball around it and rotates by at most half a radian. There are no subdomains; a [`Collection`](crate::Collection) has
//!   checkpoints and runs in scenes.
//! - **Cost** for bricks about 0.6 µs per contact and step with 10 sweeps on one thread, a third of it for finding the
//!   contacts; other polyhedra take longer to compare, and spheres are much faster in a [`World`](crate::World).
//! - **Deterministic**: the same bits for any number of threads.
//!
//! # Source
//!
//! T. Preclik, U. Rüde, "Ultrascale simulations of non-smooth granular dynamics", *Computational Particle Mechanics* 2
//! (2015) 173–196, for the step.

mod balls;
mod body;
mod change;
mod contact;
mod flight;
mod form;
mod memory;
mod mold;
mod packs;
mod products;
mod servos;
mod settings;
mod slab;
mod state;
mod step;
mod twist;
mod walls;

use nalgebra::Vector3;
use percussion_collision::{CellGrid, ColliderError, Place};

use self::{
    contact::{Motion, NO_BODY},
    memory::Memory,
    slab::Slab,
    twist::Twist,
    walls::Walls,
};
use crate::{materials::Materials, parallel, report::Report, servo::Servo};

pub use self::{
    balls::Ball,
    body::{Body, Boundary},
    form::Form,
    mold::Mold,
    settings::{Error, Settings},
    state::BodyState,
};

/// Minimum number of bodies in a slab. The contacts of a body take some microseconds a step, so that fewer bodies
/// than spheres outweigh the distribution to threads.
const SLAB: usize = 64;

/// Rigid bodies and the boundaries that contain them.
///
/// A clone continues with the same bits.
///
/// # Example
///
/// A brick of 2 kg slides on the floor at 1 m/s with μ = 0.5 and stops after `v²/(2 μ g)` = 0.102 m.
///
/// ```
/// use std::sync::Arc;
///
/// use nalgebra::Vector3;
/// use percussion_granular::bodies::{Bodies, Body, Boundary, Form, Settings};
///
/// let floor = Boundary::plane(Vector3::zeros(), Vector3::z(), 0.5)?;
/// let mut bodies = Bodies::new(Settings::default(), vec![floor])?;
/// let brick = Arc::new(Form::cuboid(Vector3::new(0.2, 0.1, 0.05), 2.0, 0.5)?);
/// let mut body = Body::at(&brick, Vector3::new(0.0, 0.0, 0.05));
/// body.velocity.x = 1.0;
/// bodies.add(body)?;
/// for _ in 0..300 {
///     bodies.step()?;
/// }
/// assert!((bodies.bodies()[0].position.x - 1.0 / 9.81).abs() < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Bodies {
    settings: Settings,
    boundaries: Vec<Boundary>,
    walls: Walls,
    materials: Materials,
    servos: Vec<Servo>,
    /// Their velocities at the end of the step (m/s).
    servo_velocities: Vec<f64>,
    bodies: Vec<Body>,
    identities: Vec<u64>,
    slabs: Vec<Slab>,
    cells: CellGrid,
    /// Largest gap of the listed pairs at the last search, and the maximum approach of two surfaces since then
    /// (m).
    skin: f64,
    moved: f64,
    /// Upper bounds of the way of each body and its surface since then, and of that of boundaries (m).
    travel: Vec<f64>,
    boundaries_moved: f64,
    /// Whether the list of pairs is valid for the bodies.
    current: bool,
    memory: Memory,
    /// The moments of contacts of balls, current as the memory is.
    moments: Memory,
    /// Scratch.
    motions: Vec<Motion>,
    places: Vec<Result<Place, ColliderError>>,
    boundary_places: Vec<Result<Place, ColliderError>>,
    wall_places: Vec<Result<Place, ColliderError>>,
    shifts: Vec<Twist>,
    next_identity: u64,
    steps: u64,
    time: f64,
}

/// The partner of a body in a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Partner {
    /// The body at this place in [`Bodies::bodies`].
    Body(usize),
    /// The boundary with this index; [walls](Bodies::walls) are counted after the boundaries.
    Boundary(usize),
}

/// A contact of the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Touch {
    /// Place of the body in [`Bodies::bodies`].
    pub body: usize,
    /// The partner.
    pub partner: Partner,
    /// Position, at the beginning of the step (m).
    pub point: Vector3<f64>,
    /// Unit vector from the partner to the body.
    pub normal: Vector3<f64>,
    /// Gap at the beginning of the step (m, negative if they overlapped).
    pub gap: f64,
    /// Friction coefficient: the geometric mean of the coefficients of the two surfaces.
    pub friction: f64,
    /// Impulse on the body (N·s); its part along the normal is ≥ 0.
    pub impulse: Vector3<f64>,
}

impl Bodies {
    /// Creates a set without bodies between these boundaries.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`], [`Error::Boundary`].
    pub fn new(settings: Settings, boundaries: Vec<Boundary>) -> Result<Self, Error> {
        settings.check()?;
        for (index, boundary) in boundaries.iter().enumerate() {
            check_boundary(index, boundary)?;
        }
        Ok(Self {
            settings,
            boundaries,
            walls: Walls::default(),
            materials: Materials::default(),
            servos: Vec::new(),
            servo_velocities: Vec::new(),
            bodies: Vec::new(),
            identities: Vec::new(),
            slabs: Vec::new(),
            cells: CellGrid::with_slabs_of(SLAB),
            skin: 0.0,
            moved: 0.0,
            travel: Vec::new(),
            boundaries_moved: 0.0,
            current: false,
            memory: Memory::default(),
            moments: Memory::default(),
            motions: Vec::new(),
            places: Vec::new(),
            boundary_places: Vec::new(),
            wall_places: Vec::new(),
            shifts: Vec::new(),
            next_identity: 0,
            steps: 0,
            time: 0.0,
        })
    }

    /// Adds a body and returns its identity: 0, 1, 2 … in the order of adding.
    ///
    /// # Errors
    ///
    /// [`Error::Body`], [`Error::TooMany`].
    pub fn add(&mut self, body: Body) -> Result<u64, Error> {
        let identity = self.next_identity;
        let fault = body.fault().or_else(|| self.materials.fault(body.form.material));
        if let Some((name, value, expected)) = fault {
            return Err(Error::Body { identity, name, value, expected });
        }
        if self.bodies.len() >= crate::range::MOST {
            return Err(Error::TooMany { count: self.bodies.len() });
        }
        self.bodies.push(body);
        self.identities.push(identity);
        self.next_identity += 1;
        self.outdated();
        Ok(identity)
    }

    /// Removes the bodies for which `leaves` returns true, and returns their number.
    pub fn remove(&mut self, leaves: impl FnMut(&Body) -> bool) -> usize {
        let leaving: Vec<bool> = self.bodies.iter().map(leaves).collect();
        let count = leaving.iter().filter(|leaves| **leaves).count();
        if count > 0 {
            self.outdated();
            let mut kept = leaving.iter().map(|leaves| !leaves);
            self.bodies.retain(|_| kept.next().unwrap_or(true));
            let mut kept = leaving.iter().map(|leaves| !leaves);
            self.identities.retain(|_| kept.next().unwrap_or(true));
        }
        count
    }

    /// The bodies, in an order that changes from step to step.
    #[must_use]
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// The identities that [`add`](Self::add) returned for them.
    #[must_use]
    pub fn identities(&self) -> &[u64] {
        &self.identities
    }

    /// The identity of the next body.
    pub(crate) const fn next_identity(&self) -> u64 {
        self.next_identity
    }

    /// The body with this identity, if it is present.
    #[must_use]
    pub fn body(&self, identity: u64) -> Option<&Body> {
        let place = self.identities.iter().position(|other| *other == identity)?;
        self.bodies.get(place)
    }

    /// The boundaries at their current positions.
    #[must_use]
    pub fn boundaries(&self) -> &[Boundary] {
        &self.boundaries
    }

    /// The settings.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Time since the beginning (s).
    #[must_use]
    pub const fn time(&self) -> f64 {
        self.time
    }

    /// Number of steps since the beginning.
    #[must_use]
    pub const fn steps(&self) -> u64 {
        self.steps
    }

    /// Kinetic energy and energy in gravity, which is zero at the origin (J).
    #[must_use]
    pub fn energy(&self) -> f64 {
        let gravity = &self.settings.gravity;
        let of =
            |body: &Body| body.kinetic_energy() - body.form.mass() * gravity.dot(&body.position);
        self.bodies.iter().map(of).sum()
    }

    /// The contacts of the last step, including those that could have closed but did not, in the order of the
    /// sweeps; empty after bodies, boundaries or settings were changed.
    pub fn touches(&self) -> impl Iterator<Item = Touch> {
        self.slabs.iter().flat_map(move |slab| {
            let place = |body: u32| (slab.start + body) as usize;
            slab.contacts.iter().map(move |contact| Touch {
                body: place(contact.bodies[0]),
                partner: if contact.bodies[1] == NO_BODY {
                    self.boundary_of(slab.boundary_pairs[contact.pair as usize][1])
                } else {
                    Partner::Body(place(contact.bodies[1]))
                },
                point: contact.point,
                normal: contact.normal.normalize(),
                gap: contact.gap,
                friction: contact.friction,
                impulse: contact.impulse,
            })
        })
    }

    /// The deepest overlap at the current positions (m, ≥ 0).
    ///
    /// # Errors
    ///
    /// [`Error::Contacts`].
    pub fn overlap(&self) -> Result<f64, Error> {
        let mut copy = self.clone();
        copy.refresh(0.0)?;
        copy.assemble(0.0)?;
        Ok(copy.slabs.iter().map(Slab::overlap).fold(0.0, f64::max))
    }

    /// Marks the list of pairs and the contacts as outdated.
    fn outdated(&mut self) {
        self.recall();
        self.current = false;
        self.slabs.iter_mut().for_each(Slab::forget_contacts);
    }

    /// Advances by one time step.
    ///
    /// # Errors
    ///
    /// [`Error::TooFast`], [`Error::Contacts`], [`Error::Diverged`]; all bodies are then unchanged, except
    /// for their order.
    pub fn step(&mut self) -> Result<Report, Error> {
        parallel::inside(self.slabs.len(), || self.advance())
    }
}

fn check_boundary(index: usize, boundary: &Boundary) -> Result<(), Error> {
    match boundary.fault() {
        Some((name, value, expected)) => Err(Error::Boundary { index, name, value, expected }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
