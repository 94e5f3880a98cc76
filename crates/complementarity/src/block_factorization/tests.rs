//! Tests of the factorization of blocks against products with the matrix, dense factors and elimination of single rows.

use nalgebra::{DMatrix, DVector, Matrix3};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{
    BlockFactorization,
    kernel::{Columns, Part, subtract_below, subtract_beside},
    pattern::Pattern,
};

/// A matrix with blocks at these pairs and their mirror images, unsymmetric and with a diagonal of about this size.
fn with_pairs(
    rows: usize,
    pairs: &[(usize, usize)],
    diagonal: f64,
) -> (DMatrix<f64>, Vec<Vec<usize>>) {
    let mut random = ChaCha8Rng::seed_from_u64(rows as u64);
    let mut matrix = DMatrix::zeros(3 * rows, 3 * rows);
    let mut neighbors = vec![Vec::new(); rows];
    let mut fill = |row: usize, column: usize, size: f64| {
        let block = Matrix3::from_fn(|r, c| {
            random.random_range(-1.0..1.0) + if r == c { size } else { 0.0 }
        });
        matrix.fixed_view_mut::<3, 3>(3 * row, 3 * column).copy_from(&block);
    };
    for row in 0..rows {
        fill(row, row, diagonal);
    }
    for &(i, j) in pairs.iter().filter(|(i, j)| i != j) {
        fill(i, j, 0.0);
        fill(j, i, 0.0);
        neighbors[i].push(j);
        neighbors[j].push(i);
    }
    (matrix, neighbors)
}

fn random_pairs(rows: usize, pairs: usize) -> Vec<(usize, usize)> {
    let mut random = ChaCha8Rng::seed_from_u64(pairs as u64);
    (0..pairs).map(|_| (random.random_range(0..rows), random.random_range(0..rows))).collect()
}

/// All pairs of the rows of each list.
fn cliques(lists: &[Vec<usize>]) -> Vec<(usize, usize)> {
    let pairs = |list: &Vec<usize>| -> Vec<(usize, usize)> {
        list.iter().flat_map(|i| list.iter().map(move |j| (*i, *j))).collect()
    };
    lists.iter().flat_map(pairs).collect()
}

/// The contacts of bricks in a square of `side` courses, four between each two that are side by side or one above the other.
fn masonry(side: usize) -> (usize, Vec<(usize, usize)>) {
    let mut of_brick = vec![Vec::new(); side * side];
    let mut contacts = 0;
    for row in 0..side {
        for column in 0..side {
            let brick = row * side + column;
            let others = [(column + 1 < side, brick + 1), (row + 1 < side, brick + side)];
            for (_, other) in others.into_iter().filter(|(is_inside, _)| *is_inside) {
                of_brick[brick].extend(contacts..contacts + 4);
                of_brick[other].extend(contacts..contacts + 4);
                contacts += 4;
            }
        }
    }
    (contacts, cliques(&of_brick))
}

