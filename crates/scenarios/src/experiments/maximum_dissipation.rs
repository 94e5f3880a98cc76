//! The experiments of Preclik, Eibl and Rüde: contacts whose percussion leaves the least kinetic energy, and scenes moved
//! with round friction cones, by that law and by Coulomb's.
//!
//! # Source
//!
//! T. Preclik, S. Eibl, U. Rüde, "The maximum dissipation principle in rigid-body dynamics with purely
//! inelastic impacts", 2017, sections 3.1 (the scheme), 3.2, 4.1 and 4.2. The scenes are elementary and made for this
//! project.

pub(super) mod beside_stewart_trinkle;
pub(super) mod block_on_slope;
mod boxes;
pub(super) mod card_house;
pub(super) mod convergence;
pub(super) mod painleve_rod;
pub(super) mod single_contact;
pub(super) mod stack;
mod tangents;

use percussion_complementarity::friction::Law;
use percussion_mechanism::{scenario::Scenario, trajectory::Trajectory};

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
