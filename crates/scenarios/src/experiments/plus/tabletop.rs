//! Single contacts in impending slip, against Coulomb's law in closed form.

use percussion_impact::Plus;

use super::{Measurements, Options, Progress, drawing, finish, law};
use crate::{
    error::Error,
    experiments::settled,
    figure::{Figure, Mark, Series},
    impacts::ImpactScenario,
    outcome::ExperimentOutcome,
};

const NAMES: [&str; 3] = ["tabletop-0.1", "tabletop-0.3", "tabletop-push"];

pub(in crate::experiments) fn run(
    id: &str,
    _options: &Options,
    _progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let scenarios: Vec<_> =
        NAMES.iter().map(|name| ImpactScenario::named(name)).collect::<Result<_, _>>()?;
    let expected: Vec<_> = scenarios.iter().flat_map(|one| one.expected.clone()).collect();
    let mut measurements = Measurements::new(id, &expected);
    // What slides at the start is in impending slip for the law only below its transition velocity.
    let plus = Plus { v_transition: 1.0, ..law(0.01) };
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
    let label = "percussion".to_owned();
    series.push(Series { label, mark: Mark::Arrows, points: arrows });
    let figure = Figure {
        id: "cones".to_owned(),
        title: "Percussions in impending slip".to_owned(),
        caption: "Each is on the side of its friction cone that opposes the slip at the end. The authors' \
                  program finds the first two outside of their cones and the third one on the other side."
            .to_owned(),
        x: drawing::axis("tangential percussion, each contact moved on", "N·s"),
        y: drawing::axis("normal percussion", "N·s"),
        equal_aspect: true,
        map: None,
        series,
    };
    finish(
        id,
        "Contacts that cannot hold",
        "A contact that hardly slides at the start and cannot hold slides at the end, and friction opposes \
         that. Three single contacts of which the answer is known in closed form. The case of equation (2.9) \
         of Uchida, Sherman & Delp (2015).",
        measurements,
        vec![figure],
    )
}
