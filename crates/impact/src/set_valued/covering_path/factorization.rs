//! Gaussian elimination with row exchanges, whose factors are kept for several right sides.

use super::ROUNDING;

/// Factorizes the square `system` of `equations.len()` rows, stored row by row, in place: the factors of the
/// elimination below the diagonal, the inverse pivots on it, and the remaining rows above. The `equations` are exchanged
/// like the rows. Returns false when the system is singular to rounding.
pub(super) fn factorize(system: &mut [f64], equations: &mut [usize]) -> bool {
    let n = equations.len();
    for k in 0..n {
        let (mut pivot, mut largest, mut scale) = (k, 0.0, 0.0);
        for i in 0..n {
            // Above, the rows as they are after their own steps.
            let size = system[i * n + k].abs();
            if size > scale {
                scale = size;
            }
            if i >= k && size > largest {
                (pivot, largest) = (i, size);
            }
        }
        // The comparison is false for NaN.
        let is_regular = largest > ROUNDING * scale;
        if !is_regular {
            return false;
        }
        if pivot != k {
            for j in 0..n {
                system.swap(k * n + j, pivot * n + j);
            }
            equations.swap(k, pivot);
        }
        let inverse = 1.0 / system[k * n + k];
        system[k * n + k] = inverse;
        let (upper, lower) = system.split_at_mut((k + 1) * n);
        let upper = &upper[k * n..];
        for row in lower.chunks_exact_mut(n) {
            let factor = row[k] * inverse;
            row[k] = factor;
            if factor != 0.0 {
                for (entry, above) in row[k + 1..].iter_mut().zip(&upper[k + 1..]) {
                    *entry -= factor * above;
                }
            }
        }
    }
    true
}

/// Solves the system whose [factors](factorize) these are; `answers` are its right sides, in the order of the exchanged
/// equations.
pub(super) fn substitute(factors: &[f64], answers: &mut [f64]) {
    let n = answers.len();
    for (i, row) in factors.chunks_exact(n.max(1)).enumerate() {
        let mut sum = answers[i];
        for (factor, earlier) in row[..i].iter().zip(&answers[..i]) {
            sum -= factor * earlier;
        }
        answers[i] = sum;
    }
    for (i, row) in factors.chunks_exact(n.max(1)).enumerate().rev() {
        let mut sum = answers[i];
        for (entry, later) in row[i + 1..].iter().zip(&answers[i + 1..]) {
            sum -= entry * later;
        }
        answers[i] = sum * row[i];
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{DMatrix, DVector};
    use rand_chacha::{
        ChaCha8Rng,
        rand_core::{Rng, SeedableRng},
    };

    use super::*;

    fn uniform(random: &mut ChaCha8Rng) -> f64 {
        2.0 * (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64 - 1.0
    }

    #[test]
    fn random_systems_are_solved() {
        let mut random = ChaCha8Rng::seed_from_u64(7);
        for case in 0..500 {
            let n = case % 9;
            let matrix = DMatrix::from_fn(n, n, |_, _| uniform(&mut random));
            let side = DVector::from_fn(n, |_, _| uniform(&mut random));
            let mut factors = matrix.transpose().as_slice().to_vec();
            let mut equations: Vec<_> = (0..n).collect();
            assert!(factorize(&mut factors, &mut equations), "{matrix}");
            let mut answers: Vec<_> = equations.iter().map(|&row| side[row]).collect();
            substitute(&factors, &mut answers);
            let answer = DVector::from_vec(answers);
            let missed = (&matrix * &answer - side).amax();
            assert!(missed <= 1e-13 * (1.0 + answer.amax()), "{case}: {missed}");
        }
    }

    #[test]
    fn singular_systems_are_refused() {
        let mut two = [1.0, 2.0, 2.0, 4.0];
        assert!(!factorize(&mut two, &mut [0, 1]));
        let mut rounding = [1.0, 1.0, 1.0, 1.0 + 1e-13];
        assert!(!factorize(&mut rounding, &mut [0, 1]));
        assert!(!factorize(&mut [f64::NAN], &mut [0]));
    }
}
