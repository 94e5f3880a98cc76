//! Proofs that no motion has the speeds of separation that Newton's restitution prescribes.
//!
//! Contacts require `J_n v ≥ s`, joints require `G v = 0`. By Farkas's lemma there is no such `v` if and only
//! if there are weights `y ≥ 0` with `yᵀ s > 0` for which `yᵀ J_n` lies in the row space of `G`. Then no
//! impulse changes `yᵀ u_n`, which is 0 for every motion that the joints allow. Newton's law is therefore
//! infeasible only where two sides close on a body, such as opposite normals of which one requires a rebound.
//!
//! With the coordinates `a_k` of the normals in an orthonormal basis of the kinetic metric, joints included,
//! the minimum of
//! ```math
//! \lVert A^\mathsf{T} y \rVert^2 + (1 - s^\mathsf{T} y)^2, \qquad y \ge 0
//! ```
//!
//! is 0 in exactly that case. Otherwise its residual is a motion that separates fast enough (least distance
//! programming). The search is that of Lawson and Hanson; it shares no code with the laws. A proof is
//! accepted only if `yᵀ J_n` vanishes to rounding, so that problems which are feasible at very high speeds
//! are not called infeasible.
//!
//! # Source
//!
//! C. L. Lawson, R. J. Hanson, *Solving Least Squares Problems*, Prentice-Hall 1974, chapter 23 (algorithms NNLS and LDP).

use nalgebra::{DMatrix, DVector};
use percussion_complementarity::elimination::Span;

use crate::Problem;

/// Maximum number of contacts of a search, whose cost grows with their third power.
const MOST_CONTACTS: usize = 200;

/// Maximum number of exchanges of a search, per contact; a few are usual.
const PATIENCE: usize = 10;

/// Weights of the contacts, with the sum 1, that prove that no motion separates as Newton's restitution
/// prescribes; `None` where such a motion exists, or where the search is given up.
pub(crate) fn proof(problem: &Problem) -> Option<DVector<f64>> {
    let free = problem.borrow_free_contact_velocity();
    let row = |k: usize| problem.rows(k).start;
    let contacts: Vec<usize> =
        (0..problem.contacts().len()).filter(|&k| !problem.is_locked(row(k))).collect();
    if contacts.len() > MOST_CONTACTS {
        return None;
    }
    let asked = |k: usize| problem.contacts()[k].restitution * (-free[row(k)]).max(0.0);
    let (coordinates, sizes) = coordinates(problem, &contacts, row);
    let speeds = DVector::from_fn(contacts.len(), |i, _| asked(contacts[i]) / sizes[i]);
    let fastest = speeds.amax();
    // A body at rest separates at 0.
    if fastest.is_nan() || fastest <= 0.0 {
        return None;
    }
    let weights = combination(&coordinates, &(speeds / fastest))?;
    let mut proof = DVector::zeros(problem.contacts().len());
    for (i, &k) in contacts.iter().enumerate() {
        proof[k] = weights[i] / sizes[i];
    }
    let total = proof.sum();
    Some(proof / total)
}

/// Returns the `weights` of the contacts scaled to the sum 1, if they are a proof to the rounding of the
/// problem: their combined normal has no effect, and their combined speed of separation is positive.
pub(crate) fn confirmed(problem: &Problem, weights: &DVector<f64>) -> Option<DVector<f64>> {
    let weights = weights / weights.sum();
    let free = problem.borrow_free_contact_velocity();
    let sizes = problem.free_row_sizes();
    let speed = problem.root_of_energy(problem.velocity());
    let mut response = DVector::zeros(problem.dimension());
    let (mut size, mut asked, mut rounding) = (0.0, 0.0, 0.0);
    for (k, &weight) in weights.iter().enumerate().filter(|(_, weight)| **weight != 0.0) {
        let row = problem.rows(k).start;
        response.axpy(weight, &problem.response().column(row), 1.0);
        let speed_asked = problem.contacts()[k].restitution * (-free[row]).max(0.0);
        size += weight * sizes[row];
        asked += weight * (speed_asked - free[row]);
        rounding +=
            weight * (sizes[row] * problem.rounding() * speed + 4.0 * f64::EPSILON * speed_asked);
    }
    let moved = response.dot(&problem.momentum(&response)).max(0.0).sqrt();
    let proves = weights.min() >= 0.0 && moved <= problem.rounding() * size && asked > rounding;
    proves.then_some(weights)
}

