//! The effective mass of the end of a hanging chain of two rods in an impact from the side.
//!
//! `cargo run -p percussion-dynamics --example effective_mass`

#![expect(clippy::print_stdout, reason = "the output of an example")]

use std::{error::Error, f64::consts::FRAC_PI_2};

use nalgebra::{DMatrix, Isometry3, UnitQuaternion, Vector3};
use percussion_dynamics::{
    Articulated, Contact, ContactFrame, ContactSet, Joint, Link, MassProperties,
};

fn main() -> Result<(), Box<dyn Error>> {
    // Rods of 1 m and 1 kg that hang from hinges at their upper ends.
    let upright = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), FRAC_PI_2);
    let rod = MassProperties::thin_rod(1.0, 1.0)?
        .rotated(&upright)
        .translated(&Vector3::new(0.0, -0.5, 0.0));
    let hinge = || Joint::revolute(Vector3::z());
    let below = Isometry3::translation(0.0, -1.0, 0.0);
    let links = vec![
        Link::new("upper", hinge()).with_mass(rod),
        Link::new("lower", hinge()).on("upper").at(below).with_mass(rod),
    ];
    let chain = Articulated::new(links, Vector3::new(0.0, -9.81, 0.0))?;

    // A contact at the lower end whose normal is horizontal.
    let sideways = ContactFrame::from_normal(&Vector3::x(), &Vector3::y())?;
    let end = Vector3::new(0.0, -2.0, 0.0);
    let hanging = [0.0, 0.0];
    let mut contacts = ContactSet::for_system(&chain);
    contacts.push(&chain, &hanging, &Contact::new([Some(1), None], [end, end], sideways))?;
    let mut delassus = DMatrix::zeros(0, 0);
    contacts.divide_by_mass(&chain, &hanging)?;
    contacts.delassus(&mut delassus)?;

    let mass = 1.0 / delassus[(0, 0)];
    println!("the end weighs {mass:.4} kg of 2 kg");
    // M = [8/3 5/6; 5/6 1/3] and J = (2, 1) give J M⁻¹ Jᵀ = 24/7.
    assert!((mass - 7.0 / 24.0).abs() < 1e-12, "{mass}");
    Ok(())
}
