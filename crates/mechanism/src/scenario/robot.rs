//! Robots of a [`Scenario`], from a description in URDF: [`Robot`], and the surfaces of their links.

use std::{collections::BTreeMap, path::PathBuf};

use serde::{Deserialize, Serialize};

use super::{AngularVelocity, Orientation, Plane, Scenario, vectors};
use crate::{
    Error,
    rules::{FRICTION, at_least_zero, finite, require},
};

#[cfg(feature = "urdf")]
mod description;
mod drive;
#[cfg(feature = "urdf")]
mod driving;
#[cfg(feature = "urdf")]
mod of_robot;
#[cfg(feature = "urdf")]
mod shapes;
#[cfg(feature = "urdf")]
mod standing;
mod surfaces;
#[cfg(not(feature = "urdf"))]
mod unread;

#[cfg(feature = "urdf")]
pub use description::Read;
pub(super) use drive::Drives;
pub use drive::{Drive, SERVO_FREQUENCY};
#[cfg(feature = "urdf")]
pub(crate) use shapes::collider;
#[cfg(feature = "urdf")]
pub(super) use standing::Standing;
pub(crate) use surfaces::without_neighbors;
#[cfg(not(feature = "urdf"))]
pub use unread::Read;
#[cfg(not(feature = "urdf"))]
pub(super) use unread::Standing;

/// A robot from a description in the Unified Robot Description Format (URDF), which
/// `percussion_mechanism::urdf` reads, with the feature `urdf`.
///
/// Links become bodies with the same names, and their collision shapes become surfaces; a mesh is replaced by
/// its convex hull. A joint that mimics another is coupled to it by a constraint. Links that a joint connects
/// do not touch, and links that are fixed in the world do not touch other fixed objects. Joint limits are
/// contacts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Robot {
    /// The file; a relative path is relative to the folder of the scenario file.
    pub urdf: PathBuf,
    /// Connection of the root link to the world; by default it floats, unless its name is `world`.
    pub base: Option<Base>,
    /// Position of the frame of the root link at the start (m); default zero.
    pub position: Option<Vec<f64>>,
    /// Orientation of the root link at the start; by default that of the world axes.
    pub orientation: Option<Orientation>,
    /// Velocity of the origin of a floating root link at the start (m/s, world axes); default zero.
    pub velocity: Option<Vec<f64>>,
    /// Angular velocity of a floating root link at the start (rad/s, world axes); default zero.
    pub angular_velocity: Option<AngularVelocity>,
    /// Coordinates of joints at the start, by the names of the joints (rad, m): a number, or a list for
    /// joints with several coordinates, in the order of [`percussion_dynamics::JointKind`]. Default zero, or
    /// the nearer limit if zero is outside the limits.
    #[serde(default)]
    pub joints: BTreeMap<String, Numbers>,
    /// Velocities of joints at the start, by the names of the joints (rad/s, m/s). Default zero.
    #[serde(default)]
    pub velocities: BTreeMap<String, Numbers>,
    /// Coulomb coefficient of its surfaces, at least 0; default that of the scenario.
    pub friction: Option<f64>,
    /// Coefficient of restitution of its surfaces, from 0 to 1; default that of the scenario.
    pub restitution: Option<f64>,
    /// Name of a keyframe in the file, with coordinates and velocities; those of `joints` and `velocities` override them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keyframe: Option<String>,
    /// Whether the robot is moved along the normal of the plane that faces most against gravity, until its
    /// lowest point touches that plane; default no.
    #[serde(default)]
    pub on_floor: bool,
    /// What drives its joints: `"limp"`, which is the default, `"hold"`, `"controls"` or a file of targets, see [`Drive`].
    #[serde(default, skip_serializing_if = "Drive::is_limp")]
    pub drive: Drive,
    /// Height of its lowest point above that plane (m), at least 0, default 0; only with `on_floor`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub height: Option<f64>,
    /// Whether links of the robot can touch each other if no joint connects them; default yes. Descriptions
    /// with overlapping shapes need no.
    #[serde(default = "yes")]
    pub self_contacts: bool,
    /// Whether joints that move no mass are accepted and locked; default no, which makes them an error.
    #[serde(default)]
    pub allow_massless: bool,
    /// Whether collision shapes that cannot be used, such as flat meshes, are omitted with a warning; default no.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub leave_out_shapes: bool,
    /// Folders of the packages in `package://` addresses of meshes.
    #[serde(default)]
    pub packages: BTreeMap<String, PathBuf>,
    /// The text of its description, for programs that have it in memory; the file then gives the format by its name and is
    /// not read.
    #[serde(skip)]
    pub text: Option<String>,
    /// Its description, if it has been read already; by default it is read when the scenario is built.
    #[serde(skip)]
    pub read: Read,
}

