//! Lemke's complementary pivot method for the [linear complementarity problem](Problem), with lexicographic pivoting
//! and with refined and verified answers.
//!
//! An artificial variable `t` makes the problem trivially solvable,
//!
//! ```math
//! w = q + M z + d\,t, \qquad z, w, t \ge 0, \qquad z_i w_i = 0,
//! ```
//!
//! with the covering vector `d > 0`. At the start `t` is just large enough for `w ≥ 0`. The method follows the path
//! of almost complementary bases, pivot by pivot, until `t` leaves the basis (a solution) or nothing limits the
//! entering variable (a secondary ray, kept in [`Workspace::ray`]).
//!
//! - **Needs** nothing of `M`. A solution is found in all cases covered by the theory of Lemke's method: among
//!   others for strictly copositive `M`, for copositive-plus `M` when the problem is feasible, for P-matrices, and
//!   for the step problems of frictional contact.
//! - **Does not** decide solvability otherwise: a ray for one covering vector proves only that this path is blocked
//!   (for copositive-plus `M` it proves that the problem is infeasible). Problems constructed for the purpose may
//!   need exponentially many pivots; the method then stops at the limit.
//! - **Cost** about `2 n²` multiply-adds per pivot, usually `n/2` to `2 n` pivots. Once the workspace has been used
//!   for this size nothing is allocated, except for the first ray.
//!   Up to four unknowns with a positive definite matrix, as of contacts without friction, are solved by Murty's
//!   principal pivoting, which needs less for each pivot and no path.
//! - **Deterministic**: single-threaded, fixed order.
//!
//! # Degeneracy and tolerances
//!
//! The problem is scaled by powers of two, so the tolerances hold in any units. Pivot entries below `1e-10` of the
//! largest in their column are refused. Rows that are tied within `1e-12` of the largest basic variable are compared
//! lexicographically with the rows of `B⁻¹`, which excludes cycling without any perturbation of the data; see the
//! source of the ratio test.
//!
//! The complementary basis is then checked on the problem itself. If needed, the answer is refined with the inverse
//! that the dictionary contains. If a path ends otherwise, takes unusually long, or its answer misses the tolerance,
//! another path is followed with another covering vector, at most [`Settings::restarts`] times. [`Status::Solved`]
//! always means that [`Problem::relative_residual`] of the returned `z` is at most [`Settings::tolerance`].
//!
//! # Source
//!
//! R. W. Cottle, J.-S. Pang, R. E. Stone, *The Linear Complementarity Problem*, Academic Press 1992,
//! algorithm 4.4.1 (the method), section 4.9 (lexicographic degeneracy resolution), theorem 4.4.12.
//! P. M. J. Harris, "Pivot selection methods of the Devex LP code", *Mathematical Programming* 5
//! (1973) 1–28 (two-pass ratio test).

mod answer;
mod dictionary;
mod direct;
mod ratio;
mod ray;
#[cfg(test)]
mod tests;

use nalgebra::DVector;

pub use ray::Ray;

use crate::lcp::{Problem, Report, Status, residual::Judge};
use dictionary::{Dictionary, Place};
use ratio::RatioTest;

/// A path that takes more than this times `n` pivots is interrupted for another covering vector, and is resumed only
/// if no other leads to an answer. On contact problems a path takes less than `2 n` pivots, unless contacts coincide
/// to some 1e-8 of their distance: rounding then dominates the lexicographic comparisons and the path may cycle.
const PATIENCE: usize = 20;

/// Settings of [`solve`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Maximum accepted [`Problem::relative_residual`] (dimensionless, ≥ 0, default `1e-9`).
    ///
    /// Unknowns of redundant contacts and directions cancel. They can be some `1e5` times the size of a row, and
    /// their own rounding then leaves `n 2⁻⁵²` of that in the row, which compensated summation cannot remove.
    pub tolerance: f64,
    /// Maximum number of pivots of one path (≥ 1, default `10_000`).
    pub pivot_limit: usize,
    /// Maximum number of further covering vectors (default 4), unless a ray proves that no `z ≥ 0` has `M z + q ≥ 0`. As
    /// long as some remain, a path is interrupted after `20 n` pivots. With 0 the method is Lemke's original one: it follows
    /// one path, also for small definite problems, and a ray that ends the path is the result.
    pub restarts: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { tolerance: 1e-9, pivot_limit: 10_000, restarts: 4 }
    }
}

