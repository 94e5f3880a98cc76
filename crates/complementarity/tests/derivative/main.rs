//! Derivatives of friction problems against differences of solutions, closed forms and each other.

mod cases;
mod edges;

use nalgebra::{DMatrix, DVector, Vector3, dmatrix, vector};
use percussion_complementarity::friction::{
    Law, Method, Problem,
    derivative::{
        Absent, Derivative, Direction, Error, MAX_CONTACTS, Mode, Place, Reach, Settings, State,
    },
    single::Contact,
};

use self::cases::{Case, Draw};

/// Velocities and impulses.
type Solution = (DVector<f64>, DVector<f64>);

fn stacked(vectors: &[Vector3<f64>]) -> DVector<f64> {
    DVector::from_iterator(3 * vectors.len(), vectors.iter().flatten().copied())
}

fn at(case: &Case) -> Option<Derivative> {
    Derivative::at(&case.problem, &case.impulses, &Settings::default()).ok()
}

/// `√w` of each contact.
fn roots(case: &Case) -> Vec<f64> {
    case.problem.inverse_masses().iter().map(|mass| mass.sqrt()).collect()
}

/// The largest velocity divided by `√w`, or impulse times it.
fn largest(roots: &[f64], velocities: &DVector<f64>, impulses: &DVector<f64>) -> f64 {
    (0..velocities.len()).fold(0.0, |size, row| {
        let root = roots[row / 3];
        size.max(velocities[row].abs() / root).max(impulses[row].abs() * root)
    })
}

/// `(u, p)` of the problem after a step along the direction, by a solver that starts at the given impulses.
fn moved(case: &Case, direction: &Direction, step: f64) -> Option<(DVector<f64>, DVector<f64>)> {
    let Case { problem, impulses } = case;
    let n = problem.contact_count();
    let mut delassus = problem.dense();
    if let Some(change) = &direction.delassus {
        delassus += step * change;
    }
    let free = stacked(problem.free_velocity()) + step * stacked(&direction.free_velocity);
    let friction: Vec<_> =
        (0..n).map(|i| problem.contacts()[i].friction() + step * direction.friction[i]).collect();
    let moved =
        Problem::from_dense(&delassus, free.as_slice(), &friction).expect("a valid problem");
    let moved = moved.with_law(problem.law());
    let mut solution = impulses.clone();
    let method = Method::default().with_tolerance(1e-14);
    method.solve_from(&moved, &mut solution).expect("valid settings");
    let solved = moved.figures(&solution).largest() <= 1e-12 * problem.velocity_scale();
    solved.then(|| (stacked(&moved.velocities(&solution)), stacked(&solution)))
}

/// What differences say.
enum Judge {
    /// The derivatives of velocities and impulses.
    Derivative(DVector<f64>, DVector<f64>),
    /// The solver found another solution of the problem, far from the given one.
    Elsewhere,
    /// The solver did not solve a problem to the last digits.
    Unsolved,
}

/// The derivative by two values on each side, with an error of the fourth order.
fn differences(case: &Case, direction: &Direction, step: f64) -> Judge {
    let values: Option<Vec<_>> = [1.0, -1.0, 2.0, -2.0]
        .map(|times| moved(case, direction, times * step))
        .into_iter()
        .collect();
    let Some(values) = values else { return Judge::Unsolved };
    let roots = roots(case);
    let start = (stacked(&case.problem.velocities(&case.impulses)), stacked(&case.impulses));
    for (velocities, impulses) in &values {
        if distance(&roots, (&start.0, &start.1), (velocities, impulses)) > 0.1 {
            return Judge::Elsewhere;
        }
    }
    let of = |part: fn(&Solution) -> &DVector<f64>| {
        let [a, b, c, d] = [0, 1, 2, 3].map(|i| part(&values[i]));
        (8.0 * (a - b) - (c - d)) / (12.0 * step)
    };
    Judge::Derivative(of(|both| &both.0), of(|both| &both.1))
}

/// The largest difference relative to the largest entry, with velocities and impulses in scaled units.
fn distance(
    roots: &[f64],
    (velocities, impulses): (&DVector<f64>, &DVector<f64>),
    (other_velocities, other_impulses): (&DVector<f64>, &DVector<f64>),
) -> f64 {
    let off = largest(roots, &(velocities - other_velocities), &(impulses - other_impulses));
    off / largest(roots, velocities, impulses)
}

