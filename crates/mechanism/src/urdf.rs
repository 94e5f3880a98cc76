//! Import of robot descriptions in the Unified Robot Description Format (URDF): [`read_file`] and
//! [`read_str`] make an [`Articulated`] system of them. Needs the feature `urdf`, which is on by default.
//!
//! | URDF | becomes |
//! | --- | --- |
//! | `link`, `inertial` | a [`Link`] with [`MassProperties`]; none where all of it is zero, as of empty frames |
//! | `revolute`, `continuous`, `prismatic`, `fixed` | the joint of the same kind |
//! | `floating`, `spherical` | [`JointKind::Free`](percussion_dynamics::JointKind::Free), [`Spherical`](percussion_dynamics::JointKind::Spherical) |
//! | `planar` | [`JointKind::Planar`](percussion_dynamics::JointKind::Planar), in the plane perpendicular to its axis |
//! | `limit`: `lower`, `upper` | limits of the joint |
//! | `dynamics` | viscous damping and Coulomb friction of joints with one coordinate |
//! | `collision` | [`Collision`], plain data for a collision detector |
//! | everything else | a [`Warning`] or an [`Error`] |
//!
//! Nothing is dropped without a word: what has no effect (pictures, bounds of forces, transmissions,
//! controllers, elements of simulators) is a [`Warning`] with its line, and what cannot be right (a moving
//! link without inertia, a negative mass, a mesh that is not there, limits the wrong way round, loops, two
//! roots) is an [`Error`] that names the element. Joints that mimic others are refused.
//!
//! Frames and units are those of URDF, SI with the rotation `R_z(yaw) R_y(pitch) R_x(roll)` of `rpy`, and
//! the frame of each body is that of its link. A planar joint whose axis is not `z` gets a massless link
//! before its own, named after the joint, so that this stays true. If every joint moves in the x–y plane
//! and gravity does too, the system is [planar](percussion_dynamics::Dimension::Plane).
//!
//! # Source
//!
//! The format: <https://wiki.ros.org/urdf/XML>, read by the crate urdf-rs.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use nalgebra::{Isometry3, Matrix3, Quaternion, Translation3, UnitQuaternion, Vector3};
use percussion_dynamics::{Articulated, Joint, Link, MassProperties, articulated};
use urdf_rs::JointType;

mod audit;
mod document;
mod error;
mod shapes;
mod tree;
mod warning;

pub use error::Error;
pub use shapes::{Collision, Geometry};
pub use warning::{Subject, Warning};

/// How the root link is joined to the world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Base {
    /// Its frame is the frame of the world; the default.
    #[default]
    Fixed,
    /// It moves freely, with a position and a quaternion.
    Floating,
}

/// Settings of [`read_file`] and [`read_str`].
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// How the root link is joined to the world; default [`Base::Fixed`].
    pub base: Base,
    /// Gravity (m/s², world axes); default `(0, 0, −9.81)`.
    pub gravity: Vector3<f64>,
    /// Whether links that move may be without inertia; default no.
    ///
    /// With yes they are massless frames, and the system refuses only those that leave the mass matrix
    /// singular.
    pub allow_massless: bool,
    /// Folders of the packages that `package://` addresses of meshes name; default none. One that is not named is looked
    /// for among the folders above the description and in them.
    pub packages: BTreeMap<String, PathBuf>,
    /// Folder that relative addresses of meshes start from; default that of the file, or the working
    /// directory for [`read_str`].
    pub directory: Option<PathBuf>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            base: Base::default(),
            gravity: Vector3::new(0.0, 0.0, -9.81),
            allow_massless: false,
            packages: BTreeMap::new(),
            directory: None,
        }
    }
}

/// The name of a joint and the body that it carries.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct JointName {
    /// Name in the description.
    pub name: String,
    /// Number of the body; its coordinates are
    /// [`Articulated::coordinates_of`]`(body)`, but those of a planar joint whose axis is not `z` are of
    /// the parent of the body.
    pub body: usize,
}

