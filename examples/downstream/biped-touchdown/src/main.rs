//! A biped sets down its leading foot while it stands on the trailing one. What the feet do afterwards is
//! not determined by the laws of rigid bodies: here are all outcomes, counted by the modes of the feet.

use nalgebra::{DMatrix, DVector, Vector3};
use percussion_dynamics::{
    ContactFrame, ContactSet, System,
    contact_set::Contact as Touching,
    urdf::{self, Settings},
};
use percussion_impact::{Contact, Mass, Problem, SetValuedRouth, outcome_set::Modes, set_valued};

/// Length of a leg (m), and its angle from the vertical (rad): a very wide step, whose outcome is open.
const LEG: f64 = 0.9;
const ANGLE: f64 = 1.2;

/// Rate at which the biped falls over its trailing foot (rad/s).
const RATE: f64 = 1.0;

const FRICTION: f64 = 5.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let gravity = Vector3::new(0.0, -9.81, 0.0);
    let settings = Settings { gravity, ..Settings::default() };
    let robot = urdf::read_str(include_str!("../biped.urdf"), &settings)?;
    for warning in &robot.warnings {
        eprintln!("warning: {warning}");
    }
    let system = &robot.system;
    let link = |name| system.link_index(name).ok_or("the link is missing");

    // The hips stand above the middle of the feet and move about the trailing one.
    let (sin, cos) = ANGLE.sin_cos();
    let mut coordinates = system.neutral_coordinates();
    let mut velocity = DVector::zeros(system.velocity_count());
    let places = system.coordinates_of(link("hips")?);
    coordinates[places].copy_from_slice(&[0.0, LEG * cos, 0.0]);
    let rates = system.velocities_of(link("hips")?);
    velocity.rows_mut(rates.start, 2).copy_from_slice(&[RATE * LEG * cos, -RATE * LEG * sin]);
    coordinates[system.coordinates_of(link("leading leg")?).start] = ANGLE;
    coordinates[system.coordinates_of(link("trailing leg")?).start] = -ANGLE;
    velocity[system.velocities_of(link("trailing leg")?).start] = -RATE;

    // Contact Jacobian of both feet on the ground.
    let up = ContactFrame::from_normal(&Vector3::y(), &Vector3::x())?;
    let mut set = ContactSet::for_system(system);
    for (leg, side) in [("leading leg", 1.0), ("trailing leg", -1.0)] {
        let foot = Vector3::new(side * LEG * sin, 0.0, 0.0);
        let touching = Touching::new([Some(link(leg)?), None], [foot, foot], up);
        set.push(system, &coordinates, &touching.with_friction(FRICTION))?;
    }
    let size = system.velocity_count();
    let (mut mass, mut jacobian) = (DMatrix::zeros(size, size), DMatrix::zeros(0, 0));
    system.mass_matrix(&coordinates, &mut mass);
    set.contact_jacobian(&mut jacobian);
    let row = |index: usize| jacobian.row(index).transpose();
    let contacts = (0..2)
        .map(|foot| Contact::new(row(2 * foot)).with_friction(FRICTION, vec![row(2 * foot + 1)]));
    let problem = Problem::new(Mass::Matrix(mass), velocity, contacts.collect())?;

    // The leading foot comes down at RATE · LEG · sin ANGLE; the trailing one stands still.
    let before = problem.free_contact_velocity();
    assert!((before[0] + RATE * LEG * sin).abs() < 1e-12 && before.rows(2, 2).amax() < 1e-12);

    // The whole biped stops with about 18 kg · 0.84 m/s; the mean increment is half of the step.
    let settings =
        set_valued::Settings { step: 8.0, steps: 40, samples: 20_000, ..Default::default() };
    let law = SetValuedRouth { settings };
    let set = law.post_impact_set(&problem, Modes::new(&problem), |_done| ())?;
    println!("leading foot   trailing foot    share");
    let mut counted = 0;
    for mode in set.summary.joint() {
        let share = 100.0 * mode.count as f64 / settings.samples as f64;
        let bar = "#".repeat((share / 2.0).ceil() as usize);
        let [leading, trailing] = [0, 1].map(|foot| mode.contacts[foot].to_string());
        println!("{leading:<14} {trailing:<14} {share:6.2} % {bar}");
        counted += mode.count;
    }
    assert_eq!(counted, settings.samples, "every sample ended and has a mode");
    Ok(())
}
