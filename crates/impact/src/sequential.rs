//! One contact after another: each impact is resolved as if it were the only one.
//!
//! While contacts approach, the [`Order`] picks one of them and the inner law resolves the problem that
//! has this contact alone, from the velocity that the impacts before it left. The percussions add up. Each single
//! impact is judged by the certificate of its own problem, and the sum by that of the whole; a single impact that fails ends
//! the sequence with its status.
//!
//! - **Needs** an inner law that ends without approach at its contact.
//! - **Guarantees** no adhesion and percussions in their cones as far as the inner law does (cones are
//!   convex), and an approach of at most the tolerance when the status is
//!   [`Resolved`](crate::outcome::Status::Resolved). Contacts that pushed may separate.
//! - **Energy** does in each impact what it does under the inner law.
//! - **Does not** always come to an end: inelastic impacts at coupled contacts may approach rest only
//!   in the limit, and with friction the sequence can go on forever. The outcome depends on the order;
//!   that is the point of [`Sequential::all`].
//! - **Cost** one impact of the inner law for each impact; the trace keeps the velocity after each. Trying all orders is bounded
//!   by [`Sequential::search_limit`], at the default about a second with [`Newton`](crate::Newton).
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

/// Most contacts whose orders [`Sequential::all`] tries: 7! = 5040 orders.
const MOST_CONTACTS: usize = 7;

/// Which of the contacts that approach comes next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Order {
    /// The one that approaches fastest (m/s); of equals the first.
    #[default]
    Fastest,
    /// Round and round in the order of the problem, contacts that do not approach left out.
    Index,
    /// Round and round in this order, which lists each contact once.
    Cycle(Vec<usize>),
}

/// One contact after another, by the law `L`; see the [module](self).
///
/// # Example
///
/// Newton's cradle: a ball strikes two that rest, and elastic impacts hand its speed through.
///
/// ```
/// use nalgebra::{DMatrix, dvector};
/// use percussion_impact::{Contact, Law, Mass, Newton, Problem, Sequential};
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
    /// Which contact comes next.
    pub order: Order,
    /// A contact that approaches by at most this part of the fastest approach before the impact is
    /// done (in `(0, 1)`, default `1e-9`).
    pub tolerance: f64,
    /// Most single impacts (≥ 1, default 1000).
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
    /// [`Status::Resolved`] when all orders were tried, [`Status::Limit`] when [`Sequential::search_limit`] was reached before.
    pub status: Status,
}

impl<L> Sequential<L> {
    /// The sequence of `inner`'s impacts with the default order, tolerance and limit.
    pub const fn new(inner: L) -> Self {
        Self { inner, order: Order::Fastest, tolerance: 1e-9, limit: 1000, search_limit: 50_000 }
    }
}

impl<L: Law> Sequential<L> {
    /// The outcomes of all cyclic sequences, one for each order of the contacts, each velocity once.
    ///
    /// Of outcomes whose velocities agree to `√tolerance` times the largest entry the first is kept,
    /// in lexicographic order of the contacts: sequences that end only in the limit stop at different
    /// distances from it, which a geometric tail makes larger than the tolerance. [`Self::order`] is
    /// not used.
    ///
    /// When [`Self::search_limit`] is reached, the outcomes of the orders before are returned and the status says so.
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

    /// The outcome in this order, of at most `limit` single impacts.
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
            // A stage that its own certificate refuses would carry its error into all that follow.
            let answer = judged(&single, &self.inner.claims(&single), self.inner.answer(&single)?)?;
            let (rows, share) = (problem.rows(k), &answer.impulses[0]);
            impulse[rows.start] += share.normal;
            for (row, tangent) in (rows.start + 1..rows.end).zip(&share.tangent) {
                impulse[row] += tangent;
            }
            let mut stages = outcome.trace.stages;
            outcome = problem.outcome(&impulse, Trace::resolved(vec![]));
            let velocity = outcome.velocity.clone();
            stages.push(Stage { phase: Phase::Impact, contact: Some(k), velocity });
            outcome.trace.stages = stages;
            // What a stage gains a later one may lose; the whole is judged at the end.
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

/// The same, of a contact velocity (m/s).
fn approach_of(problem: &Problem, velocity: &DVector<f64>) -> Vec<f64> {
    (0..problem.contacts().len()).map(|k| -velocity[problem.rows(k).start]).collect()
}

fn fastest(approaches: &[f64]) -> f64 {
    approaches.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// The contact whose turn it is, if one approaches faster than `threshold`.
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

/// Advances to the next order in lexicographic order; false at the last.
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
