//! `percussion run --ensemble`.

mod files;
mod text;

use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, bail, ensure};
use percussion_impact::{RestitutionUse, laws, set_valued};
use percussion_integrators::{
    ensemble::{Entry, Phase, Point, Settings, Share},
    event_driven::{Mode, Status},
    schemes,
};
use percussion_mechanism::{
    ensemble::Ensemble,
    laws::{Choice, Name},
    scenario::{Scenario, Setup},
};
use serde::Serialize;

use crate::{
    arguments::{Allowed, Run, Which},
    commands::impact,
    input,
    laws::choose,
    output::{Progress, Verdict, answer, complain, prepare_directory, warn},
};

/// Maximum number of intervals of the bands.
const INTERVALS: usize = 200;

/// The output of `run --ensemble --json`.
#[derive(Debug, Serialize)]
struct Document {
    status: &'static str,
    scenario: String,
    integrator: &'static str,
    law: String,
    members: u32,
    seed: u64,
    /// Largest increment of an impulse in a step of a sample (N·s); null where each impact has its own.
    step: Option<f64>,
    /// Probability that the confidence interval of one probability is wrong; it holds for each interval separately.
    failure: f64,
    /// Reason why there is no ensemble, or not all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(flatten)]
    result: Option<Outcome>,
    /// Written files.
    files: Vec<PathBuf>,
}

#[derive(Debug, Serialize)]
struct Outcome {
    /// How the law used the restitution of the contacts.
    restitution: RestitutionUse,
    statuses: Vec<Counted<Status>>,
    endings: Vec<Counted<Contacts>>,
    sequences: Vec<Counted<Phases>>,
    /// Deepest overlap of any contact of any member (m).
    penetration: f64,
    /// Largest remainder of the energy account of any member (J), by its size.
    residual: f64,
    /// Shares of the members below the lines of the bands.
    quantiles: Vec<f64>,
    bands: Vec<Band>,
}

/// How many members have something in common.
#[derive(Debug, Serialize)]
struct Counted<T> {
    #[serde(flatten)]
    value: Named<T>,
    count: u64,
    /// The first of these members.
    first: u32,
    /// Interval that contains the probability.
    probability: [f64; 2],
}

/// A value that is written as an object: its own fields, or a field `status` if it has none.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Named<T> {
    Object(T),
    Status { status: T },
}

/// The closed contacts of a phase.
#[derive(Debug, Serialize)]
struct Contacts {
    /// How the phase began.
    entry: Entry,
    closed: Vec<Closed>,
}

#[derive(Debug, Serialize)]
struct Closed {
    contact: String,
    mode: Mode,
}

#[derive(Debug, Serialize)]
struct Phases {
    phases: Vec<Contacts>,
    /// Whether other phases follow.
    continues: bool,
}

#[derive(Debug, Serialize)]
struct Band {
    quantity: String,
    unit: String,
    points: Vec<Point>,
}

pub(super) fn execute(arguments: &Run, scenario: &Scenario, members: u64) -> Result<Verdict> {
    let settings = settings(arguments, scenario, members)?;
    let played = played(arguments, settings.members)?;
    let setup = input::build(scenario, &arguments.scenario)?;
    warn(&setup.mechanism.warnings, &arguments.scenario);
    if let Some(directory) = &arguments.out {
        prepare_directory(directory)?;
    }
    tracing::info!(scenario = scenario.name, members, "following an ensemble");
    let step = settings.law.step;
    let mut document = Document {
        status: "failed",
        scenario: scenario.name.clone(),
        integrator: schemes::Name::EventDriven.as_str(),
        law: laws::Name::SetValuedRouth.to_string(),
        members: settings.members,
        seed: settings.law.seed,
        step: (!step.is_nan()).then_some(step),
        failure: settings.failure,
        error: None,
        result: None,
        files: Vec::new(),
    };
    let (progress, clock) = (Progress::new(), arguments.time_limit.start());
    let watch = |share| {
        progress.show(share, &scenario.title);
        clock.after(share)
    };
    let result = setup.simulate_ensemble_while(settings, &watch);
    progress.clear();
    match result {
        Ok(ensemble) => {
            document.status = status(&ensemble);
            let (done, all) = (ensemble.result.members.len(), document.members);
            if done < all as usize {
                document.status = "time-limit";
                let error = anyhow!("the time limit was reached after {done} of {all} motions");
                document.error = Some(error.to_string());
                complain(&error);
            }
            // Shares are of the members that were followed.
            document.members = u32::try_from(done).unwrap_or(all);
            document.result = Some(Outcome::new(&setup, &ensemble));
            if let Some(directory) = &arguments.out {
                document.files = files::write(directory, &setup, &ensemble, played)?;
            }
        }
        Err(error) => {
            document.error = Some(error.to_string());
            complain(&anyhow!(error).context(arguments.scenario.clone()));
        }
    }
    answer(arguments.json, &document, || text::of(scenario, &document))?;
    let gains = arguments.settings.allow.contains(&Allowed::EnergyGained);
    let met = document.status == "completed" || (document.status == "energy-gained" && gains);
    Ok(if met { Verdict::Met } else { Verdict::Unmet })
}

