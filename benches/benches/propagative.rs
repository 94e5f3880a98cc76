//! Time to find every outcome of an impact that propagates.
//!
//! `propagative/…/all` finds all minimal sequences and computes their outcomes, `…/one` follows a single
//! order, and `…/certificate` judges one outcome of the same problem, which every law must do in any case.
//! Every outcome is judged before the timing starts.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use nalgebra::{DMatrix, DVector};
use percussion_benches::residuals;
use percussion_impact::{
    Contact, Law, Mass, Problem, certificate::Certificate, propagative::Propagative,
};

/// Equal balls of 1 kg in a row.
fn cradle(velocity: &[f64]) -> Problem {
    let n = velocity.len();
    let contacts = (1..n)
        .map(|k| {
            let mut normal = DVector::zeros(n);
            (normal[k - 1], normal[k]) = (-1.0, 1.0);
            Contact::new(normal)
        })
        .collect();
    let mass = Mass::Matrix(DMatrix::identity(n, n));
    Problem::new(mass, DVector::from_column_slice(velocity), contacts).expect("a cradle")
}

/// The cue ball hits two balls 60° apart, with two outcomes.
fn billiards() -> Problem {
    let (sin, cos) = 30.0_f64.to_radians().sin_cos();
    let contacts = [
        Contact::new(DVector::from_column_slice(&[-cos, -sin, cos, sin, 0.0, 0.0])),
        Contact::new(DVector::from_column_slice(&[-cos, sin, 0.0, 0.0, cos, -sin])),
    ];
    let velocity = DVector::from_column_slice(&[1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let mass = Mass::Matrix(DMatrix::identity(6, 6));
    Problem::new(mass, velocity, contacts.to_vec()).expect("a break")
}

fn propagative(criterion: &mut Criterion) {
    let mut ten = [0.0; 10];
    ten[0] = 1.0;
    // The last has 1 100 742 656 sequences, which are merged and counted and of which 10 000 are listed.
    let problems = [
        ("three-balls", cradle(&[1.0, 0.0, -1.0]), 1, 2),
        ("billiards", billiards(), 2, 2),
        ("ten-balls", cradle(&ten), 1, 1),
        ("two-into-eight", cradle(&[1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]), 1, 1430),
        ("seven-approach", cradle(&[6.0, 4.0, 2.0, 0.0, -2.0, -4.0, -6.0]), 1, 1_100_742_656),
    ];
    let law = Propagative::default();
    for (name, problem, outcomes, sequences) in &problems {
        let found = law.outcomes(problem).expect("the settings are right");
        assert_eq!(found.branches.len(), *outcomes, "{name}");
        let counted: u64 = found.branches.iter().map(|branch| branch.sequence_count).sum();
        assert_eq!(counted, *sequences, "{name}");
        let mut worst = 0.0_f64;
        for branch in &found.branches {
            let judged = Certificate::check(problem, &branch.outcome).expect("it fits");
            worst = worst.max(judged.momentum_residual).max(judged.approach);
        }
        let name = format!("propagative/{name}");
        residuals::note(&format!("{name}/all"), worst)
            .expect("the file of residuals can be written");
        let mut group = criterion.benchmark_group(&name);
        group.bench_function("all", |bencher| bencher.iter(|| law.answers(black_box(problem))));
        group.bench_function("one", |bencher| bencher.iter(|| law.answer(black_box(problem))));
        let outcome = &found.branches[0].outcome;
        group.bench_function("certificate", |bencher| {
            bencher.iter(|| Certificate::check(black_box(problem), outcome));
        });
        group.finish();
    }
}

criterion_group!(benches, propagative);
criterion_main!(benches);
