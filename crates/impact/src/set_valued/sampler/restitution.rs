//! A step with restitution, followed from event to event without an error of steps.
//!
//! Over a parameter `τ` from 0 to 1, a contact that may push does so at the rate of its increment `λ̄_i`, so that
//! it pushes `λ̄_i` in a whole step, as it does without restitution. Each contact has a stored energy `E_i ≥ 0`:
//!
//! ```math
//! \frac{dE_i}{d\tau} = -e_i^2\, u_{n,i} \lambda_{n,i} \text{ while } u_{n,i} < 0, \qquad
//! \frac{dE_i}{d\tau} = -u_{n,i} \lambda_{n,i} \text{ while } u_{n,i} > 0 .
//! ```
//!
//! | mode | where | rate of the normal impulse |
//! | --- | --- | --- |
//! | pushes | `u_n < 0` or `E > 0` | `λ̄` |
//! | held | `u_n = 0` and `E = 0` | what keeps `u_n = 0`, from 0 to `λ̄`; beyond, it opens or is compressed |
//! | free | `u_n > 0` and `E = 0` | 0 |
//!
//! Friction follows the present slip, in the directions of the polygon. Where a contact is held or sticks, the
//! rates are the solution of the step's LCP, in which velocities that are not zero are so large that no rate
//! changes their sign. Between events the velocity is linear in `τ` and the stored energies are quadratic, so that
//! events are roots of polynomials of degree 1 and 2.
//!
//! # Source
//!
//! W. J. Stronge, "Rigid body collisions with friction", *Proceedings of the Royal Society of London A* 431
//! (1990) 169–181 (the energy of one contact). Several contacts at arbitrary rates are our own; the chapter on
//! restitution of the book has the derivation.

use nalgebra::DVector;

use super::{Sampler, Solutions, Termination};
use crate::{Problem, set_valued::frame::Frame};

mod events;

pub(crate) use events::Event;

/// Maximum number of events in a step; the rest of such a step is left out, and counted.
const MOST_EVENTS: usize = 1000;

/// Fraction of a natural speed that is rounding.
const ROUNDING: f64 = 1e-12;

/// Slip in space below this multiple of rounding is none: where friction with few directions turns the slip round
/// and round while it fades, its ever smaller turns would be endless.
const SPIRAL: f64 = 100.0;

/// Fraction of the largest possible growth that is rounding of the LCP's solution.
const STILL: f64 = 1e-11;

/// How far a velocity that is not zero lies beyond all changes, in units of these.
const BEYOND: f64 = 4.0;

/// What a contact does between two events.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Mode {
    Pushes,
    Held,
    Free,
}

/// A piece of a step, from one event to the next.
#[derive(Clone, Debug)]
pub(crate) struct Recorded {
    pub(crate) modes: Vec<Mode>,
    /// Contact velocity at its beginning, and the change of it in the piece (length `r`, m/s).
    pub(crate) velocity: DVector<f64>,
    pub(crate) change: DVector<f64>,
    /// Impulses (length `r`, N·s), and the increments of the step.
    pub(crate) impulse: DVector<f64>,
    pub(crate) increments: Vec<f64>,
    /// Its part of the step, and whether it is the first one of the step.
    pub(crate) length: f64,
    pub(crate) begins: bool,
    /// `None` at the end of the step.
    pub(crate) event: Option<Event>,
}

/// The stored energies, and the memory of a piece.
#[derive(Clone, Debug)]
pub(super) struct Stores {
    /// `e²` of each contact.
    squares: Vec<f64>,
    /// `E` of each contact (J).
    pub(super) energies: Vec<f64>,
    modes: Vec<Mode>,
    /// The velocities from which the problem of the rates is stated, now and for the piece before.
    seen: DVector<f64>,
    seen_before: DVector<f64>,
    /// Whether the rates for `seen_before` are known.
    has_rates: bool,
    /// Change of the contact velocity per unit of `τ`, and a bound of it for the increments of the step.
    growth: DVector<f64>,
    most: DVector<f64>,
    /// The rows that are held or stick, and the equations of their impulses.
    still: Vec<usize>,
    system: Vec<f64>,
    right: Vec<f64>,
    /// The increments of the step, the rates in units of them, and its impulses so far.
    increments: Vec<f64>,
    unit: f64,
    total: DVector<f64>,
    /// The pieces so far, where they are recorded.
    pub(super) record: Option<Vec<Recorded>>,
    /// Number of pieces of the sample, and number of steps that were cut because they had too many pieces.
    pub(super) pieces: u64,
    pub(super) cut: u64,
}

