//! Random frictional contact problems, seeded.

use nalgebra::{Matrix3, Rotation3, Vector3};
use percussion_complementarity::friction::{BlockSparse, Problem, single::Contact};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// One contact that slides under maximum dissipation, with its `b`.
///
/// Blocks are `FᵀF + 0.01 I` with entries of `F` in (−1, 1), friction in (0, 1).
///
/// # Panics
///
/// Never: the blocks are positive definite.
pub fn sliding(random: &mut ChaCha8Rng) -> (Contact, Vector3<f64>) {
    use percussion_complementarity::friction::single::maximum_dissipation;
    loop {
        let factor = Matrix3::from_fn(|_, _| random.random_range(-1.0..1.0));
        let block = factor.transpose() * factor + Matrix3::identity() * 0.01;
        let friction = random.random_range(0.0..1.0);
        let contact = Contact::new(&block, friction).expect("the block is positive definite");
        let mut b = Vector3::from_fn(|_, _| random.random_range(-1.0..1.0));
        b.x = f64::abs(b.x);
        let impulse = maximum_dissipation::solve(&contact, &b);
        if contact.velocity(&b, &impulse).yz().norm() > 1e-6 {
            return (contact, b);
        }
    }
}

/// `contacts` contacts between random pairs of unit bodies, so many that a row of `W` has about
/// `blocks_per_row` blocks; bodies approach one another with random velocities.
///
/// # Panics
///
/// Never: the operator is symmetric and positive semidefinite.
#[must_use]
pub fn packing(seed: u64, contacts: usize, blocks_per_row: f64, friction: f64) -> Problem {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    // Each of the two bodies of a contact has 2 contacts/bodies contacts on average.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "small positive numbers"
    )]
    let bodies = ((4.0 * contacts as f64 / (blocks_per_row + 1.0)) as usize).max(2);
    let unit =
        |random: &mut ChaCha8Rng| Vector3::<f64>::from_fn(|_, _| random.random_range(-1.0..1.0));
    let velocities: Vec<_> = (0..bodies).map(|_| (unit(&mut random), unit(&mut random))).collect();
    // Per contact the rows of both bodies: frame, and frame times cross matrix of the arm.
    let mut sides = Vec::new();
    let mut free = Vec::new();
    for _ in 0..contacts {
        let first = random.random_range(0..bodies);
        let second = (first + random.random_range(1..bodies)) % bodies;
        let turn = unit(&mut random) * 3.0;
        let arms = [unit(&mut random), unit(&mut random)];
        let sides_of = |frame: Matrix3<f64>| {
            let side = |body: usize, sign: f64, arm: &Vector3<f64>| {
                (body, sign * frame, -sign * frame * arm.cross_matrix())
            };
            let pair = [side(first, 1.0, &arms[0]), side(second, -1.0, &arms[1])];
            let velocity: Vector3<f64> = pair
                .iter()
                .map(|(body, rows, turning)| {
                    rows * velocities[*body].0 + turning * velocities[*body].1
                })
                .sum();
            (pair, velocity)
        };
        let frame = *Rotation3::new(turn).matrix();
        let (mut pair, mut velocity) = sides_of(frame);
        if velocity.x > 0.0 {
            // The other side of the contact is where the bodies approach.
            (pair, velocity) =
                sides_of(Matrix3::from_diagonal(&Vector3::new(-1.0, -1.0, 1.0)) * frame);
        }
        free.push(velocity);
        sides.push(pair);
    }
    let mut blocks = Vec::new();
    for (row, left) in sides.iter().enumerate() {
        for (column, right) in sides.iter().enumerate() {
            let mut block = Matrix3::zeros();
            let mut shared = false;
            for (body, linear, angular) in left {
                for (other, linear2, angular2) in right {
                    if body == other {
                        shared = true;
                        block +=
                            linear * linear2.transpose() + 2.5 * angular * angular2.transpose();
                    }
                }
            }
            if shared {
                blocks.push((row, column, block));
            }
        }
    }
    let delassus =
        BlockSparse::from_blocks(contacts, &blocks).expect("every contact has its block");
    Problem::from_sparse(delassus, free, &vec![friction; contacts]).expect("W is J Jᵀ")
}
