//! What moves, what may touch, and what is tied together.

use nalgebra::{DMatrix, DVectorView};
use percussion_dynamics::{EqualityConstraint, GapFunction, System};

use super::Error;

/// Two surfaces that may touch.
#[derive(Debug)]
pub struct Contact {
    /// Their distance and the rows of the contact Jacobian.
    pub gap: Box<dyn GapFunction>,
    /// Coulomb friction coefficient `μ ≥ 0` (dimensionless).
    pub friction: f64,
}

impl Contact {
    /// A contact with the friction coefficient `friction` (`μ ≥ 0`, checked by [`Model::new`]).
    #[must_use]
    pub fn new(gap: impl GapFunction + 'static, friction: f64) -> Self {
        Self { gap: Box::new(gap), friction }
    }
}

/// Friction of a bounded force that does not depend on contact forces, such as that of a gear box:
/// section 3.5 of the paper.
///
/// Its impulse over a step is `D β` with `β ≥ 0` and `Σ β ≤ h η`, and dissipates as much as it can.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundedFriction {
    /// Directions `D` (`n_v × k`, `k ≥ 1`, closed under negation): generalized forces of unit size.
    pub directions: DMatrix<f64>,
    /// Bound `η ≥ 0` of the force (N, or N·m where the directions are torques).
    pub bound: f64,
}

impl BoundedFriction {
    /// Friction of at most `bound` along each of `axes` (`n_v × a`) in both directions, with the sum
    /// over the axes bounded: the directions are `[axes, −axes]`.
    #[must_use]
    pub fn along(axes: &DMatrix<f64>, bound: f64) -> Self {
        let (rows, count) = axes.shape();
        let directions = DMatrix::from_fn(rows, 2 * count, |row, column| {
            if column < count { axes[(row, column)] } else { -axes[(row, column - count)] }
        });
        Self { directions, bound }
    }

    fn check(&self, joint: usize, velocity_count: usize) -> Result<(), Error> {
        let (rows, columns) = self.directions.shape();
        if rows != velocity_count || columns == 0 {
            return Err(Error::DirectionShape { joint, expected: velocity_count, rows, columns });
        }
        for (column, direction) in self.directions.column_iter().enumerate() {
            let opposite = |other: &DVectorView<'_, f64>| {
                // The sum of infinities of opposite sign is NaN, so they are refused with the others.
                direction.iter().zip(other.iter()).all(|(a, b)| a + b == 0.0)
            };
            if !self.directions.column_iter().any(|other| opposite(&other)) {
                return Err(Error::DirectionOpposite { joint, column });
            }
        }
        if !(self.bound.is_finite() && self.bound >= 0.0) {
            return Err(Error::Bound { joint, value: self.bound });
        }
        Ok(())
    }
}

/// A system with everything that acts on it, checked at construction.
#[derive(Debug)]
pub struct Model {
    system: Box<dyn System>,
    contacts: Vec<Contact>,
    joint_friction: Vec<BoundedFriction>,
    constraints: Vec<Box<dyn EqualityConstraint>>,
}

impl Model {
    /// A system and its possible contacts, in the order in which reports number them.
    ///
    /// # Errors
    ///
    /// [`Error::Friction`], [`Error::Gap`].
    pub fn new(system: Box<dyn System>, contacts: Vec<Contact>) -> Result<Self, Error> {
        for (contact, Contact { gap, friction }) in contacts.iter().enumerate() {
            if !(friction.is_finite() && *friction >= 0.0) {
                return Err(Error::Friction { contact, value: *friction });
            }
            gap.check(system.as_ref()).map_err(|source| Error::Gap { contact, source })?;
        }
        Ok(Self { system, contacts, joint_friction: Vec::new(), constraints: Vec::new() })
    }

    /// The same model with these bounded frictions in place of its own.
    ///
    /// # Errors
    ///
    /// [`Error::DirectionShape`], [`Error::DirectionOpposite`], [`Error::Bound`].
    pub fn with_joint_friction(self, joint_friction: Vec<BoundedFriction>) -> Result<Self, Error> {
        for (joint, friction) in joint_friction.iter().enumerate() {
            friction.check(joint, self.system.velocity_count())?;
        }
        Ok(Self { joint_friction, ..self })
    }

    /// The same model with these bilateral constraints in place of its own.
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

    /// The gap of `contact` (m).
    pub(crate) fn gap(&self, contact: usize, coordinates: &[f64]) -> f64 {
        self.contacts[contact].gap.gap(self.system(), coordinates)
    }
}
