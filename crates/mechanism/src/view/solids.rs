//! Drawing of the surfaces of a scenario.

use nalgebra::{Isometry3, Point3, Vector3};
use percussion_collision::{Collider, Hull, Shape};
use percussion_record::view::{BodyView, PlaneView, Solid};

use super::pose_of;
use crate::{
    mechanism::{Part, Surfaces},
    scenario::{Plane, Space},
};

/// The surfaces that a page shows: those of the bodies of the system, then those of fixed objects other than planes.
pub(super) fn bodies(parts: &[Part], surfaces: &Surfaces) -> Vec<BodyView> {
    let colliders = surfaces.scene().colliders();
    let of_body = |body: usize| {
        let own = colliders.iter().filter(move |collider| collider.body() == Some(body));
        own.filter_map(|collider| solid(collider.shape(), collider.pose())).collect()
    };
    let parts = parts.iter().enumerate();
    let moving =
        parts.map(|(body, part)| BodyView { name: part.name.clone(), solids: of_body(body) });
    let resting = fixed(surfaces).map(|(index, collider)| {
        let solids = solid(collider.shape(), &Isometry3::identity());
        BodyView { name: surfaces.owner(index).to_owned(), solids: solids.into_iter().collect() }
    });
    moving.chain(resting).collect()
}

/// The poses of fixed objects other than planes, which follow those of the bodies.
pub(super) fn fixed_poses(surfaces: &Surfaces, space: Space) -> Vec<f32> {
    fixed(surfaces).flat_map(|(_, collider)| pose_of(collider.pose(), space.into())).collect()
}

/// The planes that are part of the description of a robot and not among those of the scenario.
pub(super) fn planes(surfaces: &Surfaces, known: &[Plane]) -> Vec<PlaneView> {
    let colliders = surfaces.scene().colliders().iter().enumerate();
    let plane = |(index, collider): (usize, &Collider)| {
        let Shape::HalfSpace { normal } = collider.shape() else { return None };
        let name = surfaces.owner(index);
        if collider.body().is_some() || known.iter().any(|plane| plane.name == name) {
            return None;
        }
        let normal = (collider.pose().rotation * normal).normalize();
        let point = collider.pose().translation.vector.into();
        Some(PlaneView { name: name.to_owned(), point, normal: normal.into() })
    };
    colliders.filter_map(plane).collect()
}

fn fixed(surfaces: &Surfaces) -> impl Iterator<Item = (usize, &Collider)> {
    let colliders = surfaces.scene().colliders().iter().enumerate();
    colliders.filter(|(_, collider)| {
        collider.body().is_none() && !matches!(collider.shape(), Shape::HalfSpace { .. })
    })
}

/// A shape at `pose` in the frame of its body, or `None` for a half-space.
pub(super) fn solid(shape: &Shape, pose: &Isometry3<f64>) -> Option<Solid> {
    let place = |point: Vector3<f64>| -> [f64; 3] { (pose * Point3::from(point)).coords.into() };
    let ends = |half: Vector3<f64>| [place(-half), place(half)];
    Some(match shape {
        Shape::Sphere { radius } | Shape::Disc { radius } => {
            Solid::Ball { center: place(Vector3::zeros()), radius: *radius }
        }
        Shape::Capsule { half_length, radius } => {
            Solid::Capsule { ends: ends(*half_length * Vector3::z()), radius: *radius }
        }
        Shape::Rod { length, radius } => {
            Solid::Capsule { ends: ends(0.5 * *length * Vector3::x()), radius: *radius }
        }
        Shape::Cylinder { half_height, radius } => {
            Solid::Cylinder { ends: ends(*half_height * Vector3::z()), radius: *radius }
        }
        Shape::Box { half_extents } if pose.rotation.angle() == 0.0 => {
            Solid::Box { half_edges: (*half_extents).into(), center: place(Vector3::zeros()) }
        }
        Shape::Rectangle { half_extents: half } => {
            let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
            let corner = |[x, y]: [f64; 2]| {
                let [x, y, _] = place(Vector3::new(x * half.x, y * half.y, 0.0));
                [x, y]
            };
            Solid::Polygon { corners: corners.map(corner).to_vec() }
        }
        _ => polyhedron(&*shape.polyhedron()?, place),
    })
}

fn polyhedron(hull: &Hull, place: impl Fn(Vector3<f64>) -> [f64; 3]) -> Solid {
    Solid::Polyhedron {
        corners: hull.vertices().iter().map(|vertex| place(*vertex)).collect(),
        faces: hull.faces().iter().map(|face| face.vertices.clone()).collect(),
    }
}
