//! Tests of the gap between rods.

#![expect(clippy::float_cmp, reason = "these results are exact")]

use proptest::prelude::*;

use super::*;
use crate::{
    gap::{
        bias_tests::{self, BOUND, STEP},
        tests::defect,
    },
    testing::{fixed_seed, moved, planar_states, plane, space, states, vectors},
};

/// The smallest distance of many points of two segments, an upper bound.
fn sampled([p, d]: [Vector3<f64>; 2], [q, e]: [Vector3<f64>; 2], count: u32) -> f64 {
    let part = |i: u32| f64::from(i) / f64::from(count);
    (0..=count)
        .map(|i| p + part(i) * d)
        .map(|point| (point - q - along(&(point - q), &e) * e).norm())
        .fold(f64::INFINITY, f64::min)
}

fn segments() -> impl Strategy<Value = [[Vector3<f64>; 2]; 2]> {
    let segment = || (vectors(), prop_oneof![vectors(), Just(Vector3::zeros())]);
    (segment(), segment()).prop_map(|((p, d), (q, e))| [[p, d], [q, e]])
}

/// Whether the same features of two rods are nearest at all points of the differences, with cores apart by more than
/// 0.3 and axes by more than 20°, so that derivatives have the bound of [`BOUND`].
fn is_smooth(pair: &RodRod, system: &dyn System, q: &[f64], v: &[f64]) -> bool {
    let sliding = |s: f64| pair.pair(system, &moved(system, q, v, s)).2.sliding;
    let (contact, _, near) = pair.pair(system, q);
    let [d, e] = [&pair.rod_1, &pair.rod_2].map(|rod| rod.segment(system, q)[1]);
    let crosses = near.sliding == [true; 2];
    // The tangent rotates fast where the normal is along the axis.
    contact.gap + pair.rod_1.radius + pair.rod_2.radius > 0.3
        && contact.frame.normal.xy().norm() > 0.5
        && (!crosses || d.cross(&e).norm() > 0.34 * d.norm() * e.norm())
        && [-2.0, 2.0].iter().all(|side| sliding(side * STEP) == near.sliding)
}

proptest! {
    #![proptest_config(fixed_seed())]

    #[test]
    fn biases_of_two_rods_are_rates_of_rows(
        (q, v) in states(), length in 0.5..2.0, radius in 0.0..1.0, center in vectors(),
    ) {
        let system = space();
        let rods = [Rod::of_body(0, length, radius), Rod::of_body(1, 1.0, 0.2)];
        let ball = Rod::from(Sphere::on_body(1, center, 0.3));
        let fixed = Rod::in_world([center, center + Vector3::new(0.4, 1.0, -0.3)], 0.1);
        for [one, two] in [rods, [rods[0], ball], [ball, rods[0]], [rods[1], fixed], [fixed, rods[0]]] {
            let pair = RodRod::new(one, two).unwrap();
            if is_smooth(&pair, &system, &q, &v) {
                let defect = bias_tests::defect(&pair, &system, &q, &v);
                prop_assert!(defect < 10.0 * BOUND, "{defect:e} {:?}", pair.pair(&system, &q).2);
            }
        }
    }

    #[test]
    fn biases_of_two_rods_in_the_plane_are_rates_of_rows(
        (q, v) in planar_states(), length in 0.1..2.0, radius in 0.0..1.0,
    ) {
        let system = plane();
        let pair = RodRod::new(Rod::of_body(0, length, radius), Rod::of_body(1, 1.0, 0.2)).unwrap();
        if is_smooth(&pair, &system, &q, &v) {
            prop_assert!(bias_tests::defect(&pair, &system, &q, &v) < BOUND);
        }
    }

    #[test]
    fn no_points_of_two_segments_are_nearer([first, second] in segments()) {
        let [c_1, c_2] = nearest(first, second).points;
        let distance = (c_1 - c_2).norm();
        for ([start, d], c) in [(first, c_1), (second, c_2)] {
            prop_assert!((c - start - along(&(c - start), &d) * d).norm() < 1e-14);
        }
        let sampled = sampled(first, second, 500);
        prop_assert!(distance <= sampled + 1e-14, "{distance} {sampled}");
        prop_assert!(sampled <= distance + first[1].norm() / 500.0 + 1e-14, "{distance} {sampled}");
    }

    #[test]
    fn rows_of_two_rods_are_velocities(
        (q, v) in states(), length in 0.1..2.0, radius in 0.0..1.0, center in vectors(),
    ) {
        let system = space();
        let rods = [Rod::of_body(0, length, radius), Rod::of_body(1, 1.0, 0.2)];
        let ball = Rod::from(Sphere::on_body(1, center, 0.3));
        let fixed = Rod::in_world([center, center + Vector3::new(0.4, 1.0, -0.3)], 0.1);
        let pairs = [([0, 1], rods), ([0, 1], [rods[0], ball]), ([1, 0], [ball, rods[0]])];
        for (bodies, [one, two]) in pairs {
            let pair = RodRod::new(one, two).unwrap();
            // At smaller distances the third derivatives of the distance exceed 1e4.
            if pair.gap(&system, &q) + one.radius + two.radius > 0.3 {
                let defect = defect(&pair, bodies.map(Some), &system, &q, &v);
                prop_assert!(defect < 1e-7, "{defect:e}");
            }
        }
        let pair = RodRod::new(rods[1], fixed).unwrap();
        if pair.gap(&system, &q) + 0.3 > 0.3 {
            prop_assert!(defect(&pair, [Some(1), None], &system, &q, &v) < 1e-7);
        }
    }

    #[test]
    fn rows_of_two_rods_in_the_plane_are_velocities(
        (q, v) in planar_states(), length in 0.1..2.0, radius in 0.0..1.0,
    ) {
        let system = plane();
        let pair = RodRod::new(Rod::of_body(0, length, radius), Rod::of_body(1, 1.0, 0.2)).unwrap();
        if pair.gap(&system, &q) + radius + 0.2 > 0.3 {
            prop_assert!(defect(&pair, [Some(0), Some(1)], &system, &q, &v) < 1e-7);
        }
    }
}

