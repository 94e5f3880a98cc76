//! Shapes in the form used by the pair functions: a core of points, faces and edges, rounded by a radius.

use std::sync::Arc;

use nalgebra::{Isometry3, Matrix3, Point3, Vector2, Vector3};
use percussion_dynamics::Dimension;

use crate::{
    feature::Feature,
    hull::Hull,
    lengths::{ON_SURFACE, unit},
    shape::Shape,
};

/// If the axis of a rim is within this angle (rad) of the normal of a plane, the rim has no unique lowest point: the
/// direction to it has lost half of its digits.
const UPRIGHT: f64 = 1e-8;

/// A checked [`Shape`].
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Solid {
    /// One rounded vertex. `fallback` is the normal if the other center coincides with its own.
    Ball { radius: f64, fallback: Vector3<f64> },
    /// All points behind a plane through the origin.
    HalfSpace { normal: Vector3<f64> },
    /// The segment from `−half` to `half`, rounded.
    Capsule { half: Vector3<f64>, radius: f64 },
    /// A cylinder about the `z` axis.
    Cylinder { half_height: f64, radius: f64 },
    /// A box or a hull.
    Polytope(Arc<Hull>),
    /// A rectangle in the plane.
    Rectangle { half: Vector2<f64> },
}

/// The bounding box of a solid along the axes of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Aabb {
    pub(crate) low: Vector3<f64>,
    pub(crate) high: Vector3<f64>,
}

impl Aabb {
    /// The box with each side moved outward by `margin`.
    pub(crate) fn grown(&self, margin: f64) -> Self {
        let margin = Vector3::repeat(margin);
        Self { low: self.low - margin, high: self.high + margin }
    }

    /// Whether a point of the box is at most at the level `offset` (m) along the unit vector `normal`, up to rounding.
    pub(crate) fn reaches_below(&self, normal: &Vector3<f64>, offset: f64) -> bool {
        let size = |k: usize| normal[k].abs() * self.low[k].abs().max(self.high[k].abs());
        let sizes = size(0) + size(1) + size(2) + offset.abs();
        self.lowest(normal) <= offset + 16.0 * f64::EPSILON * sizes
    }

    /// The level of the lowest point of the box along the unit vector `normal` (m).
    pub(crate) fn lowest(&self, normal: &Vector3<f64>) -> f64 {
        let lowest = |k: usize| (normal[k] * self.low[k]).min(normal[k] * self.high[k]);
        lowest(0) + lowest(1) + lowest(2)
    }

    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        (0..3).all(|k| self.low[k] <= other.high[k] && other.low[k] <= self.high[k])
    }
}

impl From<&Shape> for Solid {
    fn from(shape: &Shape) -> Self {
        match shape {
            Shape::Sphere { radius } => Self::Ball { radius: *radius, fallback: Vector3::z() },
            Shape::Disc { radius } => Self::Ball { radius: *radius, fallback: Vector3::y() },
            Shape::HalfSpace { normal } => {
                Self::HalfSpace { normal: unit(normal).unwrap_or_else(Vector3::z) }
            }
            Shape::Capsule { half_length, radius } => {
                Self::Capsule { half: Vector3::z() * *half_length, radius: *radius }
            }
            Shape::Cylinder { half_height, radius } => {
                Self::Cylinder { half_height: *half_height, radius: *radius }
            }
            Shape::Hull(hull) => Self::Polytope(Arc::clone(hull)),
            Shape::Box { half_extents } => Self::Polytope(Arc::new(Hull::cuboid(half_extents))),
            Shape::Rod { length, radius } => {
                Self::Capsule { half: Vector3::x() * (0.5 * length), radius: *radius }
            }
            Shape::Rectangle { half_extents } => Self::Rectangle { half: *half_extents },
        }
    }
}

impl Solid {
    /// Position in the order of shapes: the pair functions take the simpler shape first.
    pub(crate) fn rank(&self) -> usize {
        match self {
            Self::Ball { .. } => 0,
            Self::Capsule { .. } => 1,
            Self::Cylinder { .. } => 2,
            Self::Rectangle { .. } | Self::Polytope(_) => 3,
            Self::HalfSpace { .. } => 4,
        }
    }

    /// Radius by which the core is rounded (m).
    pub(crate) fn rounding(&self) -> f64 {
        match self {
            Self::Ball { radius, .. } | Self::Capsule { radius, .. } => *radius,
            _ => 0.0,
        }
    }

