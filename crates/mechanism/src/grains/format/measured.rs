//! The fields of a [`Scene`](super::Scene) that say what is measured.

use serde::Deserialize;

/// What is measured.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Statistics {
    /// Seconds between lines of the table, default a hundredth of the duration.
    pub every: Option<f64>,
    /// Time from which on averages are taken (s), default half of the duration.
    pub from: Option<f64>,
    /// Cells for solid fraction and velocity.
    pub cells: Option<Cells>,
    /// The radial distribution of grains in a box.
    pub radial: Option<Radial>,
    /// Planes through which mass flow is counted.
    pub planes: Vec<FlowPlane>,
    /// The surface whose angle is measured.
    pub surface: Option<SurfaceOf>,
}

/// A free surface: a slope, or with a `center` a cone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SurfaceOf {
    /// The axis of the cone in `x` and `y` (m).
    pub center: Option<[f64; 2]>,
}

/// Equal cells of a box.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cells {
    /// Lower corner (m).
    pub low: [f64; 3],
    /// Upper corner (m).
    pub high: [f64; 3],
    /// Number along each axis, at least 1, at most a million cells.
    pub counts: [usize; 3],
}

/// A box whose grains are counted by their distances from each other.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Radial {
    /// Lower corner (m).
    pub low: [f64; 3],
    /// Upper corner (m).
    pub high: [f64; 3],
    /// Largest distance (m), positive and at most the shortest edge of the box.
    pub reach: f64,
    /// Number of equal classes of the distance, from 1 to 10 000; default 100.
    #[serde(default = "bins")]
    pub bins: usize,
}

const fn bins() -> usize {
    100
}

/// A plane through which mass flow is counted, positive along `normal`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlowPlane {
    /// Name, unique among planes.
    pub name: String,
    /// A point of it (m).
    pub point: [f64; 3],
    /// Its normal, of any length but zero.
    pub normal: [f64; 3],
}
