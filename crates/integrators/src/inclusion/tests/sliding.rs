//! Contacts that slide while they carry, and impacts without a collision.

use super::*;

fn point(friction: f64, gravity: Vector2<f64>) -> Model {
    let body = PlanarBody::new(1.0, 1.0);
    let point = PlanarBodies::new(vec![body], gravity).unwrap();
    Model::new(Box::new(point), vec![corner(Vector3::zeros(), friction)]).unwrap()
}

fn kinds(solution: &Solution) -> Vec<(Kind, Vec<usize>, Vec<usize>)> {
    let of = |phase: &Phase| (phase.kind, phase.contacts.clone(), phase.sliding.clone());
    solution.phases.iter().map(of).collect()
}

/// With `μ = 0.3` an impact of 5 N·s leaves 0.5 m/s of 2 m/s; then friction stops the slip after `v/(μ g)` and
/// `v²/(2 μ g)`, and the point stays.
#[test]
fn a_point_slides_on_after_its_impact_and_stops() {
    let model = point(0.3, Vector2::new(0.0, -GRAVITY));
    let start = State { time: 0.0, coordinates: vec![0.0; 3], velocity: vec![2.0, -5.0, 0.0] };
    let solution = build(&model, &Settings::default(), &start, 2.0).unwrap();
    assert_eq!(solution.status, Status::EndReached);
    let expected = [
        (Kind::Impact, vec![0], vec![]),
        (Kind::Sustained, vec![0], vec![0]),
        (Kind::Sustained, vec![0], vec![]),
    ];
    assert_eq!(kinds(&solution), expected);
    let stop = solution.phases[1].end();
    let deceleration = 0.3 * GRAVITY;
    assert!((stop.time - 0.5 / deceleration).abs() < 1e-11, "{}", stop.time);
    assert!((stop.coordinates[0] - 0.125 / deceleration).abs() < 1e-11);
    let end = solution.phases[2].end();
    assert!((end.coordinates[0] - stop.coordinates[0]).abs() < 1e-11);
    // `s = t + Σ P_n` with `Σ P_n = 5 + m g t`.
    assert!((end.s - (2.0 + 5.0 + 2.0 * GRAVITY)).abs() < 1e-9, "{}", end.s);
    assert!(certify(&model, &solution).worst() < 1e-9, "{:?}", certify(&model, &solution));
}

/// Gravity at an angle of which the tangent exceeds `μ`: from rest the point slides with `g (sin α − μ cos α)`; at a
/// smaller angle it stays.
#[test]
fn a_slip_begins_where_friction_does_not_hold() {
    for (friction, side) in [(0.3, 1.0), (0.3, -1.0), (0.7, 1.0)] {
        let (sine, cosine) = 0.5_f64.sin_cos();
        let model = point(friction, Vector2::new(side * sine, -cosine) * GRAVITY);
        let start = State { time: 0.0, coordinates: vec![0.0; 3], velocity: vec![0.0; 3] };
        let solution = build(&model, &Settings::default(), &start, 0.4).unwrap();
        assert_eq!(solution.status, Status::EndReached);
        let acceleration = GRAVITY * (sine - friction * cosine).max(0.0);
        let slides = if acceleration > 0.0 { vec![0] } else { vec![] };
        assert_eq!(kinds(&solution), [(Kind::Sustained, vec![0], slides)]);
        let end = solution.phases[0].end().coordinates[0];
        assert!((end - 0.5 * side * acceleration * 0.16).abs() < 1e-11, "{friction} {side} {end}");
        assert!(certify(&model, &solution).worst() < 1e-9);
    }
}

/// A block of 1 m × 2 m slides on both corners, `h = 1 m` below its center: friction `μ m g` at the ground turns it forward, so
/// that the corner ahead carries `m g (½ + μ h/w)`. With `μ = 0.6` it would carry more than the weight: the block tips.
#[test]
fn a_sliding_block_leans_on_the_corner_ahead_or_tips() {
    let body = PlanarBody::new(1.0, 5.0 / 12.0);
    for (friction, tips) in [(0.2, false), (0.6, true)] {
        let system = PlanarBodies::new(vec![body], Vector2::new(0.0, -GRAVITY)).unwrap();
        let corners = [-0.5, 0.5].map(|x| corner(Vector3::new(x, -1.0, 0.0), friction));
        let model = Model::new(Box::new(system), corners.into()).unwrap();
        let velocity = vec![1.0, 0.0, 0.0];
        let start = State { time: 0.0, coordinates: vec![0.0, 1.0, 0.0], velocity };
        let solution = build(&model, &Settings::default(), &start, 0.3).unwrap();
        assert_eq!(solution.status, Status::EndReached, "{:?}", kinds(&solution));
        let first = solution.phases[0].start();
        let forces: Vec<f64> = first.rates.iter().map(|rate| rate / first.time_rate).collect();
        if tips {
            assert_eq!(solution.phases[0].contacts, [1]);
            assert!(solution.phases[0].end().velocity[2] < 0.0, "it turns forward");
        } else {
            assert_eq!(solution.phases[0].sliding, [0, 1]);
            for (force, share) in [(forces[0], 0.3), (forces[2], 0.7)] {
                assert!((force - share * GRAVITY).abs() < 1e-9, "{forces:?}");
            }
            assert!((forces[1] + 0.2 * forces[0]).abs() < 1e-9, "friction opposes the slip");
        }
        assert!(certify(&model, &solution).worst() < 1e-8, "{:?}", certify(&model, &solution));
    }
}

