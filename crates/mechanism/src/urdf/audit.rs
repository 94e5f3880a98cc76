//! Checks a description element by element before urdf-rs reads it.
//!
//! urdf-rs 0.10 treats a missing `inertial` as zero mass, a missing `limit` as `[0, 0]` and a vector
//! `"1 2 x 3"` as `(1, 2, 3)`, and ignores unknown elements. Here every element must be listed in a
//! [`Schema`]. Listed elements are checked and copied to the text that urdf-rs gets; everything else becomes
//! a [`Warning`] or an [`Error`].

use std::{collections::BTreeMap, fmt::Write};

use quick_xml::escape::escape;

use super::{Error, PICTURE, Subject, Warning};
use crate::xml::Element;

/// Type of the value of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    Text,
    /// This number of finite numbers.
    Numbers(usize),
    /// One number, perhaps infinite.
    Bound,
    /// A value that is not used, for this reason.
    Unused(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Count {
    /// At most one.
    Optional,
    /// Exactly one.
    Once,
    Many,
}

/// The permitted content of an element.
#[derive(Debug)]
struct Schema {
    name: &'static str,
    /// Name, value, and whether it is required.
    attributes: &'static [(&'static str, Value, bool)],
    children: &'static [(&'static Self, Count)],
}

const fn schema(
    name: &'static str,
    attributes: &'static [(&'static str, Value, bool)],
    children: &'static [(&'static Schema, Count)],
) -> Schema {
    Schema { name, attributes, children }
}

use Count::{Many, Once, Optional};
use Value::{Bound, Numbers, Text, Unused};

static ORIGIN: Schema = schema(
    "origin",
    &[("xyz", Numbers(3), false), ("rpy", Numbers(3), false), ("quat_xyzw", Numbers(4), false)],
    &[],
);
static MASS: Schema = schema("mass", &[("value", Numbers(1), true)], &[]);
static INERTIA: Schema = schema(
    "inertia",
    &[
        ("ixx", Numbers(1), true),
        ("ixy", Numbers(1), true),
        ("ixz", Numbers(1), true),
        ("iyy", Numbers(1), true),
        ("iyz", Numbers(1), true),
        ("izz", Numbers(1), true),
    ],
    &[],
);
static INERTIAL: Schema =
    schema("inertial", &[], &[(&ORIGIN, Optional), (&MASS, Once), (&INERTIA, Once)]);
static BOX: Schema = schema("box", &[("size", Numbers(3), true)], &[]);
static CYLINDER: Schema =
    schema("cylinder", &[("radius", Numbers(1), true), ("length", Numbers(1), true)], &[]);
static CAPSULE: Schema =
    schema("capsule", &[("radius", Numbers(1), true), ("length", Numbers(1), true)], &[]);
static SPHERE: Schema = schema("sphere", &[("radius", Numbers(1), true)], &[]);
static MESH: Schema =
    schema("mesh", &[("filename", Text, true), ("scale", Numbers(3), false)], &[]);
static GEOMETRY: Schema = schema(
    "geometry",
    &[],
    &[
        (&BOX, Optional),
        (&CYLINDER, Optional),
        (&CAPSULE, Optional),
        (&SPHERE, Optional),
        (&MESH, Optional),
    ],
);
static COLLISION: Schema =
    schema("collision", &[("name", Text, false)], &[(&ORIGIN, Optional), (&GEOMETRY, Once)]);
static LINK: Schema =
    schema("link", &[("name", Text, true)], &[(&INERTIAL, Optional), (&COLLISION, Many)]);
static PARENT: Schema = schema("parent", &[("link", Text, true)], &[]);
static CHILD: Schema = schema("child", &[("link", Text, true)], &[]);
static AXIS: Schema = schema("axis", &[("xyz", Numbers(3), true)], &[]);
const NO_BOUND: &str = "speeds of joints are not bounded";
static LIMIT: Schema = schema(
    "limit",
    &[
        ("lower", Bound, false),
        ("upper", Bound, false),
        ("effort", Bound, false),
        ("velocity", Unused(NO_BOUND), false),
        ("acceleration", Unused(NO_BOUND), false),
        ("deceleration", Unused(NO_BOUND), false),
        ("jerk", Unused(NO_BOUND), false),
    ],
    &[],
);
static DYNAMICS: Schema =
    schema("dynamics", &[("damping", Numbers(1), false), ("friction", Numbers(1), false)], &[]);
