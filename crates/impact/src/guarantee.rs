//! What a given number of LCPs or samples proves about a set of outcomes, and how many a proof requires.
//!
//! All results hold for [`set_valued`](crate::set_valued) with independent uniform draws, steps solved
//! exactly, and norms `‖v‖² = vᵀMv` (the root of twice the kinetic energy, √J).
//!
//! # The number of LCPs of a sample
//!
//! Let the friction cone be [pointed](crate::friction_cone), with `r` and `c`. When contacts still
//! approach after step `k`, one of them took its full increment (complementarity of the step), so all
//! normal impulses of the step together are at least `h X_k`, with the smallest draw
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
//! (The lemma of Halm and Posa places balls around grid points instead; cells need fewer samples, because a
//! cell is as wide as two half balls.) For `N` steps and `m` contacts `n = N m`, and `f` exists only
//! where the steps have unique velocities. If one step is Lipschitz with `L_v` in the velocity and
//! `L_λ` in the increments, then `L = h L_λ (1 + L_v² + … + L_v^{2(N−1)})^{1/2}` by Cauchy and Schwarz.
//!
//! Without friction `L_v = 1` and `L_λ² = λ_max(N M⁻¹ Nᵀ)` with the normal rows `N`: the step is
//! `v' + M⁻¹ Nᵀ F(N v') ∋ v`, where `F_i` is `−λ̄_i` for approach, 0 for separation and all between at
//! rest. This `F` is monotone, so the step is a resolvent, and changing `λ̄` changes the impulses
//! that act at a given `v'` by at most as much. With friction `F` is not monotone, and no constant is known
//! in advance. **The count is then proved only for the draws** (a net of the cube of draws, `L = 1`), and for
//! outcomes only with an `L` that the caller supplies. The largest of many ratios between differences of
//! outcomes and differences of draws estimates `L` from below.
//!
//! The last small step of samples that still approach moves a velocity by at most [`closing_distance`]. An
//! outcome that is reached without this step lies within `ε` of the `N`-th velocity of some sample, which
//! either is an outcome that was found or is moved to one by the step. Hence `ε` plus this distance bounds
//! how far the outcomes of `N` steps are from those found, **provided that every sample ended**. (Two
//! outcomes of last steps are `ε` plus twice the distance apart; without friction `ε` alone, because the last
//! step with its fixed increments is a resolvent in the velocity, too.)
//!
//! # What is proved without a Lipschitz constant
//!
//! Let `t_1 … t_f` be the largest values of `f` functionals in `S` independent samples, and `V` the
//! probability that one more sample exceeds any of them. If the functionals are the sides of a box, this is
//! the probability that the sample lies outside the box. Then, for any distribution of the samples and any
//! dependence between the functionals,
//! ```math
//! P(V > \varepsilon) \;\le\; P\bigl(\mathrm{Bin}(S, \varepsilon) \le f - 1\bigr)
//! \;=\; \sum_{i=0}^{f-1} \binom{S}{i} \varepsilon^i (1 - \varepsilon)^{S-i} .
//! ```
//!
//! Proof, after Tukey: ties are broken by a further draw, so that each value has a continuous distribution.
//! Cut at the largest value of the first functional and set aside the sample that attains it. The other
//! `S − 1` are independent and distributed as samples below the cut, so cut them at their largest value of
//! the second functional, and so on. The `j`-th cut keeps the fraction `U_j` of the remaining probability,
//! where `U_j` is the largest of `S − j + 1` uniform numbers and independent of the previous cuts. All cuts
//! together keep `U_1 ⋯ U_f`, which is the `f`-th largest of `S` uniform numbers: it is below `1 − ε` if
//! fewer than `f` of them are above. The `t_j` are no smaller than the cuts, so that `V ≤ 1 − U_1 ⋯ U_f`.
//!
//! [`unseen`] is the `ε` at which the right side is `δ`. With one functional it is `1 − δ^{1/S}`. Replacing
//! `δ` by `δ/f` there would bound each of `f` sides separately, but not all of them together: with `S = 100`,
//! `f = 4` and `δ = 0.05` it gives 0.043. Four mutually exclusive sides exceed this with probability 0.37,
//! and the sides of a box around uniform points of a square with 0.36. The `ε` for all four together is
//! 0.076.
//!
//! Samples that do not end have no outcome. Given the number of those that ended, they are independent and
//! distributed as a sample that ends. So `S` is their number, and `V` refers to one more sample *that ends*.
//! These results bound the probability of what was missed, but not its distance.
//!
//! # Source
//!
//! M. Halm, M. Posa, "Set-valued rigid-body dynamics for simultaneous, inelastic, frictional impacts",
//! *International Journal of Robotics Research* 43 (2024), lemmas 1 and 6, theorems 8 and 9;
//! J. W. Tukey, "Nonparametric estimation II. Statistically equivalent blocks and tolerance regions: the
//! continuous case", *Annals of Mathematical Statistics* 18 (1947) 529–539; M. C. Campi, S. Garatti, "The
//! exact feasibility of randomized solutions of uncertain convex programs", *SIAM Journal on Optimization*
//! 19 (2008) 1211–1230 (the same bound for programs with `f` variables);
//! W. Hoeffding, "Probability inequalities for sums of bounded random variables", *Journal of the
//! American Statistical Association* 58 (1963) 13–30;
//! A. Wald, "On cumulative sums of random variables", *Annals of Mathematical Statistics* 15 (1944)
//! 283–296.

