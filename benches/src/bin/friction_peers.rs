//! Our solvers of contacts with friction and those of Siconos on the same problems, in turn.
//!
//! `friction_peers DRIVER [FILTER]`, where `DRIVER` is `benches/peers/siconos_friction.c` compiled;
//! `cargo xtask bench --peers` does both. Every time is the minimum of many, so that a loaded machine affects only the
//! ratio, and every result is judged by the same residual in velocities, relative to the free velocity.
#![expect(clippy::print_stdout, reason = "the table is the output of this program")]

use std::{env, error::Error, hint::black_box, time::Instant};

use nalgebra::{DMatrix, Vector3};
use percussion_benches::{
    driver::Driver,
    frictional::{packing, sliding},
    piles,
};
use percussion_complementarity::friction::{
    Law, Method, Problem, Status,
    block_gauss_seidel::{self, Settings},
    single::coulomb,
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Largest relative residual of an answer that counts as correct.
const RIGHT: f64 = 1e-8;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let driver = arguments.next().ok_or("usage: friction_peers DRIVER [FILTER]")?;
    let filter = arguments.next().unwrap_or_default();
    let mut siconos = Driver::start(&driver)?;
    for (name, part) in [
        ("friction_sweeps", sweeps as fn(&mut Driver) -> Result<(), Box<dyn Error>>),
        ("friction_single", single),
        ("friction_solve", solves),
    ] {
        if name.contains(&filter) {
            part(&mut siconos)?;
        }
    }
    siconos.finish()
}

/// The minimum time of some calls (ns).
fn least(repeats: usize, mut call: impl FnMut()) -> f64 {
    let time = |_| {
        let start = Instant::now();
        call();
        start.elapsed().as_secs_f64() * 1e9
    };
    (0..repeats).map(time).fold(f64::INFINITY, f64::min)
}

/// Ten sweeps near the solution, as the difference of twelve and two.
fn sweeps(siconos: &mut Driver) -> Result<(), Box<dyn Error>> {
    println!("Block Gauss-Seidel, 1000 contacts, near the solution: ns per contact and sweep");
    println!(
        "{:>10} {:>11} {:>10} {:>9} {:>7} {:>11} {:>11}",
        "blocks/row", "percussion", "dissip.", "siconos", "ratio", "residual", "siconos"
    );
    let sweep = |problem: &Problem, count: usize, impulses: &mut [Vector3<f64>]| {
        let settings = Settings {
            tolerance: 0.0,
            max_sweeps: count,
            memory: 0,
            check_every: count,
            ..Settings::default()
        };
        block_gauss_seidel::solve(problem, &settings, impulses)
    };
    for blocks in [2.3, 5.0, 11.0, 23.0] {
        let problem = packing(1, 1000, blocks, 0.5);
        let contacts = f64::from(u16::try_from(problem.contact_count())?);
        let mut near = vec![Vector3::zeros(); problem.contact_count()];
        sweep(&problem, 200, &mut near)?;
        let mut ours = [0.0; 2];
        let mut end = near.clone();
        for (time, law) in ours.iter_mut().zip([Law::MaximumDissipation, Law::Coulomb]) {
            let problem = problem.clone().with_law(law);
            let mut run = |count| {
                least(100, || {
                    end.copy_from_slice(&near);
                    sweep(&problem, count, &mut end).expect("the settings are valid");
                })
            };
            *time = (run(12) - run(2)) / (10.0 * contacts);
        }
        let [short, long] = [2, 12].map(|count| {
            ask(
                siconos,
                &problem,
                &Request { task: 0, iterations: count, repeats: 100, tolerance: 1e-300 },
                &near,
            )
        });
        let (short, long) = (short?, long?);
        let theirs = (long.time - short.time) / (10.0 * contacts);
        println!(
            "{blocks:>10} {:>11.1} {:>10.1} {theirs:>9.1} {:>7.3} {:>11.1e} {:>11.1e}",
            ours[1],
            ours[0],
            ours[1] / theirs,
            problem.relative_residual(&end),
            problem.relative_residual(&long.impulses),
        );
    }
    println!();
    Ok(())
}

