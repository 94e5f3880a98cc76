//! Lemke's path of a step with planar contacts, followed by the states of the contacts.
//!
//! Lemke's method with the covering vector `d` follows the solutions of the LCP whose vector is `q + τ d`,
//! from a `τ` so large that all impulses are zero down to `τ = 0`. For planar contacts these have a simple
//! form. Each row of `J` has an impulse `p`, a bound `b` of it, and a velocity `y = u + W Λ`:
//!
//! | row | `b(τ)` | `d` of its velocity | side `σ` |
//! | --- | --- | --- | --- |
//! | normal | `λ̄ + τ d_s` | `d_n` | + |
//! | tangent | `μ Λ_n + τ d_γ` | `d_σ`, of `β` along `σ t` | + or − |
//!
//! and is in one of the states
//!
//! | state | impulse | velocity |
//! | --- | --- | --- |
//! | `Zero` | `p = 0` | `σ y ≥ −τ d_σ` for each side |
//! | `Between(σ)` | `0 ≤ σ p ≤ b` | `σ y = −τ d_σ` |
//! | `Bound(σ)` | `σ p = b` | `σ y ≤ −τ d_σ` |
//!
//! so that two unknowns per contact replace the five of the LCP. While no state changes, all quantities are
//! affine in `τ`. Where a condition would be violated, its row changes to the neighboring state and `τ` moves
//! on, forward or backward, to the side where the new state holds: one pivot of a [dictionary](dictionary).
//!
//! - **Needs** contacts with at most one tangent.
//! - **Does not** resolve ties or pieces on which `τ` is constant (impulses that are not unique): it then
//!   stops, and the caller uses the lexicographic method.
//! - **Accuracy**: the dictionary has that of a few pivots, usually about one for each row, and only leads to the states
//!   at the end. The impulses there are solved for from the data of the problem, so rounding does not accumulate.
//! - **Cost** `r²` multiply-adds and `2 r` margins per piece, and `a³/3` at the end with `a` rows in between; no allocation.
//!
//! # Source
//!
//! R. W. Cottle, J.-S. Pang, R. E. Stone, *The Linear Complementarity Problem*, Academic Press 1992,
//! section 4.4 (the path of Lemke's method) and section 4.5 (parametric form).

use nalgebra::DVector;

use super::frame::Frame;
use crate::Problem;

mod conditions;
mod contacts;
mod dictionary;
mod factorization;
mod response;
#[cfg(test)]
mod tests;

use conditions::{Condition, Conditions};
use contacts::{Contacts, State};
use dictionary::Dictionary;
use response::Response;

/// Maximum number of pieces of a path for each row; ordinary paths take about one.
const PATIENCE: usize = 20;

/// Slopes and pivots below this fraction of their terms are rounding.
const ROUNDING: f64 = 1e-12;

/// The path of one step, with its memory.
#[derive(Clone, Debug)]
pub(super) struct CoveringPath {
    contacts: Contacts,
    states: Vec<State>,
    dictionary: Dictionary,
    conditions: Conditions,
    /// Whether the conditions are those of another covering vector.
    is_stale: bool,
    response: Response,
}

impl CoveringPath {
    /// Returns `None` when a contact has two tangents.
    pub(super) fn new(problem: &Problem, frames: &[Frame]) -> Option<Self> {
        let contacts = Contacts::new(problem, frames)?;
        let r = contacts.rows.len();
        Some(Self {
            states: vec![State::Zero; r],
            dictionary: Dictionary::new(&contacts),
            conditions: Conditions::new(r),
            is_stale: true,
            contacts,
            response: Response::new(r),
        })
    }

    /// Sets the covering vector of one row: `d_+`, `d_-`, and `d` of its bound, all positive.
    pub(super) fn cover(&mut self, row: usize, cover: [f64; 2], cover_bound: f64) {
        self.contacts.rows[row].cover = cover;
        self.contacts.rows[row].cover_bound = cover_bound;
        self.is_stale = true;
    }

    /// Follows the path from the contact velocity `u` with the `increments` and writes the impulses at the
    /// rows of `J`; returns whether the path ended.
    pub(super) fn solve(
        &mut self,
        contact_velocity: &DVector<f64>,
        increments: &[f64],
        impulse: &mut DVector<f64>,
    ) -> bool {
        let u = contact_velocity.as_slice();
        self.start(u, increments);
        let Some((mut tau, mut crossed)) = self.conditions.first(&self.dictionary) else {
            return self.finish(u, impulse);
        };
        let end = ROUNDING * tau;
        for _ in 0..PATIENCE * u.len() {
            let Some(forward) = self.cross(&crossed) else { return false };
            match self.conditions.next(&self.dictionary, &self.states, tau, forward) {
                Some((step, next)) if forward > 0.0 || tau - step > end => {
                    tau += forward * step;
                    crossed = next;
                }
                None if forward > 0.0 => return false,
                _ => return self.finish(u, impulse),
            }
        }
        false
    }

    /// Starts with all rows `Zero`.
    fn start(&mut self, u: &[f64], increments: &[f64]) {
        if std::mem::take(&mut self.is_stale) {
            self.conditions.cover(&self.contacts);
        }
        self.states.fill(State::Zero);
        self.dictionary.load(&self.contacts, u, increments);
        self.conditions.start();
    }

    /// Goes on beyond a condition; returns the direction in which `τ` moves then, or `None` if it does not or the
    /// impulses are not unique.
    fn cross(&mut self, crossed: &Condition) -> Option<f64> {
        let Self { contacts, states, dictionary, conditions, .. } = self;
        let Condition { row, to, .. } = *crossed;
        let from = std::mem::replace(&mut states[row], to);
        conditions.set(contacts, states, row, dictionary);
        if contacts.rows[row].normal.is_none()
            && let Some(tangent) = contacts.tangent(row)
            && states[tangent].is_between()
        {
            conditions.set(contacts, states, tangent, dictionary);
        }
        if !dictionary.change(contacts, states, row, from) {
            return None;
        }
        let slope = conditions.margin(dictionary, states, row, from).slope;
        // Both comparisons are false for NaN.
        (slope != 0.0 && !slope.is_nan()).then(|| slope.signum())
    }

    /// Writes the impulses at `τ = 0` in the current states, from the data of the problem; returns false if they are not
    /// unique.
    fn finish(&mut self, u: &[f64], impulse: &mut DVector<f64>) -> bool {
        let Self { contacts, states, dictionary, response, .. } = self;
        if !response.solve(contacts, states, u, |row| dictionary.bound(row).value) {
            return false;
        }
        for row in 0..u.len() {
            impulse[row] = self.response.impulses[row];
            self.limit(row, impulse);
        }
        true
    }

    /// Keeps the impulse of a row within its bounds, with that of its normal, if any, within them already.
    fn limit(&self, row: usize, impulse: &mut DVector<f64>) {
        let value = impulse[row];
        impulse[row] = match self.contacts.rows[row].normal {
            Some((normal, friction)) => {
                let bound = friction * impulse[normal];
                value.max(-bound).min(bound)
            }
            None => value.max(0.0).min(self.dictionary.bound(row).value),
        };
    }
}
