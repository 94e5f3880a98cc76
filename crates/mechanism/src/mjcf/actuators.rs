//! Actuators of a model: [`ModelActuator`].
//!
//! | element | force, with the length `ℓ` and the control `u` |
//! | --- | --- |
//! | `motor` | `u` |
//! | `position` | `kp (u − ℓ) − kv ℓ̇`; with `dampratio` `ζ`, `kv = 2 ζ √(kp m)` for the inertia `m = 1 / (Γ M⁻¹ Γᵀ)` at the start, with the row `Γ` of gears |
//! | `velocity` | `kv (u − ℓ̇)` |
//! | `general` with `gaintype` fixed, `biastype` none or affine | `gainprm₀ u + biasprm₀ + biasprm₁ ℓ + biasprm₂ ℓ̇` |
//!
//! The length is the coordinate of a hinge or slide joint times `gear`, or that of a fixed tendon. `ctrlrange`, `inheritrange`,
//! `forcerange` and the joint's `actuatorfrcrange` are limits; the last is that of each actuator of the joint. Activation
//! dynamics are left out: the control acts at once.

use std::collections::BTreeMap;

use nalgebra::{DMatrix, DVector};
use percussion_dynamics::{Articulated, System};
use percussion_integrators::Actuator;

use super::{
    Error, ModelJoint,
    bodies::Bodies,
    defaults::{ACTUATORS, Defaults},
    numbers::Attributes,
    tendons::{Tendon, geared, scalar},
};
use crate::xml::Element;

/// An actuator of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelActuator {
    /// Its name, or `actuator` with its number from 0.
    pub name: String,
    /// The names of the joints that it moves.
    pub joints: Vec<String>,
    /// Its law, with the coordinates of the system; none of a kind that is not modeled, of which there is a warning.
    pub law: Option<Actuator>,
}

/// What an actuator moves.
struct Moved {
    law: Actuator,
    joints: Vec<String>,
    /// The range of the joint itself, of one joint with limits.
    range: Option<[f64; 2]>,
}

/// The actuators in the order of MuJoCo.
pub(super) fn actuators(
    root: &Element,
    bodies: &mut Bodies<'_>,
    (system, joints, start): (&Articulated, &[ModelJoint], &[f64]),
    tendons: &BTreeMap<String, Tendon>,
    defaults: &Defaults,
) -> Result<Vec<ModelActuator>, Error> {
    let mut actuators: Vec<ModelActuator> = Vec::new();
    for element in root.children_named("actuator").flat_map(|list| &list.children) {
        if element.name == "plugin" {
            continue;
        }
        let own = defaults.attributes(element, None)?;
        let number = actuators.len();
        let name = own.text("name").map_or_else(|| format!("actuator {number}"), str::to_owned);
        if actuators.iter().any(|other| other.name == name) {
            return Err(Error::name(element, &name, "a name that no other actuator has"));
        }
        let is_known = ACTUATORS.contains(&element.name.as_str());
        let moved = match is_known {
            true => moved(&own, bodies, (system, joints), tendons)?,
            false => None,
        };
        let joints = moved.as_ref().map_or_else(Vec::new, |moved| moved.joints.clone());
        let law = match moved {
            Some(moved) if bodies.compiler.actuation => law(&own, moved, (system, start), bodies)?,
            _ => None,
        };
        actuators.push(ModelActuator { name, joints, law });
    }
    Ok(actuators)
}

/// What the actuator moves, of one joint with a coordinate or of a fixed tendon.
fn moved(
    own: &Attributes<'_>,
    bodies: &mut Bodies<'_>,
    (system, joints): (&Articulated, &[ModelJoint]),
    tendons: &BTreeMap<String, Tendon>,
) -> Result<Option<Moved>, Error> {
    let gear = own.numbers("gear", [1, 6])?.map_or(1.0, |gear| gear[0]);
    if let Some(name) = own.text("joint").or_else(|| own.text("jointinparent")) {
        let joint = joints.iter().find(|joint| joint.name == name);
        let joint = joint.ok_or_else(|| Error::name(own.element, name, "a joint"))?;
        if system.links()[joint.link].joint.kind.coordinate_count() != 1 {
            bodies.warn(own.element, "actuators of ball and free joints are not modeled");
            return Ok(None);
        }
        let joint = scalar(own.element, name, system, joints)?;
        let mut law = Actuator::new(vec![geared(joint, system, gear)]);
        law.offset = gear * joint.reference;
        if gear != 0.0 {
            let [least, most] = joint.force_range.map(|end| end / gear);
            law.force_range = [least.min(most), least.max(most)];
        }
        let limits = system.links()[joint.link].joint.limits.first();
        let range = limits.map(|limits| limits.map(|end| end + joint.reference));
        return Ok(Some(Moved { law, joints: vec![name.to_owned()], range }));
    }
    if let Some(name) = own.text("tendon") {
        let Some(tendon) = tendons.get(name) else {
            bodies
                .leave_out(own.element, "its tendon is not modeled, and the motion is without it");
            return Ok(None);
        };
        let mut law = Actuator::new(tendon.joints.clone());
        law.joints.iter_mut().for_each(|joint| joint.gear *= gear);
        law.offset = gear * tendon.offset;
        return Ok(Some(Moved { law, joints: tendon.names.clone(), range: None }));
    }
    bodies.leave_out(own.element, "only actuators of joints and of fixed tendons are modeled");
    Ok(None)
}

