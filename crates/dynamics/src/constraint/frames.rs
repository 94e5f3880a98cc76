//! Constraints between two frames that close loops: [`Weld`] and [`Hinge`].

use nalgebra::{DMatrix, Isometry3, Quaternion, Vector3};

use super::{BallJoint, EqualityConstraint, Error};
use crate::{
    anchor::Anchor,
    system::motion::{BodyMotion, add_angular_row},
    system::{Dimension, System},
};

/// Maximum angle of an axis to the plane or to its normal (rad): the rounding error of its construction.
pub(super) const ALIGNMENT: f64 = 1e-12;

/// A frame fixed to a body or to the world.
///
/// With the rotation `exp(θ a)` from the axes of frame 2 to those of frame 1, the rotation of a weld is measured by
/// twice the vector part of the unit quaternion with `w ≥ 0`,
///
/// ```math
/// \varphi = 2 p = 2 \sin(\theta/2)\, a, \qquad
/// \dot\varphi = w\,(\omega_1 - \omega_2) - p \times (\omega_1 + \omega_2),
/// ```
///
/// which is zero only if the frames agree, and has a regular Jacobian up to a half turn. A hinge requires that `z_2`
/// be perpendicular to `x_1` and `y_1`,
///
/// ```math
/// \varphi = x_1 \cdot z_2, \qquad \dot\varphi = (\omega_1 - \omega_2) \cdot (x_1 \times z_2),
/// ```
///
/// which antiparallel axes also satisfy; the start determines which of the two is reached.
///
/// # Source
///
/// Derived from `q̇ = ½ ω q`, see [`rotation`](crate::rotation). E. J. Haug, *Computer Aided Kinematics
/// and Dynamics of Mechanical Systems*, Allyn and Bacon 1989 (perpendicular axes as constraints).
///
/// # Example
///
/// The frame at the end of a rod of 2 m that stands upright.
///
/// ```
/// use nalgebra::{Isometry3, Vector2, Vector3};
/// use percussion_dynamics::{PlanarBodies, PlanarBody, constraint::Frame};
///
/// let system = PlanarBodies::new(vec![PlanarBody::new(1.0, 1.0)], Vector2::zeros())?;
/// let end = Frame::on_body(0, Isometry3::translation(1.0, 0.0, 0.0));
/// let pose = end.pose(&system, &[0.0, 5.0, std::f64::consts::FRAC_PI_2]);
/// assert!((pose.translation.vector - Vector3::new(0.0, 6.0, 0.0)).norm() < 1e-15);
/// # Ok::<(), percussion_dynamics::FreeBodiesError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Body that carries the frame, or `None` for the world.
    pub body: Option<usize>,
    /// Pose of the frame in the body, or in the world (m).
    pub placement: Isometry3<f64>,
}

impl Frame {
    /// The frame at `placement` in `body`.
    #[must_use]
    pub fn on_body(body: usize, placement: Isometry3<f64>) -> Self {
        Self { body: Some(body), placement }
    }

    /// The frame at `placement` in the world, which never moves.
    #[must_use]
    pub fn in_world(placement: Isometry3<f64>) -> Self {
        Self { body: None, placement }
    }

    /// Pose of the frame in the world (m).
    #[must_use]
    pub fn pose(&self, system: &dyn System, coordinates: &[f64]) -> Isometry3<f64> {
        match self.body {
            Some(body) => system.pose(coordinates, body) * self.placement,
            None => self.placement,
        }
    }

    /// The origin of the frame.
    #[must_use]
    pub fn origin(&self) -> Anchor {
        Anchor { body: self.body, point: self.placement.translation.vector }
    }

