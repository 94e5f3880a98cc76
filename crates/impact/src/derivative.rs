//! The derivative of an outcome of [maximum dissipation or of Coulomb's law](MaximumDissipation), and where it holds:
//! [`Derivative`].
//!
//! The impact is stated as a [friction problem](RoundCones), whose [derivative](percussion_complementarity::friction::derivative)
//! gives the changes `dΛ` of the impulses as long as no contact changes its mode. What belongs to the impact is how
//! the problem depends on its data. With the mobility of the bodies in their joints
//!
//! ```math
//! A = M^{-1} - M^{-1} G^\mathsf{T} (G M^{-1} G^\mathsf{T})^{-1} G M^{-1}, \qquad
//! K = M^{-1} G^\mathsf{T} (G M^{-1} G^\mathsf{T})^{-1}, \qquad R = A J^\mathsf{T},
//! ```
//!
//! the velocity `w` that the joints leave without impulses at the contacts, and the multipliers `λ` and `λ_w` of the
//! joints with and without these impulses, the changes are
//!
//! ```math
//! \begin{aligned}
//! dv^+ &= A \bigl( M\,dv^- + dM\,(v^- - v^+) + dJ^\mathsf{T} \Lambda + dG^\mathsf{T} \lambda \bigr) - K\,dG\,v^+ + R\,d\Lambda, \\
//! dw &= A \bigl( M\,dv^- + dM\,(v^- - w) + dG^\mathsf{T} \lambda_w \bigr) - K\,dG\,w, \\
//! dW &= X + X^\mathsf{T} - R^\mathsf{T} dM\,R, \qquad X = dJ\,R - J K\,dG\,R .
//! \end{aligned}
//! ```
//!
//! The free velocity of the friction problem is `J w`, with a factor `1 + e` for the normal of a contact that
//! approaches.
//!
//! - **States**, neighborhood, edges: as for a friction problem. There is one more edge: a contact with `e > 0` that
//!   neither approaches nor separates before the impact, and takes part in it.
//! - **Contacts left out**: those that cannot move along their normal have no impulse, and the derivative is that along
//!   changes with which they still cannot move. The same holds for tangents that cannot move.
//! - **Other laws** have their derivatives in [`piecewise`].
//! - **Does not** differentiate the factor by which a law [reduces restitution](crate::energy): such outcomes are
//!   refused. It does not say that there is no other outcome.
//! - **Accuracy** round-off times [`Derivative::condition`], times the condition of the mass matrix.
//! - **Cost** that of the friction problem; for each direction products of the matrices.
//!
//! # Source
//!
//! The derivation is ours, from the equations of [`Problem`] and the derivative of the friction problem. The book,
//! chapter "Derivatives", has a worked number.

mod change;
mod data;
mod direction;
mod error;
mod gradient;
pub mod piecewise;
#[cfg(test)]
mod tests;

use nalgebra::{DVector, Vector3};
use percussion_complementarity::friction;

pub use percussion_complementarity::friction::derivative::{
    Edge, Mode, Place, Reach, Settings, State,
};

use self::data::Data;
pub use self::{
    change::{Change, OneSided},
    direction::Direction,
    error::{Error, Shape},
    gradient::Gradient,
};
use crate::{
    Outcome, Problem, Trace,
    certificate::Certificate,
    maximum_dissipation::{MaximumDissipation, RoundCones},
};

