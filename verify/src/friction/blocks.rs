//! Problems with blocks: joints, limits, bounded rows and contacts whose cones have any section, `u = W λ + b`.
//!
//! Velocities of moments and of rows with a length `ℓ` are multiplied by it, impulses divided; in a contact `ℓ` is the half axis
//! of a moment. With the mean `w` of the diagonal of a block in these coordinates an impulse stands for a velocity. With `δ`, four
//! times the tolerance that is claimed, each condition is looked at on its own:
//!
//! | figure | condition | limit |
//! | --- | --- | --- |
//! | joint | `u = 0` in bilateral rows | `δ` |
//! | approach | `u ≥ 0` in unilateral rows and normals | `δ` |
//! | adhesion | `λ ≥ 0` in the same | `δ/w` |
//! | complementarity | `λ = 0` or `u = 0` in the same; an open contact has no impulse at all | `δ` |
//! | bounds | `l ≤ λ ≤ u` | `δ/w` |
//! | bound against motion | `u > 0` only with `λ = l`, `u < 0` only with `λ = u` | `2δ/w` |
//! | cone | `λ_t ∈ λ_n F` | `δ/w` |
//! | slip | `−u_t` normal to `λ_n F` at `λ_t` | `2δ` |
//! | dissipation | no other impulse of `λ_n F` takes more from the slip: `max_f −u_t·(λ_n f − λ_t) ≤ 0`, relative to the larger of impulse and slip | `2δ` times both |
//!
//! That `−u_t` is normal to a polygon means `−u_t·(λ_n v − λ_t) ≤ 0` for all its corners `v`; to an ellipsoid, that `λ_t` is its
//! point nearest to `λ_t − u_t/w` (for any `w > 0`). Nearest points are found by halving an interval.
//!
//! In the convex relaxation `u_n` is `u_n − max_{f ∈ F} −u_t·f` everywhere.
//!
//! # Source
//!
//! J. J. Moreau, "Unilateral contact and dry friction in finite freedom dynamics", CISM 302, Springer 1988 (laws by normal cones).

mod hull;
#[cfg(test)]
mod tests;

use super::norm;
use crate::{
    Extended, Verdict,
    lcp::{rounding, slack},
};

/// The impulses of a block.
#[derive(Clone, Debug, PartialEq)]
pub enum Set {
    /// All.
    Bilateral,
    /// `λ ≥ 0` in each row.
    Unilateral,
    /// Between these bounds in each row.
    Interval([f64; 2]),
    /// A normal and components in ellipsoids, each by its half axes, in their order. From the third component on they are moments.
    Ellipsoids(Vec<Vec<f64>>),
    /// A normal and two tangents in the hull of these points.
    Polygon(Vec<[f64; 2]>),
}

/// Rows with one set.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Number of rows.
    pub rows: usize,
    /// Length of rows that are no contact's (m).
    pub length: f64,
    /// The impulses that are allowed.
    pub set: Set,
}

/// A problem by plain slices.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// `W` by rows, compliance included.
    pub operator: &'a [f64],
    /// `b`.
    pub free_velocity: &'a [f64],
    /// Blocks in the order of the rows.
    pub blocks: &'a [Block],
    /// Whether contacts obey the convex relaxation instead of Coulomb's law.
    pub relaxed: bool,
}

impl Block {
    /// `ℓ` of each row.
    fn lengths(&self) -> Vec<f64> {
        match &self.set {
            Set::Ellipsoids(factors) => {
                let axes = factors.iter().flatten().enumerate();
                let moments = axes.map(|(at, axis)| if at < 2 { 1.0 } else { *axis });
                std::iter::once(1.0).chain(moments).collect()
            }
            Set::Polygon(_) => vec![1.0; 3],
            _ => vec![self.length; self.rows],
        }
    }

    fn fits(&self) -> bool {
        match &self.set {
            Set::Ellipsoids(factors) => {
                1 + factors.iter().map(Vec::len).sum::<usize>() == self.rows
            }
            Set::Polygon(points) => self.rows == 3 && !points.is_empty(),
            _ => true,
        }
    }
}

