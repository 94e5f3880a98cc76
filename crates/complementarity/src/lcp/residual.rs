//! The residuals that judge any answer to a [linear complementarity problem](Problem), in any units.
//!
//! The rows of `M` may have different units, and the unit of `z` may differ from that of `w`. Then `min(z_i, w_i)`
//! compares different quantities: for contacts between bodies of a few grams it is the impulse, which is small, and
//! not the velocity that is wrong. Every row is therefore measured relative to its own size `s_i`:
//!
//! ```math
//! \text{relative} = \max_i \Bigl| \min\Bigl( \max_k \frac{|M_{ki}|\, z_i}{s_k},\; \frac{w_i}{s_i} \Bigr) \Bigr|, \qquad
//! \text{natural map} = \max_i \Bigl| \min\Bigl( \frac{z_i}{r_i c_i},\; w_i \Bigr) \Bigr| ,
//! ```
//!
//! where the factor of `z_i` is one for a column of zeros. `1/(r_i c_i)` is a power of two near `M_ii`, or near the
//! largest entries of row and column if `M_ii` is not positive.
//!
//! **What a relative residual of `τ` guarantees.** For every row `w_i ≥ −τ s_i`, and either `w_i ≤ τ s_i` or `z_i`
//! is negligible: setting it to zero changes no `w_k` by more than `τ s_k`. The residual is zero exactly at the
//! solutions with `z ≥ 0`.
//!
//! **Sizes** come from the problem and never from the answer, so an answer with huge entries that cancel cannot
//! reduce its own residual. A `q_j` with the sign opposite to `M_jj` is compensated by a `z_j` of the size
//! `|q_j|/|M_jj|`. Its effect on row `i` is `|M_ij|` times that:
//!
//! ```math
//! s_i = \max\Bigl( |q_i|,\; \max_{j :\, q_j M_{jj} < 0} |M_{ij}|\, \frac{|q_j|}{|M_{jj}|}\,
//! \min\Bigl(1, \sqrt{\frac{|M_{ii} M_{jj}|}{|M_{ij} M_{ji}|}}\Bigr) \Bigr) .
//! ```
//!
//! The last factor is one for semidefinite matrices; it prevents pairs of rows from raising one another. Rows
//! without a size get one, step by step, from the rows that have one: by `z_j` of the size `s_j/|M_jj|`, and by an
//! unknown without a diagonal entry. The size of such an unknown is that at which it compensates the first row of
//! its column, the smallest `s_i/|M_ij| > 0`. As a last resort this also applies to an unknown whose own row has no
//! size. Rows with a size are not raised further: around a cycle of rows that would not end.
//!
//! Where rows and columns have the same units, as for contacts, every `s_i` is at least `2⁻⁷ max_j r_j|q_j| u_i`.
//! (The units count as the same if, among the rows with a positive diagonal entry, `r_i |M_ij| c_j` is at most 64;
//! semidefinite matrices have none above 4.) Here `j` are the rows with `q_j < 0 < M_jj`, and `u_i = 1/r_i` or,
//! without a positive diagonal entry, the largest `|M_ij| c_j` of them, except those above `2²⁰` times the smallest with an
//! entry of at least a sixteenth of the largest entry. The lower bound concerns rows whose own terms are rounding of the others, as along the tangents of a body at rest;
//! they need not be precise. Rows that
//! are not reached by any of these, which are all rows if `q = 0`, can only be compared with the answer: `q_i` is
//! zero there, nothing determines the size of their unknowns, and `s_i = Σ_j |M_ij z_j|`.
//!
//! **The upper bound.** An entry of rounding where zero is meant, such as the response `10⁻³²` to friction along a tangent
//! in which nothing moves, lets an unknown and the `s_i` of its rows be 10¹⁶ times too large. Therefore a row is measured by
//! at most `2¹⁰ (Σ_j |M_ij z_j| + |q_i|)`, or by the lower bound above if that is larger.
//!
//! **Units.** The relative residual does not change when rows and columns are multiplied, independently, by positive
//! numbers, as a change of units does: `s_i` changes with the unit of its row. The lower bound, where there is one,
//! changes by at most a factor of two because `r_i` is rounded to a power of two.
//!
//! **Rounding.** If the terms of a row are so large compared with `s_i` that the rounding `(n + 1) 2⁻⁵² Σ|terms|` of
//! their sum could reach `10⁻¹¹ s_i`, the row is added up again with [compensated sums](crate::compensated). The
//! rounding `(n + 1) 2⁻¹⁰⁴ Σ|terms|` of these counts as a residual.
//!
//! # Source
//!
//! R. W. Cottle, J.-S. Pang, R. E. Stone, *The Linear Complementarity Problem* (SIAM 2009), section 5.10 (residuals and error bounds); for the
//! comparison of row errors with row sizes: W. Oettli, W. Prager, "Compatibility of approximate solution of linear equations with given error bounds for
//! coefficients and right-hand sides", *Numerische Mathematik* 6 (1964) 405–409. The sizes are derived above.

