//! The energy ledger, which bounds the error of energy through any number of impacts.
//!
//! **Modified energy.** A step of length `h` follows, up to `O(h⁴)`, the exact motion of a Lagrangian
//! that differs from `L` by `O(h²)`. Let a curve pass through `q` at the middle of a step. Then
//! `(q_a + q_b)/2 = q + h²/8 q̈` and `(q_b − q_a)/h = q̇ + h²/24 q⃛`, and the mean of `L'` over the
//! step is `L' + h²/24 d²L'/dt²`, each up to `O(h⁴)`. It is equal to `L((q_a + q_b)/2, (q_b − q_a)/h)`
//! for
//!
//! ```math
//! L' = L + \frac{h^2}{8} L_q \ddot q + \frac{h^2}{24} \Bigl( L_v \dddot q - \frac{d^2 L}{dt^2} \Bigr)
//!    = L + \frac{h^2}{24} \bigl( 2 k \cdot \ddot q - \ddot q \cdot M \ddot q
//!      - \dot q \cdot L_{qq}\, \dot q \bigr), \qquad k = L_q - L_{vq}\, \dot q .
//! ```
//!
//! The forces `k` are the smooth forces of the system. The bracket is stationary at the acceleration `a` of
//! the motion itself, `M a = k`, so that `a` may replace `q̈`; with bilateral constraints it is stationary
//! among the curves that satisfy them, where `M a = k + Gᵀ μ` and `G a = −γ`. The energy that belongs to `L'`
//! is therefore
//!
//! ```math
//! H_h(q, p) = H(q, p) - \frac{h^2}{24} X, \qquad
//! X = k \cdot a + \mu \cdot \gamma - v \cdot L_{qq}\, v ,
//! ```
//!
//! and smooth motion conserves it within `O(h⁴)` for exponentially long times, if `H` is analytic and the
//! motion bounded. An oscillator has `H_h = H (1 − (ω h)²/12)`, which is its energy at the frequency
//! `2 atan(ω h/2)/h` of the midpoint rule. For a free body the Cayley map also changes the angular velocity
//! to `ω (1 + h² ω²/12)`; the same steps lead to `X = k · a + 2 ω² (ω · I ω)` with the gyroscopic torque `k`.
//!
//! **Impacts.** A law that conserves `H` changes `H_h` by `h²/24` times the jump of `X`, because
//! accelerations and velocities jump, and the pieces of the step before and after the impact conserve the
//! modified energies of their own lengths. Over many impacts such changes accumulate: where impacts are
//! chaotic, the energy performs a random walk with steps of `O(h²)`. The ledger therefore contains the value
//! of `H_h` before the first impact, plus the changes of energy by laws since then. After every impact the
//! normal velocities of all contacts that touch are multiplied by one factor `σ` with which `H_h` agrees with
//! the ledger again. If `p_n` is the part of the momentum in the span of the normals,
//!
//! ```math
//! p^{+} = p - p_n + \sigma\, p_n, \qquad
//! \sigma^2 = 1 + \frac{E - H_h}{\tfrac12\, p_n \cdot M^{-1} p_n} ,
//! ```
//!
//! This is restitution `σ R` in place of `R`. Contacts that separate still separate, those at rest stay at
//! rest, and every momentum in a direction in which no contact acts is unchanged. With `X` from before the
//! correction `H_h` is then accurate to `O(h⁴)`, and to `O(h³)` after the rest of the step. Errors do not
//! accumulate, because the reference is the ledger and not the value before the impact. Between two moments
//! at which `H_h` is accurate, the energy differs by `h²/24` times the difference of `X`, so it stays within
//! `h²/24 (max X − min X)` of its value at the start, up to terms of third order. (`max |X|` is not a bound,
//! because `X` may change its sign.) This holds as long as every impact is corrected or soon followed by one
//! that is; between impacts the modified energy is conserved only for exponentially long times, as above. At
//! a normal velocity `u` the jump of `X` is `O(u)`, and the transition to pieces and back has an error of
//! `O(h³)`. The energy to restore is therefore `O(h² u + h³)`, and the correction of velocities, `u (σ − 1)`,
//! is this divided by `u`: `O(h²)`, as every error of the scheme, and `O(h³/u)`, which matters where `u` is
//! small. After an impact that was skipped, `O(h²)` of energy may be outstanding, hence `O(h²/u)`. Some
//! impacts are not corrected: those whose factor would be outside
//! `1 ± `[`Settings::correction_limit`](super::Settings::correction_limit), because the impact grazes or
//! loses all normal velocity, and those whose correction would make a contact pull. A later impact then makes
//! up for it.
//!
//! Two other methods are simpler. Restoring `H` itself after every impact bounds the error as well. But then
//! each impact is corrected for the oscillation of all motion since the last one, including that of other
//! bodies, while `H_h` does not oscillate. In the chains of the example `variational_energy` the largest
//! corrections were three to forty times larger, and a few impacts grazed too much for theirs. Conserving the
//! discrete energies `−∂L_d/∂h` of the pieces on both sides of an impact, as Fetecau, Marsden, Ortiz and West
//! do, does not account for the transition from steps of full length to pieces and back, in which the
//! modified energy changes too.
//!
//! - **Needs** a [conservative model](Model::is_conservative). Friction in closed contacts restarts the
//!   ledger.
//! - **Does not** treat contacts that stay closed as constraints: as long as they are closed, the ledger has
//!   an error of `O(h²)`, which does not accumulate either.
//! - **Cost** of an impact about doubles, by `X` and `p_n`; smooth steps have no additional cost.
//!
//! # Source
//!
//! M. Vermeeren, "Modified equations for variational integrators", *Numerische Mathematik* 137 (2017)
//! 1001–1037 (modified Lagrangians). E. Hairer, C. Lubich, G. Wanner, *Geometric Numerical
//! Integration*, 2nd ed., Springer 2006, chapter IX (modified energies over long times). R. C. Fetecau,
//! J. E. Marsden, M. Ortiz, M. West, "Nonsmooth Lagrangian mechanics and variational collision
//! integrators", *SIAM Journal on Applied Dynamical Systems* 2 (2003) 381–416. The ledger is our own.

