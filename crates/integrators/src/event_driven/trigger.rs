//! Events of single contacts and joints, and the quantities that become negative with them.

use super::{
    geometry::Geometry,
    hold::{Grip, Held, Hold},
    joints,
    modes::violation,
    settings::Resolved,
};
use crate::model::State;

/// An event that ends a phase.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Trigger {
    /// The gap of an open contact falls to this value (m).
    Closes(usize, f64),
    /// The features of a carrying contact have moved away from each other.
    Vanishes(usize),
    /// The force of a carrying contact leaves its mode by more than this (N).
    Leaves(usize, f64),
    /// The slip of a sliding contact falls below this value in its direction (m/s).
    Turns(usize, f64),
    /// The friction of a joint at rest exceeds this value (N).
    Slips(usize, f64),
    /// The velocity of a turning joint falls below this value in its direction (m/s).
    Stops(usize, f64),
}

impl Trigger {
    /// Whether it is an event of the same kind of the same contact.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Closes(a, _), Self::Closes(b, _))
            | (Self::Vanishes(a), Self::Vanishes(b))
            | (Self::Leaves(a, _), Self::Leaves(b, _))
            | (Self::Turns(a, _), Self::Turns(b, _))
            | (Self::Slips(a, _), Self::Slips(b, _))
            | (Self::Stops(a, _), Self::Stops(b, _)) => a == b,
            _ => false,
        }
    }
}

/// A phase, with its contacts located at a state.
#[derive(Clone, Copy)]
pub(super) struct Phase<'a, 'm> {
    pub(super) geometry: &'a Geometry<'m>,
    pub(super) hold: &'a Hold,
    pub(super) settings: &'a Resolved,
    /// Gaps at which the phase ends although an open contact closes slowly (m).
    pub(super) floors: &'a [f64],
    /// Slips at the beginning, where they are backward (≤ 0, m/s), in the order of the carrying contacts.
    pub(super) backward: &'a [f64],
    /// The same of turning joints.
    pub(super) reverse: &'a [f64],
}

impl Phase<'_, '_> {
    /// The event of the first contact or joint that has one at `state`, with the forces there.
    pub(super) fn trigger(&self, state: &State, held: &Held) -> Option<Trigger> {
        let Self { geometry, hold, .. } = self;
        let of_contact = |contact: usize| match hold.grip(contact) {
            None => self.closes(state, contact),
            Some(_) if geometry.gaps[contact] == f64::INFINITY => Some(Trigger::Vanishes(contact)),
            Some(grip) => self.leaves(state, held, contact).or_else(|| match grip {
                Grip::Slide(along) => self.turns(state, contact, along),
                Grip::Stick => None,
            }),
        };
        let first = (0..geometry.gaps.len()).find_map(of_contact);
        first
            .or_else(|| hold.resting().find_map(|joint| self.slips(state, held, joint)))
            .or_else(|| self.stops(state))
    }

    fn slips(&self, state: &State, held: &Held, joint: usize) -> Option<Trigger> {
        let Self { geometry, settings, .. } = self;
        let excess = joints::excess(geometry, held, joint);
        if excess <= 0.0 {
            return None;
        }
        let accepted = settings.acceleration_tolerance
            / joints::inverse_mass(geometry, &state.coordinates, joint);
        (excess > accepted)
            .then_some(Trigger::Slips(joint, geometry.joints[joint].bound + accepted))
    }

    fn stops(&self, state: &State) -> Option<Trigger> {
        let Self { geometry, hold, settings, reverse, .. } = self;
        hold.turning.iter().zip(*reverse).find_map(|(&(joint, sign), begun)| {
            let least = begun - settings.velocity_tolerance;
            let forward = sign * geometry.rate(joint, &state.velocity);
            (forward < least).then_some(Trigger::Stops(joint, least))
        })
    }

    fn closes(&self, state: &State, contact: usize) -> Option<Trigger> {
        let Self { geometry, settings, floors, .. } = self;
        let gap = geometry.gaps[contact];
        let closing = geometry.normal_speed(contact, &state.velocity);
        let floor = floors.get(contact).copied().unwrap_or(-settings.gap_tolerance);
        if gap <= 0.0 && closing < -settings.velocity_tolerance {
            return Some(Trigger::Closes(contact, 0.0));
        }
        (gap < floor).then_some(Trigger::Closes(contact, floor))
    }

    fn leaves(&self, state: &State, held: &Held, contact: usize) -> Option<Trigger> {
        let Self { geometry, hold, settings, .. } = self;
        let excess = violation(geometry, hold, held, contact);
        if excess <= 0.0 {
            return None;
        }
        let row = geometry.rows.rows(geometry.first_row(contact), 1).into_owned();
        let response = geometry.divide(&state.coordinates, row.transpose());
        let inverse_mass = (row * response)[(0, 0)];
        let accepted = settings.acceleration_tolerance;
        (excess * inverse_mass > accepted)
            .then_some(Trigger::Leaves(contact, accepted / inverse_mass))
    }

    fn turns(&self, state: &State, contact: usize, along: [f64; 2]) -> Option<Trigger> {
        let Self { geometry, hold, settings, backward, .. } = self;
        let index = hold.carried.iter().position(|(carried, _)| *carried == contact);
        let begun = index.and_then(|index| backward.get(index)).copied().unwrap_or_default();
        let least = begun - settings.velocity_tolerance;
        let forward = geometry.slip_along(contact, &state.velocity, along);
        (forward < least).then_some(Trigger::Turns(contact, least))
    }

    /// The quantity that an event makes negative, with the forces at the state.
    pub(super) fn margin(&self, trigger: Trigger, velocity: &[f64], held: &Held) -> Option<f64> {
        let Self { geometry, hold, .. } = self;
        match trigger {
            Trigger::Closes(contact, floor) => Some(geometry.gaps[contact] - floor),
            Trigger::Vanishes(_) => None,
            Trigger::Leaves(contact, accepted) => {
                Some(accepted - violation(geometry, hold, held, contact))
            }
            Trigger::Turns(contact, least) => match hold.grip(contact) {
                Some(Grip::Slide(along)) => {
                    Some(geometry.slip_along(contact, velocity, along) - least)
                }
                _ => None,
            },
            Trigger::Slips(joint, accepted) => Some(accepted - held.friction[joint].abs()),
            Trigger::Stops(joint, least) => {
                hold.turn(joint).map(|sign| sign * geometry.rate(joint, velocity) - least)
            }
        }
    }
}
