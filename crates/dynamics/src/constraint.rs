//! Bilateral constraints between coordinates: the trait [`EqualityConstraint`], the [`BallJoint`] and
//! the [`Distance`].
//!
//! | item or module | holds |
//! | --- | --- |
//! | [`Weld`], [`Hinge`] | close loops of a mechanism between two frames |
//! | [`Coupling`] | a linear equation between coordinates of joints: gears, and joints that mimic others |
//! | [`Cam`] | a polynomial equation between two coordinates of joints |
//! | [`PointOnCurve`] | a point on a [`Line`], a [`Circle`] or a curve of your own |
//! | [`Rolling`] | rolling without slip of balls and discs on a plane |
//! | [`set`] | [`ConstraintSet`](set::ConstraintSet): rank, multipliers, and projection of velocities and positions |

use std::fmt::Debug;

use nalgebra::{DMatrix, DVector, Vector3};

use crate::{
    anchor::{Anchor, AnchorError},
    system::{Dimension, System, difference, motion::BodyMotion},
};

mod cam;
mod coupling;
mod curve;
mod frames;
mod rolling;
#[cfg(feature = "loops")]
pub mod set;
#[cfg(test)]
mod tests;

pub use cam::Cam;
pub use coupling::{Coupling, Term};
pub use curve::{Circle, Curve, LevelSet, Line, PointOnCurve};
pub use frames::{Frame, Hinge, Weld};
pub use rolling::Rolling;

/// The reason why a constraint is refused.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Both points belong to the same body, or both to the world, so the constraint has no effect.
    #[error("both points of a constraint move together, expected two different bodies")]
    SameBody,
    /// A length is not positive and finite.
    #[error("length is {value:?}, expected a positive finite number (m)")]
    Length {
        /// Length given (m).
        value: f64,
    },
    /// An axis of a frame or a wheel is zero or not finite.
    #[error("{field} is {:?}, expected a direction of finite numbers", .value.as_slice())]
    Direction {
        /// Name of the axis.
        field: &'static str,
        /// The axis given.
        value: Vector3<f64>,
    },
    /// An axis is not in the plane of a planar system, or is not perpendicular to it as required.
    #[error("{field} has z = {z} in a planar system, expected {expected}")]
    OutOfPlane {
        /// Name of the axis.
        field: &'static str,
        /// Its `z` entry.
        z: f64,
        /// The expected direction.
        expected: &'static str,
    },
    /// A coupling of no coordinates.
    #[error("a coupling has no terms, expected at least one")]
    NoTerms,
    /// A factor of a coupling is zero or not finite, or its offset is not finite.
    #[error("{field} of a coupling is {value:?}, expected a finite number, and not 0 for a factor")]
    Factor {
        /// Factor or offset.
        field: &'static str,
        /// The number given.
        value: f64,
    },
    /// A coordinate occurs twice in a coupling.
    #[error("velocity {velocity} occurs twice in a coupling, expected each once")]
    RepeatedTerm {
        /// Index of the velocity.
        velocity: usize,
    },
    /// A coordinate of a coupling does not exist.
    #[error(
        "a coupling has coordinate {coordinate} with velocity {velocity}, expected less than {coordinates} and {velocities}"
    )]
    TermRange {
        /// Index of the coordinate.
        coordinate: usize,
        /// Index of the velocity.
        velocity: usize,
        /// Number of coordinates of the system.
        coordinates: usize,
        /// Number of velocities of the system.
        velocities: usize,
    },
    /// A coupling names a link that does not exist, or whose joint does not have exactly one coordinate.
    #[error(
        "term {term} of a coupling (from 0) does not name a link with a joint of one coordinate, expected a revolute or \
         prismatic joint"
    )]
    NotScalar {
        /// Index of the term.
        term: usize,
    },
    /// A point does not belong to the system.
    #[error(transparent)]
    Anchor(#[from] AnchorError),
}

/// Bilateral equations: joints, loops, and rolling.
///
/// Holonomic equations are `φ(q) = 0`. The identities to satisfy: along any motion
///
/// ```math
/// \dot\varphi = G(q)\, v, \qquad \ddot\varphi = G(q)\, \dot v + \gamma(q, v), \qquad
/// \gamma = \dot G\, v .
/// ```
///
/// Non-holonomic equations are only `G(q) v = 0`, and there is no `φ`.
pub trait EqualityConstraint: Debug + Send + Sync {
    /// Number of equations, `m_b`.
    fn row_count(&self, system: &dyn System) -> usize;

