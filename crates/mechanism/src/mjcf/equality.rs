//! Equality constraints of a model: [`Tied`].

use std::collections::BTreeMap;

use nalgebra::{Isometry3, Translation3, Vector3};

use super::{
    Error,
    bodies::Bodies,
    chain,
    defaults::Defaults,
    numbers::{Attributes, quaternion, shift},
};
use crate::{urdf::Follower, xml::Element};

/// The objects of an equality constraint.
#[derive(Clone, Debug)]
pub(crate) enum Tied {
    /// A joint that follows another one.
    Follower(Follower),
    /// A sum of coordinates, each of the link called so with its factor, that has this value.
    Sum(Vec<(String, f64)>, f64),
    /// Points that coincide, in the frames of the named links.
    Points([(String, Vector3<f64>); 2]),
    /// Frames that coincide, in the frames of the named links.
    Frames([(String, Isometry3<f64>); 2]),
}

/// The constraints of the model that are active.
pub(super) fn ties(
    root: &Element,
    bodies: &mut Bodies<'_>,
    defaults: &Defaults,
) -> Result<Vec<Tied>, Error> {
    let mut ties = Vec::new();
    if !bodies.compiler.equality {
        return Ok(ties);
    }
    for element in root.children_named("equality").flat_map(|equality| &equality.children) {
        // The defaults of all constraints have the same name.
        let own = defaults.attributes(element, None)?;
        if own.choice("active")? == Some(false) {
            bodies.warn(element, "it is not active at the start, and nothing makes it so");
            continue;
        }
        match element.name.as_str() {
            "connect" => ties.push(connect(&own, bodies)?),
            "weld" => ties.push(weld(&own, bodies)?),
            "joint" => ties.push(Tied::Follower(follower(&own, bodies)?)),
            "tendon" => ties.push(sum(&own, bodies, root)?),
            _ => bodies.warn(element, "constraints of this kind are not modeled"),
        }
    }
    Ok(ties)
}

/// The two bodies, the second by default the world, or the two sites with their frames.
#[expect(clippy::type_complexity, reason = "a pair of ends, each a body and maybe a frame in it")]
fn ends(
    own: &Attributes<'_>,
    bodies: &Bodies<'_>,
) -> Result<[(usize, Option<Isometry3<f64>>); 2], Error> {
    if own.text("site1").is_some() || own.text("site2").is_some() {
        let site = |name: &str| {
            let wanted = own.text(name).unwrap_or_default();
            let site = bodies.sites.get(wanted);
            site.map(|(body, pose)| (*body, Some(*pose)))
                .ok_or_else(|| Error::name(own.element, wanted, "a site"))
        };
        return Ok([site("site1")?, site("site2")?]);
    }
    let body = |name: &str, default: Option<usize>| match (own.text(name), default) {
        (None, Some(default)) => Ok((default, None)),
        (text, _) => {
            let wanted = text.unwrap_or_default();
            let number = bodies.number(wanted);
            number
                .map(|body| (body, None))
                .ok_or_else(|| Error::name(own.element, wanted, "a body"))
        }
    };
    Ok([body("body1", None)?, body("body2", Some(0))?])
}

fn connect(own: &Attributes<'_>, bodies: &Bodies<'_>) -> Result<Tied, Error> {
    let [one, other] = ends(own, bodies)?;
    let name = |body: usize| bodies.bodies[body].name.clone();
    if let (Some(first), Some(second)) = (one.1, other.1) {
        let [first, second] = [first, second].map(|site| site.translation.vector);
        return different(own, [(name(one.0), first), (name(other.0), second)]).map(Tied::Points);
    }
    let Some(anchor) = own.vector("anchor")? else {
        return Err(Error::missing(own.element, "anchor", "a point of `body1` (m)"));
    };
    let place = bodies.world_pose(one.0) * nalgebra::Point3::from(anchor);
    let second = bodies.world_pose(other.0).inverse() * place;
    different(own, [(name(one.0), anchor), (name(other.0), second.coords)]).map(Tied::Points)
}

fn weld(own: &Attributes<'_>, bodies: &Bodies<'_>) -> Result<Tied, Error> {
    let [one, other] = ends(own, bodies)?;
    let name = |body: usize| bodies.bodies[body].name.clone();
    if let (Some(first), Some(second)) = (one.1, other.1) {
        return different(own, [(name(one.0), first), (name(other.0), second)]).map(Tied::Frames);
    }
    // The pose of body 2 in body 1: as given, or that at the start.
    let given = own.numbers("relpose", [7, 7])?;
    let turn = given.as_ref().and_then(|pose| quaternion(&pose[3..]));
    let relative = match (given, turn) {
        (Some(pose), Some(turn)) => {
            Isometry3::from_parts(Translation3::new(pose[0], pose[1], pose[2]), turn)
        }
        _ => bodies.world_pose(one.0).inverse() * bodies.world_pose(other.0),
    };
    // The anchor, a point of body 2, is the point at which positions are compared; it affects only softness.
    let anchor = shift(own.vector("anchor")?.unwrap_or_else(Vector3::zeros));
    let frames = [(name(one.0), relative * anchor), (name(other.0), anchor)];
    different(own, frames).map(Tied::Frames)
}

