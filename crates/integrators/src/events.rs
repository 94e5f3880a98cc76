//! Steps of a solver for differential equations up to the first event.

use diffsol::{
    NalgebraVec, OdeEquations, OdeSolverMethod, OdeSolverStopReason, Vector, VectorCommon,
    error::{DiffsolError, OdeSolverError},
};

/// How often the interval around an event is halved, at most: as often as doubles allow.
const HALVINGS: usize = 1100;

/// Writes the unknowns at a time within the last step.
pub(crate) type Between<'a> = dyn FnMut(f64, &mut [f64]) -> Result<(), DiffsolError> + 'a;

/// What looks at the steps.
pub(crate) trait Watch {
    /// How often a step that ends at `y` is to be looked at, at least once: at its end.
    fn looks(&self, y: &[f64]) -> usize {
        let _ = y;
        1
    }

    /// Whether the event has happened at the time `t` (s) after the begin, at `y`.
    fn has_happened(&mut self, t: f64, y: &[f64]) -> bool;

    /// Takes over a step without event that began at `from` and ends at `to` with `y`; `between` interpolates
    /// the unknowns in it.
    fn accept(
        &mut self,
        from: f64,
        to: f64,
        y: &[f64],
        between: &mut Between<'_>,
    ) -> Result<(), DiffsolError>;

    /// Takes drift out of `y` after a step without event, together with its `rate`; says whether it did.
    ///
    /// Only solvers of one step may be corrected. The default leaves everything as it is.
    fn correct(&mut self, t: f64, y: &mut [f64], rate: &mut [f64]) -> bool {
        let _ = (t, y, rate);
        false
    }
}

/// Why steps ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The event has just happened.
    Event,
    /// The end of the span is reached.
    Span,
    StepLimit,
    StepTooSmall,
    NotConverged,
    NotFinite,
}

/// Steps until the event or the end of the span (s), counts in `steps`, and stays below `limit`.
///
/// The moment of the event is found by halving, to rounding, and is the first of its two neighbors at
/// which the event has happened; the step to there is accepted.
pub(crate) fn step_to_event<'p, Eqn, Solver>(
    solver: &mut Solver,
    span: f64,
    (steps, limit): (&mut usize, usize),
    watch: &mut impl Watch,
) -> Result<Ending, DiffsolError>
where
    Eqn: OdeEquations<T = f64, V = NalgebraVec<f64>> + 'p,
    Solver: OdeSolverMethod<'p, Eqn>,
{
    if solver.set_stop_time(span).is_err() {
        // What is left is below the rounding of time.
        return Ok(Ending::Span);
    }
    let mut from = 0.0;
    let mut y = solver.state().y.clone();
    loop {
        if *steps == limit {
            return Ok(Ending::StepLimit);
        }
        let reason = match solver.step() {
            Ok(reason) => reason,
            Err(error) => return failed(error),
        };
        *steps += 1;
        let mut to = solver.state().t;
        y.clone_from(solver.state().y);
        if !y.inner().iter().all(|y| y.is_finite()) {
            return Ok(Ending::NotFinite);
        }
        let happened = look(solver, from, &mut to, &mut y, watch)?;
        let mut inside = y.clone();
        let mut between = |t: f64, unknowns: &mut [f64]| {
            solver.interpolate_inplace(t, &mut inside)?;
            unknowns.copy_from_slice(inside.inner().as_slice());
            Ok(())
        };
        watch.accept(from, to, y.inner().as_slice(), &mut between)?;
        if happened {
            return Ok(Ending::Event);
        }
        if reason == OdeSolverStopReason::TstopReached {
            return Ok(Ending::Span);
        }
        let mut rate = solver.state().dy.clone();
        if watch.correct(to, y.inner_mut().as_mut_slice(), rate.inner_mut().as_mut_slice()) {
            let state = solver.state_mut();
            state.y.clone_from(&y);
            state.dy.clone_from(&rate);
        }
        from = to;
    }
}

/// Looks whether the event happens in a step from `from` to `to`; if so, moves `to` and `y` to its first moment.
fn look<'p, Eqn, Solver>(
    solver: &Solver,
    from: f64,
    to: &mut f64,
    y: &mut NalgebraVec<f64>,
    watch: &mut impl Watch,
) -> Result<bool, DiffsolError>
where
    Eqn: OdeEquations<T = f64, V = NalgebraVec<f64>> + 'p,
    Solver: OdeSolverMethod<'p, Eqn>,
{
    let (mut before, end) = (from, *to);
    let looks = watch.looks(y.inner().as_slice());
    let mut inside = y.clone();
    for k in 1..looks {
        let time = from + (end - from) * (k as f64 / looks as f64);
        solver.interpolate_inplace(time, &mut inside)?;
        if watch.has_happened(time, inside.inner().as_slice()) {
            y.clone_from(&inside);
            *to = first_moment(solver, before, time, y, watch)?;
            return Ok(true);
        }
        before = time;
    }
    let happened = watch.has_happened(end, y.inner().as_slice());
    if happened {
        *to = first_moment(solver, before, end, y, watch)?;
    }
    Ok(happened)
}

/// The first time at which the event has happened, and `y` there.
fn first_moment<'p, Eqn, Solver>(
    solver: &Solver,
    mut before: f64,
    mut after: f64,
    y: &mut NalgebraVec<f64>,
    watch: &mut impl Watch,
) -> Result<f64, DiffsolError>
where
    Eqn: OdeEquations<T = f64, V = NalgebraVec<f64>> + 'p,
    Solver: OdeSolverMethod<'p, Eqn>,
{
    let mut inside = y.clone();
    for _ in 0..HALVINGS {
        let middle = before + 0.5 * (after - before);
        if !(before < middle && middle < after) {
            break;
        }
        solver.interpolate_inplace(middle, &mut inside)?;
        if watch.has_happened(middle, inside.inner().as_slice()) {
            after = middle;
            y.clone_from(&inside);
        } else {
            before = middle;
        }
    }
    Ok(after)
}

/// The ending that an error of the solver means, where the motion is to blame.
fn failed(error: DiffsolError) -> Result<Ending, DiffsolError> {
    match error {
        DiffsolError::OdeSolverError(
            OdeSolverError::StepSizeTooSmall { .. }
            | OdeSolverError::TooManyErrorTestFailures { .. },
        ) => Ok(Ending::StepTooSmall),
        DiffsolError::OdeSolverError(OdeSolverError::TooManyNonlinearSolverFailures { .. }) => {
            Ok(Ending::NotConverged)
        }
        other => Err(other),
    }
}