static MIMIC: Schema = schema(
    "mimic",
    &[("joint", Text, true), ("multiplier", Numbers(1), false), ("offset", Numbers(1), false)],
    &[],
);
static JOINT: Schema = schema(
    "joint",
    &[("name", Text, true), ("type", Text, true)],
    &[
        (&ORIGIN, Optional),
        (&PARENT, Once),
        (&CHILD, Once),
        (&AXIS, Optional),
        (&LIMIT, Optional),
        (&DYNAMICS, Optional),
        (&MIMIC, Optional),
    ],
);
static ROBOT: Schema = schema(
    "robot",
    &[("name", Text, false), ("version", Text, false)],
    &[(&LINK, Many), (&JOINT, Many)],
);

/// Reasons why known elements that are in no schema have no effect.
const IGNORED: [(&str, &str); 6] = [
    ("visual", PICTURE),
    ("material", "colors have no effect on the motion"),
    ("transmission", "actuators are not modeled"),
    ("gazebo", "settings of a simulator are not read"),
    ("safety_controller", "controllers are not modeled"),
    ("calibration", "reference positions of sensors are not modeled"),
];

/// A description that has passed the checks, with the data that urdf-rs does not report.
#[derive(Debug, Default)]
pub(super) struct Audit {
    /// The description with only the checked content.
    pub(super) text: String,
    pub(super) warnings: Vec<Warning>,
    /// Names of the links with a nonempty `inertial` element, and its line.
    pub(super) inertials: BTreeMap<String, usize>,
    /// Lines of links and of joints.
    pub(super) links: BTreeMap<String, usize>,
    pub(super) joints: BTreeMap<String, usize>,
    /// Whether `quat_xyzw` is part of the format (1.1) and omitted limits mean no limits (1.2).
    version: Version,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Version(u32, u32);

/// Checks the outermost element.
pub(super) fn audit(robot: &Element) -> Result<Audit, Error> {
    if robot.name != ROBOT.name {
        return Err(Error::NotRobot { found: robot.name.clone() });
    }
    let mut audit = Audit { version: Version(1, 0), ..Audit::default() };
    if let Some(text) = robot.attribute("version") {
        match version(text) {
            Some(version) => audit.version = version,
            None => {
                let reason = "the version is not understood, 1.0 is taken";
                audit.warn(robot, "robot", Subject::Default, reason);
            }
        }
    }
    audit.element(robot, &ROBOT, "robot")?;
    Ok(audit)
}

/// The version that urdf-rs reads from such a text.
fn version(text: &str) -> Option<Version> {
    let (major, minor) = text.trim().split_once('.')?;
    Some(Version(major.parse().ok()?, minor.parse().ok()?))
}

impl Audit {
    fn element(
        &mut self,
        element: &Element,
        schema: &'static Schema,
        path: &str,
    ) -> Result<(), Error> {
        self.text.push('<');
        self.text.push_str(schema.name);
        self.attributes(element, schema, path)?;
        self.text.push('>');
        if element.has_text {
            self.warn(element, path, Subject::Text, "URDF has no text");
        }
        self.count_children(element, schema, path)?;
        for child in &element.children {
            let path = path_of(child, path);
            if child.name.starts_with("xacro:") {
                return Err(Error::Macro { element: child.name.clone(), line: child.line });
            }
            match schema.children.iter().find(|(known, _)| known.name == child.name) {
                Some((known, _)) => match unused(element, child) {
                    Some(reason) => self.warn(child, &path, Subject::Element, reason),
                    None => self.element(child, known, &path)?,
                },
                None => {
                    let known = IGNORED.iter().find(|(name, _)| *name == child.name);
                    let reason = known.map_or("it is not known here", |(_, reason)| reason);
                    self.warn(child, &path, Subject::Element, reason);
                }
            }
        }
        match schema.name {
            "joint" => self.joint(element, path)?,
            "link" => self.inertial(element, path),
            "mesh" => {
                let file = element.attribute("filename").unwrap_or_default();
                let reason = format!("what touches is the convex hull of `{file}`");
                let (element, line, subject) = (path.into(), element.line, Subject::Repair);
                let reason = reason.into();
                self.warnings.push(Warning { element, line, subject, reason, file: None });
            }
            _ => {}
        }
        self.text.push_str("</");
        self.text.push_str(schema.name);
        self.text.push('>');
        Ok(())
    }

