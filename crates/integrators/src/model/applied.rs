//! A generalized force that a controller sets between steps: [`AppliedForce`].
//!
//! It acts on the system itself, beside gravity and the like, so that every scheme which takes smooth forces takes it, and its
//! work is in the account of the energy. Within a step it is constant.

use std::{
    ops::Range,
    sync::{Arc, PoisonError, RwLock},
};

use nalgebra::DMatrix;
use percussion_dynamics::{AddedMass, Near, SmoothVelocityError, System};

use super::{Mechanics, Model, delegate::delegate_system};

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
    /// [`Variational`](crate::variational::Variational), which needs to know more of a system, refuses it.
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
        let system = self.mechanics.shared();
        let zero = vec![0.0; system.velocity_count()];
        let force = AppliedForce { force: Arc::new(RwLock::new(zero)) };
        let mechanics = Mechanics::Any(Arc::new(Pushed { system, force: force.clone() }));
        (Self { mechanics, ..self }.with_own_drives(), force)
    }
}

/// A system with an applied force.
#[derive(Debug)]
struct Pushed {
    system: Arc<dyn System>,
    force: AppliedForce,
}

impl System for Pushed {
    delegate_system!();

    fn apply_inverse_mass(&self, coordinates: &[f64], columns: &mut DMatrix<f64>) {
        self.system.apply_inverse_mass(coordinates, columns);
    }

    fn apply_inverse_sum(
        &self,
        coordinates: &[f64],
        added: &AddedMass,
        columns: &mut DMatrix<f64>,
    ) {
        self.system.apply_inverse_sum(coordinates, added, columns);
    }

    fn whiten(
        &self,
        coordinates: &[f64],
        added: Option<&AddedMass>,
        columns: &mut DMatrix<f64>,
    ) -> bool {
        self.system.whiten(coordinates, added, columns)
    }

    fn tree_velocities(&self, body: usize) -> Range<usize> {
        self.system.tree_velocities(body)
    }

    fn tree_coordinates(&self, body: usize) -> Range<usize> {
        self.system.tree_coordinates(body)
    }

    fn smooth_forces(&self, coordinates: &[f64], velocity: &[f64], time: f64, forces: &mut [f64]) {
        self.system.smooth_forces(coordinates, velocity, time, forces);
        self.force.with(|applied| {
            for (force, applied) in forces.iter_mut().zip(applied) {
                *force += applied;
            }
        });
    }

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
        self.force.with(|applied| {
            forces.iter_mut().zip(applied).for_each(|(force, applied)| *force -= applied);
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

    fn other_power(&self, coordinates: &[f64], velocity: &[f64], time: f64) -> f64 {
        let applied = self.force.with(|applied| {
            applied.iter().zip(velocity).map(|(force, velocity)| force * velocity).sum::<f64>()
        });
        self.system.other_power(coordinates, velocity, time) + applied
    }
}

#[cfg(test)]
mod tests;
