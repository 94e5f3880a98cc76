//! The two linear programs of the friction cone.

use good_lp::{
    Expression, ResolutionError, Solution, SolverModel, Variable, constraint, microlp, variable,
    variables,
};
use nalgebra::{DMatrix, DVector};

/// Weights `x ≥ 0` with the sum 1 that minimize the largest component of `|B x|`.
///
/// Their resultant is zero when the cone is not pointed; otherwise they prove nothing.
pub(super) fn weakest_sum(responses: &DMatrix<f64>) -> Result<DVector<f64>, ResolutionError> {
    let mut unknowns = variables!();
    let weights = unknowns.add_vector(variable().min(0.0).max(1.0), responses.ncols());
    let bound = unknowns.add(variable().min(0.0));
    let mut program = unknowns.minimise(bound).using(microlp);
    program.add_constraint(constraint!(weights.iter().sum::<Expression>() == 1.0));
    for row in responses.row_iter() {
        let component = combine(row.iter().copied(), &weights);
        program.add_constraint(constraint!(component.clone() - bound <= 0.0));
        program.add_constraint(constraint!(component + bound >= 0.0));
    }
    let solution = program.solve()?;
    // Bounds hold up to the tolerance of the simplex method; negative weights are its rounding.
    let weights = weights.into_iter().map(|weight| solution.value(weight).max(0.0));
    let weights = DVector::from_vec(weights.collect());
    let sum = weights.sum();
    Ok(weights / sum)
}

/// The direction `y` with the largest gain, subject to `|y_i| ≤ 1` and `u · y ≤ 1` for the given `cuts`, and
/// that gain: the largest `γ` with `B_j · y ≥ γ parts_j`.
pub(super) fn best_direction(
    responses: &DMatrix<f64>,
    parts: &DVector<f64>,
    cuts: &[DVector<f64>],
) -> Result<(DVector<f64>, f64), ResolutionError> {
    let mut unknowns = variables!();
    let direction = unknowns.add_vector(variable().min(-1.0).max(1.0), responses.nrows());
    let gain = unknowns.add(variable().min(0.0).max(2.0 * responses.nrows() as f64));
    let mut program = unknowns.maximise(gain).using(microlp);
    for (column, part) in responses.column_iter().zip(parts) {
        let push = combine(column.iter().copied(), &direction);
        program.add_constraint(constraint!(push - *part * gain >= 0.0));
    }
    for cut in cuts {
        program.add_constraint(constraint!(combine(cut.iter().copied(), &direction) <= 1.0));
    }
    let solution = program.solve()?;
    let values = direction.into_iter().map(|component| solution.value(component)).collect();
    Ok((DVector::from_vec(values), solution.value(gain)))
}

fn combine(coefficients: impl Iterator<Item = f64>, unknowns: &[Variable]) -> Expression {
    coefficients.zip(unknowns).map(|(coefficient, unknown)| coefficient * *unknown).sum()
}
