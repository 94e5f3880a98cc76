//! The errors of the import of robot descriptions: [`Error`].

use std::{io, path::PathBuf};

use percussion_dynamics::{ArticulatedError, MassPropertiesError};

/// Reason why a robot description cannot be converted to a system. Every variant names the offending element.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file cannot be read, or is not UTF-8.
    #[error("cannot read {}: {source}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The text is not well-formed XML.
    #[error("line {line}: {message}")]
    Xml {
        /// Line, from 1.
        line: usize,
        /// The message of the parser.
        message: String,
    },
    /// The outermost element is not a robot.
    #[error("the outermost element is `{found}`, expected `robot`")]
    NotRobot {
        /// Its name.
        found: String,
    },
    /// A macro that has not been expanded.
    #[error("line {line}: `{element}` is a macro, expected a description that xacro has expanded")]
    Macro {
        /// Name of the element.
        element: String,
        /// Its line.
        line: usize,
    },
    /// An attribute is missing.
    #[error("line {line}: {element} has no attribute `{attribute}`, which is required")]
    MissingAttribute {
        /// The element.
        element: String,
        /// Its line.
        line: usize,
        /// The attribute.
        attribute: &'static str,
    },
    /// An element is missing.
    #[error("line {line}: {element} has no `{child}`, which is required")]
    MissingElement {
        /// The element around the missing one.
        element: String,
        /// Its line.
        line: usize,
        /// Name of the missing element.
        child: String,
    },
    /// An element occurs twice where it may occur once.
    #[error("line {line}: {element} has more than one `{child}`, expected one")]
    Repeated {
        /// The element around them.
        element: String,
        /// Line of the second one.
        line: usize,
        /// Name of the repeated element.
        child: String,
    },
    /// An attribute has an invalid value.
    #[error("line {line}: `{attribute}` of {element} is \"{value}\", expected {expected}")]
    Number {
        /// The element.
        element: String,
        /// Its line.
        line: usize,
        /// The attribute.
        attribute: String,
        /// Its text.
        value: String,
        /// The expected value.
        expected: String,
    },
    /// An element that an error names, with its line.
    #[error("line {line}: {source}")]
    AtLine {
        /// Line of the element.
        line: usize,
        /// The error.
        source: Box<Self>,
    },
    /// Two links or two joints have the same name.
    #[error("there are two of {element}, expected different names")]
    DuplicateName {
        /// The second one.
        element: String,
    },
    /// A joint has an unknown type.
    #[error(
        "line {line}: type of joint `{joint}` is \"{found}\", expected revolute, continuous, \
         prismatic, fixed, floating, planar or spherical"
    )]
    JointType {
        /// The joint.
        joint: String,
        /// Its line.
        line: usize,
        /// Its type.
        found: String,
    },
    /// A joint follows itself, directly or through others, or it follows a joint with several coordinates.
    #[error("line {line}: joint `{joint}` mimics `{followed}`, {reason}")]
    Mimic {
        /// The joint.
        joint: String,
        /// Its line.
        line: usize,
        /// The joint that it follows.
        followed: String,
        /// The reason, and what was expected.
        reason: &'static str,
    },
    /// The axis of a joint is zero.
    #[error("axis of joint `{joint}` is zero, expected a direction")]
    Axis {
        /// The joint.
        joint: String,
    },
    /// A lower limit is above its upper limit.
    #[error("limits of joint `{joint}` are [{lower:?}, {upper:?}], expected lower ≤ upper")]
    Limits {
        /// The joint.
        joint: String,
        /// Lower limit (rad or m).
        lower: f64,
        /// Upper limit (rad or m).
        upper: f64,
    },
    /// Damping or friction of a joint is negative.
    #[error("{field} of joint `{joint}` is {value:?}, expected a number of at least 0")]
    Negative {
        /// The joint.
        joint: String,
        /// Name of the attribute.
        field: &'static str,
        /// Its value.
        value: f64,
    },
    /// A robot without links.
    #[error("the robot has no links, expected at least one")]
    NoLinks,
    /// The robot has too many links, which would take minutes.
    #[error("the robot has {count} links, expected at most {limit}")]
    TooManyLinks {
        /// Number of links.
        count: usize,
        /// Maximum number of links.
        limit: usize,
    },
    /// A joint names a link that does not exist.
    #[error("link `{link}` of joint `{joint}` does not exist")]
    UnknownLink {
        /// The joint.
        joint: String,
        /// The requested name.
        link: String,
    },
    /// Two joints carry the same link: a loop.
    #[error(
        "link `{link}` is the child of joints `{first}` and `{second}`, expected one parent; cut the \
         loop and close it by an equality constraint"
    )]
    TwoParents {
        /// The link.
        link: String,
        /// One joint.
        first: String,
        /// The other joint.
        second: String,
    },
    /// Following the parents of a link leads back to it.
    #[error("link `{link}` is its own ancestor through joint `{joint}`, expected a tree")]
    Cycle {
        /// A link on the cycle.
        link: String,
        /// The joint that carries it.
        joint: String,
    },
    /// More than one link has no parent.
    #[error("links {} have no parent, expected one root", names(.roots))]
    SeveralRoots {
        /// The roots, in the order of the file.
        roots: Vec<String>,
    },
    /// A joint moves no mass: the link, what is fixed to it and what it carries have no inertia.
    #[error(
        "line {line}: link `{link}` moves, but neither it nor anything it carries has mass; give it an `inertial` \
         element, or allow massless links, which locks its joint"
    )]
    MissingInertia {
        /// The link.
        link: String,
        /// Its line.
        line: usize,
    },
    /// The mass or inertia of a link is physically impossible.
    #[error("line {line}: inertial of link `{link}`: {source}")]
    Inertia {
        /// The link.
        link: String,
        /// Line of the element.
        line: usize,
        /// The reason.
        source: MassPropertiesError,
    },
    /// A principal moment of a link that moves is negative, so its kinetic energy could be negative.
    #[error(
        "line {line}: inertial of link `{link}` with all that is fixed to it: principal moments are {}, {} and {}, expected \
         none negative (kg·m²); adding {repair:.4e} to ixx, iyy and izz makes them physically possible", .moments[0], .moments[1],
        .moments[2]
    )]
    NegativeMoments {
        /// The link.
        link: String,
        /// Line of the element.
        line: usize,
        /// Principal moments, smallest first (kg·m²).
        moments: [f64; 3],
        /// Amount that must be added to the three moments (kg·m²).
        repair: f64,
    },
    /// A dimension of a shape or a scale of a mesh is not positive.
    #[error(
        "{field} of a collision shape of link `{link}` is {value:?}, expected a positive number"
    )]
    Size {
        /// The link.
        link: String,
        /// Name of the attribute.
        field: &'static str,
        /// Its value (m).
        value: f64,
    },
    /// A mesh belongs to a package whose folder is not known.
    #[error(
        "mesh \"{uri}\" of link `{link}` is in the package `{package}`, whose folder is unknown"
    )]
    UnknownPackage {
        /// The link.
        link: String,
        /// Address of the mesh.
        uri: String,
        /// Name of the package.
        package: String,
    },
    /// The address of a mesh has an unknown form.
    #[error("mesh \"{uri}\" of link `{link}` is not a file, a file:// or a package:// address")]
    MeshAddress {
        /// The link.
        link: String,
        /// Address of the mesh.
        uri: String,
    },
    /// The address of a mesh leaves its package.
    #[error("mesh \"{uri}\" of link `{link}` is outside of its package, expected a file in it")]
    OutsidePackage {
        /// The link.
        link: String,
        /// Address of the mesh.
        uri: String,
    },
    /// The mesh does not exist.
    #[error("mesh \"{uri}\" of link `{link}` does not exist at {}", .path.display())]
    MissingMesh {
        /// The link.
        link: String,
        /// Address of the mesh.
        uri: String,
        /// The path at which it was expected.
        path: PathBuf,
    },
    /// The parser of robot descriptions rejects a text that has passed all checks here.
    #[error("the description is refused: {message}")]
    Refused {
        /// Its message.
        message: String,
    },
    /// The links are not a valid articulated system.
    #[error(transparent)]
    Articulated(#[from] ArticulatedError),
}

impl Error {
    /// The error itself if it is [`AtLine`](Self::AtLine).
    #[must_use]
    pub fn without_line(&self) -> &Self {
        match self {
            Self::AtLine { source, .. } => source,
            _ => self,
        }
    }
}

fn names(roots: &[String]) -> String {
    roots.iter().map(|root| format!("`{root}`")).collect::<Vec<_>>().join(", ")
}
