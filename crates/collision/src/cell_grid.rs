//! A linked-cell grid for many equal spheres: [`CellGrid`].
//!
//! Space is cut into cubes no smaller than the largest distance of a pair, so that both centers of a
//! pair lie in the same or in neighboring cubes. Centers are sorted by cube by counting.
//!
//! - **Needs** finite centers.
//! - **Cost** `O(n + k)` for `n` centers with `k` pairs, if the number of centers per cube is bounded, as
//!   for spheres that hardly overlap. The grid has at most about `4 n` cubes: where centers are
//!   scattered more widely, cubes grow, and far outliers make the search slower.
//! - **Allocates** nothing once buffers have grown to the number of centers and pairs.
//! - **Deterministic**: pairs come out sorted, whatever the cubes.
//!
//! # Source
//!
//! M. P. Allen, D. J. Tildesley, *Computer Simulation of Liquids*, 2nd ed., Oxford University Press
//! 2017, section 5.3.2.

use nalgebra::Vector3;

/// Why pairs cannot be found.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The distance is not positive and finite.
    #[error("distance is {value:?}, expected a positive finite number (m)")]
    Distance {
        /// Distance given (m).
        value: f64,
    },
    /// An entry of a center is NaN, infinite or beyond 1e150 m, where squares overflow.
    #[error("center {index} has an entry {value:?}, expected a number within ±1e150 (m)")]
    Center {
        /// Index of the center.
        index: usize,
        /// First such entry (m).
        value: f64,
    },
}

/// Largest coordinate (m) whose square, and a sum of squares of differences, stays finite.
const LARGEST: f64 = 1e150;

/// Cubes per center, at most. A random close packing in cubes of one diameter has about one center
/// per cube; looser ones leave some empty.
const CUBES_PER_CENTER: f64 = 4.0;

/// Finds near pairs among many points; keep it from step to step to avoid allocation.
///
/// # Example
///
/// Three balls of radius 0.5 m in a row, the first two of which touch.
///
/// ```
/// use nalgebra::Vector3;
/// use percussion_collision::CellGrid;
///
/// let centers = [0.0, 1.0, 2.5].map(|x| Vector3::new(x, 0.0, 0.0));
/// let mut pairs = Vec::new();
/// CellGrid::default().pairs(&centers, 1.0, &mut pairs)?;
/// assert_eq!(pairs, [[0, 1]]);
/// # Ok::<(), percussion_collision::cell_grid::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct CellGrid {
    /// Cube of each center.
    cubes: Vec<usize>,
    /// First place in `sorted` of each cube, and one past the last.
    starts: Vec<usize>,
    /// Centers with their indices, sorted by cube, in each cube by index.
    sorted: Vec<(usize, Vector3<f64>)>,
}

impl CellGrid {
    /// Writes the pairs `[i, j]`, `i < j`, of centers (m) at most `distance` (m) apart, sorted.
    ///
    /// For spheres of radius `r` with a gap of at most `g`, `distance` is `2 r + g`.
    ///
    /// # Errors
    ///
    /// See [`Error`]; `pairs` is then empty.
    pub fn pairs(
        &mut self,
        centers: &[Vector3<f64>],
        distance: f64,
        pairs: &mut Vec<[usize; 2]>,
    ) -> Result<(), Error> {
        pairs.clear();
        check(centers, distance)?;
        if centers.is_empty() {
            return Ok(());
        }
        let grid = Grid::around(centers, distance);
        self.sort(centers, &grid);
        let squared = distance * distance;
        for (i, center) in centers.iter().enumerate() {
            let first = pairs.len();
            let at = grid.cell(center);
            let range = |k: usize| at[k].saturating_sub(1)..=(at[k] + 1).min(grid.counts[k] - 1);
            for z in range(2) {
                for y in range(1) {
                    // Neighbors along x are consecutive cubes, whose centers lie together.
                    let (from, to) = (*range(0).start(), *range(0).end());
                    let from = self.starts[grid.index([from, y, z])];
                    let to = self.starts[grid.index([to, y, z]) + 1];
                    for (j, other) in &self.sorted[from..to] {
                        if *j > i && (other - center).norm_squared() <= squared {
                            pairs.push([i, *j]);
                        }
                    }
                }
            }
            pairs[first..].sort_unstable();
        }
        Ok(())
    }

