//! Impacts: `M (v⁺ − v⁻) = Jᵀ Λ + Gᵀ Λ_b`, judged by the conditions common to all laws and by the definition of each law.
//!
//! | function | judges |
//! | --- | --- |
//! | [`Impact::common`] | momentum, joints, no pull, cones, no approach, energy, for every law |
//! | [`Impact::newton`] | Newton's restitution for all contacts at once, with polygons of friction |
//! | [`Impact::poisson`] | compression and expansion after Glocker and Pfeiffer |
//! | [`Impact::round_cones`] | round cones, by Coulomb's law or maximum dissipation |
//! | [`Impact::sequence`] | one contact after another, each by its own law |
//! | [`Impact::propagative`] | reflections, and the loss of energy that a restitution prescribes |
//! | [`Impact::path`] | steps of the set-valued law |
//! | [`Impact::routh`] | one contact in the plane, followed through the impact |
//! | [`Impact::infeasible`] | a proof that no impulses prevent the contacts from approaching |
//!
//! **Tolerance.** With `E = ‖v⁻‖`, `E² = v⁻ᵀ M v⁻`, and the size `‖a‖ = √(a M⁻¹ aᵀ)` of a row, no row moves
//! faster than `‖a‖ E` without a gain of energy. Contacts are struck at `U = max |u_f|/‖a‖ ≤ E` over their
//! rows. The velocity of a contact may be wrong by `‖a‖ (4 τ U + ε E)`. Here `τ` is the tolerance that the
//! caller states, and `ε = 64 (n + r) κ/σ ulp` is the rounding error of velocities computed with the factored
//! mass matrix, where `κ` is its condition after scaling to a unit diagonal and `σ` the smallest fraction of
//! a joint row that is independent of the others.
//!
//! A row of a contact that depends on the joints and on the other rows of the contact, except for the part `a'`, may need
//! large impulses `Λ` whose effects cancel. Without a gain of energy `‖M⁻¹ Σ bᵀ Λ_b‖ = ‖v⁺ − v⁻‖ ≤ 2 E`, and the left
//! side is at least `|Λ| ‖a'‖`. So `‖a‖ |Λ| ≤ 2 E ‖a‖/‖a'‖`. The velocity of any row `b` contains this impulse times
//! `b M⁻¹ aᵀ ≤ ‖b‖ ‖a‖`, which is rounded to `ulp/2` of it at best: by `‖b‖ E ‖a‖/‖a'‖ ulp`, added to `ε` with a factor
//! of 16 for the sums over at most four rows of a contact and the two matrix products of each entry. An impulse may be wrong by this value divided by `‖a'‖²`,
//! where `a'` is the part of the row that the joints leave free. A law that ends before contacts are at rest
//! may [leave](Impact::leaving) a speed that it states. All of these are data, independent of the answer.
//! Only the momentum balance, which compares sums of the answer's own numbers, allows for the rounding of
//! these sums.
//!
//! # Source
//!
//! The laws as the papers of their modules state them; Ch. Glocker, *Set-Valued Force Laws*, Springer 2001 (the shared
//! conditions).

mod sequence;
mod simultaneous;
mod single;
#[cfg(test)]
mod tests;

pub use sequence::{Stage, Step};
pub use single::Restitution;

use crate::{
    Extended, Verdict,
    friction::norm,
    kinetic::{Kinetic, dot, extended},
};

/// One contact by plain rows.
#[derive(Clone, Debug)]
pub struct Contact {
    /// Normal velocity per generalized velocity (length `n`).
    pub normal: Vec<f64>,
    /// Tangential velocities (0 to 2 rows of length `n`).
    pub tangents: Vec<Vec<f64>>,
    /// Coulomb's coefficient (≥ 0).
    pub friction: f64,
    /// Coefficient of restitution, in `[0, 1]`.
    pub restitution: f64,
}

/// The outcome of a law.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// `v⁺` (length `n`).
    pub velocity: Vec<f64>,
    /// Percussion of each contact: normal, then tangents (N·s).
    pub impulses: Vec<Vec<f64>>,
    /// Percussions of the joints (N·s).
    pub joint_impulses: Vec<f64>,
}