impl Problem<'_> {
    /// The largest free velocity of a block in m/s, or 1 without any.
    #[must_use]
    pub fn velocity_scale(&self) -> f64 {
        let (mut first, mut largest) = (0, 0.0_f64);
        for block in self.blocks {
            let rows = block.lengths().into_iter().zip(&self.free_velocity[first..]);
            let speeds: Vec<f64> = rows.map(|(length, u)| length * u).collect();
            largest = largest.max(match block.set {
                Set::Ellipsoids(_) | Set::Polygon(_) => norm(&speeds),
                _ => speeds.iter().fold(0.0, |a: f64, u| a.max(u.abs())),
            });
            first += block.rows;
        }
        if largest > 0.0 { largest } else { 1.0 }
    }
}

/// Judges `impulse`; `tolerance` is the one that the solver claims, relative to the [scale](Problem::velocity_scale).
///
/// # Example
///
/// A joint of 2 kg·m² turns at 1 rad/s; dry friction of 0.5 N·m·s slows it to 0.75 rad/s.
///
/// ```
/// use percussion_verify::friction::blocks::{Block, Problem, Set, judge};
///
/// let blocks = [Block { rows: 1, length: 1.0, set: Set::Interval([-0.5, 0.5]) }];
/// let problem = Problem { operator: &[0.5], free_velocity: &[1.0], blocks: &blocks, relaxed: false };
/// assert!(judge(&problem, &[-0.5], 1e-10).holds());
/// assert!(judge(&problem, &[-0.4], 1e-10).refuses("bound against motion"));
/// assert!(judge(&problem, &[-2.0], 1e-10).refuses("bounds"));
/// ```
#[must_use]
pub fn judge(problem: &Problem<'_>, impulse: &[f64], tolerance: f64) -> Verdict {
    let mut verdict = Verdict::default();
    let rows: usize = problem.blocks.iter().map(|block| block.rows).sum();
    let sizes = problem.free_velocity.len() == rows
        && problem.operator.len() == rows * rows
        && impulse.len() == rows
        && problem.blocks.iter().all(Block::fits);
    let finite = impulse.iter().all(|p| p.is_finite());
    let wrong = if sizes && finite { Extended::ZERO } else { Extended::ONE };
    verdict.look("size", 0, wrong, 0.0);
    if !(sizes && finite) {
        return verdict;
    }
    let velocity = slack(problem.operator, problem.free_velocity, impulse);
    let delta = (4.0 * tolerance + 64.0 * rounding(rows)) * problem.velocity_scale();
    let mut first = 0;
    for (index, block) in problem.blocks.iter().enumerate() {
        let lengths = block.lengths();
        let diagonal = |i: usize| problem.operator[(first + i) * rows + first + i];
        let masses: Vec<f64> =
            (0..block.rows).map(|i| diagonal(i) * lengths[i] * lengths[i]).collect();
        let look = Look {
            index,
            delta,
            impulse: (0..block.rows).map(|i| impulse[first + i]).collect(),
            velocity: velocity[first..first + block.rows].to_vec(),
            masses,
            lengths,
            diagonal: (0..block.rows).map(diagonal).collect(),
        };
        look.look(block, problem.relaxed, &mut verdict);
        first += block.rows;
    }
    verdict
}

/// What is looked at of one block.
struct Look {
    index: usize,
    delta: f64,
    impulse: Vec<f64>,
    velocity: Vec<Extended>,
    lengths: Vec<f64>,
    /// `W_ii ℓ_i²`.
    masses: Vec<f64>,
    diagonal: Vec<f64>,
}

