//! A dense stream of grains past an obstacle, with grains that are larger and fewer than the published ones.
//!
//! The channel, its obstacle, the speed and gravity are the published ones. The grains, the distances at
//! which they enter and the time steps are [coarser](Parameters::coarser) by a factor, which is 1 for the
//! published size. The factor changes how much of the channel is near a wall, where grains cannot pack as
//! densely as among themselves; the [profile over the height](SolidProfile) shows it. Walls have an effect
//! over a few diameters, so the loss of solid fraction is proportional to the size of the grains to first
//! order. With the height `H`, the width `W`, and a layer of the thickness `δ` at each wall that stays empty,
//!
//! ```math
//! \varphi(\delta) = \varphi_0 \bigl( 1 - 2 \delta (1/H + 1/W) \bigr), \qquad
//! v(\delta) = \frac{W - 2 \delta}{W - 2 R - 4 \delta}
//! ```
//!
//! where `v` is the velocity beside an obstacle of the radius `R`, relative to that of the inflow, of a stream that
//! fills the rest evenly. A [`Room`] has `φ` from the published solid fraction and the runs of other sizes that the
//! fixture stores. It judges the solid fraction of a run, and carries its largest velocity to the published size.
//!
//! # Source
//!
//! T. Preclik, S. Eibl, U. Rüde, "The maximum dissipation principle in rigid-body dynamics with purely
//! inelastic impacts", *Computational Mechanics* 62 (2018) 81–96, section 4.3, table 2 and figures 10 to 12.

mod figures;
mod laws;
mod room;
mod stored;

use std::{panic::resume_unwind, thread};

use nalgebra::Vector3;
use percussion_granular::{
    Correction, Report, Settings,
    channel::{Channel, Parameters},
    statistics::{CellAverages, RadialDistribution, SolidProfile},
};
use percussion_mechanism::view::GrainFilm;
use percussion_record::{ExperimentOutcome, Play};

