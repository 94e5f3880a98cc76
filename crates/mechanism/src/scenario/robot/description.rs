//! The content of a robot's file, independent of the format: [`Description`].

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use nalgebra::{Isometry3, Vector3};
use percussion_dynamics::{
    Articulated,
    constraint::{self, BallJoint, Coupling, EqualityConstraint, Frame, Weld},
    gap::GapFunction,
};
use percussion_integrators::Actuator;

use super::{Base, Robot};
#[cfg(feature = "mjcf")]
use crate::mjcf;
use crate::{
    Error,
    mechanism::NamedContact,
    rules::require,
    urdf::{self, Collision, Follower, Warning},
};

/// Maximum length of a description (bytes).
const TEXT_LIMIT: u64 = 16 << 20;

/// Name of the package whose folder the files of a MuJoCo model must not leave.
#[cfg(feature = "mjcf")]
const MODEL: &str = "model";

/// Name of the root link that stands for the world.
pub(super) const WORLD: &str = "world";

/// A robot as described in its file.
#[derive(Debug)]
pub(in crate::scenario) struct Description {
    /// Name of the robot.
    pub(in crate::scenario) name: String,
    /// Its links, with the root joined as the file or the base specifies.
    pub(in crate::scenario) system: Articulated,
    pub(in crate::scenario) joints: Vec<DescribedJoint>,
    pub(in crate::scenario) collision: Vec<Collision>,
    /// Friction of each collision shape, if the file gives one.
    pub(in crate::scenario) friction: Vec<Option<f64>>,
    pub(in crate::scenario) ties: Vec<Tie>,
    /// The pairs of shapes that can touch with their friction, if the file lists them.
    pub(in crate::scenario) pairs: Option<Vec<([usize; 2], f64)>>,
    pub(in crate::scenario) warnings: Vec<Warning>,
    /// Gravity (m/s²), if the file gives it.
    pub(in crate::scenario) gravity: Option<Vector3<f64>>,
    /// Its start, in the coordinates of the system.
    pub(in crate::scenario) start: Vec<f64>,
    /// Coordinates and velocities by name.
    pub(in crate::scenario) keyframes: BTreeMap<String, [Vec<f64>; 2]>,
    /// The controls of all actuators by the names of keyframes.
    pub(in crate::scenario) controls: BTreeMap<String, Vec<f64>>,
    pub(in crate::scenario) actuators: Vec<DescribedActuator>,
    /// Limits that are not of one coordinate.
    pub(in crate::scenario) bounds: Vec<(NamedContact, Arc<dyn GapFunction>)>,
    /// Springs and dampers of tendons.
    pub(in crate::scenario) tendon_forces: Vec<Actuator>,
    /// The link that moves freely, if the robot can be placed.
    pub(in crate::scenario) root: Option<usize>,
    /// Whether the root can be fixed, and its placement chosen.
    pub(in crate::scenario) is_placed: bool,
}

/// A joint of the file.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::scenario) struct DescribedJoint {
    pub(in crate::scenario) name: String,
    /// The link that has its coordinates.
    pub(in crate::scenario) link: usize,
    /// The body that it carries.
    pub(in crate::scenario) body: usize,
    /// The coordinate in the file at which the coordinate here is zero (rad or m).
    pub(in crate::scenario) reference: f64,
    /// What drives of the joint may do (N, N·m).
    pub(in crate::scenario) force_range: [f64; 2],
}

/// An actuator of the file.
#[derive(Clone, Debug)]
pub(in crate::scenario) struct DescribedActuator {
    pub(in crate::scenario) name: String,
    /// The names of the joints that it moves.
    pub(in crate::scenario) joints: Vec<String>,
    /// Its law, with the coordinates of the system, unless it is not modeled.
    pub(in crate::scenario) law: Option<Actuator>,
}

/// A constraint between links in addition to their joints.
#[derive(Clone, Debug)]
#[cfg_attr(not(feature = "mjcf"), expect(dead_code, reason = "URDF has followers only"))]
pub(in crate::scenario) enum Tie {
    /// A joint that follows another one.
    Follower(Follower),
    /// A sum of coordinates, each of the link called so with its factor, that has this value.
    Sum(Vec<(String, f64)>, f64),
    /// Two points that coincide, in the frames of their links.
    Points([(String, Vector3<f64>); 2]),
    /// Two frames that coincide, in those of their links.
    Frames([(String, Isometry3<f64>); 2]),
}

