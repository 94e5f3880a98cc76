//! Complementarity problems of contact mechanics, and solvers that certify their answers.
//!
//! Two bodies in contact push but do not pull: the normal impulse `z ≥ 0`, the velocity of
//! separation `w ≥ 0`, and one of them is zero. With several contacts at once, and polyhedral
//! friction cones, a time step or an impact becomes a *linear complementarity problem* (LCP)
//!
//! ```math
//! w = M z + q, \qquad 0 \le z \perp w \ge 0.
//! ```
//!
//! With round cones it becomes a *frictional contact problem*: find impulses `p` in their cones whose friction
//! opposes the velocities `u = W p + u_f`.
//!
//! The main types are [`lcp::Problem`] and [`friction::Problem`], which state a problem and compute the residual of
//! any answer, [`lcp::Method`] and [`friction::Method`], which solve it, and [`lcp::Report`] with the outcome of a
//! solve. The crate has no notion of a body: a problem consists of matrices and vectors.
//!
//! # Example
//!
//! A 1 kg ball falls at 1 m/s on a 1 kg ball that rests on the ground. The unknowns are the impulse
//! between the balls (`w₁ = 2 z₁ − z₂ − 1`) and the one of the ground (`w₂ = −z₁ + z₂`): both are
//! 1 N·s, and both balls rest.
//!
//! ```
//! use nalgebra::{DMatrix, DVector};
//! use percussion_complementarity::lcp::{Method, Problem, Status, enumerate};
//!
//! let problem = Problem::new(
//!     DMatrix::from_row_slice(2, 2, &[2.0, -1.0, -1.0, 1.0]),
//!     DVector::from_vec(vec![-1.0, 0.0]),
//! )?;
//! let solution = Method::default().solve(&problem)?;
//! assert_eq!(solution.report.status, Status::Solved);
//! assert!((solution.z[0] - 1.0).abs() < 1e-12 && (solution.z[1] - 1.0).abs() < 1e-12);
//! assert!(problem.relative_residual(&solution.z) < 1e-12);
//!
//! let all = enumerate::solve(&problem, &enumerate::Settings::default())?;
//! assert_eq!(all.pieces.len(), 1, "there is no other solution");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Modules
//!
//! | module | content |
//! | --- | --- |
//! | [`lcp`] | linear complementarity problems, one module a solver; see its own table |
//! | [`elimination`] | elimination of bilateral rows before a solve, with one rule for redundant ones |
//! | [`compensated`] | sums in twice the working precision, for residuals with cancelling terms |
//! | [`friction`] | contacts with round friction cones: one in closed form, many by sweeps and more; see its own table |
//!
//! # Which solver
//!
//! | you have | take |
//! | --- | --- |
//! | a step or an impact with friction | [`lcp::lemke`]; the table of [`lcp`] lists the cases for other solvers |
//! | joints beside contacts | [`elimination`] of the joints, then one of the above; [`lcp::mixed`] for free unknowns of any matrix |
//! | one contact with a round friction cone | [`friction::single`], in closed form |
//! | many contacts with round friction cones | [`friction::Method`] and its default |
//! | joints, limits and dry friction of joints beside contacts, or cones that are not round | [`friction::mixed`] |
//!
//! # Guarantees
//!
//! - [`Status::Solved`](lcp::Status::Solved) always means that the relative residual was computed from the problem
//!   and the answer alone, and is within the tolerance. The sizes it is relative to come from the problem, never
//!   from the answer. Where large terms cancel it is computed with [compensated sums](compensated).
//! - The residual does not depend on units. [Weights of the normals](friction::Infeasibility) can prove that a
//!   [contact problem](friction::Problem) has no solution.
//! - Invalid input is a typed error that names the entry, its value and the expectation; an unsolved problem is a
//!   status, with the best point found.
//! - All solvers are deterministic: the same bits on every run and for any number of threads.
//!
//! # Features
//!
//! | feature | default | adds |
//! | --- | --- | --- |
//! | `json` | yes | [documents](friction::document::Document) of contact problems as JSON; includes `serde` |
//! | `faer` | no | dense factorizations of more than 60 rows in blocks, several times as fast from some hundred rows on |
//! | `rayon` | yes | sweeps on several threads, with the same bits as on one |
//! | `simd` | yes | vectors of four numbers in inner loops where the processor has them, with the same bits |
//! | `tracing` | yes | events of level `debug` where a solver gives up a path |
//! | `serde` | yes | settings, statuses and reports as data |
//!
//! # Limits
//!
//! - An LCP with a general matrix is NP-hard, so every solver has a limit, which is a status.
//! - Matrices of LCPs are dense, and the work of enumeration doubles with each unknown.
//! - Coulomb's law for several contacts may have no solution or several; one of them is returned.

mod block_factorization;
pub mod compensated;
pub mod elimination;
mod factorization;
pub mod friction;
mod gauss;
pub mod lcp;
mod vectors;

pub use nalgebra;

pub use vectors::vectorized;

/// Compiles the example in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
