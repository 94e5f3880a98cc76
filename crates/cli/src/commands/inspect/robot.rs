//! Robot descriptions: trees of links at neutral coordinates.

use anyhow::{Context, Result, bail};
use percussion_collision::{Scene, Settings, Workspace};
use percussion_dynamics::{ContactSet, JointKind, Link, System};
use percussion_mechanism::{
    scenario::robot::{collider, without_neighbors},
    urdf::{self, Base, Imported},
};
use percussion_report::number::short;

use super::{
    BodyRow, FeatureRow, Inspection, JointRow, Kind, MassMatrix, Touching, dimension, rank,
};
use crate::arguments::Inspect;

/// Pairs of so many shapes that joints keep apart are listed in a few seconds.
const MOST_SHAPES: usize = 2000;

pub(super) fn inspect(arguments: &Inspect) -> Result<Inspection> {
    let settings = urdf::Settings {
        base: if arguments.floating { Base::Floating } else { Base::Fixed },
        gravity: arguments.gravity.unwrap_or_default(),
        allow_massless: arguments.allow_massless,
        packages: arguments.packages.iter().cloned().collect(),
        ..urdf::Settings::default()
    };
    let name = || format!("`{}`", arguments.file);
    let robot = urdf::read_file(&arguments.file, &settings).or_else(|error| match error {
        // It names the file itself.
        urdf::Error::File { .. } => Err(error.into()),
        urdf::Error::MissingInertia { .. } => bail!("{}: {error} (`--allow-massless`)", name()),
        urdf::Error::UnknownPackage { .. } => bail!("{}: {error} (`--package`)", name()),
        _ => Err(error).with_context(name),
    })?;
    let system = &robot.system;
    let coordinates = system.neutral_coordinates();
    let mut warnings: Vec<String> = robot.warnings.iter().map(ToString::to_string).collect();
    warnings.extend(system.links().iter().flat_map(outside_of_limits));

    let mass_matrix = MassMatrix::of(system, &coordinates, &mut warnings);
    let touching = touching(&robot, &coordinates, arguments, mass_matrix.as_ref(), &mut warnings)
        .with_context(name)?;
    warnings.extend(touching.warnings());
    let mass = |link: &Link| link.mass_properties.map_or(0.0, |properties| properties.mass());
    Ok(Inspection {
        kind: Kind::Robot,
        dimension: dimension(system),
        coordinates: system.coordinate_count(),
        degrees_of_freedom: system.velocity_count(),
        total_mass: system.mass(),
        mass_matrix,
        bodies: system
            .links()
            .iter()
            .map(|link| BodyRow { name: link.name.clone(), mass: mass(link) })
            .collect(),
        joints: joints(&robot),
        touching,
        warnings,
        name: robot.name,
    })
}

fn joints(robot: &Imported) -> Vec<JointRow> {
    let row = |joint: &urdf::JointName| {
        let link = &robot.system.links()[joint.body];
        let end = |value: f64| value.is_finite().then_some(value);
        JointRow {
            name: joint.name.clone(),
            kind: kind(link.joint.kind),
            parent: link.parent.clone(),
            child: link.name.clone(),
            degrees_of_freedom: link.joint.kind.velocity_count(),
            limits: link.joint.limits.iter().map(|limits| limits.map(end)).collect(),
        }
    };
    robot.joints.iter().map(row).collect()
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

/// Complaints about neutral coordinates that the joint of `link` cannot have.
fn outside_of_limits(link: &Link) -> impl Iterator<Item = String> {
    let outside = link.joint.limits.iter().filter(|[low, high]| !(*low..=*high).contains(&0.0));
    outside.map(|[low, high]| {
        format!(
            "the joint of `{}` is inspected at 0, outside of its limits {} … {}",
            link.name,
            short(*low),
            short(*high)
        )
    })
}

/// The features of links that touch, where no joint connects the links.
fn touching(
    robot: &Imported,
    coordinates: &[f64],
    arguments: &Inspect,
    mass_matrix: Option<&MassMatrix>,
    warnings: &mut Vec<String>,
) -> Result<Touching> {
    let system = &robot.system;
    let mut colliders = Vec::new();
    for collision in &robot.collision {
        let link = &system.links()[collision.body].name;
        let name = collision.name.as_ref().map_or_else(
            || format!("a collision shape of `{link}`"),
            |name| format!("the collision shape `{name}` of `{link}`"),
        );
        match collider(system, collision) {
            Ok(collider) => {
                colliders.push(collider);
                if let urdf::Geometry::Mesh { path, .. } = &collision.geometry {
                    let path = path.display();
                    warnings.push(format!("{name} is taken for the convex hull of {path}"));
                }
            }
            Err(reason) => warnings.push(format!("{name} is left out: {reason}")),
        }
    }
    if colliders.len() > MOST_SHAPES {
        warnings.push(format!(
            "touching features are not looked for among {} shapes, only among up to {MOST_SHAPES}",
            colliders.len()
        ));
        colliders.clear();
    }
    let scene = without_neighbors(Scene::new(colliders, system)?, system)?;
    let settings = Settings { proximity: arguments.proximity };
    let mut workspace = Workspace::default();
    let found = scene.contacts(system, coordinates, &settings, &mut workspace)?;

    let mut contacts = ContactSet::for_system(system);
    let mut features = Vec::new();
    for contact in found {
        let between = contact.bodies.map(|body| match body {
            Some(body) => system.links()[body].name.clone(),
            None => "world".to_owned(),
        });
        contacts.push(system, coordinates, &contact.into())?;
        features.push(FeatureRow {
            name: format!("{}–{}", between[0], between[1]),
            between,
            gap: contact.gap,
            friction: arguments.friction,
        });
    }
    Ok(Touching {
        proximity: arguments.proximity,
        components: features.len() * contacts.component_count(),
        features,
        rank: rank(&mut contacts, system, coordinates, mass_matrix)?,
    })
}
