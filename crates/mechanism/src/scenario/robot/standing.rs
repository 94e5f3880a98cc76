//! A robot at its initial position.

use std::{cell::OnceCell, collections::BTreeMap, sync::Arc};

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use percussion_collision::{Collider, Scene, Settings, Shape, Workspace};
use percussion_dynamics::{
    Articulated, Joint, JointKind, Link, System, constraint::EqualityConstraint, gap::GapFunction,
};
use percussion_integrators::Contact;

use super::{
    Drives, Numbers, Robot, collider,
    description::{DescribedJoint, Description, Tie},
    driving::Driven,
};
use crate::{
    Error,
    mechanism::{NamedContact, NamedJoint, Placed},
    rules::{count, refuse, require},
    scenario::{
        Scenario, Space,
        shape::{self, Surface},
        vectors,
    },
    urdf::{Collision, Geometry},
};

/// A robot at its initial position.
#[derive(Debug)]
pub(in crate::scenario) struct Standing {
    description: Arc<Description>,
    /// Its links; the root is joined to its base.
    links: Vec<Link>,
    coordinates: Vec<f64>,
    velocity: Vec<f64>,
    /// Its surfaces without friction, computed on first use; for a shape that cannot be used, the reason.
    colliders: OnceCell<Vec<Result<Collider, String>>>,
}

impl Scenario {
    /// Reads the robot of a checked scenario and places it.
    pub(in crate::scenario) fn standing(&self) -> Result<Option<Standing>, Error> {
        let Some(robot) = &self.robot else { return Ok(None) };
        let gravity = vectors::vector3(&self.gravity);
        let description = robot.description(Some(gravity))?;
        let mut links = description.system.links().to_vec();
        let pose = shape::pose(robot.position.as_ref(), robot.orientation);
        let floats = description.root.is_some();
        self.place_root(robot, &description, &pose, &mut links)?;
        let system = Articulated::new(links.clone(), gravity)?;
        self.check_dimension(&system)?;
        let mut velocity = vec![0.0; system.velocity_count()];
        let mut coordinates = match description.is_placed {
            // The root may have become planar.
            true => system.neutral_coordinates(),
            false => description.start.clone(),
        };
        if let Some(root) = description.root {
            let (own, rates) = (system.coordinates_of(root), system.velocities_of(root));
            if description.is_placed {
                let start = self.root_coordinates(&pose);
                coordinates[own].copy_from_slice(&start);
            }
            velocity[rates].copy_from_slice(&self.rates(&robot.velocity, robot.angular_velocity));
        }
        keep_limits(&description, &system, &mut coordinates);
        if let Some(name) = &robot.keyframe {
            let Some([position, rates]) = description.keyframes.get(name) else {
                let known: Vec<_> = description.keyframes.keys().map(String::as_str).collect();
                if known.is_empty() {
                    let expected = "joints with their coordinates, as the file has no keyframes";
                    return refuse("robot.keyframe", &name, expected).map(|()| None);
                }
                let (path, name) = ("robot.keyframe".to_owned(), name.clone());
                return Err(Error::UnknownName { path, name, known: known.join(", ") });
            };
            coordinates.copy_from_slice(position);
            velocity.copy_from_slice(rates);
        }
        set_joints(&description, &system, ("joints", &robot.joints), &mut coordinates)?;
        set_joints(&description, &system, ("velocities", &robot.velocities), &mut velocity)?;
        set_followers(&description, &system, &mut coordinates, &mut velocity);
        check_limits(&description, &system, &coordinates)?;
        let colliders = OnceCell::new();
        let mut standing = Standing { description, links, coordinates, velocity, colliders };
        if robot.on_floor {
            let lift = self.lift(&system, &standing, robot.height)?;
            if floats {
                let count = self.dimension.vector_length();
                let root =
                    standing.description.root.map_or(0..0, |root| system.coordinates_of(root));
                for (entry, lift) in standing.coordinates[root].iter_mut().take(count).zip(&lift) {
                    *entry += lift;
                }
            } else if let Some(root) = standing.links.first_mut() {
                root.placement.translation.vector += lift;
            }
        }
        Ok(Some(standing))
    }

