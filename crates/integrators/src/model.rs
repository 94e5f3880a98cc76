//! The moving system, its possible contacts, its constraints and its start: the same for every scheme.

mod actuator;
mod applied;
mod bounded_friction;
mod cone;
mod delegate;
mod driven;
mod error;
mod feature;
mod force;

use std::{iter, ops::Range, sync::Arc};

use nalgebra::{Cholesky, DMatrix, Vector3};
use percussion_dynamics::{
    ContactSource, FreeBodies, Lagrangian, System, constraint::EqualityConstraint, gap::GapFunction,
};

pub use actuator::{Actuator, Controls, ControlsError, Course, Geared};
pub use applied::{AppliedForce, AppliedForceError};
pub use bounded_friction::BoundedFriction;
pub use cone::{Along, Cone, ConeError, FoundCone};
pub use error::ModelError;
pub use feature::{Feature, Rule};
pub use force::{Drive, Force};

pub(crate) use cone::PlacedCone;
use driven::Driven;
pub(crate) use driven::StatedDrive;

use crate::scales::{Scales, radius_of};
pub(crate) use crate::state::State;

impl State {
    /// Checks that it is a state of `system`.
    pub(crate) fn check(&self, system: &dyn System) -> Result<(), ModelError> {
        if !self.time.is_finite() {
            return Err(ModelError::Time { value: self.time });
        }
        system.check_coordinates(&self.coordinates)?;
        let (expected, found) = (system.velocity_count(), self.velocity.len());
        if found != expected {
            return Err(ModelError::VelocityLength { expected, found });
        }
        match self.velocity.iter().enumerate().find(|(_, v)| !v.is_finite()) {
            Some((index, &value)) => Err(ModelError::Velocity { index, value }),
            None => Ok(()),
        }
    }
}

/// Two surfaces that may touch.
#[derive(Clone, Debug)]
pub struct Contact {
    /// Their distance and the rows of the contact Jacobian.
    pub gap: Arc<dyn GapFunction>,
    /// Coulomb friction coefficient `μ ≥ 0` (dimensionless).
    pub friction: f64,
    /// Coefficient of restitution, in `[0, 1]`. [`schemes`](crate::schemes) states which schemes use it; its
    /// definition depends on the scheme and its impact law.
    pub restitution: f64,
    /// The friction cone, if it is not round; the friction coefficient is then not used.
    pub cone: Option<Arc<Cone>>,
}

impl Contact {
    /// A contact with the friction coefficient `friction` (`μ ≥ 0`, checked by [`Model::new`]) and the restitution 0.
    #[must_use]
    pub fn new(gap: impl GapFunction + 'static, friction: f64) -> Self {
        Self { gap: Arc::new(gap), friction, restitution: 0.0, cone: None }
    }

    /// The same contact with the coefficient of restitution `restitution` (in `[0, 1]`, checked by [`Model::new`]).
    #[must_use]
    pub fn with_restitution(self, restitution: f64) -> Self {
        Self { restitution, ..self }
    }

    /// The same contact with a friction cone that is not round (checked by [`Model::new`]), in place of its friction coefficient.
    #[must_use]
    pub fn with_cone(self, cone: Cone) -> Self {
        Self { cone: Some(Arc::new(cone)), ..self }
    }
}

/// The moving system, with its known type.
#[derive(Clone, Debug)]
enum Mechanics {
    Any(Arc<dyn System>),
    Lagrangian(Arc<dyn Lagrangian>),
    Bodies(FreeBodies),
}

impl Mechanics {
    /// The system, whatever is known of it.
    fn shared(&self) -> Arc<dyn System> {
        match self {
            Self::Any(system) => Arc::clone(system),
            Self::Lagrangian(system) => {
                let system: Arc<dyn System> = Arc::clone(system) as Arc<dyn System>;
                system
            }
            Self::Bodies(bodies) => Arc::new(bodies.clone()),
        }
    }
}

