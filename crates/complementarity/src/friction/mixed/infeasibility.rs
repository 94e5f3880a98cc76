//! Proofs that a problem with blocks has no solution, by weights of rows on which no impulse has an effect.

use nalgebra::{DMatrix, DVector};

use super::{
    Problem,
    block::{Section, Set},
    canonical::{Eliminated, reduced, rows_of_bilaterals},
    shape::Shape,
};
use crate::{
    compensated::Sum,
    friction::{infeasibility::ROUNDING, single::shifted},
    lcp::{self, lemke},
};

/// Weights of the rows on which no impulse has an effect.
///
/// Let `y` be any number in bilateral rows, `≥ 0` in unilateral rows and normals and zero in all others. A solution
/// has `y·u ≥ 0`, and for `g = (W + R) y` and any impulses in their sets
///
/// ```math
/// y \cdot u = y \cdot b + g \cdot \lambda \le y \cdot b + \sum_{\text{intervals}} \max(g l, g u)
///   + \sum_{\text{others}} h_k \|\lambda_k\| ,
/// ```
///
/// with `h_k` the largest `g·λ` of impulses of length 1 in the set, at most. Where the right side is negative without
/// the last sum and all `h_k` are zero, there is no solution: joints that contradict each other, a limit against a
/// weld, a body between two walls. Rounding is treated as in
/// [`friction::Infeasibility`](crate::friction::Infeasibility), with the same [`reach`](Infeasibility::reach).
///
/// A reach is a velocity, and rows of very different units make it mean little: rows of the sizes `√W_ii` of `1e-5` and
/// `1e9` that a positive definite `W` couples are solvable, but only by impulses that stand for `1e14` times the
/// velocity of the first row at the second. Therefore a second condition, in no unit: no block can help any more if each
/// `g_i` is changed by at most `n δ √W_ii Σ_j √W_jj |y_j|`, the effect of changes of the entries of `W` by
/// `n δ √(W_ii W_jj)`. A problem without any solution is then that near.
///
/// Weights are found for bilateral rows by their part outside the range of `W_bb`, for others by Lemke's method on
/// the problem without bilateral rows.
///
/// - **Does not** find weights for every problem without a solution, in particular where friction is the reason.
/// - **Cost** some factorizations of `W`.
///
/// # Source
///
/// The argument is that of Farkas' lemma (R. T. Rockafellar, *Convex Analysis*, Princeton 1970, section 22), written for these sets here.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Infeasibility {
    /// `y`, one number per row.
    pub weights: Vec<f64>,
    /// By how much `y·u` is negative for any impulses, rounding aside.
    pub approach: f64,
    /// Lower bound of the impulses, in m/s, of some block of any solution; infinite for a proof without rounding.
    #[cfg_attr(
        feature = "serde",
        serde(serialize_with = "crate::friction::infeasibility::finite_or_null")
    )]
    pub reach: f64,
}

