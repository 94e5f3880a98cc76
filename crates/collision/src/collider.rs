//! Shapes attached to bodies: [`Collider`].

use nalgebra::{Isometry3, Point3, Vector3};
use percussion_dynamics::{Dimension, System};

use crate::{
    coefficients,
    feature::Feature,
    lengths::LARGEST,
    shape::{Shape, ShapeError},
    solid::{Placed, Solid},
};

/// Maximum tilt of a pose in the plane (rad), a few roundings of a product of poses.
const PLANAR: f64 = 1e-14;

/// Maximum deviation of the norm of a quaternion from 1, as in coordinates of systems.
const NORMALIZED: f64 = 1e-6;

/// The reason why a collider is refused.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ColliderError {
    /// The shape is invalid.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A coefficient is out of range.
    #[error(transparent)]
    Coefficient(#[from] coefficients::Error),
    /// An entry of the pose is NaN, infinite or beyond 1e12 m.
    #[error("pose of a collider has an entry {value:?}, expected numbers within ±1e12")]
    Pose {
        /// First such entry.
        value: f64,
    },
    /// The quaternion of the pose is not normalized.
    #[error("quaternion of the pose of a collider has norm {norm:?}, expected 1 within 1e-6")]
    QuaternionNorm {
        /// Norm found.
        norm: f64,
    },
    /// There is no such body.
    #[error("body {body} does not exist, expected an index below {count}")]
    Body {
        /// Index given.
        body: usize,
        /// Number of bodies.
        count: usize,
    },
    /// The shape does not exist in the dimension of the system.
    #[error("a {shape} in a system of dimension {dimension:?}, expected a shape of that dimension")]
    Dimension {
        /// Name of the shape.
        shape: &'static str,
        /// Dimension of the system.
        dimension: Dimension,
    },
    /// The pose of a collider of a planar system leaves the plane.
    #[error("pose of a collider leaves the plane by {value:?}, expected z = 0 and a turn about z")]
    OutOfPlane {
        /// The `z` entry of its position (m) or of a quaternion component about `x` or `y`.
        value: f64,
    },
}

/// A shape on a body, or fixed in the world, with the coefficients of its surface.
///
/// # Example
///
/// A foot: a sphere of 2 cm at the end of a shank of 0.4 m along `−z`.
///
/// ```
/// use nalgebra::{Isometry3, Point3, Vector3};
/// use percussion_collision::{Collider, Shape};
///
/// let foot = Collider::on_body(3, Shape::Sphere { radius: 0.02 })?
///     .with_pose(Isometry3::translation(0.0, 0.0, -0.4))?
///     .with_friction(0.8)?;
/// assert_eq!((foot.body(), foot.friction(), foot.restitution()), (Some(3), 0.8, 0.0));
/// # Ok::<(), percussion_collision::ColliderError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Collider {
    body: Option<usize>,
    pose: Isometry3<f64>,
    /// Whether the pose is the identity.
    is_centered: bool,
    shape: Shape,
    solid: Solid,
    friction: f64,
    restitution: f64,
}

impl Collider {
    /// `shape` on `body`, in the frame of the body, without friction and restitution.
    ///
    /// # Errors
    ///
    /// [`ColliderError::Shape`].
    pub fn on_body(body: usize, shape: Shape) -> Result<Self, ColliderError> {
        Self::new(Some(body), shape)
    }

    /// `shape` fixed in the world, in its frame, without friction and restitution.
    ///
    /// # Errors
    ///
    /// [`ColliderError::Shape`].
    pub fn fixed(shape: Shape) -> Result<Self, ColliderError> {
        Self::new(None, shape)
    }

    fn new(body: Option<usize>, shape: Shape) -> Result<Self, ColliderError> {
        shape.check()?;
        let solid = Solid::from(&shape);
        let pose = Isometry3::identity();
        let is_centered = true;
        Ok(Self { body, pose, is_centered, shape, solid, friction: 0.0, restitution: 0.0 })
    }

    /// The same collider at `pose` (m) in the frame of its body, or of the world.
    ///
    /// # Errors
    ///
    /// [`ColliderError::Pose`], [`ColliderError::QuaternionNorm`].
    pub fn with_pose(self, pose: Isometry3<f64>) -> Result<Self, ColliderError> {
        check_pose(&pose)?;
        let is_centered = pose == Isometry3::identity();
        Ok(Self { pose, is_centered, ..self })
    }

    /// Whether the frame of the shape is that of the body.
    pub(crate) const fn is_centered(&self) -> bool {
        self.is_centered
    }

