//! Newton's method in the space of motions, for problems with many more rows than ways to move.
//!
//! A hand around a block has a hundred rows and thirty velocities: `W = Yᵀ Y` in canonical coordinates, with `Y` of as many rows as
//! there are independent motions. With the motion `z = Y x` the proximal point of a center `c`, with the weight `w`, is the solution of
//!
//! ```math
//! G(z) = z - Y\, P_K\Bigl(c - \tfrac1w (u + \sigma_F(-u_t)\, n)\Bigr) = 0, \qquad u = Y^\mathsf{T} z + b,
//! ```
//!
//! which is that of [`newton`](super::newton) with one unknown for each motion. `G'` is regular wherever friction is not too strong,
//! however redundant the rows are. Steps are halved until `‖G‖` falls, and each proximal point is the center of the next, with a
//! [smaller weight](Path): rows that have to press against one another before friction holds are pressed by the velocity that is left,
//! divided by the weight, from point to point.
//!
//! - **Needs** nothing; it is made for a rank of `W` far below the number of rows.
//! - **Does not** always converge.
//! - **Cost** for `n` rows and `r` motions `n r²` flops for `Y`, and `2 n r² + ⅔ r³` for each step. Steps allocate nothing. Hands that
//!   close around objects, on which other methods end at relative residuals of 2e-8 to 5e-6, take 30 to 400 steps to 1e-8.
//!
//! # Source
//!
//! As for [`newton`](super::newton); N. J. Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed., SIAM 2002, section 10.3
//! (Cholesky factors of semidefinite matrices); A. Castro, F. Permenter, X. Han, "An unconstrained convex formulation of compliant
//! contact", *IEEE Transactions on Robotics* 39 (2023) 1301–1320 (contacts with the velocities of mechanisms as unknowns).

use super::{
    canonical::Canonical,
    projection::{Cone, Derivative, ROWS},
};
use crate::{gauss::solve_in_place, vectors::add_columns};

/// The largest diagonal that is left of a matrix, of which each block has the mean 1, when its factor is complete.
const ROUNDING: f64 = 1e-13;

/// Smallest part of a step that is tried.
const LEAST: f64 = 1e-3;

/// The first weight, the one from which it becomes no smaller, and the factor by which it changes.
const FIRST: f64 = 1e-3;
const LAST: f64 = 1e-8;
const FACTOR: f64 = 3.0;
/// Most steps to a point, and the number of those after which the next one has a smaller weight.
const STEPS: usize = 25;
const FEW: usize = 8;
/// Most points that are not reached.
const MOST_FAILED: usize = 40;

/// The factor of a problem and the memory of the steps.
#[derive(Clone, Debug)]
pub(super) struct Motions {
    /// Number `r` of motions.
    rank: usize,
    /// `Yᵀ`, by rows of the problem, and by motions.
    rows: Vec<f64>,
    columns: Vec<f64>,
    motion: Vec<f64>,
    trial: Vec<f64>,
    /// `G`, and the impulses in the cones, at the motion.
    map: Vec<f64>,
    impulses: Vec<f64>,
    /// Velocities `u`, and `c − (u + σ n)/w`.
    velocity: Vec<f64>,
    image: Vec<f64>,
    /// `G'` by rows, and the negative step.
    matrix: Vec<f64>,
    step: Vec<f64>,
    /// The rows in which `P'` is not zero, and `P' (I + n ∇σᵀ) Yᵀ / w` in these.
    active: Vec<usize>,
    moved: Vec<f64>,
}

/// The center of a proximal point and the weight of the distance from it.
#[derive(Clone, Copy, Debug)]
struct Center<'a> {
    at: &'a [f64],
    weight: f64,
}

impl Motions {
    /// Those of a problem; `None` if they are more than `most`, or none.
    pub(super) fn new(canonical: &Canonical<'_>, most: usize) -> Option<Self> {
        let n = canonical.free_velocity.len();
        let factor = factor(&canonical.matrix, n, most)?;
        let rank = factor.len();
        let rows = (0..n).flat_map(|row| factor.iter().map(move |motion| motion[row])).collect();
        let zeros = |count: usize| vec![0.0; count];
        Some(Self {
            rank,
            rows,
            columns: factor.concat(),
            motion: zeros(rank),
            trial: zeros(rank),
            map: zeros(rank),
            impulses: zeros(n),
            velocity: zeros(n),
            image: zeros(n),
            matrix: zeros(rank * rank),
            step: zeros(rank),
            active: Vec::with_capacity(n),
            moved: Vec::with_capacity(n * rank),
        })
    }

