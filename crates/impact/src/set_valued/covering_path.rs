//! Lemke's path of a step with planar contacts, followed by the states of the contacts.
//!
//! Lemke's method with the covering vector `d` follows the solutions of the LCP whose vector is `q + τ d`,
//! from a `τ` so large that all impulses are zero down to `τ = 0`. For planar contacts these have a simple
//! form. Each row of `J` has an impulse `p`, a bound `b` of it, and a velocity `y = u + W Λ`:
//!
//! | row | `b(τ)` | `d` of its velocity | side `σ` |
//! | --- | --- | --- | --- |
//! | normal | `λ̄ + τ d_s` | `d_n` | + |
//! | tangent | `μ Λ_n + τ d_γ` | `d_σ`, of `β` along `σ t` | + or − |
//!
//! and is in one of the states
//!
//! | state | impulse | velocity |
//! | --- | --- | --- |
//! | `Zero` | `p = 0` | `σ y ≥ −τ d_σ` for each side |
//! | `Between(σ)` | `0 ≤ σ p ≤ b` | `σ y = −τ d_σ` |
//! | `Bound(σ)` | `σ p = b` | `σ y ≤ −τ d_σ` |
//!
//! so that two unknowns per contact replace the five of the LCP. While no state changes, all quantities are
//! affine in `τ`. Where a condition would be violated, its row changes to the neighboring state and `τ` moves
//! on, forward or backward, to the side where the new state holds. Each piece is solved from the data of the
//! problem, so rounding does not accumulate.
//!
//! - **Needs** contacts with at most one tangent.
//! - **Does not** resolve ties or pieces on which `τ` is constant (impulses that are not unique): it then
//!   stops, and the caller uses the lexicographic method.
//! - **Cost** `4 r² + a³/3` multiply-adds per piece with `a` rows in between; no allocation.
//!
//! # Source
//!
//! R. W. Cottle, J.-S. Pang, R. E. Stone, *The Linear Complementarity Problem*, Academic Press 1992,
//! section 4.4 (the path of Lemke's method) and section 4.5 (parametric form).

use nalgebra::DVector;

use super::frame::Frame;
use crate::Problem;

/// Maximum number of pieces of a path for each row; ordinary paths take about one.
const PATIENCE: usize = 20;

/// Slopes and pivots below this fraction of their terms are rounding.
const ROUNDING: f64 = 1e-12;

/// A quantity that is affine in `τ`: its value at zero and its slope.
#[derive(Clone, Copy, Debug, Default)]
struct Affine {
    value: f64,
    slope: f64,
}

impl Affine {
    fn add(&mut self, factor: f64, other: Self) {
        self.value += factor * other.value;
        self.slope += factor * other.slope;
    }
}

/// State of a row; the sign is the side `σ`.
#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    Zero,
    Between(f64),
    Bound(f64),
}

/// The kind of a row, and its part of the covering vector.
#[derive(Clone, Debug)]
struct Row {
    /// For a tangent, the row of its normal, and `μ`.
    normal: Option<(usize, f64)>,
    /// `d_+` and `d_-`.
    cover: [f64; 2],
    /// `d_s` or `d_γ`.
    cover_bound: f64,
}

/// The path of one step, with its memory.
#[derive(Clone, Debug)]
pub(super) struct CoveringPath {
    rows: Vec<Row>,
    /// `W`, symmetric (`r × r`).
    delassus: Vec<f64>,
    states: Vec<State>,
    /// `λ̄` in the rows of normals.
    increments: Vec<f64>,
    impulses: Vec<Affine>,
    velocities: Vec<Affine>,
    /// Rows in the state `Between`.
    between: Vec<usize>,
    /// Their equations, row by row.
    system: Vec<f64>,
    answers: Vec<Affine>,
}

/// The end of a state.
#[derive(Clone, Copy, Debug)]
struct Crossing {
    row: usize,
    from: State,
    to: State,
}

impl CoveringPath {
    /// Returns `None` when a contact has two tangents.
    pub(super) fn new(problem: &Problem, frames: &[Frame]) -> Option<Self> {
        let mut rows = Vec::new();
        for frame in frames {
            let row = |normal| Row { normal, cover: [1.0; 2], cover_bound: 1.0 };
            rows.push(row(None));
            match frame.tangents {
                0 => {}
                1 => rows.push(row(Some((frame.row, frame.friction)))),
                _ => return None,
            }
        }
        let r = rows.len();
        Some(Self {
            rows,
            delassus: problem.delassus().as_slice().to_vec(),
            states: vec![State::Zero; r],
            increments: vec![0.0; r],
            impulses: vec![Affine::default(); r],
            velocities: vec![Affine::default(); r],
            between: Vec::with_capacity(r),
            system: vec![0.0; r * r],
            answers: vec![Affine::default(); r],
        })
    }

