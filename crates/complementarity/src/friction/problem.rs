//! The validated [`Problem`] and the residuals that judge any answer to it.

mod checks;

use nalgebra::{DMatrix, Vector3};

use self::checks::{check_entries, check_symmetry};
use super::{
    BlockSparse, Delassus, Figures, Law, ProblemError, cone,
    single::{Contact, coulomb, maximum_dissipation},
};

/// A frictional contact problem: find impulses `p` whose velocities `u = W p + u_f` obey a [`Law`] at every contact.
///
/// **Normalization.** A residual must mean the same for grains of a milligram and for blocks of a tonne, so it
/// is a velocity. The inverse mass `w_i = tr(W_ii)/3` turns impulses into velocities. The residual consists of
/// the [figures](super::Figures) of a contact: how fast the contact approaches, how much it pulls, how
/// far the impulse is outside its cone, how far the contact is from both opening and staying closed, and how
/// far it is from both sticking and sliding against its friction. The residual
///
/// ```math
/// r_i = \max(\text{approach},\ \text{adhesion},\ \text{cone},\ \text{complementarity},\ \text{slip})
/// ```
///
/// of a contact is the largest of these, in m/s; that of a problem is the largest `r_i`. The relative residual
/// is divided by the largest `‖u_f‖`, which does not depend on the answer. If an impulse is wrong by the amount
/// that changes the velocity of its contact by 1 mm/s, or a velocity is wrong by 1 mm/s, `r_i` is about 1 mm/s.
/// A relative residual of `τ` guarantees each part of the law separately, up to velocities of `τ` times the
/// largest `‖u_f‖`, for any `μ`; [`Figures`](super::Figures) derives it.
///
/// **Units.** Neither residual changes when all masses and impulses are multiplied by a number. The relative
/// residual also does not change when all velocities are. Problems with sizes beyond `2^±150` are converted to
/// units near one by powers of two, which is exact.
///
/// **Rounding.** The product `W p` loses digits when large impulses cancel. Before a solver reports a problem
/// as solved, it compares
///
/// ```math
/// (3 n + 4)\, 2^{-52}\; 9 \max_i \sqrt{w_i} \sum_j \sqrt{w_j}\, \|p_j\| ,
/// ```
///
/// a bound of the rounding of all velocities (an entry of `W` is at most `3 √(w_i w_j)`), with the remaining
/// margin to the tolerance. If the margin is smaller, it recomputes the residual with [compensated
/// sums](Delassus::compensated_velocities). [`Problem::figures`] does the same.
///
/// # Source
///
/// V. Acary, M. Brémond, O. Huber, "On solving contact problems with Coulomb friction: formulations and numerical
/// comparisons", in *Advanced Topics in Nonsmooth Dynamics*, Springer 2018 (residuals in use);
/// T. Preclik, S. Eibl, U. Rüde, 2017, section 3. The residual is derived in [`Figures`](super::Figures).
///
/// # Example
///
/// A block of 2 kg that slides at 3 m/s is pressed to the floor with 4 N·s; friction of 0.5 takes 2 N·s of its
/// momentum.
///
/// ```
/// use nalgebra::{dmatrix, vector};
/// use percussion_complementarity::friction::{Law, Problem};
///
/// let delassus = dmatrix![0.5, 0.0, 0.0; 0.0, 0.5, 0.0; 0.0, 0.0, 0.5];
/// let problem = Problem::from_dense(&delassus, &[-2.0, 3.0, 0.0], &[0.5])?;
/// let impulses = [vector![4.0, -2.0, 0.0]];
/// assert_eq!(problem.velocities(&impulses), [vector![0.0, 2.0, 0.0]]);
/// assert_eq!(problem.natural_map_residual(&impulses), 0.0);
/// assert_eq!(problem.law(), Law::Coulomb);
/// assert_eq!(problem.dissipation(&impulses), 9.0); // of ½ 2 (2² + 3²) = 13 J
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Problem<D = BlockSparse> {
    delassus: D,
    law: Law,
    free_velocity: Vec<Vector3<f64>>,
    contacts: Vec<Contact>,
    /// `w_i`, kg⁻¹.
    inverse_masses: Vec<f64>,
    velocity_scale: f64,
}

