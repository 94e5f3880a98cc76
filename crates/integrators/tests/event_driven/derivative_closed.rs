//! The derivative of motions whose contacts close, slide, stick and open, against closed forms and central differences.

use nalgebra::{Matrix3, Vector2, Vector3};
use percussion_dynamics::{
    Body, FreeBodies, PlanarBodies, PlanarBody,
    gap::{Plane, Sphere, SpherePlane},
};
use percussion_integrators::{
    Contact, Model, State,
    event_driven::{
        EventKind, Mode, Settings, Status,
        derivative::{Cause, Error, MotionDerivative, derivative},
        integrate,
    },
};
use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};

use crate::derivative::{law, number};

/// A point of 1 kg above a floor, at 10 m/s².
fn point(
    start: [f64; 2],
    velocity: [f64; 2],
    friction: f64,
    restitution: f64,
) -> Result<(Model, State), Cause> {
    let body = PlanarBodies::new(vec![PlanarBody::new(1.0, 1.0)], Vector2::new(0.0, -10.0))?;
    let floor = Plane::new(&Vector3::y(), &Vector3::zeros())?;
    let contact = Contact::new(SpherePlane::new(Sphere::of_body(0, 0.0), floor)?, friction);
    let [x, y] = start;
    let start = State {
        time: 0.0,
        coordinates: vec![x, y, 0.0],
        velocity: vec![velocity[0], velocity[1], 0.0],
    };
    Ok((Model::new(Box::new(body), vec![contact.with_restitution(restitution)])?, start))
}

fn of(family: &mut dyn FnMut(f64) -> Result<(Model, State), Cause>, end: f64) -> MotionDerivative {
    derivative(&mut |s| family(s), &law(), end, 1e-5).unwrap()
}

/// A point lands after 0.5 s without bouncing, slides and stops at `v/(μ g)` = 0.6 s, at
/// `x = v/2 + (v − μ g/2)²/(2 μ g)`.
#[test]
fn a_point_that_lands_slides_and_stops() {
    let at = |v: f64, mu: f64| point([0.0, 1.25], [v, 0.0], mu, 0.0);
    let faster = of(&mut |s| at(3.0 + s, 0.5), 1.0);
    assert!((faster.coordinates[0] - 0.6).abs() < 1e-7, "{faster:?}");
    assert!(faster.velocity.iter().all(|v| v.abs() < 1e-7), "{faster:?}");
    let [(0, time, change)] = faster.stops[..] else { panic!("{faster:?}") };
    assert!((time - 0.6).abs() < 1e-8 && (change - 0.2).abs() < 1e-7, "{faster:?}");
    let rougher = of(&mut |s| at(3.0, 0.5 + s), 1.0);
    assert!((rougher.coordinates[0] + 0.55).abs() < 1e-7, "{rougher:?}");
    // dt/dμ = −v/(μ² g).
    assert!((rougher.stops[0].2 + 1.2).abs() < 1e-7, "{rougher:?}");
}

/// A point bounces until it rests. Until it stops sliding its speed is `v − μ g t` at every time between the bounces of which
/// no impulse is missing, so that `dv/dμ` is `−g t` after they end.
#[test]
fn a_point_that_bounces_infinitely_often() {
    let (mu, e, v) = (0.1, 0.5, 4.0);
    let at = |mu: f64, e: f64| point([0.0, 1.25], [v, 0.0], mu, e);
    let end = 1.8;
    // Landings at 5 m/s and less: `x` from the flights, then sliding from 1.5 s on.
    let place = |mu: f64, e: f64| {
        let (mut x, mut t, mut speed, mut fall) = (0.5 * v, 0.5, v, 5.0);
        for _ in 0..200 {
            speed -= mu * (1.0 + e) * fall;
            fall *= e;
            x += speed * 2.0 * fall / 10.0;
            t += 2.0 * fall / 10.0;
        }
        let left = end - t;
        x + speed * left - 0.5 * mu * 10.0 * left * left
    };
    let step = 1e-4;
    let by_friction = of(&mut |s| at(mu + s, e), end);
    let expected = (place(mu + step, e) - place(mu - step, e)) / (2.0 * step);
    assert!((by_friction.coordinates[0] - expected).abs() < 1e-6, "{by_friction:?} {expected}");
    assert!((by_friction.velocity[0] + 10.0 * end).abs() < 1e-6, "{by_friction:?}");
    let by_restitution = of(&mut |s| at(mu, e + s), end);
    let expected = (place(mu, e + step) - place(mu, e - step)) / (2.0 * step);
    assert!(
        (by_restitution.coordinates[0] - expected).abs() < 1e-6,
        "{by_restitution:?} {expected}"
    );
    assert!(by_restitution.velocity[0].abs() < 1e-6, "{by_restitution:?}");
    assert!(by_restitution.coordinates[1].abs() < 1e-9, "{by_restitution:?}");
}

