//! Checks of links and their arrangement into a tree.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BinaryHeap},
    ops::Range,
};

use nalgebra::{Isometry3, Quaternion, UnitQuaternion, Vector3};

use super::{ArticulatedError, Joint, JointKind, Link};
use crate::{
    contact_frame::{self, ContactFrameError},
    system::Dimension,
};

/// Maximum accepted deviation of the norm of a quaternion from one, as in [`FreeBodies`](crate::FreeBodies).
pub(super) const QUATERNION_TOLERANCE: f64 = 1e-6;

/// Maximum entry of a placement (m). A mass matrix contains squares of lengths, and its inverse products of those,
/// which must not overflow.
const FARTHEST: f64 = 1e12;

/// The relation of coordinates to velocities.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    /// Coordinate `q` is the integral of velocity `v`.
    Scalar { q: usize, v: usize },
    /// The quaternion that starts at coordinate `q` follows the angular velocity that starts at velocity `v`.
    Rotation { q: usize, v: usize, body: usize },
}

/// The parts of all joints.
pub(super) fn parts(
    links: &[Link],
    coordinates: &[Range<usize>],
    velocities: &[Range<usize>],
) -> Vec<Part> {
    let mut parts = Vec::new();
    for (body, link) in links.iter().enumerate() {
        let (q, v) = (&coordinates[body], &velocities[body]);
        let quaternion = link.joint.kind.quaternion();
        let scalars = quaternion.unwrap_or(v.len());
        parts.extend((0..scalars).map(|k| Part::Scalar { q: q.start + k, v: v.start + k }));
        parts.extend(quaternion.map(|k| Part::Rotation { q: q.start + k, v: v.start + k, body }));
    }
    parts
}

/// For each link the range of the velocities of its tree, joined with the ranges that it overlaps. Ranges overlap if
/// the links of several trees are given alternately. What stands on links that cannot move stands on the world.
pub(super) fn trees(parents: &[Option<usize>], velocities: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut moves: Vec<bool> = Vec::with_capacity(parents.len());
    let mut carriers = Vec::with_capacity(parents.len());
    for (parent, own) in parents.iter().zip(velocities) {
        let carrier = parent.filter(|&parent| moves[parent]);
        moves.push(carrier.is_some() || !own.is_empty());
        carriers.push(carrier);
    }
    // Children join the range of their carrier, from the leaves to the world.
    let mut ranges = velocities.to_vec();
    for (i, carrier) in carriers.iter().enumerate().rev() {
        if let Some(carrier) = *carrier {
            ranges[carrier] = joined(&ranges[carrier], &ranges[i]);
        }
    }
    let roots = carriers.iter().zip(&ranges).filter(|(carrier, _)| carrier.is_none());
    let mut roots: Vec<&Range<usize>> = roots.map(|(_, range)| range).collect();
    roots.sort_by_key(|range| range.start);
    let mut separate: Vec<Range<usize>> = Vec::new();
    for range in roots {
        match separate.last_mut() {
            Some(last) if range.start < last.end => *last = joined(last, range),
            _ => separate.push(range.clone()),
        }
    }
    let around = |range: &Range<usize>| {
        let contains = |outer: &&Range<usize>| outer.start <= range.start && range.end <= outer.end;
        separate.iter().find(contains).cloned().unwrap_or_else(|| range.clone())
    };
    ranges.iter().map(around).collect()
}

/// The smallest range that contains both; an empty range is ignored.
fn joined(a: &Range<usize>, b: &Range<usize>) -> Range<usize> {
    match (a.is_empty(), b.is_empty()) {
        (true, _) => b.clone(),
        (_, true) => a.clone(),
        _ => a.start.min(b.start)..a.end.max(b.end),
    }
}

/// The links in an order in which parents precede their children, and the parent of each link.
///
/// The given order is kept as far as possible: the next link is always the first remaining one whose parent already
/// has a place.
pub(super) fn arrange(
    links: Vec<Link>,
) -> Result<(Vec<Link>, Vec<Option<usize>>), ArticulatedError> {
    if links.is_empty() {
        return Err(ArticulatedError::NoLinks);
    }
    let mut numbers = BTreeMap::new();
    for (i, link) in links.iter().enumerate() {
        if numbers.insert(link.name.as_str(), i).is_some() {
            return Err(ArticulatedError::DuplicateName { link: link.name.clone() });
        }
    }
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); links.len()];
    let mut ready = BinaryHeap::new();
    for (i, link) in links.iter().enumerate() {
        match &link.parent {
            None => ready.push(Reverse(i)),
            Some(parent) => match numbers.get(parent.as_str()) {
                Some(&parent) => children[parent].push(i),
                None => {
                    let (link, parent) = (link.name.clone(), parent.clone());
                    return Err(ArticulatedError::MissingParent { link, parent });
                }
            },
        }
    }
    let mut order = Vec::with_capacity(links.len());
    let mut parents = Vec::with_capacity(links.len());
    let mut place: Vec<Option<usize>> = vec![None; links.len()];
    while let Some(Reverse(i)) = ready.pop() {
        let parent = links[i].parent.as_ref().and_then(|parent| numbers.get(parent.as_str()));
        parents.push(parent.and_then(|&parent| place[parent]));
        place[i] = Some(order.len());
        order.push(i);
        ready.extend(children[i].iter().map(|&child| Reverse(child)));
    }
    if order.len() < links.len() {
        let left: Vec<&Link> = links
            .iter()
            .zip(&place)
            .filter_map(|(link, at)| at.is_none().then_some(link))
            .collect();
        return Err(ArticulatedError::Cycle { link: on_cycle(&left) });
    }
    let mut links: Vec<Option<Link>> = links.into_iter().map(Some).collect();
    Ok((order.into_iter().filter_map(|i| links[i].take()).collect(), parents))
}

