//! Input that is refused, and the values in the errors.

use nalgebra::{Isometry3, Matrix3, Vector2, Vector3};
use percussion_collision::{
    Collider, ColliderError, Scene, SceneError, Settings, Shape, ShapeError, Workspace,
    coefficients,
};
use percussion_dynamics::{Body, Dimension, FreeBodies};

use crate::common::{contacts, two_bodies};

fn ball() -> Collider {
    Collider::on_body(0, Shape::Sphere { radius: 1.0 }).unwrap()
}

#[test]
fn lengths_that_are_not_positive_and_finite_are_refused() {
    for value in
        [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY, 1e13, 1e-13, 1e300, -1e300, 1e-300, 5e-324]
    {
        let half = Vector3::new(1.0, value, 1.0);
        let shapes = [
            Shape::Sphere { radius: value },
            Shape::Disc { radius: value },
            Shape::Box { half_extents: half },
            Shape::Rectangle { half_extents: Vector2::new(value, 1.0) },
            Shape::Capsule { half_length: value, radius: 1.0 },
            Shape::Capsule { half_length: 1.0, radius: value },
            Shape::Cylinder { half_height: value, radius: 1.0 },
            Shape::Cylinder { half_height: 1.0, radius: value },
            Shape::Rod { length: value, radius: 1.0 },
            Shape::Rod { length: 1.0, radius: value },
        ];
        for shape in shapes {
            let error = Collider::on_body(0, shape.clone()).unwrap_err();
            let ColliderError::Shape(ShapeError::Length { value: found, .. }) = error else {
                panic!("{error} is no error of a length");
            };
            assert!(found.to_bits() == value.to_bits(), "{shape:?}: {error}");
        }
    }
}

#[test]
fn messages_name_the_field_the_value_and_what_was_expected() {
    let error = Collider::on_body(0, Shape::Sphere { radius: -1.0 }).unwrap_err();
    assert_eq!(
        error.to_string(),
        "radius of a sphere is -1.0, expected a number between 1e-12 and 1e12 (m)"
    );
    let error = Collider::on_body(0, Shape::Sphere { radius: 1e300 }).unwrap_err();
    assert_eq!(
        error.to_string(),
        "radius of a sphere is 1e300, expected a number between 1e-12 and 1e12 (m)"
    );
    let error = ball().with_pose(Isometry3::translation(0.0, -1e300, 0.0)).unwrap_err();
    let expected = "pose of a collider has an entry -1e300, expected numbers within ±1e12";
    assert_eq!(error.to_string(), expected);
    let error = ball().with_restitution(1.5).unwrap_err();
    assert_eq!(error.to_string(), "restitution is 1.5, expected a number between 0 and 1");
}

#[test]
fn bad_directions_coefficients_and_poses_are_refused() {
    for normal in [Vector3::zeros(), Vector3::new(0.0, f64::NAN, 1.0)] {
        let error = Collider::fixed(Shape::HalfSpace { normal }).unwrap_err();
        assert!(matches!(error, ColliderError::Shape(ShapeError::Normal { .. })), "{error}");
    }
    for value in [-0.1, f64::NAN, f64::INFINITY] {
        let refused = ball().with_friction(value).unwrap_err();
        assert!(matches!(
            refused,
            ColliderError::Coefficient(coefficients::Error::Friction { .. })
        ));
        let refused = ball().with_restitution(value).unwrap_err();
        assert!(matches!(
            refused,
            ColliderError::Coefficient(coefficients::Error::Restitution { .. })
        ));
    }
    let far = Isometry3::translation(0.0, 1e13, 0.0);
    assert_eq!(ball().with_pose(far), Err(ColliderError::Pose { value: 1e13 }));
}

