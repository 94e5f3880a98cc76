//! Random towers, walls and arches of 100 to 5000 contacts with a known solution, by our default method.
//!
//! `large/growth-…` is the time per contact at 5000 contacts relative to that at 100. `large/known` counts the problems of all
//! structures that are solved, at rest and with slipping and opening contacts, of five seeds.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use percussion_benches::{
    row::{Accuracy, Reach, Row, Spread, timed},
    structures::{Motion, Structure, known},
};
use percussion_complementarity::friction::{Method, Solution, Status};

use super::{Outcome, RIGHT, Task};

const SIZES: [u16; 3] = [100, 1000, 5000];
const SEEDS: u64 = 5;
/// Time after which no further seed is tried.
const BUDGET: Duration = Duration::from_secs(30);
/// Contacts of the problems that are counted.
const COUNTED: u16 = 200;

pub(crate) fn tasks() -> Vec<Task> {
    let mut tasks = Vec::new();
    for structure in Structure::ALL {
        let name = format!("large/{}", structure.name());
        let mut rows: Vec<_> = SIZES.map(|size| format!("{name}-{size}")).into();
        rows.push(format!("{name}-growth"));
        // Problems of 5000 contacts that are not solved take minutes.
        let seconds = 300;
        tasks.push(Task { seconds, ..Task::of_rows(&name, rows, &[], move |_| growth(structure)) });
    }
    tasks.push(Task::of_row("large/known", &[], |_| count()));
    tasks
}

/// The solution, the time (s) and the number of contacts of a problem.
fn solved(structure: Structure, contacts: u16, motion: Motion, seed: u64) -> Outcome<Solved> {
    let (problem, _) = known(structure, contacts, motion, seed);
    let mut solution = None;
    let time = timed(|| solution = Some(Method::default().solve(black_box(&problem))));
    let solution = solution.transpose()?.ok_or("no solution was computed")?;
    let residual = problem.relative_residual(&solution.impulses);
    Ok(Solved { solution, time, residual, contacts: problem.contact_count() })
}

struct Solved {
    solution: Solution,
    time: f64,
    residual: f64,
    contacts: usize,
}

/// Times of a structure at rest.
fn growth(structure: Structure) -> Outcome {
    let mut per_contact = Vec::new();
    let (mut all_solved, mut worst) = (true, 0.0_f64);
    for size in SIZES {
        let (mut times, mut residual, mut contacts, mut failed) = (Vec::new(), 0.0_f64, 0, 0);
        let start = Instant::now();
        for seed in (1..=SEEDS).take_while(|_| start.elapsed() < BUDGET) {
            let answer = solved(structure, size, Motion::Rest, seed)?;
            times.push(answer.time);
            contacts = answer.contacts;
            residual = residual.max(answer.residual);
            let is_right =
                answer.solution.report.status == Status::Solved && answer.residual <= RIGHT;
            failed += usize::from(!is_right);
        }
        all_solved &= failed == 0;
        worst = worst.max(residual);
        let name = format!("large/{}-{size}", structure.name());
        let note = format!("{contacts} contacts; {failed} of {} not solved", times.len());
        let accuracy = Some(Accuracy { what: "relative residual", ours: residual, peer: None });
        let row = Row { accuracy, note, ..Row::of_times(&name, &times) };
        row.print()?;
        per_contact.push(row.ours.map_or(f64::NAN, |ours| ours.median) / contacts as f64);
    }
    let factor = per_contact[SIZES.len() - 1] / per_contact[0];
    let row = Row {
        name: format!("large/{}-growth", structure.name()),
        unit: "×",
        ours: Some(Spread::exact(factor)),
        accuracy: Some(Accuracy { what: "relative residual", ours: worst, peer: None }),
        reach: Some(Reach::OursAtMost(3.0)),
        note: format!(
            "time a contact at 5000 beside that at 100{}",
            if all_solved { "" } else { "; not all are solved" }
        ),
        ..Row::default()
    };
    Ok(row.print()?)
}

/// How many problems with a known solution are solved.
fn count() -> Outcome {
    let (mut right, mut all, mut worst) = (0_u32, 0_u32, 0.0_f64);
    let mut unsolved = Vec::new();
    for structure in Structure::ALL {
        for motion in Motion::ALL {
            for seed in 1..=SEEDS {
                let answer = solved(structure, COUNTED, motion, 100 + seed)?;
                all += 1;
                worst = worst.max(answer.residual);
                if answer.residual <= RIGHT {
                    right += 1;
                } else {
                    unsolved.push(format!("{} {}", structure.name(), motion.name()));
                }
            }
        }
    }
    unsolved.dedup();
    let row = Row {
        name: "large/known".to_owned(),
        unit: "problems",
        ours: Some(Spread::exact(f64::from(right))),
        accuracy: Some(Accuracy { what: "worst relative residual", ours: worst, peer: None }),
        reach: Some(Reach::OursAtLeast(f64::from(all))),
        note: format!(
            "of {all} with {COUNTED} contacts, to 1e-8{}{}",
            if unsolved.is_empty() { "" } else { "; not: " },
            unsolved.join(", ")
        ),
        ..Row::default()
    };
    Ok(row.print()?)
}
