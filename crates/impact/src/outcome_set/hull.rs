//! Convex hulls of the outcomes in a plane.
//!
//! Keeps the hull of the points so far and a buffer of new ones. When the buffer is full, Andrew's monotone
//! chain computes the hull of both. Orientations are exact (Shewchuk's adaptive predicates), so the vertices
//! are those of the exact hull of the points in double precision, in any order: the hull of hulls is the hull
//! of all points.
//!
//! # Source
//!
//! A. M. Andrew, "Another efficient algorithm for convex hulls in two dimensions", *Information
//! Processing Letters* 9 (1979) 216–219;
//! J. R. Shewchuk, "Adaptive precision floating-point arithmetic and fast robust geometric
//! predicates", *Discrete & Computational Geometry* 18 (1997) 305–363.

use robust::{Coord, orient2d};

use super::Plane;
use crate::set_valued::{Sample, Summary};

/// Maximum number of points in the buffer.
const BUFFER: usize = 64;

/// The convex hull of the outcomes in a [`Plane`].
///
/// The number of vertices grows slowly: with the logarithm of the number of samples where the set is a
/// polygon, with its cube root where it is round. Beyond [`LIMIT`](Self::LIMIT) vertices the flattest are
/// dropped, and [`lost`](Self::lost) returns how far samples may lie outside because of this. Points that are
/// not finite are left out.
///
/// Recording costs two products of length `n_v` and, on average, one point's share of sorting 64 points and
/// computing the hull.
#[derive(Clone, Debug, PartialEq)]
pub struct Hull {
    plane: Plane,
    /// The vertices of the hull, then up to [`BUFFER`] points.
    points: Vec<[f64; 2]>,
    vertices: usize,
    lost: f64,
}

impl Hull {
    /// Maximum number of vertices.
    pub const LIMIT: usize = 4096;

    /// An empty hull.
    #[must_use]
    pub const fn new(plane: Plane) -> Self {
        Self { plane, points: Vec::new(), vertices: 0, lost: 0.0 }
    }

    /// The hull of all samples so far.
    #[must_use]
    pub fn polygon(&self) -> Polygon {
        let mut hull = self.clone();
        hull.close();
        Polygon { vertices: hull.points }
    }

    /// Maximum distance by which a sample can lie outside the hull because vertices were dropped, in units of
    /// the plane; zero up to [`LIMIT`](Self::LIMIT) vertices.
    #[must_use]
    pub fn lost(&self) -> f64 {
        let mut hull = self.clone();
        hull.close();
        hull.lost
    }

    /// The plane of the hull.
    #[must_use]
    pub const fn plane(&self) -> &Plane {
        &self.plane
    }

    fn push(&mut self, point: [f64; 2]) {
        if point.iter().all(|coordinate| coordinate.is_finite()) {
            self.points.push(point);
            if self.points.len() - self.vertices >= BUFFER.max(self.vertices) {
                self.close();
            }
        }
    }

    fn close(&mut self) {
        self.points = convex_hull(std::mem::take(&mut self.points));
        while self.points.len() > Self::LIMIT {
            self.lost += thin(&mut self.points);
        }
        self.vertices = self.points.len();
    }
}

impl Summary for Hull {
    fn record(&mut self, sample: &Sample<'_>) {
        self.push(self.plane.coordinates(sample.velocity));
    }

    fn merge(&mut self, later: Self) {
        self.lost += later.lost;
        later.points.into_iter().for_each(|point| self.push(point));
    }
}

/// A convex polygon, which may degenerate to a segment or a point or be empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Polygon {
    vertices: Vec<[f64; 2]>,
}

impl Polygon {
    /// The convex hull of points; those that are not finite are left out.
    ///
    /// # Example
    ///
    /// ```
    /// use percussion_impact::outcome_set::Polygon;
    ///
    /// let square = Polygon::hull([[0.0, 0.0], [2.0, 0.0], [1.0, 1.0], [2.0, 2.0], [0.0, 2.0]]);
    /// assert_eq!(square.vertices(), [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]]);
    /// assert_eq!(square.area(), 4.0);
    /// assert_eq!(square.distance([5.0, 6.0]), 5.0);
    /// assert!(square.contains([2.0, 2.1], 0.2));
    /// ```
    #[must_use]
    pub fn hull(points: impl IntoIterator<Item = [f64; 2]>) -> Self {
        let finite = |point: &[f64; 2]| point.iter().all(|coordinate| coordinate.is_finite());
        let points = points.into_iter().filter(finite).map(|point| point.map(|x| x + 0.0));
        Self { vertices: convex_hull(points.collect()) }
    }

