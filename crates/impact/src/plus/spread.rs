//! Redundant rolling points: impulses of least norm within all friction cones.
//!
//! Where rolling points are redundant, the impulses of least norm can leave the cone of a lightly loaded
//! point although its neighbors could carry the load. Table 1 requires the least norm *within the cones*.
//! With a basis `N` of the kernel of the equations (orthonormal), `y = y₀ + N c` solves them for every `c`,
//! and the remaining problem is convex and small:
//!
//! ```math
//! \min_c \tfrac12 \lVert c \rVert^2 \quad \text{subject to} \quad
//! g_k(c) = \mu_k\, \pi_{n,k} - \lVert \pi_{t,k} \rVert \ge 0 .
//! ```
//!
//! Newton's method solves the optimality conditions, with a multiplier `ν_k ≥ 0` for each active cone. If it
//! finds no answer, friction does not suffice for rolling, and the impulses are left unchanged.
//!
//! # Source
//!
//! T. K. Uchida, M. A. Sherman, S. L. Delp, "Making a meaningful impact", *Proceedings of the Royal
//! Society A* 471 (2015) 20140859, Table 1;
//! J. Nocedal, S. J. Wright, *Numerical Optimization*, second edition, Springer 2006, section 18.1
//! (Newton's method for equality constraints).

use super::{
    equations::{Equations, largest},
    orthogonal::Orthogonal,
    point::{Motion, Point, State},
};

/// Maximum number of Newton iterations; convergence is quadratic once the active cones are known.
const ITERATIONS: usize = 30;

/// Memory of the search.
#[derive(Clone, Debug, Default)]
pub(super) struct Spread {
    /// `N`, by columns.
    kernel: Vec<f64>,
    /// Unknowns `y`, and their change in an iteration.
    unknowns: Vec<f64>,
    change: Vec<f64>,
    /// Points on their cone, and `ν`.
    active: Vec<usize>,
    multipliers: Vec<f64>,
    matrix: Vec<f64>,
    right: Vec<f64>,
    unit: Vec<f64>,
    orthogonal: Orthogonal,
}

impl Spread {
    /// Replaces `impulse`, the answer of `equations`, if there is an answer within the cones. Impulses below
    /// `rounding` are zero.
    pub(super) fn solve(
        &mut self,
        equations: &mut Equations,
        points: &[Point],
        states: &[State],
        rounding: f64,
        impulse: &mut [f64],
    ) {
        let free = equations.kernel(&mut self.kernel);
        self.unknowns.clear();
        self.unknowns.extend_from_slice(&equations.solution);
        self.active.clear();
        self.multipliers.clear();
        for _ in 0..ITERATIONS {
            let before = self.active.len();
            self.add_violated(equations, points, states, rounding);
            let settled = self.active.len() == before;
            equations.spend(2 * (free + self.active.len()).pow(3));
            self.step(equations, points, free);
            if !self.change.iter().all(|change| change.is_finite()) {
                return;
            }
            let moved = largest(&self.change);
            let released = self.release();
            if settled && !released && moved <= 1e-3 * rounding {
                if self.worst(equations, points, states) <= rounding {
                    equations.accept(&self.unknowns, impulse);
                }
                return;
            }
        }
    }

    /// `μ π_n` and the unknowns of `π_t` of a point.
    fn cone(&self, equations: &Equations, points: &[Point], k: usize) -> (f64, f64) {
        let (mut normal, mut square) = (points[k].owed, 0.0);
        for (unknown, value) in equations.unknowns.iter().zip(&self.unknowns) {
            if unknown.point == k {
                if unknown.row == points[k].normal {
                    normal = *value;
                } else {
                    square += value * value;
                }
            }
        }
        (points[k].friction * normal, square.sqrt())
    }

    fn add_violated(
        &mut self,
        equations: &Equations,
        points: &[Point],
        states: &[State],
        rounding: f64,
    ) {
        for (k, state) in states.iter().enumerate() {
            if is_held(&points[k], *state) && !self.active.contains(&k) {
                let (bound, tangential) = self.cone(equations, points, k);
                if tangential > bound + rounding {
                    self.active.push(k);
                    self.multipliers.push(0.0);
                }
            }
        }
    }

