//! Contacts with round friction cones: `u = W p + u_f` and a law for every contact.
//!
//! A contact has the components normal and then its 0, 1 or 2 tangents. The velocity `u` is computed in
//! extended precision, and each condition of a law is checked separately:
//!
//! | figure | condition | unit |
//! | --- | --- | --- |
//! | approach | `u_n ≥ 0` | m/s |
//! | adhesion | `p_n ≥ 0` | N·s |
//! | cone | `‖p_t‖ ≤ μ p_n` | N·s |
//! | complementarity | `p_n = 0` or `u_n = 0`; an open contact has no impulse at all | m/s |
//! | slip bound | `‖p_t‖ = μ p_n` where `u_t ≠ 0` | m/s |
//! | slip direction | `−u_t` along `p_t` (Coulomb), along `p_t/‖p_t‖ + k` (maximum dissipation) | m/s |
//! | dissipation | no feasible impulse of one contact, with the others held fixed, leaves less energy (maximum dissipation) | J |
//! | struck while separating | a contact that separates because of the others has no impulse (maximum dissipation) | m/s |
//!
//! **Maximum dissipation, one contact.** With `b = W_ii p_i − u_i` the contact minimizes `½ x·A x − x·b` over the cone
//! among impulses with `a_n·x = b_n`. Then `x_n = (b_n − a·y)/A_nn` for `y = x_t`, the cone becomes the convex set
//! `‖y‖ + k·y ≤ c` with `k = μ a/A_nn` and `c = μ b_n/A_nn`, and the energy is a convex quadratic with the gradient
//! `u_t − (u_n/A_nn) a = u_t` where the contact stays closed. So `y` is the minimum if and only if
//! `u_t·(y' − y) ≥ 0` for every `y'` of the set: inside it `u_t = 0`, on its edge `−u_t` is a nonnegative multiple of
//! the gradient `y/‖y‖ + k` of the edge. Both are looked at, and beside them a dense scan of chords to the edge, each with the
//! most energy that it gains for certain.
//!
//! *Guaranteed gain.* Let `y*` with the slip `u*` satisfy the law, and let the given impulse and velocity be
//! within `δ/w` and `δ` of them. Then `u*·(y' − y*) ≥ 0`, and along a chord `c = y' − y` the slope is
//! `u·c ≥ −δ‖c‖ − ‖u*‖ δ/w`. Therefore only the part of a slope below `−δ‖c‖` counts, and the remaining gain
//! may be `(‖u‖ + δ) δ/w`. Without the first part, a chord of infinite length, which a set with `‖k‖ ≥ 1`
//! has, would gain without bound by a slope that is only rounding error.
//!
//! **Tolerance.** Solvers state a tolerance relative to a velocity of the problem, by default its largest
//! free velocity. An answer is correct if the impulse and the velocity of each contact are within `δ`, four
//! times that tolerance, of a pair that satisfies the law exactly: velocities within `δ`, impulses within
//! `δ/w_i` with `w_i` the mean of the contact's diagonal. The limits do not depend on the answer.
//!
//! # Source
//!
//! T. Preclik, S. Eibl, U. Rüde, "The maximum dissipation principle in rigid-body dynamics with purely inelastic impacts",
//! 2017, section 3; J. J. Moreau, "Unilateral contact and dry friction in finite freedom dynamics", CISM 302, Springer 1988
//! (Coulomb's law by normal cones).

pub mod blocks;
mod dissipation;
#[cfg(test)]
mod tests;

use crate::{
    Extended, Verdict,
    lcp::{rounding, slack},
};

/// Friction law of all contacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    /// Friction opposes the remaining slip.
    Coulomb,
    /// Each contact, with the others held fixed, leaves the least kinetic energy.
    MaximumDissipation,
}

/// A problem by plain slices.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// `W` by rows (`r × r`, kg⁻¹), contact by contact: normal, then tangents.
    pub delassus: &'a [f64],
    /// `u_f` (length `r`, m/s).
    pub free_velocity: &'a [f64],
    /// Number of tangents of each contact, 0 to 2.
    pub tangents: &'a [usize],
    /// Friction coefficient of each contact (≥ 0).
    pub friction: &'a [f64],
}

/// The data of one contact for the checks.
struct Contact<'a> {
    index: usize,
    /// Whether there is no other contact.
    alone: bool,
    friction: f64,
    /// Tolerance of the velocity (m/s) and of the impulse (N·s).
    velocity_slack: f64,
    impulse_slack: f64,
    /// `w_i`.
    inverse_mass: f64,
    /// `A` by rows.
    block: Vec<f64>,
    impulse: &'a [f64],
    velocity: Vec<Extended>,
}

