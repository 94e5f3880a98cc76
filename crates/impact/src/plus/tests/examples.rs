//! The examples of the paper, against figures computed with the authors' solver (Simbody 3.7).

use nalgebra::{DMatrix, DVector, Matrix3, Rotation3, Vector3, dvector};

use super::{Motion, Participation, Phase, Plus, assert_close, resolve};
use crate::{Contact, Mass, Problem, certificate::Certificate};

/// A uniform brick of 2 kg with spheres of radius 0.1 m about some of its vertices, which touch the
/// ground below them (z is up). Velocities: center, angular.
fn brick(
    edges: Vector3<f64>,
    rotation: &Rotation3<f64>,
    lowest: usize,
    velocity: Vector3<f64>,
    friction: f64,
) -> Problem {
    let mass = 2.0;
    let squares = edges.component_mul(&edges);
    let inertia = Matrix3::from_diagonal(&squares.map(|s| (squares.sum() - s) * mass / 12.0));
    let inertia = rotation * inertia * rotation.transpose();
    let mut matrix = DMatrix::identity(6, 6) * mass;
    matrix.view_mut((3, 3), (3, 3)).copy_from(&inertia);
    let sign = |bit: usize| if bit == 0 { -0.5 } else { 0.5 };
    let mut points: Vec<Vector3<f64>> = (0..8)
        .map(|k| Vector3::new(sign(k & 1), sign(k & 2), sign(k & 4)).component_mul(&edges))
        .map(|vertex| rotation * vertex - Vector3::z() * 0.1)
        .collect();
    points.sort_by(|a, b| a.z.total_cmp(&b.z));
    points.truncate(lowest);
    // The velocity of a point is v + ω × r, its component along d is d · v + (r × d) · ω.
    let row = |r: &Vector3<f64>, d: Vector3<f64>| {
        let turn = r.cross(&d);
        dvector![d.x, d.y, d.z, turn.x, turn.y, turn.z]
    };
    let contacts = points.iter().map(|r| {
        let tangents = vec![row(r, Vector3::x()), row(r, Vector3::y())];
        Contact::new(row(r, Vector3::z())).with_friction(friction, tangents)
    });
    let velocity = dvector![velocity.x, velocity.y, velocity.z, 0.0, 0.0, 0.0];
    Problem::new(Mass::Matrix(matrix), velocity, contacts.collect()).unwrap()
}

fn example_1(friction: f64) -> Problem {
    let (x, y) = (Vector3::x_axis(), Vector3::y_axis());
    let angles = (std::f64::consts::FRAC_PI_4, std::f64::consts::FRAC_PI_6);
    let rotation =
        Rotation3::from_axis_angle(&x, angles.0) * Rotation3::from_axis_angle(&y, angles.1);
    brick(Vector3::new(0.4, 0.6, 0.8), &rotation, 1, Vector3::new(-5.0, 0.0, -5.74), friction)
}

/// Friction, restitution, contact velocity after the impact and impulse (x, y, z), and the numbers of
/// intervals for the largest turns 0.01, 0.15 and 0.25.
#[test]
fn example_1_is_that_of_the_authors() {
    for (friction, e_min, velocity, impulse, intervals) in [
        (0.125, 0.392, [-1.39902, 3.46445, 2.17134], [1.28738, -1.14802, 14.74318], [120, 10, 6]),
        (0.225, 0.387, [0.0, 0.0, 2.20266], [1.84309, -2.41733, 15.83482], [131, 12, 10]),
        (0.325, 0.373, [0.0, 0.0, 2.20343], [1.84314, -2.41754, 15.83634], [116, 11, 8]),
    ] {
        let problem = example_1(friction);
        let law = |theta_max| Plus { e_min: Some(e_min), theta_max, ..Plus::default() };
        for (theta_max, expected) in [0.01, 0.15, 0.25].into_iter().zip(intervals) {
            let (trace, _) = resolve(&law(theta_max), &problem);
            assert_eq!(trace.report.intervals, expected, "μ = {friction}, θ_max = {theta_max}");
            assert_eq!(trace.report.rounds, 2);
        }
        let (_, outcome) = resolve(&law(0.01), &problem);
        let after = problem.contact_velocity(&outcome.velocity);
        assert_close(&[after[1], after[2], after[0]], &velocity, 2e-5);
        let found = &outcome.impulses[0];
        assert_close(&[found.tangent[0], found.tangent[1], found.normal], &impulse, 2e-5);
    }
}

