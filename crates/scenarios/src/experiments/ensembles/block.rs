//! A block falls flat on two corners, many times.

use nalgebra::{Vector2, Vector3};
use percussion_dynamics::{PlanarBodies, PlanarBody};
use percussion_impact::set_valued::SetValuedRouth;
use percussion_integrators::{
    Model, State,
    ensemble::{Member, Settings, run as follow},
};
use percussion_mechanism::event_motion::follow as motion;
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
struct Block {
    gravity: f64,
    mass: f64,
    inertia: f64,
    corner: [f64; 2],
    friction: f64,
    /// Height of the corners at the start (m).
    drop: f64,
    /// Largest increment of an impulse in a step (N·s).
    step: f64,
    /// Time between the landing and the end of the motions that only land (s).
    after: f64,
    /// End of the motions to rest (s).
    duration: f64,
}

impl Block {
    fn model(&self, faults: Faults) -> Result<(Model, State), Error> {
        let body = PlanarBody::new(self.mass, self.inertia);
        let block = PlanarBodies::new(vec![body], Vector2::new(0.0, -self.gravity))?;
        let [half_width, half_height] = self.corner;
        let corner =
            |x: f64| point(0, Vector3::new(x, -half_height, 0.0), &Vector3::y(), self.friction);
        let contacts = faults.contacts(vec![corner(-half_width)?, corner(half_width)?]);
        let coordinates = vec![0.0, half_height + self.drop, 0.0];
        let start = State { time: 0.0, coordinates, velocity: vec![0.0; 3] };
        Ok((Model::new(Box::new(block), contacts)?, start))
    }
}

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let fixture = experiment.fixture::<Block>()?;
    let parameters = &fixture.parameters;
    let faults = experiment.faults();
    let (model, start) = parameters.model(faults)?;
    let mut settings = Settings { intervals: 100, ..Settings::default() };
    settings.law.seed = options.seed;
    settings.law.step = parameters.step;
    settings.law.steps = faults.steps(settings.law.steps);
    let members = |quick, more| if options.effort == Effort::Quick { quick } else { more };
    let start = |_member| start.clone();
    let landing = (2.0 * parameters.drop / parameters.gravity).sqrt();

    progress(0.0, "Landings");
    let landings = Settings { members: members(1000, 10_000), ..settings.clone() };
    let end = landing + parameters.after;
    let landings = follow(&model, &start, end, &landings, &|_| ())?;
    let landings = faults.ensemble(&model, landings);
    progress(0.5, "Motions to rest");
    let rocking = Settings { members: members(50, 500), ..settings };
    let ensemble = follow(&model, &start, parameters.duration, &rocking, &|_| ())?;
    let ensemble = faults.ensemble(&model, ensemble);

    let mut measurements = experiment.measurements(&fixture);
    add_fall(&mut measurements, &landings, 1, (parameters.gravity, landing));
    measurements.add("landing of the first motion", landed_at(&model, &start(0), landing)?);
    let (left, right) = (carries(0), carries(1));
    let rests = share(&landings, |member| left(member) && right(member));
    measurements.add("probability of rest at the landing", rests);
    let turns = share(&landings, |member| left(member) && !right(member));
    measurements.add("probability to turn about the left corner", turns);
    let turns = share(&landings, |member| right(member) && !left(member));
    measurements.add("probability to turn about the right corner", turns);
    let stands = |member: &Member| member.ending.closed.len() == 2;
    let end = share(&ensemble, stands);
    measurements.add("motions at rest at the end", 100.0 * end);
    measurements.add("sequences of impacts and modes", ensemble.sequences.len() as f64);
    add_dependability(&mut measurements, &ensemble);
    let figure = |quantity, names| band(&ensemble, quantity, &rocking.quantiles, names);
    let figures = vec![
        figure(2, ("angle", "angle", "rad")),
        figure(0, ("shift", "horizontal position", "m")),
        figure(3, ("energy", "energy", "J")),
    ];
    experiment.outcome(&fixture, measurements, figures)
}

/// The time of the first impact (s), which comes before twice the time `landing`.
fn landed_at(model: &Model, start: &State, landing: f64) -> Result<f64, Error> {
    let span = (2.0 * landing, landing);
    let motion = motion(model, &SetValuedRouth::default(), start, span, &mut |_| ())?;
    Ok(motion.report.events.first().map_or(f64::NAN, |event| event.time))
}
