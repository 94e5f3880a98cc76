//! The contacts of a model that may be closed at a position, found without a look at all of them: [`Near`].
//!
//! A gap function may state [regions](percussion_dynamics::gap::Region) that contain its surfaces: balls with centers
//! `c` and radii `r`, and half-spaces. Let `c°` be the centers at an earlier position, the *reference*, and `d` the
//! longest way of a center since then. Then
//!
//! ```math
//! g \ge \lVert c_1 - c_2 \rVert - r_1 - r_2 \ge \lVert c^\circ_1 - c^\circ_2 \rVert - r_1 - r_2 - 2 d ,
//! ```
//!
//! and the same holds with `d` in place of `2 d` for a half-space. The pairs within `T` of each other at the
//! reference, the *candidates*, are therefore all that can have a gap of at most `limit` as long as
//! `limit + 2 d + ε ≤ T`, where `ε` bounds the rounding. As soon as this does not hold, the current position becomes
//! the reference. The bound is checked at every position at which contacts are asked for, so no pair is missed
//! however far bodies move from one position to the next: speeds and forces need no bound of their own.
//!
//! Which pairs are evaluated never changes a result: all contacts whose gap is at most `limit` are among them, and
//! they come in the order of their numbers.
//!
//! - **Cost** of a position one product for each ball, and for each candidate; of a reference a [tree](super::tree) of
//!   the balls and one distance for each listed contact with a half-space. `T − limit` is doubled while references
//!   follow each other closely, and halved while there are too many candidates.
//! - **Deterministic**.
//!
//! # Source
//!
//! L. Verlet, "Computer experiments on classical fluids. I. Thermodynamical properties of Lennard-Jones molecules",
//! *Physical Review* 159 (1967) 98–103 (lists of near pairs with a margin). The bounds are derived here.

use std::collections::BTreeMap;

use nalgebra::Vector3;
use percussion_dynamics::{
    System,
    gap::{Plane, Region, Sphere},
};

use super::tree::{Aabb, Tree};
use crate::model::Contact;

/// Number of contacts below which all are evaluated.
const FEW: usize = 64;
/// A reference that serves fewer positions than this was too close.
const SHORT: usize = 16;
/// Maximum number of candidates for each ball that is not too many.
const MANY: usize = 16;
/// Rounding of a distance in units of its terms: sums of three products and one turn by a unit quaternion take
/// less than 32 operations in each of the distances that are compared.
const ROUNDING: f64 = 256.0 * f64::EPSILON;
/// Lengths whose squares do not overflow.
const HUGE: f64 = 1e150;

/// A contact between two balls.
#[derive(Clone, Copy, Debug)]
struct Pair {
    /// Ascending.
    balls: [usize; 2],
    contact: usize,
}

/// A contact between a ball and a half-space.
#[derive(Clone, Copy, Debug)]
struct Wall {
    ball: usize,
    plane: usize,
    contact: usize,
}

/// A contact that is evaluated if its regions are near.
#[derive(Clone, Copy, Debug)]
enum Candidate {
    Pair(Pair),
    Wall(Wall),
    Always(usize),
}

impl Candidate {
    const fn contact(&self) -> usize {
        match *self {
            Self::Pair(Pair { contact, .. }) | Self::Wall(Wall { contact, .. }) => contact,
            Self::Always(contact) => contact,
        }
    }
}

/// The search; see the [module head](self).
#[derive(Clone, Debug)]
pub(super) struct Near {
    count: usize,
    balls: Vec<Sphere>,
    planes: Vec<Plane>,
    /// Sorted by balls.
    pairs: Vec<Pair>,
    walls: Vec<Wall>,
    /// Contacts without regions.
    others: Vec<usize>,
    /// Sum of the largest radius, offset of a plane, and distance of a center from the origin of its body (m).
    extent: f64,
    /// Centers of the balls now, and at the reference.
    centers: Vec<Vector3<f64>>,
    reference: Vec<Vector3<f64>>,
    /// `T`; negative before the first reference.
    within: f64,
    /// `½ (T − limit)`.
    margin: f64,
    /// Positions since the last reference.
    served: usize,
    /// Ascending.
    candidates: Vec<Candidate>,
    boxes: Vec<Aabb>,
    tree: Tree,
    found: Vec<usize>,
}

