//! Boxes and hulls on floors, slopes, walls and each other.

use nalgebra::{Isometry3, Vector2, Vector3};
use percussion_collision::{Collider, Scene, Shape};
use percussion_dynamics::{
    Body, FreeBodies, MassProperties, PlanarBodies, PlanarBody, System,
    gap::{Plane, Sphere, SpherePlane},
};
use percussion_integrators::{Contact, Model, State};

use crate::schemes::{ALL, run};

pub(crate) const G: f64 = 10.0;

pub(crate) fn cuboids(mass: f64, half_extents: &[Vector3<f64>]) -> FreeBodies {
    let body = |half: &Vector3<f64>| {
        Body::from_mass_properties(&MassProperties::solid_box(mass, &(2.0 * half)).unwrap())
    };
    let bodies = half_extents.iter().map(body).collect();
    FreeBodies::new(bodies, Vector3::new(0.0, 0.0, -G)).unwrap()
}

pub(crate) fn box_on(body: usize, half_extents: Vector3<f64>, friction: f64) -> Collider {
    Collider::on_body(body, Shape::Box { half_extents }).unwrap().with_friction(friction).unwrap()
}

pub(crate) fn ground(normal: Vector3<f64>, friction: f64) -> Collider {
    Collider::fixed(Shape::HalfSpace { normal }).unwrap().with_friction(friction).unwrap()
}

pub(crate) fn model(system: impl System + 'static, colliders: Vec<Collider>) -> Model {
    let scene = Scene::new(colliders, &system).unwrap();
    Model::new(Box::new(system), vec![]).unwrap().with_contact_source(scene).unwrap()
}

pub(crate) fn at(positions: &[Vector3<f64>], velocity: Vec<f64>) -> State {
    let coordinates = positions.iter().flat_map(|p| [p.x, p.y, p.z, 1.0, 0.0, 0.0, 0.0]).collect();
    State { time: 0.0, coordinates, velocity }
}

