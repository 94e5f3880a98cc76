//! The data of one contact in a step: [`Frame`].

use nalgebra::DVector;

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
