//! Dry friction of joints: closed forms of rest, of turning and of both in turn, beside contacts and in loops.

use nalgebra::{DMatrix, Isometry3, Vector2, Vector3};
use percussion_dynamics::gap::{Plane, Sphere, SpherePlane};
use percussion_dynamics::{
    Articulated, Joint, Link, MassProperties, PlanarBodies, PlanarBody, System as _,
};
use percussion_impact::{anitescu_potra::AnitescuPotra, newton::Newton};
use percussion_integrators::event_driven::{
    Cause, Error, EventKind, Mode, Report, Settings, Snapshot, Status, integrate,
};
use percussion_integrators::{Actuator, BoundedFriction, Contact, Model, State};

use crate::dry::{friction, parallelogram};
use crate::support::{at, run};

/// The times at which the friction of `joint` goes over to `mode`.
fn changes(report: &Report, joint: usize, mode: Mode) -> Vec<f64> {
    let found = report.events.iter().filter(
        |event| matches!(event.kind, EventKind::Joint { joint: j, to, .. } if j == joint && to == mode),
    );
    found.map(|event| event.time).collect()
}

/// A wheel of 0.5 kg·m² turns at ±3 rad/s against 0.6 N·m: it stops after 2.5 s and 3.75 rad, and rests.
#[test]
fn friction_stops_a_wheel() {
    for (sign, scale) in [(1.0, 1.0), (-1.0, 1.0), (1.0, -4.0)] {
        let body = MassProperties::new(1.0, Vector3::zeros(), nalgebra::Matrix3::identity() * 0.5);
        let wheel = Link::new("wheel", Joint::revolute(Vector3::z())).with_mass(body.unwrap());
        let system = Articulated::new(vec![wheel], Vector3::zeros()).unwrap();
        // Force along a longer axis acts with its length.
        let bearing = friction(&[scale], 0.6 / f64::abs(scale));
        let model = Model::new(Box::new(system), vec![]).unwrap();
        let model = model.with_joint_friction(vec![bearing]).unwrap();
        let start = at(vec![0.0], vec![sign * 3.0]);
        let mut forces = Vec::new();
        let observer = &mut |now: &Snapshot<'_>| forces.push((now.time, now.joint_friction[0]));
        let settings = Settings::default();
        let report =
            integrate(&model, &Newton::default(), &settings, &start, 4.0, observer).unwrap();
        assert_eq!(report.status, Status::EndReached);
        assert!((report.state.coordinates[0] - sign * 3.75).abs() < 1e-8, "{:?}", report.state);
        assert!(report.state.velocity[0].abs() < 1e-15, "{:?}", report.state);
        let stops = changes(&report, 0, Mode::Sticking);
        assert!(stops.len() == 1 && (stops[0] - 2.5).abs() < 1e-7, "{stops:?}");
        assert!((report.energy.friction - 2.25).abs() < 1e-8, "{:?}", report.energy);
        assert!(report.energy.residual().abs() < 1e-9, "{:?}", report.energy);
        // Before the first mode there is no force.
        for (time, force) in forces.into_iter().skip(1) {
            let expected =
                if time < 2.4 { -sign * scale.signum() * 0.6 / scale.abs() } else { 0.0 };
            assert!(time > 2.4 && time < 2.6 || (force - expected).abs() < 1e-12, "{time} {force}");
        }
    }
}

/// A mass on a spring with dry friction: each half swing is one about `±η/k`, and the amplitude falls by `2η/k` until the spring is
/// too weak.
#[test]
fn a_mass_on_a_spring_loses_as_much_in_every_half_swing() {
    let (mass, stiffness, bound): (f64, f64, f64) = (2.0, 50.0, 3.0);
    let bead = PlanarBody::new(mass, 1.0);
    let spring = Actuator::servo((0, 0), 0.0, [stiffness, 0.0]);
    let system = PlanarBodies::new(vec![bead], Vector2::zeros()).unwrap();
    let model = Model::new(Box::new(system), vec![]).unwrap();
    let model = model.with_actuators(vec![spring]).unwrap();
    let model = model.with_joint_friction(vec![friction(&[1.0, 0.0, 0.0], bound)]).unwrap();
    let (step, half) = (2.0 * bound / stiffness, std::f64::consts::PI * (mass / stiffness).sqrt());
    let report = run(&model, &Newton::default(), &at(vec![1.0, 0.0, 0.0], vec![0.0; 3]), 8.0);
    // 1, −0.88, 0.76, …, 0.04 m, which is less than η/k = 0.06 m.
    let swings = 8;
    let last = 1.0 - f64::from(swings) * step;
    assert!(last.abs() < bound / stiffness);
    assert!((report.state.coordinates[0] - last).abs() < 1e-8, "{:?}", report.state);
    let stops = changes(&report, 0, Mode::Sticking);
    assert_eq!(stops.len(), 1, "{:?}", report.events);
    assert!((stops[0] - f64::from(swings) * half).abs() < 1e-6, "{stops:?}");
    // The distances of all half swings.
    let way: f64 = (0..swings).map(|k| 2.0 * (1.0 - (f64::from(k) + 0.5) * step)).sum();
    assert!((report.energy.friction - bound * way).abs() < 1e-7, "{:?}", report.energy);
    assert!(report.energy.residual().abs() < 1e-8, "{:?}", report.energy);
}

