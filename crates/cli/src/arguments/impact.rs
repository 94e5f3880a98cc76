//! The command lines of `percussion impact` and `percussion compare`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use percussion_mechanism::laws::Name;

use super::{LawSettings, RobotOptions, TimeLimit, Which, laws::law_or_all};
use crate::laws::law;

/// Arguments of `impact`.
#[derive(Debug, Args)]
#[command(after_help = IMPACT_HELP)]
pub(crate) struct Impact {
    /// Impact: a JSON file (format below, `-` for standard input), a TOML file, a robot (`*.urdf`, `*.xml`),
    /// or the name of a built-in impact. For a scenario or a robot, the impact of the contacts that touch at
    /// its start.
    #[arg(value_name = "NAME|FILE", value_hint = ValueHint::FilePath)]
    pub(crate) problem: String,
    /// Law of impact, or `all` to compare all of them.
    #[arg(long, value_parser = law_or_all(), default_value = "all")]
    pub(crate) law: Which,
    #[command(flatten)]
    pub(crate) settings: LawSettings,
    /// Also the change of the outcome with each velocity, friction and restitution, and up to where it holds; needs
    /// `--law` with one law. Of a set, that of its first sample.
    #[arg(long)]
    pub(crate) derivative: bool,
    #[command(flatten)]
    pub(crate) robot: RobotOptions,
    /// Fix the root link of a robot in the world; by default it floats, unless its name is `world`.
    #[arg(long, help_heading = "Robots (*.urdf, *.xml)")]
    pub(crate) fixed_base: bool,
    /// Directory for a page that plays the outcomes, and for figures and tables of a set of outcomes; by
    /// default no files are written.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) time_limit: TimeLimit,
    /// Print one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
}

const IMPACT_HELP: &str = "\
A JSON file has the following form, where every row has one entry for each entry of the velocity:
  {\"mass_matrix\": [[…], …], \"velocity\": […],
   \"contacts\": [{\"normal\": […], \"tangents\": [[…]], \"friction\": 0.5, \"restitution\": 0}, …],
   \"bilateral\": [[…], …]}
The fields tangents, friction, restitution and bilateral are optional.

Examples:
  percussion impact ball.json --law poisson
  percussion impact block.json --law anitescu-potra --set solutions=all
  percussion impact block.json --law sequential --set inner=newton --set order=1,0
  percussion impact block.json --law set-valued-routh --set step=0.3 --json
  percussion impact rocking-block --law set-valued-routh --samples 65536 --out block
  percussion impact rocking-block
  percussion impact maximum-dissipation/block-on-slope --law newton --derivative
  percussion impact robot.urdf --law poisson --posture knee=0.5 --height 0.2

`percussion list LAW` shows the settings of a law.";

/// Arguments of `compare`.
#[derive(Debug, Args)]
#[command(after_help = COMPARE_HELP)]
pub(crate) struct Compare {
    /// Impact or scenario, as for `impact`: a JSON file (`-` for standard input), a TOML file, a robot, or a built-in name.
    #[arg(value_name = "NAME|FILE", value_hint = ValueHint::FilePath)]
    pub(crate) problem: String,
    /// Laws, separated by commas; all of them by default.
    #[arg(long, value_parser = law(), value_delimiter = ',')]
    pub(crate) laws: Vec<Name>,
    #[command(flatten)]
    pub(crate) settings: LawSettings,
    #[command(flatten)]
    pub(crate) robot: RobotOptions,
    /// Fix the root link of a robot in the world; by default it floats, unless its name is `world`.
    #[arg(long, help_heading = "Robots (*.urdf, *.xml)")]
    pub(crate) fixed_base: bool,
    /// Directory for a page that plays the outcomes, and for figures and tables of a set of outcomes; by
    /// default no files are written.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) time_limit: TimeLimit,
    /// Print one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
}

const COMPARE_HELP: &str = "\
Examples:
  percussion compare rocking-block
  percussion compare brick-corner-0.225 --laws plus,compliant
  percussion compare block.json --laws newton,poisson --set newton.directions=16
  percussion compare robot.urdf --laws newton,plus --height 0.2

`percussion list LAW` shows the settings of a law.";
