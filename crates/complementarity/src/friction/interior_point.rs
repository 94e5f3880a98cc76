//! Interior-point method for all contacts at once, for hard problems and full precision.
//!
//! In the variables `x = (μ p_N, p_T)` and `z = (û_N/μ, û_T)` the friction cone and its dual are second-order
//! (Lorentz) cones, and Coulomb's law becomes
//!
//! ```math
//! G x + g = \Psi(z),\qquad \Psi(z) = (z_0 - \|z_T\|,\; z_T),\qquad L \ni x \perp z \in L
//! ```
//!
//! because `u_N/μ = z_0 − ‖z_T‖`. The velocity that De Saxcé adds is a function of `z`, so no relaxation and no
//! outer iteration is needed. Newton steps with the scaling of Nesterov and Todd and Mehrotra's
//! predictor-corrector follow the central path `x ∘ z = σ e`. Every contact is scaled by the square root of its
//! inverse mass.
//!
//! - **Solves** Coulomb's law. Without slip the system is that of a convex program and the method always
//!   converges. With slip `Ψ` is not monotone: convergence is usual but not guaranteed.
//! - **Redundant** contacts are allowed: the path leads to the center of the solution set.
//! - **Cost** one LU factorization of size `3n` per step, and typically 10 to 40 steps. It is sparse where elimination fills few
//!   blocks, as in towers, walls and piles; 1000 contacts of a tower take 10 steps of some 2 ms. Otherwise it is dense, with `18 n³`
//!   flops (in blocks with the feature `faer`) and memory for about `27 n²` numbers.
//! - **Deterministic**: single-threaded.
//!
//! # Source
//!
//! V. Acary, P. Armand, H. M. Nguyen, M. Shpakovych, "Second-order cone programming for frictional contact mechanics using
//! interior point algorithm", *Optimization Methods and Software* 39 (2024) 634–663 (the convex part and the problems);
//! Y. E. Nesterov, M. J. Todd, "Self-scaled barriers and interior-point methods for convex programming", *Mathematics of
//! Operations Research* 22 (1997) 1–42; L. Vandenberghe, "The CVXOPT linear and quadratic cone program solvers", 2010,
//! section 4 (formulas of the scaling). An outer iteration is not needed here, because
//! `‖u_T‖` is a function of `z` alone.

use nalgebra::{DVector, Matrix3, Vector3};

use super::{
    Delassus, Law, Problem, Report, Status,
    report::{Error, Record, check_law, check_start},
    rescaled::InUnits,
    system::System,
};

/// The laws that [`solve`] supports.
pub const LAWS: &[Law] = &[Law::Coulomb];

/// Number of steps without a new best residual after which the solve stops. Temporary increases along the path
/// are shorter.
const PATIENCE: usize = 20;

/// Settings of [`solve`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Stop when [`Problem::relative_residual`] is at most this (≥ 0, default `1e-10`).
    pub tolerance: f64,
    /// Maximum number of steps (default 100).
    pub max_steps: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { tolerance: 1e-10, max_steps: 100 }
    }
}

/// Solves `problem` by Coulomb's law from the interior of the cones. `impulses` (N·s, one per contact) is not
/// used as a start; it is returned if its residual is smaller than that of every iterate.
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
/// ```
/// use nalgebra::{DMatrix, Vector3};
/// use percussion_complementarity::friction::{Problem, Status, interior_point};
///
/// let problem = Problem::from_dense(&(0.5 * DMatrix::identity(3, 3)), &[-2.0, 3.0, 0.0], &[0.5])?;
/// let mut impulses = [Vector3::zeros()];
/// let report = interior_point::solve(&problem, &Default::default(), &mut impulses)?;
/// assert_eq!(report.status, Status::Solved);
/// assert!((impulses[0] - Vector3::new(4.0, -2.0, 0.0)).norm() < 1e-8);
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
    let mut scaled = Scaled::new(problem);
    let mut point = scaled.start();
    let mut candidate = impulses.to_vec();
    let (mut steps, mut status) = (0, Status::IterationLimit);
    let (mut best, mut idle) = (f64::INFINITY, 0);
    while !record.solved() && steps < settings.max_steps {
        if !scaled.step(&mut point) {
            status = Status::Stalled;
            break;
        }
        steps += 1;
        scaled.impulses(&point, &mut candidate);
        let residual = record.offer(&candidate);
        idle = if residual < best { 0 } else { idle + 1 };
        best = best.min(residual);
        if idle == PATIENCE {
            status = Status::Stalled;
            break;
        }
    }
    Ok(record.finish(impulses, steps, status))
}

