//! Robots: trees of links at their posture.

use anyhow::{Context, Result, ensure};
use percussion_dynamics::{Articulated, ContactSet, JointKind};
use percussion_mechanism::{
    mechanism::{Mechanism, NamedActuator, NamedJoint},
    scenario::{Base, Drive},
};

use super::{
    ActuatorRow, BodyRow, Inspection, JointRow, Kind, MassMatrix, Touching, dimension, rank,
    scenario::features,
};
use crate::{arguments::Inspect, input};

pub(super) fn inspect(arguments: &Inspect) -> Result<Inspection> {
    let name = || format!("`{}`", arguments.file);
    let is_placed = arguments.file.to_ascii_lowercase().ends_with(".xml");
    ensure!(
        !(is_placed && arguments.fixed_base),
        "`--fixed-base` is given, but {} states itself how its bodies move",
        name()
    );
    let base = arguments.fixed_base.then_some(Base::Fixed);
    let purpose = input::Purpose::Inspection;
    let mut scenario = input::robot(&arguments.file, &arguments.robot, base, purpose)?;
    if let Some(robot) = &mut scenario.robot {
        robot.self_contacts = true;
        robot.drive = Drive::Controls;
    }
    let mechanism = scenario.mechanism().with_context(name)?;
    let system = mechanism.model.system();
    let coordinates = &mechanism.state.coordinates;
    let mut warnings = mechanism.warnings.clone();
    let mass_matrix = MassMatrix::of(system, coordinates, &mut warnings);
    let mut contacts = ContactSet::for_system(system);
    let mut rows = features(&mechanism, arguments.proximity, &mut contacts)?;
    if !is_placed && arguments.robot.friction.is_none() {
        // URDF has none.
        rows.iter_mut().for_each(|row| row.friction = None);
    }
    let (components, rank) = rank(&mut contacts, system, coordinates, mass_matrix.as_ref())?;
    let proximity = arguments.proximity;
    let touching = Touching { proximity, features: rows, components, rank };
    warnings.extend(touching.warnings());
    let bodies: Vec<BodyRow> = mechanism
        .parts
        .iter()
        .map(|part| BodyRow { name: part.name.clone(), mass: part.mass })
        .collect();
    Ok(Inspection {
        kind: Kind::Robot,
        name: scenario.title.strip_prefix("The robot ").unwrap_or(&scenario.title).to_owned(),
        dimension: dimension(system),
        coordinates: system.coordinate_count(),
        degrees_of_freedom: system.velocity_count(),
        total_mass: bodies.iter().map(|body| body.mass).sum(),
        mass_matrix,
        bodies,
        joints: joints(&mechanism),
        actuators: actuators(&mechanism),
        touching,
        warnings,
    })
}

fn joints(mechanism: &Mechanism) -> Vec<JointRow> {
    let Some(tree) = &mechanism.tree else { return Vec::new() };
    mechanism.joints.iter().map(|joint| row(tree, joint)).collect()
}

/// The actuators of the file, whether they are modeled or not.
fn actuators(mechanism: &Mechanism) -> Vec<ActuatorRow> {
    let row = |one: &NamedActuator| ActuatorRow {
        name: one.name.clone(),
        joints: one.joints.clone(),
        is_modeled: one.number.is_some(),
    };
    mechanism.actuators.iter().filter(|one| one.is_of_file).map(row).collect()
}

fn row(tree: &Articulated, joint: &NamedJoint) -> JointRow {
    let (moving, body) = (&tree.links()[joint.link], &tree.links()[joint.body]);
    let end = |value: f64| value.is_finite().then_some(value);
    JointRow {
        name: joint.name.clone(),
        kind: kind(moving.joint.kind),
        parent: moving.parent.clone(),
        child: body.name.clone(),
        degrees_of_freedom: moving.joint.kind.velocity_count(),
        limits: moving.joint.limits.iter().map(|limits| limits.map(end)).collect(),
    }
}

fn kind(kind: JointKind) -> &'static str {
    match kind {
        JointKind::Fixed => "fixed",
        JointKind::Revolute { .. } => "revolute",
        JointKind::Prismatic { .. } => "prismatic",
        JointKind::Planar => "planar",
        JointKind::Spherical => "spherical",
        JointKind::Free => "free",
        _ => "other",
    }
}