/// A step within the neighborhood: a fraction of the reach, and of the radius for the change that the direction makes.
fn step(case: &Case, derivative: &Derivative, direction: &Direction, reach: f64) -> f64 {
    let impulses = stacked(&case.impulses);
    let mut drive = stacked(&direction.free_velocity);
    if let Some(delassus) = &direction.delassus {
        drive += delassus * &impulses;
    }
    let of = |i: usize| {
        let rub = direction.friction[i].abs() * impulses[3 * i] * case.problem.inverse_masses()[i];
        drive.fixed_rows::<3>(3 * i).norm() + rub
    };
    let drive = (0..case.impulses.len()).map(of).fold(0.0, f64::max);
    // Changes of `W` also act where no impulse does.
    let by_operator = 0.03 / derivative.condition().expect("a regular case");
    (0.03 * reach).min(0.03 * derivative.radius().expect("a regular case") / drive).min(by_operator)
}

#[test]
fn derivatives_of_regular_cases_are_those_of_central_differences() {
    let mut draw = Draw::new(24);
    let (mut compared, mut worst) = (0, 0.0_f64);
    let (mut ill, mut elsewhere, mut unsolved) = (0, 0, 0);
    let mut wrong = Vec::new();
    while compared < 10_000 {
        let Some(case) = draw.case() else { continue };
        let Some(derivative) = at(&case) else { continue };
        assert_eq!(derivative.state(), State::Regular);
        let direction = draw.direction(&case);
        let change = derivative.forward(&direction).unwrap();
        let found = (stacked(&change.velocities), stacked(&change.impulses));
        let step = step(&case, &derivative, &direction, change.reach.step);
        // Rounding of the differences, from the figures of the problem alone.
        let roots = roots(&case);
        let size = largest(&roots, &found.0, &found.1);
        let velocities = stacked(&case.problem.velocities(&case.impulses));
        let value = largest(&roots, &velocities, &stacked(&case.impulses));
        if derivative.condition().expect("a regular case") * 1e-14 * value > 1e-7 * step * size {
            ill += 1;
            continue;
        }
        let judge = match differences(&case, &direction, step) {
            Judge::Derivative(velocities, impulses) => (velocities, impulses),
            Judge::Elsewhere => {
                elsewhere += 1;
                continue;
            }
            Judge::Unsolved => {
                unsolved += 1;
                continue;
            }
        };
        let off = distance(&roots, (&found.0, &found.1), (&judge.0, &judge.1));
        compared += 1;
        worst = worst.max(off);
        if off > 1e-6 {
            wrong.push((compared, off, derivative.places().to_vec(), case.problem.law()));
        }
    }
    eprintln!("worst {worst:e}; left out: {ill} ill, {elsewhere} elsewhere, {unsolved} unsolved");
    assert!(wrong.is_empty(), "{} wrong: {:?}", wrong.len(), &wrong[..wrong.len().min(20)]);
    assert!(ill < 300 && elsewhere < 20 && unsolved < 20, "{ill} {elsewhere} {unsolved}");
}

#[test]
fn products_from_both_sides_and_matrices_agree() {
    let mut draw = Draw::new(7);
    let mut compared = 0;
    while compared < 500 {
        let Some(case) = draw.case() else { continue };
        let Some(derivative) = at(&case) else { continue };
        compared += 1;
        let direction = draw.direction(&case);
        let change = derivative.forward(&direction).unwrap();
        let n = case.problem.contact_count();
        // Weights that make all terms alike in size.
        let roots = roots(&case);
        let velocities: Vec<_> = (0..n).map(|i| draw.vector() / roots[i]).collect();
        let impulses: Vec<_> = (0..n).map(|i| draw.vector() * roots[i]).collect();
        let gradient = derivative.backward(&velocities, &impulses).unwrap();
        let dot = |a: &[Vector3<f64>], b: &[Vector3<f64>]| stacked(a).dot(&stacked(b));
        let forward = dot(&velocities, &change.velocities) + dot(&impulses, &change.impulses);
        let by_friction: f64 = (0..n)
            .filter(|&i| direction.friction[i] != 0.0)
            .map(|i| gradient.friction[i].unwrap() * direction.friction[i])
            .sum();
        let by_delassus = gradient.delassus.dot(direction.delassus.as_ref().unwrap());
        let backward =
            dot(&gradient.free_velocity, &direction.free_velocity) + by_friction + by_delassus;
        let size: f64 = forward.abs() + by_friction.abs() + by_delassus.abs() + 1e-3;
        let tolerance = 1e-13 * derivative.condition().expect("a regular case");
        assert!((forward - backward).abs() < tolerance * size, "{forward} {backward}");

        let matrices = derivative.matrices().unwrap();
        let plain = Direction::of_free_velocity(direction.free_velocity.clone());
        let change = derivative.forward(&plain).unwrap();
        let free = stacked(&plain.free_velocity);
        let product = (&matrices.velocities * &free, &matrices.impulses * &free);
        let found = (stacked(&change.velocities), stacked(&change.impulses));
        let off = distance(&roots, (&found.0, &found.1), (&product.0, &product.1));
        assert!(off < tolerance, "{off:e}");
    }
}

