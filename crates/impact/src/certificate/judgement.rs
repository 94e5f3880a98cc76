//! The judgement of an outcome: whether the figures of its certificate agree with the claims of the law.

use super::{
    Certificate, Claims, Complementarity, Friction, TOLERANCE, figure, sizes::Scales, stack,
    tangential,
};
use crate::{
    Outcome, Problem,
    directions::direction,
    outcome::{Impulse, Status},
};

/// A judged outcome: its certificate, the verdict on each figure, and the resulting status.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Judgement {
    /// The figures.
    pub certificate: Certificate,
    /// The figures with their verdicts, in the order of the fields.
    pub figures: Vec<Judged>,
    /// Whether a contact that pushed separates, beyond rounding.
    pub separates: bool,
    /// The status of the outcome. If the law did not come to its end, it is the status of the trace.
    /// Otherwise it is [`Resolved`](Status::Resolved) if everything holds,
    /// [`EnergyGained`](Status::EnergyGained) if only the energy has grown and the law does not claim that it
    /// never grows, and [`Violated`](Status::Violated) in all other cases.
    pub status: Status,
}

/// A figure with its verdict.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Judged {
    /// Name of the field of the certificate.
    pub name: &'static str,
    /// Its value.
    pub value: f64,
    /// Its unit; `-` when it has none.
    pub unit: &'static str,
    /// The verdict.
    pub verdict: Verdict,
}

/// Verdict on one figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// Agrees with the claim of the law, up to rounding and its tolerance.
    Holds,
    /// Disagrees with the claim of the law, or, for the energy, has grown.
    Violated,
    /// The law makes no claim about it.
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

/// Tolerances at one contact: for the velocity along its tangents, and for the impulses along its normal and
/// its tangents.
pub(super) struct Slack {
    pub(super) velocity: f64,
    pub(super) normal: f64,
    pub(super) tangent: f64,
}

/// Whether friction opposes the slip as much as a polygon with `count` directions allows. The allowance is
/// the change of the power of friction that the tolerances of the velocity and the impulses permit.
pub(super) fn opposes(
    friction: f64,
    impulse: &Impulse,
    slip: &[f64],
    count: usize,
    slack: &Slack,
) -> bool {
    let speed = slip.iter().fold(0.0, |norm: f64, u| norm.hypot(*u));
    if speed <= slack.velocity {
        return true;
    }
    let bound = friction * impulse.normal.max(0.0);
    let most = match slip {
        [first, second] => (0..count)
            .map(|j| {
                let [x, y] = direction(j, count);
                -(x * first + y * second)
            })
            .fold(0.0, f64::max),
        _ => speed,
    };
    let power: f64 = impulse.tangent.iter().zip(slip).map(|(p, u)| p * u).sum();
    let percussion = slack.tangent.max(slack.normal) + friction * slack.normal;
    let allowed = 2.0 * (2.0 * bound * slack.velocity + speed * percussion);
    power + bound * most <= allowed + 16.0 * f64::EPSILON * bound * speed
}

/// Compares every figure, contact by contact, with its tolerance there. Comparisons with NaN fail.
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
        energy: match claims.energy_change {
            None => gain <= energy.tolerance(0, part),
            Some(change) => {
                (gain - change * scales.energy_before).abs() <= energy.tolerance(0, part)
            }
        },
        separates: false,
    };
    let after = problem.contact_velocity(&outcome.velocity);
    let free = problem.borrow_free_contact_velocity();
    let delassus = problem.delassus().diagonal();
    let unconstrained = problem.free_row_sizes();
    let locked = problem.joint_rounding();
    let factor = match outcome.trace.reduction {
        Some(reduction) if claims.dissipates => reduction.factor,
        _ => 1.0,
    };
    for (k, (contact, impulse)) in problem.contacts().iter().zip(&outcome.impulses).enumerate() {
        let row = problem.rows(k).start;
        let is_locked = problem.is_locked(row);
        let rounding = if is_locked { locked } else { 0.0 };
        let still = |row: usize| {
            scales.contact.left(row, part, claims.kinetic_approach + rounding, scales.reach[row])
        };
        let left = still(row) + claims.approach;
        // The impulse that moves its own row by no more than the tolerance for rest, or than the law leaves.
        let light = |row: usize| {
            let own = if delassus[row] > 0.0 { delassus[row] } else { unconstrained[row].powi(2) };
            // A row of zeros moves at no impulse.
            let left = scales.contact.left(row, part, claims.kinetic_approach, scales.reach[row]);
            if own > 0.0 { left / own } else { 0.0 }
        };
        holding.approach &= after[row] >= -left;
        holding.adhesion &= impulse.normal >= -light(row);
        let pushes = impulse.normal > light(row);
        holding.separates |= pushes && !is_locked && after[row] > left;
        let asked = match claims.complementarity {
            Complementarity::Newton => factor * contact.restitution * (-free[row]).max(0.0),
            _ => 0.0,
        };
        let beyond = after[row] - asked;
        holding.complementarity &=
            is_locked || (beyond >= -left && (beyond <= left || impulse.normal <= light(row)));
        if let (Friction::Polygon(count), true) = (claims.friction, contact.friction > 0.0) {
            let rows = row + 1..problem.rows(k).end;
            let slip = &after.as_slice()[rows.clone()];
            let (normal, tangent) = (light(row), rows.clone().map(light).fold(0.0, f64::max));
            let slack = Slack { velocity: rows.map(still).fold(0.0, f64::max), normal, tangent };
            holding.complementarity &= opposes(contact.friction, impulse, slip, count, &slack);
        }
        if !impulse.tangent.is_empty() {
            let most = (row + 1..problem.rows(k).end).map(light).fold(0.0, f64::max);
            let own = if delassus[row] > 0.0 { delassus[row] } else { unconstrained[row].powi(2) };
            let normal = impulse.normal.abs().min(scales.contact.size[row] / own);
            let relative = contact.friction * normal * part.max(TOLERANCE);
            let excess = tangential(impulse) - contact.friction * impulse.normal;
            // The bound is as accurate as the normal impulse, and rounded.
            let known =
                contact.friction * (light(row) + 16.0 * f64::EPSILON * impulse.normal.abs());
            let relative = if claims.is_instantaneous { relative.min(known) } else { relative };
            holding.cone &= excess <= most + relative;
        }
    }
    holding.adhesion &= stack(outcome).iter().all(|percussion| percussion.is_finite());
    holding
}
