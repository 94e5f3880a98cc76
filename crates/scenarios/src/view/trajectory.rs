//! A simulation as a [`View`].

use nalgebra::Vector3;

use super::{BodyView, Curve, FORMAT, Mode, Motion, Solid, Touch, View, plane_view, pose, singles};
use crate::{
    error::Error,
    scenario::{Body, Scenario, Setup, Shape},
    trajectory::{Sample, StepContact, Trajectory},
};

/// Most times of the motion of a simulation; of longer ones every second, third, … step is kept, with
/// the impulses of the steps between added up.
pub const FRAME_LIMIT: usize = 1200;

/// Most contacts whose gaps are plotted one by one; of more the smallest gap is.
const GAP_CURVES: usize = 12;

/// A simulation of `scenario` for the page that plays it.
///
/// # Errors
///
/// As [`Scenario::build`]; none for a trajectory that `scenario` was simulated to.
pub fn of_trajectory(scenario: &Scenario, trajectory: &Trajectory) -> Result<View, Error> {
    let setup = scenario.build()?;
    let stride = trajectory.reports.len().div_ceil(FRAME_LIMIT).max(1);
    let last = trajectory.reports.len();
    // Number of steps done at each time that is kept: the start, every stride and the end.
    let ends: Vec<usize> = (0..last).step_by(stride).chain([last]).collect();
    let frames = || ends.iter().map(|&end| &trajectory.samples[end]);
    let touches = std::iter::once(0).chain(ends.iter().copied()).zip(&ends);
    let motion = Motion {
        name: scenario.name.clone(),
        sample: None,
        times: frames().map(|sample| sample.time).collect(),
        poses: frames().map(|sample| pose(setup.model.system(), &sample.coordinates)).collect(),
        touches: touches.map(|(begin, &end)| touched(&setup, trajectory, begin, end)).collect(),
        curves: curves(trajectory, &frames().collect::<Vec<_>>()),
        after: Vec::new(),
    };
    let steps = match stride {
        1 => "every step is shown".to_owned(),
        _ => format!("one step in {stride} is shown, with the impulses of all"),
    };
    Ok(View {
        format: FORMAT.to_owned(),
        title: scenario.title.clone(),
        caption: format!("{}; h = {} s, {steps}.", scenario.source, trajectory.step_size),
        dimension: scenario.dimension,
        bodies: scenario.bodies.iter().map(body_view).collect(),
        planes: scenario.planes.iter().map(plane_view).collect(),
        contacts: trajectory.contact_names.clone(),
        motions: vec![motion],
        sets: Vec::new(),
    })
}

fn body_view(body: &Body) -> BodyView {
    let solid = body.shape.map(|shape| match shape {
        Shape::Sphere(round) | Shape::Disc(round) => {
            Solid::Ball { center: [0.0; 3], radius: round.radius }
        }
        Shape::Rod(rod) => {
            let half = 0.5 * rod.length;
            Solid::Capsule { ends: [[-half, 0.0, 0.0], [half, 0.0, 0.0]], radius: rod.radius }
        }
    });
    BodyView { name: body.name.clone(), solids: solid.into_iter().collect() }
}

/// What touched in the steps from `begin` to `end`, where it does at the end.
fn touched(setup: &Setup, trajectory: &Trajectory, begin: usize, end: usize) -> Vec<Touch> {
    let coordinates = &trajectory.samples[end].coordinates;
    // Positions are found to the tolerance of the outer loop, and velocities to that over a step.
    let threshold = setup.settings.tolerance / trajectory.step_size;
    let mut impulses: Vec<Option<(Vector3<f64>, &StepContact)>> =
        vec![None; trajectory.contact_names.len()];
    for report in trajectory.reports[begin..end].iter().flat_map(|report| &report.contacts) {
        let before = impulses[report.contact].map_or_else(Vector3::zeros, |(sum, _)| sum);
        impulses[report.contact] = Some((before + report.impulse, report));
    }
    let touch = |(impulse, report): (Vector3<f64>, &StepContact)| {
        let gap = &setup.model.contacts()[report.contact].gap;
        let at = gap.contact_point(setup.model.system(), coordinates)?;
        let axes = at.frame.axes();
        let sliding = report.velocity.yz().norm();
        Some(Touch {
            contact: report.contact,
            point: singles(&at.point),
            impulse: singles(&(0..3).map(|i| axes[i] * impulse[i]).sum()),
            mode: Mode::of(report.velocity.x, sliding, threshold),
        })
    };
    impulses.into_iter().flatten().filter_map(touch).collect()
}

fn curves(trajectory: &Trajectory, frames: &[&Sample]) -> Vec<Curve> {
    let curve = |chart: &str, label: &str, unit: &str, value: &dyn Fn(&Sample) -> f64| Curve {
        chart: chart.to_owned(),
        label: label.to_owned(),
        unit: unit.to_owned(),
        values: frames.iter().map(|sample| value(sample)).collect(),
    };
    let mut curves = vec![curve("energy", "energy", "J", &|sample| sample.energy)];
    let names = &trajectory.contact_names;
    if names.len() <= GAP_CURVES {
        let gaps = names.iter().enumerate();
        curves.extend(gaps.map(|(i, name)| curve("gaps", name, "m", &|sample| sample.gaps[i])));
    } else {
        let smallest = |sample: &Sample| sample.gaps.iter().copied().fold(f64::INFINITY, f64::min);
        curves.push(curve("gaps", "smallest gap", "m", &smallest));
    }
    curves
}
