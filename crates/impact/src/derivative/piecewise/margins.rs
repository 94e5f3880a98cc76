//! How far a piece is from the end of its modes.

use nalgebra::{DMatrix, DVector, RowDVector};

use super::{
    dual::{Dual, dot, minus, norm, plus, quotient, times},
    fractions::Whole,
    script::{End, Normal, Piece, Store, Tangent},
    tape::{Margin, Tape},
};
use crate::directions::direction;

impl Tape<'_> {
    /// Adds the margins of a piece, in units of speed.
    pub(super) fn judge(
        &mut self,
        piece: &Piece,
        solved: (&DVector<f64>, &DVector<f64>),
        changes: (&DMatrix<f64>, &DMatrix<f64>),
    ) {
        let (unknowns, after) = solved;
        let (d_unknowns, d_after) = changes;
        let push = |row: usize| (unknowns[row], d_unknowns.row(row).into_owned());
        let speed = |row: usize| (after[row], d_after.row(row).into_owned());
        let start = |row: usize| (self.velocity[row], self.d_velocity.row(row).into_owned());
        let mut found = Vec::new();
        for (contact, (normal, tangent)) in piece.normals.iter().zip(&piece.tangents).enumerate() {
            let row = self.problem.rows(contact).start;
            let own = self.problem.delassus()[(row, row)];
            if *normal == Normal::Absent || own <= 0.0 {
                continue;
            }
            if normal.is_of_interval() {
                let whole = Whole { tape: self, piece, solved, changes };
                let margin = |(value, slope)| Margin { contact, value, slope };
                found.extend(whole.margins(contact).into_iter().map(margin));
                continue;
            }
            let mut add = |(value, slope): Dual| found.push(Margin { contact, value, slope });
            let length = || {
                let rows = self.impulse.len();
                (unknowns[rows], d_unknowns.row(rows).into_owned())
            };
            let ends = |row: usize| piece.end == End::Row(row);
            match *normal {
                Normal::Free | Normal::Returns => {
                    if !ends(row) {
                        add(speed(row));
                    }
                }
                Normal::FreeBeyond => {
                    let e = self.problem.contacts()[contact].restitution;
                    let mut slope = self.d_mark.row(row) * e;
                    slope[self.columns.restitution(contact)] += self.mark[row];
                    add(plus(speed(row), (e * self.mark[row], slope)));
                }
                Normal::Stops | Normal::Mirrors => add(times(push(row), own)),
                Normal::Rebounds => {
                    add(times(push(row), own));
                    if self.problem.contacts()[contact].restitution > 0.0 {
                        add((-self.mark[row], -self.d_mark.row(row)));
                    }
                }
                Normal::ReturnsAndStops => {
                    let e = self.problem.contacts()[contact].restitution;
                    let given = self.returned(contact, e);
                    add(times(minus(push(row), given), own));
                }
                Normal::StopsWithin(increment) => {
                    let (value, slope) = push(row);
                    add(((increment - value) * own, &slope * -own));
                    add((value * own, slope * own));
                }
                Normal::Held(rate) => {
                    add(times(minus(times(length(), rate), push(row)), own));
                    add(times(push(row), own));
                }
                Normal::Full(_) => add(times(speed(row), -1.0)),
                Normal::Pushes(_) => {
                    // Where the piece ends as the contact comes to rest, it has to move at the beginning.
                    let moves = if ends(row) { start(row) } else { speed(row) };
                    let compresses = piece.stores[contact] == Store::Compresses;
                    add(times(moves, if compresses { -1.0 } else { 1.0 }));
                    if let Some(energy) = self.energy_left(piece, contact) {
                        add(times(energy, own));
                    }
                }
                Normal::Absent
                | Normal::StopsByWhole
                | Normal::FreeByWhole
                | Normal::Owed
                | Normal::Jams => {}
            }
            if !matches!(normal, Normal::Free | Normal::FreeBeyond) {
                self.judge_tangent(contact, *tangent, piece, (&push, &speed), &mut found);
            }
        }
        self.margins.append(&mut found);
    }

    /// The energy that an expanding contact has left after the piece, divided by a speed.
    fn energy_left(&self, piece: &Piece, contact: usize) -> Option<Dual> {
        let emptied = match piece.end {
            End::Emptied(k) | End::Rebound(k) | End::Returned(k) => k == contact,
            _ => false,
        };
        let speed = self.mark.amax().max(f64::MIN_POSITIVE);
        let slope = self.d_energies.row(contact).into_owned();
        let left = times((self.energies[contact], slope), 1.0 / speed);
        (piece.stores[contact] == Store::Expands && !emptied).then_some(left)
    }

    /// `e C`, without what has been given back.
    fn returned(&self, contact: usize, e: f64) -> Dual {
        let mut slope = self.d_compression.row(contact) * e;
        slope[self.columns.restitution(contact)] += self.compression[contact];
        (e * self.compression[contact], slope)
    }

    fn judge_tangent(
        &self,
        contact: usize,
        tangent: Tangent,
        piece: &Piece,
        (push, speed): (&impl Fn(usize) -> Dual, &impl Fn(usize) -> Dual),
        found: &mut Vec<Margin>,
    ) {
        let rows = self.problem.rows(contact);
        let w = self.problem.delassus();
        let tangents = rows.clone().skip(1);
        let own = tangents.clone().map(|row| w[(row, row)]).fold(0.0, f64::max);
        if rows.len() == 1 || own <= 0.0 {
            return;
        }
        let along = |vector: [f64; 2], part: &dyn Fn(usize) -> Dual| {
            let mut sum = (0.0, RowDVector::zeros(self.columns.count()));
            for (row, factor) in tangents.clone().zip(vector) {
                sum = plus(sum, times(part(row), factor));
            }
            sum
        };
        let bound = self.bound(contact, &push(rows.start));
        let mut add = |(value, slope): Dual| found.push(Margin { contact, value, slope });
        let ended = match piece.end {
            End::Row(row) => tangents.clone().any(|tangent| tangent == row),
            End::Turn { contact: turning, .. } | End::Stop { contact: turning, .. } => {
                turning == contact
            }
            _ => false,
        };
        // A slip that stops or turns at the end of the piece has to be there at its beginning.
        let start = |row: usize| (self.velocity[row], self.d_velocity.row(row).into_owned());
        let slip: &dyn Fn(usize) -> Dual = if ended { &start } else { speed };
        match tangent {
            Tangent::None
            | Tangent::RollsByWhole(_)
            | Tangent::SlipsByWhole(_)
            | Tangent::Opposes(_) => {}
            Tangent::Smooth => add(self.smooth(contact, push(rows.start).0, own)),
            Tangent::Sticks(of) => {
                for side in 0..of {
                    let (vector, factor) = side_of(side, of, rows.len() == 2);
                    let inside = minus(times(bound.clone(), factor), along(vector, &push));
                    add(times(inside, own));
                }
            }
            Tangent::Restarts => {
                let pair =
                    |part: &dyn Fn(usize) -> Dual| [rows.start + 1, rows.start + 2].map(part);
                let (opposed, slip) = (pair(push), pair(speed));
                let size = norm(opposed.clone().into());
                add(times(quotient(&dot(&opposed, &slip), &size), -1.0));
            }
            Tangent::SticksRound => {
                let size = norm(tangents.clone().map(push).collect());
                add(times(minus(bound, size), own));
            }
            Tangent::Vertex(index, of) if rows.len() == 2 => {
                add(times(along(direction(index, of), slip), -1.0));
            }
            Tangent::Vertex(index, of) => {
                let here = direction(index, of);
                for next in [(index + 1) % of, (index + of - 1) % of] {
                    let there = direction(next, of);
                    add(along([there[0] - here[0], there[1] - here[1]], slip));
                }
            }
            Tangent::Edge(index, of) => {
                let (a, b) = (direction(index, of), direction((index + 1) % of, of));
                let side = [b[0] - a[0], b[1] - a[1]];
                let size = side[0].hypot(side[1]);
                let unit = side.map(|entry| entry / size);
                // The parts of the side beyond both ends.
                let middle = along(unit, &push);
                let half = times(bound, 0.5 * size);
                add(times(plus(half.clone(), middle.clone()), own));
                add(times(minus(half, middle), own));
                add(times(along([a[0] + b[0], a[1] + b[1]], slip), -0.5));
            }
        }
    }
}

/// The outward normal of a side of the polygon, and its distance from the middle.
pub(super) fn side_of(side: usize, of: usize, plane: bool) -> ([f64; 2], f64) {
    if plane {
        return (direction(side, of), 1.0);
    }
    let (a, b) = (direction(side, of), direction((side + 1) % of, of));
    let sum = [a[0] + b[0], a[1] + b[1]];
    let size = sum[0].hypot(sum[1]);
    (sum.map(|entry| entry / size), 0.5 * size)
}
