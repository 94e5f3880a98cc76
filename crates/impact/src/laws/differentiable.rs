//! Derivatives of the outcomes of laws by name: [`DifferentiableLaw`].
//!
//! # Source
//!
//! See [`derivative`] and [`piecewise`].

use std::sync::Arc;

use nalgebra::{DMatrix, DVector};

use super::{
    Name,
    build::{self, Differentiable},
};
use crate::{
    Law, Outcome, Problem,
    derivative::{
        self, Change, Direction, Error, Gradient, Mode, Place, Settings, State,
        piecewise::{self, Piecewise},
    },
    maximum_dissipation::MaximumDissipation,
    set_valued, settings,
};

/// A law by name, whose outcomes have derivatives.
///
/// A set of outcomes has the derivative of its first sample.
///
/// # Example
///
/// A ball of 1 kg and radius 1 m slides at 1 m/s while it falls at 2 m/s on a floor with `μ = 0.05` and `e = 1/2`. By PLUS
/// more friction would take `(1 + e) 2 = 3` m/s of the sliding for each unit.
///
/// ```
/// use nalgebra::{DMatrix, dvector};
/// use percussion_impact::{
///     Contact, Mass, Problem,
///     derivative::{Direction, Settings},
///     laws::{Name, differentiable::DifferentiableLaw},
/// };
///
/// let floor = Contact::new(dvector![0.0, 1.0, 0.0])
///     .with_friction(0.05, vec![dvector![1.0, 0.0, 1.0]])
///     .with_restitution(0.5);
/// let mass = Mass::Matrix(DMatrix::from_diagonal(&dvector![1.0, 1.0, 0.4]));
/// let problem = Problem::new(mass, dvector![1.0, -2.0, 0.0], vec![floor])?;
///
/// let given = vec![("v_capture".into(), "0".into()), ("v_plastic".into(), "0".into())];
/// let law = DifferentiableLaw::new(Name::Plus, given, None)?;
/// let derivative = law.derivative(&problem, &Settings::default())?;
/// let rougher = Direction { friction: Some(vec![1.0]), ..Direction::default() };
/// assert!((derivative.forward(&rougher)?.velocity[0] + 3.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct DifferentiableLaw(Kind);

#[derive(Clone, Debug)]
enum Kind {
    RoundCones(MaximumDissipation),
    Pieces(Arc<dyn Piecewise>),
}

impl DifferentiableLaw {
    /// The law called `name` with the settings `given` as pairs of key and text, and the defaults of a set, as by
    /// [`Choice::new`](super::Choice::new).
    ///
    /// # Errors
    ///
    /// Names the setting that the law does not have, or the key, the value and what was expected; all outcomes of a law have no
    /// derivative.
    pub fn new(
        name: Name,
        given: Vec<(String, String)>,
        sampling: Option<&set_valued::Settings>,
    ) -> Result<Self, settings::Error> {
        let build =
            |settings: &mut settings::Settings| build::differentiable(name, settings, sampling);
        Ok(Self(match settings::Settings::build(name.as_str(), given, build)?.0 {
            Differentiable::RoundCones(law) => Kind::RoundCones(law),
            Differentiable::Pieces(law) => Kind::Pieces(law.into()),
        }))
    }

    /// The law itself.
    #[must_use]
    pub fn law(&self) -> &dyn Law {
        match &self.0 {
            Kind::RoundCones(law) => law,
            Kind::Pieces(law) => &**law,
        }
    }

    /// The outcome of `problem` and its derivative.
    ///
    /// # Errors
    ///
    /// [`Error`] when the law has no outcome, or its outcome no derivative.
    pub fn derivative(&self, problem: &Problem, settings: &Settings) -> Result<Derivative, Error> {
        let outcome = self.law().resolve(problem)?;
        let of = match &self.0 {
            Kind::RoundCones(law) => {
                Of::RoundCones(derivative::Derivative::at(law, problem, &outcome, settings)?.into())
            }
            Kind::Pieces(law) => {
                let derivative = piecewise::Derivative::at(&**law, problem, settings)?;
                Of::Pieces(derivative.into(), Arc::clone(law))
            }
        };
        Ok(Derivative { outcome, of })
    }
}

/// The derivative of an outcome, by [`DifferentiableLaw::derivative`].
#[derive(Clone, Debug)]
pub struct Derivative {
    outcome: Outcome,
    of: Of,
}

