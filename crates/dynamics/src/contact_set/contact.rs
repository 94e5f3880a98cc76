//! One contact as plain data: [`Contact`], and the reasons why it is refused.

use std::ops::RangeInclusive;

use nalgebra::Vector3;

use crate::{
    articulated::ShapeError, contact_frame::ContactFrame, gap::PointContact, system::Dimension,
};

const FINITE: RangeInclusive<f64> = f64::MIN..=f64::MAX;

/// The reason why a contact or an array is refused.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ContactSetError {
    /// An array does not have one entry per coordinate, velocity or contact component.
    #[error("{field} has length {found}, expected {expected}")]
    Length {
        /// Name of the array.
        field: &'static str,
        /// Expected length.
        expected: usize,
        /// Length given.
        found: usize,
    },
    /// There is no such body.
    #[error("contact {contact}: body {body} does not exist, expected an index below {count}")]
    Body {
        /// The number that the contact would have had.
        contact: usize,
        /// Index given.
        body: usize,
        /// Number of bodies.
        count: usize,
    },
    /// Both partners are the world or the same body.
    #[error("contact {contact} joins {} with itself, expected two partners", name(*.body))]
    Partners {
        /// Number that the contact would have had.
        contact: usize,
        /// The only partner, `None` for the world.
        body: Option<usize>,
    },
    /// A number is outside its range.
    #[error("contact {contact}: {field} is {value:?}, expected {expected}")]
    Value {
        /// Number that the contact would have had.
        contact: usize,
        /// Name of the number.
        field: &'static str,
        /// Its value.
        value: f64,
        /// Its range.
        expected: &'static str,
    },
    /// The given kinematics belong to another system.
    #[error(transparent)]
    Kinematics(#[from] ShapeError),
    /// The mass matrix of these contacts is missing.
    #[error(
        "the mass matrix is missing, expected `divide_by_mass` or `whiten` after the last contact"
    )]
    NoMass,
}

fn name(body: Option<usize>) -> String {
    body.map_or_else(|| "the world".to_owned(), |body| format!("body {body}"))
}

/// A place where two bodies, or a body and the world, touch or nearly touch.
///
/// It is plain data, to be filled by contact detection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Body 1 and body 2; `None` is the world.
    pub bodies: [Option<usize>; 2],
    /// The nearest points of the surfaces of body 1 and of body 2 (m, world), so that
    /// `points[0] − points[1] = gap · normal`. Each moves with its body; the rate of the gap is then the normal
    /// contact velocity.
    pub points: [Vector3<f64>; 2],
    /// The contact frame, its normal from body 2 to body 1.
    pub frame: ContactFrame,
    /// Signed distance (m), negative when penetrating.
    pub gap: f64,
    /// Friction coefficient, at least 0.
    pub friction: f64,
    /// Coefficient of restitution, from 0 to 1.
    pub restitution: f64,
}

impl Contact {
    /// A frictionless and perfectly inelastic contact whose gap is the distance of the points along the normal.
    #[must_use]
    pub fn new(bodies: [Option<usize>; 2], points: [Vector3<f64>; 2], frame: ContactFrame) -> Self {
        let gap = frame.normal.dot(&(points[0] - points[1]));
        Self { bodies, points, frame, gap, friction: 0.0, restitution: 0.0 }
    }

    /// The contact of a gap function, with its coefficients.
    pub(super) fn of(touch: PointContact, friction: f64, restitution: f64) -> Self {
        let PointContact { bodies, points, frame, gap } = touch;
        Self { bodies, points, frame, gap, friction, restitution }
    }

    /// The same contact with the friction coefficient `friction`, at least 0.
    #[must_use]
    pub fn with_friction(self, friction: f64) -> Self {
        Self { friction, ..self }
    }

    /// The same contact with the coefficient of restitution `restitution`, from 0 to 1.
    #[must_use]
    pub fn with_restitution(self, restitution: f64) -> Self {
        Self { restitution, ..self }
    }

    /// Checks the contact, which will have the number `contact`, in a system with `count` bodies.
    pub(super) fn check(
        &self,
        contact: usize,
        count: usize,
        dimension: Dimension,
    ) -> Result<(), ContactSetError> {
        if let Some(&body) = self.bodies.iter().flatten().find(|body| **body >= count) {
            return Err(ContactSetError::Body { contact, body, count });
        }
        if self.bodies[0] == self.bodies[1] {
            return Err(ContactSetError::Partners { contact, body: self.bodies[0] });
        }
        let [point_1, point_2] = &self.points;
        let [normal, tangent_1, tangent_2] = &self.frame.axes();
        for (field, vector) in [
            ("point of body 1", point_1),
            ("point of body 2", point_2),
            ("normal", normal),
            ("tangent 1", tangent_1),
            ("tangent 2", tangent_2),
        ] {
            for &entry in vector {
                check_value(contact, field, entry, FINITE, "finite numbers")?;
            }
        }
        if dimension == Dimension::Plane {
            let expected = "0 in a planar system";
            check_value(contact, "z of the normal", normal.z, 0.0..=0.0, expected)?;
        }
        check_gap(contact, self.gap)?;
        check_coefficients(contact, self.friction, self.restitution)
    }

    /// Body, point and sign of both partners, without the world.
    pub(super) fn sides(&self) -> impl Iterator<Item = (usize, &Vector3<f64>, f64)> {
        let sides = self.bodies.iter().zip(&self.points).zip([1.0, -1.0]);
        sides.filter_map(|((body, point), scale)| Some(((*body)?, point, scale)))
    }
}

/// Checks the gap (m) of the contact with the number `contact`.
pub(super) fn check_gap(contact: usize, gap: f64) -> Result<(), ContactSetError> {
    check_value(contact, "gap", gap, FINITE, "a finite number (m)")
}

/// Checks friction and restitution of the contact with the number `contact`.
pub(super) fn check_coefficients(
    contact: usize,
    friction: f64,
    restitution: f64,
) -> Result<(), ContactSetError> {
    let expected = "a finite number of at least 0";
    check_value(contact, "friction", friction, 0.0..=f64::MAX, expected)?;
    check_value(contact, "restitution", restitution, 0.0..=1.0, "a number from 0 to 1")
}

fn check_value(
    contact: usize,
    field: &'static str,
    value: f64,
    range: RangeInclusive<f64>,
    expected: &'static str,
) -> Result<(), ContactSetError> {
    // NaN is in no range.
    if range.contains(&value) {
        Ok(())
    } else {
        Err(ContactSetError::Value { contact, field, value, expected })
    }
}
