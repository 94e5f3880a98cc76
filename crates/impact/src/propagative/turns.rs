//! Selection of the next contact among those with approach.

#[cfg(feature = "sets")]
use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};

use super::{Order, mirrors::Mirrors};
use crate::law::Error;

/// State of an [`Order`].
pub(super) enum Turns {
    Most,
    Least,
    /// Cyclic order of the mirrors, and the place in the cycle that comes next.
    Round(Vec<usize>, usize),
    #[cfg(feature = "sets")]
    Random(Box<ChaCha8Rng>),
}

impl Turns {
    pub(super) fn new(order: &Order, mirrors: &Mirrors, contacts: usize) -> Result<Self, Error> {
        Ok(match order {
            Order::MostApproached => Self::Most,
            Order::LeastApproached => Self::Least,
            Order::Index => Self::Round((0..mirrors.contacts.len()).collect(), 0),
            Order::Fixed(order) => {
                let mut sorted = order.clone();
                sorted.sort_unstable();
                if !sorted.into_iter().eq(0..contacts) {
                    return Err(Error::Order { order: order.clone(), contacts });
                }
                let mut round: Vec<usize> = Vec::with_capacity(mirrors.contacts.len());
                for mirror in order.iter().filter_map(|&contact| mirrors.mirror_of[contact]) {
                    if !round.contains(&mirror) {
                        round.push(mirror);
                    }
                }
                Self::Round(round, 0)
            }
            #[cfg(feature = "sets")]
            Order::Random(seed) => Self::Random(Box::new(ChaCha8Rng::seed_from_u64(*seed))),
        })
    }

    pub(super) fn next(&mut self, mirrors: &Mirrors, state: &[f64]) -> Option<usize> {
        let approached = || mirrors.approached(state);
        let product = |k| mirrors.product(state, k);
        match self {
            Self::Most => approached().reduce(|a, b| if product(b) < product(a) { b } else { a }),
            Self::Least => approached().reduce(|a, b| if product(b) > product(a) { b } else { a }),
            Self::Round(round, place) => {
                let turns = (0..round.len()).map(|turn| (*place + turn) % round.len());
                let turn =
                    turns.into_iter().find(|&turn| mirrors.is_approached(state, round[turn]))?;
                *place = turn + 1;
                Some(round[turn])
            }
            #[cfg(feature = "sets")]
            Self::Random(random) => {
                let count = approached().count();
                if count == 0 {
                    return None;
                }
                // The bias of the remainder is below 2⁻⁵⁰ for less than 2¹⁴ contacts.
                let pick = random.next_u64() % count as u64;
                approached().nth(usize::try_from(pick).unwrap_or(0))
            }
        }
    }
}
