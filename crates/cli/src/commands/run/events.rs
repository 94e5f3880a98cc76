//! `percussion run` with the event-driven integrator.

use std::path::{Path, PathBuf};

use anyhow::{Error, Result, anyhow, bail, ensure};
use percussion_impact::{Law, RestitutionUse, laws};
use percussion_integrators::event_driven::{
    Counters, Drift, EnergyAccount, Event, EventKind, Mode, Report, Status,
};
use percussion_mechanism::{
    event_motion::EventMotion,
    laws::Name,
    mechanism::Mechanism,
    scenario::{Scenario, Setup},
    view,
};
use percussion_report::{
    Table, atomic, csv,
    number::{exact, short},
    viewer, write_figure,
};
use percussion_scenarios::overview;
use serde::Serialize;

use super::{End, files::trajectory_csv};
use crate::{
    arguments::{Allowed, Run, Which},
    commands::impact,
    input,
    laws::choose,
    output::{Progress, Verdict, answer, complain, name_of, prepare_directory, warn_of_others},
};

/// The file of an impact to which a law had no answer, in the directory of the results.
const FAILING: &str = "failing-impact.json";

/// The output of `run --json` for an event-driven motion.
#[derive(Debug, Serialize)]
struct Summary {
    status: &'static str,
    scenario: String,
    integrator: &'static str,
    law: String,
    /// Time between samples (s).
    step_size: f64,
    /// Reason why the simulation failed, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(flatten)]
    motion: Option<Motion>,
    /// Written files.
    files: Vec<PathBuf>,
}

#[derive(Debug, Serialize)]
struct Motion {
    /// Status of the motion.
    ending: Status,
    end: End,
    contacts: Vec<String>,
    modes: Vec<Mode>,
    energy: Energy,
    drift: Drift,
    /// How the law used the restitution of the contacts.
    restitution: RestitutionUse,
    counters: Counters,
    events: Vec<Event>,
}

#[derive(Debug, Serialize)]
struct Energy {
    #[serde(flatten)]
    account: EnergyAccount,
    residual: f64,
}

pub(super) fn execute(arguments: &Run, scenario: &Scenario) -> Result<Verdict> {
    let (name, law) = law(arguments)?;
    // Errors of the scenario are reported here; later errors are those of the simulation.
    let setup = input::build(scenario, &arguments.scenario)?;
    if let Some(directory) = &arguments.out {
        prepare_directory(directory)?;
    }
    tracing::info!(scenario = scenario.name, law = %name, "moving from event to event");
    let mut summary = Summary {
        status: "failed",
        scenario: scenario.name.clone(),
        integrator: "event-driven",
        law: name.to_string(),
        step_size: scenario.integrator.step_size,
        error: None,
        motion: None,
        files: Vec::new(),
    };
    let (progress, clock) = (Progress::new(), arguments.time_limit.start());
    let mut shown = 0.0;
    let mut watch = |share| {
        if share >= shown + 0.01 {
            shown = share;
            progress.show(share, &scenario.title);
        }
        clock.after(share)
    };
    let result = setup.simulate_events_while(law.as_ref(), &mut watch);
    progress.clear();
    match result {
        Ok(motion) => {
            let mut error = None;
            match motion.report.status {
                Status::EndReached | Status::EnergyReached => summary.status = "completed",
                Status::EnergyGained => {
                    summary.status = "energy-gained";
                    let (count, account) =
                        (motion.report.counters.energy_gained, motion.report.energy);
                    let what = if count > 0 {
                        format!("{count} impacts by `{name}` gained energy")
                    } else {
                        format!("the account leaves {} J over", short(account.residual()))
                    };
                    super::gained_energy(arguments, &what);
                }
                status => {
                    if status == Status::Interrupted {
                        summary.status = "time-limit";
                    }
                    error = Some(early(&motion, scenario, &name, arguments.out.as_deref()));
                }
            }
            if let Some(error) = error {
                summary.error = Some(error.to_string());
                complain(&error);
            }
            if let Some(directory) = &arguments.out {
                summary.files = write(directory, &setup, &motion)?;
            }
            summary.motion = Some(Motion::new(motion));
        }
        Err(error) => {
            summary.error = Some(error.to_string());
            complain(&anyhow!(error).context(arguments.scenario.clone()));
        }
    }
    if let Some(directory) = &arguments.out {
        warn_of_others(directory, &summary.files);
    }
    answer(arguments.json, &summary, || text(scenario, &summary))?;
    let gains = arguments.settings.allow.contains(&Allowed::EnergyGained);
    let met = summary.status == "completed" || (summary.status == "energy-gained" && gains);
    Ok(if met { Verdict::Met } else { Verdict::Unmet })
}

