//! One step of all bodies: search, contacts, sweeps, removal of overlaps, motion.

use nalgebra::{Isometry3, UnitQuaternion, Vector3};
#[cfg(feature = "rayon")]
use rayon::prelude::*;

use percussion_collision::Place;

use super::{
    Bodies, Body, Error, Settings,
    contact::Motion,
    flight,
    servos::divide_servos,
    slab::{Slab, Stand, Start},
    twist::Twist,
};
use crate::{
    halves::{Steps, until},
    parallel, range,
    report::Report,
    wall::Wall,
};

/// Maximum rotation of a body in a step (rad): up to this the equation of free rotation has one solution.
const MOST_TURN: f64 = 0.5;

impl Bodies {
    pub(super) fn advance(&mut self) -> Result<Report, Error> {
        // Surfaces approach at no more than twice the largest speed, which impulses increase only by restitution.
        let bounce = 1.0 + self.materials.restitution();
        let reach = 2.0 * self.settings.step_size * (bounce * self.fastest()?);
        let searched = self.refresh(reach)?;
        self.assemble(reach)?;
        let solved = self.solve();
        let lifting = self.correct();
        self.check_motions()?;
        let report = self.report(solved, lifting, searched);
        self.move_on();
        Ok(report)
    }

    /// The largest speed of a surface after gravity has acted (m/s).
    fn fastest(&self) -> Result<f64, Error> {
        let Settings { step_size, gravity, .. } = self.settings;
        for (body, &identity) in self.bodies.iter().zip(&self.identities) {
            let speed = (body.velocity + step_size * gravity).norm();
            let spin = body.angular_velocity.norm();
            let limits = [
                ("speed", speed, body.form.radius() / step_size),
                ("angular speed", spin, MOST_TURN / step_size),
            ];
            for (name, value, limit) in limits {
                if value.is_nan() || value > limit {
                    return Err(Error::TooFast { identity, name, value, limit });
                }
            }
        }
        Ok(self.speed() + step_size * gravity.norm())
    }

    /// The largest speed of a surface; for boundaries, of points near a body (m/s).
    fn speed(&self) -> f64 {
        let bodies = self.bodies.iter().map(Body::speed);
        let walls = self.walls.speed();
        let walls = self.servos.iter().map(|servo| servo.largest_speed).fold(walls, f64::max);
        bodies.fold(self.speed_of_boundaries().max(walls).max(self.speed_of_surfaces()), f64::max)
    }

    /// The largest speed of the surface of a turning wall near a body, by which friction may accelerate it (m/s).
    fn speed_of_surfaces(&self) -> f64 {
        let turning = self.walls.all().iter();
        let turning = turning.filter(|wall| wall.angular_velocity != Vector3::zeros());
        turning.fold(0.0, |fastest, wall| {
            let spin = wall.angular_velocity.norm();
            let at = |body: &Body| {
                wall.surface_velocity(&body.position).norm() + spin * body.form.radius()
            };
            self.bodies.iter().map(at).fold(fastest, f64::max)
        })
    }

    /// The largest speed of a boundary near a body (m/s).
    fn speed_of_boundaries(&self) -> f64 {
        let (mut fastest, zero) = (0.0, Vector3::zeros());
        for boundary in &self.boundaries {
            if boundary.velocity == zero && boundary.angular_velocity == zero {
                continue;
            }
            let spin = boundary.angular_velocity.norm();
            let at = |body: &Body| {
                boundary.surface_velocity(&body.position).norm() + spin * body.form.radius()
            };
            fastest = self.bodies.iter().map(at).fold(fastest, f64::max);
        }
        fastest
    }

