//! The derivative of a step with respect to a parameter: [`derivative()`].
//!
//! A step by [`ImpulseVelocity`] has data that are smooth in the state, in masses, sizes and coefficients: the velocity `v_f`
//! without contacts, the operator `W`, and the responses `M⁻¹ Jᵀ`. Its impulses `p` solve a contact problem and are smooth as
//! long as no contact changes its mode. For a family of models and starts with the parameter `s`,
//!
//! ```math
//! \frac{dv'}{ds} = \frac{\partial}{\partial s}\bigl(v_f + M^{-1} J^\mathsf{T} p\bigr)_{p} + M^{-1} J^\mathsf{T} \frac{dp}{ds},
//! ```
//!
//! where `dp/ds` follows from `dW/ds`, `du_f/ds` and `dμ/ds` by the implicit function theorem
//! ([`friction::derivative`]). The derivatives of the data are central
//! differences of smooth functions; no difference of two solutions is taken, so modes and tolerances of the solver do not
//! enter.
//!
//! - **Needs** contacts with friction only: no friction in joints, no drives, no projection. Joints and loops are allowed.
//! - **Exists** where every contact opens, sticks or slides strictly ([`Absent`](friction::derivative::Absent) says where
//!   not). A contact that begins or ceases to be part of the step within the increment is refused, too.
//! - **Valid** up to the [reach](StepDerivative::reach), to first order.
//! - **Accuracy** about `1e-9` of the data per unit of `s`, if they change by their own size over a unit of `s`.
//! - **Cost** three steps and one derivative of the contact problem.

use nalgebra::{DVector, Vector3};
use percussion_complementarity::friction::{
    self, Problem,
    derivative::{Derivative, Direction, Reach},
};

use super::{ImpulseVelocity, Settings, place};
pub use crate::family::{Cause, Family, FamilyError};
use crate::{
    error::Error as StepError,
    family::{members, quotient},
    model::{Model, State},
    report::StepReport,
    simulation::{Scheme, Simulation},
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
    /// The contacts of the step by number, each with its impulse and `dp/ds` (N·s).
    pub contacts: Vec<(usize, Vector3<f64>, Vector3<f64>)>,
    /// The step of `s` after which the first contact changes its mode, or begins or ceases to overlap at the start (without a
    /// mode), to first order, with the number of that contact.
    pub reach: Reach,
}

/// A step of one member of the family, up to its impulses.
struct Stepped {
    simulation: Simulation<ImpulseVelocity>,
    start: State,
}

impl Stepped {
    fn at((model, start): (Model, State), settings: &Settings, s: f64) -> Result<Self, Error> {
        let of_step = |source| Error::Step { s, source };
        let mut simulation =
            Simulation::<ImpulseVelocity>::new(model, *settings, start.clone()).map_err(of_step)?;
        let (motion, scheme) = simulation.parts();
        if motion.model.driven().is_some() {
            return Err(Error::Feature("the model has drives"));
        }
        if scheme.level.has_joint_friction() {
            return Err(Error::Feature("the model has friction in joints"));
        }
        let mut report = StepReport::new(start.time + settings.step_size, 0.0);
        scheme.solve(motion, &mut report).map_err(of_step)?;
        Ok(Self { simulation, start })
    }

    fn scheme(&self) -> &ImpulseVelocity {
        self.simulation.scheme()
    }

    fn problem(&self) -> Option<&Problem> {
        self.scheme().level.problem()
    }

    fn contacts(&self) -> Vec<usize> {
        self.scheme().level.found().0
    }

    /// `v'` with other impulses, of which the free velocity is a part or not.
    fn velocity(&mut self, impulses: &[Vector3<f64>], with_free: bool) -> DVector<f64> {
        let (motion, scheme) = self.simulation.parts();
        let place = place(&scheme.settings, &self.start);
        let free = if with_free { scheme.free.clone() } else { DVector::zeros(scheme.free.len()) };
        let mut velocity = free.clone();
        scheme.level.set_impulses(impulses);
        scheme.level.apply(&motion.model, &place, &free, &mut velocity);
        velocity
    }

    /// Gaps of the contacts at the start (m).
    fn gaps(&self) -> Vec<f64> {
        self.scheme().level.gaps()
    }

    /// `q ⊕ h v`.
    fn end(&self, velocity: &DVector<f64>) -> Vec<f64> {
        let displacement = velocity * self.simulation.settings().step_size;
        let mut end = self.start.coordinates.clone();
        let system = self.simulation.model().system();
        system.retract(&self.start.coordinates, displacement.as_slice(), &mut end);
        end
    }
}