/// Up to the exact reach the affine path solves the problem, and beyond it does not.
#[test]
fn an_exact_reach_ends_where_a_mode_ends() {
    let mut draw = Draw::new(3);
    let mut compared = 0;
    while compared < 1000 {
        let Some(case) = draw.planar() else { continue };
        let Some(derivative) = at(&case) else { continue };
        let direction = draw.direction(&case);
        let direction = Direction::of_free_velocity(direction.free_velocity);
        let change = derivative.forward(&direction).unwrap();
        let Reach { step, exact, .. } = change.reach;
        assert!(exact);
        if derivative.condition().expect("a regular case") > 1e3 || !step.is_finite() {
            continue;
        }
        compared += 1;
        let Case { problem, impulses } = &case;
        let residual = |step: f64| {
            let path = |from: &[Vector3<f64>], by: &[Vector3<f64>]| -> Vec<_> {
                from.iter().zip(by).map(|(from, by)| from + step * by).collect()
            };
            let free = stacked(&path(problem.free_velocity(), &direction.free_velocity));
            let friction: Vec<_> = problem.contacts().iter().map(Contact::friction).collect();
            let moved = Problem::from_dense(&problem.dense(), free.as_slice(), &friction)
                .expect("a valid problem");
            let moved = moved.with_law(problem.law());
            moved.relative_residual(&path(impulses, &change.impulses))
        };
        assert!(residual(0.999 * step) < 1e-10, "{:e}", residual(0.999 * step));
        assert!(residual(1.01 * step) > 1e-7, "{:e}", residual(1.01 * step));
    }
}

/// Changes inside of the radius keep the modes of all contacts.
#[test]
fn modes_stay_within_the_radius() {
    let mut draw = Draw::new(5);
    let (mut compared, mut kept) = (0, 0);
    while compared < 1000 {
        let Some(case) = draw.case() else { continue };
        let Some(derivative) = at(&case) else { continue };
        compared += 1;
        let radius = derivative.radius().expect("a regular case");
        assert!(radius > 0.0);
        let n = case.problem.contact_count();
        let free = (0..n).map(|_| draw.vector().normalize() * (0.999 * radius)).collect();
        let direction = Direction::of_free_velocity(free);
        let reach = derivative.forward(&direction).unwrap().reach;
        assert!(reach.step > 0.999, "the tangent leaves at {}", reach.step);
        let Some((velocity, impulse)) = moved(&case, &direction, 1.0) else { continue };
        kept += 1;
        for i in 0..n {
            let place = cases::mode(&case, &velocity, &impulse, i);
            assert_eq!(place, derivative.places()[i], "contact {i}");
        }
    }
    assert!(kept > 950, "{kept}");
}

