//! Steps of a solver for differential equations up to the first event.

use diffsol::{
    NalgebraVec, OdeEquations, OdeSolverMethod, OdeSolverStopReason, Vector, VectorCommon,
    error::{DiffsolError, OdeSolverError},
};

/// Maximum number of bisections of the interval around an event: as many as doubles allow, which is some
/// fifty unless the interval begins at zero.
const HALVINGS: usize = 1100;

/// Maximum number of secants that narrow the interval around an event.
const SECANTS: usize = 16;

/// Maximum motion of bodies between two evaluations of their gaps, as a fraction of the length of the model:
/// a body that passes through another overlaps it for longer, unless it grazes it.
const STRIDE: f64 = 0.25;

/// Number of evaluations in a step that moves coordinates from `before` to `after`; `strides` are their
/// changes while bodies move by the length of the model.
pub(crate) fn looks_between(before: &[f64], after: &[f64], strides: &[f64]) -> usize {
    let moved = before.iter().zip(after).zip(strides);
    let moved = moved.map(|((q, r), stride)| (r - q).abs() / stride).fold(0.0, f64::max);
    // A cast saturates.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 1 to 1e4")]
    let looks = (moved / STRIDE).ceil().clamp(1.0, 1e4) as usize;
    looks
}

/// Writes the unknowns at a time within the last step.
pub(crate) type Between<'a> = dyn FnMut(f64, &mut [f64]) -> Result<(), DiffsolError> + 'a;

/// An observer that detects the event in the steps.
pub(crate) trait Watch {
    /// Number of evaluations in a step that ends at `y`: at least one, at its end.
    fn looks(&self, y: &[f64]) -> usize {
        let _ = y;
        1
    }

    /// Times that are no farther apart than this are equal: the rounding of the time from which motion
    /// counts, in the time of the solver. By default the resolution is that of doubles.
    fn resolution(&self) -> f64 {
        0.0
    }

    /// Whether the limit of work has been reached.
    fn is_exhausted(&self) -> bool {
        false
    }

    /// Whether the event has happened at the time `t` (s) after the begin, at `y`.
    fn has_happened(&mut self, t: f64, y: &[f64]) -> bool;

    /// A continuous quantity that the event which [`has_happened`](Self::has_happened) last reported makes
    /// negative, at the state of its last call. The default, `None`, leaves the search for the moment to
    /// bisection.
    fn margin(&mut self, y: &[f64]) -> Option<f64> {
        let _ = y;
        None
    }

    /// Whether the event that [`has_happened`](Self::has_happened) last reported is another one than the time
    /// before.
    fn is_another(&self) -> bool {
        false
    }

    /// Whether contacts that dip into their surfaces between two evaluations are searched for.
    fn follows_gaps(&self) -> bool {
        false
    }

    /// Writes the gaps of contacts that may close and their rates, at the state of the last call of
    /// [`has_happened`](Self::has_happened); empty where they are not followed.
    fn gaps(&mut self, t: f64, y: &[f64], gaps: &mut Vec<[f64; 2]>) {
        let _ = (t, y);
        gaps.clear();
    }

    /// The unit of time of the rates of gaps, in units of the solver's time.
    fn unit(&self) -> f64 {
        1.0
    }

    /// Accepts a step without event that began at `from` and ends at `to` with `y`; `between` interpolates
    /// the unknowns in it.
    fn accept(
        &mut self,
        from: f64,
        to: f64,
        y: &[f64],
        between: &mut Between<'_>,
    ) -> Result<(), DiffsolError>;

    /// Removes drift from `y` after a step without event and updates its `rate`; returns whether it did.
    ///
    /// Only one-step solvers may be corrected. The default changes nothing.
    fn correct(&mut self, t: f64, y: &mut [f64], rate: &mut [f64]) -> bool {
        let _ = (t, y, rate);
        false
    }
}

/// Reasons why the steps ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The event has just happened.
    Event,
    /// The end of the span is reached.
    Span,
    StepLimit,
    WorkLimit,
    StepTooSmall,
    NotConverged,
    NotFinite,
}

