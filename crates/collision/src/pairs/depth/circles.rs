//! All points at which the distance of a circle from a line is a local minimum, and all at which that of two circles
//! is stationary.
//!
//! **Line.** The projection of the circle along the line is an ellipse. With the angle `ψ` on the circle from the
//! projection of the line on its plane, half the derivative of the squared distance over the radius is
//!
//! ```math
//! f(\psi) = b \cos\psi - a \sin\psi + k \sin\psi \cos\psi, \qquad k = r \sin^2 \alpha,
//! ```
//!
//! where `α` is the angle between line and axis, and `a` and `b` are the components of the offset of the centers.
//! For `a, b ≥ 0` (otherwise reflect) `f / (sin ψ cos ψ)` is monotone in the third quadrant, which contains one
//! minimum. It is convex in the fourth, which contains a second one if `a^{2/3} + b^{2/3} < k^{2/3}`, inside the
//! evolute.
//!
//! **Two circles.** With the point `p(φ)` of the first, `w` its offset from the second center in the plane
//! of the second and `d` the offset of the centers, the distance is stationary where
//!
//! ```math
//! T(\varphi) = (d \cdot \rho')^2 |w|^2 - R^2 (w \cdot \rho')^2 = 0, \qquad p = c + r \rho(\varphi),
//! ```
//!
//! a trigonometric polynomial of degree four. Its roots are isolated by halving intervals. By Taylor's formula, with
//! the bound `Σ k² |T_k|` of the second derivative, an interval has no root, or `T` is monotone in it, or it is
//! halved. An interval that remains at the smallest width contains a root that is nearly double. So none of the at
//! most eight roots is missed.
//!
//! # Source
//!
//! D. Eberly, "Distance from a point to an ellipse, an ellipsoid, or a hyperellipsoid", *Geometric
//! Tools* (2013) (quadrants); C. A. Neff, "Finding the distance between two circles in
//! three-dimensional space", *IBM Journal of Research and Development* 34 (1990) 770–775 (degree eight).

use std::f64::consts::{FRAC_PI_2, FRAC_PI_8, PI};

use nalgebra::{Complex, Vector2, Vector3};

use crate::pairs::curve::{self, Curve};

/// Bisection of an interval of length 2 needs this many steps to reach rounding; Newton's method needs six.
const STEPS: usize = 60;

/// Degree of the polynomial of two circles.
const DEGREE: usize = 4;

/// Maximum number of halvings of the first sixteen intervals. At this width Newton's method separates roots closer
/// than 2e-3 or finds the double one.
const HALVINGS: i32 = 7;

/// A polynomial as small as this, relative to its terms, is only rounding: the circles are coaxial.
const NOTHING: f64 = 1e-13;

/// The parameters of `circle` where its distance from the line is a local minimum: one or two.
pub(super) fn nearest_to_line(circle: &Curve, line: &Curve) -> [Option<f64>; 2] {
    let Some(circle_y) = circle.y else { return [None; 2] };
    let r = circle.x.norm();
    let along = line.x.normalize();
    let (x, y) = (circle.x / r, circle_y / r);
    let projected = Vector2::new(along.dot(&x), along.dot(&y));
    let turn =
        if projected.x == 0.0 && projected.y == 0.0 { 0.0 } else { projected.y.atan2(projected.x) };
    let (sin, cos) = turn.sin_cos();
    let (x, y) = (cos * x + sin * y, cos * y - sin * x);
    let offset = circle.center - line.center;
    let offset = offset - along * along.dot(&offset);
    let k = r * projected.norm_squared();
    let (a, b) = (x.dot(&offset), y.dot(&offset));
    let sign = |value: f64| if value < 0.0 { -1.0 } else { 1.0 };
    let (sign_a, sign_b) = (sign(a), sign(b));
    let (a, b) = (a.abs(), b.abs());
    let angle = |x: f64, y: f64| turn + (sign_b * y).atan2(sign_a * x);

    let third = root_between(0.0, FRAC_PI_2, |theta| {
        let (s, c) = theta.sin_cos();
        (k * s * c + a * s - b * c, k * (c * c - s * s) + a * c + b * s)
    });
    let (s, c) = third.sin_cos();
    let first = angle(-c, -s);

    let (cbrt_a, cbrt_b) = (a.cbrt(), b.cbrt());
    let is_inside_evolute = cbrt_a * cbrt_a + cbrt_b * cbrt_b < k.cbrt() * k.cbrt();
    let second = is_inside_evolute.then(|| {
        let middle = cbrt_b.atan2(cbrt_a);
        let fourth = root_between(0.0, middle, |theta| {
            let (s, c) = theta.sin_cos();
            (k * s * c - a * s - b * c, k * (c * c - s * s) - a * c + b * s)
        });
        let (s, c) = fourth.sin_cos();
        angle(c, -s)
    });
    [Some(first), second]
}

