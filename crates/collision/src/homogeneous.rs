//! Volume, mass and inertia of homogeneous shapes: [`Shape::volume`] and [`Shape::mass_properties`].
//!
//! A polyhedron is the sum of tetrahedra between an inner point and the triangles `(a, b, c)` of its faces. With
//! corners relative to that point and `d = a · (b × c)`, each tetrahedron has the volume `d/6` and the second moment
//!
//! ```math
//! \int x\,x^\mathsf{T}\,\mathrm{d}V = \tfrac{d}{120}\,\bigl(a a^\mathsf{T} + b b^\mathsf{T} + c c^\mathsf{T} + s s^\mathsf{T}\bigr),
//! \qquad s = a + b + c.
//! ```
//!
//! # Source
//!
//! B. Mirtich, "Fast and accurate computation of polyhedral mass properties", *Journal of Graphics Tools* 1(2) (1996)
//! 31–50, states the integrals; the sum over tetrahedra follows from the moments of a simplex.

use std::f64::consts::PI;

use nalgebra::{Isometry3, Matrix3, Vector3};
use percussion_dynamics::{Dimension, MassProperties, MassPropertiesError};

use crate::{hull::Hull, shape::Shape};

impl Shape {
    /// The volume (m³); for shapes of the plane, and a rod in the plane, the area (m²). A half-space has no finite
    /// volume.
    ///
    /// # Example
    ///
    /// ```
    /// use nalgebra::Vector3;
    /// use percussion_collision::Shape;
    /// use percussion_dynamics::Dimension;
    ///
    /// let brick = Shape::Box { half_extents: Vector3::new(0.5, 1.0, 2.0) };
    /// assert_eq!(brick.volume(Dimension::Space), 8.0);
    /// ```
    #[must_use]
    pub fn volume(&self, dimension: Dimension) -> f64 {
        let capsule = |length: f64, r: f64| PI * r * r * (length + 4.0 / 3.0 * r);
        match self {
            Self::Sphere { radius } => 4.0 / 3.0 * PI * radius.powi(3),
            Self::HalfSpace { .. } => f64::INFINITY,
            Self::Box { half_extents } => 8.0 * half_extents.product(),
            Self::Capsule { half_length, radius } => capsule(2.0 * half_length, *radius),
            Self::Cylinder { half_height, radius } => 2.0 * half_height * PI * radius * radius,
            Self::Hull(hull) => Moments::of(hull).volume,
            Self::Rod { length, radius } => match dimension {
                Dimension::Space => capsule(*length, *radius),
                Dimension::Plane => radius * (2.0 * length + PI * radius),
            },
            Self::Disc { radius } => PI * radius * radius,
            Self::Rectangle { half_extents } => 4.0 * half_extents.product(),
        }
    }

