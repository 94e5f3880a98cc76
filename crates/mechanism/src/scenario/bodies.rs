//! The bodies of a [`Scenario`] as a [`Mechanism`] at its start.

use std::sync::Arc;

use nalgebra::{DMatrix, Isometry3, Matrix3, Translation3, Vector3};
use percussion_collision::{Shape, homogeneous};
use percussion_dynamics::{
    Articulated, Dimension, Joint, JointKind, JointLimit, LimitSide, Link, MassProperties, System,
};
use percussion_integrators::{BoundedFriction, Contact};

use super::{
    Scenario, Space,
    joints::WORLD,
    robot::{Drives, Standing},
    shape, vectors,
};
use crate::{
    Error,
    mechanism::{Builder, Mechanism, NamedContact, Placed},
    rules::refuse,
};

/// Largest accepted distance between the center of mass of the shapes and that of their body, in its radii of gyration.
const CENTERED: f64 = 1e-9;

/// The carriers of the surfaces of a scenario.
pub(super) struct Described {
    /// The carrier of the surfaces of each body.
    pub(super) carriers: Vec<Carrier>,
    pub(super) robot: Option<Standing>,
    /// The links, if joints carry bodies.
    pub(super) tree: Option<Arc<Articulated>>,
}

/// A body of the system and the frame of a body of the scenario in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Carrier {
    pub(super) body: usize,
    pub(super) placement: Isometry3<f64>,
}

impl Scenario {
    /// Whether the bodies are links of a tree; otherwise all are free.
    #[must_use]
    pub fn is_tree(&self) -> bool {
        self.robot.is_some() || !self.joints.is_empty()
    }

    /// Checks the scenario and builds its bodies at their start, with their contacts.
    ///
    /// # Errors
    ///
    /// As [`build`](Self::build), except [`Error::Penetration`].
    pub fn mechanism(&self) -> Result<Mechanism, Error> {
        self.check()?;
        let (mut builder, described) = if self.is_tree() { self.tree()? } else { self.free()? };
        if self.finds_contacts() {
            let surfaces = self.surfaces(&builder, &described)?;
            let cones = self.found_cones(&surfaces, builder.parts(), &described.carriers);
            builder.set_surfaces(surfaces, cones);
        } else {
            self.add_gaps(&mut builder, &described.carriers)?;
        }
        builder.build(&self.name)
    }

    /// Bodies without joints.
    fn free(&self) -> Result<(Builder, Described), Error> {
        let carrier = |body| Ok(Carrier { body, placement: self.recentered(body)? });
        let carriers = (0..self.bodies.len()).map(carrier).collect::<Result<_, Error>>()?;
        let gravity = vectors::vector3(&self.gravity);
        let places = self.bodies.iter().map(|body| self.placed(body)).collect();
        let mut builder = match self.dimension {
            Space::Plane => Builder::plane(self.planar_bodies()?, gravity, places)?,
            Space::Space => Builder::space(self.free_bodies()?, gravity, places)?,
        };
        builder.set_joint_friction(self.joint_friction());
        Ok((builder, Described { carriers, robot: None, tree: None }))
    }

