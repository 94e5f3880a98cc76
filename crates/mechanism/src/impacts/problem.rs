//! From a mechanism and its contacts to the problem of an impact.

use nalgebra::{DMatrix, DVector};
use percussion_dynamics::ContactSet;
use percussion_impact::{Coefficients, Mass, Problem};
use percussion_integrators::State;

use crate::{Error, mechanism::Mechanism};

/// Largest distance of surfaces that count as touching, relative to the sizes and positions of the bodies. It
/// allows for the rounding errors of a few operations with sixteen digits, and for files that give ten
/// digits.
pub(super) const TOUCHING: f64 = 1e-9;

/// The impact of the contacts in `set`, with the constraints of the mechanism as joints.
pub(super) fn problem(mechanism: &Mechanism, set: &ContactSet) -> Result<Problem, Error> {
    let (model, state) = (&mechanism.model, &mechanism.state);
    let system = model.system();
    let size = system.velocity_count();
    let (mut mass, mut jacobian) = (DMatrix::zeros(size, size), DMatrix::zeros(0, 0));
    system.mass_matrix(&state.coordinates, &mut mass);
    set.contact_jacobian(&mut jacobian);
    let coefficients = set.friction().iter().zip(set.restitution());
    let coefficients: Vec<_> = coefficients
        .map(|(&friction, &restitution)| Coefficients { friction, restitution })
        .collect();
    let velocity = DVector::from_column_slice(&state.velocity);
    let joints = joints(mechanism);
    Ok(Problem::from_jacobian(Mass::Matrix(mass), velocity, &jacobian, &coefficients, joints)?)
}

/// The rows of all constraints.
fn joints(mechanism: &Mechanism) -> DMatrix<f64> {
    let (model, coordinates) = (&mechanism.model, &mechanism.state.coordinates);
    let system = model.system();
    let counts = model.constraints().iter().map(|constraint| constraint.row_count(system));
    let mut rows = DMatrix::zeros(counts.sum(), system.velocity_count());
    let mut first = 0;
    for constraint in model.constraints() {
        let mut value = vec![0.0; constraint.row_count(system)];
        constraint.evaluate(system, coordinates, &mut value, &mut rows, first);
        first += value.len();
    }
    rows
}

/// The length of the bodies or the largest coordinate of their positions, whichever is larger (m).
pub(super) fn size(mechanism: &Mechanism) -> f64 {
    let (model, coordinates) = (&mechanism.model, &mechanism.state.coordinates);
    let system = model.system();
    let state = State {
        time: 0.0,
        coordinates: coordinates.clone(),
        velocity: vec![0.0; system.velocity_count()],
    };
    let length = model.scales(&state, 1.0).length;
    let origins = (0..system.body_count())
        .map(|body| system.pose(coordinates, body).translation.vector.amax());
    origins.fold(length, f64::max)
}
