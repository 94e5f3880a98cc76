//! Joints between bodies of a [`Scenario`]: [`Joint`].
//!
//! A joint is satisfied at the start: the bodies have their given `position`, and the joint is attached to both of them there.

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use percussion_dynamics::constraint::{self, BallJoint, EqualityConstraint, Frame, Hinge, Weld};
use serde::{Deserialize, Serialize};

use super::{Scenario, Space, vectors};
use crate::{
    Error,
    rules::{
        FINITE, NOT_EMPTY, NOT_ZERO, at_least_zero, count, finite, not_zero, refuse, require,
        require_choice,
    },
};

/// The name of the world as a partner of a joint.
pub(super) const WORLD: &str = "world";

/// A joint between two bodies, or between a body and the world.
///
/// A body is carried by at most one joint; a joint that closes a loop must be marked.
///
/// # Example
///
/// A disc of 2 kg hangs 1 m below its pin and turns about the pin at 1 rad/s, with the energy
/// `½ (m l² + ½ m r²) ω² = 1.005 J`.
///
/// ```
/// use percussion_mechanism::scenario::Scenario;
///
/// let scenario = Scenario::from_toml_str(r#"
///     name = "pendulum"
///     title = "A disc on a rod without mass"
///     source = "first year mechanics"
///     dimension = "plane"
///     gravity = [0.0, -10.0]
///     duration = 0.5
///     friction = 0.0
///
///     [[bodies]]
///     name = "ball"
///     mass = 2.0
///     shape.disc.radius = 0.1
///     position = [0.0, -1.0]
///
///     [[joints]]
///     name = "pin"
///     kind = "revolute"
///     between = ["world", "ball"]
///     anchor = [0.0, 0.0]
///     speed = 1.0
///
///     [integrator]
///     method = "moreau-jean"
///     step_size = 0.001
/// "#)?;
/// let setup = scenario.build()?;
/// let system = setup.mechanism.model.system();
/// assert_eq!(system.velocity_count(), 1);
/// let energy = system.kinetic_energy(&setup.mechanism.state.coordinates, &setup.mechanism.state.velocity);
/// assert!((energy - 1.005).abs() < 1e-12);
/// # Ok::<(), percussion_mechanism::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Joint {
    /// Name, unique among the joints.
    pub name: String,
    /// The relative motion that it allows.
    pub kind: JointKind,
    /// Names of the body that carries, or `"world"`, and of the body that is carried.
    pub between: [String; 2],
    /// A point of both bodies at the start (m, world); for fixed and prismatic joints by default the position of the second body.
    pub anchor: Option<Vec<f64>>,
    /// Axis at the start (any length, world axes), for revolute joints in space and for prismatic joints.
    pub axis: Option<Vec<f64>>,
    /// Velocity at the start of the second body relative to the first (rad/s, m/s), for revolute and
    /// prismatic joints; default zero.
    pub speed: Option<f64>,
    /// Range of the angle (rad) or displacement (m) from the start, for revolute and prismatic joints; default unlimited.
    pub limits: Option<[f64; 2]>,
    /// Largest Coulomb friction (N·m, N), at least 0; for revolute and prismatic joints.
    #[serde(default)]
    pub friction: f64,
    /// Viscous damping (N·m·s/rad, N·s/m), at least 0; for revolute and prismatic joints.
    #[serde(default)]
    pub damping: f64,
    /// Whether the joint closes a loop of bodies: each of the two already has a carrier, or moves freely. The
    /// joint is then a constraint, without speed, limits, friction and damping.
    #[serde(default)]
    pub closes_loop: bool,
}

/// Motion that a joint allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum JointKind {
    /// Rotation about an axis through the anchor; in the plane about the anchor.
    Revolute,
    /// Displacement along an axis.
    Prismatic,
    /// Rotation about the anchor, in space.
    Spherical,
    /// No motion.
    Fixed,
}

