//! Laws for all contacts at once: Newton, Poisson, and round cones.

use super::{Contact, Friction, Impact, Outcome};
use crate::{
    Extended, Verdict,
    friction::{self, norm},
    kinetic::{dot, extended},
};

impl Impact {
    /// Newton's restitution: `0 ≤ Λ_n ⊥ u_n⁺ − e max(0, −u_n⁻) ≥ 0` with friction against the slip after the impact;
    /// without restitution it is the inelastic law of Anitescu and Potra.
    ///
    /// `restitution` replaces the coefficients of the contacts, if it is given. The conditions are in addition to those of
    /// [`common`](Impact::common): check both.
    #[must_use]
    pub fn newton(
        &self,
        outcome: &Outcome,
        restitution: Option<f64>,
        directions: usize,
        tolerance: f64,
    ) -> Verdict {
        let mut verdict = Verdict::default();
        if !self.sizes_agree(outcome) {
            verdict.look("size", 0, Extended::ONE, 0.0);
            return verdict;
        }
        if self.left_alone(outcome, tolerance, &mut verdict) {
            return verdict;
        }
        let after = extended(&outcome.velocity);
        for (k, (contact, impulse)) in self.contacts().iter().zip(&outcome.impulses).enumerate() {
            let slack = self.slack(&contact.normal, tolerance);
            let approach = (-self.free_velocity(&contact.normal)).max(Extended::ZERO);
            let target = Extended::from(restitution.unwrap_or(contact.restitution)) * approach;
            let above = dot(&extended(&contact.normal), &after) - target;
            verdict.look("restitution", k, -above, slack.velocity);
            let pressed = (impulse[0] - self.recovered[0]) * slack.size * slack.size;
            let both = above.min(Extended::from(pressed));
            verdict.look("complementarity", k, both, slack.velocity);
            self.slip(
                k,
                contact,
                impulse,
                &after,
                Friction::Polygon(directions),
                tolerance,
                &mut verdict,
            );
        }
        verdict
    }

    /// Compression and expansion: with the impulses `C` of the compression, whose end has the velocity `middle`,
    /// `0 ≤ Λ_n − (1 + e) C_n ⊥ u_n⁺ ≥ 0`.
    ///
    /// `compression` are the impulses `C` of all contacts in the form of an outcome's; its own conditions are those of
    /// [`newton`](Impact::newton) without restitution.
    #[must_use]
    pub fn poisson(&self, outcome: &Outcome, compression: &[Vec<f64>], tolerance: f64) -> Verdict {
        let mut verdict = Verdict::default();
        if !self.sizes_agree(outcome) || compression.len() != outcome.impulses.len() {
            verdict.look("size", 0, Extended::ONE, 0.0);
            return verdict;
        }
        let after = extended(&outcome.velocity);
        for (k, (contact, impulse)) in self.contacts().iter().zip(&outcome.impulses).enumerate() {
            let slack = self.slack(&contact.normal, tolerance);
            let returned =
                Extended::from(1.0 + contact.restitution) * Extended::from(compression[k][0]);
            let more = Extended::from(impulse[0]) - returned;
            verdict.look("returned percussion", k, -more, slack.impulse);
            let open = dot(&extended(&contact.normal), &after);
            let pressed = more * Extended::from(slack.size * slack.size);
            verdict.look("complementarity", k, open.min(pressed), slack.velocity);
        }
        verdict
    }

    /// Round cones with Newton's restitution: each contact relative to its target, by Coulomb's law or maximum dissipation.
    ///
    /// `tolerance` is relative to the largest contact velocity without impulses, as solvers of frictional contact
    /// problems define it. As for all laws the velocity is that of the outcome, which [`common`](Impact::common) holds against the
    /// impulses.
    #[must_use]
    pub fn round_cones(&self, outcome: &Outcome, law: friction::Law, tolerance: f64) -> Verdict {
        let mut verdict = Verdict::default();
        if !self.sizes_agree(outcome) {
            verdict.look("size", 0, Extended::ONE, 0.0);
            return verdict;
        }
        let (judged, outcome) = self.movable_contacts(outcome, tolerance);
        if judged.grazes(&outcome, tolerance) {
            return verdict;
        }
        judged.round_cones_of_movable(&outcome, law, tolerance)
    }

    /// The contacts whose normals the joints let move, with their part of the outcome. No impulse moves the
    /// others, and the rounding errors that remain of their rows have no mass.
    fn movable_contacts(&self, outcome: &Outcome, tolerance: f64) -> (Self, Outcome) {
        let (mut movable, mut part) = (self.clone(), outcome.clone());
        let moves = |contact: &Contact| {
            let size = self.slack(&contact.normal, tolerance).size;
            size > self.rounding * self.bodies.size(&contact.normal)
        };
        let keep: Vec<bool> = self.contacts.iter().map(moves).collect();
        let (mut of_contacts, mut of_impulses) = (keep.iter(), keep.iter());
        movable.contacts.retain(|_| of_contacts.next() == Some(&true));
        part.impulses.retain(|_| of_impulses.next() == Some(&true));
        (movable, part)
    }

    /// Whether the only contact approaches or separates within rounding and has no impulse. A contact that
    /// separates has no impulse, one that approaches may jam, and the data do not determine which case it is.
    fn grazes(&self, outcome: &Outcome, tolerance: f64) -> bool {
        let [contact] = self.contacts() else { return self.contacts.is_empty() };
        let slack = self.slack(&contact.normal, tolerance);
        let normal = self.free_velocity(&contact.normal).abs().value();
        normal <= slack.velocity && norm(&outcome.impulses[0]) <= slack.impulse
    }

