//! What a step on the level of velocities reports.

use nalgebra::Vector3;
use percussion_complementarity::friction::{Report, Status};
use percussion_dynamics::contact_source;

use crate::{bilateral::Bilateral, contacts::Contacts, energy::EnergyBalance, model::Model};

/// One contact of the problem of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactReport {
    /// Its number in [`Contacts`](crate::Contacts).
    pub contact: usize,
    /// Gap at the end of the step (m).
    pub gap: f64,
    /// Impulse over the step in the contact frame: normal (≥ 0), tangent 1, tangent 2 (N·s; the last is 0 in the plane).
    pub impulse: Vector3<f64>,
    /// Contact velocity `J v'` in the same order (m/s), with the frame that the problem was stated in.
    pub velocity: Vector3<f64>,
    /// How far the friction law is from holding: the contact's natural map (m/s).
    pub residual: f64,
}

/// Diagnostics of one step.
#[derive(Clone, Debug, PartialEq)]
pub struct StepReport {
    /// Time at the end of the step (s).
    pub time: f64,
    /// How the last solve ended; solved when nothing was in contact.
    pub status: Status,
    /// Relative natural-map residual of the last solve.
    pub relative_residual: f64,
    /// Sweeps of all solves, or iterations of a solver that does not sweep.
    pub sweeps: usize,
    /// Problems stated: sets of contacts tried, or iterations for the smooth forces.
    pub passes: usize,
    /// Contacts of the problem in ascending order, those with zero impulse included.
    pub contacts: Vec<ContactReport>,
    /// Deepest penetration of any contact at the end of the step (m, ≥ 0).
    pub penetration: f64,
    /// Largest `|φ_i(q')|` of the constraints at the end of the step (m, rad).
    pub constraint_error: f64,
    /// Impulse of each equation of the constraints, in order: the generalized impulse is `Gᵀ` times it.
    pub constraint_impulses: Vec<f64>,
    /// Energy at the start of the step (J).
    pub energy_before: f64,
    /// Energy at the end of the step (J).
    pub energy_after: f64,
    /// Energy gained since the start, and how much of it the scheme may have gained.
    pub energy: EnergyBalance,
}

impl StepReport {
    pub(crate) fn new(time: f64, energy_before: f64) -> Self {
        Self {
            time,
            status: Status::Solved,
            relative_residual: 0.0,
            sweeps: 0,
            passes: 0,
            contacts: Vec::new(),
            penetration: 0.0,
            constraint_error: 0.0,
            constraint_impulses: Vec::new(),
            energy_before,
            energy_after: energy_before,
            energy: EnergyBalance::default(),
        }
    }

    /// Takes over how a solve ended.
    pub(crate) fn take(&mut self, solved: &Report) {
        self.status = solved.status;
        self.relative_residual = solved.relative_residual;
        self.sweeps += solved.iterations;
    }

    /// What the residuals of the contact problem may have done to the energy (J): twice the impulse times the residual,
    /// for the normal and the tangential part. A problem that was not solved has no such excuse.
    pub(crate) fn undecided_work(&self) -> f64 {
        if self.status != Status::Solved {
            return 0.0;
        }
        self.contacts.iter().map(|contact| 2.0 * contact.impulse.norm() * contact.residual).sum()
    }

    /// Contacts with their normal impulses (N·s).
    pub(crate) fn normal_impulses(&self) -> impl Iterator<Item = (usize, f64)> {
        self.contacts.iter().map(|contact| (contact.contact, contact.impulse.x))
    }

    /// Judges the end of the step.
    pub(crate) fn judge(
        &mut self,
        model: &Model,
        contacts: &mut Contacts,
        bilateral: &mut Bilateral,
        coordinates: &[f64],
    ) -> Result<(), contact_source::Error> {
        self.penetration = contacts.penetration(model.system(), coordinates)?;
        self.constraint_impulses = bilateral.impulses.as_slice().to_vec();
        self.constraint_error =
            bilateral.violations(model, coordinates).into_iter().fold(0.0, f64::max);
        Ok(())
    }
}
