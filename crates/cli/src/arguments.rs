//! What can be typed after `percussion`.

mod grains;

use std::path::PathBuf;

use clap::{
    ArgAction, Args, Parser, Subcommand, ValueEnum,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use nalgebra::Vector3;

pub(crate) use self::grains::{GrainScene, Grains};

/// Run, solve and reproduce rigid-body impacts with friction.
#[derive(Debug, Parser)]
#[command(
    name = "percussion",
    version,
    after_help = HELP
)]
pub(crate) struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    /// Log to standard error: -v information, -vv details, -vvv everything.
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub(crate) verbose: u8,
}

const HELP: &str = "\
Examples:
  percussion reproduce --quick
  percussion run stewart-trinkle/four-balls --out run && percussion view run
  percussion compare rocking-block
  percussion run --help

Exit codes: 0 solved or accepted, 1 unsolved or not accepted, 2 refused input.";

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Name the scenarios, experiments and laws that are built in, and the settings of laws.
    List(List),
    /// Tell what a robot description or a scenario consists of, and what touches in it.
    Inspect(Inspect),
    /// Simulate a scenario, or resolve an impact.
    Run(Run),
    /// Tell what velocity an impact leads to, by one law or by all of them.
    Impact(Impact),
    /// Set the answers of several laws to one impact side by side.
    Compare(Compare),
    /// Find the mechanism and posture nearest to a given one whose impact has one outcome.
    Design(Design),
    /// Solve a problem given as a file.
    #[command(subcommand)]
    Solve(Solve),
    /// Run published experiments and set their figures beside ours.
    Reproduce(Reproduce),
    /// Run many grains in hard contact: long runs with checkpoints.
    Grains(Grains),
    /// Show a directory that `run`, `impact`, `compare` or `reproduce` wrote in a browser.
    View(View),
    /// Print a script that completes the commands in a shell.
    Completions(Completions),
}

/// Arguments of `list`.
#[derive(Debug, Args)]
#[command(after_help = LIST_HELP)]
pub(crate) struct List {
    /// Law whose settings to tell.
    #[arg(value_enum, hide_possible_values = true)]
    pub(crate) law: Option<LawName>,
    /// Print one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
}

const LIST_HELP: &str = "\
Examples:
  percussion list
  percussion list set-valued-routh";

