//! What a number of LCPs or of samples proves about a set of outcomes, and how many a proof needs.
//!
//! All of it is about [`set_valued`](crate::set_valued) with independent uniform draws, steps solved
//! exactly, and norms `‖v‖² = vᵀMv` (the root of twice the kinetic energy, √J).
//!
//! # The number of LCPs of a sample
//!
//! Let the friction cone be [pointed](crate::friction_cone), with `r` and `c`. When contacts still
//! approach after step `k`, one of them took its full increment (complementarity of the step), so all
//! normal percussions of the step together are at least `h X_k`, with the smallest draw
//! `X_k = min_i U_{k,i}` of `m` contacts. They push along `r` by `c h X_k` or more. After `K` such steps
//!
//! ```math
//! c\,h \sum_{k=1}^{K} X_k \;\le\; r^\mathsf{T} M (v_K - v_0)
//! \;\le\; \|v_0\| - r^\mathsf{T} M v_0 \;=:\; c\,h\,a ,
//! ```
//!
//! by Cauchy and Schwarz and because no step gains energy. Hence more than `K` LCPs need
//! `Σ X_k ≤ a`. The `X_k ∈ [0, 1]` are independent with the density `m (1 − x)^{m−1}` and the mean
//! `1/(m+1)`, so
//!
//! ```math
//! P(Z > K) \;\le\; \exp\Bigl(-\frac{2}{K}\Bigl(\frac{K}{m+1} - a\Bigr)^{2}\Bigr)
//! \quad\text{for } K \ge (m+1)\,a ,
//! \qquad
//! P(Z > K) \;\le\; e^{K - (m-1) a} \Bigl(\frac{m a}{K}\Bigr)^{K}
//! \quad\text{for } K \ge m a .
//! ```
//!
//! The first is Hoeffding's inequality. The second is `e^{θa} (E e^{−θX})^K` at `θ = K/a − (m − 1)`,
//! with `E e^{−θX} ≤ m/(m − 1 + θ)` from `(1 − x)^{m−1} ≤ e^{−(m−1)x}`; it is better for large `K`,
//! where it falls faster than exponentially. `Z` is a stopping time with `Σ_{k<Z} X_k ≤ a` and
//! `X_Z ≤ 1`, so by Wald's identity its mean is at most `(m + 1)(a + 1)`.
//!
//! Halm and Posa's theorem has the first bound with `2 ‖v_0‖` in place of `‖v_0‖ − r·M v_0`, in
//! Euclidean norms; the form here is never weaker in the metric of kinetic energy.
//!
//! # How densely samples lie
//!
//! Let `f` map the unit cube of dimension `n` to velocities with Lipschitz constant `L`. Divide the cube
//! into `Kⁿ` cells of side `1/K`, `K = ⌈√n L/ε⌉`. Two points of a cell have images at most
//! `L √n/K ≤ ε` apart, so samples in all cells make the images an ε-net of `f`'s image. One cell stays
//! empty with probability `(1 − K⁻ⁿ)^S`, and any of them with at most
//!
//! ```math
//! \delta \;=\; K^n \bigl(1 - K^{-n}\bigr)^{S} \;\le\; K^n e^{-S K^{-n}} .
//! ```
//!
//! (The lemma of Halm and Posa puts balls around grid points instead; cells need fewer samples, as a
//! cell is as wide as two half balls.) For `N` steps and `m` contacts `n = N m`, and `f` exists only
//! where the steps have unique velocities. If one step is Lipschitz with `L_v` in the velocity and
//! `L_λ` in the increments, then `L = h L_λ (1 + L_v² + … + L_v^{2(N−1)})^{1/2}` by Cauchy and Schwarz.
//!
//! Without friction `L_v = 1` and `L_λ² = λ_max(N M⁻¹ Nᵀ)` with the normal rows `N`: the step is
//! `v' + M⁻¹ Nᵀ F(N v') ∋ v`, where `F_i` is `−λ̄_i` for approach, 0 for separation and all between at
//! rest. This `F` is monotone, so the step is a resolvent, and changing `λ̄` changes the percussions
//! that act at a given `v'` by at most as much. With friction `F` is not monotone, and
//! no constant is known before: **then the count is proved for the draws only** (a net of the cube of
//! draws, `L = 1`), and for outcomes under the `L` the caller vouches for. A ratio of differences of
//! outcomes to differences of draws, the largest of many, estimates `L` from below.
//!
//! The last small step of samples that still approach moves a velocity by at most
//! [`closing_distance`]; add it to `ε`.
//!
//! # What is proved without a Lipschitz constant
//!
//! Let `t` be the largest value of a functional in `S` independent samples. The probability `p` that
//! one more sample exceeds it is more than `1 − δ^{1/S}` with probability at most `δ`, whatever the
//! law: all samples lie below the point that is exceeded with probability at most `p`, each with
//! probability at most `1 − p`. For `f` functionals together `δ/f` takes the place of `δ`. This is
//! [`unseen`]; it says how probable what was missed is, and not how far away.
//!
//! # Source
//!
//! M. Halm, M. Posa, "Set-valued rigid-body dynamics for simultaneous, inelastic, frictional impacts",
//! *International Journal of Robotics Research* 43 (2024), lemmas 1 and 6, theorems 8 and 9;
//! W. Hoeffding, "Probability inequalities for sums of bounded random variables", *Journal of the
//! American Statistical Association* 58 (1963) 13–30;
//! A. Wald, "On cumulative sums of random variables", *Annals of Mathematical Statistics* 15 (1944)
//! 283–296.

