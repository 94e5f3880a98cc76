//! Accelerated projected gradients on the convex relaxation, with Coulomb's law by an outer iteration.
//!
//! With De Saxcé's `s = μ‖u_T‖ n` held fixed, Coulomb's law is the convex program
//!
//! ```math
//! \min_{p \in K} \tfrac12 p^T W p + p^T (u_f + s),
//! ```
//!
//! which for `s = 0` is the relaxation of Anitescu. It is solved by Nesterov's accelerated steps, scaled by the
//! inverse masses of the contacts, with backtracking and restarts; `s` is updated every `renew_every` steps.
//!
//! - **Needs** a symmetric positive semidefinite `W` for the inner iteration. The outer iteration contracts for
//!   small `μ`, and usually for larger `μ` too.
//! - **Cost** two products with `W` per step; `W` is used in no other way. The method is meant for large
//!   matrix-free problems and moderate accuracy. Convergence is sublinear at first.
//! - **Deterministic**: single-threaded.
//!
//! # Source
//!
//! H. Mazhar, T. Heyn, D. Negrut, A. Tasora, "Using Nesterov's method to accelerate multibody dynamics with friction and
//! contact", *ACM Transactions on Graphics* 34 (2015) 32; M. Anitescu, "Optimization-based simulation of nonsmooth rigid
//! multibody dynamics", *Mathematical Programming* 105 (2006) 113–143; restarts: B. O'Donoghue, E. Candès, "Adaptive restart
//! for accelerated gradient schemes", *Foundations of Computational Mathematics* 15 (2015) 715–732.

use nalgebra::Vector3;

use super::{
    Delassus, Law, Problem, Report, Status, cone,
    report::{Error, Record, check_law, check_start},
    rescaled::InUnits,
};

/// The laws that [`solve`] supports.
pub const LAWS: &[Law] = &[Law::Coulomb];

/// Settings of [`solve`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Stop when [`Problem::relative_residual`] is at most this (≥ 0, default `1e-6`).
    pub tolerance: f64,
    /// Maximum number of steps (default `10_000`).
    pub max_steps: usize,
    /// Steps between updates of `s` (≥ 1, default 10).
    pub renew_every: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { tolerance: 1e-6, max_steps: 10_000, renew_every: 10 }
    }
}

/// Solves `problem` by Coulomb's law in place, starting from `impulses` (N·s, one per contact).
///
/// On return `impulses` is the iterate with the smallest residual. [`Report::iterations`] counts steps.
///
/// # Errors
///
/// See [`Error`], also for a problem whose law is not among [`LAWS`]; `impulses` are then untouched. Not converging is
/// not an error.
///
/// # Example
///
/// ```
/// use nalgebra::{DMatrix, Vector3};
/// use percussion_complementarity::friction::{Problem, Status, projected_gradient};
///
/// let problem = Problem::from_dense(&(0.5 * DMatrix::identity(3, 3)), &[-2.0, 3.0, 0.0], &[0.5])?;
/// let mut impulses = [Vector3::zeros()];
/// let report = projected_gradient::solve(&problem, &Default::default(), &mut impulses)?;
/// assert_eq!(report.status, Status::Solved);
/// assert!((impulses[0] - Vector3::new(4.0, -2.0, 0.0)).norm() < 1e-4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn solve<D: Delassus>(
    problem: &Problem<D>,
    settings: &Settings,
    impulses: &mut [Vector3<f64>],
) -> Result<Report, Error> {
    check_law(problem.law(), LAWS)?;
    check_start(problem.contact_count(), impulses, settings.tolerance)?;
    if settings.renew_every == 0 {
        return Err(Error::Setting { name: "renew_every", value: 0.0, expected: "≥ 1" });
    }
    match InUnits::of(problem) {
        Some(units) => {
            units.solve(impulses, |problem, impulses| iterate(problem, settings, impulses))
        }
        None => iterate(problem, settings, impulses),
    }
}

