//! The distance of a point from a convex polyhedron.
//!
//! The face that is lowest under the point, by its plane, is tried first. The nearest point of that polygon is the nearest one of the
//! polyhedron if nothing lies beyond the plane through it that is perpendicular to the way there. It mostly is; otherwise all faces
//! that the point is outside of are searched.

use nalgebra::Vector3;

use super::{Face, Hull};
use crate::lengths::ON_SURFACE;

/// Rounding of the height of a vertex over a plane, in units of its terms.
const ROUNDING: f64 = 32.0 * f64::EPSILON;

impl Hull {
    /// Signed distance (m) of `point` and the outward normal there: inside and on the surface that of the nearest face, of equally near
    /// ones the first.
    pub(crate) fn signed_distance(&self, point: &Vector3<f64>) -> (f64, Vector3<f64>) {
        let mut highest = (f64::NEG_INFINITY, 0);
        for (index, face) in self.faces.iter().enumerate() {
            let height = height(face, point);
            if height > highest.0 {
                highest = (height, index);
            }
        }
        let (height, index) = highest;
        let face = &self.faces[index];
        if height <= 0.0 {
            return (height, face.normal);
        }
        // All of the polyhedron is behind the plane of a face.
        if self.is_over(face, point) {
            return (height, face.normal);
        }
        let first = self.distance_from_sides(face, point);
        let (distance, normal) =
            if self.is_behind(first, point) { first } else { self.nearest(point) };
        let is_off = distance > ON_SURFACE * (point.norm() + height);
        (distance, if is_off { normal } else { face.normal })
    }

    /// Whether no vertex is in front of the plane at this distance from `point` with this normal.
    fn is_behind(&self, (distance, normal): (f64, Vector3<f64>), point: &Vector3<f64>) -> bool {
        let level = normal.dot(point) - distance;
        let terms = point.abs().sum() + distance;
        let beyond = |vertex: &Vector3<f64>| {
            normal.dot(vertex) - level > ROUNDING * (terms + vertex.abs().sum())
        };
        !self.vertices.iter().any(beyond)
    }

    /// The nearest of the faces that `point` is outside of.
    fn nearest(&self, point: &Vector3<f64>) -> (f64, Vector3<f64>) {
        let outer = self.faces.iter().filter(|face| height(face, point) > 0.0);
        let distances = outer.map(|face| self.distance_from(face, point));
        distances.fold((f64::INFINITY, Vector3::z()), nearer)
    }

    /// Whether `point`, which is outside of a face, projects onto it.
    fn is_over(&self, face: &Face, point: &Vector3<f64>) -> bool {
        let is_inside =
            |[a, b]: [Vector3<f64>; 2]| (point - a).dot(&(b - a).cross(&face.normal)) <= 0.0;
        self.sides(face).all(is_inside)
    }

    /// Distance from a face that `point` is outside of, and the direction away from it.
    fn distance_from(&self, face: &Face, point: &Vector3<f64>) -> (f64, Vector3<f64>) {
        if self.is_over(face, point) {
            (height(face, point), face.normal)
        } else {
            self.distance_from_sides(face, point)
        }
    }

    /// Distance from the sides of a face, and the direction away from them.
    fn distance_from_sides(&self, face: &Face, point: &Vector3<f64>) -> (f64, Vector3<f64>) {
        let from_side = |[a, b]: [Vector3<f64>; 2]| {
            let along = ((point - a).dot(&(b - a)) / (b - a).norm_squared()).clamp(0.0, 1.0);
            let away = point - (a + along * (b - a));
            let distance = away.norm();
            (distance, away / distance.max(f64::MIN_POSITIVE))
        };
        self.sides(face).map(from_side).fold((f64::INFINITY, Vector3::z()), nearer)
    }

    /// The ends of the sides of a face.
    fn sides(&self, face: &Face) -> impl Iterator<Item = [Vector3<f64>; 2]> {
        let next = face.vertices.iter().cycle().skip(1);
        face.vertices.iter().zip(next).map(|(&a, &b)| [self.vertices[a], self.vertices[b]])
    }
}

/// Height (m) of `point` over the plane of a face.
fn height(face: &Face, point: &Vector3<f64>) -> f64 {
    face.normal.dot(point) - face.offset
}

/// The smaller distance; of equal ones the first.
fn nearer(first: (f64, Vector3<f64>), second: (f64, Vector3<f64>)) -> (f64, Vector3<f64>) {
    if second.0 < first.0 { second } else { first }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// Boxes, flat ones too, prisms with sharp edges, and with the feature the hulls of many points on an ellipsoid.
    fn hull(random: &mut ChaCha8Rng) -> Hull {
        let mut vector = |size: f64| Vector3::from_fn(|_, _| random.random_range(-size..size));
        let kind = vector(1.5).x;
        if kind < -0.5 {
            return Hull::cuboid(&Vector3::new(1.0, 0.3, 0.02).component_mul(&vector(1.0).abs()));
        }
        #[cfg(feature = "hulls")]
        if kind < 0.5 {
            let ellipsoid = Vector3::new(1.0, 0.8, 0.1);
            let points: Vec<_> =
                (0..60).map(|_| vector(1.0).normalize().component_mul(&ellipsoid)).collect();
            return Hull::new(&points).unwrap();
        }
        Hull::prism(&[vector(1.0), vector(1.0), vector(1.0)], 0.1 * vector(1.0).x.abs()).unwrap()
    }

    /// The nearest point lies in the polyhedron, and no vertex lies in front of the plane through it: this is proof enough.
    #[test]
    fn nothing_is_nearer_than_the_nearest_point() {
        let mut random = ChaCha8Rng::seed_from_u64(5);
        let (mut first, mut searched) = (0, 0);
        for _ in 0..4000 {
            let hull = hull(&mut random);
            let size = hull.vertices.iter().map(|v| v.norm()).fold(0.0, f64::max);
            let mut vector = |size: f64| Vector3::from_fn(|_, _| random.random_range(-size..size));
            let point = vector(2.0);
            let (distance, normal) = hull.signed_distance(&point);
            let rounding = 1e-12 * (size + point.norm());
            let highest = |point: &Vector3<f64>| {
                hull.faces.iter().map(|face| height(face, point)).fold(f64::MIN, f64::max)
            };
            if distance < 0.0 {
                assert!((distance - highest(&point)).abs() <= rounding, "{distance}");
                continue;
            }
            assert!((normal.norm() - 1.0).abs() < 1e-12, "{normal}");
            let nearest = point - distance * normal;
            assert!(highest(&nearest) <= rounding, "{nearest} is outside");
            let along = |v: &Vector3<f64>| normal.dot(&(v - nearest));
            let beyond = hull.vertices.iter().map(along).fold(f64::MIN, f64::max);
            assert!(beyond.abs() <= rounding, "{beyond} beyond the nearest point");
            let of_all = hull.nearest(&point);
            assert!((of_all.0 - distance).abs() <= rounding, "{distance}, {of_all:?}");
            let lowest =
                hull.faces.iter().max_by(|a, b| height(a, &point).total_cmp(&height(b, &point)));
            let is_first = hull.is_behind(hull.distance_from(lowest.unwrap(), &point), &point);
            (first, searched) = (first + usize::from(is_first), searched + usize::from(!is_first));
        }
        assert!(searched > 100 && first > 5 * searched, "{first} {searched}");
    }
}