/// Why a motion ended before its end.
fn early(motion: &EventMotion, scenario: &Scenario, law: &Name, out: Option<&Path>) -> Error {
    let (time, all) = (short(motion.report.state.time), short(scenario.duration));
    match motion.report.status {
        Status::Interrupted => anyhow!("the time limit was reached at {time} s of {all} s"),
        Status::ImpactUnresolved => anyhow!(
            "`{law}` has no answer to the impact at {time} s{}; with `--inelastic-fallback` it is inelastic",
            why(motion, out)
        ),
        Status::Overlap => {
            let depth = short(motion.report.drift.penetration);
            anyhow!("the motion ended at {time} s of {all} s: bodies overlap by {depth} m")
        }
        status => anyhow!("the motion ended at {time} s of {all} s: {}", name_of(&status)),
    }
}

/// How the law ended, at which contacts, and where the impact is, `out` being the directory of the results.
fn why(motion: &EventMotion, out: Option<&Path>) -> String {
    let Some(unanswered) = &motion.report.unanswered else {
        return ", because too many impacts follow each other at this moment".to_owned();
    };
    let names = &motion.trajectory.contact_names;
    let named = |contact: &usize| names.get(*contact).cloned().unwrap_or_default();
    let contacts: Vec<_> = unanswered.contacts.iter().map(named).collect();
    let status = name_of(&unanswered.status);
    let hint = match out {
        Some(directory) => {
            let file = directory.join(FAILING);
            format!("; `percussion compare {}` shows all laws", file.display())
        }
        None => "; `--out` writes it for `compare`".to_owned(),
    };
    format!(" of {}: {status}{hint}", contacts.join(", "))
}

fn law(arguments: &Run) -> Result<(Name, Box<dyn Law>)> {
    let name = match arguments.law {
        None => Name::Impact(laws::Name::Poisson),
        Some(Which::One(name)) => name,
        Some(Which::All) => bail!("`--law all` is given, expected one law for the whole motion"),
    };
    let settings = &arguments.settings;
    let given = settings.settings.iter().cloned().chain(impact::draws(settings)).collect();
    ensure!(
        name != Name::Compliant,
        "`{name}` is not an impact law but a simulation of an impact in time, expected a law"
    );
    match choose(name, given, None)?.into_law() {
        Some(law) => Ok((name, law)),
        None => bail!(
            "the settings of `{name}` request all outcomes, expected one outcome for each impact"
        ),
    }
}

impl Motion {
    fn new(motion: EventMotion) -> Self {
        let EventMotion { trajectory, report, .. } = motion;
        let Report { status, state, modes, events, energy, drift, restitution, counters, .. } =
            report;
        Self {
            ending: status,
            end: End {
                time: state.time,
                coordinates: state.coordinates,
                velocity: state.velocity,
                energy: energy.end,
            },
            contacts: trajectory.contact_names,
            modes,
            energy: Energy { residual: energy.residual(), account: energy },
            drift,
            restitution,
            counters,
            events,
        }
    }
}

/// Writes `trajectory.csv`, `events.csv`, the overview figures and the page that plays the motion, and returns
/// their paths.
fn write(directory: &Path, setup: &Setup, motion: &EventMotion) -> Result<Vec<PathBuf>> {
    let EventMotion { trajectory, report, .. } = motion;
    let mut files = vec![directory.join("trajectory.csv"), directory.join("events.csv")];
    atomic::write(&files[0], trajectory_csv(setup, trajectory).as_bytes())?;
    let names = (&trajectory.contact_names[..], &setup.mechanism);
    atomic::write(&files[1], events_csv(report, names).as_bytes())?;
    for figure in overview(setup, trajectory) {
        files.extend(write_figure(&directory.join(&figure.id), &figure)?);
    }
    files.extend(viewer::write(directory, &view::of_event_motion(setup, motion))?);
    if let Some(unanswered) = &report.unanswered {
        let file = directory.join(FAILING);
        atomic::write(&file, input::impact_document(&unanswered.problem)?.as_bytes())?;
        files.push(file);
    }
    Ok(files)
}

