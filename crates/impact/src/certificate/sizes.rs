//! The sizes that the figures of a certificate are compared with.
//!
//! A figure counts as zero up to a fraction of the *size* of the terms it is computed from. Sizes are bounded
//! by the data of the problem, so that a wrong answer cannot loosen its own tolerance. With `s = √(2 T⁻)`,
//! `2 T⁻ = v⁻ᵀ M v⁻`:
//!
//! - The contribution of the velocity after the impact is limited to the energy before it: `c |v⁺|`,
//!   `c = min(1, s/‖v⁺‖_M)`.
//! - By the Cauchy–Schwarz inequality, a row `J_k` of a motion with that energy is at most
//!   `√(J_k M⁻¹ J_kᵀ) s`. The effect of impulses on it, `|J_k| |M⁻¹ Jᵀ| |Λ|`, counts with at most four times
//!   that value (`v⁻` reversed, and as much again for a neighboring contact).
//! - In the same way `√M_ii s` bounds a momentum.
//!
//! The bounds matter only where answers are wrong or impulses almost cancel. Otherwise the sizes are those of
//! the terms at the row itself: the motion of a grain is not compared with that of a truck next to it.
//!
//! The fraction of the size is `2 √eps = 3e-8`: the rank rule of [`span`](crate::span) allows a redundant
//! joint to miss `√eps`, and the tolerances of the laws are smaller (at most 1e-9). The rounding of the
//! impulses is added to it, `N eps` of their terms for `N = n_v + r + m_b`. Impulses at rows that the rank
//! rule calls independent are at most `1/√eps` times their effect, so this is never more than `N √eps` of the
//! size.
//!
//! **Ceilings.** Where terms cancel, their sizes can be far larger than an acceptable error of the answer. A
//! figure of an impact that takes no time is therefore also bounded by the problem alone. With the row sizes
//! `‖a‖ = √(a M⁻¹ aᵀ)`, the fastest strike `U = max |u_f|/‖a‖ ≤ s` over the rows of the contacts, the
//! tolerance `τ` of the law (at least `1e-9`) and the [rounding](crate::Problem) `ε = 64 N κ/σ eps` of
//! velocities that come from the factored mass matrix with joints, its tolerance is at most
//!
//! | figure | counts as zero |
//! | --- | --- |
//! | velocity at a contact | `‖a‖ (4 τ U + ε s)` |
//! | velocity at a joint | `‖g‖ ε s` |
//! | momentum | `ε/√κ √M_ii` times the terms `Σ √M_jj (\|v⁻\| + \|v⁺\|) + Σ ‖a‖ \|Λ\|` |
//! | energy | `8 τ (r + 1) U² + 4 ε s²` |
//!
//! All of this is in units of the terms themselves, so that units of mass, length and time have no effect.

use nalgebra::{DMatrix, DVector};
use percussion_complementarity::elimination::RANK;

use super::stack;
use crate::{Outcome, Problem};

/// Part of a size up to which a figure counts as zero: `2 √eps`.
pub(crate) const TOLERANCE: f64 = 2.0 * RANK;

/// Smallest tolerance of a law that is used in ceilings: the default tolerance of the complementarity
/// problems.
const FLOOR: f64 = 1e-9;

/// Sizes of the terms of one kind of figure.
#[derive(Clone, Debug)]
pub(super) struct Sizes {
    /// Bounded by the data.
    pub(super) size: DVector<f64>,
    /// Sizes of the terms of impulses alone, not bounded.
    percussions: DVector<f64>,
    /// `N eps`.
    unit: f64,
    /// Ceiling of the tolerance: four times the tolerance of the law times the first vector, plus the second.
    ceiling: Option<(DVector<f64>, DVector<f64>)>,
}

impl Sizes {
    /// Sizes from `terms` and `percussions`, limited by `bound`; all have the same length.
    fn new(
        terms: DVector<f64>,
        percussions: DVector<f64>,
        bound: &DVector<f64>,
        unit: f64,
    ) -> Self {
        let counted = percussions.zip_map(bound, f64::min);
        Self { size: terms + counted, percussions, unit, ceiling: None }
    }

