//! The data of a page that plays motions: [`View`], a documented JSON format.
//!
//! A view holds the bodies of a mechanism, its fixed planes and any number of [`Motion`]s of them: one
//! of a simulation, one a law where laws are compared, one a sample where the outcome of an impact is a
//! set. It is plain data: anything that moves bodies can fill it in. `percussion-report` writes the page that
//! plays it.
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
//! use percussion_record::view::{BodyView, Dimension, FORMAT, Motion, Solid, View};
//!
//! // A disc rolls 2 m without slip: with a radius of 0.5 m it turns by 4 rad, clockwise.
//! let disc = Solid::Ball { center: [0.0; 3], radius: 0.5 };
//! let motion = Motion {
//!     name: "rolling".into(),
//!     times: vec![0.0, 1.0],
//!     poses: vec![vec![0.0, 0.5, 0.0], vec![2.0, 0.5, -4.0]],
//!     touches: vec![Vec::new(); 2],
//!     ..Motion::default()
//! };
//! let view = View {
//!     format: FORMAT.into(),
//!     title: "A disc rolls".into(),
//!     caption: String::new(),
//!     dimension: Dimension::Plane,
//!     bodies: vec![BodyView { name: "disc".into(), solids: vec![disc] }],
//!     planes: Vec::new(),
//!     contacts: Vec::new(),
//!     motions: vec![motion],
//!     sets: Vec::new(),
//! };
//! let text = serde_json::to_string(&view)?;
//! assert!(text.contains(r#""dimension":"plane""#) && text.contains(r#""poses":[[0.0,0.5,0.0]"#));
//! assert_eq!(serde_json::from_str::<View>(&text)?, view);
//! # Ok::<(), serde_json::Error>(())
//! ```

use serde::{Deserialize, Serialize};

mod base64;
mod grains;

pub use grains::Grains;

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
    pub dimension: Dimension,
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

/// Where the bodies of a [`View`] move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dimension {
    /// In the x–y plane.
    Plane,
    /// In space.
    Space,
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
    /// For each time the poses of all bodies one after the other: `x`, `y`, angle in the plane; `x`, `y`, `z` and
    /// the unit quaternion, `w` first, in space (m, rad). Seven digits are enough to draw.
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
