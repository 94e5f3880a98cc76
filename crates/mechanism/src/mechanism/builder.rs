//! The construction of a [`Mechanism`] from bodies: [`Builder`].

use std::sync::Arc;

use nalgebra::Vector3;
use percussion_dynamics::{
    Articulated, ArticulatedError, Body, CoordinateError, FreeBodies, JointKind, Link,
    PlanarBodies, PlanarBody, System, constraint::EqualityConstraint,
};
use percussion_integrators::{Actuator, BoundedFriction, Contact, FoundCone, Model, State};

use super::{Mechanism, NamedActuator, NamedContact, NamedJoint, Part, Surfaces};
use crate::Error;

/// Position and velocity of a body. For a link, missing values are neutral or at rest; for a free body, all are given.
pub(crate) struct Placed {
    pub(crate) name: String,
    /// Coordinates of the body or of its joint (m, rad or a unit quaternion).
    pub(crate) coordinates: Option<Vec<f64>>,
    /// Their rates (m/s, rad/s).
    pub(crate) velocity: Option<Vec<f64>>,
}

/// A system that is not yet a model.
enum Held {
    Plane(Box<PlanarBodies>),
    Space(FreeBodies),
    Tree(Arc<Articulated>),
}

/// A mechanism under construction.
pub(crate) struct Builder {
    held: Held,
    parts: Vec<Part>,
    state: State,
    contacts: Vec<Contact>,
    names: Vec<NamedContact>,
    joint_friction: Vec<BoundedFriction>,
    constraints: Vec<Box<dyn EqualityConstraint>>,
    surfaces: Option<Surfaces>,
    cones: Vec<FoundCone>,
    joints: Vec<NamedJoint>,
    actuators: Vec<Actuator>,
    actuator_names: Vec<NamedActuator>,
    warnings: Vec<String>,
}

impl Builder {
    /// Bodies that are free in the plane under `gravity` (m/s²); `Placed` in the same order.
    pub(crate) fn plane(
        bodies: Vec<PlanarBody>,
        gravity: Vector3<f64>,
        places: Vec<Placed>,
    ) -> Result<Self, Error> {
        let masses: Vec<f64> = bodies.iter().map(|body| body.mass).collect();
        let system = PlanarBodies::new(bodies, gravity.xy())?;
        Ok(Self::free(Held::Plane(Box::new(system)), JointKind::Planar, &masses, places))
    }

    /// Bodies that are free in space under `gravity` (m/s²); `Placed` in the same order.
    pub(crate) fn space(
        bodies: Vec<Body>,
        gravity: Vector3<f64>,
        places: Vec<Placed>,
    ) -> Result<Self, Error> {
        let masses: Vec<f64> = bodies.iter().map(|body| body.mass).collect();
        let system = FreeBodies::new(bodies, gravity)?;
        Ok(Self::free(Held::Space(system), JointKind::Free, &masses, places))
    }

    /// Links that joints connect, under `gravity` (m/s²), and their system; the places are those of links, in any order.
    pub(crate) fn tree(
        links: Vec<Link>,
        gravity: Vector3<f64>,
        places: &[Placed],
    ) -> Result<(Self, Arc<Articulated>), Error> {
        let system = Arc::new(Articulated::new(links, gravity)?);
        let mut coordinates = system.neutral_coordinates();
        let mut velocity = vec![0.0; system.velocity_count()];
        for place in places {
            let Some(link) = system.link_index(&place.name) else { continue };
            if let Some(given) = &place.coordinates {
                coordinates[system.coordinates_of(link)].copy_from_slice(given);
            }
            if let Some(given) = &place.velocity {
                velocity[system.velocities_of(link)].copy_from_slice(given);
            }
        }
        let part = |link: &Link| Part {
            name: link.name.clone(),
            mass: link.mass_properties.map_or(0.0, |properties| properties.mass()),
            joint: link.joint.kind,
        };
        let parts = system.links().iter().map(part).collect();
        let state = State { time: 0.0, coordinates, velocity };
        Ok((Self::new(Held::Tree(Arc::clone(&system)), parts, state), system))
    }

