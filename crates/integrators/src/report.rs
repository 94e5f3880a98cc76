//! The report of a step, the same for every stepping scheme: [`StepReport`].

use nalgebra::{DMatrix, DVector, Vector3};
use percussion_complementarity::friction::Status;

use crate::energy::EnergyBalance;

/// Diagnostics of one step.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StepReport {
    /// Time at the end of the step (s).
    pub time: f64,
    /// How the last contact problem ended: solved, also when there was no contact, unless the settings of the
    /// scheme [accept](crate::Unsolved) other results.
    pub status: Status,
    /// Relative residual of the equations of the step: the natural map of its LCPs (the largest) or of its
    /// last contact problem; for [`Variational`](crate::variational::Variational) the largest residual of the momentum
    /// balance of its pieces.
    pub relative_residual: f64,
    /// The contacts of its last problem in ascending order, including those with zero impulse; for
    /// [`Variational`](crate::variational::Variational) those that stayed closed or took part in an impact.
    pub contacts: Vec<ContactReport>,
    /// The impacts, ordered by time, for schemes that locate them within the step.
    pub impacts: Vec<Impact>,
    /// Deepest penetration of any contact at the end of the step (m, ≥ 0).
    pub penetration: f64,
    /// Largest `|φ_i(q')|` of the constraints at the end of the step (m, rad).
    pub constraint_error: f64,
    /// Multiplier of each equation of the constraints, in order: the generalized impulse is `Gᵀ` times it.
    /// For redundant equations the smallest possible multipliers, each weighted by `√(G M⁻¹ Gᵀ)_ii`; equal
    /// equations share equally. Empty for [`Variational`](crate::variational::Variational).
    pub constraint_impulses: Vec<f64>,
    /// Generalized impulse `D β` of each bounded friction in joints, one per column (`n_v × n_d`; N·s, N·m·s). Empty in steps
    /// without any.
    pub joint_friction: DMatrix<f64>,
    /// The same along the axis of each joint with its bound, for [`ImpulseVelocity`](crate::impulse_velocity::ImpulseVelocity) and
    /// [`MoreauJean`](crate::moreau_jean::MoreauJean); otherwise empty.
    pub frictions: Vec<FrictionReport>,
    /// Residuals of the last problem of a step with friction in joints or cones that are not round, for the same schemes.
    pub residuals: Option<Residuals>,
    /// Energy at the start of the step (J).
    pub energy_before: f64,
    /// Energy at the end of the step (J).
    pub energy_after: f64,
    /// Energy that the projection of the end onto the constraints added (J), which is part of `energy_after`; 0 without
    /// the setting `projection` of [`ImpulseVelocity`](crate::impulse_velocity::ImpulseVelocity) and [`MoreauJean`](crate::moreau_jean::MoreauJean).
    pub projection_work: f64,
    /// Energy gained since the start, and the maximum gain that the scheme may cause.
    pub energy: EnergyBalance,
    /// Cost of the step.
    pub work: Work,
}

/// One contact that took part in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ContactReport {
    /// Its number in [`Contacts`](crate::Contacts).
    pub contact: usize,
    /// Gap at the end of the step (m).
    pub gap: f64,
    /// Impulse over the step in the contact frame: normal (≥ 0), tangent 1, tangent 2 (N·s; the last is 0 in the plane).
    pub impulse: Vector3<f64>,
    /// Moment over the step on body 1 about the normal and both tangents (N·m·s); zero unless a [cone](crate::Cone) has moments.
    pub moment: Vector3<f64>,
    /// Contact velocity at the end of the step, in the same order (m/s); for velocity-level schemes in the
    /// frame in which the problem was stated.
    pub velocity: Vector3<f64>,
    /// Part of the normal impulse that comes from [impacts](StepReport::impacts) located within the step
    /// (N·s, ≥ 0).
    pub percussion: f64,
    /// Violation of the contact laws.
    pub residual: Residual,
}

impl ContactReport {
    /// A contact without impulse and residual.
    #[must_use]
    pub const fn new(
        contact: usize,
        gap: f64,
        impulse: Vector3<f64>,
        velocity: Vector3<f64>,
    ) -> Self {
        let (moment, residual) = (Vector3::new(0.0, 0.0, 0.0), Residual::None);
        Self { contact, gap, impulse, moment, velocity, percussion: 0.0, residual }
    }

