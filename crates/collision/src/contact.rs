//! Contacts between features of two colliders: [`Contact`], and the gap function of a contact during a motion,
//! [`FeatureGap`].

use std::cmp::Ordering;

use nalgebra::Vector3;
use percussion_dynamics::{
    Anchor, ContactFrame, Dimension, System,
    gap::{self, ContactPoint, ContactRows, GapFunction, rates::Touch},
    motion::BodyMotion,
};

use crate::{collider::Collider, feature::Feature, pairs, solid::Placed, witness::Witness};

/// The name of a contact: two colliders and a feature of each.
///
/// It stays the same from step to step as long as these features touch, so that impulses can be matched with those
/// of the previous step. Contacts are sorted by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContactId {
    /// Indices of the colliders, of body 1 and of body 2.
    pub colliders: [usize; 2],
    /// The features of the two that touch.
    pub features: [Feature; 2],
}

/// A pair of features that touch or nearly touch.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Contact {
    /// Colliders and features.
    pub id: ContactId,
    /// The bodies of the colliders; `None` for the world.
    pub bodies: [Option<usize>; 2],
    /// The gap (m): positive open, negative penetrating.
    pub gap: f64,
    /// The points of the two surfaces (m, world): `points[0] − points[1] = gap · frame.normal`.
    pub points: [Vector3<f64>; 2],
    /// The contact frame, with the normal from body 2 to body 1. In space the first tangent is the world's `x` axis,
    /// orthogonalized against the normal.
    pub frame: ContactFrame,
    /// Friction coefficient, the geometric mean of the two surfaces'.
    pub friction: f64,
    /// Coefficient of restitution, the geometric mean of the two surfaces'.
    pub restitution: f64,
}

/// Two features that are near.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) id: ContactId,
    pub(crate) witness: Witness,
    /// Coefficients of friction and of restitution.
    pub(crate) coefficients: [f64; 2],
}

impl Contact {
    /// Whether the two features overlap, which triggers an impact. A contact that is only near takes part in the
    /// impact that another one triggers.
    #[must_use]
    pub fn is_overlapping(&self) -> bool {
        self.gap < 0.0
    }

    /// Writes the rows of the contact: the velocity of `points[0]` on body 1 minus that of `points[1]`
    /// on body 2, along the axes of the frame.
    ///
    /// `coordinates` are those at which the contact was found. The normal row `n · (J_1 − J_2)` is the gradient of
    /// the gap.
    pub fn rows(&self, system: &dyn System, coordinates: &[f64], rows: &mut ContactRows) {
        rows.clear();
        for ((body, point), scale) in self.bodies.iter().zip(&self.points).zip([1.0, -1.0]) {
            let anchor = Anchor { body: *body, point: Vector3::zeros() };
            rows.add_point(system, coordinates, &anchor, point, &self.frame, scale);
        }
    }

    pub(crate) fn new(
        Found { id, witness, coefficients: [friction, restitution] }: &Found,
        colliders: [&Collider; 2],
        dimension: Dimension,
    ) -> Option<Self> {
        Some(Self {
            id: *id,
            bodies: colliders.map(Collider::body),
            gap: witness.gap,
            points: witness.points,
            frame: frame(&witness.normal, dimension)?,
            friction: *friction,
            restitution: *restitution,
        })
    }
}

/// The coefficients of friction and of restitution between two surfaces.
pub(crate) fn coefficients(colliders: [&Collider; 2]) -> [f64; 2] {
    let [a, b] = colliders;
    [friction(colliders), geometric_mean([a.restitution(), b.restitution()])]
}

/// The coefficient of friction between two surfaces.
pub(crate) fn friction([a, b]: [&Collider; 2]) -> f64 {
    geometric_mean([a.friction(), b.friction()])
}

/// `√(a b)`, also if the product overflows or underflows.
fn geometric_mean([a, b]: [f64; 2]) -> f64 {
    let product = a * b;
    if product.is_normal() { product.sqrt() } else { a.sqrt() * b.sqrt() }
}

/// The contact frame with this normal, or `None` if the normal is not finite.
fn frame(normal: &Vector3<f64>, dimension: Dimension) -> Option<ContactFrame> {
    match dimension {
        // Rotation by a quaternion may leave a rounding error along z.
        Dimension::Plane => ContactFrame::planar(&Vector3::new(normal.x, normal.y, 0.0)).ok(),
        Dimension::Space => ContactFrame::from_normal(normal, &Vector3::x()).ok(),
    }
}

/// The input of a [`ContactSet`](percussion_dynamics::ContactSet): the contact without its name.
impl From<&Contact> for percussion_dynamics::Contact {
    fn from(contact: &Contact) -> Self {
        let Contact { bodies, points, frame, gap, friction, restitution, .. } = *contact;
        Self { bodies, points, frame, gap, friction, restitution }
    }
}

