//! Limits that are not of one coordinate: of sums of coordinates, [`SumLimit`], and of rotations in space,
//! [`TurnLimit`].

use super::joint_forces::LimitSide;
use crate::{
    anchor::AnchorError,
    gap::{self, ContactRows, GapFunction},
    system::System,
};

/// One limit of a sum `ℓ = d + Σ c_k q_k` of coordinates whose rates are velocities, such as the length of a tendon over
/// pulleys, as a [`GapFunction`] without tangents. The gap is the distance to the stop, in the unit of the sum.
///
/// # Example
///
/// A tendon of 0.3 m over a drum of 5 cm, and on a slide, is at most 0.4 m long.
///
/// ```
/// use nalgebra::Vector3;
/// use percussion_dynamics::{
///     Articulated, Joint, LimitSide, Link, MassProperties, SumLimit, SumTerm, gap::GapFunction,
/// };
///
/// let ball = MassProperties::solid_sphere(1.0, 0.1)?;
/// let links = [Joint::revolute(Vector3::y()), Joint::prismatic(Vector3::x())];
/// let links = links.map(|joint| Link::new(format!("{:?}", joint.kind), joint).with_mass(ball));
/// let system = Articulated::new(links.to_vec(), Vector3::zeros())?;
/// let term = |k, factor| SumTerm { coordinate: k, velocity: k, factor };
/// let terms = vec![term(0, 0.05), term(1, 1.0)];
/// let limit = SumLimit { terms, offset: 0.3, side: LimitSide::Upper, bound: 0.4 };
/// // 0.4 − (0.3 + 0.05 · 1 + 0.02)
/// assert!((limit.gap(&system, &[1.0, 0.02]) - 0.03).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SumLimit {
    /// The coordinates with their factors.
    pub terms: Vec<SumTerm>,
    /// The sum at zero coordinates (m or rad).
    pub offset: f64,
    /// The end of the range.
    pub side: LimitSide,
    /// The bound of the sum (m or rad).
    pub bound: f64,
}

/// One coordinate in a [`SumLimit`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SumTerm {
    /// Index of the coordinate among all coordinates.
    pub coordinate: usize,
    /// Index of the velocity that is its rate, among all velocities.
    pub velocity: usize,
    /// Its factor.
    pub factor: f64,
}

impl GapFunction for SumLimit {
    fn is_limit(&self) -> bool {
        true
    }

    fn gap(&self, _system: &dyn System, coordinates: &[f64]) -> f64 {
        let parts = self.terms.iter().map(|term| term.factor * coordinates[term.coordinate]);
        self.side.sign() * (self.offset + parts.sum::<f64>() - self.bound)
    }

    fn rows(&self, system: &dyn System, coordinates: &[f64], rows: &mut ContactRows) -> f64 {
        rows.clear();
        let row = rows.row_mut(0);
        self.terms.iter().for_each(|term| row[term.velocity] += self.side.sign() * term.factor);
        self.gap(system, coordinates)
    }

    /// The bias is zero because the rows are constant.
    fn bias(&self, _system: &dyn System, _: &[f64], _: &[f64], bias: &mut [f64]) {
        bias.fill(0.0);
    }

    fn check(&self, system: &dyn System) -> Result<(), gap::Error> {
        let (coordinates, velocities) = (system.coordinate_count(), system.velocity_count());
        let missing =
            |term: &&SumTerm| term.coordinate >= coordinates || term.velocity >= velocities;
        match self.terms.iter().find(missing) {
            None => Ok(()),
            Some(term) => Err(AnchorError::Body { body: term.velocity, count: velocities }.into()),
        }
    }
}

/// The largest angle of the rotation of a spherical joint from its neutral pose, about whatever axis, as a
/// [`GapFunction`] without tangents.
///
/// ```math
/// g = \theta_{max} - \theta, \qquad \theta = 2 \arctan(\lVert \mathbf{v} \rVert / |w|), \qquad
/// \dot g = - \operatorname{sgn}(w)\, \frac{\mathbf{v} \cdot \omega}{\lVert \mathbf{v} \rVert}
/// ```
///
/// for the unit quaternion `(w, v)` of the joint and its angular velocity `ω`, which has the same component along the
/// axis of rotation in both frames of the joint. At `θ = 0` there is no axis, and at `π` there are two; there the row is
/// zero, and that of one of the two.
///
/// # Example
///
/// ```
/// use nalgebra::Vector3;
/// use percussion_dynamics::{Articulated, Joint, Link, MassProperties, TurnLimit, gap::GapFunction};
///
/// let head = Link::new("head", Joint::spherical()).with_mass(MassProperties::solid_sphere(4.0, 0.1)?);
/// let system = Articulated::new(vec![head], Vector3::zeros())?;
/// let limit = TurnLimit { coordinate: 0, velocity: 0, bound: 0.8 };
/// // Turned by 0.3 rad about x.
/// let turned = [0.15_f64.cos(), 0.15_f64.sin(), 0.0, 0.0];
/// assert!((limit.gap(&system, &turned) - 0.5).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TurnLimit {
    /// Index of the coordinate `w` of the quaternion, which is followed by the other three.
    pub coordinate: usize,
    /// Index of the first of the three angular velocities.
    pub velocity: usize,
    /// The largest angle (rad), positive; from `π` on, it limits nothing.
    pub bound: f64,
}

