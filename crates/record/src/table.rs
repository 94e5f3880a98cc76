//! Numbers in named columns.

use serde::{Deserialize, Serialize};

/// One column of a [`Table`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// Name of the quantity, such as `ball 1 x`.
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
