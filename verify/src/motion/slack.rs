//! What a scheme may miss its equations by.

use super::*;

impl Scene {
    /// Possible error of the frame of impulse number `place` of a step (rad) and of its point of contact (m)
    /// relative to the place of the step: the scheme of Stewart and Trinkle stops within its tolerance of
    /// `q'`, in each coordinate, and what rests by that of Moreau and Jean has the frames of a position within a tenth of its
    /// tolerance, in each coordinate on the way to the body. Frames of planes do not turn.
    pub(super) fn blur(&self, rule: Rule, step: &Step<'_>, place: usize) -> [f64; 2] {
        let [way, angle] = match rule {
            Rule::StewartTrinkle(tolerances) => tolerances,
            Rule::MoreauJean(tolerances) => {
                let joints = if self.kind == Kind::Links { self.bodies.len() } else { 1 };
                tolerances.map(|tolerance| 0.1 * tolerance * joints as f64)
            }
            Rule::ImpulseVelocity(_) => return [0.0; 2],
        };
        let contact = &self.contacts[step.impulses[place].0];
        let twist = step.twists.get(place).copied().unwrap_or(1.0);
        let reach = self.reach(contact);
        let shift = 2.0 * (way + angle * (reach + contact.ball.radius));
        match contact.other {
            Other::Plane(..) => [0.0, shift],
            Other::Ball(other) => {
                let turn = 2.0 * shift / (contact.ball.radius + other.radius);
                [turn * twist, shift + turn * (reach + contact.ball.radius + other.radius)]
            }
        }
    }

    /// Error of the angular momentum of a step (N·m·s), of second order, if the inertia turns with the body. Quantities
    /// that are held fixed during the step turn by `hΩ`, applied to the change of `ω`, and the gyroscopic term has the
    /// error `(hΩ)²`.
    pub(super) fn turn_error(&self, body: &Body, h: f64, spins: [Vector; 2]) -> f64 {
        let largest = body.inertia.iter().copied().fold(0.0, f64::max);
        let least = body.inertia.iter().copied().fold(f64::INFINITY, f64::min);
        if self.kind == Kind::Plane || least >= largest {
            return 0.0;
        }
        let rate = size(spins[0]).max(size(spins[1]));
        let change = size(minus(spins[1], spins[0]));
        (largest - least) * (4.0 * h * rate * change + 4.0 * (h * rate).powi(2) * rate)
    }

    /// Error of the angular momentum of a step (N·m·s) whose passes for gyroscopic forces end within a tolerance: `q'` has half of the
    /// change of `hω`.
    pub(super) fn pass_error(&self, body: &Body, rule: Rule, h: f64) -> f64 {
        let largest = body.inertia.iter().copied().fold(0.0, f64::max);
        match rule {
            Rule::MoreauJean([_, angle]) if self.kind != Kind::Plane => largest * 2.0 * angle / h,
            _ => 0.0,
        }
    }
}
