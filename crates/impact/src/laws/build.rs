//! Builds laws from their settings.

use percussion_complementarity::lcp::{enumerate, lemke};

use crate::{
    Law,
    anitescu_potra::AnitescuPotra,
    derivative::piecewise::Piecewise,
    maximum_dissipation::MaximumDissipation,
    newton::Newton,
    plus::Plus,
    poisson::Poisson,
    propagative::{self, Propagative},
    routh::Routh,
    sequential::{Order, Sequential},
    set_valued::{self, Covering, Draws, SetValuedRouth, Solutions},
    settings::{AT_LEAST_1, DIRECTIONS, Error, FromSettings, Settings},
};

use super::{Choice, Name};

/// Number of velocities of a set that are kept by default.
const KEPT: usize = 1 << 14;

/// Default probability that a guarantee from the samples is wrong.
const FAILURE: f64 = 1e-6;

/// Description of the default step of a set.
const STEP: &str = "the largest normal impulse of the inelastic impact";

/// Default maximum number of steps of a sample where the step is not given either, so that practically all samples end.
const STEPS: usize = 100;

/// Default sampling of the set of outcomes, where it is known.
type Sampling<'a> = Option<&'a set_valued::Settings>;

/// Builds the law called `name`, which takes the settings it has from `settings`.
pub(super) fn law(
    name: Name,
    settings: &mut Settings,
    sampling: Sampling<'_>,
) -> Result<Choice, Error> {
    macro_rules! dispatch {
        ($($variant:ident, $name:literal, $build:expr, $summary:literal;)*) => {
            match name {
                $(Name::$variant => $build(settings, sampling),)*
            }
        };
    }
    all_laws!(dispatch)
}

/// Builds a law with one answer.
fn one<L: Law + FromSettings + 'static>(
    settings: &mut Settings,
    _sampling: Sampling<'_>,
) -> Result<Choice, Error> {
    Ok(Choice::One(Box::new(L::from_settings(settings)?)))
}

/// A law whose outcomes have derivatives.
#[derive(Debug)]
pub(super) enum Differentiable {
    RoundCones(MaximumDissipation),
    Pieces(Box<dyn Piecewise>),
}

/// Builds a law with a derivative.
pub(super) fn differentiable(
    name: Name,
    settings: &mut Settings,
    sampling: Sampling<'_>,
) -> Result<Differentiable, Error> {
    let pieces: Box<dyn Piecewise> = match name {
        Name::MaximumDissipation => {
            return Ok(Differentiable::RoundCones(FromSettings::from_settings(settings)?));
        }
        Name::Newton => Box::new(Newton::from_settings(settings)?),
        Name::Poisson => Box::new(Poisson::from_settings(settings)?),
        Name::Routh => Box::new(Routh::from_settings(settings)?),
        Name::Plus => Box::new(Plus::from_settings(settings)?),
        Name::AnitescuPotra => {
            settings.choice("solutions", &ONE)?;
            Box::new(AnitescuPotra { settings: FromSettings::from_settings(settings)? })
        }
        Name::Propagative => {
            let law = reflections(settings)?;
            settings.choice("outcomes", &ONE)?;
            Box::new(law)
        }
        Name::Sequential => {
            let law =
                sequence(settings, |name, settings| match differentiable(name, settings, None)? {
                    Differentiable::Pieces(law) => Ok(law),
                    Differentiable::RoundCones(_) => Err(Error::Inner),
                })?;
            settings.choice("outcomes", &ONE)?;
            Box::new(law)
        }
        Name::SetValuedRouth => Box::new(set(settings, sampling)?.0),
    };
    Ok(Differentiable::Pieces(pieces))
}

/// Where all outcomes of a law would have no derivative.
const ONE: [(&str, ()); 1] = [("one", ())];

