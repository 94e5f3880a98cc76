//! Convex polygons: hull, support and projection.

use crate::compensated::Sum;

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
        self.corners.len() > 2
            && self.edges().all(|(from, to)| {
                cross(minus(to, from), minus(point, [radius * from[0], radius * from[1]])) >= 0.0
            })
    }

    /// The point of `radius` times the polygon nearest to `point`.
    pub(super) fn project(&self, radius: f64, point: [f64; 2]) -> [f64; 2] {
        if self.contains(radius, point) {
            return point;
        }
        let nowhere = (f64::INFINITY, [0.0; 2]);
        let nearest = self.edges().fold(nowhere, |best, (from, to)| {
            let edge = minus(to, from);
            let start = [radius * from[0], radius * from[1]];
            let length = dot(edge, edge) * radius;
            let part = if length > 0.0 { dot(minus(point, start), edge) / length } else { 0.0 };
            let part = radius * part.clamp(0.0, 1.0);
            let near = [start[0] + part * edge[0], start[1] + part * edge[1]];
            let away = minus(point, near);
            let distance = away[0].hypot(away[1]);
            if distance < best.0 { (distance, near) } else { best }
        });
        nearest.1
    }

    /// The distance of `point` from `radius` times the polygon, with compensated sums.
    pub(super) fn outside(&self, radius: f64, point: [f64; 2]) -> f64 {
        let place = Place { about: [0.0; 2], radius, offset: point, slip: [0.0; 2] };
        if self.holds(&place) { 0.0 } else { self.nearest_edge(&place).distance }
    }

    /// `‖p − Π(p − u)‖` with the projection `Π` on `radius` times the polygon, with compensated sums, so that no slip is lost in
    /// the rounding of a large `p`. Where `p` is at a corner, up to rounding, it is taken for that corner. Where a point of an edge is
    /// nearest, the part along it is that of `u`.
    pub(super) fn natural_map(&self, radius: f64, p: [f64; 2], u: [f64; 2]) -> f64 {
        let (corner, offset) = self.nearest_corner(radius, p);
        let is_at_corner = offset[0].hypot(offset[1]) <= 8.0 * f64::EPSILON * p[0].hypot(p[1]);
        let (about, offset) = if is_at_corner { (corner, [0.0; 2]) } else { ([0.0; 2], p) };
        let place = Place { about, radius, offset, slip: u };
        if self.holds(&place) {
            return u[0].hypot(u[1]);
        }
        let before = Place { slip: [0.0; 2], ..place };
        let Nearest { edge, end, is_between, .. } = self.nearest_edge(&place);
        let size = length(edge);
        if is_between {
            let across = before.product(edge, end, true) / size;
            let along = dot(minus(edge[1], edge[0]), u) / size;
            return across.hypot(along);
        }
        let off = before.from(end);
        off[0].hypot(off[1])
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

    /// Whether a place is inside of the polygon.
    fn holds(&self, place: &Place) -> bool {
        self.corners.len() > 2
            && self.edges().all(|(from, to)| place.product([from, to], from, true) >= 0.0)
    }

    /// The edge that is nearest to a place.
    fn nearest_edge(&self, place: &Place) -> Nearest {
        let nowhere = Nearest { distance: f64::INFINITY, ..Nearest::default() };
        self.edges().fold(nowhere, |best, (from, to)| {
            let (edge, size) = ([from, to], length([from, to]));
            // From the first end forwards, and from the second one backwards.
            let [ahead, behind] = [from, to].map(|end| place.product(edge, end, false));
            let is_between = ahead > 0.0 && behind < 0.0;
            let end = if ahead > 0.0 { to } else { from };
            let distance = if is_between {
                place.product(edge, from, true).abs() / size
            } else {
                let away = place.from(end);
                away[0].hypot(away[1])
            };
            if distance < best.distance {
                Nearest { distance, edge, end, is_between }
            } else {
                best
            }
        })
    }
}

fn length([from, to]: [[f64; 2]; 2]) -> f64 {
    let edge = minus(to, from);
    edge[0].hypot(edge[1])
}

/// The point `radius · about + offset − slip`, whose parts are of any size.
#[derive(Clone, Copy, Debug)]
struct Place {
    about: [f64; 2],
    radius: f64,
    offset: [f64; 2],
    slip: [f64; 2],
}

impl Place {
    /// The product of an edge, from its first end to its second one, with what the place is from `radius · end`: of vectors if it
    /// `is_cross`, positive to the left, or else of numbers.
    fn product(&self, [from, to]: [[f64; 2]; 2], end: [f64; 2], is_cross: bool) -> f64 {
        let add = |sum: &mut Sum, vector: [f64; 2], sign: f64| {
            let [x, y] = vector.map(|x| sign * x);
            let by = if is_cross { [y, -x] } else { [x, y] };
            for (axis, by) in by.into_iter().enumerate() {
                sum.add_product(to[axis], by);
                sum.add_product(-from[axis], by);
            }
        };
        let (mut scaled, mut sum) = (Sum::default(), Sum::default());
        add(&mut scaled, self.about, 1.0);
        add(&mut scaled, end, -1.0);
        add(&mut sum, self.offset, 1.0);
        add(&mut sum, self.slip, -1.0);
        sum.add_scaled(&scaled, self.radius);
        sum.value()
    }

    /// What the place is from `radius · end`.
    fn from(&self, end: [f64; 2]) -> [f64; 2] {
        [0, 1].map(|axis| {
            let mut sum = Sum::new(self.offset[axis]);
            sum.add(-self.slip[axis]);
            sum.add_product(self.radius, self.about[axis]);
            sum.add_product(-self.radius, end[axis]);
            sum.value()
        })
    }
}

/// The edge nearest to a place.
#[derive(Clone, Copy, Debug, Default)]
struct Nearest {
    distance: f64,
    edge: [[f64; 2]; 2],
    /// An end of the edge: the nearer one, unless the place is between them.
    end: [f64; 2],
    is_between: bool,
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

    /// A point beside the middle of a segment whose ends are 6e13 away.
    #[test]
    fn points_beside_the_middle_of_a_segment_are_judged_to_rounding() {
        let segment = Polygon::new(&[[399.207, 2996.088], [-399.207, -2996.088]]);
        let size = 399.207_f64.hypot(2996.088);
        let across = [-2996.088 / size, 399.207 / size];
        let out = segment.outside(2e10, across.map(|x| 3e-4 * x));
        assert!((out - 3e-4).abs() < 1e-15, "{out}");
        let slip = segment.natural_map(2e10, across.map(|x| 3e-4 * x), [0.0, 0.0]);
        assert!((slip - 3e-4).abs() < 1e-15, "{slip}");
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
