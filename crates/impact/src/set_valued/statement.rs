//! The LCP of one step, its solution by Lemke's method, and the check of any solution.
//!
//! With the impulses `β` along the directions of friction `D`, the slip speeds `γ` and the
//! multipliers `s` of the increments,
//!
//! ```math
//! z = (s, \lambda_n, \beta, \gamma), \qquad
//! w = \begin{bmatrix} 0 & -I & 0 & 0 \\
//!                     I & N W N^\mathsf{T} & N W D^\mathsf{T} & 0 \\
//!                     0 & D W N^\mathsf{T} & D W D^\mathsf{T} & E \\
//!                     0 & \mathrm{diag}(\mu) & -E^\mathsf{T} & 0 \end{bmatrix} z
//!   + \begin{bmatrix} \bar\lambda \\ N u \\ D u \\ 0 \end{bmatrix}, \qquad 0 \le z \perp w \ge 0 .
//! ```
//!
//! # Source
//!
//! M. Halm, M. Posa, "Set-valued rigid-body dynamics for simultaneous, inelastic, frictional impacts",
//! *International Journal of Robotics Research* 43 (2024), equation 75.

use std::ops::RangeInclusive;

use nalgebra::{DMatrix, DVector};
use percussion_complementarity::lcp::{self, lemke};

use super::{
    choice::Choice,
    covering_path::CoveringPath,
    frame::{Frame, generators},
    statistics::{Figures, raise},
};
use crate::{Problem, directions::direction, law::Error, step_lcp};

/// The LCP of a step, with the memory of its solver.
#[derive(Clone, Debug)]
pub(super) struct Statement {
    pub(super) frames: Vec<Frame>,
    /// Number of all `β`.
    directions: usize,
    lcp: lcp::Problem,
    workspace: lemke::Workspace,
    covering: DVector<f64>,
    z: DVector<f64>,
}

impl Statement {
    /// # Errors
    ///
    /// When the number of directions is outside its range.
    pub(super) fn new(problem: &Problem, directions: usize) -> Result<Self, Error> {
        step_lcp::check_directions(directions)?;
        let mut frames = Vec::with_capacity(problem.contacts().len());
        let mut first = 0;
        for (index, contact) in problem.contacts().iter().enumerate() {
            let tangents = contact.tangents.len();
            let count = [0, 2, directions][tangents];
            let directions = (0..count).map(|j| direction(j, count)).collect();
            let (row, friction) = (problem.rows(index).start, contact.friction);
            frames.push(Frame { row, tangents, friction, first, directions });
            first += count;
        }
        let matrix = matrix(problem, &frames, first);
        let n = matrix.nrows();
        Ok(Self {
            frames,
            directions: first,
            // The size is zero only without contacts, and then no step is taken.
            lcp: if n == 0 {
                lcp::Problem::new(DMatrix::zeros(1, 1), DVector::zeros(1))?
            } else {
                lcp::Problem::new(matrix, DVector::zeros(n))?
            },
            workspace: lemke::Workspace::new(n),
            covering: DVector::from_element(n, 1.0),
            z: DVector::zeros(n),
        })
    }

    /// The covering vector in rows of `s`, `λ_n`, `β` and `γ`, which the caller may change.
    pub(super) fn covering_mut(&mut self) -> &mut DVector<f64> {
        &mut self.covering
    }

    /// Whether row `i` of the covering vector belongs to impulses.
    pub(super) fn is_row_of_percussions(&self, i: usize) -> bool {
        let m = self.frames.len();
        i < m || i >= 2 * m + self.directions
    }

    /// Gives a path through planar contacts the same covering vector.
    pub(super) fn cover(&self, path: &mut CoveringPath) {
        let (m, d) = (self.frames.len(), &self.covering);
        let mut slips = d.as_slice()[2 * m + self.directions..].iter();
        for (i, frame) in self.frames.iter().enumerate() {
            path.cover(frame.row, [d[m + i]; 2], d[i]);
            if frame.tangents > 0
                && let Some(&bound) = slips.next()
            {
                let beta = 2 * m + frame.first;
                path.cover(frame.row + 1, [d[beta], d[beta + 1]], bound);
            }
        }
    }

