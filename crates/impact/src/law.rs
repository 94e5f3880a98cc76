//! The trait of all impact laws: a map from a [`Problem`] to an [`Outcome`].

use std::fmt::Debug;

use percussion_complementarity::{
    friction,
    lcp::{self, enumerate, lemke},
};

use nalgebra::DVector;

use crate::{
    Outcome, Problem, ProblemError,
    certificate::{Certificate, CertificateError, Claims, Complementarity},
    infeasible,
    outcome::{RestitutionUse, Status},
    readable::readable,
};

/// An impact law.
///
/// When no contact approaches, a law leaves the velocity unchanged, except for the effect of the joints; only
/// [`MaximumDissipation`](crate::maximum_dissipation::MaximumDissipation) also acts on contacts that slide and jam.
///
/// An implementation provides [`answer`](Self::answer) and [`claims`](Self::claims). Callers use
/// [`resolve`](Self::resolve), which judges the answer: [`Status::Resolved`] then means that the certificate
/// holds, including all claims of the law.
///
/// # Source
///
/// B. Brogliato, *Nonsmooth Mechanics: Models, Dynamics and Control*, third edition, Springer 2016
/// (impact laws as maps, and conditions on them).
pub trait Law: Debug + Send + Sync {
    /// Name in files and on the command line.
    fn name(&self) -> &'static str;

    /// Returns the claims by which outcomes of the law are judged.
    fn claims(&self, problem: &Problem) -> Claims;

    /// Returns the velocity after the impact and the impulses that lead to it, without judging them: the
    /// status only states how the law itself ended.
    ///
    /// # Errors
    ///
    /// [`Error`] when the law does not apply or a setting is wrong. Failure to come to an end is not an error
    /// but a [`Status`] of the outcome.
    fn answer(&self, problem: &Problem) -> Result<Outcome, Error>;

    /// Returns the answer, judged by [`Certificate::judge`] with the claims of the law. If the law prescribes
    /// speeds of separation and did not reach them, an independent search determines whether any motion has
    /// them ([`Status::Infeasible`]).
    ///
    /// # Errors
    ///
    /// As [`answer`](Self::answer), and [`Error::Overflow`] when a velocity, an impulse or an energy
    /// overflows.
    fn resolve(&self, problem: &Problem) -> Result<Outcome, Error> {
        judged(problem, &self.claims(problem), self.answer(problem)?)
    }

    /// Returns the answer to the impact with this `number` (0, 1, …) of a motion, judged as by [`resolve`](Self::resolve).
    /// A law that draws its answers draws another one for each number; all others ignore it.
    ///
    /// # Errors
    ///
    /// As [`resolve`](Self::resolve).
    fn resolve_numbered(&self, problem: &Problem, _number: u64) -> Result<Outcome, Error> {
        self.resolve(problem)
    }
}

impl<L: Law + ?Sized> Law for Box<L> {
    fn name(&self) -> &'static str {
        (**self).name()
    }

    fn claims(&self, problem: &Problem) -> Claims {
        (**self).claims(problem)
    }

    fn answer(&self, problem: &Problem) -> Result<Outcome, Error> {
        (**self).answer(problem)
    }

    fn resolve_numbered(&self, problem: &Problem, number: u64) -> Result<Outcome, Error> {
        (**self).resolve_numbered(problem, number)
    }
}

/// Returns `outcome` with the status from its certificate.
///
/// # Errors
///
/// [`Error::Overflow`] and [`Error::Outcome`].
pub(crate) fn judged(
    problem: &Problem,
    claims: &Claims,
    mut outcome: Outcome,
) -> Result<Outcome, Error> {
    let judgement = Certificate::judge(problem, &outcome, claims)?;
    // The law may know of a violation within the impact that the whole does not show.
    if outcome.trace.status != Status::Violated {
        outcome.trace.status = judgement.status;
    }
    outcome.trace.restitution = match outcome.trace.reduction {
        Some(_) => RestitutionUse::Reduced,
        None => claims.restitution_of(problem),
    };
    let holds = matches!(judgement.status, Status::Resolved | Status::EnergyGained);
    let proof = outcome.trace.infeasibility.take();
    if !holds && claims.complementarity == Complementarity::Newton {
        let confirmed = |weights| infeasible::confirmed(problem, &weights);
        let proof = proof.and_then(confirmed);
        outcome.trace.infeasibility =
            proof.or_else(|| infeasible::proof(problem).and_then(confirmed));
    }
    let is_finite = finite(&outcome, &judgement.certificate);
    if outcome.trace.infeasibility.is_some() {
        outcome.trace.status = Status::Infeasible;
        if is_finite.is_err() {
            // The result of the law is not finite; the outcome without impulses is used instead.
            let none = DVector::zeros(problem.contact_jacobian().nrows());
            return Ok(problem.outcome(&none, outcome.trace));
        }
    }
    is_finite?;
    Ok(outcome)
}

