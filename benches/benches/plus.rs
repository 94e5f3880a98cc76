//! Time of PLUS on the examples of its authors.
//!
//! Each bench resolves one impact in memory that has been used before, after the result has been compared
//! with the figures of the authors' solver (Simbody 3.7). On the same kind of machine that solver took the
//! following times, which are the bounds; ours should be a twentieth:
//!
//! | bench | what | authors' solver |
//! | --- | --- | --- |
//! | `example-1/0.01` | one contact of a brick, 120 intervals | 750 to 1090 µs |
//! | `example-1/0.25` | the same in 6 intervals | 40 to 70 µs |
//! | `example-2` | four contacts of a brick | 57 to 72 µs |
//! | `example-3` | five balls, five rounds | 15 µs |
//! | `example-4` | a sliding contact of a triple pendulum | 12 to 15 µs a round |

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use nalgebra::{DMatrix, DVector, Matrix3, Rotation3, Vector3, dvector};
use percussion_impact::{
    Contact, Mass, Problem,
    plus::{Plus, Status, Workspace},
};

/// A uniform brick of 2 kg that touches the ground 0.1 m below some of its vertices, as in the paper.
fn brick(edges: Vector3<f64>, rotation: &Rotation3<f64>, lowest: usize, v: [f64; 3]) -> Problem {
    let squares = edges.component_mul(&edges);
    let inertia = Matrix3::from_diagonal(&squares.map(|s| (squares.sum() - s) / 6.0));
    let mut mass = DMatrix::identity(6, 6) * 2.0;
    mass.view_mut((3, 3), (3, 3)).copy_from(&(rotation * inertia * rotation.transpose()));
    let half = |bit: usize| if bit == 0 { -0.5 } else { 0.5 };
    let mut points: Vec<Vector3<f64>> = (0..8)
        .map(|k| Vector3::new(half(k & 1), half(k & 2), half(k & 4)).component_mul(&edges))
        .map(|vertex| rotation * vertex - Vector3::z() * 0.1)
        .collect();
    points.sort_by(|a, b| a.z.total_cmp(&b.z));
    let row = |r: &Vector3<f64>, d: Vector3<f64>| {
        let turn = r.cross(&d);
        dvector![d.x, d.y, d.z, turn.x, turn.y, turn.z]
    };
    let contacts = points[..lowest].iter().map(|r| {
        let tangents = vec![row(r, Vector3::x()), row(r, Vector3::y())];
        Contact::new(row(r, Vector3::z())).with_friction(0.125, tangents)
    });
    let velocity = dvector![v[0], v[1], v[2], 0.0, 0.0, 0.0];
    Problem::new(Mass::Matrix(mass), velocity, contacts.collect()).expect("the brick is valid")
}

fn example_1() -> Problem {
    let tilt = Rotation3::from_axis_angle(&Vector3::x_axis(), std::f64::consts::FRAC_PI_4)
        * Rotation3::from_axis_angle(&Vector3::y_axis(), std::f64::consts::FRAC_PI_6);
    brick(Vector3::new(0.4, 0.6, 0.8), &tilt, 1, [-5.0, 0.0, -5.74])
}

fn example_2() -> Problem {
    let flat = brick(Vector3::new(0.8, 0.6, 0.4), &Rotation3::identity(), 4, [-2.0, 0.0, -8.84]);
    let contacts = flat.contacts().iter().map(|c| Contact { friction: 0.2, ..c.clone() });
    let inertia = dvector![2.0, 2.0, 2.0, 0.52 / 6.0, 0.8 / 6.0, 1.0 / 6.0];
    let mass = Mass::Matrix(DMatrix::from_diagonal(&inertia));
    Problem::new(mass, flat.velocity().clone(), contacts.collect()).expect("the brick is valid")
}

fn example_3() -> Problem {
    let row = |k: usize| DVector::from_fn(5, |i, _| f64::from(i == k + 1) - f64::from(i == k));
    let contacts = (0..4).map(|k| Contact::new(row(k)).with_restitution(1.0)).collect();
    let velocity = dvector![2.0, 0.0, 0.0, 0.0, 0.0];
    let mass = Mass::Matrix(DMatrix::identity(5, 5));
    Problem::new(mass, velocity, contacts).expect("the row of balls is valid")
}

/// The Delassus operator and the velocity of the pendulum's contact.
fn example_4() -> Problem {
    let w = DMatrix::from_row_slice(2, 2, &[0.650083901, -0.308064264, -0.308064264, 0.85634219]);
    let contact = Contact::new(dvector![1.0, 0.0])
        .with_friction(0.1, vec![dvector![0.0, 1.0]])
        .with_restitution(1.0);
    let mass = Mass::Matrix(w.try_inverse().expect("the operator is regular"));
    Problem::new(mass, dvector![-6.996323, 8.380720], vec![contact]).expect("it is valid")
}

fn plus(criterion: &mut Criterion) {
    let law = |e_min, theta_max| Plus { e_min: Some(e_min), theta_max, ..Plus::default() };
    // Normal impulse of the first contact, and the number of intervals.
    for (name, law, problem, normal, intervals) in [
        ("example-1/0.01", law(0.392, 0.01), example_1(), 14.74318, 120),
        ("example-1/0.25", law(0.392, 0.25), example_1(), 14.66325, 6),
        ("example-2", law(0.414, 0.01), example_2(), 7.1874, 3),
        ("example-3", law(1.0, 0.01), example_3(), 2.0, 5),
        ("example-4", law(1.0, 0.01), example_4(), 20.5505, 2),
    ] {
        let mut workspace = Workspace::default();
        let mut resolve = |problem: &Problem| {
            law.resolve_with(problem, &mut workspace).expect("the settings are in range")
        };
        let report = resolve(&problem);
        assert_eq!((report.status, report.intervals), (Status::Resolved, intervals), "{name}");
        criterion.bench_function(&format!("plus/{name}"), |bencher| {
            bencher.iter(|| resolve(black_box(&problem)));
        });
        let found = workspace.impulse().iter().fold(0.0_f64, |most, impulse| most.max(*impulse));
        assert!((found - normal).abs() < 1e-3, "{name}: {found} is not {normal}");
    }
}

criterion_group!(benches, plus);
criterion_main!(benches);
