//! Motions with contacts: recorded states, and single steps with their contact impulses.
//!
//! A [`Scene`] describes the bodies by plain numbers. [`Scene::motion`] judges only states, of any scheme:
//!
//! | figure | condition | unit |
//! | --- | --- | --- |
//! | finite | every coordinate and velocity is a finite number | – |
//! | quaternion | quaternions have length 1 | – |
//! | energy | `E(t) ≤ E(0) + x K(T)` until the end `T`, where `x` is the error that the scheme states | J |
//!
//! **Bound of a passive motion.** Gravity, constant forces and contacts that do not push by themselves give a
//! kinetic energy of at most `K(t) = ½ (√(2 K(0)) + a t)²` with `a² = Σ F_i²/m_i`. In the metric of the
//! masses the speed `√(2K)` grows by no more than the acceleration that the forces give free bodies, because
//! joints and contacts can only reduce it. This bound does not depend on the answer.
//!
//! **Rest.** Gaps at the start are known up to the rounding `δ` of coordinates and sizes. An overlap of `δ`
//! may therefore belong to bodies that touch, and a scheme may remove it within the time `τ` that it states,
//! which is its step, or the whole motion if errors are controlled. A contact that opens at `δ/τ` has the
//! energy `½ m (δ/τ)²`, where `m` is its effective mass, at most that of all bodies. This energy is allowed
//! in addition for each contact; without it, bodies at rest in the absence of forces would have a limit of
//! zero.
//!
//! [`Scene::step`] judges one step of a scheme that reports contact impulses, with the velocity `u` of one surface against
//! the other taken where the scheme states its equations:
//!
//! | figure | condition | unit |
//! | --- | --- | --- |
//! | momentum | `m (v' − v) = h F + Σ P` of every free body | N·s |
//! | angular momentum | the same with the moments of the impulses | N·m·s |
//! | adhesion, cone | `P_n ≥ 0`, `‖P_t‖ ≤ μ P_n` | N·s |
//! | approach | the bound of `u_n` that the [`Rule`] has | m/s |
//! | complementarity | no push where that bound is not reached | m/s |
//! | friction | `P_t·u_t ≤ 0` | J |
//! | work | `E' − E ≤ Σ max(0, P·ū)`: only the impulses add energy (constant masses) | J |
//! | penetration | the gap at the end that the rule allows | m |
//!
//! **Work.** With a constant mass matrix, constant forces and `q' = q ⊕ h w`, where `w` is `v'` or `(v + v')/2`, potential
//! energy changes by `−h F·w` exactly, and `½ (v' + v)·M (v' − v) = ½ (v' + v)·(h F + Jᵀ P)`. For `w = (v + v')/2` the sum is
//! `P·(u + u')/2`, for `w = v'` it is `P·u' − ½ ‖v' − v‖²`. No property of the contacts is used.
//!
//! **Curvature.** A point at the distance `r` from a center that turns at the rate `Ω` leaves its tangent by
//! at most `r (hΩ)²` in a step (twice the second-order term, to cover higher orders); distances of centers
//! are convex. The first-order gaps, which the rules control, therefore hold up to this amount.
//!
//! # Source
//!
//! D. E. Stewart, J. C. Trinkle 1996; T. Preclik, S. Eibl, U. Rüde 2017; M. Jean, J. J. Moreau 1992 (the rules); derivations
//! above.

mod ends;
mod scene;
mod slack;
#[cfg(test)]
mod tests;

use crate::{Extended, Verdict};
use scene::{Vector, cross, dot, minus, plus, size, times, vector};

pub use scene::{Ball, Body, Contact, Kind, Other, Scene};

/// A state of a motion.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    /// Time since the start (s).
    pub time: f64,
    /// Coordinates.
    pub coordinates: &'a [f64],
    /// Velocity.
    pub velocity: &'a [f64],
}

/// The energy error of a scheme.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Keeping {
    /// Steps of this length (s), with an error of first order: `x = hΩ`.
    First(f64),
    /// Steps of this length (s), with an error of second order: `x = (hΩ)²`.
    Second(f64),
    /// Steps with error control: this fraction of the energy.
    Controlled(f64),
}

/// The conditions of a scheme on one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// `0 ≤ P_n ⊥ g(q') ≥ 0`, normals of `q'`; gaps and positions hold to the first tolerance (m), angles to the second (rad).
    StewartTrinkle([f64; 2]),
    /// `0 ≤ P_n ⊥ u'_n + (max(0, g) + ε min(0, g))/h ≥ 0`, normals of `q`; this `ε`.
    ImpulseVelocity(f64),
    /// `0 ≤ P_n ⊥ u'_n − e max(0, −u_n) ≥ 0` where the forecast is closed, normals of the forecast; positions of `q'` hold to the first
    /// tolerance (m), angles to the second (rad).
    MoreauJean([f64; 2]),
}

