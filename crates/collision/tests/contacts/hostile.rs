//! Unreasonable numbers: each gives an error that names it or a finite answer.

use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};
use percussion_collision::{
    CellGrid, CellGridError, Collider, ColliderError, ContactId, Feature, Hull, HullError, Scene,
    SceneError, Settings, Shape, Workspace,
};
use percussion_dynamics::{
    FreeBodies, System,
    gap::{ContactRows, GapFunction},
    pose_coordinates,
};

use crate::common::{
    ChaCha8Rng, EVERYTHING, SeedableRng, contacts, direction, planar_shapes, pose, shapes,
    two_bodies,
};

/// Numbers at the ends of the range and outside it.
const NUMBERS: [f64; 11] = [
    0.0,
    -0.0,
    5e-324,
    1e-300,
    -1e-300,
    1e300,
    -1e300,
    f64::MAX,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

fn half_spaces(first: &Shape, second: &Shape) -> bool {
    matches!((first, second), (Shape::HalfSpace { .. }, Shape::HalfSpace { .. }))
}

fn pair(system: &dyn System, first: &Shape, second: &Shape) -> Scene {
    let colliders = vec![
        Collider::on_body(0, first.clone()).unwrap(),
        Collider::on_body(1, second.clone()).unwrap(),
    ];
    Scene::new(colliders, system).unwrap()
}

/// The allowed results for `points`: a hull with consistent faces and vertices, or a typed error.
fn judge(name: &str, points: &[Vector3<f64>]) -> Result<(), HullError> {
    let hull = Hull::new(points)?;
    let (v, e, f) = (hull.vertices().len(), hull.edges().len(), hull.faces().len());
    assert_eq!(v + f, e + 2, "{name}: Euler's formula");
    let extent = points.iter().map(|p| p.amax()).fold(0.0, f64::max);
    for face in hull.faces() {
        assert!((face.normal.norm() - 1.0).abs() < 1e-12, "{name}: {face:?}");
        for point in points {
            let height = face.normal.dot(point) - face.offset;
            assert!(height <= 1e-7 * extent, "{name}: a point stands {height} out of {face:?}");
        }
    }
    Ok(())
}

#[test]
fn hulls_of_degenerate_points_are_refused_or_closed() {
    let corners: Vec<Vector3<f64>> = (0..8)
        .map(|i| Vector3::from([0, 1, 2].map(|k| if i >> k & 1 == 1 { 0.5 } else { -0.5 })))
        .collect();
    let scaled = |factor: f64| corners.iter().map(|c| c * factor).collect::<Vec<_>>();
    let squeezed = |thickness: f64| {
        corners.iter().map(|c| Vector3::new(c.x, c.y, thickness * c.z)).collect::<Vec<_>>()
    };
    let line: Vec<_> = (0..9).map(|i| Vector3::new(1.0, 2.0, 3.0) * f64::from(i)).collect();
    let twice = [&corners[..], &corners[..]].concat();
    let mut with_midpoints = corners.clone();
    for i in 0..8 {
        with_midpoints.extend((0..i).map(|j: usize| 0.5 * (corners[i] + corners[j])));
    }
    let grid: Vec<_> = (0..125)
        .map(|i| Vector3::new(f64::from(i % 5), f64::from(i / 5 % 5), f64::from(i / 25)))
        .collect();

    type Expected = fn(Result<(), HullError>) -> bool;
    let flat: Expected = |result| matches!(result, Err(HullError::Flat { .. }));
    let out_of_range: Expected = |result| matches!(result, Err(HullError::OutOfRange { .. }));
    let fine: Expected = |result| result.is_ok();
    let either: Expected = |result| matches!(result, Ok(()) | Err(HullError::Flat { .. }));
    let cases: Vec<(&str, Vec<Vector3<f64>>, Expected)> = vec![
        ("coincident", vec![Vector3::repeat(0.1); 20], flat),
        ("collinear", line, flat),
        ("coplanar", squeezed(0.0), flat),
        ("coplanar but for rounding", squeezed(1e-16), flat),
        ("thin", squeezed(1e-10), flat),
        ("thick enough", squeezed(1e-6), either),
        ("every corner twice", twice, fine),
        ("with middles of edges and faces", with_midpoints, either),
        ("a lattice", grid, either),
        ("subnormal", scaled(5e-324), flat),
        ("tiny", scaled(1e-300), flat),
        ("large", scaled(1e12), fine),
        ("huge", scaled(1e300), out_of_range),
        ("infinite", scaled(f64::INFINITY), out_of_range),
    ];
    for (name, points, expected) in cases {
        let result = judge(name, &points);
        assert!(expected(result), "{name}: {result:?}");
    }
}

#[test]
fn hulls_with_one_bad_point_name_it() {
    for value in NUMBERS.into_iter().filter(|value| value.is_nan() || value.abs() > 1e12) {
        let mut points = vec![Vector3::zeros(), Vector3::x(), Vector3::y(), Vector3::z()];
        points.push(Vector3::new(0.2, value, 0.2));
        let Err(HullError::OutOfRange { index: 4, value: found }) = Hull::new(&points) else {
            panic!("{value} is accepted");
        };
        assert_eq!(found.to_bits(), value.to_bits());
    }
}

#[test]
fn shapes_at_the_same_place_have_finite_contacts() {
    for planar in [false, true] {
        let system = two_bodies(planar);
        let all = if planar { planar_shapes() } else { shapes() };
        let mut rng = ChaCha8Rng::seed_from_u64(41);
        for (first, second) in all.iter().flat_map(|first| all.iter().map(move |s| (first, s))) {
            if half_spaces(first, second) {
                continue;
            }
            let scene = pair(&*system, first, second);
            for _ in 0..8 {
                let one = if planar {
                    vec![0.3, -0.2, 0.1 * direction(&mut rng).x]
                } else {
                    pose_coordinates(&pose(&mut rng, 1.0)).to_vec()
                };
                let found = contacts(&scene, &*system, &[&one[..], &one[..]].concat(), &EVERYTHING);
                assert!(!found.is_empty(), "{} {}", first.name(), second.name());
                for contact in found {
                    assert!(contact.gap.is_finite() && contact.gap < 1.0, "{contact:?}");
                }
            }
        }
    }
}

#[test]
fn colliders_at_improper_poses_are_refused() {
    let ball = || Collider::on_body(0, Shape::Sphere { radius: 1.0 }).unwrap();
    let turned = |w: f64, x: f64| {
        let quaternion = UnitQuaternion::new_unchecked(Quaternion::new(w, x, 0.0, 0.0));
        ball().with_pose(Isometry3::from_parts(Translation3::identity(), quaternion))
    };
    for (w, x) in [(0.0, 0.0), (2.0, 0.0), (1.0, 1e-2), (1e-300, 0.0), (1e9, 0.0)] {
        let error = turned(w, x).unwrap_err();
        assert!(matches!(error, ColliderError::QuaternionNorm { .. }), "{w}, {x}: {error}");
    }
    assert!(turned(1.0, 1e-8).is_ok(), "rounding is no error");
    for value in NUMBERS.into_iter().filter(|value| value.is_nan() || value.abs() > 1e12) {
        assert!(matches!(turned(value, 0.0), Err(ColliderError::Pose { .. })), "{value}");
        let moved = ball().with_pose(Isometry3::translation(0.0, 0.0, value));
        assert!(matches!(moved, Err(ColliderError::Pose { .. })), "{value}");
    }
}

#[test]
fn coordinates_of_any_size_give_contacts_or_name_the_collider() {
    for planar in [false, true] {
        let system = two_bodies(planar);
        let all = if planar { planar_shapes() } else { shapes() };
        let n = system.coordinate_count();
        let proper = if planar {
            vec![0.1, 0.2, 0.3, 0.0, 0.0, 0.0]
        } else {
            [Isometry3::translation(0.1, 0.2, 0.3), Isometry3::identity()]
                .iter()
                .flat_map(pose_coordinates)
                .collect()
        };
        for (first, second) in all.iter().flat_map(|first| all.iter().map(move |s| (first, s))) {
            if half_spaces(first, second) {
                continue;
            }
            let scene = pair(&*system, first, second);
            let mut workspace = Workspace::default();
            for (index, value) in (0..n).flat_map(|k| NUMBERS.map(|value| (k, value))) {
                let mut q = proper.clone();
                q[index] = value;
                match scene.contacts(&*system, &q, &EVERYTHING, &mut workspace) {
                    Ok(found) => assert!(found.iter().all(|contact| contact.gap.is_finite())),
                    Err(SceneError::Collider { index: collider, source }) => {
                        assert_eq!(collider, index / (n / 2), "{source}");
                    }
                    Err(error) => panic!("{} {}: {error}", first.name(), second.name()),
                }
            }
        }
    }
}

#[test]
fn proximities_and_coefficients_of_any_size_give_finite_contacts_or_are_refused() {
    let system = two_bodies(false);
    let q = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    let ball = |body| Collider::on_body(body, Shape::Sphere { radius: 1.0 }).unwrap();
    for value in NUMBERS {
        let proper = value.is_finite() && value >= 0.0;
        assert_eq!(ball(0).with_friction(value).is_ok(), proper, "friction {value}");
        assert_eq!(ball(0).with_restitution(value).is_ok(), proper && value <= 1.0, "{value}");
        let friction = if proper { value } else { 0.5 };
        let colliders = [0, 1].map(|body| ball(body).with_friction(friction).unwrap());
        let scene = Scene::new(colliders.to_vec(), &*system).unwrap();
        let settings = Settings { proximity: value };
        match scene.contacts(&*system, &q, &settings, &mut Workspace::default()) {
            Ok(found) => {
                assert!(proper && found.len() == 1, "{value}");
                let error = (found[0].friction - friction).abs();
                assert!(
                    error <= 1e-15 * friction,
                    "{} is no mean of {friction}",
                    found[0].friction
                );
            }
            Err(error) => {
                assert!(!proper && matches!(error, SceneError::Proximity { .. }), "{error}");
            }
        }
    }
}

#[test]
fn half_spaces_take_normals_of_any_length() {
    for value in NUMBERS {
        let shape = Shape::HalfSpace { normal: Vector3::new(0.0, value, 0.0) };
        let proper = value.is_finite() && value != 0.0;
        assert_eq!(Collider::fixed(shape.clone()).is_ok(), proper, "{value}");
        if !proper {
            continue;
        }
        let system = two_bodies(false);
        let ball = Collider::on_body(0, Shape::Sphere { radius: 1.0 }).unwrap();
        let scene = Scene::new(vec![ball, Collider::fixed(shape).unwrap()], &*system).unwrap();
        let mut q = [0.0; 14];
        (q[1], q[3], q[10]) = (0.75 * value.signum(), 1.0, 1.0);
        let found = contacts(&scene, &*system, &q, &Settings::default());
        assert!((found[0].gap + 0.25).abs() < 1e-15, "{value}: {found:?}");
    }
}

#[test]
fn features_that_do_not_exist_never_panic() {
    let features = [0, 1, 7, 999, usize::MAX]
        .iter()
        .flat_map(|&k| [Feature::Vertex(k), Feature::Rim(k), Feature::Edge(k), Feature::Face(k)])
        .chain([Feature::Whole]);
    let features: Vec<Feature> = features.collect();
    for planar in [false, true] {
        let system = two_bodies(planar);
        let all = if planar { planar_shapes() } else { shapes() };
        let q = if planar {
            vec![0.1, 0.2, 0.3, 0.5, 0.0, 0.0]
        } else {
            vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.5, 0.1, 0.2, 1.0, 0.0, 0.0, 0.0]
        };
        let mut rows = ContactRows::for_system(&*system);
        for (first, second) in all.iter().flat_map(|first| all.iter().map(move |s| (first, s))) {
            if half_spaces(first, second) {
                continue;
            }
            let scene = pair(&*system, first, second);
            for (&a, &b) in features.iter().flat_map(|a| features.iter().map(move |b| (a, b))) {
                let id = ContactId { colliders: [0, 1], features: [a, b] };
                let exists = scene.colliders()[0].has(a) && scene.colliders()[1].has(b);
                let gap = scene.gap_function(&id);
                assert_eq!(
                    gap.is_some(),
                    exists,
                    "{} {}: {a:?} {b:?}",
                    first.name(),
                    second.name()
                );
                let Some(gap) = gap else { continue };
                let gap = gap.rows(&*system, &q, &mut rows);
                let is_number = rows.normal().iter().all(|entry| entry.is_finite());
                assert!(is_number, "{} {}: {a:?} {b:?} {gap}", first.name(), second.name());
            }
        }
        for colliders in [[0, 9], [9, 0], [0, 0]] {
            let id = ContactId { colliders, features: [Feature::Whole; 2] };
            assert!(pair(&*system, &all[0], &all[1]).gap_function(&id).is_none());
        }
    }
}

