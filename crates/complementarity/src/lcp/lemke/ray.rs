//! Secondary rays and their certificate.

use nalgebra::DVector;

use crate::lcp::Problem;

use super::{
    Workspace,
    dictionary::{Dictionary, Place},
};

/// A sum of products relative to their magnitudes that counts as zero in a proof.
const ROUNDING: f64 = 1e-12;

/// A half-line of almost complementary points on which a path of Lemke's method ends without a solution.
///
/// For every `s ≥ 0` the point `z(s) = z + s·direction`, `t(s) = artificial + s·artificial_rate`
/// satisfies `w = q + M z + d t ≥ 0`, `z ≥ 0`, `t ≥ 0` and `z · w = 0`.
///
/// The conclusion depends on `M`: for copositive-plus `M` the ray proves that no `z ≥ 0` has `M z + q ≥ 0` (Cottle,
/// Pang & Stone 1992, section 4.4). In general it only proves that this path is blocked.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Ray {
    /// Start of the ray (length `n`).
    pub z: DVector<f64>,
    /// The artificial variable `t` at the start (≥ 0).
    pub artificial: f64,
    /// Direction of the ray (length `n`); with `artificial_rate` its largest entry is 1.
    pub direction: DVector<f64>,
    /// Rate of change of `t` along the ray (≥ 0).
    pub artificial_rate: f64,
    /// The covering vector `d > 0` of the path (length `n`).
    pub covering: DVector<f64>,
}

impl Ray {
    /// Maximum [`violation`](Self::violation) of a ray that is reported.
    pub const TOLERANCE: f64 = 1e-8;

    /// The violation of the definition of a ray, computed from the problem and the ray alone; 0 for an exact ray.
    ///
    /// Where `z` or its direction is positive, `w` and its rate must be zero; elsewhere they must not be negative.
    /// Each is measured relative to the sum of the magnitudes of its terms, `|q_i| + Σ |M_ij z_j| + d_i t` and
    /// `Σ |M_ij direction_j| + d_i artificial_rate`, so that the result does not depend on units. It is infinite if
    /// an entry of the ray itself is negative or not finite.
    ///
    /// # Panics
    ///
    /// If the size of the ray is not that of `problem`.
    #[must_use]
    pub fn violation(&self, problem: &Problem) -> f64 {
        let vectors = self.z.iter().chain(&self.direction).chain(&self.covering);
        let is_magnitude = |entry: &f64| entry.is_finite() && *entry >= 0.0;
        if ![self.artificial, self.artificial_rate].iter().chain(vectors).all(is_magnitude) {
            return f64::INFINITY;
        }
        let rate = self.artificial_rate;
        let rows = self.covering.iter().zip(problem.vector().as_slice()).enumerate();
        rows.fold(0.0, |violation: f64, (i, (covering, q))| {
            let mut w = Relative::default();
            let mut change = Relative::default();
            let row = problem.matrix().as_slice()[i..].iter().step_by(self.z.len());
            for ((m, z), direction) in row.zip(self.z.as_slice()).zip(self.direction.as_slice()) {
                w.add(m * z);
                change.add(m * direction);
            }
            w.add(*q);
            w.add(covering * self.artificial);
            change.add(covering * rate);
            let positive = self.z[i] > 0.0 || self.direction[i] > 0.0;
            let missed = |sum: f64| if positive { sum.abs() } else { (-sum).max(0.0) };
            violation.max(missed(w.value())).max(missed(change.value()))
        })
    }

    /// Whether its direction `y` proves that no `z ≥ 0` has `M z + q ≥ 0`: then `y·(M z + q) ≤ y·q < 0`, as `y ≥ 0` and `Mᵀ y ≤ 0`.
    /// Each sum is judged relative to the magnitudes of its terms: what is zero is so to rounding.
    pub(super) fn proves_infeasibility(&self, problem: &Problem) -> bool {
        let y = &self.direction;
        let products = |column: &[f64]| {
            let mut sum = Relative::default();
            column.iter().zip(y.as_slice()).for_each(|(entry, y)| sum.add(entry * y));
            sum.value()
        };
        // A rate of the artificial variable makes the direction one of another problem.
        let is_own = self.artificial_rate <= ROUNDING;
        is_own
            && products(problem.vector().as_slice()) < -Self::TOLERANCE
            && problem
                .matrix()
                .as_slice()
                .chunks_exact(y.len())
                .all(|column| products(column) <= ROUNDING)
    }
}

/// A sum, and that of the magnitudes of its terms.
#[derive(Clone, Copy, Default)]
struct Relative {
    sum: f64,
    size: f64,
}

impl Relative {
    fn add(&mut self, term: f64) {
        self.sum += term;
        self.size += term.abs();
    }

    /// The sum relative to the sum of the magnitudes (0 if all are 0).
    fn value(self) -> f64 {
        if self.size > 0.0 { self.sum / self.size } else { 0.0 }
    }
}

impl Workspace {
    /// The ray along which the variable of `column` grows without limit, in the memory of an earlier one.
    pub(super) fn secondary_ray(&mut self, problem: &Problem, column: usize) -> Ray {
        let mut ray = self.spare_ray.take().unwrap_or_else(Ray::empty);
        let (dictionary, scaling) = (&self.dictionary, problem.scaling());
        let n = dictionary.size();
        ray.resize(n);
        let artificial = dictionary.artificial();
        let value = |variable| match dictionary.place(variable) {
            Place::Row(row) => dictionary.values()[row].max(0.0),
            Place::Column(_) => 0.0,
        };
        let rate = |variable| rate(dictionary, variable, column);
        ray.artificial = scaling.unscale_artificial(value(artificial));
        ray.artificial_rate = scaling.unscale_artificial(rate(artificial));
        let vectors = ray.z.iter_mut().zip(&mut ray.direction).zip(&mut ray.covering);
        let mut largest = ray.artificial_rate;
        for (i, ((z, direction), covering)) in vectors.enumerate() {
            *z = scaling.unscale_z(i, value(n + i));
            *direction = scaling.unscale_z(i, rate(n + i));
            *covering = scaling.unscale_covering(i, self.covering[i]);
            largest = direction.abs().max(largest);
        }
        // Not zero: `w` is a function of `z` and `t`, so one of these grows.
        ray.direction /= largest;
        ray.artificial_rate /= largest;
        ray
    }

    /// Drops the ray of an earlier solve or path, and keeps its memory.
    pub(super) fn forget_ray(&mut self) {
        if let Some(ray) = self.ray.take() {
            self.spare_ray = Some(ray);
        }
    }
}

impl Ray {
    fn empty() -> Self {
        let none = DVector::zeros(0);
        Self {
            z: none.clone(),
            artificial: 0.0,
            direction: none.clone(),
            artificial_rate: 0.0,
            covering: none,
        }
    }

    fn resize(&mut self, n: usize) {
        for vector in [&mut self.z, &mut self.direction, &mut self.covering] {
            if vector.len() != n {
                vector.resize_vertically_mut(n, 0.0);
            }
        }
    }
}

/// Rate of change of `variable` with the nonbasic variable of `column`.
fn rate(dictionary: &Dictionary, variable: usize, column: usize) -> f64 {
    match dictionary.place(variable) {
        Place::Row(row) => dictionary.column(column)[row].max(0.0),
        Place::Column(own) => f64::from(u8::from(own == column)),
    }
}

#[cfg(test)]
mod tests;
