//! Figures and tables of a set of outcomes, as files.

use std::path::{Path, PathBuf};

use anyhow::Result;
use nalgebra::DVector;
use percussion_record::{Axis, Figure, Mark, Series};
use percussion_report::{atomic, csv, write_figure};

use super::set::{Plane, Set};
use crate::input::Subject;

/// Writes `velocities.csv` and the [figures] of the set.
pub(super) fn write(
    set: &Set,
    subject: &Subject,
    outcomes: &[(String, Vec<f64>)],
    directory: &Path,
) -> Result<Vec<PathBuf>> {
    let table = directory.join("velocities.csv");
    let rows = set.velocities.iter().cloned();
    atomic::write(&table, csv::table(&subject.velocities, rows).as_bytes())?;
    let mut files = vec![table];
    for figure in figures(set, subject, outcomes) {
        files.extend(write_figure(&directory.join(&figure.id), &figure)?);
    }
    Ok(files)
}

/// For each contact with friction a figure `contact-INDEX` of its velocities, with the outcomes of other laws by name.
pub(super) fn figures(
    set: &Set,
    subject: &Subject,
    outcomes: &[(String, Vec<f64>)],
) -> Vec<Figure> {
    set.planes.iter().map(|plane| figure(plane, subject, outcomes)).collect()
}

fn figure(plane: &Plane, subject: &Subject, outcomes: &[(String, Vec<f64>)]) -> Figure {
    let Plane { contact, hull, points, .. } = plane;
    // The rounding error of a zero velocity must not determine the scale of an axis.
    let grain = 1e-6 * plane.cell;
    let steady = |point: &[f64; 2]| point.map(|speed| grain * (speed / grain).round());
    let name = &subject.contacts[*contact];
    let axis = |label: &str| Axis::new(label, "m/s");
    let closed = hull.iter().chain(hull.first()).map(steady).collect();
    let mut series = vec![
        Series {
            label: "outcomes".to_owned(),
            mark: Mark::Dots,
            points: points.iter().map(steady).collect(),
        },
        Series { label: "convex hull".to_owned(), mark: Mark::Line, points: closed },
    ];
    // Laws with the same velocities of the contact share a dot.
    let mut laws: Vec<(String, [f64; 2])> = Vec::new();
    let normal = subject.problem.rows(*contact).start;
    for (law, velocity) in outcomes {
        let speeds = subject.problem.contact_velocity(&DVector::from_column_slice(velocity));
        let point = steady(&[speeds[normal + 1], speeds[normal]]);
        let is_near =
            |other: &[f64; 2]| (0..2).all(|k| (point[k] - other[k]).abs() <= 1e-3 * plane.cell);
        match laws.iter_mut().find(|(_, other)| is_near(other)) {
            Some((names, _)) => *names += &format!(", {law}"),
            None => laws.push((law.clone(), point)),
        }
    }
    series.extend(laws.into_iter().map(|(label, point)| Series {
        label,
        mark: Mark::Dots,
        points: vec![point],
    }));
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
        series,
    }
}
