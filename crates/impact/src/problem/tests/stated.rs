//! The operators of a problem against the whole system of equations, and its sizes and limits against their definitions.

use nalgebra::{DMatrix, DVector, dmatrix, dvector};
use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};

use super::{Contact, Mass, MassOperator, Problem, ProblemError};
use crate::outcome::Trace;

/// Between −1 and 1.
fn uniform(random: &mut ChaCha8Rng) -> f64 {
    (random.next_u64() >> 11) as f64 * f64::exp2(-52.0) - 1.0
}

fn random_matrix(random: &mut ChaCha8Rng, rows: usize, columns: usize) -> DMatrix<f64> {
    DMatrix::from_fn(rows, columns, |_, _| uniform(random))
}

fn random_mass(random: &mut ChaCha8Rng, n: usize) -> DMatrix<f64> {
    let factor = random_matrix(random, n, n);
    let scale = DVector::from_fn(n, |_, _| 10_f64.powf(uniform(random)));
    let scale = DMatrix::from_diagonal(&scale);
    let mass = &scale * (&factor * factor.transpose() + DMatrix::identity(n, n)) * &scale;
    (&mass + mass.transpose()) * 0.5
}

/// Contacts with no, one and two tangents, and `joints` rows.
fn random_problem(
    random: &mut ChaCha8Rng,
    n: usize,
    joints: usize,
) -> (Problem, DMatrix<f64>, DMatrix<f64>) {
    let mass = random_mass(random, n);
    let jacobian = random_matrix(random, joints, n);
    let mut row = || DVector::from_fn(n, |_, _| uniform(random));
    let contacts: Vec<Contact> = (0..3)
        .map(|tangents| {
            Contact::new(row()).with_friction(0.5, (0..tangents).map(|_| row()).collect())
        })
        .collect();
    let velocity = row();
    let problem =
        Problem::with_joints(Mass::Matrix(mass.clone()), velocity, contacts, jacobian.clone());
    (problem.unwrap(), mass, jacobian)
}

/// `v⁺` and `Λ_b` of `M v⁺ − Gᵀ Λ_b = momentum`, `G v⁺ = 0`.
fn whole(
    mass: &DMatrix<f64>,
    joints: &DMatrix<f64>,
    momentum: &DVector<f64>,
) -> (DVector<f64>, DVector<f64>) {
    let (n, m) = (mass.nrows(), joints.nrows());
    let mut system = DMatrix::zeros(n + m, n + m);
    system.view_mut((0, 0), (n, n)).copy_from(mass);
    system.view_mut((0, n), (n, m)).copy_from(&-joints.transpose());
    system.view_mut((n, 0), (m, n)).copy_from(joints);
    let mut right = DVector::zeros(n + m);
    right.rows_mut(0, n).copy_from(momentum);
    let solution = system.lu().solve(&right).unwrap();
    (solution.rows(0, n).into_owned(), solution.rows(n, m).into_owned())
}

#[test]
fn operators_are_those_of_the_whole_system() {
    let mut random = ChaCha8Rng::seed_from_u64(111);
    for k in 0..60 {
        let joints = k % 3;
        let (problem, mass, jacobian) = random_problem(&mut random, 5, joints);
        let rows = problem.contact_jacobian().clone();
        let start = &mass * problem.velocity();
        let (free, _) = whole(&mass, &jacobian, &start);
        assert!((problem.free_contact_velocity() - &rows * &free).amax() <= 1e-10);
        assert!((problem.velocity_of(&start) - &free).amax() <= 1e-10);
        let mut operator = DMatrix::zeros(6, 6);
        for i in 0..6 {
            let (moved, _) = whole(&mass, &jacobian, &rows.row(i).transpose());
            operator.set_column(i, &(&rows * &moved));
            assert!((problem.response().column(i) - moved).amax() <= 1e-9);
        }
        assert!((problem.delassus() - &operator).amax() <= 1e-9 * operator.amax());
        let impulse = DVector::from_fn(6, |_, _| uniform(&mut random));
        let (after, multipliers) = whole(&mass, &jacobian, &(&start + rows.tr_mul(&impulse)));
        let outcome = problem.outcome(&impulse, Trace::resolved(vec![]));
        assert!((&outcome.velocity - &after).amax() <= 1e-9);
        assert!((&outcome.bilateral_impulses - multipliers).amax() <= 1e-9);
        let flat = outcome.impulses.iter().flat_map(|one| {
            std::iter::once(one.normal).chain(one.tangent.iter().copied()).collect::<Vec<_>>()
        });
        assert_eq!(flat.collect::<Vec<_>>(), impulse.as_slice());
        // A velocity that violates the joints is led back to them.
        let pushed = &after + random_matrix(&mut random, 5, 1).column(0);
        let corrected = problem.outcome_at(pushed.clone(), &impulse, Trace::resolved(vec![]));
        let (expected, _) = whole(&mass, &jacobian, &(&mass * pushed));
        assert!((corrected.velocity - expected).amax() <= 1e-9);
        assert!((corrected.bilateral_impulses - &outcome.bilateral_impulses).amax() <= 1e-12);
        for (contact, range) in [(0, 0..1), (1, 1..3), (2, 3..6)] {
            assert_eq!(problem.rows(contact), range);
            let part = problem.contact_problem(contact).unwrap();
            let count = range.len();
            assert_eq!(part.rows(0), 0..count);
            assert_eq!(part.contact_jacobian(), &rows.rows(range.start, count).into_owned());
            let block = problem.delassus().view((range.start, range.start), (count, count));
            assert_eq!(part.delassus(), &block.into_owned());
            let free = problem.free_contact_velocity().rows(range.start, count).into_owned();
            assert_eq!(part.free_contact_velocity(), free);
            let impulse = impulse.rows(range.start, count).into_owned();
            let outcome = part.outcome(&impulse, Trace::resolved(vec![]));
            let pushed = &start + rows.rows(range.start, count).tr_mul(&impulse);
            assert!((outcome.velocity - whole(&mass, &jacobian, &pushed).0).amax() <= 1e-9);
        }
        let other = problem.with_velocity(after.clone()).unwrap();
        assert!((other.free_contact_velocity() - &rows * &after).amax() <= 1e-9);
    }
}