/// A robot description as a system, with what the system cannot hold.
#[derive(Debug)]
#[non_exhaustive]
pub struct Imported {
    /// Name of the robot.
    pub name: String,
    /// The links, whose names are those of the description.
    pub system: Articulated,
    /// The joints, in the order of the description.
    pub joints: Vec<JointName>,
    /// Collision shapes, in the order of the description.
    pub collision: Vec<Collision>,
    /// What was ignored or filled in, in the order of the description.
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
/// A pendulum: a rod of 2 kg and 1 m whose middle is 0.5 m below the pin.
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
    let audit = audit::audit(&document::parse(text)?)?;
    let robot = urdf_rs::read_from_string(&audit.text)
        .map_err(|error| Error::Refused { message: error.to_string() })?;
    let carriers = tree::carriers(&robot)?;
    let with_inertial: BTreeSet<&str> = audit.with_inertial.iter().map(String::as_str).collect();
    let has_inertial = |name: &str| with_inertial.contains(name);
    let mut links = Vec::new();
    for (link, carrier) in robot.links.iter().zip(&carriers) {
        let moves = match carrier {
            Some(joint) => joint.joint_type != JointType::Fixed,
            None => settings.base == Base::Floating,
        };
        if moves && !settings.allow_massless && !rigid_group(&robot, &link.name).any(has_inertial) {
            return Err(Error::MissingInertia { link: link.name.clone() });
        }
        let mass = has_inertial(&link.name).then(|| mass_properties(link)).transpose()?;
        links.extend(carried(link, *carrier, settings.base, mass)?);
    }
    let system = Articulated::new(links, settings.gravity)?;
    let named = system.links().iter().enumerate();
    let numbers: BTreeMap<&str, usize> = named.map(|(i, link)| (link.name.as_str(), i)).collect();
    let body = |name: &str| {
        // Every link of the description is one of the system.
        numbers
            .get(name)
            .copied()
            .ok_or_else(|| articulated::Error::UnknownLink { link: name.to_owned() })
    };
    let mut joints = Vec::new();
    for joint in &robot.joints {
        joints.push(JointName { name: joint.name.clone(), body: body(&joint.child.link)? });
    }
    let mut collision = Vec::new();
    for link in &robot.links {
        for shape in shapes::collisions(link, body(&link.name)?, settings) {
            collision.push(shape?);
        }
    }
    Ok(Imported { name: robot.name, system, joints, collision, warnings: audit.warnings })
}

/// The link `root` and all links that fixed joints hang on it.
fn rigid_group<'a>(
    robot: &'a urdf_rs::Robot,
    root: &'a str,
) -> impl Iterator<Item = &'a str> + use<'a> {
    let mut group = vec![root];
    let mut next = 0;
    while next < group.len() {
        let fixed = robot.joints.iter().filter(|joint| joint.joint_type == JointType::Fixed);
        group.extend(
            fixed
                .filter(|joint| joint.parent.link == group[next])
                .map(|joint| joint.child.link.as_str())
                .collect::<Vec<_>>(),
        );
        next += 1;
    }
    group.into_iter()
}

fn mass_properties(link: &urdf_rs::Link) -> Result<MassProperties, Error> {
    let urdf_rs::Inertial { origin, mass, inertia: i } = &link.inertial;
    let tensor = Matrix3::new(i.ixx, i.ixy, i.ixz, i.ixy, i.iyy, i.iyz, i.ixz, i.iyz, i.izz);
    let placement = isometry(origin);
    MassProperties::new(mass.value, Vector3::zeros(), tensor)
        .map(|body| body.rotated(&placement.rotation).translated(&placement.translation.vector))
        .map_err(|source| Error::Inertia { link: link.name.clone(), source })
}

/// The link with its joint, and before it the frame of a planar joint that is not about `z`.
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