impl Look {
    fn look(&self, block: &Block, relaxed: bool, verdict: &mut Verdict) {
        match &block.set {
            Set::Bilateral => {
                for (u, length) in self.velocity.iter().zip(&self.lengths) {
                    let speed = u.value().abs() * length;
                    verdict.look("joint", self.index, Extended::from(speed), self.delta);
                }
            }
            Set::Unilateral => {
                for i in 0..block.rows {
                    let (p, u) = self.row(i, self.masses[i]);
                    self.one_sided(p, u, p.abs(), verdict);
                }
            }
            Set::Interval([lower, upper]) => {
                for i in 0..block.rows {
                    let (p, u) = self.row(i, self.masses[i]);
                    let unit = self.masses[i] / self.lengths[i];
                    let [low, high] = [lower * unit, upper * unit];
                    let size = 8.0 * f64::EPSILON * low.abs().max(high.abs());
                    let out = (low - p).max(p - high);
                    verdict.look("bounds", self.index, Extended::from(out), self.delta + size);
                    let wrong = if u > self.delta {
                        p - low
                    } else if u < -self.delta {
                        high - p
                    } else {
                        0.0
                    };
                    let limit = 2.0 * self.delta + size;
                    verdict.look("bound against motion", self.index, Extended::from(wrong), limit);
                }
            }
            Set::Ellipsoids(_) | Set::Polygon(_) => self.contact(&block.set, relaxed, verdict),
        }
    }

    /// Impulse, by the velocity that it stands for, and velocity, both in m/s.
    fn row(&self, i: usize, mass: f64) -> (f64, f64) {
        let length = self.lengths[i];
        let push = if length > 0.0 { mass * self.impulse[i] / length } else { 0.0 };
        (push, self.velocity[i].value() * length)
    }

    fn one_sided(&self, push: f64, speed: f64, whole: f64, verdict: &mut Verdict) {
        verdict.look("approach", self.index, Extended::from(-speed), self.delta);
        verdict.look("adhesion", self.index, Extended::from(-push), self.delta);
        let both = whole.min(speed);
        verdict.look("complementarity", self.index, Extended::from(both), self.delta);
    }

    fn contact(&self, set: &Set, relaxed: bool, verdict: &mut Verdict) {
        let count = self.masses.len();
        #[expect(clippy::cast_precision_loss, reason = "small counts")]
        let mass: f64 = self.masses.iter().map(|w| w / count as f64).sum();
        let rows: Vec<(f64, f64)> = (0..count).map(|i| self.row(i, mass)).collect();
        let p: Vec<f64> = rows[1..].iter().map(|row| row.0).collect();
        let u: Vec<f64> = rows[1..].iter().map(|row| row.1).collect();
        let push = rows[0].0;
        let mut speed = rows[0].1;
        if relaxed {
            speed -= support_against(set, &u);
        }
        let whole = norm(&rows.iter().map(|row| row.0).collect::<Vec<_>>());
        self.one_sided(push, speed, whole, verdict);
        let radius = push.max(0.0);
        let rounding = 16.0 * f64::EPSILON * whole;
        match set {
            Set::Ellipsoids(factors) => {
                let mut first = 0;
                for axes in factors {
                    self.ellipsoid(axes, first, radius, (&p, &u), rounding, verdict);
                    first += axes.len();
                }
            }
            Set::Polygon(points) => {
                let out = hull::outside(points, radius, [p[0], p[1]]);
                verdict.look("cone", self.index, out, self.delta + rounding);
                let slip = u[0].hypot(u[1]);
                for v in points {
                    let away = [radius * v[0] - p[0], radius * v[1] - p[1]];
                    // In a unit of velocity, as the dissipation.
                    let whole = away[0].hypot(away[1]) + slip + self.delta;
                    let part = whole.max(f64::MIN_POSITIVE);
                    let gain = -(u[0] / part * away[0] + u[1] / part * away[1]);
                    let limit = 2.0 * self.delta * (whole / part) + rounding / part * slip;
                    verdict.look("slip", self.index, Extended::from(gain), limit);
                }
            }
            _ => {}
        }
    }

