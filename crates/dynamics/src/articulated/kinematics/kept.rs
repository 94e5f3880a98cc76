//! What is computed again only where coordinates or velocities differ from those before.

use std::ops::Range;

use nalgebra::Isometry3;

use super::{Kinematics, State};
use crate::{bits::same_bits, vectors::vectorized};

impl Kinematics {
    /// Whether the frames are those at these coordinates.
    pub(in super::super) fn is_at(&self, coordinates: &[f64]) -> bool {
        self.is_placed && same_bits(coordinates, &self.coordinates)
    }

    /// Computes the frames at `coordinates`, without the [inertias](Self::weigh), of groups that are elsewhere.
    pub(in super::super) fn place(&mut self, coordinates: &[f64]) {
        if self.is_at(coordinates) {
            return;
        }
        let was_placed = std::mem::replace(&mut self.is_placed, false);
        self.is_run = false;
        let Self { state, coordinates: before, poses, .. } = self;
        with_vectors!(state, |tree, scratch| {
            for (number, group) in tree.groups.iter().enumerate() {
                let own = group.coordinates.clone();
                if !(was_placed && same_bits(&coordinates[own.clone()], &before[own.clone()])) {
                    poses[group.links.clone()].fill(None);
                    before[own.clone()].copy_from_slice(&coordinates[own]);
                    tree.place(scratch, number, coordinates);
                }
            }
        });
        self.is_placed = true;
    }

    /// Number of coordinates of groups whose frames stay when it is moved to these.
    pub(in super::super) fn kept(&self, coordinates: &[f64]) -> usize {
        let is_kept = |own: &Range<usize>| {
            self.is_placed && same_bits(&coordinates[own.clone()], &self.coordinates[own.clone()])
        };
        with!(&self.state, |tree, _scratch| {
            let groups = tree.groups.iter().map(|group| group.coordinates.clone());
            groups.filter(is_kept).map(|own| own.len()).sum()
        })
    }

    /// Computes the inertias of the links, for the methods that only read them; does nothing if they are up to date.
    pub(in super::super) fn weigh(&mut self) {
        with_vectors!(&mut self.state, |tree, scratch| tree.weigh(scratch));
    }

    /// Computes the motions at `velocity`; does nothing if they are up to date.
    pub(in super::super) fn run(&mut self, velocity: &[f64]) {
        if self.is_run && same_bits(velocity, &self.velocity) {
            return;
        }
        self.is_run = false;
        self.velocity.copy_from_slice(velocity);
        with_vectors!(&mut self.state, |tree, scratch| tree.run(scratch, velocity));
        self.is_run = true;
    }

    /// The [pose](Self::pose) of `link`, which is computed once.
    pub(in super::super) fn kept_pose(&mut self, link: usize) -> Isometry3<f64> {
        if let Some(pose) = self.poses[link] {
            return pose;
        }
        let pose = self.pose(link);
        self.poses[link] = Some(pose);
        pose
    }

    /// Kinetic energy (J) at `velocity`, which need not be that of the last [`run`](Self::run).
    pub(in super::super) fn kinetic_energy_at(&mut self, velocity: &[f64]) -> f64 {
        if self.is_run && same_bits(velocity, &self.velocity) {
            self.weigh();
            return self.kinetic_energy();
        }
        with_vectors!(&mut self.state, |tree, scratch| tree.kinetic_energy_with(scratch, velocity))
    }

    /// The forces that hold the links at rest where they are (length `n_v`; N, N·m): the derivatives of
    /// [`gravity_energy`](Self::gravity_energy).
    pub(in super::super) fn weights(&mut self) -> Vec<f64> {
        let rest = vec![0.0; self.velocity.len()];
        self.run(&rest);
        let mut weights = rest.clone();
        with_vectors!(&mut self.state, |tree, scratch| tree.inverse_dynamics(
            scratch,
            &rest,
            &mut weights
        ));
        weights
    }
}
