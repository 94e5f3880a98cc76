//! Linear complementarity problems: `w = M z + q`, `0 ≤ z ⊥ w ≥ 0`.
//!
//! **Tolerance.** An answer is correct if it solves exactly a problem whose vector `q` differs in each row by
//! at most a fraction of the scale of the row. The scale `r_i` of a row is the largest of `|q_i|` and of the
//! contributions of pushed rows: if `q_j` has the sign opposite to `M_jj`, unknown `j` alone is of the size
//! `|q_j| / |M_jj|`, and it contributes `|M_ij|` times this to row `i`,
//!
//! ```math
//! r_i = \max\Bigl(|q_i|,\ \max_{j :\, q_j M_{jj} < 0} \frac{|M_{ij}|}{|M_{jj}|}\, |q_j|\Bigr),
//! ```
//!
//! where `|M_ij M_ji|` counts as at most `|M_ii M_jj|`. Rows without a scale get the contributions of rows
//! with one, over as few other rows as possible; an unknown without a diagonal entry, or whose row has no
//! scale, gets the smallest size at which it balances a row of its column. This does not raise the scale of
//! any row that has one, so cycles of rows do not amplify one another. A row that still has no scale has
//! `q_i = 0`, and no data determine the size of its unknowns: its equation is homogeneous, and its scale is
//! `Σ_j |M_ij z_j|`. Multiplying rows or unknowns by positive numbers multiplies the scales likewise, so units do
//! not matter. Except for these rows `z` has no influence: an answer of absurd size has no larger tolerance
//! than another.
//!
//! In mechanics `z_i w_i` is an energy in every row, and `q_i²/M_ii` is the size of this energy in row `i`.
//! If no entry contradicts this interpretation (all `|M_ij| ≤ 64 √(M_ii M_jj)` among the rows with
//! `M_ii > 0`), rows with almost no energy need not be accurate: their scale is at least `√M_ii/64` times the
//! largest `−q_j/√M_jj`. For a row with `M_ii ≤ 0`, such as that of a friction cone, the largest
//! `|M_ij|/√M_jj` replaces `√M_ii`. This lower bound is no datum that determines the size of unknowns: a homogeneous
//! row remains one, and the larger of both scales counts. No unknown of a homogeneous row has an entry in another kind
//! of row, since it would give its rows a scale, so a large solution of these rows hides no error elsewhere.
//!
//! **Complementarity** is checked without products: row `j` is complementary if `w_j` is zero within its
//! tolerance, or if setting `z_j` to zero changes no row by more than its tolerance.
//!
//! # Source
//!
//! R. W. Cottle, J.-S. Pang, R. E. Stone, *The Linear Complementarity Problem* (SIAM 2009), sections 1.1 and 2.4
//! (definition; theorem of the alternative for infeasible problems).

use crate::{Extended, Verdict};

/// Roundings of a sum of `terms` products, as a fraction of the sum of the absolute terms.
pub(crate) fn rounding(terms: usize) -> f64 {
    (terms + 2) as f64 * f64::EPSILON
}

/// The scale `r_i` of each row; see the [module](self).
///
/// `matrix` is `n × n` by rows, `vector` has length `n`.
///
/// # Example
///
/// In a row of balls only the first is struck; the scale of the last row follows from that of the first.
///
/// ```
/// let matrix = [2.0, -1.0, 0.0, -1.0, 2.0, -1.0, 0.0, -1.0, 2.0];
/// let scales = percussion_verify::lcp::row_scales(&matrix, &[-4.0, 0.0, 0.0]);
/// assert_eq!(scales, [4.0, 2.0, 1.0]);
/// ```
#[must_use]
pub fn row_scales(matrix: &[f64], vector: &[f64]) -> Vec<f64> {
    let mut scales = reached_scales(matrix, vector);
    least_scales(matrix, vector, &mut scales);
    scales
}

