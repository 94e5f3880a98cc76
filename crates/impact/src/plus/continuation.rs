//! Continuation in the friction: finds a set of constraints with its directions of impending slip where
//! neither dropping constraints and Newton's method nor the [contact problem](super::contact_problem) find one.
//!
//! For given ratios `σ` of slip ([`slip`](super::slip)) an interval is a complementarity problem in the
//! normals alone. Its matrix is symmetric if no point keeps sliding. With `τ = s/(s + σ)` and a size `s`
//! chosen for each point, the range of friction from zero (`τ = 0`) to rolling (`τ = 1`) is a cube. With
//! `π_t = −τ p` Coulomb's law is the fixed point of a map of the cube into itself,
//!
//! ```math
//! T_t(\tau)_k = \min\Bigl(1,\; \frac{t\, \mu_k\, \pi_{n,k}(\tau)}{\lVert p_k(\tau) \rVert}\Bigr), \qquad t = 1 ,
//! ```
//!
//! and for `t = 0` its only fixed point is that without friction. Where `T` is continuous, a path of fixed
//! points leads from there to `t = 1`: it can neither leave the cube nor return. It is followed through the
//! simplices of Freudenthal's triangulation, in which `T` is replaced by its linear interpolation, so that
//! kinks of `T` do no harm.
//!
//! - **Finds** a set in which every contact obeys its law, including free contacts, whenever `T` is
//!   continuous: for independent rows when no point keeps sliding.
//! - **Otherwise** it gives a good start, which the caller checks like any other. Points that keep sliding
//!   can make the normal impulses jump, and for redundant points there may be no impulses that depend
//!   continuously on `τ`.
//! - **Cost** hundreds of evaluations; meant for the few intervals in which it is necessary.
//!
//! # Source
//!
//! E. L. Allgower, K. Georg, *Introduction to Numerical Continuation Methods*, SIAM 2003, chapters 12
//! and 13 (triangulations, pivoting by reflection); O. H. Merrill's homotopy is described there.

use super::{
    equations::{Equations, Given, SlipRule, end, end_slip, largest},
    orthogonal::Orthogonal,
    point::{Motion, Phase, Point, State},
};

/// Number of cells along each edge of the cube, in the first attempt and in the second.
const MESHES: [usize; 2] = [4, 16];
/// Maximum number of simplices in an attempt.
const SIMPLICES: usize = 1000;
/// Maximum number of Newton steps at the end, maximum number of halvings of a step, and the step of the
/// differences.
const POLISH: usize = 40;
const SHORTENINGS: usize = 12;
const DIFFERENCE: f64 = 1e-7;
/// Maximum number of changes of the set of normals in one evaluation.
const FLIPS: usize = 200;

/// Memory of the continuation.
#[derive(Clone, Debug, Default)]
pub(super) struct Continuation {
    /// Points whose slip is unknown, and the size `s` of each.
    implicit: Vec<usize>,
    size: Vec<f64>,
    /// Vertices `(τ, t)` of the simplex, in order, and `τ − T` of each.
    vertices: Vec<Vec<f64>>,
    labels: Vec<Vec<f64>>,
    /// Weights of the vertices with which `τ − T` vanishes; the weight of the entering vertex is 0.
    weights: Vec<f64>,
    matrix: Vec<f64>,
    column: Vec<f64>,
    unit: Vec<f64>,
    orthogonal: Orthogonal,
}

/// The data that do not change in an interval.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame<'a> {
    pub(super) delassus: &'a nalgebra::DMatrix<f64>,
    pub(super) velocity: &'a [f64],
    pub(super) start: &'a [State],
    pub(super) rank_tolerance: f64,
    /// Normal velocity that counts as approach (m/s).
    pub(super) approach: f64,
}

impl Continuation {
    /// Number of meshes to try.
    pub(super) const ATTEMPTS: usize = MESHES.len();

