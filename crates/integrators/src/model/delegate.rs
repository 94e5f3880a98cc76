//! The methods that a system around another one hands on: `delegate_system`.

/// The methods of [`System`](percussion_dynamics::System) that do not depend on forces, handed on to the field `system`, and inverse
/// dynamics by those near a state.
macro_rules! delegate_system {
    () => {
        fn coordinate_count(&self) -> usize {
            self.system.coordinate_count()
        }

        fn velocity_count(&self) -> usize {
            self.system.velocity_count()
        }

        fn check_coordinates(
            &self,
            coordinates: &[f64],
        ) -> Result<(), percussion_dynamics::CoordinateError> {
            self.system.check_coordinates(coordinates)
        }

        fn dimension(&self) -> percussion_dynamics::Dimension {
            self.system.dimension()
        }

        fn body_count(&self) -> usize {
            self.system.body_count()
        }

        fn pose(&self, coordinates: &[f64], body: usize) -> nalgebra::Isometry3<f64> {
            self.system.pose(coordinates, body)
        }

        fn poses(&self, coordinates: &[f64], poses: &mut Vec<nalgebra::Isometry3<f64>>) {
            self.system.poses(coordinates, poses);
        }

        fn mass_matrix(&self, coordinates: &[f64], mass_matrix: &mut DMatrix<f64>) {
            self.system.mass_matrix(coordinates, mass_matrix);
        }

        fn add_linear_forces(&self, factors: [f64; 2], sum: &mut DMatrix<f64>) {
            self.system.add_linear_forces(factors, sum);
        }

        fn retract_keeps_kinetic_energy(&self) -> bool {
            self.system.retract_keeps_kinetic_energy()
        }

        fn coordinate_rate(&self, coordinates: &[f64], velocity: &[f64], rate: &mut [f64]) {
            self.system.coordinate_rate(coordinates, velocity, rate);
        }

        fn retract(&self, coordinates: &[f64], tangent: &[f64], moved: &mut [f64]) {
            self.system.retract(coordinates, tangent, moved);
        }

        fn difference(&self, from: &[f64], to: &[f64], tangent: &mut [f64]) {
            self.system.difference(from, to, tangent);
        }

        fn add_point_row(
            &self,
            coordinates: &[f64],
            body: usize,
            point: &nalgebra::Vector3<f64>,
            direction: &nalgebra::Vector3<f64>,
            scale: f64,
            row: &mut [f64],
        ) {
            self.system.add_point_row(coordinates, body, point, direction, scale, row);
        }

        fn add_point_rows(
            &self,
            coordinates: &[f64],
            body: usize,
            point: &nalgebra::Vector3<f64>,
            directions: &[nalgebra::Vector3<f64>],
            scale: f64,
            rows: &mut [f64],
        ) {
            self.system.add_point_rows(coordinates, body, point, directions, scale, rows);
        }

        fn body_velocity(
            &self,
            coordinates: &[f64],
            velocity: &[f64],
            body: usize,
        ) -> percussion_dynamics::motion::BodyVelocity {
            self.system.body_velocity(coordinates, velocity, body)
        }

        fn point_bias(
            &self,
            coordinates: &[f64],
            velocity: &[f64],
            body: usize,
            point: &nalgebra::Vector3<f64>,
        ) -> nalgebra::Vector3<f64> {
            self.system.point_bias(coordinates, velocity, body, point)
        }

        fn potential_energy(&self, coordinates: &[f64]) -> f64 {
            self.system.potential_energy(coordinates)
        }

        fn kinetic_energy(&self, coordinates: &[f64], velocity: &[f64]) -> f64 {
            self.system.kinetic_energy(coordinates, velocity)
        }

        fn inverse_dynamics(
            &self,
            coordinates: &[f64],
            velocity: &[f64],
            acceleration: &[f64],
            time: f64,
            forces: &mut [f64],
        ) {
            let bodies = percussion_dynamics::Near { coordinates, velocity };
            self.inverse_dynamics_near(bodies, coordinates, velocity, acceleration, time, forces);
        }

        fn energies_near(&self, place: &[f64], coordinates: &[f64], velocity: &[f64]) -> [f64; 2] {
            self.system.energies_near(place, coordinates, velocity)
        }

        fn energy(&self, coordinates: &[f64], velocity: &[f64]) -> f64 {
            self.system.energy(coordinates, velocity)
        }
    };
}

pub(super) use delegate_system;