    /// Sets the covering vector of one row: `d_+`, `d_-`, and `d` of its bound, all positive.
    pub(super) fn cover(&mut self, row: usize, cover: [f64; 2], cover_bound: f64) {
        self.rows[row].cover = cover;
        self.rows[row].cover_bound = cover_bound;
    }

    /// Follows the path from the contact velocity `u` with the `increments` and writes the impulses at the
    /// rows of `J`; returns whether the path ended.
    pub(super) fn solve(
        &mut self,
        contact_velocity: &DVector<f64>,
        increments: &[f64],
        impulse: &mut DVector<f64>,
    ) -> bool {
        let u = contact_velocity.as_slice();
        let mut next = increments.iter();
        for (row, increment) in self.rows.iter().zip(&mut self.increments) {
            if row.normal.is_none() {
                *increment = next.next().copied().unwrap_or(0.0);
            }
        }
        self.states.fill(State::Zero);
        let (mut crossing, mut tau) = self.first_crossing(u);
        let end = ROUNDING * tau;
        for _ in 0..PATIENCE * self.rows.len() {
            self.states[crossing.row] = crossing.to;
            if !self.solve_piece(u) {
                return false;
            }
            let slope = self.margin(crossing.row, crossing.to, crossing.from).slope;
            if slope == 0.0 || slope.is_nan() {
                return false;
            }
            let forward = if slope > 0.0 { 1.0 } else { -1.0 };
            match self.next_crossing(tau, forward) {
                Some((step, next)) if forward > 0.0 || tau - step > end => {
                    tau += forward * step;
                    crossing = next;
                }
                None if forward > 0.0 => return false,
                _ => {
                    self.finish(impulse);
                    return true;
                }
            }
        }
        false
    }

    /// The row that must be covered last, and the value of `τ` there.
    fn first_crossing(&self, u: &[f64]) -> (Crossing, f64) {
        let to = State::Between(1.0);
        let mut first = (Crossing { row: 0, from: State::Zero, to }, 0.0);
        for (row, (data, &u)) in self.rows.iter().zip(u).enumerate() {
            let sides: &[f64] = if data.normal.is_some() { &[1.0, -1.0] } else { &[1.0] };
            for &side in sides {
                let needed = -side * u / data.cover(side);
                if needed > first.1 {
                    let to = State::Between(side);
                    first = (Crossing { row, from: State::Zero, to }, needed);
                }
            }
        }
        first
    }

    /// Solves for all impulses and velocities in the current states.
    fn solve_piece(&mut self, u: &[f64]) -> bool {
        self.between.clear();
        for (velocity, &value) in self.velocities.iter_mut().zip(u) {
            *velocity = Affine { value, slope: 0.0 };
        }
        for row in 0..self.rows.len() {
            self.impulses[row] = Affine::default();
            match self.states[row] {
                State::Zero => {}
                State::Between(_) => self.between.push(row),
                // For a tangent, the part that does not depend on a normal impulse in between.
                State::Bound(side) => {
                    let bound = self.bound(row);
                    self.push(row, side, bound);
                }
            }
        }
        self.fill_system();
        if !eliminate(&mut self.system, &mut self.answers[..self.between.len()]) {
            return false;
        }
        for index in 0..self.between.len() {
            let (row, answer) = (self.between[index], self.answers[index]);
            self.push(row, 1.0, answer);
            if let Some((tangent, share)) = sliding(&self.rows, &self.states, row) {
                self.push(tangent, share, answer);
            }
        }
        true
    }

    /// Adds `factor` times `impulse` to the impulse of a row, and its effect to the velocities.
    fn push(&mut self, row: usize, factor: f64, impulse: Affine) {
        self.impulses[row].add(factor, impulse);
        let r = self.rows.len();
        let column = &self.delassus[row * r..][..r];
        for (velocity, response) in self.velocities.iter_mut().zip(column) {
            velocity.add(factor * response, impulse);
        }
    }

    /// Writes the equations `σ y = −τ d_σ` of the rows in between.
    fn fill_system(&mut self) {
        let Self { rows, states, delassus, velocities, between, system, answers, .. } = self;
        let (r, a) = (rows.len(), between.len());
        for (column, &j) in between.iter().enumerate() {
            let slide = sliding(rows, states, j);
            for (row, &i) in between.iter().enumerate() {
                let mut entry = delassus[j * r + i];
                if let Some((tangent, slope)) = slide {
                    entry += slope * delassus[tangent * r + i];
                }
                system[row * a + column] = entry;
            }
        }
        for (answer, &i) in answers.iter_mut().zip(&*between) {
            let State::Between(side) = states[i] else { continue };
            answer.value = -velocities[i].value;
            answer.slope = -velocities[i].slope - side * rows[i].cover(side);
        }
    }

