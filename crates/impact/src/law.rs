//! What every impact law is: a map from a [`Problem`] to an [`Outcome`].
//!
//! # Source
//!
//! B. Brogliato, *Nonsmooth Mechanics: Models, Dynamics and Control*, third edition, Springer 2016
//! (impact laws as maps, and what can be asked of them).

use std::fmt::Debug;

use percussion_complementarity::{
    friction,
    lcp::{self, enumerate, lemke},
};

use crate::{Outcome, Problem, ProblemError, readable::readable};

/// An impact law.
///
/// A law that no contact approaches leaves the velocity as it is, up to what the joints demand; only
/// [`MaximumDissipation`](crate::MaximumDissipation) also strikes contacts that slide and jam. Of
/// [`Certificate::check`](crate::Certificate::check) every law guarantees the momentum residual and
/// the bilateral residual, to rounding; the rest is in its own documentation.
pub trait Law: Debug {
    /// Name in files and on the command line.
    fn name(&self) -> &'static str;

    /// The velocity after the impact, and the percussions that lead to it.
    ///
    /// # Errors
    ///
    /// [`Error`] when the law does not apply or a setting is wrong. Not coming to an end is not an
    /// error but a [`Status`](crate::outcome::Status) of the outcome.
    fn resolve(&self, problem: &Problem) -> Result<Outcome, Error>;
}

impl<L: Law + ?Sized> Law for Box<L> {
    fn name(&self) -> &'static str {
        (**self).name()
    }

    fn resolve(&self, problem: &Problem) -> Result<Outcome, Error> {
        (**self).resolve(problem)
    }
}

/// Why a law could not start.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A setting is outside its documented range.
    #[error("setting `{name}` is {}, expected {expected}", readable(*.value))]
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// Its value.
        value: f64,
        /// Its range.
        expected: &'static str,
    },
    /// The law does not apply to this number of contacts.
    #[error("problem has {found} contacts, expected {expected}")]
    Contacts {
        /// Number of contacts.
        found: usize,
        /// What the law applies to.
        expected: &'static str,
    },
    /// The law has no friction, and a contact has.
    #[error("contacts[{contact}].friction is {}, expected 0 for a law without friction", readable(*.friction))]
    Friction {
        /// Index of the contact.
        contact: usize,
        /// Its coefficient.
        friction: f64,
    },
    /// A list of contacts does not list each of them once.
    #[error("order is {order:?}, expected each of the {contacts} contacts once")]
    Order {
        /// The list.
        order: Vec<usize>,
        /// Number of contacts.
        contacts: usize,
    },
    /// A Sobol sequence has not as many dimensions as there are increments in a sample.
    #[error("a sample draws {found} increments, expected at most {limit} with Sobol's sequence")]
    Dimensions {
        /// Contacts times steps.
        found: usize,
        /// Dimensions of the sequence.
        limit: usize,
    },
    /// The complementarity problem does not fit in memory.
    #[error("complementarity problem of the impact has {found} unknowns, expected at most {limit}")]
    TooLarge {
        /// Its number of unknowns.
        found: usize,
        /// Most that are tried.
        limit: usize,
    },
    /// A velocity within the impact is not finite.
    #[error("within the impact, {0}")]
    Overflow(#[from] ProblemError),
    /// The complementarity problem has entries that are not finite.
    #[error("complementarity problem of the impact: {0}")]
    Lcp(#[from] lcp::ProblemError),
    /// Lemke's method could not start.
    #[error("Lemke's method: {0}")]
    Lemke(#[from] lemke::Error),
    /// The frictional contact problem has entries out of range.
    #[error("contact problem of the impact: {0}")]
    RoundCones(#[from] friction::ProblemError),
    /// The solver of the frictional contact problem could not start.
    #[error("contact solver: {0}")]
    ContactSolver(#[from] friction::report::Error),
    /// The enumeration of solutions could not start.
    #[error("enumeration of the solutions: {0}")]
    Enumeration(#[from] enumerate::Error),
}

/// Whether a contact approaches, given the contact velocities of all.
pub(crate) fn any_approach(problem: &Problem, contact_velocity: &nalgebra::DVector<f64>) -> bool {
    (0..problem.contacts().len()).any(|k| contact_velocity[problem.rows(k).start] < 0.0)
}