    /// Repeats the search for pairs unless the list certainly contains all pairs with a gap of at most
    /// `reach`; returns whether it did.
    pub(super) fn refresh(&mut self, reach: f64) -> Result<bool, Error> {
        if self.current && self.moved + reach <= self.skin {
            return Ok(false);
        }
        self.recall();
        let radii = |bodies: &[Body]| bodies.iter().map(|body| body.form.radius()).collect();
        let places = |bodies: &[Body]| bodies.iter().map(|body| body.position).collect();
        let (sizes, positions): (Vec<f64>, Vec<_>) = (radii(&self.bodies), places(&self.bodies));
        let diameter = 2.0 * sizes.iter().copied().fold(0.0, f64::max);
        self.skin = self.settings.skin * diameter + 4.0 * reach;
        (self.moved, self.boundaries_moved) = (0.0, 0.0);
        self.travel.clear();
        self.travel.resize(self.bodies.len(), 0.0);
        self.walls.sort(0.5 * diameter + self.skin);
        let order = self.cells.sort(&positions, diameter + self.skin, &self.settings.gravity);
        self.bodies = order.iter().map(|&place| self.bodies[place as usize].clone()).collect();
        self.identities = order.iter().map(|&place| self.identities[place as usize]).collect();
        let (sizes, positions): (Vec<f64>, Vec<_>) = (radii(&self.bodies), places(&self.bodies));
        self.slabs.resize_with(self.cells.slab_count(), Slab::default);
        for (index, slab) in self.slabs.iter_mut().enumerate() {
            let [start, end] = self.cells.places_of(index);
            (slab.index, slab.start, slab.len) = (index, start, end - start);
        }
        let Self { bodies, identities, boundaries, walls, materials, servos, .. } = self;
        let Self { settings, cells, slabs, skin, .. } = self;
        let start =
            Start { bodies, identities, boundaries, walls, materials, servos, settings, reach };
        parallel::each(slabs, &|slab: &mut Slab| {
            let Slab { index, pairs, .. } = slab;
            pairs.clear();
            cells.pairs_of(*index, &positions, &sizes, *skin, &mut |pair| pairs.push(pair));
            slab.list_boundaries(&start, *skin);
            slab.forget_gaps();
        });
        self.current = true;
        self.refuse()?;
        Ok(true)
    }

    /// Sorts the impulses of the last step by name, before the lists of pairs change.
    pub(super) fn recall(&mut self) {
        if !self.memory.is_current {
            let identities = &self.identities;
            let kept =
                |moments| self.slabs.iter().flat_map(move |slab| slab.kept(identities, moments));
            self.memory.fill(kept(false));
            self.moments.fill(kept(true));
        }
    }

    /// Applies gravity and finds the contacts with a gap of at most `reach`.
    pub(super) fn assemble(&mut self, reach: f64) -> Result<(), Error> {
        let kick = self.settings.step_size * self.settings.gravity;
        let Self { bodies, identities, boundaries, walls, materials, servos, .. } = self;
        let Self {
            settings,
            slabs,
            motions,
            places,
            boundary_places,
            wall_places,
            travel,
            memory,
            moments,
            ..
        } = self;
        let stand = |body: &Body| (body.motion(&kick), Place::new(&body.pose()));
        #[cfg(feature = "rayon")]
        bodies.par_iter().with_min_len(128).map(stand).unzip_into_vecs(motions, places);
        #[cfg(not(feature = "rayon"))]
        {
            motions.clear();
            places.clear();
            for (motion, place) in bodies.iter().map(stand) {
                motions.push(motion);
                places.push(place);
            }
        }
        boundary_places.clear();
        boundary_places.extend(boundaries.iter().map(|boundary| Place::new(&boundary.pose)));
        wall_places.clear();
        let place = |wall: &Wall| Place::new(&Isometry3::from(wall.surface.reference()));
        wall_places.extend(walls.all().iter().map(place));
        let start =
            Start { bodies, identities, boundaries, walls, materials, servos, settings, reach };
        let stand =
            Stand { start, places, boundary_places, wall_places, travel, motions, memory, moments };
        parallel::each(slabs, &|slab: &mut Slab| slab.assemble(&stand));
        if !servos.is_empty() {
            divide_servos(servos, slabs, settings.step_size);
            parallel::each(slabs, &|slab: &mut Slab| slab.take_over(&stand));
        }
        self.refuse()
    }

    /// Returns the first error of the search for contacts.
    fn refuse(&mut self) -> Result<(), Error> {
        let faults: Vec<Error> = self.slabs.iter_mut().filter_map(|s| s.fault.take()).collect();
        match faults.first() {
            None => Ok(()),
            Some(&error) => {
                self.outdated();
                Err(error)
            }
        }
    }

    /// Sweeps until the relative residual meets the tolerance; returns the number of sweeps, the residual and
    /// its reference velocity.
    fn solve(&mut self) -> (usize, f64, f64) {
        let Self { slabs, motions, .. } = self;
        parallel::alternate(slabs, motions, false, &|slab, motions| slab.warm_start(motions));
        let scale = slabs.iter().map(|slab| slab.scale).fold(0.0, f64::max);
        let scale = if scale > 0.0 { scale } else { 1.0 };
        if !self.servos.is_empty() {
            let (sweeps, residual) = self.sweep_with_servos(self.settings.tolerance * scale);
            return (sweeps, residual, scale);
        }
        let Self { settings, slabs, motions, .. } = self;
        let steps = Steps {
            sweep: |slab: &mut Slab, motions: &mut [Motion], backwards| {
                slab.sweep(settings, backwards, motions);
            },
            change: |slab: &Slab| slab.change,
            certify: |slab: &mut Slab, motions: &[Motion]| slab.certify(settings, motions),
            residual: |slab: &Slab| slab.account.residual,
        };
        let end = (settings.tolerance * scale, settings.max_sweeps);
        let (sweeps, residual) = until(slabs, motions, end, &steps);
        (sweeps, residual, scale)
    }