impl Infeasibility {
    /// Searches for a proof.
    ///
    /// # Example
    ///
    /// Two welds of one joint ask for different speeds.
    ///
    /// ```
    /// use nalgebra::dmatrix;
    /// use percussion_complementarity::friction::{Status, mixed::{Block, Infeasibility, Problem, Settings}};
    ///
    /// let rows = vec![Block::bilateral(2)];
    /// let problem = Problem::new(dmatrix![1.0, 1.0; 1.0, 1.0], vec![1.0, 2.0], rows)?;
    /// let proof = Infeasibility::find(&problem).ok_or("they contradict each other")?;
    /// assert!((proof.weights[0] + proof.weights[1]).abs() < 1e-14);
    /// assert_eq!(problem.solve(&Settings::default())?.report.status, Status::Infeasible);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn find(problem: &Problem) -> Option<Self> {
        match problem.near() {
            Some((near, [_, velocity])) => {
                // Weights have no unit, a reach is a velocity.
                let proof = Self::find_near(&near)?;
                let back = |value: f64| shifted(value, velocity);
                Some(Self { approach: back(proof.approach), reach: back(proof.reach), ..proof })
            }
            None => Self::find_near(problem),
        }
    }

    fn find_near(problem: &Problem) -> Option<Self> {
        let eliminated = Eliminated::new(&problem.matrix, rows_of_bilaterals(problem));
        let contradiction = || Self::of(problem, &contradiction(problem, &eliminated)?);
        contradiction().or_else(|| {
            let (matrix, free) = reduced(problem, &eliminated);
            let walls = walls(problem);
            // A row that nothing moves is a proof by itself.
            let mut stuck =
                walls.iter().filter(|&&row| matrix[(row, row)] <= 0.0 && free[row] < 0.0);
            let alone = stuck.find_map(|&row| {
                let mut weights = vec![0.0; free.len()];
                weights[row] = 1.0;
                Self::of(problem, &completed(problem, &eliminated, weights))
            });
            alone.or_else(|| {
                let weights = weights(&matrix, &free, &walls)?;
                Self::of(problem, &completed(problem, &eliminated, weights))
            })
        })
    }

    /// The proof given by `weights` (one per row), or `None` if they prove nothing.
    #[must_use]
    pub fn of(problem: &Problem, weights: &[f64]) -> Option<Self> {
        let n = problem.rows();
        let largest = weights.iter().fold(0.0_f64, |largest, y| largest.max(y.abs()));
        if weights.len() != n || !(largest > 0.0 && largest.is_finite()) {
            return None;
        }
        let weights: Vec<f64> = weights.iter().map(|y| y / largest).collect();
        let g = problem.compensated_sums(&vec![0.0; n], &weights);
        let root = |row: usize| problem.matrix[(row, row)].max(0.0).sqrt();
        let size: f64 = weights.iter().enumerate().map(|(row, y)| root(row) * y.abs()).sum();
        #[expect(clippy::cast_precision_loss, reason = "small counts")]
        let known = ROUNDING * n as f64 * size;
        // `g` after the change that makes it smallest.
        let beyond = |row: usize| (g[row].abs() - known * root(row)).max(0.0).copysign(g[row]);
        let mut drive = Sum::default();
        let (mut help, mut noise, mut first) = (0.0, 0.0, 0);
        for block in &problem.blocks {
            let rows = first..first + block.rows;
            let lengths = match &block.set {
                Set::Contact(section) => section.lengths(block.rows),
                _ => vec![block.length; block.rows],
            };
            for (row, length) in rows.clone().zip(&lengths) {
                let weight = weights[row];
                let allowed = match &block.set {
                    Set::Bilateral => true,
                    Set::Unilateral => weight >= 0.0,
                    Set::Interval { .. } => weight == 0.0,
                    Set::Contact(_) => weight == 0.0 || (row == rows.start && weight > 0.0),
                };
                if !allowed {
                    return None;
                }
                drive.add_product(-weight, problem.free_velocity[row]);
                if weight != 0.0 {
                    noise += ROUNDING * weight.abs() * problem.velocity_scale / length;
                }
                match block.set {
                    Set::Interval { lower, upper } => {
                        drive.add(-(g[row] * lower).max(g[row] * upper));
                    }
                    Set::Contact(_) => {}
                    _ => {
                        let inverse_mass = problem.matrix[(row, row)] * length;
                        let pull = |g: f64| {
                            if block.set == Set::Bilateral { g.abs() } else { g.max(0.0) }
                        };
                        if pull(beyond(row)) > 0.0 {
                            return None;
                        }
                        help += part(pull(g[row]), inverse_mass);
                    }
                }
            }
            if let Set::Contact(section) = &block.set {
                let mut least: Vec<f64> = rows.clone().map(beyond).collect();
                least[0] = g[first] - known * root(first);
                if outward(section, &lengths, &least) > 0.0 {
                    return None;
                }
                help += help_of_contact(problem, section, first, &lengths, &g[rows]);
            }
            first += block.rows;
        }
        let approach = drive.value();
        let reach = if help > 0.0 { approach / help } else { f64::INFINITY };
        #[expect(clippy::cast_precision_loss, reason = "small counts")]
        let needed = problem.velocity_scale / (ROUNDING * n as f64);
        let proved = approach > noise && approach.is_finite() && reach >= needed;
        proved.then_some(Self { weights, approach, reach })
    }
}

/// `pull/inverse_mass`, and zero for no pull.
fn part(pull: f64, inverse_mass: f64) -> f64 {
    if pull > 0.0 { pull / inverse_mass } else { 0.0 }
}

/// The largest `g·λ` of a contact with the normal impulse 1.
fn outward(section: &Section, lengths: &[f64], g: &[f64]) -> f64 {
    let against: Vec<f64> = g.iter().zip(lengths).skip(1).map(|(g, l)| -g * l).collect();
    g[0] + Shape::comparable(section, lengths.len()).support_against(&against)
}

