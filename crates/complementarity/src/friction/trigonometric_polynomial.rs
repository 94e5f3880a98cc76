//! Real roots of quartics, and of trigonometric polynomials of degree two on the circle.
//!
//! ```math
//! p(\alpha) = k_0 + k_{1c}\cos\alpha + k_{1s}\sin\alpha + k_{2c}\cos 2\alpha + k_{2s}\sin 2\alpha
//! ```
//!
//! With `y = tan(α/2)` the product `(1 + y²)² p` is a quartic in `y` whose leading coefficient is `p(π)`. The
//! circle is first turned so that, among eight angles, `|p|` is largest at `α = π`. There `|p|` is at least
//! `1/√2` of its maximum (Ehlich and Zeller), so that no root is within `π/8` (Bernstein and Szegő). The
//! leading coefficient is therefore never small compared with the others, no root is at infinity, and all have
//! `|y| ≤ tan(7π/16)`. Roots of the quartic lie between those of its derivative, where it is monotonic. A
//! safeguarded Newton iteration in each of the at most four intervals with a change of sign finds exactly these
//! roots.
//!
//! - **Finds** every simple root. A point where the polynomial touches zero within round-off counts as one
//!   root.
//! - **Does not** fail: every loop is bounded and finite coefficients give finite roots.
//! - **Cost** about 0.2 µs for four roots; nothing is allocated and no trigonometric function is called.
//!
//! # Source
//!
//! G. E. Collins, R. Loos, "Polynomial real root isolation by differentiation", *SYMSAC '76*, ACM 1976,
//! 15–25. H. Ehlich, K. Zeller, "Schwankung von Polynomen zwischen Gitterpunkten", *Mathematische Zeitschrift* 86 (1964)
//! 41–44, and G. Szegő's form of Bernstein's inequality, `p'² + 4 p² ≤ 4 max p²`. Safeguarded Newton: W. H. Press et al., *Numerical Recipes*, 3rd ed., 2007, section 9.4.

use std::f64::consts::FRAC_1_SQRT_2;

/// `tan(7π/16)`, rounded up.
const REACH: f64 = 5.0274;

/// At most four real numbers in ascending order.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Roots {
    values: [f64; 4],
    count: usize,
}

impl Roots {
    /// The roots, in ascending order.
    #[must_use]
    pub(super) fn as_slice(&self) -> &[f64] {
        &self.values[..self.count]
    }

    fn push(&mut self, value: f64) {
        if self.count < 4 {
            self.values[self.count] = value;
            self.count += 1;
        }
    }
}

/// Real roots of `y⁴ + c₃ y³ + c₂ y² + c₁ y + c₀`, coefficients from `c₀` to `c₃`, which is positive outside of `±bound`; extrema within `noise` of zero count as
/// roots.
fn roots_within([c0, c1, c2, c3]: [f64; 4], bound: f64, noise: impl Fn(f64) -> f64) -> Roots {
    let mut roots = Roots::default();
    let quartic = |y: f64| {
        let value = (((y + c3) * y + c2) * y + c1) * y + c0;
        (value, ((4.0 * y + 3.0 * c3) * y + 2.0 * c2) * y + c1)
    };
    // The distance of a root from an extremum, if the quartic is a parabola there.
    let reach = |y: f64, value: f64| (-value / ((6.0 * y + 3.0 * c3) * y + c2)).abs().sqrt();
    let (critical, count) = cubic_roots([0.25 * c1, 0.5 * c2, 0.75 * c3]);

    let (mut left, mut at_left) = (-bound, f64::INFINITY);
    let mut touched = false;
    for &extremum in critical[..count].iter().filter(|y| y.abs() < bound) {
        let (value, _) = quartic(extremum);
        let touches = value.abs() <= noise(extremum);
        if touches {
            roots.push(extremum);
        } else if !touched && (at_left < 0.0) != (value < 0.0) {
            let start = if at_left.abs() < value.abs() {
                left + reach(left, at_left)
            } else {
                extremum - reach(extremum, value)
            };
            roots.push(newton_between([left, extremum], start, at_left < 0.0, quartic));
        }
        (left, at_left, touched) = (extremum, value, touches);
    }
    if !touched && at_left < 0.0 {
        let start = left + reach(left, at_left);
        roots.push(newton_between([left, bound], start, true, quartic));
    }
    roots
}

