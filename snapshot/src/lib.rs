//! Stored snapshots of results, for tests only: a [`Record`] of quantities, compared figure by figure.
//!
//! A snapshot is a text with one quantity per line, `path.of.quantity: value`. A value is a word, a counter, or a
//! rounded [figure]. Words and counters must be the same; figures may differ by one unit of their last
//! digit, so that a value on the edge between two roundings is no difference (see [`comparison`]).
//!
//! Results that round-off changes visibly are listed in [`chaotic`] with the reason, and stored with 3 digits.
//!
//! # Example
//!
//! ```
//! use percussion_snapshot::{Record, comparison::same};
//!
//! let fall = |speed: f64| {
//!     let mut record = Record::new("fall");
//!     record.word("status", "Resolved").count("stages", 2).figures("velocity", &[speed, 1e-17], 0.0);
//!     record.text()
//! };
//! assert_eq!(fall(-1.0 / 3.0), "status: Resolved\nstages: 2\nvelocity[0]: -3.3333333e-1\nvelocity[1]: 0e-11\n");
//! assert!(same(&fall(1.0), &fall(1.0 + 1e-9)));
//! assert!(!same(&fall(1.0), &fall(1.0 + 1e-6)));
//! ```

pub mod chaotic;
pub mod comparison;
pub mod figure;

use std::fmt::{Debug, Display, Write};

pub use comparison::Figures;
/// For [`assert_stored`].
pub use insta;

use chaotic::Kept;
use figure::{DIGITS, rounded};

/// Quantities of one result, in order.
#[derive(Clone, Debug)]
pub struct Record {
    name: String,
    text: String,
}

impl Record {
    /// An empty record with this `name`, which is also the name of the file, with hyphens for slashes and spaces.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self { name: file_name(name), text: String::new() }
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// All lines.
    #[must_use]
    pub fn text(&self) -> String {
        self.text.clone()
    }

    /// Adds a quantity that is described by a word, such as a status.
    pub fn word(&mut self, path: &str, word: impl Display) -> &mut Self {
        self.line(path, word)
    }

    /// Adds the name of a variant or another debug form.
    pub fn variant(&mut self, path: &str, value: impl Debug) -> &mut Self {
        self.line(path, format_args!("{value:?}"))
    }

    /// Adds a counter; one that [`chaotic`] lists is left out.
    pub fn count(&mut self, path: &str, count: impl Display) -> &mut Self {
        if chaotic::kept(&self.name, path).is_none() {
            self.line(path, count);
        }
        self
    }

    /// Adds one figure, with the digits that [`chaotic`] permits.
    ///
    /// `scale` is the size of the quantities it was computed from: round-off is about `1e-16` of it, so nothing below
    /// `1e-10` of it is stored. The figure itself counts as well.
    pub fn figure(&mut self, path: &str, value: f64, scale: f64) -> &mut Self {
        match chaotic::kept(&self.name, path) {
            None => self.line(path, rounded(value, scale, DIGITS)),
            Some(Kept::ThreeDigits) => self.line(path, rounded(value, scale, chaotic::DIGITS)),
            Some(Kept::Statuses) => self,
        }
    }

    /// Adds figures of the same unit as `path[0]`, `path[1]`, …; the largest of them belongs to their scale.
    pub fn figures(&mut self, path: &str, values: &[f64], scale: f64) -> &mut Self {
        let scale = values.iter().fold(scale, |largest, value| largest.max(value.abs()));
        for (index, value) in values.iter().enumerate() {
            self.figure(&format!("{path}[{index}]"), *value, scale);
        }
        self
    }

    /// Adds a figure that is zero up to round-off and tolerances: `≤ bound` if it is, and its size if it is not.
    ///
    /// The bound is rounded up to a power of ten, and so is a figure beyond it.
    pub fn residual(&mut self, path: &str, value: f64, bound: f64) -> &mut Self {
        if chaotic::kept(&self.name, path) == Some(Kept::Statuses) {
            return self;
        }
        let bound = figure::power_of_ten_above(bound);
        if value.abs() <= bound {
            self.line(path, format_args!("≤ {bound:e}"))
        } else if value.is_finite() {
            self.line(path, format_args!("{:e}", figure::power_of_ten_above(value.abs())))
        } else {
            self.line(path, value)
        }
    }

