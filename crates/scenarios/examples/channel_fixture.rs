//! What a long run of the channel gave, as a fixture: averages over its checkpoints and its table.
//!
//! A run keeps only its last two checkpoints, so that it is made in pieces, whose checkpoints are kept. It has the same bits
//! as a run without pauses:
//!
//! ```text
//! percussion grains channel --max-sweeps 30 --tolerance 1e-2 --duration 0.2 --out run
//! mkdir kept; cp run/grains.checkpoint kept/200
//! for t in $(seq 202.5 2.5 300); do
//!   percussion grains channel --max-sweeps 30 --tolerance 1e-2 --duration ${t}e-3 --out run --resume
//!   cp run/grains.checkpoint kept/$t
//! done
//! cargo run --release -p percussion-scenarios --example channel_fixture -- run kept 0.2 "the machine and the time it took"
//! ```
//!
//! The arguments are the directory of the run, the folder of the checkpoints that were kept, the time from which on averages
//! are taken (s), and a text about the run. Without arguments it makes a short run with large grains.

#![expect(clippy::print_stdout, reason = "the output of an example")]

use std::{error::Error, fmt::Write, fs, path::Path};

use nalgebra::Vector3;
use percussion_granular::{
    Grains, World,
    channel::{Channel, Parameters},
    checkpoint,
    statistics::{CellAverages, RadialDistribution, SolidProfile},
};
use percussion_scenarios::channel;

/// Columns along and across the channel of figures 10 and 11.
const CELLS: [usize; 2] = [150, 65];
/// The region of figure 12 along the channel (m).
const OUTFLOW: [f64; 2] = [0.12, 0.14];
/// Largest distance in the radial distribution, and its bins and layers of the profile, in and per diameter.
const REACH: f64 = 8.0;
const BINS: f64 = 20.0;
const LAYERS: f64 = 10.0;
/// Time between two lines of the history (s).
const INTERVAL: f64 = 2.5e-3;
/// Solid fraction at which the wake of the obstacle ends, between those in it and behind it.
const WAKE: f64 = 0.48;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let published = channel::parameters(0)?;
    let [run, kept, from, about] = &arguments[..] else {
        let fixture = short_run(published.coarser(8.0))?;
        println!("{} bytes of a run that is too short to tell anything", fixture.len());
        return Ok(());
    };
    let from: f64 = from.parse()?;
    let mut worlds = Vec::new();
    for entry in fs::read_dir(kept)? {
        let checkpoint = checkpoint::restore(&entry?.path())?.checkpoint;
        worlds.push((checkpoint.state.time, checkpoint.note, checkpoint.state));
    }
    worlds.retain(|(time, ..)| *time > from - 1e-9);
    worlds.sort_by(|(a, ..), (b, ..)| a.total_cmp(b));
    worlds.dedup_by(|(a, ..), (b, ..)| (*a - *b).abs() < 1e-12);
    let (_, note, state) = worlds.first().ok_or("no checkpoint is late enough")?;
    let radius = *state.radii.first().ok_or("no grains")?;
    let (note, parameters) = (note.clone(), published.coarser(radius / published.radius));
    let mut averages = Averages::new(parameters)?;
    for (_, _, state) in worlds {
        averages.add(&World::from_state(state)?);
    }
    let lines = read(&Path::new(run).join("course.csv"))?;
    println!("{}", averages.fixture(&lines, from, [&note, about]));
    Ok(())
}

/// A run of two hundredths of a second.
fn short_run(parameters: Parameters) -> Result<String, Box<dyn Error>> {
    let (mut channel, mut averages) = (Channel::new(parameters)?, Averages::new(parameters)?);
    let mut lines = Vec::new();
    while channel.world().time() < 0.02 {
        let report = channel.step()?;
        let grains = channel.world().grains().len() as f64;
        let [contacts, sweeps] = [report.contacts, report.sweeps].map(|count| count as f64);
        let (residual, overlap) = (report.relative_residual, report.overlap);
        let time = channel.world().time();
        lines.push(Line { time, grains, contacts, sweeps, residual, overlap });
        averages.add(channel.world());
    }
    Ok(averages.fixture(&lines, 0.01, ["factor 8", "a test"]))
}

/// A step, from the table of a run.
#[derive(Clone, Copy)]
struct Line {
    time: f64,
    grains: f64,
    contacts: f64,
    sweeps: f64,
    residual: f64,
    overlap: f64,
}

