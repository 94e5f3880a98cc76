//! Motions of the files in `fixtures/mechanisms`.

use std::f64::consts::PI;

use percussion_collision::Shape;
use percussion_impact::anitescu_potra::AnitescuPotra;
use percussion_integrators::{event_driven, schemes::Name};
use percussion_mechanism::{
    scenario::{AngularVelocity, Orientation, Scenario},
    trajectory::{Status, Trajectory},
    view,
};
use percussion_record::view::Motion;

use crate::{FINDING, WITHOUT_JOINTS, impulse, read, run};

/// `v²/(2 μ g) = 0.9 m`, up to `v h/2`; the floor carries `m g t = 20 N·s`.
#[test]
fn a_box_slides_to_rest() {
    let scenario = read("sliding-box.toml");
    for method in WITHOUT_JOINTS {
        let trajectory = run(&scenario, method);
        let end = trajectory.end();
        assert!((end.coordinates[0] - 0.9).abs() < 0.008, "{method:?} {end:?}");
        assert!(end.velocity.iter().all(|v| v.abs() < 1e-6), "{method:?} {end:?}");
        assert!((impulse(&trajectory, "box–floor (vertex ") - 20.0).abs() < 1e-5, "{method:?}");
        assert_eq!(trajectory.status(), Status::Completed);
        assert!(trajectory.deepest_penetration() < 1e-7, "{method:?}");
    }
}

/// The sledge follows its runners for `v²/(2 μ₁ g)`, the ball rolls for `v²/(2a)`; both up to `v h/2`.
#[test]
fn a_sledge_and_a_ball_run_out() {
    let scenario = read("sledge-and-ball.toml");
    for method in [Name::ImpulseVelocity, Name::MoreauJean] {
        let trajectory = run(&scenario, method);
        let (end, direction) = (trajectory.end(), [f64::sqrt(0.75), 0.5]);
        for (place, direction) in end.coordinates.iter().zip(direction) {
            assert!((place - 0.5 * direction).abs() < 0.0011, "{method:?} {end:?}");
        }
        // Not turned.
        assert!((end.coordinates[3] - f64::cos(PI / 12.0)).abs() < 1e-9, "{method:?} {end:?}");
        assert!((end.coordinates[7] - 1.4).abs() < 0.0011, "{method:?} {end:?}");
        assert!(end.velocity.iter().all(|v| v.abs() < 1e-6), "{method:?} {end:?}");
        let rolling = |name: &str| name == "ball–ice";
        let mut moments = trajectory
            .reports
            .iter()
            .flat_map(|step| &step.contacts)
            .filter(|contact| rolling(&trajectory.contact_names[contact.contact]));
        // μ_ρ m g h about the axis of rolling.
        let moment = moments.next().expect("the ball touches").moment;
        assert!((moment.norm() - 0.005 * 10.0 * 0.002).abs() < 1e-9, "{moment}");
    }
}

/// The directions of sections turn with the world and with their bodies.
#[test]
fn a_turned_sledge_runs_as_before() {
    let scenario = read("sledge-and-ball.toml");
    let mut turned = scenario.clone();
    let sledge = &mut turned.bodies[0];
    sledge.orientation = Some(Orientation::AxisAngle { axis: [0.0, 0.0, 1.0], angle: -1.2 });
    sledge.velocity = Some(vec![f64::cos(1.2), -f64::sin(1.2), 0.0]);
    // The second partner is then the one with the direction.
    let [sections, _] = turned.contacts.as_deref_mut().expect("a list") else { panic!("two") };
    sections.between.reverse();
    sections.along = Some([f64::cos(1.2), -f64::sin(1.2), 0.0]);
    let [one, other] = [&scenario, &turned].map(|scenario| run(scenario, Name::MoreauJean));
    let way = |trajectory: &Trajectory| {
        let end = &trajectory.end().coordinates;
        end[0].hypot(end[1])
    };
    assert!((way(&one) - way(&other)).abs() < 1e-9, "{} {}", way(&one), way(&other));
}

#[test]
fn impacts_have_round_cones() {
    let mut scenario = read("sledge-and-ball.toml");
    scenario.bodies[0].velocity = Some(vec![0.0, 0.0, -1.0]);
    let error = scenario.build().unwrap().impact().map(|_| ()).unwrap_err();
    let expected = "has the section ellipse, expected a coefficient `friction`";
    assert!(error.to_string().contains(expected), "{error}");
}

