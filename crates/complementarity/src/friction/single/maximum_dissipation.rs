//! The impulse of one contact that leaves the least kinetic energy.
//!
//! ```math
//! \min \tfrac12 x^T A x - x^T b \quad\text{s.t.}\quad \|x_{to}\| \le \mu x_n,\quad
//! 0 \le a_n^T x - b_n \perp x_n \ge 0,\quad a_n^T x \ge 0
//! ```
//!
//! with `a_n` the first row of `A`. The cases, in order, and how each is answered:
//!
//! | case | answer |
//! | --- | --- |
//! | `b_n < 0`: separates by itself | 0 |
//! | `μ = 0` | `(b_n/A_nn, 0, 0)` |
//! | uncoupled, tangents alike | radial projection; Coulomb's law says the same |
//! | `A⁻¹ b` in the cone: stick | `A⁻¹ b` |
//! | `b_n = 0` and `A_nn > μ‖a‖` | 0 |
//! | `b_n = 0` otherwise: the cone is two rays | the better point of the two |
//! | slide | on the edge of the cone, see below |
//!
//! A closed contact has its tangential impulse `y` in the conic `‖y‖ ≤ μ (b_n − a·y)/A_nn`, which is
//! convex, and the energy is convex in `y`. So there is one minimum, and a point of the edge is it exactly
//! if the energy's gradient there points into the conic along its normal. With `y = r (cos α, sin α)`,
//! `r = μ b_n/f(α)` and `f = A_nn + μ (A_nt cos α + A_no sin α) > 0`, the slope of the energy along the edge
//! is `μ b_n p(α)/f³` with a [trigonometric polynomial](TrigonometricPolynomial) `p` of degree two.
//! Newton steps from the direction of the stick impulse find its root mostly in three steps, and the sign of
//! the gradient certifies it. Where they do not, all roots of the quartic are found and the one with the
//! least energy taken.
//!
//! - **Needs** nothing beyond a valid [`Contact`]; `A` may be singular.
//! - **Cost** about 0.1 µs, rarely 0.4 µs; a few ns where tangents are alike. Allocates nothing.
//!
//! # Source
//!
//! T. Preclik, S. Eibl, U. Rüde, "The maximum dissipation principle in rigid-body dynamics with purely
//! inelastic impacts", 2017, section 3.2, figure 5 and appendix A.

use nalgebra::Vector3;

use super::{Contact, Load};
use crate::friction::trigonometric_polynomial::{Direction, TrigonometricPolynomial};

/// The impulse (N·s) of `contact` under `b` (m/s, minus the relative velocity without it).
///
/// Finite for finite `b` whose squares do not overflow.
///
/// # Example
///
/// A ball of 1 kg hits the floor obliquely: `A = diag(1, 7/2, 7/2)`. Friction of 0.1 allows a tenth of the
/// normal impulse of 2 N·s; a coefficient of 1 lets the ball roll with 3/3.5 N·s.
///
/// ```
/// use nalgebra::{Matrix3, vector};
/// use percussion_complementarity::friction::single::{Contact, maximum_dissipation};
///
/// let block = Matrix3::from_diagonal(&vector![1.0, 3.5, 3.5]);
/// let b = vector![2.0, 3.0, 0.0];
/// let slides = maximum_dissipation::solve(&Contact::new(&block, 0.1)?, &b);
/// assert_eq!(slides, vector![2.0, 0.2, 0.0]);
/// let rolls = maximum_dissipation::solve(&Contact::new(&block, 1.0)?, &b);
/// assert!((rolls.y - 3.0 / 3.5).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn solve(contact: &Contact, b: &Vector3<f64>) -> Vector3<f64> {
    solve_near(contact, b, None)
}

/// [`solve`], beginning the search of the sliding direction at the tangential part of `guess`.
///
/// The answer is the same to round-off; a good guess saves time.
#[must_use]
pub fn solve_near(
    contact: &Contact,
    b: &Vector3<f64>,
    guess: Option<&Vector3<f64>>,
) -> Vector3<f64> {
    if b.x < 0.0 || !b.iter().all(|entry| entry.is_finite()) {
        return Vector3::zeros();
    }
    if contact.friction == 0.0 {
        return Vector3::new(b.x * contact.yielding, 0.0, 0.0);
    }
    if contact.isotropic {
        return radial(contact, b);
    }
    let load = contact.load(b);
    if let Some(impulse) = contact.stick(&load) {
        return impulse;
    }
    if b.x == 0.0 {
        return degenerate(contact, &load);
    }
    let edge = Edge::new(contact, &load);
    let start = guess.map_or_else(|| stick_direction(contact, &load), |guess| [guess.y, guess.z]);
    let y = edge.near(start).unwrap_or_else(|| edge.best());
    impulse(contact, &load, y)
}

