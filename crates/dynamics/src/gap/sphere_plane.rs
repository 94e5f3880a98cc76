//! The gap between a sphere and a plane of the world, and the rounded rod made of two spheres.
//!
//! ```math
//! g = n \cdot c - b - r
//! ```
//!
//! with the center `c` and radius `r` of the sphere, body 1, and the plane `n · x = b`, body 2. In the
//! plane the sphere is a disc and the plane a line.
//!
//! # Source
//!
//! D. E. Stewart, J. C. Trinkle, "An implicit time-stepping scheme for rigid body dynamics with
//! inelastic collisions and Coulomb friction", *International Journal for Numerical Methods in
//! Engineering* 39 (1996) 2673–2691 (balls and a rod with round ends on a table).

use nalgebra::Vector3;

use crate::{
    contact_frame::{self, ContactFrame},
    gap::{ContactPoint, ContactRows, Error, GapFunction, PointContact, Region, Sphere},
    system::{Dimension, System, motion::BodyMotion},
};

/// A plane fixed in the world, solid on the side opposite to its normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    frame: ContactFrame,
    offset: f64,
}

impl Plane {
    /// The plane through `point` (m) with the outward `normal` (any length); in space its first
    /// tangent is the world's `x` axis made orthogonal to the normal.
    ///
    /// # Errors
    ///
    /// [`Error::Frame`] if the normal is zero, and if anything is not finite.
    ///
    /// # Example
    ///
    /// A floor 1 m below the origin.
    ///
    /// ```
    /// use nalgebra::Vector3;
    /// use percussion_dynamics::gap::Plane;
    ///
    /// let floor = Plane::new(&Vector3::new(0.0, 0.0, 5.0), &Vector3::new(7.0, 8.0, -1.0))?;
    /// assert_eq!(floor.offset(), -1.0);
    /// # Ok::<(), percussion_dynamics::gap::Error>(())
    /// ```
    pub fn new(normal: &Vector3<f64>, point: &Vector3<f64>) -> Result<Self, Error> {
        Self::with_tangent(normal, point, &Vector3::x())
    }

    /// As [`Plane::new`], with the first tangent along the projection of `reference` on the plane.
    ///
    /// Systems in the plane ignore it: their tangent is the normal rotated by −90°.
    ///
    /// # Errors
    ///
    /// As [`Plane::new`].
    pub fn with_tangent(
        normal: &Vector3<f64>,
        point: &Vector3<f64>,
        reference: &Vector3<f64>,
    ) -> Result<Self, Error> {
        contact_frame::check_finite("point of the plane", point)?;
        let frame = ContactFrame::from_normal(normal, reference)?;
        Ok(Self { frame, offset: frame.normal.dot(point) })
    }

    /// Unit normal, pointing out of the solid.
    #[must_use]
    pub fn normal(&self) -> Vector3<f64> {
        self.frame.normal
    }

    /// Signed distance of the plane from the origin along its normal (m).
    #[must_use]
    pub fn offset(&self) -> f64 {
        self.offset
    }

    /// Signed distance of `point` from the plane (m), positive outside the solid.
    #[must_use]
    pub fn distance(&self, point: &Vector3<f64>) -> f64 {
        self.frame.normal.dot(point) - self.offset
    }

    fn frame(&self, dimension: Dimension) -> ContactFrame {
        match dimension {
            Dimension::Plane => ContactFrame::from_planar_unit_normal(&self.frame.normal),
            Dimension::Space => self.frame,
        }
    }
}

/// The gap between a sphere, body 1, and a [`Plane`], body 2.
///
/// # Example
///
/// A ball of radius 1 m with its center at a height of 3 m.
///
/// ```
/// use nalgebra::{Matrix3, Vector3};
/// use percussion_dynamics::{Body, FreeBodies, gap::{ContactRows, GapFunction}};
/// use percussion_dynamics::gap::{Plane, Sphere, SpherePlane};
///
/// let ball = Body::new(1.0, Matrix3::identity());
/// let system = FreeBodies::new(vec![ball], Vector3::new(0.0, 0.0, -9.81))?;
/// let floor = Plane::new(&Vector3::new(0.0, 0.0, 1.0), &Vector3::new(0.0, 0.0, 0.0))?;
/// let contact = SpherePlane::new(Sphere::of_body(0, 1.0), floor)?;
///
/// let mut rows = ContactRows::for_system(&system);
/// let gap = contact.rows(&system, &[0.0, 0.0, 3.0, 1.0, 0.0, 0.0, 0.0], &mut rows);
/// assert_eq!(gap, 2.0);
/// assert_eq!(rows.normal(), [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
/// // Rolling forward along x needs a positive spin about y: x velocity minus radius times spin.
/// assert_eq!(rows.tangent(0), [1.0, 0.0, 0.0, 0.0, -1.0, 0.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpherePlane {
    sphere: Sphere,
    plane: Plane,
}

impl SpherePlane {
    /// The gap between `sphere` and `plane`.
    ///
    /// # Errors
    ///
    /// [`Error::Radius`] for a radius that is negative or not finite.
    pub fn new(sphere: Sphere, plane: Plane) -> Result<Self, Error> {
        sphere.check_radius()?;
        Ok(Self { sphere, plane })
    }

    /// The sphere.
    #[must_use]
    pub fn sphere(&self) -> Sphere {
        self.sphere
    }

