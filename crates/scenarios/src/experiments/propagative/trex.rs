//! The robot TREX: a stance whose landing has only one outcome, and motions that land in two orders.

use std::{collections::BTreeMap, f64::consts::PI};

use self::gait::Gait;
use percussion_impact::design::Status;
use percussion_mechanism::design::{Design, Designed};
use percussion_record::{ExperimentOutcome, Figure, Mark, Series};
use serde::Deserialize;

use crate::{
    error::Error,
    experiments::{Effort, Experiment, Measurements, Options, Progress, drawing},
    fault::Faults,
};

mod gait;
mod objective;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    design: String,
    /// Bodies whose joints have springs and dampers.
    sprung: Vec<String>,
    /// Bodies whose joints are driven.
    driven: Vec<String>,
    gravity: f64,
    drop: f64,
    hip_stiffness: f64,
    hip_damping: f64,
    hip_speed: f64,
    joint_stiffness: f64,
    joint_damping: f64,
    friction: f64,
    step_size: f64,
    /// Factor on the step size at effort `quick`.
    quick: f64,
    duration: f64,
    published: BTreeMap<String, f64>,
}

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let fixture = experiment.fixture::<Parameters>()?;
    let parameters = &fixture.parameters;
    let longer = if options.effort == Effort::Quick { parameters.quick } else { 1.0 };
    let step_size = longer * parameters.step_size;
    let design = experiment.design(&parameters.design)?;
    progress(0.0, &design.title);
    let designed = design.solve()?;
    let mut measurements = experiment.measurements(&fixture);
    measure_design(
        &design,
        &designed,
        &fixture.parameters,
        experiment.faults(),
        &mut measurements,
    )?;

    let optimized = designed.report.variables.clone();
    let straight = straight_legs(&design, &optimized);
    let what = "The optimized gait lands in two orders";
    progress(0.2, what);
    let optimized_gait =
        Gait::run(&design.mechanism_at(&optimized)?, parameters, step_size, experiment.faults())?;
    progress(0.6, "The initial gait lands in two orders");
    let initial_gait =
        Gait::run(&design.mechanism_at(&straight)?, parameters, step_size, experiment.faults())?;
    let first = |gait: &Gait| {
        let none = Error::NoEvent {
            scenario: experiment.id.to_owned(),
            event: "tail and foot land at once",
        };
        gait.first_simultaneous.ok_or(none)
    };
    let (initial, best) = (first(&initial_gait)?, first(&optimized_gait)?);
    let quantity = |of| format!("indeterminacy of the {of} gait at the first simultaneous impact");
    measurements.add(quantity("initial"), initial);
    measurements.add(quantity("optimized"), best);
    measurements.add("ratio of the two indeterminacies", best / initial);
    measurements.add(
        "largest ratio of the two over time after the landing",
        largest_ratio(&initial_gait, &optimized_gait),
    );
    for (of, gait) in [("initial", &initial_gait), ("optimized", &optimized_gait)] {
        let quantity = format!("elastic impacts of several contacts, {of} gait");
        measurements.add(quantity, gait.several as f64);
    }
    let both = [&initial_gait, &optimized_gait];
    let largest = |of: fn(&Gait) -> f64| both.iter().map(|gait| of(gait)).fold(0.0, f64::max);
    measurements.add("largest change of energy in an elastic impact", largest(|gait| gait.energy));
    let plastic: usize = both.iter().map(|gait| gait.plastic).sum();
    measurements.add("impacts that the Zeno rule made plastic", plastic as f64);
    measurements.add("deepest penetration at step ends", largest(|gait| gait.penetration));

    // Both gaits fall freely until then.
    let landing = (2.0 * parameters.drop / parameters.gravity).sqrt();
    let figures = vec![
        stances(&design, &optimized, &straight),
        search(&designed),
        objective::map(&design, &published(&design, parameters), &optimized)?,
        indeterminacies(landing, &initial_gait, &optimized_gait),
    ];
    experiment.outcome(&fixture, measurements, figures)
}

