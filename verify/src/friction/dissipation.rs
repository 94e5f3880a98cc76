//! Searches for impulses of one contact that leave less energy; the [head](super) has the derivation.

use super::{Contact, Law, norm};
use crate::{Extended, Verdict};

/// Directions of the scan of a contact with two tangents.
const DIRECTIONS: usize = 256;

/// Opening of the edge, relative to its terms, that is rounding of the block: entries that joints reduce have lost digits.
const DOUBT: f64 = 1e-12;

/// The convex set of impulses `y` that keep the contact closed, and the energy on it.
struct Region<'a> {
    /// `k`.
    coupling: &'a [f64],
    /// `c`.
    bound: f64,
    /// `y`.
    here: &'a [f64],
    /// `u_t`, the gradient of the energy at `y`.
    gradient: &'a [f64],
    /// Uncertainty of the gradient (m/s).
    slack: f64,
    /// `P` by rows.
    curvature: Vec<f64>,
}

/// Searches for a chord from the impulse along which the contact dissipates more energy.
pub(super) fn look(contact: &Contact<'_>, verdict: &mut Verdict) {
    let slip: Vec<f64> = contact.velocity[1..].iter().map(|u| u.value()).collect();
    let speed = norm(&slip);
    if speed <= contact.velocity_slack {
        return; // The gradient vanishes within its tolerance, and a convex energy has its minimum there.
    }
    // By definition, a contact that separates because of the others, however slowly, has no impulse. Whether
    // it does is known exactly only if there are no others.
    let free = contact.free_velocity()[0].value();
    let unknown = if contact.alone { 0.0 } else { contact.velocity_slack };
    if contact.impulse[0] * contact.inverse_mass <= contact.velocity_slack
        && (free > 0.0 || -free < unknown)
    {
        return;
    }
    let size = contact.impulse.len();
    let (here, coupling) = (&contact.impulse[1..], contact.coupling(Law::MaximumDissipation));
    let entry = |i: usize, j: usize| {
        let mean = |i: usize, j: usize| {
            contact.block[i * size + j] / 2.0 + contact.block[j * size + i] / 2.0
        };
        mean(i, j) - mean(0, i) * (mean(0, j) / contact.block[0])
    };
    let curvature = (1..size).flat_map(|i| (1..size).map(move |j| (i, j)));
    let curvature = curvature.map(|(i, j)| entry(i, j)).collect();
    // The edge through the impulse itself, which may be off the exact edge by its tolerance. That one has c ≥ 0, since a contact that
    // pushes has b_n ≥ 0; a negative bound would put points on the far side of the apex, which no cone contains.
    let bound = (norm(here) + dot(here, &coupling)).max(0.0);
    let slack = contact.velocity_slack;
    let region = Region { coupling: &coupling, bound, here, gradient: &slip, slack, curvature };
    let gain =
        if size == 2 { region.gain(&[1.0]).max(region.gain(&[-1.0])) } else { region.best_gain() };
    let limit = 8.0 * contact.impulse_slack * (speed + contact.velocity_slack);
    verdict.look("dissipation", contact.index, Extended::from(gain), limit);
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Region<'_> {
    /// The best of a scan of the circle, refined by golden sections between its neighbors.
    fn best_gain(&self) -> f64 {
        let turn = std::f64::consts::TAU / DIRECTIONS as f64;
        let at = |angle: f64| self.gain(&[angle.cos(), angle.sin()]);
        let angles = (0..DIRECTIONS).map(|i| i as f64 * turn);
        let best = angles.max_by(|a, b| at(*a).total_cmp(&at(*b))).unwrap_or(0.0);
        let (mut low, mut high) = (best - turn, best + turn);
        let golden = (5.0_f64.sqrt() - 1.0) / 2.0;
        for _ in 0..40 {
            let (left, right) = (high - golden * (high - low), low + golden * (high - low));
            if at(left) > at(right) {
                high = right;
            } else {
                low = left;
            }
        }
        at(best).max(at((low + high) / 2.0))
    }

    /// The largest energy that the chord from the impulse to the edge in `direction`, or to infinity, dissipates.
    fn gain(&self, direction: &[f64]) -> f64 {
        let opening = 1.0 + dot(direction, self.coupling);
        // Whether the edge exists is not known where the opening is rounding: either answer is right.
        if opening.abs() <= DOUBT * (1.0 + norm(self.coupling)) {
            return 0.0;
        }
        // Without an edge in this direction the set contains the whole ray that leads there from any of its points.
        let chord: Vec<f64> = if opening > 0.0 {
            let radius = self.bound / opening;
            direction.iter().zip(self.here).map(|(d, y)| radius * d - y).collect()
        } else {
            direction.to_vec()
        };
        let slope = dot(self.gradient, &chord) + self.slack * norm(&chord);
        if slope.is_nan() || slope >= 0.0 {
            return 0.0;
        }
        let n = chord.len();
        let bend: f64 =
            (0..n).map(|i| chord[i] * dot(&self.curvature[i * n..(i + 1) * n], &chord)).sum();
        if -slope < bend || (opening <= 0.0 && bend > 0.0) {
            // In this order, because the square may overflow.
            slope / 2.0 * (slope / bend)
        } else if opening > 0.0 {
            -slope - bend.max(0.0) / 2.0
        } else {
            f64::INFINITY
        }
    }
}
