//! A biped with limp legs lands on both feet, many times.

use nalgebra::{Isometry3, Matrix3, Vector3};
use percussion_dynamics::{Articulated, Joint, Link, MassProperties};
use percussion_integrators::{
    Model, State,
    ensemble::{Member, Settings, run as follow},
};
use percussion_record::ExperimentOutcome;
use serde::Deserialize;

use super::{add_dependability, add_fall, band, carries, point, share};
use crate::{
    error::Error,
    experiments::{Effort, Experiment, Options, Progress},
    fault::Faults,
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Biped {
    gravity: f64,
    /// Masses of the hips and of a leg (kg).
    masses: [f64; 2],
    /// Moments of inertia of the hips and of a leg about their centers (kg·m²).
    inertia: [f64; 2],
    /// Length of a leg; its center is halfway (m).
    length: f64,
    /// Angle of each leg from the vertical (rad).
    angle: f64,
    friction: f64,
    /// Height of the feet at the start (m).
    drop: f64,
    /// End of the motions after the landing (s).
    after: f64,
    /// End of the motions of the bands (s).
    duration: f64,
    /// Standard deviations by which two equally likely numbers may differ.
    deviations: f64,
}

impl Biped {
    fn model(&self, faults: Faults) -> Result<(Model, State), Error> {
        let refused = |source| Error::Mass { path: "masses".to_owned(), source };
        let mass = |part: usize, center: Vector3<f64>| {
            let inertia = Matrix3::from_diagonal_element(self.inertia[part]);
            MassProperties::new(self.masses[part], center, inertia).map_err(refused)
        };
        let leg = |name: &str| -> Result<Link, Error> {
            let center = Vector3::new(0.0, -0.5 * self.length, 0.0);
            let pin = Joint::revolute(Vector3::z());
            Ok(Link::new(name, pin)
                .on("hips")
                .at(Isometry3::identity())
                .with_mass(mass(1, center)?))
        };
        let hips = Link::new("hips", Joint::planar()).with_mass(mass(0, Vector3::zeros())?);
        let links = vec![hips, leg("left leg")?, leg("right leg")?];
        let biped = Articulated::new(links, Vector3::new(0.0, -self.gravity, 0.0))?;
        let end = Vector3::new(0.0, -self.length, 0.0);
        let foot = |leg: usize| point(leg, end, &Vector3::y(), self.friction);
        let height = self.length * self.angle.cos() + self.drop;
        let coordinates = vec![0.0, height, 0.0, -self.angle, self.angle];
        let start = State { time: 0.0, coordinates, velocity: vec![0.0; 5] };
        let feet = faults.contacts(vec![foot(1)?, foot(2)?]);
        Ok((Model::new(Box::new(biped), feet)?, start))
    }
}

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let fixture = experiment.fixture::<Biped>()?;
    let parameters = &fixture.parameters;
    let faults = experiment.faults();
    let (model, start) = parameters.model(faults)?;
    let start = |_member| start.clone();
    let members = |quick, more| if options.effort == Effort::Quick { quick } else { more };
    let mut settings = Settings { members: members(1000, 10_000), ..Settings::default() };
    settings.law.seed = options.seed;
    settings.law.steps = faults.steps(settings.law.steps);
    let landing = (2.0 * parameters.drop / parameters.gravity).sqrt();
    progress(0.0, "Landings");
    let landings = follow(&model, &start, landing + parameters.after, &settings, &|_| ())?;
    let landings = faults.ensemble(&model, landings);
    progress(0.5, "Motions");
    settings.members = members(50, 500);
    let ensemble = follow(&model, &start, parameters.duration, &settings, &|_| ())?;
    let ensemble = faults.ensemble(&model, ensemble);

    let mut measurements = experiment.measurements(&fixture);
    let lands = |member: &&Member| member.sequence.phases.get(1).is_some();
    let landed = landings.members.iter().filter(lands).count();
    measurements.add("motions that land", 100.0 * landed as f64 / landings.members.len() as f64);
    let (left, right) = (carries(0), carries(1));
    let lifts_left = share(&landings, |member| right(member) && !left(member));
    let lifts_right = share(&landings, |member| left(member) && !right(member));
    measurements.add("probability that only the left foot lifts", lifts_left);
    measurements.add("probability that only the right foot lifts", lifts_right);
    let stays = share(&landings, |member| left(member) && right(member));
    measurements.add("probability that both feet stay", stays);
    let count = landings.members.len() as f64;
    let deviation = (lifts_left - lifts_right).abs() * (count / (lifts_left + lifts_right)).sqrt();
    let beyond = (deviation - parameters.deviations).max(0.0);
    measurements.add("asymmetry beyond the bound", beyond);
    add_fall(&mut measurements, &landings, 1, (parameters.gravity, landing));
    add_dependability(&mut measurements, &ensemble);
    let figure = |quantity, names| band(&ensemble, quantity, &settings.quantiles, names);
    let figures = vec![
        figure(0, ("shift", "horizontal position of the hips", "m")),
        figure(1, ("height", "height of the hips", "m")),
        figure(5, ("energy", "energy", "J")),
    ];
    experiment.outcome(&fixture, measurements, figures)
}
