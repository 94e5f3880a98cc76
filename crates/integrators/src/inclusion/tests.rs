//! The rocking block to its accumulation point and beyond, impacts by hand, refusals.

mod sliding;

use nalgebra::{Vector2, Vector3};
use percussion_dynamics::{
    FreeBodies, PlanarBodies, PlanarBody,
    gap::{Plane, Sphere, SpherePlane, SphereSphere},
};

use super::*;
use crate::{energy::EnergyBalance, model::Contact};

const GRAVITY: f64 = 9.81;

/// The block of 1 m × 2 m and 1 kg with its two lower corners.
fn block() -> Model {
    let body = PlanarBody::new(1.0, 5.0 / 12.0);
    let block = PlanarBodies::new(vec![body], Vector2::new(0.0, -GRAVITY)).unwrap();
    let corners = [-0.5, 0.5].map(|x| corner(Vector3::new(x, -1.0, 0.0), 1.0));
    Model::new(Box::new(block), corners.into()).unwrap()
}

fn corner(point: Vector3<f64>, friction: f64) -> Contact {
    let floor = Plane::new(&Vector3::y(), &Vector3::zeros()).unwrap();
    Contact::new(SpherePlane::new(Sphere::on_body(0, point, 0.0), floor).unwrap(), friction)
}

/// Rocking about the left corner at 1 rad/s: its velocity is that of a turn about (−0.5, −1).
fn rocking() -> State {
    State { time: 0.0, coordinates: vec![0.0, 1.0, 0.0], velocity: vec![-1.0, 0.5, 1.0] }
}

/// Time from impact to impact at the spin `ω`: with `sin(α + θ) = sin α + (ω² − w²)/(2 κ)` from the
/// energy, `κ = m g l/(I + m l²)`, it is `∫ dw/(κ cos(α + θ))` over `w` from `−ω` to `ω`. The integrand is
/// smooth, and Simpson's rule with 2000 intervals errs by less than 1e-13.
fn swing(spin: f64) -> f64 {
    let kappa = GRAVITY * 1.25_f64.sqrt() / (5.0 / 12.0 + 1.25);
    let integrand = |w: f64| {
        let sine = 2.0 / 5.0_f64.sqrt() + (spin * spin - w * w) / (2.0 * kappa);
        1.0 / (kappa * (1.0 - sine * sine).sqrt())
    };
    let (n, h) = (2000, spin / 2000.0);
    let inner: f64 =
        (1..n).map(|i| if i % 2 == 1 { 4.0 } else { 2.0 } * integrand(f64::from(i) * h)).sum();
    2.0 * h / 3.0 * (integrand(0.0) + inner + integrand(spin))
}

/// Ten cycles, each of two impacts. Each leaves 0.7 of the spin; the times between them are those of the energy
/// integral; `s` exceeds them by the impulse of the contacts, which is that of the weight less the
/// momentum upward that has been lost, `½ (ω₀ − …)`.
#[test]
fn the_block_rocks_ten_cycles_and_certifies() {
    let model = block();
    let solution = build(&model, &Settings::default(), &rocking(), 100.0).unwrap();
    assert_eq!(solution.status, Status::ImpactLimit);
    let kinds: Vec<_> = solution.phases.iter().map(|phase| phase.kind).collect();
    let expected: Vec<_> = [Kind::Sustained, Kind::Impact].into_iter().cycle().take(41).collect();
    assert_eq!(kinds, expected);
    let (mut spin, mut time) = (1.0_f64, 0.0);
    for (index, phase) in solution.phases.iter().enumerate() {
        let end = phase.end();
        if phase.kind == Kind::Impact {
            spin *= 0.7;
            // The other corner carries from here on; the spin is the other way round.
            let sign = if index % 4 == 1 { -1.0 } else { 1.0 };
            assert!((end.velocity[2] - sign * spin).abs() < 1e-10, "{index}");
        } else {
            time += swing(spin);
            assert!((end.time - time).abs() < 1e-9, "{index}: {} {time}", end.time);
        }
        // `s = t + Σ P_n` and `Σ P_n = m g t + m (v_y − v_y0)`.
        let s = end.time * (1.0 + GRAVITY) + end.velocity[1] - 0.5;
        assert!((end.s - s).abs() < 1e-9, "{index}: {} {s}", end.s);
    }
    let certificate = certify(&model, &solution);
    assert!(certificate.worst() < 2e-9, "{certificate:?}");
}

