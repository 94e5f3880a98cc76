//! One, two and four subdomains come to the same result.

use nalgebra::Vector3;
use percussion_granular::{
    Domain, Error, Grain, Report, Settings, Wall, World,
    decomposition::{InProcess, Partition, Subdomain, in_process},
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const VALID: &str = "valid input and living ranks";
const EDGE: f64 = 0.84;

const TOLERANCE: f64 = 1e-9;

fn settings() -> Settings {
    Settings { tolerance: TOLERANCE, max_sweeps: 3000, ..Settings::default() }
}

fn walls() -> Vec<Wall> {
    let wall = |at: f64, normal: Vector3<f64>| Wall::plane(Vector3::repeat(at), normal, 0.5);
    let [x, y] = [Vector3::x(), Vector3::y()];
    vec![wall(0.0, Vector3::z()), wall(0.0, x), wall(0.0, y), wall(EDGE, -x), wall(EDGE, -y)]
}

/// Balls that fall into a box and move about across all cuts.
fn balls() -> Vec<Grain> {
    let mut random = ChaCha8Rng::seed_from_u64(11);
    let mut ball = |k: u32| {
        let node = Vector3::new(k % 8, k / 8 % 8, k / 64).map(f64::from);
        let shake = Vector3::from_fn(|_, _| random.random_range(-0.002..0.002));
        let position = 0.104 * node + Vector3::repeat(0.054) + shake;
        let mut ball = Grain::at(position, random.random_range(0.045..0.05), 1.0);
        ball.velocity = Vector3::from_fn(|_, _| random.random_range(-0.5..0.5));
        ball
    };
    (0..192).map(&mut ball).collect()
}

/// Steps all subdomains of the cuts; the grains by identity, the last reports and the sums of impulses of walls.
fn run(settings: Settings, cuts: [Vec<f64>; 3], steps: usize) -> (Vec<Grain>, Vec<Report>, usize) {
    let partition = Partition::new(cuts).expect(VALID);
    let part = |exchange: InProcess| -> Result<_, Error> {
        let mut part = Subdomain::new(settings, walls(), partition.clone(), exchange)?;
        for ball in balls() {
            part.add(&ball)?;
        }
        let mut report = part.step()?;
        let mut ghosts = part.ghost_count();
        for _ in 1..steps {
            report = part.step()?;
            ghosts = ghosts.max(part.ghost_count());
        }
        Ok((part.grains().collect::<Vec<_>>(), report, ghosts))
    };
    let ranks = in_process(partition.len());
    let parts: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = ranks.into_iter().map(|rank| scope.spawn(|| part(rank))).collect();
        threads.into_iter().map(|thread| thread.join().expect(VALID).expect(VALID)).collect()
    });
    let mut grains: Vec<_> = parts.iter().flat_map(|part| part.0.clone()).collect();
    grains.sort_unstable_by_key(|(identity, _)| *identity);
    assert!((0..).zip(&grains).all(|(k, grain)| k == grain.0), "each grain has one owner");
    let ghosts = parts.iter().map(|part| part.2).sum();
    (
        grains.into_iter().map(|(_, grain)| grain).collect(),
        parts.into_iter().map(|part| part.1).collect(),
        ghosts,
    )
}

fn farthest(one: &[Grain], other: &[Grain]) -> f64 {
    assert_eq!(one.len(), other.len(), "no grain is lost");
    let distance = |(a, b): (&Grain, &Grain)| (a.position - b.position).norm();
    one.iter().zip(other).map(distance).fold(0.0, f64::max)
}

#[test]
fn one_subdomain_is_the_world_to_the_bit() {
    let mut world = World::new(settings(), walls()).expect(VALID);
    for ball in balls() {
        world.add(&ball).expect(VALID);
    }
    for _ in 0..60 {
        world.step().expect(VALID);
    }
    let mut grains: Vec<_> =
        (0..192).map(|i| (world.grains().identities()[i], world.grains().grain(i))).collect();
    grains.sort_unstable_by_key(|(identity, _)| *identity);
    let (one, _, ghosts) = run(settings(), [vec![], vec![], vec![]], 60);
    assert!(one.iter().eq(grains.iter().map(|(_, grain)| grain)), "the same bits");
    assert_eq!(ghosts, 0);
}

#[test]
fn two_and_four_subdomains_agree_with_one_to_the_tolerance() {
    // Trajectories of colliding balls part exponentially: short enough that residuals of 1e-9 stay small.
    let steps = 60;
    let (one, reports, _) = run(settings(), [vec![], vec![], vec![]], steps);
    assert!(reports[0].relative_residual <= TOLERANCE, "{:?}", reports[0]);
    for cuts in [[vec![0.4], vec![], vec![]], [vec![0.4], vec![0.45], vec![]]] {
        let (many, reports, ghosts) = run(settings(), cuts, steps);
        assert!(ghosts > 0, "the cuts go through the heap");
        for report in &reports {
            assert!(report.relative_residual <= TOLERANCE, "{report:?}");
        }
        let distance = farthest(&one, &many);
        assert!(distance < 1e-6 * EDGE, "{} subdomains: {distance} m", reports.len());
    }
}

#[test]
fn grains_that_cross_cuts_change_owners() {
    let settings = Settings { tolerance: 1e-4, max_sweeps: 30, ..settings() };
    let (grains, reports, _) = run(settings, [vec![0.3], vec![0.4], vec![]], 200);
    assert_eq!(reports.len(), 4);
    assert_eq!(grains.len(), 192);
    let start = balls();
    let column = |grain: &Grain| grain.position.x > 0.3;
    let moved = grains.iter().zip(&start).filter(|(a, b)| column(a) != column(b)).count();
    assert!(moved > 0, "some have crossed");
    let deepest = reports.iter().map(|report| report.overlap).fold(0.0, f64::max);
    assert!(deepest < 1e-3 * 0.1, "{deepest} m");
}

#[test]
fn a_partition_of_another_size_is_refused() {
    let partition = Partition::new([vec![0.0], vec![], vec![]]).expect(VALID);
    let rank = in_process(3).pop().expect("there are three");
    let error = Subdomain::new(settings(), walls(), partition, rank).expect_err("two boxes");
    assert_eq!(error.to_string(), "partition has 2 entries, expected 3");
}
