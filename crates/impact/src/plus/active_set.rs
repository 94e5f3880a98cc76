//! The active constraints of an interval: the heuristic of the law, and an exhaustive search.
//!
//! At the start of an interval it is known which points compress, expand and observe, and which of them
//! slide. All other points should roll, and all compressing ones push.
//!
//! - The **heuristic** drops the constraint with the largest violation and solves again: a rolling point
//!   outside its cone enters impending slip, a point that would pull becomes free. Violations that differ
//!   only by rounding are dropped together, so that the answer to a symmetric problem is symmetric. Each pass
//!   leaves fewer constraints, so there are at most two passes for each point, and one more.
//! - The **exhaustive search** tries every combination. Among those that satisfy everything in Table 1 it
//!   takes those with the most constraints, among these the one with the least norm of impulses, and in case
//!   of a tie the first. It takes up to `3^m` solutions for `m` points.
//! - The **[contact problem](super::contact_problem)** states Coulomb's law for all points at once. It is used where the
//!   heuristic finds no direction of impending slip or no impulse that pushes, and where the exhaustive search finds
//!   nothing that satisfies everything. Of redundant points its impulses need not be those of least norm.
//! - The **[continuation](super::continuation)** follows the friction from zero to its value, where the contact problem gives
//!   no answer. If it fails for the heuristic, the exhaustive search follows, with up to 8 contacts. An answer of any of
//!   these is checked against all of Table 1.
//!
//! The table shows how often heuristic and search differ. Of 10 000 random impacts for each row, with one to
//! four contacts, `θ_max` 0.25 and rows and velocities between −1 and 1, the outcomes of this fraction differ
//! by more than 1e-8:
//!
//! | velocities | `e` | `μ` up to | differ | energy, of that before | approach left (m/s) | intervals that leave an approach, in impacts: heuristic / exhaustive | unsolved or at a limit, heuristic / exhaustive |
//! | --- | --- | --- | --- | --- | --- | --- | --- |
//! | 12 | 0 | 0.8 | 0.16 % | 3 % | 1.5 | 22 / 5 | 0 / 0 |
//! | 12 | any | 0.8 | 0.14 % | 4 % | 1.2 | 20 / 6 | 0 / 0 |
//! | 6 | any | 0.6 | 0.45 % | 22 % | 1.2 | 49 / 1 | 0 / 0 |
//! | 6 | 1 | 1 | 1.6 % | 265 % | 3.9 | 206 / 61 | 0 / 0 |
//! | 6 | 0 | 1.5 | 2.6 % | 350 % | 4.1 | 399 / 148 | 2 / 2 |
//!
//! The energy is the largest difference between the two outcomes, and the approach left the largest difference between
//! the worst [`violation`](super::Report::violation) of their intervals. Momentum, cones and signs hold to 1e-14 of the impulses in all
//! of them. The rows are drawn without regard to
//! any body, so jams and redundancy are far more frequent than among real contacts. Where the exhaustive
//! search leaves an approach, no combination satisfied everything. Impacts that end unsolved or at a limit
//! have this status. The example `plus_search` of the benches prints this table with the figures of the
//! certificates.
//!
//! # Source
//!
//! T. K. Uchida, M. A. Sherman, S. L. Delp, "Making a meaningful impact", *Proceedings of the Royal
//! Society A* 471 (2015) 20140859, section 3(b), Table 1 and Algorithm 1.

use super::{
    contact_problem,
    continuation::{Continuation, Frame},
    equations::{Equations, Given, ROUNDING, SlipRule, end, largest},
    point::{Motion, Phase, Point, State},
    slip::{self, Slip},
    spread::{Spread, is_held},
};

/// Softness of contacts in the continuation, small compared with the mesh in which it searches for
/// directions.
const SOFTNESS: f64 = 1e-6;

