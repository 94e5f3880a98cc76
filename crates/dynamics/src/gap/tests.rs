//! Tests of the built-in gaps.

#![expect(clippy::float_cmp, reason = "these results are exact")]

use nalgebra::{Isometry3, Matrix3, Vector2};
use proptest::prelude::*;

use super::*;
use crate::{
    Body, FreeBodies, PlanarBodies, PlanarBody,
    free_bodies::pose_coordinates,
    testing::{
        derivative, directions, dot, fixed_seed, planar_states, plane, poses, space, states,
        vectors,
    },
};

/// A radius of the second sphere for which they touch exactly (up to rounding), overlap or are apart.
fn scales() -> impl Strategy<Value = f64> {
    prop_oneof![Just(1.0), 0.1..2.0]
}

fn rows(gap: &dyn GapFunction, system: &dyn System, q: &[f64]) -> ContactRows {
    let mut rows = ContactRows::for_system(system);
    for index in 0..=rows.tangent_count() {
        rows.row_mut(index).fill(f64::NAN);
    }
    assert_eq!(gap.rows(system, q, &mut rows), gap.gap(system, q));
    rows
}

/// Largest difference between the rows applied to `v` and differences of the gap and of the positions of the two
/// contact points, which are fixed to `bodies`.
pub(super) fn defect(
    gap: &dyn GapFunction,
    bodies: [Option<usize>; 2],
    system: &dyn System,
    q: &[f64],
    v: &[f64],
) -> f64 {
    let rows = rows(gap, system, q);
    let ContactPoint { gap: distance, point, frame } = gap.contact_point(system, q).unwrap();
    let carried = |body: Option<usize>, point: Vector3<f64>| {
        move |moved: &[f64]| match body {
            Some(body) => {
                let fixed = system.pose(q, body).inverse_transform_point(&point.into());
                (system.pose(moved, body) * fixed).coords
            }
            None => point,
        }
    };
    let point_1 = carried(bodies[0], point);
    let point_2 = carried(bodies[1], point - distance * frame.normal);
    let normal = derivative(system, q, v, |q| gap.gap(system, q));
    let mut largest = (dot(rows.normal(), v) - normal).abs();
    for (index, axis) in frame.axes().iter().enumerate().skip(1).take(rows.tangent_count()) {
        let slip = derivative(system, q, v, |q| (point_1(q) - point_2(q)).dot(axis));
        largest = largest.max((dot(rows.tangent(index - 1), v) - slip).abs());
    }
    largest
}

fn spheres(
    system: &dyn System,
    q: &[f64],
    offsets: [Vector3<f64>; 2],
    radius: f64,
    scale: f64,
) -> Option<SphereSphere> {
    let first = Sphere::on_body(0, offsets[0], radius);
    let second = Sphere::on_body(1, offsets[1], 0.0);
    let apart = (first.center.position(system, q) - second.center.position(system, q)).norm();
    let second = Sphere { radius: (scale * apart - radius).max(0.0), ..second };
    // Third derivatives of a distance grow as its inverse square: they are below 100 at larger distances.
    (apart > 0.5).then(|| SphereSphere::new(first, second).unwrap())
}

fn two_balls() -> FreeBodies {
    FreeBodies::new(vec![Body::new(1.0, Matrix3::identity()); 2], Vector3::zeros()).unwrap()
}

fn at(first: Vector3<f64>, second: Vector3<f64>) -> Vec<f64> {
    [first, second].iter().flat_map(|x| [x.x, x.y, x.z, 1.0, 0.0, 0.0, 0.0]).collect()
}

#[test]
fn radii_and_lengths_that_are_no_sizes_are_refused() {
    let floor = Plane::new(&Vector3::z(), &Vector3::zeros()).unwrap();
    for value in [-1.0, f64::INFINITY] {
        let bad = Sphere::of_body(0, value);
        assert_eq!(SpherePlane::new(bad, floor), Err(Error::Radius { value }));
        assert_eq!(SphereSphere::new(Sphere::of_body(0, 1.0), bad), Err(Error::Radius { value }));
        assert_eq!(rounded_rod_plane(0, value, 1.0, floor), Err(Error::Length { value }));
    }
    assert!(matches!(
        SpherePlane::new(Sphere::of_body(0, f64::NAN), floor),
        Err(Error::Radius { .. })
    ));
}

