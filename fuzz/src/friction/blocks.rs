//! Problems with blocks: joints, limits, bounded rows and contacts with any section.

use nalgebra::DMatrix;
use percussion_complementarity::friction::{
    Status,
    mixed::{Bilateral, Block, Infeasibility, Model, Problem, Section, Set, Settings, Steps},
};
use percussion_verify::friction::blocks as judge;

use super::Friction;
use crate::{
    Source, Tally, lcp,
    matrices::{self, Rows, flat},
};

/// Tolerance that the solvers are asked for.
const TOLERANCE: f64 = 1e-9;

fn section(source: &mut Source<'_>) -> Section {
    let length = |source: &mut Source<'_>| {
        if source.chance(0.2) { 0.0 } else { source.power(2.0) * 0.1 }
    };
    match source.below(7) {
        0 | 1 => Section::Disc(lcp::friction(source)),
        2 => Section::Ellipse([lcp::friction(source), lcp::friction(source)]),
        3 => {
            let count = 1 + source.below(5);
            let style = source.style();
            let mut points: Vec<[f64; 2]> =
                (0..count).map(|_| [source.number(style), source.number(style)]).collect();
            if source.chance(0.7) {
                points.extend(points.clone().iter().map(|v| [-v[0], -v[1]]));
            } else {
                points.push([0.0, 0.0]);
            }
            Section::Polygon(points)
        }
        4 => Section::Spin([lcp::friction(source), lcp::friction(source), length(source)]),
        5 => Section::Rolling([lcp::friction(source), length(source), length(source)]),
        _ => Section::JointEllipsoid([
            lcp::friction(source),
            lcp::friction(source),
            length(source),
            length(source),
            length(source),
        ]),
    }
}

fn block(source: &mut Source<'_>, impulse: f64) -> Block {
    let row = match source.below(8) {
        0 | 1 => Block::bilateral(1 + source.below(4)),
        2 => Block::unilateral(1 + source.below(2)),
        3 => {
            let bound = source.pick(&[0.0, 1.0, 0.1, 1e-3, 1e3]) * impulse;
            Block::bound(bound)
        }
        4 => {
            let (a, b) = (source.normal() * impulse, source.normal() * impulse);
            Block::interval(a.min(b), a.max(b))
        }
        _ => {
            let section = section(source);
            let block = Block::contact(section);
            return match block.set {
                Set::Contact(Section::Disc(_)) => Block { rows: 1 + source.below(3), ..block },
                _ => block,
            };
        }
    };
    if source.chance(0.2) { row.with_length(source.power(3.0)) } else { row }
}

/// Draws a problem.
pub(super) fn generate(source: &mut Source<'_>) -> Friction {
    let decades = source.pick(&[0.0, 0.0, 12.0, 150.0]);
    let (mass, speed) = (matrices::unit(source, decades), matrices::unit(source, decades));
    let count = source.pick(&[1, 1, 2, 3, 4, 6]);
    let blocks: Vec<Block> = (0..count).map(|_| block(source, speed / mass)).collect();
    let rows = blocks.iter().map(|block| block.rows).sum();
    let columns = source.pick(&[3, 6, 6, 12, 2, rows + 1]);
    let mut jacobian = matrices::jacobian(source, rows, columns);
    if source.chance(0.2) {
        // Rows of their own units.
        let decades = source.pick(&[1.0, 3.0, 12.0]);
        for row in &mut jacobian {
            let unit = matrices::unit(source, decades);
            row.iter_mut().for_each(|x| *x *= unit);
        }
    }
    if source.chance(0.1) {
        let still = source.below(rows);
        jacobian[still].fill(0.0);
    }
    let mut delassus = matrices::delassus(source, &jacobian);
    delassus.iter_mut().flatten().for_each(|w| *w *= mass);
    let style = source.style();
    let free: Vec<f64> = if source.chance(0.8) {
        let velocity: Rows = vec![(0..columns).map(|_| source.number(style)).collect()];
        matrices::product(&jacobian, &velocity).into_iter().map(|row| row[0]).collect()
    } else {
        (0..rows).map(|_| source.number(style)).collect()
    };
    let compliance = if source.chance(0.2) {
        (0..rows).map(|_| if source.chance(0.5) { 0.0 } else { mass * source.power(4.0) }).collect()
    } else {
        Vec::new()
    };
    Friction {
        delassus,
        free_velocity: free.iter().map(|u| u * speed).collect(),
        friction: Vec::new(),
        blocks,
        compliance,
    }
}