use self::{
    room::{Room, line_at},
    stored::Stored,
};
use crate::{
    channel::{Beside, Document, Run},
    error::Error,
    experiments::{Effort, Experiment, Options, Progress},
};

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let fixture = experiment.fixture::<Document>()?;
    let document = &fixture.parameters;
    let run = match options.effort {
        Effort::Quick => document.quick,
        Effort::Default => document.default,
        Effort::Full => document.full,
    };
    let mut show = |share| progress(share, experiment.title);
    let correction = Settings::default().correction;
    let Beside { part, window } = document.beside;
    // Its rows have no verdict, so that changed inputs need not be tried on them.
    let is_beside = experiment.perturbation.is_none();
    let (ours, beside) = thread::scope(|scope| {
        let beside = is_beside.then(|| {
            scope.spawn(move || {
                let correction = Correction::Velocity { part };
                let run = Run { window, ..run };
                Course::run(document, &run, (correction, options.seed), &mut |_| ())
            })
        });
        let ours = Course::run(document, &run, (correction, options.seed), &mut show);
        (ours, beside.map(thread::ScopedJoinHandle::join))
    });
    let (mut channel, course, film) = ours?;
    let laws = laws::compare(&mut channel, experiment.faults())?;

    let mut measurements = experiment.measurements(&fixture);
    measurements.add("size of the grains over the published one", run.factor);
    measurements.add("inflow, in grains of the published size", course.inflow);
    let solid_fraction = course.mean(|sample| sample.solid_fraction);
    measurements.add("solid fraction", solid_fraction);
    let room = Room::new(document, run.factor);
    let beyond = solid_fraction - room.solid_fraction(run.factor);
    measurements
        .add("solid fraction beyond the line through the published and other sizes", beyond);
    let sizes = [&document.runs[..], &[[run.factor, solid_fraction]]].concat();
    measurements.add("solid fraction, line over sizes at the published one", line_at(&sizes, 1.0));
    measurements.add("change of the solid fraction over the window", course.drift());
    measurements.add("contacts per grain", course.mean(|sample| sample.contacts_per_grain));
    measurements.add("deepest overlap, in diameters", course.largest(|sample| sample.overlap));
    measurements.add("mean relative residual", course.mean(|sample| sample.residual));
    measurements.add("largest relative residual", course.largest(|sample| sample.worst_residual));
    measurements.add("sweeps in a step", course.mean(|sample| sample.sweeps));
    let [distance, height] = course.peak();
    measurements.add("distance at which grains are most frequent, in diameters", distance);
    measurements.add("their frequency over that without order", height);
    let fastest = course.cells.iter().map(|cell| cell.velocity.norm()).fold(0.0, f64::max);
    measurements.add("largest velocity of a cell", fastest);
    let carried = fastest * room.speed(1.0) / room.speed(run.factor);
    measurements.add("largest velocity of a cell, carried to the published size", carried);
    measurements.add("part of the kinetic energy in rotations", course.turning);
    measurements.add("last step: contacts judged", laws.contacts);
    measurements
        .add("last step: contacts with several percussions of Coulomb's law", laws.ambiguous);
    measurements.add("last step: largest difference between the two laws", laws.difference);
    measurements.add("last step: residual by Coulomb's law over the reported one", laws.coulomb);
    measurements
        .add("last step: residual by maximum dissipation over the reported one", laws.dissipation);
    if let Some(beside) = beside {
        let (_, beside, _) = beside.unwrap_or_else(|panic| resume_unwind(panic))?;
        let name = |what| format!("overlaps removed by velocities: {what}");
        measurements.add(name("solid fraction"), beside.mean(|sample| sample.solid_fraction));
        let contacts = beside.mean(|sample| sample.contacts_per_grain);
        measurements.add(name("contacts per grain"), contacts);
        let overlap = beside.largest(|sample| sample.overlap);
        measurements.add(name("deepest overlap, in diameters"), overlap);
    }
    let mut figures = figures::all(&fixture, &course, &sizes);
    let (stored, published) = (Stored::read()?, document.parameters(options.seed));
    stored.measure(&mut measurements, &published);
    figures.extend(stored.figures(&published, &course, run.factor));
    let mut outcome = experiment.outcome(&fixture, measurements, figures)?;
    outcome.summary = outcome.summary.replace("{factor}", &run.factor.to_string());
    let step_size = course.parameters.settings.step_size;
    let caption = format!(
        "The last {} s, with grains {} times the published size; h = {step_size:.3e} s.",
        document.film, run.factor
    );
    let view = film.view(experiment.title, &caption);
    outcome.play = Some(Play { view, command: None });
    Ok(outcome)
}

/// Results of a run of the channel.
struct Course {
    parameters: Parameters,
    samples: Vec<Sample>,
    /// Index of the first sample in the window.
    first: usize,
    /// Averages over the window.
    cells: CellAverages,
    profile: SolidProfile,
    distribution: RadialDistribution,
    /// Fraction of the kinetic energy that is rotational.
    turning: f64,
    /// Inflow, as the number of grains of the published size with the same volume (s⁻¹).
    inflow: f64,
}

/// Averages and largest values over some hundred steps.
#[derive(Clone, Copy, Debug, Default)]
struct Sample {
    /// Time at the end of these steps (s).
    time: f64,
    solid_fraction: f64,
    /// Contacts per grain; a contact of two grains counts for both.
    contacts_per_grain: f64,
    /// Deepest overlap, in diameters.
    overlap: f64,
    residual: f64,
    worst_residual: f64,
    sweeps: f64,
}

/// Number of samples of a run.
const SAMPLES: u64 = 150;
/// Steps between two times that enter the averages over space: a fifth of a diameter at the speed of the inflow.
const PAUSE: u64 = 20;
/// Largest distance in the radial distribution, in diameters.
const REACH: f64 = 8.0;
/// Bins per diameter in it.
const BINS: f64 = 20.0;
/// Layers per diameter in the profile over the height.
const LAYERS: f64 = 10.0;

