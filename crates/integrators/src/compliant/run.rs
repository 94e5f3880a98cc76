//! From event to event.

use std::{cell::RefCell, ops::ControlFlow};

use diffsol::{
    NalgebraLU, NalgebraMat, NalgebraVec, OdeBuilder, OdeEquations, OdeSolverMethod,
    OdeSolverStopReason, VectorCommon,
    error::{DiffsolError, OdeSolverError},
};

use super::{Counters, Error, Method, Report, Settings, Snapshot, Status, equations::Equations};

/// How often one step may be shortened. Each time at least halves it, so the smallest step ends it first.
const SHORTENINGS: usize = 1100;

/// How often the interval around an event is halved, at most: as often as doubles allow.
const HALVINGS: usize = 1100;

/// A function of the state that ends the motion when it is no longer negative.
pub(super) type Stop<'a> = Option<&'a dyn Fn(&Snapshot<'_>) -> f64>;

pub(super) struct Run<'a, 'm> {
    pub(super) equations: &'a RefCell<Equations<'m>>,
    pub(super) settings: &'a Settings,
    pub(super) end: f64,
    pub(super) stop: Stop<'a>,
    pub(super) observer: &'a mut dyn FnMut(&Snapshot<'_>),
    pub(super) counters: Counters,
    /// Time and unknowns reached.
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
        Ok(Report { status, state, counters: self.counters })
    }

    /// Lets the contacts touch whose gap is not open.
    fn close_and_open(&self) {
        let equations = &mut *self.equations.borrow_mut();
        equations.locate(&self.unknowns);
        for (touching, gap) in equations.touching.iter_mut().zip(&equations.gaps) {
            *touching = *gap <= 0.0;
        }
    }

    /// Goes on to the next event, or breaks with the end.
    fn advance(&mut self) -> Result<ControlFlow<Status>, Error> {
        let (equations, begin) = (self.equations, self.time);
        let (first, count) = (self.unknowns.clone(), self.unknowns.len());
        // The solver counts time from the last restart, where steps may be shorter than the
        // rounding of a time that began elsewhere.
        let mut problem = OdeBuilder::<NalgebraMat<f64>>::new()
            .rhs_implicit(
                |y, _, t, rate| equations.borrow_mut().rate(begin + t, y, rate),
                |y, _, t, v, change| equations.borrow_mut().rate_change(begin + t, y, v, change),
            )
            .init(move |_, _, y| y.copy_from_slice(&first), count)
            .rtol(self.settings.relative_tolerance)
            .atol(equations.borrow().absolute_tolerances(self.settings))
            .build()
            .map_err(refused)?;
        problem.ode_options.min_timestep = self.settings.smallest_step;
        problem.ode_options.max_error_test_failures = SHORTENINGS;
        problem.ode_options.max_nonlinear_solver_failures = usize::MAX;
        match self.settings.method {
            Method::Bdf => self.follow(problem.bdf::<NalgebraLU<f64>>(), begin),
            Method::TrBdf2 => self.follow(problem.tr_bdf2::<NalgebraLU<f64>>(), begin),
            Method::Tsit45 => self.follow(problem.tsit45(), begin),
        }
    }

    /// Steps until an event or the end, and counts.
    fn follow<'p, Eqn, Solver>(
        &mut self,
        solver: Result<Solver, DiffsolError>,
        begin: f64,
    ) -> Result<ControlFlow<Status>, Error>
    where
        Eqn: OdeEquations<T = f64, V = NalgebraVec<f64>> + 'p,
        Solver: OdeSolverMethod<'p, Eqn>,
    {
        let mut solver = solver.map_err(refused)?;
        let outcome = match solver.set_stop_time(self.end - begin) {
            Ok(()) => self.step_to_event(&mut solver, begin),
            // What is left is below the rounding of time.
            Err(_) => Ok(ControlFlow::Break(Status::EndReached)),
        };
        let statistics = solver.get_statistics();
        self.counters.rejected_steps += statistics.number_of_error_test_failures;
        self.counters.newton_iterations += statistics.number_of_nonlinear_solver_iterations;
        self.counters.newton_failures += statistics.number_of_nonlinear_solver_fails;
        outcome
    }

    fn step_to_event<'p, Eqn, Solver>(
        &mut self,
        solver: &mut Solver,
        begin: f64,
    ) -> Result<ControlFlow<Status>, Error>
    where
        Eqn: OdeEquations<T = f64, V = NalgebraVec<f64>> + 'p,
        Solver: OdeSolverMethod<'p, Eqn>,
    {
        loop {
            if self.counters.steps == self.settings.step_limit {
                return Ok(ControlFlow::Break(Status::StepLimit));
            }
            let reason = match solver.step() {
                Ok(reason) => reason,
                Err(error) => return failed(error).map(ControlFlow::Break),
            };
            self.counters.steps += 1;
            let reached = solver.state().t;
            if !solver.state().y.inner().iter().all(|y| y.is_finite()) {
                return Ok(ControlFlow::Break(Status::NotFinite));
            }
            if self.event_at(begin + reached, solver.state().y.inner().as_slice()) {
                self.go_back_to_event(solver, begin, reached)?;
                self.observe();
                return Ok(ControlFlow::Continue(()));
            }
            self.time = begin + reached;
            self.unknowns.copy_from_slice(solver.state().y.inner().as_slice());
            self.observe();
            if reason == OdeSolverStopReason::TstopReached {
                self.time = self.end;
                return Ok(ControlFlow::Break(Status::EndReached));
            }
        }
    }

    /// Finds the first moment of the last step at which the event has happened.
    fn go_back_to_event<'p, Eqn, Solver>(
        &mut self,
        solver: &Solver,
        begin: f64,
        reached: f64,
    ) -> Result<(), Error>
    where
        Eqn: OdeEquations<T = f64, V = NalgebraVec<f64>> + 'p,
        Solver: OdeSolverMethod<'p, Eqn>,
    {
        let (mut before, mut after) = (self.time - begin, reached);
        let mut y = solver.state().y.clone();
        self.unknowns.copy_from_slice(y.inner().as_slice());
        for _ in 0..HALVINGS {
            let middle = before + 0.5 * (after - before);
            if !(before < middle && middle < after) {
                break;
            }
            solver.interpolate_inplace(middle, &mut y).map_err(refused)?;
            if self.event_at(begin + middle, y.inner().as_slice()) {
                after = middle;
                self.unknowns.copy_from_slice(y.inner().as_slice());
            } else {
                before = middle;
            }
        }
        self.time = begin + after;
        Ok(())
    }

    /// Whether a contact has opened or closed, or the stop function is not negative any more.
    fn event_at(&self, time: f64, y: &[f64]) -> bool {
        self.equations.borrow_mut().opened_or_closed(y) || self.stops_at(time, y)
    }

    fn stops_at(&self, time: f64, y: &[f64]) -> bool {
        let reached = |stop: &dyn Fn(&Snapshot<'_>) -> f64| {
            stop(&self.equations.borrow_mut().snapshot(time, y)) >= 0.0
        };
        self.stop.is_some_and(reached)
    }

    fn observe(&mut self) {
        let mut equations = self.equations.borrow_mut();
        (self.observer)(&equations.snapshot(self.time, &self.unknowns));
    }
}

/// What the end of a solver means: a status where the motion is to blame.
fn failed(error: DiffsolError) -> Result<Status, Error> {
    match error {
        DiffsolError::OdeSolverError(
            OdeSolverError::StepSizeTooSmall { .. }
            | OdeSolverError::TooManyErrorTestFailures { .. },
        ) => Ok(Status::StepTooSmall),
        other => Err(refused(other)),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is the argument of `map_err`")]
fn refused(error: DiffsolError) -> Error {
    Error::Solver { reason: error.to_string() }
}
