//! Bodies with forces that their energy knows nothing of, or whose gyroscopic torque is taken explicitly: deliberately wrong.

use std::ops::Range;

use nalgebra::{DMatrix, Isometry3, Vector3};
use percussion_dynamics::{Dimension, System};

/// The bodies with the default [`System::smooth_velocity`], pushed along by `push` times their velocity (kg/s).
#[derive(Debug)]
pub(crate) struct Explicit<S> {
    pub(crate) bodies: S,
    pub(crate) push: f64,
}

impl<S: System> System for Explicit<S> {
    fn coordinate_count(&self) -> usize {
        self.bodies.coordinate_count()
    }

    fn velocity_count(&self) -> usize {
        self.bodies.velocity_count()
    }

    fn dimension(&self) -> Dimension {
        self.bodies.dimension()
    }

    fn body_count(&self) -> usize {
        self.bodies.body_count()
    }

    fn pose(&self, coordinates: &[f64], body: usize) -> Isometry3<f64> {
        self.bodies.pose(coordinates, body)
    }

    fn mass_matrix(&self, coordinates: &[f64], mass_matrix: &mut DMatrix<f64>) {
        self.bodies.mass_matrix(coordinates, mass_matrix);
    }

    fn apply_inverse_mass(&self, coordinates: &[f64], columns: &mut DMatrix<f64>) {
        self.bodies.apply_inverse_mass(coordinates, columns);
    }

    fn smooth_forces(&self, coordinates: &[f64], velocity: &[f64], time: f64, forces: &mut [f64]) {
        self.bodies.smooth_forces(coordinates, velocity, time, forces);
        forces.iter_mut().zip(velocity).for_each(|(f, v)| *f += self.push * v);
    }

    fn coordinate_rate(&self, coordinates: &[f64], velocity: &[f64], rate: &mut [f64]) {
        self.bodies.coordinate_rate(coordinates, velocity, rate);
    }

    fn retract(&self, coordinates: &[f64], tangent: &[f64], moved: &mut [f64]) {
        self.bodies.retract(coordinates, tangent, moved);
    }

    fn difference(&self, from: &[f64], to: &[f64], tangent: &mut [f64]) {
        self.bodies.difference(from, to, tangent);
    }

    fn tree_velocities(&self, body: usize) -> Range<usize> {
        self.bodies.tree_velocities(body)
    }

    fn tree_coordinates(&self, body: usize) -> Range<usize> {
        self.bodies.tree_coordinates(body)
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
        self.bodies.add_point_row(coordinates, body, point, direction, scale, row);
    }

    fn other_power(&self, coordinates: &[f64], velocity: &[f64], time: f64) -> f64 {
        self.bodies.other_power(coordinates, velocity, time)
    }

    fn potential_energy(&self, coordinates: &[f64]) -> f64 {
        self.bodies.potential_energy(coordinates)
    }

    fn kinetic_energy(&self, coordinates: &[f64], velocity: &[f64]) -> f64 {
        self.bodies.kinetic_energy(coordinates, velocity)
    }
}
