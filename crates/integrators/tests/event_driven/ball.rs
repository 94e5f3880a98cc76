//! A ball that bounces, slides and rolls, against closed forms.

use nalgebra::{Vector2, Vector3};
use percussion_dynamics::{
    Body, FreeBodies, MassProperties, PlanarBodies, PlanarBody,
    gap::{Plane, Sphere, SpherePlane, SphereSphere},
};
use percussion_impact::{
    Law,
    newton::Newton,
    plus::Plus,
    poisson::Poisson,
    propagative::Propagative,
    set_valued::{self, SetValuedRouth},
};
use percussion_integrators::event_driven::{EventKind, Mode, Settings, Status, integrate};
use percussion_integrators::{Contact, Model};

use crate::support::{GRAVITY, at, ball, changes, floor, run};

/// Dropped from 1 m, the ball lands at `t₁ = √(2/g)`, then after `2 e t₁, 2 e² t₁, …`, and rests from
/// `t₁ (1 + e)/(1 − e)` on.
#[test]
fn a_bouncing_ball_rests_from_its_zeno_time_on() {
    for e in [0.3, 0.5, 0.7, 0.9] {
        let start = at(vec![0.0, 1.1, 0.0], vec![0.0; 3]);
        let report = run(&ball(0.0, 0.3, e), &Newton::default(), &start, 10.0);
        assert_eq!(report.status, Status::EndReached);
        assert_eq!(report.modes, [Mode::Sticking]);
        let limits: Vec<_> = report
            .events
            .iter()
            .filter_map(|event| match event.kind {
                EventKind::Accumulation { limit, ratio, .. } => Some((event.time, limit, ratio)),
                _ => None,
            })
            .collect();
        let [(time, limit, ratio)] = limits[..] else { panic!("{limits:?}") };
        let exact = (2.0 / GRAVITY).sqrt() * (1.0 + e) / (1.0 - e);
        assert!((limit - exact).abs() < 1e-9, "{limit} {exact}");
        assert!((ratio - e).abs() < 1e-7, "{ratio}");
        // The switch is made when rebounds rise to 1e-9 m, that is at 1.4e-4 m/s, and the next lasts 2.9e-5 s.
        assert!(time < limit && limit - time < 2.9e-5 / (1.0 - e), "{time} {limit}");
        assert!((report.state.coordinates[1] - 0.1).abs() < 1e-12);
        assert!(report.state.velocity.iter().all(|v| v.abs() < 1e-12));
        // All of `m g h` is lost in impacts.
        assert!((report.energy.impacts - 2.0 * GRAVITY).abs() < 1e-9);
        assert!(report.energy.residual().abs() < 1e-9);
        assert!(report.drift.penetration < 1e-12);
    }
}

/// Dropped from 1 m with `e = 1/2` a ball of 2 kg has a quarter of `2 g` J above the floor after each landing; its center is
/// 0.1 m higher. It ends at the landing that leaves less than it is asked for.
#[test]
fn a_motion_ends_where_its_energy_is_low_enough() {
    let start = at(vec![0.0, 1.1, 0.0], vec![0.0; 3]);
    let rest = 2.0 * GRAVITY * 0.1;
    let first = (2.0 / GRAVITY).sqrt();
    for (part, landings) in [(0.3, 1), (0.25 + 1e-9, 1), (0.25 - 1e-9, 2), (0.02, 3)] {
        let end_energy = Some(rest + part * 2.0 * GRAVITY);
        let settings = Settings { end_energy, ..Settings::default() };
        let model = ball(0.0, 0.3, 0.5);
        let report =
            integrate(&model, &Newton::default(), &settings, &start, 9.0, &mut |_| ()).unwrap();
        assert_eq!((report.status, report.counters.impacts), (Status::EnergyReached, landings));
        // Flights of 1, 2 e, 2 e², … times the first fall.
        let flights = [1.0, 2.0, 2.5][landings - 1];
        let time = first * flights;
        assert!((report.state.time - time).abs() < 1e-9, "{} {time}", report.state.time);
    }
}

/// An elastic ball that rises to a little more than the proximity of 1e-10 m lands every `2 √(2 h/g)`. So many landings are no
/// lag, which implicit steps would cross: they do not see rebounds that are shorter than they are.
#[test]
fn a_low_elastic_ball_keeps_bouncing() {
    for height in [1.2e-10, 4e-10] {
        let start = at(vec![0.0, 0.1 + height, 0.0], vec![0.0; 3]);
        let report = run(&ball(0.0, 0.0, 1.0), &Newton::default(), &start, 0.02);
        assert_eq!((report.status, report.counters.implicit_steps), (Status::EndReached, 0));
        let landings = 0.02 / (8.0 * height / GRAVITY).sqrt();
        let difference = report.counters.impacts as f64 - landings;
        assert!(difference.abs() < 0.01 * landings, "{} {landings}", report.counters.impacts);
    }
}