/// The point at which `f`, given with its derivative, changes from negative to positive between `low` and `high`,
/// where it does so once. Newton's method is used, with bisection if a step leaves the bracket.
fn root_between(mut low: f64, mut high: f64, f: impl Fn(f64) -> (f64, f64)) -> f64 {
    let mut x = 0.5 * (low + high);
    for _ in 0..STEPS {
        let (value, slope) = f(x);
        if value == 0.0 {
            break;
        }
        *(if value < 0.0 { &mut low } else { &mut high }) = x;
        let newton = x - value / slope;
        let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        let step = (next - x).abs();
        x = next;
        if step <= f64::EPSILON * x.abs() {
            break;
        }
    }
    x
}

/// A lower bound of the distance of two circles: that of each from the plane and from the cylinder of the other.
pub(super) fn distance_bound(a: &Curve, b: &Curve) -> f64 {
    let from = |of: &Curve, other: &Curve| {
        let (Some(of_y), Some(other_y)) = (of.y, other.y) else { return 0.0 };
        let (r, radius) = (of.x.norm(), other.x.norm());
        let axis = other.x.cross(&other_y) / (radius * radius);
        let between = of.center - other.center;
        let height = axis.dot(&between);
        let off_axis = (between - height * axis).norm();
        // The height of the points of a circle differs from that of its center by up to r times the sine of its
        // tilt.
        let above = height.abs() - axis.dot(&of.x).hypot(axis.dot(&of_y));
        let beside = (off_axis - r - radius).max(radius - off_axis - r);
        above.max(0.0).hypot(beside.max(0.0))
    };
    from(a, b).max(from(b, a))
}

/// Calls `found` with the parameters of all pairs of points of two circles with a stationary distance.
pub(super) fn stationary(a: &Curve, b: &Curve, size: f64, found: &mut impl FnMut(f64, f64)) {
    let (Some(a_y), Some(b_y)) = (a.y, b.y) else { return };
    let [r, other] = [a.x.norm(), b.x.norm()];
    let axes = [b.x / other, b_y / other];
    let center = (a.center - b.center) / size;
    // d·ρ', |w|² and w·ρ' at an angle.
    let terms = |phi: f64| {
        let (s, c) = phi.sin_cos();
        let rho = (c * a.x + s * a_y) / r;
        let turned = (c * a_y - s * a.x) / r;
        let from_center = center + rho * (r / size);
        let in_plane = |v: &Vector3<f64>| Vector2::new(v.dot(&axes[0]), v.dot(&axes[1]));
        let w = in_plane(&from_center);
        (center.dot(&turned), w.norm_squared(), w.dot(&in_plane(&turned)))
    };
    let radius = other / size;
    let Some(polynomial) = Trigonometric::interpolate(|phi| {
        let (along, squared, across) = terms(phi);
        let (first, second) = (along * along * squared, (radius * across).powi(2));
        (first - second, first + second)
    }) else {
        return;
    };
    polynomial.roots(&mut |phi| {
        let (along, squared, across) = terms(phi);
        let toward = b.nearest(&a.at(phi)[0]);
        // The equation is satisfied by the nearest point of the second circle, or the farthest, or, near a double
        // root, both.
        let near = (along * squared.sqrt() - radius * across).abs();
        let far = (along * squared.sqrt() + radius * across).abs();
        let both = 1e-3 * radius;
        for (is_root, psi) in [(near <= far + both, toward), (far <= near + both, toward + PI)] {
            if is_root && let Some(at) = curve::stationary(a, b, Vector2::new(phi, psi)) {
                found(at.x, at.y);
            }
        }
    });
}

