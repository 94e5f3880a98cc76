//! A plank lies across a crate: the contact points, and their motion when the plank rotates.
//!
//! `cargo run -p percussion-collision --example plank`

#![expect(clippy::print_stdout, reason = "the output of an example")]

use std::error::Error;

use nalgebra::{Matrix3, Vector3};
use percussion_collision::{Collider, Scene, Settings, Shape, Workspace};
use percussion_dynamics::{Body, FreeBodies};

fn main() -> Result<(), Box<dyn Error>> {
    // The crate is a cube of 1 m whose top is the plane z = 0; the plank is 3 m long and 0.2 m wide.
    let system = FreeBodies::new(vec![Body::new(5.0, Matrix3::identity())], Vector3::zeros())?;
    let plank = Shape::Box { half_extents: Vector3::new(1.5, 0.1, 0.02) };
    let below = nalgebra::Isometry3::translation(0.0, 0.0, -0.5);
    let cube = Shape::Box { half_extents: Vector3::repeat(0.5) };
    let colliders = vec![
        Collider::on_body(0, plank)?.with_friction(0.4)?,
        Collider::fixed(cube)?.with_pose(below)?.with_friction(0.9)?,
    ];
    let scene = Scene::new(colliders, &system)?;
    let mut workspace = Workspace::default();

    for degrees in [0.0, 30.0_f64] {
        let half = 0.5 * degrees.to_radians();
        let coordinates = [0.0, 0.0, 0.02, half.cos(), 0.0, 0.0, half.sin()];
        let contacts =
            scene.contacts(&system, &coordinates, &Settings::default(), &mut workspace)?;
        println!("turned by {degrees}°, friction {:.2}", contacts[0].friction);
        for contact in contacts {
            let [x, y, _] = contact.points[0].into();
            println!(
                "  ({x:6.3}, {y:6.3}) m, gap {:.1e} m, {:?}",
                contact.gap, contact.id.features
            );
            // The long edges of the plank cross two edges of the crate: x = ±0.5 m, and there the edges are
            // at ±0.1 / cos 30° about the middle line.
            let (sin, cos) = degrees.to_radians().sin_cos();
            let across = (cos * y - sin * x).abs();
            assert!((x.abs() - 0.5).abs() < 1e-12 && (across - 0.1).abs() < 1e-12, "({x}, {y})");
            assert!((contact.frame.normal - Vector3::z()).norm() < 1e-12, "it carries upward");
        }
        assert_eq!(contacts.len(), 4, "the corners of what they share");
    }
    Ok(())
}