/// The scales without the lower bound of rows with almost no energy: zero in homogeneous rows.
fn reached_scales(matrix: &[f64], vector: &[f64]) -> Vec<f64> {
    let n = vector.len();
    let own: Vec<f64> = vector.iter().map(|q| q.abs()).collect();
    let pushing: Vec<f64> = (0..n)
        .map(|j| {
            let diagonal = matrix[j * n + j];
            if diagonal != 0.0 && diagonal.signum() * vector[j] < 0.0 {
                own[j] / diagonal.abs()
            } else {
                0.0
            }
        })
        .collect();
    let reached = |sizes: &[f64], i: usize| {
        (0..n)
            .filter(|&j| j != i && matrix[i * n + j] != 0.0)
            .map(|j| {
                let own = (matrix[i * n + i].abs().sqrt()) * matrix[j * n + j].abs().sqrt();
                let mutual = (matrix[i * n + j].abs().sqrt()) * matrix[j * n + i].abs().sqrt();
                let excess = if own > 0.0 { (mutual / own).max(1.0) } else { 1.0 };
                matrix[i * n + j].abs() * sizes[j] / excess
            })
            .filter(|reach| reach.is_finite())
            .fold(0.0, f64::max)
    };
    let mut scales: Vec<f64> = (0..n).map(|i| own[i].max(reached(&pushing, i))).collect();
    for _ in 0..2 * n {
        let before = scales.clone();
        // As a last resort also by unknowns whose own row has no scale.
        for last in [false, true] {
            let sizes: Vec<f64> = (0..n)
                .map(|j| {
                    let diagonal = matrix[j * n + j].abs();
                    let own = diagonal > 0.0 && (before[j] > 0.0 || !last);
                    if own { before[j] / diagonal } else { balance(matrix, &before, j) }
                })
                .collect();
            for i in (0..n).filter(|&i| before[i] == 0.0) {
                let own = if last { matrix[i * n + i].abs() * sizes[i] } else { 0.0 };
                scales[i] = reached(&sizes, i).max(own);
            }
            if scales != before {
                break;
            }
        }
    }
    scales
}

/// Raises the scales of rows with almost no energy.
fn least_scales(matrix: &[f64], vector: &[f64], scales: &mut [f64]) {
    let n = vector.len();
    let roots: Vec<f64> = (0..n).map(|i| matrix[i * n + i].max(0.0).sqrt()).collect();
    let driven: Vec<usize> = (0..n).filter(|&i| roots[i] > 0.0).collect();
    let is_energy = driven
        .iter()
        .all(|&i| driven.iter().all(|&j| matrix[i * n + j].abs() / roots[j] <= 64.0 * roots[i]));
    if is_energy {
        let largest = driven.iter().map(|&j| -vector[j] / roots[j]).fold(0.0, f64::max);
        for (i, scale) in scales.iter_mut().enumerate() {
            let of_columns = driven.iter().map(|&j| matrix[i * n + j].abs() / roots[j]);
            let root = if roots[i] > 0.0 { roots[i] } else { of_columns.fold(0.0, f64::max) };
            *scale = scale.max(root * (largest / 64.0));
        }
    }
}

/// The smallest size at which unknown `j` balances a row of its column that has a scale.
fn balance(matrix: &[f64], scales: &[f64], j: usize) -> f64 {
    let n = scales.len();
    let rows = (0..n).filter(|&i| matrix[i * n + j] != 0.0 && scales[i] > 0.0);
    let smallest = rows.map(|i| scales[i] / matrix[i * n + j].abs()).fold(f64::INFINITY, f64::min);
    if smallest.is_finite() { smallest } else { 0.0 }
}

/// `M z + q` in extended precision (length `n`).
#[must_use]
pub fn slack(matrix: &[f64], vector: &[f64], z: &[f64]) -> Vec<Extended> {
    let rows = matrix.chunks_exact(z.len().max(1)).zip(vector);
    rows.map(|(row, &q)| {
        let products = row.iter().zip(z).map(|(&m, &z)| Extended::product(m, z));
        products.sum::<Extended>() + Extended::from(q)
    })
    .collect()
}

