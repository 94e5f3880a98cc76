//! Elastic impacts that propagate from contact to contact, and the complete set of their outcomes.
//!
//! The momentum `p = M v` is a covector, measured by the kinetic metric `⟨a, b⟩ = aᵀ M⁻¹ b`, in which `‖p‖²`
//! is twice the energy; with joints, `M⁻¹` is that of the bodies in their joints. Bodies approach at a
//! contact with the unit normal `u` while `⟨p, u⟩ < 0`. The *reset map* of the contact reflects the momentum,
//!
//! ```math
//! p\,\Gamma(u) = p - 2 \langle p, u \rangle\, u .
//! ```
//!
//! When several contacts are hit at once, reflections at contacts with approach follow each other until there
//! is no approach. Rigid-body mechanics does not determine their order. [`Law::resolve`] uses the given
//! [`Order`], and [`Propagative::outcomes`] finds all *minimal* sequences: those of which no proper
//! subsequence ends without approach.
//!
//! **Inelastic impacts.** Let `p_e` be an elastic outcome and `p_p` the plastic one, the orthogonal
//! projection of `p⁻` onto the covectors orthogonal to all normals. With the restitution `R` of energy,
//! `R² = 1 − ΔE/E_p`, where `E_p` is the loss of the plastic impact, the outcome of the law is
//!
//! ```math
//! p^{+} = \alpha\, p_e + (1 - \alpha)\, p_p , \qquad \alpha = R .
//! ```
//!
//! This holds because reflections change `p` only within the span of the normals and keep its norm, so that
//! `‖p⁺‖² = ‖p_p‖² + α² (‖p⁻‖² − ‖p_p‖²)`: the loss is `ΔE = (1 − α²) E_p`, and the definition of `R`
//! requires `α = R`. The paper prints `α = √(1 − R²)`, which contradicts its own definitions: `R = 1`, the
//! elastic impact, would give the plastic outcome. It also prints `E_p = ½ ‖p_p‖²`, which is the energy after
//! the plastic impact; the energy lost in it is `½ (‖p⁻‖² − ‖p_p‖²)`.
//!
//! - **Needs** contacts without friction. Contacts with friction are refused with [`Error::Friction`]: an
//!   answer that ignored friction would pass every test of the [`Certificate`](crate::certificate::Certificate) and still
//!   be wrong. Joints, redundant contacts and contacts with the same normal are accepted; the latter act as
//!   one and share its impulse equally. Coefficients of restitution of the contacts are not used: `R` belongs
//!   to the impact, see [`Propagative::restitution`].
//! - **Guarantees** no approach to the tolerance when the status is
//!   [`Resolved`](crate::outcome::Status::Resolved), and no adhesion with `R = 1`, because every reflection
//!   pushes. With `R < 1` the plastic part holds *all* contacts, also those that would separate, and can pull
//!   on them: then the status is [`Violated`](crate::outcome::Status::Violated), by adhesion.
//!   If normals depend on each other except for a part between rounding and the rank rule `√eps`, and bodies move
//!   along this part, the plastic impact does not hold all contacts. The energy of this motion would be lost or kept
//!   by a decision about digits, and the status is [`Unsolved`](crate::outcome::Status::Unsolved).
//! - **Energy** is conserved with `R = 1`, and otherwise changes by exactly `−(1 − R²) E_p`, to rounding. The
//!   law [claims](Claims::energy_change) this. After more than 64 reflections, whose rounding accumulates,
//!   the motion relative to the plastic outcome is scaled by `1 + O(eps)` per reflection, so that it has the
//!   energy before the impact again.
//! - **Ends** whenever some motion separates all contacts, that is `⟨z, u_i⟩ > 0` for all `i` and some `z`,
//!   for any number of contacts and in any order. In this case each reflection increases `⟨p, z⟩`, which the
//!   energy bounds; so the impulses have a finite sum and the momenta a limit `p_∞`. Contacts that are hit
//!   infinitely often have `⟨p_∞, u⟩ = 0`. Their reflections leave `p_∞` fixed and preserve the distance from
//!   it, and this distance tends to zero only if it is zero. Without such a motion (a body clamped between
//!   two walls) the sequence may not end; it then has the status of the limit.
//! - **Uniqueness**: [`Outcomes::indeterminacy`] measures how far the outcomes of this velocity are apart,
//!   and [`order_never_matters`] states whether geometry and masses alone exclude a second outcome.
//! - **Does not** always end in a minimal sequence: of two contacts with `⟨u, v⟩ > 0`,
//!   [`Order::LeastApproached`] may reflect at `u` and then at `v` although `v` alone would suffice.
//! - **Cost** of a reflection as many multiply-adds as contacts. The search for all sequences also follows
//!   every subsequence, but it follows sequences with the same future only once, so that billions of them can
//!   be counted. Where [`order_never_matters`] holds, no subsequence needs to be followed.
//!
//! # Source
//!
//! V. Seghete, T. D. Murphey, "A propagative model of simultaneous impact: existence, uniqueness, and
//! design consequences", *IEEE Transactions on Automation Science and Engineering* 11 (2014) 154–168
//! (equations 7 to 17, definition 1, theorems 1 to 3). There every sequence is a candidate, and the condition
//! that no reflection pulls (12c) applies to the sum; here it applies to every reflection. The paper leaves
//! open whether sequences of more than two contacts end; the argument above is our own.

