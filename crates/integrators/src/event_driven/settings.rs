//! Settings of the integration.

use super::Error;
use crate::{
    model::{Model, State},
    scales::Scales,
};

/// Settings of [`integrate`](super::integrate).
///
/// Three tolerances define zero: for a gap, a contact velocity and a contact acceleration. Every decision
/// between two modes of a contact uses them; they must be above the errors of the integration. By default
/// they are small fractions of the [`Scales`] of the model: length `L`, mass `m` and time `T`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Relative tolerance of a step of smooth motion, in `[1e-13, 1e-3]` (default `1e-10`).
    pub relative_tolerance: f64,
    /// Length, mass and time to which tolerances are relative; by default those of the model
    /// ([`Scales::of`]).
    pub scales: Option<Scales>,
    /// Absolute tolerance of displacements, velocities and energies of a step (m, rad, m/s, rad/s, J; > 0);
    /// by default `1e-11` of the change of each of them while bodies move by `L` in `T`.
    pub absolute_tolerance: Option<f64>,
    /// Contacts with gaps up to this value take part in an impact together (m; ≥ 0, default `1e-9 L`):
    /// simultaneous events. Rebounds that stay within it are summed as a geometric series.
    pub proximity: Option<f64>,
    /// Maximum gap of a closed contact (m; > 0, default `1e-9 L`). The drift of a closed contact is corrected
    /// when it exceeds a tenth of this.
    pub gap_tolerance: Option<f64>,
    /// Maximum contact velocity that counts as zero (m/s; > 0, default `1e-9 L/T`).
    pub velocity_tolerance: Option<f64>,
    /// Maximum contact acceleration that counts as zero (m/s²; > 0, default `1e-8 L/T²`, a hundred times the
    /// tolerance of a step). Contact forces count as zero or at the edge of their cones when their deviation
    /// accelerates the contact by at most this.
    pub acceleration_tolerance: Option<f64>,
    /// Maximum number of impacts (≥ 1, default `100_000`).
    pub impact_limit: usize,
    /// Maximum number of changes of the modes of contacts (≥ 1, default `100_000`).
    pub mode_limit: usize,
    /// Maximum number of steps of smooth motion (≥ 1, default `1_000_000`).
    pub step_limit: usize,
    /// Maximum amount of work (≥ 1, default `100_000_000`): the number of evaluations of the accelerations, of
    /// states evaluated for events, of problems solved to find modes, each of which counts as ten, and of
    /// iterations of the contact problems of implicit steps, ten of which count as one. An evaluation takes
    /// some 10 µs for a few bodies. Phases that end as soon as they begin take few steps and much work.
    pub work_limit: usize,
    /// Time between two samples for the observer, in addition to events (s; > 0). If not given (the default),
    /// the observer is called at the ends of steps, which are far apart where the motion is smooth.
    pub sample_interval: Option<f64>,
    /// Error of a step of a [stretch](super::EventKind::Stretch) relative to the scales of the model, in `[1e-12, 1e-3]` (default
    /// `1e-7`): of velocities in `L/T` and of displacements in `L`.
    pub implicit_tolerance: f64,
    /// Whether an impact to which the law has no answer is inelastic, in a [stretch](super::EventKind::Stretch) that names this
    /// [cause](super::Cause::ImpactUnresolved). By default (false) the motion ends as
    /// [`Status::ImpactUnresolved`](super::Status::ImpactUnresolved).
    pub inelastic_fallback: bool,
    /// Energy at which the motion ends, at the next event, as [`Status::EnergyReached`](super::Status::EnergyReached) (J,
    /// finite; default none): for instance that of the pass to another state, which the motion cannot reach any more.
    pub end_energy: Option<f64>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            relative_tolerance: 1e-10,
            scales: None,
            absolute_tolerance: None,
            proximity: None,
            gap_tolerance: None,
            velocity_tolerance: None,
            acceleration_tolerance: None,
            impact_limit: 100_000,
            mode_limit: 100_000,
            step_limit: 1_000_000,
            work_limit: 100_000_000,
            sample_interval: None,
            implicit_tolerance: 1e-7,
            inelastic_fallback: false,
            end_energy: None,
        }
    }
}

