//! `percussion grains`: long runs of many grains.
//!
//! The same code runs on one process and, with another [`Machine`], on several.
//!
//! A run writes a table of its steps, pictures for `ParaView` and checkpoints into its directory. It can be
//! stopped at any time: `--resume` continues from the last checkpoint with bitwise identical results. If a
//! signal interrupts it, it writes one more checkpoint. At its end it writes a page that plays
//! all steps. No second run can write to its directory at the same time.

mod check;
mod course;
mod directory;
mod machine;
mod picture;
mod ranks;
mod scene;
mod statistics;
mod totals;

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

pub use self::machine::{Alone, Machine, Shaped};
use self::{
    directory::Directory,
    scene::Scene,
    totals::{Sums, Totals},
};
use anyhow::{Context, Result, anyhow};
use percussion_granular::{Domain, Error as StepError, Report, World, limits::Limits};
use percussion_mechanism::{
    Error,
    grains::{Measures, Run},
    view::GrainFilm,
};
use percussion_report::{Table, number::short};
use serde::Serialize;

pub use crate::arguments::Grains as Arguments;
use crate::{
    arguments::Grains,
    output::{Progress, Verdict, answer, complain, name_of, warn, written},
};

/// Number of steps between two reviews of how the work is divided.
const BALANCE_EVERY: u64 = 10;

/// Number of steps between two lines about the division; a new division always gets a line.
const RECORD_EVERY: u64 = 50;

/// Largest imbalance, above which the work is divided anew.
const IMBALANCE_LIMIT: f64 = 1.1;

/// The output of `grains --json`.
#[derive(Debug, Serialize)]
struct Summary {
    status: Status,
    scene: String,
    steps: u64,
    /// Time at the end (s).
    time: f64,
    grains: usize,
    /// Kinetic energy at the end (J).
    kinetic_energy: f64,
    /// Fraction of the volume of the channel that grains fill; only for a channel.
    #[serde(skip_serializing_if = "Option::is_none")]
    solid_fraction: Option<f64>,
    /// Over all steps, like all that follows.
    contacts_per_grain: f64,
    /// In radii of the smallest grain.
    largest_overlap: f64,
    largest_relative_residual: f64,
    mean_sweeps: f64,
    /// Steps whose sweeps ended at their limit with a residual over the tolerance.
    steps_over_tolerance: u64,
    /// Grains of streams that found no room since the run was started or resumed.
    turned_away: u64,
    /// Means of the table of statistics after the time from which averages are taken, by the names of its columns.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    statistics: BTreeMap<String, f64>,
    /// Reason why the run ended early, or what should be known about its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// The page that plays the run and its data.
    files: Vec<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Status {
    Completed,
    /// Completed, with steps over the tolerance.
    Unconverged,
    Interrupted,
    /// The computing time was over before the end.
    TimeLimit,
    LimitBroken,
    Failed,
}

/// Records of a run while it is made.
struct Watch {
    sums: Sums,
    directory: Option<Directory>,
    film: GrainFilm,
    /// Of a scene from a file.
    measures: Option<Measures>,
}

/// Runs grains as the arguments say, on all ranks of `machine`; rank 0 prints.
///
/// # Errors
///
/// Invalid input, and files that cannot be read or written.
pub fn execute<M: Machine>(
    arguments: &Grains,
    machine: &mut M,
    interrupted: &AtomicBool,
) -> Result<Verdict> {
    if arguments.check {
        return match machine.rank() {
            0 if scene::is_shaped(&arguments.scene) => {
                check::execute(arguments, &mut Scene::new(arguments, &mut Shaped)?)
            }
            0 => check::execute(arguments, &mut Scene::new(arguments, &mut Alone)?),
            _ => Ok(Verdict::Met),
        };
    }
    let mut scene = Scene::new(arguments, machine)?;
    let last = scene.steps_until(arguments.duration.unwrap_or(scene.duration()))?;
    // Before the first search the work is the number of grains.
    scene.domain().balance(1.02)?;
    let start = Totals::of(scene.domain(), Report::default(), [false; 2])?;
    let mut sums = Sums::new(scene.world().settings().tolerance, start.smallest);
    let mut film = GrainFilm::of_all(scene.domain(), last)?;
    let mut directory = None;
    if let Some(path) = &arguments.out {
        let note = scene.note(arguments)?;
        let with = (&mut sums, &*machine);
        let opened = Directory::open(path, note, arguments.resume, &mut scene, with)?;
        if arguments.resume {
            opened.film(&mut film, scene.domain())?;
        }
        directory = Some(opened);
    }
    let mut measures = scene.run().map(Measures::new).transpose()?;
    if let (Some(directory), Some(measures)) = (&mut directory, &mut measures) {
        directory.measure(measures, scene.domain(), arguments.resume)?;
    }
    machine.begin();
    let mut watch = Watch { sums, directory, film, measures };
    let (ending, totals) = run(arguments, &mut scene, last, &mut watch, interrupted)?;
    if let Some(measures) = &mut watch.measures {
        measures.unite(scene.domain())?;
    }
    finish(arguments, &scene, &mut watch, (ending, &totals), machine.rank() == 0)
}

/// [`execute`] in this process, by the machine that the grains of the scene need.
///
/// # Errors
///
/// As [`execute`].
pub fn execute_alone(arguments: &Grains, interrupted: &AtomicBool) -> Result<Verdict> {
    if scene::is_shaped(&arguments.scene) {
        return execute(arguments, &mut Shaped, interrupted);
    }
    execute(arguments, &mut Alone, interrupted)
}

/// A flag that the first signal sets by which the process is asked to end. Called once.
///
/// # Errors
///
/// If the system does not deliver signals.
pub fn interruption() -> Result<Arc<AtomicBool>> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    ctrlc::set_handler(move || flag.store(true, Ordering::SeqCst))
        .context("cannot listen for interruptions")?;
    Ok(interrupted)
}

