//! Settings of the scheme.

use percussion_complementarity::friction::{Law, Method, Report, Status};
use serde::{Deserialize, Serialize};

use super::Error;

/// What becomes of a step whose contact problem was not solved to the tolerance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Unsolved {
    /// It is refused as [`Error::Unsolved`], and the state stays.
    #[default]
    Refuse,
    /// It is taken with the best impulses found, which lie in their cones; its report says so.
    Accept,
}

impl Unsolved {
    pub(crate) fn accept(self, time: f64, solved: &Report) -> Result<(), Error> {
        let Report { status, relative_residual, .. } = *solved;
        match (status, self) {
            (Status::Solved, _) | (_, Self::Accept) => Ok(()),
            _ => Err(Error::Unsolved { time, status, relative_residual }),
        }
    }
}

/// Settings of the [`Integrator`](super::Integrator).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Step `h` (s), positive (default `0.001`).
    pub step_size: f64,
    /// Friction law, which every problem of a step states (default Coulomb).
    pub law: Law,
    /// Solver, with a [rule](Method::laws) for the law; its own tolerance is not used (default [`Method::default`]).
    pub method: Method,
    /// Largest relative natural-map residual of a solved problem (≥ 0, default `1e-8`).
    ///
    /// It is relative to the largest contact velocity without impulses: velocities of a scene that moves at 1 m/s are
    /// right to some `1e-8` m/s.
    pub tolerance: f64,
    /// Part `ε` of a penetration, and of the errors of constraints, that a step removes (in `[0, 1]`, default 0.2; the paper
    /// leaves out 1, which is allowed and removes all).
    pub error_reduction: f64,
    /// Whether a solve begins with the impulses of the last step (default) or with none.
    pub warm_start: bool,
    /// What becomes of a step whose problem was not solved (default: it is refused).
    pub unsolved: Unsolved,
    /// Largest number of steps of one [`run`](super::Integrator::run) (default `10_000_000`).
    pub step_limit: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            step_size: 0.001,
            law: Law::default(),
            method: Method::default(),
            tolerance: 1e-8,
            error_reduction: 0.2,
            warm_start: true,
            unsolved: Unsolved::default(),
            step_limit: 10_000_000,
        }
    }
}

impl Settings {
    /// The method with the tolerance, if everything is in range and it has a rule for the law.
    pub(super) fn check(&self) -> Result<Method, Error> {
        positive("step_size", self.step_size)?;
        fraction("error_reduction", self.error_reduction)?;
        method(self.method, self.law, self.tolerance)
    }
}

pub(crate) fn positive(name: &'static str, value: f64) -> Result<(), Error> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    Err(Error::Setting { name, value, expected: "a positive finite number" })
}

pub(crate) fn fraction(name: &'static str, value: f64) -> Result<(), Error> {
    if (0.0..=1.0).contains(&value) {
        return Ok(());
    }
    Err(Error::Setting { name, value, expected: "a number in [0, 1]" })
}

pub(crate) fn method(method: Method, law: Law, tolerance: f64) -> Result<Method, Error> {
    if tolerance.is_nan() || tolerance < 0.0 {
        let (name, expected) = ("tolerance", "a number of at least 0");
        return Err(Error::Setting { name, value: tolerance, expected });
    }
    method.check_law(law)?;
    Ok(method.with_tolerance(tolerance))
}
