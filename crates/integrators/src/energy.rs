//! The upper bound of the energy of a motion in steps: the account of every scheme except event-driven
//! motion, which has [its own](crate::event_driven::EnergyAccount).

#[cfg(feature = "adaptive")]
pub(crate) mod controlled;

use nalgebra::DMatrix;
use percussion_dynamics::System;

use crate::{
    contacts::Contacts,
    model::{Model, State},
};

/// The account at the end of a step.
///
/// At the end of each step the energy `E_k` is compared with that of the start plus the work `W_k` of the
/// forces without a potential since then, and of the projections onto the constraints, if there are any. Impacts
/// and friction can only reduce the energy, so that
/// ```math
/// E_k - E_0 - W_k \le A_k + \min(B_1 + B_k + C_k,\; \tfrac{1}{10} S_k)
/// ```
///
/// must hold, where the right side bounds the gain of the scheme itself. A larger gain is an error of the
/// step size, of an impact law or of the scheme, and not a motion of the model.
///
/// - **`B`, the discretization of smooth motion.** From `M (v' − v) = h k + R`, with the reactions `R`, and
///   `q' = q ⊕ h v'` follows the identity
///
///   ```math
///   E' - E = -\tfrac12 \|v' - v\|_M^2 + R \cdot v' + h\, v' \cdot (k + \nabla V)
///     + \bigl( V(q') - V(q) - h\, v' \cdot \nabla V \bigr) + \bigl( T(q', v') - T(q, v') \bigr) .
///   ```
///
///   The last two terms come from the curvature of the potential and the change of the mass matrix. They do
///   not accumulate in smooth motion: to first order of `h` the scheme conserves not `E` but the modified
///   energy `E − ½ h v · ∇V` and, for a mass matrix that varies, one that differs by as much as
///   `T(q ⊕ h v, v) − T(q, v)`. The error of the energy is therefore the difference of such terms between two
///   states. `B` takes twice this amount, to allow for terms of higher order, with the exchange of the step
///   itself: `B_k = |V(q_k) − V(q_{k-1})| + |T(q_k, v_k) − T(q_{k-1}, v_k)|`, and `B_1` of the first step.
///   For constant forces and free bodies the second term is zero. In the θ-method with θ = 1/2 the second
///   term is of second order, as its error is.
/// - **`S`, the available energy.** No kinetic energy can exceed `S = T_0 + W + V_0 − min V` along the
///   motion. The expansion in `h` that leads to `B` is valid for steps that resolve the motion: for an
///   oscillation of frequency `Ω` it is `½ h Ω` of the energy. More than a tenth of `S`, at `h Ω = 1/5` or 30
///   steps per period, does not count as discretization error.
/// - **`C`, impacts of schemes that conserve energy.** The modified energy jumps at an impact, and a scheme
///   without damping does not lose this gain: each step with impulses adds its `B_k` (θ-method with θ < 1,
///   variational).
/// - **`A`, terms that accumulate.** Rounding of the energies; the effect of the residuals of the contact
///   problems, `Σ p · r` with impulses `p` and residuals `r`; the trapezoidal rule for the work, `½ h |ΔP|`
///   per step; the energy that the smooth forces give a body at rest within one step, `½ h² k · M⁻¹ k`, once;
///   and the potential energy by which a scheme lifts bodies out of overlaps of the *start*, at most the work
///   of the impulses over them. Overlaps that arise during the motion get no allowance. For a surface of any
///   curvature, the depth `d = ½ h² a` by which a step misses it costs `½ ‖v' − v‖²_M = ½ h² m a²` at the
///   normal acceleration `a`, and removing the fraction `ε` of it returns `p ε d/h = ε ½ h² m a²`. There is
///   also no allowance for the speed at which bodies separate that overlapped at the start.
///
/// **Error control.** Schemes with steps as long as the tolerances allow have no `B`, `C` and `S`. In an
/// accepted step the error, in the mean square over its `n` unknowns, is at most that of the tolerances: an
/// unknown may have an error of up to `τ_i √n`. To first order the error of the energy is this error times
/// the derivatives of the energy, which are the momenta `M v` and the forces `k` and `Jᵀ f`, so that
///
/// ```math
/// A_k = 10 \sqrt n \sum_{\text{steps}} \Bigl( \sum_i |(M v)_i|\, \tau_{v,i} + \sum_i |k_i| + |(J^\mathsf{T} f)_i| )\, \tau_{q,i} \Bigr)
/// ```
///
/// plus the difference between the work by the trapezoidal rule and by Simpson's, and rounding. The factor of
/// ten, as in event-driven motion, allows for errors that unstable motion amplifies before they turn into
/// energy. The energy is that of the system plus the energy stored in compliant contacts.
///
/// The account does not detect gains that are smaller than previous losses, because it compares with the
/// start.
///
/// # Source
///
/// E. Hairer, C. Lubich, G. Wanner, *Geometric Numerical Integration*, 2nd ed., Springer 2006, section IX.3 (the modified
/// energy of the symplectic Euler method). The account is derived here.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct EnergyBalance {
    /// Work of the smooth forces without a potential since the start (J).
    pub work: f64,
    /// Work of moving coordinates onto the constraints since the start (J), see
    /// [`StepReport::projection_work`](crate::StepReport::projection_work).
    pub projected: f64,
    /// Energy above that of the start plus these works (J); usually negative.
    pub gained: f64,
    /// Upper bound of the gain that the scheme may cause, as described at [`EnergyBalance`] (J, ≥ 0).
    pub allowed: f64,
}

