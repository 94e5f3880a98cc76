//! Number of step LCPs per second of the set-valued law, for several numbers of threads.
//!
//! `set-valued/…/threads-n` draws and follows 2¹² samples of a published impact, with all bookkeeping, on `n`
//! threads; its elements are step LCPs. `set-valued/…/lemke` solves the same LCPs of the first of these
//! samples only by Lemke's method, on one thread. This is the least cost of the samples without their own
//! solution path. All steps are certified while they are timed.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use nalgebra::{DMatrix, DVector};
use percussion_benches::residuals;
use percussion_complementarity::lcp::{self, lemke};
use percussion_impact::{
    Problem,
    set_valued::{SetValuedRouth, Settings, Statistics},
};
use percussion_mechanism::impacts::Impact;
use percussion_scenarios::fixtures;
use rayon::ThreadPoolBuilder;

const IMPACTS: [&str; 3] = ["rocking-block", "ramone", "disk-stack"];
const SAMPLES: u64 = 1 << 12;
const THREADS: [usize; 2] = [1, 2];

/// Samples whose LCPs are recorded for Lemke's method.
const RECORDED: u64 = 64;

fn set_valued(criterion: &mut Criterion) {
    for name in IMPACTS {
        let impact = fixtures::problem(name).expect("the impact is embedded");
        let law = law(&impact);
        let statistics = follow(&law, &impact.problem);
        assert_eq!(statistics.unsolved, 0, "{name}: {statistics:?}");
        let mut group = criterion.benchmark_group(format!("set-valued/{name}"));

        group.sample_size(20).throughput(Throughput::Elements(statistics.total_lcps()));
        for threads in THREADS {
            let bench = format!("threads-{threads}");
            residuals::note(&format!("set-valued/{name}/{bench}"), statistics.figures.residual)
                .expect("the file of residuals can be written");
            let pool =
                ThreadPoolBuilder::new().num_threads(threads).build().expect("threads start");
            group.bench_function(&bench, |bencher| {
                bencher.iter(|| pool.install(|| follow(&law, &impact.problem)));
            });
        }

        let lcps = recorded(&law, &impact.problem);
        group.throughput(Throughput::Elements(lcps.len() as u64));
        let n = lcps[0].dimension();
        let (mut workspace, mut z) = (lemke::Workspace::new(n), DVector::zeros(n));
        let mut solve = |lcp: &lcp::Problem| {
            lemke::solve(lcp, &law.settings.lemke, &mut workspace, &mut z).expect("a valid problem")
        };
        let worst = lcps.iter().map(|lcp| solve(lcp).relative_residual).fold(0.0, f64::max);
        residuals::note(&format!("set-valued/{name}/lemke"), worst)
            .expect("the file of residuals can be written");
        group.bench_function("lemke", |bencher| {
            bencher.iter(|| lcps.iter().map(|lcp| solve(lcp).iterations).sum::<usize>());
        });
        group.finish();
    }
}

fn law(impact: &Impact) -> SetValuedRouth {
    SetValuedRouth::new(Settings { samples: SAMPLES, ..impact.set_valued })
}

fn follow(law: &SetValuedRouth, problem: &Problem) -> Statistics {
    law.post_impact_set(problem, (), |_| ()).expect("the settings are right").statistics
}

/// The LCPs of the first samples.
fn recorded(law: &SetValuedRouth, problem: &Problem) -> Vec<lcp::Problem> {
    let mut lcps = Vec::new();
    for index in 0..RECORDED {
        let mut velocity = problem.free_contact_velocity();
        for step in law.sample(problem, index).expect("the settings are right").steps {
            lcps.push(stated(problem, &velocity, &step.increments));
            velocity = step.contact_velocity;
        }
    }
    lcps
}

/// The LCP of a step as the documentation of the law states it; all contacts have one tangent.
fn stated(problem: &Problem, velocity: &DVector<f64>, increments: &[f64]) -> lcp::Problem {
    let m = problem.contacts().len();
    let n = 5 * m;
    // Rows of J per unit of λ_n and of the two β of each contact.
    let mut generators = DMatrix::zeros(2 * m, 3 * m);
    let mut matrix = DMatrix::zeros(n, n);
    let mut vector = DVector::zeros(n);
    for (i, contact) in problem.contacts().iter().enumerate() {
        generators[(2 * i, i)] = 1.0;
        generators[(2 * i + 1, m + 2 * i)] = 1.0;
        generators[(2 * i + 1, m + 2 * i + 1)] = -1.0;
        matrix[(i, m + i)] = -1.0;
        matrix[(m + i, i)] = 1.0;
        matrix[(4 * m + i, m + i)] = contact.friction;
        for beta in [2 * m + 2 * i, 2 * m + 2 * i + 1] {
            matrix[(beta, 4 * m + i)] = 1.0;
            matrix[(4 * m + i, beta)] = -1.0;
        }
        vector[i] = increments[i];
    }
    let delassus = generators.tr_mul(&(problem.delassus() * &generators));
    matrix.view_mut((m, m), (3 * m, 3 * m)).copy_from(&delassus);
    vector.rows_mut(m, 3 * m).copy_from(&generators.tr_mul(velocity));
    lcp::Problem::new(matrix, vector).expect("all entries are finite")
}

criterion_group!(benches, set_valued);
criterion_main!(benches);
