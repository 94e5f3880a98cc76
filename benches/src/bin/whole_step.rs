//! Steps of a robot from states that another program sends, timed, for comparisons of whole steps with other engines.
//!
//! `whole_step ROBOT SCHEME STEP_SIZE TOLERANCE DRIVE [FOLDER]` reads the robot as `percussion run` does and prints its state at the
//! start. The folder is that below which all its files are, if it is not that of `ROBOT`. Then each line of standard input is one JSON
//! object: the state (`coordinates`, `velocity`), the `controls` of actuators if they are others than those of the file, the number of
//! `warm` steps that are not timed, and the number of `steps` that are. The answer is one JSON object a line: the `time` of the steps
//! together (s), the largest relative `residual` of their contact problems, the most `contacts` of any, the mean number of contact
//! problems (`passes`) of a step, the share of steps whose problem has the operator of the step before (`kept`), and the state at the
//! end; or the `error` of the step that failed.
#![expect(clippy::print_stdout, reason = "the answers are the output of this program")]

use std::{
    env,
    error::Error,
    io::{self, BufRead, Write},
    time::Instant,
};

use percussion_integrators::{State, Work};
use percussion_mechanism::scenario::{Drive, Robot, Scenario, Setup};
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    let usage = "usage: whole_step ROBOT SCHEME STEP_SIZE TOLERANCE DRIVE [FOLDER]";
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [file, scheme, step_size, tolerance, drive, folder @ ..] = arguments.as_slice() else {
        return Err(usage.into());
    };
    let mut robot = Robot::new(file);
    robot.packages.extend(folder.first().map(|folder| ("model".to_owned(), folder.into())));
    robot.drive = Drive::try_from(drive.clone())?;
    let mut scenario = Scenario::of_robot_in(robot, None)?;
    scenario.integrator.method = scheme.parse()?;
    scenario.integrator.step_size = step_size.parse()?;
    scenario.integrator.solver_tolerance = Some(tolerance.parse()?);
    let setup = scenario.build()?;
    let state = &setup.mechanism.state;
    println!("{}", json!({ "coordinates": state.coordinates, "velocity": state.velocity }));
    for line in io::stdin().lock().lines() {
        let answer = answer(&setup, &serde_json::from_str(&line?)?);
        println!("{}", answer.unwrap_or_else(|error| json!({ "error": error.to_string() })));
        io::stdout().flush()?;
    }
    Ok(())
}

/// Takes the steps that were asked for.
fn answer(setup: &Setup, asked: &Value) -> Result<Value, Box<dyn Error>> {
    let numbers = |key: &str| serde_json::from_value::<Vec<f64>>(asked[key].clone());
    let count = |key: &str| asked[key].as_u64().unwrap_or_default();
    let state =
        State { time: 0.0, coordinates: numbers("coordinates")?, velocity: numbers("velocity")? };
    if let (Some(all), Some(set)) = (asked.get("controls"), setup.mechanism.model.controls()) {
        let all: Vec<f64> = serde_json::from_value(all.clone())?;
        for (actuator, control) in all.into_iter().enumerate() {
            set.set(actuator, control)?;
        }
    }
    let mut simulation = setup.scenario.stepping().begin(setup.mechanism.model.clone(), state)?;
    for _ in 0..count("warm") {
        simulation.step()?;
    }
    let (mut residual, mut contacts, mut passes, mut kept) = (0.0_f64, 0, 0, 0_u32);
    let start = Instant::now();
    for _ in 0..count("steps") {
        let report = simulation.step()?;
        residual = residual.max(report.relative_residual);
        contacts = contacts.max(report.contacts.len());
        if let Work::RoundCones(work) = report.work {
            passes += work.passes;
            kept += u32::from(work.is_kept);
        }
    }
    let time = start.elapsed().as_secs_f64();
    let State { coordinates, velocity, .. } = simulation.state();
    Ok(json!({
        "time": time,
        "residual": residual,
        "contacts": contacts,
        "passes": passes as f64 / count("steps") as f64,
        "kept": f64::from(kept) / count("steps") as f64,
        "coordinates": coordinates,
        "velocity": velocity,
    }))
}
