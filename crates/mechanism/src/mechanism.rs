//! Named bodies at one instant, with their forces and contacts: [`Mechanism`].
//!
//! All file formats use one builder, so that all mechanisms are built by the same code, and only once: a
//! [`Setup`](crate::scenario::Setup) is a mechanism with a scheme, an [`Impact`](crate::impacts::Impact) is a
//! mechanism with a law, and tables, pages and figures use the built mechanism. Building a mechanism emits
//! one event of `tracing` at the level `debug`.
//!
//! # Example
//!
//! A disc of 2 kg that moves at 3 m/s and turns at 10 rad/s has the energy `½ · 2 · 3² + ½ · 0.01 · 10² = 9.5 J`.
//!
//! ```
//! use percussion_mechanism::impacts::ImpactScenario;
//!
//! let mechanism = ImpactScenario::from_toml_str(r#"
//!     name = "disc"
//!     title = "A disc in the plane"
//!     source = "first year mechanics"
//!
//!     [[bodies]]
//!     name = "disc"
//!     mass = 2.0
//!     inertia = 0.01
//!     velocity = [3.0, 0.0, 10.0]
//! "#)?.mechanism()?;
//! assert_eq!(mechanism.parts[0].name, "disc");
//! let (system, state) = (mechanism.model.system(), &mechanism.state);
//! let energy = system.kinetic_energy(&state.coordinates, &state.velocity);
//! assert!((energy - 9.5).abs() < 1e-12);
//! # Ok::<(), percussion_mechanism::Error>(())
//! ```

use std::sync::Arc;

use percussion_dynamics::{Articulated, JointKind};
use percussion_integrators::{Model, State};

mod builder;
mod surfaces;

pub(crate) use builder::{Builder, Placed};
pub use surfaces::Surfaces;

/// Bodies with their positions, velocities and possible contacts.
///
/// A clone shares the system and the gap functions.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Mechanism {
    /// The name in the file.
    pub name: String,
    /// The system of the bodies, with their contacts, constraints and joint friction.
    pub model: Model,
    /// Positions and velocities of the bodies at time zero (m, rad or unit quaternions; m/s, rad/s).
    pub state: State,
    /// The bodies, in the order of the system.
    pub parts: Vec<Part>,
    /// The names of the contacts of the model, in its order.
    pub contacts: Vec<NamedContact>,
    /// The surfaces, if contacts are found during the motion and not all known beforehand.
    pub surfaces: Option<Surfaces>,
    /// The bodies as links that joints connect; `None` for free bodies.
    pub tree: Option<Arc<Articulated>>,
    /// The joints of a robot, in the order of its file.
    pub joints: Vec<NamedJoint>,
    /// The actuators of a robot: those of its file in their order, and then the servos that hold joints.
    pub actuators: Vec<NamedActuator>,
    /// Warnings about the parts of a robot's file that were ignored, filled in or repaired.
    pub warnings: Vec<String>,
}

/// A joint of a robot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedJoint {
    /// Name in its file.
    pub name: String,
    /// The link of the tree that has its coordinates.
    pub link: usize,
    /// The body that it carries: this link, or a link that is fixed to it.
    pub body: usize,
}

/// An actuator of a robot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedActuator {
    /// Name in the file of the robot, or of the joint that a servo holds.
    pub name: String,
    /// The names of the joints that it moves; none of a kind that is not modeled.
    pub joints: Vec<String>,
    /// Whether it is one of the file.
    pub is_of_file: bool,
    /// Its number among [`Model::actuators`], unless it does not act.
    pub number: Option<usize>,
}

/// A body of a mechanism.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Part {
    /// Name.
    pub name: String,
    /// Mass (kg); 0 for a massless frame.
    pub mass: f64,
    /// Its joint: `Free` for free bodies in space, `Planar` in the plane.
    pub joint: JointKind,
}

/// A contact that is known beforehand.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NamedContact {
    /// Name, such as `ball 1–table` or `rod–table (end +)`.
    pub name: String,
    /// The names of body 1 and body 2 of its contact frame; for a joint limit, of the bodies that the joint connects.
    pub between: [String; 2],
    /// The unit of its gap: m, or rad for the limit of an angle.
    pub unit: &'static str,
}

impl Mechanism {
    /// Index of the contact called `name` among those that are known beforehand.
    #[must_use]
    pub fn contact(&self, name: &str) -> Option<usize> {
        self.contacts.iter().position(|known| known.name == name)
    }

    /// The name of the joint, or of the body that has none, whose velocity a [friction](Model::joint_friction) of this number opposes;
    /// `None` if there is no such friction.
    #[must_use]
    pub fn friction_name(&self, friction: usize) -> Option<&str> {
        if let Some(tree) = &self.tree {
            let link = tree.joint_friction().get(friction)?.link;
            let joint = self.joints.iter().find(|joint| joint.link == link);
            return Some(joint.map_or(&self.parts[link].name, |joint| &joint.name));
        }
        let directions = &self.model.joint_friction().get(friction)?.directions;
        let velocity = directions.row_iter().position(|row| row.amax() > 0.0)?;
        let system = self.model.system();
        let moves = |body: &usize| system.tree_velocities(*body).contains(&velocity);
        (0..self.parts.len()).find(moves).map(|body| self.parts[body].name.as_str())
    }

    /// The names of the contacts that are known beforehand.
    pub(crate) fn contact_names(&self) -> Vec<String> {
        self.contacts.iter().map(|contact| contact.name.clone()).collect()
    }
}
