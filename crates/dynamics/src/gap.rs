//! Gaps between surfaces and the rows of the contact Jacobian: the trait [`GapFunction`].
//!
//! The built-in gap functions are [`SpherePlane`], [`SphereSphere`], [`RodRod`], which also covers a rod and a
//! sphere, and [`rounded_rod_plane`], which is made of the first. Their gradients are analytic.

use std::fmt::Debug;

use nalgebra::Vector3;

use crate::{
    anchor::{Anchor, AnchorError},
    contact_frame::{ContactFrame, ContactFrameError},
    system::{Dimension, System, difference, motion::BodyMotion},
};
use rates::{Rates, Touch};

#[cfg(test)]
mod bias_tests;
pub mod rates;
#[cfg(test)]
mod region_tests;
mod rod_rod;
mod sphere_plane;
mod sphere_sphere;
#[cfg(test)]
mod tests;

pub use rod_rod::{Rod, RodRod};
pub use sphere_plane::{Plane, SpherePlane, rounded_rod_plane};
pub use sphere_sphere::SphereSphere;

/// The reason why a gap function is refused.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A radius is negative or not finite.
    #[error("radius is {value:?}, expected a finite number of at least 0 (m)")]
    Radius {
        /// Radius given (m).
        value: f64,
    },
    /// A length is negative or not finite.
    #[error("length is {value:?}, expected a finite number of at least 0 (m)")]
    Length {
        /// Length given (m).
        value: f64,
    },
    /// A normal or another direction is invalid.
    #[error(transparent)]
    Frame(#[from] ContactFrameError),
    /// A point does not belong to the system.
    #[error(transparent)]
    Anchor(#[from] AnchorError),
    /// A center lies outside the plane of motion of the system.
    #[error("center of a disc has z = {z}, expected 0 in a planar system")]
    OutOfPlane {
        /// The `z` entry of the center (m).
        z: f64,
    },
}

/// A sphere, or in the plane a disc, carried by a body or fixed in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// Its center.
    pub center: Anchor,
    /// Its radius (m), at least 0; 0 is a point.
    pub radius: f64,
}

impl Sphere {
    /// A sphere of `radius` (m) about the origin of the frame of `body`: a ball.
    #[must_use]
    pub fn of_body(body: usize, radius: f64) -> Self {
        Self::on_body(body, Vector3::zeros(), radius)
    }

    /// A sphere of `radius` (m) about the point `center` (m, body frame) of `body`.
    #[must_use]
    pub fn on_body(body: usize, center: Vector3<f64>, radius: f64) -> Self {
        Self { center: Anchor::on_body(body, center), radius }
    }

    /// A sphere of `radius` (m) about `center` (m) that is fixed in the world.
    #[must_use]
    pub fn in_world(center: Vector3<f64>, radius: f64) -> Self {
        Self { center: Anchor::in_world(center), radius }
    }

    fn check(&self, system: &dyn System) -> Result<(), Error> {
        self.center.check(system)?;
        let z = self.center.point.z;
        let in_plane = system.dimension() == Dimension::Space || z == 0.0;
        if in_plane { Ok(()) } else { Err(Error::OutOfPlane { z }) }
    }

    fn check_radius(&self) -> Result<(), Error> {
        let value = self.radius;
        if value.is_finite() && value >= 0.0 { Ok(()) } else { Err(Error::Radius { value }) }
    }
}

/// The nearest points of two surfaces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// The gap (m).
    pub gap: f64,
    /// The point of the surface of body 1 nearest to body 2 (m, world).
    pub point: Vector3<f64>,
    /// The contact frame.
    pub frame: ContactFrame,
}

/// The two points between which a contact acts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointContact {
    /// Body 1 and body 2; `None` is the world.
    pub bodies: [Option<usize>; 2],
    /// The nearest points of the surfaces of body 1 and of body 2 (m, world), which move with their bodies.
    pub points: [Vector3<f64>; 2],
    /// The contact frame, its normal from body 2 to body 1.
    pub frame: ContactFrame,
    /// The gap (m).
    pub gap: f64,
}