    /// Begins with the motion of impulses.
    pub(super) fn begin(&mut self, impulses: &[f64]) {
        self.motion.fill(0.0);
        add_columns(&mut self.motion, &self.rows, impulses.iter().copied());
    }

    /// `‖G‖` at the motion.
    fn evaluate(&mut self, canonical: &Canonical<'_>, center: Center<'_>) -> f64 {
        self.trial.copy_from_slice(&self.motion);
        self.evaluate_trial(canonical, center)
    }

    pub(super) const fn rank(&self) -> usize {
        self.rank
    }

    /// One step from the motion, where `‖G‖` is `size`; its new size, or `None` if no part of the step reduces it.
    fn step(&mut self, canonical: &Canonical<'_>, center: Center<'_>, size: f64) -> Option<f64> {
        self.assemble(canonical, center.weight);
        self.step.copy_from_slice(&self.map);
        if !solve_in_place(&mut self.matrix, &mut self.step) {
            return None;
        }
        let mut part = 1.0;
        while part >= LEAST {
            for (trial, (z, step)) in self.trial.iter_mut().zip(self.motion.iter().zip(&self.step))
            {
                *trial = z - part * step;
            }
            let next = self.evaluate_trial(canonical, center);
            if next < (1.0 - 1e-4 * part) * size {
                self.motion.copy_from_slice(&self.trial);
                return Some(next);
            }
            part *= 0.5;
        }
        None
    }

    /// `G` and what belongs to it at the trial; returns its size.
    fn evaluate_trial(&mut self, canonical: &Canonical<'_>, center: Center<'_>) -> f64 {
        self.velocity.copy_from_slice(&canonical.free_velocity);
        add_columns(&mut self.velocity, &self.columns, self.trial.iter().copied());
        let inverse = 1.0 / center.weight;
        let mut slope = [0.0; ROWS];
        for cell in &canonical.cells {
            let shift = canonical.support(&cell.cone, &self.velocity[cell.range()], &mut slope);
            for row in cell.range() {
                let shift = if row == cell.start { shift } else { 0.0 };
                self.image[row] = center.at[row] - inverse * (self.velocity[row] + shift);
            }
            let impulses = &mut self.impulses[cell.range()];
            impulses.copy_from_slice(&self.image[cell.range()]);
            cell.cone.project(impulses, None);
        }
        self.map.copy_from_slice(&self.trial);
        add_columns(&mut self.map, &self.rows, self.impulses.iter().map(|x| -x));
        self.map.iter().map(|entry| entry * entry).sum::<f64>().sqrt()
    }

    /// Fills the matrix with `G' = I + Y P' (I + n ∇σᵀ) Yᵀ / w`, at what was evaluated last.
    fn assemble(&mut self, canonical: &Canonical<'_>, weight: f64) {
        let (rank, n) = (self.rank, self.velocity.len());
        self.moved.clear();
        self.active.clear();
        for cell in &canonical.cells {
            let mut slope = [0.0; ROWS];
            canonical.support(&cell.cone, &self.velocity[cell.range()], &mut slope);
            let derivative = derivative(&cell.cone, &self.image[cell.range()]);
            let own = &self.rows[cell.start * rank..(cell.start + cell.rows) * rank];
            for (row, derivative) in cell.range().zip(&derivative) {
                // Rows of what is open or slides at its bound stay where they are projected.
                if derivative.iter().all(|entry| *entry == 0.0) {
                    continue;
                }
                self.active.push(row);
                let first = self.moved.len();
                self.moved.resize(first + rank, 0.0);
                let part = |slope: (&f64, &f64)| (slope.0 + derivative[0] * slope.1) / weight;
                let parts = derivative.iter().zip(&slope).map(part);
                add_columns(&mut self.moved[first..], own, parts);
            }
        }
        self.matrix.fill(0.0);
        let rows = self.matrix.chunks_exact_mut(rank).zip(self.columns.chunks_exact(n));
        for (k, (row, motion)) in rows.enumerate() {
            row[k] = 1.0;
            add_columns(row, &self.moved, self.active.iter().map(|row| motion[*row]));
        }
    }
}

/// Proximal points one after another.
///
/// The weight becomes smaller after a point that few steps reach, and larger after one that none reach.
#[derive(Clone, Debug)]
pub(super) struct Path {
    /// The last point: impulses in the cones, which at the beginning are those of the start.
    pub(super) center: Vec<f64>,
    weight: f64,
    /// The size of `G` at which a point is reached, for weights that leave so many digits.
    accuracy: f64,
    /// The rounding of `G` times the weight.
    rounding: f64,
    /// The motion of the center.
    motion: Vec<f64>,
    failed: usize,
}

