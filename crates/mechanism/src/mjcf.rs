//! Import of models of MuJoCo in its format MJCF: [`read_file`] and [`read_str`] convert them to an
//! [`Articulated`] system. Needs the feature `mjcf`, which is on by default.
//!
//! | MJCF | becomes |
//! | --- | --- |
//! | `body`, `frame`, `worldbody` | a [`Link`](percussion_dynamics::Link) each, the first being the world; several roots may move |
//! | `joint` `free`, `ball`, `hinge`, `slide`, `freejoint` | the joint of the same kind; several joints of a body become a chain of massless links before it |
//! | `range`, `stiffness`, `springref`, `damping`, `armature`, `frictionloss`, `ref` | limits, spring, damper, [armature](percussion_dynamics::Joint::armature), dry friction; `ref` is the MJCF coordinate at which the coordinate here is zero |
//! | `inertial`, or the geoms with `mass` or `density` | mass, center of mass and moments |
//! | `geom` `plane`, `box`, `sphere`, `capsule`, `cylinder` | the same [`Shape`](percussion_collision::Shape) |
//! | `geom` `mesh` | its convex hull, as in MuJoCo |
//! | `geom` `ellipsoid` | the hull of points on it, which lies inside it by up to 2.5 % of its size |
//! | `contype`, `conaffinity`, `exclude`, `pair`, parents and children, `friction`, `condim`, `priority` | which geoms touch, and their sliding friction |
//! | `equality` `connect`, `weld`, `joint` and `tendon` (linear) | constraints |
//! | `keyframe` | coordinates, velocities and controls by name |
//! | `actuator` `motor`, `position`, `velocity`, `general` (fixed gain, affine bias) | [`ModelActuator`], on joints and fixed tendons |
//! | `tendon` `fixed` | sums of coordinates for actuators, with springs, dampers and limits |
//! | `range` of a ball joint | the largest angle of its rotation, a [`ModelLimit`] |
//! | `default` with classes, `childclass`, `compiler`, `include` | applied |
//! | `option` `gravity`, `timestep`, `flag` | [`Imported::gravity`], [`Imported::time_step`]; disabled features, if the flags disable them |
//! | everything else | a [`Warning`] or an [`Error`] |
//!
//! Nothing is ignored silently. Every attribute is listed in a table, as used or with the reason why it has
//! no effect, and everything else is a [`Warning`] with its file and line. Softness of contacts and limits
//! (`solref`, `solimp`, `margin`) has no meaning for rigid contact. Spatial tendons, sensors and fluids
//! are not modeled, and height fields do not touch; the motion is computed without them.
//!
//! Units and axes are those of MJCF, with the angles of `compiler` in degrees by default. Coordinates have
//! the order of MuJoCo, `qpos` minus `ref`. Velocities differ: here the angular velocity of a free or ball
//! joint is expressed in the axes of the joint frame, which for a free body are those of the world. MuJoCo
//! expresses it in axes that turn with the body.
//!
//! Files must be in the folder of the model or below it, or below [`Settings::root`]; other paths are errors.
//! A file that is included twice, entities, and nesting deeper than 200 elements are errors as well.
//!
//! # Source
//!
//! The format: <https://mujoco.readthedocs.io/en/stable/XMLreference.html>.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use nalgebra::Vector3;
use percussion_dynamics::{Articulated, gap::GapFunction};
use percussion_integrators::Actuator;

use crate::{
    urdf::{Collision, Warning},
    xml::Element,
};

mod actuators;
mod assets;
mod audit;
mod bodies;
mod build;
mod chain;
mod compiler;
mod contacts;
mod defaults;
mod equality;
mod error;
mod geoms;
mod include;
mod inertia;
mod numbers;
mod poses;
mod schema;
mod tendons;
#[cfg(test)]
mod tests;

pub use actuators::ModelActuator;
pub(crate) use equality::Tied;
pub use error::Error;

/// Settings of [`read_file`] and [`read_str`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// Folder to which paths of files are relative; default that of the model, or the working directory for [`read_str`].
    pub directory: Option<PathBuf>,
    /// Folder that no path may leave; default `directory`.
    pub root: Option<PathBuf>,
    /// Gravity that replaces that of the model (m/s², world axes).
    pub gravity: Option<Vector3<f64>>,
}

/// A joint of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelJoint {
    /// Its name, or `joint` with its number, counted from 0.
    pub name: String,
    /// Number of the link that has its coordinates.
    pub link: usize,
    /// Number of the link of the body that it carries.
    pub body: usize,
    /// The coordinate of MuJoCo at which the coordinate here is zero (rad or m).
    pub reference: f64,
    /// The range of the force that its actuators may have together with their gears (N, N·m); infinite where there is none.
    pub force_range: [f64; 2],
}

