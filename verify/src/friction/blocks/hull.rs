//! The distance of a point from a convex hull.

use crate::Extended;

/// The distance of `z` from `radius` times the hull of `points`; not a number if they overflow. With extended precision, because a
/// corner may be far from a point on its edge: at 5e10 m/s the rounding of a double is 1e-5 m/s.
pub(super) fn outside(points: &[[f64; 2]], radius: f64, z: [f64; 2]) -> Extended {
    let corners = points.iter().map(|point| point.map(|x| Extended::product(radius, x)));
    let sizes = corners.clone().flatten().map(Extended::value).chain(z);
    let largest = sizes.fold(0.0_f64, |largest, x| largest.max(x.abs()));
    if largest <= 0.0 {
        return Extended::ZERO;
    }
    // In units of the largest size, or squares overflow.
    let unit = Extended::from(largest);
    let corners: Vec<_> = corners.map(|corner| corner.map(|x| x / unit)).collect();
    outside_in_units(&corners, z.map(|x| Extended::from(x) / unit)) * unit
}

/// [`outside`] for sizes of at most 1: zero if no line through two points has all of them on one side and `z` on the other, else the
/// least distance from the segments between them.
fn outside_in_units(points: &[[Extended; 2]], z: [Extended; 2]) -> Extended {
    let zero = Extended::ZERO;
    let size = |x: [Extended; 2]| (x[0] * x[0] + x[1] * x[1]).sqrt();
    let minus = |a: [Extended; 2], b: [Extended; 2]| [a[0] - b[0], a[1] - b[1]];
    let mut least = Extended::from(f64::INFINITY);
    let (mut inside, mut wide) = (true, false);
    for &a in points {
        for &b in points {
            let (edge, to) = (minus(b, a), minus(z, a));
            let square = edge[0] * edge[0] + edge[1] * edge[1];
            let part =
                if square > zero { (edge[0] * to[0] + edge[1] * to[1]) / square } else { zero };
            let part = part.max(zero).min(Extended::ONE);
            let distance = size(minus(to, [part * edge[0], part * edge[1]]));
            least = least.min(distance);
            if square > zero {
                let side = |p: [Extended; 2]| edge[0] * (p[1] - a[1]) - edge[1] * (p[0] - a[0]);
                let sides = points.iter().map(|p| side(*p));
                // An edge of the hull with all points on its left.
                let is_hull = sides.clone().all(|side| side >= zero);
                wide |= sides.fold(zero, Extended::max) > zero;
                inside &= !is_hull || side(z) >= zero;
            }
        }
    }
    if inside && wide { zero } else { least }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_from_points_segments_and_polygons() {
        let distance = |points: &[[f64; 2]], z| outside(points, 2.0, z).value();
        let square = [[1.0, 1.0], [-1.0, 1.0], [0.1, 0.2], [-1.0, -1.0], [1.0, -1.0]];
        assert!(distance(&square, [1.9, -1.9]) <= 0.0);
        assert!((distance(&square, [2.5, 0.3]) - 0.5).abs() < 1e-15);
        assert!((distance(&square, [-5.0, 6.0]) - 5.0).abs() < 1e-15, "a corner");
        assert!((distance(&[[0.0, 1.0], [0.0, -1.0]], [0.5, 1.0]) - 0.5).abs() < 1e-15);
        assert!((distance(&[[0.0, 0.0]], [3.0, 4.0]) - 5.0).abs() < 1e-15);
        assert!((outside(&square, 1e160, [3e160, 0.0]).value() / 2e160 - 1.0).abs() < 1e-15);
        assert!(!outside(&square, 1e308, [f64::INFINITY, 0.0]).is_finite());
    }

    /// A point near `(3, 1)` on a segment whose corners are 3e12 away: doubles there differ by 5e-4.
    #[test]
    fn a_far_corner_does_not_round_the_distance_from_its_edge() {
        let segment = [[3e12, 1e12], [-3e12, -1e12]];
        assert!(outside(&segment, 1.0, [3.0, 1.0]).value() < 1e-15);
        let off = outside(&segment, 1.0, [3.0 - 1e-9, 1.0 + 3e-9]).value();
        assert!((off - 1e-9 * 10.0_f64.sqrt()).abs() < 1e-15, "{off}");
    }
}