/// Contacts one by one, by the closed form of Coulomb's law.
fn single(siconos: &mut Driver) -> Result<(), Box<dyn Error>> {
    const CONTACTS: usize = 1000;
    const CALLS: u16 = 16;
    println!(
        "One contact by the quartic, {CONTACTS} random ones: ns, and how many answers are wrong"
    );
    println!(
        "{:<11} {:<10} {:>8} {:>8} {:>8} {:>7} {:>11}",
        "blocks", "solver", "median", "p99", "worst", "wrong", "residual"
    );
    let mut random = ChaCha8Rng::seed_from_u64(7);
    for kind in ["full", "diagonal"] {
        let (mut ours, mut theirs) = (Record::default(), Record::default());
        for _ in 0..CONTACTS {
            let (contact, b) = sliding(&mut random);
            let mut block = DMatrix::from_column_slice(3, 3, contact.block().as_slice());
            if kind == "diagonal" {
                let tangential = block[(1, 1)];
                block = DMatrix::from_diagonal(
                    &[block[(0, 0)], tangential, tangential].to_vec().into(),
                );
            }
            let problem = Problem::from_dense(&block, (-b).as_slice(), &[contact.friction()])?;
            let contact = &problem.contacts()[0];
            let time = least(20, || {
                for _ in 0..CALLS {
                    black_box(coulomb::solve(black_box(contact), black_box(&b)));
                }
            });
            let residual = problem.relative_residual(&[coulomb::solve(contact, &b)]);
            ours.add(time / f64::from(CALLS), residual);
            let request =
                Request { task: 1, iterations: i32::from(CALLS), repeats: 20, tolerance: 1e-12 };
            let answer = ask(siconos, &problem, &request, &[Vector3::zeros()])?;
            theirs.add(answer.time / f64::from(CALLS), problem.relative_residual(&answer.impulses));
        }
        println!("{kind:<11} {:<10} {}", "percussion", ours.line());
        println!("{:<11} {:<10} {}", "", "siconos", theirs.line());
        println!("{:<11} {:<10} {:>8.3}", "", "ratio", ours.median() / theirs.median());
    }
    println!();
    Ok(())
}

/// Whole problems to the tolerance: our default, and the fastest of Siconos's that gets there.
fn solves(siconos: &mut Driver) -> Result<(), Box<dyn Error>> {
    println!("Solved to {RIGHT:e}: µs from zero impulses; of Siconos the fastest that gets there");
    println!(
        "{:<26} {:>8} {:>11} {:>9} {:>11} {:>9} {:>7} solver",
        "problem", "contacts", "percussion", "residual", "siconos", "residual", "ratio"
    );
    for (name, problem) in problems() {
        let solution = Method::default().solve(&problem)?;
        let repeats = if problem.contact_count() > 60 { 5 } else { 20 };
        let time = least(repeats, || {
            black_box(Method::default().solve(black_box(&problem)))
                .expect("the settings are valid");
        });
        let note = if solution.report.status == Status::Solved { "" } else { "!" };
        let best = best(siconos, &problem)?;
        print!(
            "{name:<26} {:>8} {:>10.1}{note:1} {:>9.1e}",
            problem.contact_count(),
            time / 1e3,
            solution.report.relative_residual,
        );
        match best {
            Some(Best { solver, time: theirs, residual }) => {
                println!(
                    " {:>11.1} {residual:>9.1e} {:>7.3} {solver}",
                    theirs / 1e3,
                    time / theirs
                );
            }
            None => println!(" {:>11} {:>9} {:>7} none", "–", "–", "–"),
        }
    }
    println!("! not solved");
    Ok(())
}

/// The solved problems: random packings, stacks with four corners a face, houses of cards.
fn problems() -> Vec<(String, Problem)> {
    let mut problems = Vec::new();
    for blocks in [2.3, 5.0, 11.0, 23.0] {
        problems.push((format!("packing, {blocks} blocks/row"), packing(2, 200, blocks, 0.5)));
    }
    for boxes in [3, 6, 12] {
        problems.push((format!("stack of {boxes}"), piles::stack(boxes, 1.0, 0.0, 0.6)));
        problems.push((format!("stack of {boxes}, pushed"), piles::stack(boxes, 1.0, 0.3, 0.3)));
    }
    problems.push(("six decades, heavy below".to_string(), piles::stack(7, 0.1, 0.05, 0.3)));
    problems.push(("six decades, heavy above".to_string(), piles::stack(7, 10.0, 0.05, 0.3)));
    for levels in [1, 2, 3, 4] {
        problems.push((format!("card house of {levels}"), piles::card_house(levels, 0.6)));
    }
    problems
}

/// The tasks of the driver that solve to a tolerance.
const TASKS: [(&str, i32, i32); 4] = [
    ("Gauss-Seidel, quartic", 2, 5_000),
    ("Gauss-Seidel, Newton", 3, 5_000),
    ("semismooth Newton", 4, 100),
    ("alternating directions", 5, 5_000),
];

