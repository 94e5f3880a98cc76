//! Bounds against what samples do, and against each other.

#![expect(clippy::float_cmp, reason = "these results are exact")]

use nalgebra::{DMatrix, dvector};

use super::*;
use crate::{
    Contact, Mass,
    friction_cone::{self, FrictionCone},
    set_valued::{SetValuedRouth, Settings},
};

/// A block of 1 m × 2 m and 1 kg falls on two corners.
fn block(friction: f64, velocity: DVector<f64>) -> Problem {
    let corner = |x: f64| {
        Contact::new(dvector![0.0, 1.0, x]).with_friction(friction, vec![dvector![1.0, 0.0, 1.0]])
    };
    let mass = Mass::Matrix(DMatrix::from_diagonal(&dvector![1.0, 1.0, 5.0 / 12.0]));
    Problem::new(mass, velocity, vec![corner(-0.5), corner(0.5)]).unwrap()
}

fn bound(problem: &Problem, step: f64) -> LcpBound {
    match friction_cone::analyze(problem, &friction_cone::Settings::default()).unwrap() {
        FrictionCone::Pointed(pointed) => LcpBound::new(problem, &pointed, step).unwrap(),
        other => panic!("{other:?}"),
    }
}

/// Seeded, so that the counts are the same on every run: the bounds hold with room.
#[test]
fn samples_take_no_more_steps_than_the_bounds_say() {
    for (friction, velocity, step) in [
        (1.0, dvector![0.0, -0.443, 0.0], 0.3),
        (0.3, dvector![0.7, -0.443, 0.5], 0.1),
        (0.0, dvector![0.0, -1.0, 1.0], 0.2),
    ] {
        let block = block(friction, velocity);
        let bound = bound(&block, step);
        let settings = Settings { step, steps: 400, samples: 2000, ..Settings::default() };
        let set = SetValuedRouth::new(settings).post_impact_set(&block, (), |_| ()).unwrap();
        let statistics = set.statistics;
        assert_eq!(statistics.terminated, 2000);
        assert!(statistics.mean_lcps() <= bound.mean(), "{} {bound:?}", statistics.mean_lcps());
        for k in 0..statistics.lcps.len() {
            let more: u64 = statistics.lcps[k + 1..].iter().sum();
            let observed = more as f64 / 2000.0;
            assert!(observed <= bound.tail(k as u64), "{k}: {observed} {bound:?}");
        }
    }
}

#[test]
fn the_tail_is_that_of_sums_of_smallest_draws() {
    // One contact: sums of K uniform draws are at most a ≤ 1 with the probability a^K / K!.
    let single = LcpBound { contacts: 1.0, reach: 0.5 };
    let mut exact = 1.0;
    for k in 1..40_u32 {
        exact *= 0.5 / f64::from(k);
        let (tail, k) = (single.tail(u64::from(k)), f64::from(k));
        assert!(exact <= tail, "{k}");
        // Stirling's formula: what the bound gives away is √(2πK) at most, to 1/(12 K).
        assert!(tail <= exact * (std::f64::consts::TAU * k).sqrt() * (0.1 / k).exp(), "{k}");
    }
}

#[test]
fn the_least_number_of_lcps_is_the_least() {
    for reach in [0.0, 0.1, 3.0, 1e3, 1e9] {
        for contacts in [1.0, 2.0, 25.0] {
            let bound = LcpBound { contacts, reach };
            let lcps = bound.lcps_for(1e-6).unwrap();
            assert!(bound.tail_at(lcps) <= 1e-6 && bound.tail_at(lcps - 1.0) > 1e-6);
        }
    }
    assert_eq!(LcpBound { contacts: 2.0, reach: f64::INFINITY }.lcps_for(0.5), Ok(f64::INFINITY));
    assert!(LcpBound { contacts: 2.0, reach: 1e300 }.lcps_for(0.5).unwrap() > 1e300);
}

