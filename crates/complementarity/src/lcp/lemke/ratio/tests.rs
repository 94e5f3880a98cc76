//! Tests of the ratio test against examples by hand and against exact arithmetic.

use nalgebra::{DMatrix, DVector};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::lcp::Problem;

/// The row that leaves when the artificial variable with the column `entries` grows from `values`, with all `w` basic.
fn leaving(entries: &[f64], values: &[f64]) -> Option<usize> {
    let n = values.len();
    let problem = Problem::new(DMatrix::identity(n, n), DVector::from_column_slice(values));
    let mut dictionary = Dictionary::default();
    dictionary.load(&problem.unwrap(), entries);
    let mut test = RatioTest::default();
    test.reserve(n);
    test.leaving_row(&dictionary, n)
}

#[test]
fn the_smallest_ratio_leaves() {
    assert_eq!(leaving(&[-1.0, -2.0, 5.0], &[1.0, 1.0, 0.0]), Some(1));
    assert_eq!(leaving(&[-1.0, -2.0], &[0.25, 1.0]), Some(0));
    assert_eq!(leaving(&[1.0, 0.0], &[1.0, 1.0]), None, "nothing falls");
}

/// An entry of `10⁻¹⁰` of the largest counts as zero, as does one of exactly `10⁻¹⁰` compared with 1.
#[test]
fn small_entries_beside_the_largest_stop_nothing() {
    assert_eq!(leaving(&[-1e12, -10.0], &[1.0, 0.0]), Some(0));
    assert_eq!(leaving(&[-1e12, -1e3], &[1.0, 0.0]), Some(1));
    assert_eq!(leaving(&[-1e-10], &[1.0]), None);
    assert_eq!(leaving(&[-2e-10], &[1.0]), Some(0));
}

/// Rows are tied within `10⁻¹²` of the largest value, whether that row decreases or not. Of tied rows the first,
/// whose `w` is basic, leaves last: its column of `B⁻¹` is a unit vector.
#[test]
fn ties_are_relative_to_the_largest_value() {
    let apart = |gap: f64, largest: f64| leaving(&[-1.0, -1.0, 0.0], &[1.0, 1.0 + gap, largest]);
    assert_eq!(apart(0.0, 1.0), Some(1));
    assert_eq!(apart(1e-7, 1.0), Some(0));
    assert_eq!(apart(1e-7, 1e6), Some(1));
    assert_eq!(apart(1e-5, 1e6), Some(0));
}

/// The limit of a tie is one of values: with an entry of 100 it is a hundredth in ratios.
#[test]
fn ties_are_those_of_values_and_not_of_ratios() {
    assert_eq!(leaving(&[-100.0, -100.0], &[1.0, 1.0 + 1e-11]), Some(0));
    assert_eq!(leaving(&[-100.0, -100.0], &[1.0, 1.0 + 1e-13]), Some(1));
}

/// The first pivot makes a value of `2²⁰`; then a difference of `10⁻⁷` is a tie, and one of `10⁻⁵` is not.
#[test]
fn ties_are_relative_to_values_that_have_grown() {
    for (gap, expected) in [(1e-7, 3), (1e-5, 2)] {
        let mut matrix = DMatrix::identity(4, 4);
        matrix[(0, 1)] = -(2.0_f64.powi(-20));
        let problem = Problem::new(matrix, DVector::from_vec(vec![1.0, 1.0, 1.0, 1.0 + gap]));
        let (mut dictionary, mut test) = (Dictionary::default(), RatioTest::default());
        dictionary.load(&problem.unwrap(), &[0.0, 0.0, -1.0, -1.0]);
        dictionary.pivot(0, 1);
        assert!(dictionary.values()[0] >= 1e6, "{dictionary:?}");
        assert_eq!(test.leaving_row(&dictionary, 4), Some(expected), "{gap}");
    }
}

/// A rational number in lowest terms with a positive denominator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Exact(i128, i128);

impl Exact {
    fn new(above: i128, below: i128) -> Self {
        let (mut a, mut b) = (above.unsigned_abs(), below.unsigned_abs());
        while b > 0 {
            (a, b) = (b, a % b);
        }
        let common = i128::try_from(a.max(1)).unwrap() * below.signum();
        Self(above / common, below / common)
    }

    fn times(self, other: Self) -> Self {
        Self::new(self.0 * other.0, self.1 * other.1)
    }

    fn over(self, other: Self) -> Self {
        Self::new(self.0 * other.1, self.1 * other.0)
    }

    fn plus(self, other: Self) -> Self {
        Self::new(self.0 * other.1 + other.0 * self.1, self.1 * other.1)
    }

    fn minus(self) -> Self {
        Self(-self.0, self.1)
    }

    fn value(self) -> f64 {
        self.0 as f64 / self.1 as f64
    }
}

/// The dictionary `x_B = b + A x_N` in exact arithmetic, with the column of `b` as the last one.
struct ExactDictionary {
    rows: Vec<Vec<Exact>>,
    basic: Vec<usize>,
    nonbasic: Vec<usize>,
}

