//! Steps at rest: what of the problem before is kept, and impulses that are refined, so that the next steps have nothing to solve.
//!
//! A problem depends on the positions of the trees in which it has rows, and on the masses there. As long as these stay, only velocities
//! without impulses change, whatever moves elsewhere.
//!
//! Impulses within the tolerance leave velocities that would miss it a few steps later, again and again. Where a mechanism
//! [rests](VelocityLevel::rests) its problem stays the same, and impulses that solve it as well as numbers can hold it still for as long.
//! The step after is refined too: the one before also took away the velocity that was left.

use std::ops::Range;

use percussion_complementarity::friction::{Report, Status, mixed, refine};
use percussion_dynamics::{System, same_bits};

use super::{Place, VelocityLevel, blocks::Stated};
use crate::{error::Error, trees::Tree};

/// Parts of the tolerance: what impulses may miss, and what refined ones may.
const LOOSE: f64 = 1e-2;
const FINE: f64 = 1e-3;
/// Most steps by which a problem with blocks is refined.
const STEPS: usize = 12;

/// Whether the current problem failed to be solved better, and whether it was in the last solve.
#[derive(Debug, Default)]
pub(super) struct Refining {
    fails: bool,
    is_again: bool,
}

impl Refining {
    /// Whether the impulses of a solve that ended as `known` are to be refined.
    fn begins(&mut self, rests: bool, tolerance: f64, known: &Report) -> bool {
        let most = if self.is_again { FINE } else { LOOSE };
        self.is_again = rests && !self.fails && known.relative_residual > most * tolerance;
        self.is_again
    }

    /// Refines the start of a problem with blocks, which solves it as `known`, as [`VelocityLevel::refine`] does.
    pub(super) fn refine_blocks(
        &mut self,
        rests: bool,
        stated: &mut Stated,
        (tolerance, known): (f64, Report),
    ) -> Result<Report, Error> {
        if !self.begins(rests, tolerance, &known) {
            return Ok(known);
        }
        let (tolerance, max_iterations) = (FINE * tolerance, STEPS);
        let settings = mixed::Settings { tolerance, max_iterations, ..Default::default() };
        let refined = stated.problem.solve_from(&settings, &mut stated.impulses)?;
        self.fails = refined.status != Status::Solved;
        if self.fails {
            stated.impulses.copy_from_slice(&stated.start);
            return Ok(known);
        }
        stated.start.copy_from_slice(&stated.impulses);
        stated.is_judged = false;
        Ok(refined)
    }
}

impl VelocityLevel {
    /// Whether the problem of the step is that of the one before, with other velocities.
    pub(crate) const fn rests(&self) -> bool {
        self.rests
    }

    /// Whether the current problem is one of this place, whatever its contacts are.
    pub(super) fn is_stated(&self, place: &Place<'_>) -> bool {
        let is_same = |before: &[f64], now: &[f64]| {
            let mut trees = self.rows_in.iter().map(|&tree| self.trees[tree].coordinates.clone());
            trees.all(|tree| same_bits(&before[tree.clone()], &now[tree]))
        };
        self.has_rows_of_set
            && is_same(&self.rows_of.1, place.coordinates)
            && is_same(&self.masses_of.0, place.masses.coordinates)
    }

    /// Finds the trees in which the problem has rows.
    pub(super) fn find_rows(&mut self) {
        let Self { trees, set, bilateral, blocks, rows_in, .. } = self;
        let in_contacts: Vec<_> = set.tree_velocities().collect();
        let has_rows = |tree: &Tree| {
            let Range { start, end } = tree.velocities;
            let in_contacts = in_contacts.iter().any(|own| own.start < end && start < own.end);
            in_contacts
                || !bilateral.is_empty()
                || blocks.as_ref().is_some_and(|blocks| blocks.has_rows_in(&tree.velocities))
        };
        rows_in.clear();
        rows_in.extend((0..trees.len()).filter(|&tree| has_rows(&trees[tree])));
    }

    /// Refines the current impulses, which solve the outlined problem as `known`, if they miss it by much.
    pub(super) fn refine(
        &mut self,
        system: &dyn System,
        place: &Place<'_>,
        known: Report,
    ) -> Result<Report, Error> {
        let tolerance = self.method.tolerance();
        if !self.refining.begins(self.rests, tolerance, &known) {
            return Ok(known);
        }
        self.has_response = false;
        if let Some(report) = self.hold(system, place)? {
            self.has_response = true;
            return Ok(report);
        }
        self.complete(place.time)?;
        let Some(problem) = &self.problem else { return Ok(known) };
        let refined = refine(problem, FINE * tolerance, &mut self.impulses)?;
        self.refining.fails = refined.is_none();
        self.start.clone_from(&self.impulses);
        Ok(refined.unwrap_or(known))
    }
}
