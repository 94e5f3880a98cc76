//! The spinning rod of section 4 of the paper: a first contact without solution in finite forces.
//!
//! The paper prints the friction directions as `(±1, 0, ±(l/2) sin θ)`, the arm of the center of the
//! rod's end. Its published second contact is reproduced with the arm of the contact point, which is
//! longer by the end radius; without it, the second contact comes 0.019 s too early.

use std::f64::consts::{FRAC_PI_6, PI};

use nalgebra::{Vector2, Vector3};
use percussion_dynamics::gap::{Plane, rounded_rod_plane};
use percussion_dynamics::{PlanarBodies, PlanarBody};
use percussion_integrators::stewart_trinkle::Settings;
use percussion_integrators::{Contact, Model, Simulation, State, stewart_trinkle::StewartTrinkle};

#[test]
fn the_rod_hits_slides_and_rests_as_published() {
    let rod = PlanarBody::new(1.0, 0.002);
    let system = PlanarBodies::new(vec![rod], Vector2::new(0.0, -9.81)).unwrap();
    let table = Plane::new(&Vector3::y(), &Vector3::zeros()).unwrap();
    let ends = rounded_rod_plane(0, 0.5, 0.05, table).unwrap();
    let contacts = ends.map(|end| Contact::new(end, 0.6)).into();
    let model = Model::new(Box::new(system), contacts).unwrap();
    let state =
        State { time: 0.0, coordinates: vec![0.0, 1.0, FRAC_PI_6], velocity: vec![0.0, 0.0, 4.0] };
    let settings = Settings { step_size: 0.000_625, ..Settings::planar() };
    let mut integrator = Simulation::<StewartTrinkle>::new(model, settings, state).unwrap();

    let mut first_impulse = [f64::NAN; 2];
    let mut last_motion = 0.0;
    integrator
        .run(0.8, |state, report| {
            for contact in &report.contacts {
                let time = &mut first_impulse[contact.contact];
                if contact.impulse.x > 0.0 && time.is_nan() {
                    *time = state.time;
                }
                assert!(
                    contact.gap >= -1e-9,
                    "penetrates by {} m at {} s",
                    -contact.gap,
                    state.time
                );
            }
            if state.velocity.iter().any(|v| v.abs() > 1e-6) {
                last_motion = state.time;
            }
        })
        .unwrap();

    // The independent figures of the experiment, with its accepted deviations.
    assert!((first_impulse[1] - 0.3856).abs() < 0.002, "{first_impulse:?}");
    assert!((first_impulse[0] - 0.5481).abs() < 0.002, "{first_impulse:?}");
    assert!(last_motion < 0.570, "{last_motion}");
    let end = &integrator.state().coordinates;
    assert!((end[0] + 0.2282).abs() < 5e-5, "{end:?}");
    assert!((end[2] - PI).abs() < 1e-9, "{end:?}");
}
