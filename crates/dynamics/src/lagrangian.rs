//! Momentum and its rate, with all first derivatives: the trait [`Lagrangian`].

use nalgebra::DMatrix;

use crate::system::System;

/// A system whose velocities are the rates of its coordinates: `n_q = n_v` and `q̇ = v`.
///
/// [`Articulated`](crate::Articulated) implements it only for trees without spherical and free joints. A tree with
/// quaternions has `n_q > n_v`, which callers can check.
///
/// If every velocity is the rate of a coordinate, `q̇ = v`, the equations of motion are those of Lagrange and
/// Hamilton. With `L(q, v) = ½ vᵀ M(q) v − V(q)` and the forces `f` without a potential,
///
/// ```math
/// p = \frac{\partial L}{\partial v} = M(q)\, v, \qquad
/// \dot p = \frac{\partial L}{\partial q} + f
///        = \tfrac12\, \frac{\partial}{\partial q} \left( v^\mathsf{T} M(q)\, v \right)
///          - \frac{\partial V}{\partial q} + f .
/// ```
///
/// The smooth forces of a [`System`] are `k = ṗ − Ṁ v`: `M v̇ = k` is the same equation in terms of velocities.
/// Implicit and variational integrators also need the derivatives. Those of `p` and of the inertial part of `ṗ` are
/// one matrix, because the order of differentiation in `∂²L/∂v∂q` does not matter.
///
/// # Source
///
/// H. Goldstein, C. Poole, J. Safko, *Classical Mechanics*, 3rd ed., Addison-Wesley 2002, sections 1.4
/// and 8.1.
///
/// # Example
///
/// A point of 2 kg on a horizontal arm of 3 m rotates at 1 rad/s: `p = m l² v = 18`, `ṗ = −m g l = −58.86`. The
/// moment of the weight does not change with the angle to first order, `V'' = −m g l sin θ = 0`.
///
/// ```
/// use nalgebra::Vector3;
/// use percussion_dynamics::{Derivatives, Lagrangian};
/// use percussion_dynamics::{Articulated, Joint, Link, MassProperties};
///
/// let bob = MassProperties::point(2.0)?.translated(&Vector3::new(3.0, 0.0, 0.0));
/// let arm = Link::new("arm", Joint::revolute(Vector3::z())).with_mass(bob);
/// let pendulum = Articulated::new(vec![arm], Vector3::new(0.0, -9.81, 0.0))?;
///
/// let (mut momentum, mut rate) = ([0.0], [0.0]);
/// pendulum.momentum(&[0.0], &[1.0], 0.0, &mut momentum, &mut rate);
/// assert_eq!(momentum[0], 18.0);
/// assert!((rate[0] + 58.86).abs() < 1e-13);
///
/// let mut derivatives = Derivatives::zeros(1);
/// pendulum.momentum_derivatives(&[0.0], &[1.0], 0.0, &mut derivatives);
/// assert_eq!(derivatives.momentum_by_velocity[(0, 0)], 18.0);
/// assert!(derivatives.rate_by_coordinates[(0, 0)].abs() < 1e-13);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Lagrangian: System {
    /// Writes `p = M(q) v` and its rate `ṗ` along the motion without contact (length `n_v` each; N·s,
    /// N·m·s and N, N·m).
    fn momentum(
        &self,
        coordinates: &[f64],
        velocity: &[f64],
        time: f64,
        momentum: &mut [f64],
        rate: &mut [f64],
    );

    /// Writes the derivatives of `p` and `ṗ` of [`momentum`](Self::momentum).
    fn momentum_derivatives(
        &self,
        coordinates: &[f64],
        velocity: &[f64],
        time: f64,
        derivatives: &mut Derivatives,
    );

    /// Whether `ṗ = ∂L/∂q` with [`System::potential_energy`] as `V`: every force has that potential, and none
    /// depends on time.
    ///
    /// Integrators check the energy only in this case. The default is `false`.
    fn is_conservative(&self) -> bool {
        false
    }
}

/// Derivatives of the momentum `p(q, v)` and of its rate `ṗ(q, v)`: `n_v × n_v` each, with a row for every entry of
/// the differentiated vector.
#[derive(Clone, Debug, PartialEq)]
pub struct Derivatives {
    /// `∂p/∂v = M`.
    pub momentum_by_velocity: DMatrix<f64>,
    /// `∂p/∂q`, whose entry `(j, k)` is `∂(M v)_j/∂q_k`.
    pub momentum_by_coordinates: DMatrix<f64>,
    /// `∂ṗ/∂v`, which is `(∂p/∂q)ᵀ` except for forces that depend on velocity.
    pub rate_by_velocity: DMatrix<f64>,
    /// `∂ṗ/∂q`, symmetric for forces with a potential.
    pub rate_by_coordinates: DMatrix<f64>,
}

impl Derivatives {
    /// Zeros for `n_v` velocities.
    #[must_use]
    pub fn zeros(velocity_count: usize) -> Self {
        let zeros = DMatrix::zeros(velocity_count, velocity_count);
        Self {
            momentum_by_velocity: zeros.clone(),
            momentum_by_coordinates: zeros.clone(),
            rate_by_velocity: zeros.clone(),
            rate_by_coordinates: zeros,
        }
    }

    /// Sets every entry to zero.
    pub fn clear(&mut self) {
        self.momentum_by_velocity.fill(0.0);
        self.momentum_by_coordinates.fill(0.0);
        self.rate_by_velocity.fill(0.0);
        self.rate_by_coordinates.fill(0.0);
    }
}