#[derive(Clone, Debug)]
enum Of {
    RoundCones(Box<derivative::Derivative>),
    Pieces(Box<piecewise::Derivative>, Arc<dyn Piecewise>),
}

/// A derivative to one side of an edge.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct OneSided {
    /// The changes for a unit of the direction.
    pub change: Change,
    /// The mode of each contact along the direction, where the law has round cones; `None` for a contact that cannot move along
    /// its normal.
    pub modes: Option<Vec<Option<Mode>>>,
    /// Whether it is proven to be the derivative.
    pub proven: bool,
}

/// Calls a method of either derivative.
macro_rules! either {
    ($self:ident, $derivative:ident => $call:expr) => {
        match &$self.of {
            Of::RoundCones($derivative) => $call,
            Of::Pieces($derivative, _) => $call,
        }
    };
}

impl Derivative {
    /// The outcome.
    #[must_use]
    pub const fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// Whether there is a derivative.
    #[must_use]
    pub fn state(&self) -> State {
        either!(self, derivative => derivative.state())
    }

    /// The mode of each contact, or the edge at which it is, where the law has round cones; `None` for a contact that cannot move
    /// along its normal.
    #[must_use]
    pub fn places(&self) -> Option<Vec<Option<Place>>> {
        match &self.of {
            Of::RoundCones(derivative) => Some(derivative.places()),
            Of::Pieces(..) => None,
        }
    }

    /// Number of pieces of the outcome, where the law states pieces.
    #[must_use]
    pub fn pieces(&self) -> Option<usize> {
        match &self.of {
            Of::RoundCones(_) => None,
            Of::Pieces(derivative, _) => Some(derivative.pieces()),
        }
    }

    /// Condition of the equations (≥ 1); `None` at an edge of round cones.
    #[must_use]
    pub fn condition(&self) -> Option<f64> {
        match &self.of {
            Of::RoundCones(derivative) => derivative.condition(),
            Of::Pieces(derivative, _) => Some(derivative.condition()),
        }
    }

    /// The radius of the neighborhood (m/s), see [`derivative::Derivative::radius`] and [`piecewise::Derivative::radius`].
    #[must_use]
    pub fn radius(&self) -> Option<f64> {
        either!(self, derivative => derivative.radius())
    }

    /// The impulses after refinement (length `r`, N·s).
    #[must_use]
    pub fn impulses(&self) -> &DVector<f64> {
        either!(self, derivative => derivative.impulses())
    }

    /// The change of the outcome along `direction`.
    ///
    /// # Errors
    ///
    /// [`Error`] with the reason if there is no derivative, and for a wrong size or an entry that is not finite.
    pub fn forward(&self, direction: &Direction) -> Result<Change, Error> {
        either!(self, derivative => derivative.forward(direction))
    }

    /// The change of the outcome along `direction` for increasing steps only, which may exist at an edge.
    ///
    /// # Errors
    ///
    /// As [`forward`](Self::forward); [`Error::Jump`] where the outcome jumps in this direction.
    pub fn one_sided(&self, direction: &Direction) -> Result<OneSided, Error> {
        Ok(match &self.of {
            Of::RoundCones(derivative) => {
                let found = derivative.one_sided(direction)?;
                OneSided { change: found.change, modes: Some(found.modes), proven: found.proven }
            }
            Of::Pieces(derivative, law) => {
                let found = derivative.one_sided(&**law, direction)?;
                OneSided { change: found.change, modes: None, proven: found.proven }
            }
        })
    }

    /// The derivative of `g·v⁺ + h·Λ` for the weights `velocity` `g` (length `n_v`) and `impulses` `h` (length `r`).
    ///
    /// # Errors
    ///
    /// [`Error`] at an edge, for a wrong length or an entry that is not finite.
    pub fn backward(
        &self,
        velocity: &DVector<f64>,
        impulses: &DVector<f64>,
    ) -> Result<Gradient, Error> {
        either!(self, derivative => derivative.backward(velocity, impulses))
    }

    /// `∂v⁺/∂v⁻` (`n_v × n_v`) and `∂Λ/∂v⁻` (`r × n_v`).
    ///
    /// # Errors
    ///
    /// As [`forward`](Self::forward).
    pub fn by_velocity(&self) -> Result<(DMatrix<f64>, DMatrix<f64>), Error> {
        either!(self, derivative => derivative.by_velocity())
    }
}
