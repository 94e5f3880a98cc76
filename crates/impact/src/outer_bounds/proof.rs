//! The evaluation of a bound from its multipliers, with outward rounding.

use nalgebra::{DMatrix, DVector};

use super::interval::{Interval, dot, entries, product};
use crate::Problem;

/// Multipliers of a bound; any values are valid, good ones give tight bounds.
pub(super) struct Multipliers {
    /// `x`: the direction in which the impulses are weighed, a velocity (length `n_v`).
    pub(super) impulses: DVector<f64>,
    /// `w`: the direction that the energy bounds, a velocity (length `n_v`).
    pub(super) ball: DVector<f64>,
    /// `ν` (one for each contact); negative entries count as zero.
    pub(super) normals: DVector<f64>,
}

/// A problem, and what is known of all its outcomes before any multiplier.
#[derive(Debug)]
pub(super) struct Proof<'a> {
    problem: &'a Problem,
    mass: DMatrix<f64>,
    /// `k`: a velocity that impulses do not change.
    center: DVector<f64>,
    /// `v_f − k`.
    start: Vec<Interval>,
    /// `J k`.
    center_contact: Vec<Interval>,
    /// Approach at the end that still counts as none (m/s).
    tolerance: f64,
    /// Relative rounding of the elimination of joints, zero without joints.
    joints: f64,
    /// Upper bound of `√(v_f M v_f)`.
    whole: f64,
    /// Upper bound of `√(z M z)` for `z = v⁺ − k`.
    pub(super) radius: f64,
    /// Upper bound of the sum of the normal impulses (N·s).
    pub(super) impulse: f64,
    /// Upper bounds of `|z_j|` for `z M z ≤ 1`.
    components: Vec<f64>,
}

impl<'a> Proof<'a> {
    /// States the facts about `problem`: `growth` is a direction in which all impulses push, `center` a
    /// velocity that they should not change.
    pub(super) fn new(
        problem: &'a Problem,
        mass: DMatrix<f64>,
        tolerance: f64,
        growth: Option<&DVector<f64>>,
        center: DVector<f64>,
    ) -> Self {
        let zero = DVector::zeros(problem.dimension());
        let has_joints = problem.bilateral_jacobian().nrows() > 0;
        let smallest = smallest_eigenvalue(&mass);
        let components = mass.diagonal().map(|entry| {
            (Interval::from(entry) * smallest.into()).low.max(0.0).sqrt().next_down().max(0.0)
        });
        let mut proof = Self {
            problem,
            mass,
            start: entries(&problem.free_velocity()),
            center_contact: vec![Interval::ZERO; problem.contact_jacobian().nrows()],
            center: zero,
            tolerance,
            joints: if has_joints { problem.rounding() } else { 0.0 },
            whole: 0.0,
            radius: 0.0,
            impulse: f64::INFINITY,
            components: components.iter().map(|root| (1.0 / root).next_up()).collect(),
        };
        proof.whole = proof.norm(&proof.start);
        proof.whole += proof.joints * proof.norm(&entries(problem.velocity()));
        proof.radius = proof.whole;
        proof.impulse = proof.impulse_bound(growth);
        proof.move_center(center);
        // The smaller ball bounds the impulses more closely.
        proof.impulse = proof.impulse.min(proof.impulse_bound(growth));
        proof
    }

    /// `r · M (v⁺ − v_f) ≥ c Σ Λ_n`, and the left side is at most `‖r‖ R − r · M z_f`.
    fn impulse_bound(&self, growth: Option<&DVector<f64>>) -> f64 {
        if self.problem.contacts().is_empty() {
            return 0.0;
        }
        let Some(growth) = growth else { return f64::INFINITY };
        let growth = entries(growth);
        let constant = -self.cone_excess(&growth.iter().map(|r| -*r).collect::<Vec<_>>());
        let way = Interval::from(self.norm(&growth)) * self.radius.into()
            - dot(&growth, &product(&self.mass, &self.start))
            + Interval::from(self.start_error() * self.norm(&growth));
        let bound = (way.high / constant).next_up();
        if constant > 0.0 && bound.is_finite() { bound.max(0.0) } else { f64::INFINITY }
    }

