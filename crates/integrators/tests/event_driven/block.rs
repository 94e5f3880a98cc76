//! Blocks and rods that slide, stick, tip, rock and jam.

use nalgebra::{Matrix3, UnitQuaternion, Vector2, Vector3};
use percussion_dynamics::{
    Anchor, Body, FreeBodies, MassProperties, PlanarBodies, PlanarBody,
    constraint::BallJoint,
    gap::{Plane, Sphere, SpherePlane},
};
use percussion_impact::{
    anitescu_potra::AnitescuPotra, newton::Newton, plus::Plus, poisson::Poisson,
};
use percussion_integrators::event_driven::{EventKind, Mode, Report, Settings, Status, integrate};
use percussion_integrators::{Contact, Model};

use crate::support::{GRAVITY, at, block, changes, floor, run};

/// On the slope `β`, flat, with this speed downhill.
fn on_slope(slope: f64, speed: f64) -> percussion_integrators::State {
    let velocity = vec![speed * slope.cos(), -speed * slope.sin(), 0.0];
    at(vec![slope.sin(), slope.cos(), -slope], velocity)
}

/// With `μ` above `tan β` the block stays, below it slides at `g (sin β − μ cos β)`.
#[test]
fn a_block_on_a_slope_sticks_or_slides_at_the_threshold() {
    let slope = 0.3_f64;
    for (part, slides) in [(0.5, true), (1.0 - 1e-6, true), (1.0 + 1e-6, false), (1.3, false)] {
        let friction = part * slope.tan();
        let model = block(slope, [-0.5, 0.5], friction, 0.0);
        let report = run(&model, &Newton::default(), &on_slope(slope, 0.0), 1.5);
        assert_eq!(report.modes.contains(&Mode::Sliding), slides, "{:?}", report.modes);
        let rate = if slides { slope.sin() - friction * slope.cos() } else { 0.0 };
        let speed = report.state.velocity[0].hypot(report.state.velocity[1]);
        assert!((speed - 1.5 * GRAVITY * rate).abs() < 1e-9, "{speed}");
        assert!(report.state.velocity[2].abs() < 1e-12, "it does not turn");
    }
}

/// Sliding downhill at 2 m/s with `μ > tan β` it comes to rest after `v / (g (μ cos β − sin β))` and stays; uphill it
/// stops sooner, and slides back when `μ < tan β`.
#[test]
fn a_sliding_block_comes_to_rest_at_the_closed_form_time() {
    let slope = 0.1_f64;
    for (friction, speed, stays) in [(0.3, 2.0, true), (0.3, -2.0, true), (0.05, -2.0, false)] {
        let model = block(slope, [-0.5, 0.5], friction, 0.0);
        let report = run(&model, &Newton::default(), &on_slope(slope, speed), 3.0);
        let braking = GRAVITY * (friction * slope.cos() - speed.signum() * slope.sin());
        let stops = speed.abs() / braking;
        let turns = report.events.iter().map(|event| event.time).fold(0.0, f64::max);
        // Slip is said to have stopped at −1e-9 m/s.
        assert!((turns - stops).abs() < 1e-8, "{friction} {speed}: {turns} {stops}");
        let rate = slope.sin() - friction * slope.cos();
        let end = if stays { 0.0 } else { (3.0 - stops) * GRAVITY * rate };
        let found = report.state.velocity[0] / slope.cos();
        assert!((found - end).abs() < 1e-7, "{found} {end}");
        assert!(report.energy.residual().abs() < 1e-8, "{:?}", report.energy);
    }
}

