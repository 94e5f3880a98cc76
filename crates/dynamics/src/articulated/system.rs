//! The implementation of [`System`] for [`Articulated`].

use std::ops::Range;

use nalgebra::{DMatrix, Isometry3, Vector3};

use super::{
    Articulated, SMALLEST_PIVOT,
    assembly::{self, QUATERNION_TOLERANCE},
    mass_matrix::Part,
};
use crate::{
    AddedMass, Near, rotation, same_bits,
    system::motion::BodyVelocity,
    system::{CoordinateError, Dimension, System, apply_dense_inverse_sum, check_finite},
};

impl System for Articulated {
    fn coordinate_count(&self) -> usize {
        self.coordinates.last().map_or(0, |range| range.end)
    }

    fn velocity_count(&self) -> usize {
        self.velocities.last().map_or(0, |range| range.end)
    }

    /// Also refuses coordinates where the mass matrix is singular.
    fn check_coordinates(&self, coordinates: &[f64]) -> Result<(), CoordinateError> {
        check_finite(coordinates, self.coordinate_count())?;
        for part in &self.parts {
            let assembly::Part::Rotation { q, body, .. } = *part else { continue };
            let norm = quaternion(coordinates, q).iter().map(|c| c * c).sum::<f64>().sqrt();
            if (norm - 1.0).abs() > QUATERNION_TOLERANCE {
                return Err(CoordinateError::QuaternionNorm { body, norm });
            }
        }
        match self.at(coordinates).singular_velocity(SMALLEST_PIVOT) {
            Some((velocity, fraction)) => {
                let body = self.velocities.iter().position(|range| range.contains(&velocity));
                let body = body.unwrap_or_default();
                Err(CoordinateError::SingularMass { velocity, body, fraction })
            }
            None => Ok(()),
        }
    }

    fn dimension(&self) -> Dimension {
        self.dimension
    }

    fn body_count(&self) -> usize {
        self.links.len()
    }

    fn pose(&self, coordinates: &[f64], body: usize) -> Isometry3<f64> {
        self.at(coordinates).kept_pose(body)
    }

    fn poses(&self, coordinates: &[f64], poses: &mut Vec<Isometry3<f64>>) {
        let mut kinematics = self.at(coordinates);
        poses.clear();
        poses.extend((0..self.links.len()).map(|body| kinematics.kept_pose(body)));
    }

    fn mass_matrix(&self, coordinates: &[f64], mass_matrix: &mut DMatrix<f64>) {
        let shape = self.at(coordinates).mass_matrix(mass_matrix);
        debug_assert!(shape.is_ok(), "{shape:?}");
    }

    fn apply_inverse_mass(&self, coordinates: &[f64], columns: &mut DMatrix<f64>) {
        let shape = self.at(coordinates).apply_inverse_mass(columns);
        debug_assert!(shape.is_ok(), "{shape:?}");
    }

    fn apply_inverse_sum(
        &self,
        coordinates: &[f64],
        added: &AddedMass,
        columns: &mut DMatrix<f64>,
    ) {
        if !self.at(coordinates).divide_by_sum(Some(added), columns, Part::Inverse) {
            apply_dense_inverse_sum(self, coordinates, added, columns);
        }
    }

    fn whiten(
        &self,
        coordinates: &[f64],
        added: Option<&AddedMass>,
        columns: &mut DMatrix<f64>,
    ) -> bool {
        self.at(coordinates).divide_by_sum(added, columns, Part::Whitening)
    }

    /// The dampers and springs of the joints.
    fn add_linear_forces(&self, factors: [f64; 2], sum: &mut DMatrix<f64>) {
        self.joint_forces.add_linear(factors, sum);
    }

    fn smooth_forces(&self, coordinates: &[f64], velocity: &[f64], _time: f64, forces: &mut [f64]) {
        let mut kinematics = self.at(coordinates);
        kinematics.run(velocity);
        let shape = kinematics.bias(forces);
        debug_assert!(shape.is_ok(), "{shape:?}");
        forces.iter_mut().for_each(|force| *force = -*force);
        self.joint_forces.add(coordinates, velocity, forces);
    }

    fn inverse_dynamics(
        &self,
        coordinates: &[f64],
        velocity: &[f64],
        acceleration: &[f64],
        time: f64,
        forces: &mut [f64],
    ) {
        let bodies = Near { coordinates, velocity };
        self.inverse_dynamics_near(bodies, coordinates, velocity, acceleration, time, forces);
    }

    fn inverse_dynamics_near(
        &self,
        bodies: Near<'_>,
        coordinates: &[f64],
        velocity: &[f64],
        acceleration: &[f64],
        _time: f64,
        forces: &mut [f64],
    ) {
        let mut kinematics = self.at(bodies.coordinates);
        kinematics.run(bodies.velocity);
        let shape = kinematics.inverse_dynamics(acceleration, forces);
        debug_assert!(shape.is_ok(), "{shape:?}");
        // What is added is the force of the joints, of which less is needed.
        forces.iter_mut().for_each(|force| *force = -*force);
        self.joint_forces.add(coordinates, velocity, forces);
        forces.iter_mut().for_each(|force| *force = -*force);
    }