fn read(path: &Path) -> Result<Vec<Line>, Box<dyn Error>> {
    let text = fs::read_to_string(path)?;
    let line = |line: &str| {
        let fields: Option<Vec<f64>> = line.split(',').map(|field| field.parse().ok()).collect();
        match fields?[..] {
            [_, time, grains, contacts, sweeps, residual, overlap, ..] => {
                Some(Line { time, grains, contacts, sweeps, residual, overlap })
            }
            _ => None,
        }
    };
    Ok(text.lines().filter_map(line).collect())
}

/// Averages over instants.
struct Averages {
    parameters: Parameters,
    cells: CellAverages,
    profile: SolidProfile,
    distribution: RadialDistribution,
    /// Of each instant: time (s), solid fraction, end of the wake (m), largest velocity of a cell (m/s).
    instants: Vec<[f64; 4]>,
    /// Kinetic energy of rotations, and all (J).
    energies: [f64; 2],
}

impl Averages {
    fn new(parameters: Parameters) -> Result<Self, Box<dyn Error>> {
        let (size, diameter) = (parameters.size, 2.0 * parameters.radius);
        let corners =
            [Vector3::new(OUTFLOW[0], 0.0, 0.0), Vector3::new(OUTFLOW[1], size.y, size.z)];
        let bins = count(BINS * ((OUTFLOW[1] - OUTFLOW[0]) / diameter).min(REACH));
        let reach = bins as f64 / BINS * diameter;
        Ok(Self {
            parameters,
            cells: CellAverages::new([size.x, size.y], CELLS),
            profile: SolidProfile::new(
                parameters.area(),
                size.z,
                count(size.z / diameter * LAYERS),
            )?,
            distribution: RadialDistribution::new(corners, reach, bins)?,
            instants: Vec::new(),
            energies: [0.0; 2],
        })
    }

    fn add(&mut self, world: &World) {
        let grains: &Grains = world.grains();
        self.cells.add(grains);
        self.profile.add(grains);
        self.distribution.add(grains);
        let mut now = CellAverages::new([self.parameters.size.x, self.parameters.size.y], CELLS);
        now.add(grains);
        let fraction = self.parameters.solid_fraction(grains.len() as f64);
        let wake = self.sections(&now, 1.0).into_iter().find(|[x, fraction, _]| {
            *x > self.parameters.obstacle[0] + self.parameters.obstacle_radius && *fraction >= WAKE
        });
        let wake = wake.map_or(f64::NAN, |[x, ..]| x);
        self.instants.push([world.time(), fraction, wake, fastest(&now)]);
        let moving = |k: usize| 0.5 * grains.mass(k) * grains.velocity(k).norm_squared();
        let moving: f64 = (0..grains.len()).map(moving).sum();
        self.energies[0] += grains.kinetic_energy() - moving;
        self.energies[1] += grains.kinetic_energy();
    }

    /// The file, with averages of the table from `from` (s) to the last instant.
    fn fixture(&self, lines: &[Line], from: f64, [run, about]: [&str; 2]) -> String {
        let Parameters { settings, radius, .. } = self.parameters;
        let mut text = HEAD.to_owned();
        let mut put = |name: &str, value: String| {
            let _ = writeln!(text, "{name} = {value}");
        };
        put("run", format!("{run:?}"));
        put("about", format!("{about:?}"));
        put("radius", rounded(radius, 6));
        put("step_size", rounded(settings.step_size, 6));
        let last = self.instants.last().map_or(0.0, |instant| instant[0]);
        put("window", format!("[{}, {}]", rounded(from, 6), rounded(last, 6)));
        let is_in = |line: &&Line| line.time > from && line.time <= last + 1e-9;
        let window: Vec<Line> = lines.iter().filter(is_in).copied().collect();
        put("mean", self.row(&window, last));
        let mut history = Vec::new();
        let mut rest = lines;
        while let Some(first) = rest.first() {
            let end = ((first.time - 1e-9) / INTERVAL).floor().mul_add(INTERVAL, INTERVAL);
            let (now, later) = rest.split_at(rest.partition_point(|line| line.time < end + 1e-9));
            if now.is_empty() || end > last + 1e-9 {
                break;
            }
            history.push(self.row(now, end));
            rest = later;
        }
        put("history", rows(history));
        put("turning", rounded(self.energies[0] / self.energies[1], 4));
        put("instants", rows(self.instants.iter().map(row)));
        let pairs = |values: Vec<[f64; 2]>| {
            rows(values.into_iter().map(|[x, y]| row(&[0.5 * x / radius, y])))
        };
        put("profile", pairs(self.profile.values()));
        put("radial", pairs(self.distribution.values()));
        let along = self.sections(&self.cells, self.instants.len() as f64);
        put("along", rows(along.iter().map(row)));
        put("velocity", self.map(|cell| format!("{:.3}", cell.velocity.norm())));
        put("spin", self.map(|cell| rounded(cell.spin, 3)));
        text
    }