/// Arguments of `inspect`.
#[derive(Debug, Args)]
#[command(after_help = INSPECT_HELP)]
pub(crate) struct Inspect {
    /// Robot description (URDF, a file named `*.urdf`), scenario file (TOML), or built-in scenario.
    #[arg(value_name = "FILE|NAME")]
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

/// Arguments of `run`.
#[derive(Debug, Args)]
#[command(after_help = RUN_HELP)]
pub(crate) struct Run {
    /// Name of a built-in scenario or impact, or path of a scenario or impact file (TOML).
    #[arg(value_name = "NAME|FILE")]
    pub(crate) scenario: String,
    /// How the scenario is moved; its own way by default.
    #[arg(long, value_enum)]
    pub(crate) integrator: Option<Integrator>,
    /// Step size (s), event-driven the time between samples; the scenario's own by default.
    #[arg(long, value_name = "SECONDS", value_parser = positive, allow_hyphen_values = true)]
    pub(crate) step_size: Option<f64>,
    /// Simulated time (s); the scenario's own by default.
    #[arg(long, value_name = "SECONDS", value_parser = positive, allow_hyphen_values = true)]
    pub(crate) duration: Option<f64>,
    /// Directory for tables, figures and a page that plays the motion or the outcomes; nothing is written
    /// by default.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Law of an impact, as of `impact`; all of them by default. With the integrator event-driven the law of every impact
    /// of the motion, by default poisson.
    #[arg(long, value_parser = law_or_all(), hide_possible_values = true)]
    pub(crate) law: Option<Which>,
    #[command(flatten)]
    pub(crate) settings: LawSettings,
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
  percussion run rocking-block --law poisson";

/// The ways to move a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Integrator {
    /// Implicit position-level time stepping (Stewart & Trinkle 1996).
    StewartTrinkle,
    /// Smooth motion from event to event, with a law for impacts.
    EventDriven,
    /// Semi-implicit velocity-level time stepping with round friction cones (Preclik, Eibl & Rüde 2017).
    ImpulseVelocity,
    /// Velocity-level time stepping with the θ-method and Newton's restitution.
    MoreauJean,
    /// Variational, impacts within the steps by Newton's law without friction; friction only in contacts that stay
    /// closed.
    Variational,
}

/// Arguments of `impact`.
#[derive(Debug, Args)]
#[command(after_help = IMPACT_HELP)]
pub(crate) struct Impact {
    /// Impact: a JSON file (below, `-` for standard input), a TOML file, or one that is built in.
    #[arg(value_name = "FILE|NAME")]
    pub(crate) problem: String,
    /// Law of impact, or `all` to set the answers of all of them side by side.
    #[arg(long, value_parser = law_or_all())]
    pub(crate) law: Which,
    #[command(flatten)]
    pub(crate) settings: LawSettings,
    /// Directory for a page that plays the outcomes, and for figures and tables of a set of them; nothing
    /// is written by default.
    #[arg(long, value_name = "DIR")]
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

`percussion list LAW` tells the settings of a law.";

/// Arguments of `compare`.
#[derive(Debug, Args)]
#[command(after_help = COMPARE_HELP)]
pub(crate) struct Compare {
    /// Impact as of `impact`: a JSON file (`-` for standard input), a TOML file, or one built in.
    #[arg(value_name = "FILE|NAME")]
    pub(crate) problem: String,
    /// Laws, separated by commas; all of them by default.
    #[arg(long, value_enum, value_delimiter = ',')]
    pub(crate) laws: Vec<LawName>,
    #[command(flatten)]
    pub(crate) settings: LawSettings,
    /// Directory for a page that plays the outcomes, and for figures and tables of a set of them; nothing
    /// is written by default.
    #[arg(long, value_name = "DIR")]
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

`percussion list LAW` tells the settings of a law.";

/// Arguments of `design`.
#[derive(Debug, Args)]
#[command(after_help = DESIGN_HELP)]
pub(crate) struct Design {
    /// Design file (TOML): variables, a mechanism whose numbers depend on them, and what has to touch; or a
    /// design that is built in.
    #[arg(value_name = "FILE|NAME")]
    pub(crate) design: String,
    /// Directory for the impact that was found (TOML) and the path of the search (CSV); nothing is written
    /// by default.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Print one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
}

const DESIGN_HELP: &str = "\
Examples:
  percussion design trex
  percussion design robot.toml --out found && percussion impact found/impact.toml --law propagative";

/// Settings of one law, or of several.
#[derive(Clone, Debug, Args)]
pub(crate) struct LawSettings {
    /// Setting of the law, with several laws as LAW.KEY=VALUE; may be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = setting)]
    pub(crate) settings: Vec<(String, String)>,
    /// Number of samples of a law that draws them, short for --set samples=N.
    #[arg(long, value_name = "N")]
    pub(crate) samples: Option<u64>,
    /// Seed of a law that draws samples, short for --set seed=N.
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
}

/// The laws of impact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LawName {
    /// Restitution of normal velocities, all contacts at once.
    Newton,
    /// Restitution of normal percussions, all contacts at once.
    Poisson,
    /// Inelastic, all contacts at once; one outcome or all.
    AnitescuPotra,
    /// Round friction cones, all contacts at once: maximum dissipation or Coulomb's law.
    MaximumDissipation,
    /// One contact after another, in one order or in all.
    Sequential,
    /// Elastic, from contact to contact without friction; one order or all outcomes.
    Propagative,
    /// A single contact followed through the impact, with dry friction at every instant.
    Routh,
    /// Rounds of compression and expansion of the contacts that approach.
    Plus,
    /// The set of all outcomes, with percussions that grow at arbitrary relative rates.
    SetValuedRouth,
    /// No law but its measure: contacts that give way, integrated until they part; needs geometry.
    Compliant,
}

/// One law or all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Which {
    One(LawName),
    All,
}

/// The problems of `solve`.
#[derive(Debug, Subcommand)]
pub(crate) enum Solve {
    /// Linear complementarity problem: find z ≥ 0 with w = M z + q ≥ 0 and z · w = 0.
    Lcp(SolveLcp),
    /// Contacts with friction: find the impulses that obey a friction law.
    Friction(SolveFriction),
}

/// Arguments of `solve friction`.
#[derive(Debug, Args)]
#[command(after_help = SOLVE_FRICTION_HELP)]
pub(crate) struct SolveFriction {
    /// Problem: a JSON file (below, `-` for standard input), a file of Siconos (`*.dat`), or a directory of
    /// such files (`*.json`, `*.dat`).
    #[arg(value_name = "FILE|DIR")]
    pub(crate) file: PathBuf,
    /// Friction law; that of the file by default, else `coulomb`.
    #[arg(long, value_enum)]
    pub(crate) law: Option<FrictionLaw>,
    /// Solver; that of the file by default, else `combined`.
    #[arg(long, value_enum)]
    pub(crate) solver: Option<FrictionSolver>,
    /// Largest accepted relative natural-map residual; that of the file by default, else 1e-8.
    #[arg(long, value_parser = not_negative, allow_hyphen_values = true)]
    pub(crate) tolerance: Option<f64>,
    /// Print one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
}

const SOLVE_FRICTION_HELP: &str = "\
A JSON file of n contacts holds W in u = W p + u_f, with normal, tangent and tangent of every contact in turn,
  {\"delassus\": {\"dense\": [[…], …]}, \"free_velocity\": […], \"friction\": […]}
with 3n rows, 3n velocities (m/s) and n coefficients; or W by blocks of 3 rows and columns,
  {\"delassus\": {\"blocks\": [{\"row\": 0, \"column\": 0, \"values\": [[…], […], […]]}, …]}, …}
It may have 3n impulses to start from, \"start\": […], and a solver with its settings, which is used when neither
law nor solver nor tolerance is given: \"method\": {\"combined\": {\"law\": \"coulomb\", \"tolerance\": 1e-8}}.

Examples:
  percussion solve friction sliding-block.json
  percussion solve friction problem.dat --solver interior-point --tolerance 1e-10 --json
  percussion solve friction directory --law maximum-dissipation";

/// The laws of `solve friction`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FrictionLaw {
    /// Friction is opposite to the slip that is left.
    Coulomb,
    /// Each contact's impulse leaves the least kinetic energy.
    MaximumDissipation,
}

impl From<FrictionLaw> for percussion_complementarity::friction::Law {
    fn from(law: FrictionLaw) -> Self {
        match law {
            FrictionLaw::Coulomb => Self::Coulomb,
            FrictionLaw::MaximumDissipation => Self::MaximumDissipation,
        }
    }
}

/// The solvers of `solve friction`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum FrictionSolver {
    /// Sweeps, and an interior point or projected gradients for problems that these leave unsolved.
    Combined,
    /// Sweeps over the contacts.
    BlockGaussSeidel,
    /// All contacts at once; Coulomb's law only.
    InteriorPoint,
    /// One factorization and many cheap steps; Coulomb's law only.
    AlternatingDirections,
    /// Products with W alone; Coulomb's law only.
    ProjectedGradient,
}

/// Arguments of `solve lcp`.
#[derive(Debug, Args)]
#[command(after_help = SOLVE_LCP_HELP)]
pub(crate) struct SolveLcp {
    /// JSON file {"matrix": [[…]], "vector": […]} with M and q; `-` reads standard input.
    pub(crate) file: PathBuf,
    /// Solver.
    #[arg(long, value_enum, default_value_t = Solver::Lemke)]
    pub(crate) solver: Solver,
    /// Largest accepted relative natural-map residual; the solver's own by default.
    #[arg(long, value_parser = not_negative, allow_hyphen_values = true)]
    pub(crate) tolerance: Option<f64>,
    /// Print one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
}

const SOLVE_LCP_HELP: &str = "\
Examples:
  percussion solve lcp problem.json
  percussion solve lcp problem.json --solver enumerate --json";

/// The solvers of `solve lcp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Solver {
    /// Complementary pivoting: the choice for contact problems.
    Lemke,
    /// All solutions of a small problem.
    Enumerate,
    /// Sweeps over the rows, for matrices with a positive diagonal.
    ProjectedGaussSeidel,
    /// A damped Newton method, for larger problems.
    FischerBurmeister,
}