/// A mass matrix as a procedure.
#[derive(Debug)]
struct Procedure {
    matrix: DMatrix<f64>,
    inverse: DMatrix<f64>,
}

impl MassOperator for Procedure {
    fn dimension(&self) -> usize {
        self.matrix.nrows()
    }

    fn multiply(&self, columns: &mut DMatrix<f64>) {
        *columns = &self.matrix * &*columns;
    }

    fn solve(&self, columns: &mut DMatrix<f64>) {
        *columns = &self.inverse * &*columns;
    }
}

fn near(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-9 * expected.abs()
}

#[test]
fn sizes_and_conditions_are_those_of_their_definitions() {
    let mut random = ChaCha8Rng::seed_from_u64(112);
    for _ in 0..30 {
        let n = 4;
        let mass = random_mass(&mut random, n);
        let inverse = mass.clone().try_inverse().unwrap();
        let x = DVector::from_fn(n, |_, _| uniform(&mut random));
        let normal = DVector::from_fn(n, |_, _| uniform(&mut random));
        // The factor by Cholesky's recurrence.
        let mut l = DMatrix::<f64>::zeros(n, n);
        for i in 0..n {
            for j in 0..=i {
                let rest = mass[(i, j)] - (0..j).map(|k| l[(i, k)] * l[(j, k)]).sum::<f64>();
                l[(i, j)] = if i == j { rest.sqrt() } else { rest / l[(j, j)] };
            }
        }
        let scaled = |matrix: &DMatrix<f64>, power: f64| {
            let entry = |i: usize, j: usize| {
                let roots = (mass[(i, i)] * mass[(j, j)]).sqrt().powf(power);
                (matrix[(i, j)] * roots).abs()
            };
            (0..n).map(|i| (0..n).map(|j| entry(i, j)).sum::<f64>()).fold(0.0, f64::max)
        };
        let condition = scaled(&mass, -1.0) * scaled(&inverse, 1.0);
        let joint = DVector::from_fn(n, |_, _| uniform(&mut random));
        let operator = Procedure { matrix: mass.clone(), inverse: inverse.clone() };
        for (kind, given) in
            [Mass::Matrix(mass.clone()), Mass::Factor(l.clone()), Mass::operator(operator)]
                .into_iter()
                .enumerate()
        {
            let contacts = vec![Contact::new(normal.clone())];
            let joints = DMatrix::from_rows(&[joint.transpose()]);
            let problem = Problem::with_joints(given, x.clone(), contacts, joints).unwrap();
            assert!((problem.momentum(&x) - &mass * &x).amax() <= 1e-12 * mass.amax());
            let sizes = if kind == 2 { mass.abs() } else { l.abs() * l.abs().transpose() };
            let found = problem.momentum_sizes(&x.abs());
            assert!((found - &sizes * x.abs()).amax() <= 1e-12 * sizes.amax(), "{kind}");
            for i in 0..n {
                assert!(near(problem.mass_roots()[i], mass[(i, i)].sqrt()), "{kind}");
            }
            assert!(near(problem.condition(), condition), "{kind}");
            // n_v + r + m_b = 6, and one joint row is independent.
            let rounding = 64.0 * 6.0 * condition * f64::EPSILON;
            assert!(near(problem.rounding(), rounding), "{kind}");
            assert!(near(problem.kinetic_energy(&x), 0.5 * x.dot(&(&mass * &x))), "{kind}");
            let size = |row: &DVector<f64>| row.dot(&(&inverse * row)).sqrt();
            assert!(near(problem.free_row_sizes()[0], size(&normal)), "{kind}");
            assert!(near(problem.joint_row_sizes()[0], size(&joint)), "{kind}");
            for unit in [1.0, 1e-200, 1e200] {
                let root = x.dot(&(&mass * &x)).sqrt() * unit;
                assert!(near(problem.root_of_energy(&(&x * unit)), root), "{kind} {unit}");
            }
            assert!(problem.root_of_energy(&DVector::zeros(n)) == 0.0);
        }
    }
}