    /// Maximum effect of the residual on the energy (J, ≥ 0): for a velocity residual, twice the impulse
    /// times it, for the normal and the tangential part. A moment is at most its half axis times the normal impulse, and
    /// angular velocities count by the same half axis, so that each adds the normal impulse.
    #[must_use]
    pub fn undecided_work(&self) -> f64 {
        match self.residual {
            Residual::None => 0.0,
            Residual::Work { complementarity, .. } => complementarity,
            Residual::Velocity(residual) => {
                let turns = self.moment.iter().filter(|moment| **moment != 0.0).count();
                2.0 * (self.impulse.norm() + turns as f64 * self.impulse.x) * residual
            }
        }
    }
}

/// The friction of one joint in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct FrictionReport {
    /// Its number in [`Model::joint_friction`](crate::Model::joint_friction).
    pub joint: usize,
    /// Impulse along the [axis](crate::BoundedFriction::axis) (N·s, N·m·s); its size is at most `bound`, exactly.
    pub impulse: f64,
    /// Bound of the impulse: that of the force or torque times the step (N·s, N·m·s, ≥ 0).
    pub bound: f64,
    /// Velocity along the axis at the end of the step (m/s, rad/s).
    pub velocity: f64,
    /// Violation of the law: the natural map `|p − Π(p − ρ u)|/ρ` with the projection on the bounds and `ρ` the inverse
    /// of the joint's own response (m/s, rad/s).
    pub residual: f64,
}

impl FrictionReport {
    /// Maximum effect of the residual on the energy (J, ≥ 0).
    #[must_use]
    pub fn undecided_work(&self) -> f64 {
        2.0 * self.impulse.abs() * self.residual
    }
}

/// The residuals of a problem with [blocks](percussion_complementarity::friction::mixed), the largest over its rows by
/// kind of row and by part of the laws (m/s, each ≥ 0); angular velocities are multiplied by a length of the model.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Residuals {
    /// Equations of motion: `v' − v_f − M⁻¹ (Gᵀ p_b + Jᵀ p + d p_d)`.
    pub motion: f64,
    /// Rows of the bilateral constraints.
    pub constraints: f64,
    /// Limits of joints, and contacts without friction.
    pub limits: f64,
    /// Friction in joints.
    pub joint_friction: f64,
    /// Contacts with friction.
    pub contacts: f64,
    /// Primal: velocities that constraints do not allow, and approach at limits and contacts.
    pub primal: f64,
    /// Dual: impulses that pull, and impulses outside their bounds and cones.
    pub dual: f64,
    /// Complementarity: the smaller of normal impulse, as a velocity, and separation.
    pub complementarity: f64,
    /// Natural map of the friction laws.
    pub natural_map: f64,
}

/// Violation of the contact laws of a [`ContactReport`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Residual {
    /// The scheme does not measure it.
    None,
    /// The residual of [`StewartTrinkle`](crate::stewart_trinkle::StewartTrinkle). It is computed from the end state alone,
    /// with the rows of the contact Jacobian there, and can be checked independently.
    Work {
        /// The larger of `c_n |g(q')| / h` and the power by which friction dissipates less than it could
        /// within the polygon, over the step (J, ≥ 0).
        complementarity: f64,
        /// Distance of the impulse from the friction cone, `max(0, ‖p_T‖ − μ p_N)` (N·s).
        cone_violation: f64,
    },
    /// The residual of [`ImpulseVelocity`](crate::impulse_velocity::ImpulseVelocity) and [`MoreauJean`](crate::moreau_jean::MoreauJean): the
    /// contact's natural map (m/s).
    Velocity(f64),
}

/// Cost of a step, depending on its scheme.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Work {
    /// The scheme does not count it.
    #[default]
    None,
    /// A step with polygons as friction limits: [`StewartTrinkle`](crate::stewart_trinkle::StewartTrinkle).
    Polygons(Polygons),
    /// A step with round friction cones: [`ImpulseVelocity`](crate::impulse_velocity::ImpulseVelocity),
    /// [`MoreauJean`](crate::moreau_jean::MoreauJean).
    RoundCones(RoundCones),
    /// A step in pieces from impact to impact: [`Variational`](crate::variational::Variational).
    Pieces(Pieces),
}

