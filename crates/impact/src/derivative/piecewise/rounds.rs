//! PLUS: rounds of compression and expansion, in intervals.

use nalgebra::DVector;

use super::{
    Error, Piecewise, resolved,
    script::{Check, End, Item, Normal, Piece, Returns, Script, Store, Tangent},
};
use crate::{
    Law as _, Problem,
    plus::{Limit, Limits, Motion, Phase, Plus, Record, State},
};

/// Velocities below this part of the largest one are rounding.
const REST: f64 = 1e-9;

impl Piecewise for Plus {
    /// A step of `alpha_min` is refused, as is a jam of contacts that hardly slide.
    fn script(&self, problem: &Problem) -> Result<Script, Error> {
        resolved(self, problem)?;
        let mut script = Script { items: vec![Item::Begin], is_affine: false };
        let mut velocity = problem.free_contact_velocity();
        let mut round = 0;
        for record in self.trace(problem)?.intervals {
            if record.round > round {
                round = record.round;
                begin_round(self, problem, &velocity, &record.states, &mut script);
            }
            script.piece(piece(self, problem, &velocity, &record)?);
            velocity = DVector::from_vec(record.contact_velocity);
        }
        script.items.extend(
            (0..problem.contacts().len()).map(|contact| Item::Check(Check::Separates(contact))),
        );
        Ok(script)
    }
}

/// The phases of a round, and the restitution of the contacts that compress in it.
fn begin_round(
    law: &Plus,
    problem: &Problem,
    velocity: &DVector<f64>,
    states: &[State],
    script: &mut Script,
) {
    let mut returns = vec![Returns::Constant(0.0); states.len()];
    for (contact, state) in states.iter().enumerate() {
        let row = problem.rows(contact).start;
        let approach = -velocity[row];
        match state.phase {
            _ if problem.is_locked(row) => continue,
            Phase::Expanding => continue,
            Phase::Observing => {
                script.check(Check::Separates(contact));
                continue;
            }
            // Otherwise it takes part although it does not approach.
            Phase::Compressing if approach > 0.0 => script.check(Check::Approaches(contact)),
            Phase::Compressing => {}
        }
        if approach < law.v_capture {
            script.check(Check::ApproachesBelow(contact, law.v_capture));
            continue;
        }
        if law.v_capture > 0.0 {
            script.check(Check::ApproachesAbove(contact, law.v_capture));
        }
        returns[contact] = if approach < law.v_plastic {
            script.check(Check::ApproachesBelow(contact, law.v_plastic));
            Returns::Falling { speed: law.v_plastic, least: law.e_min }
        } else {
            if law.v_plastic > 0.0 {
                script.check(Check::ApproachesAbove(contact, law.v_plastic));
            }
            if law.e_min.is_none() && problem.contacts()[contact].restitution == 0.0 {
                script.check(Check::Inelastic(contact));
            }
            law.e_min.map_or(Returns::Own, Returns::Constant)
        };
    }
    script.items.push(Item::BeginRound(returns));
}

fn piece(
    law: &Plus,
    problem: &Problem,
    velocity: &DVector<f64>,
    record: &Record,
) -> Result<Piece, Error> {
    let limits = Limits::new(law.v_transition, law.theta_max, law.alpha_min);
    let w = problem.delassus();
    let count = record.states.len();
    let mut piece = Piece::of_none(count, DVector::from_column_slice(&record.impulse));
    // Of a jam the push alone is known, as a multiple of the one that would stop the contact.
    let jams = record.fraction == 0.0;
    let pushed = (0..count).map(|contact| problem.rows(contact).start);
    let pushed = pushed.filter(|row| record.impulse[*row] > 0.0);
    piece.length = if jams {
        let part = |row: usize| -record.impulse[row] * w[(row, row)] / velocity[row];
        pushed.map(part).next().unwrap_or(0.0)
    } else {
        record.fraction
    };
    let end = velocity + w * &piece.impulse / piece.length;
    let rest = REST * velocity.amax().max(end.amax());
    for (contact, state) in record.states.iter().enumerate() {
        let row = problem.rows(contact).start;
        if problem.is_locked(row) || state.phase == Phase::Observing {
            continue;
        }
        if jams && record.impulse[row] == 0.0 {
            continue;
        }
        piece.normals[contact] = match (state.phase, state.motion) {
            (Phase::Expanding, _) => Normal::Owed,
            (_, Motion::Free) if end[row] < -rest => continue, // The law leaves it to the next round.
            (_, Motion::Free) => Normal::FreeByWhole,
            _ if jams => Normal::Jams,
            _ => Normal::StopsByWhole,
        };
        if state.motion == Motion::Free {
            continue;
        }
        piece.stores[contact] =
            if state.phase == Phase::Expanding { Store::Expands } else { Store::Compresses };
        let slip = |velocity: &DVector<f64>| {
            let rows = problem.rows(contact).skip(1);
            rows.map(|row| velocity[row]).fold(0.0, f64::hypot)
        };
        let tangents = problem.rows(contact).len() - 1;
        piece.tangents[contact] = match state.motion {
            _ if tangents == 0 => Tangent::None,
            _ if problem.contacts()[contact].friction == 0.0 => Tangent::Smooth,
            Motion::Sliding if slip(velocity) < law.v_transition => {
                let what = "a contact that jams with little slip";
                return Err(Error::Unsupported { law: law.name(), what });
            }
            Motion::Sliding => Tangent::Opposes(limits),
            Motion::ImpendingSlip if slip(&end) > rest => Tangent::SlipsByWhole(limits),
            _ => Tangent::RollsByWhole(limits),
        };
    }
    piece.end = ending(law, problem, velocity, &piece, &end)?;
    Ok(piece)
}

/// What ends an interval: its completion, or the contact that allows the smallest part of it.
fn ending(
    law: &Plus,
    problem: &Problem,
    velocity: &DVector<f64>,
    piece: &Piece,
    end: &DVector<f64>,
) -> Result<End, Error> {
    let jams = piece.normals.contains(&Normal::Jams);
    if !jams && piece.length >= 1.0 {
        return Ok(End::Complete);
    }
    let mut least = (f64::INFINITY, End::Complete);
    for (contact, tangent) in piece.tangents.iter().enumerate() {
        let Tangent::Opposes(limits) = *tangent else { continue };
        let (mut start, mut change) = ([0.0; 2], [0.0; 2]);
        for (index, row) in problem.rows(contact).skip(1).enumerate() {
            (start[index], change[index]) = (velocity[row], end[row] - velocity[row]);
        }
        let (fraction, limit) =
            if jams { limits.unbounded(start, change) } else { limits.bounded(start, change) };
        if fraction < least.0 {
            let end = match limit {
                Limit::Nothing => continue,
                Limit::Closest => End::Closest(contact),
                Limit::Turn => End::Turned(contact, limits),
                Limit::Least => {
                    let what = "an interval as short as `alpha_min`";
                    return Err(Error::Unsupported { law: law.name(), what });
                }
            };
            least = (fraction, end);
        }
    }
    Ok(least.1)
}
