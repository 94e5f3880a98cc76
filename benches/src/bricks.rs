//! A thousand bricks in a box, and the figures by which a state of them is judged.

use std::sync::Arc;

use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use percussion_collision::{CellGrid, Collider, Settings, Workspace, between};
use percussion_granular::bodies::{self, Bodies, Body, Boundary, Form};

use crate::spheres::Judgement;

const VALID: &str = "a valid scene with slow bricks";

/// Half edges of a brick (m).
pub const HALF: Vector3<f64> = Vector3::new(0.1, 0.075, 0.05);

/// 1000 bricks that have fallen between five planes for two seconds, with 10 sweeps a step.
///
/// # Panics
///
/// Never: the scene is valid.
#[must_use]
pub fn settled() -> Bodies {
    let plane = |point, normal| Boundary::plane(point, normal, 0.5).expect(VALID);
    let far = Vector3::new(2.4, 2.4, 0.0);
    let planes = vec![
        plane(Vector3::zeros(), Vector3::z()),
        plane(Vector3::zeros(), Vector3::x()),
        plane(Vector3::zeros(), Vector3::y()),
        plane(far, -Vector3::x()),
        plane(far, -Vector3::y()),
    ];
    let settings = bodies::Settings { max_sweeps: 10, tolerance: 0.0, ..Default::default() };
    let mut pile = Bodies::new(settings, planes).expect(VALID);
    let form = Arc::new(Form::cuboid(HALF, 3.0, 0.5).expect(VALID));
    for k in 0..1000 {
        let node = Vector3::new(k % 9, k / 9 % 9, k / 81).map(f64::from);
        let tilt = (node * 1.7).map(f64::sin);
        let mut brick = Body::at(&form, 0.26 * (node + Vector3::repeat(0.5)));
        brick.orientation = UnitQuaternion::from_scaled_axis(tilt);
        pile.add(brick).expect(VALID);
    }
    for _ in 0..2000 {
        pile.step().expect(VALID);
    }
    pile
}

/// The velocity of a surface at a point.
type Speed<'a> = &'a dyn Fn(&Vector3<f64>) -> Vector3<f64>;

/// Judges bricks by their poses and velocities alone, overlap relative to the shortest edge.
///
/// # Panics
///
/// If a position is not finite.
#[must_use]
pub fn judge(bodies: &[Body], boundaries: &[Boundary]) -> Judgement {
    let centers: Vec<_> = bodies.iter().map(|body| body.position).collect();
    let (mut grid, mut pairs) = (CellGrid::default(), Vec::new());
    grid.pairs(&centers, 2.0 * HALF.norm(), &mut pairs).expect("finite positions");
    let (mut overlap, mut approach) = (0.0_f64, 0.0_f64);
    let mut workspace = Workspace::default();
    let collider = |body: &Body| -> Collider {
        body.form.colliders().next().expect("a brick has one part").clone()
    };
    let speed = |body: &Body, at: &Vector3<f64>| {
        body.velocity + body.angular_velocity.cross(&(at - body.position))
    };
    let mut compare = |a: &Body, other: &Collider, pose: &Isometry3<f64>, of_other: Speed<'_>| {
        let poses = [&a.pose(), pose];
        let settings = Settings::default();
        let found = between([&collider(a), other], poses, &settings, &mut workspace);
        for contact in found.expect("bricks have contacts") {
            let relative: Vector3<f64> =
                speed(a, &contact.points[0]) - of_other(&contact.points[1]);
            overlap = overlap.max(-contact.gap / (2.0 * HALF.min()));
            approach = approach.max(-relative.dot(&contact.frame.normal));
        }
    };
    for [a, b] in pairs.into_iter().map(|pair| pair.map(|index| &bodies[index])) {
        compare(a, &collider(b), &b.pose(), &|at| speed(b, at));
    }
    for body in bodies {
        for plane in boundaries {
            compare(body, &plane.collider, &plane.pose, &|at| plane.surface_velocity(at));
        }
    }
    let square = bodies.iter().map(|body| body.velocity.norm_squared()).sum::<f64>();
    let kinetic = square / (bodies.len() as f64 * 9.81e-3_f64.powi(2));
    Judgement { overlap, approach, kinetic }
}
