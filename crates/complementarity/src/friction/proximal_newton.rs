//! Newton's method for the proximal points of all contacts, for hard problems with slip and redundant contacts.
//!
//! Impulses solve Coulomb's law if they are their own image by the natural map,
//!
//! ```math
//! y = P_K\bigl(y - \hat{u}(y)\bigr), \qquad \hat{u} = u + \mu \|u_T\| n, \quad u = G y + g
//! ```
//!
//! with `G = S W S` and `y = S⁻¹ p`, where `S` scales every contact by the square root of its inverse mass. Redundant contacts leave
//! the derivative singular, and impulses move far along its kernel before one of these contacts opens or slips: sweeps take small
//! steps along it, Newton's step has no bound. The *proximal point* of a center `c` is the solution with
//! `u = G y + g + ω (y − c)`, and is the next center. A small weight `ω` allows far steps. It is found by whole Newton steps,
//! whose residual may grow a few times; if they do not find it the weight is four times as large, and after a success with few
//! steps it is smaller.
//!
//! - **Solves** Coulomb's law. Convergence is not guaranteed, as friction makes the law non-monotone; without friction, the points
//!   converge for any weight.
//! - **Redundant** contacts are allowed.
//! - **Cost** one LU factorization of size `3n` per step, as in the [interior point](super::interior_point) method, and 20 to 1000
//!   steps.
//! - **Deterministic**: single-threaded.
//!
//! # Source
//!
//! R. T. Rockafellar, "Monotone operators and the proximal point algorithm", *SIAM Journal on Control and Optimization* 14 (1976)
//! 877–898; L. Qi, J. Sun, "A nonsmooth version of Newton's method", *Mathematical Programming* 58 (1993) 353–367. The rule for the
//! weight is ours.

use nalgebra::{DVector, Matrix3, Vector3};

use super::{
    Delassus, Law, Problem, Report, Status, cone,
    report::{Error, Record, check_law, check_start},
    rescaled::InUnits,
    system::System,
};

/// The laws that [`solve`] supports.
pub const LAWS: &[Law] = &[Law::Coulomb];

/// The first weight, and the largest one, with which Newton's steps are short.
const FIRST: f64 = 1e-2;
const LARGEST: f64 = 1e3;
/// The smallest weight. The proximal term then is at the accuracy of impulses.
const SMALLEST: f64 = 1e-8;
/// Steps to a proximal point, and those of them that may have a larger residual than one before.
const STEPS: usize = 25;
const RISES: usize = 6;
/// A point that took fewer steps makes the weight smaller, unless one of so many points before was not found.
const FEW: usize = 6;
const CAUTION: usize = 3;

/// Settings of [`solve`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Stop when [`Problem::relative_residual`] is at most this (≥ 0, default `1e-10`).
    pub tolerance: f64,
    /// Maximum number of Newton steps (default 3000).
    pub max_steps: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { tolerance: 1e-10, max_steps: 3000 }
    }
}

/// Solves `problem` by Coulomb's law from the start `impulses` (N·s, one per contact).
///
/// [`Report::iterations`] counts Newton steps.
///
/// # Errors
///
/// See [`Error`], also for a problem whose law is not among [`LAWS`]; `impulses` are then untouched. Not converging is
/// not an error.
///
/// # Example
///
/// A block slides, and two contacts of the same point share what presses it.
///
/// ```
/// use nalgebra::{DMatrix, Matrix3, Vector3};
/// use percussion_complementarity::friction::{Problem, Status, proximal_newton};
///
/// let twice = DMatrix::from_fn(6, 6, |row, column| if row % 3 == column % 3 { 0.5 } else { 0.0 });
/// let free = [-2.0, 3.0, 0.0, -2.0, 3.0, 0.0];
/// let problem = Problem::from_dense(&twice, &free, &[0.5, 0.5])?;
/// let mut impulses = [Vector3::zeros(); 2];
/// let report = proximal_newton::solve(&problem, &Default::default(), &mut impulses)?;
/// assert_eq!(report.status, Status::Solved);
/// assert!((impulses[0] + impulses[1] - Vector3::new(4.0, -2.0, 0.0)).norm() < 1e-8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn solve<D: Delassus>(
    problem: &Problem<D>,
    settings: &Settings,
    impulses: &mut [Vector3<f64>],
) -> Result<Report, Error> {
    check_law(problem.law(), LAWS)?;
    check_start(problem.contact_count(), impulses, settings.tolerance)?;
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
    let mut record = Record::new(problem, settings.tolerance, impulses);
    let mut steps = 0;
    if record.solved() {
        return Ok(record.finish(impulses, steps, Status::Stalled));
    }
    let mut newton = Newton::new(problem, impulses);
    let mut candidate = impulses.to_vec();
    let (mut weight, mut caution) = (FIRST, 0_usize);
    while !record.solved() && steps < settings.max_steps && weight <= LARGEST {
        let left = settings.max_steps - steps;
        let (found, taken) = newton.move_center(weight, left.min(STEPS), 0.1 * record.target);
        steps += taken;
        if !found {
            (weight, caution) = (4.0 * weight, CAUTION);
            continue;
        }
        newton.impulses(&mut candidate);
        record.offer(&candidate);
        if caution > 0 {
            caution -= 1;
        } else if taken < FEW {
            weight = (0.3 * weight).max(SMALLEST);
        }
    }
    let otherwise = if weight > LARGEST { Status::Stalled } else { Status::IterationLimit };
    Ok(record.finish(impulses, steps, otherwise))
}