/// Returns an error if a body is tied to itself.
fn different<T>(own: &Attributes<'_>, ends: [(String, T); 2]) -> Result<[(String, T); 2], Error> {
    if ends[0].0 == ends[1].0 {
        return Err(Error::name(own.element, &ends[0].0, "two different bodies"));
    }
    Ok(ends)
}

/// The names of the hinge or slide joint called `wanted` and of the link that has its coordinate.
fn scalar(element: &Element, wanted: &str, bodies: &Bodies<'_>) -> Result<(String, String), Error> {
    let scalar =
        |joint: &&chain::Joint| matches!(joint.kind, chain::Kind::Hinge | chain::Kind::Slide);
    let found = bodies.bodies.iter().find_map(|body| {
        let joint = body.joints.iter().filter(scalar).find(|joint| joint.name == wanted)?;
        let links = body.links(None, None);
        let position = body.joints.iter().position(|other| other.name == joint.name)?;
        Some((joint.name.clone(), links.get(position)?.name.clone()))
    });
    found.ok_or_else(|| Error::name(element, wanted, "a hinge or slide joint"))
}

/// The factors of a coupling by increasing powers.
fn polynomial(own: &Attributes<'_>) -> Result<[f64; 5], Error> {
    let numbers = own.numbers("polycoef", [1, 5])?.unwrap_or_else(|| vec![0.0, 1.0]);
    Ok([0, 1, 2, 3, 4].map(|index| numbers.get(index).copied().unwrap_or(0.0)))
}

/// `ℓ_1 = c_0 + c_1 ℓ_2` for the lengths of fixed tendons, each from that where the model starts.
fn sum(own: &Attributes<'_>, bodies: &Bodies<'_>, root: &Element) -> Result<Tied, Error> {
    let mut terms: BTreeMap<String, f64> = BTreeMap::new();
    let mut add = |name: &str, factor: f64| {
        let wanted = own.text(name).unwrap_or_default();
        let mut fixed = root.children_named("tendon").flat_map(|list| list.children_named("fixed"));
        let tendon = fixed.find(|tendon| tendon.attribute("name") == Some(wanted));
        let tendon = tendon.ok_or_else(|| Error::name(own.element, wanted, "a fixed tendon"))?;
        for part in tendon.children_named("joint") {
            let (_, link) = scalar(part, part.attribute("joint").unwrap_or_default(), bodies)?;
            *terms.entry(link).or_default() +=
                factor * Attributes::own(part).number("coef", 0.0)?;
        }
        Ok::<_, Error>(())
    };
    let [constant, factor, higher @ ..] = polynomial(own)?;
    if higher.iter().any(|factor| *factor != 0.0) {
        let reason = "couplings of tendons are linear, expected zeros after two numbers";
        return Err(Error::unsupported(own.element, reason));
    }
    add("tendon1", 1.0)?;
    if own.text("tendon2").is_some() {
        add("tendon2", -factor)?;
    }
    terms.retain(|_, factor| *factor != 0.0);
    if terms.is_empty() {
        return Err(Error::missing(own.element, "tendon1", "a tendon with a joint or more"));
    }
    Ok(Tied::Sum(terms.into_iter().collect(), constant))
}

/// `q_1 = c_0 + c_1 q_2 + … + c_4 q_2⁴`, each from its reference.
fn follower(own: &Attributes<'_>, bodies: &Bodies<'_>) -> Result<Follower, Error> {
    let link = |name: &str| scalar(own.element, own.text(name).unwrap_or_default(), bodies);
    let [offset, multiplier, higher @ ..] = polynomial(own)?;
    let (joint, carried) = link("joint1")?;
    let leader = own.text("joint2").map(|_| link("joint2")).transpose()?;
    if leader.as_ref().is_some_and(|(leader, _)| *leader == joint) {
        return Err(Error::name(own.element, &joint, "two different joints"));
    }
    Ok(Follower {
        joint,
        link: carried,
        leader: leader.filter(|_| multiplier != 0.0 || higher.iter().any(|factor| *factor != 0.0)),
        multiplier,
        offset,
        higher,
    })
}
