//! The moving system, and the compliant contacts that act on it.

use std::sync::Arc;

use percussion_dynamics::{System, compliant::Law, gap::GapFunction};

use super::{Error, State};

/// Two surfaces that press on each other where they overlap.
#[derive(Clone, Debug)]
pub struct Contact {
    /// Their distance and the rows of the contact Jacobian.
    pub gap: Arc<dyn GapFunction>,
    /// The force between them.
    pub law: Law,
}

impl Contact {
    /// A contact with a force law.
    #[must_use]
    pub fn new(gap: impl GapFunction + 'static, law: Law) -> Self {
        Self { gap: Arc::new(gap), law }
    }
}

/// A system with its compliant contacts, checked at construction.
#[derive(Debug)]
pub struct Model {
    system: Box<dyn System>,
    contacts: Vec<Contact>,
}

impl Model {
    /// Combines a system and its contacts, which states number in this order.
    ///
    /// # Errors
    ///
    /// [`Error::NoContacts`], [`Error::Gap`].
    pub fn new(system: Box<dyn System>, contacts: Vec<Contact>) -> Result<Self, Error> {
        if contacts.is_empty() {
            return Err(Error::NoContacts);
        }
        for (contact, Contact { gap, .. }) in contacts.iter().enumerate() {
            gap.check(system.as_ref()).map_err(|source| Error::Gap { contact, source })?;
        }
        Ok(Self { system, contacts })
    }

    /// The system.
    #[must_use]
    pub fn system(&self) -> &dyn System {
        self.system.as_ref()
    }

    /// The contacts.
    #[must_use]
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    /// Number of components of one contact: 2 in the plane, 3 in space.
    #[must_use]
    pub fn component_count(&self) -> usize {
        1 + self.system.dimension().tangent_count()
    }

    /// Mechanical energy (J): that of the system and the elastic energy of the contacts, for slices of the
    /// lengths of the system.
    #[must_use]
    pub fn energy(&self, coordinates: &[f64], velocity: &[f64]) -> f64 {
        let elastic = |contact: &Contact| {
            contact.law.normal().potential(contact.gap.gap(self.system(), coordinates))
        };
        self.system.energy(coordinates, velocity) + self.contacts.iter().map(elastic).sum::<f64>()
    }

    /// A state of this model at time 0 with zero accumulated impulses.
    ///
    /// # Errors
    ///
    /// [`Error::Coordinates`], [`Error::Length`], [`Error::NotFinite`].
    pub fn state(&self, coordinates: Vec<f64>, velocity: Vec<f64>) -> Result<State, Error> {
        let impulses = vec![0.0; self.contacts.len() * self.component_count()];
        let state = State { time: 0.0, coordinates, velocity, impulses };
        self.check_state(&state)?;
        Ok(state)
    }

    pub(super) fn check_state(&self, state: &State) -> Result<(), Error> {
        let impulse_count = self.contacts.len() * self.component_count();
        for (field, found, expected) in [
            ("velocity", state.velocity.len(), self.system.velocity_count()),
            ("impulses", state.impulses.len(), impulse_count),
        ] {
            if found != expected {
                return Err(Error::Length { field, expected, found });
            }
        }
        self.system.check_coordinates(&state.coordinates)?;
        for (field, values) in [
            ("time", [state.time].as_slice()),
            ("velocity", &state.velocity),
            ("impulses", &state.impulses),
        ] {
            if let Some(&value) = values.iter().find(|value| !value.is_finite()) {
                return Err(Error::NotFinite { field, value });
            }
        }
        Ok(())
    }
}
