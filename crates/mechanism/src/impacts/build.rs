//! From an [`ImpactScenario`] to an [`Impact`].

use nalgebra::{DMatrix, DVector, Isometry3, Vector3};
use percussion_dynamics::{
    Articulated, ContactFrame, ContactSet, Dimension, GapFunction, Link, MassProperties, System,
    contact_set,
    gap::{self, Sphere, SpherePlane, SphereSphere},
};
use percussion_impact::{Mass, Problem, problem::Coefficients};
use percussion_integrators::{Scales, State};

use super::{Body, Contact, Disc, Impact, ImpactScenario, Joint, Partner, VelocityLabel};
use crate::{Error, rules::require, scenario::Space};

/// Largest distance of surfaces that count as touching, in sizes and positions of the bodies: what sixteen digits leave
/// after a few operations, with room for files that give ten digits.
const TOUCHING: f64 = 1e-9;

/// The bodies of an impact in their joints, at the instant before it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Mechanism {
    /// The bodies in their joints, in the order of the links.
    pub system: Articulated,
    /// Where they are (m, rad or unit quaternions).
    pub coordinates: Vec<f64>,
    /// How fast they are before the impact (m/s, rad/s).
    pub velocity: Vec<f64>,
}

/// What the contacts of a mechanism are at one position.
pub(crate) struct GapsAndNormals {
    /// m, positive when open.
    pub(crate) gaps: Vec<f64>,
    /// One row of the contact Jacobian for each.
    pub(crate) normals: Vec<DVector<f64>>,
    pub(crate) mass_matrix: DMatrix<f64>,
}

impl Joint {
    /// Velocities of the joint: a letter and the unit for each.
    pub(super) const fn velocities(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Planar => &[("x", "m/s"), ("y", "m/s"), ("angle", "rad/s")],
            Self::Revolute => &[("angle", "rad/s")],
            Self::SlideX | Self::SlideY => &[("", "m/s")],
            Self::Fixed => &[],
            Self::Free => &[
                ("x", "m/s"),
                ("y", "m/s"),
                ("z", "m/s"),
                ("turn x", "rad/s"),
                ("turn y", "rad/s"),
                ("turn z", "rad/s"),
            ],
        }
    }

    /// Number of its coordinates: one for each velocity, and one more of a quaternion.
    pub(super) const fn coordinate_count(self) -> usize {
        self.velocities().len() + matches!(self, Self::Free) as usize
    }

    fn of_dynamics(self) -> percussion_dynamics::Joint {
        use percussion_dynamics::Joint;
        match self {
            Self::Planar => Joint::planar(),
            Self::Revolute => Joint::revolute(Vector3::z()),
            Self::SlideX => Joint::prismatic(Vector3::x()),
            Self::SlideY => Joint::prismatic(Vector3::y()),
            Self::Fixed => Joint::fixed(),
            Self::Free => Joint::free(),
        }
    }
}

impl ImpactScenario {
    /// Checks the file and builds the impact.
    ///
    /// # Errors
    ///
    /// As [`check`](Self::check), and [`Error::Mass`], [`Error::Mechanism`], [`Error::Position`],
    /// [`Error::Gap`], [`Error::Apart`] for surfaces that do not touch to a nanometer,
    /// [`Error::ContactSet`], [`Error::Impact`].
    pub fn build(&self) -> Result<Impact, Error> {
        let Mechanism { system, coordinates, velocity } = self.mechanism()?;
        let unnamed = VelocityLabel { name: String::new(), unit: "" };
        let mut velocities = vec![unnamed; velocity.len()];
        for body in &self.bodies {
            let rates = system.velocities_of(index_of(&system, &body.name));
            for (index, (letter, unit)) in rates.zip(body.joint.velocities()) {
                let name = format!("{} {letter}", body.name).trim_end().to_owned();
                velocities[index] = VelocityLabel { name, unit };
            }
        }
        Ok(Impact {
            name: self.name.clone(),
            title: self.title.clone(),
            problem: self.problem(&system, &coordinates, velocity)?,
            velocities,
            contacts: self.contacts.iter().map(|contact| contact.name.clone()).collect(),
            set_valued: self.set_valued,
        })
    }

    /// Gaps of all contacts, whether they touch or not, with their normals and the mass matrix.
    ///
    /// # Errors
    ///
    /// As [`build`](Self::build), but for [`Error::Apart`]; that remains for surfaces without a normal.
    pub(crate) fn gaps_and_normals(&self) -> Result<GapsAndNormals, Error> {
        let Mechanism { system, coordinates, .. } = self.mechanism()?;
        let mut gaps = Vec::with_capacity(self.contacts.len());
        let mut set = ContactSet::for_system(&system);
        for contact in &self.contacts {
            let (gap, contact) = self.facing(&system, &coordinates, contact, f64::INFINITY)?;
            gaps.push(gap);
            set.push(&system, &coordinates, &contact)?;
        }
        let size = system.velocity_count();
        let (mut mass_matrix, mut jacobian) = (DMatrix::zeros(size, size), DMatrix::zeros(0, 0));
        system.mass_matrix(&coordinates, &mut mass_matrix);
        set.contact_jacobian(&mut jacobian);
        let components = set.component_count();
        let normals = (0..gaps.len()).map(|k| jacobian.row(components * k).transpose()).collect();
        Ok(GapsAndNormals { gaps, normals, mass_matrix })
    }

