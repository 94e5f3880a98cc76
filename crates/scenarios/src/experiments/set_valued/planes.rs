//! Figures of the set in planes of two contact velocities.

use std::collections::BTreeSet;

use percussion_record::{Figure, Mark, Series};

use super::{Study, raster::Raster};
use crate::experiments::drawing;

/// Cells of a figure, each about two pixels wide.
const CELLS: [usize; 2] = [300, 160];

/// Cells in each of which one outcome is drawn as a dot; a cell is about one and a half dots wide.
const DOTS: [f64; 2] = [60.0, 32.0];

/// Largest hole that is a gap between samples, as a fraction of the area.
const GAPS: f64 = 0.02;

/// The label of the dots.
pub(super) const OUTCOMES: &str = "outcomes of samples";

/// One component of a contact velocity.
#[derive(Clone, Copy, Debug)]
pub(super) enum Component {
    /// Along the normal of a contact.
    Normal(usize),
    /// Along its tangent.
    Tangent(usize),
}

impl Component {
    /// Row of the contact Jacobian in the plane.
    pub(super) const fn row(self) -> usize {
        match self {
            Self::Normal(contact) => 2 * contact,
            Self::Tangent(contact) => 2 * contact + 1,
        }
    }
}

/// Texts and axes of a figure.
#[derive(Clone, Debug)]
pub(super) struct Plane {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) caption: String,
    pub(super) x: Component,
    pub(super) y: Component,
}

/// The set in a plane: velocities reached within the impact, velocities after it, and the outcomes of
/// the other laws with their paths.
pub(super) fn figure(study: &Study, plane: &Plane) -> Figure {
    let project = |u: &[f64]| [u[plane.x.row()], u[plane.y.row()]];
    let (low, high) = bounds(study.paths.iter().flatten().chain(&study.ends).map(|u| project(u)));
    let blank = Raster::new(low, high, CELLS[0], CELLS[1]);
    let mut reached = blank.clone();
    for path in &study.paths {
        for pair in path.windows(2) {
            reached.segment(project(&pair[0]), project(&pair[1]));
        }
    }
    let mut after = blank;
    for end in &study.ends {
        after.point(project(end));
        reached.point(project(end));
    }
    let area = |label: &str, mark, raster: &Raster| Series {
        label: label.to_owned(),
        mark,
        points: raster.borders_over_gaps(GAPS),
    };
    let mut series = vec![
        area("reached within the impact", Mark::Backdrop, &reached.joined()),
        area("after the impact", Mark::Region, &after.joined()),
    ];
    let problem = study.problem();
    let at = |velocity| project(problem.contact_velocity(velocity).as_slice());
    let mut path = |label: String, stops: Vec<[f64; 2]>| {
        let ends = stops[1..].to_vec();
        series.push(drawing::line(&label, stops));
        series.push(Series { label, mark: Mark::Dots, points: ends });
    };
    let start = at(problem.velocity());
    for outcome in &study.simultaneous {
        path("all contacts at once".to_owned(), vec![start, at(&outcome.velocity)]);
    }
    for (label, outcome) in &study.sequences {
        let stops = outcome.trace.stages.iter().map(|stage| at(&stage.velocity));
        path(label.clone(), std::iter::once(start).chain(stops).collect());
    }
    // An area does not show outcomes that lie on a line or in a point, or below the paths of laws.
    let ends = study.ends.iter().map(|end| project(end));
    let points = scattered(ends, low, high);
    series.push(Series { label: OUTCOMES.to_owned(), mark: Mark::Dots, points });
    let before = Series { label: "before".to_owned(), mark: Mark::Dots, points: vec![start] };
    series.push(before);
    let axis = |component| {
        let (contact, kind) = match component {
            Component::Normal(contact) => (contact, "normal"),
            Component::Tangent(contact) => (contact, "tangential"),
        };
        drawing::axis(&format!("{kind} velocity, {}", study.impact.contacts[contact]), "m/s")
    };
    Figure {
        id: plane.id.clone(),
        title: plane.title.clone(),
        caption: plane.caption.clone(),
        x: axis(plane.x),
        y: axis(plane.y),
        equal_aspect: false,
        map: None,
        series,
    }
}

/// The first point in each cell of the rectangle from `low` to `high`.
fn scattered(
    points: impl Iterator<Item = [f64; 2]>,
    low: [f64; 2],
    high: [f64; 2],
) -> Vec<[f64; 2]> {
    let mut taken = BTreeSet::new();
    let cell = |point: &[f64; 2]| {
        [0, 1].map(|k| {
            // A rectangle without width or height has one cell across.
            let share = (point[k] - low[k]) / (high[k] - low[k]).max(f64::MIN_POSITIVE);
            #[expect(clippy::cast_possible_truncation, reason = "at most the number of cells")]
            let index = (DOTS[k] * share.min(1.0)) as i64;
            index
        })
    };
    points.filter(|point| taken.insert(cell(point))).collect()
}

/// Lower left and upper right corner of points.
fn bounds(points: impl Iterator<Item = [f64; 2]>) -> ([f64; 2], [f64; 2]) {
    points.fold(([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]), |(low, high), point| {
        ([0, 1].map(|k| low[k].min(point[k])), [0, 1].map(|k| high[k].max(point[k])))
    })
}
