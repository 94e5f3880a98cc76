//! The scenario file: bodies, planes, contacts, how to move them, and what to expect.
//!
//! A scenario is a TOML document; [`Scenario`] is its content. The format is stable: fields are added,
//! never renamed. Unknown fields are refused. Units are SI: m, kg, s, N, rad.
//!
//! | field | value |
//! | --- | --- |
//! | `name` | unique name, such as `stewart-trinkle/rod-on-table` |
//! | `title` | one line for people |
//! | `source` | where the parameters come from |
//! | `dimension` | `"plane"` (motion in x–y, vectors of 2 numbers) or `"space"` (vectors of 3) |
//! | `gravity` | acceleration vector (m/s²) |
//! | `duration` | time to simulate (s), positive |
//! | `friction` | default Coulomb coefficient of all contacts, at least 0 |
//! | `restitution` | default coefficient of restitution of all contacts, from 0 to 1, for impact laws |
//! | `accepted_penetration` | largest overlap at the start (m), by default `1e-9` of the [length](percussion_integrators::scales) of the model |
//! | `[[bodies]]` | see [`Body`]; their [shapes](Shape) are spheres, boxes, hulls, … |
//! | `[robot]` | a robot description (URDF), see [`Robot`] |
//! | `[[joints]]` | joints between bodies, see [`Joint`] |
//! | `[[planes]]` | fixed half-spaces (in the plane, half-planes), see [`Plane`] |
//! | `[[fixed]]` | other shapes that never move, see [`Fixed`] |
//! | `[[contacts]]` | see [`Contact`]; default: every body with everything else |
//! | `[[joint_friction]]` | friction of bounded torque that needs no contact, see [`JointFriction`] |
//! | `[integrator]` | see [`Integrator`] |
//! | `[experiment]` | what a published experiment needs beside the scenario; simulations do not read it |
//! | `[[expected]]` | figures to compare with, see [`Expected`] |
//!
//! # Contacts
//!
//! Where all shapes are spheres, discs and rods among planes, contacts are known before the motion. They are numbered in
//! the order listed. By default each body, in order, meets every plane and then each later body. A rod meets a plane at
//! both ends: first the end at `+length/2`.
//!
//! With any other shape, `shapes`, `[[fixed]]`, `[[joints]]` or `[robot]`, contacts are *found* on the way, by a
//! [`percussion_collision::Scene`], and named when they first take part, by what touches:
//! `box 1–floor (vertex 3, face 0)`, with the numbers of [`percussion_collision::Feature`]. A body that has several
//! shapes is named with the shape, `chair/leg 1–floor (…)`. Friction and restitution of a contact are the geometric
//! means of those of the two surfaces, each its own or the scenario's, unless `[[contacts]]` gives them for the pair; if
//! it is given, other pairs do not touch. What a joint connects does not touch. Limits of joints are contacts, too, and
//! known beforehand. The methods `"stewart-trinkle"`, `"impulse-velocity"` and `"moreau-jean"` find contacts.
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
use percussion_complementarity::friction::Law;
use percussion_integrators::schemes::Name;
use serde::{Deserialize, Serialize};

use crate::{Error, Expected, document};

mod bodies;
mod build;
mod check;
mod dampers;
mod found;
mod joints;
pub mod robot;
mod settings;
mod shape;
#[cfg(test)]
mod tests;
mod vectors;

pub use build::Setup;
pub use joints::{Joint, JointKind};
pub use robot::{Base, Robot};
pub use shape::{BodyShape, Fixed};

/// Largest accepted number of bodies, and of planes.
pub const BODY_LIMIT: usize = 256;

/// Largest accepted number of steps of one simulation, whose samples are all kept in memory.
pub const STEP_LIMIT: usize = 1_000_000;

/// A scenario, as written in its file; the [module head](self) describes the format.
///
/// Plain data: change a field and [`build`](Self::build) checks everything again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Unique name.
    pub name: String,
    /// One line for people.
    pub title: String,
    /// Where the parameters come from.
    pub source: String,
    /// Plane or space.
    pub dimension: Space,
    /// Acceleration of gravity (m/s², world axes).
    pub gravity: Vec<f64>,
    /// Time to simulate (s), positive.
    pub duration: f64,
    /// Coulomb coefficient of contacts that do not give their own.
    pub friction: Option<f64>,
    /// Coefficient of restitution of contacts that do not give their own. Only event-driven motion has impact laws to
    /// read it; the scheme of Stewart and Trinkle is inelastic.
    pub restitution: Option<f64>,
    /// Largest accepted overlap of two surfaces at the start (m); by default `1e-9` of the length of the model.
    pub accepted_penetration: Option<f64>,
    /// The bodies, at least one unless there is a robot.
    #[serde(default)]
    pub bodies: Vec<Body>,
    /// A robot from a file.
    pub robot: Option<Robot>,
    /// Joints between bodies, and of bodies to the world.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joints: Vec<Joint>,
    /// Fixed planes.
    #[serde(default)]
    pub planes: Vec<Plane>,
    /// Fixed shapes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fixed: Vec<Fixed>,
    /// Pairs that can touch; none for all pairs.
    pub contacts: Option<Vec<Contact>>,
    /// Frictions of bounded torque.
    #[serde(default)]
    pub joint_friction: Vec<JointFriction>,
    /// How it is moved.
    pub integrator: Integrator,
    /// What a published experiment with the scenario needs beside it; simulations do not read it.
    #[serde(default, skip_serializing_if = "toml::Table::is_empty")]
    pub experiment: toml::Table,
    /// Figures to compare with.
    #[serde(default)]
    pub expected: Vec<Expected>,
}