    /// Takes the energy relative to `center`: `‖v⁺ − k‖² ≤ ‖v_f − k‖² − 2 (J k) · Λ`.
    fn move_center(&mut self, center: DVector<f64>) {
        let k = entries(&center);
        let start: Vec<_> = self.start.iter().zip(&k).map(|(v, k)| *v - *k).collect();
        let change = Interval::from(2.0) * self.work(&k).into();
        let error = self.start_error();
        let radius = Interval::from(self.norm(&start)) + error.into();
        let radius = (radius.square() + change).root();
        if radius < self.radius {
            self.radius = radius;
            self.start = start;
            self.center_contact = product(self.problem.contact_jacobian(), &k);
            self.center = center;
        }
    }

    /// Upper bound of `|(J k) · Λ|`.
    fn work(&self, k: &[Interval]) -> f64 {
        let negative: Vec<_> = k.iter().map(|k| -*k).collect();
        self.times_impulse(self.cone_excess(k).max(self.cone_excess(&negative)))
    }

    fn times_impulse(&self, excess: f64) -> f64 {
        if excess <= 0.0 {
            return 0.0;
        }
        let bound = (excess * self.impulse).next_up();
        if bound.is_nan() { f64::INFINITY } else { bound }
    }

    /// Error of `v_f` in the metric of kinetic energy.
    fn start_error(&self) -> f64 {
        if self.joints == 0.0 { 0.0 } else { self.joints * self.whole }
    }

    /// Upper bound of `√(x M x)`.
    fn norm(&self, x: &[Interval]) -> f64 {
        dot(x, &product(&self.mass, x)).root()
    }

    /// Upper bound of `(J x) · Λ` for impulses in the cones with `Σ Λ_n ≤ 1`, also below zero if all contacts
    /// are: the largest `(J x)_n + μ ‖(J x)_t‖`.
    fn cone_excess(&self, x: &[Interval]) -> f64 {
        let push = product(self.problem.contact_jacobian(), x);
        let mut largest = f64::NEG_INFINITY;
        let error = if self.joints == 0.0 { 0.0 } else { self.joints * self.norm(x) };
        let sizes = self.problem.free_row_sizes();
        for (index, contact) in self.problem.contacts().iter().enumerate() {
            let rows = self.problem.rows(index);
            let tangents = &push[rows.start + 1..rows.end];
            let slip = tangents.iter().fold(Interval::ZERO, |sum, t| sum + t.square()).root();
            let mut value = push[rows.start] + Interval::from(contact.friction) * slip.into();
            if error > 0.0 {
                let size = sizes[rows.start]
                    + contact.friction * sizes.rows_range(rows.start + 1..rows.end).norm();
                value = value + Interval::from(error * size);
            }
            largest = largest.max(value.high);
        }
        if largest.is_nan() { f64::INFINITY } else { largest }
    }

    /// Upper bound of `a · z + ν · N z − w · M z` for all outcomes, without the part that the energy bounds;
    /// and an upper bound of `‖w‖`.
    fn parts(&self, functional: &DVector<f64>, multipliers: &Multipliers) -> (Interval, f64) {
        let (x, w) = (entries(&multipliers.impulses), entries(&multipliers.ball));
        let sum: Vec<_> = x.iter().zip(&w).map(|(x, w)| *x + *w).collect();
        let momentum = product(&self.mass, &sum);
        let mut rest: Vec<_> =
            functional.iter().zip(&momentum).map(|(a, p)| Interval::from(*a) - *p).collect();
        let mut bound = Interval::ZERO;
        let jacobian = self.problem.contact_jacobian();
        for (index, nu) in multipliers.normals.iter().enumerate().filter(|(_, nu)| **nu > 0.0) {
            let row = self.problem.rows(index).start;
            let nu = Interval::from(*nu);
            for (j, rest) in rest.iter_mut().enumerate() {
                *rest = *rest + nu * jacobian[(row, j)].into();
            }
            bound = bound + nu * (Interval::from(self.tolerance) + self.center_contact[row]);
        }
        bound = bound + self.remainder(&rest);
        bound = bound + dot(&x, &product(&self.mass, &self.start));
        if self.joints > 0.0 {
            bound = bound + Interval::from(self.start_error() * self.norm(&x));
        }
        bound = bound + self.times_impulse(self.cone_excess(&x)).into();
        (bound, self.norm(&w))
    }

