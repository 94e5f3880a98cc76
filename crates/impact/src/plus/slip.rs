//! Impending slip: points that hardly slide at the start of an interval but cannot stick.
//!
//! Their friction is on the boundary of the cone and opposes the sliding velocity at the end (2.9):
//!
//! ```math
//! u_t^{+} = u_t + W_t \pi, \qquad
//! \pi_t = -\mu\, \pi_n \frac{u_t^{+}}{\lVert u_t^{+} \rVert} .
//! ```
//!
//! Multiplied by `‖u_t⁺‖` this has the spurious root `u_t⁺ = 0`, and the sign of the unknown direction is
//! ambiguous. Here the unknown is the ratio `σ = ‖u_t⁺‖ / ‖π_t‖ ≥ 0` of each point. The equations become
//! linear, those of a rolling point with `σ` added to the diagonal, and one scalar equation per point
//! remains:
//!
//! ```math
//! u_t + W_t \pi = -\sigma\, \pi_t, \qquad
//! h(\sigma) = \frac{\mu\, \pi_n}{\lVert \pi_t \rVert} - 1 = 0 .
//! ```
//!
//! Direction and sign are correct by construction, for one tangent and for two, and rolling is `σ = 0`: each
//! point satisfies `0 ≤ σ ⊥ h ≥ 0`. Newton's method starts there, with the analytic Jacobian from
//! `B ∂π/∂σ = −π_t`.
//!
//! - **One point** always has a root, because `h` is negative at 0 and positive for large `σ`; Newton's
//!   iterates are kept between bounds. If the normal impulse is given, `h` is concave and increasing, the
//!   root is unique and Newton's method approaches it from below.
//! - **Several points** have no such guarantee; failure to converge is reported.
//! - **The answer** is computed once more with the directions found. This puts it on the cone to rounding and
//!   selects the impulses of least norm for redundant contacts.
//!
//! # Source
//!
//! T. K. Uchida, M. A. Sherman, S. L. Delp, "Making a meaningful impact", *Proceedings of the Royal
//! Society A* 471 (2015) 20140859, section 2(d) and equation (2.9);
//! J. J. Moré, D. C. Sorensen, "Computing a trust region step", *SIAM Journal on Scientific and
//! Statistical Computing* 4 (1983) 553–572 (the equation in `σ`, which is theirs for a given radius).

use nalgebra::DMatrix;

use super::{
    equations::{Equations, Given, SlipRule, end_slip},
    orthogonal::Orthogonal,
    point::{Motion, Phase, Point},
};

/// Tolerance of `h` for a point on the boundary of its cone: rounding of quotients of impulses.
const CONVERGED: f64 = 1e-13;
/// Tolerance of `h` when rounding prevents a smaller value.
const ACCEPTED: f64 = 1e-9;
/// Maximum factor of `σ` in an iteration; near the root Newton's method doubles the digits each time. A point
/// whose `σ` exceeds `LARGEST` times its size has negligible friction.
const GROWTH: f64 = 100.0;
const LARGEST: f64 = 1e10;
const ITERATIONS: usize = 60;
/// Starting values of `σ`, in sizes: rolling first; if that fails, slipping against the friction of the
/// frictionless impulses, and then against a small part of it.
const STARTS: [f64; 3] = [0.0, 1.0, 10.0];

/// How the iteration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Converged,
    /// The directions are the last ones found.
    Stalled,
    /// Some points would have to be pulled even without friction; they are marked by an infinite `σ`.
    Pulled,
}

/// Memory of the iteration.
#[derive(Clone, Debug, Default)]
pub(super) struct Slip {
    /// Size of `σ` of each point: the value for which the impulses without friction would put it on its cone,
    /// and at least its inverse mass. A point that slides fast and approaches slowly has a `σ` far above its
    /// inverse mass.
    size: Vec<f64>,
    moving: Vec<usize>,
    defect: Vec<f64>,
    jacobian: Vec<f64>,
    unit: Vec<f64>,
    change: Vec<f64>,
    orthogonal: Orthogonal,
}

impl Slip {
    /// Impulses of the interval, into `impulse`; sets `slip` and `direction` of the points in
    /// impending slip.
    pub(super) fn solve(
        &mut self,
        given: &Given<'_>,
        equations: &mut Equations,
        points: &mut [Point],
        impulse: &mut [f64],
    ) -> End {
        self.measure_size(given, equations, points, impulse);
        let mut end = End::Stalled;
        for start in STARTS {
            for ((point, state), size) in points.iter_mut().zip(given.states).zip(&self.size) {
                let slips = state.motion == Motion::ImpendingSlip;
                point.slip = if slips { start * size } else { 0.0 };
            }
            end = self.iterate(given, equations, points, impulse);
            match end {
                End::Pulled => return end,
                End::Converged => break,
                End::Stalled => {}
            }
        }
        Self::direct(given, equations, points, impulse);
        end
    }

    /// As `solve`, starting from the current `slip` of the points.
    pub(super) fn solve_from_here(
        &mut self,
        given: &Given<'_>,
        equations: &mut Equations,
        points: &mut [Point],
        impulse: &mut [f64],
    ) -> End {
        self.size.clear();
        self.size.extend(points.iter().map(|point| {
            let inertia = inverse_mass(given.delassus, point);
            if point.slip.is_finite() { inertia.max(point.slip) } else { inertia }
        }));
        let end = self.iterate(given, equations, points, impulse);
        if end != End::Pulled {
            Self::direct(given, equations, points, impulse);
        }
        end
    }

