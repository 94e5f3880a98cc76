//! Joints, limits and friction with any section beside closed forms: what one constraint problem has to give.
//!
//! # Source
//!
//! Elementary mechanics, made for this project.

mod joints;
mod sections;

/// The experiments of the family, in the order of lists.
pub(super) const ALL: &[super::Experiment] = &[
    experiment!(
        "constraints/joints",
        constraints::joints,
        "Dry friction stops a wheel, holds a pendulum and lets it swing out"
    ),
    experiment!(
        "constraints/sections",
        constraints::sections,
        "Elliptic friction, a soft finger and a ball with rolling resistance"
    ),
];
