//! Curves for figures, and the [`overview`] of any scenario.

use std::f64::consts::TAU;

use percussion_mechanism::{
    scenario::{Scenario, Setup, Space},
    trajectory::{Sample, Trajectory},
};
use percussion_record::{Axis, Figure, Mark, Series};

pub(super) fn axis(label: &str, unit: &str) -> Axis {
    Axis::new(label, unit)
}

pub(super) fn line(label: &str, points: Vec<[f64; 2]>) -> Series {
    Series { label: label.to_owned(), mark: Mark::Line, points }
}

pub(super) fn outline(points: Vec<[f64; 2]>) -> Series {
    Series { label: String::new(), mark: Mark::Outline, points }
}

/// An outline around `center`.
pub(super) fn circle(center: [f64; 2], radius: f64) -> Series {
    let corners = 72;
    let point = |i: i32| {
        let (sin, cos) = (TAU * f64::from(i) / f64::from(corners)).sin_cos();
        [center[0] + radius * cos, center[1] + radius * sin]
    };
    outline((0..=corners).map(point).collect())
}

/// The outline of a rod: a segment of `length` under `angle` about `center`, thickened by `radius`.
pub(super) fn rod(center: [f64; 2], angle: f64, length: f64, radius: f64) -> Vec<[f64; 2]> {
    let (sin, cos) = angle.sin_cos();
    let corners = 16;
    let end = |side: f64| {
        (0..=corners).map(move |i| {
            let turn = std::f64::consts::PI * (f64::from(i) / f64::from(corners) - 0.5);
            let (dy, dx) = turn.sin_cos();
            [side * (0.5 * length + radius * dx), side * radius * dy]
        })
    };
    let mut points: Vec<[f64; 2]> = end(1.0)
        .chain(end(-1.0))
        .map(|[x, y]| [center[0] + cos * x - sin * y, center[1] + sin * x + cos * y])
        .collect();
    points.push(points[0]);
    points
}

/// `value` of each sample, over time.
pub(super) fn history(trajectory: &Trajectory, value: impl Fn(&Sample) -> f64) -> Vec<[f64; 2]> {
    trajectory.samples.iter().map(|sample| [sample.time, value(sample)]).collect()
}

/// The path of the center of `body` in two of its coordinates, such as `[0, 2]` for x and z.
pub(super) fn path(
    scenario: &Scenario,
    trajectory: &Trajectory,
    body: usize,
    axes: [usize; 2],
) -> Vec<[f64; 2]> {
    trajectory.samples.iter().map(|sample| center(scenario, sample, body, axes)).collect()
}

/// The center of `body` in two of its coordinates.
pub(super) fn center(
    scenario: &Scenario,
    sample: &Sample,
    body: usize,
    axes: [usize; 2],
) -> [f64; 2] {
    let stride = match scenario.dimension {
        Space::Plane => 3,
        Space::Space => 7,
    };
    axes.map(|axis| sample.coordinates[stride * body + axis])
}

/// Figures of any scenario: the paths of its bodies in side view and, in space, in top view, and its energy
/// over time.
///
/// `trajectory` must be a simulation of `setup`.
#[must_use]
pub fn overview(setup: &Setup, trajectory: &Trajectory) -> Vec<Figure> {
    let scenario = &setup.scenario;
    let view = |id: &str, title: &str, axes: [usize; 2]| {
        let names = ["x", "y", "z"];
        let (series, caption) = if scenario.is_tree() {
            let paths = link_paths(setup, trajectory, axes);
            (paths, "Paths of the frames of the bodies.")
        } else {
            let bodies = scenario.bodies.iter().enumerate();
            let path = |i: usize| path(scenario, trajectory, i, axes);
            let paths = bodies.map(|(i, body)| line(&body.name, path(i)));
            (paths.collect(), "Paths of the centers of mass.")
        };
        Figure {
            id: id.to_owned(),
            title: format!("{}: {title}", scenario.title),
            caption: caption.to_owned(),
            x: axis(names[axes[0]], "m"),
            y: axis(names[axes[1]], "m"),
            equal_aspect: true,
            map: None,
            series,
        }
    };
    let energy = Figure {
        id: "energy".to_owned(),
        title: format!("{}: energy", scenario.title),
        caption: "Kinetic and potential energy together, at step ends.".to_owned(),
        x: axis("time", "s"),
        y: axis("energy", "J"),
        equal_aspect: false,
        map: None,
        series: vec![line("energy", history(trajectory, |sample| sample.energy))],
    };
    match scenario.dimension {
        Space::Plane => vec![view("paths", "paths", [0, 1]), energy],
        Space::Space => {
            vec![view("elevation", "elevation", [0, 2]), view("plan", "plan", [0, 1]), energy]
        }
    }
}

/// The paths of the links that move.
fn link_paths(setup: &Setup, trajectory: &Trajectory, axes: [usize; 2]) -> Vec<Series> {
    let system = setup.mechanism.model.system();
    let place = |sample: &Sample, link: usize| {
        let at = system.pose(&sample.coordinates, link).translation.vector;
        axes.map(|axis| at[axis])
    };
    let path = |link: usize| trajectory.samples.iter().map(|s| place(s, link)).collect::<Vec<_>>();
    let paths = setup.mechanism.parts.iter().enumerate().map(|(link, part)| (part, path(link)));
    let extent = |points: &[[f64; 2]], axis: usize| {
        let values = points.iter().map(|point| point[axis]);
        let least = values.clone().fold(f64::INFINITY, f64::min);
        values.fold(f64::NEG_INFINITY, f64::max) - least
    };
    let moves = |points: &[[f64; 2]]| extent(points, 0) > 0.0 || extent(points, 1) > 0.0;
    paths.filter(|(_, points)| moves(points)).map(|(part, path)| line(&part.name, path)).collect()
}
