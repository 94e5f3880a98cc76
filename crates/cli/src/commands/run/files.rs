//! The files of a motion by steps, and the units of their columns.

use std::path::{Path, PathBuf};

use anyhow::Result;
use percussion_integrators::{Feature, Work};
use percussion_mechanism::{scenario::Setup, trajectory::Trajectory, view};
use percussion_record::Column;
use percussion_report::{atomic, csv, number::exact, viewer, write_figure};
use percussion_scenarios::overview;

/// Writes `trajectory.csv`, `steps.csv`, `contacts.csv` if contacts are found or have cones that are not round, the overview figures and the
/// page that plays the motion, and returns their paths.
pub(super) fn write(
    directory: &Path,
    setup: &Setup,
    trajectory: &Trajectory,
) -> Result<Vec<PathBuf>> {
    let mut files = vec![directory.join("trajectory.csv"), directory.join("steps.csv")];
    atomic::write(&files[0], trajectory_csv(setup, trajectory).as_bytes())?;
    atomic::write(&files[1], steps_csv(setup, trajectory).as_bytes())?;
    if trajectory.found.is_some() || has_cones(setup) {
        let file = directory.join("contacts.csv");
        atomic::write(&file, contacts_csv(setup, trajectory).as_bytes())?;
        files.push(file);
    }
    for figure in overview(setup, trajectory) {
        files.extend(write_figure(&directory.join(&figure.id), &figure)?);
    }
    files.extend(viewer::write(directory, &view::of_trajectory(setup, trajectory))?);
    Ok(files)
}

pub(super) fn trajectory_csv(setup: &Setup, trajectory: &Trajectory) -> String {
    let table = trajectory.table(setup);
    let name = |column: &Column| csv::heading(&column.name, &column.unit);
    csv::table(&table.columns.iter().map(name).collect::<Vec<_>>(), table.rows)
}

fn has_cones(setup: &Setup) -> bool {
    setup.mechanism.model.has(Feature::Cones)
}

/// The table of every contact in every step; with moments if any friction cone may have them.
fn contacts_csv(setup: &Setup, trajectory: &Trajectory) -> String {
    let mut columns = vec![
        "time (s)",
        "contact",
        "unit of impulses",
        "normal impulse",
        "tangent 1 impulse",
        "tangent 2 impulse",
        "separation (m/s; rad/s for N·m·s)",
        "sliding 1 (m/s)",
        "sliding 2 (m/s)",
    ];
    let moments = has_cones(setup);
    if moments {
        columns.extend([
            "normal moment (N·m·s)",
            "tangent 1 moment (N·m·s)",
            "tangent 2 moment (N·m·s)",
        ]);
    }
    let mut text = csv::line(columns.into_iter().map(str::to_owned));
    for step in &trajectory.reports {
        for contact in &step.contacts {
            let name = trajectory.contact_names.get(contact.contact).cloned().unwrap_or_default();
            let numbers = contact.impulse.iter().chain(contact.velocity.iter());
            let numbers = numbers.chain(contact.moment.iter().filter(|_| moments));
            let numbers = numbers.map(|number| exact(*number));
            let unit = impulse_unit(setup, contact.contact).to_owned();
            text += &csv::line([exact(step.time), name, unit].into_iter().chain(numbers));
        }
    }
    text
}

/// The diagnostics of every step.
fn steps_csv(setup: &Setup, trajectory: &Trajectory) -> String {
    let work: &[&str] = match trajectory.reports.first().map(|step| step.work) {
        Some(Work::RoundCones(_)) => &["passes", "sweeps", "relative residual"],
        Some(Work::Pieces(_)) => &["pieces", "Newton iterations", "impacts", "relative residual"],
        _ => &[
            "active set passes",
            "outer iterations",
            "LCP solves",
            "LCP size",
            "pivots",
            "relative LCP residual",
        ],
    };
    let penetration = format!("penetration ({})", penetration_unit(setup));
    let end = [&penetration, "energy before (J)", "energy after (J)", "normal impulse (N·s)"];
    let columns = [&["time (s)", "contacts"], work, &end].concat();
    let rows = trajectory.reports.iter().map(|step| {
        let work = match step.work {
            Work::Polygons(work) => vec![
                work.active_set_passes,
                work.outer_iterations,
                work.lcp_solves,
                work.lcp_size,
                work.pivots,
            ],
            Work::RoundCones(work) => vec![work.passes, work.sweeps],
            Work::Pieces(work) => vec![work.pieces, work.newton_iterations, step.impacts.len()],
            _ => Vec::new(),
        };
        let mut row = vec![step.time, step.contacts.len() as f64];
        row.extend(work.into_iter().map(|count| count as f64));
        row.extend([
            step.relative_residual,
            step.penetration,
            step.energy_before,
            step.energy_after,
            step.contacts.iter().map(|contact| contact.impulse.x).sum(),
        ]);
        row
    });
    csv::table(&columns, rows)
}

/// Whether the gap of a contact is an angle: that of a limit.
fn is_angle(setup: &Setup, contact: usize) -> bool {
    setup.mechanism.contacts.get(contact).is_some_and(|known| known.unit == "rad")
}

/// The unit of the impulses of a contact.
pub(super) fn impulse_unit(setup: &Setup, contact: usize) -> &'static str {
    if is_angle(setup, contact) { "N·m·s" } else { "N·s" }
}

/// The unit of overlaps; limits of angles have theirs in rad.
pub(super) fn penetration_unit(setup: &Setup) -> &'static str {
    let known = 0..setup.mechanism.contacts.len();
    if known.into_iter().any(|contact| is_angle(setup, contact)) { "m, rad" } else { "m" }
}
