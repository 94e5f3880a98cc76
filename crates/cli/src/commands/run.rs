//! `percussion run`.

mod ensemble;
mod events;
mod files;
mod warnings;

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, ensure};
use percussion_dynamics::JointKind;
use percussion_impact::RestitutionUse;
use percussion_integrators::{StepReport, Work, schemes::Name};
use percussion_mechanism::{
    impacts::Kind,
    scenario::{Base, Scenario, Setup},
    trajectory::{self, Trajectory},
};
use percussion_report::{Table, atomic, number::short};
use percussion_scenarios::fixtures;
use serde::Serialize;

use self::{
    files::{impulse_unit, penetration_unit},
    warnings::{warn_of_long_steps, warn_of_no_shapes},
};
use super::impact;
use crate::{
    arguments::{Allowed, Run},
    input,
    output::{
        Progress, Verdict, answer, clean, complain, prepare_directory, warn, warn_of_others,
        written,
    },
};

/// The output of `run --json`.
#[derive(Debug, Serialize)]
struct Summary {
    status: Status,
    scenario: String,
    integrator: Name,
    /// How the scheme used the restitution of the contacts.
    restitution: RestitutionUse,
    /// Step size (s).
    step_size: f64,
    /// Of a robot from a URDF, whether its root link floats or is fixed, and what drives its joints.
    #[serde(skip_serializing_if = "Option::is_none")]
    robot: Option<RobotState>,
    /// Reason why the simulation failed or ended early, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// Summary of the motion, if the simulation did not fail.
    #[serde(flatten)]
    motion: Option<Motion>,
    /// Written files.
    files: Vec<PathBuf>,
}