/// A law of friction of several contacts at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Friction {
    /// Inscribed polygons with this number of directions, the first along the first tangent.
    Polygon(usize),
    /// Discs.
    Disc,
}

/// The permitted change of the energy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Energy {
    /// The energy does not grow.
    Falls,
    /// The law may gain energy, and its status reports it.
    MayGrow,
}

/// A problem with the derived data for the judges.
#[derive(Clone, Debug)]
pub struct Impact {
    mass: Vec<f64>,
    velocity: Vec<f64>,
    contacts: Vec<Contact>,
    joints: Vec<Vec<f64>>,
    bodies: Kinetic,
    /// `v⁻`, or the part of it that the joints permit.
    free: Vec<Extended>,
    /// `E`.
    speed: f64,
    /// `U`.
    strike: f64,
    /// Rounding `ε`.
    rounding: f64,
    /// Rounding of impulses that joints take up again, as `ε`.
    strain: f64,
    /// Approach that the law leaves (m/s).
    left: f64,
    /// Error of impulses that were computed from velocities, normal and tangential (N·s); zero for the
    /// impulses of an answer.
    recovered: [f64; 2],
}

/// The tolerances of a contact.
#[derive(Clone, Copy, Debug)]
struct Slack {
    /// `‖a'‖`, of the part of the row that the joints leave free.
    size: f64,
    /// Normal velocity (m/s).
    velocity: f64,
    /// Normal impulse (N·s).
    impulse: f64,
}

impl Impact {
    /// A problem: `mass` is `n × n` by rows, `velocity` is `v⁻`, `joints` are rows of length `n`.
    ///
    /// `None` if sizes do not agree, a number or the energy is not finite or the mass matrix is not positive definite.
    #[must_use]
    pub fn new(
        mass: Vec<f64>,
        velocity: Vec<f64>,
        contacts: Vec<Contact>,
        joints: Vec<Vec<f64>>,
    ) -> Option<Self> {
        let n = velocity.len();
        let rows =
            || contacts.iter().flat_map(|contact| contact.tangents.iter().chain([&contact.normal]));
        let finite = |row: &[f64]| row.iter().all(|x| x.is_finite());
        let all_finite = finite(&mass) && finite(&velocity) && joints.iter().all(|row| finite(row));
        if !all_finite || rows().any(|row| row.len() != n || !finite(row)) {
            return None;
        }
        let bodies = Kinetic::new(&mass, n, &joints)?;
        let free = bodies.held(&extended(&velocity));
        // In the unit of the fastest coordinate, because the energy of very small numbers underflows before its root.
        let unit = velocity.iter().fold(f64::MIN_POSITIVE, |unit, v| unit.max(v.abs()));
        let part: Vec<f64> = velocity.iter().map(|v| v / unit).collect();
        let half = energy(&mass, &extended(&part));
        let speed = (half + half).sqrt().value() * unit;
        if !(speed * speed).is_finite() {
            return None;
        }
        let strike = rows()
            .map(|row| (dot(&extended(row), &free).abs().value(), bodies.size(row)))
            .filter(|(_, size)| *size > 0.0)
            .map(|(velocity, size)| velocity / size)
            .fold(0.0_f64, f64::max);
        let count = n + rows().count() + joints.len();
        let rounding =
            64.0 * count as f64 * bodies.condition() / bodies.independence() * f64::EPSILON;
        let strain = 16.0 * f64::EPSILON * strained(&contacts, &bodies, rounding);
        let (left, recovered) = (0.0, [0.0; 2]);
        Some(Self {
            mass,
            velocity,
            contacts,
            joints,
            bodies,
            free,
            speed,
            strike,
            rounding,
            strain,
            left,
            recovered,
        })
    }

    /// The same problem under a law that leaves approaches of at most this (m/s, from the data).
    #[must_use]
    pub fn leaving(&self, approach: f64) -> Self {
        Self { left: approach, ..self.clone() }
    }

