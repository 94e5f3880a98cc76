//! Spatial vectors in the plane and in space, so that each algorithm is written once.
//!
//! A [`Spatial`] vector combines the linear and the angular part of a motion or of a force, both in world axes and
//! about one point `O`. A motion is the velocity of the point of the body at `O` and the angular velocity, `(v, ω)`;
//! a force is the resultant and the moment about `O`, `(f, n)`. Their product is the power `v · f + ω · n`. The
//! [`Inertia`] of a body with mass `m`, center of mass `c` (from `O`) and moments `I_O` about `O` maps a motion to a
//! momentum,
//!
//! ```math
//! \begin{pmatrix} p \\ h \end{pmatrix}
//! = \begin{pmatrix} m v + \omega \times m c \\ I_O\, \omega + m c \times v \end{pmatrix},
//! ```
//!
//! and inertias about the same point add. Vectors that are fixed to a body that moves at `V` change at the rates
//! `V × m` (motions) and `V ×* f` (forces),
//!
//! ```math
//! V \times m = \begin{pmatrix} \omega \times m_v + v \times m_\omega \\ \omega \times m_\omega
//! \end{pmatrix}, \qquad
//! V \times^* f = \begin{pmatrix} \omega \times f \\ \omega \times n + v \times f \end{pmatrix}.
//! ```
//!
//! In the [`Plane`] the linear part has two entries and the angular part, about `z`, is one number.
//!
//! # Source
//!
//! R. Featherstone, *Rigid Body Dynamics Algorithms*, Springer 2008, chapter 2 (with the angular part
//! first) and section 2.16 (planar vectors).

use std::{
    fmt::Debug,
    ops::{Add, AddAssign, Mul, Neg, Sub},
};

use nalgebra::{Matrix3, UnitQuaternion, Vector3};

use crate::system::Dimension;

mod plane;
mod space;

pub(super) use plane::Plane;
pub(super) use space::Space;

/// A vector, which can be added and scaled.
pub(super) trait Vector:
    Copy
    + Debug
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Neg<Output = Self>
    + Mul<f64, Output = Self>
{
}

impl<T> Vector for T where
    T: Copy
        + Debug
        + Send
        + Sync
        + Add<Output = T>
        + Sub<Output = T>
        + Neg<Output = T>
        + Mul<f64, Output = T>
{
}

/// The plane or space, with its vectors, rotations, inertias and products.
pub(super) trait Geometry: Copy + Debug + Send + Sync + 'static {
    const DIMENSION: Dimension;
    /// Positions, velocities of points, forces.
    type Linear: Vector;
    /// Angular velocities and moments.
    type Angular: Vector;
    /// Rotation from body to world axes.
    type Rotation: Copy + Debug + Send + Sync;
    /// Moments of inertia.
    type Moments: Vector;
    /// Symmetric map from motions to forces, of which an [`Inertia`] is a special case.
    type Tensor: Copy + Debug + Send + Sync;

    fn linear(vector: &Vector3<f64>) -> Self::Linear;
    fn linear_to_vector(linear: Self::Linear) -> Vector3<f64>;
    fn angular(vector: &Vector3<f64>) -> Self::Angular;
    fn angular_to_vector(angular: Self::Angular) -> Vector3<f64>;
    fn moments(tensor: &Matrix3<f64>) -> Self::Moments;
    fn rotation(quaternion: &UnitQuaternion<f64>) -> Self::Rotation;
    fn quaternion(rotation: &Self::Rotation) -> UnitQuaternion<f64>;

    /// The composition: first `b`, then `a`.
    fn compose(a: &Self::Rotation, b: &Self::Rotation) -> Self::Rotation;
    /// The composition of a rotation by `angle` about the unit vector `axis`, then `rotation`.
    fn turned(rotation: &Self::Rotation, axis: Self::Angular, angle: f64) -> Self::Rotation;
    fn rotate(rotation: &Self::Rotation, linear: Self::Linear) -> Self::Linear;
    fn rotate_angular(rotation: &Self::Rotation, angular: Self::Angular) -> Self::Angular;
    /// `R I Rᵀ`.
    fn rotate_moments(rotation: &Self::Rotation, moments: Self::Moments) -> Self::Moments;

    fn dot(a: Self::Linear, b: Self::Linear) -> f64;
    fn dot_angular(a: Self::Angular, b: Self::Angular) -> f64;
    /// `ω × r`.
    fn spin(omega: Self::Angular, r: Self::Linear) -> Self::Linear;
    /// `r × f`.
    fn moment(r: Self::Linear, f: Self::Linear) -> Self::Angular;
    /// `ω × n`.
    fn twirl(omega: Self::Angular, n: Self::Angular) -> Self::Angular;
    /// `I ω`.
    fn apply(moments: &Self::Moments, omega: Self::Angular) -> Self::Angular;
    /// The size of moments of inertia: their trace.
    fn trace(moments: &Self::Moments) -> f64;
    /// Moments of a point mass at `r`: `m (r² 1 − r rᵀ)`.
    fn point_moments(mass: f64, r: Self::Linear) -> Self::Moments;

    fn tensor(inertia: &Inertia<Self>) -> Self::Tensor;
    fn add_tensor(tensor: &mut Self::Tensor, other: &Self::Tensor);
    fn apply_tensor(tensor: &Self::Tensor, motion: &Spatial<Self>) -> Spatial<Self>;
    /// `A ← A − scale u uᵀ`.
    fn subtract_square(tensor: &mut Self::Tensor, u: &Spatial<Self>, scale: f64);
}