    /// Checks that the body exists in `system`, that the placement is finite, and that the `z` axis is
    /// perpendicular to the plane of a planar system.
    ///
    /// # Errors
    ///
    /// [`Error::Anchor`], [`Error::Direction`], [`Error::OutOfPlane`].
    pub fn check(&self, system: &dyn System) -> Result<(), Error> {
        self.origin().check(system)?;
        let axis = self.placement.rotation * Vector3::z();
        if !axis.iter().all(|entry| entry.is_finite()) {
            return Err(Error::Direction { field: "z axis of a frame", value: axis });
        }
        check_perpendicular("z axis of a frame", &axis, system)
    }
}

/// Two frames that coincide: 6 rows in space, 3 in the plane.
///
/// The rows are the difference of the origins in world axes (m), and `2 sin(θ/2)` times the axis of the remaining
/// rotation (rad, world axes); [`Frame`] derives them.
///
/// # Example
///
/// A body welded to the world has rotated by 60°, so that the value is `2 sin 30° = 1`.
///
/// ```
/// use nalgebra::{DMatrix, Isometry3, Vector2};
/// use percussion_dynamics::{PlanarBodies, PlanarBody, constraint::{EqualityConstraint, Frame, Weld}};
///
/// let system = PlanarBodies::new(vec![PlanarBody::new(1.0, 1.0)], Vector2::zeros())?;
/// let weld = Weld::new(
///     Frame::on_body(0, Isometry3::identity()),
///     Frame::in_world(Isometry3::identity()),
/// )?;
/// let (mut value, mut jacobian) = ([0.0; 3], DMatrix::zeros(3, 3));
/// let sixty_degrees = std::f64::consts::FRAC_PI_3;
/// weld.evaluate(&system, &[0.1, 0.2, sixty_degrees], &mut value, &mut jacobian, 0);
/// assert_eq!(value[..2], [0.1, 0.2]);
/// assert!((value[2] - 1.0).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weld {
    frames: [Frame; 2],
    origins: BallJoint,
}

impl Weld {
    /// A constraint that holds the two frames together; either may be fixed in the world.
    ///
    /// # Errors
    ///
    /// [`Error::SameBody`].
    pub fn new(frame_1: Frame, frame_2: Frame) -> Result<Self, Error> {
        let origins = BallJoint::new(frame_1.origin(), frame_2.origin())?;
        Ok(Self { frames: [frame_1, frame_2], origins })
    }

    /// The two frames.
    #[must_use]
    pub fn frames(&self) -> [Frame; 2] {
        self.frames
    }

    /// The unit quaternion `w + p` with `w ≥ 0` from the axes of frame 2 to those of frame 1.
    pub(super) fn turn(&self, system: &dyn System, coordinates: &[f64]) -> Quaternion<f64> {
        let [first, second] = self.frames.map(|frame| frame.pose(system, coordinates).rotation);
        let turn = (first * second.inverse()).into_inner();
        if turn.w < 0.0 { -turn } else { turn }
    }
}

/// The world axes a body of the system can turn about.
fn turn_axes(dimension: Dimension) -> &'static [usize] {
    match dimension {
        Dimension::Plane => &[2],
        Dimension::Space => &[0, 1, 2],
    }
}

impl EqualityConstraint for Weld {
    fn row_count(&self, system: &dyn System) -> usize {
        self.origins.row_count(system) + turn_axes(system.dimension()).len()
    }

    fn evaluate(
        &self,
        system: &dyn System,
        coordinates: &[f64],
        value: &mut [f64],
        jacobian: &mut DMatrix<f64>,
        first_row: usize,
    ) {
        let count = self.origins.row_count(system);
        let (shift, turned) = value.split_at_mut(count);
        self.origins.evaluate(system, coordinates, shift, jacobian, first_row);
        let turn = self.turn(system, coordinates);
        let (w, p) = (turn.w, turn.imag());
        for (i, &k) in turn_axes(system.dimension()).iter().enumerate() {
            turned[i] = 2.0 * p[k];
            let axis = Vector3::ith(k, 1.0);
            let mut row = vec![0.0; system.velocity_count()];
            for (frame, sign) in self.frames.iter().zip([1.0, -1.0]) {
                // e · (−p × ω) = ω · (p × e).
                let direction = sign * w * axis + p.cross(&axis);
                add_angular_row(system, coordinates, frame.body, &direction, &mut row);
            }
            jacobian.row_mut(first_row + count + i).copy_from_slice(&row);
        }
    }

