//! The discrete Lagrangian of one piece of a step: momentum at its start, impulse, derivatives.
//!
//! A piece leads from `(q_a, t_a)` with the constant velocity `w` during `s` to `q_b = q_a ⊕ s w`. The
//! discrete Legendre transforms give the momenta at its ends,
//! `p_a = −∂L_d/∂q_a − f_d⁻` and `p_b = ∂L_d/∂q_b + f_d⁺`.
//!
//! **Coordinates.** `L_d = s L(q_m, w)` with `q_m = q_a + ½ s w`, and the forces `f` of the midpoint, half
//! at either end. With the momentum `P = M w` and its rate `F = ∂L/∂q + f`, at `(q_m, w, t_m)`,
//!
//! ```math
//! p_a = P - \tfrac{s}{2} F, \quad p_b = p_a + s F, \quad
//! \frac{\partial p_a}{\partial w} = \frac{\partial P}{\partial v}
//!   + \frac{s}{2} \left( \frac{\partial P}{\partial q} - \frac{\partial F}{\partial v} \right)
//!   - \frac{s^2}{4} \frac{\partial F}{\partial q} .
//! ```
//!
//! **Free bodies.** Translations are the same. The rotation follows the Cayley map, `R_b = cay(s ω) R_a`, and
//! the kinetic energy `½ ωᵀ I_a ω` with `I_a = R_a I R_aᵀ` is exact, because `cay(s ω)` leaves `ω` unchanged.
//! Varying `R_a` and `R_b` with `dcay⁻¹_x y = y − ½ x × y + ¼ x (x · y)` gives the angular momentum about the
//! center of mass, in world axes, which is the same at both ends except for the torque `τ`:
//!
//! ```math
//! p_a = I_a \omega + \tfrac{s}{2}\, \omega \times I_a \omega
//!   + \tfrac{s^2}{4}\, (\omega \cdot I_a \omega)\, \omega - \tfrac{s}{2} \tau, \qquad
//! p_b = p_a + s \tau .
//! ```
//!
//! # Source
//!
//! J. E. Marsden, M. West, "Discrete mechanics and variational integrators", *Acta Numerica* 10 (2001)
//! 357–514, sections 1.5, 2.6.1 (midpoint) and 3.2.1 (forces).
//! N. Bou-Rabee, J. E. Marsden, "Hamilton–Pontryagin integrators on Lie groups", *Foundations of
//! Computational Mathematics* 9 (2009) 197–219, section 4 (the Cayley map and its derivative).

use nalgebra::{DMatrix, DVector, Matrix3, Vector3};
use percussion_dynamics::{
    Derivatives, FreeBodies, System,
    rotation::{self, RotationUpdate},
};

use super::Model;

/// The start of a piece.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start<'a> {
    pub(super) time: f64,
    pub(super) coordinates: &'a [f64],
    pub(super) momentum: &'a DVector<f64>,
}

/// The functions of `w` at its last value.
#[derive(Debug)]
pub(super) struct Discrete {
    /// `p_a`.
    pub(super) momentum: DVector<f64>,
    /// `p_b − p_a`.
    pub(super) impulse: DVector<f64>,
    /// `q_b`.
    pub(super) end: Vec<f64>,
    /// `∂p_a/∂w`, after [`differentiate`](Self::differentiate).
    pub(super) jacobian: DMatrix<f64>,
    /// `q_m`.
    pub(super) middle: Vec<f64>,
    tangent: Vec<f64>,
    derivatives: Derivatives,
    /// The bodies of a model of free bodies, with the Cayley map as their rotation update.
    bodies: Option<FreeBodies>,
}

impl Discrete {
    pub(super) fn new(model: &Model) -> Self {
        let system = model.system();
        let cayley = |bodies: &FreeBodies| {
            bodies.clone().with_rotation_update(RotationUpdate::NormalizedEuler)
        };
        let (coordinates, n) = (system.coordinate_count(), system.velocity_count());
        Self {
            momentum: DVector::zeros(n),
            impulse: DVector::zeros(n),
            end: vec![0.0; coordinates],
            jacobian: DMatrix::zeros(n, n),
            middle: vec![0.0; coordinates],
            tangent: vec![0.0; n],
            derivatives: Derivatives::zeros(n),
            bodies: model.as_free_bodies().map(cayley),
        }
    }

