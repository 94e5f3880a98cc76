//! The matrix by which a step divides momenta: [`Masses`].

use nalgebra::DMatrix;
use percussion_dynamics::{AddedMass, System};

/// `M(q) + A` with an `A` that may be zero.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Masses<'a> {
    pub(crate) coordinates: &'a [f64],
    /// `A`, symmetric and positive semidefinite (`n_v × n_v`).
    pub(crate) added: Option<&'a AddedMass>,
}

impl<'a> Masses<'a> {
    /// `M(q)`.
    pub(crate) const fn at(coordinates: &'a [f64]) -> Self {
        Self { coordinates, added: None }
    }

    /// Replaces `columns` (`n_v × k`) by `(M(q) + A)⁻¹ columns`.
    pub(crate) fn divide(&self, system: &dyn System, columns: &mut DMatrix<f64>) {
        match self.added {
            Some(added) => system.apply_inverse_sum(self.coordinates, added, columns),
            None => system.apply_inverse_mass(self.coordinates, columns),
        }
    }

    /// As [`System::whiten`].
    pub(crate) fn whiten(&self, system: &dyn System, columns: &mut DMatrix<f64>) -> bool {
        system.whiten(self.coordinates, self.added, columns)
    }
}
