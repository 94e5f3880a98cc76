//! Which polyhedron points span, by parry.

use nalgebra::Vector3;
use parry3d_f64::{math::Vector, shape::ConvexPolyhedron};

use crate::parry::to_parry;

/// The faces of the convex hull of points, as indices of points counterclockwise from outside, or
/// `None` if they span no volume.
pub(crate) fn convex_hull(points: &[Vector3<f64>]) -> Option<Vec<Vec<usize>>> {
    // The tolerances of parry are lengths, so that it is given lengths of about one.
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
