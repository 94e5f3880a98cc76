//! `percussion grains`: long runs of many grains.
//!
//! A run writes a table of its steps, pictures for `ParaView` and checkpoints into its directory. It can be
//! stopped at any time: `--resume` continues from the last checkpoint with bitwise identical results. If a
//! signal interrupts it, it writes one more checkpoint. At its end it writes a page that plays
//! all steps. No second run can write to its directory at the same time.

mod check;
mod course;
mod directory;
mod scene;
mod statistics;

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use self::{course::Line, directory::Directory, scene::Scene};
use anyhow::{Context, Result, anyhow};
use percussion_granular::{Error as StepError, Report, World, limits::Limits};
use percussion_mechanism::{
    Error,
    grains::{Measures, Run},
    view::GrainFilm,
};
use percussion_report::{
    Table,
    number::short,
    vtk::{self, Quantity, Values},
};
use serde::Serialize;

use crate::{
    arguments::Grains,
    output::{Progress, Verdict, answer, complain, name_of, warn, written},
};

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

/// Sums over the reports of all steps; those before the run was resumed are read from its table.
#[derive(Clone, Copy, Debug)]
struct Sums {
    tolerance: f64,
    /// Radius of the smallest grain (m).
    smallest: f64,
    steps: f64,
    contacts: f64,
    grains: f64,
    sweeps: f64,
    /// m.
    overlap: f64,
    relative_residual: f64,
    over_tolerance: u64,
}

pub(super) fn execute(arguments: &Grains) -> Result<Verdict> {
    let mut scene = Scene::new(arguments)?;
    if arguments.check {
        return check::execute(arguments, &scene);
    }
    let last = scene.steps_until(arguments.duration.unwrap_or(scene.duration()))?;
    let mut sums = Sums::new(scene.world());
    let mut film = GrainFilm::new(scene.world(), last);
    let mut directory = None;
    if let Some(path) = &arguments.out {
        let note = scene.note(arguments)?;
        let (opened, world) = Directory::open(path, note, arguments.resume, &mut sums)?;
        if let Some(world) = world {
            scene = scene.resumed(world)?;
            opened.film(&mut film, scene.world());
        }
        directory = Some(opened);
    }
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    ctrlc::set_handler(move || flag.store(true, Ordering::SeqCst))
        .context("cannot listen for interruptions")?;
    let mut measures = scene.run().map(Measures::new).transpose()?;
    if let (Some(directory), Some(measures)) = (&mut directory, &mut measures) {
        directory.measure(measures, scene.world())?;
    }
    let mut watch = Watch { sums, directory, film, measures };
    let ending = run(arguments, &mut scene, last, &mut watch, &interrupted)?;
    let mut summary = summary(arguments, &scene, &watch, ending);
    if let Some(directory) = &watch.directory {
        let mut view = watch.film.view(scene.title(), &caption(arguments, scene.world()));
        summary.files = directory.results(&mut view, watch.measures.as_ref())?;
    }
    let reached = matches!(summary.status, Status::Completed | Status::Unconverged);
    match &summary.reason {
        Some(reason) if reached => warn(std::slice::from_ref(reason), &arguments.scene),
        Some(reason) => complain(&anyhow!(reason.clone())),
        None => {}
    }
    answer(arguments.json, &summary, || text(&summary))?;
    Ok(if reached { Verdict::Met } else { Verdict::Unmet })
}

/// Makes the steps up to number `last`, writes the files that are due, and returns how the run ended and the reason.
fn run(
    arguments: &Grains,
    scene: &mut Scene,
    last: u64,
    watch: &mut Watch,
    interrupted: &AtomicBool,
) -> Result<(Status, Option<String>)> {
    let Watch { sums, directory, film, measures } = watch;
    let (limits, clock) = (limits(arguments), arguments.time_limit.start());
    let hint = if directory.is_some() { "; `--resume` continues" } else { "" };
    let (pictures, checkpoints) = scene.intervals(arguments);
    let progress = Progress::new();
    let mut ending = (Status::Completed, None);
    // Whether a run may continue from this world.
    let mut sound = true;
    while scene.world().steps() < last {
        if interrupted.load(Ordering::SeqCst) {
            ending = (Status::Interrupted, Some(format!("interrupted{hint}")));
            break;
        }
        if clock.is_over() {
            let (done, of) = (short(scene.world().time()), last);
            let steps = scene.world().steps();
            let reason = format!(
                "the time limit was reached at {done} s, after {steps} of {of} steps{hint}"
            );
            ending = (Status::TimeLimit, Some(reason));
            break;
        }
        let mut line = None;
        let mut look = |world: &World| {
            line = measures.as_mut().and_then(|measures| measures.look(world).map(<[f64]>::to_vec));
        };
        let report = match scene.step(&mut look) {
            Ok(report) => report,
            Err(error) => {
                sound = !matches!(error, Error::Grains(StepError::Diverged { .. }));
                ending = (Status::Failed, Some(error.to_string()));
                break;
            }
        };
        let world = scene.world();
        let due = |every: Option<u64>| every.is_some_and(|n| world.steps().is_multiple_of(n));
        sums.add(world, &report);
        if let Some(directory) = directory {
            directory.add(world, &report, line.as_deref())?;
            film.look(world, &report);
        }
        if let Err(breach) = limits.check(world, &report) {
            ending = (Status::LimitBroken, Some(breach.to_string()));
            break;
        }
        if let Some(directory) = directory {
            if due(pictures) {
                directory.picture(world)?;
            }
            if due(Some(checkpoints)) {
                directory.save(world, film)?;
            }
        }
        progress.show(world.steps() as f64 / last as f64, &message(world));
    }
    progress.clear();
    if let Some(directory) = directory {
        if sound { directory.save(scene.world(), film)? } else { directory.flush()? }
    }
    Ok(ending)
}

