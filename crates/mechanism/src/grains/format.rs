//! The fields of a [`Scene`].

mod measured;
mod shaped;

use std::sync::Arc;

use percussion_collision::Shape;
use percussion_granular::bodies::Mold;
use serde::Deserialize;

pub use self::{
    measured::{Cells, FlowPlane, Radial, Statistics, SurfaceOf},
    shaped::GrainShape,
};

use super::Sizes;

/// Walls, grains and what comes and goes. The [module](super) has the table of all fields.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// One line for people.
    pub title: String,
    /// Where the scene is from.
    #[serde(default)]
    pub source: String,
    /// Time to be reached (s), positive.
    pub duration: f64,
    /// Coefficient of friction of contacts without one of their own, ≥ 0.
    pub friction: f64,
    /// Coefficient of restitution of contacts without one of their own, from 0 to 1; default 0.
    #[serde(default)]
    pub restitution: f64,
    /// Length by which contacts without one of their own resist rolling (m), ≥ 0: the largest moment is this times the normal
    /// force; default 0.
    #[serde(default)]
    pub rolling_friction: f64,
    /// The same for spinning about the normal.
    #[serde(default)]
    pub spinning_friction: f64,
    /// Gravitational acceleration (m/s²), default `(0, 0, −9.81)`.
    #[serde(default = "gravity")]
    pub gravity: [f64; 3],
    /// Time step (s), positive; by default a tenth of the time in which the smallest grain falls by its diameter, at
    /// most 1 ms; a quarter of that where grains have shapes.
    pub step_size: Option<f64>,
    /// How steps are computed.
    #[serde(default)]
    pub steps: Steps,
    /// The kinds of grains, at least one.
    pub grains: Vec<GrainKind>,
    /// The walls.
    #[serde(default)]
    pub walls: Vec<WallEntry>,
    /// How materials touch.
    #[serde(default)]
    pub materials: Vec<Material>,
    /// Where and when grains come in.
    #[serde(default)]
    pub insert: Vec<Insertion>,
    /// Which grains are taken out.
    #[serde(default)]
    pub remove: Vec<Removal>,
    /// Changes of gravity, in the order of their times.
    #[serde(default)]
    pub changes: Vec<Change>,
    /// What is written and how often.
    #[serde(default)]
    pub output: Output,
    /// What is measured.
    #[serde(default)]
    pub statistics: Statistics,
    /// Directions in which space repeats itself, default none.
    #[serde(default)]
    pub periodic: Periodic,
    /// The text that it was read from.
    #[serde(skip)]
    pub(super) text: String,
}

fn gravity() -> [f64; 3] {
    [0.0, 0.0, -9.81]
}

/// Where the box that repeats itself begins and ends along each axis (m), the smaller first; `None` where space does not
/// repeat itself. An edge is more than twice the largest diameter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Periodic {
    /// Along `x`.
    pub x: Option<[f64; 2]>,
    /// Along `y`.
    pub y: Option<[f64; 2]>,
    /// Along `z`.
    pub z: Option<[f64; 2]>,
}

/// Settings of the steps; by default those of [`percussion_granular::Settings`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Steps {
    /// Maximum number of sweeps, ≥ 1.
    pub max_sweeps: Option<usize>,
    /// Relative residual at which the sweeps of a step end, ≥ 0.
    pub tolerance: Option<f64>,
    /// Additional distance up to which pairs are listed, in largest diameters, in `(0, 1]`.
    pub skin: Option<f64>,
    /// Speed of approach (m/s) below which contacts are inelastic, ≥ 0; default five times the speed that gravity gives in a
    /// step. Without restitution it has no meaning.
    pub inelastic_below: Option<f64>,
}

/// Grains of one density, of one size or of several.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GrainKind {
    /// Name; default `grains`.
    #[serde(default = "grains")]
    pub name: String,
    /// Material, default the name.
    pub material: Option<String>,
    /// Shape; without one they are balls.
    pub shape: Option<GrainShape>,
    /// Diameter of all (m), positive; otherwise `sizes`. With a shape it is that of the ball of equal volume; without both the
    /// shape has its size in m.
    pub diameter: Option<f64>,
    /// Distribution of diameters.
    pub sizes: Option<Sizes>,
    /// Density (kg/m³), positive; otherwise `mass`.
    pub density: Option<f64>,
    /// Mass of each (kg), positive.
    pub mass: Option<f64>,
    /// The shape, prepared.
    #[serde(skip)]
    pub(super) mold: Option<Arc<Mold>>,
}

fn grains() -> String {
    "grains".to_owned()
}

