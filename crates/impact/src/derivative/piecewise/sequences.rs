//! Laws that resolve one contact after another.

use super::{
    Error, Piecewise, resolved,
    script::{Arc, Check, End, Item, Normal, Piece, Returns, Script, Store, Tangent},
    simultaneous::impulses,
};
use crate::{
    Problem,
    propagative::{self, Propagative},
    sequential::{Order, Sequential},
};

impl<L: Piecewise> Piecewise for Sequential<L> {
    fn script(&self, problem: &Problem) -> Result<Script, Error> {
        let outcome = resolved(self, problem)?;
        let mut script = Script::affine();
        let mut velocity = problem.free_velocity();
        let mut last = None;
        for stage in &outcome.trace.stages {
            let Some(contact) = stage.contact else { continue };
            turn(problem, &self.order, (contact, last), &velocity, &mut script);
            let single =
                problem.contact_problem(contact).and_then(|one| one.with_velocity(velocity));
            let single = single.map_err(crate::Error::from)?;
            let inner = self.inner.script(&single)?;
            script.is_affine &= inner.is_affine;
            let items = inner.items.into_iter();
            script.items.extend(items.map(|item| embedded(problem, contact, item)));
            velocity = stage.velocity.clone();
            last = Some(contact);
        }
        for contact in 0..problem.contacts().len() {
            script.check(Check::Separates(contact));
        }
        Ok(script)
    }
}

/// The checks that `contact` comes next.
fn turn(
    problem: &Problem,
    order: &Order,
    (contact, last): (usize, Option<usize>),
    velocity: &nalgebra::DVector<f64>,
    script: &mut Script,
) {
    let count = problem.contacts().len();
    let speeds = problem.movable_contact_velocity(velocity);
    script.check(Check::Approaches(contact));
    let cycle: Vec<usize> = match order {
        Order::Fastest => {
            for other in (0..count).filter(|other| *other != contact) {
                if speeds[problem.rows(other).start] < 0.0 {
                    let contacts = [contact, other];
                    script.check(Check::Faster { contacts, weights: [1.0, 1.0] });
                }
            }
            return;
        }
        Order::Index => (0..count).collect(),
        Order::Cycle(order) => order.clone(),
    };
    let place = |k: usize| cycle.iter().position(|entry| *entry == k);
    let first = last.and_then(place).map_or(0, |place| place + 1);
    for skipped in (0..count).map(|turn| cycle[(first + turn) % count]) {
        if skipped == contact {
            break;
        }
        script.check(Check::Separates(skipped));
    }
}

/// A piece of an impact at one contact among all contacts.
fn embedded(problem: &Problem, contact: usize, item: Item) -> Item {
    let rows = problem.rows(contact);
    let first = rows.start;
    let end = |end: End| match end {
        End::Whole => End::Whole,
        End::Step => End::Step,
        End::Row(row) => End::Row(first + row),
        End::Emptied(_) => End::Emptied(contact),
        End::Rebound(_) => End::Rebound(contact),
        End::Returned(_) => End::Returned(contact),
        End::Stop { vector, .. } => End::Stop { contact, vector },
        End::Turn { from, to, of, .. } => End::Turn { contact, from, to, of },
        End::Complete => End::Complete,
        End::Closest(_) => End::Closest(contact),
        End::Turned(_, limits) => End::Turned(contact, limits),
    };
    let piece = |single: &Piece| {
        let count = problem.contacts().len();
        let none = nalgebra::DVector::zeros(problem.contact_jacobian().nrows());
        let mut piece = Piece::of_none(count, none);
        piece.impulse.rows_mut(rows.start, rows.len()).copy_from(&single.impulse);
        piece.normals[contact] = single.normals[0];
        piece.tangents[contact] = single.tangents[0];
        piece.stores[contact] = single.stores[0];
        piece.length = single.length;
        piece.end = end(single.end);
        Box::new(piece)
    };
    match item {
        Item::Begin => Item::Begin,
        Item::BeginStep => Item::BeginStep,
        Item::BeginRound(returns) => {
            let mut all = vec![Returns::Constant(0.0); problem.contacts().len()];
            all[contact] = returns[0];
            Item::BeginRound(all)
        }
        Item::Piece(single) => Item::Piece(piece(&single)),
        Item::Arc(Arc { store, end: at, .. }) => Item::Arc(Arc { contact, store, end: end(at) }),
        Item::Blend { part, piece: single } => Item::Blend { part, piece: piece(&single) },
        Item::Check(check) => Item::Check(match check {
            Check::Approaches(_) => Check::Approaches(contact),
            Check::ApproachesBelow(_, speed) => Check::ApproachesBelow(contact, speed),
            Check::ApproachesAbove(_, speed) => Check::ApproachesAbove(contact, speed),
            Check::Separates(_) => Check::Separates(contact),
            Check::Inelastic(_) => Check::Inelastic(contact),
            Check::Faster { weights, .. } => Check::Faster { contacts: [contact; 2], weights },
            Check::FasterInEnergy { .. } => Check::FasterInEnergy { contacts: [contact; 2] },
        }),
    }
}

