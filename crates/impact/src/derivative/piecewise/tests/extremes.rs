//! Wrong data, and units in which squares overflow or underflow.

use nalgebra::{DMatrix, DVector, dvector};

use super::{Derivative, Direction, Error, Piecewise, Settings, ball};
use crate::{
    Contact, Mass, Problem, anitescu_potra::AnitescuPotra, newton::Newton, poisson::Poisson,
    propagative::Propagative, routh::Routh, sequential::Sequential,
};

fn laws() -> [Box<dyn Piecewise>; 6] {
    [
        Box::new(Newton::default()),
        Box::new(Poisson::default()),
        Box::new(AnitescuPotra::default()),
        Box::new(Propagative::default()),
        Box::new(Routh::default()),
        Box::new(Sequential::new(Newton::default())),
    ]
}

fn derivative(law: &dyn Piecewise, problem: &Problem) -> Result<Derivative, Error> {
    Derivative::at(law, problem, &Settings::default())
}

/// The ball in other units of mass, of the rows of the floor and of velocity; `None` if the problem is refused.
fn ball_in_units(friction: f64, [mass, row, speed]: [f64; 3]) -> Option<Problem> {
    let floor = Contact::new(dvector![0.0, row, 0.0])
        .with_friction(friction, vec![dvector![row, 0.0, row]])
        .with_restitution(0.5);
    let mass = Mass::Matrix(DMatrix::from_diagonal(&(dvector![1.0, 1.0, 0.4] * mass)));
    Problem::new(mass, dvector![1.0, -2.0, 0.0] * speed, vec![floor]).ok()
}

/// All combinations of three powers of ten.
fn units(powers: &[i32]) -> impl Iterator<Item = [f64; 3]> {
    let unit = |power: &i32| 10_f64.powi(*power);
    powers.iter().flat_map(move |a| {
        powers.iter().flat_map(move |b| powers.iter().map(move |c| [a, b, c].map(unit)))
    })
}

/// `∂v⁺/∂v⁻` has no unit.
#[test]
fn units_change_no_derivative() {
    for law in laws() {
        for friction in [0.05, 0.5] {
            let Ok(here) = derivative(&*law, &ball(friction, 0.5)) else {
                assert_eq!(law.name(), "propagative", "it has no friction");
                continue;
            };
            let (expected, _) = here.by_velocity().unwrap();
            for units in units(&[-12, 0, 12]) {
                let there = ball_in_units(friction, units).unwrap();
                let there = derivative(&*law, &there).unwrap();
                let (found, _) = there.by_velocity().unwrap();
                assert!((&found - &expected).amax() < 1e-12, "{} {units:?}: {found}", law.name());
            }
        }
    }
}

/// Where squares of the data overflow or underflow there is an error, or the same answer.
#[test]
fn absurd_units_are_refused_or_change_nothing() {
    let mut answered = 0;
    for law in laws() {
        let Ok(here) = derivative(&*law, &ball(0.05, 0.5)) else { continue };
        let (expected, _) = here.by_velocity().unwrap();
        for units in units(&[-300, -200, -150, -100, 0, 100, 150, 200, 300]) {
            let what = format!("{} {units:?}", law.name());
            let Some(problem) = ball_in_units(0.05, units) else { continue };
            let Ok(there) = derivative(&*law, &problem) else { continue };
            if let Ok((found, impulses)) = there.by_velocity() {
                assert!((&found - &expected).amax() < 1e-9, "{what}: {found}");
                assert!(impulses.iter().all(|number| number.is_finite()), "{what}: {impulses}");
                answered += 1;
            }
            if let Ok(gradient) = there.backward(&dvector![1.0, 0.0, 0.0], &DVector::zeros(2)) {
                let row = expected.row(0).transpose();
                assert!((&gradient.velocity - row).amax() < 1e-9, "{what}: {gradient:?}");
            }
            for size in [1e-300, 1.0, 1e300] {
                let all = Direction {
                    velocity: Some(DVector::from_element(3, size)),
                    mass: Some(DMatrix::identity(3, 3) * size),
                    jacobian: Some(DMatrix::from_element(2, 3, size)),
                    joints: None,
                    friction: Some(vec![size]),
                    restitution: Some(vec![size]),
                };
                let one_sided = there.one_sided(&*law, &all).map(|found| found.change);
                for change in [there.forward(&all), one_sided].into_iter().flatten() {
                    let mut numbers = change.velocity.iter().chain(&change.impulses);
                    assert!(numbers.all(|number| number.is_finite()), "{what} {size:e}");
                    assert!(change.reach.step >= 0.0, "{what} {size:e}");
                }
            }
        }
    }
    assert!(answered > 500, "{answered}");
}

#[test]
fn settings_out_of_range_are_refused() {
    let at = |edge: f64| {
        let settings = Settings { edge, ..Settings::default() };
        Derivative::at(&Newton::default(), &ball(0.5, 0.5), &settings).map(|found| found.state())
    };
    for edge in [f64::NAN, -1.0] {
        let error = at(edge).unwrap_err().to_string();
        assert_eq!(error, format!("setting `edge` is {edge}, expected a number ≥ 0"));
    }
    assert!(at(0.0).is_ok());
}

#[test]
fn wrong_directions_and_weights_are_refused_by_name() {
    let law = Newton::default();
    let found = derivative(&law, &ball(0.5, 0.5)).unwrap();
    let none = Direction::default;
    let refused = [
        (Direction { velocity: Some(dvector![1.0]), ..none() }, "`velocity` has the shape 1 × 1"),
        (
            Direction { velocity: Some(dvector![1.0, f64::NAN, 0.0]), ..none() },
            "`velocity[1, 0]` is NaN",
        ),
        (Direction { mass: Some(DMatrix::zeros(3, 2)), ..none() }, "`mass` has the shape 3 × 2"),
        (Direction { jacobian: Some(DMatrix::zeros(1, 3)), ..none() }, "expected 2 × 3"),
        (Direction { joints: Some(DMatrix::zeros(1, 3)), ..none() }, "expected 0 × 3"),
        (Direction { friction: Some(vec![f64::INFINITY]), ..none() }, "`friction[0, 0]` is inf"),
        (Direction { restitution: Some(vec![]), ..none() }, "`restitution` has the shape 0 × 1"),
    ];
    for (direction, message) in refused {
        let one_sided = found.one_sided(&law, &direction).map(|found| found.change);
        for result in [found.forward(&direction), one_sided] {
            let error = result.unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }
    for (velocity, impulses, message) in [
        (dvector![1.0], DVector::zeros(2), "`velocity` has the shape 1 × 1, expected 3 × 1"),
        (DVector::zeros(3), dvector![0.0], "`impulses` has the shape 1 × 1, expected 2 × 1"),
        (dvector![1.0, 0.0, f64::NAN], DVector::zeros(2), "`velocity[2, 0]` is NaN"),
    ] {
        let error = found.backward(&velocity, &impulses).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn without_contacts_the_velocity_stays() {
    let problem = Problem::new(Mass::Matrix(DMatrix::identity(2, 2)), dvector![1.0, 2.0], vec![]);
    let problem = problem.unwrap();
    for law in laws() {
        let found = derivative(&*law, &problem).unwrap();
        assert_eq!(found.by_velocity().unwrap().0, DMatrix::identity(2, 2), "{}", law.name());
        assert_eq!(found.radius(), Some(f64::INFINITY), "{}", law.name());
    }
}