    /// Joins the root to the world as the robot specifies, if its file leaves that open.
    fn place_root(
        &self,
        robot: &Robot,
        description: &Description,
        pose: &Isometry3<f64>,
        links: &mut [Link],
    ) -> Result<(), Error> {
        if description.root.is_none() {
            let expected = "no velocity of a base that is fixed, but `robot.velocities` of joints";
            if let Some(velocity) = &robot.velocity {
                refuse("robot.velocity", velocity, expected)?;
            }
            if let Some(velocity) = &robot.angular_velocity {
                refuse("robot.angular_velocity", velocity, expected)?;
            }
        }
        if !description.is_placed {
            let expected = "false, as the file has not one body that moves freely";
            require(
                "robot.on_floor",
                &robot.on_floor,
                expected,
                !robot.on_floor || description.root.is_some(),
            )?;
            let expected = "nothing, as the file places its bodies";
            if robot.base.is_some() {
                refuse("robot.base", &robot.base, expected)?;
            }
            if robot.position.is_some() || robot.orientation.is_some() {
                refuse("robot.position", &robot.position, expected)?;
            }
            return Ok(());
        }
        let Some(root) = links.first_mut() else { return Ok(()) };
        match (description.root.is_some(), self.dimension) {
            (true, Space::Plane) => root.joint = Joint::planar(),
            (true, Space::Space) => {}
            (false, _) => root.placement = *pose,
        }
        Ok(())
    }

    /// The coordinates of a root that moves freely, at a pose.
    fn root_coordinates(&self, pose: &Isometry3<f64>) -> Vec<f64> {
        let (place, turn) = (pose.translation.vector, pose.rotation);
        match self.dimension {
            Space::Plane => vec![place.x, place.y, turn.angle() * turn.k.signum()],
            Space::Space => vec![place.x, place.y, place.z, turn.w, turn.i, turn.j, turn.k],
        }
    }

    /// Distance by which the robot must be moved so that its lowest point is at this height above the floor (m).
    fn lift(
        &self,
        system: &Articulated,
        standing: &Standing,
        height: Option<f64>,
    ) -> Result<Vector3<f64>, Error> {
        let Some(floor) = self.floor() else { return Ok(Vector3::zeros()) };
        let normal = vectors::unit(vectors::vector3(&floor.normal).into());
        let mut colliders: Vec<Collider> = standing
            .surfaces(system, [0.0; 2])?
            .into_iter()
            .map(|surface| surface.collider)
            .filter(|collider| collider.body().is_some())
            .collect();
        let at = Isometry3::from_parts(
            Translation3::from(vectors::vector3(&floor.point)),
            UnitQuaternion::identity(),
        );
        let ground = Collider::fixed(Shape::HalfSpace { normal })
            .and_then(|ground| ground.with_pose(at))
            .map_err(|source| Error::Surface { name: floor.name.clone(), source })?;
        let last = colliders.len();
        colliders.push(ground);
        let pairs: Vec<_> = (0..last)
            .map(|k| percussion_collision::Pair {
                colliders: [k, last],
                friction: 0.0,
                restitution: 0.0,
            })
            .collect();
        let scene = Scene::new(colliders, system)?.with_pairs(&pairs)?;
        // Larger than any accepted distance.
        let settings = Settings { proximity: 1e13 };
        let mut workspace = Workspace::default();
        let found = scene.contacts(system, &standing.coordinates, &settings, &mut workspace)?;
        let lowest = found.iter().map(|contact| contact.gap).fold(f64::INFINITY, f64::min);
        let height = height.unwrap_or(0.0);
        Ok(if lowest.is_finite() { (height - lowest) * normal } else { Vector3::zeros() })
    }
}

impl Standing {
    /// Its links; the root is joined to its base.
    pub(in crate::scenario) fn links(&self) -> &[Link] {
        &self.links
    }

    /// The initial positions and velocities of its links.
    pub(in crate::scenario) fn places(&self) -> Vec<Placed> {
        let (mut coordinates, mut velocity) = (&self.coordinates[..], &self.velocity[..]);
        let mut place = |link: &Link| {
            let (own, rest) = coordinates.split_at(link.joint.kind.coordinate_count());
            let (rates, others) = velocity.split_at(link.joint.kind.velocity_count());
            (coordinates, velocity) = (rest, others);
            Placed {
                name: link.name.clone(),
                coordinates: Some(own.to_vec()),
                velocity: Some(rates.to_vec()),
            }
        };
        self.links.iter().map(&mut place).collect()
    }

    /// Its joints, in the order of its file.
    pub(in crate::scenario) fn joints(&self) -> Vec<NamedJoint> {
        let joint = |joint: &DescribedJoint| NamedJoint {
            name: joint.name.clone(),
            link: joint.link,
            body: joint.body,
        };
        self.description.joints.iter().map(joint).collect()
    }

    /// Returns the actuators of the robot under `gravity` (m/s²), with their names and warnings.
    pub(in crate::scenario) fn drives(
        &self,
        robot: &Robot,
        gravity: Vector3<f64>,
    ) -> Result<Drives, Error> {
        let system = Articulated::new(self.links.clone(), gravity)?;
        let driven = Driven {
            description: &self.description,
            system: &system,
            coordinates: &self.coordinates,
            keyframe: robot.keyframe.as_deref(),
        };
        driven.drives(&robot.drive)
    }

