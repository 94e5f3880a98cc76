//! Rigid bodies, and the quantities of them that contact laws need: percussion-dynamics.
//!
//! A [`System`] maps coordinates and velocities to mass matrices, forces and the motion of points. A [`GapFunction`](gap::GapFunction)
//! measures the distance between two of its surfaces and gives the rows of the contact Jacobian. An
//! [`EqualityConstraint`](constraint::EqualityConstraint) couples coordinates. The built-in systems are [`FreeBodies`] in space, [`PlanarBodies`] in
//! the plane and [`Articulated`] for mechanisms. This crate contains no time stepping and no impact laws.
//!
//! Units are SI and angles are in radians. Contact frames `(n, t, o)` are right-handed with `n` from body 2 to body
//! 1, contact components are in that order, and a gap is positive when open.
//!
//! # Example
//!
//! A ball of 2 kg and radius 0.5 m arrives at a floor at 3 m/s. The inverse mass `J M⁻¹ Jᵀ` at the contact is
//! `1/m = 0.5` along the normal. Along a tangent the ball also rotates, and with `I = 2/5 m r²` it is
//! `1/m + r²/I = 7/(2 m) = 1.75` (kg⁻¹).
//!
//! ```
//! use nalgebra::{DMatrix, Vector3};
//! use percussion_dynamics::{
//!     Body, FreeBodies, MassProperties, System,
//!     gap::{ContactRows, GapFunction, Plane, Sphere, SpherePlane},
//! };
//!
//! let ball = Body::from_mass_properties(&MassProperties::solid_sphere(2.0, 0.5)?);
//! let system = FreeBodies::new(vec![ball], Vector3::new(0.0, 0.0, -9.81))?;
//! let floor = Plane::new(&Vector3::z(), &Vector3::zeros())?;
//! let contact = SpherePlane::new(Sphere::of_body(0, 0.5), floor)?;
//! contact.check(&system)?;
//!
//! let coordinates = [0.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0];
//! let velocity = [0.0, 0.0, -3.0, 0.0, 0.0, 0.0];
//! system.check_coordinates(&coordinates)?;
//!
//! let mut rows = ContactRows::for_system(&system);
//! assert_eq!(contact.rows(&system, &coordinates, &mut rows), 0.0); // touching
//! let approach: f64 = rows.normal().iter().zip(velocity).map(|(j, v)| j * v).sum();
//! assert_eq!(approach, -3.0);
//!
//! for (row, expected) in [(rows.normal(), 0.5), (rows.tangent(0), 1.75)] {
//!     let mut column = DMatrix::from_column_slice(6, 1, row);
//!     system.apply_inverse_mass(&coordinates, &mut column);
//!     let delassus: f64 = row.iter().zip(column.as_slice()).map(|(j, c)| j * c).sum();
//!     assert!((delassus - expected).abs() < 1e-14);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Modules
//!
//! | item or module | holds |
//! | --- | --- |
//! | [`System`] | the trait of systems: coordinates, mass matrix, smooth forces, retraction, energy |
//! | [`Lagrangian`] | trait: momentum, its rate and their derivatives |
//! | [`FreeBodies`] | rigid bodies in space with unit quaternions |
//! | [`PlanarBodies`] | rigid bodies in the plane |
//! | [`Articulated`] | trees of links and joints in space or in the plane |
//! | [`MassProperties`] | masses and moments of inertia of the usual solids and of their composites |
//! | [`rotation`] | quaternions, their rate and the two [rotation updates](rotation::RotationUpdate) |
//! | [`Anchor`] | a point of a body or of the world |
//! | [`gap`] | the trait [`GapFunction`](gap::GapFunction), spheres against planes and spheres, rounded rods |
//! | [`ContactFrame`] | normal and tangents of a contact |
//! | [`ContactSet`] | contact Jacobian and Delassus operator, dense and block-sparse |
//! | [`ContactSource`], [`ContactSearch`] | the traits of contact detection that schemes use |
//! | [`compliant`] | force laws of compliant contacts: [`Law`](compliant::Law), spring and damper, Hertz, friction made smooth |
//! | [`motion`] | [`BodyMotion`](motion::BodyMotion): velocities and accelerations of the points of one body |
//! | [`AddedMass`] | what is added to a mass matrix by forces that are taken implicitly |
//! | [`same_bits`] | whether coordinates are those at which something was computed |
//! | [`difference`] | rates along a motion by differences, where there is no closed form |
//! | [`constraint`] | the trait [`EqualityConstraint`](constraint::EqualityConstraint), joints that close loops, curves, rolling, and the [`ConstraintSet`](constraint::set::ConstraintSet) |
//!
//! # Features
//!
//! | feature | default | adds |
//! | --- | --- | --- |
//! | `loops` | yes | [`ConstraintSet`](constraint::set::ConstraintSet): several constraints solved together, including redundant ones |
//! | `serde` | yes | settings as data |
//! | `simd` | yes | vectors of four numbers in inner loops where the processor has them, with the same bits |
//!
//! # Limits
//!
//! - Bodies are rigid. Mechanisms are trees with loops closed by equality constraints.
//! - Mass matrices are dense, except for the blocks of free bodies; a mechanism of hundreds of links is slow.
//! - The gap functions are those of spheres, planes and rods with round ends; `percussion-collision` has those of
//!   other shapes.

mod added_mass;
mod anchor;
mod articulated;
mod bits;
pub mod compliant;
pub mod constraint;
mod contact_frame;
mod contact_set;
mod contact_source;
mod free_bodies;
pub mod gap;
mod inertia;
mod lagrangian;
mod planar_bodies;
pub mod rotation;
mod system;
#[cfg(test)]
mod testing;
mod vectors;

pub use nalgebra;

pub use added_mass::AddedMass;
pub use anchor::{Anchor, AnchorError};
pub use articulated::{
    Articulated, ArticulatedError, CentroidalMomentum, Joint, JointFriction, JointKind, JointLimit,
    Kinematics, LimitSide, Link, ShapeError, SumLimit, SumTerm, TurnLimit,
};
pub use bits::same_bits;
pub use contact_frame::{ContactFrame, ContactFrameError};
pub use contact_set::{BlockSparse, Contact, ContactSet, ContactSetError};
pub use contact_source::{ContactName, ContactSearch, ContactSource, ContactSourceError, Nearby};
pub use free_bodies::{Body, FreeBodies, FreeBodiesError, pose_coordinates};
pub use inertia::{MassProperties, MassPropertiesError};
pub use lagrangian::{Derivatives, Lagrangian};
pub use planar_bodies::{PlanarBodies, PlanarBody};
pub use system::{
    CoordinateError, Dimension, Near, SmoothVelocityError, System, difference, motion,
};

/// Compiles the example in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