use nalgebra::{DMatrix, DVector};
use percussion_dynamics::Derivatives;
use percussion_impact::{Law, Problem, propagative::Propagative};

use super::{Error, Model, Motion, Simulation, State, Variational, discrete};

/// Maximum pull that counts as rounding, relative to the largest impulse.
const ROUNDING: f64 = 1e-12;

/// The correction of an impact by the ledger.
#[derive(Clone, Debug)]
pub(super) struct Correction {
    /// `H_h` minus the value of the ledger (J).
    pub(super) error: f64,
    /// `σ`.
    pub(super) factor: f64,
}

impl Simulation<Variational> {
    /// The modified energy `H_h` of the state (J), which the midpoint rule with steps of length `h` conserves
    /// within `O(h⁴)` in smooth motion of a [conservative model](Model::is_conservative).
    ///
    /// It is the energy minus `h²/24 X`, with `X = k · a − v · (∂²L/∂q²) v` for the smooth forces `k` and the
    /// acceleration `a`, and additional terms with bilateral constraints and for free bodies.
    ///
    /// # Example
    ///
    /// An oscillator with `ω = 2 s⁻¹` that is released at 1 m: `H = 4 J`, and `H_h = H (1 − (ω h)²/12)`.
    ///
    /// ```
    /// use nalgebra::Vector3;
    /// use percussion_dynamics::{Articulated, Joint, Link, MassProperties};
    /// use percussion_integrators::variational::Settings;
    /// use percussion_integrators::{Model, Simulation, State, variational::Variational};
    ///
    /// let joint = Joint::prismatic(Vector3::x()).with_spring(&[8.0], &[0.0]);
    /// let slider = Link::new("slider", joint).with_mass(MassProperties::point(2.0)?);
    /// let system = Articulated::new(vec![slider], Vector3::zeros())?;
    /// let model = Model::lagrangian(Box::new(system), vec![])?;
    /// let start = State { time: 0.0, coordinates: vec![1.0], velocity: vec![0.0] };
    /// let settings = Settings { step_size: 0.3, ..Settings::default() };
    /// let motion = Simulation::<Variational>::new(model, settings, start)?;
    /// assert!((motion.modified_energy() - 4.0 * (1.0 - 0.36 / 12.0)).abs() < 1e-15);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn modified_energy(&self) -> f64 {
        let State { time, coordinates, velocity } = self.state();
        let energy = self.model().system().energy(coordinates, velocity);
        let velocity = DVector::from_column_slice(velocity);
        let h = self.settings().step_size;
        energy - h * h / 24.0 * self.model().excess(coordinates, &velocity, *time)
    }
}

impl Variational {
    /// `H_h` at the current point of the step (J).
    pub(super) fn modified_energy(&self, motion: &Motion) -> f64 {
        let h = self.settings.step_size;
        let State { time, coordinates, .. } = &self.state;
        self.energy(motion) - h * h / 24.0 * motion.model.excess(coordinates, &self.velocity, *time)
    }

    /// Opens the ledger before an impact, if it is not open yet and the model is conservative.
    pub(super) fn open_ledger(&mut self, motion: &Motion) {
        if self.ledger.is_none()
            && self.settings.correction_limit > 0.0
            && motion.model.is_conservative()
        {
            self.ledger = Some(self.modified_energy(motion));
        }
    }