/// Joints whose directions differ by an angle of the sine `s` raise the rounding to `1/s`.
#[test]
fn dependent_joints_raise_the_rounding() {
    for sine in [1.0, 0.1, 1e-3] {
        let joints = dmatrix![1.0, 0.0, 0.0; f64::sqrt(1.0 - sine * sine), sine, 0.0];
        let mass = Mass::Matrix(DMatrix::identity(3, 3));
        let problem = Problem::with_joints(mass, DVector::zeros(3), vec![], joints).unwrap();
        assert!(near(problem.rounding(), 64.0 * 5.0 / sine * f64::EPSILON), "{sine}");
        assert!((problem.joint_rounding() / (6.0 / sine * f64::EPSILON) - 1.0).abs() < 1e-6);
    }
}

#[test]
fn restitution_is_reduced_for_all_contacts() {
    let contact = |e: f64| Contact::new(dvector![1.0]).with_restitution(e);
    let (mass, contacts) = (Mass::Matrix(dmatrix![1.0]), vec![contact(0.5), contact(1.0)]);
    let problem = Problem::new(mass, dvector![-1.0], contacts).unwrap();
    let reduced = problem.with_restitution_times(0.25);
    assert_eq!(reduced.contacts(), [contact(0.125), contact(0.25)]);
}

#[test]
fn a_mass_matrix_may_miss_symmetry_by_its_rounding() {
    for size in [1.0, 1e-8, 1e8] {
        let of = |gap: f64| {
            let matrix = dmatrix![4.0 * size, 1.0 + gap; 1.0, 9.0 / size];
            Problem::new(Mass::Matrix(matrix), dvector![0.0, 0.0], vec![])
        };
        // 1e-9 √(4 · 9).
        assert!(of(5.99e-9).is_ok(), "{size}");
        let error = of(6.01e-9).unwrap_err();
        assert!(matches!(error, ProblemError::NotSymmetric { row: 1, column: 0, .. }), "{error}");
    }
    // The limit itself is allowed.
    let at_limit = Mass::Matrix(dmatrix![1.0, 0.0; 1e-9, 1.0]);
    assert!(Problem::new(at_limit, dvector![0.0, 0.0], vec![]).is_ok());
}

/// `[[1, c], [c, 1]]` with `c = 1 − k 2⁻⁵³` has the last pivot `k ε`; `2 ε` is the limit. The same in other units.
#[test]
fn a_mass_matrix_needs_pivots_above_rounding() {
    for unit in [1.0, 1024.0, 1.0 / 1024.0] {
        let of = |k: f64| {
            let c = (1.0 - k * f64::exp2(-53.0)) * unit;
            let matrix = dmatrix![1.0, c; c, unit * unit];
            Problem::new(Mass::Matrix(matrix), dvector![0.0, 0.0], vec![])
        };
        assert!(matches!(of(1.0).unwrap_err(), ProblemError::Indefinite { .. }), "{unit}");
        assert!(of(3.0).is_ok(), "{unit}");
    }
    // Of four rows the limit is 4 ε = 2⁻⁵⁰, the square of the pivot 2⁻²⁵ for `c² = 1 − 2⁻⁵⁰`: not above it.
    let mut matrix = DMatrix::identity(4, 4);
    let c = 1.0 - f64::exp2(-51.0);
    matrix.view_mut((0, 0), (2, 2)).copy_from(&dmatrix![1.0, c; c, 1.0]);
    let error = Problem::new(Mass::Matrix(matrix), DVector::zeros(4), vec![]).unwrap_err();
    assert!(matches!(error, ProblemError::Indefinite { .. }), "{error}");
}