/// Ascending real roots of `y³ + c₂ y² + c₁ y + c₀` and their number, coefficients from `c₀` to `c₂`.
///
/// Beyond its outer root a cubic is convex or concave up to the inflection, so Newton's steps converge to that
/// root monotonically. Division by it leaves a quadratic; rounding in it only shifts the ends of intervals.
fn cubic_roots([c0, c1, c2]: [f64; 3]) -> ([f64; 3], usize) {
    // t³ − 3 r t + d with y = shift ± t, the sign such that d ≥ 0: the outer root is at t ≤ 0.
    let shift = -c2 / 3.0;
    let r = shift * shift - c1 / 3.0;
    let d = (shift + c2) * shift * shift + c1 * shift + c0;
    let sign = if d < 0.0 { -1.0 } else { 1.0 };
    let d = d.abs();
    let extremum = r.max(0.0).sqrt();
    // Here the cubic is not positive, so that the steps increase t toward the root.
    let three = d <= 2.0 * extremum * r;
    let mut t = if three { -2.0 * extremum } else { -(2.0 * extremum + d.cbrt()) };
    for _ in 0..60 {
        let slope = 3.0 * (t * t - r);
        let step = ((t * t - 3.0 * r) * t + d) / slope;
        // This is 0/0 at a triple root.
        if !step.is_finite() {
            break;
        }
        t -= step;
        if step.abs() <= 1e-8 * t.abs() {
            break;
        }
    }
    let outer = shift + sign * t;
    // t² + t₀ t + t₀² − 3 r.
    let discriminant = 3.0 * (r - 0.25 * t * t);
    if discriminant < 0.0 {
        return ([outer, 0.0, 0.0], 1);
    }
    let (middle, half) = (shift - 0.5 * sign * t, discriminant.sqrt());
    let inner = [middle - half, middle + half];
    if sign > 0.0 { ([outer, inner[0], inner[1]], 3) } else { ([inner[0], inner[1], outer], 3) }
}

/// The root between two numbers of a monotonic function, given with its slope. The function changes sign and is
/// negative at the left end if `rising`. Newton steps from `start` are used, and bisections if they leave the
/// interval or are slow.
fn newton_between(
    [mut left, mut right]: [f64; 2],
    start: f64,
    rising: bool,
    function: impl Fn(f64) -> (f64, f64),
) -> f64 {
    let mut y = if start > left && start < right { start } else { 0.5 * (left + right) };
    let mut before = right - left;
    // Bisection alone needs about 60 steps from the bound to round-off.
    for _ in 0..80 {
        let (value, slope) = function(y);
        if (value < 0.0) == rising {
            left = y;
        } else {
            right = y;
        }
        let step = value / slope;
        let next = y - step;
        let usable = next >= left && next <= right && step.abs() <= 0.5 * before;
        before = if usable { step.abs() } else { 0.5 * (right - left) };
        y = if usable { next } else { 0.5 * (left + right) };
        // After a quadratically convergent step this small, the error is below one rounding.
        if before <= 1e-8 * (1.0 + y.abs()) {
            break;
        }
    }
    let (value, slope) = function(y);
    let last = y - value / slope;
    // The ends may miss the root by one rounding; with a flat slope by more.
    if last.is_finite() { last.max(left).min(right) } else { y }
}

/// A point `(cos α, sin α)` of the unit circle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Direction {
    /// `cos α`.
    pub(super) cosine: f64,
    /// `sin α`.
    pub(super) sine: f64,
}

impl Direction {
    /// The direction turned by the angle whose tangent is `tangent`; the absolute value of the angle is below
    /// `π/2`.
    fn turned(self, tangent: f64) -> Self {
        let length = (1.0 + tangent * tangent).sqrt();
        Self {
            cosine: (self.cosine - tangent * self.sine) / length,
            sine: (self.sine + tangent * self.cosine) / length,
        }
    }
}

/// A direction that need not be normalized: the length of `along` is `length`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ray {
    pub(super) along: [f64; 2],
    pub(super) length: f64,
}

impl From<Direction> for Ray {
    fn from(at: Direction) -> Self {
        Self { along: [at.cosine, at.sine], length: 1.0 }
    }
}

/// At most four directions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Directions {
    values: [Direction; 4],
    count: usize,
}

impl Directions {
    /// The directions, by ascending angle from an unspecified start.
    #[must_use]
    pub(super) fn as_slice(&self) -> &[Direction] {
        &self.values[..self.count]
    }
}

/// `k₀ + k₁c cos α + k₁s sin α + k₂c cos 2α + k₂s sin 2α`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TrigonometricPolynomial {
    /// `k₀`.
    pub(super) constant: f64,
    /// `[k₁c, k₁s]`.
    pub(super) first: [f64; 2],
    /// `[k₂c, k₂s]`.
    pub(super) second: [f64; 2],
}