    fn bias(&self, system: &dyn System, coordinates: &[f64], velocity: &[f64], bias: &mut [f64]) {
        let (shift, turned) = bias.split_at_mut(self.origins.row_count(system));
        self.origins.bias(system, coordinates, velocity, shift);
        let turn = self.turn(system, coordinates);
        let (w, p) = (turn.w, turn.imag());
        let [first, second] =
            self.frames.map(|frame| BodyMotion::new(system, coordinates, velocity, frame.body));
        let (omega_1, omega_2) = (first.angular_velocity(), second.angular_velocity());
        let (alpha_1, alpha_2) = (first.angular_bias(), second.angular_bias());
        let (relative, sum) = (omega_1 - omega_2, omega_1 + omega_2);
        let w_rate = -0.5 * p.dot(&relative);
        let p_rate = 0.5 * (w * relative - p.cross(&sum));
        let rate = w_rate * relative + w * (alpha_1 - alpha_2)
            - p_rate.cross(&sum)
            - p.cross(&(alpha_1 + alpha_2));
        for (bias, &k) in turned.iter_mut().zip(turn_axes(system.dimension())) {
            *bias = rate[k];
        }
    }

    fn check(&self, system: &dyn System) -> Result<(), Error> {
        self.frames.iter().try_for_each(|frame| frame.check(system))
    }
}

/// Two frames that share their origin and their `z` axis, a revolute joint: 5 rows in space, and 2 in
/// the plane, where it is a pin.
///
/// The rows are the difference of the origins in world axes (m), `x_1 · z_2` and `y_1 · z_2` (rad, for
/// small angles). Its value also vanishes where the two `z` axes are opposite.
///
/// # Example
///
/// A door whose hinge leans by 30°: `y_1 · z_2 = −sin 30°`.
///
/// ```
/// use nalgebra::{DMatrix, Isometry3, Matrix3, Vector3};
/// use percussion_dynamics::{Body, FreeBodies, constraint::{EqualityConstraint, Frame, Hinge}};
///
/// let door = Body::new(1.0, Matrix3::identity());
/// let system = FreeBodies::new(vec![door], Vector3::zeros())?;
/// let leaning = Vector3::new(std::f64::consts::FRAC_PI_6, 0.0, 0.0);
/// let hinge = Hinge::new(
///     Frame::on_body(0, Isometry3::identity()),
///     Frame::in_world(Isometry3::new(Vector3::zeros(), leaning)),
/// )?;
/// let (mut value, mut jacobian) = ([0.0; 5], DMatrix::zeros(5, 6));
/// let upright = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
/// hinge.evaluate(&system, &upright, &mut value, &mut jacobian, 0);
/// assert!((value[4] + 0.5).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hinge {
    frames: [Frame; 2],
    origins: BallJoint,
}

impl Hinge {
    /// A joint about the common `z` axis of the two frames; either may be fixed in the world.
    ///
    /// # Errors
    ///
    /// [`Error::SameBody`].
    pub fn new(frame_1: Frame, frame_2: Frame) -> Result<Self, Error> {
        let origins = BallJoint::new(frame_1.origin(), frame_2.origin())?;
        Ok(Self { frames: [frame_1, frame_2], origins })
    }

    /// The two frames.
    #[must_use]
    pub fn frames(&self) -> [Frame; 2] {
        self.frames
    }

