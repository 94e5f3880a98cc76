//! A settled pile of spheres, and the figures by which a state of it is judged.

use nalgebra::Vector3;
use percussion_collision::CellGrid;
use percussion_granular::{Grain, Settings, Surface, Wall, World, scenes};

const VALID: &str = "a valid scene with slow grains";

/// Diameter of the spheres (m).
pub const DIAMETER: f64 = 0.1;

/// The figures by which the state of a pile is judged, measured only on positions and velocities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judgement {
    /// Largest overlap of two bodies, relative to their size.
    pub overlap: f64,
    /// Largest approach velocity of two that touch (m/s).
    pub approach: f64,
    /// Kinetic energy relative to that which gravity gives to a free pile in one step.
    pub kinetic: f64,
}

impl std::fmt::Display for Judgement {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { overlap, approach, kinetic } = self;
        write!(
            formatter,
            "overlap {overlap:.1e} of the size, approach {approach:.1e} m/s, energy {kinetic:.1e}"
        )
    }
}

/// Judges spheres of one [`DIAMETER`].
///
/// # Panics
///
/// If a position is not finite.
#[must_use]
pub fn judge(positions: &[Vector3<f64>], velocities: &[Vector3<f64>]) -> Judgement {
    let (mut grid, mut pairs) = (CellGrid::default(), Vec::new());
    grid.pairs(positions, DIAMETER, &mut pairs).expect("finite positions");
    let (mut overlap, mut approach) = (0.0_f64, 0.0_f64);
    for [a, b] in pairs {
        let apart = positions[a] - positions[b];
        let speed = (velocities[a] - velocities[b]).dot(&apart.normalize());
        overlap = overlap.max(1.0 - apart.norm() / DIAMETER);
        approach = approach.max(-speed);
    }
    let kick = 9.81e-3_f64;
    let square = velocities.iter().map(Vector3::norm_squared).sum::<f64>();
    let kinetic = square / (velocities.len() as f64 * kick * kick);
    Judgement { overlap, approach, kinetic }
}

/// Judges the spheres of a world.
#[must_use]
pub fn judge_world(world: &World) -> Judgement {
    let grains = world.grains();
    let velocities: Vec<_> = (0..grains.len()).map(|i| grains.velocity(i)).collect();
    judge(grains.positions(), &velocities)
}

/// [`scenes::column`] of 10 000 spheres, settled for two seconds with 10 sweeps a step of 1 ms.
///
/// # Panics
///
/// Never: the scene is valid.
#[must_use]
pub fn settled() -> World {
    let mut world = scenes::column(DIAMETER, 20, 25).expect(VALID);
    let settings = Settings { max_sweeps: 10, tolerance: 0.0, ..*world.settings() };
    world.set_settings(settings).expect(VALID);
    for _ in 0..2000 {
        world.step().expect(VALID);
    }
    world
}

/// `across` × `across` copies of the column `tile` side by side in one box, at rest, without the walls between them.
///
/// A pile of a million spheres has the contacts of a settled one without settling for an hour.
///
/// # Panics
///
/// If the walls of `tile` are not those of a [`scenes::column`].
#[must_use]
pub fn tiled(tile: &World, across: u32) -> World {
    let width = |wall: &Wall| match wall.surface {
        Surface::Plane { point, normal } if normal.x < -0.5 => Some(point.x),
        _ => None,
    };
    let width = tile.walls().iter().find_map(width).expect("a column has a wall toward -x");
    let moved = |wall: &Wall| match wall.surface {
        Surface::Plane { point, normal } => {
            let far = normal.x.min(normal.y) < -0.5;
            let point = if far { point * f64::from(across) } else { point };
            Wall::plane(point, *normal, wall.friction)
        }
        _ => wall.clone(),
    };
    let walls = tile.walls().iter().map(moved).collect();
    let mut world = World::new(*tile.settings(), walls).expect(VALID);
    for (x, y) in (0..across).flat_map(|x| (0..across).map(move |y| (x, y))) {
        let shift = width * Vector3::new(f64::from(x), f64::from(y), 0.0);
        for index in 0..tile.grains().len() {
            let grain = tile.grains().grain(index);
            let at = Grain::at(grain.position + shift, grain.radius, grain.mass);
            world.add(&at).expect(VALID);
        }
    }
    world
}
