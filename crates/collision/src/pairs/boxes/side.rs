//! A box with the other one in its frame: [`Side`].

use nalgebra::{Matrix3, Vector3};

use crate::{
    products::{times, transposed_product, transposed_times},
    solid::Placed,
};

/// The edges of a box in the order of [`Hull`](crate::Hull): the axis along which each lies, and its lower corner.
pub(super) const EDGES: [(usize, usize); 12] = [
    (0, 0),
    (1, 0),
    (2, 0),
    (1, 1),
    (2, 1),
    (0, 2),
    (2, 2),
    (2, 3),
    (0, 4),
    (1, 4),
    (1, 5),
    (0, 6),
];

/// The edges of each face.
pub(super) const EDGES_OF_FACES: [[usize; 4]; 6] =
    [[3, 4, 7, 10], [1, 2, 6, 9], [5, 6, 7, 11], [0, 2, 4, 8], [8, 9, 10, 11], [0, 1, 3, 5]];

/// The edge along `axis` at the corner `base`, in which the bit of the axis is not set.
pub(super) fn edge_at(axis: usize, base: usize) -> usize {
    EDGES.iter().position(|edge| *edge == (axis, base)).unwrap_or_default()
}

/// The two axes after `axis`.
#[inline(always)]
pub(super) const fn next(axis: usize) -> [usize; 2] {
    [(axis + 1) % 3, (axis + 2) % 3]
}

/// The signs of the coordinates of a corner: bits 0, 1 and 2 of its number.
#[inline(always)]
pub(super) fn corner(index: usize) -> Vector3<f64> {
    let sign = |axis: usize| if index >> axis & 1 == 1 { 1.0 } else { -1.0 };
    Vector3::new(sign(0), sign(1), sign(2))
}

/// The sum of the normals of the two faces that meet in an edge.
#[inline(always)]
pub(super) fn outward_of_edge(edge: usize) -> Vector3<f64> {
    let [x, y, z] = OUTWARD[edge];
    Vector3::new(x, y, z)
}

/// Of every edge.
const OUTWARD: [[f64; 3]; 12] = {
    let mut all = [[0.0; 3]; 12];
    let mut edge = 0;
    while edge < 12 {
        let (along, base) = EDGES[edge];
        let mut axis = 0;
        while axis < 3 {
            if axis != along {
                all[edge][axis] = if base >> axis & 1 == 1 { 1.0 } else { -1.0 };
            }
            axis += 1;
        }
        edge += 1;
    }
    all
};

/// The largest entry.
#[inline(always)]
fn largest(vector: &Vector3<f64>) -> f64 {
    vector.x.max(vector.y).max(vector.z)
}

/// A box, and the other one as seen from it.
pub(super) struct Side {
    pub(super) half: Vector3<f64>,
    center: Vector3<f64>,
    /// Axes of the box in the world, as columns.
    axes: Matrix3<f64>,
    /// Axes of the other box in this frame, as columns.
    pub(super) turn: Matrix3<f64>,
    /// Center of the other box in this frame.
    pub(super) other: Vector3<f64>,
    pub(super) other_half: Vector3<f64>,
}

