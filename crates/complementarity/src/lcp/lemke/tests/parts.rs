//! Tests of the parts of Lemke's method: paths and their covering vectors, reading, refinement and correction of answers.
#![expect(clippy::float_cmp, reason = "these numbers are exact, or the same twice")]

use nalgebra::{DMatrix, DVector, dmatrix, dvector};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{super::follow, murty, problem, run, solve_with_covering_vector};
use crate::lcp::{
    Problem, Status,
    lemke::{End, Settings, Workspace},
};

fn random_matrix(random: &mut ChaCha8Rng, n: usize) -> DMatrix<f64> {
    DMatrix::from_fn(n, n, |_, _| random.random_range(-1.0..1.0))
}

/// A workspace after the first path through `problem`.
fn followed(problem: &Problem) -> (Workspace, End) {
    let mut workspace = Workspace::new(problem.dimension());
    workspace.judge.prepare(problem);
    workspace.cover(problem, None, 0);
    let Workspace { dictionary, covering, ratio, .. } = &mut workspace;
    dictionary.load(problem, covering);
    let end = follow(dictionary, ratio, 1000, &mut 0);
    (workspace, end)
}

/// The fractional part of `k ((i + 1) φ + √2)`, with the golden ratio `φ`.
fn stated_spread(k: usize, i: usize) -> f64 {
    let [k, i] = [k, i + 1].map(|x| x as f64);
    let share = k * (i * 0.5 * (5.0_f64.sqrt() - 1.0) + 2.0_f64.sqrt() - 1.0);
    share - share.floor()
}

#[test]
fn covering_vectors_are_ones_then_vary_between_one_and_two() {
    let two =
        problem(dmatrix![4.0, 0.0, 0.0; 0.0, 1.0, 0.0; 0.0, 0.0, 0.25], dvector![-1.0, 0.0, 1.0]);
    let mut workspace = Workspace::new(3);
    workspace.cover(&two, None, 0);
    assert_eq!(workspace.covering, [1.0; 3]);
    for attempt in 1..6 {
        // Also after the caller's vector, which is used once.
        for own in [None, Some(&dvector![1.0, 2.0, 3.0])] {
            workspace.cover(&two, own, attempt);
            for (i, d) in workspace.covering.iter().enumerate() {
                assert!((d - 1.0 - stated_spread(attempt, i)).abs() <= 1e-13, "{attempt} {i}");
            }
        }
    }
    // Scaled by r = (1/2, 1, 2), and the largest is one.
    for size in [1.0, 1e-300, 1e300] {
        workspace.cover(&two, Some(&(dvector![1.0, 2.0, 3.0] * size)), 0);
        let found = DVector::from_column_slice(&workspace.covering);
        assert!((found - dvector![0.5, 2.0, 6.0] / 6.0).amax() <= 1e-15, "{size}");
    }
}

/// Of a failed first path the pivots count, and each further path is that of its covering vector alone.
#[test]
fn paths_follow_one_another_with_their_covering_vectors() {
    let mut random = ChaCha8Rng::seed_from_u64(91);
    let mut later = [0; 3];
    for _ in 0..1500 {
        // Definite problems of up to four unknowns take no path.
        let n = random.random_range(5..10);
        // Strong coupling, so that paths end on rays although there are solutions.
        let mut matrix = random_matrix(&mut random, n) * 3.0;
        matrix.fill_diagonal(random.random_range(0.1..1.0));
        let indefinite =
            problem(matrix, DVector::from_fn(n, |_, _| random.random_range(-1.0..0.2)));
        let single = |attempt: usize| {
            let row = |i: usize| {
                let diagonal = indefinite.matrix()[(i, i)];
                // Of scaled rows: r_i² M_ii is in [1, 4), with powers of two.
                let mut r = 1.0;
                while diagonal * r * r >= 4.0 {
                    r *= 0.5;
                }
                while diagonal * r * r < 1.0 {
                    r *= 2.0;
                }
                (1.0 + stated_spread(attempt, i)) / r
            };
            let covering = DVector::from_fn(n, |i, _| row(i));
            let settings = Settings { restarts: 0, ..Settings::default() };
            let (mut workspace, mut z) = (Workspace::new(n), DVector::zeros(n));
            solve_with_covering_vector(&indefinite, &covering, &settings, &mut workspace, &mut z)
                .unwrap()
        };
        let (report, z, _) = run(&indefinite, &Settings::default());
        let mut pivots = 0;
        let first = (0..5).find(|&attempt| {
            let single = single(attempt);
            pivots += single.iterations;
            single.status == Status::Solved
        });
        assert_eq!(report.iterations, pivots, "{indefinite:?}");
        assert_eq!(report.status == Status::Solved, first.is_some(), "{indefinite:?}");
        // Where a quick bound of it is enough, the report has that.
        let same = |a: f64, b: f64| (a - b).abs() <= 1e-10;
        assert!(same(report.residual, indefinite.natural_map_residual(&z)), "{report:?}");
        assert!(same(report.relative_residual, indefinite.relative_residual(&z)), "{report:?}");
        // Nothing to do is an answer, too.
        let nothing = indefinite.relative_residual(&DVector::zeros(n));
        assert!(report.relative_residual <= nothing, "{report:?} {nothing}");
        later[first.map_or(2, |attempt| attempt.min(1))] += 1;
    }
    assert!(later.iter().all(|count| *count > 0), "{later:?}");
}

