//! The derivative of a solution of a [friction problem](Problem), and where it holds: [`Derivative`].
//!
//! A contact of a solution is open, sticking or sliding. As long as no contact changes its mode, impulses `p` and
//! velocities `u = W p + b` are a smooth function of the free velocity `b`, the operator `W` and the coefficients
//! `μ`. With `e` the direction of the friction impulse, `s` the slip, `e⊥` and `m` the vectors `e` and `e + k` turned
//! by 90°, the equations of a mode are linear in the changes `dp`, `du`, `dμ`:
//!
//! | mode | strict part | equations of the changes |
//! | --- | --- | --- |
//! | [`Open`](Mode::Open) | `u_n > 0` | `dp = 0` |
//! | [`Sticking`](Mode::Sticking) | `‖p_t‖ < μ p_n` | `du = 0` |
//! | [`Sliding`](Mode::Sliding) | `p_n > 0`, `s > 0` | `du_n = 0`, `e·dp_t − μ dp_n = p_n dμ`, `s (1 + k·e) e⊥·dp_t + μ p_n m·du_t = −μ p_n s m·dk` |
//! | [`Frictionless`](Mode::Frictionless) | `p_n > 0`, `μ = 0` | `du_n = 0`, `dp_t = p_n dμ e`, for `dμ ≥ 0` |
//!
//! Coulomb's law has `u_t = −s e` and `k = 0`; maximum dissipation has `u_t = −s (e + k)`, `k = μ a/W_nn`, with the
//! `a` that couples normal and tangents. Together with `du = W dp + dW p + db` this is one linear system
//!
//! ```math
//! C\,dp = c - B\,(dW\,p + db), \qquad C = A + B W,
//! ```
//!
//! and the implicit function theorem gives the derivative where `C` is regular.
//!
//! - **States**: the derivative [exists](State::Regular); impulses are not unique, but velocities have a derivative in
//!   directions that keep the redundant rows [consistent](State::Redundant); a contact is at an [edge](Edge) of its
//!   mode, and there are only [one-sided derivatives](Derivative::one_sided); or none [exists](State::Singular). A
//!   derivative that does not exist is an [`Absent`] with its reason.
//! - **Neighborhood**: [`Reach`] is the step along a direction after which the first contact changes its mode, exact
//!   where the solution is affine along it, otherwise an estimate of first order. [`Derivative::radius`] is a bound:
//!   every smaller change of the free velocity has a solution with the same modes.
//! - **Edges**: a one-sided derivative solves the conical problem of first order, by enumeration of the modes that the
//!   contacts at edges may enter. It is proven to be the derivative where all pieces of that problem have determinants
//!   of one sign ([`OneSided::proven`]); otherwise it is the only candidate.
//! - **Does not** say that there is no other solution. A solver may jump to another one, however small the change.
//! - **Accuracy** round-off times [`Derivative::condition`]: the solution is refined by Newton's method first.
//! - **Cost** one dense inverse of `3n` rows, with `O(n²)` for each product.
//!
//! # Source
//!
//! S. M. Robinson, "Strongly regular generalized equations", *Mathematics of Operations Research* 5 (1980) 43–62;
//! J.-S. Pang, D. Ralph, "Piecewise smoothness, local invertibility, and parametric analysis of normal maps",
//! *Mathematics of Operations Research* 21 (1996) 401–426 (edges). The equations and the radius are derived in the book,
//! chapter "Derivatives".

mod edges;
mod error;
mod inverse;
mod modes;
mod neighborhood;
mod piece;
mod point;
mod refinement;

use nalgebra::{DMatrix, DVector, Vector3};

pub use self::{
    edges::OneSided,
    error::{Absent, Error},
    modes::{Edge, Mode, Place, Reach},
};
use self::{piece::Piece, point::Point};
use super::{Delassus, Problem};

/// Maximum number of contacts.
pub const MAX_CONTACTS: usize = 400;

/// What counts as a solution, and as an edge.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Maximum [relative residual](Problem::relative_residual) of the given impulses (≥ 0, default `1e-8`).
    pub tolerance: f64,
    /// A mode whose margin is at most this, relative to [`Problem::velocity_scale`], counts as an edge (≥ 0, default
    /// `1e-7`). Margins are velocities: `u_n`, the slip, and impulses times `w`.
    pub edge: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { tolerance: 1e-8, edge: 1e-7 }
    }
}

