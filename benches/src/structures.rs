//! Random towers, walls and arches of blocks with very different masses, as contact problems with a known solution.

use std::f64::consts::PI;

use nalgebra::{Matrix3, Vector3};
use percussion_complementarity::friction::Problem;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::piles::{self, Body, Touch};

/// Friction of all contacts.
const FRICTION: f64 = 0.5;
/// Largest mass relative to the smallest.
const MASS_RATIO: f64 = 1e4;

/// How the blocks are laid. Neighbors always touch at four corners, which is redundant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Structure {
    /// Cubes, one on top of the other.
    Tower,
    /// Bricks in courses, each moved by half of a brick.
    Wall,
    /// Blocks in a half circle that stands on the ground with both ends.
    Arch,
}

impl Structure {
    /// All structures.
    pub const ALL: [Self; 3] = [Self::Tower, Self::Wall, Self::Arch];

    /// Name for tables and filters.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tower => "tower",
            Self::Wall => "wall",
            Self::Arch => "arch",
        }
    }

    /// Bodies and contacts, about `contacts` of them; masses are between 1 and 10⁴ kg, equally frequent on a
    /// logarithmic scale.
    fn blocks(self, contacts: u16, random: &mut ChaCha8Rng) -> (Vec<Body>, Vec<Touch>) {
        let mut mass = || MASS_RATIO.powf(random.random());
        match self {
            Self::Tower => tower(contacts / 4, &mut mass),
            Self::Wall => {
                // 8 n² - 8 n + 4 contacts.
                let courses = (0.5 + (f64::from(contacts) / 8.0 - 0.25).sqrt()).round();
                wall(courses, &mut mass)
            }
            Self::Arch => arch(contacts / 4 - 1, &mut mass),
        }
    }
}

/// What the contacts of the known solution do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// All stick: the structure stands under random loads, which is a physical state.
    Rest,
    /// Each sticks, slips or opens at random, whatever the others do: free velocities that no motion of the bodies has.
    Mixed,
}

impl Motion {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Rest, Self::Mixed];

    /// Name for tables and filters.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rest => "rest",
            Self::Mixed => "mixed",
        }
    }
}

/// A problem of about `contacts` contacts, and impulses that solve it.
///
/// Impulses `p` and velocities `u` that satisfy Coulomb's law are drawn at random; the free velocity is `u - W p`.
/// Normal impulses are between 0.1 and 1 N·s.
///
/// # Panics
///
/// Never: blocks and velocities are valid.
#[must_use]
pub fn known(
    structure: Structure,
    contacts: u16,
    motion: Motion,
    seed: u64,
) -> (Problem, Vec<Vector3<f64>>) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let (bodies, touches) = structure.blocks(contacts, &mut random);
    let mut problem = piles::problem(&bodies, &touches, FRICTION);
    let states: Vec<_> = touches.iter().map(|_| state(motion, &mut random)).collect();
    let impulses: Vec<_> = states.iter().map(|state| state.0).collect();
    let moved = problem.velocities(&impulses);
    let change = moved.iter().zip(problem.free_velocity()).map(|(all, free)| all - free);
    let free: Vec<_> = states.iter().zip(change).map(|(state, change)| state.1 - change).collect();
    problem.set_free_velocity(&free).expect("as many velocities as contacts, all finite");
    (problem, impulses)
}

/// Impulse and velocity of a contact.
fn state(motion: Motion, random: &mut ChaCha8Rng) -> (Vector3<f64>, Vector3<f64>) {
    let kind = if motion == Motion::Rest { 0 } else { random.random_range(0..3) };
    let direction = 2.0 * PI * random.random::<f64>();
    let tangent = Vector3::new(0.0, direction.cos(), direction.sin());
    let normal = Vector3::x() * random.random_range(0.1..1.0);
    let size = random.random::<f64>();
    match kind {
        0 => (normal + FRICTION * normal.x * 0.95 * size * tangent, Vector3::zeros()),
        1 => (normal + FRICTION * normal.x * tangent, -size * tangent),
        _ => (Vector3::zeros(), normal + size * tangent),
    }
}

fn corners(middle: Vector3<f64>, sides: [Vector3<f64>; 2]) -> [Vector3<f64>; 4] {
    [[-0.5, -0.5], [-0.5, 0.5], [0.5, 0.5], [0.5, -0.5]]
        .map(|[a, b]| middle + a * sides[0] + b * sides[1])
}

