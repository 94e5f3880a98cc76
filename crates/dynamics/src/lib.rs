//! Rigid bodies and what contact laws need to know of them.
//!
//! A [`System`] turns coordinates and velocities into mass matrices, forces and the motion of points;
//! a [`GapFunction`] measures the distance between two of its surfaces and gives the rows of the
//! contact Jacobian; an [`EqualityConstraint`] ties coordinates together.

pub mod constraint;
pub mod contact_frame;
pub mod gap;
pub mod system;

pub use constraint::EqualityConstraint;
pub use contact_frame::ContactFrame;
pub use gap::{ContactRows, GapFunction};
pub use system::{Dimension, System};
