//! Thin walls with grains on either side: the [`Frustum`], a round shell, and the [`Triangle`] of a mesh.
//!
//! Distances are from the nearest point and never negative: a center cannot pass through a shell, because a grain
//! that moves by more than its radius in a step is refused.

use nalgebra::{Unit, Vector3};

use super::{Fault, from_axis, unit, unusable};
use crate::range;

/// The lateral surface of a truncated cone, without its ends.
///
/// Equal radii make a pipe, a height of zero a ring, and a radius of zero in addition a disc.
#[derive(Clone, Debug, PartialEq)]
pub struct Frustum {
    /// Center of one end (m).
    pub base: Vector3<f64>,
    /// Direction from that end to the other one.
    pub axis: Unit<Vector3<f64>>,
    /// Distance of the ends (m), zero or positive.
    pub height: f64,
    /// Radii at `base` and at the other end (m), each zero or positive, and not the same if the height is zero.
    pub radii: [f64; 2],
}

impl Frustum {
    pub(super) fn fault(&self) -> Option<Fault> {
        if let Some(value) = range::unbounded(self.base.as_slice()) {
            return Some(("place", value, range::BOUNDED));
        }
        let (name, is_unit, norm) = unit("norm of the axis", self.axis.as_slice());
        if !is_unit {
            return Some((name, norm, "1"));
        }
        let sizes = [self.height, self.radii[0], self.radii[1]];
        let bad = sizes.into_iter().find(|size| *size != 0.0 && !range::is_positive(*size));
        if let Some(value) = bad {
            return Some(("size of the shape", value, "0 or a number from 1e-75 to 1e75"));
        }
        unusable(&[self.radii[0].max(self.radii[1])])
            .or_else(|| unusable(&[self.height.max((self.radii[1] - self.radii[0]).abs())]))
    }

    /// Distance of a point (m, ≥ 0) and the direction in which it grows.
    pub(super) fn distance(&self, at: &Vector3<f64>) -> (f64, Vector3<f64>) {
        let (away, from_axis) = from_axis(at, &self.base, &self.axis);
        let along = (at - self.base).dot(&self.axis);
        let [wide, high] = [self.radii[1] - self.radii[0], self.height];
        let length = wide.hypot(high);
        let share =
            ((from_axis - self.radii[0]) * (wide / length) + along * (high / length)) / length;
        let share = share.clamp(0.0, 1.0);
        let out = from_axis - (self.radii[0] + share * wide);
        let up = along - share * high;
        let distance = out.hypot(up);
        if distance > 0.0 {
            return (distance, (out / distance) * away + (up / distance) * *self.axis);
        }
        (0.0, (high / length) * away - (wide / length) * *self.axis)
    }
}

/// A triangle of a mesh.
///
/// Where triangles of a mesh meet, each would touch a grain beside it with its edge, although the next one carries it
/// already. `beside` and `around` tell an edge and a corner when that is so, and such contacts are left out; without
/// them a grain that rolls over a floor of triangles is braked at every edge.
#[derive(Clone, Debug, PartialEq)]
pub struct Triangle {
    /// Corners (m), not on a line.
    pub corners: [Vector3<f64>; 3],
    /// For the edge from each corner to the next: the unit vectors from the edge into the other triangles there, and
    /// whether this triangle is the one whose edge touches.
    pub beside: [(Vec<Vector3<f64>>, bool); 3],
    /// For each corner: the unit vectors along the edges that begin there, and whether this triangle is the one whose
    /// corner touches.
    pub around: [(Vec<Vector3<f64>>, bool); 3],
}

/// The distance of what does not touch (m).
const FAR: f64 = 1e150;

/// Sine of an angle between directions up to which they are the same, or across each other.
#[cfg(feature = "bodies")]
const FLAT: f64 = 1e-6;

/// Cosine of the angle to the normal up to which a direction is to the face of a triangle and not along it.
#[cfg(feature = "bodies")]
const STEEP: f64 = 0.5;

/// How a triangle touches at its rim.
#[cfg(feature = "bodies")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RimTouch {
    /// In the given direction.
    Rim,
    /// In the direction of its normal.
    Face,
    /// Not at all.
    None,
}

impl Triangle {
    /// A triangle without neighbors.
    #[must_use]
    pub fn alone(corners: [Vector3<f64>; 3]) -> Self {
        let free = || (Vec::new(), true);
        Self { corners, beside: [free(), free(), free()], around: [free(), free(), free()] }
    }