impl Scenario {
    pub(super) fn check_joints(&self) -> Result<(), Error> {
        let mut names = std::collections::BTreeSet::new();
        let mut carried = std::collections::BTreeSet::new();
        for (i, joint) in self.joints.iter().enumerate() {
            let path = format!("joints[{i}]");
            self.check_joint(&path, joint)?;
            if !names.insert(&joint.name) {
                let path = format!("{path}.name");
                return Err(Error::DuplicateName { path, name: joint.name.clone() });
            }
            if !joint.closes_loop && !carried.insert(&joint.between[1]) {
                let expected = "a body that no other joint carries, or `closes_loop = true`";
                return refuse(&format!("{path}.between[1]"), &joint.between[1], expected);
            }
        }
        for (i, body) in self.bodies.iter().enumerate() {
            let moves = body.velocity.is_some() || body.angular_velocity.is_some();
            if moves && carried.contains(&body.name) {
                let expected =
                    "no velocity of a body that a joint carries, but `speed` of the joint";
                return refuse(&format!("bodies[{i}].velocity"), &body.velocity, expected);
            }
        }
        Ok(())
    }

    fn check_joint(&self, path: &str, joint: &Joint) -> Result<(), Error> {
        require(&format!("{path}.name"), &joint.name, NOT_EMPTY, !joint.name.trim().is_empty())?;
        for (i, name) in joint.between.iter().enumerate() {
            let is_world = i == 0 && name == WORLD;
            let is_known = is_world || self.bodies.iter().any(|body| body.name == *name);
            if !is_known {
                let known = self.bodies.iter().map(|body| body.name.as_str());
                let known = known.chain((i == 0).then_some(WORLD)).collect::<Vec<_>>().join(", ");
                let path = format!("{path}.between[{i}]");
                return Err(Error::UnknownName { path, name: name.clone(), known });
            }
        }
        let different = joint.between[0] != joint.between[1];
        require(&format!("{path}.between"), &joint.between, "two different names", different)?;
        if joint.kind == JointKind::Spherical && self.dimension == Space::Plane {
            let expected = "a revolute, prismatic or fixed joint in the plane";
            return refuse(&format!("{path}.kind"), &"spherical", expected);
        }
        let anchor = format!("{path}.anchor");
        match &joint.anchor {
            Some(point) => self.check_vector(&anchor, point)?,
            None if matches!(joint.kind, JointKind::Revolute | JointKind::Spherical) => {
                return refuse(&anchor, &"missing", "a point of both bodies (m)");
            }
            None => {}
        }
        self.check_axis(&format!("{path}.axis"), joint)?;
        self.check_motion(path, joint)
    }

    fn check_axis(&self, path: &str, joint: &Joint) -> Result<(), Error> {
        let needed = joint.kind == JointKind::Prismatic
            || (joint.kind == JointKind::Revolute && self.dimension == Space::Space);
        match &joint.axis {
            Some(axis) if needed => {
                let expected = self.dimension.vector_length();
                count(path, axis.len(), axis.len() == expected, &expected.to_string())?;
                not_zero(path, axis)
            }
            None if needed => refuse(path, &"missing", NOT_ZERO),
            Some(axis) => refuse(path, axis, "no axis for a joint of this kind"),
            None => Ok(()),
        }
    }

    fn check_motion(&self, path: &str, joint: &Joint) -> Result<(), Error> {
        let one = matches!(joint.kind, JointKind::Revolute | JointKind::Prismatic);
        let expected = "a revolute or prismatic joint that closes no loop";
        let moves = joint.speed.is_some() || joint.limits.is_some();
        let resists = joint.friction != 0.0 || joint.damping != 0.0;
        require_choice(
            &format!("{path}.kind"),
            &joint.kind,
            expected,
            (one && !joint.closes_loop) || !(moves || resists),
        )?;
        let closes = !(joint.closes_loop && joint.kind == JointKind::Prismatic);
        let expected = "a revolute, spherical or fixed joint to close a loop";
        require_choice(&format!("{path}.kind"), &joint.kind, expected, closes)?;
        if let Some(speed) = joint.speed {
            finite(&format!("{path}.speed"), &[speed])?;
        }
        if let Some(limits) = joint.limits {
            let [lower, upper] = limits;
            let valid = lower <= 0.0 && 0.0 <= upper;
            let expected = "[lower, upper] with lower ≤ 0 ≤ upper, as joints start at 0";
            require(&format!("{path}.limits"), &limits, expected, valid)?;
        }
        at_least_zero(&format!("{path}.friction"), joint.friction, FINITE)?;
        at_least_zero(&format!("{path}.damping"), joint.damping, FINITE)
    }

