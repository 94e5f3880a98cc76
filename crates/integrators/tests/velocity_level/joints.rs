//! Dry friction in joints, with limits, drives, loops and contacts in one problem.

use nalgebra::{DMatrix, DVector, Isometry3, Vector2, Vector3};
use percussion_complementarity::friction::{
    Law, Method, block_gauss_seidel, document::Document, mixed::Set,
};
use percussion_dynamics::{Articulated, Joint, Link, MassProperties, PlanarBodies, PlanarBody};
use percussion_integrators::{
    BoundedFriction, Contact, Error, Model, Scheme, Simulation, State, StepReport,
    impulse_velocity::{self, ImpulseVelocity},
    moreau_jean::{self, MoreauJean},
};

use crate::four_bar::{FourBar, Loops};

/// Settings with this step and a tight tolerance, by scheme.
pub(crate) trait Stepped: Scheme {
    fn in_steps(step_size: f64, tolerance: f64) -> Self::Settings;
}

impl Stepped for ImpulseVelocity {
    fn in_steps(step_size: f64, tolerance: f64) -> impulse_velocity::Settings {
        let (projection, warm_start) = (true, false);
        let defaults = impulse_velocity::Settings::default();
        impulse_velocity::Settings { step_size, tolerance, projection, warm_start, ..defaults }
    }
}

impl Stepped for MoreauJean {
    fn in_steps(step_size: f64, tolerance: f64) -> moreau_jean::Settings {
        let (projection, warm_start) = (true, false);
        let defaults = moreau_jean::Settings::default();
        moreau_jean::Settings { step_size, tolerance, projection, warm_start, ..defaults }
    }
}

fn axis(count: usize, entries: &[(usize, f64)]) -> DMatrix<f64> {
    let mut axis = DMatrix::zeros(count, 1);
    entries.iter().for_each(|&(row, entry)| axis[(row, 0)] = entry);
    axis
}

/// A wheel of 0.5 kg·m² that floats, with a bearing of 2 N·m.
fn wheel() -> Model {
    let system = PlanarBodies::new(vec![PlanarBody::new(2.0, 0.5)], Vector2::zeros()).unwrap();
    let bearing = BoundedFriction::along(&axis(3, &[(2, 1.0)]), 2.0);
    Model::new(Box::new(system), vec![]).unwrap().with_joint_friction(vec![bearing]).unwrap()
}

fn a_bearing_stops_a_wheel<S: Stepped>() {
    let start = State { time: 0.0, coordinates: vec![0.0; 3], velocity: vec![0.0, 0.0, 3.0] };
    let mut motion = Simulation::<S>::new(wheel(), S::in_steps(0.01, 1e-11), start).unwrap();
    // 2 N·m take 4 rad/s² from 3 rad/s: 75 steps of 0.04 rad/s.
    for step in 1..=90 {
        let report = motion.step().unwrap();
        let expected = (3.0 - 0.04 * f64::from(step)).max(0.0);
        let spin = motion.state().velocity[2];
        assert!((spin - expected).abs() < 1e-12, "step {step}: {spin} {expected}");
        let friction = report.frictions[0];
        assert!(friction.impulse.abs() <= friction.bound, "{friction:?}");
        assert!((friction.velocity - spin).abs() < 1e-15, "{friction:?}");
        if step < 75 {
            assert!((friction.impulse + 0.02).abs() < 1e-15, "{friction:?}");
            assert!((report.joint_friction[(2, 0)] + 0.02).abs() < 1e-15, "{report:?}");
        }
        assert!(!report.energy.is_breached(), "{:?}", report.energy);
    }
}

#[test]
fn a_bearing_stops_a_wheel_in_every_scheme() {
    a_bearing_stops_a_wheel::<ImpulseVelocity>();
    a_bearing_stops_a_wheel::<MoreauJean>();
}

/// A pendulum of 1 kg and 1 m, 1 rad below the horizontal, in a joint that holds the fraction `part` of its weight.
fn pendulum(part: f64) -> (Model, State) {
    let bob = MassProperties::point(1.0).unwrap().translated(&Vector3::new(1.0, 0.0, 0.0));
    let arm = Link::new("arm", Joint::revolute(Vector3::z())).with_mass(bob);
    let system = Articulated::new(vec![arm], Vector3::new(0.0, -10.0, 0.0)).unwrap();
    let hinge = BoundedFriction::along(&axis(1, &[(0, 1.0)]), part * 10.0 * 1.0_f64.cos());
    let model = Model::new(Box::new(system), vec![]).unwrap();
    let model = model.with_joint_friction(vec![hinge]).unwrap();
    (model, State { time: 0.0, coordinates: vec![-1.0], velocity: vec![0.0] })
}