    fn coordinate_rate(&self, coordinates: &[f64], velocity: &[f64], rate: &mut [f64]) {
        for part in &self.parts {
            match *part {
                assembly::Part::Scalar { q, v } => rate[q] = velocity[v],
                assembly::Part::Rotation { q, v, .. } => {
                    let matrix = rotation::rate_matrix(&quaternion(coordinates, q));
                    let of_quaternion = matrix * angular(velocity, v);
                    rate[q..q + 4].copy_from_slice(of_quaternion.as_slice());
                }
            }
        }
    }

    fn retract(&self, coordinates: &[f64], tangent: &[f64], moved: &mut [f64]) {
        for part in &self.parts {
            match *part {
                assembly::Part::Scalar { q, v } => moved[q] = coordinates[q] + tangent[v],
                assembly::Part::Rotation { q, v, .. } => {
                    let (from, turn) = (quaternion(coordinates, q), angular(tangent, v));
                    moved[q..q + 4].copy_from_slice(&self.rotation_update.apply(&from, &turn));
                }
            }
        }
    }

    fn difference(&self, from: &[f64], to: &[f64], tangent: &mut [f64]) {
        for part in &self.parts {
            match *part {
                assembly::Part::Scalar { q, v } => tangent[v] = to[q] - from[q],
                assembly::Part::Rotation { q, v, .. } => {
                    let (from, to) = (quaternion(from, q), quaternion(to, q));
                    let turn = self.rotation_update.difference(&from, &to);
                    tangent[v..v + 3].copy_from_slice(turn.as_slice());
                }
            }
        }
    }

    fn tree_velocities(&self, body: usize) -> Range<usize> {
        self.trees[body].clone()
    }

    fn tree_coordinates(&self, body: usize) -> Range<usize> {
        self.coordinate_trees[body].clone()
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
        self.at(coordinates).point_row(body, point, &(scale * direction), row);
    }

    fn add_point_rows(
        &self,
        coordinates: &[f64],
        body: usize,
        point: &Vector3<f64>,
        directions: &[Vector3<f64>],
        scale: f64,
        rows: &mut [f64],
    ) {
        let kinematics = self.at(coordinates);
        let width = self.velocity_count();
        for (directions, rows) in directions.chunks(3).zip(rows.chunks_mut((3 * width).max(1))) {
            kinematics.point_rows((body, point), (directions, scale), rows);
        }
    }

    fn body_velocity(&self, coordinates: &[f64], velocity: &[f64], body: usize) -> BodyVelocity {
        let mut kinematics = self.at(coordinates);
        kinematics.run(velocity);
        let origin = kinematics.pose(body).translation.vector;
        BodyVelocity {
            linear: kinematics.point_velocity(body, &origin),
            angular: kinematics.angular_velocity(body),
        }
    }

    fn point_bias(
        &self,
        coordinates: &[f64],
        velocity: &[f64],
        body: usize,
        point: &Vector3<f64>,
    ) -> Vector3<f64> {
        let mut kinematics = self.at(coordinates);
        kinematics.run(velocity);
        kinematics.point_bias(body, point)
    }

    /// The potential energy covers gravity, springs and constant efforts, except efforts on rotations in space.
    fn other_power(&self, _coordinates: &[f64], velocity: &[f64], _time: f64) -> f64 {
        self.joint_forces.other_power(velocity)
    }

    fn potential_energy(&self, coordinates: &[f64]) -> f64 {
        let mut kinematics = self.at(coordinates);
        kinematics.weigh();
        kinematics.gravity_energy() + self.joint_forces.potential_energy(coordinates)
    }

    fn kinetic_energy(&self, coordinates: &[f64], velocity: &[f64]) -> f64 {
        self.at(coordinates).kinetic_energy_at(velocity)
    }

    /// Both at `place`, and from there the potential energy of gravity to first order.
    fn energies_near(&self, place: &[f64], coordinates: &[f64], velocity: &[f64]) -> [f64; 2] {
        let mut kinematics = self.at(place);
        let kinetic = kinematics.kinetic_energy_at(velocity);
        kinematics.weigh();
        let mut gravity = kinematics.gravity_energy();
        if !same_bits(place, coordinates) {
            let mut way = vec![0.0; velocity.len()];
            self.difference(place, coordinates, &mut way);
            gravity += kinematics.weights().iter().zip(&way).map(|(w, way)| w * way).sum::<f64>();
        }
        [kinetic, gravity + self.joint_forces.potential_energy(coordinates)]
    }
}

fn quaternion(coordinates: &[f64], first: usize) -> [f64; 4] {
    [0, 1, 2, 3].map(|k| coordinates[first + k])
}

fn angular(velocity: &[f64], first: usize) -> Vector3<f64> {
    Vector3::from_column_slice(&velocity[first..first + 3])
}