/// Memory of the search.
#[derive(Clone, Debug, Default)]
pub(super) struct Search {
    slip: Slip,
    continuation: Continuation,
    equations: Equations,
    spread: Spread,
    start: Vec<State>,
    best: Vec<State>,
    best_impulse: Vec<f64>,
    best_directions: Vec<[f64; 2]>,
}

/// Result of a search, apart from states and impulses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// Sets of constraints that were tried.
    pub(super) passes: usize,
    /// Whether the search ended before the limit of passes.
    pub(super) complete: bool,
    /// Whether the directions of impending slip have converged.
    pub(super) slip_converged: bool,
}

/// The data that all sets of constraints of an interval share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Setting<'a> {
    pub(super) delassus: &'a nalgebra::DMatrix<f64>,
    pub(super) velocity: &'a [f64],
    pub(super) rank_tolerance: f64,
    pub(super) pass_limit: usize,
    /// Normal velocity that counts as approach (m/s).
    pub(super) approach: f64,
}

impl<'a> Setting<'a> {
    const fn frame(&self, start: &'a [State]) -> Frame<'a> {
        let &Self { delassus, velocity, rank_tolerance, approach, .. } = self;
        Frame { delassus, velocity, start, rank_tolerance, approach }
    }
}

impl Search {
    /// Begins an impact with this limit of work.
    pub(super) fn grant(&mut self, work_limit: u64) {
        (self.equations.work, self.equations.work_limit) = (0, work_limit);
    }

    /// Work done since, and whether the limit is reached.
    pub(super) const fn spent(&self) -> (u64, bool) {
        (self.equations.work, self.equations.is_spent())
    }

    /// Counts the work of an interval outside of its equations.
    pub(super) fn spend(&mut self, operations: usize) {
        self.equations.spend(operations);
    }

    /// Takes the states at the start of an interval.
    pub(super) fn begin(&mut self, states: &[State]) {
        self.start.clear();
        self.start.extend_from_slice(states);
    }

    /// Drops constraints from `states` until none is violated; impulses go into `impulse`.
    pub(super) fn heuristic(
        &mut self,
        setting: Setting<'_>,
        points: &mut [Point],
        states: &mut [State],
        impulse: &mut [f64],
    ) -> Found {
        let mut found = Found { passes: 0, complete: true, slip_converged: true };
        loop {
            if found.passes == setting.pass_limit || self.equations.is_spent() {
                found.complete = false;
                return found;
            }
            found.passes += 1;
            let end = self.solve(setting, points, states, impulse);
            found.slip_converged = end != slip::End::Stalled;
            if end == slip::End::Pulled {
                for (state, _) in
                    states.iter_mut().zip(&*points).filter(|(_, point)| point.slip.is_infinite())
                {
                    state.motion = Motion::Free;
                }
                continue;
            }
            let rounding = ROUNDING * largest(impulse);
            let violations = || {
                points.iter().zip(&*states).map(|(point, state)| violation(point, *state, impulse))
            };
            let worst = violations().fold(0.0, f64::max);
            if worst <= rounding {
                return found;
            }
            let least = worst - rounding;
            for (point, state) in points.iter().zip(states.iter_mut()) {
                if violation(point, *state, impulse) < least {
                    continue;
                }
                state.motion = match state.motion {
                    Motion::Rolling => Motion::ImpendingSlip,
                    _ => Motion::Free,
                };
            }
        }
    }

