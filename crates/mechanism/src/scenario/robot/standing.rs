//! Reading a robot and placing it at the start.

use std::{collections::BTreeMap, fs, path::Path};

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use percussion_collision::{Collider, Scene, Settings, Shape, Workspace};
use percussion_dynamics::{Articulated, Dimension, Joint, Link, System};
use percussion_integrators::schemes::Name;

use super::{Base, Numbers, Robot, collider};
use crate::{
    Error,
    mechanism::Placed,
    rules::{count, finite, refuse, require},
    scenario::{
        Integrator, Plane, Scenario, Space,
        shape::{self, Surface},
        vectors,
    },
    urdf::{self, Collision, Imported},
};

/// Largest accepted length of a description (bytes).
const TEXT_LIMIT: u64 = 16 << 20;

/// Name of the root link that stands for the world.
const WORLD: &str = "world";

/// A robot where it starts.
#[derive(Debug)]
pub(in crate::scenario) struct Standing {
    imported: Imported,
    /// Its links, the root with its base.
    links: Vec<Link>,
    coordinates: Vec<f64>,
    velocity: Vec<f64>,
}

impl Robot {
    /// Reads the description, with the root fixed in the world.
    fn import(&self, gravity: Vector3<f64>) -> Result<Imported, Error> {
        let failed = |source| Error::Robot { file: self.urdf.clone(), source: Box::new(source) };
        let unread = |source| failed(urdf::Error::File { path: self.urdf.clone(), source });
        let about = fs::metadata(&self.urdf).map_err(unread)?;
        let expected = "a file of at most 16 MiB";
        let usable = about.is_file() && about.len() <= TEXT_LIMIT;
        require("robot.urdf", &self.urdf, expected, usable)?;
        let text = fs::read_to_string(&self.urdf).map_err(unread)?;
        let settings = urdf::Settings {
            gravity,
            allow_massless: self.allow_massless,
            packages: self.packages.clone(),
            directory: self.urdf.parent().map(Path::to_path_buf),
            ..urdf::Settings::default()
        };
        urdf::read_str(&text, &settings).map_err(failed)
    }

    /// How the root link `root` is joined to the world.
    fn base(&self, root: &Link) -> Base {
        let default = if root.name == WORLD { Base::Fixed } else { Base::Floating };
        self.base.unwrap_or(default)
    }
}

impl Scenario {
    /// A robot that stands, or falls, on a floor, for those who have no scenario file.
    ///
    /// The floor goes through the origin, perpendicular to `gravity` (m/s²), with the friction 0.8; without gravity there is
    /// none. The robot starts at rest in zero coordinates, its root floating unless it is called `world`, its lowest point
    /// on the floor, and its links do not touch each other. It moves for 1 s in steps of 1 ms by the method `"moreau-jean"`, in the plane if its joints and gravity
    /// keep it in the x–y plane.
    ///
    /// # Errors
    ///
    /// [`Error::Robot`], [`Error::Mechanism`], [`Error::Value`].
    pub fn of_robot(robot: Robot, gravity: [f64; 3]) -> Result<Self, Error> {
        finite("gravity", &gravity)?;
        let gravity = Vector3::from(gravity);
        let imported = robot.import(gravity)?;
        let links = imported.system.links();
        let floats = links.first().is_some_and(|root| robot.base(root) == Base::Floating);
        let dimension = match imported.system.dimension() {
            // It floats in the plane only if it is said to be in a plane.
            Dimension::Plane if !floats => Space::Plane,
            _ => Space::Space,
        };
        let cut = |vector: Vector3<f64>| vector.as_slice()[..dimension.vector_length()].to_vec();
        let floor = Plane {
            name: "floor".to_owned(),
            point: cut(Vector3::zeros()),
            normal: cut(-gravity),
            tangent: None,
        };
        let has_floor = gravity != Vector3::zeros();
        Ok(Self {
            name: robot.urdf.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
            title: format!("The robot {}", imported.name),
            source: robot.urdf.display().to_string(),
            dimension,
            gravity: cut(gravity),
            duration: 1.0,
            friction: Some(0.8),
            restitution: None,
            accepted_penetration: None,
            bodies: Vec::new(),
            joints: Vec::new(),
            planes: has_floor.then_some(floor).into_iter().collect(),
            fixed: Vec::new(),
            contacts: None,
            joint_friction: Vec::new(),
            integrator: Integrator {
                method: Name::MoreauJean,
                step_size: 0.001,
                directions: None,
                tolerance: None,
                outer_iteration_limit: None,
                friction_law: None,
                error_reduction: None,
                implicitness: None,
            },
            experiment: toml::Table::new(),
            expected: Vec::new(),
            robot: Some(Robot { on_floor: has_floor, self_contacts: false, ..robot }),
        })
    }

