//! All impulses of one contact under Coulomb's law, and the one to take.
//!
//! With `u = A x − b` the law is `0 ≤ u_n ⊥ x_n ≥ 0`, `‖x_to‖ ≤ μ x_n` and, where the contact slips,
//! `x_to = −μ x_n u_to/‖u_to‖`. Three kinds of solutions are looked for:
//!
//! - **open**: `x = 0`, when `b_n ≤ 0`;
//! - **stick**: `x = A⁻¹ b`, when it is in the cone;
//! - **slide** against the direction `e = (cos α, sin α)` of the slip: `x_to = −r e` with
//!   `r = μ b_n/f(α)`, `f = A_nn − μ a·e`, is an impulse of the law exactly if `r > 0`, if the slip
//!   `−r P e − q` is along `e`, which is a [trigonometric polynomial](TrigonometricPolynomial) of degree two,
//!   ```math
//!   \mu b_n\, e_\perp^T P e + f(\alpha)\, e_\perp^T q = 0,
//!   ```
//!   and if its length along `e` is not negative. Every root of the polynomial is checked. With `b_n = 0`
//!   only the directions with `f = 0` are left.
//!
//! **Which one to take.** [`solve`] returns the solution that leaves the least kinetic energy among those that
//! press at least as hard as they have to, `a_n·x ≥ 0`; so an opening contact (`b_n < 0`) stays without
//! impulse, a contact that can stick does, and no solution that is kept dissipates more than
//! [`maximum_dissipation`](super::maximum_dissipation), which shares that condition.
//! [`solve_near`] takes the slide nearest to a given impulse instead, which keeps sweeps over many contacts from
//! jumping between solutions. Without coupling of normal and tangents, or for small `μ`, there is one.
//!
//! - **Needs** nothing beyond a valid [`Contact`]. With `b_n > 0` and `A` positive definite one to five
//!   solutions exist.
//! - **Cost** about 0.3 µs for all, mostly below 0.1 µs for the nearest. Allocates nothing.
//!
//! # Source
//!
//! O. Bonnefon, G. Daviet, "Quartic formulation of Coulomb 3D frictional contact", INRIA RT-0400, 2011;
//! T. Preclik, S. Eibl, U. Rüde, 2017, sections 3.2 and 4.1. The polynomial in this form is derived above.

use nalgebra::Vector3;

use super::{Contact, Load, maximum_dissipation::radial};
use crate::friction::trigonometric_polynomial::{Direction, TrigonometricPolynomial};

/// How the contact moves after a [`Solution`].
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
pub struct Solution {
    /// How the contact moves afterwards.
    pub mode: Mode,
    /// The impulse (N·s; normal, tangent, tangent).
    pub impulse: Vector3<f64>,
    /// The change of kinetic energy `½ xᵀ A x − xᵀ b` (J).
    pub energy: f64,
}

/// At most six solutions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solutions {
    values: [Solution; 6],
    count: usize,
}

impl Solutions {
    const NONE: Self = Self {
        values: [Solution { mode: Mode::Open, impulse: Vector3::new(0.0, 0.0, 0.0), energy: 0.0 };
            6],
        count: 0,
    };

    /// The solutions: open, stick, then slides.
    #[must_use]
    pub fn as_slice(&self) -> &[Solution] {
        &self.values[..self.count]
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
/// None for a `b` that is not finite. A singular `A` may have a continuum of sticking impulses, of which the one
/// with the smallest tangential part is returned.
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
    let mut solutions = Solutions::NONE;
    if !b.iter().all(|entry| entry.is_finite()) {
        return solutions;
    }
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
    let slides = Slides::new(contact, &load);
    if b.x == 0.0 {
        for at in slides.rays() {
            if let Some(y) = slides.along_ray(at) {
                solutions.push(Mode::Slide, contact, b, slides.impulse(y));
            }
        }
        return solutions;
    }
    for &at in slides.slip.roots().as_slice() {
        if let Some(y) = slides.point(at).map(|y| slides.polish(at, y))
            && slides.slip_along(y) > 0.0
        {
            solutions.push(Mode::Slide, contact, b, slides.impulse(y));
        }
    }
    solutions
}

/// The solution with the least energy among those with `a_n·x ≥ 0`, see the head of the module.
///
/// Zero for a `b` that is not finite; finite if the squares of `b` do not overflow.
#[must_use]
pub fn solve(contact: &Contact, b: &Vector3<f64>) -> Vector3<f64> {
    choose(contact, b, None)
}

/// The sliding solution that Newton steps reach from the tangential part of `guess`, or [`solve`]'s answer
/// where they reach none or the contact opens or can stick.
#[must_use]
pub fn solve_near(contact: &Contact, b: &Vector3<f64>, guess: &Vector3<f64>) -> Vector3<f64> {
    choose(contact, b, Some(guess))
}

#[inline]
fn choose(contact: &Contact, b: &Vector3<f64>, guess: Option<&Vector3<f64>>) -> Vector3<f64> {
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
    if b.x > 0.0
        && let Some(guess) = guess
    {
        let slides = Slides::new(contact, &load);
        if let Some(y) = slides.near([-guess.y, -guess.z]) {
            return slides.impulse(y);
        }
    }
    let mut best = (f64::INFINITY, Vector3::zeros());
    for solution in all(contact, b).as_slice() {
        if solution.energy < best.0 {
            best = (solution.energy, solution.impulse);
        }
    }
    if best.0 < f64::INFINITY {
        return best.1;
    }
    // Stick and slide are apart by less than round-off: on the edge of the cone both are.
    super::maximum_dissipation::solve(contact, b)
}

/// The slides of a contact that stays closed.
struct Slides<'a> {
    contact: &'a Contact,
    load: &'a Load,
    /// `μ b_n`.
    drive: f64,
    /// `A_nn` and `μ a`, the coefficients of `f`.
    level: f64,
    tilt: [f64; 2],
    slip: TrigonometricPolynomial,
}