    /// Tries every set of constraints; see the [module](self).
    pub(super) fn exhaustive(
        &mut self,
        setting: Setting<'_>,
        points: &mut [Point],
        states: &mut [State],
        impulse: &mut [f64],
    ) -> Found {
        states.copy_from_slice(&self.start);
        let mut found = Found { passes: 0, complete: true, slip_converged: true };
        let mut best: Option<(usize, f64)> = None;
        loop {
            if found.passes == setting.pass_limit || self.equations.is_spent() {
                found.complete = false;
                break;
            }
            found.passes += 1;
            self.equations.spend(points.len());
            let count = constraints(points, states);
            if best.is_none_or(|(most, _)| count >= most) {
                let end = self.solve(setting, points, states, impulse);
                let norm = impulse.iter().map(|x| x * x).sum::<f64>().sqrt();
                let rounding = ROUNDING * largest(impulse);
                let better =
                    best.is_none_or(|(most, least)| count > most || norm < least - rounding);
                if better
                    && end == slip::End::Converged
                    && is_feasible(setting, points, states, impulse, rounding)
                {
                    best = Some((count, norm));
                    self.keep(points, states, impulse);
                }
            }
            if !next(points, states, &self.start) {
                break;
            }
        }
        if best.is_some() {
            self.restore(points, states, impulse);
            return found;
        }
        if self.otherwise(setting, points, states, impulse) {
            return Found { passes: found.passes + 1, ..found };
        }
        let heuristic = self.heuristic(setting, points, states, impulse);
        Found { passes: found.passes + heuristic.passes, ..heuristic }
    }

    /// Solves the interval as one [contact problem](contact_problem); where that fails, follows the friction from zero to
    /// its value. Returns false and leaves `states` unchanged if neither result satisfies all of Table 1.
    pub(super) fn otherwise(
        &mut self,
        setting: Setting<'_>,
        points: &mut [Point],
        states: &mut [State],
        impulse: &mut [f64],
    ) -> bool {
        let found = self.contact_problem(setting, points, states, impulse)
            || self.continuation(setting, points, states, impulse);
        if !found {
            states.copy_from_slice(&self.start);
        }
        found
    }

    fn contact_problem(
        &mut self,
        setting: Setting<'_>,
        points: &mut [Point],
        states: &mut [State],
        impulse: &mut [f64],
    ) -> bool {
        let frame = setting.frame(&self.start);
        if !contact_problem::solve(frame, &mut self.equations, points, states, impulse) {
            return false;
        }
        self.keep(points, states, impulse);
        if self.finish(setting, points, states, impulse) {
            return true;
        }
        // Not those of least norm, but everything else holds.
        self.restore(points, states, impulse);
        is_feasible(setting, points, states, impulse, ROUNDING * largest(impulse))
    }

    fn continuation(
        &mut self,
        setting: Setting<'_>,
        points: &mut [Point],
        states: &mut [State],
        impulse: &mut [f64],
    ) -> bool {
        (0..Continuation::ATTEMPTS).any(|attempt| {
            let frame = setting.frame(&self.start);
            let (path, equations) = (&mut self.continuation, &mut self.equations);
            equations.softness = SOFTNESS;
            let arrives = path.follow(attempt, frame, equations, points, states, impulse);
            equations.softness = 0.0;
            arrives && self.finish(setting, points, states, impulse)
        })
    }

    /// Solves the equations of these states, from these slips; returns whether all of Table 1 holds.
    fn finish(
        &mut self,
        setting: Setting<'_>,
        points: &mut [Point],
        states: &mut [State],
        impulse: &mut [f64],
    ) -> bool {
        let Setting { delassus, velocity, rank_tolerance, .. } = setting;
        let given = Given { delassus, velocity, states, rank_tolerance };
        let end = self.slip.solve_from_here(&given, &mut self.equations, points, impulse);
        self.spread(end, points, states, impulse);
        let rounding = ROUNDING * largest(impulse);
        end == slip::End::Converged && is_feasible(setting, points, states, impulse, rounding)
    }

    fn solve(
        &mut self,
        setting: Setting<'_>,
        points: &mut [Point],
        states: &[State],
        impulse: &mut [f64],
    ) -> slip::End {
        let Setting { delassus, velocity, rank_tolerance, .. } = setting;
        let given = Given { delassus, velocity, states, rank_tolerance };
        let end = if states.iter().any(|state| state.motion == Motion::ImpendingSlip) {
            self.slip.solve(&given, &mut self.equations, points, impulse)
        } else {
            self.equations.solve(&given, points, SlipRule::Directed, impulse);
            slip::End::Converged
        };
        self.spread(end, points, states, impulse);
        end
    }

