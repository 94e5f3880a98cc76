//! The lines of an edge of each box, and where they are nearest to each other: [`Crossing`].

use nalgebra::{Matrix3, Vector3};

use super::{
    Boxes, EdgePair, PARALLEL,
    side::{self, EDGES, next},
};
use crate::products::times;

/// The directions `A_p` and `B_q` of two edges.
pub(super) struct Cross {
    pub(super) axes: [usize; 2],
    /// `A_p × B_q` in the frame of each box.
    pub(super) along: [Vector3<f64>; 2],
    /// Its length, the sine of the angle.
    pub(super) sine: f64,
    /// `A_p · B_q`.
    cosine: f64,
}

impl Cross {
    /// `turn` has the entries `A_i · B_j`.
    #[inline(always)]
    pub(super) fn new(turn: &Matrix3<f64>, p: usize, q: usize) -> Self {
        let along = products(turn, p, q);
        Self { axes: [p, q], along, sine: along[0].norm(), cosine: turn[(p, q)] }
    }

    /// The edges that are outermost if the normal is `sign` times the unit vector along the product: lowest of box
    /// 0 and highest of box 1.
    pub(super) fn edges(&self, sign: f64, gap: f64) -> EdgePair {
        let normal = self.along.map(|along| along * (sign / self.sine));
        let edge = |k: usize, outward: Vector3<f64>| {
            let [i, j] = next(self.axes[k]);
            let bit = |axis: usize| usize::from(outward[axis] > 0.0) << axis;
            side::edge_at(self.axes[k], bit(i) | bit(j))
        };
        EdgePair { edges: [edge(0, -normal[0]), edge(1, normal[1])], gap, normal }
    }
}

/// `A_p × B_q` in the frame of each box; `turn` has the entries `A_i · B_j`.
#[inline(always)]
fn products(turn: &Matrix3<f64>, p: usize, q: usize) -> [Vector3<f64>; 2] {
    let ([p_1, p_2], [q_1, q_2]) = (next(p), next(q));
    let mut along = [Vector3::zeros(); 2];
    (along[0][p_1], along[0][p_2]) = (-turn[(p_2, q)], turn[(p_1, q)]);
    (along[1][q_1], along[1][q_2]) = (turn[(p, q_2)], -turn[(p, q_1)]);
    along
}

/// The lines of two edges, where they are nearest to each other.
pub(super) struct Crossing {
    pub(super) gap: f64,
    /// Unit normal out of the faces of box 1, in the frame of box 0.
    pub(super) normal: Vector3<f64>,
    /// The nearest point of the edge of box 0, in its frame.
    pub(super) point: Vector3<f64>,
}

/// Where the lines of two edges are nearest to each other.
pub(super) struct Feet {
    /// From the middle of the edge of box 1 to that of box 0, in the frame of box 0.
    between: Vector3<f64>,
    /// Distances of the nearest points from the middles of the edges (m).
    along: [f64; 2],
}

impl Boxes {
    /// The crossing of two edges, unless they are parallel, and whether it is on both of them.
    pub(super) fn crossing(&self, edges: [usize; 2]) -> Option<(Crossing, bool)> {
        let cross = Cross::new(&self.sides[0].turn, EDGES[edges[0]].0, EDGES[edges[1]].0);
        (cross.sine > PARALLEL).then(|| {
            let feet = self.feet(&cross, edges, &self.middle(edges[1]));
            (self.crossing_at(&cross, edges, &feet), self.are_inside(&cross, &feet))
        })
    }

    /// The middle of an edge of box 1 in the frame of box 0.
    #[inline(always)]
    pub(super) fn middle(&self, edge: usize) -> Vector3<f64> {
        let [a, b] = &self.sides;
        a.other + times(&a.turn, &b.half.component_mul(&side::outward_of_edge(edge)))
    }

    /// The nearest points of the lines of two edges with the directions of `cross`; `middle` is that of the second.
    #[inline]
    fn feet(&self, cross: &Cross, edges: [usize; 2], middle: &Vector3<f64>) -> Feet {
        let (between, [first, second], square) = self.feet_times_square(cross, edges, middle);
        Feet { between, along: [first / square, second / square] }
    }

    /// [`feet`](Self::feet) if both are on their edges.
    #[inline(always)]
    pub(super) fn feet_inside(
        &self,
        cross: &Cross,
        edges: [usize; 2],
        middle: &Vector3<f64>,
    ) -> Option<Feet> {
        let feet = self.feet(cross, edges, middle);
        self.are_inside(cross, &feet).then_some(feet)
    }

    /// Half of the lengths of the edges times the square of the sine, and a little more than is rounded.
    #[inline(always)]
    pub(super) fn reach(&self, cross: &Cross) -> [f64; 2] {
        let [a, b] = &self.sides;
        let ([p, q], reach) = (cross.axes, (1.0 + 1e-12) * (cross.sine * cross.sine));
        [a.half[p] * reach, b.half[q] * reach]
    }

    /// Whether [`feet_inside`](Self::feet_inside) may have an answer, with the [`reach`](Self::reach) of the edges;
    /// without branches.
    #[inline(always)]
    pub(super) fn may_cross(
        &self,
        cross: &Cross,
        edges: [usize; 2],
        middle: &Vector3<f64>,
        reach: &[f64; 2],
    ) -> bool {
        let (_, [first, second], _) = self.feet_times_square(cross, edges, middle);
        (first.abs() <= reach[0]) & (second.abs() <= reach[1])
    }

    /// The vector between the middles, the distances of the [feet](Self::feet) times the square of the sine, and this
    /// square.
    #[inline(always)]
    fn feet_times_square(
        &self,
        cross: &Cross,
        edges: [usize; 2],
        middle: &Vector3<f64>,
    ) -> (Vector3<f64>, [f64; 2], f64) {
        let ([p, q], Cross { sine, cosine, .. }) = (cross.axes, cross);
        let a = &self.sides[0];
        let between = a.half.component_mul(&side::outward_of_edge(edges[0])) - middle;
        let (x, y, z) = (a.turn[(0, q)], a.turn[(1, q)], a.turn[(2, q)]);
        let (on_a, on_b) = (between[p], x * between.x + y * between.y + z * between.z);
        (between, [cosine * on_b - on_a, on_b - cosine * on_a], sine * sine)
    }

    /// Whether both points are on their edges.
    #[inline]
    fn are_inside(&self, cross: &Cross, feet: &Feet) -> bool {
        let [a, b] = &self.sides;
        let [p, q] = cross.axes;
        feet.along[0].abs() <= a.half[p] && feet.along[1].abs() <= b.half[q]
    }

    /// The crossing with these nearest points.
    #[inline(always)]
    pub(super) fn crossing_at(&self, cross: &Cross, edges: [usize; 2], feet: &Feet) -> Crossing {
        let Cross { axes, along, sine, .. } = cross;
        let (out_a, out_b) = (side::outward_of_edge(edges[0]), side::outward_of_edge(edges[1]));
        let outward = along[1].dot(&out_b) - along[0].dot(&out_a);
        let normal = along[0] * (if outward < 0.0 { -1.0 } else { 1.0 } / sine);
        let mut point = self.sides[0].half.component_mul(&out_a);
        point[axes[0]] = feet.along[0];
        Crossing { gap: normal.dot(&feet.between), normal, point }
    }
}
