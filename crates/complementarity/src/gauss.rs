//! Elimination with row exchanges of small dense systems that are solved once: [`solve_in_place`].

use crate::vectors::vectorized;

/// Solves `A x = b` (`A` by rows); `A` and `b` are overwritten. `false` if `A` is singular or `x` is not finite.
pub(crate) fn solve_in_place(matrix: &mut [f64], b: &mut [f64]) -> bool {
    vectorized(
        #[inline(always)]
        || eliminate(matrix, b),
    )
}

#[inline(always)]
fn eliminate(matrix: &mut [f64], b: &mut [f64]) -> bool {
    let n = b.len();
    for k in 0..n {
        let size = |i: usize| matrix[i * n + k].abs();
        let pivot = (k..n).fold(k, |best, i| if size(i) > size(best) { i } else { best });
        let lead = matrix[pivot * n + k];
        if lead == 0.0 || !lead.is_finite() {
            return false;
        }
        if pivot != k {
            (0..n).for_each(|j| matrix.swap(pivot * n + j, k * n + j));
            b.swap(pivot, k);
        }
        let (above, below) = matrix.split_at_mut((k + 1) * n);
        let row = &above[k * n..];
        for (i, other) in below.chunks_exact_mut(n).enumerate() {
            let factor = other[k] / lead;
            if factor != 0.0 {
                for (entry, lead) in other[k..].iter_mut().zip(&row[k..]) {
                    *entry -= factor * lead;
                }
                b[k + 1 + i] -= factor * b[k];
            }
        }
    }
    for k in (0..n).rev() {
        let row = &matrix[k * n..(k + 1) * n];
        let rest: f64 = (k + 1..n).map(|j| row[j] * b[j]).sum();
        b[k] = (b[k] - rest) / row[k];
    }
    b.iter().all(|entry| entry.is_finite())
}
