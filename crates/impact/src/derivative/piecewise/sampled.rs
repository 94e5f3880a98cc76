//! Samples of the set-valued law, with their draws held.

use nalgebra::DVector;

use super::{
    Error, Piecewise,
    modes::{self, Rule},
    script::{Check, End, Item, Normal, Piece, Script, Store, Tangent},
};
use crate::{
    Problem, Status,
    directions::direction,
    set_valued::{Event, Mode, Path, Recorded, Sampler, SetValuedRouth, Settings, Termination},
};

/// Velocities below this part of the largest one are rounding.
const REST: f64 = 1e-11;

impl Piecewise for SetValuedRouth {
    /// The sample with index 0. Its increments are held, also where the step is the default one, which depends on the
    /// data.
    fn script(&self, problem: &Problem) -> Result<Script, Error> {
        sample(&self.settings, problem, 0)
    }
}

/// The pieces of the sample with this index.
pub(super) fn sample(settings: &Settings, problem: &Problem, index: u64) -> Result<Script, Error> {
    let mut sampler = Sampler::new(problem, settings)?;
    if let Some(pieces) = sampler.pieces_of(index) {
        ended(sampler.termination())?;
        return from_event_to_event(settings, problem, &pieces);
    }
    let path = sampler.path(index);
    ended(path.termination)?;
    Ok(in_steps(settings, problem, &path))
}

fn ended(termination: Termination) -> Result<(), Error> {
    match termination {
        Termination::Separated | Termination::Closed => Ok(()),
        Termination::Limit => Err(Error::Unresolved { status: Status::Limit }),
        Termination::Unsolved => Err(Error::Unresolved { status: Status::Unsolved }),
    }
}

/// Implicit steps.
fn in_steps(settings: &Settings, problem: &Problem, path: &Path) -> Script {
    let mut script = Script::affine();
    let mut velocity = problem.free_contact_velocity();
    for step in &path.steps {
        let rule = |contact: usize| Rule::Step(step.increments[contact]);
        let solved = (&velocity, &step.impulse);
        script.piece(modes::piece(problem, settings.directions, solved, rule));
        velocity += problem.delassus() * &step.impulse;
    }
    inelastic(problem, &mut script);
    script
}

/// With restitution at a contact that has none, the law follows other pieces.
fn inelastic(problem: &Problem, script: &mut Script) {
    for (contact, data) in problem.contacts().iter().enumerate() {
        if data.restitution == 0.0 {
            script.check(Check::Inelastic(contact));
        }
    }
}

/// The pieces of steps with restitution.
fn from_event_to_event(
    settings: &Settings,
    problem: &Problem,
    pieces: &[Recorded],
) -> Result<Script, Error> {
    let mut script = Script { items: vec![Item::Begin], is_affine: false };
    let count = problem.contacts().len();
    for recorded in pieces {
        if recorded.begins {
            script.items.push(Item::BeginStep);
        }
        let mut piece = Piece::of_none(count, recorded.impulse.clone());
        piece.length = recorded.length;
        for contact in 0..count {
            let row = problem.rows(contact).start;
            if problem.delassus()[(row, row)] <= 0.0 {
                continue;
            }
            let rate = recorded.increments[contact];
            let (velocity, change) = (recorded.velocity[row], recorded.change[row]);
            piece.normals[contact] = match recorded.modes[contact] {
                Mode::Pushes => Normal::Pushes(rate),
                Mode::Held if recorded.impulse[row] > 0.0 => Normal::Held(rate),
                Mode::Held | Mode::Free => Normal::Free,
            };
            if recorded.modes[contact] == Mode::Pushes {
                let compresses = velocity < 0.0 || (velocity == 0.0 && change < 0.0);
                piece.stores[contact] = if compresses { Store::Compresses } else { Store::Expands };
            }
            if piece.normals[contact] != Normal::Free {
                piece.tangents[contact] = tangent(settings, problem, contact, recorded);
            }
        }
        piece.end = end(settings, problem, &piece, recorded);
        script.piece(piece);
    }
    for contact in 0..count {
        script.check(Check::Separates(contact));
    }
    inelastic(problem, &mut script);
    Ok(script)
}

