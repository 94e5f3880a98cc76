//! The change of an outcome along a [`Direction`] of its data.

use nalgebra::{DMatrix, DVector};
use percussion_complementarity::friction;

use super::{
    Derivative, Direction, Error, Mode, Place, Reach,
    data::{Data, Loaded},
};

/// The change of an outcome along a [`Direction`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Change {
    /// `dv⁺` (length `n_v`; m/s and rad/s per unit of the direction).
    pub velocity: DVector<f64>,
    /// `dΛ` at the rows of `J` (length `r`; N·s per unit of the direction).
    pub impulses: DVector<f64>,
    /// How far along the direction the modes stay, and a contact with restitution approaches or separates as it does
    /// now; where that ends first, the [mode](Reach::mode) is `None`.
    pub reach: Reach,
}

/// A one-sided derivative of an outcome.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct OneSided {
    /// The changes for a unit of the direction.
    pub change: Change,
    /// The mode of each contact along the direction; `None` for a contact that cannot move along its normal.
    pub modes: Vec<Option<Mode>>,
    /// Whether it is proven to be the derivative, see
    /// [`OneSided::proven`](percussion_complementarity::friction::derivative::OneSided::proven).
    pub proven: bool,
}

/// A direction as it acts on the friction problem.
struct Load {
    /// `dv⁺` without the change of the impulses.
    velocity: DVector<f64>,
    /// Change of the normal velocity of each contact before the impact.
    approaches: Vec<f64>,
    direction: friction::derivative::Direction,
}

impl Derivative {
    /// The change of the outcome along `direction`.
    ///
    /// # Errors
    ///
    /// [`Error`] with the reason if there is no derivative, and for a wrong size or an entry that is not finite.
    pub fn forward(&self, direction: &Direction) -> Result<Change, Error> {
        self.refuse_grazing()?;
        let load = self.load(direction)?;
        let found = match &self.stated {
            Some((_, inner)) => Some(inner.forward(&load.direction)?),
            None => None,
        };
        Ok(self.change(direction, &load, found))
    }

