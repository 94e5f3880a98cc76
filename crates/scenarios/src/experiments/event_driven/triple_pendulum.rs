//! A triple pendulum that swings against the ground and comes to rest.

use nalgebra::{Isometry3, Matrix3, Vector3};
use percussion_dynamics::{Anchor, Articulated, Joint, Link, MassProperties, gap::Sphere};
use percussion_impact::plus::Plus;
use percussion_integrators::{Model, State};
use percussion_mechanism::{
    event_motion::{EventMotion, follow},
    trajectory::Trajectory,
};
use percussion_record::{ExperimentOutcome, Figure};
use serde::Deserialize;

use super::{add_dependability, contact, energy, impacts, over, speed};
use crate::{
    error::Error,
    experiments::{Experiment, Options, Progress, drawing},
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pendulum {
    gravity: f64,
    pin: f64,
    length: f64,
    radius: f64,
    mass: f64,
    sphere_radius: f64,
    friction: f64,
    restitution: f64,
    angles: [f64; 3],
    flight: f64,
    damping: f64,
    duration: f64,
    interval: f64,
}

impl Pendulum {
    /// The pendulum with dampers of `damping` (N·m·s) in its pins, and its initial state.
    fn model(&self, damping: f64) -> Result<(Model, State), Error> {
        let Self { length, radius, mass, sphere_radius, .. } = *self;
        let refused = |source| Error::Mass { path: "mass".to_owned(), source };
        let about = |moment: f64, distance: f64| {
            let center = Vector3::new(0.0, -distance, 0.0);
            MassProperties::new(mass, center, Matrix3::from_diagonal_element(moment))
                .map_err(refused)
        };
        let cylinder =
            about(mass * (3.0 * radius * radius + length * length) / 12.0, 0.5 * length)?;
        let sphere = about(0.4 * mass * sphere_radius * sphere_radius, length)?;
        let last = MassProperties::composite(&[cylinder, sphere]).map_err(refused)?;
        let pin = || Joint::revolute(Vector3::z()).with_damping(&[damping]);
        let below = Isometry3::translation(0.0, -length, 0.0);
        let links = vec![
            Link::new("first", pin())
                .at(Isometry3::translation(0.0, self.pin, 0.0))
                .with_mass(cylinder),
            Link::new("second", pin()).on("first").at(below).with_mass(cylinder),
            Link::new("third", pin()).on("second").at(below).with_mass(last),
        ];
        let pendulum = Articulated::new(links, Vector3::new(0.0, -self.gravity, 0.0))?;
        let center = Anchor::on_body(2, Vector3::new(0.0, -length, 0.0));
        let sphere = contact(Sphere { center, radius: sphere_radius }, "sphere", self.friction)?
            .with_restitution(self.restitution);
        let [first, second, third] = self.angles.map(f64::to_radians);
        let coordinates = vec![first, second - first, third - second];
        let start = State { time: 0.0, coordinates, velocity: vec![0.0; 3] };
        Ok((Model::new(Box::new(pendulum), vec![sphere])?, start))
    }
}

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    _options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let fixture = experiment.fixture::<Pendulum>()?;
    let parameters = &fixture.parameters;
    let (model, start) = parameters.model(0.0)?;
    // In the first impact it slides in one direction, so a coarse step gives the same result.
    let law = Plus::default();
    let span = (parameters.flight, parameters.interval);
    let EventMotion { trajectory: flight, report: first, .. } =
        follow(&model, &law, &start, span, &mut |_| ())?;
    let never = || Error::NoEvent { scenario: experiment.id.to_owned(), event: "the sphere lands" };
    let landing = impacts(&first).next().ok_or_else(never)?;
    let after = flight.samples.iter().rfind(|sample| sample.time <= landing.time);
    let rates = after.map_or([f64::NAN; 3], |sample| [0, 1, 2].map(|pin| sample.velocity[pin]));

    let (damped, _) = parameters.model(parameters.damping)?;
    let mut tell = |fraction| progress(fraction, "A damped pendulum comes to rest");
    let span = (parameters.duration, parameters.interval);
    let EventMotion { mut trajectory, mut report, .. } =
        follow(&damped, &law, &start, span, &mut tell)?;
    experiment.faults().motion(&damped, &mut trajectory, &mut report);
    let mut measurements = experiment.measurements(&fixture);
    measurements.add("sphere lands", landing.time);
    measurements.add("normal percussion of the first impact", landing.impulse[0]);
    measurements.add("friction percussion of the first impact", landing.impulse[1].abs());
    measurements.add("energy lost in the first impact", landing.lost);
    for (name, rate) in ["first", "second", "third"].into_iter().zip(rates) {
        measurements.add(format!("rate of the {name} pin after it"), rate);
    }
    measurements.add("impacts until it stays on the ground", report.counters.impacts as f64);
    measurements.add("speed at rest", speed(trajectory.end()));
    add_dependability(&mut measurements, &report);
    let height =
        over(&trajectory, &report, ("sphere", "height of the sphere above the ground", "m"), |s| {
            s.gaps[0]
        });
    experiment.outcome(
        &fixture,
        measurements,
        vec![height, angles(&trajectory), energy(&trajectory, &report)],
    )
}

fn angles(trajectory: &Trajectory) -> Figure {
    let pin = |(pin, name): (usize, &str)| {
        drawing::line(name, drawing::history(trajectory, |sample| sample.coordinates[pin]))
    };
    let names = ["first pin", "second pin", "third pin"];
    Figure {
        id: "angles".to_owned(),
        title: "The angles of the pins over time".to_owned(),
        caption: "Relative to the link before, positive counterclockwise.".to_owned(),
        x: drawing::axis("time", "s"),
        y: drawing::axis("angle", "rad"),
        equal_aspect: false,
        map: None,
        series: names.into_iter().enumerate().map(pin).collect(),
    }
}
