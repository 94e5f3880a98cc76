//! `percussion solve lcp`.

use anyhow::Result;
use nalgebra::DVector;
use percussion_complementarity::lcp::{
    Method, Problem, Report, Solution, Status, enumerate, lemke,
};
use percussion_report::{Table, number::short};
use serde::Serialize;

use crate::{
    arguments::{SolveLcp, Solver},
    input,
    output::{self, Verdict, name_of},
};

/// The result of a solver that computes one solution.
#[derive(Debug, Serialize)]
struct Answer {
    status: Status,
    z: Vec<f64>,
    w: Vec<f64>,
    iterations: usize,
    /// Natural-map residual of `z`, in the units of `w`.
    residual: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    ray: Option<Ray>,
}

/// The certificate of a ray: along `z + s direction` and `artificial + s artificial_rate`, all
/// conditions hold for every `s ≥ 0` with `covering` times the artificial variable added to `w`.
#[derive(Debug, Serialize)]
struct Ray {
    z: Vec<f64>,
    direction: Vec<f64>,
    artificial: f64,
    artificial_rate: f64,
    covering: Vec<f64>,
    /// Relative error of the ray in its defining conditions.
    violation: f64,
}

/// The result of the enumeration: every vertex, ray and convex piece of the solution set.
#[derive(Debug, Serialize)]
struct Enumeration {
    status: EnumerationStatus,
    solutions: Vec<Pair>,
    rays: Vec<Pair>,
    pieces: Vec<Piece>,
}

/// Status of an enumeration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum EnumerationStatus {
    /// All solutions are listed.
    Solved,
    /// There is no solution.
    NoSolution,
    /// Solutions may be missing: some candidates exceeded the tolerance, or none was found but a basis that is singular
    /// within rounding may have one far out.
    Incomplete,
}

#[derive(Debug, Serialize)]
struct Pair {
    z: Vec<f64>,
    w: Vec<f64>,
}

/// Indices of the solutions and rays that span a convex set of solutions.
#[derive(Debug, Serialize)]
struct Piece {
    solutions: Vec<usize>,
    rays: Vec<usize>,
}

pub(super) fn execute(arguments: &SolveLcp) -> Result<Verdict> {
    let problem = input::lcp(&arguments.file)?;
    tracing::info!(unknowns = problem.dimension(), solver = ?arguments.solver, "solving");
    let Solver::One(method) = arguments.solver else {
        let answer = enumerate(&problem, arguments.tolerance)?;
        output::answer(arguments.json, &answer, || enumeration_text(&answer))?;
        return Ok(verdict(answer.status == EnumerationStatus::Solved));
    };
    let answer = solve(&problem, method, arguments.tolerance)?;
    output::answer(arguments.json, &answer, || answer_text(&answer))?;
    Ok(verdict(answer.status == Status::Solved))
}

fn verdict(met: bool) -> Verdict {
    if met { Verdict::Met } else { Verdict::Unmet }
}

fn solve(problem: &Problem, method: Method, tolerance: Option<f64>) -> Result<Answer> {
    let method = tolerance.map_or(method, |tolerance| method.with_tolerance(tolerance));
    // The ray is in Lemke's workspace.
    if let Method::Lemke(settings) = method {
        return lemke_answer(problem, &settings);
    }
    let Solution { z, w, report, .. } = method.solve(problem)?;
    Ok(answer(&z, &w, report, None))
}

fn lemke_answer(problem: &Problem, settings: &lemke::Settings) -> Result<Answer> {
    let mut workspace = lemke::Workspace::new(problem.dimension());
    let mut z = DVector::zeros(problem.dimension());
    let report = lemke::solve(problem, settings, &mut workspace, &mut z)?;
    let ray = workspace.ray().filter(|_| report.status == Status::Ray).map(|ray| Ray {
        z: entries(&ray.z),
        direction: entries(&ray.direction),
        artificial: ray.artificial,
        artificial_rate: ray.artificial_rate,
        covering: entries(&ray.covering),
        violation: ray.violation(problem),
    });
    Ok(answer(&z, &problem.slack(&z), report, ray))
}

fn answer(z: &DVector<f64>, w: &DVector<f64>, report: Report, ray: Option<Ray>) -> Answer {
    Answer {
        status: report.status,
        z: entries(z),
        w: entries(w),
        iterations: report.iterations,
        residual: report.residual,
        ray,
    }
}

fn enumerate(problem: &Problem, tolerance: Option<f64>) -> Result<Enumeration> {
    let defaults = enumerate::Settings::default();
    let tolerance = tolerance.unwrap_or(defaults.tolerance);
    let set = enumerate::solve(problem, &enumerate::Settings { tolerance, ..defaults })?;
    let status = match (set.unverified, set.is_empty()) {
        (0, false) => EnumerationStatus::Solved,
        _ if set.has_none() => EnumerationStatus::NoSolution,
        _ => EnumerationStatus::Incomplete,
    };
    let pair = |z, w| Pair { z: entries(z), w: entries(w) };
    Ok(Enumeration {
        status,
        solutions: set.vertices.iter().map(|vertex| pair(&vertex.z, &vertex.w)).collect(),
        rays: set.rays.iter().map(|ray| pair(&ray.z, &ray.w)).collect(),
        pieces: set
            .pieces
            .into_iter()
            .map(|piece| Piece { solutions: piece.vertices, rays: piece.rays })
            .collect(),
    })
}

fn entries(vector: &DVector<f64>) -> Vec<f64> {
    vector.iter().copied().collect()
}

fn answer_text(answer: &Answer) -> String {
    let status = name_of(&answer.status);
    let (iterations, residual) = (answer.iterations, short(answer.residual));
    let s = if iterations == 1 { "" } else { "s" };
    let mut text = format!("{status} after {iterations} iteration{s}, residual {residual}\n\n");
    let mut table = Table::new(">>>", ["i", "z", "w"]);
    for (index, (z, w)) in answer.z.iter().zip(&answer.w).enumerate() {
        table.push([index.to_string(), short(*z), short(*w)]);
    }
    text += &table.to_string();
    if let Some(ray) = &answer.ray {
        text += &format!(
            "\nThe path left along a ray (its certificate holds to {}; --json prints it).\n",
            short(ray.violation)
        );
    }
    text
}

fn enumeration_text(answer: &Enumeration) -> String {
    let count =
        |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    let mut text = format!(
        "{}: {} and {} in {}\n",
        name_of(&answer.status),
        count(answer.solutions.len(), "vertex solution"),
        count(answer.rays.len(), "ray"),
        count(answer.pieces.len(), "convex piece"),
    );
    let named = |name: &str, pairs: &[Pair]| -> String {
        let tables = pairs.iter().enumerate().map(|(number, pair)| {
            let mut table = Table::new(">>>", ["i", "z", "w"]);
            for (index, (z, w)) in pair.z.iter().zip(&pair.w).enumerate() {
                table.push([index.to_string(), short(*z), short(*w)]);
            }
            format!("\n{name} {number}\n{table}")
        });
        tables.collect()
    };
    text += &named("solution", &answer.solutions);
    text += &named("ray", &answer.rays);
    text
}