#[test]
fn without_contacts_there_are_no_lcps() {
    let mass = Mass::Matrix(DMatrix::identity(1, 1));
    let free = Problem::new(mass, dvector![-1.0], vec![]).unwrap();
    let bound = bound(&free, 0.1);
    assert_eq!((bound.mean(), bound.tail(0), bound.lcps_for(1e-9).unwrap()), (0.0, 0.0, 0.0));
}

#[test]
fn units_do_not_change_the_number_of_lcps() {
    let here = bound(&block(0.5, dvector![0.2, -0.4, 0.1]), 0.3);
    // Grams and centimeters; the corners' rows turn rad/s into cm/s.
    let corner = |x: f64| {
        let row = |a: f64, b: f64, c: f64| dvector![a, b, 100.0 * c];
        Contact::new(row(0.0, 1.0, x)).with_friction(0.5, vec![row(1.0, 0.0, 1.0)])
    };
    let mass = dvector![1e3, 1e3, 1e7 * 5.0 / 12.0];
    let velocity = dvector![20.0, -40.0, 0.1];
    let mass = Mass::Matrix(DMatrix::from_diagonal(&mass));
    let there = Problem::new(mass, velocity, vec![corner(-0.5), corner(0.5)]).unwrap();
    let there = bound(&there, 0.3e5);
    assert!((here.reach / there.reach - 1.0).abs() < 1e-5, "{here:?} {there:?}");
}