use nalgebra::{DMatrix, DVector};

use crate::{Problem, friction_cone::Pointed, outcome::Trace, readable::readable};

mod cover;
mod proportion;
#[cfg(test)]
mod tests;
mod unseen;

pub use cover::{Count, Cover};
pub use proportion::proportion;
pub use unseen::unseen;

/// Error for an argument outside its range.
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

/// Bounds of the number of LCPs that a sample needs when its number of steps is not limited.
///
/// # Example
///
/// A block of 1 m × 2 m and 1 kg falls flat at 0.443 m/s on two corners with `μ = 1`. In the upward direction
/// every impulse pushes with its normal part, so `c = 1 kg^−½` and `a = 2 · 0.443/0.3 = 2.95`. A sample takes
/// at most 11.9 LCPs on average (measured: 2.48), and more than 30 with a probability below 4e-10.
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
    /// Returns the bound for `problem`, with the direction of its cone and the maximum increment `step` (`h`,
    /// N·s, > 0). The cone must be that of the facets that the samples use.
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
        // The velocity after the joints are enforced, where the samples start.
        let none = DVector::zeros(problem.contact_jacobian().nrows());
        let start = problem.outcome(&none, Trace::resolved(Vec::new())).velocity;
        let norm = (2.0 * problem.kinetic_energy(&start)).max(0.0).sqrt();
        let way = (norm - cone.direction.dot(&problem.momentum(&start))).max(0.0);
        Ok(Self { contacts: problem.contacts().len() as f64, reach: way / (cone.constant * step) })
    }

    /// `a`: upper bound of the sum of the smallest draws of all steps but the last (dimensionless).
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

    /// The smallest number of LCPs that is exceeded with at most this probability (in `(0, 1]`). It is a
    /// whole number; above 2⁵³ it has 16 digits, and on overflow it is infinite.
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
        // Bisection of an interval of doubles ends after 53 steps at the latest.
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

/// Lipschitz constant of `steps` steps (`N`) as a function of their draws: `h L_λ (Σ_{j<N} L_v^{2j})^{1/2}`
/// (√J). One step has the constants `velocity` (`L_v`, dimensionless) and `increment` (`L_λ`, √J per N·s),
/// and the maximum increment is `step` (`h`, N·s). Infinite on overflow.
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

/// Lipschitz constant of `steps` steps with the maximum increment `step` (N·s) as a function of their draws,
/// in the metric of kinetic energy (√J): `h √(N λ_max)`, with the largest eigenvalue of the normal part of
/// the Delassus operator. `None` when there is friction, where it is not known.
///
/// # Example
///
/// Two masses of 4 kg, each with one contact: `λ_max = 1/4 kg⁻¹`.
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

/// Maximum distance by which the last small step, with normal impulses of at most `increment` (N·s), can move
/// a velocity, in the metric of kinetic energy (√J): the sum of the effects of the single impulses.
#[must_use]
pub fn closing_distance(problem: &Problem, increment: f64) -> f64 {
    let sizes = problem.free_row_sizes();
    let reach = problem.contacts().iter().enumerate().map(|(k, contact)| {
        let size = sizes.rows_range(problem.rows(k));
        size[0] + contact.friction * size.rows_range(1..).norm()
    });
    increment * reach.sum::<f64>()
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