impl Problem {
    /// Creates a problem from a dense `3n × 3n` operator, the free velocity (`3n`; m/s) and the friction
    /// coefficients (`n`).
    ///
    /// # Errors
    ///
    /// [`ProblemError`] with the first entry or size that is wrong.
    pub fn from_dense(
        delassus: &DMatrix<f64>,
        free_velocity: &[f64],
        friction: &[f64],
    ) -> Result<Self, ProblemError> {
        Self::from_sparse(
            BlockSparse::from_dense(delassus)?,
            triples(free_velocity, friction)?,
            friction,
        )
    }

    /// Creates a problem from a dense `2n × 2n` operator of contacts in the plane (normal, tangent), the free
    /// velocity (`2n`) and the friction coefficients (`n`). Impulses and velocities get a third component,
    /// which is zero.
    ///
    /// # Errors
    ///
    /// As [`from_dense`](Self::from_dense).
    pub fn from_planar(
        delassus: &DMatrix<f64>,
        free_velocity: &[f64],
        friction: &[f64],
    ) -> Result<Self, ProblemError> {
        if free_velocity.len() != 2 * friction.len() {
            let (found, expected) = (free_velocity.len(), 2 * friction.len());
            return Err(ProblemError::Length { name: "free_velocity", found, expected });
        }
        let pairs = free_velocity.chunks_exact(2).map(|u| Vector3::new(u[0], u[1], 0.0)).collect();
        Self::from_sparse(BlockSparse::from_planar(delassus)?, pairs, friction)
    }

    /// Creates a problem from blocks, whose symmetry is checked, and one free velocity and one friction
    /// coefficient per contact.
    ///
    /// # Errors
    ///
    /// As [`from_dense`](Self::from_dense).
    pub fn from_sparse(
        delassus: BlockSparse,
        free_velocity: Vec<Vector3<f64>>,
        friction: &[f64],
    ) -> Result<Self, ProblemError> {
        check_entries(&delassus)?;
        let problem = Self::new(delassus, free_velocity, friction)?;
        check_symmetry(&problem.delassus)?;
        Ok(problem)
    }
}

/// The free velocity, split by contacts.
fn triples(free_velocity: &[f64], friction: &[f64]) -> Result<Vec<Vector3<f64>>, ProblemError> {
    if free_velocity.len() != 3 * friction.len() {
        let (found, expected) = (free_velocity.len(), 3 * friction.len());
        return Err(ProblemError::Length { name: "free_velocity", found, expected });
    }
    Ok(free_velocity.chunks_exact(3).map(Vector3::from_column_slice).collect())
}

/// A bound of the rounding of a velocity (m/s) by contacts with these inverse masses; infinite if the impulses are not finite.
pub(super) fn rounding(
    impulses: &[Vector3<f64>],
    inverse_masses: impl Iterator<Item = f64>,
) -> f64 {
    let (mut sum, mut largest) = (0.0, 0.0_f64);
    for (impulse, inverse_mass) in impulses.iter().zip(inverse_masses) {
        let root = inverse_mass.sqrt();
        sum += root * cone::norm(impulse);
        largest = largest.max(root);
    }
    #[expect(clippy::cast_precision_loss, reason = "small counts")]
    let terms = (3 * impulses.len() + 4) as f64;
    let bound = 9.0 * terms * f64::EPSILON * (largest * sum);
    if bound.is_finite() { bound } else { f64::INFINITY }
}

