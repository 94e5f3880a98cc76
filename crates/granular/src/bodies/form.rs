//! Shape, surface and mass of bodies: [`Form`].

use std::f64::consts::PI;

use nalgebra::{Isometry3, Matrix3, Vector3};
use percussion_collision::{Collider, ColliderError, Shape};
use percussion_dynamics::{Dimension, MassProperties};

use super::{
    balls::{self, Ball},
    settings::Error,
};
use crate::range;

/// Minimum and maximum moment of inertia (kg·m²): mass times length squared at their bounds.
const MOMENTS: [f64; 2] = [1e-225, 1e225];

/// Shape, surface and mass that many bodies may share.
///
/// It is a union of convex parts, which may overlap, in a frame whose origin is the center of mass.
///
/// # Example
///
/// Two balls of 0.1 m whose centers are 0.1 m apart: each loses a cap, so that 27/16 of a ball remains.
///
/// ```
/// use nalgebra::Vector3;
/// use percussion_granular::bodies::{Ball, Form};
///
/// let ball = |x| Ball { center: Vector3::new(x, 0.0, 0.0), radius: 0.1 };
/// let clump = Form::clump(&[ball(0.0), ball(0.1)], 2500.0, 0.5)?;
/// let one = 2500.0 * 4.0 / 3.0 * std::f64::consts::PI * 1e-3;
/// assert!((clump.mass() / one - 27.0 / 16.0).abs() < 1e-12);
/// assert!((clump.radius() - 0.15).abs() < 1e-12);
/// # Ok::<(), percussion_granular::bodies::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Form {
    pub(super) parts: Vec<Part>,
    mass: f64,
    inertia: Matrix3<f64>,
    /// `I⁻¹`.
    pub(super) yielding: Matrix3<f64>,
    radius: f64,
    /// A ball of this radius.
    pub(super) hull: Collider,
    shift: Vector3<f64>,
    /// Number in the table of materials.
    pub(crate) material: u8,
    pub(super) has_balls: bool,
    /// Whether there are parts with flat faces.
    pub(super) has_corners: bool,
    /// Number of its mold in a [`Collection`](crate::Collection), and how many times as large it is.
    pub(crate) origin: (usize, f64),
}

/// A collider with a ball around it, in the frame of the form.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Part {
    pub(super) collider: Collider,
    pub(super) center: Vector3<f64>,
    pub(super) radius: f64,
}

impl Form {
    /// Builds the union of `parts`, with the mass, center of mass and inertia of `mass`, all in the same
    /// axes.
    ///
    /// Friction is that of the colliders. Their bodies are not used, nor their restitution, which only
    /// [`Materials`](crate::Materials) have.
    ///
    /// # Errors
    ///
    /// [`Error::Part`] for a shape that is not bounded or not three-dimensional; [`Error::Moment`] for a body
    /// that has no inertia about some axis; [`Error::Form`] for a mass or size beyond `1e±75`;
    /// [`Error::Collider`]; [`Error::NoParts`].
    pub fn new(parts: Vec<Collider>, mass: &MassProperties) -> Result<Self, Error> {
        if !range::is_positive(mass.mass()) {
            return Err(Error::Form {
                name: "mass",
                value: mass.mass(),
                expected: range::POSITIVE,
            });
        }
        let [value, .., largest] = mass.principal_moments();
        // Moments are accurate to a few roundings of the largest: below that the inverse would be arbitrary.
        let least = MOMENTS[0].max(16.0 * f64::EPSILON * largest);
        if !(value >= least && largest <= MOMENTS[1]) {
            return Err(Error::Moment { value, largest });
        }
        let shift = mass.center_of_mass();
        let parts: Vec<Part> = parts
            .into_iter()
            .enumerate()
            .map(|(index, collider)| Part::new(index, collider, &shift))
            .collect::<Result<_, _>>()?;
        let farthest = parts.iter().map(|part| part.center.norm() + part.radius).reduce(f64::max);
        let radius = farthest.ok_or(Error::NoParts)?;
        if !range::is_positive(radius) {
            let name = "radius of a ball around it";
            return Err(Error::Form { name, value: radius, expected: range::POSITIVE });
        }
        let inertia = mass.inertia();
        // Scaled by a power of two, which changes no digit, so that the determinant is about one.
        let scale = largest.log2().floor().exp2();
        let yielding = (inertia / scale).try_inverse().ok_or(Error::Moment { value, largest })?;
        let yielding = 0.5 * (yielding + yielding.transpose()) / scale;
        let hull = Collider::on_body(0, Shape::Sphere { radius })
            .map_err(|source| Error::Collider { index: 0, source })?;
        let has = |flat: bool| {
            let mut shapes = parts.iter().map(|part| part.collider.shape());
            shapes.any(|shape| matches!(shape, Shape::Sphere { .. }) != flat)
        };
        let [has_balls, has_corners] = [false, true].map(has);
        let (mass, material, origin) = (mass.mass(), 0, (0, 1.0));
        Ok(Self {
            parts,
            mass,
            inertia,
            yielding,
            radius,
            hull,
            shift,
            material,
            has_balls,
            has_corners,
            origin,
        })
    }

