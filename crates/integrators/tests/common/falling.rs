//! A disc over a floor in the plane, for tests of what is refused.

use nalgebra::{Vector2, Vector3};
use percussion_dynamics::gap::{Plane, Sphere, SpherePlane};
use percussion_dynamics::{PlanarBodies, PlanarBody, System};
use percussion_integrators::{Contact, Model, State};

/// A disc of 1 kg and 1 kg m² under gravity of 10 m/s².
pub fn bodies() -> Box<dyn System> {
    Box::new(PlanarBodies::new(vec![PlanarBody::new(1.0, 1.0)], Vector2::new(0.0, -10.0)).unwrap())
}

/// A disc of 0.5 m around the center of `body` over the floor.
pub fn contact(body: usize, friction: f64) -> Contact {
    let floor = Plane::new(&Vector3::y(), &Vector3::zeros()).unwrap();
    Contact::new(SpherePlane::new(Sphere::of_body(body, 0.5), floor).unwrap(), friction)
}

/// Disc and floor with friction of 0.5.
pub fn model() -> Model {
    Model::new(bodies(), vec![contact(0, 0.5)]).unwrap()
}

/// At rest on the floor.
pub fn state() -> State {
    State { time: 0.0, coordinates: vec![0.0, 0.5, 0.0], velocity: vec![0.0; 3] }
}