    fn ellipsoid(
        &self,
        axes: &[f64],
        first: usize,
        radius: f64,
        (p, u): (&[f64], &[f64]),
        rounding: f64,
        verdict: &mut Verdict,
    ) {
        let mut half = Vec::new();
        let (mut impulse, mut slip) = (Vec::new(), Vec::new());
        for (i, &axis) in axes.iter().enumerate() {
            let at = first + i;
            if axis > 0.0 {
                // In the coordinates of a moment its half axis is 1.
                half.push(radius * if at < 2 { axis } else { 1.0 });
                impulse.push(p[at]);
                slip.push(u[at]);
            } else {
                let size = self.diagonal[0].sqrt() * self.diagonal[at + 1].sqrt();
                let stray = size * self.impulse[at + 1].abs();
                verdict.look("cone", self.index, Extended::from(stray), self.delta);
            }
        }
        let distance =
            |a: &[f64], b: &[f64]| norm(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>());
        let out = distance(&impulse, &nearest_of_ellipsoid(&half, &impulse));
        verdict.look("cone", self.index, Extended::from(out), self.delta + rounding);
        // The support function of the ellipsoid, against the power that the impulse takes; both in a unit of velocity, because
        // a power may overflow.
        let reach = half.iter().fold(norm(&impulse), |a, h| a.max(*h));
        let unit = reach.max(norm(&slip)).max(self.delta);
        let most = norm(&half.iter().zip(&slip).map(|(h, u)| h / unit * u).collect::<Vec<_>>());
        let taken: f64 = impulse.iter().zip(&slip).map(|(p, u)| p / unit * u).sum();
        let whole = 2.0 * (reach / unit) + norm(&slip) / unit + self.delta / unit;
        let limit = 2.0 * self.delta * whole + rounding / unit * norm(&slip);
        verdict.look("dissipation", self.index, Extended::from(most + taken), limit);
        let trial: Vec<f64> = impulse.iter().zip(&slip).map(|(p, u)| p - u).collect();
        let off = distance(&impulse, &nearest_of_ellipsoid(&half, &trial));
        verdict.look("slip", self.index, Extended::from(off), 2.0 * self.delta + rounding);
    }
}

/// `max_{f ∈ F} −u·f`.
fn support_against(set: &Set, u: &[f64]) -> f64 {
    match set {
        Set::Ellipsoids(factors) => {
            let mut at = 0;
            let mut sum = 0.0;
            for axes in factors {
                let mut parts = Vec::new();
                for axis in axes {
                    let own = if at < 2 { *axis } else { f64::from(u8::from(*axis > 0.0)) };
                    parts.push(own * u[at]);
                    at += 1;
                }
                sum += norm(&parts);
            }
            sum
        }
        Set::Polygon(points) => {
            points.iter().map(|v| -(u[0] * v[0] + u[1] * v[1])).fold(f64::NEG_INFINITY, f64::max)
        }
        _ => 0.0,
    }
}

/// The point of the ellipsoid with these half axes nearest to `z`: `h² z/(h² + t)`, with the `t ≥ 0` found by halving.
fn nearest_of_ellipsoid(half: &[f64], z: &[f64]) -> Vec<f64> {
    if half.iter().any(|h| *h <= 0.0) {
        return vec![0.0; z.len()];
    }
    // In units of the largest size, or the squares of half axes and of `t` overflow.
    let unit = half.iter().chain(z).fold(0.0_f64, |a, b| a.max(b.abs()));
    if !unit.is_finite() {
        return vec![f64::NAN; z.len()];
    }
    let scaled = |list: &[f64]| list.iter().map(|x| x / unit).collect::<Vec<_>>();
    let nearest = nearest_in_units(&scaled(half), &scaled(z));
    nearest.into_iter().map(|x| x * unit).collect()
}

