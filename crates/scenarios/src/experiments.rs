//! The published experiments, each with the figures it measures: [`experiments`].

use percussion_impact::{Law, Outcome, Problem, outcome::Status};
use serde::{Deserialize, Serialize};

use crate::{
    error::Error,
    outcome::{ExperimentOutcome, Row},
    scenario::{Expected, Scenario},
    trajectory::Trajectory,
};

mod bounded_friction;
mod channel;
mod drawing;
mod event_driven;
mod four_balls;
mod impulses;
mod integrators;
mod maximum_dissipation;
mod plus;
mod propagative;
mod rod_on_table;
mod round_cones;
mod set_valued;
#[cfg(test)]
mod tests;
mod two_balls;
mod zeno;

pub use drawing::overview;

/// How much work an experiment does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effort {
    /// Every figure, orders of convergence from coarser steps: for tests.
    Quick,
    /// The published experiment.
    #[default]
    Default,
    /// As published, with finer steps where that sharpens a measurement.
    Full,
}

/// What an experiment is run with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// How much work to do.
    pub effort: Effort,
    /// Seed of everything random: the samples of the set-valued experiments.
    pub seed: u64,
}

/// The answer of `law`, whose status is resolved or among those that the experiment allows by name because they are
/// what it publishes.
fn settled(law: &dyn Law, problem: &Problem, allowed: &[Status]) -> Result<Outcome, Error> {
    let outcome = law.resolve(problem)?;
    let status = outcome.trace.status;
    if status == Status::Resolved || allowed.contains(&status) {
        return Ok(outcome);
    }
    let allowed = [&[Status::Resolved], allowed].concat();
    Err(Error::Outcome { status, allowed })
}

/// Called with the fraction done, in `[0, 1]`, and what is being done.
pub type Progress<'a> = dyn FnMut(f64, &str) + 'a;

/// One published experiment.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// Name, such as `stewart-trinkle/four-balls`.
    pub id: &'static str,
    /// Title for people.
    pub title: &'static str,
    run: Run,
}