fn limits(arguments: &Grains) -> Limits {
    let or_none = |limit: Option<f64>| limit.unwrap_or(f64::INFINITY);
    Limits {
        relative_residual: or_none(arguments.residual_limit),
        overlap: or_none(arguments.overlap_limit),
        kinetic_energy: or_none(arguments.energy_limit),
    }
}

fn message(world: &World) -> String {
    format!("{} s, {} grains", short(world.time()), world.grains().len())
}

/// The grains in the format of VTK.
fn picture(world: &World) -> Vec<u8> {
    let grains = world.grains();
    let all = 0..grains.len();
    let points: Vec<[f64; 3]> = grains.positions().iter().map(|x| (*x).into()).collect();
    let velocities = all.clone().map(|k| grains.velocity(k).into()).collect();
    let spins = all.map(|k| grains.angular_velocity(k).into()).collect();
    let quantities = [
        Quantity { name: "radius", values: Values::Scalars(grains.radii().to_vec()) },
        Quantity { name: "velocity", values: Values::Vectors(velocities) },
        Quantity { name: "angular_velocity", values: Values::Vectors(spins) },
    ];
    vtk::points(&format!("grains at {} s", short(world.time())), &points, &quantities)
}

impl Sums {
    fn new(world: &World) -> Self {
        Self {
            tolerance: world.settings().tolerance,
            smallest: world.grains().smallest_radius(),
            steps: 0.0,
            contacts: 0.0,
            grains: 0.0,
            sweeps: 0.0,
            overlap: 0.0,
            relative_residual: 0.0,
            over_tolerance: 0,
        }
    }

    fn add(&mut self, world: &World, report: &Report) {
        self.smallest = self.smallest.min(world.grains().smallest_radius());
        self.add_line(&Line {
            step: world.steps() as f64,
            grains: world.grains().len() as f64,
            contacts: report.contacts as f64,
            sweeps: report.sweeps as f64,
            relative_residual: report.relative_residual,
            overlap: report.overlap,
        });
    }

    fn add_line(&mut self, line: &Line) {
        self.steps += 1.0;
        self.contacts += line.contacts;
        self.grains += line.grains;
        self.sweeps += line.sweeps;
        self.overlap = self.overlap.max(line.overlap);
        self.relative_residual = self.relative_residual.max(line.relative_residual);
        self.over_tolerance += u64::from(line.relative_residual > self.tolerance);
    }

    /// The warning about a run that reached its end with steps over the tolerance.
    fn over_tolerance(&self) -> Option<String> {
        (self.over_tolerance > 0 && self.tolerance > 0.0).then(|| {
            format!(
                "not converged: in {} of {} steps the sweeps ended at their limit, with a relative residual of up to {} \
                 over the tolerance of {}; more `--max-sweeps` or a shorter step help",
                self.over_tolerance,
                self.steps,
                short(self.relative_residual),
                short(self.tolerance)
            )
        })
    }
}

fn summary(
    arguments: &Grains,
    scene: &Scene,
    Watch { sums, measures, .. }: &Watch,
    (mut status, mut reason): (Status, Option<String>),
) -> Summary {
    let world = scene.world();
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
        steps: world.steps(),
        time: world.time(),
        grains: world.grains().len(),
        kinetic_energy: world.grains().kinetic_energy(),
        solid_fraction: scene.solid_fraction(),
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
    let step_size = world.settings().step_size;
    format!("percussion grains {scene} --factor {factor}; h = {} s.", short(step_size))
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