impl TurnLimit {
    /// The scalar part of the quaternion and its vector part with the norm of that.
    fn parts(&self, coordinates: &[f64]) -> (f64, [f64; 3], f64) {
        let vector = [1, 2, 3].map(|k| coordinates[self.coordinate + k]);
        let norm = vector.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
        (coordinates[self.coordinate], vector, norm)
    }
}

impl GapFunction for TurnLimit {
    fn is_limit(&self) -> bool {
        true
    }

    fn gap(&self, _system: &dyn System, coordinates: &[f64]) -> f64 {
        let (scalar, _, norm) = self.parts(coordinates);
        self.bound - 2.0 * norm.atan2(scalar.abs())
    }

    fn rows(&self, system: &dyn System, coordinates: &[f64], rows: &mut ContactRows) -> f64 {
        let (scalar, vector, norm) = self.parts(coordinates);
        rows.clear();
        if norm > 0.0 {
            let own = &mut rows.row_mut(0)[self.velocity..];
            for (entry, part) in own.iter_mut().zip(vector) {
                *entry = -part / norm * scalar.signum();
            }
        }
        self.gap(system, coordinates)
    }

    fn check(&self, system: &dyn System) -> Result<(), gap::Error> {
        let count = system.velocity_count();
        let exists = self.coordinate + 4 <= system.coordinate_count() && self.velocity + 3 <= count;
        if exists { Ok(()) } else { Err(AnchorError::Body { body: self.velocity, count }.into()) }
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{UnitQuaternion, Vector3};

    use super::*;
    use crate::{Articulated, Joint, Link, MassProperties};

    fn shoulder() -> Articulated {
        let mass = MassProperties::solid_sphere(2.0, 0.1).unwrap();
        let arm = Link::new("arm", Joint::spherical()).with_mass(mass);
        Articulated::new(vec![arm], Vector3::zeros()).unwrap()
    }

    /// The row beside central differences along the motion, on both halves of the double cover.
    #[test]
    fn the_row_of_a_turn_is_the_rate_of_its_gap() {
        let system = shoulder();
        let limit = TurnLimit { coordinate: 0, velocity: 0, bound: 1.0 };
        limit.check(&system).unwrap();
        for (turn, sign) in
            [([0.3, -0.5, 0.2], 1.0), ([1.4, 1.1, -2.0], -1.0), ([0.0, 0.0, 3.0], 1.0)]
        {
            let q = UnitQuaternion::from_scaled_axis(Vector3::from(turn));
            let q = [q.w, q.i, q.j, q.k].map(|entry| sign * entry);
            let v = [0.7, -0.2, 0.4];
            let at = |time: f64| {
                let mut moved = [0.0; 4];
                system.retract(&q, &v.map(|rate| time * rate), &mut moved);
                limit.gap(&system, &moved)
            };
            let mut rows = ContactRows::for_system(&system);
            let gap = limit.rows(&system, &q, &mut rows);
            let angle = Vector3::from(turn).norm();
            assert!((gap - (1.0 - angle)).abs() < 1e-14, "{gap} {angle}");
            let row = rows.row_mut(0);
            let rate: f64 = row.iter().zip(v).map(|(entry, v)| entry * v).sum();
            let expected = (at(1e-5) - at(-1e-5)) / 2e-5;
            assert!((rate - expected).abs() < 1e-9, "{rate} {expected}");
        }
        let far = TurnLimit { coordinate: 1, velocity: 0, bound: 1.0 };
        assert!(far.check(&system).is_err());
    }

    #[test]
    fn a_joint_that_is_not_turned_has_no_axis() {
        let limit = TurnLimit { coordinate: 0, velocity: 0, bound: 0.5 };
        let mut rows = ContactRows::for_system(&shoulder());
        assert!((limit.rows(&shoulder(), &[1.0, 0.0, 0.0, 0.0], &mut rows) - 0.5).abs() < 1e-16);
        assert!(rows.row_mut(0).iter().all(|entry| *entry == 0.0));
    }

    #[test]
    fn limits_of_coordinates_that_do_not_exist_are_refused() {
        let term = SumTerm { coordinate: 0, velocity: 3, factor: 1.0 };
        let limit = SumLimit { terms: vec![term], offset: 0.0, side: LimitSide::Lower, bound: 0.0 };
        assert!(limit.check(&shoulder()).is_err());
    }
}
