//! Time of the derivative of an impact with respect to the velocity before it, beside central differences.
//!
//! `derivative/…/exact` differentiates a resolved outcome (`∂v⁺/∂v⁻`), `…/differences` resolves the impact again for two
//! changes of every velocity, and `…/resolve` is one of these. Their largest distance is noted before the timing starts.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use nalgebra::{DMatrix, DVector};
use percussion_benches::residuals;
use percussion_impact::{
    Contact, Law, Mass, Outcome, Problem,
    derivative::{Derivative, Settings},
    maximum_dissipation::MaximumDissipation,
};
use rand::RngExt as _;
use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};

/// Step of the differences (m/s, rad/s).
const STEP: f64 = 1e-6;

/// Random bodies with some contacts in space, as of a robot on its feet.
fn problem(velocities: usize, contacts: usize) -> Problem {
    let mut draw = ChaCha8Rng::seed_from_u64(25);
    let mut row = || DVector::from_fn(velocities, |_, _| draw.random_range(-1.0..1.0));
    let root = DMatrix::from_columns(&(0..velocities).map(|_| row()).collect::<Vec<_>>());
    let mass = Mass::Matrix(&root * root.transpose() + DMatrix::identity(velocities, velocities));
    let velocity = row();
    let contacts = (0..contacts).map(|_| {
        let normal = row();
        // All of them approach.
        let normal = if normal.dot(&velocity) > 0.0 { -normal } else { normal };
        Contact::new(normal).with_friction(0.5, vec![row(), row()]).with_restitution(0.3)
    });
    let contacts = contacts.collect();
    Problem::new(mass, velocity, contacts).expect("random bodies")
}

fn resolved(law: &MaximumDissipation, problem: &Problem) -> Outcome {
    let outcome = law.resolve(problem).expect("the settings are right");
    assert!(outcome.trace.status.came_to_its_end(), "{:?}", outcome.trace.status);
    outcome
}

fn exact(law: &MaximumDissipation, problem: &Problem, outcome: &Outcome) -> DMatrix<f64> {
    let derivative = Derivative::at(law, problem, outcome, &Settings::default());
    derivative.and_then(|derivative| derivative.by_velocity()).expect("a regular outcome").0
}

fn differences(law: &MaximumDissipation, problem: &Problem) -> DMatrix<f64> {
    let n = problem.dimension();
    let columns = (0..n).map(|column| {
        let after = [STEP, -STEP].map(|step| {
            let mut velocity = problem.velocity().clone();
            velocity[column] += step;
            let moved = problem.with_velocity(velocity).expect("a finite velocity");
            resolved(law, &moved).velocity
        });
        (&after[0] - &after[1]) / (2.0 * STEP)
    });
    DMatrix::from_columns(&columns.collect::<Vec<_>>())
}

fn derivative(criterion: &mut Criterion) {
    let energy = percussion_impact::energy::Energy::AsGiven;
    let law = MaximumDissipation { energy, tolerance: 1e-12, ..MaximumDissipation::coulomb() };
    for (velocities, contacts) in [(6, 1), (18, 4), (36, 8)] {
        let problem = problem(velocities, contacts);
        let outcome = resolved(&law, &problem);
        let distance = (exact(&law, &problem, &outcome) - differences(&law, &problem)).amax();
        let name = format!("derivative/{velocities}-velocities-{contacts}-contacts");
        residuals::note(&format!("{name}/exact"), distance)
            .expect("the file of residuals can be written");
        let mut group = criterion.benchmark_group(&name);
        group.bench_function("exact", |bencher| {
            bencher.iter(|| exact(&law, black_box(&problem), &outcome));
        });
        group.bench_function("differences", |bencher| {
            bencher.iter(|| differences(&law, black_box(&problem)));
        });
        group.bench_function("resolve", |bencher| {
            bencher.iter(|| law.resolve(black_box(&problem)));
        });
        group.finish();
    }
}

criterion_group!(benches, derivative);
criterion_main!(benches);
