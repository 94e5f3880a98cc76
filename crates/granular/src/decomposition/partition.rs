//! Space divided into boxes: [`Partition`].

use nalgebra::Vector3;

use crate::settings::Error;

/// Boxes that fill space, divided by planes across the axes.
///
/// Rank `(i n_y + j) n_z + k` has box `i` along `x`, `j` along `y` and `k` along `z`. A coordinate on a cut belongs to the box
/// above it.
#[derive(Clone, Debug, PartialEq)]
pub struct Partition {
    cuts: [Vec<f64>; 3],
}

impl Partition {
    /// Divides space at these coordinates along each axis (m), ascending.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] for cuts that are not finite or not ascending.
    pub fn new(cuts: [Vec<f64>; 3]) -> Result<Self, Error> {
        let fault = |value, expected| Err(Error::Setting { name: "cuts", value, expected });
        for cuts in &cuts {
            if let Some(&value) = cuts.iter().find(|value| !value.is_finite()) {
                return fault(value, "a finite number");
            }
            if let Some(pair) = cuts.windows(2).find(|pair| pair[0] >= pair[1]) {
                return fault(pair[1], "a number above the cut before it");
            }
        }
        Ok(Self { cuts })
    }

    /// Number of boxes.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "there is at least one box")]
    pub fn len(&self) -> usize {
        self.cuts.iter().map(|cuts| cuts.len() + 1).product()
    }

    /// The rank whose box contains a point.
    #[must_use]
    pub fn owner(&self, point: &Vector3<f64>) -> usize {
        self.rank([0, 1, 2].map(|axis| self.place(axis, point[axis])))
    }

    /// Appends the ranks whose boxes intersect a cube around `point` with half edges `halo` (m).
    pub fn near(&self, point: &Vector3<f64>, halo: f64, ranks: &mut Vec<usize>) {
        let range = |axis: usize| {
            self.place(axis, point[axis] - halo)..=self.place(axis, point[axis] + halo)
        };
        for i in range(0) {
            for j in range(1) {
                ranks.extend(range(2).map(|k| self.rank([i, j, k])));
            }
        }
    }

    fn place(&self, axis: usize, coordinate: f64) -> usize {
        self.cuts[axis].partition_point(|cut| *cut <= coordinate)
    }

    fn rank(&self, [i, j, k]: [usize; 3]) -> usize {
        (i * (self.cuts[1].len() + 1) + j) * (self.cuts[2].len() + 1) + k
    }
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
    fn cuts_must_ascend() {
        let error = Partition::new([vec![1.0, 0.5], vec![], vec![]]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "setting `cuts` is 0.5, expected a number above the cut before it"
        );
    }
}
