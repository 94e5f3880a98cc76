//! The servos of a world during a step: [`Servos`].

use super::World;
use crate::{
    link::Link,
    servo::{self, Servo},
    settings::Error,
    slab::Slab,
    wall::Wall,
};

/// The servos with what decides their velocities.
pub(super) struct Servos<'a> {
    pub(super) servos: &'a [Servo],
    pub(super) walls: &'a [Wall],
    /// At the end of the step (m/s).
    pub(super) velocities: &'a mut Vec<f64>,
    pub(super) step: f64,
}

impl World {
    /// Divides servos among the slabs that they touch, and gives them the velocities that follow from the impulses carried
    /// over.
    pub(super) fn divide_servos<L: Link>(&mut self, link: &mut L) -> Result<(), Error> {
        let Self { settings, walls, servos, servo_velocities, slabs, .. } = self;
        if servos.is_empty() {
            return Ok(());
        }
        let mut counts = vec![0.0; servos.len()];
        for slab in slabs.iter() {
            for (count, near) in counts.iter_mut().zip(slab.servos.near()) {
                *count += f64::from(u8::from(near));
            }
        }
        link.sum(&mut counts)?;
        slabs.iter_mut().for_each(|slab| slab.servos.divide(servos, &counts));
        let step = settings.step_size;
        Servos { servos, walls, velocities: servo_velocities, step }.unite(slabs, link)
    }

    /// Records the velocities of the servos after the sweeps.
    pub(super) fn keep_servos(&mut self) {
        for (servo, velocity) in self.servos.iter_mut().zip(&self.servo_velocities) {
            servo.velocity = *velocity;
        }
    }
}

impl Servos<'_> {
    /// Gives all copies the velocities that follow from the sums of their impulses.
    pub(super) fn unite<L: Link>(&mut self, slabs: &mut [Slab], link: &mut L) -> Result<(), Error> {
        let Self { servos, walls, velocities, step } = self;
        if servos.is_empty() {
            return Ok(());
        }
        let sum = |index| slabs.iter().map(|slab| slab.servos.impulse(index)).sum::<f64>();
        velocities.clear();
        velocities.extend((0..servos.len()).map(sum));
        link.sum(velocities)?;
        servo::velocities(servos, walls, velocities, *step);
        slabs.iter_mut().for_each(|slab| slab.servos.unite(velocities));
        Ok(())
    }
}
