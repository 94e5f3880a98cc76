//! Convex polyhedra with their faces and edges: [`Hull`].

mod point;

use nalgebra::Vector3;

use crate::lengths::{LARGEST, unit};

/// The reason why points do not span a convex hull.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum HullError {
    /// There are fewer than four points, the minimum for a hull with volume.
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
    /// The points are in a plane, on a line or coincide.
    #[error("convex hull of {found} points is flat, expected points that span a volume")]
    Flat {
        /// Number of points given.
        found: usize,
    },
}

/// A plane face of a [`Hull`]: its points satisfy `normal · x = offset`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
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
#[non_exhaustive]
pub struct Edge {
    /// Indices of its ends, the smaller first.
    pub vertices: [usize; 2],
    /// Indices of the two faces that meet in it.
    pub faces: [usize; 2],
}

/// A convex polyhedron.
///
/// Vertices keep the order of the given points, and faces and edges are sorted by their vertices, so that indices of
/// features depend only on these points.
#[derive(Clone, Debug, PartialEq)]
pub struct Hull {
    pub(crate) vertices: Vec<Vector3<f64>>,
    pub(crate) faces: Vec<Face>,
    pub(crate) edges: Vec<Edge>,
    /// Half extents (m) of a hull made by [`cuboid`](Self::cuboid), which has the features of a box in their order.
    pub(crate) half_extents: Option<Vector3<f64>>,
}

impl Hull {
    /// The box with these half extents (m): vertex `i` has the sign of `x`, `y`, `z` in bits 0, 1 and 2 of `i` (set:
    /// positive). The normal of face `2k` is along axis `k`, that of face `2k + 1` opposite to it.
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
        Self { vertices, faces, edges, half_extents: Some(*half) }
    }

    /// A prism: the triangle with these corners (m) and all that is within `half` (m) of its plane along its normal. It may be
    /// far thinner than the hull of points. Vertices 0 to 2 are behind the triangle, 3 to 5 in front of it; the normal has the
    /// corners counterclockwise.
    ///
    /// # Errors
    ///
    /// [`HullError::OutOfRange`], [`HullError::Flat`] for corners on a line or a thickness that vanishes beside the corners.
    ///
    /// # Example
    ///
    /// ```
    /// use nalgebra::Vector3;
    /// use percussion_collision::Hull;
    ///
    /// let tile = Hull::prism(&[Vector3::zeros(), Vector3::x(), Vector3::y()], 1e-9)?;
    /// assert_eq!((tile.faces().len(), tile.edges().len()), (5, 9));
    /// assert_eq!(tile.faces()[1].normal, Vector3::z());
    /// # Ok::<(), percussion_collision::HullError>(())
    /// ```
    pub fn prism(corners: &[Vector3<f64>; 3], half: f64) -> Result<Self, HullError> {
        for (index, corner) in corners.iter().enumerate() {
            if let Some(&value) =
                corner.iter().find(|entry| entry.is_nan() || entry.abs() > LARGEST)
            {
                return Err(HullError::OutOfRange { index, value });
            }
        }
        let flat = HullError::Flat { found: 6 };
        let [a, b, c] = corners;
        let normal = unit(&(b - a).cross(&(c - a))).ok_or(flat)?;
        let vertices: Vec<Vector3<f64>> =
            [-half, half].iter().flat_map(|by| corners.map(|v| v + *by * normal)).collect();
        let mut faces = vec![vec![0, 2, 1], vec![3, 4, 5]];
        faces.extend([[0, 1, 4, 3], [1, 2, 5, 4], [0, 3, 5, 2]].map(Vec::from));
        let face = |(k, corners): (usize, Vec<usize>)| {
            let ends = [[0, 1], [1, 2], [0, 2]];
            let normal = match k {
                0 => -normal,
                1 => normal,
                _ => {
                    let [from, to] = ends[k - 2].map(|end| vertices[end]);
                    unit(&(to - from).cross(&normal))? * if k == 4 { -1.0 } else { 1.0 }
                }
            };
            let offset = corners.iter().map(|v| normal.dot(&vertices[*v])).fold(f64::MIN, f64::max);
            Some(Face { normal, offset, vertices: corners })
        };
        let faces: Option<Vec<Face>> = faces.into_iter().enumerate().map(face).collect();
        let faces = faces.ok_or(flat)?;
        let is_thick = faces[0].offset + faces[1].offset > 0.0;
        let edges = edges(&faces).filter(|_| is_thick).ok_or(flat)?;
        Ok(Self { vertices, faces, edges, half_extents: None })
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

    /// The vertex that is farthest along `direction`; the first of several that are equally far.
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
}

/// The edges between faces, or `None` if the faces are not a closed surface.
pub(crate) fn edges(faces: &[Face]) -> Option<Vec<Edge>> {
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
