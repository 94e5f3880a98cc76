//! Impacts as problems of percussion-impact, including those that accumulate or jam.

use nalgebra::{DMatrix, DVector};
use percussion_impact::{
    Coefficients, Error, Law, Mass, Outcome, Problem, RestitutionUse, Status,
    anitescu_potra::AnitescuPotra,
};

use super::{
    geometry::{Geometry, Independent, Moment},
    hold::{Hold, Line, axes, line_row},
};

/// Velocity after an impact, and its impulses.
#[derive(Clone, Debug)]
pub(super) struct Jump {
    pub(super) velocity: Vec<f64>,
    /// Impulses of each contact, normal first (N·s).
    pub(super) impulses: Vec<Vec<f64>>,
    /// `½ (v⁻ − v⁺)ᵀ M (v⁻ + v⁺)` (J).
    pub(super) dissipated: f64,
    /// Whether the law reports that the energy has grown.
    pub(super) gains: bool,
    /// How the law used the coefficients of restitution.
    pub(super) restitution: RestitutionUse,
}

/// Reasons why there is no velocity after an impact.
#[derive(Debug)]
pub(super) enum Failure {
    Stated(percussion_impact::ProblemError),
    Law(Error),
    /// The law did not come to its end, or its certificate does not hold.
    Unresolved(Status),
}

/// The impact of `contacts` at a moment, with all bilateral equations as joints.
pub(super) fn state(
    geometry: &Geometry<'_>,
    moment: &Moment<'_>,
    contacts: &[usize],
) -> Result<Problem, Failure> {
    let velocities = moment.velocity.len();
    let mut mass = DMatrix::zeros(velocities, velocities);
    geometry.model.system().mass_matrix(moment.coordinates, &mut mass);
    let width = geometry.components;
    let mut jacobian = DMatrix::zeros(width * contacts.len(), velocities);
    let mut coefficients = Vec::with_capacity(contacts.len());
    for (k, &index) in contacts.iter().enumerate() {
        let rows = geometry.rows.rows(geometry.first_row(index), width);
        jacobian.rows_mut(width * k, width).copy_from(&rows);
        let &crate::Contact { friction, restitution, .. } = &geometry.contacts.as_slice()[index];
        coefficients.push(Coefficients { friction, restitution });
    }
    let velocity = DVector::from_column_slice(moment.velocity);
    let joints = geometry.rows.rows(0, geometry.ties).into_owned();
    Problem::from_jacobian(Mass::Matrix(mass), velocity, &jacobian, &coefficients, joints)
        .map_err(Failure::Stated)
}

/// Returns the answer of `law` to the impact with this `number`.
pub(super) fn by_law(problem: &Problem, law: &dyn Law, number: u64) -> Result<Jump, Failure> {
    let outcome = law.resolve_numbered(problem, number).map_err(Failure::Law)?;
    match outcome.trace.status {
        Status::Resolved | Status::EnergyGained => Ok(jump(problem, &outcome)),
        status => Err(Failure::Unresolved(status)),
    }
}

/// The inelastic impact with friction, which captures contacts and breaks jams: it never adds energy, and its
/// linear complementarity problem always has a solution.
pub(super) fn inelastic(problem: &Problem) -> Result<Jump, Failure> {
    by_law(problem, &AnitescuPotra::default(), 0)
}

fn jump(problem: &Problem, outcome: &Outcome) -> Jump {
    let (before, after) = (problem.velocity(), &outcome.velocity);
    let change = problem.momentum(&(before - after));
    let impulse = |impulse: &percussion_impact::Impulse| {
        std::iter::once(impulse.normal).chain(impulse.tangent.iter().copied()).collect()
    };
    Jump {
        velocity: after.as_slice().to_vec(),
        impulses: outcome.impulses.iter().map(impulse).collect(),
        dissipated: 0.5 * change.dot(&(before + after)),
        gains: outcome.trace.status == Status::EnergyGained,
        restitution: outcome.trace.restitution,
    }
}

/// Removes the normal velocities of `closed` contacts, the slip of `sticking` ones and the rates of `resting` joints from
/// `velocity` by the smallest change in the kinetic metric, and returns the energy removed (J).
pub(super) fn close(
    geometry: &Geometry<'_>,
    coordinates: &[f64],
    (closed, sticking, resting): (&[usize], &[usize], &[usize]),
    velocity: &mut [f64],
) -> f64 {
    let mut independent = Independent::new(geometry, coordinates);
    let mut lines: Vec<_> = (0..geometry.ties).map(Line::Tie).collect();
    lines.extend(closed.iter().map(|&contact| Line::Normal(contact)));
    for &contact in sticking {
        lines.extend(axes(geometry.components).map(|axis| Line::Tangent(contact, axis)));
    }
    lines.extend(resting.iter().map(|&joint| Line::Joint(joint)));
    lines.retain(|line| independent.take(&line_row(geometry, line)));
    let hold = Hold { lines, ..Hold::default() };
    let system = geometry.model.system();
    let before = system.kinetic_energy(coordinates, velocity);
    let rows = hold.rows(geometry);
    let violation = &rows * DVector::from_column_slice(velocity);
    if let Some(change) = shortest(geometry, coordinates, &rows, &-violation) {
        velocity.iter_mut().zip(&change).for_each(|(v, change)| *v += change);
    }
    before - system.kinetic_energy(coordinates, velocity)
}

/// The smallest `d` in the kinetic metric with `rows d = target`, for independent rows.
pub(super) fn shortest(
    geometry: &Geometry<'_>,
    coordinates: &[f64],
    rows: &DMatrix<f64>,
    target: &DVector<f64>,
) -> Option<DVector<f64>> {
    if rows.is_empty() {
        return Some(DVector::zeros(rows.ncols()));
    }
    let lift = geometry.divide(coordinates, rows.transpose());
    let multipliers = (rows * &lift).lu().solve(target)?;
    Some(lift * multipliers)
}
