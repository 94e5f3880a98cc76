//! PLUS: simultaneous impacts in rounds of compression and expansion, after Uchida, Sherman and Delp.
//!
//! An impact is a sequence of **rounds**. In a round each contact *compresses* (it approaches and is brought
//! to rest in the normal direction), *expands* (it returns `e` times the impulse of its compression in the
//! round before, after Poisson) or *observes*. A motion travels through a row of bodies by one body per
//! round. The impact ends when no contact approaches and no expansion is outstanding.
//!
//! A round is a sequence of **intervals**, each with fixed states. In an interval the impulses are
//! those of least norm for which (Table 1, with the contact velocity `u⁺ = u + W π` at its end)
//!
//! ```math
//! \begin{aligned}
//! &\text{compressing:}\; 0 \le u_n^{+} \perp \pi_n \ge 0, && \text{expanding:}\; \pi_n = \text{what is owed},\\
//! &\text{rolling:}\; u_t^{+} = 0,\; \lVert \pi_t \rVert \le \mu \pi_n, && \\
//! &\text{sliding:}\; \pi_t = -\mu \pi_n \hat u_t, && \text{impending slip:}\; \pi_t = -\mu \pi_n \hat u_t^{+}.
//! \end{aligned}
//! ```
//!
//! Only the fraction `α` of them is applied that a sliding contact allows: until it stops, or its direction
//! has turned by `θ_max`. Because the norm is minimal, redundant contacts share their load as equal springs
//! would.
//!
//! - **Needs** no special structure: planar, spatial and frictionless contacts, redundant contacts and joints
//!   are accepted.
//! - **Guarantees** momentum balance; for each interval, impulses that push and lie in their cones, up to
//!   1e-10 of the largest, and therefore also for their sum; the same symmetry as the problem, to rounding;
//!   if the [`Status`] is resolved, no final approach beyond `rank_tolerance` times the speeds within the
//!   impact; and termination, by limits that are reported.
//! - **Does not** guarantee the least norm of Table 1: the active set is found by a heuristic. It can leave
//!   an approach to the next round, which [`Report::violation`] shows. [`ActiveSet::Exhaustive`] tries all
//!   combinations, for up to 8 contacts. For 0.2 % of random impacts with one to four contacts its outcome is
//!   different, and for up to 2.6 % where friction is high and contacts are redundant.
//! - **Does not** always reach a confirmed result. The directions of several contacts in impending slip may
//!   not be found, neither by dropping constraints, nor as one frictional contact problem, nor by following the friction
//!   from zero to its value, nor by trying all combinations; the [`Status`] then reports this. Where rounds do not end, a
//!   limit ends them: none of 40 000 random impacts with friction up to 1, 2 of 10 000 with friction up to 1.5.
//! - **Energy** never grows for a single contact with `e = 0`. For several contacts it is not proven: an interval holds the
//!   directions of sliding. Without restitution at any speed (`e = 0` and both `v_plastic` and `v_capture` 0), none
//!   of 10 000 random impacts with friction up to 0.8 on twelve velocities gained, and none of 10 000 with friction
//!   up to 1.5 on six. With friction and restitution, which slow contacts have by default whatever `e` is, it *can
//!   grow*, especially with `e = 1`, because the returned impulses do not account for the work they do. Between two walls a particle gained 15 %, and a single contact whose speed is near
//!   `v_transition` 12 %; random pairs of contacts have gained ten times the energy they had. The
//!   [`Certificate`](crate::certificate::Certificate) shows it. With [`Energy::NeverGrows`] all coefficients are [reduced
//!   by one factor](crate::energy), at any speed; an impact that gains even without restitution is
//!   [`Unsolved`](outcome::Status::Unsolved).
//! - **Cost** for each interval one orthogonal factorization of the active constraints, and one more for each
//!   that is dropped: 0.16 µs for a single sliding contact, 2.4 µs for the four corners of a brick from
//!   sliding to rolling. A [`Workspace`] that has been used for this size allocates nothing, except for an interval that
//!   dropping constraints does not solve.
//! - **One contact** whose restitution does not depend on speed follows [`Routh`](crate::routh::Routh)'s path up to
//!   `θ_max` and `v_transition`.
//!
//! # Choosing the parameters
//!
//! | parameter | meaning | how to choose it |
//! | --- | --- | --- |
//! | `theta_max` | turn of the sliding direction in an interval | the error of the outcome is proportional to it; 0.01 follows the path of a compliant contact, 0.25 takes a tenth of the intervals and is off by some percent, and where sliding keeps its direction there is one interval whatever it is |
//! | `v_transition` | sliding speed that counts as none | the sliding speed at which friction of the real contact, or of the compliant model compared with, is fully developed, and well above what the velocities before the impact are known to; the outcome is off by about as much |
//! | `v_capture` | approach that is not given back | the rebound that no longer matters: it ends sequences of smaller and smaller impacts |
//! | `v_plastic`, `e_min` | the fall of restitution with speed | from experiments; 0 and 0 for the speeds make restitution a constant |
//!
//! The contacts of the problem are selected beforehand: all pairs of features closer than a **proximity**,
//! which is the uncertainty of positions, such as the tolerance of the geometry or of the integrator that
//! found the impact. With a smaller proximity, rounding decides which of four corners strikes the ground;
//! contacts that are proximal but do not approach do no harm, because they observe.
//!
//! # Worked example
//!
//! A row of balls of 1 kg (Example 3). In round 1 the first contact compresses with 1 N·s, in round 2 it
//! expands with 1 N·s while the second one compresses, and so on: the last ball leaves with all of the
//! velocity. See [`Plus`] for the code.
//!
//! # Beyond the paper
//!
//! - **Impending slip** is solved for the ratio `‖u_t⁺‖ / ‖π_t‖`. This excludes the wrong roots that the
//!   authors' program can find, and for a single contact a root always exists.
//! - **Redundant rolling contacts** share tangential impulses within their cones; with the least norm alone,
//!   one of them can leave its cone. Without this, flat bricks that stop sliding lose a corner.
//! - **Ties** are dropped together, not in the order of indices.
//! - **Directions** that Newton's method does not find are those of one frictional contact problem for all contacts. It
//!   has an answer for redundant contacts too, such as feet and corners of a robot on a floor. If that fails, they are followed from zero
//!   friction; that path leads to an answer whenever rows are independent and no contact keeps sliding.
//! - **Endless rounds.** Without restitution, impulses can pass back and forth between contacts forever, in
//!   geometric sequences whose ratio can be close to 1. After 100 consecutive rounds without expansion all
//!   contacts that were part of them take part together, as if they touched by then, which ends the sequence. [`Report::gathered`] counts
//!   these rounds.
//! - **Jams.** While a contact slides, friction can press it down by more than the impulse lifts it
//!   (`W_nn < μ W_nt·û_t`, known from Painlevé). Then no impulse brings it to rest, and the paper's law drops
//!   it permanently. Here it is pushed until its sliding changes: the sliding slows, so that (2.13) or (2.14)
//!   end the interval. [`Report::jams`] counts these.
//!
//! # Source
//!
//! T. K. Uchida, M. A. Sherman, S. L. Delp, "Making a meaningful impact: modelling simultaneous
//! frictional collisions in spatial multibody systems", *Proceedings of the Royal Society A* 471 (2015)
//! 20140859.

