//! The published experiments, each with the figures it measures: [`experiments`].

use std::borrow::Cow;

use percussion_impact::{Law, Outcome, Problem, outcome::Status};
use percussion_mechanism::{design::Design, impacts::ImpactScenario, scenario::Scenario};
use percussion_record::{ExperimentOutcome, Figure, Play, Row, view::View};
use serde::{
    Deserialize, Serialize,
    de::{DeserializeOwned, IgnoredAny},
};

use crate::{
    embedded,
    error::Error,
    fixture::{self, Fixture},
    perturbation::Perturbation,
};

mod drawing;
mod event_driven;
mod granular;
mod maximum_dissipation;
mod measurements;
mod playing;
mod plus;
mod propagative;
mod set_valued;
mod stewart_trinkle;
#[cfg(test)]
mod tests;

use measurements::{Measurements, simulate, touch};

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
///
/// Its identifier is its name everywhere: `experiments/<family>/<name>.rs` measures what `fixtures/<family>/<name>.toml`
/// expects, hyphens as underscores.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// Name, such as `stewart-trinkle/four-balls`.
    pub id: &'static str,
    /// Title for people.
    pub title: &'static str,
    /// The fixture.
    pub(crate) text: &'static str,
    /// Whether the fixture is a [`Scenario`].
    pub(crate) is_scenario: bool,
    /// What of its inputs is changed.
    perturbation: Option<&'static Perturbation>,
    run: Run,
}

type Run = fn(&Experiment, &Options, &mut Progress<'_>) -> Result<ExperimentOutcome, Error>;

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
        let mut outcome = (self.run)(self, options, &mut |fraction, what| {
            done = fraction.clamp(done, 1.0);
            progress(done, what);
        })?;
        if let Some(answers) = fixture::answers_to_play(self.id, self.text)? {
            outcome.play = Some(playing::of_answers(&answers, options)?);
        }
        progress(1.0, self.title);
        Ok(outcome)
    }

    /// The rows of the experiment with changed inputs, without those whose names depend on what is changed.
    pub(crate) fn run_perturbed(
        &self,
        perturbation: &'static Perturbation,
        options: &Options,
    ) -> Result<Vec<Row>, Error> {
        let perturbed = Self { perturbation: Some(perturbation), ..*self };
        Ok((perturbed.run)(&perturbed, options, &mut |_, _| ())?.rows)
    }

    /// The `text` of the file `name`, with what is changed of the inputs.
    fn read<'t>(&self, name: &str, text: &'t str) -> Result<Cow<'t, str>, Error> {
        self.perturbation.map_or(Ok(Cow::Borrowed(text)), |change| change.apply(name, text))
    }

    /// The fixture of an experiment that is not a scenario.
    pub(crate) fn fixture<P: DeserializeOwned>(&self) -> Result<Fixture<P>, Error> {
        fixture::read(self.id, &self.read(self.id, self.text)?)
    }

    /// The parameters before anything of them is changed, by which rows are named.
    fn unchanged<P: DeserializeOwned>(&self) -> Result<P, Error> {
        Ok(fixture::read(self.id, self.text)?.parameters)
    }

    /// The embedded impact called `name`.
    fn impact(&self, name: &str) -> Result<ImpactScenario, Error> {
        let text = self.read(name, embedded::impact_text(name)?)?;
        Ok(ImpactScenario::from_toml_str(&text)?)
    }

    /// The embedded design called `name`.
    fn design(&self, name: &str) -> Result<Design, Error> {
        Ok(Design::from_toml_str(&self.read(name, embedded::design_text(name)?)?)?)
    }

    /// The scenario of another experiment twice: as it is, and with what is changed of the inputs.
    ///
    /// What compares two schemes moves the one by the first and the other by the second: a change of both would be none.
    fn other_scenario(&self, id: &str) -> Result<[Scenario; 2], Error> {
        let other = experiment(id)?;
        let changed = Self { perturbation: self.perturbation, ..*other };
        Ok([other.scenario::<IgnoredAny>()?.0, changed.scenario::<IgnoredAny>()?.0])
    }

    /// The scenario of an experiment that is one, and its fixture.
    fn scenario<P: DeserializeOwned>(&self) -> Result<(Scenario, Fixture<P>), Error> {
        fixture::read_scenario(self.id, &self.read(self.id, self.text)?)
    }

    /// Nothing measured yet of what `fixture` expects.
    fn measurements<'a, P>(&'a self, fixture: &'a Fixture<P>) -> Measurements<'a> {
        let measurements = Measurements::new(self.id, &fixture.expected);
        if self.perturbation.is_some() { measurements.partial() } else { measurements }
    }

    /// The outcome with these measurements, which have to be those expected, and figures.
    fn outcome<P>(
        &self,
        fixture: &Fixture<P>,
        measurements: Measurements<'_>,
        figures: Vec<Figure>,
    ) -> Result<ExperimentOutcome, Error> {
        let (rows, mut notes) = measurements.finish()?;
        notes.extend(fixture.origins());
        Ok(ExperimentOutcome {
            id: self.id.to_owned(),
            title: self.title.to_owned(),
            summary: fixture.summary.clone(),
            rows,
            figures,
            notes,
            play: None,
        })
    }

    /// What a page plays of an experiment that is a scenario.
    fn play(&self, view: View) -> Option<Play> {
        Some(Play { view, command: Some(format!("run {}", self.id)) })
    }
}

