//! Paths of the files of a report, relative to its directory.

use percussion_record::{ExperimentOutcome, Figure};

/// The directory of an experiment relative to the report: `family/experiment`.
pub(crate) fn folder(id: &str) -> String {
    id.split('/').map(file_name).collect::<Vec<_>>().join("/")
}

/// The files of a figure relative to the report, without extension: `family/experiment/figure`.
pub(crate) fn figure_stem(outcome: &ExperimentOutcome, figure: &Figure) -> String {
    format!("{}/{}", folder(&outcome.id), file_name(&figure.id))
}

/// `name` in lower-case letters, digits and hyphens, so that it is one safe path component.
fn file_name(name: &str) -> String {
    let harmless = |character: char| match character.to_ascii_lowercase() {
        lower @ ('a'..='z' | '0'..='9') => lower,
        _ => '-',
    };
    name.chars().map(harmless).collect()
}