/// The worst status of any member.
fn status(ensemble: &Ensemble) -> &'static str {
    let has = |status: Status| ensemble.result.statuses.iter().any(|share| share.value == status);
    let ended = |share: &Share<Status>| {
        matches!(share.value, Status::EndReached | Status::EnergyReached | Status::EnergyGained)
    };
    match ensemble.result.statuses.iter().all(ended) {
        false => "incomplete",
        true if has(Status::EnergyGained) => "energy-gained",
        true => "completed",
    }
}

fn settings(arguments: &Run, scenario: &Scenario, members: u64) -> Result<Settings> {
    let given: Vec<_> = arguments
        .settings
        .settings
        .iter()
        .cloned()
        .chain(impact::draws(&arguments.settings))
        .collect();
    let is_given = |key: &str| given.iter().any(|(name, _)| name == key);
    for key in ["samples", "keep"] {
        ensure!(
            !is_given(key),
            "`{key}` is given with `--ensemble`, whose impacts draw one sample each, expected neither"
        );
    }
    let integrator = arguments.integrator.unwrap_or(schemes::Name::EventDriven);
    ensure!(
        integrator == schemes::Name::EventDriven,
        "`--ensemble` is given with the integrator `{integrator}`, expected event-driven"
    );
    let name = match arguments.law {
        None => Name::Impact(laws::Name::SetValuedRouth),
        Some(Which::One(name)) => name,
        Some(Which::All) => {
            bail!("`--law all` is given with `--ensemble`, expected set-valued-routh")
        }
    };
    let has_failure = is_given("failure");
    let Choice::Impact(laws::Choice::Set(law, (_, failure))) = choose(name, given, None)? else {
        bail!("`{name}` draws no outcomes, expected the law set-valued-routh for `--ensemble`");
    };
    let defaults = Settings::default();
    let expected = || format!("`--ensemble` is {members}, expected at most {}", u32::MAX);
    Ok(Settings {
        members: members.try_into().ok().with_context(expected)?,
        law: set_valued::Settings { ..law.settings },
        intervals: scenario.step_count().clamp(1, INTERVALS),
        failure: if has_failure { failure } else { defaults.failure },
        ..defaults
    })
}

/// The member that the page plays.
fn played(arguments: &Run, members: u32) -> Result<u32> {
    let number = arguments.member.unwrap_or(0);
    let known = u32::try_from(number).ok().filter(|number| *number < members);
    known.with_context(|| {
        format!("`--member` is {number}, expected a number from 0 to {}", members - 1)
    })
}

impl Outcome {
    fn new(setup: &Setup, ensemble: &Ensemble) -> Self {
        let Ensemble { result, quantities, settings, .. } = ensemble;
        let contacts = |phase: &Phase| Contacts {
            entry: phase.entry,
            closed: phase
                .closed
                .iter()
                .map(|(place, mode)| Closed { contact: setup.place_name(place), mode: *mode })
                .collect(),
        };
        let statuses = result.statuses.iter();
        let endings = result.endings.iter();
        let sequences = result.sequences.iter();
        let bands = quantities.iter().zip(&result.bands);
        let members = result.members.iter();
        Self {
            restitution: result.restitution,
            statuses: statuses
                .map(|share| counted(share, Named::Status { status: share.value }))
                .collect(),
            endings: endings
                .map(|share| counted(share, Named::Object(contacts(&share.value))))
                .collect(),
            sequences: sequences
                .map(|share| {
                    let phases = share.value.phases.iter().map(contacts).collect();
                    let phases = Phases { phases, continues: share.value.continues };
                    counted(share, Named::Object(phases))
                })
                .collect(),
            penetration: members.clone().map(|member| member.penetration).fold(0.0, f64::max),
            residual: members.map(|member| member.energy.residual().abs()).fold(0.0, f64::max),
            quantiles: settings.quantiles.clone(),
            bands: bands
                .map(|(quantity, band)| Band {
                    quantity: quantity.name.clone(),
                    unit: quantity.unit.clone(),
                    points: band.points.clone(),
                })
                .collect(),
        }
    }
}

fn counted<T, V>(share: &Share<V>, value: Named<T>) -> Counted<T> {
    Counted { value, count: share.count, first: share.first, probability: share.probability }
}

/// A phase in words, such as `impact: left corner sticking`.
fn phase(contacts: &Contacts) -> String {
    use crate::output::name_of;
    let closed: Vec<_> = contacts
        .closed
        .iter()
        .map(|closed| format!("{} {}", closed.contact, name_of(&closed.mode)))
        .collect();
    let closed = if closed.is_empty() { "open".to_owned() } else { closed.join(", ") };
    match contacts.entry {
        Entry::Smooth => closed,
        entry => format!("{}: {closed}", name_of(&entry)),
    }
}

/// A sequence in words.
fn sequence(phases: &Phases) -> String {
    let mut words: Vec<_> = phases.phases.iter().map(phase).collect();
    if phases.continues {
        words.push("…".to_owned());
    }
    words.join(" → ")
}
