//! Free motion of articulated systems over long times conserves energy and momentum.
//!
//! Coordinates and velocities are integrated by the classical Runge–Kutta method. Its errors, and so the drift of
//! every invariant, decrease with the fourth power of the step.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use nalgebra::{DVector, Isometry3, Vector3};
use percussion_dynamics::{Articulated, Joint, Kinematics, Link, MassProperties, System};

struct State {
    q: DVector<f64>,
    v: DVector<f64>,
}

/// `(q̇, v̇)` by articulated bodies.
fn rates(system: &Articulated, kinematics: &mut Kinematics, state: &State) -> State {
    let State { q, v } = state;
    let mut rates = State { q: DVector::zeros(q.len()), v: DVector::zeros(v.len()) };
    let mut forces = vec![0.0; v.len()];
    system.add_joint_forces(q.as_slice(), v.as_slice(), &mut forces).unwrap();
    kinematics.update(q.as_slice(), v.as_slice()).unwrap();
    kinematics.forward_dynamics(&forces, rates.v.as_mut_slice()).unwrap();
    system.coordinate_rate(q.as_slice(), v.as_slice(), rates.q.as_mut_slice());
    rates
}

fn step(system: &Articulated, kinematics: &mut Kinematics, state: &State, h: f64) -> State {
    let moved =
        |rate: &State, h: f64| State { q: &state.q + h * &rate.q, v: &state.v + h * &rate.v };
    let a = rates(system, kinematics, state);
    let b = rates(system, kinematics, &moved(&a, 0.5 * h));
    let c = rates(system, kinematics, &moved(&b, 0.5 * h));
    let d = rates(system, kinematics, &moved(&c, h));
    let mean = State {
        q: (a.q + 2.0 * b.q + 2.0 * c.q + d.q) / 6.0,
        v: (a.v + 2.0 * b.v + 2.0 * c.v + d.v) / 6.0,
    };
    moved(&mean, h)
}

/// A free trunk with a leg on a ball joint, a leg on two hinges, and a sliding mass.
fn robot(gravity: Vector3<f64>) -> Articulated {
    let solid =
        |mass, x, y, z| {
            MassProperties::solid_box(mass, &Vector3::new(x, y, z))
                .unwrap()
                .translated(&Vector3::new(0.05, -0.02, -0.5 * z))
        };
    let oblique = Vector3::new(1.0, 2.0, -0.5);
    let links = vec![
        Link::new("trunk", Joint::free()).with_mass(solid(5.0, 0.6, 0.4, 0.3)),
        Link::new("leg", Joint::spherical().with_spring(&[4.0; 3], &[1.0, 0.0, 0.0, 0.0]))
            .on("trunk")
            .at(Isometry3::new(Vector3::new(0.2, 0.1, -0.3), Vector3::new(0.3, 0.0, 0.2)))
            .with_mass(solid(1.0, 0.1, 0.2, 0.6)),
        Link::new("thigh", Joint::revolute(oblique))
            .on("trunk")
            .at(Isometry3::translation(-0.2, 0.0, -0.3))
            .with_mass(solid(1.0, 0.1, 0.1, 0.4)),
        Link::new("shank", Joint::revolute(Vector3::y()))
            .on("thigh")
            .at(Isometry3::translation(0.0, 0.0, -0.4))
            .with_mass(solid(0.7, 0.1, 0.1, 0.4)),
        Link::new("bob", Joint::prismatic(oblique).with_spring(&[30.0], &[0.1]))
            .on("shank")
            .with_mass(solid(0.3, 0.1, 0.1, 0.1)),
    ];
    Articulated::new(links, gravity).unwrap()
}

fn start(system: &Articulated) -> State {
    let q = DVector::from_vec(system.neutral_coordinates());
    let n = system.velocity_count();
    State { q, v: DVector::from_fn(n, |k, _| [0.9, -1.1, 0.5, 0.8, -0.6][k % 5]) }
}

