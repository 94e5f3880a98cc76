//! Scenes moved with round friction cones, by Coulomb's law and by maximum dissipation.
//!
//! # Source
//!
//! T. Preclik, S. Eibl, U. Rüde, "The maximum dissipation principle in rigid-body dynamics with purely inelastic
//! impacts", 2017, section 3.1 (the scheme). The scenes are elementary and made for this project.

mod beside_stewart_trinkle;
mod boxes;
mod card_house;
mod slope;
mod stack;

use percussion_complementarity::friction::Law;

pub(super) use beside_stewart_trinkle::run as beside_stewart_trinkle;
pub(super) use card_house::run as card_house;
pub(super) use slope::run as slope;
pub(super) use stack::run as stack;

use crate::{scenario::Scenario, trajectory::Trajectory};

/// The friction laws and their names in quantities.
const LAWS: [(Law, &str); 2] =
    [(Law::Coulomb, "Coulomb"), (Law::MaximumDissipation, "maximum dissipation")];

/// The same scenario with a friction law and a coefficient for all contacts.
fn with_friction(scenario: &Scenario, law: Law, friction: f64) -> Scenario {
    let mut scenario = scenario.clone();
    scenario.integrator.friction_law = Some(law);
    scenario.friction = Some(friction);
    scenario
}

/// The longest way that a center of the plane's bodies went, from the start to the end (m).
fn longest_way(trajectory: &Trajectory) -> f64 {
    let bodies = trajectory.end().displacement.chunks_exact(3);
    bodies.map(|way| way[0].hypot(way[1])).fold(0.0, f64::max)
}
