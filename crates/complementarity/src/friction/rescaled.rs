//! Problems in units near one, for solvers whose squares would overflow or underflow.
//!
//! With powers of two `ν` near the largest `‖u_f‖` and `κ` near the largest `w_i`, the impulses `p κ/ν` solve
//! the problem of `W/κ` and `u_f/ν`, without rounding. Solvers form energies `u²/w` and their squares. Sizes
//! between `2⁻¹⁵⁰` and `2¹⁵⁰` keep these finite and normal, so such problems are solved as they are.

use nalgebra::{Matrix3, Vector3};

use super::{
    Delassus, Problem, Report,
    report::Error,
    single::{exponent, shifted},
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
    pub(super) fn solve(
        &self,
        impulses: &mut [Vector3<f64>],
        solve: impl FnOnce(&Problem<Rescaled<'a, D>>, &mut [Vector3<f64>]) -> Result<Report, Error>,
    ) -> Result<Report, Error> {
        let mut inner: Vec<_> = impulses.iter().map(|p| scaled(p, -self.impulse)).collect();
        let report = solve(&self.problem, &mut inner)?;
        for (impulse, inner) in impulses.iter_mut().zip(&inner) {
            *impulse = scaled(inner, self.impulse);
        }
        Ok(Report { residual: shifted(report.residual, self.velocity), ..report })
    }
}
