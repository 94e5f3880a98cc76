//! Secondary rays and their certificate.

use nalgebra::DVector;

use crate::lcp::Problem;

use super::{
    Workspace,
    dictionary::{Dictionary, Place},
};

/// A half-line of almost complementary points, along which Lemke's method finds no solution.
///
/// For every `s ≥ 0` the point `z(s) = z + s·direction`, `t(s) = artificial + s·artificial_rate`
/// satisfies `w = q + M z + d t ≥ 0`, `z ≥ 0`, `t ≥ 0` and `z · w = 0`.
///
/// What it proves depends on `M`: for copositive-plus `M`, that no `z ≥ 0` has `M z + q ≥ 0`
/// (Cottle, Pang & Stone 1992, section 4.4). In general only that this path is blocked.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Ray {
    /// Start of the ray (length `n`).
    pub z: DVector<f64>,
    /// The artificial variable `t` at the start (≥ 0).
    pub artificial: f64,
    /// Direction of the ray (length `n`); with `artificial_rate` its largest entry is 1.
    pub direction: DVector<f64>,
    /// How fast `t` grows along the ray (≥ 0).
    pub artificial_rate: f64,
    /// The covering vector `d > 0` of the path (length `n`).
    pub covering: DVector<f64>,
}

impl Ray {
    /// Largest [`violation`](Self::violation) of a ray that is reported.
    pub const TOLERANCE: f64 = 1e-8;

    /// By how much the ray misses its definition, from problem and ray alone; 0 for an exact ray.
    ///
    /// Where `z` or its direction is positive, `w` and its rate must be zero, elsewhere they must not
    /// be negative. Each is measured relative to the sum of the magnitudes that it is made of,
    /// `|q_i| + Σ |M_ij z_j| + d_i t` and `Σ |M_ij direction_j| + d_i artificial_rate`, so that the
    /// figure does not depend on units. A negative entry of the ray itself, or one that is not finite,
    /// makes it infinite.
    ///
    /// # Panics
    ///
    /// When the ray has not the size of `problem`.
    #[must_use]
    pub fn violation(&self, problem: &Problem) -> f64 {
        let vectors = self.z.iter().chain(&self.direction).chain(&self.covering);
        let is_magnitude = |entry: &f64| entry.is_finite() && *entry >= 0.0;
        if ![self.artificial, self.artificial_rate].iter().chain(vectors).all(is_magnitude) {
            return f64::INFINITY;
        }
        let mut violation = 0.0_f64;
        for i in 0..problem.dimension() {
            let covering = self.covering[i];
            let start = [problem.vector()[i], covering * self.artificial];
            let w = relative_sum(problem, i, &self.z, start);
            let rate =
                relative_sum(problem, i, &self.direction, [0.0, covering * self.artificial_rate]);
            let positive = self.z[i] > 0.0 || self.direction[i] > 0.0;
            let missed = |sum: f64| if positive { sum.abs() } else { (-sum).max(0.0) };
            violation = violation.max(missed(w)).max(missed(rate));
        }
        violation
    }
}

/// `Σ_j M_ij z_j` plus two other terms, relative to the sum of their magnitudes (0 if all are 0).
fn relative_sum(problem: &Problem, i: usize, z: &DVector<f64>, terms: [f64; 2]) -> f64 {
    let products = problem.matrix().row(i).into_iter().zip(z).map(|(m, z)| m * z);
    let (mut sum, mut size) = (0.0, 0.0);
    for term in products.chain(terms) {
        sum += term;
        size += term.abs();
    }
    if size > 0.0 { sum / size } else { 0.0 }
}

impl Workspace {
    /// The ray along which the variable of `column` grows without limit.
    pub(super) fn secondary_ray(&self, problem: &Problem, column: usize) -> Ray {
        let (dictionary, scaling) = (&self.dictionary, problem.scaling());
        let n = dictionary.size();
        let artificial = dictionary.artificial();
        let value = |variable| match dictionary.place(variable) {
            Place::Row(row) => dictionary.values()[row].max(0.0),
            Place::Column(_) => 0.0,
        };
        let rate = |variable| rate(dictionary, variable, column);
        let mut direction = DVector::from_fn(n, |i, _| scaling.unscale_z(i, rate(n + i)));
        let mut artificial_rate = scaling.unscale_artificial(rate(artificial));
        let largest = direction.amax().max(artificial_rate.abs());
        if largest > 0.0 {
            direction /= largest;
            artificial_rate /= largest;
        }
        Ray {
            z: DVector::from_fn(n, |i, _| scaling.unscale_z(i, value(n + i))),
            artificial: scaling.unscale_artificial(value(artificial)),
            direction,
            artificial_rate,
            covering: DVector::from_fn(n, |i, _| scaling.unscale_covering(i, self.covering[i])),
        }
    }
}

/// How fast `variable` grows with the nonbasic variable of `column`.
fn rate(dictionary: &Dictionary, variable: usize, column: usize) -> f64 {
    match dictionary.place(variable) {
        Place::Row(row) => dictionary.column(column)[row].max(0.0),
        Place::Column(own) => f64::from(u8::from(own == column)),
    }
}
