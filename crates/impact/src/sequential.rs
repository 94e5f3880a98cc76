//! One contact after another: each impact is resolved as if it were the only one.
//!
//! While contacts approach, the [`Order`] selects one of them, and the inner law resolves the problem with
//! this contact alone, from the velocity after the previous impacts. The impulses are added up. Each single
//! impact is judged by the certificate of its own problem, and the sum by that of the whole; a single impact
//! that fails ends the sequence with its status.
//!
//! - **Needs** an inner law that ends without approach at its contact.
//! - **Guarantees** no adhesion and impulses in their cones as far as the inner law does (cones are
//!   convex), and an approach of at most the tolerance when the status is
//!   [`Resolved`](crate::outcome::Status::Resolved). Contacts that pushed may separate.
//! - **Energy** behaves in each single impact as with the inner law.
//! - **Does not** always come to an end: inelastic impacts at coupled contacts may approach rest only in the
//!   limit, and with friction the sequence can go on forever. The outcome depends on the order;
//!   [`Sequential::all`] shows how.
//! - **Cost** one application of the inner law for each single impact; the trace stores the velocity after
//!   each. The cost of trying all orders is bounded by [`Sequential::search_limit`], at the default about a
//!   second with [`Newton`](crate::newton::Newton).
//!
//! # Source
//!
//! A. P. Ivanov, "On multiple impact", *Journal of Applied Mathematics and Mechanics* 59 (1995)
//! 887–902 (dependence on the order);
//! A. Chatterjee, A. Ruina, "A new algebraic rigid-body collision law based on impulse space
//! considerations", *Journal of Applied Mechanics* 65 (1998) 939–951 (sequences of single impacts).

use std::collections::BTreeSet;

use nalgebra::DVector;

use crate::{
    Law, Outcome, Problem,
    certificate::Claims,
    law::{Error, judged},
    outcome::{Phase, Stage, Status, Trace},
};

/// Maximum number of contacts for [`Sequential::all`]: 7! = 5040 orders.
const MOST_CONTACTS: usize = 7;

/// Selects which contact with approach comes next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Order {
    /// The contact with the fastest approach (m/s); in case of a tie the first.
    #[default]
    Fastest,
    /// Cyclic in the order of the problem; contacts that do not approach are skipped.
    Index,
    /// Cyclic in this order, which lists each contact once.
    Cycle(Vec<usize>),
}

/// One contact after another, by the law `L`; see the [module](self).
///
/// # Example
///
/// Newton's cradle: a ball strikes two that rest, and elastic impacts pass its speed on to the last.
///
/// ```
/// use nalgebra::{DMatrix, dvector};
/// use percussion_impact::{Contact, Law, Mass, Problem, newton::Newton, sequential::Sequential};
///
/// let contacts = [dvector![-1.0, 1.0, 0.0], dvector![0.0, -1.0, 1.0]]
///     .map(|normal| Contact::new(normal).with_restitution(1.0));
/// let mass = Mass::Matrix(DMatrix::identity(3, 3));
/// let problem = Problem::new(mass, dvector![2.0, 0.0, 0.0], contacts.to_vec())?;
/// let outcome = Sequential::new(Newton::default()).resolve(&problem)?;
/// assert!((outcome.velocity - dvector![0.0, 0.0, 2.0]).amax() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Sequential<L> {
    /// The law of a single impact.
    pub inner: L,
    /// Selects the next contact.
    pub order: Order,
    /// Approach at which a contact counts as resolved, as a fraction of the fastest approach before the
    /// impact (in `(0, 1)`, default `1e-9`).
    pub tolerance: f64,
    /// Maximum number of single impacts (≥ 1, default 1000).
    pub limit: usize,
    /// Maximum number of single impacts of all orders together in [`Sequential::all`] (≥ 1, default 50 000).
    pub search_limit: usize,
}

/// The outcomes of [`Sequential::all`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Outcomes {
    /// The outcomes, each velocity once.
    pub outcomes: Vec<Outcome>,
    /// [`Status::Resolved`] when all orders were tried, [`Status::Limit`] when [`Sequential::search_limit`]
    /// was reached first.
    pub status: Status,
}

impl<L> Sequential<L> {
    /// Sequential impacts with `inner` and the default order, tolerance and limit.
    pub const fn new(inner: L) -> Self {
        Self { inner, order: Order::Fastest, tolerance: 1e-9, limit: 1000, search_limit: 50_000 }
    }
}