impl Stores {
    /// Returns `None` when no contact of `problem` has restitution.
    pub(super) fn new(problem: &Problem) -> Option<Self> {
        let contacts = problem.contacts();
        contacts.iter().any(|contact| contact.restitution > 0.0).then(|| Self::empty(problem))
    }

    pub(super) fn empty(problem: &Problem) -> Self {
        let contacts = problem.contacts();
        let rows = DVector::zeros(problem.contact_jacobian().nrows());
        Self {
            squares: contacts.iter().map(|contact| contact.restitution.powi(2)).collect(),
            energies: vec![0.0; contacts.len()],
            modes: vec![Mode::Free; contacts.len()],
            seen: rows.clone(),
            seen_before: rows.clone(),
            has_rates: false,
            growth: rows.clone(),
            most: rows.clone(),
            still: Vec::with_capacity(rows.len()),
            system: vec![0.0; rows.len() * rows.len()],
            right: vec![0.0; rows.len()],
            increments: vec![0.0; contacts.len()],
            unit: 1.0,
            total: rows,
            record: None,
            pieces: 0,
            cut: 0,
        }
    }

    pub(super) fn restart(&mut self) {
        self.energies.fill(0.0);
        (self.pieces, self.cut) = (0, 0);
    }

    /// Whether no contact has stored more than a kinetic energy of its own at the speed `rest` (m/s). A contact that
    /// jams may never give such a rest back.
    fn are_empty(&self, problem: &Problem, frames: &[Frame], rest: f64) -> bool {
        self.energies.iter().zip(frames).all(|(energy, frame)| {
            let response = problem.delassus()[(frame.row, frame.row)];
            *energy <= 0.0 || energy * response <= 0.5 * rest * rest
        })
    }

    /// Bounds the growth of each row by that of all impulses of the step in their most harmful directions.
    fn bound_growth(&mut self, problem: &Problem, frames: &[Frame]) {
        let delassus = problem.delassus();
        self.most.fill(0.0);
        for (frame, increment) in frames.iter().zip(&self.increments) {
            for column in frame.row..=frame.row + frame.tangents {
                let bound = if column == frame.row { 1.0 } else { frame.friction } * increment;
                for (most, w) in self.most.iter_mut().zip(delassus.column(column).iter()) {
                    *most += bound * w.abs();
                }
            }
        }
    }
}