impl Path {
    /// From the impulses `start`, to a residual of `target` (m/s).
    pub(super) fn new(canonical: &Canonical<'_>, target: f64, start: &[f64]) -> Self {
        let free = canonical.free_velocity.iter().map(|b| b * b).sum::<f64>().sqrt();
        let tolerance = target / canonical.problem.velocity_scale;
        Self {
            center: start.to_vec(),
            weight: FIRST,
            accuracy: 0.1 * tolerance * free,
            rounding: 1e-16 * free,
            motion: Vec::new(),
            failed: 0,
        }
    }

    /// Whether there is a next point to try.
    pub(super) const fn goes_on(&self) -> bool {
        self.failed < MOST_FAILED
    }

    /// Tries to reach the next point by at most so many steps; returns the number of those taken, and whether it was reached.
    pub(super) fn next_point(
        &mut self,
        canonical: &Canonical<'_>,
        motions: &mut Motions,
        most: usize,
    ) -> (usize, bool) {
        self.motion.clone_from(&motions.motion);
        let accuracy = self.accuracy.max(self.rounding / self.weight);
        let center = Center { at: &self.center, weight: self.weight };
        let (mut size, mut steps) = (motions.evaluate(canonical, center), 0);
        while size > accuracy && steps < most.min(STEPS) {
            steps += 1;
            match motions.step(canonical, center, size) {
                Some(next) => size = next,
                None => break,
            }
        }
        let reached = size <= accuracy;
        if reached {
            self.center.copy_from_slice(&motions.impulses);
            let is_near = steps <= FEW && self.weight > LAST;
            self.weight /= if is_near { FACTOR } else { 1.0 };
        } else {
            self.failed += 1;
            motions.motion.copy_from_slice(&self.motion);
            self.weight = (FACTOR * self.weight).min(1.0);
        }
        (steps, reached)
    }
}

/// The derivative of the projection of `image`.
fn derivative(cone: &Cone, image: &[f64]) -> Derivative {
    let mut derivative = [[0.0; ROWS]; ROWS];
    if *cone == Cone::Free {
        (0..image.len()).for_each(|k| derivative[k][k] = 1.0);
        return derivative;
    }
    let mut projected = [0.0; ROWS];
    projected[..image.len()].copy_from_slice(image);
    cone.project(&mut projected[..image.len()], Some(&mut derivative));
    derivative
}

/// `Y`, by motions, with `Yᵀ Y` equal to the semidefinite `matrix` (`n × n`, by rows) up to rounding; `None` if it has more than `most`
/// rows.
fn factor(matrix: &[f64], n: usize, most: usize) -> Option<Vec<Vec<f64>>> {
    let mut left: Vec<f64> = (0..n).map(|row| matrix[row * (n + 1)]).collect();
    let mut factor: Vec<Vec<f64>> = Vec::new();
    loop {
        let larger = |best: usize, row: usize| if left[row] > left[best] { row } else { best };
        let pivot = (1..n).fold(0, larger);
        if n == 0 || left[pivot] <= ROUNDING || left[pivot].is_nan() {
            return (!factor.is_empty()).then_some(factor);
        }
        if factor.len() == most {
            return None;
        }
        let mut motion = matrix[pivot * n..(pivot + 1) * n].to_vec();
        for known in &factor {
            let lead = known[pivot];
            motion.iter_mut().zip(known).for_each(|(entry, known)| *entry -= lead * known);
        }
        let scale = 1.0 / left[pivot].sqrt();
        for (entry, left) in motion.iter_mut().zip(&mut left) {
            *entry *= scale;
            *left -= *entry * *entry;
        }
        left[pivot] = 0.0;
        factor.push(motion);
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::DMatrix;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn the_factor_of_a_matrix_of_any_rank_gives_it_back() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        for (n, rank) in [(1, 1), (6, 1), (12, 4), (40, 13), (40, 40)] {
            let mut rows = DMatrix::from_fn(rank, n, |_, _| rng.random_range(-1.0..1.0));
            for mut column in rows.column_iter_mut() {
                column /= column.norm();
            }
            let matrix = rows.transpose() * &rows;
            let found = factor(matrix.as_slice(), n, rank).unwrap();
            assert_eq!(found.len(), rank);
            for i in 0..n {
                for j in 0..n {
                    let product: f64 = found.iter().map(|motion| motion[i] * motion[j]).sum();
                    assert!((product - matrix[(i, j)]).abs() < 1e-12, "{n} {rank}");
                }
            }
            assert!(factor(matrix.as_slice(), n, rank - 1).is_none());
        }
        assert!(factor(&[], 0, 0).is_none() && factor(&[0.0; 4], 2, 1).is_none());
        assert!(factor(&[f64::NAN; 4], 2, 1).is_none());
    }
}