/// Uniform numbers in `[0, 1)`.
fn draws(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[test]
fn samples_make_a_net_as_often_as_the_cover_says() {
    // The identity of the square; a net is missed where a fine grid point has no sample nearby.
    let cover = Cover::new(2, 1.0).unwrap();
    let radius = 0.5;
    let (samples, trials) = (30, 300);
    let promised = cover.failure(samples, radius).unwrap();
    assert!((promised - 9.0 * (8.0_f64 / 9.0).powi(30)).abs() < 1e-12, "nine cells");
    let mut draw = draws(7);
    let mut failures = 0;
    for _ in 0..trials {
        let points: Vec<_> = (0..samples).map(|_| [draw(), draw()]).collect();
        let near = |x: f64, y: f64| points.iter().any(|p| (p[0] - x).hypot(p[1] - y) <= radius);
        let grid = || (0..=20).map(|i| f64::from(i) / 20.0);
        failures += i32::from(!grid().all(|x| grid().all(|y| near(x, y))));
    }
    assert!(f64::from(failures) / f64::from(trials) <= promised);
}

#[test]
fn counts_radii_and_failures_agree() {
    for dimension in [1, 2, 5, 10] {
        let cover = Cover::new(dimension, 3.0).unwrap();
        for radius in [0.7, 2.0, 5.0, 100.0] {
            let count = cover.samples_for(radius, 0.01).unwrap();
            if count.value() > 1e15 {
                continue;
            }
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
            let samples = count.value() as u64;
            // A logarithm with 16 digits rounds a large count.
            let slack = samples / 1_000_000_000_000;
            assert!(cover.failure(samples + slack, radius).unwrap() <= 0.01);
            assert!(cover.radius_for(samples + slack, 0.01).unwrap() <= radius * (1.0 + 1e-15));
            if samples > 1 {
                assert!(cover.failure(samples - 1 - slack, radius).unwrap() > 0.01);
            }
        }
    }
}

#[test]
fn astronomical_counts_are_told_by_their_exponent() {
    let cover = Cover::new(250, 1e9).unwrap();
    let count = cover.samples_for(1e-9, 1e-3).unwrap();
    assert_eq!(count.value(), f64::INFINITY);
    assert!((count.log10() - 250.0 * (18.0 + 250.0_f64.sqrt().log10())).abs() < 5.0);
    assert!(count.to_string().ends_with("more than can ever be computed"), "{count}");
    assert_eq!(cover.failure(u64::MAX, 1e-9).unwrap(), 1.0);
    // The whole image is within its diameter of any sample.
    assert_eq!(cover.radius_for(u64::MAX, 1e-3).unwrap(), 1e9 * 250.0_f64.sqrt());
    assert_eq!(cover.samples_for(1e11, 1e-3).unwrap().value(), 1.0);
}

#[test]
fn frictionless_steps_are_as_lipschitz_as_stated() {
    let block = block(0.0, dvector![0.3, -1.0, 2.0]);
    let lipschitz = frictionless_lipschitz(&block, 0.3, 3).unwrap();
    let mut sampler = crate::set_valued::Sampler::new(
        &block,
        &Settings { step: 0.3, steps: 3, closing_step: 0.0, ..Settings::default() },
    )
    .unwrap();
    let mut follow = |draws: &[f64]| {
        sampler.restart(0);
        for draws in draws.chunks(2) {
            sampler.step(&[0.3 * draws[0], 0.3 * draws[1]]).unwrap();
        }
        sampler.velocity().clone()
    };
    let mut draw = draws(3);
    let mut steepest = 0.0_f64;
    for trial in 0..500 {
        let near = [1.0, 0.1, 1e-3][trial % 3];
        let one: Vec<f64> = (0..6).map(|_| draw() * 0.9 + 0.05).collect();
        let other: Vec<f64> = one.iter().map(|x| x + near * 0.05 * (2.0 * draw() - 1.0)).collect();
        let apart: f64 = one.iter().zip(&other).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
        let difference = follow(&one) - follow(&other);
        steepest = steepest.max((2.0 * block.kinetic_energy(&difference)).sqrt() / apart);
    }
    assert!(steepest <= lipschitz * (1.0 + 1e-9), "{steepest} {lipschitz}");
    assert!(steepest > 0.3 * lipschitz, "the constant is not far from the truth: {steepest}");
    assert_eq!(frictionless_lipschitz(&self::block(0.1, dvector![0.0, -1.0, 0.0]), 0.3, 3), None);
}

#[test]
fn steps_multiply_their_constants() {
    assert_eq!(steps_lipschitz(1.0, 2.0, 0.5, 16), 4.0);
    // 1 + 4 + 16 = 21.
    assert!((steps_lipschitz(2.0, 1.0, 1.0, 3) - 21.0_f64.sqrt()).abs() < 1e-14);
    assert!((steps_lipschitz(0.5, 1.0, 1.0, 3) - (1.0 + 0.25 + 0.0625_f64).sqrt()).abs() < 1e-15);
    assert_eq!(steps_lipschitz(0.0, 3.0, 1.0, 5), 3.0);
    assert_eq!(steps_lipschitz(1e10, 1.0, 1.0, 1000), f64::INFINITY);
}

#[test]
fn the_unseen_is_rarely_more_than_said() {
    // The largest of 50 uniform numbers leaves more than p above it with the probability (1 − p)^50.
    let p = unseen(50, 1, 0.1).unwrap();
    assert!(((1.0 - p).powi(50) - 0.1).abs() < 1e-12);
    let mut draw = draws(11);
    let failures = (0..2000).filter(|_| (0..50).map(|_| draw()).fold(0.0, f64::max) < 1.0 - p);
    let failures = failures.count() as f64 / 2000.0;
    // The bound is attained; three standard deviations of 2000 trials are 0.02.
    assert!((failures - 0.1).abs() < 0.02, "{failures}");
}

/// A point on one of four arms: the four sides of the box of such points exclude each other.
///
/// By `P(Bin(S, ε) ≤ f − 1)` the bound of each side by itself, `1 − (δ/f)^{1/S}`, fails for all of them
/// with probability 0.374 and not 0.05.
#[test]
fn one_more_sample_rarely_leaves_a_box_of_several_sides() {
    let (samples, trials, failure) = (100, 4000, 0.05);
    let together = unseen(samples, 4, failure).unwrap();
    assert!((together - 0.07571).abs() < 1e-5, "{together}");
    let one_by_one = unseen(samples, 1, failure / 4.0).unwrap();
    assert!((one_by_one - 0.04288).abs() < 1e-5, "{one_by_one}");
    let mut draw = draws(5);
    let mut broken = [0, 0];
    for _ in 0..trials {
        let mut farthest = [0.0_f64; 4];
        for _ in 0..samples {
            let place = 4.0 * draw();
            for (arm, farthest) in (0..).map(f64::from).zip(&mut farthest) {
                if (arm..arm + 1.0).contains(&place) {
                    *farthest = farthest.max(place - arm);
                }
            }
        }
        let outside = farthest.iter().map(|reach| (1.0 - reach) / 4.0).sum::<f64>();
        broken[0] += i32::from(outside > together);
        broken[1] += i32::from(outside > one_by_one);
    }
    let [together, one_by_one] = broken.map(|count| f64::from(count) / f64::from(trials));
    // Three standard deviations of 4000 trials are 0.01 and 0.023.
    assert!(together <= failure + 0.01, "{together}");
    assert!((one_by_one - 0.374).abs() < 0.023, "{one_by_one}");
}

#[test]
fn the_unseen_of_several_sides_is_the_quantile_of_a_binomial_law() {
    // f = 2: (1 − ε)^S + S ε (1 − ε)^{S−1}, attained by the smallest and the largest of uniform numbers.
    let p = unseen(10, 2, 0.3).unwrap();
    assert!(((1.0 - p).powi(10) + 10.0 * p * (1.0 - p).powi(9) - 0.3).abs() < 1e-12);
    // f = S: all but the term ε^S.
    assert!((unseen(5, 5, 0.5).unwrap() - 0.5_f64.powf(0.2)).abs() < 1e-14);
    // Large S: S ε is the quantile of a Gamma law, 6.396 having the tail 0.384 (f = 6).
    let p = unseen(1 << 14, 6, 0.384_345_536_562).unwrap();
    assert!((16384.0 * p / 6.395_679 - 1.0).abs() < 1e-3, "{p}");
    assert_eq!((unseen(3, 4, 0.5).unwrap(), unseen(3, 1, 1.0).unwrap()), (1.0, 0.0));
    let many = unseen(u64::MAX, 1000, 1e-300).unwrap();
    assert!(many > 1e-17 && many < 1e-15, "{many}");
}

#[test]
fn the_last_step_moves_no_farther_than_said() {
    let block = block(1.0, dvector![0.3, -1.0, 2.0]);
    let mut sampler =
        crate::set_valued::Sampler::new(&block, &Settings { step: 0.1, ..Settings::default() })
            .unwrap();
    sampler.restart(0);
    let before = sampler.velocity().clone();
    sampler.step(&[0.01, 0.01]).unwrap();
    let moved = (2.0 * block.kinetic_energy(&(sampler.velocity() - before))).sqrt();
    assert!(moved > 0.0 && moved <= closing_distance(&block, 0.01));
}

#[test]
fn wrong_arguments_are_refused_by_name() {
    let cover = Cover::new(2, 1.0).unwrap();
    let block = block(1.0, dvector![0.0, -1.0, 0.0]);
    let cone = |constant| Pointed {
        direction: dvector![0.0, 1.0, 0.0],
        constant,
        constant_bound: 1.0,
        disk_constant: 1.0,
    };
    for (error, expected) in [
        (Cover::new(0, 1.0).unwrap_err(), "`dimension` is 0"),
        (Cover::new(1, f64::NAN).unwrap_err(), "`lipschitz` is NaN"),
        (cover.failure(1, 0.0).unwrap_err(), "`radius` is 0"),
        (cover.samples_for(1.0, 0.0).unwrap_err(), "`failure` is 0"),
        (cover.radius_for(0, 0.5).unwrap_err(), "`samples` is 0"),
        (unseen(1, 0, 0.5).unwrap_err(), "`functionals` is 0"),
        (LcpBound::new(&block, &cone(1.0), 0.0).unwrap_err(), "`step` is 0"),
        (LcpBound::new(&block, &cone(-1.0), 0.1).unwrap_err(), "`cone.constant` is -1"),
    ] {
        assert!(error.to_string().contains(expected), "{error}");
    }
    let long = Pointed { direction: dvector![1.0], ..cone(1.0) };
    assert!(LcpBound::new(&block, &long, 0.1).is_err());
}
