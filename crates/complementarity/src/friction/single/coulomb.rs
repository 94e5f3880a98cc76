//! All impulses of one contact under Coulomb's law, and the choice among them.
//!
//! With `u = A x − b` the law is `0 ≤ u_n ⊥ x_n ≥ 0`, `‖x_to‖ ≤ μ x_n` and, where the contact slips,
//! `x_to = −μ x_n u_to/‖u_to‖`. There are three kinds of solutions:
//!
//! - **open**: `x = 0`, when `b_n ≤ 0`;
//! - **stick**: `x = A⁻¹ b`, when it is in the cone;
//! - **slide**: a point on the boundary of the cone, which is a conic in the plane of the tangential impulse.
//!   It is an impulse of the law exactly if the slip is parallel to its tangential part, which is a
//!   trigonometric polynomial of degree two, and opposite to it. Every root of the polynomial is checked. With
//!   `b_n = 0` only the asymptotes of the conic are left.
//!
//! **A continuum.** Along an asymptote `d` (`b_n = 0`, `A_nn + μ a·d = 0`) the slip of `x = r (1/μ, d)` is `r P d − q`.
//! If `d` is an eigenvector of `P` and parallel to `q`, with `q·d > 0`, the slip is opposite to friction for every
//! `r` below `r₀ = q·d/(dᵀ P d)`, where it stops: the solutions are a whole segment, from no impulse to the one that
//! sticks ([`Solutions::segment`]). Painlevé's rod has it at the friction at which an impulse first occurs.
//!
//! **The choice.** [`solve`] considers the solutions that press at least as hard as they have to, `a_n·x ≥ 0`,
//! and returns the one that leaves the least kinetic energy. So an opening contact (`b_n < 0`) gets no impulse,
//! a contact that can stick sticks, and no solution dissipates more than
//! [`maximum_dissipation`](super::maximum_dissipation), which satisfies the same condition. [`solve_near`]
//! returns instead the sliding solution nearest to a given impulse, so that sweeps over many contacts do not
//! jump between solutions. Without coupling of normal and tangents, or for small `μ`, there is only one.
//!
//! **Uniqueness.** Let two solutions differ by `δ` in the tangential impulse of a contact that stays closed. De
//! Saxcé's form of the law gives `δᵀ P δ ≤ μ |a·δ| ‖P δ‖/A_nn`. If `μ² λ_max(P) aᵀ P⁻¹ a < A_nn²`, only `δ = 0`
//! satisfies this. Such a contact is solved by a few steps toward its only root, and the other roots are not
//! computed.
//!
//! - **Needs** nothing beyond a valid [`Contact`]. With `b_n > 0` and `A` positive definite one to five
//!   solutions exist.
//! - **Cost** about 0.4 µs for all solutions, and 0.1 µs for the nearest or for a unique one. Allocates
//!   nothing.
//!
//! # Source
//!
//! O. Bonnefon, G. Daviet, "Quartic formulation of Coulomb 3D frictional contact", INRIA RT-0400, 2011;
//! T. Preclik, S. Eibl, U. Rüde, 2017, sections 3.2 and 4.1. The polynomial in this form is derived above.

use nalgebra::Vector3;

use super::{Contact, Load, conic::Conic, maximum_dissipation::radial, shifted};
use crate::friction::trigonometric_polynomial::{Direction, Ray};

/// The motion of the contact after a [`Solution`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// No impulse, no approach.
    Open,
    /// No relative velocity.
    Stick,
    /// Slip against friction at its limit.
    Slide,
}

/// One impulse of Coulomb's law.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Solution {
    /// The motion of the contact after the impulse.
    pub mode: Mode,
    /// The impulse (N·s; normal, tangent, tangent).
    pub impulse: Vector3<f64>,
    /// The change of kinetic energy `½ xᵀ A x − xᵀ b` (J).
    pub energy: f64,
}

/// At most six isolated solutions, and a segment of them in a limiting case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solutions {
    values: [Solution; 6],
    count: usize,
    segment: Option<[Vector3<f64>; 2]>,
}

impl Solutions {
    const NONE: Self = Self {
        values: [Solution { mode: Mode::Open, impulse: Vector3::new(0.0, 0.0, 0.0), energy: 0.0 };
            6],
        count: 0,
        segment: None,
    };

    /// The solutions: open, stick, then isolated slides.
    #[must_use]
    pub fn as_slice(&self) -> &[Solution] {
        &self.values[..self.count]
    }

