//! Contacts with friction by our solvers and by Siconos's.
//!
//! - `friction/sweeps-…`: a sweep of Gauss–Seidel near the solution of random packings of 1000 contacts, by their number of
//!   blocks per row, as the difference of twelve sweeps and two.
//! - `friction/one-…`: one contact in closed form, 1000 random ones.
//! - `friction/solve-…`: whole problems from zero impulses to a relative residual of 1e-8, by our default and by the fastest
//!   of ten solvers of Siconos that gets there.

use std::hint::black_box;

use nalgebra::{DMatrix, Vector3};
use percussion_benches::{
    frictional::{packing, sliding},
    piles,
    row::{Accuracy, Pairs, Peer, Row, least},
};
use percussion_complementarity::friction::{
    Method, Problem, Status,
    block_gauss_seidel::{self, Settings},
    single::coulomb,
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::{
    Context, Outcome, RIGHT, Task,
    siconos::{Request, Siconos},
};

const NEEDS: &[&str] = &["siconos"];
/// Time for an answer of any of Siconos's solvers (s).
const LIMIT: f64 = 5.0;

pub(crate) fn tasks() -> Vec<Task> {
    let mut tasks = Vec::new();
    for blocks in [2.3, 5.0, 11.0, 23.0] {
        let name = format!("friction/sweeps-{blocks}");
        let row = name.clone();
        tasks.push(Task::of_row(&name, NEEDS, move |context| sweeps(&row, blocks, context)));
    }
    for kind in ["full", "diagonal"] {
        let name = format!("friction/one-{kind}");
        let row = name.clone();
        let is_diagonal = kind == "diagonal";
        tasks.push(Task::of_row(&name, NEEDS, move |context| single(&row, is_diagonal, context)));
    }
    for (name, draw) in problems() {
        let name = format!("friction/solve-{name}");
        let row = name.clone();
        tasks.push(Task::of_row(&name, NEEDS, move |context| {
            let mut siconos = Siconos::new(&context.driver("siconos_friction")?);
            Ok(solve(&row, &draw(), &mut siconos, LIMIT)?.print()?)
        }));
    }
    tasks
}

/// Ten sweeps near the solution, as the difference of twelve and two.
fn sweeps(name: &str, blocks: f64, context: &Context) -> Outcome {
    const REPEATS: i32 = 20;
    let problem = packing(1, 1000, blocks, 0.5);
    let per_sweep = 10.0 * f64::from(u16::try_from(problem.contact_count())?);
    let sweep = |count: usize, impulses: &mut [Vector3<f64>]| {
        let settings = Settings {
            tolerance: 0.0,
            max_sweeps: count,
            memory: 0,
            check_every: count,
            ..Settings::default()
        };
        block_gauss_seidel::solve(&problem, &settings, impulses)
    };
    let mut near = vec![Vector3::zeros(); problem.contact_count()];
    sweep(200, &mut near)?;
    let mut siconos = Siconos::new(&context.driver("siconos_friction")?);
    let mut ask = |iterations| {
        let request =
            Request { task: 0, iterations, repeats: REPEATS, tolerance: 1e-300, limit: 30.0 };
        siconos.ask(&problem, &request, &near)?.ok_or_else(|| Box::from("no answer of Siconos"))
    };
    let (mut pairs, mut accuracy) = (Pairs::default(), None);
    let mut end = near.clone();
    for _ in 0..11 {
        let mut run = |count| {
            least(20, || {
                end.copy_from_slice(&near);
                sweep(count, &mut end).expect("the settings are valid");
            })
        };
        let (short, long) = (run(2), run(12));
        let (theirs_short, theirs): (Outcome<_>, Outcome<_>) = (ask(2), ask(12));
        let (theirs_short, theirs) = (theirs_short?, theirs?);
        pairs.add((long - short) / per_sweep, (theirs.time - theirs_short.time) / per_sweep);
        accuracy = Some(Accuracy {
            what: "relative residual",
            ours: problem.relative_residual(&end),
            peer: Some(problem.relative_residual(&theirs.impulses)),
        });
    }
    let note = format!("a contact and sweep; {blocks} blocks a row, 1000 contacts");
    let row = Row { accuracy, note, ..Row::of_pairs(name, "Siconos, Gauss-Seidel", &pairs) };
    Ok(row.print()?)
}

/// Contacts one by one, by the closed form of Coulomb's law.
fn single(name: &str, is_diagonal: bool, context: &Context) -> Outcome {
    const CONTACTS: usize = 1000;
    const CALLS: u16 = 16;
    let mut siconos = Siconos::new(&context.driver("siconos_friction")?);
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut pairs = Pairs::default();
    let (mut wrong, mut worst) = ([0, 0], [0.0_f64; 2]);
    for _ in 0..CONTACTS {
        let (contact, b) = sliding(&mut random);
        let mut block = DMatrix::from_column_slice(3, 3, contact.block().as_slice());
        if is_diagonal {
            let tangential = block[(1, 1)];
            block =
                DMatrix::from_diagonal(&[block[(0, 0)], tangential, tangential].to_vec().into());
        }
        let problem = Problem::from_dense(&block, (-b).as_slice(), &[contact.friction()])?;
        let contact = &problem.contacts()[0];
        let time = least(20, || {
            for _ in 0..CALLS {
                black_box(coulomb::solve(black_box(contact), black_box(&b)));
            }
        });
        let ours = problem.relative_residual(&[coulomb::solve(contact, &b)]);
        let request = Request {
            task: 1,
            iterations: i32::from(CALLS),
            repeats: 20,
            tolerance: 1e-12,
            limit: 30.0,
        };
        let answer = siconos.ask(&problem, &request, &[Vector3::zeros()])?;
        let answer = answer.ok_or("no answer of Siconos")?;
        pairs.add(time / f64::from(CALLS), answer.time / f64::from(CALLS));
        let residuals = [ours, problem.relative_residual(&answer.impulses)];
        for ((residual, wrong), worst) in residuals.into_iter().zip(&mut wrong).zip(&mut worst) {
            if residual <= RIGHT {
                *worst = worst.max(residual);
            } else {
                *wrong += 1;
            }
        }
    }
    let what = "relative residual of right answers";
    let row = Row {
        accuracy: Some(Accuracy { what, ours: worst[0], peer: Some(worst[1]) }),
        note: format!("{CONTACTS} contacts; wrong {} and {}", wrong[0], wrong[1]),
        ..Row::of_pairs(name, "Siconos, quartic", &pairs)
    };
    Ok(row.print()?)
}

/// A whole problem to the tolerance: our default, and the fastest of Siconos's that gets there within `limit` (s).
pub(crate) fn solve(
    name: &str,
    problem: &Problem,
    siconos: &mut Siconos,
    limit: f64,
) -> Outcome<Row> {
    let method = Method::default();
    let mut solution = method.solve(problem)?;
    let mut time = |repeats| {
        least(repeats, || {
            solution = black_box(method.solve(black_box(problem)).expect("the settings are valid"));
        })
    };
    let once = time(1);
    let rounds = if once > 1.0 { 3 } else { 11 };
    #[expect(clippy::cast_possible_truncation, reason = "between 1 and 20")]
    let repeats = (5e-3 / once).clamp(1.0, 20.0) as u16;
    let best = siconos.best(problem, limit)?;
    let mut row = if let Some(best) = &best {
        let start = vec![Vector3::zeros(); problem.contact_count()];
        let request = Request { repeats: i32::from(repeats), ..best.request };
        let mut pairs = Pairs::default();
        for _ in 0..rounds {
            let own = time(usize::from(repeats));
            let answer = siconos.ask(problem, &request, &start)?;
            pairs.add(own, answer.ok_or("Siconos has no second answer")?.time);
        }
        Row::of_pairs(name, &format!("Siconos, {}", best.solver), &pairs)
    } else {
        let times: Vec<f64> = (0..rounds).map(|_| time(usize::from(repeats))).collect();
        let none = format!("none of Siconos's in {limit} s");
        Row { peer: Some(Peer { name: none, value: None }), ..Row::of_times(name, &times) }
    };
    row.accuracy = Some(Accuracy {
        what: "relative residual",
        ours: solution.report.relative_residual,
        peer: best.map(|best| best.residual),
    });
    row.note = format!("{} contacts", problem.contact_count());
    if solution.report.status != Status::Solved {
        row.note += &format!("; not solved by ours: {:?}", solution.report.status);
    }
    Ok(row)
}

type Draw = Box<dyn Fn() -> Problem>;

/// The solved problems: random packings, stacks with four corners a face, houses of cards.
fn problems() -> Vec<(String, Draw)> {
    let mut problems: Vec<(String, Draw)> = Vec::new();
    for blocks in [2.3, 5.0, 11.0, 23.0] {
        let draw = Box::new(move || packing(2, 200, blocks, 0.5));
        problems.push((format!("packing-{blocks}"), draw));
    }
    for boxes in [3, 6, 12] {
        let resting = Box::new(move || piles::stack(boxes, 1.0, 0.0, 0.6));
        problems.push((format!("stack-{boxes}"), resting));
        let pushed = Box::new(move || piles::stack(boxes, 1.0, 0.3, 0.3));
        problems.push((format!("stack-{boxes}-pushed"), pushed));
    }
    for (name, ratio) in [("below", 0.1), ("above", 10.0)] {
        let draw = Box::new(move || piles::stack(7, ratio, 0.05, 0.3));
        problems.push((format!("six-decades-heavy-{name}"), draw));
    }
    for levels in [1, 2, 3, 4] {
        let draw = Box::new(move || piles::card_house(levels, 0.6));
        problems.push((format!("card-house-{levels}"), draw));
    }
    problems
}
