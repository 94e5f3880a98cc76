//! Proofs that a frictional contact problem has no solution, by weights of the normals on which no impulse has
//! an effect.

use nalgebra::{DMatrix, DVector, Vector3};

use super::{Delassus, Problem, cone};
use crate::{
    compensated::Sum,
    lcp::{self, lemke},
};

/// Rounding of an entry of `W`, relative to `√(w_i w_j)`, that the proof allows for each contact.
pub(super) const ROUNDING: f64 = 48.0 * f64::EPSILON;

/// Weights of the normals on which no impulse has an effect; see the head of the module.
///
/// Both laws require `u_N ≥ 0`. Let `y ≥ 0` be weights of the contacts, `q = (y, 0, 0)` contact by contact and
/// `g = Wᵀ q`. For any impulses `p` in their cones, with `u = W p + u_f`,
///
/// ```math
/// \sum_i y_i u_{N,i} = q \cdot u_f + \sum_i g_i \cdot p_i \;\le\; q \cdot u_f + \sum_i h_i \|p_i\|,\qquad
/// h_i = \min\bigl( \|g_i\|,\; \max(0,\, g_{N,i} + \mu_i \|g_{T,i}\|) \bigr) .
/// ```
///
/// If `q·u_f < 0` and all `h_i` are zero, the sum is negative for every `p`, so some contact approaches: there
/// is no solution. The smallest example is a moving body between two walls, with equal weights. For a positive
/// semidefinite `W` this is Farkas' lemma: `h = 0` holds exactly if `W q = 0`, and if no such `y` exists, some
/// impulses along the normals prevent every approach.
///
/// **Rounding.** Entries of `W` are rounded, so `g` is small instead of zero. It is then only proved that every
/// solution has a contact with
///
/// ```math
/// w_i \|p_i\| \;\ge\; R = \frac{-q \cdot u_f}{\sum_i h_i / w_i} ,
/// ```
///
/// the [reach](Infeasibility::reach). An entry of `W` is a sum of products of a row, an inverse mass and a row,
/// with one to a few dozen terms. Its rounding `δ` (relative to `√(w_i w_j)`) is therefore up to some tens of
/// units. With `n` impulses of the size `R` this causes velocities of `n δ R` that are only rounding. If
/// `n δ R` is more than the largest `‖u_f‖`, with `δ = 48 · 2⁻⁵²`, the data do not determine a single digit of
/// the velocities of any possible solution: an infeasible problem differs from this one by less than rounding.
/// A reach compares velocities of contacts, which between a grain and a mountain differ although both are right.
/// Therefore also `h_i ≤ n δ √w_i Σ_j √w_j y_j`, the effect of changes of the entries by `n δ √(w_i w_j)`, which no
/// masses change and which is weaker if all `w_i` are equal.
/// [`Infeasibility::find`] returns no weaker proof, and none whose `−q·u_f` is below `δ Σ y_i` times the
/// largest `‖u_f‖`, the possible effect of the rounding of `u_f`. All sums are
/// [compensated](crate::compensated).
///
/// **How weights are found.** They minimize `‖S Wᵀ q‖² + (1 + q·u_f)²` over `y ≥ 0`, in scaled rows and
/// columns. This is a linear complementarity problem, which [Lemke's method](crate::lcp::lemke) solves. A
/// least-squares problem on the support, refined twice with compensated residuals, then gives the weights to
/// full precision.
///
/// - **Does not** find weights for every problem without a solution: with friction there may be none although
///   impulses along the normals would suffice without it, weights that are not determined beyond rounding are
///   no proof, and [`find`](Infeasibility::find) only searches for `W q = 0`.
/// - **Cost** one dense `W`, Lemke's method for `n` unknowns and one factorization: some milliseconds for 100 contacts.
/// - **Deterministic**: single-threaded, fixed order.
///
/// # Source
///
/// The argument is that of Farkas' lemma (R. T. Rockafellar, *Convex Analysis*, Princeton 1970, section 22), written for cones here.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Infeasibility {
    /// `y` (≥ 0, one per contact, the largest is 1).
    pub weights: Vec<f64>,
    /// `−Σ y_i u_f,N,i`: weighted by `y`, the contacts approach at least this fast for any impulses (m/s, > 0).
    pub approach: f64,
    /// Lower bound of `w_i ‖p_i‖` at some contact of any solution (m/s); infinite for a proof without rounding.
    #[cfg_attr(feature = "serde", serde(serialize_with = "finite_or_null"))]
    pub reach: f64,
}

/// JSON has no infinity.
#[cfg(feature = "serde")]
pub(super) fn finite_or_null<S: serde::Serializer>(
    value: &f64,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serde::Serialize::serialize(&value.is_finite().then_some(*value), serializer)
}