    /// Largest difference of an entry of the normals of `contacts` from the central difference of the gap.
    pub(crate) fn normal_error(&self, contacts: &[usize]) -> Result<f64, Error> {
        // Errors of truncation and of rounding are both about its square.
        const STEP: f64 = 1e-5;
        let Mechanism { system, coordinates, .. } = self.mechanism()?;
        let normals = self.gaps_and_normals()?.normals;
        let mut largest = 0.0_f64;
        for &index in contacts {
            for (k, entry) in normals[index].iter().enumerate() {
                let mut tangent = vec![0.0; system.velocity_count()];
                let mut moved = coordinates.clone();
                let mut gap = |step| {
                    tangent[k] = step;
                    system.retract(&coordinates, &tangent, &mut moved);
                    let contact = &self.contacts[index];
                    Ok::<_, Error>(self.facing(&system, &moved, contact, f64::INFINITY)?.0)
                };
                let difference = (gap(STEP)? - gap(-STEP)?) / (2.0 * STEP);
                largest = largest.max((entry - difference).abs());
            }
        }
        Ok(largest)
    }

    /// Checks the file and builds its bodies, where and how fast they are.
    ///
    /// # Errors
    ///
    /// Every variant of [`Error`] that names a place in the file, [`Error::Mechanism`] and [`Error::Position`].
    pub fn mechanism(&self) -> Result<Mechanism, Error> {
        self.mechanism_under(Vector3::zeros())
    }

    /// The same under gravity (m/s²), which the impact itself does not feel.
    pub(super) fn mechanism_under(&self, gravity: Vector3<f64>) -> Result<Mechanism, Error> {
        self.check()?;
        let links = self.bodies.iter().enumerate().map(|(i, body)| link(i, body));
        let system = Articulated::new(links.collect::<Result<_, _>>()?, gravity)?;
        let dimension = match self.dimension {
            Space::Plane => Dimension::Plane,
            Space::Space => Dimension::Space,
        };
        let expected = "\"plane\" for bodies that stay in it, expected a body in space otherwise";
        require("dimension", &self.dimension, expected, system.dimension() == dimension)?;
        let mut coordinates = system.neutral_coordinates();
        let mut velocity = vec![0.0; system.velocity_count()];
        for body in &self.bodies {
            let link = index_of(&system, &body.name);
            if let Some(given) = &body.coordinates {
                coordinates[system.coordinates_of(link)].copy_from_slice(given);
            }
            if let Some(given) = &body.velocity {
                velocity[system.velocities_of(link)].copy_from_slice(given);
            }
        }
        system.check_coordinates(&coordinates)?;
        Ok(Mechanism { system, coordinates, velocity })
    }

    fn problem(
        &self,
        system: &Articulated,
        coordinates: &[f64],
        velocity: Vec<f64>,
    ) -> Result<Problem, Error> {
        let mut set = ContactSet::for_system(system);
        for contact in &self.contacts {
            set.push(system, coordinates, &self.touching(system, coordinates, contact)?)?;
        }
        let size = velocity.len();
        let (mut mass, mut jacobian) = (DMatrix::zeros(size, size), DMatrix::zeros(0, 0));
        system.mass_matrix(coordinates, &mut mass);
        set.contact_jacobian(&mut jacobian);
        let coefficients: Vec<_> = self
            .contacts
            .iter()
            .map(|&Contact { friction, restitution, .. }| Coefficients { friction, restitution })
            .collect();
        let (velocity, joints) = (DVector::from_vec(velocity), DMatrix::zeros(0, size));
        Ok(Problem::from_jacobian(Mass::Matrix(mass), velocity, &jacobian, &coefficients, joints)?)
    }

    /// Where the surfaces of a contact touch.
    pub(crate) fn touching(
        &self,
        system: &Articulated,
        coordinates: &[f64],
        contact: &Contact,
    ) -> Result<contact_set::Contact, Error> {
        let limit = TOUCHING * self.size(system, coordinates)?;
        Ok(self.facing(system, coordinates, contact, limit)?.1)
    }

