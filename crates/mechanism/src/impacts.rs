//! Impacts from TOML files: [`ImpactScenario`].
//!
//! An impact is a mechanism at one instant: bodies, their joints, their contacts, and the velocity before the
//! impact. [`ImpactScenario::build`] turns it into an [`Impact`], whose [`Problem`] every law of
//! `percussion-impact` can resolve. A [scenario](crate::scenario) also describes an impact: that of the
//! contacts that touch [at its start](crate::scenario::Setup::impact). [`Impact::from_path`] reads either
//! file.
//!
//! # Format
//!
//! Unknown fields are errors. Units are SI, angles in radians about `z`. Vectors have two entries in the
//! plane and three in space.
//!
//! | field | value |
//! | --- | --- |
//! | `name`, `title`, `source` | unique name, title of one line, origin of the parameters |
//! | `dimension` | `"plane"` (default) or `"space"` |
//! | `[[bodies]]` | links of a tree of joints, see [`Body`] |
//! | `[[planes]]` | fixed half-planes, in space half-spaces, see [`Plane`] |
//! | `[[contacts]]` | contacts, see [`Contact`] |
//! | `[set_valued]` | settings of the sampled set of outcomes, see [`set_valued::Settings`] |
//! | `[compliant]` | settings of compliant contacts, see [`compliant::Settings`] |
//! | `[[expected]]` | figures to compare with, see [`Expected`] |
//!
//! Velocities are numbered body by body, and contacts in the order of the list. Each contact has a normal
//! that points out of `on`. In the plane the tangent is the normal turned by −90°, which is `x` over a floor.
//! In space the first tangent is the part of `x` along a plane, and the second one completes the right-handed
//! frame.
//!
//! # Example
//!
//! A rod of 1 m and 1 kg lies just above a floor and falls at 1 m/s on its left end. The inverse effective
//! mass of this end is `1/m + (l/2)²/I = 4 kg⁻¹`, so an impulse of 0.25 N·s stops it.
//!
//! ```
//! use percussion_impact::{Law, anitescu_potra::AnitescuPotra};
//! use percussion_mechanism::impacts::ImpactScenario;
//!
//! let impact = ImpactScenario::from_toml_str(r#"
//!     name = "rod"
//!     title = "A rod falls on one end"
//!     source = "first year mechanics"
//!
//!     [[bodies]]
//!     name = "rod"
//!     mass = 1.0
//!     inertia = 0.083333333333333333
//!     velocity = [0.0, -1.0, 0.0]
//!
//!     [[planes]]
//!     name = "floor"
//!     point = [0.0, 0.0]
//!     normal = [0.0, 1.0]
//!
//!     [[contacts]]
//!     name = "left end"
//!     disc = { body = "rod", center = [-0.5, 0.0] }
//!     on.plane = "floor"
//!     friction = 0.3
//! "#)?.build()?;
//!
//! let outcome = AnitescuPotra::default().resolve(&impact.problem)?;
//! assert!((outcome.impulses[0].normal - 0.25).abs() < 1e-12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::{path::Path, sync::Arc};

use nalgebra::Vector3;
use percussion_dynamics::{ContactFrame, JointKind};
use percussion_impact::{Problem, set_valued};
use serde::{Deserialize, Serialize};

use crate::{
    Error, Expected, document,
    mechanism::Mechanism,
    scenario::{Inertia, Plane, Scenario, Space},
};

mod build;
mod check;
pub mod compliant;
mod kind;
mod of_scenario;
mod problem;
#[cfg(test)]
mod tests;

pub(crate) use build::GapsAndNormals;
pub use kind::Kind;

/// An impact as written in its file; the [module head](self) describes the format.
///
/// Plain data: change a field and [`build`](Self::build) checks everything again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImpactScenario {
    /// Unique name.
    pub name: String,
    /// Title, one line.
    pub title: String,
    /// Origin of the parameters.
    pub source: String,
    /// Plane or space.
    #[serde(default)]
    pub dimension: Space,
    /// The bodies, at least one.
    pub bodies: Vec<Body>,
    /// Fixed planes.
    #[serde(default)]
    pub planes: Vec<Plane>,
    /// The contacts.
    #[serde(default)]
    pub contacts: Vec<Contact>,
    /// Settings of the sampled set of outcomes.
    #[serde(default)]
    pub set_valued: set_valued::Settings,
    /// Settings of compliant contacts, for comparison with them.
    #[serde(default)]
    pub compliant: compliant::Settings,
    /// Figures to compare with.
    #[serde(default)]
    pub expected: Vec<Expected>,
}

