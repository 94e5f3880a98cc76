//! A ball on a floor, and two links, computed by hand.

use super::*;

fn ball(friction: f64) -> Scene {
    let body = Body {
        mass: 2.0,
        inertia: [0.008; 3],
        force: [0.0; 3],
        parent: None,
        joint: [0.0; 2],
        center: [0.0; 2],
    };
    let ball = Ball { body: 0, center: [0.0; 3], radius: 0.1 };
    let floor = Other::Plane([0.0, 0.0, 1.0], 0.0);
    Scene {
        kind: Kind::Space,
        bodies: vec![body],
        gravity: [0.0, 0.0, -10.0],
        contacts: vec![Contact { ball, other: floor, friction, restitution: 0.0 }],
    }
}

const Q: [f64; 7] = [0.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0];
const REST: [f64; 6] = [0.0; 6];

fn sample<'a>(time: f64, coordinates: &'a [f64], velocity: &'a [f64]) -> Sample<'a> {
    Sample { time, coordinates, velocity }
}

/// A ball at rest on the floor for a step of 0.01 s: the impulse is `m g h = 0.2`.
fn resting(impulse: [f64; 3], end: &[f64; 6]) -> Verdict {
    let impulses = [(0, impulse)];
    let step = Step {
        length: 0.01,
        start: sample(0.0, &Q, &REST),
        end: sample(0.01, &Q, end),
        place: &Q,
        impulses: &impulses,
        twists: &[],
        tolerance: 1e-8,
    };
    ball(0.5).step(Rule::ImpulseVelocity(0.2), &step)
}

#[test]
fn a_ball_at_rest_holds() {
    let verdict = resting([0.0, 0.0, 0.2], &REST);
    assert!(verdict.holds(), "{verdict}");
}

#[test]
fn an_impulse_that_does_not_fit_the_momentum_is_seen() {
    assert!(resting([0.0, 0.0, 0.2 + 1e-12], &REST).refuses("momentum"));
    // A tangential impulse without the spin that it causes: 0.1 N·s at 0.1 m.
    let pushed = [0.05, 0.0, 0.0, 0.0, 0.0, 0.0];
    let verdict = resting([0.1, 0.0, 0.2], &pushed);
    assert!(verdict.refuses("angular momentum") && !verdict.refuses("momentum"), "{verdict}");
}

#[test]
fn impulses_that_pull_or_leave_the_cone_are_seen() {
    assert!(resting([0.0, 0.0, -0.2], &REST).refuses("adhesion"));
    assert!(resting([0.11, 0.0, 0.2], &REST).refuses("cone"));
    assert!(!resting([0.1, 0.0, 0.2], &REST).refuses("cone"));
}

#[test]
fn friction_that_drives_and_contacts_that_part_are_seen() {
    let sliding = [0.05, 0.0, 0.0, 0.0, -1.25, 0.0];
    let verdict = resting([0.1, 0.0, 0.2], &sliding);
    assert!(verdict.refuses("friction") && !verdict.refuses("angular momentum"), "{verdict}");
    let rising = [0.0, 0.0, 0.1, 0.0, 0.0, 0.0];
    let verdict = resting([0.0, 0.0, 0.4], &rising);
    assert!(verdict.refuses("complementarity") && !verdict.refuses("momentum"), "{verdict}");
    let sinking = [0.0, 0.0, -0.1, 0.0, 0.0, 0.0];
    assert!(resting([0.0; 3], &sinking).refuses("approach"));
}

