//! Units of mass, length and time change no status of a solver of complementarity problems, and no answer beyond the tolerance.
//!
//! Rows are speeds (m/s) or turning rates (rad/s), unknowns the percussions (N·s or N·m·s) that belong to them. With the
//! energy `e` and the velocity `s_i` of a row in other units, `w_i` becomes `s_i w_i`, `z_i` becomes `e z_i/s_i`, and so
//! `M_ij` becomes `s_i s_j M_ij/e`. Factors are not powers of two, so that all numbers are rounded once.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use nalgebra::{DMatrix, DVector};
use percussion_complementarity::lcp::{Method, Problem, Status, enumerate};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The tolerance of all solvers.
const TOLERANCE: f64 = 1e-9;

/// How many of our units one of the others is.
#[derive(Clone, Copy, Debug)]
struct Units {
    mass: f64,
    length: f64,
    time: f64,
}

impl Units {
    /// Each up to `10^±12`.
    fn random(random: &mut ChaCha8Rng) -> Self {
        let [mass, length, time] = [0; 3].map(|_| 10_f64.powf(random.random_range(-12.0..12.0)));
        Self { mass, length, time }
    }

    /// The value in the other units of a velocity of 1 in ours, for row `i`. Rows with odd numbers are turning rates.
    fn velocity(self, i: usize) -> f64 {
        if i % 2 == 1 { self.time } else { self.time / self.length }
    }

    /// The value in the other units of a percussion of 1 in ours, for row `i`.
    fn percussion(self, i: usize) -> f64 {
        let speed = self.time / self.length;
        speed * speed / self.mass / self.velocity(i)
    }

    fn problem(self, ours: &Problem) -> Problem {
        let (m, q) = (ours.matrix(), ours.vector());
        let matrix = DMatrix::from_fn(q.len(), q.len(), |i, j| {
            self.velocity(i) * m[(i, j)] / self.percussion(j)
        });
        let vector = DVector::from_fn(q.len(), |i, _| self.velocity(i) * q[i]);
        Problem::new(matrix, vector).unwrap()
    }

    /// An answer in our units.
    fn back(self, z: &DVector<f64>) -> DVector<f64> {
        DVector::from_fn(z.len(), |i, _| z[i] / self.percussion(i))
    }
}

fn all_answers(problem: &Problem) -> enumerate::SolutionSet {
    enumerate::solve(problem, &enumerate::Settings::default()).unwrap()
}

fn entries(random: &mut ChaCha8Rng, rows: usize, columns: usize) -> DMatrix<f64> {
    DMatrix::from_fn(rows, columns, |_, _| random.random_range(-1.0..1.0))
}

/// `Aᵀ A + S − Sᵀ + ½ I`: one answer, which depends on `q` by at most twice its change.
fn definite(random: &mut ChaCha8Rng) -> Problem {
    let n = random.random_range(1..7);
    let (a, s) = (entries(random, n, n), entries(random, n, n));
    let matrix = a.transpose() * &a + &s - s.transpose() + 0.5 * DMatrix::identity(n, n);
    let q = entries(random, n, 1).column(0).into_owned();
    Problem::new(matrix, q).unwrap()
}

/// Contacts of fewer bodies than contacts, with entries from {−2, …, 2}: often no answer, or many with the same `w`.
fn redundant(random: &mut ChaCha8Rng) -> Problem {
    let n = random.random_range(2..6);
    loop {
        let rows = DMatrix::from_fn(n, 2, |_, _| f64::from(random.random_range(-2_i8..3)));
        let matrix = &rows * rows.transpose();
        // Sweeps need an effect of each row on itself.
        if matrix.diagonal().min() > 0.0 {
            let q = DVector::from_fn(n, |_, _| f64::from(random.random_range(-2_i8..3)));
            return Problem::new(matrix, q).unwrap();
        }
    }
}

#[test]
fn definite_problems_have_the_same_answer_in_all_units() {
    let mut random = ChaCha8Rng::seed_from_u64(15);
    for case in 0..1000 {
        let ours = definite(&mut random);
        let units = Units::random(&mut random);
        let theirs = units.problem(&ours);
        let sets = [&ours, &theirs].map(all_answers);
        assert_eq!(sets.each_ref().map(|set| set.vertices.len()), [1, 1], "{case} {units:?}");
        let exact = &sets[0].vertices[0].z;
        let difference = (exact - units.back(&sets[1].vertices[0].z)).amax();
        assert!(difference <= 1e-12 * (1.0 + exact.amax()), "{case} {units:?}: {difference}");
        for method in Method::all().map(|method| method.with_tolerance(TOLERANCE)) {
            let what = format!("{case} {} {units:?}", method.name());
            let [here, there] = [&ours, &theirs].map(|problem| method.solve(problem).unwrap());
            // Sweeps do not converge for every matrix that is not symmetric.
            assert_eq!(here.report.status, there.report.status, "{what}");
            if here.report.status != Status::Solved {
                assert_eq!(method.name(), "projected-gauss-seidel", "{what}");
                continue;
            }
            let z = units.back(&there.z);
            assert!(ours.relative_residual(&z) <= 2.0 * TOLERANCE, "{what}");
            // An answer whose natural map is ρ is within (1 + ‖M‖) ρ/½ of the exact one.
            let residual = ours.natural_map_residual(&z) * (z.len() as f64).sqrt();
            let bound = 2.0 * (1.0 + ours.matrix().norm()) * residual + 1e-12;
            assert!((exact - z).norm() <= bound, "{what}");
        }
    }
}

#[test]
fn redundant_problems_have_the_same_status_in_all_units() {
    let mut random = ChaCha8Rng::seed_from_u64(16);
    let mut found = [0, 0];
    // The basis {0, 3, 4} of case 4588 has rows of the sizes 1e-8 and 1, and 13364 is like it.
    for case in 0..20_000 {
        let ours = redundant(&mut random);
        let units = Units::random(&mut random);
        let theirs = units.problem(&ours);
        let sets = [&ours, &theirs].map(all_answers);
        let counts = |set: &enumerate::SolutionSet| {
            (set.vertices.len(), set.rays.len(), set.pieces.len(), set.unverified)
        };
        assert_eq!(counts(&sets[0]), counts(&sets[1]), "{case} {units:?}");
        for (vertex, other) in sets[0].vertices.iter().zip(&sets[1].vertices) {
            let difference = (&vertex.z - units.back(&other.z)).amax();
            assert!(difference <= 1e-12 * (1.0 + vertex.z.amax()), "{case} {units:?}");
        }
        let has_answer = !sets[0].vertices.is_empty();
        found[usize::from(has_answer)] += 1;
        // The others take longer.
        if case >= 1000 {
            continue;
        }
        for method in Method::all().map(|method| method.with_tolerance(TOLERANCE)) {
            let what = format!("{case} {} {units:?}", method.name());
            let [here, there] = [&ours, &theirs].map(|problem| method.solve(problem).unwrap());
            let solved = [&here, &there].map(|solution| solution.report.status == Status::Solved);
            assert_eq!(solved, [has_answer; 2], "{what}: {here:?} {there:?}");
            if solved == [true; 2] {
                // The velocities are unique, since M is symmetric and semidefinite.
                let back = ours.slack(&units.back(&there.z));
                assert!(ours.relative_residual(&units.back(&there.z)) <= 2.0 * TOLERANCE, "{what}");
                let difference = (here.w - back).amax();
                assert!(difference <= 1e-4, "{what}: {difference}");
            }
        }
    }
    assert!(found.iter().all(|count| *count > 30), "{found:?}");
}