    /// Adds another record, whose quantities become `subject.path`: the results of one law for several impacts are one file.
    pub fn append(&mut self, subject: &str, record: &Self) -> &mut Self {
        let subject = file_name(subject);
        for line in record.text.lines() {
            let _ = writeln!(self.text, "{subject}.{line}");
        }
        self
    }

    fn line(&mut self, path: &str, value: impl Display) -> &mut Self {
        // Writing to a string does not fail; a message of several lines is one value.
        let value = value.to_string().replace('\n', " | ");
        let _ = writeln!(self.text, "{path}: {value}");
        self
    }
}

/// `name` with hyphens for slashes and spaces.
fn file_name(name: &str) -> String {
    name.replace(['/', ' '], "-").replace(',', "")
}

/// Compares a [`Record`] with its file in `tests/snapshots/FOLDER` of the crate that calls this.
///
/// Without a file, or with other figures, the test fails; `cargo xtask snapshot --accept` writes the file.
#[macro_export]
macro_rules! assert_stored {
    ($folder:expr, $record:expr) => {{
        let record: &$crate::Record = &$record;
        let mut settings = $crate::insta::Settings::clone_current();
        settings.set_snapshot_path(
            ::std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("tests/snapshots")
                .join($folder),
        );
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.set_comparator(::std::boxed::Box::new($crate::Figures));
        settings.bind(|| $crate::insta::assert_snapshot!(record.name(), record.text()));
    }};
}

#[cfg(test)]
mod tests {
    use super::{comparison::same, *};

    #[test]
    fn a_relative_change_of_a_millionth_is_a_difference_whatever_the_figure() {
        let text = |value: f64| Record::new("any").figure("x", value, 0.0).text();
        for exponent in [-300, -12, -1, 0, 7, 300] {
            for mantissa in [1.0, 1.000_000_04, 2.5, 9.999_999, 9.999_999_96] {
                let value = mantissa * 10_f64.powi(exponent);
                for factor in [1.0 + 1e-6, 1.0 - 1e-6] {
                    assert!(!same(&text(value), &text(value * factor)), "{value:e} {factor}");
                }
                for factor in [1.0 + 1e-9, 1.0 - 1e-9] {
                    assert!(same(&text(value), &text(value * factor)), "{value:e} {factor}");
                }
            }
        }
    }

    #[test]
    fn what_is_zero_up_to_round_off_is_not_stored_as_noise() {
        let text = |noise: f64| Record::new("any").figures("v", &[noise, 3.0], 0.0).text();
        assert_eq!(text(1e-15), "v[0]: 0e-10\nv[1]: 3.0000000e0\n");
        assert!(same(&text(1e-15), &text(-2e-15)));
        assert!(!same(&text(1e-15), &text(1e-8)));
        let scaled = |noise: f64| Record::new("any").figure("v", noise, 3.0).text();
        assert_eq!(scaled(-1e-15), "v: 0e-10\n");
    }

    #[test]
    fn a_residual_is_stored_as_the_bound_it_meets() {
        let text = |value: f64| Record::new("any").residual("residual", value, 1e-10).text();
        assert_eq!(text(3e-13), "residual: ≤ 1e-10\n");
        assert_eq!(text(3.14159e-3), "residual: 1e-2\n");
        assert_eq!(text(f64::NAN), "residual: NaN\n");
    }

    #[test]
    fn appended_records_are_told_apart() {
        let mut collection = Record::new("by lemke, fast");
        for (subject, pivots) in [("two boxes", 3), ("stack", 4)] {
            let mut record = Record::new(&format!("{subject} by lemke"));
            collection.append(subject, record.count("pivots", pivots));
        }
        assert_eq!(collection.name(), "by-lemke-fast");
        assert_eq!(collection.text(), "two-boxes.pivots: 3\nstack.pivots: 4\n");
    }

    #[test]
    fn counters_and_words_are_compared_exactly() {
        let text = |count: usize, word: &str| {
            Record::new("any").count("pivots", count).word("status", word).text()
        };
        assert!(same(&text(12, "Solved"), &text(12, "Solved")));
        assert!(!same(&text(12, "Solved"), &text(13, "Solved")));
        assert!(!same(&text(12, "Solved"), &text(12, "Stalled")));
    }
}
