//! Problems in units near one, for solvers whose squares would overflow or underflow.
//!
//! With powers of two `ν` near the largest `‖u_f‖` and `κ` near the largest `w_i`, the impulses `p κ/ν` solve
//! the problem of `W/κ` and `u_f/ν`, without rounding. Solvers form energies `u²/w` and their squares. Sizes
//! between `2⁻¹⁵⁰` and `2¹⁵⁰` keep these finite and normal, so such problems are solved as they are.

use nalgebra::{Matrix3, Vector3};

use super::{
    Delassus, Problem, Report,
    report::{Error, Status},
    single::{exponent, keep_digits, shifted},
};

/// Problems with exponents up to this are solved as they are.
const NEAR: i32 = 150;

/// `W/κ`.
pub(super) struct Rescaled<'a, D> {
    operator: &'a D,
    exponent: i32,
}

impl<D: Delassus> Delassus for Rescaled<'_, D> {
    fn contact_count(&self) -> usize {
        self.operator.contact_count()
    }

    fn diagonal(&self, contact: usize) -> Matrix3<f64> {
        self.operator.diagonal(contact).map(|entry| shifted(entry, -self.exponent))
    }

    fn velocity(&self, contact: usize, impulses: &[Vector3<f64>], memory: &[f64]) -> Vector3<f64> {
        self.operator
            .velocity(contact, impulses, memory)
            .map(|entry| shifted(entry, -self.exponent))
    }

    fn neighbors(&self, contact: usize, visit: &mut dyn FnMut(usize)) {
        self.operator.neighbors(contact, visit);
    }

    fn begin(&self, impulses: &[Vector3<f64>], memory: &mut Vec<f64>) {
        self.operator.begin(impulses, memory);
    }

    fn update(&self, contact: usize, change: &Vector3<f64>, memory: &mut [f64]) {
        self.operator.update(contact, change, memory);
    }

    fn compensated_velocities(
        &self,
        impulses: &[Vector3<f64>],
        free_velocity: &[Vector3<f64>],
    ) -> Vec<Vector3<f64>> {
        let free: Vec<_> = free_velocity.iter().map(|free| scaled(free, self.exponent)).collect();
        let velocities = self.operator.compensated_velocities(impulses, &free);
        velocities.iter().map(|velocity| scaled(velocity, -self.exponent)).collect()
    }
}

fn scaled(vector: &Vector3<f64>, exponent: i32) -> Vector3<f64> {
    vector.map(|entry| shifted(entry, exponent))
}

/// A problem in units near one, and the exponents of the units.
pub(super) struct InUnits<'a, D> {
    problem: Problem<Rescaled<'a, D>>,
    velocity: i32,
    impulse: i32,
}

impl<'a, D: Delassus> InUnits<'a, D> {
    /// `None` for a problem that can be solved as it is, and for one that cannot be stated in other units.
    pub(super) fn of(problem: &'a Problem<D>) -> Option<Self> {
        let largest = problem.inverse_masses().iter().copied().fold(0.0, f64::max);
        let [inverse_mass, velocity] = [largest, problem.velocity_scale()].map(exponent);
        if inverse_mass.abs() <= NEAR && velocity.abs() <= NEAR {
            return None;
        }
        let operator = Rescaled { operator: problem.delassus(), exponent: inverse_mass };
        let free = problem.free_velocity().iter().map(|free| scaled(free, -velocity)).collect();
        let friction: Vec<f64> =
            problem.contacts().iter().map(|contact| contact.friction()).collect();
        let problem = Problem::new(operator, free, &friction).ok()?.with_law(problem.law());
        Some(Self { problem, velocity, impulse: velocity - inverse_mass })
    }

    /// Solves in these units; `impulses` and the report are in the units of the original problem.
    ///
    /// Impulses that overflow or underflow in those units are no answer: then the first ones stay, and the status is
    /// [`Status::Stalled`].
    pub(super) fn solve(
        &self,
        impulses: &mut [Vector3<f64>],
        solve: impl FnOnce(&Problem<Rescaled<'a, D>>, &mut [Vector3<f64>]) -> Result<Report, Error>,
    ) -> Result<Report, Error> {
        let start: Vec<_> = impulses.iter().map(|p| scaled(p, -self.impulse)).collect();
        let mut inner = start.clone();
        let mut report = solve(&self.problem, &mut inner)?;
        if keep_digits(inner.iter().flatten().copied(), self.impulse) {
            for (impulse, inner) in impulses.iter_mut().zip(&inner) {
                *impulse = scaled(inner, self.impulse);
            }
        } else {
            report.status = Status::Stalled;
            report.residual = self.problem.natural_map_residual(&start);
            report.relative_residual = self.problem.relative_residual(&start);
        }
        Ok(Report { residual: shifted(report.residual, self.velocity), ..report })
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::DMatrix;

    use super::*;
    use crate::friction::{BlockSparse, Method};

    /// Symptom: with `W = 1e-300 I` and 1e300 m/s of approach, infinite impulses counted as solved. Impulses of 1e-600 N·s
    /// underflow to zero, which solves nothing either.
    #[test]
    fn impulses_that_are_no_numbers_are_not_solved() {
        for (entry, speed, fits) in [
            (1e-300, 1e300, false),
            (1e300, 1e-300, false),
            (1e-290, 1e-300, true),
            (1e-150, 1e150, true),
        ] {
            let operator = BlockSparse::from_dense(&(DMatrix::identity(3, 3) * entry)).unwrap();
            let free = vec![Vector3::new(-speed, 0.0, 0.0)];
            let problem = Problem::new(operator, free, &[0.5]).unwrap();
            for method in Method::all() {
                let solution = method.solve(&problem).unwrap();
                let finite = solution.impulses.iter().flatten().all(|entry| entry.is_finite());
                assert!(finite, "{method:?} {entry:e}");
                let solved = solution.report.status == Status::Solved;
                assert!(fits || !solved, "{method:?} {entry:e}: {:?}", solution.report);
                if solved {
                    let expected = speed / entry;
                    let [found, _, _] = solution.impulses[0].into();
                    assert!((found / expected - 1.0).abs() < 1e-6, "{method:?} {found:e}");
                }
            }
        }
    }
}
