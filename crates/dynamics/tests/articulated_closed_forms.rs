//! Articulated systems against closed forms and published figures.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::f64::consts::PI;

use nalgebra::{DMatrix, DVector, Isometry3, Matrix2, RowVector3, Vector2, Vector3};
use percussion_dynamics::{
    Articulated, Body, ContactFrame, Dimension, FreeBodies, Joint, Link, MassProperties, System,
    gap::{ContactRows, GapFunction, Plane, Sphere, SpherePlane},
    pose_coordinates,
};

mod articulated_support;
use articulated_support::{mass_matrix, smooth_forces};

const GRAVITY: f64 = 9.81;

fn down() -> Vector3<f64> {
    Vector3::new(0.0, -GRAVITY, 0.0)
}

fn below(distance: f64) -> Isometry3<f64> {
    Isometry3::translation(0.0, -distance, 0.0)
}

/// A body for which only mass, moment about `z` and the center at `distance` below the origin matter.
fn flat(mass: f64, moment: f64, distance: f64) -> MassProperties {
    let inertia = nalgebra::Matrix3::from_diagonal_element(moment);
    MassProperties::new(mass, Vector3::new(0.0, -distance, 0.0), inertia).unwrap()
}

/// `e'(α)` for the direction `e(α) = (sin α, −cos α)`, which is downward at `α = 0`.
fn swing(angle: f64) -> Vector2<f64> {
    Vector2::new(angle.cos(), angle.sin())
}

/// Lagrange's equations of two point masses on massless arms, with the second angle relative.
#[test]
fn a_double_pendulum_has_the_mass_matrix_and_the_forces_of_the_textbook() {
    let ([m1, m2], [l1, l2]) = ([1.5, 0.7], [0.8, 1.3]);
    let upper = Link::new("upper", Joint::revolute(Vector3::z())).with_mass(flat(m1, 0.0, l1));
    let lower = Link::new("lower", Joint::revolute(Vector3::z()))
        .on("upper")
        .at(below(l1))
        .with_mass(flat(m2, 0.0, l2));
    let system = Articulated::new(vec![upper, lower], down()).unwrap();
    assert_eq!(system.dimension(), Dimension::Plane);

    for (a, b, u, w) in [(0.3, 0.4, 0.5, -0.6), (2.0, -1.0, -3.0, 1.0), (-1.0, 3.0, 0.0, 2.0)] {
        let (c, s) = (f64::cos(b), f64::sin(b));
        let corner = m2 * l2 * l2;
        let side = corner + m2 * l1 * l2 * c;
        let first = (m1 + m2) * l1 * l1 + corner + 2.0 * m2 * l1 * l2 * c;
        let expected = Matrix2::new(first, side, side, corner);
        assert!((mass_matrix(&system, &[a, b]) - expected).amax() < 1e-14);

        let low = m2 * GRAVITY * l2 * (a + b).sin();
        let high = (m1 + m2) * GRAVITY * l1 * a.sin() + low;
        let expected = Vector2::new(
            m2 * l1 * l2 * s * (2.0 * u * w + w * w) - high,
            -m2 * l1 * l2 * s * u * u - low,
        );
        assert!((smooth_forces(&system, &[a, b], &[u, w]) - expected).amax() < 1e-13);
    }
}

/// Compass gait: a hip without mass, free in the plane, and two legs of 1 m with 1 kg at mid-leg.
#[test]
fn a_compass_gait_has_its_closed_mass_matrix() {
    let leg = |name: &str| {
        Link::new(name, Joint::revolute(Vector3::z())).on("hip").with_mass(flat(1.0, 0.0, 0.5))
    };
    let links = vec![
        Link::new("slide", Joint::prismatic(Vector3::x())),
        Link::new("hip", Joint::prismatic(Vector3::y())).on("slide"),
        leg("leading"),
        leg("trailing"),
    ];
    let system = Articulated::new(links, down()).unwrap();
    let [a, b] = [-78.0_f64, 78.0].map(f64::to_radians);
    let q = [0.0, b.cos(), a, b];
    let (s, t) = (swing(a), swing(b));
    let expected = DMatrix::from_row_slice(
        4,
        4,
        &[
            2.0,
            0.0,
            0.5 * s.x,
            0.5 * t.x, //
            0.0,
            2.0,
            0.5 * s.y,
            0.5 * t.y, //
            0.5 * s.x,
            0.5 * s.y,
            0.25,
            0.0, //
            0.5 * t.x,
            0.5 * t.y,
            0.0,
            0.25,
        ],
    );
    assert!((mass_matrix(&system, &q) - &expected).amax() < 1e-15);

    // The trailing foot is at rest, and both feet are on the ground.
    let rate = 0.25;
    let v = [-b.cos() * rate, -b.sin() * rate, rate, rate];
    let mut kinematics = system.kinematics();
    kinematics.update(&q, &v).unwrap();
    for (leg, at_rest) in [(2, false), (3, true)] {
        let foot = (kinematics.pose(leg) * nalgebra::Point3::new(0.0, -1.0, 0.0)).coords;
        assert!(foot.y.abs() < 1e-15, "{foot}");
        assert_eq!(kinematics.point_velocity(leg, &foot).norm() < 1e-15, at_rest);
    }
    // The Delassus operator of the two feet, rows x and y of each.
    let foot_rows = |angle: f64, leg: usize| {
        let mut rows = DMatrix::zeros(2, 4);
        rows.fixed_view_mut::<2, 2>(0, 0).fill_with_identity();
        rows.column_mut(leg).copy_from(&swing(angle));
        rows
    };
    let mut jacobian = DMatrix::zeros(4, 4);
    jacobian.rows_mut(0, 2).copy_from(&foot_rows(a, 2));
    jacobian.rows_mut(2, 2).copy_from(&foot_rows(b, 3));
    let mut columns = jacobian.transpose();
    system.apply_inverse_mass(&q, &mut columns);
    let delassus = &jacobian * expected.try_inverse().unwrap() * jacobian.transpose();
    assert!((jacobian * columns - &delassus).amax() < 1e-13 * delassus.amax());
}

