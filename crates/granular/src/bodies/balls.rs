//! Mass, center and inertia of the union of balls, to about `1e-13`: [`mass_properties`].
//!
//! A slice at the height `z` is a union of discs. Its boundary consists of those arcs of the circles that no
//! other disc covers, and by Green's theorem
//!
//! ```math
//! \int x^{a} y^{b}\, dA = \frac{1}{a+1} \oint x^{a+1} y^{b}\, dy .
//! ```
//!
//! As functions of `z` these integrals are analytic except at certain heights, where they change like a
//! square root: heights at which a ball begins or ends, at which the circle where two balls meet begins or
//! ends, or at which three balls meet in a point. With `z` as the sine of an angle between two such heights
//! they are analytic up to the ends, so that Gauss's quadrature converges exponentially; where another height
//! is close to an end, the panel is halved.
//!
//! - **Cost** for `n` balls about `n³` heights at most, and `n²` arcs for each; it is meant for tens of
//!   balls.
//!
//! # Source
//!
//! The substitution is that of P. J. Davis, P. Rabinowitz, *Methods of Numerical Integration*, 2nd ed., Academic Press
//! 1984, section 2.9 (singularities at the ends); the rest is derived above.

use std::f64::consts::{FRAC_PI_2, TAU};

use nalgebra::{Matrix3, SMatrix, SymmetricEigen, Vector3};
use percussion_dynamics::{MassProperties, MassPropertiesError};

/// Number of points of the quadrature.
const POINTS: usize = 16;

/// A panel is halved until its moments change by at most this fraction of the largest. The remaining error is
/// far smaller, because the quadrature converges exponentially.
const ENOUGH: f64 = 1e-13;

/// Maximum number of halvings of a panel: the square roots of heights just outside it require them.
const DEEPEST: u32 = 12;

/// Moments `1, x, y, z, xx, yy, zz, yz, zx, xy`.
type Moments = [f64; 10];

/// A ball of a [clump](super::Form::clump).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    /// Center (m).
    pub center: Vector3<f64>,
    /// Radius (m), positive.
    pub radius: f64,
}

/// Mass properties of the union of balls of uniform `density` (kg/m³).
pub(super) fn mass_properties(
    balls: &[Ball],
    density: f64,
) -> Result<MassProperties, MassPropertiesError> {
    // In units of the largest radius and about the first center, so that no number overflows or loses digits.
    let origin = balls.first().map_or_else(Vector3::zeros, |ball| ball.center);
    let size = balls.iter().map(|ball| ball.radius).fold(0.0, f64::max);
    let scaled: Vec<Ball> = balls
        .iter()
        .map(|ball| Ball { center: (ball.center - origin) / size, radius: ball.radius / size })
        .collect();
    let union = Union { balls: &scaled, rule: gauss() };
    let sum = heights(&scaled).windows(2).fold([0.0; 10], |sum, ends| {
        let height = [0.5 * (ends[0] + ends[1]), 0.5 * (ends[1] - ends[0])];
        let angles = [-FRAC_PI_2, FRAC_PI_2];
        add(&sum, &union.refine(height, angles, &union.panel(height, angles), DEEPEST))
    });
    properties(&sum, density * size.powi(3), size, &origin)
}

/// Balls and the points and weights of a quadrature on [−1, 1].
struct Union<'a> {
    balls: &'a [Ball],
    rule: [[f64; 2]; POINTS],
}

impl Union<'_> {
    /// The moments between two angles whose sines are heights from −1 to 1 in units of `half` about `middle`.
    fn panel(&self, [middle, half]: [f64; 2], [from, to]: [f64; 2]) -> Moments {
        let mut sum = [0.0; 10];
        for [x, weight] in self.rule {
            let (sine, cosine) = (0.5 * (from + to) + 0.5 * (to - from) * x).sin_cos();
            let z = middle + half * sine;
            let weight = 0.5 * (to - from) * weight * half * cosine;
            let [area, x, y, xx, yy, xy] = slice(self.balls, z, &self.rule);
            let moments = [area, x, y, area * z, xx, yy, area * z * z, y * z, x * z, xy];
            sum = std::array::from_fn(|k| sum[k] + weight * moments[k]);
        }
        sum
    }

    /// Halves the panel, whose moments are `whole`, until the moments no longer change.
    fn refine(
        &self,
        height: [f64; 2],
        [from, to]: [f64; 2],
        whole: &Moments,
        depth: u32,
    ) -> Moments {
        let middle = 0.5 * (from + to);
        let halves = [[from, middle], [middle, to]];
        let parts = halves.map(|angles| self.panel(height, angles));
        let sum = add(&parts[0], &parts[1]);
        let largest = sum.iter().fold(f64::MIN_POSITIVE, |largest, m| largest.max(m.abs()));
        let change = sum.iter().zip(whole).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
        if change <= ENOUGH * largest || depth == 0 {
            return sum;
        }
        let [a, b] = [0, 1].map(|k| self.refine(height, halves[k], &parts[k], depth - 1));
        add(&a, &b)
    }
}