/// The limits of the series: `t∞ = Σ T(0.7^k)` and `s∞ = (1 + m g) t∞ − ½`. The swings follow their limiting
/// ratio up to a relative `ω²` of some 1e-7 after twenty impacts, so the continuation errs by some 1e-9.
#[test]
fn the_impacts_accumulate_where_the_energy_integral_says() {
    let model = block();
    let settings = Settings::default();
    let solution = build(&model, &settings, &rocking(), 100.0).unwrap();
    let point = Accumulation::of(&solution).unwrap();
    let time: f64 = (0..120).map(|k| swing(0.7_f64.powi(k))).sum();
    assert!((point.time - time).abs() < 5e-9, "{} {time}", point.time);
    let s = time * (1.0 + GRAVITY) - 0.5;
    assert!((point.s - s).abs() < 5e-8, "{} {s}", point.s);
    assert!((point.ratio - 0.7).abs() < 1e-6);

    // Beyond it the block rests on both corners, each carrying half of its weight.
    let phase = rest(&model, &settings, &point, 0.5).unwrap();
    assert_eq!(phase.contacts, [0, 1]);
    let end = phase.end();
    assert!((end.s - point.s - 0.5 * (1.0 + GRAVITY)).abs() < 1e-9);
    for i in [0, 2] {
        assert!((end.rates[i] / end.time_rate - 0.5 * GRAVITY).abs() < 1e-8, "{:?}", end.rates);
    }
    let beyond = Solution {
        phases: vec![phase],
        status: Status::EndReached,
        energy: EnergyBalance::default(),
        scales: Scales::one(),
    };
    assert!(certify(&model, &beyond).worst() < 1e-8);
}

/// A point that lands while it slides at 2 m/s: with `μ = 0.5` the impulse of 5 N·s would take 2.5 m/s, so that it
/// stops sliding after 4 of the 5 and sticks.
#[test]
fn a_slip_stops_within_an_impact() {
    let body = PlanarBody::new(1.0, 1.0);
    let point = PlanarBodies::new(vec![body], Vector2::new(0.0, -GRAVITY)).unwrap();
    let model = Model::new(Box::new(point), vec![corner(Vector3::zeros(), 0.5)]).unwrap();
    let start = State { time: 1.0, coordinates: vec![0.0; 3], velocity: vec![2.0, -5.0, 0.0] };
    let solution = build(&model, &Settings::default(), &start, 2.0).unwrap();
    let ends: Vec<_> = solution.phases.iter().map(|phase| (phase.kind, phase.end().s)).collect();
    assert_eq!(solution.impacts().count(), 1);
    let expected =
        [(Kind::Impact, 4.0), (Kind::Impact, 5.0), (Kind::Sustained, 5.0 + 1.0 + GRAVITY)];
    assert_eq!(ends.len(), expected.len());
    for ((kind, s), (expected_kind, expected_s)) in ends.into_iter().zip(expected) {
        assert_eq!(kind, expected_kind);
        assert!((s - expected_s).abs() < 1e-9);
    }
    assert!(certify(&model, &solution).worst() < 1e-9);
}

/// What certifies can fail: each of these is not a solution, and its figure says so.
#[test]
fn the_certificate_sees_what_is_wrong() {
    let model = block();
    let settings = Settings { impact_limit: 1, ..Settings::default() };
    let solution = build(&model, &settings, &rocking(), 100.0).unwrap();
    let spoiled = |spoil: &dyn Fn(&mut Solution)| {
        let mut other = solution.clone();
        spoil(&mut other);
        certify(&model, &other)
    };
    assert!(spoiled(&|s| s.phases[0].moments[9].velocity[1] += 1e-3).momentum > 1e-4);
    assert!(spoiled(&|s| s.phases[0].moments[9].coordinates[1] += 1e-3).motion > 1e-4);
    assert!(spoiled(&|s| s.phases[0].moments[9].time_rate *= 1.01).convexity > 1e-4);
    assert!(spoiled(&|s| s.phases[0].moments[9].rates[1] = 2.0).cone > 0.1);
    assert!(spoiled(&|s| s.phases[0].moments[9].rates[2] = 0.1).carried_gap > 1e-3);
    assert!(spoiled(&|s| s.phases[1].moments[0].velocity[0] += 1.0).dissipation > 0.1);
    assert!(spoiled(&|s| drop(s.phases.remove(1))).jump > 0.1);
    assert!(spoiled(&|s| s.phases[0].moments.clear()).jump.is_infinite());
}