    /// The triangles of a mesh, each with its neighbors; corners are the same where their coordinates are.
    ///
    /// Triangles without area are left out.
    #[must_use]
    pub fn of_mesh(triangles: &[[Vector3<f64>; 3]]) -> Vec<Self> {
        use std::collections::BTreeMap;
        // Zero has two signs.
        let key = |corner: &Vector3<f64>| [0, 1, 2].map(|k| (corner[k] + 0.0).to_bits());
        let flat = |corners: &&[Vector3<f64>; 3]| normal_of(corners).is_some();
        let corners: Vec<_> = triangles.iter().filter(flat).copied().collect();
        let mut edges: BTreeMap<_, Vec<(usize, Vector3<f64>)>> = BTreeMap::new();
        let mut tips: BTreeMap<_, (usize, Vec<Vector3<f64>>)> = BTreeMap::new();
        for (index, own) in corners.iter().enumerate() {
            for k in 0..3 {
                let [a, b, c] = [own[k], own[(k + 1) % 3], own[(k + 2) % 3]];
                let mut ends = [key(&a), key(&b)];
                ends.sort_unstable();
                edges.entry(ends).or_default().push((index, inward(&a, &b, &c)));
                let (_, around) = tips.entry(key(&a)).or_insert((index, Vec::new()));
                around.extend([(b - a).normalize(), (c - a).normalize()]);
            }
        }
        let with_neighbors = |(index, own): (usize, &[Vector3<f64>; 3])| {
            let edge = |k: usize| {
                let mut ends = [key(&own[k]), key(&own[(k + 1) % 3])];
                ends.sort_unstable();
                let all = &edges[&ends];
                let others = all.iter().filter(|(other, _)| *other != index);
                (others.map(|(_, inward)| *inward).collect(), all[0].0 == index)
            };
            let tip = |k: usize| {
                let (first, around) = &tips[&key(&own[k])];
                (around.clone(), *first == index)
            };
            Self {
                corners: *own,
                beside: [edge(0), edge(1), edge(2)],
                around: [tip(0), tip(1), tip(2)],
            }
        };
        corners.iter().enumerate().map(with_neighbors).collect()
    }

    pub(super) fn fault(&self) -> Option<Fault> {
        let directions = self.beside.iter().chain(&self.around).flat_map(|(all, _)| all);
        for vector in self.corners.iter().chain(directions) {
            if let Some(value) = range::unbounded(vector.as_slice()) {
                return Some(("corner", value, range::BOUNDED));
            }
        }
        let none = normal_of(&self.corners).is_none();
        none.then_some(("area of the triangle", 0.0, "a positive number"))
    }

    /// Distance of a point (m, ≥ 0) and the direction in which it grows; [`FAR`] where a neighbor touches instead.
    pub(super) fn distance(&self, at: &Vector3<f64>) -> (f64, Vector3<f64>) {
        let Some(normal) = normal_of(&self.corners) else { return (FAR, Vector3::z()) };
        let nearest = self.nearest_edge(at);
        let Some((distance, k, share)) = nearest else {
            let height = (at - self.corners[0]).dot(&normal);
            return if height < 0.0 { (-height, -normal) } else { (height, normal) };
        };
        let [a, b] = [self.corners[k], self.corners[(k + 1) % 3]];
        let (point, redundant) = if share <= 0.0 {
            (a, self.covered(&self.around[k], &(at - a)))
        } else if share >= 1.0 {
            (b, self.covered(&self.around[(k + 1) % 3], &(at - b)))
        } else {
            let point = a + share * (b - a);
            (point, self.covered(&self.beside[k], &(at - point)))
        };
        if redundant || distance == 0.0 {
            (FAR, normal)
        } else {
            (distance, (at - point) / distance)
        }
    }

    /// Distance of the edge that is nearest to a point (m), its number, and where on it the nearest place is, from 0 to 1;
    /// `None` if the point is over the triangle.
    fn nearest_edge(&self, at: &Vector3<f64>) -> Option<(f64, usize, f64)> {
        let mut nearest: Option<(f64, usize, f64)> = None;
        for k in 0..3 {
            let [a, b, c] = [0, 1, 2].map(|more| self.corners[(k + more) % 3]);
            if (at - a).dot(&inward(&a, &b, &c)) >= 0.0 {
                continue;
            }
            let along = b - a;
            let share = ((at - a).dot(&along) / along.norm_squared()).clamp(0.0, 1.0);
            let distance = (at - a - share * along).norm();
            if nearest.is_none_or(|(least, _, _)| distance < least) {
                nearest = Some((distance, k, share));
            }
        }
        nearest
    }