    /// Mass, center of mass and inertia of the homogeneous solid of `mass` (kg), in the frame of the shape. In the
    /// plane it is a plate, of which only the moment about `z` is used.
    ///
    /// # Errors
    ///
    /// [`MassPropertiesError`] for a mass that is not positive and finite, and for a half-space.
    ///
    /// # Example
    ///
    /// A cylinder of radius `r = 1` m and height `h = 2` m.
    ///
    /// ```
    /// use percussion_collision::Shape;
    /// use percussion_dynamics::Dimension;
    ///
    /// let cylinder = Shape::Cylinder { half_height: 1.0, radius: 1.0 };
    /// let inertia = cylinder.mass_properties(2.0, Dimension::Space)?.inertia();
    /// assert!((inertia[(2, 2)] - 2.0 / 2.0).abs() < 1e-15); // m r² / 2, about the axis
    /// assert!((inertia[(0, 0)] - 2.0 * (1.0 / 4.0 + 4.0 / 12.0)).abs() < 1e-15); // m (r² / 4 + h² / 12)
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn mass_properties(
        &self,
        mass: f64,
        dimension: Dimension,
    ) -> Result<MassProperties, MassPropertiesError> {
        let upright = |solid: MassProperties| {
            // The axis of solids of revolution is x.
            let moments = solid.inertia();
            let (axis, across) = (moments[(0, 0)], moments[(1, 1)]);
            let diagonal = Matrix3::from_diagonal(&Vector3::new(across, across, axis));
            MassProperties::new(mass, Vector3::zeros(), diagonal)
        };
        let plate = |x: f64, y: f64, z: f64| {
            let moments = mass * Vector3::new(x, y, z);
            MassProperties::new(mass, Vector3::zeros(), Matrix3::from_diagonal(&moments))
        };
        match self {
            Self::Sphere { radius } => MassProperties::solid_sphere(mass, *radius),
            Self::HalfSpace { .. } => plate(f64::INFINITY, f64::INFINITY, f64::INFINITY),
            Self::Box { half_extents } => MassProperties::solid_box(mass, &(2.0 * half_extents)),
            Self::Capsule { half_length, radius } => {
                upright(MassProperties::capsule(mass, *radius, 2.0 * half_length)?)
            }
            Self::Cylinder { half_height, radius } => {
                upright(MassProperties::solid_cylinder(mass, *radius, 2.0 * half_height)?)
            }
            Self::Hull(hull) => Moments::of(hull).mass_properties(mass),
            Self::Rod { length, radius } if dimension == Dimension::Space => {
                MassProperties::capsule(mass, *radius, *length)
            }
            Self::Rod { length, radius } => {
                let [x, z] = stadium(*length, *radius);
                plate(x, z - x, z)
            }
            Self::Disc { radius } => {
                let z = 0.5 * radius * radius;
                plate(0.5 * z, 0.5 * z, z)
            }
            Self::Rectangle { half_extents: h } => {
                let [x, y] = [h.y * h.y / 3.0, h.x * h.x / 3.0];
                plate(x, y, x + y)
            }
        }
    }
}

/// Moments about `x` and `z`, per mass, of the region within `r` of a segment of length `l` on `x`: a rectangle of area
/// `2 r l` and two half-discs whose centroids lie `4 r / 3π` beyond its ends.
fn stadium(l: f64, r: f64) -> [f64; 2] {
    let (rectangle, disc) = (2.0 * r * l, PI * r * r);
    let beyond = 4.0 * r / (3.0 * PI);
    let x = rectangle * r * r / 3.0 + disc * 0.25 * r * r;
    let z =
        rectangle * (l * l + 4.0 * r * r) / 12.0 + disc * (0.5 * r * r + 0.25 * l * l + l * beyond);
    [x, z].map(|moment| moment / (rectangle + disc))
}

/// Integrals over a polyhedron.
struct Moments {
    /// m³.
    volume: f64,
    /// Its center (m).
    center: Vector3<f64>,
    /// `∫ x xᵀ dV / V` about the center (m²).
    spread: Matrix3<f64>,
}

impl Moments {
    fn of(hull: &Hull) -> Self {
        let vertices = hull.vertices();
        let inner = vertices.iter().sum::<Vector3<f64>>() / vertices.len() as f64;
        let (mut volume, mut first, mut second) = (0.0, Vector3::zeros(), Matrix3::zeros());
        for face in hull.faces() {
            let corner = |index: usize| vertices[face.vertices[index]] - inner;
            for k in 1..face.vertices.len() - 1 {
                let [a, b, c] = [corner(0), corner(k), corner(k + 1)];
                let (six_volumes, sum) = (a.dot(&b.cross(&c)), a + b + c);
                volume += six_volumes / 6.0;
                first += sum * (six_volumes / 24.0);
                let squares = [a, b, c, sum].map(|v| v * v.transpose());
                second += squares.iter().sum::<Matrix3<f64>>() * (six_volumes / 120.0);
            }
        }
        let center = first / volume;
        let spread = second / volume - center * center.transpose();
        Self { volume, center: inner + center, spread: 0.5 * (spread + spread.transpose()) }
    }

    fn mass_properties(&self, mass: f64) -> Result<MassProperties, MassPropertiesError> {
        let spread = self.spread;
        let inertia = (Matrix3::from_diagonal_element(spread.trace()) - spread) * mass;
        MassProperties::new(mass, self.center, inertia)
    }
}

