//! Dry friction of joints: closed forms of turning and of rest, alone, in a loop and beside a contact.

use nalgebra::{Matrix3, Vector2, Vector3};
use percussion_complementarity::friction::{Status, document::Document};
use percussion_dynamics::gap::{Plane, Sphere, SpherePlane};
use percussion_dynamics::{
    Articulated, Body, FreeBodies, Joint, Link, MassProperties, PlanarBodies, PlanarBody,
};
use percussion_integrators::variational::Settings;
use percussion_integrators::{Contact, Drive, Model, Simulation, State, variational::Variational};

use crate::dry::{friction, parallelogram};

fn begin(
    model: Model,
    coordinates: Vec<f64>,
    velocity: Vec<f64>,
    step_size: f64,
) -> Simulation<Variational> {
    let settings = Settings { step_size, ..Settings::default() };
    Simulation::new(model, settings, State { time: 0.0, coordinates, velocity }).unwrap()
}

/// A wheel of 0.5 kg·m² turns at ±3 rad/s against 0.6 N·m: it stops after 2.5 s and 3.75 rad, and rests.
#[test]
fn friction_stops_a_wheel() {
    for (sign, scale) in [(1.0, 1.0), (-1.0, 1.0), (1.0, -4.0)] {
        let body = MassProperties::new(1.0, Vector3::zeros(), Matrix3::identity() * 0.5).unwrap();
        let wheel = Link::new("wheel", Joint::revolute(Vector3::z())).with_mass(body);
        let system = Articulated::new(vec![wheel], Vector3::zeros()).unwrap();
        let model = Model::lagrangian(Box::new(system), vec![]).unwrap();
        let bearing = friction(&[scale], 0.6 / f64::abs(scale));
        let model = model.with_joint_friction(vec![bearing]).unwrap();
        let step = 0.003;
        let mut motion = begin(model, vec![0.0], vec![sign * 3.0], step);
        motion
            .run(4.0, |state, report| {
                let [friction] = &report.frictions[..] else { panic!("{:?}", report.frictions) };
                assert!(friction.impulse.abs() <= friction.bound, "{friction:?}");
                assert!((report.joint_friction[(0, 0)] - scale * friction.impulse).abs() < 1e-15);
                let turns = state.velocity[0].abs() > step;
                let expected = -sign * scale.signum() * friction.bound;
                assert!(!turns || (friction.impulse - expected).abs() < 1e-15, "{friction:?}");
            })
            .unwrap();
        let state = motion.state();
        // In the step in which it stops it goes on for up to half a step at up to 3.6 mrad/s.
        assert!((state.coordinates[0] - sign * 3.75).abs() < step * step, "{state:?}");
        assert!(state.velocity[0].abs() < 1e-15, "{state:?}");
    }
}

/// A ball of 1 kg and 0.1 m that turns in a bearing without any other force stops after 2.5 s, and the rounding that is left of its
/// velocity vanishes without an error.
#[test]
fn a_ball_at_rest_in_a_bearing_stays_at_rest() {
    let ball = Body::from_mass_properties(&MassProperties::solid_sphere(1.0, 0.1).unwrap());
    let system = FreeBodies::new(vec![ball], Vector3::zeros()).unwrap();
    let model = Model::free_bodies(system, vec![]).unwrap();
    let bearing = friction(&[0.0, 0.0, 0.0, 0.0, 0.0, 1.0], 0.0048);
    let model = model.with_joint_friction(vec![bearing]).unwrap();
    let start = (vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], vec![0.0, 0.0, 0.0, 0.0, 0.0, 3.0]);
    let mut motion = begin(model, start.0, start.1, 0.05);
    motion.run(2.4, |_, _| ()).unwrap();
    assert!((motion.state().velocity[5] - 0.12).abs() < 1e-12, "{:?}", motion.state());
    motion.run(40.0, |_, _| ()).unwrap();
    assert!(motion.state().velocity.iter().all(|v| v.abs() < 1e-15), "{:?}", motion.state());
}

