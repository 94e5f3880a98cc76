//! The derivative of a function of an outcome with respect to all data: [`Gradient`].

use nalgebra::{DMatrix, DVector, Vector3};

use super::{Derivative, Error, error::check_vector};

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
        let problem = &self.problem;
        let (response, rows) = (problem.response(), self.impulse.len());
        check_vector("velocity", velocity.as_slice(), problem.dimension())?;
        check_vector("impulses", impulses.as_slice(), rows)?;
        let weights = impulses + response.tr_mul(velocity);
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
        let (after, before) = (&self.after, &self.before);
        let moved = problem.velocity_of(velocity);
        let pushed = response * &by_contact;
        let both = &by_delassus + by_delassus.transpose();
        let operator = &both * response.transpose();
        let jacobian = &self.impulse * moved.transpose()
            + &by_contact * before.velocity.transpose()
            + &operator;
        let mass = &moved * (problem.velocity() - &after.velocity).transpose()
            + &pushed * (problem.velocity() - &before.velocity).transpose()
            - response * &by_delassus * response.transpose();

        let span = problem.joint_span();
        // `Kᵀ` times a vector or a matrix.
        let to_joints = |columns: &DMatrix<f64>| &span.impulses * span.velocities.tr_mul(columns);
        let column =
            |vector: &DVector<f64>| DMatrix::from_column_slice(vector.len(), 1, vector.as_slice());
        let carried = velocity + problem.contact_jacobian().tr_mul(&by_contact);
        let by_velocity = &carried - span.momenta.tr_mul(&span.velocities.tr_mul(&carried));
        let independent = span.rank() == problem.bilateral_jacobian().nrows();
        let joints = independent.then(|| {
            let contacts = problem.contact_jacobian().tr_mul(&column(&by_contact));
            &after.joints * moved.transpose()
                - to_joints(&column(velocity)) * after.velocity.transpose()
                + &before.joints * pushed.transpose()
                - to_joints(&contacts) * before.velocity.transpose()
                - to_joints(&problem.contact_jacobian().tr_mul(&operator))
        });
        let mass = mass.symmetric_part();
        Ok(Gradient { velocity: by_velocity, mass, jacobian, joints, friction, restitution })
    }

    /// The gradient of the friction problem for weights of its impulses (length `r`), at the rows of the impact.
    fn pulled(&self, weights: &DVector<f64>) -> Result<Pulled, Error> {
        let (problem, rows) = (&self.problem, self.impulse.len());
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
        self.clear_locked(&mut weights);
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
