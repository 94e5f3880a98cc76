//! Ranks that divide a world that repeats itself: the same motion as without ranks.

use std::path::Path;

use nalgebra::Vector3;
use percussion_granular::{
    Domain, Grain, Partner, Periods, Settings, Touch, Wall, World,
    checkpoint::{restore_together, save_together},
    decomposition::{InProcess, Partition, Subdomain, in_process},
};

const VALID: &str = "valid input and living ranks";

/// A bed of balls that repeats itself along `y`, and along `x` where that is not divided.
fn periods(counts: [usize; 3]) -> Periods {
    let along_x = (counts[0] == 1).then_some(0.84);
    Periods::new(Vector3::zeros(), [along_x, Some(0.42), None])
}

/// Balls that fall through the faces, a layer of them across the cut along `z`.
fn balls() -> Vec<Grain> {
    let ball = |k: u32| {
        let node = Vector3::new(k % 8, k / 8 % 4, k / 32).map(f64::from);
        let part = |prime: u32| f64::from(k * prime % 1009) / 1009.0 - 0.5;
        let shake = Vector3::new(part(797), part(613), part(431));
        let mut ball = Grain::at(0.105 * node + Vector3::repeat(0.053) + 0.002 * shake, 0.051, 1.0);
        ball.velocity = Vector3::new(0.8, 0.6, 0.0) + Vector3::new(part(571), part(239), part(881));
        ball
    };
    (0..192).map(ball).collect()
}

fn settings() -> Settings {
    Settings { tolerance: 1e-9, max_sweeps: 3000, ..Settings::default() }
}

fn walls() -> Vec<Wall> {
    vec![Wall::plane(Vector3::zeros(), Vector3::z(), 0.5)]
}

fn fill(domain: &mut impl Domain) {
    for ball in balls() {
        domain.add(&ball).expect(VALID);
    }
}

fn steps(domain: &mut impl Domain, count: usize) {
    for _ in 0..count {
        let report = domain.step().expect(VALID);
        assert!(report.relative_residual <= 1e-9, "{report:?}");
    }
}

/// What the work returns on each rank of a partition.
fn on_ranks<T: Send>(
    (counts, periods): ([usize; 3], Periods),
    settings: Settings,
    work: impl Fn(&mut Subdomain<InProcess>) -> T + Sync,
) -> Vec<T> {
    let corners = [Vector3::zeros(), Vector3::new(0.84, 0.42, 0.62)];
    let partition = &Partition::even(counts, corners).expect(VALID);
    let work = &work;
    std::thread::scope(|scope| {
        let start = |rank| {
            scope.spawn(move || {
                let part = Subdomain::new(settings, walls(), partition.clone(), rank);
                let mut part = part.expect(VALID);
                part.set_periods(periods).expect(VALID);
                work(&mut part)
            })
        };
        let all: Vec<_> = in_process(counts.iter().product()).into_iter().map(start).collect();
        all.into_iter().map(|thread| thread.join().expect(VALID)).collect()
    })
}

/// All grains by identity.
fn sorted(parts: Vec<Vec<(u64, Grain)>>) -> Vec<Grain> {
    let mut grains: Vec<_> = parts.into_iter().flatten().collect();
    grains.sort_unstable_by_key(|(identity, _)| *identity);
    assert!((0..192).eq(grains.iter().map(|(identity, _)| *identity)), "each has one owner");
    grains.into_iter().map(|(_, grain)| grain).collect()
}

fn moved(counts: [usize; 3], count: usize) -> Vec<Grain> {
    sorted(on_ranks((counts, periods(counts)), settings(), |part| {
        fill(part);
        steps(part, count);
        part.grains().collect()
    }))
}

/// The world without ranks, by identity.
fn alone(periods: Periods, count: usize) -> Vec<Grain> {
    let mut world = World::periodic(settings(), walls(), periods).expect(VALID);
    fill(&mut world);
    steps(&mut world, count);
    let grains = world.grains();
    let all = (0..192).map(|place| (grains.identities()[place], grains.grain(place)));
    sorted(vec![all.collect()])
}

/// The largest distance along `z` and of velocities: places along the others depend on when a grain has come in again.
fn apart(one: &[Grain], other: &[Grain], periods: Periods) -> f64 {
    let place = |grain: &Grain| periods.wrapped(&grain.position);
    let distance = |(a, b): (&Grain, &Grain)| {
        let mut off = place(a) - place(b);
        for (k, edge) in periods.edges.into_iter().enumerate() {
            off[k] -= edge.map_or(0.0, |edge| edge * (off[k] / edge).round());
        }
        off.norm().max((a.velocity - b.velocity).norm())
    };
    one.iter().zip(other).map(distance).fold(0.0, f64::max)
}