use std::fmt;

use nalgebra::{DMatrix, DVector};

use crate::{Problem, friction_cone::Pointed, outcome::Trace, readable::readable};

#[cfg(test)]
mod tests;

/// Why nothing can be said.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An argument is outside its documented range.
    #[error("`{name}` is {}, expected {expected}", readable(*.value))]
    Argument {
        /// Name of the argument.
        name: &'static str,
        /// Its value.
        value: f64,
        /// Its range.
        expected: &'static str,
    },
}

/// Bounds of the number of LCPs that a sample needs when its steps are not limited.
///
/// # Example
///
/// A block of 1 m × 2 m and 1 kg falls flat at 0.443 m/s on two corners with `μ = 1`. Upwards every
/// percussion pushes with its normal part, so `c = 1 kg^−½` and `a = 2 · 0.443/0.3 = 2.95`: at most
/// 11.9 LCPs in the mean (samples take 2.48), and more than 30 with a probability below 4e-10.
///
/// ```
/// use nalgebra::{DMatrix, dvector};
/// use percussion_impact::{Contact, Mass, Problem, friction_cone, guarantee::LcpBound};
///
/// let corner = |x: f64| {
///     Contact::new(dvector![0.0, 1.0, x]).with_friction(1.0, vec![dvector![1.0, 0.0, 1.0]])
/// };
/// let mass = Mass::Matrix(DMatrix::from_diagonal(&dvector![1.0, 1.0, 5.0 / 12.0]));
/// let speed = (2.0 * 9.81 * 0.01_f64).sqrt();
/// let block =
///     Problem::new(mass, dvector![0.0, -speed, 0.0], vec![corner(-0.5), corner(0.5)])?;
///
/// let cone = friction_cone::analyze(&block, &friction_cone::Settings::default())?;
/// let friction_cone::FrictionCone::Pointed(pointed) = cone else { panic!() };
/// let bound = LcpBound::new(&block, &pointed, 0.3)?;
/// assert!((bound.mean() - 11.86).abs() < 0.01);
/// assert!((bound.tail(30) / 3.7e-10 - 1.0).abs() < 0.1);
/// assert_eq!(bound.lcps_for(1e-6)?, 25.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LcpBound {
    contacts: f64,
    /// `a`.
    reach: f64,
}

impl LcpBound {
    /// The bound for `problem`, with the direction of its cone and the largest increment `step` (`h`,
    /// N·s, > 0). The cone must be that of the facets the samples use.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] when `step` or the constant of the cone is not positive, or when the
    /// direction has the wrong length.
    pub fn new(problem: &Problem, cone: &Pointed, step: f64) -> Result<Self, Error> {
        positive("step", step)?;
        if cone.constant.is_nan() || cone.constant <= 0.0 {
            let (name, expected) = ("cone.constant", "a positive number");
            return Err(Error::Argument { name, value: cone.constant, expected });
        }
        if cone.direction.len() != problem.dimension() {
            let (name, expected) = ("length of cone.direction", "the number of velocities");
            return Err(Error::Argument { name, value: cone.direction.len() as f64, expected });
        }
        // What the joints leave of the velocity, where the samples start.
        let none = DVector::zeros(problem.contact_jacobian().nrows());
        let start = problem.outcome(&none, Trace::resolved(Vec::new())).velocity;
        let norm = (2.0 * problem.kinetic_energy(&start)).max(0.0).sqrt();
        let way = (norm - cone.direction.dot(&problem.momentum(&start))).max(0.0);
        Ok(Self { contacts: problem.contacts().len() as f64, reach: way / (cone.constant * step) })
    }

