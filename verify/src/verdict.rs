//! The result of a judge: a [`Verdict`] of [`Figure`]s, each with its limit.

use std::fmt::{self, Display, Formatter};

use crate::Extended;

/// One condition of a definition, at the place of its largest violation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// Name of the condition.
    pub name: &'static str,
    /// Index of the row, contact or sample.
    pub place: usize,
    /// The violation of the condition (≥ 0; in the unit of the condition).
    pub value: f64,
    /// The largest permitted value (same unit), from the data of the problem.
    pub limit: f64,
}

impl Figure {
    /// Whether the value is at most the limit; never for NaN.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.value <= self.limit
    }

    /// Value divided by limit: at most 1 if the figure holds. A violated limit of zero and a NaN give infinity.
    #[must_use]
    pub fn excess(&self) -> f64 {
        if self.value <= 0.0 {
            return if self.limit >= 0.0 { 0.0 } else { f64::INFINITY };
        }
        let excess = self.value / self.limit;
        if excess.is_nan() { f64::INFINITY } else { excess }
    }
}

impl Display for Figure {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let Self { name, place, value, limit } = self;
        write!(formatter, "{name}[{place}] is {value:e}, limit {limit:e}")
    }
}

/// All figures of an answer, one for each condition of its definition.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// The figures, in the order in which the conditions were checked.
    pub figures: Vec<Figure>,
}

impl Verdict {
    /// Whether every condition holds.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.figures.iter().all(Figure::holds)
    }

    /// The figure with the largest [excess](Figure::excess), if there is any.
    #[must_use]
    pub fn worst(&self) -> Option<&Figure> {
        self.figures.iter().max_by(|a, b| a.excess().total_cmp(&b.excess()))
    }

    /// The figure of that name.
    #[must_use]
    pub fn figure(&self, name: &str) -> Option<&Figure> {
        self.figures.iter().find(|figure| figure.name == name)
    }

    /// Whether the condition of that name was checked and is violated.
    #[must_use]
    pub fn refuses(&self, name: &str) -> bool {
        self.figure(name).is_some_and(|figure| !figure.holds())
    }

    /// Adds the figures of another verdict.
    pub fn merge(&mut self, other: &Self) {
        for figure in &other.figures {
            self.keep(*figure);
        }
    }

    /// Checks a condition at one place; of several places the worst is kept.
    pub fn look(&mut self, name: &'static str, place: usize, value: Extended, limit: f64) {
        let value = value.value();
        self.keep(Figure { name, place, value: if value < 0.0 { 0.0 } else { value }, limit });
    }

    fn keep(&mut self, figure: Figure) {
        match self.figures.iter_mut().find(|known| known.name == figure.name) {
            Some(known) if known.excess() >= figure.excess() => {}
            Some(known) => *known = figure,
            None => self.figures.push(figure),
        }
    }
}

impl Display for Verdict {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let mut violated = self.figures.iter().filter(|figure| !figure.holds()).peekable();
        if violated.peek().is_none() {
            return formatter.write_str("holds");
        }
        for (index, figure) in violated.enumerate() {
            write!(formatter, "{}{figure}", if index > 0 { "; " } else { "" })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_place_of_a_condition_stays() {
        let mut verdict = Verdict::default();
        verdict.look("approach", 0, Extended::from(1e-12), 1e-10);
        verdict.look("approach", 1, Extended::from(3.0), 2.0);
        verdict.look("approach", 2, Extended::from(-1.0), 0.0);
        assert!(!verdict.holds() && verdict.refuses("approach"), "{verdict}");
        assert_eq!(verdict.worst().unwrap().place, 1);
        assert_eq!(verdict.to_string(), "approach[1] is 3e0, limit 2e0");
    }

    #[test]
    fn a_nan_never_holds() {
        let mut verdict = Verdict::default();
        verdict.look("energy", 0, Extended::from(f64::NAN), 1.0);
        verdict.look("energy", 1, Extended::from(0.5), 1.0);
        assert!(!verdict.holds(), "{verdict}");
        verdict.look("limit", 0, Extended::from(0.5), f64::NAN);
        assert!(verdict.refuses("limit"), "{verdict}");
    }

    #[test]
    fn a_limit_of_zero_holds_at_zero_only() {
        let mut verdict = Verdict::default();
        verdict.look("pull", 0, Extended::ZERO, 0.0);
        assert!(verdict.holds(), "{verdict}");
        verdict.look("pull", 1, Extended::from(5e-324), 0.0);
        assert!(!verdict.holds(), "{verdict}");
    }
}
