//! Anderson's extrapolation of a fixed-point iteration from its last steps.
//!
//! With `f = g(p) − p` of the sweep `g`, the next start is `g(p) − ΔG γ`, where `γ` minimizes `‖f − ΔF γ‖` over
//! the differences of the last steps. Impulses are weighted by the inverse masses of their contacts, so that `f`
//! is a velocity. The normal equations are solved by a Cholesky factorization that drops the oldest differences if
//! they depend on newer ones.
//!
//! # Source
//!
//! H. F. Walker, P. Ni, "Anderson acceleration for fixed-point iterations", *SIAM Journal on Numerical Analysis* 49
//! (2011) 1715–1735.

use nalgebra::Vector3;

/// Maximum number of differences.
pub(super) const LARGEST: usize = 16;

/// The last steps of an iteration.
pub(super) struct Extrapolation<'a> {
    size: usize,
    weights: &'a [f64],
    /// Number of steps since the last restart.
    steps: usize,
    start: Vec<Vector3<f64>>,
    step: Vec<Vector3<f64>>,
    end: Vec<Vector3<f64>>,
    /// Differences of weighted steps and of end points, in ring buffers of `size` lists.
    step_changes: Vec<Vector3<f64>>,
    end_changes: Vec<Vector3<f64>>,
    /// `ΔFᵀ ΔF`.
    gram: [[f64; LARGEST]; LARGEST],
    norm: f64,
    smallest: f64,
}

impl<'a> Extrapolation<'a> {
    pub(super) fn new(size: usize, weights: &'a [f64]) -> Self {
        let n = weights.len();
        let zeros = vec![Vector3::zeros(); n];
        Self {
            size,
            weights,
            steps: 0,
            start: zeros.clone(),
            step: zeros.clone(),
            end: zeros,
            step_changes: vec![Vector3::zeros(); size * n],
            end_changes: vec![Vector3::zeros(); size * n],
            gram: [[0.0; LARGEST]; LARGEST],
            norm: f64::INFINITY,
            smallest: f64::INFINITY,
        }
    }

    /// Records the start of a sweep.
    pub(super) fn before(&mut self, impulses: &[Vector3<f64>]) {
        self.start.copy_from_slice(impulses);
    }

    /// Records the end of a sweep and returns its largest weighted change (m/s).
    pub(super) fn after(&mut self, impulses: &[Vector3<f64>]) -> f64 {
        let mut largest = 0.0_f64;
        let mut square = 0.0;
        let slot = if self.size > 0 { self.steps % self.size } else { 0 };
        let keep = self.size > 0;
        let first = slot * impulses.len();
        for (i, &end) in impulses.iter().enumerate() {
            let step = self.weights[i] * (end - self.start[i]);
            let length = step.norm_squared();
            // A NaN must remain visible in the result.
            largest = if length > largest || length.is_nan() { length } else { largest };
            square += length;
            if keep {
                self.step_changes[first + i] = step - self.step[i];
                self.end_changes[first + i] = end - self.end[i];
                self.step[i] = step;
                self.end[i] = end;
            }
        }
        self.norm = square.sqrt();
        largest.sqrt()
    }

    /// Replaces the end of the last sweep by the extrapolation, if there is one.
    pub(super) fn extrapolate(&mut self, impulses: &mut [Vector3<f64>]) {
        if self.size == 0 {
            return;
        }
        if !self.norm.is_finite() || self.norm > 4.0 * self.smallest {
            // The extrapolation increased the change: restart without the past steps.
            self.steps = 0;
            self.smallest = f64::INFINITY;
            return self.remember();
        }
        self.smallest = self.smallest.min(self.norm);
        let count = self.steps.min(self.size);
        if count == 0 {
            return self.remember();
        }
        let newest = self.steps % self.size;
        // Newest first, because the factorization drops the last ones.
        let mut slots = [0; LARGEST];
        for (age, slot) in slots.iter_mut().enumerate().take(count) {
            *slot = (newest + self.size - age) % self.size;
        }
        let slots = &slots[..count];
        let n = impulses.len();
        let of = |slot: usize| slot * n..(slot + 1) * n;
        let mut right = [0.0; LARGEST];
        for (pair, right) in slots.chunks(2).zip(right.chunks_exact_mut(2)) {
            let [first, last] = [pair[0], pair[pair.len() - 1]];
            let both = [first, last].map(|slot| &self.step_changes[of(slot)]);
            let sums = products([&self.step_changes[of(newest)], &self.step], both);
            for (k, slot) in [first, last].into_iter().enumerate() {
                self.gram[newest][slot] = sums[0][k];
                self.gram[slot][newest] = sums[0][k];
                right[k] = sums[1][k];
            }
        }
        let (gamma, rank) = least_squares(&self.gram, slots, right);
        let changes = |k: usize| &self.end_changes[of(slots[k])];
        for k in (1..rank).step_by(2) {
            let both = changes(k - 1).iter().zip(changes(k));
            for (impulse, (first, second)) in impulses.iter_mut().zip(both) {
                for axis in 0..3 {
                    impulse[axis] =
                        impulse[axis] - gamma[k - 1] * first[axis] - gamma[k] * second[axis];
                }
            }
        }
        if rank % 2 == 1 {
            for (impulse, change) in impulses.iter_mut().zip(changes(rank - 1)) {
                *impulse -= gamma[rank - 1] * change;
            }
        }
        self.remember();
    }

    fn remember(&mut self) {
        self.steps += 1;
    }
}

/// The products of two lists with two others. Four sums at once take hardly longer than one, whose terms wait for one another.
fn products([a, b]: [&[Vector3<f64>]; 2], [c, d]: [&[Vector3<f64>]; 2]) -> [[f64; 2]; 2] {
    let mut sums = [[0.0; 2]; 2];
    for (((a, b), c), d) in a.iter().zip(b).zip(c).zip(d) {
        sums[0][0] += dot(a, c);
        sums[0][1] += dot(a, d);
        sums[1][0] += dot(b, c);
        sums[1][1] += dot(b, d);
    }
    sums
}

#[inline]
fn dot(a: &Vector3<f64>, b: &Vector3<f64>) -> f64 {
    a.x * b.x + a.y * b.y + a.z * b.z
}

/// Solves the leading, well-conditioned part of the normal equations; also returns its size.
fn least_squares(
    gram: &[[f64; LARGEST]; LARGEST],
    slots: &[usize],
    right: [f64; LARGEST],
) -> ([f64; LARGEST], usize) {
    let mut factor = [[0.0; LARGEST]; LARGEST];
    let mut solution = [0.0; LARGEST];
    let mut rank = 0;
    for i in 0..slots.len() {
        for j in 0..=i {
            let known: f64 = factor[i].iter().zip(&factor[j]).take(j).map(|(a, b)| a * b).sum();
            let sum = gram[slots[i]][slots[j]] - known;
            factor[i][j] = if i == j { sum } else { sum / factor[j][j] };
        }
        // A pivot this much below its diagonal entry is round-off of the products.
        let independent = factor[i][i] > 1e-12 * gram[slots[i]][slots[i]];
        if !independent {
            break;
        }
        factor[i][i] = factor[i][i].sqrt();
        rank = i + 1;
    }
    for i in 0..rank {
        let known: f64 = (0..i).map(|k| factor[i][k] * solution[k]).sum();
        solution[i] = (right[i] - known) / factor[i][i];
    }
    for i in (0..rank).rev() {
        let known: f64 = (i + 1..rank).map(|k| factor[k][i] * solution[k]).sum();
        solution[i] = (solution[i] - known) / factor[i][i];
    }
    (solution, rank)
}
