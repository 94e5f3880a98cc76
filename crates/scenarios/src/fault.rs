//! Faults of computed outcomes, for the experiments that must notice them: [`Fault`].
//!
//! A row that is judged as an invariant reads a computed outcome: velocities, impulses, positions. A fault changes
//! the outcome after it was computed and before any row is measured, by [`DISTURBANCE`] of its unit, or of itself
//! where it is larger than 1. All that was derived from the changed values, such as energies, gaps and
//! residuals, is derived again, so that a row reads what it would have read if the library had been wrong by that much.
//! Other faults make the computation itself worse: a solver that stops early, a limit of steps, a missing contact.
//!
//! Trajectories are changed at every second sample, counted from the last, because a change that all samples share
//! would cancel in differences between them.

use nalgebra::{DMatrix, Vector3};
use percussion_dynamics::System;
use percussion_impact::Outcome;
use percussion_integrators::{
    Model, Residual, State, StepReport,
    ensemble::Ensemble,
    event_driven::Report,
    inclusion::{Phase, Solution},
};
use percussion_mechanism::trajectory::Trajectory;

/// How much the faults change computed velocities, impulses and positions: in their unit, or relative to the value if
/// that is larger than 1.
pub const DISTURBANCE: f64 = 1e-3;

/// A fault of a computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Velocities are too large.
    Velocities,
    /// Normal impulses are too small, tangential and other impulses too large.
    Impulses,
    /// Coordinates are off, in turn in one direction and in the other.
    Positions,
    /// Solvers stop at a relative residual of [`DISTURBANCE`].
    Solvers,
    /// Samples of impacts may take one step only.
    Steps,
    /// The last contact of a model is missing.
    Contacts,
}

/// The fault of an experiment, if it has one. Without a fault all methods leave their argument as it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Faults(pub(crate) Option<Fault>);

/// How much a value is off.
fn amount(value: f64) -> f64 {
    DISTURBANCE * value.abs().max(1.0)
}

/// The value, too large by its [`amount`].
fn larger(value: f64) -> f64 {
    value + amount(value).copysign(value)
}

impl Faults {
    fn is(self, fault: Fault) -> bool {
        self.0 == Some(fault)
    }

    /// Changes velocities (m/s, rad/s).
    pub(crate) fn velocities(self, velocities: &mut [f64]) {
        if self.is(Fault::Velocities) {
            velocities.iter_mut().for_each(|velocity| *velocity = larger(*velocity));
        }
    }

    /// Changes impulses whose signs have no meaning (N·s, N·m·s).
    pub(crate) fn impulses(self, impulses: &mut [f64]) {
        if self.is(Fault::Impulses) {
            impulses.iter_mut().for_each(|impulse| *impulse = larger(*impulse));
        }
    }

    /// Changes the impulse of a contact: normal and tangents (N·s).
    pub(crate) fn contact_impulse(self, impulse: &mut Vector3<f64>) {
        if self.is(Fault::Impulses) {
            let normal = impulse.x - amount(impulse.x);
            *impulse = impulse.map(larger);
            impulse.x = normal;
        }
    }

    /// Changes positions (m, rad).
    pub(crate) fn positions(self, positions: &mut [f64]) {
        if self.is(Fault::Positions) {
            positions.iter_mut().for_each(|position| *position += amount(*position));
        }
    }

    /// The tolerance of a solver.
    pub(crate) fn tolerance(self, given: f64) -> f64 {
        if self.is(Fault::Solvers) { given.max(DISTURBANCE) } else { given }
    }

    /// The limit of the steps of a sample.
    pub(crate) fn steps(self, given: usize) -> usize {
        if self.is(Fault::Steps) { 1 } else { given }
    }

    /// The contacts of a model.
    pub(crate) fn contacts<T>(self, mut contacts: Vec<T>) -> Vec<T> {
        if self.is(Fault::Contacts) {
            contacts.pop();
        }
        contacts
    }

    /// Changes the velocity and the impulses of an outcome of an impact.
    pub(crate) fn outcome(self, mut outcome: Outcome) -> Outcome {
        self.velocities(outcome.velocity.as_mut_slice());
        for impulse in &mut outcome.impulses {
            if self.is(Fault::Impulses) {
                impulse.normal -= amount(impulse.normal);
            }
            self.impulses(&mut impulse.tangent);
        }
        outcome
    }

    /// Changes a state of `system`; `index` chooses the direction in which positions are off.
    pub(crate) fn state(
        self,
        system: &dyn System,
        index: usize,
        coordinates: &mut [f64],
        velocity: &mut [f64],
    ) {
        self.velocities(velocity);
        if self.is(Fault::Positions) {
            let off = if index.is_multiple_of(2) { -DISTURBANCE } else { DISTURBANCE };
            let start = coordinates.to_vec();
            system.retract(&start, &vec![off; velocity.len()], coordinates);
        }
    }

