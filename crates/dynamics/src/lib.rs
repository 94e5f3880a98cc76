//! Rigid bodies and what contact laws need to know of them.
//!
//! A [`System`] turns coordinates and velocities into mass matrices, forces and the motion of points;
//! a [`GapFunction`] measures the distance between two of its surfaces and gives the rows of the
//! contact Jacobian; an [`EqualityConstraint`] ties coordinates together.

pub mod anchor;
pub mod constraint;
pub mod contact_frame;
pub mod free_bodies;
pub mod gap;
pub mod inertia;
pub mod planar_bodies;
pub mod rotation;
pub mod system;
#[cfg(test)]
mod testing;

pub use anchor::Anchor;
pub use constraint::{BallJoint, Distance, EqualityConstraint};
pub use contact_frame::ContactFrame;
pub use free_bodies::{Body, FreeBodies};
pub use gap::{ContactRows, GapFunction};
pub use inertia::MassProperties;
pub use planar_bodies::{PlanarBodies, PlanarBody};
pub use rotation::RotationUpdate;
pub use system::{Dimension, System};