/// Two equal contacts under one mass: either may carry, and the velocity has a derivative where both move alike.
#[test]
fn redundant_contacts_have_velocities_with_a_derivative() {
    let block = DMatrix::identity(3, 3) * 0.5;
    let delassus = DMatrix::from_fn(6, 6, |row, column| block[(row % 3, column % 3)]);
    let free = [-2.0, 3.0, 0.0, -2.0, 3.0, 0.0];
    let problem = Problem::from_dense(&delassus, &free, &[0.5, 0.5]).unwrap();
    let impulses = [vector![1.0, -0.5, 0.0], vector![3.0, -1.5, 0.0]];
    let derivative = Derivative::at(&problem, &impulses, &Settings::default()).unwrap();
    assert_eq!(derivative.state(), State::Redundant);
    assert_eq!((derivative.radius(), derivative.matrices()), (None, Err(Absent::Impulses)));

    let both = Direction::of_free_velocity(vec![vector![-1.0, 0.1, 0.0]; 2]);
    let change = derivative.forward(&both).unwrap();
    for velocity in &change.velocities {
        assert!((velocity - vector![0.0, -0.4, 0.0]).norm() < 1e-12, "{velocity}");
    }
    let gradient =
        derivative.backward(&[vector![0.0, 1.0, 0.0], Vector3::zeros()], &[Vector3::zeros(); 2]);
    let along: f64 =
        gradient.unwrap().free_velocity.iter().map(|row| row.dot(&vector![-1.0, 0.1, 0.0])).sum();
    assert!((along + 0.4).abs() < 1e-12);

    let one = Direction::of_free_velocity(vec![vector![-1.0, 0.0, 0.0], Vector3::zeros()]);
    let refused = derivative.forward(&one).unwrap_err();
    assert!(matches!(refused, Error::Absent(Absent::Inconsistent { .. })), "{refused}");
    let weights = [vector![1.0, 0.0, 0.0], Vector3::zeros()];
    let refused = derivative.backward(&[Vector3::zeros(); 2], &weights).unwrap_err();
    assert_eq!(refused, Error::Absent(Absent::Impulses));
}

/// Two contacts of one body slide in different directions, and their normals are redundant: how much each carries
/// changes the friction, so the velocity is not unique and has no derivative.
#[test]
fn redundant_contacts_that_slide_differently_have_no_derivative() {
    // A wheel on a shaft: velocities are those of the shaft along itself and two that turn the contacts.
    let jacobian = dmatrix![
        1.0, 0.0, 0.0;
        0.0, 1.0, 0.0;
        0.0, 0.0, 1.0;
        1.0, 0.0, 0.0;
        0.0, 1.0, 0.0;
        0.0, 0.0, 1.0
    ];
    let delassus = &jacobian * jacobian.transpose();
    let impulses = [vector![1.0, -0.5, 0.0], vector![1.0, 0.0, -0.5]];
    let velocity = [vector![0.0, 2.0, 0.0], vector![0.0, 0.0, 2.0]];
    let free = stacked(&velocity) - &delassus * stacked(&impulses);
    let problem = Problem::from_dense(&delassus, free.as_slice(), &[0.5, 0.5]).unwrap();
    let derivative = Derivative::at(&problem, &impulses, &Settings::default()).unwrap();
    assert_eq!(derivative.state(), State::Singular);
    let refused = derivative.forward(&Direction::none(2)).unwrap_err();
    assert!(matches!(refused, Error::Absent(Absent::Singular { .. })), "{refused}");
}

#[test]
fn a_contact_without_friction_and_slip_has_no_derivative_by_friction() {
    let problem = Problem::from_dense(&DMatrix::identity(3, 3), &[-2.0, 0.0, 0.0], &[0.0]).unwrap();
    let impulses = [vector![2.0, 0.0, 0.0]];
    let derivative = Derivative::at(&problem, &impulses, &Settings::default()).unwrap();
    assert_eq!(derivative.places(), [Place::Inside(Mode::Frictionless)]);
    let direction = Direction::of_free_velocity(vec![vector![1.0, 1.0, 0.0]]);
    let change = derivative.forward(&direction).unwrap();
    assert_eq!(change.velocities, [vector![0.0, 1.0, 0.0]]);
    assert!((change.reach.step - 2.0).abs() < 1e-14 && change.reach.mode == Some(Mode::Open));
    let refused = derivative.friction_matrices().unwrap_err();
    assert_eq!(refused, Error::Absent(Absent::Friction { contact: 0 }));
    let gradient = derivative.backward(&[vector![1.0, 0.0, 0.0]], &[Vector3::zeros()]).unwrap();
    assert_eq!(gradient.friction, [None]);
}