    /// Reads the robot of a checked scenario and places it.
    pub(in crate::scenario) fn standing(&self) -> Result<Option<Standing>, Error> {
        let Some(robot) = &self.robot else { return Ok(None) };
        let gravity = vectors::vector3(&self.gravity);
        let imported = robot.import(gravity)?;
        let mut links = imported.system.links().to_vec();
        let pose = shape::pose(robot.position.as_ref(), robot.orientation);
        let floats = links.first().is_some_and(|root| robot.base(root) == Base::Floating);
        if let Some(root) = links.first_mut() {
            root.joint = match (floats, self.dimension) {
                (true, Space::Plane) => Joint::planar(),
                (true, Space::Space) => Joint::free(),
                (false, _) => Joint::fixed(),
            };
            if !floats {
                root.placement = pose;
            }
        }
        let moving = robot.velocity.is_some() || robot.angular_velocity.is_some();
        if moving && !floats {
            let expected = "no velocity of a base that is fixed, but `robot.velocities` of joints";
            refuse("robot.velocity", &robot.velocity, expected)?;
        }
        let system = Articulated::new(links.clone(), gravity)?;
        self.check_dimension(&system)?;
        let mut coordinates = system.neutral_coordinates();
        let mut velocity = vec![0.0; system.velocity_count()];
        if floats {
            let (place, turn) = (pose.translation.vector, pose.rotation);
            let (start, rate) = match self.dimension {
                Space::Plane => (vec![place.x, place.y, turn.angle() * turn.k.signum()], 3),
                Space::Space => {
                    (vec![place.x, place.y, place.z, turn.w, turn.i, turn.j, turn.k], 6)
                }
            };
            coordinates[..start.len()].copy_from_slice(&start);
            velocity[..rate].copy_from_slice(&self.rates(&robot.velocity, robot.angular_velocity));
        }
        keep_limits(&imported, &system, &mut coordinates);
        set_joints(&imported, &system, ("joints", &robot.joints), &mut coordinates)?;
        set_joints(&imported, &system, ("velocities", &robot.velocities), &mut velocity)?;
        check_limits(&imported, &system, &coordinates)?;
        let mut standing = Standing { imported, links, coordinates, velocity };
        if robot.on_floor {
            let lift = self.lift(&system, &standing)?;
            if floats {
                let count = self.dimension.vector_length();
                for (entry, lift) in standing.coordinates.iter_mut().take(count).zip(&lift) {
                    *entry += lift;
                }
            } else if let Some(root) = standing.links.first_mut() {
                root.placement.translation.vector += lift;
            }
        }
        Ok(Some(standing))
    }

    /// How far the robot has to be moved to touch the floor (m).
    fn lift(&self, system: &Articulated, standing: &Standing) -> Result<Vector3<f64>, Error> {
        let Some(floor) = self.floor() else { return Ok(Vector3::zeros()) };
        let normal = vectors::unit(vectors::vector3(&floor.normal).into());
        let surfaces = standing.surfaces(system, [0.0; 2])?;
        let mut colliders: Vec<_> = surfaces.into_iter().map(|surface| surface.collider).collect();
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
        // Farther than any position may be.
        let settings = Settings { proximity: 1e13 };
        let mut workspace = Workspace::default();
        let found = scene.contacts(system, &standing.coordinates, &settings, &mut workspace)?;
        let lowest = found.iter().map(|contact| contact.gap).fold(f64::INFINITY, f64::min);
        Ok(if lowest.is_finite() { -lowest * normal } else { Vector3::zeros() })
    }
}

