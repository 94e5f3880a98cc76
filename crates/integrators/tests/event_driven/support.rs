//! Models and runs shared by the tests.

use nalgebra::{Vector2, Vector3};
use percussion_dynamics::{
    PlanarBodies, PlanarBody,
    gap::{Plane, Sphere, SpherePlane},
};
use percussion_impact::Law;
use percussion_integrators::{
    Contact, Model, State,
    event_driven::{EventKind, Mode, Report, Settings, Snapshot, integrate},
};

pub(crate) const GRAVITY: f64 = 9.81;

/// The floor of the plane, leaning by `slope` (rad) so that bodies slide towards `+x`.
pub(crate) fn floor(slope: f64) -> Plane {
    Plane::new(&Vector3::new(slope.sin(), slope.cos(), 0.0), &Vector3::zeros()).unwrap()
}

/// A disc of 2 kg and 0.1 m whose moment is that of a ball.
pub(crate) fn ball(slope: f64, friction: f64, restitution: f64) -> Model {
    let body = PlanarBody::new(2.0, 0.4 * 2.0 * 0.01);
    let balls = PlanarBodies::new(vec![body], Vector2::new(0.0, -GRAVITY)).unwrap();
    let contact =
        Contact::new(SpherePlane::new(Sphere::of_body(0, 0.1), floor(slope)).unwrap(), friction)
            .with_restitution(restitution);
    Model::new(Box::new(balls), vec![contact]).unwrap()
}

/// The block of 1 m × 2 m and 1 kg of Halm and Posa with corners at these `x`.
pub(crate) fn block(slope: f64, corners: [f64; 2], friction: f64, restitution: f64) -> Model {
    let body = PlanarBody::new(1.0, 5.0 / 12.0);
    let block = PlanarBodies::new(vec![body], Vector2::new(0.0, -GRAVITY)).unwrap();
    let corner = |x: f64| {
        let sphere = Sphere::on_body(0, Vector3::new(x, -1.0, 0.0), 0.0);
        Contact::new(SpherePlane::new(sphere, floor(slope)).unwrap(), friction)
            .with_restitution(restitution)
    };
    Model::new(Box::new(block), corners.map(corner).into()).unwrap()
}

pub(crate) fn at(coordinates: Vec<f64>, velocity: Vec<f64>) -> State {
    State { time: 0.0, coordinates, velocity }
}

pub(crate) fn run(model: &Model, law: &dyn Law, start: &State, end: f64) -> Report {
    integrate(model, law, &Settings::default(), start, end, &mut |_: &Snapshot<'_>| ()).unwrap()
}

/// Times at which `contact` goes over to `mode`.
pub(crate) fn changes(report: &Report, contact: usize, mode: Mode) -> Vec<f64> {
    let events = report.events.iter().filter(|event| {
        matches!(event.kind, EventKind::Mode { contact: c, to, .. } if c == contact && to == mode)
    });
    events.map(|event| event.time).collect()
}
