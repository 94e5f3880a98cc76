//! Points that stay on a curve or a surface: [`PointOnCurve`] and the trait [`Curve`].

use std::fmt::Debug;

use nalgebra::{DMatrix, Matrix3, Vector3};

use super::{EqualityConstraint, Error, Frame, different_bodies, relative_row};
use crate::{
    anchor::Anchor,
    system::motion::BodyMotion,
    system::{Dimension, System},
};

/// The value of a function of position, its gradient and its Hessian.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelSet {
    /// `c(x)` (m).
    pub value: f64,
    /// `∇c`, not zero on the curve.
    pub gradient: Vector3<f64>,
    /// Second derivatives (1/m), symmetric.
    pub hessian: Matrix3<f64>,
}

/// A curve or a surface as the zeros of one or two functions.
///
/// The identities to satisfy: `gradient` and `hessian` are the derivatives of `value`, and the gradients
/// are independent on the curve.
pub trait Curve: Debug + Send + Sync {
    /// Number of equations: in space 2 for a curve and 1 for a surface; in the plane 1.
    ///
    /// In the plane only the first equation is used, and it must not depend on `z`.
    fn equation_count(&self, dimension: Dimension) -> usize;

    /// Equation `index` at `point` (m, frame of the curve).
    fn equation(&self, index: usize, point: &Vector3<f64>) -> LevelSet;
}

/// The `x` axis of its frame: `y = 0`, and in space also `z = 0`.
///
/// Between two bodies in space it is the pin of a planar mechanism that is already held in its plane; the line
/// should be perpendicular to that plane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Line;

impl Curve for Line {
    fn equation_count(&self, dimension: Dimension) -> usize {
        dimension.tangent_count()
    }

    fn equation(&self, index: usize, point: &Vector3<f64>) -> LevelSet {
        LevelSet {
            value: point[index + 1],
            gradient: Vector3::ith(index + 1, 1.0),
            hessian: Matrix3::zeros(),
        }
    }
}

/// A circle about the `z` axis of its frame: `√(x² + y²) = radius`, and in space also `z = 0`.
///
/// On the axis, far from any solution, the gradient of the first equation is `x` and its Hessian zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Circle {
    radius: f64,
}

impl Circle {
    /// A circle of `radius` (m).
    ///
    /// # Errors
    ///
    /// [`Error::Length`] if the radius is not positive and finite.
    pub fn new(radius: f64) -> Result<Self, Error> {
        if !(radius.is_finite() && radius > 0.0) {
            return Err(Error::Length { value: radius });
        }
        Ok(Self { radius })
    }

    /// Radius (m).
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }
}

impl Curve for Circle {
    fn equation_count(&self, dimension: Dimension) -> usize {
        dimension.tangent_count()
    }

    fn equation(&self, index: usize, point: &Vector3<f64>) -> LevelSet {
        if index == 1 {
            return LevelSet { value: point.z, gradient: Vector3::z(), hessian: Matrix3::zeros() };
        }
        let distance = point.xy().norm();
        let value = distance - self.radius;
        if distance == 0.0 {
            return LevelSet { value, gradient: Vector3::x(), hessian: Matrix3::zeros() };
        }
        let gradient = point.xy().push(0.0) / distance;
        let along = Vector3::new(-gradient.y, gradient.x, 0.0);
        LevelSet { value, gradient, hessian: along * along.transpose() / distance }
    }
}

