//! Motions with a known answer.

#![expect(
    clippy::unwrap_used,
    clippy::float_cmp,
    reason = "a test stops at the first surprise; exact values"
)]

use nalgebra::{Vector2, Vector3, dmatrix};
use percussion_dynamics::constraint::Rolling;
use percussion_dynamics::gap::{Plane, Sphere, SpherePlane};
use percussion_dynamics::{
    Anchor, Body, FreeBodies, MassProperties, PlanarBodies, PlanarBody,
    constraint::{BallJoint, EqualityConstraint},
};
use percussion_integrators::Polygons;
use percussion_integrators::stewart_trinkle::{Alignment, Settings};
use percussion_integrators::{
    BoundedFriction, Contact, Model, Simulation, State, Work, stewart_trinkle::StewartTrinkle,
};

/// A particle that can touch planes, as a body in the plane with a foot of radius 0 at its center.
fn particle(gravity: f64, planes: &[(Vector3<f64>, f64)]) -> Model {
    let system =
        PlanarBodies::new(vec![PlanarBody::new(2.0, 1.0)], Vector2::new(0.0, -gravity)).unwrap();
    let contact = |(normal, friction): &(Vector3<f64>, f64)| {
        let plane = Plane::new(normal, &Vector3::zeros()).unwrap();
        Contact::new(SpherePlane::new(Sphere::of_body(0, 0.0), plane).unwrap(), *friction)
    };
    Model::new(Box::new(system), planes.iter().map(contact).collect()).unwrap()
}

fn start(coordinates: &[f64], velocity: &[f64]) -> State {
    State { time: 0.0, coordinates: coordinates.to_vec(), velocity: velocity.to_vec() }
}

fn planar(step_size: f64) -> Settings {
    Settings { step_size, ..Settings::planar() }
}

fn ball(gravity: f64, friction: f64) -> Model {
    let body = Body::from_mass_properties(&MassProperties::solid_sphere(2.0, 0.1).unwrap());
    let system = FreeBodies::new(vec![body], Vector3::new(0.0, 0.0, -gravity)).unwrap();
    let table = Plane::new(&Vector3::z(), &Vector3::zeros()).unwrap();
    let gap = SpherePlane::new(Sphere::of_body(0, 0.1), table).unwrap();
    Model::new(Box::new(system), vec![Contact::new(gap, friction)]).unwrap()
}

fn polygons(work: Work) -> Polygons {
    match work {
        Work::Polygons(polygons) => polygons,
        other => panic!("{other:?}"),
    }
}

#[test]
fn free_flight_keeps_the_horizontal_momentum_and_gains_the_weight() {
    let model = particle(10.0, &[]);
    let mut integrator = Simulation::<StewartTrinkle>::new(
        model,
        planar(0.01),
        start(&[0.0, 5.0, 0.0], &[1.0, 2.0, 3.0]),
    )
    .unwrap();
    integrator
        .run(1.0, |_, report| {
            let work = polygons(report.work);
            assert_eq!((work.lcp_solves, work.outer_iterations), (0, 1));
            assert!(report.contacts.is_empty());
        })
        .unwrap();
    let State { time, velocity, .. } = integrator.state();
    assert!((time - 1.0).abs() < 1e-14);
    assert_eq!((velocity[0], velocity[2]), (1.0, 3.0));
    assert!((velocity[1] + 8.0).abs() < 1e-12);
}

#[test]
fn a_particle_sticks_below_the_critical_slope_and_slides_above_it() {
    let slope = 0.4_f64;
    let normal = Vector3::new(-slope.sin(), slope.cos(), 0.0);
    let downhill =
        |state: &State| -slope.cos() * state.velocity[0] - slope.sin() * state.velocity[1];

    let above = particle(10.0, &[(normal, slope.tan() + 1e-6)]);
    let mut integrator =
        Simulation::<StewartTrinkle>::new(above, planar(0.01), start(&[0.0; 3], &[0.0; 3]))
            .unwrap();
    integrator.run(0.5, |_, _| ()).unwrap();
    assert!(downhill(integrator.state()).abs() < 1e-12);

    let friction = slope.tan() - 0.1;
    let below = particle(10.0, &[(normal, friction)]);
    let mut integrator =
        Simulation::<StewartTrinkle>::new(below, planar(0.01), start(&[0.0; 3], &[0.0; 3]))
            .unwrap();
    integrator.run(0.5, |_, _| ()).unwrap();
    // Constant acceleration g (sin α − μ cos α), which implicit Euler integrates exactly.
    let expected = 0.5 * 10.0 * (slope.sin() - friction * slope.cos());
    assert!((downhill(integrator.state()) - expected).abs() < 1e-12);
}

