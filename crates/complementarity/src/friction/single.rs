//! One contact with friction, solved in closed form: [`Contact`].
//!
//! The velocity after the impulse `x` is `A x − b`, components normal, tangent, tangent: `A` is the
//! contact's block of the Delassus operator (kg⁻¹) and `−b` the relative velocity without it (m/s).
//! Eliminating the normal impulse of a contact that stays closed, `x_n = (b_n − a·y)/A_nn`, leaves the
//! tangential impulse `y` with the quadratic energy
//!
//! ```math
//! \tfrac12 x^T A x - x^T b = \tfrac12 y^T P y - q^T y - \tfrac{b_n^2}{2 A_{nn}},\qquad
//! P = A_{tt} - \tfrac{a a^T}{A_{nn}},\quad q = b_t - \tfrac{b_n}{A_{nn}} a.
//! ```
//!
//! | module | answers |
//! | --- | --- |
//! | [`maximum_dissipation`] | the impulse that leaves the least kinetic energy: one |
//! | [`coulomb`] | friction against the slip: all of one to six, and the one to take |
//! | [`alart_curnier`] | one impulse of Coulomb's law by Newton's method, for comparison |
//! | [`projection`] | one impulse of Coulomb's law by projected steps, for comparison |
//! | [`Figures`] | how far an impulse is from the law: approach, adhesion, cone, complementarity and slip |
//!
//! [`solve`] returns the answer under either law after checking it, or an error. A singular `A` whose range
//! does not contain `b` may have no answer, as for `μ ≥ 1`, `A = [[1, 1], [1, 1]]` and `b = (1, −1)`, where
//! every normal impulse causes an equal tangential motion. The closed forms alone then return their best
//! impulse, which is only guaranteed to be finite.
//!
//! Blocks and velocities beyond `2^±200`, whose powers could overflow or underflow, are converted exactly by
//! powers of two to units near one, and back.
//!
//! # Source
//!
//! T. Preclik, S. Eibl, U. Rüde, "The maximum dissipation principle in rigid-body dynamics with purely
//! inelastic impacts", 2017, section 3.2.

pub mod alart_curnier;
mod conic;
pub mod coulomb;
pub(super) mod figures;
pub mod maximum_dissipation;
pub mod projection;

use nalgebra::{Matrix3, Vector3};

use self::figures::Figures;
use super::{Law, cone};
use crate::compensated::Sum;

/// Allowed asymmetry of `W`: an entry and its mirror image may differ by this fraction of the square root of
/// the product of their diagonal entries.
///
/// Programs that form `W` by integration or from different linearizations of two rows produce matrices that are
/// unsymmetric by up to `2e-3` in this measure. Five times that is a mistake in the order of components.
/// Products use `W` as it is; single contacts use the symmetric part of their block.
pub const SYMMETRY: f64 = 1e-2;

/// The reason why a block and a friction coefficient are not a valid [`Contact`].
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An entry of the block is NaN or infinite.
    #[error("block[{row}][{column}] is {value}, expected a finite number")]
    Entry {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
        /// The entry.
        value: f64,
    },
    /// A diagonal entry is not positive.
    #[error("block[{row}][{row}] is {value}, expected a positive number")]
    Diagonal {
        /// Row of the entry.
        row: usize,
        /// The entry.
        value: f64,
    },
    /// The block is not symmetric within [`SYMMETRY`].
    #[error(
        "block[{row}][{column}] is {value} but block[{column}][{row}] is {other}, expected a symmetric block"
    )]
    Unsymmetric {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
        /// The entry.
        value: f64,
        /// Its mirror image.
        other: f64,
    },
    /// The block is indefinite: some impulse would reduce the energy without limit.
    #[error(
        "block has the negative minor {value} of rows {rows:?}, expected a positive semidefinite block"
    )]
    Indefinite {
        /// Rows and columns of the minor.
        rows: [usize; 2],
        /// The minor, relative to the product of its diagonal entries.
        value: f64,
    },
    /// The friction coefficient is negative, NaN or infinite.
    #[error("friction is {value}, expected a finite number ≥ 0")]
    Friction {
        /// The coefficient.
        value: f64,
    },
}

