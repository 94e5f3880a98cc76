//! From the elements of a model to its system: [`build`].

use std::{collections::BTreeMap, sync::Arc};

use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use percussion_dynamics::{Articulated, Joint, Link, MassProperties, System, TurnLimit};

use super::{
    Error, Imported, ModelJoint, ModelLimit, Settings, actuators,
    assets::Assets,
    audit,
    bodies::{Bodies, Body},
    chain,
    compiler::Compiler,
    contacts::{self, Touching},
    defaults::Defaults,
    equality,
    include::Files,
    inertia::Mass,
    numbers::{Attributes, quaternion},
    tendons,
};
use crate::{
    urdf::{Collision, Geometry, Subject, Warning},
    xml::Element,
};

/// Height of the world's frame (m). It changes no position, but a tree that leaves the x–y plane is a system
/// in space, whatever its joints and gravity are; shapes of MuJoCo are always in space.
pub(super) const OFF_PLANE: f64 = f64::MIN_POSITIVE;

/// The model of an element `mujoco` in which all includes are expanded.
pub(super) fn build(root: &Element, files: &Files, settings: &Settings) -> Result<Imported, Error> {
    let mut warnings = audit::audit(root)?;
    let compiler = Compiler::of(root)?;
    let defaults = Defaults::of(root)?;
    let assets = Assets::of(root, &defaults, &compiler, files)?;
    let mut bodies = Bodies::of(root, &compiler, &defaults, &assets)?;
    check_names(&bodies)?;
    let ties = equality::ties(root, &mut bodies, &defaults)?;
    let masses = masses(&bodies)?;
    let gravity = settings.gravity.unwrap_or(compiler.gravity);
    let mut links =
        vec![Link::new("world", Joint::fixed()).at(Isometry3::translation(0.0, 0.0, OFF_PLANE))];
    for (body, mass) in bodies.bodies.iter().zip(masses).skip(1) {
        let carrier = &bodies.bodies[body.parent].name;
        links.extend(body.links(Some(carrier), mass));
    }
    let system = Articulated::new(links, gravity)?;
    let joints = joints(&bodies, &system);
    let start = start(&bodies, &system);
    let tree = (&system, &joints[..]);
    let tendons = tendons::tendons(root, &mut bodies, tree, &defaults)?;
    let tree = (&system, &joints[..], &start[..]);
    let actuators = actuators::actuators(root, &mut bodies, tree, &tendons.by_name, &defaults)?;
    let geoms: Vec<Touching<'_>> = touching(&bodies);
    let pairs = contacts::pairs(root, &bodies, &geoms, &defaults)?;
    warnings.extend(notes(&bodies));
    let collision = geoms.iter().filter_map(|touching| collision(&bodies, &system, touching));
    let keyframes = keyframes(root, tree)?;
    let controls = controls(root, actuators.len())?;
    warnings.extend(bodies.warnings.iter().cloned());
    let mut limits = turn_limits(&bodies, &system);
    limits.extend(tendons.limits);
    Ok(Imported {
        name: root.attribute("model").unwrap_or("MuJoCo Model").to_owned(),
        geom_count: bodies.bodies.iter().map(|body| body.geoms.len()).sum(),
        collision: collision.collect(),
        friction: geoms.iter().map(|touching| touching.geom.friction).collect(),
        pairs,
        joints,
        start,
        keyframes,
        controls,
        actuators,
        limits,
        tendon_forces: tendons.forces,
        gravity,
        time_step: compiler.time_step,
        warnings,
        ties,
        system,
    })
}

fn check_names(bodies: &Bodies<'_>) -> Result<(), Error> {
    let mut seen = std::collections::BTreeSet::new();
    let mut joints = std::collections::BTreeSet::new();
    for body in &bodies.bodies {
        if !seen.insert(&body.name) {
            return Err(Error::name(body.element, &body.name, "a name that no other body has"));
        }
        for joint in &body.joints {
            if !joints.insert(&joint.name) {
                return Err(Error::name(body.element, &joint.name, "joints of different names"));
            }
        }
    }
    Ok(())
}