/// Largest indeterminacy of the optimized gait over that of the initial one at the same time, while the latter is not
/// zero: both gaits land at the same time.
fn largest_ratio(initial: &Gait, optimized: &Gait) -> f64 {
    let pairs = initial.indeterminacy.iter().zip(&optimized.indeterminacy);
    let ratios = pairs.filter(|(one, _)| one[1] > 0.0).map(|(one, other)| other[1] / one[1]);
    ratios.fold(0.0, f64::max)
}

fn measure_design(
    design: &Design,
    designed: &Designed,
    parameters: &Parameters,
    faults: Faults,
    measurements: &mut Measurements<'_>,
) -> Result<(), Error> {
    let report = &designed.report;
    let published = published(design, parameters);
    measurements.add("⟨u, v⟩ of the initial stance", design.cosines_at(&design.start())?[0]);
    // Measured again at the design that was found.
    let mut found = report.variables.clone();
    faults.positions(&mut found);
    measurements.add("⟨u, v⟩ of the optimized stance", design.cosines_at(&found)?[0]);
    let gap = design.gaps_at(&found)?.iter().fold(0.0, |gap: f64, one| gap.max(one.abs()));
    measurements.add("tail and right foot above the floor, at most", gap);
    measurements.add("left foot above the floor", designed.others[0].1);
    let is_nearest = f64::from(u8::from(report.status == Status::Met));
    measurements.add("nearest point established (1 for yes)", is_nearest);
    measurements.add("distance from the initial stance", report.distance);
    let squares = design
        .variables
        .iter()
        .zip(&published)
        .map(|(variable, value)| ((value - variable.start) / variable.scale).powi(2));
    let distance = squares.sum::<f64>().sqrt();
    measurements.add("distance of the stances of Table I", distance);
    let product = design.cosines_at(&published)?[0];
    measurements.add("⟨u, v⟩ of Table I, optimized", product);
    for (row, values) in [("initial", design.start()), ("optimized", published)] {
        let gaps = design.gaps_at(&values)?;
        let [tail, foot] = [gaps[0], gaps[1]];
        measurements.add(format!("tip of the tail above the floor, Table I {row}"), tail);
        measurements.add(format!("right foot above the floor, Table I {row}"), foot);
    }
    for (variable, value) in design.variables.iter().zip(&report.variables) {
        measurements.add(format!("optimized {}", variable.name), *value);
    }
    Ok(())
}

/// The optimized stance of Table I.
fn published(design: &Design, parameters: &Parameters) -> Vec<f64> {
    let value = |name: &String| parameters.published.get(name).copied().unwrap_or(f64::NAN);
    design.variables.iter().map(|variable| value(&variable.name)).collect()
}

fn index(design: &Design, name: &str) -> usize {
    // The names used below are those of the embedded design.
    design.variables.iter().position(|variable| variable.name == name).unwrap_or_default()
}

/// The initial gait: straight legs, 180° apart, the right foot forward on the floor.
fn straight_legs(design: &Design, variables: &[f64]) -> Vec<f64> {
    let value = |name| variables[index(design, name)];
    let length = value("l_u") + value("l_l");
    // The leg points to θ + φ + π and reaches from the hips to the floor.
    let right = (value("y") / length).asin() - value("theta");
    let mut straight = variables.to_vec();
    for (name, value) in
        [("phi_R", right), ("phi_L", right + PI), ("gamma_R", 0.0), ("gamma_L", 0.0)]
    {
        straight[index(design, name)] = value;
    }
    straight
}

