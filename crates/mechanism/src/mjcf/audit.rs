//! Checks every element and attribute of a model before it is read; those without effect become warnings.

use std::collections::BTreeSet;

use super::{
    Error, label,
    schema::{IGNORED, KNOWN, Known, REFUSED},
};
use crate::{
    urdf::{Subject, Warning},
    xml::Element,
};

/// Warnings about everything in the model that has no effect.
pub(super) fn audit(root: &Element) -> Result<Vec<Warning>, Error> {
    let mut audit = Audit { warnings: Vec::new() };
    audit.element(root, &label(root), false)?;
    Ok(audit.warnings)
}

struct Audit {
    warnings: Vec<Warning>,
}

fn known(name: &str) -> Option<&'static Known> {
    KNOWN.iter().find(|known| known.name == name)
}

impl Audit {
    fn element(&mut self, element: &Element, path: &str, in_default: bool) -> Result<(), Error> {
        let Some(schema) = known(&element.name) else { return Ok(()) };
        for (name, value) in &element.attributes {
            if schema.used.contains(&name.as_str()) {
                continue;
            }
            let reason = schema.unused.iter().find(|(names, _)| names.contains(&name.as_str()));
            let reason = reason.map_or("it is not known here", |(_, reason)| reason);
            let subject = Subject::Attribute { name: name.clone(), value: value.clone() };
            self.warn(element, path, subject, reason);
        }
        if element.has_text {
            self.warn(element, path, Subject::Text, "MJCF has no text");
        }
        let in_default = in_default || element.name == "default";
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        for child in &element.children {
            let path = match path {
                "mujoco" => label(child),
                _ if known(&child.name).is_some_and(|known| !known.children.is_empty()) => {
                    label(child)
                }
                _ => format!("{path} > {}", label(child)),
            };
            if let Some((_, reason)) = REFUSED.iter().find(|(name, _)| *name == child.name) {
                return Err(Error::unsupported(child, *reason));
            }
            if schema.children.contains(&child.name.as_str()) {
                self.element(child, &path, in_default)?;
                continue;
            }
            let reason = IGNORED.iter().find(|(name, _)| *name == child.name);
            match reason {
                Some((_, reason)) => {
                    // Further elements for pictures in one place add no information.
                    if seen.insert(&child.name) || !in_default {
                        self.warn(child, &path, Subject::Element, reason);
                    }
                }
                None => self.warn(child, &path, Subject::Element, "it is not known here"),
            }
        }
        Ok(())
    }

    fn warn(&mut self, element: &Element, path: &str, subject: Subject, reason: &'static str) {
        self.warnings.push(Warning {
            element: path.to_owned(),
            line: element.line,
            subject,
            reason: reason.into(),
            file: element.file.as_ref().map(ToString::to_string),
        });
    }
}