const fn yes() -> bool {
    true
}

/// Connection of the root link of a robot to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Base {
    /// It never moves.
    Fixed,
    /// It moves freely, in the plane or in space.
    Floating,
}

/// One number or several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected a number or a list of numbers")]
pub enum Numbers {
    /// For a joint with one coordinate.
    One(f64),
    /// For a joint with several coordinates.
    Many(Vec<f64>),
}

impl Numbers {
    fn as_slice(&self) -> &[f64] {
        match self {
            Self::One(number) => std::slice::from_ref(number),
            Self::Many(numbers) => numbers,
        }
    }
}

impl Robot {
    /// The robot in the file `urdf`, at rest at the position in its file.
    #[must_use]
    pub fn new(urdf: impl Into<PathBuf>) -> Self {
        Self {
            urdf: urdf.into(),
            base: None,
            position: None,
            orientation: None,
            velocity: None,
            angular_velocity: None,
            joints: BTreeMap::new(),
            velocities: BTreeMap::new(),
            friction: None,
            restitution: None,
            keyframe: None,
            on_floor: false,
            drive: Drive::Limp,
            height: None,
            self_contacts: true,
            allow_massless: false,
            leave_out_shapes: false,
            packages: BTreeMap::new(),
            text: None,
            read: Read::default(),
        }
    }
}

impl Robot {
    /// Whether the file is a model of MuJoCo (`*.xml`), which specifies the positions of its bodies itself.
    #[must_use]
    pub fn is_mjcf(&self) -> bool {
        self.urdf.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("xml"))
    }
}

impl Scenario {
    pub(super) fn check_robot(&self) -> Result<(), Error> {
        let Some(robot) = &self.robot else { return Ok(()) };
        if let Some(position) = &robot.position {
            self.check_vector("robot.position", position)?;
        }
        if let Some(orientation) = &robot.orientation {
            self.check_orientation("robot.orientation", orientation)?;
        }
        if let Some(velocity) = &robot.velocity {
            self.check_vector("robot.velocity", velocity)?;
        }
        self.check_angular_velocity("robot.angular_velocity", robot.angular_velocity)?;
        for (field, values) in [("joints", &robot.joints), ("velocities", &robot.velocities)] {
            for (name, numbers) in values {
                finite(&format!("robot.{field}.{name}"), numbers.as_slice())?;
            }
        }
        if let Some(friction) = robot.friction {
            at_least_zero("robot.friction", friction, FRICTION)?;
        }
        super::check::check_restitution("robot.restitution", robot.restitution)?;
        if let Some(height) = robot.height {
            at_least_zero("robot.height", height, "a finite number of at least 0 (m)")?;
            let expected = "nothing without `robot.on_floor`";
            require("robot.height", &height, expected, robot.on_floor)?;
        }
        let has_floor = !robot.on_floor || self.floor().is_some();
        let expected = "false, or a plane whose normal is against gravity";
        require("robot.on_floor", &robot.on_floor, expected, has_floor)
    }

    /// The plane whose normal is most opposite to gravity; without gravity the first plane.
    fn floor(&self) -> Option<&Plane> {
        let up = -vectors::vector3(&self.gravity);
        if up == nalgebra::Vector3::zeros() {
            return self.planes.first();
        }
        let against = |plane: &&Plane| {
            let normal: [f64; 3] = vectors::vector3(&plane.normal).into();
            vectors::unit(normal).dot(&up)
        };
        let floors = self.planes.iter().filter(|plane| against(plane) > 0.0);
        floors.max_by(|a, b| against(a).total_cmp(&against(b)))
    }
}
