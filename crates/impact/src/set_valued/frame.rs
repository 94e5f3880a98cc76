//! The data of one contact in a step: [`Frame`].

use nalgebra::{DMatrix, DVector};

use crate::Problem;

/// The data of a contact in a step.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    /// Row of its normal in `J`; its tangents follow.
    pub(super) row: usize,
    /// Number of tangents.
    pub(super) tangents: usize,
    /// `μ`.
    pub(super) friction: f64,
    /// Index of its first `β`.
    pub(super) first: usize,
    /// Directions of friction in the tangent plane, each with two components.
    pub(super) directions: Vec<[f64; 2]>,
}

impl Frame {
    /// Velocity along a direction of the tangent plane.
    pub(super) fn along(&self, direction: &[f64; 2], contact_velocity: &DVector<f64>) -> f64 {
        let tangents = &contact_velocity.as_slice()[self.row + 1..][..self.tangents];
        tangents.iter().zip(direction).map(|(u, d)| u * d).sum()
    }
}

/// The impulses at the rows of `J` that the unknowns `λ_n` and `β` stand for, one column each (`directions` counts all `β`).
pub(super) fn generators(problem: &Problem, frames: &[Frame], directions: usize) -> DMatrix<f64> {
    let m = frames.len();
    let mut generators = DMatrix::zeros(problem.contact_jacobian().nrows(), m + directions);
    for (i, frame) in frames.iter().enumerate() {
        generators[(frame.row, i)] = 1.0;
        for (j, direction) in frame.directions.iter().enumerate() {
            for (tangent, component) in direction[..frame.tangents].iter().enumerate() {
                generators[(frame.row + 1 + tangent, m + frame.first + j)] = *component;
            }
        }
    }
    generators
}
