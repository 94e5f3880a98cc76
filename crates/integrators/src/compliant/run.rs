//! The loop over the events of an integration.

use std::{cell::RefCell, ops::ControlFlow};

use diffsol::{
    NalgebraLU, NalgebraMat, NalgebraVec, OdeBuilder, OdeEquations, OdeSolverMethod,
    error::DiffsolError,
};

use super::{
    Counters, Error, Method, Report, Snapshot, Status, equations::Equations, settings::Resolved,
};
use crate::{
    energy::controlled::{ControlledAccount, Reached, Slack},
    events::{Between, Ending, Watch, step_to_event},
};

/// Maximum number of times that one step may be shortened. Each time at least halves it, so the minimum step
/// ends this first.
const SHORTENINGS: usize = 1100;

/// Maximum number of failed Newton iterations between two restarts. A successful integration fails once in
/// some ten steps; on overflow the iterations fail forever, and the steps never become too small.
const NEWTON_FAILURES: usize = 20_000;

/// A function of the state that ends the motion when it is no longer negative.
pub(super) type Stop<'a> = Option<&'a dyn Fn(&Snapshot<'_>) -> f64>;

pub(super) struct Run<'a, 'm> {
    pub(super) equations: &'a RefCell<Equations<'m>>,
    pub(super) settings: &'a Resolved,
    pub(super) end: f64,
    pub(super) stop: Stop<'a>,
    pub(super) observer: &'a mut dyn FnMut(&Snapshot<'_>),
    pub(super) counters: Counters,
    /// Time of the last restart.
    pub(super) begin: f64,
    /// Energy of the motion so far.
    pub(super) account: ControlledAccount,
    /// Time and unknowns of the current state.
    pub(super) time: f64,
    pub(super) unknowns: Vec<f64>,
}

impl Run<'_, '_> {
    /// Integrates to the end.
    pub(super) fn finish(mut self) -> Result<Report, Error> {
        self.close_and_open();
        self.observe();
        let status = loop {
            if self.stops_at(self.time, &self.unknowns) {
                break Status::Stopped;
            }
            if let ControlFlow::Break(status) = self.advance()? {
                break status;
            }
            if self.counters.restarts == self.settings.restart_limit {
                break Status::RestartLimit;
            }
            self.close_and_open();
            self.counters.restarts += 1;
        };
        self.counters.evaluations = self.equations.borrow().evaluations;
        let state = self.equations.borrow_mut().state(self.time, &self.unknowns);
        let energy = self.equations.borrow_mut().energy(&self.unknowns);
        let energy = self.account.balance(energy);
        let status = match status {
            Status::EndReached | Status::Stopped if energy.is_breached() => Status::EnergyGained,
            status => status,
        };
        let scales = self.settings.scales;
        Ok(Report { energy, status, state, counters: self.counters, scales })
    }

    /// Marks the contacts whose gap is not open as touching.
    fn close_and_open(&self) {
        let equations = &mut *self.equations.borrow_mut();
        equations.locate(&self.unknowns);
        for (touching, gap) in equations.touching.iter_mut().zip(&equations.gaps) {
            *touching = *gap <= 0.0;
        }
    }

    /// Advances to the next event, or breaks at the end.
    fn advance(&mut self) -> Result<ControlFlow<Status>, Error> {
        // The solver measures time from the last restart, where steps may be shorter than the rounding of the
        // absolute time, and in units of the time of the model, because some of its limits are times.
        self.begin = self.time;
        let (equations, begin, unit) = (self.equations, self.begin, self.settings.scales.time);
        let (first, count) = (self.unknowns.clone(), self.unknowns.len());
        let mut problem = OdeBuilder::<NalgebraMat<f64>>::new()
            .rhs_implicit(
                |y, _, t, rate| {
                    equations.borrow_mut().rate(begin + unit * t, y, rate);
                    rate.iter_mut().for_each(|rate| *rate *= unit);
                },
                |y, _, t, v, change| {
                    equations.borrow_mut().rate_change(begin + unit * t, y, v, change);
                    change.iter_mut().for_each(|change| *change *= unit);
                },
            )
            .init(move |_, _, y| y.copy_from_slice(&first), count)
            .rtol(self.settings.relative_tolerance)
            .atol(self.settings.absolute_tolerances.iter().copied())
            .build()
            .map_err(refused)?;
        problem.ode_options.min_timestep = self.settings.smallest_step / unit;
        problem.ode_options.max_error_test_failures = SHORTENINGS;
        problem.ode_options.max_nonlinear_solver_failures = NEWTON_FAILURES;
        match self.settings.method {
            Method::Bdf => self.follow(problem.bdf::<NalgebraLU<f64>>()),
            Method::TrBdf2 => self.follow(problem.tr_bdf2::<NalgebraLU<f64>>()),
            Method::Tsit45 => self.follow(problem.tsit45()),
        }
    }