/// A cylinder that turns by 0.7 rad within a step slips with `v = μ g t` and `ω = ω₀ − 2 μ g t/r`.
#[test]
fn a_fast_cylinder_slips_on_its_lowest_line() {
    let mut scenario = read("sliding-box.toml");
    scenario.friction = Some(0.1);
    scenario.duration = 0.5;
    let cylinder = &mut scenario.bodies[0];
    cylinder.shape = Some(Shape::Cylinder { half_height: 0.1, radius: 0.15 });
    cylinder.position = vec![0.0, 0.0, 0.15];
    cylinder.orientation =
        Some(Orientation::AxisAngle { axis: [1.0, 0.0, 0.0], angle: std::f64::consts::FRAC_PI_2 });
    cylinder.velocity = None;
    cylinder.angular_velocity = Some(AngularVelocity::Vector([0.0, 140.0, 0.0]));
    for method in FINDING {
        let trajectory = run(&scenario, method);
        let end = &trajectory.end().velocity;
        let (speed, spin) = (0.1 * 10.0 * 0.5, 140.0 - 2.0 * 0.1 * 10.0 * 0.5 / 0.15);
        assert!((end[0] - speed).abs() < 1e-7, "{method:?} {end:?}");
        assert!((end[4] - spin).abs() < 1e-5, "{method:?} {end:?}");
        assert!(end[2].abs() < 1e-7, "{method:?} {end:?}");
    }
}

/// Each layer carries the layers above it: 3, 2 and 1 kg.
#[test]
fn a_stack_stays() {
    let scenario = read("box-stack.toml");
    for method in WITHOUT_JOINTS {
        let trajectory = run(&scenario, method);
        let layers = [("box 1–floor", 6.0), ("box 1–box 2", 3.0), ("box 2–box 3", 1.0)];
        for (name, mass) in layers {
            let found = impulse(&trajectory, name);
            assert!((found - mass * 9.81).abs() < 1e-4, "{method:?} {name} {found}");
        }
        let moved = trajectory.end().displacement.iter().fold(0.0_f64, |far, d| far.max(d.abs()));
        assert!(moved < 1e-5, "{method:?} {moved}");
    }
}

/// `g (sin α − μ cos α) t` with `α = 25°`: it slides with `μ = 0.3` and sticks with `μ = 0.6`.
#[test]
fn a_hull_slides_or_sticks_on_a_slope() {
    let scenario = read("hull-on-slope.toml");
    let (sin, cos) = 25.0_f64.to_radians().sin_cos();
    for method in WITHOUT_JOINTS {
        for (friction, expected) in [(0.3, 9.81 * (sin - 0.3 * cos) * 0.5), (0.6, 0.0)] {
            let scenario = Scenario { friction: Some(friction), ..scenario.clone() };
            let trajectory = run(&scenario, method);
            let v = &trajectory.end().velocity;
            // Down the slope is along (cos α, 0, −sin α).
            let speed = v[0] * cos - v[2] * sin;
            assert!((speed - expected).abs() < 1e-5, "{method:?} {friction} {speed} {expected}");
        }
    }
}

/// It stays in front of the wall and comes to rest on a face.
#[test]
fn a_thrown_box_comes_to_rest_in_its_corner() {
    let scenario = read("box-and-wall.toml");
    for method in FINDING {
        let trajectory = run(&scenario, method);
        let end = trajectory.end();
        assert_eq!(trajectory.status(), Status::Completed, "{method:?}");
        assert!(end.velocity.iter().all(|v| v.abs() < 1e-3), "{method:?} {end:?}");
        assert!(end.coordinates[0] < 1.9, "{method:?} {end:?}");
        assert!(impulse(&trajectory, "box–wall") > 0.0, "{method:?}");
    }
}

/// The friction of a pair is that of `[[contacts]]`, and pairs that are not listed do not touch.
#[test]
fn pairs_have_their_own_coefficients() {
    let mut scenario = read("sliding-box.toml");
    let listed = |between: [&str; 2], friction| percussion_mechanism::scenario::Contact {
        between: between.map(str::to_owned),
        friction,
        restitution: None,
        section: None,
        along: None,
    };
    scenario.contacts = Some(vec![listed(["floor", "box"], Some(0.9))]);
    for method in WITHOUT_JOINTS {
        let trajectory = run(&scenario, method);
        // 9/(2 · 0.9 · 10)
        assert!((trajectory.end().coordinates[0] - 0.5).abs() < 0.008, "{method:?}");
    }
    scenario.contacts = Some(Vec::new());
    let trajectory = run(&scenario, FINDING[2]);
    assert!((trajectory.end().velocity[2] + 10.0).abs() < 1e-9, "it falls through");
    assert_eq!(trajectory.found, Some(Vec::new()));
}

