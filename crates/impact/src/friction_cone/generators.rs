//! The edges of the linearized cones, in coordinates in which the kinetic energy is a sum of squares.

use nalgebra::{DMatrix, DVector, SymmetricEigen};

use super::Error;
use crate::{Problem, directions::direction};

/// The edges of all cones: the effects of unit normal impulses with friction along one direction.
pub(crate) struct Generators {
    /// Impulse of each edge at the rows of `J`, with the normal impulse 1 (`r × e`, N·s).
    pub(crate) percussions: DMatrix<f64>,
    /// Maximum effect of each edge, by the triangle inequality and without joints (kg^−½).
    pub(crate) sizes: DVector<f64>,
    /// Effect of each edge, in the basis and relative to its size (`d × e`).
    pub(crate) responses: DMatrix<f64>,
    /// Velocities with `QᵀMQ = 1` that span the effects of all impulses (`n_v × d`).
    pub(crate) basis: DMatrix<f64>,
    /// Rounding of a column of `responses`, in the Euclidean norm.
    pub(crate) rounding: f64,
}

impl Generators {
    /// # Errors
    ///
    /// When a size overflows.
    pub(crate) fn new(problem: &Problem, directions: usize) -> Result<Self, Error> {
        let rows = problem.contact_jacobian().nrows();
        let free_sizes = problem.free_row_sizes();
        let mut percussions = Vec::new();
        let mut sizes = Vec::new();
        for (index, contact) in problem.contacts().iter().enumerate() {
            let first = problem.rows(index).start;
            for direction in edges(contact.tangents.len(), contact.friction, directions) {
                let mut percussion = DVector::zeros(rows);
                percussion[first] = 1.0;
                let mut size = free_sizes[first];
                for tangent in 0..contact.tangents.len() {
                    percussion[first + 1 + tangent] = direction[tangent];
                    size += direction[tangent].abs() * free_sizes[first + 1 + tangent];
                }
                if !size.is_finite() {
                    return Err(Error::Overflow { contact: index });
                }
                percussions.push(percussion);
                // A contact with a zero row has no effect on any scale.
                sizes.push(if size > 0.0 { size } else { 1.0 });
            }
        }
        let rounding = rounding(problem);
        let (basis, coordinates) = orthonormalize(problem, &free_sizes);
        let percussions = if percussions.is_empty() {
            DMatrix::zeros(rows, 0)
        } else {
            DMatrix::from_columns(&percussions)
        };
        let sizes = DVector::from_vec(sizes);
        let mut responses = coordinates * &percussions;
        responses.column_iter_mut().zip(&sizes).for_each(|(mut column, size)| column /= *size);
        Ok(Self { percussions, sizes, responses, basis, rounding })
    }
}

/// Tangential impulses of the edges of one contact, per unit normal impulse.
pub(crate) fn edges(tangents: usize, friction: f64, directions: usize) -> Vec<[f64; 2]> {
    let count = if friction == 0.0 { 0 } else { [0, 2, directions][tangents] };
    if count == 0 {
        return vec![[0.0; 2]];
    }
    (0..count).map(|j| direction(j, count).map(|component| friction * component)).collect()
}

/// An orthonormal basis of the effects of impulses, and the coordinates of each row's response in it.
///
/// The Gram–Schmidt method, with the largest column first and every subtraction done twice, keeps the basis
/// orthonormal to rounding (Kahan and Parlett's "twice is enough"). Columns are compared relative to their
/// sizes without joints; the remainder of the last columns is rounding.
fn orthonormalize(problem: &Problem, sizes: &DVector<f64>) -> (DMatrix<f64>, DMatrix<f64>) {
    let response = problem.response();
    let (n, rows) = response.shape();
    let norm = |column: &DVector<f64>| (2.0 * problem.kinetic_energy(column)).max(0.0).sqrt();
    let mut left: Vec<_> = response
        .column_iter()
        .zip(sizes)
        .map(|(column, &size)| if size > 0.0 { column / size } else { DVector::zeros(n) })
        .collect();
    let mut basis: Vec<DVector<f64>> = Vec::new();
    let mut momenta: Vec<DVector<f64>> = Vec::new();
    while basis.len() < n {
        let largest =
            (0..rows).map(|j| (norm(&left[j]), j)).reduce(|a, b| if b.0 > a.0 { b } else { a });
        let Some((size, pivot)) = largest.filter(|(size, _)| *size > n as f64 * f64::EPSILON)
        else {
            break;
        };
        let mut direction = &left[pivot] / size;
        for _ in 0..2 {
            for (other, momentum) in basis.iter().zip(&momenta) {
                direction.axpy(-direction.dot(momentum), other, 1.0);
            }
        }
        direction /= norm(&direction);
        let momentum = problem.momentum(&direction);
        for column in &mut left {
            for _ in 0..2 {
                column.axpy(-column.dot(&momentum), &direction, 1.0);
            }
        }
        basis.push(direction);
        momenta.push(momentum);
    }
    if basis.is_empty() {
        return (DMatrix::zeros(n, 0), DMatrix::zeros(0, rows));
    }
    (DMatrix::from_columns(&basis), DMatrix::from_columns(&momenta).tr_mul(response))
}

/// Rounding of `M⁻¹ Jᵀ`, relative to each column in the metric of kinetic energy.
///
/// A Cholesky solve is exact for a matrix that differs by up to `n_v eps` of `√(M_ii M_jj)`. With the
/// condition number `κ` of `M` scaled to a unit diagonal, this changes the solution by up to `n_v² κ eps`.
/// The elimination of joints adds the rounding that [`Problem`] states.
fn rounding(problem: &Problem) -> f64 {
    let n = problem.dimension();
    let mut mass = DMatrix::zeros(n, n);
    for i in 0..n {
        let unit = DVector::from_fn(n, |row, _| if row == i { 1.0 } else { 0.0 });
        mass.set_column(i, &problem.momentum(&unit));
    }
    let scale = DMatrix::from_diagonal(&mass.diagonal().map(|entry| 1.0 / entry.sqrt()));
    let eigenvalues = SymmetricEigen::new((&scale * mass * &scale).symmetric_part()).eigenvalues;
    let (smallest, largest) = (eigenvalues.min(), eigenvalues.max());
    let condition = if smallest > 0.0 { largest / smallest } else { 1.0 / f64::EPSILON };
    (n * n) as f64 * condition * f64::EPSILON + problem.joint_rounding()
}
