//! Tests of the residuals of linear complementarity problems.

mod definition;

use nalgebra::{DMatrix, dmatrix, dvector};
use proptest::prelude::*;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use self::definition::Stated;
use super::*;
use crate::lcp::{Method, Status, enumerate};

/// Symptom: projected Gauss–Seidel reported `w = (1.75, 0)` as solved and Fischer–Burmeister `(1.33, 0.67)`, instead
/// of `(1, 0)`. Cause: `min(z_i, w_i)` compared impulses of some `10⁻¹⁰ N·s` with velocities of 1 m/s and took the
/// impulses. Expected: the second contact stops with `2·10⁻¹⁰ N·s` and the first opens at 1 m/s.
#[test]
fn light_bodies_are_judged_by_velocities() {
    let problem = Problem::new(dmatrix![2e10, 1e10; 1e10, 2e10], dvector![-1.0, -4.0]).unwrap();
    for method in Method::all() {
        let solution = method.solve(&problem).unwrap();
        assert_eq!(solution.report.status, Status::Solved, "{}", method.name());
        assert!((solution.w - dvector![1.0, 0.0]).amax() < 1e-9, "{}", method.name());
        assert!((solution.z * 1e10 - dvector![0.0, 2.0]).amax() < 1e-9, "{}", method.name());
    }
}

/// Decoupled rows in different units: a value that is negligible in the first row is the whole size of the second.
#[test]
fn rows_in_other_units_count_by_themselves() {
    let problem = Problem::new(dmatrix![1e6, 0.0; 0.0, 1e-6], dvector![-1.0, -1e-6]).unwrap();
    assert!(problem.relative_residual(&dvector![1e-6, 1.0]) < 1e-15);
    assert!(problem.relative_residual(&dvector![1e-6, 0.0]) > 0.9);
    assert!(problem.relative_residual(&dvector![0.0, 1.0]) > 0.9);
}

/// `w = (−1, −1)` for all `z = (t, t)`: entries of `10¹⁵` do not reduce the residual.
#[test]
fn huge_entries_that_cancel_loosen_nothing() {
    let problem = Problem::new(dmatrix![1.0, -1.0; -1.0, 1.0], dvector![-1.0, -1.0]).unwrap();
    for t in [1.0, 1e6, 1e15, 1e200] {
        assert!(problem.relative_residual(&dvector![t, t]) >= 1.0, "{t}");
    }
    for method in Method::all() {
        let report = method.solve(&problem).unwrap().report;
        assert_ne!(report.status, Status::Solved, "{}", method.name());
    }
}

/// `(1 + 2⁻³⁰)` times `10⁸ (1 − 2⁻³⁰)` is `10⁸ (1 − 2⁻⁶⁰)`, which rounds to `10⁸`: in plain sums the first row is exactly zero.
#[test]
fn rows_that_cancel_are_added_up_again() {
    let tiny = 2.0_f64.powi(-30);
    let problem = Problem::new(dmatrix![1.0 + tiny, -1.0; 0.0, 1.0], dvector![0.0, -1.0]).unwrap();
    let z = dvector![1e8 * (1.0 - tiny), 1e8];
    assert!(problem.slack(&z)[0].abs() <= 0.0, "plain");
    let mut judge = Judge::new(&problem);
    judge.residuals(&problem, &z);
    assert!((judge.slack[0] / (-1e8 * tiny * tiny) - 1.0).abs() < 1e-12, "{judge:?}");
}

/// Multiplication of rows and unknowns by any factor does not change the residual of an answer.
#[test]
fn units_of_rows_and_of_unknowns_may_differ() {
    let (m, q) = (dmatrix![2.0, 1.0; 1.0, 2.0], dvector![-1.0, -4.0]);
    let (rows, columns) = ([1e-30, 1e25], [1e40, 1e-35]);
    let scaled = Problem::new(
        DMatrix::from_fn(2, 2, |i, j| rows[i] * m[(i, j)] * columns[j]),
        dvector![q[0] * rows[0], q[1] * rows[1]],
    )
    .unwrap();
    let plain = Problem::new(m, q).unwrap();
    for z in [[0.0, 2.0], [0.5, 1.75], [0.0, 1.9], [0.1, 2.0], [0.0, 0.0]] {
        let expected = plain.relative_residual(&dvector![z[0], z[1]]);
        let found = scaled.relative_residual(&dvector![z[0] / columns[0], z[1] / columns[1]]);
        assert!((found - expected).abs() <= 1e-14, "{z:?} {found} {expected}");
    }
}

