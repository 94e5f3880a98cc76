//! What moves, what may touch, and what is tied together.

use percussion_dynamics::{EqualityConstraint, GapFunction, System};

use super::{Error, Settings};
use crate::stewart_trinkle::State;

/// Two surfaces that may touch.
#[derive(Debug)]
pub struct Contact {
    /// Their distance and the rows of the contact Jacobian.
    pub gap: Box<dyn GapFunction>,
    /// Coulomb friction coefficient (≥ 0), of impacts and of persistent contact.
    pub friction: f64,
    /// Coefficient of restitution, in `[0, 1]`; what it compares is up to the impact law.
    pub restitution: f64,
}

impl Contact {
    /// A contact without friction and restitution.
    #[must_use]
    pub fn new(gap: impl GapFunction + 'static) -> Self {
        Self { gap: Box::new(gap), friction: 0.0, restitution: 0.0 }
    }

    /// The contact with Coulomb friction.
    #[must_use]
    pub fn with_friction(self, friction: f64) -> Self {
        Self { friction, ..self }
    }

    /// The contact with a coefficient of restitution.
    #[must_use]
    pub fn with_restitution(self, restitution: f64) -> Self {
        Self { restitution, ..self }
    }
}

/// A system with its possible contacts and its bilateral constraints, checked at construction.
#[derive(Debug)]
pub struct Model {
    system: Box<dyn System>,
    contacts: Vec<Contact>,
    constraints: Vec<Box<dyn EqualityConstraint>>,
}

impl Model {
    /// A system and its contacts, in the order in which reports number them; there may be none.
    ///
    /// # Errors
    ///
    /// [`Error::Friction`], [`Error::Restitution`], [`Error::Gap`].
    pub fn new(system: Box<dyn System>, contacts: Vec<Contact>) -> Result<Self, Error> {
        for (contact, Contact { gap, friction, restitution }) in contacts.iter().enumerate() {
            if !(friction.is_finite() && *friction >= 0.0) {
                return Err(Error::Friction { contact, value: *friction });
            }
            if !(0.0..=1.0).contains(restitution) {
                return Err(Error::Restitution { contact, value: *restitution });
            }
            gap.check(system.as_ref()).map_err(|source| Error::Gap { contact, source })?;
        }
        Ok(Self { system, contacts, constraints: Vec::new() })
    }

    /// The same model with these bilateral constraints in place of its own; they hold from the start on, through
    /// impacts too.
    ///
    /// # Errors
    ///
    /// [`Error::Constraint`].
    pub fn with_constraints(
        self,
        constraints: Vec<Box<dyn EqualityConstraint>>,
    ) -> Result<Self, Error> {
        for (constraint, equations) in constraints.iter().enumerate() {
            equations
                .check(self.system.as_ref())
                .map_err(|source| Error::Constraint { constraint, source })?;
        }
        Ok(Self { constraints, ..self })
    }

    /// The system.
    #[must_use]
    pub fn system(&self) -> &dyn System {
        self.system.as_ref()
    }

    /// The possible contacts.
    #[must_use]
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    /// The bilateral constraints.
    #[must_use]
    pub fn constraints(&self) -> &[Box<dyn EqualityConstraint>] {
        &self.constraints
    }

    /// Number of components of one contact: 2 in the plane, 3 in space.
    #[must_use]
    pub fn component_count(&self) -> usize {
        1 + self.system.dimension().tangent_count()
    }

    /// Checks what can be told of a start without its gaps.
    pub(super) fn check_state(&self, state: &State) -> Result<(), Error> {
        self.system.check_coordinates(&state.coordinates)?;
        let (expected, found) = (self.system.velocity_count(), state.velocity.len());
        if found != expected {
            return Err(Error::VelocityLength { expected, found });
        }
        match state.velocity.iter().chain([&state.time]).find(|value| !value.is_finite()) {
            Some(&value) => Err(Error::NotFinite { value }),
            None => Ok(()),
        }
    }

    /// Checks that the start overlaps and breaks no more than the proximity allows.
    pub(super) fn check_start(
        &self,
        settings: &Settings,
        gaps: &[f64],
        ties: &[f64],
    ) -> Result<(), Error> {
        let accepted = settings.proximity.max(settings.gap_tolerance);
        for (contact, &gap) in gaps.iter().enumerate() {
            // A gap that is not a number is refused with those that overlap.
            if gap.is_nan() || gap < -accepted {
                return Err(Error::Penetration { contact, depth: -gap, accepted });
            }
        }
        for (row, &value) in ties.iter().enumerate() {
            if value.is_nan() || value.abs() > accepted {
                return Err(Error::Broken { row, value, accepted });
            }
        }
        Ok(())
    }
}
