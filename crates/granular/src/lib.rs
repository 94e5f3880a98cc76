//! Many spheres in hard contact with friction.
//!
//! A [`World`] contains [grains](Grain), which are solid balls, and [walls](Wall) of infinite mass.
//! [`World::step`] moves them by one time step and returns a [`Report`] with the residual of the contact
//! problem, the overlap and the energy that contacts dissipated. Contacts are hard: there is no stiffness and
//! no damping, and the time step is limited by speeds and sizes, not by material stiffness.
//!
//! For spheres the two friction laws, Coulomb's and that of maximum dissipation, are the same.
//! [`Bodies`](bodies::Bodies) have any shape: clumps of balls, boxes, hulls and unions of them, by the same
//! scheme and either law, with contacts from `percussion_collision`.
//!
//! # Example
//!
//! Two balls of 1 kg, one on top of the other, fall by 0.1 m onto the floor, which carries both from then on:
//! their weight over a step of 1 ms is 0.01962 N·s.
//!
//! ```
//! use nalgebra::Vector3;
//! use percussion_granular::{Grain, Settings, Wall, World};
//!
//! let floor = Wall::plane(Vector3::zeros(), Vector3::z(), 0.4);
//! let mut world = World::new(Settings::default(), vec![floor])?;
//! world.add(&Grain::at(Vector3::new(0.0, 0.0, 0.2), 0.1, 1.0))?;
//! world.add(&Grain::at(Vector3::new(0.0, 0.0, 0.4), 0.1, 1.0))?;
//! for _ in 0..300 {
//!     world.step()?;
//! }
//! let report = world.step()?;
//! assert!((report.wall_impulse.z - 0.01962).abs() < 1e-6);
//! # Ok::<(), percussion_granular::Error>(())
//! ```
//!
//! # Where the state lives
//!
//! The whole state is in the [`World`]: the settings, the walls, the [`Grains`] in arrays and, by slab, the
//! pairs that may touch with their last impulses, from which the sweeps of the next step start. Everything
//! else is scratch memory. The order of grains and pairs is part of the state, because the sweeps follow it.
//! [`World::state`] returns the whole state as plain numbers, and [`World::from_state`] continues from them
//! with the same bits.
//!
//! # Determinism
//!
//! The same world gives the same bits in every step, for any number of threads of rayon's pool.
//!
//! # Speed
//!
//! Whole steps of 10 sweeps, including detection, residual and motion, on a Xeon of 2022 at 2.3 GHz:
//!
//! | scene | one thread | two threads |
//! | --- | --- | --- |
//! | column of 10 000 grains at rest, 24 000 contacts | 9.0 ms | 6.2 ms |
//! | layer of 1 000 000 grains, 1 301 000 candidate contacts | 0.70 s | 0.37 s |
//!
//! Measured in updates of contacts, whole steps of the first scene make 28 million per second on a core; with
//! more sweeps they make 35 million, and 28 million in the second scene. A million grains with their contacts
//! take 0.73 GB.
//!
//! Comparison with rapier3d-f64 0.36 in one run of the bench `granular_pile`, both on one thread, from the
//! same column after two seconds, when it has come to rest:
//!
//! | | step | deepest overlap | fastest approach | kinetic energy over `½ m (g δt)²` |
//! | --- | --- | --- | --- | --- |
//! | [`World`], 10 sweeps | 9.0 ms | 1.6e-5 d | 2.4e-3 m/s | 0.04 |
//! | [`World`], 40 sweeps | | 2.1e-6 d | 1.2e-4 m/s | 0.04 |
//! | rapier, 4 substeps, after 100 steps | 70 ms | 4.3e-2 d | 0.12 m/s | 1300 |
//!
//! The test [666](scenes::six_by_six_by_six) of 10 s takes 0.7 s, most of it for the first second, where a
//! residual of `1e-6` requires some 50 sweeps per step. A world this small is a single slab and does not use
//! several threads.
//!
//! [`Bodies`](bodies::Bodies) are slower: 1000 bricks with 4100 contacts take 18 ms per step with 10 sweeps,
//! most of it for finding the contacts, and those of rapier 3.6 ms; they overlap by 0.7 % of their height,
//! those of rapier by 3.8 %.
//!
//! Ten sweeps are few where much moves, and enough where grains rest: [`Report::overlap`] and the residual
//! show which is the case.
//!
//! # Modules
//!
//! | item or module | holds |
//! | --- | --- |
//! | [`World`] | the time step |
//! | [`Grains`], [`Grain`] | the spheres of a world |
//! | [`Wall`] | planes, solids of any shape, endless cylinders and tubes, cones, pipes, rings and triangles, moving or not |
//! | [`Servo`] | a force that drives walls |
//! | [`Periods`] | a box that repeats itself, at rest or in shear |
//! | [`Materials`], [`Interaction`] | friction and restitution that differ among grains and walls |
//! | [`Settings`], [`Correction`] | tolerances and limits of a step, and its velocity correction |
//! | [`Report`] | what a step did |
//! | [`Touch`], [`Force`] | a contact of the last step with its impulse, or its mean force |
//! | [`bodies`] | [`Bodies`](bodies::Bodies): clumps, boxes and other shapes, and their [`Mold`](bodies::Mold)s |
//! | [`Collection`] | bodies of any shape as a [`Domain`] |
//! | [`decomposition`] | one world in several pieces, for several processes |
//! | [`Domain`] | a world or a piece of one, for what runs on either |
//! | [`scenes`] | worlds to begin with |
//! | [`channel`] | [`Channel`](channel::Channel): a stream past an obstacle |
//! | [`statistics`] | averages in cells, profile over the height, radial distribution, contacts and forces, flow through planes, slope of the surface |
//! | [`limits`] | [`Limits`](limits::Limits): when to give up a long run |
//! | [`State`] | to write a world to a file |
//! | [`checkpoint`] | files of it that a killed run cannot spoil, and a lock for their directory |
//!
//! # Features
//!
//! | feature | default | adds |
//! | --- | --- | --- |
//! | `bodies` | yes | [`bodies`] of any convex shape |
//! | `checkpoints` | yes | [`checkpoint`] files |
//! | `rayon` | yes | several threads, with the same bits as one |
//! | `scenes` | no | [`scenes`] and the [`channel`], random beds and piles that benches and experiments start from |
//!
//! # Limits
//!
//! - Contacts are inelastic unless [`Materials`] say otherwise, by a restitution that does not pass impacts on within a step.
//! - The speed above is that of spheres; [`bodies`] of other shapes are slower.
//! - A grain that moves by more than its radius in a step is refused; the remedy is a smaller step.
//! - Masses, radii and time steps from `1e-75` to `1e75` (kg, m, s) are accepted, and coordinates and speeds
//!   up to `1e75` (m, m/s): outside this range squares would overflow or vanish. Speeds below `1e-75` m/s
//!   count as rest.
//! - Sweeps end at a chosen number or residual; the [`Report`] contains the remaining residual.

#[cfg(feature = "bodies")]
pub mod bodies;
#[cfg(feature = "scenes")]
pub mod channel;
#[cfg(feature = "checkpoints")]
pub mod checkpoint;
#[cfg(feature = "bodies")]
mod collection;
mod contact;
mod correction;
pub mod decomposition;
mod domain;
mod grains;
mod halves;
mod images;
pub mod limits;
mod link;
mod materials;
mod packs;
mod parallel;
mod partition;
mod periods;
mod range;
mod report;
mod rolling;
#[cfg(feature = "scenes")]
pub mod scenes;
mod servo;
mod settings;
mod slab;
mod state;
pub mod statistics;
mod touch;
mod wall;
mod waves;
mod world;

pub use nalgebra;

#[cfg(feature = "bodies")]
pub use collection::Collection;
pub use domain::{Balance, Domain, Share};
pub use grains::{Grain, Grains};
pub use materials::{Interaction, Materials};
pub use periods::Periods;
pub use report::{Report, Status};
pub use servo::Servo;
pub use settings::{Correction, Error, Settings};
pub use state::State;
pub use touch::{Force, Partner, Touch};
pub use wall::{Frustum, Surface, Triangle, Wall};
pub use world::World;

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
