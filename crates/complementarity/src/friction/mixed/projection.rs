//! Cones in canonical coordinates, the projection on them with its derivative, and the natural map.

use super::{polygon::Polygon, shape::norm};

/// Most rows of a contact.
pub(super) const ROWS: usize = 6;

/// The impulses of a block in canonical coordinates.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cone {
    /// All.
    Free,
    /// `x ≥ 0`, one row.
    Positive,
    /// `l ≤ x ≤ u`, one row.
    Interval([f64; 2]),
    /// A normal `n` and balls of radius `n` with these numbers of components.
    Balls(Vec<usize>),
    /// A normal `n` and two tangents in `n` times the polygon.
    Polygon(Polygon),
}

/// A derivative, by rows.
pub(super) type Derivative = [[f64; ROWS]; ROWS];

impl Cone {
    /// `σ_F(−w_t)` of a contact with the velocity `w`, and its derivative by `w`; zero for others.
    pub(super) fn support_against(&self, w: &[f64], slope: &mut [f64; ROWS]) -> f64 {
        slope.fill(0.0);
        match self {
            Self::Balls(factors) => {
                let (mut first, mut sum) = (1, 0.0);
                for &size in factors {
                    let tangents = &w[first..first + size];
                    let length = norm(tangents.iter().copied());
                    if length > 0.0 {
                        for (slope, w) in slope[first..].iter_mut().zip(tangents) {
                            *slope = w / length;
                        }
                    }
                    sum += length;
                    first += size;
                }
                sum
            }
            Self::Polygon(polygon) => {
                let (corner, value) = polygon.support([-w[1], -w[2]]);
                (slope[1], slope[2]) = (-corner[0], -corner[1]);
                value
            }
            Self::Free | Self::Positive | Self::Interval(_) => 0.0,
        }
    }

    /// Projects `z` in place, and sets the derivative of the projection if `derivative` is given, except for
    /// [`Free`](Self::Free), whose projection is `z` itself.
    pub(super) fn project(&self, z: &mut [f64], derivative: Option<&mut Derivative>) {
        match self {
            Self::Free => {}
            Self::Positive => {
                if let Some(derivative) = derivative {
                    derivative[0][0] = f64::from(u8::from(z[0] > 0.0));
                }
                z[0] = z[0].max(0.0);
            }
            Self::Interval([lower, upper]) => {
                if let Some(derivative) = derivative {
                    let inside = z[0] > *lower && z[0] < *upper;
                    derivative[0][0] = f64::from(u8::from(inside));
                }
                z[0] = z[0].clamp(*lower, *upper);
            }
            Self::Balls(factors) => project_on_balls(factors, z, derivative),
            Self::Polygon(polygon) => project_on_polygon(polygon, z, derivative),
        }
    }
}

/// The nearest normal is the mean of `z_n` and the lengths of the balls that it does not contain.
fn project_on_balls(factors: &[usize], z: &mut [f64], derivative: Option<&mut Derivative>) {
    let mut lengths = [0.0; ROWS];
    let mut first = 1;
    for (length, &size) in lengths.iter_mut().zip(factors) {
        *length = norm(z[first..first + size].iter().copied());
        first += size;
    }
    let lengths = &lengths[..factors.len()];
    let mut sorted = [0.0; ROWS];
    sorted[..lengths.len()].copy_from_slice(lengths);
    let sorted = &mut sorted[..lengths.len()];
    sorted.sort_unstable_by(|a, b| b.total_cmp(a));
    let (mut sum, mut count) = (z[0], 1.0);
    for &length in sorted.iter() {
        if length <= sum / count {
            break;
        }
        sum += length;
        count += 1.0;
    }
    let normal = sum / count;
    let normal = normal.max(0.0);
    if let Some(derivative) = derivative {
        differentiate(factors, lengths, z, normal, derivative);
    }
    z[0] = normal;
    let mut first = 1;
    for (&length, &size) in lengths.iter().zip(factors) {
        if length > normal {
            z[first..first + size].iter_mut().for_each(|entry| *entry *= normal / length);
        }
        first += size;
    }
}

fn differentiate(
    factors: &[usize],
    lengths: &[f64],
    z: &[f64],
    normal: f64,
    derivative: &mut Derivative,
) {
    derivative.iter_mut().for_each(|row| row.fill(0.0));
    if normal <= 0.0 {
        return;
    }
    let long = lengths.iter().filter(|&&length| length > normal).count();
    #[expect(clippy::cast_precision_loss, reason = "at most 3 factors")]
    let part = 1.0 / (1 + long) as f64;
    derivative[0][0] = part;
    let mut first = 1;
    for (&length, &size) in lengths.iter().zip(factors) {
        if length > normal {
            (first..first + size).for_each(|at| derivative[0][at] = part * z[at] / length);
        }
        first += size;
    }
    let by_normal = derivative[0];
    let mut first = 1;
    for (&length, &size) in lengths.iter().zip(factors) {
        for i in first..first + size {
            if length <= normal {
                derivative[i][i] = 1.0;
                continue;
            }
            let along = z[i] / length;
            (0..z.len()).for_each(|j| derivative[i][j] = along * by_normal[j]);
            for j in first..first + size {
                let across = f64::from(u8::from(i == j)) - along * (z[j] / length);
                derivative[i][j] += normal / length * across;
            }
        }
        first += size;
    }
}