impl Near {
    /// The search among these contacts.
    pub(super) fn new(contacts: &[Contact]) -> Self {
        let mut near = Self {
            count: contacts.len(),
            balls: Vec::new(),
            planes: Vec::new(),
            pairs: Vec::new(),
            walls: Vec::new(),
            others: Vec::new(),
            extent: 0.0,
            centers: Vec::new(),
            reference: Vec::new(),
            within: -1.0,
            margin: 0.0,
            served: 0,
            candidates: Vec::new(),
            boxes: Vec::new(),
            tree: Tree::default(),
            found: Vec::new(),
        };
        if contacts.len() < FEW {
            near.others = (0..contacts.len()).collect();
        } else {
            near.sort(contacts);
        }
        near
    }

    /// Sorts the contacts by their regions.
    fn sort(&mut self, contacts: &[Contact]) {
        let (mut balls, mut planes) = (BTreeMap::new(), BTreeMap::new());
        for (contact, one) in contacts.iter().enumerate() {
            match one.gap.regions().filter(|regions| regions.iter().all(is_finite)) {
                Some([Region::Sphere(one), Region::Sphere(two)]) => {
                    let [i, j] = [one, two].map(|ball| self.ball(ball, &mut balls));
                    self.pairs.push(Pair { balls: [i.min(j), i.max(j)], contact });
                }
                Some(
                    [Region::Sphere(ball), Region::HalfSpace(plane)]
                    | [Region::HalfSpace(plane), Region::Sphere(ball)],
                ) => {
                    let ball = self.ball(ball, &mut balls);
                    let plane = *planes.entry(plane_key(&plane)).or_insert_with(|| {
                        self.planes.push(plane);
                        self.planes.len() - 1
                    });
                    self.walls.push(Wall { ball, plane, contact });
                }
                _ => self.others.push(contact),
            }
        }
        self.pairs.sort_by_key(|pair| (pair.balls, pair.contact));
        let radii = self.balls.iter().map(|ball| ball.radius);
        let arms = self.balls.iter().map(|ball| ball.center.point.amax());
        let offsets = self.planes.iter().map(|plane| plane.offset().abs());
        let mean = radii.clone().sum::<f64>() / self.balls.len().max(1) as f64;
        self.extent = largest(radii) + largest(arms) + largest(offsets);
        self.margin = 0.25 * mean;
    }

    /// The number of a ball; a new one is appended.
    fn ball(&mut self, ball: Sphere, numbers: &mut BTreeMap<[u64; 5], usize>) -> usize {
        let [x, y, z] = [0, 1, 2].map(|k: usize| ball.center.point[k].to_bits());
        let body = ball.center.body.map_or(0, |body| body as u64 + 1);
        *numbers.entry([body, x, y, z, ball.radius.to_bits()]).or_insert_with(|| {
            self.balls.push(ball);
            self.balls.len() - 1
        })
    }

