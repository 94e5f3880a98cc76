//! Rigid bodies, and the quantities of them that contact laws need: percussion-dynamics.
//!
//! A [`System`] maps coordinates and velocities to mass matrices, forces and the motion of points. A [`GapFunction`]
//! measures the distance between two of its surfaces and gives the rows of the contact Jacobian. An
//! [`EqualityConstraint`] couples coordinates. The built-in systems are [`FreeBodies`] in space, [`PlanarBodies`] in
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
//!     Body, ContactRows, FreeBodies, GapFunction, MassProperties, System,
//!     gap::{Plane, Sphere, SpherePlane},
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
//! | module | holds |
//! | --- | --- |
//! | [`system`] | the trait [`System`]: coordinates, mass matrix, smooth forces, retraction, energy |
//! | [`lagrangian`] | the trait [`Lagrangian`]: momentum, its rate and their derivatives |
//! | [`free_bodies`] | [`FreeBodies`], rigid bodies in space with unit quaternions |
//! | [`planar_bodies`] | [`PlanarBodies`], rigid bodies in the plane |
//! | [`articulated`] | [`Articulated`], trees of links and joints in space or in the plane |
//! | [`inertia`] | [`MassProperties`] of the usual solids and of their composites |
//! | [`rotation`] | quaternions, their rate and the two [rotation updates](RotationUpdate) |
//! | [`anchor`] | [`Anchor`], a point of a body or of the world |
//! | [`gap`] | the trait [`GapFunction`], spheres against planes and spheres, rounded rods |
//! | [`contact_frame`] | [`ContactFrame`], normal and tangents of a contact |
//! | [`contact_set`] | [`ContactSet`]: contact Jacobian and Delassus operator, dense and block-sparse |
//! | [`contact_source`] | the traits of contact detection that schemes use |
//! | [`compliant`] | force laws of compliant contacts: [`Law`](compliant::Law), spring and damper, Hertz, friction made smooth |
//! | [`system::motion`] | [`BodyMotion`](system::motion::BodyMotion): velocities and accelerations of the points of one body |
//! | [`system::difference`] | rates along a motion by differences, where there is no closed form |
//! | [`constraint`] | the trait [`EqualityConstraint`], joints that close loops, curves, rolling, and the [`ConstraintSet`](constraint::ConstraintSet) |
//!
//! # Features
//!
//! | feature | default | adds |
//! | --- | --- | --- |
//! | `loops` | yes | [`ConstraintSet`](constraint::ConstraintSet): several constraints solved together, including redundant ones |
//! | `serde` | yes | settings as data |
//!
//! # Limits
//!
//! - Bodies are rigid. Mechanisms are trees with loops closed by equality constraints.
//! - Mass matrices are dense, except for the blocks of free bodies; a mechanism of hundreds of links is slow.
//! - The gap functions are those of spheres, planes and rods with round ends; `percussion-collision` has those of
//!   other shapes.

pub mod anchor;
pub mod articulated;
pub mod compliant;
pub mod constraint;
pub mod contact_frame;
pub mod contact_set;
pub mod contact_source;
pub mod free_bodies;
pub mod gap;
pub mod inertia;
pub mod lagrangian;
pub mod planar_bodies;
pub mod rotation;
pub mod system;
#[cfg(test)]
mod testing;

/// Compiles the example in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub use anchor::Anchor;
pub use articulated::{Articulated, Joint, JointFriction, JointKind, JointLimit, Kinematics, Link};
pub use constraint::{BallJoint, Distance, EqualityConstraint};
pub use contact_frame::ContactFrame;
pub use contact_set::ContactSet;
pub use contact_source::ContactSource;
pub use free_bodies::{Body, FreeBodies};
pub use gap::{ContactRows, GapFunction};
pub use inertia::MassProperties;
pub use lagrangian::Lagrangian;
pub use planar_bodies::{PlanarBodies, PlanarBody};
pub use rotation::RotationUpdate;
pub use system::{Dimension, SmoothVelocityError, System};