pub(crate) mod quick;

use nalgebra::DVector;

use self::quick::Data;
use super::{
    Problem,
    scaling::{larger, smaller},
};
use crate::compensated::Sum;

/// The lower bound of the size of a row, as a fraction of the scale of `q` in its units. Times the default tolerance it is
/// above the rounding `(n + 1) 2⁻⁵²` of up to 100 terms that are thirty times as large.
const LEAST: f64 = 1.0 / 128.0;

/// The largest measure of a row, as a multiple of its own terms.
const OWN: f64 = 1024.0;

/// The smallest entries of a row, relative to its largest, that determine its unit.
const WEAKEST: f64 = 1.0 / 16.0;

/// The largest ratio of units in one row; an unknown beyond it has entries of rounding.
const FARTHEST: f64 = 1_048_576.0;

/// The largest scaled entry of problems whose rows and columns have the same units. A semidefinite matrix has none
/// above 4, and friction of sliding contacts makes diagonal entries smaller.
const LARGEST: f64 = 64.0;

/// Rounding of a row, relative to its size, above which the row is added up again.
const CANCELLATION: f64 = 1e-11;

/// Both residuals of one answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Residuals {
    /// [`Problem::natural_map_residual`].
    pub(crate) natural_map: f64,
    /// [`Problem::relative_residual`].
    pub(crate) relative: f64,
}

impl Residuals {
    /// The residuals of an answer that is not finite.
    pub(crate) const INFINITE: Self = Self { natural_map: f64::INFINITY, relative: f64::INFINITY };
}

/// The sizes of the rows of one problem, and memory for computing residuals.
#[derive(Clone, Debug, Default)]
pub(crate) struct Judge {
    /// `s`.
    sizes: Vec<f64>,
    /// The lower bounds of `s`.
    floors: Vec<f64>,
    /// `s` of the previous step.
    before: Vec<f64>,
    /// `s` for the current answer.
    measures: Vec<f64>,
    /// Whether the sizes have been computed for the problem.
    known: bool,
    /// `M z + q` of the current answer.
    pub(crate) slack: DVector<f64>,
    /// `|M||z| + |q|` of the current answer.
    terms: DVector<f64>,
}

impl Problem {
    /// Largest entry of `|min(z_i / (r_i c_i), (M z + q)_i)|`, in the units of `w`: zero exactly at the solutions, infinite when
    /// `z` holds a NaN or infinity. The factors `r_i c_i ≈ 1/M_ii` are those of the [head of the module](self).
    ///
    /// # Panics
    ///
    /// When `z` does not have length `n`.
    #[must_use]
    pub fn natural_map_residual(&self, z: &DVector<f64>) -> f64 {
        Judge::new(self).residuals(self, z).natural_map
    }

    /// The residual by which answers are judged: dimensionless and relative to the sizes of the rows; see the [head
    /// of the module](self).
    ///
    /// # Panics
    ///
    /// When `z` does not have length `n`.
    ///
    /// # Example
    ///
    /// Contacts of 50 picograms: the impulses are right to `10⁻¹⁰ N·s`, but the velocities are entirely wrong.
    ///
    /// ```
    /// use nalgebra::{dmatrix, dvector};
    /// use percussion_complementarity::lcp::Problem;
    ///
    /// let problem = Problem::new(dmatrix![2e10, 1e10; 1e10, 2e10], dvector![-1.0, -4.0])?;
    /// assert!(problem.relative_residual(&dvector![0.0, 2e-10]) < 1e-15);
    /// assert!(problem.relative_residual(&dvector![0.5e-10, 1.75e-10]) > 0.1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn relative_residual(&self, z: &DVector<f64>) -> f64 {
        Judge::new(self).residuals(self, z).relative
    }
}

