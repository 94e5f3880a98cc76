//! Tests of the steps of the closed form against the conditions of the minimum.

use std::f64::consts::TAU;

use nalgebra::{Matrix3, Vector3, matrix, vector};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::friction::single::Load;

/// A regular block with a coupling of any direction, and `b` with an approach that slides.
fn sliding(random: &mut ChaCha8Rng) -> (Contact, Vector3<f64>) {
    loop {
        let factor = Matrix3::from_fn(|_, _| random.random_range(-1.0..1.0));
        let block = factor.transpose() * factor + Matrix3::identity() * 0.3;
        let contact = Contact::new(&block, random.random_range(0.05..0.8)).unwrap();
        let mut b = Vector3::<f64>::from_fn(|_, _| random.random_range(-1.0..1.0));
        b.x = b.x.abs() + 0.1;
        let load = contact.load(&b);
        let tilt = contact.tilt();
        if contact.stick(&load).is_none() && tilt[0].hypot(tilt[1]) < 0.7 {
            return (contact, b);
        }
    }
}

/// The best point of the boundary `r = μ b_n/(A_nn + μ a·e)` among 3600 angles, improved by golden sections.
fn searched(contact: &Contact, b: &Vector3<f64>) -> Vector3<f64> {
    let point = |angle: f64| {
        let (s, c) = angle.sin_cos();
        let block = contact.block();
        let width = block[(0, 0)] + contact.friction() * (block[(0, 1)] * c + block[(0, 2)] * s);
        let normal = b.x / width;
        vector![normal, contact.friction() * normal * c, contact.friction() * normal * s]
    };
    let energy = |angle: f64| contact.energy(b, &point(angle));
    let angle = |i: i32| TAU * f64::from(i) / 3600.0;
    let best = (0..3600).min_by(|i, j| energy(angle(*i)).total_cmp(&energy(angle(*j)))).unwrap();
    let (mut left, mut right) = (angle(best - 1), angle(best + 1));
    for _ in 0..60 {
        let inner = [left + 0.382 * (right - left), right - 0.382 * (right - left)];
        if energy(inner[0]) < energy(inner[1]) { right = inner[1] } else { left = inner[0] }
    }
    point(0.5 * (left + right))
}

#[test]
fn steps_from_the_sticking_direction_find_the_minimum() {
    let mut random = ChaCha8Rng::seed_from_u64(41);
    let mut found = 0;
    for _ in 0..200 {
        let (contact, b) = sliding(&mut random);
        let load = contact.load(&b);
        let conic = Conic::new(&contact, &load);
        let expected = searched(&contact, &b);
        let Some(x) = near(&conic, contact.sticking(&load)) else { continue };
        found += 1;
        // A search by values knows the place to the root of the rounding.
        assert!((x - expected).norm() <= 1e-6 * expected.norm(), "{contact:?} {b} {x} {expected}");
    }
    assert!(found > 190, "{found} of 200");
}

/// At a stationary point `P y − q = −s (e + k)`, and the minimum is the one with `s > 0`.
#[test]
fn the_minimum_is_where_the_gradient_points_into_the_conic() {
    let mut random = ChaCha8Rng::seed_from_u64(42);
    let mut seen = [0, 0];
    for _ in 0..300 {
        let (contact, b) = sliding(&mut random);
        let load = contact.load(&b);
        let conic = Conic::new(&contact, &load);
        let expected = searched(&contact, &b);
        for &at in conic.slope().roots().as_slice() {
            let ray: Ray = at.into();
            let x = conic.point(&ray).unwrap();
            let is_best = (x - expected).norm() <= 1e-6 * expected.norm();
            // The velocity after the impulse, times the direction in which the conic is left.
            let velocity = contact.velocity(&b, &x);
            let k = contact.tilt();
            let leaving = velocity.y * (at.cosine + k[0]) + velocity.z * (at.sine + k[1]);
            assert_eq!(is_minimum(&conic, &ray, &x), leaving < 0.0, "{contact:?} {b} {x}");
            assert_eq!(is_minimum(&conic, &ray, &x), is_best, "{contact:?} {b} {x}");
            seen[usize::from(is_best)] += 1;
            // The same for a ray of another length.
            let long = Ray { along: ray.along.map(|x| 8.0 * x), length: 8.0 };
            assert_eq!(is_minimum(&conic, &long, &x), is_best, "{contact:?} {b} {x}");
        }
    }
    assert!(seen.iter().all(|count| *count > 250), "{seen:?}");
    // Without a gradient, the point sticks.
    let contact = Contact::new(&matrix![1.0, 0.0, 0.0; 0.0, 1.0, 0.0; 0.0, 0.0, 2.0], 1.0).unwrap();
    let load = contact.load(&vector![1.0, 1.0, 0.0]);
    let ray = Direction { cosine: 1.0, sine: 0.0 }.into();
    assert!(!is_minimum(&Conic::new(&contact, &load), &ray, &vector![1.0, 1.0, 0.0]));
}