    /// Solves the step from the contact velocity `u` (m/s) with the `increments` (N·s) by Lemke's method and
    /// writes the impulses at the rows of `J`; returns whether it was solved.
    pub(super) fn solve(
        &mut self,
        contact_velocity: &DVector<f64>,
        increments: &[f64],
        settings: &lemke::Settings,
        impulse: &mut DVector<f64>,
    ) -> bool {
        if !self.fill(contact_velocity, increments) {
            return false;
        }
        let Self { lcp, workspace, covering, z, .. } = self;
        let report = lemke::solve_with_covering_vector(lcp, covering, settings, workspace, z);
        self.write(impulse);
        report.is_ok_and(|report| report.status == lcp::Status::Solved)
    }

    /// Solves the step by a draw among all solutions with the numbers of `uniform`, and writes the percussions; the number of
    /// solutions, or none if it could not draw.
    pub(super) fn draw(
        &mut self,
        contact_velocity: &DVector<f64>,
        increments: &[f64],
        (choice, uniform): (&Choice, impl FnMut() -> f64),
        impulse: &mut DVector<f64>,
    ) -> Option<usize> {
        if !self.fill(contact_velocity, increments) {
            return None;
        }
        let (z, count) = choice.draw(&self.lcp, uniform)?;
        self.z = z;
        self.write(impulse);
        Some(count)
    }

    /// Returns the [`Choice`] for steps of `problem`, or `None` if they have too many unknowns.
    pub(super) fn choice(&self, problem: &Problem) -> Option<Choice> {
        Choice::new(problem, &self.frames, self.directions, self.z.len())
    }

    /// Writes the contact velocity and the increments into the problem; whether it is one.
    fn fill(&mut self, contact_velocity: &DVector<f64>, increments: &[f64]) -> bool {
        let Self { frames, lcp, .. } = self;
        let m = frames.len();
        let filled = lcp.refill(|_, vector| {
            let vector = vector.as_mut_slice();
            vector[..m].copy_from_slice(increments);
            for (i, frame) in frames.iter().enumerate() {
                vector[m + i] = contact_velocity[frame.row];
                for (j, direction) in frame.directions.iter().enumerate() {
                    vector[2 * m + frame.first + j] = frame.along(direction, contact_velocity);
                }
            }
        });
        filled.is_ok()
    }

    /// Writes the percussions of the solution at the rows of `J`.
    fn write(&self, impulse: &mut DVector<f64>) {
        let Self { frames, directions, z, .. } = self;
        let m = frames.len();
        impulse.fill(0.0);
        let beta = &z.as_slice()[2 * m..2 * m + *directions];
        for (i, frame) in frames.iter().enumerate() {
            impulse[frame.row] = z[m + i];
            for (direction, beta) in frame.directions.iter().zip(&beta[frame.first..]) {
                for (tangent, component) in direction[..frame.tangents].iter().enumerate() {
                    impulse[frame.row + 1 + tangent] += component * beta;
                }
            }
        }
    }

    /// Checks the impulses of a step that lead from the contact velocity `before` to `after`, on the problem
    /// as stated; for a contact in space with the `β` from the last [`solve`](Self::solve).
    ///
    /// The multipliers `s` and `γ` are the ones that fit best.
    pub(super) fn judge(
        &self,
        increments: &[f64],
        before: &DVector<f64>,
        after: &DVector<f64>,
        impulse: &DVector<f64>,
        units: &Units,
    ) -> Figures {
        let mut figures = Figures::default();
        let mut energy = 0.0;
        for ((before, after), impulse) in before.iter().zip(after.iter()).zip(impulse.iter()) {
            energy += impulse * (before + after);
        }
        raise(&mut figures.energy_gain, 0.5 * energy);
        for (frame, &increment) in self.frames.iter().zip(increments) {
            let (normal, velocity) = (impulse[frame.row], after[frame.row]);
            raise(&mut figures.adhesion, -normal);
            let approach = (-velocity).max(0.0);
            let mut pair = |velocity: f64, impulse: f64, (speed, percussion): (f64, f64)| {
                let least = (velocity / speed).min(impulse / percussion);
                raise(&mut figures.residual, least.abs() + 0.0 * (velocity + impulse));
            };
            let (speed, percussion) = units.of(frame.row..=frame.row);
            pair(approach, increment - normal, (speed, percussion.max(increment)));
            pair(velocity.max(0.0), normal, (speed, percussion));
            if frame.tangents == 0 {
                continue;
            }
            let bound = frame.friction * normal;
            let (speed, own) = units.of(frame.row + 1..=frame.row + frame.tangents);
            // The bound is as accurate as the normal impulse.
            let units = (speed, own.max(percussion));
            let used = if frame.tangents == 1 {
                let (slip, push) = (after[frame.row + 1], impulse[frame.row + 1]);
                // The push along the slip; the other pair has a speed of zero.
                let along = if slip < 0.0 { -push } else { push };
                pair(2.0 * slip.abs(), along.max(0.0), units);
                pair(slip.abs(), bound - push.abs(), units);
                push.abs()
            } else {
                let beta = &self.z.as_slice()[2 * self.frames.len() + frame.first..];
                let slips = frame.directions.iter().map(|d| frame.along(d, after));
                let gamma = slips.fold(0.0, |gamma: f64, slip| gamma.max(-slip));
                let mut used = 0.0;
                for (direction, &push) in frame.directions.iter().zip(beta) {
                    pair(frame.along(direction, after) + gamma, push, units);
                    used += push;
                }
                pair(gamma, bound - used, units);
                used
            };
            raise(&mut figures.cone_violation, used - bound);
        }
        figures
    }
}

