//! What bodies in space and in the plane refuse.

use super::FreeBodiesError;

pub(crate) fn check_mass(body: usize, value: f64) -> Result<(), FreeBodiesError> {
    if value.is_normal() && value > 0.0 {
        Ok(())
    } else {
        Err(FreeBodiesError::Mass { body, value })
    }
}

pub(crate) fn check_entries(
    body: usize,
    field: &'static str,
    of: &[f64],
) -> Result<(), FreeBodiesError> {
    match of.iter().find(|entry| !entry.is_finite()) {
        Some(&value) => Err(FreeBodiesError::NotFinite { body, field, value }),
        None => Ok(()),
    }
}

pub(crate) fn check_gravity(gravity: &[f64]) -> Result<(), FreeBodiesError> {
    match gravity.iter().find(|entry| !entry.is_finite()) {
        Some(&value) => Err(FreeBodiesError::Gravity { value }),
        None => Ok(()),
    }
}
