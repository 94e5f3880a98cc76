//! Design of mechanisms whose impacts have one outcome: finds the nearest point where contacts touch at once
//! and their normals make the angles that [uniqueness](crate::propagative::order_never_matters) requires.
//!
//! The variables `x` are coordinates, lengths, masses or any other parameters of the caller's model, with a
//! start `x₀`. The gaps `g_i(x)` of some contacts and the products `⟨u_i, u_j⟩(x)` of their unit normals in
//! the kinetic metric have prescribed values. These are `m` equations `r(x) = 0`, usually fewer than
//! variables, so that many points solve them. Among the solutions within the bounds, the answer is the
//! nearest to the start *among its neighbors*, in distances measured by the scale `s` of each variable: a
//! local minimum of
//!
//! ```math
//! \min_x \tfrac12 \sum_k \Bigl(\frac{x_k - x_{0k}}{s_k}\Bigr)^2
//! \quad\text{with}\quad r(x) = 0,\; l \le x \le h .
//! ```
//!
//! First, damped least squares (Levenberg–Marquardt) lead to a solution. With `z = (x − x₀)/s` and the
//! Jacobian `J` of `r`, each step ends at the point that minimizes `‖y − z‖² + ‖r + J (y − z)‖²/μ` within the
//! bounds; for `μ → 0` this is the shortest step that satisfies the linearized equations. Then the solution
//! slides along the equations towards the start. Each step aims at the point nearest to the start that
//! satisfies the linearized equations. It goes as far in that direction as the distance still decreases after
//! least squares have restored the equations. When no step remains, the point is nearest to first order.
//!
//! - **Needs** a model that is smooth within the bounds and up to a thousandth of a scale beyond them.
//! - **Derivatives** are fourth-order differences, with an error estimate in [`Report::derivative_error`],
//!   which reveals a model that is not smooth.
//! - **Does not** distinguish a global minimum from a local one: another start may find a nearer point.
//! - **Cost** per step four evaluations of the model for each variable, and products and factorizations of
//!   `m × n` and `m × m` matrices.
//! - **Deterministic**, and every loop is bounded: reaching a limit is a [`Status`].
//!
//! # Source
//!
//! V. Seghete, T. D. Murphey, "A propagative model of simultaneous impact: existence, uniqueness, and
//! design consequences", *IEEE Transactions on Automation Science and Engineering* 11 (2014) 154–168,
//! section VII-B, where a root of the underdetermined equations is sought by "a classic" algorithm.
//! D. W. Marquardt, "An algorithm for least-squares estimation of nonlinear parameters", *Journal of the
//! Society for Industrial and Applied Mathematics* 11 (1963) 431–441. The sliding is our own: projected
//! gradients on the manifold of solutions, with its linearization as chart.

use nalgebra::{DMatrix, DVector};

mod differences;
mod error;
mod projection;
mod search;
#[cfg(test)]
mod tests;

pub use error::Error;

use search::Search;

/// A variable of the design.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Variable {
    /// Starting value, within the bounds.
    pub start: f64,
    /// Minimum value; may be `−∞`.
    pub lower: f64,
    /// Maximum value; may be `∞`.
    pub upper: f64,
    /// A change of the variable that counts as much as one scale of every other variable (> 0).
    pub scale: f64,
}

impl Variable {
    /// A variable without bounds.
    #[must_use]
    pub const fn new(start: f64, scale: f64) -> Self {
        Self { start, lower: f64::NEG_INFINITY, upper: f64::INFINITY, scale }
    }

    /// Returns the variable with bounds.
    #[must_use]
    pub const fn within(self, lower: f64, upper: f64) -> Self {
        Self { lower, upper, ..self }
    }
}

/// The contacts of a model at one point of its variables.
#[derive(Clone, Debug, PartialEq)]
pub struct Posture {
    /// Gaps of the contacts that are to touch (m, positive when open).
    pub gaps: Vec<f64>,
    /// `⟨n_i, n_j⟩` of the normals of these contacts (kg⁻¹), of any length.
    pub products: DMatrix<f64>,
}

impl Posture {
    /// `⟨u_i, u_j⟩` of the unit normals of two contacts.
    ///
    /// # Panics
    ///
    /// If the products are not those of both contacts.
    #[must_use]
    pub fn cosine(&self, [i, j]: [usize; 2]) -> f64 {
        let products = &self.products;
        products[(i, j)] / products[(i, i)].sqrt() / products[(j, j)].sqrt()
    }
}

/// The wanted product of two unit normals in the kinetic metric.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Condition {
    /// Two contacts, by their indices in [`Posture::gaps`].
    pub contacts: [usize; 2],
    /// `⟨u_i, u_j⟩` (in `(−1, 1)`).
    pub cosine: f64,
}