    /// `a`: what the smallest draws of all steps but the last sum to at most (dimensionless).
    #[must_use]
    pub const fn reach(&self) -> f64 {
        self.reach
    }

    /// Bound of the mean number of LCPs, `(m + 1)(a + 1)`; zero without contacts.
    #[must_use]
    pub fn mean(&self) -> f64 {
        if self.contacts == 0.0 { 0.0 } else { (self.contacts + 1.0) * (self.reach + 1.0) }
    }

    /// Bound of the probability of more than `lcps` LCPs: the better of the two, in `[0, 1]`.
    #[must_use]
    pub fn tail(&self, lcps: u64) -> f64 {
        self.tail_at(lcps as f64)
    }

    /// Hoeffding's bound of the probability of more than `lcps` LCPs, in `[0, 1]`.
    #[must_use]
    pub fn hoeffding(&self, lcps: u64) -> f64 {
        self.hoeffding_at(lcps as f64)
    }

    /// Chernoff's bound of the probability of more than `lcps` LCPs, in `[0, 1]`.
    #[must_use]
    pub fn chernoff(&self, lcps: u64) -> f64 {
        self.chernoff_at(lcps as f64)
    }

    /// The least number of LCPs that is exceeded with at most this probability (in `(0, 1]`), a whole
    /// number; above 2⁵³ to 16 digits, and infinite beyond all numbers.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] when `probability` is outside its range.
    pub fn lcps_for(&self, probability: f64) -> Result<f64, Error> {
        confidence("probability", probability)?;
        let mut high = 1.0;
        while self.tail_at(high) > probability {
            high *= 2.0;
            if high == f64::INFINITY {
                return Ok(high);
            }
        }
        let mut low = 0.0;
        // Halving an interval of doubles ends after 53 steps at the latest.
        while high - low > 1.0 {
            let middle = f64::floor(low + (high - low) / 2.0);
            if middle <= low || middle >= high {
                break;
            }
            if self.tail_at(middle) > probability {
                low = middle;
            } else {
                high = middle;
            }
        }
        Ok(if self.tail_at(low) <= probability { low } else { high })
    }

    fn tail_at(&self, lcps: f64) -> f64 {
        self.hoeffding_at(lcps).min(self.chernoff_at(lcps))
    }

    fn hoeffding_at(&self, lcps: f64) -> f64 {
        if self.contacts == 0.0 {
            return 0.0;
        }
        let excess = lcps / (self.contacts + 1.0) - self.reach;
        if excess > 0.0 { (-2.0 * excess * (excess / lcps)).exp() } else { 1.0 }
    }

    fn chernoff_at(&self, lcps: f64) -> f64 {
        if self.contacts == 0.0 {
            return 0.0;
        }
        let start = self.contacts * self.reach;
        if lcps <= start || lcps == 0.0 {
            return 1.0;
        }
        let exponent = lcps * (1.0 + (start / lcps).ln()) - (self.contacts - 1.0) * self.reach;
        exponent.exp().min(1.0)
    }
}

/// How densely the images of uniform samples from the unit cube lie in its image.
///
/// # Example
///
/// Two frictionless contacts, `W = I`, and two steps with `h = 0.1` have `L = 0.1 √2` and `n = 4`. For
/// `ε = 0.1 √J` and `δ = 1 %` the cube has 3⁴ cells, and 725 samples reach them all.
///
/// ```
/// use percussion_impact::guarantee::Cover;
///
/// let cover = Cover::new(4, 0.1 * 2.0_f64.sqrt())?;
/// assert_eq!(cover.samples_for(0.1, 0.01)?.to_string(), "725");
/// assert!(cover.failure(725, 0.1)? <= 0.01 && cover.failure(724, 0.1)? > 0.01);
/// assert!((cover.radius_for(725, 0.01)? - 0.4 * 2.0_f64.sqrt() / 6.0).abs() < 1e-15);
///
/// // The same for ten steps, with n = 20, is out of reach.
/// let long = Cover::new(20, 0.1 * 10.0_f64.sqrt())?;
/// assert_eq!(long.samples_for(0.1, 0.01)?.to_string(), "about 2.0e25");
/// # Ok::<(), percussion_impact::guarantee::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cover {
    dimension: f64,
    lipschitz: f64,
}

