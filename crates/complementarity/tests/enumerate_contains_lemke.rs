//! Lemke's answer is one of the solutions that enumeration finds, on 1000 small random problems.

use nalgebra::{DMatrix, DVector};
use percussion_complementarity::lcp::{Problem, Status, enumerate, lemke};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Both solvers accept a relative residual of `1e-9`; supports are compared at the same size.
const TOLERANCE: f64 = 1e-9;

#[test]
fn enumeration_contains_the_answer_of_lemke() {
    let mut random = ChaCha8Rng::seed_from_u64(2);
    type Family = fn(&mut ChaCha8Rng) -> Problem;
    let families: [(&str, Family); 5] = [
        ("positive definite", positive_definite),
        ("P-matrix", p_matrix),
        ("one contact", |random| contacts(random, 1)),
        ("two contacts", |random| contacts(random, 2)),
        ("integer copositive", integer_copositive),
    ];
    for (name, family) in families {
        for index in 0..200 {
            let problem = family(&mut random);
            let mut z = DVector::zeros(problem.dimension());
            let mut workspace = lemke::Workspace::new(problem.dimension());
            let report =
                lemke::solve(&problem, &lemke::Settings::default(), &mut workspace, &mut z)
                    .unwrap();
            let all = enumerate::solve(&problem, &enumerate::Settings::default()).unwrap();
            assert_eq!(all.unverified, 0, "{name} {index}");
            if report.status == Status::Solved {
                let piece = all.piece_with(&problem, &z, TOLERANCE);
                assert!(piece.is_some(), "{name} {index}: {z} is in none of {all:?}");
            } else {
                // Only on copositive problems may a path end on a ray although there is a solution.
                assert_eq!((name, report.status), ("integer copositive", Status::Ray));
            }
            if matches!(name, "positive definite" | "P-matrix") {
                assert_eq!(all.pieces.len(), 1, "{name} {index}: the solution is unique");
                // (1 + ‖M‖) / λ_min is below 10⁴ and the residual of Lemke's answer below 1e-10.
                let distance = (&all.vertices[0].z - &z).amax();
                assert!(distance <= 1e-6 * (1.0 + z.amax()), "{name} {index}");
            }
        }
    }
}

fn uniform(random: &mut ChaCha8Rng) -> f64 {
    2.0 * random.random::<f64>() - 1.0
}

fn uniform_matrix(random: &mut ChaCha8Rng, rows: usize, columns: usize) -> DMatrix<f64> {
    DMatrix::from_fn(rows, columns, |_, _| uniform(random))
}

fn uniform_vector(random: &mut ChaCha8Rng, n: usize) -> DVector<f64> {
    DVector::from_fn(n, |_, _| uniform(random))
}

/// `M = AᵀA + 10⁻² I`, `n ≤ 8`.
fn positive_definite(random: &mut ChaCha8Rng) -> Problem {
    let n = random.random_range(1..=8);
    let a = uniform_matrix(random, n, n);
    let m = a.transpose() * a + DMatrix::identity(n, n) * 1e-2;
    Problem::new(m, uniform_vector(random, n)).expect("the entries are finite")
}

/// A row diagonally dominant matrix with a positive diagonal, `n ≤ 8`: not positive definite in general.
fn p_matrix(random: &mut ChaCha8Rng) -> Problem {
    let n = random.random_range(1..=8);
    let mut m = uniform_matrix(random, n, n);
    for i in 0..n {
        m[(i, i)] = 0.0;
        let sum: f64 = m.row(i).iter().map(|value| value.abs()).sum();
        m[(i, i)] = sum + 0.1;
    }
    Problem::new(m, uniform_vector(random, n)).expect("the entries are finite")
}

/// The step problem of a planar body (mass 1 kg, inertia 0.1 kg m²) on the ground, unknowns
/// `(β, c_n, λ)`: `n = 4` for one contact, 8 for two. Falling flat (half the cases of two contacts)
/// the impulses are not unique.
fn contacts(random: &mut ChaCha8Rng, count: usize) -> Problem {
    let friction = random.random::<f64>();
    let flat = random.random::<bool>();
    let velocity = if flat {
        DVector::from_vec(vec![0.0, -1.0, 0.0])
    } else {
        DVector::from_vec(vec![uniform(random), -random.random::<f64>(), 2.0 * uniform(random)])
    };
    let weight = DMatrix::from_diagonal(&DVector::from_vec(vec![1.0, 1.0, 10.0]));
    let mut rows = DMatrix::zeros(3 * count, 3);
    let mut m = DMatrix::zeros(4 * count, 4 * count);
    for i in 0..count {
        let x = if flat { 0.5 - i as f64 } else { uniform(random) };
        rows.row_mut(2 * i).copy_from_slice(&[1.0, 0.0, 0.5]);
        rows.row_mut(2 * i + 1).copy_from_slice(&[-1.0, 0.0, -0.5]);
        rows.row_mut(2 * count + i).copy_from_slice(&[0.0, 1.0, x]);
        for k in [2 * i, 2 * i + 1] {
            m[(k, 3 * count + i)] = 1.0;
            m[(3 * count + i, k)] = -1.0;
        }
        m[(3 * count + i, 2 * count + i)] = friction;
    }
    m.view_mut((0, 0), (3 * count, 3 * count)).copy_from(&(&rows * weight * rows.transpose()));
    let mut q = DVector::zeros(4 * count);
    q.rows_mut(0, 3 * count).copy_from(&(&rows * velocity));
    Problem::new(m, q).expect("the entries are finite")
}

/// Entries from {0, 1, 2} plus a skew part from {−1, 0, 1}: copositive, often singular and degenerate.
fn integer_copositive(random: &mut ChaCha8Rng) -> Problem {
    let n = random.random_range(2..=6);
    let mut m = DMatrix::from_fn(n, n, |_, _| f64::from(random.random_range(0..=2)));
    for i in 0..n {
        for j in 0..i {
            let skew = f64::from(random.random_range(-1..=1));
            m[(i, j)] += skew;
            m[(j, i)] -= skew;
        }
    }
    let q = DVector::from_fn(n, |_, _| f64::from(random.random_range(-2..=2)));
    Problem::new(m, q).expect("the entries are finite")
}
