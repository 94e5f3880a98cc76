//! The command line of `percussion inspect`.

use clap::{Args, ValueHint};

use super::{RobotOptions, not_negative};

/// Arguments of `inspect`.
#[derive(Debug, Args)]
#[command(after_help = INSPECT_HELP)]
pub(crate) struct Inspect {
    /// Robot description (URDF, `*.urdf`, or MJCF, `*.xml`), scenario file (TOML), or name of a built-in scenario.
    #[arg(value_name = "NAME|FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: String,
    /// Fix the root link of a robot in the world; by default it floats, unless its name is `world`.
    #[arg(long, help_heading = "Robots (*.urdf, *.xml)")]
    pub(crate) fixed_base: bool,
    #[command(flatten)]
    pub(crate) robot: RobotOptions,
    /// Largest gap at which features count as touching (m).
    #[arg(long, value_name = "METERS", value_parser = not_negative, allow_hyphen_values = true, default_value = "1e-6")]
    pub(crate) proximity: f64,
    /// Print one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
}

const INSPECT_HELP: &str = "\
Examples:
  percussion inspect stewart-trinkle/four-balls
  percussion inspect robot.urdf --fixed-base --friction 0.8
  percussion inspect robot.urdf --posture knee=0.5,hip=-0.2 --ground 0 --height 0";
