//! The source of random choices: a seed, or the bytes of a fuzzer.

use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};

/// A stream of choices.
///
/// Bytes are used eight at a time, so that a fuzzer that changes a byte changes one choice. After the last
/// byte a generator that is seeded by them continues.
#[derive(Debug)]
pub struct Source<'a> {
    bytes: &'a [u8],
    generator: ChaCha8Rng,
}

impl Source<'static> {
    /// The choices of case number `index` of a target, the same for any number of threads.
    #[must_use]
    pub fn seeded(seed: u64, target: &str, index: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..16].copy_from_slice(&index.to_le_bytes());
        key[16..24].copy_from_slice(&hash(target.as_bytes()).to_le_bytes());
        Self { bytes: &[], generator: ChaCha8Rng::from_seed(key) }
    }
}

impl<'a> Source<'a> {
    /// The choices given by `bytes`.
    #[must_use]
    pub fn from_bytes(bytes: &'a [u8]) -> Self {
        Self { bytes, generator: ChaCha8Rng::seed_from_u64(hash(bytes)) }
    }

    /// A number of 64 random bits.
    pub fn bits(&mut self) -> u64 {
        if let Some((first, rest)) = self.bytes.split_first_chunk() {
            self.bytes = rest;
            return u64::from_le_bytes(*first);
        }
        self.generator.next_u64()
    }

    /// Uniform in `[0, 1)`.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Uniform in `[low, high)`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Uniform among `0, …, count − 1`; 0 for no count.
    pub fn below(&mut self, count: usize) -> usize {
        let choice = self.bits() % count.max(1) as u64;
        usize::try_from(choice).unwrap_or(0)
    }

    /// True with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// One of `choices`.
    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// About a standard normal number: the sum of twelve uniform ones, less six.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }

    /// `10^x` with `x` uniform in `[−decades, decades)`.
    pub fn power(&mut self, decades: f64) -> f64 {
        10.0_f64.powf(self.between(-decades, decades))
    }

    /// A number in the manner of `style`.
    pub fn number(&mut self, style: Style) -> f64 {
        match style {
            Style::Normal => self.normal(),
            Style::Integer => self.pick(&[-3.0, -2.0, -1.0, -1.0, 0.0, 0.0, 1.0, 1.0, 2.0, 3.0]),
            Style::Sparse => {
                if self.chance(0.6) {
                    0.0
                } else {
                    self.normal()
                }
            }
            Style::Wide => self.normal() * self.power(4.0),
        }
    }

    /// A style of numbers.
    pub fn style(&mut self) -> Style {
        self.pick(&[Style::Normal, Style::Normal, Style::Integer, Style::Sparse, Style::Wide])
    }
}

/// How the numbers of a case are distributed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// About normal.
    Normal,
    /// Small integers, with ties.
    Integer,
    /// Mostly zero.
    Sparse,
    /// Over eight decades.
    Wide,
}

/// FNV-1a with 64 bits (G. Fowler, L. C. Noll, K.-P. Vo, D. Eastlake, RFC 9923).
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_choices() {
        let draw = |seed, target, index| Source::seeded(seed, target, index).bits();
        assert_eq!(draw(1, "lcp", 7), draw(1, "lcp", 7));
        assert_ne!(draw(1, "lcp", 7), draw(1, "lcp", 8));
        assert_ne!(draw(1, "lcp", 7), draw(1, "friction", 7));
        assert_ne!(draw(1, "lcp", 7), draw(2, "lcp", 7));
    }

    #[test]
    fn bytes_are_used_before_the_generator() {
        let bytes = 5_u64.to_le_bytes();
        let mut source = Source::from_bytes(&bytes);
        assert_eq!(source.bits(), 5);
        let after = source.bits();
        let mut again = Source::from_bytes(&bytes);
        assert_eq!((again.bits(), again.bits()), (5, after));
    }
}