/// The block of one contact with its friction, prepared for any number of solves.
///
/// An unsymmetric block (within tolerance) is replaced by its symmetric part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    block: Matrix3<f64>,
    friction: f64,
    /// `tr(A)/3`.
    inverse_mass: f64,
    /// `1/A_nn`.
    yielding: f64,
    /// `P_tt, P_to, P_oo`.
    schur: [f64; 3],
    /// The same entries of `P⁻¹`, or of its pseudo-inverse.
    inverse: [f64; 3],
    /// Whether `P` is singular to working precision.
    singular: bool,
    /// Whether normal and tangents are uncoupled and the tangents have equal compliance.
    isotropic: bool,
    /// Whether the coupling is so weak that Coulomb's law has one solution, see [`coulomb`].
    monotone: bool,
    /// Whether powers of the entries may overflow or underflow.
    far: bool,
    /// Whether `P` is so nearly singular that its inverse may lose more than six digits, or the boundary of the
    /// cone is so thin that its points are hard to find.
    doubtful: bool,
}

/// Blocks and velocities with sizes between the inverse of this and this are solved as they are.
const NEAR: f64 = 1.606_938_044_258_990_3e60; // 2²⁰⁰

fn is_near(size: f64) -> bool {
    size < NEAR && size > 1.0 / NEAR
}

/// Largest [figure](Figures) of an impulse that [`solve`] returns, relative to `‖b‖`.
pub const TOLERANCE: f64 = 1e-8;

/// The closed form found no impulse that satisfies the law.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "no impulse that satisfies the law was found for the contact: the best one has an error of {} m/s, expected at most {allowed} m/s; the block is singular, or the velocity is not finite",
    figures.largest()
)]
#[non_exhaustive]
pub struct Unsolved {
    /// The best impulse (N·s).
    pub impulse: Vector3<f64>,
    /// Its figures (m/s).
    pub figures: Figures,
    /// The largest accepted figure: [`TOLERANCE`] times `‖b‖` (m/s).
    pub allowed: f64,
}

/// The impulse (N·s) of `contact` under `law` and `b` (m/s, minus the relative velocity without it), checked.
///
/// For Coulomb's law all solutions are tried if the [preferred one](coulomb::solve) fails.
///
/// # Errors
///
/// [`Unsolved`] if no impulse was found whose [figures](Figures) are at most [`TOLERANCE`] times `‖b‖`, or if
/// `b` is not finite.
///
/// # Example
///
/// Normal and tangent of this block always move together: 1 m/s of approach cannot be stopped without slip, and
/// the friction of 2 against that slip causes the approach again.
///
/// ```
/// use nalgebra::{matrix, vector};
/// use percussion_complementarity::friction::{Law, single::{self, Contact}};
///
/// let block = matrix![1.0, 1.0, 0.0; 1.0, 1.0, 0.0; 0.0, 0.0, 1.0];
/// let b = vector![1.0, -1.0, 0.0];
/// for law in [Law::Coulomb, Law::MaximumDissipation] {
///     assert!(single::solve(law, &Contact::new(&block, 2.0)?, &b).is_err());
///     let impulse = single::solve(law, &Contact::new(&block, 0.5)?, &b)?;
///     assert!((impulse - vector![2.0, -1.0, 0.0]).norm() < 1e-14);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn solve(law: Law, contact: &Contact, b: &Vector3<f64>) -> Result<Vector3<f64>, Unsolved> {
    let allowed = TOLERANCE * cone::norm(b);
    let judged = |impulse: Vector3<f64>| {
        let velocity = contact.compensated_velocity(b, &impulse);
        let figures = Figures::of(law, contact, &impulse, &velocity);
        let met = figures.largest() <= allowed && allowed.is_finite();
        if met { Ok(impulse) } else { Err(Unsolved { impulse, figures, allowed }) }
    };
    match law {
        Law::MaximumDissipation => judged(maximum_dissipation::solve(contact, b)),
        Law::Coulomb => judged(coulomb::solve(contact, b)).or_else(|first| {
            let all = coulomb::all(contact, b);
            let others = all.as_slice().iter().map(|solution| judged(solution.impulse));
            others.flatten().next().ok_or(first)
        }),
    }
}

