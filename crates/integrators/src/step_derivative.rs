//! What the derivatives of steps of the schemes at velocity level have in common.

use std::borrow::Cow;

use nalgebra::Vector3;
use percussion_complementarity::friction::{
    self, Problem,
    derivative::{Direction, Reach},
};

use crate::{
    error::Error as StepError,
    family::FamilyError,
    model::{Model, State},
    report::StepReport,
    simulation::{Scheme, Simulation},
    velocity_level::VelocityLevel,
};

/// Reasons why a step has no derivative.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The family has no members.
    #[error(transparent)]
    Family(#[from] FamilyError),
    /// The step failed.
    #[error("step at s = {s:?}: {source}")]
    Step {
        /// The parameter.
        s: f64,
        /// Its error.
        source: StepError,
    },
    /// The model or the settings have a feature whose derivative is not known.
    #[error("{0}, expected a step of contacts with friction only")]
    Feature(&'static str),
    /// A contact begins or ceases to be part of the step near `s = 0`.
    #[error("at s = {s:?} the step has the contacts {found:?}, at s = 0 {expected:?}")]
    Contacts {
        /// The parameter.
        s: f64,
        /// The contacts there.
        found: Vec<usize>,
        /// The contacts at `s = 0`.
        expected: Vec<usize>,
    },
    /// A contact begins or ceases to overlap near `s = 0`. A gap has to close in the step, while an overlap is removed by a part
    /// only, so the derivatives on both sides differ.
    #[error(
        "contact {contact} has the gap {gap:?} m at the start, which changes its sign near s = 0"
    )]
    Gap {
        /// Number of the contact.
        contact: usize,
        /// Its gap at `s = 0` (m).
        gap: f64,
    },
    /// A contact with restitution that pushes neither approaches nor separates before the step near `s = 0`, so that the
    /// derivatives on both sides differ.
    #[error(
        "contact {contact} with restitution has the normal velocity {velocity:?} m/s before the step, which changes its sign near s = 0"
    )]
    Grazing {
        /// Number of the contact.
        contact: usize,
        /// Its normal velocity before the step at `s = 0` (m/s).
        velocity: f64,
    },
    /// The forces and masses at the end of the step were iterated without convergence.
    #[error("the derivative of the step changed by {change:e} in the last of {limit} passes")]
    IterationLimit {
        /// Number of passes.
        limit: usize,
        /// Change of `dv'/ds` in the last one.
        change: f64,
    },
    /// The contact problem has no derivative.
    #[error(transparent)]
    Derivative(#[from] friction::derivative::Error),
}

impl From<friction::derivative::Absent> for Error {
    fn from(absent: friction::derivative::Absent) -> Self {
        Self::Derivative(absent.into())
    }
}

/// The change of the end of a step per unit of the parameter.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StepDerivative {
    /// `dq'/ds` (length `n_q`).
    pub coordinates: Vec<f64>,
    /// `dv'/ds` (length `n_v`).
    pub velocity: Vec<f64>,
    /// Whether only the sum of the impulses is determined, and not their distribution among redundant contacts: the
    /// impulses of [`contacts`](Self::contacts) then are one choice of several, whose changes move the bodies as they do.
    pub redundant: bool,
    /// The contacts of the step by number, each with its impulse and `dp/ds` (N·s).
    pub contacts: Vec<(usize, Vector3<f64>, Vector3<f64>)>,
    /// The step of `s` after which the first contact changes its mode, or begins or ceases to overlap at the start (without a
    /// mode), to first order, with the number of that contact.
    pub reach: Reach,
}

/// A scheme whose steps are those of [`VelocityLevel`].
pub(crate) trait LevelScheme: Scheme<Settings: Copy> {
    /// Its contact problem.
    fn level(&self) -> &VelocityLevel;
}

/// A step of one member of the family, up to its impulses; the motion is still at the start.
pub(crate) struct Stepped<S: Scheme> {
    pub(crate) simulation: Simulation<S>,
    pub(crate) s: f64,
}