    /// The same collider with this friction coefficient (at least 0).
    ///
    /// # Errors
    ///
    /// [`ColliderError::Coefficient`].
    pub fn with_friction(self, friction: f64) -> Result<Self, ColliderError> {
        coefficients::check_friction(friction)?;
        Ok(Self { friction, ..self })
    }

    /// The same collider with this coefficient of restitution (between 0 and 1).
    ///
    /// # Errors
    ///
    /// [`ColliderError::Coefficient`].
    pub fn with_restitution(self, restitution: f64) -> Result<Self, ColliderError> {
        coefficients::check_restitution(restitution)?;
        Ok(Self { restitution, ..self })
    }

    /// The body that carries it, or `None` for the world.
    #[must_use]
    pub fn body(&self) -> Option<usize> {
        self.body
    }

    /// Its pose in the frame of the body, or of the world.
    #[must_use]
    pub fn pose(&self) -> &Isometry3<f64> {
        &self.pose
    }

    /// Its shape.
    #[must_use]
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Whether its shape has this feature; for instance a box has no `Vertex(8)`.
    #[must_use]
    pub fn has(&self, feature: Feature) -> bool {
        // A rod has sides in the plane, the only case in which they are features.
        let planar = matches!(self.shape, Shape::Rod { .. });
        let dimension = if planar { Dimension::Plane } else { Dimension::Space };
        self.solid.has(feature, dimension)
    }

    /// Friction coefficient of its surface.
    #[must_use]
    pub fn friction(&self) -> f64 {
        self.friction
    }

    /// Coefficient of restitution of its surface.
    #[must_use]
    pub fn restitution(&self) -> f64 {
        self.restitution
    }

    /// Checks that the body exists in `system` and that shape and pose fit its dimension.
    ///
    /// # Errors
    ///
    /// [`ColliderError::Body`], [`ColliderError::Dimension`], [`ColliderError::OutOfPlane`].
    pub fn check(&self, system: &dyn System) -> Result<(), ColliderError> {
        let count = system.body_count();
        if let Some(body) = self.body.filter(|body| *body >= count) {
            return Err(ColliderError::Body { body, count });
        }
        let dimension = system.dimension();
        if !self.shape.fits(dimension) {
            return Err(ColliderError::Dimension { shape: self.shape.name(), dimension });
        }
        if dimension == Dimension::Plane {
            let q = &self.pose.rotation;
            let out = [(self.pose.translation.z, 0.0), (q.i, PLANAR), (q.j, PLANAR)];
            if let Some(&(value, _)) = out.iter().find(|(value, limit)| value.abs() > *limit) {
                return Err(ColliderError::OutOfPlane { value });
            }
        }
        Ok(())
    }

    pub(crate) fn solid(&self) -> &Solid {
        &self.solid
    }

    /// The solid at its position in `system`.
    pub(crate) fn placed(&self, system: &dyn System, coordinates: &[f64]) -> Placed<'_> {
        let pose = match self.body {
            Some(body) => system.pose(coordinates, body) * self.pose,
            None => self.pose,
        };
        Placed::new(&self.solid, pose)
    }

    /// Maximum distance of a point of the collider from the origin of its body (m); 0 for a half-space.
    pub(crate) fn radius(&self) -> f64 {
        let (solid, pose) = (self.solid(), self.pose());
        match *solid {
            Solid::HalfSpace { .. } => 0.0,
            Solid::Cylinder { half_height, radius } => {
                let axis = pose.rotation * Vector3::z();
                let of_cap = |side: f64| {
                    let center = pose.translation.vector + side * half_height * axis;
                    let along = center.dot(&axis);
                    along.hypot((center - along * axis).norm() + radius)
                };
                of_cap(1.0).max(of_cap(-1.0))
            }
            _ => {
                let distance = |index| (pose * Point3::from(solid.vertex(index))).coords.norm();
                let farthest = (0..solid.vertex_count()).map(distance).fold(0.0, f64::max);
                farthest + solid.rounding()
            }
        }
    }
}

/// Refuses a pose that queries cannot handle.
pub(crate) fn check_pose(pose: &Isometry3<f64>) -> Result<(), ColliderError> {
    let mut entries = pose.translation.vector.iter().chain(pose.rotation.coords.iter());
    if let Some(&value) = entries.find(|entry| !(-LARGEST..=LARGEST).contains(*entry)) {
        return Err(ColliderError::Pose { value });
    }
    let norm = pose.rotation.coords.norm();
    if (norm - 1.0).abs() > NORMALIZED {
        return Err(ColliderError::QuaternionNorm { norm });
    }
    Ok(())
}