/// A limit that is not of one coordinate: of a ball joint or a fixed tendon.
#[derive(Clone, Debug)]
pub struct ModelLimit {
    /// The name of the joint or tendon, and which limit it is.
    pub name: String,
    /// The links that it concerns; of a tendon, those of its first and last joint.
    pub between: [String; 2],
    /// The unit of its gap: rad for a ball joint, m for a tendon.
    pub unit: &'static str,
    /// The distance to the limit, in the coordinates of the system.
    pub gap: Arc<dyn GapFunction>,
}

/// A model of MuJoCo as a system, with the data that is not part of the system.
#[derive(Debug)]
pub struct Imported {
    /// Name of the model.
    pub name: String,
    /// The bodies with their names, the world first, and the links between several joints of a body.
    pub system: Articulated,
    /// The joints in the order of MuJoCo.
    pub joints: Vec<ModelJoint>,
    /// Number of geoms, including those that touch nothing.
    pub geom_count: usize,
    /// The geoms that can touch something. Geoms that never move are on body 0, the world.
    pub collision: Vec<Collision>,
    /// The sliding friction of each of these geoms.
    pub friction: Vec<f64>,
    /// The pairs of geoms that may touch, with the friction of the pair.
    pub pairs: Vec<([usize; 2], f64)>,
    /// Initial coordinates of the model: `qpos0` in the coordinates of the system.
    pub start: Vec<f64>,
    /// Coordinates and velocities of the system by the names of keyframes.
    pub keyframes: BTreeMap<String, [Vec<f64>; 2]>,
    /// The controls of the actuators by the names of keyframes that have some.
    pub controls: BTreeMap<String, Vec<f64>>,
    /// The actuators in the order of MuJoCo.
    pub actuators: Vec<ModelActuator>,
    /// The limits of ball joints and of fixed tendons; those of hinges and slides are in the system.
    pub limits: Vec<ModelLimit>,
    /// Springs and dampers of fixed tendons, which act always.
    pub tendon_forces: Vec<Actuator>,
    /// Gravity (m/s²).
    pub gravity: Vector3<f64>,
    /// Step of the model (s).
    pub time_step: f64,
    /// The parts of the model that were ignored, filled in or repaired, with file and line.
    pub warnings: Vec<Warning>,
    pub(crate) ties: Vec<Tied>,
}

/// Reads the model in the file `path`.
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

/// Reads the model in `text`.
///
/// # Errors
///
/// See [`Error`].
///
/// # Example
///
/// A pendulum: a ball with a radius of 1 dm on a massless rod of 1 m: `M = m (l² + 2/5 r²)` with the mass `1000 · 4/3 π r³`.
///
/// ```
/// use percussion_dynamics::System;
/// use percussion_mechanism::mjcf;
///
/// let model = mjcf::read_str(r#"<mujoco model="pendulum"><worldbody>
///   <body name="bob" pos="0 0 2">
///     <joint name="pin" axis="0 1 0"/>
///     <geom type="sphere" size="0.1" pos="0 0 -1"/>
///   </body>
/// </worldbody></mujoco>"#, &mjcf::Settings::default())?;
/// let mass = 1000.0 * 4.0 / 3.0 * std::f64::consts::PI * 1e-3;
/// let mut matrix = nalgebra::DMatrix::zeros(1, 1);
/// model.system.mass_matrix(&[0.3], &mut matrix);
/// assert!((matrix[(0, 0)] - mass * (1.0 + 0.4 * 0.01)).abs() < 1e-12);
/// # Ok::<(), mjcf::Error>(())
/// ```
pub fn read_str(text: &str, settings: &Settings) -> Result<Imported, Error> {
    let folder = settings.directory.clone().unwrap_or_else(|| PathBuf::from("."));
    let files = include::Files::new(&folder, settings.root.as_deref());
    let root = include::expanded(text, &files)?;
    build::build(&root, &files, settings)
}

/// The position of an element as text.
fn place(element: &Element) -> String {
    match &element.file {
        Some(file) => format!("{file} line {}", element.line),
        None => format!("line {}", element.line),
    }
}

/// The name of an element in messages.
fn label(element: &Element) -> String {
    match element.attribute("name").or_else(|| element.attribute("class")) {
        Some(name) => format!("{} `{}`", error::short(&element.name), error::short(name)),
        None => error::short(&element.name),
    }
}
