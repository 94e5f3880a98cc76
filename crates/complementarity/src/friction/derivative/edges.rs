//! One-sided derivatives where contacts are at edges of their modes: [`OneSided`].
//!
//! To first order, a contact at an edge chooses among linear pieces by inequalities of the changes:
//!
//! | edge | mode | equations | inequality |
//! | --- | --- | --- | --- |
//! | opening | open | `dp = 0` | `du_n ≥ 0` |
//! | | sliding, frictionless | `du_n = 0`, `dp_t = μ dp_n e` | `dp_n ≥ 0` |
//! | slipping | sticking | `du = 0` | `μ dp_n + p_n dμ − e·dp_t ≥ 0` |
//! | | sliding | `du_n = 0`, `e·dp_t = μ dp_n + p_n dμ`, `m·du_t = 0` | `ds ≥ 0` |
//! | tip, in the plane | open, sticking, sliding to either side | as above | as above, with `‖dp_t‖ ≤ μ dp_n` for sticking |
//!
//! All combinations are solved and their inequalities checked. For edges of two pieces, determinants of one sign make
//! the choice a linear complementarity problem with a P-matrix, which has one solution for every direction, and the
//! derivative of the inverse of a piecewise smooth map is that solution.

use nalgebra::{DVector, Vector2};

use super::{
    Absent, Change, Edge, Error, Mode, Place,
    modes::Chosen,
    neighborhood,
    piece::{Piece, slip_change},
    point::{Load, Point, part},
};

/// Maximum number of combinations of modes.
const LIMIT: usize = 4096;

/// Violations of inequalities up to this, relative to the largest change, are rounding.
const ROUNDING: f64 = 1e-9;

/// Changes of velocities that differ by at most this, relative to the largest change, are the same.
const SAME: f64 = 1e-7;

/// A one-sided derivative.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct OneSided {
    /// The changes for a unit of the direction.
    pub change: Change,
    /// The modes that the contacts have along the direction. Where several modes give the same change, one of them.
    pub modes: Vec<Mode>,
    /// Whether it is proven to be the derivative, and that there is one in every direction. Otherwise it is the only
    /// solution of the linearized problem along this direction: if the solution has a one-sided derivative, this is it.
    pub proven: bool,
}

/// A solution of the linearized problem.
struct Found {
    modes: Vec<Chosen>,
    impulse: DVector<f64>,
    velocity: DVector<f64>,
}

pub(super) fn solve(point: &Point, load: &Load) -> Result<OneSided, Error> {
    let choices = choices(point, load)?;
    let mut found: Vec<Found> = Vec::new();
    let (mut undecided, mut signs, mut two_pieces) = (false, [false; 2], true);
    let mut digits = vec![0; choices.len()];
    loop {
        let modes: Vec<_> =
            digits.iter().zip(&choices).map(|(&digit, modes)| modes[digit]).collect();
        let piece = Piece::new(point, &modes);
        match piece.inverse.positive {
            Some(positive) => signs[usize::from(positive)] = true,
            None => two_pieces = false,
        }
        match piece.solve(point, load) {
            Ok((impulse, velocity)) => {
                let holds = holds(point, load, &modes, (&impulse, &velocity));
                // Another impulse of a singular piece may satisfy the inequalities.
                undecided |= !holds && piece.inverse.positive.is_none();
                let size = velocity.amax().max(impulse.amax());
                let new = found.iter().all(|one| (&one.velocity - &velocity).amax() > SAME * size);
                if holds && new {
                    found.push(Found { modes, impulse, velocity });
                }
            }
            Err(Absent::Inconsistent { .. }) => {}
            Err(other) => return Err(other.into()),
        }
        if !advance(&mut digits, &choices) {
            break;
        }
    }
    two_pieces &= choices.iter().all(|modes| modes.len() <= 2);
    let proven = two_pieces && !(signs[0] && signs[1]);
    let count = found.len();
    match found.pop() {
        _ if undecided => Err(Absent::Undecided.into()),
        None => Err(Absent::NoSolution.into()),
        Some(Found { modes, impulse, velocity }) if count == 1 => {
            let changes = (&impulse, &velocity);
            let reach = neighborhood::reach(point, &modes, load, changes);
            let change: Change = point.change(changes, reach);
            Ok(OneSided { change, modes: modes.iter().map(|chosen| chosen.mode).collect(), proven })
        }
        Some(_) => Err(Absent::Several { count }.into()),
    }
}