fn contact(first: [Vector3<f64>; 2], second: [Vector3<f64>; 2]) -> ContactPoint {
    let rods = [first, second].map(|ends| Rod::in_world(ends, 0.1));
    RodRod::new(rods[0], rods[1]).unwrap().contact_point(&space(), &[0.0; 14]).unwrap()
}

#[test]
fn parallel_rods_touch_in_the_middle_of_the_stretch_they_share() {
    let point = |x: f64, z: f64| Vector3::new(x, 0.0, z);
    // From −1 to 1 and from 0 to 3: the middle is at ½, also when one rod is reversed or slightly rotated.
    for second in [[point(0.0, 0.0), point(3.0, 0.0)], [point(3.0, 0.0), point(0.0, 1e-9)]] {
        let contact = contact([point(-1.0, 1.0), point(1.0, 1.0)], second);
        assert!((contact.gap - 0.8).abs() < 1e-8, "{contact:?}");
        assert!((contact.point - point(0.5, 0.9)).norm() < 1e-8, "{contact:?}");
        assert!((contact.frame.normal - Vector3::z()).norm() < 1e-8, "{contact:?}");
    }
    // Without a common stretch, the ends are nearest.
    let beyond = contact([point(-1.0, 1.0), point(1.0, 1.0)], [point(2.0, 0.0), point(3.0, 0.0)]);
    assert!((beyond.gap - (2.0_f64.sqrt() - 0.2)).abs() < 1e-15, "{beyond:?}");
}

#[test]
fn rods_whose_axes_meet_have_the_normal_that_is_stated() {
    let [o, x, y, z] = [Vector3::zeros(), Vector3::x(), Vector3::y(), Vector3::z()];
    let crossed = contact([-x, x], [-y, y]);
    assert_eq!((crossed.gap, crossed.frame.normal), (-0.2, z));
    let collinear = contact([-x, x], [o, x]);
    assert_eq!(collinear.gap, -0.2);
    assert!(collinear.frame.normal.dot(&x).abs() < 1e-15, "{collinear:?}");
    let points = contact([o, o], [o, o]);
    assert_eq!((points.gap, points.frame.normal), (-0.2, z));

    let rods = [Rod::of_body(0, 2.0, 0.1), Rod::of_body(1, 2.0, 0.1)];
    let pair = RodRod::new(rods[0], rods[1]).unwrap();
    let crossed = pair.contact_point(&plane(), &[0.0, 0.0, 1.0, 0.2, 0.0, 0.0]).unwrap();
    assert_eq!((crossed.gap, crossed.frame.normal), (-0.2, y));
}

#[test]
fn numbers_that_are_no_sizes_are_refused() {
    let rod = Rod::of_body(0, 1.0, 0.1);
    for radius in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(RodRod::new(rod, Rod { radius, ..rod }), Err(Error::Radius { .. })));
    }
    for length in [f64::NAN, f64::INFINITY] {
        let bad = Rod::of_body(0, length, 0.1);
        assert!(matches!(RodRod::new(bad, rod), Err(Error::Length { .. })));
    }
    let missing = RodRod::new(rod, Rod::of_body(7, 1.0, 0.1)).unwrap();
    assert!(matches!(missing.check(&space()), Err(Error::Anchor(_))));
    let beside = Rod::in_world([Vector3::zeros(), Vector3::z()], 0.1);
    let leaning = RodRod::new(rod, beside).unwrap();
    assert_eq!(leaning.check(&plane()), Err(Error::OutOfPlane { z: 1.0 }));
    let no_axis = RodRod::new(rod, rod).unwrap().with_axis(&Vector3::zeros());
    assert!(matches!(no_axis, Err(Error::Frame(_))));
}
