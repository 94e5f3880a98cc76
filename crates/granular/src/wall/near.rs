//! Which walls can be near a place: [`NearWalls`].

use nalgebra::Vector3;

use super::Wall;

/// Walls with ends, sorted into cubes, so that ground of a thousand balls or a mesh is not looked at as a whole for every grain.
///
/// A place is looked up in one cube, which lists every wall that a grain there can be near.
#[derive(Clone, Debug, Default)]
pub(crate) struct NearWalls {
    origin: Vector3<f64>,
    edge: f64,
    counts: [usize; 3],
    /// First entry of each cube, and the number of entries.
    starts: Vec<u32>,
    entries: Vec<u32>,
    /// Walls that are near everywhere as far as is known: without ends, or in many cubes.
    wide: Vec<u32>,
}

/// With fewer walls than this each is looked at.
const FEW: usize = 16;

/// A wall in more cubes than this is looked at everywhere.
const MANY: usize = 512;

/// Maximum number of cubes per wall.
const CUBES_PER_WALL: f64 = 64.0;

impl NearWalls {
    /// Sorts walls for places of grains that are near from `reach` (m) on.
    pub(crate) fn sort(&mut self, walls: &[Wall], reach: f64) {
        *self = Self::default();
        let numbered = || (0_u32..).zip(walls);
        if walls.len() < FEW || reach <= 0.0 {
            self.wide.extend(numbered().map(|(wall, _)| wall));
            return;
        }
        let grown = |wall: &Wall| {
            wall.surface
                .bounds()
                .map(|[low, high]| [low.add_scalar(-reach), high.add_scalar(reach)])
        };
        let ends = numbered().filter_map(|(_, wall)| grown(wall));
        let Some([low, high]) = ends.reduce(|[a, b], [c, d]| [a.inf(&c), b.sup(&d)]) else {
            self.wide.extend(numbered().map(|(wall, _)| wall));
            return;
        };
        let most = CUBES_PER_WALL * walls.len() as f64;
        self.origin = low;
        self.edge = reach;
        // Walls that are far apart have larger cubes.
        while (high - low).map(|edge| (edge / self.edge).floor() + 1.0).product() > most {
            self.edge *= 2.0;
        }
        self.counts = self.cube(&high).map(|last| last + 1);
        let count = self.counts.iter().product();
        let (mut listed, mut tally) = (Vec::new(), vec![0_u32; count + 1]);
        for (wall, entry) in numbered() {
            let Some([first, last]) = grown(entry).map(|ends| ends.map(|end| self.cube(&end)))
            else {
                self.wide.push(wall);
                continue;
            };
            let spans = [0, 1, 2].map(|k| last[k] - first[k] + 1);
            if spans.iter().product::<usize>() > MANY {
                self.wide.push(wall);
                continue;
            }
            for k in first[2]..=last[2] {
                for j in first[1]..=last[1] {
                    for i in first[0]..=last[0] {
                        let cube = self.index([i, j, k]);
                        listed.push((cube, wall));
                        tally[cube + 1] += 1;
                    }
                }
            }
        }
        for cube in 0..count {
            tally[cube + 1] += tally[cube];
        }
        self.entries = vec![0; listed.len()];
        self.starts = tally.clone();
        for (cube, wall) in listed {
            self.entries[tally[cube] as usize] = wall;
            tally[cube] += 1;
        }
    }

    /// The cube of a place in the box; of a place outside, the nearest along every axis.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "casts saturate")]
    fn cube(&self, at: &Vector3<f64>) -> [usize; 3] {
        [0, 1, 2].map(|k| ((at[k] - self.origin[k]) / self.edge).floor() as usize)
    }

    const fn index(&self, [i, j, k]: [usize; 3]) -> usize {
        i + self.counts[0] * (j + self.counts[1] * k)
    }

    /// The walls that can be near a place, in their order, into `found`.
    pub(crate) fn at(&self, at: &Vector3<f64>, found: &mut Vec<u32>) {
        found.clear();
        found.extend_from_slice(&self.wide);
        let cube = self.cube(at);
        let inside = (0..3).all(|k| at[k] >= self.origin[k] && cube[k] < self.counts[k]);
        if inside && !self.entries.is_empty() {
            let cube = self.index(cube);
            let [start, end] = [cube, cube + 1].map(|cube| self.starts[cube] as usize);
            found.extend_from_slice(&self.entries[start..end]);
            found.sort_unstable();
        }
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Isometry3;
    use percussion_collision::Shape;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn no_near_wall_is_left_out() {
        let mut random = ChaCha8Rng::seed_from_u64(3);
        let mut walls = vec![Wall::plane(Vector3::zeros(), Vector3::z(), 0.5)];
        for k in 0..300 {
            let size = if k % 50 == 0 { 0.8 } else { 0.05 };
            let place = Vector3::from_fn(|_, _| random.random_range(-1.0..1.0));
            let shape = Shape::Box { half_extents: Vector3::new(size, 0.04, 0.02) };
            walls.push(Wall::solid(shape, Isometry3::new(place, 7.0 * place), 0.5));
        }
        let mut near = NearWalls::default();
        near.sort(&walls, 0.1);
        let (mut found, mut looked_at) = (Vec::new(), 0);
        for _ in 0..2000 {
            let at = Vector3::from_fn(|_, _| random.random_range(-1.5..1.5));
            near.at(&at, &mut found);
            looked_at += found.len();
            assert!(found.is_sorted());
            for (index, wall) in (0..).zip(&walls) {
                let listed = found.binary_search(&index).is_ok();
                assert!(listed || wall.gap(&at, 0.0).0 > 0.1, "{index} at {at}");
            }
        }
        assert!(looked_at < 2000 * 30, "{looked_at} of {}", 2000 * walls.len());
    }
}
