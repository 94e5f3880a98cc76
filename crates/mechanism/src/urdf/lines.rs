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

/// The shape of a link whose attribute has this value among its numbers, or the link.
fn sized<'a>(link: &'a Element, field: &str, value: f64) -> &'a Element {
    let has = |shape: &&Element| {
        let numbers = shape.attribute(field).into_iter().flat_map(str::split_whitespace);
        let size = value.abs().to_bits();
        numbers.filter_map(|one| one.parse::<f64>().ok()).any(|one| one.abs().to_bits() == size)
    };
    let shapes =
        link.children_named("collision").filter_map(|collision| collision.child("geometry"));
    shapes.flat_map(|geometry| &geometry.children).find(has).unwrap_or(link)
}

/// The element that an error names.
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
        let mut meshes = link
            .children_named("collision")
            .filter_map(|collision| collision.child("geometry")?.child("mesh"));
        Some(meshes.find(|mesh| mesh.attribute("filename") == Some(uri)).unwrap_or(link))
    };
    match error {
        Error::Axis { joint } => part(joint, "axis"),
        Error::Limits { joint, .. } => part(joint, "limit"),
        Error::Negative { joint, .. } => part(joint, "dynamics"),
        Error::UnknownLink { joint, .. }
        | Error::Cycle { joint, .. }
        | Error::TwoParents { second: joint, .. } => named("joint", joint),
        Error::DuplicateName { element } => {
            let (kind, name) = element.split_once(' ')?;
            let kind = if kind == "link" { "link" } else { "joint" };
            let named = |one: &&Element| one.attribute("name") == Some(name.trim_matches('`'));
            root.children_named(kind).filter(named).nth(1)
        }
        Error::SeveralRoots { roots } => named("link", roots.get(1)?),
        Error::Size { link, field, value } => Some(sized(named("link", link)?, field, *value)),
        Error::UnknownPackage { link, uri, .. }
        | Error::MeshAddress { link, uri }
        | Error::OutsidePackage { link, uri }
        | Error::MissingMesh { link, uri, .. } => mesh(link, uri),
        _ => None,
    }
}