    /// Links of the robot and bodies with joints.
    fn tree(&self) -> Result<(Builder, Described), Error> {
        let robot = self.standing()?;
        let (mut links, mut places) = (Vec::new(), Vec::new());
        if let Some(robot) = &robot {
            links.extend_from_slice(robot.links());
            places.extend(robot.places());
        }
        for (index, body) in self.bodies.iter().enumerate() {
            links.push(self.link(index)?);
            places.push(match self.carrier(&body.name) {
                Some(joint) => Placed {
                    name: body.name.clone(),
                    coordinates: None,
                    velocity: joint.speed.map(|speed| vec![speed]),
                },
                None => self.placed(body),
            });
        }
        let names: Vec<String> = links.iter().map(|link| link.name.clone()).collect();
        self.check_link_names(&names)?;
        let gravity = vectors::vector3(&self.gravity);
        let dampers = self.stiff_dampers(&mut links, &places, gravity)?;
        let (mut builder, system) = Builder::tree(links, gravity, &places)?;
        self.check_dimension(&system)?;
        let link_of = |body: usize| system.link_index(&self.bodies[body].name).unwrap_or_default();
        let carrier = |index| {
            let in_link = self.link_pose(index).inverse() * self.body_pose(index);
            Ok(Carrier { body: link_of(index), placement: in_link * self.recentered(index)? })
        };
        let carriers = (0..self.bodies.len()).map(carrier).collect::<Result<_, Error>>()?;
        let mut constraints = self.loops(link_of)?;
        if let Some(robot) = &robot {
            constraints.extend(robot.ties(&system)?);
            builder.set_joints(robot.joints());
        }
        let mut drives = match (&robot, &self.robot) {
            (Some(robot), Some(described)) => robot.drives(described, gravity)?,
            _ => Drives::default(),
        };
        drives.laws.extend(dampers);
        builder.set_actuators(drives.laws, drives.names);
        if let Some(robot) = &robot {
            builder.warn(robot.warnings());
            builder.warn(drives.warnings);
            match self.robot.as_ref().is_some_and(|robot| robot.leave_out_shapes) {
                true => builder.warn(robot.left_out(&*system)),
                false => robot.check_shapes(&*system)?,
            }
        }
        let (limits, friction) = (self.limits(&system, robot.as_ref()), frictions(&system));
        builder.set_constraints(constraints);
        builder.set_joint_friction(friction);
        for (name, limit) in limits {
            builder.add_contact(name, Contact::new(limit, 0.0));
        }
        for (name, bound) in robot.iter().flat_map(Standing::bounds) {
            builder.add_contact(name, bound);
        }
        Ok((builder, Described { carriers, robot, tree: Some(system) }))
    }

    /// A body that moves freely, with its initial position and velocity.
    fn placed(&self, body: &super::Body) -> Placed {
        Placed {
            name: body.name.clone(),
            coordinates: Some(self.body_coordinates(body)),
            velocity: Some(self.rates(&body.velocity, body.angular_velocity)),
        }
    }

    /// Returns an error if two links have the same name, or a body or fixed object has the name of a link.
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

    /// Returns an error if the tree has another dimension.
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

    /// The limits of all joints, with the names of the joints.
    fn limits(
        &self,
        system: &Articulated,
        robot: Option<&Standing>,
    ) -> Vec<(NamedContact, JointLimit)> {
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
            (NamedContact { name: format!("{joint} ({side})"), between, unit }, limit)
        };
        system.joint_limits().into_iter().map(limit).collect()
    }

    /// The shapes of a body in its axes, as given in the file.
    fn solids(&self, index: usize) -> Vec<(Shape, Isometry3<f64>)> {
        let body = &self.bodies[index];
        let one = body.shape.iter().map(|shape| (shape.clone(), Isometry3::identity()));
        let several = body.shapes.iter().filter_map(|part| {
            Some((part.shape.clone()?, shape::pose(part.position.as_ref(), part.orientation)))
        });
        one.chain(several).collect()
    }

    /// Mass, center of mass and inertia of the shapes of a body, with a common density.
    fn homogeneous(&self, index: usize) -> Result<MassProperties, Error> {
        let (body, dimension) = (&self.bodies[index], self.dimension.into());
        let solids = self.solids(index);
        let solid = match &solids[..] {
            [(shape, _)] if body.shapes.is_empty() => shape.mass_properties(body.mass, dimension),
            _ => homogeneous::composite(&solids, body.mass, dimension),
        };
        solid.map_err(|source| Error::Mass { path: format!("bodies[{index}]"), source })
    }

    /// The inertia of a body about its center of mass: from the file or from the shapes.
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

    /// The pose of the frame of the shapes in the body.
    fn recentered(&self, index: usize) -> Result<Isometry3<f64>, Error> {
        if !self.bodies[index].recenter {
            return Ok(Isometry3::identity());
        }
        let center = self.homogeneous(index)?.center_of_mass();
        Ok(Isometry3::from(Translation3::from(-center)))
    }
}

/// The friction of all joints.
fn frictions(system: &Articulated) -> Vec<BoundedFriction> {
    let along = |friction: &percussion_dynamics::JointFriction| {
        let mut axes = DMatrix::zeros(system.velocity_count(), 1);
        friction.add_row(1.0, axes.as_mut_slice());
        BoundedFriction::along(&axes, friction.bound)
    };
    system.joint_friction().iter().map(along).collect()
}