impl Course {
    /// Runs the channel with coarser grains, records its end and reports the completed fraction to `progress`.
    fn run(
        document: &Document,
        run: &Run,
        (correction, seed): (Correction, u64),
        progress: &mut dyn FnMut(f64),
    ) -> Result<(Channel, Self, GrainFilm), Error> {
        let Run { factor, max_sweeps, tolerance, .. } = *run;
        let coarser = document.parameters(seed).coarser(factor);
        let settings = Settings { max_sweeps, tolerance, correction, ..coarser.settings };
        let parameters = Parameters { settings, ..coarser };
        let (size, diameter) = (parameters.size, 2.0 * parameters.radius);
        let [first_step, steps] = run.window.map(|time| whole(time / settings.step_size));
        let [begin, end] = document.outflow;
        let corners = [Vector3::new(begin, 0.0, 0.0), Vector3::new(end, size.y, size.z)];
        let bins = count(BINS * (size.z.min(end - begin) / diameter).min(REACH));
        let reach = bins as f64 / BINS * diameter;
        let cells = document.cells.map(|cells| count((cells / factor).round()));
        let layers = count((size.z / diameter * LAYERS).round());

        let mut channel = Channel::new(parameters)?;
        let filmed = whole(document.film / settings.step_size).min(steps);
        let mut film = GrainFilm::new(channel.world(), filmed);
        let mut course = Self {
            parameters,
            samples: Vec::new(),
            first: 0,
            cells: CellAverages::new([size.x, size.y], cells),
            profile: SolidProfile::new(parameters.area(), size.z, layers)?,
            distribution: RadialDistribution::new(corners, reach, bins)?,
            turning: 0.0,
            inflow: 0.0,
        };
        let interval = (steps / SAMPLES).max(1);
        let mut sample = Sample::default();
        let mut energies = [0.0; 2];
        let mut inflows: Vec<(f64, u64)> = Vec::new();
        for step in 1..=steps {
            let before = channel.world().next_identity();
            let report = channel.step()?;
            if step + filmed == steps {
                film = GrainFilm::new(channel.world(), filmed);
            }
            if step + filmed > steps {
                film.look(channel.world(), &report);
            }
            if channel.world().next_identity() > before {
                inflows.push((channel.world().time(), before));
            }
            let grains = channel.world().grains();
            sample.add(&channel, &report, 1.0 / interval as f64);
            if step.is_multiple_of(interval) {
                sample.time = channel.world().time();
                course.samples.push(std::mem::take(&mut sample));
                progress(step as f64 / steps as f64);
            }
            if step == first_step {
                course.first = course.samples.len();
            }
            if step > first_step && step.is_multiple_of(PAUSE) {
                course.cells.add(grains);
                course.profile.add(grains);
                course.distribution.add(grains);
                let moving = (0..grains.len())
                    .map(|k| 0.5 * grains.mass(k) * grains.velocity(k).norm_squared());
                energies[0] += grains.kinetic_energy() - moving.sum::<f64>();
                energies[1] += grains.kinetic_energy();
            }
        }
        course.turning = energies[0] / energies[1];
        if let [(begin, first), .., (end, last)] = inflows[..] {
            course.inflow = (last - first) as f64 * factor.powi(3) / (end - begin);
        }
        Ok((channel, course, film))
    }

    /// The samples of the window.
    fn window(&self) -> &[Sample] {
        &self.samples[self.first..]
    }

    /// A value of every sample, over time.
    fn points(&self, value: impl Fn(&Sample) -> f64) -> Vec<[f64; 2]> {
        self.samples.iter().map(|sample| [sample.time, value(sample)]).collect()
    }

    /// Mean over the window.
    fn mean(&self, value: impl Fn(&Sample) -> f64) -> f64 {
        mean(self.window(), value)
    }

    /// Largest value in the window.
    fn largest(&self, value: impl Fn(&Sample) -> f64) -> f64 {
        self.window().iter().map(value).fold(0.0, f64::max)
    }

    /// Mean of the solid fraction in the second half of the window minus that in the first.
    fn drift(&self) -> f64 {
        let (early, late) = self.window().split_at(self.window().len() / 2);
        mean(late, |sample| sample.solid_fraction) - mean(early, |sample| sample.solid_fraction)
    }