/// `Re(T_0 + 2 Σ T_k e^{ikφ})`.
struct Trigonometric {
    coefficients: [Complex<f64>; DEGREE + 1],
}

impl Trigonometric {
    /// The polynomial through nine values, each given with the size of its terms, or `None` if all values are
    /// rounding.
    fn interpolate(value: impl Fn(f64) -> (f64, f64)) -> Option<Self> {
        const COUNT: usize = 2 * DEGREE + 1;
        let mut coefficients = [Complex::new(0.0, 0.0); DEGREE + 1];
        let (mut largest, mut largest_terms) = (0.0_f64, 0.0_f64);
        for j in 0..COUNT {
            let phi = 2.0 * PI * j as f64 / COUNT as f64;
            let (value, terms) = value(phi);
            (largest, largest_terms) = (largest.max(value.abs()), largest_terms.max(terms));
            let back = Complex::from_polar(1.0, -phi);
            let mut turn = Complex::new(value / COUNT as f64, 0.0);
            for coefficient in &mut coefficients {
                *coefficient += turn;
                turn *= back;
            }
        }
        (largest > NOTHING * largest_terms).then_some(Self { coefficients })
    }

    /// Value and derivative.
    fn at(&self, phi: f64) -> (f64, f64) {
        let z = Complex::from_polar(1.0, phi);
        let (mut value, mut slope) = (0.0, 0.0);
        let mut power = z;
        for (coefficient, k) in self.coefficients[1..].iter().zip(1_u8..) {
            let term = coefficient * power;
            value += term.re;
            slope -= f64::from(k) * term.im;
            power *= z;
        }
        (self.coefficients[0].re + 2.0 * value, 2.0 * slope)
    }

    /// Calls `found` with every root in `[0, 2π)`, once or, if it is nearly double, a few times nearby.
    fn roots(&self, found: &mut impl FnMut(f64)) {
        let terms = self.coefficients[1..].iter().zip(1_u8..);
        let bend: f64 = terms.map(|(c, k)| 2.0 * f64::from(k * k) * c.norm()).sum();
        let narrowest = FRAC_PI_8 * 0.5_f64.powi(HALVINGS);
        // Initially eight intervals on each level of halving, and one waiting interval on each other level.
        let mut waiting = [(0.0, 0.0); 16 + HALVINGS as usize];
        let mut count = 16;
        for (index, interval) in waiting[..count].iter_mut().enumerate() {
            *interval = ((0.5 + index as f64) * FRAC_PI_8, 0.5 * FRAC_PI_8);
        }
        while count > 0 {
            count -= 1;
            let (middle, half) = waiting[count];
            let (value, slope) = self.at(middle);
            if value.abs() > slope.abs() * half + 0.5 * bend * half * half {
                continue;
            }
            if slope.abs() > bend * half {
                let sign = slope.signum();
                // A little more than half, so that a root between two intervals belongs to at least one of them.
                let reach = half * (1.0 + 1e-9);
                let [low, high] = [middle - reach, middle + reach];
                if sign * self.at(low).0 <= 0.0 && sign * self.at(high).0 >= 0.0 {
                    found(root_between(low, high, |phi| {
                        let (value, slope) = self.at(phi);
                        (sign * value, sign * slope)
                    }));
                }
            } else if 2.0 * half <= narrowest {
                found(middle);
            } else {
                waiting[count] = (middle - 0.5 * half, 0.5 * half);
                waiting[count + 1] = (middle + 0.5 * half, 0.5 * half);
                count += 2;
            }
        }
    }
}
