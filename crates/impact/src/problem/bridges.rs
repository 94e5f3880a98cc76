//! Problems from data that callers have: a stacked Jacobian, or bodies and the points where they touch.

use nalgebra::{DMatrix, DVector, Matrix3, Vector3};

use super::{Contact, Mass, Problem, ProblemError};

/// Friction and restitution between two surfaces.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Coefficients {
    /// Coulomb's coefficient of friction, finite and ≥ 0; default 0.
    pub friction: f64,
    /// Coefficient of restitution, in `[0, 1]`; its definition depends on the law. Default 0.
    pub restitution: f64,
}

/// A rigid body at the instant of an impact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body {
    /// Mass (kg), positive.
    pub mass: f64,
    /// Moments of inertia about the center of mass, along the axes of the world (kg·m²).
    pub inertia: Matrix3<f64>,
    /// Center of mass (m, world).
    pub center: Vector3<f64>,
    /// Velocity of the center of mass (m/s, world).
    pub velocity: Vector3<f64>,
    /// Angular velocity (rad/s, world).
    pub angular_velocity: Vector3<f64>,
}

/// A point where two bodies touch, or a body and the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Indices of body 1 and body 2; `None` is the world, which never moves.
    pub bodies: [Option<usize>; 2],
    /// The point (m, world).
    pub point: Vector3<f64>,
    /// Normal from body 2 to body 1 (world); it is scaled to a unit vector.
    pub normal: Vector3<f64>,
    /// Friction and restitution.
    pub coefficients: Coefficients,
}

