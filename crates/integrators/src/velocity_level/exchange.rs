//! The impulses of a step, as the next step and an account of their work need them.

use nalgebra::Vector3;

use super::VelocityLevel;

/// The impulse of a contact in a step, and its velocities in the rows of the problem.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Exchange {
    pub(crate) contact: usize,
    /// (N·s)
    pub(crate) impulse: Vector3<f64>,
    /// At the start of the step (m/s).
    pub(crate) before: Vector3<f64>,
    /// At its end (m/s).
    pub(crate) after: Vector3<f64>,
}

impl VelocityLevel {
    /// Stores the impulses for the next step.
    pub(crate) fn keep(&mut self) {
        let (contacts, impulses) = &mut self.last;
        contacts.clone_from(&self.contacts);
        impulses.clone_from(&self.impulses);
    }

    /// The contacts that pressed in the last step, ascending.
    pub(crate) fn pressed(&self) -> impl Iterator<Item = usize> {
        let (contacts, impulses) = &self.last;
        let pressed = contacts.iter().zip(impulses).filter(|(_, impulse)| impulse.x > 0.0);
        pressed.map(|(contact, _)| *contact)
    }

    /// Sets the length of the next step (s).
    pub(crate) fn resize(&mut self, step_size: f64) {
        self.has_rows_of_set = false;
        if let Some(blocks) = &mut self.blocks {
            blocks.resize(step_size);
        }
    }

    /// The impulses of the friction of joints (N·s, N·m·s), in the order of the model.
    pub(crate) fn joint_friction(&self) -> &[f64] {
        self.blocks.as_ref().map_or(&[], |blocks| &blocks.impulses)
    }

    /// The contacts of the problem with their impulses and their velocities at both ends of the step, where it begins with
    /// `before` and ends with `after`.
    pub(crate) fn exchanges(&self, before: &[f64], after: &[f64]) -> Vec<Exchange> {
        let [before, after] = [before, after].map(|velocity| self.contact_velocities(velocity));
        let of = |((&contact, &slot), &impulse): ((&usize, &usize), &Vector3<f64>)| Exchange {
            contact,
            impulse,
            before: before[slot],
            after: after[slot],
        };
        self.contacts.iter().zip(&self.slots).zip(&self.impulses).map(of).collect()
    }
}
