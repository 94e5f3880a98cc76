//! A cube of rapier falls flat on a floor. Rapier finds the contacts, percussion resolves the impact:
//! without iterating to an unknown accuracy, and with a certificate.

use nalgebra::{DMatrix, DVector, Matrix3, Vector3};
use percussion_impact::{Certificate, Contact, Law, Mass, Poisson, Problem};
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

    // It leaves at half of its speed and does not turn, whichever way four points share the percussion.
    let (velocity, spin) = (bodies[cube].linvel(), bodies[cube].angvel());
    println!("velocity {velocity} m/s, spin {spin} rad/s");
    assert!((velocity.z - RESTITUTION * SPEED).abs() < 1e-9 && spin.length() < 1e-9);
    Ok(())
}

/// What touches, by the collision detection of rapier.
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
    let size = 6 * dynamic.len();
    let (mut mass, mut before) = (DMatrix::zeros(size, size), DVector::zeros(size));
    for (index, handle) in dynamic.iter().enumerate() {
        let body = &bodies[*handle];
        let at = 6 * index;
        mass.view_mut((at, at), (3, 3)).fill_diagonal(body.mass());
        let inertia = body.mass_properties().effective_angular_inertia();
        mass.view_mut((at + 3, at + 3), (3, 3)).copy_from(&Matrix3::new(
            inertia.m11,
            inertia.m12,
            inertia.m13, //
            inertia.m12,
            inertia.m22,
            inertia.m23, //
            inertia.m13,
            inertia.m23,
            inertia.m33,
        ));
        before.rows_mut(at, 3).copy_from(&vector(body.linvel()));
        before.rows_mut(at + 3, 3).copy_from(&vector(body.angvel()));
    }
    // The velocity of the point along `direction`, that of the first body minus that of the second.
    let row = |touch: &Touch, direction: &Vector3<f64>| {
        let mut row = DVector::zeros(size);
        for (owner, sign) in touch.bodies.iter().zip([1.0, -1.0]) {
            let Some(index) = owner.and_then(|owner| dynamic.iter().position(|h| *h == owner))
            else {
                continue;
            };
            let arm = touch.point - vector(bodies[dynamic[index]].center_of_mass());
            row.fixed_rows_mut::<3>(6 * index).axpy(sign, direction, 1.0);
            row.fixed_rows_mut::<3>(6 * index + 3).axpy(sign, &arm.cross(direction), 1.0);
        }
        row
    };
    let contacts = touches.iter().map(|touch| {
        let least = Vector3::ith(touch.normal.abs().imin(), 1.0);
        let tangent = touch.normal.cross(&least).normalize();
        let tangents = vec![row(touch, &tangent), row(touch, &touch.normal.cross(&tangent))];
        Contact::new(row(touch, &touch.normal))
            .with_friction(FRICTION, tangents)
            .with_restitution(RESTITUTION)
    });
    let problem = Problem::new(Mass::Matrix(mass), before, contacts.collect())?;
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