    /// The ends of a segment of impulses that are all solutions (N·s): zero and the impulse that sticks, which
    /// [`as_slice`](Self::as_slice) has too. Between them the contact slides.
    ///
    /// It exists only with `b_n = 0` and special values of friction and block, see the [head](self), which are
    /// accepted within 64 rounding errors. If `A` is singular along the segment and sliding never stops, there is no
    /// second end and the result is `None`.
    ///
    /// # Example
    ///
    /// A slender rod of 1 kg at 45° slides at 1 m/s on its lower tip. At the friction `μ* = 5/3` all impulses from
    /// zero to `(m v/8)(3, 5)`, along normal and tangent, obey Coulomb's law.
    ///
    /// ```
    /// use nalgebra::{matrix, vector};
    /// use percussion_complementarity::friction::single::{Contact, coulomb};
    ///
    /// let block = matrix![2.5, -1.5, 0.0; -1.5, 2.5, 0.0; 0.0, 0.0, 4.0];
    /// let contact = Contact::new(&block, 5.0 / 3.0)?;
    /// let all = coulomb::all(&contact, &vector![0.0, 1.0, 0.0]);
    /// let [none, stick] = all.segment().expect("friction is at the limit");
    /// assert_eq!(none, vector![0.0, 0.0, 0.0]);
    /// assert!((stick - vector![0.375, 0.625, 0.0]).norm() < 1e-15);
    /// # Ok::<(), percussion_complementarity::friction::single::Error>(())
    /// ```
    #[must_use]
    pub const fn segment(&self) -> Option<[Vector3<f64>; 2]> {
        self.segment
    }

    fn push(&mut self, mode: Mode, contact: &Contact, b: &Vector3<f64>, impulse: Vector3<f64>) {
        if self.count < self.values.len() {
            let energy = contact.energy(b, &impulse);
            self.values[self.count] = Solution { mode, impulse, energy };
            self.count += 1;
        }
    }
}

/// All solutions for `contact` under `b` (m/s, minus the relative velocity without it).
///
/// Returns no solution for a `b` that is not finite. A singular `A` may have a continuum of sticking impulses,
/// of which the one with the smallest tangential part is returned.
///
/// # Example
///
/// A rod at rest that is pushed along the wall it touches may jam: with `b_n = 0` both no impulse and a sticking
/// impulse obey Coulomb's law.
///
/// ```
/// use nalgebra::{matrix, vector};
/// use percussion_complementarity::friction::single::{Contact, coulomb};
///
/// let block = matrix![2.0, 1.2, 0.0; 1.2, 1.0, 0.0; 0.0, 0.0, 1.0];
/// let contact = Contact::new(&block, 2.0)?;
/// let all = coulomb::all(&contact, &vector![0.0, -0.28, 0.0]);
/// assert_eq!(all.as_slice()[0].mode, coulomb::Mode::Open);
/// assert_eq!(all.as_slice()[1].mode, coulomb::Mode::Stick);
/// assert!((all.as_slice()[1].impulse - vector![0.6, -1.0, 0.0]).norm() < 1e-14);
/// # Ok::<(), percussion_complementarity::friction::single::Error>(())
/// ```
#[must_use]
pub fn all(contact: &Contact, b: &Vector3<f64>) -> Solutions {
    if contact.is_far(b) { all_far(contact, b) } else { all_near(contact, b) }
}

/// [`all`] in units near one.
#[cold]
fn all_far(contact: &Contact, b: &Vector3<f64>) -> Solutions {
    let mut solutions = Solutions::NONE;
    if b.iter().all(|entry| entry.is_finite()) {
        let (near, load, [block, velocity]) = contact.in_units(b);
        let found = all_near(&near, &load);
        let back = |impulse: Vector3<f64>| impulse.map(|entry| shifted(entry, velocity - block));
        for solution in found.as_slice() {
            solutions.push(solution.mode, contact, b, back(solution.impulse));
        }
        solutions.segment = found.segment.map(|ends| ends.map(back));
    }
    solutions
}