impl EnergyBalance {
    /// Whether the motion has more energy than it can have.
    #[must_use]
    pub fn is_breached(&self) -> bool {
        // A comparison with NaN does not hold.
        self.gained.is_nan() || self.allowed.is_nan() || self.gained > self.allowed
    }
}

/// Rounding errors of the sums of an energy, per velocity: products of three factors, summed.
const ROUNDINGS: f64 = 8.0;

/// The fraction of the available energy that counts as discretization error; see the [module head](self).
const RESOLVED: f64 = 0.1;

/// Data that an account keeps from step to step.
#[derive(Clone, Debug)]
pub(crate) struct EnergyAccount {
    kinetic_start: f64,
    potential_start: f64,
    potential_lowest: f64,
    /// Potential energy, and power of the forces without a potential that are not those of actuators, at the end of the last
    /// step.
    potential: f64,
    power: f64,
    work: f64,
    projected: f64,
    /// `A`.
    accumulated: f64,
    /// `B` of the first step, and `C`.
    first: Option<f64>,
    of_impacts: f64,
    /// Work over overlaps of the start in the current step (J).
    over_overlaps: f64,
    /// Remaining depth of the overlaps of the start (m); empty if there are none.
    overlaps: Vec<f64>,
}

/// One step, given by its ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step<'a> {
    /// A position near its start.
    pub(crate) place_before: &'a [f64],
    pub(crate) coordinates: &'a [f64],
    pub(crate) velocity: &'a [f64],
    /// At its end.
    pub(crate) energy: Energy,
}

/// The energy of a state (J).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Energy {
    pub(crate) kinetic: f64,
    pub(crate) potential: f64,
}

impl Energy {
    /// That of a state, near whose position is `place`.
    pub(crate) fn near(
        system: &dyn System,
        place: &[f64],
        (coordinates, velocity): (&[f64], &[f64]),
    ) -> Self {
        let [kinetic, potential] = system.energies_near(place, coordinates, velocity);
        Self { kinetic, potential }
    }

    pub(crate) fn total(self) -> f64 {
        self.kinetic + self.potential
    }
}

/// Data about a step that the account needs from the scheme, in addition to its ends.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Allowance {
    /// Fraction of an overlap that the step removes, over its length (1/s, ≥ 0); `None` where it removes no
    /// overlaps.
    pub overlap_rate: Option<f64>,
    /// Whether contacts carried impulses and the scheme does not damp their effect on its modified energy:
    /// `C`.
    pub keeps_energy: bool,
    /// Contribution of the scheme to `B` (J, ≥ 0).
    pub exchanged: f64,
    /// Work of the forces without a potential in the step, and its uncertainty (J), if the scheme computes
    /// them; otherwise it is that of the actuators, and by the trapezoidal rule that of the others.
    pub work: Option<(f64, f64)>,
    /// Work of moving the end onto the constraints (J).
    pub projected: f64,
}