impl Cover {
    /// Samples from a cube of this dimension (`n = N m`, ≥ 1) under a map with this Lipschitz constant
    /// (`L`, ≥ 0, in the unit of the radii: √J in the metric of kinetic energy; 1 for the draws).
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] when an argument is outside its range.
    pub fn new(dimension: u64, lipschitz: f64) -> Result<Self, Error> {
        if dimension == 0 {
            let (name, expected) = ("dimension", "at least 1");
            return Err(Error::Argument { name, value: 0.0, expected });
        }
        if !(0.0..f64::INFINITY).contains(&lipschitz) {
            let (name, expected) = ("lipschitz", "a finite number of at least 0");
            return Err(Error::Argument { name, value: lipschitz, expected });
        }
        Ok(Self { dimension: dimension as f64, lipschitz })
    }

    /// Bound `δ` of the probability that `samples` images are not a net of this `radius` (`ε` > 0), in
    /// `[0, 1]`.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] when the radius is not positive.
    pub fn failure(&self, samples: u64, radius: f64) -> Result<f64, Error> {
        positive("radius", radius)?;
        Ok(self.log_failure(samples as f64, self.cells(radius)).exp().min(1.0))
    }

    /// How many samples make a net of this `radius` (`ε` > 0), but for the probability `failure` (`δ`,
    /// in `(0, 1]`).
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] when an argument is outside its range.
    pub fn samples_for(&self, radius: f64, failure: f64) -> Result<Count, Error> {
        positive("radius", radius)?;
        confidence("failure", failure)?;
        let log_cells = self.dimension * self.cells(radius).ln();
        let factor = log_cells - failure.ln();
        let cell = (-log_cells).exp();
        // Where ln(1 − x) is −x to all digits the quotient may overflow, its logarithm does not.
        let log = if cell > f64::EPSILON {
            let samples = (factor / -(-cell).ln_1p()).ceil().max(1.0);
            samples.ln()
        } else {
            factor.ln() + log_cells
        };
        Ok(Count { log })
    }

    /// The radius `ε` of the net that this many samples (≥ 1) make, but for the probability `failure`
    /// (`δ`, in `(0, 1]`). Never more than the diameter `L √n` of the image.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] when an argument is outside its range.
    pub fn radius_for(&self, samples: u64, failure: f64) -> Result<f64, Error> {
        confidence("failure", failure)?;
        if samples == 0 {
            let (name, expected) = ("samples", "at least 1");
            return Err(Error::Argument { name, value: 0.0, expected });
        }
        let samples = samples as f64;
        // More cells than samples cannot all be reached.
        let (mut low, mut high) = (1.0, samples.powf(1.0 / self.dimension).floor() + 2.0);
        while high - low > 1.0 {
            let middle = f64::floor((low + high) / 2.0);
            if middle <= low || middle >= high {
                break;
            }
            if self.log_failure(samples, middle) <= failure.ln() {
                low = middle;
            } else {
                high = middle;
            }
        }
        Ok(self.lipschitz * self.dimension.sqrt() / low)
    }

    /// `K`, cells along an edge of the cube.
    fn cells(&self, radius: f64) -> f64 {
        // An image that a radius exceeds by rounding alone needs no more cells.
        (self.dimension.sqrt() * self.lipschitz / radius * (1.0 - 4.0 * f64::EPSILON))
            .ceil()
            .max(1.0)
    }

    fn log_failure(&self, samples: f64, cells: f64) -> f64 {
        let log_cells = self.dimension * cells.ln();
        log_cells + samples * (-(-log_cells).exp()).ln_1p()
    }
}

/// A number of samples that may exceed all numbers a computer holds.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Count {
    /// Natural logarithm.
    log: f64,
}

impl Count {
    /// The number, or infinity above 1.8e308.
    #[must_use]
    pub fn value(self) -> f64 {
        let value = self.log.exp();
        if value < 1e15 { value.round() } else { value }
    }

    /// Its decimal logarithm, finite unless the count is beyond `10^(10^308)`.
    #[must_use]
    pub fn log10(self) -> f64 {
        self.log / std::f64::consts::LN_10
    }
}

impl fmt::Display for Count {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let log10 = self.log10();
        if self.value() < 1e7 {
            write!(formatter, "{}", self.value())
        } else if log10 < 300.0 {
            write!(formatter, "about {:.1e}", self.value())
        } else {
            write!(formatter, "about 10^{log10:.0}, more than can ever be computed")
        }
    }
}

