//! The parts of an articulated system: [`Link`], [`Joint`] and [`JointKind`].

use nalgebra::{Isometry3, Vector3};

use crate::inertia::MassProperties;

/// The motion of a link relative to its parent that a joint allows.
///
/// The **joint frame** is fixed in the parent by [`Link::placement`]; at zero coordinates (and the
/// identity quaternion) the frame of the link coincides with it. Velocities of rotations and of positions in space
/// are in the axes of the joint frame. These are world axes if the parent is the world and the placement has no
/// rotation.
///
/// | kind | coordinates | velocities |
/// | --- | --- | --- |
/// | `Fixed` | none | none |
/// | `Revolute` | angle `θ` (rad) | `θ̇` |
/// | `Prismatic` | displacement `s` (m) | `ṡ` |
/// | `Planar` | `x, y` (m), `θ` (rad) | `ẋ, ẏ, θ̇` |
/// | `Spherical` | unit quaternion `w, x, y, z` | angular velocity `ω` (rad/s, joint frame) |
/// | `Free` | position (m), unit quaternion | velocity of the link's origin, `ω` (joint frame) |
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum JointKind {
    /// The link is welded to its parent.
    Fixed,
    /// Rotation about an axis through the origin of the joint frame.
    Revolute {
        /// The axis in the joint frame; its length does not matter.
        axis: Vector3<f64>,
    },
    /// Translation along an axis.
    Prismatic {
        /// The axis in the joint frame; its length does not matter.
        axis: Vector3<f64>,
    },
    /// Motion in the x–y plane of the joint frame, with rotation about its `z`.
    Planar,
    /// Rotation about the origin of the joint frame.
    Spherical,
    /// Any motion.
    Free,
}

impl JointKind {
    /// Number of coordinates: 0, 1, 1, 3, 4 or 7.
    #[must_use]
    pub const fn coordinate_count(self) -> usize {
        match self {
            Self::Fixed => 0,
            Self::Revolute { .. } | Self::Prismatic { .. } => 1,
            Self::Planar => 3,
            Self::Spherical => 4,
            Self::Free => 7,
        }
    }

    /// Number of velocities: 0, 1, 1, 3, 3 or 6.
    #[must_use]
    pub const fn velocity_count(self) -> usize {
        match self {
            Self::Fixed => 0,
            Self::Revolute { .. } | Self::Prismatic { .. } => 1,
            Self::Planar | Self::Spherical => 3,
            Self::Free => 6,
        }
    }

    /// Index of the first component of the quaternion among the coordinates, which is also that of
    /// the angular velocity among the velocities; `None` for joints without a quaternion.
    #[must_use]
    pub const fn quaternion(self) -> Option<usize> {
        match self {
            Self::Spherical => Some(0),
            Self::Free => Some(3),
            _ => None,
        }
    }
}

/// A joint: its [kind](JointKind) and the forces in it.
///
/// The lists have one entry per **velocity** of the joint (`rest` one per coordinate), or are empty. An empty list
/// stands for zeros, for a rest position at zero coordinates, or for no limits. Entry `k` of a joint force is
///
/// ```math
/// \tau_k = e_k - d_k v_k - c_k (q_k - q_{k,\mathrm{rest}}),
/// ```
///
/// with the effort `e`, damping `d` and stiffness `c`. For a quaternion the displacement is the rotation vector of
/// the rotation from rest. The three stiffnesses have to be equal, so that the energy is `½ c ‖rotation vector‖²`.
/// Coulomb friction and limits are not smooth: they are returned as [`JointFriction`](super::JointFriction) and
/// [`JointLimit`](super::JointLimit).
///
/// # Example
///
/// A knee with a damper that bends from 0 to 2 rad.
///
/// ```
/// use nalgebra::Vector3;
/// use percussion_dynamics::Joint;
///
/// let knee = Joint::revolute(Vector3::z()).with_damping(&[0.1]).with_limits(&[[0.0, 2.0]]);
/// assert_eq!(knee.kind.velocity_count(), 1);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// The kind of motion.
    pub kind: JointKind,
    /// Stiffness of the spring (N/m, N·m/rad), at least 0.
    pub stiffness: Vec<f64>,
    /// Coordinates at which the spring is relaxed.
    pub rest: Vec<f64>,
    /// Viscous damping (N·s/m, N·m·s/rad), at least 0.
    pub damping: Vec<f64>,
    /// Maximum Coulomb friction force or torque (N, N·m), at least 0.
    pub friction: Vec<f64>,
    /// Lower and upper limit of each coordinate (m, rad); infinite for no limit.
    pub limits: Vec<[f64; 2]>,
    /// Constant actuation (N, N·m).
    pub effort: Vec<f64>,
    /// Inertia that only the motion of the joint itself has, at least 0 (kg, kg·m²): that of a rotor behind a gear, as
    /// the joint feels it. It stands on the diagonal of the mass matrix, and its kinetic energy is half of it times the
    /// square of the velocity; of rotations in space all three are the same.
    pub armature: Vec<f64>,
}

