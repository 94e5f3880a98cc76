//! The tolerances of the published code: what a solver that stops early does to the number of LCPs.
//!
//! The loop of the authors' code ends at an approach of 1e-8 m/s, while it accepts solutions of its steps with an error of
//! up to 1e-6. Its solver, PATH, is not at hand. [`run`] follows samples with another Newton method of the same kind,
//! damped and on the Fischer–Burmeister equations, which starts at zero and stops at the same tolerance. Two
//! effects add steps: a last step may leave more approach than the loop accepts, and from an approach below the
//! tolerance of the solver its start counts as the solution, so that the sample makes no more progress and reaches the
//! limit of steps. How often that happens depends on how the solver converges, so that PATH has other numbers.
//!
//! # Source
//!
//! M. Halm, the code of the paper, `RouthCollider.m` and `CompareImpactMethods.m` (the tolerances);
//! T. De Luca, F. Facchinei, C. Kanzow, "A semismooth equation approach to the solution of nonlinear complementarity
//! problems", *Mathematical Programming* 75 (1996) 407–439 (the method).

use crate::{error::Error, published_code::PublishedCode};
use nalgebra::{DMatrix, DVector};
use percussion_complementarity::lcp;
use percussion_impact::Problem;
use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};

/// Means over the samples.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Means {
    pub(super) lcps: f64,
    /// Samples that take as many steps as they may (%).
    pub(super) exhausted: f64,
}

/// Maximum number of Newton steps, and of halvings of one.
const STEPS: usize = 200;
const HALVINGS: usize = 40;
/// Part of the predicted decrease that a step must have, and the bound of directions that count as descent.
const DECREASE: f64 = 1e-4;
const DESCENT: f64 = 1e-10;

/// Follows samples of an impact in the plane with increments of at most `step` (N·s) in at most `limit` steps.
pub(super) fn run(
    problem: &Problem,
    code: &PublishedCode,
    (step, limit, seed): (f64, usize, u64),
) -> Result<Means, Error> {
    let contacts = problem.contacts().len();
    let matrix = matrix(problem);
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let before = problem.contact_velocity(problem.velocity());
    let mut means = Means::default();
    let share = 1.0 / code.followed as f64;
    for _ in 0..code.followed {
        let mut velocity = before.clone();
        let mut taken = 0;
        let approaches = |u: &DVector<f64>| (0..contacts).any(|i| u[2 * i] < -code.loop_tolerance);
        while taken < limit && approaches(&velocity) {
            let mut vector = DVector::zeros(matrix.nrows());
            for i in 0..contacts {
                // The upper 53 bits.
                vector[i] = step * ((random.next_u64() >> 11) as f64 / 2.0_f64.powi(53));
                vector[contacts + i] = velocity[2 * i];
                vector[2 * contacts + 2 * i] = velocity[2 * i + 1];
                vector[2 * contacts + 2 * i + 1] = -velocity[2 * i + 1];
            }
            let z = match newton(&matrix, &vector, code.solver_tolerance) {
                Some(z) => z,
                None => exact(&matrix, vector)?,
            };
            let impulse = DVector::from_fn(2 * contacts, |row, _| match (row / 2, row % 2) {
                (i, 0) => z[contacts + i],
                (i, _) => z[2 * contacts + 2 * i] - z[2 * contacts + 2 * i + 1],
            });
            velocity += problem.delassus() * impulse;
            taken += 1;
        }
        means.lcps += share * taken as f64;
        means.exhausted += 100.0 * share * f64::from(u8::from(taken == limit));
    }
    Ok(means)
}

/// The matrix of a step, with the unknowns `(s, λ_n, β, γ)` and two directions of friction for each contact.
fn matrix(problem: &Problem) -> DMatrix<f64> {
    let (w, contacts) = (problem.delassus(), problem.contacts().len());
    let size = 5 * contacts;
    // Row of `J` and sign of an unknown that is an impulse.
    let of = |k: usize| {
        let beta = k - contacts;
        match beta.checked_sub(contacts) {
            None => (2 * beta, 1.0),
            Some(j) => (2 * (j / 2) + 1, if j % 2 == 0 { 1.0 } else { -1.0 }),
        }
    };
    let mut matrix = DMatrix::zeros(size, size);
    for a in contacts..4 * contacts {
        for b in contacts..4 * contacts {
            let ((i, sign), (j, other)) = (of(a), of(b));
            matrix[(a, b)] = sign * other * w[(i, j)];
        }
    }
    for (i, contact) in problem.contacts().iter().enumerate() {
        matrix[(i, contacts + i)] = -1.0;
        matrix[(contacts + i, i)] = 1.0;
        let gamma = 4 * contacts + i;
        for beta in [2 * contacts + 2 * i, 2 * contacts + 2 * i + 1] {
            matrix[(beta, gamma)] = 1.0;
            matrix[(gamma, beta)] = -1.0;
        }
        matrix[(gamma, contacts + i)] = contact.friction;
    }
    matrix
}

/// The solution of Lemke's method, for the steps at which Newton's does not converge.
fn exact(matrix: &DMatrix<f64>, vector: DVector<f64>) -> Result<DVector<f64>, Error> {
    let mut z = DVector::zeros(vector.len());
    let problem =
        lcp::Problem::new(matrix.clone(), vector).map_err(percussion_impact::Error::from)?;
    let mut workspace = lcp::lemke::Workspace::new(z.len());
    lcp::lemke::solve(&problem, &lcp::lemke::Settings::default(), &mut workspace, &mut z)
        .map_err(percussion_impact::Error::from)?;
    Ok(z)
}

