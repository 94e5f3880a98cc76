//! Example 4: the sphere at the end of a triple pendulum strikes the ground; the cost of compliant contacts.
//!
//! The cost of a compliant impact is the number of evaluations of the contact force at the largest tolerance
//! for which the height of the sphere, a little later, is correct within one percent. A looser tolerance that
//! happens to give the correct height does not count: every tighter one must give it too.

use nalgebra::Vector3;
use percussion_impact::plus::Motion;
use percussion_integrators::compliant::State;
use percussion_mechanism::{
    impacts::{
        Impact,
        compliant::{CompliantImpact, Settings},
    },
    mechanism::Mechanism,
};
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
    impact: String,
    /// Largest turn of the slip direction within an interval (rad).
    theta_max: f64,
    /// Moduli of the sphere and of the ground (10⁹ Pa).
    moduli: Vec<f64>,
    /// Time at which the height of the sphere is compared (s after the touchdown).
    later: f64,
    /// Accepted relative error of the height.
    accepted: f64,
    /// Relative tolerance of the reference.
    exact: f64,
    /// Range of `k` for the tolerances `10^(−k/2)` that are tried.
    half_digits: [i32; 2],
    /// Acceleration of gravity, down (m/s²).
    gravity: f64,
}

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    _options: &Options,
    progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let fixture = experiment.fixture::<Parameters>()?;
    let parameters = &fixture.parameters;
    let scenario = experiment.impact(&parameters.impact)?;
    let mut measurements = experiment.measurements(&fixture);
    let built = scenario.build()?;
    let problem = &built.problem;
    let (plus, velocity) = (law(parameters.theta_max), problem.velocity());
    let (outcome, trace) = (settled(&plus, problem, &[])?, plus.trace(problem)?);
    let w = problem.delassus();
    let (before, after) =
        (problem.contact_velocity(velocity), problem.contact_velocity(&outcome.velocity));
    for (quantity, value) in [
        ("velocity before, tangential", before[1]),
        ("velocity before, normal", before[0]),
        ("W_nn", w[(0, 0)]),
        ("W_tt", w[(1, 1)]),
        ("W_nt, size", w[(0, 1)].abs()),
        ("velocity after, tangential", after[1]),
        ("velocity after, normal", after[0]),
        ("rate of pin 1 after", outcome.velocity[0]),
        ("rate of pin 2 after", outcome.velocity[1]),
        ("rate of pin 3 after", outcome.velocity[2]),
        ("kinetic energy before", problem.kinetic_energy(velocity)),
        ("kinetic energy after", problem.kinetic_energy(&outcome.velocity)),
        ("percussion, normal", outcome.impulses[0].normal),
        ("percussion, tangential", outcome.impulses[0].tangent[0]),
    ] {
        measurements.add(quantity, value);
    }
    let sliding = trace.intervals.iter().filter(|one| one.states[0].motion == Motion::Sliding);
    let share = sliding.count() as f64 / trace.intervals.len() as f64;
    measurements.add("intervals in which it slides, of all", 100.0 * share);

    let mut costs = Vec::new();
    let percent = 100.0 * parameters.accepted;
    for (index, giga) in parameters.moduli.iter().enumerate() {
        progress(index as f64 / parameters.moduli.len() as f64, &scenario.title);
        let modulus = 1e9 * giga;
        let settings = Settings { modulus: Some(modulus), ..scenario.compliant };
        let exact = Settings { tolerance: parameters.exact, ..settings };
        let impact = CompliantImpact::new(&built, &exact)?;
        // For the position at the end, where the links have turned by up to 0.1 rad.
        let mut after = Vec::new();
        let reference = impact.run(&mut |moment| {
            after.clear();
            after.extend_from_slice(moment.contact_velocity);
        })?;
        measurements.add(format!("compliant, {giga} GPa: velocity after, tangential"), after[1]);
        measurements.add(format!("compliant, {giga} GPa: velocity after, normal"), after[0]);
        let height = parameters.height(&built, &exact, &reference.end)?;
        let mut rigid = impact.start().clone();
        rigid.velocity.copy_from_slice(outcome.velocity.as_slice());
        let of_plus = parameters.height(&built, &exact, &rigid)?;
        let distance = 100.0 * (of_plus / height - 1.0).abs();
        measurements.add(format!("{giga} GPa: height of PLUS beside that of compliant"), distance);
        let (tolerance, evaluations) = parameters.cheapest(&built, &settings, height)?;
        let error = format!("for an error of {percent} %");
        measurements.add(format!("{giga} GPa: tolerance {error}"), tolerance);
        measurements.add(format!("{giga} GPa: evaluations {error}"), evaluations);
        costs.push([modulus, evaluations]);
    }
    let radius = scenario.contacts[0].disc.radius;
    let cost = parameters.draw_cost(costs, trace.report.passes);
    experiment.outcome(
        &fixture,
        measurements,
        vec![pictures(&built, radius, &outcome.velocity), cost],
    )
}