/// The height of the ball is known to 1e-17 m, which a step of 0.01 s closes at 1e-15 m/s.
#[test]
fn gaps_are_known_to_their_rounding_over_a_step() {
    let scene = Scene { gravity: [0.0; 3], ..ball(0.5) };
    let approaches = |speed: f64| {
        let end = [0.0, 0.0, -speed, 0.0, 0.0, 0.0];
        let impulses = [(0, [0.0; 3])];
        let step = Step {
            length: 0.01,
            start: sample(0.0, &Q, &REST),
            end: sample(0.01, &Q, &end),
            place: &Q,
            impulses: &impulses,
            twists: &[],
            tolerance: 1e-8,
        };
        scene.step(Rule::ImpulseVelocity(0.2), &step).refuses("approach")
    };
    assert!(!approaches(1e-15) && approaches(1e-9));
}

#[test]
fn energy_from_nowhere_is_seen() {
    let scene = ball(0.0);
    let falling = [0.0, 0.0, -1.0, 0.0, 0.0, 0.0];
    let faster = [0.0, 0.0, 2.0, 0.0, 0.0, 0.0];
    let samples = [sample(0.0, &Q, &falling), sample(0.1, &Q, &faster)];
    // Passive: ½ (√2 + √(2) 10 · 0.1)² = 4 J, of 1 J at first; at the same height 4 J are 3 J too many.
    assert!((scene.passive(&samples[0], 0.1) - 4.0).abs() < 1e-12);
    let verdict = scene.motion(&samples, Keeping::Controlled(1e-6), &[]);
    let energy = verdict.figure("energy").unwrap();
    assert!((energy.value - 3.0).abs() < 1e-12 && verdict.refuses("energy"), "{verdict}");
    assert!(scene.motion(&samples[..1], Keeping::Controlled(0.0), &[]).holds());
}

/// A ball of 2 kg touches the floor, apart from the rounding of its height, without gravity, and is pushed
/// out within a step: 1e-17 m in 0.01 s is 1e-15 m/s and 1e-30 J. An overlap of a thousand times the rounding
/// error of its coordinates is not accepted.
#[test]
fn rest_is_known_to_the_rounding_of_gaps() {
    let scene = Scene { gravity: [0.0; 3], ..ball(0.0) };
    let judged = |speed: f64, keeping: Keeping| {
        let pushed = [0.0, 0.0, speed, 0.0, 0.0, 0.0];
        let samples = [sample(0.0, &Q, &REST), sample(0.01, &Q, &pushed)];
        scene.motion(&samples, keeping, &[])
    };
    for keeping in [Keeping::First(0.01), Keeping::Second(0.01), Keeping::Controlled(1e-6)] {
        assert!(judged(1e-15, keeping).holds(), "{keeping:?}");
        let far = 1e3 * ROUNDINGS * 0.2 * 2.0 / 0.01;
        assert!(judged(far, keeping).refuses("energy"), "{keeping:?}");
    }
    // Without contacts nothing can open.
    let alone = Scene { contacts: vec![], ..scene.clone() };
    let pushed = [0.0, 0.0, 1e-15, 0.0, 0.0, 0.0];
    let samples = [sample(0.0, &Q, &REST), sample(0.01, &Q, &pushed)];
    assert!(alone.motion(&samples, Keeping::First(0.01), &[]).refuses("energy"));
}

#[test]
fn numbers_that_are_none_and_long_quaternions_are_seen() {
    let scene = ball(0.0);
    let broken = [0.0, f64::NAN, 0.0, 0.0, 0.0, 0.0];
    let long = [0.0, 0.0, 0.1, 1.0 + 1e-12, 0.0, 0.0, 0.0];
    let samples = [sample(0.0, &Q, &REST), sample(0.1, &Q, &broken)];
    assert!(scene.motion(&samples, Keeping::Controlled(1.0), &[]).refuses("finite"));
    let samples = [sample(0.0, &Q, &REST), sample(0.1, &long, &REST)];
    assert!(scene.motion(&samples, Keeping::Controlled(1.0), &[]).refuses("quaternion"));
}

