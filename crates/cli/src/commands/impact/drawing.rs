//! Figures and tables of a set of outcomes, as files.

use std::path::{Path, PathBuf};

use anyhow::Result;
use percussion_record::{Axis, Figure, Mark, Series};
use percussion_report::{atomic, csv, write_figure};

use super::set::{Plane, Set};
use crate::input::Subject;

/// Writes `velocities.csv` and for each contact with friction a figure `contact-INDEX`.
pub(super) fn write(set: &Set, subject: &Subject, directory: &Path) -> Result<Vec<PathBuf>> {
    let table = directory.join("velocities.csv");
    let rows = set.velocities.iter().cloned();
    atomic::write(&table, csv::table(&subject.velocities, rows).as_bytes())?;
    let mut files = vec![table];
    for plane in &set.planes {
        let figure = figure(plane, subject);
        files.extend(write_figure(&directory.join(&figure.id), &figure)?);
    }
    Ok(files)
}

fn figure(plane: &Plane, subject: &Subject) -> Figure {
    let Plane { contact, hull, points, .. } = plane;
    // The rounding error of a zero velocity must not determine the scale of an axis.
    let grain = 1e-6 * plane.cell;
    let steady = |point: &[f64; 2]| point.map(|speed| grain * (speed / grain).round());
    let name = &subject.contacts[*contact];
    let axis = |label: &str| Axis::new(label, "m/s");
    let closed = hull.iter().chain(hull.first()).map(steady).collect();
    Figure {
        id: format!("contact-{contact}"),
        title: format!("Velocities of contact {name} after the impact"),
        caption: format!(
            "One outcome in each of {} cells of {:.2e} m/s, and the convex hull of all.",
            plane.cells, plane.cell
        ),
        x: axis("sliding"),
        y: axis("separation"),
        equal_aspect: true,
        map: None,
        series: vec![
            Series {
                label: "outcomes".to_owned(),
                mark: Mark::Dots,
                points: points.iter().map(steady).collect(),
            },
            Series { label: "convex hull".to_owned(), mark: Mark::Line, points: closed },
        ],
    }
}