/// A point at rest, whose start leaves the floor for other parameters, and one that is pushed by friction at its bound.
#[test]
fn closed_contacts_without_a_derivative_are_refused() {
    let refused = |family: &mut dyn FnMut(f64) -> Result<(Model, State), Cause>| {
        derivative(&mut |s| family(s), &law(), 0.5, 1e-5).unwrap_err()
    };
    let lifted = refused(&mut |s: f64| point([0.0, s.max(0.0)], [0.0; 2], 0.5, 0.0));
    assert!(matches!(lifted, Error::Leaves { contact: 0, .. }), "{lifted}");
    let moved = refused(&mut |s: f64| point([0.0, 0.0], [s, 0.0], 0.5, 0.0));
    assert!(matches!(moved, Error::Event { .. }), "{moved}");
    // tan(slope) = μ: it rests at the edge.
    let edge = refused(&mut |s: f64| {
        let body = PlanarBodies::new(vec![PlanarBody::new(1.0, 1.0)], Vector2::new(-5.0, -10.0))?;
        let floor = Plane::new(&Vector3::y(), &Vector3::zeros())?;
        let contact = Contact::new(SpherePlane::new(Sphere::of_body(0, 0.0), floor)?, 0.5 + s);
        let start = State { time: 0.0, coordinates: vec![0.0; 3], velocity: vec![0.0; 3] };
        Ok((Model::new(Box::new(body), vec![contact])?, start))
    });
    assert!(matches!(edge, Error::Edge { contact: 0, .. }), "{edge}");
}

/// The contacts of an event, and the mode that one of them changes to.
type Change = (Vec<usize>, Option<Mode>);

/// A body thrown on a slope: a rectangle with four corners in the plane, a ball in space.
struct Throw {
    planar: bool,
    half: [f64; 2],
    slope: f64,
    friction: f64,
    restitution: f64,
    start: [f64; 3],
    velocity: [f64; 6],
    rates: Vec<f64>,
}

impl Throw {
    fn random(random: &mut ChaCha8Rng, planar: bool) -> Self {
        let bounces = random.next_u64().is_multiple_of(6);
        Self {
            planar,
            half: [0.1, 0.2].map(|size| size * (1.0 + 0.3 * number(random))),
            slope: 0.3 * number(random),
            friction: if random.next_u64().is_multiple_of(8) {
                0.0
            } else {
                // A ball with more friction rolls as soon as it lands.
                (0.4 + 0.35 * number(random)) * if planar { 1.0 } else { 0.3 }
            },
            restitution: if bounces { 0.3 } else { 0.0 },
            start: [0.0, 0.45 + 0.1 * number(random), 3.0 * number(random)],
            velocity: [2.0, 1.0, 6.0, 2.0, 6.0, 6.0].map(|size| size * number(random)),
            rates: (0..16).map(|_| number(random)).collect(),
        }
    }

    fn at(&self, s: f64) -> Result<(Model, State), Cause> {
        let rate = |k: usize| s * self.rates[k];
        let (sin, cos) = (self.slope + 0.3 * rate(2)).sin_cos();
        let gravity = -10.0 + rate(15);
        let friction = self.friction * (1.0 + rate(4));
        let restitution = self.restitution * (1.0 + 0.1 * rate(5));
        let [w, h] = [self.half[0] * (1.0 + rate(3)), self.half[1]];
        let of = |gap| Contact::new(gap, friction).with_restitution(restitution);
        let moved = |values: &[f64], first: usize| -> Vec<f64> {
            values.iter().enumerate().map(|(k, value)| value + rate(first + k)).collect()
        };
        if self.planar {
            let body = PlanarBody::new(1.0 + rate(0), 0.02 * (1.0 + rate(1)));
            let bodies = PlanarBodies::new(vec![body], Vector2::new(0.0, gravity))?;
            let floor = Plane::new(&Vector3::new(sin, cos, 0.0), &Vector3::zeros())?;
            let corner = |[x, y]: [f64; 2]| {
                SpherePlane::new(Sphere::on_body(0, Vector3::new(x, y, 0.0), 0.0), floor)
            };
            let corners = [[w, h], [-w, h], [w, -h], [-w, -h]];
            let gaps = corners.into_iter().map(corner).collect::<Result<Vec<_>, _>>()?;
            let contacts = gaps.into_iter().map(of).collect();
            let start = State {
                time: 0.0,
                coordinates: moved(&self.start, 6),
                velocity: moved(&self.velocity[..3], 9),
            };
            return Ok((Model::new(Box::new(bodies), contacts)?, start));
        }
        let mass = 1.0 + rate(0);
        let moment = 0.4 * mass * w * w * (1.0 + rate(1));
        let body = Body::new(mass, Matrix3::from_diagonal_element(moment));
        let system = FreeBodies::new(vec![body], Vector3::new(0.0, 0.0, gravity))?;
        let floor = Plane::new(&Vector3::new(sin, 0.0, cos), &Vector3::zeros())?;
        let gap = SpherePlane::new(Sphere::of_body(0, w), floor)?;
        let coordinates = vec![rate(6), rate(7), self.start[1] + rate(8), 1.0, 0.0, 0.0, 0.0];
        let velocity = moved(&self.velocity, 9);
        Ok((
            Model::new(Box::new(system), vec![of(gap)])?,
            State { time: 0.0, coordinates, velocity },
        ))
    }

