//! Tests of the factorization of blocks against products with the matrix.

use nalgebra::{DMatrix, DVector, Matrix3};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{BlockFactorization, pattern::Pattern};

/// A matrix with a random symmetric pattern and the blocks of it, unsymmetric and with a heavy diagonal.
fn random(rows: usize, pairs: usize, seed: u64) -> (DMatrix<f64>, Vec<Vec<usize>>) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut matrix = DMatrix::zeros(3 * rows, 3 * rows);
    let mut neighbors = vec![Vec::new(); rows];
    let mut fill = |row: usize, column: usize, size: f64| {
        let block = Matrix3::from_fn(|r, c| {
            random.random_range(-1.0..1.0) + if r == c { size } else { 0.0 }
        });
        matrix.fixed_view_mut::<3, 3>(3 * row, 3 * column).copy_from(&block);
    };
    for row in 0..rows {
        fill(row, row, 12.0);
    }
    let mut other = ChaCha8Rng::seed_from_u64(seed + 1);
    for _ in 0..pairs {
        let [i, j] = [0, 0].map(|_: i32| other.random_range(0..rows));
        if i != j {
            fill(i, j, 0.0);
            fill(j, i, 0.0);
            neighbors[i].push(j);
            neighbors[j].push(i);
        }
    }
    (matrix, neighbors)
}

fn factorized(matrix: &DMatrix<f64>, neighbors: &[Vec<usize>]) -> Option<BlockFactorization> {
    let mut factors = BlockFactorization::new(Pattern::new(neighbors.to_vec(), usize::MAX)?);
    for (row, of_row) in neighbors.iter().enumerate() {
        for &column in of_row.iter().chain([&row]) {
            let block = matrix.fixed_view::<3, 3>(3 * row, 3 * column).into_owned();
            let slot = factors.slot(row, column)?;
            factors.set(slot, block);
        }
    }
    factors.factorize().then_some(factors)
}

#[test]
fn solutions_satisfy_the_equations_whatever_the_pattern() {
    for (rows, pairs) in [(1, 0), (2, 1), (5, 0), (30, 40), (30, 2000), (80, 120)] {
        let (matrix, neighbors) = random(rows, pairs, rows as u64);
        let expected = DVector::from_fn(3 * rows, |row, _| (row % 7) as f64 - 3.0);
        let mut right = &matrix * &expected;
        let mut factors = factorized(&matrix, &neighbors).unwrap();
        assert!(factors.solve_mut(right.as_mut_slice()));
        assert!((&right - &expected).amax() < 1e-10, "{rows}: {}", (right - expected).amax());
    }
}

#[test]
fn a_chain_and_a_star_fill_nothing() {
    let chain = (0..50_usize).map(|row| vec![row.saturating_sub(1), (row + 1).min(49)]).collect();
    assert_eq!(Pattern::new(chain, usize::MAX).unwrap().block_count(), 49);
    let star = (0..50).map(|row| if row == 0 { (1..50).collect() } else { vec![0] }).collect();
    assert_eq!(Pattern::new(star, usize::MAX).unwrap().block_count(), 49);
}

#[test]
fn more_work_than_the_limit_is_no_pattern() {
    let all: Vec<Vec<usize>> = (0..20).map(|_| (0..20).collect()).collect();
    // 19² + 18² + … + 1².
    assert!(Pattern::new(all.clone(), 2470).is_some());
    assert!(Pattern::new(all, 2469).is_none());
}

#[test]
fn a_singular_matrix_has_no_factors() {
    let (mut matrix, neighbors) = random(10, 20, 3);
    matrix.fill_column(4, 0.0);
    assert!(factorized(&matrix, &neighbors).is_none());
}