    fn free(system: Held, joint: JointKind, masses: &[f64], places: Vec<Placed>) -> Self {
        let mut state = State { time: 0.0, coordinates: Vec::new(), velocity: Vec::new() };
        let mut parts = Vec::with_capacity(places.len());
        for (Placed { name, coordinates, velocity }, &mass) in places.into_iter().zip(masses) {
            parts.push(Part { name, mass, joint });
            state.coordinates.extend(coordinates.unwrap_or_default());
            state.velocity.extend(velocity.unwrap_or_default());
        }
        Self::new(system, parts, state)
    }

    fn new(held: Held, parts: Vec<Part>, state: State) -> Self {
        Self {
            held,
            parts,
            state,
            contacts: Vec::new(),
            names: Vec::new(),
            joint_friction: Vec::new(),
            constraints: Vec::new(),
            surfaces: None,
            cones: Vec::new(),
            joints: Vec::new(),
            actuators: Vec::new(),
            actuator_names: Vec::new(),
            warnings: Vec::new(),
        }
    }

    pub(crate) fn system(&self) -> &dyn System {
        match &self.held {
            Held::Plane(system) => system.as_ref(),
            Held::Space(system) => system,
            Held::Tree(system) => system.as_ref(),
        }
    }

    pub(crate) fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Adds a contact that is known beforehand.
    pub(crate) fn add_contact(&mut self, name: NamedContact, contact: Contact) {
        self.names.push(name);
        self.contacts.push(contact);
    }

    /// Sets the constraints between bodies, replacing earlier ones.
    pub(crate) fn set_constraints(&mut self, constraints: Vec<Box<dyn EqualityConstraint>>) {
        self.constraints = constraints;
    }

    /// Sets the bounded friction of joints, replacing an earlier one.
    pub(crate) fn set_joint_friction(&mut self, joint_friction: Vec<BoundedFriction>) {
        self.joint_friction = joint_friction;
    }

    /// Sets the names of the joints of a robot.
    pub(crate) fn set_joints(&mut self, joints: Vec<NamedJoint>) {
        self.joints = joints;
    }

    /// Drives joints, in place of former actuators.
    pub(crate) fn set_actuators(&mut self, actuators: Vec<Actuator>, names: Vec<NamedActuator>) {
        (self.actuators, self.actuator_names) = (actuators, names);
    }

    /// Adds warnings about files.
    pub(crate) fn warn(&mut self, warnings: Vec<String>) {
        self.warnings.extend(warnings);
    }

    /// Sets the surfaces between which contacts are found, and the cones of those that are not round.
    pub(crate) fn set_surfaces(&mut self, surfaces: Surfaces, cones: Vec<FoundCone>) {
        (self.surfaces, self.cones) = (Some(surfaces), cones);
    }

    /// The mechanism called `name`.
    pub(crate) fn build(self, name: &str) -> Result<Mechanism, Error> {
        let tree = match &self.held {
            Held::Tree(system) => Some(Arc::clone(system)),
            Held::Plane(_) | Held::Space(_) => None,
        };
        let model = match self.held {
            Held::Plane(system) => Model::lagrangian(system, self.contacts),
            Held::Space(system) => Model::free_bodies(system, self.contacts),
            Held::Tree(system) => Model::shared(system, self.contacts),
        };
        let model =
            model?.with_joint_friction(self.joint_friction)?.with_constraints(self.constraints)?;
        let model = match self.actuators.is_empty() {
            true => model,
            false => model.with_actuators(self.actuators)?,
        };
        let model = match &self.surfaces {
            Some(surfaces) => {
                model.with_contact_source(surfaces.scene().clone())?.with_found_cones(self.cones)?
            }
            None => model,
        };
        model.system().check_coordinates(&self.state.coordinates).map_err(|error| {
            match (error, &tree) {
                // The name of the link is more informative than its number.
                (CoordinateError::SingularMass { velocity, body, fraction }, Some(tree)) => {
                    let link = tree.links()[body].name.clone();
                    let index = velocity - tree.velocities_of(body).start;
                    ArticulatedError::SingularMass { link, index, fraction }.into()
                }
                (error, _) => Error::from(error),
            }
        })?;
        tracing::debug!(name, bodies = self.parts.len(), "built a mechanism");
        Ok(Mechanism {
            name: name.to_owned(),
            model,
            state: self.state,
            parts: self.parts,
            contacts: self.names,
            surfaces: self.surfaces,
            tree,
            joints: self.joints,
            actuators: self.actuator_names,
            warnings: self.warnings,
        })
    }
}
