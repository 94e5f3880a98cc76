//! Walls that are driven by a force: [`Servo`], and their contacts with the grains of a slab.
//!
//! A servo has a mass and moves along its direction `d` by Newton's law, in the same step as the grains: with the contact
//! impulses `p_i` on the grains, its speed changes from `V` to
//!
//! ```math
//! V' = \min\Bigl(V_\mathrm{max},\ \max\Bigl(-V_\mathrm{max},\ V + \tfrac1M\bigl(\delta t\, F - \textstyle\sum_i d\cdot p_i\bigr)\Bigr)\Bigr),
//! ```
//!
//! and contacts are solved for the velocities at the end, `V'` among them. At rest the grains therefore carry exactly `F`,
//! within the tolerance of the sweeps. A step changes the energy `½ M V² + T` of servo and grains by `−½ M (V' − V)² − …` and
//! by the works of the force and of gravity, so it is stable for every `M > 0` and every step; the largest speed only takes
//! energy. A controller that measures the force of a step and corrects the speed for the next one by a gain has no such
//! range: hard contacts of grains that are jammed answer any speed with any force.
//!
//! **Parallel sweeps.** A servo touches grains of many slabs, which are swept at the same time. As grains between
//! [ranks](crate::decomposition), it has a copy in each slab where something is near it; of `k` copies each has the mass
//! `M/k`, and after every sweep all take the velocity that follows from the sum of all impulses. The sum is taken over slabs
//! in their order and then over ranks, so that it does not depend on the number of threads.
//!
//! Contacts of spheres have an upper bound of the block with the servo, those of [bodies](crate::bodies) the block itself.
//!
//! # Source
//!
//! The copies are those of R. Tonge, F. Benevolenski, A. Voroshilov, "Mass splitting for jitter-free parallel rigid body
//! simulation", *ACM Transactions on Graphics* 31 (2012) 105; the wall with a mass is ours.

use std::ops::Range;

use nalgebra::{Unit, Vector3};

use crate::{
    contact::{Account, WallContact, larger},
    grains::Motion,
    range,
    rolling::WallTurn,
    settings::Error,
    wall::Wall,
};

/// A force that drives walls along a direction.
///
/// # Example
///
/// A lid of 2 kg presses a ball of 1 kg onto the floor with 30 N, so that the floor carries 39.81 N.
///
/// ```
/// use nalgebra::Vector3;
/// use percussion_granular::{Grain, Servo, Settings, Wall, World};
///
/// let floor = Wall::plane(Vector3::zeros(), Vector3::z(), 0.4);
/// let lid = Wall::plane(Vector3::new(0.0, 0.0, 0.25), -Vector3::z(), 0.4);
/// let mut world = World::new(Settings::default(), vec![floor, lid])?;
/// world.set_servos(vec![Servo::new(1..2, -Vector3::z_axis(), 30.0, 2.0, 0.5)])?;
/// world.add(&Grain::at(Vector3::new(0.0, 0.0, 0.1), 0.1, 1.0))?;
/// for _ in 0..500 {
///     world.step()?;
/// }
/// let floor: f64 = world.touches().filter(|touch| touch.normal.z > 0.0).map(|t| t.impulse.z).sum();
/// assert!((floor / 1e-3 - 39.81).abs() < 0.01);
/// # Ok::<(), percussion_granular::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Servo {
    /// The walls that it moves; no wall has two servos.
    pub walls: Range<usize>,
    /// Direction of motion and force.
    pub direction: Unit<Vector3<f64>>,
    /// Force on the walls along the direction (N), without that of the grains; gravity does not act on them.
    pub force: f64,
    /// Mass of the walls (kg), from `1e-75` to `1e75`.
    pub mass: f64,
    /// Largest speed (m/s), positive.
    pub largest_speed: f64,
    /// Velocity along the direction (m/s). The velocity of the walls is this in every step; walls that are
    /// [absent](Wall::absent) do not move.
    pub velocity: f64,
}

impl Servo {
    /// A servo at rest.
    #[must_use]
    pub const fn new(
        walls: Range<usize>,
        direction: Unit<Vector3<f64>>,
        force: f64,
        mass: f64,
        largest_speed: f64,
    ) -> Self {
        Self { walls, direction, force, mass, largest_speed, velocity: 0.0 }
    }