/// A procedure is refused beyond `1e-8` of the compared terms, in any unit.
#[test]
fn a_procedure_is_believed_to_half_the_digits() {
    let of = |matrix: DMatrix<f64>, inverse: DMatrix<f64>, rows: f64| {
        let contacts = vec![Contact::new(dvector![rows, 0.0]), Contact::new(dvector![0.0, rows])];
        let mass = Mass::operator(Procedure { matrix, inverse });
        Problem::new(mass, dvector![0.0, 0.0], contacts)
    };
    let expected = |result: Result<Problem, ProblemError>| match result.unwrap_err() {
        ProblemError::Operator { expected, .. } => expected,
        error => panic!("{error}"),
    };
    for unit in [1.0, 1e6, 1e-6] {
        let wrong = |part: f64| {
            let matrix = DMatrix::identity(2, 2) * unit;
            of(matrix, DMatrix::identity(2, 2) * ((1.0 + part) / unit), 1.0 / unit)
        };
        assert!(wrong(0.99e-8).is_ok() && wrong(-0.99e-8).is_ok(), "{unit}");
        assert_eq!(expected(wrong(1.01e-8)), "multiply to undo solve");
        assert_eq!(expected(wrong(-1.01e-8)), "multiply to undo solve");
        assert_eq!(expected(wrong(f64::NAN)), "multiply to undo solve");
        // A shear and its inverse.
        let turned = |shear: f64| {
            let matrix = dmatrix![1.0, -shear; 0.0, 1.0] * unit;
            of(matrix, dmatrix![1.0, shear; 0.0, 1.0] / unit, 1.0)
        };
        assert!(turned(0.99e-8).is_ok(), "{unit}");
        assert_eq!(expected(turned(1.01e-8)), "a symmetric operator");
        let negative = of(-DMatrix::identity(2, 2) * unit, -DMatrix::identity(2, 2) / unit, 1.0);
        match negative.unwrap_err() {
            ProblemError::Operator { defect, expected, .. } => {
                assert_eq!(expected, "a positive definite operator");
                assert!(near(defect, 1.0 / unit), "{defect} {unit}");
            }
            error => panic!("{error}"),
        }
    }
}

/// A procedure that solves and loses a column when it multiplies.
#[derive(Debug)]
struct Narrowing;

impl MassOperator for Narrowing {
    fn dimension(&self) -> usize {
        2
    }

    fn multiply(&self, columns: &mut DMatrix<f64>) {
        *columns = DMatrix::zeros(2, 1);
    }

    fn solve(&self, _: &mut DMatrix<f64>) {}
}

#[test]
fn a_procedure_keeps_the_shape_of_its_columns() {
    let contacts = [dvector![1.0, 0.0], dvector![0.0, 1.0]].map(Contact::new).to_vec();
    let error = Problem::new(Mass::operator(Narrowing), dvector![0.0, 0.0], contacts).unwrap_err();
    let expected = "columns of unchanged shape";
    match error {
        ProblemError::Operator { defect, expected: found, .. } => {
            assert!(defect.is_nan() && found == expected, "{found}");
        }
        error => panic!("{error}"),
    }
}

/// A joint that holds a row except for a part of `10⁻³` or of a rounding, in any unit of the row.
#[test]
fn rows_are_locked_that_joints_hold_to_rounding() {
    let of = |rest: f64, unit: f64| {
        let contact =
            Contact::new(dvector![1.0, rest] * unit).with_friction(0.5, vec![dvector![0.0, 1.0]]);
        let mass = Mass::Matrix(DMatrix::identity(2, 2));
        Problem::with_joints(mass, dvector![-1.0, -1.0], vec![contact], dmatrix![1.0, 0.0]).unwrap()
    };
    // One joint of two columns: 2 ε of the row.
    for (rest, locked) in
        [(0.0, true), (1.9 * f64::EPSILON, true), (2.1 * f64::EPSILON, false), (1e-3, false)]
    {
        for unit in [1.0, 1e3, 1e-3] {
            let problem = of(rest, unit);
            assert_eq!((problem.is_locked(0), problem.is_locked(1)), (locked, false), "{rest}");
            let both = if locked { 0.0 } else { rest * unit };
            let own = both * both;
            assert!((problem.delassus()[(0, 0)] - own).abs() <= 1e-15 * own, "{rest}");
            assert!((problem.delassus()[(0, 1)] - both).abs() <= 1e-15 * both, "{rest}");
            assert!((problem.free_contact_velocity()[0] + both).abs() <= 1e-15 * both, "{rest}");
            assert!((problem.delassus()[(1, 1)] - 1.0).abs() <= 1e-15);
            assert!((problem.free_contact_velocity()[1] + 1.0).abs() <= 1e-15);
        }
    }
}
