//! Sections in the coordinates in which velocities are compared: [`Shape`].
//!
//! Moments are divided by the length of their row and angular velocities multiplied by it, so that all components
//! are in N·s and m/s. The half axis of a moment becomes 1 (or 0).

use super::{block::Section, polygon::Polygon};
use crate::friction::single::figures::off_disk;

/// Most tangential components of a contact.
pub(super) const MOST: usize = 5;

/// A section `F`.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    /// A product of ellipsoids.
    Ellipsoids(Vec<Ellipsoid>),
    Polygon(Polygon),
}

/// One factor: an ellipsoid of the components from `first`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ellipsoid {
    pub(super) first: usize,
    pub(super) axes: Vec<f64>,
}

impl Shape {
    /// The section of a contact with `rows` rows, in comparable coordinates.
    pub(super) fn comparable(section: &Section, rows: usize) -> Self {
        if let Section::Polygon(points) = section {
            return Self::Polygon(Polygon::new(points));
        }
        let (axes, firsts) = section.axes(rows);
        let axes: Vec<f64> = axes
            .iter()
            .enumerate()
            .map(|(at, &axis)| if at < 2 { axis } else { f64::from(u8::from(axis > 0.0)) })
            .collect();
        let ends = firsts.iter().skip(1).copied().chain([axes.len()]);
        let factors = firsts
            .iter()
            .zip(ends)
            .map(|(&first, end)| Ellipsoid { first, axes: axes[first..end].to_vec() });
        Self::Ellipsoids(factors.collect())
    }

    /// `σ_F(−u) = max_{f ∈ F} −f·u`.
    pub(super) fn support_against(&self, velocity: &[f64]) -> f64 {
        match self {
            Self::Ellipsoids(factors) => factors
                .iter()
                .map(|Ellipsoid { first, axes }| {
                    let squares = axes.iter().zip(&velocity[*first..]).map(|(a, u)| a * u);
                    norm(squares)
                })
                .sum(),
            Self::Polygon(polygon) => polygon.support([-velocity[0], -velocity[1]]).1,
        }
    }

    /// The largest `σ_F` of velocities whose components are at most 1.
    pub(super) fn largest_support(&self) -> f64 {
        let corners = [[1.0; MOST], [1.0, -1.0, 1.0, 1.0, 1.0]];
        let supports = corners.map(|corner| {
            self.support_against(&corner).max(self.support_against(&corner.map(|u| -u)))
        });
        supports[0].max(supports[1])
    }

    /// The radius of a disc of two components, otherwise `None`.
    fn disc(&self) -> Option<f64> {
        let Self::Ellipsoids(factors) = self else { return None };
        let [Ellipsoid { axes, .. }] = &factors[..] else { return None };
        let [first, second] = axes[..] else { return None };
        (first.to_bits() == second.to_bits()).then_some(first)
    }

    /// The distance of `p` from `radius` times `F`; infinite if a component without a half axis is not zero.
    pub(super) fn outside(&self, radius: f64, p: &[f64]) -> f64 {
        if let Some(first) = self.disc() {
            return (norm(p.iter().copied()) - radius * first).max(0.0);
        }
        if let Self::Polygon(polygon) = self {
            return polygon.outside(radius, [p[0], p[1]]);
        }
        let mut nearest = [0.0; MOST];
        self.project(radius, p, &mut nearest);
        norm(p.iter().zip(&nearest).map(|(p, q)| p - q))
    }

    /// `‖p − Π(p − u)‖` with the projection `Π` on `radius` times `F`.
    pub(super) fn natural_map(&self, radius: f64, p: &[f64], u: &[f64]) -> f64 {
        if let Some(first) = self.disc() {
            return off_disk([p[0], p[1]], [u[0], u[1]], radius * first);
        }
        if let Self::Polygon(polygon) = self {
            return polygon.natural_map(radius, [p[0], p[1]], [u[0], u[1]]);
        }
        let mut trial = [0.0; MOST];
        let mut nearest = [0.0; MOST];
        let n = p.len();
        for at in 0..n {
            trial[at] = p[at] - u[at];
        }
        self.project(radius, &trial[..n], &mut nearest);
        norm((0..n).map(|at| {
            // Where the trial is kept, the difference is the velocity without rounding.
            let kept = nearest[at].to_bits() == trial[at].to_bits();
            if kept { u[at] } else { p[at] - nearest[at] }
        }))
    }

    /// The point of `radius` times `F` nearest to `p`.
    fn project(&self, radius: f64, p: &[f64], nearest: &mut [f64; MOST]) {
        match self {
            Self::Ellipsoids(factors) => {
                for factor in factors {
                    let range = factor.first..factor.first + factor.axes.len();
                    factor.project(radius, &p[range.clone()], &mut nearest[range]);
                }
            }
            Self::Polygon(polygon) => {
                nearest[..2].copy_from_slice(&polygon.project(radius, [p[0], p[1]]));
            }
        }
    }
}

impl Ellipsoid {
    /// With half axes `h_i = r a_i` the nearest point is `h_i² p_i/(h_i² + t)` with the root `t ≥ 0` of
    /// `Σ (h_i p_i/(h_i² + t))² = 1`, whose left side is convex and falls.
    fn project(&self, radius: f64, p: &[f64], nearest: &mut [f64]) {
        let half = |at: usize| radius * self.axes[at];
        let inside = |t: f64| {
            norm((0..p.len()).map(|at| {
                let h = half(at);
                if h > 0.0 { h / (h * h + t) * p[at] } else { 0.0 }
            }))
        };
        if inside(0.0) <= 1.0 {
            for at in 0..p.len() {
                nearest[at] = if half(at) > 0.0 { p[at] } else { 0.0 };
            }
            return;
        }
        let mut t = 0.0;
        for _ in 0..100 {
            let size = inside(t);
            let slope: f64 = (0..p.len())
                .map(|at| {
                    let h = half(at);
                    let y = if h > 0.0 { h / (h * h + t) * p[at] } else { 0.0 };
                    if h > 0.0 { y / size * (y / (h * h + t)) } else { 0.0 }
                })
                .sum();
            // Newton's step on 1/size − 1, which is concave and nearly linear.
            let step = (size - 1.0) * size / slope;
            if !(step.is_finite() && step > 0.0) {
                break;
            }
            t += step;
            if step <= 1e-16 * t {
                break;
            }
        }
        for at in 0..p.len() {
            let h = half(at);
            nearest[at] = if h > 0.0 { h * h / (h * h + t) * p[at] } else { 0.0 };
        }
        // To the boundary, whatever is left of the root.
        let size =
            norm((0..p.len()).map(|at| if half(at) > 0.0 { nearest[at] / half(at) } else { 0.0 }));
        if size > 0.0 && size.is_finite() {
            nearest.iter_mut().for_each(|entry| *entry /= size);
        }
    }
}

/// `√Σ x²` of numbers of any size.
pub(super) fn norm(x: impl Iterator<Item = f64>) -> f64 {
    x.fold(0.0, crate::friction::cone::length)
}
