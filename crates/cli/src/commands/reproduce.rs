//! `percussion reproduce`.

mod queue;
mod sensitivity;

use anyhow::{Result, anyhow, bail};
use percussion_record::{Against, ExperimentOutcome, Row};
use percussion_report::{Provenance, Report, Results, terminal};
use percussion_scenarios::{Effort, Error, Experiment, Options, experiments, families};

use crate::{
    arguments::Reproduce,
    catalogue::taker,
    likeness::did_you_mean,
    output::{Verdict, complain, prepare_directory, print},
};

pub(super) fn execute(arguments: &Reproduce) -> Result<Verdict> {
    let selected = select(&arguments.experiments)?;
    // Reports an unwritable directory before the experiments run, not after them.
    prepare_directory(&arguments.out)?;
    if arguments.sensitivity {
        return sensitivity::execute(arguments, &selected);
    }
    let (effort, name) = match (arguments.quick, arguments.full) {
        (true, _) => (Effort::Quick, "quick"),
        (_, true) => (Effort::Full, "full"),
        _ => (Effort::Default, "default"),
    };
    let options = Options { effort, seed: arguments.seed };
    let provenance = Provenance::of_this_run(name, arguments.seed);

    let clock = arguments.time_limit.start();
    let found = queue::run(
        &selected,
        || clock.is_over(),
        |experiment, show| {
            tracing::info!(experiment = experiment.id, "running");
            let outcome = experiment.run(&options, show);
            outcome.unwrap_or_else(|error| stopped(experiment, &error))
        },
    );
    let is_missing = found.iter().map(Option::is_none);
    let missing = selected.iter().zip(is_missing).filter(|(_, is_missing)| *is_missing);
    let missing: Vec<&str> = missing.map(|(experiment, _)| experiment.id).collect();
    let outcomes: Vec<ExperimentOutcome> = found.into_iter().flatten().collect();

    let provenance = provenance.finished();
    let families = families();
    let report = Report { outcomes: &outcomes, families: &families, provenance: &provenance };
    let page = report.write(&arguments.out)?;
    let results = Results::new(&outcomes);
    if arguments.json {
        print(&results.to_json())?;
    } else {
        let tables: String =
            outcomes.iter().map(|outcome| terminal::outcome(outcome) + "\n").collect();
        let page = page.display();
        let head = terminal::head(&results);
        let written = contents(&outcomes);
        let summary = terminal::summary(&results);
        print(&format!("{head}{tables}Report: {page}, {written}\n{summary}"))?;
    }
    if !missing.is_empty() {
        let (count, of) = (missing.len(), selected.len());
        let names = missing.join(", ");
        complain(&anyhow!(
            "the time limit was reached, {count} of {of} experiments were not run: {names}"
        ));
    }
    Ok(if results.failed == 0 && missing.is_empty() { Verdict::Met } else { Verdict::Unmet })
}

/// What a report contains beside its page, in words.
fn contents(outcomes: &[ExperimentOutcome]) -> String {
    let figures: usize = outcomes.iter().map(|outcome| outcome.figures.len()).sum();
    let players = outcomes.iter().filter(|outcome| outcome.play.is_some()).count();
    format!(
        "with results.json, {figures} figures (SVG, CSV, JSON) and {players} players (view.html, view.json) \
         in the folders of the experiments"
    )
}

/// The experiments whose name, or whose part before a slash, is one of `names`; all experiments if there are no names.
fn select(names: &[String]) -> Result<Vec<&'static Experiment>> {
    let matches = |id: &str, name: &str| {
        id.strip_prefix(name.trim_end_matches('/'))
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    for name in names {
        if !experiments().iter().any(|known| matches(known.id, name)) {
            if let Some((sort, command)) = taker(name) {
                bail!(
                    "`{name}` is a built-in {sort}, expected an experiment; `{command}` takes it"
                );
            }
            let known: Vec<&str> = experiments().iter().map(|known| known.id).collect();
            let hint = did_you_mean(name, known.iter().copied());
            bail!("no experiment is named `{name}`, expected one of {}{hint}", known.join(", "));
        }
    }
    let wanted = |id| names.is_empty() || names.iter().any(|name| matches(id, name));
    Ok(experiments().iter().filter(|known| wanted(known.id)).collect())
}

/// The outcome of an experiment that stopped with an error: a row that failed.
fn stopped(experiment: &Experiment, error: &Error) -> ExperimentOutcome {
    tracing::error!(experiment = experiment.id, %error, "stopped");
    ExperimentOutcome {
        id: experiment.id.to_owned(),
        title: experiment.title.to_owned(),
        summary: "The experiment stopped with an error.".to_owned(),
        rows: vec![Row {
            experiment: experiment.id.to_owned(),
            quantity: "runs to its end (1 for yes)".to_owned(),
            unit: String::new(),
            published: None,
            checked: Some(1.0),
            measured: 0.0,
            tolerance: Some(0.0),
            fails_with: None,
            against: Against::Checked,
            difference: None,
            accepted: false,
        }],
        figures: Vec::new(),
        notes: vec![format!("It stopped: {error}.")],
        play: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(names: &[&str]) -> Result<Vec<&'static str>> {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        Ok(select(&names)?.into_iter().map(|experiment| experiment.id).collect())
    }

    #[test]
    fn names_select_in_the_order_of_publication_and_without_repetition() {
        let all: Vec<&str> = experiments().iter().map(|known| known.id).collect();
        assert_eq!(ids(&[]).unwrap(), all);
        let family: Vec<&str> =
            all.iter().copied().filter(|id| id.starts_with("stewart-trinkle/")).collect();
        assert_eq!(ids(&["stewart-trinkle"]).unwrap(), family);
        assert_eq!(ids(&[all[1], "stewart-trinkle/"]).unwrap(), family);
        assert_eq!(ids(&[all[1], all[0], all[1]]).unwrap(), [all[0], all[1]]);
    }

    #[test]
    fn a_part_of_a_word_selects_nothing() {
        let error = ids(&["stewart"]).unwrap_err().to_string();
        assert!(error.contains("`stewart`") && error.contains("stewart-trinkle/four-balls"));
        assert!(ids(&[""]).is_err());
    }
}