    /// Writes `φ(q)` to `value` (length `m_b`; m or rad) and `G(q)` to the rows
    /// `first_row .. first_row + m_b` of `jacobian` (`n_v` columns), overwriting them.
    fn evaluate(
        &self,
        system: &dyn System,
        coordinates: &[f64],
        value: &mut [f64],
        jacobian: &mut DMatrix<f64>,
        first_row: usize,
    );

    /// Number of holonomic equations. They are the first rows; the other rows restrict only velocities, and
    /// [`evaluate`](Self::evaluate) writes the value 0 for them.
    ///
    /// The default is all rows.
    fn holonomic_count(&self, system: &dyn System) -> usize {
        self.row_count(system)
    }

    /// Writes the bias `γ = Ġ(q, v) v` to `bias` (length `m_b`; m/s² or rad/s²). If `G v̇ = −γ`, `G v` is constant.
    ///
    /// The default implementation takes [differences](crate::system::difference) of `G`.
    fn bias(&self, system: &dyn System, coordinates: &[f64], velocity: &[f64], bias: &mut [f64]) {
        let v = DVector::from_column_slice(velocity);
        let mut jacobian = DMatrix::zeros(bias.len(), velocity.len());
        let mut value = vec![0.0; bias.len()];
        let mut terms = 0.0_f64;
        let rows = |moved: &[f64], rates: &mut [f64]| {
            self.evaluate(system, moved, &mut value, &mut jacobian, 0);
            rates.copy_from_slice((&jacobian * &v).as_slice());
            terms = terms.max((jacobian.abs() * v.abs()).max());
            terms
        };
        difference::along(system, coordinates, velocity, 0.0, rows, bias);
    }

    /// Checks that the bodies exist in `system`. Callers use it once before a simulation.
    ///
    /// The default implementation accepts everything.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    fn check(&self, system: &dyn System) -> Result<(), Error> {
        let _ = system;
        Ok(())
    }
}

/// Two points that coincide: `φ = p_1 − p_2` in world axes, 3 rows in space, 2 in the plane.
///
/// # Example
///
/// A rod that should hang by its end is 0.1 m too low.
///
/// ```
/// use nalgebra::{DMatrix, Vector2, Vector3};
/// use percussion_dynamics::{Anchor, PlanarBodies, PlanarBody, constraint::{BallJoint, EqualityConstraint}};
///
/// let system = PlanarBodies::new(vec![PlanarBody::new(1.0, 1.0)], Vector2::zeros())?;
/// let end = Anchor::on_body(0, Vector3::new(0.5, 0.0, 0.0));
/// let joint = BallJoint::new(end, Anchor::in_world(Vector3::zeros()))?;
///
/// let (mut value, mut jacobian) = ([0.0; 2], DMatrix::zeros(2, 3));
/// joint.evaluate(&system, &[-0.5, -0.1, 0.0], &mut value, &mut jacobian, 0);
/// assert_eq!(value, [0.0, -0.1]);
/// assert_eq!(jacobian[(1, 2)], 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BallJoint {
    anchors: [Anchor; 2],
}

impl BallJoint {
    /// A joint that holds the two points together; either may be fixed in the world.
    ///
    /// # Errors
    ///
    /// [`Error::SameBody`].
    pub fn new(point_1: Anchor, point_2: Anchor) -> Result<Self, Error> {
        Ok(Self { anchors: different_bodies(point_1, point_2)? })
    }

    /// The two points.
    #[must_use]
    pub fn anchors(&self) -> [Anchor; 2] {
        self.anchors
    }
}

impl EqualityConstraint for BallJoint {
    fn row_count(&self, system: &dyn System) -> usize {
        match system.dimension() {
            Dimension::Plane => 2,
            Dimension::Space => 3,
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
        let points = self.anchors.map(|anchor| anchor.position(system, coordinates));
        for (k, value) in value.iter_mut().enumerate().take(self.row_count(system)) {
            *value = points[0][k] - points[1][k];
            let row =
                relative_row(system, coordinates, &self.anchors, &points, &Vector3::ith(k, 1.0));
            jacobian.row_mut(first_row + k).copy_from_slice(&row);
        }
    }

    fn bias(&self, system: &dyn System, coordinates: &[f64], velocity: &[f64], bias: &mut [f64]) {
        let difference = relative_motion(system, coordinates, velocity, &self.anchors).bias;
        bias.copy_from_slice(&difference.as_slice()[..self.row_count(system)]);
    }

    fn check(&self, system: &dyn System) -> Result<(), Error> {
        Ok(self.anchors.iter().try_for_each(|anchor| anchor.check(system))?)
    }
}

/// Two points at a fixed distance: `φ = ‖p_1 − p_2‖ − length`, one row; a massless rod.
///
/// If the points coincide, far from any solution, the direction of the row is `x`.
///
/// # Example
///
/// A body 2 m below a hook and a rod of 1.5 m: `φ = 0.5`.
///
/// ```
/// use nalgebra::{DMatrix, Vector2, Vector3};
/// use percussion_dynamics::{Anchor, PlanarBodies, PlanarBody, constraint::{Distance, EqualityConstraint}};
///
/// let system = PlanarBodies::new(vec![PlanarBody::new(1.0, 1.0)], Vector2::zeros())?;
/// let center = Anchor::on_body(0, Vector3::zeros());
/// let rod = Distance::new(center, Anchor::in_world(Vector3::zeros()), 1.5)?;
///
/// let (mut value, mut jacobian) = ([0.0], DMatrix::zeros(1, 3));
/// rod.evaluate(&system, &[0.0, -2.0, 0.0], &mut value, &mut jacobian, 0);
/// assert_eq!(value, [0.5]);
/// assert_eq!(jacobian[(0, 1)], -1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    anchors: [Anchor; 2],
    length: f64,
}