    /// The joint that carries `body`.
    pub(super) fn carrier(&self, body: &str) -> Option<&Joint> {
        self.joints.iter().find(|joint| !joint.closes_loop && joint.between[1] == body)
    }

    /// The pose of the frame of the link of `body` at the start: at the anchor of the joint that carries it,
    /// or at the center of mass.
    pub(super) fn link_pose(&self, body: usize) -> Isometry3<f64> {
        let body = &self.bodies[body];
        let pose = super::shape::pose(Some(&body.position), body.orientation);
        let anchor = self.carrier(&body.name).and_then(|joint| joint.anchor.as_ref());
        match anchor {
            Some(anchor) => {
                Isometry3::from_parts(Translation3::from(vectors::vector3(anchor)), pose.rotation)
            }
            None => pose,
        }
    }

    /// The joint in the form for a tree of links; its frame turns with the second body.
    pub(super) fn tree_joint(
        &self,
        joint: &Joint,
        turn: &UnitQuaternion<f64>,
    ) -> percussion_dynamics::Joint {
        let axis = || match &joint.axis {
            Some(axis) => turn.inverse() * vectors::unit(vectors::vector3(axis).into()),
            None => Vector3::z(),
        };
        let moving = |moving: percussion_dynamics::Joint| {
            let moving = moving.with_friction(&[joint.friction]).with_damping(&[joint.damping]);
            match joint.limits {
                Some(limits) => moving.with_limits(&[limits]),
                None => moving,
            }
        };
        match joint.kind {
            JointKind::Revolute => moving(percussion_dynamics::Joint::revolute(axis())),
            JointKind::Prismatic => moving(percussion_dynamics::Joint::prismatic(axis())),
            JointKind::Spherical => percussion_dynamics::Joint::spherical(),
            JointKind::Fixed => percussion_dynamics::Joint::fixed(),
        }
    }

    /// The constraints that close loops; `link` is the number of the link of a body.
    pub(super) fn loops(
        &self,
        link: impl Fn(usize) -> usize,
    ) -> Result<Vec<Box<dyn EqualityConstraint>>, Error> {
        let mut loops: Vec<Box<dyn EqualityConstraint>> = Vec::new();
        for joint in self.joints.iter().filter(|joint| joint.closes_loop) {
            let second = self.bodies.iter().position(|body| body.name == joint.between[1]);
            let anchor = match (&joint.anchor, second) {
                (Some(anchor), _) => vectors::vector3(anchor),
                (None, Some(body)) => vectors::vector3(&self.bodies[body].position),
                (None, None) => Vector3::zeros(),
            };
            let axis = joint.axis.as_ref().map_or_else(Vector3::z, |axis| vectors::vector3(axis));
            let turn =
                UnitQuaternion::rotation_between(&Vector3::z(), &axis).unwrap_or_else(|| {
                    UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI)
                });
            let world = Isometry3::from_parts(Translation3::from(anchor), turn);
            let ends = joint.between.each_ref().map(|name| {
                let body = self.bodies.iter().position(|body| body.name == *name);
                body.map(|body| (link(body), self.link_pose(body).inverse()))
            });
            let frames = ends.map(|end| match end {
                Some((link, inverse)) => Frame::on_body(link, inverse * world),
                None => Frame::in_world(world),
            });
            let refused = |source| Error::Joint { joint: joint.name.clone(), source };
            loops.push(closure(joint.kind, self.dimension, frames).map_err(refused)?);
        }
        Ok(loops)
    }
}

fn closure(
    kind: JointKind,
    dimension: Space,
    [first, second]: [Frame; 2],
) -> Result<Box<dyn EqualityConstraint>, constraint::Error> {
    Ok(match (kind, dimension) {
        (JointKind::Revolute, Space::Space) => Box::new(Hinge::new(first, second)?),
        (JointKind::Fixed, _) => Box::new(Weld::new(first, second)?),
        _ => Box::new(BallJoint::new(first.origin(), second.origin())?),
    })
}
