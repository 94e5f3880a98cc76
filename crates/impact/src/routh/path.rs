//! The path of one contact through the impact: impulse, work of compression, and the end.

use nalgebra::{Matrix2, Matrix3, SymmetricEigen, Vector2, Vector3};

use super::Restitution;
use crate::{Contact, outcome::Phase};

/// State of the impact after a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Walk {
    /// The segment has ended, but not the impact.
    On,
    /// The impact is over.
    Ended,
    /// The limit of steps was reached.
    Limit,
}

/// What ends a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LegEnd {
    /// The contact stops approaching.
    Compression,
    /// The restitution is reached.
    Restitution,
    /// The slip stops.
    Slip,
    /// The limit of steps.
    Limit,
}

/// A segment of the path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leg {
    pub(crate) phase: Phase,
    /// Impulse at its end.
    pub(crate) percussion: Vector3<f64>,
    /// Friction per unit of normal impulse.
    pub(crate) tangential: [f64; 2],
    pub(crate) end: LegEnd,
    /// Whether the slip turns, so that friction is not constant.
    pub(crate) is_curved: bool,
}

/// Totals over the phases in which the contact approaches, or over those in which it separates.
#[derive(Clone, Copy, Debug, Default)]
struct Total {
    /// Normal impulse (N·s).
    percussion: f64,
    /// Size of the work of the normal impulse (J).
    work: f64,
}

#[derive(Debug)]
pub(super) struct Path<'a> {
    pub(super) delassus: Matrix3<f64>,
    /// Contact velocity before the impact.
    pub(super) start: Vector3<f64>,
    pub(super) friction: f64,
    contact: &'a Contact,
    rule: Restitution,
    /// Relative rounding of the entries of `W`.
    rounding: f64,
    /// Fraction of the speed before the impact that may remain of the sliding where it ended.
    pub(super) left: f64,
    pub(super) percussion: Vector3<f64>,
    /// Work of the normal impulse since the last event (J).
    pub(super) work: f64,
    /// Normal impulse at the last event.
    mark: f64,
    approaches: bool,
    compression: Total,
    expansion: Total,
    pub(super) legs: Vec<Leg>,
}

impl<'a> Path<'a> {
    pub(super) const fn new(
        delassus: Matrix3<f64>,
        start: Vector3<f64>,
        contact: &'a Contact,
        rule: Restitution,
        rounding: f64,
    ) -> Self {
        Self {
            delassus,
            start,
            friction: contact.friction,
            contact,
            rule,
            rounding,
            left: 0.0,
            percussion: Vector3::new(0.0, 0.0, 0.0),
            work: 0.0,
            mark: 0.0,
            approaches: true,
            compression: Total { percussion: 0.0, work: 0.0 },
            expansion: Total { percussion: 0.0, work: 0.0 },
            legs: Vec::new(),
        }
    }

    pub(super) fn normal_velocity(&self, percussion: &Vector3<f64>) -> f64 {
        self.start.x + (self.delassus.row(0) * percussion).x
    }

    pub(super) fn tangential_velocity(&self) -> Vector2<f64> {
        (self.start + self.delassus * self.percussion).yz()
    }

    /// Continues with the friction `tangential` per unit of normal impulse, for at most `duration` (N·s).
    pub(super) fn straight(
        &mut self,
        phase: Phase,
        tangential: [f64; 2],
        mut duration: f64,
    ) -> Walk {
        let rate = Vector3::new(1.0, tangential[0], tangential[1]);
        let slope = (self.delassus.row(0) * rate).x;
        // A contact whose normal depends on its tangents does not move along it while it sticks. The rounding
        // of the slope could lead to either end, with unbounded impulses.
        let terms = (self.delassus.row(0).abs() * rate.abs()).x;
        let slope = if slope.abs() <= self.rounding * terms { 0.0 } else { slope };
        loop {
            let velocity = self.normal_velocity(&self.percussion);
            let event = self.distance_to_event(velocity, slope);
            let length = event.min(duration);
            if !length.is_finite() {
                return Walk::On;
            }
            self.percussion += rate * length;
            self.work += length * (velocity + 0.5 * slope * length);
            let end = if event > duration {
                LegEnd::Slip
            } else if self.approaches {
                LegEnd::Compression
            } else {
                LegEnd::Restitution
            };
            let (percussion, is_curved) = (self.percussion, false);
            self.legs.push(Leg { phase, percussion, tangential, end, is_curved });
            if event > duration {
                return Walk::On;
            }
            // The only event of a segment that separates is its end; rounding must not decide otherwise.
            if !self.approaches || self.is_over() {
                return Walk::Ended;
            }
            self.turn();
            duration -= event;
        }
    }

