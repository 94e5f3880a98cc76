//! Comparison of two snapshots: [`same`], and as a [`Comparator`] for insta: [`Figures`].

use insta::{
    Comparator, Snapshot,
    internals::{SnapshotContents, TextSnapshotContents},
};

/// Compares snapshots of [`Record`](crate::Record)s by [`same`].
#[derive(Clone, Copy, Debug)]
pub struct Figures;

impl Comparator for Figures {
    fn matches(&self, reference: &Snapshot, test: &Snapshot) -> bool {
        match (reference.contents(), test.contents()) {
            (SnapshotContents::Text(before), SnapshotContents::Text(after)) => {
                let text = TextSnapshotContents::to_string;
                same(&text(before), &text(after))
            }
            _ => false,
        }
    }

    fn dyn_clone(&self) -> Box<dyn Comparator> {
        Box::new(*self)
    }
}

/// Whether two texts have the same quantities in the same order with the same values.
///
/// Figures, which have a point or an exponent, may differ by one unit of the last digit of the coarser of the two;
/// everything else is compared as text.
#[must_use]
pub fn same(before: &str, after: &str) -> bool {
    let (mut before, mut after) = (before.trim().lines(), after.trim().lines());
    loop {
        match (before.next(), after.next()) {
            (None, None) => return true,
            (Some(before), Some(after)) if same_line(before.trim_end(), after.trim_end()) => {}
            _ => return false,
        }
    }
}

fn same_line(before: &str, after: &str) -> bool {
    if before == after {
        return true;
    }
    let (Some((path, before)), Some((other, after))) =
        (before.rsplit_once(": "), after.rsplit_once(": "))
    else {
        return false;
    };
    let (Some(before), Some(after)) = (Stored::parse(before), Stored::parse(after)) else {
        return false;
    };
    // Half a unit is added for the rounding of the difference itself.
    path == other && (before.value - after.value).abs() <= 1.5 * before.unit.max(after.unit)
}

/// A figure as it was read.
struct Stored {
    value: f64,
    /// One in its last digit.
    unit: f64,
}

impl Stored {
    fn parse(text: &str) -> Option<Self> {
        let value: f64 = text.parse().ok().filter(|value: &f64| value.is_finite())?;
        if text == "0.0" {
            return Some(Self { value, unit: 0.0 });
        }
        let (mantissa, exponent) = text.split_once('e')?;
        let decimals = mantissa.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        let exponent: i32 = exponent.parse().ok()?;
        let unit = format!("1e{}", exponent - i32::try_from(decimals).ok()?).parse().ok()?;
        Some(Self { value, unit })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_unit_of_the_last_digit_is_the_same_and_two_are_not() {
        assert!(same("x: 1.2345678e0", "x: 1.2345679e0"));
        assert!(!same("x: 1.2345678e0", "x: 1.2345680e0"));
        assert!(same("x: 9.9999999e-1", "x: 1.0000000e0"), "across a power of ten");
        assert!(same("x: 0e-12", "x: -1e-12"), "zero has a unit");
        assert!(!same("x: 0e-12", "x: 2e-12"));
        assert!(!same("x: 0.0", "x: 2e-12"), "an exact zero has none");
    }

    #[test]
    fn quantities_must_be_the_same() {
        assert!(same("a: 1\nb: 2\n", "a: 1\nb: 2"));
        assert!(!same("a: 1\nb: 2\n", "a: 1\n"), "one is gone");
        assert!(!same("a: 1\n", "a: 1\nb: 2\n"), "one is new");
        assert!(!same("a: 1.0e0\n", "b: 1.0e0\n"), "another name");
        assert!(!same("a: NaN\n", "a: 1.0e0\n"), "no number");
        assert!(same("a: NaN\n", "a: NaN\n"));
    }
}
