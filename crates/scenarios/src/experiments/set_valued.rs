//! The five examples of Halm and Posa: sets of post-impact velocities, sampled.
//!
//! Every example is an [`ImpactScenario`] of which many samples are drawn. Their means are compared with
//! Table 3. The statements of the paper about each example in words become rows of their own: shares of
//! samples in a contact mode, and distances of the outcomes of other laws from the set.
//!
//! # Outcomes in the closure of the set
//!
//! The outcome of a sequence is the limit of samples that give one contact after the other its whole
//! increment and almost nothing to the rest. Random samples approach it slowly, like `n^(−1/k)` for `k`
//! increments that must be small. It is therefore also approached deliberately: a sample whose rest is
//! `ε = 10⁻⁹` of the increment `h` ends within `ε h N max W` of it, which is the effect of the rest in `N`
//! steps. This is below 10⁻⁸ m/s in the examples.
//!
//! # Source
//!
//! M. Halm, M. Posa, "Set-valued rigid-body dynamics for simultaneous, inelastic, frictional impacts",
//! *International Journal of Robotics Research* 43 (2024), section 5.4, Table 3 and figures 9 and 11 to
//! 14.

use std::cell::RefCell;

use nalgebra::DVector;
use percussion_complementarity::lcp::enumerate;
use percussion_impact::{
    Outcome, Problem,
    anitescu_potra::AnitescuPotra,
    friction_cone::{self, FrictionCone},
    guarantee::LcpBound,
    sequential::{Order, Sequential},
    set_valued::{Covering, Sample, Sampler, SetValuedRouth, Settings, Statistics, Summary},
};
use percussion_mechanism::impacts::{Impact, ImpactScenario};

use judge::Judged;

use super::{Effort, Measurements, Options, Progress, settled};
use crate::{error::Error, fault::Faults, published_code::PublishedCode};

mod box_and_wall;
mod compass_gait;
mod disk_stack;
mod inexact;
mod judge;
mod planes;
mod ramone;
mod raster;
mod rocking_block;
mod walkers;
mod zeno;

/// The experiments of the family, in the order of lists.
pub(super) const ALL: &[super::Experiment] = &[
    experiment!(
        "set-valued/rocking-block",
        set_valued::rocking_block,
        "A block falls flat on the ground"
    ),
    experiment!(
        "set-valued/compass-gait",
        set_valued::compass_gait,
        "A compass gait walker takes a wide step"
    ),
    experiment!(
        "set-valued/box-and-wall",
        set_valued::box_and_wall,
        "A box slides on a corner into a wall"
    ),
    experiment!(
        "set-valued/ramone",
        set_valued::ramone,
        "The biped RAMone sets down its leading foot"
    ),
    experiment!(
        "set-valued/disk-stack",
        set_valued::disk_stack,
        "A disk falls on two others that stand on the ground"
    ),
    experiment!(
        "set-valued/zeno",
        set_valued::zeno,
        "A block rocks to rest through infinitely many impacts"
    ),
];

/// Samples whose paths are drawn.
const PATHS: u64 = 1 << 13;

/// A contact velocity below this fraction of the fastest one before the impact counts as zero: ten times the
/// tolerance with which a sample ends.
const STILL: f64 = 1e-8;

/// Increments of the contacts that wait, as a fraction of the whole increment.
const REST: f64 = 1e-9;

/// Number of samples of an experiment: fewer for tests, the published number for full effort.
fn samples(scenario: &ImpactScenario, effort: Effort) -> u64 {
    match effort {
        Effort::Quick => 1 << 13,
        Effort::Default => 1 << 16,
        Effort::Full => scenario.set_valued.samples,
    }
}

/// Contact velocities of samples, step by step (m/s).
type Paths = Vec<Vec<Vec<f64>>>;

/// An example with its samples and the outcomes of other laws.
struct Study {
    impact: Impact,
    settings: Settings,
    statistics: Statistics,
    /// The figures of the steps of the first samples, measured from their impulses and velocities.
    judged: Judged,
    faults: Faults,
    /// The contact velocities after the impact, one entry per sample (m/s).
    ends: Vec<Vec<f64>>,
    /// Contact velocities from the one before to the one after the impact, for the first samples.
    paths: Paths,
    /// All outcomes with all contacts at once.
    simultaneous: Vec<Outcome>,
    /// Outcomes of sequences of single impacts, each with its name.
    sequences: Vec<(String, Outcome)>,
}

impl Study {
    /// Samples an example, and reports progress as the part of the experiment between `from` and `to`.
    fn new(
        (scenario, faults): (&ImpactScenario, Faults),
        covering: Covering,
        options: &Options,
        progress: &mut Progress<'_>,
        [from, to]: [f64; 2],
    ) -> Result<Self, Error> {
        let samples = samples(scenario, options.effort);
        // The covering vectors of the source are in SI units.
        let covering_units = Some([1.0; 2]);
        let given = Settings { samples, covering, covering_units, ..scenario.set_valued };
        let steps = faults.steps(given.steps);
        let settings = Settings { seed: options.seed, steps, ..given };
        Self::sample((scenario, faults), settings, progress, [from, to])
    }

