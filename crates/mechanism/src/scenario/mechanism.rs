//! The bodies of a [`Scenario`] as a system where it starts: [`Mechanism`].

use nalgebra::{DMatrix, Isometry3, Matrix3, Translation3, Vector3};
use percussion_collision::homogeneous;
use percussion_dynamics::{
    Articulated, Dimension, EqualityConstraint, FreeBodies, Joint, JointKind, JointLimit, Link,
    MassProperties, PlanarBodies, System, articulated::LimitSide,
};
use percussion_integrators::{BoundedFriction, Feature, Model, Rule, State, model};

use super::{Body, Scenario, Space, joints::WORLD, robot::Standing, shape};
use crate::{Error, rules::refuse};

/// How far the center of mass of shapes may be from that of their body, in its radii of gyration.
const CENTERED: f64 = 1e-9;

/// A body of a system.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Name.
    pub name: String,
    /// Mass (kg), 0 of a frame without mass.
    pub mass: f64,
    /// How it may move: free bodies in space as `Free`, in the plane as `Planar`.
    pub joint: JointKind,
}

/// A system with what its contacts are made of.
pub(super) struct Mechanism {
    bodies: Bodies,
    pub(super) parts: Vec<Part>,
    pub(super) state: State,
    /// For each body of the scenario what carries its surfaces.
    pub(super) carriers: Vec<Carrier>,
    pub(super) robot: Option<Standing>,
    pub(super) limits: Vec<Limit>,
    pub(super) friction: Vec<BoundedFriction>,
    pub(super) constraints: Vec<Box<dyn EqualityConstraint>>,
}

/// A system of bodies that are free, in the plane or in space, or joined.
enum Bodies {
    Plane(Box<PlanarBodies>),
    Space(FreeBodies),
    Tree(Box<Articulated>),
}

/// A body of the system and the frame of a body of the scenario in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Carrier {
    pub(super) body: usize,
    pub(super) placement: Isometry3<f64>,
}

/// A limit of a joint.
pub(super) struct Limit {
    pub(super) name: String,
    pub(super) between: [String; 2],
    /// Of its gap.
    pub(super) unit: &'static str,
    pub(super) limit: JointLimit,
}

impl Mechanism {
    pub(super) fn system(&self) -> &dyn System {
        match &self.bodies {
            Bodies::Plane(system) => system.as_ref(),
            Bodies::Space(system) => system,
            Bodies::Tree(system) => system.as_ref(),
        }
    }

    pub(super) fn tree(&self) -> Option<&Articulated> {
        match &self.bodies {
            Bodies::Plane(_) | Bodies::Space(_) => None,
            Bodies::Tree(system) => Some(system),
        }
    }

    pub(super) fn into_model(self, contacts: Vec<model::Contact>) -> Result<Model, model::Error> {
        match self.bodies {
            Bodies::Plane(system) => Model::lagrangian(system, contacts),
            Bodies::Space(system) => Model::free_bodies(system, contacts),
            Bodies::Tree(system) => Model::lagrangian(system, contacts),
        }
    }
}

impl Scenario {
    /// Whether the bodies are links of a tree, not all free.
    #[must_use]
    pub fn is_tree(&self) -> bool {
        self.robot.is_some() || !self.joints.is_empty()
    }

    /// The system of a checked scenario.
    pub(super) fn mechanism(&self) -> Result<Mechanism, Error> {
        if self.is_tree() {
            return self.tree_mechanism();
        }
        let mut carriers = Vec::new();
        for body in 0..self.bodies.len() {
            let placement = self.recentered(body)?;
            carriers.push(Carrier { body, placement });
        }
        Ok(Mechanism {
            bodies: match self.dimension {
                Space::Plane => Bodies::Plane(Box::new(self.planar_bodies()?)),
                Space::Space => Bodies::Space(self.free_bodies()?),
            },
            parts: self.free_parts(),
            state: self.state(),
            carriers,
            robot: None,
            limits: Vec::new(),
            friction: self.joint_friction(),
            constraints: Vec::new(),
        })
    }

    /// The bodies of a scenario without joints.
    pub(crate) fn free_parts(&self) -> Vec<Part> {
        let joint = match self.dimension {
            Space::Plane => JointKind::Planar,
            Space::Space => JointKind::Free,
        };
        let part = |body: &Body| Part { name: body.name.clone(), mass: body.mass, joint };
        self.bodies.iter().map(part).collect()
    }