/// A region that contains one of the two surfaces of a gap function.
///
/// The distance of two spheres is that of their centers less their radii, and the distance of a sphere from a
/// half-space is that of its center from the plane less its radius; both are negative where the regions overlap. Two
/// half-spaces have no distance, so that nothing is excluded.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Region {
    /// A sphere (in the plane a disc) that moves with a body or is fixed in the world.
    Sphere(Sphere),
    /// The solid side of a plane of the world.
    HalfSpace(Plane),
}

/// The rows that one contact adds to the contact Jacobian, each of length `n_v`.
///
/// Multiplied by a generalized velocity they give the contact velocity `u` (m/s): the velocity of body 1 minus that
/// of body 2 along the normal (positive when separating) and along the tangents.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactRows {
    velocity_count: usize,
    tangent_count: usize,
    rows: Vec<f64>,
}

impl ContactRows {
    /// Zero rows for a system with `velocity_count` velocities and `tangent_count` tangents.
    #[must_use]
    pub fn new(velocity_count: usize, tangent_count: usize) -> Self {
        let rows = vec![0.0; velocity_count * (1 + tangent_count)];
        Self { velocity_count, tangent_count, rows }
    }

    /// Zero rows of the right shape for `system`.
    #[must_use]
    pub fn for_system(system: &dyn System) -> Self {
        Self::new(system.velocity_count(), system.dimension().tangent_count())
    }

    /// Number of tangents.
    #[must_use]
    pub fn tangent_count(&self) -> usize {
        self.tangent_count
    }

    /// The normal row, which is the gradient of the gap: `ġ = normal · v`.
    #[must_use]
    pub fn normal(&self) -> &[f64] {
        self.row(0)
    }

    /// The row of tangent `index`, below [`tangent_count`](Self::tangent_count).
    #[must_use]
    pub fn tangent(&self, index: usize) -> &[f64] {
        self.row(1 + index)
    }

    /// Mutable access to row `index`: 0 is the normal, then the tangents.
    pub fn row_mut(&mut self, index: usize) -> &mut [f64] {
        &mut self.rows[index * self.velocity_count..(index + 1) * self.velocity_count]
    }

    /// Sets every entry to zero.
    pub fn clear(&mut self) {
        self.rows.fill(0.0);
    }

    /// Adds `scale` times the velocity, in `frame`, of the point of the anchor's body that is now at
    /// the world position `point`: scale 1 for body 1, −1 for body 2.
    pub fn add_point(
        &mut self,
        system: &dyn System,
        coordinates: &[f64],
        anchor: &Anchor,
        point: &Vector3<f64>,
        frame: &ContactFrame,
        scale: f64,
    ) {
        if let Some(body) = anchor.body {
            let axes = &frame.axes()[..1 + self.tangent_count];
            system.add_point_rows(coordinates, body, point, axes, scale, &mut self.rows);
        }
    }

    /// All rows, one after another.
    pub(crate) fn all_mut(&mut self) -> &mut [f64] {
        &mut self.rows
    }

    fn row(&self, index: usize) -> &[f64] {
        &self.rows[index * self.velocity_count..(index + 1) * self.velocity_count]
    }
}

/// A signed distance between two surfaces of a system.
///
/// Implement it for your own surfaces. The identity to satisfy along any motion is `d gap/dt = normal row · v`.
pub trait GapFunction: Debug + Send + Sync {
    /// The gap (m): positive open, zero touching, negative penetrating.
    fn gap(&self, system: &dyn System, coordinates: &[f64]) -> f64;

    /// Writes normal and tangent rows and returns the gap.
    fn rows(&self, system: &dyn System, coordinates: &[f64], rows: &mut ContactRows) -> f64;

