//! Summaries of the samples: the trait [`Summary`], which receives each [`Sample`], and the [`Statistics`] of
//! all.

use nalgebra::DVector;

/// How a sample ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Termination {
    /// No contact approaches.
    Separated,
    /// No contact approaches after the last small step.
    Closed,
    /// Contacts still approach after all steps.
    Limit,
    /// A step was not solved to the tolerance of its LCP.
    Unsolved,
}

/// The end of a sample that no contact approaches.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Sample<'a> {
    /// Index of the sample; [`SetValuedRouth::sample`](super::SetValuedRouth::sample) gives its path.
    pub index: u64,
    /// `v⁺` (length `n_v`, m/s and rad/s).
    pub velocity: &'a DVector<f64>,
    /// `J v⁺` (length `r`, m/s).
    pub contact_velocity: &'a DVector<f64>,
    /// Impulses of all steps together, at the rows of `J` (length `r`, N·s).
    pub impulse: &'a DVector<f64>,
    /// Number of LCPs solved, or of steps with restitution, without the last small step.
    pub lcps: usize,
    /// [`Separated`](Termination::Separated) or [`Closed`](Termination::Closed).
    pub termination: Termination,
}

/// A property of the post-impact set, accumulated sample by sample.
///
/// Recording all samples in one summary must give the same as recording the first of them in one summary, the
/// rest in another that was empty, and merging. A pair of summaries is a summary, and so is `()`.
///
/// # Example
///
/// The fastest separation of the first contact.
///
/// ```
/// use percussion_impact::set_valued::{Sample, Summary};
///
/// #[derive(Clone)]
/// struct Fastest(f64);
///
/// impl Summary for Fastest {
///     fn record(&mut self, sample: &Sample<'_>) {
///         self.0 = self.0.max(sample.contact_velocity[0]);
///     }
///
///     fn merge(&mut self, later: Self) {
///         self.0 = self.0.max(later.0);
///     }
/// }
/// ```
pub trait Summary: Clone + Send {
    /// Records a sample.
    fn record(&mut self, sample: &Sample<'_>);

    /// Merges a summary of samples with larger indices into this one.
    fn merge(&mut self, later: Self);
}

impl Summary for () {
    fn record(&mut self, _: &Sample<'_>) {}

    fn merge(&mut self, (): Self) {}
}

impl<A: Summary, B: Summary> Summary for (A, B) {
    fn record(&mut self, sample: &Sample<'_>) {
        self.0.record(sample);
        self.1.record(sample);
    }

    fn merge(&mut self, later: Self) {
        self.0.merge(later.0);
        self.1.merge(later.1);
    }
}

impl<A: Summary, B: Summary, C: Summary> Summary for (A, B, C) {
    fn record(&mut self, sample: &Sample<'_>) {
        self.0.record(sample);
        self.1.record(sample);
        self.2.record(sample);
    }

    fn merge(&mut self, later: Self) {
        self.0.merge(later.0);
        self.1.merge(later.1);
        self.2.merge(later.2);
    }
}

/// Accuracy of the steps: the worst of each figure over all of them, zero for exact solutions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Figures {
    /// Natural-map residual of the step's LCP (dimensionless). With the fastest row before the impact,
    /// `U = max_j |u_j|/√W_jj`, the velocity of a row `i` is in units of `√W_ii U` and its impulse in units of `U/√W_ii`,
    /// or of `h` if that is less.
    pub residual: f64,
    /// Growth of the kinetic energy, `½ Λ · (u + u')` where positive (J).
    pub energy_gain: f64,
    /// `max(0, −Λ_n)` (N·s).
    pub adhesion: f64,
    /// Friction beyond its bound, `‖Λ_t‖ − μ Λ_n` where positive (N·s); in space that of the polygon.
    pub cone_violation: f64,
    /// Difference between the contact velocities accumulated from step to step and those of `v⁺`, at the end
    /// of a sample (m/s).
    pub drift: f64,
}

impl Figures {
    /// Raises each figure to that of `other`; NaN takes precedence.
    pub(super) fn raise(&mut self, other: &Self) {
        raise(&mut self.residual, other.residual);
        raise(&mut self.energy_gain, other.energy_gain);
        raise(&mut self.adhesion, other.adhesion);
        raise(&mut self.cone_violation, other.cone_violation);
        raise(&mut self.drift, other.drift);
    }
}

/// Replaces `figure` by `value` if that is larger or NaN.
pub(super) fn raise(figure: &mut f64, value: f64) {
    if value > *figure || value.is_nan() {
        *figure = value;
    }
}

#[cfg(feature = "serde")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// How solutions of steps were chosen, with [`Solutions::Drawn`](super::Solutions::Drawn); all zero otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Choices {
    /// Steps whose solutions were all enumerated.
    pub enumerated: u64,
    /// Those of them with several solutions, of which one was drawn.
    pub several: u64,
    /// Steps solved by Lemke's method with a covering vector of their own: those too large to enumerate, and those whose
    /// enumeration was not certain to be complete.
    pub covered: u64,
}