/// On a slope of `tan β > b/h = 1/2` a block that does not slip tips about its lower corner; with less it stays.
#[test]
fn a_block_tips_where_its_weight_leaves_its_base() {
    for (tangent, tips) in [(0.49, false), (0.51, true)] {
        let slope = f64::atan(tangent);
        let model = block(slope, [-0.5, 0.5], 1.0, 0.0);
        let report = run(&model, &Newton::default(), &on_slope(slope, 0.0), 0.5);
        assert_eq!(report.state.velocity[2] < -1e-3, tips, "{:?}", report.state);
        assert_eq!(report.modes[0] == Mode::Open, tips);
        assert_eq!(report.modes[1], Mode::Sticking);
    }
}

/// Rocking at 1 rad/s, each impact leaves 0.7 of the spin and impacts accumulate at 2.671421398 s, see
/// [`inclusion`](percussion_integrators::inclusion).
#[test]
fn a_rocking_block_comes_to_rest_at_its_accumulation_point() {
    let model = block(0.0, [-0.5, 0.5], 1.0, 0.0);
    let start = at(vec![0.0, 1.0, 0.0], vec![-1.0, 0.5, 1.0]);
    let report = run(&model, &Poisson::default(), &start, 4.0);
    let limit = accumulation(&report).unwrap();
    assert!((limit - 2.671_421_398).abs() < 1e-8, "{limit}");
    let spent: Vec<_> = report
        .events
        .iter()
        .filter_map(|event| match event.kind {
            EventKind::Impact { dissipated, .. } => Some(dissipated),
            _ => None,
        })
        .collect();
    // The energy of the turn about a corner is `½ (5/3) ω²`, of which `1 − 0.49` goes.
    for (k, spent) in (0..).zip(&spent) {
        let expected = 0.51 * 0.5 * 5.0 / 3.0 * 0.49_f64.powi(k);
        assert!((spent - expected).abs() < 1e-9 * (1.0 + expected), "{k}: {spent} {expected}");
    }
    assert!(spent.len() > 20);
    at_rest_on_the_floor(&report);
}

/// From free fall, tilted, with restitution: lands on a corner, bounces, rocks, and comes to rest upright with all its energy
/// accounted for.
#[test]
fn a_block_falls_bounces_rocks_and_rests() {
    let angle = 0.15_f64;
    let height = angle.cos() + 0.5 * angle.sin() + 0.2;
    let start = at(vec![0.0, height, angle], vec![0.1, 0.0, 0.0]);
    for restitution in [0.0, 0.3] {
        let model = block(0.0, [-0.5, 0.5], 0.8, restitution);
        let report = run(&model, &Poisson::default(), &start, 8.0);
        at_rest_on_the_floor(&report);
        let lost = report.energy.impacts + report.energy.friction;
        assert!((lost - (report.energy.start - GRAVITY)).abs() < 1e-7, "{:?}", report.energy);
    }
    // The law of Plus ends the chatter by itself: below its capture speed nothing is given back.
    let model = block(0.0, [-0.5, 0.5], 0.8, 0.3);
    at_rest_on_the_floor(&run(&model, &Plus::default(), &start, 8.0));
}

fn at_rest_on_the_floor(report: &Report) {
    let Report { status, modes, state, energy, drift, .. } = report;
    assert_eq!(*status, Status::EndReached, "{:?}", report.events.last());
    assert!(modes.iter().all(|mode| *mode != Mode::Open), "{modes:?}");
    assert!(state.velocity.iter().all(|v| v.abs() < 1e-9), "{state:?}");
    assert!((state.coordinates[1] - 1.0).abs() < 1e-9, "{state:?}");
    assert!(energy.residual().abs() < 1e-7, "{energy:?}");
    assert!(drift.position < 2e-9 && drift.velocity < 1e-8, "{drift:?}");
}

fn accumulation(report: &Report) -> Option<f64> {
    report.events.iter().find_map(|event| match event.kind {
        EventKind::Accumulation { limit, .. } => Some(limit),
        _ => None,
    })
}