    /// Number of vertices of the core. A cylinder has four fixed points on each rim.
    pub(crate) fn vertex_count(&self) -> usize {
        match self {
            Self::Ball { .. } => 1,
            Self::HalfSpace { .. } => 0,
            Self::Capsule { .. } => 2,
            Self::Cylinder { .. } => 8,
            Self::Polytope(hull) => hull.vertices().len(),
            Self::Rectangle { .. } => 4,
        }
    }

    /// Vertex `index` of the core.
    pub(crate) fn vertex(&self, index: usize) -> Vector3<f64> {
        match self {
            Self::Ball { .. } | Self::HalfSpace { .. } => Vector3::zeros(),
            Self::Capsule { half, .. } => {
                if index == 0 {
                    *half
                } else {
                    -half
                }
            }
            Self::Cylinder { half_height, radius } => {
                let [x, y] = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]][index % 4];
                let z = if index < 4 { *half_height } else { -half_height };
                Vector3::new(radius * x, radius * y, z)
            }
            Self::Polytope(hull) => hull.vertices().get(index).copied().unwrap_or_default(),
            Self::Rectangle { half } => {
                let [x, y] = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]][index % 4];
                Vector3::new(x * half.x, y * half.y, 0.0)
            }
        }
    }

    /// Number of faces. In the plane a rod has its two straight sides.
    pub(crate) fn face_count(&self, dimension: Dimension) -> usize {
        match self {
            Self::Ball { .. } => 0,
            Self::HalfSpace { .. } => 1,
            Self::Capsule { .. } => {
                if dimension == Dimension::Plane {
                    2
                } else {
                    0
                }
            }
            Self::Cylinder { .. } => 2,
            Self::Polytope(hull) => hull.faces().len(),
            Self::Rectangle { .. } => 4,
        }
    }

    /// Whether there is such a feature.
    pub(crate) fn has(&self, feature: Feature, dimension: Dimension) -> bool {
        match feature {
            Feature::Whole => true,
            Feature::Vertex(index) => index < self.vertex_count(),
            Feature::Face(index) => index < self.face_count(dimension),
            Feature::Rim(index) => matches!(self, Self::Cylinder { .. }) && index < 2,
            Feature::Edge(index) => match self {
                Self::Capsule { .. } => index == 0,
                Self::Polytope(hull) => index < hull.edges().len(),
                _ => false,
            },
        }
    }

    /// Outward normal and offset of the plane of face `index`, rounding included.
    pub(crate) fn face(&self, index: usize) -> (Vector3<f64>, f64) {
        let sign = if index.is_multiple_of(2) { 1.0 } else { -1.0 };
        match self {
            Self::Ball { radius, fallback } => (*fallback, *radius),
            Self::HalfSpace { normal } => (*normal, 0.0),
            Self::Capsule { half, radius } => (sign * across(half), *radius),
            Self::Cylinder { half_height, .. } => (sign * Vector3::z(), *half_height),
            Self::Polytope(hull) => {
                hull.faces().get(index).map_or((Vector3::z(), 0.0), |f| (f.normal, f.offset))
            }
            Self::Rectangle { half } => match index % 4 {
                0 => (-Vector3::y(), half.y),
                1 => (Vector3::x(), half.x),
                2 => (Vector3::y(), half.y),
                _ => (-Vector3::x(), half.x),
            },
        }
    }

    /// Whether `point` is over face `index`: its projection on the plane of the face is in the face or within
    /// `slack` of it.
    pub(crate) fn is_over(&self, index: usize, point: &Vector3<f64>, slack: f64) -> bool {
        match self {
            Self::Ball { .. } => false,
            Self::HalfSpace { .. } => true,
            Self::Capsule { half, .. } => {
                point.dot(half).abs() <= (half.norm() + slack) * half.norm()
            }
            Self::Cylinder { radius, .. } => point.xy().norm() <= radius + slack,
            Self::Polytope(hull) => hull.faces().get(index).is_some_and(|face| {
                let next = face.vertices.iter().cycle().skip(1);
                face.vertices.iter().zip(next).all(|(&a, &b)| {
                    let (a, b) = (hull.vertices()[a], hull.vertices()[b]);
                    let outward = (b - a).cross(&face.normal);
                    (point - a).dot(&outward) <= slack * outward.norm()
                })
            }),
            Self::Rectangle { half } => {
                let along = if index.is_multiple_of(2) { 0 } else { 1 };
                point[along].abs() <= half[along] + slack
            }
        }
    }

    /// The farthest point of the core along `direction`.
    pub(crate) fn core_support(&self, direction: &Vector3<f64>) -> Vector3<f64> {
        match self {
            Self::Capsule { half, .. } => {
                if half.dot(direction) < 0.0 {
                    -half
                } else {
                    *half
                }
            }
            Self::Cylinder { half_height, radius } => {
                let across = direction.xy().try_normalize(0.0).unwrap_or_default() * *radius;
                let z = if direction.z < 0.0 { -half_height } else { *half_height };
                Vector3::new(across.x, across.y, z)
            }
            Self::Polytope(hull) => hull.vertices()[hull.support(direction)],
            _ => Vector3::zeros(),
        }
    }

    /// Signed distance of `point` from the surface and the outward normal there; the surface point is
    /// `point − distance · normal`.
    ///
    /// Inside, the nearest face is used: of equally near ones the first, a cylinder's cap before its side. At the
    /// center of a ball the normal is `z` (of a disc `y`). On the axis of a capsule or a cylinder it is the next
    /// axis of its frame after the axis of symmetry in the order x, y, z, x.
    pub(crate) fn signed_distance(&self, point: &Vector3<f64>) -> (f64, Vector3<f64>) {
        match self {
            Self::Ball { radius, fallback } => rounded(point, *radius, fallback),
            Self::HalfSpace { normal } => (normal.dot(point), *normal),
            Self::Capsule { half, radius } => {
                let along = (point.dot(half) / half.norm_squared()).clamp(-1.0, 1.0);
                rounded(&(point - along * half), *radius, &across(half))
            }
            Self::Cylinder { half_height, radius } => {
                let distance = point.xy().norm();
                let outward = if distance > ON_SURFACE * radius {
                    Vector3::new(point.x / distance, point.y / distance, 0.0)
                } else {
                    Vector3::x()
                };
                let up = if point.z < 0.0 { -Vector3::z() } else { Vector3::z() };
                corner([(point.z.abs() - half_height, up), (distance - radius, outward)], *radius)
            }
            Self::Rectangle { half } => {
                let axis = |k: usize| {
                    let sign = if point[k] < 0.0 { -1.0 } else { 1.0 };
                    (point[k].abs() - half[k], Vector3::ith(k, sign))
                };
                corner([axis(0), axis(1)], half.max())
            }
            Self::Polytope(hull) => hull.signed_distance(point),
        }
    }

    /// Maximum distance of a point of the solid from the origin of its frame (m); 0 for a half-space.
    pub(crate) fn size(&self) -> f64 {
        let core = match self {
            Self::Ball { .. } | Self::HalfSpace { .. } => 0.0,
            Self::Capsule { half, .. } => half.norm(),
            Self::Cylinder { half_height, radius } => half_height.hypot(*radius),
            Self::Polytope(hull) => hull.vertices().iter().map(|v| v.norm()).fold(0.0, f64::max),
            Self::Rectangle { half } => half.norm(),
        };
        core + self.rounding()
    }

    /// The bounding box of the solid, or `None` for a half-space, which has none.
    pub(crate) fn aabb(&self, pose: &Isometry3<f64>) -> Option<Aabb> {
        let center = pose.translation.vector;
        let about = |half: Vector3<f64>| Aabb { low: center - half, high: center + half };
        match self {
            Self::HalfSpace { .. } => None,
            Self::Cylinder { half_height, radius } => {
                // A disc with the unit normal a extends by r √(1 − a_k²) along axis k.
                let axis = pose.rotation * Vector3::z();
                let half =
                    axis.map(|a| half_height * a.abs() + radius * (1.0 - a * a).max(0.0).sqrt());
                Some(about(half))
            }
            _ => {
                let rounding = Vector3::repeat(self.rounding());
                let mut low = Vector3::repeat(f64::INFINITY);
                let mut high = -low;
                for index in 0..self.vertex_count() {
                    let vertex = (pose * Point3::from(self.vertex(index))).coords;
                    (low, high) = (low.inf(&vertex), high.sup(&vertex));
                }
                Some(Aabb { low: low - rounding, high: high + rounding })
            }
        }
    }
}

