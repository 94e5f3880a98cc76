//! Motion from event to event where more contacts touch than the forces need.

use percussion_impact::poisson::Poisson;
use percussion_integrators::event_driven::{EventKind, Status};
use percussion_mechanism::{event_motion::EventMotion, scenario::Scenario};

const FLOOR: &str = r#"
    [[planes]]
    name = "floor"
    point = [0.0, 0.0, 0.0]
    normal = [0.0, 0.0, 1.0]
"#;

fn motion(scene: &str) -> EventMotion {
    let scenario = Scenario::from_toml_str(scene).unwrap();
    scenario.simulate_events(&Poisson::default(), &mut |_| ()).unwrap()
}

fn head(gravity: [f64; 3], duration: f64, friction: f64) -> String {
    format!(
        r#"
        name = "redundant"
        title = "More contacts than the forces need"
        source = "statics"
        dimension = "space"
        gravity = {gravity:?}
        duration = {duration:?}
        friction = {friction:?}
        integrator = {{ method = "event-driven", step_size = 0.1 }}
        "#
    )
}

/// A ladder on a rough floor and a rough wall stands up to `tan θ = 2 μ/(1 − μ²)` from the vertical. Friction at both ends
/// then holds it in the same direction, and one of the two stays at its bound.
#[test]
fn a_ladder_stands_up_to_its_limit_and_not_beyond() {
    let friction = 0.4_f64;
    for (fraction, stands) in [(0.5, true), (0.95, true), (0.99, true), (1.05, false)] {
        let angle = (fraction * 2.0 * friction / (1.0 - friction * friction)).atan();
        let (half, radius) = (0.5, 0.02);
        let (x, z) = (-radius - half * angle.sin(), radius + half * angle.cos());
        let scene = format!(
            r#"{}
            [[bodies]]
            name = "ladder"
            mass = 1.0
            shape.capsule = {{ half_length = {half:?}, radius = {radius:?} }}
            position = [{x:?}, 0.0, {z:?}]
            orientation = {{ axis = [0.0, 1.0, 0.0], angle = {angle:?} }}

            [[planes]]
            name = "wall"
            point = [0.0, 0.0, 0.0]
            normal = [-1.0, 0.0, 0.0]
            {FLOOR}"#,
            head([0.0, 0.0, -9.81], 0.5, friction)
        );
        let motion = motion(&scene);
        let moved = (motion.trajectory.end().coordinates[2] - z).abs();
        assert_eq!(moved < 1e-12, stands, "{fraction}: moved by {moved} m");
        assert_eq!(motion.report.status, Status::EndReached, "{fraction}");
    }
}

/// The four corners of a box start to slide together, by `½ (g sin θ − μ g cos θ) t²`, also where this is much slower than
/// friction alone would accelerate. Modes are decided to 1e-7 of the acceleration by gravity, which is 5e-7 m after a second.
#[test]
fn a_box_starts_to_slide_straight() {
    let (along, down) = (4.436_373_230_1, 8.962_370_162_8);
    for friction in [0.0, 0.3, 0.49, 0.494] {
        let scene = format!(
            r#"{}
            [[bodies]]
            name = "box"
            mass = 2.0
            shape.box.half_extents = [0.5, 0.4, 0.1]
            position = [0.0, 0.0, 0.1]
            {FLOOR}"#,
            head([along, 0.0, -down], 1.0, friction)
        );
        let motion = motion(&scene);
        let expected = 0.5 * (along - friction * down);
        let end = &motion.trajectory.end().coordinates;
        assert!(
            (end[0] - expected).abs() < 5e-7,
            "μ = {friction}: {} m, expected {expected}",
            end[0]
        );
        assert!(end[1].abs() < 5e-7, "μ = {friction}: {} m to the side", end[1]);
        assert_eq!(motion.report.status, Status::EndReached, "μ = {friction}");
    }
}

/// Boxes on top of each other stay, although two of the four contacts of each pair could carry them.
#[test]
fn a_stack_of_boxes_stays() {
    let mut scene = head([0.0, 0.0, -9.81], 2.0, 0.5) + FLOOR;
    for number in 0..6 {
        let height = 0.1 + 0.2 * f64::from(number);
        scene += &format!(
            r#"
            [[bodies]]
            name = "box {number}"
            mass = 1.0
            shape.box.half_extents = [0.1, 0.1, 0.1]
            position = [0.0, 0.0, {height:?}]
            "#
        );
    }
    let motion = motion(&scene);
    assert_eq!(motion.report.status, Status::EndReached);
    let impacts =
        motion.report.events.iter().filter(|event| matches!(event.kind, EventKind::Impact { .. }));
    assert_eq!(impacts.count(), 0);
    let (start, end) = (&motion.trajectory.samples[0], motion.trajectory.end());
    for (before, after) in start.coordinates.iter().zip(&end.coordinates) {
        assert!((before - after).abs() < 1e-9, "{before} has become {after}");
    }
}