/// Takes steps until the event or the end of the span (s), counts them in `steps`, and stays below `limit`.
///
/// The time of the event is found by bisection, to rounding or to the [resolution](Watch::resolution). Of the
/// two neighboring times it is the first at which the event has happened; the step to there is accepted.
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
        // The remainder is below the rounding of time.
        return Ok(Ending::Span);
    }
    let mut from = 0.0;
    let mut y = solver.state().y.clone();
    loop {
        if *steps == limit {
            return Ok(Ending::StepLimit);
        }
        if watch.is_exhausted() {
            return Ok(Ending::WorkLimit);
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

/// Checks whether the event happens in a step from `from` to `to`; if so, moves `to` and `y` to its first
/// moment.
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
    let (mut last, mut gaps) = (Vec::new(), Vec::new());
    if watch.follows_gaps() {
        solver.interpolate_inplace(from, &mut inside)?;
        watch.has_happened(from, inside.inner().as_slice());
        watch.gaps(from, inside.inner().as_slice(), &mut last);
    }
    for k in 1..=looks {
        let time = if k == looks { end } else { from + (end - from) * (k as f64 / looks as f64) };
        if k == looks {
            inside.clone_from(y);
        } else {
            solver.interpolate_inplace(time, &mut inside)?;
        }
        let mut happened = watch.has_happened(time, inside.inner().as_slice());
        let mut after = time;
        if !happened {
            watch.gaps(time, inside.inner().as_slice(), &mut gaps);
            // Contacts that were found since the last evaluation had no gap there.
            for contact in 0..gaps.len().min(last.len()) {
                let ends = [last[contact], gaps[contact]];
                if let Some(dip) = dip(solver, [before, time], ends, contact, &mut inside, watch)? {
                    (happened, after) = (true, dip);
                    break;
                }
            }
        }
        if happened {
            y.clone_from(&inside);
            *to = first_moment(solver, before, after, y, watch)?;
            return Ok(true);
        }
        std::mem::swap(&mut last, &mut gaps);
        before = time;
    }
    Ok(false)
}

/// A time between two evaluations with an open contact at which the event has happened because the contact
/// dips into its surface, and the unknowns there.
///
/// This is possible where the contact closes at the first and opens at the second, and the tangents of its
/// gap meet below zero.
fn dip<'p, Eqn, Solver>(
    solver: &Solver,
    [mut before, mut after]: [f64; 2],
    [mut first, mut second]: [[f64; 2]; 2],
    contact: usize,
    inside: &mut NalgebraVec<f64>,
    watch: &mut impl Watch,
) -> Result<Option<f64>, DiffsolError>
where
    Eqn: OdeEquations<T = f64, V = NalgebraVec<f64>> + 'p,
    Solver: OdeSolverMethod<'p, Eqn>,
{
    let mut gaps = Vec::new();
    for _ in 0..HALVINGS {
        let ([g, u], [h, w]) = (first, second);
        let duration = watch.unit() * (after - before);
        let lowest = (g * w - h * u + u * w * duration) / (w - u);
        let may = u < 0.0 && w > 0.0 && lowest < 0.0;
        let middle = before + 0.5 * (after - before);
        if !(may && after - before > watch.resolution() && before < middle && middle < after) {
            return Ok(None);
        }
        solver.interpolate_inplace(middle, inside)?;
        if watch.has_happened(middle, inside.inner().as_slice()) {
            return Ok(Some(middle));
        }
        watch.gaps(middle, inside.inner().as_slice(), &mut gaps);
        if gaps[contact][1] < 0.0 {
            (before, first) = (middle, gaps[contact]);
        } else {
            (after, second) = (middle, gaps[contact]);
        }
    }
    Ok(None)
}

/// The first time at which the event has happened, and `y` there.
///
/// Bisection, which would take some fifty evaluations. [Secants](narrow) of the margin first find a narrow
/// interval, and only times within it are evaluated. Rounding of the event may change the result.
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
    let [not_yet, by_then] = narrow(solver, [before, after], &mut inside, watch)?;
    let last = after;
    for _ in 0..HALVINGS {
        let middle = before + 0.5 * (after - before);
        let apart = after - before > watch.resolution();
        if !(apart && before < middle && middle < after) {
            break;
        }
        let happened = match middle {
            middle if middle <= not_yet => false,
            middle if middle >= by_then => true,
            _ => {
                solver.interpolate_inplace(middle, &mut inside)?;
                watch.has_happened(middle, inside.inner().as_slice())
            }
        };
        if happened {
            after = middle;
        } else {
            before = middle;
        }
    }
    if after < last {
        solver.interpolate_inplace(after, y)?;
    }
    Ok(after)
}

