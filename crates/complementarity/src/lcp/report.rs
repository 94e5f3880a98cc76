//! What every solver reports.

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Status {
    /// `z` meets the tolerance: the relative residual was confirmed on the problem itself.
    Solved,
    /// Lemke's path left along a verified secondary ray, see
    /// [`lemke::Workspace::ray`](super::lemke::Workspace::ray).
    Ray,
    /// The limit of iterations was reached; `z` is the best iterate.
    IterationLimit,
    /// No further progress was possible; `z` is the best iterate.
    Stalled,
}

/// The outcome of a solve, beside the vector `z` it leaves behind.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Report {
    /// How the solve ended.
    pub status: Status,
    /// Pivots, sweeps or Newton steps, as the solver's documentation says.
    pub iterations: usize,
    /// [`Problem::natural_map_residual`](super::Problem::natural_map_residual) of the returned `z`
    /// (the units of `w`).
    pub residual: f64,
    /// [`Problem::relative_residual`](super::Problem::relative_residual) of the returned `z`, or a bound of it within the tolerance where
    /// that is cheaper.
    pub relative_residual: f64,
}
