//! Damped Newton method on the Fischer–Burmeister equations of the
//! [linear complementarity problem](Problem).
//!
//! With `w = M z + q` the problem is the system of `n` equations
//!
//! ```math
//! Φ_i(z) = \sqrt{z_i^2 + w_i^2} - z_i - w_i = 0,
//! ```
//!
//! whose merit function `Ψ = ½ ‖Φ‖²` is continuously differentiable although `Φ` is not. A line search on it is
//! therefore well defined; the minimum map has no such merit function. Each iteration
//!
//! 1. determines the set `α = {i : z_i > w_i}` of the iterate and, when it is new, solves `M_αα z_α = −q_α` (a full
//!    Newton step of the minimum map). If that point meets the tolerance, it is the answer: near a regular solution
//!    the method ends with a direct solve;
//! 2. otherwise takes the Newton direction `H d = −Φ` with `H = ∂Φ`. If that is not a direction of sufficient
//!    descent, it takes the one of `(Hᵀ H + ν I) d = −Hᵀ Φ` with `ν = min(‖Φ‖, 10⁻²)`. The step is the first of
//!    `t = 1, ½, ¼, …` with `Ψ(z + t d) ≤ Ψ + 10⁻⁴ t ∇Ψ · d`.
//!
//! - **Needs** nothing of `M` to start. For a P₀-matrix every stationary point of `Ψ` is a solution,
//!   for a P-matrix the level sets are bounded too and the method converges from any start.
//! - **Does not** guarantee an answer otherwise: at a local minimum of `Ψ` that is not a solution it ends with
//!   [`Status::Stalled`], which does not mean that the problem has no solution. Friction step problems are not P₀ in
//!   general: most are solved, see the figures at [`solve`]; Lemke's method solves the rest.
//! - **Cost** one or two factorizations of size `n` per iteration, usually 5 to 20 iterations.
//! - **Scale**: works on a copy with ones on the diagonal of `M`, as far as that is positive, and a vector of length one in
//!   the maximum norm. Units change this copy only by rounding, and so the path.
//! - **Deterministic**: single-threaded, fixed order.
//!
//! # Source
//!
//! T. De Luca, F. Facchinei, C. Kanzow, "A semismooth equation approach to the solution of nonlinear
//! complementarity problems", *Mathematical Programming* 75 (1996) 407–439 (the algorithm and the
//! choice of `H`); F. Facchinei, C. Kanzow, "A nonsmooth inexact Newton method for the
//! solution of large-scale nonlinear complementarity problems", *Mathematical Programming* 76 (1997)
//! 493–512 (Levenberg–Marquardt direction).

use nalgebra::{DMatrix, DVector};

use super::{Problem, Report, Status, equilibration::Equilibration, residual::Judge};

/// Fraction of the predicted decrease that a step must reach.
const SUFFICIENT_DECREASE: f64 = 1e-4;

/// Number of halvings of a step: 2⁻⁴⁰ of a direction no longer changes the merit function measurably.
const HALVINGS: usize = 40;

/// Settings of [`solve`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Stop when [`Problem::relative_residual`] is at most this (≥ 0, default `1e-10`).
    pub tolerance: f64,
    /// Maximum number of iterations (default 200).
    pub max_iterations: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { tolerance: 1e-10, max_iterations: 200 }
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
    /// The tolerance is NaN or negative.
    #[error("tolerance is {0}, expected a number ≥ 0")]
    Tolerance(f64),
}

/// Solves `problem` in place, starting from the nonnegative part of `z` (length `n`).
///
/// On return `z` is the point with the smallest relative residual, the start included, and nonnegative.
/// [`Report::iterations`] counts Newton steps.
///
/// From `z = 0` on 500 random friction steps of each kind (8 directions, `μ = ½`):
///
/// | problem | `n` | solved | median iterations |
/// | --- | --- | --- | --- |
/// | one body, 2 contacts | 20 | 100 % | 4 |
/// | box on its 4 corners | 40 | 99.6 % | 8 |
/// | four spheres, 7 contacts | 70 | 100 % | 19 |
/// | one body, 7 contacts, strongly redundant | 70 | 97.8 % | 12 |
///
/// The others end at the maximum number of iterations.
///
/// # Errors
///
/// See [`Error`]; `z` is then untouched. Not converging is not an error.
///
/// # Example
///
/// Two equal balls of 1 kg are pushed together at 1 m/s against a wall: the wall gives 2 N·s, one ball transmits 1
/// N·s to the other.
///
/// ```
/// use nalgebra::{dmatrix, dvector};
/// use percussion_complementarity::lcp::{Problem, Status, fischer_burmeister};
///
/// let problem = Problem::new(dmatrix![1.0, -1.0; -1.0, 2.0], dvector![-1.0, 0.0])?;
/// let mut impulse = dvector![0.0, 0.0];
/// let settings = fischer_burmeister::Settings::default();
/// let report = fischer_burmeister::solve(&problem, &settings, &mut impulse)?;
/// assert_eq!(report.status, Status::Solved);
/// assert!((impulse - dvector![2.0, 1.0]).amax() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn solve(
    problem: &Problem,
    settings: &Settings,
    z: &mut DVector<f64>,
) -> Result<Report, Error> {
    check(problem, settings, z)?;
    z.apply(|z| *z = z.max(0.0));
    let (scaled, equilibration) = Equilibration::by_diagonal(problem);
    let mut point = Point::new(&scaled, equilibration.scale(z));
    let mut tried = Vec::new();
    let mut judge = Judge::new(problem);
    let start = judge.residuals(problem, z);
    let mut report = Report {
        status: Status::IterationLimit,
        iterations: 0,
        residual: start.natural_map,
        relative_residual: start.relative,
    };
    let mut offer = |candidate: &DVector<f64>, report: &mut Report| {
        // The residual tolerates a negative entry within the tolerance; the answer must not contain one.
        let candidate = equilibration.unscale(candidate).map(|z| z.max(0.0));
        let residuals = judge.residuals(problem, &candidate);
        if residuals.relative < report.relative_residual {
            report.relative_residual = residuals.relative;
            report.residual = residuals.natural_map;
            z.copy_from(&candidate);
        }
        report.relative_residual <= settings.tolerance
    };
    loop {
        let active = point.active();
        let direct = if active == tried { None } else { active_set_step(&scaled, &active) };
        tried = active;
        if offer(&point.z, &mut report) || direct.is_some_and(|direct| offer(&direct, &mut report))
        {
            report.status = Status::Solved;
            return Ok(report);
        }
        if report.iterations == settings.max_iterations {
            return Ok(report);
        }
        let Some(next) = point.step(&scaled) else {
            report.status = Status::Stalled;
            return Ok(report);
        };
        point = next;
        report.iterations += 1;
    }
}