/// Drift of energy, linear momentum and angular momentum about the center of mass, relative to their
/// size, after `steps` steps of `h`; gravity adds `m g t` to the linear momentum.
fn drift(system: &Articulated, steps: u32, h: f64) -> [f64; 3] {
    let mut kinematics = system.kinematics();
    let mut state = start(system);
    let mut invariants = |state: &State| {
        kinematics.update(state.q.as_slice(), state.v.as_slice()).unwrap();
        let energy = system.energy(state.q.as_slice(), state.v.as_slice());
        (energy, kinematics.centroidal_momentum())
    };
    let (energy, momentum) = invariants(&state);
    let mut scratch = system.kinematics();
    for _ in 0..steps {
        state = step(system, &mut scratch, &state, h);
    }
    let (energy_end, momentum_end) = invariants(&state);
    let gained = system.gravity() * (system.mass() * h * f64::from(steps));
    [
        (energy_end - energy).abs() / energy.abs(),
        (momentum_end.linear - momentum.linear - gained).norm() / momentum.linear.norm(),
        (momentum_end.angular - momentum.angular).norm() / momentum.angular.norm(),
    ]
}

#[test]
fn a_floating_robot_keeps_energy_and_momentum_over_fifty_seconds() {
    let system = robot(Vector3::zeros());
    let [energy, linear, angular] = drift(&system, 25_000, 2e-3);
    println!("drift after 50 s: energy {energy:e}, momentum {linear:e}, {angular:e}");
    // With rates up to 10 rad/s the error of a step is (h ω)⁵/120 ≈ 3e-11 of the state; 25,000 steps add up to at
    // most 7e-7.
    assert!(energy < 7e-7 && linear < 7e-7 && angular < 7e-7, "{energy} {linear} {angular}");
}

#[test]
fn a_falling_robot_gains_the_momentum_of_gravity() {
    let system = robot(Vector3::new(0.3, 0.0, -9.81));
    let [energy, linear, angular] = drift(&system, 5_000, 2e-3);
    println!("drift after 10 s: energy {energy:e}, momentum {linear:e}, {angular:e}");
    assert!(energy < 2e-7 && linear < 2e-7 && angular < 2e-7, "{energy} {linear} {angular}");
}

#[test]
fn the_drift_shrinks_with_the_fourth_power_of_the_step() {
    let system = robot(Vector3::zeros());
    let [coarse, fine] = [(100, 0.02), (200, 0.01)].map(|(steps, h)| drift(&system, steps, h));
    for (name, (coarse, fine)) in
        ["energy", "linear", "angular"].iter().zip(coarse.iter().zip(fine))
    {
        let order = (coarse / fine).log2();
        println!("{name}: {coarse:e} {fine:e} order {order:.2}");
        // The global error is of order four. The energy that an oscillation loses is of order five, and coarse steps
        // show a mixture.
        assert!((3.5..5.5).contains(&order), "{name}: order {order}");
    }
}

/// A double pendulum on a chaotic path conserves its energy.
#[test]
fn a_double_pendulum_keeps_its_energy_over_a_hundred_seconds() {
    let rod = MassProperties::thin_rod(1.0, 1.0).unwrap().translated(&Vector3::new(0.5, 0.0, 0.0));
    let links = vec![
        Link::new("upper", Joint::revolute(Vector3::z())).with_mass(rod),
        Link::new("lower", Joint::revolute(Vector3::z()))
            .on("upper")
            .at(Isometry3::translation(1.0, 0.0, 0.0))
            .with_mass(rod),
    ];
    let system = Articulated::new(links, Vector3::new(0.0, -9.81, 0.0)).unwrap();
    let mut kinematics = system.kinematics();
    let mut state =
        State { q: DVector::from_vec(vec![1.5, 0.7]), v: DVector::from_vec(vec![0.0, 0.0]) };
    let energy = |state: &State| system.energy(state.q.as_slice(), state.v.as_slice());
    let (before, scale) = (energy(&state), 2.0 * 9.81);
    for _ in 0..100_000 {
        state = step(&system, &mut kinematics, &state, 1e-3);
    }
    let drift = (energy(&state) - before).abs() / scale;
    println!("drift after 100 s: {drift:e}");
    // Rates reach 15 rad/s: (h ω)⁵/120 ≈ 6e-12 a step, 6e-7 for 100,000 of them.
    assert!(drift < 6e-7, "{drift}");
}
