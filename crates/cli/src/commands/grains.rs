//! `percussion grains`: long runs of many grains.
//!
//! A run writes a table of its steps, pictures for `ParaView` and checkpoints into its directory. It can be
//! stopped at any time: `--resume` continues from the last checkpoint with bitwise identical results. If a
//! signal interrupts it, it writes one more checkpoint. At its end it writes a page that plays the steps
//! since the run was started or resumed. No second run can write to its directory at the same time.

mod course;
mod directory;
mod scene;

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use self::{directory::Directory, scene::Scene};
use anyhow::{Context, Result, anyhow};
use percussion_granular::{Error, Report, World, limits::Limits};
use percussion_mechanism::view::GrainFilm;
use percussion_report::{
    Table,
    number::short,
    vtk::{self, Quantity, Values},
};
use serde::Serialize;

use crate::{
    arguments::Grains,
    output::{Progress, Verdict, answer, complain, name_of, written},
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
    /// Mean over the steps of this run.
    contacts_per_grain: f64,
    /// Largest overlap in the steps of this run, in radii of the smallest grain.
    largest_overlap: f64,
    largest_relative_residual: f64,
    mean_sweeps: f64,
    /// Reason why the run ended early, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// The page that plays the run and its data.
    files: Vec<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Status {
    Completed,
    Interrupted,
    LimitBroken,
    Failed,
}

/// Sums over the reports of the steps of this run.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    steps: f64,
    contacts: f64,
    grains: f64,
    sweeps: f64,
    overlap: f64,
    relative_residual: f64,
}

pub(super) fn execute(arguments: &Grains) -> Result<Verdict> {
    let mut scene = Scene::new(arguments)?;
    let last = scene.steps_until(arguments.duration.unwrap_or(scene.duration()))?;
    let mut directory = None;
    if let Some(path) = &arguments.out {
        let (opened, world) = Directory::open(path, scene.note(arguments)?, arguments.resume)?;
        if let Some(world) = world {
            scene = scene.resumed(world)?;
        }
        directory = Some(opened);
    }
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    ctrlc::set_handler(move || flag.store(true, Ordering::SeqCst))
        .context("cannot listen for interruptions")?;
    let first = scene.world().steps();
    let filmed = |_: &Directory| GrainFilm::new(scene.world(), last.saturating_sub(first));
    let mut film = directory.as_ref().map(filmed);
    let mut sums = Sums::default();
    let observers = (&mut sums, directory.as_mut(), film.as_mut());
    let ending = run(arguments, &mut scene, last, observers, &interrupted)?;
    let mut summary = summary(arguments, &scene, &sums, ending);
    if let (Some(directory), Some(film)) = (&directory, &film) {
        let view = film.view(arguments.scene.title(), &caption(arguments, scene.world(), first));
        summary.files = directory.page(&view)?;
    }
    if let Some(reason) = &summary.reason {
        complain(&anyhow!(reason.clone()));
    }
    answer(arguments.json, &summary, || text(&summary))?;
    Ok(if summary.status == Status::Completed { Verdict::Met } else { Verdict::Unmet })
}

/// Makes the steps up to number `last`, writes the files that are due, and returns how the run ended and the reason.
fn run(
    arguments: &Grains,
    scene: &mut Scene,
    last: u64,
    (sums, mut directory, mut film): (&mut Sums, Option<&mut Directory>, Option<&mut GrainFilm>),
    interrupted: &AtomicBool,
) -> Result<(Status, Option<String>)> {
    let limits = limits(arguments);
    let progress = Progress::new();
    let mut ending = (Status::Completed, None);
    // Whether a run may continue from this world.
    let mut sound = true;
    while scene.world().steps() < last {
        if interrupted.load(Ordering::SeqCst) {
            let hint = if directory.is_some() { "; `--resume` continues" } else { "" };
            ending = (Status::Interrupted, Some(format!("interrupted{hint}")));
            break;
        }
        let report = match scene.step() {
            Ok(report) => report,
            Err(error) => {
                sound = !matches!(error, Error::Diverged { .. });
                ending = (Status::Failed, Some(error.to_string()));
                break;
            }
        };
        let world = scene.world();
        let due = |every: Option<u64>| every.is_some_and(|n| world.steps().is_multiple_of(n));
        sums.add(world, &report);
        if let Some(directory) = &mut directory {
            directory.add(world, &report)?;
        }
        if let Some(film) = &mut film {
            film.look(world, &report);
        }
        if let Err(breach) = limits.check(world, &report) {
            ending = (Status::LimitBroken, Some(breach.to_string()));
            break;
        }
        if let Some(directory) = &mut directory {
            if due(arguments.vtk_every) {
                directory.picture(world)?;
            }
            if due(Some(arguments.checkpoint_every)) {
                directory.save(world)?;
            }
        }
        progress.show(world.steps() as f64 / last as f64, &message(world));
    }
    progress.clear();
    if let Some(directory) = directory {
        if sound { directory.save(scene.world())? } else { directory.flush()? }
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
    fn add(&mut self, world: &World, report: &Report) {
        self.steps += 1.0;
        self.contacts += report.contacts as f64;
        self.grains += world.grains().len() as f64;
        self.sweeps += report.sweeps as f64;
        self.overlap = self.overlap.max(report.overlap / world.grains().smallest_radius());
        self.relative_residual = self.relative_residual.max(report.relative_residual);
    }
}

fn summary(
    arguments: &Grains,
    scene: &Scene,
    sums: &Sums,
    (status, reason): (Status, Option<String>),
) -> Summary {
    let world = scene.world();
    let over = |sum: f64, count: f64| if count > 0.0 { sum / count } else { 0.0 };
    Summary {
        status,
        scene: name_of(&arguments.scene),
        steps: world.steps(),
        time: world.time(),
        grains: world.grains().len(),
        kinetic_energy: world.grains().kinetic_energy(),
        solid_fraction: scene.solid_fraction(),
        contacts_per_grain: over(sums.contacts, sums.grains),
        largest_overlap: sums.overlap,
        largest_relative_residual: sums.relative_residual,
        mean_sweeps: over(sums.sweeps, sums.steps),
        reason,
        files: Vec::new(),
    }
}

/// The text below the title of the page.
fn caption(arguments: &Grains, world: &World, first: u64) -> String {
    let Grains { scene, factor, .. } = arguments;
    let scene = name_of(scene);
    let step_size = world.settings().step_size;
    let from = match first {
        0 => String::new(),
        _ => format!(", from {} s on", short(first as f64 * step_size)),
    };
    format!("percussion grains {scene} --factor {factor}{from}; h = {} s.", short(step_size))
}

fn text(summary: &Summary) -> String {
    let mut table = Table::new("<><", ["quantity", "value", "unit"]);
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
    ];
    for (quantity, value, unit) in rows {
        if let Some(value) = value {
            table.push([quantity.to_owned(), short(value), unit.to_owned()]);
        }
    }
    let head = format!("{} ({})\n\n{table}", summary.scene, name_of(&summary.status));
    head + &written(&summary.files)
}
