//! Siconos's solvers of contacts with friction, by the driver `siconos_friction`.

use std::path::Path;

use nalgebra::Vector3;
use percussion_benches::driver::Driver;
use percussion_complementarity::friction::Problem;

use super::{Outcome, RIGHT};

/// The solvers that solve to a tolerance: name, task of the driver, maximum number of iterations.
const SOLVERS: [(&str, i32, i32); 10] = [
    ("alternating directions", 5, 100_000),
    ("Gauss-Seidel, quartic", 2, 100_000),
    ("Gauss-Seidel, Newton", 3, 100_000),
    ("Newton, Alart-Curnier", 4, 1000),
    ("proximal", 6, 10_000),
    ("Newton, Fischer-Burmeister", 7, 1000),
    ("Newton, natural map", 8, 1000),
    ("Tresca fixed points", 9, 10_000),
    ("ACLM fixed points", 10, 10_000),
    ("extragradient", 11, 100_000),
];

/// The running driver; one that ended, as a time limit makes it do, is started again.
pub(crate) struct Siconos {
    program: String,
    driver: Option<Driver>,
}

/// A request to the driver.
#[derive(Clone, Copy)]
pub(crate) struct Request {
    pub(crate) task: i32,
    pub(crate) iterations: i32,
    pub(crate) repeats: i32,
    pub(crate) tolerance: f64,
    /// Time after which there is no answer (s).
    pub(crate) limit: f64,
}

/// Its reply.
pub(crate) struct Answer {
    /// Least of the repeats (s).
    pub(crate) time: f64,
    pub(crate) impulses: Vec<Vector3<f64>>,
}

/// The fastest of its solvers on one problem.
#[derive(Clone)]
pub(crate) struct Best {
    pub(crate) solver: &'static str,
    pub(crate) request: Request,
    pub(crate) time: f64,
    pub(crate) residual: f64,
}

impl Siconos {
    pub(crate) fn new(program: &Path) -> Self {
        Self { program: program.display().to_string(), driver: None }
    }

    /// The answer of the driver, or `None` if it has ended.
    pub(crate) fn ask(
        &mut self,
        problem: &Problem,
        request: &Request,
        start: &[Vector3<f64>],
    ) -> Outcome<Option<Answer>> {
        let bytes = encoded(problem, request, start)?;
        let mut driver = match self.driver.take() {
            Some(driver) => driver,
            None => Driver::start(&self.program)?,
        };
        let read = || -> std::io::Result<Answer> {
            driver.send(&bytes)?;
            // Two integers describe how it ended; only the accuracy of the result counts.
            driver.integer().and_then(|_| driver.integer())?;
            let time = driver.number()? * 1e-9;
            let numbers = driver.numbers(3 * problem.contact_count())?;
            let impulses = numbers.chunks_exact(3).map(Vector3::from_column_slice).collect();
            self.driver = Some(driver);
            Ok(Answer { time, impulses })
        };
        Ok(read().ok())
    }

    /// The fastest solver whose answer is right, of those that need at most `limit` (s) for all their attempts.
    pub(crate) fn best(&mut self, problem: &Problem, limit: f64) -> Outcome<Option<Best>> {
        let mut best: Option<Best> = None;
        let start = vec![Vector3::zeros(); problem.contact_count()];
        for (solver, task, iterations) in SOLVERS {
            let mut left = limit;
            // Their error measure differs, so the requested tolerance is reduced until our residual is small enough.
            for tolerance in [RIGHT, 1e-2 * RIGHT, 1e-4 * RIGHT] {
                let limit = best.as_ref().map_or(left, |best| (3.0 * best.time).max(0.05));
                let mut request = Request { task, iterations, repeats: 1, tolerance, limit };
                let Some(first) = self.ask(problem, &request, &start)? else { break };
                let residual = problem.relative_residual(&first.impulses);
                // A residual that is no number is no answer.
                if residual.is_nan() || residual > RIGHT {
                    left -= first.time;
                    if left <= 0.0 {
                        break;
                    }
                    continue;
                }
                request.repeats = if first.time > 1e-2 { 2 } else { 20 };
                request.limit = 30.0 + 10.0 * first.time;
                let Some(answer) = self.ask(problem, &request, &start)? else { break };
                if best.as_ref().is_none_or(|best| answer.time < best.time) {
                    best = Some(Best { solver, request, time: answer.time, residual });
                }
                break;
            }
        }
        Ok(best)
    }
}

/// The request in the form that the driver documents.
fn encoded(problem: &Problem, request: &Request, start: &[Vector3<f64>]) -> Outcome<Vec<u8>> {
    let n = problem.contact_count();
    let delassus = problem.delassus();
    let mut bytes = Vec::new();
    let sizes = [n, delassus.block_count()].map(i32::try_from);
    let [contacts, blocks] = [sizes[0]?, sizes[1]?];
    for size in [request.task, contacts, blocks, request.iterations, request.repeats] {
        bytes.extend(size.to_ne_bytes());
    }
    bytes.extend(request.tolerance.to_ne_bytes());
    bytes.extend(request.limit.to_ne_bytes());
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
    Ok(bytes)
}