    /// The pairs `(x_1, z_2)` and `(y_1, z_2)` in world axes; none in the plane.
    fn axes(&self, system: &dyn System, coordinates: &[f64]) -> Vec<[Vector3<f64>; 2]> {
        if system.dimension() == Dimension::Plane {
            return Vec::new();
        }
        let [first, second] = self.frames.map(|frame| frame.pose(system, coordinates).rotation);
        [Vector3::x(), Vector3::y()].map(|axis| [first * axis, second * Vector3::z()]).to_vec()
    }
}

impl EqualityConstraint for Hinge {
    fn row_count(&self, system: &dyn System) -> usize {
        match system.dimension() {
            Dimension::Plane => 2,
            Dimension::Space => 5,
        }
    }

    fn evaluate(
        &self,
        system: &dyn System,
        coordinates: &[f64],
        value: &mut [f64],
        jacobian: &mut DMatrix<f64>,
        first_row: usize,
    ) {
        let count = self.origins.row_count(system);
        let (shift, turned) = value.split_at_mut(count);
        self.origins.evaluate(system, coordinates, shift, jacobian, first_row);
        for (i, [a, b]) in self.axes(system, coordinates).iter().enumerate() {
            turned[i] = a.dot(b);
            let mut row = vec![0.0; system.velocity_count()];
            for (frame, sign) in self.frames.iter().zip([1.0, -1.0]) {
                let direction = sign * a.cross(b);
                add_angular_row(system, coordinates, frame.body, &direction, &mut row);
            }
            jacobian.row_mut(first_row + count + i).copy_from_slice(&row);
        }
    }

    fn bias(&self, system: &dyn System, coordinates: &[f64], velocity: &[f64], bias: &mut [f64]) {
        let (shift, turned) = bias.split_at_mut(self.origins.row_count(system));
        self.origins.bias(system, coordinates, velocity, shift);
        if turned.is_empty() {
            return;
        }
        let [first, second] =
            self.frames.map(|frame| BodyMotion::new(system, coordinates, velocity, frame.body));
        let (omega_1, omega_2) = (first.angular_velocity(), second.angular_velocity());
        let relative_bias = first.angular_bias() - second.angular_bias();
        for (bias, [a, b]) in turned.iter_mut().zip(self.axes(system, coordinates)) {
            let turning = omega_1.cross(&a).cross(&b) + a.cross(&omega_2.cross(&b));
            *bias = relative_bias.dot(&a.cross(&b)) + (omega_1 - omega_2).dot(&turning);
        }
    }

    fn check(&self, system: &dyn System) -> Result<(), Error> {
        self.frames.iter().try_for_each(|frame| frame.check(system))
    }
}

/// Checks that a unit `axis` is `±z` in a planar system.
pub(super) fn check_perpendicular(
    field: &'static str,
    axis: &Vector3<f64>,
    system: &dyn System,
) -> Result<(), Error> {
    if system.dimension() == Dimension::Plane && axis.xy().norm() > ALIGNMENT {
        return Err(Error::OutOfPlane { field, z: axis.z, expected: "1 or −1" });
    }
    Ok(())
}

impl From<Frame> for Anchor {
    fn from(frame: Frame) -> Self {
        frame.origin()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anchor::AnchorError;

    #[test]
    fn frames_of_bodies_that_do_not_exist_are_refused() {
        let system = crate::testing::plane();
        let frame = Frame::on_body(2, Isometry3::identity());
        let expected = Error::Anchor(AnchorError::Body { body: 2, count: 2 });
        assert_eq!(frame.check(&system).unwrap_err(), expected);
    }

    #[test]
    fn frames_that_lean_out_of_the_plane_are_refused() {
        let leaning = Isometry3::new(Vector3::zeros(), Vector3::new(0.1, 0.0, 0.0));
        let weld = Weld::new(Frame::on_body(0, leaning), Frame::in_world(Isometry3::identity()));
        let refused = weld.unwrap().check(&crate::testing::plane());
        assert!(matches!(refused, Err(Error::OutOfPlane { .. })), "{refused:?}");
    }
}
