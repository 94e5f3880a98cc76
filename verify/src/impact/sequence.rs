//! Laws by steps: one contact after another, reflections, and small steps of all contacts.

use super::{Friction, Impact, Outcome, energy};
use crate::{
    Extended, Verdict,
    kinetic::{dot, extended},
};

/// An impact at one contact within a sequence.
#[derive(Clone, Debug)]
pub struct Stage {
    /// The problem of this contact alone, from the velocity before the stage.
    pub problem: Impact,
    /// The impulse that causes the change of velocity, with its tolerance in the problem; the impulses of the joints are zero.
    pub outcome: Outcome,
}

/// A step of all contacts.
#[derive(Clone, Debug)]
pub struct Step {
    /// Largest normal impulse of each contact in the step (N·s).
    pub increments: Vec<f64>,
    /// Velocity at its end (length `n`).
    pub velocity: Vec<f64>,
    /// Percussions of the step: normal, then tangents, of each contact (N·s).
    pub impulses: Vec<Vec<f64>>,
}

impl Impact {
    /// The same bodies and joints with another velocity and some of the contacts.
    fn part(&self, velocity: &[f64], contacts: &[usize]) -> Option<Self> {
        let contacts =
            contacts.iter().map(|&k| self.contacts.get(k).cloned()).collect::<Option<_>>()?;
        Self::new(self.mass.clone(), velocity.to_vec(), contacts, self.joints.clone())
    }

    /// The impacts of a sequence, each as a problem with its own outcome, from the contacts that took part
    /// and the velocities after each.
    ///
    /// `None` if the rows of a contact depend on one another, so that its impulse does not follow from the
    /// velocities.
    #[must_use]
    pub fn sequence(&self, stages: &[(usize, Vec<f64>)]) -> Option<Vec<Stage>> {
        let mut before = self.velocity.clone();
        let mut list = Vec::with_capacity(stages.len());
        for (contact, velocity) in stages {
            // Rounding errors and the threshold for rest are those of the whole impact.
            let part = self.part(&before, &[*contact])?;
            let speed = part.speed.max(self.speed);
            let mut problem = Self { speed, strike: part.strike.max(self.strike), ..part };
            let (impulse, recovered) = problem.percussion(velocity)?;
            problem.recovered = recovered;
            let outcome = Outcome {
                velocity: velocity.clone(),
                impulses: vec![impulse],
                joint_impulses: vec![0.0; self.joints.len()],
            };
            list.push(Stage { problem, outcome });
            before.clone_from(velocity);
        }
        Some(list)
    }

    /// The impulse `Λ = A⁻¹ J δv` of the only contact that comes closest to `velocity`, and
    /// its normal and tangential error (N·s). As for all velocities here, the change `δv` has the rounding
    /// error `ε E` in the kinetic metric. In this metric row `i` of `A⁻¹ J` has the length `√(A⁻¹ A A⁻¹)_ii`,
    /// so `Λ_i` is known to `ε E √(A⁻¹)_ii`. If rows are nearly dependent, this is much more than a single
    /// row would have.
    fn percussion(&self, velocity: &[f64]) -> Option<(Vec<f64>, [f64; 2])> {
        let contact = self.contacts.first()?;
        let rows: Vec<_> = [&contact.normal]
            .into_iter()
            .chain(&contact.tangents)
            .map(|row| self.bodies.movable(&extended(row)))
            .collect();
        let size = rows.len();
        let responses: Vec<_> = rows.iter().map(|row| self.bodies.response(row)).collect();
        let change: Vec<_> = velocity
            .iter()
            .zip(&self.free)
            .map(|(&after, &free)| Extended::from(after) - free)
            .collect();
        let mut matrix: Vec<Vec<Extended>> = (0..size)
            .map(|i| {
                let mut row: Vec<_> =
                    responses.iter().map(|response| dot(&rows[i], response)).collect();
                row.push(dot(&rows[i], &change));
                row.extend((0..size).map(|j| Extended::from(f64::from(u8::from(i == j)))));
                row
            })
            .collect();
        for i in 0..size {
            // Without pivoting: the matrix is positive semidefinite.
            if matrix[i][i].value() <= 1e-8 * self.bodies.size(row_of(contact, i)).powi(2) {
                return None;
            }
            for j in (0..size).filter(|&j| j != i) {
                let factor = matrix[j][i] / matrix[i][i];
                let pivot = matrix[i].clone();
                for (entry, &above) in matrix[j].iter_mut().zip(&pivot) {
                    *entry -= factor * above;
                }
            }
        }
        let entry = |i: usize, column: usize| (matrix[i][column] / matrix[i][i]).value();
        let error = |i: usize| self.rounding * self.speed * entry(i, size + 1 + i).max(0.0).sqrt();
        let tangential = (1..size).map(error).fold(0.0, f64::hypot);
        Some(((0..size).map(|i| entry(i, size)).collect(), [error(0), tangential]))
    }