/// A name, the number of rows, and the blocks.
type NamedPattern = (&'static str, usize, Vec<(usize, usize)>);

/// Single rows, separate parts, arrows, chains, cliques, bricks and random pairs.
fn patterns() -> Vec<NamedPattern> {
    let (contacts, bricks) = masonry(4);
    vec![
        ("no rows", 0, vec![]),
        ("one row", 1, vec![]),
        ("two rows", 2, vec![(0, 1)]),
        ("no pairs", 5, vec![]),
        ("an arrow to the first", 40, (1..40).map(|row| (0, row)).collect()),
        ("an arrow to the last", 40, (0..39).map(|row| (39, row)).collect()),
        ("a chain", 50, (1..50).map(|row| (row - 1, row)).collect()),
        ("all pairs", 30, cliques(&[(0..30).collect()])),
        ("cliques apart", 24, cliques(&[(0..9).collect(), (9..12).collect(), (13..24).collect()])),
        ("cliques with common rows", 24, cliques(&[(0..14).collect(), (10..24).collect()])),
        ("bricks", contacts, bricks),
        ("few pairs", 80, random_pairs(80, 120)),
        ("many pairs", 60, random_pairs(60, 500)),
        ("nearly all pairs", 30, random_pairs(30, 2000)),
    ]
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

/// The solution with the factors, that with dense ones, and the right side.
fn solutions(matrix: &DMatrix<f64>, neighbors: &[Vec<usize>]) -> [DVector<f64>; 3] {
    let right = DVector::from_fn(matrix.nrows(), |row, _| (row % 7) as f64 - 3.0);
    let mut factors = factorized(matrix, neighbors).unwrap();
    let mut found = right.clone();
    assert!(factors.solve_mut(found.as_mut_slice()));
    // The dense factors of nalgebra need a row.
    let is_empty = matrix.is_empty();
    let expected = (!is_empty).then(|| matrix.clone().lu().solve(&right).unwrap());
    [found, expected.unwrap_or_else(|| right.clone()), right]
}

#[test]
fn solutions_are_those_of_dense_factors_whatever_the_pattern() {
    for (name, rows, pairs) in patterns() {
        // Larger than the sum of the others of a row.
        let (matrix, neighbors) = with_pairs(rows, &pairs, 4.0 * rows as f64);
        let [found, expected, right] = solutions(&matrix, &neighbors);
        let residual = (&matrix * &found - &right).amax();
        assert!(residual <= 1e-13 * right.amax(), "{name}: {residual}");
        let difference = (&found - &expected).amax();
        assert!(difference <= 1e-13 * expected.amax(), "{name}: {difference}");
    }
}

#[test]
fn factors_of_the_last_matrix_leave_no_trace() {
    let (contacts, bricks) = masonry(3);
    let (matrix, neighbors) = with_pairs(contacts, &bricks, 50.0);
    let mut factors = factorized(&matrix, &neighbors).unwrap();
    let found = [0, 1].map(|_| {
        factors.clear();
        for (row, of_row) in neighbors.iter().enumerate() {
            for &column in of_row.iter().chain([&row]) {
                let block = matrix.fixed_view::<3, 3>(3 * row, 3 * column).into_owned();
                let slot = factors.slot(row, column).unwrap();
                factors.set(slot, block);
            }
        }
        assert!(factors.factorize());
        let mut right = vec![1.0; 3 * contacts];
        assert!(factors.solve_mut(&mut right));
        right.into_iter().map(f64::to_bits).collect::<Vec<_>>()
    });
    assert_eq!(found[0], found[1]);
}

/// Zeros on the diagonal need exchanges of the rows of different blocks, in fronts with a boundary too.
#[test]
fn rows_of_a_front_are_exchanged() {
    let with_boundary = cliques(&[(0..14).collect(), (10..24).collect()]);
    let all = [1, 2, 5, 17, 40].map(|rows| (rows, cliques(&[(0..rows).collect()])));
    for (rows, pairs) in all.into_iter().chain([(24, with_boundary)]) {
        let (mut matrix, neighbors) = with_pairs(rows, &pairs, 0.0);
        for row in 0..rows {
            matrix.fixed_view_mut::<3, 3>(3 * row, 3 * row).fill(0.0);
        }
        if rows == 1 {
            matrix = nalgebra::dmatrix![0.0, 2.0, 0.0; 0.0, 0.0, 3.0; 4.0, 0.0, 0.0];
        }
        let [found, _, right] = solutions(&matrix, &neighbors);
        let residual = (&matrix * &found - &right).amax();
        // The error of elimination with exchanges is some n ε of the size of the terms, and larger where the pivots that remain
        // in a front are small.
        let size = 3.0 * rows as f64 * matrix.amax() * found.amax() + right.amax();
        assert!(residual <= 1e-13 * size, "{rows}: {residual}");
    }
}

/// The products of blocks of an elimination row by row in an order: the square of the rows that are coupled with each.
fn products_in(order: &[usize], neighbors: &[Vec<usize>]) -> usize {
    let mut coupled = DMatrix::from_element(order.len(), order.len(), false);
    for (row, of_row) in neighbors.iter().enumerate() {
        of_row.iter().for_each(|other| coupled[(row, *other)] = true);
    }
    let mut products = 0;
    for (place, &row) in order.iter().enumerate() {
        let later = order[place + 1..].iter().copied();
        let others: Vec<usize> = later.filter(|other| coupled[(row, *other)]).collect();
        products += others.len().pow(2);
        for &one in &others {
            others.iter().for_each(|other| coupled[(one, *other)] = true);
        }
    }
    products
}

/// Elimination of a row with the fewest others each time, of single rows.
fn smallest_first(neighbors: &[Vec<usize>]) -> Vec<usize> {
    let n = neighbors.len();
    let mut coupled = DMatrix::from_element(n, n, false);
    for (row, of_row) in neighbors.iter().enumerate() {
        of_row.iter().for_each(|other| coupled[(row, *other)] = true);
    }
    let (mut left, mut order): (Vec<usize>, Vec<usize>) = ((0..n).collect(), Vec::new());
    while !left.is_empty() {
        let others = |row: usize| -> Vec<usize> {
            left.iter().copied().filter(|other| *other != row && coupled[(row, *other)]).collect()
        };
        let row = left.iter().copied().min_by_key(|row| others(*row).len()).unwrap();
        let found = others(row);
        for &one in &found {
            found.iter().for_each(|other| coupled[(one, *other)] = true);
        }
        left.retain(|other| *other != row);
        order.push(row);
    }
    order
}

#[test]
fn the_limit_counts_the_products_of_an_elimination_row_by_row() {
    for (name, rows, pairs) in patterns() {
        let (_, neighbors) = with_pairs(rows, &pairs, 0.0);
        let pattern = Pattern::new(neighbors.clone(), usize::MAX).unwrap();
        let mut order: Vec<usize> = (0..rows).collect();
        order.sort_by_key(|row| pattern.place_of(*row));
        let places: Vec<usize> = order.iter().map(|row| pattern.place_of(*row)).collect();
        assert_eq!(places, (0..rows).collect::<Vec<_>>(), "{name}: each place has a row");
        let products = products_in(&order, &neighbors);
        assert!(Pattern::new(neighbors.clone(), products).is_some(), "{name}: {products}");
        if let Some(less) = products.checked_sub(1) {
            assert!(Pattern::new(neighbors, less).is_none(), "{name}: {products}");
        }
    }
}

#[test]
fn an_order_fills_hardly_more_than_elimination_of_the_row_with_fewest_others() {
    let (contacts, bricks) = masonry(7);
    let mut all = patterns();
    all.push(("many bricks", contacts, bricks));
    for (name, rows, pairs) in all {
        let (_, neighbors) = with_pairs(rows, &pairs, 0.0);
        let exact = products_in(&smallest_first(&neighbors), &neighbors);
        assert!(Pattern::new(neighbors, exact + exact / 4).is_some(), "{name}: {exact}");
    }
}

#[test]
fn a_chain_and_a_star_fill_nothing() {
    let chain: Vec<_> =
        (0..50_usize).map(|row| vec![row.saturating_sub(1), (row + 1).min(49)]).collect();
    assert!(Pattern::new(chain.clone(), 49).is_some());
    assert!(Pattern::new(chain, 48).is_none());
    let star: Vec<_> =
        (0..50).map(|row| if row == 0 { (1..50).collect() } else { vec![0] }).collect();
    assert!(Pattern::new(star.clone(), 49).is_some());
    assert!(Pattern::new(star, 48).is_none());
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
    let (mut matrix, neighbors) = with_pairs(10, &random_pairs(10, 20), 12.0);
    matrix.fill_column(4, 0.0);
    assert!(factorized(&matrix, &neighbors).is_none());
}

/// Also of sizes for which the feature `faer` has products of its own.
#[test]
fn products_are_subtracted_from_their_part_alone() {
    let entry = |row: usize, column: usize| ((row * 31 + column * 17) % 23) as f64 - 11.0;
    let sizes =
        [(3, 3, 3), (6, 3, 3), (9, 12, 6), (15, 6, 9), (0, 3, 6), (60, 36, 51), (90, 12, 75)];
    for (rows, depth, columns) in sizes {
        // Factors that start within larger matrices.
        let a = DMatrix::from_fn(rows + 2, depth + 1, entry);
        let left = Part { entries: &a.as_slice()[2..], stride: rows + 2 };
        let a = a.view((2, 0), (rows, depth)).into_owned();
        // The sums of integers are exact.
        if rows > 0 {
            let b = DMatrix::from_fn(depth, columns, entry);
            let mut c = DMatrix::from_fn(rows, columns, |row, column| entry(column, row));
            let expected = &c - &a * &b;
            let target = Columns { entries: c.as_mut_slice(), length: rows };
            subtract_beside(left, b.as_slice(), target);
            assert_eq!(c, expected, "{rows} {depth} {columns}");
        }
        // Six rows above the factor, and nine below the difference.
        let mut all = DMatrix::from_fn(6 + depth + rows + 9, columns, entry);
        let mut expected = all.clone();
        let product = a * all.rows(6, depth);
        let mut part = expected.rows_mut(6 + depth, rows);
        part -= product;
        let length = all.nrows();
        let target = Columns { entries: all.as_mut_slice(), length };
        subtract_below(left, 6..6 + depth, target, 6 + depth + rows);
        assert_eq!(all, expected, "{rows} {depth} {columns}");
    }
}
