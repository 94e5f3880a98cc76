//! Example 4: the sphere at the end of a triple pendulum strikes the ground; the cost of compliant contacts.
//!
//! The paper measures CPU times. They depend on the machine and on its load, so that rows count evaluations of the
//! equations of motion instead: kinematics, mass matrix and contact force. PLUS needs one for the statement of its problem, and
//! solves a system of two rows in each of its intervals, which counts as another one here. The bench `plus_pendulum` has the
//! times.
//!
//! The cost of a compliant impact is the number of evaluations of the contact force at the largest tolerance
//! for which the height of the sphere, a little later, is correct within one percent. A looser tolerance that
//! happens to give the correct height does not count: every tighter one must give it too.

mod euler;

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

use self::euler::{Euler, Method};
use super::law;
use crate::{
    error::Error,
    experiments::{Experiment, Measurements, Options, Progress, drawing, settled},
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
    /// The same for Euler's methods.
    euler_half_digits: [i32; 2],
    /// Acceleration of gravity, down (m/s²).
    gravity: f64,
}

/// The integrators of figure 15: that of the other experiments, and those of the paper.
const INTEGRATORS: [&str; 3] = ["adaptive, fifth order", "semi-explicit Euler", "implicit Euler"];

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

    // The statement of the problem, and the solution of each interval.
    let of_plus = 1.0 + trace.report.passes as f64;
    measurements.add("evaluations of PLUS", of_plus);
    let mut costs = [const { Vec::new() }; 3];
    for (index, giga) in parameters.moduli.iter().enumerate() {
        progress(index as f64 / parameters.moduli.len() as f64, &scenario.title);
        let settings = Settings { modulus: Some(1e9 * giga), ..scenario.compliant };
        let velocity = outcome.velocity.as_slice();
        let found = parameters.compare(&built, (*giga, &settings), velocity, &mut measurements)?;
        for (cost, evaluations) in costs.iter_mut().zip(found) {
            cost.push([1e9 * giga, evaluations]);
        }
    }
    for (k, integrator) in INTEGRATORS.into_iter().enumerate() {
        let least = costs[k].iter().map(|cost| cost[1] / of_plus).fold(f64::INFINITY, f64::min);
        measurements.add(format!("least cost over that of PLUS, {integrator}"), least);
        let largest = costs[k].iter().map(|cost| cost[1] / of_plus).fold(0.0, f64::max);
        measurements.add(format!("largest cost over that of PLUS, {integrator}"), largest);
        let trend = match costs[k][..] {
            [[_, softest], .., [_, stiffest]] => stiffest / softest,
            _ => f64::NAN,
        };
        measurements.add(
            format!("cost at the largest modulus over that at the least, {integrator}"),
            trend,
        );
    }
    let radius = scenario.contacts[0].disc.radius;
    let cost = parameters.draw_cost(costs, of_plus);
    experiment.outcome(
        &fixture,
        measurements,
        vec![pictures(&built, radius, &outcome.velocity), cost],
    )
}

