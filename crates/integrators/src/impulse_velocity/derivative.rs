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
//! ([`friction::derivative`](percussion_complementarity::friction::derivative)). The derivatives of the data are central
//! differences of smooth functions; no difference of two solutions is taken, so modes and tolerances of the solver do not
//! enter.
//!
//! - **Needs** contacts with friction only: no friction in joints, no drives, no projection. Joints and loops are allowed.
//! - **Exists** where every contact opens, sticks or slides strictly ([`Absent`](percussion_complementarity::friction::derivative::Absent)
//!   says where not). A contact that begins or ceases to be part of the step within the increment is refused, too.
//! - **Valid** up to the [reach](StepDerivative::reach), to first order.
//! - **Accuracy** about `1e-9` of the data per unit of `s`, if they change by their own size over a unit of `s`.
//! - **Cost** three steps and one derivative of the contact problem.

use nalgebra::{DVector, Vector3};
use percussion_complementarity::friction::derivative::{Derivative, Reach, State as Modes};

use super::{ImpulseVelocity, Settings, place};
pub use crate::{
    family::{Cause, Family, FamilyError},
    step_derivative::{Error, StepDerivative},
};
use crate::{
    family::{members, quotient},
    step_derivative::{LevelScheme, Stepped, direction, first_zero, shorten},
    velocity_level::VelocityLevel,
};

impl LevelScheme for ImpulseVelocity {
    fn level(&self) -> &VelocityLevel {
        &self.level
    }
}

impl Stepped<ImpulseVelocity> {
    /// `v'` with other impulses.
    fn velocity(&mut self, impulses: &[Vector3<f64>]) -> DVector<f64> {
        let (motion, scheme) = self.simulation.parts();
        let place = place(&scheme.settings, &motion.state);
        let mut velocity = scheme.free.clone();
        scheme.level.set_impulses(impulses);
        scheme.level.apply(&motion.model, &place, &scheme.free, &mut velocity);
        velocity
    }

    /// Gaps of the contacts at the start (m).
    fn gaps(&self) -> Vec<f64> {
        self.scheme().level.gaps()
    }

    /// `q ⊕ h v`.
    fn end(&self, velocity: &DVector<f64>) -> Vec<f64> {
        let displacement = velocity * self.simulation.settings().step_size;
        let start = &self.simulation.state().coordinates;
        let mut end = start.clone();
        let system = self.simulation.model().system();
        system.retract(start, displacement.as_slice(), &mut end);
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
    let members = members(family, increment)?;
    if settings.projection {
        return Err(Error::Feature("the step ends with a projection"));
    }
    let [mut here, mut after, mut before] =
        Stepped::<ImpulseVelocity>::members(members, settings, increment)?;
    let contacts = here.contacts();
    let span = 2.0 * increment;
    let overlaps = first_zero(&contacts, [&before.gaps(), &here.gaps(), &after.gaps()], increment)
        .map_err(|(contact, gap)| Error::Gap { contact, gap })?;

    let mut found = Vec::new();
    let mut redundant = false;
    let mut reach = Reach::unlimited();
    let (mut impulses, mut changes) = (Vec::new(), Vec::new());
    if let (Some(problem), Some(right), Some(left)) =
        (here.problem(), after.problem(), before.problem())
    {
        let solved = Derivative::at(&problem, &here.scheme().level.found().1, &Default::default())?;
        impulses = solved.impulses();
        redundant = solved.state() == Modes::Redundant;
        let direction = direction(&right, &left, span);
        let change = solved.forward(&direction)?;
        changes = change.impulses;
        reach = change.reach;
        reach.exact = false;
        reach.contact = reach.contact.map(|index| contacts[index]);
        shorten(&mut reach, overlaps);
        let pairs = impulses.iter().copied().zip(changes.iter().copied());
        found = contacts.iter().zip(pairs).map(|(&contact, (p, dp))| (contact, p, dp)).collect();
    }
    let direct = (after.velocity(&impulses) - before.velocity(&impulses)) / span;
    let velocity = here.velocity(&impulses);
    // With errors of the constraints `v'` is affine in the impulses, and not linear.
    let moved: Vec<_> = impulses.iter().zip(&changes).map(|(p, change)| p + change).collect();
    let rate = direct + here.velocity(&moved) - &velocity;
    let ends = [(&after, increment), (&before, -increment)]
        .map(|(side, s)| side.end(&(&velocity + &rate * s)));
    let coordinates = quotient(&ends[0], &ends[1], increment);
    let velocity = rate.as_slice().to_vec();
    Ok(StepDerivative { coordinates, velocity, redundant, contacts: found, reach })
}