#[derive(Debug, Serialize)]
struct RobotState {
    base: Base,
    drive: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Status {
    Completed,
    /// All steps were made, but one ended with more energy than the motion can have.
    EnergyGained,
    /// The computing time was over before the end.
    TimeLimit,
    Failed,
}

#[derive(Debug, Serialize)]
struct Motion {
    steps: usize,
    end: End,
    /// Deepest penetration (`penetration_unit`).
    deepest_penetration: f64,
    /// m, or `m, rad` with limits of angles, which count too.
    penetration_unit: &'static str,
    /// Largest increase of energy in a step (J); negative if every step loses energy.
    largest_energy_increase: f64,
    energy: Energy,
    largest_relative_residual: f64,
    /// Number of unknowns of the largest LCP; 0 for a method without LCPs.
    largest_lcp: usize,
    most_contacts: usize,
    /// Sums over all steps for each contact, if contacts are found during the motion.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    contacts: Vec<ContactSum>,
    /// Number of sweeps in all steps, for a method that sweeps.
    #[serde(skip_serializing_if = "Option::is_none")]
    sweeps: Option<usize>,
    /// Number of impacts in all steps, for the variational integrator.
    #[serde(skip_serializing_if = "Option::is_none")]
    impacts: Option<usize>,
}

/// Sums over the motion for one contact.
#[derive(Debug, Serialize)]
struct ContactSum {
    name: String,
    /// Number of steps with an impulse.
    steps: usize,
    /// Sum of the normal impulses (`unit`).
    normal_impulse: f64,
    /// N·s, or N·m·s for the limit of an angle.
    unit: &'static str,
}

/// The energy balance at the step end with the largest excess.
#[derive(Debug, Serialize)]
struct Energy {
    /// Work of forces without a potential since the start (J).
    work: f64,
    /// Energy above the sum of the initial energy and this work (J).
    gained: f64,
    /// Part of this gain that the scheme may cause (J).
    allowed: f64,
}

#[derive(Debug, Serialize)]
struct End {
    /// Time at the end (s).
    time: f64,
    coordinates: Vec<f64>,
    velocity: Vec<f64>,
    /// Energy at the end (J).
    energy: f64,
}

pub(super) fn execute(arguments: &Run) -> Result<Verdict> {
    check_options_of_robots(arguments)?;
    if is_impact(arguments) {
        for (option, given) in [
            ("--integrator", arguments.integrator.is_some()),
            ("--step-size", arguments.step_size.is_some()),
            ("--duration", arguments.duration.is_some()),
            ("--ensemble", arguments.ensemble.is_some()),
            ("--inelastic-fallback", arguments.inelastic_fallback),
        ] {
            let name = &arguments.scenario;
            ensure!(!given, "`{option}` is given, but `{name}` is an impact, expected a scenario");
        }
        return impact::run(arguments);
    }
    let settings = &arguments.settings;
    let has_settings =
        !settings.settings.is_empty() || settings.samples.is_some() || settings.seed.is_some();
    let has_law = arguments.law.is_some() || arguments.ensemble.is_some();
    ensure!(
        has_law || !has_settings,
        "`--set`, `--samples` and `--seed` are settings of a law of impact, expected `--law`"
    );
    let scenario = scenario(arguments)?;
    if let Some(members) = arguments.ensemble {
        return ensemble::execute(arguments, &scenario, members);
    }
    if scenario.integrator.method == Name::EventDriven {
        return events::execute(arguments, &scenario);
    }
    ensure!(
        arguments.law.is_none(),
        "`--law` is given, but time-stepping schemes have their own law, expected \
         `--integrator event-driven`"
    );
    by_steps(arguments, &scenario)
}

/// Simulates `scenario` by a time-stepping scheme.
fn by_steps(arguments: &Run, scenario: &Scenario) -> Result<Verdict> {
    // Errors of the scenario are reported here; later errors are those of the simulation.
    let setup = input::build(scenario, &arguments.scenario)?;
    warn(&setup.mechanism.warnings, &arguments.scenario);
    warn_of_no_shapes(&setup, &arguments.scenario);
    if let Some(directory) = &arguments.out {
        prepare_directory(directory)?;
    }
    tracing::info!(scenario = scenario.name, steps = scenario.step_count(), "simulating");
    let mut summary = Summary {
        status: Status::Completed,
        scenario: scenario.name.clone(),
        integrator: scenario.integrator.method,
        restitution: scenario.integrator.method.restitution(&setup.mechanism.model),
        step_size: scenario.integrator.step_size,
        robot: robot_state(&setup),
        error: None,
        motion: None,
        files: Vec::new(),
    };
    let (progress, clock) = (Progress::new(), arguments.time_limit.start());
    let mut failing = None;
    let mut watch = |share| {
        progress.show(share, &scenario.title);
        // The first step is always made.
        clock.after(share)
    };
    let result = setup.simulate_to_failure(&mut watch, &mut |document| {
        failing = Some(document.to_string());
    });
    progress.clear();
    if let (Some(directory), Some(text)) = (&arguments.out, failing) {
        let file = directory.join("failing-step.json");
        atomic::write(&file, text.as_bytes())?;
        summary.files.push(file);
    }
    match result {
        Ok((trajectory, failure)) => {
            let (done, all) = (trajectory.reports.len(), scenario.step_count());
            let is_whole = failure.is_none();
            if let Some(error) = failure {
                let hint = match (summary.files.first(), &arguments.out) {
                    (Some(file), _) => {
                        format!("; `percussion solve friction {}` repeats it", file.display())
                    }
                    (None, None) if done > 0 => "; `--out DIR` writes what came before it".into(),
                    _ => String::new(),
                };
                fail(&mut summary, anyhow!(error), &hint, &arguments.scenario);
            } else if trajectory.status() != trajectory::Status::Completed {
                summary.status = Status::EnergyGained;
                let balance = trajectory.worst_balance();
                let [gained, allowed] = [balance.gained, balance.allowed].map(short);
                gained_energy(
                    arguments,
                    &format!(
                        "the motion has {gained} J more than its initial energy and the work, of which {allowed} J is allowed; a smaller `--step-size` reduces errors of the scheme"
                    ),
                );
            }
            if is_whole && done < all {
                summary.status = Status::TimeLimit;
                let time = short(trajectory.end().time);
                let error =
                    anyhow!("the time limit was reached at {time} s, after {done} of {all} steps");
                summary.error = Some(error.to_string());
                complain(&error);
            }
            warn_of_long_steps(&setup, &trajectory, &arguments.scenario);
            if done > 0 {
                summary.motion = Some(motion(&setup, &trajectory));
                if let Some(directory) = &arguments.out {
                    summary.files.extend(files::write(directory, &setup, &trajectory)?);
                }
            }
        }
        Err(error) => fail(&mut summary, anyhow!(error), "", &arguments.scenario),
    }
    if let Some(directory) = &arguments.out {
        warn_of_others(directory, &summary.files);
    }
    answer(arguments.json, &summary, || text(scenario, &summary))?;
    Ok(verdict(summary.status, arguments))
}

/// The motion of the scenario `name` failed; the `hint` says what to do about it.
fn fail(summary: &mut Summary, error: anyhow::Error, hint: &str, name: &str) {
    summary.status = Status::Failed;
    summary.error = Some(error.to_string());
    complain(&anyhow!("{error}{hint}").context(name.to_owned()));
}

/// How the robot of a URDF is held and driven.
fn robot_state(setup: &Setup) -> Option<RobotState> {
    let robot = setup.scenario.robot.as_ref().filter(|robot| !robot.is_mjcf())?;
    let root = setup.mechanism.tree.as_ref()?.links().first()?;
    let base = match root.joint.kind {
        JointKind::Fixed => Base::Fixed,
        _ => Base::Floating,
    };
    Some(RobotState { base, drive: robot.drive.clone().into() })
}

/// Says that a motion is not accepted because it gained energy, unless the user allows this.
fn gained_energy(arguments: &Run, what: &str) {
    if !arguments.settings.allow.contains(&Allowed::EnergyGained) {
        complain(&anyhow!("{what}; `--allow energy-gained` accepts this"));
    }
}

/// The verdict on a motion, by what the user allows.
fn verdict(status: Status, arguments: &Run) -> Verdict {
    let gains = arguments.settings.allow.contains(&Allowed::EnergyGained);
    match status {
        Status::Completed => Verdict::Met,
        Status::EnergyGained if gains => Verdict::Met,
        Status::EnergyGained | Status::TimeLimit | Status::Failed => Verdict::Unmet,
    }
}

fn check_options_of_robots(arguments: &Run) -> Result<()> {
    let name = &arguments.scenario;
    ensure!(
        input::is_robot(name) || !arguments.fixed_base,
        "`--fixed-base` is for robots, expected a file named `*.urdf` instead of `{name}`"
    );
    ensure!(
        input::is_robot(name) || arguments.drive.is_none(),
        "`--drive` is for robots, expected a file named `*.urdf` or `*.xml` instead of `{name}`"
    );
    input::check_options(name, &arguments.robot)
}

/// Whether the arguments request an impact and not a motion: by its name, by its file, or by a law without an
/// integrator for a name that is not a scenario.
fn is_impact(arguments: &Run) -> bool {
    let name = arguments.scenario.as_str();
    if fixtures::IMPACTS.contains(&name) {
        return true;
    }
    let path = Path::new(name);
    if path.is_file() && path.extension().is_some_and(|extension| extension == "toml") {
        // A file that cannot be read is reported as a scenario, with its line.
        return matches!(Kind::of_path(path), Ok(Kind::Impact));
    }
    let is_scenario = arguments.integrator.is_some()
        || input::is_robot(name)
        || fixtures::scenarios().any(|known| known == name);
    arguments.law.is_some() && arguments.ensemble.is_none() && !is_scenario
}

/// The requested scenario with the requested changes.
fn scenario(arguments: &Run) -> Result<Scenario> {
    let mut scenario = match input::is_robot(&arguments.scenario) {
        true => robot(arguments)?,
        false => input::scenario(&arguments.scenario, &fixtures::IMPACTS)?,
    };
    scenario.integrator.method = arguments.integrator.unwrap_or(scenario.integrator.method);
    scenario.integrator.step_size = arguments.step_size.unwrap_or(scenario.integrator.step_size);
    scenario.duration = arguments.duration.unwrap_or(scenario.duration);
    if arguments.inelastic_fallback {
        let method = scenario.integrator.method;
        ensure!(
            method == Name::EventDriven,
            "`--inelastic-fallback` is given with the integrator `{method}`, expected `--integrator event-driven`"
        );
        scenario.integrator.inelastic_fallback = Some(true);
    }
    Ok(scenario)
}

/// The requested robot on its floor.
fn robot(arguments: &Run) -> Result<Scenario> {
    let base = arguments.fixed_base.then_some(Base::Fixed);
    let purpose = input::Purpose::Motion;
    let mut scenario = input::robot(&arguments.scenario, &arguments.robot, base, purpose)?;
    if let (Some(robot), Some(drive)) = (&mut scenario.robot, &arguments.drive) {
        robot.drive = drive.clone();
    }
    Ok(scenario)
}

fn motion(setup: &Setup, trajectory: &Trajectory) -> Motion {
    let end = trajectory.end();
    let balance = trajectory.worst_balance();
    Motion {
        steps: trajectory.reports.len(),
        end: End {
            time: end.time,
            coordinates: end.coordinates.clone(),
            velocity: end.velocity.clone(),
            energy: end.energy,
        },
        deepest_penetration: trajectory.deepest_penetration(),
        penetration_unit: penetration_unit(setup),
        largest_energy_increase: trajectory.largest_energy_increase(),
        energy: Energy { work: balance.work, gained: balance.gained, allowed: balance.allowed },
        largest_relative_residual: trajectory.largest_residual(),
        largest_lcp: trajectory.largest_lcp(),
        most_contacts: trajectory.most_contacts(),
        contacts: contact_sums(setup, trajectory),
        sweeps: sweeps(trajectory),
        impacts: impacts(trajectory),
    }
}

/// The contacts that carried an impulse, if contacts are found during the motion.
fn contact_sums(setup: &Setup, trajectory: &Trajectory) -> Vec<ContactSum> {
    if trajectory.found.is_none() {
        return Vec::new();
    }
    let names = trajectory.contact_names.iter().enumerate();
    let start = |(contact, name): (usize, &String)| ContactSum {
        name: name.clone(),
        steps: 0,
        normal_impulse: 0.0,
        unit: impulse_unit(setup, contact),
    };
    let mut sums: Vec<ContactSum> = names.map(start).collect();
    for contact in trajectory.reports.iter().flat_map(|step| &step.contacts) {
        if let Some(sum) = sums.get_mut(contact.contact).filter(|_| contact.impulse.x > 0.0) {
            sum.steps += 1;
            sum.normal_impulse += contact.impulse.x;
        }
    }
    sums.retain(|sum| sum.steps > 0);
    sums
}

/// Number of sweeps in all steps; `None` for a method that does not sweep.
fn sweeps(trajectory: &Trajectory) -> Option<usize> {
    let of_step = |step: &StepReport| match step.work {
        Work::RoundCones(work) => Some(work.sweeps),
        _ => None,
    };
    trajectory.reports.iter().map(of_step).sum()
}

/// Number of impacts in all steps; `None` for a method that does not resolve them individually.
fn impacts(trajectory: &Trajectory) -> Option<usize> {
    let of_step = |step: &StepReport| match step.work {
        Work::Pieces(_) => Some(step.impacts.len()),
        _ => None,
    };
    trajectory.reports.iter().map(of_step).sum()
}

fn text(scenario: &Scenario, summary: &Summary) -> String {
    let mut text = format!("{} ({}), by {}", scenario.title, summary.scenario, summary.integrator);
    text += &format!("{}\n", summary.restitution.remark());
    if let Some(RobotState { base, drive }) = &summary.robot {
        let root = match base {
            Base::Fixed => "is fixed in the world",
            Base::Floating => "floats (`--fixed-base` fixes it)",
        };
        text += &format!("The root link {root}; what drives the joints is `--drive {drive}`.\n");
    }
    let Some(motion) = &summary.motion else { return text };
    let mut table = Table::new("<><", ["quantity", "value", "unit"]);
    for (quantity, value, unit) in [
        ("step size", summary.step_size, "s"),
        ("steps", motion.steps as f64, ""),
        ("time at the end", motion.end.time, "s"),
        ("energy at the end", motion.end.energy, "J"),
        ("largest increase of energy in a step", motion.largest_energy_increase, "J"),
        ("deepest penetration at step ends", motion.deepest_penetration, motion.penetration_unit),
        ("most contacts at once", motion.most_contacts as f64, ""),
    ] {
        table.push([quantity.to_owned(), short(value), unit.to_owned()]);
    }
    let (work, residual) = match (motion.sweeps, motion.impacts) {
        (Some(sweeps), _) => (("sweeps", sweeps), "largest relative residual"),
        (None, Some(impacts)) => (("impacts", impacts), "largest relative residual"),
        (None, None) => {
            (("unknowns of the largest LCP", motion.largest_lcp), "largest relative LCP residual")
        }
    };
    table.push([work.0.to_owned(), short(work.1 as f64), String::new()]);
    table.push([residual.to_owned(), short(motion.largest_relative_residual), String::new()]);
    text += &format!("\n{table}");
    if !motion.contacts.is_empty() {
        let mut table = Table::new("<>><", ["contact", "steps", "normal impulse", "unit"]);
        let largest = motion.contacts.iter().map(|one| one.normal_impulse).fold(0.0, f64::max);
        for contact in &motion.contacts {
            let steps = short(contact.steps as f64);
            let impulse = clean(contact.normal_impulse, largest);
            table.push([contact.name.clone(), steps, impulse, contact.unit.to_owned()]);
        }
        text += &format!("\n{table}");
    }
    if summary.status == Status::EnergyGained {
        let [gained, allowed] = [motion.energy.gained, motion.energy.allowed].map(short);
        text += &format!(
            "\nStatus: energy-gained: {gained} J above the initial energy and the work; {allowed} J is allowed\n"
        );
    }
    text + &written(&summary.files)
}
