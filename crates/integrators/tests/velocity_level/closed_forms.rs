//! Motions whose end is known.

use nalgebra::{DMatrix, DVector, Isometry3, Matrix3, Vector2, Vector3};
use percussion_complementarity::friction::{Law, Status};
use percussion_dynamics::gap::{Plane, Sphere, SpherePlane};
use percussion_dynamics::{
    Articulated, Body, ContactSet, FreeBodies, Joint, Link, MassProperties, PlanarBodies,
    PlanarBody, System, constraint::Distance,
};
use percussion_integrators::{
    Contact, Model, Simulation, State, Work,
    impulse_velocity::{self, ImpulseVelocity},
    moreau_jean::{self, MoreauJean},
};

use crate::scenes::{at, ball, ball_at, balls, boxes};

const LAWS: [Law; 2] = [Law::Coulomb, Law::MaximumDissipation];

fn settings(step_size: f64, law: Law) -> impulse_velocity::Settings {
    impulse_velocity::Settings { step_size, law, ..Default::default() }
}

fn jean(step_size: f64, law: Law) -> moreau_jean::Settings {
    moreau_jean::Settings { step_size, law, ..Default::default() }
}

/// `v = −g t` for both; the semi-implicit fall is `g h² n (n + 1)/2`, that of θ = 1/2 `g t²/2`.
#[test]
fn a_free_fall_is_that_of_the_scheme() {
    let start = ball_at(10.0, [0.0; 6]);
    let mut semi =
        Simulation::<ImpulseVelocity>::new(ball(0.3), settings(0.01, Law::Coulomb), start.clone())
            .unwrap();
    let mut theta =
        Simulation::<MoreauJean>::new(ball(0.3), jean(0.01, Law::Coulomb), start).unwrap();
    semi.run(1.0, |_, _| ()).unwrap();
    theta.run(1.0, |_, _| ()).unwrap();
    for (state, fall) in [(semi.state(), 9.81 * 1e-4 * 5050.0), (theta.state(), 0.5 * 9.81)] {
        // Sums of a hundred numbers of size ten.
        assert!((state.velocity[2] + 9.81).abs() < 1e-12);
        assert!((state.coordinates[2] - 10.0 + fall).abs() < 1e-12);
    }
}