/// The two points between which the contact acts.
impl From<Contact> for gap::PointContact {
    fn from(Contact { bodies, points, frame, gap, .. }: Contact) -> Self {
        Self { bodies, points, frame, gap }
    }
}

impl Eq for Contact {}

impl PartialOrd for Contact {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Contact {
    fn cmp(&self, other: &Self) -> Ordering {
        self.id.cmp(&other.id)
    }
}

/// The gap between two features at any position of their bodies.
///
/// It is the [`GapFunction`] of a contact and follows it while the bodies move. For a vertex and a face it is the
/// distance from the plane of the face, even if the vertex is no longer over the face. At coordinates that are not
/// finite, and if the iteration for two whole surfaces fails, the gap is NaN and the rows are zero.
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureGap {
    colliders: [Collider; 2],
    features: [Feature; 2],
}

impl FeatureGap {
    pub(crate) fn new(colliders: [Collider; 2], features: [Feature; 2]) -> Self {
        Self { colliders, features }
    }

    /// The colliders, body 1 first.
    #[must_use]
    pub fn colliders(&self) -> &[Collider; 2] {
        &self.colliders
    }

    /// The features whose distance is measured.
    #[must_use]
    pub fn features(&self) -> [Feature; 2] {
        self.features
    }

    fn contact(&self, system: &dyn System, coordinates: &[f64]) -> Option<Contact> {
        let witness = self.witness(system, coordinates)?;
        let id = ContactId { colliders: [0, 1], features: self.features };
        let colliders = [&self.colliders[0], &self.colliders[1]];
        let found = Found { id, witness, coefficients: coefficients(colliders) };
        Contact::new(&found, colliders, system.dimension())
    }

    fn witness(&self, system: &dyn System, coordinates: &[f64]) -> Option<Witness> {
        let [a, b] = self.placed(system, coordinates);
        crate::collider::check_pose(&a.pose).ok()?;
        crate::collider::check_pose(&b.pose).ok()?;
        pairs::evaluate(&a, &b, self.features, system.dimension())
    }

    fn placed(&self, system: &dyn System, coordinates: &[f64]) -> [Placed<'_>; 2] {
        [0, 1].map(|k: usize| self.colliders[k].placed(system, coordinates))
    }
}

impl GapFunction for FeatureGap {
    fn gap(&self, system: &dyn System, coordinates: &[f64]) -> f64 {
        self.witness(system, coordinates).map_or(f64::NAN, |witness| witness.gap)
    }

    fn rows(&self, system: &dyn System, coordinates: &[f64], rows: &mut ContactRows) -> f64 {
        match self.contact(system, coordinates) {
            Some(contact) => {
                contact.rows(system, coordinates, rows);
                contact.gap
            }
            None => {
                rows.clear();
                f64::NAN
            }
        }
    }

    /// Closed form for all features, computed from the nearest features of the two surfaces.
    fn bias(&self, system: &dyn System, coordinates: &[f64], velocity: &[f64], bias: &mut [f64]) {
        let Some(contact) = self.contact(system, coordinates) else {
            bias.fill(f64::NAN);
            return;
        };
        let [a, b] = self.placed(system, coordinates);
        let motions = self
            .colliders
            .each_ref()
            .map(|collider| BodyMotion::new(system, coordinates, velocity, collider.body()));
        let motions = [&motions[0], &motions[1]];
        let touch =
            Touch { gap: contact.gap, points: contact.points, normal: contact.frame.normal };
        let dimension = system.dimension();
        let rates = pairs::rates::rates([&a, &b], self.features, dimension, motions, &touch);
        let axes_rates = match dimension {
            Dimension::Plane => ContactFrame::planar_rates(&rates.normal),
            Dimension::Space => {
                contact.frame.rates(&rates.normal, [&Vector3::x(), &Vector3::zeros()])
            }
        };
        rates.contact_bias(motions, &touch.points, [&contact.frame.axes(), &axes_rates], bias);
    }

    fn check(&self, system: &dyn System) -> Result<(), gap::Error> {
        let anchors = self.colliders.iter().map(|collider| Anchor {
            body: collider.body(),
            point: collider.pose().translation.vector,
        });
        for anchor in anchors {
            anchor.check(system)?;
        }
        Ok(())
    }

    fn contact_point(&self, system: &dyn System, coordinates: &[f64]) -> Option<ContactPoint> {
        let contact = self.contact(system, coordinates)?;
        Some(ContactPoint { gap: contact.gap, point: contact.points[0], frame: contact.frame })
    }

    fn point_contact(&self, system: &dyn System, coordinates: &[f64]) -> Option<gap::PointContact> {
        self.contact(system, coordinates).map(gap::PointContact::from)
    }
}
