//! Free bodies whose gyroscopic torque is taken explicitly: deliberately wrong.

use std::ops::Range;

use nalgebra::{DMatrix, Isometry3, Vector3};
use percussion_dynamics::{Dimension, FreeBodies, System};

use crate::scenes::Scene;

/// The bodies with the default [`System::smooth_velocity`].
#[derive(Debug)]
pub(crate) struct Explicit(FreeBodies);

impl Explicit {
    pub(crate) fn boxed(scene: &Scene) -> Box<dyn System> {
        Box::new(Self(scene.system()))
    }
}

impl System for Explicit {
    fn coordinate_count(&self) -> usize {
        self.0.coordinate_count()
    }

    fn velocity_count(&self) -> usize {
        self.0.velocity_count()
    }

    fn dimension(&self) -> Dimension {
        self.0.dimension()
    }

    fn body_count(&self) -> usize {
        self.0.body_count()
    }

    fn pose(&self, coordinates: &[f64], body: usize) -> Isometry3<f64> {
        self.0.pose(coordinates, body)
    }

    fn mass_matrix(&self, coordinates: &[f64], mass_matrix: &mut DMatrix<f64>) {
        self.0.mass_matrix(coordinates, mass_matrix);
    }

    fn apply_inverse_mass(&self, coordinates: &[f64], columns: &mut DMatrix<f64>) {
        self.0.apply_inverse_mass(coordinates, columns);
    }

    fn smooth_forces(&self, coordinates: &[f64], velocity: &[f64], time: f64, forces: &mut [f64]) {
        self.0.smooth_forces(coordinates, velocity, time, forces);
    }

    fn coordinate_rate(&self, coordinates: &[f64], velocity: &[f64], rate: &mut [f64]) {
        self.0.coordinate_rate(coordinates, velocity, rate);
    }

    fn retract(&self, coordinates: &[f64], tangent: &[f64], moved: &mut [f64]) {
        self.0.retract(coordinates, tangent, moved);
    }

    fn difference(&self, from: &[f64], to: &[f64], tangent: &mut [f64]) {
        self.0.difference(from, to, tangent);
    }

    fn tree_velocities(&self, body: usize) -> Range<usize> {
        self.0.tree_velocities(body)
    }

    fn add_point_row(
        &self,
        coordinates: &[f64],
        body: usize,
        point: &Vector3<f64>,
        direction: &Vector3<f64>,
        scale: f64,
        row: &mut [f64],
    ) {
        self.0.add_point_row(coordinates, body, point, direction, scale, row);
    }

    fn other_power(&self, coordinates: &[f64], velocity: &[f64], time: f64) -> f64 {
        self.0.other_power(coordinates, velocity, time)
    }

    fn potential_energy(&self, coordinates: &[f64]) -> f64 {
        self.0.potential_energy(coordinates)
    }

    fn kinetic_energy(&self, coordinates: &[f64], velocity: &[f64]) -> f64 {
        self.0.kinetic_energy(coordinates, velocity)
    }
}
