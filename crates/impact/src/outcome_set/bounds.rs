//! Bounding boxes of velocities and contact velocities.

use nalgebra::DVector;

use crate::{
    Problem,
    set_valued::{Sample, Summary},
};

/// The minimum and the maximum of each velocity and of each contact velocity.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Bounds {
    /// Smallest `v⁺` (length `n_v`, m/s and rad/s); `+∞` before the first sample.
    pub velocity_min: DVector<f64>,
    /// Largest `v⁺`; `−∞` before the first sample.
    pub velocity_max: DVector<f64>,
    /// Smallest `J v⁺` (length `r`, m/s).
    pub contact_velocity_min: DVector<f64>,
    /// Largest `J v⁺` (length `r`, m/s).
    pub contact_velocity_max: DVector<f64>,
}

impl Bounds {
    /// The bounds for `problem` before the first sample.
    #[must_use]
    pub fn new(problem: &Problem) -> Self {
        let (velocities, rows) = (problem.dimension(), problem.contact_jacobian().nrows());
        let fill = DVector::from_element;
        Self {
            velocity_min: fill(velocities, f64::INFINITY),
            velocity_max: fill(velocities, f64::NEG_INFINITY),
            contact_velocity_min: fill(rows, f64::INFINITY),
            contact_velocity_max: fill(rows, f64::NEG_INFINITY),
        }
    }
}

impl Summary for Bounds {
    fn record(&mut self, sample: &Sample<'_>) {
        fold(&mut self.velocity_min, sample.velocity, f64::min);
        fold(&mut self.velocity_max, sample.velocity, f64::max);
        fold(&mut self.contact_velocity_min, sample.contact_velocity, f64::min);
        fold(&mut self.contact_velocity_max, sample.contact_velocity, f64::max);
    }

    fn merge(&mut self, later: Self) {
        fold(&mut self.velocity_min, &later.velocity_min, f64::min);
        fold(&mut self.velocity_max, &later.velocity_max, f64::max);
        fold(&mut self.contact_velocity_min, &later.contact_velocity_min, f64::min);
        fold(&mut self.contact_velocity_max, &later.contact_velocity_max, f64::max);
    }
}

fn fold(bound: &mut DVector<f64>, values: &DVector<f64>, choose: fn(f64, f64) -> f64) {
    bound.iter_mut().zip(values).for_each(|(bound, value)| *bound = choose(*bound, *value));
}