    fn tree_mechanism(&self) -> Result<Mechanism, Error> {
        let robot = self.standing()?;
        let mut links = robot.as_ref().map_or_else(Vec::new, |robot| robot.links().to_vec());
        for body in 0..self.bodies.len() {
            links.push(self.link(body)?);
        }
        let names: Vec<String> = links.iter().map(|link| link.name.clone()).collect();
        self.check_link_names(&names)?;
        let system = Articulated::new(links, super::vectors::vector3(&self.gravity))?;
        self.check_dimension(&system)?;
        let link_of = |body: usize| system.link_index(&self.bodies[body].name).unwrap_or_default();
        let mut state = State {
            time: 0.0,
            coordinates: system.neutral_coordinates(),
            velocity: vec![0.0; system.velocity_count()],
        };
        if let Some(robot) = &robot {
            let (coordinates, velocity) = robot.start();
            state.coordinates[..coordinates.len()].copy_from_slice(coordinates);
            state.velocity[..velocity.len()].copy_from_slice(velocity);
        }
        let mut carriers = Vec::new();
        for (index, body) in self.bodies.iter().enumerate() {
            let link = link_of(index);
            let joint = self.carrier(&body.name);
            let moves = &mut state.velocity[system.velocities_of(link)];
            match joint {
                Some(joint) => {
                    if let (Some(speed), Some(entry)) = (joint.speed, moves.first_mut()) {
                        *entry = speed;
                    }
                }
                None => {
                    moves.copy_from_slice(&self.rates(&body.velocity, body.angular_velocity));
                    let start = self.body_coordinates(body);
                    state.coordinates[system.coordinates_of(link)].copy_from_slice(&start);
                }
            }
            let in_link = self.link_pose(index).inverse() * self.body_pose(index);
            carriers.push(Carrier { body: link, placement: in_link * self.recentered(index)? });
        }
        let constraints = self.loops(link_of)?;
        let (limits, friction) = (self.limits(&system, robot.as_ref()), self.frictions(&system)?);
        let part = |link: &Link| Part {
            name: link.name.clone(),
            mass: link.mass_properties.map_or(0.0, |properties| properties.mass()),
            joint: link.joint.kind,
        };
        let parts = system.links().iter().map(part).collect();
        let bodies = Bodies::Tree(Box::new(system));
        Ok(Mechanism { bodies, parts, state, carriers, robot, limits, friction, constraints })
    }

    /// Refuses links of the same name, and bodies or what is fixed with the name of a link.
    fn check_link_names(&self, links: &[String]) -> Result<(), Error> {
        let robots = links.len() - self.bodies.len();
        let planes = self.planes.iter().map(|plane| &plane.name).enumerate();
        let fixed = self.fixed.iter().map(|fixed| &fixed.name).enumerate();
        let bodies = self.bodies.iter().map(|body| &body.name).enumerate();
        let all = (bodies.map(|(k, name)| (format!("bodies[{k}].name"), name)))
            .chain(planes.map(|(k, name)| (format!("planes[{k}].name"), name)))
            .chain(fixed.map(|(k, name)| (format!("fixed[{k}].name"), name)));
        for (path, name) in all {
            if links[..robots].contains(name) {
                return Err(Error::DuplicateName { path, name: name.clone() });
            }
        }
        Ok(())
    }

    /// Refuses a tree of another dimension.
    pub(super) fn check_dimension(&self, system: &Articulated) -> Result<(), Error> {
        match (self.dimension, system.dimension()) {
            (Space::Plane, Dimension::Space) => {
                let expected = "\"space\", as a joint, a mass or gravity leaves the x–y plane";
                refuse("dimension", &"plane", expected)
            }
            (Space::Space, Dimension::Plane) => {
                let expected = "\"plane\", as joints and gravity keep everything in the x–y plane";
                refuse("dimension", &"space", expected)
            }
            _ => Ok(()),
        }
    }

    /// The pose of a body at the start.
    fn body_pose(&self, body: usize) -> Isometry3<f64> {
        let body = &self.bodies[body];
        shape::pose(Some(&body.position), body.orientation)
    }

    fn link(&self, index: usize) -> Result<Link, Error> {
        let body = &self.bodies[index];
        let pose = self.link_pose(index);
        let in_link = pose.inverse() * self.body_pose(index);
        let refused = |source| Error::Mass { path: format!("bodies[{index}]"), source };
        let inertia = self.inertia(index)?;
        let mass =
            MassProperties::new(body.mass, in_link.translation.vector, inertia).map_err(refused)?;
        let Some(joint) = self.carrier(&body.name) else {
            let joint = match self.dimension {
                Space::Plane => Joint::planar(),
                Space::Space => Joint::free(),
            };
            let mass =
                MassProperties::new(body.mass, Vector3::zeros(), inertia).map_err(refused)?;
            return Ok(Link::new(&body.name, joint).with_mass(mass));
        };
        let link = Link::new(&body.name, self.tree_joint(joint, &pose.rotation)).with_mass(mass);
        let parent = &joint.between[0];
        if parent == WORLD {
            return Ok(link.at(pose));
        }
        let carrier = self.bodies.iter().position(|body| body.name == *parent);
        let carrier = carrier.map_or_else(Isometry3::identity, |parent| self.link_pose(parent));
        Ok(link.on(parent).at(carrier.inverse() * pose))
    }

