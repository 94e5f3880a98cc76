//! Features of a [`Model`] that some schemes do not support: [`Feature`].

use std::fmt;

use super::Model;

/// A feature of models that some schemes do not support.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Feature {
    /// Contacts that are [found](Model::with_contact_source) during the motion.
    FoundContacts,
    /// Coefficients of restitution above 0, of contacts that are specified beforehand or may be found.
    Restitution,
    /// [Friction in joints](Model::with_joint_friction).
    JointFriction,
    /// Contacts with [friction cones](super::Cone) that are not round.
    Cones,
    /// [Bilateral constraints](Model::with_constraints), such as those that close a loop.
    Constraints,
    /// Bilateral constraints of velocities alone, such as rolling.
    VelocityConstraints,
    /// [Forces](Model::with_forces) in addition to those of the system.
    Forces,
}

impl Feature {
    /// All features.
    pub const ALL: [Self; 7] = [
        Self::FoundContacts,
        Self::Restitution,
        Self::JointFriction,
        Self::Cones,
        Self::Constraints,
        Self::VelocityConstraints,
        Self::Forces,
    ];
}

impl fmt::Display for Feature {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::FoundContacts => "a contact source",
            Self::Restitution => "restitution",
            Self::JointFriction => "friction in joints",
            Self::Cones => "friction cones that are not round",
            Self::Constraints => "bilateral constraints",
            Self::VelocityConstraints => "bilateral constraints of velocities alone",
            Self::Forces => "forces beside those of its system",
        })
    }
}

/// How a scheme treats a [`Feature`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The scheme supports it.
    Used,
    /// The scheme moves the model as if it did not have the feature.
    Ignored,
    /// The scheme refuses the model.
    Refused,
}

impl Model {
    /// Whether the model has a feature.
    #[must_use]
    pub fn has(&self, feature: Feature) -> bool {
        match feature {
            Feature::FoundContacts => self.contact_source.is_some(),
            Feature::Restitution => {
                let mut contacts = self.contacts.iter();
                let found = self.contact_source.as_ref();
                contacts.any(|contact| contact.restitution > 0.0)
                    || found.is_some_and(|source| source.has_restitution())
            }
            Feature::JointFriction => !self.joint_friction.is_empty(),
            Feature::Cones => {
                !self.found_cones.is_empty() || self.contacts.iter().any(|one| one.cone.is_some())
            }
            Feature::Constraints => !self.constraints.is_empty(),
            Feature::VelocityConstraints => {
                let system = self.system();
                let has = |rows: usize, holonomic: usize| rows > holonomic;
                let mut constraints = self.constraints.iter();
                constraints.any(|one| has(one.row_count(system), one.holonomic_count(system)))
            }
            Feature::Forces => !self.forces.is_empty(),
        }
    }

    /// The first feature of the model that a scheme with this `rule` refuses.
    pub(crate) fn refused(&self, rule: impl Fn(Feature) -> Rule) -> Option<Feature> {
        let refused = |feature: &Feature| rule(*feature) == Rule::Refused && self.has(*feature);
        Feature::ALL.into_iter().find(refused)
    }
}
