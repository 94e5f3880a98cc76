//! The properties that a law claims for its outcomes; the certificate judges outcomes by them.

use crate::{Problem, outcome::RestitutionUse};

/// The claims of a law about its outcomes, in addition to the conditions on every outcome: momentum balance,
/// joints, no approach, no adhesion, and friction within the cones.
///
/// Claims depend on the problem and on the settings of the law, never on an outcome.
///
/// # Example
///
/// An inelastic law in which contacts that push do not separate and the energy never grows:
///
/// ```
/// use percussion_impact::{RestitutionUse, certificate::{Claims, Complementarity}};
///
/// let claims = Claims::new(RestitutionUse::Ignored)
///     .with_complementarity(Complementarity::Inelastic)
///     .dissipating(true);
/// assert!(claims.dissipates);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Claims {
    /// Use of nonzero coefficients of restitution by the law.
    pub restitution: RestitutionUse,
    /// The speed at which contacts that push separate.
    pub complementarity: Complementarity,
    /// How friction opposes the slip after the impact. A violation counts as a violation of complementarity.
    pub friction: Friction,
    /// Whether the law claims that the energy never grows. Growth then violates the claim
    /// ([`Status::Violated`](crate::outcome::Status::Violated)); for other laws the status is
    /// [`Status::EnergyGained`](crate::outcome::Status::EnergyGained).
    pub dissipates: bool,
    /// Change of the energy as a fraction of the energy before the impact, for a law that prescribes the loss
    /// (default: not prescribed). Any other change violates the claim.
    pub energy_change: Option<f64>,
    /// Maximum fraction of the size of a figure that the law leaves (≥ 0, default 0); `2 √eps` is allowed in
    /// any case.
    pub tolerance: f64,
    /// Additional approach that the law leaves (m/s, ≥ 0, default 0).
    pub approach: f64,
    /// Additional approach that the law leaves, as a fraction of the largest contact velocity that the energy
    /// before the impact allows, `√(J_n M⁻¹ J_nᵀ) √(2 T⁻)` (≥ 0, default 0).
    pub kinetic_approach: f64,
    /// Whether the impact takes no time. In an integration through the impact the bodies move, so contacts
    /// and joints turn; momentum, approach and joints are then not judged with the rows of the problem.
    pub is_instantaneous: bool,
}

/// The speed at which contacts that push separate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Complementarity {
    /// Any speed.
    #[default]
    Any,
    /// They do not separate: `0 ≤ Λ_n ⊥ u_n⁺ ≥ 0`.
    Inelastic,
    /// Newton's speed, which is also the minimum for all contacts: `0 ≤ Λ_n ⊥ u_n⁺ − e max(0, −u_n⁻) ≥ 0`,
    /// with the contact velocity `u_n⁻` after the joints are enforced. A law that claims that the energy never grows
    /// may reduce all `e` by the factor of its [`Reduction`](crate::outcome::Reduction).
    Newton,
}

/// How friction opposes the slip after the impact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Friction {
    /// No claim.
    #[default]
    Any,
    /// As much as a polygon with this number of directions in space, the first along the first tangent,
    /// allows: `Λ_t·u_t⁺ + μ Λ_n max_j(−d_j·u_t⁺) = 0`. In the plane there are two directions.
    Polygon(usize),
}

impl Claims {
    /// The claims that every law makes, together with this use of restitution.
    #[must_use]
    pub const fn new(restitution: RestitutionUse) -> Self {
        Self {
            restitution,
            complementarity: Complementarity::Any,
            friction: Friction::Any,
            dissipates: false,
            energy_change: None,
            tolerance: 0.0,
            approach: 0.0,
            kinetic_approach: 0.0,
            is_instantaneous: true,
        }
    }

    /// Returns the claims with this complementarity of normal impulses and velocities.
    #[must_use]
    pub const fn with_complementarity(self, complementarity: Complementarity) -> Self {
        Self { complementarity, ..self }
    }

    /// Returns the claims with this law of friction.
    #[must_use]
    pub const fn with_friction(self, friction: Friction) -> Self {
        Self { friction, ..self }
    }

    /// Returns the claims with or without the claim that the energy never grows.
    #[must_use]
    pub const fn dissipating(self, dissipates: bool) -> Self {
        Self { dissipates, ..self }
    }

    /// Returns the claims with this tolerance, a fraction of the size of each figure.
    #[must_use]
    pub const fn within(self, tolerance: f64) -> Self {
        Self { tolerance, ..self }
    }

    /// Returns the claims with this remaining approach (m/s).
    #[must_use]
    pub const fn leaving(self, approach: f64) -> Self {
        Self { approach, ..self }
    }

    /// Returns the claims with this fraction of the largest possible approach remaining.
    #[must_use]
    pub const fn leaving_part(self, kinetic_approach: f64) -> Self {
        Self { kinetic_approach, ..self }
    }

    /// Returns the claims for an integration through the impact.
    #[must_use]
    pub const fn in_time(self) -> Self {
        Self { is_instantaneous: false, ..self }
    }

    /// Returns the use of the coefficients of restitution of the contacts of `problem`.
    #[must_use]
    pub fn restitution_of(&self, problem: &Problem) -> RestitutionUse {
        let any = problem.contacts().iter().any(|contact| contact.restitution > 0.0);
        if any { self.restitution } else { RestitutionUse::None }
    }
}

/// Whether all contacts of `problem` have zero restitution.
pub(crate) fn is_inelastic(problem: &Problem) -> bool {
    problem.contacts().iter().all(|contact| contact.restitution <= 0.0)
}
