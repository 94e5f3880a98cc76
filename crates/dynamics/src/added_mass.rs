//! What is added to a mass matrix: [`AddedMass`].

use std::sync::atomic::{AtomicU64, Ordering};

use nalgebra::DMatrix;

/// A symmetric matrix that is added to a mass matrix (`n_v × n_v`; kg, kg·m²), as the implicit part of forces that depend on velocity is.
///
/// Each is known by a number, so that systems that keep factors of the sum need not compare entries to know whether it is the same.
///
/// # Example
///
/// A damper of 50 N·s/m, taken implicitly in steps of 0.01 s, adds 0.5 kg to the 2 kg of a body: 5 N·s move it by 2 m/s.
///
/// ```
/// use nalgebra::{DMatrix, Matrix3, Vector3};
/// use percussion_dynamics::{AddedMass, Body, FreeBodies, System};
///
/// let system = FreeBodies::new(vec![Body::new(2.0, Matrix3::identity())], Vector3::zeros())?;
/// let mut damper = DMatrix::zeros(6, 6);
/// damper[(0, 0)] = 0.01 * 50.0;
/// let mut column = DMatrix::zeros(6, 1);
/// column[0] = 5.0;
/// let coordinates = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
/// system.apply_inverse_sum(&coordinates, &AddedMass::new(damper), &mut column);
/// assert!((column[0] - 2.0).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct AddedMass {
    matrix: DMatrix<f64>,
    number: u64,
}

impl AddedMass {
    /// From its entries.
    #[must_use]
    pub fn new(matrix: DMatrix<f64>) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self { matrix, number: NEXT.fetch_add(1, Ordering::Relaxed) }
    }

    /// The entries.
    #[must_use]
    pub const fn matrix(&self) -> &DMatrix<f64> {
        &self.matrix
    }

    /// A number that only this one and its clones have, at least 1.
    #[must_use]
    pub const fn number(&self) -> u64 {
        self.number
    }
}