impl Problem {
    /// Builds a problem from the stacked rows `J` (`r × n_v`) of all contacts, each with a normal and the
    /// same number of tangents (none, one in the plane, two in space), and from the rows `bilateral` `G`
    /// (`m_b × n_v`) of joints. Multibody programs provide these matrices.
    ///
    /// # Errors
    ///
    /// [`ProblemError::Size`] when `J` does not have one, two or three rows for each of the `coefficients`,
    /// and as [`with_joints`](Self::with_joints).
    ///
    /// # Example
    ///
    /// A rod of 3 kg and 1 m falls flat on two supports with `e = 1/2`.
    ///
    /// ```
    /// use nalgebra::{DMatrix, dmatrix, dvector};
    /// use percussion_impact::{Coefficients, Law, Mass, Problem, poisson::Poisson};
    ///
    /// let mass = Mass::Matrix(DMatrix::from_diagonal(&dvector![3.0, 3.0, 0.25]));
    /// let jacobian = dmatrix![
    ///     0.0, 1.0, -0.5; // normal and tangent of the left end
    ///     1.0, 0.0, 0.0;
    ///     0.0, 1.0, 0.5; // and of the right one
    ///     1.0, 0.0, 0.0
    /// ];
    /// let support = Coefficients { friction: 0.4, restitution: 0.5 };
    /// let joints = DMatrix::zeros(0, 3);
    /// let falling = dvector![0.0, -1.0, 0.0];
    /// let problem = Problem::from_jacobian(mass, falling, &jacobian, &[support; 2], joints)?;
    /// let after = Poisson::default().resolve(&problem)?.velocity;
    /// assert!((after - dvector![0.0, 0.5, 0.0]).amax() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_jacobian(
        mass: Mass,
        velocity: DVector<f64>,
        jacobian: &DMatrix<f64>,
        coefficients: &[Coefficients],
        bilateral: DMatrix<f64>,
    ) -> Result<Self, ProblemError> {
        let (rows, count) = (jacobian.nrows(), coefficients.len());
        let width = rows.checked_div(count).unwrap_or(0);
        if width * count != rows || (count > 0 && !(1..=3).contains(&width)) {
            let field = "contact Jacobian (rows)".to_string();
            return Err(ProblemError::Size {
                field,
                expected: width.clamp(1, 3) * count,
                found: rows,
            });
        }
        let row = |index: usize| jacobian.row(index).transpose();
        let contacts = coefficients.iter().enumerate().map(|(k, one)| Contact {
            normal: row(width * k),
            tangents: (width * k + 1..width * (k + 1)).map(row).collect(),
            friction: one.friction,
            restitution: one.restitution,
        });
        Self::with_joints(mass, velocity, contacts.collect(), bilateral)
    }

    /// Builds a problem from free rigid bodies and the points where they touch, for engines without equations
    /// of motion.
    ///
    /// The velocity has six entries for each body, in their order: the velocity of the center of mass, then
    /// the angular velocity, both in the world frame. The first tangent of a touch is the normalized `n × e`,
    /// where `e` is the axis with the smallest component of the normal `n` (the first in case of a tie); the
    /// second is `n ×` the first.
    ///
    /// # Errors
    ///
    /// [`ProblemError::Entry`] when a normal has no direction or a touch contains the index of a body that
    /// does not exist, and as [`new`](Self::new).
    ///
    /// # Example
    ///
    /// A ball of 2 kg falls at 3 m/s on the ground and bounces with `e = 1/2`.
    ///
    /// ```
    /// use nalgebra::{Matrix3, Vector3};
    /// use percussion_impact::{Body, Coefficients, Law, Problem, Touch, newton::Newton};
    ///
    /// let ball = Body {
    ///     mass: 2.0,
    ///     inertia: Matrix3::identity(),
    ///     center: Vector3::z(),
    ///     velocity: Vector3::new(0.0, 0.0, -3.0),
    ///     angular_velocity: Vector3::zeros(),
    /// };
    /// let ground = Touch {
    ///     bodies: [Some(0), None],
    ///     point: Vector3::zeros(),
    ///     normal: Vector3::z(),
    ///     coefficients: Coefficients { friction: 0.3, restitution: 0.5 },
    /// };
    /// let outcome = Newton::default().resolve(&Problem::from_bodies(&[ball], &[ground])?)?;
    /// assert!((outcome.velocity[2] - 1.5).abs() < 1e-14);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_bodies(bodies: &[Body], touches: &[Touch]) -> Result<Self, ProblemError> {
        let size = 6 * bodies.len();
        let (mut mass, mut velocity) = (DMatrix::zeros(size, size), DVector::zeros(size));
        for (index, body) in bodies.iter().enumerate() {
            let at = 6 * index;
            mass.view_mut((at, at), (3, 3)).fill_diagonal(body.mass);
            mass.view_mut((at + 3, at + 3), (3, 3)).copy_from(&body.inertia);
            velocity.fixed_rows_mut::<3>(at).copy_from(&body.velocity);
            velocity.fixed_rows_mut::<3>(at + 3).copy_from(&body.angular_velocity);
        }
        let mut jacobian = DMatrix::zeros(3 * touches.len(), size);
        for (k, touch) in touches.iter().enumerate() {
            for (row, direction) in frame(k, touch)?.iter().enumerate() {
                for (owner, sign) in touch.bodies.iter().zip([1.0, -1.0]) {
                    let Some(index) = *owner else { continue };
                    let Some(body) = bodies.get(index) else {
                        let field = format!("touches[{k}].bodies");
                        let expected = "the index of a body";
                        return Err(ProblemError::entry(field, index as f64, expected));
                    };
                    let turn = (touch.point - body.center).cross(direction);
                    let mut row = jacobian.row_mut(3 * k + row);
                    for axis in 0..3 {
                        row[6 * index + axis] += sign * direction[axis];
                        row[6 * index + 3 + axis] += sign * turn[axis];
                    }
                }
            }
        }
        let coefficients: Vec<_> = touches.iter().map(|touch| touch.coefficients).collect();
        let joints = DMatrix::zeros(0, size);
        Self::from_jacobian(Mass::Matrix(mass), velocity, &jacobian, &coefficients, joints)
    }
}

/// Normal and tangents of touch `k`.
fn frame(k: usize, touch: &Touch) -> Result<[Vector3<f64>; 3], ProblemError> {
    // Divided by the largest entry first, so that no square overflows or vanishes.
    let largest = touch.normal.amax();
    let normal = (touch.normal / largest).try_normalize(0.0);
    let Some(normal) = normal.filter(|normal| normal.iter().all(|entry| entry.is_finite())) else {
        let field = format!("touches[{k}].normal (largest entry)");
        return Err(ProblemError::entry(field, largest, "a vector with a direction"));
    };
    let across = Vector3::ith(normal.abs().imin(), 1.0);
    let tangent = normal.cross(&across).normalize();
    Ok([normal, tangent, normal.cross(&tangent)])
}

#[cfg(test)]
mod tests {
    use nalgebra::{dmatrix, dvector};

    use super::*;

    fn body(center: Vector3<f64>) -> Body {
        let (inertia, angular_velocity) = (Matrix3::identity() * 0.5, Vector3::new(0.3, -0.2, 0.7));
        Body {
            mass: 2.0,
            inertia,
            center,
            velocity: Vector3::new(1.0, 2.0, -3.0),
            angular_velocity,
        }
    }

