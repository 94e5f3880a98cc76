//! `percussion impact` and `percussion compare`.

mod comparison;
mod derivative;
mod document;
mod drawing;
mod page;
mod places;
mod playing;
mod rounding;
mod set;
mod set_text;
mod text;
mod words;

use std::{iter, path::Path};

use anyhow::{Context, Result, anyhow, bail, ensure};
use percussion_impact::laws::{self, Answer};
use percussion_mechanism::laws::{Choice, Error as LawError, Name};

use self::document::{Comparison, Content, Document, Entry, Left, Refused};
use crate::{
    arguments::{Allowed, Clock, Compare, Impact, LawSettings, Run, Which},
    input::{self, Subject},
    laws::choose,
    output::{Progress, Verdict, answer, complain, prepare_directory, warn_of_others, with_causes},
};

type Given = Vec<(String, String)>;

pub(super) fn impact(arguments: &Impact) -> Result<Verdict> {
    let Impact { problem, law, settings, robot, fixed_base, out, time_limit, json, .. } = arguments;
    ensure!(
        !arguments.derivative || matches!(law, Which::One(_)),
        "`--derivative` is given, but no law, expected `--law` with one law"
    );
    let subject = input::impact(problem, robot, *fixed_base)?;
    let output = Output { derivative: arguments.derivative, out: out.as_deref(), json: *json };
    resolve_by(*law, subject, settings, time_limit.start(), output)
}

/// What is printed and written.
#[derive(Clone, Copy)]
struct Output<'a> {
    derivative: bool,
    out: Option<&'a Path>,
    json: bool,
}

/// Executes `percussion run` for an impact.
pub(super) fn run(arguments: &Run) -> Result<Verdict> {
    let Run { scenario, law, settings, robot, fixed_base, out, time_limit, json, .. } = arguments;
    let subject = input::impact(scenario, robot, *fixed_base)?;
    let law = law.unwrap_or(Which::All);
    let output = Output { derivative: false, out: out.as_deref(), json: *json };
    resolve_by(law, subject, settings, time_limit.start(), output)
}

fn resolve_by(
    law: Which,
    subject: Subject,
    settings: &LawSettings,
    clock: Clock,
    Output { derivative, out, json }: Output<'_>,
) -> Result<Verdict> {
    match law {
        Which::One(name) => {
            let given: Given = settings.settings.iter().cloned().chain(draws(settings)).collect();
            let law = choose(name, given.clone(), subject.impact.as_deref())?;
            prepare(out, &subject, law.is_set())?;
            let mut document = resolve(name, &law, &subject, (clock, out.is_some()))?;
            if derivative {
                document.derivative = Some(derivative::of(name, given, &subject)?);
            }
            write(&mut document, &subject, &[], out)?;
            if let (Some(stage), Some(directory)) = (&subject.stage, out) {
                let (files, _) = playing::write(stage, iter::once(&document), directory)?;
                document.files_mut().extend(files);
            }
            if let Some(directory) = out {
                warn_of_others(directory, document.files_mut());
            }
            answer(json, &document, || text::one(&subject, &document))?;
            Ok(verdict(document.is_resolved(&settings.allow)))
        }
        Which::All => {
            let laws = several(&Name::ALL, settings, &subject)?;
            prepare(out, &subject, true)?;
            side_by_side(&subject, &laws, (&settings.allow, clock), out, json)
        }
    }
}

/// Creates the directory; an error if nothing can be drawn, neither bodies nor a `set` of outcomes.
fn prepare(out: Option<&Path>, subject: &Subject, set: bool) -> Result<()> {
    let Some(directory) = out else { return Ok(()) };
    ensure!(
        set || subject.stage.is_some(),
        "`--out` is given, but the impact has no bodies to draw, expected a built-in impact or a TOML \
         file, or the law set-valued-routh, whose outcomes are drawn"
    );
    prepare_directory(directory)
}

/// Writes the figures and tables of a set of outcomes.
fn write(
    document: &mut Document,
    subject: &Subject,
    outcomes: &[(String, Vec<f64>)],
    out: Option<&Path>,
) -> Result<()> {
    if let (Content::Set(set), Some(directory)) = (&mut document.content, out) {
        set.files = drawing::write(set, subject, outcomes, directory)?;
    }
    Ok(())
}

pub(super) fn compare(arguments: &Compare) -> Result<Verdict> {
    let subject = input::impact(&arguments.problem, &arguments.robot, arguments.fixed_base)?;
    let names = if arguments.laws.is_empty() { &Name::ALL[..] } else { &arguments.laws };
    let laws = several(names, &arguments.settings, &subject)?;
    let (out, clock) = (arguments.out.as_deref(), arguments.time_limit.start());
    prepare(out, &subject, names.contains(&Name::Impact(laws::Name::SetValuedRouth)))?;
    side_by_side(&subject, &laws, (&arguments.settings.allow, clock), out, arguments.json)
}

/// `--samples` and `--seed` as settings.
pub(super) fn draws(settings: &LawSettings) -> impl Iterator<Item = (String, String)> {
    let given = [("samples", settings.samples), ("seed", settings.seed)].into_iter();
    given.filter_map(|(key, value)| Some((key.to_owned(), value?.to_string())))
}

