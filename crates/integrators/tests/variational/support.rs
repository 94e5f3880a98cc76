//! Mechanisms that several tests share.

use nalgebra::{Isometry3, Vector2, Vector3};
use percussion_dynamics::{
    Articulated, Joint, Link, MassProperties, PlanarBodies, PlanarBody,
    gap::{Plane, Sphere, SpherePlane, SphereSphere},
};
use percussion_impact::{Law, propagative::Propagative};
use percussion_integrators::variational::Settings;
use percussion_integrators::{Contact, Model, Simulation, State, variational::Variational};

pub(crate) fn elastic() -> Box<dyn Law> {
    Box::new(Propagative::default())
}

pub(crate) fn settings(step_size: f64) -> Settings {
    Settings { step_size, ..Settings::default() }
}

pub(crate) fn state(coordinates: &[f64], velocity: &[f64]) -> State {
    State { time: 0.0, coordinates: coordinates.to_vec(), velocity: velocity.to_vec() }
}

/// A chain of `count` equal rods of 1 m and 1 kg, the first free in the plane or hinged to the world.
pub(crate) fn chain(count: usize, is_free: bool, gravity: f64) -> Articulated {
    let rod = MassProperties::solid_box(1.0, &Vector3::new(1.0, 0.1, 0.1)).unwrap();
    let rod = rod.translated(&Vector3::new(0.5, 0.0, 0.0));
    let link = |i: usize| {
        let joint = if i == 0 && is_free { Joint::planar() } else { Joint::revolute(Vector3::z()) };
        let link = Link::new(i.to_string(), joint).with_mass(rod);
        if i == 0 {
            link
        } else {
            link.on((i - 1).to_string()).at(Isometry3::translation(1.0, 0.0, 0.0))
        }
    };
    Articulated::new((0..count).map(link).collect(), Vector3::new(0.0, -gravity, 0.0)).unwrap()
}

pub(crate) fn floor() -> Plane {
    Plane::new(&Vector3::y(), &Vector3::zeros()).unwrap()
}

/// Both ends of every rod of a [`chain`] against the floor.
pub(crate) fn ends_on_floor(count: usize) -> Vec<Contact> {
    let tip = |body: usize, x: f64| {
        let point = Sphere::on_body(body, Vector3::new(x, 0.0, 0.0), 0.0);
        Contact::new(SpherePlane::new(point, floor()).unwrap(), 0.0)
    };
    let first = tip(0, 0.0);
    std::iter::once(first).chain((0..count).map(|i| tip(i, 1.0))).collect()
}

/// Discs of 1 kg and radius 0.1 m under gravity, with all pairs and the floor as contacts.
pub(crate) fn discs(count: usize, gravity: f64) -> (PlanarBodies, Vec<Contact>) {
    let body = PlanarBody::new(1.0, 0.005);
    let bodies = PlanarBodies::new(vec![body; count], Vector2::new(0.0, -gravity)).unwrap();
    let mut contacts = Vec::new();
    for i in 0..count {
        let disc = Sphere::of_body(i, 0.1);
        contacts.push(Contact::new(SpherePlane::new(disc, floor()).unwrap(), 0.0));
        for j in 0..i {
            contacts
                .push(Contact::new(SphereSphere::new(disc, Sphere::of_body(j, 0.1)).unwrap(), 0.0));
        }
    }
    (bodies, contacts)
}

pub(crate) fn integrator(
    model: Model,
    settings: Settings,
    state: State,
) -> Simulation<Variational> {
    Simulation::<Variational>::with_law(model, elastic(), settings, state).unwrap()
}
