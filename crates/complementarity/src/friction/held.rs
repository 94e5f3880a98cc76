//! Corrections of impulses with which everything holds, by factors of the operator that are kept: [`Held`].
//!
//! Where a mechanism rests, no contact slides and no dry joint moves. The velocities of all rows with an impulse then vanish. With
//! these rows `H` and the velocities `u = W λ + b` of the start `λ`,
//!
//! ```math
//! \lambda_H \leftarrow \lambda_H - (W_{HH} + \varepsilon D)^{-1} u_H, \qquad D = \operatorname{diag} W_{HH} .
//! ```
//!
//! The ridge keeps redundant rows regular: along an eigenvector of `D^{-½} W_HH D^{-½}` with the eigenvalue `κ > 0` a correction
//! leaves the fraction `ε/(κ + ε)` of the velocity, and impulses that cause no velocity do not change. Factors of the step before
//! serve as well as those of the step, as long as the mechanism hardly moves: they miss by the change of `W`. A correction then needs
//! velocities only, which the dynamics of a mechanism gives without `W`.
//!
//! - **Needs** a start in which something presses and nothing slides, and at most 120 rows.
//! - **Does not** judge: whether something slides or opens is for the laws to say, as by
//!   [`Report::of_solution`](super::Report::of_solution).
//! - **Cost** `m³/3` flops for the factors of `m` rows, `2 m²` for a correction. Nothing is allocated after the largest sizes have
//!   been used once.
//! - **Deterministic**: single-threaded.
//!
//! # Source
//!
//! R. T. Rockafellar, "Monotone operators and the proximal point algorithm", *SIAM Journal on Control and Optimization* 14 (1976)
//! 877–898 (the ridge, and steps that are not exact); C. T. Kelley, *Iterative Methods for Linear and Nonlinear Equations*, SIAM
//! 1995, section 5.4 (factors that are kept, the chord method).

use nalgebra::Vector3;

use super::{
    Problem,
    mixed::{self, Section, Set},
    single::Contact,
};

/// The ridge `ε`: far below the eigenvalues of rows that are not redundant, and far above the square of the relative change of an
/// operator in a step.
const RIDGE: f64 = 1e-6;

/// A contact whose friction misses its limit by less than this fraction slides: the rounding of a solve is far below.
const EDGE: f64 = 1e-9;

/// Maximum number of rows that are held.
const MOST: usize = 120;

/// The rows that hold, and the factors of their operator.
///
/// # Example
///
/// A block of 2 kg that gravity presses to the floor. With the impulse of the step before it would approach at 0.01 m/s.
///
/// ```
/// use nalgebra::{DMatrix, vector};
/// use percussion_complementarity::friction::{Held, Problem};
///
/// let problem = Problem::from_dense(&(0.5 * DMatrix::identity(3, 3)), &[-0.1, 0.0, 0.0], &[0.5])?;
/// let mut impulses = [vector![0.18, 0.0, 0.0]];
/// let mut held = Held::default();
/// assert!(held.hold_contacts(&problem, &impulses));
/// held.correct_contacts(&problem.velocities(&impulses), &mut impulses);
/// assert!((impulses[0].x - 0.2).abs() < 1e-7, "the ridge leaves a millionth");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Held {
    /// The components of all impulses that hold, ascending, and `W_ii^(−1/2)` of each.
    rows: Vec<usize>,
    scales: Vec<f64>,
    /// `U` with `Uᵀ U = D^{-½} W D^{-½} + ε I`, by rows, and its mirror image below the diagonal.
    factor: Vec<f64>,
    step: Vec<f64>,
}

impl Held {
    /// Whether some contact presses and all that do are inside of their friction cones.
    #[must_use]
    pub fn contacts_hold(contacts: &[Contact], impulses: &[Vector3<f64>]) -> bool {
        let presses = |impulse: &Vector3<f64>| impulse.iter().any(|entry| *entry != 0.0);
        let holds = |(contact, p): (&Contact, &Vector3<f64>)| {
            !presses(p) || p.x > 0.0 && is_inside(contact.friction(), p.x, &[p.y, p.z])
        };
        impulses.iter().any(presses) && contacts.iter().zip(impulses).all(holds)
    }