    /// Changes every second sample of a motion, and the reports of its steps.
    pub(crate) fn trajectory(self, model: &Model, trajectory: &mut Trajectory) {
        if !matches!(self.0, Some(Fault::Velocities | Fault::Impulses | Fault::Positions)) {
            return;
        }
        let system = model.system();
        let Trajectory { samples, reports, .. } = trajectory;
        let last = samples.len() - 1;
        for index in (1..=last).rev().step_by(2) {
            let sample = &mut samples[index];
            self.state(system, (last - index) / 2, &mut sample.coordinates, &mut sample.velocity);
            sample.energy = system.energy(&sample.coordinates, &sample.velocity);
            let gaps = model.contacts().iter();
            let named = sample.gaps.len().min(model.contacts().len());
            for (gap, contact) in sample.gaps[..named].iter_mut().zip(gaps) {
                *gap = contact.gap.gap(system, &sample.coordinates);
            }
            let Some(report) = reports.get_mut(index - 1) else { continue };
            report.energy_after = sample.energy;
            for contact in &mut report.contacts {
                self.contact_impulse(&mut contact.impulse);
                let before = contact.velocity;
                self.velocities(contact.velocity.as_mut_slice());
                // So much the law is missed by more.
                if let Residual::Velocity(residual) = &mut contact.residual {
                    *residual += (contact.velocity - before).norm();
                }
            }
            if self.is(Fault::Positions) {
                report.penetration = penetration(model, &sample.coordinates);
                report.constraint_error = constraint_error(model, &sample.coordinates);
            }
        }
    }

    /// The deepest penetration in a state with these coordinates (m), which the library found to be `reported`.
    pub(crate) fn depth(self, model: &Model, coordinates: &[f64], reported: f64) -> f64 {
        if !self.is(Fault::Positions) {
            return reported;
        }
        let mut moved = coordinates.to_vec();
        let mut velocity = vec![0.0; model.system().velocity_count()];
        self.state(model.system(), 0, &mut moved, &mut velocity);
        penetration(model, &moved)
    }

    /// Changes the report of the last step, which ended in this state.
    pub(crate) fn last_step(self, model: &Model, state: &State, steps: &mut [StepReport]) {
        let Some(last) = steps.last_mut() else { return };
        if self.is(Fault::Velocities) {
            let mut velocity = state.velocity.clone();
            self.velocities(&mut velocity);
            last.energy_after = model.system().energy(&state.coordinates, &velocity);
        }
        last.penetration = self.depth(model, &state.coordinates, last.penetration);
    }

    /// Changes an event-driven motion; the energy at its end and the deepest overlap are measured again.
    pub(crate) fn motion(self, model: &Model, trajectory: &mut Trajectory, report: &mut Report) {
        if !matches!(self.0, Some(Fault::Velocities | Fault::Positions)) {
            return;
        }
        self.trajectory(model, trajectory);
        report.energy.end = trajectory.end().energy;
        let depth = trajectory.deepest_penetration();
        report.drift.penetration = report.drift.penetration.max(depth);
    }

    /// Changes the ends and the bands of an ensemble; energies and overlaps at the ends are measured again.
    pub(crate) fn ensemble(self, model: &Model, mut ensemble: Ensemble) -> Ensemble {
        if !matches!(self.0, Some(Fault::Velocities | Fault::Positions)) {
            return ensemble;
        }
        let system = model.system();
        for (index, member) in ensemble.members.iter_mut().enumerate() {
            let state = &mut member.state;
            self.state(system, index, &mut state.coordinates, &mut state.velocity);
            member.energy.end = system.energy(&state.coordinates, &state.velocity);
            member.penetration = member.penetration.max(penetration(model, &state.coordinates));
        }
        for point in ensemble.bands.iter_mut().flat_map(|band| band.points.iter_mut().skip(1)) {
            let mut ends = [point.least, point.greatest];
            self.positions(&mut ends);
            [point.least, point.greatest] = ends;
        }
        ensemble
    }

    /// Changes the moments of a solution of the inclusion.
    pub(crate) fn solution(self, solution: &mut Solution) {
        solution.phases.iter_mut().for_each(|phase| self.phase(phase));
    }