/// All solutions, for entries whose powers do not overflow.
fn all_near(contact: &Contact, b: &Vector3<f64>) -> Solutions {
    let mut solutions = Solutions::NONE;
    if b.x <= 0.0 {
        solutions.push(Mode::Open, contact, b, Vector3::zeros());
    }
    let load = contact.load(b);
    let stick = contact.stick(&load).filter(|impulse| impulse.x > 0.0);
    if let Some(impulse) = stick {
        solutions.push(Mode::Stick, contact, b, impulse);
    }
    if contact.friction == 0.0 {
        if b.x > 0.0 && stick.is_none() {
            solutions.push(Mode::Slide, contact, b, Vector3::new(b.x * contact.yielding, 0.0, 0.0));
        }
        return solutions;
    }
    let conic = Conic::new(contact, &load);
    if b.x == 0.0 {
        for at in rays(&conic).into_iter().flatten() {
            if let Some(end) = segment_end(&conic, at) {
                if stick.is_none() {
                    // It is on the boundary of the cone, and rounding puts it outside.
                    solutions.push(Mode::Stick, contact, b, end);
                }
                solutions.segment = Some([Vector3::zeros(), end]);
            } else if let Some(impulse) = along_ray(&conic, at) {
                solutions.push(Mode::Slide, contact, b, impulse);
            }
        }
        return solutions;
    }
    for &at in conic.slip().roots().as_slice() {
        if let Some(impulse) = slide(&conic, &at.into()) {
            solutions.push(Mode::Slide, contact, b, impulse);
        }
    }
    solutions
}

/// The solution with the least energy among those with `a_n·x ≥ 0`; see the head of the module.
///
/// Returns zero for a `b` that is not finite. A singular `A` may have no solution:
/// [`single::solve`](super::solve) checks the answer.
#[must_use]
pub fn solve(contact: &Contact, b: &Vector3<f64>) -> Vector3<f64> {
    let start = if contact.monotone { Some(Vector3::zeros()) } else { None };
    if contact.is_far(b) {
        contact.solve_far(b, None, |contact, b, _| {
            let start = contact.monotone.then(Vector3::zeros);
            choose(contact, b, start.as_ref())
        })
    } else {
        choose(contact, b, start.as_ref())
    }
}

/// The sliding solution that Newton steps reach from the tangential part of `guess`, or, if that is zero, from the
/// direction opposite to the slip without friction. If they reach none, or the
/// contact opens or can stick, it is the answer of [`solve`].
#[must_use]
pub fn solve_near(contact: &Contact, b: &Vector3<f64>, guess: &Vector3<f64>) -> Vector3<f64> {
    if contact.is_far(b) {
        contact.solve_far(b, Some(guess), choose)
    } else {
        choose(contact, b, Some(guess))
    }
}

/// [`solve_near`] for callers that have found that the contact does not open and cannot stick: `b_n ≥ 0`, and
/// `A⁻¹ b` is not in the cone.
///
/// # Example
///
/// A body of 2 kg that arrives with 2 m/s and slides with 3 m/s, `μ = 0.5`: sticking would need 6 N·s of friction.
///
/// ```
/// use nalgebra::{Matrix3, vector};
/// use percussion_complementarity::friction::single::{Contact, coulomb};
///
/// let contact = Contact::new(&Matrix3::from_diagonal_element(0.5), 0.5)?;
/// let impulse = coulomb::slide_near(&contact, &vector![2.0, -3.0, 0.0], &vector![4.0, -1.0, 0.0]);
/// assert_eq!(impulse, vector![4.0, -2.0, 0.0]);
/// # Ok::<(), percussion_complementarity::friction::single::Error>(())
/// ```
#[must_use]
pub fn slide_near(contact: &Contact, b: &Vector3<f64>, guess: &Vector3<f64>) -> Vector3<f64> {
    if contact.is_far(b) || contact.friction == 0.0 || contact.isotropic {
        return solve_near(contact, b, guess);
    }
    slide_or_any(contact, &contact.load(b), b, Some(guess))
}

#[inline]
fn choose(contact: &Contact, b: &Vector3<f64>, guess: Option<&Vector3<f64>>) -> Vector3<f64> {
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
    slide_or_any(contact, &load, b, guess)
}

/// The slide near `guess`, or the best of all solutions.
#[inline]
fn slide_or_any(
    contact: &Contact,
    load: &Load,
    b: &Vector3<f64>,
    guess: Option<&Vector3<f64>>,
) -> Vector3<f64> {
    if let Some(guess) = guess {
        let conic = Conic::new(contact, load);
        let still = guess.y == 0.0 && guess.z == 0.0;
        // Without a guess, start opposite to the slip without friction.
        let start = if still { load.tangent } else { [guess.y, guess.z] };
        let ray = conic.slip().root_near(start);
        // With `b_n = 0` there is no point along a ray.
        if let Some(impulse) = ray.and_then(|ray| slide(&conic, &ray)) {
            return impulse;
        }
    }
    let mut best = (f64::INFINITY, Vector3::zeros());
    for solution in all_near(contact, b).as_slice() {
        if solution.energy < best.0 {
            best = (solution.energy, solution.impulse);
        }
    }
    if best.0 < f64::INFINITY {
        return best.1;
    }
    // Stick and slide differ by less than round-off: both are on the boundary of the cone.
    super::maximum_dissipation::closed(contact, b, None)
}