/// One step and its impulses.
#[derive(Clone, Debug)]
pub struct Step<'a> {
    /// Length (s).
    pub length: f64,
    /// Before.
    pub start: Sample<'a>,
    /// After.
    pub end: Sample<'a>,
    /// Coordinates at which the scheme takes normals and arms.
    pub place: &'a [f64],
    /// Contacts and their impulses on the first surface (N·s, world axes).
    pub impulses: &'a [(usize, [f64; 3])],
    /// Ratio of the rate at which the frame of each impulse turns to that of its normal (≥ 1 each; 1 beyond
    /// the end of the list). Tangents that come from a fixed axis turn fast if the normal is near it.
    pub twists: &'a [f64],
    /// Stated tolerance of the contact problem, relative to its largest velocity.
    pub tolerance: f64,
}

/// Roundings of a sum of a few products, each with a few factors.
const ROUNDINGS: f64 = 200.0 * f64::EPSILON;

impl Scene {
    /// `½ (√(2 K(0)) + a t)²`: no passive motion has more kinetic energy (J).
    #[must_use]
    pub fn passive(&self, start: &Sample<'_>, time: f64) -> f64 {
        let pull: f64 = self.bodies.iter().map(|b| size(self.load(b)).powi(2) / b.mass).sum();
        let speed = (2.0 * self.kinetic(start.coordinates, start.velocity).value()).sqrt();
        0.5 * (speed + pull.sqrt() * time).powi(2)
    }

    /// The fastest rate `Ω` at which bodies and normals turn with the kinetic energy `energy`, or swing under the forces (rad/s).
    fn fastest(&self, energy: f64) -> f64 {
        let mut fastest = 0.0_f64;
        for body in &self.bodies {
            let moments =
                if self.kind == Kind::Space { &body.inertia[..] } else { &body.inertia[2..] };
            let least = moments.iter().copied().fold(f64::INFINITY, f64::min);
            // The rate of a joint is the difference of two.
            let joints = if self.kind == Kind::Links { 2.0 } else { 1.0 };
            fastest = fastest.max(joints * (2.0 * energy / least).sqrt());
        }
        if self.kind == Kind::Links {
            // Pendulums: the largest moment of all forces divided by the least inertia.
            let least =
                self.bodies.iter().map(|body| body.inertia[2]).fold(f64::INFINITY, f64::min);
            let way: f64 = self
                .bodies
                .iter()
                .map(|b| b.joint[0].hypot(b.joint[1]) + b.center[0].hypot(b.center[1]))
                .sum();
            let moment: f64 = self.bodies.iter().map(|body| size(self.load(body)) * way).sum();
            fastest = (fastest.powi(2) + moment / least).sqrt();
        }
        if self.kind != Kind::Links {
            // A body that sticks or leans at a contact is a pendulum about it, at the arm from its center of mass. The contact
            // carries its own forces and those of the bodies that rest on it.
            let force: f64 = self.bodies.iter().map(|body| size(self.load(body))).sum();
            let stiffest = |ball: &Ball| {
                let moments = &self.bodies[ball.body].inertia;
                let moments = if self.kind == Kind::Space { &moments[..] } else { &moments[2..] };
                let least = moments.iter().copied().fold(f64::INFINITY, f64::min);
                force * (size(vector(&ball.center)) + ball.radius) / least
            };
            let other = |contact: &Contact| match &contact.other {
                Other::Ball(ball) => stiffest(ball),
                Other::Plane(..) => 0.0,
            };
            let rates = self.contacts.iter().map(|of| stiffest(&of.ball).max(other(of)));
            fastest = (fastest.powi(2) + rates.fold(0.0, f64::max)).sqrt();
        }
        let lightest = self.bodies.iter().map(|body| body.mass).fold(f64::INFINITY, f64::min);
        for contact in &self.contacts {
            if let Other::Ball(other) = &contact.other {
                let radius = contact.ball.radius + other.radius;
                fastest = fastest.max(2.0 * (2.0 * energy / lightest).sqrt() / radius);
            }
        }
        fastest
    }