    /// The contacts, ascending, among which are all whose gap at `coordinates` is at most `limit` (m) or NaN.
    pub(super) fn at(&mut self, system: &dyn System, coordinates: &[f64], limit: f64) -> &[usize] {
        if self.pairs.is_empty() && self.walls.is_empty() {
            return &self.others;
        }
        self.centers.clear();
        self.centers
            .extend(self.balls.iter().map(|ball| ball.center.position(system, coordinates)));
        let farthest = |centers: &[Vector3<f64>]| {
            // NaN would be dropped.
            let sizes = centers.iter().map(Vector3::amax);
            if centers.iter().flatten().all(|x| x.is_finite()) { largest(sizes) } else { HUGE }
        };
        let size = self.extent + farthest(&self.centers) + limit.abs();
        let last = self.found.len();
        self.found.clear();
        if size.is_nan() || size >= HUGE {
            self.found.extend(0..self.count);
            return &self.found;
        }
        let moved = self.moved();
        let size = size + moved;
        let rounding = ROUNDING * size;
        if limit + 2.0 * moved + rounding > self.within {
            self.adapt(moved, size, last);
            self.refer(limit, rounding);
        }
        self.served += 1;
        let (balls, planes, centers) = (&self.balls, &self.planes, &self.centers);
        let near = |candidate: &&Candidate| match **candidate {
            Candidate::Pair(Pair { balls: [i, j], .. }) => {
                let reach = balls[i].radius + balls[j].radius + limit + rounding;
                reach >= 0.0 && (centers[i] - centers[j]).norm_squared() <= reach * reach
            }
            Candidate::Wall(Wall { ball, plane, .. }) => {
                planes[plane].distance(&centers[ball]) <= balls[ball].radius + limit + rounding
            }
            Candidate::Always(_) => true,
        };
        self.found.extend(self.candidates.iter().filter(near).map(Candidate::contact));
        &self.found
    }

    /// The longest way of a center from the reference (m); 0 without one.
    fn moved(&self) -> f64 {
        if self.within < 0.0 {
            return 0.0;
        }
        let ways = self.centers.iter().zip(&self.reference).map(|(now, then)| now - then);
        largest(ways.map(|way| way.norm_squared())).sqrt()
    }

    /// Adapts the margin to the use of the last reference, from which centers have `moved` and of which the last
    /// position had `found` contacts.
    fn adapt(&mut self, moved: f64, size: f64, found: usize) {
        if self.within >= 0.0 && self.served < SHORT {
            self.margin = (2.0 * self.margin).max(moved).min(size);
        }
        if self.candidates.len() > (MANY * self.balls.len()).max(4 * found) {
            self.margin *= 0.25;
        }
        self.served = 0;
    }

    /// Makes the current centers the reference.
    fn refer(&mut self, limit: f64, rounding: f64) {
        // Twice the rounding: of the distances here, and of those of the positions to come.
        self.within = limit.max(0.0) + 2.0 * self.margin + 2.0 * rounding;
        self.reference.clone_from(&self.centers);
        let within = self.within + rounding;
        let Self { balls, planes, pairs, walls, others, candidates, boxes, .. } = self;
        let centers = &self.centers;
        candidates.clear();
        candidates.extend(others.iter().map(|&contact| Candidate::Always(contact)));
        candidates.extend(
            walls
                .iter()
                .filter(|wall| {
                    let distance = planes[wall.plane].distance(&centers[wall.ball]);
                    distance <= balls[wall.ball].radius + within
                })
                .map(|&wall| Candidate::Wall(wall)),
        );
        let is_near = |[i, j]: [usize; 2]| {
            let reach = balls[i].radius + balls[j].radius + within;
            (centers[i] - centers[j]).norm_squared() <= reach * reach
        };
        if pairs.len() <= MANY * balls.len() {
            let near = pairs.iter().filter(|pair| is_near(pair.balls));
            candidates.extend(near.map(|&pair| Candidate::Pair(pair)));
        } else {
            boxes.clear();
            boxes.extend(balls.iter().zip(centers).map(|(ball, center)| {
                let half = Vector3::repeat(ball.radius + 0.5 * within + rounding);
                Aabb { low: center - half, high: center + half }
            }));
            self.tree.pairs(boxes, |i, j| {
                if is_near([i, j]) {
                    let first = pairs.partition_point(|pair| pair.balls < [i, j]);
                    let of_both = pairs[first..].iter().take_while(|pair| pair.balls == [i, j]);
                    candidates.extend(of_both.map(|&pair| Candidate::Pair(pair)));
                }
            });
        }
        candidates.sort_unstable_by_key(Candidate::contact);
    }
}

