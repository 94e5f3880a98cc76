//! Whole trajectories as arrays.

use numpy::{PyArray1, PyArrayMethods};
use percussion_mechanism::{
    event_motion::EventMotion,
    trajectory::{Sample, Trajectory},
};
use pyo3::{prelude::*, types::PyDict};

use crate::{
    arrays::{out, out_rows},
    values::{name_of, plain},
};

/// A trajectory as arrays.
pub(crate) fn trajectory_dict<'py>(
    py: Python<'py>,
    trajectory: &Trajectory,
) -> PyResult<Bound<'py, PyAny>> {
    let samples = &trajectory.samples;
    let first = trajectory.end();
    let (coordinates, velocities) = (first.coordinates.len(), first.velocity.len());
    let dict = PyDict::new(py);
    dict.set_item("status", name_of(&trajectory.status()))?;
    let numbers =
        |entry: fn(&Sample) -> f64| out(py, samples.iter().map(entry).collect::<Vec<_>>());
    dict.set_item("times", numbers(|sample| sample.time))?;
    dict.set_item("energies", numbers(|sample| sample.energy))?;
    let all = samples.iter().flat_map(|sample| sample.coordinates.iter().copied());
    dict.set_item("coordinates", out_rows(py, all.collect(), coordinates)?)?;
    let all = samples.iter().flat_map(|sample| sample.velocity.iter().copied());
    dict.set_item("velocities", out_rows(py, all.collect(), velocities)?)?;
    let all = samples.iter().flat_map(|sample| sample.gaps.iter().copied());
    let gaps: Vec<f64> = all.collect();
    dict.set_item("gaps", reshaped(py, gaps, samples.len())?)?;
    dict.set_item("contact_names", trajectory.contact_names.clone())?;
    dict.set_item("deepest_penetration", trajectory.deepest_penetration())?;
    dict.set_item("largest_relative_residual", trajectory.largest_residual())?;
    dict.set_item("largest_energy_increase", trajectory.largest_energy_increase())?;
    impulses(py, trajectory, &dict)?;
    Ok(dict.into_any())
}

/// A motion from event to event: its samples, its events, and how it ended.
pub(crate) fn event_motion_dict<'py>(
    py: Python<'py>,
    motion: &EventMotion,
) -> PyResult<Bound<'py, PyDict>> {
    let EventMotion { trajectory, report, .. } = motion;
    let dict = PyDict::new(py);
    dict.set_item("status", name_of(&report.status))?;
    dict.set_item("trajectory", trajectory_dict(py, trajectory)?)?;
    let (events, modes) = (plain(py, &report.events)?, plain(py, &report.modes)?);
    dict.set_item("events", events)?;
    dict.set_item("modes", modes)?;
    dict.set_item("energy_residual", report.energy.residual())?;
    dict.set_item("drift", plain(py, &report.drift)?)?;
    dict.set_item("work", plain(py, &report.counters)?)?;
    Ok(dict)
}

/// All contacts of all steps: the numbers of the step and of the contact, and the impulse.
fn impulses<'py>(
    py: Python<'py>,
    trajectory: &Trajectory,
    dict: &Bound<'py, PyDict>,
) -> PyResult<()> {
    let contacts = || {
        let reports = trajectory.reports.iter().enumerate();
        reports.flat_map(|(step, report)| report.contacts.iter().map(move |one| (step, one)))
    };
    dict.set_item("impulse_steps", contacts().map(|(step, _)| step).collect::<Vec<_>>())?;
    dict.set_item("impulse_contacts", contacts().map(|(_, one)| one.contact).collect::<Vec<_>>())?;
    let impulses = contacts().flat_map(|(_, one)| <[f64; 3]>::from(one.impulse));
    dict.set_item("impulses", out_rows(py, impulses.collect(), 3)?)
}

/// A matrix with this number of rows, possibly without columns.
fn reshaped(py: Python<'_>, entries: Vec<f64>, rows: usize) -> PyResult<Bound<'_, PyAny>> {
    let columns = entries.len().checked_div(rows).unwrap_or_default();
    Ok(PyArray1::from_vec(py, entries).reshape([rows, columns])?.into_any())
}
