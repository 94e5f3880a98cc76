//! Import of robot descriptions in the Unified Robot Description Format (URDF): [`read_file`] and
//! [`read_str`] convert them to an [`Articulated`] system. Needs the feature `urdf`, which is on by default.
//!
//! | URDF | becomes |
//! | --- | --- |
//! | `link`, `inertial` | a [`Link`] with [`MassProperties`]; none if all of it is zero, as for empty frames |
//! | `revolute`, `continuous`, `prismatic`, `fixed` | the joint of the same kind |
//! | `floating`, `spherical` | [`JointKind::Free`], [`Spherical`](percussion_dynamics::JointKind::Spherical) |
//! | `planar` | [`JointKind::Planar`], in the plane perpendicular to its axis |
//! | `limit`: `lower`, `upper` | limits of the joint |
//! | `limit`: `effort` | [`JointName::effort`], the limit of a drive |
//! | `mimic` | a [`Follower`], a linear equation between two joints |
//! | `dynamics` | viscous damping and Coulomb friction of joints with one coordinate |
//! | `collision` | [`Collision`], plain data for a collision detector; for a mesh, its convex hull is the collision shape |
//! | everything else | a [`Warning`] or an [`Error`] |
//!
//! Nothing is ignored silently. Content without effect (graphics, bounds of forces, transmissions,
//! controllers, elements of simulators) is a [`Warning`] with its line, and so is every repair; [`summary`]
//! groups warnings with the same text. Content that cannot be correct (a negative mass, a joint that moves no
//! mass, a missing mesh, reversed limits, loops, two roots) is an [`Error`] that names the element.
//!
//! # Repairs
//!
//! The motion depends only on the sum of the inertias that fixed joints connect. Links with moments but
//! without mass, and links with physically impossible moments, become parts of a link to which they are
//! fixed; if they are fixed in the world, they have no effect. Impossible moments below `1e-12 m²` times the
//! mass (a radius of gyration of 1 µm) are treated as rounding errors and replaced by zero, and so is a
//! smallest moment that is negative by less than `1.5e-5` of the largest. A link that moves and whose largest
//! moment exceeds the sum of the others is accepted unchanged, because its kinetic energy is still positive.
//! A link with a negative moment is an error, which states what to add. A link that moves without inertia is
//! a massless frame if it carries mass. If it carries none, it is an error, or with
//! [`Settings::allow_massless`] its joint is locked at zero or at the nearer limit.
//!
//! The limits of a joint that mimics another are applied to that other joint, in its coordinate.
//!
//! Frames and units are those of URDF, SI with the rotation `R_z(yaw) R_y(pitch) R_x(roll)` of `rpy`, and the
//! frame of each body is that of its link. To keep this true, a planar joint whose axis is not `z` gets a
//! massless link before its own, named after the joint. If every joint and gravity stay in the x–y plane, the
//! system is [planar](percussion_dynamics::Dimension::Plane).
//!
//! # Source
//!
//! The format: <https://wiki.ros.org/urdf/XML>, read by the crate urdf-rs.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};
use percussion_dynamics::{Articulated, ArticulatedError, Joint, JointKind, Link, MassProperties};
use urdf_rs::JointType;

mod audit;
mod error;
mod inertia;
mod lines;
mod mimic;
mod shapes;
mod tree;
mod warning;

pub use error::Error;
pub use mimic::Follower;
pub use shapes::{Collision, Geometry};
pub(crate) use warning::PICTURE;
pub use warning::{Subject, Warning, summary};

use crate::xml;

/// Connection of the root link to the world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Base {
    /// Its frame is that of the world; the default.
    #[default]
    Fixed,
    /// It moves freely, with a position and a quaternion.
    Floating,
}