/// The change of the outcome when the largest turn is halved is halved, too.
#[test]
fn example_1_converges_with_the_first_power_of_the_largest_turn() {
    let problem = example_1(0.125);
    let law = |theta_max| Plus { e_min: Some(0.392), theta_max, ..Plus::default() };
    let impulse = |theta_max| {
        let outcome = resolve(&law(theta_max), &problem).1;
        DVector::from_column_slice(&outcome.impulses[0].tangent)
    };
    let outcomes = [0.04, 0.02, 0.01, 0.005, 0.0025].map(impulse);
    let changes: Vec<_> = outcomes.windows(2).map(|pair| (&pair[1] - &pair[0]).norm()).collect();
    for pair in changes.windows(2) {
        assert!((pair[0] / pair[1] - 2.0).abs() < 0.1, "{changes:?}");
    }
}

/// The paper does not say which faces of the brick are which, so all six orientations are tried. The
/// brick starts in the direction −x; its points are ordered by mirror images.
#[test]
fn example_2_stays_symmetric_and_slides_before_it_rolls() {
    for edges in [[4, 6, 8], [4, 8, 6], [6, 4, 8], [6, 8, 4], [8, 4, 6], [8, 6, 4]] {
        let edges = Vector3::from(edges.map(|tenths| f64::from(tenths) / 10.0));
        let velocity = Vector3::new(-2.0, 0.0, -8.84);
        let problem = brick(edges, &Rotation3::identity(), 4, velocity, 0.2);
        let law = Plus { e_min: Some(0.414), ..Plus::default() };
        let (trace, outcome) = resolve(&law, &problem);
        // Mirror images have the coordinates of the bits 1 (x) in common, and differ in the bit 2 (y).
        let places: Vec<_> =
            problem.contacts().iter().map(|c| (c.normal[4], c.normal[3])).collect();
        for k in 0..4 {
            let mirror = |j: &usize| {
                (places[*j].0 - places[k].0).abs() < 1e-12
                    && (places[*j].1 + places[k].1).abs() < 1e-12
            };
            let other = (0..4).find(mirror).unwrap();
            let (here, there) = (&outcome.impulses[k], &outcome.impulses[other]);
            assert!((here.normal - there.normal).abs() <= 1e-12, "{here:?} is not {there:?}");
            assert!((here.tangent[0] - there.tangent[0]).abs() <= 1e-12);
            assert!((here.tangent[1] + there.tangent[1]).abs() <= 1e-12);
        }
        let motions: Vec<_> = trace
            .intervals
            .iter()
            .map(|interval| (interval.round, interval.states.iter().map(|state| state.motion)))
            .map(|(round, motions)| (round, motions.collect::<Vec<_>>()))
            .collect();
        let (slide, roll) = (vec![Motion::Sliding; 4], vec![Motion::Rolling; 4]);
        assert_eq!(motions, [(1, slide.clone()), (2, slide), (2, roll)]);
        assert!(Certificate::check(&problem, &outcome).unwrap().cone_violation < 1e-12);
    }
}

/// The orientation that fits the figures of the authors best.
#[test]
fn example_2_has_the_percussions_of_the_authors() {
    let velocity = Vector3::new(-2.0, 0.0, -8.84);
    let problem = brick(Vector3::new(0.8, 0.6, 0.4), &Rotation3::identity(), 4, velocity, 0.2);
    let (_, outcome) = resolve(&Plus { e_min: Some(0.414), ..Plus::default() }, &problem);
    for (contact, impulse) in problem.contacts().iter().zip(&outcome.impulses) {
        let left = contact.normal[4] > 0.0;
        let expected = if left { [7.1874, 1.2936] } else { [5.3124, 0.9936] };
        assert_close(&[impulse.normal, impulse.tangent[0]], &expected, 1e-4);
    }
}

fn cradle(participation: Participation) -> (Plus, Problem) {
    let row = |k: usize| DVector::from_fn(5, |i, _| f64::from(i == k + 1) - f64::from(i == k));
    let contacts = (0..4).map(|k| Contact::new(row(k)).with_restitution(1.0)).collect();
    let mass = Mass::Matrix(DMatrix::identity(5, 5));
    let problem = Problem::new(mass, dvector![2.0, 0.0, 0.0, 0.0, 0.0], contacts).unwrap();
    (Plus { participation, ..Plus::default() }, problem)
}