fn a_joint_holds_to_its_bound<S: Stepped>() {
    let after = |part: f64| {
        let (model, start) = pendulum(part);
        let mut motion = Simulation::<S>::new(model, S::in_steps(0.01, 1e-14), start).unwrap();
        motion.run(0.1, |_, _| ()).unwrap();
        motion.state().velocity[0]
    };
    assert!(after(1.0 + 1e-9).abs() < 1e-14, "{}", after(1.0 + 1e-9));
    // 1e-9 of its weight accelerates it, by a/Ω sin Ωt because the weight turns, with Ω² = g sin(1)/l.
    let rate = (10.0 * 1.0_f64.sin()).sqrt();
    let expected = -1e-9 * 10.0 * 1.0_f64.cos() / rate * (rate * 0.1).sin();
    let speed = after(1.0 - 1e-9);
    assert!((speed / expected - 1.0).abs() < 1e-3, "{speed} {expected}");
}

#[test]
fn a_joint_holds_a_pendulum_up_to_its_bound_in_every_scheme() {
    a_joint_holds_to_its_bound::<ImpulseVelocity>();
    a_joint_holds_to_its_bound::<MoreauJean>();
}

/// A motor of 3 N·m turns an arm against its limit, beside a wheel with friction.
fn a_limit_carries_the_motor<S: Stepped>() {
    let mass = || MassProperties::solid_box(1.0, &Vector3::repeat(0.4)).unwrap();
    let driven = Joint::revolute(Vector3::z()).with_limits(&[[-1.0, 0.2]]).with_effort(&[3.0]);
    let arm = Link::new("arm", driven).with_mass(mass());
    let wheel = Link::new("wheel", Joint::revolute(Vector3::z())).with_mass(mass());
    let system = Articulated::new(vec![arm, wheel], Vector3::zeros()).unwrap();
    let limits = system.joint_limits().into_iter().map(|limit| Contact::new(limit, 0.0)).collect();
    let bearing = BoundedFriction::along(&axis(2, &[(1, 1.0)]), 0.1);
    let model = Model::new(Box::new(system), limits).unwrap();
    let model = model.with_joint_friction(vec![bearing]).unwrap();
    let start = State { time: 0.0, coordinates: vec![0.2, 0.0], velocity: vec![0.0, 5.0] };
    let mut motion = Simulation::<S>::new(model, S::in_steps(0.002, 1e-11), start).unwrap();
    motion
        .run(0.02, |_, report| {
            let [limit] = &report.contacts[..] else { panic!("one limit is reached: {report:?}") };
            assert!((limit.impulse.x - 3.0 * 0.002).abs() < 1e-14, "{limit:?}");
            assert!(limit.impulse.yz() == Vector2::zeros(), "{limit:?}");
            let residuals = report.residuals.unwrap();
            assert!(residuals.limits < 1e-13 && residuals.motion < 1e-13, "{residuals:?}");
        })
        .unwrap();
    assert!(motion.state().velocity[0].abs() < 1e-13, "{:?}", motion.state());
}

#[test]
fn a_limit_carries_the_torque_of_the_motor_in_every_scheme() {
    a_limit_carries_the_motor::<ImpulseVelocity>();
    a_limit_carries_the_motor::<MoreauJean>();
}

/// Two arms, of which the first starts 0.05 rad beyond its limit of 0.2 rad, with gravity along `y`.
fn beyond_a_limit(gravity: f64) -> (Model, State) {
    let bob = || MassProperties::point(1.0).unwrap().translated(&Vector3::new(1.0, 0.0, 0.0));
    let turning = Joint::revolute(Vector3::z());
    let first = Link::new("first", turning.clone().with_limits(&[[-1.0, 0.2]])).with_mass(bob());
    let at_end = Isometry3::translation(1.0, 0.0, 0.0);
    let second = Link::new("second", turning).on("first").at(at_end).with_mass(bob());
    let system = Articulated::new(vec![first, second], Vector3::new(0.0, gravity, 0.0)).unwrap();
    let limits = system.joint_limits().into_iter().map(|limit| Contact::new(limit, 0.0)).collect();
    let model = Model::new(Box::new(system), limits).unwrap();
    (model, State { time: 0.0, coordinates: vec![0.25, 0.7], velocity: vec![0.0; 2] })
}

