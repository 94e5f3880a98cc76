//! Points of a ball by their secular equation: [`Secular`].
//!
//! With `P` symmetric positive semidefinite, find `y` and `s ≥ 0` with
//!
//! ```math
//! (P + s I)\, y = q, \qquad \|y\| \le r(y) = \text{level} - \text{slope} \cdot y, \qquad s = 0 \ \text{or}\ \|y\| = r(y) .
//! ```
//!
//! In the eigenvectors of `P` this is one equation for `s`. For `level > 0` the function `‖y(s)‖ − r(y(s))` is
//! negative for large `s`; where it is not positive at `s = 0` the point `P y = q` is the answer, elsewhere there is
//! a root between. Without a slope it falls, and the root is the only one.
//!
//! # Source
//!
//! J. J. Moré, D. C. Sorensen, "Computing a trust region step", *SIAM Journal on Scientific and Statistical
//! Computing* 4 (1983) 553–572 (the secular equation); the slope is derived here.

use nalgebra::DMatrix;

use super::shape::{MOST, norm};

/// The eigenvectors of a matrix of at most [`MOST`] rows.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Secular {
    size: usize,
    values: [f64; MOST],
    /// One eigenvector a row.
    vectors: [[f64; MOST]; MOST],
}

impl Secular {
    /// Of a symmetric positive semidefinite matrix.
    pub(super) fn new(matrix: &DMatrix<f64>) -> Self {
        let size = matrix.nrows();
        let eigen = matrix.clone().symmetric_eigen();
        let largest = eigen.eigenvalues.amax();
        let (mut values, mut vectors) = ([0.0; MOST], [[0.0; MOST]; MOST]);
        for (k, vector) in eigen.eigenvectors.column_iter().enumerate() {
            let value = eigen.eigenvalues[k];
            // Below this an eigenvalue is rounding.
            values[k] = if value > 1e-15 * largest { value } else { 0.0 };
            vectors[k][..size].copy_from_slice(vector.as_slice());
        }
        Self { size, values, vectors }
    }

    /// The point `y` for `q`, or `None` if no `s` is found, as for `level ≤ 0`.
    pub(super) fn solve(&self, q: &[f64], level: f64, slope: &[f64], y: &mut [f64]) -> Option<()> {
        let q = self.turned(q);
        let slope = self.turned(slope);
        let size = norm(q.iter().copied());
        if size == 0.0 && level >= 0.0 {
            y.fill(0.0);
            return Some(());
        }
        if !(level > 0.0 && level.is_finite() && size.is_finite()) {
            return None;
        }
        let stick = self.at(&q, 0.0, size);
        let excess = |y: &[f64; MOST]| {
            let radius = (0..self.size).fold(level, |sum, k| sum - slope[k] * y[k]);
            norm(y.iter().copied()) - radius
        };
        if let Some(stick) = &stick
            && excess(stick) <= 0.0
        {
            self.back(stick, y);
            return Some(());
        }
        let found = self.root(&q, size, level, &slope, excess)?;
        self.back(&found, y);
        Some(())
    }

    /// `y` at `s`, by the eigenvectors; `None` if it is infinite.
    fn at(&self, q: &[f64; MOST], s: f64, size: f64) -> Option<[f64; MOST]> {
        let mut y = [0.0; MOST];
        for k in 0..self.size {
            let lead = self.values[k] + s;
            if lead > 0.0 {
                y[k] = q[k] / lead;
            } else if q[k].abs() > 1e-14 * size {
                return None;
            }
        }
        Some(y)
    }

    /// A root, by Newton's method between bounds.
    fn root(
        &self,
        q: &[f64; MOST],
        size: f64,
        level: f64,
        slope: &[f64; MOST],
        excess: impl Fn(&[f64; MOST]) -> f64,
    ) -> Option<[f64; MOST]> {
        let value = |s: f64| self.at(q, s, size).map(|y| (excess(&y), y));
        let mut high = size / level;
        let mut steps = 0;
        while value(high)?.0 > 0.0 {
            high *= 4.0;
            steps += 1;
            if steps > 600 || !high.is_finite() {
                return None;
            }
        }
        let mut low = high;
        steps = 0;
        while value(low)?.0 <= 0.0 {
            low *= 0.25;
            steps += 1;
            if steps > 600 || low <= 0.0 {
                return None;
            }
        }
        let mut s = 0.5 * (low + high);
        for _ in 0..200 {
            let (miss, y) = value(s)?;
            if miss > 0.0 {
                low = s;
            } else {
                high = s;
            }
            let length = norm(y.iter().copied());
            let fall: f64 = (0..self.size)
                .map(|k| (y[k] / length + slope[k]) * y[k] / (self.values[k] + s))
                .sum();
            let newton = s + miss / fall;
            let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
            if (next - s).abs() <= 2.0 * f64::EPSILON * s || miss == 0.0 {
                break;
            }
            s = next;
        }
        self.at(q, s, size)
    }

    /// `P y`, without the part of rounding.
    pub(super) fn apply(&self, y: &[f64], product: &mut [f64]) {
        let mut turned = self.turned(y);
        for (turned, value) in turned.iter_mut().zip(&self.values) {
            *turned *= value;
        }
        self.back(&turned, product);
    }

    fn turned(&self, x: &[f64]) -> [f64; MOST] {
        let mut turned = [0.0; MOST];
        for (turned, vector) in turned.iter_mut().zip(&self.vectors).take(self.size) {
            *turned = vector.iter().zip(x).map(|(v, x)| v * x).sum();
        }
        turned
    }

    fn back(&self, turned: &[f64; MOST], y: &mut [f64]) {
        for (i, y) in y.iter_mut().enumerate() {
            *y = (0..self.size).map(|k| self.vectors[k][i] * turned[k]).sum();
        }
    }
}