/// A mass on a spring loses the amplitude `2 η/k` in every half swing, until the spring is too weak; the error is of second order.
#[test]
fn a_mass_on_a_spring_loses_as_much_in_every_half_swing() {
    let (stiffness, bound) = (50.0, 3.0);
    let last = |step: f64| {
        let bead = PlanarBody::new(2.0, 1.0);
        let system = PlanarBodies::new(vec![bead], Vector2::zeros()).unwrap();
        let (position, speed, since) = (0.0, 0.0, 0.0);
        let (proportional, derivative) = (stiffness, 0.0);
        let spring = Drive { index: 0, position, speed, since, proportional, derivative };
        let model = Model::lagrangian(Box::new(system), vec![]).unwrap();
        let model = model.with_forces(vec![Box::new(spring)]);
        let model = model.with_joint_friction(vec![friction(&[1.0, 0.0, 0.0], bound)]).unwrap();
        let mut motion = begin(model, vec![1.0, 0.0, 0.0], vec![0.0; 3], step);
        motion.run(8.0, |_, _| ()).unwrap();
        assert!(motion.state().velocity[0].abs() < 1e-14, "{:?}", motion.state());
        motion.state().coordinates[0]
    };
    let expected = 1.0 - 8.0 * 2.0 * bound / stiffness;
    let errors = [0.008, 0.004, 0.002, 0.001].map(|step| (last(step) - expected).abs());
    for (error, step) in errors.into_iter().zip([0.008, 0.004, 0.002, 0.001]) {
        assert!(error < 20.0 * step * step, "{errors:?}");
    }
}

/// The weights turn the crank, at the angle `θ` to the horizontal, with `15 N·m cos θ`: four joints hold it together up to four times
/// the bound of one, and with a millionth less it begins to fall.
#[test]
fn friction_in_all_joints_of_a_loop_holds_up_to_the_sum_of_its_bounds() {
    let angle = -0.4_f64;
    let torque = 15.0 * angle.cos();
    let end = |bound: f64| {
        let start = (vec![angle, -angle, angle], vec![0.0; 3]);
        let mut motion = begin(parallelogram(bound), start.0, start.1, 0.001);
        motion
            .run(0.1, |_, report| {
                let impulses: Vec<_> = report.frictions.iter().map(|joint| joint.impulse).collect();
                let sum = impulses[0] - impulses[1] + impulses[2] + impulses[3];
                let expected = 0.001 * torque.min(4.0 * bound);
                assert!((sum - expected).abs() < 1e-9 * expected, "{impulses:?} {expected}");
            })
            .unwrap();
        motion.state().velocity.clone()
    };
    let held = end(0.25 * torque * (1.0 + 1e-9));
    assert!(held.iter().all(|v| v.abs() < 1e-12), "{held:?}");
    let fell = end(0.25 * torque * (1.0 - 1e-6));
    let inertia = 2.0 * 0.25 / 3.0 + 2.0 * 0.25;
    let omega = (15.0 * -angle.sin() / inertia).sqrt();
    let expected = -1e-6 * torque / inertia * (omega * 0.1).sin() / omega;
    for (found, sign) in fell.iter().zip([1.0, -1.0, 1.0]) {
        assert!((found - sign * expected).abs() < 1e-3 * expected.abs(), "{fell:?} {expected}");
    }
}

/// A disc of 2 kg rolls down a slope of 0.3 rad while a bearing takes 0.2 N·m, or does not begin to where it takes 1 N·m.
#[test]
fn a_disc_rolls_with_friction_in_its_bearing() {
    let (mass, radius, slope) = (2.0, 0.1, 0.3_f64);
    let inertia = 0.5 * mass * radius * radius;
    let end = |bound: f64| {
        let body = PlanarBody::new(mass, inertia);
        let gravity = Vector2::new(10.0 * slope.sin(), -10.0 * slope.cos());
        let system = PlanarBodies::new(vec![body], gravity).unwrap();
        let floor = Plane::new(&Vector3::y(), &Vector3::zeros()).unwrap();
        let gap = SpherePlane::new(Sphere::of_body(0, radius), floor).unwrap();
        let model = Model::lagrangian(Box::new(system), vec![Contact::new(gap, 0.6)]).unwrap();
        let bearing = friction(&[0.0, 0.0, 1.0], bound);
        let model = model.with_joint_friction(vec![bearing]).unwrap();
        let mut motion = begin(model, vec![0.0, radius, 0.0], vec![0.0; 3], 0.001);
        motion.run(1.0, |_, _| ()).unwrap();
        // The last problem can be handed over: a contact with friction and the bearing.
        let document: Document = motion.document().unwrap().to_string().parse().unwrap();
        let replayed = document.solve_blocks().unwrap();
        assert_eq!(replayed.report.status, Status::Solved);
        let problem = document.blocks_problem().unwrap();
        assert_eq!(problem.blocks().len(), 2, "{document}");
        assert!(problem.relative_residual(&replayed.impulses) < 1e-12, "{document}");
        motion.state().velocity.clone()
    };
    let acceleration =
        (mass * 10.0 * slope.sin() - 0.2 / radius) / (mass + inertia / (radius * radius));
    let rolled = end(0.2);
    assert!((rolled[0] - acceleration).abs() < 1e-9, "{rolled:?} {acceleration}");
    assert!((rolled[2] + rolled[0] / radius).abs() < 1e-9, "{rolled:?}");
    let held = end(1.0);
    assert!(held.iter().all(|v| v.abs() < 1e-12), "{held:?}");
}