impl Judge {
    pub(crate) fn new(problem: &Problem) -> Self {
        let mut judge = Self::default();
        judge.prepare(problem);
        judge
    }

    /// The sizes of the problem with `q = 0`, whose solutions are the rays of this one.
    pub(crate) fn of_rays(problem: &Problem) -> Self {
        let mut judge = Self::default();
        judge.resize(problem.dimension());
        judge
    }

    /// Starts with another problem, in the same memory.
    pub(crate) fn prepare(&mut self, problem: &Problem) {
        self.resize(problem.dimension());
        self.known = false;
    }

    /// Resizes the memory; all sizes are zero, as without a vector.
    pub(crate) fn resize(&mut self, n: usize) {
        self.sizes.clear();
        self.sizes.resize(n, 0.0);
        self.floors.clear();
        self.floors.resize(n, 0.0);
        self.known = true;
        if self.slack.len() != n {
            self.slack.resize_vertically_mut(n, 0.0);
            self.terms.resize_vertically_mut(n, 0.0);
        }
    }

    /// Both residuals of `z`.
    pub(crate) fn residuals(&mut self, problem: &Problem, z: &DVector<f64>) -> Residuals {
        self.mixed_residuals(problem, z, 0)
    }

    /// Both residuals where the first `free` unknowns may have any sign and their rows are equations.
    pub(crate) fn mixed_residuals(
        &mut self,
        problem: &Problem,
        z: &DVector<f64>,
        free: usize,
    ) -> Residuals {
        if !self.known {
            sizes(problem, &mut self.sizes, &mut self.before);
            floors(problem, &mut self.floors);
            self.known = true;
        }
        let with_vector = self.sizes.iter().any(|&size| size > 0.0);
        self.add_up(problem, z, with_vector);
        self.measures.clear();
        for ((&size, &floor), &terms) in self.sizes.iter().zip(&self.floors).zip(&self.terms) {
            let reached = if size > 0.0 { size.min(OWN * terms) } else { terms };
            self.measures.push(reached.max(floor));
        }
        let sizes = &self.measures[..];
        let rounding = rounding(z.len());
        let (mut natural_map, mut relative, mut poison) = (0.0, 0.0, 0.0);
        for (i, &z_i) in z.as_slice().iter().enumerate() {
            let noise = rounding * self.terms[i];
            if noise > sizes[i] && (z_i != 0.0 || self.slack[i] < CANCELLATION * noise) {
                self.slack[i] = compensated_slack(problem, i, z, with_vector);
                // If even the rounding of compensated sums is large, as where unknowns of 1e33 cancel, the row is
                // not known to be zero.
                let doubt = rounding * CANCELLATION * f64::EPSILON * self.terms[i];
                natural_map = larger(doubt, natural_map);
                let doubt = if doubt > 0.0 { doubt / sizes[i] } else { 0.0 };
                relative = larger(doubt, relative);
            }
            let w = self.slack[i];
            // Zero times a finite number is zero; times NaN or infinity it is NaN.
            poison += 0.0 * z_i + 0.0 * w;
            if z_i == 0.0 && w >= 0.0 && i >= free {
                continue;
            }
            let share = if w == 0.0 { 0.0 } else { w / sizes[i] };
            let (row, column) = problem.scaling().factors(i);
            let (missed, part) = if i < free {
                (w.abs(), share.abs())
            } else {
                let missed = smaller(z_i / column / row, w).abs();
                // The effect of a column is only computed where it could be the smaller one.
                let part = if share.abs() > relative || z_i < 0.0 {
                    smaller(effect(problem, i, z_i, sizes), share).abs()
                } else {
                    0.0
                };
                (missed, part)
            };
            natural_map = larger(missed, natural_map);
            relative = larger(part, relative);
        }
        if poison == 0.0 { Residuals { natural_map, relative } } else { Residuals::INFINITE }
    }