/// Damped Newton steps from zero on `√(z² + w²) − z − w = 0`, until `|min(z, w)|` is at most the tolerance.
fn newton(matrix: &DMatrix<f64>, vector: &DVector<f64>, tolerance: f64) -> Option<DVector<f64>> {
    let size = vector.len();
    let mut at = Point::new(DVector::zeros(size), vector.clone());
    for _ in 0..STEPS {
        if at.residual() <= tolerance {
            return Some(at.z);
        }
        let newton = at.jacobian(matrix).lu().solve(&-&at.phi);
        // The direction, with its product with the matrix and its slope in the merit.
        let along = |direction: DVector<f64>| {
            let image = matrix * &direction;
            let slope = at.slope(&direction, &image);
            (direction, image, slope)
        };
        let descends = |(d, _, slope): &(DVector<f64>, DVector<f64>, f64)| {
            *slope <= -DESCENT * d.norm().powf(2.1)
        };
        let (direction, image, slope) = match newton.map(along).filter(descends) {
            Some(found) => found,
            None => along(at.damped(matrix)?),
        };
        let mut part = 1.0;
        let next = (0..HALVINGS).find_map(|_| {
            let next = Point::new(&at.z + part * &direction, &at.w + part * &image);
            let is_low = next.merit() <= at.merit() + DECREASE * part * slope || part < 1e-11;
            part *= 0.5;
            is_low.then_some(next)
        })?;
        // Without the rounding of the sum of all steps.
        at = Point::new(next.z.clone(), matrix * &next.z + vector);
        if !at.merit().is_finite() {
            return None;
        }
    }
    None
}

/// The Fischer–Burmeister equations at `z`, with `w = M z + q`.
struct Point {
    z: DVector<f64>,
    w: DVector<f64>,
    phi: DVector<f64>,
}

impl Point {
    fn new(z: DVector<f64>, w: DVector<f64>) -> Self {
        let phi = z.zip_map(&w, |z, w| length(z, w) - z - w);
        Self { z, w, phi }
    }

    fn residual(&self) -> f64 {
        self.z.iter().zip(&self.w).map(|(z, w)| z.min(*w).abs()).fold(0.0, f64::max)
    }

    fn merit(&self) -> f64 {
        0.5 * self.phi.norm_squared()
    }

    /// Derivatives of `φ_i` with respect to `z_i` and `w_i`.
    fn slopes(&self, i: usize) -> [f64; 2] {
        let length = length(self.z[i], self.w[i]);
        // At the corner any element of the generalized gradient serves.
        if length > 0.0 {
            [self.z[i] / length - 1.0, self.w[i] / length - 1.0]
        } else {
            [-1.0 + 0.5_f64.sqrt(); 2]
        }
    }

    fn jacobian(&self, matrix: &DMatrix<f64>) -> DMatrix<f64> {
        let mut jacobian = matrix.clone();
        for (i, mut row) in jacobian.row_iter_mut().enumerate() {
            let [of_z, of_w] = self.slopes(i);
            row *= of_w;
            row[i] += of_z;
        }
        jacobian
    }

    /// Derivative of the merit along a direction, whose product with the matrix is `image`.
    fn slope(&self, direction: &DVector<f64>, image: &DVector<f64>) -> f64 {
        let of = |i: usize| {
            let [of_z, of_w] = self.slopes(i);
            self.phi[i] * (of_z * direction[i] + of_w * image[i])
        };
        (0..self.z.len()).map(of).sum()
    }

    /// The Levenberg–Marquardt direction, where Newton's does not descend.
    fn damped(&self, matrix: &DMatrix<f64>) -> Option<DVector<f64>> {
        let jacobian = self.jacobian(matrix);
        let damping = self.phi.norm().min(1e-2);
        let size = self.z.len();
        let normal = jacobian.tr_mul(&jacobian) + DMatrix::identity(size, size) * damping;
        normal.lu().solve(&-jacobian.tr_mul(&self.phi))
    }
}

/// `√(z² + w²)`; the numbers are far from overflow.
fn length(z: f64, w: f64) -> f64 {
    (z * z + w * w).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    /// Solved to rounding, the samples take as many LCPs as those of the library, within four standard errors.
    #[test]
    fn an_exact_solver_has_the_mean_of_the_library() {
        let problem = fixtures::problem("rocking-block").unwrap().problem;
        let code = PublishedCode { solver_tolerance: 1e-12, loop_tolerance: 1e-8, followed: 2000 };
        let means = run(&problem, &code, (0.3, 10, 3)).unwrap();
        assert!((means.lcps - 2.478).abs() < 0.08 && means.exhausted < 0.1, "{means:?}");
        // A solver that stops early: some samples make no progress from an approach below its tolerance.
        let early =
            run(&problem, &PublishedCode { solver_tolerance: 1e-6, ..code }, (0.3, 10, 3)).unwrap();
        assert!(early.exhausted > 1.0 && early.lcps > means.lcps + 0.1, "{early:?}");
    }

    #[test]
    fn newton_steps_solve_a_small_problem() {
        let matrix = nalgebra::dmatrix![2.0, 1.0; 1.0, 2.0];
        let z = newton(&matrix, &nalgebra::dvector![-1.0, -4.0], 1e-12).unwrap();
        assert!((z - nalgebra::dvector![0.0, 2.0]).amax() < 1e-12);
    }
}
