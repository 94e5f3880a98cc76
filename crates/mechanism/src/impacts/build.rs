//! From an [`ImpactScenario`] to an [`Impact`].

use std::sync::Arc;

use nalgebra::{DMatrix, DVector, Isometry3, Vector3};
use percussion_dynamics::{
    Articulated, ContactFrame, ContactSet, Link, MassProperties, System,
    gap::{self, GapFunction, Sphere, SpherePlane, SphereSphere},
};

use super::{
    Body, Contact, Disc, Impact, ImpactScenario, Joint, Origin, Partner, labels,
    problem::{TOUCHING, problem, size},
};
use crate::{
    Error,
    mechanism::{Builder, Mechanism, NamedContact, Placed},
    rules::require_choice,
    scenario::Space,
};

/// Gaps and normals of the contacts of a mechanism at one position.
pub(crate) struct GapsAndNormals {
    /// Gaps (m), positive when open.
    pub(crate) gaps: Vec<f64>,
    /// One row of the contact Jacobian for each contact.
    pub(crate) normals: Vec<DVector<f64>>,
    pub(crate) mass_matrix: DMatrix<f64>,
}

impl Joint {
    /// Number of its velocities.
    pub(super) fn velocity_count(self) -> usize {
        self.of_dynamics().kind.velocity_count()
    }