use std::f64::consts::FRAC_PI_2;

use crate::{
    Law, Outcome, Problem,
    certificate::Claims,
    energy::{self, Energy},
    law::Error,
    outcome::{self, RestitutionUse, Stage},
    settings::{self, FromSettings},
};

mod active_set;
mod contact_problem;
mod continuation;
mod equations;
mod impact;
mod orthogonal;
mod point;
mod report;
mod slip;
mod spread;
mod step;
impl FromSettings for Plus {
    fn from_settings(settings: &mut settings::Settings) -> Result<Self, settings::Error> {
        let defaults = Self::default();
        let participations =
            [("approaching", Participation::Approaching), ("all", Participation::All)];
        let active_sets =
            [("heuristic", ActiveSet::Heuristic), ("exhaustive", ActiveSet::Exhaustive)];
        Ok(Self {
            v_capture: settings.number("v_capture", defaults.v_capture, "a speed (m/s)")?,
            v_plastic: settings.number("v_plastic", defaults.v_plastic, "a speed (m/s)")?,
            e_min: settings.optional("e_min", "restitution", "a number in [0, 1]")?,
            v_transition: settings.number(
                "v_transition",
                defaults.v_transition,
                "a speed (m/s)",
            )?,
            theta_max: settings.number(
                "theta_max",
                defaults.theta_max,
                "an angle in (0, π/2] (rad)",
            )?,
            alpha_min: settings.number("alpha_min", defaults.alpha_min, "a number in [0, 1)")?,
            participation: settings.choice("participation", &participations)?,
            active_set: settings.choice("active_set", &active_sets)?,
            rank_tolerance: settings.number(
                "rank_tolerance",
                defaults.rank_tolerance,
                "a number in (0, 1e-3]",
            )?,
            round_limit: settings.count(
                "round_limit",
                defaults.round_limit,
                settings::AT_LEAST_1,
            )?,
            interval_limit: settings.count(
                "interval_limit",
                defaults.interval_limit,
                settings::AT_LEAST_1,
            )?,
            pass_limit: settings.count("pass_limit", defaults.pass_limit, settings::AT_LEAST_1)?,
            energy: settings.choice("energy", &Energy::choices(defaults.energy))?,
            work_limit: settings.count("work_limit", defaults.work_limit, settings::AT_LEAST_1)?,
        })
    }
}

