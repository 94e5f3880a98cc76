//! Drift of the held quantities, and its removal.
//!
//! Holding accelerations keeps gaps and velocities only up to the errors of the steps, which accumulate.
//! After a step that leaves more than a tenth of the tolerances, coordinates and velocity are moved, by the
//! smallest change in the kinetic metric, to where gaps are closed, slip is zero and bilateral equations
//! hold. Projecting a solution of a differential equation onto its invariants preserves the order of the
//! method.
//!
//! # Source
//!
//! E. Hairer, C. Lubich, G. Wanner, *Geometric Numerical Integration*, 2nd ed., Springer 2006, section IV.4.

use nalgebra::DVector;

use super::{
    geometry::{Geometry, Independent},
    hold::{Hold, Line, line_row},
    impact::shortest,
};

/// Number of Newton steps onto the positions. The first leaves the square of a drift of 1e-9.
const NEWTON: usize = 2;

/// Violations of the held quantities by the position and the velocity, after the contacts were located.
pub(super) fn violation(geometry: &Geometry<'_>, hold: &Hold, velocity: &[f64]) -> (f64, f64) {
    let position = positions(geometry, hold).iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let speeds = hold.rows(geometry) * DVector::from_column_slice(velocity);
    (position, speeds.iter().fold(0.0_f64, |m, x| m.max(x.abs())))
}

/// Moves `coordinates` and `velocity` to where the held quantities are not violated; afterwards the contacts
/// are located there.
pub(super) fn project(
    geometry: &mut Geometry<'_>,
    hold: &Hold,
    coordinates: &mut [f64],
    velocity: &mut [f64],
) {
    let contacts = hold.contacts();
    let placed = |line: &Line| !matches!(line, Line::Tangent(..) | Line::Joint(_));
    let lines = hold.lines.iter().filter(|line| placed(line)).copied().collect();
    let positional = Hold { lines, carried: hold.carried.clone(), turning: Vec::new() };
    approach(geometry, &positional, coordinates);
    geometry.locate(coordinates, &contacts);
    let rows = hold.rows(geometry);
    let missing = -(&rows * DVector::from_column_slice(velocity));
    if let Some(change) = shortest(geometry, coordinates, &rows, &missing) {
        velocity.iter_mut().zip(&change).for_each(|(v, change)| *v += change);
    }
}

/// Moves `coordinates` to where the lines, all of which have a position, are not violated.
fn approach(geometry: &mut Geometry<'_>, positional: &Hold, coordinates: &mut [f64]) {
    let mut moved = coordinates.to_vec();
    for _ in 0..NEWTON {
        let contacts: Vec<_> = positional.lines.iter().filter_map(contact_of).collect();
        geometry.locate(coordinates, &contacts);
        let missing = -positions(geometry, positional);
        let rows = positional.rows(geometry);
        if let Some(step) = shortest(geometry, coordinates, &rows, &missing) {
            geometry.model.system().retract(coordinates, step.as_slice(), &mut moved);
            coordinates.copy_from_slice(&moved);
        }
    }
}

fn contact_of(line: &Line) -> Option<usize> {
    match *line {
        Line::Normal(contact) => Some(contact),
        Line::Tie(_) | Line::Tangent(..) | Line::Joint(_) => None,
    }
}

/// Moves `coordinates` to where the `sunk` contacts, and all that carry, just touch.
///
/// Contacts that carry nothing are not held, and sink by the errors of many short phases.
pub(super) fn lift(
    geometry: &mut Geometry<'_>,
    hold: &Hold,
    sunk: &[usize],
    coordinates: &mut [f64],
) {
    geometry.locate(coordinates, &[hold.contacts().as_slice(), sunk].concat());
    let mut independent = Independent::new(geometry, coordinates);
    let ties = (0..geometry.ties).map(Line::Tie);
    let normals = hold.contacts().into_iter().chain(sunk.iter().copied()).map(Line::Normal);
    let lines: Vec<_> =
        ties.chain(normals).filter(|line| independent.take(&line_row(geometry, line))).collect();
    approach(geometry, &Hold { lines, ..Hold::default() }, coordinates);
}

/// Gaps and bilateral values of the lines that have them; 0 for tangents and joints.
fn positions(geometry: &Geometry<'_>, hold: &Hold) -> DVector<f64> {
    let value = |line: &Line| match *line {
        Line::Tie(row) => geometry.tie_values[row],
        Line::Normal(contact) => geometry.gaps[contact],
        Line::Tangent(..) | Line::Joint(_) => 0.0,
    };
    DVector::from_iterator(hold.lines.len(), hold.lines.iter().map(value))
}
