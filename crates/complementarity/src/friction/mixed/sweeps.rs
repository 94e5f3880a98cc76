//! Sweeps over the blocks, each solved [in closed form](super::local) with the impulses of the others held fixed.
//!
//! A sweep costs one product with `W` and one closed form for each block, and allocates nothing.
//!
//! # Source
//!
//! M. Jean, "The non-smooth contact dynamics method", *Computer Methods in Applied Mechanics and Engineering* 177
//! (1999) 235–257.

use super::canonical::Canonical;

/// The memory of sweeps.
#[derive(Clone, Debug)]
pub(super) struct Sweeper {
    /// Velocity and old impulse of one block.
    velocity: Vec<f64>,
    old: Vec<f64>,
}

impl Sweeper {
    pub(super) fn new(canonical: &Canonical<'_>) -> Self {
        let most = canonical.cells.iter().map(|cell| cell.rows).max().unwrap_or(0);
        Self { velocity: vec![0.0; most], old: vec![0.0; most] }
    }

    /// One sweep with relaxation `ω` in `(0, 1]`, in the order of the blocks or against it; returns the largest
    /// change.
    pub(super) fn sweep(
        &mut self,
        canonical: &Canonical<'_>,
        relaxation: f64,
        reverse: bool,
        x: &mut [f64],
    ) -> f64 {
        let count = canonical.cells.len();
        let mut largest = 0.0_f64;
        for place in 0..count {
            let cell = &canonical.cells[if reverse { count - 1 - place } else { place }];
            let velocity = &mut self.velocity[..cell.rows];
            for (velocity, row) in velocity.iter_mut().zip(cell.range()) {
                *velocity = canonical.velocity(row, x);
            }
            let old = &mut self.old[..cell.rows];
            let impulse = &mut x[cell.range()];
            old.copy_from_slice(impulse);
            cell.local.solve(&cell.cone, impulse, velocity);
            for (new, old) in impulse.iter_mut().zip(old) {
                if relaxation < 1.0 {
                    *new = *old + relaxation * (*new - *old);
                }
                largest = largest.max((*new - *old).abs());
            }
        }
        largest
    }
}
