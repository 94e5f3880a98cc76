//! Grains settle in a column, and the floor carries their weight.
//!
//! `cargo run -p percussion-granular --example column`

#![expect(clippy::print_stdout, reason = "the output of an example")]

use percussion_granular::{Error, scenes};

fn main() -> Result<(), Error> {
    let diameter = 0.01;
    let mut world = scenes::column(diameter, 4, 6)?;
    let (before, mut overlap) = (world.energy(), 0.0_f64);
    for _ in 0..400 {
        overlap = overlap.max(world.step()?.overlap);
    }
    let report = world.step()?;
    let count = world.grains().len();
    println!("{count} grains, {} contacts, {} sweeps", report.contacts, report.sweeps);
    println!("energy lost {:.3} mJ", 1e3 * (before - world.energy()));
    println!("largest overlap {:.4} diameters", overlap / diameter);

    let settings = world.settings();
    let mass: f64 = (0..count).map(|grain| world.grains().mass(grain)).sum();
    let weight = mass * settings.gravity.norm();
    let carried = report.wall_impulse.z / settings.step_size;
    println!("weight {weight:.4} N, carried {carried:.4} N");
    // The sweeps of a step leave a relative residual of about a thousandth.
    assert!((carried / weight - 1.0).abs() < 0.01, "{carried} N of {weight} N");
    assert!(overlap < 1e-3 * diameter && world.energy() < before, "hard and inelastic");
    Ok(())
}
