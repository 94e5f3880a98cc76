//! The implementation of [`System`] for [`Driven`].

use std::ops::Range;

use nalgebra::DMatrix;
use percussion_dynamics::{AddedMass, Near, SmoothVelocityError, System};

use super::{Driven, Step};
use crate::model::delegate::delegate_system;

impl System for Driven {
    delegate_system!();

    fn apply_inverse_mass(&self, coordinates: &[f64], columns: &mut DMatrix<f64>) {
        self.with(|step| match step.and_then(Step::implicit) {
            // What is not finite is reported by the scheme.
            Some(added) => self.system.apply_inverse_sum(coordinates, added, columns),
            None => self.system.apply_inverse_mass(coordinates, columns),
        });
    }

    fn apply_inverse_sum(
        &self,
        coordinates: &[f64],
        added: &AddedMass,
        columns: &mut DMatrix<f64>,
    ) {
        self.with(|step| {
            let mut divide = |sum: &_| self.system.apply_inverse_sum(coordinates, sum, columns);
            match step {
                Some(step) => self.with_sum(step, added, divide),
                None => divide(added),
            }
        });
    }

    fn whiten(
        &self,
        coordinates: &[f64],
        added: Option<&AddedMass>,
        columns: &mut DMatrix<f64>,
    ) -> bool {
        self.with(|step| match (step, added) {
            (Some(step), Some(added)) => self
                .with_sum(step, added, |sum| self.system.whiten(coordinates, Some(sum), columns)),
            (step, added) => {
                let own = step.and_then(Step::implicit);
                self.system.whiten(coordinates, own.or(added), columns)
            }
        })
    }

    fn smooth_forces(&self, coordinates: &[f64], velocity: &[f64], time: f64, forces: &mut [f64]) {
        self.system.smooth_forces(coordinates, velocity, time, forces);
        self.with(|step| match step {
            Some(step) => {
                forces.iter_mut().zip(&step.forces).for_each(|(force, own)| *force += own);
            }
            None => self.add(coordinates, velocity, time, forces),
        });
    }

    /// In a step the implicit part of the actuators counts as mass, as in [`apply_inverse_mass`](System::apply_inverse_mass).
    fn inverse_dynamics_near(
        &self,
        bodies: Near<'_>,
        coordinates: &[f64],
        velocity: &[f64],
        acceleration: &[f64],
        time: f64,
        forces: &mut [f64],
    ) {
        self.system.inverse_dynamics_near(
            bodies,
            coordinates,
            velocity,
            acceleration,
            time,
            forces,
        );
        self.with(|step| {
            let Some(step) = step else {
                forces.iter_mut().for_each(|force| *force = -*force);
                self.add(coordinates, velocity, time, forces);
                forces.iter_mut().for_each(|force| *force = -*force);
                return;
            };
            forces.iter_mut().zip(&step.forces).for_each(|(force, own)| *force -= own);
            for &(column, row, entry) in &step.entries {
                forces[row] += entry * acceleration[column];
            }
        });
    }

    /// The system without actuators may take forces implicitly; its change of momentum is that of the step.
    fn smooth_velocity(
        &self,
        coordinates: &[f64],
        velocity: &[f64],
        time: f64,
        step: f64,
        end: &mut DMatrix<f64>,
    ) -> Result<(), SmoothVelocityError> {
        self.system.smooth_velocity(coordinates, velocity, time, step, end)?;
        let count = velocity.len();
        let mut forces = vec![0.0; count];
        self.with(|own| match own {
            Some(own) => forces.copy_from_slice(&own.forces),
            None => self.add(coordinates, velocity, time, &mut forces),
        });
        let mut mass = DMatrix::zeros(count, count);
        self.system.mass_matrix(coordinates, &mut mass);
        end.iter_mut().zip(velocity).for_each(|(end, start)| *end -= start);
        let mut change = mass * &*end;
        change.iter_mut().zip(&forces).for_each(|(change, force)| *change += step * force);
        self.apply_inverse_mass(coordinates, &mut change);
        end.copy_from(&change);
        end.iter_mut().zip(velocity).for_each(|(end, start)| *end += start);
        Ok(())
    }

    fn tree_velocities(&self, body: usize) -> Range<usize> {
        match self.is_coupled {
            true => 0..self.system.velocity_count(),
            false => self.system.tree_velocities(body),
        }
    }

    fn tree_coordinates(&self, body: usize) -> Range<usize> {
        match self.is_coupled {
            true => 0..self.system.coordinate_count(),
            false => self.system.tree_coordinates(body),
        }
    }

    fn other_power(&self, coordinates: &[f64], velocity: &[f64], time: f64) -> f64 {
        let mut forces = vec![0.0; velocity.len()];
        self.add(coordinates, velocity, time, &mut forces);
        let own: f64 = forces.iter().zip(velocity).map(|(force, velocity)| force * velocity).sum();
        self.system.other_power(coordinates, velocity, time) + own
    }
}