impl Tie {
    /// The constraint on `system`, which contains the links.
    pub(in crate::scenario) fn constraint(
        &self,
        system: &Articulated,
    ) -> Result<Box<dyn EqualityConstraint>, constraint::Error> {
        let number = |name: &String| system.link_index(name).unwrap_or_default();
        Ok(match self {
            Self::Follower(follower) => follower.constraint(system)?,
            Self::Sum(terms, value) => {
                let terms: Vec<_> = terms.iter().map(|(link, c)| (link.as_str(), *c)).collect();
                Box::new(Coupling::of_joints(system, &terms, *value)?)
            }
            Self::Points(points) => {
                let [one, two] = points.each_ref().map(|(link, point)| {
                    percussion_dynamics::Anchor::on_body(number(link), *point)
                });
                Box::new(BallJoint::new(one, two)?)
            }
            Self::Frames(frames) => {
                let [one, two] =
                    frames.each_ref().map(|(link, frame)| Frame::on_body(number(link), *frame));
                Box::new(Weld::new(one, two)?)
            }
        })
    }

    /// The objects of the constraint, for messages.
    pub(in crate::scenario) fn name(&self) -> String {
        match self {
            Self::Follower(follower) => follower.joint.clone(),
            Self::Sum(terms, _) => {
                let names: Vec<&str> = terms.iter().map(|(link, _)| link.as_str()).collect();
                names.join("–")
            }
            Self::Points([(one, _), (two, _)]) | Self::Frames([(one, _), (two, _)]) => {
                format!("{one}–{two}")
            }
        }
    }
}

/// A description that has been read already, so that the file of a robot is read only once.
///
/// Two values are always equal; only the file matters for the equality of scenarios.
#[derive(Clone, Default)]
pub struct Read(Option<Arc<(Key, Arc<Description>)>>);

impl std::fmt::Debug for Read {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Read").field("is_read", &self.0.is_some()).finish_non_exhaustive()
    }
}

impl PartialEq for Read {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// The settings on which a description depends, in addition to its file.
#[derive(Clone, Debug, PartialEq)]
struct Key {
    file: PathBuf,
    text: Option<String>,
    base: Option<Base>,
    gravity: Option<[u64; 3]>,
    allow_massless: bool,
    leave_out_shapes: bool,
    packages: BTreeMap<String, PathBuf>,
}

impl Robot {
    /// The description under `gravity` (m/s²), by default that of the file, or none. Reads the file, unless
    /// it has been read before with the same settings.
    pub(in crate::scenario) fn description(
        &self,
        gravity: Option<Vector3<f64>>,
    ) -> Result<Arc<Description>, Error> {
        let key = Key {
            file: self.urdf.clone(),
            text: self.text.clone(),
            base: self.base,
            gravity: gravity.map(|gravity| <[f64; 3]>::from(gravity).map(f64::to_bits)),
            allow_massless: self.allow_massless,
            leave_out_shapes: self.leave_out_shapes,
            packages: self.packages.clone(),
        };
        if let Some(read) = &self.read.0
            && read.0 == key
        {
            return Ok(Arc::clone(&read.1));
        }
        let description = Arc::new(self.import(gravity)?);
        tracing::debug!(file = %self.urdf.display(), "read a robot");
        Ok(description)
    }

    /// Stores a description for the next call.
    pub(in crate::scenario) fn keep(
        &mut self,
        gravity: Vector3<f64>,
        description: Arc<Description>,
    ) {
        let key = Key {
            file: self.urdf.clone(),
            text: self.text.clone(),
            base: self.base,
            gravity: Some(<[f64; 3]>::from(gravity).map(f64::to_bits)),
            allow_massless: self.allow_massless,
            leave_out_shapes: self.leave_out_shapes,
            packages: self.packages.clone(),
        };
        self.read = Read(Some(Arc::new((key, description))));
    }

    fn import(&self, gravity: Option<Vector3<f64>>) -> Result<Description, Error> {
        let failed = |source| Error::Robot { file: self.urdf.clone(), source: Box::new(source) };
        let text = self.text()?;
        #[cfg(feature = "mjcf")]
        if self.is_mjcf() {
            let settings = mjcf::Settings {
                directory: self.urdf.parent().map(Path::to_path_buf),
                root: self.packages.get(MODEL).cloned(),
                gravity,
            };
            let failed = |source| {
                let (file, source) = (self.urdf.clone(), Box::new(source));
                Error::RobotModel { file, source }
            };
            return mjcf::read_str(&text, &settings).map(Description::from).map_err(failed);
        }
        let settings = urdf::Settings {
            gravity: gravity.unwrap_or_default(),
            allow_massless: self.allow_massless,
            packages: self.packages.clone(),
            allow_missing_meshes: self.leave_out_shapes,
            directory: self.urdf.parent().map(Path::to_path_buf),
            ..urdf::Settings::default()
        };
        let base = |root: &str| match self.base {
            Some(Base::Floating) => urdf::Base::Floating,
            None if root != WORLD => urdf::Base::Floating,
            _ => urdf::Base::Fixed,
        };
        urdf::read_with(&text, &settings, base).map(Description::from).map_err(failed)
    }

