//! The page of a comparison: `index.html`.

use percussion_report::plain_page::{PlainPage, PlainTable};

use super::{
    comparison::{Grid, Grids, grids, refusals},
    document::{Comparison, Content},
    drawing, places,
};
use crate::input::Subject;

/// The tables of the comparison, the places of the outcomes, and the figures of the set with the other laws in it.
pub(super) fn page(
    subject: &Subject,
    comparison: &Comparison,
    outcomes: &[(String, Vec<f64>)],
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
    let mut paragraphs = vec![note.trim_end().to_owned()];
    paragraphs.extend(refusals(comparison).lines().map(str::to_owned));
    if let Some((table, legend)) = places::table(subject, &comparison.places) {
        tables.push(table);
        paragraphs.push(legend);
    }
    paragraphs.retain(|paragraph| !paragraph.is_empty());
    let figures = comparison.answers().flat_map(|document| match &document.content {
        Content::Set(set) => drawing::figures(set, subject, outcomes),
        _ => Vec::new(),
    });
    let player = ["view.html", "Play the outcomes"].map(str::to_owned);
    PlainPage {
        title: subject.title.clone().unwrap_or_else(|| "An impact by all laws".to_owned()),
        paragraphs,
        tables,
        figures: figures.collect(),
        player: subject.stage.is_some().then_some(player),
    }
}