fn add(a: &Moments, b: &Moments) -> Moments {
    std::array::from_fn(|k| a[k] + b[k])
}

/// Moments in units of `mass`, `size` and about `origin`, as mass properties.
fn properties(
    [volume, x, y, z, xx, yy, zz, yz, zx, xy]: &Moments,
    mass: f64,
    size: f64,
    origin: &Vector3<f64>,
) -> Result<MassProperties, MassPropertiesError> {
    let center = Vector3::new(*x, *y, *z) / *volume;
    let second = Matrix3::new(*xx, *xy, *zx, *xy, *yy, *yz, *zx, *yz, *zz)
        - *volume * center * center.transpose();
    let inertia = Matrix3::from_diagonal_element(second.trace()) - second;
    MassProperties::new(volume * mass, origin + size * center, mass * size * size * inertia)
}

/// The heights between which slices change smoothly, ascending.
fn heights(balls: &[Ball]) -> Vec<f64> {
    let mut heights = Vec::new();
    for (i, a) in balls.iter().enumerate() {
        heights.extend([a.center.z - a.radius, a.center.z + a.radius]);
        for (j, b) in balls.iter().enumerate().skip(i + 1) {
            let Some((center, normal, radius)) = meet(a, b) else { continue };
            let rise = radius * normal.xy().norm();
            heights.extend([center.z - rise, center.z + rise]);
            for c in &balls[j + 1..] {
                // Points of the circle that lie on the sphere of `c`.
                let away = c.center - center;
                let along = away - away.dot(&normal) * normal;
                let distance = along.norm();
                let cosine = (away.norm_squared() + radius * radius - c.radius * c.radius)
                    / (2.0 * radius * distance);
                if cosine.abs() <= 1.0 {
                    let along = along / distance;
                    let across = (1.0 - cosine * cosine).sqrt() * normal.cross(&along);
                    let point = |side: f64| center.z + radius * (cosine * along + side * across).z;
                    heights.extend([point(-1.0), point(1.0)]);
                }
            }
        }
    }
    heights.sort_by(f64::total_cmp);
    heights.dedup();
    heights
}

/// Center, axis and radius of the circle in which two balls meet.
fn meet(a: &Ball, b: &Ball) -> Option<(Vector3<f64>, Vector3<f64>, f64)> {
    let apart = b.center - a.center;
    let distance = apart.norm();
    let along = 0.5 * (distance + (a.radius - b.radius) * (a.radius + b.radius) / distance);
    let squared = a.radius * a.radius - along * along;
    // Concentric balls give NaN.
    (squared > 0.0).then(|| (a.center + along * apart / distance, apart / distance, squared.sqrt()))
}

/// Area and moments `x, y, xx, yy, xy` of the slice at the height `z`.
fn slice(balls: &[Ball], z: f64, rule: &[[f64; 2]; POINTS]) -> [f64; 6] {
    let circles: Vec<[f64; 3]> = balls
        .iter()
        .filter_map(|ball| {
            let squared = ball.radius * ball.radius - (z - ball.center.z).powi(2);
            (squared > 0.0).then(|| [ball.center.x, ball.center.y, squared.sqrt()])
        })
        .collect();
    let mut sum = [0.0; 6];
    let mut ends = Vec::new();
    for (i, &[x, y, r]) in circles.iter().enumerate() {
        ends.clear();
        ends.extend([0.0, 0.25 * TAU, 0.5 * TAU, 0.75 * TAU, TAU]);
        for (j, &[cx, cy, cr]) in circles.iter().enumerate() {
            let distance = (cx - x).hypot(cy - y);
            let cosine = (distance * distance + (r - cr) * (r + cr)) / (2.0 * distance * r);
            if i != j && cosine.abs() < 1.0 {
                let (toward, half) = ((cy - y).atan2(cx - x), cosine.acos());
                ends.extend([toward - half, toward + half].map(|angle| angle.rem_euclid(TAU)));
            }
        }
        ends.sort_by(f64::total_cmp);
        for arc in ends.windows(2) {
            let (middle, half) = (0.5 * (arc[0] + arc[1]), 0.5 * (arc[1] - arc[0]));
            if half > 0.0 && !covered(&circles, i, middle) {
                for [node, weight] in rule {
                    let (sine, cosine) = (middle + half * node).sin_cos();
                    let (x, y) = (x + r * cosine, y + r * sine);
                    let [dx, dy] = [-r * sine * half * weight, r * cosine * half * weight];
                    sum[0] += 0.5 * (x * dy - y * dx);
                    sum[1] += 0.5 * x * x * dy;
                    sum[2] -= 0.5 * y * y * dx;
                    sum[3] += x * x * x * dy / 3.0;
                    sum[4] -= y * y * y * dx / 3.0;
                    sum[5] += 0.5 * x * x * y * dy;
                }
            }
        }
    }
    sum
}