/// [`solve`] for checked input.
fn iterate<D: Delassus>(
    problem: &Problem<D>,
    settings: &Settings,
    impulses: &mut [Vector3<f64>],
) -> Result<Report, Error> {
    let n = problem.contact_count();
    let friction = |i: usize| problem.contacts()[i].friction();
    let mut record = Record::new(problem, settings.tolerance, impulses);
    let mut descent = Descent {
        problem,
        shift: vec![0.0; n],
        memory: Vec::new(),
        at: (0..n).map(|i| cone::project(&impulses[i], friction(i))).collect(),
        ahead: vec![Vector3::zeros(); n],
        next: vec![Vector3::zeros(); n],
        gradient: vec![Vector3::zeros(); n],
        momentum: 1.0,
        step: 1.0,
    };
    descent.ahead.clone_from(&descent.at);
    let (mut steps, mut status) = (0, Status::IterationLimit);
    while !record.solved() && steps < settings.max_steps {
        if steps.is_multiple_of(settings.renew_every) {
            descent.renew();
        }
        descent.advance();
        steps += 1;
        if !record.offer(&descent.at).is_finite() {
            status = Status::Stalled;
            break;
        }
    }
    Ok(record.finish(impulses, steps, status))
}

/// The inner iteration.
struct Descent<'a, D> {
    problem: &'a Problem<D>,
    /// `s`, normal parts.
    shift: Vec<f64>,
    memory: Vec<f64>,
    at: Vec<Vector3<f64>>,
    /// The point at which the gradient is taken.
    ahead: Vec<Vector3<f64>>,
    next: Vec<Vector3<f64>>,
    gradient: Vec<Vector3<f64>>,
    momentum: f64,
    /// Step in units of `1/w_i`.
    step: f64,
}

impl<D: Delassus> Descent<'_, D> {
    /// Updates `s` from the current velocities.
    fn renew(&mut self) {
        self.problem.delassus().begin(&self.at, &mut self.memory);
        for i in 0..self.at.len() {
            let velocity = self.problem.velocity(i, &self.at, &self.memory);
            self.shift[i] = self.problem.contacts()[i].friction() * velocity.yz().norm();
        }
    }

    fn advance(&mut self) {
        let n = self.at.len();
        self.problem.delassus().begin(&self.ahead, &mut self.memory);
        for i in 0..n {
            self.gradient[i] = self.problem.velocity(i, &self.ahead, &self.memory);
            self.gradient[i].x += self.shift[i];
        }
        let weights = self.problem.inverse_masses();
        // Sixty halvings bring any step below the inverse of the largest eigenvalue.
        for _ in 0..60 {
            for (i, weight) in weights.iter().enumerate() {
                let target = self.ahead[i] - self.step / weight * self.gradient[i];
                self.next[i] = cone::project(&target, self.problem.contacts()[i].friction());
            }
            if self.decreases(weights) {
                break;
            }
            self.step *= 0.5;
        }
        let turn: f64 = (0..n).map(|i| self.gradient[i].dot(&(self.next[i] - self.at[i]))).sum();
        let before = self.momentum;
        // The step increases the energy: restart without momentum.
        self.momentum =
            if turn > 0.0 { 1.0 } else { 0.5 * (1.0 + (1.0 + 4.0 * before * before).sqrt()) };
        let push = if turn > 0.0 { 0.0 } else { (before - 1.0) / self.momentum };
        for i in 0..n {
            self.ahead[i] = self.next[i] + push * (self.next[i] - self.at[i]);
        }
        std::mem::swap(&mut self.at, &mut self.next);
        self.step *= 1.05;
    }

    /// Whether `½ dᵀ W d ≤ ½ dᵀ (w/step) d` for the step `d`, so that the energy is below its quadratic bound.
    fn decreases(&mut self, weights: &[f64]) -> bool {
        self.problem.delassus().begin(&self.next, &mut self.memory);
        let (mut energy, mut bound, mut noise) = (0.0, 0.0, 0.0);
        for (i, weight) in weights.iter().enumerate() {
            let change = self.next[i] - self.ahead[i];
            let velocity = self.problem.velocity(i, &self.next, &self.memory);
            let mut slope = velocity - self.gradient[i];
            slope.x += self.shift[i];
            energy += change.dot(&slope);
            bound += weight / self.step * change.norm_squared();
            noise += change.norm() * (velocity.norm() + self.gradient[i].norm());
        }
        energy <= bound + 4.0 * f64::EPSILON * noise
    }
}