/// A point of a body that stays on a curve, which another body or the world carries.
///
/// One row per equation of the [`Curve`], each the value of the equation at the point.
///
/// A curve is given by equations `c(x) = 0` in a frame with the axes `R` and the origin `o`, carried by a body or
/// the world. For the point `p` of another body, `x = Rᵀ(p − o)`. With the velocity `u` of `p` relative to the point
/// of the carrier at the same place, `n = R ∇c` and the Hessian `H`,
///
/// ```math
/// \dot\varphi = n \cdot u, \qquad
/// \ddot\varphi|_{\dot v = 0} = n \cdot (a_p - a_o - 2 \omega \times u)
///     + (R^\mathsf{T} u) \cdot H (R^\mathsf{T} u),
/// ```
///
/// where `a_p`, `a_o` are the velocity products of the point and of the carrier at the same place, and `ω` is the
/// angular velocity of the carrier (Coriolis).
///
/// # Source
///
/// H. Goldstein, C. Poole, J. Safko, *Classical Mechanics*, 3rd ed., Addison-Wesley 2002, section 4.9
/// (rates in turning frames); the rest is the chain rule.
///
/// # Example
///
/// A bead at (3, 4) on a wire ring of radius 4.5 m: `φ = 5 − 4.5`, and the row is the direction of the bead from the
/// center.
///
/// ```
/// use nalgebra::{DMatrix, Isometry3, Vector2, Vector3};
/// use percussion_dynamics::{
///     Anchor, PlanarBodies, PlanarBody,
///     constraint::{Circle, EqualityConstraint, Frame, PointOnCurve},
/// };
///
/// let system = PlanarBodies::new(vec![PlanarBody::new(1.0, 1.0)], Vector2::zeros())?;
/// let bead = Anchor::on_body(0, Vector3::zeros());
/// let ring = PointOnCurve::new(bead, Frame::in_world(Isometry3::identity()), Circle::new(4.5)?)?;
///
/// let (mut value, mut jacobian) = ([0.0], DMatrix::zeros(1, 3));
/// ring.evaluate(&system, &[3.0, 4.0, 0.0], &mut value, &mut jacobian, 0);
/// assert_eq!((value, jacobian[(0, 0)], jacobian[(0, 1)]), ([0.5], 0.6, 0.8));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointOnCurve<C> {
    point: Anchor,
    frame: Frame,
    curve: C,
}

impl<C: Curve> PointOnCurve<C> {
    /// A constraint that keeps `point` on `curve`, whose frame is `frame`.
    ///
    /// # Errors
    ///
    /// [`Error::SameBody`].
    pub fn new(point: Anchor, frame: Frame, curve: C) -> Result<Self, Error> {
        different_bodies(point, frame.origin())?;
        Ok(Self { point, frame, curve })
    }

    /// The curve.
    #[must_use]
    pub fn curve(&self) -> &C {
        &self.curve
    }
}

impl<C: Curve> EqualityConstraint for PointOnCurve<C> {
    fn row_count(&self, system: &dyn System) -> usize {
        self.curve.equation_count(system.dimension())
    }

    fn evaluate(
        &self,
        system: &dyn System,
        coordinates: &[f64],
        value: &mut [f64],
        jacobian: &mut DMatrix<f64>,
        first_row: usize,
    ) {
        let point = self.point.position(system, coordinates);
        let pose = self.frame.pose(system, coordinates);
        let local = pose.inverse_transform_point(&point.into()).coords;
        // Both velocities are taken at the same place, that of the point.
        let (anchors, points) = ([self.point, self.frame.origin()], [point, point]);
        for (index, value) in value.iter_mut().enumerate() {
            let equation = self.curve.equation(index, &local);
            *value = equation.value;
            let normal = pose.rotation * equation.gradient;
            let row = relative_row(system, coordinates, &anchors, &points, &normal);
            jacobian.row_mut(first_row + index).copy_from_slice(&row);
        }
    }

    fn bias(&self, system: &dyn System, coordinates: &[f64], velocity: &[f64], bias: &mut [f64]) {
        let point = self.point.position(system, coordinates);
        let pose = self.frame.pose(system, coordinates);
        let local = pose.inverse_transform_point(&point.into()).coords;
        let [moving, carrier] = [self.point.body, self.frame.body]
            .map(|body| BodyMotion::new(system, coordinates, velocity, body));
        let relative = moving.velocity(&point) - carrier.velocity(&point);
        let acceleration = moving.bias(&point)
            - carrier.bias(&point)
            - 2.0 * carrier.angular_velocity().cross(&relative);
        let [relative, acceleration] =
            [relative, acceleration].map(|vector| pose.rotation.inverse_transform_vector(&vector));
        for (index, bias) in bias.iter_mut().enumerate() {
            let LevelSet { gradient, hessian, .. } = self.curve.equation(index, &local);
            *bias = gradient.dot(&acceleration) + relative.dot(&(hessian * relative));
        }
    }

    fn check(&self, system: &dyn System) -> Result<(), Error> {
        self.point.check(system)?;
        self.frame.check(system)
    }
}