/// `w = (-1, 1)`, which is lost between unknowns of 1e34 even in compensated sums.
#[test]
fn what_no_sum_can_tell_is_not_taken_for_zero() {
    let problem = Problem::new(dmatrix![1.57, -1.57; 0.03, -0.03], dvector![-1.0, 1.0]).unwrap();
    for z in [1e3, 1e30, 7.255049597929679e33, 1e100, 1e300] {
        let found = problem.relative_residual(&dvector![z, z]);
        assert!(found > 0.5, "{z:e}: {found:e}");
    }
}

fn sizes_of(problem: &Problem) -> Vec<f64> {
    let mut found = vec![0.0; problem.dimension()];
    sizes(problem, &mut found, &mut Vec::new());
    found
}

/// A row of balls of which only the first is struck: the effect on the last one is a fraction of that.
#[test]
fn rows_without_a_vector_of_their_own_have_the_size_of_what_reaches_them() {
    let matrix = dmatrix![2.0, -1.0, 0.0; -1.0, 2.0, -1.0; 0.0, -1.0, 2.0];
    let problem = Problem::new(matrix, dvector![-4.0, 0.0, 0.0]).unwrap();
    assert_eq!(sizes_of(&problem), [4.0, 2.0, 1.0]);
    // In the reverse direction, through an unknown without a diagonal entry, and through a pair that would raise one
    // another.
    let matrix = dmatrix![2.0, -1.0, 0.0; -1.0, 2.0, -1.0; 0.0, -1.0, 2.0];
    let problem = Problem::new(matrix, dvector![0.0, 0.0, -4.0]).unwrap();
    assert_eq!(sizes_of(&problem), [1.0, 2.0, 4.0]);
    let problem = Problem::new(dmatrix![0.0, 3.0; -3.0, 1.0], dvector![0.0, -4.0]).unwrap();
    assert_eq!(sizes_of(&problem), [12.0, 4.0]);
    let problem = Problem::new(dmatrix![1.0, 100.0; 100.0, 1.0], dvector![-1.0, 0.0]).unwrap();
    assert!((sizes_of(&problem)[1] - 1.0).abs() < 1e-14);
}

#[test]
fn each_part_of_the_conditions_counts() {
    let problem = Problem::new(dmatrix![2.0, 1.0; 1.0, 2.0], dvector![-1.0, -4.0]).unwrap();
    let of = |z| problem.relative_residual(&z);
    assert!(of(dvector![0.0, 2.0]) < 1e-15);
    // Adhesion, approach, and both impulse and velocity.
    assert!(of(dvector![-0.1, 2.05]) > 0.09);
    assert!(of(dvector![0.0, 1.9]) > 0.01);
    assert!(of(dvector![0.0, 0.0]) > 0.9);
    assert!(of(dvector![0.1, 2.0]) > 0.09);
    assert!(of(dvector![f64::NAN, 2.0]).is_infinite());
    assert!(of(dvector![f64::INFINITY, 2.0]).is_infinite());
    assert!(problem.natural_map_residual(&dvector![0.0, f64::NAN]).is_infinite());
    // By hand: w = (1.1, 0.2) with z = (0, 2.1).
    let residual = problem.natural_map_residual(&dvector![0.0, 2.1]);
    assert!((residual - 0.2).abs() < 1e-14, "{residual}");
}

#[test]
fn without_a_vector_answers_are_compared_with_themselves() {
    let problem = Problem::new(dmatrix![1.0, -1.0; -1.0, 1.0], dvector![0.0, 0.0]).unwrap();
    assert!(problem.relative_residual(&dvector![3.0, 3.0]) <= 0.0);
    assert!(problem.relative_residual(&dvector![3.0, 2.0]) > 0.1);
    assert!(problem.relative_residual(&dvector![3e-200, 2e-200]) > 0.1);
    let idle = Problem::new(dmatrix![0.0], dvector![1.0]).unwrap();
    assert!(idle.relative_residual(&dvector![0.0]) <= 0.0);
    assert!(idle.relative_residual(&dvector![5.0]) > 0.9, "w z = 5");
}

