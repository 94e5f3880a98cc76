//! The experiments of Preclik, Eibl and Rüde: contacts whose impulse leaves the least kinetic energy, and
//! scenes simulated with round friction cones, by that law and by Coulomb's.
//!
//! # Source
//!
//! T. Preclik, S. Eibl, U. Rüde, "The maximum dissipation principle in rigid-body dynamics with purely
//! inelastic impacts", 2017, sections 3.1 (the scheme), 3.2, 4.1 and 4.2. The scenes are elementary and made for this
//! project.

mod beside_stewart_trinkle;
mod block_on_slope;
mod boxes;
mod card_house;
mod convergence;
mod painleve_rod;
mod single_contact;
mod stack;
mod tangents;

use percussion_complementarity::friction::Law;
use percussion_mechanism::{scenario::Scenario, trajectory::Trajectory};

/// The experiments of the family, in the order of lists.
pub(super) const ALL: &[super::Experiment] = &[
    experiment!(
        "maximum-dissipation/single-contact",
        maximum_dissipation::single_contact,
        "A contact with three percussions of Coulomb's law"
    ),
    experiment!(
        "maximum-dissipation/painleve-rod",
        maximum_dissipation::painleve_rod,
        "Painlevé's rod slides on its tip"
    ),
    experiment!(
        "maximum-dissipation/convergence",
        maximum_dissipation::convergence,
        "How methods for many contacts converge"
    ),
    scenario!(
        "maximum-dissipation/block-on-slope",
        maximum_dissipation::block_on_slope,
        "A block slides up a slope and stops where friction just holds it"
    ),
    experiment!(
        "maximum-dissipation/stack",
        maximum_dissipation::stack,
        "A stack of boxes falls together and rests"
    ),
    scenario!(
        "maximum-dissipation/card-house",
        maximum_dissipation::card_house,
        "A house of seven cards stands, or falls, by friction"
    ),
    experiment!(
        "maximum-dissipation/beside-stewart-trinkle",
        maximum_dissipation::beside_stewart_trinkle,
        "Two published scenes by round cones and by polygons"
    ),
];

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

/// Largest distance between the start and the end of a center of a planar body (m).
fn longest_way(trajectory: &Trajectory) -> f64 {
    let bodies = trajectory.end().displacement.chunks_exact(3);
    bodies.map(|way| way[0].hypot(way[1])).fold(0.0, f64::max)
}
