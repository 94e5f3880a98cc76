//! Newton's method for the impulses of a solution, whose solver stopped at its tolerance.

use nalgebra::{DVector, Vector3};

use super::{
    Mode,
    modes::{Chosen, sliding, turned},
    piece::Piece,
    point::{Point, part},
};

/// Maximum number of Newton steps.
const STEPS: usize = 6;

impl Point {
    /// Newton's method for the equations of the modes, as long as their residual decreases.
    pub(super) fn refine(&mut self) {
        let mut residual = self.residual(&self.base());
        for _ in 0..STEPS {
            let size = residual.amax();
            if size <= f64::EPSILON * self.velocity.amax().max(self.impulse.amax()) {
                return;
            }
            let modes = self.base();
            let piece = Piece::new(self, &modes);
            let mut next = self.clone();
            next.impulse -= &piece.inverse.matrix * &residual;
            for (contact, chosen) in modes.iter().enumerate() {
                if chosen.mode == Mode::Open {
                    next.impulse.fixed_rows_mut::<3>(3 * contact).fill(0.0);
                }
            }
            next.judge();
            let smaller = next.residual(&next.base());
            let same = next.locals.iter().zip(&self.locals).all(|(a, b)| a.place == b.place);
            if !same || smaller.amax() >= size {
                return;
            }
            (*self, residual) = (next, smaller);
        }
    }

    /// The defects of the equations of `modes`, whose derivatives are the matrix of [`Piece`].
    fn residual(&self, modes: &[Chosen]) -> DVector<f64> {
        let mut residual = DVector::zeros(3 * self.count());
        for (contact, chosen) in modes.iter().enumerate() {
            let (p, u) = (part(&self.impulse, contact), part(&self.velocity, contact));
            let (friction, tilt) = (self.friction[contact], self.tilt(contact));
            let own = match chosen.mode {
                Mode::Open => p,
                Mode::Sticking => u,
                Mode::Frictionless => Vector3::new(u.x, p.y, p.z),
                Mode::Sliding => {
                    let (direction, slip) = sliding(&tilt, &u.yz(), &p.yz());
                    let across = slip * (1.0 + tilt.dot(&direction));
                    let weight = slip + friction * p.x;
                    let along = direction.dot(&p.yz()) - friction * p.x;
                    Vector3::new(u.x, along, across * turned(&direction).dot(&p.yz()) / weight)
                }
            };
            residual.fixed_rows_mut::<3>(3 * contact).copy_from(&own);
        }
        residual
    }
}