#[test]
fn a_frictionless_contact_leaves_the_tangential_velocity_alone() {
    let model = particle(10.0, &[(Vector3::y(), 0.0)]);
    let mut integrator =
        Simulation::<StewartTrinkle>::new(model, planar(0.01), start(&[0.0; 3], &[3.0, 0.0, 0.0]))
            .unwrap();
    integrator.run(0.5, |_, _| ()).unwrap();
    assert!((integrator.state().velocity[0] - 3.0).abs() < 1e-12);
}

#[test]
fn a_falling_ball_stops_on_the_table_with_its_momentum_as_impulse() {
    let mut integrator = Simulation::<StewartTrinkle>::new(
        ball(0.0, 0.3),
        Settings { step_size: 0.01, ..Settings::default() },
        start(&[0.0, 0.0, 0.125, 1.0, 0.0, 0.0, 0.0], &[0.0, 0.0, -1.0, 0.0, 0.0, 0.0]),
    )
    .unwrap();
    let mut impulse = 0.0;
    integrator
        .run(0.1, |_, report| impulse += report.contacts.iter().map(|c| c.impulse.x).sum::<f64>())
        .unwrap();
    assert!((impulse - 2.0).abs() < 1e-12);
    assert!(integrator.state().velocity.iter().all(|v| v.abs() < 1e-12));
    assert!((integrator.state().coordinates[2] - 0.1).abs() < 1e-12);
}

#[test]
fn a_sliding_ball_ends_up_rolling_at_five_sevenths_whatever_the_polygon() {
    for (directions, alignment) in
        [(2, Alignment::Slip), (4, Alignment::Frame), (8, Alignment::Frame), (8, Alignment::Slip)]
    {
        let mut integrator = Simulation::<StewartTrinkle>::new(
            ball(9.81, 0.4),
            Settings { step_size: 0.01, directions, alignment, ..Settings::default() },
            start(&[0.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0], &[2.1, 0.7, 0.0, 0.0, 0.0, 0.0]),
        )
        .unwrap();
        integrator.run(1.0, |_, _| ()).unwrap();
        let v = &integrator.state().velocity;
        assert!((v[0] - 1.5).abs() < 1e-9 && (v[1] - 0.5).abs() < 1e-9, "{v:?}");
        assert!((v[4] - 15.0).abs() < 1e-8 && (v[3] + 5.0).abs() < 1e-8, "{v:?}");
    }
}

