//! Our Lemke solver and the one of Siconos on the same problems, in turn.
//!
//! `lemke_peers DRIVER PROBLEMS [FILTER]`, where `DRIVER` is `benches/peers/siconos_lemke.c` compiled;
//! `cargo xtask bench --peers` does both. Each problem is solved nine times by us, then nine
//! times by the driver; each time is the median of nine. Both results are judged by the same
//! [`Problem::relative_residual`]. Prints a table; load of the machine affects only the ratio.
#![expect(clippy::print_stdout, reason = "the table is the output of this program")]

use std::{env, error::Error, time::Instant};

use nalgebra::DVector;
use percussion_benches::{driver::Driver, families::Family};
use percussion_complementarity::lcp::{
    Problem, Status,
    lemke::{self, Settings, Workspace},
};

const SEED: u64 = 1;
const REPEATS: u16 = 9;

/// Largest relative residual of an answer that counts as right.
const RIGHT: f64 = 1e-8;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let (Some(driver), Some(count)) = (arguments.next(), arguments.next()) else {
        return Err("usage: lemke_peers DRIVER PROBLEMS [FILTER]".into());
    };
    let count: u64 = count.parse()?;
    let filter = arguments.next().unwrap_or_default();

    println!("Lemke's method on {count} problems a family (seed {SEED}); times in µs");
    println!(
        "{:<21} {:>3} {:<10} {:>9} {:>9} {:>9} {:>9} {:>7} {:>7}",
        "family", "n", "solver", "median", "mean", "p99", "residual", "failed", "wrong"
    );
    let mut siconos = Driver::start(&driver)?;
    for family in Family::all().into_iter().filter(|family| family.name().contains(&filter)) {
        compare(family, count, &mut siconos)?;
    }
    siconos.finish()
}

/// Solves `count` problems of `family` with both and prints three lines.
fn compare(family: Family, count: u64, siconos: &mut Driver) -> Result<(), Box<dyn Error>> {
    let (mut ours, mut theirs) = (Record::default(), Record::default());
    let mut workspace = Workspace::default();
    let mut n = 0;
    for index in 0..count {
        let problem = family.problem(SEED, index);
        n = problem.dimension();
        ours.add(&problem, &solve(&problem, &mut workspace)?);
        theirs.add(&problem, &ask(siconos, &problem)?);
    }
    ours.sort();
    theirs.sort();
    let name = family.name();
    println!("{name:<21} {n:>3} {:<10} {ours}", "percussion");
    println!("{:<25} {:<10} {theirs}", "", "siconos");
    let ratio =
        [ours.median() / theirs.median(), ours.mean() / theirs.mean(), ours.p99() / theirs.p99()];
    println!("{:<25} {:<10} {:>9.3} {:>9.3} {:>9.3}", "", "ratio", ratio[0], ratio[1], ratio[2]);
    Ok(())
}

/// One solver's answer to one problem.
struct Answer {
    /// Median of the repeats (ns).
    time: f64,
    /// Whether the solver reports the problem as solved.
    claims_success: bool,
    z: DVector<f64>,
}

fn solve(problem: &Problem, workspace: &mut Workspace) -> Result<Answer, lemke::Error> {
    let settings = Settings::default();
    let mut z = DVector::zeros(problem.dimension());
    let mut times = [0.0; REPEATS as usize];
    let mut claims_success = false;
    for time in &mut times {
        z.fill(0.0);
        let start = Instant::now();
        let report = lemke::solve(problem, &settings, workspace, &mut z)?;
        *time = start.elapsed().as_secs_f64() * 1e9;
        claims_success = report.status == Status::Solved;
    }
    times.sort_by(f64::total_cmp);
    Ok(Answer { time: times[times.len() / 2], claims_success, z })
}

/// The answer of the driver.
fn ask(siconos: &mut Driver, problem: &Problem) -> Result<Answer, Box<dyn Error>> {
    let n = problem.dimension();
    let mut request = Vec::with_capacity(8 * (n * n + n + 1));
    request.extend(i32::try_from(n)?.to_ne_bytes());
    request.extend(i32::from(REPEATS).to_ne_bytes());
    // nalgebra stores matrices by columns, as the protocol requires.
    let numbers = problem.matrix().iter().chain(problem.vector().iter());
    request.extend(numbers.flat_map(|number| number.to_ne_bytes()));
    siconos.send(&request)?;

    let claims_success = siconos.integer()? == 0;
    let time = siconos.number()?;
    Ok(Answer { time, claims_success, z: siconos.numbers(n)?.into() })
}

/// All answers of one solver to one family.
#[derive(Default)]
struct Record {
    /// Ascending once sorted (ns).
    times: Vec<f64>,
    /// Worst relative residual among the right answers.
    residual: f64,
    /// Problems not claimed to be solved.
    failed: usize,
    /// Problems claimed to be solved whose answer is not right.
    wrong: usize,
}

impl Record {
    fn add(&mut self, problem: &Problem, answer: &Answer) {
        self.times.push(answer.time);
        let residual = problem.relative_residual(&answer.z);
        if !answer.claims_success {
            self.failed += 1;
        } else if residual > RIGHT {
            self.wrong += 1;
        } else {
            self.residual = self.residual.max(residual);
        }
    }

    fn sort(&mut self) {
        self.times.sort_by(f64::total_cmp);
    }

    fn median(&self) -> f64 {
        self.times[self.times.len() / 2]
    }

    #[expect(clippy::cast_precision_loss, reason = "counts of problems are far below 2^52")]
    fn mean(&self) -> f64 {
        self.times.iter().sum::<f64>() / self.times.len() as f64
    }

    fn p99(&self) -> f64 {
        self.times[self.times.len() * 99 / 100]
    }
}

impl std::fmt::Display for Record {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [median, mean, p99] = [self.median(), self.mean(), self.p99()].map(|time| time / 1e3);
        write!(
            formatter,
            "{median:>9.2} {mean:>9.2} {p99:>9.2} {:>9.1e} {:>7} {:>7}",
            self.residual, self.failed, self.wrong
        )
    }
}
