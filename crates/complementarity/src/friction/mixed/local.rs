//! One block in closed form, the impulses of the others held fixed: [`Local`].
//!
//! In canonical coordinates a contact with one ball eliminates its normal: with `u = A x − b`, `x = (λ_n, y)` and a
//! closed contact, `λ_n = (b_n − a·y)/A_nn` and the slip is `P y − q` with `P = A_tt − a aᵀ/A_nn`,
//! `q = b_t − a b_n/A_nn`. Sliding with `−s y`, `s ≥ 0`, is the [secular equation](Secular)
//!
//! ```math
//! (P + s I)\, y = q, \qquad \|y\| = (b_n - a \cdot y)/A_{nn} .
//! ```
//!
//! | cone | solved by |
//! | --- | --- |
//! | one ball of 1 or 2 components | [`coulomb`], with all its cases |
//! | one ball of 3 to 5 components | the secular equation |
//! | product of balls | normal and first ball as above, then each other ball in the radius `λ_n`, until nothing changes |
//! | polygon | all its corners and edges |
//!
//! A contact that separates without impulse (`b_n < 0`) gets none.

use nalgebra::{DMatrix, Matrix3, Vector3};

use super::{
    factor::factor_of_inverse,
    polygon::{Polygon, dot, minus},
    projection::{Cone, ROWS},
    secular::Secular,
    shape::MOST,
};
use crate::friction::single::{Contact, coulomb};

/// What a block is solved by.
#[derive(Clone, Debug)]
pub(super) enum Local {
    /// Bilateral rows: the pseudo-inverse of the block.
    Free(DMatrix<f64>),
    /// One row `x ≥ 0`, or one row in an interval.
    Positive,
    /// One ball of one or two components.
    Single(Box<Contact>),
    /// One ball of more components.
    Ball(Box<Ball>),
    Product(Box<Product>),
    Facets(Box<Facets>),
}

/// A contact with one ball.
#[derive(Clone, Debug)]
pub(super) struct Ball {
    /// `A_nn` and `a`.
    normal: f64,
    coupling: Vec<f64>,
    secular: Secular,
}

/// A contact with several balls.
#[derive(Clone, Debug)]
pub(super) struct Product {
    block: DMatrix<f64>,
    /// Normal and first ball.
    first: Contact,
    /// Components of the first ball.
    size: usize,
    /// First component and number of components of the other balls.
    others: Vec<(usize, usize, Secular)>,
}

/// A contact with a polygon.
#[derive(Clone, Debug)]
pub(super) struct Facets {
    block: Matrix3<f64>,
    inverse: Matrix3<f64>,
}

impl Local {
    pub(super) fn new(cone: &Cone, block: &DMatrix<f64>) -> Self {
        match cone {
            Cone::Free => {
                let factor = factor_of_inverse(block);
                Self::Free(&factor * factor.transpose())
            }
            Cone::Positive | Cone::Interval(_) => Self::Positive,
            Cone::Balls(factors) => match factors[..] {
                [1 | 2] => Self::Single(Box::new(contact(block))),
                [_] => Self::Ball(Box::new(Ball::new(block))),
                _ => Self::Product(Box::new(Product::new(block, factors))),
            },
            Cone::Polygon(_) => {
                let factor = factor_of_inverse(block);
                let inverse = &factor * factor.transpose();
                let small = |matrix: &DMatrix<f64>| Matrix3::from_fn(|i, j| matrix[(i, j)]);
                Self::Facets(Box::new(Facets { block: small(block), inverse: small(&inverse) }))
            }
        }
    }

    /// Replaces the impulse `x` of a block, with which its velocity is `u`, by the one that obeys its law.
    pub(super) fn solve(&self, cone: &Cone, x: &mut [f64], u: &[f64]) {
        match self {
            Self::Free(inverse) => {
                for (i, x) in x.iter_mut().enumerate() {
                    *x -= (0..u.len()).map(|j| inverse[(i, j)] * u[j]).sum::<f64>();
                }
            }
            // The diagonal is 1.
            Self::Positive => {
                x[0] -= u[0];
                cone.project(x, None);
            }
            Self::Single(contact) => {
                let old = Vector3::from_fn(|i, _| x.get(i).copied().unwrap_or(0.0));
                let velocity = Vector3::from_fn(|i, _| u.get(i).copied().unwrap_or(0.0));
                let b = contact.block() * old - velocity;
                let new = coulomb::solve_near(contact, &b, &old);
                x.copy_from_slice(&new.as_slice()[..x.len()]);
            }
            Self::Ball(ball) => ball.solve(x, u),
            Self::Product(product) => product.solve(x, u),
            Self::Facets(facets) => {
                if let Cone::Polygon(polygon) = cone {
                    facets.solve(polygon, x, u);
                }
            }
        }
    }
}