#[test]
fn colliders_must_fit_the_system() {
    let (space, plane) = (two_bodies(false), two_bodies(true));
    let refused = |collider: Collider, planar: bool| {
        let system = if planar { &plane } else { &space };
        match Scene::new(vec![collider], &**system) {
            Err(SceneError::Collider { index: 0, source }) => source,
            other => panic!("{other:?}, expected a refusal"),
        }
    };
    let stranger = Collider::on_body(2, Shape::Sphere { radius: 1.0 }).unwrap();
    assert_eq!(refused(stranger, false), ColliderError::Body { body: 2, count: 2 });
    let expected = ColliderError::Dimension { shape: "sphere", dimension: Dimension::Plane };
    assert_eq!(refused(ball(), true), expected);
    let disc = Collider::on_body(0, Shape::Disc { radius: 1.0 }).unwrap();
    let expected = ColliderError::Dimension { shape: "disc", dimension: Dimension::Space };
    assert_eq!(refused(disc.clone(), false), expected);
    let lifted = disc.with_pose(Isometry3::translation(0.0, 0.0, 0.5)).unwrap();
    assert_eq!(refused(lifted, true), ColliderError::OutOfPlane { value: 0.5 });
}

#[test]
fn two_half_spaces_are_refused_unless_they_move_together() {
    let system = two_bodies(false);
    let wall = |normal| Collider::fixed(Shape::HalfSpace { normal }).unwrap();
    let moving = Collider::on_body(0, Shape::HalfSpace { normal: Vector3::z() }).unwrap();
    assert!(Scene::new(vec![wall(Vector3::x()), wall(Vector3::y())], &*system).is_ok());
    let error = Scene::new(vec![wall(Vector3::x()), ball(), moving], &*system).unwrap_err();
    assert_eq!(error, SceneError::TwoHalfSpaces { colliders: [0, 2] });
}

#[test]
fn calls_with_bad_numbers_are_refused() {
    let system = two_bodies(false);
    let scene = Scene::new(vec![ball()], &*system).unwrap();
    let q = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    let mut workspace = Workspace::default();
    let mut call = |q: &[f64], proximity: f64| {
        scene.contacts(&*system, q, &Settings { proximity }, &mut workspace).map(<[_]>::len)
    };
    assert_eq!(call(&q, 0.1), Ok(0));
    assert_eq!(call(&q, -1.0), Err(SceneError::Proximity { value: -1.0 }));
    assert!(matches!(call(&q[1..], 0.1), Err(SceneError::Length { expected: 14, found: 13, .. })));
    let mut lost = q;
    lost[1] = f64::INFINITY;
    assert!(matches!(call(&lost, 0.1), Err(SceneError::Collider { index: 0, .. })));
    lost[1] = f64::NAN;
    assert!(matches!(call(&lost, 0.1), Err(SceneError::Collider { index: 0, .. })));
    let other =
        FreeBodies::new(vec![Body::new(1.0, Matrix3::identity())], Vector3::zeros()).unwrap();
    let mut workspace = Workspace::default();
    let error = scene.contacts(&other, &q, &Settings::default(), &mut workspace);
    assert!(matches!(error, Err(SceneError::Length { expected: 2, found: 1, .. })));
}

#[test]
fn bodies_that_a_joint_connects_can_be_left_out() {
    let system = two_bodies(false);
    let colliders = vec![ball(), Collider::on_body(1, Shape::Sphere { radius: 1.0 }).unwrap()];
    let scene = Scene::new(colliders, &*system).unwrap();
    let q = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    assert_eq!(contacts(&scene, &*system, &q, &Settings::default()).len(), 1);
    let error = scene.clone().exclude(1, 7).unwrap_err();
    assert_eq!(error, SceneError::Excluded { body: 7, count: 2 });
    let scene = scene.exclude(1, 0).unwrap();
    assert!(contacts(&scene, &*system, &q, &Settings::default()).is_empty());
}

#[test]
fn a_scene_without_colliders_has_no_contacts() {
    let system = two_bodies(false);
    let scene = Scene::new(Vec::new(), &*system).unwrap();
    let q = [0.0; 14];
    assert!(contacts(&scene, &*system, &q, &Settings::default()).is_empty());
}