    /// The plane.
    #[must_use]
    pub fn plane(&self) -> Plane {
        self.plane
    }

    fn gap_at(&self, center: &Vector3<f64>) -> f64 {
        self.plane.distance(center) - self.sphere.radius
    }

    pub(crate) fn contact(&self, system: &dyn System, coordinates: &[f64]) -> ContactPoint {
        let center = self.sphere.center.position(system, coordinates);
        let frame = self.plane.frame(system.dimension());
        ContactPoint {
            gap: self.gap_at(&center),
            point: center - self.sphere.radius * frame.normal,
            frame,
        }
    }

    /// The bias of a contact whose point moves with the velocity `point_rate` (m/s).
    pub(crate) fn bias_of_point(
        &self,
        motion: &BodyMotion<'_>,
        contact: &ContactPoint,
        point_rate: &Vector3<f64>,
        bias: &mut [f64],
    ) {
        let sliding = point_rate - motion.velocity(&contact.point);
        let rate = motion.bias(&contact.point) + motion.angular_velocity().cross(&sliding);
        for (bias, axis) in bias.iter_mut().zip(contact.frame.axes()) {
            *bias = axis.dot(&rate);
        }
    }
}

impl GapFunction for SpherePlane {
    fn gap(&self, system: &dyn System, coordinates: &[f64]) -> f64 {
        self.gap_at(&self.sphere.center.position(system, coordinates))
    }

    fn rows(&self, system: &dyn System, coordinates: &[f64], rows: &mut ContactRows) -> f64 {
        let contact = self.contact(system, coordinates);
        rows.clear();
        rows.add_point(
            system,
            coordinates,
            &self.sphere.center,
            &contact.point,
            &contact.frame,
            1.0,
        );
        contact.gap
    }

    /// For a plane at rest the motion of the center of the sphere suffices: `p_1 = c − r n` follows it.
    fn bias(&self, system: &dyn System, coordinates: &[f64], velocity: &[f64], bias: &mut [f64]) {
        let contact = self.contact(system, coordinates);
        let motion = BodyMotion::new(system, coordinates, velocity, self.sphere.center.body);
        let center = contact.point + self.sphere.radius * contact.frame.normal;
        self.bias_of_point(&motion, &contact, &motion.velocity(&center), bias);
    }

    fn check(&self, system: &dyn System) -> Result<(), Error> {
        self.sphere.check(system)?;
        if system.dimension() == Dimension::Plane {
            ContactFrame::planar(&self.plane.normal())?;
        }
        Ok(())
    }

    fn contact_point(&self, system: &dyn System, coordinates: &[f64]) -> Option<ContactPoint> {
        Some(self.contact(system, coordinates))
    }

    fn point_contact(&self, system: &dyn System, coordinates: &[f64]) -> Option<PointContact> {
        let ContactPoint { gap, point, frame } = self.contact(system, coordinates);
        let points = [point, point - gap * frame.normal];
        Some(PointContact { bodies: [self.sphere.center.body, None], points, frame, gap })
    }

    fn regions(&self) -> Option<[Region; 2]> {
        Some([Region::Sphere(self.sphere), Region::HalfSpace(self.plane)])
    }
}

/// The two gaps between a plane and the ends of a rod along the body's `x` axis: spheres (in the plane
/// discs) of `radius` (m) at `(+length/2, 0, 0)`, first, and `(−length/2, 0, 0)`.
///
/// The rod is the convex hull of the two spheres, with the length `length + 2 radius` from tip to tip, so its
/// distance from the plane is the smaller of the two gaps.
///
/// The tangent rows are velocities of the rounded surface. The friction directions that Stewart and Trinkle print
/// for their rod neglect the arm of the radius. A radius of 0 and a plane shifted outward by the radius reproduce
/// those, with the same gaps.
///
/// # Errors
///
/// [`Error::Radius`], [`Error::Length`] for a number that is negative or not finite.
///
/// # Example
///
/// A rod of length 2 m standing upright with its middle at a height of 3 m: its lower end is at 2 m.
///
/// ```
/// use nalgebra::{Vector2, Vector3};
/// use percussion_dynamics::{PlanarBodies, PlanarBody, gap::GapFunction};
/// use percussion_dynamics::gap::{Plane, rounded_rod_plane};
/// use std::f64::consts::FRAC_PI_2;
///
/// let system = PlanarBodies::new(vec![PlanarBody::new(1.0, 1.0)], Vector2::new(0.0, -9.81))?;
/// let floor = Plane::new(&Vector3::new(0.0, 1.0, 0.0), &Vector3::new(0.0, 0.0, 0.0))?;
/// let [_, lower] = rounded_rod_plane(0, 2.0, 0.5, floor)?;
/// assert!((lower.gap(&system, &[0.0, 3.0, FRAC_PI_2]) - 1.5).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn rounded_rod_plane(
    body: usize,
    length: f64,
    radius: f64,
    plane: Plane,
) -> Result<[SpherePlane; 2], Error> {
    if !(length.is_finite() && length >= 0.0) {
        return Err(Error::Length { value: length });
    }
    let end = |x: f64| SpherePlane::new(Sphere::on_body(body, Vector3::x() * x, radius), plane);
    Ok([end(0.5 * length)?, end(-0.5 * length)?])
}
