//! The mixed problem with free variables, reduced to a [linear complementarity problem](Problem).
//!
//! Bilateral constraints add unknowns `x` of any sign whose equations hold exactly:
//!
//! ```math
//! \begin{aligned}
//! 0 &= A x + B z + a, & x &\text{ free}, \\
//! w &= C x + D z + c, & 0 \le w &\perp z \ge 0.
//! \end{aligned}
//! ```
//!
//! With the pseudoinverse of `A`, `x = −A⁺ (B z + a)` and the rest is the problem with
//! `M = D − C A⁺ B`, `q = c − C A⁺ a`.
//!
//! - **Needs** nothing of `A` when it is regular. When it is singular (redundant joints), `a` and the columns of `B`
//!   must lie in its range and the rows of `C` in the range of its transpose. Then the reduction is exact, `w` does
//!   not depend on the choice of `x`, and [`Elimination::recover`] gives the `x` of smallest norm. This holds for
//!   every step of a mechanical system (`A = G M⁻¹ Gᵀ`, `B = G M⁻¹ Jᵀ`) whose constraints do not contradict each
//!   other.
//! - **Does not** solve the mixed problem when these conditions fail: [`Error::Inconsistent`] and
//!   [`Error::Undetermined`] name the row. Rows of `A` are not scaled: if they have very different units, they need
//!   a smaller [`Settings::rank_tolerance`].
//! - **Cost** one complete orthogonal decomposition of `A` and `O(n_f² n)` for the products.
//! - **Deterministic**: single-threaded, fixed order.
//!
//! # Source
//!
//! R. W. Cottle, J.-S. Pang, R. E. Stone, *The Linear Complementarity Problem* (SIAM 2009),
//! section 1.5 (mixed problems and their reduction for regular `A`); G. H. Golub, C. F. Van Loan,
//! *Matrix Computations*, 4th ed. (2013), sections 5.4 and 5.5 (pivoted and complete orthogonal
//! decompositions, numerical rank, solution of smallest norm).

use nalgebra::{DMatrix, DVector};

use super::{
    Problem, ProblemError,
    residual::{Judge, Residuals},
};

/// Settings of [`MixedProblem::eliminate`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Pivots of `A` up to this fraction of the largest count as zero (in `(0, 1)`, default `1e-12`: a hundred times
    /// the rounding of a decomposition of a few dozen rows).
    pub rank_tolerance: f64,
    /// Largest part of `a`, `B` or `C` outside the range of a singular `A` that counts as rounding,
    /// relative to the largest entry of its whole column or row of the mixed problem (in `(0, 1)`,
    /// default `1e-9`).
    pub consistency_tolerance: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { rank_tolerance: 1e-12, consistency_tolerance: 1e-9 }
    }
}

/// The reason why a mixed problem cannot be built or reduced.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A block has the wrong shape.
    #[error("{block} is {} × {}, expected {} × {}", found.0, found.1, expected.0, expected.1)]
    Shape {
        /// Name of the block.
        block: &'static str,
        /// Rows and columns expected.
        expected: (usize, usize),
        /// Rows and columns found.
        found: (usize, usize),
    },
    /// An entry is NaN or infinite.
    #[error("{block}[{row}][{column}] is {value}, expected a finite number")]
    Entry {
        /// Name of the block.
        block: &'static str,
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
        /// The entry.
        value: f64,
    },
    /// The equations contradict each other: `a` or a column of `B` is not in the range of `A`.
    #[error(
        "equation {row} contradicts the others by {excess:e} of the size of its column of {block}"
    )]
    Inconsistent {
        /// `a` or `B`.
        block: &'static str,
        /// Equation with the largest contradiction.
        row: usize,
        /// Part outside the range, relative to the largest entry of its column of the mixed problem.
        excess: f64,
    },
    /// `w` depends on a part of `x` that the equations do not determine.
    #[error("row {row} of C depends by {excess:e} of its size on unknowns that A leaves open")]
    Undetermined {
        /// Row of `C`.
        row: usize,
        /// Part outside the range of `Aᵀ`, relative to the largest entry of its row of the mixed problem.
        excess: f64,
    },
    /// A setting is outside its documented range.
    #[error("setting `{name}` is {value}, expected a number in (0, 1)")]
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// The range of the entries of `A` is too wide to decompose it.
    #[error("the range of the entries of A is too wide to decompose it")]
    Decomposition,
    /// The reduced problem is not valid, for instance because of an overflow.
    #[error("reduced problem: {0}")]
    Reduced(#[from] ProblemError),
}