/// An identifier that is the path of its module, which is checked when this is compiled.
const fn named(id: &'static str, module: &str) -> &'static str {
    let (id_bytes, module) = (id.as_bytes(), module.as_bytes());
    assert!(id_bytes.len() == module.len(), "the identifier and the module have different names");
    let mut at = 0;
    while at < module.len() {
        let hyphen = id_bytes[at] == b'-' && module[at] == b'_';
        assert!(hyphen || id_bytes[at] == module[at], "they have different names");
        at += 1;
    }
    id
}

/// An entry of [`ALL`]: the identifier is the path of the module and of the fixture.
macro_rules! experiment {
    ($id:literal, $family:ident::$name:ident, $title:literal) => {
        experiment!($id, $family::$name, $title, false)
    };
    ($id:literal, $family:ident::$name:ident, $title:literal, $is_scenario:literal) => {
        Experiment {
            id: named($id, concat!(stringify!($family), "/", stringify!($name))),
            title: $title,
            text: include_str!(concat!("../fixtures/", $id, ".toml")),
            is_scenario: $is_scenario,
            perturbation: None,
            run: $family::$name::run,
        }
    };
}

/// The same for an experiment whose fixture is a [`Scenario`].
macro_rules! scenario {
    ($id:literal, $family:ident::$name:ident, $title:literal) => {
        experiment!($id, $family::$name, $title, true)
    };
}

/// All experiments, in the order of their publication: the one list of their names.
const ALL: &[Experiment] = &[
    scenario!(
        "stewart-trinkle/rod-on-table",
        stewart_trinkle::rod_on_table,
        "A spinning rod falls on a table"
    ),
    scenario!(
        "stewart-trinkle/two-balls-direct",
        stewart_trinkle::two_balls_direct,
        "A ball thrown directly at another"
    ),
    scenario!(
        "stewart-trinkle/two-balls-bounce",
        stewart_trinkle::two_balls_bounce,
        "A ball that lands and rolls before it hits another"
    ),
    scenario!(
        "stewart-trinkle/four-balls",
        stewart_trinkle::four_balls,
        "A thrown ball hits a row of three"
    ),
    scenario!(
        "stewart-trinkle/bounded-friction",
        stewart_trinkle::bounded_friction,
        "A bearing brakes a disc on a slope and one in the air"
    ),
    experiment!("plus/brick-corner", plus::brick_corner, "A brick strikes on a corner"),
    experiment!("plus/brick-flat", plus::brick_flat, "A brick lands flat while it slides"),
    experiment!("plus/ball-row", plus::ball_row, "A ball strikes a row of four"),
    experiment!(
        "plus/triple-pendulum",
        plus::triple_pendulum,
        "A triple pendulum strikes the ground"
    ),
    experiment!("plus/tabletop", plus::tabletop, "Contacts that cannot hold"),
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
    experiment!(
        "maximum-dissipation/single-contact",
        maximum_dissipation::single_contact,
        "A contact with three percussions of Coulomb's law"
    ),
    experiment!(
        "maximum-dissipation/painleve-rod",
        maximum_dissipation::painleve_rod,
        "Painlevé's rod slides on its tip"
    ),
    experiment!(
        "maximum-dissipation/convergence",
        maximum_dissipation::convergence,
        "How methods for many contacts converge"
    ),
    experiment!("propagative/cradle", propagative::cradle, "A ball strikes a row of two"),
    experiment!("propagative/billiards", propagative::billiards, "A cue ball breaks two others"),
    experiment!("propagative/trex", propagative::trex, "A robot that lands on tail and right foot"),
    scenario!(
        "event-driven/bouncing-ball",
        event_driven::bouncing_ball,
        "A ball bounces infinitely often, rests and rolls"
    ),
    experiment!(
        "event-driven/rocking-block",
        event_driven::rocking_block,
        "A block falls on a corner and rocks to rest"
    ),
    experiment!(
        "event-driven/triple-pendulum",
        event_driven::triple_pendulum,
        "A triple pendulum swings against the ground and comes to rest"
    ),
    experiment!(
        "propagative/integrators",
        propagative::integrators,
        "Hinged rods fall on a floor, by three integrators"
    ),
    scenario!(
        "maximum-dissipation/block-on-slope",
        maximum_dissipation::block_on_slope,
        "A block slides up a slope and stops where friction just holds it"
    ),
    experiment!(
        "maximum-dissipation/stack",
        maximum_dissipation::stack,
        "A stack of boxes falls together and rests"
    ),
    scenario!(
        "maximum-dissipation/card-house",
        maximum_dissipation::card_house,
        "A house of seven cards stands, or falls, by friction"
    ),
    experiment!(
        "maximum-dissipation/beside-stewart-trinkle",
        maximum_dissipation::beside_stewart_trinkle,
        "Two published scenes by round cones and by polygons"
    ),
    experiment!(
        "granular/channel",
        granular::channel,
        "Grains stream through a channel past an obstacle"
    ),
];

/// All experiments, in the order of their publication.
#[must_use]
pub const fn experiments() -> &'static [Experiment] {
    ALL
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