/// Which contact comes first does not matter, and a repeated run gives the same bits.
#[test]
fn the_order_of_contacts_does_not_matter() {
    let angle = 0.15_f64;
    let height = angle.cos() + 0.5 * angle.sin() + 0.2;
    let start = at(vec![0.0, height, angle], vec![0.1, 0.0, 0.0]);
    let [first, again, swapped] = [[-0.5, 0.5], [-0.5, 0.5], [0.5, -0.5]].map(|corners| {
        let model = block(0.0, corners, 0.8, 0.3);
        run(&model, &Poisson::default(), &start, 1.2)
    });
    assert_eq!(first, again);
    assert_eq!(first.counters.impacts, swapped.counters.impacts);
    // Errors of 1e-10 in the first landing grow by the tilts and turns between here and there.
    for (a, b) in first.state.coordinates.iter().zip(&swapped.state.coordinates) {
        assert!((a - b).abs() < 1e-7, "{:?} {:?}", first.state, swapped.state);
    }
    for (a, b) in first.state.velocity.iter().zip(&swapped.state.velocity) {
        assert!((a - b).abs() < 1e-6, "{:?} {:?}", first.state, swapped.state);
    }
}

/// Both corners of a level block land at once and are one impact; the proximity says what at once means.
#[test]
fn contacts_within_the_proximity_are_hit_at_once() {
    let tilted = 1e-7;
    let start = at(vec![0.0, 1.5, tilted], vec![0.0; 3]);
    let model = block(0.0, [-0.5, 0.5], 0.5, 0.0);
    let first = |proximity: f64| {
        let settings = Settings { proximity: Some(proximity), ..Settings::default() };
        let law = AnitescuPotra::default();
        let report = integrate(&model, &law, &settings, &start, 0.4, &mut |_| ()).unwrap();
        match &report.events[0].kind {
            EventKind::Impact { contacts, .. } => contacts.len(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!((first(1e-9), first(1e-6)), (1, 2));
}

/// A brick on its four corners, in space, on a slope: four contacts of which three determine the forces.
#[test]
fn a_brick_on_four_corners_rests_and_slides_without_turning() {
    let slope = 0.3_f64;
    let half = Vector3::new(0.3, 0.2, 0.1);
    let properties = MassProperties::solid_box(2.0, &(2.0 * half)).unwrap();
    let gravity = GRAVITY * Vector3::new(slope.sin(), 0.0, -slope.cos());
    let plane = Plane::new(&Vector3::z(), &Vector3::zeros()).unwrap();
    for (part, slides) in [(0.7, true), (1.01, false)] {
        let body = Body::from_mass_properties(&properties);
        let brick = FreeBodies::new(vec![body], gravity).unwrap();
        let friction = part * slope.tan();
        let corners = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)].map(|(x, y)| {
            let corner = Vector3::new(x * half.x, y * half.y, -half.z);
            let gap = SpherePlane::new(Sphere::on_body(0, corner, 0.0), plane).unwrap();
            Contact::new(gap, friction)
        });
        let model = Model::new(Box::new(brick), corners.into()).unwrap();
        let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 0.4);
        let q = [turn.w, turn.i, turn.j, turn.k];
        let start = at([[0.0, 0.0, half.z].as_slice(), &q].concat(), vec![0.0; 6]);
        let report = run(&model, &Newton::default(), &start, 1.0);
        assert_eq!(report.status, Status::EndReached);
        let carrying = report.modes.iter().filter(|mode| **mode != Mode::Touching).count();
        assert_eq!(carrying, 3, "{:?}", report.modes);
        let rate = if slides { slope.sin() - friction * slope.cos() } else { 0.0 };
        assert!((report.state.velocity[0] - GRAVITY * rate).abs() < 1e-8, "{:?}", report.state);
        assert!(report.state.velocity[1..].iter().all(|v| v.abs() < 1e-8), "{:?}", report.state);
        assert!(report.energy.residual().abs() < 1e-8);
    }
}

