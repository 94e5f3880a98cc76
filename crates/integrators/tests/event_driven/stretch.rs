//! Slips that creep and stiff forces, which the motion crosses by implicit steps.

use nalgebra::Vector3;
use percussion_dynamics::{
    Body, FreeBodies, MassProperties,
    gap::{Plane, Sphere, SpherePlane},
};
use percussion_impact::{
    anitescu_potra::AnitescuPotra,
    set_valued::{self, SetValuedRouth},
};
use percussion_integrators::{
    Actuator, Contact, Course, Model, State,
    event_driven::{Cause, Event, EventKind, Mode, Report, Settings, Status, integrate},
};

/// Steps that are far fewer than explicit ones, which a creeping slip shortens to some microseconds.
const STEPS: usize = 5_000;

/// A body of 1 kg whose center touches a floor that leans by `slope` (rad) about the axis `y`, with gravity of 10 m/s² and these
/// actuators.
fn slider(slope: f64, friction: f64, actuators: Vec<Actuator>) -> Model {
    on_feet(&[Vector3::zeros()], slope, friction, actuators)
}

/// The same body on feet at these points (m).
fn on_feet(feet: &[Vector3<f64>], slope: f64, friction: f64, actuators: Vec<Actuator>) -> Model {
    let body = Body::from_mass_properties(&MassProperties::solid_sphere(1.0, 0.1).unwrap());
    let gravity = Vector3::new(10.0 * slope.sin(), 0.0, -10.0 * slope.cos());
    let bodies = FreeBodies::new(vec![body], gravity).unwrap();
    let floor = Plane::new(&Vector3::z(), &feet[0]).unwrap();
    let contact = |foot: &Vector3<f64>| {
        let tip = Sphere::on_body(0, *foot, 0.0);
        Contact::new(SpherePlane::new(tip, floor).unwrap(), friction)
    };
    let contacts = feet.iter().map(contact).collect();
    Model::new(Box::new(bodies), contacts).unwrap().with_actuators(actuators).unwrap()
}

/// A force along an axis with a damper of 1 N·s/m beside it.
fn pull(axis: usize, force: Course) -> Actuator {
    Actuator { gain: 1.0, bias: [0.0, 0.0, -1.0], ..Actuator::on((axis, axis)) }.with_control(force)
}

fn run(model: &Model, velocity: [f64; 2], end: f64) -> Report {
    let settings = Settings { step_limit: STEPS, ..Settings::default() };
    let coordinates = vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    let velocity = vec![velocity[0], velocity[1], 0.0, 0.0, 0.0, 0.0];
    let start = State { time: 0.0, coordinates, velocity };
    integrate(model, &AnitescuPotra::default(), &settings, &start, end, &mut |_| ()).unwrap()
}

fn stretches(report: &Report) -> usize {
    report.events.iter().filter(|event| matches!(event.kind, EventKind::Stretch { .. })).count()
}

/// Friction of 5 N and dampers of 1 N·s/m leave `v = F − 5` of a pull of `F`, and the direction of the slip would turn by
/// `5/v = 5·10⁵/s`. Explicit steps are stable up to three times the inverse of that.
#[test]
fn a_slip_creeps_at_a_constant_speed() {
    let speed = 1e-5;
    let along = [0.8, 0.6];
    let pulls = [0, 1].map(|k| pull(k, Course::constant((5.0 + speed) * along[k])));
    let report = run(&slider(0.0, 0.5, pulls.into()), along.map(|d| speed * d), 1.0);
    assert_eq!(report.status, Status::EndReached);
    assert!(stretches(&report) > 0, "{:?}", report.events);
    for (k, d) in along.into_iter().enumerate() {
        let (x, v) = (report.state.coordinates[k], report.state.velocity[k]);
        // Only the tolerance of the contact problems makes an error here.
        assert!((x - speed * d).abs() < 1e-10, "{k}: {x} m");
        assert!((v - speed * d).abs() < 1e-10, "{k}: {v} m/s");
    }
    assert!((report.energy.friction - 5.0 * speed).abs() < 1e-9, "{:?}", report.energy);
    assert!(report.energy.residual().abs() < 1e-10, "{:?}", report.energy);
}

