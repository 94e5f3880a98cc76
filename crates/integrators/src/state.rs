//! The state at the start and the end of a motion: [`State`].

/// Position and velocity of a system at a time.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Time (s).
    pub time: f64,
    /// Coordinates `q` (length `n_q`; m, rad, unit quaternions).
    pub coordinates: Vec<f64>,
    /// Generalized velocity `v` (length `n_v`; m/s, rad/s).
    pub velocity: Vec<f64>,
}
