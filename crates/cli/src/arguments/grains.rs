//! What can be typed after `percussion grains`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::{count, not_negative, positive, whole};

/// Arguments of `grains`.
#[derive(Debug, Args)]
#[command(after_help = GRAINS_HELP)]
pub(crate) struct Grains {
    /// Name of a built-in scene (channel, column, drum, hopper, dam-break, six-by-six-by-six), or path of a scene
    /// (TOML).
    #[arg(value_name = "SCENE|FILE", value_hint = ValueHint::FilePath)]
    pub(crate) scene: String,
    /// Tell what the scene holds, how much memory it takes and how long a second of it, and run nothing.
    #[arg(long, conflicts_with_all = ["out", "resume", "vtk_every"])]
    pub(crate) check: bool,
    /// How many times larger the grains are: than 0.47 mm of radius in the same channel, with fewer of them; in other
    /// scenes all lengths grow with them.
    #[arg(long, value_name = "FACTOR", value_parser = positive, allow_hyphen_values = true, default_value = "1")]
    pub(crate) factor: f64,
    /// Time to be reached (s); the scene's own by default.
    #[arg(long, value_name = "SECONDS", value_parser = positive, allow_hyphen_values = true)]
    pub(crate) duration: Option<f64>,
    /// Seed of the velocities with which grains enter the channel.
    #[arg(long, value_name = "N", value_parser = whole, allow_hyphen_values = true, default_value_t = 0)]
    pub(crate) seed: u64,
    /// Largest number of sweeps in a step; the scene's own by default.
    #[arg(long, value_name = "N", value_parser = count, allow_hyphen_values = true)]
    pub(crate) max_sweeps: Option<u64>,
    /// Relative residual that ends the sweeps; the scene's own by default.
    #[arg(long, value_name = "RESIDUAL", value_parser = not_negative, allow_hyphen_values = true)]
    pub(crate) tolerance: Option<f64>,
    /// Directory for the table of the course, checkpoints, pictures and a page that plays the run; nothing is written by
    /// default.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) out: Option<PathBuf>,
    /// Continue from the last checkpoint in the directory.
    #[arg(long, requires = "out")]
    pub(crate) resume: bool,
    /// Write a checkpoint every so many steps; as often as the scene says, or every 1000 steps, by default.
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = count)]
    pub(crate) checkpoint_every: Option<u64>,
    /// Write a picture for `ParaView` every so many steps; as often as the scene says by default.
    #[arg(long, value_name = "N", allow_hyphen_values = true, requires = "out", value_parser = count)]
    pub(crate) vtk_every: Option<u64>,
    /// End the run when the relative residual of a step exceeds this.
    #[arg(long, value_name = "RESIDUAL", value_parser = positive, allow_hyphen_values = true)]
    pub(crate) residual_limit: Option<f64>,
    /// End the run when an overlap exceeds this many radii.
    #[arg(long, value_name = "RADII", value_parser = positive, allow_hyphen_values = true)]
    pub(crate) overlap_limit: Option<f64>,
    /// End the run when the kinetic energy exceeds this (J).
    #[arg(long, value_name = "JOULES", value_parser = positive, allow_hyphen_values = true)]
    pub(crate) energy_limit: Option<f64>,
    /// Print one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
}

const GRAINS_HELP: &str = "\
A run ended by a signal writes a checkpoint first; one that is killed loses what came after the last.

Examples:
  percussion grains six-by-six-by-six
  percussion grains hopper.toml --check
  percussion grains hopper.toml --out hopper
  percussion grains channel --factor 5 --out channel --vtk-every 500
  percussion grains channel --factor 5 --out channel --vtk-every 500 --resume";
