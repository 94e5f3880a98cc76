//! Forces in the joints: springs, dampers and actuation; limits and dry friction are returned as data.

use std::ops::Range;

use nalgebra::DMatrix;

use super::Link;
use crate::{
    anchor::AnchorError,
    gap::{self, ContactRows, GapFunction},
    lagrangian::Derivatives,
    rotation,
    system::System,
};

/// The smooth forces of all joints.
#[derive(Clone, Debug)]
pub(super) struct JointForces {
    terms: Vec<Term>,
    springs: Vec<RotationSpring>,
}

/// `τ = effort − damping v − stiffness (q − rest)` of one velocity.
#[derive(Clone, Copy, Debug)]
struct Term {
    /// Coordinate whose rate is the velocity; `None` for rotations in space.
    coordinate: Option<usize>,
    stiffness: f64,
    rest: f64,
    damping: f64,
    effort: f64,
}

/// `τ = −stiffness φ` for the rotation vector `φ` of a quaternion from rest.
///
/// A rotation at the rate `ω` changes `φ` at a rate whose component along `φ` is that of `ω`, so `τ · ω` is minus
/// the rate of `½ stiffness ‖φ‖²`.
#[derive(Clone, Copy, Debug)]
struct RotationSpring {
    first_coordinate: usize,
    first_velocity: usize,
    stiffness: f64,
    rest: [f64; 4],
}

impl JointForces {
    pub(super) fn new(
        links: &[Link],
        coordinates: &[Range<usize>],
        velocities: &[Range<usize>],
    ) -> Self {
        let (mut terms, mut springs) = (Vec::new(), Vec::new());
        for ((link, q), v) in links.iter().zip(coordinates).zip(velocities) {
            let joint = &link.joint;
            let quaternion = joint.kind.quaternion();
            for k in 0..v.len() {
                let is_rotation = quaternion.is_some_and(|first| k >= first);
                terms.push(Term {
                    coordinate: (!is_rotation).then_some(q.start + k),
                    stiffness: joint.stiffness[k],
                    rest: if is_rotation { 0.0 } else { joint.rest[k] },
                    damping: joint.damping[k],
                    effort: joint.effort[k],
                });
            }
            if let Some(first) = quaternion
                && joint.stiffness[first] > 0.0
            {
                springs.push(RotationSpring {
                    first_coordinate: q.start + first,
                    first_velocity: v.start + first,
                    stiffness: joint.stiffness[first],
                    rest: [0, 1, 2, 3].map(|i| joint.rest[first + i]),
                });
            }
        }
        Self { terms, springs }
    }

    pub(super) fn set_effort(&mut self, velocities: Range<usize>, effort: &[f64]) {
        for (term, &effort) in self.terms[velocities].iter_mut().zip(effort) {
            term.effort = effort;
        }
    }

    /// Adds the forces at the coordinates `q` and the velocity `v`.
    pub(super) fn add(&self, q: &[f64], v: &[f64], forces: &mut [f64]) {
        for ((term, v), force) in self.terms.iter().zip(v).zip(forces.iter_mut()) {
            *force += term.effort - term.damping * v;
            if let Some(coordinate) = term.coordinate {
                *force -= term.stiffness * (q[coordinate] - term.rest);
            }
        }
        for spring in &self.springs {
            let turn = spring.displacement(q);
            for (k, force) in forces[spring.first_velocity..].iter_mut().take(3).enumerate() {
                *force -= spring.stiffness * turn[k];
            }
        }
    }

    /// Adds the derivatives of [`add`](Self::add) for joints without quaternions.
    pub(super) fn add_derivatives(&self, derivatives: &mut Derivatives) {
        for (k, term) in self.terms.iter().enumerate() {
            derivatives.rate_by_velocity[(k, k)] -= term.damping;
            derivatives.rate_by_coordinates[(k, k)] -= term.stiffness;
        }
    }

    /// Adds the dampings and stiffnesses to the diagonal of `sum`, times these factors. Springs of rotations in space have that of a
    /// rotation near rest.
    pub(super) fn add_linear(&self, [rate, displacement]: [f64; 2], sum: &mut DMatrix<f64>) {
        for (k, term) in self.terms.iter().enumerate() {
            sum[(k, k)] += rate * term.damping;
            if term.coordinate.is_some() {
                sum[(k, k)] += displacement * term.stiffness;
            }
        }
        for spring in &self.springs {
            for k in spring.first_velocity..spring.first_velocity + 3 {
                sum[(k, k)] += displacement * spring.stiffness;
            }
        }
    }

    /// Whether [`potential_energy`](Self::potential_energy) covers all forces, for joints without quaternions.
    pub(super) fn is_conservative(&self) -> bool {
        self.terms.iter().all(|term| term.damping == 0.0)
    }

    /// Power of the forces that [`potential_energy`](Self::potential_energy) does not cover (W): dampers, and
    /// efforts on rotations in space.
    pub(super) fn other_power(&self, v: &[f64]) -> f64 {
        let of_term = |(term, v): (&Term, &f64)| {
            let effort = if term.coordinate.is_none() { term.effort } else { 0.0 };
            (effort - term.damping * v) * v
        };
        self.terms.iter().zip(v).map(of_term).sum()
    }

