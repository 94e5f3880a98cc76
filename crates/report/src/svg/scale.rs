//! The map from values to pixels, and the round values for ticks.

use percussion_record::{Axis, Spacing};

/// One axis: the values at its ends and their positions in pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    /// Values at the beginning and the end, the first smaller; decimal logarithms with logarithmic spacing.
    pub(super) range: (f64, f64),
    /// Pixels at the beginning and the end.
    pub(super) pixels: (f64, f64),
    /// The spacing of the values.
    pub(super) spacing: Spacing,
}

/// `value` in the units of a range: itself, or its decimal logarithm, which is not finite for values up to zero.
pub(super) fn spaced(value: f64, spacing: Spacing) -> f64 {
    match spacing {
        Spacing::Linear => value,
        Spacing::Logarithmic if value > 0.0 => value.log10(),
        Spacing::Logarithmic => f64::NAN,
    }
}

impl Scale {
    /// Whether `value` has a place on the axis.
    pub(super) fn has(&self, value: f64) -> bool {
        drawable(spaced(value, self.spacing))
    }

    /// The position of `value` (px).
    pub(super) fn pixel(&self, value: f64) -> f64 {
        let (low, high) = self.range;
        let share = (spaced(value, self.spacing) - low) / (high - low);
        self.pixels.0 + share * (self.pixels.1 - self.pixels.0)
    }

    /// Round values about `spacing` pixels apart, with their labels and a common power of ten.
    pub(super) fn ticks(&self, spacing: f64) -> Ticks {
        if self.spacing == Spacing::Logarithmic {
            return self.powers(spacing);
        }
        let (low, high) = self.range;
        let length = (self.pixels.1 - self.pixels.0).abs();
        let step = round_step((high - low) * spacing / length);
        let exponent = exponent(low.abs().max(high.abs()));
        let unit = 10_f64.powi(exponent);
        // A step of 2·10⁻³ needs three decimals.
        let decimals = (-(step / unit).log10().floor()).clamp(0.0, 9.0);
        #[expect(clippy::cast_possible_truncation, reason = "between 0 and 9")]
        let decimals = decimals as usize;
        let first = (low / step).ceil();
        let marks = (0..100)
            .map(|index| (first + f64::from(index)) * step)
            .take_while(|value| *value <= high)
            .map(|value| (value, label(value / unit, decimals)))
            .collect();
        Ticks { marks, exponent }
    }
}

impl Scale {
    /// Powers of ten at least `spacing` pixels apart; if fewer than two are visible, also their multiples by 2 and 5.
    fn powers(&self, spacing: f64) -> Ticks {
        let (low, high) = self.range;
        let length = (self.pixels.1 - self.pixels.0).abs();
        let decades = (high - low) * spacing / length;
        let step = [1.0, 2.0, 3.0, 5.0].into_iter().find(|step| *step >= decades);
        let step = step.unwrap_or_else(|| round_step(decades).max(10.0));
        let power = |index: i32| ((low / step).ceil() + f64::from(index)) * step;
        let within = |exponent: &f64| *exponent <= high;
        let mut marks: Vec<(f64, String)> = (0..100)
            .map(power)
            .take_while(within)
            // The powers that doubles have.
            .filter(|exponent| exponent.abs() < 308.0)
            .map(|exponent| (10_f64.powf(exponent), power_of_ten(exponent)))
            .collect();
        if marks.len() < 2 {
            let decade = low.floor();
            let multiples =
                (0..3).flat_map(|k| [1.0, 2.0, 5.0].map(|factor| (decade + f64::from(k), factor)));
            let inside = multiples.filter(|(exponent, factor)| {
                (low..=high).contains(&(exponent + f64::log10(*factor)))
            });
            marks = inside
                .map(|(exponent, factor)| {
                    let label = match (factor, power_of_ten(exponent)) {
                        (1.0, label) => label,
                        (factor, label) if exponent == 0.0 => format!("{factor}{}", &label[1..]),
                        (factor, label) => format!("{factor}·{label}"),
                    };
                    (factor * 10_f64.powf(exponent), label)
                })
                .collect();
        }
        Ticks { marks, exponent: 0 }
    }
}

/// `10ᵏ`, and 1 for `k = 0`.
fn power_of_ten(exponent: f64) -> String {
    #[expect(clippy::cast_possible_truncation, reason = "between −308 and 308")]
    match exponent.round() as i32 {
        0 => "1".to_owned(),
        exponent => format!("10{}", superscript(exponent)),
    }
}

/// The ticks of an axis.
#[derive(Clone, Debug)]
pub(super) struct Ticks {
    /// Values and labels.
    pub(super) marks: Vec<(f64, String)>,
    /// The labels are multiples of `10^exponent`.
    pub(super) exponent: i32,
}

impl Ticks {
    /// The caption of the axis, such as `height (m)` or `gap (10⁻⁶ m)`.
    pub(super) fn caption(&self, axis: &Axis) -> String {
        let factor = match self.exponent {
            0 => String::new(),
            exponent => format!("10{}", superscript(exponent)),
        };
        let unit = [factor.as_str(), axis.unit.as_str()].join(" ");
        match unit.trim() {
            "" => axis.label.clone(),
            unit => format!("{} ({unit})", axis.label),
        }
    }
}