    /// The fastest approach of a contact without impulses (m/s).
    #[must_use]
    pub fn fastest(&self) -> f64 {
        let approach = |contact: &Contact| -self.free_velocity(&contact.normal).value();
        self.contacts.iter().map(approach).fold(0.0, f64::max)
    }

    /// The fastest that the energy before the impact lets a row move (m/s).
    #[must_use]
    pub fn reach(&self) -> f64 {
        let rows = self.contacts.iter().flat_map(|of| of.tangents.iter().chain([&of.normal]));
        rows.map(|row| self.bodies.size(row)).fold(0.0, f64::max) * self.speed
    }

    /// The contacts.
    #[must_use]
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    /// `ε`, the part of velocities that may be rounding; if it is not small, an outcome cannot be judged.
    #[must_use]
    pub const fn rounding(&self) -> f64 {
        self.rounding
    }

    /// Velocity of a row without impulses at the contacts (m/s).
    fn free_velocity(&self, row: &[f64]) -> Extended {
        dot(&extended(row), &self.free)
    }

    /// The velocity of a row that may be wrong, as a fraction of its size (√J).
    fn row_slack(&self, tolerance: f64) -> f64 {
        4.0 * tolerance * self.strike + (self.rounding + self.strain) * self.speed
    }

    fn slack(&self, row: &[f64], tolerance: f64) -> Slack {
        let velocity = self.bodies.size(row) * self.row_slack(tolerance);
        let rest = self.bodies.movable(&extended(row));
        let square = dot(&rest, &self.bodies.response(&rest)).max(Extended::ZERO);
        let size = square.sqrt().value();
        let impulse = if size > 0.0 { velocity / (size * size) } else { 0.0 };
        Slack { size, velocity, impulse }
    }

    /// The conditions of every law; `tolerance` is the relative one that the law claims.
    ///
    /// # Example
    ///
    /// ```
    /// use percussion_verify::impact::{Contact, Energy, Impact, Outcome};
    ///
    /// // A particle of 4 kg falls at 3 m/s.
    /// let ground = Contact { normal: vec![1.0], tangents: vec![], friction: 0.0, restitution: 0.0 };
    /// let impact = Impact::new(vec![4.0], vec![-3.0], vec![ground], vec![]).unwrap();
    /// let outcome = |velocity, impulse| Outcome {
    ///     velocity: vec![velocity],
    ///     impulses: vec![vec![impulse]],
    ///     joint_impulses: vec![],
    /// };
    /// assert!(impact.common(&outcome(0.0, 12.0), Energy::Falls, 1e-10).holds());
    /// assert!(impact.common(&outcome(0.0, 11.0), Energy::Falls, 1e-10).refuses("momentum"));
    /// assert!(impact.common(&outcome(-1.0, 8.0), Energy::Falls, 1e-10).refuses("approach"));
    /// ```
    #[must_use]
    pub fn common(&self, outcome: &Outcome, energy: Energy, tolerance: f64) -> Verdict {
        let mut verdict = Verdict::default();
        if !self.sizes_agree(outcome) {
            verdict.look("size", 0, Extended::ONE, 0.0);
            return verdict;
        }
        let after = extended(&outcome.velocity);
        let numbers = outcome.velocity.iter().chain(outcome.impulses.iter().flatten());
        let finite = numbers.chain(&outcome.joint_impulses).all(|x| x.is_finite());
        verdict.look("finite", 0, if finite { Extended::ZERO } else { Extended::ONE }, 0.0);
        if !finite {
            return verdict;
        }
        self.momentum(outcome, &mut verdict);
        for (k, row) in self.joints.iter().enumerate() {
            let limit = self.bodies.size(row) * self.rounding * self.speed;
            verdict.look("joints", k, dot(&extended(row), &after).abs(), limit);
        }
        for (k, (contact, impulse)) in self.contacts.iter().zip(&outcome.impulses).enumerate() {
            let slack = self.slack(&contact.normal, tolerance);
            let normal_velocity = dot(&extended(&contact.normal), &after);
            verdict.look("approach", k, -normal_velocity, slack.velocity + self.left);
            verdict.look("adhesion", k, Extended::from(-impulse[0]), slack.impulse);
            let tangential = norm(&impulse[1..]);
            let bound = Extended::product(contact.friction, impulse[0].max(0.0));
            // The bound is known to the slack of the normal impulse, which may overflow without friction.
            let known = if contact.friction > 0.0 { contact.friction * slack.impulse } else { 0.0 };
            let limit = self.tangent_slack(contact, tolerance)
                + known
                + 16.0 * f64::EPSILON * bound.value();
            verdict.look("cone", k, Extended::from(tangential) - bound, limit);
        }
        if energy == Energy::Falls {
            let gain = self.energy_change(&outcome.velocity);
            verdict.look("energy", 0, gain, self.energy_slack(tolerance));
        }
        verdict
    }

