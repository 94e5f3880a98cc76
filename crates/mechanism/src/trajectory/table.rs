//! A trajectory as a table with named columns.

use percussion_dynamics::JointKind;
use percussion_record::{Column, Table};

use super::{Sample, Trajectory};
use crate::{
    mechanism::{Mechanism, Part},
    scenario::Setup,
};

impl Trajectory {
    /// Time, coordinates, velocities, energy and gaps at every step end.
    ///
    /// `setup` must be the simulated one; it provides the names of the columns.
    #[must_use]
    pub fn table(&self, setup: &Setup) -> Table {
        let column = |name: String, unit: &str| Column { name, unit: unit.to_owned() };
        let mut columns = vec![column("time".to_owned(), "s")];
        let Mechanism { parts, contacts, .. } = &setup.mechanism;
        for entries in [coordinates, velocities] {
            for part in parts {
                let named =
                    |(name, unit): &(&str, &str)| column(format!("{} {name}", part.name), unit);
                columns.extend(entries(part.joint).iter().map(named));
            }
        }
        columns.push(column("energy".to_owned(), "J"));
        // Contacts that were found come after the last gap; they have no gap in the samples.
        let named = self.contact_names.iter().take(self.end().gaps.len()).enumerate();
        let unit = |k: usize| contacts.get(k).map_or("m", |contact| contact.unit);
        columns.extend(named.map(|(k, name)| column(format!("gap {name}"), unit(k))));
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

/// Names and units of the coordinates of all bodies.
pub(crate) fn coordinate_columns(parts: &[Part]) -> Vec<Column> {
    let of = |part: &Part| {
        let name = part.name.clone();
        let column = move |&(entry, unit): &(&str, &str)| Column {
            name: format!("{name} {entry}"),
            unit: unit.to_owned(),
        };
        coordinates(part.joint).iter().map(column)
    };
    parts.iter().flat_map(of).collect()
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