#[test]
fn a_solution_of_a_solver_is_refined() {
    let delassus = dmatrix![1.0, 0.3, 0.1; 0.3, 1.5, 0.2; 0.1, 0.2, 0.7];
    for law in Law::all() {
        let problem = Problem::from_dense(&delassus, &[-2.0, 3.0, 1.0], &[0.4]).unwrap();
        let problem = problem.with_law(law);
        let mut impulses = Method::default().solve(&problem).unwrap().impulses;
        impulses[0] += vector![3e-9, -2e-9, 4e-9];
        let derivative = Derivative::at(&problem, &impulses, &Settings::default()).unwrap();
        let refined = derivative.impulses();
        assert!(problem.natural_map_residual(&refined) < 4e-15, "{law}");
        assert_eq!(derivative.places(), [Place::Inside(Mode::Sliding)]);
    }
}

#[test]
fn bad_input_is_refused_with_its_name() {
    let problem = Problem::from_dense(&DMatrix::identity(3, 3), &[-1.0, 0.0, 0.0], &[0.5]).unwrap();
    let solution = [vector![1.0, 0.0, 0.0]];
    let settings = Settings::default();
    let message = |impulses: &[Vector3<f64>], settings: &Settings| {
        Derivative::at(&problem, impulses, settings).unwrap_err().to_string()
    };
    let refused = [
        (message(&[], &settings), "impulses has length 0, expected 1"),
        (message(&[vector![0.0, f64::NAN, 0.0]], &settings), "impulses[1] is NaN"),
        (message(&[Vector3::zeros()], &settings), "relative residual of the impulses is 1.0e0"),
        (message(&solution, &Settings { edge: -1.0, ..settings }), "setting `edge` is -1"),
        (message(&solution, &Settings { tolerance: f64::NAN, ..settings }), "setting `tolerance`"),
    ];
    for (message, expected) in refused {
        assert!(message.starts_with(expected), "{message}");
    }
    let derivative = Derivative::at(&problem, &solution, &settings).unwrap();
    let none = Direction::none(1);
    let directions = [
        (Direction::none(2), "free_velocity has length 2, expected 1"),
        (Direction { friction: vec![], ..none.clone() }, "friction has length 0"),
        (Direction { friction: vec![f64::INFINITY], ..none.clone() }, "friction[0] is inf"),
        (
            Direction { delassus: Some(DMatrix::zeros(2, 3)), ..none },
            "delassus rows has length 2, expected 3",
        ),
    ];
    for (direction, expected) in directions {
        let message = derivative.forward(&direction).unwrap_err().to_string();
        assert!(message.starts_with(expected), "{message}");
    }
    let refused = derivative.backward(&[], &[Vector3::zeros()]).unwrap_err();
    assert_eq!(refused.to_string(), "velocities has length 0, expected 1");

    let n = MAX_CONTACTS + 1;
    let large = DMatrix::identity(3 * n, 3 * n);
    let large = Problem::from_dense(&large, &vec![0.0; 3 * n], &vec![0.1; n]).unwrap();
    let refused = Derivative::at(&large, &vec![Vector3::zeros(); n], &settings).unwrap_err();
    assert_eq!(refused, Error::TooLarge { found: n });
}

/// A landing of any speed has the same derivative with respect to it, `dp_n/du = −1/W_nn`, or is refused by its size.
#[test]
fn speeds_of_any_size_have_a_derivative_or_are_refused() {
    let delassus = DMatrix::identity(3, 3) * 0.5;
    let (mut found, mut refused) = (0, 0);
    for power in (-300..=300).step_by(10) {
        let speed = 10_f64.powi(power);
        // The floor stops the fall by 2 speeds, friction takes 0.25 of it from the slip.
        let free = vector![-speed, 3.0 * speed, 0.0];
        let problem = Problem::from_dense(&delassus, free.as_slice(), &[0.25]).unwrap();
        let impulses = [Vector3::new(2.0 * speed, -0.5 * speed, 0.0)];
        let direction = Direction::of_free_velocity(vec![Vector3::new(1.0, 0.0, 0.0)]);
        match Derivative::at(&problem, &impulses, &Settings::default()) {
            Ok(derivative) => {
                let change = derivative.forward(&direction).unwrap().impulses[0];
                assert!((change - Vector3::new(-2.0, 0.5, 0.0)).amax() < 1e-12, "1e{power}");
                found += 1;
            }
            Err(Error::Magnitude { .. }) => refused += 1,
            Err(other) => panic!("1e{power}: {other}"),
        }
    }
    assert!(found >= 30 && refused >= 10, "{found} {refused}");
}
