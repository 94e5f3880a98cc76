//! The line of the element that an error names.

use super::Error;
use crate::xml::Element;

/// The error with the line of its element, if it names one and does not have the line already.
pub(super) fn located(root: &Element, error: Error) -> Error {
    match element(root, &error) {
        Some(Element { line, .. }) => Error::AtLine { line: *line, source: Box::new(error) },
        None => error,
    }
}

fn element<'a>(root: &'a Element, error: &Error) -> Option<&'a Element> {
    let named = |kind: &'a str, name: &str| {
        root.children_named(kind).find(|one| one.attribute("name") == Some(name))
    };
    let part = |name: &str, part: &str| {
        let joint = named("joint", name)?;
        Some(joint.child(part).unwrap_or(joint))
    };
    let mesh = |link: &str, uri: &str| {
        let link = named("link", link)?;
        let meshes = link
            .children_named("collision")
            .filter_map(|collision| collision.child("geometry")?.child("mesh"));
        Some(
            meshes.into_iter().find(|mesh| mesh.attribute("filename") == Some(uri)).unwrap_or(link),
        )
    };
    match error {
        Error::Axis { joint } => part(joint, "axis"),
        Error::Limits { joint, .. } => part(joint, "limit"),
        Error::Negative { joint, .. } => part(joint, "dynamics"),
        Error::UnknownLink { joint, .. }
        | Error::Cycle { joint, .. }
        | Error::TwoParents { second: joint, .. } => named("joint", joint),
        Error::SeveralRoots { roots } => named("link", roots.get(1)?),
        Error::Size { link, .. } => named("link", link),
        Error::UnknownPackage { link, uri, .. }
        | Error::MeshAddress { link, uri }
        | Error::OutsidePackage { link, uri }
        | Error::MissingMesh { link, uri, .. } => mesh(link, uri),
        _ => None,
    }
}