    /// `x` of the [module head](self), at most 1: a scheme whose energy doubles is wrong for any order.
    fn part(&self, keeping: Keeping, energy: f64) -> f64 {
        match keeping {
            Keeping::First(h) => (h * self.fastest(energy)).min(1.0),
            Keeping::Second(h) => (h * self.fastest(energy)).powi(2).min(1.0),
            Keeping::Controlled(part) => part,
        }
    }

    /// Energy of a motion of the length `span` (s) whose contacts open by the rounding of their gaps; see the
    /// [module head](self).
    fn rest(&self, keeping: Keeping, start: &Sample<'_>, span: f64) -> f64 {
        let time = match keeping {
            Keeping::First(h) | Keeping::Second(h) => h,
            Keeping::Controlled(_) => span,
        };
        if time.is_nan() || time <= 0.0 {
            return 0.0;
        }
        let mass: f64 = self.bodies.iter().map(|body| body.mass).sum();
        let speed = self.rounding(start.coordinates) / time;
        0.5 * mass * speed * speed * self.contacts.len() as f64
    }

    /// Judges states of a motion, the first of which is its start. `elastic` is energy of the contacts at each state (J), none
    /// for rigid ones.
    #[must_use]
    pub fn motion(&self, samples: &[Sample<'_>], keeping: Keeping, elastic: &[f64]) -> Verdict {
        let mut verdict = Verdict::default();
        let Some(start) = samples.first() else { return verdict };
        let energy = |index: usize, sample: &Sample<'_>| {
            let (potential, absolute) = self.potential(sample.coordinates);
            let kinetic = self.kinetic(sample.coordinates, sample.velocity);
            let elastic = elastic.get(index).copied().map_or(Extended::ZERO, Extended::from);
            (kinetic + potential + elastic, absolute)
        };
        let (before, size_before) = energy(0, start);
        // The statements of schemes hold for a whole motion, not for its first steps alone.
        let last = samples.last().map_or(start.time, |sample| sample.time);
        let passive = self.passive(start, last - start.time);
        let rest = self.rest(keeping, start, last - start.time);
        for (index, sample) in samples.iter().enumerate() {
            self.state(&mut verdict, index, sample);
            if verdict.refuses("finite") {
                return verdict;
            }
            let (after, size_after) = energy(index, sample);
            let limit = self.part(keeping, passive) * passive
                + rest
                + ROUNDINGS * (size_before + size_after + passive);
            verdict.look("energy", index, after - before, limit);
        }
        verdict
    }

    /// Finite numbers and quaternions of length 1: each retraction adds a few rounding errors, and the input has six digits.
    fn state(&self, verdict: &mut Verdict, index: usize, sample: &Sample<'_>) {
        let all = sample.coordinates.iter().chain(sample.velocity);
        let sizes = sample.coordinates.len() == self.coordinate_count()
            && sample.velocity.len() == self.velocity_count();
        let wrong = all.filter(|x| !x.is_finite()).count() + usize::from(!sizes);
        verdict.look("finite", index, Extended::from(wrong as f64), 0.0);
        if self.kind == Kind::Space && sizes {
            for q in sample.coordinates.chunks(7) {
                let square: Extended = q[3..].iter().map(|&x| Extended::product(x, x)).sum();
                let limit = if index == 0 { 1e-6 } else { 16.0 * f64::EPSILON };
                verdict.look("quaternion", index, (square.sqrt() - Extended::ONE).abs(), limit);
            }
        }
    }

    /// Checks all gaps of states; each may be at most `depth` (m) below zero, apart from the rounding of coordinates.
    #[must_use]
    pub fn gaps(&self, samples: &[Sample<'_>], depth: f64) -> Verdict {
        let mut verdict = Verdict::default();
        for (index, sample) in samples.iter().enumerate() {
            let frames = self.frames(sample.coordinates);
            for contact in &self.contacts {
                let gap = self.touch(&frames, contact).0;
                verdict.look("penetration", index, -gap, depth + self.rounding(sample.coordinates));
            }
        }
        verdict
    }

    /// Rounding of a gap (m).
    fn rounding(&self, q: &[f64]) -> f64 {
        let largest = q.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
        let reach = self.contacts.iter().map(|contact| self.reach(contact) + contact.ball.radius);
        ROUNDINGS * (largest + reach.fold(0.0, f64::max)) * (1.0 + self.bodies.len() as f64)
    }

    /// Judges one step by the rule of its scheme.
    #[must_use]
    pub fn step(&self, rule: Rule, step: &Step<'_>) -> Verdict {
        let mut verdict = Verdict::default();
        self.state(&mut verdict, 1, &step.end);
        if verdict.refuses("finite") {
            return verdict;
        }
        if self.kind != Kind::Links {
            self.momentum(&mut verdict, rule, step);
        }
        let work = self.laws(&mut verdict, rule, step);
        if self.is_constant() {
            let energy = |sample: &Sample<'_>| {
                let (potential, absolute) = self.potential(sample.coordinates);
                let kinetic = self.kinetic(sample.coordinates, sample.velocity);
                (kinetic + potential, absolute + kinetic.value())
            };
            let ((before, first), (after, last)) = (energy(&step.start), energy(&step.end));
            let limit = work.0 + ROUNDINGS * (first + last + work.1);
            verdict.look("work", 0, after - before, limit);
        }
        self.ends(&mut verdict, rule, step);
        verdict
    }

