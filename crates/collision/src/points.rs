//! The convex [`Hull`] of points, computed by parry.

use std::collections::BTreeSet;

use nalgebra::Vector3;
use parry3d_f64::{math::Vector, shape::ConvexPolyhedron};

use crate::{
    hull::{Face, Hull, HullError, edges},
    lengths::{LARGEST, unit},
    parry::to_parry,
};

/// A hull whose thickness is below this fraction of its extent is flat: the directions of its faces have lost half
/// of their digits.
const FLATTEST: f64 = 1e-8;

/// Sizes of the cells in which points are moved, as fractions of the extent, if rounding spoils the hull.
const MOVED: [f64; 4] = [1e-6, 1e-5, 1e-4, 1e-3];

impl Hull {
    /// The convex hull of `points` (m); points inside it are left out.
    ///
    /// Vertices of meshes often lie so close to each other, or to a plane, that rounding decides on which side of a
    /// face they are. Where the hull of all points is not a closed surface for that reason, one point is kept of those
    /// in a cell of `1e-6` of the extent, and moved by a fixed random distance inside of it, so that no four points are
    /// in one plane; if that does not suffice, the cells are larger, up to `1e-3` of the extent. The hull differs from
    /// that of all points by the diagonal of a cell at most.
    ///
    /// # Errors
    ///
    /// See [`HullError`].
    pub fn new(points: &[Vector3<f64>]) -> Result<Self, HullError> {
        let found = points.len();
        for (index, point) in points.iter().enumerate() {
            // NaN is in no range.
            let outside = |entry: &&f64| !(-LARGEST..=LARGEST).contains(*entry);
            if let Some(&value) = point.iter().find(outside) {
                return Err(HullError::OutOfRange { index, value });
            }
        }
        if found < 4 {
            return Err(HullError::TooFew { found });
        }
        // Points in a plane would span a volume once they are moved, which is thinner than this.
        let moved = |&part: &f64| Self::of_points(&moved(points, part), 4.0 * part);
        let hull = Self::of_points(points, FLATTEST).or_else(|| MOVED.iter().find_map(moved));
        hull.ok_or(HullError::Flat { found })
    }

    /// The hull of points that rounding does not spoil; `None` if it is thinner than `thickness` times its extent or
    /// no closed surface.
    fn of_points(points: &[Vector3<f64>], thickness: f64) -> Option<Self> {
        let loops = convex_hull(points)?;
        let mut used: Vec<usize> = loops.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        let vertices: Vec<_> = used.iter().map(|&index| points[index]).collect();
        let renumbered = |index: &usize| used.binary_search(index).ok();
        let mut faces = loops
            .iter()
            .map(|corners| {
                let corners: Option<Vec<usize>> = corners.iter().map(renumbered).collect();
                corners.and_then(|corners| face(&vertices, corners))
            })
            .collect::<Option<Vec<Face>>>()?;
        faces.sort_by(|a, b| a.vertices.cmp(&b.vertices));
        let hull = Self { edges: edges(&faces)?, vertices, faces, half_extents: None };
        hull.is_thick(thickness).then_some(hull)
    }

    /// Whether the hull is thicker than `thickness` times its extent, and no vertex is outside a face.
    fn is_thick(&self, thickness: f64) -> bool {
        let extent =
            self.vertices.iter().map(|v| (v - self.vertices[0]).amax()).fold(0.0, f64::max);
        self.faces.iter().all(|face| {
            let heights = self.vertices.iter().map(|v| face.normal.dot(v) - face.offset);
            let (low, high) = heights.fold((0.0_f64, 0.0_f64), |(l, h), x| (l.min(x), h.max(x)));
            low < -thickness * extent && high <= FLATTEST * extent
        })
    }
}

/// One point of each cell whose size is this part of the extent, moved within the cell by random numbers
/// of a fixed seed. The joggled input of C. B. Barber, D. P. Dobkin, H. Huhdanpaa, "The quickhull algorithm for convex
/// hulls", ACM Transactions on Mathematical Software 22 (4), 1996.
fn moved(points: &[Vector3<f64>], part: f64) -> Vec<Vector3<f64>> {
    let extent = points.iter().map(|point| (point - points[0]).amax()).fold(0.0, f64::max);
    let cell = part * extent;
    let mut seen = BTreeSet::new();
    let place = |point: &Vector3<f64>| {
        [0, 1, 2].map(|axis| ((point[axis] - points[0][axis]) / cell).floor().to_bits())
    };
    let mut number = 1_u64;
    let mut random = || {
        // The multiplier and the increment of Knuth's MMIX; the upper half of the number is used.
        number =
            number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (number >> 32) as f64 / f64::from(u32::MAX) - 0.5
    };
    let apart = points.iter().filter(|point| seen.insert(place(point)));
    apart.map(|point| point + cell * Vector3::new(random(), random(), random())).collect()
}

