//! `percussion solve friction`.

mod blocks;

use std::{
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::{Context, Result, ensure};
use nalgebra::Vector3;
use percussion_complementarity::friction::{
    Figures, Infeasibility, Law, Method, Problem, Solution, Status,
};
use percussion_report::{Table, number::short};
use serde::Serialize;

use crate::{
    arguments::SolveFriction,
    input::{self, Friction, Stated},
    output::{self, Verdict, name_of},
};

/// Largest accepted relative residual when only a law or a solver is requested.
const TOLERANCE: f64 = 1e-8;

/// The solution of one problem, in the components of the file: normal, tangent and, in space, tangent.
#[derive(Debug, Serialize)]
struct Answer {
    #[serde(skip)]
    components: usize,
    status: Status,
    impulses: Vec<f64>,
    velocities: Vec<f64>,
    sweeps: usize,
    /// Relative residual: the largest of the figures divided by the largest free velocity of a contact.
    residual: f64,
    /// The violations, the largest of which gives the residual (m/s).
    figures: Figures,
    /// Proof that there is no solution.
    #[serde(skip_serializing_if = "Option::is_none")]
    infeasibility: Option<Infeasibility>,
}

impl Answer {
    fn new(problem: &Problem, solution: &Solution, components: usize) -> Self {
        let infeasible = solution.report.status == Status::Infeasible;
        let flat = |list: &[Vector3<f64>]| {
            list.iter().flat_map(|vector| vector.iter().take(components)).copied().collect()
        };
        Self {
            components,
            status: solution.report.status,
            impulses: flat(&solution.impulses),
            velocities: flat(&solution.velocities),
            sweeps: solution.report.iterations,
            residual: solution.report.relative_residual,
            figures: problem.figures(&solution.impulses),
            infeasibility: infeasible.then(|| Infeasibility::find(problem)).flatten(),
        }
    }

    fn text(&self) -> String {
        let names = ["contact", "p_n", "p_t", "p_o", "u_n", "u_t", "u_o"];
        let shown = |name: &&str| self.components == 3 || !name.ends_with('o');
        let header: Vec<_> = names.into_iter().filter(shown).collect();
        let mut table = Table::new(&">".repeat(header.len()), header);
        let chunks = |list: &'_ [f64]| {
            list.chunks_exact(self.components).map(<[f64]>::to_vec).collect::<Vec<_>>()
        };
        let rows = chunks(&self.impulses).into_iter().zip(chunks(&self.velocities));
        for (contact, (p, u)) in rows.enumerate() {
            let numbers = p.into_iter().chain(u).map(short);
            table.push(std::iter::once(contact.to_string()).chain(numbers));
        }
        let (status, residual) = (name_of(&self.status), short(self.residual));
        let mut text = format!(
            "{status} after {} sweeps, relative residual {residual}\n\n{table}",
            self.sweeps
        );
        if self.status != Status::Solved {
            let Figures { approach, adhesion, cone, complementarity, slip, .. } = self.figures;
            text += &violations(&[
                ("approach", approach),
                ("adhesion", adhesion),
                ("out of the cone", cone),
                ("neither open nor closed", complementarity),
                ("neither sticking nor sliding", slip),
            ]);
        }
        if let Some(proof) = &self.infeasibility {
            text += "\nThere is no solution: with these weights of the normals the contacts approach at ";
            text += &format!("{} m/s, whatever the impulses are.\n\n", short(proof.approach));
            text += &weights("contact", &proof.weights);
        }
        text
    }
}

/// A table of the figures of an answer that does not solve the problem (m/s).
fn violations(figures: &[(&str, f64)]) -> String {
    let mut table = Table::new("<>", ["figure", "m/s"]);
    for (name, value) in figures {
        table.push([(*name).to_owned(), short(*value)]);
    }
    format!("\n{table}")
}

/// A table of the weights of a proof, one for each `part` of the problem.
fn weights(part: &str, weights: &[f64]) -> String {
    let mut table = Table::new(">>", [part, "weight"]);
    for (index, weight) in weights.iter().enumerate() {
        table.push([index.to_string(), short(*weight)]);
    }
    table.to_string()
}

/// One line of the table of a directory.
#[derive(Debug, Serialize)]
struct Line {
    file: String,
    #[serde(flatten)]
    outcome: Outcome,
}

/// Result for one file of a directory.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Outcome {
    Answered {
        contacts: usize,
        status: Status,
        /// Relative residual.
        residual: f64,
        sweeps: usize,
        /// Time of the solve alone (s).
        seconds: f64,
    },
    /// The file does not contain such a problem, or the solver does not accept it.
    Refused { error: String },
}

