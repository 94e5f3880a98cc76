//! The examples of Seghete and Murphey: impacts that propagate from contact to contact.
//!
//! # Source
//!
//! V. Seghete, T. D. Murphey, "A propagative model of simultaneous impact: existence, uniqueness, and
//! design consequences", *IEEE Transactions on Automation Science and Engineering* 11 (2014) 154–168.

pub(super) mod billiards;
pub(super) mod cradle;
pub(super) mod integrators;
pub(super) mod trex;
