//! What the figures of a certificate are measured by.
//!
//! A figure counts as zero up to a part of the *size* of the terms it is computed from. Sizes are bounded by the data
//! of the problem, so that a wrong answer cannot loosen its own judge. With `s = √(2 T⁻)`, `2 T⁻ = v⁻ᵀ M v⁻`:
//!
//! - The velocity after the impact counts with at most the energy before it: `c |v⁺|`, `c = min(1, s/‖v⁺‖_M)`.
//! - By Cauchy and Schwarz a row `J_k` measures at most `√(J_k M⁻¹ J_kᵀ) s` of a motion with that energy. What percussions
//!   do to it, `|J_k| |M⁻¹ Jᵀ| |Λ|`, counts with at most four times that (`v⁻` turned round, and as much for a contact beside it).
//! - In the same way `√M_ii s` bounds a momentum.
//!
//! The bounds are needed only where answers are wrong or percussions almost cancel. Below them sizes are those of the terms at
//! the row itself: a grain is not measured by the truck beside it.
//!
//! The part of the size is `2 √eps = 3e-8`: the rank rule of [`span`](crate::span) lets a redundant joint lack `√eps`,
//! and the tolerances of the laws are smaller (at most 1e-9). To it comes the rounding of the percussions,
//! `N eps` of their terms for `N = n_v + r + m_b`; percussions at rows that the rank rule calls independent are
//! at most `1/√eps` of what they do, so this is never more than `N √eps` of the size.
//!
//! **Ceilings.** Sizes of terms can be far above what an answer may be wrong by, where terms cancel. So a figure of an impact
//! that takes no time is also measured by the problem alone. With the row sizes `‖a‖ = √(a M⁻¹ aᵀ)`, the fastest strike
//! `U = max |u_f|/‖a‖ ≤ s` over the rows of the contacts, the tolerance `τ` of the law (at least `1e-9`) and the
//! [rounding](crate::Problem) `ε = 64 N κ/σ eps` of velocities that come from the factored mass matrix with joints, at most
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

/// Smallest tolerance of a law that ceilings count with: that of the complementarity problems, by default.
const FLOOR: f64 = 1e-9;

/// Sizes of the terms of one kind of figure.
#[derive(Clone, Debug)]
pub(super) struct Sizes {
    /// Bounded by the data.
    pub(super) size: DVector<f64>,
    /// Of the terms of percussions alone, not bounded.
    percussions: DVector<f64>,
    /// `N eps`.
    unit: f64,
    /// Ceiling of what counts as zero: the first times four times the tolerance of the law, and the second.
    ceiling: Option<(DVector<f64>, DVector<f64>)>,
}

impl Sizes {
    /// `terms` and those of `percussions`, of which the `bound` (length of both) counts.
    fn new(
        terms: DVector<f64>,
        percussions: DVector<f64>,
        bound: &DVector<f64>,
        unit: f64,
    ) -> Self {
        let counted = percussions.zip_map(bound, f64::min);
        Self { size: terms + counted, percussions, unit, ceiling: None }
    }

    /// With a ceiling.
    fn below(self, strike: DVector<f64>, rounding: DVector<f64>) -> Self {
        Self { ceiling: Some((strike, rounding)), ..self }
    }

    /// Without its ceiling.
    fn open(&mut self) {
        self.ceiling = None;
    }

    /// Value of figure `k` that counts as zero, where the law leaves the part `tolerance`.
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

    /// As [`tolerance`](Self::tolerance), where the law leaves the part `of_energy` of `reach` in addition. Both parts count
    /// as the tolerance of the ceiling, which has the strikes in place of the reach.
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
    /// Energy change over the square of the fastest velocity, and what counts as zero of it.
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
        let push = jacobian.tr_mul(&percussions) + bilateral.tr_mul(&joints);
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

    /// Without ceilings, for impacts that take time.
    pub(super) fn open(&mut self) {
        self.contact.open();
        self.joint.open();
        self.momentum.open();
        self.energy.1.open();
    }
}

/// Velocity of each row of the contacts that counts as still by the problem alone, `‖a‖ (4 τ U + ε s)` (length `r`, m/s).
pub(crate) fn still(problem: &Problem, tolerance: f64) -> DVector<f64> {
    let sizes = problem.free_row_sizes();
    let rounding = problem.rounding() * problem.root_of_energy(problem.velocity());
    let part = 4.0 * tolerance.max(FLOOR) * strike(problem, &sizes) + rounding;
    sizes * part
}

/// `U`, the fastest contact velocity without percussions, each as a part of the size of its row (`√(2 J)`).
fn strike(problem: &Problem, row_sizes: &DVector<f64>) -> f64 {
    let free = problem.borrow_free_contact_velocity().iter().zip(row_sizes);
    free.filter(|(_, size)| **size > 0.0)
        .map(|(velocity, size)| velocity.abs() / size)
        .fold(0.0, f64::max)
}

/// `½ (v⁺ − v⁻)ᵀ M (v⁺ + v⁻)` with velocities as parts of the fastest before, and its size, for which `work` is the size of what
/// percussions do (J).
fn energy(problem: &Problem, outcome: &Outcome, work: f64, unit: f64) -> (f64, Sizes) {
    let fastest = problem.velocity().amax();
    let one = |value: f64| DVector::from_element(1, value);
    if fastest == 0.0 {
        // At rest nothing may begin to move.
        let after = problem.kinetic_energy(&outcome.velocity);
        return (after, Sizes::new(one(0.0), one(0.0), &one(0.0), unit));
    }
    let (before, after) = (problem.velocity() / fastest, &outcome.velocity / fastest);
    let change = &after - &before;
    let gain = 0.5 * change.dot(&problem.momentum(&(&after + &before)));
    let terms = 0.5 * change.abs().dot(&problem.momentum_sizes(&(after.abs() + before.abs())));
    let bound = 2.0 * before.dot(&problem.momentum(&before));
    // Velocities are rounded, and energies with them: a change of a unit in the last place gains or loses nothing.
    let rounding = unit / TOLERANCE * before.abs().dot(&problem.momentum_sizes(&before.abs()));
    let mut sizes = Sizes::new(one(rounding), one(terms), &one(bound), unit);
    sizes.percussions = one(work / fastest / fastest);
    (gain, sizes)
}