/// The reason why [`solve`] could not start.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The vector for the answer has the wrong length.
    #[error("z has length {found}, expected {expected}")]
    AnswerLength {
        /// Size of the problem.
        expected: usize,
        /// Length found.
        found: usize,
    },
    /// The covering vector has the wrong length.
    #[error("covering vector has length {found}, expected {expected}")]
    CoveringLength {
        /// Size of the problem.
        expected: usize,
        /// Length found.
        found: usize,
    },
    /// An entry of the covering vector is not a positive finite number.
    #[error("covering[{row}] is {value}, expected a positive finite number")]
    CoveringEntry {
        /// Row of the entry.
        row: usize,
        /// The entry.
        value: f64,
    },
    /// The tolerance is negative or NaN.
    #[error("tolerance is {0}, expected a number of at least 0")]
    Tolerance(f64),
    /// The pivot limit is zero.
    #[error("pivot_limit is 0, expected at least 1")]
    PivotLimit,
}

/// Memory of [`solve`], kept by the caller between solves.
///
/// It grows to the largest size used so far; sizes may differ between solves.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    dictionary: Dictionary,
    ratio: RatioTest,
    /// Scaled covering vector of the current path.
    covering: Vec<f64>,
    /// Sizes of the rows, and `M z + q` of the current answer.
    judge: Judge,
    /// The current answer.
    candidate: DVector<f64>,
    /// The answer before its refinement.
    unrefined: DVector<f64>,
    ray: Option<Ray>,
    /// Memory for the next ray.
    spare_ray: Option<Ray>,
}

impl Workspace {
    /// Memory for problems of size `n`.
    #[must_use]
    pub fn new(n: usize) -> Self {
        let mut workspace = Self::default();
        workspace.prepare(n);
        workspace
    }

    /// The secondary ray that ended the last solve, when its status was [`Status::Ray`]: that of the first path that
    /// ended on one.
    #[must_use]
    pub const fn ray(&self) -> Option<&Ray> {
        self.ray.as_ref()
    }

    fn prepare(&mut self, n: usize) {
        self.dictionary.resize(n);
        self.ratio.reserve(n);
        self.covering.clear();
        self.covering.reserve(n);
        self.judge.resize(n);
        if self.candidate.len() != n {
            self.candidate.resize_vertically_mut(n, 0.0);
            self.unrefined.resize_vertically_mut(n, 0.0);
        }
    }
}

/// Solves `problem` and writes the answer to `z` (length `n`), whose previous content is ignored.
///
/// The covering vector is 1 for every row of the scaled problem, so that the answer does not depend on the units.
/// [`Report::iterations`] counts the pivots of all paths, or the principal pivots of a small definite problem. Unless
/// the status is [`Status::Solved`], `z` holds the best of the answers seen, with its residual in the report.
///
/// # Errors
///
/// See [`Error`]; `z` is then untouched. Not finding a solution is not an error.
///
/// # Example
///
/// Two contacts below one body (`W = [2 1; 1 2]` kg⁻¹) approach at 1 and 4 m/s. The second takes an impulse of 2
/// N·s, the first opens at 1 m/s.
///
/// ```
/// use nalgebra::{DVector, dmatrix, dvector};
/// use percussion_complementarity::lcp::{Problem, Status, lemke};
///
/// let problem = Problem::new(dmatrix![2.0, 1.0; 1.0, 2.0], dvector![-1.0, -4.0])?;
/// let mut z = DVector::zeros(2);
/// let mut workspace = lemke::Workspace::new(2);
/// let report = lemke::solve(&problem, &lemke::Settings::default(), &mut workspace, &mut z)?;
/// assert_eq!(report.status, Status::Solved);
/// assert!((z - dvector![0.0, 2.0]).amax() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn solve(
    problem: &Problem,
    settings: &Settings,
    workspace: &mut Workspace,
    z: &mut DVector<f64>,
) -> Result<Report, Error> {
    check(problem, settings, z)?;
    if settings.restarts > 0
        && let Some(report) = direct::solve(problem, settings, z)
    {
        workspace.forget_ray();
        return Ok(report);
    }
    Ok(follow_paths(problem, None, settings, workspace, z))
}