    /// Sorts centers by cube, by counting.
    fn sort(&mut self, centers: &[Vector3<f64>], grid: &Grid) {
        let count: usize = grid.counts.iter().product();
        self.starts.clear();
        self.starts.resize(count + 1, 0);
        self.cubes.clear();
        self.cubes.extend(centers.iter().map(|center| grid.index(grid.cell(center))));
        for &cube in &self.cubes {
            self.starts[cube + 1] += 1;
        }
        for cube in 0..count {
            self.starts[cube + 1] += self.starts[cube];
        }
        self.sorted.clear();
        self.sorted.resize(centers.len(), (0, Vector3::zeros()));
        // Filling from the back turns each start of the next cube into the start of its own.
        for (index, &cube) in self.cubes.iter().enumerate().rev() {
            self.starts[cube + 1] -= 1;
            self.sorted[self.starts[cube + 1]] = (index, centers[index]);
        }
        self.starts.rotate_left(1);
        self.starts[count] = centers.len();
    }
}

/// The cubes of one call.
struct Grid {
    low: Vector3<f64>,
    edge: f64,
    counts: [usize; 3],
}

impl Grid {
    fn around(centers: &[Vector3<f64>], distance: f64) -> Self {
        let (mut low, mut high) = (centers[0], centers[0]);
        for center in centers {
            (low, high) = (low.inf(center), high.sup(center));
        }
        let extent = high - low;
        #[expect(clippy::cast_precision_loss, reason = "a limit need not be exact")]
        let most = CUBES_PER_CENTER * centers.len() as f64;
        // Rounding must not put two centers at the distance into cubes that are not neighbors.
        let mut edge = distance * (1.0 + 1e-9);
        let cubes = |edge: f64| extent.iter().map(|e| (e / edge).floor() + 1.0).product::<f64>();
        // Each doubling divides the number of cubes by up to 8; from 1e-300 to 1e150 it takes 1500.
        while cubes(edge) > most.max(8.0) {
            edge *= 2.0;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "each factor is at least 1 and the product is limited above"
        )]
        let count = |k: usize| (extent[k] / edge).floor() as usize + 1;
        Self { low, edge, counts: [count(0), count(1), count(2)] }
    }

    fn cell(&self, center: &Vector3<f64>) -> [usize; 3] {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 0 and the count, because the center lies in the box"
        )]
        [0, 1, 2].map(|k| {
            (((center[k] - self.low[k]) / self.edge).floor() as usize).min(self.counts[k] - 1)
        })
    }

    fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.counts[1] + y) * self.counts[0] + x
    }
}

fn check(centers: &[Vector3<f64>], distance: f64) -> Result<(), Error> {
    if !(distance.is_normal() && distance > 0.0) {
        return Err(Error::Distance { value: distance });
    }
    for (index, center) in centers.iter().enumerate() {
        let outside = |entry: &&f64| !(-LARGEST..=LARGEST).contains(*entry);
        if let Some(&value) = center.iter().find(outside) {
            return Err(Error::Center { index, value });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
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
                assert_eq!(
                    found,
                    brute_force(&centers, distance),
                    "{extent:?}, {count}, {distance}"
                );
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

    #[test]
    fn bad_numbers_are_refused() {
        let (mut grid, mut found) = (CellGrid::default(), vec![[0, 1]]);
        let error = grid.pairs(&[Vector3::zeros()], 0.0, &mut found);
        assert_eq!(error, Err(Error::Distance { value: 0.0 }));
        let error = grid.pairs(&[Vector3::new(0.0, f64::INFINITY, 0.0)], 1.0, &mut found);
        assert_eq!(error, Err(Error::Center { index: 0, value: f64::INFINITY }));
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
}
