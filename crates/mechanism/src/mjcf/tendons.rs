//! Fixed tendons of a model: sums of joint coordinates, with springs and dampers: [`Tendon`].

use std::{collections::BTreeMap, sync::Arc};

use percussion_dynamics::{Articulated, LimitSide, SumLimit, SumTerm};
use percussion_integrators::{Actuator, Geared};

use super::{
    Error, ModelJoint, ModelLimit, bodies::Bodies, defaults::Defaults, numbers::Attributes,
};
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

/// The fixed tendons of a model.
#[derive(Debug, Default)]
pub(super) struct Tendons {
    pub(super) by_name: BTreeMap<String, Tendon>,
    /// The springs and dampers along them, which act always.
    pub(super) forces: Vec<Actuator>,
    pub(super) limits: Vec<ModelLimit>,
}

pub(super) fn tendons(
    root: &Element,
    bodies: &mut Bodies<'_>,
    (system, joints): (&Articulated, &[ModelJoint]),
    defaults: &Defaults,
) -> Result<Tendons, Error> {
    let mut tendons = Tendons::default();
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
        tendons.forces.extend(spring(&own, &tendon, bodies)?);
        let range = own.numbers("range", [2, 2])?;
        let is_limited = own.choice("limited")?.unwrap_or(bodies.compiler.auto_limits);
        if let Some(range) = range.filter(|_| is_limited && bodies.compiler.limits) {
            if range[0] >= range[1] {
                return Err(own.refuse("range", "a lower below an upper limit".to_owned()));
            }
            tendons.limits.extend(limits(&own, &tendon, system, [range[0], range[1]]));
        }
        if own.not_negative("frictionloss", 0.0)? > 0.0 {
            bodies.warn(element, "the dry friction of tendons is not modeled");
        }
        if let Some(name) = own.text("name")
            && tendons.by_name.insert(name.to_owned(), tendon).is_some()
        {
            return Err(Error::name(element, name, "a name that no other tendon has"));
        }
    }
    Ok(tendons)
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

/// The two ends of the range of a tendon.
fn limits(
    own: &Attributes<'_>,
    tendon: &Tendon,
    system: &Articulated,
    range: [f64; 2],
) -> [ModelLimit; 2] {
    let term = |joint: &Geared| SumTerm {
        coordinate: joint.coordinate,
        velocity: joint.velocity,
        factor: joint.gear,
    };
    let terms: Vec<SumTerm> = tendon.joints.iter().map(term).collect();
    let moves =
        |link: &usize, joint: &Geared| system.velocities_of(*link).contains(&joint.velocity);
    let link_of = |joint: Option<&Geared>| {
        let link =
            joint.and_then(|joint| (0..system.links().len()).find(|link| moves(link, joint)));
        link.map_or_else(String::new, |link| system.links()[link].name.clone())
    };
    let between = [link_of(tendon.joints.first()), link_of(tendon.joints.last())];
    let name = own.text("name").unwrap_or("tendon");
    [(LimitSide::Lower, "lower"), (LimitSide::Upper, "upper")].map(|(side, word)| ModelLimit {
        name: format!("{name} ({word} limit)"),
        between: between.clone(),
        unit: "m",
        gap: Arc::new(SumLimit {
            terms: terms.clone(),
            offset: tendon.offset,
            side,
            bound: match side {
                LimitSide::Lower => range[0],
                LimitSide::Upper => range[1],
            },
        }),
    })
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
