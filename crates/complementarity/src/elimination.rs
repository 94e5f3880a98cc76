//! Elimination of bilateral rows `G v⁺ = b`: the basis and the rule for redundant rows that impacts, steps and
//! mechanisms share.
//!
//! Given rows `G` (`m × n_v`) with the responses `M⁻¹ Gᵀ`, each row is measured by its own size
//! `√(G_i M⁻¹ G_iᵀ)`. In every step the row with the largest remaining part enters the basis, and its direction
//! is subtracted from the others, until nothing remains (Gram and Schmidt with column pivoting, every
//! subtraction done twice). The velocities `Q` of the basis are orthonormal in the kinetic metric,
//! `Qᵀ M Q = I`, and `P` are impulses at the rows that produce their momenta, `Gᵀ P = M Q`. If other impulses
//! leave the velocity `v_u`, the impulses of the rows and the velocity after them are
//!
//! ```math
//! v^{+} = v_u + Q\, P^\mathsf{T} (b - G v_u), \qquad \Lambda_b = P\, P^\mathsf{T} (b - G v_u),
//! ```
//!
//! For `b = 0` this is `v⁺ = v_u − Q Qᵀ M v_u`, and the operator of contact rows `J` becomes
//! `J M⁻¹ Jᵀ − (J Q)(J Q)ᵀ`. The velocities are not computed from `Λ_b`, so nearly dependent rows do not cost
//! them accuracy. For redundant rows `Λ_b` is the solution of least norm. Each row is measured by its own size,
//! so `Λ_b` does not depend on the units of the rows.
//!
//! **The rank rule.** A row is redundant when at most the fraction [`RANK`] `= √eps` of it remains after
//! subtraction of the basis. The subtraction of vectors leaves the fraction `n_v eps` of a redundant row, seven
//! digits below the rule. The eigenvalues of the Gram matrix `G M⁻¹ Gᵀ` are the squares of these fractions, and
//! their rounding is as large as the rule itself. The rule balances two errors: a row that is left out may miss
//! its speed by up to the fraction `√eps`, and the multipliers of a row that is kept are up to `1/√eps` times
//! larger than their effect, which causes rounding of `√eps`.
//!
//! - **Needs** rows and responses that belong to one positive definite mass matrix.
//! - **Does not** detect rows that contradict each other: `G v⁺ − b` is then not zero, and the caller has to
//!   check it.
//! - **Cost** `4 m n_v k` operations for the basis of `k` rows; `2 k (n_v + m)` for one velocity.
//! - **Deterministic**: single-threaded, fixed order.
//!
//! # Source
//!
//! G. H. Golub, C. F. Van Loan, *Matrix Computations*, fourth edition, Johns Hopkins 2013, sections 5.2 (modified
//! Gram–Schmidt), 5.4 (column pivoting) and 5.5 (complete orthogonal decomposition).
//! F. E. Udwadia, R. E. Kalaba, "A new perspective on constrained motion", *Proceedings of the Royal Society A* 439 (1992)
//! 407–410 (the pseudo-inverse in the metric of the mass matrix).

use std::ops::Range;

use nalgebra::{DMatrix, DVector, DVectorView};

/// Fraction of a row at or below which it is redundant: `√eps`.
pub const RANK: f64 = 1.490_116_119_384_765_6e-8;

/// Sets to zero those of `rows` (`m × n_v`), and their `responses` (`n_v × m`), that are only rounding compared
/// with the largest row of their group: at most `64 n_v eps` of its size `√(G_i M⁻¹ G_iᵀ)`.
///
/// A mechanism may satisfy an equation in every motion, as parallel pins keep their bodies in one plane. The
/// row is then zero up to the rounding of the lengths it is made of, and [`Span::new`] cannot distinguish it
/// from an equation in small units. The rows of one group are those of one joint; their units differ by lengths
/// of the mechanism.
///
/// # Panics
///
/// If the shapes do not match, or a group names rows that do not exist.
pub fn drop_rounding(
    rows: &mut DMatrix<f64>,
    responses: &mut DMatrix<f64>,
    groups: impl Iterator<Item = Range<usize>>,
) {
    let rounding = 64.0 * rows.ncols() as f64 * f64::EPSILON;
    for group in groups {
        let size = |i: usize| rows.row(i).tr_dot(&responses.column(i)).max(0.0).sqrt();
        let sizes: Vec<f64> = group.clone().map(size).collect();
        let largest = sizes.iter().copied().fold(0.0, f64::max);
        for (i, size) in group.zip(sizes) {
            if size <= rounding * largest {
                rows.row_mut(i).fill(0.0);
                responses.column_mut(i).fill(0.0);
            }
        }
    }
}

