//! Real roots of quartics, and of trigonometric polynomials of degree two on the circle.
//!
//! ```math
//! p(\alpha) = k_0 + k_{1c}\cos\alpha + k_{1s}\sin\alpha + k_{2c}\cos 2\alpha + k_{2s}\sin 2\alpha
//! ```
//!
//! With `y = tan(α/2)` the product `(1 + y²)² p` is a quartic in `y` whose leading coefficient is `p(π)`.
//! The circle is first turned so that `α = π` is where `|p|` is largest among eight angles; then the leading
//! coefficient never vanishes beside the others, no root is at infinity and all have `|y| < 60`.
//! Roots of the quartic lie between those of its derivative, where it is monotonic: a safeguarded Newton
//! iteration in each of the at most four intervals with a change of sign finds them all and no others.
//!
//! - **Finds** every simple root. Where the polynomial touches zero within round-off the point is one root.
//! - **Does not** fail: every loop is bounded and finite coefficients give finite roots.
//! - **Cost** about 0.2 µs for four roots; nothing is allocated and no trigonometric function is called.
//!
//! # Source
//!
//! G. E. Collins, R. Loos, "Polynomial real root isolation by differentiation", *SYMSAC '76*, ACM 1976,
//! 15–25. Safeguarded Newton: W. H. Press et al., *Numerical Recipes*, 3rd ed., 2007, section 9.4.

use std::f64::consts::FRAC_1_SQRT_2;

/// At most four real numbers in ascending order.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Roots {
    values: [f64; 4],
    count: usize,
}

impl Roots {
    /// The roots, ascending.
    #[must_use]
    pub fn as_slice(&self) -> &[f64] {
        &self.values[..self.count]
    }

    fn push(&mut self, value: f64) {
        if self.count < 4 {
            self.values[self.count] = value;
            self.count += 1;
        }
    }
}

/// Real roots of `y⁴ + c₃ y³ + c₂ y² + c₁ y + c₀`, coefficients from `c₀` to `c₃`, each root once.
///
/// A double root, or two closer than round-off can tell apart, counts once. Coefficients that are not
/// finite have no roots.
///
/// # Example
///
/// `(y² − 1)(y² − 4) = y⁴ − 5 y² + 4`.
///
/// ```
/// use percussion_complementarity::friction::trigonometric_polynomial::quartic_roots;
///
/// let roots = quartic_roots([4.0, 0.0, -5.0, 0.0]);
/// for (root, expected) in roots.as_slice().iter().zip([-2.0, -1.0, 1.0, 2.0]) {
///     assert!((root - expected).abs() < 1e-14);
/// }
/// assert!(quartic_roots([1.0, 0.0, 0.0, 0.0]).as_slice().is_empty());
/// ```
#[must_use]
pub fn quartic_roots(coefficients: [f64; 4]) -> Roots {
    let [c0, c1, c2, c3] = coefficients;
    let largest = c0.abs().max(c1.abs()).max(c2.abs()).max(c3.abs());
    if largest > 1e50 && coefficients.iter().all(|c| c.is_finite()) {
        // Powers would overflow: in units of the bound all coefficients are at most one.
        let [a, b, c, d] = coefficients.map(|c| c / largest);
        let mut roots =
            quartic_roots([a / largest / largest / largest, b / largest / largest, c / largest, d]);
        roots.values = roots.values.map(|root| root * largest);
        return roots;
    }
    // A few roundings of the largest term: closer to zero the sign means nothing.
    roots_beyond_noise(coefficients, |y| {
        let size = y.abs();
        let terms = (((size + c3.abs()) * size + c2.abs()) * size + c1.abs()) * size + c0.abs();
        4.0 * f64::EPSILON * terms
    })
}

