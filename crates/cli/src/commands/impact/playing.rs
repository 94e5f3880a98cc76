//! Outcomes as a page that plays them.

use std::path::{Path, PathBuf};

use anyhow::Result;
use percussion_mechanism::view::{ImpactStage, Played};
use percussion_record::view::View;
use percussion_report::viewer;

use super::document::Document;

/// Writes `view.html` and `view.json` with the outcomes of `documents`, and returns their paths and the outcomes.
pub(super) fn write<'a>(
    stage: &ImpactStage,
    documents: impl Iterator<Item = &'a Document>,
    directory: &Path,
) -> Result<(Vec<PathBuf>, View)> {
    let mut played = Played::default();
    documents.for_each(|document| played.extend(document.played.clone()));
    let view = stage.played(played);
    Ok((viewer::write(directory, &view)?.to_vec(), view))
}
