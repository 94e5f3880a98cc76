//! Independent judges of the answers of percussion, for tests and fuzzing.
//!
//! Every judge is written from the definition of its problem and shares neither code nor formulas with the
//! solvers: no projection on a cone, no common residual, no factorization of theirs. It takes plain slices,
//! computes in [extended precision](Extended) and returns a [`Verdict`]: for each condition of the definition
//! one [`Figure`], with the largest violation and the largest value that the data of the problem allow.
//!
//! | module | judges |
//! | --- | --- |
//! | [`lcp`] | solutions and proofs of infeasibility of linear complementarity problems |
//! | [`friction`] | impulses of contacts with round cones, by Coulomb's law or maximum dissipation; [`friction::blocks`]: joints, limits, bounded rows and contacts with any section |
//! | [`impact`] | outcomes of impact laws, each by its own definition |
//! | [`motion`] | states of motions, and steps of time-stepping schemes with their impulses |
//! | [`kinetic`] | masses and joints, for the others |
//!
//! **Limits never come from the answer.** They follow from the tolerance that the caller states, from the rounding errors that the
//! stated data imply, and from velocities and energies before the impact. An answer of absurd size has no larger limit.
//!
//! Matrices are slices by rows. Units are SI; contact components are ordered normal, then tangents; a positive normal
//! velocity separates, a positive normal impulse pushes.

pub mod extended;
pub mod friction;
pub mod impact;
pub mod kinetic;
pub mod lcp;
pub mod motion;
pub mod verdict;

pub use extended::Extended;
pub use verdict::{Figure, Verdict};
