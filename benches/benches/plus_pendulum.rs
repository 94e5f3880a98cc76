//! Time of PLUS compared with the integration of a compliant impact.
//!
//! Figure 15 of Uchida, Sherman and Delp: the sphere at the end of a triple pendulum strikes the ground, with
//! contacts of five moduli. Both sides of the comparison are timed in one run:
//!
//! | bench | what |
//! | --- | --- |
//! | `plus-pendulum/law` | only the law, on a given problem |
//! | `plus-pendulum/full` | the whole impact: kinematics, mass matrix, contact, statement of the problem, law |
//! | `plus-pendulum/compliant/E` | the compliant impact at the loosest tolerance that gives the height of the sphere 0.2 s later within 1 % |
//!
//! The tolerances are those that the experiment `plus/triple-pendulum` finds, which is run first.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use nalgebra::{DMatrix, DVector, Isometry3, Matrix3, Vector3};
use percussion_dynamics::{
    Articulated, Joint, Link, MassProperties, System,
    gap::{ContactRows, GapFunction, Plane, Sphere, SpherePlane},
};
use percussion_impact::{
    Contact, Mass, Problem,
    plus::{Plus, Status, Workspace},
};
use percussion_mechanism::impacts::compliant::{CompliantImpact, Settings};
use percussion_scenarios::{Effort, Options, experiment, fixtures};

const MODULI: [&str; 5] = ["0.01", "0.1", "1", "10", "100"];

/// The pendulum of the impact `triple-pendulum`, with its sphere as part of the last link's tree.
fn pendulum() -> Articulated {
    let mass = |inertia: f64, y: f64| {
        let inertia = Matrix3::from_diagonal_element(inertia);
        MassProperties::new(1.0, Vector3::new(0.0, y, 0.0), inertia).expect("it is a mass")
    };
    let cylinder = mass((3.0 * 0.01 + 1.0) / 12.0, -0.5);
    let at = |y: f64| Isometry3::translation(0.0, y, 0.0);
    let link = |name: &str, y: f64| {
        Link::new(name, Joint::revolute(Vector3::z())).at(at(y)).with_mass(cylinder)
    };
    let links = vec![
        link("link 1", 2.0),
        link("link 2", -1.0).on("link 1"),
        link("link 3", -1.0).on("link 2"),
        Link::new("sphere", Joint::fixed()).at(at(-1.0)).on("link 3").with_mass(mass(0.025, 0.0)),
    ];
    Articulated::new(links, Vector3::zeros()).expect("it is a tree")
}

/// States the impact: mass matrix, rows of the contact, velocity before.
fn state(system: &Articulated, gap: &SpherePlane, place: &[f64], rates: &[f64]) -> Problem {
    let mut mass = DMatrix::zeros(3, 3);
    system.mass_matrix(place, &mut mass);
    let mut rows = ContactRows::for_system(system);
    gap.rows(system, place, &mut rows);
    let row = |row: &[f64]| DVector::from_column_slice(row);
    let contact = Contact::new(row(rows.normal()))
        .with_friction(0.1, vec![row(rows.tangent(0))])
        .with_restitution(1.0);
    Problem::new(Mass::Matrix(mass), DVector::from_column_slice(rates), vec![contact])
        .expect("it is a problem")
}

fn plus_pendulum(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("plus-pendulum");
    let place = [-0.815351852796, 8.07362717859, -2.01847960797];
    let rates = [-7.95249283317, 10.0475325522, 14.7078693958];
    let system = pendulum();
    let ground = Plane::new(&Vector3::y(), &Vector3::zeros()).expect("it is a plane");
    let gap = SpherePlane::new(Sphere::of_body(3, 0.25), ground).expect("it is a gap");
    let (law, mut workspace) = (Plus::default(), Workspace::default());
    let mut resolve = |problem: &Problem| {
        law.resolve_with(problem, &mut workspace).expect("the settings are in range")
    };
    let problem = state(&system, &gap, &place, &rates);
    assert_eq!(resolve(&problem).status, Status::Resolved, "the law comes to its end");
    group.bench_function("law", |bencher| bencher.iter(|| resolve(black_box(&problem))));
    group.bench_function("full", |bencher| {
        bencher.iter(|| resolve(&state(&system, &gap, black_box(&place), black_box(&rates))));
    });
    assert!((workspace.impulse()[0] - 20.5505).abs() < 1e-3, "{:?}", workspace.impulse());

    let options = Options { effort: Effort::Quick, ..Options::default() };
    let outcome = experiment("plus/triple-pendulum")
        .and_then(|known| known.run(&options, &mut |_, _| ()))
        .expect("the experiment runs");
    let scenario = fixtures::impact("triple-pendulum").expect("it is built in");
    let built = scenario.build().expect("it is valid");
    for modulus in MODULI {
        let quantity = format!("{modulus} GPa: tolerance for an error of 1 %");
        let row = outcome.rows.iter().find(|row| row.quantity == quantity);
        let tolerance = row.expect("the experiment measures it").measured;
        let pascal = 1e9 * modulus.parse::<f64>().expect("it is a number");
        let settings = Settings { modulus: Some(pascal), tolerance, ..scenario.compliant };
        let impact = CompliantImpact::new(&built, &settings).expect("the contact gives way");
        group.bench_with_input(
            BenchmarkId::new("compliant", modulus),
            &impact,
            |bencher, impact| {
                bencher.iter(|| impact.run(&mut |_| ()).expect("the tolerance is in range"));
            },
        );
    }
    group.finish();
}

criterion_group!(benches, plus_pendulum);
criterion_main!(benches);
