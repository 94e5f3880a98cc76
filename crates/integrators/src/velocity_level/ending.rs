//! The end of a step: its constraints closed, its contacts reported, its impulses kept.

use nalgebra::{DVector, Vector3};
use percussion_complementarity::friction::document::Document;
use percussion_dynamics::System;

use super::VelocityLevel;
use crate::{
    contacts::Contacts,
    error::Error,
    report::{ContactReport, Residual, StepReport, Work},
    simulation::{End, Motion},
};

impl VelocityLevel {
    /// Moves the end of the step onto the constraints, and joints that exceed a limit back to it. Enters the work of this in the
    /// report (J).
    pub(crate) fn close(
        &mut self,
        motion: &Motion,
        coordinates: &mut [f64],
        velocity: &DVector<f64>,
        report: &mut StepReport,
    ) -> Result<(), Error> {
        let Motion { model, contacts, state } = motion;
        let gaps = contacts.as_slice().iter().map(|contact| &*contact.gap);
        let limits: Vec<_> = gaps.filter(|gap| gap.is_limit()).collect();
        if self.bilateral.close(model, &limits, coordinates) {
            let energy = model.system().energy(coordinates, velocity.as_slice());
            if !energy.is_finite() {
                return Err(Error::NotFinite { quantity: "energy", time: state.time });
            }
            report.projection_work = energy - report.energy_after;
            report.energy_after = energy;
        }
        Ok(())
    }

    /// Reports the end of the step, and stores the impulses for the next one.
    pub(crate) fn finish(
        &mut self,
        motion: &mut Motion,
        end: End<'_>,
        report: &mut StepReport,
    ) -> Result<(), Error> {
        let Motion { model, contacts, state } = motion;
        if let Some(blocks) = &mut self.blocks {
            blocks.judge(self.method.tolerance());
        }
        // This searches at the end, so that the gaps of the reports are known.
        report.penetration = contacts
            .penetration(model.system(), end.coordinates)
            .map_err(|source| Error::Contacts { time: state.time, source })?;
        report.contacts = self.reports((model.system(), contacts), end);
        report.constraint_impulses = self.bilateral.impulses.as_slice().to_vec();
        let violations = self.bilateral.violations(model, end.coordinates);
        report.constraint_error = violations.into_iter().fold(0.0, f64::max);
        report.work = Work::RoundCones(self.work);
        if let Some(blocks) = &mut self.blocks {
            report.joint_friction = blocks.generalized_impulses();
            report.frictions = blocks.reports(end.velocity);
            report.residuals = Some(blocks.residuals());
            blocks.finish();
        }
        self.keep();
        Ok(())
    }

    /// The current problem with its starting impulses and solver.
    pub(crate) fn document(&self) -> Option<Document> {
        if let Some(blocks) = &self.blocks {
            return blocks.document(self.method);
        }
        let problem = self.problem()?;
        Some(Document::of(&problem).with_start(&self.start).with_method(self.method))
    }

    /// Reports the contacts of the problem.
    fn reports(
        &self,
        (system, contacts): (&dyn System, &Contacts),
        end: End<'_>,
    ) -> Vec<ContactReport> {
        let residuals = match (&self.problem, &self.outline, &self.blocks) {
            (_, Some(outline), _) if self.has_response => self.residuals_of(outline),
            (Some(problem), ..) => problem.contact_residuals(&self.impulses),
            (None, Some(outline), _) => self.residuals_of(outline),
            (None, None, Some(blocks)) => blocks.contact_residuals(self.contacts.len()),
            (None, None, None) => return Vec::new(),
        };
        let velocities = self.contact_velocities(end.velocity);
        (0..residuals.len())
            .map(|k| {
                let (contact, velocity) = (self.contacts[k], velocities[self.slots[k]]);
                let gap = contacts.known_gap(system, contact, end.coordinates);
                let residual = Residual::Velocity(residuals[k]);
                let report = ContactReport::new(contact, gap, self.impulses[k], velocity);
                let moment = self.blocks.as_ref().map_or_else(Vector3::zeros, |blocks| {
                    let moment = blocks.cones.found(k);
                    let cone = blocks.cones.get(self.slots[k]);
                    cone.map_or(moment, |cone| cone.cone.in_frame(&moment))
                });
                ContactReport { residual, moment, ..report }
            })
            .collect()
    }
}
