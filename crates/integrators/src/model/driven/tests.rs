//! Motions under actuators against closed forms.

use nalgebra::{DMatrix, DVector, Isometry3, Vector2, Vector3};
use percussion_dynamics::{
    Articulated, Joint, Link, MassProperties, PlanarBodies, PlanarBody, System,
    gap::{Plane, Sphere, SpherePlane},
};

use crate::{
    Actuator, Contact, Error, Model, ModelError, State,
    contacts::Contacts,
    impulse_velocity,
    model::{ControlsError, Course, Geared},
    moreau_jean::{self, MoreauJean},
    report::StepReport,
    schemes::{Any, Choice, Name},
    simulation::{Motion, Scheme, solve_driven},
    stewart_trinkle,
};

const STEP: f64 = 0.01;

/// Blocks of 2 kg at 10 m/s², and a floor 1 m below their start.
fn blocks(count: usize) -> Model {
    let system =
        PlanarBodies::new(vec![PlanarBody::new(2.0, 1.0); count], Vector2::new(0.0, -10.0));
    let floor = Plane::new(&Vector3::y(), &Vector3::new(0.0, -1.0, 0.0)).unwrap();
    let foot = SpherePlane::new(Sphere::of_body(0, 0.0), floor).unwrap();
    Model::new(Box::new(system.unwrap()), vec![Contact::new(foot, 0.5)]).unwrap()
}

fn rest(count: usize) -> State {
    State { time: 0.0, coordinates: vec![0.0; 3 * count], velocity: vec![0.0; 3 * count] }
}

/// The schemes that take any system.
fn schemes() -> Vec<Choice> {
    let planar = |scheme| match scheme {
        Choice::StewartTrinkle(_) => Choice::StewartTrinkle(stewart_trinkle::Settings::planar()),
        other => other,
    };
    let all = Choice::all().into_iter().filter(|scheme| scheme.name() != Name::Variational);
    all.map(|scheme| planar(scheme).with_step_size(STEP)).collect()
}

fn begin(scheme: Choice, actuators: Vec<Actuator>, count: usize) -> Any {
    scheme.begin(blocks(count).with_actuators(actuators).unwrap(), rest(count)).unwrap()
}

/// The impulse of the floor in the last step up to `time` (s).
fn pushed(motion: &mut Any, time: f64) -> f64 {
    let mut last = 0.0;
    motion
        .run(time, |_, report| last = report.contacts.first().map_or(0.0, |c| c.impulse.x))
        .unwrap();
    last
}

/// `v' = h (−g + k (target − q)/m) / (1 + h (θ h k + d)/m)` from rest.
#[test]
fn the_first_step_is_that_of_implicit_euler() {
    let (stiffness, damping, target) = (3e5, 2e3, 0.01);
    for scheme in schemes() {
        let servo = Actuator::servo((1, 1), target, [stiffness, damping]);
        let mut motion = begin(scheme, vec![servo], 1);
        motion.step().unwrap();
        let theta = if scheme.name() == Name::MoreauJean { 0.5 } else { 1.0 };
        let inertia = 2.0 + STEP * (theta * STEP * stiffness + damping);
        let expected = STEP * (stiffness * target - 20.0) / inertia;
        let found = motion.state().velocity[1];
        assert!((found - expected).abs() < 1e-12 * expected, "{}: {found}", scheme.name());
    }
}

/// With `θ = 1/2` the energy of the block changes by exactly the work of the actuators: here a servo that catches it, and one at the
/// end of its range. The powers at both ends of the step would give another work.
#[test]
fn the_work_of_actuators_is_that_of_the_step() {
    let servo = Actuator::servo((1, 1), 0.01, [3e5, 2e3]);
    let weak = Actuator::servo((1, 1), 1.0, [1e4, 0.0]).with_force_range([-3.0, 3.0]);
    let model = blocks(1).with_actuators(vec![servo, weak]).unwrap();
    let state = State { velocity: vec![0.0, 1.5, 0.0], ..rest(1) };
    let contacts = Contacts::new(&model);
    let mut motion = Motion { model, contacts, state };
    let settings = moreau_jean::Settings { step_size: STEP, ..moreau_jean::Settings::default() };
    let mut scheme = MoreauJean::start(settings, &mut motion).unwrap();
    let work = solve_driven(&mut scheme, &mut motion, &mut StepReport::new(STEP, 0.0)).unwrap();
    let (system, start, end) = (motion.model.system(), &motion.state, scheme.end());
    let change = system.energy(end.coordinates, end.velocity)
        - system.energy(&start.coordinates, &start.velocity);
    assert!(change.abs() > 0.1, "{change} J");
    assert!((change - work).abs() < 1e-13, "{change} J, {work} J");
    let power = system.other_power(&start.coordinates, &start.velocity, 0.0)
        + system.other_power(end.coordinates, end.velocity, STEP);
    assert!((0.5 * STEP * power - work).abs() > 0.1, "{power} W");
}

