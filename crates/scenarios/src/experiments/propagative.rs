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
