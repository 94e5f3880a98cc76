//! Energy and momentum over a million variational steps: a pendulum, and chains of rods that bounce, with the
//! ledger of energy and without it.
//!
//! `cargo run --release -p percussion-integrators --example variational_energy`

#![expect(clippy::print_stdout, reason = "it is an example")]

use std::{error::Error, time::Instant};

use nalgebra::{Isometry3, Vector3};
use percussion_dynamics::{
    Articulated, Joint, Link, MassProperties,
    gap::{Plane, Sphere, SpherePlane},
};
use percussion_impact::propagative::Propagative;
use percussion_integrators::{
    Contact, Model, Simulation, State,
    variational::{Settings, Variational},
};

const STEPS: usize = 1_000_000;

/// Rods of 1 m and 1 kg, the first hinged to the world or free.
fn chain(count: usize, is_free: bool) -> Result<Articulated, Box<dyn Error>> {
    let rod = MassProperties::solid_box(1.0, &Vector3::new(1.0, 0.1, 0.1))?;
    let rod = rod.translated(&Vector3::new(0.5, 0.0, 0.0));
    let link = |i: usize| {
        let joint = if i == 0 && is_free { Joint::planar() } else { Joint::revolute(Vector3::z()) };
        let link = Link::new(i.to_string(), joint).with_mass(rod);
        if i == 0 {
            return link;
        }
        link.on((i - 1).to_string()).at(Isometry3::translation(1.0, 0.0, 0.0))
    };
    Ok(Articulated::new((0..count).map(link).collect(), Vector3::new(0.0, -10.0, 0.0))?)
}

/// The ends of the rods of a chain against the floor.
fn ends(count: usize) -> Result<Vec<Contact>, Box<dyn Error>> {
    let floor = Plane::new(&Vector3::y(), &Vector3::zeros())?;
    let tip = |body: usize, x: f64| -> Result<Contact, Box<dyn Error>> {
        let point = Sphere::on_body(body, Vector3::new(x, 0.0, 0.0), 0.0);
        Ok(Contact::new(SpherePlane::new(point, floor)?, 0.0))
    };
    std::iter::once(tip(0, 0.0)).chain((0..count).map(|i| tip(i, 1.0))).collect()
}

/// Which tenth of the run has which error of energy, and what the ledger of energy had to do.
fn trial(
    name: &str,
    model: Model,
    settings: Settings,
    coordinates: Vec<f64>,
    velocity: Vec<f64>,
) -> Result<(), Box<dyn Error>> {
    let start = State { time: 0.0, coordinates, velocity };
    let law = Box::new(Propagative::default());
    let mut motion = Simulation::<Variational>::with_law(model, law, settings, start)?;
    let momentum = motion.momentum()[0];
    let mut first = None;
    let (mut impacts, mut plastic, mut left, mut worst) = (0, 0, 0, [0.0_f64; 10]);
    let (mut residual, mut correction) = (0.0_f64, 0.0_f64);
    let clock = Instant::now();
    for k in 0..STEPS {
        let report = motion.step()?;
        let first = *first.get_or_insert(report.energy_before);
        let tenth = &mut worst[10 * k / STEPS];
        *tenth = tenth.max((report.energy_after - first).abs());
        residual = residual.max(report.relative_residual);
        impacts += report.impacts.len();
        for impact in &report.impacts {
            plastic += usize::from(impact.is_plastic);
            let change = (impact.correction - 1.0).abs();
            left += usize::from(impact.energy_error != 0.0 && change == 0.0);
            correction = correction.max(change);
        }
    }
    let micros = clock.elapsed().as_secs_f64() * 1e6 / STEPS as f64;
    let worst = worst.map(|error| format!("{error:.1e}")).join(" ");
    println!("{name}, h = {} s, {:.2} J", settings.step_size, first.unwrap_or(f64::NAN));
    println!("  error of energy in tenths {worst}");
    println!(
        "  {impacts} impacts, {plastic} plastic, {left} left as they were, largest correction {correction:.1e}"
    );
    let drift = motion.momentum()[0] - momentum;
    println!(
        "  momentum along x changes by {drift:.1e}, residual {residual:.1e}, {micros:.1} µs a step"
    );
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let settings = |step_size| Settings { step_size, ..Settings::default() };
    for h in [0.02, 0.01] {
        let pendulum = Model::lagrangian(Box::new(chain(1, false)?), vec![])?;
        trial("pendulum", pendulum, settings(h), vec![0.4], vec![0.0])?;
    }
    for count in 1..=4 {
        for h in [2e-3, 1e-3, 5e-4] {
            for correction_limit in [0.0, Settings::default().correction_limit] {
                let model = Model::lagrangian(Box::new(chain(count, true)?), ends(count)?)?;
                let mut coordinates = vec![0.0, 2.0, 0.3];
                coordinates.resize(2 + count, -0.5);
                let mut velocity = vec![0.7, 0.0, 1.0];
                velocity.resize(2 + count, -1.0);
                let with = if correction_limit > 0.0 { "with" } else { "without" };
                let name = format!("bouncing chain of {count} {with} the ledger");
                let settings = Settings { correction_limit, ..settings(h) };
                trial(&name, model, settings, coordinates, velocity)?;
            }
        }
    }
    Ok(())
}