/// Cost of a step with polygons as friction limits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Polygons {
    /// Number of sets of active contacts tried.
    pub active_set_passes: usize,
    /// Number of outer iterations over all sets; larger than `lcp_solves` when there was no contact.
    pub outer_iterations: usize,
    /// Number of LCPs solved.
    pub lcp_solves: usize,
    /// Size of the last LCP, 0 when there was none.
    pub lcp_size: usize,
    /// Number of pivots over all LCPs.
    pub pivots: usize,
    /// Change of the last outer iteration, `‖h (v' − v̂)‖∞` (m, rad).
    pub change: f64,
}

/// Cost of a step with round friction cones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RoundCones {
    /// Number of problems stated: sets of contacts tried, or iterations for the smooth forces.
    pub passes: usize,
    /// Number of sweeps of all solves, or of iterations of a solver without sweeps.
    pub sweeps: usize,
    /// Whether the first problem is that of the step before with other velocities, as where a mechanism rests.
    pub is_kept: bool,
}

/// Cost of a step in pieces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pieces {
    /// Number of pieces of the path: one more than the number of moments of impact.
    pub pieces: usize,
    /// Number of iterations of Newton's method over all pieces, including those of the search for impacts.
    pub newton_iterations: usize,
}

/// One impact within a step.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Impact {
    /// Time (s).
    pub time: f64,
    /// The contacts that touched, ascending, including those at rest.
    pub contacts: Vec<usize>,
    /// Their impulses (N·s), in the same order.
    pub impulses: Vec<f64>,
    /// Coordinates at the impact, `q_*` (length `n_q`).
    pub coordinates: Vec<f64>,
    /// `M⁻¹ p⁻` of the discrete momentum before (length `n_v`; m/s, rad/s).
    pub velocity_before: DVector<f64>,
    /// `M⁻¹ p⁺` of the discrete momentum after.
    pub velocity_after: DVector<f64>,
    /// Whether the Zeno rule made it plastic.
    pub is_plastic: bool,
    /// Whether the law came to its end.
    pub status: percussion_impact::Status,
    /// Change of the kinetic energy by the law (J).
    pub energy_change: f64,
    /// Excess of the [modified energy](crate::Simulation::modified_energy) of the law's outcome (J) over the
    /// ledger of energy; 0 where there is no ledger.
    pub energy_error: f64,
    /// The factor `σ` by which the normal velocities of the law's outcome were multiplied to correct this: 1
    /// where there was no correction. `impulses` and `velocity_after` include it, `energy_change` does not.
    pub correction: f64,
}

impl StepReport {
    /// Whether the Zeno rule of [`Variational`](crate::variational::Variational) was used.
    #[must_use]
    pub fn is_zeno(&self) -> bool {
        self.impacts.iter().any(|impact| impact.is_plastic)
    }

    pub(crate) fn new(time: f64, energy_before: f64) -> Self {
        Self {
            time,
            status: Status::Solved,
            relative_residual: 0.0,
            contacts: Vec::new(),
            impacts: Vec::new(),
            penetration: 0.0,
            constraint_error: 0.0,
            constraint_impulses: Vec::new(),
            joint_friction: DMatrix::zeros(0, 0),
            frictions: Vec::new(),
            residuals: None,
            energy_before,
            energy_after: energy_before,
            projection_work: 0.0,
            energy: EnergyBalance::default(),
            work: Work::None,
        }
    }

    /// Maximum effect of the residuals of the contacts and of the friction in joints on the energy (J). A problem that was not solved gets
    /// no such allowance.
    pub(crate) fn undecided_work(&self) -> f64 {
        if self.status != Status::Solved {
            return 0.0;
        }
        let of_contacts: f64 = self.contacts.iter().map(ContactReport::undecided_work).sum();
        of_contacts + self.frictions.iter().map(FrictionReport::undecided_work).sum::<f64>()
    }

    /// Contacts with their normal impulses (N·s).
    pub(crate) fn normal_impulses(&self) -> impl Iterator<Item = (usize, f64)> {
        self.contacts.iter().map(|contact| (contact.contact, contact.impulse.x))
    }
}