/// Symptom: for `w = (z₁ − z₀, z₀ − z₁, 1)` an answer with `z₀` and `z₁` one rounding apart had an infinite
/// residual. Cause: no term of the problem reaches the first two rows, so their size was zero. Expected: they are
/// compared with their own terms.
#[test]
fn rows_that_nothing_reaches_are_compared_with_the_answer() {
    let matrix = dmatrix![-1.0, 1.0, 0.0; 1.0, -1.0, 0.0; 0.0, 0.0, 1.0];
    let problem = Problem::new(matrix, dvector![0.0, 0.0, 1.0]).unwrap();
    for size in [1e-200, 1.0, 1e200] {
        let of = |error: f64| problem.relative_residual(&dvector![size, size * (1.0 - error), 0.0]);
        assert!(of(f64::EPSILON) < 1e-15 && of(1e-8) > 4e-9 && of(0.5) > 0.3, "{size:e}");
    }
}

/// `M = AᵀA + I` with rows and columns in units `10^±12` apart.
fn in_units(a: &[f64], q: &[f64], units: &[f64]) -> Problem {
    let n = q.len();
    let a = DMatrix::from_column_slice(n, n, a);
    let m = a.transpose() * &a + DMatrix::identity(n, n);
    let scaled = DMatrix::from_fn(n, n, |i, j| units[i] * m[(i, j)] * units[j]);
    Problem::new(scaled, DVector::from_fn(n, |i, _| units[i] * q[i])).unwrap()
}

proptest! {
    /// `z → D⁻¹ z`, `w → D w` with factors of `10^±12`, and impulses and velocities by a further one each: all
    /// methods find the same answer, and each contact is judged in its own unit.
    #[test]
    fn units_change_no_status_and_no_answer(
        a in prop::collection::vec(-1.0..1.0, 16),
        q in prop::collection::vec(-1.0..1.0, 4),
        exponents in prop::collection::vec(-12.0..12.0, 4),
        mass in -12.0..12.0,
    ) {
        let unit = |exponent: &f64| 10_f64.powf(exponent + 0.5 * mass);
        let units: Vec<f64> = exponents.iter().map(unit).collect();
        let plain = in_units(&a, &q, &[1.0; 4]);
        let problem = in_units(&a, &q, &units);
        let all = enumerate::solve(&plain, &enumerate::Settings::default()).unwrap();
        let expected = &all.vertices[0].z;
        for method in Method::all() {
            let solution = method.solve(&problem).unwrap();
            prop_assert_eq!(solution.report.status, Status::Solved, "{}", method.name());
            for i in 0..4 {
                // λ_min ≥ 1 and ‖M‖ ≤ 17: residuals of 1e-10 in units that fit to a factor of 4 are within 18 · 4² · 2 · 1e-10.
                let z = solution.z[i] * units[i];
                prop_assert!((z - expected[i]).abs() <= 1e-7, "{} {i}: {z} {expected}", method.name());
            }
        }
    }

    /// Powers of four do not change any residual; those of rows and columns are applied together.
    #[test]
    fn powers_of_four_change_no_residual(
        a in prop::collection::vec(-1.0..1.0, 9),
        q in prop::collection::vec(-1.0..1.0, 3),
        z in prop::collection::vec(0.0..1.0, 3),
        exponents in prop::collection::vec(-20_i32..20, 3),
    ) {
        let units: Vec<f64> = exponents.iter().map(|&exponent| 4_f64.powi(exponent)).collect();
        let plain = in_units(&a, &q, &[1.0; 3]).relative_residual(&DVector::from_vec(z.clone()));
        let scaled = DVector::from_fn(3, |i, _| z[i] / units[i]);
        let found = in_units(&a, &q, &units).relative_residual(&scaled);
        prop_assert!((found - plain).abs() <= 1e-15 * plain, "{found} {plain}");
    }
}

