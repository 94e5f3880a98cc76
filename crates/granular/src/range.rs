//! Accepted magnitudes of masses, lengths, speeds and time steps.
//!
//! A step squares impulses `m v`, inverse masses `1/m`, distances and speeds, and multiplies moments `m r²` and energies
//! `m v²`. With every factor between `1e-75` and `1e75` all of these lie between `1e-300` and `1e300`, inside the normal
//! range of a double from `2.2e-308` to `1.8e308`; sums over `2²⁹` grains add less than nine digits to energies, which are
//! at most `1e225`. Outside these bounds squares overflow, or underflow so that friction vanishes.
//!
//! Positions and velocities may be smaller or zero. Speeds below `1e-75` m/s count as rest, because their squares may
//! vanish.

/// Smallest mass (kg), radius (m) and time step (s).
pub(crate) const SMALLEST: f64 = 1e-75;

/// Largest mass (kg), coordinate or radius (m), speed (m/s) and time step (s).
pub(crate) const LARGEST: f64 = 1e75;

/// Maximum number of grains. Places of grains have 32 bits, and so have cells, of which there are at most
/// four times as many.
pub(crate) const MOST: usize = 1 << 29;

/// Accepted values of positive quantities.
pub(crate) const POSITIVE: &str = "a number from 1e-75 to 1e75";

/// Accepted values of quantities that may be zero or negative.
pub(crate) const BOUNDED: &str = "a number from -1e75 to 1e75";

/// Whether a positive quantity is in range; false for NaN.
pub(crate) fn is_positive(value: f64) -> bool {
    (SMALLEST..=LARGEST).contains(&value)
}

/// Whether a quantity is in range; false for NaN.
pub(crate) fn is_bounded(value: f64) -> bool {
    value.abs() <= LARGEST
}

/// The first entry that is out of range.
pub(crate) fn unbounded(entries: &[f64]) -> Option<f64> {
    entries.iter().copied().find(|entry| !is_bounded(*entry))
}

/// Whether a direction has norm 1, or a rotation a unit quaternion. Steps keep these norms to a few roundings.
pub(crate) fn is_unit(coordinates: &[f64]) -> bool {
    let squared: f64 = coordinates.iter().map(|entry| entry * entry).sum();
    (squared - 1.0).abs() <= 1e-6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_hold_for_what_is_not_a_number() {
        for value in [f64::NAN, f64::INFINITY, -f64::INFINITY, 1e76, -1e76] {
            assert!(!is_positive(value) && !is_bounded(value), "{value}");
        }
        assert!(!is_positive(0.0) && !is_positive(-1.0) && !is_positive(1e-309));
        assert!(is_bounded(0.0) && is_bounded(-1e75) && is_positive(1e-75));
        assert!(!is_unit(&[0.0; 4]) && !is_unit(&[f64::NAN; 4]));
        assert!(is_unit(&[0.6, 0.0, -0.8, 0.0]));
    }

    #[test]
    fn squares_of_products_of_the_bounds_are_normal() {
        for mass in [SMALLEST, LARGEST] {
            for speed in [SMALLEST, LARGEST] {
                assert!((mass * speed).powi(2).is_normal(), "{mass} kg at {speed} m/s");
                // Two bodies, with the rotations that a contact causes.
                assert!((7.0 / mass).powi(2).is_normal(), "inverse of {mass} kg");
            }
        }
    }
}