/// The span of the rows: an orthonormal basis, and impulses at the rows that act along it.
///
/// # Example
///
/// Two identical rows stop a mass of 2 kg that moves at 3 m/s: each takes half of the 6 N·s.
///
/// ```
/// use nalgebra::{dmatrix, dvector};
/// use percussion_complementarity::elimination::Span;
///
/// let rows = dmatrix![1.0; 1.0];
/// let span = Span::new(&rows, &(rows.transpose() / 2.0));
/// assert_eq!(span.rank(), 1);
/// let mut velocity = dvector![3.0];
/// let impulses = span.project(&mut velocity);
/// assert!(velocity.amax() < 1e-15 && (impulses + dvector![3.0, 3.0]).amax() < 1e-14);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Span {
    /// Velocities `q_j` with `q_iᵀ M q_j = δ_ij` (`n_v × k`).
    pub velocities: DMatrix<f64>,
    /// The momenta `M q_j`, one per row (`k × n_v`).
    pub momenta: DMatrix<f64>,
    /// Impulses at the rows that produce each momentum (`m × k`). For redundant rows they have the least norm,
    /// with each row measured by its own size.
    pub impulses: DMatrix<f64>,
    /// `√(G_i M⁻¹ G_iᵀ)` of each row.
    pub sizes: DVector<f64>,
    /// The smallest remaining fraction of a row when it entered the basis (in `(√eps, 1]`).
    pub smallest: f64,
}

impl Span {
    /// Computes the span of `rows` (`m × n_v`) with the `responses` `M⁻¹ Gᵀ` (`n_v × m`). Rows whose size is
    /// not a positive finite number are left out.
    ///
    /// # Panics
    ///
    /// If the shapes do not match.
    #[must_use]
    pub fn new(rows: &DMatrix<f64>, responses: &DMatrix<f64>) -> Self {
        let (m, n) = rows.shape();
        let mut momenta = rows.transpose();
        let mut velocities = responses.clone();
        let size = |i: usize| {
            let square = dot(momenta.column(i).as_slice(), velocities.column(i).as_slice());
            if square.is_nan() { f64::INFINITY } else { square.max(0.0).sqrt() }
        };
        let sizes = DVector::from_fn(m, |i, _| size(i));
        let parts = sizes.map(|size| if size > 0.0 && size.is_finite() { 1.0 / size } else { 0.0 });
        for (i, part) in parts.as_slice().iter().enumerate() {
            let (mut momentum, mut velocity) = (momenta.column_mut(i), velocities.column_mut(i));
            momentum.as_mut_slice().iter_mut().for_each(|entry| *entry *= part);
            velocity.as_mut_slice().iter_mut().for_each(|entry| *entry *= part);
        }
        let scaled = momenta.clone();
        let mut left: Vec<usize> = (0..m).filter(|&i| parts[i] > 0.0).collect();
        let mut basis = Basis::new(n, n.min(left.len()));
        while basis.count < n {
            let norm = |i: usize| {
                dot(velocities.column(i).as_slice(), momenta.column(i).as_slice()).max(0.0).sqrt()
            };
            let largest = left.iter().enumerate().map(|(place, &i)| (norm(i), place));
            let largest = largest.reduce(|a, b| if b.0 > a.0 { b } else { a });
            let Some((norm, place)) = largest.filter(|(norm, _)| *norm > RANK) else { break };
            let pivot = left.swap_remove(place);
            left.sort_unstable();
            basis.push(velocities.column(pivot), momenta.column(pivot), norm);
            for &i in &left {
                basis.subtract_last(&mut velocities, &mut momenta, i);
            }
        }
        basis.finish(&scaled, sizes, &parts)
    }

