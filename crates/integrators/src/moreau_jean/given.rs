//! Steps whose length and closed contacts the caller chooses, and what it asks of them.

use super::{MoreauJean, Settings, pass::implicit};
use crate::{model::Model, simulation::Motion, velocity_level::Exchange};

impl MoreauJean {
    /// The next step of `model` has this length (s), and its closed contacts are those `closed` (ascending), which are inelastic. Their rows
    /// and the constraints are those at the end of the step, so that they hold there. The passes end when no velocity changes by
    /// more than its accuracy (m/s, rad/s).
    pub(crate) fn prepare(
        &mut self,
        model: &Model,
        step_size: f64,
        closed: &[usize],
        accuracy: &[f64],
    ) {
        if step_size.to_bits() != self.settings.step_size.to_bits() {
            self.implicit = implicit(model, step_size, self.settings.implicitness);
        }
        self.settings.step_size = step_size;
        self.level.resize(step_size);
        let share = step_size * self.settings.implicitness;
        self.tolerances.iter_mut().zip(accuracy).for_each(|(tolerance, a)| *tolerance = share * a);
        self.active.clear();
        self.active.extend_from_slice(closed);
        self.is_given = true;
    }

    /// The contacts of the last step from `before` with their impulses; they are stored for the next one.
    pub(crate) fn exchanges(&mut self, before: &[f64]) -> Vec<Exchange> {
        self.level.keep();
        self.level.exchanges(before, self.velocity.as_slice())
    }

    /// The impulses of the friction of joints in the last step (N·s, N·m·s), in the order of the model.
    pub(crate) fn joint_friction(&self) -> &[f64] {
        self.level.joint_friction()
    }

    /// Work of the last step's forces without a potential that are not those of actuators (J).
    ///
    /// They act at `(q_θ, v_θ)`, so that this is exact for the step.
    pub(crate) fn other_work(&self, Motion { model, state, .. }: &Motion) -> f64 {
        let Settings { step_size: h, implicitness: theta, .. } = self.settings;
        let ends = state.velocity.iter().zip(&self.velocity);
        let velocity: Vec<f64> = ends.map(|(v, end)| (1.0 - theta) * v + theta * end).collect();
        let time = state.time + theta * h;
        h * model.power_of_others(&self.middle, &velocity, time)
    }

    /// Numbers of passes of the last step and of iterations of their contact problems.
    pub(crate) const fn work(&self) -> [usize; 2] {
        [self.level.work.passes, self.level.work.sweeps]
    }
}