fn law(
    own: &Attributes<'_>,
    Moved { mut law, range, .. }: Moved,
    at: (&Articulated, &[f64]),
    bodies: &mut Bodies<'_>,
) -> Result<Option<Actuator>, Error> {
    let dynamics = own.text("dyntype").unwrap_or("none");
    if dynamics != "none" || own.text("timeconst").is_some() {
        bodies.warn(own.element, "activation dynamics are not modeled, the control acts at once");
    }
    match own.element.name.as_str() {
        "motor" => law.gain = 1.0,
        "position" => {
            let stiffness = own.not_negative("kp", 1.0)?;
            let ratio = own.not_negative("dampratio", 0.0)?;
            let damping = match ratio > 0.0 {
                true => match inertia(&law, at) {
                    Some(inertia) => 2.0 * ratio * (stiffness * inertia).sqrt(),
                    None => {
                        let reason = "the mass matrix is singular where the model starts, and `dampratio` has no effect";
                        bodies.warn(own.element, reason);
                        0.0
                    }
                },
                false => own.not_negative("kv", 0.0)?,
            };
            (law.gain, law.bias) = (stiffness, [0.0, -stiffness, -damping]);
        }
        "velocity" => {
            let damping = own.not_negative("kv", 1.0)?;
            (law.gain, law.bias) = (damping, [0.0, 0.0, -damping]);
        }
        _ => {
            let numbers = |name: &str| own.numbers(name, [1, 10]);
            let gain = numbers("gainprm")?.unwrap_or_else(|| vec![1.0]);
            let bias = numbers("biasprm")?.unwrap_or_default();
            let types = (own.text("gaintype"), own.text("biastype").unwrap_or("none"));
            let is_affine = types.0.is_none_or(|word| word == "fixed")
                || types.0 == Some("affine") && gain[1..].iter().all(|number| *number == 0.0);
            if !is_affine || !["none", "affine"].contains(&types.1) {
                bodies.warn(own.element, "only fixed gains and affine biases are modeled");
                return Ok(None);
            }
            law.gain = gain[0];
            if types.1 == "affine" {
                law.bias = [0, 1, 2].map(|k| bias.get(k).copied().unwrap_or(0.0));
            }
        }
    }
    let range_of = |name: &str, limited: &str| -> Result<Option<[f64; 2]>, Error> {
        let range = own.numbers(name, [2, 2])?.map(|range| [range[0], range[1]]);
        let is_limited = own.choice(limited)?.unwrap_or(bodies.compiler.auto_limits);
        match range.filter(|_| is_limited) {
            Some([least, most]) if least >= most => {
                Err(own.refuse(name, "a lower below an upper end".to_owned()))
            }
            range => Ok(range),
        }
    };
    let share = own.not_negative("inheritrange", 0.0)?;
    let inherited = range.filter(|_| share > 0.0).map(|[least, most]| {
        let (middle, half) = (0.5 * (least + most), 0.5 * share * (most - least));
        [middle - half, middle + half]
    });
    if let Some(range) = range_of("ctrlrange", "ctrllimited")?.or(inherited) {
        law.control_range = range;
    }
    if let Some([least, most]) = range_of("forcerange", "forcelimited")? {
        let [low, high] = law.force_range;
        law.force_range = [least.max(low), most.min(high)];
        if law.force_range[0] > law.force_range[1] {
            let expected = "a range that meets that of the joint".to_owned();
            return Err(own.refuse("forcerange", expected));
        }
    }
    Ok(Some(law))
}

/// The inertia that the actuator feels at the start, `1 / (Γ M⁻¹ Γᵀ)`, as MuJoCo 4.0 has it for `dampratio`; `None` if it
/// moves nothing or the mass matrix is singular.
fn inertia(law: &Actuator, (system, start): (&Articulated, &[f64])) -> Option<f64> {
    let count = system.velocity_count();
    let mut mass = DMatrix::zeros(count, count);
    system.mass_matrix(start, &mut mass);
    let mut gears = DVector::zeros(count);
    law.joints.iter().for_each(|joint| gears[joint.velocity] += joint.gear);
    let inverse = gears.dot(&mass.cholesky()?.solve(&gears));
    (inverse > 0.0).then(|| 1.0 / inverse)
}

#[cfg(test)]
mod tests;