    /// Builds a rigid body from balls of uniform `density` (kg/m³); where they overlap, the matter counts
    /// once.
    ///
    /// Mass, center and inertia of the union are integrated over slices. Each slice is a union of discs whose
    /// moments follow from its boundary; between the heights at which the slices change, Gauss's quadrature
    /// is used. The accuracy is about `1e-13` of their size.
    ///
    /// # Errors
    ///
    /// [`Error::Mass`] for a density that is not positive; [`Error::Ball`] for an invalid ball;
    /// [`Error::Collider`] for an invalid friction; [`Error::NoParts`]; those of [`new`](Self::new).
    pub fn clump(clump: &[Ball], density: f64, friction: f64) -> Result<Self, Error> {
        let part = |ball: &Ball| {
            Collider::on_body(0, Shape::Sphere { radius: ball.radius })?
                .with_pose(Isometry3::from(nalgebra::Translation3::from(ball.center)))?
                .with_friction(friction)
        };
        for (index, ball) in clump.iter().enumerate() {
            let fault = range::unbounded(ball.center.as_slice())
                .map(|value| ("center", value, range::BOUNDED))
                .or_else(|| {
                    let is_positive = range::is_positive(ball.radius);
                    (!is_positive).then_some(("radius", ball.radius, range::POSITIVE))
                });
            if let Some((name, value, expected)) = fault {
                return Err(Error::Ball { index, name, value, expected });
            }
        }
        let parts: Result<Vec<_>, ColliderError> = clump.iter().map(part).collect();
        let parts = parts.map_err(|source| Error::Collider { index: 0, source })?;
        if parts.is_empty() {
            return Err(Error::NoParts);
        }
        Self::new(parts, &balls::mass_properties(clump, density)?)
    }

    /// A solid box; half of its edge lengths are given along the axes (m).
    ///
    /// # Errors
    ///
    /// [`Error::Mass`], [`Error::Collider`].
    pub fn cuboid(half_extents: Vector3<f64>, mass: f64, friction: f64) -> Result<Self, Error> {
        let mass = MassProperties::solid_box(mass, &(2.0 * half_extents))?;
        let part = Collider::on_body(0, Shape::Box { half_extents });
        let part = part.and_then(|part| part.with_friction(friction));
        Self::new(vec![part.map_err(|source| Error::Collider { index: 0, source })?], &mass)
    }

    /// A solid ball of `radius` (m) and `density` (kg/m³).
    ///
    /// # Errors
    ///
    /// [`Error::Mass`], [`Error::Collider`].
    pub fn ball(radius: f64, density: f64, friction: f64) -> Result<Self, Error> {
        let mass = 4.0 / 3.0 * PI * radius.powi(3) * density;
        let mass = MassProperties::solid_sphere(mass, radius)?;
        let part = Collider::on_body(0, Shape::Sphere { radius });
        let part = part.and_then(|part| part.with_friction(friction));
        Self::new(vec![part.map_err(|source| Error::Collider { index: 0, source })?], &mass)
    }

    /// Mass (kg).
    #[must_use]
    pub const fn mass(&self) -> f64 {
        self.mass
    }

    /// Inertia about the center of mass (kg·m²).
    #[must_use]
    pub const fn inertia(&self) -> &Matrix3<f64> {
        &self.inertia
    }

    /// Radius of a ball about the center of mass that contains all parts (m).
    #[must_use]
    pub const fn radius(&self) -> f64 {
        self.radius
    }

    /// The center of mass in the axes in which the parts were given (m).
    #[must_use]
    pub const fn center_of_mass(&self) -> &Vector3<f64> {
        &self.shift
    }

    /// Returns the form of this material, whose number means something after
    /// [`Bodies::set_materials`](super::Bodies::set_materials); default 0.
    #[must_use]
    pub fn of_material(self, material: u8) -> Self {
        Self { material, ..self }
    }

    /// Number of its material.
    #[must_use]
    pub const fn material(&self) -> u8 {
        self.material
    }

    /// The parts in the frame of the form.
    pub fn colliders(&self) -> impl Iterator<Item = &Collider> {
        self.parts.iter().map(|part| &part.collider)
    }
}

impl Part {
    /// The collider moved back by `shift`.
    fn new(index: usize, collider: Collider, shift: &Vector3<f64>) -> Result<Self, Error> {
        let name = collider.shape().name();
        let radius = bound(collider.shape()).ok_or(Error::Part { index, name })?;
        let mut pose = *collider.pose();
        pose.translation.vector -= shift;
        let collider =
            collider.with_pose(pose).map_err(|source| Error::Collider { index, source })?;
        Ok(Self { collider, center: pose.translation.vector, radius })
    }
}

/// Radius of a ball about the origin that contains the shape (m), if the shape is bounded and
/// three-dimensional.
fn bound(shape: &Shape) -> Option<f64> {
    if !shape.fits(Dimension::Space) {
        return None;
    }
    match shape {
        Shape::Sphere { radius } => Some(*radius),
        Shape::Box { half_extents } => Some(half_extents.norm()),
        Shape::Capsule { half_length, radius } => Some(half_length + radius),
        Shape::Cylinder { half_height, radius } => Some(half_height.hypot(*radius)),
        Shape::Hull(hull) => hull.vertices().iter().map(|vertex| vertex.norm()).reduce(f64::max),
        Shape::Rod { length, radius } => Some(0.5 * length + radius),
        _ => None,
    }
}