fn anitescu_potra(settings: &mut Settings, _sampling: Sampling<'_>) -> Result<Choice, Error> {
    let all = settings.choice("solutions", &[("one", false), ("all", true)])?;
    let law = AnitescuPotra { settings: FromSettings::from_settings(settings)? };
    let enumeration = settings.within("enumeration.", |settings| {
        let defaults = enumerate::Settings::default();
        Ok::<_, Error>(enumerate::Settings {
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
    Ok(if all { Choice::Solutions(law, enumeration) } else { Choice::One(Box::new(law)) })
}

fn sequential(settings: &mut Settings, _sampling: Sampling<'_>) -> Result<Choice, Error> {
    let law = sequence(settings, |name, settings| match law(name, settings, None)? {
        Choice::One(inner) => Ok(inner),
        _ => Err(Error::Inner),
    })?;
    let all = settings.choice("outcomes", &[("one", false), ("all", true)])?;
    Ok(if all { Choice::Orders(law) } else { Choice::One(Box::new(law)) })
}

fn sequence<L>(
    settings: &mut Settings,
    single: impl FnOnce(Name, &mut Settings) -> Result<L, Error>,
) -> Result<Sequential<L>, Error> {
    let singles = [Name::Poisson, Name::Newton, Name::AnitescuPotra, Name::Routh, Name::Plus]
        .map(|law| (law.to_string(), law));
    let singles: Vec<_> = singles.iter().map(|(name, law)| (name.as_str(), *law)).collect();
    let inner = settings.choice("inner", &singles)?;
    let mut law = Sequential::new(settings.within("inner.", |settings| single(inner, settings))?);
    let orders = "fastest, index, or the contacts in an order such as 1,0,2";
    if let Some(text) = settings.take("order", "fastest", orders) {
        law.order = match order(&text) {
            Some(order) => order,
            None => return Err(settings.refusal("order", text, orders)),
        };
    }
    law.tolerance = settings.number("tolerance", law.tolerance, "a number in (0, 1)")?;
    law.limit = settings.count("limit", law.limit, "a number of impacts of at least 1")?;
    let impacts = "a number of impacts, for all orders together, of at least 1";
    law.search_limit = settings.count("search_limit", law.search_limit, impacts)?;
    Ok(law)
}

fn order(text: &str) -> Option<Order> {
    match text {
        "fastest" => Some(Order::Fastest),
        "index" => Some(Order::Index),
        list => contacts(list).map(Order::Cycle),
    }
}

/// Indices such as `1,0,2`.
fn contacts(list: &str) -> Option<Vec<usize>> {
    list.split(',').map(|k| k.trim().parse().ok()).collect()
}

fn propagative(settings: &mut Settings, _sampling: Sampling<'_>) -> Result<Choice, Error> {
    let law = reflections(settings)?;
    let all = settings.choice("outcomes", &[("one", false), ("all", true)])?;
    Ok(if all { Choice::Reflections(law) } else { Choice::One(Box::new(law)) })
}

fn reflections(settings: &mut Settings) -> Result<Propagative, Error> {
    let mut law = Propagative::default();
    let seed = settings.count("seed", 0, "an integer of at least 0, for order=random")?;
    let orders = "argmin, argmax, fixed, random, or the contacts in an order such as 1,0,2";
    let given = settings.take("order", "argmin", orders).unwrap_or_else(|| "argmin".to_owned());
    law.order = match given.as_str() {
        "argmin" => propagative::Order::MostApproached,
        "argmax" => propagative::Order::LeastApproached,
        "fixed" => propagative::Order::Index,
        "random" => propagative::Order::Random(seed),
        list => match contacts(list) {
            Some(list) => propagative::Order::Fixed(list),
            None => return Err(settings.refusal("order", given, orders)),
        },
    };
    law.restitution =
        settings.number("restitution", law.restitution, "a number in [0, 1], of energy")?;
    law.tolerance = settings.number("tolerance", law.tolerance, "a number in (0, 1)")?;
    law.limit = settings.count("limit", law.limit, AT_LEAST_1)?;
    law.search_limit = settings.count("search_limit", law.search_limit, AT_LEAST_1)?;
    law.listed = settings.count(
        "listed",
        law.listed,
        "the maximum number of listed sequences, at least 1",
    )?;
    Ok(law)
}

fn set_valued_routh(settings: &mut Settings, sampling: Sampling<'_>) -> Result<Choice, Error> {
    set(settings, sampling).map(|(law, how)| Choice::Set(law, how))
}

/// The law, the number of velocities to keep, and the probability that a guarantee is wrong.
fn set(
    settings: &mut Settings,
    sampling: Sampling<'_>,
) -> Result<(SetValuedRouth, (usize, f64)), Error> {
    let settings_of_law = sampling_of(settings, sampling)?;
    let keep = settings.count("keep", KEPT, "a number of velocities of at least 0")?;
    let failure = settings.number("failure", FAILURE, "a probability in (0, 1]")?;
    if !(failure > 0.0 && failure <= 1.0) {
        return Err(settings.refusal("failure", failure.to_string(), "a probability in (0, 1]"));
    }
    Ok((SetValuedRouth::new(settings_of_law), (keep, failure)))
}

fn sampling_of(
    settings: &mut Settings,
    sampling: Sampling<'_>,
) -> Result<set_valued::Settings, Error> {
    let mut defaults = set_valued::Settings::default();
    if let Some(sampling) = sampling {
        defaults.step = sampling.step;
        defaults.steps = sampling.steps;
        defaults.samples = sampling.samples;
    }
    let coverings =
        [("scaled", Covering::Scaled), ("ones", Covering::Ones), ("random", Covering::Random)];
    let expected = "a positive number, the largest increment of an impulse (N·s)";
    let step = if defaults.step.is_nan() {
        settings.optional("step", STEP, expected)?.unwrap_or(f64::NAN)
    } else {
        settings.number("step", defaults.step, expected)?
    };
    let steps = if step.is_nan() { STEPS } else { defaults.steps };
    Ok(set_valued::Settings {
        step,
        steps: settings.count("steps", steps, AT_LEAST_1)?,
        samples: settings.count("samples", defaults.samples, AT_LEAST_1)?,
        seed: settings.count("seed", defaults.seed, "an integer of at least 0")?,
        draws: settings.choice("draws", &[("random", Draws::Random), ("sobol", Draws::Sobol)])?,
        directions: settings.count("directions", defaults.directions, DIRECTIONS)?,
        tolerance: settings.number("tolerance", defaults.tolerance, "a number in [0, 1)")?,
        closing_step: settings.number(
            "closing_step",
            defaults.closing_step,
            "a number in [0, 1]",
        )?,
        solutions: settings
            .choice("solutions", &[("one", Solutions::One), ("drawn", Solutions::Drawn)])?,
        covering: settings.choice("covering", &coverings)?,
        covering_units: defaults.covering_units,
        lemke: settings.within("lemke.", lemke::Settings::from_settings)?,
    })
}