/// A stiff servo throws the block back and then presses it onto the floor: no energy comes from nowhere, and with `θ = 1/2` none is
/// lost until it lands.
#[test]
fn the_account_of_the_energy_has_the_work_of_actuators() {
    for scheme in schemes() {
        for target in [0.01, -1.01] {
            let servo = Actuator::servo((1, 1), target, [3e5, 2e3]);
            let model = blocks(1).with_actuators(vec![servo]).unwrap();
            let state = State { velocity: vec![0.0, 1.5, 0.0], ..rest(1) };
            let mut motion = scheme.begin(model, state).unwrap();
            let mut gains = Vec::new();
            motion.run(0.3, |_, report| gains.push(report.energy.gained)).unwrap();
            let largest = gains.iter().fold(f64::NEG_INFINITY, |a, b| a.max(*b));
            assert!(largest < 1e-8, "{}, {target}: {largest} J", scheme.name());
            if scheme.name() == Name::MoreauJean && target > 0.0 {
                assert!(gains.iter().all(|gain| gain.abs() < 1e-8), "{gains:?}");
            }
        }
    }
}

/// At rest the floor carries what the servo does not: the force of the servo is that of its law, to rounding.
#[test]
fn a_servo_and_the_floor_share_the_weight() {
    for scheme in schemes() {
        let low = Actuator::servo((1, 1), -1.001, [4e4, 1e3]);
        let mut motion = begin(scheme, vec![low], 1);
        // 20 N of weight and 40 N of the servo for 1 mm, less where a scheme lets the block sink in as it lands.
        let force = pushed(&mut motion, 4.0) / STEP;
        let expected = 20.0 + 4e4 * (motion.state().coordinates[1] + 1.001);
        assert!((force - expected).abs() < 1e-6, "{}: {force} {expected}", scheme.name());
        assert!((force - 60.0).abs() < 15.0, "{}: {force}", scheme.name());
        assert!(motion.state().velocity[1].abs() < 1e-9, "{}", scheme.name());
    }
}

/// A force range of 26 N leaves `26 / 2 − 10 = 3 m/s²`, whatever the gains are, until the target is near.
#[test]
fn a_force_is_held_at_the_end_of_its_range() {
    for scheme in schemes() {
        let servo = Actuator::servo((1, 1), 50.0, [1e6, 1e3]).with_force_range([-5.0, 26.0]);
        let mut motion = begin(scheme, vec![servo], 1);
        motion.run(1.0, |_, _| ()).unwrap();
        let speed = motion.state().velocity[1];
        assert!((speed - 3.0).abs() < 1e-10, "{}: {speed}", scheme.name());
    }
}

/// A brake of at most 7 N lets the block fall at `10 − 7/2` until contact stops it; then it has no force.
#[test]
fn a_force_returns_into_its_range_within_a_step() {
    for scheme in schemes() {
        let brake = Actuator { bias: [0.0, 0.0, -1e4], ..Actuator::on((1, 1)) };
        let brake = brake.with_force_range([-7.0, 7.0]);
        let mut motion = begin(scheme, vec![brake], 1);
        motion.run(0.5, |_, _| ()).unwrap();
        assert!((motion.state().velocity[1] + 3.25).abs() < 1e-9, "{}", scheme.name());
        let impulse = pushed(&mut motion, 1.5);
        assert!((impulse / STEP - 20.0).abs() < 1e-6, "{}: {impulse}", scheme.name());
        assert!(motion.state().velocity[1].abs() < 1e-9, "{}", scheme.name());
    }
}

