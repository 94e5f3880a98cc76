//! Frictional contact problems of stacked bodies, with redundant contacts and very different masses.

use nalgebra::{Matrix3, Vector3};
use percussion_complementarity::friction::{BlockSparse, Problem};

/// A rigid body with the velocity it would have without contacts.
#[derive(Clone, Debug)]
pub struct Body {
    /// Center of mass (m).
    pub center: Vector3<f64>,
    /// 1/mass (1/kg).
    pub inverse_mass: f64,
    /// Inverse of the inertia about the center, world axes.
    pub inverse_inertia: Matrix3<f64>,
    /// Linear velocity (m/s).
    pub velocity: Vector3<f64>,
}

impl Body {
    /// A box of sides `size` (m) and mass `mass` (kg), turned by `turn`, that falls at 0.1 m/s.
    #[must_use]
    pub fn cuboid(
        center: Vector3<f64>,
        size: Vector3<f64>,
        mass: f64,
        turn: &Matrix3<f64>,
    ) -> Self {
        let square = size.component_mul(&size);
        let inertia = Vector3::new(square.y + square.z, square.z + square.x, square.x + square.y)
            * (mass / 12.0);
        Self {
            center,
            inverse_mass: 1.0 / mass,
            inverse_inertia: turn
                * Matrix3::from_diagonal(&inertia.map(f64::recip))
                * turn.transpose(),
            velocity: Vector3::new(0.0, 0.0, -0.1),
        }
    }
}

/// A contact between two bodies, or between a body and the ground.
#[derive(Clone, Debug)]
pub struct Touch {
    /// The body that is pushed along the normal.
    pub upper: usize,
    /// The body that is pushed against it, if it is not the ground.
    pub lower: Option<usize>,
    /// Position (m).
    pub point: Vector3<f64>,
    /// Unit normal, from the lower to the upper.
    pub normal: Vector3<f64>,
}

/// A body, and the contributions of its linear and angular velocity to the velocity of a contact.
type Side = (usize, Matrix3<f64>, Matrix3<f64>);

/// The problem of `bodies` that touch, with `friction` at all contacts.
///
/// # Panics
///
/// If a touch names a body that does not exist.
#[must_use]
pub fn problem(bodies: &[Body], touches: &[Touch], friction: f64) -> Problem {
    // Per contact and body the rows of the contact velocity.
    let mut sides: Vec<Vec<Side>> = Vec::new();
    let mut free = Vec::new();
    for touch in touches {
        let helper = if touch.normal.x.abs() < 0.7 { Vector3::x() } else { Vector3::y() };
        let tangent = (helper - touch.normal * touch.normal.dot(&helper)).normalize();
        let axes = [touch.normal, tangent, touch.normal.cross(&tangent)];
        let frame = Matrix3::from_rows(&axes.map(|axis| axis.transpose()));
        let pair = [(Some(touch.upper), 1.0), (touch.lower, -1.0)];
        let side = |(body, sign): (Option<usize>, f64)| {
            let body = body?;
            let arm = touch.point - bodies[body].center;
            Some((body, sign * frame, -sign * frame * arm.cross_matrix()))
        };
        let side: Vec<_> = pair.into_iter().filter_map(side).collect();
        free.push(side.iter().map(|(body, linear, _)| linear * bodies[*body].velocity).sum());
        sides.push(side);
    }
    let mut blocks = Vec::new();
    for (row, left) in sides.iter().enumerate() {
        for (column, right) in sides.iter().enumerate() {
            let mut block = Matrix3::zeros();
            let mut shared = false;
            for (body, linear, angular) in left {
                for (_, linear2, angular2) in right.iter().filter(|(other, ..)| other == body) {
                    shared = true;
                    block += linear * bodies[*body].inverse_mass * linear2.transpose()
                        + angular * bodies[*body].inverse_inertia * angular2.transpose();
                }
            }
            if shared {
                blocks.push((row, column, block));
            }
        }
    }
    let delassus =
        BlockSparse::from_blocks(touches.len(), &blocks).expect("every contact has its block");
    Problem::from_sparse(delassus, free, &vec![friction; touches.len()]).expect("W is J M⁻¹ Jᵀ")
}

