//! Friction cones that are not round: [`Cone`].

use std::sync::Arc;

use nalgebra::Vector3;
use percussion_complementarity::friction::mixed::{BlockError, Section};
use percussion_dynamics::{ContactFrame, Dimension, System, gap::PointContact};

/// The friction cone of a contact whose section is no disc: wheels, skates, soft fingers, rolling resistance.
///
/// The tangential rows of such a contact are the slip along `t₁` and `t₂ = n × t₁` (m/s), then, where the section has moments,
/// the angular velocity of body 1 less that of body 2 about the normal, `t₁` and `t₂` (rad/s). Here `t₁` is the part of
/// [`along`](Self::along) in the tangent plane, which turns with its body. The points of a polygon are impulses on that body,
/// with `n` towards it, so that nothing depends on which body is the first.
///
/// [`ImpulseVelocity`](crate::impulse_velocity::ImpulseVelocity) and [`MoreauJean`](crate::moreau_jean::MoreauJean) use it in place of
/// [`Contact::friction`](crate::Contact::friction), in one problem with joints, limits and other contacts.
/// [`StewartTrinkle`](crate::stewart_trinkle::StewartTrinkle) has discs, ellipses and polygons: an ellipse becomes the polygon of
/// its directions, a polygon is used as it is. The other schemes refuse cones by name.
///
/// # Example
///
/// A ball of 1 kg and 0.1 m rolls at 1 m/s with the rolling resistance 1 mm: it stops after `v²/(2a)` with `a = (5/7) μ_ρ g/R`,
/// that is after 7 m, and does not slip.
///
/// ```
/// use nalgebra::Vector3;
/// use percussion_complementarity::friction::mixed::Section;
/// use percussion_dynamics::gap::{Plane, Sphere, SpherePlane};
/// use percussion_dynamics::{Body, FreeBodies, MassProperties};
/// use percussion_integrators::{Cone, Contact, Model, State, schemes::Name};
///
/// let ball = Body::from_mass_properties(&MassProperties::solid_sphere(1.0, 0.1)?);
/// let system = FreeBodies::new(vec![ball], Vector3::new(0.0, 0.0, -10.0))?;
/// let floor = Plane::new(&Vector3::z(), &Vector3::zeros())?;
/// let touch = SpherePlane::new(Sphere::of_body(0, 0.1), floor)?;
/// let contact = Contact::new(touch, 0.0).with_cone(Cone::new(Section::Rolling([0.5, 0.002, 0.001])));
/// let model = Model::free_bodies(system, vec![contact])?;
/// let coordinates = vec![0.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0];
/// let start = State { time: 0.0, coordinates, velocity: vec![1.0, 0.0, 0.0, 0.0, 10.0, 0.0] };
/// let scheme = Name::ImpulseVelocity.stepping().ok_or("it takes steps")?.with_step_size(0.001);
/// let mut motion = scheme.begin(model, start)?;
/// motion.run(15.0, |_, _| ())?;
/// assert!((motion.state().coordinates[0] - 7.0).abs() < 0.001);
/// assert_eq!(motion.state().velocity[0].abs() < 1e-9, true);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Source
///
/// The sections are those of [`mixed`](percussion_complementarity::friction::mixed).
#[derive(Clone, Debug, PartialEq)]
pub struct Cone {
    /// The section of the cone.
    pub section: Section,
    /// The direction of `t₁`; may be missing where the section does not tell it from others.
    pub along: Option<Along>,
}

/// A direction of a body or of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Along {
    /// The body; `None` is the world.
    pub body: Option<usize>,
    /// The direction in its frame, of any length.
    pub direction: Vector3<f64>,
}

/// The cone of all contacts that a [source](crate::Model::with_contact_source) finds between two of its surfaces.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundCone {
    /// Numbers of the two surfaces in the source, in any order.
    pub surfaces: [usize; 2],
    /// Their cone.
    pub cone: Arc<Cone>,
}

impl FoundCone {
    /// The cone of contacts between two surfaces among these.
    #[must_use]
    pub fn between([one, other]: [usize; 2], cones: &[Self]) -> Option<&Arc<Cone>> {
        let is_it =
            |found: &&Self| found.surfaces == [one, other] || found.surfaces == [other, one];
        cones.iter().find(is_it).map(|found| &found.cone)
    }
}

