//! The experiments of Stewart and Trinkle: time stepping on the level of positions.
//!
//! # Source
//!
//! D. E. Stewart, J. C. Trinkle, "An implicit time-stepping scheme for rigid body dynamics with inelastic
//! collisions and Coulomb friction", *International Journal for Numerical Methods in Engineering* 39 (1996)
//! 2673–2691, sections 3.5 and 4.

pub(super) mod bounded_friction;
pub(super) mod four_balls;
mod impulses;
pub(super) mod rod_on_table;
mod thrown;
pub(super) mod two_balls_bounce;
pub(super) mod two_balls_direct;
