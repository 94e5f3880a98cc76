//! The linear complementarity problem: find `z ≥ 0` with `w = M z + q ≥ 0` and `z · w = 0`.
//!
//! | item or module | content |
//! | --- | --- |
//! | [`Problem`] | the validated problem, residuals |
//! | [`Report`] | status, iterations and residual of a solve |
//! | [`lemke`] | complementary pivoting, safe against cycling, answers verified: a step or an impact with friction |
//! | [`projected_gauss_seidel`] | sweeps over the rows: many frictionless contacts, a good start, modest accuracy |
//! | [`fischer_burmeister`] | damped Newton method: a P-matrix, or hundreds of unknowns with a good start |
//! | [`enumerate`] | all solutions of a small problem, continua included: at most 20 unknowns and doubts about uniqueness |
//! | [`mixed`] | problems with free unknowns, reduced to an LCP |
//! | [`Method`] | the choice of a solver as a value |

pub mod enumerate;
mod equilibration;
pub mod fischer_burmeister;
pub mod lemke;
mod method;
pub mod mixed;
mod problem;
pub mod projected_gauss_seidel;
mod report;
pub mod residual;
mod scaling;

pub use method::{Error, Method, Solution};
pub use problem::{Problem, ProblemError};
pub use report::{Report, Status};