/// The derivative of one outcome; see the [module](self).
///
/// # Example
///
/// A ball of 1 kg and radius 1 m slides at 1 m/s while it falls at 2 m/s on a floor with `μ = 0.05` and `e = 1/2`. It
/// still slides afterwards: the floor takes `μ (1 + e) 2 = 0.15` m/s from the sliding of its center, and makes it spin
/// at `0.15 · 5/2` rad/s. Friction of one more would take `(1 + e) 2 = 3` m/s.
///
/// ```
/// use nalgebra::{DMatrix, dvector};
/// use percussion_impact::{
///     Contact, Law, Mass, Problem,
///     derivative::{Derivative, Direction, Mode, Place, Settings},
///     maximum_dissipation::MaximumDissipation,
/// };
///
/// let floor = Contact::new(dvector![0.0, 1.0, 0.0])
///     .with_friction(0.05, vec![dvector![1.0, 0.0, 1.0]])
///     .with_restitution(0.5);
/// let mass = Mass::Matrix(DMatrix::from_diagonal(&dvector![1.0, 1.0, 0.4]));
/// let problem = Problem::new(mass, dvector![1.0, -2.0, 0.0], vec![floor])?;
///
/// let law = MaximumDissipation::default();
/// let outcome = law.resolve(&problem)?;
/// let derivative = Derivative::at(&law, &problem, &outcome, &Settings::default())?;
/// assert_eq!(derivative.places(), [Some(Place::Inside(Mode::Sliding))]);
///
/// let rougher = Direction { friction: Some(vec![1.0]), ..Direction::default() };
/// let change = derivative.forward(&rougher)?;
/// assert!((change.velocity - dvector![-3.0, 0.0, -7.5]).amax() < 1e-12);
/// // It rolls when the friction has grown by (1 − 0.15 · 7/2)/(3 · 7/2).
/// assert!((change.reach.step - 0.475 / 10.5).abs() < 1e-12);
/// assert_eq!(change.reach.mode, Some(Mode::Sticking));
/// // The same from the other side: how the final sliding depends on all data.
/// let gradient = derivative.backward(&dvector![1.0, 0.0, 0.0], &dvector![0.0, 0.0])?;
/// assert!((gradient.friction[0].ok_or("it slides")? + 3.0).abs() < 1e-12);
/// assert!((gradient.restitution[0] + 0.1).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Derivative {
    /// The impact, with `Λ` after refinement.
    data: Data,
    /// The friction problem and its derivative; `None` if no contact can move.
    stated: Option<(RoundCones, friction::derivative::Derivative)>,
    /// `(J w)_n` of each contact.
    approaches: Vec<f64>,
    /// Contacts at the edge between approach and separation before the impact.
    grazing: Vec<bool>,
}

/// A velocity that the joints enforce, and their multipliers.
#[derive(Clone, Debug)]
struct Motion {
    velocity: DVector<f64>,
    joints: DVector<f64>,
}

impl Motion {
    fn new(problem: &Problem, impulse: &DVector<f64>) -> Self {
        let Outcome { velocity, bilateral_impulses: joints, .. } =
            problem.outcome(impulse, Trace::resolved(vec![]));
        Self { velocity, joints }
    }
}

impl Derivative {
    /// The derivative of the `outcome` of `problem` by `law`.
    ///
    /// # Errors
    ///
    /// [`Error`] for a wrong size or setting, for an outcome that is not one of the law, and for one with reduced
    /// restitution.
    pub fn at(
        law: &MaximumDissipation,
        problem: &Problem,
        outcome: &Outcome,
        settings: &Settings,
    ) -> Result<Self, Error> {
        Certificate::check(problem, outcome)?;
        if let Some(reduction) = outcome.trace.reduction {
            return Err(Error::Reduced { factor: reduction.factor });
        }
        let count = problem.contacts().len();
        let friction = problem.contacts().iter().enumerate().map(|(index, contact)| {
            if acting_tangent(problem, index) { contact.friction } else { 0.0 }
        });
        let friction: Vec<_> = friction.collect();
        let stated = RoundCones::with_friction(problem, &friction)?;
        let rows = problem.contact_jacobian().nrows();
        let mut impulse = DVector::zeros(rows);
        let stated = match stated.map(|stated| stated.with_law(law.friction)) {
            None => None,
            Some(stated) => {
                let given = stated.contacts.iter().map(|&contact| {
                    let impulse = &outcome.impulses[contact];
                    let tangent = |index: usize| impulse.tangent.get(index).copied().unwrap_or(0.0);
                    Vector3::new(impulse.normal, tangent(0), tangent(1))
                });
                let given: Vec<_> = given.collect();
                let inner =
                    friction::derivative::Derivative::at(&stated.problem, &given, settings)?;
                impulse = stated.rows(problem, &inner.impulses());
                Some((stated, inner))
            }
        };
        let free = problem.borrow_free_contact_velocity();
        let approaches: Vec<_> =
            (0..count).map(|contact| free[problem.rows(contact).start]).collect();
        let mut grazing = vec![false; count];
        if let Some((stated, inner)) = &stated {
            let margin = settings.edge * stated.problem.velocity_scale();
            for (&contact, place) in stated.contacts.iter().zip(inner.places()) {
                let rebounds = problem.contacts()[contact].restitution > 0.0;
                grazing[contact] = rebounds
                    && *place != Place::Inside(Mode::Open)
                    && approaches[contact].abs() <= margin;
            }
        }
        Ok(Self { data: Data::new(problem, impulse), stated, approaches, grazing })
    }