/// The block in the words of the judge.
fn stated(block: &Block) -> judge::Block {
    let set = match &block.set {
        Set::Bilateral => judge::Set::Bilateral,
        Set::Unilateral => judge::Set::Unilateral,
        &Set::Interval { lower, upper } => judge::Set::Interval([lower, upper]),
        Set::Contact(Section::Disc(friction)) => {
            judge::Set::Ellipsoids(vec![vec![*friction; block.rows - 1]])
        }
        Set::Contact(Section::Ellipse(axes)) => judge::Set::Ellipsoids(vec![axes.to_vec()]),
        Set::Contact(Section::Polygon(points)) => judge::Set::Polygon(points.clone()),
        Set::Contact(Section::Spin(axes)) => judge::Set::Ellipsoids(vec![axes.to_vec()]),
        &Set::Contact(Section::Rolling([slide, spin, roll])) => {
            judge::Set::Ellipsoids(vec![vec![slide; 2], vec![spin], vec![roll; 2]])
        }
        Set::Contact(Section::JointEllipsoid(axes)) => judge::Set::Ellipsoids(vec![axes.to_vec()]),
        _ => judge::Set::Bilateral,
    };
    judge::Block { rows: block.rows, length: block.length, set }
}

/// Asks all solvers, and judges what they say.
pub(super) fn check(case: &Friction, tally: &mut Tally) {
    let rows = case.free_velocity.len();
    let matrix = DMatrix::from_row_slice(rows, rows, &flat(&case.delassus));
    let problem =
        Problem::new(matrix, case.free_velocity.clone(), case.blocks.clone()).and_then(|problem| {
            if case.compliance.is_empty() {
                Ok(problem)
            } else {
                problem.with_compliance(case.compliance.clone())
            }
        });
    let Ok(problem) = problem else {
        tally.count("blocks", "Refused");
        return;
    };
    let operator: Vec<f64> = problem.operator().transpose().as_slice().to_vec();
    let blocks: Vec<judge::Block> = case.blocks.iter().map(stated).collect();
    let combined = Settings { tolerance: TOLERANCE, ..Settings::default() };
    let short = Settings { max_iterations: 300, ..combined };
    for (model, name, settings) in [
        (Model::Coulomb, "blocks", combined),
        (Model::Coulomb, "blocks/kept", Settings { bilateral: Bilateral::Keep, ..combined }),
        (Model::Coulomb, "blocks/sweeps", Settings { steps: Steps::Sweeps, ..short }),
        (
            Model::Coulomb,
            "blocks/directions",
            Settings { steps: Steps::AlternatingDirections, ..short },
        ),
        (Model::ConvexRelaxation, "blocks/relaxed", combined),
    ] {
        let problem = problem.clone().with_model(model);
        let stated = judge::Problem {
            operator: &operator,
            free_velocity: &case.free_velocity,
            blocks: &blocks,
            relaxed: model == Model::ConvexRelaxation,
        };
        let Ok(solution) = problem.solve(&settings) else {
            tally.fail(name, "refused");
            continue;
        };
        tally.count(name, solution.report.status);
        match solution.report.status {
            Status::Solved => {
                tally.judge(name, &judge::judge(&stated, &solution.impulses, TOLERANCE));
            }
            Status::Infeasible => match Infeasibility::find(&problem) {
                Some(proof) => {
                    tally.judge(name, &judge::judge_infeasible(&stated, &proof.weights));
                }
                None => tally.fail(name, "infeasible without a proof"),
            },
            _ => {}
        }
    }
}

/// The case without one of its blocks.
pub(super) fn smaller(case: &Friction) -> Vec<Friction> {
    if case.blocks.len() < 2 {
        return Vec::new();
    }
    let mut first = 0;
    let mut cases = Vec::new();
    for (index, block) in case.blocks.iter().enumerate() {
        let gone = first..first + block.rows;
        let kept: Vec<usize> =
            (0..case.free_velocity.len()).filter(|row| !gone.contains(row)).collect();
        let of = |list: &[f64]| kept.iter().filter_map(|&row| list.get(row).copied()).collect();
        let mut blocks = case.blocks.clone();
        blocks.remove(index);
        cases.push(Friction {
            delassus: kept.iter().map(|&row| of(&case.delassus[row])).collect(),
            free_velocity: of(&case.free_velocity),
            friction: Vec::new(),
            blocks,
            compliance: of(&case.compliance),
        });
        first = gone.end;
    }
    cases
}