    /// Momentum of free bodies.
    fn momentum(&self, verdict: &mut Verdict, rule: Rule, step: &Step<'_>) {
        let h = Extended::from(step.length);
        let frames =
            [step.start.coordinates, step.place, step.end.coordinates].map(|q| self.frames(q));
        let rates = [(0, step.start.velocity), (2, step.end.velocity)]
            .map(|(at, v)| self.rates(&frames[at], v));
        for (i, body) in self.bodies.iter().enumerate() {
            let mass = Extended::from(body.mass);
            let mut terms = vec![
                times(mass, rates[1][i].0),
                times(-mass, rates[0][i].0),
                times(-h, self.load(body)),
            ];
            let turned = |at: usize| frames[2 * at][i].inertia(body.inertia, rates[at][i].1);
            let mut spins = vec![turned(1), times(-Extended::ONE, turned(0))];
            let mut blur = [0.0; 2];
            for (place, &(contact, impulse)) in step.impulses.iter().enumerate() {
                let contact = &self.contacts[contact];
                let points = self.touch(&frames[1], contact).2;
                let [turn, shift] = self.blur(rule, step, place);
                blur[0] += turn * size(vector(&impulse));
                blur[1] += (shift + turn * (self.reach(contact) + contact.ball.radius))
                    * size(vector(&impulse));
                let mut add = |impulse: Vector, point: Vector| {
                    terms.push(times(-Extended::ONE, impulse));
                    spins.push(cross(impulse, minus(point, frames[1][i].origin)));
                };
                if contact.ball.body == i {
                    add(vector(&impulse), points[0]);
                }
                if matches!(contact.other, Other::Ball(other) if other.body == i) {
                    add(times(-Extended::ONE, vector(&impulse)), points[1]);
                }
            }
            let sum =
                |terms: &[Vector]| terms.iter().fold([Extended::ZERO; 3], |sum, t| plus(sum, *t));
            let absolute = |terms: &[Vector]| terms.iter().map(|t| size(*t)).sum::<f64>();
            let limit = ROUNDINGS * absolute(&terms) + blur[0];
            verdict.look("momentum", i, Extended::from(size(sum(&terms))), limit);
            let limit = ROUNDINGS * absolute(&spins)
                + self.turn_error(body, step.length, [rates[0][i].1, rates[1][i].1])
                + self.pass_error(body, rule, step.length);
            // The point of contact moves with its body, up to rounding of the coordinates.
            let lost = self.rounding(step.place) * absolute(&terms);
            verdict.look(
                "angular momentum",
                i,
                Extended::from(size(sum(&spins))),
                limit + lost + blur[1],
            );
        }
    }

