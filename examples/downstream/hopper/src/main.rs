//! Grains flow out of a silo through a square hole in its floor, at the rate of Beverloo's law.
//!
//! Water flows more slowly as the level falls. Grains do not: arches over the hole carry the grains above
//! them, and grains fall from there with a speed `∝ √(g b)` that depends only on the width `b` of the hole.
//! No center of a grain reaches the very edge, so the effective width is smaller by a margin of `1.4`
//! diameters `d`.
//!
//! # Source
//!
//! W. A. Beverloo, H. A. Leniger, J. van de Velde, "The flow of granular solids through orifices", *Chemical
//! Engineering Science* 15 (1961) 260–269: `0.58 ρ √g (b − 1.4 d)^(5/2)` through a round hole, where `ρ` is the
//! density of grains and voids together. A square has `4/π` times the area of the circle in it.

use std::f64::consts::PI;

use nalgebra::{Isometry3, Vector3};
use percussion_collision::Shape;
use percussion_granular::{Error, Grain, Settings, Wall, World};

/// Mean diameter (m), density (kg/m³) and friction of the grains: beads of glass.
const DIAMETER: f64 = 0.01;
const DENSITY: f64 = 2500.0;
const FRICTION: f64 = 0.5;

/// Edges of the silo and of the hole (m).
const SILO: f64 = 12.0 * DIAMETER;
const HOLE: f64 = 5.0 * DIAMETER;

/// Steps until the flow is steady, and steps for which it is measured.
const STEPS: [usize; 2] = [400, 800];

fn main() -> Result<(), Error> {
    // A few sweeps per step suffice, because each step starts from the impulses of the last one.
    let settings = Settings { friction: FRICTION, max_sweeps: 20, ..Settings::default() };
    let mut world = World::new(settings, walls())?;
    fill(&mut world)?;
    println!("{} grains of {:.2} kg in all", world.grains().len(), mass(&world, |_| true));

    let mut overlap = 0.0_f64;
    let mut run = |world: &mut World, steps| -> Result<f64, Error> {
        let before = mass(world, |_| true);
        for _ in 0..steps {
            overlap = overlap.max(world.step()?.overlap / DIAMETER);
            world.remove(|grain| grain.position.z < -5.0 * DIAMETER);
        }
        Ok(before - mass(world, |_| true))
    };
    run(&mut world, STEPS[0])?;
    let rate = run(&mut world, STEPS[1])? / (STEPS[1] as f64 * settings.step_size);

    let layer = mass(&world, |z| (0.3 * SILO..0.7 * SILO).contains(&z));
    let bulk_density = layer / (SILO * SILO * 0.4 * SILO);
    let law = 4.0 / PI
        * 0.58
        * bulk_density
        * (settings.gravity.norm() * (HOLE - 1.4 * DIAMETER).powi(5)).sqrt();
    println!("{rate:.3} kg/s flow out, Beverloo's law gives {law:.3} kg/s");
    println!("bulk density {bulk_density:.0} kg/m³, largest overlap {overlap:.3} diameters");

    // The constants of the law come from experiments and differ by a tenth between materials. About 500
    // grains that leave in small avalanches determine the rate to a few percent.
    assert!((rate / law - 1.0).abs() < 0.15);
    assert!(overlap < 0.05, "the grains are hard");
    Ok(())
}

/// Four sides, and four slabs around the hole, which are 2 diameters thick and end at `z = 0`.
fn walls() -> Vec<Wall> {
    let slab = Vector3::new(0.25 * (SILO - HOLE), 0.5 * SILO, DIAMETER);
    let away = 0.5 * HOLE + slab.x;
    let mut walls = Vec::new();
    for side in [-1.0, 1.0] {
        for (axis, half_extents) in [(Vector3::x(), slab), (Vector3::y(), slab.yxz())] {
            walls.push(Wall::plane(0.5 * side * SILO * axis, -side * axis, FRICTION));
            let center = side * away * axis - Vector3::z() * DIAMETER;
            let pose = Isometry3::translation(center.x, center.y, center.z);
            walls.push(Wall::solid(Shape::Box { half_extents }, pose, FRICTION));
        }
    }
    walls
}

/// A lattice of grains above the floor; sizes from 0.9 to 1.1 diameters prevent them from forming a crystal.
fn fill(world: &mut World) -> Result<(), Error> {
    let [across, layers] = [11, 18];
    let pitch = SILO / across as f64;
    for index in 0..across * across * layers {
        let [i, j, k] = [index % across, index / across % across, index / (across * across)];
        let node = Vector3::new(i, j, k).map(|count| count as f64 + 0.5);
        let position = pitch * node - 0.5 * SILO * Vector3::new(1.0, 1.0, 0.0);
        // Multiples of the golden ratio are evenly distributed.
        let radius = DIAMETER * (0.45 + 0.1 * (0.618_033_988_75 * index as f64).fract());
        let mass = DENSITY * 4.0 / 3.0 * PI * radius.powi(3);
        world.add(&Grain::at(position, radius, mass))?;
    }
    Ok(())
}

/// Mass (kg) of the grains with centers at a height that is `inside`.
fn mass(world: &World, inside: impl Fn(f64) -> bool) -> f64 {
    let grains = world.grains();
    let inside = |grain: &usize| inside(grains.positions()[*grain].z);
    (0..grains.len()).filter(inside).map(|grain| grains.mass(grain)).sum()
}
