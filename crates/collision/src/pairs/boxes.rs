//! The contacts of two boxes, in closed form: [`manifold`].
//!
//! With axes `A_i` and `B_j`, half extents `a` and `b`, and centers that are `d` apart, two boxes have along a unit
//! vector `n` the separation
//!
//! ```math
//! s(n) = |n \cdot d| - \sum_i a_i\, |n \cdot A_i| - \sum_j b_j\, |n \cdot B_j| .
//! ```
//!
//! Its largest value over all `n` is the distance of boxes that are apart. The largest over the 15 directions `A_i`,
//! `B_j` and `A_i × B_j` is minus the depth of boxes that overlap, and the distance unless the nearest points are a
//! vertex and a point of an edge or another vertex. In this case the nearest of the 16 vertices gives an `n`, and
//! `s(n)` proves that nothing is nearer.
//!
//! The features that touch are those that [`faceted`](super::manifold) describes, in the same order, and their gaps
//! are the same up to rounding.
//!
//! - **Needs** nothing: the answer is a function of the two poses alone.
//! - **Does not** decide pairs whose nearest points are not unique, such as parallel edges that cross parallel faces
//!   without a vertex over one; they are left to the general code.
//! - **Cost** about 60 operations for boxes that a face separates, and 500 to 1500 for boxes that touch. Allocates
//!   nothing but the contacts.
//!
//! # Source
//!
//! S. Gottschalk, M. C. Lin, D. Manocha, "`OBBTree`: a hierarchical structure for rapid interference
//! detection", *SIGGRAPH* 1996, 171–180, for the 15 directions.

mod contacts;
mod crossing;
mod side;

use nalgebra::{Matrix3, Vector3};

use self::{
    crossing::{Cross, Crossing},
    side::{Side, next},
};
use super::{Active, CLOSE, PARALLEL, separation::TIE};
use crate::{feature::Feature, products::transposed_times, solid::Placed, witness::Witness};

/// Relative error of the separation along the direction between two points that are [`CLOSE`] or farther apart:
/// that of the direction, a few roundings over their distance.
const PROOF: f64 = 16.0 * f64::EPSILON / CLOSE;