impl<L: Law> Sequential<L> {
    /// Returns the outcomes of all cyclic sequences, one for each order of the contacts, each velocity once.
    ///
    /// Of outcomes whose velocities agree to `√tolerance` times the largest entry, the first is kept, in
    /// lexicographic order of the contacts. This tolerance is larger because sequences that end only in the
    /// limit stop at different distances from it, and a geometric tail makes these larger than the tolerance.
    /// [`Self::order`] is not used.
    ///
    /// When [`Self::search_limit`] is reached, the outcomes of the orders tried so far are returned, with the
    /// status of the limit.
    ///
    /// # Errors
    ///
    /// [`Error::Contacts`] with more than 7 contacts, and the errors of [`Law::resolve`].
    pub fn all(&self, problem: &Problem) -> Result<Outcomes, Error> {
        let contacts = problem.contacts().len();
        if contacts > MOST_CONTACTS {
            return Err(Error::Contacts {
                found: contacts,
                expected: "at most 7 to try all orders",
            });
        }
        let mut outcomes: Vec<Outcome> = Vec::new();
        let mut order: Vec<usize> = (0..contacts).collect();
        let mut left = self.search_limit;
        loop {
            let most = left.min(self.limit);
            let outcome = self.resolve_in(problem, &Order::Cycle(order.clone()), most)?;
            if outcome.trace.status == Status::Limit && most < self.limit {
                return Ok(Outcomes { outcomes, status: Status::Limit });
            }
            left -= outcome.trace.stages.len();
            let outcome = judged(problem, &self.claims(problem), outcome)?;
            let same = |known: &Outcome| {
                let size = known.velocity.amax().max(outcome.velocity.amax());
                (&known.velocity - &outcome.velocity).amax() <= self.tolerance.sqrt() * size
            };
            if !outcomes.iter().any(same) {
                outcomes.push(outcome);
            }
            if !next_permutation(&mut order) {
                return Ok(Outcomes { outcomes, status: Status::Resolved });
            }
        }
    }

    /// Returns the outcome for this order, with at most `limit` single impacts.
    fn resolve_in(&self, problem: &Problem, order: &Order, limit: usize) -> Result<Outcome, Error> {
        self.check(problem, order)?;
        let none = DVector::zeros(problem.contact_jacobian().nrows());
        let mut outcome = problem.outcome(&none, Trace::resolved(vec![]));
        let mut impulse = none;
        let singles: Vec<_> =
            (0..problem.contacts().len()).filter_map(|k| problem.contact_problem(k).ok()).collect();
        let mut approach = approaches(problem, &outcome.velocity);
        let threshold = self.tolerance * fastest(&approach).max(0.0);
        let mut last = None;
        while let Some(k) = next(order, &approach, threshold, last) {
            if outcome.trace.stages.len() == limit {
                outcome.trace.status = Status::Limit;
                break;
            }
            let single = singles[k].with_velocity(outcome.velocity.clone())?;
            // A stage that its own certificate rejects would pass its error on to all later stages.
            let answer = judged(&single, &self.inner.claims(&single), self.inner.answer(&single)?)?;
            let (rows, share) = (problem.rows(k), &answer.impulses[0]);
            impulse[rows.start] += share.normal;
            for (row, tangent) in (rows.start + 1..rows.end).zip(&share.tangent) {
                impulse[row] += tangent;
            }
            let mut stages = outcome.trace.stages;
            // The velocity of the sum of impulses has the rounding errors of all stages.
            outcome = problem.outcome_at(answer.velocity, &impulse, Trace::resolved(vec![]));
            let velocity = outcome.velocity.clone();
            stages.push(Stage { phase: Phase::Impact, contact: Some(k), velocity });
            outcome.trace.stages = stages;
            // A later stage may lose the energy that a stage gains; the whole is judged at the end.
            if !matches!(answer.trace.status, Status::Resolved | Status::EnergyGained) {
                outcome.trace.status = answer.trace.status;
                break;
            }
            approach = approaches(problem, &outcome.velocity);
            last = Some(k);
        }
        Ok(outcome)
    }