    /// The name of the joint that carries the link.
    pub(in crate::scenario) fn joint_of(&self, link: usize) -> Option<&str> {
        let joint = self.description.joints.iter().find(|joint| joint.link == link)?;
        Some(&joint.name)
    }

    /// The constraints in addition to its joints.
    pub(in crate::scenario) fn ties(
        &self,
        system: &Articulated,
    ) -> Result<Vec<Box<dyn EqualityConstraint>>, Error> {
        let tie = |tie: &Tie| {
            tie.constraint(system).map_err(|source| Error::Joint { joint: tie.name(), source })
        };
        self.description.ties.iter().map(tie).collect()
    }

    /// The limits that are not of one coordinate, as contacts without friction.
    pub(in crate::scenario) fn bounds(&self) -> Vec<(NamedContact, Contact)> {
        let contact = |(name, gap): &(NamedContact, Arc<dyn GapFunction>)| {
            let gap = Arc::clone(gap);
            let contact = Contact { gap, friction: 0.0, restitution: 0.0, cone: None };
            (name.clone(), contact)
        };
        self.description.bounds.iter().map(contact).collect()
    }

    /// Warnings about the parts of the file that were ignored, filled in or repaired.
    pub(in crate::scenario) fn warnings(&self) -> Vec<String> {
        crate::urdf::summary(&self.description.warnings)
    }

    /// Messages about shapes that are omitted.
    pub(in crate::scenario) fn left_out(&self, system: &dyn System) -> Vec<String> {
        let all = self.colliders(system).iter().enumerate();
        let refused = all.filter_map(|(index, shape)| Some((index, shape.as_ref().err()?)));
        let words = |(index, reason)| {
            format!("the collision shape `{}` is left out: {reason}", self.shape_name(index))
        };
        refused.map(words).collect()
    }

    /// The pairs of its surfaces that can touch with their friction, if its file lists them; numbered as in
    /// [`surfaces`](Self::surfaces).
    pub(in crate::scenario) fn pairs(&self, system: &dyn System) -> Option<Vec<([usize; 2], f64)>> {
        let pairs = self.description.pairs.as_ref()?;
        let mut next = 0;
        let mut number = |shape: &Result<Collider, String>| {
            next += usize::from(shape.is_ok());
            shape.is_ok().then(|| next - 1)
        };
        let numbers: Vec<Option<usize>> = self.colliders(system).iter().map(&mut number).collect();
        let usable =
            |&([a, b], friction): &([usize; 2], f64)| Some(([numbers[a]?, numbers[b]?], friction));
        Some(pairs.iter().filter_map(usable).collect())
    }

    fn colliders(&self, system: &dyn System) -> &[Result<Collider, String>] {
        // In a file that specifies the positions of its bodies, the first body is the world.
        let shape = |one: &Collision| match (self.description.is_placed, one.body) {
            (false, 0) => in_world(one),
            _ => collider(system, one),
        };
        let shapes = || self.description.collision.iter().map(shape).collect();
        self.colliders.get_or_init(shapes)
    }

    /// The link, and the shape if the link has several.
    fn shape_name(&self, index: usize) -> String {
        let collisions = &self.description.collision;
        let collision = &collisions[index];
        let owner = &self.links[collision.body].name;
        let own = collisions.iter().enumerate().filter(|(_, other)| other.body == collision.body);
        let (count, before) = (own.clone().count(), own.filter(|(k, _)| *k < index).count());
        let shape = collision.name.clone().unwrap_or_else(|| before.to_string());
        if count == 1 { owner.clone() } else { format!("{owner}/{shape}") }
    }

    /// The surfaces of the links, with these coefficients of friction and restitution if the file gives none;
    /// the links have the same numbers in `system`. Shapes that cannot be used are an error, unless they are
    /// [omitted](super::Robot::leave_out_shapes).
    pub(in crate::scenario) fn surfaces(
        &self,
        system: &dyn System,
        [friction, restitution]: [f64; 2],
    ) -> Result<Vec<Surface>, Error> {
        let mut surfaces = Vec::new();
        for (index, shape) in self.colliders(system).iter().enumerate() {
            let Ok(collider) = shape else { continue };
            let name = self.shape_name(index);
            let owner = self.links[self.description.collision[index].body].name.clone();
            let own = self.description.friction[index].unwrap_or(friction);
            let collider = collider
                .clone()
                .with_friction(own)
                .and_then(|collider| collider.with_restitution(restitution))
                .map_err(|source| Error::Surface { name: name.clone(), source })?;
            surfaces.push(Surface { name, owner, collider });
        }
        Ok(surfaces)
    }