/// [`quartic_roots`] where extrema within `noise` of zero touch it.
fn roots_beyond_noise([c0, c1, c2, c3]: [f64; 4], noise: impl Fn(f64) -> f64) -> Roots {
    let mut roots = Roots::default();
    // Cauchy: all roots, and so those of the derivatives, have a modulus below this.
    let bound = 1.0 + c0.abs().max(c1.abs()).max(c2.abs()).max(c3.abs());
    if !bound.is_finite() {
        return roots;
    }
    let quartic = |y: f64| (((y + c3) * y + c2) * y + c1) * y + c0;
    let slope = |y: f64| ((4.0 * y + 3.0 * c3) * y + 2.0 * c2) * y + c1;
    let (critical, count) = cubic_roots([0.25 * c1, 0.5 * c2, 0.75 * c3], bound);

    let (mut left, mut at_left) = (-bound, quartic(-bound).max(0.0));
    let mut touched = false;
    for index in 0..=count {
        let right = critical[..count].get(index).copied().unwrap_or(bound);
        let at_right = if index < count { quartic(right) } else { quartic(right).max(0.0) };
        let touches = index < count && at_right.abs() <= noise(right);
        if touches {
            roots.push(right);
        } else if !touched && (at_left < 0.0) != (at_right < 0.0) {
            roots.push(newton_between(left, right, at_left < 0.0, quartic, slope));
        }
        (left, at_left, touched) = (right, at_right, touches);
    }
    roots
}

/// Ascending real roots of `y³ + c₂ y² + c₁ y + c₀` and their number, coefficients from `c₀` to `c₂`.
fn cubic_roots([c0, c1, c2]: [f64; 3], bound: f64) -> ([f64; 3], usize) {
    let cubic = |y: f64| ((y + c2) * y + c1) * y + c0;
    let slope = |y: f64| (3.0 * y + 2.0 * c2) * y + c1;
    // The inflection point parts an outer root with its monotonic branch from the others.
    let inflection = -c2 / 3.0;
    let at_inflection = cubic(inflection);
    let discriminant = c2 * c2 - 3.0 * c1;
    let reach = if discriminant > 0.0 { discriminant.sqrt() * (2.0 / 3.0) } else { 0.0 };
    // Beyond the far side of the local extremum the cubic has the sign of that branch.
    let outer = if at_inflection > 0.0 {
        let left = -bound;
        newton_between(left, inflection - 0.5 * reach, true, cubic, slope)
    } else {
        newton_between(inflection + 0.5 * reach, bound, true, cubic, slope)
    };
    // (y − outer)(y² + b y + c); what is lost by this division only moves ends of intervals.
    let b = c2 + outer;
    let c = c1 + outer * b;
    let discriminant = 0.25 * b * b - c;
    if discriminant < 0.0 {
        return ([outer, 0.0, 0.0], 1);
    }
    let half = -0.5 * b;
    let far = if half < 0.0 { half - discriminant.sqrt() } else { half + discriminant.sqrt() };
    let near = if far == 0.0 { 0.0 } else { c / far };
    let mut roots = [outer, far.min(near), far.max(near)];
    if roots[0] > roots[2] {
        roots.rotate_left(1);
    } else if roots[0] > roots[1] {
        roots.swap(0, 1);
    }
    (roots, 3)
}

/// The root of a monotonic function between `left` and `right`, where it is negative at `left` if
/// `rising` and changes sign: Newton steps, and bisections where they leave the interval or are slow.
fn newton_between(
    mut left: f64,
    mut right: f64,
    rising: bool,
    function: impl Fn(f64) -> f64,
    slope: impl Fn(f64) -> f64,
) -> f64 {
    let mut y = 0.5 * (left + right);
    let mut before = right - left;
    // Halving alone needs about 60 steps from the bound to round-off.
    for _ in 0..80 {
        let value = function(y);
        if (value < 0.0) == rising {
            left = y;
        } else {
            right = y;
        }
        let step = value / slope(y);
        let next = y - step;
        let usable = next > left && next < right && step.abs() <= 0.5 * before;
        let next = if usable { next } else { 0.5 * (left + right) };
        before = (next - y).abs();
        y = next;
        // A quadratic step this small leaves less than a rounding.
        if before <= 1e-9 * (1.0 + y.abs()) && usable || right - left <= f64::EPSILON * y.abs() {
            let last = y - function(y) / slope(y);
            return if last >= left && last <= right { last } else { y };
        }
    }
    y
}