    /// Distance of a point (m, ≥ 0), whatever neighbors there are.
    #[cfg(feature = "bodies")]
    pub(crate) fn clearance(&self, at: &Vector3<f64>) -> f64 {
        match (self.nearest_edge(at), normal_of(&self.corners)) {
            (Some((distance, ..)), _) => distance,
            (None, Some(normal)) => normal.dot(&(at - self.corners[0])).abs(),
            (None, None) => 0.0,
        }
    }

    /// The unit normal by the order of the corners.
    #[cfg(feature = "bodies")]
    pub(crate) fn normal(&self) -> Option<Vector3<f64>> {
        normal_of(&self.corners)
    }

    /// How this triangle touches in the direction `away`, of length 1, from a point of its rim; `near` (m) is how far from an
    /// edge or a corner the point may be.
    ///
    /// At an edge or corner that the next triangle covers a body is over the face, whatever the direction in which it is nearest
    /// to the edge. It then touches the face, unless that direction is along it, in which case the next triangle carries the
    /// body.
    #[cfg(feature = "bodies")]
    pub(crate) fn touch_at(&self, at: &Vector3<f64>, away: &Vector3<f64>, near: f64) -> RimTouch {
        let Some(normal) = normal_of(&self.corners) else { return RimTouch::None };
        let steep = normal.dot(away).abs();
        let flat = if steep > STEEP { RimTouch::Face } else { RimTouch::None };
        // In the direction of the face up to rounding.
        if steep > 1.0 - FLAT {
            return RimTouch::Rim;
        }
        for k in 0..3 {
            if (at - self.corners[k]).norm() <= near {
                let (directions, owned) = &self.around[k];
                let covered = directions.iter().any(|direction| direction.dot(away) > FLAT);
                return match (covered, owned) {
                    (true, _) => flat,
                    (false, true) => RimTouch::Rim,
                    (false, false) => RimTouch::None,
                };
            }
        }
        let edge = |k: usize| {
            let [a, b] = [self.corners[k], self.corners[(k + 1) % 3]];
            let share = (at - a).dot(&(b - a)) / (b - a).norm_squared();
            (at - a - share.clamp(0.0, 1.0) * (b - a)).norm()
        };
        let nearest = (0..3).map(edge).enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
        let Some((k, _)) = nearest.filter(|(_, distance)| *distance <= near) else {
            return RimTouch::Rim;
        };
        let (directions, owned) = &self.beside[k];
        match (directions.iter().all(|direction| direction.dot(away) < -FLAT), owned) {
            (false, _) => flat,
            (true, true) => RimTouch::Rim,
            (true, false) => RimTouch::None,
        }
    }

    /// Whether another triangle touches in place of this one in the direction `away` from an edge or corner.
    fn covered(
        &self,
        (directions, owned): &(Vec<Vector3<f64>>, bool),
        away: &Vector3<f64>,
    ) -> bool {
        // Beside a flat neighbor the product is zero up to rounding.
        let limit = 1e-9 * away.norm();
        !owned || directions.iter().any(|direction| direction.dot(away) > limit)
    }
}

/// The unit normal by the order of the corners, unless they lie on a line.
fn normal_of([a, b, c]: &[Vector3<f64>; 3]) -> Option<Vector3<f64>> {
    let [one, two] = [b - a, c - a];
    let [one_length, two_length] = [one.norm(), two.norm()];
    if !(one_length > 0.0 && two_length > 0.0) {
        return None;
    }
    let across = (one / one_length).cross(&(two / two_length));
    let sine = across.norm();
    (sine > 1e-12).then(|| across / sine)
}

