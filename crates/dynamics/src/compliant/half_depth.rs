//! A sphere on a plane with the contact point at half the depth of the overlap: [`HalfDepth`].
//!
//! # Source
//!
//! M. A. Sherman, A. Seth, S. L. Delp, "Simbody: multibody dynamics for biomedical research", *Procedia
//! IUTAM* 2 (2011) 241–261 (where the force of a Hertz contact acts: bodies of equal stiffness share the
//! overlap equally).

use crate::{
    System,
    gap::{ContactPoint, ContactRows, Error, GapFunction, SpherePlane},
    system::motion::BodyMotion,
};

/// The gap of a [`SpherePlane`] with the contact point at half the depth of the overlap instead of the lowest point
/// of the sphere. Two surfaces of equal stiffness would meet at half the depth.
///
/// Gap and normal row are those of the sphere and the plane. In the tangent rows the arm differs by half the depth.
/// While the gap is open the two are the same.
///
/// # Example
///
/// A ball of radius 1 m sunk by 0.2 m: the arm from its center to the contact is 0.9 m.
///
/// ```
/// use nalgebra::{Vector2, Vector3};
/// use percussion_dynamics::compliant::HalfDepth;
/// use percussion_dynamics::gap::{Plane, Sphere, SpherePlane};
/// use percussion_dynamics::{PlanarBodies, PlanarBody, gap::{ContactRows, GapFunction}};
///
/// let system = PlanarBodies::new(vec![PlanarBody::new(1.0, 1.0)], Vector2::zeros())?;
/// let floor = Plane::new(&Vector3::y(), &Vector3::zeros())?;
/// let contact = HalfDepth(SpherePlane::new(Sphere::of_body(0, 1.0), floor)?);
///
/// let mut rows = ContactRows::for_system(&system);
/// let gap = contact.rows(&system, &[0.0, 0.8, 0.0], &mut rows);
/// assert!((gap + 0.2).abs() < 1e-15);
/// assert!((rows.tangent(0)[2] - 0.9).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfDepth(pub SpherePlane);

impl GapFunction for HalfDepth {
    fn gap(&self, system: &dyn System, coordinates: &[f64]) -> f64 {
        self.0.gap(system, coordinates)
    }

    fn rows(&self, system: &dyn System, coordinates: &[f64], rows: &mut ContactRows) -> f64 {
        let contact = self.at_half_depth(system, coordinates);
        rows.clear();
        let anchor = self.0.sphere().center;
        rows.add_point(system, coordinates, &anchor, &contact.point, &contact.frame, 1.0);
        contact.gap
    }

    /// The point `c − r n − ½ g n` moves with the center `c` of the sphere, minus half of the rate of the gap.
    fn bias(&self, system: &dyn System, coordinates: &[f64], velocity: &[f64], bias: &mut [f64]) {
        let contact = self.at_half_depth(system, coordinates);
        let motion = BodyMotion::new(system, coordinates, velocity, self.0.sphere().center.body);
        let center = self.0.sphere().center.position(system, coordinates);
        let center_rate = motion.velocity(&center);
        let normal = contact.frame.normal;
        let share = if contact.gap < 0.0 { 0.5 } else { 0.0 };
        let point_rate = center_rate - share * normal.dot(&center_rate) * normal;
        self.0.bias_of_point(&motion, &contact, &point_rate, bias);
    }

    fn check(&self, system: &dyn System) -> Result<(), Error> {
        self.0.check(system)
    }

    fn contact_point(&self, system: &dyn System, coordinates: &[f64]) -> Option<ContactPoint> {
        Some(self.at_half_depth(system, coordinates))
    }
}

impl HalfDepth {
    fn at_half_depth(&self, system: &dyn System, coordinates: &[f64]) -> ContactPoint {
        let lowest = self.0.contact(system, coordinates);
        let half_depth = 0.5 * (-lowest.gap).max(0.0);
        ContactPoint { point: lowest.point + half_depth * lowest.frame.normal, ..lowest }
    }
}
