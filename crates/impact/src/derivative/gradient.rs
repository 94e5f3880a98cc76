//! The derivative of a function of an outcome with respect to all data: [`Gradient`].

use nalgebra::{DMatrix, DVector, Vector3};

use super::{Derivative, Error};

/// The derivative of `g·v⁺ + h·Λ` with respect to the data of the impact.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Gradient {
    /// With respect to `v⁻` (length `n_v`).
    pub velocity: DVector<f64>,
    /// With respect to `M` (`n_v × n_v`, symmetric): its scalar product with `dM` is the change.
    pub mass: DMatrix<f64>,
    /// With respect to `J` (`r × n_v`).
    pub jacobian: DMatrix<f64>,
    /// With respect to `G` (`m_b × n_v`); `None` if its rows are redundant.
    pub joints: Option<DMatrix<f64>>,
    /// With respect to `μ`, one for each contact (for `μ = 0` from above); `None` where there is none, at a contact
    /// without friction and slip.
    pub friction: Vec<Option<f64>>,
    /// With respect to `e`, one for each contact.
    pub restitution: Vec<f64>,
}

impl Derivative {
    /// The derivative of `g·v⁺ + h·Λ` for the weights `velocity` `g` (length `n_v`) and `impulses` `h` (length `r`).
    ///
    /// # Errors
    ///
    /// [`Error`] with the reason if there is no derivative, and for a wrong length or an entry that is not finite.
    pub fn backward(
        &self,
        velocity: &DVector<f64>,
        impulses: &DVector<f64>,
    ) -> Result<Gradient, Error> {
        self.refuse_grazing()?;
        self.data.check_weights(velocity, impulses)?;
        let problem = &self.data.problem;
        let weights = impulses + problem.response().tr_mul(velocity);
        let Pulled { by_free, by_delassus, friction } = self.pulled(&weights)?;

        let contacts = problem.contacts().len();
        let mut restitution = vec![0.0; contacts];
        // With respect to the contact velocity before the impact.
        let mut by_contact = by_free;
        for (contact, restitution) in restitution.iter_mut().enumerate() {
            let normal = problem.rows(contact).start;
            let speed = self.approaches[contact];
            *restitution = by_contact[normal] * speed.min(0.0);
            by_contact[normal] *= self.rebound(contact, 0.0);
        }
        let both = (friction, restitution);
        Ok(self.data.gradient(velocity, &by_contact, &by_delassus, both))
    }

    /// The gradient of the friction problem for weights of its impulses (length `r`), at the rows of the impact.
    fn pulled(&self, weights: &DVector<f64>) -> Result<Pulled, Error> {
        let (problem, rows) = (&self.data.problem, self.data.impulse.len());
        let mut pulled = Pulled {
            by_free: DVector::zeros(rows),
            by_delassus: DMatrix::zeros(rows, rows),
            friction: vec![Some(0.0); problem.contacts().len()],
        };
        let Some((stated, inner)) = &self.stated else { return Ok(pulled) };
        // Row of the impact for each row of the friction problem.
        let places: Vec<Option<usize>> = stated
            .contacts
            .iter()
            .flat_map(|&contact| (0..3).map(move |i| problem.rows(contact).nth(i)))
            .map(|row| row.filter(|row| !problem.is_locked(*row)))
            .collect();
        let mut weights = weights.clone();
        self.data.clear_locked(&mut weights);
        let weights = stated.vectors(problem, &weights);
        let none = vec![Vector3::zeros(); weights.len()];
        let gradient = inner.backward(&none, &weights)?;
        for (row, place) in places.iter().enumerate() {
            let Some(place) = *place else { continue };
            pulled.by_free[place] = gradient.free_velocity[row / 3][row % 3];
            for (column, other) in places.iter().enumerate() {
                if let Some(other) = *other {
                    pulled.by_delassus[(place, other)] = gradient.delassus[(row, column)];
                }
            }
        }
        for (&contact, by_friction) in stated.contacts.iter().zip(gradient.friction) {
            if super::acting_tangent(problem, contact) {
                pulled.friction[contact] = by_friction;
            }
        }
        Ok(pulled)
    }
}

/// A gradient of the friction problem, at the rows and contacts of the impact.
struct Pulled {
    by_free: DVector<f64>,
    by_delassus: DMatrix<f64>,
    friction: Vec<Option<f64>>,
}