    /// Spreads impulses of redundant points that leave their cones.
    fn spread(&mut self, end: slip::End, points: &[Point], states: &[State], impulse: &mut [f64]) {
        if end != slip::End::Pulled && self.equations.is_redundant() {
            let rounding = ROUNDING * largest(impulse);
            let outside = |(point, state): (&Point, &State)| {
                is_held(point, *state) && outside_cone(point, impulse) > rounding
            };
            if points.iter().zip(states).any(outside) {
                self.spread.solve(&mut self.equations, points, states, rounding, impulse);
            }
        }
    }

    fn keep(&mut self, points: &[Point], states: &[State], impulse: &[f64]) {
        self.best.clear();
        self.best.extend_from_slice(states);
        self.best_impulse.clear();
        self.best_impulse.extend_from_slice(impulse);
        self.best_directions.clear();
        self.best_directions.extend(points.iter().map(|point| point.direction));
    }

    fn restore(&self, points: &mut [Point], states: &mut [State], impulse: &mut [f64]) {
        states.copy_from_slice(&self.best);
        impulse.copy_from_slice(&self.best_impulse);
        for (point, direction) in points.iter_mut().zip(&self.best_directions) {
            point.direction = *direction;
        }
    }
}

/// Amount by which a point violates the conditions of its constraints (N·s).
fn violation(point: &Point, state: State, impulse: &[f64]) -> f64 {
    let normal = impulse[point.normal];
    let pull = if state.phase == Phase::Compressing { -normal } else { 0.0 };
    match state.motion {
        Motion::Free => 0.0,
        Motion::Rolling => pull.max(outside_cone(point, impulse)),
        Motion::ImpendingSlip | Motion::Sliding => pull,
    }
}

/// `‖π_t‖ − μ π_n`.
fn outside_cone(point: &Point, impulse: &[f64]) -> f64 {
    point.tangential_norm(impulse) - point.friction * impulse[point.normal]
}

/// Whether the impulses satisfy everything in Table 1.
fn is_feasible(
    setting: Setting<'_>,
    points: &[Point],
    states: &[State],
    impulse: &[f64],
    rounding: f64,
) -> bool {
    points.iter().zip(states).all(|(point, state)| {
        let rolls = state.motion == Motion::ImpendingSlip && point.slip == 0.0;
        let slips = !rolls || outside_cone(point, impulse) <= rounding;
        let stays = state.phase != Phase::Compressing || state.motion != Motion::Free || {
            end(setting.delassus, setting.velocity, point.normal, impulse) >= -setting.approach
        };
        slips && stays && violation(point, *state, impulse) <= rounding
    })
}

/// Number of active equations.
fn constraints(points: &[Point], states: &[State]) -> usize {
    let count = |(point, state): (&Point, &State)| {
        let normal = usize::from(state.phase == Phase::Compressing);
        match state.motion {
            Motion::Free => 0,
            Motion::Rolling => normal + point.tangents,
            Motion::ImpendingSlip | Motion::Sliding => normal,
        }
    };
    points.iter().zip(states).map(count).sum()
}

/// Advances to the next combination; returns false after the last one.
fn next(points: &[Point], states: &mut [State], start: &[State]) -> bool {
    for ((point, state), first) in points.iter().zip(states).zip(start) {
        let compresses = state.phase == Phase::Compressing;
        let following = match state.motion {
            Motion::Rolling => Some(Motion::ImpendingSlip),
            Motion::ImpendingSlip | Motion::Sliding if compresses => Some(Motion::Free),
            _ => None,
        };
        debug_assert!(point.tangents > 0 || state.motion != Motion::Rolling, "it has no friction");
        if let Some(motion) = following {
            state.motion = motion;
            return true;
        }
        *state = *first;
    }
    false
}