    /// `½ (v⁺ − v⁻)ᵀ M (v⁺ + v⁻)` (J).
    #[must_use]
    pub fn energy_change(&self, velocity: &[f64]) -> Extended {
        energy(&self.mass, &extended(velocity)) - energy(&self.mass, &extended(&self.velocity))
    }

    /// Tolerance of the energy (J): impulses `U/‖a‖` times velocities that are wrong by their slack, and the underflow of
    /// `v_i (M_ij v_j)`: each of the `n (n + 1)` products of an energy is rounded to a multiple of the smallest number, and
    /// those of `M v` are then multiplied by a velocity.
    #[must_use]
    pub fn energy_slack(&self, tolerance: f64) -> f64 {
        let rows: usize = self.contacts.iter().map(|contact| 1 + contact.tangents.len()).sum();
        let strikes = 8.0 * tolerance * (rows + 1) as f64 * self.strike * self.strike;
        let n = self.velocity.len() as f64;
        let fastest = self.velocity.iter().fold(1.0_f64, |fastest, v| fastest.max(v.abs()));
        let underflow = 2.0 * n * (n + 1.0) * fastest * f64::from_bits(1);
        strikes + 4.0 * self.rounding * self.speed * self.speed + underflow
    }

    /// Tolerance of the impulse along a tangent (N·s).
    fn tangent_slack(&self, contact: &Contact, tolerance: f64) -> f64 {
        let slacks = contact.tangents.iter().map(|row| self.slack(row, tolerance).impulse);
        let largest = slacks.fold(self.slack(&contact.normal, tolerance).impulse, f64::max);
        largest + self.recovered[0].max(self.recovered[1])
    }

    fn sizes_agree(&self, outcome: &Outcome) -> bool {
        outcome.velocity.len() == self.velocity.len()
            && outcome.joint_impulses.len() == self.joints.len()
            && outcome.impulses.len() == self.contacts.len()
            && outcome
                .impulses
                .iter()
                .zip(&self.contacts)
                .all(|(impulse, contact)| impulse.len() == 1 + contact.tangents.len())
    }

    /// `M (v⁺ − v⁻) − Jᵀ Λ − Gᵀ Λ_b`, each row against the rounding of its terms.
    fn momentum(&self, outcome: &Outcome, verdict: &mut Verdict) {
        let n = self.velocity.len();
        let mut pushes: Vec<(&[f64], f64)> = Vec::new();
        for (contact, impulse) in self.contacts.iter().zip(&outcome.impulses) {
            let rows = [&contact.normal].into_iter().chain(&contact.tangents);
            pushes.extend(rows.zip(impulse).map(|(row, &p)| (row.as_slice(), p)));
        }
        pushes.extend(
            self.joints.iter().zip(&outcome.joint_impulses).map(|(row, &p)| (row.as_slice(), p)),
        );
        let root = |i: usize| self.mass[i * n + i].sqrt();
        let moved: f64 =
            (0..n).map(|j| root(j) * (outcome.velocity[j].abs() + self.velocity[j].abs())).sum();
        let pushed: f64 = pushes.iter().map(|(row, p)| self.bodies.size(row) * p.abs()).sum();
        for i in 0..n {
            let row = &self.mass[i * n..(i + 1) * n];
            let change =
                |j: usize| Extended::from(outcome.velocity[j]) - Extended::from(self.velocity[j]);
            let gained: Extended = (0..n).map(|j| Extended::from(row[j]) * change(j)).sum();
            let given: Extended = pushes.iter().map(|(row, p)| Extended::product(row[i], *p)).sum();
            // A solve with the mass matrix is exact for a matrix that differs by rounding of √(M_ii M_jj).
            let limit = self.rounding / self.bodies.condition().sqrt() * root(i) * (moved + pushed);
            verdict.look("momentum", i, (gained - given).abs(), limit);
        }
    }