fn tower(boxes: u16, mass: &mut impl FnMut() -> f64) -> (Vec<Body>, Vec<Touch>) {
    let (mut bodies, mut touches) = (Vec::new(), Vec::new());
    for upper in 0..usize::from(boxes.max(1)) {
        let center = Vector3::z() * (upper as f64 + 0.5);
        bodies.push(Body::cuboid(center, Vector3::repeat(1.0), mass(), &Matrix3::identity()));
        let (lower, normal) = (upper.checked_sub(1), Vector3::z());
        let face = corners(center - 0.5 * normal, [Vector3::x(), Vector3::y()]);
        touches.extend(face.map(|point| Touch { upper, lower, point, normal }));
    }
    (bodies, touches)
}

/// `courses` courses of as many bricks of 2 × 1 × 1 m.
fn wall(courses: f64, mass: &mut impl FnMut() -> f64) -> (Vec<Body>, Vec<Touch>) {
    let (mut bodies, mut touches): (Vec<Body>, _) = (Vec::new(), Vec::new());
    let size = Vector3::new(2.0, 1.0, 1.0);
    let normal = Vector3::z();
    let mut below = 0..0;
    let mut height = 0.5;
    let mut shift = 0.0;
    while height < courses {
        let first = bodies.len();
        let mut along = shift;
        while along < 2.0 * courses {
            let center = Vector3::new(along, 0.0, height);
            let upper = bodies.len();
            bodies.push(Body::cuboid(center, size, mass(), &Matrix3::identity()));
            let mut touch = |lower, x: f64, width: f64| {
                let middle = Vector3::new(x, 0.0, height - 0.5);
                let face = corners(middle, [width * Vector3::x(), Vector3::y()]);
                touches.extend(face.map(|point| Touch { upper, lower, point, normal }));
            };
            if first == 0 {
                touch(None, along, 2.0);
            }
            for lower in below.clone() {
                let apart = bodies[lower].center.x - along;
                if apart.abs() < 1.5 {
                    touch(Some(lower), along + 0.5 * apart, 1.0);
                }
            }
            along += 2.0;
        }
        below = first..bodies.len();
        height += 1.0;
        shift = 1.0 - shift;
    }
    (bodies, touches)
}

fn arch(blocks: u16, mass: &mut impl FnMut() -> f64) -> (Vec<Body>, Vec<Touch>) {
    let blocks = blocks.max(1);
    let (mut bodies, mut touches) = (Vec::new(), Vec::new());
    let radius = f64::from(blocks) / PI;
    let place = |joint: f64| {
        let angle = joint / radius;
        let outward = Vector3::new(-angle.cos(), 0.0, angle.sin());
        (radius * outward, outward, Vector3::new(angle.sin(), 0.0, angle.cos()))
    };
    for block in 0..blocks {
        let (center, outward, along) = place(f64::from(block) + 0.5);
        let turn = Matrix3::from_columns(&[outward, Vector3::y(), outward.cross(&Vector3::y())]);
        debug_assert!(turn.column(2).dot(&along).abs() > 0.99, "the axes of a block");
        bodies.push(Body::cuboid(center, Vector3::repeat(1.0), mass(), &turn));
    }
    for joint in 0..=blocks {
        let (middle, outward, along) = place(f64::from(joint));
        let block = usize::from(joint);
        let (upper, lower, normal) = if joint == blocks {
            (block - 1, None, -along)
        } else {
            (block, block.checked_sub(1), along)
        };
        let face = corners(middle, [outward, Vector3::y()]);
        touches.extend(face.map(|point| Touch { upper, lower, point, normal }));
    }
    (bodies, touches)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_known_impulses_solve_the_problem() {
        for structure in Structure::ALL {
            for motion in Motion::ALL {
                let (problem, mut impulses) = known(structure, 100, motion, 3);
                let residual = problem.relative_residual(&impulses);
                assert!(residual < 1e-12, "{structure:?}, {motion:?}: {residual}");
                impulses[7].x += 1.0;
                assert!(problem.relative_residual(&impulses) > 1e-6, "of other impulses");
            }
        }
    }

    #[test]
    fn a_structure_has_about_as_many_contacts_as_asked_for() {
        for structure in Structure::ALL {
            for contacts in [100, 1000] {
                let (problem, _) = known(structure, contacts, Motion::Rest, 1);
                let found = problem.contact_count() as f64 / f64::from(contacts);
                assert!((0.9..1.1).contains(&found), "{structure:?}: {found} of {contacts}");
            }
        }
    }

    #[test]
    fn a_brick_of_a_wall_touches_two_below() {
        let (bodies, touches) = wall(4.0, &mut || 1.0);
        assert_eq!((bodies.len(), touches.len()), (16, 100));
        let below: std::collections::BTreeSet<_> =
            touches.iter().filter(|touch| touch.upper == 5).map(|touch| touch.lower).collect();
        assert_eq!(below, [Some(1), Some(2)].into());
    }
}