#[test]
fn planes_and_axes_without_direction_are_refused() {
    let zero = Vector3::zeros();
    let nan = Vector3::new(0.0, f64::NAN, 0.0);
    assert_eq!(
        Plane::new(&zero, &zero),
        Err(Error::Frame(ContactFrameError::Zero { field: "normal" }))
    );
    assert!(matches!(Plane::new(&Vector3::z(), &nan), Err(Error::Frame(_))));
    let pair = SphereSphere::new(Sphere::of_body(0, 1.0), Sphere::of_body(1, 1.0)).unwrap();
    assert_eq!(
        pair.with_axis(&zero),
        Err(Error::Frame(ContactFrameError::Zero { field: "tangent axis" }))
    );
    assert!(matches!(pair.with_axis(&nan), Err(Error::Frame(_))));
}

#[test]
fn surfaces_that_do_not_fit_the_system_are_refused() {
    let missing = Error::Anchor(AnchorError::Body { body: 2, count: 2 });
    let floor = Plane::new(&Vector3::z(), &Vector3::zeros()).unwrap();
    let contact = SpherePlane::new(Sphere::of_body(2, 1.0), floor).unwrap();
    assert_eq!(contact.check(&space()), Err(missing));
    let pair = SphereSphere::new(Sphere::of_body(0, 1.0), Sphere::of_body(2, 1.0)).unwrap();
    assert_eq!(pair.check(&space()), Err(missing));

    let leaning = SpherePlane::new(Sphere::of_body(0, 1.0), floor).unwrap();
    assert_eq!(leaning.check(&space()), Ok(()));
    let out_of_plane = Error::Frame(ContactFrameError::OutOfPlane { z: 1.0 });
    assert_eq!(leaning.check(&plane()), Err(out_of_plane));
    let beside = Sphere::in_world(Vector3::z(), 1.0);
    let pair = SphereSphere::new(Sphere::of_body(0, 1.0), beside).unwrap();
    assert_eq!(pair.check(&plane()), Err(Error::OutOfPlane { z: 1.0 }));
}

#[test]
fn a_ball_on_top_of_another_takes_the_fallback_tangent() {
    let pair = SphereSphere::new(Sphere::of_body(0, 1.0), Sphere::of_body(1, 1.0)).unwrap();
    let q = at(Vector3::new(0.0, 0.0, 2.0), Vector3::zeros());
    let contact = pair.contact_point(&two_balls(), &q).unwrap();
    assert_eq!(contact.gap, 0.0);
    assert_eq!(contact.point, Vector3::z());
    assert_eq!(contact.frame.axes(), [Vector3::z(), Vector3::x(), Vector3::y()]);
}

#[test]
fn balls_side_by_side_have_a_horizontal_first_tangent() {
    let pair = SphereSphere::new(Sphere::of_body(0, 1.0), Sphere::of_body(1, 1.0)).unwrap();
    let q = at(Vector3::x() * 2.0, Vector3::zeros());
    let contact = pair.contact_point(&two_balls(), &q).unwrap();
    assert_eq!(contact.frame.axes(), [Vector3::x(), -Vector3::y(), -Vector3::z()]);
}

#[test]
fn coincident_centers_have_the_axis_as_normal_and_a_continuous_gap() {
    let axis = Vector3::new(0.0, 3.0, 4.0);
    let pair = SphereSphere::new(Sphere::of_body(0, 1.0), Sphere::of_body(1, 2.0)).unwrap();
    let pair = pair.with_axis(&axis).unwrap();
    let system = two_balls();
    for distance in [0.0, 1e-300, 1e-17, 1e-12, 1e-6] {
        let q = at(Vector3::x() * distance, Vector3::zeros());
        let contact = pair.contact_point(&system, &q).unwrap();
        assert!((contact.gap - (distance - 3.0)).abs() <= f64::EPSILON, "{contact:?}");
        let expected = if distance < 1e-15 { axis / 5.0 } else { Vector3::x() };
        assert!((contact.frame.normal - expected).amax() <= f64::EPSILON, "{contact:?}");
        let rows = rows(&pair, &system, &q);
        for index in 0..3 {
            assert!(rows.row(index).iter().all(|entry| entry.is_finite()), "row {index}");
        }
    }
    let discs = SphereSphere::new(Sphere::of_body(0, 1.0), Sphere::of_body(1, 2.0)).unwrap();
    let frame = discs.contact_point(&plane(), &[0.0; 6]).unwrap().frame;
    assert_eq!([frame.normal, frame.tangent_1], [Vector3::y(), Vector3::x()]);
}

