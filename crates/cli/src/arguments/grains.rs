//! The command line of `percussion grains`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use super::{count, not_negative, positive, whole};

/// Arguments of `grains`.
#[derive(Debug, Args)]
#[command(after_help = GRAINS_HELP)]
pub(crate) struct Grains {
    /// Scene to simulate.
    #[arg(value_enum)]
    pub(crate) scene: GrainScene,
    /// Factor on the size of the grains, which makes them fewer: 1 is a radius of 0.47 mm in the same
    /// channel, or a diameter of 1 cm in the scenes that grow with the grains.
    #[arg(long, value_name = "FACTOR", value_parser = positive, allow_hyphen_values = true, default_value = "1")]
    pub(crate) factor: f64,
    /// Time to reach (s); 0.5 s for the channel, 2 s for the others by default.
    #[arg(long, value_name = "SECONDS", value_parser = positive, allow_hyphen_values = true)]
    pub(crate) duration: Option<f64>,
    /// Seed of the velocities with which grains enter the channel.
    #[arg(long, value_name = "N", value_parser = whole, allow_hyphen_values = true, default_value_t = 0)]
    pub(crate) seed: u64,
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
    /// Write a checkpoint after every N steps.
    #[arg(long, value_name = "N", allow_hyphen_values = true, default_value_t = 1000, value_parser = count)]
    pub(crate) checkpoint_every: u64,
    /// Write a picture for `ParaView` after every N steps.
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

const GRAINS_HELP: &str = "\
A run that is ended by a signal writes a checkpoint first. A run that is killed loses the steps after its last checkpoint.

Examples:
  percussion grains six-by-six-by-six
  percussion grains channel --factor 5 --out channel --vtk-every 500
  percussion grains channel --factor 5 --out channel --vtk-every 500 --resume";

/// The scenes of grains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum GrainScene {
    /// A dense stream past an obstacle (Preclik, Eibl & Rüde 2018).
    Channel,
    /// 4000 grains settle in a square column.
    Column,
    /// A half-full drum turns.
    Drum,
    /// 3200 grains flow out of a silo.
    Hopper,
    /// A block of 2000 grains collapses.
    DamBreak,
    /// 216 balls are dropped.
    SixBySixBySix,
}

impl GrainScene {
    /// Title, one line.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Channel => "A dense stream of grains past an obstacle",
            Self::Column => "Grains settle in a square column",
            Self::Drum => "A half-full drum turns",
            Self::Hopper => "Grains flow out of a silo",
            Self::DamBreak => "A block of grains collapses",
            Self::SixBySixBySix => "216 balls are dropped",
        }
    }
}
