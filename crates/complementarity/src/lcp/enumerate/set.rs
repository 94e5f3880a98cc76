//! The result of [`solve`](super::solve): vertices, rays and the convex pieces they span.

use nalgebra::{DMatrix, DVector};

use crate::lcp::{Problem, equilibration::Equilibration};

/// A solution that is a vertex of the feasible set; every isolated solution is one.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Vertex {
    /// The solution (length `n`, entries ≥ 0).
    pub z: DVector<f64>,
    /// `M z + q` (length `n`, entries ≥ 0), exactly zero where complementarity requires it.
    pub w: DVector<f64>,
    /// [`Problem::relative_residual`] of `z`.
    pub relative_residual: f64,
}

/// A direction of an unbounded set of solutions.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Ray {
    /// Change of `z` (length `n`, entries ≥ 0, largest entry 1).
    pub z: DVector<f64>,
    /// Change of `w`, `M z` (length `n`, entries ≥ 0), exactly zero where complementarity requires it.
    pub w: DVector<f64>,
}

/// A maximal convex set of solutions: the convex hull of its vertices plus all nonnegative
/// combinations of its rays.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Piece {
    /// Positions in [`SolutionSet::vertices`], ascending; at least one.
    pub vertices: Vec<usize>,
    /// Positions in [`SolutionSet::rays`], ascending.
    pub rays: Vec<usize>,
}

impl Piece {
    /// Whether the piece is a single point without other solutions near it.
    #[must_use]
    pub fn is_isolated(&self) -> bool {
        self.vertices.len() == 1 && self.rays.is_empty()
    }
}

/// All solutions of a problem: the union of [`pieces`](Self::pieces).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SolutionSet {
    /// The vertices of all pieces; a vertex shared by pieces is listed once.
    pub vertices: Vec<Vertex>,
    /// The rays of all pieces.
    pub rays: Vec<Ray>,
    /// The maximal convex sets of solutions.
    pub pieces: Vec<Piece>,
    /// Complementary bases, `2ⁿ`.
    pub bases: usize,
    /// Number of bases that the signs of `M` and `q` exclude.
    pub excluded_bases: usize,
    /// Number of singular bases among the others.
    pub singular_bases: usize,
    /// Number of the singular bases that are singular only within [`Settings::rank_tolerance`](super::Settings) and whose
    /// equations then contradict one another. If a basis of these is in fact regular, its solution has entries of at
    /// least the size of the problem divided by that tolerance, and is not reported.
    pub far_out_bases: usize,
    /// Number of vertices and rays that were dropped, with repetition, because they missed the tolerance on the
    /// original problem, plus the number of bases that cannot be decided in double precision. A basis is undecided
    /// if it is nearly singular, its numbers overflow, or the rounding of `M z` exceeds the same fraction of the
    /// sizes of the rows. Unless this is zero, solutions may be missing.
    pub unverified: usize,
}