    /// Follows the path with the mesh of `attempt`. Sets `states` and the `slip` of the points to the values
    /// at its end; returns false where the end was not reached.
    pub(super) fn follow(
        &mut self,
        attempt: usize,
        frame: Frame<'_>,
        equations: &mut Equations,
        points: &mut [Point],
        states: &mut [State],
        impulse: &mut [f64],
    ) -> bool {
        self.implicit.clear();
        let rolls = frame.start.iter().enumerate().filter(|(_, s)| s.motion == Motion::Rolling);
        self.implicit.extend(rolls.map(|(k, _)| k));
        let count = self.implicit.len();
        let found = self.measure(frame, equations, points, states, impulse);
        if count == 0 || !found {
            return found;
        }
        let cells = MESHES[attempt.min(MESHES.len() - 1)];
        self.begin(cells);
        for index in 0..=count {
            self.label(index, frame, equations, points, states, impulse);
        }
        if !self.first_weights() {
            return false;
        }
        let mut entering = count + 1;
        for _ in 0..SIMPLICES {
            if equations.is_spent() {
                return false;
            }
            // The facet is solved for its weights.
            equations.spend(2 * (count + 1).pow(3));
            self.label(entering, frame, equations, points, states, impulse);
            let Some(leaving) = self.exchange(entering) else { return false };
            let level = |wanted: fn(f64) -> bool| {
                let others = self.vertices.iter().enumerate().filter(|(i, _)| *i != leaving);
                others.map(|(_, vertex)| vertex[count]).all(wanted)
            };
            if level(|t| t > 1.0 - 1e-9) {
                return self.arrive(frame, equations, points, states, impulse);
            }
            if level(|t| t < 1e-9) {
                return false;
            }
            self.reflect(leaving);
            entering = leaving;
        }
        false
    }

    /// Sets the sizes `s` so that the middle of the cube corresponds to the friction that the frictionless
    /// interval suggests.
    fn measure(
        &mut self,
        frame: Frame<'_>,
        equations: &mut Equations,
        points: &mut [Point],
        states: &mut [State],
        impulse: &mut [f64],
    ) -> bool {
        for &k in &self.implicit {
            points[k].slip = f64::INFINITY;
        }
        let found = normals(frame, equations, points, states, impulse);
        self.size.clear();
        for &k in &self.implicit {
            let rows = points[k].normal + 1..=points[k].normal + points[k].tangents;
            let inertia = rows.map(|row| frame.delassus[(row, row)]).fold(0.0, f64::max);
            let speed = end_slip(frame.delassus, frame.velocity, &points[k], impulse);
            let bound = points[k].friction * impulse[points[k].normal];
            let size = if bound > 0.0 { inertia.max(speed / bound) } else { inertia };
            self.size.push(if size.is_finite() && size > 0.0 { size } else { 1.0 });
        }
        found
    }

    /// The first simplex: a facet in `t = 0` around `τ = 0`, and the vertex above.
    fn begin(&mut self, cells: usize) {
        let count = self.implicit.len();
        let mesh = 1.0 / cells as f64;
        self.vertices.resize(count + 2, Vec::new());
        self.labels.resize(count + 2, Vec::new());
        self.vertices[0].clear();
        // Not the center of the facet: in symmetric problems the path from there would run along edges.
        let offset = |i: usize| mesh * (count as f64 - 0.3 - i as f64) / (count as f64 + 1.0);
        self.vertices[0].extend((0..count).map(|i| -offset(i)));
        self.vertices[0].push(0.0);
        for index in 0..=count {
            let (before, after) = self.vertices.split_at_mut(index + 1);
            after[0].clone_from(&before[index]);
            after[0][index] += mesh;
        }
    }