/// The largest free velocity (m/s), or 1 if all are zero.
pub(super) fn scale_of(free_velocity: &[Vector3<f64>]) -> Result<f64, ProblemError> {
    for (row, &value) in free_velocity.iter().flatten().enumerate() {
        if !value.is_finite() {
            return Err(ProblemError::FreeVelocity { row, value });
        }
    }
    let largest = free_velocity.iter().map(cone::norm).fold(0.0, f64::max);
    Ok(if largest > 0.0 { largest } else { 1.0 })
}

impl<D: Delassus> Problem<D> {
    /// Creates a problem from any operator, one free velocity (m/s) and one friction coefficient per contact.
    /// Only the diagonal blocks are checked for symmetry.
    ///
    /// # Errors
    ///
    /// [`ProblemError`] with the first entry or size that is wrong.
    pub fn new(
        delassus: D,
        free_velocity: Vec<Vector3<f64>>,
        friction: &[f64],
    ) -> Result<Self, ProblemError> {
        let expected = delassus.contact_count();
        if expected == 0 {
            return Err(ProblemError::Empty);
        }
        for (name, found) in [("free_velocity", free_velocity.len()), ("friction", friction.len())]
        {
            if found != expected {
                return Err(ProblemError::Length { name, found, expected });
            }
        }
        let velocity_scale = scale_of(&free_velocity)?;
        let contacts = (0..expected)
            .map(|contact| {
                Contact::new(&delassus.diagonal(contact), friction[contact])
                    .map_err(|error| ProblemError::Contact { contact, error })
            })
            .collect::<Result<Vec<_>, _>>()?;
        let inverse_masses = contacts.iter().map(Contact::inverse_mass).collect();
        let law = Law::default();
        Ok(Self { delassus, law, free_velocity, contacts, inverse_masses, velocity_scale })
    }

