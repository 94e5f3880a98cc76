//! Tiny linear complementarity problems, where the overhead of a call counts, and problems without a solution.

use nalgebra::{DMatrix, DVector};
use percussion_complementarity::lcp::Problem;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Problem `index` of `n` contacts without friction between bodies that approach: positive definite, so that it has
/// one solution.
///
/// # Panics
///
/// Never: the entries are finite.
#[must_use]
pub fn contacts(n: usize, seed: u64, index: u64) -> Problem {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(index);
    let rows = DMatrix::from_fn(n, n + 1, |_, _| random.random_range(-1.0..1.0));
    let vector = DVector::from_fn(n, |i, _| {
        if i == 0 { -random.random_range(0.1..1.0) } else { random.random_range(-1.0..1.0) }
    });
    Problem::new(&rows * rows.transpose(), vector).expect("the entries are finite")
}

/// Problem `index` of `n` contacts of a row of `n - 1` bodies with random masses between two walls that close: no
/// impulse helps, and Lemke's method ends on a ray.
///
/// # Panics
///
/// If `n` is less than 2.
#[must_use]
pub fn crushed(n: usize, seed: u64, index: u64) -> Problem {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(index);
    let inverse_masses: Vec<f64> = (1..n).map(|_| random.random_range(0.1..1.0)).collect();
    let mut matrix = DMatrix::zeros(n, n);
    for (left, mobility) in inverse_masses.iter().enumerate() {
        for (row, column, sign) in [
            (left, left, 1.0),
            (left + 1, left + 1, 1.0),
            (left, left + 1, -1.0),
            (left + 1, left, -1.0),
        ] {
            matrix[(row, column)] += sign * mobility;
        }
    }
    let mut vector = DVector::from_fn(n, |_, _| random.random_range(-0.5..0.5));
    // The walls close at 1 m/s: the sum of all gap velocities is -1, whatever the impulses.
    vector[0] -= 1.0 + vector.sum();
    Problem::new(matrix, vector).expect("at least two contacts, and the entries are finite")
}

#[cfg(test)]
mod tests {
    use percussion_complementarity::lcp::{
        Status,
        lemke::{self, Settings, Workspace},
    };

    use super::*;

    fn status(problem: &Problem) -> Status {
        let mut z = DVector::zeros(problem.dimension());
        let settings = Settings::default();
        let mut workspace = Workspace::default();
        lemke::solve(problem, &settings, &mut workspace, &mut z).unwrap().status
    }

    #[test]
    fn contacts_are_solved_and_crushed_rows_end_on_a_ray() {
        for index in 0..50 {
            for n in [1, 2, 4] {
                assert_eq!(status(&contacts(n, 1, index)), Status::Solved);
            }
            for n in [2, 4, 10] {
                assert_eq!(status(&crushed(n, 1, index)), Status::Ray);
            }
        }
    }
}