#[test]
fn limits_are_statuses() {
    let model = block();
    let run = |settings: Settings, end: f64| {
        let solution = build(&model, &settings, &rocking(), end).unwrap();
        (solution.status, solution.phases.len())
    };
    let default = Settings::default;
    assert_eq!(run(default(), 0.1), (Status::EndReached, 1));
    assert_eq!(run(Settings { impact_limit: 3, ..default() }, 9.0), (Status::ImpactLimit, 7));
    assert_eq!(run(Settings { phase_limit: 2, ..default() }, 9.0), (Status::PhaseLimit, 2));
    assert_eq!(run(Settings { step_limit: 1, ..default() }, 9.0).0, Status::StepLimit);
}

/// Whatever the size of the numbers, building ends.
#[test]
fn numbers_at_the_edge_of_doubles_end_with_a_status() {
    let model = block();
    let settings = Settings { phase_limit: 5, step_limit: 300, ..Settings::default() };
    for size in [1e-300, 1e10, 1e150, 1e307] {
        for velocity in [vec![-size, 0.5 * size, size], vec![size, -size, 0.0]] {
            let start = State { velocity, ..rocking() };
            let solution = build(&model, &settings, &start, 1.0).unwrap();
            assert!(solution.phases.len() <= 5 + 1);
        }
    }
}

#[test]
fn bad_input_is_refused_by_name() {
    let (model, start) = (block(), rocking());
    let refused = |settings: Settings, start: &State, end: f64| {
        build(&model, &settings, start, end).unwrap_err()
    };
    let default = Settings::default;
    for (expected, settings) in [
        ("tolerance", Settings { tolerance: 0.0, ..default() }),
        ("gap_tolerance", Settings { gap_tolerance: Some(f64::NAN), ..default() }),
        ("velocity_tolerance", Settings { velocity_tolerance: Some(-1.0), ..default() }),
        ("impact_limit", Settings { impact_limit: 0, ..default() }),
        ("phase_limit", Settings { phase_limit: 0, ..default() }),
        ("step_limit", Settings { step_limit: 0, ..default() }),
    ] {
        match refused(settings, &start, 1.0) {
            Error::Setting { name, .. } => assert_eq!(name, expected),
            other => panic!("{other}"),
        }
    }
    for end in [0.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(refused(default(), &start, end), Error::End { .. }));
    }

    let body = percussion_dynamics::Body::new(1.0, nalgebra::Matrix3::identity());
    let space = FreeBodies::new(vec![body], Vector3::zeros()).unwrap();
    let space = Model::new(Box::new(space), vec![]).unwrap();
    assert_eq!(build(&space, &default(), &start, 1.0).unwrap_err(), Error::Space);
    let bare = PlanarBodies::new(vec![PlanarBody::new(1.0, 1.0)], Vector2::zeros()).unwrap();
    let bare = Model::new(Box::new(bare), vec![]).unwrap();
    assert_eq!(build(&bare, &default(), &start, 1.0).unwrap_err(), Error::NoContacts);

    let tilted = Accumulation { s: 0.0, time: 0.0, coordinates: vec![0.0, 1.1, 0.1], ratio: 0.5 };
    let falls = rest(&model, &default(), &tilted, 1.0).unwrap_err();
    assert!(matches!(falls, Error::NotAtRest { .. }), "{falls}");
    assert!(matches!(rest(&model, &default(), &tilted, 0.0), Err(Error::End { .. })));
    assert_eq!(
        Accumulation::of(&Solution {
            phases: vec![],
            status: Status::Failed,
            energy: EnergyBalance::default(),
            scales: Scales::one()
        }),
        None
    );
}