impl Side {
    /// Both sides and the absolute values of the products of their axes, or the separation by a face that is larger than `margin`.
    #[inline(always)]
    pub(super) fn both(
        [a, b]: [&Placed<'_>; 2],
        half: [&Vector3<f64>; 2],
        margin: f64,
    ) -> Result<([Self; 2], Matrix3<f64>), f64> {
        let (axes_a, axes_b) = (a.axes, b.axes);
        let (center_a, center_b) = (a.pose.translation.vector, b.pose.translation.vector);
        let apart = center_b - center_a;
        let turn = transposed_product(&axes_a, &axes_b);
        let lengths = turn.abs();
        let other = transposed_times(&axes_a, &apart);
        let back = -transposed_times(&axes_b, &apart);
        let by_first = largest(&(other.abs() - half[0] - times(&lengths, half[1])));
        let by_second = largest(&(back.abs() - half[1] - transposed_times(&lengths, half[0])));
        let separation = by_first.max(by_second);
        if separation > margin {
            return Err(separation);
        }
        let (half, other_half) = (*half[0], *half[1]);
        let first = Self { half, center: center_a, axes: axes_a, turn, other, other_half };
        let second = Self {
            half: other_half,
            center: center_b,
            axes: axes_b,
            turn: turn.transpose(),
            other: back,
            other_half: half,
        };
        Ok(([first, second], lengths))
    }

    /// Half extent of this box along `axis` plus that of the other (m).
    #[inline(always)]
    pub(super) fn thickness(&self, axis: usize) -> f64 {
        let reach = |k: usize| self.turn[(axis, k)].abs() * self.other_half[k];
        self.half[axis] + reach(0) + reach(1) + reach(2)
    }

    /// Outward normal of a face.
    #[inline(always)]
    pub(super) fn outward(face: usize) -> Vector3<f64> {
        Vector3::ith(face / 2, if face.is_multiple_of(2) { 1.0 } else { -1.0 })
    }

    /// Corner `index` of the other box in this frame.
    #[inline(always)]
    pub(super) fn corner_of_other(&self, index: usize) -> Vector3<f64> {
        self.other + times(&self.turn, &self.other_half.component_mul(&corner(index)))
    }

    /// The [heights](Self::height) of the [corners](Self::corner_of_other) of the other box over a face, to the bit (m).
    #[inline(always)]
    pub(super) fn heights_of_corners(&self, face: usize) -> [f64; 8] {
        let (axis, up) = (face / 2, face.is_multiple_of(2));
        let (center, half) = (self.other[axis], self.half[axis]);
        let edge = |k: usize| self.turn[(axis, k)] * self.other_half[k];
        let [x, y, z] = [edge(0), edge(1), edge(2)];
        let height = |x: f64, y: f64, z: f64| {
            let place = center + (x + y + z);
            (if up { place } else { -place }) - half
        };
        [
            height(-x, -y, -z),
            height(x, -y, -z),
            height(-x, y, -z),
            height(x, y, -z),
            height(-x, -y, z),
            height(x, -y, z),
            height(-x, y, z),
            height(x, y, z),
        ]
    }

    /// The corner of the other box that is lowest over a face; of equal ones the first.
    #[inline(always)]
    pub(super) fn lowest(&self, face: usize) -> usize {
        let row = self.turn.row(face / 2);
        let up = if face.is_multiple_of(2) { 1.0 } else { -1.0 };
        (0..3).map(|axis| usize::from(up * row[axis] < 0.0) << axis).sum()
    }

    /// Height of a point over the plane of a face (m).
    #[inline(always)]
    pub(super) fn height(&self, face: usize, point: &Vector3<f64>) -> f64 {
        let along = point[face / 2];
        (if face.is_multiple_of(2) { along } else { -along }) - self.half[face / 2]
    }

    /// Whether the projection of a point on a face is in the face, or at most `slack` (m) beside each of its edges.
    #[inline(always)]
    pub(super) fn is_over(&self, face: usize, point: &Vector3<f64>, slack: f64) -> bool {
        next(face / 2).iter().all(|&axis| point[axis].abs() <= self.half[axis] + slack)
    }

    /// The face whose normal is along `direction` if the cosine of the angle is above `least`; of equal ones the
    /// first.
    #[inline(always)]
    pub(super) fn facing(direction: &Vector3<f64>, least: f64) -> Option<usize> {
        let (mut best, mut largest) = (None, least);
        for face in 0..6 {
            let along = direction[face / 2];
            let along = if face.is_multiple_of(2) { along } else { -along };
            if along > largest {
                (best, largest) = (Some(face), along);
            }
        }
        best
    }

    /// A point of this frame in the world.
    #[inline(always)]
    pub(super) fn place(&self, point: &Vector3<f64>) -> Vector3<f64> {
        self.center + times(&self.axes, point)
    }

    /// A direction of this frame in the world.
    #[inline(always)]
    pub(super) fn to_world(&self, direction: &Vector3<f64>) -> Vector3<f64> {
        times(&self.axes, direction)
    }
}