    /// The limits of all joints, named by the joints.
    fn limits(&self, system: &Articulated, robot: Option<&Standing>) -> Vec<Limit> {
        let limit = |limit: JointLimit| {
            let link = &system.links()[limit.link];
            let imported = robot.and_then(|robot| robot.joint_of(limit.link));
            let joint = match (imported, self.carrier(&link.name)) {
                (Some(joint), _) => joint.to_owned(),
                (None, Some(joint)) => joint.name.clone(),
                (None, None) => link.name.clone(),
            };
            let side = match limit.side {
                LimitSide::Lower => "lower limit",
                LimitSide::Upper => "upper limit",
            };
            let unit = match link.joint.kind {
                JointKind::Prismatic { .. } => "m",
                _ => "rad",
            };
            let parent = link.parent.clone().unwrap_or_else(|| WORLD.to_owned());
            let between = [parent, link.name.clone()];
            Limit { name: format!("{joint} ({side})"), between, unit, limit }
        };
        system.joint_limits().into_iter().map(limit).collect()
    }

    /// The friction of all joints, which is refused by schemes without a rule for it.
    fn frictions(&self, system: &Articulated) -> Result<Vec<BoundedFriction>, Error> {
        let frictions = system.joint_friction();
        if let Some(friction) = frictions.first()
            && self.integrator.method.rule(Feature::JointFriction) != Rule::Used
        {
            let link = &system.links()[friction.link].name;
            return Err(Error::JointFriction {
                link: link.clone(),
                method: self.integrator.method,
            });
        }
        let along = |friction: &percussion_dynamics::JointFriction| {
            let mut axes = DMatrix::zeros(system.velocity_count(), 1);
            friction.add_row(1.0, axes.as_mut_slice());
            BoundedFriction::along(&axes, friction.bound)
        };
        Ok(frictions.iter().map(along).collect())
    }

    /// The shapes of a body in its axes, as they are written.
    fn solids(
        &self,
        index: usize,
    ) -> Result<Vec<(percussion_collision::Shape, Isometry3<f64>)>, Error> {
        let body = &self.bodies[index];
        let mut solids = Vec::new();
        if let Some(shape) = &body.shape {
            let path = format!("bodies[{index}].shape");
            shape.check().map_err(|source| Error::Shape { path, source })?;
            solids.push((shape.clone(), Isometry3::identity()));
        }
        for (k, part) in body.shapes.iter().enumerate() {
            let path = format!("bodies[{index}].shapes[{k}].shape");
            part.shape.check().map_err(|source| Error::Shape { path, source })?;
            solids
                .push((part.shape.clone(), shape::pose(part.position.as_ref(), part.orientation)));
        }
        Ok(solids)
    }

    /// Mass, center of mass and inertia of the shapes of a body, of one density.
    fn homogeneous(&self, index: usize) -> Result<MassProperties, Error> {
        let (body, dimension) = (&self.bodies[index], self.dimension.into());
        let solids = self.solids(index)?;
        let solid = match &solids[..] {
            [(shape, _)] if body.shapes.is_empty() => shape.mass_properties(body.mass, dimension),
            _ => homogeneous::composite(&solids, body.mass, dimension),
        };
        solid.map_err(|source| Error::Mass { path: format!("bodies[{index}]"), source })
    }

    /// The inertia of a body about its center of mass: that of the file or of the shapes.
    pub(super) fn inertia(&self, index: usize) -> Result<Matrix3<f64>, Error> {
        let body = &self.bodies[index];
        if let Some(inertia) = body.inertia {
            return Ok(inertia.tensor());
        }
        let solid = self.homogeneous(index)?;
        let center = solid.center_of_mass();
        let size = (solid.inertia().trace() / solid.mass()).sqrt();
        if !body.recenter && center.norm() > CENTERED * size {
            let expected =
                "(0, 0, 0): `recenter = true`, or shapes moved by minus this, or an `inertia`";
            let (path, at) = (format!("bodies[{index}]: center of mass"), center.as_slice());
            refuse(&path, &at, expected)?;
        }
        Ok(solid.inertia())
    }

    /// Where the frame of the shapes of a body is in the body.
    fn recentered(&self, index: usize) -> Result<Isometry3<f64>, Error> {
        if !self.bodies[index].recenter {
            return Ok(Isometry3::identity());
        }
        let center = self.homogeneous(index)?.center_of_mass();
        Ok(Isometry3::from(Translation3::from(-center)))
    }
}
