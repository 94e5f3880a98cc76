//! The signed distance of a point from a [`Shape`], for bodies that consist of points or balls.

use nalgebra::Vector3;

use crate::{lengths::unit, shape::Shape, solid::Solid};

impl Shape {
    /// Signed distance (m, negative inside) of `point` (m, in the frame of the shape) from the surface, and the
    /// outward unit normal, the direction in which the distance grows.
    ///
    /// Inside a solid the nearest face is used, and of equally near ones the first. At the center of a sphere, and
    /// on the axis of a capsule, rod or cylinder, the normal is an axis of the frame. The shape must pass
    /// [`check`](Self::check), and the point must be finite.
    ///
    /// # Example
    ///
    /// A ball of 0.5 m touches the box if the distance of its center is at most 0.5 m.
    ///
    /// ```
    /// use nalgebra::Vector3;
    /// use percussion_collision::Shape;
    ///
    /// let shape = Shape::Box { half_extents: Vector3::new(1.0, 2.0, 3.0) };
    /// assert_eq!(shape.distance(&Vector3::new(4.0, 6.0, 0.0)), (5.0, Vector3::new(0.6, 0.8, 0.0)));
    /// assert_eq!(shape.distance(&Vector3::new(-0.75, 0.0, 1.0)), (-0.25, -Vector3::x()));
    /// ```
    #[must_use]
    pub fn distance(&self, point: &Vector3<f64>) -> (f64, Vector3<f64>) {
        match self {
            Self::Box { half_extents } => from_box(half_extents, point),
            Self::HalfSpace { normal } => {
                let normal = unit(normal).unwrap_or_else(Vector3::z);
                (normal.dot(point), normal)
            }
            _ => Solid::from(self).signed_distance(point),
        }
    }
}

fn from_box(half_extents: &Vector3<f64>, point: &Vector3<f64>) -> (f64, Vector3<f64>) {
    let outside = point - point.inf(half_extents).sup(&-half_extents);
    let distance = outside.norm();
    if distance > 0.0 {
        return (distance, outside / distance);
    }
    let depth = half_extents - point.abs();
    let face = depth.imin();
    let mut normal = Vector3::zeros();
    normal[face] = 1.0_f64.copysign(point[face]);
    (-depth[face], normal)
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector2;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn the_foot_of_every_point_is_on_the_surface() {
        let half_extents = Vector3::new(0.5, 0.8, 0.3);
        #[cfg(feature = "hulls")]
        let corners: Vec<_> = (0..8)
            .map(|i| Vector3::from_fn(|k, _| if i >> k & 1 == 0 { -1.0 } else { 1.0 }))
            .map(|signs: Vector3<f64>| signs.component_mul(&half_extents))
            .collect();
        let shapes = [
            Shape::Box { half_extents },
            #[cfg(feature = "hulls")]
            Shape::hull(&corners).unwrap(),
            #[cfg(not(feature = "hulls"))]
            Shape::Box { half_extents },
            Shape::Sphere { radius: 0.7 },
            Shape::HalfSpace { normal: Vector3::new(0.3, -2.0, 1.0) },
            Shape::Capsule { half_length: 0.6, radius: 0.2 },
            Shape::Cylinder { half_height: 0.4, radius: 0.5 },
            Shape::Rod { length: 1.0, radius: 0.3 },
        ];
        let mut random = ChaCha8Rng::seed_from_u64(2);
        for _ in 0..200 {
            let point = Vector3::from_fn(|_, _| random.random_range(-1.2..1.2));
            let [of_box, of_hull] = [&shapes[0], &shapes[1]].map(|shape| shape.distance(&point));
            assert!((of_box.0 - of_hull.0).abs() < 1e-14, "{point}: {of_box:?} {of_hull:?}");
            for shape in &shapes {
                let (distance, normal) = shape.distance(&point);
                assert!((normal.norm() - 1.0).abs() < 1e-14, "{shape:?} {point}");
                let (rest, _) = shape.distance(&(point - distance * normal));
                assert!(rest.abs() < 1e-14, "{shape:?} {point}: {rest}");
            }
        }
    }

    #[test]
    fn shapes_of_the_plane_have_distances_in_it() {
        let point = Vector3::new(3.0, 4.0, 0.0);
        let disc = Shape::Disc { radius: 1.0 };
        assert_eq!(disc.distance(&point), (4.0, Vector3::new(0.6, 0.8, 0.0)));
        let rectangle = Shape::Rectangle { half_extents: Vector2::new(3.5, 1.0) };
        assert_eq!(rectangle.distance(&point), (3.0, Vector3::y()));
    }
}
