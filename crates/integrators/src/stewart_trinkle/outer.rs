//! The nonlinear outer iteration of one step, for a given set of active contacts.

use nalgebra::{DMatrix, DVector};
use percussion_complementarity::lcp::{ProblemError, Report, Status};
use percussion_dynamics::System;

use super::{
    Contact, Error, Model, State,
    linearization::{Linearization, Point},
    settings::Resolved,
    step_problem::StepProblem,
};
use crate::report::Polygons;

/// The current step: the prediction, and the end that the last outer iteration found.
#[derive(Debug)]
pub(super) struct OuterIteration {
    pub(super) linearization: Linearization,
    pub(super) problem: StepProblem,
    /// `q ⊕ h v`, for the first search for contacts.
    pub(super) predicted: Vec<f64>,
    /// Coordinates for the mass matrix.
    mass_coordinates: Vec<f64>,
    /// `v_f`.
    free_velocity: DVector<f64>,
    /// The column `k`, then `M⁻¹ k`.
    forces: DMatrix<f64>,
    /// `v̂`.
    guess: DVector<f64>,
    tangent: DVector<f64>,
    /// `v'`.
    pub(super) velocity: DVector<f64>,
    /// `q̂` while linearizing, then `q'`.
    pub(super) coordinates: Vec<f64>,
    /// Cost of the step so far.
    pub(super) work: Polygons,
    /// Largest relative residual of the LCPs of the step, in which impulses are measured in multiples of a
    /// mass so that all entries are velocities.
    pub(super) relative_residual: f64,
}

impl OuterIteration {
    pub(super) fn new(model: &Model, settings: &Resolved) -> Result<Self, ProblemError> {
        let system = model.system();
        let (coordinates, velocities) = (system.coordinate_count(), system.velocity_count());
        Ok(Self {
            linearization: Linearization::new(model, settings),
            problem: StepProblem::new(model, settings)?,
            predicted: vec![0.0; coordinates],
            mass_coordinates: vec![0.0; coordinates],
            free_velocity: DVector::zeros(velocities),
            forces: DMatrix::zeros(velocities, 1),
            guess: DVector::zeros(velocities),
            tangent: DVector::zeros(velocities),
            velocity: DVector::zeros(velocities),
            coordinates: vec![0.0; coordinates],
            work: Polygons::default(),
            relative_residual: 0.0,
        })
    }

    /// Starts a step: computes `v_f`, the coordinates for the mass matrix, the predicted end `q ⊕ h v`, and
    /// `v̂ = v`.
    pub(super) fn predict(
        &mut self,
        model: &Model,
        settings: &Resolved,
        state: &State,
    ) -> Result<(), Error> {
        let (system, h) = (model.system(), settings.step_size);
        (self.work, self.relative_residual) = (Polygons::default(), 0.0);
        self.guess.copy_from_slice(&state.velocity);
        self.tangent.copy_from(&self.guess);
        self.tangent *= h;
        system.retract(&state.coordinates, self.tangent.as_slice(), &mut self.predicted);
        if system.retract_keeps_kinetic_energy() {
            self.mass_coordinates.clone_from(&state.coordinates);
            self.smooth_velocity_at_start(system, h, state)?;
        } else {
            self.mass_coordinates.clone_from(&self.predicted);
            self.smooth_velocity_ahead(system, h, state);
        }
        if self.free_velocity.iter().all(|v| v.is_finite()) {
            Ok(())
        } else {
            Err(Error::NotFinite { quantity: "velocity under smooth forces", time: state.time })
        }
    }

    /// `v_f` with the mass matrix at `q`, gyroscopic torques implicit.
    fn smooth_velocity_at_start(
        &mut self,
        system: &dyn System,
        h: f64,
        state: &State,
    ) -> Result<(), Error> {
        let State { time, coordinates, velocity } = state;
        system
            .smooth_velocity(coordinates, velocity, time + 0.5 * h, h, &mut self.forces)
            .map_err(|source| Error::SmoothVelocity { time: *time, source })?;
        self.free_velocity.copy_from(&self.forces.column(0));
        Ok(())
    }

    /// `v_f = v + h M⁻¹ k` with `M` at `q ⊕ h v` and `k` at `q ⊕ h v/2`.
    fn smooth_velocity_ahead(&mut self, system: &dyn System, h: f64, state: &State) {
        let State { time, coordinates, velocity } = state;
        self.tangent.copy_from(&self.guess);
        self.tangent *= 0.5 * h;
        system.retract(coordinates, self.tangent.as_slice(), &mut self.coordinates);
        let forces = self.forces.as_mut_slice();
        system.smooth_forces(&self.coordinates, velocity, time + 0.5 * h, forces);
        system.apply_inverse_mass(&self.mass_coordinates, &mut self.forces);
        self.free_velocity.copy_from(&self.guess);
        self.free_velocity.axpy(h, &self.forces.column(0), 1.0);
    }