/// Whether a solution has a derivative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum State {
    /// All modes are strict and the equations are regular: impulses and velocities are differentiable.
    Regular,
    /// All modes are strict, but the impulses are not unique. Velocities have a derivative in every direction that
    /// keeps the redundant rows consistent; of the impulses the change of least norm is given.
    Redundant,
    /// A contact is at an edge of its mode: there are at most one-sided derivatives.
    Edge,
    /// All modes are strict and the equations are singular in the velocities: there is no derivative.
    Singular,
}

/// A change of the data of a problem.
#[derive(Clone, Debug, PartialEq)]
pub struct Direction {
    /// `db`, one vector for each contact (m/s).
    pub free_velocity: Vec<Vector3<f64>>,
    /// `dW` (`3n × 3n`, kg⁻¹); `None` is no change.
    pub delassus: Option<DMatrix<f64>>,
    /// `dμ`, one for each contact. At `μ = 0` the derivative is the one for `dμ ≥ 0`.
    pub friction: Vec<f64>,
}

impl Direction {
    /// No change of a problem with this number of contacts.
    #[must_use]
    pub fn none(contacts: usize) -> Self {
        let free_velocity = vec![Vector3::zeros(); contacts];
        Self { free_velocity, delassus: None, friction: vec![0.0; contacts] }
    }

    /// A change of the free velocity alone (m/s, one vector for each contact).
    #[must_use]
    pub fn of_free_velocity(free_velocity: Vec<Vector3<f64>>) -> Self {
        Self { friction: vec![0.0; free_velocity.len()], delassus: None, free_velocity }
    }
}

/// The change of a solution along a [`Direction`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Change {
    /// `du`, one vector for each contact (m/s per unit of the direction).
    pub velocities: Vec<Vector3<f64>>,
    /// `dp`, one vector for each contact (N·s per unit of the direction).
    pub impulses: Vec<Vector3<f64>>,
    /// How far along the direction the modes stay.
    pub reach: Reach,
}

/// The derivative of `g·u + h·p` with respect to the data.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Gradient {
    /// With respect to `b`, one vector for each contact.
    pub free_velocity: Vec<Vector3<f64>>,
    /// With respect to the entries of `W` (`3n × 3n`), each by itself.
    pub delassus: DMatrix<f64>,
    /// With respect to `μ` (for `μ = 0` from above); `None` where there is none, at a contact without friction and slip.
    pub friction: Vec<Option<f64>>,
}

/// Matrices of derivatives, with one column for each component of `b` or for each coefficient.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Matrices {
    /// Derivatives of `u` (`3n` rows).
    pub velocities: DMatrix<f64>,
    /// Derivatives of `p` (`3n` rows).
    pub impulses: DMatrix<f64>,
}

/// The derivative of one solution of a problem; see the [module](self).
///
/// # Example
///
/// A block of 2 kg slides at 3 m/s on a floor with `μ = 1/2` that presses it with 4 N·s. It ends at 2 m/s: friction
/// takes `μ p_n/m`. More pressure of 1 m/s slows it by `μ` times that, and more friction of 1 by 2 m/s.
///
/// ```
/// use nalgebra::{DMatrix, vector};
/// use percussion_complementarity::friction::{
///     Problem,
///     derivative::{Derivative, Direction, Mode, Place, Settings, State},
/// };
///
/// let problem = Problem::from_dense(&(0.5 * DMatrix::identity(3, 3)), &[-2.0, 3.0, 0.0], &[0.5])?;
/// let derivative = Derivative::at(&problem, &[vector![4.0, -2.0, 0.0]], &Settings::default())?;
/// assert_eq!(derivative.state(), State::Regular);
/// assert_eq!(derivative.places(), [Place::Inside(Mode::Sliding)]);
///
/// let pressed = Direction::of_free_velocity(vec![vector![-1.0, 0.0, 0.0]]);
/// let change = derivative.forward(&pressed)?;
/// assert!((change.velocities[0] - vector![0.0, -0.5, 0.0]).norm() < 1e-15);
/// assert!((change.impulses[0] - vector![2.0, -1.0, 0.0]).norm() < 1e-15);
/// // After 4 m/s more it sticks.
/// assert!((change.reach.step - 4.0).abs() < 1e-14 && change.reach.exact);
/// assert_eq!(change.reach.mode, Some(Mode::Sticking));
///
/// let rougher = Direction { friction: vec![1.0], ..Direction::none(1) };
/// assert!((derivative.forward(&rougher)?.velocities[0].y + 2.0).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Derivative {
    point: Point,
    places: Vec<Place>,
    state: State,
    /// The equations of all contacts, where none is at an edge.
    piece: Option<Piece>,
}