use nalgebra::DVector;

use crate::{
    Law, Outcome, Problem,
    certificate::Claims,
    law::{Error, judged},
    outcome::{Phase, RestitutionUse, Stage, Status, Trace},
};

mod mirrors;
mod pairs;
mod search;
mod states;
#[cfg(test)]
mod tests;
mod turns;

use mirrors::{Mirrors, Plastic};
pub use pairs::{Pair, order_never_matters, pairs};
use search::Search;
use turns::Turns;

/// Number of reflections whose rounding does not exceed that of velocities: `64` is the factor of
/// [`Problem::rounding`].
const LONG: usize = 64;

/// Maximum number of listing steps for each momentum that a search may examine.
const LISTING: usize = 10;

/// Selects which contact with approach is hit next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Order {
    /// The one with the smallest `⟨p, u⟩` (argmin); in case of a tie the first.
    #[default]
    MostApproached,
    /// The one with the largest negative `⟨p, u⟩` (argmax); in case of a tie the first.
    LeastApproached,
    /// Cyclic in the order of the problem; contacts without approach are skipped.
    Index,
    /// Cyclic in this order, which lists each contact once.
    Fixed(Vec<usize>),
    /// Random with equal probabilities; the seed makes it repeatable. Needs the feature `sets`.
    #[cfg(feature = "sets")]
    Random(u64),
}

/// Impacts that propagate from contact to contact; see the [module](self).
///
/// # Example
///
/// The last two of three equal balls in a row rest when the first arrives at 2 m/s. With `R = 1/2` the
/// outcome is half elastic and half plastic, where the plastic outcome is 2/3 m/s for each ball.
///
/// ```
/// use nalgebra::{DMatrix, dvector};
/// use percussion_impact::{Contact, Law, Mass, Problem, propagative::Propagative};
///
/// let contacts = [dvector![-1.0, 1.0, 0.0], dvector![0.0, -1.0, 1.0]].map(Contact::new);
/// let mass = Mass::Matrix(DMatrix::identity(3, 3));
/// let cradle = Problem::new(mass, dvector![2.0, 0.0, 0.0], contacts.to_vec())?;
///
/// let elastic = Propagative::default().resolve(&cradle)?;
/// assert!((elastic.velocity - dvector![0.0, 0.0, 2.0]).amax() < 1e-14);
/// let inelastic = Propagative { restitution: 0.5, ..Propagative::default() }.resolve(&cradle)?;
/// assert!((inelastic.velocity - dvector![1.0, 1.0, 4.0] / 3.0).amax() < 1e-14);
///
/// // When the last ball arrives as well, there are two ways through and one outcome.
/// let both = cradle.with_velocity(dvector![2.0, 0.0, -1.0])?;
/// let all = Propagative::default().outcomes(&both)?;
/// assert_eq!(all.branches.len(), 1);
/// assert_eq!(all.branches[0].sequences, [[0, 1, 0], [1, 0, 1]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Propagative {
    /// `R`, the restitution of energy (in `[0, 1]`, default 1): the fraction `1 − R²` of the loss of the
    /// plastic impact is lost.
    pub restitution: f64,
    /// Selects the contact that is hit next; [`Propagative::outcomes`] does not use it.
    pub order: Order,
    /// Relative tolerance: there is approach at a contact when `⟨p, u⟩ < −tolerance ‖p⁻‖`, and momenta are
    /// equal when their `⟨p, u⟩` differ by at most this much (in `(0, 1)`, default `1e-10`; the rounding of
    /// hundreds of reflections of ten contacts is smaller).
    pub tolerance: f64,
    /// Maximum number of reflections of one sequence (≥ 1, default 10 000).
    pub limit: usize,
    /// Maximum number of momenta that the search for all sequences examines (≥ 1, default 10⁷, about a
    /// second). Listing the results takes at most ten times as many steps, about another second.
    pub search_limit: usize,
    /// Maximum number of sequences listed for each outcome (≥ 1, default 10 000); all are counted.
    pub listed: usize,
}

