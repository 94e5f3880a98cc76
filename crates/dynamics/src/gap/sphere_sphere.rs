//! The gap between two spheres.
//!
//! ```math
//! g = \lVert c_1 - c_2 \rVert - r_1 - r_2, \qquad n = \frac{c_1 - c_2}{\lVert c_1 - c_2 \rVert}.
//! ```
//!
//! The rows are the velocity of the point `c_1 − r_1 n` of sphere 1 minus that of the point `c_2 + r_2 n` of sphere 2.
//! Equal and opposite impulses at these two points conserve the linear momentum. They conserve the angular momentum
//! exactly at `g = 0`, and otherwise up to `g` times the tangential impulse.
//!
//! # Source
//!
//! D. E. Stewart, J. C. Trinkle, "An implicit time-stepping scheme for rigid body dynamics with
//! inelastic collisions and Coulomb friction", *International Journal for Numerical Methods in
//! Engineering* 39 (1996) 2673–2691 (spheres, with tangents from the vertical).

use nalgebra::Vector3;

use crate::{
    contact_frame::{self, ContactFrame},
    gap::{
        ContactPoint, ContactRows, Error, GapFunction, PointContact, Region, Sphere,
        bias_across_axis,
        rates::{Core, Rates, Touch},
    },
    system::{Dimension, System, motion::BodyMotion},
};

/// The gap between two spheres; in the plane, two discs. Either may be fixed in the world.
///
/// In space the first tangent is `n × a`, normalized, for the world axis `a` (default `e_z`, the vertical); near
/// `n = ±a` the [fallback of the contact frame](ContactFrame::from_normal) is used.
///
/// If the centers coincide the gap `−r_1 − r_2` has no gradient: every direction separates equally. The normal is
/// then `a` (in the plane `e_y`). The gap itself is continuous there.
///
/// # Example
///
/// Unit balls with centers 3 m apart along `x`.
///
/// ```
/// use nalgebra::{Matrix3, Vector3};
/// use percussion_dynamics::{Body, FreeBodies, gap::GapFunction};
/// use percussion_dynamics::gap::{Sphere, SphereSphere};
///
/// let ball = Body::new(1.0, Matrix3::identity());
/// let system = FreeBodies::new(vec![ball, ball], Vector3::new(0.0, 0.0, 0.0))?;
/// let contact = SphereSphere::new(Sphere::of_body(0, 1.0), Sphere::of_body(1, 1.0))?;
/// let apart = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
/// assert_eq!(contact.gap(&system, &apart), 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SphereSphere {
    sphere_1: Sphere,
    sphere_2: Sphere,
    axis: Vector3<f64>,
}

/// The contact and its point on the second sphere.
struct Pair {
    contact: ContactPoint,
    point_2: Vector3<f64>,
}

impl SphereSphere {
    /// The gap between `sphere_1` and `sphere_2`, with tangents from the vertical `e_z`.
    ///
    /// # Errors
    ///
    /// [`Error::Radius`] for a radius that is negative or not finite.
    pub fn new(sphere_1: Sphere, sphere_2: Sphere) -> Result<Self, Error> {
        sphere_1.check_radius()?;
        sphere_2.check_radius()?;
        Ok(Self { sphere_1, sphere_2, axis: Vector3::z() })
    }

    /// The same gap with the first tangent `n × axis` (any length, world axes).
    ///
    /// # Errors
    ///
    /// [`Error::Frame`] if `axis` is zero or not finite.
    pub fn with_axis(self, axis: &Vector3<f64>) -> Result<Self, Error> {
        Ok(Self { axis: contact_frame::direction("tangent axis", axis)?, ..self })
    }

    /// The two spheres, body 1 first.
    #[must_use]
    pub fn spheres(&self) -> [Sphere; 2] {
        [self.sphere_1, self.sphere_2]
    }

    fn centers(&self, system: &dyn System, coordinates: &[f64]) -> [Vector3<f64>; 2] {
        self.spheres().map(|sphere| sphere.center.position(system, coordinates))
    }

    fn gap_at(&self, distance: f64) -> f64 {
        distance - self.sphere_1.radius - self.sphere_2.radius
    }

    fn pair(&self, system: &dyn System, coordinates: &[f64]) -> Pair {
        let (r_1, r_2) = (self.sphere_1.radius, self.sphere_2.radius);
        let [c_1, c_2] = self.centers(system, coordinates);
        let distance = (c_1 - c_2).norm();
        // Centers closer than the rounding of a radius do not determine a direction.
        let separate = distance > f64::EPSILON * (r_1 + r_2);
        let frame = match system.dimension() {
            Dimension::Plane => {
                let n = if separate { (c_1 - c_2) / distance } else { Vector3::y() };
                ContactFrame::from_planar_unit_normal(&n)
            }
            Dimension::Space => {
                let n = if separate { (c_1 - c_2) / distance } else { self.axis };
                ContactFrame::from_unit_normal(&n, &n.cross(&self.axis))
            }
        };
        let contact =
            ContactPoint { gap: self.gap_at(distance), point: c_1 - r_1 * frame.normal, frame };
        Pair { contact, point_2: c_2 + r_2 * frame.normal }
    }
}

impl GapFunction for SphereSphere {
    fn gap(&self, system: &dyn System, coordinates: &[f64]) -> f64 {
        let [c_1, c_2] = self.centers(system, coordinates);
        self.gap_at((c_1 - c_2).norm())
    }

    fn rows(&self, system: &dyn System, coordinates: &[f64], rows: &mut ContactRows) -> f64 {
        let Pair { contact: ContactPoint { gap, point, frame }, point_2 } =
            self.pair(system, coordinates);
        rows.clear();
        rows.add_point(system, coordinates, &self.sphere_1.center, &point, &frame, 1.0);
        rows.add_point(system, coordinates, &self.sphere_2.center, &point_2, &frame, -1.0);
        gap
    }

    fn bias(&self, system: &dyn System, coordinates: &[f64], velocity: &[f64], bias: &mut [f64]) {
        let Pair { contact: ContactPoint { gap, point, frame }, point_2 } =
            self.pair(system, coordinates);
        let motions = [self.sphere_1, self.sphere_2]
            .map(|sphere| BodyMotion::new(system, coordinates, velocity, sphere.center.body));
        let spheres = [(&motions[0], self.sphere_1), (&motions[1], self.sphere_2)];
        let cores = spheres.map(|(motion, sphere)| {
            Core::vertex(motion, &sphere.center.position(system, coordinates), sphere.radius)
        });
        let touch = Touch { gap, points: [point, point_2], normal: frame.normal };
        let rates = Rates::of_cores(&cores, &frame.normal);
        let across = (&self.axis, system.dimension());
        bias_across_axis(&rates, [&motions[0], &motions[1]], (&touch, &frame), across, bias);
    }

    fn check(&self, system: &dyn System) -> Result<(), Error> {
        self.spheres().iter().try_for_each(|sphere| sphere.check(system))
    }

    fn contact_point(&self, system: &dyn System, coordinates: &[f64]) -> Option<ContactPoint> {
        Some(self.pair(system, coordinates).contact)
    }

    fn point_contact(&self, system: &dyn System, coordinates: &[f64]) -> Option<PointContact> {
        let Pair { contact: ContactPoint { gap, point, frame }, point_2 } =
            self.pair(system, coordinates);
        let bodies = self.spheres().map(|sphere| sphere.center.body);
        Some(PointContact { bodies, points: [point, point_2], frame, gap })
    }

    fn regions(&self) -> Option<[Region; 2]> {
        Some(self.spheres().map(Region::Sphere))
    }
}
