//! A pass of a step: forces and masses that follow from a guess `v'_k` of the velocity at its end, and the impulses that follow from them.
//!
//! With `q_θ` and `v_θ` of the guess, and masses `M̂`, the next velocity is
//!
//! ```math
//! v'_{k+1} = v_f + \hat M^{-1} (J^\mathsf{T} p + G^\mathsf{T} p_b), \qquad
//! v_f = v'_k - \hat M^{-1} \bigl(M(q_\theta) (v'_k - v) - h\, k(q_\theta, v_\theta)\bigr),
//! ```
//!
//! which is the equation of the step once `v'_k` stays, whatever `M̂` is. `M̂ = M + h θ D + h² θ² K` has the dampers and springs of joints,
//! so that stiff ones take no more passes than others, and `M` of the first pass until a change is large, or does not fall to a fourth.
//! The contact problem is that of `M̂`.

use std::mem;

use nalgebra::DMatrix;
use percussion_dynamics::{AddedMass, Near};

use super::{MoreauJean, Settings, passes::STEADY};
use crate::{
    error::Error, masses::Masses, model::Model, report::StepReport, simulation::Motion,
    velocity_level::Place,
};

impl MoreauJean {
    /// Computes `v'` from `v_f`.
    pub(super) fn pass(&mut self, motion: &Motion, report: &mut StepReport) -> Result<(), Error> {
        let Settings { warm_start, unsolved, .. } = self.settings;
        self.level.work.passes += 1;
        let before = (self.level.work.passes > 1).then(|| self.level.found());
        if self.is_given {
            self.forecast_end(motion);
        }
        self.state(motion)?;
        let Self { level, settings, forecast, of_masses, implicit, .. } = self;
        level.begin(warm_start);
        if let Some((contacts, impulses)) = before {
            level.begin_with(&contacts, &impulses);
        }
        let masses = Masses { coordinates: of_masses, added: implicit.as_ref() };
        let place = place(settings, forecast, masses, motion.state.time);
        level.solve((motion.model.system(), &place), unsolved, report)?;
        self.apply(motion);
        Ok(())
    }

    /// Computes `v_f` with the forces that result from `guess`, and the masses that do if it is `fresh`, otherwise those of the last
    /// fresh one.
    pub(super) fn fall(
        &mut self,
        Motion { model, state, .. }: &Motion,
        fresh: bool,
    ) -> Result<(), Error> {
        let Settings { step_size: h, implicitness: theta, .. } = self.settings;
        let (system, time) = (model.system(), state.time);
        mem::swap(&mut self.free_before, &mut self.free);
        // v_θ, then the displacement to q_θ.
        self.free.copy_from_slice(&state.velocity);
        self.free.axpy(theta, &self.guess, 1.0 - theta);
        self.tangent.copy_from(&self.free);
        self.tangent *= theta * h;
        system.retract(&state.coordinates, self.tangent.as_slice(), &mut self.middle);
        if fresh {
            self.of_masses.copy_from_slice(&self.middle);
            self.anchor.hold(system, &mut self.of_masses);
        }
        self.near.copy_from_slice(&self.middle);
        self.moving.copy_from(&self.free);
        if !self.is_given {
            self.weights.drop_at(system, &mut self.near);
            self.weights.still(h, self.moving.as_mut_slice());
        }
        let changes = self.guess.as_slice().iter().zip(&state.velocity);
        for (a, (end, start)) in self.tangent.as_mut_slice().iter_mut().zip(changes) {
            *a = (end - start) / h;
        }
        let (velocity, acceleration) = (self.free.as_slice(), self.tangent.as_slice());
        let (middle, forces) = (&self.middle, self.forces.as_mut_slice());
        let (time_of_forces, moving) = (time + theta * h, self.moving.as_slice());
        let bodies = Near { coordinates: &self.near, velocity: moving };
        system.inverse_dynamics_near(
            bodies,
            middle,
            velocity,
            acceleration,
            time_of_forces,
            forces,
        );
        let masses = Masses { coordinates: &self.of_masses, added: self.implicit.as_ref() };
        masses.divide(system, &mut self.forces);
        self.free.copy_from(&self.guess);
        let forces = self.forces.as_slice();
        self.free.as_mut_slice().iter_mut().zip(forces).for_each(|(v, force)| *v -= h * force);
        if !self.free.as_slice().iter().all(|v| v.is_finite()) {
            return Err(Error::NotFinite { quantity: "velocity under smooth forces", time });
        }
        Ok(())
    }

    /// Whether the forces at the last `v'`, with the impulses that it has, would change no coordinate by more than [`STEADY`] of the
    /// tolerances.
    pub(super) fn is_steady(&self) -> bool {
        let Settings { step_size: h, implicitness: theta, .. } = self.settings;
        let (now, before) = (self.free.as_slice(), self.free_before.as_slice());
        let changes = now.iter().zip(before).map(|(now, before)| now - before);
        let small =
            |(change, tolerance): (f64, &f64)| h * theta * change.abs() <= STEADY * tolerance;
        changes.zip(&self.tolerances).all(small)
    }

    /// States the contact problem of `v_f`.
    pub(super) fn state(
        &mut self,
        Motion { model, contacts, state }: &Motion,
    ) -> Result<(), Error> {
        let Self { settings, level, free, constrained, forecast, of_masses, implicit, .. } = self;
        let masses = Masses { coordinates: of_masses, added: implicit.as_ref() };
        let place = place(settings, forecast, masses, state.time);
        constrained.copy_from(free);
        level.constrain(model, &place, constrained);
        let restitution = |contact: usize| contacts.as_slice()[contact].restitution;
        let bounces =
            !self.is_given && self.active.iter().any(|&contact| restitution(contact) > 0.0);
        let shift = |contact: usize, _, approach: f64| {
            if bounces { -restitution(contact) * (-approach).max(0.0) } else { 0.0 }
        };
        let velocity = bounces.then_some(&state.velocity[..]);
        level.state((model, contacts), &self.active, &place, constrained, velocity, shift)
    }

    /// Writes `v'` of the impulses found.
    pub(super) fn apply(&mut self, Motion { model, state, .. }: &Motion) {
        let Self { settings, level, constrained, velocity, forecast, of_masses, implicit, .. } =
            self;
        let masses = Masses { coordinates: of_masses, added: implicit.as_ref() };
        level.apply(model, &place(settings, forecast, masses, state.time), constrained, velocity);
    }
}

/// Where a pass evaluates contacts, with its masses.
fn place<'a>(settings: &Settings, forecast: &'a [f64], masses: Masses<'a>, time: f64) -> Place<'a> {
    Place {
        coordinates: forecast,
        masses,
        correction: settings.error_reduction / settings.step_size,
        time,
    }
}

/// `h θ D + h² θ² K` of the dampers and springs of joints, if it is not zero.
pub(super) fn implicit(model: &Model, step_size: f64, implicitness: f64) -> Option<AddedMass> {
    let count = model.system().velocity_count();
    let mut sum = DMatrix::zeros(count, count);
    let share = step_size * implicitness;
    model.system().add_linear_forces([share, share * share], &mut sum);
    sum.iter().any(|entry| *entry != 0.0).then(|| AddedMass::new(sum))
}