impl Condition {
    /// `⟨u_i, u_j⟩ = −cos(π/m)`: `m` reflections resolve any approach at both contacts, in either order. 2
    /// prescribes orthogonal normals (theorem 2), 3 the product −½ (theorem 3).
    #[must_use]
    pub fn reflections(contacts: [usize; 2], m: u32) -> Self {
        let cosine = if m == 2 { 0.0 } else { -(std::f64::consts::PI / f64::from(m)).cos() };
        Self { contacts, cosine }
    }

    /// Orthogonal normals for each pair of `contacts` contacts.
    #[must_use]
    pub fn pairwise_orthogonal(contacts: usize) -> Vec<Self> {
        let pairs = (0..contacts).flat_map(|i| (i + 1..contacts).map(move |j| [i, j]));
        pairs.map(|pair| Self::reflections(pair, 2)).collect()
    }
}

/// Settings of [`solve`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Maximum gap that counts as touching (m, > 0, default `1e-10`).
    pub gap_tolerance: f64,
    /// Maximum deviation of `⟨u_i, u_j⟩` from its prescribed value (> 0, default `1e-10`).
    pub cosine_tolerance: f64,
    /// Gap with the same weight as an error of 1 in a product (m, > 0, default 0.1): the size of the
    /// mechanism.
    pub length: f64,
    /// Maximum length of the remaining step towards the start, relative to one plus the distance from it (in
    /// scales, > 0, default `1e-6`).
    pub nearness: f64,
    /// Maximum number of steps (≥ 1, default 1000).
    pub step_limit: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            gap_tolerance: 1e-10,
            cosine_tolerance: 1e-10,
            length: 0.1,
            nearness: 1e-6,
            step_limit: 1000,
        }
    }
}

/// How [`solve`] ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Status {
    /// The equations hold at a point that is nearest to the start to first order.
    Met,
    /// The equations hold, but nearer points could not be excluded: no step decreased the distance, or the
    /// step limit was reached before.
    Feasible,
    /// The equations do not hold, and to first order no step reduces their residual.
    Stationary,
    /// The step limit was reached before the equations held.
    Limit,
}

/// One step of a [`Report::path`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Step {
    /// The variables after the step.
    pub variables: Vec<f64>,
    /// `‖r‖`: gaps over [`Settings::length`], and products minus their prescribed values.
    pub residual: f64,
    /// Distance from the start, in scales.
    pub distance: f64,
    /// Whether the step slides towards the start; otherwise it restores the equations.
    pub slides: bool,
}

/// Result of [`solve`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Report {
    /// How it ended.
    pub status: Status,
    /// The variables at the best point: where the equations hold, or have the smallest residual.
    pub variables: Vec<f64>,
    /// Gaps there (m).
    pub gaps: Vec<f64>,
    /// `⟨u_i, u_j⟩` there, one for each condition.
    pub cosines: Vec<f64>,
    /// Distance from the start, in scales.
    pub distance: f64,
    /// Length of the remaining step towards the start along the linearized equations (in scales): zero at a
    /// nearest point. Infinite where the equations do not hold.
    pub left: f64,
    /// Largest estimated error of a derivative of `r` with respect to a variable in scales, over all points
    /// of the path.
    pub derivative_error: f64,
    /// Evaluations of the model.
    pub evaluations: usize,
    /// The points of the path, from the start on.
    pub path: Vec<Step>,
}

/// Finds a point where all contacts of `model` touch and `conditions` hold, the nearest to the start of
/// `variables` among its neighbors.
///
/// The model is evaluated up to a thousandth of a scale beyond the bounds. Where it fails at a trial step,
/// the step is shortened.
///
/// # Errors
///
/// See [`Error`]; failure to find a point is a [`Status`].
///
/// # Example
///
/// A cue ball of 1 kg at the origin touches two others, which lie in the directions `a` and `b`. The normals
/// have the product `cos(a − b)/(1 + 1/μ)` with the mass `μ` of the others: they are orthogonal if `a − b` is
/// 90°. From 40° and −20° both turn by 15°.
///
/// ```
/// use nalgebra::dmatrix;
/// use percussion_impact::design::{Condition, Posture, Settings, Status, Variable, solve};
///
/// let mut model = |x: &[f64]| {
///     let product = (x[0] - x[1]).cos();
///     Ok::<_, std::convert::Infallible>(Posture {
///         gaps: vec![0.0, 0.0],
///         products: dmatrix![2.0, product; product, 2.0],
///     })
/// };
/// let angles = [40.0_f64, -20.0].map(|degrees| Variable::new(degrees.to_radians(), 1.0));
/// let orthogonal = [Condition::reflections([0, 1], 2)];
/// let report = solve(&mut model, &angles, &orthogonal, &Settings::default())?;
/// assert_eq!(report.status, Status::Met);
/// assert!((report.variables[0] - 55.0_f64.to_radians()).abs() < 1e-9);
/// assert!((report.variables[1] + 35.0_f64.to_radians()).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn solve<E>(
    model: &mut dyn FnMut(&[f64]) -> Result<Posture, E>,
    variables: &[Variable],
    conditions: &[Condition],
    settings: &Settings,
) -> Result<Report, Error<E>> {
    check(variables, conditions, settings)?;
    let start: Vec<f64> = variables.iter().map(|variable| variable.start).collect();
    let contacts = model(&start).map_err(Error::Model)?.gaps.len();
    for (index, condition) in conditions.iter().enumerate() {
        let [i, j] = condition.contacts;
        if i >= contacts || j >= contacts || i == j {
            return Err(Error::Contacts { index, pair: [i, j], contacts });
        }
    }
    let equations = Equations { model, variables, conditions, settings, contacts, evaluations: 1 };
    Search::new(equations)?.run()
}