/// A sliding ball rolls in the end at five sevenths of its speed, whatever friction and step.
#[test]
fn a_sliding_ball_ends_rolling() {
    for law in LAWS {
        for friction in [0.1, 0.4] {
            let start = ball_at(0.1, [7.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
            let settings = settings(0.01, law);
            let mut semi =
                Simulation::<ImpulseVelocity>::new(ball(friction), settings, start.clone())
                    .unwrap();
            semi.run(3.0, |_, _| ()).unwrap();
            let mut theta =
                Simulation::<MoreauJean>::new(ball(friction), jean(0.01, law), start).unwrap();
            theta.run(3.0, |_, _| ()).unwrap();
            for state in [semi.state(), theta.state()] {
                // 300 steps, each right to 1e-8 of 7 m/s.
                assert!(
                    (state.velocity[0] - 5.0).abs() < 3e-5,
                    "{law:?} {friction}: {:?}",
                    state.velocity
                );
                assert!((state.velocity[4] - 50.0).abs() < 3e-4);
            }
        }
    }
}

/// A point on a slope: `v = g (sin α − μ cos α) t` beyond the angle of friction, none below.
#[test]
fn a_block_slides_exactly_when_the_slope_is_steeper_than_the_friction() {
    let angle = 0.4_f64;
    for law in LAWS {
        for excess in [-1e-3, 1e-3] {
            let friction = angle.tan() - excess;
            let gravity = 10.0 * Vector2::new(-angle.sin(), -angle.cos());
            let block = PlanarBodies::new(vec![PlanarBody::new(3.0, 1.0)], gravity).unwrap();
            let ground = Plane::new(&Vector3::y(), &Vector3::zeros()).unwrap();
            let foot = SpherePlane::new(Sphere::of_body(0, 0.0), ground).unwrap();
            let model = Model::new(Box::new(block), vec![Contact::new(foot, friction)]).unwrap();
            let state = State { time: 0.0, coordinates: vec![0.0; 3], velocity: vec![0.0; 3] };
            let mut integrator =
                Simulation::<ImpulseVelocity>::new(model, settings(0.01, law), state).unwrap();
            integrator.run(1.0, |_, _| ()).unwrap();
            let expected = -10.0 * (angle.sin() - friction * angle.cos()).max(0.0);
            assert!((integrator.state().velocity[0] - expected).abs() < 1e-6, "{law:?} {excess}");
        }
    }
}

/// Each joint of a stack of `n` boxes carries the weight above it, shared by two corners, and nothing moves.
#[test]
fn a_stack_at_rest_stays_and_carries_its_weight() {
    for law in LAWS {
        let (model, state) = boxes(4, 0.5, 0.2);
        let mut integrator =
            Simulation::<ImpulseVelocity>::new(model, settings(0.01, law), state.clone()).unwrap();
        for _ in 0..100 {
            let report = integrator.step().unwrap();
            assert!(report.penetration < 1e-7);
            for (box_, pair) in report.contacts.chunks(2).enumerate() {
                let weight = 0.1 * (4 - box_) as f64;
                let sum = pair[0].impulse + pair[1].impulse;
                // Velocities are right to 1e-8 of 0.1 m/s, and W⁻¹ of a stack of four is some tens of kg.
                assert!((sum.x - weight * 0.2_f64.cos()).abs() < 1e-6, "{sum}");
                assert!((sum.y - weight * 0.2_f64.sin()).abs() < 1e-6, "{sum}");
            }
        }
        let end = integrator.state();
        let moved = end.coordinates.iter().zip(&state.coordinates).map(|(a, b)| (a - b).abs());
        assert!(moved.fold(0.0, f64::max) < 1e-7);
    }
}

/// Two balls without gravity: the struck one takes half of the velocity, or with `e` the part `(1 + e)/2`.
#[test]
fn a_direct_hit_shares_momentum_by_newton() {
    let start = || at(&[[0.0, 0.0, 5.0], [0.35, 0.0, 5.0]], [1.0, 0.0, 0.0]);
    let model = |restitution| {
        balls(2, 0.3, 0.0, |all| all.iter_mut().for_each(|one| one.restitution = restitution))
    };
    let mut semi =
        Simulation::<ImpulseVelocity>::new(model(0.0), settings(0.01, Law::Coulomb), start())
            .unwrap();
    semi.run(0.5, |_, _| ()).unwrap();
    assert!(
        (semi.state().velocity[0] - 0.5).abs() < 1e-8
            && (semi.state().velocity[6] - 0.5).abs() < 1e-8
    );
    for e in [0.0, 0.6, 1.0] {
        let settings = jean(0.01, Law::Coulomb);
        let mut theta = Simulation::<MoreauJean>::new(model(e), settings, start()).unwrap();
        theta
            .run(0.5, |_, report| assert!(report.energy_after <= report.energy_before + 1e-8))
            .unwrap();
        assert!((theta.state().velocity[6] - 0.5 * (1.0 + e)).abs() < 1e-8, "e = {e}");
        assert!((theta.state().velocity[0] + theta.state().velocity[6] - 1.0).abs() < 1e-14);
    }
}

/// A gap closes within a step to zero and no further; a penetration goes by the factor `1 − ε` a step.
#[test]
fn gaps_close_exactly_and_penetrations_are_reduced_by_their_part() {
    let mut falls = Simulation::<ImpulseVelocity>::new(
        ball(0.3),
        settings(0.1, Law::Coulomb),
        ball_at(0.15, [0.0, 0.0, -3.0, 0.0, 0.0, 0.0]),
    )
    .unwrap();
    let report = falls.step().unwrap();
    assert!(report.contacts[0].gap.abs() < 1e-9);
    assert!((report.contacts[0].velocity.x + 0.5).abs() < 1e-8);
    for error_reduction in [0.0, 0.2, 1.0] {
        let settings =
            impulse_velocity::Settings { error_reduction, ..settings(0.01, Law::Coulomb) };
        let mut sunk =
            Simulation::<ImpulseVelocity>::new(ball(0.3), settings, ball_at(0.09, [0.0; 6]))
                .unwrap();
        for steps in 1..=5 {
            let depth = 0.01 * (1.0 - error_reduction).powi(steps);
            assert!((sunk.step().unwrap().penetration - depth).abs() < 1e-8, "{error_reduction}");
        }
    }
}

/// A body of three different moments of inertia tumbles freely; errors against a fine step show the order.
#[test]
fn smooth_motion_is_of_first_and_of_second_order() {
    let model = || {
        let body = Body::new(1.0, Matrix3::from_diagonal(&Vector3::new(1.0, 2.0, 3.0)));
        let bodies = FreeBodies::new(vec![body], Vector3::zeros()).unwrap();
        Model::new(Box::new(bodies), vec![]).unwrap()
    };
    let start = || State {
        time: 0.0,
        coordinates: vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
        velocity: vec![0.0, 0.0, 0.0, 1.0, 0.7, -0.4],
    };
    let semi = |h: f64| {
        let mut run =
            Simulation::<ImpulseVelocity>::new(model(), settings(h, Law::Coulomb), start())
                .unwrap();
        run.run(1.0, |_, _| ()).unwrap();
        run.state().velocity.clone()
    };
    let theta = |h: f64, implicitness: f64| {
        let settings = moreau_jean::Settings {
            implicitness,
            iteration_tolerance: Some(1e-14),
            ..jean(h, Law::Coulomb)
        };
        let mut run = Simulation::<MoreauJean>::new(model(), settings, start()).unwrap();
        run.run(1.0, |_, _| ()).unwrap();
        run.state().velocity.clone()
    };
    let exact = theta(1.0 / 2048.0, 0.5);
    let error =
        |found: Vec<f64>| found.iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let order = |coarse: f64, fine: f64| (coarse / fine).log2();
    assert!((order(error(semi(0.02)), error(semi(0.01))) - 1.0).abs() < 0.1);
    assert!((order(error(theta(0.02, 1.0)), error(theta(0.01, 1.0))) - 1.0).abs() < 0.1);
    assert!((order(error(theta(0.02, 0.5)), error(theta(0.01, 0.5))) - 2.0).abs() < 0.1);
}

/// A ball drops: both schemes find the time-averaged motion of the impact with errors of first order in the step.
#[test]
fn impacts_are_of_first_order() {
    // Falls 0.2 m, then rests: at 0.5 s the height is 0.1 m; with e = 1/2 on its flight up.
    let flight = |e: f64| {
        let impact = (0.4_f64 / 9.81).sqrt();
        let (up, after) = (e * 9.81 * impact, 0.35 - impact);
        0.1 + (up * after - 0.5 * 9.81 * after * after).max(0.0)
    };
    let start = ball_at(0.3, [0.0; 6]);
    let error = |h: f64| {
        let model = balls(1, 0.3, 9.81, |all| all[0].restitution = 0.5);
        let mut theta =
            Simulation::<MoreauJean>::new(model, jean(h, Law::Coulomb), start.clone()).unwrap();
        theta.run(0.35, |_, _| ()).unwrap();
        (theta.state().coordinates[2] - flight(0.5)).abs()
    };
    // The impact is seen up to a step late, at 2 m/s and with a jump of 3 m/s.
    for h in [0.01, 0.001, 0.0001] {
        assert!(error(h) < 3.0 * h, "{h}: {}", error(h));
    }
}

/// A pendulum of a rigid rod: the length stays within what a step stretches it by, `h² v²/(2 ε l)`.
#[test]
fn constraints_hold_up_to_what_a_step_stretches() {
    let model = || {
        let body =
            PlanarBodies::new(vec![PlanarBody::new(1.0, 1.0)], Vector2::new(0.0, -10.0)).unwrap();
        let pivot = percussion_dynamics::Anchor::in_world(Vector3::zeros());
        let weight = percussion_dynamics::Anchor::on_body(0, Vector3::zeros());
        let rod = Distance::new(weight, pivot, 1.0).unwrap();
        Model::new(Box::new(body), vec![]).unwrap().with_constraints(vec![Box::new(rod)]).unwrap()
    };
    let start = || State { time: 0.0, coordinates: vec![1.0, 0.0, 0.0], velocity: vec![0.0; 3] };
    let h: f64 = 0.005;
    let bound = h * h * 20.0 / (2.0 * 0.2) * 1.5;
    let mut semi =
        Simulation::<ImpulseVelocity>::new(model(), settings(h, Law::Coulomb), start()).unwrap();
    semi.run(2.0, |_, report| {
        assert!(report.constraint_error < bound, "{}", report.constraint_error);
    })
    .unwrap();
    let mut theta = Simulation::<MoreauJean>::new(model(), jean(h, Law::Coulomb), start()).unwrap();
    theta
        .run(2.0, |_, report| {
            assert!(report.constraint_error < bound, "{}", report.constraint_error);
        })
        .unwrap();
}

/// The multipliers of a step are those of all impulses, of weight and contacts.
#[test]
fn a_ball_on_a_joint_is_carried_by_the_joint() {
    let model = || {
        let joint = percussion_dynamics::constraint::BallJoint::new(
            percussion_dynamics::Anchor::on_body(0, Vector3::zeros()),
            percussion_dynamics::Anchor::in_world(Vector3::new(0.0, 0.0, 0.1)),
        );
        ball(0.3).with_constraints(vec![Box::new(joint.unwrap())]).unwrap()
    };
    let start = || ball_at(0.1, [0.0; 6]);
    let mut semi =
        Simulation::<ImpulseVelocity>::new(model(), settings(0.01, Law::Coulomb), start()).unwrap();
    let mut theta =
        Simulation::<MoreauJean>::new(model(), jean(0.01, Law::Coulomb), start()).unwrap();
    for report in [semi.step().unwrap(), theta.step().unwrap()] {
        let [x, y, z] = report.constraint_impulses[..] else { panic!("three rows: {report:?}") };
        // m g h = 2 · 9.81 · 0.01 N·s.
        assert!((z - 0.1962).abs() < 1e-14 && x.abs() + y.abs() < 1e-15, "{x} {y} {z}");
    }
}

/// The passes of a step divide by the masses of the first one, and end where the equation holds with those of the last.
#[test]
fn a_step_of_moreau_and_jean_satisfies_its_equation_of_motion() {
    let rod = MassProperties::solid_box(1.0, &Vector3::new(1.0, 0.1, 0.1)).unwrap();
    let hinge = |name: &str| {
        let joint = Joint::revolute(Vector3::y()).with_damping(&[0.05]);
        Link::new(name, joint).with_mass(rod.translated(&Vector3::new(0.5, 0.0, 0.0)))
    };
    let forearm = hinge("forearm").on("arm").at(Isometry3::translation(1.0, 0.0, 0.0));
    let gravity = Vector3::new(0.0, 0.0, -9.81);
    let system = || Articulated::new(vec![hinge("arm"), forearm.clone()], gravity).unwrap();
    let floor = Plane::new(&Vector3::z(), &Vector3::new(0.0, 0.0, -0.9)).unwrap();
    let tip = Sphere::on_body(1, Vector3::new(1.0, 0.0, 0.0), 0.05);
    let contact = Contact::new(SpherePlane::new(tip, floor).unwrap(), 0.3);
    let model = Model::new(Box::new(system()), vec![contact]).unwrap();
    let start = State { time: 0.0, coordinates: vec![0.1, 0.9], velocity: vec![3.0, 8.0] };
    let h = 0.01;
    // Velocities are those of the last pass but one within 2e-11 rad/s, and masses below 2 kg m².
    let settings =
        moreau_jean::Settings { iteration_tolerance: Some(1e-13), ..jean(h, Law::Coulomb) };
    let mut motion = Simulation::<MoreauJean>::new(model, settings, start).unwrap();
    let (mut struck, mut most) = (0, 0);
    for _ in 0..60 {
        let State { coordinates, velocity, time } = motion.state().clone();
        let report = motion.step().unwrap();
        let Work::RoundCones(work) = report.work else { panic!("{report:?}") };
        most = most.max(work.passes);
        let end = &motion.state().velocity;
        let along = |share: f64, from: &[f64], to: &[f64]| -> Vec<f64> {
            from.iter().zip(to).map(|(a, b)| (1.0 - share) * a + share * b).collect()
        };
        let system = system();
        let middle_velocity = along(0.5, &velocity, end);
        let moved = |share: f64, velocity: &[f64]| {
            let tangent: Vec<f64> = velocity.iter().map(|v| share * h * v).collect();
            let mut moved = coordinates.clone();
            system.retract(&coordinates, &tangent, &mut moved);
            moved
        };
        let middle = moved(0.5, &middle_velocity);
        let mut mass = DMatrix::zeros(2, 2);
        system.mass_matrix(&middle, &mut mass);
        let mut forces = DVector::zeros(2);
        system.smooth_forces(&middle, &middle_velocity, time, forces.as_mut_slice());
        let change = DVector::from_fn(2, |k, _| end[k] - velocity[k]);
        let mut impulse = DVector::zeros(2);
        for contact in &report.contacts {
            struck += usize::from(contact.impulse.x > 0.0);
            let mut set = ContactSet::for_system(&system);
            let gap = motion.contacts().as_slice()[contact.contact].gap.as_ref();
            set.push_gap(&system, &moved(0.5, &velocity), gap, 0.3, 0.0).unwrap();
            set.generalized_impulse(contact.impulse.as_slice(), impulse.as_mut_slice()).unwrap();
        }
        let missing = mass * change - forces * h - impulse;
        assert!(missing.amax() < 1e-10, "{missing}");
    }
    assert!(struck > 5 && most > 3, "{struck} {most}");
}

/// Impulses that still solve the problem are kept, and judged as the whole problem would judge them.
#[test]
fn a_step_at_rest_needs_no_sweep() {
    let start = ball_at(0.1, [0.0; 6]);
    let mut motion =
        Simulation::<MoreauJean>::new(ball(0.3), jean(0.01, Law::Coulomb), start).unwrap();
    motion.step().unwrap();
    for _ in 0..3 {
        let report = motion.step().unwrap();
        let Work::RoundCones(work) = report.work else { panic!("{report:?}") };
        assert_eq!((work.sweeps, report.status), (0, Status::Solved));
        assert!((report.contacts[0].impulse.x - 0.1962).abs() < 1e-9);
        let document = motion.document().unwrap();
        let solved = document.solve().unwrap();
        assert_eq!(solved.impulses, [report.contacts[0].impulse]);
        assert_eq!(solved.report.iterations, 0);
        assert!((solved.report.relative_residual - report.relative_residual).abs() < 1e-14);
    }
}