impl Infeasibility {
    /// Searches for a proof.
    ///
    /// # Example
    ///
    /// A body of 1 kg moves at 1 m/s toward one wall, and touches another behind it; restitution requires 1 m/s
    /// away from the first.
    ///
    /// ```
    /// use nalgebra::{DMatrix, dmatrix};
    /// use percussion_complementarity::friction::{Infeasibility, Method, Problem, Status};
    ///
    /// let mut delassus = DMatrix::identity(6, 6);
    /// (delassus[(0, 3)], delassus[(3, 0)]) = (-1.0, -1.0);
    /// let problem = Problem::from_dense(&delassus, &[-2.0, 0.0, 0.0, 1.0, 0.0, 0.0], &[0.0; 2])?;
    /// let proof = Infeasibility::find(&problem).expect("the walls do not give way");
    /// assert_eq!((proof.weights, proof.approach), (vec![1.0, 1.0], 1.0));
    /// assert_eq!(Method::default().solve(&problem)?.report.status, Status::Infeasible);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn find<D: Delassus>(problem: &Problem<D>) -> Option<Self> {
        let matrix = problem.dense();
        let weights = weights(problem, &matrix)?;
        Self::judge(problem, &matrix, weights)
    }

    /// The proof given by `weights` (one per contact), or `None` if they prove nothing.
    #[must_use]
    pub fn of<D: Delassus>(problem: &Problem<D>, weights: &[f64]) -> Option<Self> {
        Self::judge(problem, &problem.dense(), weights.to_vec())
    }

    fn judge<D: Delassus>(
        problem: &Problem<D>,
        matrix: &DMatrix<f64>,
        mut weights: Vec<f64>,
    ) -> Option<Self> {
        let n = problem.contact_count();
        let largest = weights.iter().copied().fold(0.0, f64::max);
        let nonnegative = weights.iter().all(|weight| *weight >= 0.0 && weight.is_finite());
        if weights.len() != n || !nonnegative || largest <= 0.0 {
            return None;
        }
        weights.iter_mut().for_each(|weight| *weight /= largest);
        let mut drive = Sum::default();
        for (weight, free) in weights.iter().zip(problem.free_velocity()) {
            drive.add_product(*weight, -free.x);
        }
        let masses = problem.inverse_masses();
        let root = |contact: usize| masses[contact].sqrt();
        let size: f64 = weights.iter().enumerate().map(|(other, y)| root(other) * y).sum();
        #[expect(clippy::cast_precision_loss, reason = "small counts")]
        let known = ROUNDING * n as f64 * size;
        let mut help = 0.0;
        for (contact, single) in problem.contacts().iter().enumerate() {
            let g = Vector3::from_fn(|component, _| {
                let mut sum = Sum::default();
                for (other, weight) in weights.iter().enumerate() {
                    sum.add_product(matrix[(3 * other, 3 * contact + component)], *weight);
                }
                sum.value()
            });
            let outward = g.x + single.friction() * cone::length(g.y, g.z);
            let own = cone::norm(&g).min(outward.max(0.0));
            if own > known * root(contact) {
                return None;
            }
            help += own / masses[contact];
        }
        let approach = drive.value();
        let reach = if help > 0.0 { approach / help } else { f64::INFINITY };
        #[expect(clippy::cast_precision_loss, reason = "small counts")]
        let needed = problem.velocity_scale() / (ROUNDING * n as f64);
        let noise = ROUNDING * weights.iter().sum::<f64>() * problem.velocity_scale();
        let proved = approach > noise && approach.is_finite() && reach >= needed;
        proved.then_some(Self { weights, approach, reach })
    }
}

/// Candidate weights for a proof.
fn weights<D: Delassus>(problem: &Problem<D>, matrix: &DMatrix<f64>) -> Option<Vec<f64>> {
    let n = problem.contact_count();
    let roots = DVector::from_iterator(n, problem.inverse_masses().iter().map(|w| w.sqrt()));
    // Columns of S Wᵀ q and q·u_f for ŷ = √w y.
    let drives = DVector::from_fn(n, |j, _| problem.free_velocity()[j].x / roots[j]);
    let size = drives.amax();
    if drives.min() >= 0.0 || !size.is_finite() {
        return None;
    }
    let rows = DMatrix::from_fn(3 * n + 1, n, |row, j| {
        if row < 3 * n {
            matrix[(3 * j, row)] / roots[row / 3] / roots[j]
        } else {
            drives[j] / size
        }
    });
    let mut target = DVector::zeros(3 * n + 1);
    target[3 * n] = -1.0;
    let normal = rows.tr_mul(&rows);
    let lcp = lcp::Problem::new(normal, -rows.tr_mul(&target)).ok()?;
    let mut found = DVector::zeros(n);
    let mut workspace = lemke::Workspace::new(n);
    lemke::solve(&lcp, &lemke::Settings::default(), &mut workspace, &mut found).ok()?;
    let found = refined(&rows, &target, &found).unwrap_or(found);
    Some(found.iter().zip(&roots).map(|(value, root)| value / root).collect())
}

/// The least-squares solution on the support of `found`, to full precision; `None` if it is not positive.
pub(super) fn refined(
    rows: &DMatrix<f64>,
    target: &DVector<f64>,
    found: &DVector<f64>,
) -> Option<DVector<f64>> {
    let threshold = 1e-7 * found.amax();
    let support: Vec<usize> = (0..found.len()).filter(|&j| found[j] > threshold).collect();
    if support.is_empty() {
        return None;
    }
    let columns = rows.select_columns(&support);
    let factors = columns.clone().qr();
    let (orthogonal, triangle) = (factors.q(), factors.r());
    let mut values = DVector::zeros(support.len());
    for _ in 0..3 {
        let rest = DVector::from_fn(columns.nrows(), |row, _| {
            let mut sum = Sum::new(target[row]);
            for (column, value) in values.iter().enumerate() {
                sum.add_product(-columns[(row, column)], *value);
            }
            sum.value()
        });
        values += triangle.solve_upper_triangular(&orthogonal.tr_mul(&rest))?;
    }
    let mut refined = DVector::zeros(found.len());
    for (&j, &value) in support.iter().zip(&values) {
        if !(value > 0.0 && value.is_finite()) {
            return None;
        }
        refined[j] = value;
    }
    Some(refined)
}

#[cfg(test)]
mod tests;