#[cfg(test)]
mod tests;
mod trace;

pub use impact::Workspace;
pub use point::{Motion, Phase, State};
pub use report::{Report, Status};
pub(crate) use step::{Limit, Limits};
pub use trace::{Interval, Record, Trace};

/// Maximum number of contacts of an exhaustive search, whose cost triples with each: 6561 sets for this
/// number.
const EXHAUSTIVE: usize = 8;

/// The law; see the [module](self).
///
/// # Example
///
/// Newton's cradle with three balls: the first one strikes at 2 m/s, and the last one leaves at this speed.
///
/// ```
/// use nalgebra::{DMatrix, dvector};
/// use percussion_impact::{Contact, Law, Mass, Problem, plus::{Plus, Workspace}};
///
/// let contacts = vec![
///     Contact::new(dvector![-1.0, 1.0, 0.0]).with_restitution(1.0),
///     Contact::new(dvector![0.0, -1.0, 1.0]).with_restitution(1.0),
/// ];
/// let mass = Mass::Matrix(DMatrix::identity(3, 3));
/// let problem = Problem::new(mass, dvector![2.0, 0.0, 0.0], contacts)?;
/// let outcome = Plus::default().resolve(&problem)?;
/// assert!((outcome.velocity - dvector![0.0, 0.0, 2.0]).amax() < 1e-12);
///
/// // Many impacts in the same memory, each with its report.
/// let mut workspace = Workspace::default();
/// let report = Plus::default().resolve_with(&problem, &mut workspace)?;
/// assert_eq!(report.rounds, 3);
/// assert!((workspace.impulse() - dvector![2.0, 2.0]).amax() < 1e-12); // N·s
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Plus {
    /// Approach speed below which there is no restitution (m/s, ≥ 0, default 0.01).
    pub v_capture: f64,
    /// Approach speed above which restitution is `e_min` (m/s, ≥ `v_capture`, default 0.1). Below it
    /// restitution grows linearly to 1 at rest. With both speeds 0 restitution is `e_min` at any speed.
    pub v_plastic: f64,
    /// Coefficient of restitution at high speed, for all contacts (in `[0, 1]`). If not given (the default),
    /// it is the [`restitution`](crate::Contact::restitution) of each contact.
    pub e_min: Option<f64>,
    /// Sliding speed below which a contact tries to roll (m/s, > 0, default 0.1).
    pub v_transition: f64,
    /// Maximum turn of a sliding velocity in an interval (rad, in `(0, π/2]`, default 0.01).
    pub theta_max: f64,
    /// Minimum step fraction of an interval that the turn of a sliding velocity limits (in `[0, 1)`, default
    /// 1e-9).
    pub alpha_min: f64,
    /// Which contacts take part in a round.
    pub participation: Participation,
    /// Method that finds the active constraints.
    pub active_set: ActiveSet,
    /// Fraction of the inverse mass of a contact below which a direction is redundant, and fraction of the
    /// speeds within the impact below which an approach is rounding (in `(0, 1e-3]`, default 1e-10).
    pub rank_tolerance: f64,
    /// Maximum number of rounds (≥ 1, default 1000).
    pub round_limit: usize,
    /// Maximum number of intervals of all rounds together (≥ 1, default 100 000).
    pub interval_limit: usize,
    /// Maximum number of sets of constraints tried in an interval (≥ 1, default 10 000).
    pub pass_limit: usize,
    /// Whether restitution is reduced where the energy would grow (default [`Energy::AsGiven`], as in the paper).
    /// [`resolve_with`](Self::resolve_with), [`observe`](Self::observe) and [`trace`](Self::trace) show the impact as
    /// given.
    pub energy: Energy,
    /// Maximum work of all intervals, counted in multiply-adds (≥ 1, default 10⁹, about a second): limits of rounds,
    /// intervals and passes multiply, and this one bounds their product.
    pub work_limit: u64,
}