/// One contact of Stewart and Trinkle's step that slips with 0.055 m/s and cannot move along its second tangent. The
/// responses to friction along that tangent are rounding.
fn slip_beside_an_immovable_tangent(friction: f64, directions: usize, turn: f64) -> Problem {
    let corner = |i: usize| {
        let angle = std::f64::consts::TAU * i as f64 / directions as f64 + turn;
        [angle.cos(), angle.sin()]
    };
    // The tangents, turned by −`turn`, along the direction of motion.
    let along = |[x, y]: [f64; 2]| x * turn.cos() + y * turn.sin();
    let n = directions + 2;
    let (normal, slip) = (directions, directions + 1);
    let (mut matrix, mut vector) = (DMatrix::zeros(n, n), DVector::zeros(n));
    for i in 0..directions {
        let half = directions / 2;
        let signed = |i: usize| if i < half { along(corner(i)) } else { -along(corner(i - half)) };
        for j in 0..directions {
            matrix[(i, j)] = 0.1 * signed(i) * signed(j);
        }
        (matrix[(i, slip)], matrix[(slip, i)]) = (1.0, -1.0);
        vector[i] = -0.055 * signed(i);
    }
    matrix[(normal, normal)] = 0.0125;
    vector[normal] = -0.01;
    matrix[(slip, normal)] = friction;
    Problem::new(matrix, vector).unwrap()
}

/// Symptom: Stewart–Trinkle steps ignored friction coefficients where bodies cannot move along one of the tangents: a
/// wheel on a slide rolled with twice the friction that 0.5 allows, and with any other coefficient, and the step was solved.
/// Cause: an unknown of rounding entries made the size of the row of the cone 10¹⁶ times too large.
/// Expected: a row that is wrong by its own terms is never solved.
#[test]
fn entries_that_are_rounding_do_not_excuse_other_rows() {
    for directions in [4, 8, 12, 16] {
        for turn in [0.0, 0.3, 1.0] {
            for friction in [0.0, 1e-3, 0.5] {
                let problem = slip_beside_an_immovable_tangent(friction, directions, turn);
                for method in Method::all() {
                    // Projected Gauss–Seidel refuses the zero on the diagonal.
                    let Ok(solution) = method.solve(&problem) else { continue };
                    let z = &solution.z;
                    let cone = friction * z[directions] - z.rows(0, directions).sum();
                    let solved = solution.report.status == Status::Solved;
                    assert!(
                        !solved || cone > -1e-7,
                        "{} {directions} {turn} {friction}: {cone}",
                        method.name()
                    );
                }
                let mut wrong = DVector::zeros(directions + 2);
                (wrong[1], wrong[directions]) = (0.79, 0.8);
                let residual = problem.relative_residual(&wrong);
                assert!(residual > 1e-4, "{directions} {turn} {friction}: {residual}");
            }
        }
    }
}

/// Problems of one to five rows with zeros, equal entries, indefinite and semidefinite matrices, and rows and columns in
/// their own units; answers with zeros, a few negative entries, and any size.
fn stated(random: &mut ChaCha8Rng) -> Stated {
    let n = random.random_range(1..=5);
    let integers = random.random_bool(0.3);
    let empty = [0.0, 0.3, 0.6][random.random_range(0..3)];
    let number = |random: &mut ChaCha8Rng| {
        if random.random_bool(empty) {
            0.0
        } else if integers {
            f64::from(random.random_range(-3..=3_i32))
        } else {
            random.random_range(-1.0..1.0)
        }
    };
    let mut matrix: Vec<Vec<f64>> =
        (0..n).map(|_| (0..n).map(|_| number(random)).collect()).collect();
    if random.random_bool(0.5) {
        let a = matrix.clone();
        let product = |i: usize, j: usize| (0..n).map(|k| a[i][k] * a[j][k]).sum();
        matrix = (0..n).map(|i| (0..n).map(|j| product(i, j)).collect()).collect();
    }
    let mut vector: Vec<f64> = (0..n).map(|_| number(random)).collect();
    let mut answer: Vec<f64> = (0..n).map(|_| number(random).abs()).collect();
    if random.random_bool(0.2) {
        answer[0] = -answer[0];
    }
    let size = 10_f64.powi([0, 0, 0, 2, 9, 20][random.random_range(0..6)]);
    answer.iter_mut().for_each(|z| *z *= size);
    if random.random_bool(0.5) {
        // Rows that the answer fulfills, or almost.
        for i in 0..n {
            let sum: f64 = (0..n).map(|j| matrix[i][j] * answer[j]).sum();
            if random.random_bool(0.8) {
                vector[i] =
                    -sum * (1.0 + [0.0, 3e-9, 1e-5, 3e-4, -3e-4][random.random_range(0..5)]);
            }
        }
    }
    let decades = [0.0, 0.0, 1.5, 8.0][random.random_range(0..4)];
    let unit = |random: &mut ChaCha8Rng| 10_f64.powf(random.random_range(-1.0..=1.0) * decades);
    let same = random.random_bool(0.5);
    for i in 0..n {
        let row = unit(random);
        let column = if same { row } else { unit(random) };
        matrix[i].iter_mut().for_each(|entry| *entry *= row);
        vector[i] *= row;
        matrix.iter_mut().for_each(|row| row[i] *= column);
        answer[i] /= column;
    }
    Stated { matrix, vector, answer }
}

