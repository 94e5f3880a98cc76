//! The [`Certificate`]: what can be said of an outcome from the problem and the outcome alone.

use nalgebra::DVector;
use serde::Serialize;

use crate::{Outcome, Problem};

/// The figures that judge an [`Outcome`], computed from it and the [`Problem`] and nothing else.
///
/// Every figure but the energies is zero for an ideal outcome; each law says which of them it
/// guarantees. Checking costs two products with `M`, `J` and `G` each.
///
/// # Example
///
/// A particle of 4 kg that falls at 3 m/s and then rests took 12 N·s and lost 18 J.
///
/// ```
/// use nalgebra::{DVector, dmatrix, dvector};
/// use percussion_impact::{Certificate, Contact, Mass, Problem, outcome::Trace};
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
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Certificate {
    /// `‖M(v⁺ − v⁻) − JᵀΛ − GᵀΛ_b‖∞ / (1 + ‖M v⁻‖∞)` (dimensionless, in SI units).
    pub momentum_residual: f64,
    /// Largest speed of approach after the impact, `max(0, −min_k J_n,k v⁺)` (m/s).
    pub approach: f64,
    /// Largest pulling percussion, `max(0, −min_k Λ_n,k)` (N·s).
    pub adhesion: f64,
    /// `max_k max(0, ‖Λ_t,k‖ − μ_k Λ_n,k)` (N·s); contacts without tangents do not count.
    pub cone_violation: f64,
    /// `max_k |Λ_n,k max(0, J_n,k v⁺)|` (J): zero for laws by which a contact that pushes does not
    /// separate, that is inelastic ones.
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

/// One figure of a [`Certificate`], for tables.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// Name of the field.
    pub name: &'static str,
    /// Its value.
    pub value: f64,
    /// Its unit; `-` when it has none.
    pub unit: &'static str,
}

/// Why an outcome cannot be judged: it does not belong to the problem.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field} of the outcome has length {found}, expected {expected}")]
pub struct CertificateError {
    /// What has this length.
    pub field: String,
    /// Length that the problem asks for.
    pub expected: usize,
    /// Length found.
    pub found: usize,
}

impl Certificate {
    /// Judges `outcome` as an answer to `problem`.
    ///
    /// Entries that are NaN make the figures they enter NaN, and no comparison with a tolerance
    /// accepts those.
    ///
    /// # Errors
    ///
    /// [`CertificateError`] when a vector of the outcome has not the length the problem asks for.
    pub fn check(problem: &Problem, outcome: &Outcome) -> Result<Self, CertificateError> {
        check_lengths(problem, outcome)?;
        let (before, after) = (problem.velocity(), &outcome.velocity);
        let momentum_before = problem.momentum(before);
        let change = problem.momentum(&(after - before));
        let unexplained = &change
            - problem.contact_jacobian().tr_mul(&stack(outcome))
            - problem.bilateral_jacobian().tr_mul(&outcome.bilateral_impulses);
        let contact_velocity = problem.contact_velocity(after);
        let mut certificate = Self {
            momentum_residual: largest(&unexplained) / (1.0 + largest(&momentum_before)),
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
                let tangential = impulse.tangent.iter().fold(0.0, |norm: f64, t| norm.hypot(*t));
                let excess = tangential - contact.friction * impulse.normal;
                raise(&mut certificate.cone_violation, excess);
            }
        }
        Ok(certificate)
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
