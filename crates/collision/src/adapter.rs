//! Queries of solids that parry answers: the nearest points of two convex solids, and the overlapping pairs of many
//! boxes.
//!
//! Its vector types (glam) are used in this module only.
//!
//! # Source
//!
//! E. G. Gilbert, D. W. Johnson, S. S. Keerthi, "A fast procedure for computing the distance between
//! complex objects in three-dimensional space", *IEEE Journal of Robotics and Automation* 4 (1988)
//! 193–203, as implemented by the crate `parry3d-f64`.

use nalgebra::{Isometry3, Point3};
use parry3d_f64::{
    bounding_volume,
    math::{Pose, Rot3, Vector},
    partitioning::{Bvh, BvhWorkspace},
    query::gjk::{self, CsoPoint, GJKResult, VoronoiSimplex},
    shape::SupportMap,
};

use crate::{
    parry::{from_parry, to_parry},
    solid::{Aabb, Solid},
    witness::Witness,
};

/// The nearest points of two convex solids, or `None` if their cores overlap or the iteration fails.
///
/// For rounded solids the distance of their cores is computed.
pub(crate) fn nearest(solids: [&Solid; 2], poses: [&Isometry3<f64>; 2]) -> Option<Witness> {
    // The tolerances of parry are lengths, so it gets lengths of about one.
    let scale = solids[0].size() + solids[1].size();
    let mut relative = poses[0].inv_mul(poses[1]);
    relative.translation.vector /= scale;
    let [core_1, core_2] = solids.map(|solid| Core { solid, scale });
    let relative = pose(&relative);
    let mut simplex = VoronoiSimplex::new();
    let start = relative.translation.try_normalize().unwrap_or(Vector::X);
    simplex.reset(CsoPoint::from_shapes(&relative, &core_1, &core_2, start));
    let found = gjk::closest_points(&relative, &core_1, &core_2, f64::MAX, true, &mut simplex);
    let GJKResult::ClosestPoints(point_1, point_2, normal) = found else { return None };
    // The normal that parry returns points out of body 1.
    let distance = (point_2 - point_1).dot(normal);
    let normal = -(poses[0].rotation * from_parry(&normal));
    let [r_1, r_2] = solids.map(Solid::rounding);
    let point_1 = (poses[0] * Point3::from(scale * from_parry(&point_1))).coords;
    let gap = scale * distance - r_1 - r_2;
    Some(Witness::new(point_1 - normal * r_1, normal, gap)).filter(Witness::is_finite)
}

/// A solid without its rounding, divided by `scale`, as a support function.
struct Core<'a> {
    solid: &'a Solid,
    scale: f64,
}

impl SupportMap for Core<'_> {
    fn local_support_point(&self, direction: Vector) -> Vector {
        to_parry(&(self.solid.core_support(&from_parry(&direction)) / self.scale))
    }
}

/// A tree of boxes that finds the overlapping ones.
#[derive(Clone, Default)]
pub(crate) struct Tree {
    bvh: Bvh,
    workspace: BvhWorkspace,
    count: usize,
}

impl Tree {
    /// Writes the pairs of overlapping boxes, in an unspecified order.
    pub(crate) fn pairs(&mut self, boxes: &[Aabb], pairs: &mut Vec<[usize; 2]>) {
        if boxes.len() < self.count {
            self.bvh = Bvh::new();
        }
        self.count = boxes.len();
        for (index, aabb) in (0..).zip(boxes) {
            let aabb = bounding_volume::Aabb::new(to_parry(&aabb.low), to_parry(&aabb.high));
            self.bvh.insert_or_update_partially(aabb, index, 0.0);
        }
        self.bvh.refit(&mut self.workspace);
        pairs.clear();
        self.bvh.traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut |i, j| {
            pairs.push([i.min(j) as usize, i.max(j) as usize]);
        });
    }
}

fn pose(pose: &Isometry3<f64>) -> Pose {
    let q = pose.rotation.quaternion();
    Pose {
        rotation: Rot3::from_xyzw(q.i, q.j, q.k, q.w),
        translation: to_parry(&pose.translation.vector),
    }
}
