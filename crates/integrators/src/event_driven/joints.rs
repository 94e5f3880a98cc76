//! Dry friction of joints in modes: each joint is at rest with friction below its bound, or turns against friction at its bound.
//!
//! With the velocity `w = d·v` of the axis `d` of a joint and the bound `η` of its friction,
//!
//! ```math
//! w \ne 0:\ p = -η\,\operatorname{sgn} w, \qquad w = 0:\ |p| \le η,\quad \dot w > 0 \Rightarrow p = -η,\quad \dot w < 0 \Rightarrow p = η .
//! ```
//!
//! Axes are [scaled](DryJoint), so that the tolerances of contacts apply to them. In an impact a finite force has no impulse.

use nalgebra::DMatrix;

use super::{
    geometry::Geometry,
    hold::{Held, Hold},
    report::{EventKind, Mode},
};
use crate::dry_joint::DryJoint;

/// The joints that turn faster than `still` (m/s), with the signs of their velocities.
pub(super) fn turning(geometry: &Geometry<'_>, velocity: &[f64], still: f64) -> Vec<(usize, f64)> {
    let turns = |joint: usize| {
        let rate = geometry.rate(joint, velocity);
        (rate.abs() > still).then_some((joint, rate.signum()))
    };
    (0..geometry.joints.len()).filter_map(turns).collect()
}

/// `d M⁻¹ dᵀ` of the axis of a joint (kg⁻¹).
pub(super) fn inverse_mass(geometry: &Geometry<'_>, coordinates: &[f64], joint: usize) -> f64 {
    let axis = &geometry.joints[joint].axis;
    let column = DMatrix::from_columns(std::slice::from_ref(axis));
    geometry.divide(coordinates, column).column(0).dot(axis)
}

/// Amount by which the friction of a joint exceeds its bound (N).
pub(super) fn excess(geometry: &Geometry<'_>, held: &Held, joint: usize) -> f64 {
    held.friction[joint].abs() - geometry.joints[joint].bound
}

/// Scaled forces of the joints with friction (N), as those of all frictions of the model along their axes (N, N·m).
pub(super) fn of_model(geometry: &Geometry<'_>, friction: &[f64]) -> Vec<f64> {
    let mut all = vec![0.0; geometry.model.joint_friction().len()];
    for (DryJoint { number, length, .. }, force) in geometry.joints.iter().zip(friction) {
        all[*number] = force * length;
    }
    all
}

/// The joints that differ between two modes.
pub(super) fn changes(joints: &[DryJoint], before: &Hold, after: &Hold) -> Vec<EventKind> {
    let mode = |turn: Option<f64>| if turn.is_some() { Mode::Sliding } else { Mode::Sticking };
    let change = |(joint, DryJoint { number, .. }): (usize, &DryJoint)| {
        let [from, to] = [before, after].map(|hold| hold.turn(joint));
        let kind = EventKind::Joint { joint: *number, from: mode(from), to: mode(to) };
        (from != to).then_some(kind)
    };
    joints.iter().enumerate().filter_map(change).collect()
}