    /// Writes the bias `J̇ v` of normal and tangent rows to `bias` (length 1 plus the number of tangents; m/s²): the
    /// rate of the contact velocity `J v` along the motion while `v̇ = 0`. The normal entry is the second derivative
    /// of the gap.
    ///
    /// The gap functions of these crates have closed forms. The default implementation takes
    /// [differences](crate::system::difference) of the rows and allocates. Where the nearest points jump there is no
    /// rate, and a one-sided rate is written.
    fn bias(&self, system: &dyn System, coordinates: &[f64], velocity: &[f64], bias: &mut [f64]) {
        bias_by_differences(self, system, coordinates, velocity, bias);
    }

    /// Whether the gap is what a joint has left up to a limit of its motion, and not a distance of surfaces; `false` by
    /// default. Schemes can move joints that exceed a limit back to it.
    fn is_limit(&self) -> bool {
        false
    }

    /// Checks that the surfaces exist in `system`. Callers use it once before a simulation.
    ///
    /// The default implementation accepts everything.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    fn check(&self, system: &dyn System) -> Result<(), Error> {
        let _ = system;
        Ok(())
    }

    /// The nearest points of the surfaces, for drawing and for contact reports; `None` by default.
    fn contact_point(&self, system: &dyn System, coordinates: &[f64]) -> Option<ContactPoint> {
        let _ = (system, coordinates);
        None
    }

    /// The two points between which the contact acts, with their bodies; `None` by default.
    ///
    /// The rows are then those of these points: the sum over both bodies of the velocity rows of their points along the
    /// axes of the frame, positive for body 1. A [`ContactSet`](crate::ContactSet) gets the same bits from the points as
    /// from [`rows`](Self::rows), and does not pass over all velocities of the system.
    fn point_contact(&self, system: &dyn System, coordinates: &[f64]) -> Option<PointContact> {
        let _ = (system, coordinates);
        None
    }

    /// Regions that contain the two surfaces, in any order; `None` by default.
    ///
    /// At every position the gap must be at least the distance of the regions, up to rounding. Schemes then evaluate
    /// the gap only while the regions are near each other, so that a step with many contacts costs as much as those
    /// that are near; a contact without regions is evaluated in every step. Results are the same bits with regions and
    /// without.
    fn regions(&self) -> Option<[Region; 2]> {
        None
    }
}

/// `J̇ v` by differences of the rows of a gap.
pub(crate) fn bias_by_differences<G: GapFunction + ?Sized>(
    gap: &G,
    system: &dyn System,
    coordinates: &[f64],
    velocity: &[f64],
    bias: &mut [f64],
) {
    let mut rows = ContactRows::for_system(system);
    let contact_velocity = |moved: &[f64], rates: &mut [f64]| {
        gap.rows(system, moved, &mut rows);
        let mut terms = 0.0_f64;
        for (k, rate) in rates.iter_mut().enumerate() {
            *rate = rows.row(k).iter().zip(velocity).map(|(j, v)| j * v).sum();
            terms = terms.max(rows.row(k).iter().zip(velocity).map(|(j, v)| (j * v).abs()).sum());
        }
        terms
    };
    let length = gap.gap(system, coordinates);
    difference::along(system, coordinates, velocity, length, contact_velocity, bias);
}

/// `J̇ v` of a contact between surfaces of `bodies` with these rates. The first tangent is perpendicular to `axis`,
/// or the only one in the plane.
fn bias_across_axis(
    rates: &Rates,
    motions: [&BodyMotion<'_>; 2],
    (touch, frame): (&Touch, &ContactFrame),
    (axis, dimension): (&Vector3<f64>, Dimension),
    bias: &mut [f64],
) {
    let axes_rates = match dimension {
        Dimension::Plane => ContactFrame::planar_rates(&rates.normal),
        Dimension::Space => {
            let reference = [touch.normal.cross(axis), rates.normal.cross(axis)];
            frame.rates(&rates.normal, [&reference[0], &reference[1]])
        }
    };
    rates.contact_bias(motions, &touch.points, [&frame.axes(), &axes_rates], bias);
}
