//! Whether the impulses with which a solve starts solve the problem already, judged without its operator.
//!
//! Where a mechanism rests, those of the last step do. The judge needs their velocities, which the response of the mechanism
//! gives as it does for the velocity at the end of the step, and the diagonal blocks of `W`. The others, whose cost grows with the
//! square of the contacts of a mechanism, are computed only if these impulses are no solution.

use nalgebra::Vector3;
use percussion_complementarity::friction::{
    self, Figures, ProblemError, Reduction, Report, single,
};
use percussion_dynamics::System;

use super::{Place, VelocityLevel};
use crate::error::Error;

/// A problem without the blocks of `W` that couple contacts.
#[derive(Debug)]
pub(super) struct Outline {
    pub(super) contacts: Vec<single::Contact>,
    pub(super) free_velocity: Vec<Vector3<f64>>,
    /// `W p + u_f` of the impulses that were judged last.
    pub(super) velocities: Vec<Vector3<f64>>,
}

impl VelocityLevel {
    /// States the outline of the problem of the contacts of the set that can move.
    pub(super) fn state_outline(
        &mut self,
        active: &[usize],
        velocities: &[Vector3<f64>],
        time: f64,
    ) -> Result<(), Error> {
        let refused = |source| Error::Problem { time, source };
        let blocks = self.set.diagonal_blocks();
        let blocks =
            blocks.map_err(|_| Error::NotFinite { quantity: "gap or contact Jacobian", time })?;
        let mut contacts = Vec::with_capacity(active.len());
        for (slot, block) in blocks.into_iter().enumerate() {
            let Some(block) = Reduction::diagonal(block) else { continue };
            let contact = single::Contact::new(&block, self.set.friction()[slot]);
            contacts.push(contact.map_err(|error| {
                refused(ProblemError::Contact { contact: contacts.len(), error })
            })?);
            self.slots.push(slot);
            self.contacts.push(active[slot]);
        }
        if contacts.is_empty() {
            return Ok(());
        }
        let free_velocity = self.slots.iter().map(|&slot| velocities[slot]).collect();
        self.outline = Some(Outline { contacts, free_velocity, velocities: Vec::new() });
        Ok(())
    }

    /// The report of the current impulses, which are those of the start at first, if they solve the outlined problem. Their response
    /// stays in `column`.
    pub(super) fn judge_start(
        &mut self,
        system: &dyn System,
        place: &Place<'_>,
    ) -> Result<Option<Report>, Error> {
        if self.outline.is_none() {
            return Ok(None);
        }
        self.respond(system, place);
        let responses = self.contact_velocities(self.column.as_slice());
        let Some(outline) = &mut self.outline else { return Ok(None) };
        let Outline { contacts, free_velocity, velocities } = outline;
        velocities.clear();
        let pairs = self.slots.iter().zip(&*free_velocity);
        velocities.extend(pairs.map(|(&slot, free)| responses[slot] + free));
        let speeds: [&[Vector3<f64>]; 2] = [velocities, free_velocity];
        let tolerance = self.method.tolerance();
        Report::of_solution(self.law, contacts, &self.impulses, speeds, tolerance)
            .map_err(|source| Error::Problem { time: place.time, source })
    }

    /// Writes `M⁻¹ Jᵀ p` to `column`.
    pub(super) fn respond(&mut self, system: &dyn System, place: &Place<'_>) {
        self.push_contacts();
        place.masses.divide(system, &mut self.column);
    }

    /// Gives an outlined problem its operator, if it has none.
    pub(super) fn complete(&mut self, time: f64) -> Result<(), Error> {
        if let (Some(outline), None) = (&self.outline, &self.problem) {
            let problem = self.completed(outline);
            self.problem = Some(problem.map_err(|source| Error::Problem { time, source })?);
        }
        Ok(())
    }

    /// The outlined problem with its operator.
    pub(super) fn completed(&self, outline: &Outline) -> Result<friction::Problem, ProblemError> {
        let mut free = vec![Vector3::zeros(); self.set.len()];
        for (&slot, velocity) in self.slots.iter().zip(&outline.free_velocity) {
            free[slot] = *velocity;
        }
        let blocks = self.sparse_blocks().map_err(|_| ProblemError::Empty)?;
        let reduction = Reduction::new(blocks, &free, self.set.friction())?;
        Ok(reduction.ok_or(ProblemError::Empty)?.with_law(self.law).problem)
    }

    /// The residual of each contact of the outlined problem (m/s), whose impulses were judged last.
    pub(super) fn residuals_of(&self, outline: &Outline) -> Vec<f64> {
        let each = outline.contacts.iter().zip(&self.impulses).zip(&outline.velocities);
        let residual = |((contact, impulse), velocity)| {
            Figures::of(self.law, contact, impulse, velocity).largest()
        };
        each.map(residual).collect()
    }
}
