//! One problem for joints, limits, dry friction of joints and contacts with any friction cone: [`Problem`].
//!
//! Find impulses `λ` with `u = (W + R) λ + b`. The rows are cut into [blocks](Block), each with its law:
//!
//! | [`Set`] | impulses | law | used for |
//! | --- | --- | --- | --- |
//! | [`Bilateral`](Set::Bilateral) | all | `u = 0` | loops, welds, rolling without slip |
//! | [`Unilateral`](Set::Unilateral) | `λ ≥ 0` | `0 ≤ λ ⊥ u ≥ 0` | joint limits, frictionless contacts, tendons |
//! | [`Interval`](Set::Interval) | `l ≤ λ ≤ u` | the bound against the velocity, or `u = 0` between the bounds | dry friction of a joint, motors with a force limit |
//! | [`Contact`](Set::Contact) | `λ_t ∈ λ_n F` | `0 ≤ λ_n ⊥ u_n ≥ 0` and `−u_t` normal to `λ_n F` at `λ_t` | contacts with a [`Section`] `F` |
//!
//! With the support function `σ_F(x) = max_{f ∈ F} f·x` the law of a contact is De Saxcé's
//!
//! ```math
//! K \ni \lambda \perp u + \sigma_F(-u_t)\, n \in K^*, \qquad K = \{\lambda_n \ge 0,\ \lambda_t \in \lambda_n F\}.
//! ```
//!
//! Without the term `σ_F` the problem is the [convex relaxation](Model::ConvexRelaxation), a model of its own that
//! is never solved in place of Coulomb's law; [`relaxation`] computes how far its answer is from Coulomb's.
//!
//! In an impact an interval has no effect: its bound is a force or torque times the duration, which is zero.
//!
//! **Which solver.** [`Problem::solve`] solves as [`Settings`] describes. [`Method::solve_blocks_from`] does the same by
//! one of the methods of `friction`, and hands a problem of nothing but discs of three rows, without compliance, to the
//! solvers of round cones, with their bits.
//!
//! [`Method::solve_blocks_from`]: super::Method::solve_blocks_from
//!
//! **JSON.** A [document](super::document::Document) with `blocks` has one row and column of `delassus.dense` for each row of
//! the blocks, in their order, and no `friction`:
//!
//! ```text
//! {"delassus": {"dense": [[…]]}, "free_velocity": […], "compliance": […], "model": "coulomb", "blocks": [
//!   {"kind": "bilateral", "rows": 5, "length": 1.0},
//!   {"kind": "unilateral", "rows": 1},
//!   {"kind": "interval", "rows": 1, "bound": 0.2},
//!   {"kind": "interval", "rows": 1, "bound": [-0.1, 0.3]},
//!   {"kind": "contact", "rows": 3, "section": {"disc": 0.5}},
//!   {"kind": "contact", "rows": 3, "section": {"ellipse": [0.9, 0.1]}},
//!   {"kind": "contact", "rows": 3, "section": {"polygon": [[0.5, 0], [0, 0.4], [-0.5, 0], [0, -0.4]]}},
//!   {"kind": "contact", "rows": 4, "section": {"spin": [0.5, 0.5, 0.01]}},
//!   {"kind": "contact", "rows": 6, "section": {"rolling": [0.5, 0.01, 0.002]}}]}
//! ```
//!
//! | item or module | content |
//! | --- | --- |
//! | [`Figures`] | the one residual of all blocks |
//! | [`Problem::solve`], [`Settings`] | the solver and its settings |
//! | [`relaxation`] | the distance of the convex relaxation from Coulomb's law |
//! | [`Infeasibility`] | proofs that a problem has no solution |
//!
//! # Source
//!
//! G. De Saxcé, Z.-Q. Feng, "The bipotential method", *Mathematical and Computer Modelling* 28 (1998) 225–245 (the form with
//! `σ_F`); J. J. Moreau, "Unilateral contact and dry friction in finite freedom dynamics", CISM 302, Springer 1988 (laws by
//! normal cones).

mod block;
mod canonical;
mod checks;
mod directions;
mod factor;
mod figures;
mod infeasibility;
mod judged;
mod local;
mod motions;
mod newton;
mod polygon;
mod projection;
pub mod relaxation;
mod secular;
mod settings;
mod shape;
mod solve;
mod sweeps;

use nalgebra::DMatrix;

