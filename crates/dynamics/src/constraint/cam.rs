//! A joint that follows another one along a polynomial, as a cam makes it: [`Cam`].

use nalgebra::DMatrix;

use super::{Coupling, EqualityConstraint, Error, Term};
use crate::{articulated::Articulated, system::System};

/// A polynomial equation between the coordinates of two joints, one row.
///
/// ```math
/// \varphi = q_a - \sum_{k=0}^{4} c_k\, q_b^k, \qquad \dot\varphi = v_a - p'(q_b)\, v_b, \qquad
/// \gamma = -p''(q_b)\, v_b^2
/// ```
///
/// with the polynomial `p` of the sum. The constraint is without loss, as a [`Coupling`] is.
///
/// # Example
///
/// A valve of 2 kg (displacement `s`) rises by `s = 0.01 θ²` over a cam (angle `θ`): at `θ = 0.5` and 4 rad/s it moves
/// with `0.02 · 0.5 · 4 = 0.04 m/s`.
///
/// ```
/// use nalgebra::{DMatrix, Vector3};
/// use percussion_dynamics::{
///     Articulated, Joint, Link, MassProperties,
///     constraint::{Cam, EqualityConstraint},
/// };
///
/// let valve = Link::new("valve", Joint::prismatic(Vector3::z())).with_mass(MassProperties::point(2.0)?);
/// let shaft = Link::new("shaft", Joint::revolute(Vector3::x()))
///     .with_mass(MassProperties::solid_sphere(1.0, 0.1)?);
/// let system = Articulated::new(vec![valve, shaft], Vector3::zeros())?;
///
/// let cam = Cam::of_joints(&system, "valve", "shaft", [0.0, 0.0, 0.01, 0.0, 0.0])?;
/// let (mut value, mut jacobian) = ([0.0], DMatrix::zeros(1, 2));
/// cam.evaluate(&system, &[0.0025, 0.5], &mut value, &mut jacobian, 0);
/// assert!(value[0].abs() < 1e-16);
/// assert!((jacobian[(0, 0)] * 0.04 + jacobian[(0, 1)] * 4.0).abs() < 1e-16);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Cam {
    /// The two coordinates with factors 1; checks that they exist.
    joints: Coupling,
    polynomial: [f64; 5],
}

impl Cam {
    /// The equation `follower = c_0 + c_1 leader + … + c_4 leader⁴` between joints with one coordinate, each by the name
    /// of the link that it carries. The factors `polynomial` have the units of the follower by powers of that of the
    /// leader (m, rad).
    ///
    /// # Errors
    ///
    /// [`Error::NotScalar`] for a link that does not exist or whose joint does not have exactly one coordinate; [`Error::RepeatedTerm`]
    /// for one joint twice; [`Error::Factor`] for a factor that is not finite.
    pub fn of_joints(
        system: &Articulated,
        follower: &str,
        leader: &str,
        polynomial: [f64; 5],
    ) -> Result<Self, Error> {
        if let Some(&value) = polynomial.iter().find(|factor| !factor.is_finite()) {
            return Err(Error::Factor { field: "factor", value });
        }
        let joints = Coupling::of_joints(system, &[(follower, 1.0), (leader, 1.0)], 0.0)?;
        Ok(Self { joints, polynomial })
    }

    /// The factors by increasing powers.
    #[must_use]
    pub fn polynomial(&self) -> [f64; 5] {
        self.polynomial
    }

    fn ends(&self) -> [Term; 2] {
        [self.joints.terms()[0], self.joints.terms()[1]]
    }

    /// Value, slope and second derivative of the polynomial at `x`, by Horner's rule.
    fn at(&self, x: f64) -> [f64; 3] {
        let (mut value, mut slope, mut curvature) = (0.0, 0.0, 0.0);
        for factor in self.polynomial.iter().rev() {
            curvature = curvature * x + 2.0 * slope;
            slope = slope * x + value;
            value = value * x + factor;
        }
        [value, slope, curvature]
    }
}

impl EqualityConstraint for Cam {
    fn row_count(&self, _system: &dyn System) -> usize {
        1
    }

    fn evaluate(
        &self,
        _system: &dyn System,
        coordinates: &[f64],
        value: &mut [f64],
        jacobian: &mut DMatrix<f64>,
        first_row: usize,
    ) {
        let [follower, leader] = self.ends();
        let [place, slope, _] = self.at(coordinates[leader.coordinate]);
        jacobian.row_mut(first_row).fill(0.0);
        jacobian[(first_row, follower.velocity)] = 1.0;
        jacobian[(first_row, leader.velocity)] = -slope;
        value[0] = coordinates[follower.coordinate] - place;
    }

    fn bias(&self, _system: &dyn System, coordinates: &[f64], velocity: &[f64], bias: &mut [f64]) {
        let [_, leader] = self.ends();
        let [_, _, curvature] = self.at(coordinates[leader.coordinate]);
        bias[0] = -curvature * velocity[leader.velocity].powi(2);
    }

    fn check(&self, system: &dyn System) -> Result<(), Error> {
        self.joints.check(system)
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::*;
    use crate::{Joint, Link, MassProperties};

    fn valve() -> (Articulated, Cam) {
        let slide = Link::new("valve", Joint::prismatic(Vector3::z()))
            .with_mass(MassProperties::point(2.0).unwrap());
        let shaft = Link::new("shaft", Joint::revolute(Vector3::x()))
            .with_mass(MassProperties::solid_sphere(1.0, 0.1).unwrap());
        let system = Articulated::new(vec![slide, shaft], Vector3::zeros()).unwrap();
        let cam = Cam::of_joints(&system, "valve", "shaft", [0.3, -0.7, 0.5, 0.2, -0.1]).unwrap();
        (system, cam)
    }

    /// Rows and bias beside central differences of the value, whose error is `O(h²)` and `O(eps / h²)`.
    #[test]
    fn rows_and_bias_are_the_rates_of_the_value() {
        let (system, cam) = valve();
        let (q, v, h) = ([0.4, 0.9], [0.3, -1.7], 1e-4);
        let value = |time: f64| {
            let (mut value, mut rows) = ([0.0], DMatrix::zeros(1, 2));
            let moved = [q[0] + time * v[0], q[1] + time * v[1]];
            cam.evaluate(&system, &moved, &mut value, &mut rows, 0);
            (value[0], rows)
        };
        let (now, rows) = value(0.0);
        let rate = (value(h).0 - value(-h).0) / (2.0 * h);
        let second = (value(h).0 - 2.0 * now + value(-h).0) / (h * h);
        assert!((rows[(0, 0)] * v[0] + rows[(0, 1)] * v[1] - rate).abs() < 1e-7, "{rate}");
        let mut bias = [0.0];
        cam.bias(&system, &q, &v, &mut bias);
        assert!((bias[0] - second).abs() < 1e-6, "{bias:?} {second}");
    }

    #[test]
    fn cams_that_mean_nothing_are_refused() {
        let (system, _) = valve();
        let twice = Cam::of_joints(&system, "valve", "valve", [0.0; 5]).unwrap_err();
        assert_eq!(twice, Error::RepeatedTerm { velocity: 0 });
        let mut endless = [0.0; 5];
        endless[3] = f64::INFINITY;
        let refused = Cam::of_joints(&system, "valve", "shaft", endless).unwrap_err();
        assert_eq!(refused, Error::Factor { field: "factor", value: f64::INFINITY });
        let unknown = Cam::of_joints(&system, "belt", "shaft", [0.0; 5]).unwrap_err();
        assert_eq!(unknown, Error::NotScalar { term: 0 });
    }
}
