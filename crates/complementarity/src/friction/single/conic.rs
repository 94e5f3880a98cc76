//! The boundary of the friction cone of a contact that stays closed, in the plane of its tangential impulses.
//!
//! With `y = r (cos α, sin α)` the boundary is the conic
//!
//! ```math
//! r = \mu b_n/f(\alpha),\qquad f(\alpha) = A_{nn} + \mu\, a\cdot(\cos\alpha, \sin\alpha),
//! ```
//!
//! an ellipse, a parabola or, for strong friction and coupling, a branch of a hyperbola. Two conditions on it
//! are [trigonometric polynomials](TrigonometricPolynomial) of degree two in `α`, with `e = (cos α, sin α)` and
//! `P`, `q` of the [energy](super):
//!
//! - the slip `P y − q` is parallel to `y`: `μ b_n e_⊥ᵀ P e − f e_⊥ᵀ q = 0` ([`Conic::slip`]);
//! - the slope of the energy along the boundary vanishes: its tangent is
//!   `d = (−A_nn sin α − μ A_no, A_nn cos α + μ A_nt)`, so `μ b_n dᵀ P e − f dᵀ q = 0` ([`Conic::slope`]).
//!
//! # Source
//!
//! O. Bonnefon, G. Daviet, "Quartic formulation of Coulomb 3D frictional contact", INRIA RT-0400, 2011 (slip);
//! T. Preclik, S. Eibl, U. Rüde, 2017, section 3.2 and appendix A (slope). Both are derived here in this form.

use nalgebra::Vector3;

use super::{Contact, Load};
use crate::friction::trigonometric_polynomial::{Direction, Ray, TrigonometricPolynomial};

/// The conic of one contact for given data `b`.
pub(super) struct Conic<'a> {
    pub(super) contact: &'a Contact,
    pub(super) load: &'a Load,
    /// `μ b_n`.
    pub(super) drive: f64,
    /// The coefficients of `f`: `A_nn` and `μ a`.
    pub(super) level: f64,
    pub(super) tilt: [f64; 2],
}

impl<'a> Conic<'a> {
    #[inline]
    pub(super) fn new(contact: &'a Contact, load: &'a Load) -> Self {
        let [t, o] = contact.coupling();
        let (level, friction) = (contact.block[(0, 0)], contact.friction);
        let tilt = [friction * t, friction * o];
        Self { contact, load, drive: friction * load.normal, level, tilt }
    }

    /// Zero where the slip is parallel to the impulse.
    #[inline]
    pub(super) fn slip(&self) -> TrigonometricPolynomial {
        let [t, o] = self.tilt;
        let [tt, to, oo] = self.contact.schur;
        let [q, p] = self.load.tangent;
        TrigonometricPolynomial {
            constant: -0.5 * (t * p - o * q),
            first: [-self.level * p, self.level * q],
            second: [
                self.drive * to - 0.5 * (t * p + o * q),
                0.5 * (self.drive * (oo - tt) - (o * p - t * q)),
            ],
        }
    }

    /// Proportional to the slope of the energy along the boundary.
    #[inline]
    pub(super) fn slope(&self) -> TrigonometricPolynomial {
        let [t, o] = self.tilt;
        let [tt, to, oo] = self.contact.schur;
        let [q, p] = self.load.tangent;
        let twist = t * p - o * q;
        TrigonometricPolynomial {
            constant: -1.5 * self.level * twist,
            first: [
                self.drive * (t * to - o * tt) - self.level * self.level * p - twist * t,
                self.drive * (t * oo - o * to) + self.level * self.level * q - twist * o,
            ],
            second: [
                self.level * (self.drive * to - 0.5 * (t * p + o * q)),
                0.5 * self.level * (self.drive * (oo - tt) - (o * p - t * q)),
            ],
        }
    }

    /// `f` along `ray`, times its length.
    fn width(&self, ray: &Ray) -> f64 {
        self.level * ray.length + self.tilt[0] * ray.along[0] + self.tilt[1] * ray.along[1]
    }

    /// The impulse along `ray`, if the conic has a point there.
    #[inline]
    pub(super) fn point(&self, ray: &Ray) -> Option<Vector3<f64>> {
        let inverse = 1.0 / self.width(ray);
        let stretch = self.drive * inverse;
        let normal = self.load.normal * ray.length * inverse;
        let exists = stretch > 0.0 && normal.is_finite();
        exists.then(|| Vector3::new(normal, stretch * ray.along[0], stretch * ray.along[1]))
    }

    /// Whether `f` is so small that the angle alone does not determine the point to full precision.
    #[inline]
    pub(super) fn is_thin(&self, ray: &Ray) -> bool {
        let size = self.level + self.tilt[0].abs() + self.tilt[1].abs();
        self.width(ray).abs() <= 0.01 * size * ray.length
    }

    /// The impulse with the tangential part `y` on the boundary.
    pub(super) fn impulse(&self, [t, o]: [f64; 2]) -> Vector3<f64> {
        Vector3::new((t * t + o * o).sqrt() / self.contact.friction, t, o)
    }

    /// The energy's gradient `P y − q`, which is the slip (m/s).
    #[inline]
    pub(super) fn gradient(&self, y: [f64; 2]) -> [f64; 2] {
        let [left, right] = self.contact.apply(y);
        [left - self.load.tangent[0], right - self.load.tangent[1]]
    }

    /// The two directions with `f = 0`, if there are any.
    pub(super) fn asymptotes(&self) -> Option<[Direction; 2]> {
        let length = self.tilt[0].hypot(self.tilt[1]);
        // Minus infinity without a coupling.
        let cosine = -self.level / length;
        let exists = cosine >= -1.0;
        let sine = ((1.0 - cosine) * (1.0 + cosine)).max(0.0).sqrt();
        let toward = [self.tilt[0] / length, self.tilt[1] / length];
        let turned = |sine: f64| Direction {
            cosine: cosine * toward[0] - sine * toward[1],
            sine: cosine * toward[1] + sine * toward[0],
        };
        exists.then(|| [turned(-sine), turned(sine)])
    }
}

#[cfg(test)]
mod tests;