    /// The next condition that is violated when `τ` moves in the direction `forward`, and its distance.
    fn next_crossing(&self, tau: f64, forward: f64) -> Option<(f64, Crossing)> {
        let mut next: Option<(f64, Crossing)> = None;
        for row in 0..self.rows.len() {
            let mut consider = |to: State| {
                let from = self.states[row];
                let margin = self.margin(row, from, to);
                let rate = -forward * margin.slope;
                if rate > 0.0 {
                    let step = ((margin.value + tau * margin.slope) / rate).max(0.0);
                    if next.is_none_or(|(nearest, _)| step < nearest) {
                        next = Some((step, Crossing { row, from, to }));
                    }
                }
            };
            match self.states[row] {
                State::Zero => {
                    consider(State::Between(1.0));
                    if self.rows[row].normal.is_some() {
                        consider(State::Between(-1.0));
                    }
                }
                State::Between(side) => {
                    consider(State::Zero);
                    consider(State::Bound(side));
                }
                State::Bound(side) => consider(State::Between(side)),
            }
        }
        next
    }

    /// A quantity that is nonnegative as long as the row does not leave the state `from` for `to`.
    fn margin(&self, row: usize, from: State, to: State) -> Affine {
        match (from, to) {
            (State::Zero, State::Between(side)) => self.excess(row, side),
            (State::Between(side), State::Bound(_)) => {
                let mut margin = self.bound(row);
                margin.add(-side, self.impulses[row]);
                margin
            }
            (State::Between(side), _) => {
                let Affine { value, slope } = self.impulses[row];
                Affine { value: side * value, slope: side * slope }
            }
            (State::Bound(side), _) => {
                let Affine { value, slope } = self.excess(row, side);
                Affine { value: -value, slope: -slope }
            }
            (State::Zero, _) => Affine::default(),
        }
    }

    /// `b`, where the impulse of the normal is known.
    fn bound(&self, row: usize) -> Affine {
        let slope = self.rows[row].cover_bound;
        let Some((normal, friction)) = self.rows[row].normal else {
            return Affine { value: self.increments[row], slope };
        };
        let mut bound = Affine { value: 0.0, slope };
        bound.add(friction, self.impulses[normal]);
        bound
    }

    /// `σ y + τ d_σ`.
    fn excess(&self, row: usize, side: f64) -> Affine {
        let Affine { value, slope } = self.velocities[row];
        let (slope, cover) = (side * slope, self.rows[row].cover(side));
        let sum = slope + cover;
        // The velocities of rows that are multiples of each other move together.
        let parallel = sum.abs() <= ROUNDING * (slope.abs() + cover);
        Affine { value: side * value, slope: if parallel { 0.0 } else { sum } }
    }

    /// Writes the impulses at `τ = 0`, within their bounds.
    fn finish(&self, impulse: &mut DVector<f64>) {
        for (i, row) in self.rows.iter().enumerate() {
            let value = self.impulses[i].value;
            impulse[i] = if let Some((normal, friction)) = row.normal {
                let bound = friction * impulse[normal];
                value.max(-bound).min(bound)
            } else {
                value.max(0.0).min(self.increments[i])
            };
        }
    }
}

impl Row {
    const fn cover(&self, side: f64) -> f64 {
        if side > 0.0 { self.cover[0] } else { self.cover[1] }
    }
}

/// For a normal impulse, the tangent that slides with it, and its ratio to the normal impulse.
fn sliding(rows: &[Row], states: &[State], normal: usize) -> Option<(usize, f64)> {
    let tangent = normal + 1;
    match (rows.get(tangent)?.normal, states[tangent]) {
        (Some((row, friction)), State::Bound(side)) if row == normal => {
            Some((tangent, side * friction))
        }
        _ => None,
    }
}

/// Solves the square `system` (row by row) for the right sides in `answers`, by Gaussian elimination with row
/// exchanges; returns false when it is singular to rounding.
fn eliminate(system: &mut [f64], answers: &mut [Affine]) -> bool {
    let n = answers.len();
    for k in 0..n {
        let (mut pivot, mut largest, mut scale) = (k, 0.0, 0.0);
        for i in 0..n {
            let size = system[i * n + k].abs();
            if size > scale {
                scale = size;
            }
            if i >= k && size > largest {
                (pivot, largest) = (i, size);
            }
        }
        if largest <= ROUNDING * scale {
            return false;
        }
        if pivot != k {
            for j in k..n {
                system.swap(k * n + j, pivot * n + j);
            }
            answers.swap(k, pivot);
        }
        let inverse = 1.0 / system[k * n + k];
        for i in k + 1..n {
            let factor = system[i * n + k] * inverse;
            if factor != 0.0 {
                for j in k + 1..n {
                    system[i * n + j] -= factor * system[k * n + j];
                }
                let upper = answers[k];
                answers[i].add(-factor, upper);
            }
        }
    }
    for k in (0..n).rev() {
        for j in k + 1..n {
            let later = answers[j];
            answers[k].add(-system[k * n + j], later);
        }
        let inverse = 1.0 / system[k * n + k];
        answers[k].value *= inverse;
        answers[k].slope *= inverse;
    }
    true
}
