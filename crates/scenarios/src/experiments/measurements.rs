//! The quantities that an experiment measures, compared with those that its fixture expects: [`Measurements`].

use percussion_mechanism::{
    Expected,
    scenario::{Scenario, Setup},
    trajectory::Trajectory,
};
use percussion_record::Row;

use crate::{error::Error, experiments::Progress};

/// Largest gap that counts as touching (m): ten times the tolerance of the scenarios at a step end.
const TOUCHING: f64 = 1e-9;

/// The rows of an experiment: each measurement with the entry of its fixture that expects it.
pub(super) struct Measurements<'a> {
    experiment: &'a str,
    expected: &'a [Expected],
    measured: Vec<(String, f64)>,
    /// Whether names may differ from the expected ones, because parameters that occur in names are changed.
    is_partial: bool,
}

impl<'a> Measurements<'a> {
    pub(super) fn new(experiment: &'a str, expected: &'a [Expected]) -> Self {
        Self { experiment, expected, measured: Vec::new(), is_partial: false }
    }

    /// The same measurements, but [`finish`](Self::finish) keeps only rows that are both measured and expected.
    pub(super) fn partial(self) -> Self {
        Self { is_partial: true, ..self }
    }

    pub(super) fn add(&mut self, quantity: impl Into<String>, measured: f64) {
        self.measured.push((quantity.into(), measured));
    }

    /// Adds the rows that every simulation of the scheme must have.
    pub(super) fn add_dependability(&mut self, trajectory: &Trajectory) {
        self.add("deepest penetration at step ends", trajectory.deepest_penetration());
        self.add("largest relative LCP residual", trajectory.largest_residual());
        self.add(
            "largest increase of energy in a step",
            trajectory.largest_energy_increase().max(0.0),
        );
    }

    /// Rows in the order of the file, and the notes of the entries.
    pub(super) fn finish(self) -> Result<(Vec<Row>, Vec<String>), Error> {
        let disagreement = |quantity: &str| Error::Expectation {
            experiment: self.experiment.to_owned(),
            quantity: quantity.to_owned(),
        };
        let is_expected = |name: &String| self.expected.iter().any(|one| one.quantity == *name);
        let unexpected = self.measured.iter().find(|(name, _)| !is_expected(name));
        if let (false, Some((quantity, _))) = (self.is_partial, unexpected) {
            return Err(disagreement(quantity));
        }
        let row = |expected: &Expected| {
            let same = |(quantity, _): &&(String, f64)| *quantity == expected.quantity;
            match self.measured.iter().find(same) {
                Some((_, measured)) => Some(Ok(expected.row(self.experiment, *measured))),
                None if self.is_partial => None,
                None => Some(Err(disagreement(&expected.quantity))),
            }
        };
        let rows = self.expected.iter().filter_map(row).collect::<Result<_, Error>>()?;
        let note = |expected: &Expected| {
            Some(format!("{}: {}", expected.quantity, expected.note.as_ref()?))
        };
        Ok((rows, self.expected.iter().filter_map(note).collect()))
    }
}

/// Simulates `setup`, and reports progress as the part of the experiment between `from` and `to`.
pub(super) fn simulate(
    setup: &Setup,
    progress: &mut Progress<'_>,
    [from, to]: [f64; 2],
) -> Result<Trajectory, Error> {
    let scenario = &setup.scenario;
    let what = format!("{}, h = {} s", scenario.title, scenario.integrator.step_size);
    Ok(setup.simulate(&mut |fraction| progress(from + fraction * (to - from), &what))?)
}

/// The first time at which a gap closes.
pub(super) fn touch(
    scenario: &Scenario,
    trajectory: &Trajectory,
    contact: &str,
    event: &'static str,
) -> Result<f64, Error> {
    trajectory
        .contact(contact)
        .and_then(|contact| trajectory.first_touch(contact, TOUCHING))
        .map(|sample| sample.time)
        .ok_or_else(|| Error::NoEvent { scenario: scenario.name.clone(), event })
}