/// The slender rod of 1 kg and 1 m at the angle `θ` from the ground, whose lower tip slides along the ground at `v = 2 m/s`.
fn rod(angle: f64, friction: f64) -> (Model, State) {
    let body = PlanarBody::new(1.0, 1.0 / 12.0);
    let system = PlanarBodies::new(vec![body], Vector2::new(0.0, -GRAVITY)).unwrap();
    let tip = corner(Vector3::new(-0.5, 0.0, 0.0), friction);
    let model = Model::new(Box::new(system), vec![tip]).unwrap();
    // The tip is ahead of the center.
    let coordinates = vec![0.0, 0.5 * angle.sin(), angle];
    (model, State { time: 0.0, coordinates, velocity: vec![-2.0, 0.0, 0.0] })
}

/// Where `μ ≥ μ*(θ)`, no force keeps the tip closed: an impulse of `(m v/8)(5 + 3 cos 2θ, 3 sin 2θ)` stops it, of which the
/// first part slows its slip and presses it down. Below, the rod slides with the force of the paper.
#[test]
fn the_rod_of_painleve_stops_without_a_collision() {
    for angle in [0.9_f64, 1.1, 1.3] {
        let threshold = (angle.cos() + 1.0 / (3.0 * angle.cos())) / angle.sin();
        let (model, start) = rod(angle, 1.02 * threshold);
        let solution = build(&model, &Settings::default(), &start, 0.05).unwrap();
        let pieces: Vec<_> =
            solution.phases.iter().take_while(|phase| phase.kind == Kind::Impact).collect();
        assert_eq!(pieces.len(), 2, "{angle}: {:?} {:?}", solution.status, kinds(&solution));
        let end = &pieces[0].end().velocity;
        let tip = end[1] - 0.5 * angle.cos() * end[2];
        assert!(tip < -1e-3, "the tip is pressed down: {tip}");
        let impulse = [0, 1].map(|component| -> f64 {
            pieces
                .iter()
                .map(|piece| piece.start().rates[component] * (piece.end().s - piece.start().s))
                .sum()
        });
        let expected = [3.0 * (2.0 * angle).sin(), 5.0 + 3.0 * (2.0 * angle).cos()];
        for (found, expected) in impulse.iter().zip(expected) {
            assert!((found - expected * 2.0 / 8.0).abs() < 1e-12, "{angle}: {impulse:?}");
        }
        assert_eq!(solution.status, Status::EndReached, "{:?}", kinds(&solution));
        assert!(certify(&model, &solution).worst() < 1e-9, "{:?}", certify(&model, &solution));

        let (model, start) = rod(angle, 0.9 * threshold);
        let solution = build(&model, &Settings::default(), &start, 0.001).unwrap();
        let first = &solution.phases[0];
        assert_eq!((first.kind, &first.sliding[..]), (Kind::Sustained, &[0][..]));
        let moment = first.start();
        let force = moment.rates[0] / moment.time_rate;
        let lifts = 1.0 + 3.0 * angle.cos() * (angle.cos() - 0.9 * threshold * angle.sin());
        assert!((force - GRAVITY / lifts).abs() < 1e-9 * force, "{angle}: {force}");
        assert!(certify(&model, &solution).worst() < 1e-9);
    }
}

/// With its tip pulled upward the rod in Painlevé's case has several solutions: it is left, or carries a force that its
/// friction needs. That it carries comes first, as documented.
#[test]
fn a_pulled_rod_carries_although_it_could_be_left() {
    let body = PlanarBody::new(1.0, 1.0 / 12.0);
    let system = PlanarBodies::new(vec![body], Vector2::new(0.0, 1.0)).unwrap();
    let model = Model::new(Box::new(system), vec![corner(Vector3::new(-0.5, 0.0, 0.0), 2.0)]);
    let (model, (_, start)) = (model.unwrap(), rod(1.1, 2.0));
    let solution = build(&model, &Settings::default(), &start, 1e-3).unwrap();
    let moment = solution.phases[0].start();
    let lifts = 1.0 + 3.0 * 1.1_f64.cos() * (1.1_f64.cos() - 2.0 * 1.1_f64.sin());
    assert!(lifts < 0.0);
    assert!((moment.rates[0] / moment.time_rate + 1.0 / lifts).abs() < 1e-9, "{moment:?}");
    assert!(certify(&model, &solution).worst() < 1e-9);
}
