//! A generalized force that a controller sets between steps: [`AppliedForce`].
//!
//! It acts on the system itself, beside gravity and the like, so that every scheme which takes smooth forces takes it, and its
//! work is in the account of the energy. Within a step it is constant.

use std::{
    ops::Range,
    sync::{Arc, PoisonError, RwLock},
};

use nalgebra::{DMatrix, Isometry3, Vector3};
use percussion_dynamics::{
    Dimension, SmoothVelocityError, System,
    system::{CoordinateError, motion::BodyVelocity},
};

use super::{Mechanics, Model};

/// Why a force cannot be applied.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AppliedForceError {
    /// It has the wrong number of entries.
    #[error("applied force has {found} entries, expected {expected}")]
    Length {
        /// Number of velocities.
        expected: usize,
        /// Length found.
        found: usize,
    },
    /// An entry is NaN or infinite.
    #[error("applied force[{index}] is {value}, expected a finite number")]
    NotFinite {
        /// Index of the entry.
        index: usize,
        /// Its value.
        value: f64,
    },
}

/// A generalized force on a model (length `n_v`; N, N·m), zero at first; see [`Model::with_applied_force`].
///
/// Clones are the same force.
#[derive(Clone, Debug)]
pub struct AppliedForce {
    force: Arc<RwLock<Vec<f64>>>,
}

impl AppliedForce {
    /// Applies `force` (length `n_v`; N, N·m) in place of the one before.
    ///
    /// # Errors
    ///
    /// [`AppliedForceError`]; the force before is then kept.
    pub fn set(&self, force: &[f64]) -> Result<(), AppliedForceError> {
        let mut kept = self.force.write().unwrap_or_else(PoisonError::into_inner);
        let (expected, found) = (kept.len(), force.len());
        if found != expected {
            return Err(AppliedForceError::Length { expected, found });
        }
        if let Some((index, &value)) = force.iter().enumerate().find(|(_, f)| !f.is_finite()) {
            return Err(AppliedForceError::NotFinite { index, value });
        }
        kept.copy_from_slice(force);
        Ok(())
    }

