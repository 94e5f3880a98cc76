//! The same piles in rapier: [`Pile`].

use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use percussion_collision as collision;
use percussion_granular::{
    Surface, World,
    bodies::{Bodies, Body},
};
use rapier3d_f64::{
    dynamics::{RigidBodyBuilder, RigidBodyHandle},
    geometry::{ColliderBuilder, SharedShape},
    math::{Pose, Rotation, Vector},
    pipeline::PhysicsWorld,
};

/// Spheres or bricks between planes, in a world of rapier with 4 substeps, on one thread.
pub struct Pile {
    world: PhysicsWorld,
    bodies: Vec<RigidBodyHandle>,
}

impl std::fmt::Debug for Pile {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Pile of {} bodies", self.bodies.len())
    }
}

impl Pile {
    /// Spheres at the positions and with the velocities of `ours`.
    ///
    /// # Panics
    ///
    /// If a wall is no plane.
    #[must_use]
    pub fn new(ours: &World) -> Self {
        let mut world = PhysicsWorld::new();
        let (grains, settings) = (ours.grains(), ours.settings());
        world.gravity = vector(&settings.gravity);
        world.integration_parameters.dt = settings.step_size;
        world.integration_parameters.length_unit = 2.0 * grains.radii()[0];
        for wall in ours.walls() {
            let Surface::Plane { point, normal } = wall.surface else {
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

    /// Bricks at the poses and with the velocities of `ours`.
    ///
    /// # Panics
    ///
    /// If a boundary is no half-space.
    #[must_use]
    pub fn bricks(ours: &Bodies, half_extents: Vector3<f64>) -> Self {
        let mut world = PhysicsWorld::new();
        let settings = ours.settings();
        world.gravity = vector(&settings.gravity);
        world.integration_parameters.dt = settings.step_size;
        world.integration_parameters.length_unit = 2.0 * half_extents.max();
        for boundary in ours.boundaries() {
            let collision::Shape::HalfSpace { normal } = boundary.collider.shape() else {
                unreachable!("the bricks lie between half-spaces")
            };
            let plane = ColliderBuilder::new(SharedShape::halfspace(vector(normal)));
            let pose = boundary.pose * boundary.collider.pose();
            let plane = plane.translation(vector(&pose.translation.vector));
            world.colliders.insert(plane.friction(boundary.collider.friction()));
        }
        let bodies = ours.bodies().iter().map(|body| {
            let q = &body.orientation;
            let rotation = Rotation::from_xyzw(q.i, q.j, q.k, q.w);
            let builder = RigidBodyBuilder::dynamic()
                .pose(Pose { translation: vector(&body.position), rotation })
                .linvel(vector(&body.velocity))
                .angvel(vector(&body.angular_velocity))
                .can_sleep(false);
            let handle = world.bodies.insert(builder);
            let [x, y, z] = half_extents.into();
            let brick = ColliderBuilder::cuboid(x, y, z).mass(body.form.mass()).friction(0.5);
            world.colliders.insert_with_parent(brick, handle, &mut world.bodies);
            handle
        });
        let bodies = bodies.collect();
        Self { world, bodies }
    }

    /// Returns the bricks of `ours` with the poses and velocities of rapier's.
    #[must_use]
    pub fn bodies(&self, ours: &Bodies) -> Vec<Body> {
        let vector = |vector: Vector| Vector3::new(vector.x, vector.y, vector.z);
        let place = |(body, &handle): (&Body, &RigidBodyHandle)| {
            let theirs = &self.world.bodies[handle];
            let q = theirs.rotation();
            Body {
                position: vector(theirs.translation()),
                orientation: UnitQuaternion::from_quaternion(Quaternion::new(q.w, q.x, q.y, q.z)),
                velocity: vector(theirs.linvel()),
                angular_velocity: vector(theirs.angvel()),
                ..body.clone()
            }
        };
        ours.bodies().iter().zip(&self.bodies).map(place).collect()
    }

    /// Makes a step.
    pub fn step(&mut self) {
        self.world.step();
    }

    /// Positions and velocities.
    #[must_use]
    pub fn state(&self) -> (Vec<Vector3<f64>>, Vec<Vector3<f64>>) {
        let ours = |vector: Vector| Vector3::new(vector.x, vector.y, vector.z);
        let bodies = self.bodies.iter().map(|&handle| &self.world.bodies[handle]);
        bodies.map(|body| (ours(body.translation()), ours(body.linvel()))).unzip()
    }
}

fn vector(vector: &Vector3<f64>) -> Vector {
    Vector::new(vector.x, vector.y, vector.z)
}