    /// Computes momentum, impulse and end for the velocity `w` (length `n_v`) during `duration`.
    pub(super) fn evaluate(
        &mut self,
        model: &Model,
        start: Start<'_>,
        duration: f64,
        velocity: &DVector<f64>,
    ) {
        for (fraction, moved) in [(0.5, &mut self.middle), (1.0, &mut self.end)] {
            for (tangent, w) in self.tangent.iter_mut().zip(velocity) {
                *tangent = fraction * duration * w;
            }
            match &self.bodies {
                Some(bodies) => bodies.retract(start.coordinates, &self.tangent, moved),
                None => model.system().retract(start.coordinates, &self.tangent, moved),
            }
        }
        let (w, time) = (velocity.as_slice(), start.time + 0.5 * duration);
        let (momentum, rate) = (self.momentum.as_mut_slice(), self.impulse.as_mut_slice());
        if let Some(bodies) = &self.bodies {
            bodies_momentum(bodies, start.coordinates, duration, w, momentum, rate);
        } else if let Some(system) = model.as_lagrangian() {
            system.momentum(&self.middle, w, time, momentum, rate);
        }
        for force in model.forces() {
            force.add(&self.middle, w, time, rate);
        }
        for (momentum, rate) in momentum.iter_mut().zip(rate) {
            *momentum -= 0.5 * duration * *rate;
            *rate *= duration;
        }
    }

    /// Computes `∂p_a/∂w` at the point of the last call of [`evaluate`](Self::evaluate).
    pub(super) fn differentiate(
        &mut self,
        model: &Model,
        start: Start<'_>,
        duration: f64,
        velocity: &DVector<f64>,
    ) {
        let (w, time) = (velocity.as_slice(), start.time + 0.5 * duration);
        let derivatives = &mut self.derivatives;
        if let Some(bodies) = &self.bodies {
            derivatives.clear();
            let by_velocity = &mut derivatives.momentum_by_velocity;
            bodies_derivative(bodies, start.coordinates, duration, w, by_velocity);
        } else if let Some(system) = model.as_lagrangian() {
            system.momentum_derivatives(&self.middle, w, time, derivatives);
        }
        let Derivatives {
            momentum_by_velocity,
            momentum_by_coordinates,
            rate_by_velocity,
            rate_by_coordinates,
        } = derivatives;
        for force in model.forces() {
            let (by_q, by_v) = (&mut *rate_by_coordinates, &mut *rate_by_velocity);
            force.add_derivatives(&self.middle, w, time, by_q, by_v);
        }
        let half = 0.5 * duration;
        for (i, entry) in self.jacobian.iter_mut().enumerate() {
            *entry = momentum_by_velocity[i]
                + half * (momentum_by_coordinates[i] - rate_by_velocity[i])
                - half * half * rate_by_coordinates[i];
        }
    }
}

/// The momentum at the start without forces, and the forces.
fn bodies_momentum(
    bodies: &FreeBodies,
    coordinates: &[f64],
    duration: f64,
    velocity: &[f64],
    momentum: &mut [f64],
    rate: &mut [f64],
) {
    let half = 0.5 * duration;
    for (i, body) in bodies.bodies().iter().enumerate() {
        let [linear, angular] = parts(velocity, i);
        let spin = inertia(bodies, coordinates, i) * angular;
        let turned =
            spin + half * angular.cross(&spin) + half * half * angular.dot(&spin) * angular;
        write(momentum, i, &(body.mass * linear), &turned);
        write(rate, i, &(body.mass * bodies.gravity() + body.force), &body.torque);
    }
}

/// The derivative of [`bodies_momentum`].
fn bodies_derivative(
    bodies: &FreeBodies,
    coordinates: &[f64],
    duration: f64,
    velocity: &[f64],
    derivative: &mut DMatrix<f64>,
) {
    let half = 0.5 * duration;
    for (i, body) in bodies.bodies().iter().enumerate() {
        let [_, angular] = parts(velocity, i);
        let inertia = inertia(bodies, coordinates, i);
        let spin = inertia * angular;
        let first = angular.cross_matrix() * inertia - spin.cross_matrix();
        let second =
            Matrix3::from_diagonal_element(angular.dot(&spin)) + 2.0 * angular * spin.transpose();
        let of_rotation = inertia + half * first + half * half * second;
        let of_translation = Matrix3::from_diagonal_element(body.mass);
        derivative.fixed_view_mut::<3, 3>(6 * i, 6 * i).copy_from(&of_translation);
        derivative.fixed_view_mut::<3, 3>(6 * i + 3, 6 * i + 3).copy_from(&of_rotation);
    }
}

/// The inertia of body `i` in world axes.
pub(super) fn inertia(bodies: &FreeBodies, coordinates: &[f64], i: usize) -> Matrix3<f64> {
    let rotation = rotation::rotation_matrix(&[3, 4, 5, 6].map(|k| coordinates[7 * i + k]));
    rotation * bodies.bodies()[i].inertia * rotation.transpose()
}

/// The linear and the angular velocity of body `i`.
pub(super) fn parts(velocity: &[f64], i: usize) -> [Vector3<f64>; 2] {
    [6 * i, 6 * i + 3].map(|k| Vector3::from_column_slice(&velocity[k..k + 3]))
}

fn write(to: &mut [f64], i: usize, linear: &Vector3<f64>, angular: &Vector3<f64>) {
    to[6 * i..6 * i + 3].copy_from_slice(linear.as_slice());
    to[6 * i + 3..6 * i + 6].copy_from_slice(angular.as_slice());
}
