//! Dampers of joints that are stiff beside the step, which act at its end.

use nalgebra::{Cholesky, DMatrix, Vector3};
use percussion_dynamics::{Articulated, Link, System};
use percussion_integrators::{Actuator, schemes::Name};

use super::Scenario;
use crate::{Error, mechanism::Placed};

/// Fraction of the velocity of a joint that its damper may take in a step and act as other forces do, which are evaluated
/// before or within the step. Schemes that iterate converge by half of it in each pass, and explicit ones are stable up to 2.
const SOFT: f64 = 0.1;

impl Scenario {
    /// Takes the stiff dampers from `links` and returns them as actuators, where the scheme has a rule for these; the links
    /// are at `places` under `gravity` (m/s²).
    pub(super) fn stiff_dampers(
        &self,
        links: &mut [Link],
        places: &[Placed],
        gravity: Vector3<f64>,
    ) -> Result<Vec<Actuator>, Error> {
        let method = self.integrator.method;
        let is_damped = |link: &Link| link.joint.damping.iter().any(|damping| *damping > 0.0);
        if matches!(method, Name::EventDriven | Name::Variational) || !links.iter().any(is_damped) {
            return Ok(Vec::new());
        }
        let system = Articulated::new(links.to_vec(), gravity)?;
        let mut coordinates = system.neutral_coordinates();
        for place in places {
            if let (Some(link), Some(given)) = (system.link_index(&place.name), &place.coordinates)
            {
                coordinates[system.coordinates_of(link)].copy_from_slice(given);
            }
        }
        let count = system.velocity_count();
        let mut mass = DMatrix::zeros(count, count);
        system.mass_matrix(&coordinates, &mut mass);
        // A singular matrix is refused later, with its place.
        let Some(factors) = Cholesky::new(mass) else { return Ok(Vec::new()) };
        let inverse = factors.inverse();
        let mut dampers = Vec::new();
        for link in links.iter_mut() {
            let Some(number) = system.link_index(&link.name) else { continue };
            let (first, rates) = (system.coordinates_of(number), system.velocities_of(number));
            for (damping, velocity) in link.joint.damping.iter_mut().zip(rates) {
                if *damping * self.integrator.step_size * inverse[(velocity, velocity)] > SOFT {
                    // Its length is not used.
                    let damper = Actuator::on((first.start, velocity));
                    dampers.push(Actuator { bias: [0.0, 0.0, -*damping], ..damper });
                    *damping = 0.0;
                }
            }
        }
        Ok(dampers)
    }
}
