//! The servos near the bodies of a slab, during a step: [`Copies`].
//!
//! A servo of mass `M` along `d`, of which `k` slabs have copies, is one more body of the sweeps: it has no inverse mass, but
//! turns about an axis `e ⟂ d` with `I⁻¹ = (k/M) e eᵀ`, and all its contacts have the arm `d × e`. Then
//!
//! ```math
//! \omega = V e \;\Rightarrow\; \omega \times (d \times e) = V d,\qquad
//! \Delta V = \tfrac kM\, e \cdot \bigl((d \times e) \times p\bigr) = \tfrac kM\, d \cdot p ,
//! ```
//!
//! so that the block of a contact is exactly `W + (k/M) d dᵀ` and no contact knows what its wall is. What the copies of one
//! servo have received is added up after each sweep, as in [`servo`](crate::servo).

use nalgebra::Vector3;

use super::{Slab, Start};
use crate::{
    bodies::{
        contact::{Motion, NO_BODY, Yielding},
        twist::Twist,
    },
    grains::narrow,
    servo::Servo,
};

/// A servo as a body.
#[derive(Clone, Copy, Debug)]
struct Copied {
    /// `e` and `d × e`.
    axis: Vector3<f64>,
    arm: Vector3<f64>,
    /// Along the direction (m/s).
    velocity: f64,
    /// The change of velocity in the step without bodies (m/s).
    gain: Vector3<f64>,
    /// `k/M` (kg⁻¹), zero before it is divided.
    inverse_mass: f64,
    /// Sum of the impulses of the bodies of the slab on it along the direction (N·s).
    impulse: f64,
    is_near: bool,
}

impl Copied {
    fn new(servo: &Servo) -> Self {
        let direction = servo.direction.into_inner();
        // The coordinate axis that is least along the direction is farthest from it.
        let across = direction.cross(&Vector3::ith(direction.iamin(), 1.0));
        let axis = across / across.norm();
        let arm = direction.cross(&axis);
        let gain = Vector3::zeros();
        Self { axis, arm, velocity: 0.0, gain, inverse_mass: 0.0, impulse: 0.0, is_near: false }
    }

    fn motion(&self) -> Motion {
        let Self { axis, velocity, inverse_mass, .. } = self;
        let inverse_inertia = *inverse_mass * axis * axis.transpose();
        Motion {
            twist: Twist::new(Vector3::zeros(), *velocity * axis),
            yielding: Yielding::new(0.0, &inverse_inertia),
        }
    }
}

/// In place of the servo of a contact.
const NONE: u32 = u32::MAX;

/// The copies of all servos in a slab that has contacts with some, or none.
#[derive(Clone, Debug, Default)]
pub(super) struct Copies {
    all: Vec<Copied>,
    /// Of each contact the number of its servo, or [`NONE`].
    of_contacts: Vec<u32>,
    /// Number of bodies from the first of the slab up to the last that has a contact.
    reach: usize,
    /// These bodies and behind them the copies, during a sweep.
    motions: Vec<Motion>,
}

impl Copies {
    pub(super) fn clear(&mut self) {
        self.all.clear();
        self.of_contacts.clear();
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The place behind the bodies of the servo of this contact, and the arm of its contacts.
    #[inline]
    pub(super) fn of(&self, contact: u32) -> Option<(u32, Vector3<f64>)> {
        let servo = *self.of_contacts.get(contact as usize)?;
        let copy = self.all.get(servo as usize)?;
        Some((narrow(self.reach) + servo, copy.arm))
    }

    /// The change of velocity of the servo at this place (m/s).
    pub(super) fn gain(&self, place: u32) -> Vector3<f64> {
        self.all[place as usize - self.reach].gain
    }

    /// The bodies of these motions, which begin with those of the slab, with the copies behind them.
    pub(super) fn lend(&mut self, motions: &[Motion]) -> &mut [Motion] {
        let Self { all, reach, motions: lent, .. } = self;
        lent.clear();
        lent.extend_from_slice(&motions[..*reach]);
        lent.extend(all.iter().map(Copied::motion));
        lent
    }

    /// The motions that were lent.
    pub(super) fn lent(&self) -> &[Motion] {
        &self.motions
    }

    /// Takes over what was done with the motions that were lent.
    pub(super) fn take_back(&mut self, motions: &mut [Motion]) {
        let Self { all, reach, motions: lent, .. } = self;
        motions[..*reach].copy_from_slice(&lent[..*reach]);
        for (copy, after) in all.iter_mut().zip(&lent[*reach..]) {
            let change = copy.axis.dot(&(after.twist.angular() - copy.velocity * copy.axis));
            if change != 0.0 {
                copy.velocity += change;
                copy.impulse += change / copy.inverse_mass;
            }
        }
    }

    /// The work of the servos on bodies by their own motion (J).
    pub(super) fn work(&self) -> f64 {
        self.all.iter().map(|copy| -copy.impulse * copy.velocity).sum()
    }
}

impl Slab {
    /// Notes which servos are near, and takes their motions out of those of the surfaces.
    pub(super) fn note_servos(&mut self, Start { boundaries, walls, servos, .. }: &Start<'_>) {
        let Self { boundary_pairs, contacts, copies, .. } = self;
        for contact in &mut *contacts {
            let wall = boundary_pairs.get(contact.pair as usize).and_then(|[_, boundary]| {
                let piece = boundary.checked_sub(narrow(boundaries.len()))?;
                Some(walls.piece(piece).wall as usize)
            });
            let drives = |wall| servos.iter().position(|servo| servo.walls.contains(&wall));
            let Some((wall, servo)) = wall.and_then(|wall| Some((wall, drives(wall)?))) else {
                copies.of_contacts.push(NONE);
                continue;
            };
            if copies.all.is_empty() {
                copies.all.extend(servos.iter().map(Copied::new));
            }
            copies.all[servo].is_near = true;
            copies.of_contacts.push(narrow(servo));
            contact.drive -= walls.all()[wall].velocity;
        }
        let bodies = contacts.iter().flat_map(|contact| contact.bodies);
        let last = bodies.filter(|body| *body != NO_BODY).max();
        copies.reach = last.map_or(0, |last| last as usize + 1);
    }

    /// Whether servo `index` is near.
    pub(in crate::bodies) fn is_near_servo(&self, index: usize) -> bool {
        self.copies.all.get(index).is_some_and(|copy| copy.is_near)
    }

    /// Divides the mass of each servo among so many copies, which begin without impulses.
    pub(in crate::bodies) fn divide_servos(&mut self, servos: &[Servo], counts: &[f64], step: f64) {
        for ((copy, servo), count) in self.copies.all.iter_mut().zip(servos).zip(counts) {
            copy.inverse_mass = count / servo.mass;
            copy.velocity = servo.velocity_with(0.0, step);
            copy.gain = servo.gain(step);
        }
    }

    /// The sum of impulses on servo `index` (N·s).
    pub(in crate::bodies) fn servo_impulse(&self, index: usize) -> f64 {
        self.copies.all.get(index).map_or(0.0, |copy| copy.impulse)
    }

    /// Sets the velocities of all servos (m/s).
    pub(in crate::bodies) fn unite_servos(&mut self, velocities: &[f64]) {
        for (copy, velocity) in self.copies.all.iter_mut().zip(velocities) {
            copy.velocity = *velocity;
        }
    }
}
