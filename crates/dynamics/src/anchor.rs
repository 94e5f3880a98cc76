//! Points fixed to a body or to the world: [`Anchor`].

use nalgebra::{Point3, Vector3};

use crate::system::System;

/// The reason why an anchor does not belong to a system.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AnchorError {
    /// There is no such body.
    #[error("body {body} does not exist, expected an index below {count}")]
    Body {
        /// Index given.
        body: usize,
        /// Number of bodies.
        count: usize,
    },
    /// An entry of the point is NaN or infinite.
    #[error("point of an anchor has an entry {value:?}, expected finite numbers (m)")]
    NotFinite {
        /// First such entry.
        value: f64,
    },
}

/// A point fixed to a body or to the world.
///
/// # Example
///
/// The end of a rod of length 2 m that stands upright with its middle at a height of 5 m.
///
/// ```
/// use nalgebra::{Vector2, Vector3};
/// use percussion_dynamics::{Anchor, PlanarBodies, PlanarBody};
/// use std::f64::consts::FRAC_PI_2;
///
/// let system = PlanarBodies::new(vec![PlanarBody::new(1.0, 1.0)], Vector2::new(0.0, 0.0))?;
/// let end = Anchor::on_body(0, Vector3::new(1.0, 0.0, 0.0));
/// let position = end.position(&system, &[0.0, 5.0, FRAC_PI_2]);
/// assert!((position - Vector3::new(0.0, 6.0, 0.0)).norm() < 1e-15);
/// # Ok::<(), percussion_dynamics::FreeBodiesError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchor {
    /// Body that carries the point, or `None` for the world.
    pub body: Option<usize>,
    /// The point (m) in the frame of the body, or of the world.
    pub point: Vector3<f64>,
}

impl Anchor {
    /// The point `point` (m, body frame) of `body`.
    #[must_use]
    pub fn on_body(body: usize, point: Vector3<f64>) -> Self {
        Self { body: Some(body), point }
    }

    /// The point `point` (m) of the world, which never moves.
    #[must_use]
    pub fn in_world(point: Vector3<f64>) -> Self {
        Self { body: None, point }
    }

    /// Checks that the body exists in `system` and that the point is finite.
    ///
    /// # Errors
    ///
    /// See [`AnchorError`].
    pub fn check(&self, system: &dyn System) -> Result<(), AnchorError> {
        let count = system.body_count();
        match (self.body, self.point.iter().find(|entry| !entry.is_finite())) {
            (Some(body), _) if body >= count => Err(AnchorError::Body { body, count }),
            (_, Some(&value)) => Err(AnchorError::NotFinite { value }),
            _ => Ok(()),
        }
    }

    /// Position of the point in the world (m).
    #[must_use]
    pub fn position(&self, system: &dyn System, coordinates: &[f64]) -> Vector3<f64> {
        match self.body {
            Some(body) => (system.pose(coordinates, body) * Point3::from(self.point)).coords,
            None => self.point,
        }
    }

    /// Adds `scale · directionᵀ J_point` to `row` as [`System::add_point_row`] does, for the point of the anchor's
    /// body that is now at the world position `point`. Adds nothing for the world.
    pub fn add_point_row(
        &self,
        system: &dyn System,
        coordinates: &[f64],
        point: &Vector3<f64>,
        direction: &Vector3<f64>,
        scale: f64,
        row: &mut [f64],
    ) {
        if let Some(body) = self.body {
            system.add_point_row(coordinates, body, point, direction, scale, row);
        }
    }
}