/// The planar biped `RAMone`: the mass matrix `Σ m JᵀJ + I J_ωᵀJ_ω` with the Jacobians of its centers of
/// mass written out.
#[test]
fn ramone_has_its_closed_mass_matrix() {
    let (hip, thigh, shank) = (0.137_675, 0.2, 0.2385);
    let (thigh_center, shank_center) = (0.019_399, 0.2385 - 0.073_265);
    let [trunk_body, thigh_body, shank_body] =
        [(7.9026, 0.08), (0.7887, 0.002_21), (0.510, 0.006_52)];
    let joint = || Joint::revolute(Vector3::z());
    let mut links =
        vec![Link::new("trunk", Joint::planar()).with_mass(flat(trunk_body.0, trunk_body.1, 0.0))];
    for side in ["leading", "trailing"] {
        let (upper, lower) = (format!("{side} thigh"), format!("{side} shank"));
        links.push(Link::new(upper.clone(), joint()).on("trunk").at(below(hip)).with_mass(flat(
            thigh_body.0,
            thigh_body.1,
            thigh_center,
        )));
        links.push(Link::new(lower, joint()).on(upper).at(below(thigh)).with_mass(flat(
            shank_body.0,
            shank_body.1,
            shank_center,
        )));
    }
    let system = Articulated::new(links, down()).unwrap();
    assert_eq!((system.dimension(), system.velocity_count()), (Dimension::Plane, 7));

    let [pitch, lead_hip, lead_knee, trail_hip, trail_knee] =
        [16.0_f64, -70.0, -2.0, 70.0, -5.0].map(f64::to_radians);
    let q = [0.1, 0.5, pitch, lead_hip, lead_knee, trail_hip, trail_knee];
    // The velocity of a point at the end of a chain of arms `(length, angle, rates of the angle)`.
    let rates = |columns: &[usize]| DVector::from_fn(7, |k, _| f64::from(columns.contains(&k)));
    let mut expected = DMatrix::zeros(7, 7);
    let mut add = |body: (f64, f64), arms: &[(f64, f64, DVector<f64>)], turn: &DVector<f64>| {
        let mut jacobian = DMatrix::zeros(2, 7);
        jacobian.fixed_view_mut::<2, 2>(0, 0).fill_with_identity();
        for (length, angle, rates) in arms {
            jacobian += *length * swing(*angle) * rates.transpose();
        }
        expected += body.0 * jacobian.tr_mul(&jacobian) + body.1 * turn * turn.transpose();
    };
    add(trunk_body, &[], &rates(&[2]));
    for (hip_angle, knee_angle, h) in [(lead_hip, lead_knee, 3), (trail_hip, trail_knee, 5)] {
        let angles = [pitch, pitch + hip_angle, pitch + hip_angle + knee_angle];
        let turns = [rates(&[2]), rates(&[2, h]), rates(&[2, h, h + 1])];
        let arm = |i: usize, length: f64| (length, angles[i], turns[i].clone());
        add(thigh_body, &[arm(0, hip), arm(1, thigh_center)], &turns[1]);
        add(shank_body, &[arm(0, hip), arm(1, thigh), arm(2, shank_center)], &turns[2]);
    }
    assert!((mass_matrix(&system, &q) - &expected).amax() < 1e-14 * expected.amax());

    // A foot on the ground: the rows of its contact are those of the shank's end.
    let center = percussion_dynamics::Anchor::on_body(2, Vector3::new(0.0, -shank, 0.0));
    let foot = Sphere { center, radius: 0.028_15 };
    let floor = Plane::new(&Vector3::y(), &Vector3::zeros()).unwrap();
    let contact = SpherePlane::new(foot, floor).unwrap();
    let mut rows = ContactRows::for_system(&system);
    contact.rows(&system, &q, &mut rows);
    let angles = [pitch, pitch + lead_hip, pitch + lead_hip + lead_knee];
    let up = hip * angles[0].sin() + thigh * angles[1].sin() + shank * angles[2].sin();
    assert!((rows.normal()[2] - up).abs() < 1e-15);
    let across = shank * angles[2].cos() + 0.028_15;
    assert!((rows.tangent(0)[4] - across).abs() < 1e-15, "{:?}", rows.tangent(0));
}