    /// Enters an impact whose law has changed the energy by `change` (J), and corrects the momentum after
    /// it and its `percussions` (N·s).
    pub(super) fn balance(
        &mut self,
        problem: &Problem,
        change: f64,
        percussions: &mut [f64],
        motion: &Motion,
    ) -> Result<Correction, Error> {
        let mut correction = Correction { error: 0.0, factor: 1.0 };
        let Some(ledger) = &mut self.ledger else { return Ok(correction) };
        *ledger += change;
        let due = *ledger;
        correction.error = self.modified_energy(motion) - due;
        let time = self.state.time;
        // The plastic impact of the reversed motion, which may pull and is not judged, gives exactly the
        // normal part of the momentum.
        let reversed = problem
            .with_velocity(-&self.velocity)
            .map_err(|source| Error::Impact { time, source })?;
        let plastic = Propagative { restitution: 0.0, ..Propagative::default() };
        let mut normal = plastic.answer(&reversed).map_err(|source| Error::Law { time, source })?;
        let energy = problem.kinetic_energy(&(&self.velocity + &normal.velocity));
        let factor = (1.0 - correction.error / energy).max(0.0).sqrt();
        // Without normal velocity it may be NaN.
        if factor.is_nan() || (factor - 1.0).abs() > self.settings.correction_limit {
            return Ok(correction);
        }
        normal.impulses.iter_mut().for_each(|impulse| impulse.normal *= factor - 1.0);
        normal.bilateral_impulses *= factor - 1.0;
        let corrected =
            percussions.iter().zip(&normal.impulses).map(|(law, more)| law + more.normal);
        let corrected: Vec<f64> = corrected.collect();
        let largest = corrected.iter().copied().fold(0.0, f64::max);
        if corrected.iter().any(|percussion| *percussion < -ROUNDING * largest) {
            return Ok(correction);
        }
        percussions.copy_from_slice(&corrected);
        self.jump(problem, &normal, motion);
        correction.factor = factor;
        Ok(correction)
    }
}

impl Model {
    /// `X`.
    fn excess(&self, coordinates: &[f64], velocity: &DVector<f64>, time: f64) -> f64 {
        let (system, n) = (self.system(), velocity.len());
        let mut forces = DVector::zeros(n);
        system.smooth_forces(coordinates, velocity.as_slice(), time, forces.as_mut_slice());
        let mut acceleration = DMatrix::from_column_slice(n, 1, forces.as_slice());
        system.apply_inverse_mass(coordinates, &mut acceleration);
        let free = forces.dot(&acceleration.column(0));
        free + self.of_constraints(coordinates, velocity, &acceleration)
            + self.of_curvature(coordinates, velocity, time)
    }

    /// Contribution of the constraints to `k · a + μ · γ`, where `free` is the acceleration without them:
    /// with `G M⁻¹ Gᵀ μ = −(G M⁻¹ k + γ)` it is `μ · (G M⁻¹ k + γ)`.
    fn of_constraints(
        &self,
        coordinates: &[f64],
        velocity: &DVector<f64>,
        free: &DMatrix<f64>,
    ) -> f64 {
        if self.constraints().is_empty() {
            return 0.0;
        }
        let jacobian = self.joints(coordinates);
        let mut error = DVector::zeros(jacobian.nrows());
        let mut row = 0;
        for constraint in self.constraints() {
            let count = constraint.row_count(self.system());
            let bias = &mut error.as_mut_slice()[row..row + count];
            constraint.bias(self.system(), coordinates, velocity.as_slice(), bias);
            row += count;
        }
        error += &jacobian * free.column(0);
        let mut response = jacobian.transpose();
        self.system().apply_inverse_mass(coordinates, &mut response);
        let multipliers = (jacobian * response).lu().solve(&error);
        // Dependent constraints cause an error in every step.
        multipliers.map_or(0.0, |multipliers| -multipliers.dot(&error))
    }

    /// `−v · L_qq v`, and `2 ω² (ω · I ω)` of free bodies.
    fn of_curvature(&self, coordinates: &[f64], velocity: &DVector<f64>, time: f64) -> f64 {
        if let Some(bodies) = self.as_free_bodies() {
            let spins = bodies.bodies().iter().enumerate().map(|(i, _)| {
                let [_, spin] = discrete::parts(velocity.as_slice(), i);
                let momentum = discrete::inertia(bodies, coordinates, i) * spin;
                2.0 * spin.norm_squared() * spin.dot(&momentum)
            });
            return spins.sum();
        }
        // The scheme does not start without one.
        let Some(system) = self.as_lagrangian() else { return f64::NAN };
        let mut derivatives = Derivatives::zeros(velocity.len());
        system.momentum_derivatives(coordinates, velocity.as_slice(), time, &mut derivatives);
        -velocity.dot(&(derivatives.rate_by_coordinates * velocity))
    }
}