    /// Judges nonnegative weights of the contacts as a proof that no impulses prevent all of them from ending
    /// below their `targets` (m/s, one for each contact): impulses do not change the weighted sum of the
    /// normal velocities, except through the joints, and the weighted free velocity is below the weighted
    /// targets.
    #[must_use]
    pub fn infeasible(&self, weights: &[f64], targets: &[f64]) -> Verdict {
        let mut verdict = Verdict::default();
        if weights.len() != self.contacts.len() || targets.len() != weights.len() {
            verdict.look("size", 0, Extended::ONE, 0.0);
            return verdict;
        }
        let mut combined = vec![Extended::ZERO; self.velocity.len()];
        let mut shortfall = Extended::ZERO;
        let (mut size, mut terms) = (0.0, 0.0);
        for (k, (contact, &weight)) in self.contacts.iter().zip(weights).enumerate() {
            verdict.look("negative weight", k, Extended::from(-weight), 0.0);
            for (sum, &entry) in combined.iter_mut().zip(&contact.normal) {
                *sum += Extended::product(weight, entry);
            }
            let short = Extended::from(targets[k]) - self.free_velocity(&contact.normal);
            shortfall += Extended::from(weight) * short;
            let own = self.bodies.size(&contact.normal);
            size += weight.abs() * own;
            terms += weight.abs()
                * (own * self.rounding * self.speed + 4.0 * f64::EPSILON * targets[k].abs());
        }
        let rest = self.bodies.movable(&combined);
        let left = dot(&rest, &self.bodies.response(&rest)).max(Extended::ZERO).sqrt();
        verdict.look("combined normal", 0, left, self.rounding * size);
        let missing = if size > 0.0 { Extended::from(terms) - shortfall } else { Extended::ONE };
        verdict.look("combined velocity", 0, missing, 0.0);
        verdict
    }
}

/// The largest `‖a‖/‖a'‖` over the rows of the contacts, where `a'` is the part that neither the joints nor the other rows
/// of the contact have; rows without such a part beyond rounding are left out.
fn strained(contacts: &[Contact], bodies: &Kinetic, rounding: f64) -> f64 {
    let mut largest = 0.0_f64;
    for contact in contacts {
        let tangents = if contact.friction > 0.0 { &contact.tangents[..] } else { &[] };
        let rows: Vec<&Vec<f64>> = [&contact.normal].into_iter().chain(tangents).collect();
        for (k, row) in rows.iter().enumerate() {
            let others = rows.iter().enumerate().filter(|(j, _)| *j != k);
            let others: Vec<Vec<f64>> = others.map(|(_, other)| (*other).clone()).collect();
            let rest = bodies.with(&others).movable(&extended(row));
            let (whole, own) =
                (bodies.size(row), dot(&rest, &bodies.response(&rest)).value().max(0.0).sqrt());
            if own > rounding * whole {
                largest = largest.max(whole / own);
            }
        }
    }
    largest
}

/// `½ vᵀ M v` (J).
fn energy(mass: &[f64], velocity: &[Extended]) -> Extended {
    let n = velocity.len();
    let half = Extended::from(0.5);
    (0..n).map(|i| velocity[i] * half * dot(&extended(&mass[i * n..(i + 1) * n]), velocity)).sum()
}