/// The scaled problem, its center and the memory of the steps.
struct Newton {
    system: System,
    free: Vec<Vector3<f64>>,
    friction: Vec<f64>,
    /// `S` of each contact.
    scales: Vec<f64>,
    center: Vec<Vector3<f64>>,
    y: Vec<Vector3<f64>>,
    /// At `y`: `u`, and `y` minus its image.
    velocity: Vec<Vector3<f64>>,
    map: Vec<Vector3<f64>>,
    step: DVector<f64>,
}

impl Newton {
    fn new<D: Delassus>(problem: &Problem<D>, start: &[Vector3<f64>]) -> Self {
        let scales: Vec<f64> =
            problem.inverse_masses().iter().map(|inverse| 1.0 / inverse.sqrt()).collect();
        let scaled = |vectors: &[Vector3<f64>], exponent: i32| -> Vec<_> {
            vectors.iter().zip(&scales).map(|(v, scale)| v * scale.powi(exponent)).collect()
        };
        let (free, center) = (scaled(problem.free_velocity(), 1), scaled(start, -1));
        let zeros = vec![Vector3::zeros(); start.len()];
        Self {
            system: System::new(problem, |contact| Vector3::repeat(scales[contact])),
            friction: problem.contacts().iter().map(|contact| contact.friction()).collect(),
            y: center.clone(),
            velocity: zeros.clone(),
            map: zeros,
            step: DVector::zeros(3 * start.len()),
            free,
            scales,
            center,
        }
    }

    /// The impulses of the center, in their cones.
    fn impulses(&self, impulses: &mut [Vector3<f64>]) {
        for (i, impulse) in impulses.iter_mut().enumerate() {
            *impulse = cone::project(&self.center[i], self.friction[i]) * self.scales[i];
        }
    }

    /// Moves the center to its proximal point, if that is found in so many steps; returns whether it is, and the steps.
    /// A residual up to `target` (m/s) is as good.
    fn move_center(&mut self, weight: f64, limit: usize, target: f64) -> (bool, usize) {
        self.y.copy_from_slice(&self.center);
        let (start, _) = self.evaluate(weight);
        let (mut lowest, mut rises) = (start, 0);
        for steps in 1..=limit {
            if !self.advance(weight) {
                return (false, steps);
            }
            let (size, speed) = self.evaluate(weight);
            let moved: f64 =
                self.y.iter().zip(&self.center).map(|(y, c)| (y - c).norm_squared()).sum();
            if size <= 0.1 * weight * moved.sqrt() || speed <= target {
                self.center.copy_from_slice(&self.y);
                return (true, steps);
            }
            rises += usize::from(size > lowest);
            lowest = lowest.min(size);
            if size.is_nan() || size > 1e3 * start || rises == RISES {
                return (false, steps);
            }
        }
        (false, limit)
    }

    /// Evaluates the map at `y`; returns its norm and its largest entry as a velocity (m/s).
    fn evaluate(&mut self, weight: f64) -> (f64, f64) {
        let (mut sum, mut speed) = (0.0, 0.0_f64);
        for i in 0..self.y.len() {
            let (y, friction) = (self.y[i], self.friction[i]);
            let velocity =
                self.system.product(&self.y, i) + self.free[i] + weight * (y - self.center[i]);
            let image = y - cone::modified_velocity(&velocity, friction);
            self.velocity[i] = velocity;
            self.map[i] = y - cone::project(&image, friction);
            sum += self.map[i].norm_squared();
            speed = speed.max(self.map[i].norm() / self.scales[i]);
        }
        (sum.sqrt(), speed)
    }

    /// A whole step from where the map was evaluated; `false` if there is none.
    fn advance(&mut self, weight: f64) -> bool {
        let Self { system, friction, y, velocity, map, step, .. } = self;
        let is_regular = system.factorize(|i| {
            let (u, friction) = (&velocity[i], friction[i]);
            let projection =
                cone::derivative(&(y[i] - cone::modified_velocity(u, friction)), friction);
            let mut slope = Matrix3::identity();
            let slip = cone::length(u.y, u.z);
            if slip > 0.0 {
                slope[(0, 1)] = friction * u.y / slip;
                slope[(0, 2)] = friction * u.z / slip;
            }
            let left = projection * slope;
            (Some(left), left * weight + Matrix3::identity() - projection)
        });
        for (i, entry) in map.iter().flatten().enumerate() {
            step[i] = *entry;
        }
        if !is_regular || !system.solve_mut(step) {
            return false;
        }
        for (y, step) in y.iter_mut().zip(step.as_slice().chunks_exact(3)) {
            *y -= Vector3::from_column_slice(step);
        }
        true
    }
}

#[cfg(test)]
mod tests;
