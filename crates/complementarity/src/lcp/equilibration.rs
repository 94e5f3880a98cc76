//! Row and column scaling that keeps complementarity.
//!
//! For positive diagonal `R`, `C` and `t > 0` the pair `z = t C ẑ`, `w = t R⁻¹ ŵ` solves the problem
//! `(M, q)` exactly when `(ẑ, ŵ)` solves `(R M C, R q / t)`. Tolerances can therefore be applied to a problem whose
//! entries are near one, whatever the units of its rows and columns.
//!
//! # Source
//!
//! D. Ruiz, "A scaling algorithm to equilibrate both rows and columns norms in matrices",
//! Rutherford Appleton Laboratory report RAL-TR-2001-034 (2001).

use nalgebra::{DMatrix, DVector};

use super::Problem;

/// Number of sweeps. Each takes the square root of the ratio of the norms to one, so 8 reduce a range of `2^±100` to
/// less than a factor of two.
const SWEEPS: usize = 8;

/// Largest entry beside a diagonal of ones. Those of semidefinite matrices are at most one.
const LARGEST_BESIDE_DIAGONAL: f64 = 1024.0;

/// The factors `R`, `C` and `1/t`.
pub(crate) struct Equilibration {
    rows: DVector<f64>,
    columns: DVector<f64>,
    vector: f64,
}

impl Equilibration {
    /// The scaled problem `(R M C, R q / t)` and the factors.
    ///
    /// All rows and columns of `(M, q)` are brought near one, including `q`: otherwise parts of a problem that are
    /// not coupled could keep different units. The factors are powers of two, so nothing is rounded. Data whose
    /// range is too wide for double precision are not scaled.
    pub(crate) fn of(problem: &Problem) -> (Problem, Self) {
        let n = problem.dimension();
        let mut factors = Self::none(n);
        for _ in 0..SWEEPS {
            let (matrix, vector) = factors.apply(problem);
            for i in 0..n {
                factors.rows[i] *= factor(matrix.row(i).amax().max(vector[i].abs()));
                factors.columns[i] *= factor(matrix.column(i).amax());
            }
            factors.vector *= factor(vector.amax());
        }
        factors.rows.apply(|value| *value = power_of_two(*value));
        factors.columns.apply(|value| *value = power_of_two(*value));
        factors.vector = power_of_two(factors.vector);
        let (matrix, vector) = factors.apply(problem);
        let in_range = |value: &f64| value.is_normal();
        let usable = factors.rows.iter().chain(&factors.columns).all(in_range);
        match Problem::new(matrix, vector) {
            Ok(scaled) if usable && in_range(&factors.vector) => (scaled, factors),
            _ => (problem.clone(), Self::none(n)),
        }
    }

    /// The scaled problem and the factors by the diagonal of `M`, which units do not change except by rounding.
    ///
    /// Rows with `M_ii > 0` have `R_i = C_i = 1/√M_ii`. Others have the factors that bring their largest entry beside
    /// such rows to one. If that leaves entries above [`LARGEST_BESIDE_DIAGONAL`], or a row without entries beside
    /// rows with a diagonal, the scaling is that of [`of`](Self::of).
    pub(crate) fn by_diagonal(problem: &Problem) -> (Problem, Self) {
        let (matrix, vector) = (problem.matrix(), problem.vector());
        let n = vector.len();
        let has_diagonal = |i: &usize| matrix[(*i, *i)] > 0.0;
        let mut factors = Self::none(n);
        for i in (0..n).filter(has_diagonal) {
            factors.rows[i] = matrix[(i, i)].sqrt().recip();
            factors.columns[i] = factors.rows[i];
        }
        for i in (0..n).filter(|i| !has_diagonal(i)) {
            let beside = || (0..n).filter(has_diagonal);
            let in_row = beside().map(|j| matrix[(i, j)].abs() * factors.columns[j]);
            let in_column = beside().map(|j| matrix[(j, i)].abs() * factors.rows[j]);
            let (row, column) = (in_row.fold(0.0, f64::max), in_column.fold(0.0, f64::max));
            factors.rows[i] = row.recip();
            factors.columns[i] = column.recip();
        }
        let largest = vector.component_mul(&factors.rows).amax();
        factors.vector = if largest > 0.0 { largest.recip() } else { 1.0 };
        let (matrix, vector) = factors.apply(problem);
        let in_range = |value: &f64| value.is_normal();
        let usable = factors.rows.iter().chain(&factors.columns).all(in_range)
            && in_range(&factors.vector)
            && matrix.amax() <= LARGEST_BESIDE_DIAGONAL;
        match Problem::new(matrix, vector) {
            Ok(scaled) if usable => (scaled, factors),
            _ => Self::of(problem),
        }
    }