/// Normal and tangents uncoupled, tangents alike: each part by itself, then back to the cone.
pub(super) fn radial(contact: &Contact, b: &Vector3<f64>) -> Vector3<f64> {
    let normal = b.x * contact.yielding;
    let y = [b.y * contact.inverse[0], b.z * contact.inverse[0]];
    let limit = contact.friction * normal;
    let squared = y[0] * y[0] + y[1] * y[1];
    if squared <= limit * limit {
        return Vector3::new(normal, y[0], y[1]);
    }
    let scale = limit / squared.sqrt();
    Vector3::new(normal, scale * y[0], scale * y[1])
}

/// On the edge of the cone the normal part follows from the tangential one, so that friction is exact.
fn impulse(contact: &Contact, load: &Load, y: [f64; 2]) -> Vector3<f64> {
    let length = (y[0] * y[0] + y[1] * y[1]).sqrt();
    let normal = length / contact.friction;
    // Weak friction makes the other formula the better one; the cone then holds within a rounding.
    let closed = contact.closed(load, y);
    if contact.friction < 1e-3 { closed } else { Vector3::new(normal, y[0], y[1]) }
}

fn stick_direction(contact: &Contact, load: &Load) -> [f64; 2] {
    let [tt, to, oo] = contact.inverse;
    let q = load.tangent;
    [tt * q[0] + to * q[1], to * q[0] + oo * q[1]]
}

/// `b_n = 0`: the plane of maximum compression cuts the cone in its apex, or in two rays from it.
fn degenerate(contact: &Contact, load: &Load) -> Vector3<f64> {
    let a = contact.coupling();
    let length = a[0].hypot(a[1]);
    let reach = contact.friction * length;
    if reach <= 0.0 || 1.0 / contact.yielding > reach {
        return Vector3::zeros();
    }
    // cos Δα = −A_nn/(μ‖a‖), measured from the direction of a.
    let cosine = -1.0 / (contact.yielding * reach);
    let sine = ((1.0 - cosine) * (1.0 + cosine)).max(0.0).sqrt();
    let toward = [a[0] / length, a[1] / length];
    let ray =
        |sine: f64| [cosine * toward[0] - sine * toward[1], cosine * toward[1] + sine * toward[0]];
    // Not sticking, the minimum of this convex sector is on its edge: the better of both rays.
    let mut best = (0.0, Vector3::zeros());
    for d in [ray(-sine), ray(sine)] {
        let [left, right] = contact.apply(d);
        let bend = d[0] * left + d[1] * right;
        let drive = d[0] * load.tangent[0] + d[1] * load.tangent[1];
        if drive > 0.0 && bend > 0.0 {
            let r = drive / bend;
            let energy = -0.5 * drive * r;
            if energy < best.0 && r.is_finite() {
                best = (energy, Vector3::new(r / contact.friction, r * d[0], r * d[1]));
            }
        }
    }
    best.1
}

/// The edge of the conic and the slope of the energy along it.
struct Edge<'a> {
    contact: &'a Contact,
    load: &'a Load,
    /// `μ b_n`.
    drive: f64,
    /// `A_nn` and `μ a`, the coefficients of `f`.
    level: f64,
    tilt: [f64; 2],
    slope: TrigonometricPolynomial,
}

impl<'a> Edge<'a> {
    fn new(contact: &'a Contact, load: &'a Load) -> Self {
        let [t, o] = contact.coupling();
        let [tt, to, oo] = contact.schur;
        let [q, p] = load.tangent;
        let (level, friction) = (contact.block[(0, 0)], contact.friction);
        let drive = friction * load.normal;
        let twist = t * p - o * q;
        let slope = TrigonometricPolynomial {
            constant: -1.5 * friction * level * twist,
            first: [
                friction * drive * (t * to - o * tt)
                    - level * level * p
                    - friction * friction * twist * t,
                friction * drive * (t * oo - o * to) + level * level * q
                    - friction * friction * twist * o,
            ],
            second: [
                level * (drive * to - 0.5 * friction * (t * p + o * q)),
                0.5 * level * (drive * (oo - tt) - friction * (o * p - t * q)),
            ],
        };
        Self { contact, load, drive, level, tilt: [friction * t, friction * o], slope }
    }

    /// `f(α)`.
    fn width(&self, at: Direction) -> f64 {
        self.level + self.tilt[0] * at.cosine + self.tilt[1] * at.sine
    }

    fn point(&self, at: Direction) -> Option<[f64; 2]> {
        let width = self.width(at);
        let r = self.drive / width;
        (width > 0.0 && r.is_finite()).then_some([r * at.cosine, r * at.sine])
    }

