//! The equations of an interval of [`Plus`](crate::plus::Plus), of which only a part `τ` is applied.
//!
//! The law solves for the impulses of the whole interval and then applies the fraction that a sliding contact allows. The
//! unknowns of a piece are the impulses `π` that are applied, and `τ`; so a contact at rest at the end of the whole interval
//! satisfies `u + W π/τ = 0`. All equations are multiplied by `τ`.

use nalgebra::{DMatrix, DVector, RowDVector};

use super::tape::Tape;

/// An equation for the unknowns of an interval.
#[derive(Clone, Copy, Debug)]
pub(super) enum Interval {
    /// `τ = 1`.
    Complete,
    /// `τ u + (W π) = 0` in a row: at rest at the end of the interval, of which the piece is the part `τ`.
    RestOfWhole { row: usize },
    /// `π_n = τ` times what is owed.
    Owed { contact: usize },
    /// `W_nn π_n = −τ u_n`.
    Jammed { row: usize },
    /// `π_row = −μ π_n u_row/‖u_t‖`.
    Opposes { contact: usize, row: usize },
    /// `‖π_t‖ = μ π_n`.
    OnCone { contact: usize },
    /// `π_t` has no part across the slip at the end of the interval.
    AlongWhole { contact: usize },
    /// `u_t⁺ · (W π)_t = 0`.
    Closest { contact: usize },
    /// The angle from `u_t` to `u_t⁺` has this sine and cosine.
    Turned { contact: usize, sine: f64, cosine: f64 },
}

impl Interval {
    /// `F`, and its derivative by the unknowns added to `slope`.
    pub(super) fn at(
        self,
        tape: &Tape<'_>,
        (unknowns, after): (&DVector<f64>, &DVector<f64>),
        slope: &mut [f64],
    ) -> f64 {
        let rows = tape.impulse.len();
        let (problem, w) = (tape.problem, tape.problem.delassus());
        let length = unknowns[rows];
        let add_velocity = |slope: &mut [f64], row: usize, part: f64| {
            for (column, slope) in slope[..rows].iter_mut().enumerate() {
                *slope += part * w[(row, column)];
            }
        };
        match self {
            Self::RestOfWhole { row } => {
                add_velocity(slope, row, 1.0);
                slope[rows] = tape.velocity[row];
                after[row] - (1.0 - length) * tape.velocity[row]
            }
            Self::Owed { contact } => {
                let row = problem.rows(contact).start;
                let owed = tape.owed[contact] - tape.expansion[contact];
                (slope[row], slope[rows]) = (1.0, -owed);
                unknowns[row] - length * owed
            }
            Self::Jammed { row } => {
                (slope[row], slope[rows]) = (w[(row, row)], tape.velocity[row]);
                w[(row, row)] * unknowns[row] + length * tape.velocity[row]
            }
            Self::Opposes { contact, row } => {
                let normal = problem.rows(contact).start;
                let bound =
                    problem.contacts()[contact].friction * Slip::new(tape, contact).unit(row);
                (slope[row], slope[normal]) = (1.0, bound);
                unknowns[row] + bound * unknowns[normal]
            }
            Self::OnCone { contact } => {
                let range = problem.rows(contact);
                let friction = problem.contacts()[contact].friction;
                let size = norm(range.clone().skip(1).map(|row| unknowns[row]));
                for row in range.clone().skip(1) {
                    slope[row] = unknowns[row] / size;
                }
                slope[range.start] = -friction;
                size - friction * unknowns[range.start]
            }
            Self::AlongWhole { contact } => {
                let [x, y] = [1, 2].map(|skip| problem.rows(contact).start + skip);
                let end = |row: usize| after[row] - (1.0 - length) * tape.velocity[row];
                add_velocity(slope, x, unknowns[y]);
                add_velocity(slope, y, -unknowns[x]);
                slope[y] += end(x);
                slope[x] -= end(y);
                slope[rows] = tape.velocity[x] * unknowns[y] - tape.velocity[y] * unknowns[x];
                end(x) * unknowns[y] - end(y) * unknowns[x]
            }
            Self::Closest { contact } => {
                let mut sum = 0.0;
                for row in problem.rows(contact).skip(1) {
                    let change = after[row] - tape.velocity[row];
                    add_velocity(slope, row, after[row] + change);
                    sum += after[row] * change;
                }
                sum
            }
            Self::Turned { contact, sine, cosine } => {
                let pair = |x: &DVector<f64>| pair(tape, contact, x);
                let vector = turned(pair(&tape.velocity), pair(after), (sine, cosine));
                let mut sum = 0.0;
                for (row, part) in problem.rows(contact).skip(1).zip(vector) {
                    add_velocity(slope, row, part);
                    sum += part * after[row];
                }
                sum
            }
            Self::Complete => {
                slope[rows] = 1.0;
                length - 1.0
            }
        }
    }