/// The impulse along `ray`, on which the slip is parallel to the impulse, if the slip is opposite to it.
#[inline]
fn slide(conic: &Conic<'_>, ray: &Ray) -> Option<Vector3<f64>> {
    let impulse = conic.point(ray)?;
    let impulse = if conic.is_thin(ray) { polish(conic, impulse) } else { impulse };
    opposes(conic, [impulse.y, impulse.z]).then_some(impulse)
}

fn opposes(conic: &Conic<'_>, y: [f64; 2]) -> bool {
    let slip = conic.gradient(y);
    y[0] * slip[0] + y[1] * slip[1] < 0.0
}

/// Number of rounding errors within which two asymptotes are one, and a slip is parallel to its impulse.
const ROUNDINGS: f64 = 64.0 * f64::EPSILON;

/// The directions with `f = 0`: one where `μ ‖a‖ = A_nn`, where rounding would turn two of them by its root.
fn rays(conic: &Conic<'_>) -> [Option<Direction>; 2] {
    let length = conic.tilt[0].hypot(conic.tilt[1]);
    if (length - conic.level).abs() <= ROUNDINGS * conic.level {
        let [t, o] = conic.tilt;
        return [Some(Direction { cosine: -t / length, sine: -o / length }), None];
    }
    conic.asymptotes().map_or([None; 2], |both| both.map(Some))
}

/// The impulse at which the slip stops, if it is opposite to every shorter impulse along `at`.
fn segment_end(conic: &Conic<'_>, at: Direction) -> Option<Vector3<f64>> {
    let [left, right] = conic.contact.apply([at.cosine, at.sine]);
    let [q, p] = conic.load.tangent;
    let turn = at.cosine * right - at.sine * left;
    let aside = at.cosine * p - at.sine * q;
    let is_radial = turn.abs() <= ROUNDINGS * conic.contact.block.amax()
        && aside.abs() <= ROUNDINGS * q.hypot(p);
    let r = (at.cosine * q + at.sine * p) / (at.cosine * left + at.sine * right);
    let exists = is_radial && r > 0.0 && r.is_finite();
    exists.then(|| conic.impulse([r * at.cosine, r * at.sine]))
}

/// On an asymptote the contact stays closed for every length; the slip determines the length.
fn along_ray(conic: &Conic<'_>, at: Direction) -> Option<Vector3<f64>> {
    let [left, right] = conic.contact.apply([at.cosine, at.sine]);
    let [q, p] = conic.load.tangent;
    let turn = at.cosine * right - at.sine * left;
    let r = (at.cosine * p - at.sine * q) / turn;
    let y = [r * at.cosine, r * at.sine];
    (r > 0.0 && r.is_finite() && opposes(conic, y)).then(|| conic.impulse(y))
}

/// Newton steps in `y` on `‖y‖ − μ (b_n − a·y)/A_nn = 0` and `slip × y = 0`.
fn polish(conic: &Conic<'_>, impulse: Vector3<f64>) -> Vector3<f64> {
    let [tt, to, oo] = conic.contact.schur;
    // The sign selects the nappe of the cone: r > 0 is the upper one.
    let k = [conic.tilt[0] / conic.level, conic.tilt[1] / conic.level];
    let reach = conic.drive / conic.level;
    let mut y = [impulse.y, impulse.z];
    for _ in 0..3 {
        let r = y[0].hypot(y[1]);
        let slip = conic.gradient(y);
        let miss = r + k[0] * y[0] + k[1] * y[1] - reach;
        let cross = slip[0] * y[1] - slip[1] * y[0];
        let row = [y[0] / r + k[0], y[1] / r + k[1]];
        let other = [tt * y[1] - to * y[0] - slip[1], to * y[1] - oo * y[0] + slip[0]];
        let determinant = row[0] * other[1] - row[1] * other[0];
        let step = [
            (cross * row[1] - miss * other[1]) / determinant,
            (miss * other[0] - cross * row[0]) / determinant,
        ];
        // Only a small refinement is accepted; a larger step is round-off in a singular system.
        let refines = step[0].hypot(step[1]) <= 0.1 * r;
        if !refines {
            break;
        }
        y = [y[0] + step[0], y[1] + step[1]];
    }
    conic.impulse(y)
}

#[cfg(test)]
mod tests;
