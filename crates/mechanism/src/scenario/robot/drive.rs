//! What drives the joints of a robot: [`Drive`].

use std::path::PathBuf;

use percussion_integrators::Actuator;
use serde::{Deserialize, Serialize};

use crate::mechanism::NamedActuator;

/// The actuators of a robot, from its [`Drive`].
#[derive(Default)]
pub(in crate::scenario) struct Drives {
    /// The actuators, after the forces along tendons, which act always.
    pub(in crate::scenario) laws: Vec<Actuator>,
    /// The names of all actuators, with those of the file first.
    pub(in crate::scenario) names: Vec<NamedActuator>,
    /// Messages about targets that cannot be reached.
    pub(in crate::scenario) warnings: Vec<String>,
}

/// Natural frequency of the servos of joints whose file has none (Hz), which are critically damped.
///
/// Their stiffness is `J ω²` and their damping `2 J ω`, with `ω = 2π · 10/s`. `J` is the inertia of what the joint carries, the
/// entry of the mass matrix where the robot starts; of a robot that floats, whose leg may stand while the joint moves the
/// trunk, it is that of the rest of the robot about the joint if that is larger.
pub const SERVO_FREQUENCY: f64 = 10.0;

/// What drives the joints of a robot. In files it is a word, or the name of a file of targets, which ends with `.csv`.
///
/// A file of targets has a line of names and then a line for each instant, with commas between the entries:
///
/// ```text
/// time (s), left hip, left knee:force, gripper:control
/// 0.0,      0.1,      0.0,             0
/// 0.5,      0.4,      2.5,             1
/// ```
///
/// - `JOINT` is a target of its coordinate (rad, m), for the actuators of the file that hold a position, or for a servo;
/// - `JOINT:force` is a force or torque (N, N·m) in place of the actuators of the joint;
/// - `ACTUATOR:control` is the control of an actuator of the file.
///
/// Between instants numbers change linearly, before the first and after the last they are constant. Units in parentheses
/// may stand after a name. Other joints hold where they start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[non_exhaustive]
pub enum Drive {
    /// Nothing: `"limp"`, the default. Springs and dampers act in any case.
    #[default]
    Limp,
    /// Every driven joint is held where it starts: `"hold"`. The actuators of the file that hold a position do that with
    /// their gains, others are servos of [`SERVO_FREQUENCY`] with the largest force that the file gives the joint. Driven
    /// are the joints with actuators, or where the file has no actuator all joints with one coordinate.
    Hold,
    /// The actuators of the file, with the controls of the keyframe at the start or zero: `"controls"`, for controllers
    /// that set [controls](percussion_integrators::Controls) between steps.
    Controls,
    /// A file of targets or forces over time, see [`Drive`].
    Targets(PathBuf),
}

impl Drive {
    /// Whether nothing drives the robot.
    #[must_use]
    pub fn is_limp(&self) -> bool {
        *self == Self::Limp
    }
}

impl TryFrom<String> for Drive {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match text.as_str() {
            "limp" => Ok(Self::Limp),
            "hold" => Ok(Self::Hold),
            "controls" => Ok(Self::Controls),
            file if file.to_ascii_lowercase().ends_with(".csv") => Ok(Self::Targets(file.into())),
            _ => {
                Err(format!("`{text}` is no drive, expected limp, hold, controls or a file *.csv"))
            }
        }
    }
}

impl From<Drive> for String {
    fn from(drive: Drive) -> Self {
        match drive {
            Drive::Limp => "limp".into(),
            Drive::Hold => "hold".into(),
            Drive::Controls => "controls".into(),
            Drive::Targets(file) => file.display().to_string(),
        }
    }
}