    /// Iterates until the answer no longer moves, starting at the `v̂` left by the prediction or by the last
    /// call.
    pub(super) fn converge(
        &mut self,
        (model, contacts): (&Model, &[Contact]),
        settings: &Resolved,
        state: &State,
        active: &[usize],
    ) -> Result<(), Error> {
        // Without contacts and constraints nothing depends on q̂, so the first answer is final.
        let final_at_once = active.is_empty() && model.constraints().is_empty();
        let mut relaxation = 1.0;
        let mut restarted = false;
        let mut violation = f64::INFINITY;
        self.work.change = f64::INFINITY;
        for _ in 0..settings.outer_iteration_limit {
            self.work.outer_iterations += 1;
            match self.solve((model, contacts), settings, state, active) {
                // Linearized about the start, which does not penetrate, the LCP has a solution.
                Err(Error::UnsolvedLcp { .. }) if self.guess.amax() > 0.0 && !restarted => {
                    restarted = true;
                    self.guess.fill(0.0);
                    continue;
                }
                solved => solved?,
            }
            self.tangent.copy_from(&self.velocity);
            self.tangent -= &self.guess;
            let previous_change = self.work.change;
            self.work.change =
                if final_at_once { 0.0 } else { settings.step_size * self.tangent.amax() };
            if final_at_once || self.is_small(settings) {
                violation = self.violation_at_end((model, contacts), settings, state, active);
                if violation <= settings.tolerance {
                    self.guess.copy_from(&self.velocity);
                    return Ok(());
                }
            }
            let shrinks = self.work.change < previous_change;
            relaxation = if shrinks { f64::min(1.0, 1.5 * relaxation) } else { 0.5 * relaxation };
            if !shrinks {
                #[cfg(feature = "tracing")]
                tracing::debug!(
                    time = state.time,
                    change = self.work.change,
                    relaxation,
                    "no contraction"
                );
            }
            self.guess.axpy(relaxation, &self.tangent, 1.0);
        }
        let (limit, change) = (settings.outer_iteration_limit, self.work.change);
        Err(Error::OuterIterationLimit { time: state.time, limit, change, violation })
    }

    /// Whether the last change of the velocity moves every coordinate by at most its tolerance.
    fn is_small(&self, settings: &Resolved) -> bool {
        let small =
            |(change, tolerance): (&f64, &f64)| settings.step_size * change.abs() <= *tolerance;
        self.tangent.iter().zip(&settings.tolerances).all(small)
    }

    /// Linearizes about `q ⊕ h v̂` and finds `v'`.
    fn solve(
        &mut self,
        (model, contacts): (&Model, &[Contact]),
        settings: &Resolved,
        state: &State,
        active: &[usize],
    ) -> Result<(), Error> {
        self.tangent.copy_from(&self.guess);
        self.tangent *= settings.step_size;
        let system = model.system();
        system.retract(&state.coordinates, self.tangent.as_slice(), &mut self.coordinates);
        let at = Point {
            active,
            coordinates: &self.coordinates,
            mass_coordinates: &self.mass_coordinates,
            guess: &self.guess,
            free_velocity: &self.free_velocity,
            time: state.time,
        };
        self.linearization.update((model, contacts), settings, at)?;
        if self.linearization.delassus.diagonal().iter().any(|w| *w < 0.0) {
            return Err(Error::MassMatrix { time: state.time });
        }
        self.solve_problem((model, contacts), settings, state.time, active)?;
        self.linearization.apply(&self.problem.impulses, &self.free_velocity, &mut self.velocity);
        if self.velocity.iter().all(|v| v.is_finite()) {
            Ok(())
        } else {
            Err(Error::NotFinite { quantity: "end velocity", time: state.time })
        }
    }

    fn solve_problem(
        &mut self,
        (model, contacts): (&Model, &[Contact]),
        settings: &Resolved,
        time: f64,
        active: &[usize],
    ) -> Result<(), Error> {
        self.work.lcp_size = self.problem.resize(active.len());
        if self.work.lcp_size == 0 {
            return Ok(());
        }
        self.problem.assemble((model, contacts), settings, active, &self.linearization).map_err(
            |_| Error::NotFinite { quantity: "contact Jacobian, gap or mass matrix", time },
        )?;
        let solved = self.problem.solve(&settings.lemke, &self.linearization)?;
        self.work.lcp_solves += 1;
        self.work.pivots += solved.iterations;
        self.relative_residual = self.relative_residual.max(solved.relative_residual);
        if solved.status == Status::Solved {
            return Ok(());
        }
        let Report { status, relative_residual, .. } = solved;
        Err(Error::UnsolvedLcp { time, status, relative_residual, size: self.work.lcp_size })
    }

    /// Moves to `q' = q ⊕ h v'` and returns the deepest penetration or largest constraint error there.
    fn violation_at_end(
        &mut self,
        (model, contacts): (&Model, &[Contact]),
        settings: &Resolved,
        state: &State,
        active: &[usize],
    ) -> f64 {
        self.tangent.copy_from(&self.velocity);
        self.tangent *= settings.step_size;
        let system = model.system();
        system.retract(&state.coordinates, self.tangent.as_slice(), &mut self.coordinates);
        let gaps =
            active.iter().map(|&contact| -contacts[contact].gap.gap(system, &self.coordinates));
        let errors = self.linearization.bilateral.violations(model, &self.coordinates);
        // NaN, which `max` would drop, counts as infinite.
        gaps.chain(errors).map(|v| if v.is_nan() { f64::INFINITY } else { v }).fold(0.0, f64::max)
    }
}