/// `v²/(2 μ g) = 0.9 m`, with four corners that keep their numbers.
#[test]
fn a_box_slides_to_rest() {
    let half = Vector3::new(0.5, 0.4, 0.1);
    for scheme in ALL {
        let colliders = vec![box_on(0, half, 0.5), ground(Vector3::z(), 0.5)];
        let start = at(&[Vector3::new(0.0, 0.0, 0.1)], vec![3.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        let mut last = start.clone();
        run(
            scheme,
            model(cuboids(2.0, &[half]), colliders),
            start,
            (0.01, 1.0),
            |seen, contacts| {
                // On the level of velocities the residuals of the solves add up.
                assert!(!seen.gained && seen.penetration < 1e-8, "{scheme:?} {seen:?}");
                assert_eq!(contacts.len(), 4, "{scheme:?}");
                let weight: f64 = seen.contacts.iter().map(|(_, impulse)| impulse).sum();
                assert!((weight - 2.0 * G * 0.01).abs() < 1e-6, "{scheme:?} {weight}");
                last = seen.state.clone();
            },
        );
        assert!(last.velocity.iter().all(|v| v.abs() < 1e-6), "{scheme:?} {last:?}");
        // Up to v h/2, which the schemes of first order miss.
        assert!((last.coordinates[0] - 0.9).abs() < 0.016, "{scheme:?} {last:?}");
        assert!(last.coordinates[1].abs() < 1e-6, "{scheme:?} {last:?}");
    }
}

/// On a slope of 25° a hull sticks with μ = 0.6 and slides with `g (sin α − μ cos α)` with μ = 0.3.
#[test]
fn a_hull_on_a_slope_sticks_or_slides() {
    let corners = [[0.4, 0.3, -0.1], [-0.4, 0.3, -0.1], [0.0, -0.5, -0.1], [0.0, 0.0, 0.3]];
    let points: Vec<_> = corners.into_iter().map(Vector3::from).collect();
    let shape = Shape::hull(&points).unwrap();
    let properties = MassProperties::solid_sphere(2.0, 0.2).unwrap();
    let (sin, cos) = 25.0_f64.to_radians().sin_cos();
    for scheme in ALL {
        for (friction, acceleration) in [(0.6, 0.0), (0.3, G * (sin - 0.3 * cos))] {
            let body = Body::from_mass_properties(&properties);
            // The slope is flat and gravity inclined.
            let system = FreeBodies::new(vec![body], G * Vector3::new(sin, 0.0, -cos)).unwrap();
            let hull =
                Collider::on_body(0, shape.clone()).unwrap().with_friction(friction).unwrap();
            let model = model(system, vec![hull, ground(Vector3::z(), friction)]);
            let start = at(&[Vector3::new(0.0, 0.0, 0.1)], vec![0.0; 6]);
            let mut end = 0.0;
            run(scheme, model, start, (0.005, 0.5), |seen, _| {
                assert!(!seen.gained, "{scheme:?} {seen:?}");
                end = seen.state.velocity[0];
            });
            // A polygon of eight directions has one along the slip here.
            assert!((end - 0.5 * acceleration).abs() < 1e-6, "{scheme:?} {friction} {end}");
        }
    }
}

/// Each interface carries what is above it, and nothing moves.
#[test]
fn a_stack_stays() {
    let half: Vec<_> =
        (0..4).map(|k| Vector3::new(0.5, 0.4, 0.2) * (1.0 - 0.15 * f64::from(k))).collect();
    let mut height = 0.0;
    let mut positions = Vec::new();
    for half in &half {
        positions.push(Vector3::new(0.0, 0.0, height + half.z));
        height += 2.0 * half.z;
    }
    for scheme in ALL {
        let mut colliders: Vec<_> =
            half.iter().enumerate().map(|(body, half)| box_on(body, *half, 0.5)).collect();
        colliders.push(ground(Vector3::z(), 0.5));
        let start = at(&positions, vec![0.0; 24]);
        let begin = start.coordinates.clone();
        run(scheme, model(cuboids(1.0, &half), colliders), start, (0.01, 1.0), |seen, contacts| {
            assert!(!seen.gained && seen.penetration < 1e-6, "{scheme:?} {seen:?}");
            let mut carried = [0.0; 4];
            for (contact, impulse) in &seen.contacts {
                // Body 1 of a pair is the lower one, or that on the ground.
                let [first, second] = contacts.name(*contact).unwrap().surfaces;
                carried[if second == 4 { 0 } else { first + 1 }] += impulse;
            }
            for (k, carried) in carried.iter().enumerate() {
                let weight = (4 - k) as f64 * G * 0.01;
                assert!((carried - weight).abs() < 1e-5, "{scheme:?} {k} {carried} {weight}");
            }
            let moved = seen.state.coordinates.iter().zip(&begin).map(|(a, b)| (a - b).abs());
            assert!(moved.fold(0.0, f64::max) < 1e-5, "{scheme:?} {seen:?}");
        });
    }
}

/// It loses energy at every impact, stays in its corner and comes to rest on a face.
#[test]
fn a_box_thrown_against_a_wall_comes_to_rest_in_front_of_it() {
    let half = Vector3::new(0.3, 0.2, 0.1);
    for scheme in ALL {
        let wall = Collider::fixed(Shape::Box { half_extents: Vector3::new(0.1, 4.0, 2.0) })
            .unwrap()
            .with_pose(Isometry3::translation(2.1, 0.0, 2.0))
            .unwrap()
            .with_friction(0.4)
            .unwrap();
        let colliders = vec![box_on(0, half, 0.4), ground(Vector3::z(), 0.4), wall];
        let system = cuboids(1.0, &[half]);
        let start = at(&[Vector3::new(0.0, 0.0, 1.0)], vec![5.0, 1.0, 1.0, 3.0, -2.0, 4.0]);
        let mut last = start.clone();
        run(scheme, model(system, colliders), start, (0.002, 4.0), |seen, _| {
            assert!(!seen.gained, "{scheme:?} {seen:?}");
            // What a corner at up to 8 m/s goes in a step.
            assert!(seen.penetration < 0.016, "{scheme:?} {seen:?}");
            last = seen.state.clone();
        });
        assert!(last.velocity.iter().all(|v| v.abs() < 1e-3), "{scheme:?} {last:?}");
        assert!(last.coordinates[0] < 1.9 && (last.coordinates[2] - 0.1).abs() < 0.01, "{last:?}");
    }
}

/// A face whose plane a corner has passed beside it is not touched.
#[test]
fn what_falls_beside_a_table_touches_nothing() {
    let half = Vector3::repeat(0.1);
    for scheme in ALL {
        let table = Collider::fixed(Shape::Box { half_extents: Vector3::new(1.0, 1.0, 0.05) });
        let colliders = vec![box_on(0, half, 0.5), table.unwrap()];
        let start = at(&[Vector3::new(1.101, 0.0, 0.5)], vec![0.0; 6]);
        run(scheme, model(cuboids(1.0, &[half]), colliders), start, (0.01, 1.0), |seen, _| {
            assert!(
                seen.contacts.iter().all(|(_, impulse)| *impulse == 0.0),
                "{scheme:?} {seen:?}"
            );
            assert!((seen.state.velocity[2] + G * seen.state.time).abs() < 1e-12, "{scheme:?}");
        });
    }
}

/// A ball in a scene moves as one whose gap is named.
#[test]
fn a_ball_of_a_scene_is_that_of_a_gap() {
    let ball = || {
        let properties = MassProperties::solid_sphere(2.0, 0.1).unwrap();
        let bodies = vec![Body::from_mass_properties(&properties)];
        FreeBodies::new(bodies, Vector3::new(0.0, 0.0, -G)).unwrap()
    };
    for scheme in ALL {
        let start = at(&[Vector3::new(0.0, 0.0, 0.3)], vec![2.0, 1.0, 0.0, 5.0, 0.0, 3.0]);
        let floor = Plane::new(&Vector3::z(), &Vector3::zeros()).unwrap();
        let gap = SpherePlane::new(Sphere::of_body(0, 0.1), floor).unwrap();
        let named = Model::new(Box::new(ball()), vec![Contact::new(gap, 0.3)]).unwrap();
        let sphere = Collider::on_body(0, Shape::Sphere { radius: 0.1 }).unwrap();
        let colliders = vec![sphere.with_friction(0.3).unwrap(), ground(Vector3::z(), 0.3)];
        let found = model(ball(), colliders);
        let mut ways = [vec![], vec![]];
        for (model, way) in [named, found].into_iter().zip(&mut ways) {
            run(scheme, model, start.clone(), (0.01, 0.6), |seen, _| way.push(seen.clone()));
        }
        for (named, found) in ways[0].iter().zip(&ways[1]) {
            let off = named.state.coordinates.iter().zip(&found.state.coordinates);
            let off = off.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(off < 1e-9, "{scheme:?} {off} {named:?} {found:?}");
        }
    }
}

/// A rectangle at rest on a table, with its center at `x` (m) beyond the edge.
pub(crate) fn leaning(x: f64) -> (Model, State) {
    let moment = (0.4 * 0.4 + 0.2 * 0.2) / 12.0;
    let bodies = vec![PlanarBody::new(1.0, moment)];
    let system = PlanarBodies::new(bodies, Vector2::new(0.0, -G)).unwrap();
    let plank = Shape::Rectangle { half_extents: Vector2::new(0.2, 0.1) };
    let table = Shape::Rectangle { half_extents: Vector2::new(1.0, 0.5) };
    let colliders = vec![
        Collider::on_body(0, plank).unwrap().with_friction(0.8).unwrap(),
        Collider::fixed(table)
            .unwrap()
            .with_pose(Isometry3::translation(-1.0, -0.5, 0.0))
            .unwrap()
            .with_friction(0.8)
            .unwrap(),
    ];
    let start = State { time: 0.0, coordinates: vec![x, 0.1, 0.0], velocity: vec![0.0; 3] };
    (model(system, colliders), start)
}

/// Rectangles in the plane: one leans over the edge of a table further than its center and tips over.
#[test]
fn a_rectangle_tips_over_an_edge() {
    for scheme in ALL {
        for (x, falls) in [(-0.05, false), (0.05, true)] {
            let (model, start) = leaning(x);
            let mut last = start.clone();
            run(scheme, model, start, (0.005, 0.5), |seen, _| {
                assert!(!seen.gained, "{scheme:?} {seen:?}");
                last = seen.state.clone();
            });
            let angle = last.coordinates[2];
            assert_eq!(angle < -0.2, falls, "{scheme:?} {last:?}");
            assert!(falls || angle.abs() < 1e-6, "{scheme:?} {last:?}");
        }
    }
}
