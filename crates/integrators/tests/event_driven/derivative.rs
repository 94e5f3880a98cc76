//! The derivative of a motion with impacts against closed forms and central differences of motions.

use nalgebra::{Vector2, Vector3};
use percussion_dynamics::{
    PlanarBodies, PlanarBody,
    gap::{Plane, Sphere, SpherePlane},
};
use percussion_impact::{energy::Energy, maximum_dissipation::MaximumDissipation};
use percussion_integrators::{
    Contact, Model, State,
    event_driven::{
        EventKind, Settings, Status,
        derivative::{Cause, Error, FamilyError, derivative},
        integrate,
    },
};
use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};

pub(crate) fn number(random: &mut ChaCha8Rng) -> f64 {
    (random.next_u64() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

pub(crate) fn law() -> MaximumDissipation {
    MaximumDissipation {
        energy: Energy::AsGiven,
        tolerance: 1e-13,
        ..MaximumDissipation::default()
    }
}

/// A thrown rectangle, and how all that it depends on changes with the parameter.
struct Throw {
    half: [f64; 2],
    friction: f64,
    restitution: f64,
    start: [f64; 3],
    velocity: [f64; 3],
    rates: Vec<f64>,
}

impl Throw {
    fn random(random: &mut ChaCha8Rng) -> Self {
        Self {
            half: [0.1, 0.2].map(|size| size * (1.0 + 0.3 * number(random))),
            friction: if random.next_u64().is_multiple_of(5) {
                0.0
            } else {
                0.4 + 0.4 * number(random)
            },
            restitution: 0.7 + 0.2 * number(random),
            start: [0.0, 0.6 + 0.2 * number(random), 3.0 * number(random)],
            velocity: [2.0 * number(random), number(random), 6.0 * number(random)],
            rates: (0..12).map(|_| number(random)).collect(),
        }
    }

    fn at(&self, s: f64) -> Result<(Model, State), Cause> {
        let rate = |k: usize| s * self.rates[k];
        let body = PlanarBody::new(1.0 + rate(0), 0.02 * (1.0 + rate(1)));
        let bodies = PlanarBodies::new(vec![body], Vector2::new(0.0, -10.0 + rate(2)))?;
        let floor = Plane::new(&Vector3::y(), &Vector3::zeros())?;
        let [w, h] = [self.half[0] * (1.0 + rate(3)), self.half[1]];
        let corners = [[w, h], [-w, h], [w, -h], [-w, -h]].map(|[x, y]| {
            let corner = Sphere::on_body(0, Vector3::new(x, y, 0.0), 0.0);
            let contact =
                Contact::new(SpherePlane::new(corner, floor)?, self.friction * (1.0 + rate(4)));
            Ok::<_, Cause>(contact.with_restitution(self.restitution * (1.0 + 0.1 * rate(5))))
        });
        let contacts = corners.into_iter().collect::<Result<_, _>>()?;
        let coordinates = (0..3).map(|k| self.start[k] + rate(6 + k)).collect();
        let velocity = (0..3).map(|k| self.velocity[k] + rate(9 + k)).collect();
        Ok((Model::new(Box::new(bodies), contacts)?, State { time: 0.0, coordinates, velocity }))
    }

    /// The last state, the contacts struck and the times.
    fn end(&self, s: f64, end: f64) -> Option<(Vec<f64>, Vec<usize>, Vec<f64>)> {
        let (model, start) = self.at(s).ok()?;
        let settings = Settings { relative_tolerance: 1e-12, ..Settings::default() };
        let report = integrate(&model, &law(), &settings, &start, end, &mut |_| ()).ok()?;
        let struck = report.events.iter().map(|event| match &event.kind {
            EventKind::Impact { contacts, .. } if contacts.len() == 1 => Some(contacts[0]),
            _ => None,
        });
        let struck = struck.collect::<Option<Vec<_>>>()?;
        let times = report.events.iter().map(|event| event.time).collect();
        let state = report.state.coordinates.iter().chain(&report.state.velocity).copied();
        (report.status == Status::EndReached).then(|| (state.collect(), struck, times))
    }
}

/// Mass, moment, gravity, width, friction, restitution and the whole start change at once.
#[test]
fn the_derivative_of_a_motion_is_the_limit_of_differences() {
    let cases = std::env::var("PERCUSSION_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(100);
    let mut random = ChaCha8Rng::seed_from_u64(9);
    let (mut regular, mut impacts, mut absent, mut noisy, mut worst) = (0, 0, 0, 0, 0.0_f64);
    for case in 0..cases {
        let throw = Throw::random(&mut random);
        let end = 0.7;
        let found = match derivative(&mut |s| throw.at(s), &law(), end, 1e-5) {
            Ok(found) => found,
            Err(Error::Event { .. } | Error::Grazes { .. } | Error::Impact { .. }) => {
                absent += 1;
                continue;
            }
            // A law may not resolve an impact, as in the motion itself.
            Err(Error::Ended { .. }) => continue,
            Err(other) => panic!("{case}: {other}"),
        };
        let contacts: Vec<usize> = found.impacts.iter().map(|impact| impact.0).collect();
        // At least four times the change of the fastest entry.
        let size =
            found.coordinates.iter().chain(&found.velocity).fold(1.0, |a: f64, b| a.max(b.abs()));
        let step = 1e-4 / size;
        let sides = [step, -step, 2.0 * step, -2.0 * step].map(|s| throw.end(s, end));
        let [Some(a), Some(b), Some(far_a), Some(far_b)] = sides else { continue };
        if [&a, &b, &far_a, &far_b].iter().any(|side| side.1 != contacts) {
            continue;
        }
        let all: Vec<f64> = found.coordinates.iter().chain(&found.velocity).copied().collect();
        let near = |k: usize| (a.0[k] - b.0[k]) / (2.0 * step);
        let far = |k: usize| (far_a.0[k] - far_b.0[k]) / (4.0 * step);
        // Where impacts amplify changes, or slip changes its mode between the steps, the differences are not accurate.
        if (0..6).any(|k| (near(k) - far(k)).abs() > 1e-6 * size) {
            noisy += 1;
            continue;
        }
        for (k, found) in all.iter().enumerate() {
            let difference = (4.0 * near(k) - far(k)) / 3.0;
            let off = (found - difference).abs() / size;
            worst = worst.max(off);
            // Impacts are located to 1e-9 of the length, and a change that grows A times depends on it A times as much.
            assert!(
                off <= 1e-6 + 1e-9 * size,
                "{case}, entry {k}: {found} {difference}, {contacts:?}"
            );
        }
        for (k, (_, time, change)) in found.impacts.iter().enumerate() {
            let difference = (a.2[k] - b.2[k]) / (2.0 * step);
            assert!(
                (change - difference).abs() <= 1e-5 * size,
                "{case}: {time} {change} {difference}"
            );
        }
        regular += 1;
        impacts += contacts.len();
    }
    eprintln!(
        "{regular} regular with {impacts} impacts, {absent} absent, {noisy} noisy, {worst:e}"
    );
    assert!(regular > cases / 2 && impacts > 2 * regular, "{regular} {impacts}");
}

/// A ball that falls on two floors, whose corner it strikes at once, and one that stays where it lands.
#[test]
fn motions_without_a_derivative_are_refused_with_the_time() {
    let ball = |floors: usize, restitution: f64| {
        move |s: f64| -> Result<(Model, State), Cause> {
            let bodies =
                PlanarBodies::new(vec![PlanarBody::new(1.0, 1.0)], Vector2::new(0.0, -10.0))?;
            let floor = Plane::new(&Vector3::y(), &Vector3::zeros())?;
            let contact = SpherePlane::new(Sphere::of_body(0, 0.0), floor)?;
            let contacts = vec![Contact::new(contact, 0.5).with_restitution(restitution); floors];
            let coordinates = vec![0.0, 1.25 + s, 0.0];
            Ok((
                Model::new(Box::new(bodies), contacts)?,
                State { time: 0.0, coordinates, velocity: vec![0.0; 3] },
            ))
        }
    };
    let refused = |floors: usize, restitution: f64, end: f64| {
        derivative(&mut ball(floors, restitution), &law(), end, 1e-5).unwrap_err()
    };
    let (error, expected) = (refused(2, 0.5, 0.6), "several contacts are struck at once");
    assert!(
        matches!(&error, Error::Event { time, found } if *found == expected && *time >= 0.5),
        "{expected}: {error}"
    );
    for increment in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused = derivative(&mut ball(1, 0.5), &law(), 0.6, increment);
        assert!(matches!(refused, Err(Error::Family(FamilyError::Increment(_)))), "{increment}");
    }
    let refused = derivative(&mut |_| Err("none".into()), &law(), 0.6, 1e-5);
    assert!(matches!(refused, Err(Error::Family(FamilyError::Member { .. }))));
    // It lands at √(2 h/g), so the time changes by 1/(g t) = 1/5 s per metre.
    let found = derivative(&mut ball(1, 0.5), &law(), 0.6, 1e-5).unwrap();
    assert!((found.impacts[0].2 - 0.2).abs() < 1e-8, "{found:?}");
}

/// NaN, a state of the wrong size (also on one side only), and 1e300 m/s.
#[test]
fn bad_starts_are_refused() {
    let throw = Throw::random(&mut ChaCha8Rng::seed_from_u64(9));
    for change in [
        (|start, _| start.velocity[1] = f64::NAN) as fn(&mut State, f64),
        |start, _| start.coordinates.truncate(2),
        |start, s| start.velocity.truncate(if s > 0.0 { 2 } else { 3 }),
        |start, _| start.velocity[0] = 1e300,
    ] {
        let mut bad = |s: f64| {
            let (model, mut start) = throw.at(s)?;
            change(&mut start, s);
            Ok((model, start))
        };
        let refused = derivative(&mut bad, &law(), 0.7, 1e-5);
        // At 1e300 m/s it takes some seconds until the motion is refused or ends early.
        assert!(matches!(refused, Err(Error::Motion(_) | Error::Ended { .. })), "{refused:?}");
    }
}