    /// Energy of the springs and of the constant efforts; an effort on a rotation in space has none.
    pub(super) fn potential_energy(&self, q: &[f64]) -> f64 {
        let of_term = |term: &Term| {
            let Some(coordinate) = term.coordinate else { return 0.0 };
            let stretch = q[coordinate] - term.rest;
            0.5 * term.stiffness * stretch * stretch - term.effort * q[coordinate]
        };
        let of_spring = |spring: &RotationSpring| {
            0.5 * spring.stiffness * spring.displacement(q).norm_squared()
        };
        self.terms.iter().map(of_term).sum::<f64>()
            + self.springs.iter().map(of_spring).sum::<f64>()
    }
}

impl RotationSpring {
    fn displacement(&self, q: &[f64]) -> nalgebra::Vector3<f64> {
        let quaternion = [0, 1, 2, 3].map(|i| q[self.first_coordinate + i]);
        rotation::difference(&self.rest, &quaternion)
    }
}

/// Coulomb friction in a joint: a force on one velocity, at most `bound`, opposite to it.
///
/// Its row is the unit vector of that velocity. It is meant to be solved together with the contacts, as a friction
/// force with a fixed bound. Each velocity of a joint has its own bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointFriction {
    /// Link that the joint carries.
    pub link: usize,
    /// Index of the velocity among all velocities.
    pub velocity: usize,
    /// Maximum force (N) or torque (N·m), positive.
    pub bound: f64,
}

impl JointFriction {
    /// Adds `scale` times the row of the sliding velocity to `row` (length `n_v`).
    pub fn add_row(&self, scale: f64, row: &mut [f64]) {
        row[self.velocity] += scale;
    }
}

/// The end of the range of a coordinate that a [`JointLimit`] enforces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitSide {
    /// The coordinate stays at or above the bound.
    Lower,
    /// The coordinate stays at or below the bound.
    Upper,
}

/// One limit of a joint as a [`GapFunction`] without tangents. The gap is the distance to the stop, in m or rad,
/// negative beyond the stop.
///
/// # Example
///
/// A knee at 0.5 rad with a range from 0 to 2 rad.
///
/// ```
/// use nalgebra::Vector3;
/// use percussion_dynamics::{Articulated, Joint, Link, MassProperties, gap::GapFunction};
///
/// let knee = Joint::revolute(Vector3::z()).with_limits(&[[0.0, 2.0]]);
/// let shank = Link::new("shank", knee).with_mass(MassProperties::solid_sphere(1.0, 0.1)?);
/// let leg = Articulated::new(vec![shank], Vector3::zeros())?;
/// let gaps: Vec<f64> = leg.joint_limits().iter().map(|limit| limit.gap(&leg, &[0.5])).collect();
/// assert_eq!(gaps, [0.5, 1.5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointLimit {
    /// Link that the joint carries.
    pub link: usize,
    /// Index of the coordinate among all coordinates.
    pub coordinate: usize,
    /// Index of the velocity among all velocities.
    pub velocity: usize,
    /// The end of the range.
    pub side: LimitSide,
    /// The bound (m or rad).
    pub bound: f64,
}

impl LimitSide {
    /// The sign of the gap's rate by that of the coordinate.
    pub(super) fn sign(self) -> f64 {
        match self {
            Self::Lower => 1.0,
            Self::Upper => -1.0,
        }
    }
}

impl GapFunction for JointLimit {
    fn is_limit(&self) -> bool {
        true
    }

    fn gap(&self, _system: &dyn System, coordinates: &[f64]) -> f64 {
        self.side.sign() * (coordinates[self.coordinate] - self.bound)
    }

    fn rows(&self, system: &dyn System, coordinates: &[f64], rows: &mut ContactRows) -> f64 {
        rows.clear();
        rows.row_mut(0)[self.velocity] = self.side.sign();
        self.gap(system, coordinates)
    }

    /// The bias is zero because the rows are constant.
    fn bias(&self, _system: &dyn System, _: &[f64], _: &[f64], bias: &mut [f64]) {
        bias.fill(0.0);
    }

    fn check(&self, system: &dyn System) -> Result<(), gap::Error> {
        let exists = self.link < system.body_count()
            && self.coordinate < system.coordinate_count()
            && self.velocity < system.velocity_count();
        let count = system.body_count().min(self.link);
        if exists { Ok(()) } else { Err(AnchorError::Body { body: self.link, count }.into()) }
    }
}

/// The finite limits of all joints; for each coordinate the lower limit comes first.
pub(super) fn limits(
    links: &[Link],
    coordinates: &[Range<usize>],
    velocities: &[Range<usize>],
) -> Vec<JointLimit> {
    let mut limits = Vec::new();
    for (link, description) in links.iter().enumerate() {
        for (k, &[lower, upper]) in description.joint.limits.iter().enumerate() {
            for (side, bound) in [(LimitSide::Lower, lower), (LimitSide::Upper, upper)] {
                if bound.is_finite() {
                    let coordinate = coordinates[link].start + k;
                    let velocity = velocities[link].start + k;
                    limits.push(JointLimit { link, coordinate, velocity, side, bound });
                }
            }
        }
    }
    limits
}

/// The velocities of all joints that have dry friction.
pub(super) fn frictions(links: &[Link], velocities: &[Range<usize>]) -> Vec<JointFriction> {
    let mut frictions = Vec::new();
    for (link, description) in links.iter().enumerate() {
        for (velocity, &bound) in velocities[link].clone().zip(&description.joint.friction) {
            if bound > 0.0 {
                frictions.push(JointFriction { link, velocity, bound });
            }
        }
    }
    frictions
}