/// A table on four feet 0.1 m below its center, dragged like the slider. The forces of the feet are not unique, friction tips the
/// table by 0.5 N·m, and the motion is that of the slider.
#[test]
fn a_table_on_four_feet_creeps() {
    let speed = 1e-5;
    let along = [0.8, 0.6];
    let pulls = [0, 1].map(|k| pull(k, Course::constant((5.0 + speed) * along[k])));
    let feet = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)];
    let feet = feet.map(|(x, y)| Vector3::new(0.2 * x, 0.2 * y, -0.1));
    let report = run(&on_feet(&feet, 0.0, 0.5, pulls.into()), along.map(|d| speed * d), 0.5);
    assert_eq!(report.status, Status::EndReached);
    assert!(stretches(&report) > 0, "{:?}", report.events);
    for (k, d) in along.into_iter().enumerate() {
        let x = report.state.coordinates[k];
        assert!((x - 0.5 * speed * d).abs() < 1e-10, "{k}: {x} m");
    }
    assert!((report.energy.friction - 2.5 * speed).abs() < 1e-9, "{:?}", report.energy);
    assert!(report.energy.residual().abs() < 1e-10, "{:?}", report.energy);
}

/// The pull exceeds friction by `c (1 − t)` for `c = 10⁻⁵ N/s`, and a slip of `v = c (2 − t)` satisfies `v̇ = c (1 − t) − v`: it stops
/// after 2 s and `2 c` meters.
#[test]
fn a_slip_that_creeps_stops() {
    let rate = 1e-5;
    let force = Course::new(vec![0.0, 4.0], vec![5.0 + rate, 5.0 - 3.0 * rate]).unwrap();
    let report = run(&slider(0.0, 0.5, vec![pull(0, force)]), [2.0 * rate, 0.0], 3.0);
    assert_eq!(report.status, Status::EndReached);
    assert_eq!(report.modes, [Mode::Sticking]);
    let x = report.state.coordinates[0];
    assert!((x - 2.0 * rate).abs() < 1e-9, "{x} m");
    assert!(report.state.velocity[0].abs() < 1e-12, "{:?}", report.state);
    assert!(report.energy.residual().abs() < 1e-10, "{:?}", report.energy);
}

/// A servo of 10⁶ N·s/m and 2·10⁶ N/m that draws 1 kg to `x = 1 m` on a smooth floor. Its rates are 10⁶ and about 2 per second, and
/// with the velocity of the slow one, `x = 1 − e^(−r t)`. Explicit steps are stable up to some 3 µs.
#[test]
fn a_stiff_servo_is_followed() {
    let (stiffness, damping) = (2e6, 1e6);
    let bias = [0.0, -stiffness, -damping];
    let servo = Actuator { gain: stiffness, bias, ..Actuator::on((0, 0)) };
    let model = slider(0.0, 0.0, vec![servo.with_control(Course::constant(1.0))]);
    let rate = 2.0 * stiffness / (damping + f64::sqrt(damping * damping - 4.0 * stiffness));
    let report = run(&model, [rate, 0.0], 1.0);
    assert_eq!(report.status, Status::EndReached);
    let of_forces =
        |event: &Event| matches!(event.kind, EventKind::Stretch { cause: Cause::StiffForces, .. });
    assert!(report.events.iter().any(of_forces), "{:?}", report.events);
    let left = (-rate).exp();
    let (x, v) = (report.state.coordinates[0], report.state.velocity[0]);
    // Every step may add an error of the tolerance, in units of the model.
    let (error, scales) = (1e-7 * report.counters.implicit_steps as f64, report.scales);
    let [of_x, of_v] = [x - (1.0 - left), v - rate * left].map(f64::abs);
    assert!(of_x < error * scales.length, "{x} m, {:?}", report.counters);
    assert!(of_v < error * scales.length / scales.time, "{v} m/s, {:?}", report.counters);
    let work = 0.5 * rate.powi(2) * (left.powi(2) - 1.0);
    assert!((report.energy.other_work - work).abs() < 1e-6, "{:?} {work}", report.energy);
    assert!(report.energy.residual().abs() < 1e-7, "{:?}", report.energy);
}

