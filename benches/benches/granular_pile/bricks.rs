//! Bricks in a box, by ours and by rapier.

use std::{sync::Arc, time::Instant};

use criterion::Criterion;
use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use percussion_benches::selection;
use percussion_collision::{CellGrid, Collider, Settings, Workspace, between};
use percussion_granular::bodies::{self, Bodies, Body, Boundary, Form};

use super::{Judgement, VALID, note, peer, pool, threads_name};

/// Half edges of a brick (m).
const HALF: Vector3<f64> = Vector3::new(0.1, 0.075, 0.05);

/// Number of steps of each in the comparison by turns.
const ROUNDS: usize = 200;

/// 1000 bricks that have fallen between five planes for two seconds.
fn settled() -> Bodies {
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
    let form = Arc::new(Form::cuboid(HALF, 3.0, 0.5).expect(VALID));
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

/// The velocity of a surface at a point.
type Speed<'a> = &'a dyn Fn(&Vector3<f64>) -> Vector3<f64>;

/// Prints and returns overlap, approach and energy, all from poses and velocities.
fn tell(name: &str, bodies: &[Body], boundaries: &[Boundary]) -> Judgement {
    let centers: Vec<_> = bodies.iter().map(|body| body.position).collect();
    let (mut grid, mut pairs) = (CellGrid::default(), Vec::new());
    grid.pairs(&centers, 2.0 * HALF.norm(), &mut pairs).expect("finite positions");
    let (mut overlap, mut approach) = (0.0_f64, 0.0_f64);
    let mut workspace = Workspace::default();
    let collider = |body: &Body| -> Collider {
        body.form.colliders().next().expect("a brick has one part").clone()
    };
    let speed = |body: &Body, at: &Vector3<f64>| {
        body.velocity + body.angular_velocity.cross(&(at - body.position))
    };
    let mut judge = |a: &Body, other: &Collider, pose: &Isometry3<f64>, of_other: Speed<'_>| {
        let poses = [&a.pose(), pose];
        let settings = Settings::default();
        let found = between([&collider(a), other], poses, &settings, &mut workspace);
        for contact in found.expect("bricks have contacts") {
            let relative: Vector3<f64> =
                speed(a, &contact.points[0]) - of_other(&contact.points[1]);
            overlap = overlap.max(-contact.gap / (2.0 * HALF.min()));
            approach = approach.max(-relative.dot(&contact.frame.normal));
        }
    };
    for [a, b] in pairs.into_iter().map(|pair| pair.map(|index| &bodies[index])) {
        judge(a, &collider(b), &b.pose(), &|at| speed(b, at));
    }
    for body in bodies {
        for plane in boundaries {
            judge(body, &plane.collider, &plane.pose, &|at| plane.surface_velocity(at));
        }
    }
    let square = bodies.iter().map(|body| body.velocity.norm_squared()).sum::<f64>();
    let kinetic = square / (bodies.len() as f64 * 9.81e-3_f64.powi(2));
    eprintln!(
        "{name}: overlap {overlap:.1e} of an edge, approach {approach:.1e} m/s, energy {kinetic:.1e}"
    );
    Judgement { overlap, approach, kinetic }
}

fn step(pool: &rayon::ThreadPool, pile: &mut Bodies) {
    pool.install(|| pile.step()).expect(VALID);
}

/// A name and a step.
type Contestant<'a> = (&'a str, Box<dyn FnMut() + 'a>);

/// Steps all in turns, and prints the medians of their times and the ratios to the last.
fn take_turns(contestants: &mut [Contestant<'_>]) {
    let mut times = vec![Vec::new(); contestants.len()];
    for _ in 0..ROUNDS {
        for ((_, step), times) in contestants.iter_mut().zip(&mut times) {
            let start = Instant::now();
            step();
            times.push(start.elapsed().as_secs_f64());
        }
    }
    let medians: Vec<f64> = times
        .iter_mut()
        .map(|times| {
            times.sort_by(f64::total_cmp);
            times[ROUNDS / 2]
        })
        .collect();
    let last = medians[medians.len() - 1];
    for ((name, _), median) in contestants.iter().zip(&medians) {
        eprintln!("bricks/{name} in turns: {:.2} ms, ratio {:.2}", 1e3 * median, median / last);
    }
}

pub(super) fn bench(criterion: &mut Criterion) {
    let ours = [1, 2].map(|threads| (threads, threads_name(threads)));
    let full = |name: &str| format!("granular/bricks/{name}");
    let is_chosen = |name: &str| selection::may_run(&[&full(name)]);
    let [one, two] = [&ours[0].1, &ours[1].1];
    if ![&**one, two, "rapier"].into_iter().any(is_chosen) {
        return;
    }
    let pile = settled();
    let mut group = criterion.benchmark_group("granular/bricks");
    group.sample_size(20);
    for (threads, name) in &ours {
        if is_chosen(name) {
            let (pool, mut pile) = (pool(*threads), pile.clone());
            let report = pile.step().expect(VALID);
            note(&full(name), report.relative_residual);
            group.bench_function(name, |bencher| {
                bencher.iter(|| step(&pool, &mut pile));
            });
            tell(&format!("bricks/{name}"), pile.bodies(), pile.boundaries());
        }
    }
    if is_chosen("rapier") {
        let mut peer = peer::Pile::bricks(&pile, HALF);
        (0..100).for_each(|_| peer.step());
        let judgement = tell("bricks/rapier", &peer.bodies(&pile), pile.boundaries());
        note(&full("rapier"), judgement.approach / 9.81e-3);
        group.bench_function("rapier", |bencher| bencher.iter(|| peer.step()));
        let (mut alone, mut shared) = (pile.clone(), pile.clone());
        let pools = [pool(1), pool(2)];
        take_turns(&mut [
            (one, Box::new(|| step(&pools[0], &mut alone))),
            (two, Box::new(|| step(&pools[1], &mut shared))),
            ("rapier", Box::new(|| peer.step())),
        ]);
        assert_eq!(alone.bodies(), shared.bodies(), "the same bits on two threads");
        tell("bricks/percussion after the turns", alone.bodies(), alone.boundaries());
        tell("bricks/rapier after the turns", &peer.bodies(&pile), pile.boundaries());
    }
    group.finish();
}