    /// The distance in diameters at which the radial distribution is largest, and its value there.
    fn peak(&self) -> [f64; 2] {
        let values = self.distribution.values();
        let peak = values.iter().copied().max_by(|a, b| a[1].total_cmp(&b[1]));
        let [distance, height] = peak.unwrap_or([f64::NAN; 2]);
        [distance / (2.0 * self.parameters.radius), height]
    }
}

impl Sample {
    /// Adds a step that is this `share` of the sample.
    fn add(&mut self, channel: &Channel, report: &Report, share: f64) {
        let grains = channel.world().grains().len().max(1) as f64;
        let overlap = report.overlap / (2.0 * channel.parameters().radius);
        self.solid_fraction += share * channel.solid_fraction();
        self.contacts_per_grain += share * 2.0 * report.contacts as f64 / grains;
        self.overlap = self.overlap.max(overlap);
        self.residual += share * report.relative_residual;
        self.worst_residual = self.worst_residual.max(report.relative_residual);
        self.sweeps += share * report.sweeps as f64;
    }
}

fn mean(samples: &[Sample], value: impl Fn(&Sample) -> f64) -> f64 {
    samples.iter().map(value).sum::<f64>() / samples.len() as f64
}

/// The integer nearest to `value`.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates")]
fn whole(value: f64) -> u64 {
    value.round() as u64
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates")]
fn count(value: f64) -> usize {
    value as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::{Fault, Faults};

    /// Grains eight times as large for a few hundredths of a second; checks the properties that hold for any stream.
    #[test]
    fn a_short_stream_is_the_same_by_both_laws_and_every_figure_has_data() {
        let fixture = Document::read().unwrap();
        let document = &fixture.parameters;
        let run = Run { factor: 8.0, max_sweeps: 30, tolerance: 1e-2, window: [0.01, 0.03] };
        let mut last = 0.0;
        let (mut channel, course, _) =
            Course::run(document, &run, (Settings::default().correction, 0), &mut |share| {
                last = share;
            })
            .unwrap();
        assert!((last - 1.0).abs() < 0.02, "progress ends at {last}");
        // Two layers of 8 × 2 grains, one period apart.
        let expected = 8.0 * 2.0 * 512.0 / (8.0 * 0.94e-3);
        assert!((course.inflow / expected - 1.0).abs() < 1e-9, "{}", course.inflow);
        let [distance, height] = course.peak();
        assert!((distance - 1.0).abs() < 0.1 && height > 2.0, "{distance} {height}");
        assert!(course.window().len() > 10 && course.drift().abs() < 0.05, "{}", course.drift());

        let laws = laws::compare(&mut channel, Faults(None)).unwrap();
        assert!(laws.contacts > 100.0 && laws.ambiguous == 0.0, "{laws:?}");
        assert!(laws.difference < 1e-12, "{laws:?}");
        for ratio in [laws.coulomb, laws.dissipation] {
            assert!((ratio - 1.0).abs() < 1e-9, "{laws:?}");
        }

        // Fixtures state this fault; the whole experiment with it takes minutes.
        let wrong = Faults(Some(Fault::Impulses));
        let wrong = laws::compare(&mut channel, wrong).unwrap();
        let ratios = [wrong.coulomb, wrong.dissipation].map(|ratio| (ratio - 1.0).abs());
        assert!(wrong.difference > 1e-6 && ratios.iter().all(|off| *off > 1e-6), "{wrong:?}");

        let mut figures = figures::all(&fixture, &course, &document.runs);
        let stored = Stored::read().unwrap();
        figures.extend(stored.figures(&document.parameters(0), &course, run.factor));
        for (index, figure) in figures.iter().enumerate() {
            assert!(figure.series.iter().all(|series| !series.points.is_empty()), "{}", figure.id);
            let values = figure.map.iter().flat_map(|map| &map.cells).flatten();
            assert!(
                values
                    .chain(figure.series.iter().flat_map(|s| s.points.iter().flatten()))
                    .all(|value| value.is_finite()),
                "{}",
                figure.id
            );
            assert!(figures[..index].iter().all(|other| other.id != figure.id), "{}", figure.id);
        }
        assert_eq!(figures.iter().filter(|figure| figure.map.is_some()).count(), 4);
    }
}