/// A rod of length 2 is inclined by 30° with its middle at the height 3: its ends are at 3 ± ½.
#[test]
fn a_rounded_rod_touches_with_its_ends() {
    let system =
        PlanarBodies::new(vec![PlanarBody::new(1.0, 1.0)], Vector2::new(0.0, -9.81)).unwrap();
    let floor = Plane::new(&Vector3::y(), &Vector3::zeros()).unwrap();
    let ends = rounded_rod_plane(0, 2.0, 0.25, floor).unwrap();
    let q = [0.0, 3.0, std::f64::consts::FRAC_PI_6];
    let gaps = ends.map(|end| end.gap(&system, &q));
    assert!((gaps[0] - 3.25).abs() < 1e-15 && (gaps[1] - 2.25).abs() < 1e-15, "{gaps:?}");
    let rows = rows(&ends[1], &system, &q);
    assert_eq!(rows.normal()[..2], [0.0, 1.0]);
    assert!((rows.normal()[2] + 0.75_f64.sqrt()).abs() < 1e-15);
    // Its lowest point is ½ + ¼ below the middle, so spin moves it forward.
    assert_eq!(rows.tangent(0)[..2], [1.0, 0.0]);
    assert!((rows.tangent(0)[2] - 0.75).abs() < 1e-15);
}

