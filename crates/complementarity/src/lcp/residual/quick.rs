//! Quick bounds of the residuals, which suffice for most answers and do not need the sizes of all rows.
//!
//! They take an answer `z`, its `slack` `M z + q` and the `terms` `|M||z| + |q|`, as [`add_up`] finds them.

use nalgebra::DVector;

use super::{CANCELLATION, Judge, OWN, Residuals, at_once, rounding};
use crate::lcp::{Problem, scaling::larger};

impl Judge {
    /// [`within`] of the current answer, whose sums are those of [`add_up`](Self::add_up).
    pub(crate) fn within(
        &self,
        problem: &Problem,
        z: &DVector<f64>,
        tolerance: f64,
    ) -> Option<Residuals> {
        let (slack, terms) = (self.slack.as_slice(), self.terms.as_slice());
        within(problem, &Data::of(problem), z.as_slice(), slack, terms, tolerance)
    }

    /// Whether row `i` of the current answer is negative by more than the tolerance relative to `|q_i|` and the
    /// direct effects on it.
    pub(crate) fn approaches(&self, problem: &Problem, i: usize, tolerance: f64) -> bool {
        let missed = -self.slack[i];
        let reach = || at_once(problem, i).min(OWN * self.terms[i]);
        missed > tolerance * problem.vector()[i].abs() && missed > tolerance * reach()
    }

    /// [`scaled_slack`] of the current answer.
    pub(crate) fn scaled_slack(&self, problem: &Problem, z: &DVector<f64>) -> f64 {
        scaled_slack(&Data::of(problem), z.as_slice(), self.slack.as_slice())
    }
}

/// The data of a problem as slices, which for a problem of known size can have that length at compile time.
pub(crate) struct Data<'a> {
    /// `M` by columns.
    pub(crate) matrix: &'a [f64],
    /// `q`.
    pub(crate) vector: &'a [f64],
    /// `r`.
    pub(crate) rows: &'a [f64],
    /// `c`.
    pub(crate) columns: &'a [f64],
    /// One by the level of `q`.
    pub(crate) inverse_level: f64,
}

impl<'a> Data<'a> {
    /// Of a problem of any size.
    pub(crate) fn of(problem: &'a Problem) -> Self {
        let scaling = problem.scaling();
        Self {
            matrix: problem.matrix().as_slice(),
            vector: problem.vector().as_slice(),
            rows: scaling.rows(),
            columns: scaling.columns(),
            inverse_level: scaling.inverse_level(),
        }
    }

    /// Of a problem with `N` unknowns.
    pub(crate) fn sized<const N: usize>(problem: &'a Problem) -> Option<Self> {
        let all = Self::of(problem);
        let [vector, rows, columns] =
            [all.vector, all.rows, all.columns].map(<[f64]>::first_chunk::<N>);
        let matrix = all.matrix.as_chunks::<N>().0.first_chunk::<N>()?.as_flattened();
        Some(Self { matrix, vector: vector?, rows: rows?, columns: columns?, ..all })
    }

    /// Writes column `j` of the scaled matrix to the first `n` entries of `scaled`.
    #[inline(always)]
    pub(crate) fn write_column(&self, j: usize, scaled: &mut [f64]) {
        let (n, own) = (self.rows.len(), self.columns[j]);
        let column = &self.matrix[j * n..][..n];
        for ((scaled, entry), factor) in scaled.iter_mut().zip(column).zip(self.rows) {
            *scaled = entry * (own * factor);
        }
    }

    /// Writes the scaled `q` to the first `n` entries of `scaled`.
    #[inline(always)]
    pub(crate) fn write_vector(&self, scaled: &mut [f64]) {
        for ((scaled, q), factor) in scaled.iter_mut().zip(self.vector).zip(self.rows) {
            *scaled = q * factor * self.inverse_level;
        }
    }
}

/// Writes `M z + q`, or `M z` without the vector, and the sums of the magnitudes of its terms, column by column and
/// skipping the zeros of `z`. All slices have the length `n`.
#[inline(always)]
pub(crate) fn add_up(
    data: &Data<'_>,
    z: &[f64],
    with_vector: bool,
    slack: &mut [f64],
    terms: &mut [f64],
) {
    if with_vector {
        slack.copy_from_slice(data.vector);
    } else {
        slack.fill(0.0);
    }
    for (size, w) in terms.iter_mut().zip(slack.iter()) {
        *size = w.abs();
    }
    for (column, &z) in data.matrix.chunks_exact(z.len()).zip(z) {
        if z != 0.0 {
            for ((w, size), m) in slack.iter_mut().zip(terms.iter_mut()).zip(column) {
                let term = m * z;
                *w += term;
                *size += term.abs();
            }
        }
    }
}

/// The natural map of a `z ≥ 0` and a bound of its relative residual, if a cheap bound shows that they are
/// within the tolerance. The bound uses `|q_i|` and the unknowns that act on row `i` directly, neither of which
/// is above `s_i`, instead of the sizes of all rows.
#[inline(always)]
pub(crate) fn within(
    problem: &Problem,
    data: &Data<'_>,
    z: &[f64],
    slack: &[f64],
    terms: &[f64],
    tolerance: f64,
) -> Option<Residuals> {
    // The unit roundoff is half of ε.
    let rounding = 0.5 * CANCELLATION * rounding(z.len());
    let (mut natural_map, mut relative) = (0.0, 0.0);
    let rows = z.iter().zip(slack).zip(terms).zip(data.vector);
    for (i, (((&z_i, &w), &terms), q)) in rows.enumerate() {
        if !(z_i >= 0.0 && terms < f64::MAX) {
            return None;
        }
        let missed = if z_i > 0.0 { w.abs() } else { -w };
        let at_worst = missed + rounding * terms;
        if at_worst <= 0.0 {
            continue;
        }
        let mut size = q.abs();
        if at_worst > tolerance * size {
            size = at_once(problem, i).min(OWN * terms).max(size);
            // The comparison is false for NaN.
            let enough = at_worst <= tolerance * size;
            if !enough {
                return None;
            }
        }
        if missed > 0.0 {
            let (row, column) = (data.rows[i], data.columns[i]);
            // The factors are powers of two, so that their product is exact.
            let natural = if z_i < w * (column * row) { z_i / column / row } else { w.abs() };
            natural_map = larger(natural, natural_map);
            relative = larger(missed / size, relative);
        }
    }
    Some(Residuals { natural_map, relative })
}

/// The largest `r_i |w_i|` of the rows that should be zero, relative to the scale of `q`.
#[inline(always)]
pub(crate) fn scaled_slack(data: &Data<'_>, z: &[f64], slack: &[f64]) -> f64 {
    let mut largest = 0.0;
    for ((&z, &w), row) in z.iter().zip(slack).zip(data.rows) {
        let missed = row * if z > 0.0 { w.abs() } else { -w };
        largest = if missed > largest || missed.is_nan() { missed } else { largest };
    }
    largest * data.inverse_level
}