impl Default for Propagative {
    fn default() -> Self {
        Self {
            restitution: 1.0,
            order: Order::default(),
            tolerance: 1e-10,
            limit: 10_000,
            search_limit: 10_000_000,
            listed: 10_000,
        }
    }
}

/// All outcomes of a [`Propagative`] impact.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Outcomes {
    /// The outcomes, each velocity once; empty if no sequence ends without approach.
    pub branches: Vec<Branch>,
    /// [`Status::Resolved`] when no minimal sequence is missing, [`Status::Limit`] when the limit of the
    /// search or of the listing was reached.
    pub status: Status,
    /// `ξ`, the largest distance between two outcomes in the kinetic metric over `‖p⁻‖` (in `[0, 2]`): zero
    /// when the outcome is unique.
    pub indeterminacy: f64,
}

impl Outcomes {
    /// Whether there is exactly one outcome.
    #[must_use]
    pub fn is_unique(&self) -> bool {
        self.status == Status::Resolved && self.branches.len() == 1
    }
}

/// One outcome, and the minimal sequences that lead to it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Branch {
    /// Velocity and impulses; with redundant contacts the impulses of the first sequence.
    pub outcome: Outcome,
    /// Contacts in the order of their reflections, sequences in lexicographic order. The list has the first
    /// [`Propagative::listed`] sequences, or fewer when the [limit](Propagative::search_limit) of the listing
    /// is reached. Of contacts with the same normal, the first represents all. With `R = 0` the list is
    /// empty, because the order has no effect.
    pub sequences: Vec<Vec<usize>>,
    /// Number of all its sequences; [`u64::MAX`] means at least this many.
    pub sequence_count: u64,
}

impl Propagative {
    /// The outcomes of all minimal sequences.
    ///
    /// When the limit of the search is reached, the outcomes found so far are returned, and the status states
    /// this.
    ///
    /// # Errors
    ///
    /// As [`Law::resolve`]; the order is not used.
    pub fn outcomes(&self, problem: &Problem) -> Result<Outcomes, Error> {
        let mut outcomes = self.answers(problem)?;
        let claims = self.claims(problem);
        for branch in &mut outcomes.branches {
            branch.outcome = judged(problem, &claims, branch.outcome.clone())?;
        }
        Ok(outcomes)
    }

    /// Returns the same outcomes without judging them, as [`Law::answer`].
    ///
    /// # Errors
    ///
    /// As [`outcomes`](Self::outcomes).
    pub fn answers(&self, problem: &Problem) -> Result<Outcomes, Error> {
        let mirrors = self.mirrors(problem)?;
        let plastic = self.plastic(&mirrors, problem);
        if self.restitution <= 0.0 && plastic.is_some() {
            let outcome = self.outcome(problem, &mirrors, &[], plastic.as_ref());
            let branches = vec![Branch { outcome, sequences: vec![], sequence_count: 0 }];
            return Ok(Outcomes { branches, status: Status::Resolved, indeterminacy: 0.0 });
        }
        let mut search = Search::default();
        let complete = search.run(&mirrors, self.restitution, self.search_limit);
        let counts: Vec<u64> = search.outcomes().collect();
        let mut branches = Vec::with_capacity(counts.len());
        let mut complete = complete;
        let mut budget = LISTING.saturating_mul(self.search_limit);
        for (index, sequence_count) in counts.into_iter().enumerate() {
            let (mut sequences, mut word) = (Vec::new(), Vec::new());
            let is_listed = search.list(index, self.listed, &mut budget, |way| {
                if sequences.is_empty() {
                    word.extend(way.iter().map(|(mirror, _)| *mirror as usize));
                }
                let contact = |(mirror, _): &(u32, usize)| mirrors.contacts[*mirror as usize];
                sequences.push(way.iter().map(contact).collect());
            });
            if !is_listed {
                complete = false;
                break;
            }
            let outcome = self.outcome(problem, &mirrors, &word, plastic.as_ref());
            branches.push(Branch { outcome, sequences, sequence_count });
        }
        let indeterminacy =
            largest_distance(problem, &branches) / mirrors.size.max(f64::MIN_POSITIVE);
        let status = if complete { Status::Resolved } else { Status::Limit };
        Ok(Outcomes { branches, status, indeterminacy })
    }

