//! The derivative of a step against central differences of steps.

use nalgebra::{Matrix3, Vector3};
use percussion_dynamics::{
    Anchor, Body, FreeBodies,
    constraint::BallJoint,
    gap::{Plane, Sphere, SpherePlane},
};
use percussion_integrators::{
    Contact, Model, Simulation, State,
    impulse_velocity::{
        ImpulseVelocity, Settings,
        derivative::{Cause, Error, FamilyError, derivative},
    },
};
use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};

/// A body on up to four feet, and how everything of it changes with the parameter.
pub(crate) struct Family {
    mass: f64,
    moments: [f64; 3],
    feet: Vec<Vector3<f64>>,
    pub(crate) friction: Vec<f64>,
    /// Zero for `impulse-velocity`, which does not use it.
    pub(crate) restitution: Vec<f64>,
    coordinates: Vec<f64>,
    velocity: Vec<f64>,
    /// Rates of the mass, the gravity, the coefficients, the displacement and the velocity.
    rates: Vec<f64>,
}

pub(crate) fn number(random: &mut ChaCha8Rng) -> f64 {
    (random.next_u64() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

impl Family {
    pub(crate) fn random(random: &mut ChaCha8Rng) -> Self {
        let count = 1 + random.next_u64() % 4;
        // Feet above or below the floor, by more than what the parameter changes.
        let feet = (0..count).map(|_| {
            let depth =
                (5e-4 + 4e-4 * number(random)) * if number(random) < -0.3 { -1.0 } else { 1.0 };
            Vector3::new(number(random), number(random), -0.5 - depth)
        });
        let feet: Vec<_> = feet.collect();
        let coefficient = |random: &mut ChaCha8Rng| match random.next_u64() % 4 {
            0 => 0.0,
            _ => 0.5 + 0.5 * number(random),
        };
        let velocity = (0..6).map(|k| if k == 2 { -1.0 } else { 1.0 } * (0.6 + 0.4 * number(random)) * number(random).signum().powi(i32::from(k != 2)));
        let velocity = velocity.collect();
        Self {
            mass: 2.0 + number(random),
            moments: [(); 3].map(|()| 0.8 + 0.3 * number(random)),
            friction: feet.iter().map(|_| coefficient(random)).collect(),
            restitution: vec![0.0; feet.len()],
            coordinates: vec![0.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0],
            velocity,
            rates: (0..18).map(|_| number(random)).collect(),
            feet,
        }
    }

    /// One foot below the floor, whose normal velocity is zero at `s = 0` and changes with it.
    pub(crate) fn graze(&mut self) {
        self.feet = vec![Vector3::new(0.0, 0.0, -0.51)];
        (self.friction, self.restitution) = (vec![0.5], vec![0.5]);
        self.velocity = vec![1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        self.rates[14] = 1.0;
    }

    pub(crate) fn at(&self, s: f64) -> Result<(Model, State), Cause> {
        let rate = |k: usize| s * self.rates[k];
        let mass = self.mass * (1.0 + rate(0));
        let moments = Vector3::from(self.moments) * (1.0 + rate(0));
        let body = Body::new(mass, Matrix3::from_diagonal(&moments));
        let system = FreeBodies::new(vec![body], Vector3::new(0.0, 0.0, -10.0 + rate(1)))?;
        let mut coordinates = self.coordinates.clone();
        let displacement: Vec<f64> = (0..6).map(|k| 0.01 * rate(6 + k)).collect();
        percussion_dynamics::System::retract(
            &system,
            &self.coordinates,
            &displacement,
            &mut coordinates,
        );
        let floor = Plane::new(&Vector3::z(), &Vector3::zeros())?;
        let feet = self.feet.iter().zip(&self.friction).enumerate().map(|(k, (foot, friction))| {
            let gap = SpherePlane::new(Sphere::on_body(0, *foot, 0.0), floor)?;
            let restitution = self.restitution[k] * (1.0 + rate(5 - k));
            let contact = Contact::new(gap, friction * (1.0 + rate(2 + k)));
            Ok::<_, Cause>(contact.with_restitution(restitution))
        });
        let contacts = feet.collect::<Result<_, _>>()?;
        let velocity = (0..6).map(|k| self.velocity[k] + rate(12 + k)).collect();
        Ok((Model::new(Box::new(system), contacts)?, State { time: 0.0, coordinates, velocity }))
    }

    /// The end of the step, with the impulses.
    fn end(&self, settings: &Settings, s: f64) -> Option<Vec<f64>> {
        let (model, start) = self.at(s).ok()?;
        let mut simulation = Simulation::<ImpulseVelocity>::new(model, *settings, start).ok()?;
        let report = simulation.step().ok()?;
        let state = simulation.state();
        let impulses = report
            .contacts
            .iter()
            .flat_map(|contact| contact.impulse.iter().copied().collect::<Vec<_>>());
        let motion = state.coordinates.iter().chain(&state.velocity).copied();
        Some(motion.chain(impulses).collect())
    }
}

/// Masses, gravity, friction, coordinates and velocities change at once, along a random direction.
#[test]
fn the_derivative_of_a_step_is_the_limit_of_differences() {
    let cases = std::env::var("PERCUSSION_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(400);
    let mut random = ChaCha8Rng::seed_from_u64(6);
    let settings = Settings { step_size: 0.01, tolerance: 1e-12, ..Settings::default() };
    let (mut regular, mut absent, mut noisy, mut worst) = (0, 0, 0, 0.0_f64);
    // Contacts that open, slide and stick.
    let mut modes = [0; 3];
    for case in 0..cases {
        let family = Family::random(&mut random);
        let found = match derivative(&mut |s| family.at(s), &settings, 1e-5) {
            Ok(found) => found,
            Err(Error::Derivative(_) | Error::Contacts { .. }) => {
                absent += 1;
                continue;
            }
            // The solver did not reach the tolerance.
            Err(Error::Step { .. }) => continue,
            Err(other) => panic!("{case}: {other}"),
        };
        let step = 1e-4;
        let sides = [step, -step, 2.0 * step, -2.0 * step].map(|s| family.end(&settings, s));
        let [Some(a), Some(b), Some(far_a), Some(far_b)] = sides else { continue };
        let back = derivative(&mut |s| family.at(-s), &settings, 1e-5).unwrap();
        let reversed = back.velocity.iter().zip(&found.velocity);
        assert!(reversed.clone().all(|(a, b)| (a + b).abs() < 1e-8 * (1.0 + a.abs())), "{case}");
        if found.reach.step.min(back.reach.step) < 20.0 * step
            || [b.len(), far_a.len(), far_b.len()] != [a.len(); 3]
        {
            continue;
        }
        let reach = found.reach;
        let changes = found.contacts.iter().flat_map(|(_, _, change)| change.iter());
        let all: Vec<f64> =
            found.coordinates.iter().chain(&found.velocity).chain(changes).copied().collect();
        assert_eq!(all.len(), a.len(), "{case}");
        let size = all.iter().fold(1.0, |size: f64, x| size.max(x.abs()));
        let near = |k: usize| (a[k] - b[k]) / (2.0 * step);
        let far = |k: usize| (far_a[k] - far_b[k]) / (4.0 * step);
        // Where the operator is nearly singular, the tolerance of the solver shows in the differences.
        if (0..all.len()).any(|k| (near(k) - far(k)).abs() > 2e-6 * size) {
            noisy += 1;
            continue;
        }
        for (k, found) in all.iter().enumerate() {
            // Without the error of second order.
            let difference = (4.0 * near(k) - far(k)) / 3.0;
            let off = (found - difference).abs() / size;
            worst = worst.max(off);
            assert!(off <= 1e-6, "{case}, entry {k}: {found} {difference}, {reach:?}");
        }
        regular += 1;
        for (contact, impulse, _) in &found.contacts {
            let limit = family.friction[*contact] * impulse.x;
            let slides = impulse.yz().norm() > limit * (1.0 - 1e-9);
            modes[if impulse.x <= 0.0 {
                0
            } else if slides {
                1
            } else {
                2
            }] += 1;
        }
    }
    assert!(modes.iter().all(|count| *count > cases / 20), "{modes:?}");
    eprintln!("{regular} regular {modes:?}, {absent} absent, {noisy} noisy, off by {worst:e}");
    assert!(regular > cases * 9 / 10, "{regular}");
}

/// What has no derivative is refused with its reason.
#[test]
fn what_has_no_derivative_is_refused() {
    let settings = Settings { step_size: 0.01, ..Settings::default() };
    let mut random = ChaCha8Rng::seed_from_u64(6);
    let mut family = Family::random(&mut random);
    for increment in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused = derivative(&mut |s| family.at(s), &settings, increment);
        assert!(matches!(refused, Err(Error::Family(FamilyError::Increment(_)))), "{increment}");
    }
    let projected = Settings { projection: true, ..settings };
    let refused = derivative(&mut |s| family.at(s), &projected, 1e-5);
    assert!(matches!(refused, Err(Error::Feature(_))));
    let refused = derivative(&mut |_| Err("none".into()), &settings, 1e-5);
    assert!(matches!(refused, Err(Error::Family(FamilyError::Member { .. }))));
    // A foot that touches: below the floor a part of the overlap is removed, above it the gap has to close.
    family.feet = vec![Vector3::new(0.0, 0.0, -0.5)];
    family.friction = vec![0.5];
    let refused = derivative(&mut |s| family.at(s), &settings, 1e-5);
    assert!(matches!(refused, Err(Error::Gap { contact: 0, .. })), "{refused:?}");
    // One that is at the floor at the end of the step is part of it on one side only.
    family.feet = vec![Vector3::new(0.0, 0.0, -0.5 + 0.02)];
    family.velocity = vec![0.0, 0.0, -2.0 + 0.1, 0.0, 0.0, 0.0];
    family.rates[1] = 0.0;
    family.rates[14] = 1.0;
    let refused = derivative(&mut |s| family.at(s), &settings, 1e-5);
    assert!(matches!(refused, Err(Error::Contacts { .. })), "{refused:?}");
}

/// NaN, a state of the wrong size (also on one side only), and 1e300 m/s.
#[test]
fn bad_starts_are_refused() {
    let family = Family::random(&mut ChaCha8Rng::seed_from_u64(6));
    let with = |change: fn(&mut State, f64)| {
        let mut bad = |s: f64| {
            let (model, mut start) = family.at(s)?;
            change(&mut start, s);
            Ok((model, start))
        };
        derivative(&mut bad, &Settings::default(), 1e-5)
    };
    for change in [
        (|start, _| start.velocity[1] = f64::NAN) as fn(&mut State, f64),
        |start, _| start.coordinates.truncate(3),
        |start, s| start.velocity.truncate(if s > 0.0 { 3 } else { 6 }),
        |start, _| start.velocity[0] = 1e300,
    ] {
        let refused = with(change);
        // At 1e300 m/s every other speed is zero beside it, which is an edge.
        assert!(matches!(refused, Err(Error::Step { .. } | Error::Derivative(_))), "{refused:?}");
    }
}

/// A foot held by a joint that is open by `gap` at the start, part of which the step removes: an error of the joint
/// moves the body without any change of the data, which must not count as a derivative.
#[test]
fn errors_of_constraints_are_no_change() {
    let anchored = |gap: f64, s: f64| -> Result<(Model, State), Cause> {
        let family = Family {
            mass: 2.0,
            moments: [0.4, 0.5, 0.6],
            feet: vec![Vector3::new(0.3, 0.1, -0.5)],
            friction: vec![0.3],
            restitution: vec![0.0],
            coordinates: vec![0.0, 0.0, 0.5 - 1e-3, 1.0, 0.0, 0.0, 0.0],
            velocity: vec![1.0, 0.5, -1.0, 0.2, 0.3, 0.1],
            rates: vec![
                0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0,
                0.0, 0.0,
            ],
        };
        let (model, start) = family.at(s)?;
        let (at, held) = (Vector3::new(-0.2, 0.0, 0.3), Vector3::new(-0.2 + gap, 0.0, 0.8 - 1e-3));
        let joint = BallJoint::new(Anchor::on_body(0, at), Anchor::in_world(held))?;
        Ok((model.with_constraints(vec![Box::new(joint)])?, start))
    };
    for gap in [0.0, 0.01] {
        let settings = Settings { step_size: 0.01, tolerance: 1e-13, ..Settings::default() };
        let found = derivative(&mut |s| anchored(gap, s), &settings, 1e-5).unwrap();
        let end = |s: f64| {
            let (model, start) = anchored(gap, s).unwrap();
            let mut simulation =
                Simulation::<ImpulseVelocity>::new(model, settings, start).unwrap();
            simulation.step().unwrap();
            simulation.state().velocity.clone()
        };
        let (after, before) = (end(1e-4), end(-1e-4));
        for (k, found) in found.velocity.iter().enumerate() {
            let difference = (after[k] - before[k]) / 2e-4;
            assert!((difference - found).abs() < 1e-6, "{gap}, {k}: {found} {difference}");
        }
    }
}
