//! The settings of the scheme.

use super::{Error, Model};
use crate::{model::State, scales::Scales, settings};

/// Settings of [`Variational`](super::Variational).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Length of a step (s, positive, default 0.01).
    pub step_size: f64,
    /// Maximum residual of the discrete equations of motion, relative to the largest momentum and impulse in
    /// them (dimensionless, in `(0, 1)`, default `1e-13`: a few hundred roundings). A residual that rounding
    /// keeps above it is accepted up to a thousand times this value.
    pub tolerance: f64,
    /// Maximum number of iterations of Newton's method for one piece of a step (≥ 1, default 50).
    pub newton_limit: usize,
    /// Length `L`, mass `m` and time `T` to which tolerances are relative; by default those of the model
    /// ([`Scales::of`]), where the time of a model at rest without forces is the length of a step.
    pub scales: Option<Scales>,
    /// Tolerance of the gaps of closing contacts and of the constraints (m or rad, positive, default
    /// `1e-12 L`).
    pub gap_tolerance: Option<f64>,
    /// Maximum gap of the contacts that take part in an impact (m, at least
    /// [`gap_tolerance`](Self::gap_tolerance), default `1e-9 L`).
    pub touching: Option<f64>,
    /// Rest speed: a contact that touches is at rest unless it separates or approaches faster than this (m/s,
    /// positive, default `1e-8 L/T`).
    pub rest_speed: Option<f64>,
    /// Maximum number of times that one contact may be hit within one step before its impacts become plastic
    /// (≥ 0, default 8): the Zeno rule.
    pub chatter_limit: usize,
    /// Maximum number of impacts of one step (≥ 1, default 1000).
    pub impact_limit: usize,
    /// Maximum change of normal velocities after an impact by the energy ledger, relative to them (in
    /// `[0, 1)`, default 0.1; with 0, no impact is corrected).
    pub correction_limit: f64,
    /// Number of friction directions in space (even, ≥ 4, default 8); in the plane there are two.
    pub directions: usize,
    /// Maximum number of steps of one [`run`](crate::Simulation::run) (≥ 1, default 10 million).
    pub step_limit: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            step_size: 0.01,
            tolerance: 1e-13,
            newton_limit: 50,
            scales: None,
            gap_tolerance: None,
            touching: None,
            rest_speed: None,
            chatter_limit: 8,
            impact_limit: 1000,
            correction_limit: 0.1,
            directions: 8,
            step_limit: 10_000_000,
        }
    }
}

impl Settings {
    pub(super) fn check(&self) -> Result<(), Error> {
        let refuse = |name, value, expected| Err(Error::Setting { name, value, expected });
        settings::scales(self.scales)?;
        let positive = [
            ("step_size", Some(self.step_size)),
            ("gap_tolerance", self.gap_tolerance),
            ("rest_speed", self.rest_speed),
        ];
        for (name, value) in positive {
            value.map_or(Ok(()), |value| settings::positive(name, value))?;
        }
        if !(self.tolerance > 0.0 && self.tolerance < 1.0) {
            return refuse("tolerance", self.tolerance, "a number in (0, 1)");
        }
        if !(0.0..1.0).contains(&self.correction_limit) {
            return refuse("correction_limit", self.correction_limit, "a number in [0, 1)");
        }
        let counts = [
            ("newton_limit", self.newton_limit),
            ("impact_limit", self.impact_limit),
            ("step_limit", self.step_limit),
        ];
        if let Some((name, _)) = counts.into_iter().find(|(_, count)| *count == 0) {
            return refuse(name, 0.0, "at least 1");
        }
        if self.directions < 4 || self.directions % 2 == 1 {
            return refuse("directions", self.directions as f64, "an even number of at least 4");
        }
        Ok(())
    }
}

/// The settings of one motion, with defaults from the scales of the model filled in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resolved {
    pub(super) scales: Scales,
    pub(super) step_size: f64,
    pub(super) tolerance: f64,
    pub(super) newton_limit: usize,
    pub(super) gap_tolerance: f64,
    pub(super) touching: f64,
    pub(super) rest_speed: f64,
    pub(super) chatter_limit: usize,
    pub(super) impact_limit: usize,
    pub(super) correction_limit: f64,
    pub(super) directions: usize,
}

impl Resolved {
    /// Checks the settings for a motion that starts at `start`.
    pub(super) fn new(settings: &Settings, model: &Model, start: &State) -> Result<Self, Error> {
        let scales = settings.scales.unwrap_or_else(|| model.scales(start, settings.step_size));
        let gap_tolerance = settings.gap_tolerance.unwrap_or(1e-12 * scales.length);
        let touching = settings.touching.unwrap_or_else(|| gap_tolerance.max(1e-9 * scales.length));
        if !(touching.is_finite() && touching >= gap_tolerance) {
            let (name, expected) = ("touching", "a number of at least `gap_tolerance`");
            return Err(Error::Setting { name, value: touching, expected });
        }
        Ok(Self {
            scales,
            step_size: settings.step_size,
            tolerance: settings.tolerance,
            newton_limit: settings.newton_limit,
            gap_tolerance,
            touching,
            rest_speed: settings.rest_speed.unwrap_or(1e-8 * scales.speed()),
            chatter_limit: settings.chatter_limit,
            impact_limit: settings.impact_limit,
            correction_limit: settings.correction_limit,
            directions: settings.directions,
        })
    }
}
