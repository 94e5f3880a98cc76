//! Time to find contacts.
//!
//! Each bench of a pair visits 64 random poses in turn, in all of which the two shapes overlap by at most 5
//! cm of about a meter; its time is that of one pair. Parry solves the same task in the same run.
//!
//! - `manifold` is all contacts of the pair, from coordinates to sorted features with frames;
//!   `manifold-parry` are the contacts of a manifold of parry, without features that keep their names
//!   and without the step from coordinates to poses.
//! - `depth` is the gap of the two surfaces alone, and `depth-parry` parry's contact query. The noted
//!   error is the largest difference of the two in meters: our depth of these pairs has a closed form,
//!   parry's is the end of an iteration where neither shape is a ball or both are not boxes.
//! - `scene` is the contacts of 300 balls, with broad phase; `grid` the pairs of 300 and of 10 000 equal
//!   balls by the cell grid; `tree-parry` the same by parry's tree of boxes, filled, refitted and
//!   searched as in a time step. Each ball overlaps about half of its six neighbors on a cubic lattice.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use nalgebra::{Isometry3, Matrix3, Translation3, UnitQuaternion, Vector3};
use percussion_benches::residuals;
use percussion_collision::{
    CellGrid, Collider, ContactId, Feature, Scene, Settings, Shape, Workspace,
};
use percussion_dynamics::{Body, FreeBodies, gap::GapFunction, pose_coordinates};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

#[path = "collision/peer.rs"]
mod peer;

const SEED: u64 = 1;
const POSES: usize = 64;

/// Deepest overlap of two shapes (m).
const DEEPEST: f64 = 0.05;

const VALID: &str = "shapes and poses are valid";

fn shapes() -> [(&'static str, [Shape; 2]); 4] {
    let cuboid = Shape::Box { half_extents: Vector3::new(0.5, 0.3, 0.7) };
    let cylinder = |radius: f64| Shape::Cylinder { half_height: 0.5, radius };
    [
        ("sphere-box", [Shape::Sphere { radius: 0.6 }, cuboid.clone()]),
        ("capsule-box", [Shape::Capsule { half_length: 0.6, radius: 0.25 }, cuboid.clone()]),
        ("box-box", [cuboid.clone(), cuboid]),
        ("cylinder-cylinder", [cylinder(0.4), cylinder(0.6)]),
    ]
}

fn free_bodies(count: usize) -> FreeBodies {
    let bodies = vec![Body::new(1.0, Matrix3::identity()); count];
    FreeBodies::new(bodies, Vector3::zeros()).expect(VALID)
}

fn random_pose(random: &mut ChaCha8Rng) -> Isometry3<f64> {
    let mut vector = |size: f64| Vector3::from_fn(|_, _| random.random_range(-size..size));
    Isometry3::from_parts(Translation3::from(vector(1.2)), UnitQuaternion::new(vector(3.0)))
}

fn pairs(criterion: &mut Criterion) {
    let system = free_bodies(2);
    for (name, shapes) in shapes() {
        let colliders =
            [0, 1].map(|body| Collider::on_body(body, shapes[body].clone()).expect(VALID));
        let scene = Scene::new(colliders.to_vec(), &system).expect(VALID);
        let id = ContactId { colliders: [0, 1], features: [Feature::Whole; 2] };
        let whole = scene.gap_function(&id).expect("two colliders");

        let mut random = ChaCha8Rng::seed_from_u64(SEED);
        let mut states: Vec<([Isometry3<f64>; 2], Vec<f64>)> = Vec::with_capacity(POSES);
        while states.len() < POSES {
            let poses = [random_pose(&mut random), random_pose(&mut random)];
            let coordinates: Vec<f64> = poses.iter().flat_map(pose_coordinates).collect();
            if (-DEEPEST..0.0).contains(&whole.gap(&system, &coordinates)) {
                states.push((poses, coordinates));
            }
        }

        let mut peer = peer::Pair::new([&shapes[0], &shapes[1]]);
        let difference = |(poses, coordinates): &([Isometry3<f64>; 2], Vec<f64>)| {
            (whole.gap(&system, coordinates) - peer.depth(poses)).abs()
        };
        let worst = states.iter().map(difference).fold(0.0, f64::max);
        let bench = |what: &str| format!("collision/{name}/{what}");
        residuals::note(&bench("depth"), worst).expect("the file of residuals can be written");

        let mut turn = states.iter().cycle();
        let mut next = || black_box(turn.next().expect("a cycle never ends"));
        let (mut workspace, settings) = (Workspace::default(), Settings::default());
        criterion.bench_function(&bench("manifold"), |bencher| {
            bencher.iter(|| {
                let contacts = scene.contacts(&system, &next().1, &settings, &mut workspace);
                contacts.expect(VALID).len()
            });
        });
        criterion.bench_function(&bench("manifold-parry"), |bencher| {
            bencher.iter(|| peer.manifold(&next().0));
        });
        criterion.bench_function(&bench("depth"), |bencher| {
            bencher.iter(|| whole.gap(&system, &next().1));
        });
        criterion.bench_function(&bench("depth-parry"), |bencher| {
            bencher.iter(|| peer.depth(&next().0));
        });
    }
}

/// Centers of `count` balls of radius 0.5 m at the nodes of a cubic lattice, moved at random.
fn packing(count: usize) -> Vec<Vector3<f64>> {
    let mut random = ChaCha8Rng::seed_from_u64(SEED);
    let edge = (1..).find(|n| n * n * n >= count).expect("some cube is large enough");
    (0..count)
        .map(|k| {
            let node = [k % edge, k / edge % edge, k / edge / edge];
            let node = Vector3::from(node.map(|i| i as f64));
            node + Vector3::from_fn(|_, _| random.random_range(-0.1..0.1))
        })
        .collect()
}

fn crowds(criterion: &mut Criterion) {
    for count in [300, 10_000] {
        let centers = packing(count);
        let (mut grid, mut tree) = (CellGrid::default(), peer::Tree::default());
        let (mut found, mut by_tree) = (Vec::new(), Vec::new());
        grid.pairs(&centers, 1.0, &mut found).expect("centers are finite");
        tree.pairs(&centers, 1.0, &mut by_tree);
        assert_eq!(found, by_tree, "both find the same pairs");
        assert!(!found.is_empty(), "some balls touch");
        criterion.bench_with_input(
            BenchmarkId::new("collision/grid", count),
            &centers,
            |bencher, centers| bencher.iter(|| grid.pairs(centers, 1.0, &mut found)),
        );
        criterion.bench_with_input(
            BenchmarkId::new("collision/tree-parry", count),
            &centers,
            |bencher, centers| bencher.iter(|| tree.pairs(centers, 1.0, &mut by_tree)),
        );
    }

    let centers = packing(300);
    let system = free_bodies(centers.len());
    let ball = |body| Collider::on_body(body, Shape::Sphere { radius: 0.5 }).expect(VALID);
    let scene = Scene::new((0..centers.len()).map(ball).collect(), &system).expect(VALID);
    let coordinates: Vec<f64> =
        centers.iter().flat_map(|c| [c.x, c.y, c.z, 1.0, 0.0, 0.0, 0.0]).collect();
    let (mut workspace, settings) = (Workspace::default(), Settings::default());
    criterion.bench_function("collision/scene/300", |bencher| {
        bencher.iter(|| {
            let coordinates = black_box(&coordinates);
            let contacts = scene.contacts(&system, coordinates, &settings, &mut workspace);
            contacts.expect(VALID).len()
        });
    });
}

criterion_group!(benches, pairs, crowds);
criterion_main!(benches);