/// How two materials touch.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Material {
    /// The two materials, which may be the same.
    pub between: [String; 2],
    /// Coefficient of friction, ≥ 0; default that of the scene.
    pub friction: Option<f64>,
    /// Coefficient of restitution, from 0 to 1; default that of the scene.
    pub restitution: Option<f64>,
    /// Length by which rolling is resisted (m), ≥ 0; default that of the scene.
    pub rolling_friction: Option<f64>,
    /// The same for spinning about the normal.
    pub spinning_friction: Option<f64>,
}

/// A wall with its motion.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WallEntry {
    /// Name, unique among walls.
    pub name: String,
    /// Its shape.
    pub shape: WallShape,
    /// Material, default the name.
    pub material: Option<String>,
    /// Coefficient of friction against all grains, ≥ 0; by default that of the materials.
    pub friction: Option<f64>,
    /// Velocity (m/s); a velocity along a plane makes it a belt.
    pub velocity: Option<[f64; 3]>,
    /// Angular velocity of the surface (rad/s), which must map the wall onto itself.
    pub angular_velocity: Option<[f64; 3]>,
    /// A point of the axis of that rotation (m), default the origin of the shape.
    pub center: Option<[f64; 3]>,
    /// A vibration in addition.
    pub vibration: Option<Vibration>,
    /// Time at which the motion starts (s), default 0.
    pub from: Option<f64>,
    /// Time at which the motion ends (s), by default never.
    pub until: Option<f64>,
    /// Time from which on the wall is there (s), default 0; it moves all the same.
    pub appears: Option<f64>,
    /// Time from which on it is no longer there (s), by default never.
    pub vanishes: Option<f64>,
    /// A force that drives the wall; it then has no `velocity`, `vibration`, `from` and `until`.
    pub servo: Option<ServoOf>,
}

/// A force that drives a wall along a direction, by Newton's law.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServoOf {
    /// Direction of motion and force, of any length but zero.
    pub direction: [f64; 3],
    /// Force on the wall along the direction (N), without that of the grains; gravity does not act on the wall.
    pub force: f64,
    /// Mass of the wall (kg), positive: without grains its speed changes by force over mass.
    pub mass: f64,
    /// Largest speed (m/s), positive.
    pub speed: f64,
}

/// Displacement `amplitude · sin(2π frequency (t − from))`.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vibration {
    /// Amplitude (m).
    pub amplitude: [f64; 3],
    /// Frequency (Hz), positive.
    pub frequency: f64,
}

/// The shape of a wall.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum WallShape {
    /// Everything behind a plane.
    Plane(PlaneOf),
    /// A box with edges of `size` (m) about `position`, turned by `angle` (rad) about `axis`.
    Box {
        /// Edges (m), positive.
        size: [f64; 3],
        /// Center (m), default zero.
        #[serde(default)]
        position: [f64; 3],
        /// Axis of its rotation, default `z`.
        axis: Option<[f64; 3]>,
        /// Angle of its rotation (rad), default 0.
        #[serde(default)]
        angle: f64,
    },
    /// An endless solid cylinder.
    Cylinder {
        /// A point of its axis (m).
        point: [f64; 3],
        /// Direction of its axis.
        axis: [f64; 3],
        /// Radius (m), positive.
        radius: f64,
    },
    /// Everything outside of an endless cylinder.
    Tube {
        /// A point of its axis (m).
        point: [f64; 3],
        /// Direction of its axis.
        axis: [f64; 3],
        /// Radius (m), positive.
        radius: f64,
    },
    /// A thin cone between two circles, with grains on either side: with equal `radii` a pipe; with the same ends a
    /// ring in the horizontal plane, and with an inner radius of 0 a disc.
    Cone {
        /// Center of the first circle (m).
        from: [f64; 3],
        /// Center of the second circle (m).
        to: [f64; 3],
        /// Radii of the circles (m), ≥ 0.
        radii: [f64; 2],
    },
    /// Any shape of space of [`percussion_collision::Shape`] at a position.
    Solid {
        /// The shape.
        of: Shape,
        /// Position of its frame (m), default zero.
        #[serde(default)]
        position: [f64; 3],
        /// Axis of its rotation, default `z`.
        axis: Option<[f64; 3]>,
        /// Angle of its rotation (rad), default 0.
        #[serde(default)]
        angle: f64,
    },
    /// Fixed grains, which make rough ground: balls on a lattice that fills a box, each displaced at random.
    Spheres {
        /// Diameter of each (m), positive.
        diameter: f64,
        /// Lower corner of the box (m).
        low: [f64; 3],
        /// Upper corner of the box (m).
        high: [f64; 3],
        /// Minimum distance of neighbors before they are displaced, in diameters, positive; default 1. The lattice has as
        /// many layers along each edge as there is room for, but at least one, and fills it evenly.
        #[serde(default = "one")]
        pitch: f64,
        /// Maximum random displacement along each axis, in diameters, ≥ 0; default 0.25. Such balls may overlap.
        #[serde(default = "shake")]
        shake: f64,
        /// Seed of the displacements, default 1.
        #[serde(default = "seed")]
        seed: u64,
    },
    /// The triangles of a file (STL, binary or ASCII), thin, with grains on either side.
    Mesh {
        /// Path from the folder of the scene.
        file: String,
        /// Meters in one unit of the file, positive; default 1.
        #[serde(default = "one")]
        scale: f64,
        /// Position of its origin (m), default zero.
        #[serde(default)]
        position: [f64; 3],
        /// Axis of its rotation, default `z`.
        axis: Option<[f64; 3]>,
        /// Angle of its rotation (rad), default 0.
        #[serde(default)]
        angle: f64,
    },
}