/// The triple pendulum of T. K. Uchida, M. A. Sherman, S. L. Delp, "Making a meaningful impact: modelling
/// simultaneous frictional collisions in spatial multibody systems", *Proceedings of the Royal Society A* 471 (2015)
/// 20140859, example 4, at its impact. The figures were computed by another program, with the convention of angles
/// written here.
#[test]
fn the_triple_pendulum_has_its_published_contact_operator() {
    let (radius, sphere_radius) = (0.1, 0.25);
    let cylinder = flat(1.0, (3.0 * radius * radius + 1.0) / 12.0, 0.5);
    let sphere = flat(1.0, 0.4 * sphere_radius * sphere_radius, 1.0);
    let last = MassProperties::composite(&[cylinder, sphere]).unwrap();
    let joint = || Joint::revolute(Vector3::z());
    let links = vec![
        Link::new("first", joint()).at(Isometry3::translation(0.0, 2.0, 0.0)).with_mass(cylinder),
        Link::new("second", joint()).on("first").at(below(1.0)).with_mass(cylinder),
        Link::new("third", joint()).on("second").at(below(1.0)).with_mass(last),
    ];
    let system = Articulated::new(links, down()).unwrap();
    let q = [-0.815_351_852_796, 8.073_627_178_59, -2.018_479_607_97];
    let v = [-7.952_492_833_17, 10.047_532_552_2, 14.707_869_395_8];

    let center = percussion_dynamics::Anchor::on_body(2, Vector3::new(0.0, -1.0, 0.0));
    let floor = Plane::new(&Vector3::y(), &Vector3::zeros()).unwrap();
    let contact = SpherePlane::new(Sphere { center, radius: sphere_radius }, floor).unwrap();
    let mut rows = ContactRows::for_system(&system);
    let gap = contact.rows(&system, &q, &mut rows);
    assert!(gap.abs() < 1e-10, "touching to the digits of the state: {gap}");

    let [n, t] = [rows.normal(), rows.tangent(0)].map(RowVector3::from_row_slice);
    let velocity = RowVector3::from_row_slice(&v).transpose();
    assert!(((t * velocity)[0] - 8.380_720).abs() < 5e-7);
    assert!(((n * velocity)[0] + 6.996_323).abs() < 5e-7);

    let mut columns = DMatrix::from_columns(&[
        DVector::from_column_slice(rows.normal()),
        DVector::from_column_slice(rows.tangent(0)),
    ]);
    let jacobian = columns.transpose();
    system.apply_inverse_mass(&q, &mut columns);
    let delassus = jacobian * columns;
    assert!((delassus[(0, 0)] - 0.650_083_901).abs() < 1e-8, "{delassus}");
    assert!((delassus[(1, 1)] - 0.856_342_19).abs() < 1e-8, "{delassus}");
    assert!((delassus[(0, 1)].abs() - 0.308_064_264).abs() < 1e-8, "{delassus}");
    assert!((system.kinetic_energy(&q, &v) - 93.685).abs() < 5e-4);
}