impl Choices {
    pub(super) const fn add(&mut self, other: &Self) {
        self.enumerated += other.enumerated;
        self.several += other.several;
        self.covered += other.covered;
    }
}

/// Counts of how the samples ended, and of the LCPs they took.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Statistics {
    /// Number of samples drawn, the sum of the next four.
    pub samples: u64,
    /// Number of samples that ended without approach within `N` steps.
    pub terminated: u64,
    /// Number of samples that ended without approach after the last small step.
    pub closed: u64,
    /// Number of samples that still approach.
    pub limit: u64,
    /// Number of samples with a step that was not solved; their further steps were not taken.
    pub unsolved: u64,
    /// Number of samples that took 0, 1, … `N` LCPs, without the last small step.
    pub lcps: Vec<u64>,
    /// Number of steps whose impulses the fast method did not find, so that Lemke's method solved them.
    pub fallbacks: u64,
    /// How solutions of steps were chosen.
    pub choices: Choices,
    /// Number of pieces between events with restitution; 0 without.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "is_zero"))]
    pub pieces: u64,
    /// Number of steps with restitution that had more than 1000 events; what was left of them was not followed.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "is_zero"))]
    pub cut_steps: u64,
    /// The worst over all steps.
    pub figures: Figures,
}

impl Statistics {
    pub(super) fn new(steps: usize) -> Self {
        Self {
            samples: 0,
            terminated: 0,
            closed: 0,
            limit: 0,
            unsolved: 0,
            lcps: vec![0; steps + 1],
            fallbacks: 0,
            choices: Choices::default(),
            pieces: 0,
            cut_steps: 0,
            figures: Figures::default(),
        }
    }

    /// Total number of LCPs of all samples, without last small steps.
    #[must_use]
    pub fn total_lcps(&self) -> u64 {
        (0..).zip(&self.lcps).map(|(lcps, samples): (u64, _)| lcps * samples).sum()
    }

    /// Mean number of LCPs of a sample; NaN without samples.
    #[must_use]
    pub fn mean_lcps(&self) -> f64 {
        self.total_lcps() as f64 / self.samples as f64
    }

    /// Largest number of LCPs of a sample.
    #[must_use]
    pub fn max_lcps(&self) -> usize {
        self.lcps.iter().rposition(|&count| count > 0).unwrap_or(0)
    }

    /// Counts a sample that took `lcps` LCPs, `fallbacks` of them by Lemke's method.
    pub(super) fn count(
        &mut self,
        termination: Termination,
        lcps: usize,
        fallbacks: u64,
        choices: &Choices,
        (pieces, cut_steps): (u64, u64),
        figures: &Figures,
    ) {
        self.samples += 1;
        *match termination {
            Termination::Separated => &mut self.terminated,
            Termination::Closed => &mut self.closed,
            Termination::Limit => &mut self.limit,
            Termination::Unsolved => &mut self.unsolved,
        } += 1;
        self.lcps[lcps] += 1;
        self.fallbacks += fallbacks;
        self.choices.add(choices);
        self.pieces += pieces;
        self.cut_steps += cut_steps;
        self.figures.raise(figures);
    }

    pub(super) fn merge(&mut self, later: &Self) {
        self.samples += later.samples;
        self.terminated += later.terminated;
        self.closed += later.closed;
        self.limit += later.limit;
        self.unsolved += later.unsolved;
        for (count, later) in self.lcps.iter_mut().zip(&later.lcps) {
            *count += later;
        }
        self.fallbacks += later.fallbacks;
        self.choices.add(&later.choices);
        self.pieces += later.pieces;
        self.cut_steps += later.cut_steps;
        self.figures.raise(&later.figures);
    }
}