/// The blocks of a mixed problem, before validation.
///
/// `n_f` free unknowns and `n ≥ 1` complementary ones.
#[derive(Clone, Debug, PartialEq)]
pub struct Blocks {
    /// `A` (`n_f × n_f`).
    pub free: DMatrix<f64>,
    /// `B` (`n_f × n`).
    pub free_by_complementary: DMatrix<f64>,
    /// `C` (`n × n_f`).
    pub complementary_by_free: DMatrix<f64>,
    /// `D` (`n × n`).
    pub complementary: DMatrix<f64>,
    /// `a` (length `n_f`).
    pub free_vector: DVector<f64>,
    /// `c` (length `n`).
    pub complementary_vector: DVector<f64>,
}

/// A validated mixed problem: shapes agree and all entries are finite.
///
/// # Example
///
/// A 1 kg bead on a wire along the first axis (`x`: wire impulse) hits a wall at 45° with velocity (2, 0) m/s. The
/// wall normal is `(−1, 1) / √2`. The wall stops the bead with `z = 2√2` N·s, and the impulse of the wire is −2 N·s.
///
/// ```
/// use nalgebra::{dmatrix, dvector};
/// use percussion_complementarity::lcp::mixed::{Blocks, MixedProblem, Settings};
///
/// let s = 0.5_f64.sqrt();
/// let problem = MixedProblem::new(Blocks {
///     free: dmatrix![1.0],
///     free_by_complementary: dmatrix![s],
///     complementary_by_free: dmatrix![s],
///     complementary: dmatrix![1.0],
///     free_vector: dvector![0.0],
///     complementary_vector: dvector![-2.0 * s],
/// })?;
/// let elimination = problem.eliminate(&Settings::default())?;
/// let z = dvector![8.0_f64.sqrt()];
/// let x = elimination.recover(&z);
/// assert!((x[0] + 2.0).abs() < 1e-14);
/// assert!(problem.natural_map_residual(&x, &z) < 1e-14);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MixedProblem {
    blocks: Blocks,
}

