//! Forward kinematics: frames, motions and accelerations of all links.
//!
//! The joint frame has a constant pose in the parent, and the joint moves the link relative to it. Each velocity
//! `v_k` of a joint moves the link with a unit motion `S_k`, a translation along a direction or a rotation about a
//! line. From parent `p` to link `i`
//!
//! ```math
//! V_i = V_p + T + R, \qquad T = \sum_{\text{translations}} S_k v_k, \qquad
//! R = \sum_{\text{rotations}} S_k v_k .
//! ```
//!
//! The translations are fixed to the parent. The lines of the rotations are fixed to a frame that has moved with the
//! translations but has not rotated. Their rates of change are `V_p × S_k` and `(V_p + T) × S_k`, so the additional
//! acceleration at constant velocities is
//!
//! ```math
//! c_i = V_p \times (T + R) + T \times R, \qquad A_i = A_p + \sum S_k \dot v_k + c_i .
//! ```
//!
//! # Source
//!
//! R. Featherstone, *Rigid Body Dynamics Algorithms*, Springer 2008, sections 4.4 (joint models),
//! 3.5 and 5.3 (velocities and accelerations along a tree), here in world axes.

use std::ops::Range;

use nalgebra::Vector3;

use super::{
    geometry::{Geometry, Inertia, Spatial},
    tree::{Branch, Current, Frame, Motion, Scratch, Tree},
};
use crate::rotation;

impl<G: Geometry> Tree<G> {
    /// Frames and unit motions of a group at the coordinates `q`.
    #[inline(always)]
    pub(super) fn place(&self, scratch: &mut Scratch<G>, group: usize, q: &[f64]) {
        scratch.current[group] = Current::default();
        for i in self.groups[group].links.clone() {
            let branch = &self.branches[i];
            let base = match branch.parent {
                Some(parent) => {
                    let parent = &scratch.frames[parent];
                    Frame {
                        rotation: if branch.is_turned {
                            G::compose(&parent.rotation, &branch.rotation)
                        } else {
                            parent.rotation
                        },
                        arm: parent.arm + G::rotate(&parent.rotation, branch.translation),
                        ..*parent
                    }
                }
                None => Frame {
                    rotation: branch.rotation,
                    origin: G::linear(&Vector3::zeros()),
                    arm: branch.translation,
                },
            };
            let q = &q[branch.first_coordinate..];
            let columns = &mut scratch.columns[branch.velocities.clone()];
            let frame = branch.moved(base, q, columns);
            scratch.frames[i] = frame;
        }
    }

    /// Inertias, after [`place`](Self::place); positions at which only contacts are evaluated need none.
    #[inline(always)]
    pub(super) fn weigh(&self, scratch: &mut Scratch<G>) {
        let Scratch { inertias, frames, current, .. } = scratch;
        for (group, current) in self.groups.iter().zip(current) {
            if current.inertias {
                continue;
            }
            let frames = frames[group.links.clone()].iter();
            let branches = &self.branches[group.links.clone()];
            let own = inertias[group.links.clone()].iter_mut();
            for ((inertia, frame), branch) in own.zip(frames).zip(branches) {
                *inertia = branch.inertia(frame);
            }
            current.inertias = true;
        }
    }

    /// Motions and accelerations at the velocity `v`, after [`place`](Self::place).
    #[inline(always)]
    pub(super) fn run(&self, scratch: &mut Scratch<G>, v: &[f64]) {
        for (number, group) in self.groups.iter().enumerate() {
            let rests = v[group.velocities.clone()].iter().all(|v| v.to_bits() == 0);
            if rests && scratch.current[number].rests {
                continue;
            }
            scratch.current[number].rests = rests;
            for i in group.links.clone() {
                let branch = &self.branches[i];
                let (carrier, bias) = match branch.parent {
                    Some(parent) => (scratch.motions[parent], scratch.biases[parent]),
                    None => (Spatial::zero(), Spatial::zero()),
                };
                let [translation, relative] = branch.parts_of_motion(&scratch.columns, v);
                let mut drift = carrier.cross_motion(&relative);
                if branch.translation_count > 0 {
                    drift += translation.cross_motion(&relative);
                }
                scratch.motions[i] = carrier + relative;
                scratch.drifts[i] = drift;
                scratch.biases[i] = bias + drift;
            }
        }
    }
}