/// A path of more than `20 n` pivots is left for another covering vector, and resumed when that fails. Murty's problem
/// takes `2ⁿ` pivots with ones, and with another covering vector `c` if its rows are multiplied by `c`. Two that do not
/// touch each other take the sum of their pivots.
#[test]
fn a_long_path_is_resumed_at_last() {
    let one = murty(10);
    let n = 2 * one.dimension();
    let spread = |i: usize| 1.0 + stated_spread(1, i);
    let (mut matrix, mut vector) = (DMatrix::zeros(n, n), DVector::zeros(n));
    for i in 0..10 {
        for j in 0..10 {
            let entry = one.matrix()[(i, j)];
            (matrix[(i, j)], matrix[(10 + i, 10 + j)]) = (entry, entry * spread(10 + i));
        }
        (vector[i], vector[10 + i]) = (one.vector()[i], one.vector()[i] * spread(10 + i));
    }
    let long = problem(matrix, vector);
    let alone = |covering: DVector<f64>| {
        let settings = Settings { restarts: 0, ..Settings::default() };
        let (mut workspace, mut z) = (Workspace::new(n), DVector::zeros(n));
        let report =
            solve_with_covering_vector(&long, &covering, &settings, &mut workspace, &mut z);
        report.unwrap().iterations
    };
    let first = alone(DVector::from_element(n, 1.0));
    let second = alone(DVector::from_fn(n, |i, _| spread(i)));
    assert!(first.min(second) >= 1024, "{first} {second}");
    let of = |pivot_limit: usize, restarts: usize| {
        let report = run(&long, &Settings { pivot_limit, restarts, ..Settings::default() }).0;
        (report.status, report.iterations)
    };
    assert_eq!(of(10_000, 0), (Status::Solved, first));
    assert_eq!(of(10_000, 1), (Status::Solved, 400 + 400 + first));
    assert_eq!(of(1000, 1), (Status::IterationLimit, 400 + 400 + 1000));
    // Paths that end at the limit of the caller are not resumed.
    assert_eq!(of(100, 1), (Status::IterationLimit, 100 + 100));
    assert_eq!(of(400, 1), (Status::IterationLimit, 400 + 400));
}

/// By hand, with the artificial variable in the basis: what is basic has its value, and all else is zero.
#[test]
fn a_candidate_is_read_from_the_basis() {
    let three =
        problem(dmatrix![1.0, 0.5, 0.0; 0.0, 1.0, 0.0; 0.0, 0.0, 1.0], dvector![-1.0, -1.5, -1.25]);
    let mut workspace = Workspace::new(3);
    workspace.judge.prepare(&three);
    workspace.cover(&three, None, 0);
    workspace.dictionary.load(&three, &workspace.covering);
    // t = 1.5 enters in row 1, w = (0.5, 0, 0.25); then z_1 in row 0 with entry 1: t and w_2 stay, w_0 = 0.5 + z_0 …
    workspace.dictionary.pivot(1, 3);
    workspace.dictionary.pivot(0, 0);
    // A tolerance that every candidate meets, so that none is corrected.
    let residuals = workspace.extract(&three, 1e9);
    // w_0 = −1 + z_0 + t = 0 with t = 1.5: z_0 = −0.5, which is taken as zero.
    assert_eq!(workspace.candidate, dvector![0.0, 0.0, 0.0]);
    assert!((residuals.relative - three.relative_residual(&workspace.candidate)).abs() <= 1e-15);
    // z_1 in row 0 instead: −1 + z_1/2 + t = 0 and w_1 = −1.5 + z_1 + t = 0, so z_1 = 1 and t = 1/2.
    workspace.dictionary.load(&three, &[1.0; 3]);
    workspace.dictionary.pivot(1, 3);
    workspace.dictionary.pivot(0, 1);
    workspace.extract(&three, 1e9);
    assert_eq!(workspace.candidate, dvector![0.0, 1.0, 0.0]);
}