/// Where a scenario moves.
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
    /// Inertia about the center of mass in body axes (kg·m²); by default that of the homogeneous
    /// solid [`Shape`], or of all `shapes` together with the same density, overlaps counted twice.
    pub inertia: Option<Inertia>,
    /// Surface that touches; without one and without `shapes` the body touches nothing and needs an `inertia`.
    pub shape: Option<Shape>,
    /// Several surfaces, in place of `shape`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shapes: Vec<BodyShape>,
    /// Whether shapes are moved so that the center of mass of the homogeneous solid is that of the body; default no, and
    /// without an `inertia` a body whose shapes have it elsewhere is refused.
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
    /// That of a point.
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

/// A fixed plane, solid on the side its normal leaves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plane {
    /// Name, unique among bodies and planes.
    pub name: String,
    /// A point of it (m).
    pub point: Vec<f64>,
    /// Outward normal, of any length.
    pub normal: Vec<f64>,
    /// Direction of the first friction direction, of any length, default the world's `x` axis; its
    /// part in the plane counts. Without effect in the plane.
    pub tangent: Option<Vec<f64>>,
}

/// A pair that can touch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contact {
    /// Names of a body or a link of a robot, and of another or of what is fixed.
    pub between: [String; 2],
    /// Coulomb coefficient, at least 0; default the scenario's.
    pub friction: Option<f64>,
    /// Coefficient of restitution, from 0 to 1; default the scenario's.
    pub restitution: Option<f64>,
}

/// Friction of a bearing: a torque of at most `bound` against the turning of a body about an axis,
/// whatever the contact forces (section 3.5 of Stewart and Trinkle).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JointFriction {
    /// Name of the body.
    pub body: String,
    /// Axis that does not turn with the body (any length, world axes), in space; in the plane it is
    /// `z` and not given.
    pub axis: Option<[f64; 3]>,
    /// Largest torque (N·m), at least 0.
    pub bound: f64,
}

/// How a scenario is moved. Settings left out take the defaults of the method; those that only other methods have are
/// without effect.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Integrator {
    /// The method, by the name of the scheme. The variational one needs a start without penetration, whatever
    /// `accepted_penetration` is, and has Newton's law for its impacts.
    pub method: Name,
    /// Step size (s), positive; event-driven, the time between two samples of the motion.
    pub step_size: f64,
    /// Stewart and Trinkle, variational: friction directions of a contact in space, even and at least 4; in the plane there are 2.
    pub directions: Option<usize>,
    /// Stewart and Trinkle: largest accepted last change of a position in the outer loop (m, rad).
    pub tolerance: Option<f64>,
    /// Stewart and Trinkle: largest number of iterations of the outer loop, at least 1.
    pub outer_iteration_limit: Option<usize>,
    /// Impulse–velocity, Moreau–Jean: friction law, `"coulomb"` (default) or `"maximum-dissipation"`.
    pub friction_law: Option<Law>,
    /// Impulse–velocity: part of a penetration that a step removes, in `[0, 1]`.
    pub error_reduction: Option<f64>,
    /// Impulse–velocity, Moreau–Jean: largest relative natural-map residual of a solved step, positive; by default 1e-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solver_tolerance: Option<f64>,
    /// Moreau–Jean: `θ` in `[0, 1]`.
    pub implicitness: Option<f64>,
}

impl Scenario {
    /// Reads a scenario from TOML text and checks it.
    ///
    /// # Errors
    ///
    /// Every variant of [`Error`] that names a place in the file, and [`Error::TooLarge`].
    pub fn from_toml_str(text: &str) -> Result<Self, Error> {
        let scenario: Self = document::parse(text, "scenario")?;
        scenario.check()?;
        Ok(scenario)
    }

    /// Reads a scenario from a TOML file and checks it. The files of a robot are looked for beside it.
    ///
    /// # Errors
    ///
    /// [`Error::Read`] if it cannot be read, otherwise as [`from_toml_str`](Self::from_toml_str).
    pub fn from_path(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let mut scenario = Self::from_toml_str(&document::read(path)?)?;
        if let (Some(robot), Some(folder)) = (&mut scenario.robot, path.parent()) {
            robot.urdf = folder.join(&robot.urdf);
            if let robot::Drive::Targets(file) = &mut robot.drive {
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
        // A duration written as a multiple of the step is one, whatever the last digits say.
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
