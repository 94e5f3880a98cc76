//! Routh's method for one contact in the plane, or without friction: the path by straight legs.

use super::{Impact, Outcome};
use crate::{
    Extended, Verdict,
    kinetic::{dot, extended},
};

/// The end of an impact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restitution {
    /// Newton: separation at `e` times the speed of approach.
    Kinematic,
    /// Poisson: the impulse of the expansion is `e` times that of the compression.
    Kinetic,
    /// Stronge: the expansion gives back `e²` times the work of the compression.
    Energetic,
}

/// A point of the path: velocities, impulses and the work of the normal impulse.
#[derive(Clone, Copy, Debug)]
struct Point {
    normal: Extended,
    tangential: Extended,
    push: Extended,
    friction: Extended,
    work: Extended,
}

/// The contact: `W = [[nn, nt], [nt, tt]]` and `μ`.
struct Path {
    nn: Extended,
    nt: Extended,
    tt: Extended,
    friction: Extended,
}

impl Impact {
    /// Routh's method for the only contact, with at most one tangent; no other contacts are checked.
    ///
    /// The reference follows the definition: friction `−μ` against the slip while it lasts, then what holds the slip at
    /// zero if that is at most `μ`, and otherwise the slip that friction cannot hold.
    #[must_use]
    pub fn routh(&self, outcome: &Outcome, restitution: Restitution, tolerance: f64) -> Verdict {
        let mut verdict = Verdict::default();
        let [contact] = self.contacts() else { return verdict };
        if contact.tangents.len() > 1 || !self.sizes_agree(outcome) {
            return verdict;
        }
        if self.left_alone(outcome, tolerance, &mut verdict) {
            return verdict;
        }
        let slack = self.slack(&contact.normal, tolerance);
        let normal = extended(&contact.normal);
        let zero = vec![0.0; contact.normal.len()];
        let tangent = extended(contact.tangents.first().unwrap_or(&zero));
        let response = |row: &[Extended]| self.bodies.response(&self.bodies.movable(row));
        let (of_normal, of_tangent) = (response(&normal), response(&tangent));
        let path = Path {
            nn: dot(&normal, &of_normal),
            nt: dot(&normal, &of_tangent),
            tt: dot(&tangent, &of_tangent),
            friction: Extended::from(contact.friction),
        };
        let start = Point {
            normal: dot(&normal, &self.free),
            tangential: dot(&tangent, &self.free),
            push: Extended::ZERO,
            friction: Extended::ZERO,
            work: Extended::ZERO,
        };
        // A contact that is hardly struck, hardly moves or is nearly singular amplifies rounding errors without bound.
        let minor = (path.nn * path.tt - path.nt * path.nt).value();
        let regular = path.tt.value() <= 0.0 || minor > 1e-6 * (path.nn * path.tt).value();
        let struck = start.normal.value() < -1e3 * slack.velocity;
        if !regular || !struck || path.nn.value() <= 1e-6 * slack.size * slack.size {
            return verdict;
        }
        let Some(end) = path.follow(start, restitution, Extended::from(contact.restitution)) else {
            return verdict;
        };
        // Amplification of the rounding of the data, by the slip within the impact and by the minor.
        let magnified = 1e6 * (1.0 + contact.friction);
        let after = extended(&outcome.velocity);
        let error = (dot(&normal, &after) - end.normal).abs();
        verdict.look("normal velocity of the path", 0, error, magnified * slack.velocity);
        let push = (Extended::from(outcome.impulses[0][0]) - end.push).abs();
        verdict.look("percussion of the path", 0, push, magnified * slack.impulse);
        if let Some(row) = contact.tangents.first() {
            let error = (dot(&tangent, &after) - end.tangential).abs();
            let slack = self.slack(row, tolerance);
            verdict.look("tangential velocity of the path", 0, error, magnified * slack.velocity);
        }
        verdict
    }
}

impl Path {
    /// Friction per normal impulse at a point.
    fn ratio(&self, tangential: Extended) -> Extended {
        let zero = Extended::ZERO;
        if self.tt <= zero {
            return zero;
        }
        if tangential > zero {
            return -self.friction;
        }
        if tangential < zero {
            return self.friction;
        }
        let hold = -self.nt / self.tt;
        hold.max(-self.friction).min(self.friction)
    }

    /// The end of the path; `None` if it does not end.
    fn follow(
        &self,
        start: Point,
        restitution: Restitution,
        coefficient: Extended,
    ) -> Option<Point> {
        let mut point = start;
        let mut compressed = None;
        for _ in 0..8 {
            let ratio = self.ratio(point.tangential);
            let rates = (self.nn + self.nt * ratio, self.nt + self.tt * ratio);
            // The end of the slip.
            let stop =
                (point.tangential * rates.1 < Extended::ZERO).then(|| -point.tangential / rates.1);
            let end = match compressed {
                None => (rates.0 > Extended::ZERO).then(|| -point.normal / rates.0),
                Some(middle) => self.end(start, point, middle, rates.0, restitution, coefficient),
            };
            let length = match (stop, end) {
                (None, None) => return None,
                (Some(length), None) | (None, Some(length)) => length,
                (Some(stop), Some(end)) => stop.min(end),
            };
            let at_end = end == Some(length);
            let half = Extended::from(0.5);
            // A contact that sticks has no slip; where the rate that holds it leaves a rounding error of
            // slip, this would be a leg of friction against it, along which the path need not end.
            let sticks =
                point.tangential == Extended::ZERO && self.nt.abs() <= self.friction * self.tt;
            point = Point {
                normal: point.normal + rates.0 * length,
                tangential: if stop == Some(length) || sticks {
                    Extended::ZERO
                } else {
                    point.tangential + rates.1 * length
                },
                push: point.push + length,
                friction: point.friction + ratio * length,
                work: point.work + (point.normal + half * rates.0 * length) * length,
            };
            if at_end && compressed.is_some() {
                return Some(point);
            }
            if at_end {
                point.normal = Extended::ZERO;
                compressed = Some(point);
            }
        }
        None
    }

    /// The impulse from `point` to the end of the expansion, if this leg leads there.
    fn end(
        &self,
        start: Point,
        point: Point,
        middle: Point,
        rate: Extended,
        restitution: Restitution,
        coefficient: Extended,
    ) -> Option<Extended> {
        let length = match restitution {
            Restitution::Kinematic => {
                if rate <= Extended::ZERO {
                    return None;
                }
                (-start.normal * coefficient - point.normal) / rate
            }
            Restitution::Kinetic => (Extended::ONE + coefficient) * middle.push - point.push,
            Restitution::Energetic => {
                // ½ rate x² + u x = the remaining restitution.
                let owed = -(coefficient * coefficient) * middle.work - (point.work - middle.work);
                if owed <= Extended::ZERO {
                    return Some(Extended::ZERO);
                }
                let two = Extended::from(2.0);
                let square = point.normal * point.normal + two * rate * owed;
                // The form without cancellation. A leg that slows the separation need not provide the
                // remaining restitution, and a leg that leaves the contact at rest provides none.
                let below = point.normal + square.max(Extended::ZERO).sqrt();
                if square < Extended::ZERO || below <= Extended::ZERO {
                    return None;
                }
                two * owed / below
            }
        };
        (length >= Extended::ZERO).then_some(length)
    }
}