/// A system with everything that acts on it, checked at construction.
///
/// A clone shares the system, the gap functions, the constraints and the forces, which never change.
///
/// The same [`Model`] is the input of every scheme except [`compliant`](crate::compliant), whose
/// [model](crate::compliant::Model) has contacts with force laws.
///
/// A scheme refuses a [`Feature`] that it does not support before the first step; see
/// [`schemes`](crate::schemes) for the table. [`Variational`](crate::variational::Variational) requires more of the system
/// than others, for which there are [`Model::lagrangian`] and [`Model::free_bodies`].
///
/// Contacts are [specified](Model::new) beforehand or [found](Model::with_contact_source) during the motion,
/// or both; see [`Contacts`](crate::Contacts) for how a scheme uses a source.
///
/// # Example
///
/// A block slides on a floor at 3 m/s with `μ = 0.5` and comes to rest after `v²/(2 μ g) = 0.9 m`, up to `v h/2` in
/// steps of 0.01 s. The same model moves by any other scheme.
///
/// ```
/// use nalgebra::{Vector2, Vector3};
/// use percussion_dynamics::gap::{Plane, Sphere, SpherePlane};
/// use percussion_dynamics::{PlanarBodies, PlanarBody};
/// use percussion_integrators::{
///     Contact, Model, Simulation, State,
///     impulse_velocity::{self, ImpulseVelocity},
/// };
///
/// let block = PlanarBodies::new(vec![PlanarBody::new(2.0, 1.0)], Vector2::new(0.0, -10.0))?;
/// let floor = Plane::new(&Vector3::y(), &Vector3::zeros())?;
/// let foot = Contact::new(SpherePlane::new(Sphere::of_body(0, 0.0), floor)?, 0.5);
/// let model = Model::new(Box::new(block), vec![foot])?;
/// let start = State { time: 0.0, coordinates: vec![0.0; 3], velocity: vec![3.0, 0.0, 0.0] };
///
/// let settings = impulse_velocity::Settings { step_size: 0.01, ..Default::default() };
/// let mut motion = Simulation::<ImpulseVelocity>::new(model, settings, start)?;
/// motion.run(1.0, |_, _| ())?;
/// assert!((motion.state().coordinates[0] - 0.9).abs() < 0.016);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Model {
    mechanics: Mechanics,
    /// The system with its actuators, where it has any.
    driven: Option<Arc<Driven>>,
    contacts: Vec<Contact>,
    contact_source: Option<Arc<dyn ContactSource>>,
    found_cones: Arc<[FoundCone]>,
    joint_friction: Vec<BoundedFriction>,
    constraints: Arc<[Box<dyn EqualityConstraint>]>,
    forces: Arc<[Box<dyn Force>]>,
}

impl Model {
    /// Builds a model from a system and its possible contacts, which reports number in this order; there may
    /// be none.
    ///
    /// # Errors
    ///
    /// [`ModelError::Friction`], [`ModelError::Restitution`], [`ModelError::Gap`], [`ModelError::Cone`].
    pub fn new(system: Box<dyn System>, contacts: Vec<Contact>) -> Result<Self, ModelError> {
        Self::of(Mechanics::Any(system.into()), contacts)
    }

