//! Rolling without slipping: the constraint [`Rolling`], partly non-holonomic.

use nalgebra::{DMatrix, Vector3};

use super::{
    EqualityConstraint, Error,
    frames::{ALIGNMENT, check_perpendicular},
};
use crate::{
    anchor::Anchor,
    contact_frame::ContactFrame,
    gap::Plane,
    system::motion::BodyMotion,
    system::{Dimension, System},
};

/// The shape of the rolling body.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    Ball,
    /// A disc with its unit axis in the frame of the body.
    Disc(Vector3<f64>),
}

/// A ball or a disc that rolls on a plane of the world without slipping and without leaving it: 3 rows in
/// space, 2 in the plane, in the order normal, tangents.
///
/// The first row is holonomic, and its value is the gap; the tangential rows restrict velocities only. A disc that
/// lies flat has no lowest point. An arbitrary point of its rim is then used, and its rows are finite but
/// meaningless.
///
/// A ball or a thin disc of radius `r` and center `c` touches a plane with the normal `n` at `c + ρ`. The material
/// point of the body at this place does not move,
///
/// ```math
/// v_c + \omega \times \rho = 0, \qquad
/// \rho = -r\,n \;\text{(ball)}, \qquad
/// \rho = -r\,u, \quad u = \frac{n - (n \cdot a)\,a}{\lVert n - (n \cdot a)\,a \rVert}
/// \;\text{(disc with the axis } a \text{)}.
/// ```
///
/// Its normal part is the rate of the gap `n · (c + ρ) − b`. Its tangential part is not the rate of any function of
/// the position: it restricts the directions of motion but not the positions, so a rolling ball can reach every
/// place with every attitude. Since `ρ` is the arm of the contact point and not of a material point, the bias is
/// `a_c + α × ρ + ω × ρ̇`.
///
/// # Source
///
/// J. I. Neimark, N. A. Fufaev, *Dynamics of Nonholonomic Systems*, American Mathematical Society 1972
/// (rolling ball and disc). The bias is derived by differentiation.
///
/// # Example
///
/// A wheel of radius 0.5 m moves to the right at 2 m/s: `v + ω r = 0` requires `ω = −4 rad/s`.
///
/// ```
/// use nalgebra::{DMatrix, DVector, Vector2, Vector3};
/// use percussion_dynamics::{Anchor, PlanarBodies, PlanarBody, constraint::EqualityConstraint, gap::Plane};
/// use percussion_dynamics::constraint::Rolling;
///
/// let system = PlanarBodies::new(vec![PlanarBody::new(1.0, 1.0)], Vector2::zeros())?;
/// let road = Plane::new(&Vector3::y(), &Vector3::zeros())?;
/// let wheel = Rolling::ball(Anchor::on_body(0, Vector3::zeros()), 0.5, road)?;
///
/// let (mut value, mut jacobian) = ([7.0; 2], DMatrix::zeros(2, 3));
/// wheel.evaluate(&system, &[0.0, 0.5, 0.0], &mut value, &mut jacobian, 0);
/// assert_eq!(value, [0.0; 2]);
/// assert_eq!(jacobian * DVector::from_vec(vec![2.0, 0.0, -4.0]), DVector::zeros(2));
/// assert_eq!(wheel.holonomic_count(&system), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rolling {
    center: Anchor,
    shape: Shape,
    radius: f64,
    plane: Plane,
}

impl Rolling {
    /// A ball of `radius` (m) about the point `center` of a body; in the plane a wheel.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] for the radius, [`Error::SameBody`] if the center is fixed in the world.
    pub fn ball(center: Anchor, radius: f64, plane: Plane) -> Result<Self, Error> {
        Self::new(center, Shape::Ball, radius, plane)
    }

    /// A thin disc of `radius` (m) about the point `center` of a body, with its `axis` in the frame of
    /// the body (any length; `±z` in the plane).
    ///
    /// # Errors
    ///
    /// [`Error::Direction`] for the axis, and those of [`ball`](Self::ball).
    pub fn disc(
        center: Anchor,
        axis: &Vector3<f64>,
        radius: f64,
        plane: Plane,
    ) -> Result<Self, Error> {
        let refused = Error::Direction { field: "axis of a disc", value: *axis };
        let axis = axis.try_normalize(0.0).ok_or(refused)?;
        if !axis.iter().all(|entry| entry.is_finite()) {
            return Err(refused);
        }
        Self::new(center, Shape::Disc(axis), radius, plane)
    }

