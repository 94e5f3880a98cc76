//! How far an interval of [`Plus`](crate::plus::Plus) is from the end of its modes, and its fraction from another one.

use nalgebra::{DMatrix, DVector, RowDVector};

use super::{
    dual::{Dual, dot, minus, norm, plus, product, quotient, times},
    script::{End, Normal, Piece, Tangent},
    tape::Tape,
};
use crate::plus::{Limit, Limits};

/// An interval, of which a piece is a part.
#[derive(Clone, Copy)]
pub(super) struct Whole<'a> {
    pub(super) tape: &'a Tape<'a>,
    pub(super) piece: &'a Piece,
    /// Unknowns and `u⁺` of the piece, and their derivatives.
    pub(super) solved: (&'a DVector<f64>, &'a DVector<f64>),
    pub(super) changes: (&'a DMatrix<f64>, &'a DMatrix<f64>),
}

impl Whole<'_> {
    /// The margins of a contact, in units of speed.
    pub(super) fn margins(&self, contact: usize) -> Vec<Dual> {
        let problem = self.tape.problem;
        let row = problem.rows(contact).start;
        let own = problem.delassus()[(row, row)];
        let mut margins = match self.piece.normals[contact] {
            Normal::StopsByWhole => vec![times(self.push(row), own)],
            Normal::FreeByWhole => vec![self.end(row)],
            Normal::Jams => vec![times(self.start(row), -1.0)],
            _ => Vec::new(),
        };
        match self.piece.tangents[contact] {
            Tangent::RollsByWhole(limits) => self.rolling(contact, limits, &mut margins),
            Tangent::SlipsByWhole(limits) => self.impending(contact, limits, &mut margins),
            Tangent::Opposes(limits) => self.sliding(contact, limits, &mut margins),
            Tangent::Smooth => margins.push(self.tape.smooth(contact, self.push(row).0, own)),
            _ => {}
        }
        margins
    }

    fn rolling(&self, contact: usize, limits: Limits, margins: &mut Vec<Dual>) {
        let rows = self.tape.problem.rows(contact);
        let bound = self.tape.bound(contact, &self.push(rows.start));
        let size = norm(rows.clone().skip(1).map(|row| self.push(row)).collect());
        let w = self.tape.problem.delassus();
        let own = rows.clone().skip(1).map(|row| w[(row, row)]).fold(0.0, f64::max);
        margins.push(times(minus(bound, size), own));
        margins.push(self.below(norm(self.pair(contact, |row| self.start(row)).into()), limits));
    }

    fn impending(&self, contact: usize, limits: Limits, margins: &mut Vec<Dual>) {
        let push = self.pair(contact, |row| self.push(row));
        let size = norm(push.clone().into());
        let along = dot(&self.pair(contact, |row| self.end(row)), &push);
        margins.push(times(quotient(&along, &size), -1.0));
        margins.push(self.below(norm(self.pair(contact, |row| self.start(row)).into()), limits));
    }

    /// A contact that slides, and the fraction it allows compared with that of the interval.
    fn sliding(&self, contact: usize, limits: Limits, margins: &mut Vec<Dual>) {
        let start = self.pair(contact, |row| self.start(row));
        let end = self.pair(contact, |row| self.end(row));
        let change = self.pair(contact, |row| minus(self.end(row), self.start(row)));
        margins.push(times(self.below(norm(start.clone().into()), limits), -1.0));
        let jams = self.piece.normals.contains(&Normal::Jams);
        let values = |pair: &[Dual; 2]| [pair[0].0, pair[1].0];
        let (_, limit) = if jams {
            limits.unbounded(values(&start), values(&change))
        } else {
            limits.before_the_end(values(&start), values(&change))
        };
        if !jams {
            let inside = self.below(norm(end.into()), limits);
            let reaches = inside.0 > 0.0;
            if limit != Limit::Nothing {
                margins.push(times(inside, if reaches { 1.0 } else { -1.0 }));
            }
            if reaches {
                return;
            }
        }
        let size = norm(change.clone().into());
        if size.0 == 0.0 {
            return;
        }
        let along = dot(&start, &change);
        let mut across = minus(product(&start[0], &change[1]), product(&start[1], &change[0]));
        if across.0 < 0.0 {
            across = times(across, -1.0);
        }
        let closest = times(quotient(&along, &product(&size, &size)), -1.0);
        let miss = self.below(quotient(&across, &size), limits);
        let ends = match self.piece.end {
            End::Closest(ending) | End::Turned(ending, _) => ending == contact,
            _ => false,
        };
        let beyond = |fraction: Dual| product(&minus(fraction, self.length()), &size);
        let below_one = |fraction: Dual| product(&minus(self.one(), fraction), &size);
        if limit == Limit::Closest {
            margins.push(miss);
            if !jams {
                margins.push(below_one(closest.clone()));
            }
            if !ends {
                margins.push(beyond(closest));
            }
            return;
        }
        if closest.0 > 0.0 && (jams || closest.0 < 1.0) {
            margins.push(times(miss, -1.0));
        } else if closest.0 >= 1.0 && miss.0 > 0.0 {
            margins.push(times(below_one(closest), -1.0));
        }
        let turning = minus(times(across, limits.cosine), times(along, limits.sine));
        if ends && !jams {
            margins.push(below_one(self.length()));
        } else if !ends && turning.0 > 0.0 {
            let square = times(dot(&start, &start), limits.sine);
            margins.push(beyond(quotient(&square, &turning)));
        }
    }

    /// `v_transition − speed`.
    fn below(&self, speed: Dual, limits: Limits) -> Dual {
        minus(times(self.one(), limits.transition), speed)
    }

    fn one(&self) -> Dual {
        (1.0, RowDVector::zeros(self.tape.columns.count()))
    }

    fn length(&self) -> Dual {
        let row = self.tape.impulse.len();
        (self.solved.0[row], self.changes.0.row(row).into_owned())
    }

    /// An impulse of the whole interval.
    fn push(&self, row: usize) -> Dual {
        let part = (self.solved.0[row], self.changes.0.row(row).into_owned());
        quotient(&part, &self.length())
    }

    fn start(&self, row: usize) -> Dual {
        (self.tape.velocity[row], self.tape.d_velocity.row(row).into_owned())
    }

    /// The velocity at the end of the whole interval.
    fn end(&self, row: usize) -> Dual {
        let after = (self.solved.1[row], self.changes.1.row(row).into_owned());
        plus(self.start(row), quotient(&minus(after, self.start(row)), &self.length()))
    }

    /// Of the tangents of a contact; zero for the second one in the plane.
    fn pair(&self, contact: usize, part: impl Fn(usize) -> Dual) -> [Dual; 2] {
        let rows = self.tape.problem.rows(contact);
        let tangent = |index: usize| {
            let row = rows.start + 1 + index;
            if row < rows.end { part(row) } else { times(self.one(), 0.0) }
        };
        [tangent(0), tangent(1)]
    }
}
