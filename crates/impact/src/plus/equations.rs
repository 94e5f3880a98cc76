//! The linear equations of an interval, `B π = w`, for points whose states are given.
//!
//! The unknowns are the impulses that a state leaves open; there is one equation for each:
//!
//! | state | unknowns | equations |
//! | --- | --- | --- |
//! | compressing, rolling | `π_n`, `π_t` | `u_n⁺ = 0`, `u_t⁺ = −σ π_t` with `σ = 0` |
//! | compressing, impending slip | the same | the same with `σ > 0` |
//! | compressing, sliding along `ŝ` | `π_n √(1 + μ²)`, with `π_t = −μ π_n ŝ` | `u_n⁺ = 0` |
//! | expanding, rolling or impending slip | `π_t` | `u_t⁺ = −σ π_t` |
//! | expanding, sliding | none | |
//! | free | none | |
//!
//! The scaling of the unknown of a sliding point makes the norm of the unknowns equal to that of the
//! impulses, apart from prescribed ones, so that their solution of least norm is that of `π`. Rows that no
//! impulse can move have neither unknown nor equation.

use nalgebra::DMatrix;

use super::{
    orthogonal::Orthogonal,
    point::{Motion, Phase, Point, State},
};

/// Fraction of the largest impulse below which violations, and differences of violations, are rounding. The
/// equations are solved to a few digits less than the 16 of a double; redundant rows may cost some more.
pub(super) const ROUNDING: f64 = 1e-10;

/// Multiply-adds that take as long as the work that does not depend on the number of equations.
const OVERHEAD: usize = 100;

/// Treatment of points in impending slip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SlipRule {
    /// By `u_t⁺ = −σ π_t`.
    Implicit,
    /// Like sliding points, where `σ > 0`.
    Directed,
}

/// The data of the equations.
#[derive(Clone, Copy, Debug)]
pub(super) struct Given<'a> {
    pub(super) delassus: &'a DMatrix<f64>,
    /// Contact velocity at the start.
    pub(super) velocity: &'a [f64],
    pub(super) states: &'a [State],
    pub(super) rank_tolerance: f64,
}

/// The equations, and the memory for them.
#[derive(Clone, Debug, Default)]
pub(super) struct Equations {
    pub(super) unknowns: Vec<Unknown>,
    matrix: Vec<f64>,
    scale: Vec<f64>,
    orthogonal: Orthogonal,
    pub(super) solution: Vec<f64>,
    /// Fraction of the inverse mass of each unknown that is added to its diagonal entry. This makes the
    /// equations independent and their solution that of least norm, to the same relative accuracy.
    pub(super) softness: f64,
    /// Work done so far, in multiply-adds, and its limit.
    pub(super) work: u64,
    pub(super) work_limit: u64,
}

/// An impulse of unknown size: `weights` at the row of the equation and at those that follow it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unknown {
    pub(super) point: usize,
    /// Row of its equation, the first it acts at.
    pub(super) row: usize,
    weights: [f64; 3],
    /// Number of rows it acts at.
    count: usize,
    /// `σ`.
    slip: f64,
}

impl Unknown {
    const fn single(point: usize, row: usize, slip: f64) -> Self {
        Self { point, row, weights: [1.0, 0.0, 0.0], count: 1, slip }
    }

    fn directed(index: usize, point: &Point) -> Self {
        let size = (1.0 + point.friction * point.friction).sqrt();
        let [x, y] = point.friction_direction();
        let (weights, count) = match point.tangents {
            0 => ([1.0, 0.0, 0.0], 1),
            tangents => ([1.0 / size, x / size, y / size], 1 + tangents),
        };
        Self { point: index, row: point.normal, weights, count, slip: 0.0 }
    }

    fn weights(&self) -> &[f64] {
        &self.weights[..self.count]
    }
}

impl Equations {
    /// Computes the impulses of least norm, into `impulse`.
    pub(super) fn solve(
        &mut self,
        given: &Given<'_>,
        points: &[Point],
        rule: SlipRule,
        impulse: &mut [f64],
    ) {
        let Given { delassus, velocity, states, rank_tolerance } = *given;
        self.choose(delassus, points, states, rule, impulse);
        let unknowns = self.unknowns.len();
        self.spend(2 * unknowns.pow(3) + unknowns * (unknowns + impulse.len()) + OVERHEAD);
        let columns = delassus.as_slice();
        let rows = impulse.len();
        self.solution.clear();
        for unknown in &self.unknowns {
            let given: f64 = columns[unknown.row * rows..][..rows]
                .iter()
                .zip(impulse.iter())
                .map(|(w, impulse)| w * impulse)
                .sum();
            self.solution.push(-velocity[unknown.row] - given);
        }
        self.assemble(columns, rows);
        self.orthogonal.factor(&self.matrix, &self.scale, rank_tolerance);
        self.orthogonal.solve(&mut self.solution);
        for (unknown, value) in self.unknowns.iter().zip(&self.solution) {
            for (entry, weight) in impulse[unknown.row..].iter_mut().zip(unknown.weights()) {
                *entry += weight * value;
            }
        }
    }

