//! Steps in which everything holds: the impulses of the start are corrected by [factors](Held) that are kept.
//!
//! Where a mechanism rests, the impulses of the step before miss the tolerance by little, again and again. A correction with the
//! factors of an earlier step solves the problem, and the response of the mechanism gives the velocities before and after, so
//! that its operator is not needed. Where this fails, the factors of the current operator are tried, and then the solver.
//!
//! The corrected impulses become those of the start: a solve that begins with them finds nothing to do.

use nalgebra::Vector3;
use percussion_complementarity::friction::{Held, Law, Method, Report};
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
    /// Velocities of the impulses of the start, and of those of a problem with blocks that are corrected.
    before: Vec<Vector3<f64>>,
    velocities: Vec<f64>,
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
        let Stated { problem, entries, start, impulses, .. } = stated;
        if let Some(report) = problem.report_of(start, &mut self.velocities, tolerance) {
            return Some(report);
        }
        if !Held::blocks_hold(problem, start) {
            return None;
        }
        let is_known = self.contacts == contacts && self.entries == *entries;
        for is_fresh in [false, true] {
            if is_fresh {
                if !self.held.hold_blocks(problem, start) {
                    break;
                }
                self.forget();
                self.contacts.extend_from_slice(contacts);
                self.entries.extend_from_slice(entries);
                if is_known {
                    impulses.copy_from_slice(start);
                    let solved = problem.report_of(start, &mut self.velocities, tolerance);
                    debug_assert!(solved.is_none(), "judged before: {solved:?}");
                }
            } else if !is_known {
                continue;
            }
            for iterations in 1..=CORRECTIONS {
                self.held.correct(&self.velocities, impulses);
                if !Held::blocks_hold(problem, impulses) {
                    break;
                }
                let report = problem.report_of(impulses, &mut self.velocities, tolerance);
                if let Some(mut report) = report {
                    report.iterations = iterations;
                    start.copy_from_slice(impulses);
                    return Some(report);
                }
            }
        }
        self.forget();
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
        let is_known = self.holding.contacts == self.contacts;
        for is_fresh in [false, true] {
            if is_fresh {
                self.complete(place.time)?;
                let Some(problem) = &self.problem else { break };
                if !self.holding.held.hold_contacts(problem, &self.start) {
                    break;
                }
                self.holding.contacts.clone_from(&self.contacts);
                self.impulses.clone_from(&self.start);
                if let Some(outline) = &mut self.outline {
                    outline.velocities.clone_from(&self.holding.before);
                }
            } else if !is_known {
                continue;
            }
            if let Some(report) = self.correct(system, place)? {
                self.start.clone_from(&self.impulses);
                return Ok(Some(report));
            }
        }
        self.holding.forget();
        self.impulses.clone_from(&self.start);
        Ok(None)
    }

    /// Corrects the impulses, which were judged, with the factors.
    fn correct(&mut self, system: &dyn System, place: &Place<'_>) -> Result<Option<Report>, Error> {
        for iterations in 1..=CORRECTIONS {
            let Some(outline) = &self.outline else { break };
            self.holding.held.correct_contacts(&outline.velocities, &mut self.impulses);
            if !Held::contacts_hold(&outline.contacts, &self.impulses) {
                break;
            }
            if let Some(mut report) = self.judge_start(system, place)? {
                report.iterations = iterations;
                return Ok(Some(report));
            }
        }
        Ok(None)
    }
}