/// The laws called `names`, with settings given as `law.key=value`.
fn several(
    names: &[Name],
    settings: &LawSettings,
    subject: &Subject,
) -> Result<Vec<(Name, Choice)>> {
    let mut given = settings.settings.clone();
    for (key, value) in draws(settings) {
        let takers: Vec<_> = names.iter().filter(|name| has(**name, &key)).collect();
        ensure!(!takers.is_empty(), "`--{key}` is given, but none of the laws draws samples");
        given.extend(takers.iter().map(|name| (format!("{name}.{key}"), value.clone())));
    }
    let laws = names.iter().map(|&name| {
        let prefix = format!("{name}.");
        let own = given.extract_if(.., |(key, _)| key.starts_with(&prefix));
        let own = own.map(|(key, value)| (key[prefix.len()..].to_owned(), value)).collect();
        let law = choose(name, own, subject.impact.as_deref());
        Ok((name, law.with_context(|| name.to_string())?))
    });
    let laws = laws.collect::<Result<_>>()?;
    check_all_taken(names, &given)?;
    Ok(laws)
}

fn has(name: Name, key: &str) -> bool {
    name.settings().iter().any(|known| known.key == key)
}

fn check_all_taken(names: &[Name], left: &Given) -> Result<()> {
    let Some((key, value)) = left.first() else { return Ok(()) };
    let list = names.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let hint = match names.iter().find(|name| has(**name, key)) {
        Some(name) => format!(", such as `{name}.{key}={value}`"),
        None => String::new(),
    };
    bail!(
        "setting `{key}` belongs to none of the laws, expected LAW.KEY=VALUE with one of \
         {list}{hint}"
    )
}

/// The result of a law until the time is over; with `plays`, also the data that a page plays.
fn resolve(
    name: Name,
    law: &Choice,
    subject: &Subject,
    (clock, plays): (Clock, bool),
) -> Result<Document> {
    let problem = &subject.problem;
    tracing::info!(law = %name, contacts = problem.contacts().len(), "resolving");
    let progress = Progress::new();
    let result = law.answer_while(problem, subject.impact.as_deref(), &|share| {
        progress.show(share, &name.to_string());
        clock.after(share)
    });
    progress.clear();
    let answer = result?;
    if let Answer::Set(set) = &answer
        && set.is_cut()
    {
        let drawn = set.statistics.samples;
        complain(&anyhow!("the time limit was reached: {name} has only {drawn} samples"));
    }
    let stage = subject.stage.as_ref().filter(|_| plays);
    let played = stage.map(|stage| stage.play(name.as_str(), &answer)).unwrap_or_default();
    let mut document = Document::new(name.to_string(), problem, &law.claims(problem), answer)?;
    document.played = played;
    Ok(document)
}

/// The results of the laws that apply, and the reasons why the others do not.
fn side_by_side(
    subject: &Subject,
    laws: &[(Name, Choice)],
    (allowed, clock): (&[Allowed], Clock),
    out: Option<&Path>,
    json: bool,
) -> Result<Verdict> {
    let entries = laws.iter().enumerate().map(|(index, (name, law))| {
        if index > 0 && clock.is_over() {
            return Entry::Left(Left::new(name.to_string()));
        }
        match resolve(*name, law, subject, (clock, out.is_some())) {
            Ok(document) => Entry::Answer(Box::new(document)),
            Err(error) => {
                let by_setting = matches!(
                    error.downcast_ref(),
                    Some(LawError::Law(percussion_impact::Error::Setting { .. }))
                );
                let (law, error) = (name.to_string(), with_causes(&error));
                Entry::Refused(Refused { law, error, by_setting })
            }
        }
    });
    let mut comparison = Comparison {
        velocities: subject.velocities.clone(),
        contacts: subject.contacts.clone(),
        before: subject.problem.velocity().as_slice().to_vec(),
        laws: entries.collect(),
        places: Vec::new(),
        files: Vec::new(),
    };
    comparison.places = places::of(&subject.problem, &comparison);
    let outcomes = comparison::outcomes(&comparison);
    for entry in &mut comparison.laws {
        if let Entry::Answer(document) = entry {
            write(document, subject, &outcomes, out)?;
            if let Content::Set(set) = &document.content {
                comparison.files.extend_from_slice(&set.files);
            }
        }
    }
    ensure!(comparison.answers().next().is_some(), "{}", comparison::refusals(&comparison));
    if let Some(directory) = out {
        let files = page::write(subject, &comparison, &outcomes, directory)?;
        comparison.files.extend(files);
        warn_of_others(directory, &comparison.files);
    }
    answer(json, &comparison, || comparison::comparison(subject, &comparison))?;
    let left: Vec<_> = comparison.left().collect();
    if !left.is_empty() {
        complain(&anyhow!("the time limit was reached before {}", left.join(", ")));
    }
    let wrong: Vec<_> =
        comparison.refusals().filter(|one| one.by_setting).map(|one| one.law.as_str()).collect();
    if !wrong.is_empty() {
        complain(&anyhow!("a setting of {} is out of its range", wrong.join(", ")));
    }
    let is_resolved = |document: &Document| document.is_resolved(allowed);
    Ok(verdict(left.is_empty() && wrong.is_empty() && comparison.answers().all(is_resolved)))
}

fn verdict(met: bool) -> Verdict {
    if met { Verdict::Met } else { Verdict::Unmet }
}