/// Refuses an impact whose kinetic energy before it overflows.
#[cfg(feature = "sets")]
pub(crate) fn finite_energy(problem: &Problem) -> Result<(), ProblemError> {
    let value = problem.kinetic_energy(problem.velocity());
    let field = "kinetic energy before the impact".to_owned();
    match value.is_finite() {
        true => Ok(()),
        false => Err(ProblemError::Entry { field, value, expected: "a finite number" }),
    }
}

/// Refuses numbers that overflowed.
fn finite(outcome: &Outcome, certificate: &Certificate) -> Result<(), ProblemError> {
    let expected = "a finite number";
    let refuse = |field: String, value: f64| Err(ProblemError::Entry { field, value, expected });
    if let Some((i, &value)) = outcome.velocity.iter().enumerate().find(|(_, v)| !v.is_finite()) {
        return refuse(format!("velocity[{i}] after the impact"), value);
    }
    for (k, impulse) in outcome.impulses.iter().enumerate() {
        let mut entries = std::iter::once(&impulse.normal).chain(&impulse.tangent);
        if let Some(&value) = entries.find(|value| !value.is_finite()) {
            return refuse(format!("percussion of contact {k}"), value);
        }
    }
    if let Some(&value) = outcome.bilateral_impulses.iter().find(|value| !value.is_finite()) {
        return refuse("percussion in a joint".to_string(), value);
    }
    let energies = [
        ("kinetic energy before the impact", certificate.energy_before),
        ("kinetic energy after the impact", certificate.energy_after),
        ("change of the kinetic energy", certificate.energy_change),
    ];
    match energies.into_iter().find(|(_, value)| !value.is_finite()) {
        Some((field, value)) => refuse(field.to_string(), value),
        None => Ok(()),
    }
}

/// Reasons why a law could not start.
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
    /// Sobol's sequence is asked for, but each impact of a motion needs random numbers of its own.
    #[error(
        "setting `draws` is `sobol`, expected `random`, whose numbers are independent from impact to impact"
    )]
    Draws,
    /// The law does not apply to this number of contacts.
    #[error("problem has {found} contacts, expected {expected}")]
    Contacts {
        /// Number of contacts.
        found: usize,
        /// Number of contacts that the law supports.
        expected: &'static str,
    },
    /// The law has no friction, but a contact has.
    #[error("contacts[{contact}].friction is {}, expected 0 for a law without friction", readable(*.friction))]
    Friction {
        /// Index of the contact.
        contact: usize,
        /// Its coefficient.
        friction: f64,
    },
    /// A list of contacts does not contain each of them once.
    #[error("order is {order:?}, expected each of the {contacts} contacts once")]
    Order {
        /// The list.
        order: Vec<usize>,
        /// Number of contacts.
        contacts: usize,
    },
    /// A Sobol sequence has fewer dimensions than a sample has increments.
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
        /// Maximum number of unknowns.
        limit: usize,
    },
    /// A velocity, an impulse or an energy within the impact is not finite.
    #[error("within the impact, {0}")]
    Overflow(#[from] ProblemError),
    /// The answer of a law does not belong to the problem.
    #[error("answer of the law: {0}")]
    Outcome(#[from] CertificateError),
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
    ContactSolver(#[from] friction::Error),
    /// The enumeration of solutions could not start.
    #[error("enumeration of the solutions: {0}")]
    Enumeration(#[from] enumerate::Error),
}

/// Whether any contact approaches, given the contact velocities of all.
pub(crate) fn any_approach(problem: &Problem, contact_velocity: &DVector<f64>) -> bool {
    (0..problem.contacts().len()).any(|k| contact_velocity[problem.rows(k).start] < 0.0)
}