    /// Changes every second moment of a phase of the inclusion, from the last.
    pub(crate) fn phase(self, phase: &mut Phase) {
        for moment in phase.moments.iter_mut().rev().step_by(2) {
            self.velocities(&mut moment.velocity);
            self.positions(&mut moment.coordinates);
            // The first rate is that of a normal impulse; only one is off, so that shares change.
            let first = moment.rates.len().min(1);
            self.impulses(&mut moment.rates[..first]);
        }
    }
}

/// Deepest penetration of any contact of a model at these coordinates (m, ≥ 0); NaN if its surfaces cannot be searched.
pub(crate) fn penetration(model: &Model, coordinates: &[f64]) -> f64 {
    let system = model.system();
    let named = model.contacts().iter().map(|contact| contact.gap.gap(system, coordinates));
    let mut found = Vec::new();
    if let Some(source) = model.contact_source()
        && source.search().find(system, coordinates, 0.0, &mut found).is_err()
    {
        return f64::NAN;
    }
    let gaps = named.chain(found.iter().map(|nearby| nearby.gap));
    gaps.fold(0.0, |deepest, gap| f64::max(deepest, -gap))
}

/// Largest error of a constraint of a model at these coordinates (m, rad).
fn constraint_error(model: &Model, coordinates: &[f64]) -> f64 {
    let system = model.system();
    let mut largest = 0.0_f64;
    for constraint in model.constraints() {
        let rows = constraint.row_count(system);
        let mut values = vec![0.0; rows];
        let mut jacobian = DMatrix::zeros(rows, system.velocity_count());
        constraint.evaluate(system, coordinates, &mut values, &mut jacobian, 0);
        largest = values.iter().fold(largest, |largest, value| largest.max(value.abs()));
    }
    largest
}

#[cfg(test)]
mod tests {
    use percussion_mechanism::scenario::Setup;

    use super::*;
    use crate::fixtures;

    /// A rod that falls freely for five steps.
    fn fall() -> (Setup, Trajectory) {
        let mut scenario = fixtures::scenario("stewart-trinkle/rod-on-table").unwrap();
        scenario.duration = 5.0 * scenario.integrator.step_size;
        let setup = scenario.build().unwrap();
        let run = setup.simulate(&mut |_| ()).unwrap();
        (setup, run)
    }

    fn with(fault: Fault) -> (Trajectory, Trajectory) {
        let (setup, before) = fall();
        let mut after = before.clone();
        Faults(Some(fault)).trajectory(&setup.mechanism.model, &mut after);
        (before, after)
    }

    #[test]
    fn without_a_fault_nothing_changes() {
        let (setup, before) = fall();
        let mut after = before.clone();
        Faults(None).trajectory(&setup.mechanism.model, &mut after);
        assert_eq!(after, before);
        let none = Faults(None);
        assert_eq!((none.steps(7), none.contacts(vec![1, 2])), (7, vec![1, 2]));
        assert_eq!(none.tolerance(1e-9).to_bits(), 1e-9_f64.to_bits());
    }

    #[test]
    fn every_second_velocity_is_off_and_the_energy_is_derived_again() {
        let (before, after) = with(Fault::Velocities);
        let last = before.samples.len() - 1;
        for (index, (one, other)) in before.samples.iter().zip(&after.samples).enumerate() {
            let is_off = index > 0 && (last - index) % 2 == 0;
            for (v, w) in one.velocity.iter().zip(&other.velocity) {
                let expected = if is_off { v + v.signum() * 1e-3 * v.abs().max(1.0) } else { *v };
                assert!((w - expected).abs() < 1e-15, "{index}: {v} {w}");
            }
            assert_eq!(is_off, other.energy > one.energy + 1e-7, "{index}");
            assert_eq!(other.coordinates, one.coordinates);
        }
    }

    #[test]
    fn positions_are_off_to_both_sides_and_gaps_are_derived_again() {
        let (before, after) = with(Fault::Positions);
        let height = |run: &Trajectory, index: usize| run.samples[index].coordinates[1];
        let off = |index: usize| height(&after, index) - height(&before, index);
        assert!((off(5) + 1e-3).abs() < 1e-12 && (off(3) - 1e-3).abs() < 1e-12);
        assert!(off(4).abs() < 1e-15 && off(0).abs() < 1e-15);
        let gap = |run: &Trajectory| run.samples[5].gaps[0];
        assert!((gap(&after) - gap(&before)).abs() > 1e-4);
    }

    #[test]
    fn impulses_push_less_and_rub_more() {
        let mut impulse = Vector3::new(2.0, -0.5, 0.0);
        Faults(Some(Fault::Impulses)).contact_impulse(&mut impulse);
        assert!((impulse - Vector3::new(1.998, -0.501, 0.001)).amax() < 1e-15);
    }
}
