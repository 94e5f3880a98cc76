//! The friction of joints in a decision.
//!
//! A joint at rest has the friction `p = β⁺ − β⁻` with
//!
//! ```math
//! 0 \le β^{\pm} \perp γ \pm \dot w \ge 0, \qquad 0 \le γ \perp η - β^{+} - β^{-} \ge 0 ,
//! ```
//!
//! so that it is at rest between the bounds, and `γ` is the size of the acceleration with which it turns. No number of the solution is
//! larger than needed, however large the bound.

use nalgebra::{DMatrix, DVector};

use crate::event_driven::{
    geometry::{Geometry, Moment},
    hold::{Held, Hold},
    joints::{excess, inverse_mass, turning},
};

/// Number of unknowns of a joint at rest.
const UNKNOWNS: usize = 3;

/// The joints at a moment.
#[derive(Debug)]
pub(super) struct Joints {
    /// Those that turn, with the signs of their velocities.
    pub(super) turning: Vec<(usize, f64)>,
    pub(super) resting: Vec<Resting>,
}

/// A joint at rest.
#[derive(Clone, Debug)]
pub(super) struct Resting {
    joint: usize,
    /// Turns forces into accelerations (kg⁻¹).
    inverse_mass: f64,
    /// Forces times this (kg^-½) are the unknowns, and accelerations divided by it their velocities: their diagonal entry is 1.
    unit: f64,
    /// The axis in these units.
    axis: DVector<f64>,
}

/// Friction (N) and acceleration (m/s²) of a joint at rest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answer {
    force: f64,
    acceleration: f64,
}

/// What the friction of a joint does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Turn {
    /// It is at its bound, against a velocity of this sign.
    Turns(f64),
    /// It is below its bound, and the joint at rest.
    Rests,
    /// The joint is at rest with friction that is just at its bound, as if against a velocity of this sign.
    AtBound(f64),
}

impl Joints {
    /// Joints up to the velocity `still` (m/s) are at rest.
    pub(super) fn new(geometry: &Geometry<'_>, moment: &Moment<'_>, still: f64) -> Self {
        let turning = turning(geometry, moment.velocity, still);
        let rests = |joint: &usize| turning.iter().all(|(turning, _)| turning != joint);
        let describe = |joint| {
            let inverse_mass = inverse_mass(geometry, moment.coordinates, joint);
            let root = inverse_mass.sqrt();
            let unit = if root.is_finite() && root > 0.0 { root } else { 1.0 };
            let axis = &geometry.joints[joint].axis / unit;
            Resting { joint, inverse_mass, unit, axis }
        };
        let resting = (0..geometry.joints.len()).filter(rests).map(describe).collect();
        Self { turning, resting }
    }

    /// Generalized forces of the unknowns `β⁺`, `β⁻`, `γ` of each joint at rest.
    pub(super) fn columns(&self) -> impl Iterator<Item = DVector<f64>> {
        let of = |Resting { axis, .. }: &Resting| [axis.clone(), -axis, DVector::zeros(axis.len())];
        self.resting.iter().flat_map(of)
    }

    /// Whether none of those at rest has more than this acceleration (m/s²).
    pub(super) fn are_still(&self, acceleration: &DVector<f64>, noise: f64) -> bool {
        let along = |resting: &Resting| resting.unit * resting.axis.dot(acceleration);
        self.resting.iter().all(|resting| along(resting).abs() <= noise)
    }

    /// Writes the rows of the joints, the first of which is `first`, with the accelerations of the unknowns and without them.
    pub(super) fn state(
        &self,
        geometry: &Geometry<'_>,
        (response, free): (&DMatrix<f64>, &DVector<f64>),
        first: usize,
        (matrix, vector): (&mut DMatrix<f64>, &mut DVector<f64>),
    ) {
        for (resting, beta) in self.resting.iter().zip((first..).step_by(UNKNOWNS)) {
            let Resting { joint, unit, axis, .. } = resting;
            let along = response.tr_mul(axis).transpose();
            let gamma = beta + 2;
            for (row, sign) in [(beta, 1.0), (beta + 1, -1.0)] {
                matrix.row_mut(row).copy_from(&(sign * &along));
                vector[row] = sign * axis.dot(free);
                matrix[(row, gamma)] = 1.0;
                matrix[(gamma, row)] = -1.0;
            }
            vector[gamma] = geometry.joints[*joint].bound * unit;
        }
    }

    /// The answers of the joints at rest, from their unknowns and the acceleration.
    pub(super) fn answers(&self, unknowns: &[f64], acceleration: &DVector<f64>) -> Vec<Answer> {
        let answer = |(resting, found): (&Resting, &[f64])| {
            let force = (found[0] - found[1]) / resting.unit;
            Answer { force, acceleration: resting.unit * resting.axis.dot(acceleration) }
        };
        self.resting.iter().zip(unknowns.chunks(UNKNOWNS)).map(answer).collect()
    }

    /// How each joint turns from now on, or that it rests. An acceleration of at most `zero` (m/s²) is taken as zero.
    pub(super) fn turns(
        &self,
        geometry: &Geometry<'_>,
        answers: &[Answer],
        zero: f64,
    ) -> Vec<(usize, Turn)> {
        let decide = |(resting, answer): (&Resting, &Answer)| {
            let Resting { joint, inverse_mass, .. } = *resting;
            let Answer { force, acceleration } = *answer;
            let left = (geometry.joints[joint].bound - force.abs()) * inverse_mass;
            let turn = if acceleration.abs() > zero {
                Turn::Turns(acceleration.signum())
            } else if left > zero {
                Turn::Rests
            } else {
                Turn::AtBound(-force.signum())
            };
            (joint, turn)
        };
        let turning = self.turning.iter().map(|&(joint, sign)| (joint, Turn::Turns(sign)));
        turning.chain(self.resting.iter().zip(answers).map(decide)).collect()
    }

    /// Whether the friction of joints at rest is within its bounds, and none of them is accelerated along its friction; violations of
    /// up to `accepted` (m/s²) are accepted.
    pub(super) fn are_consistent(
        &self,
        geometry: &Geometry<'_>,
        hold: &Hold,
        held: &Held,
        accepted: f64,
    ) -> bool {
        self.resting.iter().all(|&Resting { joint, inverse_mass, .. }| match hold.turn(joint) {
            Some(sign) => sign * geometry.joints[joint].axis.dot(&held.acceleration) >= -accepted,
            None => excess(geometry, held, joint) * inverse_mass <= accepted,
        })
    }
}