impl TrigonometricPolynomial {
    /// `p(α)`.
    #[must_use]
    pub(super) fn value(&self, at: Direction) -> f64 {
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
    pub(super) fn derivative(&self, at: Direction) -> f64 {
        let Direction { cosine: c, sine: s } = at;
        let [first_cosine, first_sine] = self.first;
        let [second_cosine, second_sine] = self.second;
        first_sine * c - first_cosine * s
            + 2.0 * (second_sine * (c - s) * (c + s) - second_cosine * 2.0 * c * s)
    }

    /// All roots, each once; none when every coefficient is zero or one is not finite.
    #[must_use]
    pub(super) fn roots(&self) -> Directions {
        let mut roots = Directions { values: [Direction { cosine: 1.0, sine: 0.0 }; 4], count: 0 };
        let (turn, turned) = self.turned_to_largest();
        let [first_cosine, first_sine] = turned.first;
        let [second_cosine, second_sine] = turned.second;
        let k0 = turned.constant;
        let leading = k0 - first_cosine + second_cosine;
        // This also refuses NaN.
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
        // p itself is known up to a few roundings of its largest coefficient.
        let noise = 8.0 * f64::EPSILON * self.size() / leading.abs();
        let at_y = roots_within(coefficients, REACH, |y| noise * (1.0 + y * y) * (1.0 + y * y));
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

    /// The root that a few steps from `start` reach, less than a right angle away, or `None`.
    ///
    /// In `w = tan(β/2)`, with `β` the angle from the start, the polynomial is a quartic, and no step needs a
    /// square root. The first step is Halley's, with an error of third order. Near a root, as in sweeps that
    /// have nearly converged, no further step is needed.
    #[inline]
    pub(super) fn root_near(&self, start: [f64; 2]) -> Option<Ray> {
        let [c, s] = start;
        let square = c * c + s * s;
        let length = square.sqrt();
        let (double_cosine, double_sine) = ((c - s) * (c + s), 2.0 * c * s);
        let [first_cosine, first_sine] = self.first;
        let [second_cosine, second_sine] = self.second;
        let k0 = self.constant * square;
        let first = [
            length * (first_cosine * c + first_sine * s),
            length * (first_sine * c - first_cosine * s),
        ];
        let second = [
            second_cosine * double_cosine + second_sine * double_sine,
            second_sine * double_cosine - second_cosine * double_sine,
        ];
        let c0 = k0 + first[0] + second[0];
        let c1 = 2.0 * first[1] + 4.0 * second[1];
        let c2 = 2.0 * k0 - 6.0 * second[0];
        let c3 = 2.0 * first[1] - 4.0 * second[1];
        let c4 = k0 - first[0] + second[0];
        let mut w = -c0 * c1 / (c1 * c1 - c0 * c2);
        // The leading term of Halley's error, times the square of the slope.
        let error = w * w * w * (c2 * c2 - c1 * c3);
        let mut found = error.abs() <= f64::EPSILON * c1 * c1;
        for _ in 0..8 {
            // The comparison is also false for NaN, from a start without a direction.
            let near = w.abs() < 1.0;
            if !near {
                return None;
            }
            if found {
                let (even, odd) = (1.0 - w * w, 2.0 * w);
                let along = [even * c - odd * s, even * s + odd * c];
                return Some(Ray { along, length: (1.0 + w * w) * length });
            }
            let value = (((c4 * w + c3) * w + c2) * w + c1) * w + c0;
            let slope = ((4.0 * c4 * w + 3.0 * c3) * w + 2.0 * c2) * w + c1;
            let step = value / slope;
            w -= step;
            // The next step would be below one rounding.
            found = step.abs() < 1e-8;
        }
        None
    }

    /// The sum of the absolute values of the coefficients.
    fn size(&self) -> f64 {
        let [first_cosine, first_sine] = self.first.map(f64::abs);
        let [second_cosine, second_sine] = self.second.map(f64::abs);
        self.constant.abs() + first_cosine + first_sine + second_cosine + second_sine
    }

    /// One Newton step on the circle, if it is small.
    fn polish(&self, root: Direction) -> Direction {
        let step = -self.value(root) / self.derivative(root);
        if step.abs() < 1e-6 { root.turned(step) } else { root }
    }

    /// The turn `β`, one of eight, and `α ↦ p(α + β)`, whose absolute value at `π` is the largest of the eight.
    /// A nonzero polynomial of degree two cannot be small at all eight angles.
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
mod tests;
