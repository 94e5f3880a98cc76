//! The modes of the solution of a complementarity problem, told from its impulses and velocities.

use nalgebra::DVector;

use super::{
    margins::side_of,
    script::{Normal, Piece, Store, Tangent},
};
use crate::{Problem, directions::direction};

/// Slip below this part of the terms of the largest velocity is rounding.
const REST: f64 = 1e-10;

/// The rule for the normal impulse of a contact.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rule {
    /// `0 ≤ π_n ⊥ u_n⁺ ≥ 0`.
    Inelastic,
    /// `0 ≤ π_n ⊥ u_n⁺ − s ≥ 0` with this speed `s = e max(0, −u_n)`.
    Newton(f64),
    /// At least the given impulse, and more only if `u_n⁺ = 0`; whether the contact was compressed.
    Returns(f64, bool),
    /// At most this increment, and less only if `u_n⁺ = 0`.
    Step(f64),
}

/// The piece in which the impulses (length `r`) lead away from the contact velocity `start`. Friction in space has
/// `directions` directions.
pub(super) fn piece(
    problem: &Problem,
    directions: usize,
    (start, impulse): (&DVector<f64>, &DVector<f64>),
    rule: impl Fn(usize) -> Rule,
) -> Piece {
    let after = start + problem.delassus() * impulse;
    let terms = start.abs() + problem.delassus().abs() * impulse.abs();
    let rest = REST * terms.amax();
    let count = problem.contacts().len();
    let mut piece = Piece::of_none(count, impulse.clone());
    for contact in 0..count {
        let row = problem.rows(contact).start;
        let own = problem.delassus()[(row, row)];
        if own <= 0.0 {
            continue;
        }
        let (push, end) = (impulse[row], after[row]);
        piece.normals[contact] = match rule(contact) {
            Rule::Inelastic if push * own > end => Normal::Stops,
            Rule::Newton(speed) => match (push * own > end - speed, speed > 0.0) {
                (true, true) => Normal::Rebounds,
                (true, false) => Normal::Stops,
                (false, true) => Normal::FreeBeyond,
                (false, false) => Normal::Free,
            },
            Rule::Returns(given, _) if (push - given) * own > end => Normal::ReturnsAndStops,
            Rule::Returns(_, true) => Normal::Returns,
            Rule::Step(increment) if (increment - push) * own <= -end => Normal::Full(increment),
            Rule::Step(increment) if push * own > end => Normal::StopsWithin(increment),
            _ => Normal::Free,
        };
        if !matches!(piece.normals[contact], Normal::Free | Normal::FreeBeyond) {
            piece.tangents[contact] =
                tangent(problem, directions, contact, (impulse, &after, rest));
        }
    }
    piece
}

/// The same for an impulse that is a compression.
pub(super) fn storing(mut piece: Piece) -> Piece {
    piece.stores.fill(Store::Compresses);
    piece
}

/// The mode of friction of a contact that pushes, from its impulses and its slip after them.
pub(super) fn tangent(
    problem: &Problem,
    directions: usize,
    contact: usize,
    (impulse, after, rest): (&DVector<f64>, &DVector<f64>, f64),
) -> Tangent {
    let rows = problem.rows(contact);
    let tangents = rows.len() - 1;
    let w = problem.delassus();
    let own = rows.clone().skip(1).map(|row| w[(row, row)]).fold(0.0, f64::max);
    if tangents == 0 || own <= 0.0 {
        return Tangent::None;
    }
    let of = if tangents == 1 { 2 } else { directions };
    let friction = problem.contacts()[contact].friction;
    let mut rub = [0.0; 2];
    let mut slip = [0.0; 2];
    for (index, row) in rows.clone().skip(1).enumerate() {
        (rub[index], slip[index]) = (impulse[row], after[row]);
    }
    let dot = |a: [f64; 2], b: [f64; 2]| a[0] * b[0] + a[1] * b[1];
    let speed = slip[0].hypot(slip[1]);
    let bound = friction * impulse[rows.start];
    if friction == 0.0 && speed <= rest {
        return Tangent::Smooth;
    }
    let inside = (0..of).map(|side| {
        let (vector, factor) = side_of(side, of, tangents == 1);
        bound * factor - dot(vector, rub)
    });
    let inside = inside.fold(f64::INFINITY, f64::min);
    // Friction at its limit without slip tells no direction.
    if inside * own + rest >= speed {
        return Tangent::Sticks(of);
    }
    // The direction that opposes the slip most, and the next one to it.
    let along = |index: usize| dot(direction(index, of), slip);
    let first = (0..of).min_by(|a, b| along(*a).total_cmp(&along(*b))).unwrap_or(0);
    if tangents == 1 {
        return Tangent::Vertex(first, of);
    }
    let (after, before) = ((first + 1) % of, (first + of - 1) % of);
    let next = if along(after) < along(before) { after } else { before };
    let gap = along(next) - along(first);
    let distance = |index: usize| {
        let d = direction(index, of);
        (rub[0] - bound * d[0]).hypot(rub[1] - bound * d[1])
    };
    if distance(first).min(distance(next)) * own > gap {
        return Tangent::Edge(if next == after { first } else { next }, of);
    }
    Tangent::Vertex(if distance(next) < distance(first) { next } else { first }, of)
}
