//! Convex polyhedra with their faces and edges: [`Hull`].

use nalgebra::Vector3;

use crate::{
    lengths::{LARGEST, unit},
    points,
};

/// A hull thinner than this part of its extent is flat: below it the directions of its faces have
/// lost half of their digits.
const FLATTEST: f64 = 1e-8;

/// Why points do not span a convex hull.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A hull with volume has at least four points.
    #[error("convex hull of {found} points, expected at least 4")]
    TooFew {
        /// Number of points given.
        found: usize,
    },
    /// An entry of a point is NaN, infinite or beyond 1e12 m.
    #[error(
        "point {index} of a convex hull has an entry {value:?}, expected a number within ±1e12 (m)"
    )]
    OutOfRange {
        /// Index of the point.
        index: usize,
        /// First such entry (m).
        value: f64,
    },
    /// The points lie in a plane, on a line or on each other.
    #[error("convex hull of {found} points is flat, expected points that span a volume")]
    Flat {
        /// Number of points given.
        found: usize,
    },
}

/// A plane face of a [`Hull`]: its points satisfy `normal · x = offset`.
#[derive(Clone, Debug, PartialEq)]
pub struct Face {
    /// Outward unit normal.
    pub normal: Vector3<f64>,
    /// Distance of its plane from the origin along the normal (m).
    pub offset: f64,
    /// Indices of its vertices, counterclockwise seen from outside.
    pub vertices: Vec<usize>,
}

/// An edge of a [`Hull`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// Indices of its ends, the smaller first.
    pub vertices: [usize; 2],
    /// Indices of the two faces that meet in it.
    pub faces: [usize; 2],
}

/// A convex polyhedron.
///
/// Vertices keep the order of the points they come from, and faces and edges are sorted by their
/// vertices, so that indices of features depend only on the points given.
#[derive(Clone, Debug, PartialEq)]
pub struct Hull {
    vertices: Vec<Vector3<f64>>,
    faces: Vec<Face>,
    edges: Vec<Edge>,
}

impl Hull {
    /// The convex hull of `points` (m); points inside it are left out.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub fn new(points: &[Vector3<f64>]) -> Result<Self, Error> {
        let found = points.len();
        for (index, point) in points.iter().enumerate() {
            // NaN is in no range.
            let outside = |entry: &&f64| !(-LARGEST..=LARGEST).contains(*entry);
            if let Some(&value) = point.iter().find(outside) {
                return Err(Error::OutOfRange { index, value });
            }
        }
        if found < 4 {
            return Err(Error::TooFew { found });
        }
        let loops = points::convex_hull(points).ok_or(Error::Flat { found })?;
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
            .collect::<Option<Vec<Face>>>()
            .ok_or(Error::Flat { found })?;
        faces.sort_by(|a, b| a.vertices.cmp(&b.vertices));
        let hull = Self { edges: edges(&faces).ok_or(Error::Flat { found })?, vertices, faces };
        if hull.is_thick() { Ok(hull) } else { Err(Error::Flat { found }) }
    }

    /// The box with these half extents (m): vertex `i` has the sign of `x`, `y`, `z` in bits 0, 1
    /// and 2 of `i` (set: positive), and face `2k` looks along axis `k`, face `2k + 1` against it.
    pub(crate) fn cuboid(half: &Vector3<f64>) -> Self {
        let sign = |vertex: usize, axis: usize| if vertex >> axis & 1 == 1 { 1.0 } else { -1.0 };
        let vertices = (0..8)
            .map(|i| Vector3::new(sign(i, 0) * half.x, sign(i, 1) * half.y, sign(i, 2) * half.z))
            .collect();
        let faces: Vec<Face> = (0..6)
            .map(|face| {
                let (axis, positive) = (face / 2, face % 2 == 0);
                let (u, v) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
                let base = if positive { 1 << axis } else { 0 };
                let mut corners = vec![base, base + u, base + u + v, base + v];
                if !positive {
                    corners.reverse();
                }
                let normal = Vector3::ith(axis, if positive { 1.0 } else { -1.0 });
                Face { normal, offset: half[axis], vertices: corners }
            })
            .collect();
        let edges = edges(&faces).unwrap_or_default();
        Self { vertices, faces, edges }
    }

    /// The vertices (m).
    #[must_use]
    pub fn vertices(&self) -> &[Vector3<f64>] {
        &self.vertices
    }

    /// The faces.
    #[must_use]
    pub fn faces(&self) -> &[Face] {
        &self.faces
    }

    /// The edges.
    #[must_use]
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The vertex that lies farthest along `direction`; of equal ones the first.
    pub(crate) fn support(&self, direction: &Vector3<f64>) -> usize {
        let mut best = (0, f64::NEG_INFINITY);
        for (index, vertex) in self.vertices.iter().enumerate() {
            let along = vertex.dot(direction);
            if along > best.1 {
                best = (index, along);
            }
        }
        best.0
    }

    /// Whether the hull has a volume worth the name and no vertex stands out of a face.
    fn is_thick(&self) -> bool {
        let extent =
            self.vertices.iter().map(|v| (v - self.vertices[0]).amax()).fold(0.0, f64::max);
        self.faces.iter().all(|face| {
            let heights = self.vertices.iter().map(|v| face.normal.dot(v) - face.offset);
            let (low, high) = heights.fold((0.0_f64, 0.0_f64), |(l, h), x| (l.min(x), h.max(x)));
            low < -FLATTEST * extent && high <= FLATTEST * extent
        })
    }
}

