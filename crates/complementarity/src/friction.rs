//! Contacts with friction: find impulses `p` with `u = W p + u_f` and a law for every contact.
//!
//! `W` is the Delassus operator (kg⁻¹), `u_f` the relative velocity without contact impulses (m/s). Every
//! contact has the components normal, tangent, tangent; the normal velocity is positive when separating. A
//! problem states its [law](Law): Coulomb's law, with friction opposite to the slip after the impulse, or
//! maximum dissipation, which minimizes the kinetic energy at each contact. A solver that does not support the
//! law of a problem refuses it before it starts.
//!
//! | item or module | content |
//! | --- | --- |
//! | [`Problem`] | the validated problem and the residuals that judge any answer |
//! | [`Law`] | the two laws |
//! | [`Infeasibility`] | proofs that a problem has no solution |
//! | [`Held`] | corrections of impulses of a mechanism at rest, by factors that are kept |
//! | [`mixed`] | joints, limits, dry friction of joints and contacts with any friction cone, in one problem |
//! | [`Delassus`] | the trait of operators; [`BlockSparse`] and [`MatrixFree`] |
//! | [`single`] | one contact in closed form, and the [figures](Figures) of which residuals are made |
//! | [`block_gauss_seidel`] | sweeps over the contacts, in four orders |
//! | [`interior_point`] | all contacts at once, for hard problems and full precision |
//! | [`proximal_newton`] | all contacts at once, for hard problems with slip and redundant contacts |
//! | [`projected_gradient`] | accelerated, on the convex relaxation |
//! | [`alternating_directions`] | one factorization, many cheap steps |
//! | [`Method`] | the choice of a solver as a value, and the default that combines them |
//! | [`derivative`] | derivatives of a solution with respect to its data, and where they hold |
//! | [`document`] | problems as JSON, written, read and solved again to the same bits |
//! | [`siconos`] | reader of problem files |
//! | [`cone`] | friction cone and its projection |
//!
//! | solver | Coulomb | maximum dissipation | [blocks](mixed) | convex relaxation |
//! | --- | --- | --- | --- | --- |
//! | [`single`] | yes | yes | – | – |
//! | [`Method::Combined`] | yes | yes | yes | yes |
//! | [`block_gauss_seidel`] | yes | yes | yes | refused |
//! | [`interior_point`] | yes | refused | refused | refused |
//! | [`proximal_newton`] | yes | refused | refused | refused |
//! | [`projected_gradient`] | yes | refused | refused | refused |
//! | [`alternating_directions`] | yes | refused | yes | yes |
//!
//! [`Method::laws`] and [`Method::supports_blocks`] give the same information in code, and each solver has its `LAWS`.

pub mod alternating_directions;
pub mod block_gauss_seidel;
mod blocks;
pub mod cone;
mod delassus;
pub mod derivative;
pub mod document;
mod error;
mod held;
mod infeasibility;
pub mod interior_point;
mod law;
mod method;
pub mod mixed;
mod problem;
pub mod projected_gradient;
pub mod proximal_newton;
mod reduction;
mod report;
mod rescaled;
pub mod siconos;
pub mod single;
mod system;
mod trigonometric_polynomial;

pub use delassus::{BlockSparse, Delassus, MatrixFree};
pub use error::ProblemError;
pub use held::Held;
pub use infeasibility::Infeasibility;
pub use law::Law;
pub use method::{COMBINED_CONTACTS, Combined, Method, Solution, near::refine};
pub use problem::Problem;
pub use reduction::Reduction;
pub use report::{Error, Report, Status};
pub use single::figures::Figures;