/// The slip of a contact after a part of a piece.
fn slip(problem: &Problem, contact: usize, recorded: &Recorded, part: f64) -> [f64; 2] {
    let mut slip = [0.0; 2];
    for (entry, row) in slip.iter_mut().zip(problem.rows(contact).skip(1)) {
        *entry = recorded.velocity[row] + part * recorded.change[row];
    }
    slip
}

fn largest(velocity: &DVector<f64>, change: &DVector<f64>) -> f64 {
    velocity.amax().max(change.amax())
}

fn tangent(settings: &Settings, problem: &Problem, contact: usize, recorded: &Recorded) -> Tangent {
    let rows = problem.rows(contact);
    let w = problem.delassus();
    let tangents = rows.len() - 1;
    let own = rows.skip(1).map(|row| w[(row, row)]).fold(0.0, f64::max);
    if tangents == 0 || own <= 0.0 {
        return Tangent::None;
    }
    let of = if tangents == 1 { 2 } else { settings.directions };
    let middle = slip(problem, contact, recorded, 0.5);
    let rest = REST * largest(&recorded.velocity, &recorded.change);
    let friction = problem.contacts()[contact].friction;
    if friction == 0.0 {
        return Tangent::Smooth;
    }
    if middle[0].hypot(middle[1]) <= rest {
        return Tangent::Sticks(of);
    }
    let along = |index: usize| {
        let d = direction(index, of);
        d[0] * middle[0] + d[1] * middle[1]
    };
    let first = (0..of).min_by(|a, b| along(*a).total_cmp(&along(*b))).unwrap_or(0);
    if tangents == 1 {
        return Tangent::Vertex(first, of);
    }
    let (after, before) = ((first + 1) % of, (first + of - 1) % of);
    for (next, edge) in [(after, first), (before, before)] {
        if along(next) - along(first) <= rest {
            return Tangent::Edge(edge, of);
        }
    }
    Tangent::Vertex(first, of)
}

fn end(settings: &Settings, problem: &Problem, piece: &Piece, recorded: &Recorded) -> End {
    match recorded.event {
        None => End::Step,
        Some(Event::Row(row)) => End::Row(row),
        Some(Event::Emptied(contact)) => End::Emptied(contact),
        Some(Event::Slip(row)) => {
            let contact = (0..piece.normals.len()).find(|k| problem.rows(*k).contains(&row));
            let contact = contact.unwrap_or(0);
            let vector = slip(problem, contact, recorded, 0.0);
            End::Stop { contact, vector }
        }
        Some(Event::Other) => turn(settings, problem, piece, recorded).unwrap_or(End::Step),
    }
}

/// The contact and the directions between which the slip is at the end of a piece.
fn turn(settings: &Settings, problem: &Problem, piece: &Piece, recorded: &Recorded) -> Option<End> {
    let of = settings.directions;
    let mut best: Option<(f64, End)> = None;
    for (contact, tangent) in piece.tangents.iter().enumerate() {
        let from = match *tangent {
            Tangent::Vertex(from, _) | Tangent::Edge(from, _) => from,
            _ => continue,
        };
        if problem.rows(contact).len() != 3 {
            continue;
        }
        let also = match *tangent {
            Tangent::Edge(from, _) => Some((from + 1) % of),
            _ => None,
        };
        let after = slip(problem, contact, recorded, 1.0);
        let along = |index: usize| {
            let d = direction(index, of);
            d[0] * after[0] + d[1] * after[1]
        };
        for to in (0..of).filter(|to| *to != from && Some(*to) != also) {
            let gap = (along(to) - along(from)).abs();
            if best.is_none_or(|(least, _)| gap < least) {
                best = Some((gap, End::Turn { contact, from, to, of }));
            }
        }
    }
    best.map(|(_, end)| end)
}