impl Parameters {
    /// The impact with compliant contacts of one modulus beside the velocity after that of PLUS: adds rows, and returns the
    /// evaluations of each integrator.
    fn compare(
        &self,
        built: &Impact,
        (giga, settings): (f64, &Settings),
        velocity: &[f64],
        measurements: &mut Measurements<'_>,
    ) -> Result<[f64; 3], Error> {
        let exact = Settings { tolerance: self.exact, ..*settings };
        let impact = CompliantImpact::new(built, &exact)?;
        // For the position at the end, where the links have turned by up to 0.1 rad.
        let mut after = Vec::new();
        let reference = impact.run(&mut |moment| {
            after.clear();
            after.extend_from_slice(moment.contact_velocity);
        })?;
        measurements.add(format!("compliant, {giga} GPa: velocity after, tangential"), after[1]);
        measurements.add(format!("compliant, {giga} GPa: velocity after, normal"), after[0]);
        let height = self.height(built, &exact, &reference.end)?;
        let mut rigid = impact.start().clone();
        rigid.velocity.copy_from_slice(velocity);
        let rigid_height = self.height(built, &exact, &rigid)?;
        let distance = 100.0 * (rigid_height / height - 1.0).abs();
        measurements.add(format!("{giga} GPa: height of PLUS beside that of compliant"), distance);
        let error = format!("for an error of {} %", 100.0 * self.accepted);
        let (tolerance, adaptive) = self.cheapest(self.half_digits, height, &mut |tolerance| {
            let cheap = Settings { tolerance, ..*settings };
            let cheap = CompliantImpact::new(built, &cheap)?.run(&mut |_| ())?;
            let height = self.height(built, &exact, &cheap.end)?;
            Ok((height, cheap.counters.evaluations as f64))
        })?;
        measurements.add(format!("{giga} GPa: tolerance {error}"), tolerance);
        measurements.add(format!("{giga} GPa: evaluations {error}"), adaptive);
        let speed = impact.start().velocity.iter().fold(0.0, |speed: f64, v| speed.max(v.abs()));
        let mut costs = [adaptive; 3];
        for (k, method) in [(1, Method::SemiExplicit), (2, Method::Implicit)] {
            let (_, evaluations) =
                self.cheapest(self.euler_half_digits, height, &mut |tolerance| {
                    let time = 0.5 * reference.duration;
                    let mut euler = Euler::new(impact.model(), method, tolerance, speed, time);
                    let Some(end) = euler.run(impact.start()) else {
                        return Ok((f64::NAN, f64::NAN));
                    };
                    Ok((self.height(built, &exact, &end)?, euler.evaluations as f64))
                })?;
            measurements.add(format!("{giga} GPa: evaluations of {}", INTEGRATORS[k]), evaluations);
            costs[k] = evaluations;
        }
        Ok(costs)
    }

    /// Evaluations of each integrator over the modulus, and those `of_plus`.
    fn draw_cost(&self, costs: [Vec<[f64; 2]>; 3], of_plus: f64) -> Figure {
        let plus = costs[0].iter().map(|[x, _]| [*x, of_plus]).collect();
        let lines = INTEGRATORS.into_iter().zip(costs);
        let mut series: Vec<_> = lines.map(|(label, cost)| drawing::line(label, cost)).collect();
        series.push(drawing::line("PLUS", plus));
        Figure {
            id: "figure-15".to_owned(),
            title: "Cost of a compliant impact".to_owned(),
            caption: format!(
                "Evaluations of the equations of motion at {} % error in the height of the sphere {} s later, by an \
                 adaptive integrator of fifth order and by the two of first order of the paper. PLUS needs one for its \
                 problem, and the solution of each of its intervals is counted as one. Figure 15 of the paper has CPU \
                 times, which the bench plus_pendulum measures.",
                100.0 * self.accepted,
                self.later
            ),
            x: drawing::axis("modulus", "Pa").logarithmic(),
            y: drawing::axis("evaluations", "").logarithmic(),
            equal_aspect: false,
            map: None,
            series,
        }
    }

    /// The loosest tolerance at and below which the height that `run` finds is correct, and its number of evaluations.
    fn cheapest(
        &self,
        [loosest, tightest]: [i32; 2],
        height: f64,
        run: &mut dyn FnMut(f64) -> Result<(f64, f64), Error>,
    ) -> Result<(f64, f64), Error> {
        let mut found = (f64::NAN, f64::NAN);
        // From tight to loose, half a digit at a time.
        for half_digits in (loosest..=tightest).rev() {
            let tolerance = 10.0_f64.powf(-0.5 * f64::from(half_digits));
            let (reached, evaluations) = run(tolerance)?;
            let error = reached / height - 1.0;
            if error.is_nan() || error.abs() > self.accepted {
                break;
            }
            found = (tolerance, evaluations);
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
