//! Passes of a step: earlier steps save some of them and do not change where they end, and stiff joints take no more than others.

use nalgebra::{Isometry3, Vector3};
use percussion_dynamics::gap::{Plane, Sphere, SpherePlane};
use percussion_dynamics::{Articulated, Joint, Link, MassProperties};
use percussion_integrators::{
    Actuator, Contact, Model, Simulation, State, StepReport, Work,
    impulse_velocity::{self, ImpulseVelocity},
    moreau_jean::{MoreauJean, Settings},
};

use crate::scenes::boxes;

/// A free rod that carries three more, joined by hinges with dampers, over a floor that their ends may touch.
fn chain(friction: f64, damping: f64, stiffness: f64) -> Model {
    let rod = MassProperties::solid_box(1.0, &Vector3::new(0.5, 0.1, 0.05)).unwrap();
    let rod = rod.translated(&Vector3::new(0.25, 0.0, 0.0));
    let link = |i: usize| {
        let joint = if i == 0 {
            Joint::free()
        } else {
            let hinge = Joint::revolute(Vector3::new(0.0, i as f64, 1.0));
            hinge.with_damping(&[damping]).with_spring(&[stiffness], &[0.0])
        };
        let link = Link::new(i.to_string(), joint).with_mass(rod);
        if i == 0 {
            link
        } else {
            link.on((i - 1).to_string()).at(Isometry3::translation(0.5, 0.0, 0.0))
        }
    };
    let links = (0..4).map(link).collect();
    let system = Articulated::new(links, Vector3::new(0.0, 0.0, -9.81)).unwrap();
    let floor = Plane::new(&Vector3::z(), &Vector3::zeros()).unwrap();
    let tip = |body: usize| {
        let end = Sphere::on_body(body, Vector3::new(0.5, 0.0, 0.0), 0.05);
        Contact::new(SpherePlane::new(end, floor).unwrap(), friction)
    };
    Model::new(Box::new(system), (0..4).map(tip).collect()).unwrap()
}

fn passes(report: &StepReport) -> usize {
    let Work::RoundCones(work) = report.work else { unreachable!("its contacts are round") };
    work.passes
}

/// Each step is repeated from the same state by simulations that know nothing of earlier steps, one of which converges to
/// rounding.
#[test]
fn earlier_steps_save_passes_and_no_accuracy() {
    let tolerance = 1e-9;
    for friction in [0.0, 0.4] {
        let settings = |iteration_tolerance| Settings {
            step_size: 0.002,
            tolerance: 1e-12,
            iteration_tolerance: Some(iteration_tolerance),
            ..Settings::default()
        };
        let step_from = |state: &State, iteration_tolerance| {
            let (model, settings) = (chain(friction, 0.2, 0.0), settings(iteration_tolerance));
            let mut one = Simulation::<MoreauJean>::new(model, settings, state.clone()).unwrap();
            let report = one.step().unwrap();
            (report, one.state().coordinates.clone())
        };
        let coordinates = vec![0.0, 0.0, 0.6, 1.0, 0.0, 0.0, 0.0, 0.3, -0.2, 0.4];
        let velocity = vec![1.0, 0.0, 0.0, 2.0, -1.0, 3.0, 1.0, -2.0, 0.5];
        let start = State { time: 0.0, coordinates, velocity };
        let mut motion =
            Simulation::<MoreauJean>::new(chain(friction, 0.2, 0.0), settings(tolerance), start)
                .unwrap();
        let (mut own, mut alone, mut landed) = (0, 0, false);
        for _ in 0..2000 {
            let before = motion.state().clone();
            let report = motion.step().unwrap();
            landed |= report.contacts.iter().any(|contact| contact.impulse.x > 0.0);
            own += passes(&report);
            alone += passes(&step_from(&before, tolerance).0);

            let exact = step_from(&before, 1e-15).1;
            let ends = motion.state().coordinates.iter().zip(&exact);
            let error = ends.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(error <= tolerance, "{error} in step to {}", motion.state().time);
        }
        assert!(landed && 10 * own < 9 * alone, "{own} and {alone} passes, {landed}");
    }
}