    /// The change of the outcome along `direction` for increasing steps only, which may exist at an edge.
    ///
    /// # Errors
    ///
    /// As [`forward`](Self::forward).
    ///
    /// # Example
    ///
    /// A point of 1 kg slides along a wall with `e = 1/2`: towards the wall it rebounds, away from it it does not.
    ///
    /// ```
    /// use nalgebra::{DMatrix, dvector};
    /// use percussion_impact::{
    ///     Contact, Law, Mass, Problem,
    ///     derivative::{Derivative, Direction, Settings},
    ///     maximum_dissipation::MaximumDissipation,
    /// };
    ///
    /// let wall = Contact::new(dvector![0.0, 1.0]).with_restitution(0.5);
    /// let mass = Mass::Matrix(DMatrix::identity(2, 2));
    /// let problem = Problem::new(mass, dvector![1.0, 0.0], vec![wall])?;
    /// let law = MaximumDissipation::default();
    /// let outcome = law.resolve(&problem)?;
    /// let derivative = Derivative::at(&law, &problem, &outcome, &Settings::default())?;
    ///
    /// let faster = |speed| Direction { velocity: Some(dvector![0.0, speed]), ..Direction::default() };
    /// assert!(derivative.forward(&faster(-1.0)).is_err());
    /// assert_eq!(derivative.one_sided(&faster(-1.0))?.change.velocity, dvector![0.0, 0.5]);
    /// assert_eq!(derivative.one_sided(&faster(1.0))?.change.velocity, dvector![0.0, 1.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn one_sided(&self, direction: &Direction) -> Result<OneSided, Error> {
        let load = self.load(direction)?;
        let mut modes = vec![None; self.data.problem.contacts().len()];
        let (found, proven) = match &self.stated {
            Some((stated, inner)) => {
                let found = inner.one_sided(&load.direction)?;
                for (&contact, mode) in stated.contacts.iter().zip(&found.modes) {
                    modes[contact] = Some(*mode);
                }
                (Some(found.change), found.proven)
            }
            None => (None, true),
        };
        Ok(OneSided { change: self.change(direction, &load, found), modes, proven })
    }

    /// The change of the outcome with each velocity before the impact: `∂v⁺/∂v⁻` (`n_v × n_v`) and `∂Λ/∂v⁻` (`r × n_v`).
    ///
    /// # Errors
    ///
    /// As [`forward`](Self::forward).
    pub fn by_velocity(&self) -> Result<(DMatrix<f64>, DMatrix<f64>), Error> {
        by_velocity(&self.data, |direction| self.forward(direction))
    }

    pub(super) fn refuse_grazing(&self) -> Result<(), Error> {
        match self.grazing.iter().position(|grazes| *grazes) {
            Some(contact) => Err(Error::Grazing { contact }),
            None => Ok(()),
        }
    }

    /// See the head of the module.
    fn load(&self, direction: &Direction) -> Result<Load, Error> {
        let Loaded { velocity, free: mut contact_velocity, delassus } =
            self.data.load(direction)?;
        let problem = &self.data.problem;
        let count = problem.contacts().len();
        let approaches: Vec<_> =
            (0..count).map(|contact| contact_velocity[problem.rows(contact).start]).collect();
        for contact in 0..count {
            let normal = problem.rows(contact).start;
            contact_velocity[normal] *= self.rebound(contact, approaches[contact]);
            if let Some(restitution) = &direction.restitution {
                contact_velocity[normal] +=
                    restitution[contact] * self.approaches[contact].min(0.0);
            }
        }
        let direction = self.stated_direction(direction, &contact_velocity, delassus.as_ref());
        Ok(Load { velocity, approaches, direction })
    }

    /// The direction of the friction problem, with zeros for tangents that contacts do not have.
    fn stated_direction(
        &self,
        direction: &Direction,
        contact_velocity: &DVector<f64>,
        delassus: Option<&DMatrix<f64>>,
    ) -> friction::derivative::Direction {
        let Some((stated, _)) = &self.stated else {
            return friction::derivative::Direction::none(0);
        };
        let problem = &self.data.problem;
        let delassus = delassus.map(|change| {
            let size = 3 * stated.contacts.len();
            let place = |index: usize| problem.rows(stated.contacts[index / 3]).nth(index % 3);
            DMatrix::from_fn(size, size, |row, column| match (place(row), place(column)) {
                (Some(row), Some(column)) => change[(row, column)],
                _ => 0.0,
            })
        });
        let rubs = |contact: usize| super::acting_tangent(problem, contact);
        let friction = stated.contacts.iter().map(|&contact| match &direction.friction {
            Some(friction) if rubs(contact) => friction[contact],
            _ => 0.0,
        });
        friction::derivative::Direction {
            free_velocity: stated.vectors(problem, contact_velocity),
            delassus,
            friction: friction.collect(),
        }
    }

    /// The change of the outcome from that of the impulses.
    fn change(
        &self,
        direction: &Direction,
        load: &Load,
        found: Option<friction::derivative::Change>,
    ) -> Change {
        let (Some((stated, inner)), Some(found)) = (&self.stated, found) else {
            let impulses = DVector::zeros(self.data.impulse.len());
            return Change { velocity: load.velocity.clone(), impulses, reach: Reach::unlimited() };
        };
        let impulses = stated.rows(&self.data.problem, &found.impulses);
        let mut reach = found.reach;
        reach.contact = reach.contact.map(|contact| stated.contacts[contact]);
        for (&contact, place) in stated.contacts.iter().zip(inner.places()) {
            let (speed, rate) = (self.approaches[contact], load.approaches[contact]);
            let turns = self.data.problem.contacts()[contact].restitution > 0.0
                && *place != Place::Inside(Mode::Open)
                && speed * rate < 0.0;
            let step = -speed / rate;
            if turns && step < reach.step {
                reach.step = step;
                reach.contact = Some(contact);
                reach.mode = None;
            }
        }
        reach.exact &= direction.keeps_matrices();
        let velocity = &load.velocity + self.data.problem.response() * &impulses;
        Change { velocity, impulses, reach }
    }
}

/// `∂v⁺/∂v⁻` (`n_v × n_v`) and `∂Λ/∂v⁻` (`r × n_v`) by columns: the changes that `forward` gives for each velocity before
/// the impact.
pub(super) fn by_velocity(
    data: &Data,
    forward: impl Fn(&Direction) -> Result<Change, Error>,
) -> Result<(DMatrix<f64>, DMatrix<f64>), Error> {
    let (n, rows) = (data.problem.dimension(), data.impulse.len());
    let (mut velocities, mut impulses) = (DMatrix::zeros(n, n), DMatrix::zeros(rows, n));
    for column in 0..n {
        let unit = DVector::from_fn(n, |row, _| f64::from(u8::from(row == column)));
        let change = forward(&Direction { velocity: Some(unit), ..Direction::default() })?;
        velocities.set_column(column, &change.velocity);
        impulses.set_column(column, &change.impulses);
    }
    Ok((velocities, impulses))
}