/// Settings of [`read_file`] and [`read_str`].
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Connection of the root link to the world; default [`Base::Fixed`].
    pub base: Base,
    /// Gravity (m/s², world axes); default `(0, 0, −9.81)`.
    pub gravity: Vector3<f64>,
    /// Whether joints that move no mass are accepted; default no.
    ///
    /// If they are accepted, they are locked at zero or at the nearer limit. Links without inertia that carry
    /// others with inertia are always massless frames; they are an error only if the mass matrix becomes
    /// singular.
    pub allow_massless: bool,
    /// Folders of the packages in `package://` addresses of meshes; default none. Packages without an entry
    /// are searched among and inside the folders above the description.
    pub packages: BTreeMap<String, PathBuf>,
    /// Whether collision shapes whose mesh has no file are accepted as [`Geometry::Missing`]; default no.
    pub allow_missing_meshes: bool,
    /// Folder to which relative addresses of meshes refer; the folders above it are searched next. Default
    /// that of the file, or the working directory for [`read_str`].
    pub directory: Option<PathBuf>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            base: Base::default(),
            gravity: Vector3::new(0.0, 0.0, -9.81),
            allow_massless: false,
            packages: BTreeMap::new(),
            allow_missing_meshes: false,
            directory: None,
        }
    }
}

/// The name of a joint and the body that it carries.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct JointName {
    /// Name in the description.
    pub name: String,
    /// Number of the body. Its coordinates are [`Articulated::coordinates_of`]`(body)`, except for a planar
    /// joint whose axis is not `z`: there they are those of the parent of the body.
    pub body: usize,
    /// Largest force or torque of its drive, `effort` (N, N·m); infinite where it is not given or 0.
    pub effort: f64,
}

/// A robot description as a system, with the data that is not part of the system.
#[derive(Debug)]
#[non_exhaustive]
pub struct Imported {
    /// Name of the robot.
    pub name: String,
    /// The links, with the names of the description.
    pub system: Articulated,
    /// The joints, in the order of the description.
    pub joints: Vec<JointName>,
    /// The joints that follow others, in the order of the description. They are not part of the system; a
    /// model needs their [constraints](Follower::constraint).
    pub followers: Vec<Follower>,
    /// Collision shapes, in the order of the description.
    pub collision: Vec<Collision>,
    /// The parts of the file that were ignored, filled in or repaired, in the order of their lines.
    pub warnings: Vec<Warning>,
}

impl Imported {
    /// The body that the joint `name` carries.
    #[must_use]
    pub fn body_of_joint(&self, name: &str) -> Option<usize> {
        self.joints.iter().find(|joint| joint.name == name).map(|joint| joint.body)
    }

    /// Sum of the masses of all links (kg).
    #[must_use]
    pub fn total_mass(&self) -> f64 {
        let masses = self.system.links().iter().filter_map(|link| link.mass_properties);
        masses.map(|properties| properties.mass()).sum()
    }
}

/// Reads the robot description in the file `path`.
///
/// # Errors
///
/// See [`Error`].
pub fn read_file(path: impl AsRef<Path>, settings: &Settings) -> Result<Imported, Error> {
    let path = path.as_ref();
    let text = fs::read_to_string(path)
        .map_err(|source| Error::File { path: path.to_path_buf(), source })?;
    let directory = settings.directory.clone().or_else(|| path.parent().map(Path::to_path_buf));
    read_str(&text, &Settings { directory, ..settings.clone() })
}

/// Reads the robot description in `text`.
///
/// # Errors
///
/// See [`Error`].
///
/// # Example
///
/// A pendulum: a rod of 2 kg and 1 m, with its center 0.5 m below the pin.
///
/// ```
/// use percussion_dynamics::System;
/// use percussion_mechanism::urdf;
///
/// let text = r#"<robot name="pendulum">
///   <link name="ceiling"/>
///   <link name="rod">
///     <inertial>
///       <origin xyz="0 0 -0.5"/> <mass value="2"/>
///       <inertia ixx="0.1667" iyy="0.1667" izz="0.001" ixy="0" ixz="0" iyz="0"/>
///     </inertial>
///   </link>
///   <joint name="pin" type="continuous">
///     <parent link="ceiling"/> <child link="rod"/> <axis xyz="0 1 0"/>
///   </joint>
/// </robot>"#;
/// let pendulum = urdf::read_str(text, &urdf::Settings::default())?;
/// assert_eq!((pendulum.total_mass(), pendulum.warnings.len()), (2.0, 0));
/// let mut mass_matrix = nalgebra::DMatrix::zeros(1, 1);
/// pendulum.system.mass_matrix(&[0.3], &mut mass_matrix);
/// assert!((mass_matrix[(0, 0)] - (0.1667 + 2.0 * 0.5 * 0.5)).abs() < 1e-15);
/// # Ok::<(), urdf::Error>(())
/// ```
pub fn read_str(text: &str, settings: &Settings) -> Result<Imported, Error> {
    read_with(text, settings, |_root| settings.base)
}

