//! Numbers in messages.

/// Formats `value` so that it reads back to the same bits, with an exponent where the digits alone would be
/// long.
///
/// Rust prints `1e300` with all of its 301 digits.
pub(crate) fn readable(value: f64) -> String {
    let plain = value == 0.0 || (1e-5..1e16).contains(&value.abs()) || !value.is_finite();
    if plain { value.to_string() } else { format!("{value:e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_numbers_get_an_exponent() {
        let cases = [
            (0.0, "0"),
            (3.0, "3"),
            (-0.25, "-0.25"),
            (1e5, "100000"),
            (-1e-300, "-1e-300"),
            (f64::MAX, "1.7976931348623157e308"),
            (f64::NEG_INFINITY, "-inf"),
            (f64::NAN, "NaN"),
        ];
        for (value, expected) in cases {
            assert_eq!(readable(value), expected);
        }
    }
}
