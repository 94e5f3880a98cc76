//! The linear complementarity problem: find `z ≥ 0` with `w = M z + q ≥ 0` and `z · w = 0`.

pub mod enumerate;
mod equilibration;
pub mod fischer_burmeister;
pub mod lemke;
pub mod method;
pub mod mixed;
pub mod problem;
pub mod projected_gauss_seidel;
pub mod report;
pub mod residual;
mod scaling;

pub use method::{Method, Solution};
pub use problem::{Problem, ProblemError};
pub use report::{Report, Status};
