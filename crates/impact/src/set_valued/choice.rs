//! One of all solutions of a step: [`Choice`].
//!
//! A step may have several solutions, of which Lemke's method finds one, and never some of them. Here all of them are
//! [enumerated](enumerate), told apart by the contact velocity that they lead to, and one is drawn: isolated ones and continua are
//! equally likely, and within a continuum the weights of its vertices are uniform on their simplex.
//!
//! # Source
//!
//! The uniform weights are the spacings of sorted uniform numbers: L. Devroye, *Non-Uniform Random Variate Generation*
//! (Springer 1986), chapter V, theorem 2.2.

use nalgebra::{DMatrix, DVector};
use percussion_complementarity::lcp::{
    self,
    enumerate::{self, SolutionSet},
};

use super::frame::{Frame, generators};
use crate::Problem;

/// Number of unknowns up to which all solutions of a step are enumerated: a contact in the plane has five, without friction two.
const UNKNOWNS: usize = 12;

/// Solutions whose contact velocities differ by less than this part of their terms are one.
const SAME: f64 = 1e-9;

/// Draws among all solutions of steps of one problem.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    /// From a solution of the step to the change of the contact velocity.
    map: DMatrix<f64>,
}

impl Choice {
    /// For steps with `unknowns` unknowns, of which the contacts `frames` have `directions` directions of friction; none if these
    /// are too many to enumerate.
    pub(super) fn new(
        problem: &Problem,
        frames: &[Frame],
        directions: usize,
        unknowns: usize,
    ) -> Option<Self> {
        if unknowns > UNKNOWNS {
            return None;
        }
        let m = frames.len();
        let changes = problem.delassus() * generators(problem, frames, directions);
        let mut map = DMatrix::zeros(changes.nrows(), unknowns);
        map.columns_mut(m, changes.ncols()).copy_from(&changes);
        Some(Self { map })
    }

    /// A solution of `step`, and the number of those it was drawn among; none if there are none, or some may be missing.
    /// `uniform` gives independent numbers in `(0, 1]`.
    pub(super) fn draw(
        &self,
        step: &lcp::Problem,
        mut uniform: impl FnMut() -> f64,
    ) -> Option<(DVector<f64>, usize)> {
        let set = enumerate::solve(step, &enumerate::Settings::default()).ok()?;
        if set.unverified > 0 {
            return None;
        }
        let mut alternatives = self.alternatives(&set)?;
        let count = alternatives.len();
        let vertices = match count {
            0 => return None,
            1 => alternatives.swap_remove(0),
            _ => {
                // Truncated on purpose: 0 for the first, …, count − 1 for the last.
                #[expect(clippy::cast_possible_truncation, reason = "below the count")]
                let pick = ((1.0 - uniform()) * count as f64) as usize;
                alternatives.swap_remove(pick.min(count - 1))
            }
        };
        let mut solution = DVector::zeros(step.dimension());
        for (vertex, weight) in vertices.iter().zip(weights(vertices.len(), uniform)) {
            solution.axpy(weight, &set.vertices[*vertex].z, 1.0);
        }
        Some((solution, count))
    }

    /// The vertices of each isolated solution and of each continuum, one vertex for each contact velocity.
    fn alternatives(&self, set: &SolutionSet) -> Option<Vec<Vec<usize>>> {
        let images = set.images(&self.map, SAME).ok()?;
        let isolated = images.iter().filter(|image| image.is_isolated);
        let mut alternatives: Vec<_> = isolated.map(|image| vec![image.vertices[0]]).collect();
        for piece in &set.pieces {
            let joined = images.iter().filter(|image| !image.is_isolated);
            let vertices: Vec<_> = joined
                .filter_map(|image| image.vertices.iter().find(|v| piece.vertices.contains(v)))
                .copied()
                .collect();
            if !vertices.is_empty() {
                alternatives.push(vertices);
            }
        }
        Some(alternatives)
    }
}

/// Weights that are uniform on the simplex: at least zero, with the sum one.
fn weights(count: usize, mut uniform: impl FnMut() -> f64) -> Vec<f64> {
    let mut ends: Vec<f64> = (1..count).map(|_| uniform()).collect();
    ends.push(1.0);
    ends.sort_unstable_by(f64::total_cmp);
    let mut start = 0.0;
    ends.iter().map(|end| end - std::mem::replace(&mut start, *end)).collect()
}

#[cfg(test)]
mod tests {
    use nalgebra::dmatrix;
    use rand_chacha::{
        ChaCha8Rng,
        rand_core::{Rng, SeedableRng},
    };

    use super::*;

    fn uniform(random: &mut ChaCha8Rng) -> impl FnMut() -> f64 {
        || ((random.next_u64() >> 11) + 1) as f64 / (1_u64 << 53) as f64
    }

    #[test]
    fn isolated_solutions_are_equally_likely() {
        // Each unknown is 0 or 1 by itself.
        let step =
            lcp::Problem::new(-DMatrix::identity(2, 2), DVector::from_element(2, 1.0)).unwrap();
        let choice = Choice { map: dmatrix![1.0, 0.0; 0.0, 1.0] };
        let mut random = ChaCha8Rng::seed_from_u64(5);
        let mut counts = [0_u32; 4];
        for _ in 0..4000 {
            let (z, count) = choice.draw(&step, uniform(&mut random)).unwrap();
            assert_eq!(count, 4);
            counts[usize::from(z[0] > 0.5) + 2 * usize::from(z[1] > 0.5)] += 1;
        }
        // Four standard deviations of 4000 draws with the probability 1/4 are 110.
        assert!(counts.iter().all(|count| count.abs_diff(1000) < 110), "{counts:?}");
    }

    #[test]
    fn solutions_with_one_velocity_are_one() {
        let step =
            lcp::Problem::new(-DMatrix::identity(2, 2), DVector::from_element(2, 1.0)).unwrap();
        let sum = Choice { map: dmatrix![1.0, 1.0] };
        let (_, count) = sum.draw(&step, || 1.0).unwrap();
        assert_eq!(count, 3, "the sum is 0, 1 or 2");
    }

    #[test]
    fn a_continuum_is_drawn_uniformly() {
        // w = 0 for z₁ + z₂ = 1: the segment between (1, 0) and (0, 1).
        let step = lcp::Problem::new(dmatrix![1.0, 1.0; 1.0, 1.0], DVector::from_element(2, -1.0))
            .unwrap();
        let choice = Choice { map: dmatrix![1.0, 0.0] };
        let mut random = ChaCha8Rng::seed_from_u64(6);
        let mut below = [0_u32; 4];
        for _ in 0..4000 {
            let (z, count) = choice.draw(&step, uniform(&mut random)).unwrap();
            assert_eq!(count, 1);
            assert!((z[0] + z[1] - 1.0).abs() < 1e-15, "{z}");
            for (part, below) in below.iter_mut().enumerate() {
                *below += u32::from(z[0] <= 0.25 * (part + 1) as f64);
            }
        }
        // Four standard deviations of 4000 draws are at most 127.
        let expected = [1000, 2000, 3000, 4000];
        assert!(below.iter().zip(expected).all(|(count, e)| count.abs_diff(e) < 127), "{below:?}");
    }
}
