//! Time and accuracy of a step of a settled pile of spheres.
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
//! gravity gives to a free pile in one step. For bricks it also shows the medians of steps that take turns, and their
//! ratio, which says more than the times on a machine that others use.
//!
//! A world is settled only for the benches that the filter selects.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use nalgebra::Vector3;
use percussion_benches::{residuals, selection};
use percussion_collision::CellGrid;
use percussion_granular::{Settings, World, scenes};

#[path = "granular_pile/bricks.rs"]
mod bricks;
#[path = "granular_pile/peer.rs"]
mod peer;

const DIAMETER: f64 = 0.1;
const VALID: &str = "a valid scene with slow grains";

/// The figures by which a state of the pile is judged.
struct Judgement {
    overlap: f64,
    approach: f64,
    kinetic: f64,
}

fn judge(positions: &[Vector3<f64>], velocities: &[Vector3<f64>]) -> Judgement {
    let (mut grid, mut pairs) = (CellGrid::default(), Vec::new());
    grid.pairs(positions, DIAMETER, &mut pairs).expect("finite positions");
    let (mut overlap, mut approach) = (0.0_f64, 0.0_f64);
    for [a, b] in pairs {
        let apart = positions[a] - positions[b];
        let speed = (velocities[a] - velocities[b]).dot(&apart.normalize());
        overlap = overlap.max(1.0 - apart.norm() / DIAMETER);
        approach = approach.max(-speed);
    }
    let kick = 9.81e-3_f64;
    let square = velocities.iter().map(Vector3::norm_squared).sum::<f64>();
    let kinetic = square / (velocities.len() as f64 * kick * kick);
    Judgement { overlap, approach, kinetic }
}

fn tell(name: &str, positions: &[Vector3<f64>], velocities: &[Vector3<f64>]) -> Judgement {
    let judgement = judge(positions, velocities);
    let Judgement { overlap, approach, kinetic } = judgement;
    eprintln!("{name}: overlap {overlap:.1e} d, approach {approach:.1e} m/s, energy {kinetic:.1e}");
    judgement
}

fn judge_ours(name: &str, world: &World) {
    let grains = world.grains();
    let velocities: Vec<_> = (0..grains.len()).map(|i| grains.velocity(i)).collect();
    tell(name, grains.positions(), &velocities);
}

fn settled() -> World {
    let mut world = scenes::column(DIAMETER, 20, 25).expect(VALID);
    let settings = Settings { max_sweeps: 10, tolerance: 0.0, ..*world.settings() };
    world.set_settings(settings).expect(VALID);
    for _ in 0..2000 {
        world.step().expect(VALID);
    }
    world
}

fn pile(criterion: &mut Criterion) {
    let ours = [1, 2].map(|threads| (threads, threads_name(threads)));
    let full = |name: &str| format!("granular/pile/{name}");
    let is_chosen = |name: &str| selection::may_run(&[&full(name)]);
    let any_of_ours = ours.iter().any(|(_, name)| is_chosen(name));
    if !any_of_ours && !is_chosen("rapier") {
        return;
    }
    let world = settled();
    judge_ours("pile/percussion, 10 sweeps", &world);
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
            judge_ours(&format!("pile/percussion, {max_sweeps} sweeps"), &world);
        }
    }
    if is_chosen("rapier") {
        let mut peer = peer::Pile::new(&world);
        (0..100).for_each(|_| peer.step());
        let (positions, velocities) = peer.state();
        let judgement = tell("pile/rapier", &positions, &velocities);
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
            let mut peer = peer::Pile::new(&world);
            (0..2000).for_each(|_| peer.step());
        });
    });
    group.finish();
}

criterion_group!(benches, pile, six, bricks::bench);
criterion_main!(benches);
