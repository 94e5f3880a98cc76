//! The settings of the solver of [problems with blocks](Problem).

use super::{Model, Problem};
use crate::friction::report::Error;

/// What becomes of the bilateral rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bilateral {
    /// They are eliminated before the solve.
    #[default]
    Eliminate,
    /// They are blocks among the others.
    Keep,
}

/// The iterations of a solve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Steps {
    /// All iterations, in the order that the documentation of the [module](super) gives.
    #[default]
    Combined,
    /// Sweeps only. Not for the convex relaxation.
    Sweeps,
    /// Alternating directions only.
    AlternatingDirections,
}

/// Settings of [`Problem::solve`].
///
/// The problem is brought into coordinates in which ellipsoids are unit balls and each block has a
/// diagonal of mean 1. Bilateral rows are [eliminated](crate::elimination) first, or kept as blocks
/// ([`Bilateral`]); where the answer is unique, the velocities are the same.
///
/// [`Steps::Combined`] begins with Newton's method on the natural map, which brings a near answer to full precision in a few
/// steps, and goes on with its steps to proximal points, which redundant contacts need that press against one another until one
/// of them slips. Where rows are twice as many as ways to move, these points are found in the space of motions first, with one
/// unknown for each way. Then there are sweeps over the blocks, each solved in closed form, before Newton's method is tried again.
/// Where this fails, proximal points in the space of motions follow whatever its size is, with weights that adapt. Then it alternates between alternating directions, Newton's method, and sweeps in both orders and of half
/// steps. The best impulses of all are returned. For the convex relaxation there are no sweeps. A block alone is solved in
/// closed form.
///
/// - **Needs** nothing. With redundant rows the impulses depend on the start, those of bilateral rows have the
///   least norm.
/// - **Does not** always converge: Coulomb's law with several contacts may have no solution, or one that no
///   iteration finds. A [proof](super::Infeasibility) of the former is searched for.
/// - **Cost** of dense matrices: `n³/3` operations for each Newton step, `n²` for others. Sweeps and steps allocate
///   nothing; the residual, which is evaluated every few of them, does.
/// - **Deterministic**: single-threaded.
///
/// # Source
///
/// The parts name theirs: M. Jean 1999 (sweeps), L. Qi and J. Sun 1993 (Newton's method), R. T. Rockafellar 1976 (proximal
/// points), S. Boyd and others 2011 (alternating directions). Their combination is derived here.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Stop when [`Problem::relative_residual`] is at most this (≥ 0, default `1e-10`).
    pub tolerance: f64,
    /// Maximum number of sweeps and steps together (default `20_000`).
    pub max_iterations: usize,
    /// What becomes of the bilateral rows.
    pub bilateral: Bilateral,
    /// The iterations.
    pub steps: Steps,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            tolerance: 1e-10,
            max_iterations: 20_000,
            bilateral: Bilateral::default(),
            steps: Steps::default(),
        }
    }
}

/// Refuses settings out of range, and a start that is not one finite impulse per row.
pub(super) fn check(problem: &Problem, settings: &Settings, start: &[f64]) -> Result<(), Error> {
    if start.len() != problem.rows() {
        return Err(Error::StartLength { expected: problem.rows(), found: start.len() });
    }
    if let Some((contact, &value)) = start.iter().enumerate().find(|(_, p)| !p.is_finite()) {
        return Err(Error::StartEntry { contact, value });
    }
    let value = settings.tolerance;
    if value.is_nan() || value < 0.0 {
        return Err(Error::Setting { name: "tolerance", value, expected: "≥ 0" });
    }
    if settings.steps == Steps::Sweeps && problem.model == Model::ConvexRelaxation {
        return Err(Error::Relaxation);
    }
    Ok(())
}
