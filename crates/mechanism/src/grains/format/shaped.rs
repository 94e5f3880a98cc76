//! The fields that give grains a shape.

use serde::Deserialize;

/// The shape of grains, in any unit of length if their `diameter` or `sizes` are given, else in m. Its position does not
/// matter: grains are where their centers of mass are.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum GrainShape {
    /// Balls that form one rigid body; where they overlap, the matter counts once.
    Clump {
        /// Center and radius of each, at most 64, each of which overlaps or touches another, so that they hang together.
        balls: Vec<[f64; 4]>,
    },
    /// A box.
    Box {
        /// Its edges, positive.
        size: [f64; 3],
    },
    /// A convex polyhedron: the hull of `points`, or of the corners of a `file`.
    Polyhedron {
        /// Points whose hull has a volume and at most 128 corners.
        points: Option<Vec<[f64; 3]>>,
        /// Path from the folder of the scene of a closed surface of triangles (STL, binary or ASCII).
        file: Option<String>,
        /// Factor on the points or corners, positive; default 1.
        #[serde(default = "super::one")]
        scale: f64,
    },
}