/// A body and the joint that carries it. A body without mass is a frame that only carries others.
///
/// # Example
///
/// A pendulum: a point mass of 2 kg on a massless arm of 3 m, turned by 0.1 rad about its pin.
///
/// ```toml
/// [[bodies]]
/// name = "arm"
/// joint = "revolute"
/// mass = 2.0
/// center_of_mass = [0.0, -3.0]
/// coordinates = [0.1]
/// velocity = [-0.5]
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// Name, unique among bodies and planes.
    pub name: String,
    /// Name of the body that carries this one, if not the world.
    pub on: Option<String>,
    /// Motion relative to that body; default planar.
    #[serde(default)]
    pub joint: Joint,
    /// Origin of the joint in the frame of the body that carries this one (m); default its origin.
    #[serde(default, deserialize_with = "vector")]
    pub placement: [f64; 3],
    /// Mass (kg), positive, if it has any.
    pub mass: Option<f64>,
    /// Inertia about the center of mass in the axes of the body (kg·m²), at least 0; default 0, a point. In
    /// the plane one number.
    #[serde(default)]
    pub inertia: Inertia,
    /// Center of mass in the frame of the body (m); default its origin.
    #[serde(default, deserialize_with = "vector")]
    pub center_of_mass: [f64; 3],
    /// Coordinates of the joint, as [`Joint`] lists them (m, rad); default zero.
    pub coordinates: Option<Vec<f64>>,
    /// Their rates before the impact (m/s, rad/s); default zero.
    pub velocity: Option<Vec<f64>>,
    /// Corners of the drawn body, in its frame (m); default the hull of its joints and contacts.
    pub outline: Option<Vec<[f64; 2]>>,
}

/// Motion of a body relative to the one that carries it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Joint {
    /// Free motion in the plane: `x`, `y` (m) and the angle (rad).
    #[default]
    Planar,
    /// Rotation about the origin of the joint: the angle (rad).
    Revolute,
    /// Translation along the `x` axis of the carrier (m).
    SlideX,
    /// Translation along the `y` axis of the carrier (m).
    SlideY,
    /// No motion.
    Fixed,
    /// Free motion in space: position (m) and unit quaternion `w, x, y, z` as coordinates; velocity of the
    /// origin (m/s) and angular velocity (rad/s), along the axes of the carrier.
    Free,
}

/// A disc, or a corner, that touches a plane or another disc; in space a sphere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contact {
    /// Name, unique among contacts.
    pub name: String,
    /// The disc that touches; in files also `sphere`.
    #[serde(alias = "sphere")]
    pub disc: Disc,
    /// The partner that it touches; the normal points from the partner to the disc.
    pub on: Partner,
    /// Coulomb coefficient, at least 0.
    pub friction: f64,
    /// Coefficient of restitution, in `[0, 1]`; default 0.
    #[serde(default)]
    pub restitution: f64,
    /// Direction of the tangential velocity (any length, world axes), if not the normal turned by −90°; in
    /// the plane only.
    ///
    /// For comparison with other conventions: a tangent that is not orthogonal to the normal is used as
    /// given.
    pub tangent: Option<[f64; 2]>,
}

/// A disc on a body; in space a sphere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Disc {
    /// Name of the body.
    pub body: String,
    /// Its center in the frame of the body (m); default the origin.
    #[serde(default, deserialize_with = "vector")]
    pub center: [f64; 3],
    /// Its radius (m), at least 0; default 0, a corner.
    #[serde(default)]
    pub radius: f64,
}

/// The partner of a disc in a contact.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Partner {
    /// The plane of this name.
    Plane(String),
    /// A disc on another body; in files also `sphere`.
    #[serde(alias = "sphere")]
    Disc(Disc),
}