    /// The vertices, counterclockwise from the leftmost (the lowest of these), no three of them on a line.
    #[must_use]
    pub fn vertices(&self) -> &[[f64; 2]] {
        &self.vertices
    }

    /// The area, in units of the plane squared.
    #[must_use]
    pub fn area(&self) -> f64 {
        let Some(&origin) = self.vertices.first() else { return 0.0 };
        let triangles = self.vertices.windows(2);
        0.5 * triangles.map(|edge| cross(sub(edge[0], origin), sub(edge[1], origin))).sum::<f64>()
    }

    /// Distance of a point from the polygon, zero inside; infinite when the polygon is empty, NaN for a point
    /// with a NaN coordinate.
    #[must_use]
    pub fn distance(&self, point: [f64; 2]) -> f64 {
        if point.iter().any(|coordinate| coordinate.is_nan()) {
            return f64::NAN;
        }
        let edges = || {
            let next = self.vertices.iter().cycle().skip(1);
            self.vertices.iter().copied().zip(next.copied())
        };
        if self.vertices.len() > 2 && edges().all(|(a, b)| orientation(a, b, point) >= 0.0) {
            return 0.0;
        }
        edges().map(|(a, b)| distance_from_segment(a, b, point)).fold(f64::INFINITY, f64::min)
    }

    /// Whether a point is in the polygon or at most `tolerance` away, in units of the plane. The test is
    /// exact inside; outside, the distance is accurate to a few units of rounding of the coordinates.
    #[must_use]
    pub fn contains(&self, point: [f64; 2], tolerance: f64) -> bool {
        self.distance(point) <= tolerance
    }
}

/// The vertices of the convex hull, counterclockwise from the lexicographically smallest point.
fn convex_hull(mut points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    points.sort_unstable_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    points.dedup();
    if points.len() < 3 {
        return points;
    }
    let mut hull: Vec<[f64; 2]> = Vec::with_capacity(points.len() + 1);
    let mut floor = 2;
    let there = points.iter();
    let back = points.iter().rev().skip(1);
    for (k, &point) in there.chain(back).enumerate() {
        if k == points.len() {
            // The upper chain starts at the rightmost point.
            floor = hull.len() + 1;
        }
        while hull.len() >= floor
            && orientation(hull[hull.len() - 2], hull[hull.len() - 1], point) <= 0.0
        {
            hull.pop();
        }
        hull.push(point);
    }
    hull.pop();
    hull
}

/// Removes the flatter half of every other vertex, so that corners stay. Returns the largest distance of a
/// removed vertex from the segment between its neighbors, which stay too.
fn thin(hull: &mut Vec<[f64; 2]>) -> f64 {
    let heights = hull.windows(3).step_by(2);
    let heights: Vec<_> =
        heights.map(|vertex| distance_from_segment(vertex[0], vertex[2], vertex[1])).collect();
    let mut sorted = heights.clone();
    sorted.sort_unstable_by(f64::total_cmp);
    let lost = sorted[sorted.len() / 2];
    let mut index = 0..;
    hull.retain(|_| {
        let height = index.next().filter(|i| i % 2 == 1).and_then(|i: usize| heights.get(i / 2));
        height.is_none_or(|height| *height > lost)
    });
    lost
}

/// Positive when `c` lies to the left of the line from `a` to `b`; its sign is exact, except on overflow and
/// underflow.
fn orientation(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    let coord = |[x, y]: [f64; 2]| Coord { x, y };
    orient2d(coord(a), coord(b), coord(c))
}

fn distance_from_segment(a: [f64; 2], b: [f64; 2], point: [f64; 2]) -> f64 {
    let (along, from) = (sub(b, a), sub(point, a));
    let length = along[0] * along[0] + along[1] * along[1];
    let dot = along[0] * from[0] + along[1] * from[1];
    let part = if length > 0.0 { (dot / length).clamp(0.0, 1.0) } else { 0.0 };
    f64::hypot(from[0] - part * along[0], from[1] - part * along[1])
}

fn sub(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] - b[0], a[1] - b[1]]
}

fn cross(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}
