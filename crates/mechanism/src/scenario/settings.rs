//! Settings of the schemes for a [`Scenario`].

use percussion_integrators::{
    event_driven, impulse_velocity, moreau_jean,
    schemes::{Choice, Name},
    stewart_trinkle::Settings,
    variational,
};

use super::{Scenario, Space};

impl Scenario {
    /// The stepping scheme of this scenario with its settings; for event-driven motion that of Stewart and Trinkle.
    #[must_use]
    pub fn stepping(&self) -> Choice {
        match self.integrator.method {
            Name::ImpulseVelocity => Choice::ImpulseVelocity(self.impulse_velocity_settings()),
            Name::MoreauJean => Choice::MoreauJean(self.moreau_jean_settings()),
            Name::Variational => Choice::Variational(self.variational_settings()),
            _ => Choice::StewartTrinkle(self.settings()),
        }
    }

    pub(super) fn settings(&self) -> Settings {
        let defaults = match self.dimension {
            Space::Plane => Settings::planar(),
            Space::Space => Settings::default(),
        };
        Settings {
            step_size: self.integrator.step_size,
            directions: self.integrator.directions.unwrap_or(defaults.directions),
            tolerance: self.integrator.tolerance,
            outer_iteration_limit: self
                .integrator
                .outer_iteration_limit
                .unwrap_or(defaults.outer_iteration_limit),
            penetration_tolerance: self.accepted_penetration,
            ..defaults
        }
    }

    /// Settings of the impulse–velocity scheme for this scenario, whatever its method.
    #[must_use]
    pub fn impulse_velocity_settings(&self) -> impulse_velocity::Settings {
        let defaults = impulse_velocity::Settings::default();
        let integrator = &self.integrator;
        impulse_velocity::Settings {
            step_size: integrator.step_size,
            law: integrator.friction_law.unwrap_or(defaults.law),
            error_reduction: integrator.error_reduction.unwrap_or(defaults.error_reduction),
            tolerance: integrator.solver_tolerance.unwrap_or(defaults.tolerance),
            projection: integrator.projection.unwrap_or(defaults.projection),
            ..defaults
        }
    }

    /// Settings of event-driven motion for this scenario, whatever its method.
    #[must_use]
    pub fn event_driven_settings(&self) -> event_driven::Settings {
        let defaults = event_driven::Settings::default();
        let integrator = &self.integrator;
        event_driven::Settings {
            sample_interval: Some(integrator.step_size),
            inelastic_fallback: integrator
                .inelastic_fallback
                .unwrap_or(defaults.inelastic_fallback),
            ..defaults
        }
    }

    /// Settings of the variational integrator for this scenario, whatever its method.
    #[must_use]
    pub fn variational_settings(&self) -> variational::Settings {
        let defaults = variational::Settings::default();
        let integrator = &self.integrator;
        variational::Settings {
            step_size: integrator.step_size,
            // In the plane there are two directions, and the setting is not used.
            directions: integrator.directions.unwrap_or(defaults.directions).max(4),
            ..defaults
        }
    }

    /// Settings of the scheme of Moreau and Jean for this scenario, whatever its method.
    #[must_use]
    pub fn moreau_jean_settings(&self) -> moreau_jean::Settings {
        let defaults = moreau_jean::Settings::default();
        let integrator = &self.integrator;
        moreau_jean::Settings {
            step_size: integrator.step_size,
            law: integrator.friction_law.unwrap_or(defaults.law),
            implicitness: integrator.implicitness.unwrap_or(defaults.implicitness),
            tolerance: integrator.solver_tolerance.unwrap_or(defaults.tolerance),
            projection: integrator.projection.unwrap_or(defaults.projection),
            ..defaults
        }
    }
}
