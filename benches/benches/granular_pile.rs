//! Time and accuracy of a step of a settled pile of spheres, and of bricks.
//!
//! The pile is [`scenes::column`] with 10 000 spheres of 0.1 m, settled for two seconds; steps are 1 ms. It
//! has 24 000 contacts, as is typical of hard spheres with friction; spheres that overlap by a fraction of
//! their size would have more.
//!
//! - `pile/percussion-1-thread`, `pile/percussion-2-threads`: our step with 10 sweeps. The elements are
//!   contact updates, so the rate includes detection and everything else in the sweeping. The reported
//!   residual is the relative natural map.
//! - `pile/rapier`: rapier's step from the same positions, on one thread, with its 4 substeps and its length unit set to the
//!   diameter, after 100 steps. The noted residual is the approach, see below, relative to the velocity that
//!   gravity gives in a step.
//! - `666/percussion`, `666/rapier`: the first two seconds of the [test 666](scenes::six_by_six_by_six), by ours to a
//!   relative residual of `1e-6`.
//! - `bricks/percussion-1-thread`, `bricks/percussion-2-threads`, `bricks/rapier`: 1000 bricks that have fallen into a
//!   box for two seconds, ours as [`Bodies`](percussion_granular::bodies::Bodies) with 10 sweeps, rapier's as above.
//!
//! In addition to the times, stderr shows the figures by which both are judged, measured only on positions
//! and velocities: the largest overlap of two spheres relative to the diameter, or of two bricks relative to the
//! shortest edge, the largest approach velocity of two that touch (m/s), and the kinetic energy relative to that which
//! gravity gives to a free pile in one step. `cargo xtask bench --peers` has the ratios of steps that take turns,
//! which say more than these times on a machine that others use.
//!
//! A world is settled only for the benches that the filter selects.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use percussion_benches::{bricks, rapier::Pile, residuals, selection, spheres};
use percussion_granular::{Settings, bodies::Bodies, scenes};

const VALID: &str = "a valid scene with slow grains";

fn pile(criterion: &mut Criterion) {
    let ours = [1, 2].map(|threads| (threads, threads_name(threads)));
    let full = |name: &str| format!("granular/pile/{name}");
    let is_chosen = |name: &str| selection::may_run(&[&full(name)]);
    let any_of_ours = ours.iter().any(|(_, name)| is_chosen(name));
    if !any_of_ours && !is_chosen("rapier") {
        return;
    }
    let world = spheres::settled();
    eprintln!("pile/percussion, 10 sweeps: {}", spheres::judge_world(&world));
    let mut group = criterion.benchmark_group("granular/pile");
    group.sample_size(20);
    for (threads, name) in &ours {
        if !is_chosen(name) {
            continue;
        }
        let pool = pool(*threads);
        let mut world = world.clone();
        let report = world.step().expect(VALID);
        let updates = report.candidates * report.sweeps;
        group.throughput(Throughput::Elements(updates as u64));
        note(&full(name), report.relative_residual);
        group.bench_function(name, |bencher| {
            bencher.iter(|| pool.install(|| world.step()).expect(VALID));
        });
    }
    if any_of_ours {
        for max_sweeps in [10, 40, 160] {
            let mut world = world.clone();
            let settings = Settings { max_sweeps, ..*world.settings() };
            world.set_settings(settings).expect(VALID);
            for _ in 0..50 {
                world.step().expect(VALID);
            }
            eprintln!("pile/percussion, {max_sweeps} sweeps: {}", spheres::judge_world(&world));
        }
    }
    if is_chosen("rapier") {
        let mut peer = Pile::new(&world);
        (0..100).for_each(|_| peer.step());
        let (positions, velocities) = peer.state();
        let judgement = spheres::judge(&positions, &velocities);
        eprintln!("pile/rapier: {judgement}");
        note(&full("rapier"), judgement.approach / 9.81e-3);
        group.throughput(Throughput::Elements(1));
        group.bench_function("rapier", |bencher| bencher.iter(|| peer.step()));
    }
    group.finish();
}

fn note(name: &str, residual: f64) {
    residuals::note(name, residual).expect("the file of residuals can be written");
}

/// The name of our bench on this number of threads.
fn threads_name(threads: usize) -> String {
    format!("percussion-{threads}-thread{}", if threads == 1 { "" } else { "s" })
}

fn pool(threads: usize) -> rayon::ThreadPool {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("threads can be started")
}

fn six(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("granular/666");
    group.sample_size(10);
    let world = scenes::six_by_six_by_six().expect(VALID);
    group.bench_function("percussion", |bencher| {
        bencher.iter(|| {
            let mut world = world.clone();
            (0..2000).for_each(|_| {
                black_box(world.step().expect(VALID));
            });
        });
    });
    group.bench_function("rapier", |bencher| {
        bencher.iter(|| {
            let mut peer = Pile::new(&world);
            (0..2000).for_each(|_| peer.step());
        });
    });
    group.finish();
}

fn bricks(criterion: &mut Criterion) {
    let ours = [1, 2].map(|threads| (threads, threads_name(threads)));
    let full = |name: &str| format!("granular/bricks/{name}");
    let is_chosen = |name: &str| selection::may_run(&[&full(name)]);
    if ![&*ours[0].1, &ours[1].1, "rapier"].into_iter().any(is_chosen) {
        return;
    }
    let pile = bricks::settled();
    let judge = |bodies: &[_]| bricks::judge(bodies, pile.boundaries());
    let mut group = criterion.benchmark_group("granular/bricks");
    group.sample_size(20);
    for (threads, name) in &ours {
        if is_chosen(name) {
            let (pool, mut pile) = (pool(*threads), pile.clone());
            let report = pile.step().expect(VALID);
            note(&full(name), report.relative_residual);
            let step = |pile: &mut Bodies| pool.install(|| pile.step()).expect(VALID);
            group.bench_function(name, |bencher| bencher.iter(|| step(&mut pile)));
            eprintln!("bricks/{name}: {}", judge(pile.bodies()));
        }
    }
    if is_chosen("rapier") {
        let mut peer = Pile::bricks(&pile, bricks::HALF);
        (0..100).for_each(|_| peer.step());
        let judgement = judge(&peer.bodies(&pile));
        eprintln!("bricks/rapier: {judgement}");
        note(&full("rapier"), judgement.approach / 9.81e-3);
        group.bench_function("rapier", |bencher| bencher.iter(|| peer.step()));
    }
    group.finish();
}

criterion_group!(benches, pile, six, bricks);
criterion_main!(benches);
