//! The triple pendulum of Uchida, Sherman and Delp from free fall through its impacts to rest.
//!
//! # Source
//!
//! T. K. Uchida, M. A. Sherman, S. L. Delp, "Making a meaningful impact: modelling simultaneous frictional collisions in
//! spatial multibody systems", *Proceedings of the Royal Society A* 471 (2015) 20140859, example 4. The figures were computed
//! with another program, with the convention of angles written here.

use nalgebra::{Isometry3, Vector3};
use percussion_dynamics::{
    Anchor, Articulated, Joint, Link, MassProperties,
    gap::{Plane, Sphere, SpherePlane},
};
use percussion_impact::plus::Plus;
use percussion_integrators::event_driven::{EventKind, Mode, Settings, Status, integrate};
use percussion_integrators::{Contact, Model};

use crate::support::{GRAVITY, at, run};

/// Three cylinders of 1 m and 1 kg on pins, a sphere of 1 kg at the end, 2 m above the ground; the pins have dampers (N·m·s).
fn pendulum(damping: f64) -> Model {
    let about = |inertia: f64, distance: f64| {
        let inertia = nalgebra::Matrix3::from_diagonal_element(inertia);
        MassProperties::new(1.0, Vector3::new(0.0, -distance, 0.0), inertia).unwrap()
    };
    let cylinder = about((3.0 * 0.1 * 0.1 + 1.0) / 12.0, 0.5);
    let sphere = about(0.4 * 0.25 * 0.25, 1.0);
    let last = MassProperties::composite(&[cylinder, sphere]).unwrap();
    let pin = || Joint::revolute(Vector3::z()).with_damping(&[damping]);
    let below = Isometry3::translation(0.0, -1.0, 0.0);
    let links = vec![
        Link::new("first", pin()).at(Isometry3::translation(0.0, 2.0, 0.0)).with_mass(cylinder),
        Link::new("second", pin()).on("first").at(below).with_mass(cylinder),
        Link::new("third", pin()).on("second").at(below).with_mass(last),
    ];
    let system = Articulated::new(links, Vector3::new(0.0, -GRAVITY, 0.0)).unwrap();
    let center = Anchor::on_body(2, Vector3::new(0.0, -1.0, 0.0));
    let ground = Plane::new(&Vector3::y(), &Vector3::zeros()).unwrap();
    let gap = SpherePlane::new(Sphere { center, radius: 0.25 }, ground).unwrap();
    let contact = Contact::new(gap, 0.1).with_restitution(1.0);
    Model::new(Box::new(system), vec![contact]).unwrap()
}

/// Absolute angles of 135°, 225° and 240° from the downward vertical, at rest.
fn start() -> percussion_integrators::State {
    at([135.0_f64, 90.0, 15.0].map(f64::to_radians).into(), vec![0.0; 3])
}

#[test]
fn the_first_impact_is_the_published_one() {
    let model = pendulum(0.0);
    let law = Plus { e_min: Some(1.0), ..Plus::default() };
    let mut after = Vec::new();
    let settings = Settings { sample_interval: Some(10.0), ..Settings::default() };
    let report = integrate(&model, &law, &settings, &start(), 0.9, &mut |moment| {
        if moment.dissipated > 0.0 && after.is_empty() {
            after = moment.velocity.to_vec();
        }
    })
    .unwrap();
    let event = &report.events[0];
    assert!((event.time - 0.872_010_903).abs() < 1e-9, "{}", event.time);
    let EventKind::Impact { impulses, dissipated, .. } = &event.kind else { panic!("{event:?}") };
    // The figures have an accuracy of the law's interval of sliding, see its acceptance.
    assert!((impulses[0][0] - 20.5505).abs() < 1e-3 && (impulses[0][1] + 2.0551).abs() < 1e-3);
    assert!((dissipated - (93.685 - 84.776)).abs() < 2e-3, "{dissipated}");
    for (found, expected) in after.iter().zip([-5.753_484, 10.963_271, -3.468_773]) {
        assert!((found - expected).abs() < 1e-3, "{after:?}");
    }
    assert!(report.energy.residual().abs() < 1e-7, "{:?}", report.energy);
}

/// With dampers of 1 N·m·s it lands, bounces, slides and ends at rest with the sphere on the ground; where the energy went is known to
/// 1e-6 J of 56 J.
#[test]
fn it_comes_to_rest_on_the_ground_with_its_energy_accounted_for() {
    let report = run(&pendulum(1.0), &Plus::default(), &start(), 40.0);
    assert_eq!(report.status, Status::EndReached);
    assert_ne!(report.modes, [Mode::Open]);
    assert!(report.state.velocity.iter().all(|v| v.abs() < 1e-3), "{:?}", report.state);
    let energy = &report.energy;
    assert!(energy.impacts > 0.1 && energy.other_work < -1.0, "{energy:?}");
    assert!(energy.residual().abs() < 1e-6, "{energy:?}");
    assert!(report.drift.penetration < 2e-9, "{:?}", report.drift);
}
