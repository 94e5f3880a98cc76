//! Routh's method for several contacts at once, and the set of all its outcomes.
//!
//! Rigid-body mechanics does not determine the relative rates at which the impulses at several contacts grow.
//! Here every rate is possible: in each of up to `N` steps the normal impulse at contact `i` may grow by at
//! most `λ̄_i`, drawn again from `(0, h]`, and the step solves with `v' = v + M⁻¹ Jᵀ Λ`
//!
//! ```math
//! 0 \le s_i \perp \bar\lambda_i - \Lambda_{n,i} \ge 0, \qquad
//! 0 \le \Lambda_{n,i} \perp s_i + J_{n,i} v' \ge 0, \qquad
//! \Lambda_{t,i} \in -\mu_i \Lambda_{n,i}\, \mathrm{Unit}(J_{t,i} v').
//! ```
//!
//! So each contact takes its full increment, or it takes less and does not approach afterwards. A sample ends
//! when no contact approaches (algorithm 1). Many samples fill the set of post-impact velocities (algorithm
//! 2); those that still approach after `N` steps receive one last small step.
//!
//! **With restitution** each contact stores energy while it is compressed and gives back `e²` of it (Stronge), at
//! the same arbitrary rates, and a sample ends when no contact approaches and none has energy left. Contact `i`
//! pushes at a rate in proportion to `λ̄_i` while it approaches or has stored energy, and a contact that is at rest
//! without energy pushes just as much as holds it there. Such a step is followed from event to event, as
//! polynomials of degree 1 and 2, without an error of steps. Without restitution at any contact the steps are the
//! implicit ones above.
//!
//! - **Needs** no special structure: planar and spatial contacts, joints and redundant contacts are accepted.
//!   In space the disk of friction is replaced by an inscribed polygon with [`Settings::directions`] sides.
//! - **Guarantees** for a sample that ended: approach up to [`Settings::tolerance`], no adhesion, impulses in
//!   their cones (sums of cone members are members), both to rounding. Every step is certified, see
//!   [`Figures`].
//! - **Energy** never grows in a step: with the complementarity above
//!   `Λ · (u + u')/2 = Λ · u' − ½ Λ W Λ ≤ 0`. With restitution the kinetic and the stored energy together never
//!   grow, for any rates and friction, so that the outcome has no more energy than before the impact.
//! - **Does not** always end. With a pointed friction cone and independent draws a sample ends almost surely,
//!   after a number of steps whose mean [`guarantee`](crate::guarantee) bounds; the step limit may be reached
//!   earlier. With a cone that is not pointed, contacts can jam. In both cases the limit is the
//!   [`Termination`]. With restitution the impulse of a sample is bounded by the same constant of a pointed cone,
//!   but the number of events is not; a step ends after 1000 of them ([`Statistics::cut_steps`]).
//! - **Does not** have unique steps in general, with several contacts and high friction. Of several
//!   solutions, a step takes the one at the end of Lemke's path from the [`Covering`] vector.
//! - **Cost** of a step: one LCP with one unknown per contact and, for each contact with tangents, one per
//!   direction of friction and one more. With planar contacts only, Lemke's path is followed with two
//!   unknowns per contact, by one pivot for each change of a state, in about 0.3 µs for two contacts and 2 µs for five.
//!   With restitution a sample of two contacts takes half as long again to twice as long. No allocation after
//!   construction of a [`Sampler`].
//! - **Deterministic**: the bits depend on settings and problem, but not on the number of threads.
//!
//! # Source
//!
//! M. Halm, M. Posa, "Set-valued rigid-body dynamics for simultaneous, inelastic, frictional impacts",
//! *International Journal of Robotics Research* 43 (2024), section 5, equations 72 to 75, algorithms 1
//! and 2. Restitution is an addition, which that work leaves open, with the energies of
//! W. J. Stronge, "Rigid body collisions with friction", *Proceedings of the Royal Society of London A* 431
//! (1990) 169–181.

use std::ops::ControlFlow;

use nalgebra::DVector;
use percussion_complementarity::lcp::lemke;
#[cfg(feature = "rayon")]
use rayon::prelude::*;

use crate::{
    Law, Outcome, Problem,
    certificate::{Claims, TOLERANCE},
    law::{Error, judged},
    outcome::{Phase, RestitutionUse, Stage, Status, Trace},
};

mod choice;
mod covering_path;
mod default_step;
mod draws;
mod frame;
mod joe_kuo;
mod member;
mod sampler;
mod sobol;
mod statement;
mod statistics;
#[cfg(test)]
mod tests;