/// Coordinates of the normals of `contacts`, each scaled to length 1 (one per row), and their lengths.
fn coordinates(
    problem: &Problem,
    contacts: &[usize],
    row: impl Fn(usize) -> usize,
) -> (DMatrix<f64>, DVector<f64>) {
    let n = problem.dimension();
    let mut rows = DMatrix::zeros(contacts.len(), n);
    let mut responses = DMatrix::zeros(n, contacts.len());
    for (i, &k) in contacts.iter().enumerate() {
        let response: DVector<f64> = problem.response().column(row(k)).into();
        rows.set_row(i, &problem.momentum(&response).transpose());
        responses.set_column(i, &response);
    }
    let span = Span::new(&rows, &responses);
    let mut coordinates = &rows * &span.velocities;
    for i in 0..contacts.len() {
        coordinates.row_mut(i).unscale_mut(span.sizes[i]);
    }
    (coordinates, span.sizes)
}

/// Weights `y ≥ 0` with `yᵀ A = 0` and `yᵀ s = 1`, if there are any.
fn combination(coordinates: &DMatrix<f64>, speeds: &DVector<f64>) -> Option<DVector<f64>> {
    let (m, k) = coordinates.shape();
    let matrix = coordinates.transpose().insert_row(k, 0.0);
    let matrix = {
        let mut matrix = matrix;
        matrix.set_row(k, &speeds.transpose());
        matrix
    };
    let mut target = DVector::zeros(k + 1);
    target[k] = 1.0;
    let rounding = 16.0 * (m + k + 1) as f64 * f64::EPSILON;
    let weights = nonnegative_least_squares(&matrix, &target, rounding)?;
    let (gain, total) = (weights.dot(speeds), weights.sum());
    // Coordinates of length 1 have errors of some eps each.
    let vanishes = coordinates.tr_mul(&weights).amax() <= rounding * total;
    (vanishes && gain > 0.5).then_some(weights)
}

/// The `x ≥ 0` that minimizes `‖E x − f‖`; `None` where the exchanges do not end. Gains below `rounding` of
/// the columns count as zero.
fn nonnegative_least_squares(
    matrix: &DMatrix<f64>,
    target: &DVector<f64>,
    rounding: f64,
) -> Option<DVector<f64>> {
    let m = matrix.ncols();
    let mut x = DVector::zeros(m);
    let mut is_in = vec![false; m];
    for _ in 0..PATIENCE * m.max(1) {
        let residual = target - matrix * &x;
        let gains = matrix.tr_mul(&residual);
        let best = (0..m)
            .filter(|&j| !is_in[j] && gains[j] > rounding * matrix.column(j).norm())
            .reduce(|a, b| if gains[b] > gains[a] { b } else { a });
        let Some(best) = best else { return Some(x) };
        is_in[best] = true;
        while let Some(next) = least_squares(matrix, target, &is_in) {
            // Goes as far towards the least squares solution as all weights stay positive.
            let falling = (0..m).filter(|&j| is_in[j] && next[j] <= 0.0);
            let ways = falling.map(|j| (x[j] / (x[j] - next[j]), j));
            let Some((way, first)) = ways.reduce(|a, b| if b.0 < a.0 { b } else { a }) else {
                x = next;
                break;
            };
            let way = if way.is_finite() { way } else { 0.0 };
            x = &x + (next - &x) * way;
            is_in[first] = false;
            for j in 0..m {
                if !is_in[j] || x[j] <= 0.0 {
                    (x[j], is_in[j]) = (0.0, false);
                }
            }
        }
    }
    None
}

/// The least squares solution for the active columns, of least norm; `None` where the factorization fails.
fn least_squares(
    matrix: &DMatrix<f64>,
    target: &DVector<f64>,
    is_in: &[bool],
) -> Option<DVector<f64>> {
    let columns: Vec<usize> = (0..is_in.len()).filter(|&j| is_in[j]).collect();
    let mut solution = DVector::zeros(is_in.len());
    if columns.is_empty() {
        return Some(solution);
    }
    let part = matrix.select_columns(&columns);
    let decomposition = part.try_svd(true, true, f64::EPSILON, 1000)?;
    let zero = decomposition.singular_values.max() * matrix.nrows() as f64 * f64::EPSILON;
    let values = decomposition.solve(target, zero).ok()?;
    columns.iter().zip(values.iter()).for_each(|(&j, &value)| solution[j] = value);
    Some(solution)
}