/// Writes and prints the results on the first rank.
fn finish<D: Domain>(
    arguments: &Grains,
    scene: &Scene<D>,
    watch: &mut Watch,
    (ending, totals): (Ending, &Totals),
    first: bool,
) -> Result<Verdict> {
    let mut summary = summary(arguments, scene, watch, (ending, totals));
    let reached = matches!(summary.status, Status::Completed | Status::Unconverged);
    let verdict = if reached { Verdict::Met } else { Verdict::Unmet };
    if !first {
        return Ok(verdict);
    }
    if let Some(directory) = &watch.directory {
        let mut view = watch.film.view(scene.title(), &caption(arguments, scene.world()));
        summary.files = directory.results(&mut view, watch.measures.as_ref())?;
    }
    match &summary.reason {
        Some(reason) if reached => warn(std::slice::from_ref(reason), &arguments.scene),
        Some(reason) => complain(&anyhow!(reason.clone())),
        None => {}
    }
    answer(arguments.json, &summary, || text(&summary))?;
    Ok(verdict)
}

/// How a run ended, and the reason.
type Ending = (Status, Option<String>);

/// Makes the steps up to number `last`, writes the files that are due, and returns how the run ended and the last totals.
fn run<D: Domain>(
    arguments: &Grains,
    scene: &mut Scene<D>,
    last: u64,
    watch: &mut Watch,
    interrupted: &AtomicBool,
) -> Result<(Ending, Totals)> {
    let Watch { sums, directory, film, measures } = watch;
    let (limits, clock) = (limits(arguments), arguments.time_limit.start());
    let hint = if directory.is_some() { "; `--resume` continues" } else { "" };
    let (pictures, checkpoints) = scene.intervals(arguments);
    let progress = (scene.domain().rank() == 0).then(Progress::new);
    let flags = || [interrupted.load(Ordering::SeqCst), clock.is_over()];
    let mut totals = Totals::of(scene.domain(), Report::default(), flags())?;
    let mut ending = (Status::Completed, None);
    // Whether a run may continue from this world.
    let mut sound = true;
    while totals.step < last {
        if let Some(stopped) = stopped(&totals, last, hint) {
            ending = stopped;
            break;
        }
        let (mut line, mut measured) = (None, Ok(()));
        let mut look = |domain: &mut D| {
            let Some(measures) = measures.as_mut() else { return };
            match measures.look(domain) {
                Ok(row) => line = row.map(<[f64]>::to_vec),
                Err(error) => measured = Err(error),
            }
        };
        let report = match scene.step(&mut look) {
            Ok(report) => report,
            Err(error) => {
                let diverged = StepError::DivergedElsewhere;
                sound = !matches!(&error, Error::Grains(e) if *e == diverged || is_diverged(e));
                ending = (Status::Failed, Some(error.to_string()));
                break;
            }
        };
        measured?;
        totals = Totals::of(scene.domain(), report, flags())?;
        let due = |every: Option<u64>| every.is_some_and(|n| totals.step.is_multiple_of(n));
        sums.add(&totals);
        if let Some(directory) = directory {
            directory.add(&totals, line.as_deref())?;
            film.look_at_all(scene.domain(), &totals.report)?;
        }
        if let Err(breach) = limits.check_values(totals.step, totals.limited()) {
            ending = (Status::LimitBroken, Some(breach.to_string()));
            break;
        }
        if due(Some(BALANCE_EVERY)) {
            divide(scene.domain(), &totals, directory.as_mut(), measures.as_mut())?;
        }
        if let Some(directory) = directory {
            if due(pictures) {
                directory.picture(scene.domain())?;
            }
            if due(Some(checkpoints)) {
                directory.save(scene.domain(), film, measures.as_mut())?;
            }
        }
        if let Some(progress) = &progress {
            progress.show(totals.step as f64 / last as f64, &message(&totals));
        }
    }
    if let Some(progress) = progress {
        progress.clear();
    }
    if let Some(directory) = directory {
        if sound {
            directory.save(scene.domain(), film, measures.as_mut())?;
        } else {
            directory.flush()?;
        }
    }
    Ok((ending, totals))
}

