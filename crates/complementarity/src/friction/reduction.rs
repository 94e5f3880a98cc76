//! Removes the contacts that cannot move from a problem: [`Reduction`].
//!
//! Impacts and time steps have contacts that cannot move along their normal, because both bodies are held; these
//! are left out. Some tangents are missing, in the plane or without friction, or cannot move. These get the
//! compliance of the normal and no coupling, so that their impulse stays zero.

use nalgebra::{Matrix3, Vector3};

use super::{BlockSparse, Law, Problem, ProblemError};

/// A problem of the contacts that can move, and the indices of these contacts.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Reduction {
    /// The problem.
    pub problem: Problem,
    /// For each contact of the problem, its index among all contacts, ascending.
    pub contacts: Vec<usize>,
}

impl Reduction {
    /// Reduces contacts with these blocks of `W` (kg⁻¹; row, column and entries, normal first, with zeros for
    /// missing tangents), free velocities (m/s) and friction coefficients (≥ 0). Blocks that are not given are
    /// zero.
    ///
    /// Returns `None` if no contact can move along its normal. A block that contains a NaN is kept, and refused
    /// by the problem.
    ///
    /// # Errors
    ///
    /// [`ProblemError`], with the contact numbers of the reduced problem.
    ///
    /// # Panics
    ///
    /// If a block names a contact without a velocity or a friction coefficient.
    ///
    /// # Example
    ///
    /// The first contact cannot move. The second is in the plane, so its second tangent is padded.
    ///
    /// ```
    /// use nalgebra::{Matrix3, Vector3};
    /// use percussion_complementarity::friction::Reduction;
    ///
    /// let planar = Matrix3::from_diagonal(&Vector3::new(0.5, 2.0, 0.0));
    /// let blocks = vec![(0, 0, Matrix3::zeros()), (1, 1, planar)];
    /// let approach = Vector3::new(-1.0, 0.0, 0.0);
    /// let reduction = Reduction::new(blocks, &[approach; 2], &[0.3; 2])?.ok_or("one moves")?;
    /// assert_eq!(reduction.contacts, [1]);
    /// assert_eq!(reduction.problem.contacts()[0].block()[(2, 2)], 0.5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(
        mut blocks: Vec<(usize, usize, Matrix3<f64>)>,
        velocities: &[Vector3<f64>],
        friction: &[f64],
    ) -> Result<Option<Self>, ProblemError> {
        let mut is_kept = vec![false; velocities.len()];
        for (row, column, block) in &blocks {
            if row == column {
                is_kept[*row] = moves(block);
            }
        }
        let contacts: Vec<usize> = (0..is_kept.len()).filter(|&contact| is_kept[contact]).collect();
        if contacts.is_empty() {
            return Ok(None);
        }
        if contacts.len() < velocities.len() {
            let number = |contact| contacts.binary_search(&contact).ok();
            let kept = |(row, column, block)| Some((number(row)?, number(column)?, block));
            blocks = blocks.into_iter().filter_map(kept).collect();
        }
        for (_, _, block) in blocks.iter_mut().filter(|(row, column, _)| row == column) {
            pad(block);
        }
        let velocities = contacts.iter().map(|&contact| velocities[contact]).collect();
        let friction: Vec<f64> = contacts.iter().map(|&contact| friction[contact]).collect();
        let delassus = BlockSparse::from_blocks(contacts.len(), &blocks)?;
        let problem = Problem::from_sparse(delassus, velocities, &friction)?;
        Ok(Some(Self { problem, contacts }))
    }

    /// The diagonal block `W_ii` (kg⁻¹) of a contact as the reduced problem has it, from that among all contacts; `None` if the contact
    /// cannot move along its normal. A block that contains a NaN is kept.
    ///
    /// # Example
    ///
    /// ```
    /// use nalgebra::{Matrix3, Vector3};
    /// use percussion_complementarity::friction::Reduction;
    ///
    /// let planar = Matrix3::from_diagonal(&Vector3::new(0.5, 2.0, 0.0));
    /// let block = Reduction::diagonal(planar).ok_or("it moves")?;
    /// assert_eq!(block.diagonal(), Vector3::new(0.5, 2.0, 0.5));
    /// assert_eq!(Reduction::diagonal(Matrix3::zeros()), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn diagonal(mut block: Matrix3<f64>) -> Option<Matrix3<f64>> {
        pad(&mut block);
        moves(&block).then_some(block)
    }

    /// The same reduction with another law (default [`Law::Coulomb`]).
    #[must_use]
    pub fn with_law(self, law: Law) -> Self {
        Self { problem: self.problem.with_law(law), ..self }
    }
}

/// Whether a contact with this diagonal block can move along its normal. One with a NaN counts as if it could.
fn moves(block: &Matrix3<f64>) -> bool {
    block[(0, 0)] > 0.0 || block[(0, 0)].is_nan()
}

/// A diagonal block in which tangents that cannot move get the compliance of the normal.
fn pad(block: &mut Matrix3<f64>) {
    for tangent in 1..3 {
        if block[(tangent, tangent)] == 0.0 {
            block[(tangent, tangent)] = block[(0, 0)];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diagonal(entries: [f64; 3]) -> Matrix3<f64> {
        Matrix3::from_diagonal(&entries.into())
    }

    #[test]
    fn contacts_that_nothing_moves_are_left_out() {
        let blocks = [
            (0, 0, diagonal([1.0; 3])),
            (0, 2, diagonal([0.1; 3])),
            (1, 1, diagonal([0.0, 2.0, 2.0])),
            (2, 0, diagonal([0.1; 3])),
            (2, 2, diagonal([3.0, 0.0, 0.0])),
        ];
        let velocities = [-1.0, -2.0, -3.0].map(|normal| Vector3::new(normal, 0.5, 0.0));
        let reduction =
            Reduction::new(blocks.to_vec(), &velocities, &[0.1, 0.2, 0.3]).unwrap().unwrap();
        assert_eq!(reduction.contacts, [0, 2]);
        let Reduction { problem, .. } = &reduction;
        assert_eq!(problem.free_velocity(), [velocities[0], velocities[2]]);
        assert!((problem.contacts()[1].friction() - 0.3).abs() < 1e-15, "{problem:?}");
        let dense = problem.dense();
        assert_eq!(dense.view((3, 3), (3, 3)), diagonal([3.0; 3]));
        assert_eq!(dense.view((0, 3), (3, 3)), diagonal([0.1; 3]));
    }

    #[test]
    fn nothing_that_moves_is_no_problem() {
        let zero = [(0, 0, Matrix3::zeros())];
        assert_eq!(Reduction::new(zero.to_vec(), &[Vector3::zeros()], &[0.0]).unwrap(), None);
        assert_eq!(Reduction::new(Vec::new(), &[], &[]).unwrap(), None);
    }

    #[test]
    fn what_is_not_a_number_is_refused() {
        let block = [(0, 0, diagonal([f64::NAN, 1.0, 1.0]))];
        assert!(Reduction::new(block.to_vec(), &[Vector3::zeros()], &[0.0]).is_err());
    }
}
