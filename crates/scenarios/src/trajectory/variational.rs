//! Scenarios moved by the [`variational`] integrator.
//!
//! Impacts are located within the steps and follow Newton's law with the restitution of each contact,
//! without friction; friction acts in contacts that stay closed. The impulse of a contact over a step is
//! that of its impacts and that while it was closed.
//!
//! # Source
//!
//! See [`variational`]; the impact law is [`Newton`].
//!
//! [`variational`]: percussion_integrators::variational

use nalgebra::Vector3;
use percussion_dynamics::ContactRows;
use percussion_impact::Newton;
use percussion_integrators::{
    Contacts, Model, State,
    variational::{Integrator, StepReport},
};

use super::{Step, StepContact, Work};
use crate::{error::Error, scenario::Scenario};

/// The integrator with the model of the other schemes, which has the same system and gaps.
pub(super) struct Mover {
    pub(super) model: Model,
    pub(super) state: State,
    integrator: Integrator,
}

impl Mover {
    pub(super) fn new(scenario: &Scenario, model: Model, state: State) -> Result<Self, Error> {
        let settings = scenario.variational_settings();
        let moved = scenario.variational_model()?;
        let integrator =
            Integrator::new(moved, Box::new(Newton::default()), settings, state.clone())?;
        Ok(Self { model, state, integrator })
    }

    pub(super) fn step(&mut self) -> Result<Step, Error> {
        let report = self.integrator.step()?;
        self.state.clone_from(self.integrator.state());
        Ok(Step {
            time: report.time,
            contacts: self.contacts(&report),
            penetration: report.penetration,
            energy_before: report.energy_before,
            energy_after: report.energy_after,
            energy: report.energy,
            relative_residual: report.residual,
            work: Work::Pieces {
                pieces: report.pieces,
                newton_iterations: report.newton_iterations,
                impacts: report.impacts.len(),
            },
        })
    }

    /// The contacts by number.
    pub(super) fn all_contacts(&self) -> &Contacts {
        self.integrator.contacts()
    }

    fn contacts(&self, report: &StepReport) -> Vec<StepContact> {
        let mut impulses: Vec<Option<Vector3<f64>>> = vec![None; self.all_contacts().len()];
        for closed in &report.closed {
            let impulse = Vector3::new(closed.normal, closed.friction[0], closed.friction[1]);
            *impulses[closed.contact].get_or_insert_default() += impulse;
        }
        for impact in &report.impacts {
            for (&contact, &normal) in impact.contacts.iter().zip(&impact.impulses) {
                impulses[contact].get_or_insert_default().x += normal;
            }
        }
        let took_part = |(contact, impulse): (usize, Option<Vector3<f64>>)| {
            Some(StepContact { contact, impulse: impulse?, velocity: self.velocity(contact) })
        };
        impulses.into_iter().enumerate().filter_map(took_part).collect()
    }

    /// The velocity of a contact now: normal, tangent 1, tangent 2 (m/s).
    fn velocity(&self, contact: usize) -> Vector3<f64> {
        let system = self.model.system();
        let mut rows = ContactRows::for_system(system);
        let gap = &self.all_contacts().as_slice()[contact].gap;
        gap.rows(system, &self.state.coordinates, &mut rows);
        let along =
            |row: &[f64]| row.iter().zip(&self.state.velocity).map(|(j, v)| j * v).sum::<f64>();
        let mut velocity = Vector3::new(along(rows.normal()), 0.0, 0.0);
        for k in 0..rows.tangent_count() {
            velocity[k + 1] = along(rows.tangent(k));
        }
        velocity
    }
}
