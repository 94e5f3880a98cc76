//! The plane of the picture: the plane of motion itself, or space seen from the front and a little from above.

use percussion_record::view::{Dimension, Motion, Solid, View};

/// Sine and cosine of the elevation of the eye, 24°.
const ELEVATION: (f64, f64) = (0.406_736_643_075_8, 0.913_545_457_642_6);

/// A parallel projection.
pub(super) struct Projection {
    dimension: Dimension,
}

impl Projection {
    pub(super) const fn new(dimension: Dimension) -> Self {
        Self { dimension }
    }

    /// Numbers per body in a list of poses.
    pub(super) const fn stride(&self) -> usize {
        match self.dimension {
            Dimension::Plane => 3,
            Dimension::Space => 7,
        }
    }

    /// The place of a point in the picture (m), to the right and up.
    pub(super) fn place(&self, [x, y, z]: [f64; 3]) -> [f64; 2] {
        match self.dimension {
            Dimension::Plane => [x, y],
            Dimension::Space => [x, ELEVATION.0 * y + ELEVATION.1 * z],
        }
    }

    /// Opposite corners of a floor with room around all places of the bodies, in `x` and `y` (m).
    pub(super) fn floor(&self, view: &View) -> [[f64; 2]; 2] {
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        let poses = view.motions.iter().flat_map(|motion| &motion.poses);
        for pose in poses.flat_map(|poses| poses.chunks_exact(self.stride())) {
            for axis in 0..2 {
                low[axis] = low[axis].min(pose[axis].into());
                high[axis] = high[axis].max(pose[axis].into());
            }
        }
        let room = view.bodies.iter().map(|body| reach(&body.solids)).fold(0.0, f64::max);
        [low.map(|value| value - 2.0 * room), high.map(|value| value + 2.0 * room)]
    }
}

/// The part of the picture that holds all bodies at all times.
pub(super) struct Bounds {
    low: [f64; 2],
    high: [f64; 2],
}

impl Bounds {
    pub(super) fn new<'a>(
        view: &View,
        projection: &Projection,
        motions: impl Iterator<Item = &'a Motion>,
    ) -> Self {
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        let reaches: Vec<f64> = view.bodies.iter().map(|body| reach(&body.solids)).collect();
        for poses in motions.flat_map(|motion| &motion.poses) {
            for (pose, reach) in poses.chunks_exact(projection.stride()).zip(&reaches) {
                let height = if projection.stride() == 3 { 0.0 } else { pose[2] };
                let place = projection.place([pose[0], pose[1], height].map(f64::from));
                for axis in 0..2 {
                    low[axis] = low[axis].min(place[axis] - reach);
                    high[axis] = high[axis].max(place[axis] + reach);
                }
            }
        }
        Self { low, high }
    }

    /// Width and height with some room (m).
    pub(super) fn size(&self) -> [f64; 2] {
        [0, 1].map(|axis| (1.08 * (self.high[axis] - self.low[axis])).max(1e-9))
    }

    pub(super) fn middle(&self) -> [f64; 2] {
        [0, 1].map(|axis| 0.5 * (self.low[axis] + self.high[axis]))
    }
}

/// Radius of the circle about the origin of a body that holds its solids (m).
fn reach(solids: &[Solid]) -> f64 {
    let norm = |point: &[f64; 3]| point[0].hypot(point[1]).hypot(point[2]);
    let of = |solid: &Solid| match solid {
        Solid::Ball { center, radius } => norm(center) + radius,
        Solid::Capsule { ends: [a, b], radius } => norm(a).max(norm(b)) + radius,
        Solid::Polygon { corners } => corners.iter().map(|[x, y]| x.hypot(*y)).fold(0.0, f64::max),
        Solid::Box { half_edges, center } => norm(center) + norm(half_edges),
        _ => 0.0,
    };
    solids.iter().map(of).fold(0.0, f64::max)
}
