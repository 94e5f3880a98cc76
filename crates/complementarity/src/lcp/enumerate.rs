//! Every solution of a small [linear complementarity problem](Problem), by complementary bases.
//!
//! For a set `α` of indices the solutions with `w_α = 0` and `z_i = 0` outside `α` form a polyhedron
//!
//! ```math
//! P_α = \{ x ≥ 0 : C_α x = q \}, \qquad
//! C_α e_j = \begin{cases} -M e_j & j ∈ α \\ e_j & j ∉ α \end{cases}
//! ```
//!
//! and the solution set is the union of these `2ⁿ` polyhedra. If `M_αα` is regular, `P_α` has at most one point. If
//! it is singular, `P_α` may be a continuum, which is described by its vertices and its rays. Each `P_α` is a face
//! of the feasible set `{z ≥ 0, M z + q ≥ 0}`, and such a face lies in another exactly when its positive entries do.
//! The [`Piece`]s reported are therefore the *maximal* faces, each once: isolated solutions and maximal convex sets
//! of solutions. Pieces may share vertices; their union is the solution set.
//!
//! - **Needs** at most [`Settings::max_dimension`] unknowns; any matrix.
//! - **Tolerances** apply to a copy of the problem whose rows, columns and vector are scaled to entries near one. A
//!   pivot is zero if it is at most [`Settings::rank_tolerance`] and at most that fraction of the sum of the
//!   magnitudes of its terms. An entry of a vertex or ray is zero if it is at most [`Settings::tolerance`] times its
//!   terms: a value that is small without cancellation is not a rounding error. Every vertex and ray is checked on
//!   the original problem. Those that fail are not reported but counted in [`SolutionSet::unverified`], as are bases
//!   that cannot be decided in double precision.
//! - **Does not** separate solutions that differ by less than the tolerance, and does not distinguish a matrix from
//!   singular matrices within the rank tolerance. If the equations of the singular matrix agree, a continuum is reported
//!   for both. If they contradict one another, the matrix may have a solution whose size is that of the problem
//!   divided by the rank tolerance, which is not found: [`SolutionSet::far_out_bases`] counts these bases.
//! - **Cost** `2ⁿ` factorizations of mean size `n / 2`, minus those of the bases that the signs of a row exclude.
//!   Measured at `n = 20` on one core: 3 to 4 s, both for a matrix for which nothing is excluded and for the
//!   friction step of two contacts with 8 directions. The cost is higher if most bases are consistent, singular and
//!   have many free entries: 1 s at `n = 16` for `M = 0`, `q = 0`.
//! - **Deterministic**: fixed order, no randomness. Pieces, vertices and rays are sorted by the set
//!   of their positive `z` (as a binary number, index 0 lowest), then of their positive `w`.
//!
//! # Source
//!
//! R. W. Cottle, J.-S. Pang, R. E. Stone, *The Linear Complementarity Problem* (SIAM 2009),
//! section 1.3 (complementary matrices and cones);
//! B. De Moor, L. Vandenberghe, J. Vandewalle, "The generalized linear complementarity problem and
//! an algorithm to find all its solutions", *Mathematical Programming* 57 (1992) 415–426
//! (cross-complementary vertices and rays).

use std::collections::{BTreeMap, BTreeSet};

use nalgebra::DVector;

use super::{Problem, equilibration::Equilibration, residual::Judge};

mod basis;
mod face;
mod set;
mod signs;
#[cfg(test)]
mod tests;

use basis::Basis;
use face::Generator;
pub use set::{Image, MapError, Piece, Ray, SolutionSet, Vertex};
use signs::Signs;

/// Settings of [`solve`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Largest [`Problem::relative_residual`] of a reported vertex, and the fraction of the magnitudes of its terms
    /// below which an entry counts as zero (in `(0, 1)`, default `1e-9`).
    pub tolerance: f64,
    /// Largest pivot of the scaled matrix that counts as zero (in `(0, 1)`, default `1e-12`).
    ///
    /// Elimination of 20 rows leaves about `20 · 10 · 2.2e-16 = 4e-14` where exact arithmetic gives zero. The
    /// default allows as much again for the rounding of the data, with a margin of a factor of twenty.
    pub rank_tolerance: f64,
    /// Maximum accepted size (1 to 30, default 20); the work doubles with each unknown.
    pub max_dimension: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { tolerance: 1e-9, rank_tolerance: 1e-12, max_dimension: 20 }
    }
}