/// A servo between two blocks changes their distance and not their momentum.
#[test]
fn an_actuator_may_join_bodies_that_nothing_else_joins() {
    for scheme in schemes() {
        let joints = vec![
            Geared { coordinate: 0, velocity: 0, gear: -1.0 },
            Geared { coordinate: 3, velocity: 3, gear: 1.0 },
        ];
        let mut servo = Actuator::new(joints).with_control(Course::constant(0.4));
        (servo.gain, servo.bias) = (100.0, [0.0, -100.0, -20.0]);
        let mut motion = begin(scheme, vec![servo], 2);
        motion.run(0.3, |_, _| ()).unwrap();
        let velocity = &motion.state().velocity;
        assert!((velocity[0] + velocity[3]).abs() < 1e-12, "{}", scheme.name());
        assert!(velocity[3] > 0.1, "{}: {velocity:?}", scheme.name());
    }
}

/// The actuators of one axis share an entry of what they add to the mass matrix.
#[test]
fn two_actuators_of_one_axis_act_as_one_of_their_sum() {
    let servo = |part: f64| Actuator::servo((1, 1), 0.1, [part * 3e3, part * 40.0]);
    for scheme in schemes() {
        let end = |servos: Vec<Actuator>| {
            let mut motion = begin(scheme, servos, 1);
            motion.run(0.1, |_, _| ()).unwrap();
            (motion.state().coordinates[1], motion.state().velocity[1])
        };
        let (one, two) = (end(vec![servo(1.0)]), end(vec![servo(0.25), servo(0.75)]));
        assert!((one.0 - two.0).abs() < 1e-9, "{}: {one:?}, {two:?}", scheme.name());
        assert!((one.1 - two.1).abs() < 1e-8, "{}: {one:?}, {two:?}", scheme.name());
    }
}

#[test]
fn controls_act_from_the_next_step_on_and_only_where_they_are_set() {
    let motor = |index| Actuator { gain: 2.0, ..Actuator::on((index, index)) };
    let model = blocks(1).with_actuators(vec![motor(0), motor(1)]).unwrap();
    let controls = model.controls().unwrap();
    let scheme = Name::ImpulseVelocity.stepping().unwrap().with_step_size(STEP);
    let mut motion = scheme.begin(model, rest(1)).unwrap();
    motion.step().unwrap();
    controls.set(0, 3.0).unwrap();
    motion.step().unwrap();
    // 2 · 3 N on 2 kg for one step.
    assert!((motion.state().velocity[0] - 3.0 * STEP).abs() < 1e-15);
    assert_eq!(controls.set(2, 1.0), Err(ControlsError::Actuator { actuator: 2, count: 2 }));
    let refused = controls.set(0, f64::INFINITY);
    assert_eq!(refused, Err(ControlsError::NotFinite { actuator: 0, value: f64::INFINITY }));
}

/// Two motions of one model, taken by turns, are each that of the model alone.
#[test]
fn motions_of_one_model_do_not_disturb_each_other() {
    let servo = Actuator::servo((1, 1), 0.1, [1e3, 30.0]).with_force_range([-100.0, 60.0]);
    let model = blocks(1).with_actuators(vec![servo]).unwrap();
    let scheme = Choice::MoreauJean(moreau_jean::Settings::default()).with_step_size(STEP);
    let high = State { coordinates: vec![0.0, 0.5, 0.0], ..rest(1) };
    let mut alone = scheme.begin(model.clone(), rest(1)).unwrap();
    alone.run(0.5, |_, _| ()).unwrap();
    let mut one = scheme.begin(model.clone(), rest(1)).unwrap();
    let mut other = scheme.begin(model, high).unwrap();
    for _ in 0..50 {
        one.step().unwrap();
        other.step().unwrap();
    }
    assert_eq!(one.state(), alone.state());
}

/// Between events the law acts at each instant: a motor of 26 N against the weight.
#[cfg(feature = "adaptive")]
#[test]
fn motion_between_events_has_actuators_too() {
    use crate::event_driven;

    let motor = Actuator { gain: 1.0, ..Actuator::on((1, 1)) };
    let model = blocks(1).with_actuators(vec![motor.with_control(Course::constant(26.0))]).unwrap();
    let (settings, law) =
        (event_driven::Settings::default(), percussion_impact::newton::Newton::default());
    let end = event_driven::integrate(&model, &law, &settings, &rest(1), 0.5, &mut |_| ()).unwrap();
    assert!((end.state.velocity[1] - 1.5).abs() < 1e-9, "{:?}", end.state);
}

