//! What a law claims of its outcomes, by which they are judged.

use crate::{Problem, outcome::RestitutionUse};

/// What a law claims of its outcomes beyond what every outcome is judged by: momentum, joints, no approach, no
/// adhesion, and friction within the cones.
///
/// Claims depend on the problem and the settings of the law, never on an outcome.
///
/// # Example
///
/// An inelastic law by which contacts that push do not separate, and energy never grows:
///
/// ```
/// use percussion_impact::{certificate::{Claims, Complementarity}, outcome::RestitutionUse};
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
    /// At which speed contacts that push separate.
    pub complementarity: Complementarity,
    /// How friction opposes the slip after the impact. Where it does not, the complementarity is violated.
    pub friction: Friction,
    /// Whether the energy never grows. Growth then breaks the claim
    /// ([`Status::Violated`](crate::outcome::Status::Violated)); of another law it is
    /// [`Status::EnergyGained`](crate::outcome::Status::EnergyGained).
    pub dissipates: bool,
    /// Change of the energy as a part of the energy before the impact, for a law that says how much is lost (default: none
    /// does). Another change breaks the claim.
    pub energy_change: Option<f64>,
    /// Largest part of the size of a figure that the law leaves (≥ 0, default 0); the judge allows `2 √eps` anyway.
    pub tolerance: f64,
    /// Approach that the law leaves in addition (m/s, ≥ 0, default 0).
    pub approach: f64,
    /// Approach that the law leaves in addition, as a part of the largest contact velocity that the energy before
    /// the impact allows, `√(J_n M⁻¹ J_nᵀ) √(2 T⁻)` (≥ 0, default 0).
    pub kinetic_approach: f64,
    /// Whether the impact takes no time. In an integration through the impact bodies move meanwhile, so that
    /// contacts and joints turn; momentum, approach and joints are then not judged by the rows of the problem.
    pub is_instantaneous: bool,
}

/// At which speed contacts that push separate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Complementarity {
    /// At any.
    #[default]
    Any,
    /// They do not separate: `0 ≤ Λ_n ⊥ u_n⁺ ≥ 0`.
    Inelastic,
    /// At Newton's speed, which is also the least of all contacts: `0 ≤ Λ_n ⊥ u_n⁺ − e max(0, −u_n⁻) ≥ 0`, with the
    /// contact velocity `u_n⁻` that the joints leave.
    Newton,
}

/// How friction opposes the slip after the impact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Friction {
    /// In any way.
    #[default]
    Any,
    /// As much as polygons with this number of directions in space, the first along the first tangent, allow:
    /// `Λ_t·u_t⁺ + μ Λ_n max_j(−d_j·u_t⁺) = 0`. In the plane the directions are two.
    Polygon(usize),
}

impl Claims {
    /// The claims that every law makes, and what this one makes of restitution.
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

    /// With a complementarity of normal percussions and velocities.
    #[must_use]
    pub const fn with_complementarity(self, complementarity: Complementarity) -> Self {
        Self { complementarity, ..self }
    }

    /// With a law of friction.
    #[must_use]
    pub const fn with_friction(self, friction: Friction) -> Self {
        Self { friction, ..self }
    }

    /// Whether the energy never grows.
    #[must_use]
    pub const fn dissipating(self, dissipates: bool) -> Self {
        Self { dissipates, ..self }
    }

    /// To this part of the size of each figure.
    #[must_use]
    pub const fn within(self, tolerance: f64) -> Self {
        Self { tolerance, ..self }
    }

    /// With this approach left (m/s).
    #[must_use]
    pub const fn leaving(self, approach: f64) -> Self {
        Self { approach, ..self }
    }

    /// With this part of the largest possible approach left.
    #[must_use]
    pub const fn leaving_part(self, kinetic_approach: f64) -> Self {
        Self { kinetic_approach, ..self }
    }

    /// Of an integration through the impact.
    #[must_use]
    pub const fn in_time(self) -> Self {
        Self { is_instantaneous: false, ..self }
    }

    /// Use of the coefficients of restitution of the contacts of `problem`.
    #[must_use]
    pub fn restitution_of(&self, problem: &Problem) -> RestitutionUse {
        let any = problem.contacts().iter().any(|contact| contact.restitution > 0.0);
        if any { self.restitution } else { RestitutionUse::None }
    }
}

/// Whether no contact of `problem` has a restitution.
pub(crate) fn is_inelastic(problem: &Problem) -> bool {
    problem.contacts().iter().all(|contact| contact.restitution <= 0.0)
}