    /// The length of the bodies or the largest coordinate of their positions, whichever is larger (m).
    fn size(&self, system: &Articulated, coordinates: &[f64]) -> Result<f64, Error> {
        let gaps = self.contacts.iter().map(|contact| Ok(self.gap_function(system, contact)?.0));
        let gaps = gaps.collect::<Result<Vec<_>, Error>>()?;
        let state = State {
            time: 0.0,
            coordinates: coordinates.to_vec(),
            velocity: vec![0.0; system.velocity_count()],
        };
        let length = Scales::of(system, gaps.iter().map(|gap| gap.as_ref()), &state, 1.0).length;
        let origins = (0..system.body_count())
            .map(|body| system.pose(coordinates, body).translation.vector.amax());
        Ok(origins.fold(length, f64::max))
    }

    /// The gap of a contact and where its surfaces are closest, if they are within `limit`.
    fn facing(
        &self,
        system: &Articulated,
        coordinates: &[f64],
        contact: &Contact,
        limit: f64,
    ) -> Result<(f64, contact_set::Contact), Error> {
        let (gap, second) = self.gap_function(system, contact)?;
        // NaN, from coordinates beyond the range of numbers, is not near either.
        let near = gap.contact_point(system, coordinates).filter(|at| at.gap.abs() <= limit);
        let at = near.ok_or_else(|| Error::Apart {
            contact: contact.name.clone(),
            gap: gap.gap(system, coordinates),
            limit,
        })?;
        let tangent = contact.tangent.map(|[x, y]| Vector3::new(x, y, 0.0).normalize());
        let frame = ContactFrame { tangent_1: tangent.unwrap_or(at.frame.tangent_1), ..at.frame };
        let points = [at.point, at.point - at.gap * at.frame.normal];
        let first = index_of(system, &contact.disc.body);
        let facing = contact_set::Contact::new([Some(first), second], points, frame)
            .with_friction(contact.friction)
            .with_restitution(contact.restitution);
        Ok((at.gap, facing))
    }

    /// The gap function of one of the contacts, and its second body if there is one.
    ///
    /// # Errors
    ///
    /// [`Error::Gap`] for surfaces without a gap function.
    pub fn gap_function(
        &self,
        system: &Articulated,
        contact: &Contact,
    ) -> Result<(Box<dyn GapFunction>, Option<usize>), Error> {
        let (gap, second): (Box<dyn GapFunction>, _) = match self.pair(system, contact)? {
            Pair::Plane(gap) => (Box::new(gap), None),
            Pair::Discs(gap, other) => (Box::new(gap), Some(index_of(system, &other.body))),
        };
        gap.check(system).map_err(|source| refused(contact, source))?;
        Ok((gap, second))
    }

    /// The surfaces of a contact.
    pub(super) fn pair<'a>(
        &self,
        system: &Articulated,
        contact: &'a Contact,
    ) -> Result<Pair<'a>, Error> {
        let refused = |source| refused(contact, source);
        let sphere = |disc: &Disc| {
            Sphere::on_body(index_of(system, &disc.body), disc.center.into(), disc.radius)
        };
        let first = sphere(&contact.disc);
        Ok(match &contact.on {
            Partner::Plane(name) => {
                let [normal, point] = self.half_plane(name);
                let plane = gap::Plane::new(&normal, &point).map_err(refused)?;
                Pair::Plane(SpherePlane::new(first, plane).map_err(refused)?)
            }
            Partner::Disc(disc) => {
                Pair::Discs(SphereSphere::new(first, sphere(disc)).map_err(refused)?, disc)
            }
        })
    }

    /// Normal and a point of a plane, whose name has been checked.
    fn half_plane(&self, name: &str) -> [Vector3<f64>; 2] {
        let vector = |of: &[f64]| Vector3::new(of[0], of[1], of.get(2).copied().unwrap_or(0.0));
        let plane = self.planes.iter().find(|plane| plane.name == name);
        plane.map_or([Vector3::y(), Vector3::zeros()], |plane| {
            [vector(&plane.normal), vector(&plane.point)]
        })
    }
}

/// The link of the body `name`, whose name has been checked: every body is a link.
fn index_of(system: &Articulated, name: &str) -> usize {
    system.link_index(name).unwrap_or_default()
}

/// The surfaces of a contact.
pub(super) enum Pair<'a> {
    Plane(SpherePlane),
    Discs(SphereSphere, &'a Disc),
}

fn refused(contact: &Contact, source: gap::Error) -> Error {
    Error::Gap { contact: contact.name.clone(), source }
}

fn link(index: usize, body: &Body) -> Result<Link, Error> {
    let [x, y, z] = body.placement;
    let mut link =
        Link::new(&body.name, body.joint.of_dynamics()).at(Isometry3::translation(x, y, z));
    link.parent.clone_from(&body.on);
    if let Some(mass) = body.mass {
        // In the plane only the moment about `z` counts; equal ones are those of a possible body.
        let (center, inertia) = (body.center_of_mass.into(), body.inertia.tensor());
        let properties = MassProperties::new(mass, center, inertia)
            .map_err(|source| Error::Mass { path: format!("bodies[{index}]"), source })?;
        link = link.with_mass(properties);
    }
    Ok(link)
}
