//! The features of two bodies at a contact, and their names.

use nalgebra::{Isometry3, UnitQuaternion, Vector2, Vector3};
use percussion_collision::{Collider, Feature, Scene, Settings, Shape};
use percussion_dynamics::{System, gap::GapFunction, pose_coordinates};

use crate::common::{contacts, two_bodies};

fn scene(system: &dyn System, shape: Shape, other: Shape) -> Scene {
    let colliders =
        vec![Collider::on_body(0, shape).unwrap(), Collider::on_body(1, other).unwrap()];
    Scene::new(colliders, system).unwrap()
}

fn ground(system: &dyn System, shape: Shape) -> Scene {
    let floor = Shape::HalfSpace { normal: Vector3::z() };
    let colliders = vec![Collider::fixed(floor).unwrap(), Collider::on_body(0, shape).unwrap()];
    Scene::new(colliders, system).unwrap()
}

fn cuboid() -> Shape {
    Shape::Box { half_extents: Vector3::new(0.2, 0.3, 0.4) }
}

fn both(first: Isometry3<f64>, second: Isometry3<f64>) -> Vec<f64> {
    [first, second].iter().flat_map(pose_coordinates).collect()
}

fn tilted(height: f64, tilt: Vector3<f64>) -> Isometry3<f64> {
    Isometry3::from_parts(
        nalgebra::Translation3::new(0.1, 0.2, height),
        UnitQuaternion::from_scaled_axis(tilt),
    )
}

#[test]
fn a_box_on_the_ground_keeps_the_names_of_its_corners_while_it_tilts() {
    let system = two_bodies(false);
    let scene = ground(&*system, cuboid());
    let far = Isometry3::translation(0.0, 0.0, 50.0);
    for tilt in [0.0, 1e-12, 1e-7, 1e-3, 0.01] {
        let q = both(tilted(0.4, Vector3::new(tilt, 0.5 * tilt, 0.3)), far);
        let found = contacts(&scene, &*system, &q, &Settings { proximity: 0.02 });
        let names: Vec<_> = found.iter().map(|contact| contact.id.features).collect();
        let expected = [0, 1, 2, 3].map(|k| [Feature::Vertex(k), Feature::Face(0)]);
        assert_eq!(names, expected, "tilt {tilt}");
        assert!(found.iter().all(|c| c.frame.normal == Vector3::z()), "out of the ground");
        assert!(found.iter().all(|c| c.id.colliders == [1, 0] && c.bodies == [Some(0), None]));
    }
    // On another face it stands upright on other corners.
    let turned = tilted(0.3, Vector3::new(std::f64::consts::FRAC_PI_2, 0.0, 0.0));
    let found = contacts(&scene, &*system, &both(turned, far), &Settings { proximity: 1e-9 });
    let names: Vec<_> = found.iter().map(|contact| contact.id.features[0]).collect();
    assert_eq!(names, [0, 1, 4, 5].map(Feature::Vertex));
}

#[test]
fn the_proximity_decides_which_corners_take_part_in_an_impact() {
    let system = two_bodies(false);
    let scene = ground(&*system, cuboid());
    // One corner 1 µm deep, its neighbor on the short edge 3 µm above, the others far higher.
    let low = |proximity: f64| {
        let tilt = Vector3::new(0.5, 4e-6 / 0.4, 0.0);
        let lowest = {
            let q = both(tilted(0.0, tilt), Isometry3::translation(0.0, 0.0, 50.0));
            let found = contacts(&scene, &*system, &q, &Settings { proximity: 10.0 });
            found.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min)
        };
        let q = both(tilted(-lowest - 1e-6, tilt), Isometry3::translation(0.0, 0.0, 50.0));
        contacts(&scene, &*system, &q, &Settings { proximity })
    };
    let fine = low(1e-6);
    assert_eq!(fine.len(), 1, "{fine:?}");
    assert!(fine[0].is_overlapping(), "this corner triggers the impact");
    let coarse = low(1e-5);
    assert_eq!(coarse.iter().filter(|contact| contact.is_overlapping()).count(), 1);
    assert_eq!(coarse.len(), 2, "its neighbor takes part: {coarse:?}");
}

#[test]
fn equal_boxes_in_a_stack_touch_at_four_corners_and_keep_them_under_rounding() {
    let system = two_bodies(false);
    let scene = scene(&*system, cuboid(), cuboid());
    let names = |noise: f64| {
        let lower = tilted(0.0, Vector3::new(0.0, 0.0, 0.7));
        let upper = tilted(0.8, Vector3::new(noise, -noise, 0.7 + noise));
        let found = contacts(&scene, &*system, &both(lower, upper), &Settings { proximity: 1e-6 });
        assert!(found.iter().all(|c| c.gap.abs() < 1e-8), "{found:?}");
        found.iter().map(|contact| contact.id.features).collect::<Vec<_>>()
    };
    let still = names(0.0);
    assert_eq!(still.len(), 4, "{still:?}");
    for noise in [1e-15, -1e-13, 1e-10] {
        assert_eq!(names(noise), still, "noise {noise}");
    }
}