/// Outlines of the robot.
fn outlines(design: &Design, variables: &[f64]) -> Vec<Series> {
    let value = |name| variables[index(design, name)];
    let along = |from: [f64; 2], angle: f64, length: f64| {
        [from[0] + length * angle.cos(), from[1] + length * angle.sin()]
    };
    let (front, theta) = ([0.0, value("y")], value("theta"));
    let (r1, r2) = (value("r1"), value("r2"));
    let rear = along(front, theta, r1 + r2);
    let tail = along(rear, theta + value("phi_T"), r1 * (r1 + r2) / (r1 - r2) - (r1 + r2));
    let mut series = vec![
        drawing::circle(front, r1),
        drawing::circle(rear, r2),
        drawing::line("tail", vec![rear, tail]),
    ];
    for (label, phi, gamma) in [("right leg", "phi_R", "gamma_R"), ("left leg", "phi_L", "gamma_L")]
    {
        let hip = theta + value(phi) + PI;
        let knee = along(front, hip, value("l_u"));
        let foot = along(knee, hip + value(gamma), value("l_l"));
        series.push(drawing::line(label, vec![front, knee, foot]));
    }
    series
}

fn stances(design: &Design, optimized: &[f64], straight: &[f64]) -> Figure {
    let stances = [design.start(), optimized.to_vec(), straight.to_vec()];
    // Two pictures above one, so that all are large.
    let corners = [[0.0, 0.38], [0.48, 0.38], [0.24, 0.0]];
    let mut series = Vec::new();
    for ([x, y], variables) in corners.into_iter().zip(&stances) {
        let mut picture = vec![drawing::outline(vec![[-0.15, 0.0], [0.28, 0.0]])];
        picture.extend(outlines(design, variables));
        for point in picture.iter_mut().flat_map(|part| &mut part.points) {
            *point = [point[0] + x, point[1] + y];
        }
        series.extend(picture);
    }
    Figure {
        id: "figure-7".to_owned(),
        title: "Three stances of TREX".to_owned(),
        caption: "Above, from the left: the stance and design given by hand, and the nearest one with orthogonal \
                  normals of tail and right foot; below, the initial gait, with straight legs. Figures 6 \
                  and 7 of the paper."
            .to_owned(),
        x: drawing::axis("x, each picture moved", "m"),
        y: drawing::axis("y, each picture moved", "m"),
        equal_aspect: true,
        map: None,
        series,
    }
}

/// Residual of the conditions over the steps.
fn search(designed: &Designed) -> Figure {
    let path = designed.report.path.iter().enumerate();
    let points = |value: fn(f64, f64) -> f64| {
        let of = |(step, at): (usize, &percussion_impact::design::Step)| {
            [step as f64, value(at.residual, at.distance)]
        };
        path.clone().map(of).collect()
    };
    let residual = points(|residual, _| residual.max(1e-17));
    let distance = points(|_, distance| distance);
    Figure {
        id: "search".to_owned(),
        title: "The search for the design".to_owned(),
        caption:
            "Least squares lead to the conditions, then the design moves along them towards the \
                  start."
                .to_owned(),
        x: drawing::axis("step", ""),
        y: drawing::axis("distance from the start (cm, rad), residual", "").logarithmic(),
        equal_aspect: false,
        map: None,
        series: vec![
            drawing::line("distance from the start", distance),
            Series { label: "residual".to_owned(), mark: Mark::Dots, points: residual },
        ],
    }
}

fn indeterminacies(landing: f64, initial: &Gait, optimized: &Gait) -> Figure {
    let curve = |label: &str, gait: &Gait| {
        let points = gait.indeterminacy.iter();
        let points = points.map(|[time, xi]| [*time, xi.max(1e-16)]);
        drawing::line(label, points.collect())
    };
    Figure {
        id: "figure-8".to_owned(),
        title: "Distance between the outcomes of two orders of reflections".to_owned(),
        caption: format!(
            "Distance of the momenta of two copies, which begin their impacts at the contact that approaches fastest and at the one that approaches slowest, \
             relative to the momentum. Both gaits land at {landing:.3} s. The copies of the optimized gait agree to the last \
             bit; zero is drawn at 10⁻¹⁶. Figure 8 of the paper."
        ),
        x: drawing::axis("time", "s"),
        y: drawing::axis("indeterminacy ξ", "").logarithmic(),
        equal_aspect: false,
        map: None,
        series: vec![curve("initial gait", initial), curve("optimized gait", optimized)],
    }
}