/// Whether a ball has a size; contacts with other regions are always evaluated.
fn is_finite(region: &Region) -> bool {
    match region {
        Region::Sphere(Sphere { center, radius }) => {
            *radius >= 0.0 && radius.is_finite() && center.point.iter().all(|x| x.is_finite())
        }
        _ => true,
    }
}

fn plane_key(plane: &Plane) -> [u64; 4] {
    let normal = plane.normal();
    [normal.x, normal.y, normal.z, plane.offset()].map(f64::to_bits)
}

fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use percussion_dynamics::{
        Body, FreeBodies, MassProperties,
        gap::{ContactRows, GapFunction, Rod, RodRod, SpherePlane, SphereSphere},
    };
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// A gap of which no regions are known.
    #[derive(Debug)]
    struct Unknown(SpherePlane);

    impl GapFunction for Unknown {
        fn gap(&self, system: &dyn System, coordinates: &[f64]) -> f64 {
            self.0.gap(system, coordinates)
        }

        fn rows(&self, system: &dyn System, q: &[f64], rows: &mut ContactRows) -> f64 {
            self.0.rows(system, q, rows)
        }
    }

    /// Bodies with one off-center ball each, every pair of them, two planes, a fixed ball and a rod.
    fn scene(count: usize, radii: Range<f64>, rng: &mut ChaCha8Rng) -> (FreeBodies, Vec<Contact>) {
        let ball = Body::from_mass_properties(&MassProperties::solid_sphere(1.0, 0.1).unwrap());
        let system = FreeBodies::new(vec![ball; count], Vector3::zeros()).unwrap();
        let mut balls: Vec<Sphere> = (0..count)
            .map(|body| {
                let arm = Vector3::from_fn(|_, _| rng.random_range(-0.05..0.05));
                Sphere::on_body(body, arm, rng.random_range(radii.clone()))
            })
            .collect();
        balls.push(Sphere::in_world(Vector3::repeat(0.5), 0.1));
        let planes = [Vector3::z(), Vector3::new(-1.0, 0.2, 0.0)]
            .map(|normal| Plane::new(&normal, &(0.5 * (Vector3::repeat(1.0) - normal))).unwrap());
        let mut contacts = Vec::new();
        for (i, &one) in balls.iter().enumerate() {
            for plane in planes {
                contacts.push(Contact::new(SpherePlane::new(one, plane).unwrap(), 0.0));
            }
            // Both orders of the bodies occur.
            for &two in &balls[i + 1..] {
                let [one, two] = if i % 2 == 0 { [one, two] } else { [two, one] };
                contacts.push(Contact::new(SphereSphere::new(one, two).unwrap(), 0.0));
            }
            let rod = Rod::in_world([Vector3::zeros(), Vector3::repeat(1.0)], 0.05);
            contacts.push(Contact::new(RodRod::new(one, rod).unwrap(), 0.0));
        }
        contacts.push(Contact::new(Unknown(SpherePlane::new(balls[0], planes[0]).unwrap()), 0.0));
        (system, contacts)
    }

    fn placed(count: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
        let mut coordinates = Vec::new();
        for _ in 0..count {
            coordinates.extend((0..3).map(|_| rng.random_range(0.0..1.0)));
            let turn: [f64; 4] = [0; 4].map(|_| rng.random_range(-1.0..1.0));
            let norm = turn.iter().map(|x| x * x).sum::<f64>().sqrt();
            coordinates.extend(turn.map(|x| x / norm));
        }
        coordinates
    }

    /// Moves the system by random displacements of up to `way` (m), and compares with all contacts.
    fn follow(count: usize, radii: Range<f64>, way: impl Fn(usize) -> f64) -> (usize, usize) {
        let mut rng = ChaCha8Rng::seed_from_u64(11);
        let (system, contacts) = scene(count, radii, &mut rng);
        let mut near = Near::new(&contacts);
        let mut q = placed(count, &mut rng);
        let (mut looked, mut references) = (0, 0);
        for step in 0..150 {
            for body in 0..count {
                // One body in ten moves ten times as far.
                let way = way(step) * if body % 10 == 0 { 10.0 } else { 1.0 };
                for x in &mut q[7 * body..7 * body + 3] {
                    *x += rng.random_range(-way..=way);
                }
            }
            let limit = [0.0, 1e-9, 0.03, 0.0][step % 4];
            let found = near.at(&system, &q, limit).to_vec();
            let gap = |contact: usize| contacts[contact].gap.gap(&system, &q);
            let all: Vec<_> = (0..contacts.len()).filter(|&c| gap(c) <= limit).collect();
            let kept: Vec<_> = found.iter().copied().filter(|&c| gap(c) <= limit).collect();
            assert_eq!(kept, all, "step {step}");
            looked += found.len();
            references += usize::from(near.served == 1);
        }
        (looked / 150, references)
    }

    #[test]
    fn no_contact_is_missed_however_far_bodies_move() {
        for count in [5, 12, 60] {
            follow(count, 0.01..0.05, |_| 1e-4);
            follow(count, 0.01..0.05, |step| if step % 7 == 0 { 0.5 } else { 1e-3 });
            follow(count, 0.0..1e-9, |_| 1e-3);
            // One ball in a few is as large as the room.
            follow(count, 0.001..0.6, |step| 1e-3 * step as f64);
        }
    }

    /// With radii of 0.1 m the margin is 0.025 m: the two balls with a gap of 0.055 m are no candidates at first,
    /// and overlap by 0.005 m when each has moved by 0.03 m.
    #[test]
    fn balls_that_approach_each_other_are_found_in_time() {
        let ball = Body::from_mass_properties(&MassProperties::solid_sphere(1.0, 0.1).unwrap());
        let system = FreeBodies::new(vec![ball; 12], Vector3::zeros()).unwrap();
        let pairs = (0..12).flat_map(|i| (i + 1..12).map(move |j| [i, j]));
        let contact = |balls: [usize; 2]| {
            let [one, two] = balls.map(|body| Sphere::of_body(body, 0.1));
            Contact::new(SphereSphere::new(one, two).unwrap(), 0.0)
        };
        let contacts: Vec<_> = pairs.map(contact).collect();
        let mut near = Near::new(&contacts);
        for (step, way) in [0.0, 0.01, 0.02, 0.03].into_iter().enumerate() {
            let place = |i: usize| match i {
                0 => way,
                1 => 0.255 - way,
                _ => i as f64,
            };
            let q: Vec<f64> =
                (0..12).flat_map(|i| [place(i), 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]).collect();
            let found = near.at(&system, &q, 0.0).to_vec();
            assert_eq!(found.contains(&0), step == 3, "{way}");
        }
    }

    #[test]
    fn slow_motion_looks_at_few_contacts_and_rarely_makes_a_reference() {
        let (looked, references) = follow(60, 0.01..0.05, |_| 1e-5);
        // Of 2014 contacts; the region of the rod contains most balls, so that 61 are always looked at.
        assert!(looked < 120, "{looked}");
        assert!(references < 15, "{references}");
    }

    #[test]
    fn a_position_that_is_not_finite_excludes_nothing() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let (system, contacts) = scene(12, 0.01..0.05, &mut rng);
        let mut near = Near::new(&contacts);
        let mut q = placed(12, &mut rng);
        assert!(near.at(&system, &q, 0.0).len() < contacts.len() / 2);
        for value in [f64::NAN, f64::INFINITY, 1e200] {
            let kept = std::mem::replace(&mut q[9], value);
            assert_eq!(near.at(&system, &q, 0.0).len(), contacts.len());
            q[9] = kept;
        }
        assert!(near.at(&system, &q, 0.0).len() < contacts.len() / 2);
    }
}