fn one() -> f64 {
    1.0
}

const fn shake() -> f64 {
    0.25
}

/// A plane through `point`; `normal`, of any length but zero, points to the grains.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlaneOf {
    /// A point of it (m).
    pub point: [f64; 3],
    /// Its normal.
    pub normal: [f64; 3],
}

/// Grains that come in: exactly one of `lattice`, `random` and `stream`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Insertion {
    /// Name of their kind; not needed if there is only one.
    pub grains: Option<String>,
    /// A cubic lattice, layer by layer from below; places without room between the walls stay empty.
    pub lattice: Option<Lattice>,
    /// Places at random without overlaps.
    pub random: Option<Random>,
    /// One after another at random places without overlaps.
    pub stream: Option<Stream>,
    /// Where.
    pub region: Region,
    /// When (s), default 0; of a stream, when it begins.
    #[serde(default)]
    pub time: f64,
    /// Velocity (m/s), default zero.
    #[serde(default)]
    pub velocity: [f64; 3],
    /// Axis of the rotation of grains with a shape, default `z`.
    pub axis: Option<[f64; 3]>,
    /// Angle of that rotation (rad); by default 0 if `axis` is given, and without both every orientation is equally likely.
    pub angle: Option<f64>,
    /// Seed of the places, sizes and orientations, default 1.
    #[serde(default = "seed")]
    pub seed: u64,
}

fn seed() -> u64 {
    1
}

/// A cubic lattice; lengths in largest diameters.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Lattice {
    /// Distance of neighbors, default 1.05.
    pub pitch: f64,
    /// Maximum random displacement along each axis, at most `(pitch − 1)/2`; default 0.02.
    pub shake: f64,
    /// Number of grains, where it is not to be filled.
    pub count: Option<usize>,
}

impl Default for Lattice {
    fn default() -> Self {
        Self { pitch: 1.05, shake: 0.02, count: None }
    }
}

/// Places at random.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Random {
    /// Number of grains, which must find room within a thousand trials each.
    pub count: usize,
}

/// A stream.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stream {
    /// Grains a second, positive. One that finds no room within a hundred trials is left out and counted by
    /// [`Run::turned_away`](super::Run::turned_away).
    pub rate: f64,
    /// When it ends (s), default never.
    pub until: Option<f64>,
}

/// A box, a cylinder, or what is in both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Region {
    /// A box along the axes.
    #[serde(rename = "box")]
    pub block: Option<Block>,
    /// A cylinder.
    pub cylinder: Option<Round>,
}

/// A box along the axes.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Block {
    /// Lower corner (m).
    pub low: [f64; 3],
    /// Upper corner (m).
    pub high: [f64; 3],
}

/// A cylinder.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Round {
    /// One end of its axis (m).
    pub from: [f64; 3],
    /// The other end (m).
    pub to: [f64; 3],
    /// Radius (m), positive.
    pub radius: f64,
}

/// Which grains are taken out: those with their center there; exactly one of `behind` and `outside`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Removal {
    /// Behind this plane.
    pub behind: Option<PlaneOf>,
    /// Outside of this box.
    pub outside: Option<Block>,
    /// When, once (s); by default after every step.
    pub time: Option<f64>,
}

/// A change of gravity at a given time.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// When it happens (s), later than the change before it.
    pub time: f64,
    /// Gravitational acceleration from then on (m/s²).
    pub gravity: [f64; 3],
}

/// What is written, and how often.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Output {
    /// Seconds between pictures for `ParaView`, default none.
    pub pictures: Option<f64>,
    /// Seconds between checkpoints, default every 1000 steps.
    pub checkpoints: Option<f64>,
}