    /// Computes the shifts that remove overlaps, and returns the gravitational energy that they add (J).
    fn correct(&mut self) -> f64 {
        let Self { settings, bodies, slabs, motions, shifts, .. } = self;
        shifts.clear();
        shifts.resize(bodies.len(), Twist::new(Vector3::zeros(), Vector3::zeros()));
        let deepest = slabs.iter().map(|slab| slab.account.overlap).fold(0.0, f64::max);
        if deepest == 0.0 {
            return 0.0;
        }
        parallel::each(slabs, &|slab: &mut Slab| {
            slab.prepare_pushes(settings, &motions[slab.start as usize..], deepest);
        });
        for _ in 0..settings.correction_sweeps {
            parallel::alternate(slabs, shifts, false, &|slab, shifts| slab.push(shifts));
        }
        let lifting = |(body, shift): (&Body, &Twist)| {
            -body.form.mass() * settings.gravity.dot(&shift.linear())
        };
        bodies.iter().zip(&*shifts).map(lifting).sum()
    }

    /// Checks that all velocities and shifts are in range.
    fn check_motions(&mut self) -> Result<(), Error> {
        let step = self.settings.step_size;
        let diverged = |place: usize| {
            let (twist, shift) = (&self.motions[place].twist, &self.shifts[place]);
            let turn = step * twist.angular();
            let vectors = [
                ("velocity", twist.linear()),
                ("angular velocity", twist.angular()),
                ("turn", turn),
                ("displacement", shift.linear()),
                ("tilt", shift.angular()),
            ];
            let fault = |(name, vector): (&'static str, Vector3<f64>)| {
                Some((name, range::unbounded(vector.as_slice())?))
            };
            let (name, value) = vectors.into_iter().find_map(fault)?;
            Some(Error::Diverged { identity: self.identities[place], name, value })
        };
        match (0..self.bodies.len()).find_map(diverged) {
            None => Ok(()),
            Some(error) => {
                self.outdated();
                Err(error)
            }
        }
    }

    /// Stores the impulses and moves bodies and boundaries by their velocities and shifts.
    fn move_on(&mut self) {
        parallel::each(&mut self.slabs, &Slab::keep);
        self.memory.is_current = false;
        self.moments.is_current = false;
        self.keep_servos();
        let step = self.settings.step_size;
        let Self { bodies, motions, shifts, travel, .. } = self;
        #[cfg(feature = "rayon")]
        let bodies = bodies.par_iter_mut().zip(travel).with_min_len(128);
        #[cfg(not(feature = "rayon"))]
        let bodies = bodies.iter_mut().zip(travel);
        bodies.enumerate().for_each(|(place, (body, travel))| {
            let (twist, shift) = (&motions[place].twist, &shifts[place]);
            let (turned, spin) =
                flight::turn(&body.orientation, &twist.angular(), body.form.inertia(), step);
            let tilt = UnitQuaternion::from_scaled_axis(shift.angular());
            let orientation = UnitQuaternion::new_normalize((tilt * turned).into_inner());
            let way = step * twist.linear() + shift.linear();
            // A rotation by the angle θ moves a point at the distance r by 2 r sin(θ/2), and changes the quaternion by
            // 2 sin(θ/4) or more.
            let change = (orientation.coords - body.orientation.coords).norm();
            *travel += way.norm() + 2.0 * body.form.radius() * change;
            body.velocity = twist.linear();
            body.angular_velocity = tilt * spin;
            body.orientation = orientation;
            body.position += way;
        });
        // Bodies approach each other by both of their ways. A boundary that turns moves a little more than by its speed
        // at the end of the way of a body.
        self.boundaries_moved +=
            2.0 * step * self.speed_of_boundaries() + step * self.walls.speed();
        let farthest = self.travel.iter().copied().fold(0.0, f64::max);
        self.moved = 2.0 * farthest + self.boundaries_moved;
        self.boundaries.iter_mut().for_each(|boundary| boundary.advance(step));
        self.walls.advance(step);
        self.steps += 1;
        self.time += step;
    }

    fn report(&self, solved: (usize, f64, f64), lifting: f64, searched: bool) -> Report {
        let accounts = self.slabs.iter().map(|slab| &slab.account);
        Report {
            candidates: self.slabs.iter().map(|slab| slab.contacts.len()).sum(),
            overlap: self.slabs.iter().map(Slab::overlap).fold(0.0, f64::max),
            lifting,
            searched,
            ..Report::of(accounts, solved, self.settings.tolerance)
        }
    }
}
