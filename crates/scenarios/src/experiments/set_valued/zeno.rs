//! The rocking block through infinitely many impacts in finite time.
//!
//! # Source
//!
//! M. Halm, M. Posa, "Set-valued rigid-body dynamics for simultaneous, inelastic, frictional impacts",
//! *International Journal of Robotics Research* 43 (2024), section 4.3, figures 7 and 8.

use nalgebra::{Vector2, Vector3};
use percussion_dynamics::{
    PlanarBodies, PlanarBody,
    gap::{Plane, Sphere, SpherePlane},
};
use percussion_integrators::{
    Contact, Model, State,
    inclusion::{self, Accumulation, Kind, Moment, Settings, Solution, Status},
};
use percussion_mechanism::impacts::ImpactScenario;
use percussion_record::{ExperimentOutcome, Figure, Mark, Series};
use serde::Deserialize;

use crate::{
    error::Error,
    experiments::{Experiment, Options, Progress, drawing},
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    impact: String,
    /// Acceleration of gravity, down (m/s²).
    gravity: f64,
    /// Spin at the start, about the left corner (rad/s).
    spin: f64,
    /// Fraction of the spin that an impact leaves.
    ratio: f64,
    /// Pairs of impacts before the accumulation counts as complete.
    cycles: usize,
    /// Latest end of the motion (s).
    end: f64,
    /// Simulated duration of the rest after the accumulation (s).
    rest: f64,
}

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    _options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let fixture = experiment.fixture::<Parameters>()?;
    let parameters = &fixture.parameters;
    let impact = experiment.impact(&parameters.impact)?;
    let model = model(&impact, parameters.gravity)?;
    let (center, corner) = (impact.bodies[0].coordinates.clone(), impact.contacts[0].disc.center);
    // The block turns about the left corner.
    let velocity = vec![corner[1] * parameters.spin, -corner[0] * parameters.spin, parameters.spin];
    let start = State { time: 0.0, coordinates: center.unwrap_or_default(), velocity };
    let settings = Settings { impact_limit: 2 * parameters.cycles, ..Settings::default() };
    progress(0.1, "A block rocks from corner to corner");
    let faults = experiment.faults();
    let mut solution = inclusion::build(&model, &settings, &start, parameters.end)?;
    let scenario = || experiment.id.to_owned();
    let stopped = || Error::NoEvent { scenario: scenario(), event: "impacts accumulate" };
    let point = Accumulation::of(&solution).ok_or_else(stopped)?;
    let mut beyond = inclusion::rest(&model, &settings, &point, parameters.rest)?;
    faults.solution(&mut solution);
    faults.phase(&mut beyond);

    let impacts = spins(&solution, parameters.spin);
    let error =
        |(k, spin): (i32, &f64)| (spin - parameters.spin * (-parameters.ratio).powi(k)).abs();
    let worst = (0..).zip(&impacts).map(error).fold(0.0, f64::max);
    let first = impacts.get(1).map_or(f64::NAN, |spin| -spin / parameters.spin);
    let at_rest = beyond.end().clone();
    let speed = at_rest.velocity.iter().fold(0.0, |speed: f64, v| speed.max(v.abs()));
    let share = at_rest.rates[0] / (at_rest.rates[0] + at_rest.rates[2]);
    let certificate = inclusion::certify(&model, &solution);
    let rested = Solution {
        phases: vec![beyond.clone()],
        status: Status::EndReached,
        energy: solution.energy,
        scales: solution.scales,
    };
    let violation = certificate.worst().max(inclusion::certify(&model, &rested).worst());

    let mut measurements = experiment.measurements(&fixture);
    measurements.add("spin left by the first impact", first);
    let powers = format!("largest distance of a spin from powers of {}", parameters.ratio);
    measurements.add(powers, worst);
    measurements.add("impacts", solution.impacts().count() as f64);
    measurements.add("time at which impacts accumulate", point.time);
    measurements.add("parameter at which impacts accumulate", point.s);
    measurements.add("largest violation of the inclusion", violation);
    measurements.add("speed at rest beyond the accumulation", speed);
    measurements.add("share of the weight on the left corner at rest", share);
    measurements.add("rate of time at rest", at_rest.time_rate);
    let moments = solution.phases.iter().chain([&beyond]).flat_map(|phase| &phase.moments);
    let moments: Vec<&Moment> = moments.collect();
    let figures = vec![
        pictures(&impact, &solution),
        over(&moments, "figure-8-time", ("time", "s"), point.time, |moment| moment.time),
        over(&moments, "figure-8-parameter", ("parameter s", "s, N·s"), point.s, |m| m.s),
        rates(&moments, point.s),
        accumulation(&solution, &point, &impacts, parameters.ratio),
    ];
    experiment.outcome(&fixture, measurements, figures)
}