/// `Σ S_k v_k`.
#[inline(always)]
pub(super) fn combine<G: Geometry>(columns: &[Spatial<G>], rates: &[f64]) -> Spatial<G> {
    columns.iter().zip(rates).fold(Spatial::zero(), |sum, (column, &rate)| sum + *column * rate)
}

impl<G: Geometry> Branch<G> {
    /// The motion relative to the parent with the velocity `v`.
    #[inline(always)]
    pub(super) fn relative_motion(&self, columns: &[Spatial<G>], v: &[f64]) -> Spatial<G> {
        let [_, relative] = self.parts_of_motion(columns, v);
        relative
    }

    /// The translation relative to the parent with the velocity `v`, and all of that motion.
    #[inline(always)]
    fn parts_of_motion(&self, columns: &[Spatial<G>], v: &[f64]) -> [Spatial<G>; 2] {
        let along =
            |velocities: Range<usize>| combine(&columns[velocities.clone()], &v[velocities]);
        let rotation = along(self.rotations());
        if self.translation_count == 0 {
            return [Spatial::zero(), rotation];
        }
        let translation = along(self.translations());
        [translation, translation + rotation]
    }

    /// The frame of the link with its joint at the coordinates `q`, starting from the joint frame `base`.
    ///
    /// The position of a link on the world becomes its own origin.
    #[inline(always)]
    fn moved(&self, base: Frame<G>, q: &[f64], columns: &mut [Spatial<G>]) -> Frame<G> {
        let along = |axis: usize| G::rotate(&base.rotation, G::linear(&Vector3::ith(axis, 1.0)));
        let about =
            |axis: usize| G::rotate_angular(&base.rotation, G::angular(&Vector3::ith(axis, 1.0)));
        let mut frame = base;
        match self.motion {
            Motion::Prismatic(axis) => {
                let direction = G::rotate(&base.rotation, axis);
                frame.arm = frame.arm + direction * q[0];
                columns[0] = Spatial::translation(direction);
            }
            Motion::Planar => {
                frame.arm = frame.arm + along(0) * q[0] + along(1) * q[1];
                columns[0] = Spatial::translation(along(0));
                columns[1] = Spatial::translation(along(1));
            }
            Motion::Free => {
                for k in 0..3 {
                    frame.arm = frame.arm + along(k) * q[k];
                    columns[k] = Spatial::translation(along(k));
                }
            }
            Motion::Fixed | Motion::Revolute(_) | Motion::Spherical => {}
        }
        if self.parent.is_none() {
            frame.origin = frame.arm;
            frame.arm = G::linear(&Vector3::zeros());
        }
        match self.motion {
            Motion::Revolute(axis) => {
                frame.rotation = G::turned(&base.rotation, axis, q[0]);
                let axis = G::rotate_angular(&base.rotation, axis);
                columns[0] = Spatial::rotation(axis, frame.arm);
            }
            Motion::Planar => {
                frame.rotation = G::turned(&base.rotation, G::angular(&Vector3::z()), q[2]);
                columns[2] = Spatial::rotation(about(2), frame.arm);
            }
            Motion::Spherical | Motion::Free => {
                let first = self.translation_count;
                let quaternion = [0, 1, 2, 3].map(|k| q[first + k]);
                let turn = G::rotation(&rotation::unit_quaternion(&quaternion));
                frame.rotation = G::compose(&base.rotation, &turn);
                for k in 0..3 {
                    columns[first + k] = Spatial::rotation(about(k), frame.arm);
                }
            }
            Motion::Fixed | Motion::Prismatic(_) => {}
        }
        frame
    }

    #[inline(always)]
    fn inertia(&self, frame: &Frame<G>) -> Inertia<G> {
        let center = frame.arm + G::rotate(&frame.rotation, self.center);
        Inertia {
            mass: self.mass,
            first: center * self.mass,
            moments: G::rotate_moments(&frame.rotation, self.moments)
                + G::point_moments(self.mass, center),
        }
    }
}
