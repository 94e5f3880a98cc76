//! Operators behind a reference.

use nalgebra::{Matrix3, Vector3};

use super::Delassus;

/// A borrowed operator.
impl<D: Delassus> Delassus for &D {
    fn contact_count(&self) -> usize {
        (**self).contact_count()
    }

    fn diagonal(&self, contact: usize) -> Matrix3<f64> {
        (**self).diagonal(contact)
    }

    fn velocity(&self, contact: usize, impulses: &[Vector3<f64>], memory: &[f64]) -> Vector3<f64> {
        (**self).velocity(contact, impulses, memory)
    }

    fn neighbors(&self, contact: usize, visit: &mut dyn FnMut(usize)) {
        (**self).neighbors(contact, visit);
    }

    fn begin(&self, impulses: &[Vector3<f64>], memory: &mut Vec<f64>) {
        (**self).begin(impulses, memory);
    }

    fn update(&self, contact: usize, change: &Vector3<f64>, memory: &mut [f64]) {
        (**self).update(contact, change, memory);
    }

    fn each_block(&self, visit: &mut dyn FnMut(usize, usize, &Matrix3<f64>)) {
        (**self).each_block(visit);
    }

    fn compensated_velocities(
        &self,
        impulses: &[Vector3<f64>],
        free_velocity: &[Vector3<f64>],
    ) -> Vec<Vector3<f64>> {
        (**self).compensated_velocities(impulses, free_velocity)
    }
}