proptest! {
    #![proptest_config(fixed_seed())]

    #[test]
    fn rows_of_a_sphere_and_a_plane_are_velocities(
        (q, v) in states(), center in vectors(), radius in 0.0..2.0, normal in directions(),
        point in vectors(), reference in vectors(),
    ) {
        let plane = Plane::with_tangent(&normal, &point, &reference).unwrap();
        let contact = SpherePlane::new(Sphere::on_body(0, center, radius), plane).unwrap();
        prop_assert!(defect(&contact, [Some(0), None], &space(), &q, &v) < 1e-8);
    }

    #[test]
    fn rows_of_two_spheres_are_velocities(
        (q, v) in states(), a in vectors(), b in vectors(), radius in 0.0..1.0, scale in scales(),
    ) {
        let system = space();
        let pair = spheres(&system, &q, [a, b], radius, scale);
        prop_assume!(pair.is_some());
        prop_assert!(defect(&pair.unwrap(), [Some(0), Some(1)], &system, &q, &v) < 1e-8);
    }

    #[test]
    fn rows_of_a_sphere_and_a_fixed_one_are_velocities(
        (q, v) in states(), center in vectors(), radius in 0.0..5.0,
    ) {
        let fixed = Sphere::in_world(Vector3::new(4.0, 3.0, 2.0), radius);
        let moving = Sphere::on_body(1, center, 0.3);
        let pair = SphereSphere::new(moving, fixed).unwrap();
        prop_assert!(defect(&pair, [Some(1), None], &space(), &q, &v) < 1e-8);
        let pair = SphereSphere::new(fixed, moving).unwrap();
        prop_assert!(defect(&pair, [None, Some(1)], &space(), &q, &v) < 1e-8);
    }

    #[test]
    fn rows_in_the_plane_are_velocities(
        (q, v) in planar_states(), a in vectors(), b in vectors(), radius in 0.0..1.0,
        scale in scales(), angle in -3.0_f64..3.0,
    ) {
        let system = plane();
        let flat = |v: Vector3<f64>| Vector3::new(v.x, v.y, 0.0);
        if let Some(pair) = spheres(&system, &q, [flat(a), flat(b)], radius, scale) {
            prop_assert!(defect(&pair, [Some(0), Some(1)], &system, &q, &v) < 1e-8);
        }
        let normal = Vector3::new(angle.cos(), angle.sin(), 0.0);
        let line = Plane::new(&normal, &flat(b)).unwrap();
        let contact = SpherePlane::new(Sphere::on_body(0, flat(a), radius), line).unwrap();
        prop_assert!(defect(&contact, [Some(0), None], &system, &q, &v) < 1e-8);
    }

    #[test]
    fn impulses_on_two_bodies_are_opposite(
        (q, _) in states(), a in vectors(), b in vectors(), radius in 0.0..1.0, scale in scales(),
        impulse in vectors(),
    ) {
        let system = space();
        let pair = spheres(&system, &q, [a, b], radius, scale);
        prop_assume!(pair.is_some());
        let pair = pair.unwrap();
        let rows = rows(&pair, &system, &q);
        let (mut linear, mut angular) = (Vector3::zeros(), Vector3::zeros());
        for body in 0..2 {
            let part = |offset: usize| -> Vector3<f64> {
                (0..3).map(|k| Vector3::from_column_slice(&rows.row(k)[6 * body + offset..][..3]) * impulse[k]).sum()
            };
            linear += part(0);
            angular += system.pose(&q, body).translation.vector.cross(&part(0)) + part(3);
        }
        prop_assert!(linear.amax() < 1e-15);
        // Exact at zero gap; otherwise the impulses act on points that are one gap apart.
        let contact = pair.contact_point(&system, &q).unwrap();
        let world: Vector3<f64> = contact.frame.axes().iter().zip(&impulse).map(|(e, p)| e * *p).sum();
        let couple = contact.gap * contact.frame.normal.cross(&world);
        prop_assert!((angular - couple).amax() < 1e-14);
    }

    #[test]
    fn rows_turn_and_move_with_the_world(
        (q, v) in states(), a in vectors(), b in vectors(), radius in 0.0..1.0, scale in scales(),
        motion in poses(),
    ) {
        let system = space();
        let pair = spheres(&system, &q, [a, b], radius, scale);
        prop_assume!(pair.is_some());
        let pair = pair.unwrap();
        let frame = pair.contact_point(&system, &q).unwrap().frame;
        // Closer to the axis the first tangent amplifies rounding more than tenfold.
        prop_assume!(frame.normal.xy().norm() > 0.1);
        let q_moved: Vec<f64> = (0..2)
            .flat_map(|body| pose_coordinates(&(motion * system.pose(&q, body))))
            .collect();
        let v_moved: Vec<f64> = v
            .chunks_exact(3)
            .flat_map(|part| <[f64; 3]>::from(motion.rotation * Vector3::from_column_slice(part)))
            .collect();
        let pair_moved = pair.with_axis(&(motion.rotation * Vector3::z())).unwrap();
        let floor = Plane::with_tangent(&a.add_scalar(2.0), &b, &Vector3::y()).unwrap();
        let ball = Sphere::on_body(0, b, radius);
        let wall = SpherePlane::new(ball, floor).unwrap();
        let moved_floor = Plane::with_tangent(
            &(motion.rotation * a.add_scalar(2.0)),
            &(motion * nalgebra::Point3::from(b)).coords,
            &(motion.rotation * Vector3::y()),
        );
        let wall_moved = SpherePlane::new(ball, moved_floor.unwrap()).unwrap();
        let pairs: [(&dyn GapFunction, &dyn GapFunction); 2] =
            [(&pair, &pair_moved), (&wall, &wall_moved)];
        for (before, after) in pairs {
            let gaps = before.gap(&system, &q) - after.gap(&system, &q_moved);
            prop_assert!(gaps.abs() < 1e-14);
            let (before, after) = (rows(before, &system, &q), rows(after, &system, &q_moved));
            for k in 0..3 {
                let difference = dot(before.row(k), &v) - dot(after.row(k), &v_moved);
                prop_assert!(difference.abs() < 1e-13, "row {k} differs by {difference}");
            }
        }
    }

    #[test]
    fn exchanging_the_bodies_turns_only_the_second_tangent(
        (q, _) in states(), radius in 0.0..1.0,
    ) {
        let system = space();
        let pair = spheres(&system, &q, [Vector3::zeros(); 2], radius, 1.0);
        prop_assume!(pair.is_some());
        let [first, second] = pair.unwrap().spheres();
        let one = rows(&SphereSphere::new(first, second).unwrap(), &system, &q);
        let other = rows(&SphereSphere::new(second, first).unwrap(), &system, &q);
        // If n, t and the order of the bodies are reversed, the rows of n and t do not change and that of o = n × t
        // changes its sign.
        for (k, sign) in [(0, 1.0), (1, 1.0), (2, -1.0)] {
            for (a, b) in one.row(k).iter().zip(other.row(k)) {
                prop_assert!((a - sign * b).abs() < 1e-14);
            }
        }
    }
}

#[test]
fn a_gap_function_of_ones_own_needs_two_methods() {
    /// The height of the center of mass above the floor.
    #[derive(Debug)]
    struct Height;
    impl GapFunction for Height {
        fn gap(&self, system: &dyn System, coordinates: &[f64]) -> f64 {
            system.pose(coordinates, 0).translation.z
        }
        fn rows(&self, system: &dyn System, coordinates: &[f64], rows: &mut ContactRows) -> f64 {
            let frame = ContactFrame::from_unit_normal(&Vector3::z(), &Vector3::x());
            let anchor = Anchor::on_body(0, Vector3::zeros());
            let point = anchor.position(system, coordinates);
            rows.clear();
            rows.add_point(system, coordinates, &anchor, &point, &frame, 1.0);
            point.z
        }
    }
    let system = FreeBodies::new(vec![Body::new(1.0, Matrix3::identity())], Vector3::zeros());
    let system = system.unwrap();
    let q = pose_coordinates(&Isometry3::translation(0.0, 0.0, 2.0));
    assert_eq!(rows(&Height, &system, &q).normal(), [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
    assert_eq!(Height.contact_point(&system, &q), None);
    assert_eq!(Height.check(&system), Ok(()));
}