pub use self::{
    block::{Block, Error as BlockError, Section, Set},
    figures::Figures,
    infeasibility::Infeasibility,
    judged::Judgement,
    settings::{Bilateral, Settings, Steps},
    solve::Solution,
};
use self::{
    checks::{check_free_velocity, check_matrix},
    figures::{Judge, scale_of},
    judged::Sizes,
};
use super::ProblemError;
use crate::{
    compensated::{Sum, Sums},
    vectors::add_columns,
};

/// Whether contacts obey Coulomb's law or its convex relaxation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Model {
    /// Coulomb's law: `K ∋ λ ⊥ u + σ_F(−u_t) n ∈ K*`.
    #[default]
    Coulomb,
    /// `K ∋ λ ⊥ u ∈ K*`: the least of `½ λᵀ W λ + bᵀ λ` in the cones, which MuJoCo, Drake's SAP and Chrono's cone
    /// complementarity solve. A contact that slides separates, `u_n = σ_F(−u_t)`.
    ConvexRelaxation,
}

/// The reason why data are not a [`Problem`].
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A matrix or a list is wrong, as in a problem of discs.
    #[error(transparent)]
    Numbers(#[from] ProblemError),
    /// A block is refused.
    #[error("`blocks[{index}]`: {error}")]
    Block {
        /// Index of the block.
        index: usize,
        /// The reason.
        error: BlockError,
    },
    /// A diagonal entry of `W` or of the compliance is negative.
    #[error("{name}[{row}] is {value}, expected a number ≥ 0")]
    Negative {
        /// The list.
        name: &'static str,
        /// Its row.
        row: usize,
        /// The entry.
        value: f64,
    },
    /// `W` has a negative minor.
    #[error("delassus is indefinite in rows {rows:?}, expected a positive semidefinite operator")]
    Indefinite {
        /// Rows and columns of the minor.
        rows: [usize; 2],
    },
}

/// A problem with blocks; see the [module](self).
///
/// # Example
///
/// A joint of 2 kg·m² turns at 1.5 rad/s into its limit while dry friction of at most 0.5 N·m·s resists: together they
/// take 3 N·m·s.
///
/// ```
/// use nalgebra::dmatrix;
/// use percussion_complementarity::friction::mixed::{Block, Problem, Settings};
///
/// // The rows of limit and friction are opposite: the limit is at the end of the motion.
/// let delassus = dmatrix![0.5, -0.5; -0.5, 0.5];
/// let blocks = vec![Block::unilateral(1), Block::bound(0.5)];
/// let problem = Problem::new(delassus, vec![-1.5, 1.5], blocks)?;
/// let solution = problem.solve(&Settings::default())?;
/// assert!(problem.relative_residual(&solution.impulses) < 1e-10);
/// let [limit, friction] = solution.impulses[..] else { unreachable!() };
/// assert!((limit - friction - 3.0).abs() < 1e-9, "they stop the joint together");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// `W`, symmetric.
    delassus: DMatrix<f64>,
    /// `W + R`.
    matrix: DMatrix<f64>,
    compliance: Vec<f64>,
    free_velocity: Vec<f64>,
    blocks: Vec<Block>,
    model: Model,
    /// The scales by which each block is judged, and those of rounding.
    judges: Vec<Judge>,
    sizes: Sizes,
    velocity_scale: f64,
}

impl Problem {
    /// Creates a problem from a dense symmetric operator `W` (one row and column for each row of the blocks), the
    /// free velocity `b` and the blocks in the order of their rows.
    ///
    /// # Errors
    ///
    /// [`Error`] with the first entry, size or block that is wrong.
    pub fn new(
        delassus: DMatrix<f64>,
        free_velocity: Vec<f64>,
        blocks: Vec<Block>,
    ) -> Result<Self, Error> {
        for (index, block) in blocks.iter().enumerate() {
            block.check().map_err(|error| Error::Block { index, error })?;
        }
        let expected: usize = blocks.iter().map(|block| block.rows).sum();
        if expected == 0 {
            return Err(ProblemError::Empty.into());
        }
        let (rows, columns) = delassus.shape();
        if rows != columns {
            return Err(ProblemError::MatrixShape { rows, columns, components: 1 }.into());
        }
        for (name, found) in [("delassus", rows), ("free_velocity", free_velocity.len())] {
            if found != expected {
                return Err(ProblemError::Length { name, found, expected }.into());
            }
        }
        check_free_velocity(&free_velocity)?;
        check_matrix(&delassus)?;
        let matrix = DMatrix::from_fn(rows, rows, |i, j| {
            if i == j { delassus[(i, i)] } else { 0.5 * delassus[(i, j)] + 0.5 * delassus[(j, i)] }
        });
        let compliance = vec![0.0; rows];
        Ok(Self::prepared(matrix, compliance, free_velocity, blocks, Model::default()))
    }