    /// Takes steps until an event or the end, and counts them.
    fn follow<'p, Eqn, Solver>(
        &mut self,
        solver: Result<Solver, DiffsolError>,
    ) -> Result<ControlFlow<Status>, Error>
    where
        Eqn: OdeEquations<T = f64, V = NalgebraVec<f64>> + 'p,
        Solver: OdeSolverMethod<'p, Eqn>,
    {
        let mut solver = solver.map_err(refused)?;
        let unit = self.settings.scales.time;
        let (span, limit) = ((self.end - self.begin) / unit, self.settings.step_limit);
        let mut steps = self.counters.steps;
        let ending = step_to_event(&mut solver, span, (&mut steps, limit), self);
        let statistics = solver.get_statistics();
        self.counters.steps = steps;
        self.counters.rejected_steps += statistics.number_of_error_test_failures;
        self.counters.newton_iterations += statistics.number_of_nonlinear_solver_iterations;
        self.counters.newton_failures += statistics.number_of_nonlinear_solver_fails;
        Ok(ControlFlow::Break(match ending.map_err(refused)? {
            Ending::Event => return Ok(ControlFlow::Continue(())),
            Ending::Span => {
                self.time = self.end;
                Status::EndReached
            }
            Ending::StepLimit | Ending::WorkLimit => Status::StepLimit,
            Ending::StepTooSmall => Status::StepTooSmall,
            Ending::NotConverged => Status::NotConverged,
            Ending::NotFinite => Status::NotFinite,
        }))
    }

    fn stops_at(&self, time: f64, y: &[f64]) -> bool {
        let reached = |stop: &dyn Fn(&Snapshot<'_>) -> f64| {
            stop(&self.equations.borrow_mut().snapshot(time, y)) >= 0.0
        };
        self.stop.is_some_and(reached)
    }

    /// Enters the step to the current time and unknowns into the energy account.
    fn enter(&mut self, middle_power: f64) {
        let equations = &mut *self.equations.borrow_mut();
        let Resolved { relative_tolerance, strides, absolute_tolerances, .. } = self.settings;
        let (displacement, velocity, _) = equations.split(&self.unknowns);
        let slack = Slack::new(
            &self.unknowns,
            (absolute_tolerances, *relative_tolerance),
            [&strides[..displacement.len()], &self.settings.velocity_strides],
        );
        let velocity = velocity.to_vec();
        let pulls = equations.pulls(self.time, &self.unknowns);
        let energy = equations.energy(&self.unknowns);
        let end = Reached {
            time: self.time,
            coordinates: &equations.coordinates,
            velocity: &velocity,
            energy,
        };
        self.account.enter(equations.model.system(), end, middle_power, &pulls, &slack);
    }

    fn observe(&mut self) {
        let mut equations = self.equations.borrow_mut();
        (self.observer)(&equations.snapshot(self.time, &self.unknowns));
    }
}

impl Watch for Run<'_, '_> {
    /// Whether a contact has opened or closed, or the stop function is no longer negative.
    fn has_happened(&mut self, t: f64, y: &[f64]) -> bool {
        let opened_or_closed = self.equations.borrow_mut().opened_or_closed(y);
        opened_or_closed || self.stops_at(self.begin + self.settings.scales.time * t, y)
    }

    fn accept(
        &mut self,
        from: f64,
        to: f64,
        y: &[f64],
        between: &mut Between<'_>,
    ) -> Result<(), DiffsolError> {
        let middle = 0.5 * (from + to);
        let mut inside = y.to_vec();
        between(middle, &mut inside)?;
        let middle = self.begin + self.settings.scales.time * middle;
        let power = self.equations.borrow_mut().other_power(middle, &inside);
        self.time = self.begin + self.settings.scales.time * to;
        self.unknowns.copy_from_slice(y);
        self.enter(power);
        self.observe();
        Ok(())
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is the argument of `map_err`")]
fn refused(error: DiffsolError) -> Error {
    Error::Solver { reason: error.to_string() }
}
