//! Dry friction of a joint along one axis, scaled so that it is comparable with that of contacts.

use nalgebra::DVector;

use crate::{
    model::{Model, State},
    scales::Scales,
};

/// The friction of one joint. Its axis is scaled by the length that makes `d·v` the velocity of a point of the bodies (m/s), so that
/// its friction is a force (N) and tolerances of contacts apply to it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DryJoint {
    /// Its number in the model.
    pub(crate) number: usize,
    /// Length `n_v`.
    pub(crate) axis: DVector<f64>,
    /// Largest friction (N).
    pub(crate) bound: f64,
    /// Length of the scaling (m): the friction along the axis of the model is `length` times that here.
    pub(crate) length: f64,
}

impl DryJoint {
    /// All joints of a model that friction can hold; the number of one whose directions are not along one axis as an error.
    pub(crate) fn all(model: &Model, scales: &Scales, start: &State) -> Result<Vec<Self>, usize> {
        let strides = scales.of_velocities(model.system(), &start.coordinates);
        let mut joints = Vec::new();
        for (number, friction) in model.joint_friction().iter().enumerate() {
            let axis = friction.axis().ok_or(number)?;
            if friction.bound > 0.0 && axis.amax() > 0.0 {
                let length = scales.length_along(axis.as_slice(), &strides);
                let (axis, bound) = (axis * length, friction.bound / length);
                joints.push(Self { number, axis, bound, length });
            }
        }
        Ok(joints)
    }
}
