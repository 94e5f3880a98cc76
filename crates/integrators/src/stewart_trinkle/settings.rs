//! Settings of the scheme.

use percussion_complementarity::lcp::lemke;
use percussion_dynamics::Dimension;
use serde::{Deserialize, Serialize};

use super::Error;

/// How the polygon of friction directions lies in the tangent plane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Alignment {
    /// The first direction is tangent 1 of the contact frame, as in the paper.
    #[default]
    Frame,
    /// The first direction opposes the tangential velocity that the contact would have without
    /// contact impulses, so that friction of a contact that slides on its own opposes the slip
    /// exactly and does not depend on the choice of the tangents.
    ///
    /// Where that velocity moves the contact by less than [`Settings::tolerance`] in a step, the
    /// polygon falls back to the frame: at rest, and when a collision elsewhere starts the slip.
    Slip,
}

/// Settings of the [`Integrator`](super::Integrator).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Step `h` (s), positive (default `0.001`).
    pub step_size: f64,
    /// Number of friction directions `k` of each contact: even and at least 2 in space, exactly 2 in
    /// the plane (default 8; [`Settings::planar`] has 2).
    ///
    /// The polygon is inscribed in the circle: the friction limit is too small by up to
    /// `1 − cos(π/k)`, 7.6 % for 8 directions, depending on the direction of slip.
    pub directions: usize,
    /// How the polygon lies in the tangent plane (default [`Alignment::Frame`]).
    pub alignment: Alignment,
    /// A step is accepted when the last outer iteration moved no coordinate by more than this and no
    /// contact or constraint is violated by more than this (m, rad; > 0, default `1e-10`).
    ///
    /// A contact whose gap is at most this at the end of a step starts the next step as active.
    /// It must stay above the rounding of the coordinates: positions of 10⁶ m need `1e-9`.
    pub tolerance: f64,
    /// Largest number of outer iterations for one set of active contacts (≥ 1, default 100).
    pub outer_iteration_limit: usize,
    /// Depth of penetration and size of constraint errors accepted in the first state (m, rad; ≥ 0,
    /// default `1e-9`).
    ///
    /// The first step removes what is accepted, at a velocity of up to this over `h`.
    pub penetration_tolerance: f64,
    /// Largest number of steps of one [`run`](super::Integrator::run) (default `10_000_000`).
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
            tolerance: 1e-10,
            outer_iteration_limit: 100,
            penetration_tolerance: 1e-9,
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

    pub(super) fn check(&self, dimension: Dimension) -> Result<(), Error> {
        let positive = |name, value: f64| {
            let expected = "a positive finite number";
            if value.is_finite() && value > 0.0 {
                Ok(())
            } else {
                Err(Error::Setting { name, value, expected })
            }
        };
        positive("step_size", self.step_size)?;
        positive("tolerance", self.tolerance)?;
        self.check_directions(dimension)?;
        if self.outer_iteration_limit == 0 {
            let (name, expected) = ("outer_iteration_limit", "at least 1");
            return Err(Error::Setting { name, value: 0.0, expected });
        }
        let value = self.penetration_tolerance;
        if !(value.is_finite() && value >= 0.0) {
            let (name, expected) = ("penetration_tolerance", "a finite number of at least 0");
            return Err(Error::Setting { name, value, expected });
        }
        Ok(())
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
