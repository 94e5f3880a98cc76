//! Designs against closed forms, first-order conditions and hostile models.

use std::convert::Infallible;

use nalgebra::dmatrix;
use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};

use super::*;

/// A model of one contact with this gap.
fn touching(gap: impl Fn(&[f64]) -> f64) -> impl FnMut(&[f64]) -> Result<Posture, Infallible> {
    move |x| Ok(Posture { gaps: vec![gap(x)], products: dmatrix![1.0] })
}

fn free(start: &[f64]) -> Vec<Variable> {
    start.iter().map(|&start| Variable::new(start, 1.0)).collect()
}

fn run(gap: impl Fn(&[f64]) -> f64, variables: &[Variable]) -> Report {
    solve(&mut touching(gap), variables, &[], &Settings::default()).unwrap()
}

fn assert_near(found: &[f64], expected: &[f64], tolerance: f64) {
    let largest = found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(found.len() == expected.len() && largest <= tolerance, "{found:?}, {expected:?}");
}

/// What is left of the way to the start is at most the setting times three, and the distance depends on its
/// square.
const NEAR: f64 = 1e-5;

#[test]
fn the_nearest_point_of_a_circle_lies_on_the_ray_to_the_start() {
    let circle = |x: &[f64]| x[0].hypot(x[1]) - 1.0;
    let report = run(circle, &free(&[3.0, 4.0]));
    assert_eq!(report.status, Status::Met);
    assert_near(&report.variables, &[0.6, 0.8], NEAR);
    assert!((report.distance - 4.0).abs() <= 1e-9 && report.gaps[0].abs() <= 1e-10);
    assert!(report.derivative_error <= 1e-6 && report.left <= 1e-5, "{report:?}");
    // From inside as well, where the curvature is not on the side of the start.
    let report = run(circle, &free(&[0.03, 0.04]));
    assert_eq!(report.status, Status::Met);
    assert_near(&report.variables, &[0.6, 0.8], NEAR);
}

#[test]
fn bounds_hold_and_the_point_is_nearest_within_them() {
    let circle = |x: &[f64]| x[0].hypot(x[1]) - 1.0;
    let variables = [Variable::new(3.0, 1.0).within(0.7, 5.0), Variable::new(4.0, 1.0)];
    let report = run(circle, &variables);
    assert_eq!(report.status, Status::Met);
    assert_near(&report.variables, &[0.7, 0.51_f64.sqrt()], 1e-9);
    // A variable whose bounds agree is a constant.
    let fixed = [Variable::new(0.28, 1.0).within(0.28, 0.28), Variable::new(4.0, 1.0)];
    assert_near(&run(circle, &fixed).variables, &[0.28, 0.96], 1e-9);
}

#[test]
fn scales_decide_what_is_near() {
    // On the line x + y = 1, from (0, 0), with y three times as cheap: (1, 9)/10.
    let line = |x: &[f64]| x[0] + x[1] - 1.0;
    let variables = [Variable::new(0.0, 1.0), Variable::new(0.0, 3.0)];
    let report = run(line, &variables);
    assert_near(&report.variables, &[0.1, 0.9], 1e-9);
    // In millimeters nothing else changes.
    let mm = |x: &[f64]| line(&[1e-3 * x[0], x[1]]);
    let variables = [Variable::new(0.0, 1000.0), Variable::new(0.0, 3.0)];
    let other = run(mm, &variables);
    assert_near(&other.variables, &[100.0, 0.9], 1e-6);
    assert_eq!(other.path.len(), report.path.len());
}

/// Two normals that turn with two of the variables, in the metric of a mass matrix that changes with others.
fn wandering(x: &[f64]) -> Result<Posture, Infallible> {
    let mass = DMatrix::from_fn(5, 5, |i, j| {
        let own = if i == j { 2.0 + (x[i] + 0.3 * i as f64).sin() } else { 0.0 };
        own + 0.1 * (x[0] * x[1] + x[2]).cos()
    });
    let normals = DMatrix::from_columns(&[
        DVector::from_column_slice(&[x[3].cos(), x[3].sin(), 0.2, x[0], 0.0]),
        DVector::from_column_slice(&[x[4].cos(), -x[4].sin(), 0.1, 0.0, x[1]]),
    ]);
    let gaps = vec![0.05 * (x[0] + 0.3 * x[1] * x[2]), 0.05 * (x[1] + x[2] * x[2] - 0.5 * x[3])];
    let inverse = mass.cholesky().expect("diagonal dominance").inverse();
    Ok(Posture { gaps, products: normals.tr_mul(&(inverse * &normals)) })
}