impl Sampler<'_> {
    /// Takes the step with the increments drawn.
    pub(super) fn advance_with(&mut self, stores: &mut Stores) {
        self.lcps += 1;
        stores.total.fill(0.0);
        stores.unit = self.set_rates(stores);
        stores.has_rates = false;
        let mut left = 1.0 / stores.unit;
        let mut events = 0;
        loop {
            self.termination =
                if self.is_over(stores) { Termination::Separated } else { Termination::Limit };
            if self.termination == Termination::Separated || left <= 0.0 {
                break;
            }
            if events == MOST_EVENTS {
                stores.cut += 1;
                break;
            }
            if !self.find_rates(stores) {
                self.termination = Termination::Unsolved;
                break;
            }
            let (length, event) = self.first_event(stores, left);
            self.record(stores, (length, left), event, events == 0);
            left = if length < left { left - length } else { 0.0 };
            self.follow(stores, length, event);
            events += 1;
            stores.pieces += 1;
        }
        self.increments.copy_from_slice(&stores.increments);
        self.step_impulse.copy_from(&stores.total);
        self.impulse += &self.step_impulse;
    }

    fn record(&self, stores: &mut Stores, (length, left): (f64, f64), event: Event, begins: bool) {
        let Some(mut pieces) = stores.record.take() else { return };
        pieces.push(Recorded {
            modes: stores.modes.clone(),
            velocity: self.contact_velocity.clone(),
            change: &stores.growth * length,
            impulse: &self.step_impulse * length,
            increments: stores.increments.clone(),
            length: length * stores.unit,
            begins,
            event: (length < left).then_some(event),
        });
        stores.record = Some(pieces);
    }

    /// Follows the sample `index` and returns its pieces; `None` where no contact has restitution.
    pub(crate) fn pieces_of(&mut self, index: u64) -> Option<Vec<Recorded>> {
        self.stores.as_mut()?.record = Some(Vec::new());
        self.run(index);
        self.stores.as_mut()?.record.take()
    }

    /// Replaces the increments by rates that change velocities by their natural size, so that the problem of the
    /// rates is as accurate for large and small increments; returns the rates in units of the increments.
    fn set_rates(&mut self, stores: &mut Stores) -> f64 {
        stores.increments.copy_from_slice(&self.increments);
        stores.bound_growth(self.problem, &self.statement.frames);
        let sizes = stores.most.iter().enumerate().filter(|(_, most)| **most > 0.0);
        let unit =
            sizes.map(|(row, most)| self.units.speed(row) / most).fold(f64::INFINITY, f64::min);
        if !(unit.is_normal() && (1.0 / unit).is_normal()) {
            return 1.0;
        }
        self.increments.iter_mut().for_each(|increment| *increment *= unit);
        stores.most *= unit;
        unit
    }

    fn is_over(&self, stores: &Stores) -> bool {
        let rest = self.settings.tolerance * self.speed;
        stores.are_empty(self.problem, &self.statement.frames, rest) && !self.approaches()
    }

    /// Finds the modes and writes the impulses per unit of `τ` into the impulses of the step; returns whether the
    /// problem of the rates was solved.
    fn find_rates(&mut self, stores: &mut Stores) -> bool {
        std::mem::swap(&mut stores.seen, &mut stores.seen_before);
        let undecided = self.see(stores);
        // A contact that stops approaching and expands changes nothing.
        if stores.has_rates
            && stores.seen == stores.seen_before
            && !stores.modes.contains(&Mode::Held)
        {
            return true;
        }
        stores.has_rates = true;
        if !undecided {
            self.push_and_slide(stores);
        } else if !self.hold_and_stick(stores) {
            std::mem::swap(&mut self.contact_velocity, &mut stores.seen);
            let mut figures = self.solve_step();
            std::mem::swap(&mut self.contact_velocity, &mut stores.seen);
            // The energy is judged where the velocities are the true ones, and impulses are those of a whole step.
            figures.energy_gain = 0.0;
            figures.adhesion /= stores.unit;
            figures.cone_violation /= stores.unit;
            self.figures.raise(&figures);
            if !self.is_solved(&figures) {
                return false;
            }
        }
        stores.growth.gemv(1.0, self.problem.delassus(), &self.step_impulse, 0.0);
        for (frame, mode) in self.statement.frames.iter().zip(&mut stores.modes) {
            let n = frame.row;
            if *mode == Mode::Held {
                self.contact_velocity[n] = 0.0;
                if stores.growth[n].abs() <= STILL * stores.most[n] {
                    stores.growth[n] = 0.0;
                } else if stores.growth[n] < 0.0 {
                    *mode = Mode::Pushes;
                }
            }
            // What sticks and does not begin to slide remains at rest exactly.
            let tangents = n + 1..n + 1 + frame.tangents;
            if frame.tangents > 0 && tangents.clone().all(|row| stores.seen[row] == 0.0) {
                let still = |row: usize| stores.growth[row].abs() <= STILL * stores.most[row];
                if tangents.clone().all(still) {
                    for row in tangents {
                        (self.contact_velocity[row], stores.growth[row]) = (0.0, 0.0);
                    }
                }
            }
        }
        true
    }

    /// Determines the modes, and the velocities that the problem of the rates sees; returns whether there is
    /// anything to solve.
    fn see(&self, stores: &mut Stores) -> bool {
        let mut undecided = false;
        for (i, frame) in self.statement.frames.iter().enumerate() {
            let n = frame.row;
            let normal = self.contact_velocity[n];
            let rest = ROUNDING * self.units.speed(n);
            let mode = if stores.energies[i] > 0.0 || normal < -rest {
                Mode::Pushes
            } else if normal <= rest {
                Mode::Held
            } else {
                Mode::Free
            };
            stores.modes[i] = mode;
            // The factors of the rows differ, so that Lemke's method has no ties to break.
            let beyond = |row: usize| {
                let most = if stores.most[row] > 0.0 { stores.most[row] } else { self.speed };
                BEYOND * most * (1.0 + 0.01 * row as f64)
            };
            stores.seen[n] = match mode {
                Mode::Pushes => -beyond(n),
                Mode::Held => 0.0,
                Mode::Free => beyond(n),
            };
            undecided |= mode == Mode::Held;
            let rubs = mode != Mode::Free && frame.friction > 0.0;
            match frame.tangents {
                0 => {}
                1 => {
                    let slip = self.contact_velocity[n + 1];
                    let sticks = rubs && slip.abs() <= ROUNDING * self.units.speed(n + 1);
                    stores.seen[n + 1] = if sticks { 0.0 } else { beyond(n + 1).copysign(slip) };
                    undecided |= sticks;
                }
                _ => {
                    let far = beyond(n + 1).max(beyond(n + 2));
                    let seen = self.seen_slip(frame, far);
                    let decided = !rubs || seen.1 == 1;
                    let [x, y] = if rubs { seen.0 } else { [far, 0.0] };
                    (stores.seen[n + 1], stores.seen[n + 2]) = (x, y);
                    undecided |= !decided;
                }
            }
        }
        undecided
    }

    /// A slip in space that is as the present one to the directions of friction, and the number of directions
    /// that oppose it most: 0 for no slip.
    fn seen_slip(&self, frame: &Frame, far: f64) -> ([f64; 2], usize) {
        let count = frame.directions.len();
        let rest = ROUNDING * self.units.speed(frame.row + 1).max(self.units.speed(frame.row + 2));
        let along = |d: &[f64; 2]| frame.along(d, &self.contact_velocity);
        let most = frame.directions.iter().map(along).fold(f64::INFINITY, f64::min);
        if most >= -SPIRAL * rest {
            return ([0.0; 2], 0);
        }
        let opposing = frame.directions.iter().filter(|d| along(d) <= most + rest);
        let (mut x, mut y, mut found) = (0.0, 0.0, 0);
        for [dx, dy] in opposing {
            (x, y, found) = (x - dx, y - dy, found + 1);
        }
        // Directions at an angle of 2α differ by 2 sin α, and their parts of a slip along one of them by 2 sin² α
        // times the slip, which exceeds all changes of the former if the slip exceeds all changes by 1/sin α.
        let scale = far / ((std::f64::consts::PI / count as f64).sin() * f64::hypot(x, y));
        ([scale * x, scale * y], found)
    }

    /// Writes the rates where every contact pushes and slides, or does neither.
    fn push_and_slide(&mut self, stores: &Stores) {
        self.step_impulse.fill(0.0);
        for ((frame, mode), &increment) in
            self.statement.frames.iter().zip(&stores.modes).zip(&self.increments)
        {
            if *mode != Mode::Pushes {
                continue;
            }
            self.step_impulse[frame.row] = increment;
            let bound = frame.friction * increment;
            match frame.tangents {
                0 => {}
                1 => self.step_impulse[frame.row + 1] = -bound.copysign(stores.seen[frame.row + 1]),
                _ => {
                    let along = |d: &&[f64; 2]| frame.along(d, &stores.seen);
                    let most = frame.directions.iter().min_by(|a, b| along(a).total_cmp(&along(b)));
                    let [x, y] = most.copied().unwrap_or_default();
                    self.step_impulse[frame.row + 1] = bound * x;
                    self.step_impulse[frame.row + 2] = bound * y;
                }
            }
        }
    }

    /// Tries the rates with which all that may be held or stick is and does, in the plane; returns whether they are
    /// within their bounds. They then solve the problem of the rates, whose solution this spares.
    fn hold_and_stick(&mut self, stores: &mut Stores) -> bool {
        if self.path.is_none() || self.settings.solutions != Solutions::One {
            return false;
        }
        self.push_and_slide(stores);
        stores.still.clear();
        for (frame, mode) in self.statement.frames.iter().zip(&stores.modes) {
            if *mode == Mode::Held {
                stores.still.push(frame.row);
            }
            if *mode != Mode::Free && frame.tangents == 1 && stores.seen[frame.row + 1] == 0.0 {
                stores.still.push(frame.row + 1);
                self.step_impulse[frame.row + 1] = 0.0;
            }
        }
        stores.growth.gemv(1.0, self.problem.delassus(), &self.step_impulse, 0.0);
        let Stores { still, system, right, seen, growth, .. } = stores;
        let (count, delassus) = (still.len(), self.problem.delassus());
        let is_normal = |row: usize| self.statement.frames.iter().find(|frame| frame.row == row);
        for (column, &row) in still.iter().enumerate() {
            // A contact that is held and slides brings its friction with it.
            let slides = is_normal(row).filter(|one| one.tangents == 1 && seen[row + 1] != 0.0);
            for (line, &other) in still.iter().enumerate() {
                system[line * count + column] = delassus[(other, row)]
                    - slides.map_or(0.0, |one| {
                        one.friction.copysign(seen[row + 1]) * delassus[(other, row + 1)]
                    });
            }
            right[column] = -growth[row];
        }
        if !eliminate(&mut system[..count * count], &mut right[..count]) {
            return false;
        }
        for (&row, value) in still.iter().zip(&*right) {
            self.step_impulse[row] = *value;
            if let Some(frame) = is_normal(row)
                && frame.tangents == 1
                && seen[row + 1] != 0.0
            {
                self.step_impulse[row + 1] = -(frame.friction * value).copysign(seen[row + 1]);
            }
        }
        let frames = self.statement.frames.iter().zip(&self.increments);
        frames.into_iter().all(|(frame, &increment)| {
            let normal = self.step_impulse[frame.row];
            let bound = frame.friction * normal;
            (0.0..=increment).contains(&normal)
                && (frame.tangents == 0 || self.step_impulse[frame.row + 1].abs() <= bound)
        })
    }
}

