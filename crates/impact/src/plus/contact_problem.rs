//! An interval as one frictional contact problem, where dropping constraints and Newton's method find no directions of
//! impending slip.
//!
//! For every point that does not keep sliding, Table 1 states Coulomb's law with the velocity at the end of the interval.
//! Together these are the [problem](mixed) of contact solvers, which redundant points and nearly dependent rows do not
//! stop:
//!
//! | point | block |
//! | --- | --- |
//! | compressing, not sliding | a contact |
//! | expanding, not sliding | a contact whose normal is decoupled from the others and has the impulse that is owed |
//! | compressing, sliding along `ŝ` | a normal row; its friction `−μ π_n ŝ` is that of the solution before |
//! | expanding, sliding | none: all its impulses are given |
//!
//! The problem is solved again until the friction of the sliding points no longer changes. Its answer says which points
//! are free, roll or slip, and with which `σ`. The caller solves the equations of these states and checks the result
//! like any other.
//!
//! - **Finds** an answer for redundant points too. Without sliding points there is one wherever some velocity makes no
//!   point approach. With sliding points the repetition can diverge.
//! - **Cost** that of a solver of contact problems, with allocations; meant for the few intervals in which it is necessary.

use nalgebra::DMatrix;
use percussion_complementarity::friction::mixed::{Block, Problem, Section, Settings};

use super::{
    continuation::Frame,
    equations::{Equations, ROUNDING, end, end_slip, largest},
    point::{Motion, Phase, Point, State},
};

/// Relative residual that is asked for, and the one that suffices to tell the states.
const TOLERANCE: f64 = 1e-12;
const SUFFICIENT: f64 = 1e-9;
/// Maximum number of sweeps and Newton steps.
const ITERATIONS: usize = 5_000;
/// Maximum number of solutions for the friction of sliding points, and the change of this friction at which they end, relative
/// to the largest impulse.
const REPETITIONS: usize = 50;
const SETTLED: f64 = 1e-8;
/// The repetition diverges if this change has grown so many times.
const GROWTHS: usize = 3;
/// Multiply-adds that take as long as the work of a solution that does not depend on the number of rows.
const OVERHEAD: usize = 5_000;

/// A row of the contact problem.
#[derive(Clone, Copy, Debug)]
struct Row {
    /// Row of the interval.
    row: usize,
    /// The impulse, if it is given: a row that is decoupled from the others.
    given: Option<f64>,
}

/// Writes the impulses of the interval into `impulse`, the states at its end into `states` and slips and directions into
/// `points`. Returns false where no answer is found.
pub(super) fn solve(
    frame: Frame<'_>,
    equations: &mut Equations,
    points: &mut [Point],
    states: &mut [State],
    impulse: &mut [f64],
) -> bool {
    states.copy_from_slice(frame.start);
    let (rows, blocks) = statement(points, states);
    let size = rows.len();
    let couples = |row: &Row| row.given.is_none();
    let delassus = DMatrix::from_fn(size, size, |i, j| match i == j {
        true if !couples(&rows[i]) => 1.0,
        false if !couples(&rows[i]) || !couples(&rows[j]) => 0.0,
        _ => frame.delassus[(rows[i].row, rows[j].row)],
    });
    let Ok(mut problem) = Problem::new(delassus, vec![0.0; size], blocks) else { return false };
    let settings =
        Settings { tolerance: TOLERANCE, max_iterations: ITERATIONS, ..Settings::default() };
    let mut unknowns = vec![0.0; size];
    prescribe(points, states, impulse);
    let (mut last, mut growths) = (f64::INFINITY, 0);
    for _ in 0..REPETITIONS {
        for row in rows.iter().filter(|row| couples(row)) {
            impulse[row.row] = 0.0;
        }
        let velocity = |row: &Row| {
            let coupled = || end(frame.delassus, frame.velocity, row.row, impulse);
            row.given.map_or_else(coupled, |given| -given)
        };
        let free: Vec<_> = rows.iter().map(velocity).collect();
        if problem.set_free_velocity(&free).is_err() {
            return false;
        }
        let Ok(report) = problem.solve_from(&settings, &mut unknowns) else { return false };
        equations.spend(OVERHEAD + 2 * size.pow(3) + size * (4 * size + 100) * report.iterations);
        if report.relative_residual > SUFFICIENT || equations.is_spent() {
            return false;
        }
        for (row, unknown) in rows.iter().zip(&unknowns) {
            impulse[row.row] = row.given.unwrap_or(*unknown);
        }
        let change = rub(points, states, impulse);
        if change <= SETTLED * largest(impulse) {
            tell(frame, points, states, impulse);
            return true;
        }
        growths += usize::from(change >= last);
        if growths == GROWTHS {
            return false;
        }
        last = change;
    }
    false
}

/// The rows and blocks of the problem.
fn statement(points: &[Point], states: &[State]) -> (Vec<Row>, Vec<Block>) {
    let (mut rows, mut blocks) = (Vec::new(), Vec::new());
    for (point, state) in points.iter().zip(states) {
        let slides = state.motion == Motion::Sliding;
        let given = (state.phase == Phase::Expanding).then_some(point.owed);
        if state.motion == Motion::Free || (slides && given.is_some()) {
            continue;
        }
        let tangents = if slides { 0 } else { point.tangents };
        rows.push(Row { row: point.normal, given });
        rows.extend((1..=tangents).map(|place| Row { row: point.normal + place, given: None }));
        let section = Section::Disc(if slides { 0.0 } else { point.friction });
        blocks.push(Block { rows: 1 + tangents, ..Block::contact(section) });
    }
    (rows, blocks)
}

/// Sets `impulse` to the impulses that are given.
fn prescribe(points: &[Point], states: &[State], impulse: &mut [f64]) {
    impulse.fill(0.0);
    for (point, state) in points.iter().zip(states) {
        if state.phase == Phase::Expanding && state.motion != Motion::Free {
            impulse[point.normal] = point.owed;
        }
    }
    rub(points, states, impulse);
}

/// Sets the friction of the sliding points; returns its largest change.
fn rub(points: &[Point], states: &[State], impulse: &mut [f64]) -> f64 {
    let mut change = 0.0_f64;
    for (point, _) in points.iter().zip(states).filter(|(_, s)| s.motion == Motion::Sliding) {
        let normal = impulse[point.normal];
        let rows = &mut impulse[point.normal + 1..][..point.tangents];
        for (entry, friction) in rows.iter_mut().zip(point.friction_direction()) {
            change = change.max((friction * normal - *entry).abs());
            *entry = friction * normal;
        }
    }
    change
}

/// Tells the states from the impulses.
fn tell(frame: Frame<'_>, points: &mut [Point], states: &mut [State], impulse: &mut [f64]) {
    let negligible = ROUNDING * largest(impulse);
    for (point, state) in points.iter_mut().zip(states) {
        point.slip = 0.0;
        if state.phase == Phase::Compressing && impulse[point.normal] <= negligible {
            state.motion = Motion::Free;
            impulse[point.normal..=point.normal + point.tangents].fill(0.0);
        } else if state.motion == Motion::Rolling {
            let speed = end_slip(frame.delassus, frame.velocity, point, impulse);
            if speed > frame.approach {
                state.motion = Motion::ImpendingSlip;
                point.slip = speed / point.tangential_norm(impulse);
                point.slide_against(impulse);
            }
        }
    }
}