/// The inertia of each body.
fn masses(bodies: &Bodies<'_>) -> Result<Vec<Option<MassProperties>>, Error> {
    let compiler = bodies.compiler;
    let mut masses: Vec<Option<Mass>> = Vec::with_capacity(bodies.bodies.len());
    for (number, body) in bodies.bodies.iter().enumerate() {
        let by_geoms = || {
            let parts: Vec<Mass> = body.geoms.iter().filter_map(|geom| geom.mass).collect();
            Mass::sum(&parts)
        };
        let mass = match compiler.inertia_from_geom {
            Some(true) => by_geoms().or(body.inertial),
            Some(false) => body.inertial,
            None => body.inertial.or_else(by_geoms),
        };
        let mass = mass.or((compiler.bound_mass > 0.0).then(|| Mass {
            mass: 0.0,
            // MuJoCo puts the mass that `boundmass` gives to an empty body at its `pos`, in its own frame.
            center: body.pose.translation.vector.into(),
            moments: nalgebra::Matrix3::zeros(),
        }));
        masses.push(mass.filter(|_| number > 0).map(|mass| mass.bounded(compiler)));
    }
    let total: f64 = masses.iter().flatten().map(|mass| mass.mass).sum();
    if compiler.total_mass > 0.0 && total > 0.0 {
        let scale = compiler.total_mass / total;
        for mass in masses.iter_mut().flatten() {
            mass.mass *= scale;
            mass.moments *= scale;
        }
    }
    let of_body = |(body, mass): (&Body<'_>, Option<Mass>)| match mass {
        Some(mass) => mass.properties(body.element),
        None => Ok(None),
    };
    bodies.bodies.iter().zip(masses).map(of_body).collect()
}

/// The joints in the order of MuJoCo.
fn joints(bodies: &Bodies<'_>, system: &Articulated) -> Vec<ModelJoint> {
    let mut joints = Vec::new();
    for body in &bodies.bodies {
        let links = body.links(None, None);
        let number = system.link_index(&body.name).unwrap_or_default();
        for (joint, link) in body.joints.iter().zip(&links) {
            joints.push(ModelJoint {
                name: joint.name.clone(),
                link: system.link_index(&link.name).unwrap_or_default(),
                body: number,
                reference: joint.reference,
                force_range: joint.force_range,
            });
        }
    }
    joints
}

/// The limits of ball joints.
fn turn_limits(bodies: &Bodies<'_>, system: &Articulated) -> Vec<ModelLimit> {
    let mut limits = Vec::new();
    for body in &bodies.bodies {
        for (joint, link) in body.joints.iter().zip(body.links(None, None)) {
            let Some(link) = system.link_index(&link.name) else { continue };
            if joint.largest_turn < std::f64::consts::PI {
                let described = &system.links()[link];
                limits.push(ModelLimit {
                    name: format!("{} (limit)", joint.name),
                    between: [described.parent.clone().unwrap_or_default(), described.name.clone()],
                    unit: "rad",
                    gap: Arc::new(TurnLimit {
                        coordinate: system.coordinates_of(link).start,
                        velocity: system.velocities_of(link).start,
                        bound: joint.largest_turn,
                    }),
                });
            }
        }
    }
    limits
}

/// The geoms that have a shape and could touch.
fn touching<'a>(bodies: &'a Bodies<'_>) -> Vec<Touching<'a>> {
    let of_body = |(body, described): (usize, &'a Body<'_>)| {
        described.geoms.iter().map(move |geom| Touching { body, geom })
    };
    bodies
        .bodies
        .iter()
        .enumerate()
        .flat_map(of_body)
        .filter(|touching| touching.geom.shape.is_some())
        .collect()
}

/// The collision shape of a geom; a geom that never moves belongs to the world.
fn collision(
    bodies: &Bodies<'_>,
    system: &Articulated,
    &Touching { body, geom }: &Touching<'_>,
) -> Option<Collision> {
    let geometry = Geometry::Shape(geom.shape.clone()?);
    let name = geom.name.clone();
    let (body, placement) = match bodies.moving(body) {
        0 => (0, bodies.world_pose(body) * geom.placement),
        _ => {
            let number = system.link_index(&bodies.bodies[body].name).unwrap_or_default();
            (number, geom.placement)
        }
    };
    Some(Collision { body, name, placement, geometry })
}

