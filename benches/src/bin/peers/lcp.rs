//! Linear complementarity problems by our Lemke solver and by Siconos's.
//!
//! Each problem is solved nine times by us, then nine times by the driver; each time is the median of nine, and a ratio
//! is that of two such medians.

use nalgebra::DVector;
use percussion_benches::{
    driver::Driver,
    families::Family,
    row::{Accuracy, Pairs, Reach, Row, Spread, timed},
    small,
};
use percussion_complementarity::lcp::{
    Problem, Status,
    lemke::{self, Settings, Workspace},
};

use super::{Context, Outcome, RIGHT, Task};

const SEED: u64 = 1;
const REPEATS: u16 = 9;

type Draw = Box<dyn Fn(u64) -> Problem>;

pub(crate) fn tasks() -> Vec<Task> {
    let mut tasks = Vec::new();
    let mut add = |name: String, draw: Draw, rays: bool, reach: Option<Reach>| {
        let row = name.clone();
        tasks.push(Task::of_row(&name, &["siconos"], move |context| {
            compare(&row, &draw, rays, reach, context)
        }));
    };
    for n in [1, 2, 4] {
        let draw = Box::new(move |index| small::contacts(n, SEED, index));
        add(format!("lcp/small-{n}"), draw, false, Some(Reach::RatioAtMost(1.0)));
    }
    for n in [4, 10] {
        let draw = Box::new(move |index| small::crushed(n, SEED, index));
        add(format!("lcp/ray-{n}"), draw, true, Some(Reach::RatioAtMost(2.0)));
    }
    for family in Family::all() {
        let draw = Box::new(move |index| family.problem(SEED, index));
        add(format!("lcp/{}", family.name()), draw, false, None);
    }
    tasks
}

/// Solves problems with both; with `rays` no problem has a solution, and that is the right answer.
fn compare(
    name: &str,
    draw: &Draw,
    rays: bool,
    reach: Option<Reach>,
    context: &Context,
) -> Outcome {
    let mut siconos = Driver::start(&context.driver("siconos_lemke")?.display().to_string())?;
    let (mut ours, mut theirs) = (Record::default(), Record::default());
    let mut pairs = Pairs::default();
    let mut workspace = Workspace::default();
    // Any answer is within this tolerance: the end of the first path is not judged any further.
    let unjudged = Settings { tolerance: f64::INFINITY, ..Settings::default() };
    let mut paths = Vec::new();
    let mut n = 0;
    for index in 0..context.problems {
        let problem = draw(index);
        n = problem.dimension();
        if rays {
            paths.push(solve(&problem, &unjudged, &mut workspace)?.time);
        }
        let own = solve(&problem, &Settings::default(), &mut workspace)?;
        let peer = ask(&mut siconos, &problem)?;
        ours.add(&problem, &own, rays);
        theirs.add(&problem, &peer, rays);
        pairs.add(own.time, peer.time);
    }
    siconos.finish()?;
    let kind = if rays { "without a solution" } else { "problems" };
    let path = Spread::of(&paths).map_or_else(String::new, |path| {
        format!("; our path without its judge {:.0} ns", path.median * 1e9)
    });
    let row = Row {
        accuracy: Some(Accuracy {
            what: if rays { "wrong verdicts" } else { "relative residual" },
            ours: if rays { ours.wrong as f64 } else { ours.residual },
            peer: Some(if rays { theirs.wrong as f64 } else { theirs.residual }),
        }),
        reach,
        note: format!(
            "{} {kind}, n = {n}; failed {} and {}, wrong {} and {}{path}",
            context.problems, ours.failed, theirs.failed, ours.wrong, theirs.wrong
        ),
        ..Row::of_pairs(name, "Siconos, Lemke", &pairs)
    };
    Ok(row.print()?)
}

/// One solver's answer to one problem.
struct Answer {
    /// Median of the repeats (s).
    time: f64,
    /// Whether the solver reports the problem as solved.
    claims_success: bool,
    z: DVector<f64>,
}

fn solve(
    problem: &Problem,
    settings: &Settings,
    workspace: &mut Workspace,
) -> Result<Answer, lemke::Error> {
    let mut z = DVector::zeros(problem.dimension());
    let mut times = [0.0; REPEATS as usize];
    let mut claims_success = false;
    for time in &mut times {
        z.fill(0.0);
        let mut report = None;
        *time = timed(|| report = Some(lemke::solve(problem, settings, workspace, &mut z)));
        let report = report.transpose()?;
        claims_success = report.is_some_and(|report| report.status == Status::Solved);
    }
    times.sort_by(f64::total_cmp);
    Ok(Answer { time: times[times.len() / 2], claims_success, z })
}

/// The answer of the driver.
fn ask(siconos: &mut Driver, problem: &Problem) -> Outcome<Answer> {
    let n = problem.dimension();
    let mut request = Vec::with_capacity(8 * (n * n + n + 1));
    request.extend(i32::try_from(n)?.to_ne_bytes());
    request.extend(i32::from(REPEATS).to_ne_bytes());
    // nalgebra stores matrices by columns, as the protocol requires.
    let numbers = problem.matrix().iter().chain(problem.vector().iter());
    request.extend(numbers.flat_map(|number| number.to_ne_bytes()));
    siconos.send(&request)?;

    let claims_success = siconos.integer()? == 0;
    let time = siconos.number()? * 1e-9;
    Ok(Answer { time, claims_success, z: siconos.numbers(n)?.into() })
}

/// All answers of one solver.
#[derive(Default)]
struct Record {
    /// Worst relative residual among the right answers.
    residual: f64,
    /// Problems with a solution that are not claimed to be solved.
    failed: usize,
    /// Problems claimed to be solved whose answer is not right.
    wrong: usize,
}

impl Record {
    fn add(&mut self, problem: &Problem, answer: &Answer, rays: bool) {
        let residual = problem.relative_residual(&answer.z);
        if !answer.claims_success {
            self.failed += usize::from(!rays);
        } else if rays || residual.is_nan() || residual > RIGHT {
            self.wrong += 1;
        } else {
            self.residual = self.residual.max(residual);
        }
    }
}