impl Problem<'_> {
    /// Number of rows `r`.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.free_velocity.len()
    }

    /// The largest `‖u_f‖` of a contact (m/s), or 1 without any free velocity.
    #[must_use]
    pub fn velocity_scale(&self) -> f64 {
        let mut first = 0;
        let mut largest = 0.0_f64;
        for &tangents in self.tangents {
            let rows = &self.free_velocity[first..=first + tangents];
            largest = largest.max(norm(rows));
            first += 1 + tangents;
        }
        if largest > 0.0 { largest } else { 1.0 }
    }

    fn sizes_agree(&self, impulse: &[f64]) -> bool {
        let rows = self.rows();
        self.tangents.iter().map(|tangents| 1 + tangents).sum::<usize>() == rows
            && self.friction.len() == self.tangents.len()
            && self.tangents.iter().all(|&tangents| tangents <= 2)
            && self.delassus.len() == rows * rows
            && impulse.len() == rows
    }
}

/// `‖x‖₂` without under- or overflow.
pub(crate) fn norm(x: &[f64]) -> f64 {
    let largest = x.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
    if largest <= 0.0 || !largest.is_finite() {
        return largest;
    }
    largest * x.iter().map(|x| (x / largest) * (x / largest)).sum::<f64>().sqrt()
}

/// Judges `impulse` (length `r`, N·s) by `law`; `tolerance` is the one claimed by the solver, relative to the largest free
/// velocity of a contact.
///
/// # Example
///
/// A block of 2 kg that slides at 3 m/s is pressed to the floor with 4 N·s; a friction coefficient of 0.5 removes 2 N·s.
///
/// ```
/// use percussion_verify::friction::{Law, Problem, judge};
///
/// let delassus = [0.5, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.5];
/// let free_velocity = [-2.0, 3.0, 0.0];
/// let problem =
///     Problem { delassus: &delassus, free_velocity: &free_velocity, tangents: &[2], friction: &[0.5] };
/// assert!(judge(&problem, Law::Coulomb, &[4.0, -2.0, 0.0], 1e-8).holds());
/// assert!(judge(&problem, Law::Coulomb, &[4.0, 2.0, 0.0], 1e-8).refuses("slip direction"));
/// ```
#[must_use]
pub fn judge(problem: &Problem<'_>, law: Law, impulse: &[f64], tolerance: f64) -> Verdict {
    let mut verdict = Verdict::default();
    if !problem.sizes_agree(impulse) {
        verdict.look("size", 0, Extended::ONE, 0.0);
        return verdict;
    }
    let velocity = slack(problem.delassus, problem.free_velocity, impulse);
    judge_at(problem, law, impulse, &velocity, tolerance, &[])
}

/// The same if the velocity `u` (length `r`, m/s) is part of the answer; whether it belongs to the impulses
/// is judged by the momentum balance. The velocities of each contact may in addition be wrong by its entry of
/// `least` (m/s, from the data; zero if there is no entry).
///
/// `W p + u_f` gives this velocity only up to the rounding of `W` times the impulses, which can be
/// arbitrarily large if large impulses balance one another.
#[must_use]
pub fn judge_at(
    problem: &Problem<'_>,
    law: Law,
    impulse: &[f64],
    velocity: &[Extended],
    tolerance: f64,
    least: &[f64],
) -> Verdict {
    let mut verdict = Verdict::default();
    if !problem.sizes_agree(impulse) || velocity.len() != impulse.len() {
        verdict.look("size", 0, Extended::ONE, 0.0);
        return verdict;
    }
    let rows = problem.rows();
    let fraction = 4.0 * tolerance + 64.0 * rounding(rows);
    let relative = fraction * problem.velocity_scale();
    let mut first = 0;
    for (index, &tangents) in problem.tangents.iter().enumerate() {
        let velocity_slack = relative + least.get(index).copied().unwrap_or(0.0);
        let size = 1 + tangents;
        let range = first..first + size;
        let block: Vec<f64> = range
            .clone()
            .flat_map(|i| problem.delassus[i * rows..(i + 1) * rows][range.clone()].iter().copied())
            .collect();
        let trace: f64 = (0..size).map(|i| block[i * size + i] / size as f64).sum();
        let inverse_mass = if trace > 0.0 { trace } else { f64::MIN_POSITIVE };
        let contact = Contact {
            index,
            alone: problem.tangents.len() == 1,
            friction: if tangents == 0 { 0.0 } else { problem.friction[index] },
            velocity_slack,
            impulse_slack: velocity_slack / inverse_mass,
            inverse_mass,
            block,
            impulse: &impulse[range.clone()],
            velocity: velocity[range].to_vec(),
        };
        contact.look(law, &mut verdict);
        first += size;
    }
    verdict
}

