//! Gaps of contacts at the end of a step.

use super::*;

impl Scene {
    /// Gaps at the end of a step.
    pub(super) fn ends(&self, verdict: &mut Verdict, rule: Rule, step: &Step<'_>) {
        let h = step.length;
        let frames =
            [step.start.coordinates, step.place, step.end.coordinates].map(|q| self.frames(q));
        let rates = self.rates(&frames[1], step.end.velocity);
        let turning = self.turning(step.start.velocity).max(self.turning(step.end.velocity));
        let slack =
            4.0 * step.tolerance * self.speed(step) * h + self.rounding(step.end.coordinates);
        for (index, contact) in self.contacts.iter().enumerate() {
            let [start, place, end] =
                [0, 1, 2].map(|at| self.touch(&frames[at], contact).0.value());
            let curve = self.reach(contact) * (h * turning).powi(2);
            let limit = match rule {
                Rule::StewartTrinkle([way, _]) => way,
                Rule::ImpulseVelocity(part) => (1.0 - part) * (-start).max(0.0) + curve + slack,
                Rule::MoreauJean(_) => {
                    let (_, normal, points) = self.touch(&frames[1], contact);
                    let speed =
                        dot(self.slip(&frames[1], &rates, contact, &points), normal).value();
                    // Whether a gap of the size of rounding is detected depends on rounding.
                    let seen = place <= -self.rounding(step.place);
                    let unseen = if !seen { 0.5 * h * (-speed).max(0.0) } else { 0.0 };
                    (-place).max(0.0) + unseen + curve + slack
                }
            };
            verdict.look(
                "penetration",
                index,
                Extended::from(-end),
                limit + self.rounding(step.end.coordinates),
            );
        }
    }
}