/// A step of 0.01 s takes `θ h d = 1.5` times the inertia of a rod from a damper, and 0.25 times it from a spring.
#[test]
fn stiff_joints_take_as_few_passes_as_others_and_end_where_they_do() {
    let mut all = 0;
    for (friction, driven) in [(0.0, false), (0.4, false), (0.4, true)] {
        let settings = |iteration_tolerance| Settings {
            step_size: 0.01,
            tolerance: 1e-12,
            iteration_tolerance: Some(iteration_tolerance),
            // Three rods that lie on the floor may be held there in several ways; one start finds one of them.
            warm_start: false,
            ..Settings::default()
        };
        let model = || {
            let chain = chain(friction, 25.0, 800.0);
            if !driven {
                return chain;
            }
            chain.with_actuators(vec![Actuator::servo((7, 6), 0.3, [1e3, 50.0])]).unwrap()
        };
        let coordinates = vec![0.0, 0.0, 0.3, 1.0, 0.0, 0.0, 0.0, 0.3, -0.2, 0.4];
        let start = State { time: 0.0, coordinates, velocity: vec![0.5; 9] };
        let mut motion = Simulation::<MoreauJean>::new(model(), settings(1e-9), start).unwrap();
        let mut landed = false;
        for step in 0..200 {
            let before = motion.state().clone();
            let report = motion.step().unwrap();
            let pressed = || report.contacts.iter().filter(|contact| contact.impulse.x > 0.0);
            landed |= pressed().next().is_some();
            assert!(pressed().all(|contact| contact.velocity.x.abs() < 1e-9), "step {step}");
            all += passes(&report);

            let mut one = Simulation::<MoreauJean>::new(model(), settings(1e-15), before).unwrap();
            one.step().unwrap();
            let ends = motion.state().coordinates.iter().zip(&one.state().coordinates);
            let error = ends.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(error <= 1e-9, "{error} in step {step} with friction {friction}");
        }
        assert!(landed);
    }
    assert!(all < 6 * 600, "{all} passes of 600 steps");
}

/// With `M̂ = I + h (θ h k_p + k_v) + θ h d + θ² h² k` of a hinge with a damper, a spring and a servo,
/// `M̂ (v' − v) = h (f(q, v) − h k_p v − d v − k (q + θ h v))`. Here `θ h d` is 250 times the inertia.
#[test]
fn a_step_of_a_stiff_hinge_is_its_closed_form() {
    let (h, q, v) = (0.01, 0.3, -2.0);
    let (damping, stiffness) = (100.0, 3e4);
    for [proportional, derivative] in [[0.0, 0.0], [500.0, 20.0]] {
        for theta in [0.5, 0.75, 1.0] {
            let rod = MassProperties::point(0.5).unwrap().translated(&Vector3::new(0.0, 0.0, 2e-2));
            let joint = Joint::revolute(Vector3::z()).with_armature(&[2e-3]);
            let joint = joint.with_damping(&[damping]).with_spring(&[stiffness], &[0.0]);
            let link = Link::new("rod", joint).with_mass(rod);
            let system = Articulated::new(vec![link], Vector3::zeros()).unwrap();
            let servo = Actuator::servo((0, 0), 0.0, [proportional, derivative]);
            let mut model = Model::new(Box::new(system), vec![]).unwrap();
            if proportional > 0.0 {
                model = model.with_actuators(vec![servo]).unwrap();
            }
            let settings = Settings { step_size: h, implicitness: theta, ..Settings::default() };
            let start = State { time: 0.0, coordinates: vec![q], velocity: vec![v] };
            let mut motion = Simulation::<MoreauJean>::new(model, settings, start).unwrap();
            let report = motion.step().unwrap();

            let force = -proportional * q - derivative * v - h * proportional * v;
            let sum = 2e-3
                + h * (theta * h * proportional + derivative)
                + h * theta * (damping + h * theta * stiffness);
            let change = h * (force - damping * v - stiffness * (q + theta * h * v)) / sum;
            let end = motion.state().velocity[0];
            assert!((end - v - change).abs() < 1e-10 * change.abs(), "{end} for {}", v + change);
            assert!(passes(&report) <= 2, "{}", passes(&report));
        }
    }
}

/// Boxes on a slope fall alike where nothing carries them, so that only the lowest one is seen to press at first.
#[test]
fn contacts_that_pressed_are_in_the_first_problem_of_the_next_step() {
    for (friction, slides) in [(0.5, false), (0.1, true)] {
        let (model, start) = boxes(4, friction, 0.2);
        let settings = |warm_start| impulse_velocity::Settings {
            step_size: 0.005,
            tolerance: 1e-11,
            warm_start,
            ..Default::default()
        };
        let mut motion =
            Simulation::<ImpulseVelocity>::new(model.clone(), settings(true), start.clone())
                .unwrap();
        let mut alone = Simulation::<ImpulseVelocity>::new(model, settings(false), start).unwrap();
        let mut without = 0;
        for step in 0..60 {
            let one = passes(&motion.step().unwrap());
            assert!(step == 0 || one == 1, "{one} in step {step}");
            without += passes(&alone.step().unwrap());
        }
        assert!(without > 120, "{without} passes");
        let [own, other] = [motion.state(), alone.state()];
        assert_eq!(slides, own.velocity[0] < -0.1, "{own:?}");
        let ends = own.coordinates.iter().zip(&other.coordinates);
        assert!(ends.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) < 1e-9, "{own:?} {other:?}");
    }
}