    /// The derivative of `F` by all data, with the unknowns held; `held` is that of `u⁺`.
    pub(super) fn by_data(
        self,
        tape: &Tape<'_>,
        (unknowns, after): (&DVector<f64>, &DVector<f64>),
        held: &DMatrix<f64>,
    ) -> RowDVector<f64> {
        let (columns, problem) = (tape.columns, tape.problem);
        let mut change = RowDVector::zeros(columns.count());
        let length = unknowns[tape.impulse.len()];
        // Of the velocity at the end of the whole interval, times the length.
        let whole = |row: usize| held.row(row) - tape.d_velocity.row(row) * (1.0 - length);
        match self {
            Self::RestOfWhole { row } => change = whole(row),
            Self::Owed { contact } => {
                let owed = tape.d_owed.row(contact) - tape.d_expansion.row(contact);
                change = owed * -length;
            }
            Self::Jammed { row } => {
                change = tape.d_velocity.row(row) * length;
                change[columns.delassus(row, row)] += unknowns[row];
            }
            Self::Opposes { contact, row } => {
                let normal = unknowns[problem.rows(contact).start];
                let slip = Slip::new(tape, contact);
                let friction = problem.contacts()[contact].friction;
                change = slip.d_unit(row) * (friction * normal);
                change[columns.friction(contact)] += slip.unit(row) * normal;
            }
            Self::OnCone { contact } => {
                change[columns.friction(contact)] = -unknowns[problem.rows(contact).start];
            }
            Self::AlongWhole { contact } => {
                let [x, y] = [1, 2].map(|skip| problem.rows(contact).start + skip);
                change = whole(x) * unknowns[y] - whole(y) * unknowns[x];
            }
            Self::Closest { contact } => {
                for row in problem.rows(contact).skip(1) {
                    let (d_start, d_end) = (tape.d_velocity.row(row), held.row(row));
                    let moved = after[row] - tape.velocity[row];
                    change += d_end * (after[row] + moved) - d_start * after[row];
                }
            }
            Self::Turned { contact, sine, cosine } => {
                let [start, end] = [&tape.velocity, after].map(|x| pair(tape, contact, x));
                let by_end = turned(start, end, (sine, cosine));
                let by_start = turned(end, start, (sine, cosine));
                for (index, row) in problem.rows(contact).skip(1).enumerate() {
                    change += held.row(row) * by_end[index];
                    change += tape.d_velocity.row(row) * by_start[index];
                }
            }
            Self::Complete => {}
        }
        change
    }
}

fn norm(parts: impl Iterator<Item = f64>) -> f64 {
    parts.fold(0.0, f64::hypot)
}

/// The tangential entries of a vector at a contact with two tangents.
fn pair(tape: &Tape<'_>, contact: usize, x: &DVector<f64>) -> [f64; 2] {
    let first = tape.problem.rows(contact).start + 1;
    [x[first], x[first + 1]]
}

/// The slip of a contact at the beginning of an interval.
struct Slip<'a> {
    tape: &'a Tape<'a>,
    contact: usize,
    size: f64,
}

impl<'a> Slip<'a> {
    fn new(tape: &'a Tape<'a>, contact: usize) -> Self {
        let size = norm(tape.problem.rows(contact).skip(1).map(|row| tape.velocity[row]));
        Self { tape, contact, size }
    }

    /// Entry of `u_t/‖u_t‖`.
    fn unit(&self, row: usize) -> f64 {
        self.tape.velocity[row] / self.size
    }

    /// Its derivative: what `du_t` has across the slip, divided by its speed.
    fn d_unit(&self, row: usize) -> RowDVector<f64> {
        let mut change = self.tape.d_velocity.row(row).into_owned();
        for other in self.tape.problem.rows(self.contact).skip(1) {
            change -= self.tape.d_velocity.row(other) * (self.unit(other) * self.unit(row));
        }
        change / self.size
    }
}

/// The gradient of `±(a × b) cos θ − (a · b) sin θ`, which is zero where `b` is turned from `a` by `θ`, by `b`.
fn turned(a: [f64; 2], b: [f64; 2], (sine, cosine): (f64, f64)) -> [f64; 2] {
    let cosine = cosine.copysign(a[0] * b[1] - a[1] * b[0]);
    [-cosine * a[1] - sine * a[0], cosine * a[0] - sine * a[1]]
}
