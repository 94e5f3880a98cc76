//! Fixed tendons of a model: sums of joint coordinates, with springs and dampers: [`Tendon`].

use std::collections::BTreeMap;

use percussion_dynamics::Articulated;
use percussion_integrators::{Actuator, Geared};

use super::{Error, ModelJoint, bodies::Bodies, defaults::Defaults, numbers::Attributes};
use crate::xml::Element;

/// A length `ℓ_0 + Σ c_j q_j` of the coordinates of the system.
#[derive(Clone, Debug)]
pub(super) struct Tendon {
    pub(super) joints: Vec<Geared>,
    /// The length at zero coordinates.
    pub(super) offset: f64,
    /// The names of its joints.
    pub(super) names: Vec<String>,
}

/// The fixed tendons by name, and the springs and dampers along them, which act always.
pub(super) type Tendons = (BTreeMap<String, Tendon>, Vec<Actuator>);

pub(super) fn tendons(
    root: &Element,
    bodies: &mut Bodies<'_>,
    (system, joints): (&Articulated, &[ModelJoint]),
    defaults: &Defaults,
) -> Result<Tendons, Error> {
    let (mut tendons, mut forces) = (BTreeMap::new(), Vec::new());
    for element in root.children_named("tendon").flat_map(|list| list.children_named("fixed")) {
        let own = defaults.attributes_of("tendon", element, None)?;
        let mut tendon = Tendon { joints: Vec::new(), offset: 0.0, names: Vec::new() };
        for part in element.children_named("joint") {
            let own = Attributes::own(part);
            let wanted = own.text("joint").unwrap_or_default();
            let joint = scalar(part, wanted, system, joints)?;
            let gear = own.number("coef", 0.0)?;
            tendon.offset += gear * joint.reference;
            tendon.joints.push(geared(joint, system, gear));
            tendon.names.push(joint.name.clone());
        }
        if tendon.joints.is_empty() {
            return Err(Error::missing(element, "joint", "one joint or more"));
        }
        forces.extend(spring(&own, &tendon, bodies)?);
        let range = own.numbers("range", [2, 2])?;
        let is_limited = own.choice("limited")?.unwrap_or(bodies.compiler.auto_limits);
        if range.is_some() && is_limited && bodies.compiler.limits {
            bodies.warn(element, "the limits of tendons are not modeled");
        }
        if own.not_negative("frictionloss", 0.0)? > 0.0 {
            bodies.warn(element, "the dry friction of tendons is not modeled");
        }
        if let Some(name) = own.text("name")
            && tendons.insert(name.to_owned(), tendon).is_some()
        {
            return Err(Error::name(element, name, "a name that no other tendon has"));
        }
    }
    Ok((tendons, forces))
}

/// The hinge or slide joint called `wanted`.
pub(super) fn scalar<'a>(
    element: &Element,
    wanted: &str,
    system: &Articulated,
    joints: &'a [ModelJoint],
) -> Result<&'a ModelJoint, Error> {
    let is_scalar = |joint: &&ModelJoint| {
        joint.name == wanted && system.links()[joint.link].joint.kind.coordinate_count() == 1
    };
    let found = joints.iter().find(is_scalar);
    found.ok_or_else(|| Error::name(element, wanted, "a hinge or slide joint"))
}

pub(super) fn geared(joint: &ModelJoint, system: &Articulated, gear: f64) -> Geared {
    Geared {
        coordinate: system.coordinates_of(joint.link).start,
        velocity: system.velocities_of(joint.link).start,
        gear,
    }
}

/// The spring and the damper of a tendon; the spring rests at `springlength`, by default where the model starts.
fn spring(
    own: &Attributes<'_>,
    tendon: &Tendon,
    bodies: &mut Bodies<'_>,
) -> Result<Option<Actuator>, Error> {
    let stiffness = own.not_negative("stiffness", 0.0)?;
    let damping = own.not_negative("damping", 0.0)?;
    let stiffness = if bodies.compiler.springs { stiffness } else { 0.0 };
    let damping = if bodies.compiler.dampers { damping } else { 0.0 };
    if stiffness == 0.0 && damping == 0.0 {
        return Ok(None);
    }
    let rest = own.numbers("springlength", [1, 2])?.unwrap_or_else(|| vec![-1.0]);
    if rest.len() == 2 && stiffness > 0.0 && rest[0].to_bits() != rest[1].to_bits() {
        bodies.warn(own.element, "a spring with a dead band is taken at its lower end");
    }
    // At the start the joints are at their references, where the length is that at zero coordinates.
    let rest = if rest[0] < 0.0 { tendon.offset } else { rest[0] };
    Ok(Some(Actuator {
        offset: tendon.offset,
        bias: [stiffness * rest, -stiffness, -damping],
        ..Actuator::new(tendon.joints.clone())
    }))
}