/// Which contacts take part in a round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Participation {
    /// Those that approach, so that an impact travels from contact to contact.
    #[default]
    Approaching,
    /// All of them at once, also those at rest: the variant that the authors compare with. Contacts in a row
    /// move on as one body.
    All,
}

/// Method that finds the active constraints of an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum ActiveSet {
    /// Starts with all constraints and drops those with the largest violation.
    #[default]
    Heuristic,
    /// Tries all combinations (at most 8 contacts).
    Exhaustive,
}

impl Default for Plus {
    fn default() -> Self {
        Self {
            v_capture: 0.01,
            v_plastic: 0.1,
            e_min: None,
            v_transition: 0.1,
            theta_max: 0.01,
            alpha_min: 1e-9,
            participation: Participation::Approaching,
            active_set: ActiveSet::Heuristic,
            rank_tolerance: 1e-10,
            round_limit: 1000,
            interval_limit: 100_000,
            pass_limit: 10_000,
            energy: Energy::AsGiven,
            work_limit: 1_000_000_000,
        }
    }
}

impl Law for Plus {
    fn name(&self) -> &'static str {
        "plus"
    }

    fn claims(&self, problem: &Problem) -> Claims {
        // Remaining approaches are rounding of the speeds within the impact, which reach the maximum that the
        // energy allows.
        let fastest = 4.0
            * problem.free_row_sizes().amax()
            * (2.0 * problem.kinetic_energy(problem.velocity())).sqrt();
        let restitution =
            if self.e_min.is_some() { RestitutionUse::Replaced } else { RestitutionUse::Used };
        Claims::new(restitution)
            .within(equations::ROUNDING)
            .leaving(self.rank_tolerance * fastest)
            .dissipating(self.energy == Energy::NeverGrows)
    }

    /// The stages are those of each contact in each round, with the velocity at the end of the round.
    fn answer(&self, problem: &Problem) -> Result<Outcome, Error> {
        self.check(problem)?;
        if self.energy == Energy::AsGiven {
            return self.with_kept(problem, 1.0);
        }
        let tolerance = 10.0 * self.rank_tolerance;
        energy::reduced(problem, tolerance, |kept| self.with_kept(problem, kept))
    }
}

impl Plus {
    /// The outcome with all coefficients of restitution multiplied by `kept`.
    fn with_kept(&self, problem: &Problem, kept: f64) -> Result<Outcome, Error> {
        let mut workspace = Workspace::default();
        let mut rounds = Rounds::default();
        let report = workspace.run(self, problem, kept, &mut |interval| rounds.add(interval));
        let stages = rounds.stages(problem);
        let status = match report.status {
            Status::Resolved => outcome::Status::Resolved,
            Status::Unsolved => outcome::Status::Unsolved,
            Status::RoundLimit | Status::IntervalLimit | Status::PassLimit | Status::WorkLimit => {
                outcome::Status::Limit
            }
        };
        Ok(problem.outcome(workspace.impulse(), outcome::Trace::new(status, stages)))
    }

    /// Resolves `problem` in the caller's workspace, which then holds the impulses.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] when a setting is outside its range, [`Error::Contacts`] when an exhaustive
    /// search has more than 8 contacts.
    pub fn resolve_with(
        &self,
        problem: &Problem,
        workspace: &mut Workspace,
    ) -> Result<Report, Error> {
        self.observe(problem, workspace, &mut |_| {})
    }