#[cfg(test)]
mod tests {
    use nalgebra::{dmatrix, dvector};

    use super::*;
    use crate::{Contact, Mass};

    fn between(normals: &[[f64; 2]], restitution: f64, velocity: [f64; 2]) -> Option<DVector<f64>> {
        let contact = |normal: &[f64; 2]| {
            Contact::new(dvector![normal[0], normal[1]]).with_restitution(restitution)
        };
        let contacts = normals.iter().map(contact).collect();
        let mass = Mass::Matrix(dmatrix![2.0, 0.0; 0.0, 2.0]);
        proof(&Problem::new(mass, velocity.to_vec().into(), contacts).unwrap())
    }

    #[test]
    fn opposite_normals_are_a_proof_and_others_are_not() {
        let proof = between(&[[-1.0, 0.0], [1.0, 0.0]], 1.0, [1.0, 0.0]).expect("it is infeasible");
        assert!((proof - dvector![0.5, 0.5]).amax() < 1e-15);
        // Longer rows have smaller weights.
        let proof = between(&[[-1.0, 0.0], [3.0, 0.0]], 1.0, [1.0, 0.0]).expect("it is infeasible");
        assert!((proof - dvector![0.75, 0.25]).amax() < 1e-15);
        assert_eq!(between(&[[-1.0, 0.0], [1.0, 0.0]], 0.0, [1.0, 0.0]), None);
        assert_eq!(between(&[[-1.0, 0.0], [1.0, 0.0]], 1.0, [0.0, 1.0]), None);
        // A wedge of 1e-6 can separate, at a very high speed.
        assert_eq!(between(&[[-1.0, 1e-6], [1.0, 1e-6]], 1.0, [1.0, 0.0]), None);
    }

    #[test]
    fn three_normals_around_a_point_are_a_proof() {
        let third = 0.75_f64.sqrt();
        let normals = [[0.0, 1.0], [third, -0.5], [-third, -0.5]];
        let proof = between(&normals, 0.5, [0.1, -1.0]).expect("it is infeasible");
        assert!((proof - dvector![1.0, 1.0, 1.0] / 3.0).amax() < 1e-14);
    }

    /// Random fans of normals in three dimensions: there is a proof if and only if the normals do not fit in
    /// a half space. Checked by a motion that separates all of them, found by averaging corrections (the
    /// perceptron), which ends if there is one.
    #[test]
    fn random_normals_have_a_proof_or_a_motion() {
        use rand_chacha::{
            ChaCha8Rng,
            rand_core::{Rng, SeedableRng},
        };
        let mut random = ChaCha8Rng::seed_from_u64(7);
        let mut number = || f64::from(random.next_u32()) / f64::from(u32::MAX) - 0.5;
        let (mut proofs, mut motions) = (0, 0);
        for _ in 0..300 {
            let rows = DMatrix::from_fn(6, 3, |_, _| number()).map(|x| (8.0 * x).round() / 4.0);
            if rows.row_iter().any(|row| row.norm() == 0.0) {
                continue;
            }
            let contacts =
                rows.row_iter().map(|row| Contact::new(row.transpose()).with_restitution(1.0));
            let mass = Mass::Matrix(DMatrix::identity(3, 3));
            let velocity = DVector::from_fn(3, |_, _| number());
            let problem = Problem::new(mass, velocity, contacts.collect()).unwrap();
            let asked = problem.free_contact_velocity().map(|u| (-u).max(0.0));
            match proof(&problem) {
                Some(weights) => {
                    proofs += 1;
                    assert!(rows.tr_mul(&weights).amax() < 1e-14 && weights.min() >= 0.0);
                    assert!(weights.dot(&asked) > 1e-9);
                }
                None => {
                    motions += 1;
                    let mut motion = DVector::zeros(3);
                    let separates = (0..100_000).any(|_| {
                        let gaps = &rows * &motion - &asked;
                        let (worst, least) = gaps.argmin();
                        let row = rows.row(worst).transpose();
                        motion += &row * (1e-12 - least.min(0.0)) * (1.5 / row.norm_squared());
                        least >= -1e-9
                    });
                    assert!(separates, "{rows} {asked}");
                }
            }
        }
        assert!(proofs > 20 && motions > 20, "{proofs} {motions}");
    }
}
