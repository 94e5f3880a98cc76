//! What rests keeps its rows and operators from step to step, and moves as if every step stated them anew.

use std::ops::Range;

use nalgebra::{DMatrix, Isometry3, Vector3};
use percussion_collision::{Collider, Scene, Shape};
use percussion_dynamics::{Articulated, Joint, Link, MassProperties};
use percussion_integrators::{
    Actuator, BoundedFriction, Model, Simulation, State, StepReport, Work,
    moreau_jean::{MoreauJean, Settings},
};

const STEP: f64 = 0.002;

fn is_kept(report: &StepReport) -> bool {
    let Work::RoundCones(work) = report.work else { unreachable!("its contacts are round") };
    work.is_kept
}

/// A box of 2 kg with an arm of 1 kg on a servo, and a smaller box that starts from a place; with or without friction in the
/// joint.
fn scene(is_dry: bool, place: [f64; 3]) -> (Model, State) {
    let half_extents = Vector3::new(0.2, 0.15, 0.1);
    let size = 2.0 * half_extents;
    let trunk = MassProperties::solid_box(2.0, &size).unwrap();
    let arm = MassProperties::solid_box(1.0, &Vector3::new(0.3, 0.05, 0.05)).unwrap();
    let cargo = MassProperties::solid_box(0.5, &Vector3::repeat(0.1)).unwrap();
    let links = vec![
        Link::new("trunk", Joint::free()).with_mass(trunk),
        Link::new("arm", Joint::revolute(Vector3::y()))
            .with_mass(arm.translated(&Vector3::new(0.15, 0.0, 0.0)))
            .on("trunk")
            .at(Isometry3::translation(0.0, 0.0, 0.15)),
        Link::new("cargo", Joint::free()).with_mass(cargo),
    ];
    let system = Articulated::new(links, Vector3::new(0.0, 0.0, -9.81)).unwrap();
    let on = |body, shape| Collider::on_body(body, shape).unwrap().with_friction(0.6).unwrap();
    let floor = Collider::fixed(Shape::HalfSpace { normal: Vector3::z() }).unwrap();
    let colliders = vec![
        on(0, Shape::Box { half_extents }),
        on(2, Shape::Box { half_extents: Vector3::repeat(0.05) }),
        floor.with_friction(0.6).unwrap(),
    ];
    let scene = Scene::new(colliders, &system).unwrap();
    // When it turns it is at the end of its range at first, where it adds nothing to the masses.
    let servo = Actuator::servo((7, 6), 0.1, [400.0, 20.0]);
    let servo = Actuator { force_range: [-12.0, 12.0], ..servo };
    let mut model = Model::new(Box::new(system), vec![]).unwrap();
    if is_dry {
        let axis = DMatrix::from_fn(13, 1, |velocity, _| f64::from(u8::from(velocity == 6)));
        model = model.with_joint_friction(vec![BoundedFriction::along(&axis, 0.3)]).unwrap();
    }
    let model = model.with_contact_source(scene).unwrap().with_actuators(vec![servo]).unwrap();
    let mut coordinates = vec![0.0, 0.0, 0.11, 1.0, 0.0, 0.0, 0.0, 0.0];
    coordinates.extend(place);
    coordinates.extend([1.0, 0.0, 0.0, 0.0]);
    (model, State { time: 0.0, coordinates, velocity: vec![0.0; 13] })
}

const ABOVE: [f64; 3] = [0.15, 0.05, 12.0];
const BESIDE: [f64; 3] = [0.6, 0.1, 0.06];