    /// The minimum by Newton steps from the direction of `start`, if they find it.
    fn near(&self, start: [f64; 2]) -> Option<[f64; 2]> {
        let length = (start[0] * start[0] + start[1] * start[1]).sqrt();
        let mut at = Direction { cosine: start[0] / length, sine: start[1] / length };
        for _ in 0..8 {
            let step = -self.slope.value(at) / self.slope.derivative(at);
            // Also ends at NaN, from a start without direction.
            let small = step.abs() < 0.5;
            if !small {
                return None;
            }
            at = at.turned(step);
            if step.abs() < 1e-8 {
                let y = self.point(at)?;
                return self.is_minimum(at, y).then(|| self.polish(at, y));
            }
        }
        None
    }

    /// Whether the energy's gradient at `y`, normal to the edge where the slope is zero, points inward.
    fn is_minimum(&self, at: Direction, y: [f64; 2]) -> bool {
        let [left, right] = self.contact.apply(y);
        let gradient = [left - self.load.tangent[0], right - self.load.tangent[1]];
        let outward = [self.level * at.cosine + self.tilt[0], self.level * at.sine + self.tilt[1]];
        gradient[0] * outward[0] + gradient[1] * outward[1] < 0.0
    }

    /// The stationary point of least energy among all.
    fn best(&self) -> [f64; 2] {
        let mut best = (f64::INFINITY, [0.0; 2]);
        for &at in self.slope.roots().as_slice() {
            if let Some(y) = self.point(at) {
                let y = self.polish(at, y);
                let energy = self.energy(y);
                if energy < best.0 {
                    best = (energy, y);
                }
            }
        }
        if best.0.is_finite() {
            return best.1;
        }
        // Round-off has swallowed the slope: every point of the edge is as good to working precision.
        let away = Direction { cosine: 1.0, sine: 0.0 };
        let length = self.tilt[0].hypot(self.tilt[1]);
        let along = if length > 0.0 {
            Direction { cosine: self.tilt[0] / length, sine: self.tilt[1] / length }
        } else {
            away
        };
        self.point(along).unwrap_or([0.0; 2])
    }

    fn energy(&self, y: [f64; 2]) -> f64 {
        let [left, right] = self.contact.apply(y);
        let q = self.load.tangent;
        y[0] * (0.5 * left - q[0]) + y[1] * (0.5 * right - q[1])
    }

    /// Newton steps on the conditions of the minimum in `y` itself. Where `f` is small the angle alone
    /// does not determine the point to full precision.
    fn polish(&self, at: Direction, mut y: [f64; 2]) -> [f64; 2] {
        if self.width(at) > 0.01 * (self.level + self.tilt[0].abs() + self.tilt[1].abs()) {
            return y;
        }
        let [tt, to, oo] = self.contact.schur;
        let q = self.load.tangent;
        // The edge is ‖y‖ + k·y = ρ.
        let k = [self.tilt[0] / self.level, self.tilt[1] / self.level];
        let reach = self.drive / self.level;
        for _ in 0..3 {
            let r = y[0].hypot(y[1]);
            let e = [y[0] / r, y[1] / r];
            let normal = [e[0] + k[0], e[1] + k[1]];
            let square = normal[0] * normal[0] + normal[1] * normal[1];
            let [left, right] = self.contact.apply(y);
            let gradient = [left - q[0], right - q[1]];
            let force = -(gradient[0] * normal[0] + gradient[1] * normal[1]) / square;
            let miss = r + k[0] * y[0] + k[1] * y[1] - reach;
            // Split the step into a part along the normal, which the edge fixes, and one along it.
            let fix = -miss / square;
            let tangent = [-normal[1], normal[0]];
            let bend = [
                tt + force * e[1] * e[1] / r,
                to - force * e[0] * e[1] / r,
                oo + force * e[0] * e[0] / r,
            ];
            let curve = |v: [f64; 2]| {
                tangent[0] * (bend[0] * v[0] + bend[1] * v[1])
                    + tangent[1] * (bend[1] * v[0] + bend[2] * v[1])
            };
            let across = [fix * normal[0], fix * normal[1]];
            let slope = tangent[0] * gradient[0] + tangent[1] * gradient[1] + curve(across);
            let along = -slope / curve(tangent);
            let next =
                [y[0] + across[0] + along * tangent[0], y[1] + across[1] + along * tangent[1]];
            let moved = (next[0] - y[0]).hypot(next[1] - y[1]);
            // Only a refinement is wanted; anything else is round-off in a singular system.
            let refines = moved <= 0.1 * r;
            if !refines {
                return y;
            }
            y = next;
        }
        y
    }
}