    /// The same as [`new`](Self::new), with other `settings`.
    fn sample(
        (scenario, faults): (&ImpactScenario, Faults),
        settings: Settings,
        progress: &mut Progress<'_>,
        [from, to]: [f64; 2],
    ) -> Result<Self, Error> {
        let impact = scenario.build()?;
        let progress = RefCell::new(progress);
        let show = |done: u64| {
            let share = done as f64 / settings.samples as f64;
            (progress.borrow_mut())(from + (to - from) * share, &scenario.title);
        };
        let law = SetValuedRouth::new(settings);
        let ends = Ends { velocities: Vec::new(), faults };
        let set = law.post_impact_set(&impact.problem, ends, show)?;
        let all = AnitescuPotra::default().all(&impact.problem, &enumerate::Settings::default())?;
        let (paths, judged) = paths(&impact.problem, &settings, faults)?;
        Ok(Self {
            settings,
            judged,
            faults,
            statistics: set.statistics,
            ends: set.summary.velocities,
            paths,
            simultaneous: all.outcomes,
            sequences: sequences(&impact)?,
            impact,
        })
    }

    fn problem(&self) -> &Problem {
        &self.impact.problem
    }

    /// Adds the rows that every example must have.
    fn measure(&self, measurements: &mut Measurements<'_>) {
        let statistics = &self.statistics;
        measurements.add("LCPs per sample", statistics.mean_lcps());
        measurements.add("standard error of the LCPs per sample", self.standard_error());
        measurements.add("samples that end within the limit of steps", self.terminated());
        // By the sampler for all samples, and by the judge for the first ones.
        let (own, judged) = (&statistics.figures, &self.judged);
        for (quantity, own, judged) in [
            ("largest increase of energy in a step", own.energy_gain, judged.energy_gain),
            ("largest relative residual of a step", own.residual, judged.residual),
            ("largest pull of a contact", own.adhesion, judged.adhesion),
            ("largest friction beyond its bound", own.cone_violation, judged.cone_violation),
            ("largest drift of a sample", own.drift, judged.drift),
        ] {
            let mut worst = own;
            judge::raise(&mut worst, judged);
            measurements.add(quantity, worst);
        }
        let cone = friction_cone::analyze(self.problem(), &friction_cone::Settings::default());
        let (pointed, constant, bound) = match cone {
            Ok(FrictionCone::Pointed(cone)) => {
                let bound = LcpBound::new(self.problem(), &cone, self.settings.step);
                (1.0, cone.constant, bound.map_or(f64::NAN, |bound| bound.mean()))
            }
            Ok(FrictionCone::Jammed(_)) => (0.0, 0.0, f64::INFINITY),
            _ => (f64::NAN, f64::NAN, f64::NAN),
        };
        measurements.add("friction cone is pointed (1 for yes)", pointed);
        measurements.add("least push c of the friction cone along r", constant);
        measurements.add("proved bound of the mean of LCPs per sample", bound);
    }

    /// Adds the rows of samples with the tolerances of the published code.
    fn measure_inexact(
        &self,
        measurements: &mut Measurements<'_>,
        code: &PublishedCode,
        of: &str,
    ) -> Result<(), Error> {
        // The rows have no verdict, so that a run with changed inputs needs none.
        if measurements.is_partial() {
            return Ok(());
        }
        let Settings { step, steps, seed, samples, .. } = self.settings;
        let code = PublishedCode { followed: code.followed.min(samples / 16), ..*code };
        let means = inexact::run(self.problem(), &code, (step, steps, seed))?;
        measurements.add(format!("LCPs per sample, steps solved to 1e-6{of}"), means.lcps);
        measurements
            .add(format!("samples without an end, steps solved to 1e-6{of}"), means.exhausted);
        Ok(())
    }

    /// Share of the samples that end within the limit of steps (%).
    fn terminated(&self) -> f64 {
        100.0 * self.statistics.terminated as f64 / self.statistics.samples as f64
    }

    /// Standard error of the mean number of LCPs per sample.
    fn standard_error(&self) -> f64 {
        let (mean, samples) = (self.statistics.mean_lcps(), self.statistics.samples as f64);
        let counts = self.statistics.lcps.iter().enumerate();
        let squares: f64 = counts.map(|(n, &c)| (n as f64 - mean).powi(2) * c as f64).sum();
        squares.sqrt() / samples
    }

    /// Share of the ends for which `holds` returns true (%).
    fn share(&self, holds: impl Fn(&[f64]) -> bool) -> f64 {
        let count = self.ends.iter().filter(|end| holds(end)).count();
        100.0 * count as f64 / self.ends.len() as f64
    }

    /// The mode in which contact `contact` leaves the impact.
    fn mode(&self, end: &[f64], contact: usize) -> Mode {
        let before = self.problem().contact_velocity(self.problem().velocity());
        let still = STILL * before.amax();
        let rows = self.problem().rows(contact);
        let (normal, tangential) = (end[rows.start], end[rows.start + 1]);
        match (normal > still, tangential.abs() > still) {
            (true, _) => Mode::Lifts,
            (false, true) => Mode::Slides,
            (false, false) => Mode::Sticks,
        }
    }