/// The weights turn the crank, at the angle `θ` to the horizontal, with `m g l cos θ` for a mass `m` of half of the cranks and all of
/// the rod, which four joints hold together up to four times the bound of one.
#[test]
fn friction_in_all_joints_of_a_loop_holds_up_to_the_sum_of_its_bounds() {
    let angle = -0.4_f64;
    let start = at(vec![angle, -angle, angle], vec![0.0; 3]);
    let torque = 10.0 * 0.5 * (1.0 + 2.0) * angle.cos();
    let settings = Settings { acceleration_tolerance: Some(1e-11), ..Settings::default() };
    let of = |bound: f64| {
        let model = parallelogram(bound);
        let mut forces = Vec::new();
        let observer = &mut |now: &Snapshot<'_>| forces.push(now.joint_friction.to_vec());
        let law = Newton::default();
        let report = integrate(&model, &law, &settings, &start, 0.1, observer).unwrap();
        assert_eq!(report.status, Status::EndReached);
        (report, forces)
    };
    let (held, forces) = of(0.25 * torque * (1.0 + 1e-9));
    assert!(held.state.velocity.iter().all(|v| v.abs() < 1e-13), "{:?}", held.state);
    // Before the first mode there is no force.
    for force in forces.iter().skip(1) {
        // The signs are those against the fall, in which crank and rocker turn backward and the coupler forward.
        let sum = force[0] - force[1] + force[2] + force[3];
        assert!((sum - torque).abs() < 1e-9 * torque, "{force:?}");
        assert!(force.iter().all(|f| f.abs() <= 0.25 * torque * (1.0 + 2e-9)), "{force:?}");
    }
    let (fell, _) = of(0.25 * torque * (1.0 - 1e-6));
    // 2 (1/3 m l²) of the cranks and 2 kg at 0.5 m.
    let inertia = 2.0 * 0.25 / 3.0 + 2.0 * 0.25;
    // The torque falls with the angle, and the first of its fall is sin(ω t)/ω.
    let omega = (torque * -angle.tan() / inertia).sqrt();
    let expected = -1e-6 * torque / inertia * (omega * 0.1).sin() / omega;
    for (found, sign) in fell.state.velocity.iter().zip([1.0, -1.0, 1.0]) {
        assert!((found - sign * expected).abs() < 1e-4 * expected.abs(), "{:?}", fell.state);
    }
}

/// A parallelogram that falls with friction `η` in its joints is a pendulum with `4 η`.
#[test]
fn a_loop_with_friction_swings_to_rest_as_a_pendulum() {
    let start = at(vec![0.3, -0.3, 0.3], vec![0.0; 3]);
    let report = run(&parallelogram(0.5), &Newton::default(), &start, 6.0);
    assert_eq!(report.status, Status::EndReached);
    // An arm with the same moment of inertia and torque.
    let inertia = 2.0 * 0.25 / 3.0 + 2.0 * 0.25;
    let (mass, length) = (inertia / 0.25, 0.5);
    let tip = MassProperties::point(mass).unwrap().translated(&Vector3::new(length, 0.0, 0.0));
    let arm = Link::new("arm", Joint::revolute(Vector3::z())).with_mass(tip);
    let gravity = 10.0 * 0.5 * 3.0 / (mass * length);
    let system = Articulated::new(vec![arm], Vector3::new(0.0, -gravity, 0.0)).unwrap();
    let model = Model::new(Box::new(system), vec![]).unwrap();
    let model = model.with_joint_friction(vec![friction(&[1.0], 2.0)]).unwrap();
    let alone = run(&model, &Newton::default(), &at(vec![0.3], vec![0.0]), 6.0);
    let (crank, arm) = (report.state.coordinates[0], alone.state.coordinates[0]);
    assert!((crank - arm).abs() < 1e-8, "{crank} {arm}");
    let [loops, single] = [&report, &alone].map(|report| report.energy.friction);
    assert!((loops - single).abs() < 1e-7, "{loops} {single}");
    assert!(report.state.velocity[0].abs() < 1e-12, "{:?}", report.state);
    assert!(report.energy.residual().abs() < 1e-8, "{:?}", report.energy);
}

