//! Where the outcomes of the laws lie relative to the sampled set, and how far they are from the compliant one.

use nalgebra::DVector;
use percussion_impact::{
    Problem, laws,
    outcome_set::{Direction, Location, Membership, Verdict},
};
use percussion_mechanism::laws::Name;
use percussion_report::{Table, number::short, plain_page::PlainTable};

use super::document::{Comparison, Content, Document, Place};
use crate::{input::Subject, output::name_of};

/// The places of all outcomes of a comparison, except those of the set itself.
pub(super) fn of(problem: &Problem, comparison: &Comparison) -> Vec<Place> {
    let find = |name: Name| comparison.answers().find(|document| document.law == name.as_str());
    let set = match find(Name::Impact(laws::Name::SetValuedRouth)).map(|found| &found.content) {
        Some(Content::Set(set)) => {
            let samples =
                set.velocities.iter().map(|one| DVector::from_column_slice(one)).collect();
            Membership::new(problem, samples)
        }
        _ => None,
    };
    let compliant = match find(Name::Compliant).map(|found| &found.content) {
        Some(Content::One(one)) => Some(DVector::from_column_slice(&one.velocity)),
        _ => None,
    };
    let size = problem.kinetic_energy(problem.velocity()).sqrt();
    let place = |document: &Document, outcome: Option<usize>, velocity: &[f64]| {
        let velocity = DVector::from_column_slice(velocity);
        let from = |compliant: &DVector<f64>| {
            problem.kinetic_energy(&(&velocity - compliant)).sqrt() / size
        };
        Place {
            law: document.law.clone(),
            outcome,
            set: set.as_ref().map(|set| set.judge(&velocity)),
            from_compliant: compliant.as_ref().map(from).filter(|distance| distance.is_finite()),
        }
    };
    let places = comparison.answers().flat_map(|document| match &document.content {
        Content::One(one) => vec![place(document, None, &one.velocity)],
        Content::Several(list) => {
            let outcomes = list.velocities.iter().enumerate();
            outcomes.map(|(k, velocity)| place(document, Some(k), velocity)).collect()
        }
        Content::Set(_) => Vec::new(),
    });
    places.filter(|place| place.set.is_some() || place.from_compliant.is_some()).collect()
}

/// Maximum number of outcomes that are printed.
const MOST_ROWS: usize = 40;

const HEADER: [&str; 4] = ["law", "in the set", "distance from the set", "distance from compliant"];

/// The cells of one line.
fn cells(subject: &Subject, place: &Place) -> [String; 4] {
    let name = match place.outcome {
        Some(outcome) => format!("{} {outcome}", place.law),
        None => place.law.clone(),
    };
    let verdict = place.set.map_or_else(|| "–".to_owned(), |at| words(subject, &at));
    let distance = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), part);
    [name, verdict, distance(place.set.map(|at| at.distance)), distance(place.from_compliant)]
}

/// A distance; rounding counts as zero.
fn part(distance: f64) -> String {
    short(if distance < 1e-12 { 0.0 } else { distance })
}

fn words(subject: &Subject, at: &Location) -> String {
    let problem = &subject.problem;
    let contact = |row: usize| {
        let found = (0..problem.contacts().len()).find(|k| problem.rows(*k).contains(&row));
        let name = found.and_then(|k| subject.contacts.get(k)).cloned().unwrap_or_default();
        let is_normal = found.is_some_and(|k| problem.rows(k).start == row);
        (name, if is_normal { "separation" } else { "sliding" })
    };
    let side = |end: &str, row: usize| {
        let (contact, what) = contact(row);
        format!(": {end} {what} of {contact}")
    };
    let extreme = match at.extreme {
        Some(Direction::Least { row }) => side("least", row),
        Some(Direction::Greatest { row }) => side("greatest", row),
        Some(Direction::LeastEnergy) => ": least energy".to_owned(),
        Some(Direction::GreatestEnergy) => ": greatest energy".to_owned(),
        _ => String::new(),
    };
    let verdict = match at.verdict {
        Verdict::Boundary => "boundary".to_owned(),
        other => name_of(&other),
    };
    verdict + &extreme
}

/// What the numbers mean.
fn legend(places: &[Place]) -> Option<String> {
    let set = places.iter().find_map(|place| place.set.as_ref());
    let parts =
        "Distances are parts of the velocity before the impact, in the metric of kinetic energy.";
    let of_set = set.map_or_else(String::new, |at| {
        format!(
            " Outside: farther than {} from every sample; one more sample is so with a probability of at most 1 %.",
            short(at.tolerance)
        )
    });
    (!places.is_empty()).then(|| format!("{parts}{of_set}"))
}

/// The printed table; empty without a set and without a compliant outcome.
pub(super) fn text(subject: &Subject, places: &[Place]) -> String {
    let Some(legend) = legend(places) else { return String::new() };
    let mut table = Table::new("<<>>", HEADER);
    for place in places.iter().take(MOST_ROWS) {
        table.push(cells(subject, place));
    }
    let more = places.len().saturating_sub(MOST_ROWS);
    let more =
        if more > 0 { format!("… and {more} more (--json prints all)\n") } else { String::new() };
    format!("\n{table}{more}{legend}\n")
}

/// The table of a page, and what it says; `None` without a set and without a compliant outcome.
pub(super) fn table(subject: &Subject, places: &[Place]) -> Option<(PlainTable, String)> {
    let rows = places.iter().map(|place| cells(subject, place).to_vec()).collect();
    let table = PlainTable {
        title: "The outcomes beside the set and the compliant contacts".to_owned(),
        header: HEADER.map(str::to_owned).to_vec(),
        rows,
    };
    Some((table, legend(places)?))
}