    /// Resolves `problem` and shows each interval to `observer`.
    ///
    /// # Errors
    ///
    /// As [`resolve_with`](Self::resolve_with).
    pub fn observe(
        &self,
        problem: &Problem,
        workspace: &mut Workspace,
        observer: &mut dyn FnMut(&Interval<'_>),
    ) -> Result<Report, Error> {
        self.check(problem)?;
        Ok(workspace.run(self, problem, 1.0, observer))
    }

    /// Resolves `problem` and keeps all intervals.
    ///
    /// # Errors
    ///
    /// As [`resolve_with`](Self::resolve_with).
    pub fn trace(&self, problem: &Problem) -> Result<Trace, Error> {
        let mut intervals = Vec::new();
        let report = self.observe(problem, &mut Workspace::default(), &mut |interval| {
            intervals.push(interval.into());
        })?;
        Ok(Trace { report, intervals })
    }

    /// Coefficient of restitution at an approach speed (m/s), of a contact that has `e_min` at high
    /// speed.
    #[must_use]
    pub fn restitution(&self, e_min: f64, approach: f64) -> f64 {
        if approach < self.v_capture {
            0.0
        } else if approach >= self.v_plastic {
            e_min
        } else {
            1.0 - (1.0 - e_min) * approach / self.v_plastic
        }
    }

    fn check(&self, problem: &Problem) -> Result<(), Error> {
        let settings = [
            ("v_capture", self.v_capture, 0.0..=f64::MAX, "a number ≥ 0"),
            ("v_plastic", self.v_plastic, self.v_capture..=f64::MAX, "a number ≥ v_capture"),
            ("e_min", self.e_min.unwrap_or(0.0), 0.0..=1.0, "a number in [0, 1]"),
            ("v_transition", self.v_transition, f64::MIN_POSITIVE..=f64::MAX, "a number > 0"),
            ("theta_max", self.theta_max, f64::MIN_POSITIVE..=FRAC_PI_2, "an angle in (0, π/2]"),
            ("alpha_min", self.alpha_min, 0.0..=1.0 - f64::EPSILON, "a number in [0, 1)"),
            (
                "rank_tolerance",
                self.rank_tolerance,
                f64::MIN_POSITIVE..=1e-3,
                "a number in (0, 1e-3]",
            ),
        ];
        for (name, value, range, expected) in settings {
            if !range.contains(&value) {
                return Err(Error::Setting { name, value, expected });
            }
        }
        let limits = [
            ("round_limit", self.round_limit),
            ("interval_limit", self.interval_limit),
            ("pass_limit", self.pass_limit),
            ("work_limit", usize::from(self.work_limit > 0)),
        ];
        if let Some((name, _)) = limits.iter().find(|(_, limit)| *limit == 0) {
            return Err(Error::Setting { name, value: 0.0, expected: "at least 1" });
        }
        let found = problem.contacts().len();
        if self.active_set == ActiveSet::Exhaustive && found > EXHAUSTIVE {
            let expected = "at most 8 for an exhaustive search";
            return Err(Error::Contacts { found, expected });
        }
        Ok(())
    }
}

/// Collects the rounds of an impact as the stages of an outcome.
#[derive(Debug, Default)]
struct Rounds(Vec<Round>);

#[derive(Debug)]
struct Round {
    parts: Vec<(usize, outcome::Phase)>,
    impulse: nalgebra::DVector<f64>,
}

impl Rounds {
    fn add(&mut self, interval: &Interval<'_>) {
        if interval.round > self.0.len() {
            let part = |(k, state): (usize, &State)| match state.phase {
                Phase::Observing => None,
                Phase::Compressing => Some((k, outcome::Phase::Compression)),
                Phase::Expanding => Some((k, outcome::Phase::Expansion)),
            };
            let impulse = match self.0.last() {
                Some(round) => round.impulse.clone(),
                None => nalgebra::DVector::zeros(interval.impulse.len()),
            };
            let parts = interval.states.iter().enumerate().filter_map(part).collect();
            self.0.push(Round { parts, impulse });
        }
        if let Some(round) = self.0.last_mut() {
            for (total, part) in round.impulse.iter_mut().zip(interval.impulse) {
                *total += part;
            }
        }
    }

    fn stages(&self, problem: &Problem) -> Vec<Stage> {
        let mut stages = Vec::new();
        for round in &self.0 {
            let end = problem.outcome(&round.impulse, outcome::Trace::resolved(vec![])).velocity;
            let stage = |&(k, phase)| Stage { phase, contact: Some(k), velocity: end.clone() };
            stages.extend(round.parts.iter().map(stage));
        }
        stages
    }
}
