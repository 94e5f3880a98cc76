//! The increments of the samples: independent pseudo-random numbers, or a low-discrepancy sequence.
//!
//! # Source
//!
//! D. J. Bernstein, "`ChaCha`, a variant of Salsa20", *Workshop Record of SASC* 2008.

use std::sync::Arc;

use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};

use super::sobol::{self, Sobol};
use crate::law::Error;

/// Source of the increments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Draws {
    /// `ChaCha8` with the seed as key and the index of the sample as stream; each number takes 53 bits.
    #[default]
    Random,
    /// Points of a Sobol sequence, scrambled by the seed, with a dimension for each contact and step: at
    /// most 256. They fill the box of all increments more evenly, most evenly when their number is a power of
    /// two.
    Sobol,
}

/// Numbers in `(0, 1]` for one sample after another.
#[derive(Clone, Debug)]
pub(super) struct Source {
    random: ChaCha8Rng,
    /// For the choices among solutions.
    choices: ChaCha8Rng,
    /// Shared by the clones; `None` for pseudo-random numbers.
    sobol: Option<Arc<Sobol>>,
    /// Current sample, and the next dimension.
    index: u64,
    dimension: usize,
}

/// Word of a stream at which the factors of covering vectors start, beyond all increments.
const COVERING: u128 = 1 << 60;

/// Word of a stream at which the choices among solutions start, beyond all covering vectors.
const CHOICES: u128 = 1 << 61;

impl Source {
    /// # Errors
    ///
    /// When a Sobol sequence does not have that many dimensions.
    pub(super) fn new(draws: Draws, seed: u64, dimensions: usize) -> Result<Self, Error> {
        let sobol = match draws {
            Draws::Random => None,
            Draws::Sobol if dimensions <= sobol::DIMENSIONS => {
                Some(Arc::new(Sobol::new(dimensions, seed)))
            }
            Draws::Sobol => {
                let limit = sobol::DIMENSIONS;
                return Err(Error::Dimensions { found: dimensions, limit });
            }
        };
        let random = ChaCha8Rng::seed_from_u64(seed);
        Ok(Self { choices: random.clone(), random, sobol, index: 0, dimension: 0 })
    }

    /// Moves to the start of the numbers for the covering vector of the sample `index`.
    pub(super) fn seek_covering(&mut self, index: u64) {
        self.random.set_stream(index);
        self.random.set_word_pos(COVERING);
    }

    /// The next number for the covering vector.
    pub(super) fn next_of_covering(&mut self) -> f64 {
        uniform(self.random.next_u64() >> 11)
    }

    /// Moves to the start of the increments of the sample `index`.
    pub(super) fn seek(&mut self, index: u64) {
        (self.index, self.dimension) = (index, 0);
        if self.sobol.is_none() {
            self.random.set_stream(index);
            self.random.set_word_pos(0);
        }
    }

    /// Moves to the start of the numbers for the choices of the sample `index`.
    pub(super) fn seek_choices(&mut self, index: u64) {
        self.choices.set_stream(index);
        self.choices.set_word_pos(CHOICES);
    }

    /// The next number for a choice among solutions.
    pub(super) fn next_of_choices(&mut self) -> f64 {
        uniform(self.choices.next_u64() >> 11)
    }

    /// The next increment.
    pub(super) fn next(&mut self) -> f64 {
        let Some(sobol) = &self.sobol else { return uniform(self.random.next_u64() >> 11) };
        self.dimension += 1;
        uniform(sobol.bits(self.index, self.dimension - 1))
    }
}

/// 53 bits as a number in `(0, 1]`.
fn uniform(bits: u64) -> f64 {
    (bits + 1) as f64 / (1_u64 << 53) as f64
}