    /// The first entry that is invalid.
    fn fault(&self) -> Option<(&'static str, f64, &'static str)> {
        if !range::is_bounded(self.force) {
            return Some(("force of the servo", self.force, range::BOUNDED));
        }
        if !range::is_positive(self.mass) {
            return Some(("mass of the servo", self.mass, range::POSITIVE));
        }
        if !range::is_positive(self.largest_speed) {
            return Some(("largest speed of the servo", self.largest_speed, range::POSITIVE));
        }
        if !range::is_bounded(self.velocity) {
            return Some(("velocity of the servo", self.velocity, range::BOUNDED));
        }
        let direction = self.direction.as_slice();
        (!range::is_unit(direction)).then(|| ("norm of the direction", self.direction.norm(), "1"))
    }

    /// The change of velocity in a step without grains (m/s).
    pub(crate) fn gain(&self, step: f64) -> Vector3<f64> {
        (self.velocity_with(0.0, step) - self.velocity) * self.direction.into_inner()
    }

    /// The velocity with a sum of impulses of grains on it along the direction (N·s).
    pub(crate) fn velocity_with(&self, impulse: f64, step: f64) -> f64 {
        let free = self.velocity + (step * self.force + impulse) / self.mass;
        free.clamp(-self.largest_speed, self.largest_speed)
    }
}

/// Refuses servos that are invalid, that move walls that do not exist, or the same wall.
pub(crate) fn check(servos: &[Servo], walls: usize) -> Result<(), Error> {
    for (index, servo) in servos.iter().enumerate() {
        let wall = servo.walls.start;
        if let Some((name, value, expected)) = servo.fault() {
            return Err(Error::Wall { index: wall, name, value, expected });
        }
        let (name, end) = ("end of the walls of a servo", servo.walls.end);
        if servo.walls.is_empty() || end > walls {
            let expected = "walls that exist, at least one";
            return Err(Error::Wall { index: wall, name, value: end as f64, expected });
        }
        let meets = |other: &Servo| wall < other.walls.end && other.walls.start < end;
        if servos[..index].iter().any(meets) {
            let expected = "walls without another servo";
            return Err(Error::Wall { index: wall, name, value: end as f64, expected });
        }
    }
    Ok(())
}

/// Replaces the sums of impulses of grains on servos along their directions (N·s) by the velocities that follow; servos of
/// absent walls wait.
pub(crate) fn velocities(servos: &[Servo], walls: &[Wall], sums: &mut [f64], step: f64) {
    for (servo, sum) in servos.iter().zip(sums) {
        let absent = walls[servo.walls.start].absent;
        *sum = if absent { 0.0 } else { servo.velocity_with(*sum, step) };
    }
}

/// A servo as a slab sees it during a step.
#[derive(Clone, Copy, Debug)]
struct Copied {
    direction: Vector3<f64>,
    velocity: f64,
    /// `k/M` (kg⁻¹).
    inverse_mass: f64,
    /// Sum of the impulses of the grains of the slab on it along the direction (N·s).
    impulse: f64,
    /// Whether it has contacts.
    is_near: bool,
}

/// A contact with a wall that has a servo; the velocity of the wall is that of its surface without the servo.
#[derive(Clone, Copy, Debug)]
struct ServoContact {
    contact: WallContact,
    servo: u32,
}

/// The contacts of the grains of a slab with servos.
#[derive(Clone, Debug, Default)]
pub(crate) struct ServoContacts {
    contacts: Vec<ServoContact>,
    /// One for each contact, or none.
    turns: Vec<WallTurn>,
    copies: Vec<Copied>,
}

impl ServoContacts {
    /// Deletes all contacts.
    pub(crate) fn clear(&mut self) {
        self.contacts.clear();
        self.turns.clear();
        self.copies.clear();
    }

    /// Begins a step with these servos.
    pub(crate) fn begin(&mut self, servos: &[Servo]) {
        self.clear();
        self.copies.extend(servos.iter().map(|servo| Copied {
            direction: servo.direction.into_inner(),
            velocity: servo.velocity,
            inverse_mass: 0.0,
            impulse: 0.0,
            is_near: false,
        }));
    }

    /// Number of contacts.
    pub(crate) fn len(&self) -> usize {
        self.contacts.len()
    }

