//! The page of a comparison: `index.html`.

use std::path::{Path, PathBuf};

use anyhow::Result;
use nalgebra::DVector;
use percussion_record::view::View;
use percussion_report::{
    atomic,
    number::short,
    plain_page::{PlainPage, PlainTable, Player},
};

use super::{
    comparison::{Grid, Grids, grids, refusals},
    document::{Comparison, Content},
    drawing, places, playing,
};
use crate::input::Subject;

/// Relative difference of velocities, in the metric of kinetic energy, above which outcomes count as different.
const DIFFERENT: f64 = 1e-6;

/// Writes the page, and with bodies the player of the outcomes; returns the paths of the files.
pub(super) fn write(
    subject: &Subject,
    comparison: &Comparison,
    outcomes: &[(String, Vec<f64>)],
    directory: &Path,
) -> Result<Vec<PathBuf>> {
    let (mut files, mut view) = (Vec::new(), None);
    if let Some(stage) = &subject.stage {
        let (written, played) = playing::write(stage, comparison.answers(), directory)?;
        files.extend(written);
        view = Some(played);
    }
    let file = directory.join("index.html");
    let page = page(subject, comparison, outcomes, view);
    atomic::write(&file, page.html().as_bytes())?;
    files.push(file);
    Ok(files)
}

/// The outcomes as a moving picture, the figures of the set with the laws in it, and the tables of the comparison.
fn page(
    subject: &Subject,
    comparison: &Comparison,
    outcomes: &[(String, Vec<f64>)],
    view: Option<View>,
) -> PlainPage {
    let Grids { verdicts, velocities, impulses, note } = grids(subject, comparison);
    let table = |title: &str, grid: Grid| PlainTable {
        title: title.to_owned(),
        header: grid.header,
        rows: grid.rows,
    };
    let mut tables = vec![
        table("What the laws say", verdicts),
        table("Velocities after the impact", velocities),
    ];
    tables.extend(impulses.map(|grid| table("Impulses of the contacts", grid)));
    let mut notes = vec![note.trim_end().to_owned()];
    notes.extend(refusals(comparison).lines().map(str::to_owned));
    if let Some((table, legend)) = places::table(subject, &comparison.places) {
        tables.push(table);
        notes.push(legend);
    }
    tables.push(contacts(subject));
    notes.retain(|note| !note.is_empty());
    let figures = comparison.answers().flat_map(|document| match &document.content {
        Content::Set(set) => drawing::figures(set, subject, outcomes),
        _ => Vec::new(),
    });
    let player = view.map(|view| Player {
        title: "The outcomes, side by side".to_owned(),
        view,
        address: "view.html".to_owned(),
        link: "Play the outcomes".to_owned(),
    });
    PlainPage {
        title: subject.title.clone().unwrap_or_else(|| "An impact by all laws".to_owned()),
        paragraphs: vec![lead(subject, outcomes)],
        player,
        figures: figures.collect(),
        tables,
        notes,
    }
}

/// How many outcomes differ.
fn lead(subject: &Subject, outcomes: &[(String, Vec<f64>)]) -> String {
    let problem = &subject.problem;
    let speed = |velocity: &DVector<f64>| problem.kinetic_energy(velocity).sqrt();
    let before = speed(problem.velocity());
    let mut different: Vec<DVector<f64>> = Vec::new();
    for (_, velocity) in outcomes {
        let velocity = DVector::from_column_slice(velocity);
        if different.iter().all(|other| speed(&(other - &velocity)) > DIFFERENT * before) {
            different.push(velocity);
        }
    }
    let plural = |count: usize, one: &str| match count {
        1 => format!("1 {one}"),
        _ => format!("{count} {one}s"),
    };
    let contacts = plural(problem.contacts().len(), "contact");
    format!("{contacts}. The laws give {}.", plural(different.len(), "different outcome"))
}

/// The contacts before the impact.
fn contacts(subject: &Subject) -> PlainTable {
    let problem = &subject.problem;
    let speeds = problem.contact_velocity(problem.velocity());
    let row = |(index, name): (usize, &String)| {
        let contact = &problem.contacts()[index];
        let approach = short(-speeds[problem.rows(index).start]);
        vec![name.clone(), approach, short(contact.friction), short(contact.restitution)]
    };
    PlainTable {
        title: "The contacts before the impact".to_owned(),
        header: ["contact", "approach (m/s)", "friction", "restitution"].map(str::to_owned).into(),
        rows: subject.contacts.iter().enumerate().map(row).collect(),
    }
}