/// The unit vector in the plane of three points across the line from `a` to `b`, towards `c`.
fn inward(a: &Vector3<f64>, b: &Vector3<f64>, c: &Vector3<f64>) -> Vector3<f64> {
    let along = (b - a).normalize();
    let to = c - a;
    let across = to - to.dot(&along) * along;
    across / across.norm().max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_from_a_cone_a_pipe_a_ring_and_a_disc() {
        let of = |height, radii| Frustum {
            base: Vector3::zeros(),
            axis: Vector3::z_axis(),
            height,
            radii,
        };
        // From (3, 0) to (0, 4), the line 4 x + 3 z = 12: (0, 0) is 12/5 from it.
        let cone = of(4.0, [3.0, 0.0]);
        let (distance, normal) = cone.distance(&Vector3::new(0.0, 1e-12, 0.0));
        assert!((distance - 2.4).abs() < 1e-11, "{distance}");
        assert!((normal - Vector3::new(0.0, -0.8, -0.6)).norm() < 1e-11, "{normal}");
        let pipe = of(2.0, [1.0, 1.0]);
        assert_eq!(pipe.distance(&Vector3::new(0.25, 0.0, 1.0)), (0.75, -Vector3::x()));
        assert_eq!(pipe.distance(&Vector3::new(1.0, 0.0, -0.5)), (0.5, -Vector3::z()));
        let ring = of(0.0, [1.0, 2.0]);
        assert_eq!(ring.distance(&Vector3::new(0.0, 1.5, 0.5)), (0.5, Vector3::z()));
        assert_eq!(ring.distance(&Vector3::new(0.0, 0.5, 0.0)), (0.5, -Vector3::y()));
        let disc = of(0.0, [0.0, 2.0]);
        assert_eq!(disc.distance(&Vector3::new(0.5, 0.0, -0.25)), (0.25, -Vector3::z()));
        assert!(of(0.0, [1.0, 1.0]).fault().is_some() && of(-1.0, [1.0, 1.0]).fault().is_some());
        assert!(of(1.0, [f64::NAN, 1.0]).fault().is_some() && disc.fault().is_none());
    }

    /// A body is over two triangles, nearest to their common edge.
    #[cfg(feature = "bodies")]
    #[test]
    fn a_body_over_an_edge_between_triangles_touches_their_faces() {
        let v = Vector3::new;
        let square = |height: f64| {
            let corners = [v(0., 0., 0.), v(1., 0., height), v(1., 1., 0.), v(0., 1., height)];
            let [a, b, c, d] = corners;
            Triangle::of_mesh(&[[a, b, c], [a, c, d]])
        };
        let (middle, towards) = (v(0.5, 0.5, 0.0), v(-0.5, 0.5, 0.0).normalize());
        let touch = |triangle: &Triangle, slope: f64, share: f64| {
            let away = v(0.0, 0.0, slope) + share * towards;
            triangle.touch_at(&middle, &away.normalize(), 1e-9)
        };
        // The first is in the direction against `towards`; the other in the direction of it.
        let flat = square(0.0);
        for (triangle, sign) in flat.iter().zip([1.0, -1.0]) {
            for side in [1.0, -1.0] {
                assert_eq!(touch(triangle, side, 0.3 * sign), RimTouch::Face, "over the other");
                assert_eq!(touch(triangle, side, 0.0), RimTouch::Rim, "along the normal");
            }
            assert_eq!(touch(triangle, 0.0, sign), RimTouch::None, "beside it");
        }
        // On a ridge the edge touches, of one of the two.
        let ridge = square(-1.0);
        let touches = ridge.iter().map(|triangle| touch(triangle, 1.0, 0.1));
        let rims = touches.filter(|touch| *touch == RimTouch::Rim).count();
        assert_eq!(rims, 1);
        // At the rim of the mesh, in the direction out of it.
        let (rim, out) = (v(0.5, 0.0, 0.0), v(0.0, -1.0, 1.0).normalize());
        assert_eq!(flat[0].touch_at(&rim, &out, 1e-9), RimTouch::Rim);
    }

    #[test]
    fn a_flat_mesh_touches_once_and_a_ridge_with_its_edge() {
        let v = Vector3::new;
        let flat = [
            [v(0., 0., 0.), v(1., 0., 0.), v(1., 1., 0.)],
            [v(0., 0., 0.), v(1., 1., 0.), v(0., 1., 0.)],
        ];
        let count = |triangles: &[Triangle], at: Vector3<f64>| {
            triangles.iter().filter(|t| t.distance(&at).0 < 0.2).count()
        };
        let mesh = Triangle::of_mesh(&flat);
        for at in [v(0.5, 0.4, 0.1), v(0.4, 0.5, 0.1), v(0.45, 0.44, -0.1)] {
            assert_eq!(count(&mesh, at), 1, "{at}");
        }
        // Each by itself has both.
        let alone: Vec<_> = flat.iter().map(|corners| Triangle::alone(*corners)).collect();
        assert_eq!(count(&alone, v(0.5, 0.4, 0.1)), 2);
        // Its rim and its corner are touched once.
        assert_eq!(count(&mesh, v(0.5, -0.1, 0.0)), 1);
        assert_eq!(count(&mesh, v(-0.05, -0.05, 0.05)), 1);
        let mut roof = flat;
        roof[0][1].z = -1.0;
        roof[1][2].z = -1.0;
        let ridge = Triangle::of_mesh(&roof);
        let above = v(0.5, 0.5, 0.1);
        assert_eq!(count(&ridge, above), 1, "one owner of the edge");
        assert_eq!(ridge[0].distance(&above), (0.1, Vector3::z()));
        // In the valley below both faces touch and no edge.
        assert_eq!(count(&ridge, v(0.5, 0.5, -0.2)), 2);
    }
}
