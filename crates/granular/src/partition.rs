//! Space divided into boxes, [`Partition`], and what their ranks share, [`Lane`].

use std::ops::RangeInclusive;

use nalgebra::Vector3;

use crate::settings::Error;

/// Boxes that fill space: layers along `x`, each divided into columns along `y`, and each of these along `z`.
///
/// Rank `(i n_y + j) n_z + k` has box `k` along `z` of box `j` along `y` of layer `i`. A coordinate on a cut belongs to the
/// box above it. All layers have the same number of columns and all columns the same number of boxes, but each its own
/// cuts, so that every box can have the same share of the grains.
#[derive(Clone, Debug, PartialEq)]
pub struct Partition {
    counts: [usize; 3],
    /// Cuts of space, of each layer and of each column (m), one list after another.
    cuts: [Vec<f64>; 3],
}

impl Partition {
    /// Divides space at these coordinates along each axis (m), ascending.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] for cuts that are not finite or not ascending.
    pub fn new([x, y, z]: [Vec<f64>; 3]) -> Result<Self, Error> {
        let counts = [x.len() + 1, y.len() + 1, z.len() + 1];
        Self::nested(counts, [x, y.repeat(counts[0]), z.repeat(counts[0] * counts[1])])
    }

    /// One box.
    #[must_use]
    pub const fn whole() -> Self {
        Self { counts: [1; 3], cuts: [Vec::new(), Vec::new(), Vec::new()] }
    }

    /// Equal boxes, this many along each axis, between two corners (m); those at the sides are open.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] if an axis has no box or one too narrow to be divided.
    pub fn even(counts: [usize; 3], corners: [Vector3<f64>; 2]) -> Result<Self, Error> {
        if counts.contains(&0) {
            return Err(Error::Setting { name: "boxes", value: 0.0, expected: "≥ 1" });
        }
        let [low, high] = corners;
        Self::new([0, 1, 2].map(|axis| {
            let share = |k: usize| k as f64 / counts[axis] as f64;
            (1..counts[axis]).map(|k| low[axis] + share(k) * (high[axis] - low[axis])).collect()
        }))
    }

    /// The partition with these numbers of boxes along each axis, with the cuts of space along `x`, of each layer along
    /// `y` and of each column along `z` (m), one list after another; the inverse of [`cuts`](Self::cuts).
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] for cuts that are not finite or not ascending, [`Error::Length`] for another number of them.
    pub fn nested(counts: [usize; 3], cuts: [Vec<f64>; 3]) -> Result<Self, Error> {
        let fault = |value, expected| Err(Error::Setting { name: "cuts", value, expected });
        let mut lists = 1;
        for (&count, cuts) in counts.iter().zip(&cuts) {
            let inner = count.saturating_sub(1);
            let (found, expected) = (cuts.len(), inner.saturating_mul(lists));
            if found != expected || count == 0 {
                return Err(Error::Length { name: "cuts", found, expected });
            }
            if let Some(&value) = cuts.iter().find(|value| !value.is_finite()) {
                return fault(value, "a finite number");
            }
            let mut pairs = cuts.chunks(inner.max(1)).flat_map(|cuts| cuts.windows(2));
            if let Some(pair) = pairs.find(|pair| pair[0] >= pair[1]) {
                return fault(pair[1], "a number above the cut before it");
            }
            lists = lists.saturating_mul(count);
        }
        Ok(Self { counts, cuts })
    }

    /// Number of boxes along each axis, and the cuts, as [`nested`](Self::nested) takes them.
    #[must_use]
    pub fn cuts(&self) -> ([usize; 3], &[Vec<f64>; 3]) {
        (self.counts, &self.cuts)
    }

    /// Number of boxes.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "there is at least one box")]
    pub fn len(&self) -> usize {
        self.counts.iter().product()
    }

    /// The rank whose box contains a point.
    #[must_use]
    pub fn owner(&self, point: &Vector3<f64>) -> usize {
        (0..3).fold(0, |list, axis| {
            list * self.counts[axis]
                + self.cuts_of(axis, list).partition_point(|c| *c <= point[axis])
        })
    }

    /// Appends the ranks whose boxes intersect a cube around `point` with half edges `halo` (m), ascending.
    pub fn near(&self, point: &Vector3<f64>, halo: f64, ranks: &mut Vec<usize>) {
        self.meeting(point.add_scalar(-halo), point.add_scalar(halo), ranks);
    }

    /// The ranks whose boxes come within `halo` (m) of the box of `rank`, without `rank` itself, ascending.
    ///
    /// Of two ranks either is a neighbor of the other or neither.
    #[must_use]
    pub fn neighbors(&self, rank: usize, halo: f64) -> Vec<usize> {
        // Distances of cuts are rounded; a box that is too many only costs an empty message.
        let halo = halo * (1.0 + 1e-6);
        let [low, high] = self.corners(rank);
        let mut ranks = Vec::new();
        // A cut belongs to the box above it, so that only the next number below meets the other.
        self.meeting(
            low.map(|x| (x - 2.0 * halo).next_down()),
            high.add_scalar(2.0 * halo),
            &mut ranks,
        );
        ranks.retain(|other| {
            let [theirs, ends] = self.corners(*other);
            let apart = |axis: usize| (theirs[axis] - high[axis]).max(low[axis] - ends[axis]);
            *other != rank && (0..3).all(|axis| apart(axis) <= halo)
        });
        ranks
    }

    /// Corners of the box of a rank (m), infinite where it is open.
    #[must_use]
    pub fn corners(&self, rank: usize) -> [Vector3<f64>; 2] {
        let (mut low, mut high) =
            (Vector3::repeat(f64::NEG_INFINITY), Vector3::repeat(f64::INFINITY));
        let mut list = rank;
        for axis in (0..3).rev() {
            let place = list % self.counts[axis];
            list /= self.counts[axis];
            let cuts = self.cuts_of(axis, list);
            if let Some(cut) = place.checked_sub(1).and_then(|before| cuts.get(before)) {
                low[axis] = *cut;
            }
            if let Some(cut) = cuts.get(place) {
                high[axis] = *cut;
            }
        }
        [low, high]
    }

    /// Appends the ranks whose boxes meet the one between two corners.
    fn meeting(&self, low: Vector3<f64>, high: Vector3<f64>, ranks: &mut Vec<usize>) {
        let range = |axis: usize, list: usize| -> RangeInclusive<usize> {
            let cuts = self.cuts_of(axis, list);
            let place = |coordinate: f64| cuts.partition_point(|cut| *cut <= coordinate);
            place(low[axis])..=place(high[axis])
        };
        for i in range(0, 0) {
            for j in range(1, i) {
                let column = i * self.counts[1] + j;
                ranks.extend(range(2, column).map(|k| column * self.counts[2] + k));
            }
        }
    }

    /// The cuts along an axis of the layer or column with this number.
    fn cuts_of(&self, axis: usize, list: usize) -> &[f64] {
        let inner = self.counts[axis] - 1;
        &self.cuts[axis][list * inner..(list + 1) * inner]
    }
}

