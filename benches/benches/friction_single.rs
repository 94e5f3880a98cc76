//! Time of one contact with friction, in closed form and by iteration.
//!
//! Each bench solves 1024 contacts in turn, so its time is that of an average contact. `alart_curnier` and `projection` are
//! the iterative peers on the same contacts. The reported residual is the relative natural map of the law that is solved.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use nalgebra::{DMatrix, Matrix3, Vector3, vector};
use percussion_benches::{frictional::sliding, residuals};
use percussion_complementarity::friction::{
    Law, Problem,
    single::{Contact, alart_curnier, coulomb, maximum_dissipation, projection},
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const CONTACTS: usize = 1024;

type Case = (Contact, Vector3<f64>);

fn single(criterion: &mut Criterion) {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let slides: Vec<Case> = (0..CONTACTS).map(|_| sliding(&mut random)).collect();
    let spheres: Vec<Case> = (0..CONTACTS)
        .map(|_| {
            let block = Matrix3::from_diagonal(&vector![1.0, 3.5, 3.5]);
            let b = Vector3::from_fn(|_, _| random.random_range(-1.0..1.0));
            (Contact::new(&block, 0.3).expect("the block is positive"), b)
        })
        .collect();
    let zero = Vector3::zeros();
    let closed = |contact: &Contact, b: &Vector3<f64>| maximum_dissipation::solve(contact, b);
    let law = Law::MaximumDissipation;
    bench(criterion, "friction_single/maximum_dissipation", &slides, law, closed);
    bench(criterion, "friction_single/isotropic", &spheres, law, closed);
    bench(criterion, "friction_single/coulomb", &slides, Law::Coulomb, coulomb::solve);
    bench(criterion, "friction_single/alart_curnier", &slides, Law::Coulomb, |contact, b| {
        alart_curnier::solve(contact, b, &zero, 1e-10).impulse
    });
    bench(criterion, "friction_single/projection", &slides[..64], Law::Coulomb, |contact, b| {
        projection::solve(contact, b, &zero, 1e-10).impulse
    });
}

fn bench(
    criterion: &mut Criterion,
    name: &str,
    cases: &[Case],
    law: Law,
    solve: impl Fn(&Contact, &Vector3<f64>) -> Vector3<f64>,
) {
    let worst = cases.iter().fold(0.0_f64, |worst, (contact, b)| {
        let block = DMatrix::from_column_slice(3, 3, contact.block().as_slice());
        let problem = Problem::from_dense(&block, (-b).as_slice(), &[contact.friction()])
            .expect("the contact is valid")
            .with_law(law);
        worst.max(problem.relative_residual(&[solve(contact, b)]))
    });
    residuals::note(name, worst).expect("the file of residuals can be written");
    let mut turn = cases.iter().cycle();
    criterion.bench_function(name, |bencher| {
        bencher.iter(|| {
            let (contact, b) = black_box(turn.next().expect("a cycle never ends"));
            solve(contact, b)
        });
    });
}

criterion_group!(benches, single);
criterion_main!(benches);