pub use default_step::default_step;
pub use draws::Draws;
pub use member::Member;
pub(crate) use sampler::{Event, Mode, Recorded};
pub use sampler::{Path, PathStep, Sampler};
pub use statistics::{Choices, Figures, Sample, Statistics, Summary, Termination};

/// Number of samples in a chunk: the unit of parallel work, for any number of threads.
const CHUNK: u64 = 256;

/// Number of chunks whose summaries are stored before they are merged, and before the caller may end the work.
const WAVE: u64 = 32;

/// The same at the start, so that a short limit of time is reached soon.
const FIRST_WAVE: u64 = 8;

/// Settings of [`SetValuedRouth`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Maximum increment `h` of a normal impulse in a step (N·s, > 0). By default (NaN) it is that of each problem, see
    /// [`default_step`]: which values are small depends on the masses and the velocities. The set of outcomes depends on it.
    pub step: f64,
    /// Maximum number of steps `N` of a sample (1 to 100 000, default 10).
    pub steps: usize,
    /// Number of samples of [`SetValuedRouth::post_impact_set`] (≥ 1, default 2¹⁴).
    pub samples: u64,
    /// Seed of the draws (default 1).
    pub seed: u64,
    /// Source of the increments (default [`Draws::Random`]).
    pub draws: Draws,
    /// Number of directions of friction of a contact with two tangents (even, 4 to 360, default 8). Along the
    /// directions the bound of friction is `μ` times the normal impulse, between them down to `cos(π/k)` of
    /// that. The error decreases about in proportion to `1/k`: with 4, 8, 16 and 64 directions, a ball that
    /// slides at 2 m/s and spins ends at most 0.34, 0.08, 0.04 and 0.01 m/s or rad/s from the outcome with
    /// Coulomb's disk.
    pub directions: usize,
    /// Approach at which a sample ends, as a fraction of the fastest contact velocity before the impact (in
    /// `[0, 1)`, default `1e-9`).
    pub tolerance: f64,
    /// Increments of the last step of samples that still approach after `N` steps, as a fraction of `h` (in
    /// `[0, 1]`, default 0.01). Zero omits this step.
    pub closing_step: f64,
    /// Whether a step takes the solution that Lemke's method finds or one drawn among all (default [`Solutions::One`]).
    pub solutions: Solutions,
    /// Selects the solution where a step has several (default [`Covering::Scaled`]).
    pub covering: Covering,
    /// Units of speed (m/s) and impulse (N·s) for [`Covering::Ones`] and [`Covering::Random`] (> 0). By
    /// default these are the fastest contact velocity before the impact and the impulse of the heaviest
    /// contact at that speed, `v/min W_nn`, so that the units have no effect.
    pub covering_units: Option<[f64; 2]>,
    /// Settings of Lemke's method.
    pub lemke: lemke::Settings,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            step: f64::NAN,
            steps: 10,
            samples: 1 << 14,
            seed: 1,
            draws: Draws::Random,
            directions: 8,
            tolerance: 1e-9,
            closing_step: 0.01,
            solutions: Solutions::One,
            covering: Covering::Scaled,
            covering_units: None,
            lemke: lemke::Settings::default(),
        }
    }
}

/// Which solution of a step is taken where there are several.
///
/// Lemke's method ends in solutions of positive index only. Of the compass gait of the source, whose trailing foot can lift,
/// slide or stick in one and the same step, it never finds the sliding one; drawn, the three are equally likely.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Solutions {
    /// The one that Lemke's method finds from the [covering vector](Settings::covering).
    #[default]
    One,
    /// One drawn among all: each isolated solution and each continuum is equally likely, and on a continuum the weights of
    /// its vertices are uniform. Steps of at most 12 unknowns (two contacts in the plane) are enumerated, which takes about
    /// a thousand times as long; larger ones are solved by Lemke's method with a covering vector drawn for each step, which
    /// leaves out solutions of negative index. [`Statistics::choices`] counts both.
    Drawn,
}

/// The covering vector of Lemke's method, which selects among several solutions of a step.
///
/// It has no effect where the velocity after a step is unique. Its influence elsewhere can be seen in the
/// compass gait of the source (two legs of 1 m, `μ = 5`, `h = 0.25` N·s): its samples take 1.63 LCPs on
/// average with [`Scaled`](Self::Scaled), 1.69 with [`Ones`](Self::Ones) and 1.84 with
/// [`Random`](Self::Random).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Covering {
    /// The fastest contact velocity before the impact in rows of velocities, and `h` in rows of
    /// impulses, so that the units have no effect.
    #[default]
    Scaled,
    /// The [units](Settings::covering_units) of speed in rows of velocities and of impulse in rows of impulses.
    Ones,
    /// [`Ones`](Self::Ones) times factors from `(0.1, 1.1]`, drawn separately for each sample.
    Random,
}