impl Derivative {
    /// The derivative of `problem` at the solution `impulses` (N·s, one for each contact).
    ///
    /// # Errors
    ///
    /// [`Error`] for a wrong size, entry or setting, for more than [`MAX_CONTACTS`] contacts, and for impulses that are
    /// not a solution.
    pub fn at<D: Delassus>(
        problem: &Problem<D>,
        impulses: &[Vector3<f64>],
        settings: &Settings,
    ) -> Result<Self, Error> {
        error::check(problem, impulses, settings)?;
        let mut point = Point::new(problem, impulses, settings);
        let size = point.size();
        if size != 0.0 && !(size * size).is_normal() {
            return Err(Error::Magnitude { size });
        }
        point.refine();
        let places: Vec<_> = point.locals.iter().map(|local| local.place).collect();
        if places.iter().any(|place| matches!(place, Place::At(_))) {
            return Ok(Self { point, places, state: State::Edge, piece: None });
        }
        let piece = Piece::new(&point, &point.base());
        let state = if piece.inverse.kernel.ncols() == 0 {
            State::Regular
        } else if piece.keeps_velocities(&point) {
            State::Redundant
        } else {
            State::Singular
        };
        Ok(Self { point, places, state, piece: Some(piece) })
    }

    /// Whether there is a derivative.
    #[must_use]
    pub const fn state(&self) -> State {
        self.state
    }

    /// The mode of each contact, or the edge at which it is.
    #[must_use]
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// The impulses after refinement (N·s, one for each contact).
    #[must_use]
    pub fn impulses(&self) -> Vec<Vector3<f64>> {
        self.point.impulses(&self.point.impulse)
    }

    /// Condition of the equations in scaled units, by maximum row sums (≥ 1): the derivative is accurate to about
    /// this times `1e-15`. Of redundant equations it is that of the independent part; `None` at an edge.
    #[must_use]
    pub fn condition(&self) -> Option<f64> {
        self.piece.as_ref().map(|piece| piece.inverse.condition)
    }

    /// A bound of the neighborhood (m/s): for every change of the free velocity by less than this at each contact
    /// there is a solution with the same modes, which depends smoothly on the change and is the only one nearby.
    ///
    /// Proven by Banach's fixed-point theorem, up to the rounding of its evaluation, and usually several times too
    /// small; [`Reach`] is the estimate along one direction. `None` unless the state is [`State::Regular`].
    #[must_use]
    pub fn radius(&self) -> Option<f64> {
        if self.state == State::Regular { neighborhood::radius(&self.point) } else { None }
    }

    /// The equations, or the reason why there is no derivative.
    fn piece(&self) -> Result<&Piece, Absent> {
        match &self.piece {
            Some(piece) if self.state == State::Singular => {
                Err(Absent::Singular { condition: piece.inverse.condition })
            }
            Some(piece) => Ok(piece),
            None => {
                let contact = self.places.iter().position(|place| matches!(place, Place::At(_)));
                Err(Absent::Edge { contact: contact.unwrap_or(0) })
            }
        }
    }

    /// The derivative of velocities and impulses along `direction`.
    ///
    /// # Errors
    ///
    /// [`Error::Absent`] with the reason if there is none, and [`Error`] for a wrong size or an entry that is not finite.
    pub fn forward(&self, direction: &Direction) -> Result<Change, Error> {
        let load = self.point.load(direction)?;
        let piece = self.piece()?;
        let (impulse, velocity) = piece.solve(&self.point, &load)?;
        let reach = neighborhood::reach(&self.point, &piece.modes, &load, (&impulse, &velocity));
        Ok(self.point.change((&impulse, &velocity), reach))
    }

