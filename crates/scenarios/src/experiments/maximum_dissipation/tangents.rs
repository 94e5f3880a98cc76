//! The plane of tangential impulses of one contact that stays closed.
//!
//! The normal impulse follows from the tangential one, `x_n = (b_n − a·y)/A_nn`. Friction limits the
//! tangential impulse to the inside of a conic, `r(α) = μ b_n/f(α)` in polar coordinates with
//! `f = A_nn + μ a·(cos α, sin α) > 0`. The energy is a quadratic function of `y`.

use std::f64::consts::{PI, TAU};

use nalgebra::{Matrix2, Vector2, Vector3};
use percussion_complementarity::friction::single::Contact;

/// A contact, and the negative of its velocity before the impact (m/s).
#[derive(Clone, Copy, Debug)]
pub(super) struct Tangents {
    pub(super) contact: Contact,
    pub(super) load: Vector3<f64>,
}

impl Tangents {
    /// `f(α)` (1/kg).
    pub(super) fn width(&self, angle: f64) -> f64 {
        let (sine, cosine) = angle.sin_cos();
        let (block, friction) = (self.contact.block(), self.contact.friction());
        block[(0, 0)] + friction * (block[(0, 1)] * cosine + block[(0, 2)] * sine)
    }

    /// The impulse at an angle of the conic; on the mirrored branch, where `f < 0`, the contact pulls.
    pub(super) fn on_conic(&self, angle: f64) -> Vector3<f64> {
        let (sine, cosine) = angle.sin_cos();
        let normal = self.load.x / self.width(angle);
        let length = self.contact.friction() * normal;
        Vector3::new(normal, length * cosine, length * sine)
    }

    /// The energy at an angle of the conic (J).
    pub(super) fn energy(&self, angle: f64) -> f64 {
        self.contact.energy(&self.load, &self.on_conic(angle))
    }

    /// The angles from `−π` to `π` at which the conic goes to infinity.
    pub(super) fn poles(&self) -> Vec<f64> {
        let (block, friction) = (self.contact.block(), self.contact.friction());
        let [t, o] = [block[(0, 1)], block[(0, 2)]];
        let cosine = -block[(0, 0)] / (friction * t.hypot(o));
        if cosine < -1.0 || cosine.is_nan() {
            return Vec::new();
        }
        let wrapped = |angle: f64| angle - TAU * (angle / TAU).round();
        let (toward, apart) = (o.atan2(t), cosine.acos());
        vec![wrapped(toward - apart), wrapped(toward + apart)]
    }

    /// The part of the conic, or with `mirrored` of its other branch, inside the window.
    pub(super) fn conic(&self, window: &Window, mirrored: bool) -> Vec<[f64; 2]> {
        let sign = if mirrored { -1.0 } else { 1.0 };
        window.clip(steps(3600).map(|angle| {
            let x = self.on_conic(angle);
            if sign * x.x > 0.0 { [x.y, x.z] } else { [f64::NAN; 2] }
        }))
    }

    /// The tangential impulse of least energy without a friction bound, and that energy.
    pub(super) fn free_minimum(&self) -> ([f64; 2], f64) {
        let (hessian, slope) = self.quadratic();
        let at = hessian.try_inverse().unwrap_or_default() * slope;
        (at.into(), self.base() - 0.5 * slope.dot(&at))
    }

    /// The part of the ellipse of an energy inside the window; empty below the least energy.
    pub(super) fn contour(&self, energy: f64, window: &Window) -> Vec<[f64; 2]> {
        let (hessian, _) = self.quadratic();
        let (center, least) = self.free_minimum();
        let Some(factor) = hessian.cholesky() else { return Vec::new() };
        if energy <= least {
            return Vec::new();
        }
        let radius = (2.0 * (energy - least)).sqrt();
        window.clip(steps(720).map(|angle| {
            let direction = Vector2::new(angle.cos(), angle.sin()) * radius;
            let y = factor.l().transpose().solve_upper_triangular(&direction).unwrap_or_default();
            [center[0] + y.x, center[1] + y.y]
        }))
    }

    /// `P` and `q` of the energy `½ yᵀ P y − qᵀ y − b_n²/(2 A_nn)`.
    fn quadratic(&self) -> (Matrix2<f64>, Vector2<f64>) {
        let block = self.contact.block();
        let coupling = Vector2::new(block[(0, 1)], block[(0, 2)]);
        let tangential = block.fixed_view::<2, 2>(1, 1);
        (
            tangential - coupling * coupling.transpose() / block[(0, 0)],
            self.load.yz() - coupling * (self.load.x / block[(0, 0)]),
        )
    }

    fn base(&self) -> f64 {
        -0.5 * self.load.x * self.load.x / self.contact.block()[(0, 0)]
    }
}

/// `count` steps from `−π` to `π`.
pub(super) fn steps(count: i32) -> impl Iterator<Item = f64> {
    (0..=count).map(move |i| PI * (2.0 * f64::from(i) / f64::from(count) - 1.0))
}

/// The part of a plane that a figure shows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) low: [f64; 2],
    pub(super) high: [f64; 2],
}

impl Window {
    /// The points inside; a NaN point interrupts the line where points are omitted.
    pub(super) fn clip(&self, points: impl Iterator<Item = [f64; 2]>) -> Vec<[f64; 2]> {
        let inside =
            |point: &[f64; 2]| (0..2).all(|k| (self.low[k]..=self.high[k]).contains(&point[k]));
        let mut clipped: Vec<[f64; 2]> = Vec::new();
        for point in points {
            if inside(&point) {
                clipped.push(point);
            } else if clipped.last().is_some_and(|last| !last[0].is_nan()) {
                clipped.push([f64::NAN; 2]);
            }
        }
        clipped
    }
}
