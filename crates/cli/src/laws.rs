//! The laws by name: what settings they have, and what they answer.

mod settings;

use anyhow::{Result, bail};
use clap::ValueEnum;
use percussion_complementarity::lcp::{enumerate, lemke};
use percussion_impact::{
    AnitescuPotra, Law, Newton, Outcome, Poisson, Problem, Routh, Sequential, law::Error,
    routh::Restitution, sequential::Order, step_lcp,
};

pub(crate) use settings::{Setting, Settings};

use crate::arguments::LawName;

/// A law with its settings, ready for any problem.
#[derive(Debug)]
pub(crate) enum Chosen {
    /// One outcome.
    One(Box<dyn Law>),
    /// All solutions of the complementarity problem of the simultaneous impact.
    Solutions(AnitescuPotra, enumerate::Settings),
    /// The outcomes of all orders of the contacts.
    Orders(Sequential<Box<dyn Law>>),
}

/// What a law answers.
#[derive(Debug)]
pub(crate) enum Answer {
    /// One outcome.
    One(Outcome),
    /// Several outcomes, each of them one of the law.
    Several(Several),
}

/// Several outcomes, each velocity once.
#[derive(Debug)]
pub(crate) struct Several {
    pub(crate) outcomes: Vec<Outcome>,
    /// For each outcome, whether it stands alone or bounds a continuum of outcomes, where that is known.
    pub(crate) isolated: Option<Vec<bool>>,
    /// Whether no outcome can be missing.
    pub(crate) complete: bool,
}

impl Chosen {
    /// The law called `name` with the settings given.
    ///
    /// # Errors
    ///
    /// Names the setting that the law does not have, or its value and what was expected.
    pub(crate) fn new(name: LawName, given: Vec<(String, String)>) -> Result<Self> {
        let mut settings = Settings::new(given)?;
        let chosen = build(name, &mut settings)?;
        settings.finish(&name.to_string())?;
        Ok(chosen)
    }

    /// What the law answers to `problem`.
    ///
    /// # Errors
    ///
    /// When the law does not apply, or a setting is out of its range.
    pub(crate) fn answer(&self, problem: &Problem) -> Result<Answer, Error> {
        Ok(match self {
            Self::One(law) => Answer::One(law.resolve(problem)?),
            Self::Solutions(law, settings) => {
                let all = law.all(problem, settings)?;
                let isolated = Some(all.isolated);
                let complete = all.complete;
                Answer::Several(Several { outcomes: all.outcomes, isolated, complete })
            }
            Self::Orders(law) => {
                let outcomes = law.all(problem)?;
                Answer::Several(Several { outcomes, isolated: None, complete: true })
            }
        })
    }
}

/// The settings that the law called `name` has, with their defaults.
pub(crate) fn settings_of(name: LawName) -> Vec<Setting> {
    let mut settings = Settings::default();
    // Nothing is given, so there is nothing to refuse.
    let built = build(name, &mut settings);
    debug_assert!(built.is_ok(), "{built:?}");
    settings.finish(&name.to_string()).unwrap_or_default()
}

fn build(name: LawName, settings: &mut Settings) -> Result<Chosen> {
    Ok(match name {
        LawName::Newton => Chosen::One(Box::new(Newton { settings: step(settings)? })),
        LawName::Poisson => Chosen::One(Box::new(Poisson { settings: step(settings)? })),
        LawName::AnitescuPotra => anitescu_potra(settings)?,
        LawName::Sequential => sequential(settings)?,
        LawName::Routh => Chosen::One(Box::new(routh(settings)?)),
    })
}

/// Settings of the laws that solve one complementarity problem, or two.
fn step(settings: &mut Settings) -> Result<step_lcp::Settings> {
    let defaults = step_lcp::Settings::default();
    let directions = "an even number from 4 to 360, of friction in space";
    Ok(step_lcp::Settings {
        directions: settings.count("directions", defaults.directions, directions)?,
        lemke: settings.within("lemke.", lemke)?,
    })
}

fn lemke(settings: &mut Settings) -> Result<lemke::Settings> {
    let defaults = lemke::Settings::default();
    Ok(lemke::Settings {
        tolerance: settings.number("tolerance", defaults.tolerance, "a residual from 0 on")?,
        pivot_limit: settings.count("pivot_limit", defaults.pivot_limit, "a number from 1 on")?,
        restarts: settings.count("restarts", defaults.restarts, "a number from 0 on")?,
    })
}

fn anitescu_potra(settings: &mut Settings) -> Result<Chosen> {
    let all = settings.choice("solutions", &[("one", false), ("all", true)])?;
    let law = AnitescuPotra { settings: step(settings)? };
    let enumeration = settings.within("enumeration.", |settings| {
        let defaults = enumerate::Settings::default();
        Ok::<_, anyhow::Error>(enumerate::Settings {
            tolerance: settings.number("tolerance", defaults.tolerance, "a number in (0, 1)")?,
            rank_tolerance: settings.number(
                "rank_tolerance",
                defaults.rank_tolerance,
                "a number in (0, 1)",
            )?,
            max_dimension: settings.count(
                "max_dimension",
                defaults.max_dimension,
                "a number of unknowns from 1 to 30",
            )?,
        })
    })?;
    Ok(if all { Chosen::Solutions(law, enumeration) } else { Chosen::One(Box::new(law)) })
}

fn sequential(settings: &mut Settings) -> Result<Chosen> {
    let singles = [LawName::Poisson, LawName::Newton, LawName::AnitescuPotra, LawName::Routh]
        .map(|law| (law.to_string(), law));
    let singles: Vec<_> = singles.iter().map(|(name, law)| (name.as_str(), *law)).collect();
    let inner = settings.choice("inner", &singles)?;
    let Chosen::One(inner) = settings.within("inner.", |settings| build(inner, settings))? else {
        bail!("the inner law of `sequential` answers with several outcomes, expected one");
    };
    let mut law = Sequential::new(inner);
    let orders = "fastest, index, or the contacts in an order such as 1,0,2";
    if let Some(text) = settings.take("order", "fastest", orders) {
        law.order = match order(&text) {
            Some(order) => order,
            None => bail!("setting `order` is `{text}`, expected {orders}"),
        };
    }
    let all = settings.choice("outcomes", &[("one", false), ("all", true)])?;
    law.tolerance = settings.number("tolerance", law.tolerance, "a number in (0, 1)")?;
    law.limit = settings.count("limit", law.limit, "a number of impacts from 1 on")?;
    Ok(if all { Chosen::Orders(law) } else { Chosen::One(Box::new(law)) })
}

fn order(text: &str) -> Option<Order> {
    match text {
        "fastest" => Some(Order::Fastest),
        "index" => Some(Order::Index),
        list => {
            list.split(',').map(|k| k.trim().parse().ok()).collect::<Option<_>>().map(Order::Cycle)
        }
    }
}

fn routh(settings: &mut Settings) -> Result<Routh> {
    let defaults = Routh::default();
    let restitutions = [
        ("kinetic", Restitution::Kinetic),
        ("kinematic", Restitution::Kinematic),
        ("energetic", Restitution::Energetic),
    ];
    Ok(Routh {
        restitution: settings.choice("restitution", &restitutions)?,
        tolerance: settings.number("tolerance", defaults.tolerance, "a number in [1e-14, 1e-3]")?,
        step_limit: settings.count("step_limit", defaults.step_limit, "a number from 1 on")?,
    })
}

impl std::fmt::Display for LawName {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let value = self.to_possible_value();
        formatter.write_str(value.as_ref().map_or("", |value| value.get_name()))
    }
}