/// The problem in second-order cones.
struct Scaled {
    system: System,
    vector: DVector<f64>,
    /// For each contact, the factors that turn `x` into an impulse.
    back: Vec<Vector3<f64>>,
}

/// `x` and `z`, three entries per contact, in the interior of their cones.
struct Point {
    x: DVector<f64>,
    z: DVector<f64>,
}

impl Scaled {
    fn new<D: Delassus>(problem: &Problem<D>) -> Self {
        let n = problem.contact_count();
        let speed = 1.0 / problem.velocity_scale();
        // A congruence with these factors makes the diagonal of G close to one.
        let scale = |i: usize| {
            let root = 1.0 / problem.inverse_masses()[i].sqrt();
            let friction = problem.contacts()[i].friction();
            // Without friction the cone is only the normal.
            if friction > 0.0 {
                Vector3::new(root / friction, root, root)
            } else {
                Vector3::new(root, 0.0, 0.0)
            }
        };
        let free = problem.free_velocity().iter().enumerate();
        let vector = free.flat_map(|(i, free)| {
            let scaled = speed * free.component_mul(&scale(i));
            [scaled.x, scaled.y, scaled.z]
        });
        Self {
            system: System::new(problem, scale),
            vector: DVector::from_iterator(3 * n, vector),
            back: (0..n).map(|i| scale(i) * problem.velocity_scale()).collect(),
        }
    }

    fn start(&self) -> Point {
        let n = self.back.len();
        let size = self.vector.amax().max(1e-3);
        let center = DVector::from_fn(3 * n, |row, _| if row % 3 == 0 { size } else { 0.0 });
        Point { x: center.clone(), z: center }
    }

    fn impulses(&self, point: &Point, impulses: &mut [Vector3<f64>]) {
        for (i, impulse) in impulses.iter_mut().enumerate() {
            *impulse = triple(&point.x, i).component_mul(&self.back[i]);
        }
    }

    /// One predictor-corrector step; `false` if the system is singular or round-off prevents progress.
    fn step(&mut self, point: &mut Point) -> bool {
        let n = self.back.len();
        let vectors: Vec<_> = (0..n).map(|i| triple(&point.x, i)).collect();
        let mut residual = self.vector.clone();
        let mut scalings = Vec::with_capacity(n);
        for i in 0..n {
            let (x, z) = (triple(&point.x, i), triple(&point.z, i));
            let Some(scaling) = Scaling::new(&x, &z) else { return false };
            let slip = z.yz().norm();
            let rest = Vector3::new(z.x - slip, z.y, z.z);
            let mut rows = residual.fixed_rows_mut::<3>(3 * i);
            rows += self.system.product(&vectors, i) - rest;
            scalings.push(scaling);
        }
        let term = |scaling: &Scaling| scaling.slope * scaling.forward * scaling.forward;
        if !self.system.factorize(|i| (None, term(&scalings[i]))) {
            return false;
        }
        // The predictor aims at the end of the central path.
        let mut aim = |target: &dyn Fn(usize, &Scaling) -> Vector3<f64>| {
            let mut right = -&residual;
            let mut aims = Vec::with_capacity(n);
            for (i, scaling) in scalings.iter().enumerate() {
                let aim = scaling.forward * divide(&scaling.middle, &target(i, scaling));
                let mut rows = right.fixed_rows_mut::<3>(3 * i);
                rows += scaling.slope * aim;
                aims.push(aim);
            }
            if !self.system.solve_mut(&mut right) {
                return None;
            }
            let x = right;
            let mut z = DVector::zeros(3 * n);
            for (i, scaling) in scalings.iter().enumerate() {
                let change = aims[i] - scaling.forward * (scaling.forward * triple(&x, i));
                z.fixed_rows_mut::<3>(3 * i).copy_from(&change);
            }
            Some((x, z))
        };
        let Some((x, z)) = aim(&|_, scaling| -product(&scaling.middle, &scaling.middle)) else {
            return false;
        };
        let gap = point.x.dot(&point.z) / self.back.len() as f64;
        let reach = largest_step(point, &x, &z).min(1.0);
        let center = gap * (1.0 - reach).powi(3).max(1e-8);
        let Some((x, z)) = aim(&|i, scaling| {
            let forward = scaling.forward * triple(&x, i);
            let backward = scaling.backward * triple(&z, i);
            let mut target =
                -product(&scaling.middle, &scaling.middle) - product(&forward, &backward);
            target.x += center;
            target
        }) else {
            return false;
        };
        let reach = (0.99 * largest_step(point, &x, &z)).min(1.0);
        point.x += reach * x;
        point.z += reach * z;
        reach > 1e-10 && point.x.iter().chain(&point.z).all(|entry| entry.is_finite())
    }
}