fn events_csv(report: &Report, (contacts, mechanism): (&[String], &Mechanism)) -> String {
    let columns = ["time (s)", "event", "contacts", "energy lost (J)"];
    let mut text = csv::line(columns.map(str::to_owned));
    for event in &report.events {
        let (what, concerned, lost) = describe(&event.kind);
        let named = |contact: &usize| contacts.get(*contact).cloned().unwrap_or_default();
        let who = match event.kind {
            EventKind::Joint { joint, .. } => {
                mechanism.friction_name(joint).unwrap_or_default().to_owned()
            }
            _ => concerned.iter().map(named).collect::<Vec<_>>().join(" and "),
        };
        text += &csv::line([exact(event.time), what, who, exact(lost)]);
    }
    text
}

/// Description of an event, its contacts, and the energy lost in it (J).
fn describe(kind: &EventKind) -> (String, Vec<usize>, f64) {
    match kind {
        EventKind::Impact { contacts, dissipated, .. } => {
            ("impact".to_owned(), contacts.clone(), *dissipated)
        }
        EventKind::Accumulation { contacts, dissipated, limit, .. } => {
            let what = format!("impacts accumulate at {} s", exact(*limit));
            (what, contacts.clone(), *dissipated)
        }
        EventKind::Settling { contacts, dissipated } => {
            ("rebounds below the proximity end".to_owned(), contacts.clone(), *dissipated)
        }
        EventKind::Stretch { cause, end, steps, dissipated, .. } => {
            let (cause, end) = (name_of(cause), exact(*end));
            let what = format!("{steps} implicit steps until {end} s ({cause})");
            (what, Vec::new(), *dissipated)
        }
        EventKind::Jam { contacts, dissipated } => {
            ("jam".to_owned(), contacts.clone(), *dissipated)
        }
        EventKind::Mode { contact, from, to } => {
            (format!("from {} to {}", name_of(from), name_of(to)), vec![*contact], 0.0)
        }
        EventKind::Joint { from, to, .. } => {
            (format!("friction from {} to {}", name_of(from), name_of(to)), Vec::new(), 0.0)
        }
        other => (format!("{other:?}"), Vec::new(), 0.0),
    }
}

/// The stretches that were crossed by implicit steps, if there are any.
fn stretches(events: &[Event]) -> String {
    let (mut count, mut steps, mut time, mut largest) = (0_usize, 0, 0.0, 0.0_f64);
    for event in events {
        if let EventKind::Stretch { end, steps: taken, error, .. } = event.kind {
            count += 1;
            steps += taken;
            time += end - event.time;
            largest = largest.max(error);
        }
    }
    if count == 0 {
        return String::new();
    }
    let (time, largest) = (short(time), short(largest));
    format!(
        "Crossed by {steps} implicit steps: {count} stretches of {time} s, with errors of a step up to {largest} of the speed L/T\n"
    )
}

fn text(scenario: &Scenario, summary: &Summary) -> String {
    let mut text =
        format!("{} ({}), impacts by {}\n", scenario.title, summary.scenario, summary.law);
    let Some(motion) = &summary.motion else { return text };
    let mut table = Table::new("<><", ["quantity", "value", "unit"]);
    let Energy { account, residual } = &motion.energy;
    for (quantity, value, unit) in [
        ("time at the end", motion.end.time, "s"),
        ("impacts", motion.counters.impacts as f64, ""),
        ("changes of modes", motion.counters.mode_changes as f64, ""),
        ("steps", motion.counters.steps as f64, ""),
        ("energy at the start", account.start, "J"),
        ("energy at the end", account.end, "J"),
        ("lost in impacts", account.impacts, "J"),
        ("lost by friction", account.friction, "J"),
        ("left over by the account", *residual, "J"),
        ("deepest overlap", motion.drift.penetration, "m"),
    ] {
        table.push([quantity.to_owned(), short(value), unit.to_owned()]);
    }
    text += &format!("\n{table}");
    text += &format!("\nEnding: {}{}\n", name_of(&motion.ending), motion.restitution.remark());
    text += &stretches(&motion.events);
    for (contact, mode) in motion.contacts.iter().zip(&motion.modes) {
        text += &format!("  {contact}: {}\n", name_of(mode));
    }
    for event in &motion.events {
        if let EventKind::Accumulation { limit, landings, .. } = event.kind {
            let limit = short(limit);
            text += &format!("Impacts accumulate at {limit} s, summed after {landings} landings\n");
        }
    }
    if !summary.files.is_empty() {
        let names = summary.files.iter().map(|file| format!("  {}\n", file.display()));
        text += &format!("\nWritten:\n{}", names.collect::<String>());
    }
    text
}