/// The reason why [`solve`] could not start.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The problem has more unknowns than the settings allow.
    #[error("problem has {dimension} unknowns, expected at most {limit}")]
    TooLarge {
        /// Size of the problem.
        dimension: usize,
        /// [`Settings::max_dimension`].
        limit: usize,
    },
    /// A setting is outside its documented range.
    #[error("setting `{name}` is {value}, expected {expected}")]
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// Its value.
        value: f64,
        /// Its range.
        expected: &'static str,
    },
}

/// Finds all solutions of `problem`.
///
/// # Errors
///
/// See [`Error`]. A problem without solutions is not an error: its [`SolutionSet`] is empty.
///
/// # Example
///
/// `M = −I` and `q = (1, 1)`: each unknown is 0 or 1, independently of the other.
///
/// ```
/// use nalgebra::{dmatrix, dvector};
/// use percussion_complementarity::lcp::{Problem, enumerate};
///
/// let problem = Problem::new(dmatrix![-1.0, 0.0; 0.0, -1.0], dvector![1.0, 1.0])?;
/// let all = enumerate::solve(&problem, &enumerate::Settings::default())?;
/// assert_eq!(all.vertices.len(), 4);
/// assert!(all.pieces.iter().all(|piece| piece.is_isolated()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn solve(problem: &Problem, settings: &Settings) -> Result<SolutionSet, Error> {
    check(problem, settings)?;
    let (scaled, equilibration) = Equilibration::of(problem);
    let signs = Signs::of(&scaled, settings.tolerance);
    let mut basis = Basis::default();
    let mut faces = Faces::default();
    for alpha in 0..1_u32 << problem.dimension() {
        faces.bases += 1;
        if signs.exclude(alpha) {
            faces.excluded_bases += 1;
            continue;
        }
        basis.factor(&scaled, alpha, settings.rank_tolerance);
        faces.singular_bases += usize::from(!basis.free().is_empty());
        match face::generators(&scaled, alpha, &basis, settings.tolerance) {
            Ok(Some(generators)) => {
                faces.insert(problem, &equilibration, alpha, &generators, settings.tolerance);
            }
            Ok(None) => faces.far_out_bases += usize::from(basis.is_nearly_singular()),
            Err(face::Undecided) => faces.unverified += 1,
        }
    }
    Ok(faces.maximal())
}

fn check(problem: &Problem, settings: &Settings) -> Result<(), Error> {
    for (name, value) in
        [("tolerance", settings.tolerance), ("rank_tolerance", settings.rank_tolerance)]
    {
        if !(value > 0.0 && value < 1.0) {
            return Err(Error::Setting { name, value, expected: "a number in (0, 1)" });
        }
    }
    let limit = settings.max_dimension;
    if !(1..=30).contains(&limit) {
        let expected = "an integer from 1 to 30";
        return Err(Error::Setting { name: "max_dimension", value: limit as f64, expected });
    }
    let dimension = problem.dimension();
    if dimension > limit {
        return Err(Error::TooLarge { dimension, limit });
    }
    Ok(())
}

/// The positive entries of a vertex, a ray or a face: bits of `z`, then bits of `w`.
///
/// Each of these is determined by its positive entries, so this set identifies it.
type Support = (u32, u32);

fn within(inner: Support, outer: Support) -> bool {
    inner.0 & !outer.0 == 0 && inner.1 & !outer.1 == 0
}

/// The faces found so far, by support.
#[derive(Default)]
struct Faces {
    vertices: BTreeMap<Support, Vertex>,
    rays: BTreeMap<Support, Ray>,
    /// The vertices and the rays of each face.
    faces: BTreeMap<Support, (BTreeSet<Support>, BTreeSet<Support>)>,
    bases: usize,
    excluded_bases: usize,
    singular_bases: usize,
    far_out_bases: usize,
    unverified: usize,
}