/// Landings of a ball that is thrown: the intervals are `e` times those before, whatever it does sideways.
#[test]
fn landings_of_a_ball_follow_the_parabola() {
    let e = 0.8;
    let start = at(vec![0.0, 0.1, 0.0], vec![3.0, 5.0, 2.0]);
    let report = run(&ball(0.0, 0.0, e), &Newton::default(), &start, 4.0);
    let mut expected = 0.0;
    let mut flight = 2.0 * 5.0 / GRAVITY;
    for event in &report.events {
        expected += flight;
        flight *= e;
        assert!((event.time - expected).abs() < 1e-12, "{event:?}");
    }
    assert!(report.events.len() > 5);
    assert!((report.state.velocity[0] - 3.0).abs() < 1e-14, "there is no friction");
}

/// Lands sliding at 7 m/s without rebound: the impulse `m u` takes `μ u = 0.3 √(2 g)` from the speed, weight takes
/// `μ g t` more until the ball rolls, at 5 m/s.
#[test]
fn a_ball_that_lands_sliding_comes_to_roll() {
    let start = at(vec![0.0, 1.1, 0.0], vec![7.0, 0.0, 0.0]);
    let report = run(&ball(0.0, 0.3, 0.0), &Poisson::default(), &start, 3.0);
    assert_eq!(report.modes, [Mode::Sticking]);
    let landing = (2.0 / GRAVITY).sqrt();
    let rolls = landing + 2.0 / (0.3 * GRAVITY) - landing;
    let [time] = changes(&report, 0, Mode::Sticking)[..] else { panic!("{:?}", report.events) };
    // Slip is said to be none at 1e-9 m/s, and changes by 7/2 μ g = 10 m/s².
    assert!((time - rolls).abs() < 1e-9, "{time} {rolls}");
    assert!((report.state.velocity[0] - 5.0).abs() < 1e-9);
    assert!((report.state.velocity[2] + 50.0).abs() < 1e-8);
    assert!(report.energy.residual().abs() < 1e-8);
    assert!(report.energy.friction > 1.0);
}

/// A ball on a slope rolls at `5/7 g sin β` if `μ ≥ 2/7 tan β`, and otherwise slides at `g (sin β − μ cos β)`.
#[test]
fn a_ball_on_a_slope_rolls_or_slides_at_the_threshold() {
    let slope = 0.4_f64;
    let threshold = 2.0 / 7.0 * slope.tan();
    for (friction, mode) in [
        (0.0, Mode::Sliding),
        (threshold * (1.0 - 1e-6), Mode::Sliding),
        (threshold * (1.0 + 1e-6), Mode::Sticking),
        (10.0 * threshold, Mode::Sticking),
    ] {
        let start = at(vec![0.1 * slope.sin(), 0.1 * slope.cos(), 0.0], vec![0.0; 3]);
        let report = run(&ball(slope, friction, 0.5), &Newton::default(), &start, 2.0);
        assert_eq!(report.modes, [mode], "{friction}");
        let rate = match mode {
            Mode::Sticking => 5.0 / 7.0 * slope.sin(),
            _ => slope.sin() - friction * slope.cos(),
        };
        let speed = report.state.velocity[0].hypot(report.state.velocity[1]);
        assert!((speed - 2.0 * GRAVITY * rate).abs() < 1e-9, "{speed}");
        assert_eq!(report.events.len(), 1, "{:?}", report.events);
    }
}