    /// Returns the sizes with a ceiling.
    fn below(self, strike: DVector<f64>, rounding: DVector<f64>) -> Self {
        Self { ceiling: Some((strike, rounding)), ..self }
    }

    /// Removes the ceiling.
    fn open(&mut self) {
        self.ceiling = None;
    }

    /// Returns the tolerance of figure `k`, where the law leaves the fraction `tolerance`.
    pub(super) fn tolerance(&self, k: usize, tolerance: f64) -> f64 {
        let size = self.size[k];
        let rounding = (self.unit * self.percussions[k]).min(self.unit / RANK * size);
        let terms = tolerance.max(TOLERANCE) * size + rounding;
        terms.min(self.ceiling_of(k, tolerance))
    }

    /// The ceiling of figure `k`, infinite without one.
    fn ceiling_of(&self, k: usize, tolerance: f64) -> f64 {
        self.ceiling.as_ref().map_or(f64::INFINITY, |(strike, rounding)| {
            4.0 * tolerance.max(FLOOR) * strike[k] + rounding[k]
        })
    }

    /// As [`tolerance`](Self::tolerance), where the law also leaves the fraction `of_energy` of `reach`. Both
    /// fractions enter the tolerance of the ceiling, which uses the strikes instead of the reach.
    pub(super) fn left(&self, k: usize, tolerance: f64, of_energy: f64, reach: f64) -> f64 {
        let terms = self.tolerance(k, tolerance) + of_energy * reach;
        terms.min(self.ceiling_of(k, tolerance.max(of_energy)))
    }
}

/// The sizes of all figures of an outcome.
#[derive(Clone, Debug)]
pub(super) struct Scales {
    /// Of contact velocities (length `r`, m/s).
    pub(super) contact: Sizes,
    /// Of velocities in the joints (length `m_b`, m/s or rad/s).
    pub(super) joint: Sizes,
    /// Of momenta (length `n_v`, N·s or N·m·s).
    pub(super) momentum: Sizes,
    /// `√(J_k M⁻¹ J_kᵀ) s`, the largest contact velocities before the impact that the energy allows (length `r`, m/s).
    pub(super) reach: DVector<f64>,
    /// Energy change over the square of the fastest velocity, and the sizes for its tolerance.
    pub(super) energy: (f64, Sizes),
    /// Energy before the impact over the same square.
    pub(super) energy_before: f64,
}