    fn measure_size(
        &mut self,
        given: &Given<'_>,
        equations: &mut Equations,
        points: &mut [Point],
        impulse: &mut [f64],
    ) {
        for (point, state) in points.iter_mut().zip(given.states) {
            let slips = state.motion == Motion::ImpendingSlip;
            point.slip = if slips { f64::INFINITY } else { 0.0 };
        }
        equations.solve(given, points, SlipRule::Implicit, impulse);
        self.size.clear();
        self.size.extend(points.iter().map(|point| {
            let speed = end_slip(given.delassus, given.velocity, point, impulse);
            let bound = point.friction * impulse[point.normal];
            let inertia = inverse_mass(given.delassus, point);
            if bound > 0.0 { inertia.max(speed / bound) } else { inertia }
        }));
    }

    /// Fixes the directions of the impulses found and solves once more.
    fn direct(
        given: &Given<'_>,
        equations: &mut Equations,
        points: &mut [Point],
        impulse: &mut [f64],
    ) {
        for (point, state) in points.iter_mut().zip(given.states) {
            if state.motion == Motion::ImpendingSlip {
                point.slide_against(impulse);
            }
        }
        equations.solve(given, points, SlipRule::Directed, impulse);
    }

    /// Newton's method from the current `σ` of the points.
    fn iterate(
        &mut self,
        given: &Given<'_>,
        equations: &mut Equations,
        points: &mut [Point],
        impulse: &mut [f64],
    ) -> End {
        let slips = given.states.iter().filter(|state| state.motion == Motion::ImpendingSlip);
        let mut bounds = (slips.count() == 1).then_some((0.0, f64::INFINITY));
        let mut worst = f64::INFINITY;
        for _ in 0..ITERATIONS {
            if equations.is_spent() {
                return End::Stalled;
            }
            equations.solve(given, points, SlipRule::Implicit, impulse);
            let before = worst;
            worst = self.measure(given, points, impulse);
            let stagnates = worst <= ACCEPTED && worst >= 0.5 * before;
            if worst <= CONVERGED || stagnates {
                break;
            }
            if let Some((low, high)) = &mut bounds {
                let here = points[self.moving[0]].slip;
                if self.defect[0] < 0.0 { *low = here } else { *high = here }
            }
            self.differentiate(equations, given, points, impulse);
            for (&k, step) in self.moving.iter().zip(&self.defect) {
                let size = self.size[k];
                let point = &mut points[k];
                let pulled = impulse[point.normal] <= 0.0;
                let most = GROWTH * (point.slip + size);
                let newton = point.slip - step;
                let next = if pulled || newton.is_nan() { most } else { newton.clamp(0.0, most) };
                point.slip = match bounds {
                    Some((low, high)) if next <= low || next >= high => {
                        if high.is_finite() {
                            0.5 * (low + high)
                        } else {
                            most
                        }
                    }
                    _ => next,
                };
                if pulled && point.slip > LARGEST * size {
                    point.slip = f64::INFINITY;
                }
            }
            if points.iter().any(|point| point.slip.is_infinite()) {
                return End::Pulled;
            }
        }
        if worst <= ACCEPTED { End::Converged } else { End::Stalled }
    }

    /// Lists the points whose `σ` must change, with their `h`; returns the largest `|h|`.
    fn measure(&mut self, given: &Given<'_>, points: &[Point], impulse: &[f64]) -> f64 {
        self.moving.clear();
        self.defect.clear();
        let mut worst = 0.0_f64;
        for (k, (point, state)) in points.iter().zip(given.states).enumerate() {
            if state.motion != Motion::ImpendingSlip {
                continue;
            }
            let tangential = point.tangential_norm(impulse);
            let bound = point.friction * impulse[point.normal];
            let rolls = point.slip == 0.0 && tangential <= bound;
            if rolls {
                continue;
            }
            let defect = bound / tangential - 1.0;
            worst = worst.max(defect.abs());
            self.moving.push(k);
            self.defect.push(defect);
        }
        worst
    }

    /// Replaces `defect` by Newton's step.
    fn differentiate(
        &mut self,
        equations: &mut Equations,
        given: &Given<'_>,
        points: &[Point],
        impulse: &[f64],
    ) {
        let count = self.moving.len();
        self.jacobian.clear();
        self.unit.clear();
        for &of in &self.moving {
            equations.sensitivity(of, points[of].normal, &mut self.change);
            for &k in &self.moving {
                let (point, state) = (&points[k], &given.states[k]);
                let size = point.tangential_norm(impulse);
                let (mut normal, mut radial) = (0.0, 0.0);
                for (unknown, change) in equations.unknowns.iter().zip(&self.change) {
                    if unknown.point != k {
                    } else if unknown.row == point.normal {
                        normal = *change;
                    } else {
                        radial += impulse[unknown.row] * change / size;
                    }
                }
                debug_assert!(state.phase == Phase::Compressing || normal == 0.0, "it is given");
                let ratio = impulse[point.normal] / size;
                let derivative = point.friction * (normal - ratio * radial) / size;
                self.jacobian.push(derivative * self.size[of]);
            }
        }
        if count == 1 {
            self.defect[0] /= self.jacobian[0];
        } else {
            self.unit.extend(std::iter::repeat_n(1.0, count));
            self.orthogonal.factor(&self.jacobian, &self.unit, given.rank_tolerance);
            self.orthogonal.solve(&mut self.defect);
        }
        for (step, &of) in self.defect.iter_mut().zip(&self.moving) {
            *step *= self.size[of];
        }
    }
}

/// Mean inverse mass of a point along its tangents (kg⁻¹).
fn inverse_mass(delassus: &DMatrix<f64>, point: &Point) -> f64 {
    let rows = point.normal + 1..=point.normal + point.tangents;
    let sum: f64 = rows.map(|row| delassus[(row, row)]).sum();
    sum / point.tangents.max(1) as f64
}
