//! The same motion in other units of mass, length and time, by every scheme in steps and by compliant contacts: the same
//! statuses and the same answer, with the default settings.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use nalgebra::{Vector2, Vector3};
use percussion_dynamics::{
    PlanarBodies, PlanarBody,
    compliant::{FrictionLaw, Law, NormalLaw},
    gap::{Plane, Sphere, SpherePlane, SphereSphere, rounded_rod_plane},
};
use percussion_impact::propagative::Propagative;
use percussion_integrators::{
    Contact, Model, Simulation, State, compliant,
    impulse_velocity::{self, ImpulseVelocity},
    moreau_jean::{self, MoreauJean},
    stewart_trinkle::{self, StewartTrinkle},
    variational::{self, Variational},
};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Units of length, mass and time.
type Units = [f64; 3];

/// Steps of a motion, of 2 ms: before an impact that the law of propagation does not resolve.
const STEPS: usize = 250;

fn floor() -> Plane {
    Plane::new(&Vector3::y(), &Vector3::zeros()).unwrap()
}

fn system([length, mass, time]: Units) -> PlanarBodies {
    let inertia = mass * length * length;
    let bodies = vec![
        PlanarBody::new(2.0 * mass, 0.3 * inertia),
        PlanarBody::new(0.7 * mass, 0.02 * inertia),
    ];
    PlanarBodies::new(bodies, Vector2::new(0.0, -9.81 * length / time / time)).unwrap()
}

/// A rod that falls onto its ends, slides and comes to rest, beside a ball that falls on it and then on the floor.
fn contacts([length, ..]: Units) -> Vec<Contact> {
    let rod = rounded_rod_plane(0, 1.0 * length, 0.1 * length, floor()).unwrap();
    let mut contacts: Vec<_> =
        rod.into_iter().map(|end| Contact::new(end, 0.4).with_restitution(0.3)).collect();
    let ball = Sphere::of_body(1, 0.2 * length);
    contacts
        .push(Contact::new(SpherePlane::new(ball, floor()).unwrap(), 0.3).with_restitution(0.5));
    let end = Sphere::on_body(0, Vector3::x() * (0.5 * length), 0.1 * length);
    contacts.push(Contact::new(SphereSphere::new(ball, end).unwrap(), 0.2).with_restitution(0.4));
    contacts
}

fn start([length, _, time]: Units) -> State {
    let speed = length / time;
    State {
        time: 0.0,
        coordinates: vec![0.0, 0.6 * length, 0.35, 0.75 * length, 1.7 * length, 0.0],
        velocity: vec![0.5 * speed, 0.0, 0.8 / time, 0.1 * speed, -0.3 * speed, 0.0],
    }
}

/// A state as multiples of its units.
fn dimensionless(coordinates: &[f64], velocity: &[f64], [length, _, time]: Units) -> Vec<f64> {
    let positions = coordinates.iter().enumerate();
    let positions = positions.map(|(k, q)| if k % 3 == 2 { *q } else { q / length });
    let speeds = velocity.iter().enumerate();
    let speeds = speeds.map(|(k, v)| if k % 3 == 2 { v * time } else { v * time / length });
    positions.chain(speeds).collect()
}

/// How a motion ended, and where.
type End = (String, Vec<f64>);

/// Takes all steps, or as many as succeed.
fn steps<E: std::fmt::Debug>(mut step: impl FnMut() -> Result<bool, E>) -> String {
    for taken in 0..STEPS {
        match step() {
            Ok(false) => {}
            Ok(true) => return format!("energy gained in step {taken}"),
            Err(error) => {
                let text = format!("{error:?}");
                let name = text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
                return format!("{name} in step {taken}");
            }
        }
    }
    "completed".to_owned()
}

fn by_stewart_and_trinkle(units: Units) -> End {
    let model = Model::new(Box::new(system(units)), contacts(units)).unwrap();
    let settings = stewart_trinkle::Settings {
        step_size: 0.002 * units[2],
        ..stewart_trinkle::Settings::planar()
    };
    let mut motion = Simulation::<StewartTrinkle>::new(model, settings, start(units)).unwrap();
    let status = steps(|| motion.step().map(|report| report.energy.is_breached()));
    (status, dimensionless(&motion.state().coordinates, &motion.state().velocity, units))
}

