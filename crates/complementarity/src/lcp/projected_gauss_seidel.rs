//! Projected Gauss–Seidel with over-relaxation for the [linear complementarity problem](Problem).
//!
//! One sweep visits the rows in order and, with the current `w = M z + q`, replaces
//!
//! ```math
//! z_i \leftarrow \max\Bigl(0,\; z_i - \omega\, \frac{w_i}{M_{ii}}\Bigr).
//! ```
//!
//! - **Needs** `M_ii > 0`. Converges from any start if `M` is symmetric and positive definite and `0 < ω < 2` (Cryer
//!   1971). For other matrices there is no guarantee. The friction rows of a polyhedral cone have `M_ii = 0`, which
//!   is refused.
//! - **Does not** detect an unsolvable problem: it stops with [`Status::IterationLimit`], or with
//!   [`Status::Stalled`] when the iterates overflow or no longer change.
//! - **Cost** `2 n²` multiply-adds per sweep, residual check included; convergence is linear.
//! - **Deterministic**: single-threaded, fixed order.
//!
//! # Source
//!
//! C. W. Cryer, "The solution of a quadratic programming problem using systematic
//! overrelaxation", *SIAM Journal on Control* 9 (1971) 385–392.

use nalgebra::DVector;

use super::{Problem, Report, Status, residual::Judge};

/// Settings of [`solve`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Stop when [`Problem::relative_residual`] is at most this (≥ 0, default `1e-10`).
    pub tolerance: f64,
    /// Maximum number of sweeps (default `10_000`).
    pub max_sweeps: usize,
    /// Relaxation factor `ω`, in `(0, 2)`, dimensionless (default 1, plain Gauss–Seidel).
    pub relaxation: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { tolerance: 1e-10, max_sweeps: 10_000, relaxation: 1.0 }
    }
}

/// The reason why [`solve`] could not start.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The start has the wrong length.
    #[error("start has length {found}, expected {expected}")]
    StartLength {
        /// Size of the problem.
        expected: usize,
        /// Length found.
        found: usize,
    },
    /// An entry of the start is NaN or infinite.
    #[error("start[{row}] is {value}, expected a finite number")]
    StartEntry {
        /// Row of the entry.
        row: usize,
        /// The entry.
        value: f64,
    },
    /// A diagonal entry of the matrix is not positive.
    #[error("matrix[{row}][{row}] is {value}, expected a positive number")]
    Diagonal {
        /// Row of the entry.
        row: usize,
        /// The diagonal entry.
        value: f64,
    },
    /// A setting is outside its documented range.
    #[error("setting `{name}` is {value}, expected {expected}")]
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// Its value.
        value: f64,
        /// Its range.
        expected: &'static str,
    },
}

/// Solves `problem` in place, starting from the nonnegative part of `z` (length `n`).
///
/// On return `z` is the iterate with the smallest residual, the start included, and nonnegative.
/// [`Report::iterations`] counts sweeps.
///
/// # Errors
///
/// See [`Error`]; `z` is then untouched. Not converging is not an error.
///
/// # Example
///
/// A 2 kg ball that arrives at 3 m/s is stopped by an impulse of 6 N·s.
///
/// ```
/// use nalgebra::{dmatrix, dvector};
/// use percussion_complementarity::lcp::{Problem, Status, projected_gauss_seidel as pgs};
///
/// let problem = Problem::new(dmatrix![0.5], dvector![-3.0])?;
/// let mut impulse = dvector![0.0];
/// let report = pgs::solve(&problem, &pgs::Settings::default(), &mut impulse)?;
/// assert_eq!(report.status, Status::Solved);
/// assert_eq!(impulse[0], 6.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn solve(
    problem: &Problem,
    settings: &Settings,
    z: &mut DVector<f64>,
) -> Result<Report, Error> {
    check(problem, settings, z)?;
    z.apply(|z| *z = z.max(0.0));
    let mut judge = Judge::new(problem);
    let start = judge.residuals(problem, z);
    let mut report = Report {
        status: Status::IterationLimit,
        iterations: 0,
        residual: start.natural_map,
        relative_residual: start.relative,
    };
    let mut iterate = z.clone();
    while report.relative_residual > settings.tolerance {
        if report.iterations == settings.max_sweeps {
            return Ok(report);
        }
        let change = sweep(problem, settings.relaxation, &mut iterate);
        report.iterations += 1;
        let residuals = judge.residuals(problem, &iterate);
        if residuals.relative < report.relative_residual {
            z.copy_from(&iterate);
            report.relative_residual = residuals.relative;
            report.residual = residuals.natural_map;
        } else if change == 0.0 || !change.is_finite() {
            report.status = Status::Stalled;
            return Ok(report);
        }
    }
    report.status = Status::Solved;
    Ok(report)
}

fn check(problem: &Problem, settings: &Settings, z: &DVector<f64>) -> Result<(), Error> {
    if z.len() != problem.dimension() {
        return Err(Error::StartLength { expected: problem.dimension(), found: z.len() });
    }
    if let Some(row) = z.iter().position(|value| !value.is_finite()) {
        return Err(Error::StartEntry { row, value: z[row] });
    }
    for row in 0..z.len() {
        let value = problem.matrix()[(row, row)];
        if value <= 0.0 {
            return Err(Error::Diagonal { row, value });
        }
    }
    let Settings { tolerance, relaxation, .. } = *settings;
    if tolerance.is_nan() || tolerance < 0.0 {
        return Err(Error::Setting { name: "tolerance", value: tolerance, expected: "≥ 0" });
    }
    if !(relaxation > 0.0 && relaxation < 2.0) {
        let expected = "a number in (0, 2)";
        return Err(Error::Setting { name: "relaxation", value: relaxation, expected });
    }
    Ok(())
}