    /// Returns an error if a shape cannot be used.
    pub(in crate::scenario) fn check_shapes(&self, system: &dyn System) -> Result<(), Error> {
        for (index, shape) in self.colliders(system).iter().enumerate() {
            if let Err(reason) = shape {
                let (name, reason) = (self.shape_name(index), reason.clone());
                return Err(Error::RobotShape { name, reason });
            }
        }
        Ok(())
    }
}

/// The collider of a shape that never moves.
fn in_world(collision: &Collision) -> Result<Collider, String> {
    let Geometry::Shape(shape) = &collision.geometry else {
        return Err("a mesh by its file, expected a shape".to_owned());
    };
    let collider = Collider::fixed(shape.clone());
    let placed = collider.and_then(|collider| collider.with_pose(collision.placement));
    placed.map_err(|error| error.to_string())
}

/// Writes the coordinates or velocities `numbers` of joints to their places in `all`.
fn set_joints(
    description: &Description,
    system: &Articulated,
    (field, numbers): (&str, &BTreeMap<String, Numbers>),
    all: &mut [f64],
) -> Result<(), Error> {
    for (name, numbers) in numbers {
        let path = format!("robot.{field}.{name}");
        let Some(joint) = description.joints.iter().find(|joint| joint.name == *name) else {
            let known: Vec<_> = description.joints.iter().map(|one| one.name.as_str()).collect();
            return Err(Error::UnknownName { path, name: name.clone(), known: known.join(", ") });
        };
        if follows(description, name) {
            let expected = "nothing, as the joint follows another one";
            return refuse(&path, &numbers.as_slice(), expected);
        }
        let is_position = field == "joints";
        let range = match is_position {
            true => system.coordinates_of(joint.link),
            false => system.velocities_of(joint.link),
        };
        let (found, expected) = (numbers.as_slice().len(), range.len());
        count(&path, found, found == expected, &expected.to_string())?;
        let reference = if is_position { joint.reference } else { 0.0 };
        for (entry, number) in all[range].iter_mut().zip(numbers.as_slice()) {
            *entry = number - reference;
        }
    }
    Ok(())
}

/// Whether the joint `name` follows another one.
fn follows(description: &Description, name: &str) -> bool {
    description
        .ties
        .iter()
        .any(|tie| matches!(tie, Tie::Follower(follower) if follower.joint == name))
}

/// Sets the coordinates of followers from those of their leaders.
fn set_followers(
    description: &Description,
    system: &Articulated,
    coordinates: &mut [f64],
    velocity: &mut [f64],
) {
    for tie in &description.ties {
        let Tie::Follower(follower) = tie else { continue };
        let scalar = |name: &String| {
            let link = system.link_index(name)?;
            Some((system.coordinates_of(link).start, system.velocities_of(link).start))
        };
        let Some((own, rate)) = scalar(&follower.link) else { continue };
        let leader = follower.leader.as_ref().and_then(|(_, link)| scalar(link));
        let (at, moving) = leader.map_or((0.0, 0.0), |(q, v)| (coordinates[q], velocity[v]));
        coordinates[own] = follower.coordinate(at);
        velocity[rate] = follower.rate(at) * moving;
    }
}

/// Moves joints that start outside their limits to the nearer limit.
fn keep_limits(description: &Description, system: &Articulated, coordinates: &mut [f64]) {
    for joint in &description.joints {
        let limits = &system.links()[joint.link].joint.limits;
        let own = &mut coordinates[system.coordinates_of(joint.link)];
        for (value, [lower, upper]) in own.iter_mut().zip(limits) {
            *value = value.min(*upper).max(*lower);
        }
    }
}

/// Returns an error if a joint starts outside its limits.
fn check_limits(
    description: &Description,
    system: &Articulated,
    coordinates: &[f64],
) -> Result<(), Error> {
    for joint in &description.joints {
        let link = &system.links()[joint.link];
        if link.joint.kind == JointKind::Free {
            continue;
        }
        for (&value, [lower, upper]) in
            coordinates[system.coordinates_of(joint.link)].iter().zip(&link.joint.limits)
        {
            if !(*lower..=*upper).contains(&value) {
                let path = format!("robot.joints.{}", joint.name);
                let limits = [lower + joint.reference, upper + joint.reference];
                let value = value + joint.reference;
                return Err(Error::OutsideLimits { path, value, limits });
            }
        }
    }
    Ok(())
}