/// The face with these corners, which start at the smallest index.
fn face(vertices: &[Vector3<f64>], mut corners: Vec<usize>) -> Option<Face> {
    let first = corners.iter().enumerate().min_by_key(|(_, v)| **v)?.0;
    corners.rotate_left(first);
    // Newell's sum: twice the area vector, which is right for polygons that are slightly bent too.
    let origin = vertices[corners[0]];
    let area: Vector3<f64> = (1..corners.len() - 1)
        .map(|k| (vertices[corners[k]] - origin).cross(&(vertices[corners[k + 1]] - origin)))
        .sum();
    let normal = unit(&area)?;
    let offset = corners.iter().map(|&v| normal.dot(&vertices[v])).fold(f64::MIN, f64::max);
    Some(Face { normal, offset, vertices: corners })
}

/// The edges between faces, or `None` if the faces do not close.
fn edges(faces: &[Face]) -> Option<Vec<Edge>> {
    let mut sides: Vec<([usize; 2], usize)> = faces
        .iter()
        .enumerate()
        .flat_map(|(index, face)| {
            let next = face.vertices.iter().cycle().skip(1);
            face.vertices.iter().zip(next).map(move |(&a, &b)| ([a.min(b), a.max(b)], index))
        })
        .collect();
    sides.sort_unstable();
    sides
        .chunks(2)
        .map(|pair| match pair {
            [(a, i), (b, j)] if a == b => Some(Edge { vertices: *a, faces: [*i, *j] }),
            _ => None,
        })
        .collect()
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
        assert_eq!(Hull::new(&flat), Err(Error::Flat { found: 9 }));
        assert_eq!(Hull::new(&[Vector3::zeros(); 5]), Err(Error::Flat { found: 5 }));
        assert_eq!(Hull::new(&flat[..3]), Err(Error::TooFew { found: 3 }));
        assert_eq!(Hull::new(&[]), Err(Error::TooFew { found: 0 }));
    }

    #[test]
    fn points_that_are_not_finite_are_refused() {
        let mut points = Hull::cuboid(&Vector3::repeat(1.0)).vertices().to_vec();
        points[5].y = f64::INFINITY;
        assert_eq!(Hull::new(&points), Err(Error::OutOfRange { index: 5, value: f64::INFINITY }));
    }
}