/// Newton's method: an error of 10⁻³ is below rounding after three steps, from every side; from far away no step is taken.
#[test]
fn polishing_converges_from_near_and_does_nothing_from_afar() {
    let mut random = ChaCha8Rng::seed_from_u64(43);
    for _ in 0..300 {
        let (contact, b) = sliding(&mut random);
        let load = contact.load(&b);
        let conic = Conic::new(&contact, &load);
        let exact = solve(&contact, &b);
        let size = exact.yz().norm();
        // Flat minima are known less well.
        let twice = polish(&conic, polish(&conic, exact).impulse).impulse;
        if (twice - exact).norm() > 1e-12 * size {
            continue;
        }
        let (s, c) = random.random_range(0.0..TAU).sin_cos();
        let moved = |distance: f64| {
            let y = exact.yz() + nalgebra::vector![c, s] * (distance * size);
            vector![0.0, y.x, y.y]
        };
        let Polished { impulse, settled } = polish(&conic, moved(1e-4));
        assert!(settled, "{contact:?} {b}");
        assert!((impulse - exact).norm() <= 1e-11 * size, "{contact:?} {b} {impulse} {exact}");
        let Polished { impulse, settled } = polish(&conic, moved(10.0));
        assert!(!settled, "{contact:?} {b}");
        let unchanged = (impulse - moved(10.0)).yz().norm();
        assert!(unchanged <= 1e-15 * size * 10.0, "{contact:?} {b} {impulse}");
    }
}

/// Three steps from 9 % away are often not enough; what is settled has an error of the square of the last step.
#[test]
fn points_that_are_still_moving_are_not_settled() {
    let mut random = ChaCha8Rng::seed_from_u64(44);
    let mut moving = 0;
    for _ in 0..1000 {
        let (contact, b) = sliding(&mut random);
        let load = contact.load(&b);
        let conic = Conic::new(&contact, &load);
        let exact = solve(&contact, &b);
        let size = exact.yz().norm();
        let (s, c) = random.random_range(0.0..TAU).sin_cos();
        let start = exact + vector![0.0, c, s] * (0.09 * size);
        let Polished { impulse, settled } = polish(&conic, start);
        let error = (impulse - exact).norm() / size;
        assert!(!settled || error <= 1e-9, "{contact:?} {b} {error}");
        moving += usize::from(!settled);
    }
    assert!((10..990).contains(&moving), "{moving}");
}

/// By hand: `μ a = (2, 0)` and `A_nn = 1` close the contact along `e` with `e_t = −½`, so that without approach
/// the impulse is the best point of the two rays, `r = e·q/(eᵀ P e)`.
#[test]
fn a_jam_takes_the_better_of_its_two_rays() {
    let block = matrix![1.0, 1.0, 0.0; 1.0, 3.0, 0.0; 0.0, 0.0, 1.0];
    let contact = Contact::new(&block, 2.0).unwrap();
    // P = diag(2, 1), so eᵀ P e = 2/4 + 3/4.
    let sine = 0.75_f64.sqrt();
    for (q, side) in [([-0.4, 0.9], 1.0), ([-0.4, -0.9], -1.0), ([-0.2, 0.9], 1.0)] {
        let load = contact.load(&vector![0.0, q[0], q[1]]);
        let drive = -0.5 * q[0] + sine * side * q[1];
        let r = drive / 1.25;
        let expected = vector![0.5 * r, -0.5 * r, side * sine * r];
        let found = degenerate(&Conic::new(&contact, &load)).unwrap();
        assert!((found - expected).norm() <= 1e-15, "{q:?} {found} {expected}");
        assert!((solve(&contact, &vector![0.0, q[0], q[1]]) - expected).norm() <= 1e-15);
    }
    // Pushed away from both rays, or not at all.
    for q in [[1.0, 0.0], [0.0, 0.0], [2.0, 1.0]] {
        let load = contact.load(&vector![0.0, q[0], q[1]]);
        assert_eq!(degenerate(&Conic::new(&contact, &load)), None, "{q:?}");
    }
    // A ray along which nothing resists has no best point.
    let free = Contact::new(&matrix![1.0, 1.0, 0.0; 1.0, 1.0, 0.0; 0.0, 0.0, 1.0], 1.0).unwrap();
    let load = free.load(&vector![0.0, -1.0, 0.0]);
    assert_eq!(degenerate(&Conic::new(&free, &load)), None);
}

/// Without a slope the point with the smallest impulse is taken: along the coupling, `x_n = b_n/(A_nn + μ‖a‖)`.
#[test]
fn where_every_point_is_as_good_the_smallest_impulse_is_taken() {
    let v = vector![1.0, 0.3, -0.4];
    let contact = Contact::new(&(v * v.transpose()), 0.5).unwrap();
    let load = Load { normal: 2.0, tangent: [0.0, 0.0] };
    let x = best(&Conic::new(&contact, &load));
    let normal = 2.0 / (1.0 + 0.5 * 0.5);
    assert!((x - vector![normal, 0.3 * normal, -0.4 * normal]).norm() <= 1e-15, "{x}");
    // Without a coupling any direction serves.
    let contact = Contact::new(&Matrix3::identity(), 0.5).unwrap();
    let x = best(&Conic::new(&contact, &load));
    assert!((x.x - 2.0).abs() <= 1e-15 && (x.yz().norm() - 1.0).abs() <= 1e-15, "{x}");
}