    fn mirrors(&self, problem: &Problem) -> Result<Mirrors, Error> {
        let setting = |name, value, expected| Err(Error::Setting { name, value, expected });
        if !(0.0..=1.0).contains(&self.restitution) {
            return setting("restitution", self.restitution, "a number in [0, 1]");
        }
        if !(self.tolerance > 0.0 && self.tolerance < 1.0) {
            return setting("tolerance", self.tolerance, "a number in (0, 1)");
        }
        if self.limit == 0 {
            return setting("limit", 0.0, "at least 1");
        }
        if self.search_limit == 0 {
            return setting("search_limit", 0.0, "at least 1");
        }
        if self.listed == 0 {
            return setting("listed", 0.0, "at least 1");
        }
        let rough =
            |contact: &crate::Contact| !contact.tangents.is_empty() && contact.friction > 0.0;
        if let Some(contact) = problem.contacts().iter().position(rough) {
            let friction = problem.contacts()[contact].friction;
            return Err(Error::Friction { contact, friction });
        }
        Mirrors::new(problem, self.tolerance)
    }

    /// The plastic impact, if there is approach and `R < 1`.
    fn plastic(&self, mirrors: &Mirrors, problem: &Problem) -> Option<Plastic> {
        let matters = self.restitution < 1.0 && !mirrors.feasible(&mirrors.start);
        matters.then(|| mirrors.plastic(problem))
    }

    /// Returns the outcome of the reflections at `word`, mixed with the plastic impact.
    fn outcome(
        &self,
        problem: &Problem,
        mirrors: &Mirrors,
        word: &[usize],
        plastic: Option<&Plastic>,
    ) -> Outcome {
        let mut impulse = vec![0.0; mirrors.start.len()];
        let mut velocity = problem.free_velocity();
        let mut stages = Vec::with_capacity(word.len() + 1);
        for &k in word {
            let contact = mirrors.contacts[k];
            let row = problem.rows(contact).start;
            // From the velocity itself, whose kinetic norm a reflection keeps to rounding. With bodies of
            // very different masses, the contact velocities do not resolve the motion of the slow one: after
            // a thousand reflections its energy is rounding of the fast one. A contact that separates there
            // by rounding is not pulled.
            let approach = problem.contact_jacobian().row(row).tr_dot(&velocity).min(0.0);
            let push = mirrors.percussion_at(approach, k);
            impulse[k] += push;
            velocity.axpy(push, &problem.response().column(row), 1.0);
            stages.push(Stage {
                phase: Phase::Impact,
                contact: Some(contact),
                velocity: velocity.clone(),
            });
        }
        let is_long = word.len() > LONG;
        let computed =
            if plastic.is_none() && is_long { Some(mirrors.plastic(problem)) } else { None };
        if let Some(rest) = plastic.or(computed.as_ref()) {
            let kept =
                if is_long { kept(problem, &rest.velocity, &velocity, word.len()) } else { 1.0 };
            let part = kept * if plastic.is_some() { self.restitution } else { 1.0 };
            for (elastic, rest) in impulse.iter_mut().zip(&rest.impulses) {
                *elastic = part * *elastic + (1.0 - part) * rest;
                if plastic.is_none() {
                    // Rounding of conserved quantities must not pull at contacts that were not struck.
                    *elastic = elastic.max(0.0);
                }
            }
            velocity = velocity * part + &rest.velocity * (1.0 - part);
        }
        let impulse = mirrors.spread(problem, &impulse);
        let mut outcome = problem.outcome_at(velocity, &impulse, Trace::resolved(stages));
        if let Some(plastic) = plastic {
            let velocity = outcome.velocity.clone();
            outcome.trace.stages.push(Stage { phase: Phase::Impact, contact: None, velocity });
            if !plastic.holds {
                outcome.trace.status = Status::Unsolved;
            }
        }
        outcome
    }

