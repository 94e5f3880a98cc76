//! The contact impulses of a step in world axes, and their drawing.

use nalgebra::Vector3;
use percussion_collision::Shape;
use percussion_mechanism::{scenario::Setup, trajectory::Trajectory};
use percussion_record::{Figure, Mark, Series};

use crate::experiments::drawing;

/// The impulse of one contact over one step.
#[derive(Clone, Debug)]
pub(super) struct WorldImpulse {
    /// Index of the contact.
    pub(super) contact: usize,
    /// Point at which the surfaces touch at the end of the step (m).
    pub(super) point: Vector3<f64>,
    /// Impulse on body 1 of the contact (N·s); that on body 2 is opposite.
    pub(super) impulse: Vector3<f64>,
}

/// The impulses of step `step`, in world axes.
pub(super) fn of_step(setup: &Setup, trajectory: &Trajectory, step: usize) -> Vec<WorldImpulse> {
    let coordinates = &trajectory.samples[step + 1].coordinates;
    let in_world = |report: &percussion_integrators::ContactReport| {
        let model = &setup.mechanism.model;
        let gap = &model.contacts()[report.contact].gap;
        let at = gap.contact_point(model.system(), coordinates)?;
        let axes = at.frame.axes();
        let impulse = (0..3).map(|i| axes[i] * report.impulse[i]).sum();
        Some(WorldImpulse { contact: report.contact, point: at.point, impulse })
    };
    trajectory.reports[step].contacts.iter().filter_map(in_world).collect()
}

/// The step in which the normal impulse of `contact` is largest, if it is ever positive.
pub(super) fn strongest_step(trajectory: &Trajectory, contact: usize) -> Option<usize> {
    let mut strongest = (0.0, None);
    for (step, report) in trajectory.reports.iter().enumerate() {
        let normal = report.contacts.iter().find(|other| other.contact == contact);
        let normal = normal.map_or(0.0, |report| report.impulse.x);
        if normal > strongest.0 {
            strongest = (normal, Some(step));
        }
    }
    strongest.1
}

/// The balls from the side with the impulses of step `step` as arrows on each ball on which they act.
pub(super) fn figure(setup: &Setup, trajectory: &Trajectory, step: usize) -> Figure {
    let scenario = &setup.scenario;
    let sample = &trajectory.samples[step + 1];
    let impulses = of_step(setup, trajectory, step);
    let largest = impulses.iter().map(|one| one.impulse.norm()).fold(0.0, f64::max);
    let mut series = Vec::new();
    let mut span = [f64::INFINITY, f64::NEG_INFINITY];
    let mut arrow_length = 0.0;
    for (body, definition) in scenario.bodies.iter().enumerate() {
        let radius = match definition.shape {
            Some(Shape::Sphere { radius }) => radius,
            _ => 0.0,
        };
        let center = drawing::center(scenario, sample, body, [0, 2]);
        span = [span[0].min(center[0] - 2.0 * radius), span[1].max(center[0] + 2.0 * radius)];
        arrow_length = f64::max(arrow_length, 1.5 * radius);
        series.push(drawing::circle(center, radius));
    }
    series.insert(0, drawing::outline(vec![[span[0], 0.0], [span[1], 0.0]]));
    let scale = if largest > 0.0 { arrow_length / largest } else { 0.0 };
    for body in &scenario.bodies {
        let mut points = Vec::new();
        for one in &impulses {
            let sign = match &setup.mechanism.contacts[one.contact].between {
                [first, _] if *first == body.name => scale,
                [_, second] if *second == body.name => -scale,
                _ => continue,
            };
            points.push([one.point.x, one.point.z]);
            points.push([one.point.x + sign * one.impulse.x, one.point.z + sign * one.impulse.z]);
        }
        series.push(Series { label: format!("on {}", body.name), mark: Mark::Arrows, points });
    }
    Figure {
        id: "impulses".to_owned(),
        title: "Impulses at the collision".to_owned(),
        caption: format!(
            "Contact impulses of the step that ends at t = {:.5} s, seen from the side, each drawn on \
             the ball it acts on; the longest arrow is {largest:.3} N·s.",
            sample.time
        ),
        x: drawing::axis("x", "m"),
        y: drawing::axis("z", "m"),
        equal_aspect: true,
        map: None,
        series,
    }
}