fn assert_near(found: f64, expected: f64, what: &str, stated: &Stated) {
    let near = (found - expected).abs() <= 1e-9 * found.abs().max(expected);
    assert!(near, "{what} {found:e}, by definition {expected:e}: {stated:?}");
}

#[test]
fn residuals_are_those_of_the_definition() {
    let mut random = ChaCha8Rng::seed_from_u64(18);
    let mut judge = Judge::default();
    let mut counts = [0; 3];
    for _ in 0..20_000 {
        let stated = stated(&mut random);
        let n = stated.vector.len();
        let free = if random.random_bool(0.2) { random.random_range(0..n) } else { 0 };
        let defined = stated.defined(free);
        let matrix = DMatrix::from_fn(n, n, |i, j| stated.matrix[i][j]);
        let vector = DVector::from_column_slice(&stated.vector);
        let z = DVector::from_column_slice(&stated.answer);
        let problem = Problem::new(matrix, vector).unwrap();
        for (i, (row, column)) in stated.factors().into_iter().enumerate() {
            assert_eq!(problem.scaling().factors(i), (row, column), "{stated:?}");
        }
        judge.prepare(&problem);
        judge.add_up(&problem, &z, true);
        let slack = judge.scaled_slack(&problem, &z);
        let within = judge.within(&problem, &z, 1e-3);
        let approaches: Vec<bool> = (0..n).map(|i| judge.approaches(&problem, i, 1e-3)).collect();
        let residuals = judge.mixed_residuals(&problem, &z, free);
        for i in 0..n {
            assert_near(judge.sizes[i], defined.sizes[i], "size", &stated);
            assert_near(judge.floors[i], defined.floors[i], "floor", &stated);
            assert_near(judge.measures[i], defined.measures[i], "measure", &stated);
        }
        // Where terms cancel, sums are rounded, and what is lost of compensated sums counts.
        let terms = |i: usize| {
            let products = (0..n).map(|j| (stated.matrix[i][j] * z[j]).abs());
            products.sum::<f64>() + stated.vector[i].abs()
        };
        let exact =
            (0..n).all(|i| defined.slack[i] == 0.0 || terms(i) <= 1e5 * defined.slack[i].abs());
        if exact {
            assert_near(residuals.relative, defined.relative, "relative", &stated);
            assert_near(residuals.natural_map, defined.natural_map, "natural map", &stated);
            assert_near(slack, defined.scaled_slack, "scaled slack", &stated);
        } else {
            let unit = (n + 1) as f64 * f64::EPSILON;
            let lost = |i: usize| {
                let again = unit * terms(i) > 1e-11 * defined.measures[i];
                // Rows with an open contact are only added up again if they are within rounding.
                let open = z[i] == 0.0 && defined.slack[i] > 0.9 * unit * terms(i);
                let lost = unit * f64::EPSILON * terms(i) / defined.measures[i];
                if again && !open { lost } else { 0.0 }
            };
            let least = (0..n).map(lost).fold(defined.relative, f64::max);
            let off = (residuals.relative - least).abs();
            assert!(off <= 2e-11 + 1e-9 * least, "{residuals:?} {least:e} {stated:?}");
            counts[2] += 1;
        }
        if let (Some(bound), 0) = (within, free) {
            assert!(defined.relative <= 1e-3, "{bound:?} {defined:?} {stated:?}");
            counts[0] += 1;
            if exact {
                let above = bound.relative >= defined.relative * (1.0 - 1e-9);
                assert!(above && bound.relative <= 1e-3, "{bound:?} {defined:?} {stated:?}");
                assert_near(bound.natural_map, defined.natural_map, "natural map", &stated);
                counts[1] += 1;
            }
        }
        for i in (0..n).filter(|_| exact) {
            // The bound by the row's own terms counts from the answer, as in the residual.
            let direct = stated.direct(i).min(1024.0 * terms(i));
            let size = direct.max(stated.vector[i].abs());
            let missed = -defined.slack[i] - 1e-3 * size;
            if missed.abs() > 1e-9 * size {
                assert_eq!(approaches[i], missed > 0.0, "row {i}: {stated:?}");
            }
        }
    }
    assert!(counts.iter().all(|count| *count > 100), "accepted at once {counts:?}");
}

