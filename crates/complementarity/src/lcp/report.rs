//! Status and report of the solvers.

/// The status at the end of a solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Status {
    /// `z` meets the tolerance: the relative residual was confirmed on the problem itself.
    Solved,
    /// The path of Lemke's method ended with a verified secondary ray, see
    /// [`lemke::Workspace::ray`](super::lemke::Workspace::ray).
    Ray,
    /// The maximum number of iterations was reached; `z` is the best iterate.
    IterationLimit,
    /// No further progress was possible; `z` is the best iterate.
    Stalled,
}

/// The outcome of a solve besides the vector `z`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Report {
    /// The status at the end of the solve.
    pub status: Status,
    /// Number of pivots, sweeps or Newton steps, as the solver's documentation states.
    pub iterations: usize,
    /// [`Problem::natural_map_residual`](super::Problem::natural_map_residual) of the returned `z`
    /// (the units of `w`).
    pub residual: f64,
    /// [`Problem::relative_residual`](super::Problem::relative_residual) of the returned `z`, or a bound of it
    /// within the tolerance if that is cheaper.
    pub relative_residual: f64,
}