/// The parameter `s` adds seconds and newton-seconds, so that its values depend on units; what happens and when does not.
#[test]
fn units_of_mass_length_and_time_change_no_phase_and_no_answer() {
    let solve = |[length, mass, time]: [f64; 3]| {
        let inertia = 5.0 / 12.0 * mass * length * length;
        let gravity = Vector2::new(0.0, -GRAVITY * length / time / time);
        let body = PlanarBodies::new(vec![PlanarBody::new(mass, inertia)], gravity).unwrap();
        let floor = Plane::new(&Vector3::y(), &Vector3::zeros()).unwrap();
        let corner = |x: f64| {
            let corner = Sphere::on_body(0, Vector3::new(x, -1.0, 0.0) * length, 0.0);
            Contact::new(SpherePlane::new(corner, floor).unwrap(), 1.0)
        };
        let model = Model::new(Box::new(body), vec![corner(-0.5), corner(0.5)]).unwrap();
        let coordinates = vec![0.0, 1.0 * length, 0.0];
        // It turns about the left corner.
        let velocity = vec![-length / time, 0.5 * length / time, 1.0 / time];
        let start = State { time: 0.0, coordinates, velocity };
        let settings = Settings { impact_limit: 6, ..Settings::default() };
        build(&model, &settings, &start, 3.0 * time).unwrap()
    };
    let reference = solve([1.0; 3]);
    let kinds = |solution: &Solution| {
        solution.phases.iter().map(|p| (p.kind, p.contacts.clone())).collect::<Vec<_>>()
    };
    assert!(reference.phases.len() >= 6, "{:?}", kinds(&reference));
    for units in [[1e-12, 1.0, 1.0], [1.0, 1e12, 1.0], [1.0, 1.0, 1e-12], [3e6, 7e-9, 1e5]] {
        let solution = solve(units);
        assert_eq!(solution.status, reference.status, "{units:?}");
        assert_eq!(kinds(&solution), kinds(&reference), "{units:?}");
        for (phase, expected) in solution.phases.iter().zip(&reference.phases) {
            // Steps have a tolerance of 1e-12, and impacts pass errors on.
            let time = phase.end().time / units[2];
            assert!((time - expected.end().time).abs() < 1e-9, "{units:?}: {time}");
            let spin = phase.end().velocity[2] * units[2];
            assert!((spin - expected.end().velocity[2]).abs() < 1e-9, "{units:?}: {spin}");
        }
    }
}

/// Two discs of 0.1 m in free motion, whose steps are as long as the motion: the first is at rest 1 m ahead of the other. It
/// passed through within one step, and the end counted as reached.
#[test]
fn a_disc_does_not_pass_through_another_within_a_step() {
    let disc = PlanarBody::new(1.0, 0.005);
    let discs = PlanarBodies::new(vec![disc; 2], Vector2::zeros()).unwrap();
    let pair = SphereSphere::new(Sphere::of_body(0, 0.1), Sphere::of_body(1, 0.1)).unwrap();
    let model = Model::new(Box::new(discs), vec![Contact::new(pair, 0.3)]).unwrap();
    let coordinates = vec![1.0, 0.0, 0.0, 0.0, 0.05, 0.0];
    let velocity = vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0];
    let start = State { time: 0.0, coordinates, velocity };
    let solution = build(&model, &Settings::default(), &start, 3.0).unwrap();
    assert_eq!(solution.status, Status::EndReached);
    let kinds: Vec<_> = solution.phases.iter().map(|phase| phase.kind).collect();
    assert!(kinds.contains(&Kind::Impact), "{kinds:?}");
    let certificate = certify(&model, &solution);
    assert!(certificate.penetration <= 1e-9 * solution.scales.length, "{certificate:?}");
}

#[test]
fn a_start_that_overlaps_is_refused() {
    let depth = 1e-3;
    let start = State { coordinates: vec![0.0, 1.0 - depth, 0.0], ..rocking() };
    match build(&block(), &Settings::default(), &start, 1.0).unwrap_err() {
        Error::Penetration { contact: 0, depth: found, .. } => {
            assert!((found - depth).abs() < 1e-15);
        }
        other => panic!("{other}"),
    }
}