    /// Number of those `kinds` of outcomes that occur among the ends; a kind is one mode for each of the first contacts.
    fn kinds(&self, kinds: &[&[Mode]]) -> f64 {
        let is_of = |end: &[f64], kind: &[Mode]| {
            kind.iter().enumerate().all(|(contact, mode)| self.mode(end, contact) == *mode)
        };
        let found = kinds.iter().filter(|kind| self.ends.iter().any(|end| is_of(end, kind)));
        found.count() as f64
    }

    /// Largest distance between one of `outcomes` and the end nearest to it, measured by the largest
    /// difference of a contact velocity (m/s).
    fn distance<'a>(&self, outcomes: impl IntoIterator<Item = &'a Outcome>) -> f64 {
        let of_outcome = |outcome: &Outcome| {
            let there = self.contact_velocity(outcome);
            let distance = |end: &Vec<f64>| {
                let pairs = end.iter().zip(there.iter());
                pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
            };
            self.ends.iter().map(distance).fold(f64::INFINITY, f64::min)
        };
        outcomes.into_iter().map(of_outcome).fold(0.0, f64::max)
    }

    /// Largest distance of the outcome of a sequence from a sample that is steered along it (m/s).
    fn steered_distance(&self) -> Result<f64, Error> {
        let mut largest = 0.0;
        for (_, outcome) in &self.sequences {
            let end = self.contact_velocity(outcome);
            let mut sampler = Sampler::new(self.problem(), &self.settings)?;
            for stage in &outcome.trace.stages {
                let acts = |contact| stage.contact == Some(contact);
                let small = REST * self.settings.step;
                let contacts = 0..self.impact.contacts.len();
                let increments = contacts.map(|k| if acts(k) { self.settings.step } else { small });
                let increments: Vec<_> = increments.collect();
                let row = self.problem().rows(stage.contact.unwrap_or_default()).start;
                for _ in 0..self.settings.steps {
                    sampler.step(&increments)?;
                    if sampler.contact_velocity()[row] > -small {
                        break;
                    }
                }
            }
            largest = f64::max(largest, (end - sampler.contact_velocity()).amax());
        }
        Ok(largest)
    }

    fn contact_velocity(&self, outcome: &Outcome) -> DVector<f64> {
        let mut velocity = outcome.velocity.clone();
        self.faults.velocities(velocity.as_mut_slice());
        self.problem().contact_velocity(&velocity)
    }

    /// The [`distance`](Self::distance) of the outcome at rest.
    fn distance_of_rest(&self) -> f64 {
        let speed = |end: &Vec<f64>| end.iter().fold(0.0, |speed: f64, u| speed.max(u.abs()));
        self.ends.iter().map(speed).fold(f64::INFINITY, f64::min)
    }
}

/// Mode in which a contact leaves the impact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Sticks,
    Slides,
    Lifts,
}

/// The contact velocities after the impact, one entry per sample.
#[derive(Clone, Debug)]
struct Ends {
    velocities: Vec<Vec<f64>>,
    faults: Faults,
}

impl Summary for Ends {
    fn record(&mut self, sample: &Sample<'_>) {
        let mut end = sample.contact_velocity.as_slice().to_vec();
        self.faults.velocities(&mut end);
        self.velocities.push(end);
    }

    fn merge(&mut self, later: Self) {
        self.velocities.extend(later.velocities);
    }
}

/// The contact velocities of the first samples, step by step, and the figures of their steps.
fn paths(problem: &Problem, settings: &Settings, faults: Faults) -> Result<(Paths, Judged), Error> {
    let mut sampler = Sampler::new(problem, settings)?;
    let mut judged = Judged::default();
    let path = |index| {
        let path = sampler.path(index);
        judged.raise(problem, &path, faults);
        let start = problem.contact_velocity(&path.start);
        let steps = path.steps.iter().map(|step| &step.contact_velocity);
        std::iter::once(&start).chain(steps).map(|u| u.as_slice().to_vec()).collect()
    };
    Ok(((0..PATHS.min(settings.samples)).map(path).collect(), judged))
}

/// The sequences of single impacts, each beginning with a different approaching contact.
fn sequences(impact: &Impact) -> Result<Vec<(String, Outcome)>, Error> {
    let before = impact.problem.contact_velocity(impact.problem.velocity());
    let approaches = |&k: &usize| before[impact.problem.rows(k).start] < -STILL * before.amax();
    let contacts = impact.contacts.len();
    let sequence = |first: usize| {
        let order = Order::Cycle((0..contacts).map(|k| (first + k) % contacts).collect());
        let law = Sequential { order, ..Sequential::new(AnitescuPotra::default()) };
        Ok((format!("{} first", impact.contacts[first]), settled(&law, &impact.problem, &[])?))
    };
    (0..contacts).filter(approaches).map(sequence).collect()
}
