//! Robots made at random, of boxes and capsules, fall on a floor from event to event: none hangs, and almost all of them
//! reach the end, with an account of their energy.
//!
//! Without `PERCUSSION_SLOW=1` there are few of them and they fall for a short time. With it 198 of 200 reach the end; two
//! end at the limit of work, after more than 120 000 implicit steps.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::fmt::Write;

use percussion_impact::{Law, newton::Newton, plus::Plus};
use percussion_integrators::event_driven::{Report, Settings, Status, integrate};
use percussion_mechanism::scenario::Scenario;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The mass of a body (kg) and its moments of inertia (kg·m²), with its shape in URDF.
struct Part {
    mass: f64,
    inertia: [f64; 3],
    shape: String,
    /// Half of its length along z (m).
    reach: f64,
}

/// A box of 5 to 40 cm, or a capsule of a radius of 3 to 8 cm.
fn part(random: &mut ChaCha8Rng) -> Part {
    let density = random.random_range(300.0..3000.0);
    if random.random_bool(0.5) {
        let [x, y, z] = [0; 3].map(|_| random.random_range(0.05..0.4));
        let mass = density * x * y * z;
        let inertia = [y * y + z * z, x * x + z * z, x * x + y * y].map(|sum| mass * sum / 12.0);
        let shape = format!("<box size=\"{x} {y} {z}\"/>");
        return Part { mass, inertia, shape, reach: 0.5 * z };
    }
    let (radius, length) = (random.random_range(0.03..0.08), random.random_range(0.1..0.4));
    let cylinder = density * std::f64::consts::PI * radius * radius * length;
    let mass = cylinder * (1.0 + 4.0 * radius / (3.0 * length));
    // That of a cylinder of this mass: any positive moments that bodies can have will do.
    let across = mass * (3.0 * radius * radius + length * length) / 12.0;
    let inertia = [across, across, 0.5 * mass * radius * radius];
    let shape = format!("<capsule radius=\"{radius}\" length=\"{length}\"/>");
    Part { mass, inertia, shape, reach: 0.5 * length + radius }
}

/// A robot of two to eight links.
fn robot(random: &mut ChaCha8Rng) -> String {
    let count = random.random_range(2..9);
    let parts: Vec<Part> = (0..count).map(|_| part(random)).collect();
    let mut text = "<robot name=\"tree\">\n".to_owned();
    for (k, Part { mass, inertia: [a, b, c], shape, .. }) in parts.iter().enumerate() {
        writeln!(
            text,
            "<link name=\"l{k}\"><inertial><mass value=\"{mass}\"/>\
             <inertia ixx=\"{a}\" iyy=\"{b}\" izz=\"{c}\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>\
             <collision><geometry>{shape}</geometry></collision></link>"
        )
        .unwrap();
    }
    for k in 1..count {
        let parent = random.random_range(0..k);
        let side = if random.random_bool(0.5) { 1.0 } else { -1.0 };
        let along = side * (parts[parent].reach + parts[k].reach);
        let [roll, pitch] = [0; 2].map(|_| random.random_range(-0.5..0.5));
        let axis = ["1 0 0", "0 1 0", "0 0 1", "0.6 0.8 0"][random.random_range(0..4)];
        let damping = if random.random_bool(0.5) { random.random_range(0.0..0.5) } else { 0.0 };
        let (kind, limit) = match random.random_range(0..4) {
            0 => ("continuous", String::new()),
            1 => (
                "prismatic",
                "<limit lower=\"-0.1\" upper=\"0.1\" effort=\"50\" velocity=\"9\"/>".into(),
            ),
            _ => {
                let width = random.random_range(0.1..1.5);
                let limit = format!(
                    "<limit lower=\"-{width}\" upper=\"{width}\" effort=\"50\" velocity=\"9\"/>"
                );
                ("revolute", limit)
            }
        };
        writeln!(
            text,
            "<joint name=\"j{k}\" type=\"{kind}\"><parent link=\"l{parent}\"/><child link=\"l{k}\"/>\
             <origin xyz=\"0 0 {along}\" rpy=\"{roll} {pitch} 0\"/><axis xyz=\"{axis}\"/>{limit}\
             <dynamics damping=\"{damping}\"/></joint>"
        )
        .unwrap();
    }
    text + "</robot>\n"
}

/// The scenario in which the robot with this number falls for a `duration` (s).
fn fall(number: u64, duration: f64) -> (Scenario, Box<dyn Law>) {
    let mut random = ChaCha8Rng::seed_from_u64(number);
    let text = robot(&mut random);
    let friction = [0.3, 0.8][random.random_range(0..2)];
    let drive = ["limp", "hold"][random.random_range(0..2)];
    let [x, y, angle] = [0; 3].map(|_| random.random_range(-1.0..1.0));
    let toml = format!(
        r#"
name = "tree"
title = "A tree of links falls"
source = "a test"
dimension = "space"
gravity = [0.0, 0.0, -9.81]
duration = {duration}
friction = {friction}
restitution = 0.2
[integrator]
method = "event-driven"
step_size = 0.01
inelastic_fallback = true
[[planes]]
name = "floor"
point = [0.0, 0.0, 0.0]
normal = [0.0, 0.0, 1.0]
[robot]
urdf = "tree.urdf"
on_floor = true
height = 0.5
self_contacts = false
drive = "{drive}"
orientation = {{ axis = [{x}, {y}, 0.5], angle = {angle} }}
"#
    );
    let mut scenario = Scenario::from_toml_str(&toml).unwrap();
    scenario.robot.as_mut().unwrap().text = Some(text);
    let law: Box<dyn Law> = match number % 2 {
        0 => Box::new(Plus::default()),
        _ => Box::new(Newton::default()),
    };
    (scenario, law)
}

/// The motion of the robot with this number.
fn motion(number: u64, duration: f64) -> Report {
    let (scenario, law) = fall(number, duration);
    let setup = scenario.build().unwrap();
    // Some 20 µs each.
    let settings = Settings { work_limit: 1_500_000, ..scenario.event_driven_settings() };
    let (model, start) = (&setup.mechanism.model, &setup.mechanism.state);
    integrate(model, law.as_ref(), &settings, start, duration, &mut |_| ()).unwrap()
}

#[test]
fn random_robots_fall_to_the_end() {
    let is_slow = std::env::var_os("PERCUSSION_SLOW").is_some();
    let (count, duration) = if is_slow { (200, 2.0) } else { (10, 0.6) };
    let mut ended = Vec::new();
    for number in 0..count {
        let report = motion(number, duration);
        let (energy, counters) = (report.energy, report.counters);
        let scale = energy.start.abs().max(energy.end.abs()).max(energy.impacts.abs());
        eprintln!(
            "{number} {:?} {:e} of {scale:e} J left over, {counters:?}",
            report.status,
            energy.residual()
        );
        if report.status == Status::EndReached {
            assert!(energy.residual().abs() <= 1e-6 * scale, "{number}: {energy:?}");
        } else {
            ended.push((number, report.status));
        }
    }
    assert!(20 * ended.len() as u64 <= count, "{ended:?}");
}