    /// Builds a model of a system that is known to be a [`Lagrangian`] one.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn lagrangian(
        system: Box<dyn Lagrangian>,
        contacts: Vec<Contact>,
    ) -> Result<Self, ModelError> {
        Self::of(Mechanics::Lagrangian(system.into()), contacts)
    }

    /// Builds a model of a Lagrangian system that is shared with other owners.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn shared(system: Arc<dyn Lagrangian>, contacts: Vec<Contact>) -> Result<Self, ModelError> {
        Self::of(Mechanics::Lagrangian(system), contacts)
    }

    /// Builds a model of free bodies in space. [`Variational`](crate::variational::Variational) rotates them by the Cayley
    /// map, regardless of their rotation update.
    /// rotation update.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn free_bodies(bodies: FreeBodies, contacts: Vec<Contact>) -> Result<Self, ModelError> {
        Self::of(Mechanics::Bodies(bodies), contacts)
    }

    fn of(mechanics: Mechanics, contacts: Vec<Contact>) -> Result<Self, ModelError> {
        let model = Self {
            mechanics,
            driven: None,
            contacts,
            contact_source: None,
            found_cones: Arc::new([]),
            joint_friction: Vec::new(),
            constraints: Arc::new([]),
            forces: Arc::new([]),
        };
        check_contacts(model.system(), &model.contacts)?;
        Ok(model)
    }

    /// Returns the model with `source`, which finds further contacts; it replaces a previous source.
    ///
    /// # Errors
    ///
    /// [`ModelError::ContactSource`].
    pub fn with_contact_source(
        self,
        source: impl ContactSource + 'static,
    ) -> Result<Self, ModelError> {
        source.check(self.system())?;
        Ok(Self { contact_source: Some(Arc::new(source)), ..self })
    }

    /// Returns the model with these friction cones of contacts that its source finds, which replace previous ones.
    ///
    /// # Errors
    ///
    /// [`ModelError::Cone`], with the place in this list.
    pub fn with_found_cones(self, cones: Vec<FoundCone>) -> Result<Self, ModelError> {
        for (contact, found) in cones.iter().enumerate() {
            let refuse = |source| ModelError::Cone { contact, source };
            found.cone.check(self.system()).map_err(refuse)?;
        }
        Ok(Self { found_cones: cones.into(), ..self })
    }

    /// Returns the model with these bounded frictions, which replace previous ones.
    ///
    /// # Errors
    ///
    /// [`ModelError::DirectionShape`], [`ModelError::DirectionOpposite`], [`ModelError::Bound`].
    pub fn with_joint_friction(
        self,
        joint_friction: Vec<BoundedFriction>,
    ) -> Result<Self, ModelError> {
        for (joint, friction) in joint_friction.iter().enumerate() {
            friction.check(joint, self.system().velocity_count())?;
        }
        Ok(Self { joint_friction, ..self })
    }

    /// Returns the model with these bilateral constraints, which replace previous ones; they hold from the
    /// start.
    ///
    /// # Errors
    ///
    /// [`ModelError::Constraint`].
    pub fn with_constraints(
        self,
        constraints: Vec<Box<dyn EqualityConstraint>>,
    ) -> Result<Self, ModelError> {
        check_constraints(self.system(), &constraints)?;
        Ok(Self { constraints: constraints.into(), ..self })
    }

    /// Returns the model with these forces in addition to those of the system; they replace previous ones.
    #[must_use]
    pub fn with_forces(self, forces: Vec<Box<dyn Force>>) -> Self {
        Self { forces: forces.into(), ..self }
    }

    pub(crate) fn set_forces(&mut self, forces: Vec<Box<dyn Force>>) {
        self.forces = forces.into();
    }

    /// The system.
    #[must_use]
    pub fn system(&self) -> &dyn System {
        if let Some(driven) = &self.driven {
            return driven.as_ref();
        }
        match &self.mechanics {
            Mechanics::Any(system) => system.as_ref(),
            Mechanics::Lagrangian(system) => system.as_ref(),
            Mechanics::Bodies(bodies) => bodies,
        }
    }

    /// The system, if it is known to be a Lagrangian one.
    #[must_use]
    pub fn as_lagrangian(&self) -> Option<&dyn Lagrangian> {
        match &self.mechanics {
            Mechanics::Lagrangian(system) if self.driven.is_none() => Some(system.as_ref()),
            _ => None,
        }
    }

    /// The system, if it is known to consist of free bodies.
    #[must_use]
    pub const fn as_free_bodies(&self) -> Option<&FreeBodies> {
        match &self.mechanics {
            Mechanics::Bodies(bodies) if self.driven.is_none() => Some(bodies),
            _ => None,
        }
    }

    /// The source of further contacts.
    #[must_use]
    pub fn contact_source(&self) -> Option<&Arc<dyn ContactSource>> {
        self.contact_source.as_ref()
    }

    /// The friction cones of contacts that the source finds.
    #[must_use]
    pub fn found_cones(&self) -> &[FoundCone] {
        &self.found_cones
    }

    /// The possible contacts that are specified beforehand.
    #[must_use]
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    /// The bounded frictions.
    #[must_use]
    pub fn joint_friction(&self) -> &[BoundedFriction] {
        &self.joint_friction
    }

    /// The bilateral constraints.
    #[must_use]
    pub fn constraints(&self) -> &[Box<dyn EqualityConstraint>] {
        &self.constraints
    }

    /// The forces in addition to those of the system.
    #[must_use]
    pub fn forces(&self) -> &[Box<dyn Force>] {
        &self.forces
    }

    /// Number of equations of all constraints.
    pub(crate) fn constraint_rows(&self) -> usize {
        self.constraints.iter().map(|constraint| constraint.row_count(self.system())).sum()
    }

    /// Whether every force is known to have a potential that is included in the energy of the system, and to
    /// depend neither on velocity nor on time. This is so for a Lagrangian system or free bodies without a
    /// [`Force`] in addition to those of the system, dampers and torques on free bodies. Friction is not
    /// considered.
    #[must_use]
    pub fn is_conservative(&self) -> bool {
        self.forces.is_empty()
            && self.driven.is_none()
            && match &self.mechanics {
                Mechanics::Any(_) => false,
                Mechanics::Lagrangian(system) => system.is_conservative(),
                Mechanics::Bodies(bodies) => {
                    bodies.bodies().iter().all(|body| body.torque == Vector3::zeros())
                }
            }
    }

    /// Number of components of one contact: 2 in the plane, 3 in space.
    #[must_use]
    pub fn component_count(&self) -> usize {
        1 + self.system().dimension().tangent_count()
    }

    /// The scales at `start` of a motion of the length `span` (s).
    #[must_use]
    pub fn scales(&self, start: &State, span: f64) -> Scales {
        let gaps = self.contacts.iter().map(|contact| contact.gap.as_ref());
        let size = radius_of(self.contact_source.as_ref(), self.system());
        Scales::with_size(size, self.system(), gaps, start, span)
    }
}