    /// Writes `M z + q` and `|M||z| + |q|`, column by column and skipping the zeros of `z`.
    pub(crate) fn add_up(&mut self, problem: &Problem, z: &DVector<f64>, with_vector: bool) {
        assert_eq!(z.len(), problem.dimension(), "z has the wrong length");
        let (slack, terms) = (self.slack.as_mut_slice(), self.terms.as_mut_slice());
        quick::add_up(&Data::of(problem), z.as_slice(), with_vector, slack, terms);
    }
}

/// A bound of the rounding of a sum of `n + 1` terms, relative to their magnitudes and to the limit for adding up
/// again.
#[expect(clippy::cast_precision_loss, reason = "small counts")]
fn rounding(n: usize) -> f64 {
    (n + 1) as f64 * f64::EPSILON / CANCELLATION
}

/// The direct effect on row `i` of the unknowns that compensate their own rows.
fn at_once(problem: &Problem, i: usize) -> f64 {
    let n = problem.dimension();
    let matrix = problem.matrix().as_slice();
    let mut largest = 0.0;
    for (j, q) in problem.vector().as_slice().iter().enumerate() {
        let (entry, diagonal) = (matrix[j * n + i], matrix[j * n + j].abs());
        if entry != 0.0 && j != i && is_driven(problem, j) {
            let reach = entry.abs() * (q.abs() / diagonal);
            if reach > largest && reach.is_finite() {
                largest = larger(reach * damping(problem, i, j), largest);
            }
        }
    }
    largest
}

/// The same for all rows.
fn direct_effects(problem: &Problem, effects: &mut [f64]) {
    effects.fill(0.0);
    let columns = problem.matrix().as_slice().chunks_exact(effects.len());
    for (j, (column, q)) in columns.zip(problem.vector().as_slice()).enumerate() {
        if !is_driven(problem, j) {
            continue;
        }
        let unknown = q.abs() / column[j].abs();
        for (i, (effect, entry)) in effects.iter_mut().zip(column).enumerate() {
            let reach = entry.abs() * unknown;
            if *entry != 0.0 && j != i && reach > *effect && reach.is_finite() {
                *effect = larger(reach * damping(problem, i, j), *effect);
            }
        }
    }
}

/// `min(1, √(|M_ii M_jj| / |M_ij M_ji|))`, or 1 without diagonal entries.
fn damping(problem: &Problem, i: usize, j: usize) -> f64 {
    let n = problem.dimension();
    let entry = |i: usize, j: usize| problem.matrix().as_slice()[j * n + i].abs();
    let (first, second) = (entry(i, j), entry(j, i));
    if first.max(second) <= entry(i, i).min(entry(j, j)) {
        return 1.0;
    }
    let own = entry(i, i).sqrt() * entry(j, j).sqrt();
    let pair = first.sqrt() * second.sqrt();
    if own > 0.0 && pair > own { own / pair } else { 1.0 }
}

/// `max_k |M_ki| z_i / s_k`, with the sign of `z_i`; one for a column of zeros.
fn effect(problem: &Problem, i: usize, z: f64, sizes: &[f64]) -> f64 {
    let n = sizes.len();
    let column = &problem.matrix().as_slice()[i * n..][..n];
    let mut largest = f64::NEG_INFINITY;
    for (m, &size) in column.iter().zip(sizes) {
        if *m != 0.0 {
            largest = larger((m * z).abs() / size, largest);
        }
    }
    let largest = if largest >= 0.0 { largest } else { 1.0 };
    if z == 0.0 { 0.0 } else { largest.copysign(z) }
}

/// `(M z + q)_i` with one rounding.
fn compensated_slack(problem: &Problem, i: usize, z: &DVector<f64>, with_vector: bool) -> f64 {
    let mut sum = Sum::new(if with_vector { problem.vector()[i] } else { 0.0 });
    for (m, &z) in problem.matrix().row(i).iter().zip(z.iter()) {
        sum.add_product(*m, z);
    }
    sum.value()
}

/// The sizes `s_i` of the rows; all zero if `q = 0`.
fn sizes(problem: &Problem, sizes: &mut [f64], before: &mut Vec<f64>) {
    let n = sizes.len();
    let q = problem.vector().as_slice();
    if q.iter().all(|q| *q == 0.0) {
        sizes.fill(0.0);
        return;
    }
    direct_effects(problem, sizes);
    for (size, q) in sizes.iter_mut().zip(q) {
        *size = size.max(q.abs());
    }
    while sizes.contains(&0.0) {
        before.clear();
        before.extend_from_slice(sizes);
        (0..n).for_each(|j| fill(problem, j, before, sizes, false));
        if sizes == &before[..] {
            (0..n).for_each(|j| fill(problem, j, before, sizes, true));
        }
        if sizes == &before[..] {
            break;
        }
    }
}

