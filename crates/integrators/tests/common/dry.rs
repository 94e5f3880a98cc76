//! Models with dry friction of joints.

use nalgebra::{DMatrix, Isometry3, Matrix3, Vector3};
use percussion_dynamics::constraint::BallJoint;
use percussion_dynamics::{Anchor, Articulated, Joint, Link, MassProperties};
use percussion_integrators::{BoundedFriction, Model};

/// Friction on a combination of the velocities.
pub(crate) fn friction(axis: &[f64], bound: f64) -> BoundedFriction {
    BoundedFriction::along(&DMatrix::from_column_slice(axis.len(), 1, axis), bound)
}

/// A parallelogram: cranks of 0.5 m and 1 kg at the distance 1 m, joined by a rod of 2 kg, with friction in all four joints, which turn equally fast.
pub(crate) fn parallelogram(bound: f64) -> Model {
    let rod = |length: f64, mass: f64| {
        let center = Vector3::new(0.5 * length, 0.0, 0.0);
        let inertia = Matrix3::from_diagonal_element(mass * length * length / 12.0);
        MassProperties::new(mass, center, inertia).unwrap()
    };
    let pin = || Joint::revolute(Vector3::z());
    let place = |x: f64| Isometry3::translation(x, 0.0, 0.0);
    let links = vec![
        Link::new("crank", pin()).with_mass(rod(0.5, 1.0)),
        Link::new("coupler", pin()).on("crank").at(place(0.5)).with_mass(rod(1.0, 2.0)),
        Link::new("rocker", pin()).at(place(1.0)).with_mass(rod(0.5, 1.0)),
    ];
    let system = Articulated::new(links, Vector3::new(0.0, -10.0, 0.0)).unwrap();
    let ends =
        [(1, 1.0), (2, 0.5)].map(|(body, x)| Anchor::on_body(body, Vector3::new(x, 0.0, 0.0)));
    let pin = BallJoint::new(ends[0], ends[1]).unwrap();
    let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [-1.0, -1.0, 1.0]];
    let frictions = axes.map(|axis| friction(&axis, bound)).into();
    let model = Model::lagrangian(Box::new(system), vec![]).unwrap();
    let model = model.with_constraints(vec![Box::new(pin)]).unwrap();
    model.with_joint_friction(frictions).unwrap()
}
