//! The validated impact [`Problem`]: bodies, contacts and joints at the instant of an impact.

use std::{
    ops::Range,
    sync::{Arc, OnceLock},
};

use nalgebra::{DMatrix, DVector};
use percussion_complementarity::elimination::Span;

use crate::outcome::{Impulse, Outcome, Trace};

mod bilateral;
mod bridges;
mod elliptic;
mod error;
mod locked;
mod mass;
#[cfg(test)]
mod tests;

use bilateral::Bilateral;
pub use bridges::{Body, Coefficients, Touch};
pub use error::ProblemError;
use locked::{lock, row_sizes};
use mass::Inertia;
pub use mass::{Mass, MassOperator};

/// One contact of a [`Problem`].
///
/// Its frame is (normal, tangent 1, tangent 2); the contact velocity is that of body 1 relative to
/// body 2, and the normal points from body 2 to body 1, so that a positive normal velocity separates.
#[derive(Clone, Debug, PartialEq)]
pub struct Contact {
    /// Row of the contact Jacobian: normal velocity per generalized velocity (length `n_v`).
    pub normal: DVector<f64>,
    /// Rows of the tangential velocities (length `n_v` each): none without friction, one in the
    /// plane, two in space.
    pub tangents: Vec<DVector<f64>>,
    /// Coulomb's coefficient of friction, finite and ≥ 0. Without tangents it has no effect.
    pub friction: f64,
    /// Coefficient of restitution, in `[0, 1]`; its definition depends on the law.
    pub restitution: f64,
}

impl Contact {
    /// A contact without friction and without restitution.
    #[must_use]
    pub const fn new(normal: DVector<f64>) -> Self {
        Self { normal, tangents: Vec::new(), friction: 0.0, restitution: 0.0 }
    }

    /// Returns the contact with one tangent (in the plane) or two (in space) and friction along them.
    #[must_use]
    pub fn with_friction(self, friction: f64, tangents: Vec<DVector<f64>>) -> Self {
        Self { friction, tangents, ..self }
    }

    /// Returns the contact with a coefficient of restitution.
    #[must_use]
    pub fn with_restitution(self, restitution: f64) -> Self {
        Self { restitution, ..self }
    }

    fn rows(&self) -> impl Iterator<Item = &DVector<f64>> {
        std::iter::once(&self.normal).chain(&self.tangents)
    }
}

/// An impact: bodies with a mass matrix `M`, the velocity `v⁻` before it, contacts `J` and joints `G`.
///
/// The impulses `Λ` at the contacts and `Λ_b` in the joints change the velocity by
///
/// ```math
/// M (v^{+} - v^{-}) = J^\mathsf{T} \Lambda + G^\mathsf{T} \Lambda_b, \qquad G v^{+} = 0,
/// ```
///
/// where the joints hold after the impact even if `v⁻` violates them. For redundant rows of `G` the
/// multipliers are those of least norm, each row measured by its own effect `G_i M⁻¹ G_iᵀ`. A row is
/// redundant when the part of it that is independent of the others is at most `√eps = 1.5e-8`, measured in
/// the kinetic metric. The mass matrix is factored once, at construction.
///
/// The rows of `J` are ordered by contact, and within it normal, tangent 1, tangent 2.
///
/// # Example
///
/// A particle of 4 kg slides at 1 m/s and falls at 3 m/s on the ground.
///
/// ```
/// use nalgebra::{dmatrix, dvector};
/// use percussion_impact::{Contact, Mass, Problem};
///
/// let ground = Contact::new(dvector![0.0, 1.0]).with_friction(0.5, vec![dvector![1.0, 0.0]]);
/// let mass = Mass::Matrix(dmatrix![4.0, 0.0; 0.0, 4.0]);
/// let problem = Problem::new(mass, dvector![1.0, -3.0], vec![ground])?;
/// assert_eq!(problem.contact_velocity(problem.velocity()), dvector![-3.0, 1.0]);
/// assert_eq!(problem.delassus()[(0, 0)], 0.25);
/// assert_eq!(problem.kinetic_energy(problem.velocity()), 20.0);
/// # Ok::<(), percussion_impact::ProblemError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Problem {
    inertia: Arc<Inertia>,
    /// See [`Problem::condition`].
    condition: Arc<OnceLock<f64>>,
    bilateral: Arc<Bilateral>,
    velocity: DVector<f64>,
    contacts: Vec<Contact>,
    /// First row of each contact, and the number of rows.
    first_rows: Vec<usize>,
    jacobian: DMatrix<f64>,
    /// `M⁻¹ Jᵀ`.
    unconstrained_response: DMatrix<f64>,
    /// `M⁻¹ Jᵀ` of the bodies in their joints.
    response: DMatrix<f64>,
    delassus: DMatrix<f64>,
    /// Rows of `J` that joints or geometry prevent from moving.
    locked: Vec<bool>,
    free_contact_velocity: DVector<f64>,
}