/// Units of the residuals, by rows of `J`.
///
/// With the fastest row before the impact, `U = max_j |u_j|/√W_jj`, a row `i` has the speed `√W_ii U` and the
/// impulse `U/√W_ii` that changes its velocity by as much. Values that are small in these units are small
/// compared with the kinetic energy of the approaching contacts. With one speed and one impulse for all rows,
/// the errors of a row that is short or moves little mass would be invisible.
#[derive(Clone, Debug)]
pub(super) struct Units {
    speeds: Vec<f64>,
    percussions: Vec<f64>,
}

impl Units {
    /// Units of `problem` with the velocities `contact_velocity` before the impact. Rows that cannot move
    /// have the unit `speed`, as have all rows if none moves, and no unit of impulse exceeds `step`.
    pub(super) fn new(
        problem: &Problem,
        contact_velocity: &DVector<f64>,
        (speed, step): (f64, f64),
    ) -> Self {
        let square = |row: usize| problem.delassus()[(row, row)].max(0.0);
        let rows = 0..contact_velocity.len();
        let moved = rows.clone().filter(|&row| square(row) > 0.0);
        let fastest =
            moved.map(|row| contact_velocity[row].abs() / square(row).sqrt()).fold(0.0, f64::max);
        let positive = |unit: f64, other: f64| {
            if unit > 0.0 && unit.is_finite() { unit } else { other }
        };
        let speeds: Vec<_> =
            rows.map(|row| positive(square(row).sqrt() * fastest, speed)).collect();
        let percussions =
            speeds.iter().enumerate().map(|(row, own)| positive(own / square(row), step).min(step));
        Self { percussions: percussions.collect(), speeds }
    }

    /// The speed of a row.
    pub(super) fn speed(&self, row: usize) -> f64 {
        self.speeds[row]
    }

    /// The largest speed and impulse of some rows.
    fn of(&self, rows: RangeInclusive<usize>) -> (f64, f64) {
        let largest = |units: &[f64]| units.iter().copied().fold(0.0, f64::max);
        (largest(&self.speeds[rows.clone()]), largest(&self.percussions[rows]))
    }
}

fn matrix(problem: &Problem, frames: &[Frame], directions: usize) -> DMatrix<f64> {
    let m = frames.len();
    let slips: Vec<usize> = (0..m).filter(|&i| frames[i].tangents > 0).collect();
    let (pushes, n) = (m + directions, 2 * m + directions + slips.len());
    let generators = generators(problem, frames, directions);
    let mut matrix = DMatrix::zeros(n, n);
    let delassus = generators.tr_mul(&(problem.delassus() * &generators));
    matrix.view_mut((m, m), (pushes, pushes)).copy_from(&delassus);
    for i in 0..m {
        matrix[(i, m + i)] = -1.0;
        matrix[(m + i, i)] = 1.0;
    }
    for (slip, &contact) in slips.iter().enumerate() {
        let frame = &frames[contact];
        let (slip, first) = (m + pushes + slip, 2 * m + frame.first);
        let count = frame.directions.len();
        matrix.view_mut((first, slip), (count, 1)).fill(1.0);
        matrix.view_mut((slip, first), (1, count)).fill(-1.0);
        matrix[(slip, m + contact)] = frame.friction;
    }
    matrix
}