/// Mass, center of mass and inertia of `parts`, each a shape at a pose, of the same density and of `mass` (kg) in
/// total. Where parts overlap, the material is counted twice.
///
/// # Errors
///
/// [`MassPropertiesError`], as [`Shape::mass_properties`], and if there are no parts.
pub fn composite(
    parts: &[(Shape, Isometry3<f64>)],
    mass: f64,
    dimension: Dimension,
) -> Result<MassProperties, MassPropertiesError> {
    let total: f64 = parts.iter().map(|(shape, _)| shape.volume(dimension)).sum();
    let part = |(shape, pose): &(Shape, Isometry3<f64>)| {
        let own = shape.mass_properties(mass * (shape.volume(dimension) / total), dimension)?;
        let turned = own.rotated(&pose.rotation);
        // Rotation leaves an asymmetry of the order of rounding.
        let inertia = 0.5 * (turned.inertia() + turned.inertia().transpose());
        let center = turned.center_of_mass() + pose.translation.vector;
        MassProperties::new(own.mass(), center, inertia)
    };
    let parts = parts.iter().map(part).collect::<Result<Vec<_>, _>>()?;
    MassProperties::composite(&parts)
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector2;

    use super::*;

    #[cfg(feature = "hulls")]
    fn corners(half: Vector3<f64>) -> Vec<Vector3<f64>> {
        let sign = |bit: usize, k: usize| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
        (0..8)
            .map(|k| Vector3::new(sign(0, k), sign(1, k), sign(2, k)).component_mul(&half))
            .collect()
    }

    #[cfg(feature = "hulls")]
    #[test]
    fn a_hull_of_the_corners_of_a_box_has_the_inertia_of_the_box() {
        let half = Vector3::new(0.3, 0.2, 0.7);
        let away = Vector3::new(10.0, -4.0, 2.0);
        let points: Vec<_> = corners(half).iter().map(|corner| corner + away).collect();
        let hull = Shape::hull(&points).unwrap();
        let found = hull.mass_properties(3.0, Dimension::Space).unwrap();
        let expected = MassProperties::solid_box(3.0, &(2.0 * half)).unwrap();
        assert!((hull.volume(Dimension::Space) - 8.0 * half.product()).abs() < 1e-13);
        assert!((found.center_of_mass() - away).norm() < 1e-13);
        assert!((found.inertia() - expected.inertia()).amax() < 1e-12, "{found:?}");
    }

    #[test]
    fn two_halves_are_a_whole() {
        let whole = Shape::Box { half_extents: Vector3::new(0.4, 0.2, 0.1) };
        // Rotated by a quarter turn about y, so that its edges are parallel to those of the whole.
        let half = Shape::Box { half_extents: Vector3::new(0.1, 0.2, 0.2) };
        let turn = Vector3::y() * std::f64::consts::FRAC_PI_2;
        let at = |x: f64| Isometry3::new(Vector3::new(x, 0.0, 0.0), turn);
        let parts = [(half.clone(), at(0.2)), (half, at(-0.2))];
        let found = composite(&parts, 2.0, Dimension::Space).unwrap();
        let expected = whole.mass_properties(2.0, Dimension::Space).unwrap();
        assert!((found.inertia() - expected.inertia()).amax() < 1e-15, "{found:?} {expected:?}");
        assert!(found.center_of_mass().norm() < 1e-15);
    }

    #[test]
    fn plates_and_solids_of_revolution_have_their_moments() {
        let moment = |shape: &Shape, dimension, axis: usize| {
            shape.mass_properties(2.0, dimension).unwrap().inertia()[(axis, axis)]
        };
        let close =
            |found: f64, expected: f64| assert!((found - expected).abs() < 1e-15, "{found}");
        close(moment(&Shape::Disc { radius: 0.3 }, Dimension::Plane, 2), 0.09);
        let rectangle = Shape::Rectangle { half_extents: Vector2::new(0.3, 0.6) };
        close(moment(&rectangle, Dimension::Plane, 2), 2.0 * (0.36 + 1.44) / 12.0);
        let cylinder = Shape::Cylinder { half_height: 0.5, radius: 0.2 };
        close(moment(&cylinder, Dimension::Space, 2), 0.04);
        close(moment(&cylinder, Dimension::Space, 0), 2.0 * (0.12 + 1.0) / 12.0);
        // A rod of no length is a disc.
        close(moment(&Shape::Rod { length: 1e-16, radius: 0.3 }, Dimension::Plane, 2), 0.09);
        let none = Shape::HalfSpace { normal: Vector3::z() };
        assert!(none.mass_properties(1.0, Dimension::Space).is_err());
    }
}
