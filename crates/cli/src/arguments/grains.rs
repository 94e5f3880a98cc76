//! The command line of `percussion grains`.

use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};

use super::{TimeLimit, count, not_negative, positive, whole};

/// Arguments of `grains`.
#[derive(Debug, Args)]
#[command(after_help = GRAINS_HELP)]
pub struct Grains {
    /// Name of a built-in scene (channel, column, drum, hopper, dam-break, pour-drum, six-by-six-by-six), or path of
    /// a scene (TOML).
    #[arg(value_name = "SCENE|FILE", value_hint = ValueHint::FilePath)]
    pub(crate) scene: String,
    /// Print the contents of the scene, its memory and the computing time of one second of it, without running it.
    #[arg(long, conflicts_with_all = ["out", "resume", "vtk_every"])]
    pub(crate) check: bool,
    /// Factor on the size of the grains: in the channel, 1 is a radius of 0.47 mm, and larger grains are fewer; in other
    /// scenes all lengths grow with them.
    #[arg(long, value_name = "FACTOR", value_parser = positive, allow_hyphen_values = true, default_value = "1")]
    pub(crate) factor: f64,
    /// Time to reach (s); by default that of the scene.
    #[arg(long, value_name = "SECONDS", value_parser = positive, allow_hyphen_values = true)]
    pub(crate) duration: Option<f64>,
    /// Seed of the velocities with which grains enter the channel.
    #[arg(long, value_name = "N", value_parser = whole, allow_hyphen_values = true, default_value_t = 0)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) time_limit: TimeLimit,
    /// Maximum number of sweeps in a step; by default that of the scene.
    #[arg(long, value_name = "N", value_parser = count, allow_hyphen_values = true)]
    pub(crate) max_sweeps: Option<u64>,
    /// Relative residual at which the sweeps end; by default that of the scene.
    #[arg(long, value_name = "RESIDUAL", value_parser = not_negative, allow_hyphen_values = true)]
    pub(crate) tolerance: Option<f64>,
    /// Directory for the table of the run, checkpoints, pictures and a page that plays the run; by default no
    /// files are written.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) out: Option<PathBuf>,
    /// Continue from the last checkpoint in the directory.
    #[arg(long, requires = "out")]
    pub(crate) resume: bool,
    /// Write a checkpoint after every N steps; by default as often as the scene says, or after 1000.
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = count)]
    pub(crate) checkpoint_every: Option<u64>,
    /// Write a picture for `ParaView` after every N steps; by default as often as the scene says.
    #[arg(long, value_name = "N", allow_hyphen_values = true, requires = "out", value_parser = count)]
    pub(crate) vtk_every: Option<u64>,
    /// End the run when the relative residual of a step exceeds this.
    #[arg(long, value_name = "RESIDUAL", value_parser = positive, allow_hyphen_values = true)]
    pub(crate) residual_limit: Option<f64>,
    /// End the run when an overlap exceeds this value, in radii.
    #[arg(long, value_name = "RADII", value_parser = positive, allow_hyphen_values = true)]
    pub(crate) overlap_limit: Option<f64>,
    /// End the run when the kinetic energy exceeds this (J).
    #[arg(long, value_name = "JOULES", value_parser = positive, allow_hyphen_values = true)]
    pub(crate) energy_limit: Option<f64>,
    /// Print one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
}

impl Grains {
    /// The directory of the run, if it writes files.
    #[must_use]
    pub fn out(&self) -> Option<&Path> {
        self.out.as_deref()
    }
}

const GRAINS_HELP: &str = "\
A run that is ended by a signal writes a checkpoint first. A run that is killed loses the steps after its last checkpoint.

Examples:
  percussion grains six-by-six-by-six
  percussion grains hopper.toml --check
  percussion grains hopper.toml --out hopper
  percussion grains channel --factor 5 --out channel --vtk-every 500
  percussion grains channel --factor 5 --out channel --vtk-every 500 --resume";