    /// Change of the energy as a fraction of the energy before: zero by reflections, `−(1 − R²) E_p` by the
    /// mixture, plus the loss in joints that were violated before.
    fn energy_change(&self, problem: &Problem) -> Option<f64> {
        let mirrors = self.mirrors(problem).ok()?;
        let before = problem.velocity();
        let fastest = before.amax();
        if fastest == 0.0 {
            return Some(0.0);
        }
        let energy = |velocity: DVector<f64>| problem.kinetic_energy(&(velocity / fastest));
        let free = energy(problem.free_velocity());
        let lost = self.plastic(&mirrors, problem).map_or(0.0, |plastic| {
            let restitution = self.restitution;
            (1.0 - restitution * restitution) * (free - energy(plastic.velocity))
        });
        let all = energy(before.clone());
        Some((free - all - lost) / all)
    }
}

/// Scale of the motion relative to `rest`, the plastic outcome, that gives `velocity` the energy before the
/// impact. It is 1 when the difference exceeds the rounding of this number of `reflections`.
///
/// Reflections at a rounded normal change the energy by rounding, in the same direction each time.
fn kept(
    problem: &Problem,
    rest: &DVector<f64>,
    velocity: &DVector<f64>,
    reflections: usize,
) -> f64 {
    let fastest = problem.velocity().amax();
    let energy = |velocity: &DVector<f64>| problem.kinetic_energy(&((velocity - rest) / fastest));
    let part = (energy(&problem.free_velocity()) / energy(velocity)).sqrt();
    let rounding = reflections as f64 * problem.rounding() / 64.0;
    if (part - 1.0).abs() <= rounding { part } else { 1.0 }
}

impl Law for Propagative {
    fn name(&self) -> &'static str {
        "propagative"
    }

    fn claims(&self, problem: &Problem) -> Claims {
        let claims = Claims::new(RestitutionUse::Replaced).dissipating(true);
        let claims = claims.leaving_part(self.tolerance);
        Claims { energy_change: self.energy_change(problem), ..claims }
    }

    fn answer(&self, problem: &Problem) -> Result<Outcome, Error> {
        let mirrors = self.mirrors(problem)?;
        let mut turns = Turns::new(&self.order, &mirrors, problem.contacts().len())?;
        let plastic = self.plastic(&mirrors, problem);
        let (mut state, mut word, mut status) = (mirrors.start.clone(), vec![], Status::Resolved);
        // The plastic outcome does not depend on whether the elastic sequence ends.
        while self.restitution > 0.0
            && let Some(k) = turns.next(&mirrors, &state)
        {
            if word.len() == self.limit {
                status = Status::Limit;
                break;
            }
            mirrors.reflect(&mut state, k);
            word.push(k);
        }
        let mut outcome = self.outcome(problem, &mirrors, &word, plastic.as_ref());
        if status != Status::Resolved {
            outcome.trace.status = status;
        }
        Ok(outcome)
    }
}

/// Largest distance between two outcomes in the kinetic metric (`√(2 J)`).
fn largest_distance(problem: &Problem, branches: &[Branch]) -> f64 {
    let momenta: Vec<DVector<f64>> =
        branches.iter().map(|branch| problem.momentum(&branch.outcome.velocity)).collect();
    let mut largest = 0.0_f64;
    for (index, (a, p)) in branches.iter().zip(&momenta).enumerate() {
        for (b, q) in branches[..index].iter().zip(&momenta) {
            let velocities = a.outcome.velocity.iter().zip(&b.outcome.velocity);
            let pairs = velocities.zip(p.iter().zip(q));
            let square: f64 = pairs.map(|((a, b), (p, q))| (a - b) * (p - q)).sum();
            largest = largest.max(square);
        }
    }
    largest.sqrt()
}
