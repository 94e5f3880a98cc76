//! Builds laws from their settings.

use percussion_complementarity::{
    friction::{self, Method},
    lcp::{enumerate, lemke},
};

use crate::{
    AnitescuPotra, MaximumDissipation, Newton, Plus, Poisson, Propagative, Routh, Sequential,
    SetValuedRouth,
    plus::{ActiveSet, Participation},
    propagative,
    routh::Restitution,
    sequential::Order,
    set_valued::{self, Covering, Draws},
    step_lcp,
};

use super::{Choice, Error, Name, Settings};

const AT_LEAST_1: &str = "a number from 1 on";
const DIRECTIONS: &str = "an even number from 4 to 360, of friction in space";

/// Velocities of a set that are kept by default.
const KEPT: usize = 1 << 14;

/// Probability that what the samples prove is wrong, by default.
const FAILURE: f64 = 1e-6;

/// The law called `name`, which takes what it knows from `settings`.
pub(super) fn law(
    name: Name,
    settings: &mut Settings,
    sampling: Option<&set_valued::Settings>,
) -> Result<Choice, Error> {
    Ok(match name {
        Name::Newton => Choice::One(Box::new(Newton { settings: step(settings)? })),
        Name::Poisson => Choice::One(Box::new(Poisson { settings: step(settings)? })),
        Name::AnitescuPotra => anitescu_potra(settings)?,
        Name::MaximumDissipation => Choice::One(Box::new(maximum_dissipation(settings)?)),
        Name::Sequential => sequential(settings)?,
        Name::Propagative => propagative(settings)?,
        Name::Routh => Choice::One(Box::new(routh(settings)?)),
        Name::Plus => Choice::One(Box::new(plus(settings)?)),
        Name::SetValuedRouth => set_valued_routh(settings, sampling)?,
    })
}

/// Settings of the laws that solve one complementarity problem, or two.
fn step(settings: &mut Settings) -> Result<step_lcp::Settings, Error> {
    let defaults = step_lcp::Settings::default();
    Ok(step_lcp::Settings {
        directions: settings.count("directions", defaults.directions, DIRECTIONS)?,
        lemke: settings.within("lemke.", lemke)?,
    })
}

fn lemke(settings: &mut Settings) -> Result<lemke::Settings, Error> {
    let defaults = lemke::Settings::default();
    Ok(lemke::Settings {
        tolerance: settings.number("tolerance", defaults.tolerance, "a residual from 0 on")?,
        pivot_limit: settings.count("pivot_limit", defaults.pivot_limit, AT_LEAST_1)?,
        restarts: settings.count("restarts", defaults.restarts, "a number from 0 on")?,
    })
}

