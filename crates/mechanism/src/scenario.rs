//! The scenario file: bodies, planes, contacts, integration scheme, and expected figures.
//!
//! A scenario is a TOML document; [`Scenario`] is its content. The format is stable: fields are added, never
//! renamed. Unknown fields are errors. Units are SI: m, kg, s, N, rad.
//!
//! | field | value |
//! | --- | --- |
//! | `name` | unique name, such as `stewart-trinkle/rod-on-table` |
//! | `title` | title, one line |
//! | `source` | origin of the parameters |
//! | `dimension` | `"plane"` (motion in x–y, vectors of 2 numbers) or `"space"` (vectors of 3) |
//! | `gravity` | acceleration vector (m/s²) |
//! | `duration` | time to simulate (s), positive |
//! | `friction` | default Coulomb coefficient of all contacts, at least 0 |
//! | `restitution` | default coefficient of restitution of all contacts, from 0 to 1, for impact laws |
//! | `accepted_penetration` | largest overlap at the start (m), by default `1e-9` of the [length](percussion_integrators::Scales) of the model |
//! | `[[bodies]]` | see [`Body`]; their [shapes](Shape) are spheres, boxes, hulls, … |
//! | `[robot]` | a robot description (URDF), see [`Robot`] |
//! | `[[joints]]` | joints between bodies, see [`Joint`] |
//! | `[[planes]]` | fixed half-spaces (in the plane, half-planes), see [`Plane`] |
//! | `[[fixed]]` | other shapes that never move, see [`Fixed`] |
//! | `[[contacts]]` | see [`Contact`]; default: every body with every other body and every fixed object |
//! | `[[joint_friction]]` | friction of bounded torque that needs no contact, see [`JointFriction`] |
//! | `[integrator]` | see [`Integrator`] |
//! | `[experiment]` | additional data of a published experiment; simulations do not read it |
//! | `[[expected]]` | figures to compare with, see [`Expected`] |
//!
//! # Contacts
//!
//! If all shapes are spheres, discs, and rods with planes, the contacts are known before the motion. They are
//! numbered in the order of the list. By default each body, in order, has contacts with every plane and then
//! with each later body. A rod has two contacts with a plane, one at each end; the first is the end at
//! `+length/2`.
//!
//! With any other shape, or with `shapes`, `[[fixed]]`, `[[joints]]` or `[robot]`, contacts are *found*
//! during the motion by a [`percussion_collision::Scene`]. A contact gets its name from the features that
//! touch when it first takes part, such as `box 1–floor (vertex 3, face 0)`, with the numbers of
//! [`percussion_collision::Feature`]. For a body with several shapes the name includes the shape,
//! `chair/leg 1–floor (…)`. Friction and restitution of a contact are the geometric means of those of the two
//! surfaces, each its own or that of the scenario, unless `[[contacts]]` gives them for the pair. If
//! `[[contacts]]` is given, other pairs do not touch. Bodies that a joint connects do not touch. Joint limits
//! are contacts too, and known beforehand. The methods `"stewart-trinkle"`, `"impulse-velocity"` and
//! `"moreau-jean"` can find contacts.
//!
//! # Example
//!
//! ```
//! use percussion_mechanism::scenario::Scenario;
//!
//! let scenario = Scenario::from_toml_str(r#"
//!     name = "drop"
//!     title = "A ball dropped on the floor"
//!     source = "first year mechanics"
//!     dimension = "space"
//!     gravity = [0.0, 0.0, -10.0]
//!     duration = 0.5
//!     friction = 0.3
//!
//!     [[bodies]]
//!     name = "ball"
//!     mass = 2.0
//!     shape.sphere.radius = 0.1    # the inertia of a solid sphere follows
//!     position = [0.0, 0.0, 1.0]
//!
//!     [[planes]]
//!     name = "floor"
//!     point = [0.0, 0.0, 0.0]
//!     normal = [0.0, 0.0, 1.0]
//!
//!     [integrator]
//!     method = "stewart-trinkle"
//!     step_size = 0.01
//! "#)?;
//! assert_eq!(scenario.bodies[0].name, "ball");
//! # Ok::<(), percussion_mechanism::Error>(())
//! ```

use std::path::Path;

