//! The command line of `percussion run`.

use std::path::PathBuf;

use clap::{
    Args, ValueHint,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use percussion_integrators::schemes::Name;
use percussion_mechanism::scenario::Drive;

use super::{
    LawSettings, RobotOptions, TimeLimit, Which, count, laws::law_or_all, positive, whole,
};

/// Arguments of `run`.
#[derive(Debug, Args)]
#[command(after_help = RUN_HELP)]
pub(crate) struct Run {
    /// Name of a built-in scenario or impact; or path of a scenario or impact file (TOML) or of a robot
    /// description (URDF, `*.urdf`, or MJCF, `*.xml`). A robot in URDF starts at rest on a floor.
    #[arg(value_name = "NAME|FILE", value_hint = ValueHint::FilePath)]
    pub(crate) scenario: String,
    /// Integrator; by default that of the scenario.
    #[arg(long, value_parser = scheme())]
    pub(crate) integrator: Option<Name>,
    /// Step size (s), or the time between samples for event-driven integration; by default that of the scenario.
    #[arg(long, value_name = "SECONDS", value_parser = positive, allow_hyphen_values = true)]
    pub(crate) step_size: Option<f64>,
    /// Simulated time (s); by default that of the scenario.
    #[arg(long, value_name = "SECONDS", value_parser = positive, allow_hyphen_values = true)]
    pub(crate) duration: Option<f64>,
    /// Directory for tables, figures and a page that plays the motion or the outcomes; by default no files
    /// are written.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) out: Option<PathBuf>,
    /// Law of an impact, as for `impact`; by default all laws. With the integrator event-driven, the law of
    /// every impact of the motion; by default poisson.
    #[arg(long, value_parser = law_or_all(), hide_possible_values = true)]
    pub(crate) law: Option<Which>,
    #[command(flatten)]
    pub(crate) settings: LawSettings,

    /// With the integrator event-driven: impacts to which the law has no answer are inelastic; by default the
    /// motion ends there, unless the scenario says otherwise.
    #[arg(long)]
    pub(crate) inelastic_fallback: bool,
    #[command(flatten)]
    pub(crate) robot: RobotOptions,
    /// Drive of the joints of a robot: `limp` (the default: none), `hold` (they keep their initial positions, by the
    /// actuators of the file or by servos of 10 Hz), `controls` (the actuators of the file, with the controls of the
    /// keyframe or zero), or a CSV file of targets and forces over time with the first line
    /// `time,JOINT,JOINT:force,ACTUATOR:control`.
    #[arg(long, value_name = "hold|limp|controls|FILE.csv", value_parser = drive, help_heading = "Robots (*.urdf, *.xml)")]
    pub(crate) drive: Option<Drive>,
    /// Fix the root link of a robot in the world; by default it floats, unless its name is `world`.
    #[arg(long, help_heading = "Robots (*.urdf, *.xml)")]
    pub(crate) fixed_base: bool,
    /// Follow N motions whose impacts draw their outcomes (law set-valued-routh, integrator event-driven) and show bands,
    /// shares of the endings, and shares of the sequences of impacts and modes. `--seed` selects the draws.
    #[arg(long, value_name = "N", value_parser = count, allow_hyphen_values = true, help_heading = "Ensembles")]
    pub(crate) ensemble: Option<u64>,
    /// Member of the ensemble that the page in the directory of `--out` plays; by default 0.
    #[arg(long, value_name = "K", value_parser = whole, allow_hyphen_values = true, requires = "ensemble", help_heading = "Ensembles")]
    pub(crate) member: Option<u64>,
    /// Of motions, and of ensembles, which follow at least their first 64 motions.
    #[command(flatten)]
    pub(crate) time_limit: TimeLimit,
    /// Print one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
}

const RUN_HELP: &str = "\
Examples:
  percussion run stewart-trinkle/four-balls --out run
  percussion run event-driven/bouncing-ball --out run
  percussion run stewart-trinkle/four-balls --integrator event-driven --law plus
  percussion run event-driven/bouncing-ball --integrator variational --step-size 0.01
  percussion run falling-block.toml --ensemble 200 --seed 1 --time-limit 60 --out run
  percussion run rocking-block --law poisson
  percussion run robot.urdf --friction 0.6 --duration 2 --out run
  percussion run robot.urdf --posture hip=0.4,knee=-0.8 --height 0.1
  percussion run robot.xml --posture home --drive hold --ground 0 --step-size 0.002";

fn drive(text: &str) -> Result<Drive, String> {
    Drive::try_from(text.to_owned())
}

fn scheme() -> impl TypedValueParser<Value = Name> {
    let value = |name: Name| PossibleValue::new(name.as_str()).help(name.summary());
    PossibleValuesParser::new(Name::ALL.map(value)).try_map(|name| name.parse())
}