/// The range of all finite `values` with `padding` (a fraction of its length) on each side.
pub(super) fn range(values: impl Iterator<Item = f64>, padding: f64) -> (f64, f64) {
    let (low, high) = values
        .filter(|value| drawable(*value))
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
    if low > high {
        return (0.0, 1.0);
    }
    // A range that is constant up to round-off is widened, so that the axis has a length.
    let least = 1e-9 * low.abs().max(high.abs());
    if high - low <= least {
        let room = if high == 0.0 { 1.0 } else { 0.5 * high.abs() };
        return (low - room, high + room);
    }
    let room = padding * (high - low);
    (low - room, high + room)
}

/// Whether `value` can be placed on an axis: finite, and small enough for differences.
pub(super) fn drawable(value: f64) -> bool {
    value.abs() < 1e300
}

/// The smallest of 1, 2, 5 times a power of ten that is at least `least`.
fn round_step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    let factors = [1.0, 2.0, 5.0, 10.0];
    let factor = factors.into_iter().find(|factor| factor * power >= least * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * power
}

/// The exponent, a multiple of three, by which long labels are shortened; otherwise 0.
fn exponent(largest: f64) -> i32 {
    if largest == 0.0 || (1e-2..1e5).contains(&largest) {
        return 0;
    }
    #[expect(clippy::cast_possible_truncation, reason = "between −308 and 308")]
    let thousands = (largest.log10() / 3.0).floor() as i32;
    3 * thousands
}

fn label(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let zero = text.chars().all(|digit| digit == '0' || digit == '.');
    if value < 0.0 && !zero { format!("−{text}") } else { text }
}

fn superscript(exponent: i32) -> String {
    let digits = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let raise = |character: char| match character.to_digit(10) {
        Some(digit) => digits[digit as usize],
        None => '⁻',
    };
    exponent.to_string().chars().map(raise).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(range: (f64, f64)) -> (Vec<String>, i32) {
        let spacing = Spacing::Linear;
        let ticks = Scale { range, pixels: (0.0, 500.0), spacing }.ticks(80.0);
        (ticks.marks.into_iter().map(|(_, label)| label).collect(), ticks.exponent)
    }

    #[test]
    fn ticks_are_round_numbers_without_round_off() {
        assert_eq!(labels((-0.12, 0.61)).0, ["0.0", "0.2", "0.4", "0.6"]);
        assert_eq!(labels((0.0, 1.0)).0, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels((-10.0, 10.0)).0, ["−10", "−5", "0", "5", "10"]);
    }

    #[test]
    fn powers_of_ten_have_equal_distances() {
        let spacing = Spacing::Logarithmic;
        let labels = |range| {
            let ticks = Scale { range, pixels: (0.0, 500.0), spacing }.ticks(80.0);
            ticks.marks.into_iter().map(|(_, label)| label).collect::<Vec<_>>()
        };
        assert_eq!(labels((-2.1, 1.2)), ["10⁻²", "10⁻¹", "1", "10¹"]);
        assert_eq!(labels((-16.5, 0.2)), ["10⁻¹⁵", "10⁻¹²", "10⁻⁹", "10⁻⁶", "10⁻³", "1"]);
        assert_eq!(labels((-2.9, -1.9)), ["2·10⁻³", "5·10⁻³", "10⁻²"]);
        assert_eq!(labels((0.1, 0.9)), ["2", "5"]);
        let scale = Scale { range: (-2.0, 2.0), pixels: (0.0, 400.0), spacing };
        assert!(
            (scale.pixel(0.1) - 100.0).abs() < 1e-9 && (scale.pixel(10.0) - 300.0).abs() < 1e-9
        );
        assert!(!scale.has(0.0) && !scale.has(-1.0) && scale.has(1e-300));
    }

    #[test]
    fn small_and_large_values_share_a_power_of_ten() {
        let (small, exponent) = labels((0.0, 5e-6));
        assert_eq!((small.last().unwrap().as_str(), exponent), ("5", -6));
        let (large, exponent) = labels((0.0, 2.5e7));
        assert_eq!((large.last().unwrap().as_str(), exponent), ("25", 6));
        let axis = Axis::new("gap", "m");
        let caption = Ticks { marks: Vec::new(), exponent: -6 }.caption(&axis);
        assert_eq!(caption, "gap (10⁻⁶ m)");
    }

    #[test]
    fn constants_infinities_and_nothing_still_have_a_range() {
        assert_eq!(range([].into_iter(), 0.1), (0.0, 1.0));
        assert_eq!(range([f64::NAN, f64::INFINITY].into_iter(), 0.1), (0.0, 1.0));
        assert_eq!(range([2.0, 2.0].into_iter(), 0.1), (1.0, 3.0));
        assert_eq!(range([0.0].into_iter(), 0.1), (-1.0, 1.0));
    }

    #[test]
    fn the_number_of_ticks_is_bounded_for_any_range() {
        for range in [(0.0, f64::MIN_POSITIVE), (-1e299, 1e299), (1.0, 1.0 + 1e-8)] {
            assert!(labels(range).0.len() < 100, "{range:?}");
        }
    }
}
