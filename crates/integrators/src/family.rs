//! Families of models and starts with one parameter, whose motions have derivatives.

use crate::model::{Model, State};

/// The error with which a family has no member at a parameter.
pub type Cause = Box<dyn std::error::Error + Send + Sync>;

/// Models and starts by their parameter.
pub type Family<'a> = dyn FnMut(f64) -> Result<(Model, State), Cause> + 'a;

/// Reasons why a family has no derivative at any motion.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FamilyError {
    /// The increment is not a positive finite number.
    #[error("increment is {0:?}, expected a positive finite number")]
    Increment(f64),
    /// The family has no member at this parameter.
    #[error("no model and start at s = {s:?}: {cause}")]
    Member {
        /// The parameter.
        s: f64,
        /// The error of the family.
        cause: Cause,
    },
}

/// The members at `0`, `increment` and `−increment`.
pub(crate) fn members(
    family: &mut Family<'_>,
    increment: f64,
) -> Result<[(Model, State); 3], FamilyError> {
    if !(increment.is_finite() && increment > 0.0) {
        return Err(FamilyError::Increment(increment));
    }
    let mut member = |s: f64| family(s).map_err(|cause| FamilyError::Member { s, cause });
    Ok([member(0.0)?, member(increment)?, member(-increment)?])
}

/// The difference quotient of a vector whose values at `step` and `−step` are given.
pub(crate) fn quotient(after: &[f64], before: &[f64], step: f64) -> Vec<f64> {
    after.iter().zip(before).map(|(a, b)| (a - b) / (2.0 * step)).collect()
}