/// Warnings about geoms that are approximated or omitted.
fn notes(bodies: &Bodies<'_>) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for geom in bodies.bodies.iter().flat_map(|body| &body.geoms) {
        let reason = match (geom.is_ellipsoid, geom.is_field) {
            (true, _) => "what touches is the hull of 266 points on the ellipsoid",
            (_, true) => "height fields do not touch anything here",
            _ => continue,
        };
        let name = geom.name.as_deref().map_or_else(String::new, |name| format!(" `{name}`"));
        warnings.push(Warning {
            element: format!("geom{name}"),
            line: geom.line,
            subject: Subject::Repair,
            reason: reason.into(),
            file: geom.file.clone(),
        });
    }
    warnings
}

/// `qpos0` in the coordinates of the system: zero, and the poses of free bodies.
fn start(bodies: &Bodies<'_>, system: &Articulated) -> Vec<f64> {
    let mut start = system.neutral_coordinates();
    for body in &bodies.bodies {
        if body.joints.iter().any(|joint| joint.kind == chain::Kind::Free)
            && let Some(link) = system.link_index(&body.name)
        {
            let (place, turn) = (body.pose.translation.vector, body.pose.rotation);
            let pose = [place.x, place.y, place.z, turn.w, turn.i, turn.j, turn.k];
            start[system.coordinates_of(link)].copy_from_slice(&pose);
        }
    }
    start
}

/// Coordinates and velocities by name, converted from those of MuJoCo; a keyframe without coordinates has those of `start`.
fn keyframes(
    root: &Element,
    (system, joints, start): (&Articulated, &[ModelJoint], &[f64]),
) -> Result<BTreeMap<String, [Vec<f64>; 2]>, Error> {
    let mut keyframes = BTreeMap::new();
    let keys = root.children_named("keyframe").flat_map(|keyframe| keyframe.children_named("key"));
    let (nq, nv) = (system.coordinate_count(), system.velocity_count());
    for (number, key) in keys.enumerate() {
        let own = Attributes::own(key);
        let name = own.text("name").map_or_else(|| format!("key {number}"), str::to_owned);
        let given = own.numbers("qpos", [nq, nq])?;
        let is_given = given.is_some();
        let mut position = given.unwrap_or_else(|| start.to_vec());
        let mut velocity = own.numbers("qvel", [nv, nv])?.unwrap_or_else(|| vec![0.0; nv]);
        for joint in joints {
            let (q, v) = (system.coordinates_of(joint.link), system.velocities_of(joint.link));
            match system.links()[joint.link].joint.kind.quaternion() {
                None if is_given => {
                    position[q].iter_mut().for_each(|entry| *entry -= joint.reference);
                }
                None => {}
                Some(first) => {
                    let own = &mut position[q.start + first..q.end];
                    let Some(turn) = quaternion(own) else {
                        let expected = "quaternions that are not zero";
                        return Err(Error::value(key, "qpos", expected));
                    };
                    own.copy_from_slice(&[turn.w, turn.i, turn.j, turn.k]);
                    turn_rates(&mut velocity[v.start + first..v.end], &turn);
                }
            }
        }
        if keyframes.insert(name.clone(), [position, velocity]).is_some() {
            return Err(Error::name(key, &name, "a name that no other keyframe has"));
        }
    }
    Ok(keyframes)
}

/// The controls by the names of keyframes that have some.
fn controls(root: &Element, count: usize) -> Result<BTreeMap<String, Vec<f64>>, Error> {
    let keys = root.children_named("keyframe").flat_map(|keyframe| keyframe.children_named("key"));
    let mut controls = BTreeMap::new();
    for (number, key) in keys.enumerate() {
        let own = Attributes::own(key);
        let name = own.text("name").map_or_else(|| format!("key {number}"), str::to_owned);
        if let Some(control) = own.numbers("ctrl", [count, count])? {
            controls.insert(name, control);
        }
    }
    Ok(controls)
}

/// Converts an angular velocity from the axes of the body to those of the joint frame.
fn turn_rates(rates: &mut [f64], turn: &UnitQuaternion<f64>) {
    let turned = turn * Vector3::from_column_slice(rates);
    rates.copy_from_slice(turned.as_slice());
}
