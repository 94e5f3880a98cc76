//! The data of a page that plays motions: [`View`], a documented JSON format.
//!
//! A view holds the bodies of a mechanism, its fixed planes and any number of [`Motion`]s of them: one of a
//! simulation, one per law where laws are compared, one per sample where the outcome of an impact is a set. It is
//! plain data that any program that moves bodies can fill in. `percussion-report` writes the page that plays it.
//!
//! # Format
//!
//! A view is one JSON object. Later versions may add fields but do not rename any. Units are SI, angles are in
//! radians, axes are those of the world; in the plane `z` is 0, in space `z` points up.
//!
//! | field | value |
//! | --- | --- |
//! | `format` | [`FORMAT`] |
//! | `title`, `caption` | text for readers |
//! | `dimension` | `"plane"` or `"space"` |
//! | `bodies` | the moving bodies, followed by the fixed ones that are not planes: a list of `name` and `solids`, each `{"kind": "ball", "center", "radius"}`, `{"kind": "capsule", "ends", "radius"}`, `{"kind": "polygon", "corners"}`, `{"kind": "box", "half_edges", "center"}`, `{"kind": "cylinder", "ends", "radius"}`, or `"tube"` for its inner side, or `{"kind": "polyhedron", "corners", "faces"}`, in the frame of the body |
//! | `planes` | a list of `name`, `point`, `normal`; the solid is on the side opposite to the normal |
//! | `contacts` | a name for each contact |
//! | `motions` | a list of [`Motion`]s |
//! | `sets` | for sets of outcomes a list of [`SetPlane`]s |
//!
//! A motion has `name`, `sample` (its number where it is one of a set, else `null`), `times` (s, not decreasing),
//! `poses` (for each time the poses of all bodies in sequence: `x`, `y`, angle in the plane; `x`, `y`, `z` and a
//! unit quaternion, `w` first, in space), `touches` (for each time a list of `contact`, `point`, `impulse` (N·s, on
//! the first partner, since the previous time) and `mode`: `stick`, `slide` or `separate`), `curves` (a list of
//! `chart`, `label`, `unit` and `values`, one per time) and `after` (for each contact the sliding and the separation
//! velocity after an impact, m/s; empty otherwise). In space the sliding velocity is the component along the first
//! tangent.
//!
//! A motion of grains also has `grains`: `corners` (two, m) of a box, `radii` (m; base64 of little-endian 32-bit
//! floats) and `places` (base64 of little-endian unsigned 16-bit integers). The places are, for each time and each
//! grain, `x`, `y` and `z` on a scale from the first corner, 0, to the second, 65534; they are 65535 while the grain
//! is not present. Grains that are no balls have `shapes`: `solids` (for each shape a list of solids about the center of a grain of
//! radius 1 m), `kinds` (the shape of each grain) and `turns` (base64 of little-endian signed 16-bit integers: for each time
//! and each grain 32 767 times a unit quaternion, `w` first).
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
mod shapes;

pub use grains::Grains;
pub use shapes::Shapes;

/// Name and version of the format.
pub const FORMAT: &str = "percussion-view/1";

/// The data of a page that plays motions; the [module head](self) describes the format.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct View {
    /// [`FORMAT`].
    pub format: String,
    /// A title of one line.
    pub title: String,
    /// A caption of one or two sentences: the origin of the data and its simplifications.
    pub caption: String,
    /// Whether the motion is in the plane or in space.
    pub dimension: Dimension,
    /// The bodies, in the order of the poses.
    pub bodies: Vec<BodyView>,
    /// Fixed planes.
    pub planes: Vec<PlaneView>,
    /// A name for each contact.
    pub contacts: Vec<String>,
    /// The motions.
    pub motions: Vec<Motion>,
    /// The set of outcomes for each contact, if the outcome of an impact is a set.
    pub sets: Vec<SetPlane>,
}

/// The space in which the bodies of a [`View`] move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dimension {
    /// In the x–y plane.
    Plane,
    /// In space.
    Space,
}

/// A body in the form in which it is drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BodyView {
    /// Name.
    pub name: String,
    /// Its solids; the list may be empty.
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
    /// All points within `radius` of the segment between the `ends`.
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
    /// A box along the axes of the body, in space.
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
    /// The inner surface of a cylinder without its ends, in space.
    Tube {
        /// Ends of its axis.
        ends: [[f64; 3]; 2],
        /// Radius, positive.
        radius: f64,
    },
}

/// A fixed plane in the form in which it is drawn.
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
    /// Name, such as the name of a law.
    pub name: String,
    /// Number of the sample, if the motion is one of a set.
    pub sample: Option<u64>,
    /// Times (s), not decreasing; a time that occurs twice marks an instantaneous event.
    pub times: Vec<f64>,
    /// For each time the poses of all bodies in sequence: `x`, `y`, angle in the plane; `x`, `y`, `z` and the unit
    /// quaternion, `w` first, in space (m, rad). Seven digits are enough for drawing.
    pub poses: Vec<Vec<f32>>,
    /// For each time the active contacts.
    pub touches: Vec<Vec<Touch>>,
    /// The curves that are plotted over time.
    pub curves: Vec<Curve>,
    /// For each contact the sliding and the separation velocity after an impact (m/s); empty for other motions.
    pub after: Vec<[f64; 2]>,
    /// Balls in addition to the bodies, with positions for each time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grains: Option<Grains>,
}

/// An active contact.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Touch {
    /// Index of the contact.
    pub contact: usize,
    /// Position (m, world).
    pub point: [f32; 3],
    /// Impulse on the first partner since the previous time (N·s, world).
    pub impulse: [f32; 3],
    /// Relative motion of the surfaces.
    pub mode: Mode,
}

/// The relative motion of the surfaces at a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// No relative velocity.
    Stick,
    /// They slide along each other.
    Slide,
    /// They separate.
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
    /// One value per time of the motion.
    pub values: Vec<f64>,
}

/// Outcomes of an impact: the sliding and the separation velocity of one contact (m/s).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SetPlane {
    /// Index of the contact.
    pub contact: usize,
    /// Corners of the convex hull of all outcomes, in order.
    pub hull: Vec<[f64; 2]>,
    /// One outcome for each cell that was reached.
    pub outcomes: Vec<[f64; 2]>,
}
