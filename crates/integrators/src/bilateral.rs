//! Elimination of the bilateral constraints from the step.
//!
//! With `S = G M⁻¹ Gᵀ` the constraints, linearized about the velocity `v̂`, are the equations
//!
//! ```math
//! G v' = b = G \hat v - \varphi(\hat q)/h, \qquad
//! v' = v_u + M^{-1} G^\mathsf{T} p_b, \qquad p_b = S^{+} (b - G v_u),
//! ```
//!
//! with `b = 0` in the rows of constraints that hold for velocities only, such as rolling. This holds for any
//! velocity `v_u` after the contact impulses. The Delassus operator of the contacts is reduced by the part
//! that the constraints take: `W − (G M⁻¹ A)ᵀ S⁺ (G M⁻¹ A)`.
//!
//! Redundant equations make `S` singular, so `S⁺` is a generalized inverse. [`Span`] determines which
//! equations count as redundant, and computes `v'` from `v_u` without forming `S`.

use nalgebra::{DMatrix, DVector, DVectorView};
use percussion_complementarity::elimination::{self, Span};
use percussion_dynamics::gap::{ContactRows, GapFunction};

use crate::{masses::Masses, model::Model};

/// Maximum number of Newton steps onto constraints and limits; from the drift of one step two are enough.
const NEWTON: usize = 8;

#[derive(Debug)]
pub(crate) struct Bilateral {
    /// First row of each constraint, and the number of rows.
    first_rows: Vec<usize>,
    /// `φ(q̂)`.
    pub(crate) value: DVector<f64>,
    /// `G` (`m_b × n_v`).
    jacobian: DMatrix<f64>,
    /// `M⁻¹ Gᵀ` (`n_v × m_b`).
    inverse_mass_rows: DMatrix<f64>,
    /// `b` (m/s).
    target: DVector<f64>,
    span: Span,
    /// `p_b` of the last projection.
    pub(crate) impulses: DVector<f64>,
}