/// Whether the point of circle `i` at `angle` lies in another disc; of equal circles, all but the first count
/// as covered.
fn covered(circles: &[[f64; 3]], i: usize, angle: f64) -> bool {
    let [x, y, r] = circles[i];
    let (sine, cosine) = angle.sin_cos();
    circles.iter().enumerate().any(|(j, &[cx, cy, cr])| {
        let apart = [cx - x, cy - y, cr - r];
        if apart.iter().all(|difference| difference.abs() == 0.0) {
            return j < i;
        }
        (x + r * cosine - cx).hypot(y + r * sine - cy) < cr
    })
}

/// Points and weights of Gauss's quadrature on [−1, 1], by the eigenvalues of Golub and Welsch.
fn gauss() -> [[f64; 2]; POINTS] {
    let mut jacobi = SMatrix::<f64, POINTS, POINTS>::zeros();
    for k in 1..POINTS {
        let k_f = k as f64;
        let entry = k_f / (4.0 * k_f * k_f - 1.0).sqrt();
        jacobi[(k, k - 1)] = entry;
        jacobi[(k - 1, k)] = entry;
    }
    let SymmetricEigen { eigenvalues, eigenvectors } = SymmetricEigen::new(jacobi);
    std::array::from_fn(|k| [eigenvalues[k], 2.0 * eigenvectors[(0, k)] * eigenvectors[(0, k)]])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ball(x: f64, y: f64, z: f64, radius: f64) -> Ball {
        Ball { center: Vector3::new(x, y, z), radius }
    }

    fn close(a: &MassProperties, b: &MassProperties) {
        let scale = b.inertia().amax();
        assert!((a.mass() / b.mass() - 1.0).abs() < 1e-13, "{} {}", a.mass(), b.mass());
        assert!((a.center_of_mass() - b.center_of_mass()).amax() < 1e-13, "{a:?} {b:?}");
        assert!((a.inertia() - b.inertia()).amax() < 1e-12 * scale, "{a:?} {b:?}");
    }

    #[test]
    fn balls_apart_add_up_and_balls_inside_others_do_not_count() {
        let apart = [ball(0.0, 0.3, -1.0, 0.2), ball(1.0, 0.0, 0.1, 0.7)];
        let parts = apart.map(|ball| {
            let mass = 3.0 * 4.0 / 3.0 * std::f64::consts::PI * ball.radius.powi(3);
            let part = MassProperties::solid_sphere(mass, ball.radius).unwrap();
            part.translated(&ball.center)
        });
        let expected = MassProperties::composite(&parts).unwrap();
        close(&mass_properties(&apart, 3.0).unwrap(), &expected);
        let [a, b] = apart;
        let more = [a, b, a, ball(1.1, 0.1, 0.0, 0.3)];
        close(&mass_properties(&more, 3.0).unwrap(), &expected);
    }

    #[test]
    fn two_balls_have_the_moments_of_two_segments() {
        // A ball of radius 1 cut off at the height c ≤ z: V = π (2/3 + c − c³/3), about the axis
        // π/2 ∫ (1 − z²)² dz, and ∫ z dV = −π (1 − c²)²/4.
        let c: f64 = 0.3;
        let pi = std::f64::consts::PI;
        let volume = 2.0 * pi * (2.0 / 3.0 + c - c.powi(3) / 3.0);
        let axial = 2.0 * 0.5 * pi * (8.0 / 15.0 + c - 2.0 / 3.0 * c.powi(3) + 0.2 * c.powi(5));
        let axis = Vector3::new(1.0, 2.0, -0.5).normalize();
        let two = [c, -c].map(|side| Ball { center: side * axis, radius: 1.0 });
        let found = mass_properties(&two, 1.0).unwrap();
        assert!((found.mass() / volume - 1.0).abs() < 1e-13, "{} {volume}", found.mass());
        assert!(found.center_of_mass().amax() < 1e-14);
        let about = axis.dot(&(found.inertia() * axis));
        assert!((about / axial - 1.0).abs() < 1e-12, "{about} {axial}");
    }

    #[test]
    fn three_balls_that_meet_have_moments_that_turn_with_them() {
        let three = [ball(0.0, 0.0, 0.0, 1.0), ball(0.8, 0.1, 0.2, 0.7), ball(0.3, 0.6, -0.4, 0.8)];
        let found = mass_properties(&three, 1.0).unwrap();
        for angles in [[0.3, 0.0, 0.0], [1.0, -0.4, 2.0]] {
            let turn = nalgebra::UnitQuaternion::from_euler_angles(angles[0], angles[1], angles[2]);
            let turned = three.map(|b| Ball { center: turn * b.center, radius: b.radius });
            close(&mass_properties(&turned, 1.0).unwrap(), &found.rotated(&turn));
        }
        // The pairs without the third ball, and each ball alone, bound the volume.
        assert!(found.mass() > 4.0 / 3.0 * std::f64::consts::PI && found.mass() < 6.5);
    }
}
