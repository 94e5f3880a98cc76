//! Checks of a model and a start.

use super::{Error, settings::Resolved};
use crate::{
    model::{Model, State},
    schemes::Name,
};

/// Checks everything about a model and a start that does not require gaps.
pub(super) fn check(model: &Model, start: &State) -> Result<(), Error> {
    start.check(model.system())?;
    match model.refused(|feature| Name::EventDriven.rule(feature)) {
        Some(feature) => Err(Error::NoRule { feature }),
        None => Ok(()),
    }
}

/// Checks that overlaps and violations of the start are within the proximity.
pub(super) fn check_start(settings: &Resolved, gaps: &[f64], ties: &[f64]) -> Result<(), Error> {
    let accepted = settings.height();
    for (contact, &gap) in gaps.iter().enumerate() {
        // A NaN gap is refused like an overlap.
        if gap.is_nan() || gap < -accepted {
            return Err(Error::Penetration { contact, depth: -gap, accepted });
        }
    }
    for (row, &value) in ties.iter().enumerate() {
        if value.is_nan() || value.abs() > accepted {
            return Err(Error::Broken { row, value, accepted });
        }
    }
    Ok(())
}