/// A joint beyond its limit is moved back by the smallest displacement in the kinetic metric, `M d ∝ ∇g`.
fn a_limit_is_restored<S: Stepped>() {
    let (model, start) = beyond_a_limit(0.0);
    let settings = S::in_steps(1e-9, 1e-11);
    let mut motion = Simulation::<S>::new(model, settings, start.clone()).unwrap();
    motion.step().unwrap();
    let end = &motion.state().coordinates;
    assert!((end[0] - 0.2).abs() < 1e-15, "{end:?}");
    let moved: Vec<f64> = end.iter().zip(&start.coordinates).map(|(to, from)| to - from).collect();
    let mut mass = DMatrix::zeros(2, 2);
    motion.model().system().mass_matrix(&start.coordinates, &mut mass);
    let momentum = mass * DVector::from_vec(moved);
    // The mass matrix changes on the way by some percent.
    assert!(momentum[1].abs() < 0.02 * momentum[0].abs(), "{momentum}");

    // From within the range the arm falls against the limit, and a step may exceed it.
    let (model, mut start) = beyond_a_limit(10.0);
    start.coordinates[0] = 0.1;
    let mut motion = Simulation::<S>::new(model, S::in_steps(0.005, 1e-11), start).unwrap();
    let (mut work, mut touched) = (0.0, 0);
    motion
        .run(0.5, |state, report| {
            assert!(state.coordinates[0] <= 0.2 + 1e-15, "{state:?}");
            work += report.projection_work;
            touched += usize::from(state.coordinates[0] > 0.2 - 1e-12);
            assert!((report.energy.projected - work).abs() < 1e-12, "{report:?}");
            assert!(!report.energy.is_breached(), "{report:?}");
        })
        .unwrap();
    assert!(touched > 20, "{touched} of 100 steps end at the limit");
}

#[test]
fn a_joint_beyond_its_limit_is_moved_back_in_every_scheme() {
    a_limit_is_restored::<ImpulseVelocity>();
    a_limit_is_restored::<MoreauJean>();
}

/// The four-bar for ten seconds: what each step has to satisfy.
fn a_four_bar_runs<S: Stepped>(step_size: f64) {
    let (model, start) = FourBar::new(Loops::Redundant).model();
    let mut motion = Simulation::<S>::new(model, S::in_steps(step_size, 1e-10), start).unwrap();
    let (mut held, mut sliding, mut slips, mut loads) = (0, 0, 0, 0);
    motion
        .run(10.0, |state, report| {
            for friction in &report.frictions {
                let at_bound = friction.impulse.abs() >= friction.bound;
                assert!(friction.impulse.abs() <= friction.bound, "{} s: {friction:?}", state.time);
                // The bound is reached against the velocity, and only then.
                if at_bound {
                    assert!(friction.impulse * friction.velocity <= 1e-12, "{friction:?}");
                    sliding += 1;
                } else {
                    assert!(friction.velocity.abs() < 1e-10, "{} s: {friction:?}", state.time);
                    held += 1;
                }
            }
            for contact in &report.contacts {
                let bound = 0.4 * contact.impulse.x;
                let tangential = contact.impulse.y.hypot(contact.impulse.z);
                assert!(tangential <= bound * (1.0 + 1e-9) + 1e-15, "{contact:?}");
                loads += usize::from(contact.impulse.x > 0.0);
                slips += usize::from(contact.impulse.x > 0.0 && contact.velocity.y.abs() > 1e-3);
            }
            assert!(
                report.constraint_error <= 1e-10,
                "{} s: {}",
                state.time,
                report.constraint_error
            );
            let residuals = report.residuals.unwrap();
            assert!(residuals.motion < 1e-10, "{residuals:?}");
            assert!(!report.energy.is_breached(), "{} s: {:?}", state.time, report.energy);
        })
        .unwrap();
    let steps = motion.step_count();
    assert!(sliding > steps && held > steps / 10, "{held} {sliding} of {steps}");
    assert!(loads > steps && slips > steps / 20, "{loads} {slips} of {steps}");
}

#[test]
fn a_four_bar_with_friction_runs_for_ten_seconds_by_impulses_and_velocities() {
    a_four_bar_runs::<ImpulseVelocity>(0.004);
}

#[test]
fn a_four_bar_with_friction_runs_for_ten_seconds_by_moreau_and_jean() {
    a_four_bar_runs::<MoreauJean>(0.004);
}

/// Steps of the same states with and without redundant rows.
fn redundant_rows_change_nothing<S: Stepped>() {
    let (model, start) = FourBar::new(Loops::Redundant).model();
    let mut motion = Simulation::<S>::new(model, S::in_steps(0.002, 1e-11), start).unwrap();
    for step in 0..300 {
        let before = motion.state().clone();
        motion.step().unwrap();
        if step % 10 == 0 {
            let (model, _) = FourBar::new(Loops::Point).model();
            let mut other = Simulation::<S>::new(model, S::in_steps(0.002, 1e-11), before).unwrap();
            other.step().unwrap();
            for (one, other) in motion.state().velocity.iter().zip(&other.state().velocity) {
                assert!((one - other).abs() < 1e-10, "step {step}: {one} {other}");
            }
        }
    }
}