impl Contact<'_> {
    fn look(&self, law: Law, verdict: &mut Verdict) {
        let finite = self.impulse.iter().all(|p| p.is_finite())
            && self.velocity.iter().all(|u| u.is_finite());
        let nothing = if finite { Extended::ZERO } else { Extended::ONE };
        verdict.look("finite", self.index, nothing, 0.0);
        if !finite {
            return;
        }
        let (push, normal_velocity) = (self.impulse[0], self.velocity[0]);
        let tangential = norm(&self.impulse[1..]);
        let reach = self.friction * push;
        verdict.look("approach", self.index, -normal_velocity, self.velocity_slack);
        verdict.look("adhesion", self.index, Extended::from(-push), self.impulse_slack);
        // The product μ p_n is rounded by solvers that keep impulses in the cone.
        let cone = Extended::from(tangential) - Extended::product(self.friction, push.max(0.0));
        let rounding = 8.0 * f64::EPSILON * tangential.max(reach);
        verdict.look("cone", self.index, cone, self.impulse_slack + rounding);
        let pressed = push * self.inverse_mass;
        let open = normal_velocity.value();
        let both = pressed.min(open);
        verdict.look("complementarity", self.index, Extended::from(both), self.velocity_slack);
        if open > self.velocity_slack {
            let left = tangential * self.inverse_mass;
            verdict.look("complementarity", self.index, Extended::from(left), self.velocity_slack);
            return;
        }
        if law == Law::MaximumDissipation && pressed > self.velocity_slack {
            let free = self.free_velocity()[0];
            verdict.look("struck while separating", self.index, free, self.velocity_slack);
        }
        if self.impulse.len() > 1 && self.friction > 0.0 {
            self.look_at_slip(law, verdict);
            if law == Law::MaximumDissipation {
                dissipation::look(self, verdict);
            }
        }
    }

    /// `−b = u_i − W_ii p_i`: the velocity with the impulse of this contact removed.
    fn free_velocity(&self) -> Vec<Extended> {
        let size = self.impulse.len();
        (0..size)
            .map(|i| {
                let row = &self.block[i * size..(i + 1) * size];
                let own = row.iter().zip(self.impulse).map(|(&w, &p)| Extended::product(w, p));
                self.velocity[i] - own.sum()
            })
            .collect()
    }

    /// `k`: zero by Coulomb's law.
    fn coupling(&self, law: Law) -> Vec<f64> {
        let size = self.impulse.len();
        (1..size)
            .map(|i| match law {
                Law::Coulomb => 0.0,
                // The mean of both triangles, because solvers use the symmetric part of a block.
                Law::MaximumDissipation => {
                    let entry = self.block[i] / 2.0 + self.block[i * size] / 2.0;
                    self.friction * entry / self.block[0]
                }
            })
            .collect()
    }

    fn look_at_slip(&self, law: Law, verdict: &mut Verdict) {
        let slip: Vec<f64> = self.velocity[1..].iter().map(|u| u.value()).collect();
        let speed = norm(&slip);
        if speed <= self.velocity_slack {
            return;
        }
        let tangential = norm(&self.impulse[1..]);
        // The distance of the impulse from the edge of the cone, expressed as a velocity.
        let inside = self.friction * self.impulse[0] - tangential;
        let distance = inside * self.inverse_mass / self.friction.hypot(1.0);
        // Impulses cannot be nearer to the edge than they are rounded, as in the cone.
        let rounding = 8.0 * f64::EPSILON * tangential.max(self.friction * self.impulse[0]);
        let limit =
            2.0 * self.velocity_slack + rounding * self.inverse_mass / self.friction.hypot(1.0);
        verdict.look("slip bound", self.index, Extended::from(distance), limit);
        if tangential <= self.impulse_slack {
            return; // A vector that is zero within its tolerance has no direction.
        }
        let edge: Vec<f64> = self.impulse[1..]
            .iter()
            .zip(self.coupling(law))
            .map(|(p, k)| p / tangential + k)
            .collect();
        let length = norm(&edge);
        let along: f64 = slip.iter().zip(&edge).map(|(u, d)| u * d / length).sum();
        let across: Vec<f64> =
            slip.iter().zip(&edge).map(|(u, d)| u - along * d / length).collect();
        let wrong = if along > 0.0 { speed } else { norm(&across) };
        // An impulse that is wrong by its slack turns the edge, and the slip with it.
        let turn = self.impulse_slack / (tangential * length).max(f64::MIN_POSITIVE);
        let limit =
            self.velocity_slack + speed * (turn + 16.0 * f64::EPSILON * (1.0 + 1.0 / length));
        verdict.look("slip direction", self.index, Extended::from(wrong), limit);
    }
}
