//! Tests of linked cells.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;

fn brute_force(centers: &[Vector3<f64>], distance: f64) -> Vec<[usize; 2]> {
    (0..centers.len())
        .flat_map(|i| (i + 1..centers.len()).map(move |j| [i, j]))
        .filter(|[i, j]| (centers[*j] - centers[*i]).norm_squared() <= distance * distance)
        .collect()
}

#[test]
fn the_grid_finds_what_comparing_all_centers_finds() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let (mut grid, mut found) = (CellGrid::default(), Vec::new());
    let boxes = [[4.0, 4.0, 4.0], [100.0, 1.0, 1.0], [30.0, 30.0, 0.0], [1e6, 0.0, 1e-3]];
    for (extent, count) in boxes.iter().flat_map(|b| [1, 2, 50, 700].map(|n| (b, n))) {
        let centers: Vec<_> = (0..count)
            .map(|_| Vector3::from(extent.map(|e: f64| e * rng.random_range(-0.5..0.5))))
            .collect();
        for distance in [1e-3, 0.5, 1.7] {
            grid.pairs(&centers, distance, &mut found).unwrap();
            assert_eq!(found, brute_force(&centers, distance), "{extent:?}, {count}, {distance}");
        }
    }
}

#[test]
fn centers_exactly_at_the_distance_on_a_lattice_are_pairs() {
    let centers: Vec<_> = (0..1000)
        .map(|k| Vector3::new(f64::from(k % 10), f64::from(k / 10 % 10), f64::from(k / 100)))
        .collect();
    let mut found = Vec::new();
    CellGrid::default().pairs(&centers, 1.0, &mut found).unwrap();
    // Each of three directions has 10 · 10 · 9 neighbors.
    assert_eq!(found.len(), 2700);
    assert_eq!(found, brute_force(&centers, 1.0));
}

/// The pairs of spheres of several sizes, identified by their places, do not depend on the position of the grid.
#[test]
fn places_of_slabs_lead_to_the_pairs_of_unequal_spheres() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let count = 4000;
    let centers: Vec<_> = (0..count)
        .map(|_| Vector3::from([40.0, 3.0, 8.0].map(|e: f64| e * rng.random_range(0.0..1.0))))
        .collect();
    let radii: Vec<f64> = (0..count).map(|_| rng.random_range(0.1..0.5)).collect();
    let skin = 0.1;
    let touch = |i: usize, j: usize| {
        let reach = radii[i] + skin + radii[j];
        (centers[j] - centers[i]).norm_squared() <= reach * reach
    };
    let all: Vec<_> = (0..count).flat_map(|i| (i + 1..count).map(move |j| [i, j])).collect();
    let expected: Vec<_> = all.into_iter().filter(|[i, j]| touch(*i, *j)).collect();
    for up in [Vector3::zeros(), -Vector3::x(), Vector3::y(), Vector3::new(0.1, 0.2, -9.0)] {
        let mut grid = CellGrid::default();
        let order: Vec<usize> =
            grid.sort(&centers, 1.0 + skin, &up).iter().map(|&i| i as usize).collect();
        let sorted: Vec<_> = order.iter().map(|&i| centers[i]).collect();
        let sizes: Vec<_> = order.iter().map(|&i| radii[i]).collect();
        let (mut found, mut place) = (Vec::new(), 0);
        for slab in 0..grid.slab_count() {
            let [start, end] = grid.places_of(slab);
            assert_eq!(start, place, "slabs follow one another");
            place = end;
            grid.pairs_of(slab, &sorted, &sizes, skin, &mut |[i, j]| {
                assert!(i < j && (start..end).contains(&i), "{i} {j}");
                let [i, j] = [order[i as usize], order[j as usize]];
                found.push([i.min(j), i.max(j)]);
            });
        }
        assert_eq!(place as usize, count);
        assert!(grid.slab_count() > 3, "{}", grid.slab_count());
        found.sort_unstable();
        assert_eq!(found, expected, "{up}");
    }
}

#[test]
fn bad_numbers_are_refused() {
    let (mut grid, mut found) = (CellGrid::default(), vec![[0, 1]]);
    let error = grid.pairs(&[Vector3::zeros()], 0.0, &mut found);
    assert_eq!(error, Err(CellGridError::Distance { value: 0.0 }));
    let error = grid.pairs(&[Vector3::new(0.0, f64::INFINITY, 0.0)], 1.0, &mut found);
    assert_eq!(error, Err(CellGridError::Center { index: 0, value: f64::INFINITY }));
    assert!(found.is_empty(), "no pairs with an error");
    assert_eq!(grid.pairs(&[], 1.0, &mut found), Ok(()));
}

#[test]
fn a_far_outlier_costs_no_memory() {
    let mut centers = vec![Vector3::zeros(); 2];
    centers.push(Vector3::repeat(1e150));
    let (mut grid, mut found) = (CellGrid::default(), Vec::new());
    grid.pairs(&centers, 1e-3, &mut found).unwrap();
    assert_eq!(found, [[0, 1]]);
    assert!(grid.starts.len() < 100, "{} cubes", grid.starts.len());
}
