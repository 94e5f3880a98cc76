//! One piece of the discrete path: Newton's method for the discrete equations of motion.
//!
//! From the momentum `p` at the start of a piece of duration `s` the velocity `w` of the piece follows by
//!
//! ```math
//! p_a(w) = p + G^\mathsf{T} \mu + \sum_i (n_i \lambda_i + \sum_j d_{ij} \beta_{ij}), \qquad
//! \varphi(q_b) = 0 ,
//! ```
//!
//! the multipliers `μ` of the constraints and the impulses of [closed contacts](super::closed). Newton's
//! method has the matrix
//!
//! ```math
//! \begin{pmatrix} \partial p_a/\partial w & -G^\mathsf{T} \\ G' & 0 \end{pmatrix}
//! ```
//!
//! with `G` at the start and `G'` at the end of the piece. At the solution the momentum at its end is
//! computed as `p` plus all impulses and not from `∂L_d/∂q_b`, which differs only by the residual. Components
//! that no impulse changes are then conserved to the last bit.
//!
//! # Source
//!
//! E. R. Johnson, T. D. Murphey, "Scalable variational integrators for constrained mechanical systems
//! in generalized coordinates", *IEEE Transactions on Robotics* 25 (2009) 1249–1261 (constraints at the
//! ends of steps, Newton's method).

use nalgebra::{DMatrix, DVector};

use super::{
    Contact, Error, Model,
    closed::{ClosedContacts, Kept},
    discrete::{Discrete, Start},
    lu::Lu,
    settings::Resolved,
};
use crate::dry_joint::DryJoint;

#[derive(Debug)]
pub(super) struct Piece {
    /// Change of each coordinate along its velocity while bodies move by the length of the model.
    strides: Vec<f64>,
    pub(super) discrete: Discrete,
    pub(super) closed: ClosedContacts,
    pub(super) constraints: Constraints,
    /// `w`.
    pub(super) velocity: DVector<f64>,
    /// The momentum at the end.
    pub(super) momentum: DVector<f64>,
    pub(super) iterations: usize,
    /// Relative residual of the momentum balance.
    pub(super) residual: f64,
    /// Momentum added by the contacts and constraints.
    reaction: DVector<f64>,
    lu: Lu,
    column: Vec<f64>,
    free: DVector<f64>,
}

/// The constraints at both ends of a piece.
#[derive(Debug)]
pub(super) struct Constraints {
    /// `φ` and `G` where they were evaluated last.
    pub(super) value: Vec<f64>,
    pub(super) jacobian: DMatrix<f64>,
    start: DMatrix<f64>,
    /// Values of `φ` that are kept at the end of the piece, and the tolerance of errors, as for closed
    /// contacts.
    floors: Vec<f64>,
    slack: f64,
    multipliers: DVector<f64>,
}

impl Constraints {
    fn new(model: &Model) -> Self {
        let rows = model.constraint_rows();
        let jacobian = DMatrix::zeros(rows, model.system().velocity_count());
        Self {
            value: vec![0.0; rows],
            start: jacobian.clone(),
            floors: vec![0.0; rows],
            slack: 0.0,
            jacobian,
            multipliers: DVector::zeros(rows),
        }
    }

    /// Starts a piece at `coordinates`.
    fn begin(&mut self, model: &Model, coordinates: &[f64], kept: Kept) {
        self.evaluate(model, coordinates);
        self.start.copy_from(&self.jacobian);
        self.multipliers.fill(0.0);
        self.slack = kept.slack;
        for (floor, value) in self.floors.iter_mut().zip(&self.value) {
            *floor = kept.fraction * value;
        }
    }

    /// Error of equation `k` at the end of the piece.
    fn error(&self, k: usize) -> f64 {
        self.value[k] - self.floors[k]
    }

    /// The largest error at the end of the piece, which is at `coordinates`.
    fn finish(&mut self, model: &Model, coordinates: &[f64]) -> f64 {
        self.evaluate(model, coordinates);
        (0..self.value.len()).fold(0.0, |largest, k| f64::max(largest, self.error(k).abs()))
    }

    /// Evaluates at `coordinates` and returns the largest `|φ_i|`.
    pub(super) fn evaluate(&mut self, model: &Model, coordinates: &[f64]) -> f64 {
        let mut row = 0;
        for constraint in model.constraints() {
            let count = constraint.row_count(model.system());
            let value = &mut self.value[row..row + count];
            constraint.evaluate(model.system(), coordinates, value, &mut self.jacobian, row);
            row += count;
        }
        self.value.iter().fold(0.0, |largest, value| largest.max(value.abs()))
    }
}

impl Piece {
    /// A piece of a motion that starts at `coordinates`.
    pub(super) fn new(
        model: &Model,
        settings: &Resolved,
        joints: Vec<DryJoint>,
        coordinates: &[f64],
    ) -> Self {
        let n = model.system().velocity_count();
        let constraints = Constraints::new(model);
        let size = n + constraints.value.len();
        Self {
            discrete: Discrete::new(model),
            closed: ClosedContacts::new(model, settings, joints),
            strides: settings.scales.of_velocities(model.system(), coordinates),
            constraints,
            velocity: DVector::zeros(n),
            momentum: DVector::zeros(n),
            iterations: 0,
            residual: 0.0,
            reaction: DVector::zeros(n),
            lu: Lu::new(size),
            column: vec![0.0; size],
            free: DVector::zeros(n),
        }
    }

