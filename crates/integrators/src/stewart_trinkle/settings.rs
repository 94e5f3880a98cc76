//! Settings of the scheme.

use percussion_complementarity::lcp::lemke;
use percussion_dynamics::Dimension;

use super::{Error, Model, State};
use crate::{scales::Scales, settings};

/// Orientation of the polygon of friction directions in the tangent plane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Alignment {
    /// The first direction is tangent 1 of the contact frame, as in the paper.
    #[default]
    Frame,
    /// The first direction opposes the tangential velocity that the contact would have without contact
    /// impulses. The friction of a contact that slides in this velocity then opposes the slip exactly and
    /// does not depend on the choice of the tangents.
    ///
    /// Where that velocity moves the contact by less than [`Settings::tolerance`] in a step, the polygon has
    /// the orientation of the frame: at rest, and when a collision elsewhere starts the slip.
    Slip,
}

/// Settings of [`StewartTrinkle`](super::StewartTrinkle).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Step `h` (s), positive (default `0.001`).
    pub step_size: f64,
    /// Number of friction directions `k` of each contact: even and at least 2 in space, exactly 2 in
    /// the plane (default 8; [`Settings::planar`] has 2).
    ///
    /// The polygon is inscribed in the circle: the friction limit is too small by up to
    /// `1 − cos(π/k)`, 7.6 % for 8 directions, depending on the direction of slip.
    pub directions: usize,
    /// Orientation of the polygon (default [`Alignment::Frame`]).
    pub alignment: Alignment,
    /// Length `L`, mass `m` and time `T` to which tolerances are relative; by default those of the model
    /// ([`Scales::of`]).
    pub scales: Option<Scales>,
    /// Tolerance of a step: it is accepted when the last outer iteration moved no coordinate by more than
    /// this and no contact or constraint is violated by more than this (m, rad; > 0). By default this is
    /// `1e-10` of the change of each coordinate while bodies move by `L`, and `1e-10 L` for contacts and
    /// constraints.
    ///
    /// A contact whose gap is at most this at the end of a step is active at the start of the next step. The
    /// value must be above the rounding of the coordinates: positions of 10⁶ m require `1e-9`.
    pub tolerance: Option<f64>,
    /// Maximum number of outer iterations for one set of active contacts (≥ 1, default 100).
    pub outer_iteration_limit: usize,
    /// Maximum depth of penetration and maximum constraint error of the start (m, rad; ≥ 0, default
    /// `1e-9 L`).
    ///
    /// The first step removes these errors, at a velocity of up to this value over `h`.
    pub penetration_tolerance: Option<f64>,
    /// Maximum number of steps of one [`run`](crate::Simulation::run) (default `10_000_000`).
    pub step_limit: usize,
    /// Settings of the LCP solver.
    pub lemke: lemke::Settings,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            step_size: 0.001,
            directions: 8,
            alignment: Alignment::default(),
            scales: None,
            tolerance: None,
            outer_iteration_limit: 100,
            penetration_tolerance: None,
            step_limit: 10_000_000,
            lemke: lemke::Settings::default(),
        }
    }
}

impl Settings {
    /// The default settings with the two directions of a contact in the plane.
    #[must_use]
    pub fn planar() -> Self {
        Self { directions: 2, ..Self::default() }
    }

    /// The tolerance of lengths (m) in a motion of `model` from `start`: [`tolerance`](Self::tolerance), or
    /// its default.
    #[must_use]
    pub fn length_tolerance(&self, model: &Model, start: &State) -> f64 {
        let scales = || self.scales.unwrap_or_else(|| model.scales(start, self.step_size));
        self.tolerance.unwrap_or_else(|| 1e-10 * scales().length)
    }

    pub(super) fn check(&self, dimension: Dimension) -> Result<(), Error> {
        settings::positive("step_size", self.step_size)?;
        if let Some(tolerance) = self.tolerance {
            settings::positive("tolerance", tolerance)?;
        }
        settings::scales(self.scales)?;
        self.check_directions(dimension)?;
        if self.outer_iteration_limit == 0 {
            let (name, expected) = ("outer_iteration_limit", "at least 1");
            return Err(Error::Setting { name, value: 0.0, expected });
        }
        match self.penetration_tolerance {
            Some(depth) => settings::at_least_zero("penetration_tolerance", depth),
            None => Ok(()),
        }
    }

    fn check_directions(&self, dimension: Dimension) -> Result<(), Error> {
        let (accepted, expected) = match dimension {
            Dimension::Plane => (self.directions == 2, "exactly 2 in the plane"),
            Dimension::Space => {
                (self.directions >= 2 && self.directions.is_multiple_of(2), "even and at least 2")
            }
        };
        if accepted {
            return Ok(());
        }
        Err(Error::Setting { name: "directions", value: self.directions as f64, expected })
    }
}

/// The settings of one motion, with defaults from the scales of the model filled in.
#[derive(Clone, Debug)]
pub(super) struct Resolved {
    pub(super) scales: Scales,
    pub(super) step_size: f64,
    pub(super) directions: usize,
    pub(super) alignment: Alignment,
    pub(super) tolerance: f64,
    /// Tolerance of the change of each coordinate (m, rad; length `n_v`).
    pub(super) tolerances: Vec<f64>,
    /// Displacement along each velocity that moves bodies by the length of the scales (m, rad; length `n_v`).
    pub(super) strides: Vec<f64>,
    pub(super) outer_iteration_limit: usize,
    pub(super) penetration_tolerance: f64,
    pub(super) lemke: lemke::Settings,
}

impl Resolved {
    /// Checks the settings for a motion that starts at `start`.
    pub(super) fn new(settings: &Settings, model: &Model, start: &State) -> Self {
        let scales = settings.scales.unwrap_or_else(|| model.scales(start, settings.step_size));
        let strides = scales.of_velocities(model.system(), &start.coordinates);
        let of_coordinate = |stride: &f64| settings.tolerance.unwrap_or(1e-10 * stride);
        Self {
            scales,
            step_size: settings.step_size,
            directions: settings.directions,
            alignment: settings.alignment,
            tolerance: settings.tolerance.unwrap_or(1e-10 * scales.length),
            tolerances: strides.iter().map(of_coordinate).collect(),
            strides,
            outer_iteration_limit: settings.outer_iteration_limit,
            penetration_tolerance: settings.penetration_tolerance.unwrap_or(1e-9 * scales.length),
            lemke: settings.lemke,
        }
    }
}
