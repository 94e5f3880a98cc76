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
/// (Cottle, Pang & Stone 1992, theorem 4.4.11). In general only that this path is blocked.
#[derive(Clone, Debug, PartialEq)]
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
    /// The largest natural-map residual of the four complementary pairs: `z` and its direction, each
    /// with `w` and its rate. Those of `w` are relative to the largest `|q_i|`, those of its rate are
    /// relative to the largest of 1 and `|M_ij|`.
    ///
    /// # Panics
    ///
    /// When the ray has not the size of `problem`.
    #[must_use]
    pub fn violation(&self, problem: &Problem) -> f64 {
        let covered = &self.covering * self.artificial_rate;
        let rate = problem.matrix() * &self.direction + covered;
        let slack = problem.slack(&self.z) + &self.covering * self.artificial;
        let (slack_scale, rate_scale) = (problem.scale(), problem.matrix().amax().max(1.0));
        let mut violation = (-self.artificial).max(-self.artificial_rate).max(0.0);
        for i in 0..self.z.len() {
            let (w, w_rate) = (slack[i] / slack_scale, rate[i] / rate_scale);
            for z in [self.z[i] / slack_scale, self.direction[i]] {
                violation = violation.max(z.min(w).abs()).max(z.min(w_rate).abs());
            }
        }
        if violation.is_finite() { violation } else { f64::INFINITY }
    }
}

impl Workspace {
    /// The ray along which the variable of `column` grows without limit.
    pub(super) fn secondary_ray(&self, column: usize) -> Ray {
        let (dictionary, scaling) = (&self.dictionary, &self.scaling);
        let n = dictionary.size();
        let artificial = dictionary.artificial();
        let value = |variable| match dictionary.place(variable) {
            Place::Row(row) => dictionary.values()[row].max(0.0),
            Place::Column(_) => 0.0,
        };
        let rate = |variable| rate(dictionary, variable, column);
        let mut direction = DVector::from_fn(n, |i, _| scaling.unscale_z(i, rate(n + i)));
        let mut artificial_rate = scaling.unscale_level(rate(artificial));
        let largest = direction.amax().max(artificial_rate.abs());
        if largest > 0.0 {
            direction /= largest;
            artificial_rate /= largest;
        }
        Ray {
            z: DVector::from_fn(n, |i, _| scaling.unscale_z(i, value(n + i))),
            artificial: scaling.unscale_level(value(artificial)),
            direction,
            artificial_rate,
            covering: DVector::from_fn(n, |i, _| scaling.unscale_row(i, self.covering[i])),
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
