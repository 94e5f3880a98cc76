//! The coefficients of touching surfaces, and the check of their ranges.

/// The reason why a coefficient is refused.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The friction coefficient is negative or not finite.
    #[error("friction is {value:?}, expected a finite number of at least 0")]
    Friction {
        /// Coefficient given.
        value: f64,
    },
    /// The coefficient of restitution lies outside [0, 1].
    #[error("restitution is {value:?}, expected a number between 0 and 1")]
    Restitution {
        /// Coefficient given.
        value: f64,
    },
}

pub(crate) fn check_friction(value: f64) -> Result<(), Error> {
    if value.is_finite() && value >= 0.0 { Ok(()) } else { Err(Error::Friction { value }) }
}

pub(crate) fn check_restitution(value: f64) -> Result<(), Error> {
    if (0.0..=1.0).contains(&value) { Ok(()) } else { Err(Error::Restitution { value }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coefficients_out_of_range_are_refused() {
        for value in [0.0, 0.5, 1.0] {
            assert_eq!((check_friction(value), check_restitution(value)), (Ok(()), Ok(())));
        }
        assert_eq!(check_friction(1e9), Ok(()));
        for value in [-1e-300, f64::INFINITY] {
            assert_eq!(check_friction(value), Err(Error::Friction { value }));
            assert_eq!(check_restitution(value), Err(Error::Restitution { value }));
        }
        assert!(check_friction(f64::NAN).is_err() && check_restitution(f64::NAN).is_err());
        assert!(check_restitution(1.0 + f64::EPSILON).is_err());
    }
}