/// The modes that each contact may enter.
fn choices(point: &Point, load: &Load) -> Result<Vec<Vec<Chosen>>, Absent> {
    let mut combinations = 1_usize;
    let mut choices = Vec::with_capacity(point.count());
    for (contact, (local, base)) in point.locals.iter().zip(point.base()).enumerate() {
        let with = |mode: Mode| Chosen { mode, direction: local.direction };
        let modes = match local.place {
            Place::Inside(_) => vec![base],
            Place::At(Edge::Opening) => vec![with(Mode::Open), with(Mode::Sliding)],
            Place::At(Edge::OpeningFrictionless) => {
                vec![with(Mode::Open), with(Mode::Frictionless)]
            }
            Place::At(Edge::Slipping) => vec![with(Mode::Sticking), with(Mode::Sliding)],
            Place::At(Edge::Tip) if is_planar(point, load, contact) => {
                let to = |side: f64| {
                    let direction = Vector2::new(side, 0.0);
                    Chosen { mode: Mode::Sliding, direction }
                };
                vec![with(Mode::Open), with(Mode::Sticking), to(1.0), to(-1.0)]
            }
            Place::At(edge) => return Err(Absent::NotComputed { contact, edge }),
        };
        combinations = combinations.saturating_mul(modes.len());
        choices.push(modes);
    }
    if combinations > LIMIT {
        return Err(Absent::TooManyEdges { found: combinations, limit: LIMIT });
    }
    Ok(choices)
}

/// Whether nothing acts on the second tangent of a contact, and normal and tangents obey Coulomb's law.
fn is_planar(point: &Point, load: &Load, contact: usize) -> bool {
    let row = 3 * contact + 2;
    let alone = (0..point.delassus.ncols()).all(|column| {
        column == row
            || point.delassus[(row, column)] == 0.0 && point.delassus[(column, row)] == 0.0
    });
    let still = load.drive[row] == 0.0 && point.velocity[row] == 0.0;
    alone && still && point.tilt(contact) == Vector2::zeros()
}

/// The next combination; `false` after the last one.
fn advance(digits: &mut [usize], choices: &[Vec<Chosen>]) -> bool {
    for (digit, modes) in digits.iter_mut().zip(choices) {
        *digit += 1;
        if *digit < modes.len() {
            return true;
        }
        *digit = 0;
    }
    false
}

/// Whether the inequalities of all contacts at edges hold.
fn holds(
    point: &Point,
    load: &Load,
    modes: &[Chosen],
    (impulse, velocity): (&DVector<f64>, &DVector<f64>),
) -> bool {
    let least = -ROUNDING * velocity.amax().max(impulse.amax());
    modes.iter().enumerate().all(|(contact, chosen)| {
        let (p, u) = (part(impulse, contact), part(velocity, contact));
        let friction = point.friction[contact];
        let slip = || slip_change(point, load, contact, &chosen.direction, &u);
        match (point.locals[contact].place, chosen.mode) {
            (Place::Inside(_), _) => true,
            (_, Mode::Open) => u.x >= least,
            (Place::At(Edge::Slipping), Mode::Sticking) => {
                let room = friction * p.x + load.friction[contact] * point.impulse[3 * contact];
                room - chosen.direction.dot(&p.yz()) >= least
            }
            (_, Mode::Sticking) => friction * p.x - p.yz().norm() >= least,
            (Place::At(Edge::Slipping), _) => slip() >= least,
            (Place::At(Edge::Tip), _) => p.x >= least && slip() >= least,
            _ => p.x >= least,
        }
    })
}
