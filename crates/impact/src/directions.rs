//! Directions of friction in a tangent plane: [`direction`].

use std::f64::consts::TAU;

/// Direction `j` of `k`; opposite directions are exact mirror images, and so are those on the axes.
pub(crate) fn direction(j: usize, k: usize) -> [f64; 2] {
    if 2 * j >= k {
        return direction(j - k / 2, k).map(|component| -component);
    }
    if 4 * j == k {
        return [0.0, 1.0];
    }
    let (sin, cos) = (TAU * j as f64 / k as f64).sin_cos();
    [cos, sin]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_are_unit_vectors_in_opposite_pairs() {
        for k in [2, 4, 6, 8, 16] {
            for j in 0..k {
                let [x, y] = direction(j, k);
                assert!((x.hypot(y) - 1.0).abs() < 1e-15, "{j} of {k}");
                let [back, down] = direction((j + k / 2) % k, k);
                assert!(x + back == 0.0 && y + down == 0.0, "{j} of {k}");
            }
        }
    }
}