#[test]
fn sliding_friction_opposes_the_slip_exactly_when_the_polygon_is_aligned() {
    let state = start(&[0.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0], &[3.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
    let settings = Settings { step_size: 0.01, alignment: Alignment::Slip, ..Settings::default() };
    let mut integrator =
        Simulation::<StewartTrinkle>::new(ball(9.81, 0.4), settings, state).unwrap();
    let contact = integrator.step().unwrap().contacts[0];
    let friction = 0.4 * contact.impulse.x / 10.0_f64.sqrt();
    assert!((contact.impulse.y + 3.0 * friction).abs() < 1e-12);
    assert!((contact.impulse.z + friction).abs() < 1e-12);
}

#[test]
fn bounded_friction_stops_a_joint_in_the_analytic_time() {
    // 2 kg·m² turning at 3 rad/s against 4 N·m rest after 1.5 s.
    let system = PlanarBodies::new(vec![PlanarBody::new(1.0, 2.0)], Vector2::zeros()).unwrap();
    let friction = BoundedFriction::along(&dmatrix![0.0; 0.0; 1.0], 4.0);
    let model =
        Model::new(Box::new(system), vec![]).unwrap().with_joint_friction(vec![friction]).unwrap();
    let mut integrator =
        Simulation::<StewartTrinkle>::new(model, planar(0.1), start(&[0.0; 3], &[1.0, 0.0, 3.0]))
            .unwrap();
    integrator
        .run(1.4, |state, report| {
            assert!((state.velocity[2] - (3.0 - 2.0 * state.time)).abs() < 1e-12);
            assert!((report.joint_friction[(2, 0)] + 0.4).abs() < 1e-12);
        })
        .unwrap();
    integrator.run(2.0, |_, _| ()).unwrap();
    assert!(integrator.state().velocity[2].abs() < 1e-12);
    assert_eq!(integrator.state().velocity[0], 1.0);
}

#[test]
fn joint_friction_and_contact_friction_add_up_in_one_problem() {
    // μ g = 2 m/s² and η/m = 1 m/s².
    let friction = BoundedFriction::along(&dmatrix![1.0; 0.0; 0.0], 2.0);
    let model = particle(10.0, &[(Vector3::y(), 0.2)]).with_joint_friction(vec![friction]).unwrap();
    let mut integrator =
        Simulation::<StewartTrinkle>::new(model, planar(0.1), start(&[0.0; 3], &[3.0, 0.0, 0.0]))
            .unwrap();
    let report = integrator.step().unwrap();
    assert_eq!(polygons(report.work).lcp_size, 4 + 3);
    assert!((integrator.state().velocity[0] - 2.7).abs() < 1e-12);
    integrator.run(1.1, |_, _| ()).unwrap();
    assert!(integrator.state().velocity[0].abs() < 1e-12);
}

/// A rod of 1 m hung up by its end, with `copies` of the joint.
fn pendulum(copies: usize) -> Model {
    let rod = PlanarBody::new(1.0, 1.0 / 12.0);
    let system = PlanarBodies::new(vec![rod], Vector2::new(0.0, -9.81)).unwrap();
    let end = Anchor::on_body(0, Vector3::new(-0.5, 0.0, 0.0));
    let joint = || -> Box<dyn EqualityConstraint> {
        Box::new(BallJoint::new(end, Anchor::in_world(Vector3::zeros())).unwrap())
    };
    let joints = (0..copies).map(|_| joint()).collect();
    Model::new(Box::new(system), vec![]).unwrap().with_constraints(joints).unwrap()
}

#[test]
fn a_pendulum_keeps_its_joint_and_reaches_its_lowest_point_in_time() {
    let mut integrator = Simulation::<StewartTrinkle>::new(
        pendulum(1),
        planar(1e-4),
        start(&[0.5, 0.0, 0.0], &[0.0; 3]),
    )
    .unwrap();
    let mut lowest = f64::NAN;
    integrator
        .run(1.0, |state, report| {
            assert!(report.constraint_error <= 1e-10, "{}", report.constraint_error);
            let iterations = polygons(report.work).outer_iterations;
            assert!(iterations <= 6, "{iterations}");
            if lowest.is_nan() && state.coordinates[0] <= 0.0 {
                lowest = state.time;
            }
        })
        .unwrap();
    // A quarter period from 90° is K(sin 45°) √(2 l / 3 g) = 1.8540746773 √(2/(3 · 9.81)).
    let expected = 1.854_074_677_3 * (2.0_f64 / (3.0 * 9.81)).sqrt();
    assert!((lowest - expected).abs() < 3e-4, "{lowest} {expected}");
}

/// A ball that rolls down a slope of 30° accelerates at 5/7 g sin 30° and never slips, although it
/// starts spinning the wrong way.
#[test]
fn a_ball_that_must_roll_accelerates_at_five_sevenths_and_never_slips() {
    let (radius, slope) = (0.1, 30_f64.to_radians());
    let gravity = 9.81 * Vector2::new(slope.sin(), -slope.cos());
    let body = PlanarBody::new(1.0, 0.4 * radius * radius);
    let road = Plane::new(&Vector3::y(), &Vector3::zeros()).unwrap();
    let rolling = Rolling::ball(Anchor::on_body(0, Vector3::zeros()), radius, road).unwrap();
    let model = Model::new(Box::new(PlanarBodies::new(vec![body], gravity).unwrap()), Vec::new())
        .unwrap()
        .with_constraints(vec![Box::new(rolling)])
        .unwrap();
    let mut integrator = Simulation::<StewartTrinkle>::new(
        model,
        planar(0.01),
        start(&[0.0, radius, 0.0], &[0.0, 0.0, 3.0]),
    )
    .unwrap();
    // Angular momentum about the contact point decides the speed after the first step.
    let initial = -0.4 * radius * 3.0 / 1.4;
    integrator
        .run(1.0, |state, report| {
            let slip = state.velocity[0] + radius * state.velocity[2];
            assert!(slip.abs() <= 1e-12, "slip {slip}");
            let expected = initial + 5.0 / 7.0 * gravity.x * report.time;
            assert!((state.velocity[0] - expected).abs() <= 1e-10, "{report:?}");
        })
        .unwrap();
}

#[test]
fn repeated_joints_move_as_one_and_share_its_force() {
    let mut ends = [1, 2, 3].map(|copies| {
        let state = start(&[0.5, 0.0, 0.0], &[0.0; 3]);
        let mut integrator =
            Simulation::<StewartTrinkle>::new(pendulum(copies), planar(0.01), state).unwrap();
        integrator.run(0.9, |_, _| ()).unwrap();
        let report = integrator.step().unwrap();
        let share = copies as f64 * report.constraint_impulses[1];
        (integrator.state().clone(), share)
    });
    let (single, force) = ends[0].clone();
    for (state, share) in &mut ends[1..] {
        for (a, b) in state.coordinates.iter().zip(&single.coordinates) {
            assert!((a - b).abs() < 1e-9);
        }
        assert!((*share - force).abs() < 1e-8);
    }
}

#[test]
fn a_joint_and_a_contact_in_one_step_hold_together() {
    // A rod hinged at its left end falls onto a floor 0.3 m below the hinge.
    let rod = PlanarBody::new(1.0, 1.0 / 12.0);
    let system = PlanarBodies::new(vec![rod], Vector2::new(0.0, -9.81)).unwrap();
    let floor = Plane::new(&Vector3::y(), &Vector3::new(0.0, -0.3, 0.0)).unwrap();
    let tip = Sphere::on_body(0, Vector3::new(0.5, 0.0, 0.0), 0.0);
    let hinge = BallJoint::new(
        Anchor::on_body(0, Vector3::new(-0.5, 0.0, 0.0)),
        Anchor::in_world(Vector3::zeros()),
    )
    .unwrap();
    let contact = Contact::new(SpherePlane::new(tip, floor).unwrap(), 0.3);
    let model = Model::new(Box::new(system), vec![contact])
        .unwrap()
        .with_constraints(vec![Box::new(hinge)]);
    let state = start(&[0.5, 0.0, 0.0], &[0.0; 3]);
    let mut integrator =
        Simulation::<StewartTrinkle>::new(model.unwrap(), planar(0.002), state).unwrap();
    integrator
        .run(1.0, |_, report| {
            assert!(report.constraint_error <= 1e-10 && report.penetration <= 1e-10);
        })
        .unwrap();
    assert!((integrator.state().coordinates[2] + 0.3_f64.asin()).abs() < 1e-9);
    assert!(integrator.state().velocity.iter().all(|v| v.abs() < 1e-9));
}

#[test]
fn coincident_contacts_act_as_one() {
    let one = particle(10.0, &[(Vector3::y(), 0.3)]);
    let two = particle(10.0, &[(Vector3::y(), 0.3), (Vector3::y(), 0.3)]);
    let states = [one, two].map(|model| {
        let state = start(&[0.0, 0.01, 0.0], &[2.0, -1.0, 0.0]);
        let mut integrator = Simulation::<StewartTrinkle>::new(model, planar(0.01), state).unwrap();
        integrator.run(0.3, |_, _| ()).unwrap();
        integrator.state().clone()
    });
    for (a, b) in states[0].coordinates.iter().zip(&states[1].coordinates) {
        assert!((a - b).abs() < 1e-9);
    }
}

#[test]
fn a_particle_comes_to_rest_between_two_walls() {
    let walls = [Vector3::new(1.0, 1.0, 0.0), Vector3::new(-1.0, 1.0, 0.0)];
    let model = particle(10.0, &walls.map(|normal| (normal, 0.1)));
    let state = start(&[0.02, 0.3, 0.0], &[0.5, 0.0, 0.0]);
    let mut integrator = Simulation::<StewartTrinkle>::new(model, planar(0.01), state).unwrap();
    integrator.run(2.0, |_, report| assert!(report.penetration <= 1e-10)).unwrap();
    assert!(integrator.state().velocity[..2].iter().all(|v| v.abs() < 1e-9));
}
