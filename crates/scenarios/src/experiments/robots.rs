//! Robots from files on their drives, and what rigid contact with friction has to show on them: nothing creeps, lifts or tilts.
//!
//! # Source
//!
//! Elementary mechanics; the robots are made for this project, after no particular ones.

use nalgebra::Vector3;
use percussion_integrators::{Course, Residual, schemes::Name};
use percussion_mechanism::{
    scenario::{Drive, Plane, Robot, Scenario, Setup},
    trajectory::Trajectory,
};

use crate::{error::Error, experiments::Measurements};

mod four_bar_gripper;
mod hand;
mod held;
mod looped_biped;
mod pinched_capsule;
mod rover_wheel;
mod sliding_cube;
mod standing_quadruped;

/// The experiments of the family, in the order of lists.
pub(super) const ALL: &[super::Experiment] = &[
    experiment!(
        "robots/sliding-cube",
        robots::sliding_cube,
        "A cube slides flat on a plane and stops where friction stops it"
    ),
    experiment!(
        "robots/pinched-capsule",
        robots::pinched_capsule,
        "Two jaws pinch a capsule, which does not creep"
    ),
    experiment!(
        "robots/standing-quadruped",
        robots::standing_quadruped,
        "A quadruped stands on its servos"
    ),
    experiment!(
        "robots/looped-biped",
        robots::looped_biped,
        "A biped with four loops sinks onto its limits"
    ),
    experiment!(
        "robots/four-bar-gripper",
        robots::four_bar_gripper,
        "A gripper of four-bars holds a box"
    ),
    experiment!("robots/hand", robots::hand, "A hand with tendons holds a ball"),
    experiment!(
        "robots/rover-wheel",
        robots::rover_wheel,
        "The driven wheel of a rover rolls and slips"
    ),
];

/// The schemes that are judged.
const SCHEMES: [Name; 2] = [Name::ImpulseVelocity, Name::MoreauJean];

/// The robot in the file `name`, whose text is embedded.
fn robot(name: &str, text: &str, drive: Drive) -> Robot {
    Robot { text: Some(text.to_owned()), drive, ..Robot::new(name) }
}

/// The horizontal plane through the origin.
fn floor() -> Plane {
    let (point, normal) = (vec![0.0; 3], vec![0.0, 0.0, 1.0]);
    Plane { name: "floor".to_owned(), point, normal, tangent: None }
}

/// The scenario of a robot by a scheme, in steps of `step_size` for `duration` (s).
fn scenario(
    robot: Robot,
    gravity: [f64; 3],
    (step_size, duration): (f64, f64),
) -> Result<Scenario, Error> {
    let mut scenario = Scenario::of_robot_in(robot, Some(gravity))?;
    scenario.integrator.step_size = step_size;
    scenario.duration = duration;
    Ok(scenario)
}

/// The same on a floor, from a keyframe.
fn standing(
    robot: Robot,
    keyframe: &str,
    gravity: [f64; 3],
    times: (f64, f64),
) -> Result<Scenario, Error> {
    let robot = Robot { keyframe: Some(keyframe.to_owned()), ..robot };
    let mut scenario = scenario(robot, gravity, times)?;
    scenario.planes.push(floor());
    if let Some(robot) = &mut scenario.robot {
        robot.on_floor = true;
    }
    Ok(scenario)
}

/// The normal force of everything on the floor in the last step (N).
fn carried(trajectory: &Trajectory) -> f64 {
    let last = trajectory.reports.last().into_iter().flat_map(|step| &step.contacts);
    let feet = last.filter(|one| trajectory.contact_names[one.contact].contains("–floor"));
    feet.map(|contact| contact.impulse.x).sum::<f64>() / trajectory.step_size
}

/// Gives every motor of a robot the same constant control.
fn load(setup: &mut Setup, control: f64) -> Result<(), Error> {
    let model = setup.mechanism.model.clone();
    let motors = model.actuators().iter();
    let loaded = motors.map(|motor| motor.clone().with_control(Course::constant(control)));
    let loaded = loaded.collect();
    setup.mechanism.model =
        model.with_actuators(loaded).map_err(percussion_mechanism::Error::from)?;
    Ok(())
}

/// The impulse of the contacts of a link in the last step, per time: normal and tangents (N), which are
/// summed as if all contacts of the link had the same.
fn force(run: &Trajectory, link: &str) -> Vector3<f64> {
    let last = run.reports.last().into_iter().flat_map(|step| &step.contacts);
    let own = last.filter(|one| run.contact_names[one.contact].contains(link));
    own.fold(Vector3::zeros(), |sum: Vector3<f64>, contact| sum + contact.impulse) / run.step_size
}

/// Adds what shows that nothing creeps from the time `settled` (s) on.
fn add_stillness(
    measurements: &mut Measurements<'_>,
    trajectory: &Trajectory,
    settled: f64,
    method: Name,
) {
    let creep = fastest(trajectory, settled);
    measurements.add(format!("fastest material point in contact, {method}"), creep);
    let residual = natural_map(trajectory);
    measurements.add(format!("largest natural map of a step, {method}"), residual);
}

/// The fastest material point in a contact that pushes, from the time `settled` (s) on (m/s).
fn fastest(trajectory: &Trajectory, settled: f64) -> f64 {
    let steps = trajectory.reports.iter().filter(|step| step.time > settled);
    let pushing = steps.flat_map(|step| &step.contacts).filter(|one| one.impulse.x > 0.0);
    pushing.map(|contact| contact.velocity.norm()).fold(0.0, f64::max)
}

/// The largest natural map of a contact (m/s).
fn natural_map(trajectory: &Trajectory) -> f64 {
    let contacts = trajectory.reports.iter().flat_map(|step| &step.contacts);
    let residual = contacts.map(|contact| match contact.residual {
        Residual::Velocity(residual) => residual,
        _ => f64::NAN,
    });
    // A NaN is kept, and no reading.
    residual.fold(0.0, |largest, one| if one <= largest { largest } else { one })
}
