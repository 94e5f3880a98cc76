//! Jacobians of points and frames, and the accelerations `J̇ v` at constant velocities.
//!
//! A velocity `k` that carries a link moves its point at `r` (from the link's origin) with `S_v + S_ω × r`, which is
//! column `k` of the Jacobian; the columns of other velocities are zero. In a direction `d` the column is
//! `S_k · (d, r × d)`, the power of a unit force. A point of the link has the velocity `v + ω × r`, and its position
//! `r` changes at that velocity. Differentiation gives, with the acceleration `A` of the link at constant
//! velocities,
//!
//! ```math
//! \dot J v = A_v + A_\omega \times r + \omega \times (v + \omega \times r),
//! ```
//!
//! where `A_v`, `A_ω` are the linear and angular part of `A`.
//!
//! # Source
//!
//! R. Featherstone, *Rigid Body Dynamics Algorithms*, Springer 2008, section 2.11 (spatial and
//! classical acceleration) and section 8.2 (Jacobians of loop joints).

use nalgebra::{DMatrix, Isometry3, Translation3, Vector3};

use super::{
    geometry::{Geometry, Spatial},
    tree::{Scratch, Tree, write_column},
};

impl<G: Geometry> Tree<G> {
    pub(super) fn add_point_row(
        &self,
        scratch: &Scratch<G>,
        link: usize,
        point: &Vector3<f64>,
        direction: &Vector3<f64>,
        row: &mut [f64],
    ) {
        let arm = scratch.frames[link].arm_to(point);
        let force = Spatial::force(G::linear(direction), arm);
        for k in self.path(link) {
            row[k] += scratch.columns[k].dot(&force);
        }
    }

    /// The same for up to three `directions`, each times `scale` and with a row of its own, with one walk along the path.
    pub(super) fn add_point_rows(
        &self,
        scratch: &Scratch<G>,
        (link, point): (usize, &Vector3<f64>),
        (directions, scale): (&[Vector3<f64>], f64),
        rows: &mut [f64],
    ) {
        let arm = scratch.frames[link].arm_to(point);
        let mut forces = [Spatial::zero(); 3];
        for (force, direction) in forces.iter_mut().zip(directions) {
            *force = Spatial::force(G::linear(&(scale * direction)), arm);
        }
        let forces = &forces[..directions.len()];
        let width = self.velocity_count();
        for k in self.path(link) {
            for (force, row) in forces.iter().zip(rows.chunks_exact_mut(width)) {
                row[k] += scratch.columns[k].dot(force);
            }
        }
    }

    /// Rows `x, y` and in space `z`.
    pub(super) fn point_jacobian(
        &self,
        scratch: &Scratch<G>,
        link: usize,
        point: &Vector3<f64>,
        jacobian: &mut DMatrix<f64>,
    ) {
        let arm = scratch.frames[link].arm_to(point);
        jacobian.fill(0.0);
        for k in self.path(link) {
            let velocity = G::linear_to_vector(scratch.columns[k].at(arm));
            for (row, entry) in jacobian.column_mut(k).iter_mut().enumerate() {
                *entry = velocity[row];
            }
        }
    }

    /// Rows of the velocity of the origin of the frame, then of the angular velocity.
    pub(super) fn frame_jacobian(
        &self,
        scratch: &Scratch<G>,
        link: usize,
        jacobian: &mut DMatrix<f64>,
    ) {
        let arm = scratch.frames[link].arm;
        jacobian.fill(0.0);
        for k in self.path(link) {
            let column = &scratch.columns[k];
            let at_frame = Spatial::<G> { linear: column.at(arm), ..*column };
            write_column(jacobian, k, &at_frame);
        }
    }

    pub(super) fn point_velocity(
        &self,
        scratch: &Scratch<G>,
        link: usize,
        point: &Vector3<f64>,
    ) -> Vector3<f64> {
        let arm = scratch.frames[link].arm_to(point);
        G::linear_to_vector(scratch.motions[link].at(arm))
    }

    pub(super) fn angular_velocity(&self, scratch: &Scratch<G>, link: usize) -> Vector3<f64> {
        G::angular_to_vector(scratch.motions[link].angular)
    }

    pub(super) fn angular_bias(&self, scratch: &Scratch<G>, link: usize) -> Vector3<f64> {
        G::angular_to_vector(scratch.biases[link].angular)
    }

    /// `J̇ v` of a point.
    pub(super) fn point_bias(
        &self,
        scratch: &Scratch<G>,
        link: usize,
        point: &Vector3<f64>,
    ) -> Vector3<f64> {
        let arm = scratch.frames[link].arm_to(point);
        let motion = &scratch.motions[link];
        let centripetal = G::spin(motion.angular, motion.at(arm));
        G::linear_to_vector(scratch.biases[link].at(arm) + centripetal)
    }

    pub(super) fn pose(&self, scratch: &Scratch<G>, link: usize) -> Isometry3<f64> {
        let frame = &scratch.frames[link];
        let position = G::linear_to_vector(frame.origin + frame.arm);
        Isometry3::from_parts(Translation3::from(position), G::quaternion(&frame.rotation))
    }
}
