//! Contacts whose regions are known are found by a search: motions have the same bits as with a look at every
//! contact in every step.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::fmt::Debug;

use nalgebra::Vector3;
use percussion_dynamics::{
    Body, FreeBodies, MassProperties, System,
    gap::{ContactPoint, ContactRows, GapFunction, Plane, Sphere, SpherePlane, SphereSphere},
};
use percussion_integrators::{
    Contact, Model, Scheme, Simulation, State, impulse_velocity, impulse_velocity::ImpulseVelocity,
    moreau_jean, moreau_jean::MoreauJean, stewart_trinkle, stewart_trinkle::StewartTrinkle,
    variational, variational::Variational,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A gap of which no regions and no points are known, so that it is evaluated in every step.
#[derive(Debug)]
struct Hidden<G>(G);

impl<G: GapFunction> GapFunction for Hidden<G> {
    fn gap(&self, system: &dyn System, coordinates: &[f64]) -> f64 {
        self.0.gap(system, coordinates)
    }

    fn rows(&self, system: &dyn System, coordinates: &[f64], rows: &mut ContactRows) -> f64 {
        self.0.rows(system, coordinates, rows)
    }

    fn contact_point(&self, system: &dyn System, coordinates: &[f64]) -> Option<ContactPoint> {
        self.0.contact_point(system, coordinates)
    }
}

const RADIUS: f64 = 0.05;
const COUNT: usize = 27;

fn contact<G: GapFunction + 'static>(gap: G, hidden: bool, restitution: f64) -> Contact {
    let contact = if hidden { Contact::new(Hidden(gap), 0.3) } else { Contact::new(gap, 0.3) };
    contact.with_restitution(restitution)
}

/// Balls on a lattice in a box, all pairs of them and of them with the walls. One is faster than the others, and
/// moves by its radius in a step of 0.01 s.
fn model(hidden: bool, friction: bool, restitution: f64) -> (Model, State) {
    let mut rng = ChaCha8Rng::seed_from_u64(17);
    let ball = Body::from_mass_properties(&MassProperties::solid_sphere(1.0, RADIUS).unwrap());
    let gravity = Vector3::new(0.0, 0.0, -9.81);
    let bodies = FreeBodies::new(vec![ball; COUNT], gravity).unwrap();
    let walls = [0, 1, 2].map(|k: usize| {
        [1.0, -1.0].map(|sign: f64| {
            let normal = sign * Vector3::ith(k, 1.0);
            Plane::new(&normal, &Vector3::ith(k, if sign > 0.0 { 0.0 } else { 0.5 })).unwrap()
        })
    });
    let mut contacts = Vec::new();
    for i in 0..COUNT {
        let one = Sphere::of_body(i, RADIUS);
        for &wall in walls.as_flattened() {
            contacts.push(contact(SpherePlane::new(one, wall).unwrap(), hidden, restitution));
        }
        for j in i + 1..COUNT {
            let gap = SphereSphere::new(one, Sphere::of_body(j, RADIUS)).unwrap();
            contacts.push(contact(gap, hidden, restitution));
        }
    }
    if !friction {
        contacts.iter_mut().for_each(|contact| contact.friction = 0.0);
    }
    let (mut coordinates, mut velocity) = (Vec::new(), Vec::new());
    for i in 0..COUNT {
        let place = [i % 3, i / 3 % 3, i / 9];
        coordinates.extend(place.map(|k| 0.1 + 0.15 * k as f64 + rng.random_range(-0.02..0.02)));
        coordinates.extend([1.0, 0.0, 0.0, 0.0]);
        let speed = if i == 13 { 5.0 } else { 0.5 };
        velocity.extend([0; 3].map(|_| rng.random_range(-speed..speed)));
        velocity.extend([0; 3].map(|_| rng.random_range(-1.0..1.0)));
    }
    let state = State { time: 0.0, coordinates, velocity };
    (Model::free_bodies(bodies, contacts).unwrap(), state)
}

/// Takes steps of both motions and compares them bit by bit; returns the number of reported contacts.
fn compare<S: Scheme>(
    steps: usize,
    (friction, restitution): (bool, f64),
    settings: impl Fn() -> S::Settings,
) -> usize {
    let [mut all, mut near] = [true, false].map(|hidden| {
        let (model, state) = model(hidden, friction, restitution);
        Simulation::<S>::new(model, settings(), state).unwrap()
    });
    let mut touched = 0;
    for step in 0..steps {
        let [one, other] = [all.step().unwrap(), near.step().unwrap()];
        assert_eq!(one, other, "step {step}");
        assert_eq!(bits(all.state()), bits(near.state()), "step {step}");
        touched += one.contacts.len();
    }
    touched
}

fn bits(state: &State) -> Vec<u64> {
    state.coordinates.iter().chain(&state.velocity).map(|x| x.to_bits()).collect()
}

#[test]
fn impulse_velocity_has_the_same_bits() {
    let settings =
        || impulse_velocity::Settings { step_size: 0.01, ..impulse_velocity::Settings::default() };
    assert!(compare::<ImpulseVelocity>(60, (true, 0.0), settings) > 1000);
}

#[test]
fn moreau_jean_has_the_same_bits() {
    let settings = || moreau_jean::Settings { step_size: 0.01, ..moreau_jean::Settings::default() };
    assert!(compare::<MoreauJean>(60, (true, 0.6), settings) > 300);
}

#[test]
fn stewart_trinkle_has_the_same_bits() {
    let settings =
        || stewart_trinkle::Settings { step_size: 0.01, ..stewart_trinkle::Settings::default() };
    assert!(compare::<StewartTrinkle>(12, (true, 0.0), settings) > 50);
}

#[test]
fn variational_has_the_same_bits() {
    let settings = || variational::Settings { step_size: 0.01, ..variational::Settings::default() };
    assert!(compare::<Variational>(12, (false, 1.0), settings) > 20);
}
