//! The printed text of an ensemble.

use percussion_mechanism::scenario::Scenario;
use percussion_report::{Table, number::short};

use super::{Counted, Document, Named, Outcome, phase, sequence};
use crate::output::{name_of, written};

/// Maximum number of lines of a table.
const MOST_ROWS: usize = 12;

pub(super) fn of(scenario: &Scenario, document: &Document) -> String {
    let Document { members, seed, law, .. } = document;
    let mut text = format!(
        "{} ({}), {members} motions, impacts drawn by {law}, seed {seed}\n",
        scenario.title, document.scenario
    );
    let Some(result) = &document.result else { return text };
    for (title, rows) in shares(result) {
        let mut table = Table::new("<>>>", [title, "members", "share", "probability"]);
        let more = rows.len().saturating_sub(MOST_ROWS);
        for row in rows.into_iter().take(MOST_ROWS) {
            table.push(row.cells(*members));
        }
        text += &format!("\n{table}");
        if more > 0 {
            text += &format!("… and {more} more (--json prints all)\n");
        }
    }
    let failure = short(document.failure);
    text += &format!(
        "\nEach interval leaves out the probability with a chance of at most {failure}.\n"
    );
    text += &format!("\n{}", bands(result));
    let [penetration, residual] = [result.penetration, result.residual].map(short);
    text += &format!(
        "\nDeepest overlap {penetration} m; energy left over by an account at most {residual} J\n"
    );
    text += &format!("\nStatus: {}{}\n", document.status, result.restitution.remark());
    text + &written(&document.files)
}

/// The quantities at the end.
fn bands(result: &Outcome) -> String {
    let quantiles = result.quantiles.iter().map(|p| format!("{p}"));
    let header = ["at the end".to_owned(), "unit".to_owned(), "least".to_owned()].into_iter();
    let header: Vec<_> = header.chain(quantiles).chain(["greatest".to_owned()]).collect();
    let alignment = format!("<<{}", ">".repeat(header.len() - 2));
    let mut table = Table::new(&alignment, header);
    for band in &result.bands {
        let Some(point) = band.points.last() else { continue };
        let values = [point.least].into_iter().chain(point.quantiles.iter().copied());
        let values = values.chain([point.greatest]).map(short);
        table.push([band.quantity.clone(), band.unit.clone()].into_iter().chain(values));
    }
    table.to_string()
}

/// One line of a table of shares.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) count: u64,
    pub(super) probability: [f64; 2],
}

impl Row {
    pub(super) fn cells(&self, members: u32) -> [String; 4] {
        let percent = |share: f64| short((1e4 * share).round() / 100.0);
        let share = format!("{} %", percent(self.count as f64 / f64::from(members)));
        let [low, high] = self.probability.map(percent);
        [self.name.clone(), self.count.to_string(), share, format!("{low} to {high} %")]
    }
}

/// The titles and lines of the tables of shares.
pub(super) fn shares(result: &Outcome) -> [(&'static str, Vec<Row>); 3] {
    fn rows<T>(shares: &[Counted<T>], name: impl Fn(&T) -> String) -> Vec<Row> {
        let row = |share: &Counted<T>| {
            let (Named::Object(value) | Named::Status { status: value }) = &share.value;
            Row { name: name(value), count: share.count, probability: share.probability }
        };
        shares.iter().map(row).collect()
    }
    [
        ("status", rows(&result.statuses, name_of)),
        ("contacts at the end", rows(&result.endings, phase)),
        ("sequence of impacts and modes", rows(&result.sequences, sequence)),
    ]
}