    /// Number of independent rows.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.velocities.ncols()
    }

    /// Replaces `v_u` (length `n_v`) by `v⁺` with `G v⁺ = 0` and returns `Λ_b` (length `m`).
    ///
    /// A second pass removes the remaining rounding.
    ///
    /// # Panics
    ///
    /// If `velocity` does not have length `n_v`.
    pub fn project(&self, velocity: &mut DVector<f64>) -> DVector<f64> {
        let mut total = DVector::zeros(self.impulses.nrows());
        if total.is_empty() {
            return total;
        }
        for _ in 0..2 {
            let speeds = -(&self.momenta * &*velocity);
            velocity.gemv(1.0, &self.velocities, &speeds, 1.0);
            total.gemv(1.0, &self.impulses, &speeds, 1.0);
        }
        total
    }

    /// Turns the response `M⁻¹ Jᵀ` (`n_v × r`) into the response of the constrained bodies.
    ///
    /// # Panics
    ///
    /// If `response` does not have `n_v` rows.
    pub fn reduce(&self, response: &mut DMatrix<f64>) {
        if self.rank() == 0 {
            return;
        }
        for _ in 0..2 {
            let speeds = &self.momenta * &*response;
            response.gemm(-1.0, &self.velocities, &speeds, 1.0);
        }
    }

    /// Other rows `J` (`r × n_v`) minus their components along the basis.
    ///
    /// # Panics
    ///
    /// If `rows` does not have `n_v` columns.
    #[must_use]
    pub fn reduced_rows(&self, rows: &DMatrix<f64>) -> DMatrix<f64> {
        let mut rows = rows.clone();
        if self.rank() == 0 {
            return rows;
        }
        for _ in 0..2 {
            let along = &rows * &self.velocities;
            rows.gemm(-1.0, &along, &self.momenta, 1.0);
        }
        rows
    }

    /// The change of velocity `d` (length `n_v`) of least kinetic energy with `G d = target` (length `m`), and
    /// the impulses that cause it. If rows contradict each other, the equation holds in the sense of least
    /// squares.
    ///
    /// # Panics
    ///
    /// If `target` does not have length `m`.
    #[must_use]
    pub fn shortest_step(&self, target: &DVector<f64>) -> (DVector<f64>, DVector<f64>) {
        let speeds = self.impulses.tr_mul(target);
        (&self.velocities * &speeds, &self.impulses * speeds)
    }
}

/// The basis during its construction, in the first `count` columns.
struct Basis {
    velocities: DMatrix<f64>,
    momenta: DMatrix<f64>,
    count: usize,
    smallest: f64,
}

impl Basis {
    fn new(n: usize, most: usize) -> Self {
        let (velocities, momenta) = (DMatrix::zeros(n, most), DMatrix::zeros(n, most));
        Self { velocities, momenta, count: 0, smallest: 1.0 }
    }

    /// Adds a direction of length `norm` to the basis, after one more subtraction of the previous ones.
    fn push(&mut self, velocity: DVectorView<'_, f64>, momentum: DVectorView<'_, f64>, norm: f64) {
        let (last, next) = (self.count, self.count + 1);
        self.smallest = self.smallest.min(norm);
        let (velocities, mut added) = self.velocities.columns_range_pair_mut(..last, last..next);
        let (momenta, mut pushed) = self.momenta.columns_range_pair_mut(..last, last..next);
        let (mut added, mut pushed) = (added.column_mut(0), pushed.column_mut(0));
        let (added, pushed) = (added.as_mut_slice(), pushed.as_mut_slice());
        let (of_velocity, of_momentum) = (velocity.as_slice().iter(), momentum.as_slice().iter());
        added.iter_mut().zip(of_velocity).for_each(|(to, from)| *to = from / norm);
        pushed.iter_mut().zip(of_momentum).for_each(|(to, from)| *to = from / norm);
        for (q, p) in velocities.column_iter().zip(momenta.column_iter()) {
            subtract_along(p.as_slice(), q.as_slice(), added);
            subtract_along(q.as_slice(), p.as_slice(), pushed);
        }
        let norm = dot(added, pushed).max(f64::MIN_POSITIVE).sqrt();
        added.iter_mut().chain(pushed).for_each(|entry| *entry /= norm);
        self.count = next;
    }

    /// Subtracts the last direction from column `i`, twice.
    fn subtract_last(&self, velocities: &mut DMatrix<f64>, momenta: &mut DMatrix<f64>, i: usize) {
        let (q, p) = (self.velocities.column(self.count - 1), self.momenta.column(self.count - 1));
        let (mut velocity, mut momentum) = (velocities.column_mut(i), momenta.column_mut(i));
        for _ in 0..2 {
            subtract_along(p.as_slice(), q.as_slice(), velocity.as_mut_slice());
            subtract_along(q.as_slice(), p.as_slice(), momentum.as_mut_slice());
        }
    }