/// Lipschitz constant of `steps` steps (`N`) in their draws, if one step has the constants `velocity`
/// (`L_v`, dimensionless) and `increment` (`L_λ`, √J per N·s) and the largest increment is `step` (`h`,
/// N·s): `h L_λ (Σ_{j<N} L_v^{2j})^{1/2}` (√J). Infinite when that overflows.
#[must_use]
pub fn steps_lipschitz(velocity: f64, increment: f64, step: f64, steps: usize) -> f64 {
    let ratio = velocity * velocity;
    let count = steps as f64;
    let sum = if (ratio - 1.0).abs() * count < f64::EPSILON {
        count
    } else {
        (count * ratio.ln()).exp_m1() / (ratio - 1.0)
    };
    step * increment * sum.sqrt()
}

/// Lipschitz constant of `steps` steps with the largest increment `step` (N·s) in their draws, in the
/// metric of kinetic energy (√J): `h √(N λ_max)`, with the largest eigenvalue of the normal part of the
/// Delassus operator. None when there is friction, where it is not known.
///
/// # Example
///
/// Two masses of 4 kg, each with a contact of its own: `λ_max = 1/4 kg⁻¹`.
///
/// ```
/// use nalgebra::{dmatrix, dvector};
/// use percussion_impact::{Contact, Mass, Problem, guarantee::frictionless_lipschitz};
///
/// let corners = vec![Contact::new(dvector![1.0, 0.0]), Contact::new(dvector![0.0, 1.0])];
/// let mass = Mass::Matrix(dmatrix![4.0, 0.0; 0.0, 4.0]);
/// let problem = Problem::new(mass, dvector![-1.0, -1.0], corners)?;
/// assert_eq!(frictionless_lipschitz(&problem, 0.2, 9), Some(0.2 * 3.0 * 0.5));
/// # Ok::<(), percussion_impact::ProblemError>(())
/// ```
#[must_use]
pub fn frictionless_lipschitz(problem: &Problem, step: f64, steps: usize) -> Option<f64> {
    let contacts = problem.contacts();
    if contacts.iter().any(|contact| contact.friction > 0.0 && !contact.tangents.is_empty()) {
        return None;
    }
    let normal = |k: usize| problem.rows(k).start;
    let delassus = DMatrix::from_fn(contacts.len(), contacts.len(), |i, j| {
        problem.delassus()[(normal(i), normal(j))]
    });
    let largest = if contacts.is_empty() { 0.0 } else { delassus.symmetric_eigenvalues().max() };
    Some(steps_lipschitz(1.0, largest.max(0.0).sqrt(), step, steps))
}

/// How far the last small step with normal percussions of at most `increment` (N·s) can move a
/// velocity, in the metric of kinetic energy (√J): what all percussions could do one by one.
#[must_use]
pub fn closing_distance(problem: &Problem, increment: f64) -> f64 {
    let sizes = problem.free_row_sizes();
    let reach = problem.contacts().iter().enumerate().map(|(k, contact)| {
        let size = sizes.rows_range(problem.rows(k));
        size[0] + contact.friction * size.rows_range(1..).norm()
    });
    increment * reach.sum::<f64>()
}

/// The probability that one more sample exceeds the largest value that any of `functionals` (≥ 1) took
/// in `samples` (≥ 1) independent samples is at most this, but for the probability `failure` (in
/// `(0, 1]`): `1 − (δ/f)^{1/S}`.
///
/// # Errors
///
/// [`Error::Argument`] when an argument is outside its range.
///
/// # Example
///
/// A bounding box in the plane has four sides. After 2¹⁶ samples one more lies outside it with a
/// probability of at most 2.3e-4, and this is wrong once in a million times.
///
/// ```
/// use percussion_impact::guarantee::unseen;
///
/// assert!((unseen(1 << 16, 4, 1e-6)? / 2.32e-4 - 1.0).abs() < 1e-3);
/// # Ok::<(), percussion_impact::guarantee::Error>(())
/// ```
pub fn unseen(samples: u64, functionals: u64, failure: f64) -> Result<f64, Error> {
    confidence("failure", failure)?;
    for (name, count) in [("samples", samples), ("functionals", functionals)] {
        if count == 0 {
            return Err(Error::Argument { name, value: 0.0, expected: "at least 1" });
        }
    }
    Ok(-((failure / functionals as f64).ln() / samples as f64).exp_m1())
}

fn positive(name: &'static str, value: f64) -> Result<(), Error> {
    if value.is_nan() || value <= 0.0 || value == f64::INFINITY {
        return Err(Error::Argument { name, value, expected: "a finite positive number" });
    }
    Ok(())
}

fn confidence(name: &'static str, value: f64) -> Result<(), Error> {
    if value.is_nan() || value <= 0.0 || value > 1.0 {
        return Err(Error::Argument { name, value, expected: "a probability in (0, 1]" });
    }
    Ok(())
}
