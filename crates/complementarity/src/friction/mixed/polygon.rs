//! Convex polygons: hull, support and projection.

/// A convex polygon, a segment or a point by its corners.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Polygon {
    /// Corners, counterclockwise; two of a segment, one of a point.
    pub(super) corners: Vec<[f64; 2]>,
}

pub(super) fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

pub(super) fn minus(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] - b[0], a[1] - b[1]]
}

fn cross(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

impl Polygon {
    /// The hull of finite points; of no points the origin.
    pub(super) fn new(points: &[[f64; 2]]) -> Self {
        // Zeros of one sign, so that equal coordinates are sorted as such.
        let mut sorted: Vec<_> = points.iter().map(|point| point.map(|x| x + 0.0)).collect();
        sorted.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
        sorted.dedup();
        if sorted.len() < 3 {
            let corners = if sorted.is_empty() { vec![[0.0; 2]] } else { sorted };
            return Self { corners };
        }
        let mut corners = chain(sorted.iter().copied());
        corners.pop();
        corners.extend(chain(sorted.iter().rev().copied()));
        corners.pop();
        Self { corners }
    }

    /// Whether the origin is inside, up to rounding.
    pub(super) fn contains_origin(&self) -> bool {
        let size = self.radius();
        let nearest = self.project(1.0, [0.0; 2]);
        nearest[0].hypot(nearest[1]) <= 16.0 * f64::EPSILON * size
    }

    /// The largest distance of a corner from the origin.
    pub(super) fn radius(&self) -> f64 {
        self.corners.iter().map(|corner| corner[0].hypot(corner[1])).fold(0.0, f64::max)
    }

    /// The polygon multiplied by a number.
    pub(super) fn scaled(&self, factor: f64) -> Self {
        Self { corners: self.corners.iter().map(|c| [c[0] * factor, c[1] * factor]).collect() }
    }

    /// The edges, each by its corners. A point is an edge of no length.
    pub(super) fn edges(&self) -> impl Iterator<Item = ([f64; 2], [f64; 2])> + '_ {
        let next = self.corners.iter().cycle().skip(1);
        self.corners.iter().copied().zip(next.copied())
    }

    /// The corner that is farthest along `direction`, and `max_i c_i·direction`.
    pub(super) fn support(&self, direction: [f64; 2]) -> ([f64; 2], f64) {
        let ahead = |best: ([f64; 2], f64), corner: &[f64; 2]| {
            let along = dot(*corner, direction);
            if along > best.1 { (*corner, along) } else { best }
        };
        self.corners.iter().fold((self.corners[0], f64::NEG_INFINITY), ahead)
    }

    /// Whether `point` is inside of `radius` times the polygon: not beyond any edge.
    pub(super) fn contains(&self, radius: f64, point: [f64; 2]) -> bool {
        self.contains_about([0.0; 2], radius, point)
    }

    /// The point of `radius` times the polygon nearest to `point`.
    pub(super) fn project(&self, radius: f64, point: [f64; 2]) -> [f64; 2] {
        if self.contains(radius, point) {
            return point;
        }
        self.nearest_edge([0.0; 2], radius, point).near
    }

    /// The distance of `point` from `radius` times the polygon.
    pub(super) fn outside(&self, radius: f64, point: [f64; 2]) -> f64 {
        let (corner, offset) = self.nearest_corner(radius, point);
        if self.contains_about(corner, radius, offset) {
            return 0.0;
        }
        self.nearest_edge(corner, radius, offset).distance
    }

    /// `‖p − Π(p − u)‖` with the projection `Π` on `radius` times the polygon, relative to the corner nearest to `p`, where `p` is if
    /// their difference is rounding: a slip that leaves the corner is not lost in the rounding of a large `p`. Where a point of an
    /// edge is nearest, the part along it is that of `u`.
    pub(super) fn natural_map(&self, radius: f64, p: [f64; 2], u: [f64; 2]) -> f64 {
        let (corner, mut offset) = self.nearest_corner(radius, p);
        if offset[0].hypot(offset[1]) <= 8.0 * f64::EPSILON * p[0].hypot(p[1]) {
            offset = [0.0; 2];
        }
        let trial = minus(offset, u);
        if self.contains_about(corner, radius, trial) {
            return u[0].hypot(u[1]);
        }
        let Nearest { near, start, direction, .. } = self.nearest_edge(corner, radius, trial);
        match direction {
            Some(along) => cross(along, minus(offset, start)).hypot(dot(along, u)),
            None => {
                let off = minus(offset, near);
                off[0].hypot(off[1])
            }
        }
    }

    /// The corner `c` for which `radius` times it is nearest to `point`, and their difference.
    fn nearest_corner(&self, radius: f64, point: [f64; 2]) -> ([f64; 2], [f64; 2]) {
        let offset = |corner: &[f64; 2]| minus(point, corner.map(|x| radius * x));
        let size = |corner: &[f64; 2]| {
            let offset = offset(corner);
            offset[0].hypot(offset[1])
        };
        let nearest = self.corners.iter().min_by(|a, b| size(a).total_cmp(&size(b)));
        let nearest = nearest.copied().unwrap_or_default();
        (nearest, offset(&nearest))
    }

    /// [`contains`](Self::contains) of `radius` times the point `about` and `offset`.
    fn contains_about(&self, about: [f64; 2], radius: f64, offset: [f64; 2]) -> bool {
        self.corners.len() > 2
            && self.edges().all(|(from, to)| {
                let (_, away) = nearer([from, to], about, radius, offset);
                cross(minus(to, from), away) >= 0.0
            })
    }

    /// The point of the edges of `radius` times the polygon nearest to `radius` times the point `about` and `offset`, relative to
    /// `radius` times `about`.
    fn nearest_edge(&self, about: [f64; 2], radius: f64, offset: [f64; 2]) -> Nearest {
        let nowhere = Nearest { distance: f64::INFINITY, ..Nearest::default() };
        self.edges().fold(nowhere, |best, (from, to)| {
            let edge = minus(to, from);
            let (end, away) = nearer([from, to], about, radius, offset);
            let start = minus(end, about).map(|x| radius * x);
            // The edge as it goes on from the nearer end.
            let edge = if end == from { edge } else { edge.map(|x| -x) };
            let length = dot(edge, edge) * radius;
            let part = if length > 0.0 { dot(away, edge) / length } else { 0.0 };
            let size = edge[0].hypot(edge[1]);
            let is_between = part > 0.0 && part < 1.0;
            let direction = is_between.then(|| [edge[0] / size, edge[1] / size]);
            let part = radius * part.clamp(0.0, 1.0);
            let near = [start[0] + part * edge[0], start[1] + part * edge[1]];
            let beside = [away[0] - part * edge[0], away[1] - part * edge[1]];
            let distance = match direction {
                Some(along) => cross(along, away).abs(),
                None => beside[0].hypot(beside[1]),
            };
            if distance < best.distance {
                Nearest { distance, near, start, direction }
            } else {
                best
            }
        })
    }
}

