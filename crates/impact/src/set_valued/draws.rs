//! The increments of the samples: independent pseudo-random numbers, or a low-discrepancy sequence.
//!
//! # Source
//!
//! D. J. Bernstein, "`ChaCha`, a variant of Salsa20", *Workshop Record of SASC* 2008.

use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};
use serde::{Deserialize, Serialize};

use crate::law::Error;

/// Where the increments come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Draws {
    /// `ChaCha8` with the seed as key and the index of the sample as stream; each number takes 53 bits.
    #[default]
    Random,
    /// Points of a Sobol sequence with one dimension for each contact and step.
    Sobol,
}

/// Numbers in `(0, 1]` for one sample after another.
#[derive(Clone, Debug)]
pub(super) struct Source {
    random: ChaCha8Rng,
}

/// Word of a stream at which the factors of covering vectors start, beyond all increments.
const COVERING: u128 = 1 << 60;

impl Source {
    pub(super) fn new(draws: Draws, seed: u64, _dimensions: usize) -> Result<Self, Error> {
        match draws {
            Draws::Random => Ok(Self { random: ChaCha8Rng::seed_from_u64(seed) }),
            Draws::Sobol => Err(Error::Setting { name: "draws", value: 1.0, expected: "random" }),
        }
    }

    /// Begins the sample `index` with its covering vector.
    pub(super) fn start_covering(&mut self, index: u64) {
        self.random.set_stream(index);
        self.random.set_word_pos(COVERING);
    }

    /// Begins the increments of the sample `index`.
    pub(super) fn start(&mut self, index: u64) {
        self.random.set_stream(index);
        self.random.set_word_pos(0);
    }

    /// The next number.
    pub(super) fn next(&mut self) -> f64 {
        uniform(self.random.next_u64())
    }
}

/// 53 bits as a number in `(0, 1]`.
fn uniform(bits: u64) -> f64 {
    ((bits >> 11) + 1) as f64 / (1_u64 << 53) as f64
}