impl Settings {
    pub(super) fn check(&self) -> Result<(), Error> {
        let value = self.relative_tolerance;
        if !(1e-13..=1e-3).contains(&value) {
            let (name, expected) = ("relative_tolerance", "a number from 1e-13 to 1e-3");
            return Err(Error::Setting { name, value, expected });
        }
        let value = self.implicit_tolerance;
        if !(1e-12..=1e-3).contains(&value) {
            let (name, expected) = ("implicit_tolerance", "a number from 1e-12 to 1e-3");
            return Err(Error::Setting { name, value, expected });
        }
        if let Some(value) = self.proximity.filter(|p| !(p.is_finite() && *p >= 0.0)) {
            let (name, expected) = ("proximity", "a finite number of at least 0");
            return Err(Error::Setting { name, value, expected });
        }
        if let Some((name, value)) = self.scales.and_then(|scales| scales.unusable()) {
            return Err(Error::Setting { name, value, expected: "a positive finite number" });
        }
        for (name, value) in [
            ("absolute_tolerance", self.absolute_tolerance),
            ("gap_tolerance", self.gap_tolerance),
            ("velocity_tolerance", self.velocity_tolerance),
            ("acceleration_tolerance", self.acceleration_tolerance),
            ("sample_interval", self.sample_interval),
        ] {
            if let Some(value) = value.filter(|value| !(value.is_finite() && *value > 0.0)) {
                return Err(Error::Setting { name, value, expected: "a positive finite number" });
            }
        }
        if let Some(value) = self.end_energy.filter(|value| !value.is_finite()) {
            let (name, expected) = ("end_energy", "a finite number");
            return Err(Error::Setting { name, value, expected });
        }
        for (name, value) in [
            ("impact_limit", self.impact_limit),
            ("mode_limit", self.mode_limit),
            ("step_limit", self.step_limit),
            ("work_limit", self.work_limit),
        ] {
            if value == 0 {
                return Err(Error::Setting { name, value: 0.0, expected: "at least 1" });
            }
        }
        Ok(())
    }
}

/// The largest slip of a contact at rest in space, as a multiple of the velocity tolerance.
///
/// The direction of a slip `u` turns at the rate `μ f_n/(m u)`. An explicit method has to resolve this rate, and slow slips would stop
/// it. In the plane a direction does not turn, and twice the tolerance is enough.
const SLOW: f64 = 1e3;

/// The settings of one integration, with defaults from the scales of the model filled in.
#[derive(Clone, Debug)]
pub(super) struct Resolved {
    pub(super) scales: Scales,
    pub(super) relative_tolerance: f64,
    /// Absolute tolerances of displacements of the coordinates, velocities, and two energies.
    pub(super) absolute_tolerances: Vec<f64>,
    /// Change of each coordinate while bodies move by `L`.
    pub(super) strides: Vec<f64>,
    pub(super) proximity: f64,
    pub(super) gap_tolerance: f64,
    pub(super) velocity_tolerance: f64,
    pub(super) acceleration_tolerance: f64,
    /// The largest slip of contacts at rest (m/s). Above it the direction of friction is that of the slip, below it is stored.
    pub(super) still: f64,
    pub(super) impact_limit: usize,
    pub(super) mode_limit: usize,
    pub(super) step_limit: usize,
    pub(super) work_limit: usize,
    pub(super) end: f64,
    pub(super) sample_interval: Option<f64>,
    pub(super) implicit_tolerance: f64,
    pub(super) inelastic_fallback: bool,
    pub(super) end_energy: Option<f64>,
}

impl Resolved {
    /// Gap (m) up to which a contact takes part in an impact.
    pub(super) fn height(&self) -> f64 {
        self.proximity.max(self.gap_tolerance)
    }

    /// Maximum depth of accepted overlaps (m): those of the start plus the gap tolerance.
    pub(super) fn deepest(&self) -> f64 {
        self.height() + self.gap_tolerance
    }

    pub(super) fn new(settings: &Settings, model: &Model, start: &State, end: f64) -> Self {
        let system = model.system();
        let scales = settings.scales.unwrap_or_else(|| model.scales(start, end - start.time));
        let strides = scales.of_coordinates(system, &start.coordinates);
        let of_velocities = scales.of_velocities(system, &start.coordinates);
        let absolute_tolerances = match settings.absolute_tolerance {
            Some(tolerance) => vec![tolerance; strides.len() + of_velocities.len() + 2],
            None => {
                let speeds = of_velocities.iter().map(|stride| stride / scales.time);
                let energies = [scales.energy(); 2];
                let all = strides.iter().copied().chain(speeds).chain(energies);
                all.map(|scale| 1e-11 * scale).collect()
            }
        };
        let length = 1e-9 * scales.length;
        let velocity_tolerance = settings.velocity_tolerance.unwrap_or(1e-9 * scales.speed());
        let slow = if model.component_count() == 2 { 2.0 } else { SLOW };
        Self {
            scales,
            relative_tolerance: settings.relative_tolerance,
            absolute_tolerances,
            strides,
            proximity: settings.proximity.unwrap_or(length),
            gap_tolerance: settings.gap_tolerance.unwrap_or(length),
            velocity_tolerance,
            still: slow * velocity_tolerance,
            acceleration_tolerance: settings
                .acceleration_tolerance
                .unwrap_or(1e-8 * scales.acceleration()),
            impact_limit: settings.impact_limit,
            mode_limit: settings.mode_limit,
            step_limit: settings.step_limit,
            work_limit: settings.work_limit,
            end,
            sample_interval: settings.sample_interval,
            implicit_tolerance: settings.implicit_tolerance,
            inelastic_fallback: settings.inelastic_fallback,
            end_energy: settings.end_energy,
        }
    }
}
