//! Where walls are: the smallest box along the axes around one, and the same surface at another place.

use nalgebra::{Isometry3, Vector3};
use percussion_collision::Shape;

use super::{Frustum, Surface};

impl Surface {
    /// Corners of the smallest box along the axes around the surface (m), `None` if it has no end.
    ///
    /// # Example
    ///
    /// ```
    /// use nalgebra::{Isometry3, Vector3};
    /// use percussion_collision::Shape;
    /// use percussion_granular::Surface;
    ///
    /// let post = Shape::Capsule { half_length: 1.0, radius: 0.1 };
    /// let surface = Surface::Solid { shape: post, pose: Isometry3::translation(2.0, 0.0, 0.0) };
    /// let [low, high] = surface.bounds().ok_or("it has ends")?;
    /// assert!((low - Vector3::new(1.9, -0.1, -1.1)).norm() < 1e-15);
    /// assert!((high - Vector3::new(2.1, 0.1, 1.1)).norm() < 1e-15);
    /// # Ok::<(), &str>(())
    /// ```
    #[must_use]
    pub fn bounds(&self) -> Option<[Vector3<f64>; 2]> {
        match self {
            Self::Plane { .. } | Self::Cylinder { .. } | Self::Tube { .. } => None,
            Self::Solid { shape, pose } => solid(shape, pose),
            Self::Frustum(Frustum { base, axis, height, radii }) => {
                let end = base + *height * axis.into_inner();
                let [one, other] =
                    [(base, radii[0]), (&end, radii[1])].map(|(at, radius)| disc(at, axis, radius));
                Some([one[0].inf(&other[0]), one[1].sup(&other[1])])
            }
            Self::Triangle(triangle) => around(triangle.corners.iter().copied()),
        }
    }
}

impl Surface {
    /// Returns the surface displaced by a vector (m).
    #[must_use]
    pub fn moved(mut self, by: &Vector3<f64>) -> Self {
        self.shift(by);
        self
    }

    pub(super) fn shift(&mut self, by: &Vector3<f64>) {
        match self {
            Self::Plane { point, .. } | Self::Cylinder { point, .. } | Self::Tube { point, .. } => {
                *point += by;
            }
            Self::Solid { pose, .. } => pose.translation.vector += by,
            Self::Frustum(frustum) => frustum.base += by,
            Self::Triangle(triangle) => {
                triangle.corners.iter_mut().for_each(|corner| *corner += by);
            }
        }
    }
}

fn solid(shape: &Shape, pose: &Isometry3<f64>) -> Option<[Vector3<f64>; 2]> {
    let center = pose.translation.vector;
    let both = |half: Vector3<f64>| Some([center - half, center + half]);
    // A segment of half of `length` to either side, and all within `radius` of it.
    let round = |axis: Vector3<f64>, length: f64, radius: f64| {
        both((pose * axis).abs().map(|part| part * length + radius))
    };
    match shape {
        Shape::Sphere { radius } => both(Vector3::repeat(*radius)),
        Shape::Box { half_extents } => {
            both(pose.rotation.to_rotation_matrix().matrix().abs() * half_extents)
        }
        Shape::Capsule { half_length, radius } => round(Vector3::z(), *half_length, *radius),
        Shape::Rod { length, radius } => round(Vector3::x(), 0.5 * length, *radius),
        Shape::Cylinder { half_height, radius } => {
            let axis = pose * Vector3::z();
            let [_, across] = disc(&Vector3::zeros(), &axis, *radius);
            both(*half_height * axis.abs() + across)
        }
        Shape::Hull(hull) => {
            around(hull.vertices().iter().map(|vertex| center + pose.rotation * vertex))
        }
        _ => None,
    }
}

/// The box around a disc.
fn disc(at: &Vector3<f64>, axis: &Vector3<f64>, radius: f64) -> [Vector3<f64>; 2] {
    let half = axis.map(|part| radius * (1.0 - part * part).max(0.0).sqrt());
    [at - half, at + half]
}

/// The box around points, if there are any.
fn around(points: impl Iterator<Item = Vector3<f64>>) -> Option<[Vector3<f64>; 2]> {
    points
        .map(|point| [point, point])
        .reduce(|[low, high], [other, _]| [low.inf(&other), high.sup(&other)])
}

#[cfg(test)]
mod tests {
    use nalgebra::{Translation3, Unit, UnitQuaternion};

    use super::*;
    use crate::wall::Triangle;

    /// Seen from far away along an axis, a surface begins where its box does.
    #[test]
    fn boxes_around_surfaces_touch_them_on_all_sides() {
        let turn = UnitQuaternion::from_euler_angles(0.3, -0.7, 1.1);
        let pose = Isometry3::from_parts(Translation3::new(0.2, -0.4, 0.9), turn);
        let axis = Unit::new_normalize(Vector3::new(1.0, 2.0, -0.5));
        let solid = |shape| Surface::Solid { shape, pose };
        let corners = [Vector3::zeros(), Vector3::new(1.0, 0.2, 0.1), Vector3::new(0.3, 0.9, -0.4)];
        let surfaces = [
            solid(Shape::Sphere { radius: 0.3 }),
            solid(Shape::Box { half_extents: Vector3::new(0.1, 0.4, 0.7) }),
            solid(Shape::Capsule { half_length: 0.5, radius: 0.2 }),
            solid(Shape::Rod { length: 0.6, radius: 0.1 }),
            solid(Shape::Cylinder { half_height: 0.3, radius: 0.5 }),
            Surface::Frustum(Frustum {
                base: Vector3::new(0.1, 0.2, 0.3),
                axis,
                height: 0.8,
                radii: [0.5, 0.2],
            }),
            Surface::Triangle(Triangle::of_mesh(&[corners]).remove(0)),
        ];
        for surface in surfaces {
            let [low, high] = surface.bounds().unwrap();
            for (k, out) in (0..3).flat_map(|k| [(k, -1.0), (k, 1.0)]) {
                let end = if out < 0.0 { low[k] } else { high[k] };
                // From far away a surface is as far as its farthest point along the axis, up to size²/distance.
                let far = 1e6;
                let mut at = 0.5 * (low + high);
                at[k] = end + out * far;
                let (distance, _) = surface.distance(&at);
                assert!((distance - far).abs() < 1e-5, "{surface:?}, axis {k}: {distance}");
            }
        }
        let plane = Surface::Plane { point: Vector3::zeros(), normal: Vector3::z_axis() };
        assert_eq!(plane.bounds(), None);
    }
}
