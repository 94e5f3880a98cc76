//! The data of a page that plays motions: [`View`], a documented JSON format.
//!
//! A view holds the bodies of a mechanism, its fixed planes and any number of [`Motion`]s of them: one
//! of a simulation, one a law where laws are compared, one a sample where the outcome of an impact is a
//! set. [`of_trajectory`] makes one of a simulation by any scheme of time stepping, [`of_event_motion`] one of an
//! event-driven simulation, [`ImpactStage`] one of the outcomes of an impact, [`GrainFilm`] one of grains by the
//! thousand; an integrator of your own fills the fields, for which [`pose`] helps. `percussion-report` writes the
//! page that plays it.
//!
//! Pages stay small: of long motions every second, third, … time is kept, so that there are at most [`FRAME_LIMIT`]
//! times and [`ENTRY_LIMIT`] places of bodies and contacts, with the impulses of all steps added up; of grains at
//! most [`GRAIN_FRAME_LIMIT`] times and [`GRAIN_LIMIT`] grains.
//!
//! # Format
//!
//! One JSON object; fields are added, never renamed. SI units, angles in radians, world axes; in the
//! plane `z` is 0, in space `z` points up.
//!
//! | field | value |
//! | --- | --- |
//! | `format` | [`FORMAT`] |
//! | `title`, `caption` | for people |
//! | `dimension` | `"plane"` or `"space"` |
//! | `bodies` | what moves, and behind it what is fixed and no plane: a list of `name` and `solids`, each `{"kind": "ball", "center", "radius"}`, `{"kind": "capsule", "ends", "radius"}`, `{"kind": "polygon", "corners"}`, `{"kind": "box", "half_edges", "center"}`, `{"kind": "cylinder", "ends", "radius"}`, or `"tube"` for its inner side, or `{"kind": "polyhedron", "corners", "faces"}`, in the frame of the body |
//! | `planes` | a list of `name`, `point`, `normal`; the solid is on the side that the normal leaves |
//! | `contacts` | a name for each contact |
//! | `motions` | a list of [`Motion`]s |
//! | `sets` | for sets of outcomes a list of [`SetPlane`]s |
//!
//! A motion has `name`, `sample` (its number where it is one of a set, else `null`), `times` (s, not
//! decreasing), `poses` (for each time the poses of all bodies one after the other: `x`, `y`, angle in
//! the plane; `x`, `y`, `z` and a unit quaternion, `w` first, in space), `touches` (for each time a list
//! of `contact`, `point`, `impulse` (N·s, on the first partner, since the time before) and `mode`:
//! `stick`, `slide` or `separate`), `curves` (a list of `chart`, `label`, `unit` and `values`, one a
//! time) and `after` (for each contact sliding and separation after an impact, m/s; empty otherwise). In space
//! sliding is that along the first tangent.
//!
//! A motion of grains has besides them `grains`: `corners` (two, m) of a box, `radii` (m; base64 of little-endian
//! 32-bit floats) and `places` (base64 of little-endian unsigned 16-bit integers: for each time, for each grain `x`, `y`
//! and `z` from the first corner, 0, to the second, 65534; 65535 while the grain is not there).
//!
//! # Example
//!
//! ```
//! use percussion_scenarios::{Scenario, view};
//!
//! let mut scenario = Scenario::named("stewart-trinkle/rod-on-table")?;
//! scenario.duration = 0.1;
//! let trajectory = scenario.simulate(&mut |_fraction| ())?;
//! let view = view::of_trajectory(&scenario, &trajectory)?;
//! let motion = &view.motions[0];
//! assert_eq!(motion.times.first(), Some(&0.0));
//! assert!((f64::from(motion.poses[0][1]) - 1.0).abs() < 1e-6); // the rod starts 1 m up
//! # Ok::<(), percussion_scenarios::Error>(())
//! ```

use nalgebra::{Isometry3, Vector3};
use percussion_dynamics::{Dimension, System};
use serde::{Deserialize, Serialize};

use crate::scenario::Space;

mod grains;
mod impact;
mod solids;
mod trajectory;

pub use grains::{GRAIN_FRAME_LIMIT, GRAIN_LIMIT, GrainFilm, Grains};
pub use impact::ImpactStage;
pub use trajectory::{ENTRY_LIMIT, FRAME_LIMIT, of_event_motion, of_trajectory};

/// Name and version of the format.
pub const FORMAT: &str = "percussion-view/1";

/// What a page plays; the [module head](self) describes the format.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct View {
    /// [`FORMAT`].
    pub format: String,
    /// One line for people.
    pub title: String,
    /// A sentence or two for people: where it comes from and what is simplified.
    pub caption: String,
    /// Plane or space.
    pub dimension: Space,
    /// The bodies, in the order of the poses.
    pub bodies: Vec<BodyView>,
    /// Fixed planes.
    pub planes: Vec<PlaneView>,
    /// A name for each contact.
    pub contacts: Vec<String>,
    /// What is played.
    pub motions: Vec<Motion>,
    /// Where the outcome of an impact is a set: the set, contact by contact.
    pub sets: Vec<SetPlane>,
}

/// A body as it is drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BodyView {
    /// Name.
    pub name: String,
    /// What it consists of, possibly nothing.
    pub solids: Vec<Solid>,
}