impl Problem {
    /// A problem without joints: `velocity` is `v⁻` (length `n_v`, m/s and rad/s).
    ///
    /// # Errors
    ///
    /// [`ProblemError`] contains the field that is wrong, its value and what was expected.
    pub fn new(
        mass: Mass,
        velocity: DVector<f64>,
        contacts: Vec<Contact>,
    ) -> Result<Self, ProblemError> {
        let joints = DMatrix::zeros(0, velocity.len());
        Self::with_joints(mass, velocity, contacts, joints)
    }

    /// A problem with joints, the rows of `bilateral_jacobian` `G` (`m_b × n_v`, any rank).
    ///
    /// # Errors
    ///
    /// [`ProblemError`] contains the field that is wrong, its value and what was expected.
    pub fn with_joints(
        mass: Mass,
        velocity: DVector<f64>,
        contacts: Vec<Contact>,
        bilateral_jacobian: DMatrix<f64>,
    ) -> Result<Self, ProblemError> {
        let n = velocity.len();
        error::check(&velocity, &contacts, &bilateral_jacobian)?;
        let inertia = Inertia::new(mass)?;
        if inertia.dimension() != n {
            let found = inertia.dimension();
            return Err(ProblemError::Size { field: "mass".to_string(), expected: n, found });
        }
        let mut first_rows = vec![0];
        let rows: Vec<_> = contacts
            .iter()
            .flat_map(|contact| {
                first_rows.push(first_rows[first_rows.len() - 1] + 1 + contact.tangents.len());
                contact.rows()
            })
            .map(DVector::transpose)
            .collect();
        let jacobian =
            if rows.is_empty() { DMatrix::zeros(0, n) } else { DMatrix::from_rows(&rows) };
        let unconstrained_response = inertia.solve_rows("contacts", &jacobian)?;
        let bilateral_response = inertia.solve_rows("bilateral", &bilateral_jacobian)?;
        let bilateral = Bilateral::new(bilateral_jacobian, bilateral_response)?;
        let mut response = unconstrained_response.clone();
        bilateral.span.reduce(&mut response);
        let movable = bilateral.span.reduced_rows(&jacobian);
        let sizes = row_sizes(&jacobian, &unconstrained_response);
        error::check_effects(&jacobian, &sizes)?;
        let locked = lock(&bilateral, &sizes, &movable, &mut response);
        let mut delassus = (&movable * &response).symmetric_part();
        for (row, _) in locked.iter().enumerate().filter(|(_, locked)| **locked) {
            delassus.row_mut(row).fill(0.0);
            delassus.column_mut(row).fill(0.0);
        }
        error::check_finite("Delassus operator of the contacts", &delassus)?;
        let free_contact_velocity = DVector::zeros(jacobian.nrows());
        let problem = Self {
            inertia: Arc::new(inertia),
            condition: Arc::default(),
            bilateral: Arc::new(bilateral),
            velocity,
            contacts,
            first_rows,
            jacobian,
            unconstrained_response,
            response,
            delassus,
            locked,
            free_contact_velocity,
        };
        Ok(problem.with_free_contact_velocity())
    }

    /// Returns the same bodies and contacts with another velocity before the impact (length `n_v`).
    ///
    /// Nothing is factored again.
    ///
    /// # Errors
    ///
    /// [`ProblemError`] when the length is wrong or an entry is not finite.
    pub fn with_velocity(&self, velocity: DVector<f64>) -> Result<Self, ProblemError> {
        error::check_row("velocity", &velocity, self.dimension())?;
        Ok(Self { velocity, ..self.clone() }.with_free_contact_velocity())
    }

    fn with_free_contact_velocity(mut self) -> Self {
        self.free_contact_velocity = self.movable_contact_velocity(&self.free_velocity());
        self
    }

    /// Returns the same problem with all coefficients of restitution times `factor` (in `[0, 1]`).
    pub(crate) fn with_restitution_times(&self, factor: f64) -> Self {
        let mut problem = self.clone();
        problem.contacts.iter_mut().for_each(|contact| contact.restitution *= factor);
        problem
    }