/// The mean of a surface with `μ = 0.2` and one with `μ = 0.8` is 0.4.
#[test]
fn surfaces_have_their_own_friction() {
    let scenario = read("sliding-box.toml");
    let mut text = toml::to_string(&scenario).unwrap();
    assert!(text.contains("[bodies.shape.box]"), "{text}");
    let shapes = "[[bodies.shapes]]\nfriction = 0.2\nshape.box.half_extents = [0.5, 0.4, 0.1]\n";
    text = text.replace("[bodies.shape.box]\nhalf_extents = [0.5, 0.4, 0.1]\n", shapes);
    text = text.replace("friction = 0.5", "friction = 0.8");
    let trajectory = run(&Scenario::from_toml_str(&text).unwrap(), FINDING[2]);
    assert!((trajectory.end().coordinates[0] - 9.0 / 8.0).abs() < 0.008, "{:?}", trajectory.end());
    assert!(
        trajectory.contact_names[0].starts_with("box/0–floor"),
        "{:?}",
        trajectory.contact_names
    );
}

/// Cranks of equal length keep the coupler level, and the loop keeps closed.
#[test]
fn a_loop_of_joints_stays_closed() {
    let scenario = read("four-bar.toml");
    for method in FINDING {
        let trajectory = run(&scenario, method);
        let setup = scenario.build().unwrap();
        let system = setup.mechanism.model.system();
        let names: Vec<_> = setup.mechanism.parts.iter().map(|part| part.name.as_str()).collect();
        let coupler = names.iter().position(|name| *name == "coupler").unwrap();
        let right = names.iter().position(|name| *name == "right crank").unwrap();
        for sample in &trajectory.samples {
            let pose = system.pose(&sample.coordinates, coupler);
            assert!(pose.rotation.angle() < 1e-3, "{method:?} {sample:?}");
            // The frame of the coupler is at its left pin, that of the crank at its bearing.
            let pin = pose * nalgebra::Point3::new(2.0, 0.0, 0.0);
            let crank =
                system.pose(&sample.coordinates, right) * nalgebra::Point3::new(1.0, 0.0, 0.0);
            assert!((pin - crank).norm() < 1e-3, "{method:?} {pin} {crank}");
        }
        assert!(
            impulse(&trajectory, "coupler–stop") > 0.0,
            "{method:?} {:?}",
            trajectory.contact_names
        );
    }
}

/// The page has a place for every body and for fixed objects, and contacts at the position of the box.
#[test]
fn pages_show_boxes_and_walls() {
    let scenario = read("box-and-wall.toml");
    let setup = scenario.build().unwrap();
    let trajectory = setup.simulate(&mut |_| ()).unwrap();
    let view = view::of_trajectory(&setup, &trajectory);
    let names: Vec<_> = view.bodies.iter().map(|body| body.name.as_str()).collect();
    assert_eq!(names, ["box", "wall"]);
    assert!(view.bodies.iter().all(|body| body.solids.len() == 1));
    let motion = &view.motions[0];
    assert!(motion.poses.iter().all(|poses| poses.len() == 14));
    assert!(motion.touches.iter().flatten().count() > 100);
    assert!(motion.touches.iter().flatten().all(|touch| touch.contact < view.contacts.len()));
    let table = trajectory.table(&setup);
    assert_eq!(table.columns.len(), table.rows[0].len());
}

/// In event-driven motion the box stops after 0.6 s and 0.9 m, and the corners that touch have names.
#[test]
fn contacts_are_found_from_event_to_event() {
    let scenario = read("sliding-box.toml");
    let setup = scenario.build().unwrap();
    let motion = setup.simulate_events(&AnitescuPotra::default(), &mut |_| ()).unwrap();
    assert_eq!(motion.report.status, event_driven::Status::EndReached);
    let end = motion.trajectory.end();
    assert!((end.coordinates[0] - 0.9).abs() < 1e-8, "{end:?}");
    let names = &motion.trajectory.contact_names;
    assert_eq!(names.len(), 4, "{names:?}");
    assert!(names.iter().all(|name| name.starts_with("box–floor (vertex ")), "{names:?}");
    assert_eq!(motion.report.modes.len(), 4);
    let carried: f64 = motion.contacts[1].forces.chunks(3).map(|force| force[0]).sum();
    assert!((carried - 20.0).abs() < 1e-9, "{carried}");
    let view = view::of_event_motion(&setup, &motion);
    let Motion { times, touches, .. } = &view.motions[0];
    assert!(touches.iter().flatten().all(|touch| touch.contact < 4));
    // The floor carries the weight at all times, also where the box stops: of two frames there the second one is shown.
    let mut carried = 0.0;
    for (k, frame) in touches.iter().enumerate().skip(1) {
        let pushed: f64 = frame.iter().map(|touch| f64::from(touch.impulse[2])).sum();
        let is_shown = times.get(k + 1).is_none_or(|next| next > &times[k]);
        assert!(!is_shown || times[k] == 0.0 || pushed > 0.0, "at {} s", times[k]);
        carried += pushed;
    }
    assert!((carried - 20.0 * end.time).abs() < 1e-3, "{carried}");
    let table = motion.trajectory.table(&setup);
    assert!(table.rows.iter().all(|row| row.len() == table.columns.len()));
}