    /// Number of its coordinates: one for each velocity, and one more for a quaternion.
    pub(super) fn coordinate_count(self) -> usize {
        self.of_dynamics().kind.coordinate_count()
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
    /// [`Error::Gap`], [`Error::Apart`] for surfaces that do not touch,
    /// [`Error::ContactSet`], [`Error::Impact`].
    pub fn build(&self) -> Result<Impact, Error> {
        let mechanism = self.mechanism()?;
        let touching = self.touching(&mechanism)?;
        let system = mechanism.model.system();
        let mut set = ContactSet::for_system(system);
        for contact in &touching {
            set.push(system, &mechanism.state.coordinates, contact)?;
        }
        Ok(Impact {
            name: self.name.clone(),
            title: self.title.clone(),
            problem: problem(&mechanism, &set)?,
            velocities: labels(&mechanism),
            contacts: self.contacts.iter().map(|contact| contact.name.clone()).collect(),
            set_valued: self.set_valued,
            compliant: self.compliant,
            places: touching.iter().map(|at| Some((at.points[0], at.frame))).collect(),
            origin: Origin::Impact(Arc::new(self.clone())),
            mechanism,
        })
    }

    /// Gaps of all contacts, whether they touch or not, with their normals and the mass matrix.
    ///
    /// # Errors
    ///
    /// [`Error::Apart`] for surfaces without a normal, [`Error::ContactSet`].
    pub(crate) fn gaps_and_normals(&self, mechanism: &Mechanism) -> Result<GapsAndNormals, Error> {
        let (system, coordinates) = (mechanism.model.system(), &mechanism.state.coordinates);
        let mut gaps = Vec::with_capacity(self.contacts.len());
        let mut set = ContactSet::for_system(system);
        for contact in 0..self.contacts.len() {
            let (gap, contact) = self.facing(mechanism, coordinates, contact, f64::INFINITY)?;
            gaps.push(gap);
            set.push(system, coordinates, &contact)?;
        }
        let size = system.velocity_count();
        let (mut mass_matrix, mut jacobian) = (DMatrix::zeros(size, size), DMatrix::zeros(0, 0));
        system.mass_matrix(coordinates, &mut mass_matrix);
        set.contact_jacobian(&mut jacobian);
        let components = set.component_count();
        let normals = (0..gaps.len()).map(|k| jacobian.row(components * k).transpose()).collect();
        Ok(GapsAndNormals { gaps, normals, mass_matrix })
    }

    /// Largest difference between an entry of the `normals` of `contacts` and the central difference of the gap.
    pub(crate) fn normal_error(
        &self,
        mechanism: &Mechanism,
        normals: &[DVector<f64>],
        contacts: &[usize],
    ) -> Result<f64, Error> {
        // The truncation and the rounding error are both about its square.
        const STEP: f64 = 1e-5;
        let (system, coordinates) = (mechanism.model.system(), &mechanism.state.coordinates);
        let mut largest = 0.0_f64;
        for &index in contacts {
            for (k, entry) in normals[index].iter().enumerate() {
                let mut tangent = vec![0.0; system.velocity_count()];
                let mut moved = coordinates.clone();
                let mut gap = |step| {
                    tangent[k] = step;
                    system.retract(coordinates, &tangent, &mut moved);
                    Ok::<_, Error>(self.facing(mechanism, &moved, index, f64::INFINITY)?.0)
                };
                let difference = (gap(STEP)? - gap(-STEP)?) / (2.0 * STEP);
                largest = largest.max((entry - difference).abs());
            }
        }
        Ok(largest)
    }

    /// Checks the file and builds its bodies with their positions and velocities before the impact, and their contacts.
    ///
    /// # Errors
    ///
    /// Every variant of [`Error`] that names a place in the file, [`Error::Mass`], [`Error::Mechanism`],
    /// [`Error::Position`] and [`Error::Gap`].
    pub fn mechanism(&self) -> Result<Mechanism, Error> {
        self.check()?;
        let links = self.bodies.iter().enumerate().map(|(i, body)| link(i, body));
        let place = |body: &Body| Placed {
            name: body.name.clone(),
            coordinates: body.coordinates.clone(),
            velocity: body.velocity.clone(),
        };
        let places: Vec<Placed> = self.bodies.iter().map(place).collect();
        let links = links.collect::<Result<_, _>>()?;
        // Gravity has no effect on an impact.
        let (mut builder, system) = Builder::tree(links, Vector3::zeros(), &places)?;
        self.check_dimension(&system)?;
        for contact in &self.contacts {
            let (gap, _) = self.gap_function(&system, contact)?;
            let &Contact { friction, restitution, .. } = contact;
            let partner = match &contact.on {
                Partner::Plane(name) => name,
                Partner::Disc(disc) => &disc.body,
            };
            let between = [contact.disc.body.clone(), partner.clone()];
            let name = NamedContact { name: contact.name.clone(), between, unit: "m" };
            builder.add_contact(
                name,
                percussion_integrators::Contact {
                    gap: gap.into(),
                    friction,
                    restitution,
                    cone: None,
                },
            );
        }
        builder.build(&self.name)
    }

    /// Returns an error if the bodies have another dimension.
    pub(super) fn check_dimension(&self, system: &Articulated) -> Result<(), Error> {
        let expected = match self.dimension {
            Space::Space => {
                "\"plane\", as all bodies stay in the x–y plane, or a joint that leaves it"
            }
            Space::Plane => "\"space\", as a joint or a mass leaves the x–y plane",
        };
        let fits = system.dimension() == self.dimension.into();
        require_choice("dimension", &self.dimension, expected, fits)
    }

    /// The points at which the surfaces of all contacts touch.
    fn touching(&self, mechanism: &Mechanism) -> Result<Vec<percussion_dynamics::Contact>, Error> {
        let limit = TOUCHING * size(mechanism);
        let coordinates = &mechanism.state.coordinates;
        let at = |contact| Ok(self.facing(mechanism, coordinates, contact, limit)?.1);
        (0..self.contacts.len()).map(at).collect()
    }

    /// The gap of a contact and the closest points of its surfaces, if the gap is within `limit`.
    fn facing(
        &self,
        mechanism: &Mechanism,
        coordinates: &[f64],
        index: usize,
        limit: f64,
    ) -> Result<(f64, percussion_dynamics::Contact), Error> {
        let (system, contact) = (mechanism.model.system(), &self.contacts[index]);
        let gap = mechanism.model.contacts()[index].gap.as_ref();
        // NaN, from coordinates that overflow, is not within the limit either.
        let near = gap.contact_point(system, coordinates).filter(|at| at.gap.abs() <= limit);
        let at = near.ok_or_else(|| Error::Apart {
            contact: contact.name.clone(),
            gap: gap.gap(system, coordinates),
            limit,
        })?;
        let tangent = contact.tangent.map(|[x, y]| Vector3::new(x, y, 0.0).normalize());
        let frame = ContactFrame { tangent_1: tangent.unwrap_or(at.frame.tangent_1), ..at.frame };
        let points = [at.point, at.point - at.gap * at.frame.normal];
        let body = |name: &String| mechanism.parts.iter().position(|part| part.name == *name);
        let second = match &contact.on {
            Partner::Plane(_) => None,
            Partner::Disc(disc) => body(&disc.body),
        };
        let facing =
            percussion_dynamics::Contact::new([body(&contact.disc.body), second], points, frame)
                .with_friction(contact.friction)
                .with_restitution(contact.restitution);
        Ok((at.gap, facing))
    }

    /// The gap function of one of the contacts, and its second body if there is one.
    fn gap_function(
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
        // In the plane only the moment about `z` counts; equal moments belong to a possible body.
        let (center, inertia) = (body.center_of_mass.into(), body.inertia.tensor());
        let properties = MassProperties::new(mass, center, inertia)
            .map_err(|source| Error::Mass { path: format!("bodies[{index}]"), source })?;
        link = link.with_mass(properties);
    }
    Ok(link)
}