/// A free link whose frame is at its center of mass is a free body.
#[test]
fn a_free_link_is_a_free_body() {
    let solid = MassProperties::solid_box(2.0, &Vector3::new(1.0, 2.0, 0.5)).unwrap();
    let gravity = Vector3::new(0.1, 0.2, -GRAVITY);
    let free = FreeBodies::new(vec![Body::from_mass_properties(&solid)], gravity).unwrap();
    let link = Link::new("brick", Joint::free()).with_mass(solid);
    let articulated = Articulated::new(vec![link], gravity).unwrap();
    let pose = Isometry3::new(Vector3::new(1.0, -2.0, 3.0), Vector3::new(0.3, 1.0, -0.7));
    let (q, v) = (pose_coordinates(&pose), [0.3, -0.4, 0.5, 1.0, -2.0, 3.0]);

    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-13 * (1.0 + b.abs()), "{a} {b}");
    assert!((mass_matrix(&articulated, &q) - mass_matrix(&free, &q)).amax() < 1e-14);
    assert!((smooth_forces(&articulated, &q, &v) - smooth_forces(&free, &q, &v)).amax() < 1e-13);
    close(articulated.kinetic_energy(&q, &v), free.kinetic_energy(&q, &v));
    close(articulated.potential_energy(&q), free.potential_energy(&q));
    assert!((articulated.pose(&q, 0).to_matrix() - free.pose(&q, 0).to_matrix()).amax() < 1e-15);
    let frame = ContactFrame::from_normal(&Vector3::new(1.0, 2.0, 3.0), &Vector3::x()).unwrap();
    for axis in frame.axes() {
        let (mut a, mut b) = ([0.5; 6], [0.5; 6]);
        let point = Vector3::new(0.4, -1.0, 2.0);
        articulated.add_point_row(&q, 0, &point, &axis, -2.0, &mut a);
        free.add_point_row(&q, 0, &point, &axis, -2.0, &mut b);
        a.iter().zip(b).for_each(|(a, b)| close(*a, b));
    }
    let mut rates = [[0.0; 7]; 2];
    articulated.coordinate_rate(&q, &v, &mut rates[0]);
    free.coordinate_rate(&q, &v, &mut rates[1]);
    rates[0].iter().zip(rates[1]).for_each(|(a, b)| close(*a, b));
}

/// Springs, dampers and efforts for every kind of coordinate, by hand.
#[test]
fn joint_forces_are_those_of_springs_dampers_and_efforts() {
    let ball = MassProperties::solid_sphere(1.0, 0.5).unwrap();
    let slider = Joint::prismatic(Vector3::x())
        .with_spring(&[100.0], &[0.5])
        .with_damping(&[3.0])
        .with_effort(&[7.0]);
    let half = (0.5_f64).sqrt();
    let socket = Joint::spherical()
        .with_spring(&[10.0; 3], &[half, 0.0, 0.0, half])
        .with_damping(&[0.0, 0.0, 2.0]);
    let links = vec![
        Link::new("slider", slider).with_mass(ball),
        Link::new("socket", socket).on("slider").with_mass(ball),
    ];
    let mut system = Articulated::new(links, Vector3::zeros()).unwrap();
    let q = [0.75, 1.0, 0.0, 0.0, 0.0];
    let v = [2.0, 0.0, 0.0, 4.0];
    // 7 − 3·2 − 100·0.25, and a rotation of −90° from rest.
    let forces = smooth_forces(&system, &q, &v);
    let expected = [-24.0, 0.0, 0.0, 10.0 * PI / 2.0 - 8.0];
    assert!((forces - DVector::from_column_slice(&expected)).amax() < 1e-13);
    let energy = 0.5 * 100.0 * 0.0625 - 7.0 * 0.75 + 0.5 * 10.0 * (PI / 2.0).powi(2);
    assert!((system.potential_energy(&q) - energy).abs() < 1e-13);

    system.set_effort(0, &[0.0]).unwrap();
    assert!((smooth_forces(&system, &q, &v)[0] + 31.0).abs() < 1e-13);
    assert_eq!(system.links()[0].joint.effort, [0.0]);
}

/// What a θ-method adds to the mass matrix, against differences of the forces near the rest of a spring in space.
#[test]
fn linear_forces_are_the_derivatives_of_springs_and_dampers() {
    let ball = MassProperties::solid_sphere(1.0, 0.5).unwrap();
    let slider = Joint::prismatic(Vector3::x()).with_spring(&[100.0], &[0.5]).with_damping(&[3.0]);
    let socket = Joint::spherical()
        .with_spring(&[10.0; 3], &[1.0, 0.0, 0.0, 0.0])
        .with_damping(&[0.0, 1.0, 2.0]);
    let links = vec![
        Link::new("slider", slider).with_mass(ball),
        Link::new("socket", socket).on("slider").with_mass(ball),
    ];
    let system = Articulated::new(links, Vector3::zeros()).unwrap();
    let (q, v) = ([0.75, 1.0, 0.0, 0.0, 0.0], [0.0; 4]);
    for factors in [[1.0, 0.0], [0.0, 1.0], [0.3, 0.7]] {
        let mut sum = DMatrix::from_element(4, 4, 0.25);
        system.add_linear_forces(factors, &mut sum);
        for k in 0..4 {
            let moved = |size: f64| {
                let (mut turned, mut faster) = (q, v);
                let mut tangent = [0.0; 4];
                tangent[k] = factors[1] * size;
                faster[k] = factors[0] * size;
                system.retract(&q, &tangent, &mut turned);
                smooth_forces(&system, &turned, &faster)
            };
            let column = (moved(-1e-5) - moved(1e-5)) / 2e-5;
            for j in 0..4 {
                assert!((sum[(j, k)] - 0.25 - column[j]).abs() < 1e-8, "{j} {k}: {sum} {column}");
            }
        }
    }
}