/// Called with the name of the experiment.
type Run = fn(&str, &Options, &mut Progress<'_>) -> Result<ExperimentOutcome, Error>;

impl Experiment {
    /// Runs the experiment.
    ///
    /// Figures outside their tolerances are rows of the outcome, not errors.
    ///
    /// # Errors
    ///
    /// That of the scheme if a simulation fails, [`Error::NoEvent`] if it shows no sign of what is to be
    /// measured.
    ///
    /// # Example
    ///
    /// ```
    /// use percussion_scenarios::{Effort, Options, experiment};
    ///
    /// let rod = experiment("stewart-trinkle/rod-on-table")?;
    /// let options = Options { effort: Effort::Quick, ..Options::default() };
    /// let outcome = rod.run(&options, &mut |_fraction, _what| ())?;
    /// assert!(outcome.rows.iter().all(|row| row.accepted));
    /// # Ok::<(), percussion_scenarios::Error>(())
    /// ```
    pub fn run(
        &self,
        options: &Options,
        progress: &mut Progress<'_>,
    ) -> Result<ExperimentOutcome, Error> {
        // Parts of an experiment meet up to rounding; what the caller sees never decreases.
        let mut done = 0.0;
        let outcome = (self.run)(self.id, options, &mut |fraction, what| {
            done = fraction.clamp(done, 1.0);
            progress(done, what);
        })?;
        progress(1.0, self.title);
        Ok(outcome)
    }
}

/// All experiments, in the order of their publication.
#[must_use]
#[expect(clippy::too_many_lines, reason = "a table")]
pub fn experiments() -> &'static [Experiment] {
    &[
        Experiment {
            id: "stewart-trinkle/rod-on-table",
            title: "A spinning rod falls on a table",
            run: |id, options, progress| {
                rod_on_table::run(&Scenario::named(id)?, options, progress)
            },
        },
        Experiment {
            id: "stewart-trinkle/two-balls-direct",
            title: "A ball thrown directly at another",
            run: |id, options, progress| {
                two_balls::direct(&Scenario::named(id)?, options, progress)
            },
        },
        Experiment {
            id: "stewart-trinkle/two-balls-bounce",
            title: "A ball that lands and rolls before it hits another",
            run: |id, options, progress| {
                two_balls::bounce(&Scenario::named(id)?, options, progress)
            },
        },
        Experiment {
            id: "stewart-trinkle/four-balls",
            title: "A thrown ball hits a row of three",
            run: |id, options, progress| four_balls::run(&Scenario::named(id)?, options, progress),
        },
        Experiment {
            id: "stewart-trinkle/bounded-friction",
            title: "A bearing brakes a disc on a slope and one in the air",
            run: bounded_friction::run,
        },
        Experiment {
            id: "plus/brick-corner",
            title: "A brick strikes on a corner",
            run: plus::brick_corner,
        },
        Experiment {
            id: "plus/brick-flat",
            title: "A brick lands flat while it slides",
            run: plus::brick_flat,
        },
        Experiment {
            id: "plus/ball-row",
            title: "A ball strikes a row of four",
            run: plus::ball_row,
        },
        Experiment {
            id: "plus/triple-pendulum",
            title: "A triple pendulum strikes the ground",
            run: plus::triple_pendulum,
        },
        Experiment { id: "plus/tabletop", title: "Contacts that cannot hold", run: plus::tabletop },
        Experiment {
            id: "set-valued/rocking-block",
            title: "A block falls flat on the ground",
            run: set_valued::rocking_block,
        },
        Experiment {
            id: "set-valued/compass-gait",
            title: "A compass gait walker takes a wide step",
            run: set_valued::compass_gait,
        },
        Experiment {
            id: "set-valued/box-and-wall",
            title: "A box slides on a corner into a wall",
            run: set_valued::box_and_wall,
        },
        Experiment {
            id: "set-valued/ramone",
            title: "The biped RAMone sets down its leading foot",
            run: set_valued::ramone,
        },
        Experiment {
            id: "set-valued/disk-stack",
            title: "A disk falls on two others that stand on the ground",
            run: set_valued::disk_stack,
        },
        Experiment {
            id: "set-valued/zeno",
            title: "A block rocks to rest through infinitely many impacts",
            run: zeno::run,
        },
        Experiment {
            id: "maximum-dissipation/single-contact",
            title: "A contact with three percussions of Coulomb's law",
            run: maximum_dissipation::single_contact,
        },
        Experiment {
            id: "maximum-dissipation/painleve-rod",
            title: "Painlevé's rod slides on its tip",
            run: maximum_dissipation::painleve_rod,
        },
        Experiment {
            id: "maximum-dissipation/convergence",
            title: "How methods for many contacts converge",
            run: maximum_dissipation::convergence,
        },
        Experiment {
            id: "propagative/cradle",
            title: "A ball strikes a row of two",
            run: propagative::cradle,
        },
        Experiment {
            id: "propagative/billiards",
            title: "A cue ball breaks two others",
            run: propagative::billiards,
        },
        Experiment {
            id: "propagative/trex",
            title: "A robot that lands on tail and right foot",
            run: propagative::trex,
        },
        Experiment {
            id: "event-driven/bouncing-ball",
            title: "A ball bounces infinitely often, rests and rolls",
            run: |id, _options, progress| event_driven::ball(&Scenario::named(id)?, progress),
        },
        Experiment {
            id: "event-driven/rocking-block",
            title: "A block falls on a corner and rocks to rest",
            run: event_driven::block,
        },
        Experiment {
            id: "event-driven/triple-pendulum",
            title: "A triple pendulum swings against the ground and comes to rest",
            run: event_driven::pendulum,
        },
        Experiment {
            id: "propagative/integrators",
            title: "Hinged rods fall on a floor, by three integrators",
            run: integrators::run,
        },
        Experiment {
            id: "maximum-dissipation/block-on-slope",
            title: "A block slides up a slope and stops where friction just holds it",
            run: round_cones::slope,
        },
        Experiment {
            id: "maximum-dissipation/stack",
            title: "A stack of boxes falls together and rests",
            run: round_cones::stack,
        },
        Experiment {
            id: "maximum-dissipation/card-house",
            title: "A house of seven cards stands, or falls, by friction",
            run: round_cones::card_house,
        },
        Experiment {
            id: "maximum-dissipation/beside-stewart-trinkle",
            title: "Two published scenes by round cones and by polygons",
            run: round_cones::beside_stewart_trinkle,
        },
        Experiment {
            id: "granular/channel",
            title: "Grains stream through a channel past an obstacle",
            run: channel::run,
        },
    ]
}

