//! Time of Lemke's method on the random contact problems of each family.
//!
//! Each bench solves 256 problems of one family in turn, so its time is that of an average problem.
//! Every problem is solved and judged before the timing starts.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use nalgebra::DVector;
use percussion_benches::{families::Family, residuals};
use percussion_complementarity::lcp::{
    Problem, Status,
    lemke::{self, Settings, Workspace},
};

const SEED: u64 = 1;
const PROBLEMS: u64 = 256;

fn lemke(criterion: &mut Criterion) {
    for family in Family::all() {
        let problems: Vec<_> = (0..PROBLEMS).map(|index| family.problem(SEED, index)).collect();
        let n = problems[0].dimension();
        let (mut workspace, mut z) = (Workspace::new(n), DVector::zeros(n));
        let mut solve = |problem: &Problem| {
            lemke::solve(problem, &Settings::default(), &mut workspace, &mut z)
                .expect("the families are valid problems")
        };

        let name = format!("lemke/{}", family.name());
        let mut worst = 0.0_f64;
        for (index, problem) in problems.iter().enumerate() {
            let report = solve(problem);
            assert_eq!(report.status, Status::Solved, "{name}, seed {SEED}, problem {index}");
            worst = worst.max(report.relative_residual);
        }
        residuals::note(&name, worst).expect("the file of residuals can be written");

        let mut turn = problems.iter().cycle();
        criterion.bench_function(&name, |bencher| {
            bencher.iter(|| solve(black_box(turn.next().expect("a cycle never ends"))));
        });
    }
}

criterion_group!(benches, lemke);
criterion_main!(benches);
