//! A scrambled Sobol sequence with random access.
//!
//! In each dimension point `i` has the binary digits `C i + e`, where `i` is the vector of the digits of its
//! index, `C` the generating matrix of the dimension, and all arithmetic is modulo 2. The seed determines the
//! scrambling: `C` is multiplied from the left by a random lower triangular matrix with ones on its diagonal,
//! and `e` is random. Both preserve how evenly the points of every block of `2ᵏ` indices are spread, and each
//! point by itself is uniformly distributed.
//!
//! - **Cost** of a number: one exclusive or for each nonzero digit of the index.
//! - **Deterministic**: the digits of the scrambling are those of `ChaCha8`.
//!
//! # Source
//!
//! I. M. Sobol', "On the distribution of points in a cube and the approximate evaluation of integrals",
//! *USSR Computational Mathematics and Mathematical Physics* 7 (1967) 86–112;
//! J. Matoušek, "On the L2-discrepancy for anchored boxes", *Journal of Complexity* 14 (1998) 527–556
//! (the scrambling).

use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};

use super::joe_kuo::PARAMETERS;

/// Maximum number of dimensions.
pub(super) const DIMENSIONS: usize = PARAMETERS.len() + 1;

/// Number of digits of an index and of a coordinate: those of a double.
const DIGITS: usize = 53;

/// Stream of the generator from which the scrambling comes; no sample has this index.
const SCRAMBLING: u64 = u64::MAX;

/// The generating matrices. After 2⁵³ points the sequence repeats.
#[derive(Clone, Debug)]
pub(super) struct Sobol {
    dimensions: Vec<Dimension>,
}

#[derive(Clone, Debug)]
struct Dimension {
    /// Columns of `C`; the first digit of a coordinate is the highest of the 53 bits.
    columns: [u64; DIGITS],
    /// `e`.
    shift: u64,
}

impl Sobol {
    /// The first `dimensions` (at most [`DIMENSIONS`]) dimensions, scrambled by `seed`.
    pub(super) fn new(dimensions: usize, seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(SCRAMBLING);
        let dimensions = (0..dimensions.min(DIMENSIONS))
            .map(|dimension| scrambled(&columns(dimension), &mut random))
            .collect();
        Self { dimensions }
    }

    /// 53 bits of the coordinate of a point, the first digit highest.
    pub(super) fn bits(&self, index: u64, dimension: usize) -> u64 {
        let Some(Dimension { columns, shift }) = self.dimensions.get(dimension) else { return 0 };
        let (mut digits, mut bits) = (index & ((1 << DIGITS) - 1), *shift);
        while digits != 0 {
            bits ^= columns[digits.trailing_zeros() as usize];
            digits &= digits - 1;
        }
        bits
    }
}

/// Columns of the generating matrix of a dimension, by the recurrence of its polynomial.
fn columns(dimension: usize) -> [u64; DIGITS] {
    let mut columns = [0; DIGITS];
    let Some((polynomial, first)) = dimension.checked_sub(1).and_then(|i| PARAMETERS.get(i)) else {
        for (j, column) in columns.iter_mut().enumerate() {
            *column = 1 << (DIGITS - 1 - j);
        }
        return columns;
    };
    let degree = first.len();
    for j in 0..DIGITS {
        columns[j] = if j < degree {
            u64::from(first[j]) << (DIGITS - 1 - j)
        } else {
            let mut column = columns[j - degree] ^ (columns[j - degree] >> degree);
            for k in 1..degree {
                if polynomial >> (degree - 1 - k) & 1 == 1 {
                    column ^= columns[j - k];
                }
            }
            column
        };
    }
    columns
}

/// The matrix with these columns, times a random lower triangular one, and a random shift.
fn scrambled(columns: &[u64; DIGITS], random: &mut ChaCha8Rng) -> Dimension {
    let mut scrambled = [0; DIGITS];
    for digit in 0..DIGITS {
        // The digit itself and a random choice of those before it, which are the higher bits.
        let higher = u64::MAX << digit << 1;
        let row = 1 << digit | random.next_u64() & higher;
        for (to, from) in scrambled.iter_mut().zip(columns) {
            *to |= u64::from((from & row).count_ones() & 1) << digit;
        }
    }
    Dimension { columns: scrambled, shift: random.next_u64() >> (64 - DIGITS) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The points that the authors of the direction numbers print, in sixteenths; theirs come in
    /// Gray-code order.
    #[test]
    fn without_scrambling_the_points_are_the_published_ones() {
        let published = [
            [0, 0, 0],
            [8, 8, 8],
            [12, 4, 4],
            [4, 12, 12],
            [6, 6, 10],
            [14, 14, 2],
            [10, 2, 14],
            [2, 10, 6],
            [3, 5, 15],
            [11, 13, 7],
        ];
        let dimensions = (0..3).map(|i| Dimension { columns: columns(i), shift: 0 }).collect();
        let plain = Sobol { dimensions };
        for (i, point) in (0_u64..).zip(published) {
            let gray = i ^ (i >> 1);
            let found = [0, 1, 2].map(|dimension| plain.bits(gray, dimension) >> (DIGITS - 4));
            assert_eq!(found, point, "point {i}");
        }
    }

    #[test]
    fn every_block_of_points_has_one_in_each_interval() {
        let sobol = Sobol::new(DIMENSIONS, 7);
        for dimension in 0..DIMENSIONS {
            for block in [0, 5_u64] {
                let mut seen = BTreeSet::new();
                for index in block * 256..(block + 1) * 256 {
                    let interval = sobol.bits(index, dimension) >> (DIGITS - 8);
                    assert!(seen.insert(interval), "dimension {dimension}, block {block}");
                }
            }
        }
    }

    /// In the first two dimensions every elementary rectangle of area `2⁻¹⁰` holds one of 2¹⁰ points.
    #[test]
    fn the_first_two_dimensions_fill_the_square_evenly() {
        let sobol = Sobol::new(2, 3);
        for wide in 0..=10 {
            let mut seen = BTreeSet::new();
            for index in 0..1 << 10 {
                let x = sobol.bits(index, 0) >> (DIGITS - wide);
                let y = sobol.bits(index, 1) >> (DIGITS - (10 - wide));
                assert!(seen.insert([x, y]), "{wide} digits of the first dimension");
            }
        }
    }
}
