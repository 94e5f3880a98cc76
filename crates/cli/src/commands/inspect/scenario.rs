//! Scenarios: their bodies and surfaces at the start of their motion.

use anyhow::{Result, ensure};
use percussion_collision::{Settings, Workspace};
use percussion_dynamics::ContactSet;
use percussion_integrators::FoundCone;
use percussion_mechanism::{
    mechanism::Mechanism,
    scenario::{Joint, JointKind, Scenario},
};

use super::{
    BodyRow, FeatureRow, Inspection, JointRow, Kind, MassMatrix, Touching, dimension, rank,
};
use crate::{arguments::Inspect, input};

pub(super) fn inspect(arguments: &Inspect) -> Result<Inspection> {
    let scenario = input::scenario(&arguments.file, &[])?;
    input::check_options(&arguments.file, &arguments.robot)?;
    ensure!(
        !arguments.fixed_base,
        "`--fixed-base` is for robots, expected a file named `*.urdf` instead of `{}`",
        arguments.file
    );
    let setup = input::build(&scenario, &arguments.file)?;
    let mechanism = &setup.mechanism;
    let system = mechanism.model.system();
    let coordinates = &mechanism.state.coordinates;
    let mut warnings = mechanism.warnings.clone();
    let mass_matrix = MassMatrix::of(system, coordinates, &mut warnings);
    let mut contacts = ContactSet::for_system(system);
    let features = features(mechanism, arguments.proximity, &mut contacts)?;
    let (components, rank) = rank(&mut contacts, system, coordinates, mass_matrix.as_ref())?;
    let touching = Touching { proximity: arguments.proximity, features, components, rank };
    let bodies: Vec<BodyRow> = mechanism
        .parts
        .iter()
        .map(|part| BodyRow { name: part.name.clone(), mass: part.mass })
        .collect();
    warnings.extend(touching.warnings());
    Ok(Inspection {
        kind: Kind::Scenario,
        name: scenario.name.clone(),
        dimension: dimension(system),
        coordinates: system.coordinate_count(),
        degrees_of_freedom: system.velocity_count(),
        total_mass: bodies.iter().map(|body| body.mass).sum(),
        mass_matrix,
        bodies,
        joints: joints(&scenario),
        actuators: Vec::new(),
        warnings,
        touching,
    })
}

/// The joints that the scenario itself defines; the joints of its robot belong to the robot's file.
fn joints(scenario: &Scenario) -> Vec<JointRow> {
    let row = |joint: &Joint| {
        let moves = matches!(joint.kind, JointKind::Revolute | JointKind::Prismatic);
        let end = |value: f64| value.is_finite().then_some(value);
        JointRow {
            name: joint.name.clone(),
            kind: match joint.kind {
                JointKind::Revolute => "revolute",
                JointKind::Prismatic => "prismatic",
                JointKind::Spherical => "spherical",
                JointKind::Fixed => "fixed",
                _ => "other",
            },
            parent: (joint.between[0] != "world").then(|| joint.between[0].clone()),
            child: joint.between[1].clone(),
            degrees_of_freedom: match joint.kind {
                JointKind::Spherical => 3,
                _ => usize::from(moves),
            },
            limits: joint.limits.iter().map(|limits| limits.map(end)).collect(),
        }
    };
    scenario.joints.iter().map(row).collect()
}

/// Adds the contacts within the proximity to `contacts`.
pub(super) fn features(
    mechanism: &Mechanism,
    proximity: f64,
    contacts: &mut ContactSet,
) -> Result<Vec<FeatureRow>> {
    let Mechanism { model, state, surfaces, .. } = mechanism;
    let (system, coordinates) = (model.system(), &state.coordinates);
    let mut features = Vec::new();
    for (contact, named) in model.contacts().iter().zip(&mechanism.contacts) {
        let gap = contact.gap.gap(system, coordinates);
        if gap <= proximity {
            contacts.push_gap(system, coordinates, &*contact.gap, contact.friction, 0.0)?;
            features.push(FeatureRow {
                name: named.name.clone(),
                between: named.between.clone(),
                gap,
                friction: contact.cone.is_none().then_some(contact.friction),
            });
        }
    }
    let Some(surfaces) = surfaces else { return Ok(features) };
    let mut workspace = Workspace::default();
    let settings = Settings { proximity };
    for contact in surfaces.scene().contacts(system, coordinates, &settings, &mut workspace)? {
        contacts.push(system, coordinates, &contact.into())?;
        let name = contact.id.name();
        let is_round = FoundCone::between(name.surfaces, model.found_cones()).is_none();
        features.push(FeatureRow {
            name: surfaces.contact(&name),
            between: surfaces.partners(&name),
            gap: contact.gap,
            friction: is_round.then_some(contact.friction),
        });
    }
    Ok(features)
}