    /// The impulses, by an orthogonal factorization of the coordinates `C = U S` of the `scaled` rows: the
    /// impulses of least norm for the momentum `q` are `U S⁻ᵀ`.
    fn finish(self, scaled: &DMatrix<f64>, sizes: DVector<f64>, parts: &DVector<f64>) -> Span {
        let (m, k) = (sizes.len(), self.count);
        let velocities = self.velocities.resize_horizontally(k, 0.0);
        let mut impulses = DMatrix::zeros(m, k);
        if k > 0 {
            let factors = scaled.tr_mul(&velocities).qr();
            let mut transposed = factors.q().transpose();
            // The diagonal holds the pivots, which are all above the rank rule.
            factors.r().solve_upper_triangular_mut(&mut transposed);
            impulses = transposed.transpose();
            for i in 0..m {
                impulses.row_mut(i).scale_mut(parts[i]);
            }
        }
        Span {
            velocities,
            momenta: self.momenta.columns(0, k).transpose(),
            impulses,
            sizes,
            smallest: self.smallest,
        }
    }
}

/// `vector ← vector − (p · vector) q`.
fn subtract_along(p: &[f64], q: &[f64], vector: &mut [f64]) {
    let along = dot(p, vector);
    vector.iter_mut().zip(q).for_each(|(entry, q)| *entry -= along * q);
}

/// The product of two vectors of equal length, summed in four parts, of which none waits for another.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let mut parts = [0.0; 4];
    for (a, b) in a.iter().zip(b) {
        parts.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, (a, b))| *sum += a * b);
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    (parts[0] + parts[1]) + (parts[2] + parts[3]) + rest
}

#[cfg(test)]
mod tests {
    use nalgebra::{dmatrix, dvector};

    use super::*;

    #[test]
    fn copies_of_a_row_share_its_impulse() {
        // A mass of 2 kg with the same row three times, once of twice the length: it takes twice the impulse of
        // the others.
        let rows = dmatrix![1.0; -1.0; 2.0];
        let span = Span::new(&rows, &(rows.transpose() / 2.0));
        assert!(span.rank() == 1 && (span.smallest - 1.0).abs() < 1e-15);
        let momentum = rows.tr_mul(&span.impulses);
        assert!((momentum - span.momenta.transpose()).amax() < 1e-15);
        let x = span.impulses.column(0);
        assert!((x[0] + x[1]).abs() < 1e-15 && (x[0] - 2.0 * x[2]).abs() < 1e-15, "{x}");
    }

    #[test]
    fn a_step_meets_its_target_by_the_impulses_returned() {
        let rows = dmatrix![1.0, 2.0, 0.0; 0.5, 1.0, 0.0; 0.0, 1.0, -1.0];
        let inverse_mass = DMatrix::from_diagonal(&dvector![1.0, 0.5, 4.0]);
        let responses = &inverse_mass * rows.transpose();
        let span = Span::new(&rows, &responses);
        let target = dvector![2.0, 1.0, -3.0];
        let (step, impulses) = span.shortest_step(&target);
        assert_eq!(span.rank(), 2);
        assert!((&rows * &step - target).amax() < 1e-14);
        assert!((responses * impulses - step).amax() < 1e-14);
    }

    #[test]
    fn rounding_beside_the_rows_of_its_group_is_no_row() {
        let rows = dmatrix![1.0, 0.0; 1e-17, 2e-17; 1e-17, 2e-17];
        let (mut kept, mut responses) = (rows.clone(), rows.transpose());
        drop_rounding(&mut kept, &mut responses, [0..2, 2..3].into_iter());
        assert_eq!(
            kept,
            dmatrix![1.0, 0.0; 0.0, 0.0; 1e-17, 2e-17],
            "the last has a unit of its own"
        );
        assert_eq!(responses, kept.transpose());
        assert_eq!(Span::new(&kept, &responses).rank(), 2);
    }

    #[test]
    fn rounding_is_64_epsilon_for_each_velocity() {
        for (part, is_kept) in [(120.0, false), (136.0, true)] {
            let mut rows = dmatrix![1.0, 0.0; 0.0, part * f64::EPSILON];
            let mut responses = rows.transpose();
            drop_rounding(&mut rows, &mut responses, std::iter::once(0..2));
            assert_eq!(rows[(1, 1)] > 0.0, is_kept, "{part}");
        }
    }