/// The name of a link on a cycle; the parent of every given link must be among the links.
fn on_cycle(links: &[&Link]) -> String {
    let numbers: BTreeMap<&str, usize> =
        links.iter().enumerate().map(|(i, link)| (link.name.as_str(), i)).collect();
    let parent = |i: usize| {
        let name = links[i].parent.as_deref();
        name.and_then(|name| numbers.get(name)).copied().unwrap_or(i)
    };
    // After as many steps as there are links, the walk has left every branch that leads to the cycle.
    let link = (0..links.len()).fold(0, |i, _| parent(i));
    links[link].name.clone()
}

/// The link with its axis and quaternions normalized and its empty lists filled in.
pub(super) fn checked(mut link: Link) -> Result<Link, ArticulatedError> {
    let name = link.name.clone();
    let joint = &mut link.joint;
    joint.kind = match joint.kind {
        JointKind::Revolute { axis } => JointKind::Revolute { axis: unit(&name, &axis)? },
        JointKind::Prismatic { axis } => JointKind::Prismatic { axis: unit(&name, &axis)? },
        kind => kind,
    };
    link.placement = normalized(&name, &link.placement)?;
    let (nq, nv) = (joint.kind.coordinate_count(), joint.kind.velocity_count());
    fill(&name, "rest position", &mut joint.rest, &neutral(joint.kind)[..nq])?;
    if let Some(k) = joint.kind.quaternion() {
        let norm = joint.rest[k..].iter().map(|c| c * c).sum::<f64>().sqrt();
        if (norm - 1.0).abs() > QUATERNION_TOLERANCE {
            return Err(ArticulatedError::QuaternionNorm {
                link: name,
                field: "rest position",
                norm,
            });
        }
    }
    fill(&name, "effort", &mut joint.effort, &[0.0; 6][..nv])?;
    for (field, list) in [
        ("stiffness", &mut joint.stiffness),
        ("damping", &mut joint.damping),
        ("friction", &mut joint.friction),
        ("armature", &mut joint.armature),
    ] {
        fill(&name, field, list, &[0.0; 6][..nv])?;
        if let Some((index, &value)) = list.iter().enumerate().find(|(_, c)| **c < 0.0) {
            return Err(ArticulatedError::Negative { link: name, field, index, value });
        }
    }
    check_rotation(&name, joint)?;
    check_limits(&name, joint)?;
    Ok(link)
}

/// Zero coordinates, with the identity where there is a quaternion.
fn neutral(kind: JointKind) -> [f64; 7] {
    let mut coordinates = [0.0; 7];
    if let Some(w) = kind.quaternion() {
        coordinates[w] = 1.0;
    }
    coordinates
}

/// Zero coordinates of all joints, with identity quaternions.
pub(super) fn neutral_coordinates(links: &[Link]) -> Vec<f64> {
    let of_link = |link: &Link| {
        let kind = link.joint.kind;
        neutral(kind).into_iter().take(kind.coordinate_count())
    };
    links.iter().flat_map(of_link).collect()
}

/// A generic position: multiples of the golden ratio, spread over `[½, 3/2)`.
pub(super) fn generic_coordinates(links: &[Link]) -> Vec<f64> {
    let mut coordinates = neutral_coordinates(links);
    let mut phase = 0.0;
    for coordinate in &mut coordinates {
        phase = (phase + 0.618_033_988_749_894_8) % 1.0;
        *coordinate = 0.5 + phase;
    }
    let mut first = 0;
    for kind in links.iter().map(|link| link.joint.kind) {
        if let Some(w) = kind.quaternion() {
            let quaternion = &mut coordinates[first + w..first + w + 4];
            let norm = quaternion.iter().map(|c| c * c).sum::<f64>().sqrt();
            quaternion.iter_mut().for_each(|c| *c /= norm);
        }
        first += kind.coordinate_count();
    }
    coordinates
}