    /// Whether there is a derivative; [`State::Edge`] also where a contact only grazes before the impact.
    #[must_use]
    pub fn state(&self) -> State {
        match &self.stated {
            Some((_, inner)) => match inner.state() {
                State::Regular | State::Redundant if self.grazing.contains(&true) => State::Edge,
                state => state,
            },
            None => State::Regular,
        }
    }

    /// The mode of each contact, or the edge at which it is; `None` for a contact that cannot move along its normal.
    #[must_use]
    pub fn places(&self) -> Vec<Option<Place>> {
        let mut places = vec![None; self.data.problem.contacts().len()];
        if let Some((stated, inner)) = &self.stated {
            for (&contact, place) in stated.contacts.iter().zip(inner.places()) {
                places[contact] = Some(*place);
            }
        }
        places
    }

    /// The velocity after the impact, after refinement of the impulses (length `n_v`, m/s and rad/s).
    #[must_use]
    pub const fn velocity(&self) -> &DVector<f64> {
        self.data.velocity()
    }

    /// The impulses after refinement (length `r`, N·s).
    #[must_use]
    pub const fn impulses(&self) -> &DVector<f64> {
        &self.data.impulse
    }

    /// Condition of the equations of the modes, see
    /// [`condition`](percussion_complementarity::friction::derivative::Derivative::condition); `None` at an edge.
    #[must_use]
    pub fn condition(&self) -> Option<f64> {
        self.stated.as_ref().map_or(Some(1.0), |(_, inner)| inner.condition())
    }

    /// A bound of the neighborhood (m/s): for every change of `v⁻` that changes the velocity of each contact before the
    /// impact by less than this divided by `1 + e`, there is an outcome with the same modes, which depends smoothly on
    /// the change.
    ///
    /// It is a theorem up to rounding, see
    /// [`radius`](percussion_complementarity::friction::derivative::Derivative::radius), and usually several times too
    /// small. `None` unless the state is [`State::Regular`].
    #[must_use]
    pub fn radius(&self) -> Option<f64> {
        let Some((stated, inner)) = &self.stated else { return Some(f64::INFINITY) };
        if self.state() != State::Regular {
            return None;
        }
        let part = stated.contacts.iter().zip(inner.places());
        let part = part.filter(|(_, place)| **place != Place::Inside(Mode::Open));
        let turns = part.map(|(&contact, _)| {
            let restitution = self.data.problem.contacts()[contact].restitution;
            if restitution > 0.0 { self.approaches[contact].abs() } else { f64::INFINITY }
        });
        turns.fold(inner.radius(), |radius, turn| radius.map(|radius| radius.min(turn)))
    }

    /// The factor of a `change` of the normal velocity of a contact before the impact: `1 + e` if it approaches.
    fn rebound(&self, contact: usize, change: f64) -> f64 {
        let speed = if self.grazing[contact] { change } else { self.approaches[contact] };
        if speed < 0.0 { 1.0 + self.data.problem.contacts()[contact].restitution } else { 1.0 }
    }
}

/// Whether a contact has a tangent that can move.
fn acting_tangent(problem: &Problem, contact: usize) -> bool {
    let mut tangents = problem.rows(contact).skip(1);
    tangents.any(|row| problem.delassus()[(row, row)] > 0.0)
}