/// Arguments of `reproduce`.
#[derive(Debug, Args)]
#[command(after_help = REPRODUCE_HELP)]
pub(crate) struct Reproduce {
    /// Experiments, or the beginnings of their names such as `stewart-trinkle`; all by default.
    #[arg(value_name = "ID")]
    pub(crate) experiments: Vec<String>,
    /// Directory for the report, created where it is missing.
    #[arg(long, value_name = "DIR", default_value = "target/reproduction")]
    pub(crate) out: PathBuf,
    /// Only what takes seconds.
    #[arg(long, conflicts_with = "full")]
    pub(crate) quick: bool,
    /// With more and finer steps than by default.
    #[arg(long)]
    pub(crate) full: bool,
    /// Seed of everything random.
    #[arg(long, default_value_t = 1, allow_hyphen_values = true)]
    pub(crate) seed: u64,
    /// Print one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
}

const REPRODUCE_HELP: &str = "\
Examples:
  percussion reproduce --quick
  percussion reproduce stewart-trinkle --out report";

/// Arguments of `view`.
#[derive(Debug, Args)]
#[command(after_help = VIEW_HELP)]
pub(crate) struct View {
    /// Directory written with `--out`.
    #[arg(value_name = "DIR")]
    pub(crate) directory: PathBuf,
    /// Port on this machine; one that is free by default.
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub(crate) port: u16,
}