use nalgebra::Matrix3;
use percussion_collision::Shape;
use percussion_complementarity::friction::{Law, mixed::Section};
use percussion_integrators::schemes::Name;
use serde::{Deserialize, Serialize};

use crate::{Error, Expected, document};

mod bodies;
mod build;
mod check;
mod cones;
mod dampers;
mod found;
mod joints;
mod mesh;
mod robot;
mod settings;
mod shape;
#[cfg(test)]
mod tests;
mod vectors;

pub use build::Setup;
pub use joints::{Joint, JointKind};
pub use mesh::MeshFile;
pub use robot::{Base, Drive, Numbers, Read, Robot, SERVO_FREQUENCY};
pub use shape::{BodyShape, Fixed};

/// Maximum number of bodies, and of planes.
pub const BODY_LIMIT: usize = 1024;

/// Maximum number of steps of one simulation; all samples are kept in memory.
pub const STEP_LIMIT: usize = 1_000_000;

/// A scenario, as written in its file; the [module head](self) describes the format.
///
/// Plain data: change a field and [`build`](Self::build) checks everything again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Unique name.
    pub name: String,
    /// Title, one line.
    pub title: String,
    /// Origin of the parameters.
    pub source: String,
    /// Plane or space.
    pub dimension: Space,
    /// Acceleration of gravity (m/s², world axes).
    pub gravity: Vec<f64>,
    /// Time to simulate (s), positive.
    pub duration: f64,
    /// Coulomb coefficient of contacts that do not give their own.
    pub friction: Option<f64>,
    /// Coefficient of restitution of contacts that do not give their own. Only the impact laws of
    /// event-driven motion use it; the scheme of Stewart and Trinkle is inelastic.
    pub restitution: Option<f64>,
    /// Largest accepted overlap of two surfaces at the start (m); by default `1e-9` of the length of the model.
    pub accepted_penetration: Option<f64>,
    /// The bodies, at least one unless there is a robot.
    #[serde(default)]
    pub bodies: Vec<Body>,
    /// A robot from a file.
    pub robot: Option<Robot>,
    /// Joints between bodies, and between bodies and the world.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joints: Vec<Joint>,
    /// Fixed planes.
    #[serde(default)]
    pub planes: Vec<Plane>,
    /// Fixed shapes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fixed: Vec<Fixed>,
    /// Pairs that can touch; by default all pairs.
    pub contacts: Option<Vec<Contact>>,
    /// Friction of bearings, with bounded torque.
    #[serde(default)]
    pub joint_friction: Vec<JointFriction>,
    /// The integration scheme.
    pub integrator: Integrator,
    /// Additional data of a published experiment with the scenario; simulations do not read it.
    #[serde(default, skip_serializing_if = "toml::Table::is_empty")]
    pub experiment: toml::Table,
    /// Figures to compare with.
    #[serde(default)]
    pub expected: Vec<Expected>,
}

/// The space in which a scenario moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Space {
    /// In the x–y plane; vectors have 2 entries, angular velocities are numbers about `z`.
    #[default]
    Plane,
    /// In space; vectors have 3 entries.
    Space,
}

impl Space {
    /// Number of entries of a vector: 2 or 3.
    #[must_use]
    pub const fn vector_length(self) -> usize {
        match self {
            Self::Plane => 2,
            Self::Space => 3,
        }
    }
}

/// One rigid body; its position is that of its center of mass.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// Name, unique among bodies and planes.
    pub name: String,
    /// Mass (kg), positive.
    pub mass: f64,
    /// Inertia about the center of mass in body axes (kg·m²); by default that of the homogeneous solid
    /// [`Shape`], or of all `shapes` together with the same density, where overlaps count twice.
    pub inertia: Option<Inertia>,
    /// Surface that touches; without one and without `shapes` the body touches nothing and needs an `inertia`.
    pub shape: Option<Shape>,
    /// A file whose convex hull is the surface, instead of `shape`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mesh: Option<MeshFile>,
    /// Several surfaces, instead of `shape`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shapes: Vec<BodyShape>,
    /// Whether shapes are moved so that the center of mass of the homogeneous solid is that of the body;
    /// default no. Without this, and without an `inertia`, shapes with another center of mass are an error.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub recenter: bool,
    /// Position of the center of mass (m, world).
    pub position: Vec<f64>,
    /// Orientation, by default that of the world axes.
    pub orientation: Option<Orientation>,
    /// Velocity of the center of mass (m/s, world axes); default zero.
    pub velocity: Option<Vec<f64>>,
    /// Angular velocity (rad/s, world axes); default zero.
    pub angular_velocity: Option<AngularVelocity>,
}