/// Judges `z` as a solution: `matrix` is `n × n` by rows, `vector` and `z` have length `n`, and `tolerance` is the relative
/// one that the solver claims to meet.
///
/// Four times that tolerance is allowed, because solver and judge may differ in the scale of a row by the factor of two
/// between largest entry and sum of two, twice; and 64 roundings for each term, with which the solver may have formed rows.
///
/// # Example
///
/// ```
/// use percussion_verify::lcp;
///
/// // A ball of 2 kg that arrives at 3 m/s is stopped by 6 N·s.
/// assert!(lcp::judge(&[0.5], &[-3.0], &[6.0], 1e-10).holds());
/// assert!(lcp::judge(&[0.5], &[-3.0], &[5.9], 1e-10).refuses("negative w"));
/// ```
#[must_use]
pub fn judge(matrix: &[f64], vector: &[f64], z: &[f64], tolerance: f64) -> Verdict {
    let n = vector.len();
    let mut verdict = Verdict::default();
    if matrix.len() != n * n || z.len() != n {
        verdict.look("size", 0, Extended::ONE, 0.0);
        return verdict;
    }
    let mut scales = reached_scales(matrix, vector);
    for (i, scale) in scales.iter_mut().enumerate().filter(|(_, scale)| **scale == 0.0) {
        *scale = (0..n).map(|j| (matrix[i * n + j] * z[j]).abs()).sum();
    }
    least_scales(matrix, vector, &mut scales);
    let w = slack(matrix, vector, z);
    let fraction = 4.0 * tolerance + 64.0 * rounding(n);
    for i in 0..n {
        let finite = z[i].is_finite() && w[i].is_finite();
        verdict.look("finite", i, if finite { Extended::ZERO } else { Extended::ONE }, 0.0);
        verdict.look("negative z", i, Extended::from(-z[i]), 0.0);
        verdict.look("negative w", i, -w[i], fraction * scales[i]);
        if z[i] > 0.0 && w[i] > Extended::ZERO {
            // Both as fractions of the scales of the rows, so that they are comparable.
            let open = w[i].value() / scales[i];
            let pushed = (0..n)
                .filter(|&k| matrix[k * n + i] != 0.0)
                .map(|k| matrix[k * n + i].abs() * z[i] / scales[k])
                .fold(0.0, f64::max);
            verdict.look("complementarity", i, Extended::from(open.min(pushed)), fraction);
        }
    }
    verdict
}

/// Whether `z` solves the given problem up to a few rounding errors of the terms of every row. Then the
/// problem certainly has a solution, whatever the sizes of its rows.
#[must_use]
pub fn is_exact(matrix: &[f64], vector: &[f64], z: &[f64]) -> bool {
    let n = vector.len();
    let w = slack(matrix, vector, z);
    (0..n).all(|i| {
        let products = (0..n).map(|j| (matrix[i * n + j] * z[j]).abs());
        let limit = Extended::from(4.0 * rounding(n) * (vector[i].abs() + products.sum::<f64>()));
        let complementary = z[i] == 0.0 || w[i] <= limit;
        z[i] >= 0.0 && -w[i] <= limit && complementary
    })
}

