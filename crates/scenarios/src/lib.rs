//! Published experiments of multibody impact with friction, with their reference figures.
//!
//! Three names to know: a [`Scenario`] is a TOML file with bodies, contacts and a time-stepping method,
//! checked field by field; its simulation is a [`Trajectory`]; an [`Experiment`] runs an embedded
//! scenario, measures what its authors published and hands back an
//! [`ExperimentOutcome`](percussion_record::ExperimentOutcome) with rows (ours beside theirs) and figures as data. Nothing here draws or prints.
//!
//! # Example
//!
//! The first end of a spinning rod touches the table at 0.386 s; the paper says about 0.383 s.
//!
//! ```
//! use percussion_scenarios::Scenario;
//!
//! let scenario = Scenario::named("stewart-trinkle/rod-on-table")?.with_step_size(0.0025);
//! let trajectory = scenario.simulate(&mut |_fraction| ())?;
//! let end = trajectory.contact("rod–table (end −)").expect("the rod has two ends");
//! let touch = trajectory.first_touch(end, 1e-9).expect("it falls on the table");
//! assert!((touch.time - 0.386).abs() < 0.003);
//! # Ok::<(), percussion_scenarios::Error>(())
//! ```
//!
//! # Modules
//!
//! | module | content |
//! | --- | --- |
//! | [`scenario`] | the file format, its checks, and the model built from it |
//! | [`impacts`] | the same for impacts: a mechanism, its contacts and the velocity before |
//! | [`design`] | mechanisms with variables, and the nearest values for which an impact has one outcome |
//! | [`trajectory`] | a simulated motion, step by step, and as a table |
//! | [`event_motion`] | a scenario moved from event to event, with any impact law |
//! | [`compliant_block`] | the rocking block on compliant corners, two sweeps |
//! | [`channel`] | the published channel of grains |
//! | [`convergence`] | distances between simulations, order of convergence |
//! | [`experiments`](mod@experiments) | the registry of published experiments |
//! | [`error`](mod@error) | what is wrong with a file or a simulation |
//! | [`view`] | motions and outcomes as data of a page that plays them |
//!
//! # Features
//!
//! None: nothing of this crate is optional.
//!
//! # Limits
//!
//! - Files describe free bodies and trees of joints with the shapes that [`scenario`] and [`impacts`] list;
//!   other mechanisms are built in code, on `percussion-dynamics`.
//! - Experiments answer for what their papers print; figures that are not reproduced are rows beside ours.
//!
//! All units are SI: m, kg, s, N, rad.

pub mod channel;
pub mod compliant_block;
pub mod convergence;
pub mod design;
mod document;
pub mod error;
pub mod event_motion;
pub mod experiments;
mod expression;
mod fixture;
mod fixtures;
pub mod impacts;
mod rules;
pub mod scenario;
pub mod trajectory;
pub mod view;

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub use design::{Design, Designed};
pub use error::Error;
pub use event_motion::EventMotion;
pub use experiments::{Effort, Experiment, Options, experiment, experiments};
pub use impacts::{Impact, ImpactScenario};
pub use scenario::Scenario;
pub use trajectory::Trajectory;