impl Faces {
    /// Adds the face of `alpha`, given by its generators in the scaled problem.
    fn insert(
        &mut self,
        problem: &Problem,
        equilibration: &Equilibration,
        alpha: u32,
        generators: &[Generator],
        tolerance: f64,
    ) {
        let n = problem.dimension();
        let mut face = (BTreeSet::new(), BTreeSet::new());
        let mut union = (0, 0);
        for generator in generators {
            let positive =
                (0..n).filter(|&i| generator[i] > 0.0).fold(0_u32, |set, i| set | 1 << i);
            let support = (positive & alpha, positive & !alpha);
            let z = |i: usize| if support.0 >> i & 1 == 1 { generator[i] } else { 0.0 };
            let z = equilibration.unscale(&DVector::from_fn(n, |i, _| z(i)));
            let verified = if generator[n] > 0.0 {
                face.0.insert(support);
                self.insert_vertex(problem, support, z / generator[n], tolerance)
            } else {
                face.1.insert(support);
                self.insert_ray(problem, support, z, tolerance)
            };
            if verified {
                union = (union.0 | support.0, union.1 | support.1);
            } else {
                face.0.remove(&support);
                face.1.remove(&support);
                self.unverified += 1;
            }
        }
        if !face.0.is_empty() {
            self.faces.entry(union).or_insert(face);
        }
    }

    fn insert_vertex(
        &mut self,
        problem: &Problem,
        support: Support,
        z: DVector<f64>,
        tolerance: f64,
    ) -> bool {
        let residual = problem.relative_residual(&z);
        if residual > tolerance {
            return false;
        }
        self.vertices.entry(support).or_insert_with(|| {
            let w = on_support(problem.slack(&z), support);
            Vertex { z, w, relative_residual: residual }
        });
        true
    }

    /// A ray solves the problem with `q = 0`; it is scaled to a largest entry of one.
    fn insert_ray(
        &mut self,
        problem: &Problem,
        support: Support,
        z: DVector<f64>,
        tolerance: f64,
    ) -> bool {
        let z = &z / z.amax();
        let w = problem.matrix() * &z;
        if !w.amax().is_finite()
            || Judge::of_rays(problem).residuals(problem, &z).relative > tolerance
        {
            return false;
        }
        self.rays.entry(support).or_insert_with(|| Ray { w: on_support(w, support), z });
        true
    }

    /// Keeps the faces that are not contained in another.
    fn maximal(self) -> SolutionSet {
        let full = self.bases - 1;
        let size = |support: &Support| support.0.count_ones() + support.1.count_ones();
        let mut by_size: Vec<Support> = self.faces.keys().copied().collect();
        by_size.sort_by_key(|support| std::cmp::Reverse(size(support)));
        let mut maximal: Vec<Support> = Vec::new();
        for support in by_size {
            // A face with a positive entry at every index determines its basis and lies in no other.
            let decided = (support.0 | support.1) as usize == full;
            if decided || !maximal.iter().any(|other| within(support, *other)) {
                maximal.push(support);
            }
        }
        maximal.sort_unstable();
        let position =
            |support: &Support, keys: &[Support]| keys.binary_search(support).unwrap_or(0);
        let vertices: Vec<Support> = self.vertices.keys().copied().collect();
        let rays: Vec<Support> = self.rays.keys().copied().collect();
        let pieces =
            maximal.iter().filter_map(|support| self.faces.get(support)).map(|face| Piece {
                vertices: face.0.iter().map(|vertex| position(vertex, &vertices)).collect(),
                rays: face.1.iter().map(|ray| position(ray, &rays)).collect(),
            });
        SolutionSet {
            pieces: pieces.collect(),
            vertices: self.vertices.into_values().collect(),
            rays: self.rays.into_values().collect(),
            bases: self.bases,
            excluded_bases: self.excluded_bases,
            singular_bases: self.singular_bases,
            far_out_bases: self.far_out_bases,
            unverified: self.unverified,
        }
    }
}

/// `w` with exact zeros where complementarity requires them.
fn on_support(w: DVector<f64>, support: Support) -> DVector<f64> {
    DVector::from_fn(w.len(), |i, _| if support.1 >> i & 1 == 1 { w[i].max(0.0) } else { 0.0 })
}
