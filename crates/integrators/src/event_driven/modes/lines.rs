//! The equations of a decision: which contacts and joints hold.

use super::{
    Answer, Answers, Closed, MARGIN,
    friction::Friction,
    joints::{Joints, Turn},
};
use crate::event_driven::{
    geometry::{Geometry, Independent, Moment},
    hold::{Grip, Hold, Line, axes, line_row},
    report::Mode,
    settings::Resolved,
};

/// The lines of the contacts and joints that hold according to the answers: no more than determine the forces.
///
/// With `resting` also the normals of contacts that carry nothing and stay closed. Two feet of a table may carry it, and nothing but
/// rounding decides on which of the others it tilts.
pub(super) fn hold(
    geometry: &Geometry<'_>,
    settings: &Resolved,
    moment: &Moment<'_>,
    ((closed, joints, answers), resting): ((&[Closed], &Joints, &Answers), bool),
    modes: &mut [Mode],
) -> Hold {
    let zero = MARGIN * settings.acceleration_tolerance;
    let independent = Independent::new(geometry, moment.coordinates);
    let mut lines = Lines { geometry, independent, hold: Hold::default(), zero };
    for row in 0..geometry.ties {
        lines.add(Line::Tie(row));
    }
    let sticking = lines.press(settings, (closed, &answers.contacts), modes);
    // First joints and directions in which friction acts below its bound, then all other free directions.
    let at_bound = lines.turn(joints.turns(geometry, &answers.joints, zero));
    lines.stick(&sticking);
    for (joint, sign) in at_bound {
        // Where others hold it, its friction stays at the bound.
        if !lines.add(Line::Joint(joint)) {
            lines.hold.turning.push((joint, sign));
        }
    }
    if resting {
        lines.rest(closed, modes);
    }
    lines.hold
}

/// A closed contact that does not slide, with its answer.
type Sticking<'a> = (&'a Closed, &'a Answer);

/// The lines so far.
struct Lines<'g, 'm> {
    geometry: &'g Geometry<'m>,
    independent: Independent,
    hold: Hold,
    /// Accelerations up to this are none (m/s²).
    zero: f64,
}

impl Lines<'_, '_> {
    /// Adds a line if it does not depend on those so far, and returns whether it did.
    fn add(&mut self, line: Line) -> bool {
        let taken = self.independent.take(&line_row(self.geometry, &line));
        if taken {
            self.hold.lines.push(line);
        }
        taken
    }

    /// Adds the normals of contacts that press, and the friction of those that slide; returns the others.
    fn press<'a>(
        &mut self,
        settings: &Resolved,
        (closed, answers): (&'a [Closed], &'a [Answer]),
        modes: &mut [Mode],
    ) -> Vec<Sticking<'a>> {
        let zero = self.zero;
        let mut sticking = Vec::new();
        for (closed, answer) in closed.iter().zip(answers) {
            let contact = closed.contact;
            // A contact that has sunk is held by the small force it carries; otherwise the tolerance would let it
            // sink further.
            let has_sunk = self.geometry.gaps[contact] < -settings.gap_tolerance;
            let least = if has_sunk { 0.0 } else { zero };
            if answer.normal * closed.inverse_mass <= least {
                let opens = answer.normal_acceleration > zero;
                modes[contact] = if opens { Mode::Open } else { Mode::Touching };
                continue;
            }
            if !self.add(Line::Normal(contact)) {
                modes[contact] = Mode::Touching;
                continue;
            }
            let [a, b] = answer.slip_acceleration;
            let onset = a.hypot(b);
            let slide = match closed.friction {
                Friction::Along(d) | Friction::Onset(d) => Some(d),
                Friction::Polygon if onset > zero => Some([a / onset, b / onset]),
                Friction::Polygon | Friction::Hold => None,
            };
            modes[contact] = if slide.is_some() { Mode::Sliding } else { Mode::Sticking };
            match slide {
                Some(along) => self.hold.carried.push((contact, Grip::Slide(along))),
                None => sticking.push((closed, answer)),
            }
        }
        sticking
    }

    /// Adds the joints that turn or rest; returns those at rest with friction just at its bound.
    fn turn(&mut self, turns: Vec<(usize, Turn)>) -> Vec<(usize, f64)> {
        let mut at_bound = Vec::new();
        for (joint, turn) in turns {
            match turn {
                Turn::Turns(sign) => self.hold.turning.push((joint, sign)),
                Turn::Rests => {
                    self.add(Line::Joint(joint));
                }
                Turn::AtBound(sign) => at_bound.push((joint, sign)),
            }
        }
        at_bound
    }

    /// Adds the tangents of sticking contacts, first those in which friction acts below its bound.
    fn stick(&mut self, sticking: &[Sticking<'_>]) {
        let geometry = self.geometry;
        let mut sticking = sticking.to_vec();
        let bound = |(closed, answer): &Sticking<'_>| {
            let friction = geometry.contacts.as_slice()[closed.contact].friction;
            let force = answer.tangent[0].hypot(answer.tangent[1]);
            let excess = (force - friction * answer.normal) * closed.inverse_mass;
            (force, excess > -self.zero)
        };
        sticking.sort_by_key(|entry| bound(entry).1);
        let bounds: Vec<_> = sticking.iter().map(bound).collect();
        for ((closed, answer), &(force, at_bound)) in sticking.iter().zip(&bounds) {
            if !at_bound && force * closed.inverse_mass > self.zero {
                let direction = answer.tangent.map(|f| f / force);
                self.add(Line::Tangent(closed.contact, direction));
            }
        }
        for ((closed, answer), (force, at_bound)) in sticking.into_iter().zip(bounds) {
            let contact = closed.contact;
            let along = (at_bound && force > 0.0).then(|| answer.tangent.map(|f| f / force));
            // Others hold it in the direction of its friction, which stays at its bound.
            let saturated = along.filter(|d| !self.add(Line::Tangent(contact, *d)));
            match saturated {
                Some([a, b]) if geometry.components == 3 => {
                    self.add(Line::Tangent(contact, [-b, a]));
                }
                Some(_) => {}
                None => {
                    for direction in axes(geometry.components) {
                        self.add(Line::Tangent(contact, direction));
                    }
                }
            }
            let grip = saturated.map_or(Grip::Stick, |d| Grip::Slide(d.map(|d| -d)));
            self.hold.carried.push((contact, grip));
        }
    }

    /// Adds the normals of contacts that carry nothing and stay closed.
    fn rest(&mut self, closed: &[Closed], modes: &[Mode]) {
        for &Closed { contact, friction, .. } in closed {
            let rests = modes[contact] == Mode::Touching && self.hold.grip(contact).is_none();
            if rests && self.add(Line::Normal(contact)) {
                let grip = match friction {
                    Friction::Along(d) | Friction::Onset(d) => Grip::Slide(d),
                    Friction::Polygon | Friction::Hold => Grip::Stick,
                };
                self.hold.carried.push((contact, grip));
            }
        }
    }
}
