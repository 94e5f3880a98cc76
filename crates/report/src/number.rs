//! Numbers in readable form.

/// `value` with at most five significant digits, such as `0.38562`, `−26.4` or `1.2e−15`.
///
/// Trailing zeros are dropped. Magnitudes below `0.001` and from one million upward have an exponent. Values that
/// are not finite are written as `NaN` or `∞`.
///
/// ```
/// use percussion_report::number::short;
///
/// assert_eq!(short(0.3856249), "0.38562");
/// assert_eq!(short(-2.0), "−2");
/// assert_eq!(short(1.234e-15), "1.234e−15");
/// ```
#[must_use]
pub fn short(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    let sign = if value < 0.0 { "−" } else { "" };
    let magnitude = value.abs();
    if magnitude.is_infinite() {
        return format!("{sign}∞");
    }
    // Rounding to five digits first ensures that 999999.99 and 0.00099999999 get the form of their rounded values.
    let scientific = format!("{magnitude:.4e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    match exponent.parse::<i32>().unwrap_or(0) {
        _ if magnitude == 0.0 => "0".to_owned(),
        exponent @ -3..=5 => {
            let decimals = usize::try_from(4 - exponent).unwrap_or(0);
            format!("{sign}{}", trimmed(&format!("{magnitude:.decimals$}")))
        }
        exponent if exponent < 0 => format!("{sign}{}e−{}", trimmed(mantissa), -exponent),
        exponent => format!("{sign}{}e{exponent}", trimmed(mantissa)),
    }
}

/// [`short`], or `–` for `None`.
#[must_use]
pub fn short_or_dash(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), short)
}

/// `value` with enough digits to be read back with the same bits, as CSV files need.
#[must_use]
pub fn exact(value: f64) -> String {
    format!("{value:?}")
}

fn trimmed(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_numbers_keep_five_digits_and_no_trailing_zeros() {
        let cases = [
            (0.0, "0"),
            (-0.0, "0"),
            (0.5050, "0.505"),
            (100.0, "100"),
            (123_456.0, "123456"),
            (999_999.99, "1e6"),
            (1234.567, "1234.6"),
            (0.001, "0.001"),
            (0.000_999_999_99, "0.001"),
            (9.5e-4, "9.5e−4"),
            (-1e-10, "−1e−10"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "−∞"),
            (f64::MAX, "1.7977e308"),
        ];
        for (value, expected) in cases {
            assert_eq!(short(value), expected);
        }
    }

    #[test]
    fn exact_numbers_read_back_to_the_same_bits() {
        for value in [0.1, 1.0 / 3.0, 5e-324, f64::MAX, -0.0] {
            assert_eq!(exact(value).parse::<f64>().unwrap().to_bits(), value.to_bits());
        }
    }
}
