//! A trajectory as a table with named columns.

use percussion_dynamics::JointKind;
use percussion_record::{Column, Table};

use super::{Sample, Trajectory};
use crate::scenario::Scenario;

impl Trajectory {
    /// Time, coordinates, velocities, energy and gaps at every step end.
    ///
    /// `scenario` must be the one simulated: it names the columns.
    #[must_use]
    pub fn table(&self, scenario: &Scenario) -> Table {
        let column = |name: String, unit: &str| Column { name, unit: unit.to_owned() };
        let mut columns = vec![column("time".to_owned(), "s")];
        let (parts, units) = match scenario.is_tree().then(|| scenario.build()) {
            // No scenario that was simulated is refused.
            Some(built) => built.map(|setup| (setup.parts, setup.gap_units)).unwrap_or_default(),
            None => (scenario.free_parts(), Vec::new()),
        };
        for entries in [coordinates, velocities] {
            for part in &parts {
                let named =
                    |(name, unit): &(&str, &str)| column(format!("{} {name}", part.name), unit);
                columns.extend(entries(part.joint).iter().map(named));
            }
        }
        columns.push(column("energy".to_owned(), "J"));
        // Contacts that were found follow, without gaps.
        let named = self.contact_names.iter().take(self.end().gaps.len()).enumerate();
        columns.extend(
            named.map(|(k, name)| {
                column(format!("gap {name}"), units.get(k).copied().unwrap_or("m"))
            }),
        );
        let row = |sample: &Sample| {
            let mut row = vec![sample.time];
            row.extend(&sample.coordinates);
            row.extend(&sample.velocity);
            row.push(sample.energy);
            row.extend(&sample.gaps);
            row
        };
        Table { columns, rows: self.samples.iter().map(row).collect() }
    }
}

type Entries = &'static [(&'static str, &'static str)];

/// Names and units of the coordinates of one body.
const fn coordinates(joint: JointKind) -> Entries {
    match joint {
        JointKind::Revolute { .. } => &[("angle", "rad")],
        JointKind::Prismatic { .. } => &[("displacement", "m")],
        JointKind::Planar => &[("x", "m"), ("y", "m"), ("angle", "rad")],
        JointKind::Spherical => &[("q_w", ""), ("q_x", ""), ("q_y", ""), ("q_z", "")],
        JointKind::Free => &[
            ("x", "m"),
            ("y", "m"),
            ("z", "m"),
            ("q_w", ""),
            ("q_x", ""),
            ("q_y", ""),
            ("q_z", ""),
        ],
        _ => &[],
    }
}

/// Names and units of its velocities.
const fn velocities(joint: JointKind) -> Entries {
    match joint {
        JointKind::Revolute { .. } => &[("angular velocity", "rad/s")],
        JointKind::Prismatic { .. } => &[("velocity", "m/s")],
        JointKind::Planar => &[("v_x", "m/s"), ("v_y", "m/s"), ("angular velocity", "rad/s")],
        JointKind::Spherical => &[("omega_x", "rad/s"), ("omega_y", "rad/s"), ("omega_z", "rad/s")],
        JointKind::Free => &[
            ("v_x", "m/s"),
            ("v_y", "m/s"),
            ("v_z", "m/s"),
            ("omega_x", "rad/s"),
            ("omega_y", "rad/s"),
            ("omega_z", "rad/s"),
        ],
        _ => &[],
    }
}