/// The face with these corners, starting with the smallest index.
fn face(vertices: &[Vector3<f64>], mut corners: Vec<usize>) -> Option<Face> {
    let first = corners.iter().enumerate().min_by_key(|(_, v)| **v)?.0;
    corners.rotate_left(first);
    // Newell's sum: twice the area vector, which is also right for slightly bent polygons.
    let origin = vertices[corners[0]];
    let area: Vector3<f64> = (1..corners.len() - 1)
        .map(|k| (vertices[corners[k]] - origin).cross(&(vertices[corners[k + 1]] - origin)))
        .sum();
    let normal = unit(&area)?;
    let offset = corners.iter().map(|&v| normal.dot(&vertices[v])).fold(f64::MIN, f64::max);
    Some(Face { normal, offset, vertices: corners })
}

/// The faces of the convex hull of points, as indices of points counterclockwise from outside, or
/// `None` if they span no volume.
fn convex_hull(points: &[Vector3<f64>]) -> Option<Vec<Vec<usize>>> {
    // The tolerances of parry are lengths, so it gets lengths of about one.
    let scale = points.iter().map(|point| point.amax()).fold(f64::MIN_POSITIVE, f64::max);
    let scaled: Vec<Vector> = points.iter().map(|point| to_parry(&(point / scale))).collect();
    let hull = ConvexPolyhedron::from_convex_hull(&scaled)?;
    let corners = hull.vertices_adj_to_face();
    let number = |corner: &u32| {
        let vertex = hull.points()[*corner as usize];
        scaled.iter().position(|point| *point == vertex)
    };
    let faces = hull.faces().iter().map(|face| {
        let first = face.first_vertex_or_edge as usize;
        let end = first + face.num_vertices_or_edges as usize;
        corners[first..end].iter().map(number).collect()
    });
    faces.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hull_of_the_corners_of_a_box_is_the_box() {
        let half = Vector3::new(1.0, 2.0, 0.5);
        let direct = Hull::cuboid(&half);
        let hull = Hull::new(direct.vertices()).unwrap();
        assert_eq!(hull.vertices(), direct.vertices());
        assert_eq!((hull.faces().len(), hull.edges().len()), (6, 12));
        for face in direct.faces() {
            let found =
                hull.faces().iter().any(|other| (other.normal - face.normal).norm() < 1e-15);
            assert!(found, "{face:?} is a face of the hull too");
        }
    }

    #[test]
    fn normals_of_a_box_point_out_of_its_corners() {
        let hull = Hull::cuboid(&Vector3::new(1.0, 2.0, 0.5));
        for face in hull.faces() {
            let rebuilt = super::face(hull.vertices(), face.vertices.clone()).unwrap();
            assert_eq!((rebuilt.normal, rebuilt.offset), (face.normal, face.offset));
        }
    }

    #[test]
    fn hulls_of_any_size_have_the_same_features() {
        let corners = Hull::cuboid(&Vector3::new(1.0, 2.0, 0.5));
        for scale in [1e-9, 1e-3, 1e9] {
            let points: Vec<_> = corners.vertices().iter().map(|v| v * scale).collect();
            let hull = Hull::new(&points).unwrap();
            assert_eq!((hull.faces().len(), hull.edges().len()), (6, 12), "scale {scale}");
        }
    }

    #[test]
    fn points_that_span_no_volume_are_refused() {
        let flat: Vec<_> =
            (0..9).map(|i| Vector3::new(f64::from(i % 3), f64::from(i / 3), 1.0)).collect();
        assert_eq!(Hull::new(&flat), Err(HullError::Flat { found: 9 }));
        assert_eq!(Hull::new(&[Vector3::zeros(); 5]), Err(HullError::Flat { found: 5 }));
        assert_eq!(Hull::new(&flat[..3]), Err(HullError::TooFew { found: 3 }));
        assert_eq!(Hull::new(&[]), Err(HullError::TooFew { found: 0 }));
    }

    #[test]
    fn points_that_are_not_finite_are_refused() {
        let mut points = Hull::cuboid(&Vector3::repeat(1.0)).vertices().to_vec();
        points[5].y = f64::INFINITY;
        assert_eq!(
            Hull::new(&points),
            Err(HullError::OutOfRange { index: 5, value: f64::INFINITY })
        );
    }
}