/// Why a [`Cone`] is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ConeError {
    /// A number of the section is out of its range.
    #[error(transparent)]
    Section(#[from] BlockError),
    /// The section has one direction of its own, which is not given.
    #[error(
        "`along` is missing, expected the direction of the first tangent: {section} is not the same all round"
    )]
    NoDirection {
        /// Name of the section.
        section: String,
    },
    /// The direction is zero or not finite, or its body does not exist.
    #[error("`along` is {direction:?} of {}, expected a direction of a body of the system", owner(*.body))]
    Direction {
        /// The body; `None` is the world.
        body: Option<usize>,
        /// The direction.
        direction: [f64; 3],
    },
    /// Motion in the plane has one tangent and no moments.
    #[error(
        "the section is {section}, expected a friction coefficient: in the plane there is one tangent"
    )]
    InPlane {
        /// Name of the section.
        section: String,
    },
}

fn owner(body: Option<usize>) -> String {
    body.map_or_else(|| "the world".to_owned(), |body| format!("body {body}"))
}

impl Cone {
    /// The cone of a section that is the same in all directions.
    #[must_use]
    pub const fn new(section: Section) -> Self {
        Self { section, along: None }
    }

    /// The same with `t₁` along this direction of a body, or of the world.
    #[must_use]
    pub fn along(self, body: Option<usize>, direction: Vector3<f64>) -> Self {
        Self { along: Some(Along { body, direction }), ..self }
    }

    /// Checks that it is one of `system`.
    ///
    /// # Errors
    ///
    /// See [`ConeError`].
    pub fn check(&self, system: &dyn System) -> Result<(), ConeError> {
        let section = || self.section.to_string();
        self.section.check()?;
        if system.dimension() == Dimension::Plane {
            return Err(ConeError::InPlane { section: section() });
        }
        let Some(Along { body, direction }) = self.along else {
            let is_round = self.section.is_isotropic();
            return if is_round {
                Ok(())
            } else {
                Err(ConeError::NoDirection { section: section() })
            };
        };
        let size = direction.amax();
        let exists = body.is_none_or(|body| body < system.body_count());
        if size.is_finite() && size > 0.0 && exists {
            return Ok(());
        }
        Err(ConeError::Direction { body, direction: direction.into() })
    }

    /// The cone of a contact that touches so; `None` if the direction is along the normal, where there is no `t₁`.
    ///
    /// Whichever body comes first, the impulse on the body of the direction lies in the section. Where that is body 2, `−t₁` and a
    /// mirrored section say so of body 1.
    pub(crate) fn place(
        &self,
        system: &dyn System,
        coordinates: &[f64],
        touch: &PointContact,
    ) -> Option<PlacedCone> {
        let Some(Along { body, direction }) = self.along else {
            return Some(PlacedCone { section: self.section.clone(), turn: [1.0, 0.0] });
        };
        let direction = direction.unscale(direction.amax()).normalize();
        let direction = match body {
            Some(body) => system.pose(coordinates, body).rotation * direction,
            None => direction,
        };
        let frame = &touch.frame;
        let parts = [frame.tangent_1.dot(&direction), frame.tangent_2.dot(&direction)];
        let size = parts[0].hypot(parts[1]);
        // Below this the direction within the plane is rounding, as in frames of contacts.
        if size <= 1e-8 {
            return None;
        }
        let sign = if body == touch.bodies[1] { -1.0 } else { 1.0 };
        let section = match &self.section {
            Section::Polygon(points) if sign < 0.0 => {
                Section::Polygon(points.iter().map(|[first, second]| [*first, -second]).collect())
            }
            section => section.clone(),
        };
        Some(PlacedCone { section, turn: parts.map(|part| sign * part / size) })
    }
}

/// A cone where its contact touches.
#[derive(Clone, Debug)]
pub(crate) struct PlacedCone {
    /// The section as impulses of body 1.
    pub(crate) section: Section,
    /// Cosine and sine of the angle from the first tangent of the frame to that of the cone.
    turn: [f64; 2],
}

impl PlacedCone {
    /// A vector with the tangents of the frame in those of the cone.
    pub(crate) fn in_cone(&self, vector: &Vector3<f64>) -> Vector3<f64> {
        let [cosine, sine] = self.turn;
        turned(vector, [cosine, -sine])
    }

    /// A vector with the tangents of the cone in those of the frame.
    pub(crate) fn in_frame(&self, vector: &Vector3<f64>) -> Vector3<f64> {
        turned(vector, self.turn)
    }

    /// The normal and the tangents of the cone (world axes).
    pub(crate) fn axes(&self, frame: &ContactFrame) -> [Vector3<f64>; 3] {
        let [cosine, sine] = self.turn;
        let along = cosine * frame.tangent_1 + sine * frame.tangent_2;
        [frame.normal, along, frame.normal.cross(&along)]
    }
}

/// The tangential part turned by an angle, given as cosine and sine.
fn turned(vector: &Vector3<f64>, [cosine, sine]: [f64; 2]) -> Vector3<f64> {
    let [normal, first, second] = (*vector).into();
    Vector3::new(normal, cosine * first - sine * second, sine * first + cosine * second)
}