/// Like [`solve`], with a temporary workspace.
pub(super) fn solve_once(
    problem: &Problem,
    settings: &Settings,
    z: &mut DVector<f64>,
) -> Result<Report, Error> {
    solve(problem, settings, &mut Workspace::new(problem.dimension()), z)
}

/// Like [`solve`], with the covering vector `covering` for the first path (length `n`, entries > 0, in the unit of
/// `q`). With [`Settings::restarts`] zero the answer is that of this covering vector alone.
///
/// # Errors
///
/// See [`Error`]; `z` is then untouched.
pub fn solve_with_covering_vector(
    problem: &Problem,
    covering: &DVector<f64>,
    settings: &Settings,
    workspace: &mut Workspace,
    z: &mut DVector<f64>,
) -> Result<Report, Error> {
    check(problem, settings, z)?;
    if covering.len() != problem.dimension() {
        return Err(Error::CoveringLength { expected: problem.dimension(), found: covering.len() });
    }
    if let Some((row, &value)) =
        covering.iter().enumerate().find(|(_, d)| !(d.is_finite() && **d > 0.0))
    {
        return Err(Error::CoveringEntry { row, value });
    }
    Ok(follow_paths(problem, Some(covering), settings, workspace, z))
}

fn check(problem: &Problem, settings: &Settings, z: &DVector<f64>) -> Result<(), Error> {
    if z.len() != problem.dimension() {
        return Err(Error::AnswerLength { expected: problem.dimension(), found: z.len() });
    }
    if settings.tolerance.is_nan() || settings.tolerance < 0.0 {
        return Err(Error::Tolerance(settings.tolerance));
    }
    if settings.pivot_limit == 0 {
        return Err(Error::PivotLimit);
    }
    Ok(())
}

/// The end of one path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// `t` left the basis.
    Solution,
    /// Nothing limits the variable of this column.
    Ray(usize),
    /// The pivot limit was reached.
    Limit,
}

fn follow_paths(
    problem: &Problem,
    covering: Option<&DVector<f64>>,
    settings: &Settings,
    workspace: &mut Workspace,
    z: &mut DVector<f64>,
) -> Report {
    workspace.prepare(problem.dimension());
    workspace.forget_ray();
    z.as_mut_slice().fill(0.0);
    let mut report =
        Report { status: Status::Solved, iterations: 0, residual: 0.0, relative_residual: 0.0 };
    if problem.vector().as_slice().iter().all(|&q| q >= 0.0) {
        return report;
    }
    workspace.judge.prepare(problem);
    report.status = Status::Stalled;
    report.relative_residual = f64::INFINITY;
    let patience = PATIENCE * problem.dimension();
    let mut cut_short = false;
    for path in 0..=settings.restarts.saturating_add(1) {
        let is_first_again = path > settings.restarts;
        if is_first_again && !cut_short {
            break;
        }
        let limit = if is_first_again || settings.restarts == 0 {
            settings.pivot_limit
        } else {
            settings.pivot_limit.min(patience)
        };
        workspace.cover(problem, covering, if is_first_again { 0 } else { path });
        let Workspace { dictionary, covering, ratio, .. } = workspace;
        dictionary.load(problem, covering);
        let end = follow(dictionary, ratio, limit, &mut report.iterations);
        let residuals = workspace.extract(problem, settings.tolerance);
        if path == 0 && residuals.relative > settings.tolerance {
            // In this case zero impulses may be the best answer.
            let at_zero = workspace.judge.residuals(problem, z);
            report.residual = at_zero.natural_map;
            report.relative_residual = at_zero.relative;
        }
        if residuals.relative < report.relative_residual {
            std::mem::swap(z, &mut workspace.candidate);
            report.residual = residuals.natural_map;
            report.relative_residual = residuals.relative;
        }
        if report.relative_residual <= settings.tolerance {
            report.status = Status::Solved;
            workspace.forget_ray();
            return report;
        }
        #[cfg(feature = "tracing")]
        tracing::debug!(path, ?end, residual = report.relative_residual, "path without answer");
        match end {
            End::Ray(column) if workspace.ray.is_none() => {
                let ray = workspace.secondary_ray(problem, column);
                if ray.violation(problem) <= Ray::TOLERANCE {
                    report.status = Status::Ray;
                    if workspace.ray.insert(ray).proves_infeasibility(problem) {
                        return report;
                    }
                } else {
                    workspace.spare_ray = Some(ray);
                }
            }
            End::Limit => {
                cut_short |= limit < settings.pivot_limit;
                if report.status == Status::Stalled {
                    report.status = Status::IterationLimit;
                }
            }
            _ => {}
        }
    }
    report
}

