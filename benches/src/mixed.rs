//! Random problems with blocks, seeded.

use nalgebra::{DMatrix, DVector};
use percussion_complementarity::friction::mixed::{Block, Problem, Section};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A step of a mechanism with 18 coordinates: six rows of joints (two of them copies of others), dry friction in six
/// joints, two limits, a motor and `contacts` contacts, whose sections are ellipses, polygons, soft fingers, rolling
/// discs and discs in turn.
///
/// # Panics
///
/// Never: the operator is symmetric and positive semidefinite.
#[must_use]
pub fn mechanism(seed: u64, contacts: usize) -> Problem {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut blocks = vec![Block::bilateral(6)];
    blocks.extend((0..6).map(|i| Block::bound(0.02 * f64::from(i))));
    blocks.push(Block::unilateral(2));
    blocks.push(Block::interval(-0.1, 0.4));
    blocks.extend((0..contacts).map(|i| {
        Block::contact(match i % 5 {
            0 => Section::Ellipse([0.6, 0.2]),
            1 => Section::Polygon(vec![[0.5, 0.1], [-0.5, -0.1], [0.1, -0.4], [-0.1, 0.4]]),
            2 => Section::Spin([0.5, 0.5, 0.05]),
            3 => Section::Rolling([0.7, 0.02, 0.01]),
            _ => Section::Disc(0.4),
        })
    }));
    let rows = blocks.iter().map(|block| block.rows).sum();
    let mut jacobian = DMatrix::from_fn(rows, 18, |_, _| random.random_range(-1.0..1.0));
    for (copy, of) in [(4, 0), (5, 1)] {
        let row = 2.0 * jacobian.row(of);
        jacobian.row_mut(copy).copy_from(&row);
    }
    let velocity = DVector::from_fn(18, |_, _| random.random_range(-1.0..1.0));
    let free = &jacobian * velocity;
    Problem::new(&jacobian * jacobian.transpose(), free.as_slice().to_vec(), blocks)
        .expect("the operator is positive semidefinite")
}