/// The block under gravity on its two corners.
fn model(impact: &ImpactScenario, gravity: f64) -> Result<Model, Error> {
    let body = &impact.bodies[0];
    let bodies = vec![PlanarBody::new(body.mass.unwrap_or_default(), body.inertia.tensor().m33)];
    let system = PlanarBodies::new(bodies, Vector2::new(0.0, -gravity))?;
    let contact = |contact: &percussion_mechanism::impacts::Contact| {
        let [x, y, _] = contact.disc.center;
        let corner = Sphere::on_body(0, Vector3::new(x, y, 0.0), contact.disc.radius);
        let refused = |source| Error::Gap { contact: contact.name.clone(), source };
        let ground = Plane::new(&Vector3::y(), &Vector3::zeros()).map_err(refused)?;
        let gap = SpherePlane::new(corner, ground).map_err(refused)?;
        Ok(Contact::new(gap, contact.friction))
    };
    let contacts = impact.contacts.iter().map(contact).collect::<Result<_, Error>>()?;
    Ok(Model::new(Box::new(system), contacts)?)
}

/// The spins before the first and after every impact (rad/s).
fn spins(solution: &Solution, first: f64) -> Vec<f64> {
    let impacts = solution.phases.iter().filter(|phase| phase.kind == Kind::Impact);
    std::iter::once(first).chain(impacts.map(|phase| phase.end().velocity[2])).collect()
}

/// The block at the start, at its highest point, before the first impact and after it.
fn pictures(impact: &ImpactScenario, solution: &Solution) -> Figure {
    let corner = impact.contacts[0].disc.center;
    let [width, height, _] = corner.map(f64::abs);
    let swing = &solution.phases[0].moments;
    let highest = swing.iter().min_by(|a, b| a.velocity[2].abs().total_cmp(&b.velocity[2].abs()));
    let after = solution.phases.iter().find(|phase| phase.kind == Kind::Impact);
    let moments = [swing.first(), highest, swing.last(), after.map(|phase| phase.end())];
    let (mut series, mut arrows) = (Vec::new(), Vec::new());
    for (index, moment) in moments.into_iter().flatten().enumerate() {
        let shift = 2.6 * index as f64;
        let [x, y, angle] = [0, 1, 2].map(|i| moment.coordinates[i]);
        let (sin, cos) = angle.sin_cos();
        let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0)];
        let place = |(a, b): (f64, f64)| {
            let (a, b) = (a * width, b * height);
            [x + cos * a - sin * b, y + sin * a + cos * b]
        };
        for around in corners.into_iter().take(4) {
            let at = place(around);
            let spin = moment.velocity[2];
            let velocity =
                [moment.velocity[0] - spin * (at[1] - y), moment.velocity[1] + spin * (at[0] - x)];
            let tail = [at[0] + shift, at[1]];
            if velocity[0].hypot(velocity[1]) > 1e-6 {
                arrows.extend([tail, [tail[0] + 0.5 * velocity[0], tail[1] + 0.5 * velocity[1]]]);
            }
        }
        let outline = corners.map(|around| {
            let [x, y] = place(around);
            [x + shift, y]
        });
        series.push(drawing::outline(outline.to_vec()));
    }
    series.push(drawing::outline(vec![[-1.0, 0.0], [9.2, 0.0]]));
    let label = "velocities of corners, 0.5 m for 1 m/s".to_owned();
    series.push(Series { label, mark: Mark::Arrows, points: arrows });
    Figure {
        id: "figure-7".to_owned(),
        title: "From the first impact to its mirror image".to_owned(),
        caption: "From the left: the start, turning about the left corner; the highest point; before the \
                  impact of the right corner; after it, turning about that corner. Figure 7 of the paper."
            .to_owned(),
        x: drawing::axis("x, each picture moved on", "m"),
        y: drawing::axis("y", "m"),
        equal_aspect: true,
        map: None,
        series,
    }
}

