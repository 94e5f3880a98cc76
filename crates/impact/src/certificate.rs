//! The [`Certificate`]: figures that judge an outcome, computed from the problem and the outcome alone.
//!
//! [`Certificate::check`] computes the figures. [`Certificate::judge`] compares them with the
//! [claims](Claims) of a law; it is the only judgement, and it determines the
//! [`Status`](crate::outcome::Status) of every outcome.
//!
//! # What counts as zero
//!
//! A figure holds up to `2 √eps = 3e-8` of the size of the terms it is computed from, plus the rounding of
//! its impulses. This is decided contact by contact and velocity by velocity. Sizes are bounded by the data
//! of the problem: the velocity before the impact, the mass matrix and the rows. With `s = √(v⁻ᵀ M v⁻)`
//! | figure | size of its terms | bound of what impulses contribute |
//! | --- | --- | --- |
//! | velocity at a contact or a joint | `\|J_k\| (\|v⁻\| + c \|v⁺\| + \|M⁻¹ Jᵀ\| \|Λ\|)` | `4 √(J_k M⁻¹ J_kᵀ) s` |
//! | momentum | `\|M\| (\|v⁻\| + c \|v⁺\| + \|M⁻¹ Jᵀ\| \|Λ\|) + \|Jᵀ\| \|Λ\|` | `4 √M_ii s` |
//! | impulse | that of the velocity at its row over `W_kk` | the same over `W_kk` |
//! | energy | `½ \|v⁺ − v⁻\|ᵀ \|M\| (\|v⁺\| + \|v⁻\|)` | `2 s²` |
//!
//! where `|M| x` stands for the sizes of the terms of `M x`, `|L| |Lᵀ| x` with the factor of a matrix, and
//! `c = min(1, s/‖v⁺‖_M)` limits the contribution of the velocity after the impact to the energy before
//! it. A wrong answer therefore cannot loosen its own tolerance, and units of mass, length and time have no
//! effect.
//! Impulses at rows that are independent by the rank rule, `√eps`, are at most `1/√eps` times their effect.
//! This bounds their rounding by `N √eps` of the size, `N = n_v + r + m_b`.

use nalgebra::DVector;

use crate::{Outcome, Problem, outcome::Impulse};

mod claims;
mod figure;
mod judgement;
mod sizes;
#[cfg(test)]
mod tests;

pub(crate) use claims::is_inelastic;
pub use claims::{Claims, Complementarity, Friction};
pub use figure::Figure;
pub use judgement::{Judged, Judgement, Verdict};
use sizes::Scales;
pub(crate) use sizes::{TOLERANCE, still};

/// The figures that judge an [`Outcome`], computed from it and the [`Problem`] alone.
///
/// Every figure except the energies is zero for an ideal outcome; each law states which of them it
/// [claims](Claims). A check costs two products with each of `M`, `J` and `G`, and as many with their
/// absolute values.
///
/// # Example
///
/// A particle of 4 kg that falls at 3 m/s and then rests took 12 N·s and lost 18 J.
///
/// ```
/// use nalgebra::{DVector, dmatrix, dvector};
/// use percussion_impact::{Contact, Mass, Problem, Trace, certificate::Certificate};
///
/// let ground = Contact::new(dvector![1.0]);
/// let problem = Problem::new(Mass::Matrix(dmatrix![4.0]), dvector![-3.0], vec![ground])?;
/// let rest = problem.outcome(&dvector![12.0], Trace::resolved(vec![]));
/// let certificate = Certificate::check(&problem, &rest)?;
/// assert_eq!(certificate.approach, 0.0);
/// assert_eq!(certificate.energy_change, -18.0);
///
/// let too_weak = problem.outcome(&dvector![8.0], Trace::resolved(vec![]));
/// assert_eq!(Certificate::check(&problem, &too_weak)?.approach, 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Certificate {
    /// Largest entry of `|M(v⁺ − v⁻) − JᵀΛ − GᵀΛ_b|` over the size of its own terms, see the [module](self) (dimensionless).
    pub momentum_residual: f64,
    /// Largest speed of approach after the impact, `max(0, −min_k J_n,k v⁺)` (m/s).
    pub approach: f64,
    /// Largest pulling impulse, `max(0, −min_k Λ_n,k)` (N·s).
    pub adhesion: f64,
    /// `max_k max(0, ‖Λ_t,k‖ − μ_k Λ_n,k)` (N·s); contacts without tangents do not count.
    pub cone_violation: f64,
    /// `max_k |Λ_n,k max(0, J_n,k v⁺)|` (J): zero for inelastic laws, in which a contact that pushes does not
    /// separate.
    pub complementarity: f64,
    /// `‖G v⁺‖∞` (m/s or rad/s).
    pub bilateral_residual: f64,
    /// `½ v⁻ᵀ M v⁻` (J).
    pub energy_before: f64,
    /// `½ v⁺ᵀ M v⁺` (J).
    pub energy_after: f64,
    /// `½ (v⁺ − v⁻)ᵀ M (v⁺ + v⁻)` (J), negative when energy is lost. Unlike the difference of the two
    /// energies it keeps its digits when little is lost.
    pub energy_change: f64,
}

