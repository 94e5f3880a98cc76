//! The samples and reports of a simulation: [`Record`].

use percussion_dynamics::ContactName;
use percussion_integrators::{Contact, Model, State, StepReport};
use percussion_mechanism::{
    mechanism::Surfaces,
    trajectory::{NUMBER_LIMIT, Sample, Trajectory},
};
use pyo3::prelude::*;

use crate::errors::refused;

/// The motion so far.
#[derive(Debug)]
pub(crate) struct Record {
    samples: Vec<Sample>,
    reports: Vec<StepReport>,
    /// Numbers that the samples hold.
    numbers: usize,
}

impl Record {
    /// Begins with the state at the start.
    pub(crate) fn begin(model: &Model, state: &State) -> Self {
        Self { samples: vec![sample(model, state)], reports: Vec::new(), numbers: 0 }
    }

    /// Adds the end of a step.
    ///
    /// # Errors
    ///
    /// `ValueError` if the record is full.
    pub(crate) fn push(
        &mut self,
        model: &Model,
        state: &State,
        report: &StepReport,
    ) -> PyResult<()> {
        let sample = sample(model, state);
        self.numbers += 2 + sample.coordinates.len() + sample.velocity.len() + sample.gaps.len();
        if self.numbers > NUMBER_LIMIT {
            return Err(refused(format!(
                "`record` is True, and the steps have more than {NUMBER_LIMIT} numbers, expected fewer steps"
            )));
        }
        self.samples.push(sample);
        self.reports.push(report.clone());
        Ok(())
    }

    /// The motion with the names of the contacts that are known beforehand, and all that were found.
    pub(crate) fn trajectory(
        &self,
        step_size: f64,
        mut contact_names: Vec<String>,
        surfaces: Option<&Surfaces>,
        found: Vec<ContactName>,
    ) -> Trajectory {
        if let Some(surfaces) = surfaces {
            contact_names.extend(found.iter().map(|name| surfaces.contact(name)));
        }
        let (samples, reports) = (self.samples.clone(), self.reports.clone());
        let found = surfaces.map(|_| found);
        Trajectory { step_size, contact_names, found, samples, reports }
    }
}

/// The state at a step end; displacements are not recorded.
fn sample(model: &Model, state: &State) -> Sample {
    let system = model.system();
    let State { time, coordinates, velocity } = state.clone();
    let gap = |contact: &Contact| contact.gap.gap(system, &coordinates);
    Sample {
        time,
        displacement: vec![0.0; velocity.len()],
        gaps: model.contacts().iter().map(gap).collect(),
        energy: system.energy(&coordinates, &velocity),
        coordinates,
        velocity,
    }
}