    /// The contacts.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &WallContact> {
        self.contacts.iter().map(|contact| &contact.contact)
    }

    /// Their moments, or none.
    pub(crate) fn turns(&self) -> impl Iterator<Item = &WallTurn> {
        self.turns.iter()
    }

    /// Adds a contact with a servo; `drive` contains the motion of the servo.
    pub(crate) fn push(&mut self, mut contact: WallContact, turn: Option<WallTurn>, servo: usize) {
        let copy = &mut self.copies[servo];
        copy.is_near = true;
        contact.drive -= copy.velocity * copy.direction;
        self.turns.extend(turn);
        self.contacts.push(ServoContact { contact, servo: crate::grains::narrow(servo) });
    }

    /// Whether there are contacts with each servo.
    pub(crate) fn near(&self) -> impl Iterator<Item = bool> {
        self.copies.iter().map(|copy| copy.is_near)
    }

    /// Divides the mass of each servo among so many copies, and applies the impulses carried over.
    pub(crate) fn divide(&mut self, servos: &[Servo], counts: &[f64]) {
        for ((copy, servo), count) in self.copies.iter_mut().zip(servos).zip(counts) {
            copy.inverse_mass = count / servo.mass;
        }
        for ServoContact { contact, servo } in &mut self.contacts {
            let copy = &mut self.copies[*servo as usize];
            let along = copy.direction.dot(&contact.law.normal);
            let across = (1.0 - along * along).max(0.0);
            let both = along.abs() * across.sqrt();
            // An upper bound of the block, which is exact where the direction is along or across the normal.
            let [normal, tangent] = contact.law.mass.map(f64::recip);
            contact.law.mass = [
                1.0 / (normal + copy.inverse_mass * (along * along + both)),
                1.0 / (tangent + copy.inverse_mass * (across + both)),
            ];
            copy.impulse -= contact.law.impulse.dot(&copy.direction);
        }
    }

    /// The sums of impulses on servo `index` (N·s).
    pub(crate) fn impulse(&self, index: usize) -> f64 {
        self.copies.get(index).map_or(0.0, |copy| copy.impulse)
    }

    /// Sets the velocities of all servos.
    pub(crate) fn unite(&mut self, velocities: &[f64]) {
        for (copy, velocity) in self.copies.iter_mut().zip(velocities) {
            copy.velocity = *velocity;
        }
    }

    /// Applies to the grains the impulses carried over.
    pub(crate) fn warm_start(&self, motions: &mut [Motion]) {
        for ServoContact { contact, .. } in &self.contacts {
            contact.push(&contact.law.impulse, motions);
        }
        self.turns.iter().for_each(|turn| turn.warm_start(motions));
    }

    /// Solves every contact in turn with the others fixed. Returns the square of the largest natural map before (m/s)².
    pub(crate) fn sweep(&mut self, motions: &mut [Motion], backwards: bool) -> f64 {
        let Self { contacts, turns, copies } = self;
        let mut change = 0.0;
        for done in 0..contacts.len() {
            let at = if backwards { contacts.len() - 1 - done } else { done };
            let ServoContact { contact, servo } = &mut contacts[at];
            let copy = &mut copies[*servo as usize];
            let velocity = contact.velocity(motions) - copy.velocity * copy.direction;
            let pushed = contact.law.update(&velocity);
            let squared = pushed.norm_squared();
            if squared > 0.0 {
                contact.push(&pushed, motions);
                let along = pushed.dot(&copy.direction);
                copy.velocity -= copy.inverse_mass * along;
                copy.impulse -= along;
            }
            let yields = motions[contact.grain as usize].contact_yield() + copy.inverse_mass;
            change = larger(change, squared * yields * yields);
            if let Some(turn) = turns.get_mut(at) {
                change = larger(change, turn.sweep(&contact.law, motions));
            }
        }
        change
    }

    /// Evaluates the impulses with the velocities after them; `see` gets each contact with its gap (m) at the end of the step.
    pub(crate) fn certify(
        &self,
        motions: &[Motion],
        step: f64,
        account: &mut Account,
        mut see: impl FnMut(&WallContact, f64),
    ) {
        for ServoContact { contact, servo } in &self.contacts {
            let copy = &self.copies[*servo as usize];
            let drive = contact.drive + copy.velocity * copy.direction;
            let contact = WallContact { drive, ..*contact };
            contact.certify(motions, step, account);
            see(&contact, contact.end_gap(motions, step));
        }
        for (ServoContact { contact, .. }, turn) in self.contacts.iter().zip(&self.turns) {
            turn.certify(&contact.law, motions, account);
        }
    }
}

/// Makes walls move as their servos do.
pub(crate) fn drive(servos: &[Servo], walls: &mut [Wall]) {
    for servo in servos {
        for wall in &mut walls[servo.walls.clone()] {
            wall.velocity = servo.velocity * servo.direction.into_inner();
        }
    }
}