/// At the answer, the way to the start is orthogonal to every direction in which the equations hold: it is a
/// combination of their gradients, which are differenced here in another way.
#[test]
fn orthogonal_normals_are_found_at_a_nearest_point() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut met = 0;
    for _ in 0..20 {
        let mut uniform = || (random.next_u64() >> 11) as f64 * f64::exp2(-53.0) - 0.5;
        let variables = free(&[(); 5].map(|()| uniform()));
        // Two gaps and one product: two freedoms are left.
        let conditions = Condition::pairwise_orthogonal(2);
        let settings = Settings::default();
        let report = solve(&mut wandering, &variables, &conditions, &settings).unwrap();
        if report.status != Status::Met {
            continue;
        }
        met += 1;
        assert!(report.gaps.iter().all(|gap| gap.abs() <= settings.gap_tolerance));
        assert!(report.cosines[0].abs() <= settings.cosine_tolerance);
        let equations = |x: &[f64]| {
            let at = wandering(x).unwrap();
            let cosine = at.products[(0, 1)] / (at.products[(0, 0)] * at.products[(1, 1)]).sqrt();
            DVector::from_vec(at.gaps).push(cosine)
        };
        let gradients = DMatrix::from_columns(
            &(0..5)
                .map(|k| {
                    let at = |h: f64| {
                        let mut x = report.variables.clone();
                        x[k] += h;
                        equations(&x)
                    };
                    (at(1e-5) - at(-1e-5)) / 2e-5
                })
                .collect::<Vec<_>>(),
        );
        let way = DVector::from_fn(5, |k, _| variables[k].start - report.variables[k]);
        let normal = gradients.transpose().svd(true, true).solve(&way, 1e-9).unwrap();
        let along = &way - gradients.tr_mul(&normal);
        assert!(along.norm() <= 1e-5 * (1.0 + way.norm()), "{along}, {report:?}");
    }
    assert!(met >= 15, "only {met} of 20 have a nearest point");
}

#[test]
fn redundant_equations_do_no_harm() {
    let mut twice = |x: &[f64]| {
        let gap = x[0].hypot(x[1]) - 1.0;
        Ok::<_, Infallible>(Posture {
            gaps: vec![gap, gap],
            products: dmatrix![1.0, 0.0; 0.0, 1.0],
        })
    };
    let report = solve(&mut twice, &free(&[3.0, 4.0]), &[], &Settings::default()).unwrap();
    assert_eq!(report.status, Status::Met);
    assert_near(&report.variables, &[0.6, 0.8], NEAR);
}

#[test]
fn where_nothing_touches_the_least_gap_is_stationary() {
    let report = run(|x| 1.0 + x[0] * x[0] + x[1] * x[1], &free(&[3.0, 0.5]));
    assert_eq!(report.status, Status::Stationary);
    assert_near(&report.variables, &[0.0, 0.0], 1e-3);
    assert!(report.left.is_infinite());
    // At a bound the gradient need not vanish.
    let report = run(|x| x[0], &[Variable::new(3.0, 1.0).within(2.0, 4.0)]);
    assert_eq!((report.status, report.variables), (Status::Stationary, vec![2.0]));
}

#[test]
fn the_limit_of_steps_is_a_status() {
    let circle = |x: &[f64]| x[0] * x[0] + x[1] * x[1] - 1.0;
    for (step_limit, status) in [(1, Status::Limit), (1000, Status::Met)] {
        let settings = Settings { step_limit, ..Settings::default() };
        let report = solve(&mut touching(circle), &free(&[3.0, 4.0]), &[], &settings).unwrap();
        assert_eq!(report.status, status, "{report:?}");
        assert!(report.path.len() <= step_limit + 1);
    }
}

