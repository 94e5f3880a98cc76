//! The printed text of `compare`.

use std::{iter, ops::Range};

use percussion_complementarity::elimination::Span;
use percussion_report::{Table, number::short};

use super::{
    document::{Comparison, Content, Document, One},
    places, set_text,
    text::{MOST_ROWS, status},
    words::{NO_IMPACT, approaches, size},
};
use crate::{
    input::Subject,
    output::{clean, written},
};

/// Width of the columns of numbers in one table, in characters.
const WIDTH: usize = 80;

const BEFORE: &str = "before the impact";

const NOT_UNIQUE: &str =
    "The rows of the contacts depend on one another: other impulses cause the same velocities.\n";

/// Names of columns and rows of cells; the first column names the law.
pub(super) struct Grid {
    pub(super) header: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
}

/// What is compared, with one row for each outcome of each law, and two for the box of a set.
pub(super) struct Grids {
    /// Statuses, energies and certificates.
    pub(super) verdicts: Grid,
    pub(super) velocities: Grid,
    /// The impulses of the contacts, unless there are too many.
    pub(super) impulses: Option<Grid>,
    /// A remark, such as that other impulses are possible; empty if there is none.
    pub(super) note: &'static str,
}

/// The text: verdicts, velocities and impulses, the places of the outcomes, and the laws that do not apply.
pub(super) fn comparison(subject: &Subject, comparison: &Comparison) -> String {
    let mut text = subject.title.as_ref().map_or_else(String::new, |title| format!("{title}\n\n"));
    let Grids { verdicts, velocities, impulses, note } = grids(subject, comparison);
    let mut table = Table::new("<<>><", verdicts.header);
    verdicts.rows.into_iter().for_each(|row| table.push(row));
    text += &table.to_string();
    text += &tables(&velocities);
    if let Some(impulses) = impulses {
        text += &tables(&impulses);
    }
    text += note;
    text += &places::text(subject, &comparison.places);
    if comparison.refusals().next().is_some() {
        text += &format!("\n{}\n", refusals(comparison));
    }
    text + &written(&comparison.files)
}

/// The tables of a comparison.
pub(super) fn grids(subject: &Subject, comparison: &Comparison) -> Grids {
    let before = subject.problem.velocity();
    let energy = subject.problem.kinetic_energy(before);
    let titles = ["law", "status", "energy (J)", "change (J)", "certificate"];
    let mut verdicts = vec![vec![BEFORE.to_owned(), String::new(), short(energy)]];
    let mut velocities = vec![(BEFORE.to_owned(), before.as_slice())];
    let mut impulses = Vec::new();
    for document in comparison.answers() {
        if matches!(&document.content, Content::Set(set) if set.bounds.is_none()) {
            verdicts.push(vec![document.law.clone(), "no sample ended".to_owned()]);
        }
        for line in lines(document, energy) {
            let status = line.status;
            let [after, change] = [line.energy, line.change].map(|value| clean(value, energy));
            verdicts.push(vec![line.name.clone(), status, after, change, line.verdict]);
            impulses.extend(line.outcome.map(|one| row(line.name.clone(), of_contacts(one))));
            velocities.push((line.name, line.velocity));
        }
        if let Content::Several(list) = &document.content
            && list.outcomes.len() > MOST_ROWS
        {
            let more = list.outcomes.len() - MOST_ROWS;
            verdicts.push(vec![format!("… and {more} more outcomes (--json prints all)")]);
        }
    }
    let clean_velocity = |index: usize, value: f64| {
        clean(value, size(velocities.iter().map(|(_, velocity)| velocity[index])))
    };
    let cells = velocities.iter().map(|(name, velocity)| {
        let cells = velocity.iter().enumerate().map(|(index, value)| clean_velocity(index, *value));
        row(name.clone(), cells)
    });
    let shown = subject.contacts.len() <= MOST_ROWS && !impulses.is_empty();
    let header = |head: &str, names: &[String]| row(head.to_owned(), names.iter().cloned());
    Grids {
        verdicts: Grid { header: titles.map(str::to_owned).to_vec(), rows: verdicts },
        velocities: Grid { header: header("velocity", &subject.velocities), rows: cells.collect() },
        impulses: shown.then(|| Grid {
            header: header("impulse (N·s)", &components(subject)),
            rows: impulses,
        }),
        note: match () {
            () if !approaches(subject) => NO_IMPACT,
            () if are_unique(subject) => "",
            () => NOT_UNIQUE,
        },
    }
}

/// A name and the cells behind it.
fn row(name: String, cells: impl IntoIterator<Item = String>) -> Vec<String> {
    iter::once(name).chain(cells).collect()
}

