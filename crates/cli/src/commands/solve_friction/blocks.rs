//! `percussion solve friction` for problems with blocks.

use anyhow::{Context, Result, ensure};
use percussion_complementarity::friction::{
    Law, Method, Report, Status,
    mixed::{Block, Figures, Infeasibility, Set},
};
use percussion_report::{Table, number::short};
use serde::Serialize;

use super::{violations, weights};
use crate::{
    arguments::SolveFriction,
    input::StatedBlocks,
    output::{self, Verdict, name_of},
};

/// The answer, one number for each row of the blocks.
#[derive(Debug, Serialize)]
struct Answer {
    status: Status,
    impulses: Vec<f64>,
    velocities: Vec<f64>,
    /// Sweeps and steps.
    sweeps: usize,
    /// Relative residual: the largest of the figures over the largest free velocity of a block.
    residual: f64,
    /// The violations of which the residual is the largest (m/s).
    figures: Figures,
    /// Why there is no solution.
    #[serde(skip_serializing_if = "Option::is_none")]
    infeasibility: Option<Infeasibility>,
}

pub(super) fn execute(
    stated: &StatedBlocks,
    arguments: &SolveFriction,
    asked: Option<Method>,
) -> Result<Verdict> {
    let (impulses, report) = solve(stated, arguments, asked)?;
    let problem = &stated.problem;
    let infeasible = report.status == Status::Infeasible;
    let answer = Answer {
        status: report.status,
        velocities: problem.velocities(&impulses),
        sweeps: report.iterations,
        residual: report.relative_residual,
        figures: problem.figures(&impulses),
        infeasibility: infeasible.then(|| Infeasibility::find(problem)).flatten(),
        impulses,
    };
    output::answer(arguments.json, &answer, || text(problem.blocks(), &answer))?;
    Ok(if report.status == Status::Solved { Verdict::Met } else { Verdict::Unmet })
}

/// Solves by the method asked for, or that of the file, or the default.
pub(super) fn solve(
    stated: &StatedBlocks,
    arguments: &SolveFriction,
    asked: Option<Method>,
) -> Result<(Vec<f64>, Report)> {
    let law = arguments.law.unwrap_or_default();
    ensure!(
        law == Law::Coulomb,
        "`--law` is {law}, expected coulomb: the problem has blocks, whose model is stated in the file"
    );
    let method = asked.or(stated.method).unwrap_or_default();
    method.check_blocks().with_context(|| format!("--solver {}", method.name()))?;
    tracing::info!(rows = stated.problem.rows(), solver = method.name(), "solving");
    let mut impulses = stated.start.clone();
    let report = method.solve_blocks_from(&stated.problem, &mut impulses)?;
    Ok((impulses, report))
}

fn text(blocks: &[Block], answer: &Answer) -> String {
    let mut table = Table::new("><>>>", ["block", "kind", "row", "impulse", "velocity"]);
    let mut rows = answer.impulses.iter().zip(&answer.velocities);
    for (index, block) in blocks.iter().enumerate() {
        let kind = match &block.set {
            Set::Contact(section) => format!("contact, {section}"),
            _ => block.kind().to_owned(),
        };
        for (row, (impulse, velocity)) in rows.by_ref().take(block.rows).enumerate() {
            let names =
                if row == 0 { [index.to_string(), kind.clone()] } else { Default::default() };
            let numbers = [row.to_string(), short(*impulse), short(*velocity)];
            table.push(names.into_iter().chain(numbers));
        }
    }
    let (status, residual) = (name_of(&answer.status), short(answer.residual));
    let mut text =
        format!("{status} after {} sweeps, relative residual {residual}\n\n{table}", answer.sweeps);
    if answer.status != Status::Solved {
        let Figures { bilateral, approach, adhesion, cone, complementarity, slip, .. } =
            answer.figures;
        text += &violations(&[
            ("bilateral rows that move", bilateral),
            ("approach", approach),
            ("adhesion", adhesion),
            ("out of bounds or cone", cone),
            ("neither open nor closed", complementarity),
            ("neither sticking nor sliding", slip),
        ]);
    }
    if let Some(proof) = &answer.infeasibility {
        text += "\nThere is no solution: with these weights of the rows the velocities sum to less than zero, ";
        text += &format!("by {}, whatever the impulses are.\n\n", short(proof.approach));
        text += &weights("row", &proof.weights);
    }
    text
}