/// The derivative of the first step of the motions of `family` at `s = 0`.
///
/// `family` gives a model and its start for a parameter; it is called at `0` and `±increment`. An increment of `1e-5`
/// times the size of the parameter is good for smooth data.
///
/// # Errors
///
/// See [`Error`].
///
/// # Example
///
/// A block of 2 kg slides at 3 m/s with `μ = 0.5`; in a step of 0.1 s weight presses it down with 20 N, so it loses
/// `μ g h` = 0.5 m/s. Per unit of friction it loses `g h` = 1 m/s more and gets `g h²` = 0.1 m less far.
///
/// ```
/// use nalgebra::{Vector2, Vector3};
/// use percussion_dynamics::gap::{Plane, Sphere, SpherePlane};
/// use percussion_dynamics::{PlanarBodies, PlanarBody};
/// use percussion_integrators::impulse_velocity::{Settings, derivative::derivative};
/// use percussion_integrators::{Contact, Model, State};
///
/// let mut family = |s: f64| {
///     let block = PlanarBodies::new(vec![PlanarBody::new(2.0, 1.0)], Vector2::new(0.0, -10.0))?;
///     let floor = Plane::new(&Vector3::y(), &Vector3::zeros())?;
///     let foot = Contact::new(SpherePlane::new(Sphere::of_body(0, 0.0), floor)?, 0.5 + s);
///     let start = State { time: 0.0, coordinates: vec![0.0; 3], velocity: vec![3.0, 0.0, 0.0] };
///     Ok((Model::new(Box::new(block), vec![foot])?, start))
/// };
/// let settings = Settings { step_size: 0.1, ..Settings::default() };
/// let found = derivative(&mut family, &settings, 1e-5)?;
/// assert!((found.velocity[0] + 1.0).abs() < 1e-9 && (found.coordinates[0] + 0.1).abs() < 1e-9);
/// // Valid until friction stops the block within the step, at μ = 3.
/// assert!((found.reach.step - 2.5).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn derivative(
    family: &mut Family<'_>,
    settings: &Settings,
    increment: f64,
) -> Result<StepDerivative, Error> {
    let [member, after, before] = members(family, increment)?;
    if settings.projection {
        return Err(Error::Feature("the step ends with a projection"));
    }
    let mut here = Stepped::at(member, settings, 0.0)?;
    let contacts = here.contacts();
    let side = |member, s: f64| {
        let side = Stepped::at(member, settings, s)?;
        let found = side.contacts();
        if found == contacts {
            return Ok(side);
        }
        Err(Error::Contacts { s, found, expected: contacts.clone() })
    };
    let (mut after, mut before) = (side(after, increment)?, side(before, -increment)?);
    let span = 2.0 * increment;
    let overlaps = first_overlap(&contacts, [before.gaps(), here.gaps(), after.gaps()], increment)?;

    let mut found = Vec::new();
    let mut reach = Reach::unlimited();
    let (mut impulses, mut changes) = (Vec::new(), Vec::new());
    if let (Some(problem), Some(right), Some(left)) =
        (here.problem(), after.problem(), before.problem())
    {
        let solved = Derivative::at(problem, &here.scheme().level.found().1, &Default::default())?;
        impulses = solved.impulses();
        let difference = |a: &[Vector3<f64>], b: &[Vector3<f64>]| {
            a.iter().zip(b).map(|(a, b)| (a - b) / span).collect()
        };
        let coefficients = |of: &Problem| -> Vec<f64> {
            of.contacts().iter().map(friction::single::Contact::friction).collect()
        };
        let friction = coefficients(right).into_iter().zip(coefficients(left));
        let direction = Direction {
            free_velocity: difference(right.free_velocity(), left.free_velocity()),
            delassus: Some((right.dense() - left.dense()) / span),
            friction: friction.map(|(a, b)| (a - b) / span).collect(),
        };
        let change = solved.forward(&direction)?;
        changes = change.impulses;
        reach = change.reach;
        reach.exact = false;
        reach.contact = reach.contact.map(|index| contacts[index]);
        if let Some((contact, step)) = overlaps.filter(|(_, step)| *step < reach.step) {
            (reach.step, reach.contact, reach.mode) = (step, Some(contact), None);
        }
        let pairs = impulses.iter().copied().zip(changes.iter().copied());
        found = contacts.iter().zip(pairs).map(|(&contact, (p, dp))| (contact, p, dp)).collect();
    }
    let direct = (after.velocity(&impulses, true) - before.velocity(&impulses, true)) / span;
    let velocity = here.velocity(&impulses, true);
    let rate = direct + here.velocity(&changes, false);
    let ends = [(&after, increment), (&before, -increment)]
        .map(|(side, s)| side.end(&(&velocity + &rate * s)));
    let coordinates = quotient(&ends[0], &ends[1], increment);
    Ok(StepDerivative { coordinates, velocity: rate.as_slice().to_vec(), contacts: found, reach })
}

/// The first contact whose gap changes its sign along the direction, with the step (> 0), to first order.
fn first_overlap(
    contacts: &[usize],
    [before, here, after]: [Vec<f64>; 3],
    increment: f64,
) -> Result<Option<(usize, f64)>, Error> {
    let mut first = None;
    for (k, &contact) in contacts.iter().enumerate() {
        let gap = here[k];
        if gap == 0.0 && before[k] == 0.0 && after[k] == 0.0 {
            continue;
        }
        if before[k] * after[k] <= 0.0 {
            return Err(Error::Gap { contact, gap });
        }
        let step = -gap * 2.0 * increment / (after[k] - before[k]);
        if step > 0.0 && first.is_none_or(|(_, least)| step < least) {
            first = Some((contact, step));
        }
    }
    Ok(first)
}
