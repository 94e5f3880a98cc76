//! Walls of bodies that are driven by a force.

use super::{Bodies, Error, Settings, slab::Slab};
use crate::{
    contact::larger,
    parallel,
    servo::{self, Servo},
};

impl Bodies {
    /// Sets the forces that drive [walls](Self::walls) from the next step on. A servo moves by Newton's law, in the same step as
    /// the bodies, see [`Servo`].
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] with the first wall of a servo that is invalid.
    ///
    /// # Example
    ///
    /// A lid of 2 kg presses a cube of 1 kg onto the floor with 30 N, so that the floor carries 39.81 N.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use nalgebra::Vector3;
    /// use percussion_granular::{
    ///     Servo, Wall,
    ///     bodies::{Bodies, Body, Form, Partner, Settings},
    /// };
    ///
    /// let floor = Wall::plane(Vector3::zeros(), Vector3::z(), 0.4);
    /// let lid = Wall::plane(Vector3::new(0.0, 0.0, 0.25), -Vector3::z(), 0.4);
    /// let mut bodies = Bodies::new(Settings::default(), vec![])?;
    /// bodies.set_walls(vec![floor, lid], 0.2)?;
    /// bodies.set_servos(vec![Servo::new(1..2, -Vector3::z_axis(), 30.0, 2.0, 0.5)])?;
    /// let cube = Arc::new(Form::cuboid(Vector3::repeat(0.1), 1.0, 0.4)?);
    /// bodies.add(Body::at(&cube, Vector3::new(0.0, 0.0, 0.1)))?;
    /// for _ in 0..500 {
    ///     bodies.step()?;
    /// }
    /// let floor = bodies.touches().filter(|touch| touch.partner == Partner::Boundary(0));
    /// let floor: f64 = floor.map(|touch| touch.impulse.z).sum();
    /// assert!((floor / 1e-3 - 39.81).abs() < 0.01);
    /// # Ok::<(), percussion_granular::bodies::Error>(())
    /// ```
    pub fn set_servos(&mut self, servos: Vec<Servo>) -> Result<(), Error> {
        self.restore_servos(servos)?;
        self.walls.drive_by(&self.servos);
        self.outdated();
        Ok(())
    }

    /// The forces that drive walls, with their velocities.
    #[must_use]
    pub fn servos(&self) -> &[Servo] {
        &self.servos
    }

    /// Continues with servos that were saved: contacts and impulses stay.
    pub(crate) fn restore_servos(&mut self, servos: Vec<Servo>) -> Result<(), Error> {
        servo::check(&servos, self.walls.all().len())?;
        self.servos = servos;
        Ok(())
    }

    /// Sweeps as [`until`](crate::halves::until) does, and after each sweep gives all copies of a servo the velocity that follows
    /// from the sum of their impulses. Returns the number of sweeps and the residual (m/s).
    pub(super) fn sweep_with_servos(&mut self, enough: f64) -> (usize, f64) {
        self.unite_servos();
        let mut count = 0;
        loop {
            count += 1;
            let (backwards, last) = (count % 2 == 0, count == self.settings.max_sweeps);
            let Self { settings, slabs, motions, .. } = self;
            let settings: &Settings = settings;
            parallel::alternate(slabs, motions, backwards, &|slab, motions| {
                slab.sweep(settings, backwards, motions);
            });
            self.unite_servos();
            let change = self.slabs.iter().map(|slab| slab.change).fold(0.0, larger).sqrt();
            if change <= enough || last {
                let Self { settings, slabs, motions, .. } = self;
                parallel::each(slabs, &|slab: &mut Slab| {
                    slab.certify(settings, &motions[slab.start as usize..]);
                });
                let worst = slabs.iter().map(|slab| slab.account.residual).fold(0.0, larger);
                if worst <= enough || last {
                    return (count, worst);
                }
            }
        }
    }

    fn unite_servos(&mut self) {
        let Self { servos, servo_velocities, walls, slabs, settings, .. } = self;
        let sum = |index| slabs.iter().map(|slab| slab.servo_impulse(index)).sum::<f64>();
        servo_velocities.clear();
        servo_velocities.extend((0..servos.len()).map(sum));
        servo::velocities(servos, walls.all(), servo_velocities, settings.step_size);
        slabs.iter_mut().for_each(|slab| slab.unite_servos(servo_velocities));
    }

    /// Takes over the velocities of the servos after the sweeps, and gives them to their walls.
    pub(super) fn keep_servos(&mut self) {
        for (servo, velocity) in self.servos.iter_mut().zip(&self.servo_velocities) {
            servo.velocity = *velocity;
        }
        self.walls.drive_by(&self.servos);
    }
}

/// Divides servos among the slabs that they touch.
pub(super) fn divide_servos(servos: &[Servo], slabs: &mut [Slab], step: f64) {
    let near = |index| slabs.iter().filter(|slab| slab.is_near_servo(index)).count() as f64;
    let counts: Vec<f64> = (0..servos.len()).map(near).collect();
    slabs.iter_mut().for_each(|slab| slab.divide_servos(servos, &counts, step));
}