    /// The text of the file.
    fn text(&self) -> Result<String, Error> {
        if let Some(text) = &self.text {
            return Ok(text.clone());
        }
        let failed = |source| {
            let source = urdf::Error::File { path: self.urdf.clone(), source };
            Error::Robot { file: self.urdf.clone(), source: Box::new(source) }
        };
        let about = std::fs::metadata(&self.urdf).map_err(failed)?;
        let expected = "a file of at most 16 MiB";
        let usable = about.is_file() && about.len() <= TEXT_LIMIT;
        require("robot.urdf", &self.urdf, expected, usable)?;
        std::fs::read_to_string(&self.urdf).map_err(failed)
    }
}

impl From<urdf::Imported> for Description {
    fn from(imported: urdf::Imported) -> Self {
        let urdf::Imported { name, system, joints, followers, collision, warnings } = imported;
        let joint = |joint: urdf::JointName| DescribedJoint {
            link: moving_link(&system, joint.body, &joint.name),
            body: joint.body,
            name: joint.name,
            reference: 0.0,
            force_range: [-joint.effort, joint.effort],
        };
        let joints = joints.into_iter().map(joint).collect();
        let floats = system
            .links()
            .first()
            .is_some_and(|root| root.joint.kind == percussion_dynamics::JointKind::Free);
        Self {
            name,
            joints,
            friction: vec![None; collision.len()],
            collision,
            ties: followers.into_iter().map(Tie::Follower).collect(),
            pairs: None,
            warnings,
            gravity: None,
            start: system.neutral_coordinates(),
            keyframes: BTreeMap::new(),
            controls: BTreeMap::new(),
            actuators: Vec::new(),
            bounds: Vec::new(),
            tendon_forces: Vec::new(),
            root: floats.then_some(0),
            is_placed: true,
            system,
        }
    }
}

#[cfg(feature = "mjcf")]
impl From<mjcf::Imported> for Description {
    fn from(imported: mjcf::Imported) -> Self {
        let joint = |joint: mjcf::ModelJoint| DescribedJoint {
            name: joint.name,
            link: joint.link,
            body: joint.body,
            reference: joint.reference,
            force_range: joint.force_range,
        };
        let actuator = |actuator: mjcf::ModelActuator| DescribedActuator {
            name: actuator.name,
            joints: actuator.joints,
            law: actuator.law,
        };
        let bound = |limit: mjcf::ModelLimit| {
            let mjcf::ModelLimit { name, between, unit, gap } = limit;
            (NamedContact { name, between, unit }, gap)
        };
        let tie = |tied: mjcf::Tied| match tied {
            mjcf::Tied::Follower(follower) => Tie::Follower(follower),
            mjcf::Tied::Sum(terms, value) => Tie::Sum(terms, value),
            mjcf::Tied::Points(points) => Tie::Points(points),
            mjcf::Tied::Frames(frames) => Tie::Frames(frames),
        };
        let links = imported.system.links().iter().enumerate();
        let mut free = links
            .filter(|(_, link)| link.joint.kind == percussion_dynamics::JointKind::Free)
            .map(|(number, _)| number);
        // With several free links it would be ambiguous which one is placed.
        let root = free.next().filter(|_| free.next().is_none());
        Self {
            name: imported.name,
            joints: imported.joints.into_iter().map(joint).collect(),
            friction: imported.friction.into_iter().map(Some).collect(),
            collision: imported.collision,
            ties: imported.ties.into_iter().map(tie).collect(),
            pairs: Some(imported.pairs),
            warnings: imported.warnings,
            gravity: Some(imported.gravity),
            start: imported.start,
            keyframes: imported.keyframes,
            controls: imported.controls,
            actuators: imported.actuators.into_iter().map(actuator).collect(),
            bounds: imported.limits.into_iter().map(bound).collect(),
            tendon_forces: imported.tendon_forces,
            root,
            is_placed: false,
            system: imported.system,
        }
    }
}

/// The link that has the coordinates of the joint `name` before `body`: its parent if the joint is planar and
/// its axis is not `z`.
fn moving_link(system: &Articulated, body: usize, name: &str) -> usize {
    let plane = system.parent(body).filter(|parent| {
        let frame = &system.links()[*parent].name;
        frame.strip_suffix(" (plane)") == Some(name)
    });
    plane.unwrap_or(body)
}