    /// Rows of four velocities: one nearly a multiple of another, a copy in other units, and a combination of three.
    fn nearly_dependent() -> (DMatrix<f64>, DMatrix<f64>) {
        let rows = dmatrix![
            1.0, 2.0, 0.5, -1.0;
            1.0, 2.0, 0.5 + 1e-6, -1.0 + 3e-6;
            1e3, 2e3, 5e2, -1e3;
            0.3, -1.0, 2.0, 0.7;
            2.3, 3.0, 3.0 + 1e-6, -1.3 + 3e-6
        ];
        let factor = dmatrix![
            2.0, 0.0, 0.0, 0.0;
            0.5, 1.0, 0.0, 0.0;
            -0.3, 0.2, 3.0, 0.0;
            0.1, -0.4, 0.6, 0.5
        ];
        (rows, &factor * factor.transpose())
    }

    #[test]
    fn the_basis_is_orthonormal_however_close_the_rows_are() {
        let (rows, mass) = nearly_dependent();
        let responses = mass.clone().cholesky().unwrap().solve(&rows.transpose());
        let span = Span::new(&rows, &responses);
        assert_eq!(span.rank(), 3);
        assert!(span.smallest > 1e-7 && span.smallest < 1e-5, "{}", span.smallest);
        let gram = &span.momenta * &span.velocities;
        assert!((&gram - DMatrix::identity(3, 3)).amax() < 1e-14, "{gram}");
        // The momenta belong to the velocities, up to the rounding of a row of which 1e-6 remains.
        let momenta = span.velocities.transpose() * &mass;
        assert!((momenta - &span.momenta).amax() < 1e-8);
        assert!((rows.tr_mul(&span.impulses) - span.momenta.transpose()).amax() < 1e-8);
    }

    /// Velocities, responses and rows are all projected by `1 − Q Qᵀ M`.
    #[test]
    fn velocities_responses_and_rows_lose_their_parts_along_the_basis() {
        let (rows, mass) = nearly_dependent();
        let factors = mass.clone().cholesky().unwrap();
        let responses = factors.solve(&rows.transpose());
        let span = Span::new(&rows, &responses);
        let others = dmatrix![0.2, -0.7, 1.1, 0.4; 3.0, 0.1, -0.2, 5.0];
        let mut reduced = factors.solve(&others.transpose());
        let before = reduced.clone();
        span.reduce(&mut reduced);
        for (column, start) in reduced.column_iter().zip(before.column_iter()) {
            let mut velocity = start.clone_owned();
            let impulses = span.project(&mut velocity);
            assert!((&velocity - column).amax() < 1e-14);
            assert!((&rows * &velocity).amax() < 1e-11, "{}", &rows * &velocity);
            assert!((&mass * (velocity - start) - rows.tr_mul(&impulses)).amax() < 1e-7);
        }
        let left = span.reduced_rows(&others);
        assert!((&left * &span.velocities).amax() < 1e-14);
        assert!((left - reduced.transpose() * mass).amax() < 1e-8);
    }

    #[test]
    fn without_rows_nothing_changes() {
        let span = Span::new(&DMatrix::zeros(0, 2), &DMatrix::zeros(2, 0));
        let rows = dmatrix![1.0, 2.0];
        let mut response = rows.transpose();
        span.reduce(&mut response);
        assert_eq!((span.rank(), &response), (0, &rows.transpose()));
        assert_eq!(span.reduced_rows(&rows), rows);
    }

    #[test]
    fn rows_without_a_response_take_no_impulse() {
        let span = Span::new(&dmatrix![0.0, 0.0], &dmatrix![0.0; 0.0]);
        let mut velocity = dvector![1.0, 2.0];
        assert_eq!((span.rank(), span.project(&mut velocity)), (0, dvector![0.0]));
        assert_eq!(velocity, dvector![1.0, 2.0]);
    }

    #[test]
    fn the_rank_rule_is_the_square_root_of_epsilon() {
        for (angle, rank) in [(1e-7, 2), (2e-8, 2), (1e-8, 1), (1e-12, 1), (0.0, 1)] {
            let rows = dmatrix![1.0, 0.0; 1.0, angle];
            assert_eq!(Span::new(&rows, &rows.transpose()).rank(), rank, "{angle}");
        }
    }
}