/// An inertia (kg·m²).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected one number, three numbers or a 3 × 3 array (kg·m²)")]
pub enum Inertia {
    /// In the plane the moment about `z`; in space the same moment about every axis.
    Scalar(f64),
    /// Principal moments about the body axes; in space only.
    Diagonal([f64; 3]),
    /// The symmetric tensor in body axes, by rows; in space only.
    Tensor([[f64; 3]; 3]),
}

impl Default for Inertia {
    /// The inertia of a point, zero.
    fn default() -> Self {
        Self::Scalar(0.0)
    }
}

impl Inertia {
    /// The tensor in body axes; in the plane only the moment about `z` counts.
    #[must_use]
    pub fn tensor(&self) -> Matrix3<f64> {
        match *self {
            Self::Scalar(moment) => Matrix3::from_diagonal_element(moment),
            Self::Diagonal(moments) => Matrix3::from_diagonal(&moments.into()),
            Self::Tensor(rows) => Matrix3::from_fn(|i, j| rows[i][j]),
        }
    }
}

/// An orientation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "expected an angle (rad), { axis = [x, y, z], angle = rad } or { quaternion = [w, x, y, z] }"
)]
pub enum Orientation {
    /// Angle about `z` (rad), in the plane.
    Angle(f64),
    /// Turn about an axis (any length), in space.
    AxisAngle {
        /// The axis, world axes, not zero.
        axis: [f64; 3],
        /// The angle (rad), right-handed about the axis.
        angle: f64,
    },
    /// Unit quaternion from body to world axes, `w` first, norm 1 within `1e-6`, in space.
    Quaternion {
        /// `(w, x, y, z)`.
        quaternion: [f64; 4],
    },
}

/// An angular velocity (rad/s).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected a number in the plane, three numbers in space (rad/s)")]
pub enum AngularVelocity {
    /// About `z`, in the plane.
    Scalar(f64),
    /// In world axes, in space.
    Vector([f64; 3]),
}

/// A fixed plane; the solid is on the side opposite to its normal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plane {
    /// Name, unique among bodies and planes.
    pub name: String,
    /// A point on the plane (m).
    pub point: Vec<f64>,
    /// Outward normal, of any length.
    pub normal: Vec<f64>,
    /// Direction of the first friction direction, of any length; only its part in the plane counts; default
    /// the world's `x` axis. It has no effect in two dimensions.
    pub tangent: Option<Vec<f64>>,
}

/// A pair that can touch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contact {
    /// Names of two partners: a body or a link of a robot, and another one or a fixed object.
    pub between: [String; 2],
    /// Coulomb coefficient, at least 0; default that of the scenario.
    pub friction: Option<f64>,
    /// Coefficient of restitution, from 0 to 1; default that of the scenario.
    pub restitution: Option<f64>,
    /// Section of a friction cone that is not round, in place of a coefficient, such as `{ ellipse = [0.9, 0.1] }`,
    /// `{ polygon = [[0.5, 0], [0, 0.1], [-0.5, 0], [0, -0.1]] }`, `{ spin = [0.5, 0.5, 0.01] }` and
    /// `{ rolling = [0.5, 0.01, 0.002] }`; in space, with the methods impulse-velocity and moreau-jean, and without moments stewart-trinkle. Half axes of moments are in m.
    pub section: Option<Section>,
    /// Direction of the first tangent of the section, in the frame of the first partner (any length). Required where the section is
    /// not the same in all directions.
    pub along: Option<[f64; 3]>,
}

/// Friction of a bearing: a torque of at most `bound` against the rotation of a body about an axis,
/// independent of the contact forces (section 3.5 of Stewart and Trinkle).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JointFriction {
    /// Name of the body.
    pub body: String,
    /// Axis that does not turn with the body (any length, world axes). Required in space; in the plane it is
    /// `z` and must not be given.
    pub axis: Option<[f64; 3]>,
    /// Largest torque (N·m), at least 0.
    pub bound: f64,
}