#[test]
fn actuators_that_do_not_fit_are_refused() {
    let refused = |actuator: Actuator| match blocks(1).with_actuators(vec![actuator]) {
        Err(ModelError::Actuator { field, .. }) => field,
        other => panic!("{other:?}"),
    };
    let good = || Actuator::servo((0, 0), 0.0, [1.0, 1.0]);
    assert_eq!(refused(Actuator::on((3, 0))), "coordinate");
    assert_eq!(refused(Actuator::on((0, 3))), "velocity");
    assert_eq!(refused(Actuator { gain: f64::NAN, ..good() }), "gain");
    assert_eq!(refused(Actuator { offset: f64::INFINITY, ..good() }), "offset");
    assert_eq!(refused(Actuator { bias: [0.0, f64::NAN, 0.0], ..good() }), "bias");
    assert_eq!(refused(Actuator { control_range: [1.0, 0.0], ..good() }), "control_range");
    assert_eq!(refused(good().with_force_range([f64::NAN, 1.0])), "force_range");
    let variational = Name::Variational.stepping().unwrap();
    let model = blocks(1).with_actuators(vec![good()]).unwrap();
    assert!(matches!(variational.begin(model, rest(1)), Err(Error::NotLagrangian)));
}

/// A chain of links in the vertical plane, each with a stiff servo of little force.
fn chain(count: usize) -> Articulated {
    let rod = MassProperties::solid_box(0.5, &Vector3::new(0.3, 0.02, 0.02)).unwrap();
    let rod = rod.translated(&Vector3::new(0.15, 0.0, 0.0));
    let link = |k: usize| {
        let link = Link::new(format!("{k}"), Joint::revolute(Vector3::z())).with_mass(rod);
        if k == 0 {
            link
        } else {
            link.on(format!("{}", k - 1)).at(Isometry3::translation(0.3, 0.0, 0.0))
        }
    };
    Articulated::new((0..count).map(link).collect(), -10.0 * Vector3::y()).unwrap()
}

/// The force of every drive at the end of a step is that of its law there, or the end of its range, for drives that are coupled and
/// many at once at their limits.
#[test]
fn the_forces_of_coupled_drives_are_those_of_their_laws() {
    let count = 8;
    let mut random = 12345_u64;
    let mut uniform = || {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
    };
    let (mut held, mut free, mut worst) = (0, 0, 0.0_f64);
    for _ in 0..300 {
        let gains =
            [f64::powf(10.0, 3.0 + 3.0 * uniform()), f64::powf(10.0, 1.0 + 2.0 * uniform())];
        let servo = |k: usize, target: f64, limit: f64| {
            Actuator::servo((k, k), target, gains).with_force_range([-limit, limit])
        };
        let actuators: Vec<Actuator> =
            (0..count).map(|k| servo(k, uniform(), f64::powf(10.0, 2.0 * uniform()))).collect();
        let system = chain(count);
        let model = Model::new(Box::new(system.clone()), vec![]).unwrap();
        let model = model.with_actuators(actuators.clone()).unwrap();
        let mut some = || (0..count).map(|_| uniform()).collect::<Vec<f64>>();
        let start = State {
            time: 0.0,
            coordinates: some(),
            velocity: some().iter().map(|v| 10.0 * v).collect(),
        };
        let defaults = impulse_velocity::Settings::default();
        let settings = impulse_velocity::Settings { step_size: STEP, tolerance: 1e-13, ..defaults };
        let scheme = Choice::ImpulseVelocity(settings);
        let mut motion = scheme.begin(model, start.clone()).unwrap();
        motion.step().unwrap();
        let end = &motion.state().velocity;
        let mut mass = DMatrix::zeros(count, count);
        system.mass_matrix(&start.coordinates, &mut mass);
        let mut forces = vec![0.0; count];
        system.smooth_forces(&start.coordinates, &start.velocity, 0.0, &mut forces);
        let change = DVector::from_fn(count, |k, _| end[k] - start.velocity[k]);
        let found = mass * change / STEP - DVector::from_vec(forces);
        for (k, actuator) in actuators.iter().enumerate() {
            let [least, most] = actuator.force_range;
            let place = start.coordinates[k] + STEP * end[k];
            let law = actuator.gain * actuator.control.at(0.0)
                + actuator.bias[1] * place
                + actuator.bias[2] * end[k];
            let expected = law.clamp(least, most);
            worst = worst.max(
                (found[k] - expected).abs() / (found.amax() + (actuator.bias[1] * STEP).abs()),
            );
            if (least..=most).contains(&law) { free += 1 } else { held += 1 }
        }
    }
    assert!(held > 100 && free > 100, "{held} {free}");
    assert!(worst < 1e-9, "{worst}");
}