impl Joint {
    /// A joint of this kind without forces or limits.
    #[must_use]
    pub fn new(kind: JointKind) -> Self {
        Self {
            kind,
            stiffness: Vec::new(),
            rest: Vec::new(),
            damping: Vec::new(),
            friction: Vec::new(),
            limits: Vec::new(),
            effort: Vec::new(),
            armature: Vec::new(),
        }
    }

    /// A weld without relative motion.
    #[must_use]
    pub fn fixed() -> Self {
        Self::new(JointKind::Fixed)
    }

    /// A rotation about `axis` (joint frame, any length but zero).
    #[must_use]
    pub fn revolute(axis: Vector3<f64>) -> Self {
        Self::new(JointKind::Revolute { axis })
    }

    /// A translation along `axis` (joint frame, any length but zero).
    #[must_use]
    pub fn prismatic(axis: Vector3<f64>) -> Self {
        Self::new(JointKind::Prismatic { axis })
    }

    /// A motion in the x–y plane of the joint frame.
    #[must_use]
    pub fn planar() -> Self {
        Self::new(JointKind::Planar)
    }

    /// A rotation about a point.
    #[must_use]
    pub fn spherical() -> Self {
        Self::new(JointKind::Spherical)
    }

    /// An unrestricted motion.
    #[must_use]
    pub fn free() -> Self {
        Self::new(JointKind::Free)
    }

    /// The same joint with a spring, relaxed at the coordinates `rest`.
    #[must_use]
    pub fn with_spring(self, stiffness: &[f64], rest: &[f64]) -> Self {
        Self { stiffness: stiffness.to_vec(), rest: rest.to_vec(), ..self }
    }

    /// The same joint with a damper.
    #[must_use]
    pub fn with_damping(self, damping: &[f64]) -> Self {
        Self { damping: damping.to_vec(), ..self }
    }

    /// The same joint with Coulomb friction.
    #[must_use]
    pub fn with_friction(self, friction: &[f64]) -> Self {
        Self { friction: friction.to_vec(), ..self }
    }

    /// The same joint with limits, `[lower, upper]` for each velocity.
    #[must_use]
    pub fn with_limits(self, limits: &[[f64; 2]]) -> Self {
        Self { limits: limits.to_vec(), ..self }
    }

    /// The same joint with a constant actuation.
    #[must_use]
    pub fn with_effort(self, effort: &[f64]) -> Self {
        Self { effort: effort.to_vec(), ..self }
    }

    /// The same joint with the inertia of a rotor behind a gear.
    #[must_use]
    pub fn with_armature(self, armature: &[f64]) -> Self {
        Self { armature: armature.to_vec(), ..self }
    }
}

/// One rigid body of an articulated system and the joint that carries it.
///
/// # Example
///
/// The lower arm of a double pendulum, attached 1 m below the pin of the upper one.
///
/// ```
/// use nalgebra::{Isometry3, Vector3};
/// use percussion_dynamics::{Joint, Link, MassProperties};
///
/// let bob = MassProperties::point(2.0)?.translated(&Vector3::new(0.0, -1.0, 0.0));
/// let lower = Link::new("lower", Joint::revolute(Vector3::z()))
///     .on("upper")
///     .at(Isometry3::translation(0.0, -1.0, 0.0))
///     .with_mass(bob);
/// assert_eq!(lower.parent.as_deref(), Some("upper"));
/// # Ok::<(), percussion_dynamics::MassPropertiesError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Unique name.
    pub name: String,
    /// Name of the link that carries this one, or `None` for the world.
    pub parent: Option<String>,
    /// Pose of the joint frame in the frame of the parent, with a position within ±1e12 m.
    pub placement: Isometry3<f64>,
    /// The joint.
    pub joint: Joint,
    /// Mass, center of mass and inertia in the frame of the link; `None` for a massless frame.
    pub mass_properties: Option<MassProperties>,
}

impl Link {
    /// A massless link on the world, whose joint frame is the world frame.
    #[must_use]
    pub fn new(name: impl Into<String>, joint: Joint) -> Self {
        let placement = Isometry3::identity();
        Self { name: name.into(), parent: None, placement, joint, mass_properties: None }
    }

    /// The same link carried by the link named `parent`.
    #[must_use]
    pub fn on(self, parent: impl Into<String>) -> Self {
        Self { parent: Some(parent.into()), ..self }
    }

    /// The same link with its joint frame at `placement` in the frame of its parent.
    #[must_use]
    pub fn at(self, placement: Isometry3<f64>) -> Self {
        Self { placement, ..self }
    }

    /// The same link with mass, given in the frame of the link.
    #[must_use]
    pub fn with_mass(self, mass_properties: MassProperties) -> Self {
        Self { mass_properties: Some(mass_properties), ..self }
    }
}
