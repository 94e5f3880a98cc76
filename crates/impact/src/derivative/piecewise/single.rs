//! One contact, followed through the impact.

use nalgebra::DVector;

use super::{
    Error, Piecewise, resolved,
    script::{Arc, Check, End, Item, Normal, Piece, Script, Store, Tangent},
};
use crate::{
    Phase, Problem,
    routh::{Leg, LegEnd, Restitution, Routh},
};

impl Piecewise for Routh {
    /// Slip that stops in space may start again, along a straight line.
    fn script(&self, problem: &Problem) -> Result<Script, Error> {
        resolved(self, problem)?;
        let is_affine = self.restitution != Restitution::Energetic;
        let mut script = Script { items: vec![Item::Begin], is_affine };
        let count = problem.contacts().len();
        let mut last = [0.0; 3];
        let mut expands = false;
        for leg in self.legs(problem) {
            let store = if expands { Store::Expands } else { Store::Compresses };
            if leg.is_curved {
                script.items.push(Item::Arc(Arc { contact: 0, store, end: self.end(&leg) }));
                script.is_affine = false;
            } else {
                script.piece(self.straight(problem, &leg, last, store));
            }
            expands ^= leg.end == LegEnd::Compression;
            last = leg.percussion.into();
        }
        if last[0] == 0.0 {
            script.items.extend((0..count).map(|contact| Item::Check(Check::Separates(contact))));
        } else if problem.contacts()[0].restitution == 0.0 {
            script.check(Check::Inelastic(0));
        }
        Ok(script)
    }
}

impl Routh {
    /// What ends a leg; the first tangent stands for the slip.
    const fn end(&self, leg: &Leg) -> End {
        match (leg.end, self.restitution) {
            (LegEnd::Slip, _) => End::Row(1),
            (LegEnd::Compression | LegEnd::Limit, _) => End::Row(0),
            (LegEnd::Restitution, Restitution::Kinematic) => End::Rebound(0),
            (LegEnd::Restitution, Restitution::Kinetic) => End::Returned(0),
            (LegEnd::Restitution, Restitution::Energetic) => End::Emptied(0),
        }
    }

    /// A leg with constant friction, from the impulse `last`.
    fn straight(&self, problem: &Problem, leg: &Leg, last: [f64; 3], store: Store) -> Piece {
        let friction = problem.contacts()[0].friction;
        let slides = leg.phase == Phase::Slide;
        let rows = problem.contact_jacobian().nrows();
        let impulse = DVector::from_fn(rows, |row, _| leg.percussion[row] - last[row]);
        let mut piece = Piece::of_none(problem.contacts().len(), impulse);
        piece.length = piece.impulse[0];
        piece.unit_of_length = 1.0 / problem.delassus()[(0, 0)].sqrt();
        piece.normals[0] = Normal::Pushes(1.0);
        piece.stores[0] = store;
        piece.tangents[0] = match (rows, slides) {
            (1, _) => Tangent::None,
            (2, true) if friction > 0.0 => Tangent::Vertex(usize::from(leg.tangential[0] < 0.0), 2),
            (3, true) if friction > 0.0 => Tangent::Restarts,
            (_, true) => Tangent::Smooth,
            (2, false) => Tangent::Sticks(2),
            (_, false) => Tangent::SticksRound,
        };
        piece.end = self.end(leg);
        piece
    }
}
