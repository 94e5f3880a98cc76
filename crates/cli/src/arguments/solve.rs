//! The command line of `percussion solve`.

use std::path::PathBuf;

use clap::{
    Args, Subcommand, ValueHint,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use percussion_complementarity::{friction, lcp};

use super::not_negative;

/// The problems of `solve`.
#[derive(Debug, Subcommand)]
#[command(after_help = SOLVE_HELP)]
pub(crate) enum Solve {
    /// Linear complementarity problem: find z ≥ 0 with w = M z + q ≥ 0 and z · w = 0.
    Lcp(SolveLcp),
    /// Contacts with friction: find the impulses that satisfy a friction law.
    Friction(SolveFriction),
}

const SOLVE_HELP: &str = "\
Examples:
  percussion solve lcp problem.json
  percussion solve friction sliding-block.json";

/// Arguments of `solve friction`.
#[derive(Debug, Args)]
#[command(after_help = SOLVE_FRICTION_HELP)]
pub(crate) struct SolveFriction {
    /// Problem: a JSON file (format below, `-` for standard input), a Siconos file (`*.dat`), or a directory
    /// of such files (`*.json`, `*.dat`).
    #[arg(value_name = "FILE|DIR", value_hint = ValueHint::AnyPath)]
    pub(crate) file: PathBuf,
    /// Friction law of the problem; by default that of the file, or else `coulomb`.
    #[arg(long, value_parser = friction_law())]
    pub(crate) law: Option<friction::Law>,
    /// Solver; by default that of the file, or else `combined`.
    #[arg(long, value_parser = friction_solver())]
    pub(crate) solver: Option<friction::Method>,
    /// Largest accepted relative natural-map residual; by default that of the file, or else 1e-8.
    #[arg(long, value_name = "RESIDUAL", value_parser = not_negative, allow_hyphen_values = true)]
    pub(crate) tolerance: Option<f64>,
    /// Print one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
}

const SOLVE_FRICTION_HELP: &str = "\
A JSON file of n contacts contains W and u_f of u = W p + u_f, in the order normal, tangent 1, tangent 2 of each contact:
  {\"delassus\": {\"dense\": [[…], …]}, \"free_velocity\": […], \"friction\": […]}
with 3n rows, 3n velocities (m/s) and n coefficients; or W in blocks of 3 rows and columns:
  {\"delassus\": {\"blocks\": [{\"row\": 0, \"column\": 0, \"values\": [[…], […], […]]}, …]}, …}
It may contain the friction law, \"law\": \"coulomb\" or \"maximum-dissipation\", 3n impulses to start from,
\"start\": […], and a solver with its settings, which is used when neither --law nor --solver nor --tolerance is
given: \"method\": {\"combined\": {\"tolerance\": 1e-8}}.

Joints, limits, dry friction of joints and other cones are blocks of consecutive rows of a dense W, instead of friction:
  \"blocks\": [{\"kind\": \"bilateral\" | \"unilateral\" | \"interval\" | \"contact\", \"rows\": n, …}, …]
An interval has \"bound\": a or [l, u]; a contact has \"section\": {\"disc\": μ}, {\"ellipse\": [μ1, μ2]},
{\"polygon\": [[x, y], …]}, {\"spin\": [μ1, μ2, length]} or {\"rolling\": [μ, length, length]}. \"compliance\" is a list of
one number for each row, \"model\" is \"coulomb\" or \"convex-relaxation\".

Examples:
  percussion solve friction sliding-block.json
  percussion solve friction problem.dat --solver interior-point --tolerance 1e-10 --json
  percussion solve friction directory --law maximum-dissipation";

/// Arguments of `solve lcp`.
#[derive(Debug, Args)]
#[command(after_help = SOLVE_LCP_HELP)]
pub(crate) struct SolveLcp {
    /// JSON file {"matrix": [[…]], "vector": […]} with M and q; `-` reads standard input.
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// Solver.
    #[arg(long, value_parser = lcp_solver(), default_value = "lemke")]
    pub(crate) solver: Solver,
    /// Largest accepted relative natural-map residual; by default that of the solver.
    #[arg(long, value_name = "RESIDUAL", value_parser = not_negative, allow_hyphen_values = true)]
    pub(crate) tolerance: Option<f64>,
    /// Print one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
}

const SOLVE_LCP_HELP: &str = "\
Examples:
  percussion solve lcp problem.json
  percussion solve lcp problem.json --solver enumerate --json";

/// A solver of `solve lcp`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Solver {
    /// One solution, by a method with its default settings.
    One(lcp::Method),
    /// All solutions of a small problem.
    Enumerate,
}

impl Solver {
    const ENUMERATE: (&str, &str) = ("enumerate", "All solutions of a small problem");

    /// Names and summaries, in the order of lists.
    pub(crate) fn list() -> impl Iterator<Item = (&'static str, &'static str)> {
        let methods = lcp::Method::all().into_iter();
        methods.map(|method| (method.name(), method.summary())).chain([Self::ENUMERATE])
    }
}

/// Possible values with their help texts.
fn values(
    list: impl Iterator<Item = (&'static str, &'static str)>,
) -> impl Iterator<Item = PossibleValue> {
    list.map(|(name, summary)| PossibleValue::new(name).help(summary))
}

fn lcp_solver() -> impl TypedValueParser<Value = Solver> {
    let named = |name: &str| lcp::Method::all().into_iter().find(|method| method.name() == name);
    PossibleValuesParser::new(values(Solver::list()))
        .map(move |name| named(&name).map_or(Solver::Enumerate, Solver::One))
}

fn friction_solver() -> impl TypedValueParser<Value = friction::Method> {
    let list = friction::Method::all().into_iter();
    let named = |name: &str| friction::Method::all().into_iter().find(|one| one.name() == name);
    PossibleValuesParser::new(values(list.map(|method| (method.name(), method.summary()))))
        .map(move |name| named(&name).unwrap_or_default())
}

fn friction_law() -> impl TypedValueParser<Value = friction::Law> {
    let list = friction::Law::all().into_iter();
    let named = |name: &str| friction::Law::all().into_iter().find(|law| law.name() == name);
    PossibleValuesParser::new(values(list.map(|law| (law.name(), law.summary()))))
        .map(move |name| named(&name).unwrap_or_default())
}