fn check(problem: &Problem, settings: &Settings, z: &DVector<f64>) -> Result<(), Error> {
    if z.len() != problem.dimension() {
        return Err(Error::StartLength { expected: problem.dimension(), found: z.len() });
    }
    if let Some(row) = z.iter().position(|value| !value.is_finite()) {
        return Err(Error::StartEntry { row, value: z[row] });
    }
    if settings.tolerance.is_nan() || settings.tolerance < 0.0 {
        return Err(Error::Tolerance(settings.tolerance));
    }
    Ok(())
}

/// The point with `w_α = 0` and `z = 0` outside `α`; `None` when `M_αα` is singular.
fn active_set_step(problem: &Problem, active: &[usize]) -> Option<DVector<f64>> {
    let mut z = DVector::zeros(problem.dimension());
    if active.is_empty() {
        return Some(z);
    }
    let block = problem.matrix().select_rows(active).select_columns(active);
    let factors = block.lu();
    let mut values = factors.solve(&-problem.vector().select_rows(active))?;
    for (&i, &value) in active.iter().zip(&values) {
        z[i] = value;
    }
    // One step of iterative refinement compensates the growth in the elimination.
    values = factors.solve(&problem.slack(&z).select_rows(active))?;
    for (&i, &correction) in active.iter().zip(&values) {
        z[i] -= correction;
    }
    Some(z)
}

/// An iterate with all data that the next step needs.
struct Point {
    z: DVector<f64>,
    w: DVector<f64>,
    phi: DVector<f64>,
    merit: f64,
}

impl Point {
    fn new(problem: &Problem, z: DVector<f64>) -> Self {
        let w = problem.slack(&z);
        let phi = z.zip_map(&w, fischer_burmeister);
        let merit = 0.5 * phi.norm_squared();
        Self { z, w, phi, merit }
    }

    fn active(&self) -> Vec<usize> {
        (0..self.z.len()).filter(|&i| self.z[i] > self.w[i]).collect()
    }

    /// The next iterate; `None` when no direction decreases the merit function.
    fn step(&self, problem: &Problem) -> Option<Self> {
        let derivative = self.derivative(problem);
        let gradient = derivative.tr_mul(&self.phi);
        let newton = derivative.clone().lu().solve(&-&self.phi).filter(|direction| {
            // The condition of De Luca, Facchinei and Kanzow; it fails for NaN.
            gradient.dot(direction) <= -1e-8 * direction.norm().powf(2.1)
        });
        newton.and_then(|direction| self.search(problem, &gradient, &direction)).or_else(|| {
            let damping = self.phi.norm().min(1e-2);
            let mut normal = derivative.tr_mul(&derivative);
            for i in 0..self.z.len() {
                normal[(i, i)] += damping;
            }
            let direction = normal.cholesky()?.solve(&-&gradient);
            self.search(problem, &gradient, &direction)
        })
    }

    /// An element of the generalized Jacobian of `Φ`.
    fn derivative(&self, problem: &Problem) -> DMatrix<f64> {
        // Where z_i = w_i = 0 the derivative is taken along the direction v of ones on these rows.
        let corner = |i: usize| self.z[i] == 0.0 && self.w[i] == 0.0;
        let v = DVector::from_fn(self.z.len(), |i, _| f64::from(u8::from(corner(i))));
        let change = problem.matrix() * &v;
        let mut derivative = problem.matrix().clone();
        for i in 0..self.z.len() {
            let (z, w) = if corner(i) { (v[i], change[i]) } else { (self.z[i], self.w[i]) };
            let length = z.hypot(w);
            derivative.row_mut(i).scale_mut(w / length - 1.0);
            derivative[(i, i)] += z / length - 1.0;
        }
        derivative
    }

    fn search(
        &self,
        problem: &Problem,
        gradient: &DVector<f64>,
        direction: &DVector<f64>,
    ) -> Option<Self> {
        let slope = gradient.dot(direction);
        let mut t = 1.0;
        for _ in 0..HALVINGS {
            let next = Self::new(problem, &self.z + direction * t);
            if next.merit <= self.merit + SUFFICIENT_DECREASE * t * slope && next.merit < self.merit
            {
                return Some(next);
            }
            t *= 0.5;
        }
        None
    }
}

/// `√(a² + b²) − a − b`, without cancellation where both are positive.
fn fischer_burmeister(a: f64, b: f64) -> f64 {
    let (length, sum) = (a.hypot(b), a + b);
    if sum > 0.0 { -2.0 * a * b / (length + sum) } else { length - sum }
}

#[cfg(test)]
mod tests;