    fn none(n: usize) -> Self {
        let ones = DVector::from_element(n, 1.0);
        Self { rows: ones.clone(), columns: ones, vector: 1.0 }
    }

    /// `ẑ` from `z`.
    pub(crate) fn scale(&self, z: &DVector<f64>) -> DVector<f64> {
        z.component_div(&self.columns) * self.vector
    }

    /// `z` from `ẑ`.
    pub(crate) fn unscale(&self, z: &DVector<f64>) -> DVector<f64> {
        z.component_mul(&self.columns) / self.vector
    }

    fn apply(&self, problem: &Problem) -> (DMatrix<f64>, DVector<f64>) {
        let n = problem.dimension();
        let entry = |i, j| self.rows[i] * problem.matrix()[(i, j)] * self.columns[j];
        let vector = problem.vector().component_mul(&self.rows) * self.vector;
        (DMatrix::from_fn(n, n, entry), vector)
    }
}

/// Brings a norm halfway (in the exponent) to one; keeps an empty row or column.
fn factor(norm: f64) -> f64 {
    if norm > 0.0 && norm.is_finite() { norm.sqrt().recip() } else { 1.0 }
}

fn power_of_two(value: f64) -> f64 {
    value.log2().round().exp2()
}

#[cfg(test)]
mod tests {
    use nalgebra::{dmatrix, dvector};

    use super::*;

    #[test]
    fn units_disappear_and_come_back() {
        let problem = Problem::new(dmatrix![2e6, 3e-6; 0.0, 1e-12], dvector![-2e6, -5e-9]).unwrap();
        let (scaled, factors) = Equilibration::of(&problem);
        for i in 0..2 {
            let size = scaled.matrix().row(i).amax().max(scaled.vector()[i].abs());
            assert!((0.25..=4.0).contains(&size), "{scaled:?}");
        }
        let z = dvector![0.25, 5000.0];
        assert_eq!(factors.unscale(&factors.scale(&z)), z, "powers of two do not round");
    }

    #[test]
    fn units_change_a_scaling_by_the_diagonal_only_by_rounding() {
        // A contact, and a row without a diagonal, as a friction cone has it; the units are 3e5 and 7e-9.
        let problem = Problem::new(dmatrix![2.0, 1.5; -0.5, 0.0], dvector![-3.0, 0.25]).unwrap();
        let (row, column, vector) = (dvector![3e5, 7e-9], dvector![7e-9, 3e5], 11.0);
        let entry = |i, j| row[i] * problem.matrix()[(i, j)] * column[j];
        let other = DMatrix::from_fn(2, 2, entry);
        let other = Problem::new(other, problem.vector().component_mul(&row) * vector).unwrap();
        let (here, _) = Equilibration::by_diagonal(&problem);
        let (there, factors) = Equilibration::by_diagonal(&other);
        assert!((here.matrix() - there.matrix()).amax() < 1e-15, "{here:?} {there:?}");
        assert!((here.vector() - there.vector()).amax() < 1e-15, "{here:?} {there:?}");
        assert!((here.matrix() - dmatrix![1.0, 1.0; -1.0, 0.0]).amax() < 1e-15, "{here:?}");
        let z = dvector![0.3, 0.2];
        assert!((factors.unscale(&factors.scale(&z)) - &z).amax() < 1e-16, "{z}");
    }

    #[test]
    fn entries_far_above_the_diagonal_are_scaled_by_rows_and_columns() {
        let problem = Problem::new(dmatrix![1e-12, 1.0; -1.0, 1e-12], dvector![-1.0, 1.0]).unwrap();
        let (scaled, _) = Equilibration::by_diagonal(&problem);
        assert_eq!(scaled, Equilibration::of(&problem).0);
        assert!(scaled.matrix().amax() <= 4.0, "{scaled:?}");
    }

    #[test]
    fn unscalable_data_stay_as_they_are() {
        let matrix = dmatrix![f64::MAX, 0.0; f64::MIN_POSITIVE, f64::MAX];
        let problem = Problem::new(matrix, dvector![f64::MIN_POSITIVE, f64::MAX]).unwrap();
        let (scaled, factors) = Equilibration::of(&problem);
        let z = factors.scale(&dvector![3.0, 1.0]);
        assert!(z.iter().chain(scaled.matrix().iter()).all(|value| value.is_finite()), "{z}");
    }
}