impl MixedProblem {
    /// Validates the blocks. `n` is the size of `D`, `n_f` that of `A` (which may be zero).
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] and [`Error::Entry`] name the first block that is wrong;
    /// [`Error::Reduced`] when `D` is empty.
    pub fn new(blocks: Blocks) -> Result<Self, Error> {
        let (n_f, n) = (blocks.free.nrows(), blocks.complementary.nrows());
        if n == 0 {
            return Err(ProblemError::Empty.into());
        }
        check("A", blocks.free.as_view(), (n_f, n_f))?;
        check("B", blocks.free_by_complementary.as_view(), (n_f, n))?;
        check("C", blocks.complementary_by_free.as_view(), (n, n_f))?;
        check("D", blocks.complementary.as_view(), (n, n))?;
        check("a", blocks.free_vector.as_view(), (n_f, 1))?;
        check("c", blocks.complementary_vector.as_view(), (n, 1))?;
        Ok(Self { blocks })
    }

    /// The blocks.
    #[must_use]
    pub const fn blocks(&self) -> &Blocks {
        &self.blocks
    }

    /// Reduces the problem to its complementary unknowns.
    ///
    /// # Errors
    ///
    /// [`Error::Inconsistent`] and [`Error::Undetermined`] when a singular `A` forbids it,
    /// [`Error::Setting`], [`Error::Decomposition`] and [`Error::Reduced`].
    pub fn eliminate(&self, settings: &Settings) -> Result<Elimination, Error> {
        for (name, value) in [
            ("rank_tolerance", settings.rank_tolerance),
            ("consistency_tolerance", settings.consistency_tolerance),
        ] {
            if !(value > 0.0 && value < 1.0) {
                return Err(Error::Setting { name, value });
            }
        }
        let Blocks { free, free_by_complementary, complementary_by_free, .. } = &self.blocks;
        let (inverse, rank) = pseudoinverse(free, settings.rank_tolerance)?;
        if rank < free.nrows() {
            self.check_range(&inverse, settings.consistency_tolerance)?;
        }
        let response = -(&inverse * free_by_complementary);
        let offset = -(&inverse * &self.blocks.free_vector);
        let matrix = &self.blocks.complementary + complementary_by_free * &response;
        let vector = &self.blocks.complementary_vector + complementary_by_free * &offset;
        Ok(Elimination { problem: Problem::new(matrix, vector)?, rank, response, offset })
    }

    /// Checks that the reduction is exact for the singular `A` with this pseudoinverse.
    fn check_range(&self, inverse: &DMatrix<f64>, tolerance: f64) -> Result<(), Error> {
        let blocks = &self.blocks;
        let column =
            |vector: &DVector<f64>| DMatrix::from_column_slice(vector.len(), 1, vector.as_slice());
        let (a, c) = (column(&blocks.free_vector), column(&blocks.complementary_vector));
        for (block, columns, rest) in
            [("a", &a, &c), ("B", &blocks.free_by_complementary, &blocks.complementary)]
        {
            if let Some((_, row, excess)) = outside(columns, rest, &blocks.free, inverse, tolerance)
            {
                return Err(Error::Inconsistent { block, row, excess });
            }
        }
        let columns = blocks.complementary_by_free.transpose();
        let rest = blocks.complementary.transpose();
        let (free, inverse) = (blocks.free.transpose(), inverse.transpose());
        match outside(&columns, &rest, &free, &inverse, tolerance) {
            Some((row, _, excess)) => Err(Error::Undetermined { row, excess }),
            None => Ok(()),
        }
    }

    /// The largest entry of `|A x + B z + a|` and of the [`Problem::natural_map_residual`] of `z` and `w`: zero
    /// exactly at the solutions, infinite when `x` or `z` holds a NaN or infinity.
    ///
    /// # Panics
    ///
    /// When `x` does not have length `n_f` or `z` does not have length `n`.
    #[must_use]
    pub fn natural_map_residual(&self, x: &DVector<f64>, z: &DVector<f64>) -> f64 {
        self.residuals(x, z).natural_map
    }

    /// The relative residual of all rows, as in [`residual`](super::residual); an equation is measured by the error
    /// of its row.
    ///
    /// # Panics
    ///
    /// When `x` does not have length `n_f` or `z` does not have length `n`.
    #[must_use]
    pub fn relative_residual(&self, x: &DVector<f64>, z: &DVector<f64>) -> f64 {
        self.residuals(x, z).relative
    }

    fn residuals(&self, x: &DVector<f64>, z: &DVector<f64>) -> Residuals {
        let blocks = &self.blocks;
        let (n_f, n) = (blocks.free_vector.len(), blocks.complementary_vector.len());
        assert_eq!((x.len(), z.len()), (n_f, n), "x or z has the wrong length");
        let mut matrix = DMatrix::zeros(n_f + n, n_f + n);
        matrix.view_mut((0, 0), (n_f, n_f)).copy_from(&blocks.free);
        matrix.view_mut((0, n_f), (n_f, n)).copy_from(&blocks.free_by_complementary);
        matrix.view_mut((n_f, 0), (n, n_f)).copy_from(&blocks.complementary_by_free);
        matrix.view_mut((n_f, n_f), (n, n)).copy_from(&blocks.complementary);
        let stack = |upper: &DVector<f64>, lower: &DVector<f64>| {
            DVector::from_iterator(n_f + n, upper.iter().chain(lower).copied())
        };
        let vector = stack(&blocks.free_vector, &blocks.complementary_vector);
        Problem::new(matrix, vector).map_or(Residuals::INFINITE, |whole| {
            Judge::new(&whole).mixed_residuals(&whole, &stack(x, z), n_f)
        })
    }
}

