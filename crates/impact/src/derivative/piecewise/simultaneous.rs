//! Laws that solve one or two complementarity problems for all contacts at once.

use nalgebra::DVector;

use super::{
    Error, Piecewise,
    modes::{self, Rule},
    resolved,
    script::{Item, Script},
};
use crate::{Outcome, Problem, anitescu_potra::AnitescuPotra, newton::Newton, poisson::Poisson};

/// The impulses of an outcome at the rows of `J`.
pub(super) fn impulses(outcome: &Outcome) -> DVector<f64> {
    let parts = outcome
        .impulses
        .iter()
        .flat_map(|impulse| std::iter::once(impulse.normal).chain(impulse.tangent.iter().copied()));
    DVector::from_vec(parts.collect())
}

/// A script of one piece, in which all contacts follow `rule`.
fn one_piece(
    problem: &Problem,
    directions: usize,
    impulse: &DVector<f64>,
    rule: impl Fn(usize) -> Rule,
) -> Script {
    let mut script = Script::affine();
    script.items.push(Item::Begin);
    let start = problem.borrow_free_contact_velocity();
    script.piece(modes::piece(problem, directions, (start, impulse), rule));
    script
}

impl Piecewise for AnitescuPotra {
    fn script(&self, problem: &Problem) -> Result<Script, Error> {
        let outcome = resolved(self, problem)?;
        let impulse = impulses(&outcome);
        Ok(one_piece(problem, self.settings.directions, &impulse, |_| Rule::Inelastic))
    }
}

impl Piecewise for Newton {
    fn script(&self, problem: &Problem) -> Result<Script, Error> {
        let outcome = resolved(self, problem)?;
        let free = problem.borrow_free_contact_velocity();
        let rule = |contact: usize| {
            let speed = -free[problem.rows(contact).start];
            Rule::Newton(problem.contacts()[contact].restitution * speed.max(0.0))
        };
        // A coefficient of zero has a derivative, too.
        let mut script = one_piece(problem, self.settings.directions, &impulses(&outcome), rule);
        for item in &mut script.items {
            let Item::Piece(piece) = item else { continue };
            for (contact, normal) in piece.normals.iter_mut().enumerate() {
                if *normal == super::script::Normal::Stops
                    && free[problem.rows(contact).start] < 0.0
                {
                    *normal = super::script::Normal::Rebounds;
                }
            }
        }
        Ok(script)
    }
}

impl Piecewise for Poisson {
    fn script(&self, problem: &Problem) -> Result<Script, Error> {
        resolved(self, problem)?;
        let [compression, expansion] = self.percussions(problem)?;
        let directions = self.settings.directions;
        let start = problem.borrow_free_contact_velocity();
        let mut script = Script::affine();
        script.items.push(Item::Begin);
        let piece = modes::piece(problem, directions, (start, &compression), |_| Rule::Inelastic);
        script.piece(modes::storing(piece));
        let between = start + problem.delassus() * &compression;
        let rule = |contact: usize| {
            let taken = compression[problem.rows(contact).start];
            Rule::Returns(problem.contacts()[contact].restitution * taken, taken > 0.0)
        };
        script.piece(modes::piece(problem, directions, (&between, &expansion), rule));
        Ok(script)
    }
}