/// A request to the driver.
struct Request {
    task: i32,
    iterations: i32,
    repeats: i32,
    tolerance: f64,
}

/// Its reply.
struct Answer {
    /// Least of the repeats (ns).
    time: f64,
    impulses: Vec<Vector3<f64>>,
}

/// The fastest of its solvers on one problem.
struct Best {
    solver: &'static str,
    time: f64,
    residual: f64,
}

/// The answer of the driver.
fn ask(
    siconos: &mut Driver,
    problem: &Problem,
    request: &Request,
    start: &[Vector3<f64>],
) -> Result<Answer, Box<dyn Error>> {
    let n = problem.contact_count();
    let delassus = problem.delassus();
    let mut bytes = Vec::new();
    let sizes = [n, delassus.block_count()].map(i32::try_from);
    let [contacts, blocks] = [sizes[0]?, sizes[1]?];
    for size in [request.task, contacts, blocks, request.iterations, request.repeats] {
        bytes.extend(size.to_ne_bytes());
    }
    bytes.extend(request.tolerance.to_ne_bytes());
    let mut count = 0;
    bytes.extend(0_i32.to_ne_bytes());
    for row in 0..n {
        count += delassus.row(row).count();
        bytes.extend(i32::try_from(count)?.to_ne_bytes());
    }
    for row in 0..n {
        for (column, _) in delassus.row(row) {
            bytes.extend(i32::try_from(column)?.to_ne_bytes());
        }
    }
    let values = (0..n).flat_map(|row| delassus.row(row)).flat_map(|(_, block)| block.iter());
    let friction = problem.contacts().iter().map(|contact| contact.friction());
    let vectors = |list: &[Vector3<f64>]| list.iter().flatten().copied().collect::<Vec<f64>>();
    let numbers = values.copied().chain(vectors(problem.free_velocity())).chain(friction);
    bytes.extend(numbers.chain(vectors(start)).flat_map(f64::to_ne_bytes));
    siconos.send(&bytes)?;

    // Two integers describe how it ended; only the accuracy of the result counts.
    siconos.integer().and_then(|_| siconos.integer())?;
    let time = siconos.number()?;
    let numbers = siconos.numbers(3 * n)?;
    Ok(Answer { time, impulses: numbers.chunks_exact(3).map(Vector3::from_column_slice).collect() })
}

/// The fastest task whose answer is right.
fn best(siconos: &mut Driver, problem: &Problem) -> Result<Option<Best>, Box<dyn Error>> {
    let mut best: Option<Best> = None;
    let start = vec![Vector3::zeros(); problem.contact_count()];
    for (index, &(_, task, iterations)) in TASKS.iter().enumerate() {
        // Their error measure differs, so the requested tolerance is reduced until our residual is small enough.
        for tolerance in [1e-8, 1e-10, 1e-12] {
            let mut request = Request { task, iterations, repeats: 1, tolerance };
            let first = ask(siconos, problem, &request, &start)?;
            let residual = problem.relative_residual(&first.impulses);
            if residual > RIGHT {
                continue;
            }
            request.repeats = if first.time > 1e7 { 2 } else { 20 };
            let answer = ask(siconos, problem, &request, &start)?;
            if best.as_ref().is_none_or(|best| answer.time < best.time) {
                best = Some(Best { solver: TASKS[index].0, time: answer.time, residual });
            }
            break;
        }
    }
    Ok(best)
}

/// The answers of one solver to single contacts.
#[derive(Default)]
struct Record {
    times: Vec<f64>,
    /// Worst among the right answers.
    residual: f64,
    wrong: usize,
}

impl Record {
    fn add(&mut self, time: f64, residual: f64) {
        self.times.push(time);
        if residual <= RIGHT {
            self.residual = self.residual.max(residual);
        } else {
            self.wrong += 1;
        }
    }

    fn median(&self) -> f64 {
        self.quantile(50)
    }

    fn quantile(&self, percent: usize) -> f64 {
        let mut times = self.times.clone();
        times.sort_by(f64::total_cmp);
        times[(times.len() * percent / 100).min(times.len() - 1)]
    }

    fn line(&self) -> String {
        let [median, p99, worst] = [50, 99, 100].map(|percent| self.quantile(percent));
        format!("{median:>8.0} {p99:>8.0} {worst:>8.0} {:>7} {:>11.1e}", self.wrong, self.residual)
    }
}
