//! The published experiments, each with the figures it measures: [`experiments`].

use std::borrow::Cow;

use percussion_impact::{Law, Outcome, Problem, Status};
use percussion_mechanism::{Expected, design::Design, impacts::ImpactScenario, scenario::Scenario};
use percussion_record::{ExperimentOutcome, Figure, Play, Row, view::View};
use serde::{
    Deserialize, Serialize,
    de::{DeserializeOwned, IgnoredAny},
};

use crate::{
    embedded,
    error::Error,
    fault::Faults,
    fixture::{self, Fixture},
    perturbation::Perturbation,
};

/// An entry of the list of a family, in the file of the family. The identifier is the path of the module and
/// of the fixture.
macro_rules! experiment {
    ($id:literal, $family:ident::$name:ident, $title:literal) => {
        experiment!($id, $family::$name, $title, false)
    };
    ($id:literal, $family:ident::$name:ident, $title:literal, $is_scenario:literal) => {
        $crate::experiments::Experiment {
            id: $crate::experiments::named(
                $id,
                concat!(stringify!($family), "/", stringify!($name)),
            ),
            title: $title,
            text: include_str!(concat!("../../fixtures/", $id, ".toml")),
            is_scenario: $is_scenario,
            perturbation: None,
            run: $name::run,
        }
    };
}

/// The same for an experiment whose fixture is a [`Scenario`].
macro_rules! scenario {
    ($id:literal, $family:ident::$name:ident, $title:literal) => {
        experiment!($id, $family::$name, $title, true)
    };
}

mod bulk;
mod constraints;
mod drawing;
mod ensembles;
mod event_driven;
mod granular;
mod maximum_dissipation;
mod measurements;
mod playing;
mod plus;
mod propagative;
mod restitution;
mod robots;
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
    /// Every figure, with orders of convergence from coarser steps; meant for tests.
    Quick,
    /// The published experiment.
    #[default]
    Default,
    /// As published, with finer steps where that sharpens a measurement.
    Full,
}

/// Options of the run of an experiment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// How much work to do.
    pub effort: Effort,
    /// Seed of everything random: the samples of the set-valued experiments.
    pub seed: u64,
}

/// The answer of `law`. Its status must be resolved or one of those in `allowed`, which the experiment names
/// because they are what it publishes.
fn settled(law: &dyn Law, problem: &Problem, allowed: &[Status]) -> Result<Outcome, Error> {
    let outcome = law.resolve(problem)?;
    let status = outcome.trace.status;
    if status == Status::Resolved || allowed.contains(&status) {
        return Ok(outcome);
    }
    let allowed = [&[Status::Resolved], allowed].concat();
    Err(Error::Outcome { status, allowed })
}

/// Callback that receives the completed fraction, in `[0, 1]`, and the name of the current part.
pub type Progress<'a> = dyn FnMut(f64, &str) + 'a;