/// Routh's method at arbitrary relative rates; see the [module](self).
///
/// # Example
///
/// A dumbbell of two masses of 1 kg falls flat at 1 m/s on two frictionless corners. Each corner stops its
/// own mass, so every order ends at rest after 1 N·s at each.
///
/// ```
/// use nalgebra::{dmatrix, dvector};
/// use percussion_impact::{Contact, Mass, Problem, set_valued::{SetValuedRouth, Settings}};
///
/// let corners = vec![Contact::new(dvector![1.0, 0.0]), Contact::new(dvector![0.0, 1.0])];
/// let mass = Mass::Matrix(dmatrix![1.0, 0.0; 0.0, 1.0]);
/// let problem = Problem::new(mass, dvector![-1.0, -1.0], corners)?;
///
/// let law = SetValuedRouth::new(Settings { step: 0.5, steps: 20, ..Settings::default() });
/// let path = law.sample(&problem, 0)?;
/// let last = path.steps.last().expect("the corners approach");
/// assert!(last.velocity.amax() < 1e-12);
///
/// let set = law.post_impact_set(&problem, (), |_| ())?;
/// assert_eq!(set.statistics.terminated, 1 << 14);
/// assert!(set.statistics.figures.energy_gain < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SetValuedRouth {
    /// Steps, samples, draws and the solution of a step.
    pub settings: Settings,
}

/// Result of [`SetValuedRouth::post_impact_set`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PostImpactSet<S> {
    /// The caller's summary of the samples.
    pub summary: S,
    /// Statistics of how the samples ended, how many LCPs they took and how exactly those were solved.
    pub statistics: Statistics,
}

impl Settings {
    /// The settings with the step for `problem`, where none is given.
    #[must_use]
    pub fn for_problem(&self, problem: &Problem) -> Self {
        let step = if self.step.is_nan() { default_step(problem) } else { self.step };
        Self { step, ..*self }
    }
}

impl SetValuedRouth {
    /// The law with these settings.
    #[must_use]
    pub const fn new(settings: Settings) -> Self {
        Self { settings }
    }

    /// Returns the whole path of one sample; the same index gives the same path as in the set.
    ///
    /// # Errors
    ///
    /// [`Error`] when a setting is wrong.
    pub fn sample(&self, problem: &Problem, index: u64) -> Result<Path, Error> {
        Ok(Sampler::new(problem, &self.settings)?.path(index))
    }

    /// Computes the set of post-impact velocities, sample by sample (algorithm 2).
    ///
    /// The samples with indices 0 to `samples − 1` run in chunks on the threads of rayon's current pool. Each
    /// chunk records those that end without approach in a clone of `summary`, in the order of their indices,
    /// and the clones are merged in the order of the chunks. Therefore neither the bits of the result nor the
    /// memory depend on the number of threads, and memory grows with the number of samples only if the
    /// summary stores them. `summary` itself should be empty.
    ///
    /// `progress` is called on the calling thread with the number of samples done, from time to time and at
    /// the end.
    ///
    /// # Errors
    ///
    /// [`Error`] when a setting is wrong.
    pub fn post_impact_set<S: Summary>(
        &self,
        problem: &Problem,
        summary: S,
        progress: impl Fn(u64),
    ) -> Result<PostImpactSet<S>, Error> {
        self.post_impact_set_while(problem, summary, |done| {
            progress(done);
            ControlFlow::Continue(())
        })
    }