    /// Factorizes the rows that have `impulses`; `false` if there are none or too many, something slides, or they are singular.
    ///
    /// # Panics
    ///
    /// If there is not one impulse per contact.
    #[must_use]
    pub fn hold_contacts(&mut self, problem: &Problem, impulses: &[Vector3<f64>]) -> bool {
        assert_eq!(impulses.len(), problem.contact_count(), "one impulse per contact");
        let contacts = problem.contacts();
        self.rows.clear();
        if !Self::contacts_hold(contacts, impulses) {
            return false;
        }
        for (index, (contact, impulse)) in contacts.iter().zip(impulses).enumerate() {
            let count = match (impulse.x > 0.0, contact.friction() > 0.0) {
                (false, _) => 0,
                (true, false) => 1,
                (true, true) => 3,
            };
            self.rows.extend(3 * index..3 * index + count);
        }
        let n = self.rows.len();
        if !self.scale(|row| contacts[row / 3].block()[(row % 3, row % 3)]) {
            return false;
        }
        for (i, &row) in self.rows.iter().enumerate() {
            let mut blocks = problem.delassus().row(row / 3).peekable();
            for (j, &column) in self.rows.iter().enumerate().skip(i) {
                while blocks.next_if(|(other, _)| *other < column / 3).is_some() {}
                if let Some((_, block)) = blocks.peek().filter(|(other, _)| *other == column / 3) {
                    let entry = block[(row % 3, column % 3)];
                    self.factor[i * n + j] = self.scales[i] * self.scales[j] * entry;
                }
            }
        }
        self.factorize()
    }

    /// Whether some row has an impulse and all that do are inside of their sets, or intervals at the end of theirs. Contacts with
    /// other sections than discs, and bilateral rows, whose impulses have to be those of least norm, do not count as held.
    #[must_use]
    pub fn blocks_hold(problem: &mixed::Problem, impulses: &[f64]) -> bool {
        let mut rest = impulses;
        let holds = |block: &mixed::Block| {
            let (own, others) = rest.split_at(block.rows);
            rest = others;
            match &block.set {
                Set::Unilateral => own.iter().all(|p| *p >= 0.0),
                Set::Interval { lower, upper } => own.iter().all(|p| p >= lower && p <= upper),
                Set::Contact(Section::Disc(friction)) => {
                    own[0] >= 0.0 && is_inside(*friction, own[0], &own[1..])
                }
                Set::Bilateral | Set::Contact(_) => false,
            }
        };
        problem.blocks().iter().all(holds) && impulses.iter().any(|p| *p != 0.0)
    }

    /// Factorizes the rows of limits and contacts that have `impulses` and those of intervals inside of their bounds; `false` if
    /// there are none or too many, if the rows [do not hold](Self::blocks_hold), or if they are singular.
    ///
    /// # Panics
    ///
    /// If there is not one impulse per row.
    #[must_use]
    pub fn hold_blocks(&mut self, problem: &mixed::Problem, impulses: &[f64]) -> bool {
        assert_eq!(impulses.len(), problem.rows(), "one impulse per row");
        self.rows.clear();
        if !Self::blocks_hold(problem, impulses) {
            return false;
        }
        let (matrix, mut first) = (problem.operator(), 0);
        for block in problem.blocks() {
            let range = first..first + block.rows;
            first = range.end;
            match &block.set {
                Set::Interval { lower, upper } => {
                    let inside = |row: &usize| impulses[*row] > *lower && impulses[*row] < *upper;
                    self.rows.extend(range.filter(inside));
                }
                Set::Contact(Section::Disc(friction)) if *friction > 0.0 => {
                    let presses = impulses[range.start] > 0.0;
                    self.rows.extend(range.filter(|_| presses));
                }
                _ => self.rows.extend(range.filter(|row| impulses[*row] > 0.0)),
            }
        }
        let n = self.rows.len();
        if !self.scale(|row| matrix[(row, row)]) {
            return false;
        }
        for (i, &row) in self.rows.iter().enumerate() {
            // Rows of a symmetric matrix are its columns, which lie together.
            let entries = matrix.column(row);
            for (j, &column) in self.rows.iter().enumerate().skip(i) {
                self.factor[i * n + j] = self.scales[i] * self.scales[j] * entries[column];
            }
        }
        self.factorize()
    }

    /// Prepares the matrix of the rows with this diagonal; `false` if it has none or too many, or one that nothing moves.
    fn scale(&mut self, diagonal: impl Fn(usize) -> f64) -> bool {
        let n = self.rows.len();
        self.scales.clear();
        self.scales.extend(self.rows.iter().map(|row| 1.0 / diagonal(*row).sqrt()));
        self.factor.clear();
        if n == 0 || n > MOST || !self.scales.iter().all(|scale| scale.is_finite()) {
            return false;
        }
        self.factor.resize(n * n, 0.0);
        true
    }

