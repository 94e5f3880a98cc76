//! One figure of a certificate with its name and unit.

/// One figure of a [`Certificate`](super::Certificate), for tables.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Figure {
    /// Name of the field.
    pub name: &'static str,
    /// Its value.
    pub value: f64,
    /// Its unit; `-` when it has none.
    pub unit: &'static str,
}
