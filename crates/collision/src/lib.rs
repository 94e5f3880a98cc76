//! Contact detection between features of rigid bodies: percussion-collision.
//!
//! A [`Collider`] attaches a [`Shape`] to a body of a [`System`](percussion_dynamics::System). A [`Scene`] of
//! colliders finds the [`Contact`]s between them at given coordinates. A [`FeatureGap`] is the
//! [`GapFunction`](percussion_dynamics::gap::GapFunction) of one contact, which follows it while the bodies move. A scene
//! is a [`ContactSource`](percussion_dynamics::ContactSource), which all integration schemes accept. The
//! [`CellGrid`] finds near pairs among many equal spheres. This crate contains no contact laws.
//!
//! A contact consists of two [`Feature`]s, a corner and a face or two edges. Each such pair has a gap with an exact
//! gradient `n · (J_1 − J_2)`. The [name](ContactId) of a contact stays the same while the features touch, contacts
//! are sorted by it, and the same input gives the same bits. Units are SI; a gap is positive when open, and normals
//! point from body 2 to body 1, out of the ground.
//!
//! # Example
//!
//! A box of edges 0.4, 0.6 and 0.8 m stands on its smallest face, tilted by 1 mrad about `x`. The two corners on
//! which it stands touch. The other two are `0.6 sin(0.001)` = 0.6 mm above the ground and only belong to the
//! contact if the uncertainty of positions is larger than that.
//!
//! ```
//! use nalgebra::{Matrix3, Vector3};
//! use percussion_collision::{Collider, Feature, Scene, Settings, Shape, Workspace};
//! use percussion_dynamics::{Body, FreeBodies, gap::ContactRows};
//!
//! let system = FreeBodies::new(vec![Body::new(2.0, Matrix3::identity())], Vector3::zeros())?;
//! let scene = Scene::new(
//!     vec![
//!         Collider::on_body(0, Shape::Box { half_extents: Vector3::new(0.2, 0.3, 0.4) })?
//!             .with_friction(0.2)?,
//!         Collider::fixed(Shape::HalfSpace { normal: Vector3::z() })?.with_friction(0.8)?,
//!     ],
//!     &system,
//! )?;
//! let half_tilt: f64 = 0.0005;
//! let height = 0.4 * (2.0 * half_tilt).cos() + 0.3 * (2.0 * half_tilt).sin();
//! let tilted = [0.0, 0.0, height, half_tilt.cos(), half_tilt.sin(), 0.0, 0.0];
//!
//! let mut workspace = Workspace::default();
//! let contacts = scene.contacts(&system, &tilted, &Settings::default(), &mut workspace)?;
//! assert_eq!(contacts.len(), 2);
//! let coarse = Settings { proximity: 1e-3 };
//! let contacts = scene.contacts(&system, &tilted, &coarse, &mut workspace)?;
//! assert_eq!(contacts.len(), 4);
//!
//! // Corner 3 has positive x and y and negative z.
//! let corner = contacts[3];
//! assert_eq!(corner.id.features, [Feature::Vertex(3), Feature::Face(0)]);
//! assert!((corner.gap - 0.6 * 0.001_f64.sin()).abs() < 1e-15);
//! assert!((corner.friction - 0.4).abs() < 1e-15); // √(0.2 · 0.8)
//!
//! let mut rows = ContactRows::for_system(&system);
//! corner.rows(&system, &tilted, &mut rows);
//! assert_eq!(rows.normal()[..3], [0.0, 0.0, 1.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Pairs of shapes
//!
//! | pair | contacts | method |
//! | --- | --- | --- |
//! | sphere or disc – any | 1 | closed form |
//! | box, hull, rectangle – half-space | vertices | closed form |
//! | capsule, rod – half-space | 2 ends | closed form |
//! | cylinder – half-space | the lowest point of each rim, and if it stands 4 fixed points of each | closed form |
//! | capsule, rod – the same | ends against the other, crossing of axes | closed form |
//! | rectangle, rod in the plane | corners against sides | closed form |
//! | box, hull – the same | corners over faces, crossings of edges | separating axes; parry if apart |
//! | capsule, rod – box, hull | ends over faces, nearest points | closed form if cores overlap; parry if apart |
//! | cylinder – capsule, cylinder, box, hull | rims and corners over faces, nearest points | stationary directions if overlapping; parry, sharpened, if apart |
//!
//! # Degenerate positions
//!
//! The smallest gap of a pair is continuous (for polytopes, cylinders and the cores of capsules up to a millionth of
//! their size, where the method changes), but at some positions its direction is not. The direction chosen there
//! rotates with the bodies:
//!
//! - *Coincident centers*, a center on the axis of a capsule or cylinder: an axis of the frame of the
//!   other collider, see [`Feature::Whole`].
//! - *Axes of capsules that meet*: the cross product of their directions. *Parallel axes*: the contacts are at the
//!   ends of the common stretch, without a crossing.
//! - *Parallel faces*: the corners of each over the other and the crossings of their edges, each with its own
//!   normal. *A cylinder standing upright*: the four fixed points of a rim, because the rim has no unique lowest
//!   point.
//! - *Deep penetration*: the shortest of all separating translations, also for cylinders; of equal ones, faces come
//!   before edges, edges before rims and smaller indices before larger ones. *Coaxial cylinders* separate along the
//!   axis or, if that is longer, along the `x` axis of the first.
//!
//! If the iteration for a distance fails, the result is [`SceneError::Undecided`] instead of an estimate.
//!
//! # Modules
//!
//! | item or module | holds |
//! | --- | --- |
//! | [`Shape`] | spheres, boxes, capsules, cylinders, hulls, rods, half-spaces, discs, rectangles |
//! | [`homogeneous`] | volume, mass and inertia of shapes, and of several together |
//! | [`Hull`] | a convex polyhedron with its faces and edges |
//! | [`Collider`] | a shape on a body with friction and restitution |
//! | [`coefficients`] | the ranges of coefficients |
//! | [`Pair`] | two colliders with their own friction and restitution |
//! | [`Scene`] | finds contacts, with the proximity that decides which take part in an impact |
//! | [`Contact`] | what a scene finds, with its [name](ContactId); [`FeatureGap`] follows it |
//! | [`Feature`] | the parts of a name |
//! | [`between`] | the contacts of two colliders without a scene, and [`near`] for many pairs of many bodies |
//! | [`CellGrid`] | finds the pairs of many equal spheres |
//!
//! # Features
//!
//! | feature | default | adds |
//! | --- | --- | --- |
//! | `hulls` | yes | convex [hulls](Shape::hull) of points, cylinders against all other shapes, and a tree of boxes for many bodies, by the crate `parry3d-f64` |
//! | `serde` | yes | shapes as data of files |
//!
//! Without `hulls`, a cylinder can touch half-spaces and spheres only; with a capsule, a box or another cylinder
//! near it, [`Scene::contacts`] returns [`SceneError::Undecided`].
//!
//! # Limits
//!
//! - Detection is discrete: each position is examined separately, so a body that passes through another between two
//!   positions is not detected.
//! - Shapes are convex; other shapes are made of several colliders on one body.
//! - Restitution and friction are combined (the geometric mean of friction) and passed on, but not used in this
//!   crate.

#[cfg(feature = "hulls")]
mod adapter;
mod answers;
mod broad_phase;
mod cell_grid;
pub mod coefficients;
mod collider;
mod contact;
mod distance;
mod feature;
#[cfg(feature = "serde")]
mod files;
pub mod homogeneous;
mod hull;
mod lengths;
mod near;
mod pair;
mod pairs;
#[cfg(feature = "hulls")]
mod parry;
#[cfg(feature = "hulls")]
mod points;
mod products;
mod reach;
mod scene;
mod search;
mod shape;
mod solid;
mod source;
mod witness;

pub use nalgebra;

pub use cell_grid::{CellGrid, CellGridError, LARGEST_COUNT};
pub use collider::{Collider, ColliderError};
pub use contact::{Contact, ContactId, FeatureGap};
pub use feature::Feature;
pub use hull::{Edge, Face, Hull, HullError};
pub use near::{Near, Nearby, Place, between, near};
pub use pair::{Pair, PairError};
pub use scene::{Scene, SceneError, Settings, Workspace};
pub use shape::{Shape, ShapeError};

/// Compiles the example in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