/// The angle of the block over time or over the parameter, up to the accumulation and beyond.
fn over(
    moments: &[&Moment],
    id: &str,
    (label, unit): (&str, &str),
    limit: f64,
    at: impl Fn(&Moment) -> f64,
) -> Figure {
    let angles: Vec<_> = moments.iter().map(|moment| [at(moment), moment.coordinates[2]]).collect();
    let largest = angles.iter().fold(0.0, |largest: f64, point| largest.max(point[1].abs()));
    Figure {
        id: id.to_owned(),
        title: format!("The angle of the block over {label}"),
        caption: format!(
            "Impacts accumulate at {limit:.6}; beyond, the block rests. Figure 8 of the paper."
        ),
        x: drawing::axis(label, unit),
        y: drawing::axis("angle", "rad"),
        equal_aspect: false,
        map: None,
        series: vec![
            drawing::outline(vec![[limit, -largest], [limit, largest]]),
            drawing::line("angle", angles),
        ],
    }
}

/// The rates of time and of the normal impulses over the parameter, which sum to one.
fn rates(moments: &[&Moment], limit: f64) -> Figure {
    let over = |rate: fn(&Moment) -> f64| -> Vec<[f64; 2]> {
        moments.iter().map(|moment| [moment.s, rate(moment)]).collect()
    };
    Figure {
        id: "figure-8-rates".to_owned(),
        title: "The rates of the block over parameter s".to_owned(),
        caption: format!(
            "Time does not advance during impacts, where one corner takes the whole rate; under the weight it advances more slowly. Impacts \
             accumulate at {limit:.6}; beyond, both corners carry half of the weight."
        ),
        x: drawing::axis("parameter s", "s, N·s"),
        y: drawing::axis("rate", "1, N"),
        equal_aspect: false,
        map: None,
        series: vec![
            drawing::outline(vec![[limit, 0.0], [limit, 1.0]]),
            drawing::line("time", over(|moment| moment.time_rate)),
            drawing::line("left corner", over(|moment| moment.rates[0])),
            drawing::line("right corner", over(|moment| moment.rates[2])),
        ],
    }
}

/// Rates at which spins, times and parameters approach their limits.
fn accumulation(solution: &Solution, point: &Accumulation, spins: &[f64], ratio: f64) -> Figure {
    let count = |index: usize| (index + 1) as f64;
    let impacts = || solution.impacts().enumerate();
    let times = impacts().map(|(k, moment)| [count(k), point.time - moment.time]);
    let parameters = impacts().map(|(k, moment)| [count(k), point.s - moment.s]);
    let spins = spins.iter().skip(1).enumerate().map(|(k, w)| [count(k), w.abs()]);
    Figure {
        id: "figure-8-accumulation".to_owned(),
        title: "Approach to the accumulation".to_owned(),
        caption: format!(
            "Spin, remaining time and remaining parameter at each impact: parallel straight lines, as all shrink by the \
             factor {ratio} from impact to impact. Figure 8 of the paper."
        ),
        x: drawing::axis("impact", ""),
        y: drawing::axis("spin (rad/s), time (s), parameter (s, N·s)", "").logarithmic(),
        equal_aspect: false,
        map: None,
        series: vec![
            drawing::line("spin after the impact (rad/s)", spins.collect()),
            drawing::line("time left (s)", times.collect()),
            drawing::line("parameter left (s, N·s)", parameters.collect()),
        ],
    }
}