    /// Replaces the upper triangle by its factor, and the lower one by the mirror image; `false` if there is none.
    fn factorize(&mut self) -> bool {
        let n = self.rows.len();
        (0..n).for_each(|k| self.factor[k * (n + 1)] += RIDGE);
        for k in (0..n).step_by(2) {
            let (above, below) = self.factor.split_at_mut((k + 2).min(n) * n);
            let (first, second) = above[k * n..].split_at_mut(n);
            if !normalize(&mut first[k..]) {
                return false;
            }
            if second.is_empty() {
                break;
            }
            let part = first[k + 1];
            subtract(&mut second[k + 1..], [part, 0.0], [&first[k + 1..], &first[k + 1..]]);
            if !normalize(&mut second[k + 1..]) {
                return false;
            }
            for (i, row) in below.chunks_exact_mut(n).enumerate() {
                let i = k + 2 + i;
                subtract(&mut row[i..], [first[i], second[i]], [&first[i..], &second[i..]]);
            }
        }
        for i in 1..n {
            let (above, row) = self.factor.split_at_mut(i * n);
            for (j, entry) in row[..i].iter_mut().enumerate() {
                *entry = above[j * n + i];
            }
        }
        true
    }

    /// Corrects the impulses of contacts, given their `velocities` (m/s).
    ///
    /// # Panics
    ///
    /// If there are fewer contacts than were held. This holds for [`correct`](Self::correct), too.
    pub fn correct_contacts(&mut self, velocities: &[Vector3<f64>], impulses: &mut [Vector3<f64>]) {
        self.solve(|row| velocities[row / 3][row % 3]);
        for (row, step) in self.rows.iter().zip(&self.step) {
            impulses[row / 3][row % 3] -= step;
        }
    }

    /// Corrects the impulses of rows, given their `velocities`.
    pub fn correct(&mut self, velocities: &[f64], impulses: &mut [f64]) {
        self.solve(|row| velocities[row]);
        for (row, step) in self.rows.iter().zip(&self.step) {
            impulses[*row] -= step;
        }
    }

    /// Sets the step to `D^{-½} (Uᵀ U)⁻¹ D^{-½} u`.
    fn solve(&mut self, velocity: impl Fn(usize) -> f64) {
        let Self { rows, scales, factor, step } = self;
        let n = rows.len();
        step.clear();
        step.extend(rows.iter().zip(&*scales).map(|(row, scale)| scale * velocity(*row)));
        let subtract = |x: &mut [f64], lead: f64, row: &[f64]| {
            x.iter_mut().zip(row).for_each(|(x, entry)| *x -= lead * entry);
        };
        for (k, row) in factor.chunks_exact(n.max(1)).enumerate() {
            let (known, rest) = step.split_at_mut(k + 1);
            known[k] /= row[k];
            subtract(rest, known[k], &row[k + 1..]);
        }
        for (k, row) in factor.chunks_exact(n.max(1)).enumerate().rev() {
            let (rest, known) = step.split_at_mut(k);
            known[0] /= row[k];
            subtract(rest, known[0], row);
        }
        step.iter_mut().zip(&*scales).for_each(|(step, scale)| *step *= scale);
    }
}

/// Whether friction is below its limit by more than rounding, or there is none.
fn is_inside(friction: f64, normal: f64, tangential: &[f64]) -> bool {
    let limit = friction * normal;
    let square: f64 = tangential.iter().map(|p| p * p).sum();
    square < (1.0 - EDGE) * (limit * limit) || square == 0.0
}

/// Divides a row by the root of its first entry; `false` if that is not a positive number.
fn normalize(row: &mut [f64]) -> bool {
    let lead = row[0];
    if !(lead > 0.0 && lead.is_finite()) {
        return false;
    }
    let part = 1.0 / lead.sqrt();
    row.iter_mut().for_each(|entry| *entry *= part);
    true
}

/// `y − a x₀ − b x₁`.
#[inline]
fn subtract(y: &mut [f64], [a, b]: [f64; 2], x: [&[f64]; 2]) {
    for (y, (first, second)) in y.iter_mut().zip(x[0].iter().zip(x[1])) {
        *y = *y - a * first - b * second;
    }
}

#[cfg(test)]
mod tests;