/// An arm of two rods with friction in both hinges falls onto the floor.
fn arm(bounds: [f64; 2]) -> Model {
    let rod = MassProperties::new(
        1.0,
        Vector3::new(0.25, 0.0, 0.0),
        nalgebra::Matrix3::from_diagonal_element(1.0 / 48.0),
    );
    let rod = rod.unwrap();
    let pin = || Joint::revolute(Vector3::z());
    let elbow = Isometry3::translation(0.5, 0.0, 0.0);
    let links = vec![
        Link::new("upper", pin()).at(Isometry3::translation(0.0, 0.4, 0.0)).with_mass(rod),
        Link::new("lower", pin()).on("upper").at(elbow).with_mass(rod),
    ];
    let system = Articulated::new(links, Vector3::new(0.0, -10.0, 0.0)).unwrap();
    let floor = Plane::new(&Vector3::y(), &Vector3::zeros()).unwrap();
    let touch = |body: usize| {
        let tip = Sphere::on_body(body, Vector3::new(0.5, 0.0, 0.0), 0.05);
        Contact::new(SpherePlane::new(tip, floor).unwrap(), 0.3).with_restitution(0.4)
    };
    let model = Model::new(Box::new(system), vec![touch(0), touch(1)]).unwrap();
    let axes = [[1.0, 0.0], [0.0, 1.0]];
    let frictions = axes.iter().zip(bounds).map(|(axis, bound)| friction(axis, bound)).collect();
    model.with_joint_friction(frictions).unwrap()
}

/// Friction stays at its bound against the velocity, and below it at rest; impacts have none of it; the energy is accounted for.
#[test]
fn an_arm_falls_to_rest_on_the_floor() {
    for bounds in [[0.4, 0.3], [0.0, 1.0], [3.0, 0.05], [0.0, 0.0]] {
        let mut seen = [0_usize; 2];
        let observer = &mut |now: &Snapshot<'_>| {
            for (joint, bound) in bounds.into_iter().enumerate() {
                let (force, rate) = (now.joint_friction[joint], now.velocity[joint]);
                assert!(force.abs() <= bound * (1.0 + 1e-9) + 1e-7, "{force} {bound}");
                if rate.abs() > 1e-6 {
                    let expected = -bound * rate.signum();
                    assert!((force - expected).abs() < 1e-14, "{} s: {rate} {force}", now.time);
                    seen[joint] += 1;
                }
            }
        };
        let start = at(vec![0.8, 0.6], vec![0.0; 2]);
        let law = AnitescuPotra::default();
        let report =
            integrate(&arm(bounds), &law, &Settings::default(), &start, 3.0, observer).unwrap();
        assert_eq!(report.status, Status::EndReached, "{bounds:?}");
        assert!(seen.iter().all(|count| *count > 0), "{seen:?}");
        assert!(report.counters.impacts > 0, "{:?}", report.counters);
        assert!(report.energy.residual().abs() < 1e-7, "{bounds:?} {:?}", report.energy);
        if bounds[0] > 0.0 {
            assert!(report.state.velocity.iter().all(|v| v.abs() < 1e-9), "{:?}", report.state);
        }
    }
}

/// Units of length, mass and time change neither the events nor the answer.
#[test]
fn units_change_nothing_with_friction_in_joints() {
    let of = |length: f64, mass: f64, time: f64| {
        let inertia = mass * length * length;
        let body = PlanarBody::new(2.0 * mass, 0.1 * inertia);
        let gravity = Vector2::new(3.0, -10.0) * (length / (time * time));
        let system = PlanarBodies::new(vec![body], gravity).unwrap();
        let floor = Plane::new(&Vector3::y(), &Vector3::zeros()).unwrap();
        let ball = SpherePlane::new(Sphere::of_body(0, 0.3 * length), floor).unwrap();
        let contact = Contact::new(ball, 0.4).with_restitution(0.5);
        let model = Model::new(Box::new(system), vec![contact]).unwrap();
        let force = mass * length / (time * time);
        let frictions = vec![
            friction(&[1.0, 0.0, 0.0], 2.0 * force),
            friction(&[0.0, 0.0, 1.0], 1.5 * force * length),
        ];
        let model = model.with_joint_friction(frictions).unwrap();
        let start = State {
            time: 0.0,
            coordinates: vec![0.0, 0.7 * length, 0.0],
            velocity: vec![-1.5 * length / time, 0.0, 4.0 / time],
        };
        run(&model, &Newton::default(), &start, 2.0 * time)
    };
    let kinds = |report: &Report| -> Vec<_> {
        let label = |event: &percussion_integrators::event_driven::Event| match &event.kind {
            EventKind::Joint { joint, from, to } => format!("{joint} {from:?} {to:?}"),
            EventKind::Impact { .. } => "impact".to_owned(),
            other => format!("{other:?}").chars().take(8).collect(),
        };
        report.events.iter().map(label).collect()
    };
    let reference = of(1.0, 1.0, 1.0);
    assert!(changes(&reference, 1, Mode::Sticking).len() > 2, "{:?}", reference.events);
    for [length, mass, time] in [[1e-5, 3e7, 2e-3], [7e8, 1e-9, 1e9], [1e12, 1.0, 1.0]] {
        let report = of(length, mass, time);
        assert_eq!(kinds(&report), kinds(&reference), "{length} {mass} {time}");
        let [found, expected] = [&report.state, &reference.state];
        for (k, scale) in [length, length, 1.0].into_iter().enumerate() {
            let error = found.coordinates[k] / scale - expected.coordinates[k];
            assert!(error.abs() < 1e-8, "{k}: {error}");
        }
    }
}

