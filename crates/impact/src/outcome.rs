//! The answer of a law: the [`Outcome`] of an impact, with a [`Trace`] of its computation.

use nalgebra::DVector;

/// The answer of a law to a [`Problem`](crate::Problem), judged by
/// [`Certificate::check`](crate::certificate::Certificate::check).
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// `v⁺` (length `n_v`, m/s and rad/s).
    pub velocity: DVector<f64>,
    /// Impulse at each contact.
    pub impulses: Vec<Impulse>,
    /// Impulses in the joints, `Λ_b` (length `m_b`, N·s and N·m·s).
    pub bilateral_impulses: DVector<f64>,
    /// How the law computed its answer, and whether it succeeded.
    pub trace: Trace,
}

/// Impulse at one contact.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Impulse {
    /// `Λ_n` (N·s); positive pushes the bodies apart.
    pub normal: f64,
    /// `Λ_t`, one entry for each tangent of the contact (N·s).
    pub tangent: Vec<f64>,
}

/// How a law computed its answer.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Trace {
    /// Whether the law succeeded, and whether its certificate holds.
    pub status: Status,
    /// What happened, in order; empty when no contact approached.
    pub stages: Vec<Stage>,
    /// How the law used the coefficients of restitution of the contacts.
    pub restitution: RestitutionUse,
    /// The factor of all coefficients of restitution, where a law reduced them so that the energy does not grow.
    pub reduction: Option<Reduction>,
    /// The proof for [`Status::Infeasible`]: a weight for each contact, see there. A law stores weights here
    /// that may be a proof; [`Law::resolve`](crate::Law::resolve) confirms or removes them.
    pub infeasibility: Option<DVector<f64>>,
}

impl Trace {
    /// Trace of a law that came to its end, with these stages.
    #[must_use]
    pub const fn resolved(stages: Vec<Stage>) -> Self {
        Self::new(Status::Resolved, stages)
    }

    /// Trace of a law that ended with this status, with these stages.
    #[must_use]
    pub const fn new(status: Status, stages: Vec<Stage>) -> Self {
        Self {
            status,
            stages,
            restitution: RestitutionUse::None,
            reduction: None,
            infeasibility: None,
        }
    }
}

/// By how much a law reduced restitution.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Reduction {
    /// `κ*`, the factor of all coefficients, in `[0, 1)`: the largest tried with which the energy does not grow.
    pub factor: f64,
    /// The smallest factor tried with which the energy grows or no outcome was found; at most `1e-6` above.
    pub failing: f64,
}

/// Whether a law came to its end, and whether its answer is valid.
///
/// A law itself sets [`Resolved`](Self::Resolved), [`Limit`](Self::Limit) or [`Unsolved`](Self::Unsolved).
/// [`Law::resolve`](crate::Law::resolve) also has the outcome judged by
/// [`Certificate::judge`](crate::certificate::Certificate::judge), which can set the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Status {
    /// The law came to its end, and the certificate of the outcome holds.
    Resolved,
    /// A limit of steps was reached; the outcome is the last state.
    Limit,
    /// The complementarity problem of the law, or its equations, were not solved; the outcome is the best point
    /// found, and its certificate shows its errors.
    Unsolved,
    /// The law came to its end, but the certificate of the outcome does not hold.
    Violated,
    /// The law came to its end and everything else in the certificate holds, but the energy has grown, which
    /// the law does not exclude.
    EnergyGained,
    /// No outcome has the speeds of separation that the law prescribes. The proof consists of weights `y ≥ 0`
    /// of the contacts, with the sum 1, for which `Σ y_k J_n,k` lies in the row space of the joints. Then no
    /// impulse changes `Σ y_k u_n,k`, while `Σ y_k s_k > 0` for the prescribed speeds `s`.
    Infeasible,
}

impl Status {
    /// Whether the law came to its end, regardless of its certificate.
    #[must_use]
    pub const fn came_to_its_end(self) -> bool {
        matches!(self, Self::Resolved | Self::Violated | Self::EnergyGained)
    }
}

/// How a law uses the coefficients of restitution of the contacts, from `None` to the one that differs most from
/// what the contacts have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum RestitutionUse {
    /// No contact has a coefficient other than 0.
    #[default]
    None,
    /// The law uses them.
    Used,
    /// The law uses them times a factor below 1, its [reduction](Trace::reduction).
    Reduced,
    /// The law uses a coefficient of its own instead.
    Replaced,
    /// The law is inelastic and ignores them.
    Ignored,
}

impl RestitutionUse {
    /// What a status adds for people where the coefficients were not used; empty otherwise.
    #[must_use]
    pub const fn remark(self) -> &'static str {
        match self {
            Self::None | Self::Used => "",
            Self::Reduced => ", restitution reduced so that the energy does not grow",
            Self::Replaced => ", restitution of the contacts replaced by the law's",
            Self::Ignored => ", restitution ignored",
        }
    }
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
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
    /// Part of an impact with small impulses at all contacts.
    Increment,
}