/// Takes `steps` steps, and compares the end of each with that of a simulation which starts there anew. Returns the numbers of the
/// steps that kept the problem of the step before.
fn follow(is_dry: bool, place: [f64; 3], steps: usize, turn: usize) -> Vec<usize> {
    let settings = Settings { step_size: STEP, tolerance: 1e-11, ..Settings::default() };
    let (model, start) = scene(is_dry, place);
    let controls = model.controls().unwrap();
    controls.set(0, 0.1).unwrap();
    let mut motion = Simulation::<MoreauJean>::new(model.clone(), settings, start).unwrap();
    let mut kept = Vec::new();
    for step in 0..steps {
        if step == turn {
            controls.set(0, 0.2).unwrap();
        }
        let before = motion.state().clone();
        let report = motion.step().unwrap();
        kept.extend(is_kept(&report).then_some(step));
        let mut one = Simulation::<MoreauJean>::new(model.clone(), settings, before).unwrap();
        let alone = one.step().unwrap();
        let [a, b] = [motion.state(), one.state()];
        let miss =
            |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(miss(&a.coordinates, &b.coordinates) < 1e-9, "{is_dry}: step {step}");
        let velocity = miss(&a.velocity, &b.velocity);
        assert!(velocity < 1e-7, "{is_dry}: {velocity} in step {step}");
        assert_eq!(report.contacts.len(), alone.contacts.len(), "{is_dry}: step {step}");
        assert!(!report.energy.is_breached(), "{is_dry}: step {step}");
    }
    kept
}

/// The box falls for 1.56 s.
#[test]
fn a_robot_rests_while_a_box_falls_until_it_is_hit() {
    for is_dry in [false, true] {
        let kept = follow(is_dry, ABOVE, 790, usize::MAX);
        let count = |steps: Range<usize>| kept.iter().filter(|step| steps.contains(step)).count();
        assert!(count(650..770) > 110 && count(0..100) == 0 && count(770..780) < 10, "{kept:?}");
    }
}

/// Its problem stays while other forces act on what has not moved yet.
#[test]
fn a_robot_rests_until_its_servo_turns() {
    for is_dry in [false, true] {
        let kept = follow(is_dry, BESIDE, 1400, 1000);
        let count = |steps: Range<usize>| kept.iter().filter(|step| steps.contains(step)).count();
        assert!(count(800..1000) > 190 && count(1003..1040) == 0, "{kept:?}");
    }
}

/// Of what rests, contacts carry the weight to rounding, as solves are refined: 1000 steps do not add up.
#[test]
fn what_rests_carries_its_weight_and_stays_where_it_is() {
    let settings = Settings { step_size: STEP, ..Settings::default() };
    let (model, start) = scene(false, ABOVE);
    let mut motion = Simulation::<MoreauJean>::new(model, settings, start).unwrap();
    motion.run(1.2, |_, _| ()).unwrap();
    let rest = motion.state().coordinates.clone();
    let mut carried = 0.0;
    motion
        .run(1.5, |_, report| {
            carried = report.contacts.iter().map(|contact| contact.impulse.x).sum();
            assert!(report.relative_residual < 1e-9, "{}", report.relative_residual);
        })
        .unwrap();
    assert!((carried - 3.0 * 9.81 * STEP).abs() < 1e-9, "{carried}");
    let moved = motion.state().coordinates[..8].iter().zip(&rest).map(|(a, b)| (a - b).abs());
    assert!(moved.fold(0.0, f64::max) < 1e-11);
}

/// The residuals of reports are those of the impulses that the same reports have, in motion, at rest and where impulses are refined.
#[test]
fn reported_residuals_are_those_of_the_reported_impulses() {
    let settings = Settings { step_size: STEP, ..Settings::default() };
    let (model, start) = scene(true, BESIDE);
    let mut motion = Simulation::<MoreauJean>::new(model, settings, start).unwrap();
    let mut compared = 0;
    for step in 0..800 {
        let report = motion.step().unwrap();
        let problem = motion.document().unwrap().blocks_problem().unwrap();
        let of_contacts = report.contacts.iter().flat_map(|contact| contact.impulse.iter());
        let of_joints = report.frictions.iter().map(|friction| &friction.impulse);
        let impulses: Vec<f64> = of_contacts.chain(of_joints).copied().collect();
        // A drive that takes turns at a limit of its force has a row too.
        if impulses.len() != problem.rows() {
            continue;
        }
        let figures = problem.figures(&impulses);
        let residuals = report.residuals.unwrap();
        let accuracy = 1e-2 * settings.tolerance * problem.velocity_scale();
        for (found, expected) in [
            (residuals.natural_map, figures.slip),
            (residuals.complementarity, figures.complementarity),
            (residuals.primal, figures.approach),
        ] {
            assert!((found - expected).abs() <= accuracy, "{found} {expected} in step {step}");
        }
        compared += 1;
    }
    assert!(compared > 700, "{compared}");
}
