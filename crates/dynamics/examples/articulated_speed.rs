//! Times the quantities of an articulated system that a contact solver needs: mass matrix, bias, contact Jacobians
//! and Delassus operator of a planar biped with two contacts and of a quadruped with four.
//!
//! `cargo run --release -p percussion-dynamics --example articulated_speed`

#![expect(clippy::print_stdout, reason = "the output of an example")]

use std::{error::Error, hint::black_box, time::Instant};

use nalgebra::{DMatrix, Isometry3, Vector3};
use percussion_dynamics::{Articulated, Joint, Kinematics, Link, MassProperties};

const ROUNDS: u32 = 20;
const REPEATS: u32 = 20_000;

fn limb(
    mass: f64,
    length: f64,
) -> Result<MassProperties, percussion_dynamics::MassPropertiesError> {
    let rod = MassProperties::solid_box(mass, &Vector3::new(0.05, length.abs(), 0.06))?;
    Ok(rod.translated(&Vector3::new(0.0, -0.5 * length, 0.0)))
}

/// A trunk in the plane with two legs of thigh, shank and foot: 7 links, 9 velocities.
fn biped() -> Result<Articulated, Box<dyn Error>> {
    let mut links = vec![Link::new("trunk", Joint::planar()).with_mass(limb(10.0, -0.6)?)];
    for side in ["left", "right"] {
        let mut parent = "trunk".to_owned();
        for (part, length, offset) in
            [("thigh", 0.4, 0.0), ("shank", 0.4, -0.4), ("foot", 0.1, -0.4)]
        {
            let name = format!("{side} {part}");
            let joint = Joint::revolute(Vector3::z());
            let placement = Isometry3::translation(0.0, offset, 0.0);
            links.push(
                Link::new(&*name, joint).on(parent).at(placement).with_mass(limb(1.0, length)?),
            );
            parent = name;
        }
    }
    Ok(Articulated::new(links, Vector3::new(0.0, -9.81, 0.0))?)
}

/// A free trunk with four legs of three hinges: 13 links, 18 velocities.
fn quadruped() -> Result<Articulated, Box<dyn Error>> {
    let trunk = MassProperties::solid_box(12.0, &Vector3::new(0.6, 0.2, 0.3))?;
    let mut links = vec![Link::new("trunk", Joint::free()).with_mass(trunk)];
    for (side, x, z) in [("a", 0.3, 0.15), ("b", 0.3, -0.15), ("c", -0.3, 0.15), ("d", -0.3, -0.15)]
    {
        let mut parent = "trunk".to_owned();
        let hip = Vector3::new(x, 0.0, z);
        let down = Vector3::new(0.0, -0.25, 0.0);
        for (part, axis, offset) in [
            ("hip", Vector3::x(), hip),
            ("thigh", Vector3::z(), Vector3::zeros()),
            ("shank", Vector3::z(), down),
        ] {
            let name = format!("{side} {part}");
            let placement = Isometry3::translation(offset.x, offset.y, offset.z);
            let mass = limb(1.0, 0.25)?;
            links.push(
                Link::new(&*name, Joint::revolute(axis)).on(parent).at(placement).with_mass(mass),
            );
            parent = name;
        }
    }
    Ok(Articulated::new(links, Vector3::new(0.0, -9.81, 0.0))?)
}

/// The shortest time of one call in microseconds, which is the least disturbed by other programs.
fn time(mut call: impl FnMut()) -> f64 {
    let round = |_| {
        let start = Instant::now();
        (0..REPEATS).for_each(|_| call());
        start.elapsed().as_secs_f64() / f64::from(REPEATS) * 1e6
    };
    (0..ROUNDS).map(round).fold(f64::INFINITY, f64::min)
}

fn measure(name: &str, system: &Articulated, feet: &[usize]) {
    let mut kinematics = system.kinematics();
    let n = system.links().iter().map(|link| link.joint.kind.velocity_count()).sum::<usize>();
    let rows = if n == 9 { 2 } else { 3 };
    let mut q = system.neutral_coordinates();
    let v = vec![0.3; n];
    let tip = Vector3::new(0.02, -0.25, 0.0);
    let mut mass_matrix = DMatrix::zeros(n, n);
    let mut bias = vec![0.0; n];
    let mut acceleration = vec![0.0; n];
    let mut jacobians = vec![DMatrix::zeros(rows, n); feet.len()];
    let mut columns = DMatrix::zeros(n, rows * feet.len());
    let mut delassus = DMatrix::zeros(rows * feet.len(), rows * feet.len());

    let mut update = |kinematics: &mut Kinematics| {
        // A different position in each call, so that nothing is reused from the last one.
        q[0] += 1e-9;
        let shape = kinematics.update(black_box(&q), black_box(&v));
        debug_assert!(shape.is_ok(), "{shape:?}");
    };
    let mut report = |what: &str, call: &mut dyn FnMut(&mut Kinematics)| {
        println!("{name:>10}: {what:<45} {:6.3} µs", time(|| call(&mut kinematics)));
    };
    report("update", &mut |k| update(k));
    report("update, mass matrix, bias, contact Jacobians", &mut |k| {
        update(k);
        let _ = black_box(k.mass_matrix(&mut mass_matrix));
        let _ = black_box(k.bias(&mut bias));
        for (&foot, jacobian) in feet.iter().zip(&mut jacobians) {
            let point = k.pose(foot) * nalgebra::Point3::from(tip);
            let _ = black_box(k.point_jacobian(foot, &point.coords, jacobian));
        }
    });
    for (i, jacobian) in jacobians.iter().enumerate() {
        columns.columns_mut(rows * i, rows).copy_from(&jacobian.transpose());
    }
    let jacobian_columns = columns.clone();
    let factor_only = {
        let mut none = DMatrix::zeros(n, 0);
        let mut k = system.kinematics();
        time(|| {
            update(&mut k);
            let _ = black_box(k.apply_inverse_mass(&mut none));
        })
    };
    println!("{name:>10}: {:<45} {factor_only:6.3} µs", "update, factors of the mass matrix");
    report("Delassus operator beyond the factors", &mut |k| {
        columns.copy_from(&jacobian_columns);
        let _ = black_box(k.whiten(&mut columns));
        delassus.gemm_tr(1.0, &columns, &columns, 0.0);
        black_box(&delassus);
    });
    report("update, forward dynamics", &mut |k| {
        update(k);
        let _ = black_box(k.forward_dynamics(&v, &mut acceleration));
    });
}

fn main() -> Result<(), Box<dyn Error>> {
    measure("biped", &biped()?, &[3, 6]);
    measure("quadruped", &quadruped()?, &[3, 6, 9, 12]);
    Ok(())
}