const VIEW_HELP: &str = "\
Serves the directory on 127.0.0.1 alone until it is interrupted. The page also opens from disk, as view.html
or index.html of the directory.

Examples:
  percussion run stewart-trinkle/four-balls --out run && percussion view run
  percussion view target/reproduction --port 8000";

/// Arguments of `completions`.
#[derive(Debug, Args)]
#[command(after_help = COMPLETIONS_HELP)]
pub(crate) struct Completions {
    /// The shell.
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

const COMPLETIONS_HELP: &str = "\
Examples:
  percussion completions bash > ~/.local/share/bash-completion/completions/percussion
  percussion completions zsh > ~/.zfunc/_percussion
  percussion completions fish > ~/.config/fish/completions/percussion.fish";

fn positive(text: &str) -> Result<f64, String> {
    number(text, "a finite number above 0", |value| value > 0.0)
}

fn not_negative(text: &str) -> Result<f64, String> {
    number(text, "a finite number from 0 on", |value| value >= 0.0)
}

fn vector(text: &str) -> Result<Vector3<f64>, String> {
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

fn law_or_all() -> impl TypedValueParser<Value = Which> {
    let laws = LawName::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    let all = PossibleValue::new("all").help("Every law, side by side");
    PossibleValuesParser::new(laws.chain([all]))
        .map(|name| LawName::from_str(&name, false).map_or(Which::All, Which::One))
}

fn setting(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("expected a key and a value as in `tolerance=1e-9`".to_owned()),
    }
}

fn number(text: &str, expected: &str, accept: fn(f64) -> bool) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && accept(value) => Ok(value),
        _ => Err(format!("expected {expected}")),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        for text in ["0", "-1", "nan", "inf", "1e999", "", "one"] {
            assert!(positive(text).is_err(), "{text} was accepted");
        }
        assert_eq!(positive("1e-3"), Ok(1e-3));
        assert_eq!(not_negative("0"), Ok(0.0));
    }
}
