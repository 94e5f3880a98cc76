//! What an integrator moves: a system, the contacts it may come into, loops and forces.

use std::{fmt::Debug, sync::Arc};

use percussion_dynamics::{
    ContactSource, EqualityConstraint, FreeBodies, Lagrangian, RotationUpdate, System,
};

use super::{Error, Force};
use crate::model::{self, Contact, check_constraints, check_contacts};

/// What moves, which decides the discrete Lagrangian.
#[derive(Debug)]
pub(super) enum Mechanics {
    /// `q̇ = v`.
    Coordinates(Box<dyn Lagrangian>),
    /// With the Cayley map as the rotation update.
    Bodies(FreeBodies),
}

/// A system with everything that acts on it, checked at construction.
#[derive(Debug)]
pub struct Model {
    pub(super) mechanics: Mechanics,
    contacts: Vec<Contact>,
    contact_source: Option<Arc<dyn ContactSource>>,
    constraints: Vec<Box<dyn EqualityConstraint>>,
    forces: Vec<Box<dyn Force>>,
}

impl Model {
    /// A system without quaternions and its possible contacts, in the order in which reports number
    /// them.
    ///
    /// # Errors
    ///
    /// [`Error::Quaternions`], [`Error::Model`].
    pub fn new(system: Box<dyn Lagrangian>, contacts: Vec<Contact>) -> Result<Self, Error> {
        let (coordinates, velocities) = (system.coordinate_count(), system.velocity_count());
        if coordinates != velocities {
            return Err(Error::Quaternions { coordinates, velocities });
        }
        Self::checked(Mechanics::Coordinates(system), contacts)
    }

    /// Free bodies in space and their possible contacts.
    ///
    /// Their rotation update becomes [`RotationUpdate::NormalizedEuler`], the Cayley map.
    ///
    /// # Errors
    ///
    /// [`Error::Model`].
    pub fn free_bodies(bodies: FreeBodies, contacts: Vec<Contact>) -> Result<Self, Error> {
        let bodies = bodies.with_rotation_update(RotationUpdate::NormalizedEuler);
        Self::checked(Mechanics::Bodies(bodies), contacts)
    }

    fn checked(mechanics: Mechanics, contacts: Vec<Contact>) -> Result<Self, Error> {
        let (constraints, forces) = (Vec::new(), Vec::new());
        let model = Self { mechanics, contacts, contact_source: None, constraints, forces };
        check_contacts(model.system(), &model.contacts)?;
        Ok(model)
    }

    /// The same model, which also touches wherever `source` finds a contact, in place of a source of its own.
    ///
    /// # Errors
    ///
    /// [`Error::Model`].
    pub fn with_contact_source(self, source: impl ContactSource + 'static) -> Result<Self, Error> {
        source.check(self.system()).map_err(model::Error::from)?;
        Ok(Self { contact_source: Some(Arc::new(source)), ..self })
    }

    /// The same model with these bilateral constraints in place of its own, such as those that close
    /// a loop. Their equations must be independent of one another.
    ///
    /// # Errors
    ///
    /// [`Error::Model`], [`Error::NonHolonomic`].
    pub fn with_constraints(
        self,
        constraints: Vec<Box<dyn EqualityConstraint>>,
    ) -> Result<Self, Error> {
        check_constraints(self.system(), &constraints)?;
        for (constraint, equations) in constraints.iter().enumerate() {
            let rows = equations.row_count(self.system());
            let holonomic = equations.holonomic_count(self.system());
            if holonomic != rows {
                return Err(Error::NonHolonomic { constraint, holonomic, rows });
            }
        }
        Ok(Self { constraints, ..self })
    }

    /// The same model with these forces beside those of the system, in place of its own.
    #[must_use]
    pub fn with_forces(self, forces: Vec<Box<dyn Force>>) -> Self {
        Self { forces, ..self }
    }

    pub(super) fn set_forces(&mut self, forces: Vec<Box<dyn Force>>) {
        self.forces = forces;
    }

    /// The system.
    #[must_use]
    pub fn system(&self) -> &dyn System {
        match &self.mechanics {
            Mechanics::Coordinates(system) => system.as_ref(),
            Mechanics::Bodies(bodies) => bodies,
        }
    }

    /// What finds further contacts on the way.
    #[must_use]
    pub fn contact_source(&self) -> Option<&Arc<dyn ContactSource>> {
        self.contact_source.as_ref()
    }

    /// The possible contacts that are named beforehand.
    #[must_use]
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    /// The bilateral constraints.
    #[must_use]
    pub fn constraints(&self) -> &[Box<dyn EqualityConstraint>] {
        &self.constraints
    }

    /// The forces beside those of the system.
    #[must_use]
    pub fn forces(&self) -> &[Box<dyn Force>] {
        &self.forces
    }

    /// Number of equations of all constraints.
    pub(super) fn constraint_rows(&self) -> usize {
        self.constraints.iter().map(|constraint| constraint.row_count(self.system())).sum()
    }
}
