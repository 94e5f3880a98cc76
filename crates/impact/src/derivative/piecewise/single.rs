//! One contact, followed through the impact.

use nalgebra::DVector;

use super::{
    Error, Piecewise, resolved,
    script::{Check, End, Item, Normal, Piece, Script, Store, Tangent},
};
use crate::{
    Law as _, Phase, Problem,
    routh::{LegEnd, Restitution, Routh},
};

impl Piecewise for Routh {
    /// A contact without friction, in the plane, or one that sticks in space; sliding in space follows a curve, for
    /// which there are no pieces.
    fn script(&self, problem: &Problem) -> Result<Script, Error> {
        resolved(self, problem)?;
        let is_affine = self.restitution != Restitution::Energetic;
        let mut script = Script { items: vec![Item::Begin], is_affine };
        let count = problem.contacts().len();
        let mut last = [0.0; 3];
        let mut expands = false;
        for leg in self.legs(problem) {
            let spatial = problem.contacts()[0].tangents.len() == 2;
            let friction = problem.contacts()[0].friction;
            let slides = leg.phase == Phase::Slide;
            if leg.end == LegEnd::Curve || (spatial && slides && friction > 0.0) {
                let what = "a contact that slides in space, along a curve";
                return Err(Error::Unsupported { law: self.name(), what });
            }
            let percussion: [f64; 3] = leg.percussion.into();
            let rows = problem.contact_jacobian().nrows();
            let impulse = DVector::from_fn(rows, |row, _| percussion[row] - last[row]);
            let mut piece = Piece::of_none(count, impulse);
            piece.length = piece.impulse[0];
            piece.unit_of_length = 1.0 / problem.delassus()[(0, 0)].sqrt();
            piece.normals[0] = Normal::Pushes(1.0);
            piece.stores[0] = if expands { Store::Expands } else { Store::Compresses };
            piece.tangents[0] = match (rows, slides) {
                (1, _) => Tangent::None,
                (2, true) if friction > 0.0 => {
                    Tangent::Vertex(usize::from(leg.tangential[0] < 0.0), 2)
                }
                (_, true) => Tangent::Smooth,
                (2, false) => Tangent::Sticks(2),
                (_, false) => Tangent::SticksRound,
            };
            piece.end = match (leg.end, self.restitution) {
                (LegEnd::Slip, _) => End::Row(1),
                (LegEnd::Compression | LegEnd::Curve, _) => End::Row(0),
                (LegEnd::Restitution, Restitution::Kinematic) => End::Rebound(0),
                (LegEnd::Restitution, Restitution::Kinetic) => End::Returned(0),
                (LegEnd::Restitution, Restitution::Energetic) => End::Emptied(0),
            };
            expands |= leg.end == LegEnd::Compression;
            script.piece(piece);
            last = percussion;
        }
        if last[0] == 0.0 {
            script.items.extend((0..count).map(|contact| Item::Check(Check::Separates(contact))));
        } else if problem.contacts()[0].restitution == 0.0 {
            script.check(Check::Inelastic(0));
        }
        Ok(script)
    }
}
