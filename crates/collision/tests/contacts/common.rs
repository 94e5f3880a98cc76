//! Random bodies with shapes, and common functions of the tests.

use std::sync::Arc;

use nalgebra::{Isometry3, Matrix3, Translation3, UnitQuaternion, Vector2, Vector3};
use percussion_collision::{Collider, Contact, Hull, Scene, Settings, Shape, Workspace};
use percussion_dynamics::{Body, FreeBodies, PlanarBodies, PlanarBody, System, pose_coordinates};
use rand::RngExt;
pub(crate) use rand::SeedableRng;
pub(crate) use rand_chacha::ChaCha8Rng;

/// A gap larger than any between the bodies of these tests (m).
pub(crate) const EVERYTHING: Settings = Settings { proximity: 100.0 };

/// One of each shape of space, all about a meter across.
pub(crate) fn shapes() -> Vec<Shape> {
    vec![
        Shape::Sphere { radius: 0.6 },
        Shape::HalfSpace { normal: Vector3::new(0.3, -0.2, 1.0) },
        Shape::Box { half_extents: Vector3::new(0.5, 0.3, 0.7) },
        Shape::Capsule { half_length: 0.6, radius: 0.25 },
        Shape::Cylinder { half_height: 0.5, radius: 0.4 },
        Shape::Hull(Arc::new(pebble())),
        Shape::Rod { length: 1.4, radius: 0.1 },
    ]
}

/// One of each shape of the plane.
pub(crate) fn planar_shapes() -> Vec<Shape> {
    vec![
        Shape::Disc { radius: 0.6 },
        Shape::HalfSpace { normal: Vector3::new(0.3, 1.0, 0.0) },
        Shape::Rectangle { half_extents: Vector2::new(0.5, 0.3) },
        Shape::Rod { length: 1.4, radius: 0.1 },
    ]
}

/// The hull of twenty random points, whose frame has its origin off the center.
pub(crate) fn pebble() -> Hull {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let points: Vec<_> =
        (0..20).map(|_| direction(&mut rng) * 0.6 + Vector3::new(0.1, 0.2, 0.0)).collect();
    Hull::new(&points).unwrap()
}

pub(crate) fn vector(rng: &mut ChaCha8Rng, size: f64) -> Vector3<f64> {
    Vector3::from_fn(|_, _| rng.random_range(-size..size))
}

pub(crate) fn direction(rng: &mut ChaCha8Rng) -> Vector3<f64> {
    loop {
        if let Some(unit) = vector(rng, 1.0).try_normalize(0.2) {
            return unit;
        }
    }
}

pub(crate) fn pose(rng: &mut ChaCha8Rng, size: f64) -> Isometry3<f64> {
    let rotation = UnitQuaternion::from_scaled_axis(direction(rng) * rng.random_range(0.0..3.0));
    Isometry3::from_parts(Translation3::from(vector(rng, size)), rotation)
}

/// Two bodies in space or in the plane.
pub(crate) fn two_bodies(planar: bool) -> Box<dyn System> {
    if planar {
        let body = PlanarBody::new(1.0, 0.5);
        Box::new(PlanarBodies::new(vec![body, body], Vector2::zeros()).unwrap())
    } else {
        let body = Body::new(1.0, Matrix3::identity());
        Box::new(FreeBodies::new(vec![body, body], Vector3::zeros()).unwrap())
    }
}

/// Coordinates of the two bodies, with centers up to about `size` apart along each axis.
pub(crate) fn coordinates(rng: &mut ChaCha8Rng, planar: bool, size: f64) -> Vec<f64> {
    if planar {
        (0..6).map(|k| rng.random_range(-1.0..1.0) * if k % 3 == 2 { 3.0 } else { size }).collect()
    } else {
        [(); 2].iter().flat_map(|()| pose_coordinates(&pose(rng, size))).collect()
    }
}

/// The scene of two shapes on two bodies, each attached at its own pose.
pub(crate) fn scene(system: &dyn System, shapes: [&Shape; 2], planar: bool) -> Scene {
    let attach = |body: usize, shape: &Shape, pose: Isometry3<f64>| {
        Collider::on_body(body, shape.clone()).unwrap().with_pose(pose).unwrap()
    };
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let poses = [(); 2].map(|()| {
        if planar {
            let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 0.4);
            Isometry3::from_parts(Translation3::new(0.1, -0.2, 0.0), turn)
        } else {
            pose(&mut rng, 0.2)
        }
    });
    let colliders = vec![attach(0, shapes[0], poses[0]), attach(1, shapes[1], poses[1])];
    Scene::new(colliders, system).unwrap()
}

pub(crate) fn contacts(
    scene: &Scene,
    system: &dyn System,
    coordinates: &[f64],
    settings: &Settings,
) -> Vec<Contact> {
    scene.contacts(system, coordinates, settings, &mut Workspace::default()).unwrap().to_vec()
}

/// The smallest gap.
pub(crate) fn smallest_gap(contacts: &[Contact]) -> f64 {
    contacts.iter().map(|contact| contact.gap).fold(f64::INFINITY, f64::min)
}

/// `q ⊕ s v`.
pub(crate) fn moved(system: &dyn System, q: &[f64], v: &[f64], s: f64) -> Vec<f64> {
    let tangent: Vec<f64> = v.iter().map(|c| s * c).collect();
    let mut moved = vec![f64::NAN; q.len()];
    system.retract(q, &tangent, &mut moved);
    moved
}