/// A rod of 1 m slides on its end under 63° with `μ = 2`: with `W_nn − μ W_nt = 1 + 3 c² − 6 s c < 0` friction presses it
/// down by more than the normal force lifts it (Painlevé), and no finite force keeps the end out of the floor. It jams: the
/// end stops at once.
#[test]
fn a_jam_is_broken_by_percussions_without_collision() {
    let angle = 2.0_f64.atan();
    let rod =
        PlanarBodies::new(vec![PlanarBody::new(1.0, 1.0 / 12.0)], Vector2::new(0.0, -GRAVITY));
    let end = Sphere::on_body(0, Vector3::new(-0.5, 0.0, 0.0), 0.0);
    let model = |friction: f64| {
        let gap = SpherePlane::new(end, floor(0.0)).unwrap();
        let contact = Contact::new(gap, friction);
        Model::new(Box::new(rod.clone().unwrap()), vec![contact]).unwrap()
    };
    let start = |speed: f64| at(vec![0.0, 0.5 * angle.sin(), angle], vec![speed, 0.0, 0.0]);
    for (friction, speed, jams) in [(2.0, -1.0, true), (2.0, 1.0, false), (1.0, -1.0, false)] {
        let report = run(&model(friction), &Newton::default(), &start(speed), 0.01);
        assert_eq!(report.status, Status::EndReached);
        let first = matches!(report.events[0].kind, EventKind::Jam { .. });
        assert_eq!(first, jams, "{friction} {speed}: {:?}", report.events);
        if jams {
            assert_eq!(report.modes, [Mode::Sticking]);
            assert!(report.energy.impacts > 0.0);
        }
        assert!(report.energy.residual().abs() < 1e-8, "{:?}", report.energy);
    }
}

/// A bar hung from a hook by a bilateral constraint lands with its other end on the floor: the joint passes its share of
/// every impulse, holds to 1e-9 throughout, and redundant copies of it change nothing.
#[test]
fn bilateral_constraints_take_part() {
    let bar =
        || PlanarBodies::new(vec![PlanarBody::new(1.0, 1.0 / 12.0)], Vector2::new(0.0, -GRAVITY));
    let joint = || {
        let end = Anchor::on_body(0, Vector3::new(-0.5, 0.0, 0.0));
        BallJoint::new(end, Anchor::in_world(Vector3::zeros())).unwrap()
    };
    let floor = Plane::new(&Vector3::y(), &Vector3::new(0.0, -0.5, 0.0)).unwrap();
    let reports = [1, 2].map(|copies| {
        let end = Sphere::on_body(0, Vector3::new(0.5, 0.0, 0.0), 0.0);
        let contact =
            Contact::new(SpherePlane::new(end, floor).unwrap(), 0.0).with_restitution(0.5);
        let joints = (0..copies).map(|_| Box::new(joint()) as _).collect();
        let model = Model::new(Box::new(bar().unwrap()), vec![contact])
            .unwrap()
            .with_constraints(joints)
            .unwrap();
        run(&model, &Newton::default(), &at(vec![0.5, 0.0, 0.0], vec![0.0; 3]), 6.0)
    });
    let report = &reports[0];
    // The end falls from 0 to −0.5 m: `½ (1/3) ω² = g/4`, with the center 0.25 m lower.
    let EventKind::Impact { impulses, dissipated, .. } = &report.events[0].kind else {
        panic!("{:?}", report.events[0]);
    };
    let spin = (1.5 * GRAVITY).sqrt();
    assert!((dissipated - 0.75 * spin * spin / 6.0).abs() < 1e-8, "{dissipated}");
    // Angular momentum about the hook: `(1/3) 1.5 ω = Λ cos 30°`.
    let expected = 0.5 * spin / (30.0_f64).to_radians().cos();
    assert!((impulses[0][0] - expected).abs() < 1e-8);
    assert!(accumulation(report).is_some());
    assert_eq!(report.modes, [Mode::Sliding], "without friction carrying is sliding");
    assert!(report.state.velocity.iter().all(|v| v.abs() < 1e-9));
    assert!(report.drift.position < 1e-9 && report.energy.residual().abs() < 1e-8);
    for (a, b) in report.state.coordinates.iter().zip(&reports[1].state.coordinates) {
        assert!((a - b).abs() < 1e-9);
    }
}