/// Pivots from the dictionary with all `w` basic until the path ends.
fn follow(
    dictionary: &mut Dictionary,
    ratio: &mut RatioTest,
    pivot_limit: usize,
    pivots: &mut usize,
) -> End {
    let artificial = dictionary.artificial();
    let Place::Column(column) = dictionary.place(artificial) else { return End::Limit };
    let mut leaving = dictionary.pivot(first_row(dictionary, column), column);
    *pivots += 1;
    for _ in 1..pivot_limit {
        let entering = dictionary.complement(leaving);
        let Place::Column(column) = dictionary.place(entering) else { return End::Limit };
        let Some(row) = ratio.leaving_row(dictionary, column) else { return End::Ray(column) };
        *pivots += 1;
        if dictionary.basic(row) == artificial {
            dictionary.pivot_values(row, column);
            return End::Solution;
        }
        leaving = dictionary.pivot(row, column);
    }
    End::Limit
}

/// The row that needs the largest `t`. Of equal rows it is the last, which is the lexicographic choice.
fn first_row(dictionary: &Dictionary, column: usize) -> usize {
    let mut first = (0, f64::NEG_INFINITY);
    let rows = dictionary.column(column).iter().zip(dictionary.values());
    for (row, (covering, value)) in rows.enumerate() {
        let needed = -value / covering;
        if needed >= first.1 {
            first = (row, needed);
        }
    }
    first.0
}

impl Workspace {
    /// Fills the scaled covering vector of a path: first the caller's or ones, for later paths values that vary
    /// between 1 and 2 by a fixed rule.
    fn cover(&mut self, problem: &Problem, covering: Option<&DVector<f64>>, attempt: usize) {
        let n = problem.dimension();
        self.covering.clear();
        match covering {
            Some(d) if attempt == 0 => {
                let scaled = d.iter().enumerate().map(|(i, &d)| problem.scaling().covering(i, d));
                self.covering.extend(scaled);
                let largest = self.covering.iter().copied().fold(0.0, f64::max);
                self.covering.iter_mut().for_each(|d| *d /= largest);
            }
            _ => self.covering.extend((0..n).map(|i| 1.0 + spread(attempt, i))),
        }
    }
}

/// A fixed number in `[0, 1)` for restart `attempt` and row `i`.
fn spread(attempt: usize, i: usize) -> f64 {
    // Multiples of the golden ratio and of √2, modulo one, are evenly spread.
    #[expect(clippy::cast_precision_loss, reason = "small counts")]
    let (attempt, i) = (attempt as f64, (i + 1) as f64);
    (attempt * (i * 0.618_033_988_749_895 + 0.414_213_562_373_095)).fract()
}