impl Piecewise for Propagative {
    /// Contacts with one normal count as one, so that the derivative is that along changes that keep them so.
    fn script(&self, problem: &Problem) -> Result<Script, Error> {
        let outcome = resolved(self, problem)?;
        let mut script = Script::affine();
        let count = problem.contacts().len();
        let plastic = outcome.trace.stages.last().is_some_and(|stage| stage.contact.is_none());
        let mut velocity = problem.free_velocity();
        let mut last = None;
        for stage in &outcome.trace.stages {
            let Some(contact) = stage.contact else { continue };
            self.turn(problem, (contact, last), &velocity, &mut script)?;
            let row = problem.rows(contact).start;
            let mut piece = Piece::of_none(count, 0.0 * impulses(&outcome));
            piece.normals[contact] = Normal::Mirrors;
            let speed = problem.movable_contact_velocity(&velocity)[row];
            piece.impulse[row] = -2.0 * speed / problem.delassus()[(row, row)];
            script.piece(piece);
            velocity = stage.velocity.clone();
            last = Some(contact);
        }
        for contact in 0..count {
            script.check(Check::Separates(contact));
        }
        if plastic && self.restitution < 1.0 {
            let mut piece = Piece::of_none(count, impulses(&outcome));
            piece.normals.fill(Normal::Stops);
            piece.tangents.fill(Tangent::None);
            piece.stores.fill(Store::Nothing);
            script.items.push(Item::Blend { part: self.restitution, piece: Box::new(piece) });
        }
        Ok(script)
    }
}

impl Propagative {
    fn turn(
        &self,
        problem: &Problem,
        (contact, last): (usize, Option<usize>),
        velocity: &nalgebra::DVector<f64>,
        script: &mut Script,
    ) -> Result<(), Error> {
        let count = problem.contacts().len();
        let speeds = problem.movable_contact_velocity(velocity);
        script.check(Check::Approaches(contact));
        let round: Vec<usize> = match &self.order {
            propagative::Order::MostApproached | propagative::Order::LeastApproached => {
                let most = self.order == propagative::Order::MostApproached;
                for other in (0..count).filter(|other| *other != contact) {
                    if speeds[problem.rows(other).start] < 0.0 {
                        let contacts = if most { [contact, other] } else { [other, contact] };
                        script.check(Check::FasterInEnergy { contacts });
                    }
                }
                return Ok(());
            }
            propagative::Order::Index => (0..count).collect(),
            propagative::Order::Fixed(order) => order.clone(),
            #[cfg(feature = "sets")]
            propagative::Order::Random(_) => {
                let what = "a random order, whose draws depend on how many contacts approach";
                return Err(Error::Unsupported { law: crate::Law::name(self), what });
            }
        };
        let place = |k: usize| round.iter().position(|entry| *entry == k);
        let first = last.and_then(place).map_or(0, |place| place + 1);
        for skipped in (0..count).map(|turn| round[(first + turn) % count]) {
            if skipped == contact {
                break;
            }
            script.check(Check::Separates(skipped));
        }
        Ok(())
    }
}