/// A disc that rolls off a table: contact is lost where the normal force vanishes. For a point that slides without friction on
/// a sphere of radius `R` that is where `cos θ = 2/3`.
#[test]
fn a_contact_opens_where_its_force_vanishes() {
    let bead = PlanarBodies::new(vec![PlanarBody::new(1.0, 1.0)], Vector2::new(0.0, -GRAVITY));
    let gap = percussion_dynamics::gap::SphereSphere::new(
        Sphere::of_body(0, 0.0),
        Sphere::in_world(Vector3::zeros(), 1.0),
    );
    let model = Model::new(Box::new(bead.unwrap()), vec![Contact::new(gap.unwrap(), 0.0)]).unwrap();
    let angle = 0.1_f64;
    let start = at(vec![angle.sin(), angle.cos(), 0.0], vec![0.0; 3]);
    let report = run(&model, &Newton::default(), &start, 2.0);
    let [time] = changes(&report, 0, Mode::Open)[..] else { panic!("{:?}", report.events) };
    // From there on it falls: `y(t) = y₀ + v₀ (t − t₀) − ½ g (t − t₀)²` with `3 cos θ = 2 cos 0.1`.
    let cosine = 2.0 / 3.0 * angle.cos();
    let speed = (2.0 * GRAVITY * (angle.cos() - cosine)).sqrt();
    let sine = (1.0 - cosine * cosine).sqrt();
    let flight = 2.0 - time;
    let y = cosine - speed * sine * flight - 0.5 * GRAVITY * flight * flight;
    let x = sine + speed * cosine * flight;
    assert!((report.state.coordinates[0] - x).abs() < 1e-7, "{:?} {x}", report.state);
    assert!((report.state.coordinates[1] - y).abs() < 1e-7, "{:?} {y}", report.state);
    assert!(report.energy.residual().abs() < 1e-8);
}

/// Inertia that is not that of a ball: skidding in space with the direction of slip turning, checked by the balance alone.
#[test]
fn sliding_in_space_with_turning_slip_balances() {
    let body = Body::new(1.0, Matrix3::from_diagonal(&Vector3::new(0.01, 0.02, 0.015)));
    let spheroid = FreeBodies::new(vec![body], Vector3::new(0.0, 0.0, -GRAVITY)).unwrap();
    let plane = Plane::new(&Vector3::z(), &Vector3::zeros()).unwrap();
    let offset = Sphere::on_body(0, Vector3::new(0.02, 0.01, 0.0), 0.2);
    let contact = Contact::new(SpherePlane::new(offset, plane).unwrap(), 0.2);
    let model = Model::new(Box::new(spheroid), vec![contact]).unwrap();
    let q = vec![0.0, 0.0, 0.2, 1.0, 0.0, 0.0, 0.0];
    // The point of contact neither approaches nor separates: v_z + ω_x y − ω_y x = 0.
    let (spin, center) = (Vector3::new(8.0, -3.0, 1.0), Vector3::new(0.02, 0.01, 0.0));
    let rise = -(spin.x * center.y - spin.y * center.x);
    let start = at(q, vec![2.0, 0.0, rise, spin.x, spin.y, spin.z]);
    let report = run(&model, &Newton::default(), &start, 1.0);
    assert_eq!(report.status, Status::EndReached);
    assert!(!changes(&report, 0, Mode::Sticking).is_empty(), "{:?}", report.events);
    assert!(report.energy.friction > 0.1);
    assert!(report.energy.residual().abs() < 1e-7, "{:?}", report.energy);
    assert!(report.drift.position < 2e-9, "{:?}", report.drift);
}
