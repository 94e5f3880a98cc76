//! Reading of robots, and their placement by the options of a command.

use std::path::Path;

use anyhow::{Context, ensure};
use nalgebra::Vector3;
use percussion_mechanism::{
    Error,
    scenario::{Base, Numbers, Plane, Robot, Scenario, Setup},
};

use super::{Kind, misplaced};
use crate::arguments::{Entry, RobotOptions};

/// Purpose for which a robot is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Its parts are listed.
    Inspection,
    /// Its motion is simulated.
    Motion,
    /// Its impact with the bodies that it touches is resolved.
    Impact,
}

/// Whether the name of the file is that of a robot description.
pub(crate) fn is_robot(name: &str) -> bool {
    let extension = Path::new(name).extension();
    extension.is_some_and(|e| ["urdf", "xml"].iter().any(|known| e.eq_ignore_ascii_case(known)))
}

/// Returns an error if options of robots are given for a file of another kind.
pub(crate) fn check_options(name: &str, options: &RobotOptions) -> anyhow::Result<()> {
    match options.given().filter(|_| !is_robot(name)) {
        None => Ok(()),
        Some(option) => Err(anyhow::anyhow!(
            "`{option}` is for robots, expected a file named `*.urdf` or `*.xml` instead of `{name}`"
        )),
    }
}

/// The robot in the file `name`, with its root attached to the world as `base` specifies.
pub(crate) fn robot(
    name: &str,
    options: &RobotOptions,
    base: Option<Base>,
    purpose: Purpose,
) -> anyhow::Result<Scenario> {
    super::check_file(Path::new(name), "a URDF or MJCF file", std::iter::empty())?;
    let mut robot = Robot::new(name);
    robot.base = base;
    robot.allow_massless = options.allow_massless;
    robot.leave_out_shapes = options.leave_out_shapes || purpose == Purpose::Inspection;
    robot.packages = options.packages.iter().cloned().collect();
    for entry in &options.posture {
        match entry {
            Entry::Keyframe(keyframe) => robot.keyframe = Some(keyframe.clone()),
            Entry::Joint(joint, values) => {
                let numbers = match values[..] {
                    [value] => Numbers::One(value),
                    _ => Numbers::Many(values.clone()),
                };
                robot.joints.insert(joint.clone(), numbers);
            }
        }
    }
    let named = || format!("`{name}`");
    // The dimension of a URDF robot is that of its joints, unless gravity is given.
    let gravity = match purpose {
        Purpose::Inspection if !robot.is_mjcf() => options.gravity.or(Some(Vector3::zeros())),
        _ => options.gravity,
    };
    let kind = if robot.is_mjcf() { Kind::Mjcf } else { Kind::Urdf };
    let read = Scenario::of_robot_in(robot, gravity.map(Into::into)).map_err(with_option);
    let read = read.map_err(|error| match error.downcast_ref() {
        Some(Error::Robot { .. } | Error::RobotModel { .. }) => error,
        _ => error.context(named()),
    });
    let mut scenario = read.map_err(|error| misplaced(name, &[kind], error))?;
    place(&mut scenario, options, purpose)?;
    scenario.friction = options.friction.or(scenario.friction);
    scenario.restitution = options.restitution.or(scenario.restitution);
    scenario.check().with_context(named)?;
    Ok(scenario)
}

/// Places the robot on its floor, above it, or without a floor.
fn place(scenario: &mut Scenario, options: &RobotOptions, purpose: Purpose) -> anyhow::Result<()> {
    let gravity = Vector3::from_fn(|k, _| scenario.gravity.get(k).copied().unwrap_or(0.0));
    let up = match gravity.norm() > 0.0 {
        true => -gravity.normalize(),
        false => Vector3::z(),
    };
    let dimension = scenario.gravity.len();
    if let Some(ground) = options.ground {
        // Without gravity the floor is perpendicular to z, or to y in the plane.
        let up = if gravity.norm() > 0.0 || dimension == 3 { up } else { Vector3::y() };
        let cut = |vector: Vector3<f64>| vector.as_slice()[..dimension].to_vec();
        let (point, normal) = (cut(ground * up), cut(up));
        scenario.planes = vec![Plane { name: "floor".to_owned(), point, normal, tangent: None }];
    } else if purpose == Purpose::Inspection {
        scenario.planes.clear();
    }
    let has_floor = !scenario.planes.is_empty();
    ensure!(
        options.height.is_none() || has_floor || purpose == Purpose::Impact,
        "`--height` is given, but there is no floor, expected `--ground`"
    );
    let Some(robot) = &mut scenario.robot else { return Ok(()) };
    let mut velocity = options.velocity.unwrap_or_default();
    match purpose {
        Purpose::Impact => {
            let height = options.height.unwrap_or(0.0);
            ensure!(
                height == 0.0 || robot.base != Some(Base::Fixed),
                "`--height` is {height}, but a base that is fixed does not fall, expected no `--fixed-base`"
            );
            velocity -= up * (2.0 * gravity.norm() * height).sqrt();
        }
        Purpose::Motion | Purpose::Inspection => robot.height = options.height,
    }
    // A MuJoCo model specifies itself where its bodies are.
    let on_ground = options.ground.is_some() && !robot.is_mjcf();
    let is_put = options.height.is_some() || on_ground || robot.on_floor;
    robot.on_floor = has_floor
        && match purpose {
            Purpose::Inspection => options.height.is_some(),
            Purpose::Motion | Purpose::Impact => is_put,
        };
    if velocity != Vector3::zeros() {
        robot.velocity = Some(velocity.as_slice()[..dimension].to_vec());
    }
    Ok(())
}

/// Builds the scenario of the file or built-in scenario `name`. For a robot the error contains the option that avoids it.
pub(crate) fn build(scenario: &Scenario, name: &str) -> anyhow::Result<Setup> {
    let built = scenario.build();
    let built =
        built.map_err(|error| if is_robot(name) { with_option(error) } else { error.into() });
    built.with_context(|| name.to_owned())
}

/// The same error, with the option that avoids it.
fn with_option(error: Error) -> anyhow::Error {
    use percussion_mechanism::{mjcf, urdf};
    let option = match &error {
        Error::RobotModel { source, .. } => match **source {
            mjcf::Error::Outside { .. } => Some("--package model=FOLDER"),
            _ => None,
        },
        Error::Robot { source, .. } => match source.without_line() {
            urdf::Error::MissingInertia { .. } => Some("--allow-massless"),
            urdf::Error::UnknownPackage { .. } => Some("--package"),
            urdf::Error::MissingMesh { .. } => Some("--leave-out-shapes"),
            _ => None,
        },
        Error::RobotShape { .. } => Some("--leave-out-shapes"),
        Error::Penetration { .. } => Some("--posture"),
        Error::Value { path, .. }
        | Error::Count { path, .. }
        | Error::OutsideLimits { path, .. }
        | Error::UnknownName { path, .. }
            if ["robot.joints", "robot.keyframe"].iter().any(|own| path.starts_with(own)) =>
        {
            Some("--posture")
        }
        _ => None,
    };
    match option {
        Some(option) => anyhow::anyhow!("{error} (`{option}`)"),
        None => error.into(),
    }
}