/// A spring that moves 1 kg at 10⁴ rad/s needs steps that are short for their accuracy: implicit ones are of no use.
#[test]
fn a_fast_oscillation_is_not_crossed() {
    let stiffness = 1e8;
    let spring = Actuator { bias: [0.0, -stiffness, 0.0], ..Actuator::on((0, 0)) };
    let report = run(&slider(0.0, 0.0, vec![spring]), [0.1, 0.0], 0.02);
    assert_eq!((report.status, report.counters.implicit_steps), (Status::EndReached, 0));
    // Steps are short, so that a cause is searched for.
    let mean = 0.02 / report.counters.steps as f64;
    assert!(mean < 0.5e-3 * report.scales.time, "{mean} s, {:?}", report.scales);
    let x = report.state.coordinates[0];
    assert!((x - 1e-5 * f64::sin(200.0)).abs() < 1e-9, "{x} m");
}

/// With friction `A = μ g cos α` and gravity `B = g sin α` along the slope, the speed `s` and its component `w` down the slope satisfy
/// `ṡ = −A + B w/s` and `ẇ = B − A w/s`, so that `A s + B w` falls at the rate `A² − B²` and the slip stops at a known time, in the
/// direction down the slope. No stretch is needed.
#[test]
fn a_block_slides_obliquely_to_rest() {
    let (slope, friction, speed) = (0.3_f64, 0.5, 1.5);
    let (a, b) = (friction * 10.0 * slope.cos(), 10.0 * slope.sin());
    let report = run(&slider(slope, friction, Vec::new()), [0.0, speed], 2.0);
    let stops = report
        .events
        .iter()
        .find(|event| matches!(event.kind, EventKind::Mode { to: Mode::Sticking, .. }));
    let stop = stops.map_or(f64::NAN, |event| event.time);
    let expected = a * speed / (a * a - b * b);
    assert!((stop - expected).abs() < 1e-7, "{stop} s, expected {expected}");
    assert_eq!(stretches(&report), 0, "{:?}", report.events);
    assert!(report.energy.residual().abs() < 1e-8, "{:?}", report.energy);
}

/// A sample of one step of at most 1 mN·s does not stop 1 kg at 1 m/s: this law has no answer to the impact of a body that falls from
/// 0.05 m. The body stays on the floor where the motion may go on with an inelastic impact.
#[test]
fn an_impact_without_an_answer_ends_the_motion_unless_a_fallback_is_asked_for() {
    let law = set_valued::Settings { step: 1e-3, steps: 1, ..set_valued::Settings::default() };
    let law = SetValuedRouth::new(law);
    let model = slider(0.0, 0.5, Vec::new());
    let coordinates = vec![0.0, 0.0, 0.05, 1.0, 0.0, 0.0, 0.0];
    let start = State { time: 0.0, coordinates, velocity: vec![0.0; 6] };
    let run = |inelastic_fallback| {
        let settings = Settings { inelastic_fallback, ..Settings::default() };
        integrate(&model, &law, &settings, &start, 0.3, &mut |_| ()).unwrap()
    };
    let ended = run(false);
    assert_eq!((ended.status, stretches(&ended)), (Status::ImpactUnresolved, 0));
    assert!((ended.state.time - 0.1).abs() < 1e-9, "{} s", ended.state.time);

    let went_on = run(true);
    assert_eq!(went_on.status, Status::EndReached);
    let causes = went_on.events.iter().filter_map(|event| match event.kind {
        EventKind::Stretch { cause, .. } => Some(cause),
        _ => None,
    });
    assert_eq!(causes.collect::<Vec<_>>(), [Cause::ImpactUnresolved]);
    assert!(went_on.state.coordinates[2].abs() < 1e-9, "{:?}", went_on.state);
    assert!((went_on.energy.impacts - 0.5).abs() < 1e-8, "{:?}", went_on.energy);
}
