//! Numbers and statuses as `impact` prints them.

use percussion_impact::RestitutionUse;
use percussion_report::number::short;

use crate::input::Subject;

/// Maximum number of entries of a vector in one cell.
const MOST_ENTRIES: usize = 8;

/// The name of a status, with a note if the restitution of the contacts was not used.
pub(super) fn with_restitution(name: String, restitution: RestitutionUse) -> String {
    name + restitution.remark()
}

/// What is said where nothing happens.
pub(super) const NO_IMPACT: &str = "No contact approaches: there is no impact.\n";

/// Whether a contact approaches before the impact.
pub(super) fn approaches(subject: &Subject) -> bool {
    let problem = &subject.problem;
    let speeds = problem.contact_velocity(problem.velocity());
    (0..problem.contacts().len()).any(|contact| speeds[problem.rows(contact).start] < 0.0)
}

/// Largest absolute value.
pub(super) fn size(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(0.0, |largest, value| value.abs().max(largest))
}

pub(super) fn list(values: &[f64]) -> String {
    let shown: Vec<_> = values.iter().take(MOST_ENTRIES).map(|value| short(*value)).collect();
    let more = if values.len() > MOST_ENTRIES { ", …" } else { "" };
    shown.join(", ") + more
}
