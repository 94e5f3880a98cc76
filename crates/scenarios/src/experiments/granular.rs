//! The experiments with grains by the thousand.
//!
//! # Source
//!
//! T. Preclik, S. Eibl, U. Rüde, "The maximum dissipation principle in rigid-body dynamics with purely
//! inelastic impacts", *Computational Mechanics* 62 (2018) 81–96, section 4.3.

mod channel;

/// The experiments of the family, in the order of lists.
pub(super) const ALL: &[super::Experiment] = &[experiment!(
    "granular/channel",
    granular::channel,
    "Grains stream through a channel past an obstacle"
)];