    fn prepared(
        delassus: DMatrix<f64>,
        compliance: Vec<f64>,
        free_velocity: Vec<f64>,
        blocks: Vec<Block>,
        model: Model,
    ) -> Self {
        let mut matrix = delassus.clone();
        for (row, entry) in compliance.iter().enumerate() {
            matrix[(row, row)] += entry;
        }
        let mut start = 0;
        let mut judges = Vec::with_capacity(blocks.len());
        for block in &blocks {
            judges.push(Judge::new(block, start, &matrix));
            start += block.rows;
        }
        let velocity_scale = scale_of(&judges, &free_velocity);
        let sizes = Sizes::new(&matrix, &judges);
        Self {
            delassus,
            matrix,
            compliance,
            free_velocity,
            blocks,
            model,
            judges,
            sizes,
            velocity_scale,
        }
    }

    /// The same problem with a diagonal compliance `R` (one number ≥ 0 for each row, in the unit of the row's
    /// diagonal entry of `W`; default 0).
    ///
    /// # Errors
    ///
    /// [`Error::Negative`] and [`ProblemError::Length`].
    pub fn with_compliance(self, compliance: Vec<f64>) -> Result<Self, Error> {
        let (found, expected) = (compliance.len(), self.rows());
        if found != expected {
            return Err(ProblemError::Length { name: "compliance", found, expected }.into());
        }
        for (row, &value) in compliance.iter().enumerate() {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(Error::Negative { name: "compliance", row, value });
            }
        }
        Ok(Self::prepared(self.delassus, compliance, self.free_velocity, self.blocks, self.model))
    }

    /// Replaces the free velocity `b`, one number for each row. What depends on the operator alone stays.
    ///
    /// # Errors
    ///
    /// [`ProblemError::Length`] and [`ProblemError::FreeVelocity`]; the problem is then unchanged.
    pub fn set_free_velocity(&mut self, free_velocity: &[f64]) -> Result<(), Error> {
        let (found, expected) = (free_velocity.len(), self.rows());
        if found != expected {
            return Err(ProblemError::Length { name: "free_velocity", found, expected }.into());
        }
        check_free_velocity(free_velocity)?;
        self.velocity_scale = scale_of(&self.judges, free_velocity);
        self.free_velocity.copy_from_slice(free_velocity);
        Ok(())
    }

    /// The same problem by another model of its contacts (default [`Model::Coulomb`]).
    #[must_use]
    pub fn with_model(self, model: Model) -> Self {
        Self { model, ..self }
    }

    /// The same problem in other units: impulses divided by `2^(velocity − mass)`, velocities by `2^velocity`.
    fn in_units(&self, mass: i32, velocity: i32) -> Self {
        use super::single::shifted;
        let to_impulse = |value: f64| shifted(value, mass - velocity);
        let blocks = self.blocks.iter().cloned().map(|block| match block.set {
            Set::Interval { lower, upper } => Block {
                set: Set::Interval { lower: to_impulse(lower), upper: to_impulse(upper) },
                ..block
            },
            _ => block,
        });
        Self::prepared(
            self.delassus.map(|entry| shifted(entry, -mass)),
            self.compliance.iter().map(|&entry| shifted(entry, -mass)).collect(),
            self.free_velocity.iter().map(|&entry| shifted(entry, -velocity)).collect(),
            blocks.collect(),
            self.model,
        )
    }

    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.free_velocity.len()
    }

    /// `W`.
    #[must_use]
    pub const fn delassus(&self) -> &DMatrix<f64> {
        &self.delassus
    }

    /// `W + R`.
    #[must_use]
    pub const fn operator(&self) -> &DMatrix<f64> {
        &self.matrix
    }

    /// `R`, one number for each row.
    #[must_use]
    pub fn compliance(&self) -> &[f64] {
        &self.compliance
    }

    /// `b`, the velocities without impulses of the blocks.
    #[must_use]
    pub fn free_velocity(&self) -> &[f64] {
        &self.free_velocity
    }

    /// The blocks, in the order of their rows.
    #[must_use]
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The model of the contacts.
    #[must_use]
    pub const fn model(&self) -> Model {
        self.model
    }

    /// The largest free velocity of a block, moments and rows with a [`length`](Block::length) converted to m/s, or
    /// 1 if there is none.
    #[must_use]
    pub const fn velocity_scale(&self) -> f64 {
        self.velocity_scale
    }

    /// `u = (W + R) λ + b`.
    ///
    /// # Panics
    ///
    /// If there is not one impulse per row. This holds for all methods below.
    #[must_use]
    pub fn velocities(&self, impulses: &[f64]) -> Vec<f64> {
        assert_eq!(impulses.len(), self.rows(), "one impulse per row");
        let mut velocities = Vec::new();
        self.set_velocities(impulses, &mut velocities);
        velocities
    }

    /// Replaces `velocities` by those of the impulses.
    fn set_velocities(&self, impulses: &[f64], velocities: &mut Vec<f64>) {
        velocities.clear();
        velocities.extend_from_slice(&self.free_velocity);
        add_columns(velocities, self.matrix.as_slice(), impulses.iter().copied());
    }

    /// [`velocities`](Self::velocities) with [compensated sums](crate::compensated).
    fn compensated_velocities(&self, impulses: &[f64]) -> Vec<f64> {
        self.compensated_sums(&self.free_velocity, impulses)
    }

    /// `(W + R) λ + start`, with compensated sums.
    fn compensated_sums(&self, start: &[f64], impulses: &[f64]) -> Vec<f64> {
        let mut sums = Sums::new(start);
        for (column, impulse) in self.matrix.column_iter().zip(impulses) {
            if *impulse != 0.0 {
                sums.add_products(column.as_slice(), *impulse);
            }
        }
        sums.values()
    }

    /// One row of [`compensated_sums`](Self::compensated_sums).
    fn compensated_sum(&self, row: usize, start: f64, impulses: &[f64]) -> f64 {
        let mut sum = Sum::new(start);
        // Rows of a symmetric matrix are its columns, which lie together.
        for (entry, impulse) in self.matrix.column(row).iter().zip(impulses) {
            if *impulse != 0.0 {
                sum.add_product(*entry, *impulse);
            }
        }
        sum.value()
    }

    /// The velocity of one row.
    fn sum(&self, row: usize, impulses: &[f64]) -> f64 {
        let column = self.matrix.column(row);
        column.iter().zip(impulses).fold(self.free_velocity[row], |sum, (w, p)| sum + w * p)
    }

    /// The largest of each figure over the blocks (m/s), with compensated velocities; infinite if the impulses cancel by
    /// more than 22 digits.
    ///
    /// # Panics
    ///
    /// As [`velocities`](Self::velocities).
    #[must_use]
    pub fn figures(&self, impulses: &[f64]) -> Figures {
        assert_eq!(impulses.len(), self.rows(), "one impulse per row");
        if self.is_lost(impulses) {
            return Figures::INFINITE;
        }
        let velocities = self.compensated_velocities(impulses);
        self.judges.iter().fold(Figures::default(), |largest, judge| {
            largest.max(&judge.figures(self.model, impulses, &velocities))
        })
    }

    /// The [figures](Self::figures) of each block.
    ///
    /// # Panics
    ///
    /// As [`velocities`](Self::velocities).
    #[must_use]
    pub fn block_figures(&self, impulses: &[f64]) -> Vec<Figures> {
        assert_eq!(impulses.len(), self.rows(), "one impulse per row");
        let velocities = self.compensated_velocities(impulses);
        self.judges.iter().map(|judge| judge.figures(self.model, impulses, &velocities)).collect()
    }

    /// The largest of the [figures](Self::figures) (m/s), zero exactly at the solutions.
    ///
    /// # Panics
    ///
    /// As [`velocities`](Self::velocities).
    #[must_use]
    pub fn residual(&self, impulses: &[f64]) -> f64 {
        self.figures(impulses).largest()
    }

    /// [`residual`](Self::residual) divided by the [velocity scale](Self::velocity_scale).
    ///
    /// # Panics
    ///
    /// As [`velocities`](Self::velocities).
    #[must_use]
    pub fn relative_residual(&self, impulses: &[f64]) -> f64 {
        self.residual(impulses) / self.velocity_scale
    }

    /// The problem of `friction` with the same bits, if all blocks are discs of three rows that can move, without
    /// compliance, by Coulomb's law.
    #[must_use]
    pub fn discs(&self) -> Option<super::Problem> {
        let disc = |block: &Block| match (&block.set, block.rows) {
            (Set::Contact(Section::Disc(friction)), 3) => Some(*friction),
            _ => None,
        };
        let friction: Vec<f64> = self.blocks.iter().map(disc).collect::<Option<_>>()?;
        let stiff = self.compliance.iter().all(|&entry| entry <= 0.0);
        (stiff && self.model == Model::Coulomb)
            .then(|| super::Problem::from_dense(&self.matrix, &self.free_velocity, &friction).ok())
            .flatten()
    }
}

#[cfg(test)]
mod tests;
