//! Factorization of large dense matrices for repeated solves: [`Factorization`].
//!
//! Above [`LARGE`] rows, and with the feature `faer`, the factors are those of faer, which works in blocks that fit the
//! caches; below, and without the feature, those of nalgebra. Both factorize on the calling thread alone, so that results
//! do not depend on the number of threads.

use nalgebra::{DMatrix, DVector, Dyn, LU};

/// Number of rows above which matrices are factorized in blocks.
#[cfg(feature = "faer")]
const LARGE: usize = 60;

/// An LU factorization with row exchanges of a square matrix.
pub(crate) enum Factorization {
    /// Factorized row by row.
    Small(LU<f64, Dyn, Dyn>),
    /// Factorized in blocks.
    #[cfg(feature = "faer")]
    Large(large::Factors),
}

impl Factorization {
    /// Factorizes `matrix` (square).
    pub(crate) fn new(matrix: DMatrix<f64>) -> Self {
        #[cfg(feature = "faer")]
        if matrix.nrows() > LARGE {
            return Self::Large(large::Factors::new(matrix));
        }
        Self::Small(matrix.lu())
    }

    /// Replaces `right` by the solution; `false` if the matrix is singular or the solution is not finite, after which
    /// `right` has no meaning.
    pub(crate) fn solve_mut(&mut self, right: &mut DVector<f64>) -> bool {
        match self {
            Self::Small(factors) => factors.solve_mut(right),
            #[cfg(feature = "faer")]
            Self::Large(factors) => {
                factors.solve_mut(right);
                right.iter().all(|entry| entry.is_finite())
            }
        }
    }
}

#[cfg(feature = "faer")]
mod large {
    use faer::{
        MatMut, MatRef, Par,
        dyn_stack::{MemBuffer, MemStack},
        linalg::lu::partial_pivoting::{factor, solve},
        perm::PermRef,
    };
    use nalgebra::{DMatrix, DVector};

    /// Both factors in one matrix, and the exchanges.
    pub(crate) struct Factors {
        factors: DMatrix<f64>,
        forward: Vec<usize>,
        backward: Vec<usize>,
        scratch: MemBuffer,
    }

    impl Factors {
        pub(super) fn new(mut matrix: DMatrix<f64>) -> Self {
            let n = matrix.nrows();
            let (mut forward, mut backward) = (vec![0; n], vec![0; n]);
            let scratch =
                factor::lu_in_place_scratch::<usize, f64>(n, n, Par::Seq, Default::default());
            factor::lu_in_place(
                MatMut::from_column_major_slice_mut(matrix.as_mut_slice(), n, n),
                &mut forward,
                &mut backward,
                Par::Seq,
                MemStack::new(&mut MemBuffer::new(scratch)),
                Default::default(),
            );
            let scratch =
                MemBuffer::new(solve::solve_in_place_scratch::<usize, f64>(n, 1, Par::Seq));
            Self { factors: matrix, forward, backward, scratch }
        }

        pub(super) fn solve_mut(&mut self, right: &mut DVector<f64>) {
            let n = self.factors.nrows();
            let factors = MatRef::from_column_major_slice(self.factors.as_slice(), n, n);
            solve::solve_in_place(
                factors,
                factors,
                PermRef::new_checked(&self.forward, &self.backward, n),
                MatMut::from_column_major_slice_mut(right.as_mut_slice(), n, 1),
                Par::Seq,
                MemStack::new(&mut self.scratch),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A matrix without structure, from a fixed sequence, whose diagonal needs row exchanges.
    fn matrix(n: usize) -> DMatrix<f64> {
        DMatrix::from_fn(n, n, |row, column| {
            let entry = ((row * 31 + column * 17 + row * column) % 101) as f64 / 101.0 - 0.5;
            if row == column { 0.0 } else { entry }
        })
    }

    #[test]
    fn solutions_of_any_size_satisfy_the_equations() {
        for n in [1, 3, 60, 61, 97] {
            let matrix = if n == 1 { DMatrix::from_element(1, 1, 2.0) } else { matrix(n) };
            let expected = DVector::from_fn(n, |row, _| (row % 7) as f64 - 3.0);
            let mut right = &matrix * &expected;
            assert!(Factorization::new(matrix).solve_mut(&mut right), "{n}");
            assert!((&right - &expected).amax() < 1e-9, "{n}: {}", (right - expected).amax());
        }
    }

    #[test]
    fn a_singular_matrix_has_no_solution() {
        for n in [3, 80] {
            let mut matrix = matrix(n);
            matrix.fill_column(1, 0.0);
            let mut right = DVector::from_element(n, 1.0);
            assert!(!Factorization::new(matrix).solve_mut(&mut right), "{n}");
        }
    }
}