    /// Upper bound of `ρ · z` for what rounding leaves of a functional.
    ///
    /// With joints only its part in the joints counts, since `z` has no other.
    fn remainder(&self, rest: &[Interval]) -> Interval {
        let mut rest = rest.to_vec();
        let mut bound = Interval::ZERO;
        if self.joints > 0.0 {
            let middle = rest.iter().map(|rest| 0.5 * (rest.low + rest.high)).collect();
            let middle = DVector::from_vec(middle);
            let Some(factor) = self.mass.clone().cholesky() else {
                return f64::INFINITY.into();
            };
            let free = factor.solve(&middle);
            let Ok(moved) = self.problem.with_velocity(free.clone()) else {
                return f64::INFINITY.into();
            };
            let size = self.norm(&entries(&moved.free_velocity()))
                + self.joints * self.norm(&entries(&free));
            bound = bound + Interval::from(size) * self.radius.into();
            rest.iter_mut().zip(&middle).for_each(|(rest, m)| *rest = *rest - (*m).into());
        }
        for (rest, component) in rest.iter().zip(&self.components) {
            let size = Interval::from(rest.magnitude()) * (*component).into();
            bound = bound + size * self.radius.into();
        }
        bound
    }

    /// Upper bound of `a · v⁺` for all outcomes; infinite where nothing is proven.
    pub(super) fn upper(&self, functional: &DVector<f64>, multipliers: &Multipliers) -> f64 {
        let (rest, norm) = self.parts(functional, multipliers);
        let center = dot(&entries(functional), &entries(&self.center));
        let bound = (center + rest + Interval::from(norm) * self.radius.into()).high;
        if bound.is_nan() { f64::INFINITY } else { bound }
    }

    /// Lower bound of the kinetic energy of all outcomes (J).
    pub(super) fn least_energy(&self, multipliers: &Multipliers) -> f64 {
        let none = DVector::zeros(self.problem.dimension());
        let (rest, norm) = self.parts(&none, multipliers);
        // 0 ≤ rest + ‖w‖ ‖z‖.
        let length = if norm > 0.0 { (-rest.high / norm).next_down().max(0.0) } else { 0.0 };
        let k = entries(&self.center);
        let momentum = product(&self.mass, &k);
        let error = self.work(&k) + self.start_error() * self.norm(&k);
        let half = Interval::from(0.5);
        let energy = half * dot(&k, &momentum)
            + dot(&momentum, &self.start)
            + half * Interval::from(length).square()
            - Interval::from(error);
        if energy.low.is_nan() { 0.0 } else { energy.low.max(0.0) }
    }

    /// Upper bound of the kinetic energy of all outcomes (J): that before the impact.
    pub(super) fn largest_energy(&self) -> f64 {
        (Interval::from(0.5) * Interval::from(self.whole).square()).high
    }
}

/// Lower bound of the least eigenvalue of `M` scaled to a unit diagonal; zero if none can be proven.
///
/// If the Cholesky factorization of `S − σ I` succeeds in doubles, `S − σ I` has no eigenvalue below
/// `−n γ/(1 − γ)`, `γ = (n + 1) u/(1 − (n + 1) u)` (Rump 2006); scaling changes eigenvalues by `4 n u`.
/// Where `σ` is at least eight times these errors, `σ/2` is proven.
fn smallest_eigenvalue(mass: &DMatrix<f64>) -> f64 {
    let n = mass.nrows();
    let roots = mass.diagonal().map(f64::sqrt);
    let scaled = DMatrix::from_fn(n, n, |i, j| mass[(i, j)] / roots[i] / roots[j]);
    let errors = n as f64 * (n as f64 + 5.0) * f64::EPSILON;
    let mut sigma = 0.5;
    while sigma > 8.0 * errors {
        if succeeds(&scaled, sigma) {
            return 0.5 * sigma;
        }
        sigma *= 0.5;
    }
    0.0
}

/// Whether the Cholesky factorization of `S − σ I` succeeds.
fn succeeds(scaled: &DMatrix<f64>, sigma: f64) -> bool {
    let n = scaled.nrows();
    let mut lower = DMatrix::<f64>::zeros(n, n);
    for j in 0..n {
        let sum: f64 = (0..j).map(|k| lower[(j, k)] * lower[(j, k)]).sum();
        let pivot = scaled[(j, j)] - sigma - sum;
        if pivot.is_nan() || pivot <= 0.0 {
            return false;
        }
        let root = pivot.sqrt();
        lower[(j, j)] = root;
        for i in j + 1..n {
            let sum: f64 = (0..j).map(|k| lower[(i, k)] * lower[(j, k)]).sum();
            lower[(i, j)] = (scaled[(i, j)] - sum) / root;
        }
    }
    true
}