/// A mixed problem without its free unknowns.
#[derive(Clone, Debug, PartialEq)]
pub struct Elimination {
    /// The reduced problem in `z`, with the same `w`.
    pub problem: Problem,
    /// Numerical rank of `A`; below `n_f` the constraints are redundant.
    pub rank: usize,
    /// `−A⁺ B` (`n_f × n`).
    response: DMatrix<f64>,
    /// `−A⁺ a` (length `n_f`).
    offset: DVector<f64>,
}

impl Elimination {
    /// The free unknowns `x = −A⁺ (B z + a)` (length `n_f`) that belong to `z` (length `n`).
    ///
    /// # Panics
    ///
    /// When `z` does not have length `n`.
    #[must_use]
    pub fn recover(&self, z: &DVector<f64>) -> DVector<f64> {
        &self.response * z + &self.offset
    }
}

fn check(
    block: &'static str,
    values: nalgebra::DMatrixView<'_, f64>,
    expected: (usize, usize),
) -> Result<(), Error> {
    if values.shape() != expected {
        return Err(Error::Shape { block, expected, found: values.shape() });
    }
    for column in 0..expected.1 {
        for row in 0..expected.0 {
            let value = values[(row, column)];
            if !value.is_finite() {
                return Err(Error::Entry { block, row, column, value });
            }
        }
    }
    Ok(())
}

/// `A⁺` and the numerical rank of `A`, by a complete orthogonal decomposition.
///
/// Column pivoting gathers the rank in the leading rows of a triangle, `A P = Q₁ R₁`; a second
/// factorization `R₁ᵀ = Z T` turns these into a regular triangle, so that `A⁺ = P Z T⁻ᵀ Q₁ᵀ`.
fn pseudoinverse(a: &DMatrix<f64>, rank_tolerance: f64) -> Result<(DMatrix<f64>, usize), Error> {
    let n = a.nrows();
    let size = a.amax();
    if size == 0.0 {
        return Ok((DMatrix::zeros(n, n), 0));
    }
    let pivoted = (a / size).col_piv_qr();
    let triangle = pivoted.r();
    let threshold = rank_tolerance * triangle[(0, 0)].abs();
    let rank = triangle.diagonal().iter().take_while(|value| value.abs() > threshold).count();
    let leading = triangle.rows(0, rank).transpose().qr();
    let range = pivoted.q().columns(0, rank).transpose();
    let reduced = leading.r().transpose().solve_lower_triangular(&range);
    let mut inverse = leading.q() * reduced.ok_or(Error::Decomposition)? / size;
    pivoted.p().inv_permute_rows(&mut inverse);
    Ok((inverse, rank))
}

/// The first column with a part outside the range of `a`: column, row and relative size of that part.
///
/// The size is relative to the whole column of the mixed problem, whose other entries are in `rest`: a column that
/// is zero up to rounding contradicts nothing.
fn outside(
    columns: &DMatrix<f64>,
    rest: &DMatrix<f64>,
    a: &DMatrix<f64>,
    inverse: &DMatrix<f64>,
    tolerance: f64,
) -> Option<(usize, usize, f64)> {
    let outside = columns - a * (inverse * columns);
    (0..columns.ncols()).find_map(|column| {
        let row = outside.column(column).iamax();
        let size = columns.column(column).amax().max(rest.column(column).amax());
        let excess = outside[(row, column)].abs() / size;
        (excess > tolerance).then_some((column, row, excess))
    })
}

#[cfg(test)]
mod tests;