/// Judges `y` as a proof that no `z ≥ 0` has `M z + q ≥ 0`: `y ≥ 0`, `Mᵀ y ≤ 0` and `q·y < 0`.
///
/// This is a contradiction, since `0 ≤ y·(M z + q) = (Mᵀ y)·z + q·y < 0` for every feasible `z`. Both
/// conditions hold up to the rounding of their own terms, so the proof is one for a problem that differs from
/// the given one by rounding.
#[must_use]
pub fn judge_infeasible(matrix: &[f64], vector: &[f64], y: &[f64]) -> Verdict {
    let n = vector.len();
    let mut verdict = Verdict::default();
    if matrix.len() != n * n || y.len() != n {
        verdict.look("size", 0, Extended::ONE, 0.0);
        return verdict;
    }
    let fraction = 64.0 * rounding(n);
    for (i, &y) in y.iter().enumerate() {
        verdict.look("finite", i, if y.is_finite() { Extended::ZERO } else { Extended::ONE }, 0.0);
        verdict.look("negative weight", i, Extended::from(-y), 0.0);
    }
    for j in 0..n {
        let terms = (0..n).map(|i| Extended::product(matrix[i * n + j], y[i]));
        let size: f64 = (0..n).map(|i| (matrix[i * n + j] * y[i]).abs()).sum();
        verdict.look("combined column", j, terms.sum(), fraction * size);
    }
    let (gain, size) = vector.iter().zip(y).fold((Extended::ZERO, 0.0), |(sum, size), (&q, &y)| {
        (sum + Extended::product(q, y), size + (q * y).abs())
    });
    // The gain must be negative by more than its rounding error.
    let missing = gain + Extended::from(fraction * size);
    let missing = if size > 0.0 { missing } else { Extended::ONE };
    verdict.look("combined vector", 0, missing, 0.0);
    verdict
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_of_mass_does_not_hide_a_wrong_answer() {
        // Exact: z = (0, 2e-10), w = (1, 0). The wrong answers have z₁ > 0 and w₁ > 0.
        let (matrix, vector) = ([2e10, 1e10, 1e10, 2e10], [-1.0, -4.0]);
        assert!(judge(&matrix, &vector, &[0.0, 2e-10], 1e-10).holds());
        assert!(is_exact(&matrix, &vector, &[0.0, 2e-10]));
        assert!(!is_exact(&matrix, &vector, &[0.0, 2.0000000001e-10]));
        assert!(!is_exact(&matrix, &vector, &[5e-11, 1.75e-10]));
        assert!(!is_exact(&matrix, &vector, &[0.0, -2e-10]));
        let wrong = judge(&matrix, &vector, &[5e-11, 1.75e-10], 1e-10);
        assert!(wrong.refuses("complementarity"), "{wrong}");
        for unit in [1e-150, 1e-12, 1e12, 1e100] {
            let matrix = matrix.map(|m| m * unit);
            let right = judge(&matrix, &vector, &[0.0, 4.0 / matrix[3]], 1e-10);
            assert!(right.holds(), "{unit:e}: {right}");
            let wrong = judge(&matrix, &vector, &[5e-11 / unit, 1.75e-10 / unit], 1e-10);
            assert!(wrong.refuses("complementarity"), "{unit:e}: {wrong}");
        }
    }

    #[test]
    fn a_row_that_nothing_pushes_is_judged_by_its_terms() {
        // `w = (z_1 − z_0, 1)`: any `z_0 = z_1` solves, at any size.
        let (matrix, vector) = ([-1.0, 1.0, 0.0, 1.0, -1.0, 0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0]);
        for size in [1e-200, 1.0, 1e200] {
            assert!(judge(&matrix, &vector, &[size, size * (1.0 - 1e-15), 0.0], 1e-10).holds());
            let wrong = judge(&matrix, &vector, &[size, size * (1.0 - 1e-8), 0.0], 1e-10);
            assert!(wrong.refuses("negative w"), "{size:e}: {wrong}");
        }
    }

    #[test]
    fn energies_of_other_rows_do_not_judge_a_homogeneous_row() {
        // Fuzzing found it: `w_2 = 5e-26 z_2 − z_1` has no data, so with `z = (4, 0, 0, 0)` also `z + s (0, 5e-26, 1, 0)`
        // solves for any `s ≥ 0`. The energy `q_3²/M_33` of another row does not determine `s`.
        let matrix =
            [0.0, 0.0, 0.0, 1.0, 0.5, 0.0, 0.0, 1.0, 0.0, -1.0, 5e-26, 0.0, 1.0, 0.0, 0.0, 1.0];
        let vector = [0.0, -2.0, 0.0, -1.0];
        for ray in [0.0, 1.0, 3e14, 2.6e27, 1e200] {
            // `z_1` is rounded, up or down.
            for digit in [1.0 - f64::EPSILON, 1.0, 1.0 + f64::EPSILON] {
                let verdict = judge(&matrix, &vector, &[4.0, 5e-26 * ray * digit, ray, 0.0], 1e-10);
                assert!(verdict.holds(), "{ray:e}: {verdict}");
            }
        }
        let wrong = judge(&matrix, &vector, &[4.0, 130.0001, 2.6e27, 0.0], 1e-10);
        assert!(wrong.refuses("negative w"), "{wrong}");
        // A ray of any length excuses no error in the rows that have data.
        let wrong = judge(&matrix, &vector, &[3.999_99, 130.0, 2.6e27, 0.0], 1e-10);
        assert!(wrong.refuses("negative w"), "{wrong}");
        let wrong = judge(&matrix, &vector, &[4.0, 130.0, 2.6e27, 1e-5], 1e-10);
        assert!(wrong.refuses("complementarity"), "{wrong}");
    }

    #[test]
    fn an_absurd_answer_has_no_larger_tolerance() {
        // A wall on either side of one mass: no impulses keep both from approaching.
        let (matrix, vector) = ([1.0, -1.0, -1.0, 1.0], [-1.0, -1.0]);
        let absurd = judge(&matrix, &vector, &[9.5e15, 9.5e15], 1e-10);
        assert!(absurd.refuses("negative w"), "{absurd}");
        assert!(judge_infeasible(&matrix, &vector, &[1.0, 1.0]).holds());
        let not_combined = judge_infeasible(&matrix, &vector, &[1.0, 0.5]);
        assert!(not_combined.refuses("combined column"), "{not_combined}");
        let solvable = judge_infeasible(&matrix, &[-1.0, 1.0], &[1.0, 1.0]);
        assert!(solvable.refuses("combined vector"), "{solvable}");
        let nothing = judge_infeasible(&matrix, &vector, &[0.0, 0.0]);
        assert!(nothing.refuses("combined vector"), "{nothing}");
    }

    #[test]
    fn every_mutation_of_an_answer_is_refused() {
        // The example of the crate's head: both balls come to rest.
        let (matrix, vector, z) = ([2.0, -1.0, -1.0, 1.0], [-1.0, 0.0], [1.0, 1.0]);
        assert!(judge(&matrix, &vector, &z, 1e-10).holds());
        for entry in 0..2 {
            for factor in [-1.0, 0.0, 1.0 + 1e-6, 1.0 - 1e-6, 1e16, f64::NAN] {
                let mut wrong = z;
                wrong[entry] *= factor;
                let verdict = judge(&matrix, &vector, &wrong, 1e-10);
                assert!(!verdict.holds(), "entry {entry} times {factor}");
            }
        }
        assert!(judge(&matrix, &vector, &[1.0], 1e-10).refuses("size"));
    }

    #[test]
    fn a_row_without_data_of_its_own_is_judged_by_what_reaches_it() {
        let n = 6;
        let mut matrix = vec![0.0; n * n];
        for i in 0..n {
            matrix[i * n + i] = 2.0;
            for j in [i.wrapping_sub(1), i + 1] {
                if j < n {
                    matrix[i * n + j] = -1.0;
                }
            }
        }
        let mut vector = vec![0.0; n];
        vector[0] = -7.0;
        let z: Vec<_> = (0..n).map(|i| (n - i) as f64).collect();
        assert!(judge(&matrix, &vector, &z, 1e-12).holds());
        let mut wrong = z;
        wrong[n - 1] *= 1.0 + 1e-6;
        assert!(!judge(&matrix, &vector, &wrong, 1e-12).holds());
    }

    #[test]
    fn scales_follow_the_units_of_rows_and_unknowns() {
        let matrix = [4.0, 1.0, -2.0, 3.0, 0.0, 1.0, 1.0, -2.0, 5.0];
        let vector = [1.0, -2.0, 0.0];
        let (rows, unknowns) = ([2.0, 0.25, 1024.0], [0.5, 64.0, 2.0]);
        let scales = row_scales(&matrix, &vector);
        let mut scaled = matrix;
        let mut q = vector;
        for i in 0..3 {
            q[i] *= rows[i];
            for j in 0..3 {
                scaled[i * 3 + j] *= rows[i] * unknowns[j];
            }
        }
        for (i, scale) in row_scales(&scaled, &q).into_iter().enumerate() {
            assert!((scale / (rows[i] * scales[i]) - 1.0).abs() < 1e-14, "{i}: {scale}");
        }
    }
}