    /// Counts work.
    pub(super) fn spend(&mut self, operations: usize) {
        self.work = self.work.saturating_add(operations as u64);
    }

    /// Whether the limit of work is reached.
    pub(super) const fn is_spent(&self) -> bool {
        self.work >= self.work_limit
    }

    /// Whether unknowns are redundant.
    pub(super) fn is_redundant(&self) -> bool {
        self.orthogonal.rank() < self.unknowns.len()
    }

    /// An orthonormal basis of the kernel of the equations, by columns into `basis`; returns its dimension.
    pub(super) fn kernel(&self, basis: &mut Vec<f64>) -> usize {
        self.orthogonal.kernel(basis)
    }

    /// Moves `impulse` from the solution to another one.
    pub(super) fn accept(&mut self, solution: &[f64], impulse: &mut [f64]) {
        for ((unknown, old), new) in self.unknowns.iter().zip(&mut self.solution).zip(solution) {
            for (entry, weight) in impulse[unknown.row..].iter_mut().zip(unknown.weights()) {
                *entry += weight * (new - *old);
            }
            *old = *new;
        }
    }

    /// Change of the unknowns per change of the `σ` of a point, into `change`.
    pub(super) fn sensitivity(&mut self, point: usize, normal: usize, change: &mut Vec<f64>) {
        change.clear();
        change.extend(self.unknowns.iter().zip(&self.solution).map(|(unknown, value)| {
            let moves = unknown.point == point && unknown.row != normal;
            if moves { -value } else { 0.0 }
        }));
        self.spend(4 * self.unknowns.len().pow(2));
        self.orthogonal.solve(change);
    }

    /// Lists the unknowns and writes the prescribed impulses into `impulse`.
    fn choose(
        &mut self,
        delassus: &DMatrix<f64>,
        points: &[Point],
        states: &[State],
        rule: SlipRule,
        impulse: &mut [f64],
    ) {
        self.unknowns.clear();
        impulse.fill(0.0);
        for (index, (point, state)) in points.iter().zip(states).enumerate() {
            let expanding = state.phase == Phase::Expanding;
            let directed = match state.motion {
                Motion::Free => continue,
                Motion::Sliding => true,
                Motion::ImpendingSlip => rule == SlipRule::Directed && point.slip > 0.0,
                Motion::Rolling => false,
            };
            if expanding {
                impulse[point.normal] = point.owed;
            }
            match (expanding, directed) {
                (true, true) => {
                    let friction = point.friction_direction();
                    for (entry, friction) in
                        impulse[point.normal + 1..].iter_mut().zip(&friction[..point.tangents])
                    {
                        *entry = friction * point.owed;
                    }
                }
                (false, true) => self.unknowns.push(Unknown::directed(index, point)),
                (_, false) => {
                    let slip = if state.motion == Motion::Rolling { 0.0 } else { point.slip };
                    if !expanding {
                        self.unknowns.push(Unknown::single(index, point.normal, 0.0));
                    }
                    // A point with infinite slip has no friction.
                    if slip.is_finite() {
                        for row in point.normal + 1..=point.normal + point.tangents {
                            self.unknowns.push(Unknown::single(index, row, slip));
                        }
                    }
                }
            }
        }
        self.unknowns.retain(|unknown| delassus[(unknown.row, unknown.row)] > 0.0);
    }

    /// `B` by columns, and the scale of its rows and columns.
    fn assemble(&mut self, delassus: &[f64], rows: usize) {
        self.matrix.clear();
        self.scale.clear();
        for (j, unknown) in self.unknowns.iter().enumerate() {
            for equation in &self.unknowns {
                let row = &delassus[equation.row * rows + unknown.row..];
                let weights = unknown.weights().iter();
                self.matrix.push(weights.zip(row).map(|(weight, w)| weight * w).sum());
            }
            let diagonal = j * self.unknowns.len() + j;
            let inertia = delassus[unknown.row * rows + unknown.row];
            self.matrix[diagonal] += unknown.slip + self.softness * inertia;
            self.scale.push(1.0 / (inertia + unknown.slip).sqrt());
        }
    }
}

/// Velocity of a row after these impulses (m/s).
pub(super) fn end(delassus: &DMatrix<f64>, velocity: &[f64], row: usize, impulse: &[f64]) -> f64 {
    let column = delassus.column(row);
    velocity[row] + column.iter().zip(impulse).map(|(w, p)| w * p).sum::<f64>()
}

/// `‖u_t⁺‖` of a point after these impulses (m/s).
pub(super) fn end_slip(
    delassus: &DMatrix<f64>,
    velocity: &[f64],
    point: &Point,
    impulse: &[f64],
) -> f64 {
    let rows = point.normal + 1..=point.normal + point.tangents;
    rows.map(|row| end(delassus, velocity, row, impulse).powi(2)).sum::<f64>().sqrt()
}

/// The largest absolute value.
pub(super) fn largest(list: &[f64]) -> f64 {
    list.iter().fold(0.0, |most, entry| most.max(entry.abs()))
}