#[test]
fn scenes_without_bodies_or_colliders_are_empty() {
    for planar in [false, true] {
        let system = two_bodies(planar);
        let scene = Scene::new(Vec::new(), &*system).unwrap();
        let q = vec![f64::NAN; system.coordinate_count()];
        assert!(contacts(&scene, &*system, &q, &EVERYTHING).is_empty());
    }
    if let Ok(system) = FreeBodies::new(Vec::new(), Vector3::zeros()) {
        let walls = [Vector3::x(), Vector3::y()]
            .map(|normal| Collider::fixed(Shape::HalfSpace { normal }).unwrap());
        let scene = Scene::new(walls.to_vec(), &system).unwrap();
        assert!(contacts(&scene, &system, &[], &EVERYTHING).is_empty());
    }
}

#[test]
fn the_grid_takes_any_center_and_distance_or_names_it() {
    let mut grid = CellGrid::default();
    let mut pairs = Vec::new();
    for (center, distance) in NUMBERS.iter().flat_map(|c| NUMBERS.map(|d| (*c, d))) {
        let centers = [Vector3::zeros(), Vector3::new(0.0, center, 0.0), Vector3::zeros()];
        match grid.pairs(&centers, distance, &mut pairs) {
            Ok(()) => {
                assert!(distance > 0.0 && center.abs() <= 1e150);
                assert!(pairs.contains(&[0, 2]), "{center}, {distance}: coincident centers");
            }
            Err(CellGridError::Distance { value }) => {
                assert_eq!(value.to_bits(), distance.to_bits());
                assert!(!(distance.is_normal() && distance > 0.0), "{distance}");
            }
            Err(error) => {
                assert!(center.is_nan() || center.abs() > 1e150, "{center}: {error}");
                assert!(pairs.is_empty());
            }
        }
    }
}