/// Whether a run must stop before its end.
fn stopped(totals: &Totals, last: u64, hint: &str) -> Option<Ending> {
    if totals.interrupted {
        return Some((Status::Interrupted, Some(format!("interrupted{hint}"))));
    }
    let (done, steps) = (short(totals.time), totals.step);
    let reason =
        || format!("the time limit was reached at {done} s, after {steps} of {last} steps{hint}");
    totals.over.then(|| (Status::TimeLimit, Some(reason())))
}

fn is_diverged(error: &StepError) -> bool {
    matches!(error, StepError::Diverged { .. })
}

/// Divides the work anew where it is uneven, and records how even it was.
fn divide(
    domain: &mut impl Domain,
    totals: &Totals,
    directory: Option<&mut Directory>,
    measures: Option<&mut Measures>,
) -> Result<()> {
    let balance = domain.balance(IMBALANCE_LIMIT)?;
    if balance.moved
        && let Some(measures) = measures
    {
        measures.see(domain);
    }
    if !balance.moved && !totals.step.is_multiple_of(RECORD_EVERY) {
        return Ok(());
    }
    let size = domain.size();
    let recorded = (balance.imbalance, balance.moved);
    directory.map_or(Ok(()), |directory| directory.add_balance(totals, size, recorded))
}

fn limits(arguments: &Grains) -> Limits {
    let or_none = |limit: Option<f64>| limit.unwrap_or(f64::INFINITY);
    Limits {
        relative_residual: or_none(arguments.residual_limit),
        overlap: or_none(arguments.overlap_limit),
        kinetic_energy: or_none(arguments.energy_limit),
    }
}

fn message(totals: &Totals) -> String {
    format!("{} s, {} grains", short(totals.time), totals.grains)
}

fn summary<D: Domain>(
    arguments: &Grains,
    scene: &Scene<D>,
    Watch { sums, measures, .. }: &Watch,
    ((mut status, mut reason), totals): (Ending, &Totals),
) -> Summary {
    if status == Status::Completed
        && let Some(over) = sums.over_tolerance()
    {
        (status, reason) = (Status::Unconverged, Some(over));
    }
    let measured = |measures: &Measures| {
        let names = measures.columns().into_iter().skip(1).map(|(name, _)| name);
        names.zip(measures.means()).collect()
    };
    let over = |sum: f64, count: f64| if count > 0.0 { sum / count } else { 0.0 };
    Summary {
        status,
        scene: arguments.scene.clone(),
        steps: totals.step,
        time: totals.time,
        grains: totals.grains,
        kinetic_energy: totals.kinetic_energy,
        solid_fraction: scene.solid_fraction(totals.grains as f64),
        contacts_per_grain: over(sums.contacts, sums.grains),
        largest_overlap: if sums.overlap > 0.0 { sums.overlap / sums.smallest } else { 0.0 },
        largest_relative_residual: sums.relative_residual,
        mean_sweeps: over(sums.sweeps, sums.steps),
        steps_over_tolerance: sums.over_tolerance,
        turned_away: scene.run().map_or(0, Run::turned_away),
        statistics: measures.as_ref().map(measured).unwrap_or_default(),
        reason,
        files: Vec::new(),
    }
}

/// The text below the title of the page.
fn caption(arguments: &Grains, world: &World) -> String {
    let Grains { scene, factor, .. } = arguments;
    let step_size = short(world.settings().step_size);
    let is_given = factor.total_cmp(&1.0).is_ne();
    let of_factor = if is_given { format!(" --factor {factor}") } else { String::new() };
    format!("percussion grains {scene}{of_factor}; h = {step_size} s.")
}

fn text(summary: &Summary) -> String {
    let mut table = Table::new("<><", ["quantity", "value", "unit"]);
    let some = |count: u64| (count > 0).then_some(count as f64);
    let rows = [
        ("steps", Some(summary.steps as f64), ""),
        ("time", Some(summary.time), "s"),
        ("grains", Some(summary.grains as f64), ""),
        ("kinetic energy", Some(summary.kinetic_energy), "J"),
        ("solid fraction", summary.solid_fraction, ""),
        ("contacts per grain, mean", Some(summary.contacts_per_grain), ""),
        ("largest overlap", Some(summary.largest_overlap), "radii"),
        ("largest relative residual", Some(summary.largest_relative_residual), ""),
        ("sweeps in a step, mean", Some(summary.mean_sweeps), ""),
        ("steps over the tolerance", Some(summary.steps_over_tolerance as f64), ""),
        ("grains turned away", some(summary.turned_away), ""),
    ];
    for (quantity, value, unit) in rows {
        if let Some(value) = value {
            table.push([quantity.to_owned(), short(value), unit.to_owned()]);
        }
    }
    for (name, mean) in &summary.statistics {
        let unit = match name {
            name if name.ends_with(": mass flow") => "kg/s",
            name if name == "surface angle" => "rad",
            _ => continue,
        };
        table.push([format!("{name}, mean"), short(*mean), unit.to_owned()]);
    }
    let head = format!("{} ({})\n\n{table}", summary.scene, name_of(&summary.status));
    head + &written(&summary.files)
}