/// One published experiment.
///
/// Its identifier is its name everywhere: `experiments/<family>/<name>.rs` measures what
/// `fixtures/<family>/<name>.toml` expects, with hyphens written as underscores.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// Name, such as `stewart-trinkle/four-balls`.
    pub id: &'static str,
    /// Title shown to readers.
    pub title: &'static str,
    /// The fixture.
    pub(crate) text: &'static str,
    /// Whether the fixture is a [`Scenario`].
    pub(crate) is_scenario: bool,
    /// The change of its inputs, if any.
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
    /// The error of the scheme if a simulation fails; [`Error::NoEvent`] if an event to be measured does not
    /// occur.
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
        // The fractions of two parts agree only up to rounding; the fraction that the caller sees never decreases.
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

    /// The rows of the experiment with changed inputs, without those whose names depend on the changed value.
    pub(crate) fn run_perturbed(
        &self,
        perturbation: &'static Perturbation,
        options: &Options,
    ) -> Result<Vec<Row>, Error> {
        let perturbed = Self { perturbation: Some(perturbation), ..*self };
        Ok((perturbed.run)(&perturbed, options, &mut |_, _| ())?.rows)
    }

    /// The figures that the file of this experiment expects.
    pub(crate) fn expected(&self) -> Result<Vec<Expected>, Error> {
        if self.is_scenario {
            return Ok(fixture::read_scenario::<IgnoredAny>(self.id, self.text)?.1.expected);
        }
        Ok(fixture::read::<IgnoredAny>(self.id, self.text)?.expected)
    }

    /// The fault of what the experiment computes, if the change is one.
    fn faults(&self) -> Faults {
        Faults(self.perturbation.and_then(Perturbation::outcomes))
    }

    /// The `text` of the file `name`, with the changes of the inputs applied.
    fn read<'t>(&self, name: &str, text: &'t str) -> Result<Cow<'t, str>, Error> {
        self.perturbation.map_or(Ok(Cow::Borrowed(text)), |change| change.apply(name, text))
    }

    /// The fixture of an experiment that is not a scenario.
    pub(crate) fn fixture<P: DeserializeOwned>(&self) -> Result<Fixture<P>, Error> {
        fixture::read(self.id, &self.read(self.id, self.text)?)
    }

    /// The parameters before any change; rows are named by these.
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

    /// The scenario of another experiment twice: unchanged, and with the changes of the inputs applied.
    ///
    /// An experiment that compares two schemes simulates the first with one of them and the second with the
    /// other, because a change of both would cancel.
    fn other_scenario(&self, id: &str) -> Result<[Scenario; 2], Error> {
        let other = experiment(id)?;
        let changed = Self { perturbation: self.perturbation, ..*other };
        Ok([other.scenario::<IgnoredAny>()?.0, changed.scenario::<IgnoredAny>()?.0])
    }

    /// The scenario and the fixture of an experiment whose fixture is a scenario.
    fn scenario<P: DeserializeOwned>(&self) -> Result<(Scenario, Fixture<P>), Error> {
        fixture::read_scenario(self.id, &self.read(self.id, self.text)?)
    }

    /// An empty list of measurements for the entries that `fixture` expects.
    fn measurements<'a, P>(&'a self, fixture: &'a Fixture<P>) -> Measurements<'a> {
        let measurements = Measurements::new(self.id, &fixture.expected);
        if self.perturbation.is_some() { measurements.partial() } else { measurements }
    }

    /// The outcome with these measurements, which must be the expected ones, and these figures.
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

    /// The motion that a page plays for an experiment whose fixture is a scenario.
    fn play(&self, view: View) -> Option<Play> {
        Some(Play { view, command: Some(format!("run {}", self.id)) })
    }
}

/// An identifier that equals the path of its module; this is checked at compile time.
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

/// The lists of the families, each with the modules.
const FAMILIES: [&[Experiment]; 12] = [
    stewart_trinkle::ALL,
    plus::ALL,
    set_valued::ALL,
    maximum_dissipation::ALL,
    propagative::ALL,
    event_driven::ALL,
    granular::ALL,
    bulk::ALL,
    restitution::ALL,
    ensembles::ALL,
    robots::ALL,
    constraints::ALL,
];

const COUNT: usize = {
    let (mut count, mut family) = (0, 0);
    while family < FAMILIES.len() {
        count += FAMILIES[family].len();
        family += 1;
    }
    count
};

const ALL: [Experiment; COUNT] = {
    let mut all = [FAMILIES[0][0]; COUNT];
    let (mut at, mut family) = (0, 0);
    while family < FAMILIES.len() {
        let mut index = 0;
        while index < FAMILIES[family].len() {
            all[at] = FAMILIES[family][index];
            at += 1;
            index += 1;
        }
        family += 1;
    }
    all
};

/// All experiments, family by family.
#[must_use]
pub const fn experiments() -> &'static [Experiment] {
    &ALL
}

/// The experiment called `id`.
///
/// # Errors
///
/// [`Error::UnknownScenario`] lists the names that exist.
pub fn experiment(id: &str) -> Result<&'static Experiment, Error> {
    experiments().iter().find(|experiment| experiment.id == id).ok_or_else(|| {
        let known = experiments().iter().map(|known| known.id).collect::<Vec<_>>().join(", ");
        Error::UnknownScenario { name: id.to_owned(), known }
    })
}
