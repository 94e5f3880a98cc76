//! The polygon of friction directions in the tangent plane.
//!
//! Its `k` corners are `d_i = cos φ_i t₁ + sin φ_i t₂` with `φ_i = 2πi/k`, turned as a whole by the
//! [`Alignment`](super::Alignment). In the plane `k = 2` and only the first component counts.

use std::f64::consts::TAU;

/// A direction in the tangent plane: components along tangent 1 and tangent 2.
pub(super) type Direction = [f64; 2];

/// The corners of a regular polygon with an even number of corners, the first at `(1, 0)`.
///
/// The second half is the exact negative of the first, so that the set is closed under negation.
pub(super) fn corners(count: usize) -> Vec<Direction> {
    let half = (0..count / 2).map(|i| {
        let angle = TAU * i as f64 / count as f64;
        [angle.cos(), angle.sin()]
    });
    half.clone().chain(half.map(|[x, y]| [-x, -y])).collect()
}

/// Rotates `direction` by the rotation that takes `(1, 0)` to the unit vector `first`.
pub(super) fn turned([x, y]: Direction, first: Direction) -> Direction {
    let [c, s] = first;
    [c * x - s * y, s * x + c * y]
}

/// The largest `−d_i · u` over the corners: the speed against which polygonal friction works.
pub(super) fn support(corners: &[Direction], velocity: Direction) -> f64 {
    corners.iter().map(|d| -(d[0] * velocity[0] + d[1] * velocity[1])).fold(0.0, f64::max)
}

/// By how much `point` is outside of `size` times the polygon, in the worst of 64 directions.
pub(super) fn outside(corners: &[Direction], point: Direction, size: f64) -> f64 {
    let beyond = |k: u32| {
        let (sine, cosine) = (TAU * f64::from(k) / 64.0).sin_cos();
        let along = cosine * point[0] + sine * point[1];
        along - size.max(0.0) * support(corners, [-cosine, -sine])
    };
    (0..64).map(beyond).fold(0.0, f64::max)
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "these results are exact")]
mod tests {
    use super::*;

    #[test]
    fn the_second_half_is_the_exact_negative_of_the_first() {
        for count in [2, 4, 6, 8, 14] {
            let corners = corners(count);
            assert_eq!(corners.len(), count);
            for i in 0..count / 2 {
                assert_eq!(corners[i], corners[i + count / 2].map(|c| -c));
            }
        }
    }

    #[test]
    fn two_corners_are_the_directions_of_the_plane() {
        assert_eq!(corners(2), [[1.0, 0.0], [-1.0, 0.0]]);
    }

    #[test]
    fn a_turned_polygon_starts_at_the_given_direction() {
        let first = [0.6, -0.8];
        assert_eq!(turned([1.0, 0.0], first), first);
        assert_eq!(turned([0.0, 1.0], first), [0.8, 0.6]);
    }

    #[test]
    fn points_outside_are_measured() {
        let square = corners(4);
        assert_eq!(outside(&square, [0.5, 0.5], 1.0), 0.0);
        assert!((outside(&square, [0.0, 2.5], 2.0) - 0.5).abs() < 1e-15);
        assert!((outside(&square, [1.0, 1.0], 1.0) - 0.5_f64.sqrt()).abs() < 1e-15);
        assert!((outside(&square, [1.0, 0.0], -1.0) - 1.0).abs() < 1e-15);
    }

    #[test]
    fn the_support_of_a_square_is_the_largest_component() {
        assert_eq!(support(&corners(4), [0.0, 3.0]), 3.0);
        assert!((support(&corners(4), [-1.0, 2.0]) - 2.0).abs() < 1e-15);
    }
}
