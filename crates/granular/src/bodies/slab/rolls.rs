//! Moments that resist rolling and spinning at contacts of balls: [`Roll`].
//!
//! The law is that of [`rolling`](crate::rolling): the part of the moment across the normal is at most `μ_ρ p_n`, that along it
//! `μ_τ p_n`, and each opposes what is left of its motion. A clump has a moment at each of its balls that touches something.
//! A body that is no ball has the block `W = I_1^{-1} + I_2^{-1}`, which is no multiple of the identity. A moment that holds is
//! found by `W^{-1}`; beyond its bounds a sweep makes a step of the projected gradient, by an upper bound `w` of `W`:
//!
//! ```math
//! L \leftarrow \Pi\bigl(L - \omega/w\bigr).
//! ```
//!
//! Both end where the law holds. Contacts of parts with flat faces have no moments: it is the several points of a face that
//! keep a body from rolling.

use nalgebra::{Matrix3, Vector3};
use percussion_collision::Shape;

use super::{Slab, Stand, Start, bounce::interaction, name_of};
use crate::{
    bodies::{
        contact::{Contact, Motion, NO_BODY},
        memory::{Kept, Walk},
        packs::{Packs, Seat},
        twist::Twist,
    },
    contact::{Account, larger},
    materials::Interaction,
    rolling::{bounded, natural},
};

/// The moment of a contact.
#[derive(Clone, Debug)]
pub(super) struct Roll {
    /// Number of the contact, and where its impulse is.
    pub(super) contact: u32,
    seat: Seat,
    /// Bodies as those of the contact.
    bodies: [u32; 2],
    normal: Vector3<f64>,
    /// Angular velocity of the wall (rad/s).
    drive: Vector3<f64>,
    /// `μ_ρ` and `μ_τ` (m).
    bounds: [f64; 2],
    /// On body 1 (N·m·s).
    pub(super) moment: Vector3<f64>,
    /// `I⁻¹` of both bodies (1/(kg·m²)).
    yields: [Matrix3<f64>; 2],
    /// `W⁻¹` (kg·m²).
    inverse: Matrix3<f64>,
    /// `w` (1/(kg·m²)).
    most: f64,
}

impl Roll {
    /// Of a contact with this interaction, and the angular velocity of its wall.
    fn new(
        (number, seat, contact): (u32, Seat, &Contact),
        interaction: &Interaction,
        (motions, drive): (&[Motion], Vector3<f64>),
    ) -> Option<Self> {
        let bodies = contact.bodies;
        let yields = bodies.map(|body| match body {
            NO_BODY => Matrix3::zeros(),
            body => {
                let [_, xx, xy, xz, yy, yz, zz, _] = motions[body as usize].yielding.0;
                Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
            }
        });
        let block = yields[0] + yields[1];
        // No eigenvalue is larger than the largest sum over a row.
        let most = block.row_iter().map(|row| row.abs().sum()).fold(0.0, f64::max);
        let inverse = (block / most).try_inverse()? / most;
        let bounds = [interaction.rolling, interaction.spinning];
        let (normal, moment) = (contact.normal.normalize(), Vector3::zeros());
        Some(Self {
            contact: number,
            seat,
            bodies,
            normal,
            drive,
            bounds,
            moment,
            yields,
            inverse,
            most,
        })
    }

    /// The bounds with this impulse along the normal (N·s).
    fn limits(&self, packs: &Packs) -> [f64; 2] {
        let push = packs.push_at(self.seat);
        self.bounds.map(|bound| bound * push)
    }

    fn velocity(&self, motions: &[Motion]) -> Vector3<f64> {
        let of = |body: u32| match body {
            NO_BODY => self.drive,
            body => motions[body as usize].twist.angular(),
        };
        of(self.bodies[0]) - of(self.bodies[1])
    }

    fn apply(&self, change: &Vector3<f64>, motions: &mut [Motion]) {
        for (k, sign) in [(0, 1.0), (1, -1.0)] {
            if self.bodies[k] != NO_BODY {
                let twist = &mut motions[self.bodies[k] as usize].twist;
                let spin = twist.angular() + sign * (self.yields[k] * change);
                *twist = Twist::new(twist.linear(), spin);
            }
        }
    }

