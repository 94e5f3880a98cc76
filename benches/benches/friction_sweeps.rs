//! Time of a sweep over many contacts, and of a solve.
//!
//! `sweeps/N` makes 50 sweeps over 1000 contacts with about `N` blocks per row of `W`, warm started near the solution;
//! divide by 50 000 for the time per contact and sweep. `product/N` multiplies by `W` as often, which is a lower bound for sweeps.
//! `solve/N` solves 200 contacts from zero by the default method to 1e-8.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use nalgebra::Vector3;
use percussion_benches::{frictional::packing, residuals};
use percussion_complementarity::friction::{
    Delassus, Law, Method, Problem, Status,
    block_gauss_seidel::{self, Settings},
};

const BLOCKS: [f64; 4] = [2.3, 5.0, 11.0, 23.0];
const SWEEPS: usize = 50;

fn sweeps(criterion: &mut Criterion) {
    for blocks in BLOCKS {
        let problem = packing(1, 1000, blocks, 0.5);
        let mut start = vec![Vector3::zeros(); problem.contact_count()];
        run(&problem, 200, &mut start);
        for law in Law::all() {
            let problem = problem.clone().with_law(law);
            let which = if law == Law::Coulomb { "coulomb" } else { "maximum_dissipation" };
            let name = format!("friction_sweeps/{which}/{blocks}");
            let mut impulses = start.clone();
            run(&problem, SWEEPS, &mut impulses);
            let residual = problem.relative_residual(&impulses);
            residuals::note(&name, residual).expect("the file of residuals can be written");
            criterion.bench_function(&name, |bencher| {
                bencher.iter_batched_ref(
                    || start.clone(),
                    |impulses| run(&problem, SWEEPS, impulses),
                    criterion::BatchSize::SmallInput,
                );
            });
        }
        let name = format!("friction_sweeps/product/{blocks}");
        criterion.bench_function(&name, |bencher| {
            bencher.iter(|| {
                let mut sum = Vector3::zeros();
                for _ in 0..SWEEPS {
                    for contact in 0..problem.contact_count() {
                        sum += problem.delassus().velocity(contact, black_box(&start), &[]);
                    }
                }
                sum
            });
        });
    }
}

/// Plain sweeps that compute the residual only after the last one.
fn run(problem: &Problem, sweeps: usize, impulses: &mut [Vector3<f64>]) {
    let settings = Settings {
        tolerance: 0.0,
        max_sweeps: sweeps,
        memory: 0,
        check_every: sweeps,
        ..Settings::default()
    };
    block_gauss_seidel::solve(problem, &settings, impulses).expect("the settings are valid");
}

fn solve(criterion: &mut Criterion) {
    for blocks in BLOCKS {
        let problem = packing(2, 200, blocks, 0.5);
        let name = format!("friction_solve/{blocks}");
        let report = Method::default().solve(&problem).expect("the settings are valid").report;
        assert_eq!(report.status, Status::Solved, "{name}");
        residuals::note(&name, report.relative_residual).expect("the file can be written");
        criterion.bench_function(&name, |bencher| {
            bencher.iter(|| Method::default().solve(black_box(&problem)));
        });
    }
}

criterion_group!(benches, sweeps, solve);
criterion_main!(benches);
