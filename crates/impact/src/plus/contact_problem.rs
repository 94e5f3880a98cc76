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
    equations::{Equations, ROUNDING},
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
    prescribe(points, states, impulse);
    let Ok(mut problem) = Problem::new(delassus, free_velocity(frame, &rows, impulse), blocks)
    else {
        return false;
    };
    let settings =
        Settings { tolerance: TOLERANCE, max_iterations: ITERATIONS, ..Settings::default() };
    let mut unknowns = vec![0.0; size];
    for _ in 0..REPETITIONS {
        let Ok(report) = problem.solve_from(&settings, &mut unknowns) else { return false };
        equations.spend(2 * size * size * (1 + report.iterations));
        if report.relative_residual > SUFFICIENT || equations.is_spent() {
            return false;
        }
        for (row, unknown) in rows.iter().zip(&unknowns) {
            impulse[row.row] = row.given.unwrap_or(*unknown);
        }
        if rub(points, states, impulse) <= SETTLED * largest(impulse) {
            tell(frame, points, states, impulse);
            return true;
        }
        let mut friction = impulse.to_vec();
        for row in rows.iter().filter(|row| couples(row)) {
            friction[row.row] = 0.0;
        }
        if problem.set_free_velocity(&free_velocity(frame, &rows, &friction)).is_err() {
            return false;
        }
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

/// The velocity of the rows with these impulses alone.
fn free_velocity(frame: Frame<'_>, rows: &[Row], impulse: &[f64]) -> Vec<f64> {
    let velocity =
        |row: &Row| row.given.map_or_else(|| end(frame, row.row, impulse), |given| -given);
    rows.iter().map(velocity).collect()
}

/// Tells the states from the impulses.
fn tell(frame: Frame<'_>, points: &mut [Point], states: &mut [State], impulse: &mut [f64]) {
    let negligible = ROUNDING * largest(impulse);
    for (point, state) in points.iter_mut().zip(states) {
        point.slip = 0.0;
        let rows = point.normal..=point.normal + point.tangents;
        if state.phase == Phase::Compressing && impulse[point.normal] <= negligible {
            state.motion = Motion::Free;
            rows.for_each(|row| impulse[row] = 0.0);
        } else if state.motion == Motion::Rolling {
            let squares = rows.skip(1).map(|row| end(frame, row, impulse).powi(2));
            let speed = squares.sum::<f64>().sqrt();
            if speed <= frame.approach {
                continue;
            }
            state.motion = Motion::ImpendingSlip;
            let [x, y] = point.tangential(impulse);
            let size = point.tangential_norm(impulse);
            (point.slip, point.direction) = if size > 0.0 {
                (speed / size, [-x / size, -y / size])
            } else {
                (f64::INFINITY, [0.0; 2])
            };
        }
    }
}

/// The velocity of a row with these impulses (m/s).
fn end(frame: Frame<'_>, row: usize, impulse: &[f64]) -> f64 {
    let column = frame.delassus.column(row);
    frame.velocity[row] + column.iter().zip(impulse).map(|(w, p)| w * p).sum::<f64>()
}

fn largest(list: &[f64]) -> f64 {
    list.iter().fold(0.0, |most, entry| most.max(entry.abs()))
}
