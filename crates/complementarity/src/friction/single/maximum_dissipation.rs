//! The impulse of one contact that minimizes the kinetic energy.
//!
//! ```math
//! \min \tfrac12 x^T A x - x^T b \quad\text{s.t.}\quad \|x_{to}\| \le \mu x_n,\quad
//! 0 \le a_n^T x - b_n \perp x_n \ge 0,\quad a_n^T x \ge 0
//! ```
//!
//! with `a_n` the first row of `A`. The cases, in order, and the answer to each:
//!
//! | case | answer |
//! | --- | --- |
//! | `b_n < 0`: separates by itself | 0 |
//! | `μ = 0` | `(b_n/A_nn, 0, 0)` |
//! | uncoupled, tangents alike | radial projection, as under Coulomb's law |
//! | `A⁻¹ b` in the cone: stick | `A⁻¹ b` |
//! | `b_n = 0` and `A_nn > μ‖a‖` | 0 |
//! | `b_n = 0` otherwise: the cone is two rays | the better point of the two |
//! | slide | on the boundary of the cone, see below |
//!
//! A closed contact has its tangential impulse `y` in the conic `‖y‖ ≤ μ (b_n − a·y)/A_nn`, which is convex,
//! and the energy is convex in `y`. So there is one minimum. A point of the boundary is the minimum exactly if
//! the energy's gradient there points into the conic along its normal. The slope of the energy along the
//! boundary is `μ b_n p(α)/f³` with a trigonometric polynomial `p` of degree two. Steps from the direction of
//! the stick impulse find its root, usually three, and the sign of the gradient confirms that it is the
//! minimum. If they fail, all roots of the quartic are found and the one with the least energy is taken. With
//! `μ‖a‖ ≥ A_nn` and a very small `b_n` the angle does not determine the length of the impulse; steps in `y`
//! itself then begin at the answer for `b_n = 0`.
//!
//! - **Needs** nothing beyond a valid [`Contact`]; `A` may be singular.
//! - **Cost** about 0.1 µs, rarely 0.4 µs; a few ns if the tangents have equal compliance. Allocates nothing.
//!
//! # Source
//!
//! T. Preclik, S. Eibl, U. Rüde, "The maximum dissipation principle in rigid-body dynamics with purely
//! inelastic impacts", 2017, section 3.2, figure 5 and appendix A.

use nalgebra::Vector3;

use super::{Contact, conic::Conic};
use crate::friction::trigonometric_polynomial::{Direction, Ray};

/// The impulse (N·s) of `contact` under `b` (m/s, minus the relative velocity without it).
///
/// Finite for finite `b`; zero otherwise. A singular `A` may have no minimum: [`single::solve`](super::solve)
/// checks the answer.
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

/// [`solve`], with the search for the sliding direction started at the tangential part of `guess`.
///
/// The answer is the same up to round-off; a good guess saves time.
#[must_use]
pub fn solve_near(
    contact: &Contact,
    b: &Vector3<f64>,
    guess: Option<&Vector3<f64>>,
) -> Vector3<f64> {
    if b.x < 0.0 {
        Vector3::zeros()
    } else if contact.is_far(b) {
        contact.solve_far(b, guess, closed)
    } else {
        closed(contact, b, guess)
    }
}