    fn new(center: Anchor, shape: Shape, radius: f64, plane: Plane) -> Result<Self, Error> {
        if !(radius.is_finite() && radius > 0.0) {
            return Err(Error::Length { value: radius });
        }
        if center.body.is_none() {
            return Err(Error::SameBody);
        }
        Ok(Self { center, shape, radius, plane })
    }

    /// Center of the ball or disc.
    #[must_use]
    pub fn center(&self) -> Anchor {
        self.center
    }

    /// Radius (m).
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// The plane it rolls on.
    #[must_use]
    pub fn plane(&self) -> Plane {
        self.plane
    }

    /// `ρ` (m) and, for the angular velocity `omega`, `ρ̇` (m/s).
    fn arm(
        &self,
        system: &dyn System,
        coordinates: &[f64],
        omega: &Vector3<f64>,
    ) -> [Vector3<f64>; 2] {
        let n = self.plane.normal();
        let (Shape::Disc(axis), Some(body)) = (self.shape, self.center.body) else {
            return [-self.radius * n, Vector3::zeros()];
        };
        let a = system.pose(coordinates, body).rotation * axis;
        let upward = n - a * n.dot(&a);
        let length = upward.norm();
        if length < ALIGNMENT {
            let any = a.cross(&Vector3::ith(a.iamin(), 1.0)).normalize();
            return [-self.radius * any, -self.radius * omega.cross(&any)];
        }
        let u = upward / length;
        let a_rate = omega.cross(&a);
        let upward_rate = -(a * n.dot(&a_rate) + a_rate * n.dot(&a));
        [-self.radius * u, -self.radius * (upward_rate - u * u.dot(&upward_rate)) / length]
    }

    fn axes(&self, system: &dyn System) -> [Vector3<f64>; 3] {
        let normal = self.plane.normal();
        match system.dimension() {
            Dimension::Plane => ContactFrame::from_planar_unit_normal(&normal).axes(),
            Dimension::Space => ContactFrame::from_unit_normal(&normal, &Vector3::x()).axes(),
        }
    }
}

impl EqualityConstraint for Rolling {
    fn row_count(&self, system: &dyn System) -> usize {
        1 + system.dimension().tangent_count()
    }

    fn holonomic_count(&self, _system: &dyn System) -> usize {
        1
    }

    fn evaluate(
        &self,
        system: &dyn System,
        coordinates: &[f64],
        value: &mut [f64],
        jacobian: &mut DMatrix<f64>,
        first_row: usize,
    ) {
        let [arm, _] = self.arm(system, coordinates, &Vector3::zeros());
        let point = self.center.position(system, coordinates) + arm;
        value.fill(0.0);
        value[0] = self.plane.distance(&point);
        let rows = self.row_count(system);
        for (k, axis) in self.axes(system).iter().take(rows).enumerate() {
            let mut row = vec![0.0; system.velocity_count()];
            self.center.add_point_row(system, coordinates, &point, axis, 1.0, &mut row);
            jacobian.row_mut(first_row + k).copy_from_slice(&row);
        }
    }

    fn bias(&self, system: &dyn System, coordinates: &[f64], velocity: &[f64], bias: &mut [f64]) {
        let motion = BodyMotion::new(system, coordinates, velocity, self.center.body);
        let omega = motion.angular_velocity();
        let center = self.center.position(system, coordinates);
        let [arm, arm_rate] = self.arm(system, coordinates, &omega);
        let rate =
            motion.bias(&center) + motion.angular_bias().cross(&arm) + omega.cross(&arm_rate);
        for (bias, axis) in bias.iter_mut().zip(self.axes(system)) {
            *bias = axis.dot(&rate);
        }
    }

    fn check(&self, system: &dyn System) -> Result<(), Error> {
        self.center.check(system)?;
        let normal = self.plane.normal();
        if system.dimension() == Dimension::Plane && normal.z != 0.0 {
            let field = "normal of the plane";
            return Err(Error::OutOfPlane { field, z: normal.z, expected: "0" });
        }
        match self.shape {
            Shape::Disc(axis) => check_perpendicular("axis of a disc", &axis, system),
            Shape::Ball => Ok(()),
        }
    }
}