/// The integration scheme of a scenario. Omitted settings take the defaults of the method; settings of other
/// methods have no effect.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Integrator {
    /// The method, by the name of the scheme. The variational integrator requires a start without
    /// penetration, whatever `accepted_penetration` is, and uses Newton's law for its impacts.
    pub method: Name,
    /// Step size (s), positive; for event-driven motion, the time between two samples.
    pub step_size: f64,
    /// Stewart and Trinkle, variational: friction directions of a contact in space, even and at least 4; in the plane there are 2.
    pub directions: Option<usize>,
    /// Stewart and Trinkle: largest accepted last change of a position in the outer loop (m, rad).
    pub tolerance: Option<f64>,
    /// Stewart and Trinkle: maximum number of iterations of the outer loop, at least 1.
    pub outer_iteration_limit: Option<usize>,
    /// Impulse–velocity, Moreau–Jean: friction law, `"coulomb"` (default) or `"maximum-dissipation"`.
    pub friction_law: Option<Law>,
    /// Impulse–velocity: fraction of a penetration that a step removes, in `[0, 1]`.
    pub error_reduction: Option<f64>,
    /// Impulse–velocity, Moreau–Jean: largest relative natural-map residual of a solved step, positive; by default 1e-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solver_tolerance: Option<f64>,
    /// Moreau–Jean: `θ` in `[0, 1]`.
    pub implicitness: Option<f64>,
    /// Impulse–velocity, Moreau–Jean: whether steps end with a projection of the coordinates onto the equations of
    /// loops, and of joints that exceed a limit onto it; by default not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub projection: Option<bool>,
    /// Event-driven: whether an impact to which the law has no answer is inelastic; by default the motion ends there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inelastic_fallback: Option<bool>,
}

impl Scenario {
    /// Reads a scenario from TOML text and checks it. The paths of meshes are relative to the working directory.
    ///
    /// # Errors
    ///
    /// Every variant of [`Error`] that names a place in the file, and [`Error::TooLarge`].
    pub fn from_toml_str(text: &str) -> Result<Self, Error> {
        Self::read(text, Path::new(""))
    }

    /// The scenario of `text`, with the meshes in files relative to `folder`.
    fn read(text: &str, folder: &Path) -> Result<Self, Error> {
        let mut scenario: Self = document::parse(text, "scenario")?;
        let checked = scenario.read_meshes(folder).and_then(|()| scenario.check());
        checked.map_err(|error| document::located(text, error))?;
        Ok(scenario)
    }

    /// Reads a scenario from a TOML file and checks it. The paths of meshes and of the files of a robot are relative to its
    /// folder.
    ///
    /// # Errors
    ///
    /// [`Error::Read`] if it cannot be read, otherwise as [`from_toml_str`](Self::from_toml_str).
    pub fn from_path(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut scenario = Self::read(&document::read(path)?, folder)?;
        if let Some(robot) = &mut scenario.robot {
            robot.urdf = folder.join(&robot.urdf);
            if let Drive::Targets(file) = &mut robot.drive {
                *file = folder.join(&*file);
            }
        }
        Ok(scenario)
    }

    /// The expected figure for `quantity`, if there is one.
    #[must_use]
    pub fn expectation(&self, quantity: &str) -> Option<&Expected> {
        self.expected.iter().find(|expected| expected.quantity == quantity)
    }

    /// Number of steps of the simulation: enough to reach `duration`.
    #[must_use]
    pub fn step_count(&self) -> usize {
        let steps = self.duration / self.integrator.step_size;
        // A duration that is a multiple of the step up to rounding counts as one.
        let steps = (steps * (1.0 - 4.0 * f64::EPSILON)).ceil();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the conversion saturates, and checked scenarios have few steps"
        )]
        let count = steps as usize;
        count
    }

    /// The same scenario with another step size (s).
    #[must_use]
    pub fn with_step_size(&self, step_size: f64) -> Self {
        let mut scenario = self.clone();
        scenario.integrator.step_size = step_size;
        scenario
    }
}