impl Parameters {
    /// Evaluations over the modulus, with the number of `solutions` of PLUS.
    fn draw_cost(&self, evaluations: Vec<[f64; 2]>, solutions: usize) -> Figure {
        let of_plus = evaluations.iter().map(|[x, _]| [*x, solutions as f64]).collect();
        Figure {
            id: "figure-15".to_owned(),
            title: "Cost of a compliant impact".to_owned(),
            caption: format!(
                "Evaluations of the contact force at {} % error in the height of the sphere {} s later, and the \
                 {solutions} intervals in which PLUS solves its equations. CPU times of both are measured by a bench. \
                 Figure 15 of the paper.",
                100.0 * self.accepted,
                self.later
            ),
            x: drawing::axis("modulus", "Pa").logarithmic(),
            y: drawing::axis("evaluations, solutions", "").logarithmic(),
            equal_aspect: false,
            map: None,
            series: vec![
                drawing::line("compliant: evaluations", evaluations),
                drawing::line("PLUS: solutions", of_plus),
            ],
        }
    }

    /// The loosest tolerance at and below which the height is correct, and its number of evaluations.
    fn cheapest(
        &self,
        impact: &Impact,
        settings: &Settings,
        height: f64,
    ) -> Result<(f64, f64), Error> {
        let mut found = (f64::NAN, f64::NAN);
        let [loosest, tightest] = self.half_digits;
        // From tight to loose, half a digit at a time.
        for half_digits in (loosest..=tightest).rev() {
            let tolerance = 10.0_f64.powf(-0.5 * f64::from(half_digits));
            let settings = Settings { tolerance, ..*settings };
            let reference = CompliantImpact::new(impact, &settings)?.run(&mut |_| ())?;
            let exact = Settings { tolerance: self.exact, ..settings };
            let error = self.height(impact, &exact, &reference.end)? / height - 1.0;
            if error.is_nan() || error.abs() > self.accepted {
                break;
            }
            found = (tolerance, reference.counters.evaluations as f64);
        }
        Ok(found)
    }

    /// Height of the sphere some time after the touchdown (m), in free motion under gravity from `state`.
    fn height(&self, impact: &Impact, settings: &Settings, state: &State) -> Result<f64, Error> {
        let gravity = Vector3::new(0.0, -self.gravity, 0.0);
        let end = impact.fly(settings, state, gravity, self.later)?;
        let system = impact.mechanism.model.system();
        // The last body carries the sphere.
        let sphere = system.body_count() - 1;
        Ok(system.pose(&end.coordinates, sphere).translation.y)
    }
}

/// The pendulum at touchdown, and the velocities of its joints before and after.
fn pictures(impact: &Impact, radius: f64, after: &nalgebra::DVector<f64>) -> Figure {
    let Mechanism { model, state, .. } = &impact.mechanism;
    let (system, coordinates, velocity) = (model.system(), &state.coordinates, &state.velocity);
    let mut series = Vec::new();
    let mut arrows = [Vec::new(), Vec::new()];
    let mut stops = Vec::new();
    let sphere = system.body_count() - 1;
    for body in 0..=sphere {
        let place = system.pose(coordinates, body);
        let at = place.translation.vector;
        stops.push([at.x, at.y]);
        for (velocity, arrows) in [&velocity[..], after.as_slice()].into_iter().zip(&mut arrows) {
            let moves = [Vector3::x(), Vector3::y()].map(|direction| {
                let mut row = vec![0.0; velocity.len()];
                system.add_point_row(coordinates, body, &at, &direction, 1.0, &mut row);
                row.iter().zip(velocity).map(|(j, v)| j * v).sum::<f64>()
            });
            if body > 0 {
                arrows.extend([[at.x, at.y], [at.x + 0.05 * moves[0], at.y + 0.05 * moves[1]]]);
            }
        }
    }
    let end = stops[sphere];
    series.push(drawing::outline(stops));
    series.push(drawing::circle(end, radius));
    series.push(drawing::outline(vec![[-1.5, 0.0], [2.5, 0.0]]));
    for (label, points) in ["before", "after"].into_iter().zip(arrows) {
        series.push(Series { label: label.to_owned(), mark: Mark::Arrows, points });
    }
    Figure {
        id: "pendulum".to_owned(),
        title: "The pendulum as it strikes the ground".to_owned(),
        caption: "Velocities of the joints before and after, 5 cm for 1 m/s.".to_owned(),
        x: drawing::axis("x", "m"),
        y: drawing::axis("y", "m"),
        equal_aspect: true,
        map: None,
        series,
    }
}
