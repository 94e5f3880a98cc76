//! Which geoms may touch: [`pairs`].
//!
//! Two geoms may touch if the bits of `contype` of one match those of `conaffinity` of the other, unless they
//! move together, one is carried by the joint of the other (except for geoms that do not move), or their
//! bodies are excluded. A `pair` always touches. The friction is the larger of both, or that of the geom with
//! the higher priority; a contact of dimension 1 has none.

use std::collections::{BTreeMap, BTreeSet};

use super::{Error, bodies::Bodies, defaults::Defaults, geoms::Geom};
use crate::xml::Element;

/// Maximum number of pairs, which some thousand geoms have.
const MOST: usize = 4_000_000;

/// A geom that can touch, with its body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touching<'a> {
    pub(super) body: usize,
    pub(super) geom: &'a Geom,
}

/// The pairs of geoms, smaller number first, with their friction.
pub(super) fn pairs(
    root: &Element,
    bodies: &Bodies<'_>,
    geoms: &[Touching<'_>],
    defaults: &Defaults,
) -> Result<Vec<([usize; 2], f64)>, Error> {
    if !bodies.compiler.contacts {
        return Ok(Vec::new());
    }
    let excluded = excluded(root, bodies)?;
    let mut pairs = BTreeMap::new();
    for (i, one) in geoms.iter().enumerate() {
        for (j, other) in geoms.iter().enumerate().skip(i + 1) {
            if may_touch(bodies, one, other, &excluded) {
                pairs.insert([i, j], friction(one.geom, other.geom));
            }
        }
        if pairs.len() > MOST {
            return Err(Error::unsupported(root, format!("more than {MOST} pairs of geoms")));
        }
    }
    let listed = root.children_named("contact").flat_map(|c| c.children_named("pair"));
    'pairs: for element in listed {
        let own = defaults.attributes(element, None)?;
        let mut numbers = [0; 2];
        for (name, number) in ["geom1", "geom2"].into_iter().zip(&mut numbers) {
            let wanted = own.text(name).unwrap_or_default();
            let known = |touching: &Touching<'_>| touching.geom.name.as_deref() == Some(wanted);
            match geoms.iter().position(known) {
                Some(found) => *number = found,
                None if is_field(bodies, wanted) => continue 'pairs,
                None => return Err(Error::name(element, wanted, "a geom that has a shape")),
            }
        }
        numbers.sort_unstable();
        let both = numbers.map(|number| geoms[number].geom);
        let dimension = own.integer("condim", both[0].dimension.max(both[1].dimension))?;
        let given = own.numbers("friction", [1, 5])?.map(|numbers| numbers[0]);
        let friction = given.unwrap_or_else(|| both[0].friction.max(both[1].friction));
        if friction < 0.0 {
            return Err(Error::value(element, "friction", "numbers of at least 0"));
        }
        if numbers[0] != numbers[1] {
            pairs.insert(numbers, if dimension == 1 { 0.0 } else { friction });
        }
    }
    Ok(pairs.into_iter().collect())
}

/// Whether the geom called `name` is a height field, which touches nothing; a warning says so.
fn is_field(bodies: &Bodies<'_>, name: &str) -> bool {
    let mut geoms = bodies.bodies.iter().flat_map(|body| &body.geoms);
    geoms.any(|geom| geom.is_field && geom.name.as_deref() == Some(name))
}

/// The pairs of bodies that `exclude` lists.
fn excluded(root: &Element, bodies: &Bodies<'_>) -> Result<BTreeSet<[usize; 2]>, Error> {
    let mut excluded = BTreeSet::new();
    for element in root.children_named("contact").flat_map(|c| c.children_named("exclude")) {
        let mut numbers = [0; 2];
        for (name, number) in ["body1", "body2"].into_iter().zip(&mut numbers) {
            let wanted = element.attribute(name).unwrap_or_default();
            let found = bodies.number(wanted);
            *number = found.ok_or_else(|| Error::name(element, wanted, "a body"))?;
        }
        numbers.sort_unstable();
        excluded.insert(numbers);
    }
    Ok(excluded)
}

fn may_touch(
    bodies: &Bodies<'_>,
    one: &Touching<'_>,
    other: &Touching<'_>,
    excluded: &BTreeSet<[usize; 2]>,
) -> bool {
    let [a, b] = [one.body, other.body].map(|body| bodies.moving(body));
    if a == b {
        return false;
    }
    let carrier = |body: usize| bodies.moving(bodies.bodies[body].parent);
    let neighbors = a != 0 && b != 0 && (carrier(a) == b || carrier(b) == a);
    if neighbors && bodies.compiler.filter_parent {
        return false;
    }
    let (first, second) = (one.geom, other.geom);
    let meet = first.types & second.affinity != 0 || second.types & first.affinity != 0;
    meet && !excluded.contains(&[one.body.min(other.body), one.body.max(other.body)])
}

fn friction(one: &Geom, other: &Geom) -> f64 {
    let (friction, dimension) = match one.priority.cmp(&other.priority) {
        std::cmp::Ordering::Greater => (one.friction, one.dimension),
        std::cmp::Ordering::Less => (other.friction, other.dimension),
        std::cmp::Ordering::Equal => {
            (one.friction.max(other.friction), one.dimension.max(other.dimension))
        }
    };
    if dimension == 1 { 0.0 } else { friction }
}
