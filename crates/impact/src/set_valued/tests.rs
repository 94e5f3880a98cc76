use nalgebra::{DMatrix, dvector};

use super::*;
use crate::{Contact, Mass};

/// A block of 1 m × 2 m and 1 kg falls flat, from a height of 1 cm, on two corners with `μ = 1`.
fn rocking_block() -> Problem {
    let corner = |x: f64| {
        Contact::new(dvector![0.0, 1.0, x]).with_friction(1.0, vec![dvector![1.0, 0.0, 1.0]])
    };
    let mass = Mass::Matrix(DMatrix::from_diagonal(&dvector![1.0, 1.0, 5.0 / 12.0]));
    let speed = (2.0 * 9.81 * 0.01_f64).sqrt();
    Problem::new(mass, dvector![0.0, -speed, 0.0], vec![corner(-0.5), corner(0.5)]).unwrap()
}

fn block_settings() -> Settings {
    Settings { step: 0.3, steps: 10, ..Settings::default() }
}

/// An independent implementation gives 2.48 ± 0.01 for 4000 samples.
#[test]
fn a_block_takes_two_and_a_half_steps_on_average() {
    let law = SetValuedRouth::new(Settings { samples: 1 << 16, ..block_settings() });
    let set = law.post_impact_set(&rocking_block(), (), |_| ()).unwrap();
    let mean = set.statistics.mean_lcps();
    assert!((mean / 2.48 - 1.0).abs() < 0.02, "{mean}");
    println!("{:?}", set.statistics);
    assert_eq!(set.statistics.terminated, 1 << 16, "{:?}", set.statistics);
}