    /// The last state, and the sequence of events; `None` where impacts accumulate, whose number is another one for other
    /// parameters, so that differences are not accurate.
    fn end(&self, s: f64, end: f64) -> Option<(Vec<f64>, Vec<Change>)> {
        let (model, start) = self.at(s).ok()?;
        let settings = Settings { relative_tolerance: 1e-12, ..Settings::default() };
        let report = integrate(&model, &law(), &settings, &start, end, &mut |_| ()).ok()?;
        let events = report.events.iter().map(|event| match &event.kind {
            EventKind::Impact { contacts, .. } => Some((contacts.clone(), None)),
            EventKind::Mode { contact, to, .. } => Some((vec![*contact], Some(*to))),
            _ => None,
        });
        let events = events.collect::<Option<Vec<_>>>()?;
        let state = report.state.coordinates.iter().chain(&report.state.velocity).copied();
        (report.status == Status::EndReached).then(|| (state.collect(), events))
    }
}

fn compare(planar: bool, seed: u64, cases: usize) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let (mut regular, mut absent, mut noisy, mut worst) = (0, 0, 0, [0.0_f64; 2]);
    let mut seen = std::collections::BTreeMap::<String, usize>::new();
    for case in 0..cases {
        let throw = Throw::random(&mut random, planar);
        let end = 0.8;
        let found = match derivative(&mut |s| throw.at(s), &law(), end, 1e-5) {
            Ok(found) => found,
            Err(
                Error::Event { .. }
                | Error::Grazes { .. }
                | Error::Impact { .. }
                | Error::Edge { .. }
                | Error::Leaves { .. },
            ) => {
                absent += 1;
                continue;
            }
            Err(Error::Ended { .. }) => continue,
            Err(other) => panic!("{case}: {other}"),
        };
        let all: Vec<f64> = found.coordinates.iter().chain(&found.velocity).copied().collect();
        let size = all.iter().fold(1.0, |a: f64, b| a.max(b.abs()));
        let step = 1e-4 / size;
        let sides = [0.0, step, -step, 2.0 * step, -2.0 * step].map(|s| throw.end(s, end));
        let [Some(here), Some(a), Some(b), Some(far_a), Some(far_b)] = sides else { continue };
        if [&a, &b, &far_a, &far_b].iter().any(|side| side.1 != here.1) {
            continue;
        }
        let near = |k: usize| (a.0[k] - b.0[k]) / (2.0 * step);
        let far = |k: usize| (far_a.0[k] - far_b.0[k]) / (4.0 * step);
        if (0..all.len()).any(|k| (near(k) - far(k)).abs() > 1e-6 * size) {
            noisy += 1;
            continue;
        }
        // A motion in space ends a slip that curves with up to some 1e-5 m/s too much or too little, because it passes zero within a
        // step, and the differences have this error.
        let accuracy = if planar || found.stops.is_empty() { 1e-6 } else { 1e-4 };
        for (k, found) in all.iter().enumerate() {
            let difference = (4.0 * near(k) - far(k)) / 3.0;
            let off = (found - difference).abs() / size;
            worst[usize::from(accuracy > 1e-6)] = worst[usize::from(accuracy > 1e-6)].max(off);
            assert!(
                off <= accuracy + 1e-9 * size,
                "{case}, entry {k}: {found} {difference}, {:?}",
                here.1
            );
        }
        regular += 1;
        for (_, mode) in &here.1 {
            *seen.entry(format!("{mode:?}")).or_default() += 1;
        }
    }
    eprintln!("{regular} regular, {absent} absent, {noisy} noisy, {worst:?}, {seen:?}");
    assert!(regular > cases / 2, "{regular}");
    for to in ["None", "Some(Sliding)", "Some(Sticking)"] {
        assert!(seen.get(to).is_some_and(|count| *count > cases / 10), "{seen:?}");
    }
}

fn cases(default: usize) -> usize {
    std::env::var("PERCUSSION_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

/// Mass, moment, gravity, slope, size, friction, restitution and the whole start change at once.
#[test]
fn closed_contacts_in_the_plane_against_differences() {
    compare(true, 11, cases(60));
}

/// The same for a ball that slides in a curve and rolls.
#[test]
fn closed_contacts_in_space_against_differences() {
    compare(false, 12, cases(60));
}
