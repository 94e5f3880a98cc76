//! What can be typed after `percussion impact` and `percussion compare`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use percussion_mechanism::laws::Name;

use super::{LawSettings, RobotOptions, Which, laws::law_or_all};
use crate::laws::law;

/// Arguments of `impact`.
#[derive(Debug, Args)]
#[command(after_help = IMPACT_HELP)]
pub(crate) struct Impact {
    /// Impact: a JSON file (below, `-` for standard input), a TOML file, a robot (`*.urdf`, `*.xml`), or one that is built
    /// in; of a scenario or a robot that of what touches where it starts.
    #[arg(value_name = "NAME|FILE", value_hint = ValueHint::FilePath)]
    pub(crate) problem: String,
    /// Law of impact, or `all` to set the answers of all of them side by side.
    #[arg(long, value_parser = law_or_all())]
    pub(crate) law: Which,
    #[command(flatten)]
    pub(crate) settings: LawSettings,
    #[command(flatten)]
    pub(crate) robot: RobotOptions,
    /// Fix the root link of a robot in the world; by default it floats, unless it is called `world`.
    #[arg(long, help_heading = "Robots (*.urdf, *.xml)")]
    pub(crate) fixed_base: bool,
    /// Directory for a page that plays the outcomes, and for figures and tables of a set of them; nothing
    /// is written by default.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) out: Option<PathBuf>,
    /// Print one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
}

const IMPACT_HELP: &str = "\
A JSON file holds, with one entry of every row for each entry of the velocity,
  {\"mass_matrix\": [[…], …], \"velocity\": […],
   \"contacts\": [{\"normal\": […], \"tangents\": [[…]], \"friction\": 0.5, \"restitution\": 0}, …],
   \"bilateral\": [[…], …]}
where tangents, friction, restitution and bilateral may be left out.

Examples:
  percussion impact ball.json --law poisson
  percussion impact block.json --law anitescu-potra --set solutions=all
  percussion impact block.json --law sequential --set inner=newton --set order=1,0
  percussion impact block.json --law set-valued-routh --set step=0.3 --json
  percussion impact rocking-block --law set-valued-routh --samples 65536 --out block
  percussion impact rocking-block --law all
  percussion impact maximum-dissipation/block-on-slope --law newton
  percussion impact robot.urdf --law poisson --posture knee=0.5 --height 0.2

`percussion list LAW` tells the settings of a law.";

/// Arguments of `compare`.
#[derive(Debug, Args)]
#[command(after_help = COMPARE_HELP)]
pub(crate) struct Compare {
    /// Impact or scenario as of `impact`: a JSON file (`-` for standard input), a TOML file, a robot, or one built in.
    #[arg(value_name = "NAME|FILE", value_hint = ValueHint::FilePath)]
    pub(crate) problem: String,
    /// Laws, separated by commas; all of them by default.
    #[arg(long, value_parser = law(), value_delimiter = ',')]
    pub(crate) laws: Vec<Name>,
    #[command(flatten)]
    pub(crate) settings: LawSettings,
    #[command(flatten)]
    pub(crate) robot: RobotOptions,
    /// Fix the root link of a robot in the world; by default it floats, unless it is called `world`.
    #[arg(long, help_heading = "Robots (*.urdf, *.xml)")]
    pub(crate) fixed_base: bool,
    /// Directory for a page that plays the outcomes, and for figures and tables of a set of them; nothing
    /// is written by default.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) out: Option<PathBuf>,
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

`percussion list LAW` tells the settings of a law.";