    fn touch(bodies: [Option<usize>; 2], normal: Vector3<f64>) -> Touch {
        let coefficients = Coefficients { friction: 0.25, restitution: 0.5 };
        Touch { bodies, point: Vector3::new(0.4, 0.1, 0.2), normal, coefficients }
    }

    /// `u = v + ω × r` of body 1 minus that of body 2, along three directions that are at right angles.
    #[test]
    fn contact_velocities_are_those_of_the_points() {
        let slower = Body { velocity: Vector3::new(0.5, -1.0, 1.5), ..body(Vector3::zeros()) };
        let bodies = [slower, body(Vector3::new(1.0, -0.5, 0.3))];
        let normal = Vector3::new(1.0, 2.0, -2.0);
        let at = touch([Some(1), Some(0)], normal);
        let problem = Problem::from_bodies(&bodies, &[at]).unwrap();
        let of =
            |body: &Body| body.velocity + body.angular_velocity.cross(&(at.point - body.center));
        let relative = of(&bodies[1]) - of(&bodies[0]);
        let found = problem.contact_velocity(problem.velocity());
        assert!((found[0] - relative.dot(&normal) / 3.0).abs() < 1e-15);
        assert!((found.norm() - relative.norm()).abs() < 1e-15);
        assert_eq!(
            (problem.contacts()[0].friction, problem.contacts()[0].restitution),
            (0.25, 0.5)
        );
        // The other way round the normal is, too.
        let turned = Problem::from_bodies(&bodies, &[touch([Some(0), Some(1)], -normal)]).unwrap();
        assert!((turned.free_contact_velocity()[0] - found[0]).abs() < 1e-15);
        // Both at once.
        let both = Problem::from_bodies(&bodies, &[at, touch([Some(0), Some(1)], -normal)]);
        let speeds = both.unwrap().free_contact_velocity();
        assert!((speeds[0] - found[0]).abs() < 1e-15 && (speeds[3] - found[0]).abs() < 1e-15);
    }

    #[test]
    fn normals_of_any_length_have_a_direction() {
        let bodies = [body(Vector3::z())];
        let plain = Problem::from_bodies(&bodies, &[touch([Some(0), None], Vector3::z())]).unwrap();
        for length in [1e-300, 1e-3, 1e300] {
            let normal = length * Vector3::z();
            let scaled = Problem::from_bodies(&bodies, &[touch([Some(0), None], normal)]).unwrap();
            assert_eq!(scaled.contact_jacobian(), plain.contact_jacobian(), "{length:e}");
        }
        for entry in [0.0, f64::NAN, f64::INFINITY] {
            let normal = Vector3::new(0.0, entry, 0.0);
            let refused = Problem::from_bodies(&bodies, &[touch([Some(0), None], normal)]);
            let message = refused.unwrap_err().to_string();
            assert!(message.starts_with("touches[0].normal"), "{message}");
        }
        let refused = Problem::from_bodies(&bodies, &[touch([Some(1), None], Vector3::z())]);
        assert_eq!(
            refused.unwrap_err().to_string(),
            "touches[0].bodies is 1, expected the index of a body"
        );
    }

    #[test]
    fn a_jacobian_is_divided_evenly_among_the_contacts() {
        let of = |rows: usize, contacts: usize| {
            let jacobian = DMatrix::repeat(rows, 1, 1.0);
            let coefficients = vec![Coefficients::default(); contacts];
            let (mass, joints) = (Mass::Matrix(dmatrix![1.0]), DMatrix::zeros(0, 1));
            Problem::from_jacobian(mass, dvector![-1.0], &jacobian, &coefficients, joints)
        };
        for (rows, contacts, tangents) in [(2, 2, 0), (4, 2, 1), (6, 2, 2), (3, 3, 0)] {
            let problem = of(rows, contacts).unwrap();
            assert!(problem.contacts().iter().all(|contact| contact.tangents.len() == tangents));
        }
        assert_eq!(of(0, 0).unwrap().contacts().len(), 0);
        for (rows, contacts, even) in
            [(1, 0, 0), (0, 1, 1), (3, 2, 2), (8, 2, 6), (1, 2, 2), (7, 3, 6)]
        {
            let refused = of(rows, contacts).unwrap_err();
            let field = "contact Jacobian (rows)".to_string();
            assert_eq!(refused, ProblemError::Size { field, expected: even, found: rows });
        }
    }
}