    fn check(&self, problem: &Problem, order: &Order) -> Result<(), Error> {
        if !(self.tolerance > 0.0 && self.tolerance < 1.0) {
            let (name, expected) = ("tolerance", "a number in (0, 1)");
            return Err(Error::Setting { name, value: self.tolerance, expected });
        }
        if self.limit == 0 {
            return Err(Error::Setting { name: "limit", value: 0.0, expected: "at least 1" });
        }
        if self.search_limit == 0 {
            return Err(Error::Setting {
                name: "search_limit",
                value: 0.0,
                expected: "at least 1",
            });
        }
        let contacts = problem.contacts().len();
        if let Order::Cycle(order) = order {
            let distinct: BTreeSet<_> = order.iter().copied().collect();
            let complete = distinct.into_iter().eq(0..contacts) && order.len() == contacts;
            if !complete {
                return Err(Error::Order { order: order.clone(), contacts });
            }
        }
        Ok(())
    }
}

impl<L: Law> Law for Sequential<L> {
    fn name(&self) -> &'static str {
        "sequential"
    }

    fn claims(&self, problem: &Problem) -> Claims {
        let inner = self.inner.claims(problem);
        let velocity = problem.borrow_free_contact_velocity();
        let fastest = fastest(&approach_of(problem, velocity)).max(0.0);
        Claims::new(inner.restitution)
            .dissipating(inner.dissipates)
            .within(inner.tolerance)
            .leaving(self.tolerance * fastest)
            .leaving_part(inner.kinetic_approach)
    }

    fn answer(&self, problem: &Problem) -> Result<Outcome, Error> {
        self.resolve_in(problem, &self.order, self.limit)
    }
}

/// Speed of approach of each contact (m/s).
fn approaches(problem: &Problem, velocity: &DVector<f64>) -> Vec<f64> {
    approach_of(problem, &problem.movable_contact_velocity(velocity))
}

/// The speed of approach from a contact velocity (m/s).
fn approach_of(problem: &Problem, velocity: &DVector<f64>) -> Vec<f64> {
    (0..problem.contacts().len()).map(|k| -velocity[problem.rows(k).start]).collect()
}

fn fastest(approaches: &[f64]) -> f64 {
    approaches.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// The next contact, if any approaches faster than `threshold`.
fn next(order: &Order, approach: &[f64], threshold: f64, last: Option<usize>) -> Option<usize> {
    let index: Vec<usize>;
    let cycle = match order {
        Order::Fastest => {
            let largest = fastest(approach);
            return approach.iter().position(|&a| a > threshold && a >= largest);
        }
        Order::Index => {
            index = (0..approach.len()).collect();
            &index
        }
        Order::Cycle(cycle) => cycle,
    };
    let start = last.and_then(|last| cycle.iter().position(|&k| k == last)).map_or(0, |p| p + 1);
    let turns = (0..cycle.len()).map(|turn| cycle[(start + turn) % cycle.len()]);
    turns.into_iter().find(|&k| approach[k] > threshold)
}

/// Advances to the next order in lexicographic order; returns false at the last.
fn next_permutation(order: &mut [usize]) -> bool {
    let Some(pivot) = order.windows(2).rposition(|pair| pair[0] < pair[1]) else { return false };
    let larger = order.iter().rposition(|&k| k > order[pivot]).unwrap_or(pivot);
    order.swap(pivot, larger);
    order[pivot + 1..].reverse();
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_comes_once_in_lexicographic_order() {
        let mut order = vec![0, 1, 2];
        let mut orders = vec![order.clone()];
        while next_permutation(&mut order) {
            orders.push(order.clone());
        }
        let expected =
            [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]].map(Vec::from);
        assert_eq!(orders, expected);
        assert!(!next_permutation(&mut []) && !next_permutation(&mut [0]), "there is no other");
    }

    #[test]
    fn turns_go_round_and_leave_out_contacts_that_do_not_approach() {
        let cycle = Order::Cycle(vec![2, 0, 1]);
        assert_eq!(next(&cycle, &[1.0, 1.0, 1.0], 0.0, None), Some(2));
        assert_eq!(next(&cycle, &[1.0, 1.0, 1.0], 0.0, Some(1)), Some(2));
        assert_eq!(next(&cycle, &[0.0, 1.0, 1.0], 0.0, Some(2)), Some(1));
        assert_eq!(next(&cycle, &[0.0, 0.0, 1.0], 0.0, Some(2)), Some(2));
        assert_eq!(next(&Order::Fastest, &[1.0, 2.0, 2.0], 0.0, Some(1)), Some(1));
        assert_eq!(next(&Order::Fastest, &[0.1, 0.1, 0.1], 0.2, None), None);
    }
}