impl<S: LevelScheme> Stepped<S> {
    /// The steps at `0`, `increment` and `−increment` of [`members`](crate::family::members), which have the same contacts.
    pub(crate) fn members(
        [here, after, before]: [(Model, State); 3],
        settings: &S::Settings,
        increment: f64,
    ) -> Result<[Self; 3], Error> {
        let here = Self::at(here, settings, 0.0)?;
        let expected = here.contacts();
        let side = |member, s: f64| {
            let side = Self::at(member, settings, s)?;
            let found = side.contacts();
            if found == expected {
                return Ok(side);
            }
            Err(Error::Contacts { s, found, expected: expected.clone() })
        };
        let (after, before) = (side(after, increment)?, side(before, -increment)?);
        Ok([here, after, before])
    }

    fn at((model, start): (Model, State), settings: &S::Settings, s: f64) -> Result<Self, Error> {
        let of_step = |source| Error::Step { s, source };
        let mut simulation = Simulation::<S>::new(model, *settings, start).map_err(of_step)?;
        let step_size = simulation.scheme().step_size();
        let (motion, scheme) = simulation.parts();
        if motion.model.driven().is_some() {
            return Err(Error::Feature("the model has drives"));
        }
        if scheme.level().has_blocks() {
            return Err(Error::Feature(
                "the model has friction in joints or cones that are not round",
            ));
        }
        let mut report = StepReport::new(motion.state.time + step_size, 0.0);
        scheme.solve(motion, &mut report).map_err(of_step)?;
        Ok(Self { simulation, s })
    }

    pub(crate) fn scheme(&self) -> &S {
        self.simulation.scheme()
    }

    pub(crate) fn problem(&self) -> Option<Cow<'_, Problem>> {
        self.scheme().level().problem()
    }

    pub(crate) fn contacts(&self) -> Vec<usize> {
        self.scheme().level().found().0
    }
}

/// The change of the contact problem between two members that are `span` apart.
pub(crate) fn direction(right: &Problem, left: &Problem, span: f64) -> Direction {
    let difference = |a: &[Vector3<f64>], b: &[Vector3<f64>]| {
        a.iter().zip(b).map(|(a, b)| (a - b) / span).collect()
    };
    let coefficients = |of: &Problem| -> Vec<f64> {
        of.contacts().iter().map(friction::single::Contact::friction).collect()
    };
    let friction = coefficients(right).into_iter().zip(coefficients(left));
    Direction {
        free_velocity: difference(right.free_velocity(), left.free_velocity()),
        delassus: Some((right.dense() - left.dense()) / span),
        friction: friction.map(|(a, b)| (a - b) / span).collect(),
    }
}

/// The smallest positive step at which one of the `values` is zero, to first order, with its contact; `Err` has the contact
/// and the value of the first that changes its sign between the sides of `s = 0`. Values that stay zero do not count.
pub(crate) fn first_zero(
    contacts: &[usize],
    [before, here, after]: [&[f64]; 3],
    increment: f64,
) -> Result<Option<(usize, f64)>, (usize, f64)> {
    let mut first = None;
    for (k, &contact) in contacts.iter().enumerate() {
        let value = here[k];
        if value == 0.0 && before[k] == 0.0 && after[k] == 0.0 {
            continue;
        }
        if before[k] * after[k] <= 0.0 {
            return Err((contact, value));
        }
        let step = -value * 2.0 * increment / (after[k] - before[k]);
        if step > 0.0 && first.is_none_or(|(_, least)| step < least) {
            first = Some((contact, step));
        }
    }
    Ok(first)
}

/// `reach` if it is shorter than the step at which a contact begins or ceases to take part as it does now.
pub(crate) fn shorten(reach: &mut Reach, end: Option<(usize, f64)>) {
    if let Some((contact, step)) = end.filter(|(_, step)| *step < reach.step) {
        (reach.step, reach.contact, reach.mode) = (step, Some(contact), None);
    }
}
