//! Steps in which everything holds: the impulses of the start are corrected by [factors](Held) that are kept.
//!
//! Where a mechanism rests, the impulses of the step before miss the tolerance by little, again and again. A correction with the
//! factors of an earlier step solves the problem, and the response of the mechanism gives the velocities before and after, so
//! that its operator is not needed. Where this fails, the factors of the current operator are tried, and then the solver.
//!
//! The corrected impulses become those of the start: a solve that begins with them finds nothing to do.

use nalgebra::Vector3;
use percussion_complementarity::friction::{Held, Law, Method, Report, mixed::Judgement};
use percussion_dynamics::System;

use super::{
    Place, VelocityLevel,
    blocks::{Entry, Stated},
};
use crate::error::Error;

/// Maximum number of corrections with the same factors.
const CORRECTIONS: usize = 3;

/// Factors, and the contacts and rows of the problem that they belong to; without contacts and rows there are none.
#[derive(Debug, Default)]
pub(super) struct Holding {
    held: Held,
    contacts: Vec<usize>,
    entries: Vec<Entry>,
    /// Velocities of the impulses of the start, of contacts and of a problem with blocks with its figures.
    before: Vec<Vector3<f64>>,
    of_start: Judgement,
}

impl Holding {
    fn forget(&mut self) {
        self.contacts.clear();
        self.entries.clear();
    }

    /// The report of the impulses of a problem with blocks with which everything holds, if those solve it; they are then also those
    /// of the start. Otherwise nothing changes.
    pub(super) fn hold_blocks(
        &mut self,
        contacts: &[usize],
        stated: &mut Stated,
        tolerance: f64,
    ) -> Option<Report> {
        let report = stated.problem.report_of(&stated.start, &mut self.of_start, tolerance);
        if report.is_some() {
            std::mem::swap(&mut stated.judgement, &mut self.of_start);
            stated.is_judged = true;
            return report;
        }
        if !Held::blocks_hold(&stated.problem, &stated.start) {
            return None;
        }
        if self.contacts == contacts && self.entries == stated.entries {
            let report = self.correct_blocks(stated, tolerance);
            if report.is_some() {
                return report;
            }
        }
        self.forget();
        if !self.held.hold_blocks(&stated.problem, &stated.start) {
            return None;
        }
        let report = self.correct_blocks(stated, tolerance);
        if report.is_some() {
            self.contacts.extend_from_slice(contacts);
            self.entries.extend_from_slice(&stated.entries);
        }
        report
    }

    /// Corrects the impulses of the start, whose velocities are known, with the factors.
    fn correct_blocks(&mut self, stated: &mut Stated, tolerance: f64) -> Option<Report> {
        let Stated { problem, start, impulses, judgement, is_judged, .. } = stated;
        for iterations in 1..=CORRECTIONS {
            let last = if iterations == 1 { &self.of_start } else { &*judgement };
            self.held.correct(&last.velocities, impulses);
            if !Held::blocks_hold(problem, impulses) {
                break;
            }
            let report = problem.report_of(impulses, judgement, tolerance);
            if let Some(mut report) = report {
                report.iterations = iterations;
                *is_judged = true;
                start.copy_from_slice(impulses);
                return Some(report);
            }
        }
        impulses.copy_from_slice(start);
        None
    }
}

impl VelocityLevel {
    /// The report of the impulses with which everything holds, if those solve the outlined problem, of which the impulses of the start
    /// were judged. Otherwise nothing changes.
    pub(super) fn hold(
        &mut self,
        system: &dyn System,
        place: &Place<'_>,
    ) -> Result<Option<Report>, Error> {
        let is_default = self.law == Law::Coulomb && matches!(self.method, Method::Combined(_));
        let Some(outline) = self.outline.as_ref().filter(|_| is_default) else { return Ok(None) };
        // One contact is solved in closed form, without what the ridge leaves.
        if self.start.len() < 2 || !Held::contacts_hold(&outline.contacts, &self.start) {
            return Ok(None);
        }
        self.holding.before.clone_from(&outline.velocities);
        // Factors with entries are those of a problem with blocks.
        if self.holding.contacts == self.contacts && self.holding.entries.is_empty() {
            let report = self.correct(system, place)?;
            if report.is_some() {
                return Ok(report);
            }
        }
        self.holding.forget();
        self.complete(place.time)?;
        let Some(problem) = &self.problem else { return Ok(None) };
        if !self.holding.held.hold_contacts(problem, &self.start) {
            return Ok(None);
        }
        let report = self.correct(system, place)?;
        if report.is_some() {
            self.holding.contacts.clone_from(&self.contacts);
        }
        Ok(report)
    }

    /// Corrects the impulses of the start, which were judged, with the factors.
    fn correct(&mut self, system: &dyn System, place: &Place<'_>) -> Result<Option<Report>, Error> {
        if let Some(outline) = &mut self.outline {
            outline.velocities.clone_from(&self.holding.before);
        }
        for iterations in 1..=CORRECTIONS {
            let Some(outline) = &self.outline else { break };
            self.holding.held.correct_contacts(&outline.velocities, &mut self.impulses);
            if !Held::contacts_hold(&outline.contacts, &self.impulses) {
                break;
            }
            if let Some(mut report) = self.judge_start(system, place)? {
                report.iterations = iterations;
                self.start.clone_from(&self.impulses);
                return Ok(Some(report));
            }
        }
        self.impulses.clone_from(&self.start);
        Ok(None)
    }
}