    /// Replaces the free velocity (m/s), one for each contact. What depends on the operator alone stays.
    ///
    /// # Errors
    ///
    /// [`ProblemError::Length`] and [`ProblemError::FreeVelocity`]; the problem is then unchanged.
    ///
    /// # Example
    ///
    /// ```
    /// use nalgebra::{dmatrix, vector};
    /// use percussion_complementarity::friction::Problem;
    ///
    /// let delassus = dmatrix![0.5, 0.0, 0.0; 0.0, 0.5, 0.0; 0.0, 0.0, 0.5];
    /// let mut problem = Problem::from_dense(&delassus, &[-2.0, 3.0, 0.0], &[0.5])?;
    /// problem.set_free_velocity(&[vector![-1.0, 0.0, 0.0]])?;
    /// assert_eq!(problem.velocities(&[vector![2.0, 0.0, 0.0]]), [vector![0.0, 0.0, 0.0]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_free_velocity(
        &mut self,
        free_velocity: &[Vector3<f64>],
    ) -> Result<(), ProblemError> {
        let (found, expected) = (free_velocity.len(), self.contacts.len());
        if found != expected {
            return Err(ProblemError::Length { name: "free_velocity", found, expected });
        }
        self.velocity_scale = scale_of(free_velocity)?;
        self.free_velocity.copy_from_slice(free_velocity);
        Ok(())
    }

    /// The same problem with another law.
    #[must_use]
    pub fn with_law(self, law: Law) -> Self {
        Self { law, ..self }
    }

    /// The same problem with another law and the operator borrowed.
    ///
    /// Copies the data that are stored for each contact.
    #[must_use]
    pub fn by_law(&self, law: Law) -> Problem<&D> {
        Problem {
            delassus: &self.delassus,
            law,
            free_velocity: self.free_velocity.clone(),
            contacts: self.contacts.clone(),
            inverse_masses: self.inverse_masses.clone(),
            velocity_scale: self.velocity_scale,
        }
    }

    /// The friction law of all contacts ([`Law::Coulomb`] unless [stated otherwise](Self::with_law)).
    #[must_use]
    pub const fn law(&self) -> Law {
        self.law
    }

    /// Number of contacts `n`.
    #[must_use]
    pub fn contact_count(&self) -> usize {
        self.contacts.len()
    }

    /// The operator `W`.
    #[must_use]
    pub const fn delassus(&self) -> &D {
        &self.delassus
    }

    /// The velocities without contact impulses (m/s).
    #[must_use]
    pub fn free_velocity(&self) -> &[Vector3<f64>] {
        &self.free_velocity
    }

    /// The diagonal blocks with their friction coefficients.
    #[must_use]
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    /// `w_i = tr(W_ii)/3` (kg⁻¹).
    #[must_use]
    pub fn inverse_masses(&self) -> &[f64] {
        &self.inverse_masses
    }

    /// The largest `‖u_f‖` of a contact (m/s), or 1 if there is no free velocity.
    #[must_use]
    pub const fn velocity_scale(&self) -> f64 {
        self.velocity_scale
    }

    /// `u = W p + u_f` (m/s).
    ///
    /// # Panics
    ///
    /// If there is not one impulse per contact. This holds for all methods below.
    #[must_use]
    pub fn velocities(&self, impulses: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
        assert_eq!(impulses.len(), self.contact_count(), "one impulse per contact");
        let mut memory = Vec::new();
        self.delassus.begin(impulses, &mut memory);
        (0..impulses.len()).map(|contact| self.velocity(contact, impulses, &memory)).collect()
    }

    /// The velocity of one contact; `memory` holds what the operator has computed from `impulses`.
    #[inline]
    pub(super) fn velocity(
        &self,
        contact: usize,
        impulses: &[Vector3<f64>],
        memory: &[f64],
    ) -> Vector3<f64> {
        self.delassus.velocity(contact, impulses, memory) + self.free_velocity[contact]
    }

    /// The residual `r_i` of one contact (m/s) with `impulse` and `velocity`; infinite if those are not finite.
    #[must_use]
    pub fn contact_residual(
        &self,
        contact: usize,
        impulse: &Vector3<f64>,
        velocity: &Vector3<f64>,
    ) -> f64 {
        Figures::of(self.law, &self.contacts[contact], impulse, velocity).largest()
    }

    /// The maximum of each figure over the contacts (m/s), with [compensated
    /// velocities](Delassus::compensated_velocities) where rounding could exceed `10⁻¹⁰` of the velocity scale.
    ///
    /// # Panics
    ///
    /// As [`velocities`](Self::velocities).
    #[must_use]
    pub fn figures(&self, impulses: &[Vector3<f64>]) -> Figures {
        assert_eq!(impulses.len(), self.contact_count(), "one impulse per contact");
        if self.rounding(impulses) <= 1e-10 * self.velocity_scale {
            self.figures_at(impulses, &self.velocities(impulses))
        } else {
            self.compensated_figures(impulses)
        }
    }

    /// The maximum of the [figures](Figures::of) of the contacts, with compensated velocities.
    pub(super) fn compensated_figures(&self, impulses: &[Vector3<f64>]) -> Figures {
        let velocities = self.delassus.compensated_velocities(impulses, &self.free_velocity);
        self.figures_at(impulses, &velocities)
    }

    /// The maximum of the figures for these velocities.
    fn figures_at(&self, impulses: &[Vector3<f64>], velocities: &[Vector3<f64>]) -> Figures {
        let contacts = self.contacts.iter().zip(impulses.iter().zip(velocities));
        contacts.fold(Figures::default(), |largest, (contact, (impulse, velocity))| {
            largest.max(&Figures::of(self.law, contact, impulse, velocity))
        })
    }

    /// A bound of the rounding of a velocity (m/s), see the head of the module; infinite if the impulses are
    /// not finite.
    pub(super) fn rounding(&self, impulses: &[Vector3<f64>]) -> f64 {
        rounding(impulses, self.inverse_masses.iter().copied())
    }

    /// `r_i` of every contact (m/s).
    ///
    /// # Panics
    ///
    /// As [`velocities`](Self::velocities).
    #[must_use]
    pub fn contact_residuals(&self, impulses: &[Vector3<f64>]) -> Vec<f64> {
        let velocities = self.velocities(impulses);
        (0..impulses.len())
            .map(|i| self.contact_residual(i, &impulses[i], &velocities[i]))
            .collect()
    }

    /// The largest `r_i` (m/s), zero exactly at the solutions. The velocities are computed in working
    /// precision; for impulses that cancel [`figures`](Self::figures) is more accurate.
    ///
    /// # Panics
    ///
    /// As [`velocities`](Self::velocities).
    #[must_use]
    pub fn natural_map_residual(&self, impulses: &[Vector3<f64>]) -> f64 {
        assert_eq!(impulses.len(), self.contact_count(), "one impulse per contact");
        self.natural_map_residual_with(impulses, &mut Vec::new())
    }

    /// [`natural_map_residual`](Self::natural_map_residual) with memory that the caller keeps.
    pub(super) fn natural_map_residual_with(
        &self,
        impulses: &[Vector3<f64>],
        memory: &mut Vec<f64>,
    ) -> f64 {
        self.delassus.begin(impulses, memory);
        (0..impulses.len()).fold(0.0, |largest: f64, i| {
            let velocity = self.velocity(i, impulses, memory);
            let contact = &self.contacts[i];
            largest.max(Figures::of(self.law, contact, &impulses[i], &velocity).largest())
        })
    }

    /// [`natural_map_residual`](Self::natural_map_residual) divided by the
    /// [velocity scale](Self::velocity_scale).
    ///
    /// # Panics
    ///
    /// As [`velocities`](Self::velocities).
    #[must_use]
    pub fn relative_residual(&self, impulses: &[Vector3<f64>]) -> f64 {
        self.natural_map_residual(impulses) / self.velocity_scale
    }

    /// The largest `|p_N u_N|` (J).
    ///
    /// # Panics
    ///
    /// As [`velocities`](Self::velocities).
    #[must_use]
    pub fn complementarity(&self, impulses: &[Vector3<f64>]) -> f64 {
        let velocities = self.velocities(impulses);
        impulses.iter().zip(&velocities).fold(0.0, |largest, (p, u)| largest.max((p.x * u.x).abs()))
    }

    /// The kinetic energy that the impulses dissipate, `−½ pᵀ W p − pᵀ u_f` (J).
    ///
    /// # Panics
    ///
    /// As [`velocities`](Self::velocities).
    #[must_use]
    pub fn dissipation(&self, impulses: &[Vector3<f64>]) -> f64 {
        let velocities = self.velocities(impulses);
        let twice: f64 = impulses
            .iter()
            .zip(velocities.iter().zip(&self.free_velocity))
            .map(|(p, (u, free))| p.dot(&(u + free)))
            .sum();
        -0.5 * twice
    }

    /// The impulse of one contact under the law of the problem with the others held fixed, near its current
    /// impulse; `velocity` is the current one.
    #[inline]
    pub(super) fn local(
        &self,
        contact: usize,
        impulse: &Vector3<f64>,
        velocity: &Vector3<f64>,
    ) -> Vector3<f64> {
        let single = &self.contacts[contact];
        let b = single.block() * impulse - velocity;
        match self.law {
            Law::Coulomb => coulomb::solve_near(single, &b, impulse),
            Law::MaximumDissipation => maximum_dissipation::solve_near(single, &b, Some(impulse)),
        }
    }

    /// `W` as a dense `3n × 3n` matrix.
    #[must_use]
    pub fn dense(&self) -> DMatrix<f64> {
        let n = self.contact_count();
        let mut matrix = DMatrix::zeros(3 * n, 3 * n);
        self.delassus.each_block(&mut |row, column, block| {
            matrix.fixed_view_mut::<3, 3>(3 * row, 3 * column).copy_from(block);
        });
        matrix
    }
}

#[cfg(test)]
pub(crate) mod tests;