    /// Records whether a link has inertia; exporters write zeros for an empty frame.
    fn inertial(&mut self, link: &Element, path: &str) {
        let name = link.attribute("name").unwrap_or_default().to_owned();
        self.links.insert(name.clone(), link.line);
        let Some(inertial) = link.child("inertial") else { return };
        if is_zero(inertial) {
            let path = format!("{path} > inertial");
            let reason = "its mass and its moments are zero, as if it were not there";
            self.warn(inertial, &path, Subject::Element, reason);
        } else {
            self.inertials.insert(name, inertial.line);
        }
    }

    fn attributes(
        &mut self,
        element: &Element,
        schema: &'static Schema,
        path: &str,
    ) -> Result<(), Error> {
        for (name, value) in &element.attributes {
            if name == "xmlns" || name.starts_with("xmlns:") {
                continue;
            }
            let known = schema.attributes.iter().find(|(known, ..)| known == name);
            let reason = match known {
                Some((_, Unused(reason), _)) => Some(*reason),
                Some(_) if name == "quat_xyzw" && self.version < Version(1, 1) => {
                    Some("it needs version 1.1 of the format")
                }
                Some((_, kind, _)) => {
                    check_value(element, path, name, value, *kind)?;
                    None
                }
                None => Some("it is not known here"),
            };
            if let Some(reason) = reason {
                let subject = Subject::Attribute { name: name.clone(), value: value.clone() };
                self.warn(element, path, subject, reason);
            } else {
                // Writing to a string cannot fail.
                let _ = write!(self.text, " {name}=\"{}\"", escape(value.as_str()));
            }
        }
        if schema.name == "limit" {
            // urdf-rs requires one, although it is not needed here.
            self.text.push_str(" velocity=\"0\"");
        }
        match schema
            .attributes
            .iter()
            .find(|(name, _, required)| *required && element.attribute(name).is_none())
        {
            Some(&(attribute, ..)) => {
                let (element, line) = (path.into(), element.line);
                Err(Error::MissingAttribute { element, line, attribute })
            }
            None => Ok(()),
        }
    }

    fn count_children(
        &self,
        element: &Element,
        schema: &'static Schema,
        path: &str,
    ) -> Result<(), Error> {
        for (child, count) in schema.children {
            let mut found = element.children.iter().filter(|other| other.name == child.name);
            if found.next().is_none() && *count == Once {
                let (element, line, child) = (path.into(), element.line, child.name.into());
                return Err(Error::MissingElement { element, line, child });
            }
            if let Some(second) = found.next()
                && *count != Many
            {
                let (element, child) = (path.into(), child.name.into());
                return Err(Error::Repeated { element, line: second.line, child });
            }
        }
        if schema.name == "geometry" {
            check_geometry(element, schema, path)?;
        }
        Ok(())
    }

    /// Checks the elements that the type of a joint requires.
    fn joint(&mut self, joint: &Element, path: &str) -> Result<(), Error> {
        let kind = joint.attribute("type").unwrap_or_default();
        self.joints.insert(joint.attribute("name").unwrap_or_default().to_owned(), joint.line);
        let known =
            ["revolute", "continuous", "prismatic", "fixed", "floating", "planar", "spherical"];
        if !known.contains(&kind) {
            return Err(Error::JointType {
                joint: joint.attribute("name").unwrap_or_default().into(),
                line: joint.line,
                found: kind.into(),
            });
        }
        if has_axis(kind) && joint.child("axis").is_none() {
            self.warn(joint, path, Subject::Default, "no axis is given, x is taken");
        }
        if !has_limit(kind) {
            return Ok(());
        }
        let Some(limit) = joint.child("limit") else {
            let (element, line) = (path.into(), joint.line);
            return Err(Error::MissingElement { element, line, child: "limit".into() });
        };
        let path = path_of(limit, path);
        for (name, below_1_2, since_1_2) in [
            (
                "lower",
                "no lower limit is given, 0 is taken",
                "no lower limit is given, none is taken",
            ),
            (
                "upper",
                "no upper limit is given, 0 is taken",
                "no upper limit is given, none is taken",
            ),
        ] {
            if limit.attribute(name).is_none() {
                let reason = if self.version < Version(1, 2) { below_1_2 } else { since_1_2 };
                self.warn(limit, &path, Subject::Default, reason);
            }
        }
        Ok(())
    }