    /// Returns the problem with the single contact `index` and the same velocity.
    ///
    /// # Errors
    ///
    /// [`ProblemError`] when there is no such contact.
    pub fn contact_problem(&self, index: usize) -> Result<Self, ProblemError> {
        let Some(contact) = self.contacts.get(index) else {
            let field = "contact index".to_string();
            let (value, expected) = (index as f64, "the index of a contact");
            return Err(ProblemError::Entry { field, value, expected });
        };
        let rows = self.rows(index);
        let (first, count) = (rows.start, rows.len());
        Ok(Self {
            inertia: Arc::clone(&self.inertia),
            condition: Arc::clone(&self.condition),
            bilateral: Arc::clone(&self.bilateral),
            velocity: self.velocity.clone(),
            contacts: vec![contact.clone()],
            first_rows: vec![0, count],
            jacobian: self.jacobian.rows(first, count).into_owned(),
            unconstrained_response: self.unconstrained_response.columns(first, count).into_owned(),
            response: self.response.columns(first, count).into_owned(),
            delassus: self.delassus.view((first, first), (count, count)).into_owned(),
            locked: self.locked[rows.clone()].to_vec(),
            free_contact_velocity: self.free_contact_velocity.rows(first, count).into_owned(),
        })
    }

    /// `n_v`.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.velocity.len()
    }

    /// `v⁻` (length `n_v`, m/s and rad/s).
    #[must_use]
    pub const fn velocity(&self) -> &DVector<f64> {
        &self.velocity
    }

    /// The contacts, in the order given.
    #[must_use]
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    /// Rows of contact `index` in `J`: normal, then tangents.
    ///
    /// # Panics
    ///
    /// When there is no such contact.
    #[must_use]
    pub fn rows(&self, index: usize) -> Range<usize> {
        self.first_rows[index]..self.first_rows[index + 1]
    }

    /// `J` (`r × n_v`, with one row per normal and per tangent).
    #[must_use]
    pub const fn contact_jacobian(&self) -> &DMatrix<f64> {
        &self.jacobian
    }

    /// `G` (`m_b × n_v`).
    #[must_use]
    pub fn bilateral_jacobian(&self) -> &DMatrix<f64> {
        &self.bilateral.jacobian
    }

    /// `M⁻¹ Jᵀ` (`n_v × r`): change of velocity per unit impulse at each row of `J`, before the joints
    /// act.
    #[must_use]
    pub const fn unconstrained_response(&self) -> &DMatrix<f64> {
        &self.unconstrained_response
    }

    /// Change of velocity per unit impulse at each row of `J`, joints included (`n_v × r`).
    #[must_use]
    pub const fn response(&self) -> &DMatrix<f64> {
        &self.response
    }

    /// Delassus operator `W` of the bodies in their joints (`r × r`, kg⁻¹, symmetric semidefinite):
    /// change of contact velocity per unit impulse.
    ///
    /// Rows that joints or geometry prevent from moving are exactly zero.
    #[must_use]
    pub const fn delassus(&self) -> &DMatrix<f64> {
        &self.delassus
    }

    /// `J v` (length `r`, m/s).
    ///
    /// # Panics
    ///
    /// When `velocity` does not have length `n_v`.
    #[must_use]
    pub fn contact_velocity(&self, velocity: &DVector<f64>) -> DVector<f64> {
        &self.jacobian * velocity
    }

    /// Contact velocity without impulses at the contacts (length `r`, m/s): that of `v⁻` after the joints are
    /// enforced. Exactly zero in rows that cannot move.
    #[must_use]
    pub fn free_contact_velocity(&self) -> DVector<f64> {
        self.free_contact_velocity.clone()
    }

    /// The same without a copy.
    pub(crate) const fn borrow_free_contact_velocity(&self) -> &DVector<f64> {
        &self.free_contact_velocity
    }

    /// Velocity without impulses at the contacts: `v⁻` after the joints are enforced.
    pub(crate) fn free_velocity(&self) -> DVector<f64> {
        let mut velocity = self.velocity.clone();
        self.bilateral.span.project(&mut velocity);
        velocity
    }

    /// `J v` for a velocity that satisfies the joints, without rounding in rows that cannot move.
    pub(crate) fn movable_contact_velocity(&self, velocity: &DVector<f64>) -> DVector<f64> {
        let mut contact_velocity = self.contact_velocity(velocity);
        for (value, &locked) in contact_velocity.iter_mut().zip(&self.locked) {
            if locked {
                *value = 0.0;
            }
        }
        contact_velocity
    }

    /// `√(J_i M⁻¹ J_iᵀ)` of each row, without joints (length `r`, kg^−½).
    pub(crate) fn free_row_sizes(&self) -> DVector<f64> {
        row_sizes(&self.jacobian, &self.unconstrained_response)
    }

    /// Rounding that the elimination of the joints leaves in a response, relative to the response without
    /// joints.
    pub(crate) fn joint_rounding(&self) -> f64 {
        self.bilateral.rounding
    }

    /// Condition of the mass matrix scaled to a unit diagonal (≥ 1), computed once.
    pub(crate) fn condition(&self) -> f64 {
        *self.condition.get_or_init(|| self.inertia.condition())
    }

    /// Fraction of the velocities that is rounding of the factored mass matrix and of the elimination of the
    /// joints: `64 N κ/σ eps` with the [`condition`](Self::condition) `κ`, the smallest fraction `σ` of a
    /// joint row that is independent of the others, and `N = n_v + r + m_b`.
    pub(crate) fn rounding(&self) -> f64 {
        let count = self.dimension() + self.jacobian.nrows() + self.bilateral.jacobian.nrows();
        64.0 * count as f64 * self.condition() / self.bilateral.span.smallest * f64::EPSILON
    }

    /// Change of velocity of the bodies in their joints by a momentum (length `n_v`).
    pub(crate) fn velocity_of(&self, momentum: &DVector<f64>) -> DVector<f64> {
        let mut velocity = self.inertia.solve(momentum);
        self.bilateral.span.project(&mut velocity);
        velocity
    }

    /// The span of the joint rows.
    pub(crate) fn joint_span(&self) -> &Span {
        &self.bilateral.span
    }

    /// `√(G_i M⁻¹ G_iᵀ)` of each row of the joints (length `m_b`).
    pub(crate) fn joint_row_sizes(&self) -> &DVector<f64> {
        &self.bilateral.span.sizes
    }

    /// `M⁻¹ Gᵀ` (`n_v × m_b`).
    pub(crate) fn joint_response(&self) -> &DMatrix<f64> {
        &self.bilateral.response
    }

    /// Whether joints or geometry prevent row `row` of `J` from moving.
    pub(crate) fn is_locked(&self, row: usize) -> bool {
        self.locked[row]
    }

    /// Sizes of the terms of `M x` for `x ≥ 0` (length `n_v`).
    pub(crate) fn momentum_sizes(&self, x: &DVector<f64>) -> DVector<f64> {
        self.inertia.multiply_sizes(x)
    }

    /// `√M_ii` of each velocity (length `n_v`).
    pub(crate) fn mass_roots(&self) -> DVector<f64> {
        self.inertia.roots()
    }

    /// `M v` (length `n_v`).
    ///
    /// # Panics
    ///
    /// When `velocity` does not have length `n_v`.
    #[must_use]
    pub fn momentum(&self, velocity: &DVector<f64>) -> DVector<f64> {
        self.inertia.multiply(velocity)
    }

    /// `M` (`n_v × n_v`; kg, kg·m for mixed entries, kg·m²), also if it was given by a factor or an operator. It is
    /// computed anew by each call.
    #[must_use]
    pub fn mass_matrix(&self) -> DMatrix<f64> {
        let n = self.velocity.len();
        let mut matrix = DMatrix::identity(n, n);
        for mut column in matrix.column_iter_mut() {
            let momentum = self.momentum(&column.clone_owned());
            column.copy_from(&momentum);
        }
        matrix
    }

    /// `½ vᵀ M v` (J).
    ///
    /// # Panics
    ///
    /// When `velocity` does not have length `n_v`.
    #[must_use]
    pub fn kinetic_energy(&self, velocity: &DVector<f64>) -> f64 {
        0.5 * velocity.dot(&self.momentum(velocity))
    }

    /// `√(vᵀ M v)`, without overflow or underflow of the square.
    pub(crate) fn root_of_energy(&self, velocity: &DVector<f64>) -> f64 {
        let fastest = velocity.amax();
        if fastest == 0.0 {
            return 0.0;
        }
        let unit = velocity / fastest;
        fastest * unit.dot(&self.momentum(&unit)).max(0.0).sqrt()
    }

    /// Rounding of the velocities in the kinetic metric (√J): times the size of a row, that of its velocity.
    pub(crate) fn velocity_rounding(&self) -> f64 {
        self.rounding() * self.root_of_energy(&self.velocity)
    }

    /// Returns the effect of the impulses `impulse` (length `r`, N·s): the velocity they lead to, and the
    /// multipliers of the joints.
    ///
    /// # Panics
    ///
    /// When `impulse` does not have length `r`.
    #[must_use]
    pub fn outcome(&self, impulse: &DVector<f64>, trace: Trace) -> Outcome {
        let mut velocity = &self.velocity + &self.unconstrained_response * impulse;
        let bilateral_impulses = self.bilateral.span.project(&mut velocity);
        let impulses = (0..self.contacts.len())
            .map(|contact| {
                let rows = self.rows(contact);
                Impulse {
                    normal: impulse[rows.start],
                    tangent: impulse.as_slice()[rows.start + 1..rows.end].to_vec(),
                }
            })
            .collect();
        Outcome { velocity, impulses, bilateral_impulses, trace }
    }

    /// The same where the `velocity` after the impulses is known more accurately than from their sum.
    pub(crate) fn outcome_at(
        &self,
        mut velocity: DVector<f64>,
        impulse: &DVector<f64>,
        trace: Trace,
    ) -> Outcome {
        self.bilateral.span.project(&mut velocity);
        Outcome { velocity, ..self.outcome(impulse, trace) }
    }
}
