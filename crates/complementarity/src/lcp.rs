//! The linear complementarity problem: find `z ≥ 0` with `w = M z + q ≥ 0` and `z · w = 0`.

pub mod lemke;
pub mod problem;
pub mod report;

pub use problem::{Problem, ProblemError};
pub use report::{Report, Status};
