//! Shapes that bodies of any size have: [`Mold`].

use nalgebra::{Isometry3, Translation3, Vector3};
use percussion_collision::{Collider, Shape};
use percussion_dynamics::{Dimension, MassProperties};

use super::{
    balls::{self, Ball},
    form::Form,
    settings::Error,
};
use crate::range;

/// A homogeneous shape, which [bodies](Form) of any size and mass have: the union of convex parts.
///
/// # Example
///
/// A cube of 1 m, and the body of 1 cm and 2.5 g that it gives.
///
/// ```
/// use nalgebra::Vector3;
/// use percussion_collision::Shape;
/// use percussion_granular::bodies::Mold;
///
/// let cube = Mold::solid(Shape::Box { half_extents: Vector3::repeat(0.5) })?;
/// assert!((cube.diameter() - (6.0 / std::f64::consts::PI).cbrt()).abs() < 1e-15);
/// assert!((cube.radius() - 0.75_f64.sqrt()).abs() < 1e-15);
/// let form = cube.form(0.01, 2.5e-3, 0.5)?;
/// assert!((form.inertia()[(0, 0)] / (2.5e-3 * 1e-4 / 6.0) - 1.0).abs() < 1e-12);
/// # Ok::<(), percussion_granular::bodies::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Mold {
    /// Shapes and their poses in the axes in which they were given.
    parts: Vec<(Shape, Isometry3<f64>)>,
    /// Of density 1.
    properties: MassProperties,
    radius: f64,
}

impl Mold {
    /// The union of balls; where they overlap, the matter counts once.
    ///
    /// # Errors
    ///
    /// Those of [`Form::clump`].
    pub fn clump(clump: &[Ball]) -> Result<Self, Error> {
        let part = |ball: &Ball| {
            let pose = Isometry3::from(Translation3::from(ball.center));
            (Shape::Sphere { radius: ball.radius }, pose)
        };
        let radius = Form::clump(clump, 1.0, 0.0)?.radius();
        let properties = balls::mass_properties(clump, 1.0)?;
        Ok(Self { parts: clump.iter().map(part).collect(), properties, radius })
    }

    /// A convex shape of space that is bounded.
    ///
    /// # Errors
    ///
    /// Those of [`Form::new`].
    pub fn solid(shape: Shape) -> Result<Self, Error> {
        let properties = shape.mass_properties(shape.volume(Dimension::Space), Dimension::Space)?;
        let part = Collider::on_body(0, shape.clone());
        let part = part.map_err(|source| Error::Collider { index: 0, source })?;
        let radius = Form::new(vec![part], &properties)?.radius();
        Ok(Self { parts: vec![(shape, Isometry3::identity())], properties, radius })
    }

    /// Volume (m³).
    #[must_use]
    pub fn volume(&self) -> f64 {
        self.properties.mass()
    }

    /// Diameter of the ball of equal volume (m).
    #[must_use]
    pub fn diameter(&self) -> f64 {
        (6.0 / std::f64::consts::PI * self.volume()).cbrt()
    }

    /// Radius of a ball about the center of mass that contains the shape (m).
    #[must_use]
    pub const fn radius(&self) -> f64 {
        self.radius
    }

    /// How far the shape reaches from its center of mass in a direction of length 1, in its own axes (m).
    ///
    /// # Example
    ///
    /// ```
    /// use nalgebra::Vector3;
    /// use percussion_granular::bodies::{Ball, Mold};
    ///
    /// let ball = |x| Ball { center: Vector3::new(x, 0.0, 0.0), radius: 1.0 };
    /// let clump = Mold::clump(&[ball(0.0), ball(1.0)])?;
    /// assert!((clump.reach(&Vector3::x()) - 1.5).abs() < 1e-12);
    /// assert!((clump.reach(&Vector3::y()) - 1.0).abs() < 1e-12);
    /// # Ok::<(), percussion_granular::bodies::Error>(())
    /// ```
    #[must_use]
    pub fn reach(&self, direction: &Vector3<f64>) -> f64 {
        let of = |(shape, pose): (&Shape, Isometry3<f64>)| {
            let along = direction.dot(&pose.translation.vector);
            let own = pose.inverse_transform_vector(direction);
            let farthest = match (shape, shape.polyhedron()) {
                (Shape::Sphere { radius }, _) => *radius,
                (_, Some(hull)) => {
                    let corners = hull.vertices().iter().map(|vertex| vertex.dot(&own));
                    corners.fold(f64::NEG_INFINITY, f64::max)
                }
                // Of other shapes a bound.
                _ => self.radius + pose.translation.vector.norm(),
            };
            along + farthest
        };
        self.parts().map(of).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Number of parts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// Whether there are no parts, which is never the case.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The parts, with their poses relative to the center of mass.
    pub fn parts(&self) -> impl Iterator<Item = (&Shape, Isometry3<f64>)> {
        let center = self.properties.center_of_mass();
        self.parts.iter().map(move |(shape, pose)| {
            let mut pose = *pose;
            pose.translation.vector -= center;
            (shape, pose)
        })
    }

    /// The body that is `scale` times as large, of this mass (kg), with this friction if there are no materials.
    ///
    /// # Errors
    ///
    /// Those of [`Form::new`].
    pub fn form(&self, scale: f64, mass: f64, friction: f64) -> Result<Form, Error> {
        if !range::is_positive(scale) {
            let name = "factor on the size of the mold";
            return Err(Error::Form { name, value: scale, expected: range::POSITIVE });
        }
        let invalid = |index| move |source| Error::Collider { index, source };
        let part = |(index, (shape, pose)): (usize, &(Shape, Isometry3<f64>))| {
            let mut pose = *pose;
            pose.translation.vector *= scale;
            let shape = scaled(shape, scale).ok_or(Error::Part { index, name: shape.name() })?;
            let part = Collider::on_body(0, shape);
            let part = part.and_then(|part| part.with_pose(pose));
            part.and_then(|part| part.with_friction(friction)).map_err(invalid(index))
        };
        let parts = self.parts.iter().enumerate().map(part).collect::<Result<_, _>>()?;
        let inertia = mass / self.volume() * scale * scale * self.properties.inertia();
        let center = scale * self.properties.center_of_mass();
        Form::new(parts, &MassProperties::new(mass, center, inertia)?)
    }
}

/// A shape that is `scale` times as large.
fn scaled(shape: &Shape, scale: f64) -> Option<Shape> {
    Some(match shape {
        Shape::Sphere { radius } => Shape::Sphere { radius: scale * radius },
        Shape::Box { half_extents } => Shape::Box { half_extents: scale * half_extents },
        Shape::Capsule { half_length, radius } => {
            Shape::Capsule { half_length: scale * half_length, radius: scale * radius }
        }
        Shape::Cylinder { half_height, radius } => {
            Shape::Cylinder { half_height: scale * half_height, radius: scale * radius }
        }
        Shape::Rod { length, radius } => {
            Shape::Rod { length: scale * length, radius: scale * radius }
        }
        Shape::Hull(hull) => {
            let points: Vec<Vector3<f64>> =
                hull.vertices().iter().map(|vertex| scale * vertex).collect();
            Shape::hull(&points).ok()?
        }
        _ => return None,
    })
}