fn check<E>(
    variables: &[Variable],
    conditions: &[Condition],
    settings: &Settings,
) -> Result<(), Error<E>> {
    let positive = |value: f64| value > 0.0 && value.is_finite();
    for (name, value) in [
        ("gap_tolerance", settings.gap_tolerance),
        ("cosine_tolerance", settings.cosine_tolerance),
        ("length", settings.length),
        ("nearness", settings.nearness),
        ("step_limit", settings.step_limit as f64),
    ] {
        if !positive(value) {
            return Err(Error::Setting { name, value, expected: "a positive finite number" });
        }
    }
    for (index, variable) in variables.iter().enumerate() {
        let refuse =
            |field, value, expected| Err(Error::Variable { index, field, value, expected });
        let Variable { start, lower, upper, scale } = *variable;
        if !positive(scale) {
            return refuse("scale", scale, "a positive finite number");
        }
        if lower.is_nan() || lower == f64::INFINITY {
            return refuse("lower", lower, "a number or −∞");
        }
        if upper.is_nan() || upper < lower {
            return refuse("upper", upper, "a number or ∞, not below `lower`");
        }
        if !(start.is_finite() && lower <= start && start <= upper) {
            return refuse("start", start, "a finite number within the bounds");
        }
    }
    for (index, condition) in conditions.iter().enumerate() {
        if condition.cosine.is_nan() || condition.cosine.abs() >= 1.0 {
            return Err(Error::Cosine { index, value: condition.cosine });
        }
    }
    Ok(())
}

/// `r(z)`, with the variables `z` in scales from the start.
struct Equations<'a, E> {
    model: &'a mut dyn FnMut(&[f64]) -> Result<Posture, E>,
    variables: &'a [Variable],
    conditions: &'a [Condition],
    settings: &'a Settings,
    contacts: usize,
    evaluations: usize,
}

impl<E> Equations<'_, E> {
    fn count(&self) -> usize {
        self.contacts + self.conditions.len()
    }

    /// The variables of the model.
    fn variables(&self, z: &DVector<f64>) -> Vec<f64> {
        let value = |(variable, z): (&Variable, &f64)| variable.start + variable.scale * z;
        self.variables.iter().zip(z.iter()).map(value).collect()
    }

    /// Bounds of `z`.
    fn bounds(&self) -> [DVector<f64>; 2] {
        let of = |bound: fn(&Variable) -> f64| {
            let scaled = |variable: &Variable| (bound(variable) - variable.start) / variable.scale;
            DVector::from_iterator(self.variables.len(), self.variables.iter().map(scaled))
        };
        [of(|variable| variable.lower), of(|variable| variable.upper)]
    }

    fn residual(&mut self, z: &DVector<f64>) -> Result<DVector<f64>, Error<E>> {
        self.evaluations += 1;
        let variables = self.variables(z);
        let posture = (self.model)(&variables).map_err(Error::Model)?;
        let (found, sides) = (posture.gaps.len(), posture.products.shape());
        if found != self.contacts || sides != (found, found) {
            return Err(Error::Shape { expected: self.contacts, found, sides });
        }
        let gaps = posture.gaps.iter().map(|gap| gap / self.settings.length);
        let cosines = self.conditions.iter();
        let cosines = cosines.map(|one| posture.cosine(one.contacts) - one.cosine);
        let residual = DVector::from_iterator(self.count(), gaps.chain(cosines));
        match residual.iter().position(|value| !value.is_finite()) {
            Some(equation) => Err(Error::NotFinite { equation, value: residual[equation] }),
            None => Ok(residual),
        }
    }

    fn holds(&self, residual: &DVector<f64>) -> bool {
        let Settings { gap_tolerance, cosine_tolerance, length, .. } = *self.settings;
        residual.iter().enumerate().all(|(i, value)| {
            let tolerance =
                if i < self.contacts { gap_tolerance / length } else { cosine_tolerance };
            value.abs() <= tolerance
        })
    }
}