    fn worst(&self, equations: &Equations, points: &[Point], states: &[State]) -> f64 {
        let held = (0..points.len()).filter(|&k| is_held(&points[k], states[k]));
        held.fold(0.0, |worst, k| {
            let (bound, tangential) = self.cone(equations, points, k);
            worst.max(tangential - bound)
        })
    }

    /// One step of Newton's method in `c` and `ν`:
    /// `(1 + Nᵀ Q N) dc − Nᵀ G ν = −Nᵀ y` and `Gᵀ N dc = −g`, with the curvature `Q` of the cones.
    fn step(&mut self, equations: &Equations, points: &[Point], free: usize) {
        let (n, size) = (self.unknowns.len(), free + self.active.len());
        self.matrix.clear();
        self.matrix.resize(size * size, 0.0);
        self.right.clear();
        self.right.resize(size, 0.0);
        for i in 0..free {
            self.matrix[i * size + i] = 1.0;
            let basis = &self.kernel[i * n..][..n];
            self.right[i] = -basis.iter().zip(&self.unknowns).map(|(n, y)| n * y).sum::<f64>();
        }
        for (place, &k) in self.active.iter().enumerate() {
            let (bound, tangential) = self.cone(equations, points, k);
            let tangential = tangential.max(f64::MIN_POSITIVE);
            self.right[free + place] = tangential - bound;
            let of_point = || {
                let unknowns = equations.unknowns.iter().enumerate();
                unknowns.filter(|(_, unknown)| unknown.point == k)
            };
            let gradient = |j: usize| {
                if equations.unknowns[j].row == points[k].normal {
                    points[k].friction
                } else {
                    -self.unknowns[j] / tangential
                }
            };
            for i in 0..free {
                let basis = &self.kernel[i * n..][..n];
                let slope: f64 = of_point().map(|(j, _)| basis[j] * gradient(j)).sum();
                self.matrix[(free + place) * size + i] = -slope;
                self.matrix[i * size + free + place] = slope;
                // Curvature: (1 − t tᵀ) ν / ‖π_t‖ on the tangential unknowns.
                let curvature = self.multipliers[place] / tangential;
                if curvature == 0.0 {
                    continue;
                }
                let lateral = || of_point().filter(|(_, u)| u.row != points[k].normal);
                let radial: f64 = lateral().map(|(j, _)| basis[j] * gradient(j)).sum();
                for (j, _) in lateral() {
                    let bent = curvature * (basis[j] - radial * gradient(j));
                    for other in 0..free {
                        self.matrix[i * size + other] += bent * self.kernel[other * n + j];
                    }
                }
            }
        }
        self.unit.clear();
        self.unit.resize(size, 1.0);
        // All entries are of order one, and dependent rows are resolved by the least norm.
        self.orthogonal.factor(&self.matrix, &self.unit, 1e-10);
        self.orthogonal.solve(&mut self.right);
        self.change.clear();
        self.change.resize(n, 0.0);
        for i in 0..free {
            for (change, basis) in self.change.iter_mut().zip(&self.kernel[i * n..][..n]) {
                *change += self.right[i] * basis;
            }
        }
        for (unknown, change) in self.unknowns.iter_mut().zip(&self.change) {
            *unknown += change;
        }
        self.multipliers.copy_from_slice(&self.right[free..]);
    }

    /// Releases the points that their cone would pull.
    fn release(&mut self) -> bool {
        let before = self.active.len();
        let multipliers = &self.multipliers;
        let mut place = 0;
        self.active.retain(|_| {
            place += 1;
            multipliers[place - 1] >= 0.0
        });
        self.multipliers.retain(|multiplier| *multiplier >= 0.0);
        self.active.len() < before
    }
}

/// Whether a point should roll; this includes points in impending slip that turned out not to slide.
pub(super) fn is_held(point: &Point, state: State) -> bool {
    match state.motion {
        Motion::Rolling => true,
        Motion::ImpendingSlip => point.slip == 0.0,
        Motion::Free | Motion::Sliding => false,
    }
}
