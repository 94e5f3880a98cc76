//! Outcomes as a page that plays them.

use std::path::{Path, PathBuf};

use anyhow::Result;
use percussion_mechanism::view::{ImpactStage, Played};
use percussion_report::viewer;

use super::document::Document;

/// Writes `view.html` and `view.json` with the outcomes of `documents`, and returns their paths.
pub(super) fn write<'a>(
    stage: &ImpactStage,
    documents: impl Iterator<Item = &'a Document>,
    directory: &Path,
) -> Result<Vec<PathBuf>> {
    let mut played = Played::default();
    documents.for_each(|document| played.extend(document.played.clone()));
    Ok(viewer::write(directory, &stage.played(played))?.to_vec())
}