#[test]
fn example_3_travels_through_the_row_as_in_table_2() {
    let (law, problem) = cradle(Participation::Approaching);
    let (trace, outcome) = resolve(&law, &problem);
    assert!((outcome.velocity - dvector![0.0, 0.0, 0.0, 0.0, 2.0]).amax() <= 1e-12);
    let rounds: Vec<Vec<_>> = trace
        .intervals
        .iter()
        .map(|interval| interval.states.iter().map(|state| state.phase).collect())
        .collect();
    let (c, e, o) = (Phase::Compressing, Phase::Expanding, Phase::Observing);
    assert_eq!(rounds, [[c, o, o, o], [e, c, o, o], [o, e, c, o], [o, o, e, c], [o, o, o, e]]);
    let numbers: Vec<_> = trace.intervals.iter().map(|interval| interval.round).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5]);
}

/// The four balls take four fifths of the momentum in the compression, 1.6 N·s, and as much again.
#[test]
fn example_3_moves_four_balls_as_one_when_all_contacts_take_part() {
    let (law, problem) = cradle(Participation::All);
    let (_, outcome) = resolve(&law, &problem);
    assert!((outcome.velocity - dvector![-1.2, 0.8, 0.8, 0.8, 0.8]).amax() <= 1e-12);
}

/// The pendulum as it touches the ground, in the absolute angles of its links from the vertical.
fn pendulum() -> Problem {
    let relative = [-0.815351852796, 8.07362717859, -2.01847960797];
    let rates = [-7.95249283317, 10.0475325522, 14.7078693958];
    let sums = |[a, b, c]: [f64; 3]| [a, a + b, a + b + c];
    let (angles, velocity) = (sums(relative), DVector::from_column_slice(&sums(rates)));
    let (radius, sphere) = (0.1, 0.25);
    // A point that reaches the parts `c` along the links moves with these rows.
    let across = |c: [f64; 3]| DVector::from_fn(3, |k, _| c[k] * angles[k].cos());
    let up = |c: [f64; 3]| DVector::from_fn(3, |k, _| c[k] * angles[k].sin());
    let turn = |k: usize| DVector::from_fn(3, |i, _| f64::from(i == k));
    let mut mass = DMatrix::zeros(3, 3);
    let mut add = |c: [f64; 3], k: usize, inertia: f64| {
        for (row, factor) in [(across(c), 1.0), (up(c), 1.0), (turn(k), inertia)] {
            mass += &row * row.transpose() * factor;
        }
    };
    let rod = (3.0 * radius * radius + 1.0) / 12.0;
    add([0.5, 0.0, 0.0], 0, rod);
    add([1.0, 0.5, 0.0], 1, rod);
    add([1.0, 1.0, 0.5], 2, rod);
    add([1.0, 1.0, 1.0], 2, 0.4 * sphere * sphere);
    let end = [1.0, 1.0, 1.0];
    let contact = Contact::new(up(end))
        .with_friction(0.1, vec![across(end) + turn(2) * sphere])
        .with_restitution(1.0);
    Problem::new(Mass::Matrix(mass), velocity, vec![contact]).unwrap()
}

#[test]
fn example_4_slides_throughout() {
    let problem = pendulum();
    let before = problem.contact_velocity(problem.velocity());
    assert!((before - dvector![-6.996323, 8.380720]).amax() < 1e-6);
    let w = problem.delassus();
    assert!((w[(0, 0)] - 0.650083901).abs() < 1e-8 && (w[(1, 1)] - 0.85634219).abs() < 1e-8);
    assert!((w[(0, 1)].abs() - 0.308064264).abs() < 1e-8);
    let (trace, outcome) = resolve(&Plus::default(), &problem);
    let slides = |interval: &super::super::Record| interval.states[0].motion == Motion::Sliding;
    assert!(trace.intervals.iter().all(slides));
    let after = problem.contact_velocity(&outcome.velocity);
    assert!((after - dvector![6.9963, 0.2900]).amax() < 1e-4);
    let impulse = &outcome.impulses[0];
    assert!((impulse.normal - 20.5505).abs() < 1e-4, "{impulse:?}");
    assert!((impulse.tangent[0] + 2.0551).abs() < 1e-4, "{impulse:?}");
    let v = &outcome.velocity;
    let rates = dvector![v[0], v[1] - v[0], v[2] - v[1]];
    assert!((rates - dvector![-5.753484, 10.963271, -3.468773]).amax() < 1e-5);
    let energy = [problem.velocity(), v].map(|velocity| problem.kinetic_energy(velocity));
    assert!((energy[0] - 93.685).abs() < 1e-3 && (energy[1] - 84.776).abs() < 1e-3, "{energy:?}");
}
