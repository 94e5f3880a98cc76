//! Impacts, one contact at a time, in straight pieces.
//!
//! Per unit of normal impulse the velocity of the contact changes by `W (1, λ_t)`. While it slips,
//! `λ_t = −μ sgn u_t`. At rest `λ_t` is the value that keeps it there, `−W_tn/W_tt`, or the nearest value in
//! the cone; in that case it slips in the direction in which it is pushed.
//!
//! **Without a collision.** Where no force keeps a sliding contact closed (Painlevé's case), the first piece is that of
//! this contact although it does not approach: `W_nn − μ |W_nt| < 0`, so that it slows down and begins to approach. The
//! pieces that follow are those of an impact. For Painlevé's rod their sum is the impulse that stops all motion of
//! the tip, as in Preclik, Eibl and Rüde (2018), section 4.2.
//!
//! # Source
//!
//! E. J. Routh, *Dynamics of a System of Rigid Bodies*, Part I, Macmillan 1891, articles 187 to 197.

use super::{
    Resolved,
    contacts::{Contacts, Hold},
    solution::{Kind, Moment, Phase, Status},
};

/// The pieces from `start`, where the contact `first` approaches or is jammed, to a state where none approaches.
pub(super) fn resolve(
    contacts: &mut Contacts<'_>,
    settings: &Resolved,
    start: &Moment,
    first: usize,
) -> Result<Vec<Phase>, Status> {
    let mut pieces: Vec<Phase> = Vec::new();
    let mut moment = start.clone();
    let mut first = Some(first);
    for _ in 0..settings.phase_limit {
        contacts.locate(&moment.coordinates, &moment.velocity);
        let Some(contact) = first.take().or_else(|| contacts.approaching(settings)) else {
            return Ok(pieces);
        };
        let piece = piece(contacts, settings, &moment, contact).ok_or(Status::Jammed)?;
        moment = piece.end().clone();
        pieces.push(piece);
    }
    Err(Status::Jammed)
}

/// The piece in which only `contact` receives an impulse, until its approach or its slip has stopped.
fn piece(
    contacts: &Contacts<'_>,
    settings: &Resolved,
    start: &Moment,
    contact: usize,
) -> Option<Phase> {
    let rows = contacts.jacobian.rows(2 * contact, 2).into_owned();
    let columns = contacts.divide(&start.coordinates, rows.transpose());
    let w = &rows * &columns;
    let (normal, slip) = (contacts.u[2 * contact], contacts.u[2 * contact + 1]);
    let friction = contacts.model.contacts()[contact].friction;
    let slides = slip.abs() > settings.velocity_tolerance;
    // A limit of a joint has a normal and no tangent.
    let sticking = if w[(1, 1)] > 0.0 { -w[(1, 0)] / w[(1, 1)] } else { 0.0 };
    let tangent = if slides {
        -friction * slip.signum()
    } else {
        // It sticks where the cone allows this; otherwise it slips in the direction in which it is pushed.
        sticking.clamp(-friction, friction)
    };
    let normal_rate = w[(0, 0)] + w[(0, 1)] * tangent;
    let slip_rate = w[(1, 0)] + w[(1, 1)] * tangent;
    let until_stop = if normal_rate > 0.0 { -normal / normal_rate } else { f64::INFINITY };
    let slows = slides && slip * slip_rate < 0.0;
    let length = until_stop.min(if slows { -slip / slip_rate } else { f64::INFINITY });
    if !length.is_finite() {
        return None;
    }
    let mut moments = [0.0, 0.5, 1.0].map(|part| {
        let mut moment = start.clone();
        moment.s += part * length;
        moment.time_rate = 0.0;
        moment.rates.fill(0.0);
        moment.rates[2 * contact] = 1.0;
        moment.rates[2 * contact + 1] = tangent;
        let change = (columns.column(0) + tangent * columns.column(1)) * (part * length);
        for (v, d) in moment.velocity.iter_mut().zip(&change) {
            *v += d;
        }
        moment
    });
    moments[0].s = start.s;
    Some(Phase::new(Kind::Impact, &[(contact, Hold::Stick)], moments.to_vec()))
}
