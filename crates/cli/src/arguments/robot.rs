//! Arguments for robots, shared by several commands.

use std::path::PathBuf;

use clap::Args;
use nalgebra::Vector3;

use super::{not_negative, number};

/// Initial state of a robot, and the floor on which it stands.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Robots (*.urdf, *.xml)")]
pub(crate) struct RobotOptions {
    /// Coordinates of joints at the start (rad, m); the others are zero, or those of a keyframe of the file if its name is given first or alone.
    #[arg(long, value_name = "JOINT=VALUE,…", value_parser = entry, value_delimiter = ',', allow_hyphen_values = true)]
    pub(crate) posture: Vec<Entry>,
    /// Height of a floor through the z axis, perpendicular to gravity (m).
    #[arg(long, value_name = "METERS", value_parser = any, allow_hyphen_values = true)]
    pub(crate) ground: Option<f64>,
    /// Height of the lowest point above the floor (m). For an impact, the height from which it has fallen, so that its speed is √(2gh).
    #[arg(long, value_name = "METERS", value_parser = not_negative, allow_hyphen_values = true)]
    pub(crate) height: Option<f64>,
    /// Velocity of a floating root link at the start (m/s, world axes).
    #[arg(long, value_name = "X,Y,Z", value_parser = velocity, allow_hyphen_values = true)]
    pub(crate) velocity: Option<Vector3<f64>>,
    /// Gravity (m/s², world axes); by default that of the file, or 0,0,-9.81. For `inspect`, by default none.
    #[arg(long, value_name = "X,Y,Z", value_parser = gravity, allow_hyphen_values = true)]
    pub(crate) gravity: Option<Vector3<f64>>,
    /// Friction coefficient of surfaces for which the file gives none; by default 0.8.
    #[arg(long, value_name = "MU", value_parser = not_negative, allow_hyphen_values = true)]
    pub(crate) friction: Option<f64>,
    /// Coefficient of restitution of the robot's surfaces and of the floor; by default 0.
    #[arg(long, value_name = "E", value_parser = not_negative, allow_hyphen_values = true)]
    pub(crate) restitution: Option<f64>,
    /// Lock joints that move no mass; otherwise they are an error.
    #[arg(long)]
    pub(crate) allow_massless: bool,
    /// Omit collision shapes that cannot be used, such as flat meshes; otherwise they are an error.
    #[arg(long)]
    pub(crate) leave_out_shapes: bool,
    /// Folder of a package with meshes. May be repeated. With the name `model`, the folder that the files of an MJCF model must not leave, by default that of the model.
    #[arg(long = "package", value_name = "NAME=DIR", value_parser = package)]
    pub(crate) packages: Vec<(String, PathBuf)>,
}

/// One entry of a posture.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Entry {
    /// The name of a keyframe.
    Keyframe(String),
    /// A joint and its coordinates; several coordinates are separated by colons.
    Joint(String, Vec<f64>),
}

impl RobotOptions {
    /// Name of the first option that was given, if any.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let all = [
            ("--posture", !self.posture.is_empty()),
            ("--ground", self.ground.is_some()),
            ("--height", self.height.is_some()),
            ("--velocity", self.velocity.is_some()),
            ("--gravity", self.gravity.is_some()),
            ("--friction", self.friction.is_some()),
            ("--restitution", self.restitution.is_some()),
            ("--allow-massless", self.allow_massless),
            ("--leave-out-shapes", self.leave_out_shapes),
            ("--package", !self.packages.is_empty()),
        ];
        all.into_iter().find_map(|(name, is_given)| is_given.then_some(name))
    }
}

fn entry(text: &str) -> Result<Entry, String> {
    let expected = "a joint with its coordinate as in `knee=0.5`, or the name of a keyframe";
    match text.split_once('=') {
        None if !text.trim().is_empty() => Ok(Entry::Keyframe(text.trim().to_owned())),
        Some((name, values)) if !name.trim().is_empty() => {
            let values = values.split(':').map(|value| number(value.trim(), expected, |_| true));
            Ok(Entry::Joint(name.trim().to_owned(), values.collect::<Result<_, _>>()?))
        }
        _ => Err(format!("expected {expected}")),
    }
}

fn any(text: &str) -> Result<f64, String> {
    number(text, "a finite number (m)", |_| true)
}

fn gravity(text: &str) -> Result<Vector3<f64>, String> {
    vector(text, "three finite numbers as in `0,0,-9.81`")
}

fn velocity(text: &str) -> Result<Vector3<f64>, String> {
    vector(text, "three finite numbers as in `1,0,-0.5`")
}

fn vector(text: &str, expected: &str) -> Result<Vector3<f64>, String> {
    let numbers: Vec<f64> = text
        .split(',')
        .map(|entry| number(entry.trim(), expected, |_| true))
        .collect::<Result<_, _>>()?;
    match numbers[..] {
        [x, y, z] => Ok(Vector3::new(x, y, z)),
        _ => Err(format!("expected {expected}")),
    }
}

fn package(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((name, folder)) if !name.is_empty() => {
            let folder = PathBuf::from(folder);
            match folder.is_dir() {
                true => Ok((name.to_owned(), folder)),
                false => Err(format!("there is no folder `{}`", folder.display())),
            }
        }
        _ => Err("expected a name and a folder as in `robot=meshes/robot`".to_owned()),
    }
}
