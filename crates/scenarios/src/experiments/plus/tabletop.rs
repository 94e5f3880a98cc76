//! Single contacts in impending slip, against Coulomb's law in closed form.

use percussion_impact::plus::Plus;
use percussion_record::{ExperimentOutcome, Figure, Mark, Series};
use serde::Deserialize;

use super::law;
use crate::{
    error::Error,
    experiments::{Experiment, Options, Progress, drawing, settled},
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    impacts: Vec<String>,
    /// Largest turn of the slip direction within an interval (rad).
    theta_max: f64,
    /// Transition velocity of the law (m/s).
    v_transition: f64,
}

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    _options: &Options,
    _progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let fixture = experiment.fixture::<Parameters>()?;
    let Parameters { impacts, theta_max, v_transition } = &fixture.parameters;
    let scenarios = impacts.iter().map(|name| experiment.impact(name));
    let scenarios = scenarios.collect::<Result<Vec<_>, _>>()?;
    let mut measurements = experiment.measurements(&fixture);
    let plus = Plus { v_transition: *v_transition, ..law(*theta_max) };
    let (mut arrows, mut cones) = (Vec::new(), Vec::new());
    for (index, scenario) in scenarios.iter().enumerate() {
        let problem = scenario.build()?.problem;
        let outcome = settled(&plus, &problem, &[])?;
        let (name, impulse) = (&scenario.name, &outcome.impulses[0]);
        let after = problem.contact_velocity(&outcome.velocity);
        measurements.add(format!("{name}: sliding velocity after"), after[1]);
        measurements.add(format!("{name}: percussion, tangential"), impulse.tangent[0]);
        measurements.add(format!("{name}: percussion, normal"), impulse.normal);
        let (foot, friction) = (1.5 * index as f64, scenario.contacts[0].friction);
        let height = 1.3;
        let (left, right) = (foot - friction * height, foot + friction * height);
        cones.push(drawing::outline(vec![[left, height], [foot, 0.0], [right, height]]));
        arrows.extend([[foot, 0.0], [foot + impulse.tangent[0], impulse.normal]]);
    }
    let mut series = cones;
    let label = "impulse".to_owned();
    series.push(Series { label, mark: Mark::Arrows, points: arrows });
    let figure = Figure {
        id: "cones".to_owned(),
        title: "Impulses in impending slip".to_owned(),
        caption: "Each lies on the side of its friction cone that opposes the slip at the end. The authors' \
                  program finds the first two outside of their cones and the third one on the other side."
            .to_owned(),
        x: drawing::axis("tangential impulse, contacts side by side", "N·s"),
        y: drawing::axis("normal percussion", "N·s"),
        equal_aspect: true,
        map: None,
        series,
    };
    experiment.outcome(&fixture, measurements, vec![figure])
}
