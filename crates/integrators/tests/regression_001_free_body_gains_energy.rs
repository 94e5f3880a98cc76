//! A free body gained energy while nothing touched it.
//!
//! Symptom: a body with the moments 1, 2 and 3 kg·m², turning at (1, 20, 1) rad/s in steps of 10 ms, went from 402 J
//! to 1385 J within a second by the schemes of Stewart and Trinkle and of Preclik, Eibl and Rüde.
//! Cause: the gyroscopic torque was taken explicitly, and by the former with the inertia of a predicted position.
//! Expected: without torque the kinetic energy and the magnitude of the angular momentum do not change, by any step.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use nalgebra::{Matrix3, Vector3};
use percussion_dynamics::{Body, FreeBodies, System};
use percussion_integrators::{
    Model, Simulation, State,
    impulse_velocity::{self, ImpulseVelocity},
    moreau_jean::{self, MoreauJean},
    stewart_trinkle::{self, StewartTrinkle},
};

fn bodies(torque: Vector3<f64>) -> FreeBodies {
    let inertia = Matrix3::from_diagonal(&Vector3::new(1.0, 2.0, 3.0));
    FreeBodies::new(vec![Body::new(1.0, inertia).with_torque(torque)], Vector3::zeros()).unwrap()
}

fn model() -> Model {
    Model::new(Box::new(bodies(Vector3::zeros())), vec![]).unwrap()
}

fn start() -> State {
    let coordinates = vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    State { time: 0.0, coordinates, velocity: vec![0.0, 0.0, 0.0, 1.0, 20.0, 1.0] }
}

type Scheme = fn(Model, f64, f64, &mut dyn FnMut(&State)) -> State;

fn by_impulse_velocity(model: Model, h: f64, end: f64, see: &mut dyn FnMut(&State)) -> State {
    let settings = impulse_velocity::Settings { step_size: h, ..Default::default() };
    let mut motion = Simulation::<ImpulseVelocity>::new(model, settings, start()).unwrap();
    motion.run(end, |state, _| see(state)).unwrap();
    motion.state().clone()
}

fn by_stewart_trinkle(model: Model, h: f64, end: f64, see: &mut dyn FnMut(&State)) -> State {
    let settings = stewart_trinkle::Settings { step_size: h, ..Default::default() };
    let mut motion = Simulation::<StewartTrinkle>::new(model, settings, start()).unwrap();
    motion.run(end, |state, _| see(state)).unwrap();
    motion.state().clone()
}

const SCHEMES: [(&str, Scheme); 2] =
    [("impulse-velocity", by_impulse_velocity), ("stewart-trinkle", by_stewart_trinkle)];

#[test]
fn energy_and_the_magnitude_of_the_angular_momentum_do_not_change() {
    let system = bodies(Vector3::zeros());
    let State { coordinates, velocity, .. } = start();
    let energy = system.kinetic_energy(&coordinates, &velocity);
    let momentum = system.angular_momentum(&coordinates, &velocity).norm();
    for (name, scheme) in SCHEMES {
        // Up to 20 rad in a step, which has hardly to do with the motion but must not gain energy.
        for step in [0.001, 0.01, 0.1, 1.0] {
            let mut worst = 0.0_f64;
            scheme(model(), step, 10.0, &mut |state| {
                let State { coordinates, velocity, .. } = state;
                let now = system.kinetic_energy(coordinates, velocity);
                let spin = system.angular_momentum(coordinates, velocity).norm();
                worst = worst.max((now / energy - 1.0).abs()).max((spin / momentum - 1.0).abs());
            });
            // Some twenty roundings in each of at most 10 000 steps, in which the inertia is turned anew.
            assert!(worst < 20.0 * 1e4 * f64::EPSILON, "{name} in steps of {step} s: {worst:e}");
        }
    }
}

/// The angular momentum keeps its direction to first order.
#[test]
fn the_direction_of_the_angular_momentum_converges() {
    let system = bodies(Vector3::zeros());
    let State { coordinates, velocity, .. } = start();
    let momentum = system.angular_momentum(&coordinates, &velocity);
    for (name, scheme) in SCHEMES {
        let error = |step| {
            let State { coordinates, velocity, .. } = scheme(model(), step, 1.0, &mut |_| ());
            (system.angular_momentum(&coordinates, &velocity) - momentum).norm()
        };
        let (coarse, fine) = (error(1.0 / 1024.0), error(1.0 / 2048.0));
        let order = (coarse / fine).log2();
        assert!((order - 1.0).abs() < 0.1, "{name}: {coarse:e}, {fine:e}, order {order}");
    }
}

/// A torque does the work `h τ · (ω + ω⁺)/2` in each step.
#[test]
fn a_torque_adds_its_work_and_no_more() {
    let torque = Vector3::new(3.0, -2.0, 5.0);
    let system = bodies(torque);
    for (name, scheme) in SCHEMES {
        let (step, mut before, mut worst) = (0.01, start(), 0.0_f64);
        let model = Model::new(Box::new(bodies(torque)), vec![]).unwrap();
        scheme(model, step, 1.0, &mut |state| {
            let spin = |state: &State| Vector3::from_column_slice(&state.velocity[3..]);
            let energy = |state: &State| system.kinetic_energy(&state.coordinates, &state.velocity);
            let work = 0.5 * step * torque.dot(&(spin(&before) + spin(state)));
            worst = worst.max((energy(state) - energy(&before) - work).abs());
            before = state.clone();
        });
        // Roundings of energies of up to 1000 J.
        assert!(worst < 1000.0 * 20.0 * f64::EPSILON, "{name}: {worst:e}");
    }
}

/// The θ-method evaluates the torque in the middle of the step: its error of energy is of second order.
#[test]
fn the_energy_of_the_theta_method_converges_with_the_square_of_the_step() {
    let system = bodies(Vector3::zeros());
    let energy = system.kinetic_energy(&start().coordinates, &start().velocity);
    let error = |step_size| {
        let settings = moreau_jean::Settings { step_size, ..Default::default() };
        let mut motion = Simulation::<MoreauJean>::new(model(), settings, start()).unwrap();
        let mut worst = 0.0_f64;
        let see = |state: &State, _: &_| {
            let now = system.kinetic_energy(&state.coordinates, &state.velocity);
            worst = worst.max((now - energy).abs());
        };
        motion.run(1.0, see).unwrap();
        worst
    };
    let (coarse, fine) = (error(0.01), error(0.005));
    let order = (coarse / fine).log2();
    assert!((order - 2.0).abs() < 0.2, "{coarse:e}, {fine:e}, order {order}");
}