impl<'a> Slides<'a> {
    fn new(contact: &'a Contact, load: &'a Load) -> Self {
        let [t, o] = contact.coupling();
        let [tt, to, oo] = contact.schur;
        let [q, p] = load.tangent;
        let (level, friction) = (contact.block[(0, 0)], contact.friction);
        let drive = friction * load.normal;
        let slip = TrigonometricPolynomial {
            constant: -0.5 * friction * (t * p - o * q),
            first: [level * p, -level * q],
            second: [
                drive * to - 0.5 * friction * (t * p + o * q),
                0.5 * (drive * (oo - tt) - friction * (o * p - t * q)),
            ],
        };
        Self { contact, load, drive, level, tilt: [friction * t, friction * o], slip }
    }

    fn width(&self, at: Direction) -> f64 {
        self.level - self.tilt[0] * at.cosine - self.tilt[1] * at.sine
    }

    /// The tangential impulse against the slip `at`.
    fn point(&self, at: Direction) -> Option<[f64; 2]> {
        let r = self.drive / self.width(at);
        (r > 0.0 && r.is_finite()).then(|| [-r * at.cosine, -r * at.sine])
    }

    /// The slip against `y`, positive if it opposes `y` as friction must.
    fn slip_along(&self, y: [f64; 2]) -> f64 {
        let slip = self.slip_velocity(y);
        -(y[0] * slip[0] + y[1] * slip[1])
    }

    fn slip_velocity(&self, y: [f64; 2]) -> [f64; 2] {
        let [left, right] = self.contact.apply(y);
        [left - self.load.tangent[0], right - self.load.tangent[1]]
    }

    fn impulse(&self, y: [f64; 2]) -> Vector3<f64> {
        let length = (y[0] * y[0] + y[1] * y[1]).sqrt();
        Vector3::new(length / self.contact.friction, y[0], y[1])
    }

    /// A slide by Newton steps from the direction `start` of the slip, or of the slip without friction.
    fn near(&self, start: [f64; 2]) -> Option<[f64; 2]> {
        let still = start[0] == 0.0 && start[1] == 0.0;
        let start = if still { self.load.tangent.map(|q| -q) } else { start };
        let length = (start[0] * start[0] + start[1] * start[1]).sqrt();
        let mut at = Direction { cosine: start[0] / length, sine: start[1] / length };
        for _ in 0..8 {
            let step = -self.slip.value(at) / self.slip.derivative(at);
            let small = step.abs() < 0.5;
            if !small {
                return None;
            }
            at = at.turned(step);
            if step.abs() < 1e-8 {
                let y = self.polish(at, self.point(at)?);
                return (self.slip_along(y) > 0.0).then_some(y);
            }
        }
        None
    }

    /// The directions with `f = 0`.
    fn rays(&self) -> impl Iterator<Item = Direction> {
        let length = self.tilt[0].hypot(self.tilt[1]);
        let cosine = self.level / length;
        let sine = ((1.0 - cosine) * (1.0 + cosine)).max(0.0).sqrt();
        let toward = [self.tilt[0] / length, self.tilt[1] / length];
        let exists = length > 0.0 && cosine <= 1.0;
        let signs = if exists { &[-1.0, 1.0][..] } else { &[] };
        signs.iter().map(move |sign| Direction {
            cosine: cosine * toward[0] - sign * sine * toward[1],
            sine: cosine * toward[1] + sign * sine * toward[0],
        })
    }

    /// Along a ray the plane of maximum compression holds for every length; the slip decides it.
    fn along_ray(&self, at: Direction) -> Option<[f64; 2]> {
        let [left, right] = self.contact.apply([at.cosine, at.sine]);
        let [q, p] = self.load.tangent;
        let turn = at.cosine * right - at.sine * left;
        let r = -(at.cosine * p - at.sine * q) / turn;
        let y = [-r * at.cosine, -r * at.sine];
        (r > 0.0 && r.is_finite() && self.slip_along(y) > 0.0).then_some(y)
    }

    /// Newton steps in `y` itself on `‖y‖ − μ (b_n − a·y)/A_nn = 0` and `slip × y = 0`. Where `f` is small
    /// the angle alone does not determine the point to full precision.
    fn polish(&self, at: Direction, mut y: [f64; 2]) -> [f64; 2] {
        let size = self.level + self.tilt[0].abs() + self.tilt[1].abs();
        if self.width(at).abs() > 0.01 * size {
            return y;
        }
        let [tt, to, oo] = self.contact.schur;
        // The sign is that of the nappe of the cone, which is the upper one for r > 0.
        let k = [self.tilt[0] / self.level, self.tilt[1] / self.level];
        let reach = self.drive / self.level;
        for _ in 0..3 {
            let r = y[0].hypot(y[1]);
            let slip = self.slip_velocity(y);
            let miss = r + k[0] * y[0] + k[1] * y[1] - reach;
            let cross = slip[0] * y[1] - slip[1] * y[0];
            let row = [y[0] / r + k[0], y[1] / r + k[1]];
            let other = [tt * y[1] - to * y[0] - slip[1], to * y[1] - oo * y[0] + slip[0]];
            let determinant = row[0] * other[1] - row[1] * other[0];
            let step = [
                (cross * row[1] - miss * other[1]) / determinant,
                (miss * other[0] - cross * row[0]) / determinant,
            ];
            // Only a refinement is wanted; anything else is round-off in a singular system.
            let refines = step[0].hypot(step[1]) <= 0.1 * r;
            if !refines {
                return y;
            }
            y = [y[0] + step[0], y[1] + step[1]];
        }
        y
    }
}