/// A point `(cos α, sin α)` of the unit circle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Direction {
    /// `cos α`.
    pub cosine: f64,
    /// `sin α`.
    pub sine: f64,
}

impl Direction {
    /// The angle `α` in `(−π, π]`.
    #[must_use]
    pub fn angle(self) -> f64 {
        self.sine.atan2(self.cosine)
    }

    /// The direction turned by the angle whose tangent is `tangent`, of absolute value below `π/2`.
    pub(super) fn turned(self, tangent: f64) -> Self {
        let length = (1.0 + tangent * tangent).sqrt();
        Self {
            cosine: (self.cosine - tangent * self.sine) / length,
            sine: (self.sine + tangent * self.cosine) / length,
        }
    }
}

/// At most four directions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Directions {
    values: [Direction; 4],
    count: usize,
}

impl Directions {
    /// The directions, by ascending angle from an arbitrary start.
    #[must_use]
    pub fn as_slice(&self) -> &[Direction] {
        &self.values[..self.count]
    }
}

/// `k₀ + k₁c cos α + k₁s sin α + k₂c cos 2α + k₂s sin 2α`.
///
/// # Example
///
/// `cos 2α` is zero at the four odd multiples of `π/4`; there its quartic in `tan(α/2)` is not monic.
///
/// ```
/// use percussion_complementarity::friction::trigonometric_polynomial::TrigonometricPolynomial;
///
/// let polynomial = TrigonometricPolynomial { constant: 0.0, first: [0.0; 2], second: [1.0, 0.0] };
/// let roots = polynomial.roots();
/// assert_eq!(roots.as_slice().len(), 4);
/// for root in roots.as_slice() {
///     assert!((root.cosine.abs() - root.sine.abs()).abs() < 1e-15);
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrigonometricPolynomial {
    /// `k₀`.
    pub constant: f64,
    /// `[k₁c, k₁s]`.
    pub first: [f64; 2],
    /// `[k₂c, k₂s]`.
    pub second: [f64; 2],
}

impl TrigonometricPolynomial {
    /// `p(α)`.
    #[must_use]
    pub fn value(&self, at: Direction) -> f64 {
        let Direction { cosine: c, sine: s } = at;
        let [first_cosine, first_sine] = self.first;
        let [second_cosine, second_sine] = self.second;
        self.constant
            + first_cosine * c
            + first_sine * s
            + second_cosine * (c - s) * (c + s)
            + second_sine * 2.0 * c * s
    }

    /// `dp/dα`.
    #[must_use]
    pub fn derivative(&self, at: Direction) -> f64 {
        let Direction { cosine: c, sine: s } = at;
        let [first_cosine, first_sine] = self.first;
        let [second_cosine, second_sine] = self.second;
        first_sine * c - first_cosine * s
            + 2.0 * (second_sine * (c - s) * (c + s) - second_cosine * 2.0 * c * s)
    }

    /// All roots, each once; none when every coefficient is zero or one is not finite.
    #[must_use]
    pub fn roots(&self) -> Directions {
        let mut roots = Directions { values: [Direction { cosine: 1.0, sine: 0.0 }; 4], count: 0 };
        let (turn, turned) = self.turned_to_largest();
        let [first_cosine, first_sine] = turned.first;
        let [second_cosine, second_sine] = turned.second;
        let k0 = turned.constant;
        let leading = k0 - first_cosine + second_cosine;
        // Also refuses NaN.
        if !(leading.abs() > 0.0 && leading.is_finite()) {
            return roots;
        }
        let scale = 1.0 / leading;
        let coefficients = [
            (k0 + first_cosine + second_cosine) * scale,
            (2.0 * first_sine + 4.0 * second_sine) * scale,
            (2.0 * k0 - 6.0 * second_cosine) * scale,
            (2.0 * first_sine - 4.0 * second_sine) * scale,
        ];
        // p itself is known to a few roundings of its largest coefficient.
        let noise = 8.0 * f64::EPSILON * self.size() / leading.abs();
        let at_y = roots_beyond_noise(coefficients, |y| noise * (1.0 + y * y) * (1.0 + y * y));
        for &y in at_y.as_slice() {
            let length = 1.0 + y * y;
            let (c, s) = ((1.0 - y * y) / length, 2.0 * y / length);
            let back = Direction {
                cosine: turn.cosine * c - turn.sine * s,
                sine: turn.cosine * s + turn.sine * c,
            };
            roots.values[roots.count] = self.polish(back);
            roots.count += 1;
        }
        roots
    }