    /// The propagative law with the restitution `R` of energy: reflections keep the energy, and a mixture with the plastic
    /// impact of all contacts loses `(1 − R²)` of what the plastic impact loses.
    #[must_use]
    pub fn propagative(&self, outcome: &Outcome, restitution: f64, tolerance: f64) -> Verdict {
        let mut verdict = Verdict::default();
        if !self.sizes_agree(outcome) {
            verdict.look("size", 0, Extended::ONE, 0.0);
            return verdict;
        }
        if self.left_alone(outcome, tolerance, &mut verdict) {
            return verdict;
        }
        let normals: Vec<_> = self.contacts.iter().map(|contact| contact.normal.clone()).collect();
        let plastic = self.bodies.with(&normals);
        let approaches = |k: usize| {
            let contact = &self.contacts[k];
            self.free_velocity(&contact.normal).value()
                < -self.slack(&contact.normal, tolerance).velocity
        };
        if !(0..self.contacts.len()).any(approaches) {
            return verdict; // Within rounding of no approach, either answer is right.
        }
        let left = energy(&self.mass, &plastic.held(&self.free));
        let full = energy(&self.mass, &self.free);
        let kept = Extended::product(restitution, restitution);
        let expected = left + kept * (full - left);
        let error = energy(&self.mass, &extended(&outcome.velocity)) - expected;
        // The plastic impact removes the velocity `r` (√J). The velocity of a row is known to a fraction `s` of `‖a‖`, so the
        // part of `r` along the fraction `f` of the row that does not depend on the rows before it is known to `s/f`, and the
        // energy changes by the product.
        let removed = (full - left).max(Extended::ZERO);
        let removed = (removed + removed).sqrt().value();
        let fractions = &plastic.fractions()[self.bodies.rank()..];
        let known = self.row_slack(tolerance) * fractions.iter().map(|f| 1.0 / f).sum::<f64>();
        let of_plastic = (1.0 - kept.value()) * removed * known;
        let limit = self.energy_slack(tolerance) + of_plastic;
        verdict.look("energy of the law", 0, error.abs(), limit);
        verdict
    }

    /// The steps of the set-valued law. In each, a contact pushes only if it does not separate at the end, no
    /// normal impulse exceeds its increment, a contact that approaches at the end has used all of its
    /// increment, friction opposes the slip at the end, and the energy does not grow. The velocity of the
    /// last step may still approach.
    #[must_use]
    pub fn path(&self, steps: &[Step], directions: usize, tolerance: f64) -> Verdict {
        let mut verdict = Verdict::default();
        let mut before = self.velocity.clone();
        for (index, taken) in steps.iter().enumerate() {
            let outcome = Outcome {
                velocity: taken.velocity.clone(),
                impulses: taken.impulses.clone(),
                joint_impulses: vec![0.0; self.joints.len()],
            };
            if !self.sizes_agree(&outcome) {
                verdict.look("size", index, Extended::ONE, 0.0);
                return verdict;
            }
            let after = extended(&taken.velocity);
            let gain = energy(&self.mass, &after) - energy(&self.mass, &extended(&before));
            verdict.look("energy of a step", index, gain, self.energy_slack(tolerance));
            for (k, (contact, impulse)) in self.contacts.iter().zip(&taken.impulses).enumerate() {
                let slack = self.slack(&contact.normal, tolerance);
                let open = dot(&extended(&contact.normal), &after);
                let pressed = Extended::from(impulse[0] * slack.size * slack.size);
                verdict.look("pull", index, -pressed, slack.velocity);
                verdict.look("push and separation", index, pressed.min(open), slack.velocity);
                let Some(&increment) = taken.increments.get(k) else { continue };
                let left = Extended::from(increment) - Extended::from(impulse[0]);
                let limit =
                    slack.impulse + 1e2 * f64::EPSILON * increment + 4.0 * tolerance * increment;
                verdict.look("increment", index, -left, limit);
                // Both as velocities: the remaining approach, and the remaining increment.
                let left = left.value() * slack.size * slack.size;
                let spared = if -open.value() > slack.velocity { left } else { 0.0 };
                let limit = limit * slack.size * slack.size;
                verdict.look("approach with increment left", index, Extended::from(spared), limit);
                let polygon = Friction::Polygon(directions);
                self.slip(k, contact, impulse, &after, polygon, tolerance, &mut verdict);
            }
            before.clone_from(&taken.velocity);
        }
        verdict
    }
}

fn row_of(contact: &super::Contact, index: usize) -> &[f64] {
    if index == 0 { &contact.normal } else { &contact.tangents[index - 1] }
}
