//! The tree of links that the joints of a description define.

use std::collections::{BTreeMap, BTreeSet};

use urdf_rs::{Joint, Robot};

use super::Error;

/// Maximum number of links.
const LINK_LIMIT: usize = 20_000;

/// The joint that carries each link, `None` for the root.
///
/// Names of links and of joints must be unique, joints must name existing links, and the links must form one
/// tree.
pub(super) fn carriers(robot: &Robot) -> Result<Vec<Option<&Joint>>, Error> {
    if robot.links.is_empty() {
        return Err(Error::NoLinks);
    }
    let (count, limit) = (robot.links.len(), LINK_LIMIT);
    if count > limit {
        return Err(Error::TooManyLinks { count, limit });
    }
    if let Some(name) = repeated(robot.links.iter().map(|link| link.name.as_str())) {
        return Err(Error::DuplicateName { element: format!("link `{name}`") });
    }
    if let Some(name) = repeated(robot.joints.iter().map(|joint| joint.name.as_str())) {
        return Err(Error::DuplicateName { element: format!("joint `{name}`") });
    }
    let indices: BTreeMap<&str, usize> =
        robot.links.iter().enumerate().map(|(i, link)| (link.name.as_str(), i)).collect();
    let index = |name: &str| indices.get(name).copied();
    let mut carriers: Vec<Option<&Joint>> = vec![None; robot.links.len()];
    for joint in &robot.joints {
        for link in [&joint.parent.link, &joint.child.link] {
            if index(link).is_none() {
                return Err(Error::UnknownLink { joint: joint.name.clone(), link: link.clone() });
            }
        }
        let Some(child) = index(&joint.child.link) else { continue };
        if let Some(first) = carriers[child] {
            return Err(Error::TwoParents {
                link: joint.child.link.clone(),
                first: first.name.clone(),
                second: joint.name.clone(),
            });
        }
        carriers[child] = Some(joint);
    }
    let parents: Vec<Option<usize>> =
        carriers.iter().map(|carrier| index(&(*carrier)?.parent.link)).collect();
    for link in 0..carriers.len() {
        // If a walk towards the root takes more steps than there are links, it has met a cycle and is then on
        // it.
        let end = (0..carriers.len()).try_fold(link, |link, _| parents[link]);
        if let Some(end) = end
            && let Some(joint) = carriers[end]
        {
            return Err(Error::Cycle { link: joint.child.link.clone(), joint: joint.name.clone() });
        }
    }
    let roots: Vec<String> = robot
        .links
        .iter()
        .zip(&carriers)
        .filter(|(_, carrier)| carrier.is_none())
        .map(|(link, _)| link.name.clone())
        .collect();
    if roots.len() > 1 {
        return Err(Error::SeveralRoots { roots });
    }
    Ok(carriers)
}

/// The first name that occurs twice.
fn repeated<'a>(names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut seen = BTreeSet::new();
    names.into_iter().find(|name| !seen.insert(*name))
}