/// Error for an outcome that cannot be judged because it does not belong to the problem.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field} of the outcome has length {found}, expected {expected}")]
#[non_exhaustive]
pub struct CertificateError {
    /// Name of the vector with the wrong length.
    pub field: String,
    /// Length that the problem requires.
    pub expected: usize,
    /// Length found.
    pub found: usize,
}

impl Certificate {
    /// Judges `outcome` as an answer to `problem`.
    ///
    /// NaN entries make the figures that depend on them NaN, and no comparison with a tolerance accepts NaN.
    ///
    /// # Errors
    ///
    /// [`CertificateError`] when a vector of the outcome does not have the length that the problem requires.
    pub fn check(problem: &Problem, outcome: &Outcome) -> Result<Self, CertificateError> {
        Ok(Self::with_scales(problem, outcome)?.0)
    }

    /// Judges `outcome` as the answer to `problem` of a law with the given claims.
    ///
    /// This is the only judgement: [`Law::resolve`](crate::Law::resolve) takes its status from here. An
    /// outcome that has been judged can be judged again, also with other claims.
    ///
    /// # Errors
    ///
    /// As [`check`](Self::check).
    ///
    /// # Example
    ///
    /// Two walls close on a particle of 1 kg that moves at 1 m/s, and the answer leaves its velocity
    /// unchanged.
    ///
    /// ```
    /// use nalgebra::{dmatrix, dvector};
    /// use percussion_impact::{
    ///     Contact, Mass, Problem, RestitutionUse, Status, Trace,
    ///     certificate::{Certificate, Claims},
    /// };
    ///
    /// let walls = [-1.0, 1.0].map(|side| Contact::new(dvector![side]));
    /// let problem = Problem::new(Mass::Matrix(dmatrix![1.0]), dvector![1.0], walls.to_vec())?;
    /// let wrong = problem.outcome(&dvector![9.5e15, 9.5e15], Trace::resolved(vec![]));
    /// let claims = Claims::new(RestitutionUse::Used);
    /// let judgement = Certificate::judge(&problem, &wrong, &claims)?;
    /// assert_eq!(judgement.status, Status::Violated);
    /// assert_eq!(judgement.violations(), ["approach"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn judge(
        problem: &Problem,
        outcome: &Outcome,
        claims: &Claims,
    ) -> Result<Judgement, CertificateError> {
        let (certificate, mut scales, unexplained) = Self::with_scales(problem, outcome)?;
        if !claims.is_instantaneous {
            scales.open();
        }
        Ok(judgement::judge(problem, outcome, claims, (certificate, &scales, &unexplained)))
    }

    /// The figures, the sizes of their terms, and the momentum that the impulses do not account for.
    fn with_scales(
        problem: &Problem,
        outcome: &Outcome,
    ) -> Result<(Self, Scales, DVector<f64>), CertificateError> {
        check_lengths(problem, outcome)?;
        let scales = Scales::of(problem, outcome);
        let (before, after) = (problem.velocity(), &outcome.velocity);
        let momentum_before = problem.momentum(before);
        let change = problem.momentum(&(after - before));
        let unexplained = &change
            - problem.contact_jacobian().tr_mul(&stack(outcome))
            - problem.bilateral_jacobian().tr_mul(&outcome.bilateral_impulses);
        let contact_velocity = problem.contact_velocity(after);
        let mut certificate = Self {
            momentum_residual: largest(&unexplained.zip_map(&scales.momentum.size, part)),
            approach: 0.0,
            adhesion: 0.0,
            cone_violation: 0.0,
            complementarity: 0.0,
            bilateral_residual: largest(&(problem.bilateral_jacobian() * after)),
            energy_before: 0.5 * before.dot(&momentum_before),
            energy_after: problem.kinetic_energy(after),
            energy_change: 0.5 * (after + before).dot(&change),
        };
        for (k, (contact, impulse)) in problem.contacts().iter().zip(&outcome.impulses).enumerate()
        {
            let separation = contact_velocity[problem.rows(k).start];
            raise(&mut certificate.approach, -separation);
            raise(&mut certificate.adhesion, -impulse.normal);
            raise(&mut certificate.complementarity, impulse.normal.abs() * positive(separation));
            if !impulse.tangent.is_empty() {
                let excess = tangential(impulse) - contact.friction * impulse.normal;
                raise(&mut certificate.cone_violation, excess);
            }
        }
        Ok((certificate, scales, unexplained))
    }

    /// The figures with their names and units, in the order of the fields.
    #[must_use]
    pub const fn figures(&self) -> [Figure; 9] {
        const fn figure(name: &'static str, value: f64, unit: &'static str) -> Figure {
            Figure { name, value, unit }
        }
        [
            figure("momentum_residual", self.momentum_residual, "-"),
            figure("approach", self.approach, "m/s"),
            figure("adhesion", self.adhesion, "N·s"),
            figure("cone_violation", self.cone_violation, "N·s"),
            figure("complementarity", self.complementarity, "J"),
            figure("bilateral_residual", self.bilateral_residual, "m/s"),
            figure("energy_before", self.energy_before, "J"),
            figure("energy_after", self.energy_after, "J"),
            figure("energy_change", self.energy_change, "J"),
        ]
    }
}