impl EnergyAccount {
    /// The account of a motion in steps of `step` (s) that starts at `state`.
    pub(crate) fn new(model: &Model, contacts: &Contacts, state: &State, step: f64) -> Self {
        let State { time, coordinates, velocity } = state;
        let system = model.system();
        let gaps = (0..contacts.len()).map(|contact| contacts.gap(system, contact, coordinates));
        let potential = system.potential_energy(coordinates);
        let overlaps: Vec<_> = gaps.map(|gap| f64::max(0.0, -gap)).collect();
        let none = overlaps.iter().all(|depth| *depth == 0.0);
        Self {
            kinetic_start: system.kinetic_energy(coordinates, velocity),
            potential_start: potential,
            potential_lowest: potential,
            potential,
            power: model.power_of_others(coordinates, velocity, *time),
            work: 0.0,
            projected: 0.0,
            accumulated: energy_of_a_step(system, state, step),
            first: None,
            of_impacts: 0.0,
            over_overlaps: 0.0,
            overlaps: if none { Vec::new() } else { overlaps },
        }
    }

    /// Adds the allowance for the work of `impulses`, contacts with their normal impulses (N·s), over
    /// overlaps of the start. The step removes `rate` (1/s) times their depth.
    pub(crate) fn remove_overlaps(
        &mut self,
        (system, contacts): (&dyn System, &Contacts),
        coordinates: &[f64],
        rate: f64,
        impulses: impl Iterator<Item = (usize, f64)>,
    ) {
        if self.overlaps.is_empty() {
            return;
        }
        for (contact, impulse) in impulses {
            // A contact that was found later did not overlap at the start.
            let Some(left) = self.overlaps.get_mut(contact) else { continue };
            let depth = (-contacts.known_gap(system, contact, coordinates)).max(0.0);
            *left = left.min(depth);
            self.over_overlaps += impulse * rate * *left;
        }
    }

    /// Enters a step from the time `from` to `to` (s) with the work of the actuators (J), whose contact problems leave an
    /// uncertainty of the work of `residual` (J), and returns the balance. The work is that of the forces for which the step was
    /// solved; the powers at both ends of a step with an impact say little about it.
    pub(crate) fn enter(
        &mut self,
        model: &Model,
        step: Step<'_>,
        (from, to): (f64, f64),
        by_actuators: f64,
        allowance: &Allowance,
        residual: f64,
    ) -> EnergyBalance {
        let Step { place_before, coordinates, velocity, energy } = step;
        let system = model.system();
        let (work, undecided) = allowance.work.unwrap_or_else(|| {
            let power = model.power_of_others(coordinates, velocity, to);
            let half = 0.5 * (to - from);
            let before = std::mem::replace(&mut self.power, power);
            (by_actuators + half * (before + power), half * (power - before).abs())
        });
        let undecided = undecided + residual;
        let Energy { kinetic, potential } = energy;
        let of_mass = (kinetic - system.kinetic_energy(place_before, velocity)).abs();
        let exchanged = (potential - self.potential).abs() + of_mass + allowance.exchanged;
        let first = *self.first.get_or_insert(exchanged);
        if allowance.keeps_energy {
            self.of_impacts += exchanged;
        }
        let lifted = (potential - self.potential).max(0.0);
        self.accumulated += std::mem::take(&mut self.over_overlaps).min(lifted);
        let sizes = kinetic + potential.abs() + self.potential_start.abs();
        let rounding = ROUNDINGS * velocity.len() as f64 * f64::EPSILON * sizes;
        self.accumulated += undecided + rounding;
        self.work += work;
        self.potential = potential;
        self.potential_lowest = self.potential_lowest.min(potential);
        let fall = self.potential_start - self.potential_lowest;
        self.projected += allowance.projected;
        let available = self.kinetic_start + self.work.max(0.0) + fall;
        let raised = (kinetic - self.kinetic_start) + (potential - self.potential_start);
        EnergyBalance {
            work: self.work,
            projected: self.projected,
            gained: raised - self.work - self.projected,
            allowed: self.accumulated
                + (first + exchanged + self.of_impacts).min(RESOLVED * available),
        }
    }
}

/// `½ h² k · M⁻¹ k`: the kinetic energy that the smooth forces give the system at rest within a step (J).
fn energy_of_a_step(system: &dyn System, state: &State, step: f64) -> f64 {
    let rest = vec![0.0; state.velocity.len()];
    let mut forces = DMatrix::zeros(rest.len(), 1);
    system.smooth_forces(&state.coordinates, &rest, state.time, forces.as_mut_slice());
    let mut acceleration = forces.clone();
    system.apply_inverse_mass(&state.coordinates, &mut acceleration);
    0.5 * step * step * forces.dot(&acceleration)
}
