//! What was found at the last positions: [`Answers`].

use nalgebra::Isometry3;
use percussion_dynamics::{ContactName, same_bits};

use crate::{contact::Found, reach::Reach};

/// Number of positions that a step comes back to: its start, a point where its contacts are evaluated, and its end, once with the
/// contacts expected and once with those found.
const POSITIONS: usize = 4;

/// The last searches.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answers {
    answers: [Answer; POSITIONS],
    /// The oldest of them.
    oldest: usize,
}

/// What was found at one position.
#[derive(Clone, Debug, Default)]
struct Answer {
    /// Empty before the first answer.
    coordinates: Vec<f64>,
    /// The poses of the bodies on which it depends, how far they look (m), and the proximity (m).
    bodies: Vec<(Isometry3<f64>, f64)>,
    proximity: f64,
    /// Sorted by name.
    found: Vec<Found>,
}

impl Answers {
    /// A contact that was found at these coordinates.
    pub(crate) fn known(&self, coordinates: &[f64], name: &ContactName) -> Option<&Found> {
        let is_there = |answer: &&Answer| same_bits(&answer.coordinates, coordinates);
        self.answers.iter().filter(is_there).find_map(|answer| {
            let place = answer.found.binary_search_by_key(name, |found| found.id.name());
            place.ok().map(|place| &answer.found[place])
        })
    }

    /// What is found at `coordinates`, if it is known: one of the last searches looked as far, and the bodies `moving` had the same
    /// poses. It depends on no other body.
    pub(crate) fn again(
        &mut self,
        coordinates: &[f64],
        (bodies, moving): (&[Isometry3<f64>], &[usize]),
        reach: &Reach<'_>,
    ) -> Option<&[Found]> {
        let is_same = |answer: &Answer| {
            let own = moving.iter().map(|&body| (bodies[body], reach.of_body(body)));
            answer.proximity.to_bits() == reach.proximity.to_bits()
                && !answer.coordinates.is_empty()
                && own.eq(answer.bodies.iter().copied())
        };
        let from = self.answers.iter().position(is_same)?;
        if same_bits(&self.answers[from].coordinates, coordinates) {
            return Some(&self.answers[from].found);
        }
        let to = self.take_oldest(coordinates);
        if let Ok([from, to]) = self.answers.get_disjoint_mut([from, to]) {
            to.proximity = from.proximity;
            to.bodies.clone_from(&from.bodies);
            to.found.clone_from(&from.found);
        }
        Some(&self.answers[to].found)
    }

    /// Keeps what was `found` there, sorted by name, and hands back other memory.
    pub(crate) fn keep(
        &mut self,
        coordinates: &[f64],
        (bodies, moving): (&[Isometry3<f64>], &[usize]),
        reach: &Reach<'_>,
        found: &mut Vec<Found>,
    ) {
        let to = self.take_oldest(coordinates);
        let answer = &mut self.answers[to];
        answer.bodies.clear();
        answer.bodies.extend(moving.iter().map(|&body| (bodies[body], reach.of_body(body))));
        answer.proximity = reach.proximity;
        std::mem::swap(&mut answer.found, found);
    }

    /// The oldest answer becomes that of these coordinates.
    fn take_oldest(&mut self, coordinates: &[f64]) -> usize {
        let oldest = self.oldest;
        self.oldest = (oldest + 1) % POSITIONS;
        let own = &mut self.answers[oldest].coordinates;
        own.clear();
        own.extend_from_slice(coordinates);
        oldest
    }
}
