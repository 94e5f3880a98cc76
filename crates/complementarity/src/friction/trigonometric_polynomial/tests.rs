//! Tests of the roots of trigonometric polynomials.

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
                .map(|root| ((root.sine.atan2(root.cosine) - expected) / TAU).fract().abs())
                .map(|turns| turns.min(1.0 - turns))
                .fold(1.0, f64::min);
            // The accuracy of a double root is only the square root of a rounding.
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
        let mut draw = || random.random_range(-1.0..1.0) * 10_f64.powi(random.random_range(-6..3));
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

#[test]
fn cosine_of_the_double_angle_is_zero_at_odd_multiples_of_an_eighth_turn() {
    // There its quartic in `tan(α/2)` is not monic.
    let polynomial = TrigonometricPolynomial { constant: 0.0, first: [0.0; 2], second: [1.0, 0.0] };
    let roots = polynomial.roots();
    assert_eq!(roots.as_slice().len(), 4);
    for root in roots.as_slice() {
        assert!((root.cosine.abs() - root.sine.abs()).abs() < 1e-15);
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
        // Four roots closer than this coincide within the round-off of their coefficients.
        prop_assume!(apart > 0.05);
        let coefficients = [
            a * b * c * d,
            -(a * b * c + a * b * d + a * c * d + b * c * d),
            a * b + a * c + a * d + b * c + b * d + c * d,
            -(a + b + c + d),
        ];
        // Cauchy's bound: the modulus of every root is below it. A few roundings of the terms are noise.
        let bound = 1.0 + coefficients.iter().fold(0.0_f64, |largest, c| largest.max(c.abs()));
        let roots = roots_within(coefficients, bound, |y| {
            let terms: f64 = expected.iter().map(|other| y.abs() + other.abs()).product();
            4.0 * f64::EPSILON * terms
        });
        prop_assert_eq!(roots.as_slice().len(), 4);
        for (index, root) in roots.as_slice().iter().enumerate() {
            // A few roundings of the terms, divided by the slope.
            let terms: f64 = expected.iter().map(|other| root.abs() + other.abs()).product();
            let others = expected.iter().enumerate().filter(|(other, _)| *other != index);
            let slope: f64 = others.map(|(_, other)| (expected[index] - other).abs()).product();
            let error = 16.0 * f64::EPSILON * terms / slope + 1e-15;
            prop_assert!((root - expected[index]).abs() <= error, "{} {}", root, error);
        }
    }
}
