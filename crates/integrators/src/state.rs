//! Where a motion starts and ends: [`State`].

/// Where a system is and how it moves.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Time (s).
    pub time: f64,
    /// Coordinates `q` (length `n_q`; m, rad, unit quaternions).
    pub coordinates: Vec<f64>,
    /// Generalized velocity `v` (length `n_v`; m/s, rad/s).
    pub velocity: Vec<f64>,
}
