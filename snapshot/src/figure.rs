//! Stored form of figures: [`rounded`].

/// Significant digits of a figure.
pub const DIGITS: usize = 8;

/// The smallest stored unit, as a power of ten below the leading digit of the scale.
///
/// Round-off of figures of a scale is about `1e-16` of it. Sums, factorizations and thousands of steps
/// enlarge it, and a unit of `1e-10` leaves a factor of a million for this.
const DEPTH: i32 = 10;

/// The same where only 3 digits are stored: what changes them changes small figures of the same scale by as much.
const DEPTH_OF_FEW: i32 = 4;

/// `value` with this number of significant digits, but no digit below `1e-10` of `scale`, with fewer than 8 digits below `1e-4`.
///
/// # Example
///
/// ```
/// use percussion_snapshot::figure::rounded;
///
/// assert_eq!(rounded(2.0 / 3.0, 1.0, 8), "6.6666667e-1");
/// assert_eq!(rounded(2e-8 / 3.0, 1.0, 8), "6.7e-9");
/// assert_eq!(rounded(2e-16 / 3.0, 1.0, 8), "0e-10");
/// assert_eq!(rounded(0.0, 0.0, 8), "0.0");
/// ```
#[must_use]
pub fn rounded(value: f64, scale: f64, digits: usize) -> String {
    if !value.is_finite() {
        return value.to_string();
    }
    let scale = scale.abs().max(value.abs());
    if scale == 0.0 || !scale.is_finite() {
        // A zero of either sign is the same figure; the point distinguishes it from a counter.
        return if value == 0.0 { "0.0".to_owned() } else { format!("{value:.*e}", digits - 1) };
    }
    let depth = if digits < DIGITS { DEPTH_OF_FEW } else { DEPTH };
    let lowest = exponent(scale) - depth;
    if value == 0.0 {
        return format!("0e{lowest}");
    }
    let leading = exponent(value);
    match usize::try_from(leading - lowest) {
        Ok(decimals) => format!("{value:.*e}", decimals.min(digits - 1)),
        // Ten times below the unit rounds to nothing, just below it may round to one.
        Err(_) if leading + 1 == lowest && mantissa(value) >= 5.0 => {
            format!("{}1e{lowest}", if value < 0.0 { "-" } else { "" })
        }
        Err(_) => format!("0e{lowest}"),
    }
}

/// The smallest power of ten that is at least the positive `bound`.
#[must_use]
pub fn power_of_ten_above(bound: f64) -> f64 {
    let power = |exponent: i32| format!("1e{exponent}").parse().unwrap_or(bound);
    let below = power(exponent(bound));
    if below < bound { power(exponent(bound) + 1) } else { below }
}

/// Decimal exponent of a positive or negative finite value, from its shortest form.
fn exponent(value: f64) -> i32 {
    let text = format!("{:e}", value.abs());
    text.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or_default()
}

/// `|value|` over its power of ten, in `[1, 10)`.
fn mantissa(value: f64) -> f64 {
    let text = format!("{:e}", value.abs());
    text.split_once('e').and_then(|(mantissa, _)| mantissa.parse().ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_end_at_the_unit_of_the_scale() {
        assert_eq!(rounded(1.23456789e-2, 1.0, 8), "1.2345679e-2");
        assert_eq!(rounded(1.23456789e-6, 1.0, 8), "1.2346e-6");
        assert_eq!(rounded(-1.6e-10, 1.0, 8), "-2e-10");
        assert_eq!(rounded(-0.6e-10, 1.0, 8), "-1e-10");
        assert_eq!(rounded(0.4e-10, 1.0, 8), "0e-10");
        assert_eq!(rounded(6e-12, 1.0, 8), "0e-10");
        assert_eq!(rounded(0.0, 20.0, 8), "0e-9");
        assert_eq!(rounded(123_456_789.0, 0.0, 3), "1.23e8");
        assert_eq!(rounded(1.26e-3, 1.0, 3), "1.3e-3");
    }

    #[test]
    fn bounds_are_powers_of_ten() {
        let bounds = [1e-12, 1.1e-12, 8.84e-12, 3.0];
        let above = bounds.map(|bound| format!("{:e}", power_of_ten_above(bound)));
        assert_eq!(above, ["1e-12", "1e-11", "1e-11", "1e1"]);
    }

    #[test]
    fn what_is_no_number_is_told() {
        assert_eq!(rounded(f64::NAN, 1.0, 8), "NaN");
        assert_eq!(rounded(f64::NEG_INFINITY, 1.0, 8), "-inf");
        assert_eq!(rounded(1.0, f64::INFINITY, 8), "1.0000000e0");
        assert_eq!(rounded(-0.0, 0.0, 8), "0.0");
    }
}
