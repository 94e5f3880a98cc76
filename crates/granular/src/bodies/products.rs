//! Products of matrices and vectors of space, written out: [`times`].
//!
//! They have the bits of nalgebra's, whose loops over columns are not inlined.

use nalgebra::{Matrix3, Vector3};

/// `A x`.
#[inline(always)]
pub(super) fn times(matrix: &Matrix3<f64>, vector: &Vector3<f64>) -> Vector3<f64> {
    let (a, [x, y, z]) = (matrix, [vector.x, vector.y, vector.z]);
    Vector3::new(
        a.m11 * x + a.m12 * y + a.m13 * z,
        a.m21 * x + a.m22 * y + a.m23 * z,
        a.m31 * x + a.m32 * y + a.m33 * z,
    )
}

/// `A B`.
#[inline(always)]
pub(super) fn product(a: &Matrix3<f64>, b: &Matrix3<f64>) -> Matrix3<f64> {
    let column = |x: f64, y: f64, z: f64| times(a, &Vector3::new(x, y, z));
    let first = column(b.m11, b.m21, b.m31);
    let second = column(b.m12, b.m22, b.m32);
    let third = column(b.m13, b.m23, b.m33);
    Matrix3::new(first.x, second.x, third.x, first.y, second.y, third.y, first.z, second.z, third.z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_have_the_bits_of_nalgebra() {
        let a = Matrix3::from_fn(|i, j| ((3 * i + j) as f64 * 1.7).sin());
        let b = Matrix3::from_fn(|i, j| ((i + 3 * j) as f64 * 0.9).cos());
        let x = Vector3::new(0.3, -1.0 / 3.0, 7e-3);
        assert_eq!(times(&a, &x), a * x);
        assert_eq!(product(&a, &b), a * b);
    }
}