/// The plane if no link can leave the x–y plane, otherwise space.
pub(super) fn dimension(links: &[Link], gravity: &Vector3<f64>) -> Dimension {
    let is_planar = |link: &Link| {
        let Isometry3 { rotation, translation } = &link.placement;
        let center = link.mass_properties.map_or(0.0, |mass| mass.center_of_mass().z);
        let moves_in_plane = match link.joint.kind {
            JointKind::Fixed | JointKind::Planar => true,
            JointKind::Revolute { axis } => axis.xy() == nalgebra::Vector2::zeros(),
            JointKind::Prismatic { axis } => axis.z == 0.0,
            JointKind::Spherical | JointKind::Free => false,
        };
        moves_in_plane && [rotation.i, rotation.j, translation.z, center].iter().all(|z| *z == 0.0)
    };
    if gravity.z == 0.0 && links.iter().all(is_planar) {
        Dimension::Plane
    } else {
        Dimension::Space
    }
}

fn unit(link: &str, axis: &Vector3<f64>) -> Result<Vector3<f64>, ArticulatedError> {
    contact_frame::direction("axis", axis).map_err(|error| match error {
        ContactFrameError::NotFinite { value, .. } => {
            ArticulatedError::NotFinite { link: link.into(), field: "joint axis", value }
        }
        _ => ArticulatedError::ZeroAxis { link: link.into() },
    })
}

fn normalized(link: &str, placement: &Isometry3<f64>) -> Result<Isometry3<f64>, ArticulatedError> {
    let quaternion: &Quaternion<f64> = &placement.rotation;
    check_finite(link, "placement", placement.translation.vector.as_slice())?;
    check_finite(link, "placement", quaternion.coords.as_slice())?;
    if let Some(&value) = placement.translation.vector.iter().find(|entry| entry.abs() > FARTHEST) {
        return Err(ArticulatedError::Placement { link: link.into(), value });
    }
    let norm = quaternion.norm();
    if (norm - 1.0).abs() > QUATERNION_TOLERANCE {
        return Err(ArticulatedError::QuaternionNorm {
            link: link.into(),
            field: "placement",
            norm,
        });
    }
    let rotation = UnitQuaternion::new_normalize(*quaternion);
    Ok(Isometry3::from_parts(placement.translation, rotation))
}

/// Replaces an empty list by `default`, and refuses other lengths and entries that are not finite.
fn fill(
    link: &str,
    field: &'static str,
    list: &mut Vec<f64>,
    default: &[f64],
) -> Result<(), ArticulatedError> {
    if list.is_empty() {
        list.extend_from_slice(default);
    }
    check_list(link, field, list, default.len())
}

/// Refuses lists whose length is not `expected` and entries that are not finite.
pub(super) fn check_list(
    link: &str,
    field: &'static str,
    list: &[f64],
    expected: usize,
) -> Result<(), ArticulatedError> {
    if list.len() != expected {
        let found = list.len();
        return Err(ArticulatedError::Length { link: link.into(), field, expected, found });
    }
    check_finite(link, field, list)
}

fn check_finite(link: &str, field: &'static str, entries: &[f64]) -> Result<(), ArticulatedError> {
    match entries.iter().find(|entry| !entry.is_finite()) {
        Some(&value) => Err(ArticulatedError::NotFinite { link: link.into(), field, value }),
        None => Ok(()),
    }
}

/// An energy `½ Σ c_k φ_k²` of the rotation vector `φ` has the torque `−c φ` only for equal `c_k`.
#[expect(clippy::float_cmp, reason = "the three numbers are meant to be the same number")]
fn check_rotation(link: &str, joint: &Joint) -> Result<(), ArticulatedError> {
    let Some(k) = joint.kind.quaternion() else { return Ok(()) };
    let equal = |list: &[f64]| list[k] == list[k + 1] && list[k + 1] == list[k + 2];
    let three = |list: &[f64]| [list[k], list[k + 1], list[k + 2]];
    if !equal(&joint.stiffness) {
        return Err(ArticulatedError::Anisotropic {
            link: link.into(),
            stiffness: three(&joint.stiffness),
        });
    }
    if !equal(&joint.armature) {
        // Three that differ would turn with the link, and not stand on the diagonal.
        return Err(ArticulatedError::AnisotropicArmature {
            link: link.into(),
            armature: three(&joint.armature),
        });
    }
    Ok(())
}

fn check_limits(link: &str, joint: &Joint) -> Result<(), ArticulatedError> {
    let expected = joint.kind.velocity_count();
    let found = joint.limits.len();
    if found != 0 && found != expected {
        return Err(ArticulatedError::Length {
            link: link.into(),
            field: "limits",
            expected,
            found,
        });
    }
    for (index, &[lower, upper]) in joint.limits.iter().enumerate() {
        let possible = lower <= upper && lower < f64::INFINITY && upper > f64::NEG_INFINITY;
        if !possible {
            return Err(ArticulatedError::Limits { link: link.into(), index, lower, upper });
        }
        let is_rotation = joint.kind.quaternion().is_some_and(|first| index >= first);
        if is_rotation && (lower.is_finite() || upper.is_finite()) {
            return Err(ArticulatedError::LimitedRotation { link: link.into(), index });
        }
    }
    Ok(())
}