impl Standing {
    /// Its links, the root with its base.
    pub(in crate::scenario) fn links(&self) -> &[Link] {
        &self.links
    }

    /// Where its links are at the start.
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

    /// The name of the joint that carries the link.
    pub(in crate::scenario) fn joint_of(&self, link: usize) -> Option<&str> {
        let joint = self.imported.joints.iter().find(|joint| joint.body == link)?;
        Some(&joint.name)
    }

    /// The surfaces of the links with these coefficients of friction and restitution; the links have the same numbers in
    /// `system`.
    pub(in crate::scenario) fn surfaces(
        &self,
        system: &dyn System,
        [friction, restitution]: [f64; 2],
    ) -> Result<Vec<Surface>, Error> {
        let collisions = &self.imported.collision;
        let surface = |(index, collision): (usize, &Collision)| {
            let owner = self.links[collision.body].name.clone();
            let own =
                collisions.iter().enumerate().filter(|(_, other)| other.body == collision.body);
            let (count, before) = (own.clone().count(), own.filter(|(k, _)| *k < index).count());
            let shape = collision.name.clone().unwrap_or_else(|| before.to_string());
            let name = if count == 1 { owner.clone() } else { format!("{owner}/{shape}") };
            let refused = |reason| Error::RobotShape { name: name.clone(), reason };
            let collider = collider(system, collision).map_err(refused)?;
            let collider = collider
                .with_friction(friction)
                .and_then(|collider| collider.with_restitution(restitution))
                .map_err(|source| Error::Surface { name: name.clone(), source })?;
            Ok(Surface { name, owner, collider })
        };
        collisions.iter().enumerate().map(surface).collect()
    }
}

/// Puts `numbers` where the joints of the robot have them in `all`: coordinates or velocities.
fn set_joints(
    imported: &Imported,
    system: &Articulated,
    (field, numbers): (&str, &BTreeMap<String, Numbers>),
    all: &mut [f64],
) -> Result<(), Error> {
    for (name, numbers) in numbers {
        let path = format!("robot.{field}.{name}");
        let Some(body) = imported.body_of_joint(name) else {
            let known: Vec<_> = imported.joints.iter().map(|joint| joint.name.as_str()).collect();
            return Err(Error::UnknownName { path, name: name.clone(), known: known.join(", ") });
        };
        let link = moving_link(system, body, name);
        let range = match field {
            "joints" => system.coordinates_of(link),
            _ => system.velocities_of(link),
        };
        let (found, expected) = (numbers.as_slice().len(), range.len());
        count(&path, found, found == expected, &expected.to_string())?;
        all[range].copy_from_slice(numbers.as_slice());
    }
    Ok(())
}

/// The link that has the coordinates of the joint `name` before `body`: its parent where the joint is planar and its axis
/// is not `z`.
fn moving_link(system: &Articulated, body: usize, name: &str) -> usize {
    let plane = system.parent(body).filter(|parent| {
        let frame = &system.links()[*parent].name;
        frame.strip_suffix(" (plane)") == Some(name)
    });
    plane.unwrap_or(body)
}

/// Moves joints whose zero lies outside of their limits to the nearer one.
fn keep_limits(imported: &Imported, system: &Articulated, coordinates: &mut [f64]) {
    for joint in &imported.joints {
        let limits = &system.links()[joint.body].joint.limits;
        let own = &mut coordinates[system.coordinates_of(joint.body)];
        for (value, [lower, upper]) in own.iter_mut().zip(limits) {
            *value = value.min(*upper).max(*lower);
        }
    }
}

/// Refuses a start outside of the limits of a joint.
fn check_limits(
    imported: &Imported,
    system: &Articulated,
    coordinates: &[f64],
) -> Result<(), Error> {
    for joint in &imported.joints {
        let limits = &system.links()[joint.body].joint.limits;
        for (&value, [lower, upper]) in
            coordinates[system.coordinates_of(joint.body)].iter().zip(limits)
        {
            if !(*lower..=*upper).contains(&value) {
                let (path, limits) = (format!("robot.joints.{}", joint.name), [*lower, *upper]);
                return Err(Error::OutsideLimits { path, value, limits });
            }
        }
    }
    Ok(())
}