/// The lower bounds of the sizes; zero if rows and columns have different units.
fn floors(problem: &Problem, floors: &mut [f64]) {
    floors.fill(0.0);
    if !has_equal_units(problem) {
        return;
    }
    let (n, matrix, q) = (floors.len(), problem.matrix().as_slice(), problem.vector());
    let factors = |i: usize| problem.scaling().factors(i);
    let has_inertia = |i: &usize| matrix[i * n + i] > 0.0;
    let pushed = (0..n).filter(|i| has_inertia(i) && q[*i] < 0.0);
    let largest = LEAST * pushed.map(|i| factors(i).0 * -q[i]).fold(0.0, f64::max);
    for (i, floor) in floors.iter_mut().enumerate() {
        let unit = if has_inertia(&i) {
            1.0 / factors(i).0
        } else {
            let inert = (0..n).filter(has_inertia);
            let entries = inert.map(|j| (matrix[j * n + i].abs(), factors(j).1));
            let strongest = entries.clone().map(|(entry, _)| entry).fold(0.0, f64::max);
            let strong = entries.clone().filter(|(entry, _)| *entry >= WEAKEST * strongest);
            let smallest = strong.map(|(entry, c)| entry * c).fold(f64::INFINITY, f64::min);
            let units = entries.map(|(entry, c)| entry * c);
            units.filter(|unit| *unit <= FARTHEST * smallest).fold(0.0, f64::max)
        };
        // Where it overflows, as the unknown that solves a row does, the terms of the row remain.
        *floor = Some(unit * largest).filter(|floor| floor.is_finite()).unwrap_or(0.0);
    }
}

/// Whether `z_i` compensates `q_i` in its own row.
fn is_driven(problem: &Problem, i: usize) -> bool {
    let (diagonal, q) = (problem.matrix()[(i, i)], problem.vector()[i]);
    (diagonal > 0.0 && q < 0.0) || (diagonal < 0.0 && q > 0.0)
}

/// Adds the effect of the unknown of column `j` to its rows that had no size before. If the row of the unknown has
/// no size, this is only done as the `last` resort.
fn fill(problem: &Problem, j: usize, before: &[f64], sizes: &mut [f64], last: bool) {
    let n = sizes.len();
    let column = &problem.matrix().as_slice()[j * n..][..n];
    let diagonal = column[j].abs();
    let unknown = if diagonal > 0.0 && (before[j] > 0.0 || !last) {
        before[j] / diagonal
    } else {
        balance(column, before)
    };
    for (i, size) in sizes.iter_mut().enumerate() {
        let reach = column[i].abs() * unknown;
        if before[i] == 0.0 && reach > *size && reach.is_finite() {
            *size = (reach * damping(problem, i, j)).max(*size);
        }
    }
}

/// The smallest size at which the unknown of a column compensates a row, or zero if there is none.
fn balance(column: &[f64], sizes: &[f64]) -> f64 {
    let rows = column.iter().zip(sizes).filter(|(m, size)| **m != 0.0 && **size > 0.0);
    let smallest = rows.map(|(m, size)| size / m.abs()).fold(f64::INFINITY, f64::min);
    if smallest.is_finite() { smallest } else { 0.0 }
}

/// Whether `r_i |M_ij| c_j` is of the order of one where the diagonal is positive, as when rows and columns have the
/// same units.
fn has_equal_units(problem: &Problem) -> bool {
    let n = problem.dimension();
    let matrix = problem.matrix().as_slice();
    let driven = |i: &usize| matrix[i * n + i] > 0.0;
    (0..n).filter(driven).all(|j| {
        let column = problem.scaling().factors(j).1;
        (0..n).filter(driven).all(|i| {
            let row = problem.scaling().factors(i).0;
            (row * matrix[j * n + i] * column).abs() <= LARGEST
        })
    })
}

#[cfg(test)]
mod tests;
