//! A cube of rapier falls flat on a floor. Rapier finds the contacts, and percussion resolves the impact,
//! without an iteration of unknown accuracy and with a certificate.

use nalgebra::{Matrix3, Vector3};
use percussion_impact::{Body, Coefficients, Law, Problem, certificate::Certificate, poisson::Poisson};
use rapier3d_f64::prelude::*;

/// Falling speed (m/s), coefficient of restitution and of friction.
const SPEED: f64 = 2.0;
const RESTITUTION: f64 = 0.5;
const FRICTION: f64 = 0.6;

/// A touching point: the dynamic bodies on both sides, the first one pushed along `normal`.
struct Touch {
    bodies: [Option<RigidBodyHandle>; 2],
    point: Vector3<f64>,
    normal: Vector3<f64>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut bodies = RigidBodySet::new();
    let mut colliders = ColliderSet::new();
    colliders
        .insert(ColliderBuilder::cuboid(10.0, 10.0, 0.5).translation(Vector::new(0.0, 0.0, -0.5)));
    let cube = RigidBodyBuilder::dynamic()
        .translation(Vector::new(0.0, 0.0, 0.5))
        .linvel(Vector::new(0.0, 0.0, -SPEED));
    let cube = bodies.insert(cube);
    let shape = ColliderBuilder::cuboid(0.5, 0.5, 0.5).density(2.0);
    colliders.insert_with_parent(shape, cube, &mut bodies);

    let touches = touches(&mut bodies, &mut colliders);
    println!("rapier finds {} points", touches.len());
    resolve(&mut bodies, &touches)?;

    // It leaves at half of its speed and does not turn, however the four points share the impulse.
    let (velocity, spin) = (bodies[cube].linvel(), bodies[cube].angvel());
    println!("velocity {velocity} m/s, spin {spin} rad/s");
    assert!((velocity.z - RESTITUTION * SPEED).abs() < 1e-9 && spin.length() < 1e-9);
    Ok(())
}

/// The contacts found by the collision detection of rapier.
fn touches(bodies: &mut RigidBodySet, colliders: &mut ColliderSet) -> Vec<Touch> {
    let mut narrow_phase = NarrowPhase::new();
    CollisionPipeline::new().step(
        1e-3,
        &mut IslandManager::new(),
        &mut BroadPhaseBvh::new(),
        &mut narrow_phase,
        bodies,
        colliders,
        &(),
        &(),
    );
    let mut touches = Vec::new();
    for pair in narrow_phase.contact_pairs() {
        let handles = [pair.collider1, pair.collider2];
        let owners = handles.map(|handle| {
            let body = colliders[handle].parent()?;
            bodies[body].is_dynamic().then_some(body)
        });
        for manifold in pair.manifolds() {
            // Rapier's normal points from the first to the second, percussion's from the second to the first.
            let normal = -vector(manifold.data.normal);
            touches.extend(manifold.points.iter().map(|point| Touch {
                bodies: owners,
                point: vector(*colliders[handles[0]].position() * point.local_p1),
                normal,
            }));
        }
    }
    touches
}

/// Replaces the velocities of all dynamic bodies by those after the impact.
fn resolve(bodies: &mut RigidBodySet, touches: &[Touch]) -> Result<(), Box<dyn std::error::Error>> {
    let dynamic: Vec<_> =
        bodies.iter().filter(|(_, body)| body.is_dynamic()).map(|(h, _)| h).collect();
    let free = dynamic.iter().map(|handle| {
        let body = &bodies[*handle];
        let inertia = body.mass_properties().effective_angular_inertia();
        Body {
            mass: body.mass(),
            #[rustfmt::skip]
            inertia: Matrix3::new(
                inertia.m11, inertia.m12, inertia.m13,
                inertia.m12, inertia.m22, inertia.m23,
                inertia.m13, inertia.m23, inertia.m33,
            ),
            center: vector(body.center_of_mass()),
            velocity: vector(body.linvel()),
            angular_velocity: vector(body.angvel()),
        }
    });
    let index = |owner: RigidBodyHandle| dynamic.iter().position(|handle| *handle == owner);
    let touches = touches.iter().map(|touch| percussion_impact::Touch {
        bodies: touch.bodies.map(|owner| owner.and_then(index)),
        point: touch.point,
        normal: touch.normal,
        coefficients: Coefficients { friction: FRICTION, restitution: RESTITUTION },
    });
    let problem = Problem::from_bodies(&free.collect::<Vec<_>>(), &touches.collect::<Vec<_>>())?;
    let outcome = Poisson::default().resolve(&problem)?;
    let certificate = Certificate::check(&problem, &outcome)?;
    println!("{:?}, energy change {:.3} J", outcome.trace.status, certificate.energy_change);
    for (index, handle) in dynamic.iter().enumerate() {
        let part = |from: usize| {
            let v = outcome.velocity.fixed_rows::<3>(from);
            Vector::new(v[0], v[1], v[2])
        };
        bodies[*handle].set_linvel(part(6 * index), true);
        bodies[*handle].set_angvel(part(6 * index + 3), true);
    }
    Ok(())
}

fn vector(vector: Vector) -> Vector3<f64> {
    Vector3::new(vector.x, vector.y, vector.z)
}