/// A part of a body, in the frame of the body (m).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Solid {
    /// A ball; in the plane a disc.
    Ball {
        /// Center.
        center: [f64; 3],
        /// Radius, at least 0.
        radius: f64,
    },
    /// All that is within `radius` of the segment between the `ends`.
    Capsule {
        /// Ends of the segment.
        ends: [[f64; 3]; 2],
        /// Radius, at least 0.
        radius: f64,
    },
    /// A polygon, in the plane.
    Polygon {
        /// Its corners in order.
        corners: Vec<[f64; 2]>,
    },
    /// A cuboid along the axes of the body, in space.
    Box {
        /// Half of each edge.
        half_edges: [f64; 3],
        /// Its center.
        #[serde(default)]
        center: [f64; 3],
    },
    /// A solid cylinder, in space.
    Cylinder {
        /// Ends of its axis.
        ends: [[f64; 3]; 2],
        /// Radius, positive.
        radius: f64,
    },
    /// A convex polyhedron, in space.
    Polyhedron {
        /// Its corners.
        corners: Vec<[f64; 3]>,
        /// For each face the indices of its corners, counterclockwise seen from outside.
        faces: Vec<Vec<usize>>,
    },
    /// The inner side of a cylinder without its ends, in space.
    Tube {
        /// Ends of its axis.
        ends: [[f64; 3]; 2],
        /// Radius, positive.
        radius: f64,
    },
}

/// A fixed plane as it is drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlaneView {
    /// Name.
    pub name: String,
    /// A point of it (m).
    pub point: [f64; 3],
    /// Outward unit normal.
    pub normal: [f64; 3],
}

/// A motion, time by time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Motion {
    /// Name, such as that of a law.
    pub name: String,
    /// Number of the sample, where it is one of a set.
    pub sample: Option<u64>,
    /// Times (s), not decreasing; at one that stands twice something happens at once.
    pub times: Vec<f64>,
    /// For each time the poses of all bodies, as [`pose`] writes them; seven digits are enough to draw.
    pub poses: Vec<Vec<f32>>,
    /// For each time what touches.
    pub touches: Vec<Vec<Touch>>,
    /// What is plotted over the times.
    pub curves: Vec<Curve>,
    /// For each contact sliding and separation after an impact (m/s); empty for other motions.
    pub after: Vec<[f64; 2]>,
    /// Balls besides the bodies, with places for each time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grains: Option<Grains>,
}

/// A contact that takes part.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Touch {
    /// Index of the contact.
    pub contact: usize,
    /// Where (m, world).
    pub point: [f32; 3],
    /// Impulse on the first partner since the time before (N·s, world).
    pub impulse: [f32; 3],
    /// What the surfaces do there.
    pub mode: Mode,
}

/// What the surfaces do at a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// No relative velocity.
    Stick,
    /// They slide along each other.
    Slide,
    /// They part.
    Separate,
}

impl Mode {
    /// The mode of a contact with the velocity `separation` along the normal and the speed `sliding`
    /// along the tangents, where up to `threshold` (all in m/s) counts as zero.
    #[must_use]
    pub fn of(separation: f64, sliding: f64, threshold: f64) -> Self {
        if separation > threshold {
            Self::Separate
        } else if sliding > threshold {
            Self::Slide
        } else {
            Self::Stick
        }
    }
}

/// A curve of a chart; curves of the same chart are drawn together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// Title of the chart, such as `energy`.
    pub chart: String,
    /// Name of the curve.
    pub label: String,
    /// Unit of the values.
    pub unit: String,
    /// One value a time of the motion.
    pub values: Vec<f64>,
}

/// Outcomes of an impact as sliding against separation of one contact (m/s).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SetPlane {
    /// Index of the contact.
    pub contact: usize,
    /// Corners of the convex hull of all outcomes, in order.
    pub hull: Vec<[f64; 2]>,
    /// One outcome in each of the cells that were reached.
    pub outcomes: Vec<[f64; 2]>,
}

/// Appends the pose of every body of `system` at `coordinates`: `x`, `y`, angle in the plane; `x`, `y`,
/// `z` and the unit quaternion, `w` first, in space.
#[must_use]
pub fn pose(system: &dyn System, coordinates: &[f64]) -> Vec<f32> {
    let all = (0..system.body_count()).map(|body| system.pose(coordinates, body));
    all.flat_map(|pose| pose_of(&pose, system.dimension())).collect()
}

/// One pose as [`pose`] writes it.
fn pose_of(pose: &Isometry3<f64>, dimension: Dimension) -> Vec<f32> {
    let (place, turn) = (pose.translation.vector, pose.rotation);
    match dimension {
        Dimension::Plane => {
            let angle = 2.0 * f64::atan2(turn.k, turn.w);
            vec![single(place.x), single(place.y), single(angle)]
        }
        Dimension::Space => {
            [place.x, place.y, place.z, turn.w, turn.i, turn.j, turn.k].map(single).to_vec()
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "seven digits are enough to draw")]
fn single(value: f64) -> f32 {
    value as f32
}

fn singles(vector: &Vector3<f64>) -> [f32; 3] {
    [single(vector.x), single(vector.y), single(vector.z)]
}

/// A vector of the plane or of space as one of space.
fn triple(vector: &[f64]) -> [f64; 3] {
    let entry = |index: usize| vector.get(index).copied().unwrap_or_default();
    [entry(0), entry(1), entry(2)]
}

fn plane_view(plane: &crate::scenario::Plane) -> PlaneView {
    let normal = Vector3::from(triple(&plane.normal));
    // Scaled first so that no square overflows or underflows.
    let normal = (normal / normal.amax()).normalize();
    PlaneView { name: plane.name.clone(), point: triple(&plane.point), normal: normal.into() }
}