/// The closed form, for entries whose powers do not overflow.
#[inline]
pub(super) fn closed(
    contact: &Contact,
    b: &Vector3<f64>,
    guess: Option<&Vector3<f64>>,
) -> Vector3<f64> {
    if b.x < 0.0 {
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
    let conic = Conic::new(contact, &load);
    if b.x == 0.0 {
        return degenerate(&conic).unwrap_or_default();
    }
    let start = match guess {
        Some(guess) if guess.y != 0.0 || guess.z != 0.0 => [guess.y, guess.z],
        _ => contact.sticking(&load),
    };
    near(&conic, start).unwrap_or_else(|| best(&conic))
}

/// Normal and tangents uncoupled, tangents of equal compliance: each part is solved separately, then projected
/// radially on the cone.
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

/// `b_n = 0`: the plane of maximum compression intersects the cone in its apex, or in two rays from the apex.
fn degenerate(conic: &Conic<'_>) -> Option<Vector3<f64>> {
    // If the contact does not stick, the minimum over this convex sector is its apex or on one of its two rays.
    let mut best = (0.0, None);
    for at in conic.asymptotes().into_iter().flatten() {
        let d = [at.cosine, at.sine];
        let [left, right] = conic.contact.apply(d);
        let bend = d[0] * left + d[1] * right;
        let drive = (d[0] * conic.load.tangent[0] + d[1] * conic.load.tangent[1]).max(0.0);
        let r = drive / bend;
        let energy = -0.5 * drive * r;
        if energy < best.0 && r.is_finite() {
            best = (energy, Some(Vector3::new(r / conic.contact.friction, r * d[0], r * d[1])));
        }
    }
    best.1
}

/// The minimum, by steps from the direction of `start`; `None` if they do not find it.
#[inline]
fn near(conic: &Conic<'_>, start: [f64; 2]) -> Option<Vector3<f64>> {
    let ray = conic.slope().root_near(start)?;
    let impulse = conic.point(&ray)?;
    if !is_minimum(conic, &ray, &impulse) {
        return None;
    }
    let Polished { impulse, settled } = refined(conic, &ray, impulse);
    settled.then_some(impulse)
}

/// Whether the energy's gradient, normal to the boundary where the slope is zero, points inward.
#[inline]
fn is_minimum(conic: &Conic<'_>, ray: &Ray, impulse: &Vector3<f64>) -> bool {
    let gradient = conic.gradient([impulse.y, impulse.z]);
    let outward = [0, 1].map(|k| conic.level * ray.along[k] + conic.tilt[k] * ray.length);
    gradient[0] * outward[0] + gradient[1] * outward[1] < 0.0
}

#[inline]
fn refined(conic: &Conic<'_>, ray: &Ray, impulse: Vector3<f64>) -> Polished {
    if conic.is_thin(ray) { polish(conic, impulse) } else { Polished { impulse, settled: true } }
}

/// The stationary point of least energy among all.
fn best(conic: &Conic<'_>) -> Vector3<f64> {
    // Points at which the steps do not converge are used only if there is no other.
    let mut best = (false, f64::INFINITY, Vector3::zeros());
    let mut consider = |Polished { impulse, settled }: Polished| {
        let energy = energy(conic, [impulse.y, impulse.z]);
        if energy.is_finite() && (settled, best.1) > (best.0, energy) {
            best = (settled, energy, impulse);
        }
    };
    for &at in conic.slope().roots().as_slice() {
        let ray = at.into();
        if let Some(impulse) = conic.point(&ray) {
            consider(refined(conic, &ray, impulse));
        }
    }
    // If `b_n` is very small, the angle does not determine the length, or no point is found; the minimum is
    // then near an asymptote.
    if let Some(start) = degenerate(conic) {
        consider(polish(conic, start));
    }
    if best.1.is_finite() {
        return best.2;
    }
    // The slope is below round-off: every point of the boundary is equally good to working precision.
    let length = conic.tilt[0].hypot(conic.tilt[1]);
    let along = if length > 0.0 {
        Direction { cosine: conic.tilt[0] / length, sine: conic.tilt[1] / length }
    } else {
        Direction { cosine: 1.0, sine: 0.0 }
    };
    conic.point(&along.into()).unwrap_or_default()
}

fn energy(conic: &Conic<'_>, y: [f64; 2]) -> f64 {
    let [left, right] = conic.contact.apply(y);
    let q = conic.load.tangent;
    y[0] * (0.5 * left - q[0]) + y[1] * (0.5 * right - q[1])
}

/// A point of the boundary, and whether the steps toward it converged: the last step was below `10⁻⁶` of it,
/// and the next would be below the square of that.
struct Polished {
    impulse: Vector3<f64>,
    settled: bool,
}

/// Newton steps in `y` on the conditions of the minimum.
fn polish(conic: &Conic<'_>, impulse: Vector3<f64>) -> Polished {
    let [tt, to, oo] = conic.contact.schur;
    // The boundary is ‖y‖ + k·y = ρ.
    let k = [conic.tilt[0] / conic.level, conic.tilt[1] / conic.level];
    let reach = conic.drive / conic.level;
    let mut y = [impulse.y, impulse.z];
    let mut settled = false;
    for _ in 0..3 {
        let r = y[0].hypot(y[1]);
        let e = [y[0] / r, y[1] / r];
        let normal = [e[0] + k[0], e[1] + k[1]];
        let square = normal[0] * normal[0] + normal[1] * normal[1];
        let gradient = conic.gradient(y);
        let force = -(gradient[0] * normal[0] + gradient[1] * normal[1]) / square;
        let miss = r + k[0] * y[0] + k[1] * y[1] - reach;
        // Split the step into a part along the normal, which the boundary determines, and a tangential one.
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
        let next = [y[0] + across[0] + along * tangent[0], y[1] + across[1] + along * tangent[1]];
        // Only a small refinement is accepted; a larger step is round-off in a singular system.
        let step = (next[0] - y[0]).hypot(next[1] - y[1]) / r;
        let refines = step <= 0.1;
        settled = step <= 1e-6;
        if !refines {
            break;
        }
        y = next;
    }
    Polished { impulse: conic.impulse(y), settled }
}

#[cfg(test)]
mod tests;
