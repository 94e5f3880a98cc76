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
//! - `bricks/percussion`, `bricks/rapier`: 1000 bricks that have fallen into a box for two seconds, ours as [`Bodies`] with 10 sweeps.
//!
//! In addition to the times, stderr shows the figures by which both are judged, measured only on positions
//! and velocities: the largest overlap of two spheres relative to the diameter, the largest approach velocity
//! of two that touch (m/s), and the kinetic energy relative to that which gravity gives to a free pile in one
//! step.

use std::{hint::black_box, sync::Arc};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use nalgebra::{UnitQuaternion, Vector3};
use percussion_benches::{residuals, selection};
use percussion_collision::CellGrid;
use percussion_granular::{
    Settings, World,
    bodies::{self, Bodies, Body, Boundary, Form},
    scenes,
};

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

/// Bricks of 2 : 1.5 : 1 between five planes.
fn bricks() -> Bodies {
    let plane = |point, normal| Boundary::plane(point, normal, 0.5).expect(VALID);
    let far = Vector3::new(2.4, 2.4, 0.0);
    let planes = vec![
        plane(Vector3::zeros(), Vector3::z()),
        plane(Vector3::zeros(), Vector3::x()),
        plane(Vector3::zeros(), Vector3::y()),
        plane(far, -Vector3::x()),
        plane(far, -Vector3::y()),
    ];
    let settings = bodies::Settings { max_sweeps: 10, tolerance: 0.0, ..Default::default() };
    let mut pile = Bodies::new(settings, planes).expect(VALID);
    let form = Arc::new(Form::cuboid(Vector3::new(0.1, 0.075, 0.05), 3.0, 0.5).expect(VALID));
    for k in 0..1000 {
        let node = Vector3::new(k % 9, k / 9 % 9, k / 81).map(f64::from);
        let tilt = (node * 1.7).map(f64::sin);
        let mut brick = Body::at(&form, 0.26 * (node + Vector3::repeat(0.5)));
        brick.orientation = UnitQuaternion::from_scaled_axis(tilt);
        pile.add(brick).expect(VALID);
    }
    for _ in 0..2000 {
        pile.step().expect(VALID);
    }
    pile
}

fn pile(criterion: &mut Criterion) {
    if !selection::may_run(&[
        "granular/pile/percussion-1-thread",
        "granular/pile/percussion-2-threads",
        "granular/pile/rapier",
    ]) {
        return;
    }
    let world = settled();
    judge_ours("pile/percussion, 10 sweeps", &world);
    let mut group = criterion.benchmark_group("granular/pile");
    group.sample_size(20);
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.expect("threads can be started");
        let mut world = world.clone();
        let report = world.step().expect(VALID);
        let updates = report.candidates * report.sweeps;
        group.throughput(Throughput::Elements(updates as u64));
        let plural = if threads == 1 { "" } else { "s" };
        let name = format!("percussion-{threads}-thread{plural}");
        residuals::note(&format!("granular/pile/{name}"), report.relative_residual)
            .expect("the file of residuals can be written");
        group.bench_function(&name, |bencher| {
            bencher.iter(|| pool.install(|| world.step()).expect(VALID));
        });
    }
    for max_sweeps in [10, 40, 160] {
        let mut world = world.clone();
        let settings = Settings { max_sweeps, ..*world.settings() };
        world.set_settings(settings).expect(VALID);
        for _ in 0..50 {
            world.step().expect(VALID);
        }
        judge_ours(&format!("pile/percussion, {max_sweeps} sweeps"), &world);
    }
    let mut peer = peer::Pile::new(&world);
    (0..100).for_each(|_| peer.step());
    let (positions, velocities) = peer.state();
    let judgement = tell("pile/rapier", &positions, &velocities);
    residuals::note("granular/pile/rapier", judgement.approach / 9.81e-3)
        .expect("the file of residuals can be written");
    group.throughput(Throughput::Elements(1));
    group.bench_function("rapier", |bencher| bencher.iter(|| peer.step()));
    group.finish();
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

fn bodies(criterion: &mut Criterion) {
    if !selection::may_run(&["granular/bricks/percussion", "granular/bricks/rapier"]) {
        return;
    }
    let mut pile = bricks();
    let report = pile.step().expect(VALID);
    let energy = |speed: f64| speed / (pile.bodies().len() as f64 * 9.81e-3_f64.powi(2));
    let square = pile.bodies().iter().map(|body| body.velocity.norm_squared()).sum();
    eprintln!(
        "bricks/percussion: {} contacts, overlap {:.1e} of a height, residual {:.1e}, energy {:.1e}",
        report.contacts,
        report.overlap / 0.1,
        report.relative_residual,
        energy(square)
    );
    let mut peer = peer::Pile::bricks(&pile, Vector3::new(0.1, 0.075, 0.05));
    (0..100).for_each(|_| peer.step());
    let square = peer.state().1.iter().map(Vector3::norm_squared).sum();
    let overlap = peer.overlap() / 0.1;
    eprintln!("bricks/rapier: overlap {overlap:.1e} of a height, energy {:.1e}", energy(square));
    let mut group = criterion.benchmark_group("granular/bricks");
    group.sample_size(20);
    group.bench_function("percussion", |bencher| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        let pool = pool.expect("threads can be started");
        let mut pile = pile.clone();
        bencher.iter(|| pool.install(|| pile.step()).expect(VALID));
    });
    group.bench_function("rapier", |bencher| bencher.iter(|| peer.step()));
    group.finish();
}

criterion_group!(benches, pile, six, bodies);
criterion_main!(benches);
