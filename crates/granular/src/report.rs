//! The report of a step: [`Report`].

use nalgebra::Vector3;

use crate::contact::Account;

/// How the sweeps of a step ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// The relative residual is at most the tolerance.
    #[default]
    Solved,
    /// The limit of sweeps was reached; the impulses are those of the last one.
    SweepLimit,
}

/// Report of a [step](crate::World::step).
///
/// The energy of the grains, kinetic and in gravity, changes in a step with velocities `v` before and `v'` after by
///
/// ```math
/// \Delta E = -\tfrac12 \|v' - v\|_M^2 + \sum p\cdot u + P + L,
/// ```
///
/// where `Σ p·u` is [`contact_work`](Self::contact_work), `P` is [`wall_work`](Self::wall_work) and `L` is
/// [`lifting`](Self::lifting). Friction and contacts that close during the step make `Σ p·u` negative. With
/// [`Correction::Velocity`](crate::Correction::Velocity) the removal of overlaps is part of `Σ p·u`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// How the sweeps ended.
    pub status: Status,
    /// Number of sweeps over the contacts.
    pub sweeps: usize,
    /// Number of contacts that were swept: those that could close within the step.
    pub candidates: usize,
    /// Number of contacts that carry an impulse.
    pub contacts: usize,
    /// The largest natural map of a contact (m/s): the distance of its impulse from solving the contact with
    /// all others fixed, as a velocity. The normalization is that of
    /// `percussion_complementarity::friction::Problem::natural_map_residual` with the law of maximum
    /// dissipation, which for spheres has the same solutions as Coulomb's.
    pub residual: f64,
    /// The residual divided by the largest velocity of a contact without impulses, or by 1 m/s if there is none.
    pub relative_residual: f64,
    /// The deepest overlap at the beginning of the step (m, ≥ 0).
    pub overlap: f64,
    /// Work of the contact impulses against the velocities at the end, and of moments against the angular velocities (J).
    pub contact_work: f64,
    /// Energy added by the removal of overlaps (J): in gravity by moving grains, or, as an upper bound, in
    /// the kinetic energy, and then with that of contacts that bounce.
    pub lifting: f64,
    /// Sum of the impulses of walls on grains (N·s).
    pub wall_impulse: Vector3<f64>,
    /// Work that moving walls did on grains (J).
    pub wall_work: f64,
    /// Whether the search for pairs was repeated.
    pub searched: bool,
}

impl Report {
    /// The report from the sums of all slabs, after a number of sweeps with a residual, and the velocity that
    /// this is relative to. The quantities that are not in the sums remain 0: candidates, overlap, search.
    pub(crate) fn of<'a>(
        accounts: impl Iterator<Item = &'a Account>,
        (sweeps, residual, scale): (usize, f64, f64),
        tolerance: f64,
    ) -> Self {
        let mut sum = Account::default();
        for account in accounts {
            sum.closed += account.closed;
            sum.work += account.work;
            sum.lifting += account.lifting;
            sum.wall_impulse += account.wall_impulse;
            sum.wall_work += account.wall_work;
        }
        let solved = residual <= tolerance * scale && residual.is_finite();
        Self {
            status: if solved { Status::Solved } else { Status::SweepLimit },
            sweeps,
            candidates: 0,
            contacts: sum.closed,
            residual,
            relative_residual: residual / scale,
            overlap: 0.0,
            contact_work: sum.work,
            lifting: sum.lifting,
            wall_impulse: sum.wall_impulse,
            wall_work: sum.wall_work,
            searched: false,
        }
    }
}
