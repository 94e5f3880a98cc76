//! A biped lands from a hop on the heels and toes of both feet at the same time. The laws of rigid bodies do
//! not determine its motion after the landing. This program computes all outcomes, counted by the modes of
//! heels and toes.
//!
//! The impulses at two heels and two toes can come in any order. If all four come together, the biped stands.
//! Otherwise a part of its fall turns into rotation: about one edge of a foot, over which it tips, or about
//! one edge of each foot, and the feet slide together. The shares count samples whose impulses grow at
//! relative rates drawn uniformly; they show the possible outcomes and are not probabilities.

use nalgebra::{DMatrix, DVector, Vector3};
use percussion_dynamics::{Contact as Touching, ContactFrame, ContactSet, System};
use percussion_impact::{Coefficients, Mass, Problem, outcome_set::{ContactMode, Modes}, set_valued::{self, SetValuedRouth}};
use percussion_mechanism::urdf::{self, Settings};

/// Length of a leg (m), and its angle from the vertical (rad), forward and back.
const LEG: f64 = 0.9;
const ANGLE: f64 = 0.35;

/// Heel and toe, from the end of the leg (m).
const FOOT: [f64; 2] = [-0.06, 0.14];

/// Speed of the fall (m/s), after a hop of 5 cm, and friction on the ground.
const SPEED: f64 = 1.0;
const FRICTION: f64 = 0.6;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let gravity = Vector3::new(0.0, -9.81, 0.0);
    let settings = Settings { gravity, ..Settings::default() };
    let robot = urdf::read_str(include_str!("../biped.urdf"), &settings)?;
    for warning in &robot.warnings {
        eprintln!("warning: {warning}");
    }
    let system = &robot.system;
    let link = |name| system.link_index(name).ok_or("the link is missing");

    // The hips are above the middle between the feet, and nothing turns during the fall.
    let (sin, cos) = ANGLE.sin_cos();
    let mut coordinates = system.neutral_coordinates();
    let mut velocity = DVector::zeros(system.velocity_count());
    let places = system.coordinates_of(link("hips")?);
    coordinates[places].copy_from_slice(&[0.0, LEG * cos, 0.0]);
    velocity[system.velocities_of(link("hips")?).start + 1] = -SPEED;
    coordinates[system.coordinates_of(link("leading leg")?).start] = ANGLE;
    coordinates[system.coordinates_of(link("trailing leg")?).start] = -ANGLE;

    // Contact Jacobian of heels and toes on the ground.
    let up = ContactFrame::from_normal(&Vector3::y(), &Vector3::x())?;
    let mut set = ContactSet::for_system(system);
    for (leg, ankle) in [("leading leg", LEG * sin), ("trailing leg", -LEG * sin)] {
        for edge in FOOT {
            let point = Vector3::new(ankle + edge, 0.0, 0.0);
            let touching = Touching::new([Some(link(leg)?), None], [point, point], up);
            set.push(system, &coordinates, &touching.with_friction(FRICTION))?;
        }
    }
    let size = system.velocity_count();
    let (mut mass, mut jacobian) = (DMatrix::zeros(size, size), DMatrix::zeros(0, 0));
    system.mass_matrix(&coordinates, &mut mass);
    set.contact_jacobian(&mut jacobian);
    let foot = Coefficients { friction: FRICTION, restitution: 0.0 };
    let (mass, joints) = (Mass::Matrix(mass), DMatrix::zeros(0, size));
    let problem = Problem::from_jacobian(mass, velocity, &jacobian, &[foot; 4], joints)?;

    // All four points land at the speed of the fall, and none moves along the ground.
    let before = problem.free_contact_velocity();
    let fall = DVector::from_fn(8, |row, _| if row % 2 == 0 { -SPEED } else { 0.0 });
    assert!((before - fall).amax() < 1e-12);

    // 18 kg at 1 m/s stop after 18 N·s, applied in increments of 2 N·s on average.
    let settings =
        set_valued::Settings { step: 4.0, steps: 400, samples: 20_000, ..Default::default() };
    let law = SetValuedRouth { settings };
    let set = law.post_impact_set(&problem, Modes::new(&problem), |_done| ())?;
    println!("   share   leading heel, toe      trailing heel, toe");
    let modes = set.summary.joint();
    for mode in &modes {
        let share = 100.0 * mode.count as f64 / settings.samples as f64;
        let [a, b, c, d] = [0, 1, 2, 3].map(|point| mode.contacts[point].to_string());
        println!("{share:6.2} %   {a:<9} {b:<12} {c:<9} {d:<12} {}", meaning(&mode.contacts));
    }
    let counted: u64 = modes.iter().map(|mode| mode.count).sum();
    assert_eq!(counted, settings.samples, "every sample ended and has a mode");
    let frequent = modes.iter().filter(|mode| 100 * mode.count >= settings.samples);
    assert!(frequent.count() >= 4, "the outcome is open");
    Ok(())
}

/// The motion of the biped for these modes of heels and toes.
fn meaning(points: &[ContactMode]) -> &'static str {
    let stays = |foot: &[ContactMode]| foot.iter().any(|mode| *mode != ContactMode::Separate);
    if points.iter().all(|mode| *mode == ContactMode::Stick) {
        return "it stands";
    }
    match (stays(&points[..2]), stays(&points[2..])) {
        (true, true) => "its feet slide together",
        (true, false) => "it tips forward",
        (false, true) => "it tips back",
        (false, false) => "it leaves the ground",
    }
}