    /// Solves the moment with all others fixed, and returns the square of its change as a velocity (m/s)².
    fn sweep(&mut self, packs: &Packs, motions: &mut [Motion]) -> f64 {
        let (limits, velocity) = (self.limits(packs), self.velocity(motions));
        let holding = self.moment - self.inverse * velocity;
        let solved = match bounded(&holding, &self.normal, limits) {
            held if held == holding => held,
            _ => bounded(&(self.moment - velocity / self.most), &self.normal, limits),
        };
        let change = solved - self.moment;
        self.moment = solved;
        if change != Vector3::zeros() {
            self.apply(&change, motions);
        }
        natural(&change, &self.normal, self.bounds) * self.most * self.most
    }

    /// Adds residual and work of the moment to the account.
    fn certify(&self, packs: &Packs, motions: &[Motion], account: &mut Account) {
        let (limits, velocity) = (self.limits(packs), self.velocity(motions));
        let solved = bounded(&(self.moment - velocity / self.most), &self.normal, limits);
        let wrong = natural(&(self.moment - solved), &self.normal, self.bounds).sqrt() * self.most;
        account.residual = larger(account.residual, wrong);
        account.work += self.moment.dot(&velocity);
        if self.bodies[1] == NO_BODY {
            account.wall_work += self.moment.dot(&self.drive);
        }
    }
}

/// Applies the moments carried over.
pub(super) fn warm_start(rolls: &[Roll], motions: &mut [Motion]) {
    rolls.iter().for_each(|roll| roll.apply(&roll.moment, motions));
}

/// Solves every moment in turn, or backwards, and returns the square of the largest change as a velocity (m/s)².
pub(super) fn sweep(
    rolls: &mut [Roll],
    packs: &Packs,
    motions: &mut [Motion],
    backwards: bool,
) -> f64 {
    let solve = |change, roll: &mut Roll| larger(change, roll.sweep(packs, motions));
    match backwards {
        true => rolls.iter_mut().rev().fold(0.0, solve),
        false => rolls.iter_mut().fold(0.0, solve),
    }
}

/// Evaluates the moments with the motions after them.
pub(super) fn certify(rolls: &[Roll], packs: &Packs, motions: &[Motion], account: &mut Account) {
    rolls.iter().for_each(|roll| roll.certify(packs, motions, account));
}

impl Slab {
    /// Prepares the moments of the contacts of balls, with those of the last step; the contacts are complete.
    pub(super) fn resist(&mut self, stand: &Stand<'_>, motions: &[Motion]) {
        let Stand { start, moments, .. } = stand;
        let lists = [&*self.boundary_pairs, &*self.pairs];
        let mut walk = Walk::new(&self.kept_moments);
        self.packs.list_seats(&mut self.seats, self.contacts.len());
        self.rolls.clear();
        for (number, contact) in (0..).zip(&self.contacts) {
            let Contact { pair, local, .. } = contact;
            let first = self.start;
            let Some((interaction, drive)) = resistance(start, first, lists, contact) else {
                continue;
            };
            let former = if moments.is_current {
                moments.find(&name_of(lists, start.identities, *pair, local))
            } else {
                walk.find(*pair, local)
            };
            let seat = self.seats[number as usize];
            if let Some(mut roll) =
                Roll::new((number, seat, contact), interaction, (motions, drive))
            {
                let limits = roll.limits(&self.packs);
                let former = former.copied().unwrap_or_default();
                roll.moment = bounded(&former, &roll.normal, limits);
                self.rolls.push(roll);
            }
        }
    }

    /// Stores the moments for the next step.
    pub(super) fn keep_moments(&mut self) {
        self.kept_moments.clear();
        for Roll { contact, moment, .. } in &self.rolls {
            let Contact { pair, local, .. } = self.contacts[*contact as usize];
            if *moment != Vector3::zeros() {
                self.kept_moments.push(Kept { pair, local, impulse: *moment });
            }
        }
    }
}

/// How a contact of balls that resists rolls, and the angular velocity of its wall (rad/s). `first` is the first body of the
/// slab.
fn resistance<'a>(
    start: &Start<'a>,
    first: u32,
    lists: [&[[u32; 2]]; 2],
    contact: &Contact,
) -> Option<(&'a Interaction, Vector3<f64>)> {
    let (interaction, wall) = interaction(start, lists, contact)?;
    if interaction.rolling == 0.0 && interaction.spinning == 0.0 {
        return None;
    }
    let is_ball = |(body, part): (u32, u32)| {
        let form = || &start.bodies[(first + body) as usize].form;
        body == NO_BODY
            || matches!(form().parts[part as usize].collider.shape(), Shape::Sphere { .. })
    };
    let are_balls = contact.bodies.into_iter().zip(contact.local.parts).all(is_ball);
    let drive = wall.map_or_else(Vector3::zeros, |wall| wall.angular_velocity);
    are_balls.then_some((interaction, drive))
}