    /// Normal impulse up to the end of the compression or of the impact; infinite if `slope` (the change of
    /// the normal velocity per unit of impulse) does not lead there.
    ///
    /// A straight segment does not lead from separation to approach: where sliding has ended, slopes are not
    /// negative.
    fn distance_to_event(&self, velocity: f64, slope: f64) -> f64 {
        let rising = |distance: f64| if slope > 0.0 { distance.max(0.0) } else { f64::INFINITY };
        if self.approaches {
            return if slope == 0.0 && -velocity <= self.still() {
                0.0
            } else {
                rising(-velocity / slope)
            };
        }
        let missing = -self.restitution_reached(velocity, self.percussion.x, self.work);
        match self.rule {
            Restitution::Kinematic => rising(missing / slope),
            Restitution::Kinetic => missing.max(0.0),
            Restitution::Energetic => {
                let velocity = velocity.max(0.0);
                let root = (velocity * velocity + 2.0 * slope * missing.max(0.0)).sqrt();
                rising(2.0 * missing / (velocity + root))
            }
        }
    }

    /// Normal velocity that is rounding or a remainder of the end of sliding (m/s): for a contact whose
    /// normal depends on its tangents both end together.
    fn still(&self) -> f64 {
        let terms = (self.delassus.row(0).abs() * self.percussion.abs()).x;
        self.rounding * (self.start.x.abs() + terms) + self.left * self.start.norm()
    }

    /// Amount by which the restitution of the contact is exceeded: velocity (m/s), impulse (N·s) or work (J),
    /// depending on the rule.
    fn restitution_reached(&self, velocity: f64, percussion: f64, work: f64) -> f64 {
        let e = self.contact.restitution;
        let (back, taken) = (self.expansion, self.compression);
        match self.rule {
            Restitution::Kinematic => velocity + e * self.start.x,
            Restitution::Kinetic => back.percussion + percussion - self.mark - e * taken.percussion,
            Restitution::Energetic => back.work + work - e * e * taken.work,
        }
    }

    /// Event function of the normal velocity, normal impulse and work: negative before the next event, and
    /// increasing through zero at it. While the contact separates, both the end of the impact and a new
    /// approach are events.
    pub(super) fn event(&self, velocity: f64, percussion: f64, work: f64) -> f64 {
        if self.approaches {
            return velocity;
        }
        self.restitution_reached(velocity, percussion, work).max(-velocity)
    }

    /// Whether the event here is the end of the impact, or only a change between approach and separation.
    pub(super) fn next_end(&self) -> LegEnd {
        if self.approaches || !self.is_over() { LegEnd::Compression } else { LegEnd::Restitution }
    }

    /// Whether the event that the path has reached ends the impact.
    pub(super) fn is_over(&self) -> bool {
        if self.approaches {
            return self.contact.restitution == 0.0;
        }
        let velocity = self.normal_velocity(&self.percussion);
        self.restitution_reached(velocity, self.percussion.x, self.work) >= 0.0
    }

    /// Changes from approach to separation, or back.
    pub(super) fn turn(&mut self) {
        let total = if self.approaches { &mut self.compression } else { &mut self.expansion };
        total.percussion += self.percussion.x - self.mark;
        total.work += self.work.abs();
        (self.mark, self.work) = (self.percussion.x, 0.0);
        self.approaches = !self.approaches;
    }

    /// Returns the phase after the end of sliding and its friction per unit of normal impulse.
    ///
    /// Sticking requires `f = −W_tt⁺ w_tn`. If friction cannot provide this, sliding starts again along a
    /// unit vector `d` whose velocity grows, `w_tn − μ W_tt d = κ d` with `κ > 0`; the norm of
    /// `(μ W_tt + κ)⁻¹ w_tn` decreases with `κ` and is 1 for exactly one value.
    pub(super) fn after_sliding(&self) -> (Phase, [f64; 2]) {
        let block: Matrix2<f64> = self.delassus.fixed_view::<2, 2>(1, 1).into_owned();
        let coupling = Vector2::new(self.delassus[(1, 0)], self.delassus[(2, 0)]);
        let eigen = SymmetricEigen::new(block);
        let parts = eigen.eigenvectors.tr_mul(&coupling);
        let zero = 4.0 * f64::EPSILON * eigen.eigenvalues.amax();
        let stick =
            parts.zip_map(
                &eigen.eigenvalues,
                |part, value| {
                    if value > zero { -part / value } else { 0.0 }
                },
            );
        if stick.norm() <= self.friction {
            return (Phase::Stick, (eigen.eigenvectors * stick).into());
        }
        let direction = |kappa: f64| {
            let shift = |part, value: f64| part / (self.friction * value.max(0.0) + kappa);
            parts.zip_map(&eigen.eigenvalues, shift)
        };
        // At κ = ‖w_tn‖ the norm is at most 1; 200 bisections exhaust the precision of a double.
        let (mut low, mut high) = (0.0, parts.norm());
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if direction(middle).norm() > 1.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        let direction = direction(high);
        let friction = eigen.eigenvectors * direction.normalize() * -self.friction;
        (Phase::Slide, friction.into())
    }
}