    /// Laws of the contacts that report impulses; returns the work that they may add and the sum of its absolute terms (J).
    fn laws(&self, verdict: &mut Verdict, rule: Rule, step: &Step<'_>) -> (f64, f64) {
        let frames = self.frames(step.place);
        let start = self.frames(step.start.coordinates);
        let (old, new) =
            (self.rates(&frames, step.start.velocity), self.rates(&frames, step.end.velocity));
        let total: f64 = self.bodies.iter().map(|body| body.mass).sum();
        let speed = self.speed(step);
        // Velocities of contacts are differences of those of bodies, whose rounding stays.
        let rounding = ROUNDINGS * self.speeds(step);
        // A gap corresponds to the velocity gap/step, and so does its rounding error.
        let of_gaps = match rule {
            Rule::MoreauJean(_) => 0.0,
            _ => self.rounding(step.start.coordinates) / step.length,
        };
        let slack = 4.0 * step.tolerance * speed + rounding + of_gaps;
        let (mut work, mut terms) = (0.0, 0.0);
        for (place, &(index, impulse)) in step.impulses.iter().enumerate() {
            let contact = &self.contacts[index];
            let (gap, normal, points) = self.touch(&frames, contact);
            let before = self.slip(&frames, &old, contact, &points);
            let after = self.slip(&frames, &new, contact, &points);
            let impulse = vector(&impulse);
            let push = dot(impulse, normal);
            let rub = minus(impulse, times(push, normal));
            let mean = match rule {
                Rule::MoreauJean(_) => times(Extended::from(0.5), plus(before, after)),
                _ => after,
            };
            let power = dot(impulse, mean).value();
            let [turn, shift] = self.blur(rule, step, place);
            let blurred = turn * speed + shift * self.turning(step.end.velocity);
            work += power.max(0.0) + blurred * size(impulse);
            terms += size(impulse) * size(mean);
            let bound = match rule {
                Rule::StewartTrinkle(_) => None,
                Rule::ImpulseVelocity(part) => {
                    let g = self.touch(&start, contact).0.value();
                    Some((g.max(0.0) + part * g.min(0.0)) / step.length)
                }
                Rule::MoreauJean(_) => {
                    Some(-contact.restitution * (-dot(before, normal).value()).max(0.0))
                }
            };
            if self.kind == Kind::Links {
                // The effective mass of a contact of links has no bound; unbounded quantities are covered by the energy.
                verdict.look("adhesion", place, -push, ROUNDINGS * size(impulse) + total * slack);
                continue;
            }
            // The effective mass of a contact of free bodies is at most the mass of one of them.
            let held = total * slack;
            let edge = size(rub) - contact.friction * push.value();
            let rounding = ROUNDINGS * size(impulse) * (1.0 + contact.friction);
            verdict.look("adhesion", place, -push, held + rounding);
            verdict.look(
                "cone",
                place,
                Extended::from(edge),
                held * (1.0 + contact.friction) + rounding,
            );
            let speed_of = dot(after, normal).value();
            let sliding = minus(after, times(Extended::from(speed_of), normal));
            let limit =
                (1.0 + contact.friction).powi(2) * (slack * size(rub) + held * size(sliding));
            verdict.look(
                "friction",
                place,
                dot(rub, sliding),
                limit + (ROUNDINGS + turn) * size(rub) * size(sliding),
            );
            if let Some(bound) = bound {
                let open = speed_of + bound;
                verdict.look("approach", place, Extended::from(-open), slack + ROUNDINGS * speed);
                if push.value() > held {
                    let open = Extended::from(open.abs());
                    verdict.look("complementarity", place, open, slack + ROUNDINGS * speed);
                }
            } else if let (true, Rule::StewartTrinkle([way, angle])) = (push.value() > held, rule) {
                // Linearized about an iterate that moves by the tolerance at most.
                let moved = way + angle * (self.reach(contact) + contact.ball.radius);
                let limit = 10.0 * moved + slack * step.length + self.rounding(step.place);
                verdict.look("complementarity", place, gap.abs(), limit);
            }
        }
        (work, terms)
    }

    /// The largest velocity of any point of the bodies of a step (m/s), before or after.
    fn speeds(&self, step: &Step<'_>) -> f64 {
        let frames = self.frames(step.place);
        let mut largest = 0.0_f64;
        for velocity in [step.start.velocity, step.end.velocity] {
            let reach = |c: &Contact| self.reach(c) + c.ball.radius;
            let arm = self.contacts.iter().map(reach).fold(0.0, f64::max);
            for (speed, spin) in self.rates(&frames, velocity) {
                largest = largest.max(size(speed) + size(spin) * arm);
            }
        }
        largest
    }

    /// The largest velocity in the contact problem of a step (m/s): that of the contacts before, the change by forces, and the velocities to which
    /// gaps correspond.
    fn speed(&self, step: &Step<'_>) -> f64 {
        let frames = self.frames(step.place);
        let rates = self.rates(&frames, step.start.velocity);
        let loads = self.bodies.iter().map(|body| size(self.load(body)) / body.mass);
        let gained = 2.0 * step.length * loads.fold(0.0, f64::max);
        let mut largest = 0.0_f64;
        for (index, _) in step.impulses {
            let contact = &self.contacts[*index];
            let (gap, _, points) = self.touch(&frames, contact);
            let slip = size(self.slip(&frames, &rates, contact, &points));
            let gap = gap.value().abs().max(self.gap(step.start.coordinates, *index).abs());
            largest = largest.max(slip + gained + gap / step.length);
        }
        largest
    }
}
