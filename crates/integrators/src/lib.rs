//! Time stepping for rigid bodies with contact, impact and Coulomb friction.
//!
//! A [`Model`] is a moving system with its possible contacts, the same for every scheme; a [`State`] is its
//! start. A [`Simulation`] is the motion in steps by a [`Scheme`], such as [`StewartTrinkle`](stewart_trinkle::StewartTrinkle). Its
//! [`StepReport`] shows the cost of one step and how well its equations hold. Any
//! [`System`](percussion_dynamics::System) can be moved.
//!
//! # Example
//!
//! A ball of 2 kg and radius 0.1 m slides onto a rough table at 7 m/s. Friction slows it and makes it spin
//! until it rolls, at five sevenths of its speed: 5 m/s, for any friction coefficient.
//!
//! ```
//! use nalgebra::Vector3;
//! use percussion_dynamics::gap::{Plane, Sphere, SpherePlane};
//! use percussion_dynamics::{Body, FreeBodies, MassProperties};
//! use percussion_integrators::stewart_trinkle::Settings;
//! use percussion_integrators::{Contact, Model, Simulation, State, stewart_trinkle::StewartTrinkle};
//!
//! let ball = Body::from_mass_properties(&MassProperties::solid_sphere(2.0, 0.1)?);
//! let balls = FreeBodies::new(vec![ball], Vector3::new(0.0, 0.0, -9.81))?;
//! let table = Plane::new(&Vector3::z(), &Vector3::zeros())?;
//! let contact = Contact::new(SpherePlane::new(Sphere::of_body(0, 0.1), table)?, 0.4);
//! let model = Model::new(Box::new(balls), vec![contact])?;
//!
//! let state = State {
//!     time: 0.0,
//!     coordinates: vec![0.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0],
//!     velocity: vec![7.0, 0.0, 0.0, 0.0, 0.0, 0.0],
//! };
//! let settings = Settings { step_size: 0.01, ..Settings::default() };
//! let mut simulation = Simulation::<StewartTrinkle>::new(model, settings, state)?;
//! simulation.run(1.0, |_, _| ())?;
//!
//! let velocity = &simulation.state().velocity;
//! assert!((velocity[0] - 5.0).abs() < 1e-9); // m/s
//! assert!((velocity[4] - 50.0).abs() < 1e-7); // rad/s about y
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Modules
//!
//! | item or module | content |
//! | --- | --- |
//! | [`batch`] | many motions of one model from many starts, on all threads |
//! | [`compliant`] | springs, dampers and smooth friction at the contacts, by adaptive solvers for differential equations |
//! | [`Contacts`] | the contacts of a motion by number, found during the motion or specified beforehand |
//! | [`EnergyBalance`] | the energy account of the schemes |
//! | [`ensemble`] | many event-driven motions from one start, with drawn outcomes of their impacts: bands, shares of sequences |
//! | [`Error`] | reasons why a simulation does not start or take a step |
//! | [`event_driven`] | smooth motion between events, any impact law, contacts that stick, slide and open as constraints, impacts that accumulate; the [derivative](event_driven::derivative) of a motion with impacts |
//! | [`impulse_velocity`] | [`ImpulseVelocity`](impulse_velocity::ImpulseVelocity): semi-implicit, contacts by their velocities at the end of the step, round friction cones; the [derivative](impulse_velocity::derivative) of a step |
//! | [`inclusion`] | impacts without jumps: velocity and time as functions of a parameter, through infinitely many impacts |
//! | [`Model`] | the moving system, its possible contacts and its start: the same for every scheme |
//! | [`moreau_jean`] | [`MoreauJean`](moreau_jean::MoreauJean): the θ-method with contacts by their velocities, round friction cones, Newton's restitution; the [derivative](moreau_jean::derivative) of a step |
//! | [`StepReport`] | the report of a step |
//! | [`Scales`] | length, mass and time of a problem, to which tolerances are relative |
//! | [`schemes`] | the schemes by name, and the features that each supports |
//! | [`Simulation`] | the frame of all stepping schemes |
//! | [`stewart_trinkle`] | [`StewartTrinkle`](stewart_trinkle::StewartTrinkle): implicit, position level, inelastic impact, polyhedral friction, no penetration at step ends |
//! | [`variational`] | [`Variational`](variational::Variational): discrete momentum conserved, impacts located within the step, any impact law without friction |
//!
//! # Which one
//!
//! | you have | take |
//! | --- | --- |
//! | plastic impacts, tens of contacts, no penetration allowed | [`stewart_trinkle`] |
//! | the same with round cones, or many contacts | [`impulse_velocity`] |
//! | restitution and many contacts | [`moreau_jean`] |
//! | a law of impact to follow exactly, few contacts | [`event_driven`] |
//! | no friction in impacts, and energy that must not drift | [`variational`] |
//! | several contacts whose order matters, and probabilities | [`ensemble`] |
//! | a law of impact to be judged | [`compliant`] |
//! | infinitely many impacts, velocities without jumps | [`inclusion`] |
//!
//! # Features
//!
//! | feature | default | adds |
//! | --- | --- | --- |
//! | `adaptive` | yes | [`event_driven`], [`ensemble`], [`compliant`] and [`inclusion`], by the crate `diffsol` |
//! | `ensembles` | yes | [`ensemble`]; includes `adaptive` and the feature `sets` of `percussion-impact` |
//! | `rayon` | yes | contact problems, batches and ensembles on several threads, with the same bits as on one |
//! | `simd` | yes | vectors of four numbers in inner loops where the processor has them, with the same bits |
//! | `tracing` | yes | events of level `debug` |
//! | `serde` | yes | settings and reports as data |
//!
//! # Limits
//!
//! - No scheme detects surfaces that pass through each other within one step.
//! - [`compliant`] and [`inclusion`] require contacts that are specified beforehand.
//! - [`stewart_trinkle`] and [`impulse_velocity`] have no restitution, and [`variational`] has no friction in
//!   impacts; [`schemes`] has the table of what each scheme uses, ignores or refuses.
//! - [`inclusion`] is for systems in the plane; [`compliant`] does not support bilateral constraints.

pub mod batch;
mod bilateral;
#[cfg(feature = "adaptive")]
pub mod compliant;
mod contacts;
mod dry_joint;
mod energy;
#[cfg(feature = "ensembles")]
pub mod ensemble;
mod error;
#[cfg(feature = "adaptive")]
pub mod event_driven;
#[cfg(feature = "adaptive")]
mod events;
mod family;
pub mod impulse_velocity;
#[cfg(feature = "adaptive")]
pub mod inclusion;
mod masses;
mod model;
pub mod moreau_jean;
mod report;
mod scales;
pub mod schemes;
mod settings;
mod simulation;
mod state;
mod step_derivative;
pub mod stewart_trinkle;
mod trees;
pub mod variational;
mod velocity_level;

pub use nalgebra;

pub use contacts::Contacts;
pub use energy::{Allowance, EnergyBalance};
pub use error::Error;
pub use model::{
    Actuator, Along, AppliedForce, AppliedForceError, BoundedFriction, Cone, ConeError, Contact,
    Controls, ControlsError, Course, Drive, Feature, Force, FoundCone, Geared, Model, ModelError,
    Rule,
};
pub use report::{
    ContactReport, FrictionReport, Impact, Pieces, Polygons, Residual, Residuals, RoundCones,
    StepReport, Work,
};
pub use scales::Scales;
pub use simulation::{End, Motion, Scheme, Simulation};

pub use state::State;
pub use velocity_level::Unsolved;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExample;
