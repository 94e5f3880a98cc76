//! Bodies with joints in the kinetic metric: sizes of Jacobian rows, and the part of a velocity that joints permit.
//!
//! For rows `a`, `b` the metric is `⟨a, b⟩ = a M⁻¹ bᵀ`, and `|a·v| ≤ ‖a‖ ‖v‖` with `‖v‖² = vᵀ M v`, twice the energy. So
//! `‖a‖ ‖v⁻‖` bounds the velocity of a row after any impact that gains no energy, which makes it the scale of that row.
//!
//! # Source
//!
//! N. J. Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed., SIAM 2002, chapter 10 (Cholesky factorization,
//! scaling by the diagonal) and section 19.8 (orthogonalization done twice).

use crate::Extended;

/// A factored mass matrix with joints.
#[derive(Clone, Debug)]
pub struct Kinetic {
    n: usize,
    /// `1/√M_ii`.
    scale: Vec<Extended>,
    /// Lower factor of `M` scaled to a unit diagonal, by rows.
    factor: Vec<Extended>,
    /// Condition of the scaled matrix, in the largest row sum, at least 1.
    condition: f64,
    /// An orthonormal basis of the rows of the joints, and the velocities `M⁻¹ bᵀ` that belong to it.
    joints: Vec<(Vec<Extended>, Vec<Extended>)>,
    /// Fraction of the row of each direction that is independent of the rows before it, at most 1.
    independence: Vec<f64>,
}

/// `a·b`.
pub(crate) fn dot(a: &[Extended], b: &[Extended]) -> Extended {
    a.iter().zip(b).map(|(&a, &b)| a * b).sum()
}

/// The same numbers in extended precision.
pub(crate) fn extended(values: &[f64]) -> Vec<Extended> {
    values.iter().map(|&value| Extended::from(value)).collect()
}

/// Fraction of a row that must be independent of the others to count: a hundred roundings of its entries.
fn dependent(n: usize) -> f64 {
    100.0 * (n + 1) as f64 * f64::EPSILON
}

impl Kinetic {
    /// `mass` is `n × n` by rows, symmetric positive definite; `joints` are rows of length `n`, of any rank.
    ///
    /// `None` if the mass matrix is not positive definite to 30 digits.
    #[must_use]
    pub fn new(mass: &[f64], n: usize, joints: &[Vec<f64>]) -> Option<Self> {
        if mass.len() != n * n || joints.iter().any(|row| row.len() != n) {
            return None;
        }
        let mut scale = Vec::with_capacity(n);
        for i in 0..n {
            let diagonal = mass[i * n + i];
            if diagonal.is_nan() || diagonal <= 0.0 || !diagonal.is_finite() {
                return None;
            }
            scale.push(Extended::ONE / Extended::from(diagonal).sqrt());
        }
        let factor = factorize(mass, n, &scale)?;
        let mut bodies =
            Self { n, scale, factor, condition: 1.0, joints: Vec::new(), independence: Vec::new() };
        bodies.condition = bodies.measured_condition(mass);
        bodies.orthogonalize(joints);
        Some(bodies)
    }

    /// Condition of the mass matrix scaled to a unit diagonal (≥ 1).
    #[must_use]
    pub const fn condition(&self) -> f64 {
        self.condition
    }

    /// Smallest fraction of a joint row that is independent of the rows before it (in `(0, 1]`), which limits the accuracy of its direction.
    #[must_use]
    pub fn independence(&self) -> f64 {
        self.independence.iter().fold(1.0, |least, part| least.min(*part))
    }

    /// Fraction of the row of each independent direction, in the order in which they were added.
    pub(crate) fn fractions(&self) -> &[f64] {
        &self.independence
    }

    /// Number of independent rows of the joints.
    #[must_use]
    pub const fn rank(&self) -> usize {
        self.joints.len()
    }

    /// The same bodies with these rows as further joints.
    #[must_use]
    pub(crate) fn with(&self, rows: &[Vec<f64>]) -> Self {
        let mut bodies = self.clone();
        bodies.orthogonalize(rows);
        bodies
    }

    /// `M⁻¹ bᵀ` for a row `b`.
    #[must_use]
    pub fn response(&self, row: &[Extended]) -> Vec<Extended> {
        let n = self.n;
        let mut x: Vec<_> = row.iter().zip(&self.scale).map(|(&b, &s)| b * s).collect();
        for i in 0..n {
            let known = dot(&self.factor[i * n..i * n + i], &x[..i]);
            x[i] = (x[i] - known) / self.factor[i * n + i];
        }
        for i in (0..n).rev() {
            let known: Extended = (i + 1..n).map(|j| self.factor[j * n + i] * x[j]).sum();
            x[i] = (x[i] - known) / self.factor[i * n + i];
        }
        x.iter().zip(&self.scale).map(|(&x, &s)| x * s).collect()
    }

    /// `‖a‖ = √(a M⁻¹ aᵀ)` of a row, without joints.
    #[must_use]
    pub fn size(&self, row: &[f64]) -> f64 {
        let row = extended(row);
        dot(&row, &self.response(&row)).max(Extended::ZERO).sqrt().value()
    }

    /// The part of a velocity that the joints permit: `v − M⁻¹ Gᵀ (G M⁻¹ Gᵀ)⁺ G v`.
    #[must_use]
    pub fn held(&self, velocity: &[Extended]) -> Vec<Extended> {
        let mut velocity = velocity.to_vec();
        for _ in 0..2 {
            for (row, response) in &self.joints {
                let part = dot(row, &velocity);
                for (v, &r) in velocity.iter_mut().zip(response) {
                    *v -= part * r;
                }
            }
        }
        velocity
    }