/// A slip that creeps, as in the tests of stretches, in a guide whose friction of 1 N the pull exceeds, too.
#[test]
fn a_stretch_has_friction_in_joints() {
    use percussion_dynamics::{Body, FreeBodies};
    use percussion_integrators::Course;
    let (speed, along) = (1e-5, [0.8, 0.6]);
    let body = Body::from_mass_properties(&MassProperties::solid_sphere(1.0, 0.1).unwrap());
    let bodies = FreeBodies::new(vec![body], Vector3::new(0.0, 0.0, -10.0)).unwrap();
    let floor = Plane::new(&Vector3::z(), &Vector3::zeros()).unwrap();
    let tip = Sphere::on_body(0, Vector3::zeros(), 0.0);
    let contact = Contact::new(SpherePlane::new(tip, floor).unwrap(), 0.5);
    let pull = |axis: usize| {
        let guide = if axis == 0 { 1.0 } else { 0.0 };
        let force = Course::constant((5.0 + speed) * along[axis] + guide);
        let motor = Actuator::on((axis, axis));
        Actuator { gain: 1.0, bias: [0.0, 0.0, -1.0], ..motor }.with_control(force)
    };
    let model = Model::new(Box::new(bodies), vec![contact]).unwrap();
    let model = model.with_actuators(vec![pull(0), pull(1)]).unwrap();
    // The spin about the vertical is held by friction that nothing loads.
    let frictions = vec![
        friction(&[1.0, 0.0, 0.0, 0.0, 0.0, 0.0], 1.0),
        friction(&[0.0, 0.0, 0.0, 0.0, 0.0, 1.0], 0.2),
    ];
    let model = model.with_joint_friction(frictions).unwrap();
    let coordinates = vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    let velocity = vec![speed * along[0], speed * along[1], 0.0, 0.0, 0.0, 0.0];
    let start = State { time: 0.0, coordinates, velocity };
    let settings = Settings { step_limit: 5_000, ..Settings::default() };
    let mut forces = [0.0; 2];
    let law = AnitescuPotra::default();
    let observer = &mut |now: &Snapshot<'_>| forces.copy_from_slice(now.joint_friction);
    let report = integrate(&model, &law, &settings, &start, 1.0, observer).unwrap();
    assert_eq!(report.status, Status::EndReached);
    let crossed = report
        .events
        .iter()
        .any(|event| matches!(event.kind, EventKind::Stretch { cause: Cause::SlowSlip, .. }));
    assert!(crossed, "{:?}", report.events);
    for (k, d) in along.into_iter().enumerate() {
        let x = report.state.coordinates[k];
        assert!((x - speed * d).abs() < 1e-10, "{k}: {x} m");
    }
    assert!((forces[0] + 1.0).abs() < 1e-9 && forces[1].abs() < 1e-9, "{forces:?}");
    let expected = 5.0 * speed + speed * along[0];
    assert!((report.energy.friction - expected).abs() < 1e-9, "{:?}", report.energy);
    assert!(report.energy.residual().abs() < 1e-10, "{:?}", report.energy);
}

/// Friction in several axes with one bound has no rule here.
#[test]
fn friction_in_several_axes_is_refused() {
    let body = PlanarBody::new(2.0, 1.0);
    let system = PlanarBodies::new(vec![body], Vector2::zeros()).unwrap();
    assert_eq!(system.velocity_count(), 3);
    let model = Model::new(Box::new(system), vec![]).unwrap();
    let both = BoundedFriction::along(&DMatrix::identity(3, 2), 1.0);
    let first = friction(&[1.0, 0.0, 0.0], 1.0);
    let model = model.with_joint_friction(vec![first, both]).unwrap();
    let start = at(vec![0.0; 3], vec![0.0; 3]);
    let law = Newton::default();
    let refused = integrate(&model, &law, &Settings::default(), &start, 1.0, &mut |_| ());
    assert_eq!(refused.unwrap_err(), Error::FrictionDirections { joint: 1 });
}
