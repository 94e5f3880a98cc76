//! Time of a variational step of a walker with eight coordinates.
//!
//! The walker is planar: a trunk, two legs with springs and dampers in the knees, driven hips, and a hinge in
//! its back. The step is in the air, as most are, and must take at most 20 µs. For comparison the same run
//! has Stewart and Trinkle's step of the same walker, which is of first order and explicit in the forces, and
//! four accelerations, the minimum for a step of the classical Runge–Kutta method.

use criterion::{Criterion, criterion_group, criterion_main};
use nalgebra::{Isometry3, Vector3};
use percussion_benches::residuals;
use percussion_dynamics::{
    Articulated, Joint, Link, MassProperties,
    gap::{Plane, Sphere, SpherePlane},
};
use percussion_impact::propagative::Propagative;
use percussion_integrators::{
    Contact, Drive, Force, Model, Simulation, State,
    stewart_trinkle::{self, StewartTrinkle},
    variational::{self, Variational},
};

const BENCH: &str = "variational-step/walker";
const STEP: f64 = 1e-4;
/// Far above the floor, so that every step timed is in the air.
const HEIGHT: f64 = 1e6;

fn limb(mass: f64, length: f64) -> MassProperties {
    let size = Vector3::new(length, 0.02, 0.02);
    let limb = MassProperties::solid_box(mass, &size).expect("sizes are positive");
    limb.translated(&Vector3::new(0.5 * length, 0.0, 0.0))
}

fn hinge() -> Joint {
    Joint::revolute(Vector3::z())
}

fn walker() -> Articulated {
    let mut links = vec![Link::new("trunk", Joint::planar()).with_mass(limb(1.0, 0.14))];
    let back = hinge().with_spring(&[5.0], &[0.0]).with_damping(&[0.05]);
    let end = Isometry3::translation(0.14, 0.0, 0.0);
    links.push(Link::new("tail", back).on("trunk").at(end).with_mass(limb(0.4, 0.2)));
    for side in ["left", "right"] {
        let knee = hinge().with_spring(&[2.0], &[-0.8]).with_damping(&[0.02]);
        let (thigh, shank) = (format!("{side} thigh"), format!("{side} shank"));
        links.push(Link::new(&*thigh, hinge()).on("trunk").with_mass(limb(0.1, 0.08)));
        let end = Isometry3::translation(0.08, 0.0, 0.0);
        links.push(Link::new(&*shank, knee).on(thigh).at(end).with_mass(limb(0.1, 0.1)));
    }
    Articulated::new(links, Vector3::new(0.0, -9.81, 0.0)).expect("the links are a tree")
}

/// The feet and the tail against the floor.
fn tips() -> [SpherePlane; 3] {
    let floor = Plane::new(&Vector3::y(), &Vector3::zeros()).expect("the normal is not zero");
    [(1, 0.2), (3, 0.1), (5, 0.1)].map(|(body, x)| {
        let tip = Sphere::on_body(body, Vector3::new(x, 0.0, 0.0), 0.0);
        SpherePlane::new(tip, floor).expect("the radius is not negative")
    })
}

fn start() -> (Vec<f64>, Vec<f64>) {
    let coordinates = vec![0.0, HEIGHT, 0.2, -0.1, -1.2, -0.7, -1.9, -0.9];
    let velocity = vec![0.3, 0.0, 1.0, -0.5, 3.0, -2.0, 2.0, 4.0];
    (coordinates, velocity)
}

fn by_variations() -> Simulation<Variational> {
    use variational::Settings;
    let contacts = tips().map(|gap| Contact::new(gap, 0.0)).into();
    let hip = |index, position| -> Box<dyn Force> {
        let (proportional, derivative) = (10.0, 1.0);
        Box::new(Drive { index, position, speed: 5.0, since: 0.0, proportional, derivative })
    };
    let model = Model::lagrangian(Box::new(walker()), contacts).expect("the model is valid");
    let model = model.with_forces(vec![hip(4, -1.2), hip(6, -1.9)]);
    let (coordinates, velocity) = start();
    let state = State { time: 0.0, coordinates, velocity };
    let settings = Settings { step_size: STEP, ..Settings::default() };
    let law = Box::new(Propagative::default());
    Simulation::<Variational>::with_law(model, law, settings, state).expect("the start is valid")
}

fn by_steps() -> Simulation<StewartTrinkle> {
    use stewart_trinkle::Settings;
    let contacts = tips().map(|gap| Contact::new(gap, 0.0)).into();
    let model = Model::new(Box::new(walker()), contacts).expect("the model is valid");
    let (coordinates, velocity) = start();
    let state = State { time: 0.0, coordinates, velocity };
    let settings = Settings { step_size: STEP, ..Settings::planar() };
    Simulation::<StewartTrinkle>::new(model, settings, state).expect("the start is valid")
}

fn variational_step(criterion: &mut Criterion) {
    let mut motion = by_variations();
    let report = motion.step().expect("the step is solved");
    assert!(report.relative_residual <= 1e-10, "residual {:e}", report.relative_residual);
    eprintln!("{BENCH}: {:?}", report.work);
    residuals::note(BENCH, report.relative_residual).expect("the file can be written");
    criterion.bench_function(BENCH, |bencher| {
        bencher.iter(|| motion.step().expect("the step is solved"));
    });
    let height = motion.state().coordinates[1];
    assert!(height > 1.0, "the walker has come down to {height} m");

    let mut motion = by_steps();
    motion.step().expect("the step is solved");
    criterion.bench_function("variational-step/stewart-trinkle", |bencher| {
        bencher.iter(|| motion.step().expect("the step is solved"));
    });

    let mut kinematics = walker().kinematics();
    let (mut coordinates, velocity) = start();
    let (forces, mut acceleration) = ([0.0; 8], [0.0; 8]);
    criterion.bench_function("variational-step/four-accelerations", |bencher| {
        bencher.iter(|| {
            for _ in 0..4 {
                coordinates[2] += 1e-9;
                kinematics.update(&coordinates, &velocity).expect("the lengths are right");
                kinematics.forward_dynamics(&forces, &mut acceleration).expect("they are");
            }
            acceleration[0]
        });
    });
}

criterion_group!(benches, variational_step);
criterion_main!(benches);
