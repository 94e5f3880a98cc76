//! The features of two boxes that touch, around their nearest points.

use nalgebra::Vector3;

use super::{
    Boxes, Cross, Nearest, set_bits,
    side::{EDGES, EDGES_OF_FACES, Side, next},
};
use crate::{
    feature::Feature,
    pairs::{Active, CROSSING, FACING, SAME_POINT},
    witness::Witness,
};

/// The contacts found so far, and which are accepted.
struct List<'a> {
    active: &'a mut Vec<Active>,
    /// Number of contacts of other pairs.
    first: usize,
    /// Largest gap (m).
    margin: f64,
    /// Points that are closer are the same (m).
    slack: f64,
}

impl List<'_> {
    /// Appends a contact within the margin, unless there is one at the same point.
    fn add(&mut self, features: [Feature; 2], witness: Witness) {
        let middle = witness.middle();
        let is_new = self.active[self.first..]
            .iter()
            .all(|(_, other)| (other.middle() - middle).norm_squared() > self.slack * self.slack);
        if is_new && witness.gap <= self.margin {
            self.active.push((features, witness));
        }
    }
}

impl Boxes {
    /// Appends the corners of each box over the face of the other that faces it, the crossings of the edges of two
    /// such faces, and the nearest points if none of these is as near.
    pub(super) fn contacts(&self, nearest: &Nearest, margin: f64, active: &mut Vec<Active>) {
        let [a, b] = &self.sides;
        let slack = SAME_POINT * a.half.norm().min(b.half.norm());
        let first = active.len();
        let mut list = List { active, first, margin, slack };
        let face_a = Side::facing(&-nearest.normal[0], FACING);
        let face_b = Side::facing(&nearest.normal[1], FACING);
        if let Some(face) = face_b {
            self.corners(1, face, &mut list);
        }
        if let Some(face) = face_a {
            self.corners(0, face, &mut list);
        }
        if let (Some(face_a), Some(face_b)) = (face_a, face_b) {
            self.crossings([face_a, face_b], &nearest.normal[0], &mut list);
        }
        let gaps = active[first..].iter().map(|(_, witness)| witness.gap);
        if nearest.gap < gaps.fold(f64::INFINITY, f64::min) - slack {
            active.push(([Feature::Whole, Feature::Whole], self.witness(nearest)));
        }
    }

    /// The corners of the other box over a face of box `owner`.
    fn corners(&self, owner: usize, face: usize, list: &mut List<'_>) {
        let side = &self.sides[owner];
        let outward = side.to_world(&Side::outward(face));
        let heights = side.heights_of_corners(face);
        // Most corners are far above; which ones are not is hard to predict, so that they are found before.
        let mut near = 0;
        for (index, &gap) in heights.iter().enumerate() {
            near |= u32::from(gap <= list.margin) << index;
        }
        for index in set_bits(near) {
            let gap = heights[index];
            let place = side.corner_of_other(index);
            if !side.is_over(face, &place, list.slack) {
                continue;
            }
            let (corner, face) = (Feature::Vertex(index), Feature::Face(face));
            if owner == 1 {
                list.add([corner, face], self.of_point(1, &place, outward, gap));
            } else {
                list.add([face, corner], self.of_point(0, &place, -outward, gap));
            }
        }
    }

    /// The crossings of the edges of a face of each box, of which `normal` is the direction of contact in the frame of
    /// box 0.
    fn crossings(&self, faces: [usize; 2], normal: &Vector3<f64>, list: &mut List<'_>) {
        let ([p_1, p_2], [q_1, q_2]) = (next(faces[0] / 2), next(faces[1] / 2));
        let [k, l, m, n] = EDGES_OF_FACES[faces[1]];
        let (edges_a, edges_b) = (EDGES_OF_FACES[faces[0]], [k, l, m, n]);
        let middles = [self.middle(k), self.middle(l), self.middle(m), self.middle(n)];
        let cross = |p: usize, q: usize| Cross::new(&self.sides[0].turn, p, q);
        let crosses = [cross(p_1, q_1), cross(p_1, q_2), cross(p_2, q_1), cross(p_2, q_2)];
        let mut reaches = [[-1.0; 2]; 4];
        for (reach, cross) in reaches.iter_mut().zip(&crosses) {
            // Rounding must not decide differently here and below.
            let faces_contact = cross.along[0].dot(normal).abs() > 0.99 * FACING * cross.sine;
            if cross.sine > CROSSING && faces_contact {
                *reach = self.reach(cross);
            }
        }
        let edges_of = |pair: usize| [edges_a[pair / 4], edges_b[pair % 4]];
        let cross_of = |[i, j]: [usize; 2]| {
            2 * usize::from(EDGES[i].0 == p_2) + usize::from(EDGES[j].0 == q_2)
        };
        let mut inside = 0;
        for pair in 0..16 {
            let (edges, middle) = (edges_of(pair), &middles[pair % 4]);
            let at = cross_of(edges);
            let may = self.may_cross(&crosses[at], edges, middle, &reaches[at]);
            inside |= u32::from(may) << pair;
        }
        for pair in set_bits(inside) {
            let edges = edges_of(pair);
            let cross = &crosses[cross_of(edges)];
            let Some(feet) = self.feet_inside(cross, edges, &middles[pair % 4]) else { continue };
            let crossing = self.crossing_at(cross, edges, &feet);
            if crossing.normal.dot(normal) >= FACING {
                let features = [Feature::Edge(edges[0]), Feature::Edge(edges[1])];
                list.add(features, self.of_crossing(&crossing));
            }
        }
    }
}
