//! The same pile in rapier.

use nalgebra::Vector3;
use percussion_granular::{Shape, World};
use rapier3d_f64::{
    dynamics::{RigidBodyBuilder, RigidBodyHandle},
    geometry::{ColliderBuilder, SharedShape},
    math::Vector,
    pipeline::PhysicsWorld,
};

/// Spheres between planes.
pub(super) struct Pile {
    world: PhysicsWorld,
    bodies: Vec<RigidBodyHandle>,
}

impl Pile {
    pub(super) fn new(ours: &World) -> Self {
        let mut world = PhysicsWorld::new();
        let (grains, settings) = (ours.grains(), ours.settings());
        world.gravity = vector(&settings.gravity);
        world.integration_parameters.dt = settings.step_size;
        world.integration_parameters.length_unit = 2.0 * grains.radii()[0];
        for wall in ours.walls() {
            let Shape::Plane { point, normal } = wall.shape else {
                unreachable!("the piles stand between planes")
            };
            let plane = ColliderBuilder::new(SharedShape::halfspace(vector(&normal)));
            let plane = plane.translation(vector(&point)).friction(wall.friction);
            world.colliders.insert(plane);
        }
        let bodies = (0..grains.len()).map(|index| {
            let grain = grains.grain(index);
            let body = RigidBodyBuilder::dynamic()
                .translation(vector(&grain.position))
                .linvel(vector(&grain.velocity))
                .angvel(vector(&grain.angular_velocity))
                .can_sleep(false);
            let handle = world.bodies.insert(body);
            let ball = ColliderBuilder::ball(grain.radius).mass(grain.mass);
            let ball = ball.friction(settings.friction);
            world.colliders.insert_with_parent(ball, handle, &mut world.bodies);
            handle
        });
        let bodies = bodies.collect();
        Self { world, bodies }
    }

    pub(super) fn step(&mut self) {
        self.world.step();
    }

    /// Positions and velocities.
    pub(super) fn state(&self) -> (Vec<Vector3<f64>>, Vec<Vector3<f64>>) {
        let ours = |vector: Vector| Vector3::new(vector.x, vector.y, vector.z);
        let bodies = self.bodies.iter().map(|&handle| &self.world.bodies[handle]);
        bodies.map(|body| (ours(body.translation()), ours(body.linvel()))).unzip()
    }
}

fn vector(vector: &Vector3<f64>) -> Vector {
    Vector::new(vector.x, vector.y, vector.z)
}
