//! What a law answers: the [`Outcome`] of an impact, with the [`Trace`] of how it came about.

use nalgebra::DVector;
use serde::Serialize;

/// The answer of a law to a [`Problem`](crate::Problem), judged by
/// [`Certificate::check`](crate::Certificate::check).
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// `v⁺` (length `n_v`, m/s and rad/s).
    pub velocity: DVector<f64>,
    /// Percussion at each contact.
    pub impulses: Vec<Impulse>,
    /// Percussions in the joints, `Λ_b` (length `m_b`, N·s and N·m·s).
    pub bilateral_impulses: DVector<f64>,
    /// How the law came to its answer, and whether it did.
    pub trace: Trace,
}

/// Percussion at one contact.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Impulse {
    /// `Λ_n` (N·s); positive pushes the bodies apart.
    pub normal: f64,
    /// `Λ_t`, one entry for each tangent of the contact (N·s).
    pub tangent: Vec<f64>,
}

/// How a law came to its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// Whether it did.
    pub status: Status,
    /// What happened, in order; empty when no contact approached.
    pub stages: Vec<Stage>,
}

impl Trace {
    /// A law that came to its end, through these stages.
    #[must_use]
    pub const fn resolved(stages: Vec<Stage>) -> Self {
        Self { status: Status::Resolved, stages }
    }
}

/// Whether a law came to its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Status {
    /// The outcome is that of the law.
    Resolved,
    /// A limit of steps was reached; the outcome is the last state.
    Limit,
    /// The complementarity problem of the law was not solved; the outcome is the best point found,
    /// and its certificate shows what is wrong with it.
    Unsolved,
}

/// One stage of an impact.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// What happened.
    pub phase: Phase,
    /// The contact it happened at; none when all contacts took part.
    pub contact: Option<usize>,
    /// Velocity at its end (length `n_v`, m/s and rad/s).
    pub velocity: DVector<f64>,
}

/// What happens in a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Phase {
    /// An impact from beginning to end.
    Impact,
    /// The bodies stop approaching.
    Compression,
    /// The bodies are driven apart.
    Expansion,
    /// Part of an impact with the contact sliding, or without friction.
    Slide,
    /// Part of an impact with the contact sticking.
    Stick,
    /// Part of an impact with small percussions at all contacts.
    Increment,
}