fn check_lengths(problem: &Problem, outcome: &Outcome) -> Result<(), CertificateError> {
    let check = |field: String, expected, found| {
        if expected == found { Ok(()) } else { Err(CertificateError { field, expected, found }) }
    };
    check("velocity".to_string(), problem.dimension(), outcome.velocity.len())?;
    check("impulses".to_string(), problem.contacts().len(), outcome.impulses.len())?;
    for (k, (contact, impulse)) in problem.contacts().iter().zip(&outcome.impulses).enumerate() {
        check(format!("impulses[{k}].tangent"), contact.tangents.len(), impulse.tangent.len())?;
    }
    let joints = problem.bilateral_jacobian().nrows();
    check("bilateral_impulses".to_string(), joints, outcome.bilateral_impulses.len())
}

/// `Λ`, in the order of the rows of `J`.
fn stack(outcome: &Outcome) -> DVector<f64> {
    let rows = outcome.impulses.iter();
    let rows: Vec<_> = rows
        .flat_map(|impulse| std::iter::once(impulse.normal).chain(impulse.tangent.iter().copied()))
        .collect();
    DVector::from_vec(rows)
}

/// `‖Λ_t‖`.
fn tangential(impulse: &Impulse) -> f64 {
    impulse.tangent.iter().fold(0.0, |norm: f64, t| norm.hypot(*t))
}

/// Returns a residual relative to a size; 0 when both are zero.
fn part(residual: f64, size: f64) -> f64 {
    if residual == 0.0 { 0.0 } else { residual / size }
}

/// `max |x_i|`, NaN if an entry is.
fn largest(x: &DVector<f64>) -> f64 {
    let mut largest = 0.0;
    x.iter().for_each(|value| raise(&mut largest, value.abs()));
    largest
}

/// `max(0, x)`, NaN for NaN.
fn positive(x: f64) -> f64 {
    if x < 0.0 { 0.0 } else { x }
}

/// Replaces `figure` by `value` if that is larger or NaN.
fn raise(figure: &mut f64, value: f64) {
    if value > *figure || value.is_nan() {
        *figure = value;
    }
}
