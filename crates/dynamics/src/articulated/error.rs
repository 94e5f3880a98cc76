//! The reason why links do not make an [`Articulated`](super::Articulated) system: [`ArticulatedError`].

use crate::system::moved;

/// The reason why links do not make an articulated system. Every variant that concerns a link names it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ArticulatedError {
    /// The list of links is empty.
    #[error("an articulated system needs at least one link, got none")]
    NoLinks,
    /// The factors of the mass matrix would take too much memory and time.
    #[error("the links have {count} degrees of freedom, expected at most {limit}")]
    TooManyVelocities {
        /// Number of degrees of freedom.
        count: usize,
        /// Maximum number accepted.
        limit: usize,
    },
    /// Two links have the same name.
    #[error("two links are named `{link}`, expected different names")]
    DuplicateName {
        /// The name.
        link: String,
    },
    /// The parent of a link is not among the links.
    #[error("parent `{parent}` of link `{link}` does not exist")]
    MissingParent {
        /// Offending link.
        link: String,
        /// Name of the missing parent.
        parent: String,
    },
    /// Following the parents of a link leads back to it, so the links are not a tree.
    #[error("link `{link}` is its own ancestor, expected a tree that ends in the world")]
    Cycle {
        /// Name of one link on the cycle.
        link: String,
    },
    /// There is no link with this name or number.
    #[error("link `{link}` does not exist")]
    UnknownLink {
        /// Name or number given.
        link: String,
    },
    /// A number is NaN or infinite.
    #[error("{field} of link `{link}` has an entry {value:?}, expected finite numbers")]
    NotFinite {
        /// Offending link.
        link: String,
        /// Name of the field.
        field: &'static str,
        /// First such entry.
        value: f64,
    },
    /// A joint is so far from its parent that products of distances could overflow.
    #[error("placement of link `{link}` has an entry {value:?}, expected numbers within ±1e12 (m)")]
    Placement {
        /// Offending link.
        link: String,
        /// First such entry (m).
        value: f64,
    },
    /// The axis of a joint is zero.
    #[error("joint axis of link `{link}` is zero, expected a direction")]
    ZeroAxis {
        /// Offending link.
        link: String,
    },
    /// A stiffness, damping or friction is negative.
    #[error("{field} {index} of link `{link}` is {value:?}, expected a number of at least 0")]
    Negative {
        /// Offending link.
        link: String,
        /// Name of the field.
        field: &'static str,
        /// Velocity of the joint that it belongs to.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// A list of a joint does not have one entry per velocity (or, for the rest position, per
    /// coordinate) of the joint.
    #[error("{field} of link `{link}` has length {found}, expected {expected} or none at all")]
    Length {
        /// Offending link.
        link: String,
        /// Name of the field.
        field: &'static str,
        /// Number of velocities or coordinates of the joint.
        expected: usize,
        /// Length given.
        found: usize,
    },
    /// A lower limit is above its upper limit, or one of them is NaN.
    #[error("limits {index} of link `{link}` are [{lower:?}, {upper:?}], expected lower ≤ upper")]
    Limits {
        /// Offending link.
        link: String,
        /// Velocity of the joint that they belong to.
        index: usize,
        /// Lower limit (m or rad).
        lower: f64,
        /// Upper limit (m or rad).
        upper: f64,
    },
    /// Limits were given for a rotation in space, which has no coordinate to limit.
    #[error("limits {index} of link `{link}` belong to a quaternion, which cannot be limited")]
    LimitedRotation {
        /// Offending link.
        link: String,
        /// Velocity of the joint that they belong to.
        index: usize,
    },
    /// The three stiffnesses of a rotation in space differ.
    #[error(
        "rotational stiffnesses of link `{link}` are {:?}, {:?} and {:?}, expected three equal numbers",
        .stiffness[0], .stiffness[1], .stiffness[2]
    )]
    Anisotropic {
        /// Offending link.
        link: String,
        /// The stiffnesses given (N·m/rad).
        stiffness: [f64; 3],
    },
    /// The three armatures of a rotation in space differ.
    #[error(
        "rotational armatures of link `{link}` are {:?}, {:?} and {:?}, expected three equal numbers",
        .armature[0], .armature[1], .armature[2]
    )]
    AnisotropicArmature {
        /// Offending link.
        link: String,
        /// The armatures given (kg·m²).
        armature: [f64; 3],
    },
    /// The quaternion of a placement or of a rest position is not normalized.
    #[error("quaternion of the {field} of link `{link}` has norm {norm:?}, expected 1 within 1e-6")]
    QuaternionNorm {
        /// Offending link.
        link: String,
        /// Name of the field.
        field: &'static str,
        /// Norm found.
        norm: f64,
    },
    /// The mass matrix is singular in every position: some motion of the joint of this link moves no mass. Examples
    /// are a massless leaf and the rotation of a point mass about itself.
    #[error(
        "the mass matrix is singular: beside its ancestors, velocity {index} of the joint of link \
         `{link}` moves {}", moved(.fraction)
    )]
    SingularMass {
        /// Offending link.
        link: String,
        /// Velocity of its joint.
        index: usize,
        /// Pivot of the mass matrix relative to the terms of its diagonal entry, or NaN; negative if the mass matrix
        /// is indefinite.
        fraction: f64,
    },
    /// Gravity has an entry that is NaN or infinite.
    #[error("gravity has an entry {value:?}, expected finite numbers (m/s²)")]
    Gravity {
        /// First such entry.
        value: f64,
    },
}

/// An array passed to [`Kinematics`](super::Kinematics) has the wrong size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{field} has shape {} × {}, expected {} × {}", .found[0], .found[1], .expected[0], .expected[1]
)]
pub struct ShapeError {
    /// Name of the argument.
    pub field: &'static str,
    /// Rows and columns expected; a slice is one column.
    pub expected: [usize; 2],
    /// Rows and columns given.
    pub found: [usize; 2],
}