pub(super) fn execute(arguments: &SolveFriction) -> Result<Verdict> {
    let method = asked(arguments)?;
    if arguments.file.is_dir() {
        return directory(arguments, method);
    }
    let stated = match input::friction(&arguments.file)? {
        Friction::Discs(stated) => by_law(stated, arguments),
        Friction::Blocks(stated) => return blocks::execute(&stated, arguments, method),
    };
    let solution = solve(&stated, method)?;
    let answer = Answer::new(&stated.problem, &solution, stated.components);
    output::answer(arguments.json, &answer, || answer.text())?;
    Ok(verdict(answer.status == Status::Solved))
}

/// The requested method; `None` if the file may choose.
fn asked(arguments: &SolveFriction) -> Result<Option<Method>> {
    let SolveFriction { law, solver, tolerance, .. } = arguments;
    if law.is_none() && solver.is_none() && tolerance.is_none() {
        return Ok(None);
    }
    let method = solver.unwrap_or_default().with_tolerance(tolerance.unwrap_or(TOLERANCE));
    if let Some(law) = law {
        check(method, *law)?;
    }
    Ok(Some(method))
}

/// The problem of a file with the requested law, or with its own.
fn by_law(stated: Stated, arguments: &SolveFriction) -> Stated {
    let law = arguments.law.unwrap_or(stated.problem.law());
    Stated { problem: stated.problem.with_law(law), ..stated }
}

/// Returns an error if the solver has no rule for `law`; the error names the solvers that have one.
fn check(method: Method, law: Law) -> Result<()> {
    method.check_law(law).with_context(|| {
        let others = Method::all().into_iter().filter(|other| other.laws().contains(&law));
        let others: Vec<_> = others.map(|other| other.name()).collect();
        format!("--solver {}: {law} is solved by {}", method.name(), others.join(" and "))
    })
}

/// Solves by the requested method, or by that of the file, or by the default one.
fn solve(stated: &Stated, asked: Option<Method>) -> Result<Solution> {
    let Stated { problem, method, .. } = stated;
    let mut impulses = stated.start.clone();
    let method = asked.or(*method).unwrap_or_default();
    check(method, problem.law())?;
    tracing::info!(contacts = problem.contact_count(), solver = method.name(), "solving");
    let report = method.solve_from(problem, &mut impulses)?;
    Ok(Solution { velocities: problem.velocities(&impulses), impulses, report })
}

/// Solves every `*.json` and `*.dat` of a directory, in the order of names.
fn directory(arguments: &SolveFriction, method: Option<Method>) -> Result<Verdict> {
    let name = arguments.file.display();
    let entries = fs::read_dir(&arguments.file).with_context(|| format!("cannot read `{name}`"))?;
    let mut files = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<PathBuf>, _>>()
        .with_context(|| format!("cannot read `{name}`"))?;
    files.retain(|file| file.extension().is_some_and(|end| end == "json" || end == "dat"));
    files.sort();
    ensure!(!files.is_empty(), "`{name}` contains no files *.json or *.dat");
    let mut lines = Vec::new();
    for path in files {
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        tracing::info!(file, "solving");
        let outcome = outcome(&path, arguments, method)
            .unwrap_or_else(|error| Outcome::Refused { error: output::with_causes(&error) });
        lines.push(Line { file, outcome });
    }
    output::answer(arguments.json, &lines, || lines_text(&lines))?;
    let solved =
        |line: &Line| matches!(line.outcome, Outcome::Answered { status: Status::Solved, .. });
    Ok(verdict(lines.iter().all(solved)))
}

fn outcome(file: &Path, arguments: &SolveFriction, method: Option<Method>) -> Result<Outcome> {
    let stated = input::friction(file)?;
    let start = Instant::now();
    let (contacts, report) = match stated {
        Friction::Discs(stated) => {
            let Solution { impulses, report, .. } = solve(&by_law(stated, arguments), method)?;
            (impulses.len(), report)
        }
        Friction::Blocks(stated) => {
            (stated.problem.blocks().len(), blocks::solve(&stated, arguments, method)?.1)
        }
    };
    Ok(Outcome::Answered {
        seconds: start.elapsed().as_secs_f64(),
        contacts,
        status: report.status,
        residual: report.relative_residual,
        sweeps: report.iterations,
    })
}

fn lines_text(lines: &[Line]) -> String {
    let header = ["file", "contacts", "status", "residual", "sweeps", "time (ms)"];
    let mut table = Table::new("<><>>>", header);
    let mut refused = String::new();
    for Line { file, outcome } in lines {
        match outcome {
            Outcome::Answered { contacts, status, residual, sweeps, seconds } => table.push([
                file.clone(),
                contacts.to_string(),
                name_of(status),
                short(*residual),
                sweeps.to_string(),
                short(1e3 * seconds),
            ]),
            Outcome::Refused { error } => refused += &format!("refused: {error}\n"),
        }
    }
    if refused.is_empty() { table.to_string() } else { format!("{table}\n{refused}") }
}

fn verdict(met: bool) -> Verdict {
    if met { Verdict::Met } else { Verdict::Unmet }
}