/// The outcomes of the laws with their names, except those of sets.
pub(super) fn outcomes(comparison: &Comparison) -> Vec<(String, Vec<f64>)> {
    let of_law = |document| lines(document, 0.0).into_iter().filter(|line| line.outcome.is_some());
    let named = comparison.answers().flat_map(of_law);
    named.map(|line| (line.name, line.velocity.to_vec())).collect()
}

/// Whether different impulses cause different velocities.
fn are_unique(subject: &Subject) -> bool {
    let rows = subject.problem.contact_jacobian();
    Span::new(rows, subject.problem.response()).rank() == rows.nrows()
}

/// A name for each component of the impulses of the contacts.
fn components(subject: &Subject) -> Vec<String> {
    let of_contact = |(index, name): (usize, &String)| {
        let parts: &[&str] = match subject.problem.rows(index).len() {
            1 => &[""],
            2 => &[" normal", " tangential"],
            _ => &[" normal", " tangent 1", " tangent 2"],
        };
        parts.iter().map(|part| format!("{name}{part}")).collect::<Vec<_>>()
    };
    subject.contacts.iter().enumerate().flat_map(of_contact).collect()
}

/// The impulses of the contacts, one cell for each component.
fn of_contacts(outcome: &One) -> Vec<String> {
    let components = outcome
        .impulses
        .iter()
        .flat_map(|impulse| iter::once(impulse.normal).chain(impulse.tangent.iter().copied()));
    components.map(|value| short(outcome.sizes.without_rounding(value))).collect()
}

/// The grid as tables below one another, as many as are needed for the width.
fn tables(grid: &Grid) -> String {
    let table = |columns: Range<usize>| {
        let part = |cells: &[String]| row(cells[0].clone(), cells[1..][columns.clone()].to_vec());
        let mut table = Table::new("<>>>>>>>>>>>>>>>>", part(&grid.header));
        grid.rows.iter().for_each(|cells| table.push(part(cells)));
        format!("\n{table}")
    };
    columns(&grid.header[1..]).into_iter().map(table).collect()
}

/// Ranges of consecutive columns that fit next to each other, with at least one column per table.
fn columns(names: &[String]) -> Vec<Range<usize>> {
    let mut tables: Vec<Range<usize>> = Vec::new();
    let mut width = WIDTH;
    for (index, name) in names.iter().enumerate() {
        // Numbers are up to 11 characters wide.
        let wide = name.chars().count().max(11) + 2;
        width += wide;
        match tables.last_mut() {
            Some(table) if width <= WIDTH => table.end = index + 1,
            _ => {
                tables.push(index..index + 1);
                width = wide;
            }
        }
    }
    tables
}

/// The line of an outcome in a comparison.
struct Line<'a> {
    name: String,
    status: String,
    energy: f64,
    change: f64,
    verdict: String,
    velocity: &'a [f64],
    /// Missing for the box of a set.
    outcome: Option<&'a One>,
}

fn lines<'a>(document: &'a Document, energy: f64) -> Vec<Line<'a>> {
    let law = &document.law;
    match &document.content {
        Content::One(outcome) => vec![line(law.clone(), outcome)],
        Content::Several(list) => {
            let outcomes = list.outcomes.iter().enumerate().take(MOST_ROWS);
            outcomes.map(|(at, entry)| line(format!("{law} {at}"), &entry.outcome)).collect()
        }
        Content::Set(set) => {
            let line = |name: &str, after: f64, velocity: &'a [f64]| Line {
                name: format!("{law}, {name}"),
                status: set_text::status(set),
                energy: after,
                change: after - energy,
                verdict: "each component by itself".to_owned(),
                velocity,
                outcome: None,
            };
            let Some(bounds) = &set.bounds else { return Vec::new() };
            let ([low, high], [lowest, highest]) = (bounds.energy, &bounds.velocity);
            vec![line("lowest", low, lowest), line("highest", high, highest)]
        }
    }
}

fn line(name: String, outcome: &One) -> Line<'_> {
    Line {
        name,
        status: status(outcome),
        energy: outcome.certificate.energy_after,
        change: outcome.certificate.energy_change,
        verdict: summary(outcome),
        velocity: &outcome.velocity,
        outcome: Some(outcome),
    }
}

/// A summary of the violations of an outcome.
fn summary(outcome: &One) -> String {
    if outcome.violations.is_empty() {
        return "holds".to_owned();
    }
    let names = outcome.violations.iter().map(|name| match *name {
        "energy_change" => "GAINS ENERGY".to_owned(),
        name => format!("{} VIOLATED", name.replace('_', " ")),
    });
    names.collect::<Vec<_>>().join(", ")
}

/// The reasons why laws do not apply.
pub(super) fn refusals(comparison: &Comparison) -> String {
    let lines: Vec<_> = comparison
        .refusals()
        .map(|refused| format!("{} does not apply: {}", refused.law, refused.error))
        .collect();
    lines.join("\n")
}