/// A narrow interval that contains the moment of an event between `before`, where nothing is known, and
/// `after`, which was evaluated last.
///
/// Secants of the [margin](Watch::margin) with the weights of the Illinois rule. Where an earlier event is met,
/// its margin replaces the former one.
///
/// # Source
///
/// M. Dowell, P. Jarratt, "A modified regula falsi method for computing the root of an equation", *BIT* 11
/// (1971) 168–174.
fn narrow<'p, Eqn, Solver>(
    solver: &Solver,
    [mut before, mut after]: [f64; 2],
    inside: &mut NalgebraVec<f64>,
    watch: &mut impl Watch,
) -> Result<[f64; 2], DiffsolError>
where
    Eqn: OdeEquations<T = f64, V = NalgebraVec<f64>> + 'p,
    Solver: OdeSolverMethod<'p, Eqn>,
{
    let whole = [before, after];
    let Some(mut of_after) = watch.margin(inside.inner().as_slice()) else { return Ok(whole) };
    // The margin before is that of another event, and has to be evaluated.
    let mut is_new = true;
    let (mut of_before, mut side) = (0.0, 0);
    for _ in 0..SECANTS {
        if is_new {
            solver.interpolate_inplace(before, inside)?;
            if watch.has_happened(before, inside.inner().as_slice()) {
                return Ok(whole);
            }
            of_before = watch.margin(inside.inner().as_slice()).unwrap_or(f64::NAN);
            (is_new, side) = (false, 0);
        }
        let middle = before + (after - before) * (of_before / (of_before - of_after));
        let apart = after - before > watch.resolution();
        if !(apart && before < middle && middle < after) {
            break;
        }
        solver.interpolate_inplace(middle, inside)?;
        let happened = watch.has_happened(middle, inside.inner().as_slice());
        let margin = watch.margin(inside.inner().as_slice()).unwrap_or(f64::NAN);
        if happened {
            is_new = watch.is_another();
            (after, of_after) = (middle, margin);
            of_before *= if side > 0 { 0.5 } else { 1.0 };
            side = 1;
        } else {
            (before, of_before) = (middle, margin);
            of_after *= if side < 0 { 0.5 } else { 1.0 };
            side = -1;
        }
    }
    Ok([before, after])
}

/// The ending that corresponds to a solver error, where the motion is its cause.
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

#[cfg(test)]
mod tests {
    use diffsol::{NalgebraMat, OdeBuilder};

    use super::*;

    /// Ends where `y₀ = e^{-t}` falls below 0.3 or `y₁ = cos t` below `level`.
    struct Levels {
        level: f64,
        has_margins: bool,
        found: Option<usize>,
        is_another: bool,
        count: usize,
        moment: f64,
    }

    impl Levels {
        fn margins(&self, y: &[f64]) -> [f64; 2] {
            [y[0] - 0.3, y[1] - self.level]
        }
    }

    impl Watch for Levels {
        fn has_happened(&mut self, _t: f64, y: &[f64]) -> bool {
            self.count += 1;
            let found = self.margins(y).iter().position(|margin| *margin < 0.0);
            if found.is_some() {
                self.is_another = self.found != found;
                self.found = found;
            }
            found.is_some()
        }

        fn margin(&mut self, y: &[f64]) -> Option<f64> {
            self.has_margins.then(|| self.margins(y)[self.found.unwrap()])
        }

        fn is_another(&self) -> bool {
            self.is_another
        }

        fn accept(
            &mut self,
            _from: f64,
            to: f64,
            _y: &[f64],
            _between: &mut Between<'_>,
        ) -> Result<(), DiffsolError> {
            self.moment = to;
            Ok(())
        }
    }

    /// The moment of the event and the number of evaluations.
    fn find(level: f64, has_margins: bool) -> (f64, usize) {
        let problem = OdeBuilder::<NalgebraMat<f64>>::new()
            .rhs(|y, _, _, rate| {
                rate[0] = -y[0];
                rate[1] = -y[2];
                rate[2] = y[1];
            })
            .init(|_, _, y| y.copy_from_slice(&[1.0, 1.0, 0.0]), 3)
            .rtol(1e-10)
            .atol([1e-10; 3])
            .build()
            .unwrap();
        let mut solver = problem.tsit45().unwrap();
        let mut levels = Levels {
            level,
            has_margins,
            found: None,
            is_another: false,
            count: 0,
            moment: f64::NAN,
        };
        let mut steps = 0;
        let ending = step_to_event(&mut solver, 9.0, (&mut steps, 1000), &mut levels).unwrap();
        assert_eq!(ending, Ending::Event, "level {level}");
        (levels.moment, levels.count - steps)
    }

    #[test]
    fn secants_find_the_moment_of_bisection_with_fewer_evaluations() {
        // Also a second event shortly before the first, at the same time, and shortly after it.
        let first = (1.0_f64 / 0.3).ln();
        for offset in [-1.0, -1e-3, -1e-9, 0.0, 1e-9, 1e-3, 1.0] {
            let level = (first + offset).cos();
            let (by_bisection, many) = find(level, false);
            let (moment, few) = find(level, true);
            assert!((moment - by_bisection).abs() < 1e-15, "offset {offset}: {moment:e}");
            let exact = first + offset.min(0.0);
            assert!((moment - exact).abs() < 1e-9, "offset {offset}: {moment} for {exact}");
            assert!(many > 40, "offset {offset}: {many}");
            assert!(few < 20, "offset {offset}: {few}");
        }
    }
}