/// The result of the iterative solvers for one contact.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Iterated {
    /// The iterate with the smallest residual (N·s).
    pub impulse: Vector3<f64>,
    /// Number of iterations until this iterate.
    pub iterations: usize,
    /// The residual of this iterate in the sense of the solver, in m/s; infinite if no iterate was finite.
    pub residual: f64,
}

/// Data that depend on `b` only: the energy of the tangential impulse, `½ yᵀ P y − qᵀ y`, and `b_n`.
#[derive(Clone, Copy)]
struct Load {
    normal: f64,
    tangent: [f64; 2],
}

impl Contact {
    /// Prepares the block `A` (kg⁻¹, symmetric positive semidefinite with a positive diagonal) and
    /// `friction` μ ≥ 0.
    ///
    /// # Errors
    ///
    /// [`Error`] with the entry that is wrong.
    pub fn new(block: &Matrix3<f64>, friction: f64) -> Result<Self, Error> {
        check(block, friction)?;
        Ok(Self::prepare(&(0.5 * (block + block.transpose())), friction))
    }

    /// Prepares a symmetric block that has been checked.
    fn prepare(block: &Matrix3<f64>, friction: f64) -> Self {
        let block = *block;
        let [n, t, o] = [block[(0, 0)], block[(0, 1)], block[(0, 2)]];
        let yielding = 1.0 / n;
        let schur = [
            (block[(1, 1)] - t * t * yielding).max(0.0),
            block[(1, 2)] - t * o * yielding,
            (block[(2, 2)] - o * o * yielding).max(0.0),
        ];
        let isotropic =
            t == 0.0 && o == 0.0 && schur[1] == 0.0 && (schur[0] - schur[2]).abs() <= 0.0;
        let (inverse, singular) = pseudo_inverse(schur);
        // aᵀ P⁻¹ a, and the trace of P for its largest eigenvalue.
        let coupling = inverse[0] * t * t + 2.0 * inverse[1] * t * o + inverse[2] * o * o;
        let monotone = !singular && friction * friction * coupling * (schur[0] + schur[2]) < n * n;
        let far = !(0..3).all(|row| is_near(block[(row, row)]));
        let determinant = schur[0] * schur[2] - schur[1] * schur[1];
        let regular = determinant > 1e-6 * block[(1, 1)] * block[(2, 2)] && !far;
        // With ‖k‖ ≤ 0.95 no direction is thin, see `Conic::is_thin`.
        let tilt = [friction * t, friction * o];
        let wide = tilt[0] * tilt[0] + tilt[1] * tilt[1] <= 0.9 * n * n;
        Self {
            block,
            friction,
            inverse_mass: block.trace() / 3.0,
            yielding,
            schur,
            inverse,
            singular,
            isotropic,
            monotone,
            far,
            doubtful: !(isotropic || regular && wide),
        }
    }

    /// Whether this contact and `b` must be solved [in other units](Self::in_units).
    #[inline]
    fn is_far(&self, b: &Vector3<f64>) -> bool {
        // Also true for zero and for values that are not finite.
        self.far || !is_near(b.x.abs() + b.y.abs() + b.z.abs())
    }

    /// The contact and `b` in units near one, and the exponents of the units of `A` and `b`.
    fn in_units(&self, b: &Vector3<f64>) -> (Self, Vector3<f64>, [i32; 2]) {
        let units = [self.block.amax(), b.amax()].map(exponent);
        let block = self.block.map(|entry| shifted(entry, -units[0]));
        (Self::prepare(&block, self.friction), b.map(|entry| shifted(entry, -units[1])), units)
    }