    /// Calls `use_it` with the force.
    fn with<T>(&self, use_it: impl FnOnce(&[f64]) -> T) -> T {
        use_it(&self.force.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Model {
    /// The same model with a force on it that its holder sets between steps, for controllers.
    ///
    /// [`Variational`](crate::Variational), which needs to know more of a system, refuses it.
    ///
    /// # Example
    ///
    /// A block of 2 kg without friction is pushed with 6 N for 1 s, from rest to 3 m/s.
    ///
    /// ```
    /// use nalgebra::Vector2;
    /// use percussion_dynamics::{PlanarBodies, PlanarBody};
    /// use percussion_integrators::{Model, State, schemes::Name};
    ///
    /// let block = PlanarBodies::new(vec![PlanarBody::new(2.0, 1.0)], Vector2::zeros())?;
    /// let (model, push) = Model::new(Box::new(block), vec![])?.with_applied_force();
    /// push.set(&[6.0, 0.0, 0.0])?;
    /// let start = State { time: 0.0, coordinates: vec![0.0; 3], velocity: vec![0.0; 3] };
    /// let scheme = Name::MoreauJean.stepping().ok_or("it takes steps")?.with_step_size(0.01);
    /// let mut motion = scheme.begin(model, start)?;
    /// motion.run(1.0, |_, _| ())?;
    /// assert!((motion.state().velocity[0] - 3.0).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_applied_force(self) -> (Self, AppliedForce) {
        let system: Arc<dyn System> = match self.mechanics {
            Mechanics::Any(system) => system,
            Mechanics::Lagrangian(system) => system,
            Mechanics::Bodies(bodies) => Arc::new(bodies),
        };
        let zero = vec![0.0; system.velocity_count()];
        let force = AppliedForce { force: Arc::new(RwLock::new(zero)) };
        let mechanics = Mechanics::Any(Arc::new(Driven { system, force: force.clone() }));
        (Self { mechanics, ..self }, force)
    }
}

/// A system with an applied force.
#[derive(Debug)]
struct Driven {
    system: Arc<dyn System>,
    force: AppliedForce,
}

impl System for Driven {
    fn coordinate_count(&self) -> usize {
        self.system.coordinate_count()
    }

    fn velocity_count(&self) -> usize {
        self.system.velocity_count()
    }

    fn check_coordinates(&self, coordinates: &[f64]) -> Result<(), CoordinateError> {
        self.system.check_coordinates(coordinates)
    }

    fn dimension(&self) -> Dimension {
        self.system.dimension()
    }

    fn body_count(&self) -> usize {
        self.system.body_count()
    }

    fn pose(&self, coordinates: &[f64], body: usize) -> Isometry3<f64> {
        self.system.pose(coordinates, body)
    }

    fn mass_matrix(&self, coordinates: &[f64], mass_matrix: &mut DMatrix<f64>) {
        self.system.mass_matrix(coordinates, mass_matrix);
    }

    fn apply_inverse_mass(&self, coordinates: &[f64], columns: &mut DMatrix<f64>) {
        self.system.apply_inverse_mass(coordinates, columns);
    }

    fn smooth_forces(&self, coordinates: &[f64], velocity: &[f64], time: f64, forces: &mut [f64]) {
        self.system.smooth_forces(coordinates, velocity, time, forces);
        self.force.with(|applied| {
            for (force, applied) in forces.iter_mut().zip(applied) {
                *force += applied;
            }
        });
    }

    /// That of the system, which may take forces implicitly, and `h M⁻¹ f`.
    fn smooth_velocity(
        &self,
        coordinates: &[f64],
        velocity: &[f64],
        time: f64,
        step: f64,
        end: &mut DMatrix<f64>,
    ) -> Result<(), SmoothVelocityError> {
        self.system.smooth_velocity(coordinates, velocity, time, step, end)?;
        let mut change =
            self.force.with(|applied| DMatrix::from_column_slice(applied.len(), 1, applied));
        // Without a force the bits are those of the system.
        if change.iter().any(|force| *force != 0.0) {
            self.system.apply_inverse_mass(coordinates, &mut change);
            *end += step * change;
        }
        Ok(())
    }

    fn retract_keeps_kinetic_energy(&self) -> bool {
        self.system.retract_keeps_kinetic_energy()
    }

    fn coordinate_rate(&self, coordinates: &[f64], velocity: &[f64], rate: &mut [f64]) {
        self.system.coordinate_rate(coordinates, velocity, rate);
    }

    fn retract(&self, coordinates: &[f64], tangent: &[f64], moved: &mut [f64]) {
        self.system.retract(coordinates, tangent, moved);
    }

    fn difference(&self, from: &[f64], to: &[f64], tangent: &mut [f64]) {
        self.system.difference(from, to, tangent);
    }

    fn tree_velocities(&self, body: usize) -> Range<usize> {
        self.system.tree_velocities(body)
    }

    fn add_point_row(
        &self,
        coordinates: &[f64],
        body: usize,
        point: &Vector3<f64>,
        direction: &Vector3<f64>,
        scale: f64,
        row: &mut [f64],
    ) {
        self.system.add_point_row(coordinates, body, point, direction, scale, row);
    }

    fn body_velocity(&self, coordinates: &[f64], velocity: &[f64], body: usize) -> BodyVelocity {
        self.system.body_velocity(coordinates, velocity, body)
    }

    fn point_bias(
        &self,
        coordinates: &[f64],
        velocity: &[f64],
        body: usize,
        point: &Vector3<f64>,
    ) -> Vector3<f64> {
        self.system.point_bias(coordinates, velocity, body, point)
    }

    fn other_power(&self, coordinates: &[f64], velocity: &[f64], time: f64) -> f64 {
        let applied = self.force.with(|applied| {
            applied.iter().zip(velocity).map(|(force, velocity)| force * velocity).sum::<f64>()
        });
        self.system.other_power(coordinates, velocity, time) + applied
    }

    fn potential_energy(&self, coordinates: &[f64]) -> f64 {
        self.system.potential_energy(coordinates)
    }

    fn kinetic_energy(&self, coordinates: &[f64], velocity: &[f64]) -> f64 {
        self.system.kinetic_energy(coordinates, velocity)
    }

    fn energy(&self, coordinates: &[f64], velocity: &[f64]) -> f64 {
        self.system.energy(coordinates, velocity)
    }
}

#[cfg(test)]
mod tests;