/// A contact with friction 1 of normal and one or two tangents. A tangent that cannot move gets a compliance of
/// rounding, by which its slip is opposed.
fn contact(block: &DMatrix<f64>) -> Contact {
    let entry = |i: usize, j: usize| {
        let inside = i < block.nrows() && j < block.nrows();
        if inside { block[(i, j)] } else { 0.0 }
    };
    let least = 1e-13 * block[(0, 0)];
    let missing = block.nrows();
    // A block that rounding made indefinite is taken with a little less coupling.
    for shrink in [0.0, 1e-14, 1e-12, 1e-10, 1e-8, 1.0] {
        let matrix = Matrix3::from_fn(|i, j| {
            if i != j {
                (1.0 - shrink) * entry(i, j)
            } else if i == missing {
                entry(1, 1).max(least)
            } else {
                entry(i, i).max(least)
            }
        });
        if let Ok(contact) = Contact::new(&matrix, 1.0) {
            return contact;
        }
    }
    Contact::new(&Matrix3::identity(), 1.0)
        .unwrap_or_else(|_| unreachable!("the identity is valid"))
}

impl Ball {
    fn new(block: &DMatrix<f64>) -> Self {
        let (d, normal) = (block.nrows() - 1, block[(0, 0)]);
        let schur = DMatrix::from_fn(d, d, |i, j| {
            block[(i + 1, j + 1)] - block[(i + 1, 0)] * block[(0, j + 1)] / normal
        });
        let coupling = (0..d).map(|i| block[(i + 1, 0)]).collect();
        // `P` is also the block without its normal part: keep it for `A x − u`.
        Self { normal, coupling, secular: Secular::new(&schur) }
    }

    /// With the closed contact's `q = P y − slip` no product with `A` is needed: the slip with a closed normal is
    /// `u_t − a u_n/A_nn`.
    fn solve(&self, x: &mut [f64], u: &[f64]) {
        let d = self.coupling.len();
        let own: f64 = (0..d).map(|i| self.coupling[i] * x[i + 1]).sum();
        let b = self.normal * x[0] + own - u[0];
        if b <= 0.0 {
            x.fill(0.0);
            return;
        }
        let (mut q, mut slope, mut y) = ([0.0; MOST], [0.0; MOST], [0.0; MOST]);
        self.secular.apply(&x[1..], &mut q[..d]);
        for i in 0..d {
            slope[i] = self.coupling[i] / self.normal;
            q[i] -= u[i + 1] - slope[i] * u[0];
        }
        if self.secular.solve(&q[..d], b / self.normal, &slope[..d], &mut y[..d]).is_some() {
            let along: f64 = (0..d).map(|i| slope[i] * y[i]).sum();
            x[0] = (b / self.normal - along).max(0.0);
            x[1..].copy_from_slice(&y[..d]);
        } else {
            x[0] = b / self.normal;
            x[1..].fill(0.0);
        }
    }
}

impl Product {
    fn new(block: &DMatrix<f64>, factors: &[usize]) -> Self {
        let size = factors[0];
        let first = contact(&block.view((0, 0), (1 + size, 1 + size)).into_owned());
        let mut others = Vec::new();
        let mut start = 1 + size;
        for &size in &factors[1..] {
            let own = block.view((start, start), (size, size)).into_owned();
            others.push((start, size, Secular::new(&own)));
            start += size;
        }
        Self { block: block.clone(), first, size, others }
    }

    fn solve(&self, x: &mut [f64], u: &[f64]) {
        let n = x.len();
        let mut b = [0.0; ROWS];
        for i in 0..n {
            b[i] = (0..n).map(|j| self.block[(i, j)] * x[j]).sum::<f64>() - u[i];
        }
        let own = 1 + self.size;
        for _ in 0..50 {
            let mut old = [0.0; ROWS];
            old[..n].copy_from_slice(x);
            let load = Vector3::from_fn(|i, _| {
                let rest = |j: usize| self.block[(i, j)] * x[j];
                if i < own { b[i] - (own..n).map(rest).sum::<f64>() } else { 0.0 }
            });
            let guess = Vector3::from_fn(|i, _| if i < own { x[i] } else { 0.0 });
            let new = coulomb::solve_near(&self.first, &load, &guess);
            x[..own].copy_from_slice(&new.as_slice()[..own]);
            for (start, size, secular) in &self.others {
                let range = *start..start + size;
                let mut q = [0.0; MOST];
                for (q, i) in q.iter_mut().zip(range.clone()) {
                    let rest = (0..n).filter(|j| !range.contains(j));
                    *q = b[i] - rest.map(|j| self.block[(i, j)] * x[j]).sum::<f64>();
                }
                let level = x[0];
                let y = &mut x[range];
                if secular.solve(&q[..*size], level, &[0.0; MOST], y).is_none() {
                    y.fill(0.0);
                }
            }
            let size = x.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
            let change = (0..n).fold(0.0_f64, |change, i| change.max((x[i] - old[i]).abs()));
            if change <= 1e-15 * size {
                break;
            }
        }
    }
}