/// Number of contacts across faces, whose grains are far apart in the box.
fn across(world: &World) -> usize {
    let places = world.grains().positions();
    let is_far = |touch: Touch| match touch.partner {
        Partner::Grain(other) => (places[touch.grain] - places[other]).norm() > 0.2,
        Partner::Wall(_) => false,
    };
    world.touches().filter(|touch| is_far(*touch)).count()
}

#[test]
fn one_rank_is_the_world_to_the_bit() {
    let counts = [1, 1, 1];
    assert!(moved(counts, 60) == alone(periods(counts), 60), "the same bits");
}

#[test]
fn several_ranks_agree_with_one_to_the_tolerance() {
    for counts in [[1, 1, 2], [1, 1, 3], [2, 1, 1], [3, 1, 1], [2, 1, 2]] {
        let one = alone(periods(counts), 40);
        let many = moved(counts, 40);
        let far = apart(&one, &many, periods(counts));
        assert!(far < 1e-5, "{counts:?}: {far} m or m/s");
        assert!(many == moved(counts, 40), "{counts:?}: the same bits again");
    }
}

#[test]
fn every_contact_is_solved_by_one_rank() {
    let count = |counts: [usize; 3]| -> [usize; 2] {
        let all = on_ranks((counts, periods([1; 3])), settings(), |part| {
            fill(part);
            steps(part, 20);
            let candidates = part.step().expect(VALID).candidates;
            [candidates, across(part.world())]
        });
        [0, 1].map(|k| all.iter().map(|one| one[k]).sum())
    };
    let [candidates, faces] = count([1, 1, 1]);
    assert!(candidates > 200 && faces > 30, "{candidates} contacts, {faces} of them across faces");
    assert_eq!(count([1, 1, 2]), [candidates, faces]);
    assert_eq!(count([1, 1, 3]), [candidates, faces]);
}

#[test]
fn momentum_is_kept_across_faces_and_cuts() {
    let settings = Settings { gravity: Vector3::zeros(), max_sweeps: 9, ..settings() };
    let edges = [Some(0.84), Some(0.42), None];
    let periods = Periods::new(Vector3::zeros(), edges);
    let momenta = on_ranks(([1, 1, 3], periods), settings, |part| {
        // Above the floor, so that only the balls push one another.
        for ball in balls() {
            let position = ball.position + 0.2 * Vector3::z();
            let velocity = ball.velocity - 0.5 * (ball.position.z - 0.3) * Vector3::z();
            part.add(&Grain { position, velocity, ..ball }).expect(VALID);
        }
        let sum = |part: &Subdomain<InProcess>| -> Vector3<f64> {
            part.grains().map(|(_, ball)| ball.mass * ball.velocity).sum()
        };
        let start = sum(part);
        let mut across_faces = 0;
        for _ in 0..100 {
            part.step().expect(VALID);
            across_faces += across(part.world());
        }
        (start, sum(part), across_faces)
    });
    assert!(momenta.iter().map(|one| one.2).sum::<usize>() > 100, "balls touch across faces");
    let total =
        |end: usize| -> Vector3<f64> { momenta.iter().map(|one| [one.0, one.1][end]).sum() };
    let lost = (total(0) - total(1)).norm();
    assert!(lost < 1e-12 * 192.0, "{lost} kg m/s");
}

#[test]
fn what_ranks_have_saved_any_number_continues() {
    let directory = tempfile::tempdir().expect("a directory");
    let path: &Path = &directory.path().join("grains.checkpoint");
    let (three, box_of) = ([1, 1, 3], periods([1; 3]));
    let expected = sorted(on_ranks((three, box_of), settings(), |part| {
        fill(part);
        steps(part, 30);
        save_together(path, "", part).expect("a writable directory");
        steps(part, 20);
        part.grains().collect()
    }));
    for counts in [[1, 1, 3], [1, 1, 2], [1, 1, 1]] {
        let resumed = sorted(on_ranks((counts, box_of), settings(), |part| {
            let partition = part.partition();
            let restored = restore_together(path, &partition, part).expect("a whole checkpoint");
            part.restore(restored.share).expect("a share");
            steps(part, 20);
            part.grains().collect()
        }));
        let far = apart(&expected, &resumed, box_of);
        assert!(
            if counts == three { resumed == expected } else { far < 1e-5 },
            "{counts:?}: {far}"
        );
    }
}

#[test]
fn space_is_not_divided_along_an_axis_that_repeats() {
    let partition = Partition::new([vec![0.4], vec![], vec![]]).expect(VALID);
    let rank = in_process(2).remove(0);
    let mut part = Subdomain::new(settings(), walls(), partition, rank).expect(VALID);
    let error = part.set_periods(periods([1; 3])).expect_err("a cut across x");
    let error = error.to_string();
    assert!(error.contains("`boxes along x` is 2"), "{error}");
}