/// Grains that are shared with one other rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane {
    /// The other rank.
    pub rank: usize,
    /// The grains, at least one.
    pub identities: Vec<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_belong_to_one_box_and_reach_those_within_the_halo() {
        let partition = Partition::new([vec![0.0, 1.0], vec![0.0], vec![]]).unwrap();
        assert_eq!(partition.len(), 6);
        assert_eq!(partition.owner(&Vector3::new(0.0, -0.1, 5.0)), 2);
        let mut ranks = Vec::new();
        partition.near(&Vector3::new(0.95, 0.5, 0.0), 0.1, &mut ranks);
        assert_eq!(ranks, [3, 5]);
    }

    #[test]
    fn neighbors_are_mutual_and_hold_all_that_is_near() {
        let cuts = [vec![0.0, 0.3], vec![0.1, -0.2, 0.25], vec![0.0, 0.5, -0.1, 0.2, 0.05, 0.4]];
        let partition = Partition::nested([3, 2, 2], cuts).unwrap();
        assert_eq!(partition.len(), 12);
        for halo in [0.0, 0.05, 0.3, 1e3] {
            for rank in 0..12 {
                let neighbors = partition.neighbors(rank, halo);
                for other in &neighbors {
                    assert!(partition.neighbors(*other, halo).contains(&rank), "{rank} {other}");
                }
            }
            let mut ranks = Vec::new();
            for k in 0..1000 {
                let part = |n: i32| f64::from(k * n % 101) / 101.0 - 0.4;
                let point = Vector3::new(part(7), part(11), part(13));
                let owner = partition.owner(&point);
                let [low, high] = partition.corners(owner);
                assert!((0..3).all(|axis| low[axis] <= point[axis] && point[axis] < high[axis]));
                ranks.clear();
                partition.near(&point, halo, &mut ranks);
                ranks.retain(|rank| *rank != owner);
                let neighbors = partition.neighbors(owner, halo);
                assert!(ranks.iter().all(|rank| neighbors.contains(rank)), "{ranks:?}");
            }
        }
    }

    #[test]
    fn boxes_between_corners_are_equal() {
        let corners = [Vector3::zeros(), Vector3::new(3.0, 1.0, 2.0)];
        let partition = Partition::even([3, 1, 2], corners).unwrap();
        let [low, high] = partition.corners(2);
        assert_eq!((low.x, high.x, low.z, high.z), (1.0, 2.0, f64::NEG_INFINITY, 1.0));
        let error = Partition::even([3, 1, 1], [Vector3::zeros(); 2]).unwrap_err();
        assert!(matches!(error, Error::Setting { name: "cuts", .. }), "{error}");
        assert!(Partition::even([0, 1, 1], corners).is_err());
    }

    #[test]
    fn cuts_must_ascend() {
        let error = Partition::new([vec![1.0, 0.5], vec![], vec![]]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "setting `cuts` is 0.5, expected a number above the cut before it"
        );
        let error = Partition::nested([2, 2, 1], [vec![0.0], vec![0.0], vec![]]).unwrap_err();
        assert_eq!(error.to_string(), "cuts has 1 entries, expected 2");
    }
}