/// A stack of `boxes` cubes of 1 m, each with four corners touching the one below and `ratio` times as heavy
/// as it; the topmost is pushed sideways at `push` (m/s).
#[must_use]
pub fn stack(boxes: usize, ratio: f64, push: f64, friction: f64) -> Problem {
    let mut bodies = Vec::new();
    let mut touches = Vec::new();
    let (mut height, mut mass) = (0.5, 1.0);
    for index in 0..boxes {
        bodies.push(Body::cuboid(
            Vector3::z() * height,
            Vector3::repeat(1.0),
            mass,
            &Matrix3::identity(),
        ));
        for (x, y) in [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)] {
            let point = Vector3::new(x, y, height - 0.5);
            touches.push(Touch {
                upper: index,
                lower: index.checked_sub(1),
                point,
                normal: Vector3::z(),
            });
        }
        height += 1.0;
        mass *= ratio;
    }
    if let Some(top) = bodies.last_mut() {
        top.velocity.x = push;
    }
    problem(&bodies, &touches, friction)
}

/// A house of cards of 8 g with `levels` levels, wide at the bottom: every edge has contacts at its two corners.
#[must_use]
pub fn card_house(levels: usize, friction: f64) -> Problem {
    /// Half of the distance of a pair's feet, height of its apex, half of a card's depth (m).
    const FOOT: f64 = 0.02;
    const HEIGHT: f64 = 0.08;
    const HALF: f64 = 0.03;
    let thickness = 3e-4;
    let length = FOOT.hypot(HEIGHT);
    let mut bodies = Vec::new();
    let mut touches = Vec::new();
    let mut edge = |upper: usize, lower: Option<usize>, x: f64, z: f64, normal: Vector3<f64>| {
        for y in [-HALF, HALF] {
            touches.push(Touch { upper, lower, point: Vector3::new(x, y, z), normal });
        }
    };
    // The plates on which the pairs of a level stand; there are none on the ground.
    let mut plates: Vec<usize> = Vec::new();
    let mut base = 0.0;
    for level in 0..levels {
        let pairs = levels - level;
        let (mut cards, apex) = (Vec::new(), base + HEIGHT);
        for pair in 0..pairs {
            #[expect(clippy::cast_precision_loss, reason = "a few pairs")]
            let middle = 0.05 * (pair as f64 + 0.5 * level as f64);
            for side in [-1.0, 1.0] {
                let along = Vector3::new(-side * FOOT, 0.0, HEIGHT) / length;
                let turn =
                    Matrix3::from_columns(&[along, Vector3::y(), along.cross(&Vector3::y())]);
                let center = Vector3::new(middle + 0.5 * side * FOOT, 0.0, base + 0.5 * HEIGHT);
                bodies.push(Body::cuboid(
                    center,
                    Vector3::new(length, 2.0 * HALF, thickness),
                    0.008,
                    &turn,
                ));
                let lower = plates.get(pair).copied();
                edge(bodies.len() - 1, lower, middle + side * FOOT, base, Vector3::z());
            }
            let right = bodies.len() - 1;
            edge(right, Some(right - 1), middle, apex, Vector3::x());
            cards.push((right - 1, right, middle));
        }
        plates.clear();
        for neighbors in cards.windows(2) {
            let [left, right] = [neighbors[0], neighbors[1]];
            let center = Vector3::new(0.5 * (left.2 + right.2), 0.0, apex);
            let size = Vector3::new(0.05, 2.0 * HALF, thickness);
            bodies.push(Body::cuboid(center, size, 0.008, &Matrix3::identity()));
            let plate = bodies.len() - 1;
            plates.push(plate);
            edge(plate, Some(left.1), left.2, apex, Vector3::z());
            edge(plate, Some(right.0), right.2, apex, Vector3::z());
        }
        base = apex;
    }
    problem(&bodies, &touches, friction)
}