    fn round_cones_of_movable(
        &self,
        outcome: &Outcome,
        law: friction::Law,
        tolerance: f64,
    ) -> Verdict {
        let rows: Vec<_> = self
            .contacts()
            .iter()
            .flat_map(|contact| [&contact.normal].into_iter().chain(&contact.tangents))
            .map(|row| extended(row))
            .collect();
        let responses: Vec<_> =
            rows.iter().map(|row| self.bodies.response(&self.bodies.movable(row))).collect();
        let delassus: Vec<_> =
            rows.iter().flat_map(|a| responses.iter().map(|b| dot(a, b).value())).collect();
        let mut free: Vec<f64> = rows.iter().map(|row| dot(row, &self.free).value()).collect();
        // Relative to the speeds at which contacts have to separate.
        let after = extended(&outcome.velocity);
        let mut velocity: Vec<_> = rows.iter().map(|row| dot(row, &after)).collect();
        let mut first = 0;
        for contact in self.contacts() {
            let target = contact.restitution * (-free[first]).max(0.0);
            free[first] -= target;
            velocity[first] -= Extended::from(target);
            first += 1 + contact.tangents.len();
        }
        let tangents: Vec<_> =
            self.contacts().iter().map(|contact| contact.tangents.len()).collect();
        let friction: Vec<_> = self.contacts().iter().map(|contact| contact.friction).collect();
        let problem = friction::Problem {
            delassus: &delassus,
            free_velocity: &free,
            tangents: &tangents,
            friction: &friction,
        };
        let impulse: Vec<_> = outcome.impulses.iter().flatten().copied().collect();
        // As for every law, a row may be wrong by its tolerance, which refers to the whole row: joints that
        // hold most of it leave small velocities and large impulses. The solver's own tolerance is relative
        // to the remaining velocities.
        let least = |contact: &Contact| {
            let rows = contact.tangents.iter().chain([&contact.normal]);
            rows.map(|row| self.slack(row, tolerance).velocity).fold(0.0, f64::max)
        };
        let least: Vec<f64> = self.contacts().iter().map(least).collect();
        let tolerance = tolerance + self.rounding;
        friction::judge_at(&problem, law, &impulse, &velocity, tolerance, &least)
    }

    /// Whether no contact approaches; then there must be no impulse.
    pub(super) fn left_alone(
        &self,
        outcome: &Outcome,
        tolerance: f64,
        verdict: &mut Verdict,
    ) -> bool {
        let separates = |contact: &Contact| {
            self.free_velocity(&contact.normal).value()
                >= self.slack(&contact.normal, tolerance).velocity
        };
        if !self.contacts().iter().all(separates) {
            return false;
        }
        for (k, (contact, impulse)) in self.contacts().iter().zip(&outcome.impulses).enumerate() {
            let limit = self.tangent_slack(contact, tolerance);
            verdict.look("percussion without approach", k, Extended::from(norm(impulse)), limit);
        }
        true
    }

    /// Friction of one contact against the slip after the impact: `−u_t` is in the normal cone of the polygon
    /// `conv {μ Λ_n d_j}`, or of the disc, at `Λ_t`. For a polygon that says `Λ_t·u_t + μ Λ_n max_j(−d_j·u_t) = 0`.
    #[expect(clippy::too_many_arguments, reason = "a contact with all that belongs to it")]
    pub(super) fn slip(
        &self,
        k: usize,
        contact: &Contact,
        impulse: &[f64],
        after: &[Extended],
        friction: Friction,
        tolerance: f64,
        verdict: &mut Verdict,
    ) {
        if contact.tangents.is_empty() || contact.friction <= 0.0 {
            return;
        }
        let slip: Vec<_> =
            contact.tangents.iter().map(|row| dot(&extended(row), after).value()).collect();
        let slacks: Vec<_> =
            contact.tangents.iter().map(|row| self.slack(row, tolerance)).collect();
        let velocity_slack = slacks.iter().map(|slack| slack.velocity).fold(0.0, f64::max);
        let speed = norm(&slip);
        if speed <= velocity_slack {
            return;
        }
        let bound = contact.friction * impulse[0].max(0.0);
        let most = strongest(&slip, friction);
        let power: f64 = impulse[1..].iter().zip(&slip).map(|(p, u)| p * u).sum();
        // Zero by the definition; a velocity or impulse that is wrong by its slack changes it by as much as this.
        let missing = power + bound * most;
        // The bound itself is known to the slack of the normal impulse.
        let own = self.slack(&contact.normal, tolerance).impulse;
        let normal = contact.friction * (own + self.recovered[0]);
        let limit = 2.0 * bound * velocity_slack
            + speed * (self.tangent_slack(contact, tolerance) + normal);
        let rounding = 16.0 * f64::EPSILON * bound * speed;
        verdict.look("slip", k, Extended::from(missing), 2.0 * limit + rounding);
    }
}

/// `max_j(−d_j·u)` over the directions of friction.
fn strongest(slip: &[f64], friction: Friction) -> f64 {
    match (slip, friction) {
        ([slip], _) => slip.abs(),
        ([first, second], Friction::Polygon(count)) => (0..count)
            .map(|j| {
                let angle = std::f64::consts::TAU * j as f64 / count as f64;
                -(first * angle.cos() + second * angle.sin())
            })
            .fold(0.0, f64::max),
        _ => norm(slip),
    }
}