fn by_impulses_and_velocities(units: Units) -> End {
    let model = Model::new(Box::new(system(units)), contacts(units)).unwrap();
    let settings = impulse_velocity::Settings { step_size: 0.002 * units[2], ..Default::default() };
    let mut motion = Simulation::<ImpulseVelocity>::new(model, settings, start(units)).unwrap();
    let status = steps(|| motion.step().map(|report| report.energy.is_breached()));
    (status, dimensionless(&motion.state().coordinates, &motion.state().velocity, units))
}

fn by_moreau_and_jean(units: Units) -> End {
    let model = Model::new(Box::new(system(units)), contacts(units)).unwrap();
    let settings = moreau_jean::Settings { step_size: 0.002 * units[2], ..Default::default() };
    let mut motion = Simulation::<MoreauJean>::new(model, settings, start(units)).unwrap();
    let status = steps(|| motion.step().map(|report| report.energy.is_breached()));
    (status, dimensionless(&motion.state().coordinates, &motion.state().velocity, units))
}

fn by_variations(units: Units) -> End {
    let model = Model::lagrangian(Box::new(system(units)), contacts(units)).unwrap();
    let settings = variational::Settings { step_size: 0.002 * units[2], ..Default::default() };
    // Elastic impacts magnify rounding with each of them.
    let law = Box::new(Propagative { restitution: 0.3, ..Propagative::default() });
    let mut motion =
        Simulation::<Variational>::with_law(model, law, settings, start(units)).unwrap();
    let status = steps(|| motion.step().map(|report| report.energy.is_breached()));
    (status, dimensionless(&motion.state().coordinates, &motion.state().velocity, units))
}

/// Springs of 10 kN/m, one unit of mass and time as it were.
fn by_springs(units: Units) -> End {
    let [length, mass, time] = units;
    let normal =
        NormalLaw::with_damping_ratio(1e4 * mass / (time * time), 0.7 * mass, 0.3).unwrap();
    let friction = FrictionLaw::regularized_coulomb(0.4, 1e-2 * length / time).unwrap();
    let law = Law::new(normal, friction);
    let contact = |contact: Contact| compliant::Contact { gap: contact.gap, law };
    let contacts = contacts(units).into_iter().map(contact).collect();
    let model = compliant::Model::new(Box::new(system(units)), contacts).unwrap();
    let State { coordinates, velocity, .. } = start(units);
    let start = model.state(coordinates, velocity).unwrap();
    let settings = compliant::Settings::default();
    let report =
        compliant::integrate(&model, &settings, &start, 0.8 * time, None, &mut |_| ()).unwrap();
    let end = dimensionless(&report.state.coordinates, &report.state.velocity, units);
    (format!("{:?}", report.status), end)
}

/// A scheme, its name, and by how much its answers may differ.
type Scheme = (&'static str, fn(Units) -> End, f64);

/// Steps solve their contact problems to 1e-8 of their velocities, in which rounding decides where an iteration stops, or
/// their positions to 1e-10; a collision of ball and rod magnifies that by some ten. Compliant steps have a tolerance of 1e-8
/// each, and rounding decides which are taken.
const SCHEMES: [Scheme; 5] = [
    ("stewart-trinkle", by_stewart_and_trinkle, 1e-6),
    ("impulse-velocity", by_impulses_and_velocities, 1e-6),
    ("moreau-jean", by_moreau_and_jean, 1e-6),
    ("variational", by_variations, 1e-6),
    ("compliant", by_springs, 1e-5),
];

fn assert_same(units: Units) {
    for (name, scheme, accepted) in SCHEMES {
        let (expected, reference) = scheme([1.0; 3]);
        let (status, state) = scheme(units);
        assert_eq!(status, expected, "{name} {units:?}");
        for (found, expected) in state.iter().zip(&reference) {
            assert!((found - expected).abs() < accepted, "{name} {units:?}: {found} {expected}");
        }
    }
}

#[test]
fn schemes_come_to_their_end() {
    for (name, scheme, _) in SCHEMES {
        let (status, state) = scheme([1.0; 3]);
        assert!(status == "completed" || status == "EndReached", "{name}: {status}");
        assert!(state[1] < 0.6, "{name}: the rod has fallen, {state:?}");
    }
}

#[test]
fn single_units_change_no_status_and_no_answer() {
    for k in 0..3 {
        for factor in [1e-12, 1e12] {
            let mut units = [1.0; 3];
            units[k] = factor;
            assert_same(units);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 8,
        rng_seed: RngSeed::Fixed(1996),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn mixed_units_change_no_status_and_no_answer(powers in prop::array::uniform3(-12.0..12.0_f64)) {
        assert_same(powers.map(|power| 10_f64.powf(power)));
    }
}