/// In space, with spin: a ball that skids along `x` with its spin about `x` slides along a parabola, and rolls at
/// `v − 2/7 u` for the slip `u` it had, after `2/7 ‖u‖/(μ g)`; the direction of slip never changes.
#[test]
fn a_spinning_ball_skids_along_a_parabola_and_rolls() {
    let properties = MassProperties::solid_sphere(2.0, 0.1).unwrap();
    let body = Body::from_mass_properties(&properties);
    let balls = FreeBodies::new(vec![body], Vector3::new(0.0, 0.0, -GRAVITY)).unwrap();
    let floor = Plane::new(&Vector3::z(), &Vector3::zeros()).unwrap();
    let gap = SpherePlane::new(Sphere::of_body(0, 0.1), floor).unwrap();
    let contact = Contact::new(gap, 0.25);
    let model = Model::new(Box::new(balls), vec![contact]).unwrap();
    // The lowest point has the velocity v + ω × (0, 0, −r) = (3 − r ω_y, r ω_x, 0).
    let spin = Vector3::new(40.0, -10.0, 5.0);
    let slip = Vector2::new(3.0 - 0.1 * spin.y, 0.1 * spin.x);
    let start =
        at(vec![0.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0], vec![3.0, 0.0, 0.0, spin.x, spin.y, spin.z]);
    let report = run(&model, &Newton::default(), &start, 2.0);
    assert_eq!(report.modes, [Mode::Sticking]);
    let [time] = changes(&report, 0, Mode::Sticking)[..] else { panic!("{:?}", report.events) };
    let expected = 2.0 / 7.0 * slip.norm() / (0.25 * GRAVITY);
    assert!((time - expected).abs() < 1e-8, "{time} {expected}");
    let rolling = Vector2::new(3.0, 0.0) - 2.0 / 7.0 * slip;
    let x = 3.0 * time - 0.5 * 0.25 * GRAVITY * slip.x / slip.norm() * time * time;
    let end = Vector2::new(x + rolling.x * (2.0 - time), 0.0).x;
    assert!((report.state.velocity[0] - rolling.x).abs() < 1e-8);
    assert!((report.state.velocity[1] - rolling.y).abs() < 1e-8);
    assert!((report.state.coordinates[0] - end).abs() < 1e-8);
    assert!(report.energy.residual().abs() < 1e-8, "{:?}", report.energy);
    let norm: f64 = report.state.coordinates[3..].iter().map(|c| c * c).sum();
    assert!((norm - 1.0).abs() < 1e-14);
}

/// A block that rests on a slope in space starts to slip straight down, whatever the tangents: directions of impending slip
/// are those of the round cone, not of the polygon that finds them.
#[test]
fn slip_in_space_starts_straight_down_the_slope() {
    let slope = 0.5_f64;
    for (turn, friction) in [(0.0, 0.4), (0.1, 0.4), (0.196, 0.54), (1.0, 0.54)] {
        let body = Body::new(1.0, nalgebra::Matrix3::identity());
        let gravity = GRAVITY * Vector3::new(slope.sin(), 0.0, -slope.cos());
        let point = FreeBodies::new(vec![body], gravity).unwrap();
        let tangent = Vector3::new(f64::cos(turn), f64::sin(turn), 0.0);
        let floor = Plane::with_tangent(&Vector3::z(), &Vector3::zeros(), &tangent).unwrap();
        let gap = SpherePlane::new(Sphere::of_body(0, 0.0), floor).unwrap();
        let model = Model::new(Box::new(point), vec![Contact::new(gap, friction)]).unwrap();
        let start = at(vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], vec![0.0; 6]);
        let report = run(&model, &Newton::default(), &start, 1.0);
        assert_eq!(report.modes, [Mode::Sliding], "{turn}");
        let expected = GRAVITY * (slope.sin() - friction * slope.cos());
        assert!((report.state.velocity[0] - expected).abs() < 1e-9, "{:?}", report.state);
        assert!(report.state.velocity[1].abs() < 1e-9, "{:?}", report.state);
    }
    // tan 0.5 = 0.5463: this one sticks, although the polygon of sixteen sides would let it slip.
    let body = Body::new(1.0, nalgebra::Matrix3::identity());
    let gravity = GRAVITY * Vector3::new(slope.sin(), 0.0, -slope.cos());
    let point = FreeBodies::new(vec![body], gravity).unwrap();
    let tangent = Vector3::new(f64::cos(0.19), f64::sin(0.19), 0.0);
    let floor = Plane::with_tangent(&Vector3::z(), &Vector3::zeros(), &tangent).unwrap();
    let gap = SpherePlane::new(Sphere::of_body(0, 0.0), floor).unwrap();
    let contact = Contact::new(gap, 0.55);
    let model = Model::new(Box::new(point), vec![contact]).unwrap();
    let start = at(vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], vec![0.0; 6]);
    let report = run(&model, &Newton::default(), &start, 1.0);
    assert_eq!(report.modes, [Mode::Sticking]);
    assert!(report.state.velocity.iter().all(|v| v.abs() < 1e-12));
}