impl ExactDictionary {
    fn of(matrix: &[Vec<i32>], vector: &[i32]) -> Self {
        let n = vector.len();
        let whole = |x: i32| Exact(i128::from(x), 1);
        let row = |i: usize| {
            let entries = matrix[i].iter().chain([&1, &vector[i]]);
            entries.map(|x| whole(*x)).collect()
        };
        let rows = (0..n).map(row).collect();
        Self { rows, basic: (0..n).collect(), nonbasic: (n..=2 * n).collect() }
    }

    /// Row `i` of `(b, B⁻¹)` over `|a_i|` for the entering `column`.
    fn vector(&self, i: usize, column: usize) -> Vec<Exact> {
        let n = self.rows.len();
        let weight = Exact::new(-1, 1).over(self.rows[i][column]);
        let inverse = (0..n).map(|k| match self.nonbasic.iter().position(|v| *v == k) {
            Some(place) => self.rows[i][place].minus(),
            None => Exact(i128::from(self.basic[i] == k), 1),
        });
        let value = self.rows[i][n + 1];
        std::iter::once(value).chain(inverse).map(|entry| entry.times(weight)).collect()
    }

    /// The row that leaves: the lexicographic minimum, but the artificial variable wherever it may.
    fn leaving_row(&self, column: usize) -> Option<usize> {
        let n = self.rows.len();
        let less = |a: &[Exact], b: &[Exact]| {
            let unequal = a.iter().zip(b).find(|(a, b)| a != b);
            unequal.is_some_and(|(a, b)| a.plus(b.minus()).0 < 0)
        };
        let limiting: Vec<usize> = (0..n).filter(|&i| self.rows[i][column].0 < 0).collect();
        let vector = |i: usize| self.vector(i, column);
        let first = *limiting.first()?;
        let least = limiting
            .iter()
            .fold(first, |least, &i| if less(&vector(i), &vector(least)) { i } else { least });
        let artificial = limiting.iter().copied().find(|&i| self.basic[i] == 2 * n);
        artificial.filter(|&i| vector(i)[0] == vector(least)[0]).or(Some(least))
    }

    fn pivot(&mut self, row: usize, column: usize) {
        let pivot = self.rows[row][column];
        // x_column = (x_row − Σ others)/pivot.
        let solved: Vec<Exact> = self.rows[row]
            .iter()
            .enumerate()
            .map(
                |(j, entry)| {
                    if j == column { Exact(1, 1).over(pivot) } else { entry.minus().over(pivot) }
                },
            )
            .collect();
        for (i, other) in self.rows.iter_mut().enumerate() {
            if i == row {
                continue;
            }
            let factor = other[column];
            for (j, entry) in other.iter_mut().enumerate() {
                let own = if j == column { Exact(0, 1) } else { *entry };
                *entry = own.plus(factor.times(solved[j]));
            }
        }
        self.rows[row] = solved;
        std::mem::swap(&mut self.basic[row], &mut self.nonbasic[column]);
    }
}

/// Small integers, with many ties: the row of every pivot is that of exact arithmetic, and so are the entries.
#[test]
fn ties_are_broken_as_in_exact_arithmetic() {
    let mut random = ChaCha8Rng::seed_from_u64(27);
    let (mut pivots, mut ties, mut artificial) = (0, 0, 0);
    for _ in 0..4000 {
        let n = random.random_range(1..=5);
        let matrix: Vec<Vec<i32>> = (0..n)
            .map(|i| {
                // A diagonal entry of 1 to 3 has the scale one.
                let own = |j: usize, x: i32| if i == j { x.rem_euclid(3) + 1 } else { x };
                (0..n).map(|j| own(j, random.random_range(-2..=2))).collect()
            })
            .collect();
        let vector: Vec<i32> = (0..n).map(|_| random.random_range(0..=1)).collect();
        let problem = Problem::new(
            DMatrix::from_fn(n, n, |i, j| f64::from(matrix[i][j])),
            DVector::from_fn(n, |i, _| f64::from(vector[i])),
        );
        let mut exact = ExactDictionary::of(&matrix, &vector);
        let (mut dictionary, mut test) = (Dictionary::default(), RatioTest::default());
        dictionary.load(&problem.unwrap(), &vec![1.0; n]);
        test.reserve(n);
        for _ in 0..8 {
            let column = random.random_range(0..=n);
            let (found, expected) =
                (test.leaving_row(&dictionary, column), exact.leaving_row(column));
            assert_eq!(found, expected, "column {column} of {matrix:?} {vector:?}");
            let Some(row) = found else { continue };
            let ratio = exact.vector(row, column)[0];
            let others = (0..n).filter(|&i| i != row && exact.rows[i][column].0 < 0);
            ties += usize::from(others.clone().any(|i| exact.vector(i, column)[0] == ratio));
            artificial += usize::from(exact.basic[row] == 2 * n);
            dictionary.pivot(row, column);
            exact.pivot(row, column);
            pivots += 1;
            for j in 0..=n + 1 {
                for (i, entry) in dictionary.column(j).iter().enumerate() {
                    let expected = exact.rows[i][j].value();
                    assert!((entry - expected).abs() <= 1e-10 * (1.0 + expected.abs()));
                }
            }
        }
    }
    assert!(pivots > 10_000 && ties > 3000 && artificial > 100, "{pivots} {ties} {artificial}");
}