/// Checks that the mass matrix at `coordinates` is symmetric positive definite.
pub(crate) fn check_mass_matrix(
    system: &dyn System,
    coordinates: &[f64],
) -> Result<(), ModelError> {
    let count = system.velocity_count();
    let mut mass_matrix = DMatrix::zeros(count, count);
    system.mass_matrix(coordinates, &mut mass_matrix);
    let asymmetry = (&mass_matrix - mass_matrix.transpose()).amax();
    // Entries of a mass matrix are sums of at most a few products per coordinate.
    let rounding = count as f64 * f64::EPSILON * mass_matrix.amax();
    let is_definite = |block: Range<usize>| {
        let size = (block.len(), block.len());
        Cholesky::new(mass_matrix.view((block.start, block.start), size).into_owned()).is_some()
    };
    if asymmetry.is_nan() || asymmetry > rounding || !blocks(&mass_matrix).all(is_definite) {
        return Err(ModelError::MassMatrix);
    }
    Ok(())
}

/// The smallest square blocks on the diagonal of `matrix` outside of which its lower triangle is zero: one for each
/// chain of bodies.
fn blocks(matrix: &DMatrix<f64>) -> impl Iterator<Item = Range<usize>> {
    let count = matrix.nrows();
    let mut start = 0;
    iter::from_fn(move || {
        let mut end = start + 1;
        let mut column = start;
        while column < end.min(count) {
            let last = (end..count).rev().find(|&row| matrix[(row, column)] != 0.0);
            end = last.map_or(end, |row| row + 1);
            column += 1;
        }
        let block = start..end;
        start = end;
        (block.end <= count).then_some(block)
    })
}

/// Checks that contacts match `system` and that their coefficients are in range.
fn check_contacts(system: &dyn System, contacts: &[Contact]) -> Result<(), ModelError> {
    for (contact, &Contact { ref gap, friction, restitution, ref cone }) in
        contacts.iter().enumerate()
    {
        if !(friction.is_finite() && friction >= 0.0) {
            return Err(ModelError::Friction { contact, value: friction });
        }
        if !(0.0..=1.0).contains(&restitution) {
            return Err(ModelError::Restitution { contact, value: restitution });
        }
        gap.check(system).map_err(|source| ModelError::Gap { contact, source })?;
        if let Some(cone) = cone {
            cone.check(system).map_err(|source| ModelError::Cone { contact, source })?;
        }
    }
    Ok(())
}

/// Checks that bilateral constraints match `system`.
fn check_constraints(
    system: &dyn System,
    constraints: &[Box<dyn EqualityConstraint>],
) -> Result<(), ModelError> {
    for (constraint, equations) in constraints.iter().enumerate() {
        equations.check(system).map_err(|source| ModelError::Constraint { constraint, source })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(matrix: &DMatrix<f64>) -> Vec<(usize, usize)> {
        blocks(matrix).map(|block| (block.start, block.end)).collect()
    }

    #[test]
    fn blocks_are_as_small_as_the_zeros_allow() {
        assert_eq!(found(&DMatrix::identity(3, 3)), [(0, 1), (1, 2), (2, 3)]);
        assert_eq!(found(&DMatrix::zeros(0, 0)), []);
        let mut matrix = DMatrix::identity(5, 5);
        (matrix[(2, 0)], matrix[(0, 2)]) = (0.5, 0.5);
        assert_eq!(found(&matrix), [(0, 3), (3, 4), (4, 5)]);
        // The second column of a block reaches further than its first.
        (matrix[(4, 1)], matrix[(1, 4)]) = (0.5, 0.5);
        assert_eq!(found(&matrix), [(0, 5)]);
        assert_eq!(found(&DMatrix::from_element(2, 2, f64::NAN)), [(0, 2)]);
    }
}
