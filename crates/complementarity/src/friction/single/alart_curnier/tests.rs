//! Tests of the function, its derivative, the steps and the reported residual.

use nalgebra::vector;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;

fn random_contact(random: &mut ChaCha8Rng) -> Contact {
    let factor = Matrix3::from_fn(|_, _| random.random_range(-1.0..1.0));
    let block = factor.transpose() * factor + Matrix3::identity() * 0.2;
    Contact::new(&block, random.random_range(0.1..1.5)).unwrap()
}

/// `F` as the head of the module states it.
fn stated(contact: &Contact, b: &Vector3<f64>, x: &Vector3<f64>, steps: [f64; 2]) -> Vector3<f64> {
    let u = contact.block() * x - b;
    let normal = f64::max(0.0, x.x - steps[0] * u.x);
    let trial = x.yz() - steps[1] * u.yz();
    let radius = contact.friction() * x.x.max(0.0);
    let share = if trial.norm() > radius { radius / trial.norm() } else { 1.0 };
    vector![x.x - normal, x.y - share * trial.x, x.z - share * trial.y]
}

#[test]
fn the_jacobian_is_the_derivative_of_the_function() {
    let mut random = ChaCha8Rng::seed_from_u64(61);
    let mut seen = [0; 4];
    for _ in 0..400 {
        let contact = random_contact(&mut random);
        let b = Vector3::from_fn(|_, _| random.random_range(-1.0..1.0));
        let x = Vector3::from_fn(|_, _| random.random_range(-1.0..2.0));
        let steps = [0.7, 0.4];
        let (value, jacobian) = function(&contact, &b, &x, steps);
        assert!((value - stated(&contact, &b, &x, steps)).norm() <= 1e-14, "{contact:?} {x}");
        // The side of each condition, which a difference must not cross.
        let side = |x: &Vector3<f64>| {
            let u = contact.block() * x - b;
            let trial = (x.yz() - steps[1] * u.yz()).norm();
            let slides = trial > contact.friction() * x.x.max(0.0);
            [x.x > steps[0] * u.x, slides, x.x > 0.0]
        };
        let h = 1e-5;
        for column in 0..3 {
            let mut offset = Vector3::zeros();
            offset[column] = h;
            let ends = [x + offset, x - offset];
            if ends.iter().any(|end| side(end) != side(&x)) {
                continue;
            }
            let [above, below] = ends.map(|end| stated(&contact, &b, &end, steps));
            let difference = (above - below) / (2.0 * h);
            let error = (difference - jacobian.column(column)).norm();
            assert!(error <= 1e-6 * (1.0 + 1.0 / x.yz().norm()), "{contact:?} {x} {column}");
            let [pushed, slides, positive] = side(&x);
            seen[usize::from(slides) + 2 * usize::from(positive)] += usize::from(pushed);
        }
    }
    assert!(seen.iter().sum::<usize>() > 400 && seen[1] > 20 && seen[3] > 100, "{seen:?}");
}

/// The residual of an accepted guess is `A_nn ‖F‖` with `ρ_n = 1/A_nn`, `ρ_t = 2/(A_tt + A_oo)`, and the tolerance is
/// relative to `‖b‖`.
#[test]
fn the_residual_is_that_of_the_stated_function() {
    let mut random = ChaCha8Rng::seed_from_u64(62);
    for _ in 0..50 {
        let contact = random_contact(&mut random);
        let size = 10_f64.powf(random.random_range(-3.0..3.0));
        let b = Vector3::from_fn(|_, _| size * random.random_range(-1.0..1.0));
        let guess = Vector3::from_fn(|_, _| size * random.random_range(-1.0..1.0));
        let block = contact.block();
        let steps = [1.0 / block[(0, 0)], 2.0 / (block[(1, 1)] + block[(2, 2)])];
        let expected = stated(&contact, &b, &guess, steps).norm() * block[(0, 0)];
        let share = expected / b.norm();
        let accepted = solve(&contact, &b, &guess, share * 1.001);
        assert_eq!((accepted.impulse, accepted.iterations), (guess, 0));
        assert!((accepted.residual - expected).abs() <= 1e-12 * expected, "{accepted:?}");
        assert!(solve(&contact, &b, &guess, share * 0.999).iterations > 0);
    }
}

/// The first of equal iterates is reported, here the solution of a linear problem after one step.
#[test]
fn the_first_best_iterate_is_reported() {
    let contact = Contact::new(&Matrix3::identity(), 1.0).unwrap();
    let answer = solve(&contact, &vector![2.0, 1.0, 0.0], &vector![1.0, 0.0, 0.0], -1.0);
    assert_eq!((answer.impulse, answer.iterations), (vector![2.0, 1.0, 0.0], 1));
    assert!(answer.residual.abs() <= 0.0, "{answer:?}");
}

/// Newton's method on regular contacts: a few steps from any start, in nearly all cases; some only because steps are halved.
#[test]
fn few_steps_solve_nearly_all_regular_contacts() {
    let mut random = ChaCha8Rng::seed_from_u64(63);
    let (mut steps, mut unsolved) = (0, 0);
    for _ in 0..1000 {
        let contact = random_contact(&mut random);
        let mut b = Vector3::<f64>::from_fn(|_, _| random.random_range(-1.0..1.0));
        b.x = b.x.abs();
        let guess = Vector3::from_fn(|_, _| random.random_range(-2.0..2.0));
        let answer = solve(&contact, &b, &guess, 1e-10);
        if answer.residual > 1e-10 * b.norm() {
            unsolved += 1;
        } else {
            steps += answer.iterations;
        }
    }
    assert!(unsolved <= 20 && steps <= 6000, "{unsolved} {steps}");
}
