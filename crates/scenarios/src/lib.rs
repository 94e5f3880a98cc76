//! Published experiments of multibody impact with friction, with their reference figures.
//!
//! An [`Experiment`] simulates scenarios and resolves impacts of the files in [`fixtures`], measures the
//! quantities that its authors published, and returns an
//! [`ExperimentOutcome`](percussion_record::ExperimentOutcome) with rows (our figures and the published ones)
//! and with figures as data. This crate neither draws nor prints. The content of a file and its simulation
//! are part of `percussion-mechanism`.
//!
//! # Example
//!
//! The first end of a spinning rod touches the table at 0.386 s; the paper gives about 0.383 s.
//!
//! ```
//! use percussion_scenarios::fixtures;
//!
//! let scenario = fixtures::scenario("stewart-trinkle/rod-on-table")?.with_step_size(0.0025);
//! let trajectory = scenario.simulate(&mut |_fraction| ())?;
//! let end = trajectory.contact("rod–table (end −)").expect("the rod has two ends");
//! let touch = trajectory.first_touch(end, 1e-9).expect("it falls on the table");
//! assert!((touch.time - 0.386).abs() < 0.003);
//! # Ok::<(), percussion_scenarios::Error>(())
//! ```
//!
//! # Modules
//!
//! | item or module | content |
//! | --- | --- |
//! | [`experiments`], [`experiment`] | the registry of published experiments |
//! | [`fixtures`] | their scenarios, impacts and designs, by name |
//! | [`compliant_block`] | the rocking block on compliant corners, two sweeps |
//! | [`channel`] | the published channel of grains |
//! | [`convergence`] | distances between simulations, order of convergence |
//! | [`sensitivity`] | for each row of an experiment, the smallest change of the inputs that makes it fail |
//!
//! # Features
//!
//! None.
//!
//! # Limits
//!
//! Experiments cover only what their papers print. A published figure that is not reproduced is shown next to ours.
//!
//! All units are SI: m, kg, s, N, rad.

pub mod channel;
pub mod compliant_block;
pub mod convergence;
mod embedded;
mod error;
mod experiments;
mod families;
mod fault;
mod fixture;
pub mod fixtures;
mod perturbation;
mod published_code;
pub mod sensitivity;

pub use experiments::{Effort, Experiment, Options, Progress, experiment, experiments, overview};

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub use error::Error;
pub use families::families;