    /// Computes the set as [`post_impact_set`](Self::post_impact_set) does, as long as `watch` wants.
    ///
    /// `watch` is called where `progress` is, after the first 2048 samples and then after every 8192. If it breaks, the set has
    /// the samples done so far, those with the first indices, and its [`status`](Self::status) is [`Status::Limit`].
    ///
    /// # Errors
    ///
    /// As [`post_impact_set`](Self::post_impact_set).
    pub fn post_impact_set_while<S: Summary>(
        &self,
        problem: &Problem,
        summary: S,
        watch: impl Fn(u64) -> ControlFlow<()>,
    ) -> Result<PostImpactSet<S>, Error> {
        let samples = self.settings.samples;
        if samples == 0 {
            let (name, expected) = ("samples", "at least 1");
            return Err(Error::Setting { name, value: 0.0, expected });
        }
        let sampler = Sampler::new(problem, &self.settings)?;
        let mut set = PostImpactSet {
            statistics: Statistics::new(self.settings.steps),
            summary: summary.clone(),
        };
        let (mut first, mut wave) = (0, FIRST_WAVE);
        while first < samples {
            let end = samples.min(first + CHUNK * wave);
            let chunks: Vec<_> = (0..wave)
                .map(|chunk| first + chunk * CHUNK)
                .take_while(|&first| first < end)
                .map(|first| (first, summary.clone()))
                .collect();
            let work = |sampler: &mut Sampler<'_>, (first, mut summary): (u64, S)| {
                let mut statistics = Statistics::new(self.settings.steps);
                for index in first..end.min(first + CHUNK) {
                    sampler.run(index);
                    statistics.count(
                        sampler.termination(),
                        sampler.lcps(),
                        sampler.fallbacks(),
                        sampler.choices(),
                        sampler.pieces(),
                        sampler.figures(),
                    );
                    if let Some(sample) = sampler.outcome() {
                        summary.record(&sample);
                    }
                }
                (statistics, summary)
            };
            #[cfg(feature = "rayon")]
            let parts: Vec<_> = chunks.into_par_iter().map_init(|| sampler.clone(), work).collect();
            #[cfg(not(feature = "rayon"))]
            let parts: Vec<_> = {
                let mut sampler = sampler.clone();
                chunks.into_iter().map(|chunk| work(&mut sampler, chunk)).collect()
            };
            for (statistics, summary) in parts {
                set.statistics.merge(&statistics);
                set.summary.merge(summary);
            }
            if watch(end).is_break() {
                break;
            }
            (first, wave) = (end, WAVE);
        }
        Ok(set)
    }
}

impl SetValuedRouth {
    /// Returns the status of a set with these statistics: [`Status::Unsolved`] when a step was not solved,
    /// [`Status::Limit`] when no sample ended or fewer were drawn than the settings say, [`Status::Violated`] when a
    /// figure of the steps is more than `2 √eps` of its size, and otherwise [`Status::Resolved`]. Sizes are those of the
    /// statistics: the fastest contact velocity before the impact, `h`, and the energy before the impact.
    #[must_use]
    pub fn status(&self, problem: &Problem, statistics: &Statistics) -> Status {
        let Figures { energy_gain, adhesion, cone_violation, drift, .. } = statistics.figures;
        let step = self.settings.for_problem(problem).step;
        let free = problem.free_velocity();
        let (energy, speed) =
            (problem.kinetic_energy(&free), problem.contact_velocity(&free).amax());
        let friction = problem.contacts().iter().map(|contact| contact.friction);
        let friction = friction.fold(1.0, f64::max);
        let holds = [
            (energy_gain, energy),
            (adhesion, step),
            (cone_violation, friction * step),
            (drift, speed),
        ]
        .into_iter()
        .all(|(figure, size)| figure <= TOLERANCE * size);
        match (statistics.terminated + statistics.closed, statistics.unsolved) {
            (_, 1..) => Status::Unsolved,
            (0, 0) => Status::Limit,
            (1.., 0) if !holds => Status::Violated,
            (1.., 0) if statistics.samples < self.settings.samples => Status::Limit,
            (1.., 0) => Status::Resolved,
        }
    }
}

impl Law for SetValuedRouth {
    fn name(&self) -> &'static str {
        "set-valued-routh"
    }

    /// The claims about each step are those that the [statistics](Statistics) measure; contacts that have pushed may
    /// separate later.
    fn claims(&self, problem: &Problem) -> Claims {
        let fastest = problem.borrow_free_contact_velocity().amax();
        Claims::new(RestitutionUse::Used)
            .dissipating(true)
            .leaving(self.settings.tolerance * fastest)
            .leaving_part(self.settings.lemke.tolerance)
    }

    /// The sample with index 0, with a stage for each step.
    fn answer(&self, problem: &Problem) -> Result<Outcome, Error> {
        self.answer_by_sample(problem, 0)
    }

    /// The sample with the index `number`; [`Member`] has those of other motions.
    fn resolve_numbered(&self, problem: &Problem, number: u64) -> Result<Outcome, Error> {
        judged(problem, &self.claims(problem), self.answer_by_sample(problem, number)?)
    }
}

impl SetValuedRouth {
    /// The sample with this index, with a stage for each step.
    fn answer_by_sample(&self, problem: &Problem, index: u64) -> Result<Outcome, Error> {
        let path = self.sample(problem, index)?;
        let mut impulse = DVector::zeros(problem.contact_jacobian().nrows());
        let mut stages = Vec::with_capacity(path.steps.len());
        for step in path.steps {
            impulse += step.impulse;
            let velocity = step.velocity;
            stages.push(Stage { phase: Phase::Increment, contact: None, velocity });
        }
        let status = match path.termination {
            Termination::Separated | Termination::Closed => Status::Resolved,
            Termination::Limit => Status::Limit,
            Termination::Unsolved => Status::Unsolved,
        };
        Ok(problem.outcome(&impulse, Trace::new(status, stages)))
    }
}
