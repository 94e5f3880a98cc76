//! The examples of Seghete and Murphey: impacts that propagate from contact to contact.
//!
//! # Source
//!
//! V. Seghete, T. D. Murphey, "A propagative model of simultaneous impact: existence, uniqueness, and
//! design consequences", *IEEE Transactions on Automation Science and Engineering* 11 (2014) 154–168.

mod billiards;
mod cradle;
mod integrators;
mod trex;

use percussion_dynamics::System;
use percussion_integrators::Impact;

use crate::fault::Faults;

/// The experiments of the family, in the order of lists.
pub(super) const ALL: &[super::Experiment] = &[
    experiment!("propagative/cradle", propagative::cradle, "A ball strikes a row of two"),
    experiment!("propagative/billiards", propagative::billiards, "A cue ball breaks two others"),
    experiment!("propagative/trex", propagative::trex, "A robot that lands on tail and right foot"),
    experiment!(
        "propagative/integrators",
        propagative::integrators,
        "Hinged rods fall on a floor, by three integrators"
    ),
];

/// Change of the kinetic energy in an impact (J) with the faults of the experiment.
fn energy_change(system: &dyn System, impact: &Impact, faults: Faults) -> f64 {
    let mut after = impact.velocity_after.clone();
    faults.velocities(after.as_mut_slice());
    let energy = |velocity: &[f64]| system.kinetic_energy(&impact.coordinates, velocity);
    impact.energy_change + energy(after.as_slice()) - energy(impact.velocity_after.as_slice())
}
