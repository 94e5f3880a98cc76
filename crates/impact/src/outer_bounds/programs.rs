//! The linear programs that search for multipliers, in coordinates in which the kinetic energy is a sum of
//! squares and the velocity before the impact has length 1.

use good_lp::{
    Expression, ResolutionError, Solution, SolverModel, constraint, microlp, variable, variables,
};
use nalgebra::DVector;

/// The data of all programs.
#[derive(Debug)]
pub(super) struct Program {
    /// Velocity before the impact (length `d`).
    pub(super) start: DVector<f64>,
    /// Normal rows of the contacts that can move, of unit size, with the position of the contact and the
    /// approach that counts as none.
    pub(super) normals: Vec<(usize, DVector<f64>, f64)>,
    /// Edges `g` of the cones: a multiplier `x` needs `g · x ≤ 0`.
    pub(super) edges: Vec<DVector<f64>>,
}

/// Multipliers in the coordinates of the programs.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// `w` (length `d`).
    pub(super) ball: DVector<f64>,
    /// `ν`, in the order of [`Program::normals`].
    pub(super) normals: Vec<f64>,
}

impl Program {
    /// Calls `take` with the multipliers of up to `limit` programs for the functional `a` of unit length, or
    /// for the least energy (`None`).
    ///
    /// `‖w‖` is replaced by the least sum of weights with which `w` is a combination of unit columns, an upper
    /// bound. The columns are the axes, and then also the best directions so far with neighbors ever closer
    /// to the last.
    pub(super) fn search(
        &self,
        functional: Option<&DVector<f64>>,
        limit: usize,
        mut take: impl FnMut(&Found),
    ) {
        let d = self.start.len();
        let axis =
            |j: usize, value: f64| DVector::from_fn(d, |row, _| if row == j { value } else { 0.0 });
        let axes: Vec<_> = (0..d).flat_map(|j| [axis(j, 1.0), axis(j, -1.0)]).collect();
        let mut found_columns: Vec<DVector<f64>> = functional.into_iter().cloned().collect();
        let mut near = Vec::new();
        let mut distance = 0.5;
        for _ in 0..limit {
            let columns: Vec<_> = axes.iter().chain(&found_columns).chain(&near).collect();
            let Ok(found) = self.solve(functional, &columns) else { return };
            take(&found);
            let length = found.ball.norm();
            if d < 2 || length == 0.0 || distance < 1e-5 {
                return;
            }
            let direction = &found.ball / length;
            let moved = found_columns.last().map_or(2.0, |last| (&direction - last).norm());
            // A move to a neighbor asks for farther ones, a smaller one for closer ones.
            distance =
                if moved > 0.5 * distance { (2.0 * distance).min(0.5) } else { 0.3 * distance };
            near = axes.iter().map(|axis| (&direction + axis * distance).normalize()).collect();
            found_columns.push(direction);
        }
    }

    fn solve(
        &self,
        functional: Option<&DVector<f64>>,
        columns: &[&DVector<f64>],
    ) -> Result<Found, ResolutionError> {
        let mut unknowns = variables!();
        let weights = unknowns.add_vector(variable().min(0.0), columns.len());
        let normals = unknowns.add_vector(variable().min(0.0), self.normals.len());
        // x = a + Σ ν n − w, weighed along `row`.
        let along = |row: &DVector<f64>| {
            let mut sum = Expression::from(functional.map_or(0.0, |a| a.dot(row)));
            for (variable, (_, normal, _)) in normals.iter().zip(&self.normals) {
                sum.add_mul(normal.dot(row), *variable);
            }
            for (variable, column) in weights.iter().zip(columns) {
                sum.add_mul(-column.dot(row), *variable);
            }
            sum
        };
        let total: Expression = weights.iter().sum();
        let mut objective = along(&self.start);
        for (variable, (_, _, tolerance)) in normals.iter().zip(&self.normals) {
            objective.add_mul(*tolerance, *variable);
        }
        if functional.is_some() {
            objective += total.clone();
        }
        let mut program = unknowns.minimise(objective).using(microlp);
        if functional.is_none() {
            program.add_constraint(constraint!(total <= 1.0));
        }
        for edge in &self.edges {
            program.add_constraint(constraint!(along(edge) <= 0.0));
        }
        let solution = program.solve()?;
        let mut ball = DVector::zeros(self.start.len());
        for (variable, column) in weights.iter().zip(columns) {
            ball.axpy(solution.value(*variable), column, 1.0);
        }
        let normals = normals.iter().map(|variable| solution.value(*variable).max(0.0)).collect();
        Ok(Found { ball, normals })
    }
}