#[test]
fn a_model_with_a_kink_shows_in_the_error_of_the_derivatives() {
    let off = run(|x| (x[0] - 1.000_3).abs() + 0.01 * x[0] + x[1] - 1.0, &free(&[1.0, 0.0]));
    assert!(off.derivative_error > 0.1, "{off:?}");
}

#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("x is {0}")]
struct Beyond(f64);

#[test]
fn a_model_that_fails_on_the_way_shortens_the_step_and_at_the_start_ends_the_design() {
    // The first full step from 0.1 goes to 5, where there is no root.
    let mut model = |x: &[f64]| match x[0] {
        x if x > 2.0 => Err(Beyond(x)),
        x => Ok(Posture { gaps: vec![x * x - 1.0], products: dmatrix![1.0] }),
    };
    let report = solve(&mut model, &free(&[0.1]), &[], &Settings::default()).unwrap();
    assert_eq!(report.status, Status::Met);
    assert_near(&report.variables, &[1.0], 1e-9);
    let refused = solve(&mut model, &free(&[3.0]), &[], &Settings::default()).unwrap_err();
    assert_eq!(refused, Error::Model(Beyond(3.0)));
}

#[test]
fn without_variables_or_contacts_there_is_nothing_to_do() {
    let report = run(|_| 0.0, &[]);
    assert_eq!((report.status, report.evaluations), (Status::Met, 2));
    assert_eq!(run(|_| 1.0, &[]).status, Status::Stationary);
    let mut none =
        |_: &[f64]| Ok::<_, Infallible>(Posture { gaps: vec![], products: DMatrix::zeros(0, 0) });
    let report = solve(&mut none, &free(&[2.0]), &[], &Settings::default()).unwrap();
    assert_eq!((report.status, report.variables), (Status::Met, vec![2.0]));
}

#[test]
fn what_makes_no_sense_is_refused_by_name() {
    let sane = Settings::default();
    let refuse = |variables: &[Variable], conditions: &[Condition], settings: &Settings| {
        solve(&mut touching(|x| x[0]), variables, conditions, settings).unwrap_err().to_string()
    };
    let one = [Variable::new(1.0, 1.0)];
    for (settings, name) in [
        (Settings { gap_tolerance: 0.0, ..sane }, "gap_tolerance"),
        (Settings { cosine_tolerance: f64::NAN, ..sane }, "cosine_tolerance"),
        (Settings { length: f64::INFINITY, ..sane }, "length"),
        (Settings { nearness: -1.0, ..sane }, "nearness"),
        (Settings { step_limit: 0, ..sane }, "step_limit"),
    ] {
        assert!(refuse(&one, &[], &settings).contains(name));
    }
    for (variable, field) in [
        (Variable::new(1.0, 0.0), "scale"),
        (Variable::new(f64::NAN, 1.0), "start"),
        (one[0].within(2.0, 3.0), "start"),
        (one[0].within(3.0, 2.0), "upper"),
        (one[0].within(f64::NAN, 2.0), "lower"),
    ] {
        let message = refuse(&[variable], &[], &sane);
        assert!(message.contains(field) && message.contains("variable 0"), "{message}");
    }
    for pair in [[0, 0], [0, 1], [7, 0]] {
        let message = refuse(&one, &[Condition::reflections(pair, 2)], &sane);
        assert!(message.contains("condition 0") && message.contains("below 1"), "{message}");
    }
    for cosine in [1.0, -1.5, f64::NAN] {
        let condition = Condition { contacts: [0, 1], cosine };
        assert!(refuse(&one, &[condition], &sane).contains("(−1, 1)"));
    }
    let message = solve(&mut touching(|x| (x[0] - 2.0).sqrt()), &one, &[], &sane).unwrap_err();
    assert!(matches!(message, Error::NotFinite { equation: 0, .. }), "{message}");
    let mut changing = |x: &[f64]| {
        let gaps = if x[0] > 1.0 { vec![1.0, 1.0] } else { vec![x[0]] };
        Ok::<_, Infallible>(Posture { gaps, products: dmatrix![1.0] })
    };
    let error = solve(&mut changing, &one, &[], &sane).unwrap_err();
    assert!(matches!(error, Error::Shape { expected: 1, found: 2, .. }), "{error}");
}
