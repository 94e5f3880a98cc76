//! The same tasks for parry.

use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use percussion_collision::Shape;
use rapier3d_f64::parry::{
    bounding_volume::Aabb,
    math::{Pose, Rot3, Vector},
    partitioning::{Bvh, BvhWorkspace},
    query::{
        self, ContactManifold, ContactManifoldsWorkspace, DefaultQueryDispatcher,
        PersistentQueryDispatcher,
    },
    shape::{Ball, Capsule, Cuboid, Cylinder, Shape as PeerShape},
};

/// Two shapes, and the contact data that is kept between time steps.
pub(crate) struct Pair {
    shapes: [Box<dyn PeerShape>; 2],
    /// Parry's cylinders stand along `y`.
    turns: [UnitQuaternion<f64>; 2],
    manifolds: Vec<ContactManifold<(), ()>>,
    workspace: Option<ContactManifoldsWorkspace>,
}

impl Pair {
    pub(crate) fn new(shapes: [&Shape; 2]) -> Self {
        let upright = |shape: &Shape| match shape {
            Shape::Cylinder { .. } => {
                UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::FRAC_PI_2)
            }
            _ => UnitQuaternion::identity(),
        };
        Self {
            shapes: shapes.map(shape_of),
            turns: shapes.map(upright),
            manifolds: Vec::new(),
            workspace: None,
        }
    }

    /// The signed distance of the surfaces (m), negative where they overlap.
    pub(crate) fn depth(&self, poses: &[Isometry3<f64>; 2]) -> f64 {
        let [a, b] = self.placed(poses);
        let contact = query::contact(&a, &*self.shapes[0], &b, &*self.shapes[1], 0.0);
        contact.ok().flatten().map_or(f64::NAN, |contact| contact.dist)
    }

    /// The number of contacts at poses unrelated to those of the last call.
    pub(crate) fn manifold(&mut self, poses: &[Isometry3<f64>; 2]) -> usize {
        let [a, b] = self.placed(poses);
        self.manifolds.iter_mut().for_each(ContactManifold::clear);
        DefaultQueryDispatcher
            .contact_manifolds(
                &a.inv_mul(&b),
                &*self.shapes[0],
                &*self.shapes[1],
                0.0,
                &mut self.manifolds,
                &mut self.workspace,
            )
            .expect("parry knows these pairs");
        self.manifolds.iter().map(|manifold| manifold.points.len()).sum()
    }

    fn placed(&self, poses: &[Isometry3<f64>; 2]) -> [Pose; 2] {
        [0, 1].map(|k| {
            let turned = poses[k].rotation * self.turns[k];
            Pose {
                rotation: Rot3::from_xyzw(turned.i, turned.j, turned.k, turned.w),
                translation: vector(&poses[k].translation.vector),
            }
        })
    }
}

fn vector(vector: &Vector3<f64>) -> Vector {
    Vector::new(vector.x, vector.y, vector.z)
}

fn shape_of(shape: &Shape) -> Box<dyn PeerShape> {
    match shape {
        Shape::Sphere { radius } => Box::new(Ball::new(*radius)),
        Shape::Box { half_extents } => Box::new(Cuboid::new(vector(half_extents))),
        Shape::Capsule { half_length, radius } => Box::new(Capsule::new_z(*half_length, *radius)),
        Shape::Cylinder { half_height, radius } => Box::new(Cylinder::new(*half_height, *radius)),
        _ => unreachable!("{} is not compared", shape.name()),
    }
}

/// Near pairs of equal balls by a tree of boxes that is kept between calls.
#[derive(Default)]
pub(crate) struct Tree {
    bvh: Bvh,
    workspace: BvhWorkspace,
}

impl Tree {
    /// Writes the sorted pairs of centers at most `distance` (m) apart.
    pub(crate) fn pairs(
        &mut self,
        centers: &[Vector3<f64>],
        distance: f64,
        pairs: &mut Vec<[usize; 2]>,
    ) {
        let half = Vector::splat(0.5 * distance);
        for (index, center) in (0..).zip(centers) {
            let center = vector(center);
            let aabb = Aabb::new(center - half, center + half);
            self.bvh.insert_or_update_partially(aabb, index, 0.0);
        }
        self.bvh.refit(&mut self.workspace);
        pairs.clear();
        self.bvh.traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut |i, j| {
            let [i, j] = [i.min(j) as usize, i.max(j) as usize];
            if (centers[j] - centers[i]).norm_squared() <= distance * distance {
                pairs.push([i, j]);
            }
        });
        pairs.sort_unstable();
    }
}