    fn warn(&mut self, element: &Element, path: &str, subject: Subject, reason: &'static str) {
        let (element, line) = (path.into(), element.line);
        self.warnings.push(Warning { element, line, subject, reason: reason.into(), file: None });
    }
}

fn has_axis(kind: &str) -> bool {
    matches!(kind, "revolute" | "continuous" | "prismatic" | "planar")
}

fn has_limit(kind: &str) -> bool {
    matches!(kind, "revolute" | "prismatic")
}

/// The reason why `child` of `parent` has no effect although URDF allows it, if there is one.
fn unused(parent: &Element, child: &Element) -> Option<&'static str> {
    if parent.name != "joint" {
        return None;
    }
    let kind = parent.attribute("type").unwrap_or_default();
    match child.name.as_str() {
        "axis" if !has_axis(kind) => Some("a joint of this type has no axis"),
        "limit" if !has_limit(kind) => Some("a joint of this type has no limits"),
        "dynamics" if !(has_axis(kind) && kind != "planar") => {
            Some("damping and friction are taken for joints with one coordinate only")
        }
        "mimic" if !(has_axis(kind) && kind != "planar") => {
            Some("a joint follows another one only with one coordinate")
        }
        _ => None,
    }
}

/// A geometry has exactly one shape.
fn check_geometry(geometry: &Element, schema: &Schema, path: &str) -> Result<(), Error> {
    let is_shape = |name: &str| schema.children.iter().any(|(known, _)| known.name == name);
    let mut shapes = geometry.children.iter().filter(|child| is_shape(&child.name));
    match (shapes.next(), shapes.next()) {
        (Some(_), None) => Ok(()),
        (Some(_), Some(second)) => {
            let child = "shape".into();
            Err(Error::Repeated { element: path.into(), line: second.line, child })
        }
        (None, _) => {
            let child = "box, cylinder, capsule, sphere or mesh".into();
            Err(Error::MissingElement { element: path.into(), line: geometry.line, child })
        }
    }
}

/// The name of an element in messages.
fn path_of(element: &Element, parent: &str) -> String {
    let name = &element.name;
    match (name.as_str(), element.attribute("name")) {
        ("link" | "joint", Some(own)) => format!("{name} `{own}`"),
        (_, Some(own)) => format!("{parent} > {name} `{own}`"),
        _ => format!("{parent} > {name}"),
    }
}

fn check_value(
    element: &Element,
    path: &str,
    attribute: &str,
    value: &str,
    kind: Value,
) -> Result<(), Error> {
    let numbers: Result<Vec<f64>, _> = value.split_whitespace().map(str::parse).collect();
    let expected = match (kind, numbers) {
        (Text | Unused(_), _) => return Ok(()),
        (Numbers(count), Ok(numbers))
            if numbers.len() == count && numbers.iter().all(|number| number.is_finite()) =>
        {
            return Ok(());
        }
        (Bound, Ok(numbers)) if numbers.len() == 1 && !numbers[0].is_nan() => return Ok(()),
        (Numbers(1), _) => "one finite number".into(),
        (Numbers(count), _) => format!("{count} finite numbers"),
        (Bound, _) => "one number".into(),
    };
    Err(Error::Number {
        element: path.into(),
        line: element.line,
        attribute: attribute.into(),
        value: value.into(),
        expected,
    })
}

/// Whether an `inertial` element has a mass and moments that are all given as zero.
fn is_zero(inertial: &Element) -> bool {
    let zero = |element: &Element, name: &str| {
        element.attribute(name).and_then(|text| text.trim().parse().ok()) == Some(0.0)
    };
    let of_mass = |mass: &Element| zero(mass, "value");
    let of_inertia = |inertia: &Element| {
        ["ixx", "ixy", "ixz", "iyy", "iyz", "izz"].iter().all(|name| zero(inertia, name))
    };
    inertial.child("mass").is_some_and(of_mass) && inertial.child("inertia").is_some_and(of_inertia)
}