/// The experiment called `id`.
///
/// # Errors
///
/// [`Error::UnknownScenario`] lists the names there are.
pub fn experiment(id: &str) -> Result<&'static Experiment, Error> {
    experiments().iter().find(|experiment| experiment.id == id).ok_or_else(|| {
        let known = experiments().iter().map(|known| known.id).collect::<Vec<_>>().join(", ");
        Error::UnknownScenario { name: id.to_owned(), known }
    })
}

/// Largest gap that counts as touching (m): ten times what the scenarios accept at a step end.
const TOUCHING: f64 = 1e-9;

/// The rows of an experiment: each measurement beside the entry of its fixture that expects it.
struct Measurements<'a> {
    experiment: &'a str,
    expected: &'a [Expected],
    measured: Vec<(String, f64)>,
}

impl<'a> Measurements<'a> {
    fn new(experiment: &'a str, expected: &'a [Expected]) -> Self {
        Self { experiment, expected, measured: Vec::new() }
    }

    fn add(&mut self, quantity: impl Into<String>, measured: f64) {
        self.measured.push((quantity.into(), measured));
    }

    /// What every simulation of the scheme has to show.
    fn add_dependability(&mut self, trajectory: &Trajectory) {
        self.add("deepest penetration at step ends", trajectory.deepest_penetration());
        self.add("largest relative LCP residual", trajectory.largest_residual());
        self.add(
            "largest increase of energy in a step",
            trajectory.largest_energy_increase().max(0.0),
        );
    }

    /// Rows in the order of the file, and the notes of the entries.
    fn finish(self) -> Result<(Vec<Row>, Vec<String>), Error> {
        let disagreement = |quantity: &str| Error::Expectation {
            experiment: self.experiment.to_owned(),
            quantity: quantity.to_owned(),
        };
        let is_expected = |name: &String| self.expected.iter().any(|one| one.quantity == *name);
        if let Some((quantity, _)) = self.measured.iter().find(|(name, _)| !is_expected(name)) {
            return Err(disagreement(quantity));
        }
        let row = |expected: &Expected| {
            let (_, measured) = self
                .measured
                .iter()
                .find(|(quantity, _)| *quantity == expected.quantity)
                .ok_or_else(|| disagreement(&expected.quantity))?;
            Ok(expected.row(self.experiment, *measured))
        };
        let rows = self.expected.iter().map(row).collect::<Result<_, Error>>()?;
        let note = |expected: &Expected| {
            Some(format!("{}: {}", expected.quantity, expected.note.as_ref()?))
        };
        Ok((rows, self.expected.iter().filter_map(note).collect()))
    }
}

/// Simulates `scenario`, telling `progress` of the part from `from` to `to` of an experiment.
fn simulate(
    scenario: &Scenario,
    progress: &mut Progress<'_>,
    [from, to]: [f64; 2],
) -> Result<Trajectory, Error> {
    let what = format!("{}, h = {} s", scenario.title, scenario.integrator.step_size);
    scenario.simulate(&mut |fraction| progress(from + fraction * (to - from), &what))
}

/// The first time at which a gap closes.
fn touch(
    scenario: &Scenario,
    trajectory: &Trajectory,
    contact: &str,
    event: &'static str,
) -> Result<f64, Error> {
    trajectory
        .contact(contact)
        .and_then(|contact| trajectory.first_touch(contact, TOUCHING))
        .map(|sample| sample.time)
        .ok_or_else(|| Error::NoEvent { scenario: scenario.name.clone(), event })
}