/// The best candidate so far of the impulses of a polygon.
struct Best {
    /// By how much its law is violated, and how far it is from the old impulse.
    miss: f64,
    distance: f64,
    impulse: Vector3<f64>,
}

impl Facets {
    fn solve(&self, polygon: &Polygon, x: &mut [f64], u: &[f64]) {
        let old = Vector3::from_column_slice(x);
        let b = self.block * old - Vector3::from_column_slice(u);
        if b.x <= 0.0 {
            x.fill(0.0);
            return;
        }
        let size = b.amax();
        let mut best = Best { miss: f64::INFINITY, distance: f64::INFINITY, impulse: old };
        let mut offer = |impulse: Vector3<f64>, miss: f64| {
            // What is within rounding counts alike; the nearest is taken.
            let miss = if miss <= 1e-13 * size { 0.0 } else { miss };
            let distance = (impulse - old).norm();
            if miss < best.miss || (miss <= best.miss && distance < best.distance) {
                best = Best { miss, distance, impulse };
            }
        };
        let stick = self.inverse * b;
        let rest = (self.block * stick - b).amax();
        let tangents = [stick.y, stick.z];
        let near = polygon.project(stick.x.max(0.0), tangents);
        let outside = minus(tangents, near);
        if stick.x >= 0.0 {
            offer(stick, rest.max(outside[0].hypot(outside[1])));
        }
        let corners = &polygon.corners;
        let count = corners.len();
        for (at, &corner) in corners.iter().enumerate() {
            let next = corners[(at + 1) % count];
            let before = corners[(at + count - 1) % count];
            self.offer_corner(&b, [before, corner, next], &mut offer);
            if count > 1 {
                self.offer_edge(&b, corner, next, &mut offer);
            }
        }
        x.copy_from_slice(best.impulse.as_slice());
    }

    /// Sliding with the friction at a corner.
    fn offer_corner(
        &self,
        b: &Vector3<f64>,
        [before, corner, next]: [[f64; 2]; 3],
        offer: &mut impl FnMut(Vector3<f64>, f64),
    ) {
        let ray = Vector3::new(1.0, corner[0], corner[1]);
        let lead = self.block.row(0).tr_dot(&ray);
        let push = b.x / lead;
        if !(push >= 0.0 && push.is_finite()) {
            return;
        }
        let impulse = push * ray;
        let velocity = self.block * impulse - b;
        let against = [-velocity.y, -velocity.z];
        let ahead = |other: [f64; 2]| {
            let edge = minus(other, corner);
            let length = edge[0].hypot(edge[1]);
            if length > 0.0 { dot(edge, against) / length } else { 0.0 }
        };
        offer(impulse, ahead(before).max(ahead(next)).max(0.0));
    }

    /// Sliding across an edge: `x = λ (1, c) + τ (0, e)` with `u_n = 0` and `u_t·e = 0`.
    fn offer_edge(
        &self,
        b: &Vector3<f64>,
        corner: [f64; 2],
        next: [f64; 2],
        offer: &mut impl FnMut(Vector3<f64>, f64),
    ) {
        let edge = minus(next, corner);
        let length = edge[0].hypot(edge[1]);
        let (ray, along) = (
            Vector3::new(1.0, corner[0], corner[1]),
            Vector3::new(0.0, edge[0] / length, edge[1] / length),
        );
        let (by_ray, by_edge) = (self.block * ray, self.block * along);
        let (a, c) = (by_ray.x, by_edge.x);
        let (d, e) = (along.dot(&by_ray), along.dot(&by_edge));
        let determinant = a * e - c * d;
        let target = along.dot(b);
        let push = (b.x * e - c * target) / determinant;
        let shift = (a * target - d * b.x) / determinant;
        if !(push >= 0.0 && shift >= 0.0 && shift <= push * length && push.is_finite()) {
            return;
        }
        let impulse = push * ray + shift * along;
        let velocity = self.block * impulse - b;
        // Corners run counterclockwise: outward is to the right.
        let outward = -(along.z * velocity.y - along.y * velocity.z);
        let rest = velocity.x.abs().max(along.dot(&velocity).abs());
        offer(impulse, rest.max(-outward));
    }
}