/// A solid at its pose in the world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed<'a> {
    pub(crate) solid: &'a Solid,
    pub(crate) pose: Isometry3<f64>,
    /// The axes of the frame of the solid in the world, as columns.
    pub(crate) axes: Matrix3<f64>,
}

impl<'a> Placed<'a> {
    pub(crate) fn new(solid: &'a Solid, pose: Isometry3<f64>) -> Self {
        Self { solid, pose, axes: pose.rotation.to_rotation_matrix().into_inner() }
    }
}

impl Placed<'_> {
    /// Vertex `index` of the core in the world.
    pub(crate) fn vertex(&self, index: usize) -> Vector3<f64> {
        self.point(&self.solid.vertex(index))
    }

    /// Outward normal and offset of the plane of face `index` in the world.
    pub(crate) fn face(&self, index: usize) -> (Vector3<f64>, f64) {
        let (normal, offset) = self.solid.face(index);
        let normal = self.pose.rotation * normal;
        (normal, offset + normal.dot(&self.pose.translation.vector))
    }

    /// Whether the world point `point` is over face `index`.
    pub(crate) fn is_over(&self, index: usize, point: &Vector3<f64>, slack: f64) -> bool {
        self.solid.is_over(index, &self.local(point), slack)
    }

    /// Signed distance of a world point and the outward normal in the world.
    pub(crate) fn signed_distance(&self, point: &Vector3<f64>) -> (f64, Vector3<f64>) {
        let (distance, normal) = self.solid.signed_distance(&self.local(point));
        (distance, self.pose.rotation * normal)
    }

    /// The point of rim `index` (0 top, 1 bottom) of a cylinder that is lowest along the world direction `up`; if
    /// the axis is along `up`, the point on the `x` axis of the cylinder.
    pub(crate) fn rim(&self, index: usize, up: &Vector3<f64>) -> Vector3<f64> {
        let Solid::Cylinder { half_height, radius } = self.solid else {
            return self.pose.translation.vector;
        };
        let up = self.pose.rotation.inverse_transform_vector(up).xy();
        let steepness = up.norm();
        let outward =
            if steepness > UPRIGHT { -up / steepness } else { Vector2::new(1.0, 0.0) } * *radius;
        let z = if index == 0 { *half_height } else { -half_height };
        self.point(&Vector3::new(outward.x, outward.y, z))
    }

    /// Whether the axis of a cylinder is along the world direction `up`, so that a rim has no unique lowest point.
    pub(crate) fn is_upright(&self, up: &Vector3<f64>) -> bool {
        self.tilt(up) <= UPRIGHT
    }

    /// The sine of the angle between the `z` axis of the solid and the world direction `up`.
    pub(crate) fn tilt(&self, up: &Vector3<f64>) -> f64 {
        self.pose.rotation.inverse_transform_vector(up).xy().norm()
    }

    pub(crate) fn point(&self, local: &Vector3<f64>) -> Vector3<f64> {
        (self.pose * Point3::from(*local)).coords
    }

    pub(crate) fn local(&self, point: &Vector3<f64>) -> Vector3<f64> {
        self.pose.inverse_transform_point(&Point3::from(*point)).coords
    }
}

/// The unit vector along the axis after the axis of `half` in the order x, y, z, x.
fn across(half: &Vector3<f64>) -> Vector3<f64> {
    Vector3::new(half.z, half.x, half.y) / half.norm()
}

/// Distance from a ball of `radius` about the origin.
fn rounded(
    from_center: &Vector3<f64>,
    radius: f64,
    fallback: &Vector3<f64>,
) -> (f64, Vector3<f64>) {
    let distance = from_center.norm();
    if distance > ON_SURFACE * radius {
        (distance - radius, from_center / distance)
    } else {
        (-radius, *fallback)
    }
}

/// Distance from the corner of two orthogonal planes, given the distances from both.
fn corner(planes: [(f64, Vector3<f64>); 2], size: f64) -> (f64, Vector3<f64>) {
    let [(first, normal_1), (second, normal_2)] = planes;
    let distance = first.max(0.0).hypot(second.max(0.0));
    if first.min(second) > 0.0 && distance > ON_SURFACE * size {
        (distance, ((normal_1 * first + normal_2 * second) / distance).normalize())
    } else if first >= second {
        (first, normal_1)
    } else {
        (second, normal_2)
    }
}
