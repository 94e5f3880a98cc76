//! Impacts of rigid bodies with friction: one problem type, several laws, and a certificate that judges their
//! outcomes.
//!
//! When rigid bodies collide, their velocities jump. A [`Problem`] contains the mass matrix, the velocity
//! before the impact, the contacts and the joints. A [`Law`] returns an [`Outcome`]: the velocity after the
//! impact and the contact impulses that lead to it. Different laws give different outcomes, for good reasons.
//! A [`Certificate`](certificate::Certificate) shows for any outcome, from the problem and the outcome alone, whether momentum is
//! balanced, bodies approach, contacts pull, friction exceeds its bound and joints hold, and how the energy
//! changed. An outcome is [`Resolved`](outcome::Status::Resolved) only if its certificate holds.
//!
//! # Example
//!
//! A ball of 1 kg and radius 1 m, with the moment of inertia 2/5 kg·m², slides at 1 m/s while it falls at 2
//! m/s on a rough floor. It leaves at 1 m/s, rolling: sticking removes 2/7 of the sliding velocity.
//!
//! ```
//! use nalgebra::{DMatrix, dvector};
//! use percussion_impact::{Contact, Law, Mass, Problem, certificate::Certificate, poisson::Poisson};
//!
//! // Velocities: horizontal, vertical, and angular with the floor below the center.
//! let floor = Contact::new(dvector![0.0, 1.0, 0.0])
//!     .with_friction(0.5, vec![dvector![1.0, 0.0, 1.0]])
//!     .with_restitution(0.5);
//! let mass = Mass::Matrix(DMatrix::from_diagonal(&dvector![1.0, 1.0, 0.4]));
//! let problem = Problem::new(mass, dvector![1.0, -2.0, 0.0], vec![floor])?;
//!
//! let outcome = Poisson::default().resolve(&problem)?;
//! assert!((&outcome.velocity - dvector![5.0 / 7.0, 1.0, -5.0 / 7.0]).amax() < 1e-12);
//! assert!((outcome.impulses[0].normal - 3.0).abs() < 1e-12); // N·s
//!
//! let certificate = Certificate::check(&problem, &outcome)?;
//! assert!(certificate.momentum_residual < 1e-15 && certificate.approach == 0.0);
//! assert!((certificate.energy_change + 1.5 + 1.0 / 7.0).abs() < 1e-12); // J
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Modules
//!
//! | item or module | content |
//! | --- | --- |
//! | [`Problem`] | masses, contacts, joints; validated and factored once |
//! | [`Outcome`] | velocity and impulses, and how a law computed them |
//! | [`certificate`] | the figures that judge an outcome, and the judgement by the claims of a law |
//! | [`energy`] | restitution reduced so that the energy does not grow |
//! | [`Law`] | the trait of all laws, and the errors of a law |
//! | [`laws`] | the laws by name, their settings as text, and their answers |
//! | [`settings`] | settings of laws as text, by key |
//! | [`step_lcp`] | the linear complementarity problem that laws share |
//! | [`newton`] | restitution of normal velocities |
//! | [`poisson`] | restitution of normal impulses |
//! | [`anitescu_potra`] | inelastic, all contacts at once; one answer or all |
//! | [`maximum_dissipation`] | round friction cones, all contacts at once |
//! | [`sequential`] | one contact after another, by any law |
//! | [`propagative`] | elastic impacts from contact to contact, all outcomes, uniqueness |
//! | [`routh`] | one contact followed through the impact |
//! | [`plus`] | rounds of compression and expansion, intervals of sliding and rolling |
//! | [`set_valued`] | all contacts followed through the impact at arbitrary relative rates |
//! | [`outcome_set`] | summaries of the set: hulls, contact modes, extremes, coverage |
//! | [`outer_bounds`] | intervals that provably contain every outcome |
//! | [`friction_cone`] | whether impulses can jam, and the direction they all push in |
//! | [`derivative`] | how an outcome changes with velocity, masses, contacts, friction and restitution, and how far; of round cones, [of the other laws](derivative::piecewise), and of laws [by name](laws::differentiable) |
//! | [`design`] | the nearest mechanism and posture with only one outcome of the impact |
//! | [`guarantee`] | how many steps and samples prove how much |
//!
//! # Which law
//!
//! | law | contacts | energy may grow | answers |
//! | --- | --- | --- | --- |
//! | [`Newton`](newton::Newton) | all at once | with friction | one, may not exist |
//! | [`Poisson`](poisson::Poisson) | all at once | with friction and different coefficients | one |
//! | [`AnitescuPotra`](anitescu_potra::AnitescuPotra) | all at once, inelastic | no | one, or all of a small problem |
//! | [`MaximumDissipation`](maximum_dissipation::MaximumDissipation) | all at once, round cones | no, unless asked | one, may not exist for several |
//! | [`Sequential`](sequential::Sequential) | one after another | as the inner law | one for each order |
//! | [`Propagative`](propagative::Propagative) | one after another, elastic or with energy restitution, no friction | no | one, or all |
//! | [`Routh`](routh::Routh) | one | with kinematic restitution | one |
//! | [`Plus`](plus::Plus) | all that approach, in rounds | with friction and restitution | one |
//! | [`SetValuedRouth`](set_valued::SetValuedRouth) | all, in small steps, with energy restitution | no | a set, by samples |
//!
//! # Features
//!
//! | feature | default | adds |
//! | --- | --- | --- |
//! | `sets` | yes | [`SetValuedRouth`](set_valued::SetValuedRouth), [`outcome_set`], [`guarantee`], the list of all laws by name ([`laws`]) and random orders of [`Propagative`](propagative::Propagative); includes `linear-programs` |
//! | `linear-programs` | with `sets` | [`friction_cone`], [`outer_bounds`] |
//! | `rayon` | yes | samples on several threads, with the same bits as on one |
//! | `simd` | yes | vectors of four numbers in inner loops where the processor has them, with the same bits |
//! | `tracing` | yes | events of level `debug` |
//! | `serde` | yes | settings, outcomes and certificates as data |
//!
//! # Limits
//!
//! - An impact takes no time: positions do not change, and forces such as gravity have no effect on it.
//! - Matrices are dense. The crate is meant for a robot or some tens of bodies; for thousands of contacts use
//!   `percussion-integrators` and `percussion-granular`.
//! - The limits of each law are stated in its module; the table above has the most important ones.
//!
//! # Conventions
//!
//! SI units. Contact components are ordered normal, tangent 1, tangent 2. The relative velocity is that of
//! body 1 minus that of body 2 and the normal points to body 1, so that `J_n v > 0` separates and `Λ_n ≥ 0`
//! pushes. Its input is rows and matrices; no model of bodies is needed.