/// The scaling of Nesterov and Todd of one contact: `λ = F x = F⁻¹ z`.
struct Scaling {
    /// `F`.
    forward: Matrix3<f64>,
    /// `F⁻¹`.
    backward: Matrix3<f64>,
    /// `λ`.
    middle: Vector3<f64>,
    /// `Ψ'(z)`.
    slope: Matrix3<f64>,
}

impl Scaling {
    /// `None` if a point has left the interior because of round-off.
    fn new(x: &Vector3<f64>, z: &Vector3<f64>) -> Option<Self> {
        let (size_x, size_z) = (determinant(x), determinant(z));
        let inside = size_x > 0.0 && size_z > 0.0;
        if !inside {
            return None;
        }
        let (unit_x, unit_z) = (x / size_x.sqrt(), z / size_z.sqrt());
        let mirrored = Vector3::new(unit_z.x, -unit_z.y, -unit_z.z);
        let middle = (0.5 * (1.0 + unit_x.dot(&unit_z))).sqrt();
        let w = (unit_x + mirrored) / (2.0 * middle);
        let eta = (size_x / size_z).sqrt().sqrt();
        let root = |w: &Vector3<f64>, scale: f64| {
            let tail = w.yz();
            let corner = nalgebra::Matrix2::identity() + tail * tail.transpose() / (1.0 + w.x);
            scale
                * Matrix3::new(
                    w.x,
                    w.y,
                    w.z, //
                    w.y,
                    corner[(0, 0)],
                    corner[(0, 1)], //
                    w.z,
                    corner[(1, 0)],
                    corner[(1, 1)],
                )
        };
        let backward = root(&w, eta);
        let forward = root(&Vector3::new(w.x, -w.y, -w.z), 1.0 / eta);
        let mut slope = Matrix3::identity();
        let slip = z.yz().norm();
        if slip > 0.0 {
            slope[(0, 1)] = -z.y / slip;
            slope[(0, 2)] = -z.z / slip;
        }
        Some(Self { forward, backward, middle: backward * z, slope })
    }
}

fn triple(vector: &DVector<f64>, contact: usize) -> Vector3<f64> {
    vector.fixed_rows::<3>(3 * contact).into()
}

/// `x₀² − ‖x_T‖²`, without cancellation.
fn determinant(x: &Vector3<f64>) -> f64 {
    let length = x.yz().norm();
    (x.x - length) * (x.x + length)
}

/// Jordan product `a ∘ b`.
fn product(a: &Vector3<f64>, b: &Vector3<f64>) -> Vector3<f64> {
    Vector3::new(a.dot(b), a.x * b.y + b.x * a.y, a.x * b.z + b.x * a.z)
}

/// The `y` with `a ∘ y = b`.
fn divide(a: &Vector3<f64>, b: &Vector3<f64>) -> Vector3<f64> {
    let (tail_a, tail_b) = (a.yz(), b.yz());
    let head = (a.x * b.x - tail_a.dot(&tail_b)) / determinant(a);
    let tail = (tail_b - head * tail_a) / a.x;
    Vector3::new(head, tail.x, tail.y)
}

/// The largest step, at most 10, that keeps all points in their cones.
fn largest_step(point: &Point, x: &DVector<f64>, z: &DVector<f64>) -> f64 {
    let mut largest = 10.0_f64;
    for i in 0..x.len() / 3 {
        for (from, along) in [(&point.x, x), (&point.z, z)] {
            largest = largest.min(step_to_edge(&triple(from, i), &triple(along, i)));
        }
    }
    largest
}

/// The step along `along` at which `from`, inside the cone, reaches its boundary.
fn step_to_edge(from: &Vector3<f64>, along: &Vector3<f64>) -> f64 {
    // c + 2 b t + a t² = 0 for the determinant, and the head must not become negative.
    let a = determinant(along);
    let b = from.x * along.x - from.yz().dot(&along.yz());
    let c = determinant(from);
    let discriminant = b * b - a * c;
    let edge = if discriminant < 0.0 {
        f64::INFINITY
    } else if b < 0.0 {
        c / (-b + discriminant.sqrt())
    } else if a < 0.0 {
        (b + discriminant.sqrt()) / -a
    } else {
        f64::INFINITY
    };
    if along.x < 0.0 { edge.min(-from.x / along.x) } else { edge }
}