    /// Applies a closed form in units near one.
    #[cold]
    fn solve_far(
        &self,
        b: &Vector3<f64>,
        guess: Option<&Vector3<f64>>,
        solve: impl Fn(&Self, &Vector3<f64>, Option<&Vector3<f64>>) -> Vector3<f64>,
    ) -> Vector3<f64> {
        if !b.iter().all(|entry| entry.is_finite()) {
            return Vector3::zeros();
        }
        let (contact, b, [block, velocity]) = self.in_units(b);
        let guess = guess.map(|guess| guess.map(|entry| shifted(entry, block - velocity)));
        solve(&contact, &b, guess.as_ref()).map(|entry| shifted(entry, velocity - block))
    }

    /// `tr(A)/3` (kg⁻¹), which turns impulses into velocities.
    #[must_use]
    pub const fn inverse_mass(&self) -> f64 {
        self.inverse_mass
    }

    /// `μ a/A_nn`.
    fn tilt(&self) -> [f64; 2] {
        self.coupling().map(|a| self.friction * (a * self.yielding))
    }

    /// Whether the closed form of maximum dissipation needs a further check.
    #[inline]
    const fn is_doubtful(&self) -> bool {
        self.doubtful
    }

    /// `w ‖x − x*‖` (m/s) with the impulse `x*` of maximum dissipation under `b`.
    #[inline]
    fn distance_from_dissipative(&self, impulse: &Vector3<f64>, b: &Vector3<f64>) -> f64 {
        let target = maximum_dissipation::solve_near(self, b, Some(impulse));
        self.inverse_mass * cone::norm(&(impulse - target))
    }

    /// [`velocity`](Self::velocity) in twice the working precision if terms cancel.
    fn compensated_velocity(&self, b: &Vector3<f64>, impulse: &Vector3<f64>) -> Vector3<f64> {
        if self.block.amax() * impulse.amax() <= 1e3 * b.amax() {
            return self.velocity(b, impulse);
        }
        Vector3::from_fn(|row, _| {
            let mut sum = Sum::new(-b[row]);
            (0..3).for_each(|column| sum.add_product(self.block[(row, column)], impulse[column]));
            sum.value()
        })
    }

    /// The symmetric block `A` (kg⁻¹).
    #[must_use]
    pub const fn block(&self) -> &Matrix3<f64> {
        &self.block
    }

    /// The friction coefficient μ.
    #[must_use]
    pub const fn friction(&self) -> f64 {
        self.friction
    }

    /// The relative velocity `A x − b` after the impulse `x` (m/s).
    #[must_use]
    pub fn velocity(&self, b: &Vector3<f64>, impulse: &Vector3<f64>) -> Vector3<f64> {
        self.block * impulse - b
    }

    /// The change of kinetic energy `½ xᵀ A x − xᵀ b` by the impulse `x` (J).
    #[must_use]
    pub fn energy(&self, b: &Vector3<f64>, impulse: &Vector3<f64>) -> f64 {
        impulse.dot(&(0.5 * (self.block * impulse) - b))
    }

    fn coupling(&self) -> [f64; 2] {
        [self.block[(0, 1)], self.block[(0, 2)]]
    }

    fn load(&self, b: &Vector3<f64>) -> Load {
        let [t, o] = self.coupling();
        let plain = b.x * self.yielding;
        Load { normal: b.x, tangent: [b.y - plain * t, b.z - plain * o] }
    }

    /// `P y`.
    fn apply(&self, [y, z]: [f64; 2]) -> [f64; 2] {
        let [tt, to, oo] = self.schur;
        [tt * y + to * z, to * y + oo * z]
    }

    /// The impulse with tangential part `y` at which the contact stays closed.
    fn closed(&self, load: &Load, y: [f64; 2]) -> Vector3<f64> {
        let [t, o] = self.coupling();
        Vector3::new((load.normal - t * y[0] - o * y[1]) * self.yielding, y[0], y[1])
    }

    /// `P⁻¹ q`, the tangential part of the impulse that stops all relative motion.
    fn sticking(&self, load: &Load) -> [f64; 2] {
        let [tt, to, oo] = self.inverse;
        let [q, p] = load.tangent;
        [tt * q + to * p, to * q + oo * p]
    }