/// The nearest of: the point itself, its projections on the facets and on the rays through the corners, and zero.
fn project_on_polygon(polygon: &Polygon, z: &mut [f64], derivative: Option<&mut Derivative>) {
    let point = [z[0], z[1], z[2]];
    let inner = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let inside = point[0] > 0.0 && polygon.contains(point[0], [point[1], point[2]]);
    let mut best = (inner(point, point), [0.0; 3], [[0.0; 3]; 3]);
    if inside {
        let identity = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        best = (0.0, point, identity);
    }
    let mut offer = |near: [f64; 3], slope: [[f64; 3]; 3]| {
        let away = [point[0] - near[0], point[1] - near[1], point[2] - near[2]];
        let square = inner(away, away);
        if square < best.0 {
            best = (square, near, slope);
        }
    };
    for (from, to) in polygon.edges() {
        let (ray, next) = ([1.0, from[0], from[1]], [1.0, to[0], to[1]]);
        let square = inner(ray, ray);
        let along = inner(point, ray) / square;
        if along > 0.0 {
            let slope = ray.map(|a| ray.map(|b| a * b / square));
            offer(ray.map(|r| along * r), slope);
        }
        // The plane of the facet, with the orthonormal directions e and f.
        let e = ray.map(|r| r / square.sqrt());
        let part = inner(next, e);
        let rest = [next[0] - part * e[0], next[1] - part * e[1], next[2] - part * e[2]];
        let length = inner(rest, rest).sqrt();
        if length <= 0.0 {
            continue;
        }
        let f = rest.map(|r| r / length);
        let (on_e, on_f) = (inner(point, e), inner(point, f));
        // Between the two rays.
        if on_f > 0.0 && on_e * length - on_f * part > 0.0 {
            let near = [0, 1, 2].map(|i| on_e * e[i] + on_f * f[i]);
            let slope = [0, 1, 2].map(|i| [0, 1, 2].map(|j| e[i] * e[j] + f[i] * f[j]));
            offer(near, slope);
        }
    }
    z.copy_from_slice(&best.1);
    if let Some(derivative) = derivative {
        for (row, best) in derivative.iter_mut().zip(&best.2) {
            row[..3].copy_from_slice(best);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cones() -> Vec<Cone> {
        let corners = [[1.0, 0.2], [0.1, 0.8], [-0.9, 0.1], [-0.2, -0.5], [0.4, -0.6]];
        vec![
            Cone::Positive,
            Cone::Interval([-1.0, 0.5]),
            Cone::Balls(vec![2]),
            Cone::Balls(vec![3]),
            Cone::Balls(vec![2, 1, 2]),
            Cone::Polygon(Polygon::new(&corners)),
            Cone::Polygon(Polygon::new(&[[0.0, 1.0], [0.0, -0.5]])),
        ]
    }

    fn rows(cone: &Cone) -> usize {
        match cone {
            Cone::Free | Cone::Positive | Cone::Interval(_) => 1,
            Cone::Balls(factors) => 1 + factors.iter().sum::<usize>(),
            Cone::Polygon(_) => 3,
        }
    }

    proptest! {
        /// A projection is the point of the set with `(z − Πz)·(y − Πz) ≤ 0` for all `y` of the set.
        #[test]
        fn projections_are_nearest(z in prop::array::uniform6(-3.0..3.0), y in prop::array::uniform6(-3.0..3.0)) {
            for cone in cones() {
                let n = rows(&cone);
                let (mut near, mut other) = (z, y);
                cone.project(&mut near[..n], None);
                cone.project(&mut other[..n], None);
                let product: f64 = (0..n).map(|i| (z[i] - near[i]) * (other[i] - near[i])).sum();
                prop_assert!(product <= 1e-12, "{cone:?} {product}");
                let mut again = near;
                cone.project(&mut again[..n], None);
                prop_assert!((0..n).all(|i| (again[i] - near[i]).abs() < 1e-12), "{cone:?}");
            }
        }

        #[test]
        fn derivatives_are_those_of_differences(z in prop::array::uniform6(-3.0..3.0)) {
            for cone in cones() {
                let n = rows(&cone);
                let mut derivative = [[0.0; ROWS]; ROWS];
                let mut near = z;
                cone.project(&mut near[..n], Some(&mut derivative));
                for j in 0..n {
                    let [mut plus, mut minus] = [z; 2];
                    plus[j] += 1e-6;
                    minus[j] -= 1e-6;
                    cone.project(&mut plus[..n], None);
                    cone.project(&mut minus[..n], None);
                    for i in 0..n {
                        let slope = (plus[i] - minus[i]) / 2e-6;
                        prop_assert!((slope - derivative[i][j]).abs() < 1e-4, "{cone:?} {i} {j}");
                    }
                }
            }
        }
    }
}