/// Every row by its own compliance: a stiff tangent must not hide what the normal can do.
fn help_of_contact(
    problem: &Problem,
    section: &Section,
    first: usize,
    lengths: &[f64],
    g: &[f64],
) -> f64 {
    if outward(section, lengths, g) <= 0.0 {
        return 0.0;
    }
    let row = |(i, (g, length)): (usize, (&f64, &f64))| {
        let diagonal = problem.matrix[(first + i, first + i)];
        if *length > 0.0 { part(g.abs(), diagonal * length) } else { 0.0 }
    };
    g.iter().zip(lengths).enumerate().map(row).sum()
}

/// Unilateral rows and normals.
fn walls(problem: &Problem) -> Vec<usize> {
    let mut rows = Vec::new();
    let mut first = 0;
    for block in &problem.blocks {
        match block.set {
            Set::Unilateral => rows.extend(first..first + block.rows),
            Set::Contact(_) => rows.push(first),
            Set::Bilateral | Set::Interval { .. } => {}
        }
        first += block.rows;
    }
    rows
}

/// The part of the bilateral speeds that no bilateral impulses change, as weights.
fn contradiction(problem: &Problem, eliminated: &Eliminated) -> Option<Vec<f64>> {
    if eliminated.rows.is_empty() {
        return None;
    }
    let mut impulses = vec![0.0; problem.rows()];
    let speeds: Vec<f64> = eliminated.rows.iter().map(|&row| problem.free_velocity[row]).collect();
    for (&row, impulse) in eliminated.rows.iter().zip(eliminated.apply(&speeds)) {
        impulses[row] = -impulse;
    }
    let left = problem.compensated_velocities(&impulses);
    let mut weights = vec![0.0; problem.rows()];
    for &row in &eliminated.rows {
        let diagonal = problem.matrix[(row, row)];
        weights[row] = if diagonal > 0.0 { -left[row] / diagonal } else { -left[row] };
    }
    // A row that nothing moves has other units than the rest: it is a proof by itself.
    if let Some(&still) =
        eliminated.rows.iter().find(|&&row| problem.matrix[(row, row)] <= 0.0 && left[row] != 0.0)
    {
        let weight = -left[still];
        weights.fill(0.0);
        weights[still] = weight;
    }
    Some(completed(problem, eliminated, weights))
}

/// Weights of walls with those of the bilateral rows that undo their effect on these.
fn completed(problem: &Problem, eliminated: &Eliminated, mut weights: Vec<f64>) -> Vec<f64> {
    if eliminated.rows.is_empty() {
        return weights;
    }
    let zeros = vec![0.0; weights.len()];
    for _ in 0..3 {
        let effect = problem.compensated_sums(&zeros, &weights);
        let speeds: Vec<f64> = eliminated.rows.iter().map(|&row| effect[row]).collect();
        for (&row, weight) in eliminated.rows.iter().zip(eliminated.apply(&speeds)) {
            weights[row] -= weight;
        }
    }
    weights
}

/// `y ≥ 0` of the walls with the least `‖S W y‖² + (1 + y·b)²`.
fn weights(matrix: &DMatrix<f64>, free: &[f64], walls: &[usize]) -> Option<Vec<f64>> {
    let walls: Vec<usize> = walls.iter().copied().filter(|&row| matrix[(row, row)] > 0.0).collect();
    let root = |row: usize| matrix[(row, row)].max(0.0).sqrt();
    let drives: Vec<f64> = walls.iter().map(|&row| free[row] / root(row)).collect();
    let size = drives.iter().fold(0.0_f64, |size, drive| size.max(drive.abs()));
    if drives.iter().all(|drive| *drive >= 0.0) || !size.is_finite() {
        return None;
    }
    let n = free.len();
    let rows = DMatrix::from_fn(n + 1, walls.len(), |row, j| {
        if row == n {
            return drives[j] / size;
        }
        let scale = root(row) * root(walls[j]);
        if scale > 0.0 { matrix[(row, walls[j])] / scale } else { 0.0 }
    });
    let mut target = DVector::zeros(n + 1);
    target[n] = -1.0;
    let problem = lcp::Problem::new(rows.tr_mul(&rows), -rows.tr_mul(&target)).ok()?;
    let mut found = DVector::zeros(walls.len());
    let mut workspace = lemke::Workspace::new(walls.len());
    lemke::solve(&problem, &lemke::Settings::default(), &mut workspace, &mut found).ok()?;
    let found = crate::friction::infeasibility::refined(&rows, &target, &found).unwrap_or(found);
    let mut weights = vec![0.0; n];
    for (&row, value) in walls.iter().zip(found.iter()) {
        weights[row] = value / root(row);
    }
    Some(weights)
}