fn anitescu_potra(settings: &mut Settings) -> Result<Choice, Error> {
    let all = settings.choice("solutions", &[("one", false), ("all", true)])?;
    let law = AnitescuPotra { settings: step(settings)? };
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

fn maximum_dissipation(settings: &mut Settings) -> Result<MaximumDissipation, Error> {
    let defaults = MaximumDissipation::default();
    let frictions = [friction::Law::MaximumDissipation, friction::Law::Coulomb];
    let frictions = frictions.map(|law| (law.name(), law));
    let solvers = Method::all().map(|method| (method.name(), method));
    let residual = "a relative residual from 0 on, of several contacts";
    Ok(MaximumDissipation {
        friction: settings.choice("friction", &frictions)?,
        method: settings.choice("solver", &solvers)?,
        tolerance: settings.number("tolerance", defaults.tolerance, residual)?,
    })
}

fn sequential(settings: &mut Settings) -> Result<Choice, Error> {
    let singles = [Name::Poisson, Name::Newton, Name::AnitescuPotra, Name::Routh, Name::Plus]
        .map(|law| (law.to_string(), law));
    let singles: Vec<_> = singles.iter().map(|(name, law)| (name.as_str(), *law)).collect();
    let inner = settings.choice("inner", &singles)?;
    let Choice::One(inner) = settings.within("inner.", |settings| law(inner, settings, None))?
    else {
        return Err(Error::Inner);
    };
    let mut law = Sequential::new(inner);
    let orders = "fastest, index, or the contacts in an order such as 1,0,2";
    if let Some(text) = settings.take("order", "fastest", orders) {
        law.order = match order(&text) {
            Some(order) => order,
            None => return Err(settings.refusal("order", text, orders)),
        };
    }
    let all = settings.choice("outcomes", &[("one", false), ("all", true)])?;
    law.tolerance = settings.number("tolerance", law.tolerance, "a number in (0, 1)")?;
    law.limit = settings.count("limit", law.limit, "a number of impacts from 1 on")?;
    let impacts = "a number of impacts of all orders together from 1 on";
    law.search_limit = settings.count("search_limit", law.search_limit, impacts)?;
    Ok(if all { Choice::Orders(law) } else { Choice::One(Box::new(law)) })
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

fn propagative(settings: &mut Settings) -> Result<Choice, Error> {
    let mut law = Propagative::default();
    let seed = settings.count("seed", 0, "a number from 0 on, for order=random")?;
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
    let all = settings.choice("outcomes", &[("one", false), ("all", true)])?;
    law.restitution =
        settings.number("restitution", law.restitution, "a number in [0, 1], of energy")?;
    law.tolerance = settings.number("tolerance", law.tolerance, "a number in (0, 1)")?;
    law.limit = settings.count("limit", law.limit, AT_LEAST_1)?;
    law.search_limit = settings.count("search_limit", law.search_limit, AT_LEAST_1)?;
    law.listed = settings.count("listed", law.listed, "most sequences listed, from 1 on")?;
    Ok(if all { Choice::Reflections(law) } else { Choice::One(Box::new(law)) })
}

fn routh(settings: &mut Settings) -> Result<Routh, Error> {
    let defaults = Routh::default();
    let restitutions = [
        ("kinetic", Restitution::Kinetic),
        ("kinematic", Restitution::Kinematic),
        ("energetic", Restitution::Energetic),
    ];
    Ok(Routh {
        restitution: settings.choice("restitution", &restitutions)?,
        tolerance: settings.number("tolerance", defaults.tolerance, "a number in [1e-14, 1e-3]")?,
        step_limit: settings.count("step_limit", defaults.step_limit, AT_LEAST_1)?,
    })
}

fn plus(settings: &mut Settings) -> Result<Plus, Error> {
    let defaults = Plus::default();
    let participations = [("approaching", Participation::Approaching), ("all", Participation::All)];
    let active_sets = [("heuristic", ActiveSet::Heuristic), ("exhaustive", ActiveSet::Exhaustive)];
    Ok(Plus {
        v_capture: settings.number("v_capture", defaults.v_capture, "a speed (m/s)")?,
        v_plastic: settings.number("v_plastic", defaults.v_plastic, "a speed (m/s)")?,
        e_min: settings.optional("e_min", "restitution", "a number in [0, 1] for all contacts")?,
        v_transition: settings.number("v_transition", defaults.v_transition, "a speed (m/s)")?,
        theta_max: settings.number(
            "theta_max",
            defaults.theta_max,
            "an angle in (0, π/2] (rad)",
        )?,
        alpha_min: settings.number("alpha_min", defaults.alpha_min, "a number in [0, 1)")?,
        participation: settings.choice("participation", &participations)?,
        active_set: settings.choice("active_set", &active_sets)?,
        rank_tolerance: settings.number(
            "rank_tolerance",
            defaults.rank_tolerance,
            "a number in (0, 1e-3]",
        )?,
        round_limit: settings.count("round_limit", defaults.round_limit, AT_LEAST_1)?,
        interval_limit: settings.count("interval_limit", defaults.interval_limit, AT_LEAST_1)?,
        pass_limit: settings.count("pass_limit", defaults.pass_limit, AT_LEAST_1)?,
        work_limit: settings.count("work_limit", defaults.work_limit, AT_LEAST_1)?,
    })
}

fn set_valued_routh(
    settings: &mut Settings,
    sampling: Option<&set_valued::Settings>,
) -> Result<Choice, Error> {
    let mut defaults = set_valued::Settings::default();
    if let Some(sampling) = sampling {
        defaults.step = sampling.step;
        defaults.steps = sampling.steps;
        defaults.samples = sampling.samples;
    }
    let coverings =
        [("scaled", Covering::Scaled), ("ones", Covering::Ones), ("random", Covering::Random)];
    let settings_of_law = set_valued::Settings {
        step: settings.number(
            "step",
            defaults.step,
            "a positive number, the largest increment of a percussion (N·s)",
        )?,
        steps: settings.count("steps", defaults.steps, AT_LEAST_1)?,
        samples: settings.count("samples", defaults.samples, AT_LEAST_1)?,
        seed: settings.count("seed", defaults.seed, "a number from 0 on")?,
        draws: settings.choice("draws", &[("random", Draws::Random), ("sobol", Draws::Sobol)])?,
        directions: settings.count("directions", defaults.directions, DIRECTIONS)?,
        tolerance: settings.number("tolerance", defaults.tolerance, "a number in [0, 1)")?,
        closing_step: settings.number(
            "closing_step",
            defaults.closing_step,
            "a number in [0, 1]",
        )?,
        covering: settings.choice("covering", &coverings)?,
        covering_units: defaults.covering_units,
        lemke: settings.within("lemke.", lemke)?,
    };
    let keep = settings.count("keep", KEPT, "a number of velocities from 0 on")?;
    let failure = settings.number("failure", FAILURE, "a probability in (0, 1]")?;
    if !(failure > 0.0 && failure <= 1.0) {
        return Err(settings.refusal("failure", failure.to_string(), "a probability in (0, 1]"));
    }
    Ok(Choice::Set(SetValuedRouth::new(settings_of_law), (keep, failure)))
}