impl Distance {
    /// A constraint that keeps the two points `length` (m) apart; either may be fixed in the world.
    ///
    /// # Errors
    ///
    /// [`Error::SameBody`], [`Error::Length`].
    pub fn new(point_1: Anchor, point_2: Anchor, length: f64) -> Result<Self, Error> {
        if !(length.is_finite() && length > 0.0) {
            return Err(Error::Length { value: length });
        }
        Ok(Self { anchors: different_bodies(point_1, point_2)?, length })
    }

    /// The two points.
    #[must_use]
    pub fn anchors(&self) -> [Anchor; 2] {
        self.anchors
    }

    /// The distance kept (m).
    #[must_use]
    pub fn length(&self) -> f64 {
        self.length
    }
}

impl EqualityConstraint for Distance {
    fn row_count(&self, _system: &dyn System) -> usize {
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
        let points = self.anchors.map(|anchor| anchor.position(system, coordinates));
        let distance = (points[0] - points[1]).norm();
        value[0] = distance - self.length;
        let direction =
            if distance > 0.0 { (points[0] - points[1]) / distance } else { Vector3::x() };
        let row = relative_row(system, coordinates, &self.anchors, &points, &direction);
        jacobian.row_mut(first_row).copy_from_slice(&row);
    }

    /// `n · (a_1 − a_2) + (‖u‖² − (n · u)²) / ‖p_1 − p_2‖` with the relative velocity `u`; the second term is left
    /// out if the points coincide.
    fn bias(&self, system: &dyn System, coordinates: &[f64], velocity: &[f64], bias: &mut [f64]) {
        let relative = relative_motion(system, coordinates, velocity, &self.anchors);
        let distance = relative.position.norm();
        let along = if distance > 0.0 { relative.position / distance } else { Vector3::x() };
        let across = relative.velocity - along * along.dot(&relative.velocity);
        let curvature = if distance > 0.0 { across.norm_squared() / distance } else { 0.0 };
        bias[0] = along.dot(&relative.bias) + curvature;
    }

    fn check(&self, system: &dyn System) -> Result<(), Error> {
        Ok(self.anchors.iter().try_for_each(|anchor| anchor.check(system))?)
    }
}

fn different_bodies(point_1: Anchor, point_2: Anchor) -> Result<[Anchor; 2], Error> {
    if point_1.body == point_2.body { Err(Error::SameBody) } else { Ok([point_1, point_2]) }
}

/// The row of the velocity of point 1 minus that of point 2 along `direction`.
fn relative_row(
    system: &dyn System,
    coordinates: &[f64],
    anchors: &[Anchor; 2],
    points: &[Vector3<f64>; 2],
    direction: &Vector3<f64>,
) -> Vec<f64> {
    let mut row = vec![0.0; system.velocity_count()];
    for ((anchor, point), scale) in anchors.iter().zip(points).zip([1.0, -1.0]) {
        anchor.add_point_row(system, coordinates, point, direction, scale, &mut row);
    }
    row
}

/// Position, velocity and velocity product `J̇ v` of point 1 minus those of point 2.
struct RelativeMotion {
    position: Vector3<f64>,
    velocity: Vector3<f64>,
    bias: Vector3<f64>,
}

fn relative_motion(
    system: &dyn System,
    coordinates: &[f64],
    velocity: &[f64],
    anchors: &[Anchor; 2],
) -> RelativeMotion {
    let [first, second] = anchors.map(|anchor| {
        let point = anchor.position(system, coordinates);
        let motion = BodyMotion::new(system, coordinates, velocity, anchor.body);
        (point, motion.velocity(&point), motion.bias(&point))
    });
    RelativeMotion {
        position: first.0 - second.0,
        velocity: first.1 - second.1,
        bias: first.2 - second.2,
    }
}