/// A motion or a force about some point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spatial<G: Geometry> {
    pub(super) linear: G::Linear,
    pub(super) angular: G::Angular,
}

impl<G: Geometry> Spatial<G> {
    pub(super) fn zero() -> Self {
        let zero = Vector3::zeros();
        Self { linear: G::linear(&zero), angular: G::angular(&zero) }
    }

    /// A translation along `direction`.
    pub(super) fn translation(direction: G::Linear) -> Self {
        Self { linear: direction, ..Self::zero() }
    }

    /// A rotation about `axis` through the point `r`, or a moment of `axis` with a force `r × axis`.
    pub(super) fn rotation(axis: G::Angular, r: G::Linear) -> Self {
        Self { linear: -G::spin(axis, r), angular: axis }
    }

    /// The force `f` acting at the point `r`.
    pub(super) fn force(f: G::Linear, r: G::Linear) -> Self {
        Self { linear: f, angular: G::moment(r, f) }
    }

    /// Power of a force in a motion.
    pub(super) fn dot(&self, other: &Self) -> f64 {
        G::dot(self.linear, other.linear) + G::dot_angular(self.angular, other.angular)
    }

    /// `V × m` of a motion `m`.
    pub(super) fn cross_motion(&self, m: &Self) -> Self {
        Self {
            linear: G::spin(self.angular, m.linear) - G::spin(m.angular, self.linear),
            angular: G::twirl(self.angular, m.angular),
        }
    }

    /// `V ×* f` of a force `f`.
    pub(super) fn cross_force(&self, f: &Self) -> Self {
        Self {
            linear: G::spin(self.angular, f.linear),
            angular: G::twirl(self.angular, f.angular) + G::moment(self.linear, f.linear),
        }
    }

    /// Velocity of the point of the body at `r`.
    pub(super) fn at(&self, r: G::Linear) -> G::Linear {
        self.linear + G::spin(self.angular, r)
    }
}

impl<G: Geometry> Add for Spatial<G> {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { linear: self.linear + other.linear, angular: self.angular + other.angular }
    }
}

impl<G: Geometry> AddAssign for Spatial<G> {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<G: Geometry> Mul<f64> for Spatial<G> {
    type Output = Self;

    fn mul(self, scale: f64) -> Self {
        Self { linear: self.linear * scale, angular: self.angular * scale }
    }
}

/// The inertia of one or more rigid bodies about some point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inertia<G: Geometry> {
    /// Mass `m`.
    pub(super) mass: f64,
    /// First moment of mass, `m c`.
    pub(super) first: G::Linear,
    /// Moments about the point, `I_O`.
    pub(super) moments: G::Moments,
}

impl<G: Geometry> Inertia<G> {
    /// The momentum of a motion.
    pub(super) fn momentum(&self, motion: &Spatial<G>) -> Spatial<G> {
        Spatial {
            linear: motion.linear * self.mass + G::spin(motion.angular, self.first),
            angular: G::apply(&self.moments, motion.angular) + G::moment(self.first, motion.linear),
        }
    }
}

impl<G: Geometry> Inertia<G> {
    /// The size of the terms whose sum is twice the kinetic energy of a motion; rounding is relative to it.
    ///
    /// For a body that turns about an axis far from the point the terms are large and nearly cancel.
    pub(super) fn energy_terms(&self, motion: &Spatial<G>) -> f64 {
        let linear = G::dot(motion.linear, motion.linear);
        let angular = G::dot_angular(motion.angular, motion.angular);
        let first = G::dot(self.first, self.first);
        self.mass.abs() * linear
            + 2.0 * (first * linear * angular).sqrt()
            + G::trace(&self.moments).abs() * angular
    }
}

impl<G: Geometry> AddAssign for Inertia<G> {
    fn add_assign(&mut self, other: Self) {
        self.mass += other.mass;
        self.first = self.first + other.first;
        self.moments = self.moments + other.moments;
    }
}