    /// The impulse that stops all relative motion, unless it is outside the friction cone or `A` is singular
    /// and `b` is outside its range.
    fn stick(&self, load: &Load) -> Option<Vector3<f64>> {
        let (q, y) = (load.tangent, self.sticking(load));
        let impulse = self.closed(load, y);
        let limit = self.friction * impulse.x;
        let inside = impulse.x >= 0.0 && y[0] * y[0] + y[1] * y[1] <= limit * limit;
        if !inside {
            return None;
        }
        if self.singular {
            let [left, right] = self.apply(y);
            let rest = (left - q[0]).hypot(right - q[1]);
            // The part of q outside the range of a singular P must be round-off.
            if rest > 1e-12 * (q[0].hypot(q[1]) + self.block.amax() * impulse.amax()) {
                return None;
            }
        }
        Some(impulse)
    }
}

/// `⌊log₂ x⌋` of a normal number; zero if `x` is not positive and finite.
pub(super) fn exponent(x: f64) -> i32 {
    if x > 0.0 && x.is_finite() { ((x.to_bits() >> 52) & 0x7ff) as i32 - 1023 } else { 0 }
}

/// `x 2^exponent`, rounded only if the result is subnormal.
pub(super) fn shifted(x: f64, exponent: i32) -> f64 {
    let exponent = exponent.clamp(-2000, 2000);
    let half = exponent / 2;
    x * 2.0_f64.powi(half) * 2.0_f64.powi(exponent - half)
}

/// Whether the entries keep their digits when they are [shifted]; one that is rounding beside the largest entry may vanish.
pub(super) fn keep_digits(mut entries: impl Iterator<Item = f64> + Clone, exponent: i32) -> bool {
    let largest = entries.clone().fold(0.0, |largest, entry| entry.abs().max(largest));
    entries.all(|entry| {
        let there = shifted(entry, exponent);
        let error = (shifted(there, -exponent) - entry).abs();
        there.is_finite() && error <= f64::EPSILON * largest
    })
}

/// The inverse of `[[tt, to], [to, oo]]`, or the pseudo-inverse when it is singular within round-off, and
/// whether it is singular.
fn pseudo_inverse([tt, to, oo]: [f64; 3]) -> ([f64; 3], bool) {
    let determinant = tt * oo - to * to;
    let trace = tt + oo;
    if determinant > 8.0 * f64::EPSILON * tt * oo {
        return ([oo / determinant, -to / determinant, tt / determinant], false);
    }
    // A matrix of rank one, P = λ v vᵀ with λ = trace, has the pseudo-inverse P/λ²; zero has zero.
    let scaled = [tt / trace / trace, to / trace / trace, oo / trace / trace];
    (if scaled.iter().all(|entry| entry.is_finite()) { scaled } else { [0.0; 3] }, true)
}

fn check(block: &Matrix3<f64>, friction: f64) -> Result<(), Error> {
    for row in 0..3 {
        for column in 0..3 {
            let value = block[(row, column)];
            if !value.is_finite() {
                return Err(Error::Entry { row, column, value });
            }
        }
    }
    if !friction.is_finite() || friction < 0.0 {
        return Err(Error::Friction { value: friction });
    }
    for row in 0..3 {
        let value = block[(row, row)];
        if value <= 0.0 {
            return Err(Error::Diagonal { row, value });
        }
    }
    for [row, column] in [[0, 1], [0, 2], [1, 2]] {
        let (value, other) = (block[(row, column)], block[(column, row)]);
        let scale = block[(row, row)].sqrt() * block[(column, column)].sqrt();
        if (value - other).abs() > SYMMETRY * scale {
            return Err(Error::Unsymmetric { row, column, value, other });
        }
        // Relative to the largest possible minor; the tolerance is that of an unsymmetric block.
        let cosine = 0.5 * (value + other) / scale;
        let value = 1.0 - cosine * cosine;
        if value < -SYMMETRY {
            return Err(Error::Indefinite { rows: [row, column], value });
        }
    }
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests;