/// Appends the pairs of features with a gap of at most `margin` (m), not sorted; returns a lower bound of the gap, or
/// `None` if it cannot decide.
pub(super) fn manifold(
    placed: [&Placed<'_>; 2],
    half: [&Vector3<f64>; 2],
    margin: f64,
    active: &mut Vec<Active>,
) -> Option<f64> {
    let boxes = match Boxes::new(placed, half, margin) {
        Ok(boxes) => boxes,
        Err(apart) => return Some(apart),
    };
    let axis = boxes.largest_separation(boxes.best_faces());
    if axis.gap > margin {
        return Some(axis.gap);
    }
    let nearest = boxes.nearest(&axis)?;
    if nearest.gap <= margin {
        boxes.contacts(&nearest, margin, active);
    }
    Some((nearest.gap - PROOF * boxes.sizes).max(margin))
}

/// The gap of two features, as [`manifold`] gives it for those that touch; `None` if it cannot decide.
pub(super) fn evaluate(
    placed: [&Placed<'_>; 2],
    half: [&Vector3<f64>; 2],
    features: [Feature; 2],
) -> Option<Witness> {
    let boxes = Boxes::new(placed, half, f64::INFINITY).ok()?;
    match features {
        [Feature::Vertex(corner), Feature::Face(face)] => {
            return Some(boxes.corner_over(1, face, corner));
        }
        [Feature::Face(face), Feature::Vertex(corner)] => {
            return Some(boxes.corner_over(0, face, corner));
        }
        [Feature::Edge(i), Feature::Edge(j)] => {
            if let Some((crossing, _)) = boxes.crossing([i, j]) {
                return Some(boxes.of_crossing(&crossing));
            }
        }
        _ => {}
    }
    let axis = boxes.largest_separation(boxes.best_faces());
    boxes.nearest(&axis).map(|nearest| boxes.witness(&nearest))
}

/// Two boxes, each as seen from the frame of the other.
struct Boxes {
    sides: [Side; 2],
    /// Absolute values of the entries `A_i · B_j`.
    lengths: Matrix3<f64>,
    /// Sum of the distances of corners from the centers (m).
    sizes: f64,
}

/// Largest distance or smallest depth of two boxes, and the features that have it.
struct Nearest {
    gap: f64,
    /// Unit normal from box 1 to box 0, in the frame of each box.
    normal: [Vector3<f64>; 2],
    features: Features,
}

/// The features that give a [`Nearest`].
#[derive(Clone, Copy)]
enum Features {
    /// A face of a side, and the lowest corner of the other over it.
    Face { owner: usize, face: usize },
    /// An edge of each.
    Edges([usize; 2]),
    /// A corner of the box that is not `owner`, at this place in the frame of `owner`.
    Corner { owner: usize, place: Vector3<f64> },
}

/// The better face of a box for the separation of the other.
#[derive(Clone, Copy)]
struct BestFace {
    gap: f64,
    face: usize,
}

/// Two edges and the separation of their lines.
#[derive(Clone, Copy)]
struct EdgePair {
    edges: [usize; 2],
    gap: f64,
    normal: [Vector3<f64>; 2],
}

impl Boxes {
    /// The boxes, or the separation by a face that is larger than `margin` (m).
    #[inline(always)]
    fn new(placed: [&Placed<'_>; 2], half: [&Vector3<f64>; 2], margin: f64) -> Result<Self, f64> {
        let (sides, lengths) = Side::both(placed, half, margin)?;
        Ok(Self { sides, lengths, sizes: half[0].norm() + half[1].norm() })
    }

    /// Separations that differ by less are equal (m).
    #[inline(always)]
    fn tie(&self) -> f64 {
        TIE * self.sizes
    }

    /// The face of each box along which the other is farthest; of equal ones the first.
    #[inline(always)]
    fn best_faces(&self) -> [BestFace; 2] {
        [self.best_face(0), self.best_face(1)]
    }

    #[inline(always)]
    fn best_face(&self, owner: usize) -> BestFace {
        let (side, tie) = (&self.sides[owner], self.tie());
        let mut best = BestFace { gap: f64::NEG_INFINITY, face: 0 };
        for axis in 0..3 {
            let (away, thickness) = (side.other[axis], side.thickness(axis));
            for (face, away) in [(2 * axis, away), (2 * axis + 1, -away)] {
                let gap = away - thickness;
                if gap > best.gap + tie {
                    best = BestFace { gap, face };
                }
            }
        }
        best
    }

    /// The first of the largest separations along the 15 directions. Faces of box 1 come first, then those of box 0,
    /// then edges in the order of their numbers.
    fn largest_separation(&self, faces: [BestFace; 2]) -> Nearest {
        let owner = usize::from(faces[0].gap <= faces[1].gap + self.tie());
        let BestFace { gap, face } = faces[owner];
        match self.best_edges(gap) {
            Some(EdgePair { edges, gap, normal }) => {
                Nearest { gap, normal, features: Features::Edges(edges) }
            }
            None => {
                let sign = if owner == 1 { 1.0 } else { -1.0 };
                let outward = Side::outward(face);
                let normal = self.in_both(owner, &(sign * outward));
                Nearest { gap, normal, features: Features::Face { owner, face } }
            }
        }
    }

    /// A vector of the frame of box `owner` in both frames.
    #[inline(always)]
    fn in_both(&self, owner: usize, vector: &Vector3<f64>) -> [Vector3<f64>; 2] {
        let other = transposed_times(&self.sides[owner].turn, vector);
        if owner == 0 { [*vector, other] } else { [other, *vector] }
    }

    /// The pair of edges whose separation exceeds that of the faces, if there is one.
    fn best_edges(&self, faces: f64) -> Option<EdgePair> {
        let [a, b] = &self.sides;
        let least = faces + self.tie();
        // Along a product that is not longer than 1, what is below this is not above `least` times its length.
        let floor = least.min(0.0);
        let (turn, lengths, away) = (&a.turn, &self.lengths, &a.other);
        let (mut gaps, mut above) = ([0.0; 9], 0);
        for q in 0..3 {
            let [q_1, q_2] = next(q);
            for p in 0..3 {
                let [p_1, p_2] = next(p);
                let along = away[p_2] * turn[(p_1, q)] - away[p_1] * turn[(p_2, q)];
                let of_a = a.half[p_1] * lengths[(p_2, q)] + a.half[p_2] * lengths[(p_1, q)];
                let of_b = b.half[q_1] * lengths[(p, q_2)] + b.half[q_2] * lengths[(p, q_1)];
                let gap = along.abs() - of_a - of_b;
                gaps[3 * q + p] = gap;
                above |= u32::from(gap > floor) << (3 * q + p);
            }
        }
        let (mut exceeding, mut count) = ([[0; 2]; 9], 0);
        for index in set_bits(above) {
            let (p, q) = (index % 3, index / 3);
            let [p_1, p_2] = next(p);
            let (y, z) = (turn[(p_1, q)], turn[(p_2, q)]);
            if gaps[index] > least * (y * y + z * z).sqrt() {
                exceeding[count] = [p, q];
                count += 1;
            }
        }
        if count == 0 { None } else { self.choose_edges(&exceeding[..count], least) }
    }

    /// The first of the largest separations of edges along these axes that are above `least`.
    fn choose_edges(&self, axes: &[[usize; 2]], least: f64) -> Option<EdgePair> {
        let [a, b] = &self.sides;
        let mut found: [Option<EdgePair>; 18] = [None; 18];
        let mut count = 0;
        for &[p, q] in axes {
            let cross = Cross::new(&a.turn, p, q);
            if cross.sine <= PARALLEL {
                continue;
            }
            let (away, thickness) = (a.other.dot(&cross.along[0]), thickness(a, b, &cross.along));
            // The normal points from box 1 to box 0, and `away` from 0 to 1.
            for (sign, away) in [(-1.0, away), (1.0, -away)] {
                let gap = (away - thickness) / cross.sine;
                if gap > least {
                    found[count] = Some(cross.edges(sign, gap));
                    count += 1;
                }
            }
        }
        found[..count].sort_unstable_by_key(|pair| pair.map(|pair| pair.edges));
        let mut best: Option<EdgePair> = None;
        for pair in found[..count].iter().flatten() {
            if best.is_none_or(|best| pair.gap > best.gap + self.tie()) {
                best = Some(*pair);
            }
        }
        best
    }

    /// The nearest points of boxes with this largest separation along the 15 directions; `None` if they are not a
    /// vertex over a face, two edges that cross, or a vertex that nothing is nearer than.
    fn nearest(&self, axis: &Nearest) -> Option<Nearest> {
        let attained = axis.gap <= CLOSE * self.sizes
            || match axis.features {
                Features::Face { owner, face } => self.is_over(owner, face, axis.gap + self.tie()),
                Features::Edges(edges) => self.crossing(edges).is_some_and(|(_, inside)| inside),
                Features::Corner { .. } => true,
            };
        if attained { Some(Nearest { ..*axis }) } else { self.nearest_corner() }
    }

    /// Whether a corner of the other box that is at most at `height` is over a face of box `owner`.
    fn is_over(&self, owner: usize, face: usize, height: f64) -> bool {
        let side = &self.sides[owner];
        (0..8).any(|index| {
            let place = side.corner_of_other(index);
            side.height(face, &place) <= height && side.is_over(face, &place, 0.0)
        })
    }

    /// The corner that is nearest to the other box, if the separation in its direction proves it.
    fn nearest_corner(&self) -> Option<Nearest> {
        let mut least = (f64::INFINITY, 0, Vector3::zeros(), Vector3::zeros());
        for (owner, side) in self.sides.iter().enumerate() {
            for index in 0..8 {
                let place = side.corner_of_other(index);
                let away = place - place.sup(&-side.half).inf(&side.half);
                let square = away.norm_squared();
                if square < least.0 {
                    least = (square, owner, place, away);
                }
            }
        }
        let (square, owner, place, away) = least;
        let (distance, side) = (square.sqrt(), &self.sides[owner]);
        let outward = away / distance;
        let along = transposed_times(&side.turn, &outward);
        let separation = outward.dot(&side.other)
            - side.half.dot(&outward.abs())
            - side.other_half.dot(&along.abs());
        let sign = if owner == 1 { 1.0 } else { -1.0 };
        // False if the distance is 0 and the direction is not a number.
        (separation >= distance - PROOF * self.sizes).then(|| Nearest {
            gap: distance,
            normal: self.in_both(owner, &(sign * outward)),
            features: Features::Corner { owner, place },
        })
    }

    /// The points of a [`Nearest`].
    fn witness(&self, nearest: &Nearest) -> Witness {
        let normal = || self.sides[0].to_world(&nearest.normal[0]);
        match nearest.features {
            Features::Face { owner, face } => {
                self.corner_over(owner, face, self.sides[owner].lowest(face))
            }
            Features::Corner { owner, place } => {
                self.of_point(owner, &place, normal(), nearest.gap)
            }
            Features::Edges(edges) => match self.crossing(edges) {
                Some((crossing, _)) => self.of_crossing(&crossing),
                None => Witness::new(self.sides[0].place(&Vector3::zeros()), normal(), nearest.gap),
            },
        }
    }

    /// Corner `index` of the other box over a face of box `owner`.
    fn corner_over(&self, owner: usize, face: usize, index: usize) -> Witness {
        let side = &self.sides[owner];
        let (outward, place) = (Side::outward(face), side.corner_of_other(index));
        let outward = side.to_world(&if owner == 1 { outward } else { -outward });
        self.of_point(owner, &place, outward, side.height(face, &place))
    }

    /// A point of the box that is not `owner`, given in the frame of `owner`.
    #[inline(always)]
    fn of_point(
        &self,
        owner: usize,
        place: &Vector3<f64>,
        normal: Vector3<f64>,
        gap: f64,
    ) -> Witness {
        let point = self.sides[owner].place(place);
        if owner == 1 {
            Witness::new(point, normal, gap)
        } else {
            Witness::new(point, -normal, gap).flipped()
        }
    }

    #[inline(always)]
    fn of_crossing(&self, crossing: &Crossing) -> Witness {
        let side = &self.sides[0];
        let (point, normal) = (side.place(&crossing.point), side.to_world(&crossing.normal));
        Witness::new(point, normal, crossing.gap)
    }
}

/// The numbers of the bits that are set, ascending.
#[inline(always)]
fn set_bits(mut bits: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = (bits != 0).then(|| bits.trailing_zeros() as usize);
        bits &= bits.wrapping_sub(1);
        lowest
    })
}

/// The sum of the extents of both boxes from their centers along a vector, given in both frames.
#[inline(always)]
fn thickness(a: &Side, b: &Side, along: &[Vector3<f64>; 2]) -> f64 {
    a.half.dot(&along[0].abs()) + b.half.dot(&along[1].abs())
}

#[cfg(test)]
mod tests;
