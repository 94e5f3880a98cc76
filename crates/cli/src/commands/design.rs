//! `percussion design`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use percussion_impact::design::{Status, Step};
use percussion_mechanism::design::{self, Design, Designed};
use percussion_report::{Table, atomic, csv, number::short};
use percussion_scenarios::fixtures;
use serde::Serialize;

use crate::{
    arguments, input,
    output::{Verdict, answer, name_of, prepare_directory},
};

/// The output of `design --json`.
#[derive(Debug, Serialize)]
struct Document {
    design: String,
    status: Status,
    variables: Vec<Variable>,
    contacts: Vec<Contact>,
    conditions: Vec<Condition>,
    /// Distance from the start, in scales of the variables.
    distance: f64,
    /// Remaining distance to the start along the conditions, in scales of the variables; `None` if the conditions do not hold.
    left: Option<f64>,
    derivative_error: f64,
    normal_error: f64,
    evaluations: usize,
    path: Vec<Step>,
    /// Files written.
    files: Vec<PathBuf>,
}

#[derive(Debug, Serialize)]
struct Variable {
    name: String,
    unit: String,
    start: f64,
    value: f64,
    /// Whether the variable is at a bound.
    bound: bool,
}

#[derive(Debug, Serialize)]
struct Contact {
    name: String,
    /// Gap (m).
    gap: f64,
    /// Whether the design requires this contact to touch.
    touches: bool,
}

#[derive(Debug, Serialize)]
struct Condition {
    contacts: [String; 2],
    cosine: f64,
    wanted: f64,
}

pub(super) fn execute(arguments: &arguments::Design) -> Result<Verdict> {
    let name = &arguments.design;
    let path = Path::new(name);
    let design = if fixtures::DESIGNS.contains(&name.as_str()) {
        fixtures::design(name)?
    } else {
        input::check_file(path, "a TOML file", fixtures::DESIGNS.iter().copied())?;
        let read = Design::from_path(path).with_context(|| format!("`{name}`"));
        read.map_err(|error| input::misplaced(name, &[input::Kind::Design], error))?
    };
    if let Some(directory) = &arguments.out {
        prepare_directory(directory)?;
    }
    tracing::info!(design = design.name, variables = design.variables.len(), "designing");
    let designed = design.solve().with_context(|| name.clone())?;
    let mut document = Document::new(&design, &designed);
    if let Some(directory) = &arguments.out {
        document.files = write(directory, &design, &designed)?;
    }
    answer(arguments.json, &document, || text(&design, &document))?;
    Ok(match designed.report.status {
        Status::Met | Status::Feasible => Verdict::Met,
        _ => Verdict::Unmet,
    })
}

impl Document {
    fn new(design: &Design, designed: &Designed) -> Self {
        let report = &designed.report;
        let variable = |(variable, value): (&design::Variable, &f64)| Variable {
            name: variable.name.clone(),
            unit: variable.unit.clone(),
            start: variable.start,
            value: *value,
            bound: variable.lower.is_some_and(|lower| *value <= lower)
                || variable.upper.is_some_and(|upper| *value >= upper),
        };
        let contact = |(name, gap): (&String, &f64), touches| Contact {
            name: name.clone(),
            gap: *gap,
            touches,
        };
        let touching = design.touch.iter().zip(&report.gaps).map(|pair| contact(pair, true));
        let others = designed.others.iter().map(|(name, gap)| contact((name, gap), false));
        let wanted = report.cosines.iter().zip(&designed.wanted);
        let conditions = designed.pairs.iter().zip(wanted).map(|(contacts, (cosine, wanted))| {
            Condition { contacts: contacts.clone(), cosine: *cosine, wanted: *wanted }
        });
        Self {
            design: design.name.clone(),
            status: report.status,
            variables: design.variables.iter().zip(&report.variables).map(variable).collect(),
            contacts: touching.chain(others).collect(),
            conditions: conditions.collect(),
            distance: report.distance,
            left: report.left.is_finite().then_some(report.left),
            derivative_error: report.derivative_error,
            normal_error: designed.normal_error,
            evaluations: report.evaluations,
            path: report.path.clone(),
            files: Vec::new(),
        }
    }
}

/// Writes `impact.toml`, for `percussion impact`, if the contacts touch, and `path.csv`.
fn write(directory: &Path, design: &Design, designed: &Designed) -> Result<Vec<PathBuf>> {
    let mut files = vec![directory.join("path.csv")];
    let columns: Vec<_> =
        design.variables.iter().map(|one| csv::heading(&one.name, &one.unit)).collect();
    let columns: Vec<_> =
        columns.into_iter().chain(["residual".into(), "distance".into()]).collect();
    let rows =
        designed.report.path.iter().map(|step| {
            step.variables.iter().copied().chain([step.residual, step.distance]).collect()
        });
    atomic::write(&files[0], csv::table(&columns, rows).as_bytes())?;
    if matches!(designed.report.status, Status::Met | Status::Feasible) {
        let file = directory.join("impact.toml");
        atomic::write(&file, designed.impact.to_toml_string()?.as_bytes())?;
        files.push(file);
    }
    Ok(files)
}

fn text(design: &Design, document: &Document) -> String {
    let mut variables = Table::new("<>><<", ["variable", "start", "found", "unit", ""]);
    for one in &document.variables {
        let bound = if one.bound { "at its bound" } else { "" };
        variables.push([
            one.name.clone(),
            short(one.start),
            short(one.value),
            one.unit.clone(),
            bound.to_owned(),
        ]);
    }
    let mut contacts = Table::new("<><", ["contact", "gap (m)", ""]);
    for contact in &document.contacts {
        let wish = if contact.touches { "" } else { "need not touch" };
        contacts.push([contact.name.clone(), short(contact.gap), wish.to_owned()]);
    }
    let mut conditions = Table::new("<>>", ["normals of", "⟨u, v⟩", "wanted"]);
    for condition in &document.conditions {
        let [first, second] = &condition.contacts;
        let pair = format!("{first}, {second}");
        conditions.push([pair, short(condition.cosine), short(condition.wanted)]);
    }
    let verdict = match document.status {
        Status::Met => "the nearest point, to first order",
        Status::Feasible => "the conditions hold, but a nearer point may exist",
        Status::Stationary => "no step reduces the error of the conditions",
        _ => "the maximum number of steps was reached",
    };
    let mut text = format!(
        "{} ({})\n\nstatus: {} ({verdict})\ndistance from the start: {} scales, in {} steps and {} \
         evaluations\nerror of derivatives: {}, of normals: {}\n\n{variables}\n{contacts}\n{conditions}",
        design.title,
        design.name,
        name_of(&document.status),
        short(document.distance),
        document.path.len().saturating_sub(1),
        document.evaluations,
        short(document.derivative_error),
        short(document.normal_error),
    );
    if !document.files.is_empty() {
        let names = document.files.iter().map(|file| format!("  {}\n", file.display()));
        text += &format!("\nWritten:\n{}", names.collect::<String>());
    }
    text
}
