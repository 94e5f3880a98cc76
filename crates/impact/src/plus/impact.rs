//! Rounds and intervals: the impact from its beginning to its end.
//!
//! # Source
//!
//! T. K. Uchida, M. A. Sherman, S. L. Delp, "Making a meaningful impact", *Proceedings of the Royal
//! Society A* 471 (2015) 20140859, section 3(b), Algorithms 1 and 2.

use nalgebra::{DMatrix, DVector};

use super::{
    ActiveSet, EXHAUSTIVE, Interval, Participation, Plus, Report, Status,
    active_set::{Found, Search, Setting},
    point::{Motion, Phase, Point, State},
    step::Limits,
};
use crate::Problem;

/// Number of consecutive rounds without expansion after which all contacts take part that did in any of them. Without
/// restitution, impulses that pass back and forth come to an end only after infinitely many rounds. The ratio of the
/// impulses of one round to those of the round before can be close to 1.
const PATIENCE: usize = 100;

/// Multiply-adds that take as long as the work of an interval apart from its equations.
const INTERVAL: usize = 200;

/// Memory of the law, which also holds its answer.
///
/// It grows to the largest problem it has seen; resolving another of that size allocates nothing, except for intervals that
/// dropping constraints does not solve.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    points: Vec<Point>,
    states: Vec<State>,
    search: Search,
    /// Contact velocity, and its change over the whole interval.
    velocity: Vec<f64>,
    change: Vec<f64>,
    /// Impulses of the whole interval, then of the part that is applied.
    trial: Vec<f64>,
    impulse: DVector<f64>,
    /// Size of the terms of the contact velocities (m/s), with which rounding is compared.
    speed: f64,
    /// Factor of all coefficients of restitution, at any speed.
    kept: f64,
}

/// Extent of an interval.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Reach {
    /// This fraction of the way to the end of the round.
    Part(f64),
    /// A jammed point is pushed until its sliding changes; this does not count as progress in the round.
    Jam(f64),
    /// No impulse stops a point that approaches.
    Nowhere,
}

impl Workspace {
    /// Total impulses of the last problem (length `r`, N·s), in the order of its rows.
    #[must_use]
    pub const fn impulse(&self) -> &DVector<f64> {
        &self.impulse
    }

    /// Contact velocity after the last impact (length `r`, m/s).
    #[must_use]
    pub fn contact_velocity(&self) -> &[f64] {
        &self.velocity
    }

