//! Why a derivative was not computed ([`Error`]), and why there is none ([`Absent`]).

use nalgebra::Vector3;

use super::{Edge, MAX_CONTACTS, Settings};
use crate::friction::{Delassus, Problem};

/// The reason why there is no derivative.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Absent {
    /// A contact is at an edge of its mode.
    #[error(
        "contact {contact} is at an edge of its mode, expected strict modes: there are at most one-sided derivatives"
    )]
    Edge {
        /// The first such contact.
        contact: usize,
    },
    /// The equations of the modes are singular in the velocities.
    #[error(
        "equations of the modes are singular, with the condition {condition:.1e} of their regular part, expected regular ones: velocities have no derivative"
    )]
    Singular {
        /// Condition of the regular part.
        condition: f64,
    },
    /// Redundant rows contradict each other along the direction.
    #[error(
        "redundant contacts contradict each other along the direction by {defect:.1e} of it, expected a direction in which they agree"
    )]
    Inconsistent {
        /// Fraction of the direction that contradicts.
        defect: f64,
    },
    /// The impulses are not unique.
    #[error("impulses are not unique, expected unique ones: only velocities have a derivative")]
    Impulses,
    /// A contact without friction and slip has no direction that friction could have.
    #[error(
        "contact {contact} has neither friction nor slip, expected one of them: there is no derivative with respect to its friction"
    )]
    Friction {
        /// The contact.
        contact: usize,
    },
    /// The linearized problem of this edge is not solved here; a derivative may exist.
    #[error(
        "contact {contact} is at the edge `{edge}`, whose one-sided derivatives are not computed"
    )]
    NotComputed {
        /// The contact.
        contact: usize,
        /// Its edge.
        edge: Edge,
    },
    /// The contacts at edges have too many combinations of modes.
    #[error("contacts at edges have {found} combinations of modes, expected at most {limit}")]
    TooManyEdges {
        /// Number of combinations, or the largest number.
        found: usize,
        /// Maximum number.
        limit: usize,
    },
    /// The linearized problem has no solution, so that no solution depends on the step at a finite rate.
    #[error(
        "linearized problem has no solution along the direction: there is no one-sided derivative"
    )]
    NoSolution,
    /// The linearized problem has several solutions.
    #[error(
        "linearized problem has {count} solutions along the direction, expected one: there is no unique one-sided derivative"
    )]
    Several {
        /// Number of solutions with different velocities.
        count: usize,
    },
    /// A combination of modes is singular, and it could not be decided whether it contains a solution.
    #[error("linearized problem is singular for a combination of modes, which was not decided")]
    Undecided,
}

/// The reason why a derivative was not computed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A list has the wrong length.
    #[error("{name} has length {found}, expected {expected}")]
    Length {
        /// The list.
        name: &'static str,
        /// Length found.
        found: usize,
        /// Length expected.
        expected: usize,
    },
    /// An entry is NaN or infinite.
    #[error("{name}[{index}] is {value}, expected a finite number")]
    Entry {
        /// The list.
        name: &'static str,
        /// Index of the entry, counted by components.
        index: usize,
        /// The entry.
        value: f64,
    },
    /// A setting is outside its documented range.
    #[error("setting `{name}` is {value}, expected a number ≥ 0")]
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// There are too many contacts.
    #[error("problem has {found} contacts, expected at most {MAX_CONTACTS}")]
    TooLarge {
        /// Number of contacts.
        found: usize,
    },
    /// The impulses do not solve the problem.
    #[error(
        "relative residual of the impulses is {residual:.1e}, expected at most {tolerance:.1e}: solve the problem first"
    )]
    NotASolution {
        /// Their relative residual.
        residual: f64,
        /// The setting.
        tolerance: f64,
    },
    /// Velocities or impulses are so large or so small that their squares overflow or underflow.
    #[error(
        "velocities and impulses in units of the masses at the contacts are up to {size:e}, expected a size whose square is a normal number"
    )]
    Magnitude {
        /// Their largest amount, each impulse in units of the root of the mass that its contact meets (m/s √kg).
        size: f64,
    },
    /// There is no derivative.
    #[error(transparent)]
    Absent(#[from] Absent),
}

pub(super) fn check<D: Delassus>(
    problem: &Problem<D>,
    impulses: &[Vector3<f64>],
    settings: &Settings,
) -> Result<(), Error> {
    for (name, value) in [("tolerance", settings.tolerance), ("edge", settings.edge)] {
        if value.is_nan() || value < 0.0 {
            return Err(Error::Setting { name, value });
        }
    }
    let expected = problem.contact_count();
    if expected > MAX_CONTACTS {
        return Err(Error::TooLarge { found: expected });
    }
    check_vectors("impulses", impulses, expected)?;
    let residual = problem.figures(impulses).largest() / problem.velocity_scale();
    if residual.is_nan() || residual > settings.tolerance {
        return Err(Error::NotASolution { residual, tolerance: settings.tolerance });
    }
    Ok(())
}

pub(super) fn check_vectors(
    name: &'static str,
    vectors: &[Vector3<f64>],
    expected: usize,
) -> Result<(), Error> {
    if vectors.len() != expected {
        return Err(Error::Length { name, found: vectors.len(), expected });
    }
    check_entries(name, vectors.iter().flatten())
}

pub(super) fn check_entries<'a>(
    name: &'static str,
    mut entries: impl Iterator<Item = &'a f64>,
) -> Result<(), Error> {
    let mut index = 0;
    match entries.find(|value| {
        index += 1;
        !value.is_finite()
    }) {
        Some(&value) => Err(Error::Entry { name, index: index - 1, value }),
        None => Ok(()),
    }
}