    /// Evaluates `τ − T` at a vertex.
    fn label(
        &mut self,
        index: usize,
        frame: Frame<'_>,
        equations: &mut Equations,
        points: &mut [Point],
        states: &mut [State],
        impulse: &mut [f64],
    ) {
        let count = self.implicit.len();
        let share = self.vertices[index][count].clamp(0.0, 1.0);
        let (vertex, label) = (&self.vertices[index], &mut self.labels[index]);
        label.clear();
        label.extend_from_slice(&vertex[..count]);
        if share <= 1e-12 {
            return;
        }
        for ((&k, size), tau) in self.implicit.iter().zip(&self.size).zip(vertex) {
            points[k].slip = ratio(*size, *tau);
        }
        normals(frame, equations, points, states, impulse);
        for (((&k, size), tau), label) in
            self.implicit.iter().zip(&self.size).zip(vertex).zip(label)
        {
            let (point, tau) = (&points[k], tau.clamp(0.0, 1.0));
            let bound = share * point.friction * impulse[point.normal].max(0.0);
            let pull = if tau > 0.5 {
                point.tangential_norm(impulse) / tau
            } else {
                end_slip(frame.delassus, frame.velocity, point, impulse) / (size * (1.0 - tau))
            };
            *label -= if bound >= pull && bound > 0.0 { 1.0 } else { bound / pull.max(1e-300) };
        }
    }

    /// Weights of the vertices of the first facet.
    fn first_weights(&mut self) -> bool {
        let count = self.implicit.len();
        self.weights.clear();
        self.weights.resize(count + 2, 0.0);
        self.fill(count + 1);
        self.column.clear();
        self.column.push(1.0);
        self.column.resize(count + 1, 0.0);
        self.solve();
        self.weights[..=count].copy_from_slice(&self.column);
        self.weights[..=count].iter().all(|weight| *weight >= 0.0)
    }

    /// Brings the vertex `entering` into the facet on which `τ − T` vanishes, and returns the vertex that
    /// leaves it.
    fn exchange(&mut self, entering: usize) -> Option<usize> {
        let count = self.implicit.len();
        self.fill(entering);
        self.column.clear();
        self.column.push(1.0);
        self.column.extend_from_slice(&self.labels[entering]);
        self.solve();
        let others = (0..count + 2).filter(|i| *i != entering);
        let (mut leaving, mut least) = (None, f64::INFINITY);
        for (index, change) in others.clone().zip(&self.column) {
            if *change > 1e-12 && self.weights[index] / change < least {
                (leaving, least) = (Some(index), self.weights[index] / change);
            }
        }
        let leaving = leaving?;
        for (index, change) in others.zip(&self.column) {
            self.weights[index] = (self.weights[index] - least * change).max(0.0);
        }
        self.weights[entering] = least;
        self.weights[leaving] = 0.0;
        least.is_finite().then_some(leaving)
    }

    /// Fills the matrix of `(1, τ − T)` of all vertices but one.
    fn fill(&mut self, without: usize) {
        self.matrix.clear();
        for (_, label) in self.labels.iter().enumerate().filter(|(i, _)| *i != without) {
            self.matrix.push(1.0);
            self.matrix.extend_from_slice(label);
        }
        self.unit.clear();
        self.unit.resize(self.implicit.len() + 1, 1.0);
    }

    fn solve(&mut self) {
        self.orthogonal.factor(&self.matrix, &self.unit, 1e-14);
        self.orthogonal.solve(&mut self.column);
    }

    /// Replaces a vertex by its mirror image on the other side of the facet that it does not belong to.
    fn reflect(&mut self, index: usize) {
        let last = self.vertices.len() - 1;
        let before = if index == 0 { last } else { index - 1 };
        let after = if index == last { 0 } else { index + 1 };
        for axis in 0..=self.implicit.len() {
            let middle = self.vertices[before][axis] + self.vertices[after][axis];
            self.vertices[index][axis] = middle - self.vertices[index][axis];
        }
    }

    /// Sets states and slips to those of the point found.
    fn arrive(
        &mut self,
        frame: Frame<'_>,
        equations: &mut Equations,
        points: &mut [Point],
        states: &mut [State],
        impulse: &mut [f64],
    ) -> bool {
        // Vertex 0 becomes the point found, vertex 1 the trial point, and the labels from 2 on a matrix.
        let count = self.implicit.len();
        let total: f64 = self.weights.iter().sum();
        for place in 0..count {
            let weighted = self.vertices.iter().zip(&self.weights).map(|(v, w)| v[place] * w);
            self.column[place] = weighted.sum::<f64>() / total;
        }
        self.vertices[0][..count].copy_from_slice(&self.column[..count]);
        self.vertices[0][count] = 1.0;
        self.label(0, frame, equations, points, states, impulse);
        for _ in 0..POLISH {
            let defect = largest(&self.labels[0]);
            if equations.is_spent() {
                return false;
            }
            if defect < 1e-12 || !self.improve(defect, frame, equations, points, states, impulse) {
                break;
            }
        }
        self.label(0, frame, equations, points, states, impulse);
        // Points that roll keep rolling, and the others are left to Newton's method.
        normals(frame, equations, points, states, impulse)
    }