/// The end of an edge whose multiple is nearer to `radius` times `about` and `offset`, and what this is from it: the rounding of
/// a far end would hide on which side of the edge it lies.
fn nearer(
    [from, to]: [[f64; 2]; 2],
    about: [f64; 2],
    radius: f64,
    offset: [f64; 2],
) -> ([f64; 2], [f64; 2]) {
    let away = |end: [f64; 2]| minus(offset, minus(end, about).map(|x| radius * x));
    let [one, other] = [away(from), away(to)];
    if one[0].hypot(one[1]) <= other[0].hypot(other[1]) { (from, one) } else { (to, other) }
}

/// A point of an edge.
#[derive(Clone, Copy, Debug, Default)]
struct Nearest {
    distance: f64,
    near: [f64; 2],
    /// An end of the edge, and its direction if the point is between the corners.
    start: [f64; 2],
    direction: Option<[f64; 2]>,
}

/// One half of the hull of sorted points; the last point is that of the other half.
fn chain(points: impl Iterator<Item = [f64; 2]>) -> Vec<[f64; 2]> {
    let mut chain: Vec<[f64; 2]> = Vec::new();
    for point in points {
        while let [.., before, last] = chain[..]
            && cross(minus(last, before), minus(point, last)) <= 0.0
        {
            chain.pop();
        }
        chain.push(point);
    }
    chain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: [f64; 2], b: [f64; 2]) -> bool {
        (a[0] - b[0]).hypot(a[1] - b[1]) < 1e-15
    }

    #[test]
    fn hulls_drop_what_is_inside_and_projections_are_nearest() {
        let polygon = Polygon::new(&[
            [1.0, 1.0],
            [-1.0, 1.0],
            [0.0, 0.0],
            [1.0, -1.0],
            [-1.0, -1.0],
            [0.0, 1.0],
        ]);
        assert_eq!(polygon.corners, [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]);
        assert!(near(polygon.project(2.0, [3.0, 0.5]), [2.0, 0.5]));
        assert!(near(polygon.project(1.0, [3.0, -5.0]), [1.0, -1.0]));
        assert!(near(polygon.project(1.0, [0.3, -0.5]), [0.3, -0.5]));
        assert_eq!(polygon.support([0.1, -2.0]), ([1.0, -1.0], 2.1));
    }

    /// A slip along an edge at impulses of 1e20.
    #[test]
    fn a_slip_along_an_edge_is_not_hidden_by_the_rounding_of_impulses() {
        let segment = Polygon::new(&[[-1.0, -0.5], [1.0, 0.5]]);
        let along = segment.natural_map(1e21, [2e20, 1e20], [2.0, 1.0]);
        assert!((along - 5.0_f64.sqrt()).abs() < 1e-12, "{along}");
        assert!(segment.natural_map(1e21, [2e20, 1e20], [-1.0, 2.0]) < 1e-12);
        assert!(segment.natural_map(1e21, [1e21, 5e20], [-2.0, -1.0]) < 1e-12, "at its end");
    }

    /// An impulse of 3e18 at the far end of a segment that a slip of 26 draws back, beside 4e7 across.
    #[test]
    fn a_slip_that_leaves_a_corner_is_not_hidden_by_the_rounding_of_impulses() {
        let corner = [0.003_413, 4000.0];
        let segment = Polygon::new(&[[0.0, 0.0], corner]);
        let radius = 7e14;
        let p = [radius * corner[0], radius * corner[1]];
        let away = segment.natural_map(radius, p, [4e7, 26.0]);
        let along = (4e7 * corner[0] + 26.0 * corner[1]) / corner[0].hypot(corner[1]);
        assert!((away - along).abs() < 1e-6 * along, "{away} {along}");
        assert!(segment.natural_map(radius, p, [4e7, -100.0]) < 1e-9, "pressed against the end");
        // An ulp of the impulse makes no difference.
        let beside = [p[0].next_up(), p[1]];
        assert!((segment.natural_map(radius, beside, [4e7, 26.0]) - away).abs() < 1e-6 * away);
    }

    /// A point beside the corner (0, 0) of a thin triangle whose other end is 4e13 away.
    #[test]
    fn points_beside_a_corner_are_judged_from_there() {
        let triangle = Polygon::new(&[[-1199.828, -1899.889], [0.0, 1.0], [0.0, 0.0]]);
        let radius = 2e10;
        let edge = [-1199.828, -1899.889].map(|x: f64| x / 1199.828_f64.hypot(1899.889));
        for side in [-1.0, 1.0] {
            let out = 2.6e-3 * side;
            let point = [1.7e5 * edge[0] - out * edge[1], 1.7e5 * edge[1] + out * edge[0]];
            // The inner side is that of (0, 1).
            let is_inside = cross(edge, [0.0, 1.0]) * out > 0.0;
            assert_eq!(triangle.contains(radius, point), is_inside, "{side}");
            let expected = if is_inside { 0.0 } else { 2.6e-3 };
            assert!((triangle.outside(radius, point) - expected).abs() < 1e-9, "{side}");
        }
    }

    #[test]
    fn points_and_segments_are_polygons_too() {
        let segment = Polygon::new(&[[0.0, -2.0], [0.0, 2.0], [0.0, 1.0]]);
        assert_eq!(segment.corners.len(), 2);
        assert!(near(segment.project(1.0, [3.0, 1.5]), [0.0, 1.5]));
        assert!(segment.contains_origin());
        assert!(!Polygon::new(&[[1.0, 0.0], [2.0, 1.0], [2.0, -1.0]]).contains_origin());
        assert!(near(Polygon::new(&[]).project(1.0, [1.0, 2.0]), [0.0, 0.0]));
        // A corner on the edge of the origin.
        assert!(Polygon::new(&[[0.0, 0.0], [2.0, 1.0], [2.0, -1.0]]).contains_origin());
    }
}
