//! Settings of the integration.

use super::{Error, Model, State};
use crate::{model, scales::Scales};

/// The method that advances the motion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Method {
    /// Backward differentiation formulas of order 1 to 5 with variable steps, implicit: for stiff contacts,
    /// such as those with high damping or with friction near rest (default).
    #[default]
    Bdf,
    /// The implicit one-step method TR-BDF2 of order 2, for independent checks of the default method.
    TrBdf2,
    /// The explicit one-step method of Tsitouras of order 5: for contacts that are elastic or lightly damped
    /// and slide. For these the resolution of the collision requires more steps than stability does.
    Tsit45,
}

/// Settings of [`integrate`](super::integrate).
///
/// The error of a step is acceptable when, in the mean square over all components, it is at most the absolute
/// tolerance of the component plus the relative tolerance times its size. Displacements are measured from the
/// start of the integration; the relative tolerance applies to them.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// The method.
    pub method: Method,
    /// Relative tolerance, in `[1e-13, 0.1]` (default `1e-8`).
    pub relative_tolerance: f64,
    /// Length `L`, mass `m` and time `T` to which tolerances are relative; by default those of the model
    /// ([`Scales::of`]).
    pub scales: Option<Scales>,
    /// Absolute tolerance of displacements (m, rad; > 0); by default `1e-12` of the change of each coordinate
    /// while bodies move by `L`.
    ///
    /// It must be small compared with the depth of the contacts: a velocity `v` is stopped by a spring `k`
    /// within `v √(m/k)`.
    pub displacement_tolerance: Option<f64>,
    /// Absolute tolerance of velocities (m/s, rad/s; > 0); by default `1e-9` of the velocities that move
    /// bodies by `L` in `T`.
    ///
    /// Where contacts stick, it must be at most a tenth of the width of their friction law.
    pub velocity_tolerance: Option<f64>,
    /// Absolute tolerance of contact impulses (N·s; > 0, default `1e-9 m L/T`).
    pub impulse_tolerance: Option<f64>,
    /// Maximum number of steps (≥ 1, default `1_000_000`).
    pub step_limit: usize,
    /// Maximum number of restarts, one for each time that contacts open or close (≥ 1, default `10_000`).
    pub restart_limit: usize,
    /// Minimum step; shorter steps end the integration (s; > 0, default `1e-16 T`).
    pub smallest_step: Option<f64>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            method: Method::default(),
            relative_tolerance: 1e-8,
            scales: None,
            displacement_tolerance: None,
            velocity_tolerance: None,
            impulse_tolerance: None,
            step_limit: 1_000_000,
            restart_limit: 10_000,
            smallest_step: None,
        }
    }
}

impl Settings {
    pub(super) fn check(&self) -> Result<(), Error> {
        let value = self.relative_tolerance;
        if !(1e-13..=0.1).contains(&value) {
            let (name, expected) = ("relative_tolerance", "a number from 1e-13 to 0.1");
            return Err(Error::Setting { name, value, expected });
        }
        if let Some((name, value)) = self.scales.and_then(|scales| scales.unusable()) {
            return Err(Error::Setting { name, value, expected: "a positive finite number" });
        }
        for (name, value) in [
            ("displacement_tolerance", self.displacement_tolerance),
            ("velocity_tolerance", self.velocity_tolerance),
            ("impulse_tolerance", self.impulse_tolerance),
            ("smallest_step", self.smallest_step),
        ] {
            if let Some(value) = value.filter(|value| !(value.is_finite() && *value > 0.0)) {
                return Err(Error::Setting { name, value, expected: "a positive finite number" });
            }
        }
        for (name, value) in
            [("step_limit", self.step_limit), ("restart_limit", self.restart_limit)]
        {
            if value == 0 {
                return Err(Error::Setting { name, value: 0.0, expected: "at least 1" });
            }
        }
        Ok(())
    }
}

/// The settings of one integration, with defaults from the scales of the model filled in.
#[derive(Clone, Debug)]
pub(super) struct Resolved {
    pub(super) method: Method,
    pub(super) relative_tolerance: f64,
    pub(super) scales: Scales,
    /// Changes of displacements and velocities while bodies move by `L` in `T`.
    pub(super) strides: Vec<f64>,
    /// Changes of velocities while bodies move by `L`.
    pub(super) velocity_strides: Vec<f64>,
    /// Absolute tolerances of displacements, velocities and contact impulses.
    pub(super) absolute_tolerances: Vec<f64>,
    pub(super) step_limit: usize,
    pub(super) restart_limit: usize,
    pub(super) smallest_step: f64,
}

impl Resolved {
    pub(super) fn new(settings: &Settings, model: &Model, start: &State, span: f64) -> Self {
        let system = model.system();
        let gaps = model.contacts().iter().map(|contact| contact.gap.as_ref());
        let State { time, coordinates, impulses, .. } = start;
        let state = model::State {
            time: *time,
            coordinates: coordinates.clone(),
            velocity: start.velocity.clone(),
        };
        let scales = settings.scales.unwrap_or_else(|| Scales::of(system, gaps, &state, span));
        let mut strides = scales.of_coordinates(system, coordinates);
        let displacements = strides.len();
        let velocities = scales.of_velocities(system, coordinates);
        strides.extend(velocities.iter().map(|stride| stride / scales.time));
        let (of_displacements, of_velocities) = strides.split_at(displacements);
        let displacement = |s: &f64| settings.displacement_tolerance.unwrap_or(1e-12 * s);
        let velocity = |s: &f64| settings.velocity_tolerance.unwrap_or(1e-9 * s);
        let impulse = settings.impulse_tolerance.unwrap_or(1e-9 * scales.impulse());
        let absolute_tolerances = of_displacements
            .iter()
            .map(displacement)
            .chain(of_velocities.iter().map(velocity))
            .chain(impulses.iter().map(|_| impulse))
            .collect();
        Self {
            method: settings.method,
            relative_tolerance: settings.relative_tolerance,
            scales,
            strides,
            velocity_strides: velocities,
            absolute_tolerances,
            step_limit: settings.step_limit,
            restart_limit: settings.restart_limit,
            smallest_step: settings.smallest_step.unwrap_or(1e-16 * scales.time),
        }
    }
}