/// The same, but with the base chosen by the name of the root link instead of the settings.
pub(crate) fn read_with(
    text: &str,
    settings: &Settings,
    base: impl FnOnce(&str) -> Base,
) -> Result<Imported, Error> {
    let root = xml::parse(text)
        .map_err(|xml::Malformed { line, message }| Error::Xml { line, message })?;
    imported(&root, settings, base).map_err(|error| lines::located(&root, error))
}

/// The robot that the element `root` describes.
fn imported(
    root: &xml::Element,
    settings: &Settings,
    base: impl FnOnce(&str) -> Base,
) -> Result<Imported, Error> {
    let mut audit = audit::audit(root)?;
    let robot = urdf_rs::read_from_string(&audit.text)
        .map_err(|error| Error::Refused { message: error.to_string() })?;
    let carriers = tree::carriers(&robot)?;
    let root = robot.links.iter().zip(&carriers).find(|(_, carrier)| carrier.is_none());
    let base = base(root.map_or("", |(link, _)| link.name.as_str()));
    let settings = &Settings { base, ..settings.clone() };
    let inertia::Inertias { masses, held } =
        inertia::inertias(&robot, &carriers, settings, &mut audit)?;
    let held_links: BTreeSet<&str> = (robot.links.iter().zip(&held))
        .filter_map(|(link, held)| held.then_some(link.name.as_str()))
        .collect();
    let is_held = |joint: &urdf_rs::Joint| held_links.contains(joint.child.link.as_str());
    let followers = mimic::followers(&robot, is_held, &mut audit)?;
    let mut links = Vec::new();
    for ((link, carrier), mass) in robot.links.iter().zip(&carriers).zip(masses) {
        let mut own = carried(link, *carrier, settings.base, mass)?;
        if held_links.contains(link.name.as_str()) {
            own.iter_mut().for_each(hold);
        }
        links.extend(own);
    }
    mimic::hand_over_limits(&followers, &mut links)?;
    let system = Articulated::new(links, settings.gravity)?;
    let named = system.links().iter().enumerate();
    let numbers: BTreeMap<&str, usize> = named.map(|(i, link)| (link.name.as_str(), i)).collect();
    let body = |name: &str| {
        // Every link of the description is one of the system.
        numbers
            .get(name)
            .copied()
            .ok_or_else(|| ArticulatedError::UnknownLink { link: name.to_owned() })
    };
    let mut joints = Vec::new();
    for joint in &robot.joints {
        let effort = Some(joint.limit.effort.abs()).filter(|effort| *effort > 0.0);
        joints.push(JointName {
            name: joint.name.clone(),
            body: body(&joint.child.link)?,
            effort: effort.unwrap_or(f64::INFINITY),
        });
    }
    let mut collision = Vec::new();
    for link in &robot.links {
        for shape in shapes::collisions(link, body(&link.name)?, settings) {
            collision.push(shape?);
        }
    }
    let mut warnings = audit.warnings;
    warnings.sort_by_key(|warning| warning.line);
    Ok(Imported { name: robot.name, system, joints, followers, collision, warnings })
}