/// [`nearest_of_ellipsoid`] for sizes of at most 1.
fn nearest_in_units(half: &[f64], z: &[f64]) -> Vec<f64> {
    let size = |t: f64| norm(&half.iter().zip(z).map(|(h, z)| z / (h + t / h)).collect::<Vec<_>>());
    if size(0.0) <= 1.0 {
        return z.to_vec();
    }
    let largest = half.iter().fold(0.0_f64, |a, h| a.max(*h));
    let (mut low, mut high) = (0.0, largest * norm(z));
    while size(high) > 1.0 {
        high *= 2.0;
        if !high.is_finite() {
            return vec![f64::NAN; z.len()];
        }
    }
    for _ in 0..2100 {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            break;
        }
        if size(middle) > 1.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    half.iter().zip(z).map(|(h, z)| z / (1.0 + high / h / h)).collect()
}

/// Judges the claim that there is no solution, by weights of rows: any in bilateral rows, `≥ 0` in unilateral rows and normals, zero
/// in others. A solution has `y·u ≥ 0`, but `y·u = y·b + g·λ` with `g = W y`. So `y·b + max_intervals g·λ` must be negative, and
/// no other impulse may help: `g = 0` in bilateral rows, `g ≤ 0` in unilateral rows, and `g_n + max_{f ∈ F} g_t·f ≤ 0` in a contact,
/// whose impulses are `λ_n (1, f)`. Each `g_i` counts to the rounding of its terms, `1e-12 √W_ii Σ_j √W_jj |y_j|`.
#[must_use]
pub fn judge_infeasible(problem: &Problem<'_>, weights: &[f64]) -> Verdict {
    let mut verdict = Verdict::default();
    let rows = problem.free_velocity.len();
    let fits = weights.len() == rows && weights.iter().all(|y| y.is_finite());
    verdict.look("size", 0, if fits { Extended::ZERO } else { Extended::ONE }, 0.0);
    if !fits {
        return verdict;
    }
    let effect = slack(problem.operator, &vec![0.0; rows], weights);
    let root = |i: usize| problem.operator[i * rows + i].max(0.0).sqrt();
    let size: f64 = weights.iter().enumerate().map(|(j, y)| root(j) * y.abs()).sum();
    // The effect and what is rounding of its terms.
    let at = |row: usize| (effect[row].value(), 1e-12 * root(row) * size);
    let mut drive = Extended::ZERO;
    let mut first = 0;
    for (index, block) in problem.blocks.iter().enumerate() {
        for (row, &y) in weights.iter().enumerate().skip(first).take(block.rows) {
            let misplaced = match block.set {
                Set::Bilateral => 0.0,
                Set::Unilateral => -y,
                Set::Interval(_) => y.abs(),
                Set::Ellipsoids(_) | Set::Polygon(_) if row == first => -y,
                Set::Ellipsoids(_) | Set::Polygon(_) => y.abs(),
            };
            verdict.look("weight", index, Extended::from(misplaced), 0.0);
            drive += Extended::product(y, problem.free_velocity[row]);
            let (g, known) = at(row);
            match block.set {
                Set::Interval([lower, upper]) => {
                    drive += Extended::from((g * lower).max(g * upper));
                }
                Set::Bilateral => verdict.look("effect", index, Extended::from(g.abs()), known),
                Set::Unilateral => verdict.look("effect", index, Extended::from(g), known),
                Set::Ellipsoids(_) | Set::Polygon(_) => {}
            }
        }
        if matches!(block.set, Set::Ellipsoids(_) | Set::Polygon(_)) {
            // `max g·λ` of the impulses with `λ_n = 1`, after the rounding that makes each entry smallest.
            let tangents = (first + 1..first + block.rows).zip(block.lengths().into_iter().skip(1));
            let against: Vec<f64> = tangents
                .map(|(row, length)| {
                    let (g, known) = at(row);
                    -(g.abs() - known).max(0.0).copysign(g) * length
                })
                .collect();
            let (g, known) = at(first);
            let gain = g + support_against(&block.set, &against);
            verdict.look("effect", index, Extended::from(gain), known);
        }
        first += block.rows;
    }
    // Negative, and not zero.
    verdict.look("drive", 0, drive + Extended::from(f64::MIN_POSITIVE), 0.0);
    verdict
}
