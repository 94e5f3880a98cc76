//! What can be typed after `percussion inspect`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use nalgebra::Vector3;

use super::{not_negative, number};

/// Arguments of `inspect`.
#[derive(Debug, Args)]
#[command(after_help = INSPECT_HELP)]
pub(crate) struct Inspect {
    /// Robot description (URDF, a file named `*.urdf`), scenario file (TOML), or built-in scenario.
    #[arg(value_name = "NAME|FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: String,
    /// Let the root link of a robot move freely instead of fixing it in the world.
    #[arg(long)]
    pub(crate) floating: bool,
    /// Gravity on a robot (m/s², world axes). Nothing that is told depends on it but whether the robot
    /// stays in a plane; without it, that is so if the joints keep it there.
    #[arg(long, value_name = "X,Y,Z", value_parser = vector, allow_hyphen_values = true)]
    pub(crate) gravity: Option<Vector3<f64>>,
    /// Friction coefficient of the touching features of a robot, which URDF does not give.
    #[arg(long, value_name = "MU", value_parser = not_negative, allow_hyphen_values = true)]
    pub(crate) friction: Option<f64>,
    /// Take links of a robot that move without inertia for massless frames.
    #[arg(long)]
    pub(crate) allow_massless: bool,
    /// Folder of a package that a robot's meshes are in; may be repeated.
    #[arg(long = "package", value_name = "NAME=DIR", value_parser = package)]
    pub(crate) packages: Vec<(String, PathBuf)>,
    /// Largest gap of features that count as touching (m).
    #[arg(long, value_name = "METERS", value_parser = not_negative, allow_hyphen_values = true, default_value = "1e-6")]
    pub(crate) proximity: f64,
    /// Print one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
}

const INSPECT_HELP: &str = "\
Examples:
  percussion inspect stewart-trinkle/four-balls
  percussion inspect robot.urdf --floating --friction 0.8";

pub(super) fn vector(text: &str) -> Result<Vector3<f64>, String> {
    let numbers: Vec<f64> = text
        .split(',')
        .map(|entry| number(entry.trim(), "three finite numbers as in `0,0,-9.81`", |_| true))
        .collect::<Result<_, _>>()?;
    match numbers[..] {
        [x, y, z] => Ok(Vector3::new(x, y, z)),
        _ => Err("expected three finite numbers as in `0,0,-9.81`".to_owned()),
    }
}

fn package(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((name, folder)) if !name.is_empty() => Ok((name.to_owned(), folder.into())),
        _ => Err("expected a name and a folder as in `robot=meshes/robot`".to_owned()),
    }
}