/// Visits every row once and returns the largest change; NaN or infinite after an overflow.
fn sweep(problem: &Problem, relaxation: f64, z: &mut DVector<f64>) -> f64 {
    let mut change = 0.0_f64;
    for i in 0..z.len() {
        let row = problem.matrix().row(i);
        let w = problem.vector()[i] + row.iter().zip(z.iter()).map(|(m, z)| m * z).sum::<f64>();
        let step = z[i] - relaxation * w / problem.matrix()[(i, i)];
        if !step.is_finite() {
            return step;
        }
        let new = step.max(0.0);
        change = change.max((new - z[i]).abs());
        z[i] = new;
    }
    change
}

#[cfg(test)]
mod tests {
    use nalgebra::{DMatrix, dmatrix, dvector};
    use proptest::prelude::*;

    use super::*;
    use crate::lcp::enumerate;

    /// Two contacts, worked by hand: two sweeps reach `z = (0, 2)`, where `w = (1, 0)`.
    #[test]
    fn one_contact_opens_and_the_other_holds() {
        let problem = Problem::new(dmatrix![2.0, 1.0; 1.0, 2.0], dvector![-1.0, -4.0]).unwrap();
        let mut z = dvector![0.0, 0.0];
        let report = solve(&problem, &Settings::default(), &mut z).unwrap();
        assert_eq!((report.status, report.iterations), (Status::Solved, 2));
        assert_eq!(z, dvector![0.0, 2.0]);
    }

    #[test]
    fn bad_input_is_refused_and_leaves_the_start_alone() {
        let problem = Problem::new(dmatrix![1.0, 0.0; 0.0, 0.0], dvector![-1.0, 1.0]).unwrap();
        let mut z = dvector![7.0, 7.0];
        let error = solve(&problem, &Settings::default(), &mut z).unwrap_err();
        assert_eq!(error, Error::Diagonal { row: 1, value: 0.0 });
        assert_eq!(z, dvector![7.0, 7.0]);
        let error = solve(&problem, &Settings::default(), &mut dvector![0.0]).unwrap_err();
        assert_eq!(error, Error::StartLength { expected: 2, found: 1 });
        let start = &mut dvector![0.0, f64::INFINITY];
        let error = solve(&problem, &Settings::default(), start).unwrap_err();
        assert_eq!(error, Error::StartEntry { row: 1, value: f64::INFINITY });
        let problem = Problem::new(dmatrix![1.0], dvector![-1.0]).unwrap();
        for settings in [
            Settings { relaxation: 2.0, ..Settings::default() },
            Settings { relaxation: f64::NAN, ..Settings::default() },
            Settings { tolerance: -1.0, ..Settings::default() },
        ] {
            let error = solve(&problem, &settings, &mut dvector![0.0]).unwrap_err();
            assert!(matches!(error, Error::Setting { .. }), "{error}");
        }
    }

    #[test]
    fn the_sweep_limit_is_a_status() {
        let problem = Problem::new(dmatrix![2.0, 1.9; 1.9, 2.0], dvector![-1.0, -1.0]).unwrap();
        let settings = Settings { max_sweeps: 1, ..Settings::default() };
        let report = solve(&problem, &settings, &mut dvector![0.0, 0.0]).unwrap();
        assert_eq!(report.status, Status::IterationLimit);
        assert!(report.relative_residual > settings.tolerance, "one sweep cannot be enough");
    }

    /// `w₁ = z₁ − 2 z₂ − 1` and `w₂ = z₂ − 2 z₁ − 1` cannot both be zero for `z ≥ 0`: the iterates
    /// grow until they overflow, and the best of them is the start.
    #[test]
    fn growth_without_end_is_a_stall_at_the_best_iterate() {
        let problem = Problem::new(dmatrix![1.0, -2.0; -2.0, 1.0], dvector![-1.0, -1.0]).unwrap();
        let mut z = dvector![0.0, 0.0];
        let report = solve(&problem, &Settings::default(), &mut z).unwrap();
        assert_eq!(report.status, Status::Stalled);
        assert_eq!((z, report.residual), (dvector![0.0, 0.0], 1.0));
    }

    prop_compose! {
        /// `M = AᵀA + I`, well conditioned, and a vector of any sign.
        fn problems()(n in 1_usize..6)
            (a in prop::collection::vec(-1.0..1.0, n * n), q in prop::collection::vec(-1.0..1.0, n))
            -> Problem
        {
            let n = q.len();
            let a = DMatrix::from_vec(n, n, a);
            let m = a.transpose() * &a + DMatrix::identity(n, n);
            Problem::new(m, DVector::from_vec(q)).unwrap()
        }
    }

    proptest! {
        /// The smallest eigenvalue is at least one, so an error in `w` is no larger in `z`.
        #[test]
        fn every_start_and_relaxation_reach_the_one_solution(
            problem in problems(), start in 0.0..10.0, relaxation in 0.5..1.5
        ) {
            let n = problem.dimension();
            let settings = Settings { relaxation, ..Settings::default() };
            let mut z = DVector::from_element(n, start);
            let report = solve(&problem, &settings, &mut z).unwrap();
            prop_assert_eq!(report.status, Status::Solved);
            let all = enumerate::solve(&problem, &enumerate::Settings::default()).unwrap();
            prop_assert_eq!(all.pieces.len(), 1);
            // A natural-map residual r is within (1 + ‖M‖) r / λ_min of the solution; ‖M‖ ≤ 1 + n².
            let bound = (2 + n * n) as f64 * report.residual + 1e-14;
            prop_assert!((z - &all.vertices[0].z).norm() <= bound * (n as f64).sqrt());
        }
    }
}