    /// The derivative along `direction` for increasing steps only, which may exist where a contact is at an edge.
    ///
    /// # Errors
    ///
    /// As [`forward`](Self::forward).
    ///
    /// # Example
    ///
    /// A block at the limit of sticking: `p = (4, −2, 0)` N·s stops it with `μ = 1/2`. More pressure keeps it at rest,
    /// less lets it slide.
    ///
    /// ```
    /// use nalgebra::{DMatrix, vector};
    /// use percussion_complementarity::friction::{
    ///     Problem,
    ///     derivative::{Derivative, Direction, Mode, Settings, State},
    /// };
    ///
    /// let problem = Problem::from_dense(&(0.5 * DMatrix::identity(3, 3)), &[-2.0, 1.0, 0.0], &[0.5])?;
    /// let derivative = Derivative::at(&problem, &[vector![4.0, -2.0, 0.0]], &Settings::default())?;
    /// assert_eq!(derivative.state(), State::Edge);
    /// let pressed = Direction::of_free_velocity(vec![vector![-1.0, 0.0, 0.0]]);
    /// let more = derivative.one_sided(&pressed)?;
    /// assert_eq!((more.modes[0], more.change.velocities[0].y), (Mode::Sticking, 0.0));
    /// let lifted = Direction::of_free_velocity(vec![vector![1.0, 0.0, 0.0]]);
    /// let less = derivative.one_sided(&lifted)?;
    /// assert!(less.modes[0] == Mode::Sliding && (less.change.velocities[0].y - 0.5).abs() < 1e-15);
    /// assert!(less.proven);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn one_sided(&self, direction: &Direction) -> Result<OneSided, Error> {
        if self.state != State::Edge {
            let modes = self.point.base().iter().map(|chosen| chosen.mode).collect();
            return Ok(OneSided { change: self.forward(direction)?, modes, proven: true });
        }
        let load = self.point.load(direction)?;
        edges::solve(&self.point, &load)
    }

    /// The derivative of `g·u + h·p` with respect to all data, for the weights `velocities` `g` and `impulses` `h`, one
    /// vector for each contact.
    ///
    /// Where impulses are [not unique](State::Redundant) it is valid along the directions that keep the redundant
    /// rows consistent.
    ///
    /// # Errors
    ///
    /// As [`forward`](Self::forward); [`Absent::Impulses`] if the impulses are not unique and `h` depends on that.
    pub fn backward(
        &self,
        velocities: &[Vector3<f64>],
        impulses: &[Vector3<f64>],
    ) -> Result<Gradient, Error> {
        let weights = self.point.weights(velocities, impulses)?;
        Ok(self.piece()?.backward(&self.point, &weights)?)
    }

    /// The derivatives with respect to the free velocity (`3n × 3n` each).
    ///
    /// # Errors
    ///
    /// [`Absent`] unless the state is [`State::Regular`].
    pub fn matrices(&self) -> Result<Matrices, Absent> {
        let piece = self.piece()?;
        if self.state == State::Redundant {
            return Err(Absent::Impulses);
        }
        Ok(piece.matrices(&self.point))
    }

    /// The derivatives with respect to the coefficients of friction (`3n × n` each).
    ///
    /// # Errors
    ///
    /// As [`forward`](Self::forward), for every coefficient alone.
    pub fn friction_matrices(&self) -> Result<Matrices, Error> {
        let n = self.point.count();
        let (mut velocities, mut impulses) = (DMatrix::zeros(3 * n, n), DMatrix::zeros(3 * n, n));
        for contact in 0..n {
            let mut direction = Direction::none(n);
            direction.friction[contact] = 1.0;
            let change = self.forward(&direction)?;
            velocities.set_column(contact, &stacked(&change.velocities));
            impulses.set_column(contact, &stacked(&change.impulses));
        }
        Ok(Matrices { velocities, impulses })
    }
}

fn stacked(vectors: &[Vector3<f64>]) -> DVector<f64> {
    DVector::from_iterator(3 * vectors.len(), vectors.iter().flatten().copied())
}
