//! The same quadruped as a multibody of rapier.

use nalgebra::{DVector, Vector3};
use rapier3d_f64::{
    dynamics::{
        MassProperties, MultibodyJointHandle, MultibodyJointSet, RevoluteJointBuilder,
        RigidBodyBuilder, RigidBodyHandle, RigidBodySet,
    },
    geometry::ColliderSet,
    math::{Pose, Rotation, Vector},
};

use super::Limb;

pub(super) struct Quadruped {
    bodies: RigidBodySet,
    joints: MultibodyJointSet,
    any_joint: MultibodyJointHandle,
}

impl Quadruped {
    /// The robot with its trunk and its joints at `coordinates`: position, quaternion (`w` first), angles.
    pub(super) fn new(
        trunk: (f64, [f64; 3]),
        limbs: impl Fn(usize) -> [Limb; 3],
        coordinates: &[f64],
    ) -> Self {
        let (mut bodies, mut joints) = (RigidBodySet::new(), MultibodyJointSet::new());
        let trunk = insert(&mut bodies, (trunk.0, trunk.1, [0.0; 3]), pose(coordinates));
        let mut any_joint = None;
        for leg in 0..4 {
            let mut parent = trunk;
            for (place, axis, body) in limbs(leg) {
                let link = insert(&mut bodies, body, Pose::IDENTITY);
                let joint = RevoluteJointBuilder::new(vector(&axis))
                    .local_anchor1(Vector::from_array(place))
                    .local_anchor2(Vector::ZERO);
                any_joint = any_joint.or(joints.insert(parent, link, joint, true));
                parent = link;
            }
        }
        let any_joint = any_joint.expect("the joints form a tree");
        let multibody = joints.get_mut(any_joint).expect("it was just inserted").0;
        multibody.forward_kinematics(&bodies, true);
        let mut displacements = vec![0.0; 6];
        displacements.extend(&coordinates[7..]);
        multibody.apply_displacements(&displacements);
        multibody.forward_kinematics(&bodies, false);
        multibody.update_rigid_bodies(&mut bodies, true);
        Self { bodies, joints, any_joint }
    }

    /// `diag(M⁻¹)`: frames, Jacobians of all bodies, mass matrix, factors, and a solve for each entry.
    pub(super) fn inverse_inertias(&mut self) -> DVector<f64> {
        let multibody = self.joints.get_mut(self.any_joint).expect("it was inserted").0;
        multibody.dof_inverse_inertia(&self.bodies)
    }
}

/// A body with a mass, the edges of a box and its center.
fn insert(
    bodies: &mut RigidBodySet,
    (mass, edges, center): (f64, [f64; 3], [f64; 3]),
    pose: Pose,
) -> RigidBodyHandle {
    let [x, y, z] = edges.map(|edge| edge * edge * mass / 12.0);
    let moments = Vector::new(y + z, x + z, x + y);
    let properties = MassProperties::new(Vector::from_array(center), mass, moments);
    let mut body =
        RigidBodyBuilder::dynamic().additional_mass_properties(properties).pose(pose).build();
    body.recompute_mass_properties_from_colliders(&ColliderSet::new());
    bodies.insert(body)
}

fn pose(coordinates: &[f64]) -> Pose {
    let [w, x, y, z] = [3, 4, 5, 6].map(|k| coordinates[k]);
    Pose {
        rotation: Rotation::from_xyzw(x, y, z, w),
        translation: Vector::new(coordinates[0], coordinates[1], coordinates[2]),
    }
}

fn vector(vector: &Vector3<f64>) -> Vector {
    Vector::new(vector.x, vector.y, vector.z)
}