/// Fixes a link with its joint at zero, or at the limit nearest to zero.
fn hold(link: &mut Link) {
    let [lower, upper] = link.joint.limits.first().copied().unwrap_or([0.0; 2]);
    let value = 0.0_f64.min(upper).max(lower);
    let moved = match link.joint.kind {
        JointKind::Revolute { axis } => {
            let turn = UnitQuaternion::from_scaled_axis(axis.normalize() * value);
            Isometry3::from_parts(Translation3::identity(), turn)
        }
        JointKind::Prismatic { axis } => {
            Isometry3::from(Translation3::from(axis.normalize() * value))
        }
        _ => Isometry3::identity(),
    };
    link.placement *= moved;
    link.joint = Joint::fixed();
}

/// The link with its joint, preceded by the frame of a planar joint whose axis is not `z`.
fn carried(
    link: &urdf_rs::Link,
    carrier: Option<&urdf_rs::Joint>,
    base: Base,
    mass: Option<MassProperties>,
) -> Result<Vec<Link>, Error> {
    let with_mass = |joint| Link { mass_properties: mass, ..Link::new(&link.name, joint) };
    let Some(urdf) = carrier else {
        let joint = match base {
            Base::Fixed => Joint::fixed(),
            Base::Floating => Joint::free(),
        };
        return Ok(vec![with_mass(joint)]);
    };
    let axis = Vector3::from(urdf.axis.xyz.0);
    let has_axis =
        !matches!(urdf.joint_type, JointType::Fixed | JointType::Floating | JointType::Spherical);
    if has_axis && axis == Vector3::zeros() {
        return Err(Error::Axis { joint: urdf.name.clone() });
    }
    let joint = match urdf.joint_type {
        JointType::Fixed => Joint::fixed(),
        JointType::Floating => Joint::free(),
        JointType::Spherical => Joint::spherical(),
        JointType::Planar => Joint::planar(),
        JointType::Continuous => with_dynamics(Joint::revolute(axis), urdf)?,
        JointType::Revolute => with_limits(with_dynamics(Joint::revolute(axis), urdf)?, urdf)?,
        JointType::Prismatic => with_limits(with_dynamics(Joint::prismatic(axis), urdf)?, urdf)?,
    };
    let placement = isometry(&urdf.origin);
    let parent = urdf.parent.link.as_str();
    if urdf.joint_type != JointType::Planar
        || axis.xy() == nalgebra::Vector2::zeros() && axis.z > 0.0
    {
        return Ok(vec![with_mass(joint).on(parent).at(placement)]);
    }
    let turn = UnitQuaternion::rotation_between(&Vector3::z(), &axis)
        // Opposite to z: half a turn about x.
        .unwrap_or_else(|| UnitQuaternion::from_quaternion(Quaternion::new(0.0, 1.0, 0.0, 0.0)));
    let frame = format!("{} (plane)", urdf.name);
    let plane = Link::new(&frame, joint).on(parent).at(placement * turn);
    let back = Isometry3::from_parts(Translation3::identity(), turn.inverse());
    Ok(vec![plane, with_mass(Joint::fixed()).on(frame).at(back)])
}

fn with_dynamics(joint: Joint, urdf: &urdf_rs::Joint) -> Result<Joint, Error> {
    let Some(dynamics) = &urdf.dynamics else { return Ok(joint) };
    for (field, value) in [("damping", dynamics.damping), ("friction", dynamics.friction)] {
        if value < 0.0 {
            return Err(Error::Negative { joint: urdf.name.clone(), field, value });
        }
    }
    Ok(joint.with_damping(&[dynamics.damping]).with_friction(&[dynamics.friction]))
}

fn with_limits(joint: Joint, urdf: &urdf_rs::Joint) -> Result<Joint, Error> {
    let (lower, upper) = (urdf.limit.lower, urdf.limit.upper);
    if lower > upper {
        return Err(Error::Limits { joint: urdf.name.clone(), lower, upper });
    }
    Ok(joint.with_limits(&[[lower, upper]]))
}

fn isometry(pose: &urdf_rs::Pose) -> Isometry3<f64> {
    let [roll, pitch, yaw] = pose.rpy.0;
    Isometry3::from_parts(
        Translation3::from(Vector3::from(pose.xyz.0)),
        UnitQuaternion::from_euler_angles(roll, pitch, yaw),
    )
}
