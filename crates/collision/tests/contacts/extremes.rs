//! Positions and sizes that occur in models but not in random tests: aligned, nested, touching flat,
//! coincident, tiny and huge.

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use percussion_collision::{Collider, Scene, Settings, Shape};
use percussion_dynamics::{System, pose_coordinates};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

use crate::common::{EVERYTHING, contacts, planar_shapes, shapes, smallest_gap, two_bodies};

fn scaled(shape: &Shape, factor: f64) -> Shape {
    let f = factor;
    match shape.clone() {
        Shape::Sphere { radius } => Shape::Sphere { radius: f * radius },
        Shape::Box { half_extents } => Shape::Box { half_extents: f * half_extents },
        Shape::Capsule { half_length, radius } => {
            Shape::Capsule { half_length: f * half_length, radius: f * radius }
        }
        Shape::Cylinder { half_height, radius } => {
            Shape::Cylinder { half_height: f * half_height, radius: f * radius }
        }
        Shape::Rod { length, radius } => Shape::Rod { length: f * length, radius: f * radius },
        Shape::Hull(hull) => {
            let points: Vec<_> = hull.vertices().iter().map(|v| f * v).collect();
            Shape::hull(&points).unwrap()
        }
        other => other,
    }
}

fn pair(system: &dyn System, first: &Shape, second: &Shape) -> Scene {
    let colliders = vec![
        Collider::on_body(0, first.clone()).unwrap(),
        Collider::on_body(1, second.clone()).unwrap(),
    ];
    Scene::new(colliders, system).unwrap()
}

fn are_half_spaces(first: &Shape, second: &Shape) -> bool {
    matches!((first, second), (Shape::HalfSpace { .. }, Shape::HalfSpace { .. }))
}

#[test]
fn aligned_and_nested_shapes_have_finite_contacts() {
    let system = two_bodies(false);
    let turns = [
        UnitQuaternion::identity(),
        UnitQuaternion::from_axis_angle(&Vector3::x_axis(), FRAC_PI_2),
        UnitQuaternion::from_axis_angle(&Vector3::y_axis(), FRAC_PI_2),
        UnitQuaternion::from_axis_angle(&Vector3::z_axis(), FRAC_PI_4),
    ];
    let steps = [-1.4, -1.0, -0.7, -0.5, 0.0, 0.4, 0.8, 0.9, 1.2];
    for first in &shapes() {
        for second in &shapes() {
            if are_half_spaces(first, second) {
                continue;
            }
            let scene = pair(&*system, first, second);
            for turn in turns {
                for (&x, &z) in steps.iter().flat_map(|x| steps.iter().map(move |z| (x, z))) {
                    let other = Isometry3::from_parts(Translation3::new(x, 0.0, z), turn);
                    let q: Vec<f64> =
                        [other, Isometry3::identity()].iter().flat_map(pose_coordinates).collect();
                    let found = contacts(&scene, &*system, &q, &EVERYTHING);
                    assert!(!found.is_empty(), "{} {}", first.name(), second.name());
                    for contact in &found {
                        let [n, t, o] = contact.frame.axes();
                        assert!(contact.gap.is_finite() && contact.gap.abs() < 5.0, "{contact:?}");
                        assert!((n.cross(&t) - o).norm() < 1e-14, "{contact:?}");
                        let apart = contact.points[0] - contact.points[1];
                        assert!((apart - contact.gap * n).norm() < 1e-12, "{contact:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn aligned_shapes_of_the_plane_have_finite_contacts() {
    let system = two_bodies(true);
    for first in &planar_shapes() {
        for second in &planar_shapes() {
            if are_half_spaces(first, second) {
                continue;
            }
            let scene = pair(&*system, first, second);
            for x in [-1.4, -1.0, -0.5, 0.0, 0.7, 1.1] {
                for (y, angle) in [(0.0, 0.0), (0.6, 0.0), (0.2, FRAC_PI_2), (-0.4, FRAC_PI_4)] {
                    let q = [x, y, angle, 0.0, 0.0, 0.0];
                    let found = contacts(&scene, &*system, &q, &EVERYTHING);
                    assert!(!found.is_empty(), "{} {}", first.name(), second.name());
                    for contact in &found {
                        assert!(contact.gap.is_finite(), "{contact:?}");
                        assert!(contact.frame.normal.z == 0.0, "{contact:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn gaps_scale_with_the_shapes() {
    let system = two_bodies(false);
    let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.3, -0.8, 0.5));
    let gap = |first: &Shape, second: &Shape, distance: f64, factor: f64| {
        let offset = Vector3::new(0.6, 0.5, 0.7) * (distance * factor);
        let other = Isometry3::from_parts(Translation3::from(offset), turn);
        let q: Vec<f64> =
            [other, Isometry3::identity()].iter().flat_map(pose_coordinates).collect();
        let scene = pair(&*system, &scaled(first, factor), &scaled(second, factor));
        smallest_gap(&contacts(&scene, &*system, &q, &Settings { proximity: 100.0 * factor }))
    };
    for first in &shapes() {
        for second in &shapes() {
            if are_half_spaces(first, second) {
                continue;
            }
            for distance in [0.6, 1.5] {
                let one = gap(first, second, distance, 1.0);
                for factor in [1e-9, 1e-3, 1e6] {
                    let scaled = gap(first, second, distance, factor) / factor;
                    let pair = [first.name(), second.name()];
                    assert!((one - scaled).abs() < 1e-12, "{pair:?} {factor}: {one}, {scaled}");
                }
            }
        }
    }
}

#[test]
fn shapes_of_very_different_size_have_finite_contacts() {
    let system = two_bodies(false);
    for first in &shapes() {
        for second in &shapes() {
            if are_half_spaces(first, second) {
                continue;
            }
            for (small, large) in [(1e-6, 1.0), (1e-3, 1e3), (1e-11, 1e11)] {
                let scene = pair(&*system, &scaled(first, small), &scaled(second, large));
                for distance in [0.0, 0.3, 1.0, 3.0] {
                    let offset = Vector3::new(0.1, 0.2, 1.0) * (distance * large);
                    let q: Vec<f64> = [
                        Isometry3::translation(offset.x, offset.y, offset.z),
                        Isometry3::identity(),
                    ]
                    .iter()
                    .flat_map(pose_coordinates)
                    .collect();
                    let found =
                        contacts(&scene, &*system, &q, &Settings { proximity: 10.0 * large });
                    let pair = [first.name(), second.name()];
                    assert!(!found.is_empty(), "{pair:?} {small} {large} {distance}");
                    assert!(found.iter().all(|c| c.gap.is_finite()), "{pair:?}");
                }
            }
        }
    }
}