/// `M₀₁ |q₁|/|M₁₁| = 10²⁰` comes from an entry of rounding; row 0 is measured by 1024 times its own terms, `10⁻³`.
#[test]
fn quick_bounds_measure_a_row_by_its_own_terms_at_most() {
    let problem = Problem::new(dmatrix![1.0, 1.0; 0.0, -1e-30], dvector![-1e-3, 1e-10]).unwrap();
    let z = dvector![0.0, 0.0];
    let mut judge = Judge::new(&problem);
    judge.add_up(&problem, &z, true);
    // 1/1024 is 9.8e-4.
    for (tolerance, is_within) in [(1e-4, false), (9.7e-4, false), (9.9e-4, true)] {
        assert_eq!(judge.within(&problem, &z, tolerance).is_some(), is_within, "{tolerance}");
        assert_eq!(judge.approaches(&problem, 0, tolerance), !is_within, "{tolerance}");
    }
}

/// An exact solution is within any tolerance above rounding, `(n + 1) ε/2` of its terms, without the sizes of all rows.
#[test]
fn quick_bounds_accept_exact_solutions() {
    let problem = Problem::new(dmatrix![2.0, 1.0; 1.0, 2.0], dvector![-4.0, 3.0]).unwrap();
    let z = dvector![2.0, 0.0];
    let mut judge = Judge::new(&problem);
    judge.add_up(&problem, &z, true);
    let found = judge.within(&problem, &z, 1e-15);
    assert_eq!(found, Some(Residuals { natural_map: 0.0, relative: 0.0 }));
    assert_eq!(judge.within(&problem, &z, 1e-16), None, "three roundings of eight over four");
    assert!((rounding(2) * CANCELLATION / (3.0 * f64::EPSILON) - 1.0).abs() < 1e-14);
    assert!((rounding(9) * CANCELLATION / (10.0 * f64::EPSILON) - 1.0).abs() < 1e-14);
    // Open rows do not count, nor do their sizes.
    assert!(judge.scaled_slack(&problem, &z) <= 0.0);
    let near = dvector![2.5, 0.0];
    judge.add_up(&problem, &near, true);
    // r₀ = 1/1 for M₀₀ = 2, and the level of q is 4: w₀ = 1.
    assert!((judge.scaled_slack(&problem, &near) - 0.25).abs() < 1e-15);
}

/// Symptom: `1e-300 z = 1e300` was solved by zero. Cause: the lower bounds of the sizes of rows were infinite, as is the unknown.
#[test]
fn unknowns_that_overflow_are_not_solved() {
    for (entry, q) in [(1e-300, -1e300), (1e-250, -1e200), (1e-290, -1e290)] {
        let problem = Problem::new(dmatrix![entry], dvector![q]).unwrap();
        assert!(problem.relative_residual(&dvector![0.0]) > 1e-4, "{entry:e}");
        for method in Method::all() {
            let solution = method.solve(&problem).unwrap();
            assert_ne!(solution.report.status, Status::Solved, "{method:?} {entry:e}");
        }
        // Nothing pushes the other way.
        let problem = Problem::new(dmatrix![entry], dvector![-q]).unwrap();
        assert!(problem.relative_residual(&dvector![0.0]) == 0.0, "{entry:e}");
    }
}
