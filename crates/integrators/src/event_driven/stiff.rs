//! Stiff forces: detection of forces that change so fast with positions and velocities that explicit steps are at the limit of
//! their stability.
//!
//! With the displacement `d` from a motion and its velocity `w`, in units of the model, small disturbances follow
//!
//! ```math
//! \frac{\mathrm d}{\mathrm d t}\begin{pmatrix} d \\ w \end{pmatrix}
//!   = J \begin{pmatrix} d \\ w \end{pmatrix}
//!   = \begin{pmatrix} w \\ \partial a/\partial q\, d + \partial a/\partial v\, w \end{pmatrix}
//! ```
//!
//! with the acceleration `a` in the current mode. Powers of `J` applied to a disturbance grow by the size of its largest eigenvalue,
//! here for an even number of them, between which those of an oscillation would alternate. Forces are stiff where the product of
//! this rate and the length of the steps is of order one: shorter steps are not needed for accuracy, but for stability.
//!
//! # Source
//!
//! E. Hairer, G. Wanner, *Solving Ordinary Differential Equations II*, Springer 1996, section IV.2 (detection of stiffness).

use nalgebra::DVector;

use super::{
    geometry::{Geometry, Moment},
    hold::Hold,
    settings::Resolved,
};

/// Number of powers of `J` that turn a disturbance into the direction of the largest eigenvalue, and of those that measure it.
const TURNING: usize = 4;
const MEASURING: usize = 4;

/// Evaluations of the acceleration that a search takes.
pub(super) const EVALUATIONS: usize = 1 + TURNING + MEASURING;

/// Size of a disturbance in units of the model.
const DISTURBANCE: f64 = 1e-7;

/// Least product of the length of steps and the rate of stiff forces. Explicit steps are stable up to about three.
const AT_LIMIT: f64 = 1.0;

/// Whether steps of this mean length (s) are short because of stiff forces. Afterwards all contacts are located at the moment.
pub(super) fn are_stiff(
    geometry: &mut Geometry<'_>,
    moment: &Moment<'_>,
    hold: &Hold,
    (settings, length): (&Resolved, f64),
) -> bool {
    let (scales, still) = (&settings.scales, settings.still);
    let system = geometry.model.system();
    let widths = scales.of_velocities(system, moment.coordinates);
    let here = hold.solve(geometry, moment, still).acceleration;
    let mut displacement = DVector::<f64>::zeros(widths.len());
    let mut velocity = DVector::<f64>::from_element(widths.len(), 1.0);
    let (mut coordinates, mut velocities) = (moment.coordinates.to_vec(), moment.velocity.to_vec());
    let mut size = velocity.norm();
    let mut growth = 1.0_f64;
    for power in 0..TURNING + MEASURING {
        let part = DISTURBANCE / size;
        let moved: Vec<f64> =
            displacement.iter().zip(&widths).map(|(d, width)| part * d * width).collect();
        system.retract(moment.coordinates, &moved, &mut coordinates);
        for (k, v) in velocities.iter_mut().enumerate() {
            *v = moment.velocity[k] + part * velocity[k] * widths[k] / scales.time;
        }
        let disturbed =
            Moment { time: moment.time, coordinates: &coordinates, velocity: &velocities };
        let there = hold.solve(geometry, &disturbed, still).acceleration;
        displacement.copy_from(&velocity);
        for (k, w) in velocity.iter_mut().enumerate() {
            *w = (there[k] - here[k]) * scales.time.powi(2) / (part * widths[k]);
        }
        let before = std::mem::replace(&mut size, displacement.norm().hypot(velocity.norm()));
        if power >= TURNING {
            growth *= size / before;
        }
    }
    geometry.locate_all(moment.coordinates);
    let rate = growth.powf(1.0 / MEASURING as f64) / scales.time;
    rate * length > AT_LIMIT
}