    /// Algorithm 2, with all coefficients of restitution multiplied by `kept`.
    pub(super) fn run(
        &mut self,
        law: &Plus,
        problem: &Problem,
        kept: f64,
        observer: &mut dyn FnMut(&Interval<'_>),
    ) -> Report {
        self.start(law, problem);
        self.kept = kept;
        self.search.grant(law.work_limit);
        let mut report = self.rounds(law, problem, observer);
        report.work = self.search.spent().0;
        report
    }

    fn rounds(
        &mut self,
        law: &Plus,
        problem: &Problem,
        observer: &mut dyn FnMut(&Interval<'_>),
    ) -> Report {
        let delassus = problem.delassus();
        let limits = Limits::new(law.v_transition, law.theta_max, law.alpha_min);
        let mut report = Report::default();
        let mut inelastic = 0;
        while self.begin_round(law) {
            if report.rounds == law.round_limit {
                return report.or(Status::RoundLimit);
            }
            report.rounds += 1;
            inelastic = if self.gives_back() { 0 } else { inelastic + 1 };
            let mut gathers = inelastic > PATIENCE;
            if gathers {
                self.gather(PATIENCE);
                report.gathered += 1;
            }
            loop {
                if report.intervals == law.interval_limit {
                    return report.or(Status::IntervalLimit);
                }
                if self.search.spent().1 {
                    return report.or(Status::WorkLimit);
                }
                report.intervals += 1;
                self.search.spend(INTERVAL + self.velocity.len().pow(2));
                // A search that has failed once is not repeated.
                let thorough = report.status == Status::Resolved;
                let mut found = self.choose(law, delassus, thorough);
                report.passes += found.passes;
                if gathers && !found.slip_converged {
                    // More rounds are better than no progress.
                    (gathers, inelastic) = (false, 0);
                    self.scatter(law);
                    found = self.choose(law, delassus, thorough);
                    report.passes += found.passes;
                }
                if !found.complete {
                    let spent = self.search.spent().1;
                    return report.or(if spent { Status::WorkLimit } else { Status::PassLimit });
                }
                if !found.slip_converged {
                    report.status = Status::Unsolved;
                }
                let reach = self.reach(delassus, &limits);
                let fraction = match reach {
                    Reach::Nowhere => return report.or(Status::Unsolved),
                    Reach::Part(fraction) => {
                        report.violation = report.violation.max(self.violation());
                        fraction
                    }
                    Reach::Jam(_) => {
                        report.jams += 1;
                        0.0
                    }
                };
                self.apply(reach);
                observer(&Interval {
                    round: report.rounds,
                    fraction,
                    states: &self.states,
                    impulse: &self.trial,
                    contact_velocity: &self.velocity,
                });
                if reach == Reach::Part(1.0) {
                    break;
                }
            }
        }
        report
    }

    fn start(&mut self, law: &Plus, problem: &Problem) {
        let contacts = problem.contacts();
        self.points.clear();
        self.points.extend(contacts.iter().enumerate().map(|(index, contact)| {
            Point::new(problem, contact, index, law.e_min.unwrap_or(contact.restitution))
        }));
        self.states.clear();
        self.states.resize(contacts.len(), State::OBSERVING);
        let free = problem.borrow_free_contact_velocity();
        self.velocity.clear();
        self.velocity.extend_from_slice(free.as_slice());
        self.speed = free.amax();
        for zeros in [&mut self.change, &mut self.trial] {
            zeros.clear();
            zeros.resize(free.len(), 0.0);
        }
        if self.impulse.len() == free.len() {
            self.impulse.fill(0.0);
        } else {
            self.impulse = DVector::zeros(free.len());
        }
    }

    /// Assigns the phases of a round; returns false when no point approaches and no expansion is outstanding.
    fn begin_round(&mut self, law: &Plus) -> bool {
        let slowest = law.rank_tolerance * self.speed;
        let mut active = false;
        for (point, state) in self.points.iter_mut().zip(&mut self.states) {
            point.owed = point.restitution * point.compression;
            point.compression = 0.0;
            let approach = -self.velocity[point.normal];
            point.restitution = self.kept * law.restitution(point.e_min, approach);
            state.phase = if point.owed > 0.0 {
                Phase::Expanding
            } else if approach > slowest {
                Phase::Compressing
            } else {
                Phase::Observing
            };
            let takes_part = state.phase != Phase::Observing;
            point.idle = if takes_part { 0 } else { point.idle.saturating_add(1) };
            active |= takes_part;
        }
        if law.participation == Participation::All {
            self.gather(usize::MAX);
        }
        active
    }

    /// Makes the points take part in the round that have in one of the last `rounds`. Others may separate fast, and friction could
    /// press them together again, against their motion.
    fn gather(&mut self, rounds: usize) {
        for (point, state) in self.points.iter().zip(&mut self.states) {
            if state.phase == Phase::Observing && point.idle <= rounds {
                state.phase = Phase::Compressing;
            }
        }
    }

    /// Reverses [`gather`](Self::gather).
    fn scatter(&mut self, law: &Plus) {
        let slowest = law.rank_tolerance * self.speed;
        for (point, state) in self.points.iter().zip(&mut self.states) {
            if -self.velocity[point.normal] <= slowest {
                *state = State::OBSERVING;
            }
        }
    }

    /// Whether a point expands in this round, or will in the next one.
    fn gives_back(&self) -> bool {
        self.points.iter().zip(&self.states).any(|(point, state)| match state.phase {
            Phase::Expanding => true,
            Phase::Compressing => point.restitution > 0.0,
            Phase::Observing => false,
        })
    }

    /// Algorithm 1 up to the step length: states and impulses of the whole interval.
    fn choose(&mut self, law: &Plus, delassus: &DMatrix<f64>, thorough: bool) -> Found {
        for (point, state) in self.points.iter_mut().zip(&mut self.states) {
            let sliding = point.tangential(&self.velocity);
            let speed = point.tangential_norm(&self.velocity);
            point.direction = [0.0; 2];
            state.motion = if state.phase == Phase::Observing {
                Motion::Free
            } else if point.tangents == 0 {
                Motion::Sliding
            } else if speed >= law.v_transition {
                point.direction = sliding.map(|component| component / speed);
                Motion::Sliding
            } else {
                Motion::Rolling
            };
        }
        let setting = Setting {
            delassus,
            velocity: &self.velocity,
            rank_tolerance: law.rank_tolerance,
            pass_limit: law.pass_limit,
            approach: law.rank_tolerance * self.speed,
        };
        let (points, states, trial) = (&mut self.points, &mut self.states, &mut self.trial);
        let exhaustive = match law.active_set {
            ActiveSet::Heuristic => {
                self.search.begin(states);
                let found = self.search.heuristic(setting, points, states, trial);
                let pushes = trial.iter().any(|impulse| *impulse != 0.0);
                if (found.slip_converged && pushes) || !found.complete || !thorough {
                    return found;
                }
                if self.search.otherwise(setting, points, states, trial) {
                    return Found { passes: found.passes + 1, slip_converged: true, ..found };
                }
                if states.len() > EXHAUSTIVE {
                    self.search.heuristic(setting, points, states, trial);
                    return found;
                }
                found.passes
            }
            ActiveSet::Exhaustive => {
                self.search.begin(states);
                0
            }
        };
        let found = self.search.exhaustive(setting, points, states, trial);
        Found { passes: exhaustive + found.passes, ..found }
    }

    /// The step length, and the change of velocity over the whole interval.
    fn reach(&mut self, delassus: &DMatrix<f64>, limits: &Limits) -> Reach {
        let jammed = self.trial.iter().all(|impulse| *impulse == 0.0)
            && self.states.iter().any(|state| state.phase == Phase::Compressing);
        if jammed && !self.push_jammed(delassus) {
            return Reach::Nowhere;
        }
        self.respond(delassus);
        if !self.change.iter().all(|change| change.is_finite()) {
            return Reach::Nowhere;
        }
        let mut fraction = if jammed { f64::INFINITY } else { 1.0 };
        for (point, state) in self.points.iter().zip(&self.states) {
            if state.motion == Motion::Sliding && point.tangents > 0 {
                let start = point.tangential(&self.velocity);
                let change = point.tangential(&self.change);
                fraction = fraction.min(if jammed {
                    limits.unbounded_fraction(start, change)
                } else {
                    limits.fraction(start, change)
                });
            }
        }
        match (jammed, fraction.is_finite()) {
            (false, _) => Reach::Part(fraction),
            (true, true) => Reach::Jam(fraction),
            (true, false) => Reach::Nowhere,
        }
    }

    /// Pushes the sliding points that their own friction holds down; see the head of [`plus`](super). Returns
    /// whether there are any.
    fn push_jammed(&mut self, delassus: &DMatrix<f64>) -> bool {
        let mut any = false;
        for (point, state) in self.points.iter().zip(&mut self.states) {
            let (n, approach) = (point.normal, -self.velocity[point.normal]);
            let slides =
                point.tangents > 0 && point.direction.iter().any(|component| *component != 0.0);
            if state.phase != Phase::Compressing || approach <= 0.0 || !slides {
                continue;
            }
            let push = approach / delassus[(n, n)];
            self.trial[n] = push;
            let rows = &mut self.trial[n + 1..][..point.tangents];
            for (entry, friction) in rows.iter_mut().zip(point.friction_direction()) {
                *entry = friction * push;
            }
            state.motion = Motion::Sliding;
            any = true;
        }
        any
    }

    /// `change ← W trial`, and the size of its terms.
    fn respond(&mut self, delassus: &DMatrix<f64>) {
        self.change.fill(0.0);
        let rows = self.change.len();
        for (column, &impulse) in delassus.as_slice().chunks_exact(rows.max(1)).zip(&self.trial) {
            if impulse == 0.0 {
                continue;
            }
            for (change, w) in self.change.iter_mut().zip(column) {
                let term = w * impulse;
                *change += term;
                self.speed = self.speed.max(term.abs());
            }
        }
    }

    /// Approach that the set of constraints leaves at the end of the whole interval (m/s).
    fn violation(&self) -> f64 {
        let ends = self.points.iter().zip(&self.states).map(|(point, state)| {
            let free = state.phase == Phase::Compressing && state.motion == Motion::Free;
            let end = self.velocity[point.normal] + self.change[point.normal];
            if free { -end } else { 0.0 }
        });
        ends.fold(0.0, f64::max)
    }

    fn apply(&mut self, reach: Reach) {
        let (Reach::Part(fraction) | Reach::Jam(fraction)) = reach else { return };
        for (trial, total) in self.trial.iter_mut().zip(self.impulse.as_mut_slice()) {
            *trial *= fraction;
            *total += *trial;
        }
        for (velocity, change) in self.velocity.iter_mut().zip(&self.change) {
            *velocity += fraction * change;
        }
        for (point, state) in self.points.iter_mut().zip(&self.states) {
            match state.phase {
                Phase::Compressing => point.compression += self.trial[point.normal],
                Phase::Expanding => point.owed -= self.trial[point.normal],
                Phase::Observing => {}
            }
        }
    }
}