    /// Solves for the piece that starts at `start`, with these `closed` contacts; the previous `velocity` is
    /// the initial guess.
    ///
    /// A residual that no longer decreases counts as rounding if it is within a thousand tolerances.
    pub(super) fn solve(
        &mut self,
        (model, contacts): (&Model, &[Contact]),
        settings: &Resolved,
        start: Start<'_>,
        duration: f64,
        closed: &[usize],
    ) -> Result<(), Error> {
        let kept = Kept::of(settings, duration);
        let contacts = (model.system(), contacts);
        self.closed.start(contacts, start.coordinates, closed, kept);
        self.constraints.begin(model, start.coordinates, kept);
        self.reaction.fill(0.0);
        let mut last = f64::INFINITY;
        for iteration in 0..=settings.newton_limit {
            self.discrete.evaluate(model, start, duration, &self.velocity);
            self.residual = self.relative_residual(start.momentum);
            if !self.residual.is_finite() {
                return Err(Error::NotFinite { quantity: "momentum", time: start.time });
            }
            let of_constraints = self.constraints.finish(model, &self.discrete.end);
            let violation = self.closed.finish(contacts, &self.discrete.end).max(of_constraints);
            let is_rounding =
                self.residual <= 1e3 * settings.tolerance && self.residual >= 0.5 * last;
            // The guess has no friction of joints.
            let is_solved = iteration > 0 || self.closed.joints().is_empty();
            if is_solved
                && violation <= settings.gap_tolerance
                && (self.residual <= settings.tolerance || is_rounding)
            {
                self.momentum.copy_from(start.momentum);
                self.momentum += &self.reaction;
                self.momentum += &self.discrete.impulse;
                return Ok(());
            }
            if iteration == settings.newton_limit {
                return Err(Error::Newton {
                    time: start.time,
                    duration,
                    limit: iteration,
                    residual: self.residual,
                    gap: violation,
                });
            }
            last = self.residual;
            self.iterate(model, start, duration)?;
            self.iterations += 1;
        }
        Ok(())
    }

    /// `‖p_a(w) − p − reactions‖∞` over the largest momentum or impulse, each times the stride of its
    /// coordinate (its change while bodies move by the length of the model), because momenta and angular
    /// momenta have different units.
    fn relative_residual(&self, momentum: &DVector<f64>) -> f64 {
        let (mut residual, mut size) = (0.0_f64, 0.0_f64);
        for (i, (&p, &reaction)) in momentum.iter().zip(&self.reaction).enumerate() {
            let (found, impulse) = (self.discrete.momentum[i], self.discrete.impulse[i]);
            let stride = self.strides[i];
            let difference = stride * (found - p - reaction);
            // A NaN must not be lost in a maximum.
            residual = if difference.is_nan() { f64::NAN } else { residual.max(difference.abs()) };
            if residual.is_nan() {
                return residual;
            }
            size = size.max(stride * p.abs().max(found.abs()).max(impulse.abs()));
        }
        if residual == 0.0 { 0.0 } else { residual / size }
    }

    /// Computes the next `w`, with its multipliers and impulses.
    fn iterate(&mut self, model: &Model, start: Start<'_>, duration: f64) -> Result<(), Error> {
        let (n, m) = (self.velocity.len(), self.constraints.value.len());
        self.discrete.differentiate(model, start, duration, &self.velocity);
        self.lu.clear();
        for i in 0..n {
            for j in 0..n {
                self.lu.set(i, j, self.discrete.jacobian[(i, j)]);
            }
            for k in 0..m {
                self.lu.set(i, n + k, -self.constraints.start[(k, i)]);
                self.lu.set(n + k, i, self.constraints.jacobian[(k, i)]);
            }
        }
        if !self.lu.factor() {
            return Err(Error::Singular { time: start.time });
        }
        // The unknowns are the change of w, all multipliers and all impulses.
        for i in 0..n {
            self.column[i] = start.momentum[i] - self.discrete.momentum[i];
        }
        for k in 0..m {
            let error = self.constraints.error(k);
            let is_zero = error.abs() <= self.constraints.slack;
            self.column[n + k] = if is_zero { 0.0 } else { -error / duration };
        }
        self.lu.solve(&mut self.column);
        for i in 0..n {
            self.free[i] = self.velocity[i] + self.column[i];
        }
        for k in 0..m {
            self.constraints.multipliers[k] = self.column[n + k];
        }
        self.reaction.fill(0.0);
        if self.closed.is_empty() {
            self.velocity.copy_from(&self.free);
        } else {
            self.press(start, duration)?;
        }
        let Constraints { start: jacobian, multipliers, .. } = &self.constraints;
        self.reaction.gemv_tr(1.0, jacobian, multipliers, 1.0);
        Ok(())
    }

    /// Adds the effect of the closed contacts and of friction in joints to the free velocity and to the multipliers.
    fn press(&mut self, start: Start<'_>, duration: f64) -> Result<(), Error> {
        let (n, count) = (self.velocity.len(), self.closed.generators.ncols());
        let m = self.constraints.value.len();
        let mut responses = DMatrix::zeros(n, count);
        let mut multipliers = DMatrix::zeros(m, count);
        for generator in 0..count {
            self.column[n..].fill(0.0);
            self.column[..n].copy_from_slice(self.closed.generators.column(generator).as_slice());
            self.lu.solve(&mut self.column);
            responses.column_mut(generator).copy_from_slice(&self.column[..n]);
            multipliers.column_mut(generator).copy_from_slice(&self.column[n..]);
        }
        self.closed.solve(duration, &self.velocity, &self.free, &responses).map_err(
            |residual| {
                let contacts = self.closed.len();
                Error::ClosedContacts { time: start.time, contacts, residual }
            },
        )?;
        let impulses = &self.closed.impulses;
        self.velocity.copy_from(&self.free);
        self.velocity.gemv(1.0, &responses, impulses, 1.0);
        self.constraints.multipliers.gemv(1.0, &multipliers, impulses, 1.0);
        self.reaction.gemv(1.0, &self.closed.generators, impulses, 0.0);
        Ok(())
    }
}