#[test]
fn gaps_are_those_of_centers_and_radii() {
    let scene = ball(0.0);
    let low = [0.0, 0.0, 0.1 - 1e-6, 1.0, 0.0, 0.0, 0.0];
    let samples = [sample(0.0, &low, &REST)];
    assert!((scene.gap(&low, 0) + 1e-6).abs() < 1e-16);
    assert!(scene.gaps(&samples, 0.9e-6).refuses("penetration"));
    assert!(scene.gaps(&samples, 1.1e-6).holds());
}

/// Two links of 1 m with their masses of 1 kg at their ends, stretched: the kinetic energy is `½ (θ̇₁² + (2θ̇₁ + θ̇₂)²)`.
#[test]
fn links_carry_one_another() {
    let link = |parent, joint| Body {
        mass: 1.0,
        inertia: [0.0; 3],
        force: [0.0; 3],
        parent,
        joint,
        center: [1.0, 0.0],
    };
    let scene = Scene {
        kind: Kind::Links,
        bodies: vec![link(None, [0.0; 2]), link(Some(0), [1.0, 0.0])],
        gravity: [0.0, -10.0, 0.0],
        contacts: vec![],
    };
    let kinetic = scene.kinetic(&[0.3, 0.0], &[2.0, 3.0]).value();
    assert!((kinetic - 0.5 * (4.0 + 49.0)).abs() < 1e-12, "{kinetic}");
    let (potential, _) = scene.potential(&[0.3, 0.0]);
    assert!((potential.value() - 30.0 * 0.3_f64.sin()).abs() < 1e-12, "{potential:?}");
}

/// A ball of 2 kg under 10 m/s² that sticks at 0.1 m from its center swings about that point with `Ω² = 20 · 0.1/0.008 = 250/s²`; a scheme
/// of second order may gain the fraction `h²Ω²` of the available 0.01 J in 0.01 s.
#[test]
fn bodies_swing_about_their_contacts() {
    let judged = |scene: &Scene, gain: f64| {
        let end = [0.0, 0.0, gain.sqrt(), 0.0, 0.0, 0.0];
        let samples = [sample(0.0, &Q, &REST), sample(0.01, &Q, &end)];
        scene.motion(&samples, Keeping::Second(0.01), &[])
    };
    let scene = ball(1.0);
    assert!(judged(&scene, 2.4e-4).holds(), "{}", judged(&scene, 2.4e-4));
    assert!(judged(&scene, 2.7e-4).refuses("energy"));
    let alone = Scene { contacts: vec![], ..scene };
    assert!(judged(&alone, 1e-5).refuses("energy"));
}

/// Two balls push one another with 1 N·s; normals are known to `2.2e-9` rad, and a frame that turns a hundred times as fast to a hundred
/// times that.
#[test]
fn impulses_are_known_as_well_as_their_frames() {
    let one = ball(0.5);
    let other = Ball { body: 1, center: [0.0; 3], radius: 0.1 };
    let contact = Contact { other: Other::Ball(other), ..one.contacts[0] };
    let bodies = vec![one.bodies[0].clone(), one.bodies[0].clone()];
    let scene = Scene { bodies, gravity: [0.0; 3], contacts: vec![contact], ..one };
    let place = [Q, [0.0, 0.0, -0.1, 1.0, 0.0, 0.0, 0.0]].concat();
    let end = [0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, -0.5, 0.0, 0.0, 0.0];
    let refuses = |off: f64, twist: f64| {
        let impulses = [(0, [off, 0.0, 1.0])];
        let step = Step {
            length: 0.01,
            start: sample(0.0, &place, &[0.0; 12]),
            end: sample(0.01, &place, &end),
            place: &place,
            impulses: &impulses,
            twists: &[twist],
            tolerance: 1e-8,
        };
        scene.step(Rule::StewartTrinkle([1e-10; 2]), &step).refuses("momentum")
    };
    assert!(!refuses(2e-9, 1.0) && refuses(1e-8, 1.0));
    assert!(!refuses(1e-8, 100.0) && refuses(1e-6, 100.0));
}