impl Bilateral {
    pub(crate) fn new(model: &Model) -> Self {
        let mut first_rows = vec![0];
        for constraint in model.constraints() {
            let next = first_rows[first_rows.len() - 1] + constraint.row_count(model.system());
            first_rows.push(next);
        }
        let (rows, columns) = (first_rows[first_rows.len() - 1], model.system().velocity_count());
        Self {
            first_rows,
            value: DVector::zeros(rows),
            jacobian: DMatrix::zeros(rows, columns),
            inverse_mass_rows: DMatrix::zeros(columns, rows),
            target: DVector::zeros(rows),
            span: Span::new(&DMatrix::zeros(rows, columns), &DMatrix::zeros(columns, rows)),
            impulses: DVector::zeros(rows),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.value.is_empty()
    }

    /// `G` (`m_b × n_v`), with rows that are only rounding set to zero.
    pub(crate) const fn rows(&self) -> &DMatrix<f64> {
        &self.jacobian
    }

    /// Adds `Gᵀ p_b` of the last projection.
    pub(crate) fn push(&self, momentum: &mut DMatrix<f64>) {
        if !self.is_empty() {
            momentum.column_mut(0).gemv_tr(1.0, &self.jacobian, &self.impulses, 1.0);
        }
    }

    /// Evaluates all constraints and returns the largest `|φ_i|` of each.
    pub(crate) fn violations(&mut self, model: &Model, coordinates: &[f64]) -> Vec<f64> {
        self.evaluate(model, coordinates);
        let largest = |rows: &[usize]| self.value.rows(rows[0], rows[1] - rows[0]).amax();
        self.first_rows.windows(2).map(largest).collect()
    }

    fn evaluate(&mut self, model: &Model, coordinates: &[f64]) {
        for (constraint, rows) in model.constraints().iter().zip(self.first_rows.windows(2)) {
            constraint.evaluate(
                model.system(),
                coordinates,
                &mut self.value.as_mut_slice()[rows[0]..rows[1]],
                &mut self.jacobian,
                rows[0],
            );
        }
    }

    /// Linearizes about `coordinates` = `q ⊕ h guess`, with these masses.
    pub(crate) fn linearize(
        &mut self,
        model: &Model,
        coordinates: &[f64],
        masses: Masses<'_>,
        guess: &DVector<f64>,
        step_size: f64,
    ) {
        if self.is_empty() {
            return;
        }
        self.evaluate(model, coordinates);
        self.target.copy_from(&self.value);
        self.target.gemv(1.0, &self.jacobian, guess, -1.0 / step_size);
        for (constraint, rows) in model.constraints().iter().zip(self.first_rows.windows(2)) {
            let holonomic = constraint.holonomic_count(model.system());
            self.target.rows_range_mut(rows[0] + holonomic..rows[1]).fill(0.0);
        }
        let rows = (&mut self.jacobian, &mut self.inverse_mass_rows);
        self.span = span(model, masses, &self.first_rows, rows);
    }

    /// Replaces `v_u` by `v'` and stores the multipliers.
    pub(crate) fn project(&mut self, velocity: &mut DVector<f64>) {
        if self.is_empty() {
            return;
        }
        self.impulses.fill(0.0);
        // The second pass removes the rounding of the first.
        for _ in 0..2 {
            let missing = &self.target - &self.jacobian * &*velocity;
            let (step, impulses) = self.span.shortest_step(&missing);
            *velocity += step;
            self.impulses += impulses;
        }
    }

    /// Moves `coordinates` to where the constraints hold and none of the `limits` of joints is exceeded, by the smallest
    /// displacements in the kinetic metric, and returns whether this changed them. The impulses of the last projection are
    /// kept.
    ///
    /// Newton's method, with an equation for each limit that is exceeded; it ends when a step does not halve the largest
    /// violation, whose coordinates are not used then.
    pub(crate) fn close(
        &mut self,
        model: &Model,
        limits: &[&dyn GapFunction],
        coordinates: &mut [f64],
    ) -> bool {
        let mut violation = self.violation(model, limits, coordinates);
        let mut moved = coordinates.to_vec();
        let mut changed = false;
        for _ in 0..NEWTON {
            if violation == 0.0 {
                break;
            }
            let step = self.closing_step(model, limits, coordinates);
            model.system().retract(coordinates, step.as_slice(), &mut moved);
            let next = self.violation(model, limits, &moved);
            if next.is_nan() || next >= 0.5 * violation {
                break;
            }
            violation = next;
            coordinates.copy_from_slice(&moved);
            changed = true;
        }
        changed
    }

    /// The largest `|φ_i|` and the largest excess of a limit.
    fn violation(&mut self, model: &Model, limits: &[&dyn GapFunction], at: &[f64]) -> f64 {
        let exceeded = limits.iter().map(|limit| -limit.gap(model.system(), at));
        self.violations(model, at).into_iter().chain(exceeded).fold(0.0, f64::max)
    }

    /// The smallest displacement that closes the constraints and takes back what exceeds limits, to first order.
    fn closing_step(
        &mut self,
        model: &Model,
        limits: &[&dyn GapFunction],
        coordinates: &[f64],
    ) -> DVector<f64> {
        let system = model.system();
        self.evaluate(model, coordinates);
        let mut missing: Vec<f64> = self.value.iter().map(|value| -value).collect();
        for (constraint, rows) in model.constraints().iter().zip(self.first_rows.windows(2)) {
            missing[rows[0] + constraint.holonomic_count(system)..rows[1]].fill(0.0);
        }
        let mut rows = self.jacobian.clone();
        let mut of_limit = ContactRows::for_system(system);
        for limit in limits {
            let gap = limit.rows(system, coordinates, &mut of_limit);
            if gap < 0.0 {
                missing.push(-gap);
                rows = rows.insert_row(missing.len() - 1, 0.0);
                rows.row_mut(missing.len() - 1).tr_copy_from(&DVectorView::from(of_limit.normal()));
            }
        }
        let mut responses = DMatrix::zeros(rows.ncols(), rows.nrows());
        let span =
            span(model, Masses::at(coordinates), &self.first_rows, (&mut rows, &mut responses));
        let missing = DVector::from_vec(missing);
        let (mut step, _) = span.shortest_step(&missing);
        // The second pass removes the rounding of the first.
        step += span.shortest_step(&(missing - rows * &step)).0;
        step
    }

    /// Velocities that the constraints hold, orthonormal in the kinetic metric, one per column (`n_v × k`).
    pub(crate) const fn velocities(&self) -> &DMatrix<f64> {
        &self.span.velocities
    }

    /// Reduces the Delassus operator `W = Aᵀ M⁻¹ A` of the contact rows `A` (`n_v × r`).
    pub(crate) fn reduce(&self, rows: &DMatrix<f64>, delassus: &mut DMatrix<f64>) {
        if self.is_empty() {
            return;
        }
        let along = self.along(rows);
        delassus.gemm_tr(-1.0, &along, &along, 1.0);
    }

    /// The components of `rows` (`n_v × r`) along the span, one column each.
    pub(crate) fn along(&self, rows: &DMatrix<f64>) -> DMatrix<f64> {
        self.span.velocities.tr_mul(rows)
    }
}

/// The span of `rows`, with the responses of these masses, which it writes. Rows of the constraints, which begin at
/// `first_rows`, become zero if they are only rounding.
fn span(
    model: &Model,
    masses: Masses<'_>,
    first_rows: &[usize],
    (rows, responses): (&mut DMatrix<f64>, &mut DMatrix<f64>),
) -> Span {
    responses.tr_copy_from(rows);
    masses.divide(model.system(), responses);
    let groups = first_rows.windows(2).map(|rows| rows[0]..rows[1]);
    elimination::drop_rounding(rows, responses, groups);
    Span::new(rows, responses)
}