/// An impact ready for any law: a mechanism and its contacts.
///
/// Laws, compliant contacts and pages all use it, so that nothing is built twice.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Impact {
    /// Unique name.
    pub name: String,
    /// Title, one line.
    pub title: String,
    /// Mass matrix, velocity before and contacts.
    pub problem: Problem,
    /// A name and a unit for each velocity, such as `block y` in m/s.
    pub velocities: Vec<VelocityLabel>,
    /// A name for each contact.
    pub contacts: Vec<String>,
    /// Default settings of the sampled set of outcomes.
    pub set_valued: set_valued::Settings,
    /// Default settings of compliant contacts.
    pub compliant: compliant::Settings,
    /// The bodies at the instant before the impact.
    pub mechanism: Mechanism,
    /// Position and axes of each contact; `None` for a contact that is not at a point.
    pub(crate) places: Vec<Option<(Vector3<f64>, ContactFrame)>>,
    pub(crate) origin: Origin,
}

/// The file that an impact was built from.
#[derive(Clone, Debug)]
pub(crate) enum Origin {
    Impact(Arc<ImpactScenario>),
    Scenario(Arc<Scenario>),
}

/// Name and unit of one velocity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct VelocityLabel {
    /// Name, such as `block y`.
    pub name: String,
    /// Unit, m/s or rad/s.
    pub unit: &'static str,
}

/// Names and units of the velocities of the bodies.
fn labels(mechanism: &Mechanism) -> Vec<VelocityLabel> {
    let mut labels = Vec::new();
    for part in &mechanism.parts {
        labels.extend(velocities(part.joint).iter().map(|(letter, unit)| VelocityLabel {
            name: format!("{} {letter}", part.name).trim_end().to_owned(),
            unit,
        }));
    }
    labels
}

/// Velocities of a joint: a letter and the unit for each.
const fn velocities(joint: JointKind) -> &'static [(&'static str, &'static str)] {
    const TURNS: [(&str, &str); 3] =
        [("turn x", "rad/s"), ("turn y", "rad/s"), ("turn z", "rad/s")];
    const FREE: [(&str, &str); 6] =
        [("x", "m/s"), ("y", "m/s"), ("z", "m/s"), TURNS[0], TURNS[1], TURNS[2]];
    match joint {
        JointKind::Planar => &[("x", "m/s"), ("y", "m/s"), ("angle", "rad/s")],
        JointKind::Revolute { .. } => &[("angle", "rad/s")],
        JointKind::Prismatic { .. } => &[("", "m/s")],
        JointKind::Spherical => &TURNS,
        JointKind::Free => &FREE,
        _ => &[],
    }
}

impl ImpactScenario {
    /// Reads an impact from TOML text and checks it.
    ///
    /// # Errors
    ///
    /// Every variant of [`Error`] that names a place in the file, and [`Error::TooLarge`].
    pub fn from_toml_str(text: &str) -> Result<Self, Error> {
        let scenario: Self = document::parse(text, "impact")?;
        scenario.check().map_err(|error| document::located(text, error))?;
        Ok(scenario)
    }

    /// The impact as the text of a file; reading it gives bitwise the same impact.
    ///
    /// # Errors
    ///
    /// [`Error::Format`] if a value cannot be written to a file.
    pub fn to_toml_string(&self) -> Result<String, Error> {
        toml::to_string(self).map_err(|error| Error::Format {
            path: "impact".to_owned(),
            message: error.to_string(),
        })
    }

    /// Reads an impact from a TOML file and checks it.
    ///
    /// # Errors
    ///
    /// [`Error::Read`] if it cannot be read, otherwise as [`from_toml_str`](Self::from_toml_str).
    pub fn from_path(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::from_toml_str(&document::read(path.as_ref())?)
    }
}

/// Two numbers in the plane, three in space.
fn vector<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<[f64; 3], D::Error> {
    match Vec::deserialize(deserializer)?[..] {
        [x, y] => Ok([x, y, 0.0]),
        [x, y, z] => Ok([x, y, z]),
        ref other => Err(serde::de::Error::invalid_length(other.len(), &"2 or 3 numbers")),
    }
}