/// The list of all laws, in the order in which lists show them: variant of [`laws::Name`], name in files, the
/// function that builds it from its settings, and a summary.
#[cfg(feature = "sets")]
macro_rules! all_laws {
    ($define:ident) => {
        $define! {
            Newton, "newton", one::<crate::newton::Newton>,
                "Restitution of normal velocities, all contacts at once";
            Poisson, "poisson", one::<crate::poisson::Poisson>,
                "Restitution of normal impulses, all contacts at once";
            AnitescuPotra, "anitescu-potra", anitescu_potra,
                "Inelastic, all contacts at once; one outcome or all";
            MaximumDissipation, "maximum-dissipation", one::<crate::maximum_dissipation::MaximumDissipation>,
                "Round friction cones, all contacts at once: maximum dissipation or Coulomb's law";
            Sequential, "sequential", sequential,
                "One contact after another, in one order or in all";
            Propagative, "propagative", propagative,
                "Elastic, from contact to contact without friction; one order or all outcomes";
            Routh, "routh", one::<crate::routh::Routh>,
                "A single contact followed through the impact, with dry friction at every instant";
            Plus, "plus", one::<crate::plus::Plus>,
                "Rounds of compression and expansion of the contacts that approach";
            SetValuedRouth, "set-valued-routh", set_valued_routh,
                "The set of all outcomes, with impulses that grow at arbitrary relative rates";
        }
    };
}

pub mod anitescu_potra;
pub mod certificate;
pub mod derivative;
pub mod design;
mod directions;
pub mod energy;
#[cfg(feature = "linear-programs")]
pub mod friction_cone;
#[cfg(feature = "sets")]
pub mod guarantee;
mod infeasible;
mod law;
#[cfg(feature = "sets")]
pub mod laws;
pub mod maximum_dissipation;
pub mod newton;
mod outcome;
#[cfg(feature = "sets")]
pub mod outcome_set;
#[cfg(feature = "linear-programs")]
pub mod outer_bounds;
pub mod plus;
pub mod poisson;
mod problem;
pub mod propagative;
mod readable;
pub mod routh;
pub mod sequential;
#[cfg(feature = "sets")]
pub mod set_valued;
pub mod settings;
pub mod step_lcp;

pub use nalgebra;

pub use law::{Error, Law};
pub use outcome::{Impulse, Outcome, Phase, Reduction, RestitutionUse, Stage, Status, Trace};
pub use problem::{Body, Coefficients, Contact, Mass, MassOperator, Problem, ProblemError, Touch};

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
