//! Models that several tests move.

use nalgebra::{Vector2, Vector3};
use percussion_dynamics::gap::{Plane, Sphere, SpherePlane, SphereSphere};
use percussion_dynamics::{
    Body, FreeBodies, MassProperties, PlanarBodies, PlanarBody, gap::GapFunction,
};
use percussion_integrators::{Contact, Model, State};

/// A ball of 2 kg and 0.1 m over the floor, with gravity of 9.81 m/s².
pub(crate) fn ball(friction: f64) -> Model {
    let ball = Body::from_mass_properties(&MassProperties::solid_sphere(2.0, 0.1).unwrap());
    let balls = FreeBodies::new(vec![ball], Vector3::new(0.0, 0.0, -9.81)).unwrap();
    Model::new(Box::new(balls), vec![Contact::new(floor(0), friction)]).unwrap()
}

pub(crate) fn ball_at(height: f64, velocity: [f64; 6]) -> State {
    let coordinates = vec![0.0, 0.0, height, 1.0, 0.0, 0.0, 0.0];
    State { time: 0.0, coordinates, velocity: velocity.to_vec() }
}

/// Ball `body` of 0.1 m over the floor.
pub(crate) fn floor(body: usize) -> SpherePlane {
    let floor = Plane::new(&Vector3::z(), &Vector3::zeros()).unwrap();
    SpherePlane::new(Sphere::of_body(body, 0.1), floor).unwrap()
}

/// Balls of 0.1 m that may touch the floor and one another, `arrange` having the last word on the contacts.
pub(crate) fn balls(
    count: usize,
    friction: f64,
    gravity: f64,
    arrange: impl FnOnce(&mut Vec<Contact>),
) -> Model {
    let ball = Body::from_mass_properties(&MassProperties::solid_sphere(1.0, 0.1).unwrap());
    let system = FreeBodies::new(vec![ball; count], Vector3::new(0.0, 0.0, -gravity)).unwrap();
    let mut contacts: Vec<_> = (0..count).map(|body| Contact::new(floor(body), friction)).collect();
    for first in 0..count {
        for second in first + 1..count {
            let pair = [first, second].map(|body| Sphere::of_body(body, 0.1));
            let gap = SphereSphere::new(pair[0], pair[1]).unwrap();
            contacts.push(Contact::new(gap, friction));
        }
    }
    arrange(&mut contacts);
    Model::new(Box::new(system), contacts).unwrap()
}

/// Balls at rest with their centers at `positions`, and the velocities of the first.
pub(crate) fn at(positions: &[[f64; 3]], first: [f64; 3]) -> State {
    let coordinates =
        positions.iter().flat_map(|p| [p[0], p[1], p[2], 1.0, 0.0, 0.0, 0.0]).collect();
    let mut velocity = vec![0.0; 6 * positions.len()];
    velocity[..3].copy_from_slice(&first);
    State { time: 0.0, coordinates, velocity }
}

/// A stack of `count` boxes of `2 a × 2 b` m and 1 kg in the plane on a slope of `angle` (rad), in its axes: x along the
/// slope upwards. Every box touches what is below it with two corners.
pub(crate) fn boxes(count: usize, friction: f64, angle: f64) -> (Model, State) {
    let (a, b) = (0.5, 0.25);
    let inertia = (a * a + b * b) / 3.0;
    let gravity = 10.0 * Vector2::new(-angle.sin(), -angle.cos());
    let system = PlanarBodies::new(vec![PlanarBody::new(1.0, inertia); count], gravity).unwrap();
    let mut contacts = Vec::new();
    for body in 0..count {
        for x in [-a, a] {
            let corner = Sphere::on_body(body, Vector3::new(x, -b, 0.0), 0.0);
            let gap: Box<dyn GapFunction> = if body == 0 {
                let ground = Plane::new(&Vector3::y(), &Vector3::zeros()).unwrap();
                Box::new(SpherePlane::new(corner, ground).unwrap())
            } else {
                Box::new(OnTop { below: body - 1, corner, half_height: b })
            };
            contacts.push(Contact { gap: gap.into(), friction, restitution: 0.0, cone: None });
        }
    }
    let coordinates = (0..count).flat_map(|k| [0.0, b * (2.0 * k as f64 + 1.0), 0.0]).collect();
    let state = State { time: 0.0, coordinates, velocity: vec![0.0; 3 * count] };
    (Model::new(Box::new(system), contacts).unwrap(), state)
}

/// A corner of a box over the top of the box below.
#[derive(Clone, Copy, Debug)]
struct OnTop {
    below: usize,
    corner: Sphere,
    half_height: f64,
}

impl OnTop {
    /// The point of the corner and the frame of the top that it is over.
    fn place(
        &self,
        system: &dyn percussion_dynamics::System,
        coordinates: &[f64],
    ) -> (f64, Vector3<f64>, percussion_dynamics::ContactFrame) {
        let below = system.pose(coordinates, self.below);
        let normal = below.rotation * Vector3::y();
        let point = self.corner.center.position(system, coordinates);
        let gap = normal.dot(&(point - below.translation.vector)) - self.half_height;
        (gap, point, percussion_dynamics::ContactFrame::planar(&normal).unwrap())
    }
}

impl GapFunction for OnTop {
    fn gap(&self, system: &dyn percussion_dynamics::System, coordinates: &[f64]) -> f64 {
        self.place(system, coordinates).0
    }

    fn rows(
        &self,
        system: &dyn percussion_dynamics::System,
        coordinates: &[f64],
        rows: &mut percussion_dynamics::gap::ContactRows,
    ) -> f64 {
        let (gap, point, frame) = self.place(system, coordinates);
        let below = percussion_dynamics::Anchor::on_body(self.below, Vector3::zeros());
        rows.clear();
        // The top's material point under the corner, so that the gap's gradient is the normal row.
        rows.add_point(system, coordinates, &self.corner.center, &point, &frame, 1.0);
        rows.add_point(system, coordinates, &below, &point, &frame, -1.0);
        gap
    }
}
