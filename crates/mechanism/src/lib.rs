//! Mechanisms from files: bodies, joints, shapes and contacts, for simulations and impacts.
//!
//! A [`Scenario`](scenario::Scenario) is a TOML file with a mechanism and an integration scheme, or a robot
//! description (URDF) on a floor. It is checked field by field and simulated as a
//! [`Trajectory`](trajectory::Trajectory), or with any impact law as an
//! [`EventMotion`](event_motion::EventMotion). An [`ImpactScenario`](impacts::ImpactScenario) is a mechanism
//! at the instant of an impact, ready for every law; a [`Design`](design::Design) is one with variables.
//! [`view`] turns results into data for a page that plays them. This crate neither draws nor prints.
//!
//! # Example
//!
//! A ball of 0.1 m is dropped from 1 m: it falls 0.9 m in `√(1.8/9.81) = 0.428` s.
//!
//! ```
//! use percussion_mechanism::scenario::Scenario;
//!
//! let scenario = Scenario::from_toml_str(r#"
//!     name = "drop"
//!     title = "A ball is dropped"
//!     source = "first year mechanics"
//!     dimension = "space"
//!     gravity = [0.0, 0.0, -9.81]
//!     duration = 0.5
//!     friction = 0.3
//!
//!     [[bodies]]
//!     name = "ball"
//!     mass = 1.0
//!     shape.sphere.radius = 0.1
//!     position = [0.0, 0.0, 1.0]
//!
//!     [[planes]]
//!     name = "floor"
//!     point = [0.0, 0.0, 0.0]
//!     normal = [0.0, 0.0, 1.0]
//!
//!     [integrator]
//!     method = "moreau-jean"
//!     step_size = 0.001
//! "#)?;
//! let trajectory = scenario.simulate(&mut |_fraction| ())?;
//! let landing = trajectory.contact("ball–floor").expect("the only contact");
//! let touch = trajectory.first_touch(landing, 1e-9).expect("it lands");
//! assert!((touch.time - 0.428).abs() < 0.002); // two steps
//! # Ok::<(), percussion_mechanism::Error>(())
//! ```
//!
//! # Modules
//!
//! | module | content |
//! | --- | --- |
//! | [`mechanism`] | named bodies at one instant and their contacts, the common form of all files |
//! | [`scenario`] | the file format, its checks, and the model built from it |
//! | [`trajectory`] | a simulated motion, step by step, and as a table |
//! | [`event_motion`] | the event-driven simulation of a scenario, with any impact law |
//! | [`ensemble`] | many event-driven simulations of a scenario, with drawn outcomes of their impacts |
//! | [`impacts`] | a mechanism at the instant of an impact: its contacts and the velocity before |
//! | [`laws`] | the list of impact laws and of compliant contacts, by name and with settings |
//! | [`design`] | mechanisms with variables, and the nearest values for which an impact has one outcome |
//! | [`grains`] | scenes of many grains: walls, sizes, what comes in and goes out |
//! | [`view`] | motions and outcomes as data of a page that plays them |
//! | `urdf` | robot descriptions, with the feature `urdf` |
//! | `mjcf` | models of MuJoCo, with the feature `mjcf` |
//! | [`document`] | reading of TOML texts, with a limit on their length and errors that name the place |
//!
//! # Features
//!
//! `urdf` (on by default) reads robot descriptions and their meshes, with the crates urdf-rs and quick-xml;
//! without it a scenario with a robot is an error. `mjcf` (on by default, with `urdf`) reads models of
//! MuJoCo.
//!
//! # Limits
//!
//! Files describe free bodies, trees of joints and loops with the shapes that [`scenario`] and [`impacts`]
//! list; other mechanisms are built in code with `percussion-dynamics`.
//!
//! All units are SI: m, kg, s, N, rad.

pub mod design;
pub mod document;
pub mod ensemble;
mod error;
pub mod event_motion;
mod expected;
mod expression;
pub mod grains;
pub mod impacts;
pub mod laws;
pub mod mechanism;
#[cfg(feature = "urdf")]
mod mesh;
#[cfg(feature = "mjcf")]
pub mod mjcf;
mod rules;
pub mod scenario;
pub mod trajectory;
#[cfg(feature = "urdf")]
pub mod urdf;
pub mod view;
#[cfg(feature = "urdf")]
mod xml;

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub use error::Error;
pub use expected::Expected;

/// The text of a file in `fixtures/compat`.
#[cfg(test)]
fn compat(path: &str) -> String {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/compat");
    std::fs::read_to_string(folder.join(path)).expect("a file of the repository")
}
