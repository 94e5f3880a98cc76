//! The outcomes that are farthest in given directions.

use nalgebra::DVector;

use crate::set_valued::{Sample, Summary};

/// For each of several linear functionals the outcome where it is largest.
///
/// To find the smallest value of a functional, pass its negative. Of outcomes with the same value, the one
/// with the smallest index is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Extremes {
    functionals: Vec<DVector<f64>>,
    extremes: Vec<Option<Extreme>>,
}

/// An outcome that is farthest in one direction.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Extreme {
    /// The largest value of the functional.
    pub value: f64,
    /// Index of the sample; [`SetValuedRouth::sample`](crate::set_valued::SetValuedRouth::sample) gives its path.
    pub index: u64,
    /// `v⁺` (length `n_v`, m/s and rad/s).
    pub velocity: DVector<f64>,
}

impl Extremes {
    /// Empty extremes; each functional is a row of length `n_v`.
    #[must_use]
    pub fn new(functionals: Vec<DVector<f64>>) -> Self {
        let extremes = vec![None; functionals.len()];
        Self { functionals, extremes }
    }

    /// The functionals, as given.
    #[must_use]
    pub fn functionals(&self) -> &[DVector<f64>] {
        &self.functionals
    }

    /// The extreme outcome for each functional; `None` before the first sample.
    #[must_use]
    pub fn extremes(&self) -> &[Option<Extreme>] {
        &self.extremes
    }
}

impl Summary for Extremes {
    fn record(&mut self, sample: &Sample<'_>) {
        for (functional, extreme) in self.functionals.iter().zip(&mut self.extremes) {
            let value = functional.dot(sample.velocity);
            match extreme {
                Some(extreme) if value > extreme.value => {
                    extreme.value = value;
                    extreme.index = sample.index;
                    extreme.velocity.copy_from(sample.velocity);
                }
                Some(_) => {}
                None => {
                    let (index, velocity) = (sample.index, sample.velocity.clone());
                    *extreme = Some(Extreme { value, index, velocity });
                }
            }
        }
    }

    fn merge(&mut self, later: Self) {
        for (extreme, later) in self.extremes.iter_mut().zip(later.extremes) {
            let value = |extreme: &Option<Extreme>| extreme.as_ref().map(|extreme| extreme.value);
            // A missing value is below all others.
            if value(&later) > value(extreme) {
                *extreme = later;
            }
        }
    }
}
