//! A ball bounces infinitely often and then rests, by two schemes: from event to event, and in steps.
//!
//! `cargo run -p percussion-integrators --example bouncing_ball`

#![expect(clippy::print_stdout, reason = "the output of an example")]

use std::error::Error;

use nalgebra::{Vector2, Vector3};
use percussion_dynamics::{
    PlanarBodies, PlanarBody,
    gap::{Plane, Sphere, SpherePlane},
};
use percussion_impact::newton::Newton;
use percussion_integrators::{
    Contact, Model, Simulation, State,
    event_driven::{self, EventKind},
    stewart_trinkle::{self, StewartTrinkle},
};

fn main() -> Result<(), Box<dyn Error>> {
    let ball = PlanarBodies::new(vec![PlanarBody::new(1.0, 1.0)], Vector2::new(0.0, -10.0))?;
    let floor = Plane::new(&Vector3::y(), &Vector3::zeros())?;
    let contact = Contact::new(SpherePlane::new(Sphere::of_body(0, 0.0), floor)?, 0.0);
    let model = Model::new(Box::new(ball), vec![contact.with_restitution(0.5)])?;
    let start = State { time: 0.0, coordinates: vec![0.0, 1.25, 0.0], velocity: vec![0.0; 3] };

    // It lands after 0.5 s and keeps half of its speed: flights of 0.5, 0.25, … s end after 1.5 s.
    let settings = event_driven::Settings::default();
    let report =
        event_driven::integrate(&model, &Newton::default(), &settings, &start, 2.0, &mut |_| ())?;
    for event in &report.events {
        if let EventKind::Accumulation { limit, landings, .. } = event.kind {
            println!("event-driven: at rest after {limit:.12} s, {landings} landings followed");
            assert!((limit - 1.5).abs() < 1e-9, "{limit}");
        }
    }
    let taken = report.energy.impacts;
    assert!(
        (taken - 12.5).abs() < 1e-9,
        "impacts take all of 1 kg · 10 m/s² · 1.25 m, not {taken} J"
    );

    // The time stepping of Stewart and Trinkle is inelastic: the first landing stops the ball within a step.
    let settings =
        stewart_trinkle::Settings { step_size: 0.01, ..stewart_trinkle::Settings::planar() };
    let mut stepper = Simulation::<StewartTrinkle>::new(model, settings, start)?;
    let mut landing = f64::INFINITY;
    stepper.run(2.0, |state, _report| {
        if state.velocity[1].abs() < 1e-9 {
            landing = landing.min(state.time);
        }
    })?;
    println!("time stepping, inelastic: at rest after {landing:.2} s");
    assert!((landing - 0.5).abs() < 0.02, "{landing}");
    assert!(stepper.state().coordinates[1].abs() < 1e-9, "on the floor");
    Ok(())
}