impl SolutionSet {
    /// Whether no solution was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Whether there is no solution: none was found, and none may be missing, neither as
    /// [unverified](Self::unverified) nor [far out](Self::far_out_bases).
    ///
    /// # Example
    ///
    /// `1 + 10⁻¹³` in place of one makes the matrix regular, with a solution of the size `10¹³`, which is not found.
    ///
    /// ```
    /// use nalgebra::{dmatrix, dvector};
    /// use percussion_complementarity::lcp::{Problem, enumerate};
    ///
    /// for (entry, far_out) in [(1.0, 0), (1.0 + 1e-13, 1)] {
    ///     let problem = Problem::new(dmatrix![1.0, -1.0; -1.0, entry], dvector![-1.0, -1.0])?;
    ///     let all = enumerate::solve(&problem, &enumerate::Settings::default())?;
    ///     assert_eq!((all.is_empty(), all.far_out_bases), (true, far_out));
    ///     assert_eq!(all.has_none(), far_out == 0);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn has_none(&self) -> bool {
        self.is_empty() && self.unverified == 0 && self.far_out_bases == 0
    }

    /// The position of the first piece that contains the solution `z` (length `n`) of `problem`.
    ///
    /// A solution lies in a piece exactly when the piece has positive entries at all indices where the solution has
    /// them. As in the enumeration, an entry of `z` or `w = M z + q` counts as positive above `tolerance` times the
    /// largest in the scaled problem. If the relative residual of `z` exceeds `tolerance`, `z` is not a solution and
    /// lies in no piece.
    ///
    /// # Panics
    ///
    /// When `z` does not have length `n`.
    #[must_use]
    pub fn piece_with(&self, problem: &Problem, z: &DVector<f64>, tolerance: f64) -> Option<usize> {
        if problem.relative_residual(z) > tolerance {
            return None;
        }
        let (scaled, equilibration) = Equilibration::of(problem);
        let scaled_z = equilibration.scale(z);
        let scaled_w = scaled.slack(&scaled_z);
        let threshold = tolerance * scaled_z.amax().max(scaled_w.amax()).max(1.0);
        let contains = |piece: &Piece| {
            (0..z.len()).all(|i| {
                let mut points = piece.vertices.iter().map(|&k| &self.vertices[k]);
                let mut rays = piece.rays.iter().map(|&k| &self.rays[k]);
                let any_z =
                    points.clone().any(|p| p.z[i] > 0.0) || rays.clone().any(|r| r.z[i] > 0.0);
                let any_w = points.any(|p| p.w[i] > 0.0) || rays.any(|r| r.w[i] > 0.0);
                (any_z || scaled_z[i] <= threshold) && (any_w || scaled_w[i] <= threshold)
            })
        };
        self.pieces.iter().position(contains)
    }

    /// The distinct values of `map · z` over the vertices, with `map` of shape `m × n`.
    ///
    /// The impulses are often not unique although the velocities they cause are; with `map = M⁻¹ Jᵀ` each [`Image`]
    /// is one change of velocity. Two images agree when row `r` differs by at most `tolerance` times the largest
    /// `Σ_j |map_rj| z_j` of a vertex. The order is that of the first vertices.
    ///
    /// # Errors
    ///
    /// [`MapError`] if the map does not have `n` columns or the tolerance is NaN or negative.
    pub fn images(&self, map: &DMatrix<f64>, tolerance: f64) -> Result<Vec<Image>, MapError> {
        if tolerance.is_nan() || tolerance < 0.0 {
            return Err(MapError::Tolerance(tolerance));
        }
        let Some(first) = self.vertices.first() else { return Ok(Vec::new()) };
        if map.ncols() != first.z.len() {
            return Err(MapError::Columns { expected: first.z.len(), found: map.ncols() });
        }
        let size = map.abs();
        let mut margin = DVector::zeros(map.nrows());
        for vertex in &self.vertices {
            margin.zip_apply(&(&size * &vertex.z), |margin: &mut f64, size| {
                *margin = margin.max(tolerance * size);
            });
        }
        let same = |a: &DVector<f64>, b: &DVector<f64>| {
            (0..margin.len()).all(|row| (a[row] - b[row]).abs() <= margin[row])
        };
        let mut images: Vec<Image> = Vec::new();
        let mut image_of = Vec::new();
        for (position, vertex) in self.vertices.iter().enumerate() {
            let value = map * &vertex.z;
            let known = images.iter().position(|image| same(&image.value, &value));
            let index = known.unwrap_or(images.len());
            if known.is_none() {
                images.push(Image { value, vertices: Vec::new(), is_isolated: true });
            }
            images[index].vertices.push(position);
            image_of.push(index);
        }
        for piece in &self.pieces {
            let constant =
                piece.vertices.iter().all(|&k| image_of[k] == image_of[piece.vertices[0]])
                    && piece.rays.iter().all(|&k| {
                        let (value, size) = (map * &self.rays[k].z, &size * &self.rays[k].z);
                        value.iter().zip(&size).all(|(value, size)| value.abs() <= tolerance * size)
                    });
            if !constant {
                piece.vertices.iter().for_each(|&k| images[image_of[k]].is_isolated = false);
            }
        }
        Ok(images)
    }
}

/// A value of a linear map of the solutions, see [`SolutionSet::images`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Image {
    /// `map · z` (length `m`).
    pub value: DVector<f64>,
    /// The vertices with this image, as positions in [`SolutionSet::vertices`].
    pub vertices: Vec<usize>,
    /// Whether no piece joins this image to others; when false, values near it are images too.
    pub is_isolated: bool,
}

/// The reason why [`SolutionSet::images`] has no result.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MapError {
    /// The number of columns is not the size of the problem.
    #[error("map has {found} columns, expected {expected}")]
    Columns {
        /// Size of the problem.
        expected: usize,
        /// Columns found.
        found: usize,
    },
    /// The tolerance is NaN or negative.
    #[error("tolerance is {0}, expected a number ≥ 0")]
    Tolerance(f64),
}
