//! A trajectory as a table with named columns.

use serde::{Deserialize, Serialize};

use super::{Sample, Trajectory};
use crate::scenario::{Scenario, Space};

/// One column of a [`Table`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// What it holds, such as `ball 1 x`.
    pub name: String,
    /// Its unit, empty when dimensionless.
    pub unit: String,
}

/// Numbers with named columns, ready for a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// The columns.
    pub columns: Vec<Column>,
    /// The rows, one number per column.
    pub rows: Vec<Vec<f64>>,
}

impl Trajectory {
    /// Time, coordinates, velocities, energy and gaps at every step end.
    ///
    /// `scenario` must be the one simulated: it names the columns.
    #[must_use]
    pub fn table(&self, scenario: &Scenario) -> Table {
        let column = |name: String, unit: &str| Column { name, unit: unit.to_owned() };
        let mut columns = vec![column("time".to_owned(), "s")];
        let (coordinates, velocities) = layout(scenario.dimension);
        for entries in [coordinates, velocities] {
            for body in &scenario.bodies {
                let named =
                    |(name, unit): &(&str, &str)| column(format!("{} {name}", body.name), unit);
                columns.extend(entries.iter().map(named));
            }
        }
        columns.push(column("energy".to_owned(), "J"));
        columns.extend(self.contact_names.iter().map(|name| column(format!("gap {name}"), "m")));
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

/// Names and units of the coordinates and of the velocities of one body.
const fn layout(space: Space) -> (Entries, Entries) {
    match space {
        Space::Plane => (
            &[("x", "m"), ("y", "m"), ("angle", "rad")],
            &[("v_x", "m/s"), ("v_y", "m/s"), ("angular velocity", "rad/s")],
        ),
        Space::Space => (
            &[
                ("x", "m"),
                ("y", "m"),
                ("z", "m"),
                ("q_w", ""),
                ("q_x", ""),
                ("q_y", ""),
                ("q_z", ""),
            ],
            &[
                ("v_x", "m/s"),
                ("v_y", "m/s"),
                ("v_z", "m/s"),
                ("omega_x", "rad/s"),
                ("omega_y", "rad/s"),
                ("omega_z", "rad/s"),
            ],
        ),
    }
}