#[test]
fn velocities_do_not_depend_on_redundant_rows() {
    redundant_rows_change_nothing::<ImpulseVelocity>();
    redundant_rows_change_nothing::<MoreauJean>();
}

#[test]
fn every_thread_takes_the_same_steps() {
    fn run() -> Vec<u64> {
        let (model, start) = FourBar::new(Loops::Redundant).model();
        let settings = ImpulseVelocity::in_steps(0.002, 1e-11);
        let mut motion = Simulation::<ImpulseVelocity>::new(model, settings, start).unwrap();
        motion.run(0.2, |_, _| ()).unwrap();
        motion.state().velocity.iter().map(|v| v.to_bits()).collect()
    }
    let alone = run();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(run)).collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), alone);
        }
    });
}

#[test]
fn a_step_with_joints_that_is_not_solved_is_handed_over_with_blocks() {
    let method = Method::BlockGaussSeidel(block_gauss_seidel::Settings {
        max_sweeps: 1,
        ..Default::default()
    });
    let (model, start) = FourBar::new(Loops::Redundant).model();
    let settings = impulse_velocity::Settings {
        method,
        tolerance: 0.0,
        ..ImpulseVelocity::in_steps(0.002, 1e-11)
    };
    let mut motion = Simulation::<ImpulseVelocity>::new(model, settings, start.clone()).unwrap();
    let error = motion.step().unwrap_err();
    let Error::Unsolved { status, relative_residual, .. } = error else { panic!("{error}") };
    assert_eq!(motion.state(), &start);
    let document: Document = motion.document().unwrap().to_string().parse().unwrap();
    let problem = document.blocks_problem().unwrap();
    let has =
        |wanted: &dyn Fn(&Set) -> bool| problem.blocks().iter().any(|block| wanted(&block.set));
    assert!(has(&|set| matches!(set, Set::Bilateral)), "{document}");
    assert!(has(&|set| matches!(set, Set::Interval { .. })), "{document}");
    assert!(has(&|set| matches!(set, Set::Contact(_))), "{document}");
    let replayed = document.solve_blocks().unwrap().report;
    assert_eq!(replayed.status, status);
    assert_eq!(replayed.relative_residual.to_bits(), relative_residual.to_bits());
}

#[test]
fn joints_without_a_rule_are_refused_before_the_first_step() {
    let start = || State { time: 0.0, coordinates: vec![0.0; 3], velocity: vec![0.0, 0.0, 3.0] };
    let disc = BoundedFriction::along(&DMatrix::identity(3, 2), 0.1);
    let several = wheel().with_joint_friction(vec![disc]).unwrap();
    let settings = ImpulseVelocity::in_steps(0.01, 1e-11);
    let error = Simulation::<ImpulseVelocity>::new(several, settings, start()).unwrap_err();
    assert_eq!(error, Error::FrictionDirections { joint: 0 });
    let error = Simulation::<ImpulseVelocity>::new(
        wheel(),
        impulse_velocity::Settings { law: Law::MaximumDissipation, ..settings },
        start(),
    );
    assert_eq!(
        error.unwrap_err().to_string(),
        "setting `law` is maximum-dissipation, expected coulomb for a model with friction in joints or cones that are not round"
    );
    let interior = Method::InteriorPoint(Default::default());
    let settings = moreau_jean::Settings { method: interior, ..MoreauJean::in_steps(0.01, 1e-11) };
    let error = Simulation::<MoreauJean>::new(wheel(), settings, start()).unwrap_err();
    assert!(matches!(error, Error::Solver(_)), "{error}");
}

/// The work of the projection stands in the account, which otherwise is that of the same motion.
#[test]
fn the_projection_is_in_the_account_of_energy() {
    let (model, start) = FourBar::new(Loops::Point).model();
    let settings = ImpulseVelocity::in_steps(0.004, 1e-11);
    let mut motion = Simulation::<ImpulseVelocity>::new(model, settings, start).unwrap();
    let mut sum = 0.0;
    let mut last: Option<StepReport> = None;
    motion
        .run(0.4, |_, report| {
            sum += report.projection_work;
            last = Some(report.clone());
        })
        .unwrap();
    let last = last.unwrap();
    assert!(sum.abs() > 1e-12, "the loop drifts: {sum}");
    assert!((last.energy.projected - sum).abs() < 1e-15, "{:?}", last.energy);
    let state = motion.state();
    let energy = motion.model().system().energy(&state.coordinates, &state.velocity);
    assert!((last.energy_after - energy).abs() < 1e-14, "{last:?}");
}