    /// The sum of the absolute values of the coefficients.
    fn size(&self) -> f64 {
        let [first_cosine, first_sine] = self.first.map(f64::abs);
        let [second_cosine, second_sine] = self.second.map(f64::abs);
        self.constant.abs() + first_cosine + first_sine + second_cosine + second_sine
    }

    /// One Newton step on the circle, unless it is not a small one.
    pub(super) fn polish(&self, root: Direction) -> Direction {
        let step = -self.value(root) / self.derivative(root);
        if step.abs() < 1e-6 { root.turned(step) } else { root }
    }

    /// The turn `β`, one of eight, and `α ↦ p(α + β)`, whose absolute value at `π` is the largest of
    /// the eight. A nonzero polynomial of degree two cannot be small at all of eight angles.
    fn turned_to_largest(&self) -> (Direction, Self) {
        const R: f64 = FRAC_1_SQRT_2;
        /// `(cos β, sin β, cos 2β, sin 2β)` for four of the turns; the others are opposite.
        const TURNS: [[f64; 4]; 4] =
            [[1.0, 0.0, 1.0, 0.0], [R, R, 0.0, 1.0], [0.0, 1.0, -1.0, 0.0], [-R, R, 0.0, -1.0]];
        let mut best = (-1.0, Direction { cosine: 1.0, sine: 0.0 }, *self);
        for [c, s, c2, s2] in TURNS {
            let [first_cosine, first_sine] =
                [self.first[0] * c + self.first[1] * s, self.first[1] * c - self.first[0] * s];
            let second = [
                self.second[0] * c2 + self.second[1] * s2,
                self.second[1] * c2 - self.second[0] * s2,
            ];
            let even = self.constant + second[0];
            let size = even.abs() + first_cosine.abs();
            if size > best.0 {
                // At π the first harmonic has the opposite sign; it must not cancel the even part.
                let sign = if even * first_cosine > 0.0 { -1.0 } else { 1.0 };
                let turn = Direction { cosine: sign * c, sine: sign * s };
                let first = [sign * first_cosine, sign * first_sine];
                best = (size, turn, Self { constant: self.constant, first, second });
            }
        }
        (best.1, best.2)
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{PI, TAU};

    use proptest::prelude::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    fn direction(angle: f64) -> Direction {
        Direction { cosine: angle.cos(), sine: angle.sin() }
    }

    /// `∏ (cos α cos a_i + sin α sin a_i − cos h_i)`, zero at the four angles `a_i ± h_i`.
    fn with_roots(a: [f64; 2], h: [f64; 2]) -> TrigonometricPolynomial {
        let (c, s) = (a.map(f64::cos), a.map(f64::sin));
        let k = h.map(f64::cos);
        TrigonometricPolynomial {
            constant: k[0] * k[1] + 0.5 * (c[0] * c[1] + s[0] * s[1]),
            first: [-k[0] * c[1] - k[1] * c[0], -k[0] * s[1] - k[1] * s[0]],
            second: [0.5 * (c[0] * c[1] - s[0] * s[1]), 0.5 * (c[0] * s[1] + s[0] * c[1])],
        }
    }

    #[test]
    fn roots_at_pi_and_at_the_corners_of_the_circle_are_found() {
        for (a, h) in [(PI, 0.0), (0.0, PI), (0.0, 0.5 * PI), (0.5 * PI, 0.5 * PI)] {
            let polynomial = with_roots([a, a + 1.0], [h, 0.4]);
            let roots = polynomial.roots();
            for expected in [a + h, a - h, a + 1.4, a + 0.6] {
                let distance = roots
                    .as_slice()
                    .iter()
                    .map(|root| ((root.angle() - expected) / TAU).fract().abs())
                    .map(|turns| turns.min(1.0 - turns))
                    .fold(1.0, f64::min);
                // A double root is only as good as the square root of a rounding.
                assert!(distance < 1e-7, "{expected}: {roots:?}");
            }
        }
    }

    #[test]
    fn degenerate_polynomials_have_the_roots_they_have() {
        let p = |constant, first, second| TrigonometricPolynomial { constant, first, second };
        for (polynomial, count) in [
            (p(0.0, [0.0; 2], [0.0; 2]), 0),
            (p(1.0, [0.0; 2], [0.0; 2]), 0),
            (p(0.0, [1.0, 0.0], [0.0; 2]), 2),
            (p(0.0, [0.0, 1.0], [0.0; 2]), 2),
            (p(0.0, [0.0; 2], [0.0, 1.0]), 4),
            (p(2.0, [1.0, 0.5], [0.0; 2]), 0),
            (p(f64::NAN, [1.0, 0.5], [0.0; 2]), 0),
            (p(1e300, [1e300, 0.5], [1e-300; 2]), 1),
            (p(1e-300, [2e-300, 0.0], [0.0; 2]), 2),
        ] {
            assert_eq!(polynomial.roots().as_slice().len(), count, "{polynomial:?}");
        }
    }

    /// Every change of sign of a dense scan is a root, and every root is one.
    #[test]
    fn no_root_of_a_dense_scan_is_missed() {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        for _ in 0..2000 {
            let mut draw =
                || random.random_range(-1.0..1.0) * 10_f64.powi(random.random_range(-6..3));
            let polynomial = TrigonometricPolynomial {
                constant: draw(),
                first: [draw(), draw()],
                second: [draw(), draw()],
            };
            let roots = polynomial.roots();
            let size = polynomial.size();
            for root in roots.as_slice() {
                assert!(polynomial.value(*root).abs() <= 1e-14 * size, "{polynomial:?} {root:?}");
            }
            let values: Vec<f64> =
                (0..720).map(|i| polynomial.value(direction(TAU * f64::from(i) / 720.0))).collect();
            let changes =
                (0..720).filter(|&i| (values[i] < 0.0) != (values[(i + 1) % 720] < 0.0)).count();
            assert!(roots.as_slice().len() >= changes, "{polynomial:?}: {roots:?}");
        }
    }

    proptest! {
        #[test]
        fn quartics_return_the_roots_they_were_built_from(
            mut expected in prop::array::uniform4(-5.0..5.0)
        ) {
            expected.sort_by(f64::total_cmp);
            let [a, b, c, d] = expected;
            let apart = expected.windows(2).map(|pair| pair[1] - pair[0]).fold(9.0, f64::min);
            prop_assume!(apart > 1e-3);
            let roots = quartic_roots([
                a * b * c * d,
                -(a * b * c + a * b * d + a * c * d + b * c * d),
                a * b + a * c + a * d + b * c + b * d + c * d,
                -(a + b + c + d),
            ]);
            prop_assert_eq!(roots.as_slice().len(), 4);
            for (root, expected) in roots.as_slice().iter().zip(expected) {
                // Coefficients are rounded relative to at most 1e3; the slope is at least apart³.
                prop_assert!((root - expected).abs() < 1e-12 / apart.powi(3) + 1e-13);
            }
        }

        #[test]
        fn any_finite_coefficients_give_finite_roots(
            coefficients in prop::array::uniform4(prop::num::f64::NORMAL | prop::num::f64::ZERO)
        ) {
            for root in quartic_roots(coefficients).as_slice() {
                prop_assert!(root.is_finite());
            }
        }
    }
}