/// Every law of impacts drives the same event: a ball that lands at `√(2 g)` leaves as the law says.
#[test]
fn any_law_is_the_reset_map() {
    let speed = (2.0 * GRAVITY).sqrt();
    let elastic = Propagative { restitution: 0.25, ..Propagative::default() };
    let step = set_valued::Settings { step: 3.0 * speed, ..set_valued::Settings::default() };
    let sample = SetValuedRouth::new(step);
    let plus = Plus { e_min: Some(0.6), ..Plus::default() };
    let laws: [(&dyn Law, f64); 5] = [
        (&Newton::default(), 0.5),
        (&Poisson::default(), 0.5),
        (&plus, 0.6),
        (&sample, 0.5),
        (&elastic, 0.25),
    ];
    for (law, restitution) in laws {
        let model = ball(0.0, 0.0, 0.5);
        let start = at(vec![0.0, 1.1, 0.0], vec![0.0; 3]);
        let settings = Settings { sample_interval: Some(0.5), ..Settings::default() };
        let (mut fastest, mut landed) = (0.0_f64, 0.0);
        let report = integrate(&model, law, &settings, &start, 4.0, &mut |moment| {
            fastest = fastest.max(moment.velocity[1]);
            landed = moment.dissipated;
        });
        let report = report.unwrap();
        assert_eq!(report.status, Status::EndReached, "{}", law.name());
        assert!((fastest - restitution * speed).abs() < 1e-6, "{}: {fastest}", law.name());
        assert!((landed - 2.0 * GRAVITY).abs() < 1e-6, "{}: {landed}", law.name());
        assert!(report.energy.residual().abs() < 1e-9, "{}", law.name());
        assert!((report.state.coordinates[1] - 0.1).abs() < 1e-9, "{}", law.name());
    }
}

/// Newton's cradle on the way: a ball falls on one that rests on the floor, elastic; contacts that rest take part.
#[test]
fn resting_contacts_take_part_in_impacts() {
    let bodies = vec![PlanarBody::new(1.0, 1.0), PlanarBody::new(1.0, 1.0)];
    let balls = PlanarBodies::new(bodies, Vector2::new(0.0, -GRAVITY)).unwrap();
    let disc = |body: usize| Sphere::of_body(body, 0.5);
    let contacts = vec![
        Contact::new(SpherePlane::new(disc(0), floor(0.0)).unwrap(), 0.0).with_restitution(1.0),
        Contact::new(SphereSphere::new(disc(1), disc(0)).unwrap(), 0.0).with_restitution(1.0),
    ];
    let model = Model::new(Box::new(balls), contacts).unwrap();
    let start = at(vec![0.0, 0.5, 0.0, 0.0, 2.5, 0.0], vec![0.0; 6]);
    let law = Plus { e_min: Some(1.0), ..Plus::default() };
    let report = run(&model, &law, &start, 0.9);
    let EventKind::Impact { contacts, impulses, dissipated } = &report.events[1].kind else {
        panic!("{:?}", report.events);
    };
    assert_eq!(contacts, &[0, 1]);
    assert!(dissipated.abs() < 1e-12);
    // The upper ball hands its momentum down and gets it back.
    let momentum = 2.0 * (2.0 * GRAVITY).sqrt();
    assert!(impulses.iter().all(|impulse| (impulse[0] - momentum).abs() < 1e-9), "{impulses:?}");
    assert!(report.energy.residual().abs() < 1e-9);
    assert!((report.energy.end - report.energy.start).abs() < 1e-9);
}

/// Work is counted, so that the same motion ends at the same place on any machine.
#[test]
fn work_is_bounded() {
    let (model, law) = (ball(0.0, 0.5, 0.5), Newton::default());
    let start = at(vec![0.0, 1.1, 0.0], vec![0.3, 0.0, 0.0]);
    let end = |work_limit| {
        let settings = Settings { work_limit, ..Settings::default() };
        integrate(&model, &law, &settings, &start, 3.0, &mut |_| ()).unwrap()
    };
    let all = end(Settings::default().work_limit);
    assert_eq!(all.status, Status::EndReached);
    let part = end(200);
    assert_eq!(part.status, Status::WorkLimit);
    assert!(part.state.time < all.state.time && part.counters.impacts > 0, "{part:?}");
    assert_eq!(part, end(200));
}

/// An event at the begin of a phase is as near as the rounding of time, not as the smallest double.
#[test]
fn moments_are_found_to_the_rounding_of_time() {
    let (model, law) = (ball(0.0, 0.5, 0.0), Newton::default());
    let start = at(vec![0.0, 0.1 + 1e-16, 0.0], vec![0.0, -1.0, 0.0]);
    let report = integrate(&model, &law, &Settings::default(), &start, 1.0, &mut |_| ()).unwrap();
    assert_eq!(report.status, Status::EndReached);
    // Some fifty looks for each event; one took a thousand.
    assert!(report.counters.looks < 300, "{:?}", report.counters);
}
