//! Compliant contacts and inclusions, whose steps are controlled by their error: what their accounts allow and catch.

use nalgebra::{Vector2, Vector3};
use percussion_dynamics::{
    PlanarBodies, PlanarBody, System,
    compliant::{FrictionLaw, Law, NormalLaw},
    gap::{Plane, Sphere, SpherePlane},
};
use percussion_integrators::{Contact, EnergyBalance, Model, State, compliant, inclusion};

use crate::explicit::Explicit;

/// A disc that is pushed along.
fn pushed(push: f64) -> Box<dyn System> {
    let disc = PlanarBody::new(1.0, 0.005);
    let bodies = PlanarBodies::new(vec![disc], Vector2::new(0.0, -9.81)).unwrap();
    Box::new(Explicit { bodies, push })
}

fn disc_on_floor() -> SpherePlane {
    let floor = Plane::new(&Vector3::y(), &Vector3::zeros()).unwrap();
    SpherePlane::new(Sphere::of_body(0, 0.1), floor).unwrap()
}

const START: [f64; 3] = [0.0, 0.5, 0.0];
const SPEED: [f64; 3] = [1.0, 0.0, 3.0];

/// Falls and bounces on a spring for a second.
fn by_springs(push: f64, method: compliant::Method) -> (compliant::Status, EnergyBalance) {
    let law = Law::new(
        NormalLaw::with_damping_ratio(1e5, 1.0, 0.0).unwrap(),
        FrictionLaw::regularized_coulomb(0.3, 1e-3).unwrap(),
    );
    let contact = compliant::Contact::new(disc_on_floor(), law);
    let model = compliant::Model::new(pushed(push), vec![contact]).unwrap();
    let start = model.state(START.to_vec(), SPEED.to_vec()).unwrap();
    let settings = compliant::Settings { method, ..compliant::Settings::default() };
    let report = compliant::integrate(&model, &settings, &start, 1.0, None, &mut |_| ()).unwrap();
    (report.status, report.energy)
}

/// Falls for 0.2 s.
fn by_inclusion(push: f64) -> (inclusion::Status, EnergyBalance) {
    let contact = Contact::new(disc_on_floor(), 0.0);
    let model = Model::new(pushed(push), vec![contact]).unwrap();
    let start = State { time: 0.0, coordinates: START.to_vec(), velocity: SPEED.to_vec() };
    let solution = inclusion::build(&model, &inclusion::Settings::default(), &start, 0.2).unwrap();
    (solution.status, solution.energy)
}

/// A push of 1e-3 of the momentum in a second gains some mJ of some J, which is far above the tolerances of 1e-8 and 1e-12.
#[test]
fn energy_that_nothing_explains_is_reported() {
    for method in [compliant::Method::Bdf, compliant::Method::TrBdf2, compliant::Method::Tsit45] {
        let (status, energy) = by_springs(0.0, method);
        assert_eq!(status, compliant::Status::EndReached, "{method:?}: {energy:?}");
        let (status, energy) = by_springs(0.1, method);
        assert_eq!(status, compliant::Status::EnergyGained, "{method:?}: {energy:?}");
    }
    let (status, energy) = by_inclusion(0.0);
    assert_eq!(status, inclusion::Status::EndReached, "{energy:?}");
    let (status, energy) = by_inclusion(1e-3);
    assert_eq!(status, inclusion::Status::EnergyGained, "{energy:?}");
}

/// What tolerances allow is far from what there is, 4.4 J: of contacts that give way less than the tenth that passes for
/// discretization in schemes of steps, since a relative error of 1e-8 of 0.4 m is 4e-9 m, times 1 kN, in each of a thousand
/// steps.
#[test]
fn what_is_allowed_is_small() {
    let (_, energy) = by_inclusion(0.0);
    assert!(energy.gained.abs() <= energy.allowed && energy.allowed < 1e-8, "{energy:?}");
    let (_, energy) = by_springs(0.0, compliant::Method::Tsit45);
    assert!(energy.gained <= energy.allowed && energy.allowed < 0.44, "{energy:?}");
}
