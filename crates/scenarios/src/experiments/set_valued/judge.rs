//! The steps of samples, judged by their impulses and velocities alone: [`Judged`].
//!
//! The sampler measures the same figures from its linear complementarity problems. Here they are measured again from
//! what it returns, in the plane, where the conditions of a step can be stated without directions: with the normal
//! impulse `p` of at most `λ̄`, the contact velocity `(u, w)` at the end and the friction impulse `t`,
//!
//! ```math
//! 0 \le p \perp \max(u, 0), \qquad 0 \le \bar\lambda - p \perp \max(-u, 0), \qquad
//! |t| \le \mu p, \qquad t = -\mu p\, w/|w| \text{ if } w \ne 0.
//! ```

use nalgebra::DVector;
use percussion_impact::{
    Problem,
    set_valued::{Path, PathStep},
};

use crate::fault::Faults;

/// The worst figures of steps; all are zero for steps without any error.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Judged {
    /// Growth of the kinetic energy, `½ Λ · (u + u')` (J).
    pub(super) energy_gain: f64,
    /// Violation of complementarity: the smaller one of two velocities of which one must be zero, over the fastest
    /// contact velocity before the impact. Impulses are multiplied by the diagonal of `W`.
    pub(super) residual: f64,
    /// `max(0, −p)` (N·s).
    pub(super) adhesion: f64,
    /// `|t| − μ p` where positive (N·s).
    pub(super) cone_violation: f64,
    /// Difference between the change of a contact velocity and `W Λ` (m/s).
    pub(super) drift: f64,
}

impl Judged {
    /// Raises the figures to those of a path, whose steps have the `faults` of the experiment: every second velocity,
    /// counted from the last, and the impulses of every step.
    pub(super) fn raise(&mut self, problem: &Problem, path: &Path, faults: Faults) {
        let mut before = problem.contact_velocity(&path.start);
        let speed = before.amax();
        let count = path.steps.len();
        for (index, step) in path.steps.iter().enumerate() {
            let (mut velocity, mut impulse) = (step.velocity.clone(), step.impulse.clone());
            if (count - index) % 2 == 1 {
                faults.velocities(velocity.as_mut_slice());
            }
            for contact in 0..problem.contacts().len() {
                let rows = problem.rows(contact);
                let mut own = nalgebra::Vector3::zeros();
                own.as_mut_slice()[..rows.len()].copy_from_slice(&impulse.as_slice()[rows.clone()]);
                faults.contact_impulse(&mut own);
                let length = rows.len();
                impulse.as_mut_slice()[rows].copy_from_slice(&own.as_slice()[..length]);
            }
            let after = problem.contact_velocity(&velocity);
            self.raise_by_step(problem, step, (&impulse, &before, &after), speed);
            before = after;
        }
    }

    fn raise_by_step(
        &mut self,
        problem: &Problem,
        step: &PathStep,
        (impulse, before, after): (&DVector<f64>, &DVector<f64>, &DVector<f64>),
        speed: f64,
    ) {
        let w = problem.delassus();
        raise(&mut self.energy_gain, 0.5 * impulse.dot(&(before + after)));
        let drift = after - before - w * impulse;
        drift.iter().for_each(|one| raise(&mut self.drift, one.abs()));
        for (contact, limit) in step.increments.iter().enumerate() {
            let row = problem.rows(contact).start;
            let (p, u) = (impulse[row], after[row]);
            let as_velocity = |row: usize, impulse: f64| w[(row, row)] * impulse;
            raise(&mut self.adhesion, -p);
            let rest = as_velocity(row, limit - p);
            for violation in [as_velocity(row, p).min(u), -rest, rest.min(-u)] {
                raise(&mut self.residual, violation / speed);
            }
            if problem.rows(contact).len() == 2 {
                let (t, slip) = (impulse[row + 1], after[row + 1]);
                let bound = problem.contacts()[contact].friction * p;
                raise(&mut self.cone_violation, t.abs() - bound);
                // What friction lacks against the slip.
                let lacks = as_velocity(row + 1, bound + t * slip.signum());
                raise(&mut self.residual, lacks.min(slip.abs()) / speed);
            }
        }
    }
}

/// Replaces `figure` by `value` if that is larger or NaN.
pub(super) const fn raise(figure: &mut f64, value: f64) {
    if value > *figure || value.is_nan() {
        *figure = value;
    }
}

#[cfg(test)]
mod tests {
    use percussion_impact::set_valued::{Sampler, Settings};

    use super::*;
    use crate::{
        fault::{DISTURBANCE, Fault},
        fixtures,
    };

    /// The worst figures of some samples of an impact.
    fn judged(name: &str, faults: Faults) -> Judged {
        let problem = fixtures::problem(name).unwrap().problem;
        let settings = Settings { samples: 100, ..fixtures::impact(name).unwrap().set_valued };
        let mut sampler = Sampler::new(&problem, &settings).unwrap();
        let mut judged = Judged::default();
        (0..100).for_each(|index| judged.raise(&problem, &sampler.path(index), faults));
        judged
    }

    #[test]
    fn the_steps_of_samples_obey_the_law() {
        for name in ["rocking-block", "compass-gait", "box-and-wall", "ramone", "disk-stack"] {
            let Judged { energy_gain, residual, adhesion, cone_violation, drift } =
                judged(name, Faults(None));
            // Lemke's method solves a step to 1e-10 of its rows.
            assert!(residual < 1e-10, "{name}: {residual}");
            let rest = [energy_gain, adhesion, cone_violation, drift];
            assert!(rest.iter().all(|figure| *figure < 1e-12), "{name}: {rest:?}");
        }
    }

    #[test]
    fn wrong_velocities_and_impulses_are_noticed() {
        let name = "box-and-wall";
        let velocities = judged(name, Faults(Some(Fault::Velocities)));
        assert!(velocities.drift >= 0.5 * DISTURBANCE && velocities.residual > 1e-5);
        let impulses = judged(name, Faults(Some(Fault::Impulses)));
        assert!(impulses.adhesion > 0.5 * DISTURBANCE, "{impulses:?}");
        assert!(impulses.cone_violation > DISTURBANCE, "{impulses:?}");
    }
}
