//! Rotations in space: the discrete Euler–Poincaré equations.

use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};
use percussion_dynamics::{
    Body, FreeBodies, MassProperties,
    gap::{Plane, Sphere, SpherePlane},
};
use percussion_integrators::{Contact, Model, Simulation, variational::Variational};

use crate::support::{integrator, settings, state};

fn body(moments: [f64; 3]) -> FreeBodies {
    let inertia = Matrix3::from_diagonal(&Vector3::from(moments));
    FreeBodies::new(vec![Body::new(1.0, inertia)], Vector3::zeros()).unwrap()
}

fn axis(motion: &Simulation<Variational>, k: usize) -> Vector3<f64> {
    let q = &motion.state().coordinates;
    UnitQuaternion::new_normalize(Quaternion::new(q[3], q[4], q[5], q[6])) * Vector3::ith(k, 1.0)
}

/// The axis of a symmetric top goes round the angular momentum at the rate `‖L‖/I₁`, at a constant angle.
#[test]
fn a_symmetric_top_precesses_about_its_angular_momentum() {
    let error = |h: f64| {
        let model = Model::free_bodies(body([2.0, 2.0, 1.0]), vec![]).unwrap();
        let start = state(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], &[0.0, 0.0, 0.0, 0.6, 0.0, 2.0]);
        let mut motion = integrator(model, settings(h), start);
        let momentum = Vector3::new(1.2, 0.0, 2.0);
        motion.run(1.0, |_, _| ()).unwrap();
        // The body's axis of symmetry keeps its angle to the momentum exactly.
        let cosine = momentum.z / momentum.norm();
        assert!((axis(&motion, 2).dot(&momentum.normalize()) - cosine).abs() < 1e-12);
        let turn = UnitQuaternion::from_scaled_axis(momentum / 2.0);
        (axis(&motion, 2) - turn * Vector3::z()).norm()
    };
    let (coarse, fine) = (error(0.02), error(0.01));
    assert!(fine < 1e-3 && ((coarse / fine).log2() - 2.0).abs() < 0.02, "{coarse:e} {fine:e}");
}

#[test]
fn the_angular_momentum_of_any_body_is_kept_and_its_energy_bounded() {
    let largest = |h: f64| {
        let model = Model::free_bodies(body([1.0, 2.0, 3.0]), vec![]).unwrap();
        // Near the unstable axis, so that the body tumbles.
        let start = state(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], &[0.1, 0.0, 0.0, 0.01, 2.0, 0.01]);
        let mut motion = integrator(model, settings(h), start);
        let before = motion.momentum().clone();
        let (mut first, mut worst) = (None, 0.0_f64);
        motion
            .run(5000.0 * h, |_, report| {
                let first = *first.get_or_insert(report.energy_before);
                worst = worst.max((report.energy_after - first).abs());
            })
            .unwrap();
        assert_eq!(&before, motion.momentum());
        worst
    };
    let (coarse, fine) = (largest(0.04), largest(0.02));
    assert!((coarse / fine - 4.0).abs() < 0.2, "{coarse:e} {fine:e}");
}

#[test]
fn tumbling_is_reversible() {
    let model = || Model::free_bodies(body([1.0, 2.0, 3.0]), vec![]).unwrap();
    let start = state(&[0.0, 0.0, 0.0, 0.6, 0.0, 0.8, 0.0], &[0.1, 0.2, 0.0, 1.0, 2.0, -1.0]);
    let mut there = integrator(model(), settings(0.05), start.clone());
    there.run(2.0, |_, _| ()).unwrap();
    let mut turned = there.state().clone();
    turned.time = 0.0;
    turned.velocity.iter_mut().for_each(|v| *v = -*v);
    let mut back = integrator(model(), settings(0.05), turned);
    back.run(2.0, |_, _| ()).unwrap();
    for (found, expected) in back.state().coordinates.iter().zip(&start.coordinates) {
        assert!((found - expected).abs() < 1e-11);
    }
}

/// A cube of edge 1 m with its eight corners above a floor.
fn cube(friction: f64) -> Model {
    let solid = MassProperties::solid_box(1.0, &Vector3::new(1.0, 1.0, 1.0)).unwrap();
    let bodies =
        FreeBodies::new(vec![Body::from_mass_properties(&solid)], Vector3::new(0.0, 0.0, -10.0));
    let floor = Plane::new(&Vector3::z(), &Vector3::zeros()).unwrap();
    let corner = |k: u8| {
        let side = |bit: u8| if k & bit == 0 { -0.5 } else { 0.5 };
        let at = Vector3::new(side(1), side(2), side(4));
        let gap = SpherePlane::new(Sphere::on_body(0, at, 0.0), floor).unwrap();
        Contact::new(gap, friction)
    };
    Model::free_bodies(bodies.unwrap(), (0..8).map(corner).collect()).unwrap()
}

#[test]
fn a_thrown_cube_keeps_its_energy_and_its_sideways_momentum() {
    let tilt = UnitQuaternion::from_euler_angles(0.4, 0.3, 0.2);
    let q = [0.0, 0.0, 1.5, tilt.w, tilt.i, tilt.j, tilt.k];
    let start = state(&q, &[0.5, -0.2, 0.0, 1.0, 0.5, 0.2]);
    let mut motion = integrator(cube(0.0), settings(2e-3), start);
    let before = motion.momentum().clone();
    let (mut first, mut worst, mut impacts) = (None, 0.0_f64, 0);
    motion
        .run(3.0, |_, report| {
            impacts += report.impacts.len();
            assert!(report.penetration <= 1e-12);
            let first = *first.get_or_insert(report.energy_before);
            worst = worst.max((report.energy_after - first).abs());
        })
        .unwrap();
    assert!(impacts > 3);
    let after = motion.momentum();
    for k in [0, 1, 5] {
        // No corner touches with a moment about the vertical or a force along the floor.
        assert!((before[k] - after[k]).abs() < 1e-13, "{k}");
    }
    assert!(worst < 1e-3, "{worst:e} J");
}

#[test]
fn a_cube_on_a_rough_floor_slides_to_rest_on_its_four_corners() {
    let start = state(&[0.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0], &[1.5, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let mut motion = integrator(cube(0.3), settings(0.01), start);
    motion.run(0.2, |_, _| ()).unwrap();
    assert!((motion.state().velocity[0] - 0.9).abs() < 1e-9, "{:?}", motion.state());
    motion.run(1.0, |_, _| ()).unwrap();
    // v²/(2 μ g) = 0.375 m.
    assert!((motion.state().coordinates[0] - 0.375).abs() < 1e-9);
    assert!((motion.state().coordinates[2] - 0.5).abs() < 1e-11);
}
