//! The judgement of an outcome: which figures of its certificate are those that the law claims.

use super::{
    Certificate, Claims, Complementarity, TOLERANCE, figure, sizes::Scales, stack, tangential,
};
use crate::{Outcome, Problem, outcome::Status};

/// An outcome, judged: its certificate, what is said of each figure, and the status that follows.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Judgement {
    /// The figures.
    pub certificate: Certificate,
    /// The figures with their verdicts, in the order of the fields.
    pub figures: Vec<Judged>,
    /// Whether a contact that pushed separates, beyond rounding.
    pub separates: bool,
    /// The status of the outcome: that of its trace, and for a law that came to its end
    /// [`Resolved`](Status::Resolved) if everything holds, [`EnergyGained`](Status::EnergyGained) if everything but the
    /// energy does and the law does not claim that, and [`Violated`](Status::Violated) otherwise.
    pub status: Status,
}

/// A figure with what is said of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    /// Name of the field of the certificate.
    pub name: &'static str,
    /// Its value.
    pub value: f64,
    /// Its unit; `-` when it has none.
    pub unit: &'static str,
    /// What is said of it.
    pub verdict: Verdict,
}

/// What is said of one figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// As the law claims, to rounding and its tolerance.
    Holds,
    /// Not as the law claims, or for the energy: it has grown.
    Violated,
    /// The law claims nothing of it.
    Information,
}

impl Judgement {
    /// Names of the figures that are violated.
    #[must_use]
    pub fn violations(&self) -> Vec<&'static str> {
        let violated = self.figures.iter().filter(|figure| figure.verdict == Verdict::Violated);
        violated.map(|figure| figure.name).collect()
    }
}

/// Whether each figure holds.
#[derive(Debug)]
struct Holding {
    momentum: bool,
    approach: bool,
    adhesion: bool,
    cone: bool,
    complementarity: bool,
    joints: bool,
    energy: bool,
    separates: bool,
}

pub(super) fn judge(
    problem: &Problem,
    outcome: &Outcome,
    claims: &Claims,
    (certificate, scales, unexplained): (Certificate, &Scales, &nalgebra::DVector<f64>),
) -> Judgement {
    let holding = hold(problem, outcome, claims, scales, unexplained);
    let words = |holds: bool| if holds { Verdict::Holds } else { Verdict::Violated };
    let claimed = |is_claimed: bool, holds: bool| {
        if is_claimed { words(holds) } else { Verdict::Information }
    };
    let claims_separation = claims.complementarity != Complementarity::Any;
    let verdicts = [
        claimed(claims.is_instantaneous, holding.momentum),
        claimed(claims.is_instantaneous, holding.approach),
        words(holding.adhesion),
        words(holding.cone),
        claimed(claims_separation, holding.complementarity),
        claimed(claims.is_instantaneous, holding.joints),
        Verdict::Information,
        Verdict::Information,
        words(holding.energy),
    ];
    let figures = certificate.figures().into_iter().zip(verdicts);
    let figures: Vec<_> = figures
        .map(|(figure, verdict)| {
            let figure::Figure { name, value, unit } = figure;
            Judged { name, value, unit, verdict }
        })
        .collect();
    let last = figures.len() - 1;
    let others = figures[..last].iter().all(|figure| figure.verdict != Verdict::Violated);
    let status = match outcome.trace.status {
        ended if !ended.came_to_its_end() => ended,
        _ if others && holding.energy => Status::Resolved,
        _ if others && !claims.dissipates && certificate.energy_change > 0.0 => {
            Status::EnergyGained
        }
        _ => Status::Violated,
    };
    Judgement { certificate, figures, separates: holding.separates, status }
}

/// Compares every figure, contact by contact, with what counts as zero there. Comparisons with NaN fail.
fn hold(
    problem: &Problem,
    outcome: &Outcome,
    claims: &Claims,
    scales: &Scales,
    unexplained: &nalgebra::DVector<f64>,
) -> Holding {
    let part = claims.tolerance;
    let all = |values: &nalgebra::DVector<f64>, sizes: &super::sizes::Sizes| {
        values.iter().enumerate().all(|(k, value)| value.abs() <= sizes.tolerance(k, part))
    };
    let joints = problem.bilateral_jacobian() * &outcome.velocity;
    let (gain, energy) = (scales.energy.0, &scales.energy.1);
    let mut holding = Holding {
        momentum: all(unexplained, &scales.momentum),
        approach: true,
        adhesion: true,
        cone: true,
        complementarity: true,
        joints: all(&joints, &scales.joint),
        energy: gain <= energy.tolerance(0, part),
        separates: false,
    };
    let after = problem.contact_velocity(&outcome.velocity);
    let free = problem.borrow_free_contact_velocity();
    let delassus = problem.delassus().diagonal();
    let unconstrained = problem.free_row_sizes();
    let locked = problem.joint_rounding();
    for (k, (contact, impulse)) in problem.contacts().iter().zip(&outcome.impulses).enumerate() {
        let row = problem.rows(k).start;
        let still = scales.contact.tolerance(row, part);
        let is_locked = problem.is_locked(row);
        let rounding = if is_locked { locked } else { 0.0 };
        let left =
            still + claims.approach + (claims.kinetic_approach + rounding) * scales.reach[row];
        // What a percussion may be so that it moves its own row by no more than counts as still, or than the law leaves.
        let light = |row: usize| {
            let own = if delassus[row] > 0.0 { delassus[row] } else { unconstrained[row].powi(2) };
            let still = scales.contact.tolerance(row, part);
            (still + claims.kinetic_approach * scales.reach[row]) / own
        };
        holding.approach &= after[row] >= -left;
        holding.adhesion &= impulse.normal >= -light(row);
        let pushes = impulse.normal > light(row);
        holding.separates |= pushes && !is_locked && after[row] > left;
        let asked = match claims.complementarity {
            Complementarity::Newton => contact.restitution * (-free[row]).max(0.0),
            _ => 0.0,
        };
        let beyond = after[row] - asked;
        holding.complementarity &=
            is_locked || (beyond >= -left && (beyond <= left || impulse.normal <= light(row)));
        if !impulse.tangent.is_empty() {
            let most = (row + 1..problem.rows(k).end).map(light).fold(0.0, f64::max);
            let own = if delassus[row] > 0.0 { delassus[row] } else { unconstrained[row].powi(2) };
            let normal = impulse.normal.abs().min(scales.contact.size[row] / own);
            let relative = contact.friction * normal * part.max(TOLERANCE);
            let excess = tangential(impulse) - contact.friction * impulse.normal;
            holding.cone &= excess <= most + relative;
        }
    }
    holding.adhesion &= stack(outcome).iter().all(|percussion| percussion.is_finite());
    holding
}
