//! Outcomes as a page that plays them.

use std::path::{Path, PathBuf};

use anyhow::Result;
use nalgebra::DVector;
use percussion_record::view::{Motion, View};
use percussion_report::viewer;
use percussion_scenarios::view::ImpactStage;

use super::{
    document::{Content, Document},
    set::Set,
};

/// Most outcomes of a law that are played.
const OUTCOMES: usize = 200;

/// Most cells of a set that are drawn in a plane.
const CELLS: usize = 4000;

/// Writes `view.html` and `view.json` with the outcomes of `documents`, and returns their paths.
pub(super) fn write<'a>(
    stage: &ImpactStage,
    documents: impl Iterator<Item = &'a Document>,
    directory: &Path,
) -> Result<Vec<PathBuf>> {
    Ok(viewer::write(directory, &view(stage, documents))?.to_vec())
}

/// The outcomes of `documents` as they are played.
pub(super) fn view<'a>(stage: &ImpactStage, documents: impl Iterator<Item = &'a Document>) -> View {
    let (mut motions, mut planes) = (Vec::new(), Vec::new());
    for Document { law, content, .. } in documents {
        match content {
            Content::One(one) => {
                motions.extend(motion(stage, law, None, &one.velocity, &one.impulses));
            }
            Content::Several(list) => {
                let several = list.outcomes.iter().take(OUTCOMES).zip(1_u32..);
                motions.extend(several.filter_map(|(entry, number)| {
                    let one = &entry.outcome;
                    let name = format!("{law} {number}");
                    motion(stage, &name, None, &one.velocity, &one.impulses)
                }));
            }
            Content::Set(set) => {
                motions.extend(samples(stage, law, set));
                planes.extend(set.planes.iter().map(|plane| {
                    let outcomes = plane.points.iter().copied().take(CELLS);
                    stage.set_plane(plane.contact, &plane.hull, outcomes)
                }));
            }
        }
    }
    stage.view(motions, planes)
}

/// The outcomes of a set where a contact velocity is smallest or largest, and the first ones.
fn samples(stage: &ImpactStage, law: &str, set: &Set) -> Vec<Motion> {
    let extremes = set.extremes.iter().map(|extreme| {
        let what = if extreme.component == 0 { "separation" } else { "sliding" };
        let name = format!("{law}, {} {what} of contact {}", extreme.side, extreme.contact);
        (name, extreme.sample, &extreme.velocity)
    });
    let first = set.velocities.iter().take(OUTCOMES).zip(0..);
    let first =
        first.map(|(velocity, number)| (format!("{law}, outcome {number}"), number, velocity));
    extremes
        .chain(first)
        .filter_map(|(name, number, velocity)| motion(stage, &name, Some(number), velocity, &[]))
        .collect()
}

/// The motion of an outcome; none of one that overflowed.
fn motion(
    stage: &ImpactStage,
    name: &str,
    sample: Option<u64>,
    velocity: &[f64],
    impulses: &[percussion_impact::outcome::Impulse],
) -> Option<Motion> {
    let finite = velocity.iter().all(|value| value.is_finite());
    let velocity = DVector::from_column_slice(velocity);
    finite.then(|| stage.motion(name, sample, &velocity, impulses))
}