impl Scales {
    pub(super) fn of(problem: &Problem, outcome: &Outcome) -> Self {
        let (before, after) = (problem.velocity(), &outcome.velocity);
        let root = problem.root_of_energy(before);
        let grown = problem.root_of_energy(after) / root;
        let share = if grown > 1.0 { 1.0 / grown } else { 1.0 };
        let velocity = before.abs() + after.abs() * share;
        let percussions = stack(outcome).abs();
        let joints = outcome.bilateral_impulses.abs();
        let moved = problem.unconstrained_response().abs() * &percussions
            + problem.joint_response().abs() * &joints;

        let (jacobian, bilateral) =
            (problem.contact_jacobian().abs(), problem.bilateral_jacobian().abs());
        let unit = (before.len() + percussions.len() + joints.len()) as f64 * f64::EPSILON;
        let sizes = |rows: &DMatrix<f64>, bound: &DVector<f64>| {
            Sizes::new(rows * &velocity, rows * &moved, &(bound * 4.0), unit)
        };
        let reach = problem.free_row_sizes() * root;
        // Responses that cancel leave their rounding in velocities, also where no impulse acts.
        let push = jacobian.tr_mul(&percussions)
            + bilateral.tr_mul(&joints)
            + problem.momentum_sizes(&moved);
        let carried = problem.momentum_sizes(&velocity);
        let rounding = problem.rounding();
        let (row_sizes, joint_sizes) = (problem.free_row_sizes(), problem.joint_row_sizes());
        let strike = strike(problem, &row_sizes);
        let contact =
            sizes(&jacobian, &reach).below(&row_sizes * strike, &row_sizes * (rounding * root));
        let mut energy = energy(problem, outcome, contact.size.dot(&percussions), unit);
        let (fastest, mut energy_before) = (before.amax(), 0.0);
        if fastest > 0.0 {
            energy_before = problem.kinetic_energy(&(before / fastest));
            let one = |part: f64| DVector::from_element(1, (part / fastest).powi(2));
            let rows = percussions.len() as f64 + 1.0;
            energy.1 = energy.1.below(one(strike) * (2.0 * rows), one(root) * (4.0 * rounding));
        }
        let roots = problem.mass_roots();
        let terms = roots.dot(&(before.abs() + after.abs()))
            + row_sizes.dot(&percussions)
            + joint_sizes.dot(&joints);
        let carried_rounding = &roots * (rounding / problem.condition().sqrt() * terms);
        Self {
            joint: sizes(&bilateral, &(joint_sizes * root))
                .below(joints.map(|_| 0.0), joint_sizes * (rounding * root)),
            momentum: Sizes::new(carried, push, &(&roots * (4.0 * root)), unit)
                .below(before.map(|_| 0.0), carried_rounding),
            contact,
            reach,
            energy,
            energy_before,
        }
    }

    /// Removes all ceilings, for impacts that take time.
    pub(super) fn open(&mut self) {
        self.contact.open();
        self.joint.open();
        self.momentum.open();
        self.energy.1.open();
    }
}

/// Velocity of each contact row that counts as rest, from the problem alone, `‖a‖ (4 τ U + ε s)` (length `r`,
/// m/s).
pub(crate) fn still(problem: &Problem, tolerance: f64) -> DVector<f64> {
    let sizes = problem.free_row_sizes();
    let rounding = problem.velocity_rounding();
    let part = 4.0 * tolerance.max(FLOOR) * strike(problem, &sizes) + rounding;
    sizes * part
}

/// `U`, the largest contact velocity without impulses relative to the size of its row (`√(2 J)`).
fn strike(problem: &Problem, row_sizes: &DVector<f64>) -> f64 {
    let free = problem.borrow_free_contact_velocity().iter().zip(row_sizes);
    free.filter(|(_, size)| **size > 0.0)
        .map(|(velocity, size)| velocity.abs() / size)
        .fold(0.0, f64::max)
}

/// `½ (v⁺ − v⁻)ᵀ M (v⁺ + v⁻)` with velocities relative to the fastest one before, and its size; `work` is the
/// size of the work of the impulses (J).
fn energy(problem: &Problem, outcome: &Outcome, work: f64, unit: f64) -> (f64, Sizes) {
    let fastest = problem.velocity().amax();
    let one = |value: f64| DVector::from_element(1, value);
    if fastest == 0.0 {
        // A system at rest may not begin to move.
        let after = problem.kinetic_energy(&outcome.velocity);
        return (after, Sizes::new(one(0.0), one(0.0), &one(0.0), unit));
    }
    let (before, after) = (problem.velocity() / fastest, &outcome.velocity / fastest);
    let change = &after - &before;
    let gain = 0.5 * change.dot(&problem.momentum(&(&after + &before)));
    let terms = 0.5 * change.abs().dot(&problem.momentum_sizes(&(after.abs() + before.abs())));
    let bound = 2.0 * before.dot(&problem.momentum(&before));
    // Velocities are rounded, and therefore energies: a change in the last place is neither a gain nor a
    // loss.
    let rounding = unit / TOLERANCE * before.abs().dot(&problem.momentum_sizes(&before.abs()));
    let mut sizes = Sizes::new(one(rounding), one(terms), &one(bound), unit);
    sizes.percussions = one(work / fastest / fastest);
    (gain, sizes)
}