    /// One step of Newton's method in `τ`, with differences, shortened until `τ − T` becomes smaller; returns
    /// false if it does not.
    fn improve(
        &mut self,
        defect: f64,
        frame: Frame<'_>,
        equations: &mut Equations,
        points: &mut [Point],
        states: &mut [State],
        impulse: &mut [f64],
    ) -> bool {
        let count = self.implicit.len();
        self.matrix.clear();
        for place in 0..count {
            let (found, tried) = self.vertices.split_at_mut(1);
            tried[0].clone_from(&found[0]);
            // Away from the nearby side of the cube.
            let step = if found[0][place] > 0.5 { -DIFFERENCE } else { DIFFERENCE };
            tried[0][place] += step;
            self.label(1, frame, equations, points, states, impulse);
            let change = self.labels[1].iter().zip(&self.labels[0]).map(|(b, a)| (b - a) / step);
            self.matrix.extend(change);
        }
        self.unit.clear();
        self.unit.resize(count, 1.0);
        self.column.clear();
        self.column.extend_from_slice(&self.labels[0]);
        self.solve();
        let mut share = 1.0;
        for _ in 0..SHORTENINGS {
            let (found, tried) = self.vertices.split_at_mut(1);
            for ((tried, found), step) in tried[0].iter_mut().zip(&found[0]).zip(&self.column) {
                *tried = (found - share * step).clamp(0.0, 1.0);
            }
            tried[0][count] = 1.0;
            self.label(1, frame, equations, points, states, impulse);
            if largest(&self.labels[1]) < (1.0 - 0.1 * share) * defect {
                self.vertices.swap(0, 1);
                self.labels.swap(0, 1);
                return true;
            }
            share *= 0.5;
        }
        false
    }
}

/// Returns the `σ` of `τ`.
fn ratio(size: f64, tau: f64) -> f64 {
    let tau = tau.clamp(0.0, 1.0);
    if tau == 0.0 { f64::INFINITY } else { size * (1.0 - tau) / tau }
}

/// Solves for the impulses at given slips, with `0 ≤ u_n⁺ ⊥ π_n ≥ 0` at compressing points. It changes the
/// first point that violates this until none does, which terminates for matrices with positive principal
/// minors (Murty).
fn normals(
    frame: Frame<'_>,
    equations: &mut Equations,
    points: &[Point],
    states: &mut [State],
    impulse: &mut [f64],
) -> bool {
    let active = |state: &State| match state.motion {
        Motion::Rolling => Motion::ImpendingSlip,
        motion => motion,
    };
    for (state, start) in states.iter_mut().zip(frame.start) {
        state.motion = active(start);
    }
    for _ in 0..FLIPS {
        if equations.is_spent() {
            return false;
        }
        let Frame { delassus, velocity, rank_tolerance, .. } = frame;
        let given = Given { delassus, velocity, states, rank_tolerance };
        equations.solve(&given, points, SlipRule::Implicit, impulse);
        let rounding = 1e-12 * largest(impulse);
        let violated = (0..points.len()).find(|&k| {
            let (state, row) = (states[k], points[k].normal);
            state.phase == Phase::Compressing
                && if state.motion == Motion::Free {
                    end(delassus, velocity, row, impulse) < -frame.approach
                } else {
                    impulse[row] < -rounding
                }
        });
        let Some(k) = violated else { return true };
        states[k].motion = match states[k].motion {
            Motion::Free => active(&frame.start[k]),
            _ => Motion::Free,
        };
    }
    false
}