/// Solves the square `system` (row by row) for the right side in `answer`, by Gaussian elimination with row
/// exchanges. An unknown without an equation of its own, as one of two parallel tangents, is zero; returns false when
/// the system is singular to rounding in another way.
fn eliminate(system: &mut [f64], answer: &mut [f64]) -> bool {
    let n = answer.len();
    let largest_of = |entries: &[f64]| entries.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let (size, right) = (largest_of(system), largest_of(answer));
    for k in 0..n {
        let largest =
            (k..n).max_by(|&i, &j| system[i * n + k].abs().total_cmp(&system[j * n + k].abs()));
        let pivot = largest.unwrap_or(k);
        let entry = system[pivot * n + k].abs();
        if entry <= ROUNDING * size {
            let rest = largest_of(&system[k * n + k..(k + 1) * n]);
            if rest > ROUNDING * size || answer[k].abs() > ROUNDING * right {
                return false;
            }
            system[k * n + k..(k + 1) * n].fill(0.0);
            (system[k * n + k], answer[k]) = (size.max(1.0), 0.0);
            continue;
        }
        if entry.is_nan() {
            return false;
        }
        for column in 0..n {
            system.swap(k * n + column, pivot * n + column);
        }
        answer.swap(k, pivot);
        for i in k + 1..n {
            let factor = system[i * n + k] / system[k * n + k];
            for column in k..n {
                system[i * n + column] -= factor * system[k * n + column];
            }
            answer[i] -= factor * answer[k];
        }
    }
    for k in (0..n).rev() {
        let later: f64 = (k + 1..n).map(|j| system[k * n + j] * answer[j]).sum();
        answer[k] = (answer[k] - later) / system[k * n + k];
    }
    true
}

#[cfg(test)]
mod tests;
