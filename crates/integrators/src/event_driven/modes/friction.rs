//! Friction at the contacts of a decision, and how the polygon of its directions is made round.

use super::{Answer, Closed};
use crate::event_driven::geometry::Geometry;

/// Maximum number of corrections of the directions of impending slip.
///
/// A direction is replaced by that of the slip it leads to, which is a contraction if the slip is fast compared with the friction. If
/// the corrections do not halve, part of the old direction is kept, as in a projection of the friction force that moves by a small part of
/// the slip acceleration.
pub(super) const ROUNDINGS: usize = 200;

/// The smallest part of the old direction that is kept, relative to the acceleration by friction.
const LEAST_EASE: f64 = 0.25;

/// Treatment of the friction of a contact in the problem.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Friction {
    /// At its bound against this direction; zero without friction.
    Along([f64; 2]),
    /// In the polygon.
    Polygon,
    /// Against a slip that starts in this direction, for contacts in space that leave their polygon.
    Onset([f64; 2]),
    /// Friction as large as sticking requires, for contacts within the circle and outside the polygon.
    Hold,
}

/// How strongly the directions of impending slip keep their old value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rounding {
    ease: f64,
    /// The largest change of the last iteration.
    before: f64,
    zero: f64,
}

impl Rounding {
    /// Slip accelerations up to `zero` (m/s²) have no direction.
    pub(super) const fn new(zero: f64) -> Self {
        Self { ease: 0.0, before: f64::INFINITY, zero }
    }

    /// Gives all contacts the friction of the next iteration, and returns the largest change of an acceleration (m/s²).
    pub(super) fn apply(
        &mut self,
        geometry: &Geometry<'_>,
        closed: &mut [Closed],
        answers: &[Answer],
    ) -> f64 {
        let mut change = 0.0_f64;
        for (contact, answer) in closed.iter_mut().zip(answers) {
            let friction = geometry.contacts.as_slice()[contact.contact].friction;
            let bound = friction * answer.normal * contact.inverse_mass;
            let next = contact.friction.rounded(answer, bound, contact.inverse_mass, self);
            change = change.max(contact.friction.difference(&next, bound));
            contact.friction = next;
        }
        if change > 0.5 * self.before {
            self.ease = (2.0 * self.ease).max(LEAST_EASE);
        }
        self.before = change;
        change
    }
}

impl Friction {
    /// Friction for the next iteration, from the answer with the current one.
    ///
    /// `bound` is the acceleration that friction at its bound causes (m/s²), and `ease` the weight of the current direction: a
    /// direction of impending slip moves towards `ease · bound · d + a`.
    fn rounded(
        self,
        answer: &Answer,
        bound: f64,
        inverse_mass: f64,
        &Rounding { ease, zero, .. }: &Rounding,
    ) -> Self {
        let [a, b] = answer.slip_acceleration;
        let size = a.hypot(b);
        match self {
            Self::Polygon if size > zero => Self::Onset([a / size, b / size]),
            Self::Onset([c, d]) if a * c + b * d < -zero => Self::Hold,
            Self::Onset([c, d]) if size > zero => {
                let kept = ease * bound;
                let [x, y] = [kept * c + a, kept * d + b];
                let length = x.hypot(y);
                Self::Onset([x / length, y / length])
            }
            Self::Hold => {
                let [p, q] = answer.tangent;
                let force = p.hypot(q);
                let excess = force * inverse_mass - bound;
                if excess > zero { Self::Onset([-p / force, -q / force]) } else { self }
            }
            same => same,
        }
    }

    /// The change of the acceleration by friction at the `bound` (m/s²); infinite if friction is of another kind.
    fn difference(&self, other: &Self, bound: f64) -> f64 {
        match (self, other) {
            (Self::Onset(a), Self::Onset(b)) => bound * (a[0] - b[0]).hypot(a[1] - b[1]),
            _ if self == other => 0.0,
            _ => f64::INFINITY,
        }
    }
}
