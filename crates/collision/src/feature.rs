//! Names of the features of a shape that stay the same while it moves: [`Feature`].

/// A feature of a shape.
///
/// A pair of features, one of each body, identifies a gap function that is defined at any position of the bodies. A
/// contact found at one position can therefore be followed, and matched with that of the previous step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Feature {
    /// A vertex of the shape, rounded by its radius: the center of a sphere or disc (0), an end of a
    /// capsule or rod (0 on the positive axis, 1), a corner of a box (the sign of `x`, `y`, `z` in
    /// bits 0, 1, 2; set: positive), rectangle (counterclockwise from the smallest coordinates) or
    /// hull (index of its vertex), or one of the four fixed points of a rim of a cylinder (0 to 3 from
    /// `x` over `y`, top; 4 to 7 bottom).
    Vertex(usize),
    /// The lowest point of the rim of a cylinder (0 top, 1 bottom), which moves around it.
    Rim(usize),
    /// An edge of a box or hull (index of its [edge](crate::hull::Edge)), or the axis of a capsule or
    /// rod (0).
    Edge(usize),
    /// A flat face: that of a half-space (0), of a box (`2k` along axis `k`, `2k + 1` against it), of a
    /// hull (index of its [face](crate::hull::Face)), a cap of a cylinder (0 top, 1 bottom), a side of
    /// a rectangle (0 below, then counterclockwise) or of a rod in the plane (0 along `y`, 1 against
    /// it).
    Face(usize),
    /// The surface as a whole, at its point nearest to the other feature.
    ///
    /// Inside a solid the nearest face is used: of equally near ones the first, a cap before the side. At the center
    /// of a sphere the normal is the `z` axis of its frame (of a disc `y`). On the axis of a capsule, rod or
    /// cylinder it is the next axis of its frame after that axis in the order x, y, z, x.
    Whole,
}