#[test]
fn crossed_boxes_touch_where_their_edges_cross() {
    let system = two_bodies(false);
    let plank = || Shape::Box { half_extents: Vector3::new(1.0, 0.1, 0.05) };
    let scene = scene(&*system, plank(), plank());
    let q = both(
        Isometry3::identity(),
        Isometry3::from_parts(
            nalgebra::Translation3::new(0.0, 0.0, 0.1),
            UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f64::consts::FRAC_PI_2),
        ),
    );
    let found = contacts(&scene, &*system, &q, &Settings { proximity: 1e-9 });
    assert_eq!(found.len(), 4, "{found:?}");
    for contact in &found {
        assert!(matches!(contact.id.features, [Feature::Edge(_), Feature::Edge(_)]));
        assert!((contact.points[0].x.abs() - 0.1).abs() < 1e-12, "{contact:?}");
        assert!((contact.points[0].y.abs() - 0.1).abs() < 1e-12, "{contact:?}");
    }
}

#[test]
fn a_cylinder_stands_on_four_points_and_rolls_on_two() {
    let system = two_bodies(false);
    let scene = ground(&*system, Shape::Cylinder { half_height: 0.5, radius: 0.2 });
    let far = Isometry3::translation(0.0, 0.0, 50.0);
    let at = |height: f64, tilt: Vector3<f64>| {
        let q = both(tilted(height, tilt), far);
        contacts(&scene, &*system, &q, &Settings { proximity: 1e-9 })
    };
    let standing = at(0.5, Vector3::zeros());
    let names: Vec<_> = standing.iter().map(|contact| contact.id.features[0]).collect();
    assert_eq!(names, [4, 5, 6, 7].map(Feature::Vertex));
    let half_pi = std::f64::consts::FRAC_PI_2;
    let turn = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), half_pi)
        * UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 0.3);
    let rolling = at(0.2, turn.scaled_axis());
    let names: Vec<_> = rolling.iter().map(|contact| contact.id.features[0]).collect();
    assert_eq!(names, [Feature::Rim(0), Feature::Rim(1)]);
}

#[test]
fn a_capsule_along_another_touches_at_both_ends_of_the_shared_stretch() {
    let system = two_bodies(false);
    let capsule = |half_length: f64| Shape::Capsule { half_length, radius: 0.1 };
    let scene = scene(&*system, capsule(0.5), capsule(0.3));
    let q = both(Isometry3::identity(), Isometry3::translation(0.2, 0.0, 0.4));
    let found = contacts(&scene, &*system, &q, &Settings { proximity: 1e-9 });
    let mut heights: Vec<_> = found.iter().map(|contact| contact.points[0].z).collect();
    heights.sort_by(f64::total_cmp);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!((heights[0] - 0.1).abs() < 1e-12 && (heights[1] - 0.5).abs() < 1e-12, "{heights:?}");
}

#[test]
fn a_rectangle_on_a_line_touches_with_two_corners_and_a_disc_with_one_point() {
    let system = two_bodies(true);
    let colliders = vec![
        Collider::fixed(Shape::HalfSpace { normal: Vector3::y() }).unwrap(),
        Collider::on_body(0, Shape::Rectangle { half_extents: Vector2::new(0.3, 0.2) }).unwrap(),
        Collider::on_body(1, Shape::Disc { radius: 0.1 }).unwrap(),
    ];
    let scene = Scene::new(colliders, &*system).unwrap();
    let q = [0.0, 0.2, 0.0, 0.4, 0.1, 1.0];
    let found = contacts(&scene, &*system, &q, &Settings::default());
    let names: Vec<_> = found.iter().map(|c| (c.id.colliders, c.id.features)).collect();
    let floor = Feature::Face(0);
    assert_eq!(
        names,
        [
            ([1, 0], [Feature::Vertex(0), floor]),
            ([1, 0], [Feature::Vertex(1), floor]),
            ([1, 2], [Feature::Whole, Feature::Vertex(0)]),
            ([2, 0], [Feature::Vertex(0), floor]),
        ]
    );
    assert!((found[2].frame.normal + Vector3::x()).norm() < 1e-15, "from the disc to the box");
    assert!(found[2].frame.normal.z == 0.0 && found[2].gap.abs() < 1e-15);
}

#[test]
fn a_contact_can_be_followed_after_its_features_have_parted() {
    let system = two_bodies(false);
    let scene = ground(&*system, cuboid());
    let far = Isometry3::translation(0.0, 0.0, 50.0);
    let lying = both(tilted(0.4, Vector3::zeros()), far);
    let found = contacts(&scene, &*system, &lying, &Settings::default());
    let gap = scene.gap_function(&found[0].id).unwrap();
    gap.check(&*system).unwrap();
    let lifted = both(tilted(3.4, Vector3::zeros()), far);
    assert!((gap.gap(&*system, &lifted) - 3.0).abs() < 1e-12);
    assert!(gap.gap(&*system, &[f64::NAN; 14]).is_nan(), "no number where there is no position");
    let point = gap.contact_point(&*system, &lifted).unwrap();
    assert!((point.point.z - 3.0).abs() < 1e-12, "the corner of body 1");
}