    /// The part of a row that no joint holds, orthogonal to all rows of the joints.
    #[must_use]
    pub fn movable(&self, row: &[Extended]) -> Vec<Extended> {
        let mut rest = row.to_vec();
        for _ in 0..2 {
            for (joint, response) in &self.joints {
                let part = dot(&rest, response);
                for (r, &j) in rest.iter_mut().zip(joint) {
                    *r -= part * j;
                }
            }
        }
        rest
    }

    fn orthogonalize(&mut self, joints: &[Vec<f64>]) {
        let mut open: Vec<_> = joints.iter().map(|row| (extended(row), self.size(row))).collect();
        open.retain(|(_, size)| *size > 0.0);
        // The row with the largest remainder comes next, so that rounding does not determine the rank.
        while !open.is_empty() {
            let mut best = (0, 0.0);
            for (index, (row, size)) in open.iter().enumerate() {
                let rest = self.movable(row);
                let left =
                    dot(&rest, &self.response(&rest)).max(Extended::ZERO).sqrt().value() / size;
                if left > best.1 {
                    best = (index, left);
                }
            }
            if best.1 <= dependent(self.n) {
                return;
            }
            self.independence.push(best.1);
            let (row, _) = open.swap_remove(best.0);
            let rest = self.movable(&row);
            let response = self.response(&rest);
            let size = dot(&rest, &response).sqrt();
            let unit = |values: Vec<Extended>| values.iter().map(|&x| x / size).collect();
            self.joints.push((unit(rest), unit(response)));
        }
    }

    /// `‖A‖ ‖A⁻¹‖` of the scaled matrix, in the largest row sum.
    fn measured_condition(&self, mass: &[f64]) -> f64 {
        let n = self.n;
        let sum = |row: Vec<Extended>| row.iter().map(|x| x.value().abs()).sum::<f64>();
        let mut sizes = (1.0_f64, 1.0_f64);
        for i in 0..n {
            let row =
                (0..n).map(|j| Extended::from(mass[i * n + j]) * self.scale[i] * self.scale[j]);
            sizes.0 = sizes.0.max(sum(row.collect()));
            let mut unit = vec![Extended::ZERO; n];
            // The response of a row divided by its scale is the column of the inverse times the scale.
            unit[i] = Extended::ONE / self.scale[i];
            let column = self.response(&unit);
            sizes.1 =
                sizes.1.max(sum(column.iter().zip(&self.scale).map(|(&x, &s)| x / s).collect()));
        }
        sizes.0 * sizes.1
    }
}

/// Cholesky factor of the scaled matrix.
fn factorize(mass: &[f64], n: usize, scale: &[Extended]) -> Option<Vec<Extended>> {
    let mut factor = vec![Extended::ZERO; n * n];
    for i in 0..n {
        for j in 0..=i {
            let entry = Extended::from(mass[i * n + j]) * scale[i] * scale[j];
            let rest = entry - dot(&factor[i * n..i * n + j], &factor[j * n..j * n + j]);
            factor[i * n + j] = if i == j {
                if rest.value().is_nan() || rest.value() <= 1e-30 {
                    return None;
                }
                rest.sqrt()
            } else {
                rest / factor[j * n + j]
            };
        }
    }
    Some(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_solves_with_the_mass_matrix() {
        // Inverse of [[4, 2], [2, 3]] is [[3, −2], [−2, 4]]/8.
        let bodies = Kinetic::new(&[4.0, 2.0, 2.0, 3.0], 2, &[]).unwrap();
        let response = bodies.response(&extended(&[1.0, 0.0]));
        let errors = [response[0] - Extended::from(0.375), response[1] + Extended::from(0.25)];
        assert!(errors.iter().all(|error| error.abs().value() < 1e-30), "{errors:?}");
        assert!((bodies.size(&[0.0, 1.0]) - 0.5_f64.sqrt()).abs() < 1e-15);
        assert!(bodies.condition() > 1.0 && bodies.condition() < 10.0, "{}", bodies.condition());
    }

    #[test]
    fn redundant_joints_have_the_rank_of_their_data() {
        let rows = vec![
            vec![1.0, 1.0, 0.0],
            vec![0.1, 0.1, 0.0],
            vec![0.0, 1.0, 1.0],
            vec![0.3, 0.6, 0.3],
        ];
        let bodies =
            Kinetic::new(&[2.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 3.0], 3, &rows).unwrap();
        assert_eq!(bodies.rank(), 2);
        let held = bodies.held(&extended(&[1.0, -2.0, 5.0]));
        for row in &rows {
            assert!(dot(&extended(row), &held).abs().value() < 1e-15, "{row:?}");
        }
        // A row that the joints hold has no velocity.
        let rest = bodies.movable(&extended(&[1.0, 2.0, 1.0]));
        assert!(rest.iter().all(|x| x.abs().value() < 1e-28), "{rest:?}");
    }

    #[test]
    fn what_is_no_mass_matrix_is_refused() {
        assert!(Kinetic::new(&[1.0, 2.0, 2.0, 1.0], 2, &[]).is_none());
        assert!(Kinetic::new(&[0.0], 1, &[]).is_none());
        assert!(Kinetic::new(&[f64::NAN], 1, &[]).is_none());
        assert!(Kinetic::new(&[1.0], 1, &[vec![1.0, 2.0]]).is_none());
    }

    #[test]
    fn units_of_the_coordinates_do_not_enter_the_condition() {
        let (small, large) = (1e-140, 1e140);
        let bodies = Kinetic::new(&[small, 0.0, 0.0, large], 2, &[]).unwrap();
        assert!((bodies.condition() - 1.0).abs() < 1e-14, "{}", bodies.condition());
    }
}
