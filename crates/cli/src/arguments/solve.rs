//! What can be typed after `percussion solve`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};

use super::not_negative;

/// The problems of `solve`.
#[derive(Debug, Subcommand)]
#[command(after_help = SOLVE_HELP)]
pub(crate) enum Solve {
    /// Linear complementarity problem: find z ≥ 0 with w = M z + q ≥ 0 and z · w = 0.
    Lcp(SolveLcp),
    /// Contacts with friction: find the impulses that obey a friction law.
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
    /// Problem: a JSON file (below, `-` for standard input), a file of Siconos (`*.dat`), or a directory of
    /// such files (`*.json`, `*.dat`).
    #[arg(value_name = "FILE|DIR", value_hint = ValueHint::AnyPath)]
    pub(crate) file: PathBuf,
    /// Friction law of the problem; that of the file by default, else `coulomb`.
    #[arg(long, value_enum)]
    pub(crate) law: Option<FrictionLaw>,
    /// Solver; that of the file by default, else `combined`.
    #[arg(long, value_enum)]
    pub(crate) solver: Option<FrictionSolver>,
    /// Largest accepted relative natural-map residual; that of the file by default, else 1e-8.
    #[arg(long, value_name = "RESIDUAL", value_parser = not_negative, allow_hyphen_values = true)]
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
It may have the friction law, \"law\": \"coulomb\" or \"maximum-dissipation\", 3n impulses to start from,
\"start\": […], and a solver with its settings, which is used when neither --law nor --solver nor --tolerance is
given: \"method\": {\"combined\": {\"tolerance\": 1e-8}}.

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
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// Solver.
    #[arg(long, value_enum, default_value_t = Solver::Lemke)]
    pub(crate) solver: Solver,
    /// Largest accepted relative natural-map residual; the solver's own by default.
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