/// The basis of one problem refines the answer of another with a slightly different vector or matrix, because its
/// inverse is known: to rounding in one step, or by the square of the difference.
#[test]
fn answers_are_refined_by_the_inverse_of_the_basis() {
    let mut random = ChaCha8Rng::seed_from_u64(92);
    let mut refined = 0;
    for _ in 0..200 {
        let n = random.random_range(1..8);
        let scale = DVector::from_fn(n, |_, _| 2.0_f64.powi(random.random_range(-6..6)));
        let diagonal = DMatrix::from_diagonal(&scale);
        let factor = random_matrix(&mut random, n);
        let skew = random_matrix(&mut random, n);
        let matrix = &diagonal
            * (&factor * factor.transpose() + DMatrix::identity(n, n) + &skew - skew.transpose())
            * &diagonal;
        let vector = DVector::from_fn(n, |i, _| scale[i] * random.random_range(-1.0..0.3));
        if vector.min() >= 0.0 {
            continue;
        }
        let (mut workspace, end) = followed(&problem(matrix.clone(), vector.clone()));
        assert_eq!(end, End::Solution);
        for size in [1e-3, 1e-7] {
            let change = DVector::from_fn(n, |i, _| scale[i] * random.random_range(-size..size));
            let near = problem(matrix.clone(), &vector + change);
            // One path, at whose end the workspace has the basis of the answer.
            let (_, z, other) = run(&near, &Settings { restarts: 0, ..Settings::default() });
            let basis =
                |w: &Workspace| (0..n).map(|row| w.dictionary.basic(row)).collect::<Vec<_>>();
            let (mut first, mut second) = (basis(&workspace), basis(&other));
            first.sort_unstable();
            second.sort_unstable();
            if first != second {
                continue;
            }
            refined += 1;
            // With a tolerance that the unrefined answer misses, and with one that it meets.
            for tolerance in [1e-12, 1e-1] {
                workspace.judge.prepare(&near);
                let residuals = workspace.extract(&near, tolerance);
                assert!(residuals.relative <= 1e-12, "{size} {tolerance} {residuals:?}");
                let error = (&workspace.candidate - &z).component_mul(&scale).amax();
                assert!(error <= 1e-11, "{size} {tolerance} {error}");
            }
        }
    }
    assert!(refined > 200, "{refined}");
}

/// Rows that approach without an impulse get it from their own diagonal entry, all others keep theirs.
#[test]
fn rows_that_approach_are_stopped_by_their_own_unknown() {
    let apart = |diagonal: [f64; 4], vector: [f64; 4], candidate: [f64; 4]| {
        let matrix = DMatrix::from_diagonal(&DVector::from_row_slice(&diagonal));
        let problem = problem(matrix, DVector::from_row_slice(&vector));
        let mut workspace = Workspace::new(4);
        workspace.judge.prepare(&problem);
        workspace.candidate = DVector::from_row_slice(&candidate);
        workspace.judge.add_up(&problem, &workspace.candidate.clone(), true);
        let residuals = workspace.polish(&problem, 1e-9);
        let relative = problem.relative_residual(&workspace.candidate);
        assert_eq!(residuals.relative, relative, "{:?}", workspace.candidate);
        workspace.candidate.as_slice().to_vec()
    };
    let diagonal = [4.0, 2.0, 8.0, 1.0];
    assert_eq!(
        apart(diagonal, [-1.0, -1.0, -2.0, 5.0], [0.0, 0.5, 0.0, 0.0]),
        [0.25, 0.5, 0.25, 0.0]
    );
    assert_eq!(
        apart(diagonal, [-1.0, -1.0, -2.0, 5.0], [0.0, 0.25, 0.0, 0.0]),
        [0.25, 0.25, 0.25, 0.0]
    );
    assert_eq!(apart(diagonal, [1.0, -1.0, 2.0, 5.0], [0.0, 0.5, 0.0, 0.0]), [0.0, 0.5, 0.0, 0.0]);
    // Nothing stops a row without a diagonal entry.
    assert_eq!(
        apart([4.0, 2.0, 0.0, -1.0], [-1.0, 1.0, -2.0, -5.0], [0.0; 4]),
        [0.25, 0.0, 0.0, 0.0]
    );
}

/// An impulse that pushes another row apart more than it helps its own is not taken.
#[test]
fn a_correction_that_makes_other_rows_worse_is_not_taken() {
    let coupled = problem(dmatrix![1.0, 0.0; -50.0, 1.0], dvector![-1.0, 1.0]);
    let mut workspace = Workspace::new(2);
    workspace.judge.prepare(&coupled);
    workspace.judge.add_up(&coupled, &DVector::zeros(2), true);
    workspace.candidate = DVector::zeros(2);
    let before = coupled.relative_residual(&DVector::zeros(2));
    let residuals = workspace.polish(&coupled, 1e-9);
    let after = coupled.relative_residual(&workspace.candidate);
    assert_eq!(residuals.relative, after);
    assert!(after <= before, "{after} {before}");
}

#[test]
fn a_tolerance_of_zero_is_one() {
    let exact = problem(dmatrix![2.0, 0.0; 0.0, 1.0], dvector![-1.0, -4.0]);
    let (report, z, _) = run(&exact, &Settings { tolerance: 0.0, ..Settings::default() });
    assert_eq!((report.status, z), (Status::Solved, dvector![0.5, 4.0]));
}

/// The ray of the first path is kept, with its covering vector of ones.
#[test]
fn the_first_of_several_rays_is_kept() {
    let game = problem(
        dmatrix![
            0.0, 0.0, 10.0, 20.0;
            0.0, 0.0, 30.0, 15.0;
            10.0, 20.0, 0.0, 0.0;
            30.0, 15.0, 0.0, 0.0
        ],
        DVector::from_element(4, -1.0),
    );
    let (_, _, workspace) = run(&game, &Settings::default());
    let covering = &workspace.ray().unwrap().covering;
    assert!((covering / covering[0]).add_scalar(-1.0).amax() <= 1e-15, "{covering}");
}
