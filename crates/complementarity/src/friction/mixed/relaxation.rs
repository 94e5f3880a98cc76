//! How far the [convex relaxation](Model::ConvexRelaxation) is from Coulomb's law: [`compare`].
//!
//! The relaxation drops `σ_F(−u_t) n` from De Saxcé's form. A contact that slides then separates with
//! `u_n = σ_F(−u_t)`, which for a disc is `μ ‖u_t‖`: a block that slides at 1 m/s with `μ = 0.5` is lifted at 0.5 m/s, and is
//! pressed and braked less, or more, by what that takes. Where nothing slides, both are the same problem.
//!
//! # Source
//!
//! M. Anitescu, "Optimization-based simulation of nonsmooth rigid multibody dynamics", *Mathematical Programming* 105 (2006)
//! 113–143 (the relaxation); V. Acary, F. Cadoux, C. Lemaréchal, J. Malick, "A formulation of the linear discrete Coulomb
//! friction problem via convex optimization", *ZAMM* 91 (2011) 155–175 (the term).

use super::{Figures, Model, Problem, Settings, Solution, block::Set};
use crate::friction::report::Error;

/// The answers of both models to one problem, and their distance.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Comparison {
    /// The answer of the relaxation.
    pub relaxed: Solution,
    /// An answer by Coulomb's law, solved from the relaxed one.
    pub coulomb: Solution,
    /// The figures of the relaxed impulses by Coulomb's law (m/s).
    pub figures: Figures,
    /// The largest separation velocity of a contact that carries an impulse, in the relaxed answer (m/s).
    pub lift: f64,
    /// The largest difference of a velocity of a row between both answers, in m/s by the lengths of the blocks.
    pub velocity: f64,
}

/// Solves `problem` by both models, whichever it states.
///
/// # Errors
///
/// As [`Problem::solve`]. A model that is not solved has its status in its report.
///
/// # Example
///
/// A block of 2 kg lands at 2 m/s while it slides at 3 m/s, with `μ = 0.5`. By Coulomb's law it lands, with 4 N·s.
/// By the relaxation it leaves the ground with half of its slip `s`: on the edge of the cone `λ_t = −λ_n/2`, so that
/// `u_n = −2 + λ_n/2 = s/2` and `s = 3 − λ_n/4`, which gives `λ_n = 5.6 N·s` and `u_n = 0.8 m/s`.
///
/// ```
/// use nalgebra::DMatrix;
/// use percussion_complementarity::friction::mixed::{Block, Problem, Section, Settings, relaxation};
///
/// let block = vec![Block::contact(Section::Disc(0.5))];
/// let problem = Problem::new(0.5 * DMatrix::identity(3, 3), vec![-2.0, 3.0, 0.0], block)?;
/// let both = relaxation::compare(&problem, &Settings::default())?;
/// assert!((both.coulomb.impulses[0] - 4.0).abs() < 1e-9);
/// assert!((both.relaxed.impulses[0] - 5.6).abs() < 1e-9);
/// assert!((both.lift - 0.8).abs() < 1e-9 && (both.velocity - 0.8).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn compare(problem: &Problem, settings: &Settings) -> Result<Comparison, Error> {
    let exact = problem.clone().with_model(Model::Coulomb);
    let relaxed = problem.clone().with_model(Model::ConvexRelaxation).solve(settings)?;
    let mut impulses = relaxed.impulses.clone();
    let report = exact.solve_from(settings, &mut impulses)?;
    let coulomb = Solution::new(&exact, impulses, report);
    let (mut first, mut lift, mut velocity) = (0, 0.0_f64, 0.0_f64);
    for block in exact.blocks() {
        let lengths = match &block.set {
            Set::Contact(section) => {
                if relaxed.impulses[first] > 0.0 {
                    lift = lift.max(relaxed.velocities[first]);
                }
                section.lengths(block.rows)
            }
            _ => vec![block.length; block.rows],
        };
        for (row, length) in (first..first + block.rows).zip(lengths) {
            let difference = relaxed.velocities[row] - coulomb.velocities[row];
            velocity = velocity.max(length * difference.abs());
        }
        first += block.rows;
    }
    let figures = exact.figures(&relaxed.impulses);
    Ok(Comparison { relaxed, coulomb, figures, lift, velocity })
}