    /// Time, solid fraction, contacts per grain, deepest overlap in diameters, mean and largest residual, sweeps.
    fn row(&self, lines: &[Line], end: f64) -> String {
        let mean = |value: &dyn Fn(&Line) -> f64| {
            lines.iter().map(value).sum::<f64>() / lines.len() as f64
        };
        let largest =
            |value: &dyn Fn(&Line) -> f64| lines.iter().map(value).fold(f64::NAN, f64::max);
        let values = [
            end,
            self.parameters.solid_fraction(mean(&|line| line.grains)),
            mean(&|line| 2.0 * line.contacts / line.grains),
            largest(&|line| 0.5 * line.overlap / self.parameters.radius),
            mean(&|line| line.residual),
            largest(&|line| line.residual),
            mean(&|line| line.sweeps),
        ];
        row(&values)
    }

    /// Place along the channel (m), solid fraction of the room beside the obstacle, mean velocity along the channel (m/s).
    fn sections(&self, cells: &CellAverages, instants: f64) -> Vec<[f64; 3]> {
        let Parameters { size, obstacle, obstacle_radius, .. } = self.parameters;
        let [long, _] = cells.cell();
        let mut sums = vec![[0.0; 2]; CELLS[0]];
        for cell in cells.iter() {
            let sum = &mut sums[count(cell.at[0] / long)];
            sum[0] += cell.count as f64;
            sum[1] += cell.count as f64 * cell.velocity.x;
        }
        let volume = 4.0 / 3.0 * std::f64::consts::PI * self.parameters.radius.powi(3);
        let section = |(place, [grains, moving]): (usize, [f64; 2])| {
            let x = (place as f64 + 0.5) * long;
            let off = x - obstacle[0];
            let half = if off < 0.0 {
                (obstacle_radius.powi(2) - off.powi(2)).max(0.0).sqrt()
            } else if off < obstacle_radius {
                obstacle_radius
            } else {
                0.0
            };
            let room = long * size.z * (size.y - 2.0 * half) * instants;
            [x, grains * volume / room, moving / grains]
        };
        sums.into_iter().enumerate().map(section).collect()
    }

    /// Rows of cells along the channel; `nan` where no grain was.
    fn map(&self, value: impl Fn(&percussion_granular::statistics::Cell) -> String) -> String {
        let mut cells = vec![vec!["nan".to_owned(); CELLS[0]]; CELLS[1]];
        let widths = self.cells.cell();
        for cell in self.cells.iter() {
            let [i, j] = [0, 1].map(|k| count(cell.at[k] / widths[k]));
            cells[j][i] = value(&cell);
        }
        rows(cells.into_iter().map(|row| format!("[{}]", row.join(","))))
    }
}

fn fastest(cells: &CellAverages) -> f64 {
    cells.iter().map(|cell| cell.velocity.norm()).fold(0.0, f64::max)
}

fn row<const N: usize>(values: &[f64; N]) -> String {
    format!("[{}]", values.map(|value| rounded(value, 4)).join(","))
}

fn rows(rows: impl IntoIterator<Item = String>) -> String {
    let rows: Vec<String> = rows.into_iter().collect();
    format!("[\n{},\n]", rows.join(",\n"))
}

/// A number with this many digits.
fn rounded(value: f64, digits: usize) -> String {
    let value: f64 = format!("{value:.*e}", digits - 1).parse().unwrap_or(f64::NAN);
    if value.is_nan() { "nan".to_owned() } else { format!("{value:?}") }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates")]
fn count(value: f64) -> usize {
    value as usize
}

const HEAD: &str = "\
# A run of the channel with grains of the published size: averages over instants, which are its checkpoints, and of its table.
#
# Source: own run, by the commands at the head of crates/scenarios/examples/channel_fixture.rs, which writes this file. Its
# scene is that of T. Preclik, S. Eibl, U. Rüde, Computational Mechanics 62 (2018) 81-96, section 4.3. SI units.
#
# `mean` over the times in `window` and `history`: time at the end, solid fraction, contacts per grain, deepest overlap in
# diameters, mean and largest relative residual, sweeps in a step. `turning`: part of the kinetic energy in rotations.
# `instants`: time, solid fraction, place behind the obstacle from which on the solid fraction of a section is 0.48, largest
# velocity of a cell. `profile`, `radial`: height and distance in diameters with their solid fraction and radial distribution.
# `along`: x, solid fraction beside the obstacle, mean velocity along x. `velocity` and `spin`: rows of cells along x from y = 0
# on, magnitude of the mean velocity and mean magnitude of the angular velocity.
#
";
